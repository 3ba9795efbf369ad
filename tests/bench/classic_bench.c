/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * classic_bench: one workload on a classic file, once, for `tests/bench/classic`, which compiles it three times: with
 * this library, -DBENCH_NETCDF with netCDF-C, -DBENCH_PNETCDF with PnetCDF. Only netCDF's own functions are called.
 *
 *     classic_bench WORKLOAD PATH DIVISOR
 *
 * DIVISOR makes the data smaller. Prints {"seconds", "cpu", "extra_kb", "sum"}: from before create or open until after close, and a
 * checksum of what was read, in which order matters (0 of what was written).
 */
#if defined BENCH_PNETCDF
#include <mpi.h>
#include <pnetcdf.h>
#elif defined BENCH_NETCDF
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

#ifdef BENCH_PNETCDF
typedef MPI_Offset length, step;
#define nc_create(path, mode, id) ncmpi_create(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, id)
#define nc_open(path, mode, id)   ncmpi_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, id)
#define nc_close                  ncmpi_close
#define nc_enddef                 ncmpi_enddef
#define nc_set_fill               ncmpi_set_fill
#define nc_def_dim                ncmpi_def_dim
#define nc_def_var                ncmpi_def_var
#define nc_inq_varid              ncmpi_inq_varid
#define nc_put_att_text           ncmpi_put_att_text
#define nc_get_att_text           ncmpi_get_att_text
#define nc_strerror               ncmpi_strerror
#define nc_put_var_float          ncmpi_put_var_float_all
#define nc_get_var_float          ncmpi_get_var_float_all
#define nc_put_var_double         ncmpi_put_var_double_all
#define nc_get_var_double         ncmpi_get_var_double_all
#define nc_put_vara_float         ncmpi_put_vara_float_all
#define nc_get_vara_float         ncmpi_get_vara_float_all
#define nc_put_vara_short         ncmpi_put_vara_short_all
#define nc_put_vara_double        ncmpi_put_vara_double_all
#define nc_get_vars_float         ncmpi_get_vars_float_all
#define nc_get_var1_float         ncmpi_get_var1_float_all
#define nc_put_var1_double        ncmpi_put_var1_double_all
#define ERROR_TEXT(rc)            ncmpi_strerror(rc)
#else
typedef size_t    length;
typedef ptrdiff_t step;
#ifdef BENCH_NETCDF
#define ERROR_TEXT(rc) nc_strerror(rc)
#else
#define ERROR_TEXT(rc) nczarr_errmsg()
#endif
#endif

enum { Z = 64, Y = 1024, X = 1024, VARS = 3000, SMALL = 10, FIELDS = 5, WIDE = 500000, MANY = 100 };

static const char *path;
static size_t      divisor;
static int         ncid, varid;
static double      sum;
static stopwatch   watch;
static void       *rooms[2]; /* until the end, so that no time is taken to give them back */
static size_t      nrooms;

static void
check(int rc, const char *call)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "classic_bench: %s: %s\n", call, ERROR_TEXT(rc));
    exit(1);
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

static void
start(void)
{
    stopwatch_start(&watch);
}

static void
stop(void)
{
    CALL(nc_close, ncid);
    stopwatch_stop(&watch);
}

/* Memory that has been touched. */
static void *
room(size_t nbytes)
{
    void *p = nrooms < sizeof rooms / sizeof *rooms ? malloc(nbytes) : NULL;

    if (p == NULL)
        exit(1);
    rooms[nrooms++] = p;
    memset(p, 1, nbytes);
    return p;
}

static void
free_rooms(void)
{
    while (nrooms > 0)
        free(rooms[--nrooms]);
}

static void
add(const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum += (double)v[i] * (double)(1 + i % 31);
}

static float
value(size_t i)
{
    return (float)(i % 65521) / 8;
}

/* Like the others, ours syncs nothing. */
static void
begin_file(void)
{
#if defined(BENCH_NETCDF) || defined(BENCH_PNETCDF)
    const char *url = path;
#else
    char url[4096];

    snprintf(url, sizeof url, "file://%s#durability=none", path);
#endif
    CALL(nc_create, url, NC_CLOBBER | NC_64BIT_DATA, &ncid);
    CALL(nc_set_fill, ncid, NC_NOFILL, NULL); /* as who writes all of it does */
}

