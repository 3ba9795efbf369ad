/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layout: where the chunks of one array lie, whatever holds them: an object each, slots of shared objects, ranges of a
 * file, bytes that are at hand. A dialect makes the layout of an array, with operations and state of its own. The
 * engine asks it, and knows nothing else of where chunks lie. A layout does not change, once its chunks are found, and
 * is shared by reference, so any thread may call its operations. They do no I/O of their own: the engine reads what a
 * layout needs and hands it the bytes.
 */
#ifndef NCZ_MODEL_LAYOUT_H
#define NCZ_MODEL_LAYOUT_H

#include "filter/filter.h"
#include "grid/grid.h"
#include "util/util.h"

#include <stdatomic.h>

typedef struct ncz_layout ncz_layout;

/* Whether a chunk may end before its shape does, and what elements that are missing read as. */
typedef enum ncz_chunk_tail {
    NCZ_TAIL_NONE, /* it may not */
    NCZ_TAIL_FILL, /* the fill value */
    NCZ_TAIL_ZEROS,
} ncz_chunk_tail;

/*
 * The place of a chunk: a range of bytes of an object, or the slot of the object's index that has the range.
 * `slot` is NCZ_NO_SLOT where the range is known.
 */
typedef struct ncz_chunk_addr {
    const char      *key;            /* of the object; in the buffer that locate received */
    uint64_t         offset, length; /* 0, UINT64_MAX: the whole object */
    uint64_t         slot;
    const void      *bytes; /* the chunk's bytes, `length` of them: no store is asked; or NULL. The layout's */
    const ncz_chain *chain; /* its codecs. locate finds those of the array here and may set others, the layout's */
    ncz_chunk_tail   tail;
    uint64_t         from, nfrom; /* those bytes were made of this range of the object; 0: of none */
    bool             absent;      /* nothing is stored there: `bytes` has what such a chunk reads as */
    uint32_t         mask;        /* of HDF5's filters: bit i is set where the chunk skips filter i */
    size_t row, pitch; /* its bytes are in rows of that many, so far apart, as many as it has; 0: together */
    /* The chunk cannot be read, for this reason, in the buffer that locate received; NULL: it can. It is stored at
     * offset, if that is known; else it may be. */
    const char *lost;
    int         code; /* of that failure */
    /* Whatever the chunk has from these elements of the array on, in any dimension, is not the array's: it reads as the
     * element `beyond`, of the array's stored type (NULL: zeros). The layout's; NULL: all of it is. */
    const uint64_t *extent;
    const void     *beyond;
} ncz_chunk_addr;

#define NCZ_NO_SLOT UINT64_MAX

/* How a layout reads the object that holds its array, to find where the chunks lie: any ranges, side by side. */
typedef struct ncz_layout_source {
    int (*read)(void *arg, const ncz_read_range *ranges, size_t n);
    void *arg;
} ncz_layout_source;

typedef struct ncz_linear {
    uint64_t begin, pitch; /* bytes; two elements that follow each other in the first dimension are `pitch` apart */
    bool     cut;          /* the object may end before the array does */
} ncz_linear;

