/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward: which library a path, an ncid or a block of memory goes to, and that both do their work side by side.
 */
#include "forward_test.h"

#include <sys/wait.h>

/* What each library stores of the same calls: a dimension, a variable with values, an attribute. */
static void
fill_dataset(int ncid, int first)
{
    int dim, var, values[3] = {first, first + 1, first + 2};

    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_put_att_text(ncid, var, "units", 1, "m"));
    OK(nc_enddef(ncid));
    OK(nc_put_var_int(ncid, var, values));
}

static void
check_dataset(int ncid, int first)
{
    int  var, values[3] = {0}, ndims, nvars;
    char units[2] = {0};

    OK(nc_inq(ncid, &ndims, &nvars, NULL, NULL));
    assert_true(ndims == 1 && nvars == 1);
    OK(nc_inq_varid(ncid, "v", &var));
    OK(nc_get_var_int(ncid, var, values));
    for (int i = 0; i < 3; i++)
        assert_int_equal(values[i], first + i);
    OK(nc_get_att_text(ncid, var, "units", units));
    assert_string_equal(units, "m");
}

/* In a process of its own, since libnetcdf is searched for once. Returns the number of the first check that failed. */
static int
without_netcdf(const char *dir)
{
    const char *file = scratch_path(dir, "new.nc"), *hdf5 = scratch_path(dir, "old.nc");
    int         ncid;

    if (nc_create(file, NC_CLOBBER, &ncid) != NC_ENOTBUILT || strstr(nczarr_errmsg(), "/nowhere/lib.so") == NULL)
        return 1;
    if (scratch_exists(file))
        return 2;
    if (nc_open(hdf5, NC_NOWRITE, &ncid) != NC_EHDFERR || strstr(nczarr_errmsg(), "superblock") == NULL)
        return 3;
    if (nc_create(url_of(dir, "z", "nczarr"), NC_CLOBBER, &ncid) != NC_NOERR || nc_close(ncid) != NC_NOERR)
        return 4;
    if (nc_close(0x10000) != NC_EBADID || nc_set_chunk_cache(1 << 20, 100, .5f) != NC_NOERR)
        return 5;
    if (nc_rc_get("absent") != NULL || nc_finalize() != NC_NOERR)
        return 6;
    return nc_delete(hdf5) == NC_EHDFERR && scratch_exists(hdf5) ? 0 : 7;
}

