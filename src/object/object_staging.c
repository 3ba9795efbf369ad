/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_staging: encoded chunks that wait for the rest of their object. A chunk of an object that holds several is
 * first encoded and staged here, then its object is stored with all that is staged for it (object_store.c):
 * when its last chunk is staged, at a flush, or where memory and the spill file are used up.
 *
 * Staged chunks are newer than the stored object and older than a dirty chunk in the cache. A staged chunk never
 * changes; a newer one replaces it. Readers and a store hold references to it, so neither waits for the other.
 *
 * Invariant: the cache's `used` counts every staged object and the staged chunks that are in memory.
 *
 * There may be many objects (one step in time over many small shards), so no call looks at all of them, unless it
 * returns that many.
 */
#include "object/object_draft.h"
#include "object/object_hash.h"
#include "object/object_requests.h"
#include "object/object_spill.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_table.h"

#include <string.h>

/* ---- the table, under the lock ---- */

static bool
holds_chunk(const ncz_staged_object *s, const ncz_spec *spec, const uint64_t *index)
{
    if (s->spec->uid != spec->uid || s->spec->rank != spec->rank)
        return false;
    for (size_t d = 0; d < spec->rank; d++)
        if (s->first[d] / spec->layout->object[d] != index[d] / spec->layout->object[d])
            return false;
    return true;
}

static ncz_staged_object *
find_staged(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index)
{
    ncz_object_entry *at;

    if (objects->staging.hash.n == 0)
        return NULL;
    at = ncz_object_hash_first(&objects->staging.hash, ncz_object_hash_of(spec, index));
    while (at != NULL && !holds_chunk((ncz_staged_object *)at, spec, index))
        at = at->beside;
    return (ncz_staged_object *)at;
}

static void
list_del(ncz_object_staging *t, ncz_staged_object *s)
{
    if (t->unspilled == s)
        t->unspilled = s->newer;
    *(s->older != NULL ? &s->older->newer : &t->oldest) = s->newer;
    *(s->newer != NULL ? &s->newer->older : &t->newest) = s->older;
    s->older = s->newer = NULL;
}

static void
list_add(ncz_object_staging *t, ncz_staged_object *s)
{
    s->older = t->newest;
    *(t->newest != NULL ? &t->newest->newer : &t->oldest) = s;
    t->newest = s;
    if (t->unspilled == NULL)
        t->unspilled = s;
}

static void
count_complete(ncz_objects *objects, ncz_staged_object *s)
{
    bool complete = s->nchunks == s->needed && s->storing == NULL;

    objects->staging.ncomplete += complete;
    objects->staging.ncomplete -= s->complete;
    s->complete = complete;
}

static void
count_bytes(ncz_objects *objects, ncz_staged_object *s, ptrdiff_t nbytes)
{
    s->nbytes += (size_t)nbytes; /* two's complement, like the next two */
    objects->staging.nbytes += (size_t)nbytes;
    objects->cells->cache.used += (size_t)nbytes;
}

static int
add_staged(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_staged_object **out)
{
    size_t             nbytes = sizeof(ncz_staged_object) + spec->rank * sizeof(uint64_t);
    ncz_staged_object *s = ncz_zalloc(nbytes);
    ncz_staged_chunk **chunks = ncz_zalloc_n(spec->layout->nslots, sizeof *chunks);
    int                rc = NC_NOERR;

    if (s == NULL || chunks == NULL)
        rc = ncz_fail_nomem(nbytes + spec->layout->nslots * sizeof *chunks);
    else
        rc = ncz_object_hash_add(&objects->staging.hash, &s->entry, ncz_object_hash_of(spec, index));
    if (rc != NC_NOERR) {
        ncz_free(s);
        ncz_free(chunks);
        return rc;
    }
    s->spec = ncz_spec_ref((ncz_spec *)spec);
    s->chunks = chunks;
    for (size_t d = 0; d < spec->rank; d++)
        s->first[d] = index[d] - index[d] % spec->layout->object[d];
    s->needed = ncz_object_inside(spec, s->first);
    list_add(&objects->staging, s);
    count_bytes(objects, s, (ptrdiff_t)(nbytes + spec->layout->nslots * sizeof *chunks));
    *out = s;
    return NC_NOERR;
}

