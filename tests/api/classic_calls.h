/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that make a classic file, drawn by a number: this library and netCDF-C write the same bytes for the same
 * program. Compiled with NETCDF_C it includes netCDF-C's header, and nothing of this library.
 */
#ifndef NCZ_TESTS_CLASSIC_CALLS_H
#define NCZ_TESTS_CLASSIC_CALLS_H

#include <stddef.h>

/* Makes the file at `path`, of version 1, 2 or 5. Returns the first code that is no success, and its call in *what. */
int classic_calls(const char *path, int version, unsigned long seed, const char **what);

#endif /* NCZ_TESTS_CLASSIC_CALLS_H */