static void
open_file(void)
{
    start();
    CALL(nc_open, path, NC_NOWRITE, &ncid);
    varid = 0;
}

static size_t
planes(void)
{
    return Z / divisor > 1 ? Z / divisor : 2;
}

/* ---- C1 to C3: the whole array, in memory of its type or of another -------------------------------------------- */

static void
write_array(nc_type type, bool doubles)
{
    size_t  n = planes() * Y * X / (type == NC_DOUBLE ? 2 : 1);
    float  *f = doubles ? NULL : room(n * sizeof *f);
    double *d = doubles ? room(n * sizeof *d) : NULL;
    int     dim[3];

    for (size_t i = 0; i < n; i++)
        if (doubles)
            d[i] = value(i);
        else
            f[i] = value(i);
    start();
    begin_file();
    CALL(nc_def_dim, ncid, "z", (length)(n / Y / X), &dim[0]);
    CALL(nc_def_dim, ncid, "y", Y, &dim[1]);
    CALL(nc_def_dim, ncid, "x", X, &dim[2]);
    CALL(nc_def_var, ncid, "field", type, 3, dim, &varid);
    CALL(nc_enddef, ncid);
    if (doubles)
        CALL(nc_put_var_double, ncid, varid, d);
    else
        CALL(nc_put_var_float, ncid, varid, f);
    stop();
}

static void
read_array(nc_type type, bool doubles)
{
    size_t  n = planes() * Y * X / (type == NC_DOUBLE ? 2 : 1);
    float  *f = room(n * sizeof *f);
    double *d = doubles ? room(n * sizeof *d) : NULL;

    open_file();
    if (doubles)
        CALL(nc_get_var_double, ncid, varid, d);
    else
        CALL(nc_get_var_float, ncid, varid, f);
    stop();
    for (size_t i = 0; doubles && i < n; i++)
        f[i] = (float)d[i];
    add(f, n);
}

/* ---- C4: parts of the array ------------------------------------------------------------------------------------- */

static void
read_stride(void)
{
    length start_at[3] = {0, 0, 0}, count[3] = {(length)planes() / 2, Y / 2, X / 2};
    step   by[3] = {2, 2, 2};
    size_t n = planes() / 2 * (Y / 2) * (X / 2);
    float *f = room(n * sizeof *f);

    open_file();
    CALL(nc_get_vars_float, ncid, varid, start_at, count, by, f);
    stop();
    add(f, n);
}

/* `n` boxes of one shape, at places that look random. */
static void
read_boxes(size_t n, size_t nz, size_t ny, size_t nx)
{
    size_t   each = nz * ny * nx;
    float   *f = room(n * each * sizeof *f);
    uint32_t state = 1;

    open_file();
    for (size_t i = 0; i < n; i++) {
        length start_at[3], count[3] = {(length)nz, (length)ny, (length)nx};

        state = state * 1664525u + 1013904223u;
        start_at[0] = (length)((state >> 8) % (planes() - nz + 1));
        start_at[1] = (length)((state >> 4) % (Y - ny + 1));
        start_at[2] = (length)((state >> 12) % (X - nx + 1));
        CALL(nc_get_vara_float, ncid, varid, start_at, count, f + i * each);
    }
    stop();
    add(f, n * each);
}

static void
read_elements(void)
{
    size_t n = 1000000 / divisor;
    float *f = room(n * sizeof *f);

    open_file();
    for (size_t i = 0; i < n; i++) {
        length at[3] = {(length)(i / X / Y % planes()), (length)(i / X % Y), (length)(i % X)};

        CALL(nc_get_var1_float, ncid, varid, at, f + i);
    }
    stop();
    add(f, n);
}

/* ---- C9: the array row by row, a call each ------------------------------------------------------------------------ */

