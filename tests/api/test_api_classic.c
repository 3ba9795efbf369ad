/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic netCDF files, written: the same bytes as netCDF-C 4.9.0 writes for the same calls (tests/data/classic has its
 * files); define mode again, abort, two sessions at one file, memory; what a file has after each.
 */
#include "api_test.h"

#include "support/scratch.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CASES = 10 };

static const struct {
    const char *name, *fragment;
    int         flag, format;
} versions[] = {
    {"cdf1", "#mode=cdf1", 0, NC_FORMAT_CLASSIC},
    {"cdf2", "", NC_64BIT_OFFSET, NC_FORMAT_64BIT_OFFSET},
    {"cdf5", "", NC_64BIT_DATA, NC_FORMAT_64BIT_DATA},
};

typedef struct ids {
    int nc, t, x, y, f, b, sc, s, rs, rd, rc;
} ids;

/* ---- the calls that made tests/data/classic/VERSION-CASE.nc ---- */

static void
define(ids *d, int k)
{
    const double two[2] = {1.5, -2};
    const short  fill = -7;

    if (k % 2 != 0)
        OK(nc_set_fill(d->nc, NC_NOFILL, NULL));
    OK(nc_def_dim(d->nc, "t", NC_UNLIMITED, &d->t));
    OK(nc_def_dim(d->nc, "x", 3, &d->x));
    OK(nc_def_dim(d->nc, "y", 5, &d->y));
    OK(nc_put_att_text(d->nc, NC_GLOBAL, "title", 5, "hello"));
    OK(nc_put_att_double(d->nc, NC_GLOBAL, "d", NC_DOUBLE, 2, two));
    OK(nc_def_var(d->nc, "f", NC_FLOAT, 2, (int[]){d->y, d->x}, &d->f));
    OK(nc_def_var(d->nc, "b", NC_BYTE, 1, &d->x, &d->b));
    OK(nc_def_var(d->nc, "sc", NC_INT, 0, NULL, &d->sc));
    OK(nc_def_var(d->nc, "s", NC_SHORT, 1, &d->x, &d->s));
    OK(nc_put_att_short(d->nc, d->s, "_FillValue", NC_SHORT, 1, &fill));
    if (k >= 2)
        OK(nc_def_var(d->nc, "rs", NC_SHORT, 2, (int[]){d->t, d->x}, &d->rs));
    if (k >= 4)
        OK(nc_def_var(d->nc, "rd", NC_DOUBLE, 1, &d->t, &d->rd));
    if (k >= 6)
        OK(nc_def_var(d->nc, "rc", NC_CHAR, 2, (int[]){d->t, d->y}, &d->rc));
    if (k == 8)
        OK(nc__enddef(d->nc, 1000, 512, 100, 64));
    else
        OK(nc_enddef(d->nc));
}

static void
put(const ids *d, int k)
{
    const float       f[4] = {0, 1.25f, 2.5f, 3.75f};
    const signed char b[3] = {7, 8, 9};
    const short       rs[6] = {1, 2, 3, 4, 5, 6};
    const int         sc = 42, late[5] = {1, 2, 3, 4, 5};
    int               v;

    OK(nc_put_vara_float(d->nc, d->f, (size_t[]){1, 1}, (size_t[]){2, 2}, f));
    OK(nc_put_var_schar(d->nc, d->b, b));
    if (k != 3)
        OK(nc_put_var_int(d->nc, d->sc, &sc));
    if (k >= 2)
        OK(nc_put_vara_short(d->nc, d->rs, (size_t[]){0, 0}, (size_t[]){2, 3}, rs));
    if (k >= 4)
        OK(nc_put_var1_double(d->nc, d->rd, (size_t[]){3}, (const double[]){9.5}));
    if (k >= 6)
        OK(nc_put_vara_text(d->nc, d->rc, (size_t[]){1, 1}, (size_t[]){1, 2}, "zz"));
    if (k == 7) {
        OK(nc_sync(d->nc));
        for (size_t i = 4; i < 300; i++)
            OK(nc_put_var1_double(d->nc, d->rd, &i, (const double[]){(double)i}));
    }
    if (k == 9) {
        OK(nc_redef(d->nc));
        OK(nc_def_var(d->nc, "late", NC_INT, 1, &d->y, &v));
        OK(nc_put_att_text(d->nc, NC_GLOBAL, "more", 12, "some more txt"));
        OK(nc_enddef(d->nc));
        OK(nc_put_var_int(d->nc, v, late));
    }
}

