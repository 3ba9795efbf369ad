/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_store: stores objects. An object is one chunk, just encoded, or holds several. Those are encoded and
 * staged (object_staging.c), and the object is put once, however many of its chunks are staged:
 *
 *  1. take references to the staged chunks; or take the encoded chunk (object_put.c)
 *  2. unless they are all of the object's chunks: get what the object keeps (object_read_kept.c). An object of one
 *     chunk keeps elements of it, and is only read if the chunk's version is unknown, or no longer the one stored
 *  3. merge the chunks of which another writer has changed other elements (object_merge.c)
 *  4. assemble it from those bytes and, for the other chunks, the stored bytes; without copying them, where the
 *     store takes parts; a large one else in a temporary file (object_assemble.c). Leave out chunks that hold only fill
 *  5. put it if it is still the version that was read, where the store can check that; else begin again at 2, since
 *     another writer has changed other chunks or elements of it. Delete an object without chunks
 *  6. drop the stored chunks from the stage. After a failure they stay there, or dirty
 *
 * A chunk that is narrower than its array (cells_short_strings.c) is stored by the same steps: it keeps all its
 * elements.
 *
 * No other thread of this engine stores the object meanwhile. Chunks that are staged meanwhile stay staged.
 */
#include "object/object_put.h"
#include "object/object_requests.h"
#include "object/object_staging.h"
#include "object/object_store.h"

#include <string.h>

enum { TRIES = 64 }; /* for one object that other writers keep changing */

/* ---- 5. put ---- */

/* Whether the object is put or deleted on condition. One that keeps nothing cannot lose another writer's changes. */
static bool
is_conditional(const ncz_object_put *o)
{
    return o->partial && o->objects->cells->conditions && (!o->there || o->version[0] != '\0');
}

