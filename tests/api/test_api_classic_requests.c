/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What reads and puts of a classic file cost, and what they see: small arrays in a row, slabs of the same records and
 * rows come, and are stored, with few requests; what another session puts is seen after nc_sync().
 */
#include "api_test.h"

#include "support/scratch.h"

#include <pthread.h>

enum { VARS = 300, SMALL = 10, RECORDS = 3000, FIELDS = 5, SIDE = 1200 };

static nczarr_counts
counts_of(int nc)
{
    nczarr_counts c = {.size = sizeof c};

    OK(nczarr_stats(nc, &c));
    return c;
}

/* Small arrays of several types, so that there is padding between them; every 7th is not put. */
static void
make_small(const char *path)
{
    const nc_type types[] = {NC_FLOAT, NC_SHORT, NC_DOUBLE, NC_BYTE};
    int           nc, dim, id;

    OK(nc_create(path, NC_64BIT_DATA, &nc));
    OK(nc_def_dim(nc, "x", SMALL - 1, &dim));
    for (int v = 0; v < VARS; v++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", v);
        OK(nc_def_var(nc, name, types[v % 4], 1, &dim, &id));
    }
    OK(nc_enddef(nc));
    for (int v = 0; v < VARS; v++) {
        int values[SMALL - 1];

        for (int i = 0; i < SMALL - 1; i++)
            values[i] = v / 4 + i;
        if (v % 7 != 0)
            OK(nc_put_var_int(nc, v, values));
    }
    OK(nc_close(nc));
}

static void
check_small(int nc, int v)
{
    const double fills[] = {NC_FILL_FLOAT, NC_FILL_SHORT, NC_FILL_DOUBLE, NC_FILL_BYTE};
    double       got[SMALL - 1];

    OK(nc_get_var_double(nc, v, got));
    for (int i = 0; i < SMALL - 1; i++)
        assert_true(got[i] == (v % 7 != 0 ? v / 4 + i : (double)(float)fills[v % 4]));
}

TEST(small_arrays)
{
    char         *dir = scratch_new();
    const char   *path = scratch_path(dir, "small.nc");
    nczarr_counts before;
    int           nc;

    make_small(path);
    OK(nc_open(path, NC_NOWRITE, &nc));
    check_small(nc, 0);
    before = counts_of(nc);
    for (int v = 0; v < VARS; v++)
        check_small(nc, v);
    assert_true(counts_of(nc).gets - before.gets < 8);
    for (int v = VARS; v-- > 0;) /* and in no good order */
        check_small(nc, v * 7 % VARS);
    OK(nc_close(nc));

    OK(nc_open(path, NC_WRITE, &nc)); /* one that may be changed */
    for (int v = 0; v < VARS; v++)
        check_small(nc, v);
    OK(nc_put_var1_int(nc, 8, (size_t[]){0}, (const int[]){77}));
    for (int v = 9; v < 14; v++)
        check_small(nc, v);
    OK(nc_close(nc));
    scratch_free(dir);
}

/* ---- puts of small arrays in a row ---- */

enum { MANY = 5000, TEN = 10 };

static void
put_ten(int nc, int v, float base)
{
    float values[TEN];

    for (int i = 0; i < TEN; i++)
        values[i] = base + (float)i;
    OK(nc_put_var_float(nc, v, values));
}

static float
base_of(int v)
{
    return (float)(v * 16);
}

/* What `v` has after change_some(), at one place. */
static float
ten_of(int v, int i)
{
    if (v == MANY - 10)
        return -5 + (float)i;
    if ((v == MANY - 5 || v == 7) && (i == 2 || i == 3 || i == 4))
        return -100 - (float)i;
    return v == MANY - 4 && i % 2 == 1 ? -1 : base_of(v) + (float)i;
}

