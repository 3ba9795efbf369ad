/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many calls lie between a call of a program and the system call that moves its bytes, for each store and on one
 * thread: docs/architecture.md lists some of them, and promises no more. The counts are those of a build without
 * optimisation; others have fewer, since they inline some.
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
    LEN = 32768, /* elements of a chunk: too large for the short way, which leaves it in the cache */
};

/* The most calls of each kind, the program's and the system call included. */
typedef struct store_case {
    const char *name, *file; /* file: the name of what is written; NULL: one of the tests' data */
    bool        deflate, classic;
    int         open, first, get, put, close;
} store_case;

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
    return ncz_system.file.read(fd, data, len);
}

static ssize_t
count_readv(int fd, const struct iovec *to, int n)
{
    note_depth();
    return ncz_system.file.readv(fd, to, n);
}

static ssize_t
count_pread(int fd, void *data, size_t len, off_t at)
{
    note_depth();
    return ncz_system.file.pread(fd, data, len, at);
}

static ssize_t
count_preadv(int fd, const struct iovec *to, int n, off_t at)
{
    note_depth();
    return ncz_system.file.preadv(fd, to, n, at);
}

static ssize_t
count_write(int fd, const void *data, size_t len)
{
    note_depth();
    return ncz_system.file.write(fd, data, len);
}

static ssize_t
count_pwritev(int fd, const struct iovec *from, int n, off_t at)
{
    note_depth();
    return ncz_system.file.pwritev(fd, from, n, at);
}

/* `some`: there must be a call. */
static void
check_depth(const store_case *c, const char *what, int from, int most, bool some)
{
    print_message("[ depth ] %s, %s: %d of %d calls\n", c->name, what, deepest > from ? deepest - from : 0, most);
    if (deepest - from > most || (some && deepest <= from))
        fail_msg("%s, %s: %d calls, not 1 to %d", c->name, what, deepest - from, most);
}

/* Two chunks: the first read of a compressed one makes the buffer that later ones find. */
static void
write_dataset(const store_case *c, place *p)
{
    static float values[LEN];
    int          ncid, dim, v, from = count_frames();

    OK(nc_create(p->path, NC_CLOBBER | (c->classic ? 0 : NC_NETCDF4), &ncid));
    OK(nc_def_dim(ncid, "x", 2 * LEN, &dim));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &v));
    if (!c->classic)
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){LEN}));
    if (c->deflate)
        OK(nc_def_var_deflate(ncid, v, 0, 1, 1));
    OK(nc_enddef(ncid));
    for (size_t i = 0; i < LEN; i++)
        values[i] = (float)i;
    for (size_t at = 0; at < 2 * LEN; at += LEN) {
        deepest = 0;
        OK(nc_put_vara_float(ncid, v, (size_t[]){at}, (size_t[]){LEN}, values));
        check_depth(c, "put", from, c->put, !c->classic);
    }
    deepest = 0;
    OK(nc_close(ncid));
    check_depth(c, "close", from, c->close, true);
}

/* The first get loads what the open has not. */
static void
read_dataset(const store_case *c, place *p)
{
    static float values[LEN];
    size_t       count = LEN;
    int          ncid, dims[2], from = count_frames();

    deepest = 0;
    OK(nc_open(p->path, NC_NOWRITE, &ncid));
    check_depth(c, "open", from, c->open, true);
    deepest = 0;
    OK(nc_get_vara_float(ncid, 0, (size_t[]){0, 0}, (size_t[]){1, 1}, values));
    check_depth(c, "first get", from, c->first, true);
    if (c->file == NULL) {
        OK(nc_inq_vardimid(ncid, 0, dims));
        OK(nc_inq_dimlen(ncid, dims[0], &count));
    }
    deepest = 0;
    OK(nc_get_vara_float(ncid, 0, (size_t[]){c->file != NULL ? LEN : 0, 0}, (size_t[]){count, 1}, values));
    check_depth(c, "get", from, c->get, true);
    OK(nc_close(ncid));
}

static void
check_store(const store_case *c)
{
    place p;

    place_make(&p, false);
    if (c->file != NULL)
        (void)snprintf(p.path, sizeof p.path, "%s/%s", p.dir, c->file);
    else
        (void)snprintf(p.path, sizeof p.path, "%s/netcdf4/strict.nc", NCZ_TEST_DATA);
    if (c->file != NULL)
        write_dataset(c, &p);
    read_dataset(c, &p);
    place_drop(&p);
}

TEST(calls_stay_within_their_depth)
{
    static const store_case cases[] = {
        {"directory", "data.zarr", false, false, 14, 17, 17, 20, 13},
        {"directory, deflate", "deflate.zarr", true, false, 14, 17, 17, 20, 13},
        {"zip", "data.zip", false, false, 16, 20, 20, 19, 13},
        {"classic", "data.nc", false, true, 16, 18, 18, 18, 22},
        {"netCDF-4", NULL, false, false, 16, 19, 19, 0, 0},
    };

#ifndef HAVE_BACKTRACE
    skip();
#endif
    counting = ncz_system;
    counting.file.read = count_read;
    counting.file.readv = count_readv;
    counting.file.pread = count_pread;
    counting.file.preadv = count_preadv;
    counting.file.write = count_write;
    counting.file.pwritev = count_pwritev;
    zmap_file_use(&counting);
    OK(nczarr_set_threads(1));
    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        check_store(&cases[i]);
    OK(nczarr_set_threads(0));
    zmap_file_use(NULL);
}
