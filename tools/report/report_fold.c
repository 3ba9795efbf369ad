/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_fold.c: the values of a variable gathered in few places. A fold has of each place the mean, the least and the
 * greatest value of its span, so that nothing between two places is lost; a sample has its first value. Of a variable
 * too large to be read whole, some chunks are read, evenly spaced, and every value of these.
 */
#include "report_int.h"

#include "common/coord_role.h"

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
    size_t               nraw, *dense;              /* parts of equal length; the place of each, or SIZE_MAX */
    size_t               points;                    /* parts of each chunk that is read; 0: they are of all indices */
    size_t               most;                      /* indices in a box */
    size_t               span, at, n, source, step; /* the box: its chunk, first index, length; in the dataset */
    size_t              *place;                     /* of each index in the box */
    bool                *first;                     /* it is the first one of its place */
} fold_axis;

typedef struct folding {
    report_reader  r;
    report_sample *s;
    report_stats  *st;     /* of all values that are read; NULL: not asked for */
    bool           single; /* the first value of each place, not the mean */
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

/* Of an index in the n-th span, which begins at `first`. */
static size_t
raw_place(const fold_axis *a, size_t n, size_t first, size_t index)
{
    if (a->points > 0)
        return n * a->points + (size_t)((double)(index - first) * (double)a->points / (double)a->chunk);
    return (size_t)((double)index * (double)a->nraw / (double)a->len);
}

/* The places that have values, and the middle index of each, or its first. */
static void
choose_places(fold_axis *a, bool single, report_axis *out)
{
    size_t n = 0, first, end;

    a->dense = memory_alloc(a->nraw + 1, sizeof *a->dense);
    *out = (report_axis){.len = a->len, .chunk = a->chunk, .index = memory_alloc(a->nraw + 1, sizeof *out->index)};
    for (size_t k = 0; k < a->nraw; k++)
        a->dense[k] = SIZE_MAX;
    for (size_t i = 0; i < count_spans(a); i++) {
        find_span(a, i, &first, &end);
        for (size_t at = first; at < end;) {
            size_t k = raw_place(a, i, first, at), next = at + 1;

            while (next < end && raw_place(a, i, first, next) == k)
                next++;
            if (a->dense[k] == SIZE_MAX) {
                out->index[n] = single ? at : at + (next - at) / 2;
                a->dense[k] = n++;
            }
            at = next;
        }
    }
    out->n = n;
}

static void
init_axis(const report_plan *plan, int d, size_t places, bool single, fold_axis *a)
{
    const dump_var *v = plan->v;

    *a = (fold_axis){.part = v->part[d],
                     .len = v->shape[d],
                     .chunk = plan->chunk[d],
                     .nchunks = plan->count[d],
                     .grid = dump_divide_up(v->shape[d], plan->chunk[d]),
                     .fixed = plan->fixed[d] ? plan->at[d] : SIZE_MAX};
    a->whole = a->nchunks == a->grid;
    if (single && !a->whole)
        a->points = places;
    else if (single && places < dump_divide_up(a->len, a->grid)) /* no product that overflows */
        places *= a->grid;
    else if (single)
        places = a->len;
    a->nraw = plan->fixed[d] ? 1 : a->points > 0 ? a->points * a->nchunks : places < a->len ? places : a->len;
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
        a->first = memory_alloc(a->most, sizeof *a->first);
    }
    return n;
}

/* The box that begins at an index: to the end of the span, and of what one request can name of the part. */
static void
set_box(fold_axis *a, const report_axis *places, size_t first, size_t at, size_t end)
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
    for (size_t i = 0; i < a->n; i++) {
        a->place[i] = a->fixed != SIZE_MAX ? 0 : a->dense[raw_place(a, a->span, first, at + i)];
        a->first[i] = places->index[a->place[i]] == at + i;
    }
}

static void
start_axis(fold_axis *a, const report_axis *places)
{
    size_t first, end;

    a->span = 0;
    find_span(a, 0, &first, &end);
    set_box(a, places, first, first, end);
}

/* False: that was the last box; the next is the first again. */
static bool
step_axis(fold_axis *a, const report_axis *places)
{
    size_t first, end, next = a->at + a->n;

    find_span(a, a->span, &first, &end);
    if (next < end) {
        set_box(a, places, first, next, end);
        return true;
    }
    if (++a->span == count_spans(a)) {
        start_axis(a, places);
        return false;
    }
    find_span(a, a->span, &first, &end);
    set_box(a, places, first, first, end);
    return true;
}

/* ---- values --------------------------------------------------------------------------------------------------- */

