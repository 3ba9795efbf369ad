/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_draft: objects whose chunks all have one encoded size, as those of a shard without compression do. Each place
 * is known before, so such an object is set aside at its full size (zmap_draft), and its chunks are not staged in
 * memory but written where they belong. Storing the object then writes its index, and gives it its name:
 *
 *  1. the first chunk that is staged begins the draft. It has a place for each chunk that lies in the array, in the
 *     order of slots
 *  2. a chunk whose place is free is written there, by the thread that staged it. Such parts are read from the draft
 *  3. others are staged as always: the place still has an older state, which may be read, or others may write the other
 *     elements of the chunk, or the object is just being stored
 *  4. the object is the draft, if nothing else goes into it: what is in memory is written then, and the index, and the
 *     draft is published. Nothing is copied
 *  5. else, the object is put as others are, with the draft's bytes: it keeps chunks of an older object, another writer
 *     was faster, or the draft would have more holes than chunks
 *
 * Whatever fails in 1 and 2 leaves the chunk to the memory, and what fails in 4 leaves all parts where they are.
 */
#include "chunk/chunk_store.h"

enum { DRAFTS_MOST = 64 }; /* of an engine: each is an open file */

/* ---- its places, under the lock ---- */

static bool
is_used(const ncz_chunk_draft *d, size_t place)
{
    return (d->used[place / 8] >> place % 8 & 1) != 0;
}

static void
set_used(ncz_chunk_draft *d, size_t place, bool used)
{
    unsigned char bit = (unsigned char)(1u << place % 8);

    d->used[place / 8] = (unsigned char)(used ? d->used[place / 8] | bit : d->used[place / 8] & ~bit);
}

static uint64_t
place_at(const ncz_chunk_draft *d, size_t place)
{
    return d->base + (uint64_t)place * d->nbytes; /* lies in the draft, whose size did not overflow */
}

void
ncz_chunk_draft_unref(ncz_engine *e, ncz_chunk_draft *d)
{
    if (d == NULL || --d->refs > 0)
        return;
    d->next = e->staging.ended;
    e->staging.ended = d;
    e->staging.ndrafts--;
}

void
ncz_chunk_draft_leave(ncz_engine *e, ncz_chunk_part *p)
{
    set_used(p->draft, (size_t)((p->spilled - p->draft->base) / p->draft->nbytes), false);
    ncz_chunk_draft_unref(e, p->draft);
    p->draft = NULL;
}

void
ncz_chunk_drafts_end(ncz_engine *e)
{
    ncz_chunk_draft *d, *next;

    (void)pthread_mutex_lock(&e->lock);
    d = e->staging.ended;
    e->staging.ended = NULL;
    (void)pthread_mutex_unlock(&e->lock);
    for (; d != NULL; d = next) {
        next = d->next;
        zmap_draft_end(d->file);
        ncz_free(d);
    }
}

int
ncz_chunk_draft_read(const ncz_chunk_part *p, char *out)
{
    return zmap_draft_read(p->draft->file, p->spilled, out, p->nbytes);
}

/* ---- 1. begin it ---- */

static bool
may_draft(const ncz_engine *e, const ncz_chunk_store_item *item)
{
    const ncz_spec *spec = item->chunk->spec;

    return !item->gone && item->nbytes >= e->draft_chunk && item->chunk->ours == NULL &&
           (zmap_caps_of(e->map) & ZMAP_CAN_DRAFT) != 0 && spec->layout->ops->place_index != NULL &&
           ncz_chain_is_fixed(spec->chain);
}

uint64_t
ncz_chunk_draft_size(const ncz_engine *e, const ncz_spec *spec, const uint64_t *index, size_t nbytes, uint64_t *base)
{
    const ncz_layout *l = spec->layout;
    uint64_t          chunks, size;
    size_t            nindex;
    bool              at_end;

    if (nbytes < e->draft_chunk || !l->ops->needs(l, &nindex, &at_end) ||
        !ncz_mul64(ncz_chunk_object_inside(spec, index), nbytes, &chunks) || chunks < e->draft_least ||
        !ncz_add64(chunks, nindex, &size) || size > INT64_MAX)
        return 0;
    *base = at_end ? 0 : nindex;
    return size;
}

