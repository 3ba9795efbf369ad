/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

TEST(elements_are_filled_and_compared)
{
    static const size_t items[] = {1, 2, 3, 4, 8, 12, 128, 5000};
    uint64_t            seed = 3;

    for (size_t k = 0; k < NCZ_LEN(items); k++) {
        size_t item = items[k];

        for (int round = 0; round < 60; round++) {
            size_t n = rnd(&seed, round < 50 ? 40 : 9000 / item + 3);
            char  *got = malloc(n * item + 1), *fill = malloc(item);

            for (size_t i = 0; i < item; i++)
                fill[i] = (char)(round % 3 == 0 ? 7 : rnd(&seed, 256));
            memset(got, 0x33, n * item + 1);
            ncz_fill_elems(got, n, round % 5 == 0 ? NULL : fill, item);
            for (size_t i = 0; i < n * item; i++)
                assert_int_equal(got[i], round % 5 == 0 ? 0 : fill[i % item]);
            assert_int_equal(got[n * item], 0x33);
            assert_true(ncz_all_fill(got, n, round % 5 == 0 ? NULL : fill, item));
            if (n > 0) {
                got[rnd(&seed, n * item)] ^= 0x10;
                assert_false(ncz_all_fill(got, n, round % 5 == 0 ? NULL : fill, item));
            }
            free(got);
            free(fill);
        }
    }
}

TEST(none_is_all_fill)
{
    assert_true(ncz_all_fill("", 0, "abcd", 4));
    assert_false(ncz_all_fill("abce", 1, "abcd", 4));
    assert_false(ncz_all_fill("\0\0\1", 1, NULL, 3));
}

/* Every element of the chunk: fill if it lies outside the array, untouched otherwise. */
static void
edge_case(uint64_t *seed)
{
    size_t       rank = rnd(seed, 5), n = 1;
    uint64_t     shape[5], chunk[5], index[5];
    ncz_dtype    t = {NCZ_KIND_INT, false, rnd(seed, 2) == 0 ? 4 : 3};
    ncz_transfer m = {.dtype = &t, .chunk = chunk};
    unsigned     order[5];
    char         fill[4] = "abc\xff", *buf;

    if (rnd(seed, 2) == 0) { /* any order, C's among them */
        for (size_t d = 0; d < rank; d++) {
            size_t k = rnd(seed, d + 1);

            order[d] = order[k];
            order[k] = (unsigned)d;
        }
        m.order = order;
    }
    for (size_t d = 0; d < rank; d++) {
        shape[d] = rnd(seed, 9);
        chunk[d] = 1 + rnd(seed, 4);
        index[d] = rnd(seed, shape[d] / chunk[d] + 2);
        if (rnd(seed, 100) == 0)
            index[d] = UINT64_MAX / 2;
        n *= (size_t)chunk[d];
    }
    buf = malloc(n * t.size);
    memset(buf, 0x44, n * t.size);
    assert_int_equal(ncz_fill_edge(&m, rank, shape, index, fill, buf), NC_NOERR);
    for (size_t i = 0; i < n; i++) {
        bool   outside = false;
        size_t rest = i;

        for (size_t j = 0; j < rank; j++) {
            size_t d = ncz_order_dim(m.order, rank - 1 - j);

            outside = outside || index[d] > 100 || index[d] * chunk[d] + rest % chunk[d] >= shape[d];
            rest /= (size_t)chunk[d];
        }
        for (size_t b = 0; b < t.size; b++)
            assert_int_equal(buf[i * t.size + b], outside ? fill[b] : 0x44);
    }
    free(buf);
}

TEST(edges_of_a_box_are_filled)
{
    uint64_t seed = 5;

    for (int i = 0; i < 3000; i++)
        edge_case(&seed);
}

TEST(edges_out_of_memory)
{
    uint64_t     shape[10], chunk[10], index[10] = {0};
    ncz_dtype    t = {NCZ_KIND_INT, false, 1};
    ncz_transfer m = {.dtype = &t, .chunk = chunk};
    char         buf[1024];
    size_t       at = 1;
    int          rc;

    for (size_t d = 0; d < 10; d++) {
        shape[d] = 1;
        chunk[d] = 2;
    }
    do {
        fail_allocation(at++);
        rc = ncz_fill_edge(&m, 10, shape, index, NULL, buf);
        assert_int_equal(rc, end_failing() ? NC_ENOMEM : NC_NOERR);
    } while (rc != NC_NOERR);
    assert_true(at > 3);
}