static void
add_value(folding *f, size_t place, bool first, double value)
{
    report_sample *s = f->s;

    if (f->st != NULL)
        report_stats_add(f->st, value);
    if ((f->single && !first) || !isfinite(value))
        return;
    f->count[place]++;
    s->value[place] += value;
    s->least[place] = fmin(s->least[place], value);
    s->most[place] = fmax(s->most[place], value);
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
        bool   first = true;

        for (d = 0; d < ndims; d++) {
            place = place * f->s->axis[d].n + f->axis[d].place[f->k[d]];
            first = first && f->axis[d].first[f->k[d]];
            f->index[d] = f->axis[d].source + f->k[d] * f->axis[d].step;
        }
        if (first || !f->single || f->st != NULL)
            add_value(f, place, first, report_reader_value(&f->r, i, f->index));
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
        start_axis(&f->axis[d], &f->s->axis[d]);
    do {
        if ((rc = fold_box(f)) != NC_NOERR)
            return rc;
        for (d = f->s->ndims - 1; d >= 0 && !step_axis(&f->axis[d], &f->s->axis[d]);)
            d--;
    } while (d >= 0);
    return report_reader_end(&f->r, f->start, f->len, f->stride);
}

/* Sums become means; a place without a value is missing. Where each has one value, there is no span. */
static void
finish(folding *f)
{
    report_sample *s = f->s;
    bool           spans = false;

    for (size_t i = 0; i < s->n; i++) {
        bool none = f->count[i] == 0;

        s->value[i] = none ? NAN : s->value[i] / f->count[i];
        s->least[i] = none ? NAN : s->least[i];
        s->most[i] = none ? NAN : s->most[i];
        s->value[i] = fmin(fmax(s->value[i], s->least[i]), s->most[i]);
        spans = spans || f->count[i] > 1;
    }
    if (!spans) {
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

    s->all = plan->all;
    for (int d = 0; d < s->ndims; d++) {
        init_axis(plan, d, places[d], f->single, &f->axis[d]);
        choose_places(&f->axis[d], f->single, &s->axis[d]);
        s->n *= s->axis[d].n;
        s->all = s->all && (!f->single || plan->fixed[d] || s->axis[d].n == s->axis[d].len);
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

/* Of each chunk that is read all values, or so many that there are no more than `most` in all. */
static void
choose_points(const report_plan *plan, size_t most, size_t *places)
{
    const dump_var *v = plan->v;

    for (int i = 0; i < v->ndims; i++)
        places[i] = plan->fixed[i] ? 1 : plan->chunk[i];
    report_plan_reduce(places, v->ndims, (double)most / report_plan_product(plan->count, v->ndims));
}

static void
clear_folding(folding *f)
{
    for (int d = 0; d < f->s->ndims; d++) {
        free(f->axis[d].dense);
        free(f->axis[d].place);
        free(f->axis[d].first);
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
report_fold(report_page *p, const dump_var *v, const value_meaning *m, const report_request *request,
            report_sample *s, report_stats *st, const char **why)
{
    size_t      n = (size_t)v->ndims, *points = memory_alloc(n, sizeof *points);
    report_plan plan;
    folding     f = {.s = s, .st = st, .single = request->places == NULL, .axis = memory_alloc(n, sizeof *f.axis)};
    int         rc = NC_EINVAL;

    *s = (report_sample){.ndims = v->ndims, .axis = memory_alloc(n, sizeof *s->axis), .n = 1};
    if (report_plan_make(p, v, request->at, request->free_dims, &plan, why)) {
        if (st != NULL)
            *st = (report_stats){.sampled = !plan.all, .least = INFINITY, .most = -INFINITY};
        f.start = memory_alloc(n, sizeof *f.start);
        f.len = memory_alloc(n, sizeof *f.len);
        f.k = memory_alloc(n, sizeof *f.k);
        f.index = memory_alloc(n, sizeof *f.index);
        f.stride = memory_alloc(n, sizeof *f.stride);
        choose_points(&plan, request->most, points);
        init_places(&plan, f.single ? points : request->places, &f);
        report_reader_open(p, v, m, choose_boxes(&f, v->ndims), &f.r);
        if ((rc = fold_boxes(&f)) != NC_NOERR)
            *why = NULL;
        report_reader_close(&f.r);
        finish(&f);
    }
    report_plan_clear(&plan);
    clear_folding(&f);
    free(points);
    return rc;
}

bool
report_read_values(report_page *p, int grp, int varid, int free_dims, size_t most, report_sample *s)
{
    value_meaning m;
    dump_var      v;
    const char   *why;
    size_t       *at;
    double        degrees = coord_degrees_in_unit(grp, varid);
    bool          good = dump_var_load_part(&p->d, grp, varid, &v) == NC_NOERR && report_is_numeric(&v) &&
                v.ndims >= free_dims && !v.empty;

    *s = (report_sample){.n = 0};
    if (good) {
        value_meaning_load(grp, varid, &m);
        at = memory_alloc((size_t)v.ndims, sizeof *at);
        good =
            report_fold(p, &v, &m,
                        &(report_request){.at = at, .free_dims = free_dims > 0 ? free_dims : v.ndims, .most = most},
                        s, NULL, &why) == NC_NOERR;
        for (size_t i = 0; good && i < s->n; i++)
            s->value[i] *= degrees;
        free(at);
        value_meaning_clear(&m);
    }
    dump_var_clear(&v);
    return good;
}
