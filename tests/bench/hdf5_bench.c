/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hdf5_bench: one workload on a netCDF-4 file, once, for `tests/bench/hdf5`, which compiles it twice: with this
 * library, and -DBENCH_NETCDF with netCDF-C. Only netCDF's own functions are called.
 *
 *     hdf5_bench WORKLOAD PATH VARIABLE FLOATS
 *
 * FLOATS: the elements that the variable has. Prints {"seconds", "cpu", "extra_kb", "sum"}: from before open until after close, and a checksum
 * of what was read, in which order matters. whole: all of a variable; boxes, series: parts of one of three
 * dimensions; open: all attributes of all variables; strings: all of a variable of strings.
 */
#ifdef BENCH_NETCDF
#include <netcdf.h>
#define ERROR_TEXT(rc) nc_strerror(rc)
#else
#include "nczarr.h"
#define ERROR_TEXT(rc) nczarr_errmsg()
#endif

#include "stopwatch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 40, SERIES = 50, ATT_MOST = 4096 };

static double sum;

static void
check(int rc, const char *call)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "hdf5_bench: %s: %s\n", call, ERROR_TEXT(rc));
    exit(1);
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

static void
add(const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum += (double)v[i] * (double)(1 + i % 31);
}

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

/* One behind the other. The elements that were read. */
static size_t
read_parts(int ncid, int varid, const size_t *shape, bool series, float *f)
{
    size_t n = 0;

    for (size_t i = 0; i < (series ? SERIES : BOXES); i++) {
        size_t start[3] = {0}, count[3];

        for (int d = 0; d < 3; d++) {
            count[d] = series ? 1 : shape[d] / 8 + 1;
            start[d] = i * (size_t)(37 + 10 * d) % (shape[d] - count[d] + 1);
        }
        if (series) {
            start[0] = 0;
            count[0] = shape[0];
        }
        CALL(nc_get_vara_float, ncid, varid, start, count, f + n);
        n += count[0] * count[1] * count[2];
    }
    return n;
}

/* The elements that were read. */
static size_t
read_var(int ncid, const char *name, const char *work, float *f)
{
    int    varid, rank, dims[NC_MAX_VAR_DIMS];
    size_t shape[3] = {1, 1, 1};

    CALL(nc_inq_varid, ncid, name, &varid);
    CALL(nc_inq_var, ncid, varid, NULL, NULL, &rank, dims, NULL);
    for (int d = 0; d < rank && d < 3; d++)
        CALL(nc_inq_dimlen, ncid, dims[d], &shape[d]);
    if (strcmp(work, "whole") != 0)
        return read_parts(ncid, varid, shape, strcmp(work, "series") == 0, f);
    CALL(nc_get_var_float, ncid, varid, f);
    return shape[0] * shape[1] * shape[2];
}

static void
read_strings(int ncid, const char *name, size_t n)
{
    char **v = room(n * sizeof *v);
    int    varid;

    CALL(nc_inq_varid, ncid, name, &varid);
    CALL(nc_get_var_string, ncid, varid, v);
    for (size_t i = 0; i < n; i++)
        sum += (double)(strlen(v[i]) + (unsigned char)v[i][strlen(v[i]) / 2]) * (double)(1 + i % 31);
    CALL(nc_free_string, n, v);
    free(v);
}

static void
read_atts(int ncid)
{
    int ngroups, nvars, groups[4096];

    CALL(nc_inq_grps, ncid, &ngroups, groups);
    CALL(nc_inq_nvars, ncid, &nvars);
    for (int v = 0; v < nvars; v++) {
        int natts;

        CALL(nc_inq_varnatts, ncid, v, &natts);
        for (int a = 0; a < natts; a++) {
            char   name[NC_MAX_NAME + 1];
            double values[ATT_MOST];
            size_t len;

            CALL(nc_inq_attname, ncid, v, a, name);
            CALL(nc_inq_attlen, ncid, v, name, &len);
            if (len > sizeof values / sizeof(double))
                exit(1);
            CALL(nc_get_att, ncid, v, name, values);
            sum += (double)len;
        }
    }
    for (int g = 0; g < ngroups; g++)
        read_atts(groups[g]);
}

int
main(int argc, char **argv)
{
    stopwatch watch;
    float    *f = NULL;
    size_t    n, got = 0;
    int       ncid;

    if (argc != 5)
        return 2;
    n = strtoul(argv[4], NULL, 10);
    if (strcmp(argv[1], "open") != 0 && strcmp(argv[1], "strings") != 0)
        f = room(n * sizeof *f);
    stopwatch_start(&watch);
    CALL(nc_open, argv[2], NC_NOWRITE, &ncid);
    if (strcmp(argv[1], "strings") == 0)
        read_strings(ncid, argv[3], n);
    else if (f == NULL)
        read_atts(ncid);
    else
        got = read_var(ncid, argv[3], argv[1], f);
    CALL(nc_close, ncid);
    stopwatch_stop(&watch);
    if (f != NULL)
        add(f, got);
    stopwatch_print(&watch, sum);
    free(f);
    return 0;
}