static void
check_bytes(const char *what, const void *got, size_t n, size_t version, int k)
{
    char   name[400];
    char  *want;
    size_t nwant = 0, i = 0;

    snprintf(name, sizeof name, "classic/%s-%d.nc", versions[version].name, k);
    want = test_data(name, &nwant);
    while (i < n && i < nwant && ((const char *)got)[i] == want[i])
        i++;
    if (n != nwant || i < n)
        fail_msg("%s of case %d in %s: %zu bytes, not %zu; byte %zu differs", what, k, versions[version].name, n,
                 nwant, i);
    free(want);
}

static void
check_file(const char *path, size_t version, int k)
{
    size_t n = 0;
    char  *got = scratch_read(path, &n);

    assert_non_null(got);
    check_bytes("the file", got, n, version, k);
    free(got);
}

TEST(same_bytes)
{
    char *dir = scratch_new();

    for (size_t v = 0; v < NCZ_LEN(versions); v++)
        for (int k = 0; k < CASES; k++) {
            char path[300], url[400];
            ids  d = {0};
            int  format;

            snprintf(path, sizeof path, "%s/%s-%d.bin", dir, versions[v].name, k);
            snprintf(url, sizeof url, "%s%s", path, versions[v].fragment);
            OK(nc_create(url, NC_CLOBBER | versions[v].flag, &d.nc));
            define(&d, k);
            put(&d, k);
            OK(nc_inq_format(d.nc, &format));
            assert_int_equal(format, versions[v].format);
            OK(nc_close(d.nc));
            check_file(path, v, k);
        }
    assert_int_equal(scratch_count(dir), NCZ_LEN(versions) * CASES); /* and nothing beside them */
    scratch_free(dir);
}

/* ---- memory ---- */

TEST(in_memory)
{
    char *dir = scratch_new();

    for (size_t v = 1; v < NCZ_LEN(versions); v++)
        for (int k = 0; k < CASES; k++) {
            NC_memio info = {.memory = NULL};
            ids      d = {0};
            char    *path = scratch_path(dir, "kept.bin");

            OK(nc_create_mem("x", versions[v].flag, 100, &d.nc));
            define(&d, k);
            put(&d, k);
            OK(nc_close_memio(d.nc, &info));
            check_bytes("the block", info.memory, info.size, v, k);
            free(info.memory);

            OK(nc_create(path, NC_DISKLESS | NC_PERSIST | versions[v].flag, &d.nc));
            define(&d, k);
            put(&d, k);
            assert_false(scratch_exists(path));
            OK(nc_close(d.nc));
            check_file(path, v, k);
            scratch_remove(path);
        }
    scratch_free(dir);
}

/* ---- define mode again ---- */

/* Makes the file of a case, and opens it to be changed. */
static char *
open_case(const char *dir, size_t version, int k, ids *d)
{
    char *path = scratch_path(dir, "f.bin");

    OK(nc_create(path, NC_CLOBBER | versions[version].flag, &d->nc));
    define(d, k);
    put(d, k);
    OK(nc_close(d->nc));
    OK(nc_open(path, NC_WRITE, &d->nc));
    return path;
}

TEST(abort_leaves_the_file_as_it_was)
{
    char *dir = scratch_new(), *path;
    ids   d = {0};
    int   v;

    path = open_case(dir, 1, 6, &d);
    OK(nc_redef(d.nc));
    OK(nc_def_var(d.nc, "more", NC_DOUBLE, 1, &d.x, &v));
    OK(nc_del_att(d.nc, NC_GLOBAL, "title"));
    OK(nc_abort(d.nc));
    check_file(path, 1, 6); /* as before */

    OK(nc_open(path, NC_WRITE, &d.nc));
    OK(nc_abort(d.nc)); /* outside define mode: closed */
    check_file(path, 1, 6);

    scratch_remove(path);
    OK(nc_create(path, NC_64BIT_DATA, &d.nc));
    define(&d, 6);
    OK(nc_redef(d.nc));
    OK(nc_abort(d.nc));
    OK(nc_create(scratch_path(dir, "g.bin"), NC_64BIT_DATA, &d.nc));
    OK(nc_abort(d.nc));
    assert_false(scratch_exists(scratch_path(dir, "g.bin")));
    scratch_free(dir);
}

