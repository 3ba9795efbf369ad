/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows give what ncz_transfer_out() and ncz_transfer_in() give, for all types, byte orders and lengths. */
#include "grid_test.h"

enum { MOST = 9, BYTES = MOST * 8 };

static const ncz_dtype numbers[] = {
    {NCZ_KIND_INT, false, 1},   {NCZ_KIND_INT, false, 2},   {NCZ_KIND_INT, false, 4},  {NCZ_KIND_INT, false, 8},
    {NCZ_KIND_UINT, false, 1},  {NCZ_KIND_UINT, false, 2},  {NCZ_KIND_UINT, false, 4}, {NCZ_KIND_UINT, false, 8},
    {NCZ_KIND_FLOAT, false, 4}, {NCZ_KIND_FLOAT, false, 8}, {NCZ_KIND_BOOL, false, 1}, {NCZ_KIND_CHAR, false, 1},
};

/* Moves n elements out of a chunk and into one, both ways, and compares. */
static void
compare(const ncz_dtype *t, const ncz_type *mem, bool classic, size_t n, const char *bytes)
{
    const uint64_t  chunk[1] = {MOST}, at[1] = {0}, count[1] = {n}, one[1] = {1};
    const ptrdiff_t packed[1] = {1};
    ncz_transfer    move = {.dtype = t, .mem = mem, .chunk = chunk, .classic = classic};
    ncz_piece piece = {.rank = 1, .index = at, .off = at, .n = count, .stride = one, .imap = packed, .nelems = n};
    ncz_row   row = {.dtype = t, .type = ncz_row_type(t), .mem = mem, .classic = classic};
    char      want[BYTES] = {0}, got[BYTES] = {0};
    int       rc = ncz_transfer_out(&move, &piece, bytes, want);

    assert_int_equal(ncz_row_out(&row, bytes, n, got), rc);
    assert_memory_equal(got, want, sizeof got);
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    rc = ncz_transfer_in(&move, &piece, bytes, want);
    assert_int_equal(ncz_row_in(&row, bytes, n, got), rc);
    assert_memory_equal(got, want, sizeof got);
}

TEST(all_pairs)
{
    uint64_t seed = 1;

    for (int round = 0; round < 2 * (int)NCZ_LEN(numbers) * 20; round++) {
        ncz_dtype t = numbers[(size_t)round % NCZ_LEN(numbers)];
        char      bytes[BYTES];

        t.big = rnd(&seed, 2) == 0;
        assert_ptr_equal(ncz_row_type(&t), ncz_dtype_type(&t));
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)rnd(&seed, rnd(&seed, 2) == 0 ? 256 : 2); /* all values, and small ones */
        for (nc_type id = NC_BYTE; id <= NC_UINT64; id++) {
            const ncz_type *mem = ncz_type_of(id);
            bool            moves = ncz_transfer_check(&t, mem) == NC_NOERR;

            assert_int_equal(ncz_row_moves(ncz_row_type(&t), mem), moves);
            if (moves)
                compare(&t, mem, rnd(&seed, 2) == 0, 1 + rnd(&seed, 2) * rnd(&seed, MOST), bytes);
        }
    }
}

/* Strings, records, raw bytes, sequences and half-precision numbers are left to others. */
TEST(types_without_rows_are_left_to_others)
{
    static const ncz_dtype types[] = {
        {NCZ_KIND_BYTES, false, 1},   {NCZ_KIND_UCS4, false, 4}, {NCZ_KIND_OTHER, false, 4},
        {NCZ_KIND_OBJECT, false, 16}, {NCZ_KIND_RAW, false, 4},  {NCZ_KIND_RECORD, false, 8},
        {NCZ_KIND_FLOAT, false, 2},
    };

    for (size_t i = 0; i < NCZ_LEN(types); i++)
        assert_null(ncz_row_type(&types[i]));
    assert_false(ncz_row_moves(NULL, ncz_type_of(NC_INT)));
    assert_false(ncz_row_moves(ncz_type_of(NC_INT), ncz_type_of(NC_STRING)));
    assert_false(ncz_row_moves(ncz_type_of(NC_CHAR), ncz_type_of(NC_INT)));
}
