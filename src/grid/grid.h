/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid: integer geometry and the kernels on bytes. A selection over a chunk grid gives pieces. One pass copies a
 * piece between a decoded chunk and the caller's memory, and swaps bytes, converts and checks the range on the way.
 *
 * No I/O, no state, and no allocation except rank-sized scratch and strings. All functions may run on any thread.
 */
#ifndef NCZ_GRID_H
#define NCZ_GRID_H

#include "grid/grid_type.h"
#include "util/util.h"

/* ---- element types as stored ----------------------------------------------------------------------------------- */

typedef enum ncz_kind {
    NCZ_KIND_INT,    /* size 1, 2, 4, 8 */
    NCZ_KIND_UINT,   /* size 1, 2, 4, 8 */
    NCZ_KIND_FLOAT,  /* size 2 (read as float), 4, 8 */
    NCZ_KIND_BOOL,   /* 1 byte, read as ubyte */
    NCZ_KIND_CHAR,   /* 1 byte: NC_CHAR */
    NCZ_KIND_BYTES,  /* `S<size>`: size bytes, NUL-padded: NC_STRING */
    NCZ_KIND_UCS4,   /* `U<size/4>`: NC_STRING, UTF-8 in memory */
    NCZ_KIND_OTHER,  /* no netCDF meaning: bytes of a known size that cannot be converted */
    NCZ_KIND_OBJECT, /* strings of any length, sequences or packed elements. A chunk is an ncz_vlen_block */
    NCZ_KIND_RAW,    /* bytes of any number: an opaque type of that size */
    NCZ_KIND_RECORD, /* packed fields: a compound with as many fields */
} ncz_kind;

typedef struct ncz_record ncz_record;

typedef struct ncz_dtype {
    ncz_kind kind;
    bool     big;  /* byte order of the stored elements */
    size_t   size; /* bytes per stored element */

    const ncz_record *record; /* NCZ_KIND_RECORD: its fields, which outlive all that have the type */
    /* NCZ_KIND_OBJECT: the atomic type of the numbers in sequences, or the user-defined type whose elements are packed;
     * NULL: strings. */
    const ncz_type *items;
} ncz_dtype;

/* One field of a record: an array of elements, in C order, at an offset. */
typedef struct ncz_record_field {
    const char   *name;
    size_t        offset; /* bytes from the start of the record */
    ncz_dtype     dtype;
    size_t        rank; /* 0: one element */
    const size_t *shape;
    size_t        nelems; /* the product of `shape` */
} ncz_record_field;

struct ncz_record {
    size_t                  size; /* bytes, with gaps between fields */
    size_t                  nfields;
    const ncz_record_field *fields;
};

/*
 * Makes the record as which new arrays store a compound: all fields packed, or where they are in memory (`gaps`);
 * little-endian. The caller frees it with ncz_free(). NULL: the compound has no stored form, since its elements own
 * memory. Compounds in it must have records.
 */
int ncz_record_make(const ncz_type *t, bool gaps, ncz_record **out);

/* The type in memory that a stored type is read as. Types without an atomic one (raw bytes, records, sequences) give
 * NC_NAT's. */
const ncz_type *ncz_dtype_type(const ncz_dtype *t);

/* The stored type of a type in memory. Strings give NCZ_KIND_BYTES with `strlen_max` bytes. A type that has no stored
 * form gives NCZ_KIND_OTHER. */
ncz_dtype ncz_dtype_of(const ncz_type *t, bool big, size_t strlen_max);

/* True if the elements are of a user-defined type that owns memory and are stored packed (grid_pack.c). */
bool ncz_dtype_is_packed(const ncz_dtype *t);

/* True if elements of a type that owns memory, other than strings, have a packed form. Sequences of elements that are
 * mostly gaps have none, since damaged data could ask for much memory with few bytes. */
bool ncz_type_packs(const ncz_type *t);

/* What `packed_least` of a user-defined type has to be, from what its base and its fields' types have. */
size_t ncz_type_packed_least(const ncz_type *t);

/* NC_EFILTER: not a packed element of the type. No bytes are a valid one: it was never written. */
int ncz_packed_check(const ncz_type *t, const void *bytes, size_t n);

#define NCZ_OBJECT_SIZE 16 /* bytes of a vlen block for each element, its text not counted */

/* ---- rank-sized scratch: inline up to rank 8, heap beyond ------------------------------------------------------ */

#define NCZ_RANK_INLINE 8

