/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_int: what the files of this room share: kernels on runs of elements, the pipe that strings them together, and
 * the nest of loops that calls a function for the runs of a piece.
 */
#ifndef NCZ_GRID_INT_H
#define NCZ_GRID_INT_H

#include "grid/grid.h"

/* ---- kernels (grid_convert.c, grid_half.c, grid_copy.c) ---- */

/* n packed native elements of one type to another. True when a value was out of range. Any alignment; no overlap. */
typedef bool (*ncz_conv_fn)(const void *src, void *dst, size_t n);

/* NULL when either is not one of the ten numeric types. */
ncz_conv_fn ncz_grid_conv(const ncz_type *from, const ncz_type *to);

void ncz_grid_half_out(const void *src, void *dst, size_t n); /* IEEE half -> float */
bool ncz_grid_half_in(const void *src, void *dst, size_t n);  /* double -> half, nearest even; true: |v| > 65504 */

/* n elements of `size` bytes from places `ss` bytes apart to places `ds` bytes apart. */
void ncz_grid_copy(const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, size_t size, bool swap);

/*
 * Runs of n elements side by side, from one place to another: steps in bytes from element to element, and from run to
 * run.
 */
typedef struct ncz_runs {
    const char *src;
    char       *dst;
    ptrdiff_t   src_step, dst_step;
    ptrdiff_t   src_row, dst_row;
    size_t      n, rows;
} ncz_runs;

/* ---- stream_*.c: stores past the caches, for what is too large to stay there ---- */

#define NCZ_GRID_STREAM_LEAST 128 /* bytes of a run: shorter ones hardly have a cache line to themselves */

/* Packed runs of nbytes each. */
void ncz_grid_stream(const ncz_runs *r, size_t nbytes);
/* After the last, and before another thread is told. */
void ncz_grid_stream_end(void);

/* ---- grid_convert_run.c: load and swap, convert, swap and store; by blocks that stay in the first-level cache ---- */

typedef struct ncz_convert_run {
    size_t      src_size, dst_size;
    bool        src_swap, dst_swap;
    bool        src_half, dst_half;
    bool        mute;   /* a value out of range is no error */
    bool        stream; /* stores of long runs go past the caches; then ncz_grid_stream_end() */
    ncz_conv_fn conv;   /* NULL: none needed */
} ncz_convert_run;

bool ncz_grid_host_big(void);

/* Both need types that ncz_transfer_check() accepted, and no strings. */
ncz_convert_run ncz_grid_convert_run_out(const ncz_dtype *from, const ncz_type *mem, bool classic);
ncz_convert_run ncz_grid_convert_run_in(const ncz_type *mem, const ncz_dtype *to, bool classic);

/* True when a value was out of range. */
bool ncz_grid_convert_runs(const ncz_convert_run *p, const ncz_runs *r);

/* ---- grid_loops.c: nested loops over two sides at once ---- */

typedef struct ncz_loops {
    size_t   ndim;
    ncz_dims n;    /* lengths, outermost first */
    ncz_dims a, b; /* steps in bytes of the two sides, two's complement */
    ncz_dims k;    /* the counters */
} ncz_loops;

/* The two innermost loops: `rows` runs of n elements. Offsets and steps are bytes. */
typedef struct ncz_plane {
    ptrdiff_t a, b;           /* the first element */
    ptrdiff_t a_step, b_step; /* to the next element of a run */
    ptrdiff_t a_row, b_row;   /* to the next run */
    size_t    n, rows;
} ncz_plane;

/* Non-zero stops the nest. */
typedef int (*ncz_plane_fn)(void *arg, const ncz_plane *p);

int  ncz_grid_loops_init(ncz_loops *t, size_t rank);
void ncz_grid_loops_add(ncz_loops *t, uint64_t n, ptrdiff_t a, ptrdiff_t b); /* outermost first; n 1 adds nothing */
void ncz_grid_loops_tidy(ncz_loops *t); /* smallest steps of side b innermost; merges what runs on */
int  ncz_grid_loops_each(ncz_loops *t, ncz_plane_fn fn, void *arg);
void ncz_grid_loops_clear(ncz_loops *t);

/* Elements between neighbours along each dimension of a chunk. */
void ncz_grid_strides(const uint64_t *chunk, size_t rank, const unsigned *order, uint64_t *out);

/* The nest of a piece, the chunk as side a. *off: offset of its first element in the chunk, in bytes of `chunk_item`
 * for each element; 0: the chunk's side stands still. */
int ncz_grid_piece_loops(const ncz_transfer *m, const ncz_piece *p, size_t chunk_item, size_t mem_item,
                         ncz_loops *nest, size_t *off);

/* ---- grid_string.c: one element ---- */

int  ncz_grid_string_out(const ncz_dtype *t, const char *src, char **out);
int  ncz_grid_text_out(ncz_vlen_item text, char **out);
void ncz_grid_string_in(const ncz_dtype *t, const char *s, char *dst);

#endif /* NCZ_GRID_INT_H */
