/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf4_bench: one workload that writes a netCDF-4 file, once, for `tests/bench/netcdf4`, which compiles it twice:
 * with this library, and -DBENCH_NETCDF with netCDF-C. Only netCDF's own functions are called.
 *
 *     netcdf4_bench WORKLOAD PATH DIVISOR     writes the file
 *     netcdf4_bench read PATH DIVISOR         the checksum of all its variables, in which order matters
 *
 * DIVISOR makes the data smaller. Prints {"seconds", "cpu", "extra_kb", "sum"}: from before create until after close. The exit
 * status is 77 where the library has not got the codec.
 */
#ifdef BENCH_NETCDF
#include <netcdf.h>
#include <netcdf_filter.h>
#define ERROR_TEXT(rc) nc_strerror(rc)
#else
#include "nczarr.h"
#define ERROR_TEXT(rc) nczarr_errmsg()
#endif

#include "netcdf4_field.h"
#include "stopwatch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARS = 3000, SMALL = 10, GROUPS = 500, ATTS_VARS = 2000, ATTS = 10, FIELDS = 5, NY = 180, NX = 360 };
enum { TINY = 16, TINIES = 100000, STRINGS = 200000, NOT_BUILT = 77 };

static const char *path;
static size_t      divisor;
static int         ncid, varid;
static double      sum;
static stopwatch   watch;

static void
check(int rc, const char *call)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "netcdf4_bench: %s: %s\n", call, ERROR_TEXT(rc));
    exit(rc == NC_ENOFILTER || rc == NC_EFILTER ? NOT_BUILT : 1);
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

/* Memory that has been touched. */
static void *
room(size_t nbytes)
{
    void *p = malloc(nbytes + 1);

    if (p == NULL)
        exit(1);
    memset(p, 1, nbytes + 1);
    return p;
}

static size_t
scaled(size_t n)
{
    return n / divisor > 2 ? n / divisor : 2;
}

/* The clocks start, and the file is created. Like the others, ours syncs nothing. */
static void
begin_file(void)
{
#ifdef BENCH_NETCDF
    const char *url = path;
#else
    char url[4096];

    snprintf(url, sizeof url, "file://%s#mode=netcdf4&durability=none", path);
#endif
    stopwatch_start(&watch);
    CALL(nc_create, url, NC_CLOBBER | NC_NETCDF4, &ncid);
}

static void
end_file(void)
{
    CALL(nc_close, ncid);
    stopwatch_stop(&watch);
}

/* ---- N1, N2: one array in one call ------------------------------------------------------------------------------ */

/* netCDF-C defines filters that it has not got, and then stores plain chunks. */
static void
define_codec(const char *codec)
{
    enum { BLOSC = 32001, ZSTD = 32015 };

    if (codec[0] >= '1' && codec[0] <= '9') {
        CALL(nc_def_var_deflate, ncid, varid, 1, 1, codec[0] - '0');
    } else if (codec[0] == 'z') {
        CALL(nc_inq_filter_avail, ncid, ZSTD);
        CALL(nc_def_var_deflate, ncid, varid, 1, 0, 0);
        CALL(nc_def_var_zstandard, ncid, varid, 1);
    } else if (codec[0] == 'b') {
        CALL(nc_inq_filter_avail, ncid, BLOSC);
        CALL(nc_def_var_blosc, ncid, varid, 1 /* lz4 */, 5, 0, 1);
    }
}

static void
write_array(const char *codec)
{
    size_t z = field_planes(divisor), chunk[3] = {1, FIELD_Y / 2, FIELD_X / 2};
    float *f = room(z * FIELD_Y * FIELD_X * sizeof *f);
    int    dim[3];

    field_make(f, z);
    begin_file();
    CALL(nc_def_dim, ncid, "z", z, &dim[0]);
    CALL(nc_def_dim, ncid, "y", FIELD_Y, &dim[1]);
    CALL(nc_def_dim, ncid, "x", FIELD_X, &dim[2]);
    CALL(nc_def_var, ncid, "field", NC_FLOAT, 3, dim, &varid);
    CALL(nc_def_var_chunking, ncid, varid, codec[0] == 'c' ? NC_CONTIGUOUS : NC_CHUNKED,
         codec[0] == 'c' ? NULL : chunk);
    CALL(nc_def_var_fill, ncid, varid, NC_NOFILL, NULL); /* as who writes all of it does */
    define_codec(codec);
    CALL(nc_enddef, ncid);
    CALL(nc_put_var_float, ncid, varid, f);
    end_file();
    free(f);
}