typedef struct ncz_dims {
    uint64_t *v;
    uint64_t  in[NCZ_RANK_INLINE];
} ncz_dims;

int  ncz_dims_alloc(ncz_dims *d, size_t rank); /* of more than fit inside */
void ncz_dims_free(ncz_dims *d);

/* All zero. */
static inline int
ncz_dims_init(ncz_dims *d, size_t rank)
{
    *d = (ncz_dims){.v = d->in};
    return rank <= NCZ_RANK_INLINE ? NC_NOERR : ncz_dims_alloc(d, rank);
}

static inline void
ncz_dims_clear(ncz_dims *d)
{
    if (d->v != d->in)
        ncz_dims_free(d);
    d->v = NULL;
}

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* item * product of shape. False: it does not fit size_t. Rank 0 gives item. */
bool ncz_grid_nbytes(const uint64_t *shape, size_t rank, size_t item, size_t *out);

/*
 * netCDF's default chunk lengths (reference: netCDF-C), of about `most` bytes. `unlimited[d]` marks unlimited
 * dimensions, `shape[d]` has the current lengths, `item` is the type's size in memory (NC_STRING: 8). All results are
 * >= 1.
 */
#define NCZ_DEFAULT_CHUNK_BYTES ((size_t)16 << 20) /* of netCDF-C, as CMake builds it */
void ncz_grid_default_chunks(const uint64_t *shape, const bool *unlimited, size_t rank, size_t item, size_t most,
                             uint64_t *chunk);

/*
 * Chooses chunks for an array that lies in one place, C order: whole rows while their bytes follow each other, up to
 * about `most` bytes; 1 along the dimensions before. Of the dimensions from `first` on. True: a chunk has all of them.
 */
bool ncz_grid_cut_rows(const uint64_t *shape, size_t first, size_t rank, size_t item, uint64_t most, uint64_t *chunk);

/* ---- arrays that are written in blocks (grid_decompose.c) ------------------------------------------------------ */

typedef struct ncz_blocks {
    size_t          rank, n;
    size_t          item;      /* bytes of an element in memory */
    const uint64_t *shape;     /* of the array */
    const bool     *unlimited; /* dimensions */
    const uint64_t *box;       /* of each block and dimension, [lo, hi); empty in one: there is no block */
} ncz_blocks;

/*
 * Chooses the shape of stored objects of about `object_bytes` at most, and of chunks in them of about `chunk_bytes`,
 * which divide it. For objects that are one chunk both numbers are the same. Every block consists of whole objects,
 * unless only objects that are far smaller than wished would do.
 */
int ncz_blocks_choose(const ncz_blocks *b, uint64_t object_bytes, uint64_t chunk_bytes, uint64_t *object,
                      uint64_t *chunk);

/* Objects that blocks cut through. The numbers are exact for blocks in rows and columns, else upper bounds. */
typedef struct ncz_blocks_price {
    double   objects, shared; /* in the blocks; of them, with a cut inside */
    uint64_t writers;         /* blocks that one object is in, at most */
    double   nbytes;          /* of one object */
} ncz_blocks_price;

int ncz_blocks_count_shared(const ncz_blocks *b, const uint64_t *object, ncz_blocks_price *out);

/*
 * The order of a chunk's elements: a permutation of the dimensions, from the slowest-varying to the fastest-varying,
 * or NULL for C order (0, 1, ... rank - 1). Fortran order is the reverse.
 */
static inline size_t
ncz_order_dim(const unsigned *order, size_t place)
{
    return order != NULL ? order[place] : place;
}

/* Allocates Fortran order, never NULL. */
int  ncz_order_fortran(size_t rank, unsigned **out);
bool ncz_order_is_fortran(const unsigned *order, size_t rank);

/* ---- selections and pieces ------------------------------------------------------------------------------------- */

/*
 * A caller's selection: start, count and stride of each dimension (in elements, stride >= 1), and the layout in
 * memory: neighbours along dimension d lie `imap[d]` elements apart, which may be negative. All arrays have `rank`
 * entries.
 */
typedef struct ncz_select {
    size_t           rank;
    const uint64_t  *start, *count, *stride;
    const ptrdiff_t *imap;
} ncz_select;

/* The imap of a packed C-order array of `count`. False on overflow. */
bool ncz_grid_packed_imap(const uint64_t *count, size_t rank, ptrdiff_t *imap);

/* How many elements of a box follow each other, where the arrays have the shape `whole` in C order. The box is in
 * memory, so that it cannot overflow. */
