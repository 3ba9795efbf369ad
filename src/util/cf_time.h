/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cf_time: numbers as dates and dates as numbers, by CF's units ("days since 2001-01-01") and calendars, for nczdump -t
 * and for limits that are dates. Years are counted with a year 0, as ISO 8601 has it.
 */
#ifndef NCZ_CF_TIME_H
#define NCZ_CF_TIME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cf_calendar { CAL_MIXED, CAL_PROLEPTIC, CAL_JULIAN, CAL_365, CAL_366, CAL_360 } cf_calendar;

/* False: no calendar of CF has this name. */
bool ncz_cf_calendar_find(const char *name, cf_calendar *cal);

typedef struct cf_timebase {
    bool        valid;
    cf_calendar cal;
    long long   months; /* of a unit of calendar months; 0: a unit of constant length */
    double      seconds;
    long double nanos;  /* the same, exactly */
    long long   day;    /* the origin: days since 0000-01-01 in the calendar */
    double      second; /* ... and seconds of that day */
    long long   year;   /* ... and its date */
    int         month, mday;
    char        before_clock; /* between date and time of day when printed */
} cf_timebase;

/* A moment of a calendar: days since 0000-01-01, and nanoseconds of the day. */
typedef struct cf_moment {
    long long day, nano;
} cf_moment;

/* Up to which part a date is given. */
typedef enum cf_precision { CF_MONTH, CF_DAY, CF_HOUR, CF_MINUTE, CF_SECOND, CF_MICRO, CF_NANO } cf_precision;

typedef struct cf_date {
    long long    year;
    int          month, mday, hour, minute, second, nano;
    int          ahead; /* seconds that its time zone is ahead of UTC */
    cf_precision precision;
} cf_date;

/* Reads "[COUNT ]UNIT since DATE[ TIME[ ZONE]]"; false when it is not of that form, or the calendar is "none". Without
 * a calendar, or with an unknown one, it is the standard one. */
bool ncz_cf_timebase_parse(const char *units, const char *cal, cf_timebase *tb);

/* The moment that a value means; false when it is no time (NaN, infinite, absurd). */
bool ncz_cf_timebase_moment(const cf_timebase *tb, long double value, cf_moment *out);
bool ncz_cf_timebase_date(const cf_timebase *tb, long double value, cf_date *out);
int  ncz_cf_moment_compare(const cf_moment *a, const cf_moment *b); /* below, at or above 0 */

/* Whether the text is a date and no number: digits with a minus sign after them. */
bool ncz_cf_date_looks(const char *s, size_t len);
/* Reads Y-M[-D[Thh[:mm[:ss[.fff]]]][ZONE]]; a blank may stand for the T. False: not of that form. */
bool ncz_cf_date_parse(const char *s, size_t len, cf_date *d);
/* The period that a date names: its month, day, hour, minute or second, from *begin to before *end. False: the calendar
 * does not have that day. */
bool ncz_cf_date_period(cf_calendar cal, const cf_date *d, cf_moment *begin, cf_moment *end);

#endif /* NCZ_CF_TIME_H */
