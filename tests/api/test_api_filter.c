/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters through the API: definitions and their checks, inquiries, data through chains, after reopening too. */
#include "api_test.h"

TEST_IN_EACH_PLACE(filters_are_defined_and_inquired)
{
    unsigned ids[8], words[16];
    size_t   n, nwords;
    unsigned id;
    int      ncid, dim, v, plain, shuffle, deflate, level, sum, has;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 100, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var(ncid, "plain", NC_INT, 1, &dim, &plain));
    FAILS(NC_EINVAL, nc_def_var_deflate(ncid, v, 0, 1, 10));
    FAILS(NC_EINVAL, nc_def_var_deflate(ncid, v, 1, 1, -1));
    OK(nc_inq_var_deflate(ncid, v, &shuffle, &deflate, NULL)); /* nothing of a failed one is left */
    assert_int_equal(shuffle + deflate, 0);
    FAILS(NC_ENOFILTER, nc_def_var_filter(ncid, v, 9999, 0, NULL));
    FAILS(NC_EINVAL, nc_def_var_filter(ncid, v, H5Z_FILTER_DEFLATE, 1, NULL));
    FAILS(NC_ENOFILTER, nc_inq_filter_avail(ncid, 99));
    OK(nc_inq_filter_avail(ncid, H5Z_FILTER_DEFLATE));
    OK(nc_def_var_fletcher32(ncid, v, 1));
    OK(nc_def_var_fletcher32(ncid, v, 0));
    OK(nc_inq_var_fletcher32(ncid, v, &sum));
    assert_int_equal(sum, 0);
    OK(nc_def_var_deflate(ncid, v, 0, 1, 2));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 6)); /* changes the level, puts shuffle in front */
    OK(nc_def_var_fletcher32(ncid, v, 1));
    OK(nc_inq_var_filter_ids(ncid, v, &n, ids));
    assert_int_equal(n, 3);
    assert_int_equal(ids[0], H5Z_FILTER_SHUFFLE);
    assert_int_equal(ids[1], H5Z_FILTER_DEFLATE);
    assert_int_equal(ids[2], H5Z_FILTER_FLETCHER32);
    OK(nc_inq_var_deflate(ncid, v, &shuffle, &deflate, &level));
    assert_true(shuffle == 1 && deflate == 1 && level == 6);
    OK(nc_inq_var_filter_info(ncid, v, H5Z_FILTER_DEFLATE, &nwords, words));
    assert_true(nwords == 1 && words[0] == 6);
    FAILS(NC_ENOFILTER, nc_inq_var_filter_info(ncid, v, H5Z_FILTER_ZSTD, &nwords, words));
    OK(nc_inq_var_filter(ncid, v, &id, &nwords, words));
    assert_int_equal(id, H5Z_FILTER_SHUFFLE);
    OK(nc_inq_var_filter(ncid, plain, &id, &nwords, NULL));
    assert_true(id == 0 && nwords == 0);
    has = level = 7;
    OK(nc_inq_var_bzip2(ncid, plain, &has, &level)); /* what is not there has no parameters either */
    assert_int_equal(has + level, 0);
    level = 7;
    OK(nc_inq_var_deflate(ncid, plain, &shuffle, &deflate, &level));
    assert_int_equal(shuffle + deflate + level, 0);
    FAILS(NC_ENOTVAR, nc_inq_var_deflate(ncid, 9, &shuffle, &deflate, &level));
    OK(nc_def_var_deflate(ncid, plain, 0, 1, 0)); /* level 0 turns it off, and is no codec */
    OK(nc_inq_var_deflate(ncid, plain, &shuffle, &deflate, &level));
    assert_int_equal(shuffle + deflate + level, 0);
    OK(nc_def_var_deflate(ncid, v, 0, 1, 0));
    OK(nc_inq_var_deflate(ncid, v, &shuffle, &deflate, &level));
    assert_true(shuffle == 1 && deflate == 0 && level == 0);
    OK(nc_inq_var_filter_ids(ncid, v, &n, ids));
    assert_int_equal(n, 2);
    OK(nc_close(ncid));
}

