/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of all maps; see store.h. Each test gets an empty store of its own.
 */
#include "contract/store.h"
#include "support/store_help.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct fixture {
    const store_maker *maker;
    void              *place;
    zmap              *m;
} fixture;

static const store_maker *the_maker; /* of the suite that runs */

static int
set_up(void **state)
{
    fixture *fx = calloc(1, sizeof *fx);

    fx->maker = the_maker;
    fx->place = fx->maker->place != NULL ? fx->maker->place() : NULL;
    fx->m = fx->maker->make(fx->place);
    *state = fx;
    return fx->m != NULL ? 0 : -1;
}

static int
tear_down(void **state)
{
    fixture *fx = *state;

    if (fx->m != NULL)
        zmap_close(fx->m, ZMAP_KEEP);
    if (fx->maker->clear != NULL)
        fx->maker->clear(fx->place);
    free(fx);
    return 0;
}

static bool
can(const fixture *fx, unsigned cap)
{
    return (zmap_caps_of(fx->m) & cap) != 0;
}

/* ---- small helpers --------------------------------------------------------------------------------------------- */

/* Bytes that tell a mix of two generations, and a shift, from the right ones. */
static void
fill_pattern(unsigned char *data, size_t len, unsigned generation)
{
    for (size_t i = 0; i < len; i++)
        data[i] = (unsigned char)(generation * 37 + i / 251 + i);
}

/* What a get of a key above or below another object returns. Not every store knows that there is one. */
static int
prefix_code(fixture *fx, const char *prefix)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(fx->m, prefix, &body);

    assert_true(rc == NC_EACCESS || (rc == NC_EEMPTY && !can(fx, ZMAP_KEEPS_LEAVES)));
    assert_int_equal(body.len, 0);
    ncz_buf_clear(&body);
    return rc;
}

/* ---- objects --------------------------------------------------------------------------------------------------- */

static void
objects_are_put_and_got(void **state)
{
    fixture *fx = *state;
    uint64_t len = 99;

    expect_absent(fx->m, "a");
    assert_rc(zmap_len(fx->m, "a", &len), NC_EEMPTY);
    put_text(fx->m, "a", "first");
    put_text(fx->m, "b/c.0", "second");
    expect_text(fx->m, "a", "first");
    expect_text(fx->m, "b/c.0", "second");
    (void)prefix_code(fx, "b");
    expect_absent(fx->m, "b/c");
    expect_absent(fx->m, "b/c.00");
    (void)prefix_code(fx, "a/below/an/object");
    assert_rc(zmap_len(fx->m, "b/c.0", &len), NC_NOERR);
    assert_int_equal(len, 6);
    assert_rc(zmap_len(fx->m, "a", NULL), NC_NOERR);
}

static void
an_object_is_replaced(void **state)
{
    fixture *fx = *state;

    put_text(fx->m, "g/doc", "a long text that a shorter one must not leave any trace of");
    put_text(fx->m, "g/doc", "short");
    expect_text(fx->m, "g/doc", "short");
    put_text(fx->m, "g/doc", "and now a longer one again");
    expect_text(fx->m, "g/doc", "and now a longer one again");
    put_text(fx->m, "g/doc", "");
    expect_text(fx->m, "g/doc", "");
    expect_list(fx->m, "g", "doc ");
}

static void
an_object_may_be_empty(void **state)
{
    fixture     *fx = *state;
    char         into[1] = "";
    uint64_t     len = 99;
    zmap_get_req r = {.key = "e/mpty", .len = ZMAP_WHOLE, .into = into};

    assert_rc(zmap_put(fx->m, "e/mpty", NULL, 0), NC_NOERR);
    expect_text(fx->m, "e/mpty", "");
    assert_rc(zmap_len(fx->m, "e/mpty", &len), NC_NOERR);
    assert_int_equal(len, 0);
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.nread, 0);
    expect_list(fx->m, "e", "mpty ");
}

static void
objects_hold_any_bytes(void **state)
{
    static const size_t sizes[] = {1, 255, 256, 4095, 4096, 4097, 65536, 65537, 1000003};
    fixture            *fx = *state;
    unsigned char      *data = malloc(1000003);

    for (unsigned i = 0; i < NCZ_LEN(sizes); i++) {
        ncz_buf body = NCZ_BUF_LIMIT(sizes[i]);

        fill_pattern(data, sizes[i], i);
        assert_rc(zmap_put(fx->m, "bin", data, sizes[i]), NC_NOERR);
        assert_rc(zmap_get(fx->m, "bin", &body), NC_NOERR);
        assert_int_equal(body.len, sizes[i]);
        assert_memory_equal(body.data, data, sizes[i]);
        assert_int_equal(body.data[body.len], '\0');
        ncz_buf_clear(&body);
    }
    free(data);
}

/* What is in the body already stays, on success and on failure. */
static void
a_get_appends_to_the_body(void **state)
{
    fixture *fx = *state;
    ncz_buf  body = NCZ_BUF_LIMIT(8);

    put_text(fx->m, "k", "5678");
    put_text(fx->m, "long", "56789");
    assert_int_equal(ncz_buf_puts(&body, "1234"), NC_NOERR);
    assert_rc(zmap_get(fx->m, "nothing", &body), NC_EEMPTY);
    assert_string_equal(ncz_buf_str(&body), "1234");
    assert_rc(zmap_get(fx->m, "long", &body), NC_ENOMEM);
    assert_string_equal(ncz_buf_str(&body), "1234");
    assert_int_equal(body.len, 4);
    assert_rc(zmap_get(fx->m, "k", &body), NC_NOERR);
    assert_string_equal(ncz_buf_str(&body), "12345678");
    ncz_buf_clear(&body);
}

static void
a_body_has_a_ceiling(void **state)
{
    fixture *fx = *state;
    ncz_buf  body = NCZ_BUF_LIMIT(999);
    char     data[1000];

    memset(data, 'x', sizeof data);
    assert_rc(zmap_put(fx->m, "k", data, sizeof data), NC_NOERR);
    assert_rc(zmap_get(fx->m, "k", &body), NC_ENOMEM);
    assert_non_null(strstr(ncz_err_text(), "999")); /* the limit is named */
    assert_int_equal(body.len, 0);
    ncz_buf_clear(&body);

    body = NCZ_BUF_LIMIT(1000);
    assert_rc(zmap_get(fx->m, "k", &body), NC_NOERR);
    assert_int_equal(body.len, 1000);
    ncz_buf_clear(&body);
}

static void
a_get_goes_into_memory(void **state)
{
    fixture     *fx = *state;
    char         into[16];
    zmap_get_req r = {.key = "k", .len = ZMAP_WHOLE, .into = into, .into_cap = 10};

    put_text(fx->m, "k", "0123456789");
    memset(into, '#', sizeof into);
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR); /* exact */
    assert_int_equal(r.nread, 10);
    assert_memory_equal(into, "0123456789######", 16);
    assert_null(r.body.data);

    r.into_cap = 16; /* the object is shorter */
    memset(into, '#', sizeof into);
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.nread, 10);
    assert_memory_equal(into, "0123456789######", 16);

    r.into_cap = 9; /* and longer: nothing behind the caller's memory is touched */
    memset(into, '#', sizeof into);
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_ETRUNC);
    assert_int_equal(r.err.code, NC_ETRUNC);
    assert_int_equal(r.nread, 0);
    assert_memory_equal(into + 9, "#######", 7);

    r.into_cap = 0;
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_ETRUNC);

    r = (zmap_get_req){.key = "absent", .len = ZMAP_WHOLE, .into = into, .into_cap = 10};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.err.code, NC_EEMPTY);
}

/* ---- ranges ---------------------------------------------------------------------------------------------------- */

static void
expect_range(zmap *m, uint64_t off, uint64_t len, int rc, const char *want)
{
    char         into[16];
    zmap_get_req to_body = {.key = "d/k", .off = off, .len = len, .body = NCZ_BUF_LIMIT(10)};
    zmap_get_req to_mem = {.key = "d/k", .off = off, .len = len, .into = into, .into_cap = sizeof into};

    memset(into, '#', sizeof into);
    assert_rc(zmap_get_batch(m, &to_body, 1, NULL, NULL), rc);
    assert_rc(zmap_get_batch(m, &to_mem, 1, NULL, NULL), rc);
    assert_int_equal(to_body.body.len, strlen(want));
    assert_string_equal(ncz_buf_str(&to_body.body), want);
    assert_int_equal(to_body.nread, strlen(want));
    assert_int_equal(to_mem.nread, strlen(want));
    assert_memory_equal(into, want, strlen(want));
    if (rc == NC_NOERR)
        assert_int_equal(into[strlen(want)], '#');
    ncz_buf_clear(&to_body.body);
}

