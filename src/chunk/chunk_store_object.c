/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_object: stores objects. An object is one chunk, just encoded, or holds several. Those are encoded and
 * staged (chunk_staging.c), and the object is put once, however many of its chunks are staged:
 *
 *  1. take references to the staged chunks; or take the encoded chunk
 *  2. unless they are all of the object's chunks: get what the object keeps (chunk_keep.c). An object of one chunk
 *     keeps elements of it, and is only read if the chunk's version is unknown, or no longer the one stored
 *  3. merge the chunks of which another writer has changed other elements (chunk_merge.c)
 *  4. assemble it from those bytes and, for the other chunks, the stored bytes; without copying them, where the
 *     store takes parts; a large one else in a temporary file. Leave out chunks that hold only fill
 *  5. put it if it is still the version that was read, where the store can check that; else begin again at 2, since
 *     another writer has changed other chunks or elements of it. Delete an object without chunks
 *  6. drop the stored chunks from the stage. After a failure they stay there, or dirty
 *
 * No other thread of this engine stores the object meanwhile. Chunks that are staged meanwhile stay staged.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 64 }; /* for one object that other writers keep changing */

void
ncz_object_put_fail(ncz_object_put *o, int rc)
{
    ncz_err_save(&o->err, rc);
    o->pending = false;
}

ncz_slot_bytes
ncz_object_put_part_bytes(const ncz_object_put *o, const ncz_chunk_part *p)
{
    if (p->gone)
        return (ncz_slot_bytes){.data = NULL};
    return (ncz_slot_bytes){p->data != NULL ? p->data : (const char *)o->map + p->spilled, p->nbytes};
}

/* ---- 1. take the chunks ---- */

static int
map_spilled(ncz_object_put *o)
{
    const ncz_chunk_spill *file = &o->engine->staging.spill;
    bool                   any = false;

    for (size_t i = 0; i < o->nslots && !any; i++)
        any = o->taken[i] != NULL && ncz_chunk_part_spilled(o->taken[i]);
    if (!any)
        return NC_NOERR;
    (void)pthread_mutex_lock(&o->engine->lock);
    o->map_bytes = file->end;
    (void)pthread_mutex_unlock(&o->engine->lock);
    return ncz_chunk_spill_map(file, o->map_bytes, &o->map);
}

static int
take_staged(ncz_object_put *o)
{
    size_t         n = o->nslots;
    ncz_chunk_addr where;
    int            rc;

    if ((o->slots = ncz_zalloc_n(n, sizeof *o->slots)) == NULL ||
        (o->parts = ncz_zalloc_n(n, sizeof *o->parts)) == NULL ||
        (o->taken = ncz_zalloc_n(n, sizeof(ncz_chunk_part *))) == NULL)
        return ncz_fail_nomem(n * (sizeof *o->slots + sizeof *o->parts + sizeof(ncz_chunk_part *)));
    o->partial = o->read = !ncz_chunk_staged_take(o->engine, o->staged, o->taken);
    if ((rc = ncz_spec_locate(o->spec, o->staged->first, &o->key_room, &where)) != NC_NOERR)
        return rc;
    o->key = where.key;
    return map_spilled(o);
}

/* An object of several chunks. */
static void
begin_staged(ncz_object_put *o, ncz_engine *e, ncz_chunk_staged *s)
{
    int rc;

    *o = (ncz_object_put){
        .engine = e, .staged = s, .spec = s->spec, .nslots = s->spec->layout->nslots, .there = true, .pending = true};
    if ((rc = take_staged(o)) != NC_NOERR)
        ncz_object_put_fail(o, rc);
}

/* `taken`, `slots` and `parts` of an object that is one chunk. */
static void
set_plain(ncz_object_put *o, ncz_chunk_part *taken)
{
    o->plain = true;
    o->nslots = 1;
    o->one.taken = taken;
    o->taken = &o->one.taken;
    o->slots = &o->one.slot;
    o->parts = &o->one.bytes;
}

