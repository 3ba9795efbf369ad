/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

static ncz_rectilinear *
make(void)
{
    ncz_rectilinear *g = NULL;

    assert_int_equal(ncz_rectilinear_new(2, &g), NC_NOERR);
    assert_int_equal(ncz_rectilinear_add(g, 0, 2, 1), NC_NOERR);
    assert_int_equal(ncz_rectilinear_add(g, 0, 3, 2), NC_NOERR);
    assert_int_equal(ncz_rectilinear_add(g, 0, 3, 1), NC_NOERR); /* the same run */
    assert_int_equal(ncz_rectilinear_add(g, 0, 1, UINT64_C(1) << 40), NC_NOERR);
    return g;
}

TEST(finds_the_chunk_of_each_element)
{
    /* elements 0-1 | 2-4 | 5-7 | 8-10 | 11 | 12 | ... */
    static const uint64_t want[][4] = {{0, 0, 0, 2}, {1, 0, 0, 2},  {2, 1, 2, 3},   {4, 1, 2, 3},   {5, 2, 5, 3},
                                       {8, 3, 8, 3}, {10, 3, 8, 3}, {11, 4, 11, 1}, {99, 92, 99, 1}};
    ncz_rectilinear      *g = make();
    ncz_rectilinear_chunk c;

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(ncz_rectilinear_find(g, 0, want[i][0], &c));
        assert_int_equal(c.index, want[i][1]);
        assert_int_equal(c.first, want[i][2]);
        assert_int_equal(c.len, want[i][3]);
        assert_true(ncz_rectilinear_at(g, 0, want[i][1], &c));
        assert_int_equal(c.index, want[i][1]);
        assert_int_equal(c.first, want[i][2]);
        assert_int_equal(c.len, want[i][3]);
    }
    assert_true(ncz_rectilinear_find(g, 0, (UINT64_C(1) << 40) + 10, &c));
    assert_true(ncz_rectilinear_at(g, 0, c.index, &c));
    assert_int_equal(c.first, (UINT64_C(1) << 40) + 10);
    assert_false(ncz_rectilinear_at(g, 0, c.index + 1, &c));
    assert_false(ncz_rectilinear_at(g, 1, 0, &c));
    assert_true(ncz_rectilinear_find(g, 0, (UINT64_C(1) << 40) + 10, &c));
    assert_false(ncz_rectilinear_find(g, 0, (UINT64_C(1) << 40) + 11, &c));
    assert_false(ncz_rectilinear_find(g, 1, 0, &c));
    ncz_rectilinear_unref(g);
    ncz_rectilinear_unref(NULL);
}

TEST(knows_its_end_and_longest_chunk)
{
    ncz_rectilinear *g = make();

    assert_int_equal(ncz_rectilinear_end(g, 0), (UINT64_C(1) << 40) + 11);
    assert_int_equal(ncz_rectilinear_end(g, 1), 0);
    assert_int_equal(ncz_rectilinear_longest(g, 0, 11), 3);
    assert_int_equal(ncz_rectilinear_longest(g, 0, 2), 2); /* the chunks after it do not count */
    assert_int_equal(ncz_rectilinear_longest(g, 0, 0), 2);
    assert_true(ncz_rectilinear_regular(g, 0, 2));
    assert_false(ncz_rectilinear_regular(g, 0, 3));
    ncz_rectilinear_unref(g);
}

TEST(refuses_what_passes_the_limits)
{
    ncz_rectilinear *g = make();

    assert_int_equal(ncz_rectilinear_add(g, 1, 0, 1), NC_EBADCHUNK);
    assert_int_equal(ncz_rectilinear_add(g, 1, 1, 0), NC_EBADCHUNK);
    assert_int_equal(ncz_rectilinear_add(g, 1, UINT64_C(1) << 32, UINT64_C(1) << 32), NC_EBADCHUNK);
    assert_int_equal(ncz_rectilinear_add(g, 1, UINT64_C(1) << 63, 1), NC_EBADCHUNK);
    assert_int_equal(ncz_rectilinear_add(g, 1, INT64_MAX, 1), NC_NOERR);
    assert_int_equal(ncz_rectilinear_add(g, 1, 1, 1), NC_EBADCHUNK);
    assert_int_equal(ncz_rectilinear_end(g, 1), INT64_MAX); /* unchanged */
    ncz_rectilinear_unref(g);
}
