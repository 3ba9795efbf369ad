/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank of an MPI program writes its block of a field, without its halo, record by record; then the dataset is
 * opened again, and each rank checks the block of its neighbour.
 *
 *     mpicc mpi_write.c $(pkg-config --cflags --libs nczarr-mpi) -o mpi_write
 *     mpirun -n 4 ./mpi_write example.zarr
 */
#include <mpi.h>
#include <nczarr.h>
#include <netcdf_par.h>
#include <stdio.h>

#define NRECS 3
#define NZ    4
#define NY    6 /* of each rank's block */
#define NX    8
#define HALO  1

/* The field is divided along y; a rank has its rows and those beside them. */
typedef struct block {
    int   rank, nranks;
    float values[NZ][NY + 2 * HALO][NX];
} block;

static int
failed(int rc, const char *what)
{
    if (rc != NC_NOERR)
        fprintf(stderr, "%s: %s: %s\n", what, nc_strerror(rc), nczarr_errmsg());
    return rc != NC_NOERR;
}

static float
value_at(size_t rec, size_t z, size_t y, size_t x)
{
    return (float)(1000 * rec + 100 * z + 10 * y + x);
}

/* What a model computes. Rows outside the field are left as they are. */
static void
compute(block *b, size_t rec)
{
    size_t rows = (size_t)b->nranks * NY;

    for (size_t z = 0; z < NZ; z++)
        for (size_t i = 0; i < NY + 2 * HALO; i++)
            for (size_t x = 0; x < NX; x++) {
                size_t y = (size_t)b->rank * NY + i;

                if (y >= HALO && y < rows + HALO)
                    b->values[z][i][x] = value_at(rec, z, y - HALO, x);
            }
}

/* All ranks make the same definitions. A chunk is one record of a rank's block: no two ranks write the same chunk. */
static int
define(int ncid, int nranks, int *var)
{
    static const size_t chunks[4] = {1, NZ, NY, NX};
    int                 dimids[4], rc;

    if ((rc = nc_def_dim(ncid, "time", NC_UNLIMITED, &dimids[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "z", NZ, &dimids[1])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "y", (size_t)nranks * NY, &dimids[2])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", NX, &dimids[3])) != NC_NOERR ||
        (rc = nc_def_var(ncid, "temperature", NC_FLOAT, 4, dimids, var)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, *var, NC_CHUNKED, chunks)) != NC_NOERR ||
        (rc = nc_def_var_deflate(ncid, *var, 1, 1, 1)) != NC_NOERR || (rc = nc_enddef(ncid)) != NC_NOERR)
        return rc;
    return nc_var_par_access(ncid, *var, NC_COLLECTIVE); /* the puts extend `time` */
}

/* The block without its halo: from its first own row, with the strides of the array in memory. */
static int
write_record(int ncid, int var, const block *b, size_t rec)
{
    size_t    start[4] = {rec, 0, (size_t)b->rank * NY, 0}, count[4] = {1, NZ, NY, NX};
    ptrdiff_t imap[4] = {0, (NY + 2 * HALO) * NX, NX, 1};

    return nc_put_varm_float(ncid, var, start, count, NULL, imap, &b->values[0][HALO][0]);
}

static int
write_all(const char *path, block *b)
{
    int ncid, var, rc;

    if ((rc = nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid)) != NC_NOERR)
        return rc;
    rc = define(ncid, b->nranks, &var);
    for (size_t rec = 0; rc == NC_NOERR && rec < NRECS; rec++) {
        compute(b, rec);
        rc = write_record(ncid, var, b, rec);
    }
    if (failed(rc, "writing"))
        MPI_Abort(MPI_COMM_WORLD, 1); /* to close is collective, and this rank alone may be here */
    return nc_close(ncid);
}

static int
check_neighbour(const char *path, const block *b)
{
    float  values[NZ][NY][NX];
    size_t y0 = (size_t)((b->rank + 1) % b->nranks) * NY, length = 0;
    int    ncid, var, rc, closed;

    if ((rc = nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid)) != NC_NOERR)
        return rc;
    rc = nc_inq_varid(ncid, "temperature", &var);
    if (rc == NC_NOERR && (rc = nc_inq_dimlen(ncid, 0, &length)) == NC_NOERR && length != NRECS)
        rc = NC_EINVAL;
    for (size_t rec = 0; rc == NC_NOERR && rec < NRECS; rec++) {
        size_t start[4] = {rec, 0, y0, 0}, count[4] = {1, NZ, NY, NX};

        rc = nc_get_vara_float(ncid, var, start, count, &values[0][0][0]);
        for (size_t i = 0; rc == NC_NOERR && i < NZ * NY * NX; i++)
            if ((&values[0][0][0])[i] != value_at(rec, i / (NY * NX), y0 + i / NX % NY, i % NX))
                rc = NC_EINVAL;
    }
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

int
main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "example.zarr";
    block       b = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.nranks);
    if (failed(write_all(path, &b), "writing") || failed(check_neighbour(path, &b), "reading"))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (b.rank == 0)
        printf("%d ranks wrote %d records each\n", b.nranks, NRECS);
    return MPI_Finalize() != MPI_SUCCESS;
}