static void
ranges_are_read(void **state)
{
    fixture *fx = *state;

    put_text(fx->m, "d/k", "0123456789");
    expect_range(fx->m, 0, 10, NC_NOERR, "0123456789");
    expect_range(fx->m, 0, ZMAP_WHOLE, NC_NOERR, "0123456789");
    expect_range(fx->m, 0, 1, NC_NOERR, "0");
    expect_range(fx->m, 9, 1, NC_NOERR, "9");
    expect_range(fx->m, 3, 4, NC_NOERR, "3456");
    expect_range(fx->m, 3, ZMAP_WHOLE, NC_NOERR, "3456789");
    expect_range(fx->m, 0, 0, NC_NOERR, "");
    expect_range(fx->m, 5, 0, NC_NOERR, "");
    expect_range(fx->m, 10, 0, NC_NOERR, "");
    expect_range(fx->m, 10, ZMAP_WHOLE, NC_NOERR, "");
    expect_range(fx->m, 0, 11, NC_EINVAL, "");
    expect_range(fx->m, 10, 1, NC_EINVAL, "");
    expect_range(fx->m, 11, 0, NC_EINVAL, "");
    expect_range(fx->m, 11, ZMAP_WHOLE, NC_EINVAL, "");
    expect_range(fx->m, UINT64_MAX, ZMAP_WHOLE, NC_EINVAL, "");
    expect_range(fx->m, UINT64_MAX, 2, NC_EINVAL, "");
    expect_range(fx->m, 1, UINT64_MAX - 1, NC_EINVAL, "");
    expect_range(fx->m, (uint64_t)1 << 63, 0, NC_EINVAL, "");
}

/* The last bytes: `want` of "0123456789", and the object's size by the same request. */
static void
expect_last(zmap *m, const char *key, uint64_t len, const char *want, uint64_t size)
{
    char         into[16];
    zmap_get_req to_body = {.key = key, .len = len, .from_end = true, .body = NCZ_BUF_LIMIT(10)};
    zmap_get_req to_mem = {.key = key, .len = len, .from_end = true, .into = into, .into_cap = strlen(want)};

    memset(into, '#', sizeof into);
    assert_rc(zmap_get_batch(m, &to_body, 1, NULL, NULL), NC_NOERR);
    assert_rc(zmap_get_batch(m, &to_mem, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(to_body.err.code, NC_NOERR);
    assert_int_equal(to_mem.err.code, NC_NOERR);
    assert_string_equal(ncz_buf_str(&to_body.body), want);
    assert_int_equal(to_body.nread, strlen(want));
    assert_int_equal(to_mem.nread, strlen(want));
    assert_memory_equal(into, want, strlen(want));
    assert_int_equal(into[strlen(want)], '#');
    assert_int_equal(to_body.size, size);
    assert_int_equal(to_mem.size, size);
    ncz_buf_clear(&to_body.body);
}

static void
the_last_bytes_are_read(void **state)
{
    fixture     *fx = *state;
    char         into[4];
    zmap_get_req r;

    put_text(fx->m, "d/k", "0123456789");
    put_text(fx->m, "d/empty", "");
    expect_last(fx->m, "d/k", 1, "9", 10);
    expect_last(fx->m, "d/k", 4, "6789", 10);
    expect_last(fx->m, "d/k", 10, "0123456789", 10);
    expect_last(fx->m, "d/k", 11, "0123456789", 10);
    expect_last(fx->m, "d/k", UINT64_MAX - 1, "0123456789", 10);
    expect_last(fx->m, "d/k", 0, "", 10);
    expect_last(fx->m, "d/empty", 5, "", 0);

    r = (zmap_get_req){.key = "d/none", .len = 4, .from_end = true, .into = into, .into_cap = 4};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.err.code, NC_EEMPTY);
    assert_true(r.size == ZMAP_NO_SIZE);
    r = (zmap_get_req){.key = "d/k", .len = 5, .from_end = true, .into = into, .into_cap = 4};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_ETRUNC);
    r = (zmap_get_req){.key = "d/k", .len = 5, .from_end = true, .body = NCZ_BUF_LIMIT(4)};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_ENOMEM);
    assert_int_equal(r.body.len, 0);
    ncz_buf_clear(&r.body);
    r = (zmap_get_req){.key = "d/k", .off = 1, .len = 4, .from_end = true, .into = into, .into_cap = 4};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_EINVAL);
    r = (zmap_get_req){.key = "d/k", .len = ZMAP_WHOLE, .from_end = true, .into = into, .into_cap = 4};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_EINVAL);
}

/* Ranges and the last bytes of one object in one batch, each with the object's size and, where there are versions,
 * its version. */
static void
sizes_and_versions_are_told(void **state)
{
    fixture     *fx = *state;
    char         into[3][4];
    const char  *key = "d/k";
    zmap_get_req r[3] = {
        {.key = key, .off = 2, .len = 3, .ask_size = true, .ask_version = true, .into = into[0], .into_cap = 4},
        {.key = key, .len = 3, .from_end = true, .ask_version = true, .into = into[1], .into_cap = 4},
        {.key = key, .off = 9, .len = 1, .ask_size = true, .ask_version = true, .into = into[2], .into_cap = 4}};
    zmap_get_req whole = {.key = key, .len = ZMAP_WHOLE, .ask_version = true};

    put_text(fx->m, key, "0123456789");
    assert_rc(zmap_get_batch(fx->m, r, 3, NULL, NULL), NC_NOERR);
    assert_memory_equal(into[0], "234", 3);
    assert_memory_equal(into[1], "789", 3);
    assert_memory_equal(into[2], "9", 1);
    assert_rc(zmap_get_batch(fx->m, &whole, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&whole.body);
    assert_int_equal(whole.size, 10);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(r[i].err.code, NC_NOERR);
        assert_int_equal(r[i].size, 10);
        assert_string_equal(r[i].version, whole.version);
        assert_true(!can(fx, ZMAP_CAN_IF_MATCH) || r[i].version[0] != '\0');
    }
}

/* A read of one version alone gets its bytes. Of another version it gets nothing, or sees that it is another. */
static void
a_get_may_demand_a_version(void **state)
{
    fixture     *fx = *state;
    char         old[ZMAP_VERSION], into[4] = "";
    zmap_get_req r = {.key = "k", .len = 2, .ask_version = true, .into = into, .into_cap = 4};

    put_text(fx->m, "k", "one");
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_true(!can(fx, ZMAP_CAN_IF_MATCH) || r.version[0] != '\0');
    if (r.version[0] == '\0')
        return; /* this store has no versions */
    memcpy(old, r.version, sizeof old);
    r.match = old;
    r.off = 1;
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_memory_equal(into, "ne", 2);
    assert_string_equal(r.version, old);
    if (!can(fx, ZMAP_CAN_REPLACE))
        return;
    put_text(fx->m, "k", "three");
    if (zmap_get_batch(fx->m, &r, 1, NULL, NULL) == NC_NOERR) {
        assert_memory_equal(into, "hr", 2);
        assert_string_not_equal(r.version, old);
    } else {
        assert_int_equal(r.err.code, NC_EOBJECT);
        assert_int_equal(r.nread, 0);
    }
    assert_rc(zmap_del(fx->m, &r.key, 1), NC_NOERR);
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.err.code, NC_EEMPTY);
}

static void
ranges_have_a_ceiling(void **state)
{
    fixture     *fx = *state;
    char         into[4] = "";
    zmap_get_req r = {.key = "k", .off = 2, .len = 4, .body = NCZ_BUF_LIMIT(4)};

    put_text(fx->m, "k", "0123456789");
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR); /* the object is longer, the range is not */
    assert_string_equal(ncz_buf_str(&r.body), "2345");
    ncz_buf_clear(&r.body);
    r.len = 5;
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_ENOMEM);
    ncz_buf_clear(&r.body);

    r = (zmap_get_req){.key = "k", .off = 2, .len = 4, .into = into, .into_cap = 4};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_memory_equal(into, "2345", 4);
    r.len = 5;
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_ETRUNC);
    r = (zmap_get_req){.key = "absent", .off = 2, .len = 4, .into = into, .into_cap = 4};
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.err.code, NC_EEMPTY);
}

/* ---- batches --------------------------------------------------------------------------------------------------- */

typedef struct count {
    size_t calls;
    size_t sum; /* of the tags, so that each request is known to have come once */
} count;

static void
note_done(zmap_get_req *r, void *arg)
{
    count *c = arg;

    c->calls++;
    c->sum += (size_t)(uintptr_t)r->tag;
}

static void
requests_come_in_batches(void **state)
{
    fixture     *fx = *state;
    zmap_put_req puts[4] = {{.key = "a/0", .data = "zero", .len = 4},
                            {.key = "a/1", .data = "one", .len = 3},
                            {.key = "b/c/2", .data = "two", .len = 3},
                            {.key = "3", .data = "three", .len = 5}};
    const char  *keys[] = {"a/0", "missing", "a/1", "a/../1", "b/c/2", "a", "3"};
    const char  *want[] = {"zero", "", "one", "", "two", "", "three"};
    int          codes[] = {NC_NOERR, NC_EEMPTY, NC_NOERR, NC_EINVAL, NC_NOERR, 0, NC_NOERR};
    zmap_get_req gets[NCZ_LEN(keys)];
    count        c = {0, 0};

    assert_rc(zmap_put_batch(fx->m, puts, 4), NC_NOERR);
    codes[5] = prefix_code(fx, "a");
    for (size_t i = 0; i < NCZ_LEN(keys); i++)
        gets[i] = (zmap_get_req){.key = keys[i], .len = ZMAP_WHOLE, .tag = (void *)(uintptr_t)((size_t)1 << i)};
    assert_rc(zmap_get_batch(fx->m, gets, NCZ_LEN(keys), note_done, &c), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "a/../1"));
    assert_int_equal(c.calls, NCZ_LEN(keys));
    assert_int_equal(c.sum, ((size_t)1 << NCZ_LEN(keys)) - 1);
    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        assert_int_equal(gets[i].err.code, codes[i]);
        assert_string_equal(ncz_buf_str(&gets[i].body), want[i]);
        ncz_buf_clear(&gets[i].body);
    }
    assert_rc(zmap_get_batch(fx->m, NULL, 0, note_done, &c), NC_NOERR);
    assert_rc(zmap_put_batch(fx->m, NULL, 0), NC_NOERR);
    assert_rc(zmap_del(fx->m, NULL, 0), NC_NOERR);
}

