/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid: integer geometry and the kernels on bytes. A selection laid over a chunk grid gives pieces; a piece is
 * copied, byte-swapped, converted and range-checked between a decoded chunk and the caller's memory in one pass.
 *
 * No I/O, no allocation but rank-sized scratch, no state: everything here may run on any thread.
 */
#ifndef NCZ_GRID_H
#define NCZ_GRID_H

#include "grid/grid_type.h"
#include "util/util.h"

/* ---- element types as stored ----------------------------------------------------------------------------------- */

typedef enum ncz_kind {
    NCZ_KIND_INT,   /* size 1, 2, 4, 8 */
    NCZ_KIND_UINT,  /* size 1, 2, 4, 8 */
    NCZ_KIND_FLOAT, /* size 2 (read as float), 4, 8 */
    NCZ_KIND_BOOL,  /* 1 byte, read as ubyte */
    NCZ_KIND_CHAR,  /* 1 byte: NC_CHAR */
    NCZ_KIND_BYTES, /* `S<size>`: size bytes, NUL-padded: NC_STRING */
    NCZ_KIND_UCS4,  /* `U<size/4>`: NC_STRING, UTF-8 in memory */
    NCZ_KIND_OTHER, /* no netCDF meaning: opaque bytes that we can size but not convert */
    NCZ_KIND_OBJECT, /* texts of any length: NC_STRING. A chunk of them is a block of its own size: ncz_vlen_block below */
} ncz_kind;

typedef struct ncz_dtype {
    ncz_kind kind;
    bool     big;  /* byte order of the stored elements */
    size_t   size; /* bytes per stored element */
} ncz_dtype;

/* The type in memory that a stored type is read as; that of NC_NAT for NCZ_KIND_OTHER. */
const ncz_type *ncz_dtype_type(const ncz_dtype *t);

/* The stored type of a type in memory: strings give NCZ_KIND_BYTES with `strlen_max` bytes. */
ncz_dtype ncz_dtype_of(const ncz_type *t, bool big, size_t strlen_max);

#define NCZ_OBJECT_SIZE 16 /* what an element of NCZ_KIND_OBJECT takes in its block, its bytes not counted */

/* ---- rank-sized scratch: inline up to rank 8, heap beyond ------------------------------------------------------ */

#define NCZ_RANK_INLINE 8

typedef struct ncz_dims {
    uint64_t *v;
    uint64_t  in[NCZ_RANK_INLINE];
} ncz_dims;

int  ncz_dims_init(ncz_dims *d, size_t rank); /* zeroed */
void ncz_dims_clear(ncz_dims *d);

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* item * product of shape, or false when it does not fit size_t. Rank 0 gives item. */
bool ncz_grid_nbytes(const uint64_t *shape, size_t rank, size_t item, size_t *out);

/* netCDF's default chunk lengths (reference: netCDF-C, 16 MiB chunks): `unlimited[d]` marks unlimited dimensions,
 * `shape[d]` the current lengths, `item` the type's size in memory (NC_STRING: 8). All results >= 1. */
void ncz_grid_default_chunks(const uint64_t *shape, const bool *unlimited, size_t rank, size_t item, uint64_t *chunk);

/*
 * The order of a chunk's elements: a permutation of the dimensions, from the one that varies most slowly to the one that
 * varies fastest, or NULL for C order (0, 1, ... rank - 1). Fortran order is the reverse.
 */
static inline size_t
ncz_order_dim(const unsigned *order, size_t place)
{
    return order != NULL ? order[place] : place;
}

/* Fortran order, in memory of its own: never NULL. */
int  ncz_order_fortran(size_t rank, unsigned **out);
bool ncz_order_is_fortran(const unsigned *order, size_t rank);

/* ---- selections and pieces ------------------------------------------------------------------------------------- */

/* What a caller asks for: per dimension start, count and stride (elements, stride >= 1), and where each element lies
 * in memory: `imap[d]` elements apart (may be negative). All arrays have `rank` entries. */
typedef struct ncz_select {
    size_t           rank;
    const uint64_t  *start, *count, *stride;
    const ptrdiff_t *imap;
} ncz_select;

