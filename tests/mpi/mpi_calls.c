/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests/mpi/run drives under mpirun: nc_create_par() and its companions as programs call them.
 *
 *     mpi_calls CASE PATH      exit status 0: all ranks found what they expected
 */
#include "mpi_watch.h"

#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <nczarr.h>
#include <nczarr_par.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NX 5 /* of each rank's block */

static int rank, nranks;

/* A rank that fails ends them all: the others may be waiting for it. */
#define CHECK(cond)                                                                                                  \
    do {                                                                                                             \
        if (!(cond)) {                                                                                               \
            fprintf(stderr, "rank %d: %s:%d: %s: %s\n", rank, __FILE__, __LINE__, #cond, nczarr_errmsg());           \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                            \
            abort();                                                                                                 \
        }                                                                                                            \
    } while (0)
#define OK(call) CHECK((call) == NC_NOERR)

static int
says(const char *text)
{
    return strstr(nczarr_errmsg(), text) != NULL;
}

static int
value_at(size_t rec, int of_rank, size_t x)
{
    return (int)(1000 * rec + 100 * (size_t)of_rank + x);
}

static void
put_block(int ncid, int var, size_t rec)
{
    size_t start[] = {rec, (size_t)rank * NX}, count[] = {1, NX};
    int    values[NX];

    for (size_t x = 0; x < NX; x++)
        values[x] = value_at(rec, rank, x);
    OK(nc_put_vara_int(ncid, var, start, count, values));
}

static void
check_records(int ncid, int var, size_t nrecs)
{
    size_t length = 0;

    OK(nc_inq_dimlen(ncid, 0, &length));
    CHECK(length == nrecs);
    for (size_t rec = 0; rec < nrecs; rec++)
        for (int r = 0; r < nranks; r++)
            for (size_t x = 0; x < NX; x++) {
                size_t at[] = {rec, (size_t)r * NX + x};
                int    value = -1;

                OK(nc_get_var1_int(ncid, var, at, &value));
                CHECK(value == value_at(rec, r, x));
            }
}

/* "time", "x", and the variable "v" in chunks of one block by two records: ranks do not share chunks. */
static int
define(int ncid)
{
    static const size_t chunks[] = {2, NX};
    int                 dims[2], var = -1;

    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", (size_t)nranks * NX, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunks));
    OK(nc_def_var_deflate(ncid, var, 1, 1, 1));
    return var;
}

/*
 * The calls of SCORPIO, the I/O library of E3SM and CESM, in its order: collective access is set after each definition,
 * attributes come after variables, each array is put by blocks, and the file is synced, closed, opened again and
 * appended to.
 */
static void
run_scorpio(const char *path)
{
    static const char title[] = "blocks of all ranks";
    int               ncid, dims[2], v, step, mode;

    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4 | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    OK(nc_set_fill(ncid, NC_NOFILL, &mode));
    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", (size_t)nranks * NX, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_var_par_access(ncid, v, NC_COLLECTIVE));
    OK(nc_def_var(ncid, "step", NC_DOUBLE, 1, dims, &step));
    OK(nc_var_par_access(ncid, step, NC_COLLECTIVE));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", strlen(title), title));
    OK(nc_put_att_text(ncid, v, "units", 1, "m"));
    OK(nc_enddef(ncid));
    for (size_t rec = 0; rec < 2; rec++) {
        size_t at = rec, one = rank == 0; /* a value of all ranks is put by the first */
        double value = (double)rec / 2;

        OK(nc_put_vara_double(ncid, step, &at, &one, &value));
        put_block(ncid, v, rec);
        OK(nc_sync(ncid));
    }
    check_records(ncid, v, 2);
    OK(nc_redef(ncid));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "nranks", NC_INT, 1, &nranks));
    OK(nc_enddef(ncid));
    OK(nc_close(ncid));

    OK(nc_open_par(path, NC_WRITE | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_var_par_access(ncid, v, NC_COLLECTIVE));
    put_block(ncid, v, 2);
    OK(nc_sync(ncid));
    check_records(ncid, v, 3);
    OK(nc_close(ncid));

    OK(nc_open(path, NC_NOWRITE, &ncid)); /* as one process does */
    OK(nc_inq_varid(ncid, "v", &v));
    check_records(ncid, v, 3);
    OK(nc_get_att_int(ncid, NC_GLOBAL, "nranks", &mode));
    CHECK(mode == nranks);
    OK(nc_close(ncid));
}

