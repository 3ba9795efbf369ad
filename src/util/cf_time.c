/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cf_time.c: CF's "UNIT since DATE" in its calendars.
 *
 * Days are counted from a fixed day of each calendar, in exact integers. The time of day is rounded to microseconds, as
 * cftime does, which hides what doubles cannot hold; units below a second have nanoseconds. A unit of months (seasons,
 * years) goes by calendar months: the origin's day and time of day in each, or the last day of a shorter month; a
 * fraction is that part of the way to the next.
 */
#include "util/cf_time.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DAY_NANOS   (DAY_SECONDS * 1000000000LL)
#define DAY_SECONDS 86400
#define COUNT_MAX   2147483647LL /* NumPy's, of a unit of several seconds, days and so on */
#define YEARS_MAX   10000000LL   /* beyond it a value is no time */

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
date_to_day(cf_calendar cal, long long y, int m, int d)
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
day_to_date(cf_calendar cal, long long day, long long *y, int *m, int *d)
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

bool
ncz_cf_calendar_find(const char *name, cf_calendar *cal)
{
    static const struct {
        const char *name;
        cf_calendar cal;
    } known[] = {
        {"gregorian", CAL_MIXED}, {"standard", CAL_MIXED}, {"proleptic_gregorian", CAL_PROLEPTIC},
        {"noleap", CAL_365},      {"no_leap", CAL_365},    {"365_day", CAL_365},
        {"allleap", CAL_366},     {"all_leap", CAL_366},   {"366_day", CAL_366},
        {"360_day", CAL_360},     {"julian", CAL_JULIAN},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0) {
            *cal = known[i].cal;
            return true;
        }
    return false;
}

/* ---- units -------------------------------------------------------------------------------------------------- */

