/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * classic_par_bench: ranks that write one CDF-5 file together, for row C7 of `tests/bench/classic`, which compiles it
 * twice: with this library and, -DBENCH_PNETCDF, with PnetCDF.
 *
 *     mpirun -n N classic_par_bench blocks|records PATH DIVISOR
 *
 *   blocks   a float array of 64 planes of 1 Mi elements; each rank writes its planes with one collective put
 *   records  20 records of 4 Mi floats; of each, each rank writes its part
 *
 * Rank 0 prints {"seconds"}: from before create until after close, on all ranks. Ends with 77 if the file cannot be
 * made.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_PNETCDF
#include <pnetcdf.h>
typedef MPI_Offset length;
#define nc_create_par(path, mode, comm, info, id) ncmpi_create(comm, path, mode, info, id)
#define nc_set_fill                               ncmpi_set_fill
#define nc_def_dim                                ncmpi_def_dim
#define nc_def_var                                ncmpi_def_var
#define nc_enddef                                 ncmpi_enddef
#define nc_put_vara_float                         ncmpi_put_vara_float_all
#define nc_close                                  ncmpi_close
#define nc_strerror                               ncmpi_strerror
#else
#include <netcdf.h>
#include <netcdf_par.h>
typedef size_t length;
#endif

enum { PLANES = 64, PLANE = 1 << 20, RECORDS = 20, RECORD = 1 << 22, NOT_THERE = 77 };

static void
check(int rc, const char *what)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, nc_strerror(rc));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call) check(call, #call)

/* Defines the array; returns its variable. */
static int
define_array(int ncid, int records, size_t outer, size_t inner)
{
    int dims[2], varid;

    CHECK(nc_set_fill(ncid, NC_NOFILL, NULL));
    CHECK(nc_def_dim(ncid, "t", records ? (length)NC_UNLIMITED : (length)outer, &dims[0]));
    CHECK(nc_def_dim(ncid, "x", (length)inner, &dims[1]));
    CHECK(nc_def_var(ncid, "field", NC_FLOAT, 2, dims, &varid));
    CHECK(nc_enddef(ncid));
#ifndef BENCH_PNETCDF
    CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE));
#endif
    return varid;
}

static void
put_part(int ncid, int varid, int records, int rank, int nranks, size_t outer, size_t inner, const float *values)
{
    size_t each = (records ? inner : outer) / (size_t)nranks;

    for (size_t t = 0; t < (records ? outer : 1); t++) {
        length start[2] = {(length)(records ? t : (size_t)rank * each), (length)(records ? (size_t)rank * each : 0)};
        length count[2] = {(length)(records ? 1 : each), (length)(records ? each : inner)};

        CHECK(nc_put_vara_float(ncid, varid, start, count, values));
    }
}

int
main(int argc, char **argv)
{
    int    rank, nranks, ncid, varid, records, rc;
    size_t divisor, outer, inner, n;
    float *values;
    double began;
    char   url[4096]; /* like the other, ours syncs nothing */

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (argc != 4 || (divisor = strtoul(argv[3], NULL, 10)) == 0)
        return 2;
    records = strcmp(argv[1], "records") == 0;
    outer = records ? RECORDS : PLANES;
    inner = (records ? RECORD : PLANE) / divisor;
    n = outer * inner / (size_t)nranks;
    if ((values = malloc(n * sizeof *values)) == NULL)
        return 1;
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(i % 65521);
#ifdef BENCH_PNETCDF
    snprintf(url, sizeof url, "%s", argv[2]);
#else
    snprintf(url, sizeof url, "file://%s#durability=none", argv[2]);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    rc = nc_create_par(url, NC_CLOBBER | NC_64BIT_DATA, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid);
    if (rc != NC_NOERR) {
        fprintf(stderr, "%s\n", nc_strerror(rc));
        MPI_Finalize();
        return NOT_THERE;
    }
    varid = define_array(ncid, records, outer, inner);
    put_part(ncid, varid, records, rank, nranks, outer, inner, values);
    CHECK(nc_close(ncid));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("{\"seconds\": %.9f, \"cpu\": 0, \"sum\": null}\n", MPI_Wtime() - began);
    free(values);
    MPI_Finalize();
    return 0;
}
