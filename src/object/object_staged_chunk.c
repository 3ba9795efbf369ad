/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_staged_chunk: encoded chunks, and the memory that holds them while they are staged. One never changes;
 * references keep its bytes where they are.
 *
 * Fresh memory costs more than a copy, since the system zeroes each page at its first touch. So large ones that are
 * dropped leave their memory as spares, up to half of the cache's limit, for the next ones: writing one object after
 * the other touches the memory of one. Without a spare the encoder's own buffer becomes the staged chunk's, cut to
 * size.
 *
 * Invariant: the cache's `used` counts the spares.
 */
#include "cells/cells_written.h"
#include "object/object_draft.h"
#include "object/object_encode.h"
#include "object/object_spill.h"
#include "object/object_staged_chunk.h"

#include <string.h>

#define SPARE_LEAST ((size_t)64 << 10) /* smaller memory is reused by the allocator itself */
#define TRIES       8                  /* spares that are compared with a size */

/* ---- spares, under the lock ---- */

/* Is in the spare memory itself. */
struct ncz_staged_spare {
    struct ncz_staged_spare *next;
    size_t                   room;
};

/* Whether memory of `room` bytes is worth keeping, and fits into half of the cache's limit and what is free of it. */
static bool
may_keep(const ncz_objects *objects, size_t room)
{
    size_t limit = objects->cells->cache.limit, spare, used;

    return room >= SPARE_LEAST && ncz_add(objects->staging.spare_bytes, room, &spare) && spare <= limit / 2 &&
           ncz_add(objects->cells->cache.used, room, &used) && used <= limit;
}

static void
free_memory(ncz_objects *objects, char *data, size_t room)
{
    ncz_staged_spare *spare = (ncz_staged_spare *)(void *)data;

    if (data == NULL || !may_keep(objects, room)) {
        ncz_free(data);
        return;
    }
    *spare = (ncz_staged_spare){.next = objects->staging.spares, .room = room};
    objects->staging.spares = spare;
    objects->staging.spare_bytes += room;
    objects->cells->cache.used += room;
}

/* Takes the spare at `*at` out of the list. */
static char *
unlink_spare(ncz_objects *objects, ncz_staged_spare **at)
{
    ncz_staged_spare *spare = *at;

    *at = spare->next;
    objects->staging.spare_bytes -= spare->room;
    objects->cells->cache.used -= spare->room;
    return (char *)spare;
}

/* Memory for `room` bytes, at most twice as much; NULL: there is no such spare. */
static char *
take_spare(ncz_objects *objects, size_t room, size_t *got)
{
    ncz_staged_spare **at = &objects->staging.spares;

    for (int i = 0; i < TRIES && *at != NULL; i++, at = &(*at)->next) {
        if ((*at)->room < room || (*at)->room / 2 > room)
            continue;
        *got = (*at)->room;
        return unlink_spare(objects, at);
    }
    return NULL;
}

void
ncz_object_drop_spares(ncz_objects *objects)
{
    while (objects->staging.spares != NULL)
        ncz_free(unlink_spare(objects, &objects->staging.spares));
}

/* ---- staged chunks ---- */

bool
ncz_object_staged_is_spilled(const ncz_staged_chunk *p)
{
    return p->data == NULL && !p->gone;
}

size_t
ncz_object_staged_bytes(const ncz_staged_chunk *p)
{
    return sizeof *p + (p->data != NULL ? p->room : 0) + p->written_bytes;
}

void
ncz_object_staged_spill(ncz_staged_chunk *p, uint64_t at)
{
    ncz_free(p->data);
    p->data = NULL;
    p->room = 0;
    p->spilled = at;
}

static void
drop_written(ncz_staged_chunk *p)
{
    ncz_free(p->written);
    ncz_free(p->version);
    p->written = NULL;
    p->version = NULL;
    p->written_bytes = 0;
}

void
ncz_object_staged_unref(ncz_objects *objects, ncz_staged_chunk *p)
{
    if (p == NULL || --p->refs > 0)
        return;
    if (p->draft != NULL)
        ncz_object_draft_leave(objects, p);
    else if (ncz_object_staged_is_spilled(p))
        ncz_object_spill_drop(&objects->staging.spill, p->nbytes);
    free_memory(objects, p->data, p->room);
    drop_written(p);
    ncz_free(p);
}