/* An object that is one chunk, just encoded. */
static void
begin_chunk(ncz_object_put *o, ncz_engine *e, ncz_chunk_store_item *item, const char *key)
{
    const ncz_chunk *chunk = item->chunk;

    *o = (ncz_object_put){.engine = e,
                          .item = item,
                          .spec = chunk->spec,
                          .key = key,
                          .there = !chunk->absent && chunk->spec->chunk_bytes > 0,
                          .partial = chunk->ours != NULL,
                          .pending = true};
    o->one.part = (ncz_chunk_part){.gone = item->gone,
                                   .data = (char *)(uintptr_t)item->encoded,
                                   .nbytes = item->nbytes,
                                   .ours = chunk->ours,
                                   .absent = chunk->absent,
                                   .version = chunk->version};
    set_plain(o, &o->one.part);
    o->read = o->partial && o->there && e->conditions && chunk->version == NULL;
    if (chunk->version != NULL)
        (void)snprintf(o->version, sizeof o->version, "%s", chunk->version);
}

/* An object that is one chunk, which is stored again if it is narrower than its array. */
static void
begin_widening(ncz_object_put *o, ncz_engine *e, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk_addr where;
    int            rc;

    *o = (ncz_object_put){.engine = e, .spec = spec, .there = true, .partial = true, .read = true, .pending = true};
    set_plain(o, NULL);
    if ((rc = ncz_spec_locate(spec, index, &o->key_room, &where)) != NC_NOERR)
        ncz_object_put_fail(o, rc);
    o->key = where.key;
}

int
ncz_object_put_begin(ncz_object_put *o, ncz_engine *e, ncz_chunk_store_item *item, ncz_buf *key, ncz_buf *body,
                     ncz_scratch *scratch)
{
    ncz_chunk_staged *full;
    ncz_chunk_addr    where;
    int               rc;

    o->engine = NULL;
    if ((rc = ncz_chunk_encode(e, item, key, body, scratch, &where)) != NC_NOERR)
        return rc;
    if (where.slot == NCZ_NO_SLOT)
        begin_chunk(o, e, item, where.key);
    else if ((rc = ncz_chunk_stage(e, item, body, &full)) == NC_NOERR && full != NULL)
        begin_staged(o, e, full);
    return rc;
}

/* ---- 4. assemble ---- */

/* The bytes of a slot: merged, or staged, or else stored. */
static ncz_slot_bytes
slot_bytes(const ncz_object_put *o, size_t slot)
{
    if (o->merged != NULL && o->merged[slot] != NULL)
        return ncz_object_put_part_bytes(o, o->merged[slot]);
    if (o->taken[slot] != NULL)
        return ncz_object_put_part_bytes(o, o->taken[slot]);
    if (o->slots[slot].length == 0)
        return (ncz_slot_bytes){.data = NULL};
    return (ncz_slot_bytes){o->kept + o->slots[slot].offset, (size_t)o->slots[slot].length};
}

