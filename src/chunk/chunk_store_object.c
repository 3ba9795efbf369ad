/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_object: stores objects that hold several chunks. Each object is put once, however many of its chunks
 * are staged (chunk_staging.c):
 *
 *  1. take references to the staged chunks
 *  2. unless they are all of the object's chunks: get what the object keeps (chunk_keep.c)
 *  3. merge the staged chunks of which another writer has changed other elements (chunk_merge_part.c)
 *  4. assemble it from the staged bytes and, for the other chunks, the stored bytes; without copying them, where the
 *     store takes parts; a large one else in a temporary file. Leave out chunks that hold only fill
 *  5. put it if it is still the version that was read, where the store can check that; else begin again at 2, since
 *     another writer has changed other chunks of it. Delete an object without chunks
 *  6. drop the stored chunks from the stage. After a failure they stay there
 *
 * No other thread of this engine stores the object meanwhile. Chunks that are staged meanwhile stay staged.
 */
#include "chunk/chunk_object_put.h"

#include <string.h>

enum { TRIES = 32 }; /* for one object that other writers keep changing */

/* ---- 1. take the staged chunks ---- */

static int
map_spilled(ncz_object_put *o)
{
    const ncz_chunk_spill *file = &o->engine->staging.spill;
    bool                   any = false;

    for (size_t i = 0; i < o->spec->layout->nslots && !any; i++)
        any = o->taken[i] != NULL && ncz_chunk_part_spilled(o->taken[i]);
    if (!any)
        return NC_NOERR;
    (void)pthread_mutex_lock(&o->engine->lock);
    o->map_bytes = file->end;
    (void)pthread_mutex_unlock(&o->engine->lock);
    return ncz_chunk_spill_map(file, o->map_bytes, &o->map);
}

static int
prepare_object(ncz_object_put *o)
{
    size_t         n = o->spec->layout->nslots;
    ncz_chunk_addr where;
    int            rc;

    if ((o->slots = ncz_zalloc_n(n, sizeof *o->slots)) == NULL ||
        (o->parts = ncz_zalloc_n(n, sizeof *o->parts)) == NULL ||
        (o->taken = ncz_zalloc_n(n, sizeof(ncz_chunk_part *))) == NULL)
        return ncz_fail_nomem(n * (sizeof *o->slots + sizeof *o->parts + sizeof(ncz_chunk_part *)));
    o->read = !ncz_chunk_staged_take(o->engine, o->staged, o->taken);
    if ((rc = ncz_spec_locate(o->spec, o->staged->first, &o->key_room, &where)) != NC_NOERR)
        return rc;
    o->key = where.key;
    return map_spilled(o);
}

