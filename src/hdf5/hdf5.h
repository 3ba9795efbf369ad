/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hdf5: the structure of an HDF5 file, as it is read: groups and their links, datasets, attributes, types, and where
 * the chunks of a dataset lie. It hands out bytes as they are stored; values, filters and names of netCDF are not its
 * matter. How it is written: hdf5_write.h, hdf5_tree.h.
 *
 * Everything that a file says is checked: no memory is asked for by a number that the file's size does not bear out,
 * checksums are verified, and what one call may read is bounded, so that a file cannot keep it busy. Damage is
 * NC_EHDFERR, something of HDF5 that is not read here NC_ENOTBUILT, each with a text that names the structure and its
 * address. A file is used by one thread at a time; what it hands out belongs to the caller.
 *
 * Comments cite sections of the HDF5 File Format Specification, version 3.0: (III.G) is its section on fractal heaps.
 * In sizes, O stands for the bytes of an address and L for those of a length, which the superblock says (II.A).
 */
#ifndef NCZ_HDF5_H
#define NCZ_HDF5_H

#include "util/util.h"

#define NCZ_HDF5_NONE UINT64_MAX /* no address; as a length: unlimited */
enum { NCZ_HDF5_MAX_RANK = 32 };

/* ---- the file --------------------------------------------------------------------------------------------------- */

typedef struct ncz_hdf5 ncz_hdf5; /* an open file */

/* NC_ENOTNC: there is no HDF5 file at 0, 512, 1024, 2048 ... */
int  ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out);
void ncz_hdf5_close(ncz_hdf5 *f); /* NULL is fine */
/* The same file for another thread, while this one is open; to be closed, too. Its source must be near, so that several
 * threads may read it. */
int      ncz_hdf5_view(const ncz_hdf5 *f, ncz_hdf5 **out);
bool     ncz_hdf5_is_far(const ncz_hdf5 *f);
uint64_t ncz_hdf5_root(const ncz_hdf5 *f);
uint64_t ncz_hdf5_base(const ncz_hdf5 *f); /* where address 0 is in the source */
unsigned ncz_hdf5_superblock_version(const ncz_hdf5 *f);
unsigned ncz_hdf5_chunk_k(const ncz_hdf5 *f);   /* half the children of a node of its chunk trees (B-tree 1) */
uint64_t ncz_hdf5_extension(const ncz_hdf5 *f); /* of the superblock, or NCZ_HDF5_NONE */
bool     ncz_hdf5_is_open(const ncz_hdf5 *f);   /* the superblock says that a writer has it open; or it died */
bool     ncz_hdf5_is_wide(const ncz_hdf5 *f);   /* addresses and lengths have 8 bytes */
/* The size that the file had when it was closed, NCZ_HDF5_NONE if it does not say. It may have lost its end since. */
uint64_t ncz_hdf5_said_size(const ncz_hdf5 *f);
/* Raw data: the same ranges as of the source, but at addresses as the file gives them. `ranges` are changed. */
int ncz_hdf5_read_ranges(ncz_hdf5 *f, ncz_read_range *ranges, size_t n);

/*
 * What of a structure with many parts could not be read, so that the others can be: the first reason, in an arena;
 * NULL: nothing is missing.
 */
typedef struct ncz_hdf5_losses {
    ncz_arena                   *arena;
    int                          code; /* of the first failure, */
    const char                  *why;  /* and its text */
    size_t                       n;
    const struct ncz_hdf5_watch *watch; /* set by this module: each one is a fault of the file that is checked */
} ncz_hdf5_losses;

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* Of types, with the numbers of the datatype message (IV.A.2.d). */
typedef enum ncz_hdf5_class {
    NCZ_HDF5_INTEGER,
    NCZ_HDF5_FLOAT,
    NCZ_HDF5_TIME,
    NCZ_HDF5_STRING,
    NCZ_HDF5_BITFIELD,
    NCZ_HDF5_OPAQUE,
    NCZ_HDF5_COMPOUND,
    NCZ_HDF5_REFERENCE,
    NCZ_HDF5_ENUM,
    NCZ_HDF5_VLEN,
    NCZ_HDF5_ARRAY,
    NCZ_HDF5_COMPLEX,
    NCZ_HDF5_CLASSES,
} ncz_hdf5_class;

