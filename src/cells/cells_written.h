/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_written: which elements of a chunk were written here, and over which version of its object.
 */
#ifndef NCZ_CELLS_WRITTEN_H
#define NCZ_CELLS_WRITTEN_H

#include "cells/cells.h"

/* Whether parts of this variable's chunks may be written by several processes: the store has conditions. */
bool ncz_cells_are_shared(const ncz_cells *cells, const ncz_spec *spec);
/* Whether a piece that is whole ends inside its chunk, along a dimension that can grow. `grows`: rank entries, or NULL:
 * none. */
bool ncz_cells_may_continue(const ncz_cells *cells, const ncz_spec *spec, const bool *grows, const ncz_piece *piece);
/* Call it before a piece of the chunk is changed, by the thread that may change it. */
int  ncz_cell_note_write(const ncz_cells *cells, ncz_cell *chunk, const ncz_piece *piece);
bool ncz_cell_note_row_bits(const ncz_cells *cells, ncz_cell *chunk, size_t at, size_t n);

/* In place the part that is put is one range of elements: it costs less than bits, and neighbours may be put, too. */
static inline void
ncz_cell_note_range(ncz_cell *chunk, uint64_t from, uint64_t last)
{
    bool more = chunk->state == NCZ_CELL_DIRTY;

    if (more && chunk->written_end == 0) /* all is */
        return;
    if (!more || from < chunk->written_from)
        chunk->written_from = (size_t)from;
    if (!more || last >= chunk->written_end)
        chunk->written_end = (size_t)last + 1;
}

/* As ncz_cell_note_write(), for n elements from `at` on in C order. False: out of memory, without a text. */
static inline bool
ncz_cell_note_row(const ncz_cells *cells, ncz_cell *chunk, size_t at, size_t n)
{
    if (!cells->windows)
        return ncz_cell_note_row_bits(cells, chunk, at, n);
    ncz_cell_note_range(chunk, at, at + n - 1);
    return true;
}

void ncz_cell_drop_written(ncz_cell *chunk);                     /* all of it counts as written here */
void ncz_cell_set_version(ncz_cell *chunk, const char *version); /* NULL or "": unknown */

/* ---- the bits ---- */

#define NCZ_WRITTEN_BITS 64

static inline bool
ncz_cell_is_written(const uint64_t *written, size_t elem)
{
    return (written[elem / NCZ_WRITTEN_BITS] >> (elem % NCZ_WRITTEN_BITS) & 1) != 0;
}

bool   ncz_cell_all_written(const ncz_spec *spec, const uint64_t *written);
size_t ncz_cell_written_words(const ncz_spec *spec); /* of 64 bits */

#endif /* NCZ_CELLS_WRITTEN_H */
