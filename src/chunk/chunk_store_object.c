/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_object: stores objects that hold several chunks. Each object is put once, however many of its chunks
 * are staged (chunk_staging.c):
 *
 *  1. take references to the staged chunks
 *  2. unless they are all of the object's chunks: get the stored object
 *  3. assemble it from the staged bytes and, for the other chunks, the stored bytes; without copying them, where the
 *     store takes parts. Leave out chunks that hold only fill
 *  4. put it if it is still the version that was read, where the store can check that; else begin again at 2, since
 *     another writer has changed other chunks of it. Delete an object without chunks
 *  5. drop the stored chunks from the stage. After a failure they stay there
 *
 * No other thread of this engine stores the object meanwhile. Chunks that are staged meanwhile stay staged.
 */
#include "chunk/chunk_int.h"

#include <string.h>

enum { TRIES = 32 }; /* for one object that other writers keep changing */

typedef struct object_put {
    ncz_engine       *engine;
    ncz_chunk_staged *staged;
    const ncz_spec   *spec;
    ncz_buf           key_room;
    const char       *key;
    ncz_chunk_part  **taken; /* object_chunks entries each, like the next two */
    ncz_slot         *slots;
    ncz_slot_bytes   *parts;
    void             *map; /* of the spill file, or NULL */
    uint64_t          map_bytes;
    ncz_buf           old, fresh; /* fresh: the new object or, with `pieces`, its index */
    zmap_part        *pieces;     /* the new object, where the store takes it so; or NULL */
    size_t            npieces, nbytes;
    char              version[ZMAP_VERSION];
    bool              read;    /* it has unchanged chunks, so step 2 is needed */
    bool              there;   /* the object exists, as far as is known */
    bool              empty;   /* no chunk is left in it */
    bool              pending; /* not stored yet */
    ncz_err           err;
} object_put;

static void
fail_object(object_put *o, int rc)
{
    ncz_err_save(&o->err, rc);
    o->pending = false;
}

/* ---- 1. take the staged chunks ---- */

static int
map_spilled(object_put *o)
{
    const ncz_chunk_spill *file = &o->engine->staging.spill;
    bool                   any = false;

    for (size_t i = 0; i < o->spec->object_chunks && !any; i++)
        any = o->taken[i] != NULL && ncz_chunk_part_spilled(o->taken[i]);
    if (!any)
        return NC_NOERR;
    (void)pthread_mutex_lock(&o->engine->lock);
    o->map_bytes = file->end;
    (void)pthread_mutex_unlock(&o->engine->lock);
    return ncz_chunk_spill_map(file, o->map_bytes, &o->map);
}

static int
prepare_object(object_put *o)
{
    size_t         n = o->spec->object_chunks;
    ncz_chunk_addr where;
    int            rc;

    if ((o->slots = ncz_zalloc_n(n, sizeof *o->slots)) == NULL ||
        (o->parts = ncz_zalloc_n(n, sizeof *o->parts)) == NULL ||
        (o->taken = ncz_zalloc_n(n, sizeof(ncz_chunk_part *))) == NULL)
        return ncz_fail_nomem(n * (sizeof *o->slots + sizeof *o->parts + sizeof(ncz_chunk_part *)));
    o->read = !ncz_chunk_staged_take(o->engine, o->staged, o->taken);
    if ((rc = ncz_chunk_locate(o->spec, o->staged->first, &o->key_room, &where)) != NC_NOERR)
        return rc;
    o->key = where.key;
    return map_spilled(o);
}

static void
begin_object(object_put *o, ncz_engine *e, ncz_chunk_staged *s)
{
    int rc;

    *o = (object_put){.engine = e,
                      .staged = s,
                      .spec = s->spec,
                      .old = NCZ_BUF_LIMIT(e->limits.object_bytes),
                      .there = true,
                      .pending = true};
    if ((rc = prepare_object(o)) != NC_NOERR)
        fail_object(o, rc);
}

/* ---- 2. get the stored object ---- */

/* A chunk whose place is not known cannot be kept, and leaving it out would hide the damage. */
static int
check_kept(const object_put *o, uint64_t size)
{
    ncz_err e;

    for (size_t i = 0; i < o->spec->object_chunks; i++)
        if (o->taken[i] == NULL && ncz_slot_is_bad(o->slots[i])) {
            ncz_err_save(&e, ncz_chunk_fail_slot(o->key, o->slots[i], i, size));
            return ncz_fail(e.code, "%s; it is not stored again until all of that chunk is written", e.text);
        }
    return NC_NOERR;
}

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
    rc = ncz_chunk_parse_index(spec, o->key, ncz_buf_str(&o->old) + (at_end ? o->old.len - nbytes : 0), nbytes,
                               o->old.len, o->slots);
    return rc == NC_NOERR ? check_kept(o, o->old.len) : rc;
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
        reqs[nreqs++] =
            (zmap_get_req){.key = o->key, .len = ZMAP_WHOLE, .ask_version = true, .body = o->old, .tag = o};
    }
    if (nreqs > 0)
        (void)zmap_get_batch(objects[0].engine->map, reqs, nreqs, NULL, NULL);
    for (size_t i = 0; i < nreqs; i++)
        keep_old(reqs[i].tag, &reqs[i]);
}

/* ---- 3. assemble ---- */