static void
failures_in_a_batch_are_each_ones_own(void **state)
{
    fixture     *fx = *state;
    zmap_put_req puts[4] = {{.key = "a/0", .data = "zero", .len = 4},
                            {.key = "/no", .data = "x", .len = 1},
                            {.key = "a/0/below", .data = "x", .len = 1},
                            {.key = "a/1", .data = "one", .len = 3}};

    if (!can(fx, ZMAP_KEEPS_LEAVES))
        puts[2].key = "no//key";
    assert_rc(zmap_put_batch(fx->m, puts, 4), NC_EINVAL);
    assert_int_equal(puts[0].err.code, NC_NOERR);
    assert_int_equal(puts[1].err.code, NC_EINVAL);
    assert_int_equal(puts[2].err.code, can(fx, ZMAP_KEEPS_LEAVES) ? NC_EOBJECT : NC_EINVAL);
    assert_int_equal(puts[3].err.code, NC_NOERR);
    assert_true(puts[2].err.text[0] != '\0');
    expect_text(fx->m, "a/0", "zero");
    expect_text(fx->m, "a/1", "one");
    expect_list(fx->m, "", "a/ ");
}

static void
get_another(zmap_get_req *r, void *arg)
{
    ncz_buf body = NCZ_BUF_INIT;

    (void)r;
    if (zmap_get(arg, "k", &body) != NC_NOERR || zmap_put(arg, "made/by/done", "x", 1) != NC_NOERR)
        ncz_buf_clear(&body);
    else
        assert_string_equal(ncz_buf_str(&body), "text");
    ncz_buf_clear(&body);
}

/* A callback may use the map: no lock is held around it. */
static void
the_callback_may_use_the_store(void **state)
{
    fixture     *fx = *state;
    zmap_get_req r = {.key = "k", .len = ZMAP_WHOLE};

    put_text(fx->m, "k", "text");
    assert_rc(zmap_get_batch(fx->m, &r, 1, get_another, fx->m), NC_NOERR);
    ncz_buf_clear(&r.body);
    expect_text(fx->m, "made/by/done", "x");
}

/* ---- keys ------------------------------------------------------------------------------------------------------ */

static const char *const bad_keys[] = {
    "",
    "/",
    "//",
    "///",
    "/a",
    "a/",
    "/a/",
    "a//b",
    "a///b",
    "a/b/",
    "a/b//",
    ".",
    "..",
    "./",
    "../",
    "/.",
    "/..",
    "./a",
    "../a",
    "a/.",
    "a/..",
    "a/./b",
    "a/../b",
    "a/b/..",
    "a/b/../..",
    "../../../../etc/passwd",
    "/etc/passwd",
    "a/../../etc/passwd",
    "./.zgroup",
    "..\\a",
    "a\\b",
    "\\",
    "\\\\host\\share",
    "C:\\x",
    "a/..\\b",
    "a/\\",
    "\n",
    "a\nb",
    "a\rb",
    "\t",
    "a/\tb",
    "\x01",
    "a\x1f",
    "a/\x7f",
    "\x7f",
    "a\x1b[31m",
    "\x80",
    "a\xff",
    "\xc0\xaf",
    "a/\xc0\xae\xc0\xae/b",
    "\xe0\x80\xaf",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "\xf8\x88\x80\x80\x80",
    "a/\xc3",
    "\xc3\x28",
    "\xfe",
    "\xfe\xff",
    "ok/\xed\xbf\xbf",
    "\xf0\x8f\xbf\xbf",
    "\xe2\x82",
    "a/\xe2\x28\xa1",
};

static const char *const good_keys[] = {
    "a",
    ".zgroup",
    ".zarray",
    "a/.zattrs",
    "a/b/c/0.0.0",
    "...",
    ".../x",
    "..a",
    "a..",
    ".a",
    "a.",
    "a/..b/c",
    "-",
    "--help",
    " ",
    " a ",
    "a b",
    "%2e%2e",
    "%2e%2e/x",
    "%00",
    "~",
    "~root",
    "$HOME",
    "`id`",
    "$(id)",
    "'",
    "\"",
    "\"quoted\"",
    "a;b",
    "a|b",
    "<script>",
    "C:",
    "con",
    "nul",
    "a:b",
    "a*b",
    "a?b",
    "a#b&c=d+e",
    "\xc3\xa9t\xc3\xa9",
    "e\xcc\x81",
    "\xe4\xb8\xad\xe6\x96\x87/0",
    "\xf0\x9f\x8c\xa9",
    "\xe2\x80\xae"
    "gnp.exe",
    "\xef\xbb\xbf"
    "bom",
    "\xc2\x85",
    "undefined",
    "NaN",
    "1e309",
    "-1",
    "{}",
    "[0]",
    "DROP TABLE x",
    "%s%n%d",
    "Con/PRN/aux",
    "0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0",
};

static void
bad_keys_are_refused(void **state)
{
    fixture *fx = *state;

    assert_false(zmap_key_valid(NULL));
    for (size_t i = 0; i < NCZ_LEN(bad_keys); i++) {
        const char *key = bad_keys[i];
        ncz_buf     body = NCZ_BUF_INIT;

        if (zmap_key_valid(key))
            fail_msg("\"%s\" (%zu) passes as a key", key, i);
        assert_rc(zmap_get(fx->m, key, &body), NC_EINVAL);
        assert_rc(zmap_put(fx->m, key, "x", 1), NC_EINVAL);
        assert_rc(zmap_del(fx->m, &key, 1), NC_EINVAL);
        if (key[0] != '\0' && can(fx, ZMAP_CAN_LIST))
            assert_rc(zmap_list(fx->m, key, note_child, &body), NC_EINVAL);
        assert_null(body.data);
    }
    assert_rc(zmap_put(fx->m, NULL, "x", 1), NC_EINVAL);
    assert_rc(zmap_put(fx->m, "k", NULL, 1), NC_EINVAL);
    expect_list(fx->m, "", "");
}

static void
good_keys_are_taken(void **state)
{
    fixture *fx = *state;

    for (size_t i = 0; i < NCZ_LEN(good_keys); i++) {
        char key[256];

        if (!zmap_key_valid(good_keys[i]))
            fail_msg("\"%s\" does not pass as a key", good_keys[i]);
        snprintf(key, sizeof key, "p%zu/%s", i, good_keys[i]); /* apart, as some are prefixes of others */
        put_text(fx->m, key, good_keys[i]);
        expect_text(fx->m, key, good_keys[i]);
    }
}

/* Names that differ as bytes are different keys: no case folding, no normalisation. */
static void
keys_are_compared_by_bytes(void **state)
{
    fixture *fx = *state;

    put_text(fx->m, "Key", "1");
    put_text(fx->m, "key", "2");
    put_text(fx->m, "\xc3\xa9", "composed");
    put_text(fx->m, "e\xcc\x81", "decomposed");
    expect_text(fx->m, "Key", "1");
    expect_text(fx->m, "key", "2");
    expect_text(fx->m, "\xc3\xa9", "composed");
    expect_text(fx->m, "e\xcc\x81", "decomposed");
    expect_list(fx->m, "", "Key e\xcc\x81 key \xc3\xa9 ");
}

static void
long_keys_are_taken_or_refused(void **state)
{
    fixture *fx = *state;
    size_t   key_max = fx->maker->key_max != 0 ? fx->maker->key_max : ZMAP_KEY_MAX;
    size_t   most = fx->maker->segment_max != 0 ? fx->maker->segment_max : key_max;
    char     key[ZMAP_KEY_MAX + 2];

    memset(key, 'k', sizeof key);
    for (size_t i = 100; i < sizeof key - 2; i += 100)
        key[i] = '/';
    key[ZMAP_KEY_MAX + 1] = '\0';
    assert_false(zmap_key_valid(key));
    assert_rc(zmap_put(fx->m, key, "x", 1), NC_EINVAL);
    key[key_max - (key[key_max - 1] == '/')] = '\0';
    put_text(fx->m, key, "at the end of a long way");
    expect_text(fx->m, key, "at the end of a long way");

    memset(key, 's', most);
    key[most] = '\0';
    put_text(fx->m, key, "longest segment");
    expect_text(fx->m, key, "longest segment");

    memset(key, 't', ZMAP_KEY_MAX); /* beyond what some stores can name: absent there, or kept */
    key[ZMAP_KEY_MAX] = '\0';
    expect_absent(fx->m, key);
    if (zmap_put(fx->m, key, "x", 1) == NC_NOERR)
        expect_text(fx->m, key, "x");
    else
        expect_absent(fx->m, key);
}

