/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage_scan.c: reads every stored chunk of a variable, several at once along the last dimension that has several,
 * so that the library's threads decode them side by side.
 */
#include "common/chunk_grid.h"
#include "common/damage.h"
#include "common/hyperslab.h"
#include "common/memory.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

#define RUN_BYTES  ((size_t)16 << 20) /* read at once, unless one chunk is larger */
#define PLACES_MAX ((size_t)1 << 28)  /* chunks of a grid that is walked because its shards do not list */

typedef struct scan {
    hyperslab_var               v; /* all of it */
    const hyperslab_dim *const *part;
    chunk_grid                  grid;
    size_t                     *places; /* of stored chunks that the part touches */
    size_t                      n, cap;
    size_t                     *index, *start, *count;
    damage_skips                skips; /* NULL: all are read */
    void                       *arg;
    size_t                      others; /* that are skipped */
    size_t                      along; /* dimension of a run; its number is the rank if no dimension has two chunks */
} scan;

/* True if one of the chosen indices is from `low` to before `high`. */
static bool
touches_range(const hyperslab_dim *dim, size_t low, size_t high)
{
    for (size_t i = 0; i < dim->nruns; i++) {
        const hyperslab_run *run = &dim->runs[i];
        size_t               skip = low <= run->start ? 0 : (low - run->start - 1) / run->step + 1;

        if (skip < run->count && run->start + skip * run->step < high)
            return true;
    }
    return false;
}

static bool
touches_chunk(const scan *s, const size_t *index)
{
    for (size_t d = 0; d < s->grid.rank; d++)
        if (s->part[d] != NULL && !touches_range(s->part[d], chunk_grid_start(&s->grid, d, index[d]),
                                                 chunk_grid_end(&s->grid, d, index[d])))
            return false;
    return true;
}

static void
add_place(scan *s, const size_t *index)
{
    if (!touches_chunk(s, index))
        return;
    s->places = memory_room(s->places, s->n, &s->cap, sizeof *s->places);
    s->places[s->n++] = chunk_grid_place(&s->grid, index);
}

static int
add_listed_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length,
                 void *arg)
{
    scan *s = arg;

    (void)offset, (void)length;
    if (s->skips != NULL && s->skips(key, s->arg))
        s->others++;
    else
        add_place(s, index);
    return 0;
}

static int
compare_places(const void *x, const void *y)
{
    const size_t *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

/* The stored chunks. A shard whose index is damaged does not list its own: then every chunk of the grid is read. */
static int
list_places(scan *s)
{
    size_t total = chunk_grid_total(&s->grid);
    int    rc = nczarr_list_var_chunks(s->v.ncid, s->v.varid, add_listed_chunk, s);

    if (rc == NC_NOERR || total > PLACES_MAX || !damage_is_cause(s->v.ncid, s->v.varid, rc))
        return rc;
    s->n = s->others = 0;
    for (size_t i = 0; i < total; i++) {
        chunk_grid_index(&s->grid, i, s->index);
        add_place(s, s->index);
    }
    return NC_NOERR;
}

/* Bytes of values in the box. */
static size_t
measure_box(const scan *s)
{
    enum { STRING_BYTES = 256 };
    size_t n = s->v.type == NC_STRING || s->v.type > NC_MAX_ATOMIC_TYPE ? STRING_BYTES : s->v.size;

    for (size_t d = 0; d < s->grid.rank; d++)
        n = s->count[d] <= SIZE_MAX / n ? n * s->count[d] : SIZE_MAX;
    return n;
}

/* The box of the chunk at places[i] and of those that follow it in its row. Returns how many chunks. */
static size_t
set_run(scan *s, size_t i)
{
    size_t n = 1, d = s->along, each;

    chunk_grid_index(&s->grid, s->places[i], s->index);
    for (size_t k = 0; k < s->grid.rank; k++) {
        s->start[k] = chunk_grid_start(&s->grid, k, s->index[k]);
        s->count[k] = chunk_grid_end(&s->grid, k, s->index[k]) - s->start[k];
    }
    each = measure_box(s);
    if (d == s->grid.rank)
        return 1;
    while (i + n < s->n && s->places[i + n] == s->places[i] + n && s->index[d] + n < s->grid.nchunks[d] &&
           each <= RUN_BYTES / (n + 1))
        n++;
    s->count[d] = chunk_grid_end(&s->grid, d, s->index[d] + n - 1) - s->start[d];
    return n;
}

static int
read_run(scan *s)
{
    size_t n = 1;
    void  *values;
    int    rc = NC_ENOMEM;

    for (size_t d = 0; d < s->grid.rank; d++)
        n *= s->count[d];
    if (n > SIZE_MAX / s->v.size || (values = malloc(n * s->v.size)) == NULL)
        return rc;
    if ((rc = hyperslab_read(&s->v, s->start, s->count, values)) == NC_NOERR)
        hyperslab_free(&s->v, values, n);
    free(values);
    return rc;
}

static int
read_places(scan *s, damage_progress progress, void *arg)
{
    int rc = NC_NOERR;

    if (s->n > 1)
        qsort(s->places, s->n, sizeof *s->places, compare_places);
    s->along = s->grid.rank;
    for (size_t d = s->grid.rank; d-- > 0 && s->along == s->grid.rank;)
        if (s->grid.nchunks[d] > 1)
            s->along = d;
    for (size_t i = 0, n; rc == NC_NOERR && i < s->n; i += n) {
        n = set_run(s, i);
        if ((rc = read_run(s)) == NC_NOERR && progress != NULL)
            rc = progress(n, arg);
    }
    return rc;
}

int
damage_scan(const hyperslab_var *v, damage_progress progress, void *arg)
{
    size_t others;

    return damage_scan_some(v, NULL, progress, arg, &others);
}

int
damage_scan_some(const hyperslab_var *v, damage_skips skips, damage_progress progress, void *arg, size_t *others)
{
    size_t                rank = (size_t)v->rank, *room = memory_alloc(3 * rank, sizeof *room);
    const hyperslab_dim **whole = memory_alloc(rank, sizeof *whole);
    scan                  s = {.v = *v, .part = v->dims, .skips = skips, .arg = arg};
    int                   rc;

    s.v.dims = whole;
    s.index = room;
    s.start = room + rank;
    s.count = room + 2 * rank;
    if ((rc = chunk_grid_load(v->ncid, v->varid, &s.grid)) == NC_NOERR) {
        if (chunk_grid_total(&s.grid) > 0 && (rc = list_places(&s)) == NC_NOERR)
            rc = read_places(&s, progress, arg);
        chunk_grid_clear(&s.grid);
    }
    *others = s.others;
    free(s.places);
    free(whole);
    free(room);
    return rc;
}
