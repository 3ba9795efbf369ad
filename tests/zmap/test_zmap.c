/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface, over a store that can do almost nothing: what it answers itself, and what it passes on.
 */
#include "zmap/zmap_int.h"
#include "zmap/file/zmap_file.h"

#include "support/test.h"

static size_t batches, closed; /* what reached the map */

/* Has one object, "a/k". */
static int
poor_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    (void)m;
    batches++;
    for (size_t i = 0; i < n; i++) {
        int rc = NC_EEMPTY;

        assert_true(zmap_key_valid(reqs[i].key));
        assert_int_equal(reqs[i].off, 0); /* a range never reaches it */
        assert_true(reqs[i].len == ZMAP_WHOLE);
        if (strcmp(reqs[i].key, "a/k") == 0)
            rc = zmap_answer_bytes(&reqs[i], "0123456789", 10);
        if (strcmp(reqs[i].key, "a/broken") == 0)
            rc = ncz_fail(NC_EIO, "a/broken: cannot be read");
        zmap_get_end(&reqs[i], rc, done, arg);
    }
    return NC_NOERR;
}

static int
poor_close(zmap *m, zmap_end how)
{
    (void)m;
    assert_int_equal(how, ZMAP_DISCARD);
    closed++;
    return NC_EIO;
}

static const zmap_ops poor_ops = {.name = "poor", .get = poor_get, .close = poor_close};

static int
see_child(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf, (void)arg;
    return 1;
}

TEST(what_a_store_cannot_do_is_refused)
{
    zmap         m = {.ops = &poor_ops, .caps = 0, .refs = 1};
    zmap_put_req puts[2] = {{.key = "x", .data = "1", .len = 1}, {.key = "..", .data = "1", .len = 1}};

    assert_string_equal(zmap_name(&m), "poor");
    assert_int_equal(zmap_caps_of(&m), 0);
    assert_int_equal(zmap_put_batch(&m, puts, 2), NC_EPERM);
    assert_int_equal(puts[0].err.code, NC_EPERM);
    assert_int_equal(puts[1].err.code, NC_EPERM);
    assert_non_null(strstr(ncz_err_text(), "poor"));
    assert_int_equal(zmap_del(&m, (const char *[]){"x"}, 1), NC_EPERM);
    assert_int_equal(zmap_list(&m, "", see_child, NULL), NC_ENOTBUILT);
    assert_non_null(strstr(ncz_err_text(), "list"));
    assert_int_equal(zmap_sync(&m), NC_NOERR);
    assert_int_equal(zmap_file_sync_each(&m), NC_ENOTBUILT);
}

static void
count_done(zmap_get_req *r, void *arg)
{
    (void)r;
    ++*(int *)arg;
}

/* Runs of requests that the map can answer reach it together. */
TEST(requests_reach_a_store_together)
{
    zmap         m = {.ops = &poor_ops, .caps = 0, .refs = 1};
    char         into[3] = "";
    int          ndone = 0;
    zmap_get_req reqs[7] = {
        {.key = "a/k", .len = ZMAP_WHOLE},
        {.key = "none", .len = ZMAP_WHOLE},
        {.key = "a/k", .off = 3, .len = 3, .into = into, .into_cap = 3}, /* cut by the interface */
        {.key = "a/broken", .len = ZMAP_WHOLE},
        {.key = "a//k", .len = ZMAP_WHOLE},
        {.key = "a/broken", .off = 1, .len = 1},
        {.key = "none", .off = 1, .len = 1},
    };
    int want[7] = {NC_NOERR, NC_EEMPTY, NC_NOERR, NC_EIO, NC_EINVAL, NC_EIO, NC_EEMPTY};

    batches = 0;
    assert_int_equal(zmap_get_batch(&m, reqs, 7, count_done, &ndone), NC_EIO);
    assert_string_equal(ncz_err_text(), "a/broken: cannot be read");
    assert_int_equal(ndone, 7);
    assert_int_equal(batches, 5);
    assert_memory_equal(into, "345", 3);
    assert_int_equal(reqs[2].nread, 3);
    for (int i = 0; i < 7; i++)
        assert_int_equal(reqs[i].err.code, want[i]);
    assert_string_equal(reqs[5].err.text, "a/broken: cannot be read");
    ncz_buf_clear(&reqs[0].body);
}

TEST(the_last_reference_closes)
{
    zmap m = {.ops = &poor_ops, .caps = 0, .refs = 1};

    closed = 0;
    zmap_ref(zmap_ref(&m));
    assert_int_equal(zmap_close(&m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_close(&m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(closed, 0);
    assert_int_equal(zmap_close(&m, ZMAP_DISCARD), NC_EIO); /* what close says is passed on */
    assert_int_equal(closed, 1);
}

/* Hostile keys do not get into a text as they are. */
TEST(hostile_keys_are_shown_escaped)
{
    zmap        m = {.ops = &poor_ops, .caps = 0, .refs = 1};
    const char *keys[] = {"\x1b[2Jx", "a\nlog: forged", "../../etc/passwd", NULL};

    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        zmap_get_req r = {.key = keys[i], .len = ZMAP_WHOLE};

        assert_int_equal(zmap_get_batch(&m, &r, 1, NULL, NULL), NC_EINVAL);
        assert_null(strpbrk(r.err.text, "\x1b\n"));
        assert_non_null(strstr(r.err.text, "is not a key"));
    }
}