static void
no_object_is_the_prefix_of_another(void **state)
{
    fixture *fx = *state;
    uint64_t len;

    if (!can(fx, ZMAP_KEEPS_LEAVES))
        return;
    put_text(fx->m, "a/b/c", "leaf");
    assert_rc(zmap_put(fx->m, "a/b/c/d", "x", 1), NC_EOBJECT);
    assert_rc(zmap_put(fx->m, "a/b/c/d/e/f", "x", 1), NC_EOBJECT);
    assert_rc(zmap_put(fx->m, "a/b", "x", 1), NC_EOBJECT);
    assert_rc(zmap_put(fx->m, "a", "x", 1), NC_EOBJECT);
    put_text(fx->m, "a/b/cc", "not below");
    put_text(fx->m, "a/bb", "not above");
    put_text(fx->m, "a/b.", "nor this");
    put_text(fx->m, "a/b-", "nor this");
    expect_text(fx->m, "a/b/c", "leaf");
    assert_int_equal(prefix_code(fx, "a"), NC_EACCESS);
    assert_int_equal(prefix_code(fx, "a/b"), NC_EACCESS);
    assert_int_equal(prefix_code(fx, "a/b/c/d"), NC_EACCESS);
    assert_rc(zmap_len(fx->m, "a/b", &len), NC_EEMPTY);
    expect_list(fx->m, "a", "b/ b- b. bb ");
    expect_list(fx->m, "a/b", "c cc ");
}

/* ---- list ------------------------------------------------------------------------------------------------------ */

static void
children_are_listed(void **state)
{
    fixture *fx = *state;

    expect_list(fx->m, "", "");
    expect_list(fx->m, "nothing/here", "");
    put_text(fx->m, ".zgroup", "{}");
    put_text(fx->m, "v/0.0", "x");
    put_text(fx->m, "v/0.1", "x");
    put_text(fx->m, "v/.zarray", "{}");
    put_text(fx->m, "g/h/.zgroup", "{}");
    put_text(fx->m, "g/h/w/0", "x");
    put_text(fx->m, "g.x", "x");
    put_text(fx->m, "g/h-i/0", "x");
    put_text(fx->m, "gg", "x");
    expect_list(fx->m, "", ".zgroup g/ g.x gg v/ ");
    expect_list(fx->m, "v", ".zarray 0.0 0.1 ");
    expect_list(fx->m, "g", "h/ h-i/ ");
    expect_list(fx->m, "g/h", ".zgroup w/ ");
    expect_list(fx->m, "g/h/w", "0 ");
    expect_list(fx->m, "g/h/w/0", ""); /* a leaf has no children */
    expect_list(fx->m, "g/h/w/0/x", "");
    expect_list(fx->m, "g.", "");
}

/* An object's size, where the walk tells it, is what zmap_len() says. */
typedef struct walked {
    zmap   *m;
    ncz_buf seen;
} walked;

static int
note_object(const char *key, uint64_t size, void *arg)
{
    walked  *w = arg;
    uint64_t len = 0;

    if (size != ZMAP_NO_SIZE) {
        assert_rc(zmap_len(w->m, key, &len), NC_NOERR);
        assert_int_equal(size, len);
    }
    return ncz_buf_printf(&w->seen, "%s ", key);
}

static void
expect_walk(zmap *m, const char *prefix, const char *want)
{
    walked seen = {m, NCZ_BUF_INIT};
    char  *words[16], *rest = NULL;
    size_t n = 0;

    assert_rc(zmap_walk(m, prefix, note_object, &seen), NC_NOERR);
    for (char *w = seen.seen.len > 0 ? strtok_r(seen.seen.data, " ", &rest) : NULL; w != NULL && n < 16;
         w = strtok_r(NULL, " ", &rest))
        words[n++] = w;
    for (size_t i = 0; i < n; i++) { /* each of them is wanted, in whatever order, and no other */
        size_t      len = strlen(words[i]);
        const char *at = strstr(want, words[i]);

        while (at != NULL && ((at > want && at[-1] != ' ') || at[len] != ' '))
            at = strstr(at + 1, words[i]);
        if (at == NULL)
            fail_msg("\"%s\" is not among \"%s\"", words[i], want);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(words[i], words[k]);
    }
    for (const char *c = want; *c != '\0'; c++)
        n -= *c == ' ';
    assert_int_equal(n, 0);
    ncz_buf_clear(&seen.seen);
}

static void
objects_are_walked(void **state)
{
    fixture *fx = *state;

    walked none = {fx->m, NCZ_BUF_INIT};

    expect_walk(fx->m, "", "");
    put_text(fx->m, ".zgroup", "{}");
    put_text(fx->m, "v/0.0", "x");
    put_text(fx->m, "v/.zarray", "{}");
    put_text(fx->m, "g/h/w/0", "x");
    put_text(fx->m, "g-i/0", "x");
    expect_walk(fx->m, "", ".zgroup v/0.0 v/.zarray g/h/w/0 g-i/0 ");
    expect_walk(fx->m, "g", "g/h/w/0 ");
    expect_walk(fx->m, "g/h/w/0", "");
    expect_walk(fx->m, "nothing", "");
    assert_rc(zmap_walk(fx->m, "a//b", note_object, &none), NC_EINVAL);
}

typedef struct stop {
    zmap  *m;
    size_t calls;
} stop;

static int
stop_at_second(const char *name, bool leaf, void *arg)
{
    stop *s = arg;

    (void)name, (void)leaf;
    return ++s->calls == 2 ? 77 : 0;
}

static int
stop_walk_at_second(const char *key, uint64_t size, void *arg)
{
    stop *s = arg;

    (void)key, (void)size;
    return ++s->calls == 2 ? 77 : 0;
}

static int
put_below(const char *name, bool leaf, void *arg)
{
    stop *s = arg;
    char  key[64];

    (void)leaf;
    s->calls++;
    snprintf(key, sizeof key, "new/%s", name);
    return zmap_put(s->m, key, "x", 1);
}

static void
a_callback_may_end_a_list(void **state)
{
    fixture *fx = *state;
    stop     s = {fx->m, 0};

    put_text(fx->m, "a", "x");
    put_text(fx->m, "b", "x");
    put_text(fx->m, "c", "x");
    assert_int_equal(zmap_list(fx->m, "", stop_at_second, &s), 77);
    assert_int_equal(s.calls, 2);
    s.calls = 0;
    assert_int_equal(zmap_walk(fx->m, "", stop_walk_at_second, &s), 77);
    assert_int_equal(s.calls, 2);
    s.calls = 0;
    assert_rc(zmap_list(fx->m, "", put_below, &s), NC_NOERR); /* no lock is held */
    assert_int_equal(s.calls, 3);
    expect_list(fx->m, "new", "a b c ");
}

/* ---- del ------------------------------------------------------------------------------------------------------- */

static void
objects_are_deleted(void **state)
{
    fixture    *fx = *state;
    const char *some[] = {"a/1", "never/was", "b/c/d/e", "a/1", "b"};
    const char *rest[] = {"a/2", "a/10"};
    const char *mixed[] = {"x", "a//b", "y"};

    put_text(fx->m, "a/1", "1");
    put_text(fx->m, "a/10", "10");
    put_text(fx->m, "a/2", "2");
    put_text(fx->m, "b/c/d/e", "e");
    put_text(fx->m, "b/f", "f");
    assert_rc(zmap_del(fx->m, some, NCZ_LEN(some)), NC_NOERR);
    expect_absent(fx->m, "a/1");
    expect_absent(fx->m, "b/c/d/e");
    expect_text(fx->m, "b/f", "f");
    expect_list(fx->m, "", "a/ b/ ");
    expect_list(fx->m, "a", "10 2 ");
    expect_list(fx->m, "b", "f "); /* an empty prefix is none */
    assert_rc(zmap_del(fx->m, rest, 2), NC_NOERR);
    expect_list(fx->m, "", "b/ ");
    put_text(fx->m, "a", "now a leaf");
    expect_text(fx->m, "a", "now a leaf");
    put_text(fx->m, "b/c", "too");

    put_text(fx->m, "x", "x");
    put_text(fx->m, "y", "y");
    assert_rc(zmap_del(fx->m, mixed, 3), NC_EINVAL); /* the others go all the same */
    expect_absent(fx->m, "x");
    expect_absent(fx->m, "y");
}

/* Bytes in many places, some of them empty, become one object. */
static void
an_object_is_put_in_parts(void **state)
{
    enum { SIZE = 300000, MOST = 400 };
    fixture       *fx = *state;
    unsigned char *want = malloc(SIZE);
    zmap_part      parts[MOST];
    zmap_put_req   r = {.key = "d/k", .parts = parts, .len = SIZE};
    ncz_buf        got = NCZ_BUF_INIT;

    assert_non_null(want);
    fill_pattern(want, SIZE, 3);
    for (size_t at = 0; at < SIZE || r.nparts % 7 != 0; r.nparts++) {
        size_t len = r.nparts % 5 == 1 ? 0 : 1 + r.nparts * 37 % 2000;

        len = len < SIZE - at ? len : SIZE - at;
        assert_true(r.nparts < MOST);
        parts[r.nparts] = (zmap_part){want + at, len};
        at += len;
    }
    if (can(fx, ZMAP_CAN_PARTS)) {
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_NOERR);
        assert_rc(zmap_get(fx->m, "d/k", &got), NC_NOERR);
        assert_int_equal(got.len, SIZE);
        assert_memory_equal(got.data, want, SIZE);
    } else {
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_ENOTBUILT);
        expect_absent(fx->m, "d/k");
    }
    ncz_buf_clear(&got);
    free(want);
}

