/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many calls lie between a call of a program and libcurl, for a web server and for a bucket, on one thread. Those
 * of libcurl do not count. tests/api/test_api_call_depth.c does the same for files. This process is the server, too.
 */
#include "s3/served.h"
#include "s3/s3_help.h"

#include <curl/curl.h>

#if defined __has_include
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAVE_BACKTRACE 1
#endif
#endif

static int deepest; /* frames of the deepest call since the last reset */

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

CURLMcode __real_curl_multi_perform(CURLM *multi, int *running);
CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *running);

/* In the place of libcurl's, by the linker's --wrap. */
CURLMcode
__wrap_curl_multi_perform(CURLM *multi, int *running)
{
    int depth = count_frames();

    if (depth > deepest)
        deepest = depth;
    return __real_curl_multi_perform(multi, running);
}

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    served_answer(req, reply);
}

static void
check_depth(const char *name, const char *what, int from, int most)
{
    int depth = deepest > from ? deepest - from : 0;

    print_message("[ depth ] %s, %s: %d of %d calls\n", name, what, depth, most);
    if (depth == 0 || depth > most)
        fail_msg("%s, %s: %d calls, not 1 to %d", name, what, depth, most);
    deepest = 0;
}

/* The first inquiry loads what the open has not. */
static void
check_store(const char *name, const stub *server, bool bucket)
{
    const size_t at = 0, next = SERVED_N - 1;
    char         url[200];
    int32_t      value;
    int          nc, grp, var, from = count_frames();

    served_url(url, server, bucket, "");
    deepest = 0;
    assert_int_equal(nc_open(url, NC_NOWRITE, &nc), NC_NOERR);
    check_depth(name, "open", from, 14);
    assert_int_equal(nc_inq_ncid(nc, "g", &grp), NC_NOERR);
    check_depth(name, "first inquiry", from, 18);
    assert_int_equal(nc_inq_varid(grp, "v", &var), NC_NOERR);
    assert_int_equal(nc_get_var1_int(grp, var, &at, &value), NC_NOERR);
    assert_int_equal(value, served_value(at));
    check_depth(name, "get", from, 13);
    assert_int_equal(nc_get_var1_int(grp, var, &next, &value), NC_NOERR);
    assert_int_equal(value, served_value(next));
    check_depth(name, "next get", from, 13);
    assert_int_equal(nc_close(nc), NC_NOERR);
}

TEST(requests_stay_within_their_depth)
{
    stub *server;

#ifndef HAVE_BACKTRACE
    skip();
#endif
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    served_make("");
    setenv("HOME", served_folder, 1);
    assert_non_null(server = stub_start(serve, NULL));
    assert_int_equal(nczarr_set_threads(1), NC_NOERR);
    check_store("web server", server, false);
    check_store("bucket", server, true);
    assert_int_equal(nczarr_set_threads(0), NC_NOERR);
    stub_stop(server);
    served_end();
}
