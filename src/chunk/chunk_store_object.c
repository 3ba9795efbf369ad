/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_object: stores objects that hold several chunks. Each object is put once, however many of its chunks
 * changed:
 *
 *  1. encode the changed chunks
 *  2. unless all of the object's chunks have changed: get the stored object
 *  3. assemble it from the new bytes of the changed chunks and the stored bytes of the others. Leave out chunks that
 *     hold only fill
 *  4. put it if it is still the version that was read, where the store can check that; else begin again at 2, since
 *     another writer has changed other chunks of it. Delete an object without chunks
 *
 * No other thread of this engine stores the object meanwhile (chunk_object.c).
 */
#include "chunk/chunk_int.h"

#include <string.h>

enum { TRIES = 32 }; /* for one object that other writers keep changing */

typedef struct object_put {
    ncz_chunk_store      *store;
    ncz_chunk_store_item *items; /* its changed chunks */
    size_t                n;
    const ncz_spec       *spec;
    const char           *key;
    ncz_slot             *slots;
    ncz_slot_bytes       *parts;
    ncz_buf               old, fresh;
    char                  version[ZMAP_VERSION];
    bool                  read;    /* it has unchanged chunks, so step 2 is needed */
    bool                  there;   /* the object exists, as far as is known */
    bool                  empty;   /* no chunk is left in it */
    bool                  pending; /* not stored yet */
    int                   rc;
} object_put;

static void
fail_object(object_put *o, int rc)
{
    o->rc = rc;
    o->pending = false;
    for (size_t i = 0; i < o->n; i++)
        if (o->items[i].rc == NC_NOERR)
            ncz_chunk_store_fail(o->store, &o->items[i], rc);
}

/* A chunk that could not be encoded keeps its stored bytes. */
static void
begin_object(object_put *o, ncz_chunk_store *s, size_t first)
{
    const ncz_spec *spec = s->items[first].chunk->spec;
    size_t          changed = 0;
    bool            inside = true;

    *o = (object_put){.store = s, .items = &s->items[first], .spec = spec, .there = true};
    for (; first + o->n < s->n && o->items[o->n].object == o->items[0].object; o->n++) {
        const ncz_chunk_store_item *item = &o->items[o->n];

        if (item->rc != NC_NOERR)
            continue;
        changed++;
        inside = inside && item->slot < spec->object_chunks;
        o->key = ncz_buf_str(&item->key);
    }
    o->old = NCZ_BUF_LIMIT(s->engine->limits.object_bytes);
    o->pending = changed > 0;
    o->read = changed < spec->object_chunks;
    if (!o->pending)
        return;
    if (!inside)
        fail_object(o,
                    ncz_fail(NC_EINTERNAL, "%s: a chunk is in none of its %zu slots", o->key, spec->object_chunks));
    else if ((o->slots = ncz_zalloc_n(spec->object_chunks, sizeof *o->slots)) == NULL ||
             (o->parts = ncz_zalloc_n(spec->object_chunks, sizeof *o->parts)) == NULL)
        fail_object(o, ncz_fail_nomem(spec->object_chunks * (sizeof *o->slots + sizeof *o->parts)));
}

static void
end_object(object_put *o)
{
    ncz_free(o->slots);
    ncz_free(o->parts);
    ncz_buf_clear(&o->old);
    ncz_buf_clear(&o->fresh);
}

/* ---- 2. get the stored object ---- */

static int
parse_old(object_put *o)
{
    const ncz_spec *spec = o->spec;
    size_t          nbytes;
    bool            at_end;
    int             rc;

    if ((rc = ncz_chunk_index_range(spec, o->key, &nbytes, &at_end)) != NC_NOERR)
        return rc;
    if (o->old.len < nbytes)
        return ncz_fail(NC_EFILTER, "%s: %zu bytes, but its index alone has %zu", o->key, o->old.len, nbytes);
    return ncz_chunk_parse_index(spec, o->key, ncz_buf_str(&o->old) + (at_end ? o->old.len - nbytes : 0), nbytes,
                                 o->old.len, o->slots);
}

static void
keep_old(object_put *o, zmap_get_req *req)
{
    int rc = req->err.code;

    o->old = req->body;
    o->there = rc == NC_NOERR;
    memset(o->slots, 0, o->spec->object_chunks * sizeof *o->slots);
    memcpy(o->version, req->version, sizeof o->version);
    if (rc == NC_NOERR)
        rc = parse_old(o);
    else if (rc != NC_EEMPTY)
        rc = ncz_err_adopt(&req->err);
    if (rc != NC_NOERR && rc != NC_EEMPTY)
        fail_object(o, rc);
}

static void
get_old(object_put *objects, size_t n, zmap_get_req *reqs)
{
    size_t nreqs = 0;

    for (size_t i = 0; i < n; i++) {
        object_put *o = &objects[i];

        if (!o->pending || !o->read)
            continue;
        ncz_buf_reset(&o->old);
        reqs[nreqs++] = (zmap_get_req){.key = o->key, .len = ZMAP_WHOLE, .body = o->old, .tag = o};
    }
    if (nreqs > 0)
        (void)zmap_get_batch(objects[0].store->engine->map, reqs, nreqs, NULL, NULL);
    for (size_t i = 0; i < nreqs; i++)
        keep_old(reqs[i].tag, &reqs[i]);
}

/* ---- 3. assemble ---- */