typedef enum ncz_hdf5_order { NCZ_HDF5_LITTLE, NCZ_HDF5_BIG, NCZ_HDF5_VAX } ncz_hdf5_order;
typedef enum ncz_hdf5_padding { NCZ_HDF5_NULTERM, NCZ_HDF5_NULPAD, NCZ_HDF5_SPACEPAD } ncz_hdf5_padding;

typedef struct ncz_hdf5_type ncz_hdf5_type;

typedef struct ncz_hdf5_member {
    const char          *name;
    size_t               offset; /* of a field */
    const ncz_hdf5_type *type;   /* of a field */
    const unsigned char *value;  /* of an enum's name: as the base type stores it */
} ncz_hdf5_member;

struct ncz_hdf5_type {
    /* clang-format off: it takes `class` for a keyword of C++ */
    ncz_hdf5_class class;
    /* clang-format on */
    size_t                 size;      /* bytes of an element; not 0 */
    uint64_t               committed; /* the address of its object, or NCZ_HDF5_NONE */
    ncz_hdf5_order         order;     /* numbers, bit fields */
    bool                   is_signed;
    unsigned               bit_offset, precision; /* numbers, bit fields: where the bits lie */
    unsigned               exponent_at, exponent_bits, mantissa_at, mantissa_bits, sign_at, implied_bit; /* floats */
    uint32_t               exponent_bias;
    ncz_hdf5_padding       padding;         /* strings */
    bool                   utf8, is_string; /* strings; vlens: of characters */
    unsigned               reference;       /* kind: 0 object, 1 region, 2 and more of HDF5 1.12 */
    const char            *tag;             /* opaque */
    const ncz_hdf5_type   *base;            /* enum, vlen, array, complex */
    const ncz_hdf5_member *members;         /* fields; names of an enum */
    size_t                 nmembers;
    unsigned               rank; /* array */
    const uint64_t        *shape;
};

/* ---- dataspaces, fill values, filters, layouts ------------------------------------------------------------------ */

typedef enum ncz_hdf5_space_kind { NCZ_HDF5_SCALAR, NCZ_HDF5_SIMPLE, NCZ_HDF5_NULL } ncz_hdf5_space_kind;

typedef struct ncz_hdf5_space {
    ncz_hdf5_space_kind kind;
    unsigned            rank;
    uint64_t            shape[NCZ_HDF5_MAX_RANK], most[NCZ_HDF5_MAX_RANK]; /* most: NCZ_HDF5_NONE is unlimited */
} ncz_hdf5_space;

/* That of an attribute. A file has many of these, so each has room for its own rank alone. */
typedef struct ncz_hdf5_shape {
    ncz_hdf5_space_kind kind;
    unsigned            rank;
    const uint64_t     *shape, *most; /* NULL where the rank is 0 */
} ncz_hdf5_shape;

static inline ncz_hdf5_shape
ncz_hdf5_shape_of(const ncz_hdf5_space *s)
{
    return (ncz_hdf5_shape){.kind = s->kind, .rank = s->rank, .shape = s->shape, .most = s->most};
}

bool ncz_hdf5_count_elements(const ncz_hdf5_shape *s, uint64_t *nelems); /* false: more than 64 bits hold */

typedef enum ncz_hdf5_fill_state {
    NCZ_HDF5_FILL_DEFAULT,
    NCZ_HDF5_FILL_USER,
    NCZ_HDF5_FILL_UNDEFINED
} ncz_hdf5_fill_state;

typedef struct ncz_hdf5_fill {
    ncz_hdf5_fill_state  state;
    const unsigned char *value; /* of the user: one element */
    size_t               len;
    bool                 never; /* it is not written where room for data is taken */
} ncz_hdf5_fill;

typedef struct ncz_hdf5_filter {
    unsigned        id;
    bool            optional; /* a chunk may be stored without it */
    const char     *name;     /* NULL: the file does not say */
    const uint32_t *values;
    size_t          nvalues;
} ncz_hdf5_filter;