/* ---- N3: steps ----------------------------------------------------------------------------------------------------
 */

static void
define_fields(int vars[FIELDS], int *time)
{
    int dim[3];

    CALL(nc_def_dim, ncid, "time", NC_UNLIMITED, &dim[0]);
    CALL(nc_def_dim, ncid, "lat", NY, &dim[1]);
    CALL(nc_def_dim, ncid, "lon", NX, &dim[2]);
    CALL(nc_def_var, ncid, "time", NC_DOUBLE, 1, dim, time);
    for (int v = 0; v < FIELDS; v++) {
        char name[3] = {'v', (char)('0' + v), '\0'};

        CALL(nc_def_var, ncid, name, NC_FLOAT, 3, dim, &vars[v]);
        CALL(nc_def_var_deflate, ncid, vars[v], 1, 1, 1);
        CALL(nc_put_att_text, ncid, vars[v], "units", 5, "m s-1");
    }
    CALL(nc_enddef, ncid);
}

static void
append_steps(size_t steps, bool sync)
{
    float *f = room((NY + FIELDS) * NX * sizeof *f);
    int    vars[FIELDS], time;

    field_line(f, (NY + FIELDS) * NX);
    begin_file();
    define_fields(vars, &time);
    for (size_t t = 0; t < steps; t++) {
        double now = (double)t;

        CALL(nc_put_var1_double, ncid, time, &t, &now);
        for (int v = 0; v < FIELDS; v++) {
            size_t at[3] = {t, 0, 0}, count[3] = {1, NY, NX};

            f[v] = (float)t;
            CALL(nc_put_vara_float, ncid, vars[v], at, count, f + v * NX);
        }
        if (sync)
            CALL(nc_sync, ncid);
    }
    end_file();
    free(f);
}

/* ---- N4: many definitions -----------------------------------------------------------------------------------------
 */

static void
write_small(int grp, int dim, int nvars, int natts)
{
    float f[SMALL];
    int   id;

    field_line(f, SMALL);
    for (int v = 0; v < nvars; v++) {
        char name[32];

        snprintf(name, sizeof name, "var%d", v);
        CALL(nc_def_var, grp, name, NC_FLOAT, 1, &dim, &id);
        for (int a = 0; a < natts; a++) {
            snprintf(name, sizeof name, "attribute %d", a);
            CALL(nc_put_att_text, grp, id, a == 0 ? "units" : name, 5, "m s-1");
        }
    }
    CALL(nc_enddef, ncid);
    for (int v = 0; v < nvars; v++)
        CALL(nc_put_var_float, grp, v, f);
}

static void
write_vars(size_t nvars, int natts)
{
    int dim;

    begin_file();
    CALL(nc_def_dim, ncid, "x", SMALL, &dim);
    write_small(ncid, dim, (int)nvars, natts);
    end_file();
}

static void
write_groups(size_t ngroups)
{
    begin_file();
    for (size_t g = 0; g < ngroups; g++) {
        char name[32];
        int  grp, dim;

        snprintf(name, sizeof name, "group%zu", g);
        CALL(nc_def_grp, ncid, name, &grp);
        CALL(nc_def_dim, grp, "x", SMALL, &dim);
        CALL(nc_def_var, grp, "x", NC_FLOAT, 1, &dim, &varid);
        CALL(nc_put_att_text, grp, varid, "units", 5, "m s-1");
    }
    end_file();
}

/* ---- N5, N6: many chunks, many strings ----------------------------------------------------------------------------
 */

static void
write_tiny(bool deflate)
{
    size_t n = scaled(TINIES) * TINY, chunk = TINY;
    float *f = room(n * sizeof *f);
    int    dim;

    field_line(f, n);
    begin_file();
    CALL(nc_def_dim, ncid, "x", n, &dim);
    CALL(nc_def_var, ncid, "tiny", NC_FLOAT, 1, &dim, &varid);
    CALL(nc_def_var_chunking, ncid, varid, NC_CHUNKED, &chunk);
    if (deflate)
        CALL(nc_def_var_deflate, ncid, varid, 0, 1, 1);
    CALL(nc_put_var_float, ncid, varid, f);
    end_file();
    free(f);
}