static void
assemble_object(void *arg, size_t i, ncz_scratch *scratch)
{
    object_put     *o = (object_put *)arg + i;
    const ncz_spec *spec = o->spec;
    int             rc;

    (void)scratch;
    if (!o->pending)
        return;
    o->empty = true;
    for (size_t k = 0; k < spec->object_chunks; k++) {
        bool stored = o->slots[k].length > 0;

        o->parts[k] = (ncz_slot_bytes){.data = stored ? ncz_buf_str(&o->old) + o->slots[k].offset : NULL,
                                       .nbytes = (size_t)o->slots[k].length};
    }
    for (size_t k = 0; k < o->n; k++) {
        const ncz_chunk_store_item *item = &o->items[k];

        if (item->rc == NC_NOERR)
            o->parts[item->slot] =
                item->gone ? (ncz_slot_bytes){.data = NULL} : (ncz_slot_bytes){item->encoded, item->nbytes};
    }
    for (size_t k = 0; k < spec->object_chunks && o->empty; k++)
        o->empty = o->parts[k].data == NULL;
    if (o->empty)
        return;
    ncz_buf_reset(&o->fresh);
    rc = spec->object_ops->assemble(spec->object_layout, o->parts, spec->object_chunks, &o->fresh);
    if (rc != NC_NOERR)
        fail_object(o, rc);
}

/* ---- 4. put ---- */

/* Without unchanged chunks the put is unconditional: it cannot lose another writer's changes. */
static zmap_put_req
put_req(const object_put *o)
{
    unsigned  caps = zmap_caps_of(o->store->engine->map);
    zmap_when when = ZMAP_ALWAYS;

    if (o->read && !o->there && (caps & ZMAP_CAN_IF_ABSENT) != 0)
        when = ZMAP_IF_ABSENT;
    if (o->read && o->there && (caps & ZMAP_CAN_IF_MATCH) != 0 && o->version[0] != '\0')
        when = ZMAP_IF_MATCH;
    return (zmap_put_req){
        .key = o->key, .data = ncz_buf_str(&o->fresh), .len = o->fresh.len, .when = when, .version = o->version};
}

static bool
is_conflict(const zmap_put_req *req)
{
    return req->when != ZMAP_ALWAYS && (req->err.code == NC_EOBJECT || req->err.code == NC_ENOOBJECT);
}

static void
put_objects(object_put *objects, size_t n, zmap_put_req *puts, bool last_try)
{
    zmap  *map = objects[0].store->engine->map;
    size_t nputs = 0;

    for (size_t i = 0; i < n; i++) {
        object_put *o = &objects[i];
        int         rc;

        if (!o->pending)
            continue;
        if (!o->empty) {
            puts[nputs++] = put_req(o);
            continue;
        }
        /* No chunk is left, so the object is deleted instead of put. */
        o->pending = false;
        if (o->there && (rc = zmap_del(map, &o->key, 1)) != NC_NOERR)
            fail_object(o, rc);
    }
    if (nputs > 0)
        (void)zmap_put_batch(map, puts, nputs);
    nputs = 0;
    for (size_t i = 0; i < n; i++) {
        object_put         *o = &objects[i];
        const zmap_put_req *req = &puts[nputs];

        if (!o->pending)
            continue;
        nputs++;
        /* After a conflict the object stays pending, and the caller reads it again and retries. */
        if (req->err.code == NC_NOERR)
            o->pending = false;
        else if (!is_conflict(req) || last_try)
            fail_object(o, ncz_err_adopt(&req->err));
    }
}

/* Runs steps 2 to 4. */
static void
store_all(object_put *objects, size_t n)
{
    zmap_get_req *gets = ncz_alloc_n(n, sizeof *gets);
    zmap_put_req *puts = ncz_alloc_n(n, sizeof *puts);
    bool          pending = true;

    for (size_t i = 0; i < n && (gets == NULL || puts == NULL); i++)
        if (objects[i].pending)
            fail_object(&objects[i], ncz_fail_nomem(n * (sizeof *gets + sizeof *puts)));
    for (int tries = 0; pending && gets != NULL && puts != NULL; tries++) {
        get_old(objects, n, gets);
        ncz_pool_each(n, SIZE_MAX, assemble_object, objects);
        put_objects(objects, n, puts, tries == TRIES);
        pending = false;
        for (size_t i = 0; i < n && !pending; i++)
            pending = objects[i].pending;
    }
    ncz_free(gets);
    ncz_free(puts);
}

void
ncz_chunk_store_object(ncz_chunk_store *s, size_t first, ncz_scratch *scratch)
{
    object_put o;

    for (size_t i = first; i < s->n && s->items[i].object == s->items[first].object; i++) {
        int rc = ncz_chunk_store_encode(s->engine, &s->items[i], scratch);

        if (rc != NC_NOERR)
            ncz_chunk_store_fail(s, &s->items[i], rc);
    }
    begin_object(&o, s, first);
    store_all(&o, 1);
    end_object(&o);
}

void
ncz_chunk_store_objects(ncz_chunk_store *s)
{
    object_put *objects;
    size_t      n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->items[i].object != NULL && (i == 0 || s->items[i - 1].object != s->items[i].object);
    if (n == 0)
        return;
    if ((objects = ncz_alloc_n(n, sizeof *objects)) == NULL) {
        int rc = ncz_fail_nomem(n * sizeof *objects);

        for (size_t i = 0; i < s->n; i++)
            if (s->items[i].object != NULL && s->items[i].rc == NC_NOERR)
                ncz_chunk_store_fail(s, &s->items[i], rc);
        return;
    }
    n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].object != NULL && (i == 0 || s->items[i - 1].object != s->items[i].object))
            begin_object(&objects[n++], s, i);
    store_all(objects, n);
    for (size_t i = 0; i < n; i++)
        end_object(&objects[i]);
    ncz_free(objects);
}
