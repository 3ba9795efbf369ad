/* SPDX-License-Identifier: BSD-3-Clause */
/* What nc_create() makes: by the modes of a path, the flags, the process's default, the name. */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"

#include "open/open_int.h"

#include <stdlib.h>

enum { OFFSET = NC_64BIT_OFFSET, DATA = NC_64BIT_DATA, MODEL = NC_CLASSIC_MODEL, SET = NC_FORMAT_NETCDF4 };
enum { BY_NAME = NCZ_FORMAT_UNSAID, NETCDFS = NCZ_FORMAT_FILES };

static const struct {
    const char *path;
    int         cmode, default_format, version;
} rows[] = {
    /* flags */
    {"x", OFFSET, BY_NAME, 2},
    {"x.nc4", DATA, SET, 5},
    {"x.nc", OFFSET | MODEL, BY_NAME, 2},
    {"x.nc", NC_NETCDF4, NC_FORMAT_CLASSIC, 4},
    {"x.nc", NC_NETCDF4 | MODEL, NETCDFS, 4},
    {"x", NC_NETCDF4, BY_NAME, 0},
    {"x", NC_NETCDF4, NC_FORMAT_CLASSIC, 0},
    {"x", NC_NETCDF4, NETCDFS, 4},
    {"file:///d/x", NC_NETCDF4, NETCDFS | NC_FORMAT_CLASSIC, 4},
    {"x.zarr", NC_NETCDF4, NETCDFS, 0},
    {"x.zip", NC_NETCDF4, NETCDFS, 0},
    {"x.nc", DATA | NC_DISKLESS, BY_NAME, 5},
    {"file:///x", DATA, BY_NAME, 5},
    /* modes */
    {"x#mode=classic", 0, BY_NAME, 1},
    {"x.zarr#mode=netcdf-3", 0, SET, 1},
    {"x#mode=classic", OFFSET, BY_NAME, 2},
    {"x#mode=classic", DATA, BY_NAME, 5},
    {"x#mode=cdf1", MODEL, BY_NAME, 1},
    {"x#mode=cdf2", 0, NC_FORMAT_CLASSIC, 2},
    {"x#mode=cdf2,classic", OFFSET, BY_NAME, 2},
    {"x#cdf5", 0, BY_NAME, 5},
    {"x#mode=netcdf4", 0, BY_NAME, 4},
    {"x.zarr#nc4", NC_NETCDF4 | MODEL, NC_FORMAT_CLASSIC, 4},
    {"x#mode=enhanced", NC_DISKLESS, NETCDFS, 4},
    {"x.nc#mode=nczarr", 0, NC_FORMAT_CLASSIC, 0},
    {"x.nc#mode=zarr,v3", NC_NETCDF4, NETCDFS, 0},
    {"x.nc#zip", 0, NETCDFS, 0},
    {"x.nc#mode=file", 0, NETCDFS, 0},
    {"x.nc#noxarray", 0, BY_NAME, 0},
    {"x.nc#consolidated=yes", 0, BY_NAME, 0},
    {"x.nc#dimension_separator=/", 0, BY_NAME, 0},
    /* the default */
    {"x", 0, NC_FORMAT_CLASSIC, 1},
    {"x.h5", 0, NC_FORMAT_64BIT_OFFSET, 2},
    {"x.zarr", 0, NC_FORMAT_64BIT_OFFSET, 0},
    {"x.zip", 0, NC_FORMAT_64BIT_DATA, 0},
    {"x.nc", 0, NC_FORMAT_NETCDF4, 4},
    {"x", 0, NC_FORMAT_NETCDF4, 0},
    {"x", 0, NETCDFS | NC_FORMAT_NETCDF4, 4},
    {"x", OFFSET, NETCDFS | NC_FORMAT_NETCDF4, 2},
    {"x.nc", MODEL, NC_FORMAT_NETCDF4_CLASSIC, 4},
    /* the name */
    {"x.nc", 0, BY_NAME, 1},
    {"x.CDF", MODEL, BY_NAME, 1},
    {"file:///d/x.nc3", 0, BY_NAME, 1},
    {"x.nc", NC_INMEMORY, BY_NAME, 1},
    {"x.nc4", 0, BY_NAME, 1},
    {"x.HDF5", NC_NETCDF4, BY_NAME, 4},
    {"x.h5", NC_NETCDF4 | NC_INMEMORY, BY_NAME, 4},
    {"x.nc.zarr", NC_NETCDF4, BY_NAME, 0},
    {"x", MODEL, BY_NAME, 0},
    {"x", 0, NETCDFS, 1},
    {"x.nc4", 0, NETCDFS, 1},
    {"x.zarr", 0, NETCDFS, 0},
    {"x.zip", 0, NETCDFS, 0},
    /* URLs */
    {"s3://bucket/x", NC_NETCDF4, NETCDFS, 0},
    {"s3://bucket/x.nc#mode=zarr", 0, BY_NAME, 0},
    {"s3://bucket/x.nc", NC_NETCDF4, BY_NAME, 4},
    {"s3://bucket/x#mode=netcdf4", 0, BY_NAME, 4},
    {"https://host/bucket/x.h5#mode=s3", NC_NETCDF4, NETCDFS, 4},
    {"s3://bucket/x.nc", 0, NC_FORMAT_NETCDF4_CLASSIC, 4},
    {"s3://bucket/x.zip", 0, NC_FORMAT_NETCDF4, 0},
    {"https://host/x.nc#mode=s3,nczarr", 0, NETCDFS, 0},
    {"https://host/x.zarr#mode=s3", 0, NETCDFS, 0},
    {"s3://bucket/x", 0, NC_FORMAT_CLASSIC, 0},
};

