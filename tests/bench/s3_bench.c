/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * s3_bench: one workload on a bucket, once, through netCDF's own functions, so that the same file measures netcdf-c
 * when it is compiled with -DBENCH_NETCDF. Prints {"seconds", "cpu", "extra_kb", "sum"}: from before the open to after the
 * close.
 *
 * usage: s3_bench make-open|make-read|open|read|steps URL
 *   open: 100 variables with 10 attributes each, all of which are read; read: 256 chunks of 128 KiB, in one call;
 *   steps: the same chunks in turn, a call each
 */
#ifdef BENCH_NETCDF
#include <netcdf.h>
#else
#include "nczarr.h"
#endif

#include "stopwatch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARS = 100, ATTS = 10, CHUNKS = 256, CHUNK = 32768, NELEMS = CHUNKS * CHUNK };

static int ncid;

static void
check(int rc, const char *call)
{
    if (rc == NC_NOERR)
        return;
#ifdef BENCH_NETCDF
    fprintf(stderr, "s3_bench: %s: %s\n", call, nc_strerror(rc));
#else
    fprintf(stderr, "s3_bench: %s: %s: %s\n", call, nc_strerror(rc), nczarr_errmsg());
#endif
    exit(1);
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

static void
make_open(const char *url)
{
    char name[32], text[64];
    int  dim, var;

    CALL(nc_create, url, NC_NETCDF4 | NC_CLOBBER, &ncid);
    CALL(nc_def_dim, ncid, "x", 100, &dim);
    for (int v = 0; v < VARS; v++) {
        snprintf(name, sizeof name, "variable_%03d", v);
        CALL(nc_def_var, ncid, name, NC_FLOAT, 1, &dim, &var);
        for (int a = 0; a < ATTS; a++) {
            snprintf(name, sizeof name, "attribute_%d", a);
            snprintf(text, sizeof text, "value %d of variable %d", a, v);
            CALL(nc_put_att_text, ncid, var, name, strlen(text), text);
        }
    }
    CALL(nc_close, ncid);
}

static float
value_at(size_t i)
{
    return (float)(i * 2654435761u >> 16 & 0xFFFF);
}

static void
make_read(const char *url)
{
    float *data = malloc(NELEMS * sizeof *data);
    size_t chunk = CHUNK;
    int    dim, var;

    for (size_t i = 0; i < NELEMS; i++)
        data[i] = value_at(i);
    CALL(nc_create, url, NC_NETCDF4 | NC_CLOBBER, &ncid);
    CALL(nc_def_dim, ncid, "x", NELEMS, &dim);
    CALL(nc_def_var, ncid, "field", NC_FLOAT, 1, &dim, &var);
    CALL(nc_def_var_chunking, ncid, var, NC_CHUNKED, &chunk);
    CALL(nc_put_var_float, ncid, var, data);
    CALL(nc_close, ncid);
    free(data);
}

/* Every attribute of every variable; the sum of their characters. */
static uint64_t
run_open(const char *url)
{
    char     name[NC_MAX_NAME + 1], text[256];
    uint64_t sum = 0;
    int      nvars, natts;

    CALL(nc_open, url, NC_NOWRITE, &ncid);
    CALL(nc_inq_nvars, ncid, &nvars);
    for (int v = 0; v < nvars; v++) {
        CALL(nc_inq_varnatts, ncid, v, &natts);
        for (int a = 0; a < natts; a++) {
            size_t len;

            CALL(nc_inq_attname, ncid, v, a, name);
            CALL(nc_inq_attlen, ncid, v, name, &len);
            if (strncmp(name, "attribute_", 10) != 0 || len >= sizeof text)
                continue;
            CALL(nc_get_att_text, ncid, v, name, text);
            for (size_t i = 0; i < len; i++)
                sum += (unsigned char)text[i];
        }
    }
    CALL(nc_close, ncid);
    return sum;
}

static uint64_t
run_read(const char *url, bool steps, float *data)
{
    const size_t count = CHUNK;
    int          var;

    CALL(nc_open, url, NC_NOWRITE, &ncid);
    CALL(nc_inq_varid, ncid, "field", &var);
    for (size_t at = 0; steps && at < NELEMS; at += CHUNK)
        CALL(nc_get_vara_float, ncid, var, &at, &count, data + at);
    if (!steps)
        CALL(nc_get_var_float, ncid, var, data);
    CALL(nc_close, ncid);
    return 0;
}

static uint64_t
sum_of(const float *data)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < NELEMS; i++)
        sum += (uint64_t)data[i] * (i % 1000 + 1);
    return sum;
}

int
main(int argc, char **argv)
{
    stopwatch watch;
    float    *data;
    bool      open, steps;
    uint64_t  sum;

    if (argc == 3 && strcmp(argv[1], "make-open") == 0)
        return make_open(argv[2]), 0;
    if (argc == 3 && strcmp(argv[1], "make-read") == 0)
        return make_read(argv[2]), 0;
    if (argc != 3 || (data = calloc(NELEMS, sizeof *data)) == NULL) {
        fprintf(stderr, "usage: s3_bench make-open|make-read|open|read|steps URL\n");
        return 2;
    }
    open = strcmp(argv[1], "open") == 0;
    steps = strcmp(argv[1], "steps") == 0;
    memset(data, 1, NELEMS * sizeof *data); /* its page faults are nobody's cost */
    stopwatch_start(&watch);
    sum = open ? run_open(argv[2]) : run_read(argv[2], steps, data);
    stopwatch_stop(&watch);
    if (!open)
        sum = sum_of(data);
    stopwatch_print(&watch, (double)sum);
    free(data);
    return 0;
}