/* Removes the staged chunk of a slot. */
static void
clear_slot(ncz_objects *objects, ncz_staged_object *s, size_t slot)
{
    if (s->chunks[slot] == NULL)
        return;
    count_bytes(objects, s, -(ptrdiff_t)ncz_object_staged_bytes(s->chunks[slot]));
    s->nmemory -= s->chunks[slot]->data != NULL;
    s->nchunks--;
    ncz_object_staged_unref(objects, s->chunks[slot]);
    s->chunks[slot] = NULL;
    count_complete(objects, s);
}

static void
free_staged(ncz_objects *objects, ncz_staged_object *s)
{
    for (size_t i = 0; s->nchunks > 0; i++)
        clear_slot(objects, s, i);
    count_bytes(objects, s, -(ptrdiff_t)s->nbytes);
    ncz_object_hash_del(&objects->staging.hash, &s->entry);
    list_del(&objects->staging, s);
    ncz_object_draft_unref(objects, s->draft);
    ncz_spec_unref(s->spec);
    ncz_free(s->chunks);
    ncz_free(s);
}

/* Whether a thread other than the one that stores it needs it in the table. */
static bool
is_held(const ncz_staged_object *s)
{
    return s->spilling || s->holders > 0;
}

/* ---- staging and reading ---- */

int
ncz_object_staging_hold(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_staged_object **out)
{
    int rc;

    if ((*out = find_staged(objects, spec, index)) == NULL &&
        (rc = add_staged(objects, spec, index, out)) != NC_NOERR)
        return rc;
    (*out)->holders++;
    return NC_NOERR;
}

void
ncz_object_staging_release(ncz_objects *objects, ncz_staged_object *s)
{
    s->holders--;
    if (s->nchunks == 0 && s->storing == NULL && !is_held(s))
        free_staged(objects, s);
    (void)pthread_cond_broadcast(&objects->cells->changed);
}

void
ncz_object_staging_set(ncz_objects *objects, ncz_staged_object *s, size_t slot, ncz_staged_chunk *chunk)
{
    clear_slot(objects, s, slot);
    s->chunks[slot] = chunk;
    s->nchunks++;
    s->nmemory += chunk->data != NULL;
    count_bytes(objects, s, (ptrdiff_t)ncz_object_staged_bytes(chunk));
    count_complete(objects, s);
    list_del(&objects->staging, s);
    list_add(&objects->staging, s);
}

int
ncz_object_staging_add(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_staged_chunk *chunk,
                       ncz_staged_object **out)
{
    ncz_staged_object *s = find_staged(objects, spec, index);
    size_t             slot = (size_t)ncz_layout_slot(spec->layout, index);
    int                rc;

    if (s == NULL && (rc = add_staged(objects, spec, index, &s)) != NC_NOERR)
        return rc;
    if (s->spec != spec) { /* a new name or the like; the layout is the same */
        ncz_spec_unref(s->spec);
        s->spec = ncz_spec_ref((ncz_spec *)spec);
    }
    if (s->chunks[slot] != NULL)
        ncz_object_staged_inherit(spec, chunk, s->chunks[slot]);
    ncz_object_staging_set(objects, s, slot, chunk);
    *out = s;
    return NC_NOERR;
}

bool
ncz_object_staging_has(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index)
{
    return find_staged(objects, spec, index) != NULL;
}

ncz_staged_chunk *
ncz_object_staging_chunk(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index)
{
    ncz_staged_object *s = find_staged(objects, spec, index);
    ncz_staged_chunk  *chunk = s != NULL ? s->chunks[ncz_layout_slot(spec->layout, index)] : NULL;

    if (chunk != NULL)
        chunk->refs++;
    return chunk;
}

/* ---- storing ---- */

bool
ncz_object_staging_claim(ncz_objects *objects, ncz_staged_object *s)
{
    if (s->storing != NULL || is_held(s))
        return false;
    if (ncz_object_begin_store(objects, s->spec, s->first, &s->storing) != NC_NOERR) {
        ncz_err_clear(); /* no memory: it stays staged, and the next flush stores it */
        s->storing = NULL;
    }
    count_complete(objects, s);
    return s->storing != NULL;
}