/* Without libnetcdf its paths are not created, an HDF5 file is read here, and nothing else suffers. */
TEST(without_libnetcdf_nothing_else_suffers)
{
    char *dir = scratch_new();
    pid_t child;
    int   status = -1;

    scratch_write(scratch_path(dir, "old.nc"), "\211HDF\r\n\032\n", 8);
    if ((child = fork()) == 0) {
        setenv("NCZARR_NETCDF_LIBRARY", "/nowhere/lib.so", 1);
        _exit(without_netcdf(dir));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    scratch_free(dir);
}

/* Both open at once, with ids in ranges of their own, through every function that an ncid decides. */
TEST(side_by_side)
{
    char       *dir = scratch_new();
    const char *file = scratch_path(dir, "plain.nc"), *store = scratch_path(dir, "data.zarr");
    int         ours, theirs, group, format, again;

    NEED_NETCDF();
    OK(nc_create(url_of(dir, "data.zarr", "nczarr"), NC_CLOBBER, &ours));
    OK(nc_create(file, NC_NETCDF4 | NC_CLOBBER, &theirs));
    OURS(ours);
    THEIRS(theirs);
    fill_dataset(ours, 10);
    fill_dataset(theirs, 20);
    OK(nc_def_grp(ours, "g", &group));
    OURS(group);
    OK(nc_def_grp(theirs, "g", &group));
    THEIRS(group);
    OK(nc_close(ours));
    OK(nc_close(theirs));
    RC(NC_EBADID, nc_close(ours));
    RC(NC_EBADID, nc_close(theirs));
    assert_true(begins(file, "\x89HDF"));

    OK(nc_open(store, NC_NOWRITE, &ours)); /* a plain path to a directory */
    OK(nc_open(file, NC_NOWRITE, &theirs));
    OURS(ours);
    THEIRS(theirs);
    check_dataset(ours, 10);
    check_dataset(theirs, 20);
    OK(nc_inq_format_extended(ours, &format, NULL));
    assert_int_equal(format, NC_FORMATX_NCZARR);
    OK(nc_inq_format_extended(theirs, &format, NULL));
    assert_int_equal(format, NC_FORMATX_NC_HDF5);
    OK(nc_inq_grp_parent(group + (theirs & 0x7fff0000) - (group & 0x7fff0000), &again));
    assert_int_equal(again, theirs);
    OK(nc_close(ours));
    OK(nc_close(theirs));
    scratch_free(dir);
}

/* Whose a path is. Without a mode of Zarr nothing of ours is created. */
TEST(a_path_belongs_to_its_library)
{
    static const struct {
        const char *path;
        bool        create, open; /* libnetcdf's */
    } rows[] = {
        {"nothing.nc", true, true},
        {"nothing.zarr", true, true},
        {"nothing.zip", true, true},
        {"file:///nothing/a.nc", true, true},
        {"file:///nothing/a#mode=nczarr", false, false},
        {"file:///nothing/a#mode=zarr,v3", false, false},
        {"file:///nothing/a#mode=nczarr,zip", false, false},
        {"file:///nothing/a#zarr", false, false},
        {"nothing#mode=nczarr", false, false},
        {"file:///nothing/a#mode=bytes", true, true},
        {"file:///nothing/a#mode=file", true, true},
        {"file:///nothing/a#mode=nczarx", true, true},
        {"https://example.org/dap/a.nc", true, true},
        {"https://example.org/dap/a.nc?v[0:1]", true, true},
        {"https://example.org/a#mode=zarr", false, false},
        {"https://example.org/a#mode=bytes", true, true},
        {"https://example.org/a#mode=zarr,s3", false, false},
        {"[dap4]https://example.org/a", true, true},
        {"s3://bucket/a", false, false},
        {"gs://bucket/a", false, false},
        {"s3://bucket/a#mode=bytes", true, true},
        {"", false, false},
        {NULL, false, false},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        if (creates(rows[i].path) != rows[i].create || opens(rows[i].path) != rows[i].open)
            fail_msg("%s: create %d, open %d", rows[i].path, creates(rows[i].path), opens(rows[i].path));
    }
}

/* What is at a plain path decides who opens it. */
TEST(contents_decide_who_opens_a_path)
{
    char       *dir = scratch_new();
    const char *zip = scratch_path(dir, "a.nc"), *cdf = scratch_path(dir, "a.zip");
    char        url[600];

    scratch_write(zip, "PK\3\4....", 8); /* whatever the names say */
    scratch_write(cdf, "CDF\1....", 8);
    assert_false(opens(zip));
    assert_true(opens(cdf));
    assert_false(opens(dir));
    snprintf(url, sizeof url, "file://%s", zip);
    assert_false(opens(url));
    snprintf(url, sizeof url, "file://%s", cdf);
    assert_true(opens(url));
    scratch_write(zip, "PK", 2);
    assert_true(opens(zip));
    scratch_write(zip, "PK\5\6", 4); /* an empty archive */
    assert_false(opens(zip));
    scratch_write(zip, "", 0);
    assert_true(opens(zip));
    scratch_free(dir);
}

TEST(created_as_before)
{
    char *dir = scratch_new();
    int   ncid;

    NEED_NETCDF();
    OK(nc_create(scratch_path(dir, "x.zarr"), NC_CLOBBER, &ncid)); /* the name does not matter */
    THEIRS(ncid);
    OK(nc_close(ncid));
    assert_true(begins(scratch_path(dir, "x.zarr"), "CDF\1"));
    OK(nc__create(scratch_path(dir, "y.nc"), NC_64BIT_OFFSET, 0, &(size_t){4096}, &ncid));
    OK(nc_close(ncid));
    assert_true(begins(scratch_path(dir, "y.nc"), "CDF\2"));
    OK(nc__create(url_of(dir, "z", "nczarr"), 0, 0, NULL, &ncid));
    OURS(ncid);
    OK(nc_close(ncid));
    OK(nc__open(scratch_path(dir, "z"), NC_WRITE, NULL, &ncid));
    OURS(ncid);
    OK(nc_abort(ncid));
    OK(nc_create(url_of(dir, "z.zip", "zarr,zip"), 0, &ncid));
    OURS(ncid);
    OK(nc_close(ncid));
    OK(nc_open(scratch_path(dir, "z.zip"), NC_NOWRITE, &ncid));
    OURS(ncid);
    OK(nc_close(ncid));
    OK(nc_delete(scratch_path(dir, "y.nc")));
    OK(nc_delete(scratch_path(dir, "z")));
    OK(nc_delete_mp(scratch_path(dir, "z.zip"), 0));
    assert_int_equal(scratch_count(dir), 1);
    scratch_free(dir);
}

TEST(in_memory)
{
    char       *dir = scratch_new();
    const char *file = scratch_path(dir, "a.nc"), *zip = scratch_path(dir, "a.zip");
    int         ncid;
    size_t      len = 0;
    char       *block;
    NC_memio    io = {0};

    NEED_NETCDF();
    OK(nc_create(file, NC_NETCDF4, &ncid));
    fill_dataset(ncid, 1);
    OK(nc_close(ncid));
    OK(nc_create(url_of(dir, "a.zip", "nczarr,zip"), 0, &ncid));
    fill_dataset(ncid, 2);
    OK(nc_close(ncid));

    block = scratch_read(file, &len);
    OK(nc_open_mem("in memory", NC_NOWRITE, len, block, &ncid));
    THEIRS(ncid);
    check_dataset(ncid, 1);
    OK(nc_close(ncid));
    free(block);
    block = scratch_read(zip, &len);
    OK(nc_open_mem("in memory", NC_NOWRITE, len, block, &ncid));
    OURS(ncid);
    check_dataset(ncid, 2);
    OK(nc_close(ncid));
    io = (NC_memio){.memory = block, .size = len, .flags = NC_MEMIO_LOCKED};
    OK(nc_open_memio("in memory", NC_NOWRITE, &io, &ncid));
    OURS(ncid);
    OK(nc_close(ncid));
    free(block);
    FAILS(NC_EINVAL, nc_open_memio("in memory", NC_NOWRITE, NULL, &ncid));

    OK(nc_create_mem("m.nc", NC_NETCDF4, 4096, &ncid));
    THEIRS(ncid);
    fill_dataset(ncid, 3);
    OK(nc_close_memio(ncid, &io));
    OK(nc_open_memio("m.nc", NC_NOWRITE, &io, &ncid));
    THEIRS(ncid);
    check_dataset(ncid, 3);
    OK(nc_close(ncid));
    OK(nc_create_mem("m#mode=nczarr,zip", 0, 4096, &ncid));
    OURS(ncid);
    OK(nc_close_memio(ncid, &io));
    free(io.memory);
    scratch_free(dir);
}

TEST(netcdf_2)
{
    char      *dir = scratch_new();
    int        ncid[2], dim, var;
    const long start = 0, count = 3;
    const int  values[3] = {4, 5, 6};

    NEED_NETCDF();
    ncopts = 0;
    ncid[0] = nccreate(url_of(dir, "a", "nczarr"), NC_CLOBBER);
    ncid[1] = nccreate(scratch_path(dir, "a.nc"), NC_CLOBBER);
    OURS(ncid[0]);
    THEIRS(ncid[1]);
    for (int i = 0; i < 2; i++) {
        int back[3] = {0};

        assert_true((dim = ncdimdef(ncid[i], "x", 3)) >= 0);
        assert_true((var = ncvardef(ncid[i], "v", NC_INT, 1, &dim)) >= 0);
        assert_int_equal(ncattput(ncid[i], var, "units", NC_CHAR, 1, "m"), 0);
        assert_int_equal(ncendef(ncid[i]), 0);
        assert_int_equal(ncvarput(ncid[i], var, &start, &count, values), 0);
        assert_int_equal(ncvarget(ncid[i], var, &start, &count, back), 0);
        assert_memory_equal(back, values, sizeof back);
    }
    assert_int_equal(ncredef(ncid[1]), 0);
    assert_true(ncattcopy(ncid[0], 0, "units", ncid[1], NC_GLOBAL) >= 0);
    assert_int_equal(ncattcopy(ncid[0], 0, "absent", ncid[1], NC_GLOBAL), -1);
    assert_int_equal(ncerr, NC_ENOTATT);
    assert_int_equal(ncclose(ncid[0]), 0);
    assert_int_equal(ncclose(ncid[1]), 0);
    assert_int_equal(ncclose(ncid[1]), -1);
    assert_int_equal(ncopen(scratch_path(dir, "absent.nc"), NC_NOWRITE), -1);
    assert_int_not_equal(ncerr, NC_NOERR);
    assert_true((ncid[0] = ncopen(scratch_path(dir, "a"), NC_NOWRITE)) >= NCZ_FORWARD_FIRST_ID);
    assert_int_equal(ncclose(ncid[0]), 0);
    scratch_free(dir);
}

/* ---- settings of the process ---- */

TEST(settings_reach_both_libraries)
{
    char  *dir = scratch_new(), *value;
    int    old, ncid, format, threshold = 0, alignment = 0;
    size_t size;

    NEED_NETCDF();
    OK(nc_set_default_format(NC_FORMAT_NETCDF4_CLASSIC, &old));
    assert_int_equal(old, NC_FORMAT_CLASSIC); /* libnetcdf's own */
    OK(nc_create(scratch_path(dir, "a.nc"), 0, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    OK(nc_close(ncid));
    OK(nc_create(url_of(dir, "a", "nczarr"), 0, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    OK(nc_close(ncid));
    OK(nc_set_default_format(NC_FORMAT_CLASSIC, &old));
    assert_int_equal(old, NC_FORMAT_NETCDF4_CLASSIC);
    FAILS(NC_EINVAL, nc_set_default_format(99, &old));

    OK(nc_set_chunk_cache(1 << 20, 100, .5f));
    OK(nc_get_chunk_cache(&size, NULL, NULL));
    assert_int_equal(size, 1 << 20);
    OK(nc_set_alignment(0, 8));
    OK(nc_get_alignment(&threshold, &alignment)); /* libnetcdf has one */
    assert_int_equal(alignment, 8);
    OK(nc_rc_set("NCZ.TEST", "value"));
    assert_non_null(value = nc_rc_get("NCZ.TEST"));
    assert_string_equal(value, "value");
    free(value);
    assert_null(nc_rc_get("NCZ.ABSENT"));
    assert_null(nc_rc_get(NULL));
    assert_true(strstr(nc_inq_libvers(), "nczarr") != NULL);
    scratch_free(dir);
}