uint64_t ncz_grid_run(const uint64_t *count, const uint64_t *stride, const uint64_t *whole, size_t rank);

/*
 * A box: in each dimension `count` places from `lo` on (NULL: from 0 on), of which every `step`-th is visited (NULL:
 * all). Begin with an index that is `lo`; the box is not empty.
 */
typedef struct ncz_box {
    size_t          rank;
    const uint64_t *lo, *count, *step;
} ncz_box;

/* Moves an index to the next place of a box, in C order. False after the last one: the index is `lo` again. */
bool ncz_box_next(const ncz_box *b, uint64_t *index);

/* The number of selected elements. False on overflow. */
bool ncz_select_nelems(const ncz_select *s, uint64_t *out);
bool ncz_select_is_empty(const ncz_select *sel); /* it has no element */
/* Where the element that is `index` steps from the first one lies in memory, in elements. */
ptrdiff_t ncz_select_place(const ncz_select *s, const uint64_t *index);

/*
 * One piece: the part of one chunk that a selection touches. The arrays belong to the iterator and stay valid until
 * its next step. Element k of dimension d (0 <= k < n[d]) is the chunk's element off[d] + k * stride[d], and lies in
 * memory at mem + sum(k[d] * imap[d]) elements from the caller's pointer.
 */
typedef struct ncz_piece {
    size_t           rank;
    const uint64_t  *index;  /* chunk index in the grid */
    const uint64_t  *off;    /* first element inside the chunk */
    const uint64_t  *n;      /* number of elements */
    const uint64_t  *stride; /* the selection's stride */
    const ptrdiff_t *imap;
    ptrdiff_t        mem; /* memory offset of its first element, in elements */
    uint64_t         nelems;
    bool             whole; /* has every element of the chunk that lies inside `shape` */
} ncz_piece;

/*
 * Iterates over the pieces in chunk-grid order. `shape`: the array's current one, which decides `whole` at the edge.
 */
typedef struct ncz_chunk_iter ncz_chunk_iter;

int  ncz_chunk_iter_new(const ncz_select *sel, const uint64_t *shape, const uint64_t *chunk, ncz_chunk_iter **out);
bool ncz_chunk_iter_next(ncz_chunk_iter *w, ncz_piece *out); /* false at the end */
void ncz_chunk_iter_free(ncz_chunk_iter *w);

/* ---- rectilinear grids: chunks that differ in length along a dimension ----------------------------------------- */

typedef struct ncz_rectilinear ncz_rectilinear;

/* A chunk along one dimension: its index, first element and length. */
typedef struct ncz_rectilinear_chunk {
    uint64_t index, first, len;
} ncz_rectilinear_chunk;

int              ncz_rectilinear_new(size_t rank, ncz_rectilinear **out);
ncz_rectilinear *ncz_rectilinear_ref(ncz_rectilinear *g); /* NULL is fine, here and below */
void             ncz_rectilinear_unref(ncz_rectilinear *g);
/* Appends `count` chunks of length `len` to dimension d. NC_EBADCHUNK: a zero, or their sum passes 2^63 - 1. */
int      ncz_rectilinear_add(ncz_rectilinear *g, size_t d, uint64_t len, uint64_t count);
uint64_t ncz_rectilinear_end(const ncz_rectilinear *g, size_t d); /* the sum of the lengths */
/* The longest chunk that begins in the first `length` elements; with none there the first one. */
uint64_t ncz_rectilinear_longest(const ncz_rectilinear *g, size_t d, uint64_t length);
/* True if all chunks that reach into the first `length` elements have one length. */
bool ncz_rectilinear_regular(const ncz_rectilinear *g, size_t d, uint64_t length);
/* The number of chunks that begin in the first `length` elements. */
uint64_t ncz_rectilinear_count(const ncz_rectilinear *g, size_t d, uint64_t length);
/* Finds the chunk that has element `at`. False: no chunk has it. */
bool ncz_rectilinear_find(const ncz_rectilinear *g, size_t d, uint64_t at, ncz_rectilinear_chunk *out);
/* The chunk with that index. False: there are not so many. */
bool ncz_rectilinear_at(const ncz_rectilinear *g, size_t d, uint64_t index, ncz_rectilinear_chunk *out);

