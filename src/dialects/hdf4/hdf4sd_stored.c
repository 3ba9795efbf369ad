/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks that are looked up, once: those of a table, bytes that are compressed as a whole, and data in linked blocks.
 * What of a chunk lies in several places is read then, and kept in memory.
 */
#include "dialects/hdf4/hdf4sd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GATHERED_LEAST = 64 << 20, GATHERED_TIMES = 4 }; /* what may be kept: so many times the file, and this */

typedef struct search {
    ncz_hdf4sd_layout       *l;
    const ncz_layout_source *source;
    uint64_t                 gathered; /* bytes */
} search;

/* ---- one chunk ---- */

static int
lose_chunk(ncz_hdf4sd_stored *c, const char *why)
{
    return (c->lost = ncz_strdup(why)) != NULL ? NC_NOERR : ncz_fail_nomem(strlen(why));
}

/* A chunk whose place the table does not say may be any that it does not have. */
static int
lose_unplaced(ncz_hdf4sd_layout *l, const char *why)
{
    return l->lost != NULL || (l->lost = ncz_strdup(why)) != NULL ? NC_NOERR : ncz_fail_nomem(strlen(why));
}

/* Reads the bytes [from, from + len) of the pieces into memory. */
static int
gather(search *s, const ncz_hdf4_pieces *p, uint64_t from, uint64_t len, ncz_hdf4sd_stored *c)
{
    uint64_t        most = s->l->place->file->size * GATHERED_TIMES + GATHERED_LEAST, at = 0;
    ncz_read_range *ranges = NULL;
    size_t          n = 0;
    int             rc = NC_NOERR;

    s->gathered += len;
    if (s->gathered > most || len > SIZE_MAX)
        return ncz_fail(NC_ENOTBUILT, "%s: more than %" PRIu64 " bytes of it lie in several places",
                        s->l->place->name, most);
    ranges = ncz_alloc_n(p->n, sizeof *ranges);
    c->bytes = ncz_zalloc((size_t)len);
    c->length = len;
    if (ranges == NULL || c->bytes == NULL)
        rc = ncz_fail_nomem((size_t)len);
    for (size_t i = 0; i < p->n && at < from + len && rc == NC_NOERR; at += p->v[i++].len) {
        uint64_t skip = from > at ? from - at : 0, end = p->v[i].len;

        if (skip >= p->v[i].len || p->v[i].at == NCZ_HDF4_NONE)
            continue;
        end = at + end > from + len ? from + len - at : end;
        ranges[n++] = (ncz_read_range){
            .at = p->v[i].at + skip, .len = (size_t)(end - skip), .out = c->bytes + (at + skip - from)};
    }
    if (rc == NC_NOERR && n > 0)
        rc = s->source->read(s->source->arg, ranges, n);
    ncz_free(ranges);
    return rc;
}

/* In one piece it stays in the file. */
static int
place_bytes(search *s, const ncz_hdf4_pieces *p, uint64_t from, uint64_t len, ncz_hdf4sd_stored *c)
{
    uint64_t at = 0;

    for (size_t i = 0; i < p->n; at += p->v[i++].len)
        if (from >= at && from + len <= at + p->v[i].len) {
            c->offset = p->v[i].at == NCZ_HDF4_NONE ? NCZ_HDF4_NONE : p->v[i].at + (from - at);
            c->length = len;
            return NC_NOERR;
        } else if (at > from) {
            break;
        }
    return gather(s, p, from, len, c);
}

static int
keep_stored(ncz_hdf4sd_layout *l, ncz_hdf4sd_stored *c)
{
    int rc = ncz_make_room(&l->v, l->n, &l->cap, sizeof *l->v);

    if (rc == NC_NOERR) {
        l->v[l->n++] = *c;
        return rc;
    }
    ncz_free(c->bytes);
    ncz_free(c->lost);
    return rc;
}

/* How many bytes a byte can become at most; 0: any number. */
static uint64_t
most_expansion(const ncz_hdf4sd_place *p)
{
    switch (p->data.coder.id) {
    case NCZ_HDF4_STORED: return 1;
    case NCZ_HDF4_RLE: return 65;                    /* a run of 130 is two bytes */
    case NCZ_HDF4_NBIT: return 8 * p->element;       /* at least a bit of an element */
    case NCZ_HDF4_HUFFMAN: return 8;                 /* at least a bit of a byte */
    case NCZ_HDF4_DEFLATE: return 1032 + p->element; /* and some, for short ones */
    default: return 0;
    }
}

/* No memory is asked for by a length that the bytes cannot have. */
static int
check_expansion(const ncz_hdf4sd_layout *l, ncz_hdf4sd_stored *c)
{
    uint64_t most = most_expansion(l->place);
    char     why[96];

    if (most == 0 || l->bytes / most <= c->length)
        return NC_NOERR;
    (void)snprintf(why, sizeof why, "its %" PRIu64 " bytes cannot become %zu", c->length, l->bytes);
    return lose_chunk(c, why);
}

/* ---- of a table ---- */

