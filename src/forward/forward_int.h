/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward, internal header. This module puts the library in front of libnetcdf: it has every function of netCDF-C's
 * interface, and each goes to this library or to libnetcdf, by the ncid or the path.
 *
 * It is part of libnczarr_netcdf.so (and of libnetcdf.so, with -Dforward=enabled) alone. In these the functions of
 * src/api have the prefix ncz_own_ (nczarr_prefix.h). The ids of the two libraries are disjoint: ours begin at
 * NCZ_FORWARD_FIRST_ID, and libnetcdf, which counts from 0x10000 upward, is refused one that is as large.
 */
#ifndef NCZ_FORWARD_INT_H
#define NCZ_FORWARD_INT_H

#include "compat/netcdf.h"
#include "compat/netcdf_aux.h"
#include "compat/netcdf_filter.h"
#include "util/util.h"

#define NCZ_FORWARD_FIRST_ID 0x40000000 /* that of api_ids.c, by the build */

/* ---- libnetcdf's functions (forward_library.c) ------------------------------------------------------------------ */

/* The place of each function in the table: NCZ_FORWARD_nc_open ... */
typedef enum ncz_forward_index {
#define FORWARD_ID(name, params, args, id, failure) NCZ_FORWARD_##name,
#define FORWARD_BOTH(name, params, args)            NCZ_FORWARD_##name,
#define FORWARD_NETCDF(name, params, args)          NCZ_FORWARD_##name,
#define FORWARD_CREATE(name, params, args)          NCZ_FORWARD_##name,
#define FORWARD_OPEN(name, params, args)            NCZ_FORWARD_##name,
#define FORWARD_HAND(result, name, params)          NCZ_FORWARD_##name,
#include "forward/forward_calls.inc"
#undef FORWARD_ID
#undef FORWARD_BOTH
#undef FORWARD_NETCDF
#undef FORWARD_CREATE
#undef FORWARD_OPEN
#undef FORWARD_HAND
    NCZ_FORWARD_LEN
} ncz_forward_index;

typedef void (*ncz_forward_fn)(void);

/* The function of libnetcdf, for a cast to its own type. NULL, with the error recorded (NC_ENOTBUILT): there is no
 * libnetcdf, or it lacks the function. Loads libnetcdf. */
ncz_forward_fn ncz_forward_find(ncz_forward_index i);
ncz_forward_fn ncz_forward_try(ncz_forward_index i); /* the same, without an error */
bool           ncz_forward_loaded(void);             /* libnetcdf is in use */

/* Does the ncid belong to libnetcdf? Not unless that is in use: then this library refuses the ncid. */
static inline bool
ncz_forward_id(int ncid)
{
    return ncid < NCZ_FORWARD_FIRST_ID && ncz_forward_loaded();
}

/* ---- whose a path is (forward_path.c) --------------------------------------------------------------------------- */

/* *theirs: libnetcdf creates it; opens or deletes it; opens a block of memory with that name. NC_ENOMEM. */
int ncz_forward_create_path(const char *path, bool *theirs);
int ncz_forward_open_path(const char *path, bool *theirs);
int ncz_forward_block(const char *path, const void *memory, size_t nbytes, bool *theirs);

/* Ends an open that libnetcdf did: refuses an id in the range of ours. NC_ENFILE. */
int ncz_forward_opened(int rc, int *ncidp);

#endif /* NCZ_FORWARD_INT_H */