/* ---- kernels ---------------------------------------------------------------------------------------------------
 *
 * The conversion rules are netCDF's, that is, C casts:
 *   - A value outside the destination's range is still converted. Integers wrap. Floating to integer gives what x86
 *     gives: the minimum of a 32-bit integer or, for uint and the 64-bit types, of a 64-bit one; shorter types keep
 *     its low bits. The whole piece is finished, then NC_ERANGE is returned, with no text: the api adds one.
 *   - NaN to integer is no range error.
 *   - Text to or from numbers is NC_ECHAR; NC_STRING to or from other types is NC_EBADTYPE. Both are returned before
 *     anything is moved.
 *   - Values of an enumeration convert as those of its base. Raw bytes, records and sequences convert to and from an
 *     opaque type of their size, a compound with fields of their types and sequences of the same numbers only, else
 *     it is NC_EBADTYPE.
 *   - With `classic`, NC_BYTE <-> NC_UBYTE never raises NC_ERANGE.
 */
typedef struct ncz_transfer {
    const ncz_dtype *dtype; /* the stored side */
    const ncz_type  *mem;   /* the memory side */
    const uint64_t  *chunk; /* chunk shape, rank entries */
    const unsigned  *order; /* order of a chunk's elements: rank entries, or NULL */
    bool             classic;
    bool             stream; /* the output exceeds the CPU caches, so writes bypass them */
} ncz_transfer;

/* Whether the stored type and `mem` can be converted: NC_NOERR, NC_ECHAR or NC_EBADTYPE. */
int ncz_transfer_check(const ncz_dtype *t, const ncz_type *mem);

/*
 * Chunk to memory. NC_STRING: each element becomes a new char * (ncz_alloc) without trailing NULs, empty when all its
 * bytes are zero. After a failure no string is left and their places are NULL. The same holds for sequences.
 */
int ncz_transfer_out(const ncz_transfer *m, const ncz_piece *p, const void *chunk, void *mem);

/* Memory to chunk. NC_STRING: cut to the stored size, never inside a UTF-8 character, NUL-padded; NULL is empty. */
int ncz_transfer_in(const ncz_transfer *m, const ncz_piece *p, const void *mem, void *chunk);

/*
 * True when the piece is its whole chunk and has the same bytes in memory and in the chunk. Then a chunk may be
 * decoded straight into mem + piece->mem elements, or encoded from there.
 */
bool ncz_transfer_direct(const ncz_transfer *m, const ncz_piece *p);

/* A few elements that follow each other on both sides (grid_row.c). */
typedef struct ncz_row {
    const ncz_dtype *dtype; /* as in ncz_transfer, like the last two */
    const ncz_type  *type;  /* ncz_row_type() of it */
    const ncz_type  *mem;
    bool             classic;
} ncz_row;

/* The type in memory of numbers and characters that are stored as they are there, but for their byte order. NULL: of
 * others, which do not move so. */
const ncz_type *ncz_row_type(const ncz_dtype *t);

/* Whether elements move so between a type that ncz_row_type() gave and memory of type `mem`. */
static inline bool
ncz_row_moves(const ncz_type *type, const ncz_type *mem)
{
    return type != NULL && (type == mem || (ncz_type_is_number(type) && ncz_type_is_number(mem)));
}

/* Move elements that do. Return what ncz_transfer_out() and ncz_transfer_in() return. */
int ncz_row_out(const ncz_row *r, const void *from, size_t n, void *to);
int ncz_row_in(const ncz_row *r, const void *from, size_t n, void *to);

/* Sets every place of the piece in memory to the stored fill element. `fill` NULL means zero bytes. */
int ncz_transfer_fill_out(const ncz_transfer *m, const ncz_piece *p, const void *fill, void *mem);

/* Sets n stored elements of `item` bytes to `fill` (NULL: zero bytes). */
void ncz_fill_elems(void *dst, size_t n, const void *fill, size_t item);

/* True when all n elements equal `fill` byte for byte (NULL: zero bytes). */
bool ncz_all_fill(const void *src, size_t n, const void *fill, size_t item);

/* Sets the part of a chunk outside `shape` (edge padding) to fill. `index`: the chunk's place in the grid. */
int ncz_fill_edge(const ncz_transfer *m, size_t rank, const uint64_t *shape, const uint64_t *index, const void *fill,
                  void *chunk);

/* ---- strings and sequences: a chunk of NCZ_KIND_OBJECT, in one block without pointers --------------------------
 *
 * A decoded chunk of strings is such a block, and its fill element is a block of one string. Only ncz_vlen_change()
 * changes a finished block. ncz_transfer_out() and ncz_transfer_fill_out() (fill NULL: empty strings) read blocks. A
 * sequence's bytes are its numbers as they are in memory; those of a packed element are as grid_pack.c has them.
 */