size_t
ncz_object_staging_claim_some(ncz_objects *objects, uint64_t uid, uint64_t pass, ncz_staged_object **out, size_t most)
{
    ncz_staged_object *newer;
    size_t             n = 0, nbytes = 0;

    for (ncz_staged_object *s = objects->staging.oldest; s != NULL && n < most; s = newer) {
        newer = s->newer;
        if ((uid != 0 && s->spec->uid != uid) || s->tried >= pass)
            continue;
        if (n > 0 && nbytes + s->nbytes > NCZ_OBJECT_BATCH_BYTES)
            break;
        if (!ncz_object_staging_claim(objects, s))
            continue;
        s->tried = pass;
        list_del(&objects->staging,
                 s); /* behind those that it has not tried: if storing fails, the next call skips it */
        list_add(&objects->staging, s);
        nbytes += s->nbytes;
        out[n++] = s;
    }
    return n;
}

bool
ncz_object_staging_untried(const ncz_objects *objects, uint64_t uid, uint64_t pass)
{
    for (const ncz_staged_object *s = objects->staging.oldest; s != NULL; s = s->newer)
        if ((uid == 0 || s->spec->uid == uid) && s->tried < pass)
            return true;
    return false;
}

bool
ncz_object_staging_take(ncz_objects *objects, ncz_staged_object *s, ncz_staged_chunk **chunks)
{
    bool complete;

    (void)pthread_mutex_lock(&objects->cells->lock);
    complete = s->nchunks == s->needed;
    for (size_t i = 0; i < s->spec->layout->nslots; i++)
        if ((chunks[i] = s->chunks[i]) != NULL) {
            chunks[i]->refs++;
            complete = complete && chunks[i]->written == NULL;
        }
    (void)pthread_mutex_unlock(&objects->cells->lock);
    return complete;
}

void
ncz_object_staging_end(ncz_objects *objects, ncz_staged_object *s, ncz_staged_chunk **chunks, bool stored)
{
    size_t n = s->spec->layout->nslots;

    (void)pthread_mutex_lock(&objects->cells->lock);
    for (size_t i = 0; chunks != NULL && i < n; i++) {
        if (chunks[i] == NULL)
            continue;
        if (stored && s->chunks[i] == chunks[i]) /* else a newer one replaced it meanwhile */
            clear_slot(objects, s, i);
        ncz_object_staged_unref(objects, chunks[i]);
    }
    if (stored) { /* the next state of the object is another draft */
        ncz_object_draft_unref(objects, s->draft);
        s->draft = NULL;
        s->no_draft = false;
    }
    ncz_object_end_store(objects, s->storing);
    s->storing = NULL;
    count_complete(objects, s);
    if (s->nchunks == 0 && !is_held(s))
        free_staged(objects, s);
    (void)pthread_cond_broadcast(&objects->cells->changed);
    (void)pthread_mutex_unlock(&objects->cells->lock);
    ncz_object_drafts_end(objects);
}

void
ncz_object_staging_again(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index)
{
    ncz_staged_object *s = find_staged(objects, spec, index);

    if (s != NULL)
        s->tried = 0;
}

bool
ncz_object_staging_is_storing(const ncz_objects *objects, uint64_t uid)
{
    for (const ncz_staged_object *s = objects->staging.oldest; s != NULL; s = s->newer)
        if ((uid == 0 || s->spec->uid == uid) && (s->storing != NULL || is_held(s)))
            return true;
    return false;
}

size_t
ncz_object_staging_count(const ncz_objects *objects)
{
    size_t n = 0;

    for (const ncz_staged_object *s = objects->staging.oldest; s != NULL; s = s->newer)
        n += s->nchunks;
    return n;
}

bool
ncz_object_staging_forget(ncz_objects *objects, uint64_t uid)
{
    bool busy = false;

    for (ncz_staged_object *s = objects->staging.oldest, *newer; s != NULL; s = newer) {
        newer = s->newer;
        if (uid != 0 && s->spec->uid != uid)
            continue;
        if (s->storing != NULL || is_held(s))
            busy = true;
        else
            free_staged(objects, s);
    }
    return busy;
}

