/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_bench: one parallel workload, for `tests/bench/parallel`, which compiles it four times: with this library,
 * -DBENCH_CLASSIC the same for a CDF-5 file, -DBENCH_HDF5 with netCDF-4 over parallel HDF5, -DBENCH_PNETCDF with
 * PnetCDF, which makes a CDF-5 file.
 *
 *     mpirun -n N par_bench write|read PATH LAYOUT ACCESS CODEC ROWS RECORDS
 *
 * A field of floats, (record, y, x): each rank has ROWS rows of y of every record, NX long. Chunks are one record of
 * CHUNK_Y by NX.
 *   LAYOUT   aligned: a rank's first row is a chunk's; unaligned: the whole field is shifted by half a chunk's rows,
 *            so that neighbouring ranks share chunks
 *   ACCESS   collective | independent
 *   CODEC    none | deflate (level 1, with shuffle) | block, long, wide: no codec, and with this library the chunks
 * in shards: of a rank's part of a record; of that of all records; of a record of all ranks
 *
 * Rank 0 prints JSON: seconds from before create or open until after close, on all ranks; processor time, user's and
 * system's, of all ranks, and that of it that went by in waiting for messages, which MPI does by asking again and
 * again; bytes passed to the file system by read and write calls, and their number; a checksum of what was read.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef BENCH_PNETCDF
#include <pnetcdf.h>
#define error_of ncmpi_strerror
#else
#include <netcdf.h>
#include <netcdf_par.h>
#define error_of nc_strerror
#ifdef BENCH_SHARDS
#include <nczarr.h>
#endif
#ifdef BENCH_CLASSIC
#define MODE NC_64BIT_DATA
#else
#define MODE NC_NETCDF4
#endif
#endif

#include "clock.h"

enum { NX = 1024, CHUNK_Y = 64 };

typedef struct bench {
    const char *path;
    int         unaligned, collective, deflate;
    const char *codec;
    size_t      rows, nrecs;
    int         rank, nranks;
    float      *values; /* of one record */
} bench;

static void
check(int rc, const char *what)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, error_of(rc));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call) check(call, #call)

/* Smooth, with some noise in the last bits: compresses to about a third. The same field for any number of ranks. */
static void
compute(const bench *b)
{
    for (size_t y = 0; y < b->rows; y++) {
        size_t   row = (size_t)b->rank * b->rows + y;
        uint32_t state = (uint32_t)row * 2654435761u + 1;

        for (size_t x = 0; x < NX; x++) {
            state = state * 1664525u + 1013904223u;
            b->values[y * NX + x] =
                (float)(280 + 0.01 * (double)(row % 997) + 0.002 * (double)x) + (float)(state >> 24) * 1e-5f;
        }
    }
}

/* Rows before the first one in `y`, which no rank writes. */
static size_t
shift_of(const bench *b)
{
    return b->unaligned ? CHUNK_Y / 2 : 0;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static double waited; /* processor seconds in these calls */

#define WAIT(call)                                                                                                   \
    do {                                                                                                             \
        double begin_ = clock_seconds(CLOCK_THREAD_CPUTIME_ID);                                                      \
        int    rc_ = call;                                                                                           \
                                                                                                                     \
        waited += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begin_;                                                   \
        return rc_;                                                                                                  \
    } while (0)

/* In place of MPI's own, as its standard provides for. */
int
MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    WAIT(PMPI_Bcast(data, n, type, root, comm));
}

int
MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    WAIT(PMPI_Allreduce(in, out, n, type, op, comm));
}

int
MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    WAIT(PMPI_Wait(request, status));
}

int
MPI_Barrier(MPI_Comm comm)
{
    WAIT(PMPI_Barrier(comm));
}

/* ---- the libraries ----------------------------------------------------------------------------------------------- */

#ifdef BENCH_PNETCDF

static void
open_field(const bench *b, int create, int *nc, int *var)
{
    int dims[3];

    if (!create) {
        CHECK(ncmpi_open(MPI_COMM_WORLD, b->path, NC_NOWRITE, MPI_INFO_NULL, nc));
        CHECK(ncmpi_inq_varid(*nc, "field", var));
    } else {
        CHECK(ncmpi_create(MPI_COMM_WORLD, b->path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, nc));
        CHECK(ncmpi_def_dim(*nc, "record", (MPI_Offset)b->nrecs, &dims[0]));
        CHECK(ncmpi_def_dim(*nc, "y", (MPI_Offset)(shift_of(b) + b->rows * (size_t)b->nranks), &dims[1]));
        CHECK(ncmpi_def_dim(*nc, "x", NX, &dims[2]));
        CHECK(ncmpi_def_var(*nc, "field", NC_FLOAT, 3, dims, var));
        CHECK(ncmpi_enddef(*nc));
    }
    if (!b->collective)
        CHECK(ncmpi_begin_indep_data(*nc));
}

static void
move(const bench *b, int write, int nc, int var, const size_t *start, const size_t *count)
{
    MPI_Offset s[3] = {(MPI_Offset)start[0], (MPI_Offset)start[1], (MPI_Offset)start[2]};
    MPI_Offset c[3] = {(MPI_Offset)count[0], (MPI_Offset)count[1], (MPI_Offset)count[2]};

    if (write && b->collective)
        CHECK(ncmpi_put_vara_float_all(nc, var, s, c, b->values));
    else if (write)
        CHECK(ncmpi_put_vara_float(nc, var, s, c, b->values));
    else if (b->collective)
        CHECK(ncmpi_get_vara_float_all(nc, var, s, c, b->values));
    else
        CHECK(ncmpi_get_vara_float(nc, var, s, c, b->values));
}

static void
close_field(const bench *b, int nc)
{
    if (!b->collective)
        CHECK(ncmpi_end_indep_data(nc));
    CHECK(ncmpi_close(nc));
}

