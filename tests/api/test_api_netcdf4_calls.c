/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs of netCDF-C expect of calls on netCDF-4 files, and what libhdf5 needs to read them. */
#include "api_test.h"

#include "support/scratch.h"

#include <stdlib.h>
#include <string.h>

static const char *
url_of(const char *name)
{
    static char url[512];

    (void)snprintf(url, sizeof url, "file://%s#mode=netcdf4", scratch_path(scratch_dir, name));
    return url;
}

static int
create(const char *name)
{
    int ncid;

    OK(nc_create(url_of(name), NC_NETCDF4, &ncid));
    return ncid;
}

static int
reopen(int ncid, const char *name, int mode)
{
    OK(nc_close(ncid));
    OK(nc_open(url_of(name), mode, &ncid));
    return ncid;
}

/* Quantization is known after the file was opened again, and rounds what is put then. */
TEST(quantized)
{
    int ncid = create("quantized.nc"), dim, varid, mode = 9, nsd = 9;

    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &varid));
    OK(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_BITGROOM, 3));
    ncid = reopen(ncid, "quantized.nc", NC_WRITE);
    OK(nc_inq_var_quantize(ncid, varid, &mode, &nsd));
    assert_int_equal(mode, NC_QUANTIZE_BITGROOM);
    assert_int_equal(nsd, 3);
    OK(nc_close(ncid));
}

/* NCO renames the attribute of a packed variable. */
TEST(fill_of_another_type)
{
    int     ncid = create("packed.nc"), dim, varid, no_fill = 9;
    float   missing = 1e20f, got = 0;
    short   value = 5, read = 0, fill = 0;
    nc_type type;

    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_def_var(ncid, "v", NC_SHORT, 1, &dim, &varid));
    OK(nc_put_att_float(ncid, varid, "other", NC_FLOAT, 1, &missing));
    FAILS(NC_EBADTYPE, nc_put_att_float(ncid, varid, "_FillValue", NC_FLOAT, 1, &missing));
    OK(nc_rename_att(ncid, varid, "other", "_FillValue"));
    OK(nc_put_var1_short(ncid, varid, (size_t[]){1}, &value));
    ncid = reopen(ncid, "packed.nc", NC_NOWRITE);
    OK(nc_inq_atttype(ncid, varid, "_FillValue", &type));
    assert_int_equal(type, NC_FLOAT);
    OK(nc_get_att_float(ncid, varid, "_FillValue", &got));
    assert_true(got == missing);
    OK(nc_inq_var_fill(ncid, varid, &no_fill, &fill));
    assert_int_equal(fill, NC_FILL_SHORT);
    OK(nc_get_var1_short(ncid, varid, (size_t[]){1}, &read));
    assert_int_equal(read, 5);
    OK(nc_close(ncid));
}

TEST(strings_have_fill)
{
    int ncid = create("nofill.nc"), varid;

    OK(nc_def_var(ncid, "v", NC_STRING, 0, NULL, &varid));
    FAILS(NC_EINVAL, nc_def_var_fill(ncid, varid, NC_NOFILL, NULL));
    OK(nc_def_var(ncid, "w", NC_INT, 0, NULL, &varid));
    OK(nc_def_var_fill(ncid, varid, NC_NOFILL, NULL));
    OK(nc_close(ncid));
}

/* HDF5 has no such types. What else was defined is stored. */
TEST(types_without_members)
{
    int           ncid = create("types.nc"), type, dim;
    unsigned char one = 1;

    OK(nc_def_enum(ncid, NC_UBYTE, "e", &type));
    FAILS(NC_EINVAL, nc_enddef(ncid));
    OK(nc_insert_enum(ncid, type, "one", &one));
    OK(nc_enddef(ncid));
    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_compound(ncid, 4, "c", &type));
    FAILS(NC_EINVAL, nc_close(ncid));
    OK(nc_open(url_of("types.nc"), NC_NOWRITE, &ncid));
    OK(nc_inq_dimid(ncid, "x", &dim));
    OK(nc_inq_typeid(ncid, "e", &type));
    OK(nc_close(ncid));
}