static void
check_ten(int nc, int v)
{
    float got[TEN];

    OK(nc_get_var_float(nc, v, got));
    for (int i = 0; i < TEN; i++)
        assert_true(got[i] == ten_of(v, i));
}

/* Changes and reads arrays that wait to be stored, and others, in every way. */
static void
change_some(int nc)
{
    const float three[] = {-102, -103, -104}, ones[] = {-1, -1, -1, -1, -1};
    float       got[TEN];

    put_ten(nc, MANY - 10, -5);
    check_ten(nc, MANY - 10);
    OK(nc_put_vara_float(nc, MANY - 5, (size_t[]){2}, (size_t[]){3}, three));
    OK(nc_get_var1_float(nc, MANY - 5, (size_t[]){3}, got));
    assert_true(got[0] == -103);
    check_ten(nc, MANY - 5);
    OK(nc_put_vara_float(nc, 7, (size_t[]){2}, (size_t[]){3}, three));
    OK(nc_put_vars_float(nc, MANY - 4, (size_t[]){1}, (size_t[]){5}, (ptrdiff_t[]){2}, ones));
    put_ten(nc, MANY - 1, base_of(MANY - 1)); /* the next begins here */
    OK(nc_get_vars_float(nc, MANY - 1, (size_t[]){0}, (size_t[]){5}, (ptrdiff_t[]){2}, got));
    assert_true(got[4] == base_of(MANY - 1) + 8);
}

TEST(small_puts)
{
    char         *dir = scratch_new();
    const char   *path = scratch_path(dir, "puts.nc");
    nczarr_counts before;
    size_t        nbytes, nchunks;
    int           nc, dim, id, old;

    OK(nc_create(path, NC_64BIT_DATA, &nc));
    OK(nc_set_fill(nc, NC_NOFILL, &old));
    OK(nc_def_dim(nc, "x", TEN, &dim));
    for (int v = 0; v < MANY; v++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", v);
        OK(nc_def_var(nc, name, NC_FLOAT, 1, &dim, &id));
    }
    OK(nc_enddef(nc));
    before = counts_of(nc);
    for (int v = 0; v < MANY; v++)
        put_ten(nc, v, base_of(v));
    assert_true(counts_of(nc).puts - before.puts < 12);
    OK(nczarr_pending(nc, &nbytes, &nchunks)); /* they wait together */
    assert_true(nbytes <= 1 << 16 && nchunks < 12);
    FAILS(NC_ERANGE, nc_put_var1_double(nc, MANY - 2, (size_t[]){0}, (const double[]){1e300}));
    OK(nc_put_var1_double(nc, MANY - 2, (size_t[]){0}, (const double[]){base_of(MANY - 2)}));
    change_some(nc);
    for (int v = 0; v < MANY; v++)
        check_ten(nc, v);
    OK(nc_close(nc));
    OK(nc_open(path, NC_NOWRITE, &nc));
    for (int v = 0; v < MANY; v++)
        check_ten(nc, v);
    OK(nc_close(nc));
    scratch_free(dir);
}

/* Bytes that came with others are read again after nc_sync(). */
TEST(seen_after_sync)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "small.nc");
    int         reader, writer, got[SMALL - 1];

    make_small(path);
    OK(nc_open(path, NC_NOWRITE | NC_SHARE, &reader));
    for (int v = 1; v < 4; v++)
        check_small(reader, v);
    OK(nc_open(path, NC_WRITE | NC_SHARE, &writer));
    for (int v = 4; v < 10; v++)
        OK(nc_put_var1_int(writer, v, (size_t[]){2}, (const int[]){-99}));
    OK(nc_sync(writer));
    OK(nc_sync(reader));
    for (int v = 4; v < 10; v++) {
        OK(nc_get_var_int(reader, v, got));
        assert_int_equal(got[2], -99);
    }
    OK(nc_close(writer));
    OK(nc_close(reader));
    scratch_free(dir);
}