/* ---- puts in pieces -------------------------------------------------------------------------------------------- */

static zmap_writer *
begin_writer(fixture *fx, const char *key)
{
    zmap_writer *w = NULL;

    assert_rc(zmap_writer_begin(fx->m, key, &w), NC_NOERR);
    assert_non_null(w);
    return w;
}

static void
append_text(zmap_writer *w, const char *text)
{
    assert_rc(zmap_writer_append(w, text, strlen(text)), NC_NOERR);
}

/* Nothing of an object is known before the commit, and all of it after that. */
static void
a_writer_puts_an_object_in_pieces(void **state)
{
    enum { SIZE = 300000 };
    fixture       *fx = *state;
    zmap_writer   *w = begin_writer(fx, "d/new"), *other;
    unsigned char *data = malloc(SIZE);
    zmap_stats     before, after;

    append_text(w, "one ");
    expect_absent(fx->m, "d/new");
    assert_rc(zmap_writer_append(w, NULL, 0), NC_NOERR);
    append_text(w, "two");
    put_text(fx->m, "d/k", "beside it");
    expect_list(fx->m, "d", "k ");
    expect_absent(fx->m, "d/new");
    zmap_stats_of(fx->m, &before);
    assert_rc(zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    zmap_stats_of(fx->m, &after);
    assert_int_equal(after.puts - before.puts, 1);
    assert_int_equal(after.bytes_written - before.bytes_written, 7);
    expect_text(fx->m, "d/new", "one two");
    expect_list(fx->m, "d", "k new ");

    fill_pattern(data, SIZE, 3);
    w = begin_writer(fx, "d/new");
    other = begin_writer(fx, "empty");
    for (size_t at = 0, len; at < SIZE; at += len) {
        len = 1 + at % 7001 < SIZE - at ? 1 + at % 7001 : SIZE - at;
        assert_rc(zmap_writer_append(w, data + at, len), NC_NOERR);
    }
    expect_text(fx->m, "d/new", "one two"); /* replaced by the commit */
    assert_rc(zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    expect_bytes(fx->m, "d/new", data, SIZE);
    assert_rc(zmap_writer_commit(other, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    expect_text(fx->m, "empty", "");
    free(data);
}

/* An abandoned put leaves nothing, also of the prefix that it was to be the first under. */
static void
an_abandoned_writer_leaves_nothing(void **state)
{
    fixture     *fx = *state;
    zmap_writer *w = begin_writer(fx, "d/e/new");

    append_text(w, "text");
    zmap_writer_abandon(w);
    expect_absent(fx->m, "d/e/new");
    expect_list(fx->m, "", "");
    put_text(fx->m, "d/e/new", "old");
    w = begin_writer(fx, "d/e/new");
    append_text(w, "text");
    zmap_writer_abandon(w);
    expect_text(fx->m, "d/e/new", "old");
    expect_list(fx->m, "d/e", "new ");
    zmap_writer_abandon(NULL);
}

static void
wrong_writes_are_refused(void **state)
{
    fixture     *fx = *state;
    zmap_writer *w = NULL;
    int          rc;

    assert_rc(zmap_writer_begin(fx->m, "a//b", &w), NC_EINVAL);
    assert_rc(zmap_writer_begin(fx->m, "", &w), NC_EINVAL);
    assert_null(w);
    w = begin_writer(fx, "k");
    assert_rc(zmap_writer_append(w, NULL, 3), NC_EINVAL);
    append_text(w, "text"); /* what was refused does not count */
    assert_rc(zmap_writer_commit(w, ZMAP_IF_MATCH, "", NULL), can(fx, ZMAP_CAN_IF_MATCH) ? NC_EINVAL : NC_ENOTBUILT);
    expect_absent(fx->m, "k");
    put_text(fx->m, "k", "leaf");
    if (!can(fx, ZMAP_KEEPS_LEAVES))
        return;
    w = NULL;
    if ((rc = zmap_writer_begin(fx->m, "k/below", &w)) == NC_NOERR)
        rc = zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL);
    assert_int_equal(rc, NC_EOBJECT);
    put_text(fx->m, "d/k", "leaf");
    w = NULL;
    if ((rc = zmap_writer_begin(fx->m, "d", &w)) == NC_NOERR)
        rc = zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL);
    assert_int_equal(rc, NC_EOBJECT);
    expect_text(fx->m, "k", "leaf");
    expect_list(fx->m, "", "d/ k ");
    expect_list(fx->m, "d", "k ");
}

/* The conditions are judged by what is there at the commit. */
static void
a_writer_has_conditions(void **state)
{
    fixture     *fx = *state;
    zmap_get_req r = {.key = "d/k", .len = ZMAP_WHOLE, .ask_version = true};
    char         first[ZMAP_VERSION] = "", second[ZMAP_VERSION] = "";
    zmap_writer *w = begin_writer(fx, "d/k");

    append_text(w, "one");
    if (!can(fx, ZMAP_CAN_IF_ABSENT)) {
        assert_rc(zmap_writer_commit(w, ZMAP_IF_ABSENT, NULL, NULL), NC_ENOTBUILT);
        expect_absent(fx->m, "d/k");
        return;
    }
    assert_rc(zmap_writer_commit(w, ZMAP_IF_ABSENT, NULL, first), NC_NOERR);
    w = begin_writer(fx, "d/k");
    append_text(w, "two");
    assert_rc(zmap_writer_commit(w, ZMAP_IF_ABSENT, NULL, NULL), NC_EOBJECT);
    expect_text(fx->m, "d/k", "one");
    expect_list(fx->m, "d", "k ");
    if (!can(fx, ZMAP_CAN_IF_MATCH))
        return;
    assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&r.body);
    assert_true(first[0] == '\0' || strcmp(first, r.version) == 0);
    memcpy(first, r.version, sizeof first);
    w = begin_writer(fx, "d/k");
    append_text(w, "three");
    assert_rc(zmap_writer_commit(w, ZMAP_IF_MATCH, first, second), NC_NOERR);
    expect_text(fx->m, "d/k", "three");
    assert_string_not_equal(first, second);
    w = begin_writer(fx, "d/k");
    append_text(w, "four");
    assert_rc(zmap_writer_commit(w, ZMAP_IF_MATCH, first, NULL), NC_EOBJECT);
    w = begin_writer(fx, "d/none");
    assert_rc(zmap_writer_commit(w, ZMAP_IF_MATCH, first, NULL), NC_ENOOBJECT);
    expect_text(fx->m, "d/k", "three");
    expect_list(fx->m, "d", "k ");
}

/* ---- changes in place ------------------------------------------------------------------------------------------ */

static void
without_ranges_none_are_put(void **state)
{
    fixture *fx = *state;

    if (can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    put_text(fx->m, "d/k", "text");
    assert_rc(zmap_put_range(fx->m, "d/k", 1, "x", 1), NC_ENOTBUILT);
    assert_rc(zmap_resize(fx->m, "d/k", 1), NC_ENOTBUILT);
    assert_rc(zmap_rename(fx->m, "d/k", "d/l"), NC_ENOTBUILT);
    expect_text(fx->m, "d/k", "text");
    expect_list(fx->m, "d", "k ");
}

static void
ranges_are_put(void **state)
{
    fixture *fx = *state;

    if (!can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    assert_rc(zmap_put_range(fx->m, "d/k", 3, "345", 3), NC_NOERR); /* a new object */
    expect_bytes(fx->m, "d/k",
                 "\0\0\0"
                 "345",
                 6);
    assert_rc(zmap_put_range(fx->m, "d/k", 0, "abc", 3), NC_NOERR);
    expect_text(fx->m, "d/k", "abc345");
    assert_rc(zmap_put_range(fx->m, "d/k", 5, "67", 2), NC_NOERR); /* over the last byte, and one more */
    expect_text(fx->m, "d/k", "abc3467");
    assert_rc(zmap_put_range(fx->m, "d/k", 9, "9", 1), NC_NOERR); /* a gap */
    expect_bytes(fx->m, "d/k",
                 "abc3467\0\0"
                 "9",
                 10);
    assert_rc(zmap_put_range(fx->m, "d/k", 400, NULL, 0), NC_NOERR); /* no bytes: no gap */
    expect_bytes(fx->m, "d/k",
                 "abc3467\0\0"
                 "9",
                 10);
    assert_rc(zmap_put_range(fx->m, "d/empty", 7, NULL, 0), NC_NOERR);
    expect_text(fx->m, "d/empty", "");

    put_text(fx->m, "d/k", "whole");
    assert_rc(zmap_put_range(fx->m, "d/k", 1, "HO", 2), NC_NOERR);
    expect_text(fx->m, "d/k", "wHOle");
    expect_list(fx->m, "d", "empty k ");
    assert_rc(zmap_sync(fx->m), NC_NOERR);
    expect_text(fx->m, "d/k", "wHOle");
}

static void
wrong_ranges_are_refused(void **state)
{
    fixture *fx = *state;

    if (!can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    put_text(fx->m, "a", "object");
    put_text(fx->m, "p/b", "below");
    assert_rc(zmap_put_range(fx->m, "a//b", 0, "x", 1), NC_EINVAL);
    assert_rc(zmap_put_range(fx->m, "a", 0, NULL, 1), NC_EINVAL);
    assert_rc(zmap_put_range(fx->m, "a", INT64_MAX, "x", 1), NC_EINVAL);
    assert_rc(zmap_put_range(fx->m, "a", UINT64_MAX, "x", 1), NC_EINVAL);
    assert_rc(zmap_put_range(fx->m, "a/below", 0, "x", 1), NC_EOBJECT);
    assert_rc(zmap_put_range(fx->m, "p", 0, "x", 1), NC_EOBJECT);
    assert_rc(zmap_resize(fx->m, "a//b", 1), NC_EINVAL);
    assert_rc(zmap_resize(fx->m, "a", UINT64_MAX), NC_EINVAL);
    assert_rc(zmap_resize(fx->m, "a/below", 1), NC_EOBJECT);
    assert_rc(zmap_resize(fx->m, "p", 1), NC_EOBJECT);
    expect_text(fx->m, "a", "object");
    expect_list(fx->m, "", "a p/ ");
    expect_list(fx->m, "p", "b ");
}

/* Many requests in one call: of one object in their order, also where they overlap. */
static void
ranges_are_put_in_batches(void **state)
{
    enum { SIZE = 100000, MOST = 300 };
    fixture       *fx = *state;
    unsigned char *want = malloc(SIZE);
    zmap_range_req reqs[MOST], mixed[5];
    size_t         n = 0;

    assert_non_null(want);
    fill_pattern(want, SIZE, 5);
    for (size_t at = 0, len; at < SIZE; at += len) {
        len = n % 7 == 3 ? 0 : 1 + n * 41 % 900;
        len = len < SIZE - at ? len : SIZE - at;
        assert_true(n < MOST);
        reqs[n++] = (zmap_range_req){.key = "d/k", .off = at, .data = want + at, .len = len};
    }
    mixed[0] = (zmap_range_req){.key = "x", .off = 0, .data = "aaaa", .len = 4};
    mixed[1] = (zmap_range_req){.key = "x", .off = 2, .data = "bb", .len = 2};
    mixed[2] = (zmap_range_req){.key = "x", .off = 1, .data = "c", .len = 1};
    mixed[3] = (zmap_range_req){.key = "/no", .off = 1, .data = "c", .len = 1};
    mixed[4] = (zmap_range_req){.key = "y", .off = 1, .data = "d", .len = 1};
    if (can(fx, ZMAP_CAN_PUT_RANGE)) {
        zmap_stats before, after;

        zmap_stats_of(fx->m, &before);
        assert_rc(zmap_put_range_batch(fx->m, reqs, n), NC_NOERR);
        zmap_stats_of(fx->m, &after);
        assert_int_equal(after.puts - before.puts, n);
        assert_int_equal(after.bytes_written - before.bytes_written, SIZE);
        expect_bytes(fx->m, "d/k", want, SIZE);
        assert_rc(zmap_put_range_batch(fx->m, mixed, 5), NC_EINVAL);
        assert_int_equal(mixed[3].err.code, NC_EINVAL);
        expect_text(fx->m, "x", "acbb");
        expect_bytes(fx->m, "y", "\0d", 2);
        assert_rc(zmap_put_range_batch(fx->m, NULL, 0), NC_NOERR);
    }
    free(want);
}

static void
objects_are_resized(void **state)
{
    fixture *fx = *state;
    uint64_t len = 0;

    if (!can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    put_text(fx->m, "d/k", "0123456789");
    assert_rc(zmap_resize(fx->m, "d/k", 4), NC_NOERR);
    expect_text(fx->m, "d/k", "0123");
    assert_rc(zmap_resize(fx->m, "d/k", 8), NC_NOERR); /* the old bytes do not come back */
    expect_bytes(fx->m, "d/k", "0123\0\0\0", 8);
    assert_rc(zmap_resize(fx->m, "d/k", 0), NC_NOERR);
    expect_text(fx->m, "d/k", "");
    assert_rc(zmap_put_range(fx->m, "d/k", 2, "2", 1), NC_NOERR);
    expect_bytes(fx->m, "d/k",
                 "\0\0"
                 "2",
                 3);
    assert_rc(zmap_resize(fx->m, "e/new", 100000), NC_NOERR);
    assert_rc(zmap_len(fx->m, "e/new", &len), NC_NOERR);
    assert_int_equal(len, 100000);
}

/* An object that was changed is another version, even of the same size and in the same moment. */
static void
a_change_has_a_new_version(void **state)
{
    fixture     *fx = *state;
    char         into[4], old[ZMAP_VERSION] = "";
    zmap_get_req r = {.key = "k", .len = 4, .ask_version = true, .into = into, .into_cap = 4};

    if (!can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    put_text(fx->m, "k", "aaaa");
    for (int i = 0; i < 20; i++) {
        assert_rc(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
        assert_true(r.version[0] == '\0' || strcmp(r.version, old) != 0);
        memcpy(old, r.version, sizeof old);
        if (i % 2 == 0)
            assert_rc(zmap_put_range(fx->m, "k", 2, "b", 1), NC_NOERR);
        else
            assert_rc(zmap_resize(fx->m, "k", 4), NC_NOERR);
    }
}

static void
objects_are_renamed(void **state)
{
    fixture *fx = *state;

    if (!can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    put_text(fx->m, "a/k", "first");
    put_text(fx->m, "b/c/k", "second");
    assert_rc(zmap_rename(fx->m, "a/k", "b/c/l"), NC_NOERR); /* a new key; nothing is left below a */
    expect_absent(fx->m, "a/k");
    expect_text(fx->m, "b/c/l", "first");
    expect_list(fx->m, "", "b/ ");
    assert_rc(zmap_rename(fx->m, "b/c/l", "b/c/k"), NC_NOERR); /* over another object */
    expect_text(fx->m, "b/c/k", "first");
    expect_list(fx->m, "b/c", "k ");
    assert_rc(zmap_rename(fx->m, "b/c/k", "new/d/k"), NC_NOERR);
    expect_list(fx->m, "", "new/ ");
    assert_rc(zmap_rename(fx->m, "new/d/k", "a"), NC_NOERR);
    expect_text(fx->m, "a", "first");

    put_text(fx->m, "p/q", "below");
    assert_rc(zmap_rename(fx->m, "none", "x"), NC_ENOOBJECT);
    assert_rc(zmap_rename(fx->m, "no/ne", "x"), NC_ENOOBJECT);
    assert_rc(zmap_rename(fx->m, "a", "p"), NC_EOBJECT);
    assert_rc(zmap_rename(fx->m, "p/q", "a/below"), NC_EOBJECT);
    assert_rc(zmap_rename(fx->m, "a", "a"), NC_EINVAL);
    assert_rc(zmap_rename(fx->m, "a", "a//b"), NC_EINVAL);
    assert_int_not_equal(zmap_rename(fx->m, "p", "x"), NC_NOERR); /* a prefix is no object */
    expect_text(fx->m, "a", "first");
    expect_text(fx->m, "p/q", "below");
    expect_list(fx->m, "", "a p/ ");
}

/* ---- conditions ------------------------------------------------------------------------------------------------ */

static void
a_put_may_demand_absence(void **state)
{
    fixture     *fx = *state;
    zmap_put_req r = {.key = "d/k", .data = "first", .len = 5, .when = ZMAP_IF_ABSENT};

    if (!can(fx, ZMAP_CAN_IF_ABSENT)) {
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_ENOTBUILT);
        expect_absent(fx->m, "d/k");
        return;
    }
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_NOERR);
    r.data = "later";
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EOBJECT);
    assert_int_equal(r.err.code, NC_EOBJECT);
    expect_text(fx->m, "d/k", "first");
    expect_list(fx->m, "d", "k ");
    r.key = "d";
    if (can(fx, ZMAP_KEEPS_LEAVES))
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EOBJECT);
    assert_rc(zmap_del(fx->m, &(const char *){"d/k"}, 1), NC_NOERR);
    r.key = "d/k";
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_NOERR);
    expect_text(fx->m, "d/k", "later");
}

static void
a_put_may_demand_a_version(void **state)
{
    fixture     *fx = *state;
    zmap_get_req g = {.key = "k", .len = ZMAP_WHOLE, .ask_version = true};
    zmap_put_req r = {.key = "k", .data = "two", .len = 3, .when = ZMAP_IF_MATCH, .version = "x"};
    char         stored[ZMAP_VERSION];

    put_text(fx->m, "k", "one");
    if (!can(fx, ZMAP_CAN_IF_MATCH)) {
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_ENOTBUILT);
        expect_text(fx->m, "k", "one");
        return;
    }
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EOBJECT);
    assert_rc(zmap_get_batch(fx->m, &g, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&g.body);
    assert_true(g.version[0] != '\0');
    r.version = g.version;
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_NOERR);
    r.data = "six";
    memcpy(stored, r.stored, sizeof stored);
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EOBJECT); /* that version is gone */
    expect_text(fx->m, "k", "two");
    if (stored[0] != '\0') { /* the version that the first put made is the one that is read */
        r.version = stored;
        r.data = "ten"; /* other bytes: a version may be their checksum */
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_NOERR);
        assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EOBJECT);
        expect_text(fx->m, "k", "ten");
    }
    assert_rc(zmap_get_batch(fx->m, &g, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&g.body);
    r.version = g.version;
    put_text(fx->m, "k", "new"); /* of the same length, without a condition */
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EOBJECT);
    expect_text(fx->m, "k", "new");
    r.key = "absent";
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_ENOOBJECT);
    expect_absent(fx->m, "absent");
    r.version = NULL;
    assert_rc(zmap_put_batch(fx->m, &r, 1), NC_EINVAL);
}

