/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_scale.c: which color a value has.
 *
 * The ends of the colors are the 2nd and the 98th percentile where values are beyond them by much. Values that are all
 * greater than 0 and span three decades, and amounts of rain and chlorophyll, have a logarithmic scale; anomalies, and
 * what lies about alike on both sides of 0, one round 0.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- colors ----------------------------------------------------------------------------------------------------- */

static unsigned char
to_srgb(double linear)
{
    double c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;

    return (unsigned char)(fmin(fmax(c, 0), 1) * 255 + 0.5);
}

/* From OKLab; the matrices are those of its definition (B. Ottosson, 2020). */
static void
oklab_to_rgb(double lightness, double a, double b, unsigned char rgb[3])
{
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

    rgb[0] = to_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rgb[1] = to_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rgb[2] = to_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

/* Straight lines of lightness, so that equal steps of a value look equal, also to most of those who are colour-blind,
 * and a picture in grey keeps their order; that of blue-red from the middle on. */
void
report_color(report_colormap map, double part, unsigned char rgb[3])
{
    double lightness = 0.28 + 0.64 * part, hue = 290 - 185 * part, chroma = 0.08 + 0.07 * part;

    if (map == REPORT_BLUE_RED) {
        double away = fabs(2 * part - 1);

        lightness = 0.97 - 0.53 * away;
        hue = part < 0.5 ? 255 : 30;
        chroma = 0.17 * pow(away, 0.8);
    } else if (map == REPORT_WHITE_BLUE) {
        lightness = 0.97 - 0.67 * part;
        hue = 215 + 60 * part;
        chroma = 0.02 + 0.13 * sqrt(part * (1.3 - part));
    } else if (map == REPORT_GREY) {
        lightness = 0.15 + 0.82 * part;
        chroma = 0;
    }
    hue *= acos(-1) / 180;
    oklab_to_rgb(lightness, chroma * cos(hue), chroma * sin(hue), rgb);
}

/* Hues a part of a turn apart that no few of them repeat; the first ones are blue, green, red, teal, orange. */
void
report_category_rgb(int n, unsigned char rgb[3])
{
    static const double lightness[] = {0.60, 0.80, 0.70};
    const double        hue = (250 - 137.5 * n) * acos(-1) / 180;

    if (n >= REPORT_CATEGORIES) /* values that are none of the categories */
        memset(rgb, 128, 3);
    else
        oklab_to_rgb(lightness[n % 3], 0.11 * cos(hue), 0.11 * sin(hue), rgb);
}

void
report_cells_init(picture_cells *c, size_t width, size_t height, const report_scale *scale, int levels)
{
    picture_cells_init(c, width, height);
    c->ncolors = 1 + (scale == NULL ? REPORT_CATEGORIES + 1 : levels);
    for (int i = 1; i < c->ncolors; i++)
        if (scale == NULL)
            report_category_rgb(i - 1, c->rgb[i]);
        else
            report_color(scale->colors, levels > 1 ? (double)(i - 1) / (levels - 1) : 0.5, c->rgb[i]);
}

/* ---- which scale ------------------------------------------------------------------------------------------------ */

double
report_scale_part(const report_scale *s, double value)
{
    double span;

    if (s->log)
        return value > 0 ? log(value / s->least) / log(s->most / s->least) : isnan(value) ? NAN : -INFINITY;
    span = s->most / 2 - s->least / 2; /* halves keep the difference of two huge numbers finite */
    return span > 0 ? (value / 2 - s->least / 2) / span : isfinite(value) ? 0.5 : NAN;
}

unsigned char
report_pixel(const report_scale *s, double value, int levels)
{
    double part = isfinite(value) ? report_scale_part(s, value) : NAN;

    return isnan(part) ? 0 : (unsigned char)(1 + fmin(fmax(part, 0), 1) * (levels - 1) + 0.5);
}

report_scale
report_scale_linear(double least, double most)
{
    return (report_scale){
        .least = least, .most = most, .true_least = least, .true_most = most, .colors = REPORT_BLUE_YELLOW};
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One of the words is in one of the variable's names. */
static bool
is_named(const dump_var *v, const char *const *words)
{
    static const char *const atts[] = {"standard_name", "long_name", "description"};
    text_buf                 t = TEXT_BUF_INIT;
    bool                     found = false;

    text_add(&t, v->name);
    for (size_t i = 0; i < sizeof atts / sizeof *atts; i++) {
        text_addc(&t, ' ');
        (void)report_add_att(&t, v->grp, v->id, atts[i], 200);
    }
    for (size_t i = 0; i < t.len; i++)
        for (const char *const *w = words; *w != NULL; w++)
            found = found || strncasecmp(t.s + i, *w, strlen(*w)) == 0;
    text_clear(&t);
    return found;
}

static bool
is_position(const dump_var *v)
{
    return coord_is_latitude(v->grp, v->id) || coord_is_longitude(v->grp, v->id);
}

static double
quantile(const double *sorted, size_t n, double part)
{
    return sorted[(size_t)((double)(n - 1) * part + 0.5)];
}

/* The percentiles, unless nearly all of the range lies between them. */
static void
take_percentiles(report_scale *s, const double *sorted, size_t n)
{
    double lo = quantile(sorted, n, 0.02), hi = quantile(sorted, n, 0.98);
    double part = (hi / 2 - lo / 2) / (s->true_most / 2 - s->true_least / 2);

    if (hi > lo && part < 0.9) {
        s->least = lo;
        s->most = hi;
    }
}

/* `sorted`: the values that are greater than 0. */
static void
take_decades(report_scale *s, const double *sorted, size_t n, double decades)
{
    double lo = quantile(sorted, n, 0.02), hi = quantile(sorted, n, 0.98);

    if (!(hi > lo)) {
        lo = sorted[0];
        hi = sorted[n - 1];
    }
    if (!(hi > lo))
        return;
    s->log = true;
    s->least = fmax(lo, hi * pow(10, -decades));
    s->most = hi;
}

static void
take_middle(report_scale *s)
{
    s->most = fmax(fabs(s->least), fabs(s->most));
    s->least = -s->most;
    s->colors = REPORT_BLUE_RED;
}

static void
choose_shape(report_scale *s, const dump_var *v, const double *sorted, size_t n, const report_look *look)
{
    static const char *const anomalies[] = {"anomal", "departure", NULL};
    static const char *const amounts[] = {"precipitation", "rain", "chlorophyll", "chlor_a", NULL};
    size_t                   first = 0, positive;
    bool                     amount = is_named(v, amounts), log;

    while (first < n && sorted[first] <= 0)
        first++;
    positive = n - first;
    take_percentiles(s, sorted, n);
    log = look->log || (positive > 50 && !is_position(v) && !is_named(v, anomalies) &&
                        quantile(sorted + first, positive, 0.98) >=
                            quantile(sorted + first, positive, 0.02) * (amount ? 10 : 1000) &&
                        (amount || quantile(sorted, n, 0.02) > 0));
    if (log && positive > 0 && (look->log || s->true_least >= 0))
        take_decades(s, sorted + first, positive, amount ? 4 : 6);
    else if (!look->has_range &&
             (is_named(v, anomalies) ||
              (s->least < 0 && s->most > 0 && fmax(-s->least, s->most) <= 2 * fmin(-s->least, s->most))))
        take_middle(s);
    if (amount && s->colors == REPORT_BLUE_YELLOW && s->true_least >= 0 &&
        !is_named(v, (const char *const[]){"chlor", NULL}))
        s->colors = REPORT_WHITE_BLUE;
}

bool
report_scale_choose(report_scale *s, const dump_var *v, const report_sample *sample, const report_stats *st,
                    const report_look *look)
{
    double *sorted = memory_alloc(sample->n, sizeof *sorted);
    size_t  n = 0;

    for (size_t i = 0; i < sample->n; i++)
        if (isfinite(sample->value[i]))
            sorted[n++] = sample->value[i];
    qsort(sorted, n, sizeof *sorted, compare);
    *s = n > 0 ? report_scale_linear(st->least, st->most) : report_scale_linear(0, 0);
    if (n > 0 && s->most > s->least)
        choose_shape(s, v, sorted, n, look);
    free(sorted);
    if (look->has_range) {
        s->least = look->range[0];
        s->most = look->range[1];
    }
    if (look->colors != REPORT_COLORS_AUTO)
        s->colors = look->colors;
    report_scale_extend(s, s->true_least, s->true_most);
    return s->log || !look->log;
}

void
report_scale_widen(report_scale *s)
{
    double room = s->most > s->least ? s->most / 25 - s->least / 25 : 0;

    s->least -= room;
    s->most += room;
}

void
report_scale_extend(report_scale *s, double least, double most)
{
    s->true_least = fmin(s->true_least, least);
    s->true_most = fmax(s->true_most, most);
    s->below = s->true_least < s->least;
    s->above = s->true_most > s->most;
}