static zmap_put_req
put_req(const ncz_object_put *o)
{
    zmap_put_req req = {.key = o->key, .data = ncz_buf_str(&o->fresh), .len = o->fresh.len, .version = o->version};

    if (is_conditional(o))
        req.when = o->there ? ZMAP_IF_MATCH : ZMAP_IF_ABSENT;
    if (o->plain) {
        req.data = o->encoded[0].data;
        req.len = o->encoded[0].nbytes;
    } else if (o->parts != NULL) {
        req.data = NULL;
        req.len = o->nbytes;
        req.parts = o->parts;
        req.nparts = o->nparts;
    } else if (o->made.mapped != NULL) {
        req.data = o->made.mapped;
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
        rc = zmap_del_match(o->objects->map, o->key, o->version);
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
list_changes(ncz_object_put *puts, size_t n, changes *c)
{
    c->nputs = c->nkeys = 0;
    for (size_t i = 0; i < n; i++) {
        if (to_put(&puts[i]))
            c->puts[c->nputs++] = put_req(&puts[i]);
        else if (puts[i].pending && !puts[i].changed && puts[i].drafted)
            publish_draft(&puts[i]);
        else if (puts[i].pending && !puts[i].changed)
            delete_object(&puts[i], c);
    }
}

/* `deleted`: the status of all deletions. Deleting again is harmless. True: some objects are pending again. */
static bool
take_outcomes(ncz_object_put *puts, size_t n, const changes *c, int deleted)
{
    const zmap_put_req *put = c->puts;
    bool                pending = false;

    for (size_t i = 0; i < n; i++) {
        ncz_object_put *o = &puts[i];

        if (to_put(o)) {
            memcpy(o->stored, put->stored, sizeof o->stored);
            if (ncz_object_put_conflicts(put))
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
fail_pending(ncz_object_put *puts, size_t n, int rc)
{
    for (size_t i = 0; i < n; i++)
        if (puts[i].pending)
            ncz_object_put_fail(&puts[i], rc);
}

/* Other writers were faster each time. */
static void
give_up(ncz_object_put *puts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (puts[i].pending)
            ncz_object_put_fail(
                &puts[i], ncz_fail(NC_EOBJECT,
                                   "%s: other writers replaced it %d times while a part of it was being stored; "
                                   "the change is kept, and the next flush tries again",
                                   puts[i].key, TRIES));
}

/* Assembles them: one on this thread, others on as many as there is work for. */
static void
assemble_all(ncz_object_put *puts, size_t n, ncz_scratch *scratch)
{
    size_t work = 0;

    if (scratch != NULL) {
        ncz_object_put_assemble(puts, 0, scratch);
        return;
    }
    for (size_t i = 0; i < n; i++)
        work += puts[i].pending && (!puts[i].plain || puts[i].read);
    ncz_pool_each(n, work, ncz_object_put_assemble, puts);
}

/* Runs steps 2 to 5. With a scratch it is one object; else several threads assemble. */
static void
store_all(ncz_objects *objects, ncz_object_put *puts, size_t n, ncz_scratch *scratch)
{
    zmap_get_req get, *gets = n == 1 ? &get : ncz_alloc_n(n, sizeof *gets);
    zmap_put_req put;
    const char  *key;
    changes      c = {.puts = n == 1 ? &put : ncz_alloc_n(n, sizeof *c.puts),
                      .keys = n == 1 ? &key : ncz_alloc_n(n, sizeof *c.keys)};
    bool         pending = gets != NULL && c.puts != NULL && c.keys != NULL;

    if (!pending)
        fail_pending(puts, n, ncz_fail_nomem(n * (sizeof *gets + sizeof *c.puts + sizeof *c.keys)));
    for (int tries = 0; pending && tries <= TRIES; tries++) {
        int deleted = NC_NOERR;

        if (tries > 1)
            ncz_object_pause_writer(puts, tries - 1);
        ncz_object_read_kept(objects, puts, n, gets);
        assemble_all(puts, n, scratch);
        list_changes(puts, n, &c);
        if (c.nputs > 0) {
            (void)zmap_put_batch(objects->map, c.puts, c.nputs); /* each request has its own status */
            ncz_object_put_again(objects, c.puts, c.nputs);
        }
        if (c.nkeys > 0)
            deleted = zmap_del(objects->map, c.keys, c.nkeys);
        pending = take_outcomes(puts, n, &c, deleted);
    }
    give_up(puts, n);
    if (n > 1) {
        ncz_free(gets);
        ncz_free(c.puts);
        ncz_free(c.keys);
    }
}

int
ncz_object_store_chunk(ncz_objects *objects, ncz_object_item *item, ncz_scratch *scratch)
{
    ncz_object_put o;
    int            rc = ncz_object_put_begin(&o, objects, item, ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0),
                                             ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0), scratch);

    if (rc != NC_NOERR || o.objects == NULL)
        return rc;
    store_all(objects, &o, 1, scratch);
    ncz_object_put_end(&o);
    return o.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&o.err);
}

/* Stores one object where workers call the store. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;

    store_all(o->objects, o, 1, scratch);
    ncz_object_put_end(o);
}

/* How many objects are stored together: as many as are not too much memory while they are read and assembled. */
static size_t
group_of(const ncz_object_put *puts, size_t n)
{
    size_t i = 0, nbytes, total = 0;

    for (; i < n && (i == 0 || total <= NCZ_OBJECT_BATCH_BYTES); i++) {
        const ncz_object_put *o = &puts[i];

        if (!o->pending || (!o->read && (o->plain || ncz_object_put_takes_parts(o))))
            continue;
        if (!ncz_mul(o->nslots, o->spec->chunk_bytes, &nbytes) || nbytes > o->objects->keep_whole)
            nbytes = o->objects->keep_whole;
        total += nbytes; /* cannot overflow: the sum ends at a few times that */
    }
    return i;
}

void
ncz_object_store_all(ncz_objects *objects, ncz_object_put *puts, size_t n)
{
    for (size_t i = 0, group; i < n; i += group) {
        group = group_of(&puts[i], n - i);
        store_all(objects, &puts[i], group, NULL);
        for (size_t k = i; k < i + group; k++)
            if (puts[k].objects != NULL)
                ncz_object_put_end(&puts[k]);
    }
}

/* Stores objects that have begun, and returns the first failure. */
static int
store_begun(ncz_objects *objects, ncz_object_put *puts, size_t n)
{
    if (ncz_object_from_workers(objects))
        ncz_pool_each(n, SIZE_MAX, work_store, puts);
    else
        ncz_object_store_all(objects, puts, n);
    for (size_t i = 0; i < n; i++)
        if (puts[i].err.code != NC_NOERR)
            return ncz_err_adopt(&puts[i].err);
    return NC_NOERR;
}

int
ncz_object_store_staged(ncz_objects *objects, ncz_staged_object *const *staged, size_t n)
{
    ncz_object_put *puts, one;
    ncz_err         first;
    int             rc;

    if ((puts = n == 1 ? &one : ncz_alloc_n(n, sizeof *puts)) == NULL) {
        ncz_err_save(&first, ncz_fail_nomem(n * sizeof *puts));
        for (size_t i = 0; i < n; i++)
            ncz_object_staging_end(objects, staged[i], NULL, false);
        return ncz_err_adopt(&first);
    }
    for (size_t i = 0; i < n; i++)
        ncz_object_put_begin_staged(&puts[i], objects, staged[i]);
    rc = store_begun(objects, puts, n);
    if (puts != &one)
        ncz_free(puts);
    return rc;
}

int
ncz_object_widen(ncz_objects *objects, const ncz_spec *spec, const uint64_t *indexes, size_t n)
{
    size_t          w = spec->rank == 0 ? 1 : spec->rank, most = n < NCZ_OBJECT_BATCH ? n : NCZ_OBJECT_BATCH;
    ncz_object_put *puts = ncz_alloc_n(most, sizeof *puts);
    int             rc = puts != NULL ? NC_NOERR : ncz_fail_nomem(most * sizeof *puts);

    for (size_t i = 0; rc == NC_NOERR && i < n; i += most) {
        most = n - i < most ? n - i : most;
        for (size_t k = 0; k < most; k++)
            ncz_object_put_begin_wider(&puts[k], objects, spec, indexes + (i + k) * w);
        rc = store_begun(objects, puts, most);
    }
    ncz_free(puts);
    return rc;
}