static void *
read_all_small(void *arg)
{
    int nc = *(const int *)arg;

    for (int round = 0; round < 20; round++)
        for (int v = 0; v < VARS; v++)
            check_small(nc, v);
    return NULL;
}

/* Threads take small arrays out of the same block while others replace it. */
TEST(side_by_side)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "small.nc");
    pthread_t   threads[4];
    int         nc;

    make_small(path);
    OK(nc_open(path, NC_NOWRITE | NC_SHARE, &nc));
    for (size_t i = 0; i < NCZ_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_all_small, &nc), 0);
    for (int i = 0; i < 50; i++)
        OK(nc_sync(nc));
    for (size_t i = 0; i < NCZ_LEN(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    OK(nc_close(nc));
    scratch_free(dir);
}

/* A loop over records and their variables reads the file about once. */
TEST(a_loop_over_records_reads_the_file_once)
{
    char         *dir = scratch_new();
    const char   *path = scratch_path(dir, "records.nc");
    nczarr_counts c;
    int           nc, dim, id;
    double        d;

    OK(nc_create(path, NC_64BIT_OFFSET, &nc));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &dim));
    for (int v = 0; v < FIELDS; v++)
        OK(nc_def_var(nc, (const char[]){(char)('a' + v), 0}, v == 2 ? NC_SHORT : NC_DOUBLE, 1, &dim, &id));
    OK(nc_enddef(nc));
    for (size_t t = 0; t < RECORDS; t++)
        for (int v = 0; v < FIELDS; v++)
            OK(nc_put_var1_double(nc, v, &t, (const double[]){(double)(t * 10 + (size_t)v)}));
    OK(nc_close(nc));

    OK(nc_open(path, NC_NOWRITE, &nc));
    for (size_t t = 0; t < RECORDS; t++)
        for (int v = 0; v < FIELDS; v++) {
            OK(nc_get_var1_double(nc, v, &t, &d));
            assert_true(d == (double)(t * 10 + (size_t)v));
        }
    c = counts_of(nc);
    assert_true(c.bytes_read < 2 * RECORDS * ((FIELDS - 1) * 8 + 4) + (64 << 10));
    OK(nc_close(nc));
    scratch_free(dir);
}

/* Columns of a large array, of which the cache has the chunks in the end. */
TEST(columns_end_up_in_the_cache)
{
    char         *dir = scratch_new();
    const char   *path = scratch_path(dir, "array.nc");
    float        *all = malloc(sizeof(float) * SIDE * SIDE), got[SIDE];
    nczarr_counts before;
    int           nc, dims[2], id;

    assert_non_null(all);
    for (int i = 0; i < SIDE * SIDE; i++)
        all[i] = (float)i;
    OK(nc_create(path, NC_64BIT_OFFSET, &nc));
    OK(nc_def_dim(nc, "y", SIDE, &dims[0]));
    OK(nc_def_dim(nc, "x", SIDE, &dims[1]));
    OK(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &id));
    OK(nc_enddef(nc));
    OK(nc_put_var_float(nc, id, all));
    OK(nc_close(nc));
    OK(nc_open(path, NC_NOWRITE, &nc));
    for (size_t k = 0; k < 20; k++) {
        before = counts_of(nc);
        OK(nc_get_vara_float(nc, id, (size_t[]){0, 17 + k}, (size_t[]){SIDE, 1}, got));
        for (size_t i = 0; i < SIDE; i++)
            assert_true(got[i] == all[i * SIDE + 17 + k]);
    }
    assert_int_equal(counts_of(nc).bytes_read, before.bytes_read);
    assert_true(before.bytes_read < sizeof(float) * SIDE * SIDE * 7);
    OK(nc_close(nc));
    free(all);
    scratch_free(dir);
}

