/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_time.c: numbers as dates, for -t and -i: CF's "UNIT since DATE" in its calendars.
 *
 * Days are counted from a fixed day of each calendar, in exact integers; the time of day is rounded to microseconds.
 * A unit of months (seasons, years) goes by whole calendar months and gives midnight of the first, as ncdump does.
 */
#include "dump_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY_SECONDS 86400
#define YEARS_MAX   10000000LL /* beyond it a value is no time */

/* ---- calendars ---------------------------------------------------------------------------------------------- */

static long long
divide_down(long long a, long long b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Days before March of year 0 and so on: years that begin in March have their leap day at the end. */
static long long
julian_to_day(long long y, int m, int d, bool gregorian)
{
    long long day;

    y -= m <= 2;
    day = 365 * y + divide_down(y, 4) + (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return gregorian ? day - divide_down(y, 100) + divide_down(y, 400) : day - 2; /* the two agree in the year 200 */
}

static void
day_to_julian(long long day, bool gregorian, long long *y, int *m, int *d)
{
    long long era_days = gregorian ? 146097 : 1461, era_years = gregorian ? 400 : 4, era, doe, yoe, doy;

    day += gregorian ? 0 : 2;
    era = divide_down(day, era_days);
    doe = day - era * era_days;
    yoe = gregorian ? (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365 : (doe - doe / 1460) / 365;
    doy = doe - (365 * yoe + yoe / 4 - (gregorian ? yoe / 100 : 0));
    *m = (int)((5 * doy + 2) / 153);
    *d = (int)(doy - (153 * *m + 2) / 5 + 1);
    *m += *m < 10 ? 3 : -9;
    *y = era * era_years + yoe + (*m <= 2);
}

static const int month_start[2][13] = {
    {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365},
    {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366},
};

/* The mixed calendar's first Gregorian day, 1582-10-15; the day before it is 1582-10-04. */
static long long
find_reform_day(void)
{
    return julian_to_day(1582, 10, 15, true);
}

static long long
date_to_day(dump_calendar cal, long long y, int m, int d)
{
    switch (cal) {
    case CAL_PROLEPTIC: return julian_to_day(y, m, d, true);
    case CAL_JULIAN: return julian_to_day(y, m, d, false);
    case CAL_365: return 365 * y + month_start[0][m - 1] + d - 1;
    case CAL_366: return 366 * y + month_start[1][m - 1] + d - 1;
    case CAL_360: return 360 * y + 30 * (m - 1) + d - 1;
    default: {
        long long g = julian_to_day(y, m, d, true);

        return g >= find_reform_day() ? g : julian_to_day(y, m, d, false);
    }
    }
}

static void
day_to_date(dump_calendar cal, long long day, long long *y, int *m, int *d)
{
    const int *start = month_start[cal == CAL_366];
    long long  days = cal == CAL_366 ? 366 : cal == CAL_360 ? 360 : 365;
    int        doy;

    if (cal == CAL_PROLEPTIC || cal == CAL_JULIAN || cal == CAL_MIXED) {
        day_to_julian(day, cal == CAL_PROLEPTIC || (cal == CAL_MIXED && day >= find_reform_day()), y, m, d);
        return;
    }
    *y = divide_down(day, days);
    doy = (int)(day - *y * days);
    if (cal == CAL_360) {
        *m = doy / 30 + 1;
        *d = doy % 30 + 1;
        return;
    }
    for (*m = 1; doy >= start[*m]; ++*m)
        ;
    *d = doy - start[*m - 1] + 1;
}

static bool
find_calendar(const char *name, dump_calendar *cal)
{
    static const struct {
        const char   *name;
        dump_calendar cal;
    } known[] = {
        {"gregorian", CAL_MIXED}, {"standard", CAL_MIXED}, {"proleptic_gregorian", CAL_PROLEPTIC},
        {"noleap", CAL_365},      {"no_leap", CAL_365},    {"365_day", CAL_365},
        {"allleap", CAL_366},     {"all_leap", CAL_366},   {"366_day", CAL_366},
        {"360_day", CAL_360},     {"julian", CAL_JULIAN},
    };

    *cal = CAL_MIXED;
    if (name == NULL)
        return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0) {
            *cal = known[i].cal;
            return true;
        }
    return strcasecmp(name, "none") != 0; /* an unknown word: as if there was none */
}

/* ---- units -------------------------------------------------------------------------------------------------- */

static bool
find_unit(const char *name, size_t n, dump_timebase *tb)
{
    static const struct {
        const char *name;
        bool        prefix; /* "sec" matches second, seconds, secs */
        double      seconds;
        int         months;
    } known[] = {
        {"sec", true, 1, 0},
        {"s", false, 1, 0},
        {"min", true, 60, 0},
        {"mn", false, 60, 0},
        {"hour", true, 3600, 0},
        {"hr", true, 3600, 0},
        {"h", false, 3600, 0},
        {"day", true, DAY_SECONDS, 0},
        {"dy", false, DAY_SECONDS, 0},
        {"d", false, DAY_SECONDS, 0},
        {"week", true, 7 * DAY_SECONDS, 0},
        {"wk", false, 7 * DAY_SECONDS, 0},
        {"month", true, 0, 1},
        {"mo", false, 0, 1},
        {"season", true, 0, 3},
        {"year", true, 0, 12},
        {"yr", true, 0, 12},
        {"millisec", true, 1e-3, 0},
        {"msec", true, 1e-3, 0},
        {"ms", false, 1e-3, 0},
        {"microsec", true, 1e-6, 0},
        {"us", false, 1e-6, 0},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t len = strlen(known[i].name);

        if ((known[i].prefix ? n >= len : n == len) && strncasecmp(name, known[i].name, len) == 0) {
            tb->seconds = known[i].seconds;
            tb->months = known[i].months;
            return true;
        }
    }
    return false;
}

static const char *
skip_blanks(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* [-]Y[-M[-D]] */
static const char *
parse_date(const char *s, dump_timebase *tb)
{
    char     *end;
    long long part;

    if (!isdigit((unsigned char)s[*s == '-' || *s == '+']))
        return NULL;
    tb->year = strtoll(s, &end, 10);
    tb->month = tb->mday = 1;
    if (*end == '-' && isdigit((unsigned char)end[1])) {
        part = strtoll(end + 1, &end, 10);
        tb->month = part >= 1 && part <= 12 ? (int)part : 0;
    }
    if (*end == '-' && isdigit((unsigned char)end[1])) {
        part = strtoll(end + 1, &end, 10);
        tb->mday = part >= 1 && part <= 31 ? (int)part : 0;
    }
    return llabs(tb->year) < YEARS_MAX && tb->month != 0 && tb->mday != 0 ? end : NULL;
}

/* h[:m[:s]] as seconds. Returns the end, which is s itself when no clock time is there. */
static const char *
parse_clock(const char *s, double *seconds)
{
    char *end = (char *)s;

    *seconds = 0;
    if (!isdigit((unsigned char)*s))
        return s;
    *seconds = 3600. * (double)strtol(s, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        *seconds += 60. * (double)strtol(end + 1, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        *seconds += strtod(end + 1, &end);
    return end;
}

/* +h:m, +hhmm or a word such as UTC; how far local time is ahead. */
static double
parse_zone(const char *s)
{
    double ahead = 0, sign = *s == '-' ? -1 : 1;
    size_t digits;

    if (*s != '-' && *s != '+' && !isdigit((unsigned char)*s))
        return 0;
    s += *s == '-' || *s == '+';
    digits = strspn(s, "0123456789");
    if (digits == 4)
        ahead = 3600. * ((s[0] - '0') * 10 + s[1] - '0') + 60. * ((s[2] - '0') * 10 + s[3] - '0');
    else
        (void)parse_clock(s, &ahead);
    return sign * ahead;
}

bool
dump_timebase_parse(const char *units, const char *cal, dump_timebase *tb)
{
    const char *s = skip_blanks(units);
    size_t      n = strcspn(s, " \t");
    double      ahead;

    *tb = (dump_timebase){.separator = ' '};
    if (!find_calendar(cal, &tb->cal) || !find_unit(s, n, tb))
        return false;
    s = skip_blanks(s + n);
    if (strncasecmp(s, "since", 5) != 0 || !isspace((unsigned char)s[5]))
        return false;
    if ((s = parse_date(skip_blanks(s + 5), tb)) == NULL)
        return false;
    s = skip_blanks(s + (*s == 'T' || *s == 't'));
    s = parse_clock(s, &tb->second);
    ahead = parse_zone(skip_blanks(s));
    tb->second -= ahead;
    tb->day = date_to_day(tb->cal, tb->year, tb->month, tb->mday);
    tb->valid = true;
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

static void
add_clock(dump_text *t, char separator, long long micro)
{
    int h = (int)(micro / 3600000000LL), m = (int)(micro / 60000000 % 60), s = (int)(micro / 1000000 % 60);
    int frac = (int)(micro % 1000000);

    if (frac != 0)
        dump_text_addf(t, "%c%02d:%02d:%02d.%06d", separator, h, m, s, frac);
    else if (s != 0)
        dump_text_addf(t, "%c%02d:%02d:%02d", separator, h, m, s);
    else if (m != 0)
        dump_text_addf(t, "%c%02d:%02d", separator, h, m);
    else if (h != 0)
        dump_text_addf(t, "%c%02d", separator, h);
}

bool
dump_timebase_text(const dump_timebase *tb, double value, dump_text *t)
{
    double      months = tb->months != 0 ? trunc(value * tb->months) : 0;
    long double total = value != 0 && tb->months == 0 ? (long double)value * (long double)tb->seconds : 0;
    long double days;
    long long   day = tb->day, year, micro;
    int         month, mday;

    if (!isfinite(value) || fabsl(total) > 366.0L * DAY_SECONDS * YEARS_MAX || fabs(months) > 12. * YEARS_MAX)
        return false;
    if (tb->months != 0 && value != 0) {
        long long m = tb->year * 12 + tb->month - 1 + (long long)months;

        day = date_to_day(tb->cal, divide_down(m, 12), (int)(m - divide_down(m, 12) * 12) + 1, 1);
    } else {
        total += (long double)tb->second;
    }
    days = floorl(total / DAY_SECONDS);
    day += (long long)days;
    micro = llroundl((total - days * DAY_SECONDS) * 1e6L);
    if (micro >= DAY_SECONDS * 1000000LL) {
        micro = 0;
        day++;
    }
    day_to_date(tb->cal, day, &year, &month, &mday);
    dump_text_addf(t, "\"%s%04lld-%02d-%02d", year < 0 ? "-" : "", llabs(year), month, mday);
    add_clock(t, tb->separator, micro);
    dump_text_addc(t, '"');
    return true;
}

/* An attribute of the variable, else of the one whose bounds it holds (`parent`, or the variable itself). */
static int
load_own_or_parents_att(int grp, int varid, int parent, const char *name, dump_att *a)
{
    int rc = dump_att_load_named(grp, varid, name, a);

    if (rc == NC_NOERR || parent == varid)
        return rc;
    dump_att_clear(a);
    return dump_att_load_named(grp, parent, name, a);
}

dump_timebase
dump_timebase_for(const dump_context *d, int grp, int varid, const char *name)
{
    dump_timebase tb = {.valid = false};
    dump_att      units, cal;
    int           parent = varid;

    for (size_t i = 0; name != NULL && i < d->nbounds; i++)
        if (d->bounds[i].ncid == grp && strcmp(d->bounds_names[i], name) == 0)
            parent = d->bounds[i].varid;
    if (load_own_or_parents_att(grp, varid, parent, "units", &units) != NC_NOERR)
        return tb;
    if (units.type == NC_CHAR && units.val != NULL) {
        bool has = load_own_or_parents_att(grp, varid, parent, "calendar", &cal) == NC_NOERR && cal.type == NC_CHAR;

        (void)dump_timebase_parse(units.val, has ? cal.val : NULL, &tb);
        tb.separator = d->o->time_separator;
        dump_att_clear(&cal);
    }
    dump_att_clear(&units);
    return tb;
}

/* One or two are on the attribute's line; more are below it, wrapped. */
void
dump_time_comment(dump_context *d, int grp, int varid, const dump_att *a)
{
    enum { INDENT = 16 + 2, PREFIX = 3 };
    dump_timebase      tb = dump_timebase_for(d, grp, varid, NULL);
    dump_number_format s = dump_number_format_for(d, grp, NC_GLOBAL, a->type);
    dump_text          t = DUMP_TEXT_INIT;
    size_t             col = 0;

    if (!tb.valid || a->type == NC_CHAR || a->type == NC_STRING)
        return;
    for (size_t i = 0; i < a->len; i++) {
        const char *p = (const char *)a->val + i * dump_type_size(a->type);
        bool        line;

        dump_text_reset(&t);
        if (!dump_timebase_text(&tb, dump_value_double(a->type, p), &t))
            dump_value_cdl(&t, &s, a->type, p);
        if (i + 1 < a->len)
            dump_text_addc(&t, ',');
        line = a->len > 2 && (i == 0 || col + 1 + t.len > d->o->line_len);
        if (line) {
            if (i > 0)
                dump_color_end(d);
            fputc('\n', d->out);
            dump_cdl_indent(d);
            fputs("\t\t  ", d->out);
            dump_color(d, DUMP_FAINT);
            fputs("// ", d->out);
            col = INDENT + PREFIX + t.len;
        } else {
            fputc(' ', d->out);
            if (i == 0) {
                dump_color(d, DUMP_FAINT);
                fputs("// ", d->out);
            }
            col += 1 + t.len;
        }
        fwrite(t.s, 1, t.len, d->out);
    }
    if (a->len > 0)
        dump_color_end(d);
    dump_text_clear(&t);
}

void
dump_record_bounds(dump_context *d, int grp, int varid, const dump_att *a)
{
    if (a->type != NC_CHAR || strcmp(a->name, "bounds") != 0)
        return;
    d->bounds = dump_need(realloc(d->bounds, (d->nbounds + 1) * sizeof *d->bounds));
    d->bounds_names = dump_need(realloc(d->bounds_names, (d->nbounds + 1) * sizeof *d->bounds_names));
    d->bounds[d->nbounds] = (dump_var_id){.ncid = grp, .varid = varid};
    d->bounds_names[d->nbounds++] = dump_need(strdup(a->val));
}
