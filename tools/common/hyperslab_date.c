/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_date.c: what the dates of a limit mean to a coordinate: by its units and calendar where its values are
 * numbers, else by what its texts say ("2001-02-01_12:00:00").
 */
#include "common/hyperslab_int.h"

#include "common/coord_role.h"
#include "common/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_of_models(cf_calendar cal)
{
    return cal == CAL_365 || cal == CAL_366 || cal == CAL_360;
}

/* The last day of a month is another one to calendars of models than to people. */
static bool
find_period(const hyperslab_limit *l, const char *name, cf_calendar cal, cf_date d, cf_moment *begin, cf_moment *end)
{
    cf_date given = d;

    if (ncz_cf_date_period(cal, &d, begin, end))
        return true;
    if (!is_of_models(cal) || !ncz_cf_date_period(CAL_PROLEPTIC, &d, begin, end))
        return false;
    while (d.mday > 1 && !ncz_cf_date_period(cal, &d, begin, end))
        d.mday--;
    message_print("%s: the calendar of %s has no day %04lld-%02d-%02d: %04lld-%02d-%02d is taken", l->text, name,
                  given.year, given.month, given.mday, d.year, d.month, d.mday);
    return true;
}

static bool
set_period(const hyperslab_limit *l, const char *name, hyperslab_dates *p, char why[HYPERSLAB_WHY_SIZE])
{
    cf_moment             begin = {0}, end = {0};
    const hyperslab_edge *edges[] = {&l->first, &l->last};

    for (size_t i = 0; i < 2; i++) {
        const cf_date *d = &edges[i]->date;

        if (edges[i]->given && !find_period(l, name, p->base.cal, *d, &begin, &end)) {
            (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the calendar has no day %04lld-%02d-%02d", l->text, d->year,
                           d->month, d->mday);
            return false;
        }
        if (i == 0) {
            p->begin = begin;
            p->first_end = end;
        }
        if (i == 1 || l->single) {
            p->last_begin = begin;
            p->end = end;
        }
        if (l->single)
            return true;
    }
    if (!l->first.given || !l->last.given || ncz_cf_moment_compare(&p->begin, &p->end) < 0)
        return true;
    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the first date is later than the last", l->text);
    return false;
}

bool
hyperslab_dates_read(const hyperslab_limit *l, int grp, int varid, const char *name, bool texts, hyperslab_dates *out,
                     char why[HYPERSLAB_WHY_SIZE])
{
    char       *units = coord_text_att(grp, varid, "units"), *cal = coord_text_att(grp, varid, "calendar");
    cf_calendar known = CAL_MIXED;
    bool        good = false;

    *out = (hyperslab_dates){.texts = texts};
    if (!texts && units == NULL) {
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %s has no attribute units, so dates mean nothing to it", l->text,
                       name);
    } else if (cal != NULL && !ncz_cf_calendar_find(cal, &known)) {
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the calendar of %s, \"%.100s\", is not known", l->text, name,
                       cal);
    } else if (!texts && !ncz_cf_timebase_parse(units, cal, &out->base)) {
        (void)snprintf(why, HYPERSLAB_WHY_SIZE,
                       "%s: the units of %s, \"%.100s\", are not those of a time: UNIT since DATE", l->text, name,
                       units);
    } else {
        if (texts)
            out->base.cal = known;
        good = set_period(l, name, out, why);
    }
    free(units);
    free(cal);
    return good;
}

cf_moment
hyperslab_date_of_value(hyperslab_dates *d, long double value)
{
    cf_moment m = {0};

    d->misfit = d->misfit || !ncz_cf_timebase_moment(&d->base, value, &m);
    return m;
}

cf_moment
hyperslab_date_of_text(hyperslab_dates *d, const char *text, size_t len)
{
    char      copy[HYPERSLAB_LABEL_SIZE];
    cf_moment m = {0}, end;
    cf_date   date;
    size_t    n = 0;

    while (n < len && n + 1 < sizeof copy && text[n] != '\0' && text[n] != ' ') {
        copy[n] = text[n] == '_' ? 'T' : text[n];
        n++;
    }
    d->misfit = d->misfit || !ncz_cf_date_parse(copy, n, &date) || !ncz_cf_date_period(d->base.cal, &date, &m, &end);
    return m;
}

double
hyperslab_days(const cf_moment *m)
{
    return (double)m->day + (double)m->nano / 86400e9;
}

void
hyperslab_print_day(const hyperslab_dates *d, long double value, char out[HYPERSLAB_LABEL_SIZE])
{
    cf_date date = {0};

    (void)ncz_cf_timebase_date(&d->base, value, &date);
    (void)snprintf(out, HYPERSLAB_LABEL_SIZE, "%04lld-%02d-%02d", date.year, date.month, date.mday);
}
