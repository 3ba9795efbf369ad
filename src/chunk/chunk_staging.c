/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_staging: encoded chunks that wait for the rest of their object. A chunk of an object that holds several is
 * first encoded and staged here, then its object is stored with all that is staged for it (chunk_store_object.c):
 * when its last chunk is staged, at a flush, or where memory and the spill file are used up.
 *
 * Staged chunks are newer than the stored object and older than a dirty chunk in the cache. A part never changes; a
 * newer one replaces it. Readers and a store hold references to parts, so neither waits for the other.
 *
 * Invariant: the cache's `used` counts every staged object and the parts that are in memory.
 *
 * There may be many objects (one step in time over many small shards), so no call walks over all of them, unless it
 * returns that many.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

#include <string.h>

/* ---- the table, under the engine's lock ---- */

static bool
holds_chunk(const ncz_chunk_staged *s, const ncz_spec *spec, const uint64_t *index)
{
    if (s->spec->uid != spec->uid || s->spec->rank != spec->rank)
        return false;
    for (size_t d = 0; d < spec->rank; d++)
        if (s->first[d] / spec->layout->object[d] != index[d] / spec->layout->object[d])
            return false;
    return true;
}

static ncz_chunk_staged *
find_staged(ncz_engine *e, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk_entry *at;

    if (e->staging.table.n == 0)
        return NULL;
    at = ncz_chunk_table_first(&e->staging.table, ncz_chunk_object_hash(spec, index));
    while (at != NULL && !holds_chunk((ncz_chunk_staged *)at, spec, index))
        at = at->beside;
    return (ncz_chunk_staged *)at;
}

static void
list_del(ncz_chunk_staging *t, ncz_chunk_staged *s)
{
    if (t->unspilled == s)
        t->unspilled = s->newer;
    *(s->older != NULL ? &s->older->newer : &t->oldest) = s->newer;
    *(s->newer != NULL ? &s->newer->older : &t->newest) = s->older;
    s->older = s->newer = NULL;
}

static void
list_add(ncz_chunk_staging *t, ncz_chunk_staged *s)
{
    s->older = t->newest;
    *(t->newest != NULL ? &t->newest->newer : &t->oldest) = s;
    t->newest = s;
    if (t->unspilled == NULL)
        t->unspilled = s;
}

static void
count_complete(ncz_engine *e, ncz_chunk_staged *s)
{
    bool complete = s->nparts == s->needed && s->storing == NULL;

    e->staging.ncomplete += complete;
    e->staging.ncomplete -= s->complete;
    s->complete = complete;
}

static void
count_bytes(ncz_engine *e, ncz_chunk_staged *s, ptrdiff_t nbytes)
{
    s->nbytes += (size_t)nbytes; /* two's complement, like the next two */
    e->staging.nbytes += (size_t)nbytes;
    e->cache.used += (size_t)nbytes;
}

static int
add_staged(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_staged **out)
{
    size_t            nbytes = sizeof(ncz_chunk_staged) + spec->rank * sizeof(uint64_t);
    ncz_chunk_staged *s = ncz_zalloc(nbytes);
    ncz_chunk_part  **parts = ncz_zalloc_n(spec->layout->nslots, sizeof *parts);
    int               rc = NC_NOERR;

    if (s == NULL || parts == NULL)
        rc = ncz_fail_nomem(nbytes + spec->layout->nslots * sizeof *parts);
    else
        rc = ncz_chunk_table_add(&e->staging.table, &s->entry, ncz_chunk_object_hash(spec, index));
    if (rc != NC_NOERR) {
        ncz_free(s);
        ncz_free(parts);
        return rc;
    }
    s->spec = ncz_spec_ref((ncz_spec *)spec);
    s->parts = parts;
    for (size_t d = 0; d < spec->rank; d++)
        s->first[d] = index[d] - index[d] % spec->layout->object[d];
    s->needed = ncz_chunk_object_inside(spec, s->first);
    list_add(&e->staging, s);
    count_bytes(e, s, (ptrdiff_t)(nbytes + spec->layout->nslots * sizeof *parts));
    *out = s;
    return NC_NOERR;
}

