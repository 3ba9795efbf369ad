/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores past the caches put the same bytes into the same places as plain ones, and touch nothing beside them:
 * every alignment, lengths around those of cache lines, and whole pieces of each kind of move.
 */
#include "grid_test.h"

#include "grid/grid_int.h"

enum { ROWS = 3, APART = 700, LONGEST = 400, ROOM = 64 + ROWS * APART };

static void
fill(unsigned char *p, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)rnd_next(&seed);
}

TEST(every_alignment)
{
    unsigned char *src = malloc(ROOM), *dst = malloc(ROOM), *want = malloc(ROOM);

    fill(src, ROOM, 1);
    for (size_t at = 0; at < 64; at++) {
        for (size_t n = NCZ_GRID_STREAM_LEAST; n <= LONGEST; n += n < 200 ? 1 : 37) {
            ncz_runs r = {.src = (char *)src + at % 7,
                          .src_row = (ROOM - (ptrdiff_t)n - 7) / ROWS,
                          .dst = (char *)dst + at,
                          .dst_row = APART,
                          .rows = ROWS};

            memset(dst, 0xA5, ROOM);
            memset(want, 0xA5, ROOM);
            for (ptrdiff_t row = 0; row < ROWS; row++)
                memcpy(want + at + row * APART, r.src + row * r.src_row, n);
            ncz_grid_stream(&r, n);
            ncz_grid_stream_end();
            assert_memory_equal(dst, want, ROOM);
        }
    }
    free(src);
    free(dst);
    free(want);
}

/* A piece of 5 x 6 runs of `n`, whose places in memory begin at an odd element and lie apart. */
static void
one_move(ncz_dtype t, nc_type mem, uint64_t n, uint64_t stride)
{
    const uint64_t  chunk[] = {5, 6, n * stride}, count[] = {5, 6, n}, zero[] = {0, 0, 0};
    const uint64_t  strides[] = {1, 1, stride};
    const ptrdiff_t imap[] = {(ptrdiff_t)(6 * n + 11), (ptrdiff_t)n + 1, 1};
    size_t          nelems = (size_t)(5 * (6 * n + 11)), item = ncz_type_of(mem)->size;
    unsigned char  *stored = malloc((size_t)(30 * n * stride) * t.size);
    char           *got = malloc((nelems + 8) * item), *want = malloc((nelems + 8) * item);
    ncz_piece       p = {.rank = 3,
                         .index = zero,
                         .off = zero,
                         .n = count,
                         .stride = strides,
                         .imap = imap,
                         .nelems = 30 * n,
                         .mem = 3};
    ncz_transfer    m = {.dtype = &t, .mem = ncz_type_of(mem), .chunk = chunk};
    int             rc;

    fill(stored, (size_t)(30 * n * stride) * t.size, n);
    memset(got, 0xA5, (nelems + 8) * item);
    memset(want, 0xA5, (nelems + 8) * item);
    rc = ncz_transfer_out(&m, &p, stored, want);
    m.stream = true;
    assert_int_equal(ncz_transfer_out(&m, &p, stored, got), rc);
    assert_memory_equal(got, want, (nelems + 8) * item);
    free(stored);
    free(got);
    free(want);
}

TEST(streamed_stores_move_the_same_bytes)
{
    static const ncz_dtype types[] = {
        {NCZ_KIND_INT, false, 1}, {NCZ_KIND_INT, true, 2},  {NCZ_KIND_INT, false, 2},
        {NCZ_KIND_INT, false, 4}, {NCZ_KIND_UINT, true, 8}, {NCZ_KIND_FLOAT, false, 2},
    };
    static const nc_type mems[] = {NC_BYTE, NC_SHORT, NC_INT, NC_UINT64, NC_FLOAT, NC_DOUBLE};

    for (size_t i = 0; i < NCZ_LEN(types); i++) {
        for (size_t j = 0; j < NCZ_LEN(mems); j++) {
            for (uint64_t n = 1; n <= 700; n += n < 20 ? 3 : 61) {
                one_move(types[i], mems[j], n, 1);
                one_move(types[i], mems[j], n, 2);
                one_move(types[i], mems[j], n, 3);
            }
        }
    }
}