typedef enum ncz_vlen_kind {
    NCZ_VLEN_NONE,   /* no string: reads as the empty one; an empty sequence; zeros and empty strings */
    NCZ_VLEN_STRING, /* bytes, perhaps with NULs; a sequence's numbers; a packed element */
    NCZ_VLEN_VALUE,  /* JSON text of another value; a codec for values stores it as a value */
} ncz_vlen_kind;

typedef struct ncz_vlen_item {
    const char   *s; /* not NUL-terminated */
    size_t        len;
    ncz_vlen_kind what;
} ncz_vlen_item;

typedef struct ncz_vlen_block ncz_vlen_block;

size_t        ncz_vlen_nbytes(const ncz_vlen_block *t); /* bytes of the block in use */
size_t        ncz_vlen_len(const ncz_vlen_block *t);
ncz_vlen_item ncz_vlen_at(const ncz_vlen_block *t, size_t i);
/* What an element has that was never written: that of `fill`; where that is NULL an empty string or sequence. */
ncz_vlen_item ncz_vlen_unwritten(const ncz_dtype *dtype, const ncz_vlen_block *fill);
bool ncz_vlen_all(const ncz_vlen_block *t, const ncz_vlen_block *fill); /* each equals the string of `fill` */

/* Building in a buffer: begin with n times NCZ_VLEN_NONE, set each at most once, then read or take the block. */
bool                  ncz_vlen_bound(size_t n, size_t *out); /* bytes of a block of n empty strings */
int                   ncz_vlen_begin(ncz_buf *b, size_t n);
int                   ncz_vlen_set(ncz_buf *b, size_t i, ncz_vlen_item text); /* copies the bytes */
void                  ncz_vlen_share(ncz_buf *b, size_t i, size_t from);      /* the same bytes as element `from` */
const ncz_vlen_block *ncz_vlen_in(const ncz_buf *b);                          /* valid until the buffer changes */
int                   ncz_vlen_take(ncz_buf *b, char **out); /* the caller frees it with ncz_free() */

/*
 * The item of an element in memory, whose bytes it points to. Those of an element that is packed are written to
 * *room, which is moved behind them; room NULL: the item has only their number. NC_EINVAL: a sequence with a length and
 * no pointer, or with more bytes than memory. `elem` need not be aligned.
 */
int ncz_vlen_item_of(const ncz_type *mem, const void *elem, char **room, ncz_vlen_item *out);

/*
 * Puts a piece into the block `old` (NULL: n times `fill`; that NULL, too: NCZ_VLEN_NONE) and writes the new block to
 * `out`.
 */
int ncz_vlen_put(const ncz_transfer *m, const ncz_piece *p, size_t n, const ncz_vlen_block *old,
                 const ncz_vlen_block *fill, const void *mem, ncz_buf *out);

/*
 * Puts a piece in place, in a block that the caller owns and that may be reallocated. The cost depends on the piece
 * alone. Use it for a few elements, while ncz_vlen_few() allows it: it refuses when too many bytes of the block are
 * unused. After a failure the block is unchanged.
 */
bool ncz_vlen_few(const ncz_vlen_block *t, const ncz_piece *p);
int  ncz_vlen_change(const ncz_transfer *m, const ncz_piece *p, const void *mem, char **block);

/* The distance in elements between neighbours along each dimension of a chunk. */
void ncz_grid_strides(const uint64_t *chunk, size_t rank, const unsigned *order, uint64_t *out);

/*
 * Copies a box of n[0] x n[1] x ... elements of `size` bytes as they are. src_step, dst_step: the distance in elements
 * between neighbours along each dimension. The two places do not overlap.
 */
int ncz_grid_copy_box(size_t rank, const uint64_t *n, size_t size, const void *src, const uint64_t *src_step,
                      void *dst, const uint64_t *dst_step);

/* Convert n packed elements for attributes and fill values: stored to memory, and back. */
int ncz_convert_out(const ncz_dtype *from, const void *src, const ncz_type *mem, void *dst, size_t n, bool classic);
int ncz_convert_in(const ncz_type *mem, const void *src, const ncz_dtype *to, void *dst, size_t n, bool classic);
/* Memory type to memory type, for attributes. Elements of the same type are copied deeply. */
int ncz_convert(const ncz_type *from, const void *src, const ncz_type *to, void *dst, size_t n, bool classic);

#endif /* NCZ_GRID_H */
