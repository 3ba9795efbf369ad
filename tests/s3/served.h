/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small dataset in a folder of the test's own, served by stub.h as a web server and as a bucket: what a request asks
 * for, what it gets where nothing is wrong, and whether what was read is right.
 */
#ifndef NCZ_TESTS_S3_SERVED_H
#define NCZ_TESTS_S3_SERVED_H

#include "nczarr.h"
#include "s3/stub.h"
#include "support/scratch.h"

#include "support/test.h"
#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SERVED_N = 12, SERVED_CHUNK = 4, SERVED_HOLE = 1 }; /* that chunk is not stored */

static char served_folder[64];
static char served_message[1000]; /* of the last failure */

static inline int
served_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline int32_t
served_value(size_t i)
{
    return i / SERVED_CHUNK == SERVED_HOLE ? -9 : (int32_t)(100 + i);
}

/* The folder, the environment, and the dataset in it: a group with a variable, and a scalar beside it. `mode` is put
 * behind the URL. */
static inline void
served_make(const char *mode)
{
    const size_t chunk = SERVED_CHUNK;
    const int    fill = -9, scalar = 7;
    char         url[200];
    int          nc, grp, dim, var, one;

    strcpy(served_folder, "/tmp/ncz-served-XXXXXX");
    assert_non_null(mkdtemp(served_folder));
    snprintf(url, sizeof url, "file://%s/d.zarr#mode=nczarr%s", served_folder, mode);
    assert_int_equal(nc_create(url, NC_NETCDF4, &nc), NC_NOERR);
    assert_int_equal(nc_def_grp(nc, "g", &grp), NC_NOERR);
    assert_int_equal(nc_def_dim(nc, "x", SERVED_N, &dim), NC_NOERR);
    assert_int_equal(nc_def_var(grp, "v", NC_INT, 1, &dim, &var), NC_NOERR);
    assert_int_equal(nc_def_var_chunking(grp, var, NC_CHUNKED, &chunk), NC_NOERR);
    assert_int_equal(nc_def_var_fill(grp, var, NC_FILL, &fill), NC_NOERR);
    assert_int_equal(nc_put_att_text(grp, var, "units", 1, "m"), NC_NOERR);
    assert_int_equal(nc_def_var(nc, "s", NC_INT, 0, NULL, &one), NC_NOERR);
    assert_int_equal(nc_enddef(nc), NC_NOERR);
    for (size_t i = 0; i < SERVED_N; i++) {
        int value = served_value(i);

        if (value != fill)
            assert_int_equal(nc_put_var1_int(grp, var, &i, &value), NC_NOERR);
    }
    assert_int_equal(nc_put_var_int(nc, one, &scalar), NC_NOERR);
    assert_int_equal(nc_close(nc), NC_NOERR);
}

static inline void
served_end(void)
{
    (void)nftw(served_folder, served_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* What a URL says where. */
static inline void
served_url(char url[200], const stub *server, bool bucket, const char *more)
{
    snprintf(url, 200, "http://127.0.0.1:%u%s/d.zarr#mode=nczarr%s%s", stub_port(server), bucket ? "/bucket" : "",
             bucket ? ",s3&anon" : "", more);
}

/* What belongs to a request's path (below "/bucket"), or 404 as a bucket and a web server say it. */
static inline void
served_answer(const stub_request *req, stub_reply *reply)
{
    char *path = stub_path(req), file[600];

    snprintf(file, sizeof file, "%s%s", served_folder, strncmp(path, "/bucket/", 8) == 0 ? path + 7 : path);
    free(path);
    if ((reply->body = scratch_read(file, &reply->nbody)) == NULL)
        stub_fault(reply, 404, "NoSuchKey");
}

/* Opens, reads all that there is, closes. NC_NOERR: all values are right; a wrong one ends the test. */
static inline int
served_read(const char *url)
{
    int32_t v[SERVED_N] = {0};
    char    units[2] = "";
    int     nc, grp, var, rc, scalar = 0;
    size_t  nwarnings = 0;

    served_message[0] = '\0';
    if ((rc = nc_open(url, NC_NOWRITE, &nc)) != NC_NOERR) {
        snprintf(served_message, sizeof served_message, "%s", nczarr_errmsg());
        return rc;
    }
    if ((rc = nc_inq_ncid(nc, "g", &grp)) == NC_NOERR && (rc = nc_inq_varid(grp, "v", &var)) == NC_NOERR &&
        (rc = nc_get_att_text(grp, var, "units", units)) == NC_NOERR)
        rc = nc_get_var_int(grp, var, v);
    for (size_t i = 0; rc == NC_NOERR && i < SERVED_N; i++)
        if (v[i] != served_value(i))
            fail_msg("v[%zu] is %d, not %d, and no error", i, (int)v[i], (int)served_value(i));
    if (rc == NC_NOERR && (rc = nc_inq_varid(nc, "s", &var)) == NC_NOERR)
        rc = nc_get_var_int(nc, var, &scalar);
    /* A group's document that could not be had is told. */
    if (rc == NC_NOERR && nczarr_inq_warnings(nc, &nwarnings, NULL) == NC_NOERR && nwarnings > 0)
        rc = NC_EACCESS;
    if (rc == NC_NOERR && (scalar != 7 || strcmp(units, "m") != 0))
        fail_msg("s is %d, units \"%s\", and no error", scalar, units);
    if (rc != NC_NOERR)
        snprintf(served_message, sizeof served_message, "%s", nczarr_errmsg());
    (void)nc_close(nc);
    return rc;
}

#endif /* NCZ_TESTS_S3_SERVED_H */