/* The imap of a packed C-order array of `count`. False on overflow. */
bool ncz_grid_packed_imap(const uint64_t *count, size_t rank, ptrdiff_t *imap);

/* Number of elements selected; false on overflow. */
bool ncz_select_nelems(const ncz_select *s, uint64_t *out);

/*
 * One piece: the part of one chunk that a selection touches. Arrays belong to the walk and stay valid until its next
 * step. Element k of dimension d (0 <= k < n[d]) is the chunk's element off[d] + k * stride[d] and lies in memory at
 * mem + sum(k[d] * imap[d]) elements from the caller's pointer.
 */
typedef struct ncz_piece {
    size_t           rank;
    const uint64_t  *index;  /* chunk index in the grid */
    const uint64_t  *off;    /* first element inside the chunk */
    const uint64_t  *n;      /* elements taken */
    const uint64_t  *stride; /* the selection's stride */
    const ptrdiff_t *imap;
    ptrdiff_t        mem; /* memory offset of its first element, in elements */
    uint64_t         nelems;
    bool             whole; /* takes every element of the chunk that lies inside `shape` */
} ncz_piece;

/* Walks the pieces in chunk-grid order. `shape` is the array's current shape (it decides `whole` at the edge). */
typedef struct ncz_chunk_iter ncz_chunk_iter;

int  ncz_chunk_iter_new(const ncz_select *sel, const uint64_t *shape, const uint64_t *chunk, ncz_chunk_iter **out);
bool ncz_chunk_iter_next(ncz_chunk_iter *w, ncz_piece *out); /* false at the end */
void ncz_chunk_iter_free(ncz_chunk_iter *w);

/* ---- kernels ---------------------------------------------------------------------------------------------------
 *
 * Conversion rules are netCDF's: C casts; a value outside the destination's range is still converted (integers wrap,
 * as the reference does; floating to integer out of range gives what x86 gives: the minimum of a 32-bit or, for uint
 * and the 64-bit types, a 64-bit integer, of which a shorter type keeps the low bits), the whole piece is finished
 * and then NC_ERANGE is returned (with no text: the api adds one). NaN to integer is no range error. Text to or from
 * numbers: NC_ECHAR, NC_STRING to or from others: NC_EBADTYPE, both before anything is moved.
 * `classic` : NC_BYTE <-> NC_UBYTE never raises NC_ERANGE.
 */
typedef struct ncz_transfer {
    const ncz_dtype *dtype; /* the stored side */
    const ncz_type  *mem;   /* the memory side */
    const uint64_t  *chunk; /* chunk shape, rank entries */
    const unsigned  *order; /* of a chunk's elements: rank entries, or NULL */
    bool             classic;
    bool             stream; /* what goes to memory is more than caches hold: stores go past them */
} ncz_transfer;

/* Can `mem` and the stored type be converted at all? NC_NOERR, NC_ECHAR or NC_EBADTYPE. */
int ncz_transfer_check(const ncz_dtype *t, const ncz_type *mem);

/* chunk -> memory. NC_STRING: each element becomes a fresh char * (ncz_alloc), trailing NULs dropped, or NULL when
 * all its bytes are zero; on failure none are left and their places are NULL. */
int ncz_transfer_out(const ncz_transfer *m, const ncz_piece *p, const void *chunk, void *mem);

/* memory -> chunk. NC_STRING: cut to the stored size, never inside a UTF-8 character, NUL-padded; NULL is empty. */
int ncz_transfer_in(const ncz_transfer *m, const ncz_piece *p, const void *mem, void *chunk);

/*
 * True when the piece is the whole of its chunk and lies in memory byte for byte as in the chunk: then nothing needs
 * to be moved, and a chunk may be decoded into mem + piece->mem elements, or encoded out of it.
 */
bool ncz_transfer_direct(const ncz_transfer *m, const ncz_piece *p);

/* The stored fill element -> every memory place of the piece; `fill` NULL means zero bytes. */
int ncz_transfer_fill_out(const ncz_transfer *m, const ncz_piece *p, const void *fill, void *mem);

