/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_draft_put: storing an object that has a draft (object_draft.c): the draft becomes the object, or gives its
 * bytes to one that is put as others are.
 */
#include "object/object_draft.h"
#include "object/object_index.h"
#include "object/object_put.h"
#include "object/object_staging.h"
#include "object/object_table.h"

/* ---- 4. make it the object ---- */

/* A chunk that is to be stored and not in the draft yet. Under the lock: whether its place is free. */
static bool
has_room(const ncz_object_draft *d, const ncz_staged_chunk *p, size_t place)
{
    return p->draft == d || (p->data != NULL && p->nbytes == d->nbytes && !ncz_object_draft_used(d, place));
}

/* Under the lock. */
static bool
fits_draft(const ncz_object_put *o, const ncz_object_draft *d)
{
    size_t n = 0, end = 0;

    for (size_t k = 0; k < o->nslots; k++) {
        const ncz_staged_chunk *p = o->taken[k];
        size_t                  place;

        if (o->merged != NULL && o->merged[k] != NULL)
            return false;
        if (p == NULL && o->slots[k].length > 0)
            return false;
        if (p == NULL || p->gone)
            continue;
        place = ncz_object_before(o->spec, o->staged->first, k);
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
    const ncz_object_draft *d = o->staged != NULL ? o->staged->draft : NULL;
    bool                    fits;

    if (d == NULL || d->over || !zmap_draft_is_own(d->file))
        return false;
    (void)pthread_mutex_lock(&o->objects->cells->lock);
    fits = fits_draft(o, d);
    (void)pthread_mutex_unlock(&o->objects->cells->lock);
    return fits;
}

/* Writes the chunks that are in memory, and lists where all are. */
static int
write_rest(const ncz_object_put *o, ncz_slot *slots, uint64_t *end)
{
    const ncz_object_draft *d = o->staged->draft;
    int                     rc = NC_NOERR;

    *end = d->base;
    for (size_t k = 0; k < o->nslots && rc == NC_NOERR; k++) {
        const ncz_staged_chunk *p = o->taken[k];

        if (p == NULL || p->gone)
            continue;
        slots[k] =
            (ncz_slot){ncz_object_draft_at(d, ncz_object_before(o->spec, o->staged->first, k)), (uint64_t)d->nbytes};
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
    ncz_object_draft *d = o->staged->draft;
    ncz_slot         *slots = ncz_zalloc_n(o->nslots, sizeof *slots);
    uint64_t          end = 0;
    size_t            nindex;
    bool              at_end;
    int               rc;

    if (slots == NULL)
        return ncz_fail_nomem(o->nslots * sizeof *slots);
    if ((rc = ncz_object_index_range(o->spec, o->key, &nindex, &at_end)) == NC_NOERR &&
        (rc = write_rest(o, slots, &end)) == NC_NOERR && (rc = l->ops->place_index(l, slots, &o->fresh)) == NC_NOERR)
        rc = zmap_draft_write(d->file, at_end ? end : 0, o->fresh.data, o->fresh.len);
    o->nbytes = (size_t)(at_end ? end + nindex : end);
    ncz_free(slots);
    return rc;
}

bool
ncz_object_put_publish_draft(ncz_object_put *o, const zmap_put_req *put, int *rc)
{
    ncz_object_draft *d = o->staged->draft;

    d->mapped = NULL;
    *rc = zmap_draft_publish(d->file, o->nbytes, put->when, put->version, o->stored);
    if (*rc == NC_NOERR)
        return false;
    if (put->when != ZMAP_ALWAYS && (*rc == NC_EOBJECT || *rc == NC_ENOOBJECT))
        return true;
    (void)pthread_mutex_lock(&o->objects->cells->lock);
    d->over = true;
    (void)pthread_mutex_unlock(&o->objects->cells->lock);
    return false;
}

/* ---- 5. or put it as others ---- */

int
ncz_object_put_map_drafts(ncz_object_put *o)
{
    for (size_t k = 0; k < o->nslots; k++) {
        ncz_object_draft *d = o->taken[k] != NULL ? o->taken[k]->draft : NULL;
        const void       *map;
        int               rc;

        if (d == NULL || d->mapped != NULL)
            continue;
        if ((rc = zmap_draft_map(d->file, &map)) != NC_NOERR)
            return rc;
        d->mapped = map;
    }
    return NC_NOERR;
}
