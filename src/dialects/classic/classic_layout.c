/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the chunks of a classic variable lie: pieces of its data, or of its slab in each record. Small slabs of records
 * that are close together are one chunk, read with what lies between them: that is the same pages of the file, and one
 * request in place of many.
 */
#include "dialects/classic/classic.h"

#include <string.h>

enum {
    CHUNK_BYTES = 1 << 20,     /* about so many: a chunk is read whole or in ranges, and neighbours come together */
    FAR_CHUNK_BYTES = 1 << 16, /* over a network neighbours come with one request, and a chunk comes whole */
    NEAR_RECORDS = 4096,       /* records up to so many bytes: each page of the file is read in any case */
    NEAR_BYTES = 1 << 17,      /* of the file, for a chunk of several slabs */
};

/* How many records are one chunk. `whole`: a chunk has all of a record's slab. */
static uint64_t
choose_records(const ncz_classic_spot *s, bool whole, uint64_t most)
{
    uint64_t pitch = s->file->pitch;

    if (s->alone && pitch <= NEAR_RECORDS && most > NEAR_BYTES) /* it may be appended to, one record at a time */
        most = NEAR_BYTES;
    if (whole && s->alone) /* its slabs follow each other */
        return s->nbytes < most ? most / s->nbytes : 1;
    return whole && pitch <= NEAR_RECORDS ? NEAR_BYTES / pitch : 1;
}

size_t
ncz_classic_place_bytes(size_t rank)
{
    size_t n;

    return ncz_mul(rank, 2 * sizeof(uint64_t), &n) && ncz_add(n, sizeof(ncz_classic_place), &n) ? n : SIZE_MAX;
}

void
ncz_classic_place_make(const ncz_classic_spot *s, ncz_classic_place *p)
{
    uint64_t most = s->file->far ? FAR_CHUNK_BYTES : CHUNK_BYTES;
    bool     whole;

    *p = (ncz_classic_place){.file = s->file,
                             .begin = s->begin,
                             .slab = s->nbytes,
                             .pitch = s->record ? s->file->pitch : 0,
                             .element = s->element};
    if (s->rank > 0)
        memcpy(p->n, s->len, s->rank * sizeof *p->n);
    whole = ncz_grid_cut_rows(p->n, s->record, s->rank, p->element, most, p->n + s->rank);
    if (s->record)
        p->n[s->rank] = choose_records(s, whole, most);
}

/* ---- the layout: the common members, and behind them the place ---- */

/* The bytes from the chunk's first element to its last, as the lengths of the array cut it; `where` gets its offset. */
static int
measure_chunk(const ncz_layout *l, const ncz_classic_place *p, const uint64_t *index, ncz_chunk_addr *where)
{
    const uint64_t *chunk = p->n + l->rank;
    uint64_t        step = p->element, rows = 1; /* bytes from one index to the next */

    where->offset = p->begin;
    where->length = p->element;
    for (size_t d = l->rank; d-- > 0;) {
        bool     record = d == 0 && p->pitch != 0;
        uint64_t len = record ? atomic_load_explicit(&p->file->nrecords, memory_order_relaxed) : p->n[d];
        uint64_t first, left, n;

        if (!ncz_mul64(index[d], chunk[d], &first) || first >= len)
            return ncz_fail(NC_EINVALCOORDS, "%s: there is no such chunk", l->path);
        left = len - first;
        n = left < chunk[d] ? left : chunk[d];
        where->tail = n < chunk[d] ? NCZ_TAIL_FILL : where->tail;
        where->offset += first * (record ? p->pitch : step); /* no overflow: the header was checked */
        if (record)
            rows = n;
        else
            where->length *= n;
        step *= record ? 1 : p->n[d];
    }
    if (rows > 1 && p->pitch == where->length) {
        where->length *= rows;
    } else if (rows > 1) {
        where->row = (size_t)where->length;
        where->pitch = (size_t)p->pitch;
        where->length += (rows - 1) * p->pitch; /* at most NEAR_BYTES */
    }
    return NC_NOERR;
}

