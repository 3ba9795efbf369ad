/* SPDX-License-Identifier: BSD-3-Clause */
/* coord_role: what a coordinate variable means, by its attributes as CF has them. */
#ifndef COORD_ROLE_H
#define COORD_ROLE_H

#include <stdbool.h>

/* By units as CF spells them, such as degrees_north, or by the standard name; without one, plain degrees are those of
 * the variable's name. What is a longitude or latitude of a rotated grid is none here. */
bool coord_is_latitude(int grp, int varid);
bool coord_is_longitude(int grp, int varid);
/* The degrees in its unit: ICON's latitudes and longitudes are radians. 1 of what is neither. */
double coord_degrees_in_unit(int grp, int varid);

/* A variable of this dimension alone; and one of numbers. */
bool coord_is_of_dim(int grp, int varid, int dimid);
bool coord_is_along(int grp, int varid, int dimid);

/* The text of an attribute, in new memory; NULL: it is not there, or no text. */
char *coord_text_att(int grp, int varid, const char *name);

#endif /* COORD_ROLE_H */
