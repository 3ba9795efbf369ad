/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_put: the first step and the last one of storing an object (object_store.c): takes the chunks that
 * go into it, and gives them back.
 */
#include "cells/cells_written.h"
#include "object/object_draft.h"
#include "object/object_encode.h"
#include "object/object_in_place.h"
#include "object/object_put.h"
#include "object/object_staging.h"

#include <stdio.h>

/* ---- begin ---- */

static int
map_spilled(ncz_object_put *o)
{
    const ncz_object_spill *file = &o->objects->staging.spill;
    bool                    any = false;

    for (size_t i = 0; i < o->nslots && !any; i++)
        any = o->taken[i] != NULL && ncz_object_staged_is_spilled(o->taken[i]) && o->taken[i]->draft == NULL;
    if (!any)
        return NC_NOERR;
    (void)pthread_mutex_lock(&o->objects->cells->lock);
    o->mapped_bytes = file->end;
    (void)pthread_mutex_unlock(&o->objects->cells->lock);
    return ncz_object_spill_map(file, o->mapped_bytes, &o->mapped);
}

static int
take_staged(ncz_object_put *o)
{
    size_t         n = o->nslots;
    ncz_chunk_addr where;
    int            rc;

    if ((o->slots = ncz_zalloc_n(n, sizeof *o->slots)) == NULL ||
        (o->encoded = ncz_zalloc_n(n, sizeof *o->encoded)) == NULL ||
        (o->taken = ncz_zalloc_n(n, sizeof(ncz_staged_chunk *))) == NULL)
        return ncz_fail_nomem(n * (sizeof *o->slots + sizeof *o->encoded + sizeof(ncz_staged_chunk *)));
    o->partial = o->read = !ncz_object_staging_take(o->objects, o->staged, o->taken);
    if ((rc = ncz_spec_locate(o->spec, o->staged->first, &o->key_room, &where)) != NC_NOERR)
        return rc;
    o->key = where.key;
    return map_spilled(o);
}

/* An object of several chunks. */
void
ncz_object_put_begin_staged(ncz_object_put *o, ncz_objects *objects, ncz_staged_object *s)
{
    int rc;

    *o = (ncz_object_put){.objects = objects,
                          .staged = s,
                          .spec = s->spec,
                          .nslots = s->spec->layout->nslots,
                          .there = true,
                          .pending = true};
    if ((rc = take_staged(o)) != NC_NOERR)
        ncz_object_put_fail(o, rc);
}

/* `taken`, `slots` and `encoded` of an object that is one chunk. */
static void
set_plain(ncz_object_put *o, ncz_staged_chunk *taken)
{
    o->plain = true;
    o->nslots = 1;
    o->one.taken = taken;
    o->taken = &o->one.taken;
    o->slots = &o->one.slot;
    o->encoded = &o->one.bytes;
}

/* An object that is one chunk, just encoded. */
static void
begin_chunk(ncz_object_put *o, ncz_objects *objects, ncz_object_item *item, const char *key)
{
    const ncz_cell *chunk = item->chunk;

    *o = (ncz_object_put){.objects = objects,
                          .item = item,
                          .spec = chunk->spec,
                          .key = key,
                          .there = !chunk->absent && chunk->spec->chunk_bytes > 0,
                          .partial = chunk->written != NULL,
                          .pending = true};
    o->one.chunk = (ncz_staged_chunk){.gone = item->gone,
                                      .data = (char *)(uintptr_t)item->encoded,
                                      .nbytes = item->nbytes,
                                      .written = chunk->written,
                                      .absent = chunk->absent,
                                      .version = chunk->version};
    set_plain(o, &o->one.chunk);
    o->read = o->partial && o->there && objects->cells->conditions && chunk->version == NULL;
    if (chunk->version != NULL)
        (void)snprintf(o->version, sizeof o->version, "%s", chunk->version);
}

/* An object that is one chunk, which is stored again if it is narrower than its array. */
void
ncz_object_put_begin_wider(ncz_object_put *o, ncz_objects *objects, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk_addr where;
    int            rc;

    *o = (ncz_object_put){
        .objects = objects, .spec = spec, .there = true, .partial = true, .read = true, .pending = true};
    set_plain(o, NULL);
    if ((rc = ncz_spec_locate(spec, index, &o->key_room, &where)) != NC_NOERR)
        ncz_object_put_fail(o, rc);
    o->key = where.key;
}

int
ncz_object_put_begin(ncz_object_put *o, ncz_objects *objects, ncz_object_item *item, ncz_buf *key, ncz_buf *body,
                     ncz_scratch *scratch)
{
    ncz_staged_object *full;
    ncz_chunk_addr     where;
    int                rc;

    o->objects = NULL;
    if ((rc = ncz_object_encode(objects, item, key, body, scratch, &where)) != NC_NOERR)
        return rc;
    if (ncz_object_is_in_place(&where))
        rc = ncz_object_put_in_place(objects, item, &where, scratch);
    else if (where.slot == NCZ_NO_SLOT)
        begin_chunk(o, objects, item, where.key);
    else if ((rc = ncz_object_stage(objects, item, body, &full)) == NC_NOERR && full != NULL)
        ncz_object_put_begin_staged(o, objects, full);
    return rc;
}

/* ---- end ---- */

static void
end_chunk(ncz_object_put *o)
{
    if (o->err.code != NC_NOERR)
        return;
    ncz_cell_set_version(o->item->chunk, o->stored);
    o->item->gone = o->empty;
    o->item->merged = o->data;
    o->data = NULL;
}

static void
end_staged(ncz_object_put *o)
{
    if (o->err.code == NC_NOERR)
        ncz_object_put_settle(o);
    ncz_object_spill_unmap(o->mapped, o->mapped_bytes);
    ncz_object_staging_end(o->objects, o->staged, o->taken, o->err.code == NC_NOERR);
    ncz_free(o->slots);
    ncz_free(o->encoded);
    ncz_free(o->taken);
    ncz_object_temp_close(&o->carried);
    ncz_object_temp_close(&o->made);
    ncz_buf_clear(&o->fresh);
    ncz_free(o->parts);
}

void
ncz_object_put_end(ncz_object_put *o)
{
    if (o->item != NULL)
        end_chunk(o);
    else if (o->staged != NULL)
        end_staged(o);
    ncz_object_put_drop_merged(o);
    ncz_buf_clear(&o->key_room);
    ncz_buf_clear(&o->old);
}
