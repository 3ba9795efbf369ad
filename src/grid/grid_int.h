/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_int: shared by the files of this module: kernels on runs of elements, the conversion pipeline that chains
 * them, and the nested loops that call a function for the runs of a piece.
 */
#ifndef NCZ_GRID_INT_H
#define NCZ_GRID_INT_H

#include "grid/grid.h"

/* Whether this machine is big-endian. Here, so that no file needs another one for it. */
static inline bool
ncz_grid_host_big(void)
{
    const union {
        uint16_t word;
        uint8_t  first;
    } probe = {.word = 1};

    return probe.first == 0;
}

/* ---- kernels (grid_convert.c, grid_half.c, grid_copy.c) ---- */

/* Converts n packed native elements. True: a value was out of range. Any alignment; no overlap. */
typedef bool (*ncz_conv_fn)(const void *src, void *dst, size_t n);

/* NULL when either is not one of the ten numeric types. */
ncz_conv_fn ncz_grid_conv(const ncz_type *from, const ncz_type *to);

void ncz_grid_half_out(const void *src, void *dst, size_t n); /* IEEE half -> float */
bool ncz_grid_half_in(const void *src, void *dst,
                      size_t n); /* double -> half, nearest even; true: one is finite and > 65504 */

/* Copies n elements of `size` bytes, `ss` bytes apart in src and `ds` bytes apart in dst. */
void ncz_grid_copy(const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, size_t size, bool swap);

/*
 * Rows of n elements each, from one place to another. The steps are in bytes: from element to element, and from row
 * to row.
 */
typedef struct ncz_runs {
    const char *src;
    char       *dst;
    ptrdiff_t   src_step, dst_step;
    ptrdiff_t   src_row, dst_row;
    size_t      n, rows;
} ncz_runs;

/* ---- stream_*.c: writes that bypass the CPU caches, for output too large for them ---- */

#define NCZ_GRID_STREAM_LEAST 128 /* bytes of a run; a shorter one hardly fills a cache line */

/* Copies packed runs of nbytes each. */
void ncz_grid_stream(const ncz_runs *r, size_t nbytes);
/* Call after the last run, before another thread may read the output. */
void ncz_grid_stream_end(void);

/* ---- grid_convert_run.c: load and swap, convert, swap and store, in blocks that fit the L1 cache ---- */

typedef struct ncz_convert_run {
    size_t      src_size, dst_size;
    bool        src_swap, dst_swap;
    bool        src_half, dst_half;
    bool        mute;   /* an out-of-range value is no error */
    bool        stream; /* long runs bypass the caches; call ncz_grid_stream_end() then */
    ncz_conv_fn conv;   /* NULL: none needed */
} ncz_convert_run;

/* The types must have passed ncz_transfer_check() and must not be strings. */
ncz_convert_run ncz_grid_convert_run_out(const ncz_dtype *from, const ncz_type *mem, bool classic);
ncz_convert_run ncz_grid_convert_run_in(const ncz_type *mem, const ncz_dtype *to, bool classic);

/* True when a value was out of range. */
bool ncz_grid_convert_runs(const ncz_convert_run *p, const ncz_runs *r);

/* ---- grid_record.c ---- */

/*
 * Converts runs of records. The types have passed the check. *bad: a value was out of range. Out of a record, elements
 * that own memory are zeroed first, and freed after a failure.
 */
int ncz_grid_records_out(const ncz_record *r, const ncz_type *mem, bool classic, const ncz_runs *runs, bool *bad);
int ncz_grid_records_in(const ncz_record *r, const ncz_type *mem, bool classic, const ncz_runs *runs, bool *bad);

/* ---- grid_loops.c: nested loops over two sides of a copy ---- */

typedef struct ncz_loops {
    size_t   ndim;
    ncz_dims n;    /* lengths, outermost first */
    ncz_dims a, b; /* steps in bytes on the two sides, two's complement */
    ncz_dims k;    /* the counters */
} ncz_loops;

/* The two innermost loops: `rows` runs of n elements. Offsets and steps are bytes. */
typedef struct ncz_plane {
    ptrdiff_t a, b;           /* offsets of the first element */
    ptrdiff_t a_step, b_step; /* to the next element of a run */
    ptrdiff_t a_row, b_row;   /* to the next run */
    size_t    n, rows;
} ncz_plane;

/* A non-zero return stops the loops. */
typedef int (*ncz_plane_fn)(void *arg, const ncz_plane *p);

int  ncz_grid_loops_init(ncz_loops *t, size_t rank);
void ncz_grid_loops_add(ncz_loops *t, uint64_t n, ptrdiff_t a, ptrdiff_t b); /* outermost first; n 1 adds nothing */
void ncz_grid_loops_tidy(ncz_loops *t); /* smallest steps of side b innermost; merges contiguous loops */
int  ncz_grid_loops_each(ncz_loops *t, ncz_plane_fn fn, void *arg);
void ncz_grid_loops_clear(ncz_loops *t);

/*
 * The loops of a piece, with the chunk as side a. *off: the offset in bytes of the piece's first element in the
 * chunk, whose elements take `chunk_item` bytes. chunk_item 0: side a does not advance.
 */
int ncz_grid_piece_loops(const ncz_transfer *m, const ncz_piece *p, size_t chunk_item, size_t mem_item,
                         ncz_loops *nest, size_t *off);

/* ---- grid_vlen_block.c: one element ---- */

/* Makes an element of type `mem` (NC_STRING, or a user-defined type that owns memory), which need not be aligned. */
int ncz_grid_item_out(const ncz_type *mem, ncz_vlen_item item, void *elem);

/* ---- grid_pack.c: one element of a type that ncz_type_packs() allows; it need not be aligned ---- */

int   ncz_grid_packed_len(const ncz_type *t, const void *elem, size_t *out);       /* bytes, at most UINT32_MAX */
char *ncz_grid_pack(const ncz_type *t, const void *elem, char *to);                /* returns the end of the bytes */
int   ncz_grid_unpack(const ncz_type *t, const void *bytes, size_t n, void *elem); /* n 0: zeros and empty strings */

/* ---- grid_string.c: one element ---- */

/* *out is new memory with a NUL behind its *len bytes. `len` may be NULL. */
int  ncz_grid_string_out(const ncz_dtype *t, const char *src, char **out, size_t *len);
void ncz_grid_string_in(const ncz_dtype *t, const char *s, size_t len, char *dst);

#endif /* NCZ_GRID_INT_H */