/* After puts that made a dimension longer, one that fails does not end define mode. */
TEST(put_after_growth)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "grow.zarr");
    int         nc, dim, id, more;

    OK(nc_create(path, NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &dim));
    OK(nc_def_var(nc, "v", NC_INT, 1, &dim, &id));
    for (size_t t = 0; t < 4; t++)
        OK(nc_put_var1_int(nc, id, &t, (const int[]){(int)t}));
    OK(nc_redef(nc));
    FAILS(NC_ENOTVAR, nc_put_var1_int(nc, id + 1, (size_t[]){4}, (const int[]){4}));
    FAILS(NC_EINDEFINE, nc_redef(nc));
    OK(nc_def_dim(nc, "more", 2, &more));
    OK(nc_put_var1_int(nc, id, (size_t[]){4}, (const int[]){4}));
    OK(nc_put_var1_int(nc, id, (size_t[]){1}, (const int[]){-1}));
    OK(nc_close(nc));
    scratch_free(dir);
}

/* ---- rows one behind the other --------------------------------------------------------------------------------- */

enum { ROWS = 700, WIDE = 300, WAYS = 6 };

static int
row_value(int v, int r, int i)
{
    return (v * 7 + r * 3 + i) % 30000;
}

/* Two variables, in records or not. */
static void
define_rows(const char *path, bool records, bool fill, int *nc)
{
    int dims[2], id;

    OK(nc_create(path, NC_64BIT_DATA, nc));
    OK(nc_set_fill(*nc, fill ? NC_FILL : NC_NOFILL, NULL));
    OK(nc_def_dim(*nc, "t", records ? NC_UNLIMITED : ROWS, &dims[0]));
    OK(nc_def_dim(*nc, "x", WIDE, &dims[1]));
    OK(nc_def_var(*nc, "a", NC_SHORT, 2, dims, &id));
    OK(nc_def_var(*nc, "b", NC_DOUBLE, 2, dims, &id));
    OK(nc_enddef(*nc));
}

/* Part [from, to) of a row. */
static void
put_part(int nc, int v, int r, int from, int to)
{
    size_t start[2] = {(size_t)r, (size_t)from}, count[2] = {1, (size_t)(to - from)};
    int    values[WIDE];

    for (int i = from; i < to; i++)
        values[i] = row_value(v, r, i);
    OK(nc_put_vara_int(nc, v, start, count, values + from));
}

static void
check_row(int nc, int v, int r)
{
    size_t start[2] = {(size_t)r, 0}, count[2] = {1, WIDE};
    int    got[WIDE];

    OK(nc_get_vara_int(nc, v, start, count, got));
    for (int i = 0; i < WIDE; i++)
        assert_int_equal(got[i], row_value(v, r, i));
}

/* The ways to put them: in turn, each row in two parts, from the last to the first, with reads or syncs in between, and
 * some of them twice, at first with other values. */
static void
put_rows(int nc, int way)
{
    for (int i = 0; i < ROWS * 2; i++) {
        int v = way == 1 ? i / ROWS : i % 2, r = way == 1 ? i % ROWS : i / 2;

        r = way == 2 ? ROWS - 1 - r : r;
        if (way == 5 && r % 3 == 0) {
            size_t start[2] = {(size_t)r, 10}, count[2] = {1, 100};
            int    zeros[100] = {0};

            OK(nc_put_vara_int(nc, v, start, count, zeros));
        }
        put_part(nc, v, r, 0, way == 3 ? 123 : WIDE);
        if (way == 3)
            put_part(nc, v, r, 123, WIDE);
        if (way == 4 && r % 50 == 7)
            check_row(nc, v, r - r % 2);
        if (way == 4 && r % 100 == 99)
            OK(nc_sync(nc));
    }
}

