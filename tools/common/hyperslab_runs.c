/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_runs.c: chosen indices of a dimension as runs: ranges, marks, and the union of several.
 */
#include "common/hyperslab_int.h"

#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Extends the last run by an index where it fits, else begins another. */
static void
add_index(hyperslab_dim *d, size_t index)
{
    hyperslab_run *last = d->nruns > 0 ? &d->runs[d->nruns - 1] : NULL;

    d->len++;
    if (last != NULL && last->count == 1 && index > last->start)
        last->step = index - last->start;
    if (last != NULL && index == last->start + last->count * last->step) {
        last->count++;
        return;
    }
    d->runs = memory_grow(d->runs, d->nruns, sizeof *d->runs);
    d->runs[d->nruns++] = (hyperslab_run){.start = index, .count = 1, .step = 1};
}

/* From first to last, which is smaller if the range is wrapped around the end; the stride goes on there. */
static size_t
make_runs(size_t first, size_t last, size_t stride, size_t len, hyperslab_run runs[2])
{
    size_t end = first <= last ? last : len - 1, next;

    runs[0] = (hyperslab_run){.start = first, .count = (end - first) / stride + 1, .step = stride};
    if (first <= last)
        return 1;
    next = stride - 1 - (end - first) % stride;
    if (next > last)
        return 1;
    runs[1] = (hyperslab_run){.start = next, .count = (last - next) / stride + 1, .step = stride};
    return 2;
}

static bool
take_least(hyperslab_run *runs, size_t n, size_t *index)
{
    bool any = false;

    for (size_t i = 0; i < n; i++)
        if (runs[i].count > 0 && (!any || runs[i].start < *index)) {
            *index = runs[i].start;
            any = true;
        }
    for (size_t i = 0; any && i < n; i++)
        if (runs[i].count > 0 && runs[i].start == *index) {
            runs[i].start += --runs[i].count > 0 ? runs[i].step : 0;
        }
    return any;
}

/* The union of what there is and other runs, ascending. */
static void
merge_runs(hyperslab_dim *d, const hyperslab_run *more, size_t nmore)
{
    hyperslab_dim  merged = {.dimid = d->dimid, .first_limit = d->first_limit};
    size_t         n = d->nruns + nmore, index = 0;
    hyperslab_run *all = memory_alloc(n, sizeof *all);

    memcpy(all, d->runs, d->nruns * sizeof *all);
    memcpy(all + d->nruns, more, nmore * sizeof *all);
    while (take_least(all, n, &index))
        add_index(&merged, index);
    free(all);
    free(d->runs);
    *d = merged;
}

static void
set_runs(hyperslab_dim *d, const hyperslab_run *runs, size_t n)
{
    d->runs = memory_alloc(n, sizeof *d->runs);
    memcpy(d->runs, runs, n * sizeof *d->runs);
    d->nruns = n;
    d->len = 0;
    for (size_t i = 0; i < n; i++)
        d->len += runs[i].count;
}

static bool
has_runs(const hyperslab_dim *d, const hyperslab_run *runs, size_t n)
{
    bool same = d->nruns == n;

    for (size_t i = 0; same && i < n; i++)
        same = d->runs[i].start == runs[i].start && d->runs[i].count == runs[i].count &&
               (runs[i].count == 1 || d->runs[i].step == runs[i].step);
    return same;
}

/* ---- those of a part ---- */

static hyperslab_dim *
find_or_add(hyperslab *h, int dimid)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->dims[i].dimid == dimid)
            return &h->dims[i];
    h->dims = memory_grow(h->dims, h->n, sizeof *h->dims);
    h->dims[h->n] = (hyperslab_dim){.dimid = dimid};
    return &h->dims[h->n++];
}

static int
take_runs(hyperslab *h, const hyperslab_limit *l, int dimid, const hyperslab_run *runs, size_t n, char *why)
{
    hyperslab_dim *d = find_or_add(h, dimid);

    if (d->nruns > 0 && (l->var != NULL || d->first_limit->var != NULL)) {
        if (has_runs(d, runs, n))
            return NC_NOERR;
        (void)snprintf(why, HYPERSLAB_WHY_SIZE,
                       "%s: chooses another part of a dimension than a subscript of a variable", l->text);
        return NC_EINVAL;
    }
    if (d->nruns > 0)
        merge_runs(d, runs, n);
    else
        set_runs(d, runs, n);
    if (d->first_limit == NULL)
        d->first_limit = l;
    return NC_NOERR;
}

int
hyperslab_take_range(hyperslab *h, const hyperslab_limit *l, int dimid, size_t len, size_t first, size_t last,
                     char why[HYPERSLAB_WHY_SIZE])
{
    hyperslab_run runs[2];

    return take_runs(h, l, dimid, runs, make_runs(first, last, l->stride, len, runs), why);
}

int
hyperslab_take_marked(hyperslab *h, const hyperslab_limit *l, int dimid, const bool *marked, size_t len,
                      char why[HYPERSLAB_WHY_SIZE])
{
    hyperslab_dim all = {.dimid = dimid};
    int           rc;

    for (size_t i = 0; i < len; i++)
        if (marked[i])
            add_index(&all, i);
    rc = take_runs(h, l, dimid, all.runs, all.nruns, why);
    free(all.runs);
    return rc;
}