/* `type`: in the file; in memory shorts, floats or doubles. `records`: its first dimension is unlimited. */
static void
write_rows(nc_type type, nc_type mem, bool records)
{
    size_t  n = planes() * Y;
    double *d = room(X * sizeof *d);
    float  *f = (float *)d;
    short  *i = (short *)d;
    int     dim[3];

    for (size_t x = 0; x < X; x++)
        if (mem == NC_DOUBLE)
            d[x] = (double)(x % 30000);
        else if (mem == NC_FLOAT)
            f[x] = value(x);
        else
            i[x] = (short)x;
    start();
    begin_file();
    CALL(nc_def_dim, ncid, "z", records ? NC_UNLIMITED : (length)planes(), &dim[0]);
    CALL(nc_def_dim, ncid, "y", Y, &dim[1]);
    CALL(nc_def_dim, ncid, "x", X, &dim[2]);
    CALL(nc_def_var, ncid, "field", type, 3, dim, &varid);
    CALL(nc_enddef, ncid);
    for (size_t r = 0; r < n; r++) {
        length at[3] = {(length)(r / Y), (length)(r % Y), 0}, count[3] = {1, 1, X};

        if (mem == NC_DOUBLE)
            CALL(nc_put_vara_double, ncid, varid, at, count, d);
        else if (mem == NC_FLOAT)
            CALL(nc_put_vara_float, ncid, varid, at, count, f);
        else
            CALL(nc_put_vara_short, ncid, varid, at, count, i);
    }
    stop();
}

/* ---- C5: records ------------------------------------------------------------------------------------------------ */

/* Defines five variables along an unlimited dimension: of `wide` each, or scalars and one of 100. */
static void
define_fields(size_t wide)
{
    int dim[2];

    begin_file();
    CALL(nc_def_dim, ncid, "time", NC_UNLIMITED, &dim[0]);
    CALL(nc_def_dim, ncid, "x", (length)(wide > 0 ? wide : MANY), &dim[1]);
    for (int v = 0; v < FIELDS; v++) {
        char name[3] = {'v', (char)('0' + v), '\0'};
        int  id;

        CALL(nc_def_var, ncid, name, NC_FLOAT, wide > 0 || v == FIELDS - 1 ? 2 : 1, dim, &id);
    }
    CALL(nc_enddef, ncid);
}

static size_t
width(size_t wide, int v)
{
    return wide > 0 ? wide : v == FIELDS - 1 ? MANY : 1;
}

static void
append_fields(size_t wide, size_t steps)
{
    float *f = room((wide > 0 ? wide : MANY) * sizeof *f);

    for (size_t i = 0; i < (wide > 0 ? wide : MANY); i++)
        f[i] = value(i);
    start();
    define_fields(wide);
    for (size_t t = 0; t < steps; t++)
        for (int v = 0; v < FIELDS; v++) {
            length at[2] = {(length)t, 0}, count[2] = {1, (length)width(wide, v)};

            CALL(nc_put_vara_float, ncid, v, at, count, f);
        }
    stop();
}

static void
read_fields(size_t steps)
{
    float *f = room((FIELDS + MANY) * steps * sizeof *f);
    size_t n = 0;

    open_file();
    for (size_t t = 0; t < steps; t++)
        for (int v = 0; v < FIELDS; v++) {
            length at[2] = {(length)t, 0}, count[2] = {1, (length)width(0, v)};

            CALL(nc_get_vara_float, ncid, v, at, count, f + n);
            n += width(0, v);
        }
    stop();
    add(f, n);
}

static void
append_tiny(void)
{
    size_t n = 100000 / divisor;
    int    dim;

    start();
    begin_file();
    CALL(nc_def_dim, ncid, "time", NC_UNLIMITED, &dim);
    CALL(nc_def_var, ncid, "v", NC_DOUBLE, 1, &dim, &varid);
    CALL(nc_enddef, ncid);
    for (size_t i = 0; i < n; i++) {
        length at = (length)i;
        double d = (double)value(i);

        CALL(nc_put_var1_double, ncid, varid, &at, &d);
    }
    stop();
}

/* ---- C6, C8: many variables; one over a network ------------------------------------------------------------------ */

static void
write_small(int nvars)
{
    float f[SMALL];
    int   dim, id;

    for (size_t i = 0; i < SMALL; i++)
        f[i] = value(i);
    start();
    begin_file();
    CALL(nc_def_dim, ncid, "x", SMALL, &dim);
    for (int v = 0; v < nvars; v++) {
        char name[16];

        snprintf(name, sizeof name, "var%d", v);
        CALL(nc_def_var, ncid, name, NC_FLOAT, 1, &dim, &id);
        CALL(nc_put_att_text, ncid, id, "units", 5, "m s-1");
    }
    CALL(nc_enddef, ncid);
    for (int v = 0; v < nvars; v++)
        CALL(nc_put_var_float, ncid, v, f);
    stop();
}

