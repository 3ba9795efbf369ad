/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets as a whole: create, open, modes, sync, close, abort, delete; return codes as netCDF-C's NCZarr gives them.
 */
#include "api_test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static void
small_dataset(int ncid)
{
    const int data[4] = {1, 2, 3, 4};
    int       dim, var;

    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "hello"));
    OK(nc_enddef(ncid));
    OK(nc_put_var_int(ncid, var, data));
}

static void
check_small_dataset(int ncid)
{
    int  data[4] = {0};
    char title[6] = "";

    OK(nc_get_var_int(ncid, 0, data));
    assert_int_equal(data[0], 1);
    assert_int_equal(data[3], 4);
    OK(nc_get_att_text(ncid, NC_GLOBAL, "title", title));
    assert_string_equal(title, "hello");
}

TEST_IN_EACH_PLACE(round_trip)
{
    int ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    check_small_dataset(ncid);
    OK(nc_close(ncid));
    RC(NC_EBADID, nc_close(ncid));
    FAILS(NC_EBADID, nc_sync(ncid));
    FAILS(NC_EBADID, nc_inq_ndims(ncid, NULL));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    assert_string_equal(nczarr_errmsg(), "");
    check_small_dataset(ncid);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(every_style)
{
    const char *const modes[] = {"mode=nczarr",
                                 "mode=zarr",
                                 "mode=zarr,noxarray",
                                 "mode=nczarr&compat=4.9.2",
                                 "mode=zarr,consolidated",
                                 "mode=nczarr,consolidated&dimension_separator=/"};

    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        int ncid;

        OK(place_create(p, modes[i], NC_CLOBBER, &ncid));
        small_dataset(ncid);
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        check_small_dataset(ncid);
        OK(nc_close(ncid));
        OK(place_open(p, "consolidated=no", NC_WRITE, &ncid));
        check_small_dataset(ncid);
        OK(nc_put_att_text(ncid, NC_GLOBAL, "more", 1, "m"));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid)); /* the consolidated copy is kept true */
        OK(nc_inq_att(ncid, NC_GLOBAL, "more", NULL, NULL));
        OK(nc_close(ncid));
    }
}

TEST_IN_EACH_PLACE(define_mode)
{
    int ncid, dim;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    FAILS(NC_EINDEFINE, nc_redef(ncid));
    OK(nc_enddef(ncid));
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    FAILS(NC_EBADNAME, nc_def_dim(ncid, "a/b", 1, &dim)); /* a failed call changes nothing: */
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    OK(nc_def_dim(ncid, "x", 1, &dim)); /* enters define mode by itself */
    FAILS(NC_EINDEFINE, nc_redef(ncid));
    OK(nc__enddef(ncid, 0, 4, 0, 4));
    OK(nc_redef(ncid));
    OK(nc_sync(ncid)); /* leaves it */
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid));
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "new", 1, "a")); /* so does a new attribute, */
    FAILS(NC_EINDEFINE, nc_redef(ncid));
    OK(nc_enddef(ncid));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "new", 2, "ab")); /* but not one that is replaced */
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    FAILS(NC_EBADTYPID, nc_put_att_int(ncid, NC_GLOBAL, "newer", 99, 1, &dim));
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    OK(nc_close(ncid));
}