/* A variable that is too large for one piece may get chunks. */
TEST(large_until_chunked)
{
    int          ncid = create("large.nc"), dims[3], varid, storage;
    const size_t len[3] = {1804289383, 846930886, 1681692777};
    size_t       chunk[3];
    const char  *names[3] = {"x", "y", "z"};

    for (int d = 0; d < 3; d++)
        OK(nc_def_dim(ncid, names[d], len[d], &dims[d]));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 3, dims, &varid));
    FAILS(NC_EVARSIZE, nc_enddef(ncid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, NULL));
    OK(nc_inq_var_chunking(ncid, varid, &storage, chunk));
    assert_int_equal(storage, NC_CHUNKED);
    assert_true(chunk[0] > 1 && chunk[0] < 1000 && chunk[1] > 1 && chunk[2] > 1);
    OK(nc_enddef(ncid));
    OK(nc_close(ncid));
}

/* ---- a file that another program cuts while it is open ---- */

enum { CUT_LEN = 1 << 16 };

/* The last values of a file that has lost its second half since it was opened, and the first ones, which are there. */
static void
check_cut(int storage, int level)
{
    const char  *path = scratch_path(scratch_dir, "cut.nc");
    const size_t chunk = CUT_LEN / 8, first = 0, last = CUT_LEN - 1;
    int          ncid = create("cut.nc"), dim, varid, got = 0, rc;
    unsigned     value = 1;
    int         *values = malloc(CUT_LEN * sizeof *values);
    char        *bytes;
    size_t       n;

    assert_non_null(values);
    for (size_t i = 0; i < CUT_LEN; i++)
        values[i] = (int)((value = value * 1664525 + 1013904223) >> 4);
    OK(nc_def_dim(ncid, "x", CUT_LEN, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    OK(nc_def_var_chunking(ncid, varid, storage, &chunk));
    if (level > 0)
        OK(nc_def_var_deflate(ncid, varid, 1, 1, level));
    OK(nc_put_var_int(ncid, varid, values));
    ncid = reopen(ncid, "cut.nc", NC_NOWRITE);
    OK(nc_get_var1_int(ncid, varid, &first, &got));
    assert_non_null(bytes = scratch_read(path, &n));
    scratch_write(path, bytes, n / 2);
    FAILS(NC_ETRUNC, nc_get_var1_int(ncid, varid, &last, &got));
    assert_non_null(strstr(nczarr_errmsg(), "/v: chunk"));
    rc = nc_get_var_int(ncid, varid, values); /* the new time of the file may be seen first */
    assert_true(rc == NC_ETRUNC || rc == NC_EIO);
    if (storage == NC_CHUNKED) {
        OK(nc_get_var1_int(ncid, varid, &first, &got));
        assert_int_equal(got, (int)((1664525u + 1013904223u) >> 4));
    }
    OK(nc_close(ncid));
    free(bytes);
    free(values);
}

TEST(cut_while_it_is_open)
{
    check_cut(NC_CONTIGUOUS, 0);
    check_cut(NC_CHUNKED, 0);
    check_cut(NC_CHUNKED, 1);
}

/* ---- strings: chunks that libhdf5 cannot fill
 * ---------------------------------------------------------------------- */

static int
count_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *n)
{
    (void)index, (void)key, (void)offset, (void)length;
    ++*(int *)n;
    return NC_NOERR;
}

static int
count_chunks(int ncid, int varid)
{
    int n = 0;

    OK(nczarr_list_var_chunks(ncid, varid, count_chunk, &n));
    return n;
}

static int
define_strings(int ncid, size_t len, size_t chunk, const char *fill)
{
    int dim, varid;

    OK(nc_def_dim(ncid, "x", len, &dim));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &varid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, &chunk));
    if (fill != NULL)
        OK(nc_def_var_fill(ncid, varid, NC_FILL, &fill));
    return varid;
}

