/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classic file on a web server and in a bucket that another one replaces while it is open: no value of the other one
 * is read, whatever the server has to tell them apart; and answers that name different sizes.
 */
#include "nczarr.h"
#include "s3/stub.h"
#include "support/scratch.h"
#include "support/test.h"

enum { HEAD = 80, N = 300000, SIZE = HEAD + 4 * N }; /* ints: several pieces of the library's */

/* How two versions differ. */
typedef enum stamps { BY_ETAG, BY_TIME, BY_SIZE } stamps;

typedef struct served {
    stamps   by;
    unsigned version; /* all values are this number */
    size_t   missing; /* bytes at the end that the file lacks */
    unsigned lies_to; /* answers up to this one tell half of the size */
} served;

static char *
add_word(char *at, unsigned word)
{
    for (int i = 3; i >= 0; i--)
        *at++ = (char)(word >> 8 * i & 0xff);
    return at;
}

/* A file of CDF-1 with a variable v(x). */
static char *
make_file(unsigned value)
{
    static const unsigned head[] = {0, 10,         1, 1, 0x78000000, N, 0, 0,     11,  1,
                                    1, 0x76000000, 1, 0, 0,          0, 4, 4 * N, HEAD};
    char                 *file = malloc(SIZE), *at = file;

    assert_non_null(file);
    memcpy(at, "CDF\1", 4);
    at += 4;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        at = add_word(at, head[i]);
    assert_int_equal(at - file, HEAD);
    for (size_t i = 0; i < N; i++)
        at = add_word(at, value);
    return file;
}

static void
add_stamp(const served *s, stub_reply *reply)
{
    char text[100];

    if (s->by == BY_ETAG) {
        snprintf(text, sizeof text, "\"v%u\"", s->version);
        stub_add(reply, "ETag", text);
    } else if (s->by == BY_TIME) {
        snprintf(text, sizeof text, "Thu, 26 Nov 2026 06:00:%02u GMT", s->version);
        stub_add(reply, "Last-Modified", text);
    }
}

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    const served *s = arg;
    size_t        size = SIZE - (s->by == BY_SIZE ? 4 * s->version : 0) - s->missing, from = 0, last = size - 1, told;
    char         *range = stub_header(req, "Range"), *path = stub_path(req), text[100], *file;

    told = req->number <= s->lies_to ? size / 2 : size;
    if (strstr(path, "t.nc") == NULL) {
        stub_fault(reply, 404, "NoSuchKey");
    } else {
        if (range != NULL && sscanf(range, "bytes=%zu-%zu", &from, &last) >= 1) {
            last = last < size ? last : size - 1;
            reply->status = 206;
            snprintf(text, sizeof text, "bytes %zu-%zu/%zu", from, last, told);
            stub_add(reply, "Content-Range", text);
        }
        add_stamp(s, reply);
        file = make_file(s->version);
        reply->nbody = last + 1 - from;
        assert_non_null(reply->body = malloc(reply->nbody));
        memcpy(reply->body, file + from, reply->nbody);
        free(file);
    }
    free(range);
    free(path);
}

static int
open_served(const stub *server, bool bucket, int *ncid)
{
    char url[200];

    snprintf(url, sizeof url, "http://127.0.0.1:%u%s/t.nc%s", stub_port(server), bucket ? "/bucket" : "",
             bucket ? "#mode=s3&anon" : "");
    return nc_open(url, NC_NOWRITE, ncid);
}

/* 1000 values; each is `value`. */
static int
get_some(int ncid, size_t from, int value)
{
    int got[1000], rc = nc_get_vara_int(ncid, 0, &from, (size_t[]){1000}, got);

    for (size_t i = 0; rc == NC_NOERR && i < 1000; i++)
        assert_int_equal(got[i], value);
    return rc;
}

TEST(an_object_replaced_while_open_is_noticed)
{
    for (int bucket = 0; bucket < 2; bucket++)
        for (stamps by = BY_ETAG; by <= BY_SIZE; by++) {
            served s = {.by = by, .version = 1};
            stub  *server = stub_start(serve, &s);
            int    ncid;

            assert_int_equal(open_served(server, bucket != 0, &ncid), NC_NOERR);
            assert_int_equal(get_some(ncid, 0, 1), NC_NOERR);
            s.version = 2;
            assert_int_equal(get_some(ncid, 200000, 2), NC_EIO);
            assert_non_null(strstr(nczarr_errmsg(), "t.nc: the file was replaced or changed since it was opened"));
            assert_int_equal(get_some(ncid, 250000, 2), NC_EIO);
            assert_int_equal(get_some(ncid, 0, 1), NC_NOERR); /* what is in memory */
            assert_int_equal(nc_sync(ncid), NC_EIO);
            assert_int_equal(nc_close(ncid), NC_NOERR);
            assert_int_equal(open_served(server, bucket != 0, &ncid), NC_NOERR);
            assert_int_equal(get_some(ncid, 200000, 2), NC_NOERR);
            assert_int_equal(nc_close(ncid), NC_NOERR);
            stub_stop(server);
        }
}

/* A server whose first answer names another size than those that follow. */
TEST(two_sizes)
{
    for (int bucket = 0; bucket < 2; bucket++) {
        served s = {.by = BY_SIZE, .lies_to = 1};
        stub  *server = stub_start(serve, &s);
        int    ncid;

        assert_int_equal(open_served(server, bucket != 0, &ncid), NC_EIO);
        assert_non_null(strstr(nczarr_errmsg(), "the server says that the file has 600040 bytes, and then 1200080"));
        s.lies_to = 0;
        assert_int_equal(open_served(server, bucket != 0, &ncid), NC_NOERR);
        assert_int_equal(get_some(ncid, N - 1000, 0), NC_NOERR);
        assert_int_equal(nc_close(ncid), NC_NOERR);
        stub_stop(server);
    }
}

/* Values that the file has lost, of which the open warns. */
TEST(cut_file)
{
    for (int bucket = 0; bucket < 2; bucket++) {
        served             s = {.by = BY_ETAG, .version = 1, .missing = 2000};
        stub              *server = stub_start(serve, &s);
        size_t             n;
        const char *const *texts;
        int                ncid;

        assert_int_equal(open_served(server, bucket != 0, &ncid), NC_NOERR);
        assert_int_equal(nczarr_inq_warnings(ncid, &n, &texts), NC_NOERR);
        assert_int_equal(n, 1);
        assert_non_null(strstr(texts[0],
                               "it has 1198080 bytes, its header tells of 1200080; missing: variables v from "
                               "element 299500 of 300000 on"));
        assert_int_equal(nczarr_set_missing(ncid, NCZARR_MISSING_ERROR), NC_NOERR);
        assert_int_equal(get_some(ncid, 0, 1), NC_NOERR);
        assert_int_equal(get_some(ncid, N - 1000, 1), NC_ETRUNC);
        assert_int_equal(nc_close(ncid), NC_NOERR);
        stub_stop(server);
    }
}
