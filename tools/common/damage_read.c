/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage_read.c: reads a strided box chunk by chunk, when reading it at once failed: what can be read is read, and
 * damaged chunks are the fill value.
 */
#include "common/chunk_grid.h"
#include "common/damage.h"
#include "common/error_text.h"
#include "common/hyperslab.h"
#include "common/memory.h"

#include <nczarr.h>
#include <stdlib.h>
#include <string.h>

/* The part of the box that lies in one chunk. */
typedef struct chunk_part {
    const hyperslab_var *v;
    chunk_grid           grid;
    const size_t        *from, *len; /* the box in the variable */
    const ptrdiff_t     *step;
    size_t              *at;            /* where the part begins in the box, */
    size_t              *start, *count; /* ... and in the variable, and its lengths */
    size_t              *chunk;         /* index of its chunk */
} chunk_part;

static size_t
stride(const chunk_part *p, size_t d)
{
    return p->step != NULL ? (size_t)p->step[d] : 1;
}

/* Dimension d of the part that begins at at[d]: up to the end of the chunk, at most of the box. */
static void
set_part(chunk_part *p, size_t d)
{
    size_t left = p->len[d] - p->at[d], in_chunk;

    p->start[d] = p->from[d] + p->at[d] * stride(p, d);
    p->chunk[d] = chunk_grid_find(&p->grid, d, p->start[d]);
    in_chunk = (chunk_grid_end(&p->grid, d, p->chunk[d]) - p->start[d] - 1) / stride(p, d) + 1;
    p->count[d] = in_chunk < left ? in_chunk : left;
}

/* The next part, the last dimension fastest; false after the last. */
static bool
advance_part(chunk_part *p)
{
    for (size_t d = p->grid.rank; d-- > 0;) {
        p->at[d] += p->count[d];
        if (p->at[d] < p->len[d]) {
            set_part(p, d);
            return true;
        }
        p->at[d] = 0;
        set_part(p, d);
    }
    return false;
}

static bool
owns_memory(const hyperslab_var *v)
{
    return v->type == NC_STRING || v->type > NC_MAX_ATOMIC_TYPE;
}

/* Strings of n values with their lengths, all the same. */
static void
fill_counted(const char *fill, char *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nc_vlen_t counted = {.len = fill != NULL ? strlen(fill) : 0,
                             .p = memory_need(strdup(fill != NULL ? fill : ""))};

        memcpy(values + i * sizeof counted, &counted, sizeof counted);
    }
}

/* As a missing chunk reads. */
static int
fill_values(const hyperslab_var *v, char *values, size_t n)
{
    char *fill = memory_alloc(1, v->size);
    int   rc = nc_inq_var_fill(v->ncid, v->varid, NULL, fill);

    if (rc == NC_NOERR && v->counted)
        fill_counted(*(char **)(void *)fill, values, n);
    for (size_t i = 0; rc == NC_NOERR && !v->counted && i < n; i++) {
        if (!owns_memory(v))
            memcpy(values + i * v->size, fill, v->size);
        else if ((rc = nc_copy_data(v->ncid, v->type, fill, 1, values + i * v->size)) != NC_NOERR && i > 0)
            (void)nc_reclaim_data(v->ncid, v->type, values, i);
    }
    if (owns_memory(v))
        (void)nc_reclaim_data(v->ncid, v->type, fill, 1);
    free(fill);
    return rc;
}

static int
get_part(const chunk_part *p, void *values)
{
    return hyperslab_get(p->v, p->start, p->count, p->step, values);
}

/* Of a classic file that was cut, the values that are there, with the fill value behind them; of an aggregation, those
 * of the fragments that are there. */
static bool
get_rest(const chunk_part *p, int rc, void *values)
{
    int ncid = p->v->ncid;

    if ((rc != NC_ETRUNC && !damage_is_lost(rc)) || nczarr_set_missing(ncid, NCZARR_MISSING_FILL) != NC_NOERR)
        return false;
    rc = get_part(p, values);
    (void)nczarr_set_missing(ncid, NCZARR_MISSING_ERROR);
    return rc == NC_NOERR;
}

static int
read_part(chunk_part *p, char *to)
{
    const hyperslab_var *v = p->v;
    size_t               n = 1;
    char                *values, why[ERROR_TEXT_SIZE];
    int                  rc;

    for (size_t d = 0; d < p->grid.rank; d++)
        n *= p->count[d];
    if ((values = calloc(n, v->size)) == NULL)
        return NC_ENOMEM;
    if ((rc = get_part(p, values)) != NC_NOERR) {
        error_text(rc, NULL, why);
        if (!damage_is_cause(v->ncid, v->varid, rc)) {
            rc = get_part(p, values); /* for its text, which the question has replaced */
        } else {
            damage_log_add(v->damage, v->ncid, v->varid, chunk_grid_place(&p->grid, p->chunk), p->chunk, why);
            memset(values, 0, n * v->size);
            rc = get_rest(p, rc, values) ? NC_NOERR : fill_values(v, values, n);
        }
    }
    if (rc == NC_NOERR)
        hyperslab_place(v, p->at, p->count, p->len, values, to);
    free(values);
    return rc;
}

static int
read_parts(chunk_part *p, char *to)
{
    size_t n = 1;
    int    rc;

    for (size_t d = 0; d < p->grid.rank; d++)
        n *= p->len[d];
    memset(to, 0, n * p->v->size); /* what can be freed after a failure */
    for (size_t d = 0; d < p->grid.rank; d++)
        set_part(p, d);
    do
        rc = read_part(p, to);
    while (rc == NC_NOERR && advance_part(p));
    if (rc != NC_NOERR && owns_memory(p->v))
        hyperslab_free(p->v, to, n); /* keeps the library's text */
    return rc;
}

int
damage_read(const hyperslab_var *v, int rc, const size_t *from, const size_t *len, const ptrdiff_t *step, void *to)
{
    chunk_part p = {.v = v, .from = from, .len = len, .step = step};
    size_t     rank = (size_t)v->rank, *room;

    if (rc != NC_EFILTER && rc != NC_ETRUNC && rc != NC_EHDFERR && rc != NC_EIO && rc != NC_EACCESS &&
        !damage_is_lost(rc))
        return rc; /* with its text */
    p.at = room = memory_alloc(4 * rank, sizeof *room);
    p.start = room + rank;
    p.count = room + 2 * rank;
    p.chunk = room + 3 * rank;
    if ((rc = chunk_grid_load(v->ncid, v->varid, &p.grid)) == NC_NOERR) {
        rc = read_parts(&p, to);
        chunk_grid_clear(&p.grid);
    }
    free(room);
    return rc;
}