/* Removes the part of a slot. */
static void
clear_slot(ncz_engine *e, ncz_chunk_staged *s, size_t slot)
{
    if (s->parts[slot] == NULL)
        return;
    count_bytes(e, s, -(ptrdiff_t)ncz_chunk_part_bytes(s->parts[slot]));
    s->nmemory -= s->parts[slot]->data != NULL;
    s->nparts--;
    ncz_chunk_part_unref(e, s->parts[slot]);
    s->parts[slot] = NULL;
    count_complete(e, s);
}

static void
free_staged(ncz_engine *e, ncz_chunk_staged *s)
{
    for (size_t i = 0; s->nparts > 0; i++)
        clear_slot(e, s, i);
    count_bytes(e, s, -(ptrdiff_t)s->nbytes);
    ncz_chunk_table_del(&e->staging.table, &s->entry);
    list_del(&e->staging, s);
    ncz_chunk_draft_unref(e, s->draft);
    ncz_spec_unref(s->spec);
    ncz_free(s->parts);
    ncz_free(s);
}

/* Whether a thread other than the one that stores it needs it in the table. */
static bool
is_held(const ncz_chunk_staged *s)
{
    return s->spilling || s->holders > 0;
}

/* ---- staging and reading ---- */

int
ncz_chunk_staged_hold(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_staged **out)
{
    int rc;

    if ((*out = find_staged(e, spec, index)) == NULL && (rc = add_staged(e, spec, index, out)) != NC_NOERR)
        return rc;
    (*out)->holders++;
    return NC_NOERR;
}

void
ncz_chunk_staged_release(ncz_engine *e, ncz_chunk_staged *s)
{
    s->holders--;
    if (s->nparts == 0 && s->storing == NULL && !is_held(s))
        free_staged(e, s);
    (void)pthread_cond_broadcast(&e->changed);
}

void
ncz_chunk_staged_set(ncz_engine *e, ncz_chunk_staged *s, size_t slot, ncz_chunk_part *part)
{
    clear_slot(e, s, slot);
    s->parts[slot] = part;
    s->nparts++;
    s->nmemory += part->data != NULL;
    count_bytes(e, s, (ptrdiff_t)ncz_chunk_part_bytes(part));
    count_complete(e, s);
    list_del(&e->staging, s);
    list_add(&e->staging, s);
}

int
ncz_chunk_staged_add(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_part *part,
                     ncz_chunk_staged **out)
{
    ncz_chunk_staged *s = find_staged(e, spec, index);
    size_t            slot = (size_t)ncz_layout_slot(spec->layout, index);
    int               rc;

    if (s == NULL && (rc = add_staged(e, spec, index, &s)) != NC_NOERR)
        return rc;
    if (s->spec != spec) { /* a new name or the like; the layout is the same */
        ncz_spec_unref(s->spec);
        s->spec = ncz_spec_ref((ncz_spec *)spec);
    }
    if (s->parts[slot] != NULL)
        ncz_chunk_part_inherit(spec, part, s->parts[slot]);
    ncz_chunk_staged_set(e, s, slot, part);
    *out = s;
    return NC_NOERR;
}

bool
ncz_chunk_staged_any(ncz_engine *e, const ncz_spec *spec, const uint64_t *index)
{
    return find_staged(e, spec, index) != NULL;
}

ncz_chunk_part *
ncz_chunk_staged_part(ncz_engine *e, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk_staged *s = find_staged(e, spec, index);
    ncz_chunk_part   *part = s != NULL ? s->parts[ncz_layout_slot(spec->layout, index)] : NULL;

    if (part != NULL)
        part->refs++;
    return part;
}

/* ---- storing ---- */

bool
ncz_chunk_staged_claim(ncz_engine *e, ncz_chunk_staged *s)
{
    if (s->storing != NULL || is_held(s))
        return false;
    if (ncz_chunk_object_store(e, s->spec, s->first, &s->storing) != NC_NOERR) {
        ncz_err_clear(); /* no memory: it stays staged, and the next flush stores it */
        s->storing = NULL;
    }
    count_complete(e, s);
    return s->storing != NULL;
}

