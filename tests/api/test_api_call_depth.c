/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many calls lie between a get or put and the system call that moves its bytes, in a directory and on one thread:
 * docs/architecture.md lists them, and promises no more. An optimised build has fewer, since it inlines some; the count
 * is exact without optimisation.
 */
#include "api_test.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#if defined __has_include
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAVE_BACKTRACE 1
#endif
#endif

enum {
    GET_MOST = 14, /* nc_get_vara_float() and the system call included */
    PUT_MOST = 15,
    LEN = 32768, /* elements of a chunk: too large for the short way, which leaves it in the cache */
};

static ncz_syscalls counting;
static int          deepest; /* frames below main() of the deepest call since the last reset */

#ifdef HAVE_BACKTRACE
static int
count_frames(void)
{
    void *frames[200];

    return backtrace(frames, 200) - 1; /* without this function */
}
#else
static int
count_frames(void)
{
    return 0;
}
#endif

static void
note_depth(void)
{
    int depth = count_frames() - 1; /* of the system call's place */

    if (depth > deepest)
        deepest = depth;
}

static ssize_t
count_read(int fd, void *data, size_t len)
{
    note_depth();
    return ncz_system.read(fd, data, len);
}

static ssize_t
count_readv(int fd, const struct iovec *to, int n)
{
    note_depth();
    return ncz_system.readv(fd, to, n);
}

static ssize_t
count_write(int fd, const void *data, size_t len)
{
    note_depth();
    return ncz_system.write(fd, data, len);
}

static void
check_depth(const char *what, int from, int most)
{
    if (deepest - from > most || deepest <= from)
        fail_msg("%s: %d calls, not 1 to %d", what, deepest - from, most);
}

/* Two chunks: the first read of a compressed one makes the buffer that later ones find. */
static void
expect_calls(bool deflate)
{
    static float values[LEN];
    place        p;
    int          ncid, dim, v, from = count_frames();

    place_make(&p, false);
    OK(place_create(&p, NULL, NC_CLOBBER | NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "x", 2 * LEN, &dim));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){LEN}));
    if (deflate)
        OK(nc_def_var_deflate(ncid, v, 0, 1, 1));
    OK(nc_enddef(ncid));
    for (size_t i = 0; i < LEN; i++)
        values[i] = (float)i;
    for (size_t at = 0; at < 2 * LEN; at += LEN) {
        deepest = 0;
        OK(nc_put_vara_float(ncid, v, (size_t[]){at}, (size_t[]){LEN}, values));
        check_depth("put", from, PUT_MOST);
    }
    OK(nc_close(ncid));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    for (size_t at = 0; at < 2 * LEN; at += LEN) {
        deepest = 0;
        OK(nc_get_vara_float(ncid, v, (size_t[]){at}, (size_t[]){LEN}, values));
        if (!deflate || at > 0)
            check_depth("get", from, GET_MOST);
    }
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(calls_stay_within_their_depth)
{
#ifndef HAVE_BACKTRACE
    skip();
#endif
    counting = ncz_system;
    counting.read = count_read;
    counting.readv = count_readv;
    counting.write = count_write;
    zmap_file_use(&counting);
    OK(nczarr_set_threads(1));
    expect_calls(false);
    expect_calls(true);
    OK(nczarr_set_threads(0));
    zmap_file_use(NULL);
}