typedef struct ncz_layout_ops {
    const char *name; /* for texts */
    /*
     * Finds where the chunks lie, through the source. The engine calls it before it first asks for a place, and each
     * time again: from the second on it does nothing. Any thread. NULL: there is nothing to be read for that.
     */
    int (*find)(ncz_layout *l, const ncz_layout_source *source);
    /*
     * Gives the place of a chunk. `index` has `rank` entries. `key` is empty and owns where->key; `where` says that the
     * chunk is all of an object and has the array's codecs.
     */
    int (*locate)(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where);
    /*
     * What must be read first of an object to know where its chunks lie: so many bytes at its end, or at its start.
     * False: overflow. NULL: nothing, and locate gives no slots.
     */
    bool (*needs)(const ncz_layout *l, size_t *nbytes, bool *at_end);
    /*
     * Learns the slots of an object, l->nslots of them, from those bytes. NC_EFILTER, with a text without the key: they
     * are damaged as a whole. An entry that is damaged alone makes a bad slot. The caller checks that the others lie in
     * the object (ncz_slot_check()).
     */
    int (*learn)(const ncz_layout *l, const void *bytes, size_t nbytes, ncz_slot *slots);
    /* Assembles an object from its chunks' bytes, l->nslots of them, and overwrites `out` with it. */
    int (*assemble)(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out);
    /*
     * Makes only the index of that object, in which the chunks' bytes follow each other in the order of slots. NULL:
     * that is not the object's form.
     */
    int (*make_index)(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out);
    /* Makes the index of an object whose chunks lie there; length 0: it does not have the chunk. NULL: they cannot lie
     * anywhere. */
    int (*place_index)(const ncz_layout *l, const ncz_slot *slots, ncz_buf *out);
    /*
     * Every chunk of the grid is stored, at the place that locate gives: a missing object is an error, and no list is
     * made to find chunks. Chunks may end early or have codecs of their own, so that none is copied as it is stored.
     */
    bool complete;
    bool (*as_stored)(const ncz_layout *l); /* with `complete`: whether chunks whose mask is 0 are whole, and have the
                                             * array's codecs. NULL: they are not */
    /* With `complete`: where the array lies in the only object of its store, if it lies there as in memory, but for the
     * order of bytes. NULL: it does not. */
    ncz_linear (*linear)(const ncz_layout *l);
    bool own_chunks;              /* with `complete`: the chunks are the file's, and programs are told of them */
    void (*clear)(ncz_layout *l); /* frees what its own state owns; NULL: nothing */
} ncz_layout_ops;

/* The first member of every layout; what follows is private to its operations. */
struct ncz_layout {
    _Alignas(uint64_t) atomic_uint refs; /* so that what follows can begin with any number */
    bool                  in_arena;      /* its block is in an arena */
    bool                  lasting;       /* a constant of its format, shared by all that have no other yet */
    bool                  zeros;         /* a chunk that is not stored reads as zeros, not as the fill value */
    bool                  puts_fill;     /* chunks of fill are stored: readers cannot make them */
    const ncz_layout_ops *ops;
    size_t                nbytes; /* of the whole structure */
    size_t                rank;
    const char           *path; /* the array's key, "g1/v" */
    const uint64_t  *object;    /* chunks of one object in each dimension, rank entries; 1: each chunk is an object */
    size_t           nslots;    /* their product */
    const uint64_t  *extent;    /* chunks in each dimension; UINT64_MAX: unlimited. NULL: not known */
    ncz_rectilinear *grid;      /* lengths of chunks (or, with an index, of objects) that differ; NULL: they do not */
};

/* What a layout is made for. Everything is copied; `grid` gets a reference. */
typedef struct ncz_layout_shape {
    size_t           rank;
    const char      *path;
    const uint64_t  *object; /* NULL: each chunk is an object */
    size_t           nslots;
    const uint64_t  *extent; /* or NULL */
    ncz_rectilinear *grid;   /* or NULL */
    ncz_arena       *arena;  /* where its block is; NULL: it is one of its own */
} ncz_layout_shape;

/* Makes a layout of `nbytes` bytes. Those behind the common members are 0. */
int         ncz_layout_new(const ncz_layout_ops *ops, size_t nbytes, const ncz_layout_shape *shape, ncz_layout **out);
ncz_layout *ncz_layout_ref(ncz_layout *l);
void        ncz_layout_unref(ncz_layout *l); /* NULL is fine */
/* The chunk is damaged: readers get an error text with the variable's name, the place in the grid, `at` (the place in
 * the file, as text; or "") and why. `text` keeps it. */
int ncz_layout_lose_chunk(const ncz_layout *l, const char *name, const uint64_t *index, const char *at,
                          const char *why, ncz_buf *text, ncz_chunk_addr *where);
/* Makes a layout like `l`, whose own state must own nothing, for objects of one shape. */
int ncz_layout_reshape(const ncz_layout *l, const uint64_t *object, size_t nslots, ncz_layout **out);

/* Whether an index says where the chunks of an object lie. */
static inline bool
ncz_layout_has_index(const ncz_layout *l)
{
    return l->ops->needs != NULL;
}

/* The slot of a chunk in its object, in C order. */
uint64_t ncz_layout_slot(const ncz_layout *l, const uint64_t *index);
/* The reverse: the chunk in a slot of the object at that place in the grid of objects. `index` may be `object`. False:
 * its number does not fit. */
bool ncz_layout_slot_chunk(const ncz_layout *l, const uint64_t *object, uint64_t slot, uint64_t *index);

#endif /* NCZ_MODEL_LAYOUT_H */
