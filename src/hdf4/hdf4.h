/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hdf4: the structure of an HDF4 file, as it is read: what its scientific datasets (SD) are, and where their data lie.
 * It hands out bytes as they are stored; values, codecs and names of netCDF are not its matter.
 *
 * Everything that a file says is checked: no memory is asked for by a number that the file's size does not bear out,
 * and what one call may read is bounded, so that a file cannot keep it busy. Damage is NC_EHDFERR, something of HDF4
 * that is not read here NC_ENOTBUILT, each with a text that names the object by tag and reference. A file is used by
 * one thread at a time; what it hands out belongs to the caller.
 *
 * Comments cite the HDF Specification and Developer's Guide by chapter and title: (1, Data Objects). Numbers are
 * big-endian (1, Physical Organization).
 */
#ifndef NCZ_HDF4_H
#define NCZ_HDF4_H

#include "util/util.h"

#define NCZ_HDF4_NONE UINT64_MAX /* no place */
enum { NCZ_HDF4_MAX_RANK = 32, NCZ_HDF4_CODER_WORDS = 5 };

typedef struct ncz_hdf4 ncz_hdf4; /* an open file */

bool ncz_hdf4_is(const void *bytes, size_t n); /* whether a file begins so */
/* Reads the descriptors of all objects. NC_ENOTNC: it is no such file. */
int  ncz_hdf4_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf4 **out);
void ncz_hdf4_close(ncz_hdf4 *f); /* NULL is fine */

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* Number types that the library writes (6, DFTAG_NT). */
typedef enum ncz_hdf4_code {
    NCZ_HDF4_UCHAR = 3,
    NCZ_HDF4_CHAR = 4,
    NCZ_HDF4_FLOAT32 = 5,
    NCZ_HDF4_FLOAT64 = 6,
    NCZ_HDF4_INT8 = 20,
    NCZ_HDF4_UINT8 = 21,
    NCZ_HDF4_INT16 = 22,
    NCZ_HDF4_UINT16 = 23,
    NCZ_HDF4_INT32 = 24,
    NCZ_HDF4_UINT32 = 25,
} ncz_hdf4_code;

typedef struct ncz_hdf4_type {
    ncz_hdf4_code code;
    size_t        size; /* bytes */
    bool          little;
    const char   *foreign; /* the machine whose form its numbers have, which is not read; NULL: they have IEEE's */
} ncz_hdf4_type;

/* ---- data ------------------------------------------------------------------------------------------------------- */

typedef enum ncz_hdf4_kind {
    NCZ_HDF4_NOTHING, /* no data were written */
    NCZ_HDF4_PLAIN,
    NCZ_HDF4_LINKED, /* in blocks */
    NCZ_HDF4_EXTERNAL,
    NCZ_HDF4_COMPRESSED,
    NCZ_HDF4_CHUNKED,
} ncz_hdf4_kind;

typedef enum ncz_hdf4_coding {
    NCZ_HDF4_STORED,
    NCZ_HDF4_RLE,
    NCZ_HDF4_NBIT,
    NCZ_HDF4_HUFFMAN,
    NCZ_HDF4_DEFLATE,
    NCZ_HDF4_SZIP,
    NCZ_HDF4_CODINGS,
} ncz_hdf4_coding;

/*
 * How bytes are compressed. Words: of n-bit whether the sign is extended, whether the other bits are set, the first
 * bit, and how many; of Huffman the number of trees; of deflate the level; of szip pixels, pixels of a scan line,
 * options, bits of a pixel, and pixels of a block.
 */
typedef struct ncz_hdf4_coder {
    unsigned id; /* ncz_hdf4_coding, or another number */
    size_t   n;
    uint32_t words[NCZ_HDF4_CODER_WORDS];
} ncz_hdf4_coder;

