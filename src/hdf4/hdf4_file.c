/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open file: its magic number and the blocks of descriptors (1, File Header; 1, Data Objects), which are a list
 * through the file, and the table that finds an object by tag and reference.
 */
#include "hdf4/hdf4_int.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 4,
    BLOCK_HEAD = 6, /* bytes of a block before its descriptors: how many, and where the next block is */
    DESCRIPTOR = 12,
    WHOLE = 8 << 20,        /* a file up to this size is read at once where each read takes long, */
    WINDOW_LEAST = 1 << 20, /* of a larger one so much where a block is missing, and then more, */
    WINDOW_MOST = 8 << 20,
    EXPECTED = 6,         /* so many blocks that are to be expected behind it, at most, */
    END = 1 << 18,        /* and the end */
    HEAD_WASTE = 4096,    /* of a file's head so much at most is not kept */
    CALL_LEAST = 1 << 20, /* what a call may read of structures: the file's size so many times, and this */
    CALL_TIMES = 8,
    LOAD = 16,       /* a load is some work, too */
    SMALL = 1 << 16, /* elements of structure up to this size are read together */
};

static const unsigned char magic[MAGIC] = {0x0e, 0x03, 0x13, 0x01};

bool
ncz_hdf4_is(const void *bytes, size_t n)
{
    return n >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* ---- reading ---- */

void
ncz_hdf4_begin(ncz_hdf4 *f)
{
    f->work = 0;
}

/* Structures of a sound file do not overlap: who reads far more than there is goes around in circles. */
static int
count_work(ncz_hdf4 *f, uint64_t n, const char *what, uint64_t at)
{
    f->work += n + LOAD;
    if (f->work / CALL_TIMES <= f->source.size + CALL_LEAST)
        return NC_NOERR;
    return ncz_fail(NC_EHDFERR,
                    "%s at %" PRIu64 ": %" PRIu64 " bytes of structures lead here, many times the file's; they are "
                    "used again and again",
                    what, at, f->work);
}

int
ncz_hdf4_load(ncz_hdf4 *f, uint64_t at, uint64_t n, const char *what, ncz_buf *into)
{
    int rc;

    ncz_buf_reset(into);
    if (at > f->source.size || n > f->source.size - at)
        return ncz_fail(NC_EHDFERR, "%s of %" PRIu64 " bytes at %" PRIu64 " goes beyond the file's end at %" PRIu64,
                        what, n, at, f->source.size);
    if (n > f->limits.object_bytes)
        return ncz_fail(NC_EHDFERR, "%s at %" PRIu64 " has %" PRIu64 " bytes, more than %zu (limit `object_bytes`)",
                        what, at, n, f->limits.object_bytes);
    if ((rc = count_work(f, n, what, at)) != NC_NOERR || (rc = ncz_buf_reserve(into, (size_t)n)) != NC_NOERR)
        return rc;
    if (n > 0 && (rc = ncz_range_cache_read(f->cache, at, (size_t)n, into->data)) != NC_NOERR)
        return rc;
    into->len = (size_t)n;
    return NC_NOERR;
}

int
ncz_hdf4_lose(int rc, ncz_arena *arena, const char **text)
{
    ncz_err err;

    if (rc != NC_EHDFERR && rc != NC_ENOTBUILT)
        return rc;
    ncz_err_save(&err, rc);
    if ((*text = ncz_arena_text(arena, err.text, strlen(err.text))) == NULL)
        return ncz_fail_nomem(strlen(err.text));
    ncz_err_clear();
    return NC_NOERR;
}

/* ---- descriptors ---- */

/* An offset or a length of all ones: the object has no data yet. */
static int
add_descriptor(ncz_hdf4 *f, ncz_cursor *c)
{
    ncz_hdf4_dd dd = {.order = (uint32_t)f->ndds};
    int         rc;

    dd.tag = (uint16_t)ncz_cursor_be(c, 2);
    dd.ref = (uint16_t)ncz_cursor_be(c, 2);
    dd.at = ncz_cursor_u32be(c);
    dd.len = ncz_cursor_u32be(c);
    if (dd.tag <= NCZ_HDF4_TAG_NULL)
        return NC_NOERR;
    if (dd.at == UINT32_MAX || dd.len == UINT32_MAX) {
        dd.at = NCZ_HDF4_NONE;
        dd.len = 0;
    }
    if ((rc = ncz_make_room(&f->dds, f->ndds, &f->cap, sizeof *f->dds)) == NC_NOERR)
        f->dds[f->ndds++] = dd;
    return rc;
}

/* The walk along the blocks of descriptors. */
typedef struct block_walk {
    ncz_buf        bytes;
    uint64_t       at, next; /* the last block, and the one behind it */
    uint64_t       nbytes;   /* of the last block, */
    uint64_t       used;     /* of all so far */
    uint64_t       middle;   /* where the object lies that the last block has in its middle */
    uint64_t       window;
    ncz_read_range seen[EXPECTED + 2]; /* what was read ahead */
    size_t         nseen, expected;    /* blocks that the next read expects behind the one that is missing */
    bool           met, ended;         /* one that was expected was there; the file's end was read */
} block_walk;

static int
read_block(ncz_hdf4 *f, block_walk *w)
{
    ncz_cursor c;
    size_t     n;
    int        rc = ncz_hdf4_load(f, w->next, BLOCK_HEAD, "a block of descriptors", &w->bytes);

    if (rc != NC_NOERR)
        return rc;
    c = ncz_cursor_at(w->bytes.data, w->bytes.len);
    n = (size_t)ncz_cursor_be(&c, 2);
    w->at = w->next;
    w->next = ncz_cursor_u32be(&c);
    w->nbytes = BLOCK_HEAD + n * DESCRIPTOR;
    w->used += w->nbytes;
    if (w->used > f->source.size)
        return ncz_fail(NC_EHDFERR,
                        "the block of descriptors at %" PRIu64 ": the blocks lead in a circle, or overlap", w->at);
    if ((rc = ncz_hdf4_load(f, w->at + BLOCK_HEAD, n * DESCRIPTOR, "a block of descriptors", &w->bytes)) != NC_NOERR)
        return rc;
    c = ncz_cursor_at(w->bytes.data + n / 2 * DESCRIPTOR, n > 0 ? DESCRIPTOR : 0);
    (void)ncz_cursor_u32be(&c); /* tag, reference */
    w->middle = ncz_cursor_u32be(&c);
    c = ncz_cursor_at(w->bytes.data, w->bytes.len);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = add_descriptor(f, &c);
    return rc;
}

/* ---- blocks that are far away ---- */

static bool
was_seen(block_walk *w, uint64_t at, uint64_t n)
{
    for (size_t i = 0; i < w->nseen; i++)
        if (at >= w->seen[i].at && at + n <= w->seen[i].at + w->seen[i].len) {
            w->met = w->met || i > 0;
            return true;
        }
    return false;
}

static void
see(const ncz_hdf4 *f, block_walk *w, uint64_t at, uint64_t n)
{
    if (at < f->source.size)
        w->seen[w->nseen++] = (ncz_read_range){.at = at, .len = (size_t)n};
}

/*
 * The block that is missing, with what follows; those that are to be expected behind it; and the file's end, where the
 * library writes the list of datasets. A block is made when the last is full, so the next one is as far away as its
 * objects are large: about twice as much as those in the second half of the last.
 */
static void
expect_blocks(const ncz_hdf4 *f, block_walk *w)
{
    uint64_t step = w->middle > w->at && w->middle < w->next ? 2 * (w->next - w->middle) : 0;

    w->expected = w->nseen < 2 ? EXPECTED / 2 : w->met ? EXPECTED : 0;
    w->nseen = 0;
    w->met = false;
    see(f, w, w->next, w->window);
    for (size_t i = 1; i <= w->expected && step > WINDOW_LEAST; i++)
        see(f, w, w->next + i * step - WINDOW_LEAST / 2, WINDOW_LEAST);
    if (!w->ended)
        see(f, w, f->source.size - END, END);
    w->ended = true;
    if (w->nseen < 2)
        w->window = w->window * 2 < WINDOW_MOST ? w->window * 2 : WINDOW_MOST;
}

/* Where reads take long, each block that is not near the last one would be one. */
static int
read_ahead(ncz_hdf4 *f, block_walk *w)
{
    ncz_read_range whole = {.at = 0, .len = (size_t)f->source.size};

    if (!f->source.far || was_seen(w, w->next, w->nbytes) || w->next >= f->source.size)
        return NC_NOERR;
    if (f->source.size <= WHOLE) {
        w->seen[0] = whole;
        w->nseen = 1;
        return ncz_range_cache_fetch(f->cache, &whole, 1, true);
    }
    if (w->at == 0 || w->next + w->nbytes + HEAD_WASTE <= f->source.nhead) /* it came with the file's head */
        return NC_NOERR;
    expect_blocks(f, w);
    return ncz_range_cache_fetch(f->cache, w->seen, w->nseen, true);
}

static int
compare_descriptors(const void *a, const void *b)
{
    const ncz_hdf4_dd *x = a, *y = b;

    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    if (x->ref != y->ref)
        return x->ref < y->ref ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int
read_descriptors(ncz_hdf4 *f)
{
    block_walk w = {.bytes = NCZ_BUF_INIT, .next = MAGIC, .used = MAGIC, .window = WINDOW_LEAST};
    int        rc = NC_NOERR;

    while (w.next != 0 && rc == NC_NOERR)
        if ((rc = read_ahead(f, &w)) == NC_NOERR)
            rc = read_block(f, &w);
    ncz_buf_clear(&w.bytes);
    if (rc == NC_NOERR && f->ndds > 1)
        qsort(f->dds, f->ndds, sizeof *f->dds, compare_descriptors);
    return rc;
}

const ncz_hdf4_dd *
ncz_hdf4_first(const ncz_hdf4 *f, unsigned tag, const ncz_hdf4_dd **end)
{
    size_t low = 0, high = f->ndds, first;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (f->dds[mid].tag < tag)
            low = mid + 1;
        else
            high = mid;
    }
    for (first = low; low < f->ndds && f->dds[low].tag == tag;)
        low++;
    *end = f->dds != NULL ? f->dds + low : NULL;
    return f->dds != NULL ? f->dds + first : NULL;
}

static const ncz_hdf4_dd *
find_one(const ncz_hdf4 *f, unsigned tag, unsigned ref)
{
    size_t low = 0, high = f->ndds;

    while (low < high) {
        size_t             mid = low + (high - low) / 2;
        const ncz_hdf4_dd *dd = &f->dds[mid];

        if (dd->tag < tag || (dd->tag == tag && dd->ref < ref))
            low = mid + 1;
        else
            high = mid;
    }
    return low < f->ndds && f->dds[low].tag == tag && f->dds[low].ref == ref ? &f->dds[low] : NULL;
}

const ncz_hdf4_dd *
ncz_hdf4_find(const ncz_hdf4 *f, unsigned tag, unsigned ref)
{
    const ncz_hdf4_dd *dd = find_one(f, tag, ref);

    return dd != NULL ? dd : find_one(f, tag | NCZ_HDF4_SPECIAL, ref);
}

/* ---- opening ---- */

/* Whether the list of datasets is made of it. A table of chunks, which grew, is not, and may lie far from the rest. */
static bool
is_structure(const ncz_hdf4 *f, const ncz_hdf4_dd *dd)
{
    unsigned tag = dd->tag & ~(unsigned)NCZ_HDF4_SPECIAL;

    if (dd->at == NCZ_HDF4_NONE || dd->len > SMALL ||
        ((tag == NCZ_HDF4_TAG_VDATA || tag == NCZ_HDF4_TAG_RECORDS) &&
         find_one(f, NCZ_HDF4_TAG_RECORDS | NCZ_HDF4_SPECIAL, dd->ref) != NULL))
        return false;
    return tag == NCZ_HDF4_TAG_TYPE ||
           (tag >= NCZ_HDF4_TAG_SDG && tag <= NCZ_HDF4_TAG_CALIBRATION &&
            (tag != NCZ_HDF4_TAG_SD || ncz_hdf4_is_special(dd))) ||
           tag == NCZ_HDF4_TAG_LABEL || tag == NCZ_HDF4_TAG_DESCRIPTION || tag == NCZ_HDF4_TAG_VDATA ||
           tag == NCZ_HDF4_TAG_RECORDS || tag == NCZ_HDF4_TAG_VGROUP;
}

/* All that the list of datasets is made of, in one go. */
static int
fetch_structure(ncz_hdf4 *f)
{
    ncz_read_range *ranges = ncz_alloc_n(f->ndds, sizeof *ranges);
    size_t          n = 0;
    int             rc = NC_NOERR;

    if (ranges == NULL)
        return ncz_fail_nomem(f->ndds * sizeof *ranges);
    for (size_t i = 0; i < f->ndds; i++)
        if (is_structure(f, &f->dds[i]) && f->dds[i].at < f->source.size)
            ranges[n++] = (ncz_read_range){.at = f->dds[i].at, .len = (size_t)f->dds[i].len};
    if (n > 0)
        rc = ncz_range_cache_fetch(f->cache, ranges, n, true);
    ncz_free(ranges);
    return rc;
}

int
ncz_hdf4_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf4 **out)
{
    ncz_hdf4 *f = ncz_zalloc(sizeof *f);
    ncz_buf   head = NCZ_BUF_INIT;
    int       rc;

    *out = NULL;
    if (f == NULL)
        return ncz_fail_nomem(sizeof *f);
    f->source = *source;
    f->source.head = NULL;
    f->limits = *limits;
    if ((rc = ncz_range_cache_new(source, &f->cache)) == NC_NOERR &&
        (rc = ncz_hdf4_load(f, 0, source->size < MAGIC ? source->size : MAGIC, "the magic number", &head)) ==
            NC_NOERR &&
        !ncz_hdf4_is(ncz_buf_str(&head), head.len))
        rc = ncz_fail(NC_ENOTNC, "not an HDF4 file");
    if (rc == NC_NOERR && (rc = read_descriptors(f)) == NC_NOERR)
        rc = fetch_structure(f);
    ncz_buf_clear(&head);
    if (rc == NC_NOERR)
        *out = f;
    else
        ncz_hdf4_close(f);
    return rc;
}

void
ncz_hdf4_close(ncz_hdf4 *f)
{
    if (f == NULL)
        return;
    ncz_range_cache_free(f->cache);
    ncz_free(f->dds);
    ncz_free(f);
}