static void
a_delete_may_demand_a_version(void **state)
{
    fixture     *fx = *state;
    zmap_get_req g = {.key = "d/k", .len = ZMAP_WHOLE, .ask_version = true};

    put_text(fx->m, "d/k", "one");
    if (!can(fx, ZMAP_CAN_DEL_MATCH)) {
        assert_rc(zmap_del_match(fx->m, "d/k", "x"), NC_ENOTBUILT);
        expect_text(fx->m, "d/k", "one");
        return;
    }
    assert_rc(zmap_get_batch(fx->m, &g, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&g.body);
    put_text(fx->m, "d/k", "two");
    assert_rc(zmap_del_match(fx->m, "d/k", g.version), NC_EOBJECT);
    expect_text(fx->m, "d/k", "two");
    assert_rc(zmap_get_batch(fx->m, &g, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&g.body);
    assert_rc(zmap_del_match(fx->m, "d/k", g.version), NC_NOERR);
    expect_absent(fx->m, "d/k");
    expect_list(fx->m, "", "");
    assert_rc(zmap_del_match(fx->m, "d/k", g.version), NC_ENOOBJECT);
    assert_rc(zmap_del_match(fx->m, "d/k", ""), NC_EINVAL);
}

/* ---- many, and at once ----------------------------------------------------------------------------------------- */

enum { MANY = 5000, MANY_BATCH = 100 };

static int
count_child(const char *name, bool leaf, void *arg)
{
    size_t *n = arg;

    (void)name;
    *n += leaf;
    return 0;
}

static void
many_keys_are_held(void **state)
{
    fixture *fx = *state;
    char(*keys)[32] = calloc(MANY, sizeof *keys);
    zmap_put_req puts[MANY_BATCH];
    const char  *gone[MANY_BATCH];
    size_t       n = 0;

    for (size_t i = 0; i < MANY; i++)
        snprintf(keys[i], sizeof keys[i], "v%zu/%zu.%zu", i % 7, i * 7919 % MANY, i);
    for (size_t i = 0; i < MANY; i += MANY_BATCH) {
        for (size_t k = 0; k < MANY_BATCH; k++)
            puts[k] = (zmap_put_req){.key = keys[i + k], .data = keys[i + k], .len = strlen(keys[i + k])};
        assert_rc(zmap_put_batch(fx->m, puts, MANY_BATCH), NC_NOERR);
    }
    expect_list(fx->m, "", "v0/ v1/ v2/ v3/ v4/ v5/ v6/ ");
    for (int v = 0; v < 7; v++) {
        char prefix[8];

        snprintf(prefix, sizeof prefix, "v%d", v);
        assert_rc(zmap_list(fx->m, prefix, count_child, &n), NC_NOERR);
    }
    assert_int_equal(n, MANY);
    for (size_t i = 0; i < MANY; i += 17)
        expect_text(fx->m, keys[i], keys[i]);
    for (size_t i = 0; i < MANY; i += MANY_BATCH) {
        for (size_t k = 0; k < MANY_BATCH; k++)
            gone[k] = keys[i + k];
        assert_rc(zmap_del(fx->m, gone, MANY_BATCH), NC_NOERR);
    }
    expect_list(fx->m, "", "");
    free(keys);
}

typedef struct worker {
    pthread_t thread;
    zmap     *m;
    unsigned  id;
    unsigned  wrong; /* asserting is for the main thread */
} worker;

enum { WORKERS = 4, ROUNDS = 150 };

/* Puts, reads and removes keys of its own in directories that all have in common, and come and go. */
static void *
work_apart(void *arg)
{
    worker *w = arg;
    char    key[32], text[32];

    for (unsigned i = 0; i < ROUNDS; i++) {
        ncz_buf     body = NCZ_BUF_INIT;
        const char *k = key;

        snprintf(key, sizeof key, "s%u/t/%u.%u", i % 3, w->id, i % 5);
        snprintf(text, sizeof text, "%u of %u", i, w->id);
        w->wrong += zmap_put(w->m, key, text, strlen(text)) != NC_NOERR;
        w->wrong += zmap_get(w->m, key, &body) != NC_NOERR || strcmp(ncz_buf_str(&body), text) != 0;
        w->wrong += zmap_list(w->m, "s0/t", count_child, &(size_t){0}) != NC_NOERR;
        if (i % 2 == 0) {
            w->wrong += zmap_del(w->m, &k, 1) != NC_NOERR;
            w->wrong += zmap_get(w->m, key, &body) != NC_EEMPTY;
        }
        ncz_buf_clear(&body);
    }
    return NULL;
}

static void
run_workers(zmap *m, void *(*work)(void *))
{
    worker w[WORKERS];

    for (unsigned i = 0; i < WORKERS; i++) {
        w[i] = (worker){.m = m, .id = i};
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].wrong, 0);
    }
}