/* Definitions that need room move all data; what was there stays. */
TEST(definitions_that_need_room_move_all_data)
{
    static char text[5000];
    char       *dir = scratch_new(), *path;

    memset(text, 'a', sizeof text);
    for (size_t version = 1; version < NCZ_LEN(versions); version++) {
        ids    d = {0};
        int    v, ndims;
        double rd[300], more[300] = {0};
        short  rs[6];
        size_t n;

        path = open_case(dir, version, 7, &d);
        OK(nc_redef(d.nc));
        OK(nc_put_att_text(d.nc, NC_GLOBAL, "history", sizeof text, text));
        OK(nc_def_var(d.nc, "more", NC_DOUBLE, 1, &d.t, &v));
        OK(nc_rename_var(d.nc, d.rc, "a longer name than before"));
        OK(nc_enddef(d.nc));
        OK(nc_put_var1_double(d.nc, v, (size_t[]){299}, (const double[]){7}));
        OK(nc_close(d.nc));

        OK(nc_open(path, NC_NOWRITE, &d.nc));
        OK(nc_inq_ndims(d.nc, &ndims));
        OK(nc_inq_attlen(d.nc, NC_GLOBAL, "history", &n));
        assert_true(ndims == 3 && n == sizeof text);
        OK(nc_get_var_double(d.nc, d.rd, rd));
        OK(nc_get_vara_short(d.nc, d.rs, (size_t[]){0, 0}, (size_t[]){2, 3}, rs));
        OK(nc_get_var_double(d.nc, v, more));
        for (int i = 3; i < 300; i++)
            assert_true(rd[i] == (i == 3 ? 9.5 : i));
        assert_true(rs[0] == 1 && rs[5] == 6 && more[299] == 7 && more[298] == (double)NC_FILL_DOUBLE);
        OK(nc_close(d.nc));
        assert_int_equal(scratch_count(dir), 1);
    }
    scratch_free(dir);
}

/* In data mode what has the same size, or less, can be changed. */
TEST(in_data_mode)
{
    char *dir = scratch_new(), *path;
    ids   d = {0};
    char  name[NC_MAX_NAME + 1], title[6] = "";

    path = open_case(dir, 2, 2, &d);
    OK(nc_put_att_text(d.nc, NC_GLOBAL, "title", 5, "HELLO"));
    OK(nc_rename_var(d.nc, d.b, "c"));
    FAILS(NC_ENOTINDEFINE, nc_rename_var(d.nc, d.b, "longer"));
    FAILS(NC_ENOTINDEFINE, nc_put_att_text(d.nc, NC_GLOBAL, "title", 9, "too large"));
    FAILS(NC_ENOTINDEFINE, nc_def_dim(d.nc, "z", 1, NULL));
    OK(nc_put_var1_short(d.nc, d.rs, (size_t[]){4, 2}, (const short[]){5}));
    OK(nc_close(d.nc));
    OK(nc_open(path, NC_NOWRITE, &d.nc));
    OK(nc_inq_varname(d.nc, d.b, name));
    OK(nc_get_att_text(d.nc, NC_GLOBAL, "title", title));
    assert_string_equal(name, "c");
    assert_string_equal(title, "HELLO");
    OK(nc_inq_dimlen(d.nc, d.t, (size_t[]){0}));
    FAILS(NC_EPERM, nc_put_var1_short(d.nc, d.rs, (size_t[]){0, 0}, (const short[]){5}));
    OK(nc_close(d.nc));
    scratch_free(dir);
}

