/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_rectilinear: reads arrays whose chunks or objects differ in length. A selection is cut at the boundaries of
 * the grid, and each part is read with a spec of the regular grid in which its chunk has the same index and length
 * (model_spec_grid.c).
 */
#include "chunk/chunk_owned_elems.h"
#include "chunk/chunk_rectilinear.h"

#include <string.h>

/* A spec for each shape of chunks that the selection touches. The oldest makes room for a new one. */
enum { SPECS = 16 };

/* One dimension of the selection: the part that lies in one chunk. */
typedef struct part {
    ncz_rectilinear_chunk chunk;
    uint64_t              done, n; /* selected elements before it and in it */
} part;

typedef struct reader {
    ncz_engine       *engine;
    const ncz_limits *limits;
    ncz_chunk_read_fn read; /* reads a part */
    const ncz_plan   *plan;
    const ncz_spec   *spec;
    const ncz_select *sel;
    char             *out;
    part             *parts;
    ncz_dims          start, count, shape, len;
    ncz_spec         *specs[SPECS];
    uint64_t         *lens[SPECS]; /* the shape that each was made for */
    size_t            next;
} reader;

static int
find_part(const reader *r, size_t d, uint64_t done)
{
    part    *p = &r->parts[d];
    uint64_t at = r->sel->start[d] + done * r->sel->stride[d], inside;

    p->done = done;
    if (!ncz_rectilinear_find(r->spec->layout->grid, d, at, &p->chunk))
        return ncz_fail(NC_EZARRMETA, "%s: its chunk grid ends before element %llu of dimension %zu", r->spec->path,
                        (unsigned long long)at, d);
    inside = (p->chunk.first + p->chunk.len - at - 1) / r->sel->stride[d] + 1;
    p->n = inside < r->sel->count[d] - done ? inside : r->sel->count[d] - done;
    return NC_NOERR;
}

/* The next part, in the grid's order. *more: there is one. */
static int
next_part(const reader *r, bool *more)
{
    int rc;

    for (size_t d = r->spec->rank; d-- > 0;) {
        uint64_t done = r->parts[d].done + r->parts[d].n;

        *more = done < r->sel->count[d];
        if ((rc = find_part(r, d, *more ? done : 0)) != NC_NOERR || *more)
            return rc;
    }
    *more = false;
    return NC_NOERR;
}

static int
take_spec(reader *r, const ncz_spec **out)
{
    size_t n = r->spec->rank * sizeof *r->len.v, i = r->next;
    int    rc;

    for (size_t k = 0; k < SPECS; k++)
        if (r->specs[k] != NULL && memcmp(r->lens[k], r->len.v, n) == 0) {
            *out = r->specs[k];
            return NC_NOERR;
        }
    ncz_spec_unref(r->specs[i]);
    r->specs[i] = NULL;
    if (r->lens[i] == NULL && (r->lens[i] = ncz_alloc_n(r->spec->rank, sizeof *r->lens[i])) == NULL)
        return ncz_fail_nomem(n);
    memcpy(r->lens[i], r->len.v, n);
    if ((rc = ncz_spec_reshape(r->limits, r->spec, r->len.v, &r->specs[i])) != NC_NOERR)
        return rc;
    r->next = (i + 1) % SPECS;
    *out = r->specs[i];
    return NC_NOERR;
}

static int
read_part(reader *r)
{
    const ncz_spec *spec = NULL;
    ptrdiff_t       place = 0;
    ncz_plan        plan;
    int             rc;

    for (size_t d = 0; d < r->spec->rank; d++) {
        const part *p = &r->parts[d];
        uint64_t    at = r->sel->start[d] + p->done * r->sel->stride[d];

        r->len.v[d] = p->chunk.len;
        r->count.v[d] = p->n;
        if (!ncz_mul64(p->chunk.index, p->chunk.len, &r->start.v[d]) ||
            !ncz_add64(r->start.v[d], p->chunk.len, &r->shape.v[d]) || r->shape.v[d] > INT64_MAX)
            return ncz_fail(NC_EBADCHUNK, "%s: chunk %llu of dimension %zu cannot be addressed with length %llu",
                            r->spec->path, (unsigned long long)p->chunk.index, d, (unsigned long long)p->chunk.len);
        r->start.v[d] += at - p->chunk.first;
        place += (ptrdiff_t)p->done * r->sel->imap[d];
    }
    if ((rc = take_spec(r, &spec)) != NC_NOERR)
        return rc;
    plan = (ncz_plan){.spec = spec,
                      .shape = r->shape.v,
                      .sel = {.rank = r->spec->rank,
                              .start = r->start.v,
                              .count = r->count.v,
                              .stride = r->sel->stride,
                              .imap = r->sel->imap},
                      .mem = r->plan->mem,
                      .classic = r->plan->classic};
    return r->read(r->engine, &plan, r->out + place * (ptrdiff_t)r->plan->mem->size);
}

/* Reads all parts, also after an error: what can be read is delivered, as from a regular grid. */
static int
read_parts(reader *r)
{
    ncz_err first = {.code = NC_NOERR};
    bool    more = true;
    int     rc = NC_NOERR;

    for (size_t d = 0; rc == NC_NOERR && d < r->spec->rank; d++)
        rc = find_part(r, d, 0);
    while (rc == NC_NOERR && more) {
        if ((rc = read_part(r)) != NC_NOERR && (first.code == NC_NOERR || first.code == NC_ERANGE))
            ncz_err_save(&first, rc);
        rc = first.code == NC_ENOMEM ? NC_ENOMEM : next_part(r, &more);
    }
    return first.code != NC_NOERR ? ncz_err_adopt(&first) : rc;
}

int
ncz_chunk_read_rectilinear(ncz_engine *e, const ncz_limits *limits, const ncz_plan *plan, void *out,
                           ncz_chunk_read_fn read)
{
    size_t rank = plan->spec->rank;
    reader r = {
        .engine = e, .limits = limits, .read = read, .plan = plan, .spec = plan->spec, .sel = &plan->sel, .out = out};
    int rc;

    if ((r.parts = ncz_zalloc_n(rank, sizeof *r.parts)) == NULL)
        return ncz_fail_nomem(rank * sizeof *r.parts);
    if ((rc = ncz_dims_init(&r.start, rank)) != NC_NOERR || (rc = ncz_dims_init(&r.count, rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&r.shape, rank)) != NC_NOERR || (rc = ncz_dims_init(&r.len, rank)) != NC_NOERR)
        goto done;
    /* A part that is not tried after a failure has no elements. */
    if (plan->mem->owns)
        ncz_chunk_zero_elems(r.sel, plan->mem, out, r.start.v);
    rc = read_parts(&r);
    if (rc != NC_NOERR && plan->mem->owns)
        ncz_chunk_free_elems(r.sel, plan->mem, out, r.start.v);
done:
    for (size_t i = 0; i < SPECS; i++) {
        ncz_spec_unref(r.specs[i]);
        ncz_free(r.lens[i]);
    }
    ncz_dims_clear(&r.start);
    ncz_dims_clear(&r.count);
    ncz_dims_clear(&r.shape);
    ncz_dims_clear(&r.len);
    ncz_free(r.parts);
    return rc;
}
