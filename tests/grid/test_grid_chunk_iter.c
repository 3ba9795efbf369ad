/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

static ncz_chunk_iter *
walk(size_t rank, const uint64_t *start, const uint64_t *count, const uint64_t *stride, const ptrdiff_t *imap,
     const uint64_t *shape, const uint64_t *chunk)
{
    ncz_select      s = {.rank = rank, .start = start, .count = count, .stride = stride, .imap = imap};
    ncz_chunk_iter *w = NULL;

    assert_int_equal(ncz_chunk_iter_new(&s, shape, chunk, &w), NC_NOERR);
    return w;
}

#define U(...) ((uint64_t[]){__VA_ARGS__})
#define P(...) ((ptrdiff_t[]){__VA_ARGS__})

TEST(a_scalar_is_one_piece)
{
    ncz_chunk_iter *w = walk(0, NULL, NULL, NULL, NULL, NULL, NULL);
    ncz_piece       p;

    assert_true(ncz_chunk_iter_next(w, &p));
    assert_int_equal(p.nelems, 1);
    assert_int_equal(p.mem, 0);
    assert_true(p.whole);
    assert_false(ncz_chunk_iter_next(w, &p));
    assert_false(ncz_chunk_iter_next(w, &p));
    ncz_chunk_iter_free(w);
    ncz_chunk_iter_free(NULL);
}

TEST(nothing_selected)
{
    ncz_chunk_iter *w = walk(2, U(0, 5), U(3, 0), U(1, 1), P(1, 1), U(3, 5), U(2, 2));
    ncz_piece       p;

    assert_false(ncz_chunk_iter_next(w, &p));
    ncz_chunk_iter_free(w);
}

TEST(two_dimensions)
{
    ncz_chunk_iter *w = walk(2, U(1, 0), U(3, 5), U(1, 1), P(5, 1), U(4, 5), U(2, 3));
    ncz_piece       p;

    assert_true(ncz_chunk_iter_next(w, &p));
    assert_int_equal(p.index[0], 0);
    assert_int_equal(p.off[0], 1);
    assert_int_equal(p.n[0], 1);
    assert_int_equal(p.n[1], 3);
    assert_false(p.whole);
    assert_true(ncz_chunk_iter_next(w, &p));
    assert_int_equal(p.index[1], 1);
    assert_int_equal(p.mem, 3);
    assert_int_equal(p.n[1], 2);
    assert_true(ncz_chunk_iter_next(w, &p));
    assert_int_equal(p.index[0], 1);
    assert_int_equal(p.mem, 5);
    assert_int_equal(p.nelems, 6);
    assert_true(p.whole);
    assert_true(ncz_chunk_iter_next(w, &p));
    assert_true(p.whole); /* all that the array has of this chunk */
    assert_int_equal(p.nelems, 4);
    assert_false(ncz_chunk_iter_next(w, &p));
    ncz_chunk_iter_free(w);
}

/* A stride longer than a chunk visits only chunks that hold an element. */
TEST(long_strides)
{
    ncz_chunk_iter *w = walk(1, U(3), U(4), U(25), P(-2), U(100), U(10));
    ncz_piece       p;

    for (uint64_t k = 0; k < 4; k++) {
        assert_true(ncz_chunk_iter_next(w, &p));
        assert_int_equal(p.index[0], (3 + 25 * k) / 10);
        assert_int_equal(p.off[0], (3 + 25 * k) % 10);
        assert_int_equal(p.n[0], 1);
        assert_int_equal(p.mem, -2 * (ptrdiff_t)k);
    }
    assert_false(ncz_chunk_iter_next(w, &p));
    ncz_chunk_iter_free(w);
}

TEST(huge_selections_neither_overflow_nor_take_long)
{
    const uint64_t  big = UINT64_MAX;
    ncz_chunk_iter *w = walk(2, U(big - 6, 0), U(3, 2), U(3, big / 2), P(2, 1), U(big, big), U(4, big / 3));
    ncz_piece       p;
    uint64_t        n = 0;

    while (ncz_chunk_iter_next(w, &p))
        n += p.nelems;
    assert_int_equal(n, 6);
    ncz_chunk_iter_free(w);

    /* 2^62 elements in one piece: nothing is laid out */
    w = walk(1, U(0), U(big >> 2), U(1), P(1), U(big), U(big >> 2));
    assert_true(ncz_chunk_iter_next(w, &p));
    assert_true(p.nelems == big >> 2 && p.whole);
    assert_false(ncz_chunk_iter_next(w, &p));
    ncz_chunk_iter_free(w);
}

TEST(bad_selections_are_refused)
{
    const uint64_t  big = UINT64_MAX;
    ncz_chunk_iter *w = NULL;
    ncz_select      s = {.rank = 1, .start = U(0), .count = U(3), .stride = U(1), .imap = P(1)};

    assert_int_equal(ncz_chunk_iter_new(&s, U(5), U(0), &w), NC_EBADCHUNK);
    s.stride = U(0);
    assert_int_equal(ncz_chunk_iter_new(&s, U(5), U(2), &w), NC_ESTRIDE);
    s.stride = U(big / 2 + 1);
    assert_int_equal(ncz_chunk_iter_new(&s, U(5), U(2), &w), NC_EEDGE);
    s.stride = U(1);
    s.start = U(big - 1);
    assert_int_equal(ncz_chunk_iter_new(&s, U(5), U(2), &w), NC_EEDGE);
    s = (ncz_select){.rank = 2, .start = U(0, 0), .count = U(big, big), .stride = U(1, 1), .imap = P(1, 1)};
    assert_int_equal(ncz_chunk_iter_new(&s, U(5, 5), U(2, 2), &w), NC_EINVAL);
    assert_null(w);
}

TEST(out_of_memory)
{
    ncz_select      s = {.rank = 1, .start = U(0), .count = U(3), .stride = U(1), .imap = P(1)};
    ncz_chunk_iter *w = NULL;

    fail_allocation(1);
    assert_int_equal(ncz_chunk_iter_new(&s, U(5), U(2), &w), NC_ENOMEM);
    assert_true(end_failing());
    assert_null(w);
}

/* Beyond the array's shape there is nothing to take the whole of. */
TEST(beyond_the_shape)
{
    ncz_chunk_iter *w = walk(1, U(0), U(6), U(1), P(1), U(3), U(2));
    ncz_piece       p;

    assert_true(ncz_chunk_iter_next(w, &p) && p.whole);
    assert_true(ncz_chunk_iter_next(w, &p) && p.whole && p.n[0] == 2);
    assert_true(ncz_chunk_iter_next(w, &p));
    assert_false(p.whole);
    assert_false(ncz_chunk_iter_next(w, &p));
    ncz_chunk_iter_free(w);
}
