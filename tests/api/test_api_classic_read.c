/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic netCDF files from a path, from a block of memory, and with NC_DISKLESS: values, and what the inquiries
 * answer. The numbers are netCDF-C's for the same files; conversions.py compares the two libraries.
 */
#include "api_test.h"

#include "support/scratch.h"

/* dimensions: t = UNLIMITED ; x = 3 ; variables: short a(t, x) ; a:_FillValue = 7s ; float f(x) ; two records. */
static const unsigned char cdf1[] = {
    0x43, 0x44, 0x46, 1,    0, 0, 0, 2,    0,    0,    0, 0x0A, 0,    0,    0,    2,    0,    0,    0,
    1,    0x74, 0,    0,    0, 0, 0, 0,    0,    0,    0, 0,    1,    0x78, 0,    0,    0,    0,    0,
    0,    3,    0,    0,    0, 0, 0, 0,    0,    0,    0, 0,    0,    0x0B, 0,    0,    0,    2,    0,
    0,    0,    1,    0x61, 0, 0, 0, 0,    0,    0,    2, 0,    0,    0,    0,    0,    0,    0,    1,
    0,    0,    0,    0x0C, 0, 0, 0, 1,    0,    0,    0, 0x0A, 0x5F, 0x46, 0x69, 0x6C, 0x6C, 0x56, 0x61,
    0x6C, 0x75, 0x65, 0,    0, 0, 0, 0,    3,    0,    0, 0,    1,    0,    7,    0,    0,    0,    0,
    0,    3,    0,    0,    0, 8, 0, 0,    0,    0xAC, 0, 0,    0,    1,    0x66, 0,    0,    0,    0,
    0,    0,    1,    0,    0, 0, 1, 0,    0,    0,    0, 0,    0,    0,    0,    0,    0,    0,    5,
    0,    0,    0,    0x0C, 0, 0, 0, 0xA0, 0x3F, 0,    0, 0,    0x3F, 0x80, 0,    0,    0xBF, 0xC0, 0,
    0,    0,    1,    0,    2, 0, 3, 0xFF, 0xFF, 0,    5, 0,    6};

enum { FIXED_AT = 160, RECORDS_AT = 172 };

static void
check_values(int ncid)
{
    short a[6];
    float f[3];

    OK(nc_get_var_short(ncid, 0, a));
    OK(nc_get_var_float(ncid, 1, f));
    for (int i = 0; i < 6; i++)
        assert_int_equal(a[i], i == 3 ? -1 : i + 1);
    assert_true(f[0] == .5F && f[1] == 1.F && f[2] == -1.5F);
    OK(nc_get_vara_short(ncid, 0, (size_t[]){1, 1}, (size_t[]){1, 2}, a));
    assert_int_equal(a[0], 5);
    assert_int_equal(a[1], 6);
    FAILS(NC_EINVALCOORDS, nc_get_var1_short(ncid, 0, (size_t[]){2, 0}, a));
}

static void
check_answers(int ncid)
{
    int    format, extended, mode, unlimited, n, ids[2], storage, no_fill, endian;
    short  fill;
    float  float_fill;
    size_t chunks[2] = {99, 99}, len;

    OK(nc_inq_format(ncid, &format));
    OK(nc_inq_format_extended(ncid, &extended, &mode));
    assert_int_equal(format, NC_FORMAT_CLASSIC);
    assert_int_equal(extended, NC_FORMATX_NC3);
    OK(nc_inq_unlimdim(ncid, &unlimited));
    OK(nc_inq_unlimdims(ncid, &n, ids));
    assert_int_equal(unlimited, 0);
    assert_int_equal(n, 1);
    assert_int_equal(ids[0], 0);
    OK(nc_inq_dimlen(ncid, 0, &len));
    assert_int_equal(len, 2);
    OK(nc_inq_var_chunking(ncid, 0, &storage, chunks));
    assert_int_equal(storage, NC_CONTIGUOUS);
    OK(nc_inq_var_fill(ncid, 0, &no_fill, &fill));
    assert_int_equal(no_fill, 0);
    assert_int_equal(fill, 7);
    OK(nc_inq_var_fill(ncid, 1, &no_fill, &float_fill));
    assert_int_equal(no_fill, 0);
    assert_true(float_fill == (float)NC_FILL_FLOAT);
    FAILS(NC_ENOTNC4, nc_inq_var_endian(ncid, 0, &endian)); /* as netCDF-C */
    FAILS(NC_ENOTATT, nc_inq_att(ncid, NC_GLOBAL, "_IsNetcdf4", NULL, NULL));
    FAILS(NC_ENOTATT, nc_inq_att(ncid, NC_GLOBAL, "_SuperblockVersion", NULL, NULL));
}

TEST(from_a_path)
{
    static const int modes[] = {NC_NOWRITE, NC_SHARE, NC_DISKLESS};

    char *dir = scratch_new(), *path = scratch_path(dir, "x.nc");

    scratch_write(path, cdf1, sizeof cdf1);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        int ncid;

        OK(nc_open(path, modes[i], &ncid));
        check_answers(ncid);
        check_values(ncid);
        OK(nc_close(ncid));
    }
    scratch_free(dir);
}