/* An element, by the descriptor that leads to it. All that it points to lies in an arena. */
typedef struct ncz_hdf4_data {
    ncz_hdf4_kind  kind;
    unsigned       tag, ref;
    uint64_t       len;                            /* decoded bytes */
    uint64_t       at;                             /* plain: where */
    uint64_t       block, first_table, table_refs; /* linked: bytes of a block, the first table, blocks of one */
    const char    *file;                           /* external: its name */
    ncz_hdf4_coder coder;                          /* compressed, chunked */
    unsigned       body;                           /* compressed: the reference of the bytes */
    size_t         rank;                           /* chunked, as all that follows */
    uint64_t       shape[NCZ_HDF4_MAX_RANK], chunk[NCZ_HDF4_MAX_RANK];
    uint64_t       chunk_bytes; /* decoded */
    const unsigned char *fill;  /* `nfill` bytes, as often as they fit, are a chunk that is absent */
    size_t               nfill;
    unsigned             table; /* the reference of the table of chunks */
} ncz_hdf4_data;

/* ---- scientific datasets ---------------------------------------------------------------------------------------- */

typedef struct ncz_hdf4_attribute {
    const char          *name;
    ncz_hdf4_type        type;
    size_t               n;    /* values, */
    const unsigned char *data; /* as they are stored */
    const char          *lost; /* why it cannot be read; NULL: it can */
} ncz_hdf4_attribute;

typedef struct ncz_hdf4_dim {
    const char *name;
    uint64_t    len; /* of an unlimited one: records of the variable that has most */
    bool        unlimited;
} ncz_hdf4_dim;

typedef struct ncz_hdf4_var {
    const char         *name;
    ncz_hdf4_type       type;
    size_t              rank;
    const size_t       *dims;     /* numbers */
    uint64_t            nrecords; /* its own, where the first is unlimited */
    ncz_hdf4_attribute *atts;
    size_t              natts;
    ncz_hdf4_data       data;
    const char         *lost; /* why the data cannot be read; NULL: they can */
} ncz_hdf4_var;

typedef struct ncz_hdf4_sd {
    ncz_hdf4_dim       *dims; /* as the variables meet them */
    ncz_hdf4_var       *vars;
    ncz_hdf4_attribute *atts;
    const char        **losses; /* what of the file cannot be shown at all, and why */
    size_t              ndims, nvars, natts, nlosses;
    ncz_arena           arena;
} ncz_hdf4_sd;

int  ncz_hdf4_sd_read(ncz_hdf4 *f, ncz_hdf4_sd *out); /* clear it, also after a failure */
void ncz_hdf4_sd_clear(ncz_hdf4_sd *sd);              /* may be called twice */

/* ---- where data lie --------------------------------------------------------------------------------------------- */

typedef struct ncz_hdf4_piece {
    uint64_t at; /* NCZ_HDF4_NONE: zeros */
    uint64_t len;
} ncz_hdf4_piece;

typedef struct ncz_hdf4_pieces {
    ncz_hdf4_piece *v;
    size_t          n, cap;
    uint64_t        len; /* of all */
} ncz_hdf4_pieces;

/* The stored bytes of data that are plain, in blocks, or compressed as a whole. Clear it, also after a failure. */
int  ncz_hdf4_find_pieces(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_pieces *out);
void ncz_hdf4_pieces_clear(ncz_hdf4_pieces *p); /* may be called twice */

typedef struct ncz_hdf4_chunk {
    const uint64_t        *at; /* its place in the grid of chunks; NULL: the table names none that there is */
    const ncz_hdf4_pieces *pieces;
    const char            *lost; /* why it cannot be read, for the call only; NULL: it can */
} ncz_hdf4_chunk;

typedef int (*ncz_hdf4_chunk_fn)(void *arg, const ncz_hdf4_chunk *chunk);

/* Calls fn for each chunk that is stored, in the order of the table. Ends early with what fn returns, if that is an
 * error. */
int ncz_hdf4_chunks(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_chunk_fn fn, void *arg);

#endif /* NCZ_HDF4_H */
