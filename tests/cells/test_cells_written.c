/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which elements of a chunk were written here: the bits of random pieces are those of a plain array, in either order of
 * elements; in place the range from the first to the last is known; and what need not be known is not.
 */
#include "support/failing_alloc.h"
#include "test_spec.h"

#include "cells/cells_cache.h"
#include "cells/cells_written.h"

enum { ROWS = 9, COLUMNS = 15, ALL = ROWS * COLUMNS };

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const uint64_t  chunk_shape[] = {ROWS, COLUMNS};

/* Cells with a dirty one of an array of ROWS by COLUMNS. */
typedef struct one_cell {
    ncz_cells cells;
    ncz_spec *spec;
    ncz_cell *cell;
} one_cell;

static void
one_cell_init(one_cell *w)
{
    w->spec = test_spec(2, chunk_shape, i4, NULL, NULL);
    assert_int_equal(ncz_cells_init(&w->cells, 1 << 20), NC_NOERR);
    w->cells.conditions = true;
    assert_int_equal(ncz_cells_claim(&w->cells.cache, w->spec, (uint64_t[]){0, 0}, &w->cell), NC_NOERR);
}

static void
one_cell_clear(one_cell *w)
{
    ncz_cells_clear(&w->cells);
    ncz_spec_unref(w->spec);
}

/* A random piece of the chunk, and its elements in `plain`. */
static ncz_piece
random_piece(uint64_t *seed, uint64_t (*at)[2], bool fortran, bool *plain)
{
    ncz_piece p = {.rank = 2, .index = at[0], .off = at[1], .n = at[2], .stride = at[3], .nelems = 1};

    for (size_t d = 0; d < 2; d++) {
        uint64_t len = chunk_shape[d];

        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        at[0][d] = 0;
        at[1][d] = (*seed >> 33) % len;
        at[3][d] = 1 + (*seed >> 43) % 3;
        at[2][d] = 1 + (*seed >> 53) % ((len - 1 - at[1][d]) / at[3][d] + 1);
        p.nelems *= at[2][d];
    }
    for (uint64_t i = 0; i < at[2][0]; i++)
        for (uint64_t k = 0; k < at[2][1]; k++) {
            uint64_t row = at[1][0] + i * at[3][0], column = at[1][1] + k * at[3][1];

            plain[fortran ? column * ROWS + row : row * COLUMNS + column] = true;
        }
    return p;
}

static void
compare_bits(bool fortran)
{
    uint64_t seed = fortran ? 7 : 3, at[4][2];
    unsigned order[] = {1, 0};

    for (int round = 0; round < 50; round++) {
        bool     plain[ALL] = {false};
        one_cell w;

        one_cell_init(&w);
        w.spec->order = fortran ? order : NULL;
        for (int n = 0; n < 4; n++) {
            ncz_piece p = random_piece(&seed, at, fortran, plain);

            assert_int_equal(ncz_cell_note_write(&w.cells, w.cell, &p), NC_NOERR);
            ncz_cell_set_state(&w.cells.cache, w.cell, NCZ_CELL_DIRTY);
        }
        for (size_t i = 0; w.cell->written != NULL && i < ALL; i++)
            assert_int_equal(ncz_cell_is_written(w.cell->written, i), plain[i]);
        w.spec->order = NULL;
        one_cell_clear(&w);
    }
}

TEST(bits_are_those_of_the_pieces)
{
    compare_bits(false);
    compare_bits(true);
}

TEST(whole_chunk_has_no_bits)
{
    uint64_t  off[2] = {0}, stride[2] = {1, 1}, index[2] = {0};
    ncz_piece all = {.rank = 2, .index = index, .off = off, .n = chunk_shape, .stride = stride, .nelems = ALL};
    one_cell  w;

    one_cell_init(&w);
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 3, ALL - 3));
    assert_false(ncz_cell_all_written(w.spec, w.cell->written));
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 0, 3));
    assert_true(ncz_cell_all_written(w.spec, w.cell->written));
    assert_int_equal(ncz_cell_note_write(&w.cells, w.cell, &all), NC_NOERR);
    assert_null(w.cell->written);
    ncz_cell_set_state(&w.cells.cache, w.cell, NCZ_CELL_DIRTY);
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 0, 3)); /* all of it is dirty */
    assert_null(w.cell->written);
    one_cell_clear(&w);
}

TEST(nothing_is_noted_where_nobody_else_writes)
{
    one_cell w;

    one_cell_init(&w);
    w.cells.conditions = false;
    assert_false(ncz_cells_are_shared(&w.cells, w.spec));
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 0, 3));
    assert_null(w.cell->written);
    one_cell_clear(&w);
}

TEST(range_in_place_grows_to_both_sides)
{
    one_cell w;

    one_cell_init(&w);
    w.cells.windows = true;
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 20, 5));
    ncz_cell_set_state(&w.cells.cache, w.cell, NCZ_CELL_DIRTY);
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 40, 2));
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 10, 1));
    assert_int_equal(w.cell->written_from, 10);
    assert_int_equal(w.cell->written_end, 42);
    ncz_cell_drop_written(w.cell);
    assert_true(ncz_cell_note_row(&w.cells, w.cell, 10, 1)); /* all of it is dirty */
    assert_int_equal(w.cell->written_end, 0);
    one_cell_clear(&w);
}

TEST(edge_chunk_continues_where_the_array_can_grow)
{
    uint64_t  off[2] = {0}, n[2] = {ROWS - 2, COLUMNS}, stride[2] = {1, 1}, index[2] = {0};
    ncz_piece edge = {
        .rank = 2, .index = index, .off = off, .n = n, .stride = stride, .nelems = (ROWS - 2) * COLUMNS};
    one_cell w;

    one_cell_init(&w);
    assert_true(ncz_cells_may_continue(&w.cells, w.spec, (bool[]){true, false}, &edge));
    assert_false(ncz_cells_may_continue(&w.cells, w.spec, (bool[]){false, true}, &edge));
    assert_false(ncz_cells_may_continue(&w.cells, w.spec, NULL, &edge));
    one_cell_clear(&w);
}

TEST(without_memory_the_note_fails_and_a_version_is_unknown)
{
    one_cell w;

    one_cell_init(&w);
    fail_allocation(1);
    assert_false(ncz_cell_note_row(&w.cells, w.cell, 0, 3));
    assert_true(end_failing());
    ncz_cell_set_version(w.cell, "one");
    assert_string_equal(w.cell->version, "one");
    fail_allocation(1);
    ncz_cell_set_version(w.cell, "two");
    assert_true(end_failing());
    assert_null(w.cell->version);
    one_cell_clear(&w);
}
