/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_stats.c: least, greatest, mean and deviation of a sample, and how its values are distributed.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

/* The place of a value on a scale as a bin; values beyond are in the first and last one. */
static size_t
find_bin(const report_scale *scale, double value)
{
    double part = report_scale_part(scale, value) * REPORT_BINS;

    return part > 0 ? (size_t)fmin(part, REPORT_BINS - 1) : 0;
}

void
report_stats_bin(const report_sample *s, const report_scale *scale, report_stats *st)
{
    memset(st->bin, 0, sizeof st->bin);
    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->value[i]))
            st->bin[find_bin(scale, s->value[i])]++;
}

void
report_stats_add(report_stats *st, double value)
{
    double apart;

    st->n++;
    if (!isfinite(value)) {
        st->missing++;
        return;
    }
    apart = value - st->mean;
    st->mean += apart / (double)(st->n - st->missing);
    st->squares += apart * (value - st->mean);
    st->least = fmin(st->least, value);
    st->most = fmax(st->most, value);
}

void
report_stats_make(const report_sample *s, report_stats *st)
{
    *st = (report_stats){.sampled = !s->all, .least = INFINITY, .most = -INFINITY};
    for (size_t i = 0; i < s->n; i++)
        report_stats_add(st, s->value[i]);
}