TEST(rows_put_in_any_order_are_there)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "rows.nc");

    for (int k = 0; k < WAYS * 4; k++) {
        int nc;

        define_rows(path, k % 2 == 1, k / 2 % 2 == 1, &nc);
        put_rows(nc, k / 4);
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < 2; v++)
                check_row(nc, v, r);
        OK(nc_close(nc));
        OK(nc_open(path, NC_WRITE, &nc));
        put_rows(nc, (k / 4 + 1) % WAYS);
        OK(nc_close(nc));
        OK(nc_open(path, NC_NOWRITE, &nc));
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < 2; v++)
                check_row(nc, v, r);
        OK(nc_close(nc));
    }
    scratch_free(dir);
}

TEST(rows_one_behind_the_other_are_stored_together)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "rows.nc");

    for (int records = 0; records < 2; records++) {
        nczarr_counts before, after;
        int           nc;

        define_rows(path, records, false, &nc);
        before = counts_of(nc);
        put_rows(nc, records ? 0 : 1);
        after = counts_of(nc);
        assert_int_equal(after.gets, before.gets);
        OK(nc_sync(nc));
        after = counts_of(nc);
        assert_true(after.puts - before.puts <= ROWS * WIDE * 10 / (1 << 16) + 4);
        OK(nc_close(nc));
    }
    scratch_free(dir);
}

static long
size_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    long  size;

    assert_true(f != NULL && fseek(f, 0, SEEK_END) == 0);
    size = ftell(f);
    (void)fclose(f);
    return size;
}

/* File systems store whole pages, and many at once, in less time. */
TEST(stores_of_rows_end_at_multiples_of_64_kib)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "rows.nc");
    uint64_t    begin, before, last;
    int         nc, stores = 0;

    define_rows(path, false, false, &nc);
    put_part(nc, 0, 0, 0, WIDE);
    begin = (uint64_t)size_of(path) - (uint64_t)ROWS * WIDE * 10; /* where the first array does */
    before = last = counts_of(nc).bytes_written;
    for (int r = 1; r < ROWS; r++) {
        uint64_t now;

        put_part(nc, 0, r, 0, WIDE);
        if ((now = counts_of(nc).bytes_written) == last)
            continue;
        assert_int_equal((begin + now - before) % (1 << 16), 0);
        last = now;
        stores++;
    }
    assert_int_equal(stores, ROWS * WIDE * 2 / (1 << 16));
    OK(nc_close(nc));
    scratch_free(dir);
}

/* A value that does not fit is found, whatever waits; the others are put. */
TEST(rows_with_a_value_out_of_range)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "rows.nc");
    int         nc, large[WIDE];

    for (int i = 0; i < WIDE; i++)
        large[i] = i == 200 ? 100000 : row_value(0, 1, i);
    define_rows(path, false, true, &nc);
    put_part(nc, 0, 0, 0, WIDE);
    FAILS(NC_ERANGE, nc_put_vara_int(nc, 0, (size_t[]){1, 0}, (size_t[]){1, WIDE}, large));
    put_part(nc, 0, 2, 0, WIDE);
    put_part(nc, 0, 1, 200, 201);
    for (int r = 0; r < 3; r++)
        check_row(nc, 0, r);
    OK(nc_close(nc));
    scratch_free(dir);
}

typedef struct writer {
    int       nc, first;
    pthread_t thread;
} writer;

static void *
put_every_third(void *arg)
{
    const writer *w = arg;

    for (int r = w->first; r < ROWS; r += 3)
        put_part(w->nc, r % 2, r, 0, WIDE);
    for (int r = w->first; r < ROWS; r += 3)
        put_part(w->nc, 1 - r % 2, r, 0, WIDE);
    return NULL;
}

TEST(rows_of_several_threads)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "rows.nc");
    writer      w[3];
    int         nc;

    define_rows(path, false, false, &nc);
    for (int i = 0; i < 3; i++) {
        w[i] = (writer){.nc = nc, .first = i};
        assert_int_equal(pthread_create(&w[i].thread, NULL, put_every_third, &w[i]), 0);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < 2; v++)
            check_row(nc, v, r);
    OK(nc_close(nc));
    scratch_free(dir);
}
