/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_fold.c: all values of a variable gathered in few places: of each the mean, the least and the greatest of its
 * span, so that nothing between two places is lost. Of a variable too large to be read whole, some chunks are, evenly
 * spaced, and every value of these.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOX_VALUES = 1 << 18 }; /* that are read at once, unless a chunk has more */

/* One dimension: which indices are read, and to which place each belongs. */
typedef struct fold_axis {
    const hyperslab_dim *part;
    size_t               len, chunk, nchunks, grid; /* chunks that are read, of how many */
    bool                 whole;                     /* all of them */
    size_t               fixed;                     /* the only index that is read, or SIZE_MAX */
    size_t               nraw, *dense;              /* spans of equal length; the place of each, or SIZE_MAX */
    size_t               most;                      /* indices in a box */
    size_t               span, at, n, source, step; /* the box: its chunk, first index, length; in the dataset */
    size_t              *place;                     /* of each index in the box */
} fold_axis;

typedef struct folding {
    report_reader  r;
    report_sample *s;
    report_stats  *st;
    double         squares;
    fold_axis     *axis;
    double        *count; /* of each place */
    size_t        *start, *len, *k, *index;
    ptrdiff_t     *stride;
} folding;

/* ---- spans ---------------------------------------------------------------------------------------------------- */

/* The first index of the n-th chunk that is read, and the end of it. */
static void
find_span(const fold_axis *a, size_t n, size_t *first, size_t *end)
{
    if (a->fixed != SIZE_MAX) {
        *first = a->fixed;
        *end = a->fixed + 1;
    } else if (a->whole) {
        *first = 0;
        *end = a->len;
    } else {
        *first =
            (a->nchunks > 1 ? (size_t)((double)n * (double)(a->grid - 1) / (double)(a->nchunks - 1)) : 0) * a->chunk;
        *end = a->len - *first < a->chunk ? a->len : *first + a->chunk;
    }
}

static size_t
count_spans(const fold_axis *a)
{
    return a->whole || a->fixed != SIZE_MAX ? 1 : a->nchunks;
}

static size_t
raw_place(const fold_axis *a, size_t index)
{
    return (size_t)((double)index * (double)a->nraw / (double)a->len);
}

/* The places that have values, and the middle index of each. */
static void
choose_places(fold_axis *a, report_axis *out)
{
    size_t n = 0, first, end;

    a->dense = memory_alloc(a->nraw + 1, sizeof *a->dense);
    for (size_t i = 0; i < count_spans(a); i++) {
        find_span(a, i, &first, &end);
        for (size_t k = raw_place(a, first); k <= raw_place(a, end - 1); k++)
            a->dense[k] = 1;
    }
    *out = (report_axis){.len = a->len, .chunk = a->chunk, .index = memory_alloc(a->nraw + 1, sizeof *out->index)};
    for (size_t k = 0; k < a->nraw; k++) {
        double width = (double)a->len / (double)a->nraw;

        if (a->dense[k] == 0) {
            a->dense[k] = SIZE_MAX;
            continue;
        }
        out->index[n] = a->fixed != SIZE_MAX ? a->fixed : (size_t)(((double)k + 0.5) * width);
        a->dense[k] = n++;
    }
    out->n = n;
}

static void
init_axis(const report_plan *plan, int d, size_t places, fold_axis *a)
{
    const dump_var *v = plan->v;

    *a = (fold_axis){.part = v->part[d],
                     .len = v->shape[d],
                     .chunk = plan->chunk[d],
                     .nchunks = plan->count[d],
                     .grid = dump_divide_up(v->shape[d], plan->chunk[d]),
                     .fixed = plan->fixed[d] ? plan->at[d] : SIZE_MAX};
    a->whole = a->nchunks == a->grid;
    a->nraw = plan->fixed[d] ? 1 : places < a->len ? places : a->len;
}

/* ---- boxes ---------------------------------------------------------------------------------------------------- */