TEST(from_memory)
{
    NC_memio block = {sizeof cdf1, malloc(sizeof cdf1), 0}, locked = {sizeof cdf1, NULL, NC_MEMIO_LOCKED}, back;
    int      ncid;

    assert_non_null(block.memory);
    memcpy(block.memory, cdf1, sizeof cdf1);
    locked.memory = block.memory;
    OK(nc_open_mem("any name", NC_NOWRITE, block.size, block.memory, &ncid));
    check_answers(ncid);
    check_values(ncid);
    OK(nc_close(ncid));
    OK(nc_open_memio("any name", NC_NOWRITE, &locked, &ncid));
    check_values(ncid);
    OK(nc_close_memio(ncid, &back));
    assert_ptr_equal(back.memory, block.memory);
    assert_int_equal(back.size, sizeof cdf1);
    OK(nc_open_memio("any name", NC_NOWRITE, &block, &ncid)); /* takes the block */
    check_answers(ncid);
    check_values(ncid);
    OK(nc_close_memio(ncid, &back));
    assert_memory_equal(back.memory, cdf1, sizeof cdf1);
    free(back.memory);
}

/* What a get of variable 0 gives of a file with `n` of its bytes, as nczarr_set_missing() says. */
static void
check_missing(int ncid, size_t n)
{
    size_t nwarnings;
    short  a[6];

    OK(nczarr_inq_warnings(ncid, &nwarnings, NULL));
    assert_int_equal(nwarnings, 1);
    FAILS(NC_EINVAL, nczarr_set_missing(ncid, 3));
    FAILS(NC_EINVAL, nczarr_set_missing(ncid, -1));
    OK(nczarr_set_missing(ncid, NCZARR_MISSING_FILL));
    OK(nc_get_var_short(ncid, 0, a));
    assert_int_equal(a[0], n >= RECORDS_AT + 2 ? 1 : 7);
    OK(nczarr_set_missing(ncid, NCZARR_MISSING_ERROR));
    FAILS(NC_ETRUNC, nc_get_var_short(ncid, 0, a));
    assert_non_null(strstr(nczarr_errmsg(), "a: records from"));
    OK(nczarr_set_missing(ncid, NCZARR_MISSING_ZEROS));
    OK(nc_get_var_short(ncid, 0, a));
    assert_int_equal(a[0], n >= RECORDS_AT + 2 ? 1 : 0);
}

/* A block that ends within the header, and one that ends within the data, which read as zeros. */
TEST(cut_blocks)
{
    unsigned char *copy;
    int            ncid;
    short          a[6];

    for (size_t n = 1; n < sizeof cdf1; n++) {
        copy = malloc(n); /* of its own, so that a sanitizer sees a read past its end */
        assert_non_null(copy);
        memcpy(copy, cdf1, n);
        if (n < FIXED_AT) {
            assert_int_not_equal(nc_open_mem("cut", NC_NOWRITE, n, copy, &ncid), NC_NOERR);
        } else {
            OK(nc_open_mem("cut", NC_NOWRITE, n, copy, &ncid));
            OK(nc_get_var_short(ncid, 0, a));
            assert_int_equal(a[0], n >= RECORDS_AT + 2 ? 1 : 0);
            assert_int_equal(a[5], 0);
            check_missing(ncid, n);
            OK(nc_close(ncid));
        }
        free(copy);
    }
}

/* Both forms of a letter find a name of decomposed ones. */
TEST(decomposed_names)
{
    static const char nfd[] = "e\xCC\x81", nfc[] = "\xC3\xA9";
    unsigned char     bytes[] = {0x43, 0x44, 0x46, 1,    0,    0, 0, 0, 0, 0, 0, 0x0A, 0,    0,    0,    1, 0, 0, 0,
                                 3,    0x65, 0xCC, 0x81, 0,    0, 0, 0, 2, 0, 0, 0,    0x0C, 0,    0,    0, 1, 0, 0,
                                 0,    3,    0x65, 0xCC, 0x81, 0, 0, 0, 0, 2, 0, 0,    0,    1,    0x41, 0, 0, 0, 0,
                                 0,    0,    0x0B, 0,    0,    0, 1, 0, 0, 0, 3, 0x65, 0xCC, 0x81, 0,    0, 0, 0, 1,
                                 0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0,    0,    0,    0,    1, 0, 0, 0,
                                 4,    0,    0,    0,    0x64, 5, 6, 0, 0};
    const char       *names[] = {nfd, nfc};
    char              stored[NC_MAX_NAME + 1];
    int               ncid, id;
    size_t            len;

    if (!ncz_has_nfc())
        skip();
    OK(nc_open_mem("names", NC_NOWRITE, sizeof bytes, bytes, &ncid));
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        OK(nc_inq_dimid(ncid, names[i], &id));
        OK(nc_inq_varid(ncid, names[i], &id));
        OK(nc_inq_attlen(ncid, NC_GLOBAL, names[i], &len));
        assert_int_equal(len, 1);
    }
    OK(nc_inq_varname(ncid, id, stored));
    assert_string_equal(stored, nfd);
    FAILS(NC_ENOTATT, nc_inq_attlen(ncid, NC_GLOBAL, "e", &len));
    OK(nc_close(ncid));
}
