/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_stats.c: least, greatest, mean and deviation of a sample, and how its values are distributed.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

/* The place of a value between least and most as a bin. The halves keep the difference of two huge numbers finite. */
static size_t
find_bin(double least, double most, double value)
{
    double span = most / 2 - least / 2;
    size_t bin = span > 0 ? (size_t)((value / 2 - least / 2) / span * REPORT_BINS) : 0;

    return bin < REPORT_BINS ? bin : REPORT_BINS - 1;
}

void
report_stats_bin(const report_sample *s, double least, double most, report_stats *st)
{
    memset(st->bin, 0, sizeof st->bin);
    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->value[i]))
            st->bin[find_bin(least, most, s->value[i])]++;
}

void
report_stats_make(const report_sample *s, report_stats *st)
{
    double squares = 0;
    size_t n = 0;

    *st = (report_stats){.sampled = !s->all, .n = s->n, .least = INFINITY, .most = -INFINITY};
    for (size_t i = 0; i < s->n; i++) {
        double value = s->value[i], apart;

        if (!isfinite(value)) {
            st->missing++;
            continue;
        }
        n++;
        apart = value - st->mean;
        st->mean += apart / (double)n;
        squares += apart * (value - st->mean);
        st->least = fmin(st->least, value);
        st->most = fmax(st->most, value);
    }
    st->deviation = n > 0 ? sqrt(squares / (double)n) : 0;
    report_stats_bin(s, st->least, st->most, st);
}