/* From the last dimension outward as many whole chunks as a box has room for. */
static size_t
choose_boxes(folding *f, int ndims)
{
    size_t room = BOX_VALUES, n = 1;

    for (int d = 0; d < ndims; d++)
        room = dump_divide_up(room, f->axis[d].fixed != SIZE_MAX ? 1 : f->axis[d].chunk);
    for (int d = ndims - 1; d >= 0; d--) {
        fold_axis *a = &f->axis[d];
        size_t     chunks = dump_divide_up(a->len, a->chunk);

        chunks = chunks < room ? chunks : room;
        a->most = a->fixed != SIZE_MAX ? 1 : chunks * a->chunk < a->len ? chunks * a->chunk : a->len;
        room /= chunks;
        room = room > 0 ? room : 1;
        n *= a->most;
        a->place = memory_alloc(a->most, sizeof *a->place);
    }
    return n;
}

/* The box that begins at an index: to the end of the span, and of what one request can name of the part. */
static void
set_box(fold_axis *a, size_t at, size_t end)
{
    const hyperslab_run *run = a->part != NULL ? a->part->runs : NULL;
    size_t               before = 0;

    a->at = at;
    a->n = end - at < a->most ? end - at : a->most;
    a->source = at;
    a->step = 1;
    if (run != NULL) {
        while (at - before >= run->count)
            before += run++->count;
        a->source = run->start + (at - before) * run->step;
        a->step = run->step;
        a->n = a->n < run->count - (at - before) ? a->n : run->count - (at - before);
    }
    for (size_t i = 0; i < a->n; i++)
        a->place[i] = a->fixed != SIZE_MAX ? 0 : a->dense[raw_place(a, at + i)];
}

static void
start_axis(fold_axis *a)
{
    size_t first, end;

    a->span = 0;
    find_span(a, 0, &first, &end);
    set_box(a, first, end);
}

/* False: that was the last box; the next is the first again. */
static bool
step_axis(fold_axis *a)
{
    size_t first, end, next = a->at + a->n;

    find_span(a, a->span, &first, &end);
    if (next < end) {
        set_box(a, next, end);
        return true;
    }
    if (++a->span == count_spans(a)) {
        start_axis(a);
        return false;
    }
    find_span(a, a->span, &first, &end);
    set_box(a, first, end);
    return true;
}

/* ---- values --------------------------------------------------------------------------------------------------- */

static void
add_value(folding *f, size_t place, double value)
{
    report_sample *s = f->s;
    report_stats  *st = f->st;
    double         apart;

    st->n++;
    if (!isfinite(value)) {
        st->missing++;
        return;
    }
    f->count[place]++;
    s->value[place] += value;
    s->least[place] = fmin(s->least[place], value);
    s->most[place] = fmax(s->most[place], value);
    apart = value - st->mean;
    st->mean += apart / (double)(st->n - st->missing);
    f->squares += apart * (value - st->mean);
}

