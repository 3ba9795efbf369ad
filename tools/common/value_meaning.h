/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * value_meaning: what the stored numbers of a variable mean: unpacked, of the sign that is meant, and missing or not.
 * Statistics, pages, pictures, axes, and limits on the Earth all take them from here.
 */
#ifndef VALUE_MEANING_H
#define VALUE_MEANING_H

#include <nczarr.h>
#include <stdbool.h>
#include <stddef.h>

/* Limits and missing values are, as the values, of the sign that _Unsigned says: "true" of a signed type, "false" of an
 * unsigned one. */
typedef struct value_meaning {
    nc_type type; /* of the values: the stored one, or that of the other sign */
    nc_type stored;
    bool    has_fill;
    char    fill[8]; /* as stored */
    bool    packed;
    double  scale, offset;
    double  valid_min, valid_max; /* infinite: no limit */
    bool    valid_shown;          /* limits are of unpacked values; else of what is stored */
    double *missing;              /* missing_value */
    size_t  nmissing;
} value_meaning;

/* Of a variable of numbers. Running out of memory ends the program. */
void value_meaning_load(int grp, int varid, value_meaning *m);
void value_meaning_clear(value_meaning *m);
/* A number of an attribute of some type that holds values of the variable. */
double value_meaning_of_att(const value_meaning *m, nc_type type, const void *p);
size_t value_meaning_bytes(const value_meaning *m); /* of a stored value; 0: the variable has no numbers */
/* A stored value as it is shown; NaN: missing. */
double value_meaning_shown(const value_meaning *m, const void *p);

#endif /* VALUE_MEANING_H */
