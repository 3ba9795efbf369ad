/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_ticks.c: round values along an axis, where they are, and how they are written.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
add_tick(report_ticks *t, double index, const char *text)
{
    picture_tick *more = realloc(t->axis.tick, (t->axis.n + 1) * sizeof *more);
    double        at = t->cells ? (index + 0.5) / t->len : t->len > 1 ? index / (t->len - 1) : 0.5;

    t->axis.tick = memory_need(more);
    t->axis.tick[t->axis.n++] = (picture_tick){.at = t->upward ? 1 - at : at, .text = memory_textf("%s", text)};
    t->last = index;
}

void
report_ticks_clear(report_ticks *t)
{
    for (size_t i = 0; i < t->axis.n; i++)
        free(t->axis.tick[i].text);
    free(t->axis.tick);
    text_clear(&t->name);
    *t = (report_ticks){.len = 0};
}

/* ---- numbers and degrees -------------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of 10, so that a range has at most `most` steps. */
static double
step_for(double range, double most)
{
    double least = range / most, power = pow(10, floor(log10(least))), part = least / power;

    if (!(range > 0) || !isfinite(power) || power <= 0)
        return 1;
    return power * (part <= 1.0001 ? 1 : part <= 2.0001 ? 2 : part <= 5.0001 ? 5 : 10);
}

static double
step_for_degrees(double range, double most)
{
    static const double steps[] = {5, 10, 15, 30, 45, 60, 90};

    if (range / most > 2)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (range / steps[i] <= most + 1e-9)
                return steps[i];
    return range / most > 2 ? 90 : step_for(range, most);
}

static int
decimals_of(double step)
{
    int n = 0;

    while (n < 9 && fabs(step - round(step)) > 1e-6 * step) {
        step *= 10;
        n++;
    }
    return n;
}

static double
normal_longitude(double lon)
{
    lon -= 360 * floor((lon + 180) / 360);
    return lon < -179.99999 ? 180 : lon;
}

void
report_add_degrees(text_buf *t, double value, bool latitude, int decimals)
{
    double least = pow(10, -decimals) / 2;

    value = latitude ? value : normal_longitude(value);
    text_addf(t, "%.*f\xc2\xb0", decimals, fabs(value));
    if (fabs(value) >= least && (latitude || fabs(value) < 180 - least))
        text_addc(t, latitude ? value > 0 ? 'N' : 'S' : value > 0 ? 'E' : 'W');
}

static void
add_value(text_buf *t, const report_coord *c, double value, double step, int exponent)
{
    if (c->kind == REPORT_LATITUDES || c->kind == REPORT_LONGITUDES) {
        report_add_degrees(t, value, c->kind == REPORT_LATITUDES, decimals_of(step));
    } else {
        double factor = pow(10, exponent);

        report_add_decimals(t, value / factor, decimals_of(step / factor));
    }
}

static void
find_range(const report_coord *c, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < c->n; i++)
        if (isfinite(c->value[i])) {
            *least = fmin(*least, c->value[i]);
            *most = fmax(*most, c->value[i]);
        }
}

/* The round values between two nodes, the first one included. */
static void
add_between(const report_coord *c, size_t i, double step, double apart, report_ticks *t)
{
    double v0 = c->value[i], v1 = c->value[i + 1], low = fmin(v0, v1), high = fmax(v0, v1);
    double first = ceil(low / step - 1e-9) * step, count = floor((high - first) / step + 1e-9);

    for (double k = 0; k <= count && count < 100; k++) {
        double   at = v1 >= v0 ? first + k * step : first + (count - k) * step;
        double   index = c->index[i] + (v1 != v0 ? (at - v0) / (v1 - v0) : 0) * (c->index[i + 1] - c->index[i]);
        text_buf text = TEXT_BUF_INIT;

        if (t->axis.n == 0 || index - t->last > apart) {
            add_value(&text, c, at, step, t->exponent);
            add_tick(t, index, text.s);
        }
        text_clear(&text);
    }
}

/* `step` 0: such that there are at most so many. */
static void
make_numbers(const report_coord *c, size_t most, double step, report_ticks *t)
{
    bool   degrees = c->kind == REPORT_LATITUDES || c->kind == REPORT_LONGITUDES;
    double low, high, largest;

    find_range(c, &low, &high);
    if (!(high > low))
        return;
    if (step <= 0)
        step = degrees ? step_for_degrees(high - low, (double)most) : step_for(high - low, (double)most);
    largest = fmax(fabs(low), fabs(high));
    if (!degrees && (largest >= 1e6 || largest < 1e-3))
        t->exponent = (int)(3 * floor(log10(largest) / 3));
    for (size_t i = 0; i + 1 < c->n; i++)
        if (isfinite(c->value[i]) && isfinite(c->value[i + 1]))
            add_between(c, i, step, (double)c->len / (double)most / 2, t);
}