/* Names that netCDF-4 keeps for its own use are a classic file's attributes like others. */
TEST(names_of_netcdf4)
{
    static const char *const names[] = {"_NCProperties", "_Format", "_nc3_strict", "CLASS", "_ARRAY_DIMENSIONS"};
    char                    *dir = scratch_new(), *path = scratch_path(dir, "f.bin");
    ids                      d = {0};
    int                      n, var;
    char                     name[NC_MAX_NAME + 1];

    OK(nc_create(path, NC_64BIT_OFFSET, &d.nc));
    OK(nc_def_var(d.nc, "v", NC_INT, 0, NULL, &var));
    for (int v = NC_GLOBAL; v <= var; v++)
        for (size_t i = 0; i < NCZ_LEN(names); i++)
            OK(nc_put_att_text(d.nc, v, names[i], 1, "x"));
    OK(nc_close(d.nc));
    OK(nc_open(path, NC_WRITE, &d.nc));
    for (int v = NC_GLOBAL; v <= var; v++) {
        OK(nc_inq_varnatts(d.nc, v, &n));
        assert_int_equal(n, NCZ_LEN(names));
        OK(nc_inq_attname(d.nc, v, 0, name));
        assert_string_equal(name, names[0]);
    }
    OK(nc_redef(d.nc));
    OK(nc_del_att(d.nc, var, "_NCProperties"));
    OK(nc_rename_att(d.nc, NC_GLOBAL, "CLASS", "_IsNetcdf4"));
    OK(nc_close(d.nc));
    scratch_free(dir);
}

/* ---- two sessions ---- */

TEST(two_sessions)
{
    char  *dir = scratch_new(), *path = scratch_path(dir, "f.bin");
    ids    d = {0};
    int    reader, late;
    size_t n;
    double got;

    OK(nc_create(path, NC_64BIT_OFFSET | NC_SHARE, &d.nc));
    define(&d, 4); /* which ends with nc_enddef() */
    OK(nc_open(path, NC_SHARE, &reader));
    for (size_t i = 0; i < 40; i++) {
        OK(nc_put_var1_double(d.nc, d.rd, &i, (const double[]){(double)i}));
        OK(nc_sync(reader));
        OK(nc_inq_dimlen(reader, d.t, &n));
        assert_int_equal(n, i + 1);
        OK(nc_get_var1_double(reader, d.rd, &i, &got));
        assert_true(got == (double)i);
    }
    OK(nc_close(reader));
    OK(nc_redef(d.nc)); /* all moves into a new file */
    OK(nc_def_var(d.nc, "late", NC_DOUBLE, 2, (int[]){d.t, d.x}, &late));
    OK(nc_enddef(d.nc));
    OK(nc_open(path, NC_SHARE, &reader));
    OK(nc_put_var1_double(d.nc, late, (size_t[]){50, 2}, (const double[]){5}));
    OK(nc_sync(reader));
    OK(nc_get_var1_double(reader, late, (size_t[]){50, 2}, &got));
    assert_true(got == 5);
    OK(nc_close(reader));
    OK(nc_close(d.nc));
    scratch_free(dir);
}

/* Two writers with NC_SHARE put different records: neither puts what it has read of the other's. */
TEST(two_writers)
{
    char *dir = scratch_new(), *path;
    ids   d = {0};
    int   other, reader;

    for (size_t version = 1; version < NCZ_LEN(versions); version++)
        for (int k = 4; k < 8; k += 3) { /* records of two variables, and 300 of three */
            double got[4];
            float  f[15];

            path = open_case(dir, version, k, &d);
            OK(nc_close(d.nc));
            OK(nc_open(path, NC_WRITE | NC_SHARE, &d.nc));
            OK(nc_open(path, NC_WRITE | NC_SHARE, &other));
            OK(nc_put_var1_double(d.nc, d.rd, (size_t[]){0}, (const double[]){1}));
            OK(nc_put_var1_float(d.nc, d.f, (size_t[]){0, 0}, (const float[]){1}));
            OK(nc_put_vara_double(other, d.rd, (size_t[]){1}, (size_t[]){2}, (const double[]){5, 6}));
            OK(nc_put_var1_float(other, d.f, (size_t[]){4, 2}, (const float[]){7}));
            OK(nc_put_var1_double(d.nc, d.rd, (size_t[]){0}, (const double[]){9}));
            OK(nc_put_var1_float(d.nc, d.f, (size_t[]){0, 0}, (const float[]){8}));
            OK(nc_open(path, NC_NOWRITE, &reader));
            OK(nc_get_vara_double(reader, d.rd, (size_t[]){0}, (size_t[]){4}, got));
            OK(nc_get_var_float(reader, d.f, f));
            assert_true(got[0] == 9 && got[1] == 5 && got[2] == 6 && got[3] == 9.5);
            assert_true(f[0] == 8 && f[14] == 7 && f[4] == 0);
            OK(nc_close(reader));
            OK(nc_close(other));
            OK(nc_close(d.nc));
        }
    scratch_free(dir);
}

