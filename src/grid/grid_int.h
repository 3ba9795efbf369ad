/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_int: what the files of this room share: kernels on runs of elements, the pipe that strings them together, and
 * the nest of loops that calls a function for each run of a piece.
 */
#ifndef NCZ_GRID_INT_H
#define NCZ_GRID_INT_H

#include "grid/grid.h"

/* ---- kernels (convert.c, half.c, copy.c) ---- */

/* n packed native elements of one type to another. True when a value was out of range. Any alignment; no overlap. */
typedef bool (*ncz_conv_fn)(const void *src, void *dst, size_t n);

/* NULL when either is not one of the ten numeric types. */
ncz_conv_fn ncz_grid_conv(nc_type from, nc_type to);

void ncz_grid_half_out(const void *src, void *dst, size_t n); /* IEEE half -> float */
bool ncz_grid_half_in(const void *src, void *dst, size_t n);  /* double -> half, nearest even; true: |v| > 65504 */

/* n elements of `size` bytes from places `ss` bytes apart to places `ds` bytes apart. */
void ncz_grid_copy(const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, size_t size, bool swap);

/* ---- pipe.c: load and swap, convert, swap and store; by blocks that stay in the first-level cache ---- */

typedef struct ncz_pipe {
    size_t      src_size, dst_size;
    bool        src_swap, dst_swap;
    bool        src_half, dst_half;
    bool        mute; /* a value out of range is no error */
    ncz_conv_fn conv; /* NULL: none needed */
} ncz_pipe;

bool ncz_grid_host_big(void);

/* Both need types that ncz_move_check() accepted, and no strings. */
ncz_pipe ncz_grid_pipe_out(const ncz_dtype *from, nc_type mem, bool classic);
ncz_pipe ncz_grid_pipe_in(nc_type mem, const ncz_dtype *to, bool classic);

/* True when a value was out of range. Steps are bytes. */
bool ncz_grid_pipe_run(const ncz_pipe *p, const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n);

/* ---- nest.c: nested loops over two sides at once ---- */

typedef struct ncz_nest {
    size_t   ndim;
    ncz_dims n;    /* lengths, outermost first */
    ncz_dims a, b; /* steps in bytes of the two sides, two's complement */
    ncz_dims k;    /* the counters */
} ncz_nest;

/* One run: n elements at byte offsets a and b, as and bs apart. Non-zero stops the nest. */
typedef int (*ncz_run_fn)(void *arg, ptrdiff_t a, ptrdiff_t as, ptrdiff_t b, ptrdiff_t bs, size_t n);

int  ncz_grid_nest_init(ncz_nest *t, size_t rank);
void ncz_grid_nest_add(ncz_nest *t, uint64_t n, ptrdiff_t a, ptrdiff_t b); /* outermost first; n 1 adds nothing */
void ncz_grid_nest_tidy(ncz_nest *t);  /* smallest steps of side b innermost; merges what runs on */
int  ncz_grid_nest_each(ncz_nest *t, ncz_run_fn fn, void *arg);
void ncz_grid_nest_clear(ncz_nest *t);

/* Elements between neighbours along each dimension of a chunk. */
void ncz_grid_strides(const uint64_t *chunk, size_t rank, bool order_f, uint64_t *out);

/* ---- string.c: one element ---- */

int  ncz_grid_string_out(const ncz_dtype *t, const char *src, char **out);
void ncz_grid_string_in(const ncz_dtype *t, const char *s, char *dst);

#endif /* NCZ_GRID_INT_H */