size_t
ncz_chunk_staged_claim_some(ncz_engine *e, uint64_t uid, uint64_t pass, ncz_chunk_staged **out, size_t most)
{
    ncz_chunk_staged *newer;
    size_t            n = 0, nbytes = 0;

    for (ncz_chunk_staged *s = e->staging.oldest; s != NULL && n < most; s = newer) {
        newer = s->newer;
        if ((uid != 0 && s->spec->uid != uid) || s->tried >= pass)
            continue;
        if (n > 0 && nbytes + s->nbytes > NCZ_CHUNK_BATCH_BYTES)
            break;
        if (!ncz_chunk_staged_claim(e, s))
            continue;
        s->tried = pass;
        list_del(&e->staging, s); /* behind those that it has not tried: if storing fails, the next call skips it */
        list_add(&e->staging, s);
        nbytes += s->nbytes;
        out[n++] = s;
    }
    return n;
}

bool
ncz_chunk_staged_untried(const ncz_engine *e, uint64_t uid, uint64_t pass)
{
    for (const ncz_chunk_staged *s = e->staging.oldest; s != NULL; s = s->newer)
        if ((uid == 0 || s->spec->uid == uid) && s->tried < pass)
            return true;
    return false;
}

bool
ncz_chunk_staged_take(ncz_engine *e, ncz_chunk_staged *s, ncz_chunk_part **parts)
{
    bool complete;

    (void)pthread_mutex_lock(&e->lock);
    complete = s->nparts == s->needed;
    for (size_t i = 0; i < s->spec->layout->nslots; i++)
        if ((parts[i] = s->parts[i]) != NULL) {
            parts[i]->refs++;
            complete = complete && parts[i]->ours == NULL;
        }
    (void)pthread_mutex_unlock(&e->lock);
    return complete;
}

void
ncz_chunk_staged_end(ncz_engine *e, ncz_chunk_staged *s, ncz_chunk_part **parts, bool stored)
{
    size_t n = s->spec->layout->nslots;

    (void)pthread_mutex_lock(&e->lock);
    for (size_t i = 0; parts != NULL && i < n; i++) {
        if (parts[i] == NULL)
            continue;
        if (stored && s->parts[i] == parts[i]) /* else a newer one replaced it meanwhile */
            clear_slot(e, s, i);
        ncz_chunk_part_unref(e, parts[i]);
    }
    if (stored) { /* the next state of the object is another draft */
        ncz_chunk_draft_unref(e, s->draft);
        s->draft = NULL;
        s->no_draft = false;
    }
    ncz_chunk_object_stored(e, s->storing);
    s->storing = NULL;
    count_complete(e, s);
    if (s->nparts == 0 && !is_held(s))
        free_staged(e, s);
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_drafts_end(e);
}

void
ncz_chunk_staged_again(ncz_engine *e, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk_staged *s = find_staged(e, spec, index);

    if (s != NULL)
        s->tried = 0;
}

bool
ncz_chunk_staged_storing(const ncz_engine *e, uint64_t uid)
{
    for (const ncz_chunk_staged *s = e->staging.oldest; s != NULL; s = s->newer)
        if ((uid == 0 || s->spec->uid == uid) && (s->storing != NULL || is_held(s)))
            return true;
    return false;
}

size_t
ncz_chunk_staged_count(const ncz_engine *e)
{
    size_t n = 0;

    for (const ncz_chunk_staged *s = e->staging.oldest; s != NULL; s = s->newer)
        n += s->nparts;
    return n;
}

bool
ncz_chunk_staged_forget(ncz_engine *e, uint64_t uid)
{
    bool busy = false;

    for (ncz_chunk_staged *s = e->staging.oldest, *newer; s != NULL; s = newer) {
        newer = s->newer;
        if (uid != 0 && s->spec->uid != uid)
            continue;
        if (s->storing != NULL || is_held(s))
            busy = true;
        else
            free_staged(e, s);
    }
    return busy;
}