/* Without fsync a new file is there after nc_sync() all the same, and so is one that definitions have moved. */
TEST(not_durable)
{
    char *dir = scratch_new(), *path = scratch_path(dir, "f.bin"), url[400];
    ids   d = {0};
    int   reader, late;

    snprintf(url, sizeof url, "file://%s#mode=cdf2&durability=none", path);
    OK(nc_create(url, 0, &d.nc));
    define(&d, 4);
    OK(nc_sync(d.nc));
    assert_true(scratch_exists(path));
    OK(nc_redef(d.nc));
    OK(nc_def_var(d.nc, "late", NC_INT, 0, NULL, &late));
    OK(nc_enddef(d.nc));
    OK(nc_sync(d.nc));
    OK(nc_open(path, NC_NOWRITE, &reader));
    OK(nc_inq_varid(reader, "late", &late));
    OK(nc_close(reader));
    OK(nc_close(d.nc));
    assert_int_equal(scratch_count(dir), 1);
    scratch_free(dir);
}

/* A file whose writer did not know the number of records gets it; and the directory that a path began at need not be
 * the current one. */
TEST(other_writers)
{
    char *dir = scratch_new(), *path, here[500];
    ids   d = {0};
    char  name[400], *bytes;

    for (size_t version = 1; version < NCZ_LEN(versions); version++) {
        size_t n = 0, len = 0;

        snprintf(name, sizeof name, "classic/%s-6.nc", versions[version].name);
        bytes = test_data(name, &n);
        memset(bytes + 4, 0xff, versions[version].format == NC_FORMAT_64BIT_DATA ? 8 : 4);
        path = scratch_path(dir, "s.bin");
        scratch_write(path, bytes, n);
        free(bytes);
        OK(nc_open(path, NC_WRITE, &d.nc));
        OK(nc_inq_dimlen(d.nc, 0, &len));
        assert_int_equal(len, 4);
        OK(nc_put_var1_double(d.nc, 5, (size_t[]){4}, (const double[]){3}));
        OK(nc_close(d.nc));
        bytes = scratch_read(path, &n);
        assert_int_equal((unsigned char)bytes[versions[version].format == NC_FORMAT_64BIT_DATA ? 11 : 7], 5);
        assert_int_equal((unsigned char)bytes[4], 0);
        free(bytes);
    }

    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(dir), 0);
    OK(nc_open("s.bin", NC_WRITE, &d.nc));
    assert_int_equal(chdir("/"), 0);
    OK(nc_redef(d.nc));
    OK(nc_def_var(d.nc, "late", NC_INT, 0, NULL, NULL));
    OK(nc_close(d.nc));
    assert_int_equal(chdir(here), 0);
    OK(nc_open(scratch_path(dir, "s.bin"), NC_NOWRITE, &d.nc));
    OK(nc_inq_varid(d.nc, "late", &d.sc));
    OK(nc_close(d.nc));
    scratch_free(dir);
}