/* The library's communicator is its own: the program frees its one at once. */
static void
run_communicators(const char *path)
{
    MPI_Comm mine = MPI_COMM_NULL, half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    char     own[4096];
    int      ncid, other, var, rc;

    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, mine, MPI_INFO_NULL, &ncid));
    MPI_Comm_free(&mine);
    var = define(ncid);
    OK(nc_var_par_access(ncid, NC_GLOBAL, NC_COLLECTIVE));
    put_block(ncid, var, 0);

    /* a dataset of this rank alone, while the shared one is open */
    (void)snprintf(own, sizeof own, "%s.%d", path, rank);
    OK(nc_create_par(own, NC_CLOBBER | NC_NETCDF4, MPI_COMM_SELF, MPI_INFO_NULL, &other));
    OK(nc_close(other));
    OK(nc_close(ncid));

    OK(nc_open_par_fortran(path, NC_NOWRITE, (int)MPI_Comm_c2f(MPI_COMM_WORLD), (int)MPI_Info_c2f(MPI_INFO_NULL),
                           &ncid));
    check_records(ncid, var, 1);
    OK(nc_close(ncid));

    CHECK(nc_create_par("x", NC_CLOBBER, MPI_COMM_NULL, MPI_INFO_NULL, &ncid) == NC_EPARINIT &&
          says("MPI_COMM_NULL"));
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    if (nranks > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
        rc = nc_open_par(path, NC_NOWRITE, inter, MPI_INFO_NULL, &ncid);
        CHECK(rc == NC_EPARINIT && says("inter-communicator"));
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&half);
}

/* More datasets than an MPI library has communicators for: each is freed, after failures, too. */
static void
run_many(const char *path)
{
    int ncid, var;

    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    var = define(ncid);
    OK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    put_block(ncid, var, 0);
    OK(nc_close(ncid));
    for (int i = 0; i < 2200; i++) {
        OK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
        OK(nc_close(ncid));
        CHECK(nc_open_par("no such dataset", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) != NC_NOERR);
        CHECK(nc_create_par("x", NC_NETCDF4 | NC_DISKLESS, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) == NC_ENOPAR);
    }
}

static void
run_errors(const char *path)
{
    char   archive[4096];
    int    ncid, var, dim, value = 7;
    size_t at[] = {3, (size_t)rank * NX};

    CHECK(nc_create_par(NULL, NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) == NC_EINVAL && says("path"));
    CHECK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, NULL) == NC_EINVAL && says("ncid"));
    (void)snprintf(archive, sizeof archive, "%s.zip", path);
    CHECK(nc_create_par(archive, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) == NC_ENOPAR && says("nczcopy"));
    CHECK(nc_create_par("x", NC_NETCDF4 | NC_DISKLESS, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) == NC_ENOPAR &&
          says("directory or a bucket"));

    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    var = define(ncid);
    OK(nc_enddef(ncid));
    CHECK(nc_put_var1_int(ncid, var, at, &value) == NC_ECANTEXTEND);
    OK(nc_redef(ncid));
    OK(nc_put_att_int(ncid, var, "rank", NC_INT, 1, &rank)); /* another on each: that of rank 0 is stored */
    OK(nc_enddef(ncid));
    OK(nc_get_att_int(ncid, var, "rank", &value));
    CHECK(value == 0);
    OK(nc_redef(ncid));
    OK(nc_def_dim(ncid, "other", (size_t)rank + 1, &dim));
    CHECK(nc_enddef(ncid) == (nranks > 1 ? NC_EINVAL : NC_NOERR) && (nranks == 1 || says("dimension /other")));
    OK(nc_abort(ncid));
}