TEST(path_flags_and_default_choose_the_format)
{
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_target *t = NULL;
        int         version = -1;

        OK(ncz_target_parse(rows[i].path, true, &t));
        OK(ncz_choose_format(t, rows[i].cmode, rows[i].default_format, &version));
        if (version != rows[i].version)
            fail_msg("%s, %#x, %d: %d", rows[i].path, (unsigned)rows[i].cmode, rows[i].default_format, version);
        ncz_target_free(t);
    }
}

static int
choose(const char *path, int cmode, int default_format, int *version)
{
    ncz_target *t = NULL;
    int         rc;

    *version = -1;
    OK(ncz_target_parse(path, true, &t));
    rc = ncz_choose_format(t, cmode, default_format, version);
    ncz_target_free(t);
    return rc;
}

/* Only where a program creates a netCDF-4 file on a disk, and no mode says so. */
TEST(the_environment_asks_for_zarr_in_place_of_files)
{
    static const struct {
        const char *path;
        int         cmode, default_format, version;
    } with[] = {
        {"x.nc", NC_NETCDF4, BY_NAME, 0},
        {"x", NC_NETCDF4 | MODEL, NETCDFS, 0},
        {"file:///d/x.h5", 0, SET, 0},
        {"x.nc", 0, NETCDFS, 1},
        {"x.nc", DATA, NETCDFS, 5},
        {"x.nc#mode=netcdf4", NC_NETCDF4, NETCDFS, 4},
        {"x.nc", NC_NETCDF4 | NC_INMEMORY, BY_NAME, 4},
        {"x.nc", NC_NETCDF4 | NC_DISKLESS, NETCDFS, 4},
        {"s3://bucket/x.nc", NC_NETCDF4, BY_NAME, 4},
    };
    static const char *const no_zarr[] = {"netcdf4", "cdf5", "zip", "nczarr,zip", "nczarr,netcdf4", "v2,v3"};
    ncz_target              *t = NULL;
    int                      version;

    assert_int_equal(setenv("NCZARR_NETCDF4", "zarr,v3", 1), 0);
    OK(ncz_target_parse("x.nc", true, &t));
    OK(ncz_choose_format(t, NC_NETCDF4, NETCDFS, &version));
    assert_true(version == 0 && t->zarr_format == 3 && t->conventions == NCZ_CONVENTIONS_ZARR);
    ncz_target_free(t);
    assert_int_equal(setenv("NCZARR_NETCDF4", "nczarr", 1), 0);
    for (size_t i = 0; i < NCZ_LEN(with); i++) {
        OK(choose(with[i].path, with[i].cmode, with[i].default_format, &version));
        if (version != with[i].version)
            fail_msg("%s, %#x: %d", with[i].path, (unsigned)with[i].cmode, version);
    }
    assert_int_equal(setenv("NCZARR_NETCDF4", "file", 1), 0);
    OK(choose("x.nc", NC_NETCDF4, BY_NAME, &version));
    assert_int_equal(version, 4);
    assert_int_equal(setenv("NCZARR_NETCDF4", "hdf", 1), 0);
    assert_int_equal(choose("x.nc", NC_NETCDF4, BY_NAME, &version), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "NCZARR_NETCDF4=hdf: file, or modes of Zarr"));
    for (size_t i = 0; i < NCZ_LEN(no_zarr); i++) {
        assert_int_equal(setenv("NCZARR_NETCDF4", no_zarr[i], 1), 0);
        assert_int_equal(choose("x.nc", NC_NETCDF4, BY_NAME, &version), NC_EINVAL);
    }
    OK(choose("x.nc", 0, BY_NAME, &version));
    assert_int_equal(unsetenv("NCZARR_NETCDF4"), 0);
}

