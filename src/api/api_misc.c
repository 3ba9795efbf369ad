/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_misc: the library itself: its version, process-wide defaults, and calls that have no effect here but must
 * exist. The defaults are this file's only state and have their own lock.
 */
#include "api/api_int.h"
#include "open/open.h"
#include "places/places.h"

#include "compat/netcdf_filter.h"

#include <pthread.h>

/* A program that runs on this library in netCDF-C's place expects of it what netCDF-C makes of a plain name. */
#ifdef NCZ_API_IS_LIBNETCDF
#define FIRST_FORMAT NC_FORMAT_CLASSIC
#define PLACE        NCZ_FORMAT_FILES
#else
#define FIRST_FORMAT NC_FORMAT_NETCDF4
#define PLACE        0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int             default_format; /* 0: the program has set none */
static bool            cache_set;
static size_t          cache_bytes, cache_nelems = 1000;
static float           cache_preemption = 0.75f;
static int             align_threshold, align_to;
static size_t          meta_block_size;

const char *
nc_inq_libvers(void)
{
    return NETCDF_VERSION " of nczarr " NCZARR_VERSION;
}

const char *
nczarr_version(void)
{
    return NCZARR_VERSION;
}

const char *
nczarr_errmsg(void)
{
    return ncz_err_text();
}

int
nc_initialize(void)
{
    return NC_NOERR;
}

int
nc_finalize(void)
{
    ncz_err_clear();
    ncz_threads_stop();
    return NC_NOERR;
}

int
nczarr_set_threads(int nthreads)
{
    ncz_err_clear();
    if (nthreads < 0)
        return ncz_call_done(ncz_fail(NC_EINVAL, "%d threads", nthreads));
    ncz_pool_set_threads((unsigned)nthreads);
    return NC_NOERR;
}

int
nczarr_allow(const char *prefixes)
{
    ncz_err_clear();
    return ncz_call_done(ncz_places_allow(prefixes));
}

int
nczarr_get_threads(void)
{
    return (int)ncz_pool_threads();
}

int
nc_set_log_level(int new_level)
{
    ncz_err_clear();
    if (new_level > NCZ_LOG_CHUNK)
        new_level = NCZ_LOG_CHUNK;
    ncz_log_set(new_level < 0 ? NCZ_LOG_OFF : (ncz_log_level)new_level);
    return NC_NOERR;
}

/* ---- defaults ---- */

int
nc_set_default_format(int format, int *old_formatp)
{
    ncz_err_clear();
    if (format < NC_FORMAT_CLASSIC || format > NC_FORMAT_CDF5)
        return ncz_call_done(ncz_fail(NC_EINVAL, "there is no format %d", format));
    (void)pthread_mutex_lock(&lock);
    if (old_formatp != NULL)
        *old_formatp = default_format != 0 ? default_format : FIRST_FORMAT;
    default_format = format;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

/* As in netCDF-C the default counts where the mode asks for no format. */
int
ncz_api_create_mode(int cmode, int *unsaid)
{
    int format;

    (void)pthread_mutex_lock(&lock);
    format = default_format;
    (void)pthread_mutex_unlock(&lock);
    *unsaid = (format != 0 ? format : NCZ_FORMAT_UNSAID) | PLACE;
    if (format == NC_FORMAT_NETCDF4_CLASSIC && (cmode & (NC_NETCDF4 | NC_64BIT_OFFSET | NC_64BIT_DATA)) == 0)
        cmode |= NC_CLASSIC_MODEL;
    return cmode;
}

int
nc_set_chunk_cache(size_t size, size_t nelems, float preemption)
{
    ncz_err_clear();
    if (!(preemption >= 0 && preemption <= 1))
        return ncz_call_done(ncz_fail(NC_EINVAL, "preemption %g is not in 0 to 1", (double)preemption));
    (void)pthread_mutex_lock(&lock);
    cache_set = true;
    cache_bytes = size;
    cache_nelems = nelems;
    cache_preemption = preemption;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

int
nc_get_chunk_cache(size_t *sizep, size_t *nelemsp, float *preemptionp)
{
    ncz_err_clear();
    (void)pthread_mutex_lock(&lock);
    if (sizep != NULL)
        *sizep = cache_set ? cache_bytes : ncz_limits_default.cache_bytes;
    if (nelemsp != NULL)
        *nelemsp = cache_nelems;
    if (preemptionp != NULL)
        *preemptionp = cache_preemption;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

void
ncz_api_cache_limits(ncz_limits *limits)
{
    (void)pthread_mutex_lock(&lock);
    if (cache_set)
        limits->cache_bytes = cache_bytes;
    (void)pthread_mutex_unlock(&lock);
}

/* ---- settings of HDF5 files: programs find again what they set ---- */

int
nc_set_alignment(int threshold, int alignment)
{
    ncz_err_clear();
    (void)pthread_mutex_lock(&lock);
    align_threshold = threshold;
    align_to = alignment;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

int
nc_get_alignment(int *thresholdp, int *alignmentp)
{
    ncz_err_clear();
    (void)pthread_mutex_lock(&lock);
    if (thresholdp != NULL)
        *thresholdp = align_threshold;
    if (alignmentp != NULL)
        *alignmentp = align_to;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

int
nc_set_meta_block_size(size_t size)
{
    ncz_err_clear();
    (void)pthread_mutex_lock(&lock);
    meta_block_size = size;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

int
nc_get_meta_block_size(size_t *sizep)
{
    ncz_err_clear();
    (void)pthread_mutex_lock(&lock);
    if (sizep != NULL)
        *sizep = meta_block_size;
    (void)pthread_mutex_unlock(&lock);
    return NC_NOERR;
}

/* ---- formats of the program's own: there are none ---- */

static int
refuse_user_format(void)
{
    ncz_err_clear();
    return ncz_call_done(
        ncz_fail(NC_ENOTBUILT, "a user-defined format is a table of netCDF-C's inner functions; nczarr_create_map() "
                               "takes a store of the program's own"));
}

int
nc_def_user_format(int mode_flag, NC_Dispatch *dispatch_table, char *magic_number)
{
    (void)mode_flag, (void)dispatch_table, (void)magic_number;
    return refuse_user_format();
}

int
nc_inq_user_format(int mode_flag, NC_Dispatch **dispatch_table, char *magic_number)
{
    (void)mode_flag, (void)dispatch_table, (void)magic_number;
    return refuse_user_format();
}

/* ---- plug-ins: there are none ---- */

int
nc_filter_path_query(int id)
{
    ncz_err_clear();
    return ncz_call_done(ncz_fail(NC_ENOFILTER, "filter %d: there is no search path of plug-ins", id));
}

int
nc_plugin_path_ndirs(size_t *ndirsp)
{
    ncz_err_clear();
    if (ndirsp != NULL)
        *ndirsp = 0;
    return NC_NOERR;
}

int
nc_plugin_path_get(NCPluginList *dirs)
{
    ncz_err_clear();
    if (dirs == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no list is given"));
    dirs->ndirs = 0;
    return NC_NOERR;
}

int
nc_plugin_path_set(NCPluginList *dirs)
{
    ncz_err_clear();
    return dirs != NULL ? NC_NOERR : ncz_fail(NC_EINVAL, "no list is given");
}