/* Lists the object's bytes: its chunks, in the order of their slots, after or before its index. */
static int
list_pieces(ncz_object_put *o)
{
    const ncz_spec *spec = o->spec;
    size_t          n = o->nslots, nindex;
    bool            at_end;
    zmap_part       index;
    int             rc;

    if ((rc = ncz_chunk_index_range(spec, o->key, &nindex, &at_end)) != NC_NOERR ||
        (rc = spec->layout->ops->make_index(spec->layout, o->parts, &o->fresh)) != NC_NOERR)
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
takes_pieces(const ncz_object_put *o)
{
    return (zmap_caps_of(o->engine->map) & ZMAP_CAN_PARTS) != 0 && o->spec->layout->ops->make_index != NULL;
}

/* Whether the new object is too large to be made in memory. */
static bool
needs_file(const ncz_object_put *o)
{
    size_t n = 0;
    bool   fits = true;

    for (size_t k = 0; k < o->nslots && fits; k++)
        fits = o->parts[k].data == NULL || (ncz_add(n, o->parts[k].nbytes, &n) && n <= o->engine->keep_whole);
    return !fits && o->spec->layout->ops->make_index != NULL && !o->no_temp;
}

/* Makes the object in a temporary file, from its pieces. Sets no_temp where there is no room for it. */
static int
make_in_file(ncz_object_put *o)
{
    uint64_t at = 0;
    int      rc = list_pieces(o);

    for (size_t i = 0; i < o->npieces && rc == NC_NOERR && !o->no_temp; at += o->pieces[i++].len)
        o->no_temp = !ncz_chunk_spill_write(&o->made.file, o->pieces[i].data, o->pieces[i].len, at);
    ncz_free(o->pieces);
    o->pieces = NULL;
    return rc != NC_NOERR || o->no_temp ? rc : ncz_chunk_temp_map(&o->made, at);
}

/* Makes the new object out of the bytes of its chunks. One chunk is the object. */
static int
make_object(ncz_object_put *o)
{
    const ncz_spec *spec = o->spec;
    int             rc;

    if (o->plain)
        return NC_NOERR;
    ncz_buf_reset(&o->fresh);
    ncz_chunk_temp_unmap(&o->made);
    if (takes_pieces(o))
        return list_pieces(o);
    if (needs_file(o) && ((rc = make_in_file(o)) != NC_NOERR || !o->no_temp))
        return rc;
    ncz_buf_reset(&o->fresh);
    return spec->layout->ops->assemble(spec->layout, o->parts, &o->fresh);
}

/*
 * Whether an object without chunks is put instead of deleted: another writer may have put chunks, and the store cannot
 * check that when it deletes. (Where one chunk is the object, ncz_chunk_encode() encodes its fill then.)
 */
static bool
stays_empty(const ncz_object_put *o)
{
    return !o->plain && o->partial && o->there && o->engine->conditions && !o->engine->del_match;
}

static void
assemble_object(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;
    int             rc = NC_NOERR;

    if (!o->pending || o->changed)
        return;
    if (o->read)
        rc = ncz_object_put_merge(o, scratch);
    if (rc == NC_NOERR && o->plain && o->item == NULL && o->merged == NULL) { /* it is as wide as the array */
        o->pending = false;
        return;
    }
    o->empty = true;
    for (size_t k = 0; k < o->nslots && rc == NC_NOERR; k++) {
        o->parts[k] = slot_bytes(o, k);
        o->empty = o->empty && o->parts[k].data == NULL;
    }
    o->empty = o->empty && !stays_empty(o);
    if (rc == NC_NOERR && !o->empty)
        rc = make_object(o);
    if (rc != NC_NOERR)
        ncz_object_put_fail(o, rc);
}

/* ---- 5. put ---- */

/* Whether the object is put or deleted on condition. One that keeps nothing cannot lose another writer's changes. */
static bool
is_conditional(const ncz_object_put *o)
{
    return o->partial && o->engine->conditions && (!o->there || o->version[0] != '\0');
}

static zmap_put_req
put_req(const ncz_object_put *o)
{
    zmap_put_req req = {.key = o->key, .data = ncz_buf_str(&o->fresh), .len = o->fresh.len, .version = o->version};

    if (is_conditional(o))
        req.when = o->there ? ZMAP_IF_MATCH : ZMAP_IF_ABSENT;
    if (o->plain) {
        req.data = o->parts[0].data;
        req.len = o->parts[0].nbytes;
    } else if (o->pieces != NULL) {
        req.data = NULL;
        req.len = o->nbytes;
        req.parts = o->pieces;
        req.nparts = o->npieces;
    } else if (o->made.map != NULL) {
        req.data = o->made.map;
        req.len = (size_t)o->made.nbytes;
    }
    return req;
}

/* After a conflict the object stays pending, and is read again. */
static void
take_outcome(ncz_object_put *o, int rc, bool conflict)
{
    o->read = o->read || conflict;
    o->pending = conflict;
    if (rc != NC_NOERR && !conflict)
        ncz_object_put_fail(o, rc);
}

/* Puts, and keys of objects that are deleted without a condition. */
typedef struct changes {
    zmap_put_req *puts;
    const char  **keys;
    size_t        nputs, nkeys;
} changes;

/* Deletes an object that has no chunk any more; or lists it. */
static void
delete_object(ncz_object_put *o, changes *c)
{
    int rc;

    if (!o->there) {
        o->pending = false;
    } else if (is_conditional(o)) {
        rc = zmap_del_match(o->engine->map, o->key, o->version);
        take_outcome(o, rc, rc == NC_EOBJECT || rc == NC_ENOOBJECT);
    } else {
        o->deleting = true;
        c->keys[c->nkeys++] = o->key;
    }
}

static bool
to_put(const ncz_object_put *o)
{
    return o->pending && !o->changed && !o->empty;
}

/* Lists the puts and the deletions. Deletes at once what is deleted on condition. */
static void
list_changes(ncz_object_put *objects, size_t n, changes *c)
{
    c->nputs = c->nkeys = 0;
    for (size_t i = 0; i < n; i++) {
        if (to_put(&objects[i]))
            c->puts[c->nputs++] = put_req(&objects[i]);
        else if (objects[i].pending && !objects[i].changed)
            delete_object(&objects[i], c);
    }
}

/* `deleted`: the status of all deletions. Deleting again is harmless. True: some objects are pending again. */
static bool
take_outcomes(ncz_object_put *objects, size_t n, const changes *c, int deleted)
{
    const zmap_put_req *put = c->puts;
    bool                pending = false;

    for (size_t i = 0; i < n; i++) {
        ncz_object_put *o = &objects[i];

        if (to_put(o)) {
            memcpy(o->stored, put->stored, sizeof o->stored);
            if (ncz_chunk_put_conflicts(put))
                take_outcome(o, NC_EOBJECT, true);
            else
                take_outcome(o, put->err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&put->err), false);
            put++;
        } else if (o->pending && o->deleting) {
            take_outcome(o, deleted, false);
        }
        pending = pending || o->pending;
    }
    return pending;
}