TEST(contradicting_wishes_are_refused)
{
    static const struct {
        const char *path;
        int         cmode;
        const char *word;
    } bad[] = {
        {"x#mode=classic", NC_NETCDF4, "NC_NETCDF4"},
        {"x#mode=cdf1", OFFSET, "CDF-2"},
        {"x#mode=cdf5", OFFSET, "CDF-5"},
        {"x#mode=netcdf4", OFFSET, "CDF-2"},
        {"s3://bucket/x#mode=netcdf4", OFFSET, "CDF-2"},
        {"x#mode=nczarr", OFFSET, "NC_64BIT_OFFSET"},
        {"x#mode=v3", DATA, "NC_64BIT_DATA"},
        {"x#mode=file", DATA, "NC_64BIT_DATA"},
        {"s3://bucket/x", OFFSET, "not at a URL"},
        {"s3://bucket/x#mode=classic", 0, "not at a URL"},
        {"x.zarr", OFFSET, "its name asks for Zarr"},
        {"x.zip", DATA, "#mode=cdf5"},
        {"s3://bucket/x.nc", 0, "a netCDF file"},
        {"http://host/bucket/x.CDF#mode=s3", 0, "a netCDF file"},
        {"s3://bucket/x.zip", 0, "an archive"},
        {"gs://bucket/d/x.h5", 0, "a netCDF file"},
    };

    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        ncz_target *t = NULL;
        int         version, rc;

        OK(ncz_target_parse(bad[i].path, true, &t));
        ncz_err_clear();
        rc = ncz_choose_format(t, bad[i].cmode, BY_NAME, &version);
        if (rc != NC_EINVAL || strstr(ncz_err_text(), bad[i].word) == NULL)
            fail_msg("%s, %#x: %d, %s", bad[i].path, (unsigned)bad[i].cmode, rc, ncz_err_text());
        ncz_target_free(t);
    }
}

TEST(no_file_is_made_on_a_web_server)
{
    ncz_target *t = NULL;
    int         version;

    OK(ncz_target_parse("https://host/x.nc", true, &t));
    assert_int_equal(ncz_choose_format(t, NC_NETCDF4, BY_NAME, &version), NC_EPERM);
    assert_non_null(strstr(ncz_err_text(), "a web server is only read"));
    ncz_target_free(t);
    OK(ncz_target_parse("https://host/x#mode=netcdf4", true, &t));
    assert_int_equal(ncz_choose_format(t, 0, BY_NAME, &version), NC_EPERM);
    ncz_target_free(t);
}

/* A store of objects is Zarr's alone. */
TEST(a_store_of_objects_holds_zarr_alone)
{
    zmap        *map = NULL, *out = NULL;
    ncz_dataset *ds = NULL;

    OK(zmap_mem_open(&map));
    assert_int_equal(ncz_dataset_create_map(map, "mode=cdf1", 0, NULL, &ds), NC_EINVAL);
    assert_int_equal(ncz_dataset_create_map(map, NULL, DATA, NULL, &ds), NC_EINVAL);
    assert_int_equal(ncz_dataset_create_map(map, "mode=netcdf4", 0, NULL, &ds), NC_EINVAL);
    OK(zmap_close(map, ZMAP_KEEP));
    assert_int_equal(ncz_dataset_store("x#mode=classic", ZMAP_CREATE_NEW, &out), NC_EINVAL);
}