static void *
open_in_thread(void *path)
{
    static int rc;
    int        ncid;

    rc = nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid);
    if (rc == NC_NOERR)
        rc = nc_close(ncid);
    if (rc == NC_EPARINIT && !says("MPI_Init_thread"))
        rc = NC_EINVAL;
    return &rc;
}

/* A thread that may not call MPI gets an error; one that may opens the dataset. */
static void
run_threads(const char *path, int level)
{
    pthread_t thread;
    void     *result;
    int       ncid;

    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    OK(nc_close(ncid));
    CHECK(pthread_create(&thread, NULL, open_in_thread, (void *)path) == 0 && pthread_join(thread, &result) == 0);
    CHECK(*(int *)result == (level < MPI_THREAD_SERIALIZED ? NC_EPARINIT : NC_NOERR));
}

/* All ranks are on this machine, and divide its CPUs. The blocks of uneven ranks, one of them without any, give all the
 * same chunks. */
static void
run_share(const char *path)
{
    int    cpus = nczarr_get_threads(), ncid, dim, var, values[100];
    size_t start = rank == 0 ? 0 : (size_t)(rank - 1) * 100, count = rank == 0 ? 0 : 100, chunk = 0;

    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nczarr_get_threads() == (cpus + nranks - 1) / nranks);
    OK(nc_def_dim(ncid, "x", (size_t)(nranks - 1) * 100, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nczarr_def_var_decomposition(ncid, var, &start, &count));
    OK(nc_inq_var_chunking(ncid, var, NULL, &chunk));
    CHECK(chunk == 100);
    OK(nc_enddef(ncid));
    for (int i = 0; i < 100; i++)
        values[i] = (int)start + i;
    OK(nc_put_vara_int(ncid, var, &start, &count, values));
    OK(nc_sync(ncid));
    start = (size_t)(nranks - 2) * 100;
    count = 100;
    OK(nc_get_vara_int(ncid, var, &start, &count, values));
    for (int i = 0; i < 100; i++)
        CHECK(values[i] == (int)start + i);
    OK(nc_close(ncid));
}

/* The last rank is killed after one record is stored, while the others wait for it in a collective put. */
static void
run_death(const char *path)
{
    int ncid, var;

    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    var = define(ncid);
    OK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    put_block(ncid, var, 0);
    OK(nc_sync(ncid));
    if (rank == nranks - 1)
        (void)kill(getpid(), SIGKILL);
    put_block(ncid, var, 1);
    (void)nc_close(ncid);
}

/* ---- puts that do not wait -------------------------------------------------------------------------------------- */

enum { BEHIND_STEPS = 20, BEHIND_ROWS = 32, BEHIND_COLUMNS = 500 }; /* rows: of each rank */

static float
behind_value(int v, size_t step, size_t row, size_t column)
{
    return (float)(v * 7000000) + (float)(step * 300000 + row * BEHIND_COLUMNS + column);
}

/* One step of each variable: "own", whose chunks each belong to a rank, and "shared", one chunk for all. */
static void
put_behind(int ncid, size_t step)
{
    static float values[BEHIND_ROWS * BEHIND_COLUMNS];
    size_t       start[] = {step, (size_t)rank * BEHIND_ROWS, 0}, count[] = {1, BEHIND_ROWS, BEHIND_COLUMNS};

    for (int v = 0; v < 2; v++) {
        for (size_t row = 0; row < BEHIND_ROWS; row++)
            for (size_t column = 0; column < BEHIND_COLUMNS; column++)
                values[row * BEHIND_COLUMNS + column] = behind_value(v, step, start[1] + row, column);
        OK(nc_put_vara_float(ncid, v, start, count, values));
        memset(values, 0x55, sizeof values); /* they are ours again */
    }
}

