/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_sample.c: some of a variable's values, from few chunks: a chunk costs the same however little of it is used,
 * and in a bucket it is a request.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>

/* ---- which indices -------------------------------------------------------------------------------------------- */

size_t
report_index_in_dim(const hyperslab_dim *part, size_t index)
{
    const hyperslab_run *run = part != NULL ? part->runs : NULL;

    if (run == NULL)
        return index;
    while (index >= run->count)
        index -= run++->count;
    return run->start + index * run->step;
}

/* Of a part of a dimension: its indices in the dataset, and runs of them that one request can name. */
static void
translate_indices(report_axis *a, const hyperslab_dim *part)
{
    a->source = memory_alloc(a->n, sizeof *a->source);
    for (size_t i = 0; i < a->n; i++)
        a->source[i] = report_index_in_dim(part, a->index[i]);
    if (part == NULL)
        return;
    free(a->run);
    a->run = memory_alloc(a->n + 1, sizeof *a->run);
    a->nruns = 0;
    for (size_t first = 0, end; first < a->n; first = end) {
        for (end = first + 1; end < a->n && a->source[end] > a->source[end - 1] &&
                              a->source[end] - a->source[end - 1] == a->source[first + 1] - a->source[first];)
            end++;
        a->run[a->nruns++] = first;
    }
    a->run[a->nruns] = a->n;
}

/* `chunks` of the chunks, evenly spaced, and about `points` indices in each. */
static void
choose_indices(report_axis *a, size_t chunks, size_t points)
{
    size_t grid = dump_divide_up(a->len, a->chunk);

    a->index = memory_alloc(chunks * points + 1, sizeof *a->index);
    a->run = memory_alloc(chunks + 1, sizeof *a->run);
    for (size_t c = 0; c < chunks; c++) {
        size_t first = (chunks > 1 ? (size_t)((double)c * (double)(grid - 1) / (double)(chunks - 1)) : 0) * a->chunk;
        size_t len = a->len - first < a->chunk ? a->len - first : a->chunk;
        size_t stride = dump_divide_up(len, points);

        a->run[a->nruns++] = a->n;
        for (size_t i = 0; i < len; i += stride)
            a->index[a->n++] = first + i;
    }
    a->run[a->nruns] = a->n;
}

/* Of the chunks that are planned all values, or some of each, evenly spaced. */
static void
choose_axes(const report_plan *plan, size_t most, report_sample *s)
{
    const dump_var *v = plan->v;
    size_t         *points = memory_alloc((size_t)v->ndims, sizeof *points);

    for (int i = 0; i < v->ndims; i++)
        points[i] = plan->fixed[i] ? 1 : plan->chunk[i];
    report_plan_reduce(points, v->ndims, (double)most / report_plan_product(plan->count, v->ndims));
    for (int i = 0; i < v->ndims; i++) {
        report_axis *a = &s->axis[i];

        *a = (report_axis){.len = v->shape[i], .chunk = plan->chunk[i]};
        choose_indices(a, plan->count[i], points[i]);
        if (plan->fixed[i])
            a->index[0] = plan->at[i];
        translate_indices(a, v->part[i]);
        s->n *= a->n;
        s->all = s->all && (plan->fixed[i] || a->n == a->len);
    }
    free(points);
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

typedef struct reading {
    report_reader  r;
    report_sample *s;
    size_t        *run; /* of each dimension: the run that is read now */
    size_t        *start, *count, *place, *index;
    ptrdiff_t     *stride;
} reading;

static size_t
offset_of(const report_sample *s, const size_t *place)
{
    size_t at = 0;

    for (int i = 0; i < s->ndims; i++)
        at = at * s->axis[i].n + place[i];
    return at;
}

/* Reads the box of the current run of each dimension, and puts the values where they belong. */
static int
read_box(reading *r)
{
    const report_sample *s = r->s;
    size_t               n = 1;
    int                  rc;

    for (int i = 0; i < s->ndims; i++) {
        const report_axis *a = &s->axis[i];
        size_t             first = a->run[r->run[i]], end = a->run[r->run[i] + 1];

        r->start[i] = a->source[first];
        r->count[i] = end - first;
        r->stride[i] = end - first > 1 ? (ptrdiff_t)(a->source[first + 1] - a->source[first]) : 1;
        r->place[i] = first;
        n *= r->count[i];
    }
    if ((rc = report_reader_get(&r->r, r->start, r->count, r->stride)) != NC_NOERR)
        return rc;
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; r->r.damaged && i < s->ndims; i++)
            r->index[i] = s->axis[i].source[r->place[i]];
        s->value[offset_of(s, r->place)] = report_reader_value(&r->r, k, r->index);
        for (int i = s->ndims - 1; i >= 0; i--) {
            const report_axis *a = &s->axis[i];

            if (++r->place[i] < a->run[r->run[i] + 1])
                break;
            r->place[i] = a->run[r->run[i]];
        }
    }
    return NC_NOERR;
}