static void
begin_object(ncz_object_put *o, ncz_engine *e, ncz_chunk_staged *s)
{
    int rc;

    *o = (ncz_object_put){.engine = e, .staged = s, .spec = s->spec, .there = true, .pending = true};
    if ((rc = prepare_object(o)) != NC_NOERR)
        ncz_object_put_fail(o, rc);
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
    size_t          n = spec->layout->nslots, nindex;
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

    for (size_t k = 0; k < o->spec->layout->nslots && fits; k++)
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

/* Makes the new object out of the bytes of its chunks. */
static int
make_object(ncz_object_put *o)
{
    const ncz_spec *spec = o->spec;
    int             rc;

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
 * check that when it deletes.
 */
static bool
stays_empty(const ncz_object_put *o)
{
    return o->read && o->there && o->engine->conditions && !o->engine->del_match;
}

static void
assemble_object(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;
    int             rc;

    if (!o->pending || o->changed)
        return;
    rc = ncz_object_put_merge(o, scratch);
    o->empty = true;
    for (size_t k = 0; k < o->spec->layout->nslots && rc == NC_NOERR; k++) {
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

/* Without unchanged chunks or elements the put is unconditional: it cannot lose another writer's changes. */
static zmap_put_req
put_req(const ncz_object_put *o)
{
    zmap_when    when = ZMAP_ALWAYS;
    zmap_put_req req = {.key = o->key, .data = ncz_buf_str(&o->fresh), .len = o->fresh.len, .version = o->version};

    if (o->read && o->engine->conditions && !o->there)
        when = ZMAP_IF_ABSENT;
    if (o->read && o->engine->conditions && o->there && o->version[0] != '\0')
        when = ZMAP_IF_MATCH;
    req.when = when;
    if (o->pieces != NULL) {
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

/* Deletes an object that has no chunk any more, on the same condition. *conflict: another writer has changed it. */
static int
delete_object(const ncz_object_put *o, bool *conflict)
{
    int rc;

    *conflict = false;
    if (!o->there)
        return NC_NOERR;
    if (!o->read || !o->engine->conditions || o->version[0] == '\0')
        return zmap_del(o->engine->map, &o->key, 1);
    rc = zmap_del_match(o->engine->map, o->key, o->version);
    *conflict = rc == NC_EOBJECT || rc == NC_ENOOBJECT;
    return rc;
}

/* After a conflict the object stays pending, and the caller reads it again and retries. */
static void
take_outcome(ncz_object_put *o, int rc, bool conflict, bool last_try)
{
    if (rc == NC_NOERR)
        o->pending = false;
    else if (!conflict || last_try)
        ncz_object_put_fail(o, rc);
}

static void
put_objects(ncz_object_put *objects, size_t n, zmap_put_req *puts, bool last_try)
{
    ncz_object_put *o;
    size_t          nputs = 0;
    bool            conflict;
    int             rc;

    for (size_t i = 0; i < n; i++) {
        o = &objects[i];
        if (!o->pending || o->changed)
            continue;
        if (!o->empty) {
            puts[nputs++] = put_req(o);
        } else {
            rc = delete_object(o, &conflict);
            take_outcome(o, rc, conflict, last_try);
        }
    }
    if (nputs > 0)
        ncz_chunk_put_batch(objects[0].engine, puts, nputs);
    nputs = 0;
    for (size_t i = 0; i < n; i++) {
        const zmap_put_req *req = &puts[nputs];

        o = &objects[i];
        if (!o->pending || o->changed || o->empty)
            continue;
        nputs++;
        memcpy(o->stored, req->stored, sizeof o->stored);
        rc = req->err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&req->err);
        take_outcome(o, rc, ncz_chunk_put_conflicts(req), last_try);
    }
}

/* ---- 6. end ---- */

static void
end_object(ncz_object_put *o)
{
    if (o->err.code == NC_NOERR)
        ncz_object_put_settle(o);
    ncz_object_put_drop_merged(o);
    ncz_chunk_spill_unmap(o->map, o->map_bytes);
    ncz_chunk_staged_end(o->engine, o->staged, o->taken, o->err.code == NC_NOERR);
    ncz_free(o->slots);
    ncz_free(o->parts);
    ncz_free(o->taken);
    ncz_buf_clear(&o->key_room);
    ncz_buf_clear(&o->old);
    ncz_chunk_temp_close(&o->carried);
    ncz_chunk_temp_close(&o->made);
    ncz_buf_clear(&o->fresh);
    ncz_free(o->pieces);
}

/* Runs steps 2 to 5. */
static void
store_all(ncz_object_put *objects, size_t n)
{
    zmap_get_req *gets = ncz_alloc_n(n, sizeof *gets);
    zmap_put_req *puts = ncz_alloc_n(n, sizeof *puts);
    bool          pending = true;

    for (size_t i = 0; i < n && (gets == NULL || puts == NULL); i++)
        if (objects[i].pending)
            ncz_object_put_fail(&objects[i], ncz_fail_nomem(n * (sizeof *gets + sizeof *puts)));
    for (int tries = 0; pending && gets != NULL && puts != NULL; tries++) {
        if (tries > 0)
            ncz_chunk_pause_writer(objects, tries);
        ncz_object_put_read(objects, n, gets);
        ncz_pool_each(n, SIZE_MAX, assemble_object, objects);
        put_objects(objects, n, puts, tries == TRIES);
        pending = false;
        for (size_t i = 0; i < n; i++) {
            ncz_object_put *o = &objects[i];

            if (o->pending && tries == TRIES) /* after a conflict put_objects() has failed it */
                ncz_object_put_fail(o, ncz_fail(NC_EOBJECT,
                                                "%s: other writers replaced it %d times while it was "
                                                "being read; the change is kept, and the next flush "
                                                "tries again",
                                                o->key, TRIES));
            pending = pending || o->pending;
        }
    }
    ncz_free(gets);
    ncz_free(puts);
}

/* Stores one object where workers call the store. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;

    (void)scratch;
    store_all(o, 1);
    end_object(o);
}

/* How many objects are stored together: as many as are not too much memory while they are read and assembled. */
static size_t
group_of(const ncz_object_put *objects, size_t n)
{
    size_t i = 0, nbytes, total = 0;

    for (; i < n && (i == 0 || total <= NCZ_CHUNK_BATCH_BYTES); i++) {
        const ncz_object_put *o = &objects[i];

        if (!ncz_mul(o->spec->layout->nslots, o->spec->chunk_bytes, &nbytes) || nbytes > o->engine->keep_whole)
            nbytes = o->engine->keep_whole;
        if (o->read || !takes_pieces(o))
            total += nbytes; /* cannot overflow: the sum ends at a few times that */
    }
    return i;
}

int
ncz_chunk_store_objects(ncz_engine *e, ncz_chunk_staged *const *staged, size_t n)
{
    ncz_object_put *objects, one;
    ncz_err         first = {.code = NC_NOERR};

    if ((objects = n == 1 ? &one : ncz_alloc_n(n, sizeof *objects)) == NULL) {
        ncz_err_save(&first, ncz_fail_nomem(n * sizeof *objects));
        for (size_t i = 0; i < n; i++)
            ncz_chunk_staged_end(e, staged[i], NULL, false);
        return ncz_err_adopt(&first);
    }
    for (size_t i = 0; i < n; i++)
        begin_object(&objects[i], e, staged[i]);
    if (ncz_chunk_from_workers(e)) {
        ncz_pool_each(n, SIZE_MAX, work_store, objects);
    } else {
        for (size_t i = 0, group; i < n; i += group) {
            group = group_of(&objects[i], n - i);
            store_all(&objects[i], group);
            for (size_t k = i; k < i + group; k++)
                end_object(&objects[k]);
        }
    }
    for (size_t i = 0; i < n && first.code == NC_NOERR; i++)
        first = objects[i].err;
    if (objects != &one)
        ncz_free(objects);
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