static ncz_chunk_draft *
new_draft(ncz_engine *e, const ncz_chunk_staged *s, size_t nbytes)
{
    ncz_buf          room = NCZ_BUF_INIT;
    ncz_chunk_addr   where;
    uint64_t         base, size = ncz_chunk_draft_size(e, s->spec, s->first, nbytes, &base);
    ncz_chunk_draft *d = size > 0 ? ncz_zalloc(sizeof *d + s->needed / 8 + 1) : NULL;
    int              rc;

    if (d == NULL)
        return NULL;
    d->refs = 1;
    d->nbytes = nbytes;
    d->base = base;
    if ((rc = ncz_spec_locate(s->spec, s->first, &room, &where)) == NC_NOERR)
        rc = zmap_draft_begin(e->map, where.key, size, &d->file);
    ncz_buf_clear(&room);
    if (rc == NC_NOERR)
        return d;
    ncz_err_clear(); /* the chunks are staged in memory; storing them tells what is wrong */
    ncz_free(d);
    return NULL;
}

ncz_chunk_draft *
ncz_chunk_draft_take(ncz_engine *e, ncz_chunk_staged *s, size_t nbytes)
{
    ncz_chunk_draft *d;

    while (s->drafting)
        (void)pthread_cond_wait(&e->changed, &e->lock);
    if (s->draft == NULL && !s->no_draft && s->storing == NULL && e->staging.ndrafts < DRAFTS_MOST) {
        s->drafting = true;
        e->staging.ndrafts++;
        (void)pthread_mutex_unlock(&e->lock);
        d = new_draft(e, s, nbytes);
        (void)pthread_mutex_lock(&e->lock);
        e->staging.ndrafts -= d == NULL;
        s->drafting = false;
        s->draft = d;
        s->no_draft = d == NULL;
        (void)pthread_cond_broadcast(&e->changed);
    }
    d = s->draft;
    return d != NULL && s->storing == NULL && !d->over && d->nbytes == nbytes && zmap_draft_is_own(d->file) ? d
                                                                                                            : NULL;
}

/* ---- 2. write a chunk ---- */

bool
ncz_chunk_draft_reserve(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot)
{
    size_t place = ncz_chunk_object_before(s->spec, s->first, slot);

    if (is_used(d, place))
        return false;
    set_used(d, place, true);
    return true;
}

void
ncz_chunk_draft_unreserve(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot)
{
    set_used(d, ncz_chunk_object_before(s->spec, s->first, slot), false);
}

ncz_chunk_part *
ncz_chunk_draft_part_at(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot)
{
    ncz_chunk_part *p = ncz_zalloc(sizeof *p);

    if (p == NULL) {
        (void)ncz_fail_nomem(sizeof *p);
        return NULL;
    }
    *p = (ncz_chunk_part){.refs = 1,
                          .nbytes = d->nbytes,
                          .spilled = place_at(d, ncz_chunk_object_before(s->spec, s->first, slot)),
                          .draft = d};
    d->refs++;
    return p;
}

/* Under the lock: a part whose place in the draft is reserved; or NULL. */
static ncz_chunk_part *
reserve_part(ncz_engine *e, const ncz_chunk_store_item *item, ncz_chunk_staged *s)
{
    ncz_chunk_draft *d = ncz_chunk_draft_take(e, s, item->nbytes);
    size_t           slot = (size_t)ncz_layout_slot(s->spec->layout, item->chunk->index);
    ncz_chunk_part  *p = NULL;

    if (d == NULL || !ncz_chunk_draft_reserve(d, s, slot))
        return NULL;
    if ((p = ncz_chunk_draft_part_at(d, s, slot)) == NULL) {
        ncz_chunk_draft_unreserve(d, s, slot);
        ncz_err_clear(); /* to stage it otherwise needs the same memory, and reports that */
    }
    return p;
}

void
ncz_chunk_draft_part(ncz_engine *e, const ncz_chunk_store_item *item, ncz_chunk_part **out, ncz_chunk_staged **held)
{
    ncz_chunk_part *p = NULL;

    *out = NULL;
    *held = NULL;
    if (!may_draft(e, item))
        return;
    (void)pthread_mutex_lock(&e->lock);
    if (ncz_chunk_staged_hold(e, item->chunk->spec, item->chunk->index, held) == NC_NOERR)
        p = reserve_part(e, item, *held);
    else
        ncz_err_clear(); /* to stage it otherwise needs the same memory, and reports that */
    (void)pthread_mutex_unlock(&e->lock);
    if (p == NULL)
        return;
    if (zmap_draft_write(p->draft->file, p->spilled, item->encoded, item->nbytes) == NC_NOERR) {
        *out = p;
        return;
    }
    ncz_log(NCZ_LOG_WARN, "%s: the chunk waits in memory until its shard is stored", ncz_err_text());
    ncz_err_clear();
    ncz_chunk_part_drop(e, p);
}

