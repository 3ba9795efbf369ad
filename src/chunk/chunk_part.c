/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_part: encoded chunks, and the memory that holds them while they are staged. A part never changes; references
 * keep its bytes where they are.
 *
 * Fresh memory costs more than a copy, since the system zeroes each page at its first touch. So large parts that are
 * dropped leave their memory as spares, up to half of the cache's limit, for the next ones: writing one object after
 * the other touches the memory of one. Without a spare the encoder's own buffer becomes the part's, cut to size.
 *
 * Invariant: the cache's `used` counts the spares.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

#include <string.h>

#define SPARE_LEAST ((size_t)64 << 10) /* smaller memory is reused by the allocator itself */
#define TRIES       8                  /* spares that are compared with a size */

/* ---- spares, under the engine's lock ---- */

/* Is in the spare memory itself. */
struct ncz_chunk_part_spare {
    struct ncz_chunk_part_spare *next;
    size_t                       room;
};

/* Whether memory of `room` bytes is worth keeping, and fits into half of the cache's limit and what is free of it. */
static bool
may_keep(const ncz_engine *e, size_t room)
{
    size_t limit = e->cache.limit, spare, used;

    return room >= SPARE_LEAST && ncz_add(e->staging.spare_bytes, room, &spare) && spare <= limit / 2 &&
           ncz_add(e->cache.used, room, &used) && used <= limit;
}

static void
free_memory(ncz_engine *e, char *data, size_t room)
{
    ncz_chunk_part_spare *spare = (ncz_chunk_part_spare *)(void *)data;

    if (data == NULL || !may_keep(e, room)) {
        ncz_free(data);
        return;
    }
    *spare = (ncz_chunk_part_spare){.next = e->staging.spares, .room = room};
    e->staging.spares = spare;
    e->staging.spare_bytes += room;
    e->cache.used += room;
}

/* Takes the spare at `*at` out of the list. */
static char *
unlink_spare(ncz_engine *e, ncz_chunk_part_spare **at)
{
    ncz_chunk_part_spare *spare = *at;

    *at = spare->next;
    e->staging.spare_bytes -= spare->room;
    e->cache.used -= spare->room;
    return (char *)spare;
}

/* Memory for `room` bytes, at most twice as much; NULL: there is no such spare. */
static char *
take_spare(ncz_engine *e, size_t room, size_t *got)
{
    ncz_chunk_part_spare **at = &e->staging.spares;

    for (int i = 0; i < TRIES && *at != NULL; i++, at = &(*at)->next) {
        if ((*at)->room < room || (*at)->room / 2 > room)
            continue;
        *got = (*at)->room;
        return unlink_spare(e, at);
    }
    return NULL;
}

void
ncz_chunk_part_drop_spares(ncz_engine *e)
{
    while (e->staging.spares != NULL)
        ncz_free(unlink_spare(e, &e->staging.spares));
}

/* ---- parts ---- */

bool
ncz_chunk_part_spilled(const ncz_chunk_part *p)
{
    return p->data == NULL && !p->gone;
}

size_t
ncz_chunk_part_bytes(const ncz_chunk_part *p)
{
    return sizeof *p + (p->data != NULL ? p->room : 0) + p->ours_bytes;
}

void
ncz_chunk_part_spill(ncz_chunk_part *p, uint64_t at)
{
    ncz_free(p->data);
    p->data = NULL;
    p->room = 0;
    p->spilled = at;
}

void
ncz_chunk_part_unref(ncz_engine *e, ncz_chunk_part *p)
{
    if (p == NULL || --p->refs > 0)
        return;
    if (p->draft != NULL)
        ncz_chunk_draft_leave(e, p);
    else if (ncz_chunk_part_spilled(p))
        ncz_chunk_spill_drop(&e->staging.spill, p->nbytes);
    free_memory(e, p->data, p->room);
    ncz_chunk_part_drop_ours(p);
    ncz_free(p);
}

void
ncz_chunk_part_drop(ncz_engine *e, ncz_chunk_part *p)
{
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_part_unref(e, p);
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_drafts_end(e);
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

/* Gives the part its bytes: in spare memory, or in the encoder's, or in fresh one. */
static bool
set_bytes(ncz_engine *e, ncz_chunk_part *p, const char *from, ncz_buf *body)
{
    bool fresh = from != body->data || p->nbytes == 0;

    p->room = round_room(p->nbytes);
    if (p->room >= SPARE_LEAST) {
        (void)pthread_mutex_lock(&e->lock);
        p->data = take_spare(e, p->room, &p->room);
        (void)pthread_mutex_unlock(&e->lock);
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
ncz_chunk_part_make(ncz_engine *e, const ncz_chunk_store_item *item, ncz_buf *body, ncz_chunk_part **out)
{
    ncz_chunk_part *p = ncz_zalloc(sizeof *p);

    if (p == NULL)
        return ncz_fail_nomem(sizeof *p);
    *p = (ncz_chunk_part){.refs = 1, .gone = item->gone, .nbytes = item->gone ? 0 : item->nbytes};
    if (!item->gone && !set_bytes(e, p, item->encoded, body)) {
        ncz_free(p);
        return ncz_fail_nomem(item->nbytes);
    }
    *out = p;
    return NC_NOERR;
}