static int
add_chunk(void *arg, const ncz_hdf4_chunk *chunk)
{
    search           *s = arg;
    ncz_hdf4sd_stored c = {.number = 0};
    int               rc;

    if (chunk->at == NULL)
        return lose_unplaced(s->l, chunk->lost);
    for (size_t d = 0; d < s->l->place->rank; d++)
        c.number = c.number * s->l->count[d] + chunk->at[d]; /* the product fits */
    rc = chunk->lost != NULL ? lose_chunk(&c, chunk->lost) : place_bytes(s, chunk->pieces, 0, chunk->pieces->len, &c);
    if (rc == NC_NOERR && c.lost == NULL)
        rc = check_expansion(s->l, &c);
    return rc == NC_NOERR ? keep_stored(s->l, &c) : (ncz_free(c.bytes), rc);
}

/* ---- in one element ---- */

/* Compressed as a whole: one chunk. */
static int
add_whole(search *s, const ncz_hdf4_pieces *p)
{
    ncz_hdf4sd_stored c = {.number = 0};
    int               rc = place_bytes(s, p, 0, p->len, &c);

    if (rc == NC_NOERR)
        rc = check_expansion(s->l, &c);
    return rc == NC_NOERR ? keep_stored(s->l, &c) : (ncz_free(c.bytes), rc);
}

/* In blocks: pieces of the array, whose bytes follow each other. */
static int
add_rows(search *s, const ncz_hdf4_pieces *p)
{
    const ncz_hdf4sd_place *place = s->l->place;
    uint64_t                all = place->element, count = 1, from = 0;
    int                     rc = NC_NOERR;

    for (size_t d = 0; d < place->rank; d++) {
        all *= place->n[d];
        count *= s->l->count[d];
    }
    for (uint64_t i = 0; i < count && rc == NC_NOERR; i++) {
        uint64_t          number = i, len = place->element;
        ncz_hdf4sd_stored c = {.number = i};

        for (size_t d = place->rank; d-- > 0; number /= s->l->count[d]) {
            uint64_t chunk = place->n[place->rank + d], first = number % s->l->count[d] * chunk;

            len *= place->n[d] - first < chunk ? place->n[d] - first : chunk;
        }
        if (from + len > all)
            return ncz_fail(NC_EINTERNAL, "%s: its pieces do not follow each other", place->name);
        rc = place_bytes(s, p, from, len, &c);
        rc = rc == NC_NOERR ? keep_stored(s->l, &c) : (ncz_free(c.bytes), rc);
        from += len;
    }
    return rc;
}

/* ---- all ---- */

/* By number, and the one that the table had last in front. */
static int
compare_stored(const void *a, const void *b)
{
    uint64_t x = ((const ncz_hdf4sd_stored *)a)->number, y = ((const ncz_hdf4sd_stored *)b)->number;

    return x < y ? -1 : x > y;
}

/* A place that the table has twice is damage of that chunk, and of the one that should have the other record. */
static int
sort_stored(ncz_hdf4sd_layout *l)
{
    size_t n = 0;
    int    rc = NC_NOERR;

    if (l->n > 1)
        qsort(l->v, l->n, sizeof *l->v, compare_stored);
    for (size_t i = 0; i < l->n; i++) {
        if (n == 0 || l->v[n - 1].number != l->v[i].number) {
            l->v[n++] = l->v[i];
            continue;
        }
        ncz_free(l->v[i].bytes);
        ncz_free(l->v[i].lost);
        if (rc == NC_NOERR && l->v[n - 1].lost == NULL)
            rc = lose_chunk(&l->v[n - 1], "the table of chunks has it twice");
        if (rc == NC_NOERR)
            rc = lose_unplaced(l, "the table of chunks has another one twice, and not this one");
    }
    l->n = n;
    return rc;
}

int
ncz_hdf4sd_find_stored(ncz_hdf4sd_layout *l, const ncz_layout_source *source)
{
    const ncz_hdf4_data *data = &l->place->data;
    search               s = {.l = l, .source = source};
    ncz_hdf4_pieces      pieces = {.v = NULL};
    int                  rc;

    if (data->kind == NCZ_HDF4_CHUNKED)
        rc = ncz_hdf4_chunks(l->place->file->f, data, add_chunk, &s);
    else if ((rc = ncz_hdf4_find_pieces(l->place->file->f, data, &pieces)) == NC_NOERR)
        rc = data->kind == NCZ_HDF4_LINKED ? add_rows(&s, &pieces) : add_whole(&s, &pieces);
    ncz_hdf4_pieces_clear(&pieces);
    return rc == NC_NOERR ? sort_stored(l) : rc;
}

void
ncz_hdf4sd_forget_stored(ncz_hdf4sd_layout *l)
{
    for (size_t i = 0; i < l->n; i++) {
        ncz_free(l->v[i].bytes);
        ncz_free(l->v[i].lost);
    }
    ncz_free(l->v);
    ncz_free(l->lost);
    l->v = NULL;
    l->lost = NULL;
    l->n = l->cap = 0;
}
