/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_library: finds libnetcdf and its functions, once, when the first of them is needed.
 *
 * No lock is held while the dynamic linker works: it may run constructors, which may call in here. Threads that come
 * together each search; the first to finish publishes its table.
 */
#include "forward/forward_int.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

typedef struct netcdf_library {
    ncz_forward_fn fn[NCZ_FORWARD_LEN]; /* NULL: this release lacks it */
} netcdf_library;

static const char *const names[NCZ_FORWARD_LEN] = {
#define FORWARD_ID(name, params, args, id, failure) #name,
#define FORWARD_BOTH(name, params, args)            #name,
#define FORWARD_NETCDF(name, params, args)          #name,
#define FORWARD_CREATE(name, params, args)          #name,
#define FORWARD_OPEN(name, params, args)            #name,
#define FORWARD_HAND(result, name, params)          #name,
#include "forward/forward_calls.inc"
};

/* SONAMEs of libnetcdf, newest first, for programs that have not loaded it. */
static const char *const sonames[] = {"libnetcdf.so.22", "libnetcdf.so.19", "libnetcdf.so.18", "libnetcdf.so.15"};

static _Atomic(netcdf_library *) library; /* in use until the process ends */

/* ---- searching -------------------------------------------------------------------------------------------------- */

/* A handle's own function, unless the handle is this library or another copy of it. */
static bool
is_netcdf(void *handle)
{
    return dlsym(handle, "nc_open") != NULL && dlsym(handle, "nczarr_version") == NULL;
}

static void *
keep_netcdf(void *handle)
{
    if (handle == NULL || is_netcdf(handle))
        return handle;
    (void)dlclose(handle);
    return NULL;
}

/* The library behind this one in the process's scope: libnetcdf if a program is linked with it and this one is
 * preloaded. */
static void *
open_next(void)
{
    void   *symbol = dlsym(RTLD_NEXT, "nc_open");
    Dl_info info;

    if (symbol == NULL || dladdr(symbol, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    return keep_netcdf(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD));
}

/* `libnetcdf.so.19`, or `libnetcdf-1a2b3c4d.so.22`, as Python's wheels spell it; not libnetcdff or libnetcdf_c++4. */
static bool
is_netcdf_name(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL, *name = slash != NULL ? slash + 1 : path;

    return name != NULL && (strncmp(name, "libnetcdf.so", 12) == 0 ||
                            (strncmp(name, "libnetcdf-", 10) == 0 && strstr(name, ".so") != NULL));
}

/* The next loaded object of such a name. `skip`: how many to pass over. */
typedef struct loaded_search {
    size_t skip;
    char  *path;
} loaded_search;

static int
match_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
    loaded_search *s = arg;

    (void)size;
    if (!is_netcdf_name(info->dlpi_name))
        return 0;
    if (s->skip > 0) {
        s->skip--;
        return 0;
    }
    s->path = ncz_strdup(info->dlpi_name);
    return 1;
}

/* One that is loaded, but in no scope of ours: Python opens its modules with RTLD_LOCAL. */
static void *
open_loaded(void)
{
    void *handle = NULL;

    for (size_t i = 0; handle == NULL; i++) {
        loaded_search s = {.skip = i};

        if (dl_iterate_phdr(match_loaded, &s) == 0 || s.path == NULL)
            break;
        handle = keep_netcdf(dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD));
        ncz_free(s.path);
    }
    return handle;
}

static void *
open_by_soname(void)
{
    void *handle = NULL;

    for (size_t i = 0; handle == NULL && i < NCZ_LEN(sonames); i++)
        handle = keep_netcdf(dlopen(sonames[i], RTLD_LAZY | RTLD_LOCAL));
    return handle;
}

/* What the user or the builder named is taken or refused; only without a name there is a search. */
static int
open_netcdf(void **out)
{
    const char *named = ncz_env("NCZARR_NETCDF_LIBRARY");

    if (named == NULL && NCZ_FORWARD_LIBRARY[0] != '\0')
        named = NCZ_FORWARD_LIBRARY;
    if (named != NULL) {
        if ((*out = keep_netcdf(dlopen(named, RTLD_LAZY | RTLD_LOCAL))) == NULL)
            return ncz_fail(NC_ENOTBUILT, "%s cannot be loaded as libnetcdf (NCZARR_NETCDF_LIBRARY)", named);
    } else if ((*out = open_next()) == NULL && (*out = open_loaded()) == NULL && (*out = open_by_soname()) == NULL) {
        return ncz_fail(NC_ENOTBUILT, "libnetcdf was not found; NCZARR_NETCDF_LIBRARY may name its file");
    }
    return NC_NOERR;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static ncz_forward_fn
find_symbol(void *handle, const char *name)
{
    void          *symbol = dlsym(handle, name);
    ncz_forward_fn fn = NULL;

    /* ISO C has no cast from an object pointer to a function pointer; POSIX says that they have one form. */
    memcpy(&fn, &symbol, sizeof fn);
    return fn;
}

static int
load_library(netcdf_library **out)
{
    netcdf_library *fresh, *first = NULL;
    void           *handle = NULL;
    int             rc;

    if ((*out = atomic_load(&library)) != NULL)
        return NC_NOERR;
    if ((rc = open_netcdf(&handle)) != NC_NOERR)
        return rc;
    if ((fresh = ncz_zalloc(sizeof *fresh)) == NULL) {
        (void)dlclose(handle);
        return ncz_fail_nomem(sizeof *fresh);
    }
    for (size_t i = 0; i < NCZ_FORWARD_LEN; i++)
        fresh->fn[i] = find_symbol(handle, names[i]);
    if (!atomic_compare_exchange_strong(&library, &first, fresh)) {
        ncz_free(fresh);
        (void)dlclose(handle); /* the first one's handle keeps the library loaded */
    }
    *out = first != NULL ? first : fresh;
    return NC_NOERR;
}

bool
ncz_forward_loaded(void)
{
    return atomic_load_explicit(&library, memory_order_acquire) != NULL;
}

ncz_forward_fn
ncz_forward_try(ncz_forward_index i)
{
    netcdf_library *lib = NULL;

    if (load_library(&lib) != NC_NOERR) {
        ncz_err_clear();
        return NULL;
    }
    return lib->fn[i];
}

ncz_forward_fn
ncz_forward_find(ncz_forward_index i)
{
    netcdf_library *lib = NULL;

    if (load_library(&lib) != NC_NOERR)
        return NULL;
    if (lib->fn[i] == NULL)
        (void)ncz_fail(NC_ENOTBUILT, "%s: this libnetcdf lacks it", names[i]);
    return lib->fn[i];
}
