/* SPDX-License-Identifier: BSD-3-Clause */
/* special_dtype: the stored type of a variable where its netCDF type does not determine it. */
#ifndef SPECIAL_DTYPE_H
#define SPECIAL_DTYPE_H

/* The variable's stored type as Zarr v2 spells it, when netCDF has no such type (`|b1`, `<f2`, `<U5`, `<M8[ns]`), or
 * when it is a string whose width is neither the default nor given by an attribute (`|S12`); else NULL.
 * malloc()ed. */
char *special_dtype(int ncid, int varid);

#endif /* SPECIAL_DTYPE_H */