static void
threads_put_apart(void **state)
{
    fixture *fx = *state;

    run_workers(fx->m, work_apart);
}

enum { STRIPE = 509, STRIPES = 64 };

/* Each writes its own stripes of one object, and reads them again while the others make the object longer. */
static void *
work_in_place(void *arg)
{
    worker       *w = arg;
    unsigned char mine[STRIPE], seen[STRIPE];

    for (unsigned i = 0; i < STRIPES; i++) {
        uint64_t     at = (uint64_t)(i * WORKERS + w->id) * STRIPE;
        zmap_get_req r = {.key = "d/shared", .off = at, .len = STRIPE, .into = seen, .into_cap = STRIPE};

        fill_pattern(mine, STRIPE, i * WORKERS + w->id);
        w->wrong += zmap_put_range(w->m, "d/shared", at, mine, STRIPE) != NC_NOERR ||
                    zmap_get_batch(w->m, &r, 1, NULL, NULL) != NC_NOERR || memcmp(mine, seen, STRIPE) != 0;
    }
    return NULL;
}

static void
threads_change_in_place(void **state)
{
    fixture      *fx = *state;
    unsigned char want[STRIPE];
    ncz_buf       body = NCZ_BUF_INIT;

    if (!can(fx, ZMAP_CAN_PUT_RANGE))
        return;
    run_workers(fx->m, work_in_place);
    assert_rc(zmap_get(fx->m, "d/shared", &body), NC_NOERR);
    assert_int_equal(body.len, (size_t)STRIPE * STRIPES * WORKERS);
    for (unsigned i = 0; i < STRIPES * WORKERS; i++) {
        fill_pattern(want, STRIPE, i);
        assert_memory_equal(body.data + (size_t)i * STRIPE, want, STRIPE);
    }
    ncz_buf_clear(&body);
}

enum { SHARED_LEN = 70001 };

/* Of puts and gets of a large object, of which a short run makes fewer. */
static unsigned
count_rounds(void)
{
    return getenv("NCZARR_TEST_SHORT") != NULL ? ROUNDS / 4 : ROUNDS;
}

/* Two write one key, two read it: each read must be one whole generation. */
static void *
work_together(void *arg)
{
    worker        *w = arg;
    unsigned char *mine = malloc(SHARED_LEN), *seen = malloc(SHARED_LEN);
    zmap_get_req   r = {.key = "d/shared", .len = ZMAP_WHOLE, .into = seen, .into_cap = SHARED_LEN};
    unsigned       rounds = count_rounds();

    for (unsigned i = 0; i < rounds; i++) {
        if (w->id < 2) {
            fill_pattern(mine, SHARED_LEN, w->id + 2 * i);
            w->wrong += zmap_put(w->m, "d/shared", mine, SHARED_LEN) != NC_NOERR;
        } else if (zmap_get_batch(w->m, &r, 1, NULL, NULL) != NC_NOERR || r.nread != SHARED_LEN) {
            w->wrong++;
        } else {
            unsigned char shift = seen[0];

            fill_pattern(mine, SHARED_LEN, 0);
            for (size_t k = 0; k < SHARED_LEN; k++)
                mine[k] = (unsigned char)(mine[k] + shift);
            w->wrong += memcmp(mine, seen, SHARED_LEN) != 0;
        }
    }
    free(mine);
    free(seen);
    return NULL;
}