/* The bytes of a slot: staged, or else stored. */
static ncz_slot_bytes
slot_bytes(const object_put *o, size_t slot)
{
    const ncz_chunk_part *p = o->taken[slot];

    if (p == NULL && o->slots[slot].length == 0)
        return (ncz_slot_bytes){.data = NULL};
    if (p == NULL)
        return (ncz_slot_bytes){ncz_buf_str(&o->old) + o->slots[slot].offset, (size_t)o->slots[slot].length};
    if (p->gone)
        return (ncz_slot_bytes){.data = NULL};
    return (ncz_slot_bytes){p->data != NULL ? p->data : (const char *)o->map + p->spilled, p->nbytes};
}

/* Lists the object's bytes: its chunks, in the order of their slots, after or before its index. */
static int
list_pieces(object_put *o)
{
    const ncz_spec *spec = o->spec;
    size_t          n = spec->object_chunks, nindex;
    bool            at_end;
    zmap_part       index;
    int             rc;

    if ((rc = ncz_chunk_index_range(spec, o->key, &nindex, &at_end)) != NC_NOERR ||
        (rc = spec->object_ops->make_index(spec->object_layout, o->parts, n, &o->fresh)) != NC_NOERR)
        return rc;
    if (o->pieces == NULL && (o->pieces = ncz_alloc_n(n + 1, sizeof *o->pieces)) == NULL)
        return ncz_fail_nomem(n * sizeof *o->pieces);
    index = (zmap_part){ncz_buf_str(&o->fresh), o->fresh.len};
    o->npieces = 0;
    o->nbytes = index.len;
    if (!at_end)
        o->pieces[o->npieces++] = index;
    for (size_t k = 0; k < n; k++) {
        if (o->parts[k].data == NULL)
            continue;
        o->pieces[o->npieces++] = (zmap_part){o->parts[k].data, o->parts[k].nbytes};
        if (!ncz_add(o->nbytes, o->parts[k].nbytes, &o->nbytes))
            return ncz_fail_nomem(SIZE_MAX);
    }
    if (at_end)
        o->pieces[o->npieces++] = index;
    return NC_NOERR;
}

static bool
takes_pieces(const object_put *o)
{
    return (zmap_caps_of(o->engine->map) & ZMAP_CAN_PARTS) != 0 && o->spec->object_ops->make_index != NULL;
}

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
        o->parts[k] = slot_bytes(o, k);
        o->empty = o->empty && o->parts[k].data == NULL;
    }
    if (o->empty)
        return;
    ncz_buf_reset(&o->fresh);
    rc = takes_pieces(o) ? list_pieces(o)
                         : spec->object_ops->assemble(spec->object_layout, o->parts, spec->object_chunks, &o->fresh);
    if (rc != NC_NOERR)
        fail_object(o, rc);
}

/* ---- 4. put ---- */

/* Without unchanged chunks the put is unconditional: it cannot lose another writer's changes. */
static zmap_put_req
put_req(const object_put *o)
{
    unsigned  caps = zmap_caps_of(o->engine->map);
    zmap_when when = ZMAP_ALWAYS;

    if (o->read && !o->there && (caps & ZMAP_CAN_IF_ABSENT) != 0)
        when = ZMAP_IF_ABSENT;
    if (o->read && o->there && (caps & ZMAP_CAN_IF_MATCH) != 0 && o->version[0] != '\0')
        when = ZMAP_IF_MATCH;
    return (zmap_put_req){.key = o->key,
                          .data = o->pieces != NULL ? NULL : ncz_buf_str(&o->fresh),
                          .len = o->pieces != NULL ? o->nbytes : o->fresh.len,
                          .parts = o->pieces,
                          .nparts = o->npieces,
                          .when = when,
                          .version = o->version};
}

static bool
is_conflict(const zmap_put_req *req)
{
    return req->when != ZMAP_ALWAYS && (req->err.code == NC_EOBJECT || req->err.code == NC_ENOOBJECT);
}

static void
put_objects(object_put *objects, size_t n, zmap_put_req *puts, bool last_try)
{
    zmap  *map = objects[0].engine->map;
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

/* ---- 5. end ---- */

static void
end_object(object_put *o)
{
    ncz_chunk_spill_unmap(o->map, o->map_bytes);
    ncz_chunk_staged_end(o->engine, o->staged, o->taken, o->err.code == NC_NOERR);
    ncz_free(o->slots);
    ncz_free(o->parts);
    ncz_free(o->taken);
    ncz_buf_clear(&o->key_room);
    ncz_buf_clear(&o->old);
    ncz_buf_clear(&o->fresh);
    ncz_free(o->pieces);
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

/* Stores one object where workers call the store. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    (void)scratch;
    store_all((object_put *)arg + i, 1);
}

int
ncz_chunk_store_objects(ncz_engine *e, ncz_chunk_staged *const *staged, size_t n)
{
    object_put *objects, one;
    ncz_err     first = {.code = NC_NOERR};

    if ((objects = n == 1 ? &one : ncz_alloc_n(n, sizeof *objects)) == NULL) {
        ncz_err_save(&first, ncz_fail_nomem(n * sizeof *objects));
        for (size_t i = 0; i < n; i++)
            ncz_chunk_staged_end(e, staged[i], NULL, false);
        return ncz_err_adopt(&first);
    }
    for (size_t i = 0; i < n; i++)
        begin_object(&objects[i], e, staged[i]);
    if (ncz_chunk_from_workers(e))
        ncz_pool_each(n, SIZE_MAX, work_store, objects);
    else if (n > 0)
        store_all(objects, n);
    for (size_t i = 0; i < n; i++) {
        if (first.code == NC_NOERR)
            first = objects[i].err;
        end_object(&objects[i]);
    }
    if (objects != &one)
        ncz_free(objects);
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