/* ---- 6. end ---- */

static void
end_chunk(ncz_object_put *o)
{
    if (o->err.code != NC_NOERR)
        return;
    ncz_chunk_set_version(o->item->chunk, o->stored);
    o->item->gone = o->empty;
    o->item->merged = o->data;
    o->data = NULL;
}

static void
end_staged(ncz_object_put *o)
{
    if (o->err.code == NC_NOERR)
        ncz_object_put_settle(o);
    ncz_chunk_spill_unmap(o->map, o->map_bytes);
    ncz_chunk_staged_end(o->engine, o->staged, o->taken, o->err.code == NC_NOERR);
    ncz_free(o->slots);
    ncz_free(o->parts);
    ncz_free(o->taken);
    ncz_chunk_temp_close(&o->carried);
    ncz_chunk_temp_close(&o->made);
    ncz_buf_clear(&o->fresh);
    ncz_free(o->pieces);
}

static void
end_object(ncz_object_put *o)
{
    if (o->item != NULL)
        end_chunk(o);
    else if (o->staged != NULL)
        end_staged(o);
    ncz_object_put_drop_merged(o);
    ncz_buf_clear(&o->key_room);
    ncz_buf_clear(&o->old);
}

static void
fail_pending(ncz_object_put *objects, size_t n, int rc)
{
    for (size_t i = 0; i < n; i++)
        if (objects[i].pending)
            ncz_object_put_fail(&objects[i], rc);
}

/* Other writers were faster each time. */
static void
give_up(ncz_object_put *objects, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (objects[i].pending)
            ncz_object_put_fail(
                &objects[i], ncz_fail(NC_EOBJECT,
                                      "%s: other writers replaced it %d times while a part of it was being stored; "
                                      "the change is kept, and the next flush tries again",
                                      objects[i].key, TRIES));
}

/* Assembles them: one on this thread, others on as many as there is work for. */
static void
assemble_all(ncz_object_put *objects, size_t n, ncz_scratch *scratch)
{
    size_t work = 0;

    if (scratch != NULL) {
        assemble_object(objects, 0, scratch);
        return;
    }
    for (size_t i = 0; i < n; i++)
        work += objects[i].pending && (!objects[i].plain || objects[i].read);
    ncz_pool_each(n, work, assemble_object, objects);
}

/* Runs steps 2 to 5. With a scratch it is one object; else several threads assemble. */
static void
store_all(ncz_engine *e, ncz_object_put *objects, size_t n, ncz_scratch *scratch)
{
    zmap_get_req get, *gets = n == 1 ? &get : ncz_alloc_n(n, sizeof *gets);
    zmap_put_req put;
    const char  *key;
    changes      c = {.puts = n == 1 ? &put : ncz_alloc_n(n, sizeof *c.puts),
                      .keys = n == 1 ? &key : ncz_alloc_n(n, sizeof *c.keys)};
    bool         pending = gets != NULL && c.puts != NULL && c.keys != NULL;

    if (!pending)
        fail_pending(objects, n, ncz_fail_nomem(n * (sizeof *gets + sizeof *c.puts + sizeof *c.keys)));
    for (int tries = 0; pending && tries <= TRIES; tries++) {
        int deleted = NC_NOERR;

        if (tries > 1)
            ncz_chunk_pause_writer(objects, tries - 1);
        ncz_object_put_read(e, objects, n, gets);
        assemble_all(objects, n, scratch);
        list_changes(objects, n, &c);
        if (c.nputs > 0) {
            (void)zmap_put_batch(e->map, c.puts, c.nputs); /* each request has its own status */
            ncz_chunk_put_again(e, c.puts, c.nputs);
        }
        if (c.nkeys > 0)
            deleted = zmap_del(e->map, c.keys, c.nkeys);
        pending = take_outcomes(objects, n, &c, deleted);
    }
    give_up(objects, n);
    if (n > 1) {
        ncz_free(gets);
        ncz_free(c.puts);
        ncz_free(c.keys);
    }
}