static void
read_small(int nvars, bool data)
{
    float *f = room((size_t)nvars * SMALL * sizeof *f);
    char   text[16];

    open_file();
    for (int v = 0; v < nvars; v++) {
        CALL(nc_get_att_text, ncid, v, "units", text);
        if (data)
            CALL(nc_get_var_float, ncid, v, f + (size_t)v * SMALL);
        sum += text[0];
    }
    stop();
    if (data)
        add(f, (size_t)nvars * SMALL);
}

/* One value of the last variable. */
static void
read_one(int nvars)
{
    length at = SMALL - 1;
    float  f = 0;
    char   name[16];

    open_file();
    snprintf(name, sizeof name, "var%d", nvars - 1);
    CALL(nc_inq_varid, ncid, name, &varid);
    CALL(nc_get_var1_float, ncid, varid, &at, &f);
    stop();
    add(&f, 1);
}

/* One long array, of 100 MB. */
static size_t
line(void)
{
    return 25000000 / divisor;
}

static void
write_line(void)
{
    float *f = room(line() * sizeof *f);
    int    dim;

    for (size_t i = 0; i < line(); i++)
        f[i] = value(i);
    start();
    begin_file();
    CALL(nc_def_dim, ncid, "x", (length)line(), &dim);
    CALL(nc_def_var, ncid, "field", NC_FLOAT, 1, &dim, &varid);
    CALL(nc_enddef, ncid);
    CALL(nc_put_var_float, ncid, varid, f);
    stop();
}

static void
read_line(void)
{
    float *f = room(line() * sizeof *f);

    open_file();
    CALL(nc_get_var_float, ncid, varid, f);
    stop();
    add(f, line());
}

/* ---- the workloads ----------------------------------------------------------------------------------------------- */

static bool
run(const char *name)
{
    size_t steps = 20000 / divisor;
    int    vars = VARS / (int)divisor;

#define IS(text) (strcmp(name, text) == 0)
    if (IS("C1f"))
        read_array(NC_FLOAT, false);
    else if (IS("C1d"))
        read_array(NC_DOUBLE, true);
    else if (IS("C2f"))
        write_array(NC_FLOAT, false);
    else if (IS("C2d"))
        write_array(NC_DOUBLE, true);
    else if (IS("C3r"))
        read_array(NC_FLOAT, true);
    else if (IS("C3w"))
        write_array(NC_FLOAT, true);
    else if (IS("C4s"))
        read_stride();
    else if (IS("C4b"))
        read_boxes(500 / divisor + 1, 2, 30, 30);
    else if (IS("C4c"))
        read_boxes(100 / divisor + 1, 1, Y, 1);
    else if (IS("C4e"))
        read_elements();
    else if (IS("C5b"))
        append_fields(WIDE / divisor, 20);
    else if (IS("C5s"))
        append_fields(0, steps);
    else if (IS("C5t"))
        append_tiny();
    else if (IS("C5r"))
        read_fields(steps);
    else if (IS("C9f"))
        write_rows(NC_FLOAT, NC_FLOAT, false);
    else if (IS("C9r"))
        write_rows(NC_FLOAT, NC_FLOAT, true);
    else if (IS("C9s"))
        write_rows(NC_SHORT, NC_SHORT, false);
    else if (IS("C9p"))
        write_rows(NC_SHORT, NC_DOUBLE, false);
    else if (IS("C6w"))
        write_small(vars);
    else if (IS("C6r"))
        read_small(vars, true);
    else if (IS("C6o"))
        read_one(vars);
    else if (IS("make-C8o"))
        write_small(100);
    else if (IS("C8o"))
        read_small(100, false);
    else if (IS("make-C8r"))
        write_line();
    else if (IS("C8r"))
        read_line();
    else
        return false;
    return true;
}

int
main(int argc, char **argv)
{
    bool known;

    if (argc != 4)
        return 2;
    path = argv[2];
    divisor = strtoul(argv[3], NULL, 10);
#ifdef BENCH_PNETCDF
    MPI_Init(&argc, &argv);
#endif
    known = divisor > 0 && run(argv[1]);
    free_rooms();
#ifdef BENCH_PNETCDF
    MPI_Finalize();
#endif
    if (known)
        stopwatch_print(&watch, sum);
    return known ? 0 : 2;
}
