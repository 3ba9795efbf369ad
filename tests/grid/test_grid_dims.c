/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

static void
scratch(void **state)
{
    static const size_t ranks[] = {0, 1, 8, 9, 1024};

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(ranks); i++) {
        ncz_dims d;

        assert_int_equal(ncz_dims_init(&d, ranks[i]), NC_NOERR);
        for (size_t k = 0; k < ranks[i]; k++) {
            assert_int_equal(d.v[k], 0);
            d.v[k] = k;
        }
        ncz_dims_clear(&d);
        ncz_dims_clear(&d);
    }
}

static void
scratch_out_of_memory(void **state)
{
    ncz_dims d;

    (void)state;
    fail_allocation(1);
    assert_int_equal(ncz_dims_init(&d, 8), NC_NOERR);
    assert_int_equal(allocations_seen(), 0);
    ncz_dims_clear(&d);
    assert_int_equal(ncz_dims_init(&d, 9), NC_ENOMEM);
    ncz_dims_clear(&d);
    assert_true(end_failing());
}

static void
nbytes(void **state)
{
    size_t n = 99;

    (void)state;
    assert_true(ncz_grid_nbytes(NULL, 0, 8, &n));
    assert_int_equal(n, 8);
    assert_true(ncz_grid_nbytes((uint64_t[]){3, 4, 5}, 3, 2, &n));
    assert_int_equal(n, 120);
    assert_true(ncz_grid_nbytes((uint64_t[]){UINT64_MAX, UINT64_MAX, 0}, 3, 8, &n));
    assert_int_equal(n, 0);
    n = 99;
    assert_false(ncz_grid_nbytes((uint64_t[]){UINT64_C(1) << 32, UINT64_C(1) << 32}, 2, 1, &n));
    assert_false(ncz_grid_nbytes((uint64_t[]){UINT64_MAX}, 1, 2, &n));
    assert_int_equal(n, 99);
    assert_true(ncz_grid_nbytes((uint64_t[]){SIZE_MAX}, 1, 1, &n));
    assert_int_equal(n, SIZE_MAX);
}

static void
packed_imap(void **state)
{
    ptrdiff_t imap[3] = {0};

    (void)state;
    assert_true(ncz_grid_packed_imap((uint64_t[]){2, 3, 4}, 3, imap));
    assert_int_equal(imap[0], 12);
    assert_int_equal(imap[1], 4);
    assert_int_equal(imap[2], 1);
    assert_true(ncz_grid_packed_imap(NULL, 0, imap));
    assert_true(ncz_grid_packed_imap((uint64_t[]){UINT64_MAX, 0, UINT64_MAX}, 3, imap));
    assert_false(ncz_grid_packed_imap((uint64_t[]){2, UINT64_C(1) << 62, 4}, 3, imap));
    assert_false(ncz_grid_packed_imap((uint64_t[]){1, UINT64_C(1) << 63}, 2, imap));
}

static void
nelems(void **state)
{
    uint64_t   n = 99;
    ncz_select s = {.rank = 2, .count = (uint64_t[]){6, 7}};

    (void)state;
    assert_true(ncz_select_nelems(&s, &n));
    assert_int_equal(n, 42);
    s.count = (uint64_t[]){UINT64_C(1) << 32, UINT64_C(1) << 32};
    assert_false(ncz_select_nelems(&s, &n));
    s.count = (uint64_t[]){UINT64_MAX, 0};
    assert_true(ncz_select_nelems(&s, &n));
    assert_int_equal(n, 0);
    s.rank = 0;
    assert_true(ncz_select_nelems(&s, &n));
    assert_int_equal(n, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch), cmocka_unit_test(scratch_out_of_memory),
        cmocka_unit_test(nbytes),  cmocka_unit_test(packed_imap),
        cmocka_unit_test(nelems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
