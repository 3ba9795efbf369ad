/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocation through one table, and checked arithmetic.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "util/util.h"

TEST(zero_sizes)
{
    void *p[] = {ncz_alloc(0),         ncz_zalloc(0),  ncz_alloc_n(0, 8),    ncz_zalloc_n(8, 0),
                 ncz_grow(NULL, 0, 1), ncz_dup("", 0), ncz_strndup("abc", 0)};

    p[4] = ncz_grow(p[4], 0, 0);
    for (size_t i = 0; i < NCZ_LEN(p); i++) {
        assert_non_null(p[i]);
        ncz_free(p[i]);
    }
    ncz_free(NULL);
}

TEST(memory_is_zeroed_copied_and_grown)
{
    unsigned char *z = ncz_zalloc_n(10, 3);
    char          *s = ncz_strdup("text"), *part = ncz_strndup("text", 2), *f = ncz_sprintf("%d-%s", 7, "x");
    int           *n = ncz_grow(NULL, 2, sizeof *n);

    for (size_t i = 0; i < 30; i++)
        assert_int_equal(z[i], 0);
    assert_string_equal(s, "text");
    assert_string_equal(part, "te");
    assert_string_equal(f, "7-x");
    n[0] = 1;
    n[1] = 2;
    n = ncz_grow(n, 1000, sizeof *n);
    assert_true(n[0] == 1 && n[1] == 2);
    ncz_free(z);
    ncz_free(s);
    ncz_free(part);
    ncz_free(f);
    ncz_free(n);
}

TEST(sizes_that_overflow_are_refused)
{
    void *p = ncz_alloc(4);

    assert_null(ncz_alloc_n(SIZE_MAX / 2, 3));
    assert_null(ncz_zalloc_n(SIZE_MAX, 2));
    assert_null(ncz_grow(p, SIZE_MAX, 2));
    assert_null(ncz_strndup("", SIZE_MAX));
    memset(p, 1, 4); /* still there */
    ncz_free(p);
}

TEST(every_allocation_may_fail)
{
    void *p = ncz_alloc(4), *q;

    for (int i = 0; i < 8; i++) {
        fail_allocation(1);
        q = i == 0   ? ncz_alloc(1)
            : i == 1 ? ncz_zalloc(1)
            : i == 2 ? ncz_alloc_n(1, 1)
            : i == 3 ? ncz_zalloc_n(1, 1)
            : i == 4 ? ncz_grow(p, 100, 1)
            : i == 5 ? ncz_dup("a", 1)
            : i == 6 ? ncz_strdup("a")
                     : ncz_sprintf("a");
        fail_allocation(0);
        assert_null(q);
    }
    ncz_free(p);
}

TEST(arithmetic_notices_overflow)
{
    size_t   s = 5;
    uint64_t u = 5;

    assert_true(ncz_mul(SIZE_MAX, 1, &s) && s == SIZE_MAX);
    assert_true(ncz_mul(SIZE_MAX, 0, &s) && s == 0);
    assert_true(ncz_add(SIZE_MAX - 1, 1, &s) && s == SIZE_MAX);
    s = 5;
    assert_false(ncz_mul(SIZE_MAX / 2 + 1, 2, &s));
    assert_false(ncz_add(SIZE_MAX, 1, &s));
    assert_int_equal(s, 5);
    assert_true(ncz_mul64(UINT64_C(1) << 32, UINT64_C(1) << 31, &u) && u == UINT64_C(1) << 63);
    assert_true(ncz_add64(UINT64_MAX, 0, &u) && u == UINT64_MAX);
    u = 5;
    assert_false(ncz_mul64(UINT64_C(1) << 32, UINT64_C(1) << 32, &u));
    assert_false(ncz_add64(UINT64_MAX, UINT64_MAX, &u));
    assert_int_equal(u, 5);
}
