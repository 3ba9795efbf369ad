/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of all maps, on a bucket: a small one in the test's own process; below a prefix, and at its root. An
 * object of a bucket, and of a web server, as a map of its own.
 *
 * usage: test_zmap_s3 [threads]
 */
#include "contract/store.h"
#include "support/store_help.h"
#include "zmap/bucket.h"
#include "zmap/zmap_s3.h"
#include "zmap/zmap_single.h"

#include "support/test.h"

static void *
place(void)
{
    return bucket_start(NULL, NULL);
}

static void
clear(void *p)
{
    bucket_stop(p);
}

static int
on_any(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf;
    *(bool *)arg = true;
    return 1;
}

/* To open a map of a bucket asks for nothing: whether there is something is looked for here. */
static zmap *
reopen_below(bucket *b, const char *prefix, zmap_open_how how)
{
    zmap *m = bucket_open(b, prefix, how);
    bool  any = how == ZMAP_CREATE_NEW;

    if (m != NULL && !any)
        (void)zmap_list(m, "", on_any, &any);
    if (any)
        return m;
    (void)zmap_close(m, ZMAP_KEEP);
    return NULL;
}

static zmap *
reopen_root(void *p, zmap_open_how how)
{
    return reopen_below(p, "", how);
}

static zmap *
make_root(void *p)
{
    return bucket_open(p, "", ZMAP_CREATE_NEW);
}

static const char deep[] = "a prefix/with+odd%25/characters";

static zmap *
reopen_deep(void *p, zmap_open_how how)
{
    return reopen_below(p, deep, how);
}

static zmap *
make_deep(void *p)
{
    return bucket_open(p, deep, ZMAP_CREATE_NEW);
}

/* One object is read in ranges, and cannot be changed in place. */
static void
check_single(zmap *inner, int refusal)
{
    zmap        *m = NULL;
    char         into[3] = "";
    zmap_get_req r = {.key = "", .off = 2, .len = 3, .into = into, .into_cap = 3};
    uint64_t     len = 0;

    assert_non_null(inner);
    assert_rc(zmap_single_open(inner, "d/x.nc", ZMAP_OPEN_WRITE, false, &m), refusal);
    assert_rc(zmap_single_open(inner, "d/x.nc", ZMAP_CREATE_NEW, true, &m), refusal);
    assert_rc(zmap_single_open(inner, "d/x.nc", ZMAP_OPEN_READ, false, &m), NC_NOERR);
    assert_rc(zmap_len(m, "", &len), NC_NOERR);
    assert_int_equal(len, 10);
    assert_rc(zmap_get_batch(m, &r, 1, NULL, NULL), NC_NOERR);
    assert_memory_equal(into, "234", 3);
    assert_rc(zmap_put_range(m, "", 0, "x", 1), NC_EPERM);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST(one_object_of_a_bucket_is_a_store)
{
    bucket  *b = bucket_start(NULL, NULL);
    zmap    *m = NULL;
    ncz_uri *uri = NULL;
    char     url[80];

    put_text(bucket_map(b), "d/x.nc", "0123456789");
    check_single(bucket_open(b, "", ZMAP_OPEN_WRITE), NC_ENOTBUILT);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/buck", stub_port(bucket_stub(b)));
    assert_rc(ncz_uri_parse(url, &uri), NC_NOERR);
    assert_rc(zmap_http_open(uri, ZMAP_OPEN_READ, &m), NC_NOERR);
    check_single(m, NC_EPERM);
    ncz_uri_free(uri);
    bucket_stop(b);
}

int
main(int argc, char **argv)
{
    static const store_maker root = {"s3", place, make_root, reopen_root, clear, 0, 0};
    static const store_maker below = {"s3, below a prefix", place, make_deep, reopen_deep, clear, 900, 900};

    store_contract_choose(argc, argv);
    return store_contract(&root) + store_contract(&below) + run_file_tests(NULL, NULL) != 0;
}