typedef enum ncz_hdf5_layout_kind {
    NCZ_HDF5_COMPACT,
    NCZ_HDF5_CONTIGUOUS,
    NCZ_HDF5_CHUNKED,
    NCZ_HDF5_VIRTUAL, /* its data are in other datasets: not read here */
} ncz_hdf5_layout_kind;

typedef enum ncz_hdf5_index {
    NCZ_HDF5_INDEX_BTREE1,
    NCZ_HDF5_INDEX_SINGLE,
    NCZ_HDF5_INDEX_IMPLICIT,
    NCZ_HDF5_INDEX_FIXED,
    NCZ_HDF5_INDEX_EXTENSIBLE,
    NCZ_HDF5_INDEX_BTREE2,
} ncz_hdf5_index;

typedef struct ncz_hdf5_layout {
    ncz_hdf5_layout_kind kind;
    unsigned             version;
    uint64_t             addr;  /* of the data, or of the index of chunks; NCZ_HDF5_NONE: nothing was written */
    uint64_t             size;  /* compact and contiguous: stored bytes; virtual: with addr an id of the heap */
    const unsigned char *data;  /* compact */
    ncz_hdf5_index       index; /* chunked, as all that follows */
    unsigned             rank;
    uint64_t             chunk[NCZ_HDF5_MAX_RANK];
    size_t               element;     /* bytes */
    uint64_t             chunk_bytes; /* decoded */
    bool                 plain_edges; /* chunks that reach beyond the array are stored without filters */
    bool                 filtered;    /* a single chunk: its stored size and mask are */
    uint64_t             stored;
    uint32_t             mask;
} ncz_hdf5_layout;

/* ---- objects ---------------------------------------------------------------------------------------------------- */

typedef enum ncz_hdf5_kind { NCZ_HDF5_GROUP, NCZ_HDF5_DATASET, NCZ_HDF5_COMMITTED, NCZ_HDF5_OTHER } ncz_hdf5_kind;
typedef enum ncz_hdf5_link_kind {
    NCZ_HDF5_HARD,
    NCZ_HDF5_SOFT,
    NCZ_HDF5_EXTERNAL,
    NCZ_HDF5_USER_LINK, /* of an application */
    NCZ_HDF5_LOST_LINK, /* it cannot be read: `path` says why; a long name is cut */
} ncz_hdf5_link_kind;

typedef struct ncz_hdf5_link {
    const char        *name;
    ncz_hdf5_link_kind kind;
    int64_t            order; /* in which they were created; -1: not tracked */
    uint64_t           addr;  /* hard */
    const char        *path;  /* soft, external */
    const char        *file;  /* external */
} ncz_hdf5_link;

typedef struct ncz_hdf5_attribute {
    const char          *name;
    int64_t              order; /* in which they were created; -1: not tracked */
    const ncz_hdf5_type *type;
    ncz_hdf5_shape       space;
    const unsigned char *data; /* `len` bytes: all elements, as they are stored */
    size_t               len;
    const char          *lost; /* why it cannot be read: then it has only a name; NULL: it can */
} ncz_hdf5_attribute;

typedef struct ncz_hdf5_message ncz_hdf5_message;

/* All that it points to lies in its arenas. */
typedef struct ncz_hdf5_object {
    uint64_t             addr;
    ncz_hdf5_kind        kind;
    const ncz_hdf5_type *type; /* dataset, committed type; else NULL */
    ncz_hdf5_space       space;
    ncz_hdf5_layout      layout;
    ncz_hdf5_fill        fill;
    ncz_hdf5_filter     *filters;
    size_t               nfilters;
    bool                 external;   /* a dataset whose data are in other files: not read here */
    ncz_hdf5_link       *links;      /* after ncz_hdf5_links() */
    size_t               nlinks;     /* in the order of creation where that is tracked, else sorted by name */
    const char          *links_lost; /* why some of them could not be read; NULL: all could */
    ncz_hdf5_attribute  *attributes; /* after ncz_hdf5_attributes(): by creation where tracked, else as stored */
    size_t               nattributes;
    const char          *attributes_lost;
    ncz_hdf5_message    *messages; /* of its header, which links and attributes are read from */
    size_t               nmessages;
    ncz_arena            arena, header; /* `header`: of the messages; `arena`: of all else */
} ncz_hdf5_object;

