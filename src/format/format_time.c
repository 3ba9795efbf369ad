/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's units of time, and their CF names. A table only; any thread.
 */
#include "format/format_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *unit, *name;
} time_units[] = {
    {"Y", "years"},
    {"M", "months"},
    {"W", "weeks"},
    {"D", "days"},
    {"h", "hours"},
    {"m", "minutes"},
    {"s", "seconds"},
    {"ms", "milliseconds"},
    {"us", "microseconds"},
    {"\u00b5s", "microseconds"},
    {"\u03bcs", "microseconds"},
    {"ns", "nanoseconds"},
    {"ps", "picoseconds"},
    {"fs", "femtoseconds"},
    {"as", "attoseconds"},
};

void
ncz_format_time_units(const char *unit, size_t len, uint64_t count, bool since, ncz_stored_type *out)
{
    const char *epoch = since ? " since 1970-01-01" : "";

    for (size_t i = 0; i < NCZ_LEN(time_units); i++) {
        if (strlen(time_units[i].unit) != len || strncmp(time_units[i].unit, unit, len) != 0)
            continue;
        if (count == 1)
            (void)snprintf(out->units, sizeof out->units, "%s%s", time_units[i].name, epoch);
        else
            (void)snprintf(out->units, sizeof out->units, "%" PRIu64 " %s%s", count, time_units[i].name, epoch);
        return;
    }
}
