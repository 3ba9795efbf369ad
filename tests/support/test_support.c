/* SPDX-License-Identifier: BSD-3-Clause */
/* The helpers that other tests trust: allocations fail where they are asked to, and what is expected is compared. */
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/store_help.h"
#include "support/test.h"

#include <unistd.h>

#include "util/util.h"
#include "zmap/zmap_mem.h"

static bool
can_allocate(size_t nbytes)
{
    void *p = ncz_alloc(nbytes);
    bool  got = p != NULL;

    ncz_free(p);
    return got;
}

TEST(one_allocation_fails)
{
    fail_allocation(2);
    assert_true(can_allocate(10));
    assert_false(can_allocate(3000));
    assert_true(can_allocate(20));
    assert_int_equal(allocations_seen(), 3);
    assert_int_equal(largest_allocation(), 3000);
    assert_true(end_failing());
    assert_true(can_allocate(10));
}

TEST(all_later_allocations_fail)
{
    fail_allocations_from(2);
    assert_true(can_allocate(10));
    assert_false(can_allocate(10));
    assert_false(can_allocate(10));
    assert_true(end_failing());
    fail_allocations_from(5);
    assert_true(can_allocate(10));
    assert_false(end_failing()); /* the fifth was never asked for */
}

TEST(watching_fails_nothing)
{
    watch_allocations();
    assert_true(can_allocate(1000));
    assert_true(can_allocate(10));
    assert_int_equal(allocations_seen(), 2);
    assert_int_equal(largest_allocation(), 1000);
    assert_false(end_failing());
}

/* Allocates three times; counts its runs, and the failures at each place. */
typedef struct steps {
    size_t runs, failed[3];
} steps;

static int
allocate_thrice(void *arg)
{
    steps *s = arg;

    s->runs++;
    for (size_t i = 0; i < 3; i++)
        if (!can_allocate(8)) {
            s->failed[i]++;
            return NC_ENOMEM;
        }
    return NC_NOERR;
}

TEST(each_allocation_fails_once)
{
    steps s = {.runs = 0};

    each_allocation_fails(allocate_thrice, &s);
    assert_int_equal(s.runs, 4);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s.failed[i], 1);
}

TEST(a_scratch_directory_is_empty_and_goes)
{
    char  *dir = scratch_new(), *text;
    size_t len = 0;
    char   outer[256], inner[256];

    assert_int_equal(scratch_count(dir), 0);
    (void)snprintf(outer, sizeof outer, "%s", scratch_path(dir, ".hidden"));
    (void)snprintf(inner, sizeof inner, "%s", scratch_path(dir, "link"));
    scratch_write(outer, "a\0b", 3);
    assert_int_equal(symlink("nowhere", inner), 0);
    assert_int_equal(scratch_count(dir), 2);
    assert_true(scratch_exists(inner));
    assert_int_equal(scratch_find(dir, ".hid"), 1);
    assert_int_equal(scratch_find(dir, "nothing"), 0);
    text = scratch_read(outer, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(text, "a\0b", 3);
    free(text);
    assert_null(scratch_read(inner, &len));
    scratch_empty(dir);
    assert_int_equal(scratch_count(dir), 0);
    (void)snprintf(outer, sizeof outer, "%s", dir);
    scratch_free(dir);
    assert_false(scratch_exists(outer));
}

TEST(stores_hold_what_is_expected)
{
    zmap   *m = NULL;
    ncz_buf seen = NCZ_BUF_INIT;

    assert_rc(zmap_mem_open(&m), NC_NOERR);
    put_text(m, "b/x", "text");
    put_text(m, "a", "");
    expect_text(m, "b/x", "text");
    expect_bytes(m, "a", "", 0);
    expect_get(m, "b/x", NC_NOERR, "text");
    expect_absent(m, "c");
    expect_get(m, "b", NC_EACCESS, ""); /* the prefix of another key */
    expect_list(m, "", "a b/ ");
    expect_list(m, "b", "x ");
    assert_int_equal(note_child("c", true, &seen), NC_NOERR);
    assert_int_equal(note_child("d", false, &seen), NC_NOERR);
    assert_string_equal(ncz_buf_str(&seen), "c d/ ");
    assert_int_equal(note_child("e", true, NULL), 0);
    ncz_buf_clear(&seen);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}