static void
check_string(int ncid, int varid, size_t at, const char *expected)
{
    char *got = NULL;

    OK(nc_get_var1_string(ncid, varid, &at, &got));
    assert_string_equal(got, expected);
    OK(nc_free_string(1, &got));
}

static void
put_string(int ncid, int varid, size_t at, const char *value)
{
    OK(nc_put_var1_string(ncid, varid, &at, &value));
}

/* One of two chunks has only the fill value. */
TEST(chunks_of_empty_strings)
{
    int         ncid = create("empty.nc"), varid = define_strings(ncid, 4, 3, NULL);
    const char *values[4] = {"a", "", "c", ""};

    OK(nc_put_var_string(ncid, varid, values));
    ncid = reopen(ncid, "empty.nc", NC_NOWRITE);
    assert_int_equal(count_chunks(ncid, varid), 2);
    check_string(ncid, varid, 0, "a");
    check_string(ncid, varid, 3, "");
    OK(nc_close(ncid));
}

TEST(chunks_never_put)
{
    int ncid = create("never.nc"), varid = define_strings(ncid, 10, 3, NULL);

    ncid = reopen(ncid, "never.nc", NC_NOWRITE);
    assert_int_equal(count_chunks(ncid, varid), 4);
    check_string(ncid, varid, 9, "");
    OK(nc_close(ncid));
}

/* Records that were left out, in several sessions; those behind the last one are not there. */
TEST(records_left_out)
{
    int ncid = create("records.nc"), varid = define_strings(ncid, NC_UNLIMITED, 2, "none"), dim, other;

    OK(nc_inq_dimid(ncid, "x", &dim));
    OK(nc_def_var(ncid, "other", NC_INT, 1, &dim, &other));
    put_string(ncid, varid, 7, "seven");
    ncid = reopen(ncid, "records.nc", NC_WRITE);
    assert_int_equal(count_chunks(ncid, varid), 4);
    put_string(ncid, varid, 13, "thirteen");
    OK(nc_sync(ncid));
    put_string(ncid, varid, 3, "three");
    OK(nc_put_var1_int(ncid, other, (size_t[]){100}, (int[]){1}));
    ncid = reopen(ncid, "records.nc", NC_NOWRITE);
    assert_int_equal(count_chunks(ncid, varid), 7);
    check_string(ncid, varid, 0, "none");
    check_string(ncid, varid, 3, "three");
    check_string(ncid, varid, 7, "seven");
    check_string(ncid, varid, 12, "none");
    check_string(ncid, varid, 13, "thirteen");
    check_string(ncid, varid, 100, "none");
    OK(nc_close(ncid));
}

/* Two unlimited dimensions: all chunks up to the last record. netCDF-C misplaces elements where the second one is
 * short. */
TEST(chunks_of_two_unlimited)
{
    int         ncid = create("two.nc"), dims[2], varid, other;
    size_t      chunk[2] = {2, 3}, at[2] = {5, 7};
    const char *word = "word";

    OK(nc_def_dim(ncid, "x", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "y", NC_UNLIMITED, &dims[1]));
    OK(nc_def_var(ncid, "s", NC_STRING, 2, dims, &varid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunk));
    OK(nc_def_var(ncid, "other", NC_INT, 2, dims, &other));
    OK(nc_put_var1_string(ncid, varid, at, &word));
    OK(nc_put_var1_int(ncid, other, (size_t[]){19, 19}, (int[]){1}));
    ncid = reopen(ncid, "two.nc", NC_NOWRITE);
    assert_int_equal(count_chunks(ncid, varid), 3 * 7);
    OK(nc_close(ncid));
}

/* Very many chunks stay missing: the file would be larger than what was put. */
TEST(many_chunks_stay_missing)
{
    int ncid = create("many.nc"), varid = define_strings(ncid, 100000000, 1000, NULL);

    put_string(ncid, varid, 99999999, "last");
    ncid = reopen(ncid, "many.nc", NC_NOWRITE);
    assert_int_equal(count_chunks(ncid, varid), 1);
    check_string(ncid, varid, 99999999, "last");
    OK(nc_close(ncid));
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