/* All of them, or those that are not damaged; a failure if there are none. */
static int
read_boxes(reading *r)
{
    int i, rc;

    do {
        if ((rc = read_box(r)) != NC_NOERR)
            return rc;
        for (i = r->s->ndims - 1; i >= 0 && ++r->run[i] == r->s->axis[i].nruns; i--)
            r->run[i] = 0;
    } while (i >= 0);
    return report_reader_end(&r->r, r->start, r->count, r->stride);
}

int
report_sample_try(report_page *p, const dump_var *v, const value_meaning *m, const size_t *at, int free_dims,
                  size_t most, report_sample *s, const char **why)
{
    size_t      n = (size_t)v->ndims;
    reading     r = {.s = s};
    report_plan plan;
    int         rc = NC_EINVAL;

    *s = (report_sample){.ndims = v->ndims, .axis = memory_alloc(n, sizeof *s->axis), .n = 1, .all = true};
    if (report_plan_make(p, v, at, free_dims, &plan, why)) {
        choose_axes(&plan, most, s);
        s->value = memory_alloc(s->n, sizeof *s->value);
        r.run = memory_alloc(n, sizeof *r.run);
        r.start = memory_alloc(n, sizeof *r.start);
        r.count = memory_alloc(n, sizeof *r.count);
        r.place = memory_alloc(n, sizeof *r.place);
        r.index = memory_alloc(n, sizeof *r.index);
        r.stride = memory_alloc(n, sizeof *r.stride);
        report_reader_open(p, v, m, s->n, &r.r);
        if ((rc = read_boxes(&r)) != NC_NOERR)
            *why = NULL;
        report_reader_close(&r.r);
        free(r.run);
        free(r.start);
        free(r.count);
        free(r.place);
        free(r.index);
        free(r.stride);
    }
    report_plan_clear(&plan);
    return rc;
}

/* Reports why nothing was read, and tells the page. */
bool
report_sample_failed(report_page *p, const dump_var *v, int rc, const char *reason, text_buf *why)
{
    if (rc != NC_NOERR && reason != NULL)
        text_add(why, reason);
    if (rc != NC_NOERR && reason == NULL) {
        dump_add_error(why, rc, v->name);
        dump_fail(&p->d.report, rc, v->name);
    }
    return rc != NC_NOERR;
}

bool
report_sample_read(report_page *p, const dump_var *v, const value_meaning *m, const size_t *at, int free_dims,
                   size_t most, report_sample *s, text_buf *why)
{
    const char *reason;
    int         rc = report_sample_try(p, v, m, at, free_dims, most, s, &reason);

    return !report_sample_failed(p, v, rc, reason, why);
}

void
report_sample_clear(report_sample *s)
{
    for (int i = 0; s->axis != NULL && i < s->ndims; i++) {
        free(s->axis[i].index);
        free(s->axis[i].source);
        free(s->axis[i].run);
    }
    free(s->axis);
    free(s->value);
    free(s->least);
    free(s->most);
    *s = (report_sample){.n = 0};
}