static bool
find_unit(const char *name, size_t n, cf_timebase *tb)
{
    static const struct {
        const char *name;
        bool        prefix; /* "sec" matches second, seconds, secs */
        double      nanos;
        int         months;
    } known[] = {
        {"sec", true, 1e9, 0},
        {"s", false, 1e9, 0},
        {"min", true, 60e9, 0},
        {"mn", false, 60e9, 0},
        {"hour", true, 3600e9, 0},
        {"hr", true, 3600e9, 0},
        {"h", false, 3600e9, 0},
        {"day", true, DAY_SECONDS * 1e9, 0},
        {"dy", false, DAY_SECONDS * 1e9, 0},
        {"d", false, DAY_SECONDS * 1e9, 0},
        {"week", true, 7 * DAY_SECONDS * 1e9, 0},
        {"wk", false, 7 * DAY_SECONDS * 1e9, 0},
        {"month", true, 0, 1},
        {"mo", false, 0, 1},
        {"season", true, 0, 3},
        {"year", true, 0, 12},
        {"yr", true, 0, 12},
        {"common_year", true, 365 * DAY_SECONDS * 1e9, 0},
        {"millisec", true, 1e6, 0},
        {"msec", true, 1e6, 0},
        {"ms", false, 1e6, 0},
        {"microsec", true, 1e3, 0},
        {"usec", true, 1e3, 0},
        {"us", false, 1e3, 0},
        {"\u00b5s", false, 1e3, 0},
        {"\u03bcs", false, 1e3, 0},
        {"nanosec", true, 1, 0},
        {"nsec", true, 1, 0},
        {"ns", false, 1, 0},
        {"picosec", true, 1e-3, 0},
        {"ps", false, 1e-3, 0},
        {"femtosec", true, 1e-6, 0},
        {"fs", false, 1e-6, 0},
        {"attosec", true, 1e-9, 0},
        {"as", false, 1e-9, 0},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t len = strlen(known[i].name);

        if ((known[i].prefix ? n >= len : n == len) && strncasecmp(name, known[i].name, len) == 0) {
            tb->nanos = known[i].nanos;
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

/* A count in front of the unit, as of datetime64[10s]. NULL: not one. */
static const char *
parse_count(const char *s, long long *count)
{
    char *end = (char *)s;

    *count = 1;
    if (!isdigit((unsigned char)*s))
        return s;
    *count = strtoll(s, &end, 10);
    return *count > 0 && *count <= COUNT_MAX && isspace((unsigned char)*end) ? skip_blanks(end) : NULL;
}

/* [-]Y[-M[-D]], and then a blank, the time of day or nothing: "10-JUN-1996" is not the year 10. */
static const char *
parse_origin(const char *s, cf_timebase *tb)
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
    if (*end != '\0' && !isspace((unsigned char)*end) && strchr("TtZz", *end) == NULL)
        return NULL;
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
ncz_cf_timebase_parse(const char *units, const char *cal, cf_timebase *tb)
{
    const char *s;
    size_t      n;
    double      ahead;
    long long   count;

    *tb = (cf_timebase){.before_clock = ' '};
    tb->cal = CAL_MIXED;
    if (cal != NULL && !ncz_cf_calendar_find(cal, &tb->cal) && strcasecmp(cal, "none") == 0)
        return false; /* any other unknown word: as if there was none, as ncdump has it */
    if ((s = parse_count(skip_blanks(units), &count)) == NULL || !find_unit(s, n = strcspn(s, " \t"), tb))
        return false;
    tb->nanos *= (long double)count;
    tb->months *= count;
    tb->seconds = (double)(tb->nanos / 1e9L);
    s = skip_blanks(s + n);
    if (strncasecmp(s, "since", 5) != 0 || !isspace((unsigned char)s[5]))
        return false;
    if ((s = parse_origin(skip_blanks(s + 5), tb)) == NULL)
        return false;
    s = skip_blanks(s + (*s == 'T' || *s == 't'));
    s = parse_clock(s, &tb->second);
    ahead = parse_zone(skip_blanks(s));
    tb->second -= ahead;
    if (!(fabs(tb->second) < (double)DAY_SECONDS * YEARS_MAX))
        return false;
    tb->day = date_to_day(tb->cal, tb->year, tb->month, tb->mday);
    tb->valid = true;
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* The origin's day `months` later, or the last day of a shorter month. */
static long long
find_day_of_month(const cf_timebase *tb, long long months)
{
    long long m = tb->year * 12 + tb->month - 1 + months, year = divide_down(m, 12), next = divide_down(m + 1, 12);
    long long day = date_to_day(tb->cal, year, (int)(m - year * 12) + 1, tb->mday);
    long long after = date_to_day(tb->cal, next, (int)(m + 1 - next * 12) + 1, 1);

    return day < after ? day : after - 1;
}

/* Whole months go to the day; the rest, which is returned, is nanoseconds. */
static long double
add_months(const cf_timebase *tb, long double months, cf_moment *m)
{
    long double whole = floorl(months);
    long long   day = find_day_of_month(tb, (long long)whole);

    m->day = day;
    return (months - whole) * (long double)((find_day_of_month(tb, (long long)whole + 1) - day) * DAY_NANOS);
}

bool
ncz_cf_timebase_moment(const cf_timebase *tb, long double value, cf_moment *out)
{
    bool        fine = tb->months == 0 && tb->nanos < 1e9L;
    long double months = value * (long double)tb->months, nanos = value * tb->nanos, rest;

    if (!isfinite(value) || fabsl(nanos) > 366.0L * (long double)DAY_NANOS * YEARS_MAX ||
        fabsl(months) > 12.0L * YEARS_MAX)
        return false;
    *out = (cf_moment){.day = tb->day};
    if (months != 0)
        nanos = add_months(tb, months, out);
    nanos += (long double)tb->second * 1e9L;
    if ((rest = fmodl(nanos, (long double)DAY_NANOS)) < 0)
        rest += (long double)DAY_NANOS;
    out->day += (long long)roundl((nanos - rest) / (long double)DAY_NANOS);
    out->nano = fine ? llroundl(rest) : llroundl(rest / 1e3L) * 1000;
    if (out->nano >= DAY_NANOS) {
        out->nano = 0;
        out->day++;
    }
    return true;
}

bool
ncz_cf_timebase_date(const cf_timebase *tb, long double value, cf_date *out)
{
    cf_moment m;

    if (!ncz_cf_timebase_moment(tb, value, &m))
        return false;
    *out = (cf_date){.precision = CF_NANO};
    day_to_date(tb->cal, m.day, &out->year, &out->month, &out->mday);
    out->hour = (int)(m.nano / 3600000000000LL);
    out->minute = (int)(m.nano / 60000000000LL % 60);
    out->second = (int)(m.nano / 1000000000 % 60);
    out->nano = (int)(m.nano % 1000000000);
    return true;
}

int
ncz_cf_moment_compare(const cf_moment *a, const cf_moment *b)
{
    if (a->day != b->day)
        return a->day < b->day ? -1 : 1;
    return a->nano < b->nano ? -1 : a->nano > b->nano;
}

/* ---- dates as people write them ------------------------------------------------------------------------------- */

/* One or two digits (`sign`: the character in front of them, which is skipped; 0: none). */
static bool
take_part(const char **s, const char *end, char sign, int most, int *out)
{
    const char *p = *s;

    if (sign != 0 && (p == end || *p++ != sign))
        return false;
    if (p == end || !isdigit((unsigned char)*p))
        return false;
    *out = *p++ - '0';
    if (p < end && isdigit((unsigned char)*p))
        *out = *out * 10 + *p++ - '0';
    *s = p;
    return *out <= most;
}

/* Digits after the point of seconds; those beyond nanoseconds are dropped. */
static bool
take_fraction(const char **s, const char *end, cf_date *d)
{
    enum { MICRO_DIGITS = 6 };
    const char *p = *s + 1;
    int         unit = 100000000;

    if (p == end || !isdigit((unsigned char)*p))
        return false;
    for (; p < end && isdigit((unsigned char)*p); p++, unit /= 10)
        d->nano += (*p - '0') * unit;
    d->precision = p - *s - 1 <= MICRO_DIGITS ? CF_MICRO : CF_NANO;
    *s = p;
    return true;
}

static bool
take_clock(const char **s, const char *end, cf_date *d)
{
    if (!take_part(s, end, 0, 23, &d->hour))
        return false;
    d->precision = CF_HOUR;
    if (*s == end || **s != ':')
        return true;
    if (!take_part(s, end, ':', 59, &d->minute))
        return false;
    d->precision = CF_MINUTE;
    if (*s == end || **s != ':')
        return true;
    if (!take_part(s, end, ':', 59, &d->second))
        return false;
    d->precision = CF_SECOND;
    if (*s == end || **s != '.')
        return true;
    return take_fraction(s, end, d);
}

/* Z, UTC, +hh, +hhmm or +hh:mm. */
static bool
take_zone(const char **s, const char *end, int *ahead)
{
    int  hours = 0, minutes = 0;
    char sign = **s;

    if (sign == 'Z' || sign == 'z') {
        ++*s;
        return true;
    }
    if (end - *s >= 3 && strncasecmp(*s, "UTC", 3) == 0) {
        *s += 3;
        return true;
    }
    if ((sign != '+' && sign != '-') || !take_part(s, end, sign, 23, &hours))
        return false;
    if (*s < end && !take_part(s, end, **s == ':' ? ':' : 0, 59, &minutes))
        return false;
    *ahead = (sign == '-' ? -60 : 60) * (hours * 60 + minutes);
    return true;
}

bool
ncz_cf_date_looks(const char *s, size_t len)
{
    size_t n = len > 0 && (s[0] == '-' || s[0] == '+'), from = n;

    while (n < len && isdigit((unsigned char)s[n]))
        n++;
    return n > from && n < len && s[n] == '-';
}

bool
ncz_cf_date_parse(const char *s, size_t len, cf_date *d)
{
    const char *end = s + len;
    char       *after;

    *d = (cf_date){.mday = 1, .precision = CF_MONTH};
    if (!ncz_cf_date_looks(s, len))
        return false;
    d->year = strtoll(s, &after, 10);
    s = after;
    if (llabs(d->year) >= YEARS_MAX || !take_part(&s, end, '-', 12, &d->month) || d->month == 0)
        return false;
    if (s == end)
        return true;
    d->precision = CF_DAY;
    if (!take_part(&s, end, '-', 31, &d->mday) || d->mday == 0)
        return false;
    if (s < end && (*s == 'T' || *s == 't' || (*s == ' ' && s + 1 < end && isdigit((unsigned char)s[1])))) {
        s++;
        if (!take_clock(&s, end, d))
            return false;
    }
    s += s < end && *s == ' ';
    return s == end || (take_zone(&s, end, &d->ahead) && s == end);
}

static cf_moment
make_moment(long long day, long long nano)
{
    long long days = divide_down(nano, DAY_NANOS);

    return (cf_moment){.day = day + days, .nano = nano - days * DAY_NANOS};
}

bool
ncz_cf_date_period(cf_calendar cal, const cf_date *d, cf_moment *begin, cf_moment *end)
{
    static const long long lengths[] = {
        [CF_DAY] = DAY_NANOS,     [CF_HOUR] = 3600000000000LL, [CF_MINUTE] = 60000000000LL,
        [CF_SECOND] = 1000000000, [CF_MICRO] = 1000,           [CF_NANO] = 1,
    };
    long long day = date_to_day(cal, d->year, d->month, d->mday), year, nano, length;
    int       month, mday;

    day_to_date(cal, day, &year, &month, &mday);
    if (year != d->year || month != d->month || mday != d->mday)
        return false;
    nano = ((d->hour * 60LL + d->minute) * 60 + d->second - d->ahead) * 1000000000 + d->nano;
    length = lengths[d->precision];
    if (d->precision == CF_MONTH)
        length = (date_to_day(cal, d->year + d->month / 12, d->month % 12 + 1, 1) - day) * DAY_NANOS;
    *begin = make_moment(day, nano);
    *end = make_moment(day, nano + length);
    return true;
}