/* ---- 4. make it the object ---- */

/* A chunk that is to be stored and not in the draft yet. Under the lock: whether its place is free. */
static bool
has_room(const ncz_chunk_draft *d, const ncz_chunk_part *p, size_t place)
{
    return p->draft == d || (p->data != NULL && p->nbytes == d->nbytes && !is_used(d, place));
}

/* Under the lock. */
static bool
fits_draft(const ncz_object_put *o, const ncz_chunk_draft *d)
{
    size_t n = 0, end = 0;

    for (size_t k = 0; k < o->nslots; k++) {
        const ncz_chunk_part *p = o->taken[k];
        size_t                place;

        if (o->merged != NULL && o->merged[k] != NULL)
            return false;
        if (p == NULL && o->slots[k].length > 0)
            return false;
        if (p == NULL || p->gone)
            continue;
        place = ncz_chunk_object_before(o->spec, o->staged->first, k);
        if (!has_room(d, p, place))
            return false;
        n++;
        end = place + 1;
    }
    return n > 0 && end - n <= n;
}

bool
ncz_object_put_is_draft(const ncz_object_put *o)
{
    const ncz_chunk_draft *d = o->staged != NULL ? o->staged->draft : NULL;
    bool                   fits;

    if (d == NULL || d->over || !zmap_draft_is_own(d->file))
        return false;
    (void)pthread_mutex_lock(&o->engine->lock);
    fits = fits_draft(o, d);
    (void)pthread_mutex_unlock(&o->engine->lock);
    return fits;
}

/* Writes the chunks that are in memory, and lists where all are. */
static int
write_rest(const ncz_object_put *o, ncz_slot *slots, uint64_t *end)
{
    const ncz_chunk_draft *d = o->staged->draft;
    int                    rc = NC_NOERR;

    *end = d->base;
    for (size_t k = 0; k < o->nslots && rc == NC_NOERR; k++) {
        const ncz_chunk_part *p = o->taken[k];

        if (p == NULL || p->gone)
            continue;
        slots[k] =
            (ncz_slot){place_at(d, ncz_chunk_object_before(o->spec, o->staged->first, k)), (uint64_t)d->nbytes};
        *end = slots[k].offset + slots[k].length;
        if (p->draft != d)
            rc = zmap_draft_write(d->file, slots[k].offset, p->data, p->nbytes);
    }
    return rc;
}

int
ncz_object_put_end_draft(ncz_object_put *o)
{
    const ncz_layout *l = o->spec->layout;
    ncz_chunk_draft  *d = o->staged->draft;
    ncz_slot         *slots = ncz_zalloc_n(o->nslots, sizeof *slots);
    uint64_t          end = 0;
    size_t            nindex;
    bool              at_end;
    int               rc;

    if (slots == NULL)
        return ncz_fail_nomem(o->nslots * sizeof *slots);
    if ((rc = ncz_chunk_index_range(o->spec, o->key, &nindex, &at_end)) == NC_NOERR &&
        (rc = write_rest(o, slots, &end)) == NC_NOERR && (rc = l->ops->place_index(l, slots, &o->fresh)) == NC_NOERR)
        rc = zmap_draft_write(d->file, at_end ? end : 0, o->fresh.data, o->fresh.len);
    o->nbytes = (size_t)(at_end ? end + nindex : end);
    ncz_free(slots);
    return rc;
}

bool
ncz_object_put_publish_draft(ncz_object_put *o, const zmap_put_req *put, int *rc)
{
    ncz_chunk_draft *d = o->staged->draft;

    d->map = NULL;
    *rc = zmap_draft_publish(d->file, o->nbytes, put->when, put->version, o->stored);
    if (*rc == NC_NOERR)
        return false;
    if (put->when != ZMAP_ALWAYS && (*rc == NC_EOBJECT || *rc == NC_ENOOBJECT))
        return true;
    (void)pthread_mutex_lock(&o->engine->lock);
    d->over = true;
    (void)pthread_mutex_unlock(&o->engine->lock);
    return false;
}

/* ---- 5. or put it as others ---- */

int
ncz_object_put_map_drafts(ncz_object_put *o)
{
    for (size_t k = 0; k < o->nslots; k++) {
        ncz_chunk_draft *d = o->taken[k] != NULL ? o->taken[k]->draft : NULL;
        const void      *map;
        int              rc;

        if (d == NULL || d->map != NULL)
            continue;
        if ((rc = zmap_draft_map(d->file, &map)) != NC_NOERR)
            return rc;
        d->map = map;
    }
    return NC_NOERR;
}
