/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a dataset record by record, opens it again and checks what it reads.
 *
 *     cc write_read.c $(pkg-config --cflags --libs nczarr) -o write_read
 *     ./write_read example.zarr                    a directory
 *     ./write_read 'example.zarr#mode=zarr'        Zarr without netCDF's own metadata
 */
#include <nczarr.h>
#include <stdio.h>
#include <string.h>

#define NRECS 10
#define NX    6

static int
failed(int rc, const char *what)
{
    if (rc != NC_NOERR)
        fprintf(stderr, "%s: %s: %s\n", what, nc_strerror(rc), nczarr_errmsg());
    return rc != NC_NOERR;
}

static float
value_at(size_t rec, size_t x)
{
    return (float)(10 * rec + x);
}

/* A compressed variable over an unlimited dimension, in chunks of four records. */
static int
define(int ncid, int *var)
{
    static const size_t chunks[2] = {4, NX};
    static const char   units[] = "m s-1";
    int                 dimids[2], rc;

    if ((rc = nc_def_dim(ncid, "time", NC_UNLIMITED, &dimids[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", NX, &dimids[1])) != NC_NOERR ||
        (rc = nc_def_var(ncid, "speed", NC_FLOAT, 2, dimids, var)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, *var, NC_CHUNKED, chunks)) != NC_NOERR ||
        (rc = nc_def_var_deflate(ncid, *var, 1, 1, 4)) != NC_NOERR ||
        (rc = nc_put_att_text(ncid, *var, "units", strlen(units), units)) != NC_NOERR)
        return rc;
    return nc_enddef(ncid);
}

static int
write_records(int ncid, int var)
{
    float values[NX];
    int   rc = NC_NOERR;

    for (size_t rec = 0; rc == NC_NOERR && rec < NRECS; rec++) {
        size_t start[2] = {rec, 0}, count[2] = {1, NX};

        for (size_t x = 0; x < NX; x++)
            values[x] = value_at(rec, x);
        rc = nc_put_vara_float(ncid, var, start, count, values);
    }
    return rc;
}

static int
check(int ncid)
{
    static float values[NRECS][NX];
    int          var, dim, rc;
    size_t       nrecs;

    if ((rc = nc_inq_varid(ncid, "speed", &var)) != NC_NOERR || (rc = nc_inq_dimid(ncid, "time", &dim)) != NC_NOERR ||
        (rc = nc_inq_dimlen(ncid, dim, &nrecs)) != NC_NOERR)
        return rc;
    if (nrecs != NRECS)
        return NC_EDIMSIZE;
    if ((rc = nc_get_var_float(ncid, var, &values[0][0])) != NC_NOERR)
        return rc;
    for (size_t rec = 0; rec < NRECS; rec++)
        for (size_t x = 0; x < NX; x++)
            if (values[rec][x] != value_at(rec, x)) {
                fprintf(stderr, "speed(%zu,%zu) is %g, not %g\n", rec, x, (double)values[rec][x],
                        (double)value_at(rec, x));
                return NC_EINVAL;
            }
    return NC_NOERR;
}

int
main(int argc, char **argv)
{
    int ncid, var, bad;

    if (argc != 2) {
        fprintf(stderr, "usage: write_read DATASET\n");
        return 2;
    }

    if (failed(nc_create(argv[1], NC_CLOBBER | NC_NETCDF4, &ncid), argv[1]))
        return 1;
    if (failed(define(ncid, &var), "definitions") || failed(write_records(ncid, var), "records")) {
        nc_abort(ncid); /* leaves nothing behind */
        return 1;
    }
    if (failed(nc_close(ncid), argv[1])) /* data may be written as late as here: never ignore this code */
        return 1;

    if (failed(nc_open(argv[1], NC_NOWRITE, &ncid), argv[1]))
        return 1;
    bad = failed(check(ncid), "check");
    bad = failed(nc_close(ncid), argv[1]) || bad;
    if (!bad)
        printf("%s: %d records written and read back\n", argv[1], NRECS);
    return bad;
}