/* ---- making room ---- */

ncz_staged_object *
ncz_object_staging_claim_complete(ncz_objects *objects)
{
    ncz_staged_object *s = objects->staging.ncomplete > 0 ? objects->staging.oldest : NULL;

    while (s != NULL && !(s->complete && ncz_object_staging_claim(objects, s)))
        s = s->newer;
    return s;
}

enum { SPILL_MOST = 256 }; /* chunks at once */

/* Parts of one object, each with a reference, that are being spilled. */
typedef struct spilling {
    ncz_staged_object *object;
    ncz_staged_chunk  *chunks[SPILL_MOST];
    size_t             slots[SPILL_MOST];
    size_t             n, nbytes;
} spilling;

static void
take_chunks(ncz_staged_object *s, spilling *w)
{
    *w = (spilling){.object = s};
    for (size_t i = 0; i < s->spec->layout->nslots && w->n < SPILL_MOST; i++) {
        ncz_staged_chunk *p = s->chunks[i];

        if (p == NULL || p->data == NULL || p->refs > 1)
            continue;
        p->refs++;
        w->nbytes += p->nbytes;
        w->slots[w->n] = i;
        w->chunks[w->n++] = p;
    }
}

/* Takes chunks in memory that no one else uses, of the longest unchanged object that has some. */
static bool
take_oldest(ncz_objects *objects, spilling *w)
{
    ncz_object_staging *t = &objects->staging;

    w->n = 0;
    while (t->unspilled != NULL && t->unspilled->nmemory == 0)
        t->unspilled = t->unspilled->newer;
    for (ncz_staged_object *s = t->unspilled; s != NULL && w->n == 0; s = s->newer)
        if (s->nmemory > 0 && s->storing == NULL && !s->spilling)
            take_chunks(s, w);
    return w->n > 0;
}

static bool
write_chunks(ncz_object_spill *file, const spilling *w, uint64_t at)
{
    for (size_t i = 0; i < w->n; at += w->chunks[i++]->nbytes)
        if (!ncz_object_spill_write(file, w->chunks[i]->data, w->chunks[i]->nbytes, at))
            return false;
    return true;
}

/* Frees the memory of the written chunks, except those that a reader got or a newer one replaced meanwhile. */
static uint64_t
release_memory(ncz_objects *objects, const spilling *w, uint64_t at)
{
    uint64_t kept = 0;

    for (size_t i = 0; i < w->n; at += w->chunks[i++]->nbytes) {
        ncz_staged_chunk *p = w->chunks[i];

        if (w->object->chunks[w->slots[i]] != p || p->refs != 2)
            continue;
        count_bytes(objects, w->object, -(ptrdiff_t)p->room);
        w->object->nmemory--;
        ncz_object_staged_spill(p, at);
        kept += p->nbytes;
    }
    return kept;
}

bool
ncz_object_staging_spill(ncz_objects *objects)
{
    ncz_object_spill *file = &objects->staging.spill;
    spilling          w = {.object = NULL};
    uint64_t          at = 0;
    bool              done;

    if (file->busy) { /* another thread makes room */
        (void)pthread_cond_wait(&objects->cells->changed, &objects->cells->lock);
        return true;
    }
    if (!take_oldest(objects, &w))
        return false;
    if ((done = ncz_object_spill_begin(file, w.nbytes, &at))) {
        w.object->spilling = true;
        (void)pthread_mutex_unlock(&objects->cells->lock);
        done = write_chunks(file, &w, at);
        (void)pthread_mutex_lock(&objects->cells->lock);
        ncz_object_spill_end(file, done ? release_memory(objects, &w, at) : 0);
        w.object->spilling = false;
        (void)pthread_cond_broadcast(&objects->cells->changed);
    }
    for (size_t i = 0; i < w.n; i++)
        ncz_object_staged_unref(objects, w.chunks[i]);
    if (w.object->nchunks == 0 && !is_held(w.object))
        free_staged(objects, w.object);
    return done;
}