int
ncz_chunk_store_one(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch)
{
    ncz_object_put o;
    int            rc = ncz_object_put_begin(&o, e, item, ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0),
                                             ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0), scratch);

    if (rc != NC_NOERR || o.engine == NULL)
        return rc;
    store_all(e, &o, 1, scratch);
    end_object(&o);
    return o.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&o.err);
}

/* Stores one object where workers call the store. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;

    store_all(o->engine, o, 1, scratch);
    end_object(o);
}

/* How many objects are stored together: as many as are not too much memory while they are read and assembled. */
static size_t
group_of(const ncz_object_put *objects, size_t n)
{
    size_t i = 0, nbytes, total = 0;

    for (; i < n && (i == 0 || total <= NCZ_CHUNK_BATCH_BYTES); i++) {
        const ncz_object_put *o = &objects[i];

        if (!o->pending || (!o->read && (o->plain || takes_pieces(o))))
            continue;
        if (!ncz_mul(o->nslots, o->spec->chunk_bytes, &nbytes) || nbytes > o->engine->keep_whole)
            nbytes = o->engine->keep_whole;
        total += nbytes; /* cannot overflow: the sum ends at a few times that */
    }
    return i;
}

void
ncz_object_put_all(ncz_engine *e, ncz_object_put *objects, size_t n)
{
    for (size_t i = 0, group; i < n; i += group) {
        group = group_of(&objects[i], n - i);
        store_all(e, &objects[i], group, NULL);
        for (size_t k = i; k < i + group; k++)
            if (objects[k].engine != NULL)
                end_object(&objects[k]);
    }
}

/* Stores objects that have begun, and returns the first failure. */
static int
store_begun(ncz_engine *e, ncz_object_put *objects, size_t n)
{
    if (ncz_chunk_from_workers(e))
        ncz_pool_each(n, SIZE_MAX, work_store, objects);
    else
        ncz_object_put_all(e, objects, n);
    for (size_t i = 0; i < n; i++)
        if (objects[i].err.code != NC_NOERR)
            return ncz_err_adopt(&objects[i].err);
    return NC_NOERR;
}

int
ncz_chunk_store_objects(ncz_engine *e, ncz_chunk_staged *const *staged, size_t n)
{
    ncz_object_put *objects, one;
    ncz_err         first;
    int             rc;

    if ((objects = n == 1 ? &one : ncz_alloc_n(n, sizeof *objects)) == NULL) {
        ncz_err_save(&first, ncz_fail_nomem(n * sizeof *objects));
        for (size_t i = 0; i < n; i++)
            ncz_chunk_staged_end(e, staged[i], NULL, false);
        return ncz_err_adopt(&first);
    }
    for (size_t i = 0; i < n; i++)
        begin_staged(&objects[i], e, staged[i]);
    rc = store_begun(e, objects, n);
    if (objects != &one)
        ncz_free(objects);
    return rc;
}

int
ncz_engine_widen_stored(ncz_engine *e, const ncz_spec *spec, const uint64_t *indexes, size_t n)
{
    size_t          w = spec->rank == 0 ? 1 : spec->rank, most = n < NCZ_CHUNK_BATCH ? n : NCZ_CHUNK_BATCH;
    ncz_object_put *objects = ncz_alloc_n(most, sizeof *objects);
    int             rc = objects != NULL ? NC_NOERR : ncz_fail_nomem(most * sizeof *objects);

    for (size_t i = 0; rc == NC_NOERR && i < n; i += most) {
        most = n - i < most ? n - i : most;
        for (size_t k = 0; k < most; k++)
            begin_widening(&objects[k], e, spec, indexes + (i + k) * w);
        rc = store_begun(e, objects, most);
    }
    ncz_free(objects);
    return rc;
}
