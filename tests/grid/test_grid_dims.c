/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

TEST(scratch_lengths_begin_as_zeros)
{
    static const size_t ranks[] = {0, 1, 8, 9, 1024};

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

TEST(scratch_out_of_memory)
{
    ncz_dims d;

    fail_allocation(1);
    assert_int_equal(ncz_dims_init(&d, 8), NC_NOERR);
    assert_int_equal(allocations_seen(), 0);
    ncz_dims_clear(&d);
    assert_int_equal(ncz_dims_init(&d, 9), NC_ENOMEM);
    ncz_dims_clear(&d);
    assert_true(end_failing());
}

TEST(bytes_are_counted_without_overflow)
{
    size_t n = 99;

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

TEST(packed_imap)
{
    ptrdiff_t imap[3] = {0};

    assert_true(ncz_grid_packed_imap((uint64_t[]){2, 3, 4}, 3, imap));
    assert_int_equal(imap[0], 12);
    assert_int_equal(imap[1], 4);
    assert_int_equal(imap[2], 1);
    assert_true(ncz_grid_packed_imap(NULL, 0, imap));
    assert_true(ncz_grid_packed_imap((uint64_t[]){UINT64_MAX, 0, UINT64_MAX}, 3, imap));
    assert_false(ncz_grid_packed_imap((uint64_t[]){2, UINT64_C(1) << 62, 4}, 3, imap));
    assert_false(ncz_grid_packed_imap((uint64_t[]){1, UINT64_C(1) << 63}, 2, imap));
}

TEST(elements_are_counted_without_overflow)
{
    uint64_t   n = 99;
    ncz_select s = {.rank = 2, .count = (uint64_t[]){6, 7}};

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

/* In C order, from `lo` back to `lo`; the last step of a dimension may be shorter. */
TEST(box_next)
{
    static const uint64_t want[][3] = {{5, 0, 7}, {5, 0, 8}, {5, 2, 7}, {5, 2, 8},
                                       {6, 0, 7}, {6, 0, 8}, {6, 2, 7}, {6, 2, 8}};
    const ncz_box         box = {
                .rank = 3, .lo = (uint64_t[]){5, 0, 7}, .count = (uint64_t[]){2, 3, 2}, .step = (uint64_t[]){1, 2, 1}};
    const ncz_box from_zero = {.rank = 2, .count = (uint64_t[]){1, 2}}, scalar = {.rank = 0};
    uint64_t      at[3] = {5, 0, 7}, k[2] = {0, 0};

    for (size_t i = 0; i < 8; i++) {
        assert_memory_equal(at, want[i], sizeof at);
        assert_int_equal(ncz_box_next(&box, at), i < 7);
    }
    assert_memory_equal(at, want[0], sizeof at);
    assert_true(ncz_box_next(&from_zero, k));
    assert_int_equal(k[1], 1);
    assert_false(ncz_box_next(&from_zero, k));
    assert_int_equal(k[1], 0);
    assert_false(ncz_box_next(&scalar, NULL));
}

TEST(select_place)
{
    ncz_select s = {.rank = 2, .imap = (ptrdiff_t[]){10, -3}};

    assert_int_equal(ncz_select_place(&s, (uint64_t[]){1, 4}), -2);
    s.rank = 0;
    assert_int_equal(ncz_select_place(&s, NULL), 0);
}