void
ncz_object_staged_drop(ncz_objects *objects, ncz_staged_chunk *p)
{
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&objects->cells->lock);
    ncz_object_staged_unref(objects, p);
    (void)pthread_mutex_unlock(&objects->cells->lock);
    ncz_object_drafts_end(objects);
}

/* A size that chunks of about the same size share, so that they can use each other's memory. */
static size_t
round_room(size_t nbytes)
{
    size_t step = SPARE_LEAST / 8, room;

    if (nbytes < SPARE_LEAST)
        return nbytes;
    while (step < nbytes / 16)
        step *= 2;
    return ncz_add(nbytes, step - 1, &room) ? room / step * step : nbytes;
}

/*
 * Takes over the bytes in `body`, whose memory is cut to `room`. An encoder needs room for its worst case, so a body is
 * far larger than what is in it; the rest was never touched and costs nothing. NULL: no memory.
 */
static char *
take_body(ncz_buf *body, size_t room)
{
    char *data = ncz_grow(body->data, room, 1);

    if (data != NULL)
        *body = NCZ_BUF_INIT;
    return data;
}

/* Gives it its bytes: in spare memory, or in the encoder's, or in fresh one. */
static bool
set_bytes(ncz_objects *objects, ncz_staged_chunk *p, const char *from, ncz_buf *body)
{
    bool fresh = from != body->data || p->nbytes == 0;

    p->room = round_room(p->nbytes);
    if (p->room >= SPARE_LEAST) {
        (void)pthread_mutex_lock(&objects->cells->lock);
        p->data = take_spare(objects, p->room, &p->room);
        (void)pthread_mutex_unlock(&objects->cells->lock);
    }
    if (p->data == NULL && !fresh)
        return (p->data = take_body(body, p->room)) != NULL;
    if (p->data == NULL && (p->data = ncz_alloc(p->room)) == NULL)
        return false;
    if (p->nbytes > 0)
        memcpy(p->data, from, p->nbytes);
    return true;
}

int
ncz_object_staged_make(ncz_objects *objects, const ncz_object_item *item, ncz_buf *body, ncz_staged_chunk **out)
{
    ncz_staged_chunk *p = ncz_zalloc(sizeof *p);

    if (p == NULL)
        return ncz_fail_nomem(sizeof *p);
    *p = (ncz_staged_chunk){.refs = 1, .gone = item->gone, .nbytes = item->gone ? 0 : item->nbytes};
    if (!item->gone && !set_bytes(objects, p, item->encoded, body)) {
        ncz_free(p);
        return ncz_fail_nomem(item->nbytes);
    }
    *out = p;
    return NC_NOERR;
}

/* ---- which of its elements were written here ---- */

int
ncz_object_staged_note_written(ncz_staged_chunk *p, const ncz_cell *chunk)
{
    size_t nbytes = ncz_cell_written_words(chunk->spec) * sizeof *p->written;

    p->absent = chunk->absent;
    if (chunk->written == NULL)
        return NC_NOERR;
    if ((p->written = ncz_dup(chunk->written, nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    p->written_bytes = nbytes;
    /* Without memory the version counts as unknown, as in ncz_cell_set_version(). */
    if (chunk->version != NULL && (p->version = ncz_strdup(chunk->version)) == NULL)
        ncz_err_clear();
    return NC_NOERR;
}

void
ncz_object_staged_inherit(const ncz_spec *spec, ncz_staged_chunk *p, const ncz_staged_chunk *old)
{
    if (p->written == NULL)
        return;
    for (size_t i = 0; old->written != NULL && i < ncz_cell_written_words(spec); i++)
        p->written[i] |= old->written[i];
    if (old->written == NULL || ncz_cell_all_written(spec, p->written)) {
        drop_written(p);
        return;
    }
    p->absent = old->absent;
    ncz_free(p->version);
    p->version = old->version != NULL ? ncz_strdup(old->version) : NULL;
    if (old->version != NULL && p->version == NULL)
        ncz_err_clear();
}