/* ---- times ---------------------------------------------------------------------------------------------------- */

typedef struct unit {
    double seconds; /* of a unit of constant length */
    int    months;  /* of another one */
} unit;

/* The unit's number since some beginning at a value of the axis. */
static double
number_of(const cf_timebase *tb, const unit *u, double value)
{
    cf_date m;

    if (u->months > 0)
        return ncz_cf_timebase_date(tb, value, &m) ? floor((double)(m.year * 12 + m.month - 1) / u->months) : NAN;
    return floor(((double)tb->day * 86400 + tb->second + value * tb->seconds) / u->seconds + 1e-9);
}

/* The value at which a unit with this number begins, between two others. */
static double
begin_of(const cf_timebase *tb, const unit *u, double number, double low, double high)
{
    if (u->months == 0)
        return (number * u->seconds - (double)tb->day * 86400 - tb->second) / tb->seconds;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;

        *(number_of(tb, u, middle) >= number ? &high : &low) = middle;
    }
    return high;
}

static double
index_of(const report_coord *c, double value)
{
    size_t lo = 0, hi = c->n - 1;

    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        *(c->value[mid] <= value ? &lo : &hi) = mid;
    }
    return c->index[lo] + (value - c->value[lo]) / (c->value[hi] - c->value[lo]) * (c->index[hi] - c->index[lo]);
}

static void
add_time(const report_coord *c, const unit *u, double value, report_ticks *t)
{
    /* values are rounded: a moment that is meant may be just before */
    double   little = c->time.months == 0 ? 1e-3 / c->time.seconds : 0;
    text_buf text = TEXT_BUF_INIT;
    cf_date  m;

    if (!ncz_cf_timebase_date(&c->time, value + little, &m))
        return;
    if (u->months > 0 && u->months % 12 == 0)
        text_addf(&text, "%04lld", m.year);
    else if (u->months > 0)
        text_addf(&text, "%04lld-%02d", m.year, m.month);
    else if (u->seconds >= 86400 || (m.hour == 0 && m.minute == 0 && m.second == 0))
        text_addf(&text, "%04lld-%02d-%02d", m.year, m.month, m.mday);
    else if (u->seconds >= 60)
        text_addf(&text, "%02d:%02d", m.hour, m.minute);
    else
        text_addf(&text, "%02d:%02d:%02d", m.hour, m.minute, m.second);
    add_tick(t, index_of(c, value), text.s);
    text_clear(&text);
}

static bool
make_times(const report_coord *c, size_t most, report_ticks *t)
{
    static const unit units[] = {
        {1, 0},         {5, 0},          {15, 0},       {30, 0},       {60, 0},        {300, 0},   {900, 0},
        {1800, 0},      {3600, 0},       {3 * 3600, 0}, {6 * 3600, 0}, {12 * 3600, 0}, {86400, 0}, {2 * 86400, 0},
        {5 * 86400, 0}, {10 * 86400, 0}, {0, 1},        {0, 3},        {0, 6},         {0, 12},    {0, 24},
        {0, 60},        {0, 120},        {0, 240},      {0, 600},      {0, 1200},      {0, 6000}};
    double low = c->value[0], high = c->value[c->n - 1];

    for (size_t i = 1; i < c->n; i++)
        if (!(c->value[i] > c->value[i - 1]))
            return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const unit *u = &units[i];
        double      first, last;

        if (u->months == 0 && c->time.months != 0)
            continue;
        first = number_of(&c->time, u, low);
        last = number_of(&c->time, u, high);
        if (!(last - first <= (double)most))
            continue;
        for (double k = first; k <= last; k++) {
            double value = begin_of(&c->time, u, k, low, high);

            if (value >= low - 1e-9 * fabs(low) && value <= high && (k > first || u->months == 0 || value <= low))
                add_time(c, u, value, t);
        }
        return t->axis.n > 0;
    }
    return false;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void
make_labels(const report_coord *c, size_t most, report_ticks *t)
{
    size_t step =
        c->kind == REPORT_NAMES ? dump_divide_up(c->n, most) : (size_t)fmax(1, step_for((double)c->n, (double)most));

    for (size_t i = 0; i < c->n; i += step)
        add_tick(t, c->index[i], c->name[i]);
}

/* Some of the places: where times fall, or no unit fits. */
static void
make_dates(const report_coord *c, size_t most, report_ticks *t)
{
    enum { TO_THE_MINUTE = 16 };

    for (size_t i = 0; i < c->n; i += dump_divide_up(c->n, most > 1 ? most / 2 : 1)) {
        text_buf text = TEXT_BUF_INIT;

        if (report_add_time(&text, &c->time, c->value[i], TO_THE_MINUTE))
            add_tick(t, c->index[i], text.s);
        text_clear(&text);
    }
}