/* ---- making room ---- */

ncz_chunk_staged *
ncz_chunk_staged_claim_complete(ncz_engine *e)
{
    ncz_chunk_staged *s = e->staging.ncomplete > 0 ? e->staging.oldest : NULL;

    while (s != NULL && !(s->complete && ncz_chunk_staged_claim(e, s)))
        s = s->newer;
    return s;
}

enum { SPILL_MOST = 256 }; /* parts at once */

/* Parts of one object, each with a reference, that are being spilled. */
typedef struct spilling {
    ncz_chunk_staged *object;
    ncz_chunk_part   *parts[SPILL_MOST];
    size_t            slots[SPILL_MOST];
    size_t            n, nbytes;
} spilling;

static void
take_parts(ncz_chunk_staged *s, spilling *w)
{
    *w = (spilling){.object = s};
    for (size_t i = 0; i < s->spec->layout->nslots && w->n < SPILL_MOST; i++) {
        ncz_chunk_part *p = s->parts[i];

        if (p == NULL || p->data == NULL || p->refs > 1)
            continue;
        p->refs++;
        w->nbytes += p->nbytes;
        w->slots[w->n] = i;
        w->parts[w->n++] = p;
    }
}

/* Takes parts in memory that no one else uses, of the longest unchanged object that has some. */
static bool
take_oldest(ncz_engine *e, spilling *w)
{
    ncz_chunk_staging *t = &e->staging;

    w->n = 0;
    while (t->unspilled != NULL && t->unspilled->nmemory == 0)
        t->unspilled = t->unspilled->newer;
    for (ncz_chunk_staged *s = t->unspilled; s != NULL && w->n == 0; s = s->newer)
        if (s->nmemory > 0 && s->storing == NULL && !s->spilling)
            take_parts(s, w);
    return w->n > 0;
}

static bool
write_parts(ncz_chunk_spill *file, const spilling *w, uint64_t at)
{
    for (size_t i = 0; i < w->n; at += w->parts[i++]->nbytes)
        if (!ncz_chunk_spill_write(file, w->parts[i]->data, w->parts[i]->nbytes, at))
            return false;
    return true;
}

/* Frees the memory of the written parts, except those that a reader got or a newer one replaced meanwhile. */
static uint64_t
release_memory(ncz_engine *e, const spilling *w, uint64_t at)
{
    uint64_t kept = 0;

    for (size_t i = 0; i < w->n; at += w->parts[i++]->nbytes) {
        ncz_chunk_part *p = w->parts[i];

        if (w->object->parts[w->slots[i]] != p || p->refs != 2)
            continue;
        count_bytes(e, w->object, -(ptrdiff_t)p->room);
        w->object->nmemory--;
        ncz_chunk_part_spill(p, at);
        kept += p->nbytes;
    }
    return kept;
}

bool
ncz_chunk_staged_spill(ncz_engine *e)
{
    ncz_chunk_spill *file = &e->staging.spill;
    spilling         w = {.object = NULL};
    uint64_t         at = 0;
    bool             done;

    if (file->busy) { /* another thread makes room */
        (void)pthread_cond_wait(&e->changed, &e->lock);
        return true;
    }
    if (!take_oldest(e, &w))
        return false;
    if ((done = ncz_chunk_spill_begin(file, w.nbytes, &at))) {
        w.object->spilling = true;
        (void)pthread_mutex_unlock(&e->lock);
        done = write_parts(file, &w, at);
        (void)pthread_mutex_lock(&e->lock);
        ncz_chunk_spill_end(file, done ? release_memory(e, &w, at) : 0);
        w.object->spilling = false;
        (void)pthread_cond_broadcast(&e->changed);
    }
    for (size_t i = 0; i < w.n; i++)
        ncz_chunk_part_unref(e, w.parts[i]);
    if (w.object->nparts == 0 && !is_held(w.object))
        free_staged(e, w.object);
    return done;
}
