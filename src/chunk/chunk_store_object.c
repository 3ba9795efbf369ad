/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_object: stores objects. An object is one chunk, just encoded, or holds several. Those are encoded and
 * staged (chunk_staging.c), and the object is put once, however many of its chunks are staged:
 *
 *  1. take references to the staged chunks; or take the encoded chunk (chunk_object_put.c)
 *  2. unless they are all of the object's chunks: get what the object keeps (chunk_keep.c). An object of one chunk
 *     keeps elements of it, and is only read if the chunk's version is unknown, or no longer the one stored
 *  3. merge the chunks of which another writer has changed other elements (chunk_merge.c)
 *  4. assemble it from those bytes and, for the other chunks, the stored bytes; without copying them, where the
 *     store takes parts; a large one else in a temporary file (chunk_assemble.c). Leave out chunks that hold only fill
 *  5. put it if it is still the version that was read, where the store can check that; else begin again at 2, since
 *     another writer has changed other chunks or elements of it. Delete an object without chunks
 *  6. drop the stored chunks from the stage. After a failure they stay there, or dirty
 *
 * A chunk that is narrower than its array (chunk_narrow.c) is stored by the same steps: it keeps all its elements.
 *
 * No other thread of this engine stores the object meanwhile. Chunks that are staged meanwhile stay staged.
 */
#include "chunk/chunk_store.h"

#include <string.h>

enum { TRIES = 64 }; /* for one object that other writers keep changing */

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
    return o->pending && !o->changed && !o->empty && !o->drafted;
}

static void
publish_draft(ncz_object_put *o)
{
    zmap_put_req put = put_req(o);
    int          rc;
    bool         conflict = ncz_object_put_publish_draft(o, &put, &rc);

    take_outcome(o, rc, conflict);
}

/* Lists the puts and the deletions. Does at once what goes alone: drafts, and deletions on condition. */
static void
list_changes(ncz_object_put *objects, size_t n, changes *c)
{
    c->nputs = c->nkeys = 0;
    for (size_t i = 0; i < n; i++) {
        if (to_put(&objects[i]))
            c->puts[c->nputs++] = put_req(&objects[i]);
        else if (objects[i].pending && !objects[i].changed && objects[i].drafted)
            publish_draft(&objects[i]);
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

/* ---- all steps ---- */

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
        ncz_object_put_assemble(objects, 0, scratch);
        return;
    }
    for (size_t i = 0; i < n; i++)
        work += objects[i].pending && (!objects[i].plain || objects[i].read);
    ncz_pool_each(n, work, ncz_object_put_assemble, objects);
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
    ncz_object_put_end(&o);
    return o.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&o.err);
}

/* Stores one object where workers call the store. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;

    store_all(o->engine, o, 1, scratch);
    ncz_object_put_end(o);
}

/* How many objects are stored together: as many as are not too much memory while they are read and assembled. */
static size_t
group_of(const ncz_object_put *objects, size_t n)
{
    size_t i = 0, nbytes, total = 0;

    for (; i < n && (i == 0 || total <= NCZ_CHUNK_BATCH_BYTES); i++) {
        const ncz_object_put *o = &objects[i];

        if (!o->pending || (!o->read && (o->plain || ncz_object_put_takes_parts(o))))
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
                ncz_object_put_end(&objects[k]);
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
        ncz_object_put_begin_staged(&objects[i], e, staged[i]);
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
            ncz_object_put_begin_wider(&objects[k], e, spec, indexes + (i + k) * w);
        rc = store_begun(e, objects, most);
    }
    ncz_free(objects);
    return rc;
}
