/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_calls: the functions that one rule decides. forward_calls.inc has a line for each; here is what the rules
 * are. Functions with rules of their own are in forward_files.c, forward_pairs.c, forward_process.c.
 */
#include "forward/forward_int.h"

#include "compat/netcdf_mem.h"

/* What netcdf_par.h declares needs <mpi.h>; a communicator is an int or a pointer, and only passed on. */
NCZARR_API int nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp);
NCZARR_API int nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp);
NCZARR_API int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp);
NCZARR_API int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp);
NCZARR_API int nc_var_par_access(int ncid, int varid, int par_access);

/* By the ncid. */
#define FORWARD_ID(name, params, args, id, failure)                                                                  \
    int ncz_own_##name params;                                                                                       \
    int name           params                                                                                        \
    {                                                                                                                \
        ncz_forward_fn theirs;                                                                                       \
                                                                                                                     \
        if (!ncz_forward_id(id))                                                                                     \
            return ncz_own_##name args;                                                                              \
        theirs = ncz_forward_find(NCZ_FORWARD_##name);                                                               \
        return theirs != NULL ? ((int(*) params)theirs)args : failure;                                               \
    }

/* This library, then libnetcdf where there is one. */
#define FORWARD_BOTH(name, params, args)                                                                             \
    int ncz_own_##name params;                                                                                       \
    int name           params                                                                                        \
    {                                                                                                                \
        int rc = ncz_own_##name args;                                                                                \
        ncz_forward_fn          theirs = rc == NC_NOERR ? ncz_forward_try(NCZ_FORWARD_##name) : NULL;                \
                                                                                                                     \
        return theirs != NULL ? ((int(*) params)theirs)args : rc;                                                    \
    }

/* libnetcdf where there is one, else this library. */
#define FORWARD_NETCDF(name, params, args)                                                                           \
    int ncz_own_##name params;                                                                                       \
    int name           params                                                                                        \
    {                                                                                                                \
        ncz_forward_fn theirs = ncz_forward_try(NCZ_FORWARD_##name);                                                 \
                                                                                                                     \
        return theirs != NULL ? ((int(*) params)theirs)args : ncz_own_##name args;                                   \
    }

/* By the path. Without libnetcdf nothing is created in its place. */
#define FORWARD_CREATE(name, params, args)                                                                           \
    int ncz_own_##name params;                                                                                       \
    int name           params                                                                                        \
    {                                                                                                                \
        ncz_forward_fn fn;                                                                                           \
        bool           theirs;                                                                                       \
        int            rc = ncz_forward_create_path(path, &theirs);                                                  \
                                                                                                                     \
        if (rc != NC_NOERR || !theirs)                                                                               \
            return rc != NC_NOERR ? rc : ncz_own_##name args;                                                        \
        fn = ncz_forward_find(NCZ_FORWARD_##name);                                                                   \
        return fn != NULL ? ncz_forward_opened(((int(*) params)fn)args, ncidp) : NC_ENOTBUILT;                       \
    }

/* By the path. Without libnetcdf this library says what the file is. */
#define FORWARD_OPEN(name, params, args)                                                                             \
    int ncz_own_##name params;                                                                                       \
    int name           params                                                                                        \
    {                                                                                                                \
        ncz_forward_fn fn;                                                                                           \
        bool           theirs;                                                                                       \
        int            rc = ncz_forward_open_path(path, &theirs);                                                    \
                                                                                                                     \
        if (rc != NC_NOERR)                                                                                          \
            return rc;                                                                                               \
        fn = theirs ? ncz_forward_try(NCZ_FORWARD_##name) : NULL;                                                    \
        return fn != NULL ? ncz_forward_opened(((int(*) params)fn)args, ncidp) : ncz_own_##name args;                \
    }

#define FORWARD_HAND(result, name, params)

#include "forward/forward_calls.inc"