int ncz_hdf5_object_read(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_object *out); /* clear it if this succeeds */
/* These pass over what is damaged, as long as they find something. */
int  ncz_hdf5_links(ncz_hdf5 *f, ncz_hdf5_object *group); /* none of another kind of object */
int  ncz_hdf5_attributes(ncz_hdf5 *f, ncz_hdf5_object *o);
void ncz_hdf5_object_clear(ncz_hdf5_object *o); /* may be called twice */
/* Frees the messages. What was read of them stays: the object takes less memory. */
void ncz_hdf5_object_drop_header(ncz_hdf5_object *o);

/*
 * The address of what a path names, from a group on, or from the root if it begins with a slash. Soft links are
 * followed. NC_ENOOBJECT if there is nothing, or it lies in another file.
 */
int ncz_hdf5_find(ncz_hdf5 *f, uint64_t group, const char *path, uint64_t *addr);
/* Frees what was kept for the next paths. */
void ncz_hdf5_forget_paths(ncz_hdf5 *f);

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

typedef struct ncz_hdf5_chunk {
    const uint64_t *at; /* its place in the grid of chunks; of the dataset's rank */
    uint64_t        addr;
    uint64_t        len;  /* stored bytes */
    uint32_t        mask; /* bit i: filter i was not applied */
} ncz_hdf5_chunk;

typedef int (*ncz_hdf5_chunk_fn)(void *arg, const ncz_hdf5_chunk *chunk);

/*
 * Calls fn for each chunk that is stored and whose place in the grid is within first..last, both included, in each
 * dimension; NULL: for all of the array. Only the parts of the index that can hold them are read. In the order of the
 * index. Ends early with what fn returns, if that is an error.
 *
 * With `losses` parts of the index that are damaged are passed over, and chunks are handed out that lie beyond the
 * file's end. NULL: these are errors.
 */
int ncz_hdf5_chunks(ncz_hdf5 *f, const ncz_hdf5_object *dataset, const uint64_t *first, const uint64_t *last,
                    ncz_hdf5_chunk_fn fn, void *arg, ncz_hdf5_losses *losses);

/* ---- elements of variable length -------------------------------------------------------------------------------- */

/* Where the bytes of such an element lie; NCZ_HDF5_NONE: it is empty. `element` has 8 bytes and an address. */
typedef struct ncz_hdf5_heap_id {
    uint32_t nelems;
    uint64_t addr;
    uint32_t index;
} ncz_hdf5_heap_id;

/* A call begins that reads elements: all of them together may read a bounded amount of the heap. */
void   ncz_hdf5_heap_begin(ncz_hdf5 *f);
size_t ncz_hdf5_heap_id_size(const ncz_hdf5 *f); /* bytes of an element */
void   ncz_hdf5_heap_id_get(const ncz_hdf5 *f, const unsigned char *element, ncz_hdf5_heap_id *id);
/*
 * Says that of these elements, `pitch` bytes apart, the bytes are asked for next, so that they are read in one go, as
 * far as that goes: *taken elements, at least one.
 */
int ncz_hdf5_heap_expect(ncz_hdf5 *f, const unsigned char *elements, size_t pitch, size_t n, size_t *taken);
/* As ncz_hdf5_heap_expect(), for elements that are then read in their order, without reading others of the heap. */
int ncz_hdf5_heap_read_ahead(ncz_hdf5 *f, const unsigned char *elements, size_t pitch, size_t n, size_t *taken);
/* Its bytes, valid until the next call. */
int ncz_hdf5_heap_get(ncz_hdf5 *f, const ncz_hdf5_heap_id *id, const unsigned char **data, size_t *len);

/* References of `size` bytes: the address of the object, or of the dataset of a region. NCZ_HDF5_NONE: to nothing. */
int ncz_hdf5_reference(const ncz_hdf5 *f, const unsigned char *element, size_t size, uint64_t *addr);
int ncz_hdf5_region(ncz_hdf5 *f, const unsigned char *element, size_t size, uint64_t *addr);

#endif /* NCZ_HDF5_H */