static void
check_behind(int ncid, size_t nsteps)
{
    static float values[BEHIND_ROWS * BEHIND_COLUMNS];
    size_t       count[] = {1, BEHIND_ROWS, BEHIND_COLUMNS};

    for (size_t step = 0; step < nsteps; step++)
        for (int v = 0; v < 2; v++) {
            size_t start[] = {step, (size_t)((rank + 1) % nranks) * BEHIND_ROWS, 0}; /* another rank's */

            OK(nc_get_vara_float(ncid, v, start, count, values));
            for (size_t i = 0; i < BEHIND_ROWS * BEHIND_COLUMNS; i++)
                CHECK(values[i] == behind_value(v, step, start[1] + i / BEHIND_COLUMNS, i % BEHIND_COLUMNS));
        }
}

/* Chunks are stored by a thread, and it calls no function of MPI: the level is FUNNELED. */
static void
run_behind(const char *path)
{
    size_t     chunks[] = {1, BEHIND_ROWS, BEHIND_COLUMNS};
    mpi_counts seen;
    int        ncid, dims[3], v;

    CHECK(setenv("NCZARR_WRITE", "behind", 1) == 0);
    watch_begin();
    OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "y", (size_t)nranks * BEHIND_ROWS, &dims[1]));
    OK(nc_def_dim(ncid, "x", BEHIND_COLUMNS, &dims[2]));
    OK(nc_def_var(ncid, "own", NC_FLOAT, 3, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 6));
    chunks[1] *= (size_t)nranks;
    OK(nc_def_var(ncid, "shared", NC_FLOAT, 3, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 6));
    OK(nc_enddef(ncid));
    for (v = 0; v < 2; v++)
        OK(nc_var_par_access(ncid, v, NC_COLLECTIVE));
    for (size_t step = 0; step < BEHIND_STEPS; step++) {
        put_behind(ncid, step);
        if (step == BEHIND_STEPS / 2)
            OK(nc_sync(ncid));
    }
    OK(nczarr_wait(ncid));
    OK(nc_sync(ncid));
    check_behind(ncid, BEHIND_STEPS);
    OK(nc_close(ncid));
    seen = watch_end();
    fprintf(stderr, "rank %d: %d calls of MPI, %d by a thread; %d names, %d by a thread\n", rank, seen.calls,
            seen.calls_elsewhere, seen.names, seen.names_elsewhere);
    CHECK(seen.calls > BEHIND_STEPS && seen.calls_elsewhere == 0);
    CHECK(seen.names_elsewhere > 0);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    check_behind(ncid, BEHIND_STEPS);
    OK(nc_close(ncid));
}

/* ---- netCDF-4 files: each rank reads by itself ---------------------------------------------------------------- */

static void
run_netcdf4(const char *path)
{
    int ncid, var, row[4];

    CHECK(nc_open_par(path, NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) == NC_ENOTBUILT);
    OK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    OK(nc_inq_varid(ncid, "packed", &var));
    OK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    OK(nc_get_vara_int(ncid, var, (size_t[]){(size_t)rank % 3, 0}, (size_t[]){1, 4}, row));
    for (int i = 0; i < 4; i++)
        CHECK(row[i] == (rank % 3 * 4 + i) * 7 % 251);
    OK(nc_close(ncid));
}

/* ---- classic files --------------------------------------------------------------------------------------------- */

/* The same calls for a rank, and for one process that makes those of all ranks; then `comm` is MPI_COMM_NULL. */
static void
write_classic(const char *path, int version, MPI_Comm comm)
{
    int first = comm == MPI_COMM_NULL ? 0 : rank, last = comm == MPI_COMM_NULL ? nranks : rank + 1, us = rank;
    int ncid, dims[2], v, w, mode = NC_CLOBBER | version;

    OK(comm == MPI_COMM_NULL ? nc_create(path, mode, &ncid) : nc_create_par(path, mode, comm, MPI_INFO_NULL, &ncid));
    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", (size_t)nranks * NX, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var(ncid, "bytes", NC_BYTE, 2, dims, &w));
    OK(nc_enddef(ncid));
    for (size_t rec = 0; rec < 4; rec++) {
        if (comm != MPI_COMM_NULL) /* all extend it, or each does */
            OK(nc_var_par_access(ncid, v, rec < 2 ? NC_COLLECTIVE : NC_INDEPENDENT));
        for (rank = first; rank < last; rank++)
            put_block(ncid, v, rec);
        rank = us;
    }
    OK(nc_redef(ncid)); /* all data move */
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 20, "blocks of all ranks "));
    OK(nc_enddef(ncid));
    for (rank = first; rank < last; rank++)
        put_block(ncid, v, 4 + (size_t)rank % 2);
    rank = us;
    OK(nc_close(ncid));
}

