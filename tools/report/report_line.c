/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_line.c: a line as so many columns can show it: of each column's span of a dimension the mean, the least and
 * the greatest value, so that no value between two columns is lost, and no cycle seems slower than it is.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>

static void
init_line(report_line *l, size_t n, bool spans)
{
    l->index = memory_alloc(n, sizeof *l->index);
    l->value = memory_alloc(n, sizeof *l->value);
    l->least = spans ? memory_alloc(n, sizeof *l->least) : NULL;
    l->most = spans ? memory_alloc(n, sizeof *l->most) : NULL;
}

/* One point for the values from place `first` to before place `end`. */
static void
add_span(report_line *l, const report_sample *s, const report_axis *a, size_t first, size_t end)
{
    double sum = 0, least = INFINITY, most = -INFINITY;
    size_t n = 0;

    for (size_t i = first; i < end; i++) {
        if (!isfinite(s->value[i]))
            continue;
        n++;
        sum += s->value[i];
        least = fmin(least, s->least != NULL ? s->least[i] : s->value[i]);
        most = fmax(most, s->most != NULL ? s->most[i] : s->value[i]);
    }
    l->index[l->n] = ((double)a->index[first] + (double)a->index[end - 1]) / 2;
    l->value[l->n] = n > 0 ? sum / (double)n : NAN;
    if (l->least != NULL) {
        l->least[l->n] = n > 0 ? least : NAN;
        l->most[l->n] = n > 0 ? most : NAN;
    }
    l->n++;
}

void
report_line_make(const report_sample *s, int x, size_t columns, report_line *l)
{
    const report_axis *a = &s->axis[x];
    bool               single = a->n <= columns;

    *l = (report_line){.n = 0};
    init_line(l, single ? a->n : columns, !single || s->least != NULL);
    for (size_t first = 0, end; first < a->n; first = end) {
        size_t column = (size_t)((double)a->index[first] * (double)columns / (double)a->len);

        for (end = first + 1;
             !single && end < a->n && (size_t)((double)a->index[end] * (double)columns / (double)a->len) == column;)
            end++;
        add_span(l, s, a, first, end);
    }
}

void
report_line_clear(report_line *l)
{
    free(l->index);
    free(l->value);
    free(l->least);
    free(l->most);
    *l = (report_line){.n = 0};
}