static int
locate_chunk(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_classic_place *p = (const ncz_classic_place *)(const void *)(l + 1);
    uint64_t                 size = atomic_load_explicit(&p->file->size, memory_order_relaxed);
    int                      rc;

    (void)key;
    if ((rc = measure_chunk(l, p, index, where)) != NC_NOERR)
        return rc;
    where->key = "";
    return where->offset < size && where->length <= size - where->offset ? NC_NOERR
                                                                         : ncz_classic_cut_chunk(l, p, size, where);
}

static ncz_linear
tell_linear(const ncz_layout *l)
{
    const ncz_classic_place *p = (const ncz_classic_place *)(const void *)(l + 1);

    return (ncz_linear){
        .begin = p->begin,
        .pitch = p->pitch != 0                ? p->pitch
                 : l->rank > 0 && p->n[0] > 0 ? p->slab / p->n[0]
                                              : p->slab,
        .cut = atomic_load_explicit(&p->file->size, memory_order_relaxed) != UINT64_MAX,
    };
}

static const ncz_layout_ops classic_ops = {
    .name = "classic", .locate = locate_chunk, .linear = tell_linear, .complete = true};

/* Of variables that are being defined. */
static int
fail_unplaced(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)index, (void)key, (void)where;
    return ncz_fail(NC_EINDEFINE, "%s has no place in the file until define mode ends", l->path);
}

static const ncz_layout_ops unplaced_ops = {.name = "classic", .locate = fail_unplaced, .complete = true};

static ncz_layout unplaced = {.refs = 1,
                              .lasting = true,
                              .ops = &unplaced_ops,
                              .nbytes = sizeof unplaced,
                              .path = "a new variable",
                              .nslots = 1};

/* ---- of a variable ---- */

const ncz_classic_place *
ncz_classic_place_of(const ncz_var *v)
{
    const ncz_layout *l = v->spec != NULL ? v->spec->layout : NULL;

    return l != NULL && l->ops == &classic_ops ? (const ncz_classic_place *)(const void *)(l + 1) : NULL;
}

uint64_t
ncz_classic_begin(const ncz_var *v)
{
    const ncz_classic_place *p = ncz_classic_place_of(v);
    const ncz_classic_var   *late = v->spec == NULL ? v->late : NULL;

    return p != NULL ? p->begin : late != NULL ? late->begin : 0;
}

int
ncz_classic_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    const ncz_classic_place *p = v->place != NULL ? v->place : ncz_classic_place_of(v);
    size_t                   n = ncz_classic_place_bytes(v->rank);
    int                      rc;

    if (p == NULL) {
        *out = ncz_layout_ref(&unplaced);
        return NC_NOERR;
    }
    if (n == SIZE_MAX)
        return ncz_fail_nomem(n);
    rc = ncz_layout_new(&classic_ops, sizeof **out + n, shape, out);
    if (rc == NC_NOERR)
        memcpy(*out + 1, p, n);
    return rc;
}

void
ncz_classic_set_form(ncz_var *v)
{
    v->dtype = ncz_dtype_of(v->type, true, 1);
    v->endian = NC_ENDIAN_BIG;
    v->storage = v->rank > 0 ? NC_CHUNKED : NC_CONTIGUOUS;
}

int
ncz_classic_place_set(ncz_model *m, ncz_var *v, ncz_classic_place *p)
{
    const ncz_classic_place *old = ncz_classic_place_of(v);
    int                      rc;

    if (old != NULL && memcmp(old, p, ncz_classic_place_bytes(v->rank)) == 0)
        return NC_NOERR;
    ncz_classic_set_form(v);
    if (v->rank > 0)
        memcpy(v->chunk, p->n + v->rank, v->rank * sizeof *v->chunk);
    v->chunk_set = true;
    v->place = p; /* for the layout, which copies it */
    rc = ncz_var_respec(m, v);
    v->place = NULL;
    return rc;
}