static void
threads_put_together(void **state)
{
    fixture       *fx = *state;
    unsigned char *data = calloc(1, SHARED_LEN);

    if (can(fx, ZMAP_CAN_REPLACE)) {
        fill_pattern(data, SHARED_LEN, 0);
        assert_rc(zmap_put(fx->m, "d/shared", data, SHARED_LEN), NC_NOERR);
        run_workers(fx->m, work_together);
    }
    free(data);
}

static unsigned first_puts; /* atomic: how many of the racing puts succeeded */

static void *
work_first(void *arg)
{
    worker *w = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        char         key[32];
        zmap_put_req r = {.key = key, .data = "x", .len = 1, .when = ZMAP_IF_ABSENT};
        int          rc;

        snprintf(key, sizeof key, "race/%u", i);
        rc = zmap_put_batch(w->m, &r, 1);
        w->wrong += rc != NC_NOERR && rc != NC_EOBJECT;
        if (rc == NC_NOERR)
            __atomic_add_fetch(&first_puts, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void
threads_race_for_absence(void **state)
{
    fixture *fx = *state;

    if (!can(fx, ZMAP_CAN_IF_ABSENT))
        return;
    first_puts = 0;
    run_workers(fx->m, work_first);
    assert_int_equal(first_puts, ROUNDS); /* one winner for each key */
}

/* Adds one to the number in the object, on condition that nobody else has changed it. */
static int
count_up(zmap *m)
{
    zmap_get_req g = {.key = "count", .len = ZMAP_WHOLE, .ask_version = true};
    char         text[32];
    zmap_put_req r = {.key = "count", .data = text, .when = ZMAP_IF_ABSENT, .version = g.version};

    if (zmap_get_batch(m, &g, 1, NULL, NULL) != NC_NOERR)
        return g.err.code;
    if (g.err.code == NC_NOERR)
        r.when = ZMAP_IF_MATCH;
    r.len = (size_t)snprintf(text, sizeof text, "%08lu",
                             g.err.code == NC_NOERR ? strtoul(ncz_buf_str(&g.body), NULL, 10) + 1 : 1);
    ncz_buf_clear(&g.body);
    return zmap_put_batch(m, &r, 1);
}

static void *
work_count(void *arg)
{
    worker *w = arg;

    for (unsigned i = 0; i < ROUNDS;) {
        int rc = count_up(w->m);

        i += rc == NC_NOERR;
        if (rc != NC_NOERR && rc != NC_EOBJECT) {
            w->wrong++;
            break;
        }
    }
    return NULL;
}

static void
threads_race_for_a_version(void **state)
{
    fixture *fx = *state;
    char     want[32];

    if (!can(fx, ZMAP_CAN_IF_MATCH) || !can(fx, ZMAP_CAN_IF_ABSENT))
        return;
    run_workers(fx->m, work_count);
    snprintf(want, sizeof want, "%08u", WORKERS * ROUNDS);
    expect_text(fx->m, "count", want); /* no increment is lost */
}

/* ---- the life of a map ----------------------------------------------------------------------------------------- */

static void
references_keep_a_store_open(void **state)
{
    fixture *fx = *state;

    assert_non_null(zmap_name(fx->m));
    assert_ptr_equal(zmap_ref(fx->m), fx->m);
    assert_rc(zmap_close(fx->m, ZMAP_DISCARD), NC_NOERR); /* not the last one: nothing ends */
    put_text(fx->m, "k", "still open");
    expect_text(fx->m, "k", "still open");
    assert_rc(zmap_close(NULL, ZMAP_KEEP), NC_NOERR);
}

static void
a_sync_succeeds(void **state)
{
    fixture *fx = *state;

    assert_rc(zmap_sync(fx->m), NC_NOERR);
    put_text(fx->m, "a/b/c", "x");
    put_text(fx->m, "d", "x");
    assert_rc(zmap_sync(fx->m), NC_NOERR);
    assert_rc(zmap_del(fx->m, (const char *[]){"a/b/c", "d"}, 2), NC_NOERR);
    put_text(fx->m, "e", "x");
    assert_rc(zmap_sync(fx->m), NC_NOERR);
    assert_rc(zmap_sync(fx->m), NC_NOERR);
    expect_text(fx->m, "e", "x");
}

static void
objects_are_there_when_opened_again(void **state)
{
    fixture     *fx = *state;
    zmap_writer *w = NULL;

    if (fx->maker->reopen == NULL)
        return;
    put_text(fx->m, "a/b", "kept");
    assert_rc(zmap_close(fx->m, ZMAP_KEEP), NC_NOERR);
    fx->m = fx->maker->reopen(fx->place, ZMAP_OPEN_READ);
    assert_non_null(fx->m);
    expect_text(fx->m, "a/b", "kept");
    expect_list(fx->m, "", "a/ ");
    assert_rc(zmap_put(fx->m, "a/c", "x", 1), NC_EPERM);
    assert_rc(zmap_del(fx->m, (const char *[]){"a/b"}, 1), NC_EPERM);
    assert_rc(zmap_put_range(fx->m, "a/b", 0, "x", 1), NC_EPERM);
    assert_rc(zmap_resize(fx->m, "a/b", 0), NC_EPERM);
    assert_rc(zmap_rename(fx->m, "a/b", "c"), NC_EPERM);
    assert_rc(zmap_writer_begin(fx->m, "a/c", &w), NC_EPERM);
    expect_text(fx->m, "a/b", "kept");
    assert_rc(zmap_close(fx->m, ZMAP_DISCARD), NC_NOERR); /* not made by this session: stays */

    fx->m = fx->maker->reopen(fx->place, ZMAP_OPEN_WRITE);
    assert_non_null(fx->m);
    put_text(fx->m, "a/c", "added");
    assert_rc(zmap_close(fx->m, ZMAP_DISCARD), NC_NOERR);
    fx->m = fx->maker->reopen(fx->place, ZMAP_CREATE_NEW);
    assert_null(fx->m);
    fx->m = fx->maker->reopen(fx->place, ZMAP_OPEN_READ);
    expect_list(fx->m, "a", "b c ");
}

static void
a_discarded_store_is_gone(void **state)
{
    fixture *fx = *state;

    if (fx->maker->reopen == NULL)
        return;
    put_text(fx->m, "a/b/c", "x");
    put_text(fx->m, "d", "x");
    assert_rc(zmap_writer_commit(begin_writer(fx, "j/k/l"), ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    if (can(fx, ZMAP_CAN_PUT_RANGE)) {
        assert_rc(zmap_put_range(fx->m, "e/f/g", 1, "x", 1), NC_NOERR);
        assert_rc(zmap_rename(fx->m, "d", "h/i"), NC_NOERR);
    }
    assert_rc(zmap_close(fx->m, ZMAP_DISCARD), NC_NOERR);
    fx->m = fx->maker->reopen(fx->place, ZMAP_OPEN_READ);
    assert_null(fx->m);
}

int
store_contract(const store_maker *maker)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ROW(objects_are_put_and_got),
        ROW(an_object_is_replaced),
        ROW(an_object_may_be_empty),
        ROW(objects_hold_any_bytes),
        ROW(a_get_appends_to_the_body),
        ROW(a_body_has_a_ceiling),
        ROW(a_get_goes_into_memory),
        ROW(ranges_are_read),
        ROW(the_last_bytes_are_read),
        ROW(sizes_and_versions_are_told),
        ROW(a_get_may_demand_a_version),
        ROW(ranges_have_a_ceiling),
        ROW(requests_come_in_batches),
        ROW(failures_in_a_batch_are_each_ones_own),
        ROW(the_callback_may_use_the_store),
        ROW(bad_keys_are_refused),
        ROW(good_keys_are_taken),
        ROW(keys_are_compared_by_bytes),
        ROW(long_keys_are_taken_or_refused),
        ROW(no_object_is_the_prefix_of_another),
        ROW(children_are_listed),
        ROW(objects_are_walked),
        ROW(a_callback_may_end_a_list),
        ROW(objects_are_deleted),
        ROW(an_object_is_put_in_parts),
        ROW(a_writer_puts_an_object_in_pieces),
        ROW(an_abandoned_writer_leaves_nothing),
        ROW(wrong_writes_are_refused),
        ROW(a_writer_has_conditions),
        ROW(without_ranges_none_are_put),
        ROW(ranges_are_put),
        ROW(wrong_ranges_are_refused),
        ROW(ranges_are_put_in_batches),
        ROW(objects_are_resized),
        ROW(a_change_has_a_new_version),
        ROW(objects_are_renamed),
        ROW(a_put_may_demand_absence),
        ROW(a_put_may_demand_a_version),
        ROW(a_delete_may_demand_a_version),
        ROW(many_keys_are_held),
        ROW(threads_put_apart),
        ROW(threads_change_in_place),
        ROW(threads_put_together),
        ROW(threads_race_for_absence),
        ROW(threads_race_for_a_version),
        ROW(references_keep_a_store_open),
        ROW(a_sync_succeeds),
        ROW(objects_are_there_when_opened_again),
        ROW(a_discarded_store_is_gone),
    };
#undef ROW

    the_maker = maker;
    return cmocka_run_group_tests_name(maker->name, tests, NULL, NULL);
}

void
store_contract_choose(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0)
        cmocka_set_test_filter("threads_*");
}