/* The classic model's rules hold when a dataset is opened again, and in one that is opened with that mode. */
TEST_IN_EACH_PLACE(classic_again)
{
    signed char signed_value;
    int         ncid, format, dim, var, grp;

    for (int asked = 0; asked < 2; asked++) {
        OK(place_create(p, NULL, asked ? NC_CLOBBER : NC_CLASSIC_MODEL, &ncid));
        OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim));
        if (!asked)
            FAILS(NC_EUNLIMIT, nc_def_dim(ncid, "u", NC_UNLIMITED, &dim));
        OK(nc_def_var(ncid, "b", NC_BYTE, 0, NULL, &var));
        OK(nc_enddef(ncid));
        OK(nc_close(ncid));

        OK(place_open(p, NULL, NC_WRITE | (asked ? NC_CLASSIC_MODEL : 0), &ncid));
        OK(nc_inq_format(ncid, &format));
        assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
        FAILS(NC_ENOTINDEFINE, nc_def_dim(ncid, "x", 3, &dim));
        FAILS(NC_ENOTINDEFINE, nc_put_att_text(ncid, NC_GLOBAL, "new", 1, "a"));
        OK(nc_redef(ncid));
        FAILS(NC_EINDEFINE, nc_get_var_schar(ncid, var, &signed_value));
        FAILS(NC_EUNLIMIT, nc_def_dim(ncid, "u", NC_UNLIMITED, &dim));
        FAILS(NC_ESTRICTNC3, nc_def_grp(ncid, "g", &grp));
        FAILS(NC_ESTRICTNC3, nc_def_var(ncid, "w", NC_INT64, 0, NULL, &grp));
        OK(nc_enddef(ncid));
        OK(nc_put_var_uchar(ncid, var, &(unsigned char){200})); /* bytes have no sign there */
        OK(nc_get_var_schar(ncid, var, &signed_value));
        assert_int_equal(signed_value, -56);
        OK(nc_close(ncid));

        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_format(ncid, &format)); /* what the dataset was created with */
        assert_int_equal(format, asked ? NC_FORMAT_NETCDF4 : NC_FORMAT_NETCDF4_CLASSIC);
        OK(nc_close(ncid));
    }
}