/* Every filter of this build carries data, and is told again after reopening. */
TEST_IN_EACH_PLACE(round_trip)
{
    static const struct {
        unsigned id;
        size_t   n;
        unsigned words[7];
    } rows[] = {
        {H5Z_FILTER_DEFLATE, 1, {4}},    {H5Z_FILTER_SHUFFLE, 0, {0}},
        {H5Z_FILTER_FLETCHER32, 0, {0}}, {H5Z_FILTER_SZIP, 2, {NC_SZIP_NN, 8}},
        {H5Z_FILTER_BZIP2, 1, {9}},      {H5Z_FILTER_BLOSC, 7, {0, 0, 0, 0, 4, 1, 1}},
        {H5Z_FILTER_ZSTD, 1, {3}},
    };
    double in[100], out[100];
    char   name[16];
    int    ncid, dim, v;

    for (int i = 0; i < 100; i++)
        in[i] = i * 0.5;
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 100, &dim));
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        if (nc_inq_filter_avail(ncid, rows[i].id) != NC_NOERR)
            continue;
        snprintf(name, sizeof name, "f%u", rows[i].id);
        OK(nc_def_var(ncid, name, NC_DOUBLE, 1, &dim, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &(size_t){32}));
        OK(nc_def_var_filter(ncid, v, rows[i].id, rows[i].n, rows[i].words));
        OK(nc_put_var_double(ncid, v, in));
    }
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        unsigned id, words[16];
        size_t   n;

        snprintf(name, sizeof name, "f%u", rows[i].id);
        if (nc_inq_varid(ncid, name, &v) != NC_NOERR)
            continue;
        OK(nc_inq_var_filter(ncid, v, &id, &n, words));
        assert_int_equal(id, rows[i].id);
        memset(out, 0, sizeof out);
        OK(nc_get_var_double(ncid, v, out));
        assert_memory_equal(in, out, sizeof in);
    }
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(by_name)
{
    unsigned sub, ulevel, block, shuffle;
    int      ncid, dim, v, has, level, mask, ppb;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 100, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    if (nc_inq_filter_avail(ncid, H5Z_FILTER_BZIP2) == NC_NOERR) {
        FAILS(NC_EINVAL, nc_def_var_bzip2(ncid, v, 0));
        OK(nc_def_var_bzip2(ncid, v, 7));
        OK(nc_inq_var_bzip2(ncid, v, &has, &level));
        assert_true(has == 1 && level == 7);
    }
    if (nc_inq_filter_avail(ncid, H5Z_FILTER_ZSTD) == NC_NOERR) {
        FAILS(NC_EINVAL, nc_def_var_zstandard(ncid, v, 100));
        OK(nc_def_var_zstandard(ncid, v, -3));
        OK(nc_inq_var_zstandard(ncid, v, &has, &level));
        assert_true(has == 1 && level == -3);
    }
    if (nc_inq_filter_avail(ncid, H5Z_FILTER_BLOSC) == NC_NOERR) {
        FAILS(NC_EINVAL, nc_def_var_blosc(ncid, v, 9, 4, 0, 1));
        OK(nc_def_var_blosc(ncid, v, 1, 5, 0, 1));
        OK(nc_inq_var_blosc(ncid, v, &has, &sub, &ulevel, &block, &shuffle));
        assert_true(has == 1 && sub == 1 && ulevel == 5 && shuffle == 1);
    }
    if (nc_inq_filter_avail(ncid, H5Z_FILTER_SZIP) == NC_NOERR) {
        FAILS(NC_EINVAL, nc_def_var_szip(ncid, v, NC_SZIP_NN, 3));
        OK(nc_def_var_szip(ncid, v, NC_SZIP_NN, 16));
        OK(nc_inq_var_szip(ncid, v, &mask, &ppb));
        assert_true(mask == NC_SZIP_NN && ppb == 16);
    }
    OK(nc_close(ncid));
}

/* zarr-python refuses to shuffle bytes that are no multiple of the element's size; netCDF-C ignores the filter there.
 */
TEST(strings_of_any_length_are_not_shuffled)
{
    const char *values[] = {"a", "bcdefg", "c"};
    char       *got[3];
    place       p;
    unsigned    ids[4];
    size_t      n;
    int         ncid, dim, v, shuffle, deflate, level;

    place_make(&p, false);
    OK(place_create(&p, "mode=nczarr,v3,file", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &v));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 5));
    OK(nc_def_var_filter(ncid, v, H5Z_FILTER_SHUFFLE, 0, NULL));
    OK(nc_inq_var_deflate(ncid, v, &shuffle, &deflate, &level));
    assert_true(shuffle == 0 && deflate == 1 && level == 5);
    OK(nc_inq_var_filter_ids(ncid, v, &n, ids));
    assert_int_equal(n, 1);
    OK(nc_put_var_string(ncid, v, values));
    OK(nc_get_var_string(ncid, v, got));
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(got[i], values[i]);
    OK(nc_free_string(3, got));
    OK(nc_close(ncid));
    place_drop(&p);
}
