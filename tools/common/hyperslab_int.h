/* SPDX-License-Identifier: BSD-3-Clause */
/* hyperslab_int: what the files of a part of a dataset share. */
#ifndef HYPERSLAB_INT_H
#define HYPERSLAB_INT_H

#include "common/hyperslab.h"

/* ---- hyperslab_date.c: what dates mean to a coordinate ------------------------------------------------------- */

enum { HYPERSLAB_LABEL_SIZE = 40 }; /* room for a date */

typedef struct hyperslab_dates {
    cf_timebase base;
    cf_moment   begin, end;            /* the limits: from `begin` to before `end` */
    cf_moment   first_end, last_begin; /* of the periods that they name */
    bool        texts;                 /* values are texts, as WRF and MPAS have them */
    bool        misfit;                /* some value is no time */
} hyperslab_dates;

/* What the dates of a limit mean by the units and calendar of the coordinate; to texts, by the standard calendar. A day
 * that the calendar lacks, as it does not have all months of 31 days, is the last one of its month, which is said. */
bool hyperslab_dates_read(const hyperslab_limit *l, int grp, int varid, const char *name, bool texts,
                          hyperslab_dates *out, char why[HYPERSLAB_WHY_SIZE]);
/* The moment of a value, or of a text; misfit is set if it is none. */
cf_moment hyperslab_date_of_value(hyperslab_dates *d, long double value);
cf_moment hyperslab_date_of_text(hyperslab_dates *d, const char *text, size_t len);
/* As days, which are good enough to compare steps with. */
double hyperslab_days(const cf_moment *m);
/* The day of a value, as text. */
void hyperslab_print_day(const hyperslab_dates *d, long double value, char out[HYPERSLAB_LABEL_SIZE]);

/* ---- hyperslab_runs.c ---------------------------------------------------------------------------------------- */

/* Chooses a range of a dimension for a limit; first > last: around its end. */
int hyperslab_take_range(hyperslab *h, const hyperslab_limit *l, int dimid, size_t len, size_t first, size_t last,
                         char why[HYPERSLAB_WHY_SIZE]);
/* Chooses the indices of a dimension that are marked; at least one is. */
int hyperslab_take_marked(hyperslab *h, const hyperslab_limit *l, int dimid, const bool *marked, size_t len,
                          char why[HYPERSLAB_WHY_SIZE]);

/* ---- hyperslab_coord.c --------------------------------------------------------------------------------------- */

/* The coordinate variable of a dimension, in the same group: the one of its name, else the only one along it that is
 * a time (`dates`), or a latitude, a longitude or of an axis. */
bool hyperslab_find_coordinate(int grp, int dimid, bool dates, int *varid);

/* ---- hyperslab_box.c ----------------------------------------------------------------------------------------- */

int hyperslab_take_box(hyperslab *h, const hyperslab_limit *l, int root, char why[HYPERSLAB_WHY_SIZE]);

#endif /* HYPERSLAB_INT_H */
