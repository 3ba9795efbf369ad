/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of boxes: elements of each length, between places whose strides differ, arrive where they belong, and nothing
 * beside them changes.
 */
#include "grid/grid.h"

#include "support/failing_alloc.h"
#include "support/test.h"

enum { ROWS = 3, COLUMNS = 4, SRC_WIDTH = 7, DST_WIDTH = 5, DST_HEIGHT = 6, LONGEST = 24 };

static char src[ROWS * SRC_WIDTH * LONGEST], dst[DST_HEIGHT * DST_WIDTH * LONGEST];

/* The bytes of an element differ from one another, and from those of others. */
static void
fill_element(char *at, size_t place, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (char)(place * 11 + i + 1);
}

/* Where the box has an element of the target; `transposed`: its rows are the target's columns. */
static bool
is_in_box(size_t row, size_t column, bool transposed)
{
    return transposed ? row < COLUMNS && column < ROWS : row < ROWS && column < COLUMNS;
}

static void
check_copy(size_t size, bool transposed)
{
    const uint64_t n[] = {ROWS, COLUMNS}, from[] = {SRC_WIDTH, 1};
    const uint64_t to[] = {transposed ? 1 : DST_WIDTH, transposed ? DST_WIDTH : 1};
    char           want[LONGEST];

    for (size_t i = 0; i < ROWS * SRC_WIDTH; i++)
        fill_element(src + i * size, i, size);
    memset(dst, '.', sizeof dst);
    assert_int_equal(ncz_grid_copy_box(2, n, size, src, from, dst, to), NC_NOERR);
    for (size_t row = 0; row < DST_HEIGHT; row++)
        for (size_t column = 0; column < DST_WIDTH; column++) {
            memset(want, '.', sizeof want);
            if (is_in_box(row, column, transposed))
                fill_element(want, transposed ? column * SRC_WIDTH + row : row * SRC_WIDTH + column, size);
            assert_memory_equal(dst + (row * DST_WIDTH + column) * size, want, size);
        }
}

TEST(each_length)
{
    static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 12, 16, 24};

    for (size_t i = 0; i < NCZ_LEN(sizes); i++) {
        check_copy(sizes[i], false);
        check_copy(sizes[i], true);
    }
}

TEST(scalars_and_nothing)
{
    const uint64_t none[] = {0, COLUMNS}, step[] = {SRC_WIDTH, 1};

    memset(dst, '.', sizeof dst);
    assert_int_equal(ncz_grid_copy_box(2, none, 4, src, step, dst, step), NC_NOERR);
    for (size_t i = 0; i < sizeof dst; i++)
        assert_int_equal(dst[i], '.');
    assert_int_equal(ncz_grid_copy_box(0, NULL, 5, "scalar", NULL, dst, NULL), NC_NOERR);
    assert_memory_equal(dst, "scala.", 6);
}

enum { RANK = 40 }; /* more than there is room for without an allocation */

static int
copy_deep(void *arg)
{
    uint64_t n[RANK], step[RANK];

    for (size_t d = 0; d < RANK; d++)
        n[d] = step[d] = 1;
    return ncz_grid_copy_box(RANK, n, 4, "abcd", step, arg, step);
}

TEST(without_memory)
{
    char out[5] = "";

    each_allocation_fails(copy_deep, out);
    assert_string_equal(out, "abcd");
}
