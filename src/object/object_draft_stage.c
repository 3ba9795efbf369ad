/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_draft_stage: stages an encoded chunk, until its object is stored (object_staging.c): where it belongs in the
 * object's draft, if the object can have one (object_draft.c), or else in memory.
 */
#include "object/object_draft.h"
#include "object/object_encode.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"

enum { DRAFTS_MOST = 64 }; /* of a dataset: each is an open file */

static bool
may_draft(const ncz_objects *objects, const ncz_object_item *item)
{
    const ncz_spec *spec = item->chunk->spec;

    return !item->gone && item->nbytes >= objects->draft_chunk && item->chunk->written == NULL &&
           (zmap_caps_of(objects->map) & ZMAP_CAN_DRAFT) != 0 && spec->layout->ops->place_index != NULL &&
           ncz_chain_is_fixed(spec->chain);
}

ncz_object_draft *
ncz_object_draft_take(ncz_objects *objects, ncz_staged_object *s, size_t nbytes)
{
    ncz_object_draft *d;

    while (s->drafting)
        (void)pthread_cond_wait(&objects->cells->changed, &objects->cells->lock);
    if (s->draft == NULL && !s->no_draft && s->storing == NULL && objects->staging.ndrafts < DRAFTS_MOST) {
        s->drafting = true;
        objects->staging.ndrafts++;
        (void)pthread_mutex_unlock(&objects->cells->lock);
        d = ncz_object_draft_new(objects, s, nbytes);
        (void)pthread_mutex_lock(&objects->cells->lock);
        objects->staging.ndrafts -= d == NULL;
        s->drafting = false;
        s->draft = d;
        s->no_draft = d == NULL;
        (void)pthread_cond_broadcast(&objects->cells->changed);
    }
    d = s->draft;
    if (d == NULL || s->storing != NULL || d->over || d->nbytes != nbytes || !zmap_draft_is_own(d->file))
        return NULL;
    return d;
}

/* Under the lock: a staged chunk whose place in the draft is reserved; or NULL. */
static ncz_staged_chunk *
reserve_chunk(ncz_objects *objects, const ncz_object_item *item, ncz_staged_object *s)
{
    ncz_object_draft *d = ncz_object_draft_take(objects, s, item->nbytes);
    size_t            slot = (size_t)ncz_layout_slot(s->spec->layout, item->chunk->index);
    ncz_staged_chunk *p = NULL;

    if (d == NULL || !ncz_object_draft_reserve(d, s, slot))
        return NULL;
    if ((p = ncz_object_draft_chunk_at(d, s, slot)) == NULL) {
        ncz_object_draft_unreserve(d, s, slot);
        ncz_err_clear(); /* to stage it otherwise needs the same memory, and reports that */
    }
    return p;
}

/*
 * Writes an encoded chunk where it belongs in its object's draft, which it may begin. *out: a staged chunk with one
 * reference; or NULL: it is to be staged otherwise. *held: its object, to be released; or NULL.
 */
static void
stage_in_draft(ncz_objects *objects, const ncz_object_item *item, ncz_staged_chunk **out, ncz_staged_object **held)
{
    ncz_staged_chunk *p = NULL;

    *out = NULL;
    *held = NULL;
    if (!may_draft(objects, item))
        return;
    (void)pthread_mutex_lock(&objects->cells->lock);
    if (ncz_object_staging_hold(objects, item->chunk->spec, item->chunk->index, held) == NC_NOERR)
        p = reserve_chunk(objects, item, *held);
    else
        ncz_err_clear(); /* to stage it otherwise needs the same memory, and reports that */
    (void)pthread_mutex_unlock(&objects->cells->lock);
    if (p == NULL)
        return;
    if (zmap_draft_write(p->draft->file, p->spilled, item->encoded, item->nbytes) == NC_NOERR) {
        *out = p;
        return;
    }
    ncz_log(NCZ_LOG_WARN, "%s: the chunk waits in memory until its shard is stored", ncz_err_text());
    ncz_err_clear();
    ncz_object_staged_drop(objects, p);
}

int
ncz_object_stage(ncz_objects *objects, const ncz_object_item *item, ncz_buf *body, ncz_staged_object **full)
{
    ncz_staged_chunk  *chunk = NULL;
    ncz_staged_object *s = NULL, *held;
    int                rc = NC_NOERR;

    *full = NULL;
    stage_in_draft(objects, item, &chunk, &held);
    if (chunk == NULL)
        rc = ncz_object_staged_make(objects, item, body, &chunk);
    if (rc == NC_NOERR)
        rc = ncz_object_staged_note_written(chunk, item->chunk);
    (void)pthread_mutex_lock(&objects->cells->lock);
    if (rc != NC_NOERR ||
        (rc = ncz_object_staging_add(objects, item->chunk->spec, item->chunk->index, chunk, &s)) != NC_NOERR)
        ncz_object_staged_unref(objects, chunk);
    if (held != NULL)
        ncz_object_staging_release(objects, held);
    if (rc == NC_NOERR && s->nchunks == s->needed && ncz_object_staging_claim(objects, s))
        *full = s;
    (void)pthread_mutex_unlock(&objects->cells->lock);
    ncz_object_drafts_end(objects);
    return rc;
}