static long
read_file(const char *path, char *bytes, size_t room)
{
    FILE  *f = fopen(path, "rb");
    size_t n;

    CHECK(f != NULL);
    n = fread(bytes, 1, room, f);
    (void)fclose(f);
    return (long)n;
}

/* Ranks write the same bytes as one process. */
static void
run_classic(const char *path)
{
    static const int versions[] = {NC_64BIT_OFFSET, NC_64BIT_DATA};
    static char      ours[1 << 16], theirs[1 << 16];
    char             alone[1000];

    snprintf(alone, sizeof alone, "%s.alone", path);
    for (int i = 0; i < 2; i++) {
        int ncid;

        write_classic(path, versions[i], MPI_COMM_WORLD);
        if (rank == 0) {
            write_classic(alone, versions[i], MPI_COMM_NULL);
            CHECK(read_file(path, ours, sizeof ours) == read_file(alone, theirs, sizeof theirs));
            CHECK(memcmp(ours, theirs, sizeof ours) == 0);
        }
        OK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
        for (size_t rec = 0; rec < 4; rec++)
            for (int r = 0; r < nranks; r++) {
                int value = -1;

                OK(nc_get_var1_int(ncid, 0, (size_t[]){rec, (size_t)r * NX + 1}, &value));
                CHECK(value == value_at(rec, r, 1));
            }
        OK(nc_close(ncid));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* What `death` left, by one process. */
static void
run_left(const char *path)
{
    int ncid;

    nranks = 4;
    OK(nc_open(path, NC_NOWRITE, &ncid));
    check_records(ncid, 0, 1);
    OK(nc_close(ncid));
}

/* Before MPI_Init() and after MPI_Finalize(); a dataset that is still open then is released. */
static int
check_without_mpi(const char *when)
{
    int ncid;

    if (nc_create_par("x", NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid) != NC_EPARINIT || !says(when) ||
        nc_open_par_fortran("x", NC_NOWRITE, 0, 0, &ncid) != NC_EPARINIT || !says(when)) {
        fprintf(stderr, "nothing about %s: %s\n", when, nczarr_errmsg());
        return 1;
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const char *name = argc == 3 ? argv[1] : "", *path = argc == 3 ? argv[2] : "";
    int         wanted = strcmp(name, "threads") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED, level;
    int         late = -1;

    if (check_without_mpi("MPI_Init()") != 0)
        return 1;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (strcmp(name, "scorpio") == 0)
        run_scorpio(path);
    else if (strcmp(name, "communicators") == 0)
        run_communicators(path);
    else if (strcmp(name, "many") == 0)
        run_many(path);
    else if (strcmp(name, "errors") == 0)
        run_errors(path);
    else if (strcmp(name, "threads") == 0 || strcmp(name, "main_thread") == 0)
        run_threads(path, level);
    else if (strcmp(name, "share") == 0)
        run_share(path);
    else if (strcmp(name, "death") == 0)
        run_death(path);
    else if (strcmp(name, "left") == 0)
        run_left(path);
    else if (strcmp(name, "behind") == 0)
        run_behind(path);
    else if (strcmp(name, "classic") == 0)
        run_classic(path);
    else if (strcmp(name, "netcdf4") == 0)
        run_netcdf4(path);
    else if (strcmp(name, "late") == 0)
        OK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &late));
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    if (late >= 0 && (nc_close(late) != NC_EMPI || !says("MPI_Finalize()"))) {
        fprintf(stderr, "closed after MPI_Finalize(): %s\n", nczarr_errmsg());
        return 1;
    }
    return check_without_mpi("MPI_Finalize()");
}
