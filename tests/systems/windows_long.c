/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `long` has 32 bits on Windows, sizes and offsets have 64: windows_long DATASET. Prints what is wrong.
 */
#include "nczarr.h"

#include <limits.h>
#include <stdio.h>

static int failures;

#define CHECK(condition)                                                                                             \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            printf("line %d: %s (%s)\n", __LINE__, #condition, nczarr_errmsg());                                     \
            failures++;                                                                                              \
        }                                                                                                            \
    } while (0)

int
main(int argc, char **argv)
{
    const long long big[2] = {5000000000, -7};
    const size_t    start = 6000000000, count = 2, first = 0;
    const long      few[2] = {LONG_MAX, LONG_MIN};
    long long       back[2] = {0, 0};
    long            small[2] = {0, 0};
    size_t          chunk = 1000, len = 0;
    int             ncid = -1, dim, v;

    CHECK(argc == 2 && sizeof(long) == 4 && sizeof(size_t) == 8);
    CHECK(nc_create(argv[1], NC_CLOBBER, &ncid) == NC_NOERR);
    CHECK(nc_def_dim(ncid, "x", (size_t)8000000000, &dim) == NC_NOERR);
    CHECK(nc_def_var(ncid, "v", NC_INT64, 1, &dim, &v) == NC_NOERR);
    CHECK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &chunk) == NC_NOERR);
    CHECK(nc_put_vara_longlong(ncid, v, &start, &count, big) == NC_NOERR);
    CHECK(nc_put_vara_long(ncid, v, &first, &count, few) == NC_NOERR);
    CHECK(nc_close(ncid) == NC_NOERR);

    CHECK(nc_open(argv[1], NC_NOWRITE, &ncid) == NC_NOERR);
    CHECK(nc_inq_dimlen(ncid, 0, &len) == NC_NOERR && len == 8000000000);
    CHECK(nc_get_vara_longlong(ncid, 0, &start, &count, back) == NC_NOERR && back[0] == big[0] && back[1] == -7);
    CHECK(nc_get_vara_long(ncid, 0, &start, &count, small) == NC_ERANGE && small[1] == -7);
    CHECK(nc_get_vara_long(ncid, 0, &first, &count, small) == NC_NOERR && small[0] == LONG_MAX &&
          small[1] == LONG_MIN);
    CHECK(nc_get_vara_longlong(ncid, 0, &first, &count, back) == NC_NOERR && back[0] == INT_MAX &&
          back[1] == INT_MIN);
    CHECK(nc_close(ncid) == NC_NOERR);
    return failures != 0;
}
