/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation_units: conversion of units of measure, by a small table. Source: the units' names are UDUNITS'. What is
 * not in it converts to itself only.
 */
#include "aggregation/aggregation_int.h"
#include "util/cf_time.h"

#include <string.h>

#define DAY 86400.

/* A value in the unit is value * scale + offset in the first one of its kind. */
static const struct {
    const char *name;
    unsigned    kind;
    double      scale, offset;
} units[] = {
    {"K", 1, 1, 0},
    {"kelvin", 1, 1, 0},
    {"degK", 1, 1, 0},
    {"degree_K", 1, 1, 0},
    {"degrees_K", 1, 1, 0},
    {"degC", 1, 1, 273.15},
    {"Celsius", 1, 1, 273.15},
    {"celsius", 1, 1, 273.15},
    {"degree_C", 1, 1, 273.15},
    {"degrees_C", 1, 1, 273.15},
    {"degree_Celsius", 1, 1, 273.15},
    {"degrees_Celsius", 1, 1, 273.15},
    {"degrees_celsius", 1, 1, 273.15},
    {"\u00b0C", 1, 1, 273.15},
    {"degF", 1, 5 / 9., 459.67 * 5 / 9},
    {"Fahrenheit", 1, 5 / 9., 459.67 * 5 / 9},
    {"degree_F", 1, 5 / 9., 459.67 * 5 / 9},
    {"degrees_F", 1, 5 / 9., 459.67 * 5 / 9},
    {"\u00b0F", 1, 5 / 9., 459.67 * 5 / 9},
    {"Pa", 2, 1, 0},
    {"pascal", 2, 1, 0},
    {"hPa", 2, 100, 0},
    {"mbar", 2, 100, 0},
    {"mb", 2, 100, 0},
    {"millibar", 2, 100, 0},
    {"kPa", 2, 1000, 0},
    {"bar", 2, 100000, 0},
    {"m", 3, 1, 0},
    {"meter", 3, 1, 0},
    {"meters", 3, 1, 0},
    {"metre", 3, 1, 0},
    {"metres", 3, 1, 0},
    {"km", 3, 1000, 0},
    {"cm", 3, 0.01, 0},
    {"mm", 3, 0.001, 0},
    {"um", 3, 1e-6, 0},
    {"kg", 4, 1, 0},
    {"g", 4, 0.001, 0},
    {"mg", 4, 1e-6, 0},
    {"1", 5, 1, 0},
    {"%", 5, 0.01, 0},
    {"percent", 5, 0.01, 0},
    {"s", 6, 1, 0},
    {"second", 6, 1, 0},
    {"seconds", 6, 1, 0},
    {"min", 6, 60, 0},
    {"minute", 6, 60, 0},
    {"minutes", 6, 60, 0},
    {"h", 6, 3600, 0},
    {"hr", 6, 3600, 0},
    {"hour", 6, 3600, 0},
    {"hours", 6, 3600, 0},
    {"d", 6, DAY, 0},
    {"day", 6, DAY, 0},
    {"days", 6, DAY, 0},
    {"m s-1", 7, 1, 0},
    {"m/s", 7, 1, 0},
    {"m s**-1", 7, 1, 0},
    {"km h-1", 7, 1 / 3.6, 0},
    {"km/h", 7, 1 / 3.6, 0},
    {"knot", 7, 1852 / 3600., 0},
    {"knots", 7, 1852 / 3600., 0},
    {"kg m-2 s-1", 8, 1, 0},
    {"kg/m2/s", 8, 1, 0},
    {"kg kg-1", 9, 1, 0},
    {"kg/kg", 9, 1, 0},
    {"g kg-1", 9, 0.001, 0},
    {"g/kg", 9, 0.001, 0},
    {"J", 10, 1, 0},
    {"kJ", 10, 1000, 0},
    {"MJ", 10, 1e6, 0},
    {"radian", 11, 1, 0},
    {"rad", 11, 1, 0},
    {"degree", 11, 3.14159265358979323846 / 180, 0},
    {"degrees", 11, 3.14159265358979323846 / 180, 0},
};

static ncz_line
trim(const char *s)
{
    return ncz_line_trim((ncz_line){.s = s, .len = strlen(s)});
}

static bool
is_same(ncz_line a, ncz_line b)
{
    return a.len == b.len && memcmp(a.s, b.s, a.len) == 0;
}

/* Its place in the table; NCZ_LEN(units): it has none. */
static size_t
find(ncz_line name)
{
    size_t i = 0;

    while (i < NCZ_LEN(units) && !is_same(name, trim(units[i].name)))
        i++;
    return i;
}

/* Times of one calendar, from different origins. Months and years have no fixed length. */
static bool
convert_times(const char *from, const char *from_calendar, const char *to, const char *to_calendar, double *scale,
              double *offset)
{
    cf_timebase a, b;

    if (!ncz_cf_timebase_parse(from, from_calendar, &a) || !ncz_cf_timebase_parse(to, to_calendar, &b) ||
        a.cal != b.cal || a.months != 0 || b.months != 0)
        return false;
    *scale = (double)(a.nanos / b.nanos);
    *offset = (double)((((long double)(a.day - b.day)) * DAY + (long double)a.second - (long double)b.second) * 1e9L /
                       b.nanos);
    return true;
}

bool
ncz_aggregation_units(const char *from, const char *from_calendar, const char *to, const char *to_calendar,
                      double *scale, double *offset)
{
    size_t a = find(trim(from)), b = find(trim(to));

    if (a < NCZ_LEN(units) && b < NCZ_LEN(units) && units[a].kind == units[b].kind) {
        *scale = units[a].scale / units[b].scale;
        *offset = (units[a].offset - units[b].offset) / units[b].scale;
        return true;
    }
    if (convert_times(from, from_calendar, to, to_calendar, scale, offset))
        return true;
    *scale = 1;
    *offset = 0;
    /* Equal units are equal, but of times only in one calendar, which is compared above. */
    return is_same(trim(from), trim(to)) && strstr(from, " since ") == NULL;
}