static void
write_strings(void)
{
    enum { LEN = 24 };
    size_t       n = scaled(STRINGS);
    char        *text = room(n * LEN);
    const char **strings = room(n * sizeof *strings);
    int          dim;

    for (size_t i = 0; i < n; i++) {
        snprintf(text + i * LEN, LEN, "station %zu%.*s", i, (int)(i % 9), "abcdefgh");
        strings[i] = text + i * LEN;
    }
    begin_file();
    CALL(nc_def_dim, ncid, "station", n, &dim);
    CALL(nc_def_var, ncid, "name", NC_STRING, 1, &dim, &varid);
    CALL(nc_put_var_string, ncid, varid, strings);
    end_file();
    free(strings);
    free(text);
}

/* ---- what was written ---------------------------------------------------------------------------------------------
 */

static void
add_strings(int grp, int var, size_t n)
{
    char **strings = room(n * sizeof *strings);

    CALL(nc_get_var_string, grp, var, strings);
    for (size_t i = 0; i < n; i++)
        sum += (double)strlen(strings[i]) * (double)(1 + i % 31) + strings[i][strlen(strings[i]) - 1];
    CALL(nc_free_string, n, strings);
    free(strings);
}

static void
add_var(int grp, int var)
{
    int     rank, dims[NC_MAX_VAR_DIMS], natts;
    size_t  n = 1, len;
    nc_type type;
    double  count = 0;

    CALL(nc_inq_var, grp, var, NULL, &type, &rank, dims, &natts);
    for (int d = 0; d < rank; d++) {
        CALL(nc_inq_dimlen, grp, dims[d], &len);
        n *= len;
    }
    if (type == NC_STRING) {
        add_strings(grp, var, n);
    } else {
        float *f = room(n * sizeof *f);

        CALL(nc_get_var_float, grp, var, f);
        for (size_t i = 0; i < n; i++)
            count += (double)f[i] * (double)(1 + i % 31);
        free(f);
    }
    for (int a = 0; a < natts; a++) {
        char name[NC_MAX_NAME + 1];

        CALL(nc_inq_attname, grp, var, a, name);
        CALL(nc_inq_attlen, grp, var, name, &len);
        count += name[0] == '_' ? 0 : (double)(len * (size_t)(a + 1));
    }
    sum += count;
}

static void
add_group(int grp)
{
    int nvars, ngroups, *groups;

    CALL(nc_inq_nvars, grp, &nvars);
    for (int v = 0; v < nvars; v++)
        add_var(grp, v);
    CALL(nc_inq_grps, grp, &ngroups, NULL);
    groups = room((size_t)ngroups * sizeof *groups);
    CALL(nc_inq_grps, grp, NULL, groups);
    for (int g = 0; g < ngroups; g++)
        add_group(groups[g]);
    free(groups);
}

static void
read_all(void)
{
    CALL(nc_open, path, NC_NOWRITE, &ncid);
    add_group(ncid);
    CALL(nc_close, ncid);
}

/* ---- the workloads ------------------------------------------------------------------------------------------------
 */

/* N1 and N2 end with the codec: a level of deflate, n none, c none and contiguous, z zstd, b blosc. */
static bool
run(const char *name)
{
#define IS(text) (strcmp(name, text) == 0)
    if (name[0] == 'N' && (name[1] == '1' || name[1] == '2'))
        write_array(name + 2);
    else if (IS("N3a") || IS("N3b"))
        append_steps(scaled(60), IS("N3b"));
    else if (IS("N3c") || IS("N3d"))
        append_steps(scaled(1000), IS("N3d"));
    else if (IS("N4v"))
        write_vars(scaled(VARS), 1);
    else if (IS("N4a"))
        write_vars(scaled(ATTS_VARS), ATTS);
    else if (IS("N4g"))
        write_groups(scaled(GROUPS));
    else if (IS("N5n") || IS("N5d"))
        write_tiny(IS("N5d"));
    else if (IS("N6"))
        write_strings();
    else if (IS("read"))
        read_all();
    else
        return false;
    return true;
}

int
main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    path = argv[2];
    divisor = strtoul(argv[3], NULL, 10);
    if (divisor == 0 || !run(argv[1]))
        return 2;
    stopwatch_print(&watch, sum);
    return 0;
}