/* What a new file may replace. */
TEST(a_new_file_replaces_only_what_it_may)
{
    char *dir = scratch_new(), *path = scratch_path(dir, "f.bin");
    ids   d = {0};

    scratch_write(path, "a letter", 8);
    FAILS(NC_EEXIST, nc_create(path, NC_64BIT_DATA, &d.nc));
    FAILS(NC_EEXIST, nc_create(dir, NC_64BIT_DATA, &d.nc));
    FAILS(NC_ENOTNC, nc_delete(path));
    scratch_write(path, "", 0);
    FAILS(NC_EEXIST, nc_create(path, NC_64BIT_DATA | NC_NOCLOBBER, &d.nc));
    OK(nc_create(path, NC_64BIT_DATA, &d.nc));
    OK(nc_close(d.nc)); /* in define mode, which ends it */
    OK(nc_open(path, NC_NOWRITE, &d.nc));
    OK(nc_close(d.nc));
    OK(nc_create(path, NC_64BIT_OFFSET, &d.nc)); /* over a file of another version */
    define(&d, 0);
    put(&d, 0);
    OK(nc_close(d.nc));
    check_file(path, 1, 0);
    OK(nc_delete(path));
    assert_false(scratch_exists(path));
    OK(nc_create(path, NC_64BIT_OFFSET, &d.nc));
    assert_int_equal(mkdir(path, 0700), 0); /* by somebody else, meanwhile */
    scratch_write(scratch_path(path, "notes.txt"), "mine", 4);
    assert_int_not_equal(nc_close(d.nc), NC_NOERR);
    assert_int_equal(scratch_count(dir), 1); /* what could not get its name is gone */
    scratch_remove(path);
    FAILS(ENOENT, nc_open(scratch_path(dir, "x.nc"), NC_NOWRITE, &d.nc));
    FAILS(ENOENT, nc_delete(scratch_path(dir, "x.nc")));
    FAILS(NC_ENOOBJECT, nc_open(scratch_path(dir, "x.zarr"), NC_NOWRITE, &d.nc));
    scratch_free(dir);
}

/* A new dataset replaces one of the other kind: a file a directory, a directory a file. What else is there stays. */
TEST(kinds_replaced)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "k.nc"), *inside = scratch_path(path, "notes.txt"),
               *link = scratch_path(dir, "link.nc");
    char zarr[300];
    ids  d = {0};
    int  format = 0;

    snprintf(zarr, sizeof zarr, "%s#mode=nczarr", path);
    for (int i = 0; i < 2; i++) {
        OK(nc_create(path, NC_64BIT_OFFSET, &d.nc));
        define(&d, 0);
        put(&d, 0);
        OK(nc_close(d.nc));
        check_file(path, 1, 0);
        FAILS(NC_EEXIST, nc_create(zarr, NC_NETCDF4 | NC_NOCLOBBER, &d.nc));
        check_file(path, 1, 0);
        OK(nc_create(zarr, NC_NETCDF4, &d.nc));
        OK(nc_close(d.nc));
        OK(nc_open(path, NC_NOWRITE, &d.nc));
        OK(nc_inq_format(d.nc, &format));
        assert_int_equal(format, NC_FORMAT_NETCDF4);
        OK(nc_close(d.nc));
    }
    FAILS(NC_EEXIST, nc_create(path, NC_64BIT_OFFSET | NC_NOCLOBBER, &d.nc));
    scratch_write(inside, "mine", 4);
    FAILS(NC_EEXIST, nc_create(path, NC_64BIT_OFFSET, &d.nc));
    assert_true(scratch_exists(inside));

    path = scratch_path(dir, "to.nc");
    OK(nc_create(path, NC_64BIT_OFFSET, &d.nc));
    define(&d, 0);
    put(&d, 0);
    OK(nc_close(d.nc));
    assert_int_equal(symlink("to.nc", link), 0);
    snprintf(zarr, sizeof zarr, "%s#mode=nczarr", link);
    OK(nc_create(zarr, NC_NETCDF4, &d.nc)); /* through the link, which stays */
    OK(nc_close(d.nc));
    assert_true(scratch_exists(scratch_path(dir, "to.nc/.zgroup")));
    OK(nc_create(link, NC_64BIT_OFFSET, &d.nc));
    define(&d, 0);
    put(&d, 0);
    OK(nc_close(d.nc));
    check_file(path, 1, 0);
    scratch_free(dir);
}