static int
fold_box(folding *f)
{
    int    ndims = f->s->ndims, rc, d;
    size_t n = 1;

    for (d = 0; d < ndims; d++) {
        f->start[d] = f->axis[d].source;
        f->len[d] = f->axis[d].n;
        f->stride[d] = (ptrdiff_t)f->axis[d].step;
        f->k[d] = 0;
        n *= f->len[d];
    }
    if ((rc = report_reader_get(&f->r, f->start, f->len, f->stride)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        size_t place = 0;

        for (d = 0; d < ndims; d++) {
            place = place * f->s->axis[d].n + f->axis[d].place[f->k[d]];
            f->index[d] = f->axis[d].source + f->k[d] * f->axis[d].step;
        }
        add_value(f, place, report_reader_value(&f->r, i, f->index));
        for (d = ndims - 1; d >= 0 && ++f->k[d] == f->len[d]; d--)
            f->k[d] = 0;
    }
    return NC_NOERR;
}

static int
fold_boxes(folding *f)
{
    int d, rc;

    for (d = 0; d < f->s->ndims; d++)
        start_axis(&f->axis[d]);
    do {
        if ((rc = fold_box(f)) != NC_NOERR)
            return rc;
        for (d = f->s->ndims - 1; d >= 0 && !step_axis(&f->axis[d]);)
            d--;
    } while (d >= 0);
    return report_reader_end(&f->r, f->start, f->len, f->stride);
}

/* Sums become means; a place without a value is missing. Where each has one value, there is no span. */
static void
finish(folding *f)
{
    report_sample *s = f->s;
    report_stats  *st = f->st;
    bool           single = true;

    for (size_t i = 0; i < s->n; i++) {
        bool none = f->count[i] == 0;

        s->value[i] = none ? NAN : s->value[i] / f->count[i];
        s->least[i] = none ? NAN : s->least[i];
        s->most[i] = none ? NAN : s->most[i];
        s->value[i] = fmin(fmax(s->value[i], s->least[i]), s->most[i]);
        st->least = none ? st->least : fmin(st->least, s->least[i]);
        st->most = none ? st->most : fmax(st->most, s->most[i]);
        single = single && f->count[i] <= 1;
    }
    st->deviation = st->n > st->missing ? sqrt(f->squares / (double)(st->n - st->missing)) : 0;
    if (single) {
        free(s->least);
        free(s->most);
        s->least = s->most = NULL;
    }
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void
init_places(const report_plan *plan, const size_t *places, folding *f)
{
    report_sample *s = f->s;

    for (int d = 0; d < s->ndims; d++) {
        init_axis(plan, d, places[d], &f->axis[d]);
        choose_places(&f->axis[d], &s->axis[d]);
        s->n *= s->axis[d].n;
    }
    s->value = memory_alloc(s->n, sizeof *s->value);
    s->least = memory_alloc(s->n, sizeof *s->least);
    s->most = memory_alloc(s->n, sizeof *s->most);
    f->count = memory_alloc(s->n, sizeof *f->count);
    for (size_t i = 0; i < s->n; i++) {
        s->least[i] = INFINITY;
        s->most[i] = -INFINITY;
    }
}

static void
clear_folding(folding *f, int ndims)
{
    for (int d = 0; d < ndims; d++) {
        free(f->axis[d].dense);
        free(f->axis[d].place);
    }
    free(f->axis);
    free(f->count);
    free(f->start);
    free(f->len);
    free(f->k);
    free(f->index);
    free(f->stride);
}

int
report_fold_try(report_page *p, const dump_var *v, const value_meaning *m, const size_t *at, int free_dims,
                const size_t *places, report_sample *s, report_stats *st, const char **why)
{
    size_t      n = (size_t)v->ndims;
    report_plan plan;
    folding     f = {.s = s, .st = st, .axis = memory_alloc(n, sizeof *f.axis)};
    int         rc = NC_EINVAL;

    *s = (report_sample){.ndims = v->ndims, .axis = memory_alloc(n, sizeof *s->axis), .n = 1};
    *st = (report_stats){.least = INFINITY, .most = -INFINITY};
    if (report_plan_make(p, v, at, free_dims, &plan, why)) {
        s->all = plan.all;
        st->sampled = !plan.all;
        f.start = memory_alloc(n, sizeof *f.start);
        f.len = memory_alloc(n, sizeof *f.len);
        f.k = memory_alloc(n, sizeof *f.k);
        f.index = memory_alloc(n, sizeof *f.index);
        f.stride = memory_alloc(n, sizeof *f.stride);
        init_places(&plan, places, &f);
        report_reader_open(p, v, m, choose_boxes(&f, v->ndims), &f.r);
        if ((rc = fold_boxes(&f)) != NC_NOERR)
            *why = NULL;
        report_reader_close(&f.r);
        finish(&f);
    }
    report_plan_clear(&plan);
    clear_folding(&f, v->ndims);
    return rc;
}
