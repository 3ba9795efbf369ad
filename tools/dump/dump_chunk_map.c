/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_chunk_map.c: the drawing of --chunks: a sign for each chunk, or for equally many where there are too many. In a
 * UTF-8 locale a sign is as high as its chunks have bytes. Equal rows are drawn once and counted.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

/* A grid of more rows than can be kept is merged before it is known which rows are equal. */
enum { ACROSS_MAX = 64, LINES_MAX = 16, ROWS_KEPT = 4096, LEVELS = 8 };

void
dump_chunk_map_init(dump_chunk_map *m, size_t rows, size_t cols)
{
    *m = (dump_chunk_map){.total = rows * cols, .rows = rows, .cols = cols};
    if (rows == 1 && cols > ACROSS_MAX) { /* a long row is drawn as several */
        m->rows = dump_divide_up(cols, ACROSS_MAX);
        m->cols = ACROSS_MAX;
    }
    m->per_row = dump_divide_up(m->rows, ROWS_KEPT);
    m->per_col = dump_divide_up(m->cols, ACROSS_MAX);
    m->down = dump_divide_up(m->rows, m->per_row);
    m->across = dump_divide_up(m->cols, m->per_col);
    m->stored = memory_alloc(m->down * m->across, sizeof *m->stored);
    m->bytes = memory_alloc(m->down * m->across, sizeof *m->bytes);
}

void
dump_chunk_map_clear(dump_chunk_map *m)
{
    free(m->stored);
    free(m->bytes);
    *m = (dump_chunk_map){.total = 0};
}

/* A chunk's place in the grid in C order is its place in the drawing, too, since that keeps the last dimension. */
void
dump_chunk_map_add(dump_chunk_map *m, size_t place, unsigned long long nbytes)
{
    size_t cell = place / m->cols / m->per_row * m->across + place % m->cols / m->per_col;

    m->stored[cell]++;
    m->bytes[cell] += (double)nbytes;
}

/* The chunks of a cell: fewer at the edges, and none after the end of a long row. */
static size_t
count_chunks(const dump_chunk_map *m, size_t y, size_t x)
{
    size_t row = y * m->per_row, col = x * m->per_col, last = m->total - (m->rows - 1) * m->cols;
    size_t high = m->rows - row < m->per_row ? m->rows - row : m->per_row;
    size_t wide = m->cols - col < m->per_col ? m->cols - col : m->per_col;
    size_t end = last > col ? last - col : 0;

    return row + high < m->rows ? high * wide : (high - 1) * wide + (end < wide ? end : wide);
}

/* Each row becomes the sum of `n`. */
static void
merge_rows(dump_chunk_map *m, size_t n)
{
    for (size_t i = 0; i < m->down * m->across; i++) {
        size_t y = i / m->across, to = y / n * m->across + i % m->across;

        m->stored[to] = m->stored[i] + (y % n > 0 ? m->stored[to] : 0);
        m->bytes[to] = m->bytes[i] + (y % n > 0 ? m->bytes[to] : 0);
    }
    m->per_row *= n;
    m->down = dump_divide_up(m->down, n);
}

/* The most bytes a chunk that a cell has. */
static double
find_heaviest(const dump_chunk_map *m)
{
    double most = 0;

    for (size_t i = 0; i < m->down * m->across; i++) {
        size_t n = count_chunks(m, i / m->across, i % m->across);

        if (n > 0 && m->bytes[i] / (double)n > most)
            most = m->bytes[i] / (double)n;
    }
    return most;
}

/* U+2581 ... U+2588, by bytes a chunk; `heaviest` 0: # all, + some. In both . for none. */
static void
add_sign(text_buf *t, const dump_chunk_map *m, size_t cell, size_t nchunks, double heaviest)
{
    double level = heaviest > 0 ? m->bytes[cell] / (double)nchunks / heaviest * LEVELS : 0;
    int    up = level > LEVELS - 1 ? LEVELS - 1 : (int)level; /* rounded up, less one */

    if (m->stored[cell] == 0)
        text_addc(t, '.');
    else if (heaviest > 0)
        text_addf(t, "\xe2\x96%c", 0x81 + up - (up > 0 && (double)up == level));
    else
        text_addc(t, m->stored[cell] == nchunks ? '#' : '+');
}

static void
add_row(text_buf *t, const dump_chunk_map *m, size_t y, double heaviest)
{
    text_addn(t, "", 0);
    for (size_t x = 0; x < m->across; x++) {
        size_t n = count_chunks(m, y, x);

        if (n > 0)
            add_sign(t, m, y * m->across + x, n, heaviest);
    }
}

/* The lines of `n` equal rows that follow the first of them. */
static size_t
print_equal_rows(FILE *out, const char *row, size_t n)
{
    if (out != NULL && n == 1)
        fprintf(out, "    %s\n", row);
    else if (out != NULL && n > 1)
        fprintf(out, "    ... %zu rows like the last\n", n);
    return n > 0;
}

/* Returns the number of lines. `out` NULL: only counts them. */
static size_t
print_rows(const dump_chunk_map *m, double heaviest, FILE *out)
{
    text_buf row = TEXT_BUF_INIT, before = TEXT_BUF_INIT;
    size_t   equal = 0, lines = 0;

    for (size_t y = 0; y < m->down; y++) {
        text_buf swap = before;

        text_reset(&row);
        add_row(&row, m, y, heaviest);
        if (y > 0 && strcmp(row.s, before.s) == 0) {
            equal++;
            continue;
        }
        lines += 1 + print_equal_rows(out, before.s, equal);
        equal = 0;
        if (out != NULL)
            fprintf(out, "    %s\n", row.s);
        before = row;
        row = swap;
    }
    lines += print_equal_rows(out, before.s, equal);
    text_clear(&row);
    text_clear(&before);
    return lines;
}

void
dump_chunk_map_print(dump_chunk_map *m, const dump_context *d)
{
    FILE  *out = d->out;
    double heaviest = d->utf8 ? find_heaviest(m) : 0;

    if (print_rows(m, heaviest, NULL) > LINES_MAX) {
        merge_rows(m, dump_divide_up(m->down, LINES_MAX));
        heaviest = d->utf8 ? find_heaviest(m) : 0;
    }
    (void)print_rows(m, heaviest, out);
    if (heaviest > 0) {
        fputs("    (", out);
        if (m->per_row > 1 || m->per_col > 1)
            fprintf(out, "each sign is %zu%s%zu chunks: ", m->per_row, dump_times(d), m->per_col);
        fprintf(out, "\xe2\x96\x81 to \xe2\x96\x88 by bytes, \xe2\x96\x88 %.0f a chunk; . none stored)\n", heaviest);
    } else if (m->per_row > 1 || m->per_col > 1) {
        fprintf(out, "    (each sign is %zu%s%zu chunks: # all stored, + some)\n", m->per_row, dump_times(d),
                m->per_col);
    }
}