/* An older file, changed in memory: its bytes stay, or are those of memory at the end, or are a block's. */
TEST(changed_in_memory)
{
    char       *dir = scratch_new();
    const char *path = scratch_path(dir, "m.nc");
    NC_memio    block = {0};
    ids         d = {0};
    int         dimid;

    OK(nc_create(path, NC_64BIT_OFFSET, &d.nc));
    define(&d, 0);
    put(&d, 0);
    OK(nc_close(d.nc));
    OK(nc_open(path, NC_DISKLESS | NC_WRITE, &d.nc));
    OK(nc_redef(d.nc));
    OK(nc_def_dim(d.nc, "more", 7, &dimid));
    OK(nc_close(d.nc));
    check_file(path, 1, 0);

    block.memory = scratch_read(path, &block.size);
    OK(nc_open_memio("m", NC_WRITE, &block, &d.nc));
    OK(nc_redef(d.nc));
    OK(nc_def_dim(d.nc, "more", 7, &dimid));
    OK(nc_enddef(d.nc));
    OK(nc_close_memio(d.nc, &block));
    OK(nc_open_mem("m", NC_NOWRITE, block.size, block.memory, &d.nc));
    OK(nc_inq_dimid(d.nc, "more", &dimid));
    OK(nc_close(d.nc));
    free(block.memory);

    OK(nc_create(path, NC_DISKLESS | NC_PERSIST, &d.nc));
    OK(nc_enddef(d.nc));
    OK(nc_redef(d.nc));
    OK(nc_def_dim(d.nc, "first", 7, &dimid));
    OK(nc_close(d.nc));
    OK(nc_open(path, NC_DISKLESS | NC_PERSIST | NC_WRITE, &d.nc));
    OK(nc_redef(d.nc));
    OK(nc_def_dim(d.nc, "more", 7, &dimid));
    OK(nc_close(d.nc));
    OK(nc_open(path, NC_NOWRITE, &d.nc));
    OK(nc_inq_dimid(d.nc, "more", &dimid));
    assert_int_equal(dimid, 1);
    OK(nc_close(d.nc));
    scratch_free(dir);
}

/* nczarr_grow_dim() before any data: what is not put is fill, or with NC_NOFILL anything; what is put is there. */
TEST(grown_first)
{
    char       *dir = scratch_new(), path[300];
    const int   put[3] = {7, 8, 9};
    const short most = NC_FILL_SHORT;

    snprintf(path, sizeof path, "%s/g.nc", dir);
    for (int i = 0; i < 6; i++) {
        int    nc, t, a, b, got[3];
        short  other[3];
        size_t n;

        OK(nc_create(path, versions[i % 3].flag | NC_CLOBBER, &nc));
        OK(nc_set_fill(nc, i < 3 ? NC_FILL : NC_NOFILL, NULL));
        OK(nc_def_dim(nc, "t", NC_UNLIMITED, &t));
        OK(nc_def_var(nc, "a", NC_INT, 1, &t, &a));
        OK(nc_def_var(nc, "b", NC_SHORT, 1, &t, &b));
        OK(nc_enddef(nc));
        OK(nczarr_grow_dim(nc, t, 3));
        OK(nc_put_var_int(nc, a, put));
        OK(nc_close(nc));
        OK(nc_open(path, NC_NOWRITE, &nc));
        OK(nc_inq_dimlen(nc, t, &n));
        assert_int_equal(n, 3);
        OK(nc_get_var_int(nc, a, got));
        assert_memory_equal(got, put, sizeof put);
        OK(nc_get_var_short(nc, b, other));
        for (int k = 0; k < 3 && i < 3; k++)
            assert_int_equal(other[k], most);
        OK(nc_close(nc));
    }
    scratch_free(dir);
}

/* The number of records is in the file although no variable has them, and what it cannot hold is refused. */
TEST(grown_alone)
{
    char  *dir = scratch_new(), path[300];
    int    nc, t;
    size_t n;

    snprintf(path, sizeof path, "%s/g.nc", dir);
    OK(nc_create(path, NC_64BIT_OFFSET, &nc));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &t));
    OK(nc_enddef(nc));
    OK(nczarr_grow_dim(nc, t, 5));
#if SIZE_MAX > 0xFFFFFFFF
    FAILS(NC_EVARSIZE, nczarr_grow_dim(nc, t, (size_t)1 << 33));
#endif
    OK(nc_close(nc));
    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_inq_dimlen(nc, t, &n));
    assert_int_equal(n, 5);
    OK(nc_close(nc));
    scratch_free(dir);
}
