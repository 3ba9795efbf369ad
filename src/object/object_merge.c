/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_merge: merges chunks of which other processes may write other elements. A chunk that was written in part knows
 * which elements were written here (cells_written.c), and the version of the object that has the others. If the object
 * is another version when it is stored, those elements are laid over the chunk that it has now, and the result is
 * stored instead. Otherwise the encoded bytes are. Elements that two processes write keep one of the two values.
 */
#include "cells/cells_cache.h"
#include "cells/cells_short_strings.h"
#include "cells/cells_written.h"
#include "object/object_encode.h"
#include "object/object_overlay.h"
#include "object/object_put.h"
#include "object/object_staging.h"

#include <string.h>

/* Whether a chunk to be stored is to be merged with the stored one. */
static bool
is_merged(const ncz_object_put *o, size_t slot)
{
    const ncz_staged_chunk *p = o->taken[slot];

    if (p == NULL || p->written == NULL)
        return false;
    if (!o->there || o->slots[slot].length == 0)
        return !p->absent; /* there still is no chunk */
    return p->version == NULL || strcmp(p->version, o->version) != 0;
}

bool
ncz_object_put_keeps(const ncz_object_put *o, size_t slot)
{
    return o->slots[slot].length > 0 && (o->taken[slot] == NULL || is_merged(o, slot));
}

/* Whether a chunk that holds only fill is put: where it only gets wider, or the store cannot check the version when it
 * deletes. */
static bool
puts_fill(const ncz_object_put *o)
{
    return o->plain && o->there && (o->item == NULL || !o->objects->del_match);
}

/* Encodes a merged chunk. */
static int
make_staged(const ncz_object_put *o, const char *data, ncz_scratch *scratch, ncz_staged_chunk **out)
{
    ncz_object_item item = {.data = data};
    ncz_buf        *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_WORK, 0); /* STORED may have the chunk itself */
    int             rc;

    if ((rc = ncz_object_encode_data(o->objects, o->spec, puts_fill(o), &item, body, scratch)) != NC_NOERR)
        return rc;
    return ncz_object_staged_make(o->objects, &item, body, out);
}

static int
merge_slot(ncz_object_put *o, size_t slot, ncz_scratch *scratch, ncz_staged_chunk **out)
{
    const ncz_staged_chunk *p = o->taken[slot];
    ncz_object_overlay      lay = {
             .objects = o->objects, .spec = o->spec, .scratch = scratch, .key = o->key, .bits = p->written};
    ncz_slot_bytes mine = ncz_object_put_bytes_of(o, p);
    char          *ours = NULL, *data = NULL;
    int            rc = NC_NOERR;

    if (o->there && o->slots[slot].length > 0) {
        lay.theirs = o->kept + o->slots[slot].offset;
        lay.ntheirs = (size_t)o->slots[slot].length;
    }
    if (o->item == NULL && mine.data != NULL)
        rc = ncz_object_decode_new(&lay, mine.data, mine.nbytes, &ours);
    lay.ours = o->item != NULL ? o->item->data : ours;
    if (rc == NC_NOERR && (rc = ncz_object_overlay_make(&lay, &data)) == NC_NOERR)
        rc = make_staged(o, data, scratch, out);
    if (rc == NC_NOERR && o->item != NULL) {
        o->data = data;
        data = NULL;
    }
    ncz_free(ours);
    ncz_free(data);
    return rc;
}

static int
make_merged(ncz_object_put *o)
{
    if (o->merged == NULL && (o->merged = ncz_zalloc_n(o->nslots, sizeof(ncz_staged_chunk *))) == NULL)
        return ncz_fail_nomem(o->nslots * sizeof(ncz_staged_chunk *));
    return NC_NOERR;
}

/* Stores the object's only chunk at the width of its array, if it is narrower. */
static int
widen_chunk(ncz_object_put *o, ncz_scratch *scratch)
{
    char *data = ncz_alloc(o->spec->chunk_bytes);
    bool  narrow;
    int   rc;

    if (data == NULL)
        return ncz_fail_nomem(o->spec->chunk_bytes);
    rc = ncz_cells_widen_short(o->objects->cells, o->spec, o->key, scratch, o->kept, o->old.len, data, &narrow);
    if (rc == NC_NOERR && narrow && (rc = make_merged(o)) == NC_NOERR)
        rc = make_staged(o, data, scratch, &o->merged[0]);
    ncz_free(data);
    return rc;
}

int
ncz_object_put_merge(ncz_object_put *o, ncz_scratch *scratch)
{
    size_t n = o->nslots;
    int    rc = NC_NOERR;

    ncz_object_put_drop_merged(o);
    if (o->plain && o->item == NULL)
        return o->there ? widen_chunk(o, scratch) : NC_NOERR;
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        if (!is_merged(o, i))
            continue;
        if ((rc = make_merged(o)) == NC_NOERR)
            rc = merge_slot(o, i, scratch, &o->merged[i]);
    }
    return rc;
}

void
ncz_object_put_drop_merged(ncz_object_put *o)
{
    for (size_t i = 0; o->merged != NULL && i < o->nslots; i++)
        ncz_object_staged_drop(o->objects, o->merged[i]);
    ncz_free(o->merged);
    o->merged = NULL;
    ncz_free(o->data);
    o->data = NULL;
}

/* ---- after the put ---- */

/* A chunk that was staged, and that the cache still has. Under the lock. */
static void
settle_chunk(ncz_objects *objects, ncz_cell *chunk, bool merged, const char *version)
{
    if (chunk->state != NCZ_CELL_CLEAN || chunk->writer) /* changed since: its version stays the older one */
        return;
    if (merged && !ncz_cell_is_busy(chunk))
        ncz_cells_drop(&objects->cells->cache, chunk);
    else
        ncz_cell_set_version(chunk, merged ? NULL : version);
}

static void
settle_all(ncz_object_put *o, ncz_dims *object, ncz_dims *index)
{
    const ncz_staged_object *s = o->staged;
    ncz_objects             *objects = o->objects;

    for (size_t d = 0; d < o->spec->rank; d++)
        object->v[d] = s->first[d] / o->spec->layout->object[d];
    (void)pthread_mutex_lock(&objects->cells->lock);
    for (size_t i = 0; i < o->spec->layout->nslots && objects->cells->cache.n > 0; i++) {
        ncz_cell *chunk = NULL;

        if (o->taken[i] != NULL && s->chunks[i] == o->taken[i] &&
            ncz_layout_slot_chunk(o->spec->layout, object->v, i, index->v))
            chunk = ncz_cells_find(&objects->cells->cache, o->spec, index->v);
        if (chunk != NULL)
            settle_chunk(objects, chunk, o->merged != NULL && o->merged[i] != NULL, o->stored);
    }
    (void)pthread_mutex_unlock(&objects->cells->lock);
}

/* Without memory the chunks keep their older version, and are merged when they are stored again. */
void
ncz_object_put_settle(ncz_object_put *o)
{
    ncz_dims object, index;

    if (!ncz_cells_are_shared(o->objects->cells, o->spec))
        return;
    if (ncz_dims_init(&object, o->spec->rank) != NC_NOERR) {
        ncz_err_clear();
        return;
    }
    if (ncz_dims_init(&index, o->spec->rank) == NC_NOERR) {
        settle_all(o, &object, &index);
        ncz_dims_clear(&index);
    } else {
        ncz_err_clear();
    }
    ncz_dims_clear(&object);
}