/* Programs reserve a name with an empty file and create over it, also through a link. A file with contents stays. */
TEST(over_empty_file)
{
    char  link[300];
    place p;
    int   ncid;

    place_make(&p, false);
    write_file(p.dir, "data.zarr", "");
    FAILS(NC_EEXIST, place_create(&p, NULL, NC_NOCLOBBER, &ncid));
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    OK(nc_close(ncid));
    write_file(p.dir, "empty", "");
    snprintf(link, sizeof link, "%s/link", p.dir);
    assert_int_equal(symlink("empty", link), 0);
    OK(nc_create(link, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    assert_true(exists(p.dir, "link/.zgroup") && exists(p.dir, "empty/.zgroup"));
    write_file(p.dir, "full", "x");
    snprintf(link, sizeof link, "%s/full", p.dir);
    FAILS(NC_EEXIST, nc_create(link, NC_CLOBBER, &ncid));
    FAILS(NC_EINVAL, nc_create(p.path, NC_NETCDF4 | NC_64BIT_OFFSET, &ncid));
    FAILS(NC_EINVAL, nc_create(p.path, NC_UDF0, &ncid));
    FAILS(NC_EINVAL, nc_open(p.path, 0x2000000, &ncid)); /* NC_UDF9 */
    place_drop(&p);
}

TEST_IN_EACH_PLACE(read_only)
{
    int ncid, dim, var, grp, one = 1;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EPERM, nc_def_dim(ncid, "y", 1, &dim));
    FAILS(NC_EPERM, nc_def_var(ncid, "w", NC_INT, 0, NULL, &var));
    FAILS(NC_EPERM, nc_def_grp(ncid, "g", &grp));
    FAILS(NC_EPERM, nc_put_att_int(ncid, NC_GLOBAL, "a", NC_INT, 1, &one));
    FAILS(NC_EPERM, nc_del_att(ncid, NC_GLOBAL, "title"));
    FAILS(NC_EPERM, nc_put_var_int(ncid, 0, &one));
    FAILS(NC_EPERM, nc_rename_var(ncid, 0, "w"));
    FAILS(NC_EPERM, nc_rename_dim(ncid, 0, "w"));
    FAILS(NC_EPERM, nc_redef(ncid));
    FAILS(NC_EPERM, nc_set_fill(ncid, NC_NOFILL, NULL));
    FAILS(NC_EPERM, nc_def_var_fill(ncid, 0, 0, &one));
    OK(nc_sync(ncid));
    check_small_dataset(ncid);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(noclobber_touches_nothing)
{
    int ncid;

    OK(place_create(p, NULL, NC_NOCLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_close(ncid));
    FAILS(NC_EEXIST, place_create(p, NULL, NC_NOCLOBBER, &ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid)); /* nothing was touched */
    check_small_dataset(ncid);
    OK(nc_close(ncid));
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "v", NULL));
    OK(nc_close(ncid));
}

TEST(clobber_spares_others)
{
    place p;
    int   ncid;
    char  sub[400];

    place_make(&p, false);
    write_file(p.dir, "notes.txt", "mine");
    FAILS(NC_EEXIST, nc_create(p.dir, NC_CLOBBER, &ncid)); /* a directory that is no dataset */
    assert_non_null(strstr(nczarr_errmsg(), "not a dataset"));
    FAILS(NC_ENOTNC, nc_delete(p.dir));
    assert_true(exists(p.dir, "notes.txt"));

    snprintf(sub, sizeof sub, "%s/notes.txt", p.dir);
    FAILS(NC_EEXIST, nc_create(sub, NC_CLOBBER, &ncid)); /* a file */
    FAILS(NC_ENOTNC, nc_delete(sub));
    FAILS(NC_ENOTNC, nc_open(sub, NC_NOWRITE, &ncid));

    OK(nc_create(p.path, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_close(ncid));
    write_file(p.path, "notes.txt", "mine"); /* a dataset with something else in it */
    FAILS(NC_EEXIST, nc_create(p.path, NC_CLOBBER, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), "notes.txt"));
    FAILS(NC_EEXIST, nc_delete(p.path));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    check_small_dataset(ncid);
    OK(nc_close(ncid));
    snprintf(sub, sizeof sub, "%s/notes.txt", p.path);
    assert_int_equal(unlink(sub), 0);
    OK(nc_create(p.path, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    assert_false(exists(p.path, "v"));
    place_drop(&p);
}

/* A link is written through, by whatever is made; deleting it leaves what it leads to. */
TEST(through_links)
{
    static const char *const names[] = {"real.zarr", "real.zip", "real.nc"};
    char                     link[400], real[400], text[8];
    size_t                   n;
    place                    p;
    int                      ncid;

    place_make(&p, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(link, sizeof link, "%s/link%s", p.dir, strchr(names[i], '.'));
        snprintf(real, sizeof real, "%s/%s", p.dir, names[i]);
        assert_int_equal(symlink(names[i], link), 0);
        for (int turn = 0; turn < 3; turn++) { /* it leads to nothing, to a dataset, to one that is made in memory */
            OK(nc_create(link, NC_CLOBBER | (turn == 2 ? NC_DISKLESS | NC_PERSIST : 0), &ncid));
            OK(nc_put_att_text(ncid, NC_GLOBAL, "turn", 1, &"012"[turn]));
            OK(nc_close(ncid));
            assert_true(readlink(link, text, sizeof text) > 0);
            OK(nc_open(real, NC_NOWRITE, &ncid));
            OK(nc_get_att_text(ncid, NC_GLOBAL, "turn", text));
            assert_int_equal(text[0], '0' + turn);
            OK(nc_close(ncid));
        }
        OK(nczarr_inq_delete(link, &n));
        assert_true(n > 0);
        OK(nc_delete(link));
        assert_int_equal(readlink(link, text, sizeof text), -1);
        OK(nc_open(real, NC_NOWRITE, &ncid));
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

/* What would go is known beforehand, and replace=all takes what is not of a dataset. */
TEST(replaces_all)
{
    char   all[400];
    size_t n = 7;
    place  p;
    int    ncid;

    place_make(&p, false);
    snprintf(all, sizeof all, "%s#replace=all", p.path);
    OK(nc_create(p.path, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_close(ncid));
    OK(nczarr_inq_delete(p.path, &n));
    assert_true(n > 3 && n < 20);
    write_file(p.path, "notes.txt", "mine");
    FAILS(NC_EEXIST, nczarr_inq_delete(p.path, NULL));
    assert_non_null(strstr(nczarr_errmsg(), "notes.txt"));
    OK(nczarr_inq_delete(all, NULL));
    assert_true(exists(p.path, "notes.txt"));
    OK(nc_create(all, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    assert_false(exists(p.path, "notes.txt"));
    write_file(p.path, "notes.txt", "mine");
    assert_int_equal(symlink("/", strcat(strcpy(all, p.path), "/out")), 0);
    snprintf(all, sizeof all, "%s#replace=all", p.path);
    OK(nc_delete(all));
    assert_false(exists(p.dir, "data.zarr"));
    FAILS(NC_ENOOBJECT, nczarr_inq_delete(all, NULL));
    FAILS(NC_EINVAL, nc_create(strcat(all, "x"), NC_CLOBBER, &ncid));
    place_drop(&p);
}

/* A port that is taken, but at which nobody listens. Without S3 and HTTP in the library that is said. */
static void
open_where_nobody_listens(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          len = sizeof here;
    int                taken = socket(AF_INET, SOCK_STREAM, 0), ncid = -7, rc;
    char               url[200];

    assert_int_equal(bind(taken, (struct sockaddr *)&here, len), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&here, &len), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/x.zarr", ntohs(here.sin_port));
    rc = nc_open(url, NC_NOWRITE, &ncid);
    assert_true(rc == NC_ECURL || rc == NC_ENOTBUILT);
    assert_non_null(strstr(nczarr_errmsg(), rc == NC_ECURL ? url : "without S3 and HTTP"));
    rc = nc_create(url, NC_CLOBBER, &ncid);
    assert_true(rc == NC_EPERM || rc == NC_ENOTBUILT);
    strcat(url, "#mode=s3,nczarr&anon=yes");
    rc = nc_open(url, NC_NOWRITE, &ncid);
    assert_true(rc == NC_ECURL || rc == NC_ENOTBUILT);
    rc = nc_create(url, NC_CLOBBER, &ncid);
    assert_true(rc != NC_NOERR);
    assert_int_equal(ncid, -7);
    assert_int_equal(close(taken), 0);
}

TEST(open_what_is_not_there)
{
    place p;
    int   ncid = -7;
    char  url[400];

    place_make(&p, false);
    FAILS(NC_ENOOBJECT, nc_open(p.path, NC_NOWRITE, &ncid));
    FAILS(NC_ENOTNC, nc_open(p.dir, NC_NOWRITE, &ncid)); /* an empty directory */
    assert_non_null(strstr(nczarr_errmsg(), ".zgroup"));
    FAILS(NC_EINVAL, nc_open("what://x/y", NC_NOWRITE, &ncid));
    snprintf(url, sizeof url, "file://%s#mode=strange", p.path);
    FAILS(NC_ENOTNC, nc_open(url, NC_NOWRITE, &ncid));
    snprintf(url, sizeof url, "file://%s#mode=nczarr,zip", p.path);
    FAILS(NC_ENOOBJECT, nc_open(url, NC_NOWRITE, &ncid));
    open_where_nobody_listens();
    snprintf(url, sizeof url, "%s/no/such/parent", p.dir);
    FAILS(NC_ENOOBJECT, nc_create(url, NC_CLOBBER, &ncid));
    FAILS(NC_ENOOBJECT, nc_delete(p.path));
    FAILS(NC_EINVAL, nc_create(p.path, NC_CLOBBER | NC_MMAP, &ncid));
    FAILS(NC_EDISKLESS, nc_create(p.path, NC_CLOBBER | NC_DISKLESS | NC_INMEMORY, &ncid));
    FAILS(NC_ENOOBJECT, nc_open(p.path, NC_DISKLESS, &ncid));
    FAILS(NC_EINVAL, nc_open(p.path, NC_INMEMORY, &ncid));
    FAILS(NC_EINVAL, nc_open(NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EINVAL, nc_create(p.path, NC_CLOBBER, NULL));
    snprintf(url, sizeof url, "file://%s#durability=often", p.path);
    FAILS(NC_EINVAL, nc_create(url, NC_CLOBBER, &ncid));
    assert_false(exists(p.dir, "data.zarr")); /* a failed creation leaves nothing */
    assert_int_equal(ncid, -7);
    snprintf(url, sizeof url, "file://%s#mode=zip&durability=each", p.path);
    FAILS(NC_ENOTBUILT, nc_create(url, NC_CLOBBER, &ncid));
    snprintf(url, sizeof url, "file://%s#durability=each", p.path);
    OK(nc_create(url, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(paths_and_urls)
{
    place  p;
    int    ncid, format = 0, mode = 0;
    char   url[400], back[400];
    size_t len = 0;

    place_make(&p, false);
    snprintf(url, sizeof url, "file://%s#mode=nczarr,file", p.path);
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_inq_path(ncid, &len, back));
    assert_string_equal(back, url);
    assert_int_equal(len, strlen(url));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4);
    OK(nc_inq_format_extended(ncid, &format, &mode));
    assert_int_equal(format, NC_FORMATX_NCZARR);
    assert_true((mode & NC_NETCDF4) != 0);
    OK(nc_set_base_pe(ncid, 0));
    OK(nc_inq_base_pe(ncid, &format));
    OK(nc_show_metadata(ncid));
    OK(nc_close(ncid));
    OK(nc__open(p.path, NC_NOWRITE, &len, &ncid)); /* a plain path */
    check_small_dataset(ncid);
    OK(nc_close(ncid));
    OK(nc_delete(url));
    assert_false(exists(p.dir, "data.zarr"));
    OK(nc__create(p.path, NC_CLOBBER, 0, &len, &ncid));
    OK(nc_close(ncid));
    OK(nc__open_mp(p.path, NC_WRITE, 0, &len, &ncid));
    OK(nc_close(ncid));
    OK(nc_delete_mp(p.path, 0));
    place_drop(&p);
}

TEST(diskless_writes_no_file)
{
    place p;
    int   ncid;

    place_make(&p, false);
    OK(nc_create(p.path, NC_CLOBBER | NC_DISKLESS, &ncid));
    small_dataset(ncid);
    OK(nc_sync(ncid));
    check_small_dataset(ncid);
    OK(nc_close(ncid));
    assert_false(exists(p.dir, "data.zarr"));
    place_drop(&p);
}

/* ---- abort ---- */

TEST(abort_of_new)
{
    place p;
    int   ncid, dim, var, i;

    place_make(&p, false);
    write_file(p.dir, "decoy", "beside");
    OK(nc_create(p.path, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_enddef(ncid));
    OK(nc_put_var1_int(ncid, var, (size_t[]){1}, &(int){7}));
    write_file(p.path, "decoy", "inside");
    OK(nc_abort(ncid));
    assert_true(exists(p.dir, "decoy"));
    assert_true(exists(p.path, "decoy"));
    assert_false(exists(p.path, "v"));
    assert_false(exists(p.path, ".zgroup"));
    FAILS(NC_EBADID, nc_abort(ncid));

    snprintf(p.path, sizeof p.path, "%s/other.zarr", p.dir);
    OK(nc_create(p.path, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_abort(ncid));
    assert_false(exists(p.dir, "other.zarr"));

    OK(nc_create(p.path, NC_CLOBBER, &ncid)); /* once committed it stays */
    small_dataset(ncid);
    OK(nc_sync(ncid));
    OK(nc_inq_varid(ncid, "v", &var));
    for (i = 0; i < 3; i++)
        OK(nc_put_att_int(ncid, NC_GLOBAL, "late", NC_INT, 1, &i));
    OK(nc_abort(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    check_small_dataset(ncid);
    FAILS(NC_ENOTATT, nc_inq_att(ncid, NC_GLOBAL, "late", NULL, NULL));
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST_IN_EACH_PLACE(abort_of_changes)
{
    int ncid, var, dim, one = 1;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "new", NC_INT, 1, &one));
    OK(nc_inq_dimid(ncid, "x", &dim));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &var));
    OK(nc_put_var1_int(ncid, var, (size_t[]){0}, &one));
    OK(nc_put_var1_int(ncid, 0, (size_t[]){0}, &(int){99}));
    OK(nc_abort(ncid));
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    check_small_dataset(ncid);
    FAILS(NC_ENOTATT, nc_inq_att(ncid, NC_GLOBAL, "new", NULL, NULL));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "w", NULL));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &var)); /* and what it had put is not found again */
    OK(nc_get_var1_int(ncid, var, (size_t[]){0}, &one));
    assert_int_equal(one, NC_FILL_INT);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_abort(ncid)); /* of a read-only one: nothing to drop */
}

TEST(abort_of_new_map)
{
    place p;
    int   ncid;

    place_make(&p, true);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    small_dataset(ncid);
    OK(nc_abort(ncid));
    FAILS(NC_ENOTNC, place_open(&p, NULL, NC_NOWRITE, &ncid));
    place_drop(&p);
}

/* ---- the map's own life ---- */

TEST(a_dataset_has_its_own_reference_to_a_store)
{
    place       p;
    nczarr_map *map;
    int         ncid;

    place_make(&p, false);
    FAILS(NC_ENOOBJECT, nczarr_map_file(p.path, 0, &map));
    OK(nczarr_map_file(p.path, 1, &map));
    OK(nczarr_create_map(map, "mode=zarr", NC_NOCLOBBER, &ncid));
    OK(nczarr_map_close(map)); /* the dataset has its own reference */
    small_dataset(ncid);
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    check_small_dataset(ncid);
    OK(nc_close(ncid));
    OK(nczarr_map_close(NULL));
    FAILS(NC_EINVAL, nczarr_map_memory(NULL));
    FAILS(NC_EINVAL, nczarr_create_map(NULL, NULL, 0, &ncid));
    FAILS(NC_EINVAL, nczarr_open_map(NULL, NULL, 0, &ncid));
    place_drop(&p);
}

TEST(many_open)
{
    place p;
    int   ncid[40], first;

    place_make(&p, true);
    OK(place_create(&p, NULL, NC_CLOBBER, &first));
    small_dataset(first);
    OK(nc_sync(first));
    for (int i = 0; i < 40; i++)
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid[i]));
    for (int i = 0; i < 40; i++) {
        assert_int_equal(ncid[i] % 0x10000, 0);
        check_small_dataset(ncid[i]);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(ncid[i], ncid[k]);
    }
    for (int i = 0; i < 40; i++)
        OK(nc_close(ncid[i]));
    OK(nc_close(first));
    FAILS(NC_EBADID, nc_close(ncid[3]));
    FAILS(NC_EBADID, nc_close(0));
    FAILS(NC_EBADID, nc_close(-1));
    FAILS(NC_EBADID, nc_close(0x7fffffff));
    place_drop(&p);
}

/* A closed ncid is not given again soon, and those of a program that opens one dataset after the other are few. */
TEST(ncids_go_round)
{
    enum { SOON = 500, FEW = 2000, OPENS = 5000, MANY = 1500, NUMBERS = 0x8000 };
    static int last[NUMBERS], open[MANY];
    int        ncid, different = 0;

    for (int i = 1; i <= OPENS; i++) {
        int kept;

        OK(nc_create("ncids", NC_DISKLESS | NC_NETCDF4, &ncid));
        kept = last[ncid / 0x10000];
        assert_true(kept == 0 || i - kept > SOON);
        different += kept == 0;
        last[ncid / 0x10000] = i;
        OK(nc_close(ncid));
    }
    assert_in_range(different, SOON, FEW);
    for (int i = 0; i < MANY; i++) {
        OK(nc_create("ncids", NC_DISKLESS | NC_NETCDF4, &open[i]));
        assert_true(last[open[i] / 0x10000] >= 0);
        last[open[i] / 0x10000] = -1;
    }
    for (int i = 0; i < MANY; i++)
        OK(nc_close(open[i]));
    FAILS(NC_EBADID, nc_close(open[0]));
}
