/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_stage: stages an encoded chunk, until its object is stored (chunk_staging.c): where it belongs in the object's
 * draft, if the object can have one (chunk_draft.c), or else in memory.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

enum { DRAFTS_MOST = 64 }; /* of an engine: each is an open file */

static bool
may_draft(const ncz_engine *e, const ncz_chunk_store_item *item)
{
    const ncz_spec *spec = item->chunk->spec;

    return !item->gone && item->nbytes >= e->draft_chunk && item->chunk->ours == NULL &&
           (zmap_caps_of(e->map) & ZMAP_CAN_DRAFT) != 0 && spec->layout->ops->place_index != NULL &&
           ncz_chain_is_fixed(spec->chain);
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
        d = ncz_chunk_draft_new(e, s, nbytes);
        (void)pthread_mutex_lock(&e->lock);
        e->staging.ndrafts -= d == NULL;
        s->drafting = false;
        s->draft = d;
        s->no_draft = d == NULL;
        (void)pthread_cond_broadcast(&e->changed);
    }
    d = s->draft;
    if (d == NULL || s->storing != NULL || d->over || d->nbytes != nbytes || !zmap_draft_is_own(d->file))
        return NULL;
    return d;
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

/*
 * Writes an encoded chunk where it belongs in its object's draft, which it may begin. *out: a part with one reference;
 * or NULL: it is to be staged otherwise. *held: its object, to be released; or NULL.
 */
static void
stage_in_draft(ncz_engine *e, const ncz_chunk_store_item *item, ncz_chunk_part **out, ncz_chunk_staged **held)
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

int
ncz_chunk_stage(ncz_engine *e, const ncz_chunk_store_item *item, ncz_buf *body, ncz_chunk_staged **full)
{
    ncz_chunk_part   *part = NULL;
    ncz_chunk_staged *s = NULL, *held;
    int               rc = NC_NOERR;

    *full = NULL;
    stage_in_draft(e, item, &part, &held);
    if (part == NULL)
        rc = ncz_chunk_part_make(e, item, body, &part);
    if (rc == NC_NOERR)
        rc = ncz_chunk_part_note(part, item->chunk);
    (void)pthread_mutex_lock(&e->lock);
    if (rc != NC_NOERR || (rc = ncz_chunk_staged_add(e, item->chunk->spec, item->chunk->index, part, &s)) != NC_NOERR)
        ncz_chunk_part_unref(e, part);
    if (held != NULL)
        ncz_chunk_staged_release(e, held);
    if (rc == NC_NOERR && s->nparts == s->needed && ncz_chunk_staged_claim(e, s))
        *full = s;
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_drafts_end(e);
    return rc;
}
