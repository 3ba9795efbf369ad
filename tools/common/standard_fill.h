/* SPDX-License-Identifier: BSD-3-Clause */
/* standard_fill: the fill values that netCDF has where nobody names one. */
#ifndef STANDARD_FILL_H
#define STANDARD_FILL_H

#include <nczarr.h>
#include <stdbool.h>

/* Of an atomic type, as values are in memory: a string is a pointer to static text. NULL: another type. */
const void *standard_fill(nc_type type);

/* Whether two numbers are the same within a part of their size. A NaN is only a NaN. */
bool standard_fill_is_near(double a, double b, double epsilon);

#endif /* STANDARD_FILL_H */
