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

/* The meridians that these cover, without the widest gap between them. */
void
report_longitudes(const double *value, size_t n, double range[2])
{
    enum { DEGREES = 360 };
    bool taken[DEGREES] = {false};
    int  run = 0, widest = 0, end = 0;

    for (size_t i = 0; i < n; i++)
        if (fabs(value[i]) <= 720)
            taken[(int)(value[i] - 360 * floor(value[i] / 360)) % DEGREES] = true;
    for (int i = 0; i < 2 * DEGREES; i++) {
        run = taken[i % DEGREES] ? 0 : run + 1;
        if (run > widest && run < DEGREES) {
            widest = run;
            end = i % DEGREES;
        }
    }
    range[0] = end + 1;
    range[1] = end + 1 + DEGREES - widest;
    for (int side = 0; side < 2 && widest > 0; side++) { /* to what the values at the two ends are */
        double exact = side == 0 ? range[1] : range[0];

        for (size_t i = 0; i < n; i++) {
            double lon = value[i] - 360 * floor((value[i] - range[0]) / 360);

            if (fabs(value[i]) <= 720 && lon <= range[1])
                exact = side == 0 ? fmin(exact, lon) : fmax(exact, lon);
        }
        range[side] = exact;
    }
}