static void
make_indices(const report_coord *c, size_t most, report_ticks *t)
{
    double step = fmax(1, step_for((double)(c->len - 1), (double)most));

    for (double at = 0; at <= (double)(c->len - 1); at += step) {
        text_buf text = TEXT_BUF_INIT;

        text_addf(&text, "%.0f", at);
        add_tick(t, at, text.s);
        text_clear(&text);
    }
}

void
report_ticks_make(const report_coord *c, size_t most, bool cells, bool upward, report_ticks *t)
{
    *t = (report_ticks){.len = (double)c->len, .cells = cells, .upward = upward};
    if (most < 1)
        return;
    if (c->name != NULL)
        make_labels(c, most, t);
    else if (c->kind == REPORT_TIMES && (c->n < 2 || !make_times(c, most, t)))
        make_dates(c, most, t);
    else if (c->kind != REPORT_TIMES && c->n > 1)
        make_numbers(c, most, 0, t);
    else if (c->kind == REPORT_INDICES && c->len > 1)
        make_indices(c, most, t);
}

/* 10, 100, 1000; of few decades also 20 and 50, and so on. */
static void
make_decades(const report_scale *s, size_t many, report_ticks *t)
{
    double decades = log10(s->most / s->least);
    int    first = (int)floor(log10(s->least)), last = (int)ceil(log10(s->most));
    int    every = 1 + (int)(decades / (double)many);

    for (int power = first; power <= last; power += every)
        for (int k = 0; k < (decades * 3 <= (double)many + 1 ? 3 : 1); k++) {
            double   value = (k == 0 ? 1 : k == 1 ? 2 : 5) * pow(10, power), part = report_scale_part(s, value);
            text_buf text = TEXT_BUF_INIT;

            if (part > 1 + 1e-9 || part < -1e-9)
                continue;
            if (power >= -4 && power <= 5) {
                report_add_number(&text, value);
            } else {
                if (k > 0)
                    text_addf(&text, "%d\xc2\xb7", k == 1 ? 2 : 5);
                report_add_power(&text, power);
            }
            add_tick(t, part, text.s);
            text_clear(&text);
        }
}

void
report_ticks_values(const report_scale *s, size_t many, bool upward, report_ticks *t)
{
    double             index[2] = {0, 1}, value[2] = {s->least, s->most}, least = s->least;
    const report_coord c = {.kind = REPORT_NUMBERS, .len = 1, .n = 2, .index = index, .value = value};

    *t = (report_ticks){.len = 2, .upward = upward};
    if (s->log) {
        make_decades(s, many, t);
    } else if (s->most > s->least) {
        make_numbers(&c, many, 0, t);
    } else {
        text_buf text = TEXT_BUF_INIT;

        report_add_number(&text, least);
        add_tick(t, 0.5, text.s);
        text_clear(&text);
    }
}

void
report_geo_steps(const report_geo *g, double *lat_step, double *lon_step)
{
    double lat[2], lon[2];

    report_geo_region(g, lat, lon);
    *lat_step = step_for_degrees(lat[1] - lat[0], 6);
    *lon_step = step_for_degrees(lon[1] - lon[0], 7);
}

/* Places along the left edge, or the lower one. */
static void
find_edge(const report_geo *g, bool vertical, bool upward, report_coord *c, size_t points)
{
    for (size_t i = 0; i < points; i++) {
        double at = -0.5 + (double)c->len * (double)i / (double)(points - 1), lat, lon;

        if (!report_geo_at(g, vertical ? at : upward ? -0.5 : (double)g->ny - 0.5, vertical ? -0.5 : at, &lat, &lon))
            continue;
        c->index[c->n] = at;
        c->value[c->n] = vertical ? lat : lon;
        if (c->n > 0 && !vertical)
            c->value[c->n] += 360 * round((c->value[c->n - 1] - lon) / 360);
        c->n++;
    }
}

void
report_ticks_along(const report_geo *g, bool vertical, bool upward, report_ticks *t)
{
    enum { POINTS = 200 };
    double       index[POINTS], value[POINTS], lat_step, lon_step;
    report_coord c = {.kind = vertical ? REPORT_LATITUDES : REPORT_LONGITUDES,
                      .len = vertical ? g->ny : g->nx,
                      .index = index,
                      .value = value};

    *t = (report_ticks){.len = (double)c.len, .cells = true, .upward = vertical && upward};
    report_geo_steps(g, &lat_step, &lon_step);
    find_edge(g, vertical, upward, &c, POINTS);
    if (c.n > 1)
        make_numbers(&c, 8, vertical ? lat_step : lon_step, t);
}

void
report_ticks_rows(const report_flags *f, report_ticks *t)
{
    int n = f->n + (f->others > 0);

    *t = (report_ticks){.len = n, .cells = true, .upward = true};
    for (int i = 0; i < n; i++)
        add_tick(t, i, i < f->n ? f->name[i] : "other values");
}