/* n stored elements of `item` bytes all set to `fill` (NULL: zero). */
void ncz_fill_elems(void *dst, size_t n, const void *fill, size_t item);

/* True when all n elements equal `fill` byte for byte (NULL: zero bytes). */
bool ncz_all_fill(const void *src, size_t n, const void *fill, size_t item);

/* Sets to fill the part of a chunk that lies outside `shape` (edge padding). `index`: its place in the grid. */
int ncz_fill_edge(const ncz_transfer *m, size_t rank, const uint64_t *shape, const uint64_t *index, const void *fill,
                  void *chunk);

/* ---- texts: a chunk of NCZ_KIND_OBJECT, in one block without pointers ------------------------------------------
 *
 * Where other chunks are handed around as bytes, chunks of objects are such blocks, and the fill element is a block
 * of one. A finished block is changed by ncz_vlen_change() only. ncz_transfer_out() and ncz_transfer_fill_out() (fill NULL:
 * NULL pointers) know them.
 */
typedef enum ncz_vlen_kind {
    NCZ_VLEN_NONE,   /* nothing: a NULL pointer */
    NCZ_VLEN_STRING, /* bytes, NULs among them perhaps */
    NCZ_VLEN_VALUE,  /* JSON text of a value that is no string; a codec that can store values stores it as that */
} ncz_vlen_kind;

typedef struct ncz_vlen_item {
    const char   *s; /* not NUL-terminated */
    size_t        len;
    ncz_vlen_kind what;
} ncz_vlen_item;

typedef struct ncz_vlen_block ncz_vlen_block;

size_t        ncz_vlen_nbytes(const ncz_vlen_block *t); /* of the memory that it stands in */
size_t        ncz_vlen_len(const ncz_vlen_block *t);
ncz_vlen_item ncz_vlen_at(const ncz_vlen_block *t, size_t i);
bool          ncz_vlen_all(const ncz_vlen_block *t, const ncz_vlen_block *fill); /* each equals the one of `fill` */

/* Building in a buffer: begin with n times NCZ_VLEN_NONE, set each at most once, then look or take. */
bool                  ncz_vlen_bound(size_t n, size_t *out); /* bytes of a block whose n texts are empty */
int                   ncz_vlen_begin(ncz_buf *b, size_t n);
int                   ncz_vlen_set(ncz_buf *b, size_t i, ncz_vlen_item text); /* its bytes are copied */
void                  ncz_vlen_share(ncz_buf *b, size_t i, size_t from);      /* the same as element `from` */
const ncz_vlen_block *ncz_vlen_in(const ncz_buf *b);                          /* until the buffer changes */
int                   ncz_vlen_take(ncz_buf *b, char **out);                  /* the caller's, for ncz_free() */

/* What becomes of the block `old` (NULL: n times `fill`, NULL NCZ_VLEN_NONE) when a piece is put: into `out`. */
int ncz_vlen_put(const ncz_transfer *m, const ncz_piece *p, size_t n, const ncz_vlen_block *old,
                 const ncz_vlen_block *fill, const void *mem, ncz_buf *out);

/*
 * The same in a block of the caller's own, which may move, at the cost of the piece alone. Good for a few elements,
 * and until too many bytes of the block belong to nothing any more: ncz_vlen_few() says so. After a failure the block
 * is as it was.
 */
bool ncz_vlen_few(const ncz_vlen_block *t, const ncz_piece *p);
int  ncz_vlen_change(const ncz_transfer *m, const ncz_piece *p, const void *mem, char **block);

/* Plain runs of n elements between two types, packed, for attributes and fill values. Stored -> memory and back. */
int ncz_convert_out(const ncz_dtype *from, const void *src, const ncz_type *mem, void *dst, size_t n, bool classic);
int ncz_convert_in(const ncz_type *mem, const void *src, const ncz_dtype *to, void *dst, size_t n, bool classic);
/* Memory type -> memory type, for attributes; elements of the same type are copied with what they hold. */
int ncz_convert(const ncz_type *from, const void *src, const ncz_type *to, void *dst, size_t n, bool classic);

#endif /* NCZ_GRID_H */