#else

/* How the field is stored. A CDF-5 file has nothing but the values. */
static void
define_storage(const bench *b, int nc, int var)
{
#ifdef BENCH_CLASSIC
    int old;

    (void)b, (void)var;
    CHECK(nc_set_fill(nc, NC_NOFILL, &old));
#else
    const size_t chunks[3] = {1, CHUNK_Y, NX};

    CHECK(nc_def_var_chunking(nc, var, NC_CHUNKED, chunks));
    CHECK(nc_def_var_fill(nc, var, NC_NOFILL, NULL)); /* else HDF5 writes everything twice */
    if (b->deflate)
        CHECK(nc_def_var_deflate(nc, var, 1, 1, 1));
#endif
#ifdef BENCH_SHARDS
    size_t shards[3] = {1, b->rows, NX};

    if (strcmp(b->codec, "long") == 0)
        shards[0] = b->nrecs;
    if (strcmp(b->codec, "wide") == 0)
        shards[1] *= (size_t)b->nranks;
    if (strcmp(b->codec, "block") == 0 || shards[0] != 1 || shards[1] != b->rows)
        CHECK(nczarr_def_var_shards(nc, var, shards));
#endif
}

static void
open_field(const bench *b, int create, int *nc, int *var)
{
    int dims[3];

    if (!create) {
        CHECK(nc_open_par(b->path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, nc));
        CHECK(nc_inq_varid(*nc, "field", var));
    } else {
        CHECK(nc_create_par(b->path, MODE, MPI_COMM_WORLD, MPI_INFO_NULL, nc));
        CHECK(nc_def_dim(*nc, "record", b->nrecs, &dims[0]));
        CHECK(nc_def_dim(*nc, "y", shift_of(b) + b->rows * (size_t)b->nranks, &dims[1]));
        CHECK(nc_def_dim(*nc, "x", NX, &dims[2]));
        CHECK(nc_def_var(*nc, "field", NC_FLOAT, 3, dims, var));
        define_storage(b, *nc, *var);
        CHECK(nc_enddef(*nc));
    }
    CHECK(nc_var_par_access(*nc, *var, b->collective ? NC_COLLECTIVE : NC_INDEPENDENT));
}

static void
move(const bench *b, int write, int nc, int var, const size_t *start, const size_t *count)
{
    if (write)
        CHECK(nc_put_vara_float(nc, var, start, count, b->values));
    else
        CHECK(nc_get_vara_float(nc, var, start, count, b->values));
}

static void
close_field(const bench *b, int nc)
{
    (void)b;
    CHECK(nc_close(nc));
}

#endif

/* ---- the workload ------------------------------------------------------------------------------------------------ */

static double
processor_seconds(void)
{
    struct rusage u;

    if (getrusage(RUSAGE_SELF, &u) != 0)
        return 0;
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* The counter `name` of this process's input and output; 0 where the kernel has none. */
static double
io_counter(const char *name)
{
    FILE  *f = fopen("/proc/self/io", "r");
    char   word[32];
    double value, found = 0;

    while (f != NULL && fscanf(f, "%31[^:]: %lf ", word, &value) == 2)
        if (strcmp(word, name) == 0)
            found = value;
    if (f != NULL)
        (void)fclose(f);
    return found;
}

typedef struct figures {
    double cpu, waited, read, written, calls, sum;
} figures;

static figures
take_figures(void)
{
    return (figures){.cpu = processor_seconds(),
                     .waited = waited,
                     .read = io_counter("rchar"),
                     .written = io_counter("wchar"),
                     .calls = io_counter("syscr") + io_counter("syscw")};
}

static double
run(bench *b, int write)
{
    size_t start[3] = {0, shift_of(b) + (size_t)b->rank * b->rows, 0}, count[3] = {1, b->rows, NX};
    double sum = 0;
    int    nc, var;

    open_field(b, write, &nc, &var);
    for (start[0] = 0; start[0] < b->nrecs; start[0]++) {
        move(b, write, nc, var, start, count);
        for (size_t i = 0; !write && i < b->rows * NX; i++)
            sum += b->values[i];
    }
    close_field(b, nc);
    return sum;
}

int
main(int argc, char **argv)
{
    bench   b = {.path = argc == 8 ? argv[2] : NULL};
    figures before, after, own, all;
    double  begin, seconds;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.nranks);
    if (b.path == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    b.unaligned = strcmp(argv[3], "unaligned") == 0;
    b.collective = strcmp(argv[4], "collective") == 0;
    b.codec = argv[5];
    b.deflate = strcmp(b.codec, "deflate") == 0;
    b.rows = strtoul(argv[6], NULL, 10);
    b.nrecs = strtoul(argv[7], NULL, 10);
    if ((b.values = malloc(b.rows * NX * sizeof *b.values)) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    compute(&b);
    MPI_Barrier(MPI_COMM_WORLD);
    before = take_figures();
    begin = MPI_Wtime();
    own.sum = run(&b, strcmp(argv[1], "write") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - begin;
    after = take_figures();
    own = (figures){.cpu = after.cpu - before.cpu,
                    .waited = after.waited - before.waited,
                    .read = after.read - before.read,
                    .written = after.written - before.written,
                    .calls = after.calls - before.calls,
                    .sum = own.sum};
    MPI_Reduce(&own, &all, sizeof own / sizeof(double), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (b.rank == 0)
        printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"waited\": %.6f, \"read\": %.0f, \"written\": %.0f, "
               "\"calls\": %.0f, \"sum\": %.3f}\n",
               seconds, all.cpu, all.waited, all.read, all.written, all.calls, all.sum);
    free(b.values);
    MPI_Finalize();
    return 0;
}
