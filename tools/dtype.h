/* SPDX-License-Identifier: BSD-3-Clause */
/* dtype: the stored type of a variable, where its netCDF type does not tell it. */
#ifndef DTYPE_H
#define DTYPE_H

/* The variable's stored type as Zarr v2 spells it, when netCDF has no such type (`|b1`, `<f2`, `<U5`, `<M8[ns]`), or is a
 * string of a width that is neither the default nor an attribute's (`|S12`); else NULL. malloc()ed. */
char *dtype_special(int ncid, int varid);

#endif /* DTYPE_H */
