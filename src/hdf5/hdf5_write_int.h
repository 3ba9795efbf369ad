/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files that write share. All that is written goes through an ncz_hdf5_out, which counts, and writes where it
 * has memory: so sizes come from the same functions as bytes, and these cannot fail. What can be wrong in a description
 * is checked before.
 */
#ifndef NCZ_HDF5_WRITE_INT_H
#define NCZ_HDF5_WRITE_INT_H

#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_write.h"

enum {
    NCZ_HDF5_MESSAGE_MOST = 65535,   /* bytes of a message: its length has 16 bits (IV.A.1.b) */
    NCZ_HDF5_ATTRIBUTE_MOST = 65000, /* of an attribute in a header; a longer one lies in a heap */
    NCZ_HDF5_COMPACT_MOST = 8,       /* links, or attributes, in a header (IV.A.2.c, IV.A.2.v) */
};

/* ---- bytes (hdf5_write_out.c) ---- */

typedef struct ncz_hdf5_out {
    unsigned char *bytes; /* NULL: they are only counted */
    uint64_t       addr;  /* in the file, of the first of them */
    uint64_t       n;
} ncz_hdf5_out;

static inline uint64_t
ncz_hdf5_out_here(const ncz_hdf5_out *o)
{
    return o->addr + o->n;
}

void ncz_hdf5_set_uint(unsigned char *at, uint64_t v, unsigned nbytes); /* little-endian */
/* The same in what has been written, `at` bytes from its start. */
void ncz_hdf5_out_set(ncz_hdf5_out *o, uint64_t at, uint64_t v, unsigned nbytes);
void ncz_hdf5_out_uint(ncz_hdf5_out *o, uint64_t v, unsigned nbytes);
void ncz_hdf5_out_bytes(ncz_hdf5_out *o, const void *bytes, size_t n);
void ncz_hdf5_out_zeros(ncz_hdf5_out *o, uint64_t n);
void ncz_hdf5_out_align(ncz_hdf5_out *o); /* zeros up to a multiple of 8 */
/* Signature and version. */
void ncz_hdf5_out_start(ncz_hdf5_out *o, const char *signature, unsigned version);
/* The checksum of what was written from there on. */
void ncz_hdf5_out_sum(ncz_hdf5_out *o, uint64_t from);

/* ---- types (hdf5_write_type.c) ---- */

int  ncz_hdf5_type_check(const ncz_hdf5_type *t, const char *what); /* `what` has it, for the error's text */
void ncz_hdf5_type_put(const ncz_hdf5_type *t, ncz_hdf5_out *o);

/* ---- messages (hdf5_write_message.c) ---- */

/* The head of a message of this header: `tracked`: it has an order, which only that of attributes is not 0. */
void ncz_hdf5_message_head(unsigned type, size_t len, unsigned flags, bool tracked, unsigned order, ncz_hdf5_out *o);

void ncz_hdf5_space_put(const ncz_hdf5_shape *s, ncz_hdf5_out *o);
/* Without its value, which follows. */
void ncz_hdf5_fill_put(const ncz_hdf5_fill *f, ncz_hdf5_layout_kind kind, ncz_hdf5_out *o);
int  ncz_hdf5_filters_check(const ncz_hdf5_filter *v, size_t n);
void ncz_hdf5_filters_put(const ncz_hdf5_filter *v, size_t n, ncz_hdf5_out *o);
int  ncz_hdf5_layout_check(const ncz_hdf5_object *o);
void ncz_hdf5_layout_put(const ncz_hdf5_object *dataset, ncz_hdf5_out *o);
int  ncz_hdf5_link_check(const ncz_hdf5_link *l);
/* `addr`: of a hard link. */
void ncz_hdf5_link_put(const ncz_hdf5_link *l, uint64_t addr, ncz_hdf5_out *o);
int  ncz_hdf5_attribute_check(const ncz_hdf5_attribute *a);
void ncz_hdf5_attribute_put(const ncz_hdf5_attribute *a, ncz_hdf5_out *o);

/* ---- version 2 B-trees (hdf5_write_btree2.c) ---- */

typedef struct ncz_hdf5_records {
    unsigned type; /* (III.A.2) */
    size_t   size; /* of a record */
    size_t   n;
    void (*put)(const void *arg, size_t i, ncz_hdf5_out *o); /* record i, in the order of the tree */
    const void *arg;
} ncz_hdf5_records;

void ncz_hdf5_btree2_put(const ncz_hdf5_records *r, ncz_hdf5_out *o, uint64_t *addr);

/* ---- fractal heaps (hdf5_write_heap.c) ---- */

enum { NCZ_HDF5_ID_MOST = 8 };

/* The objects of a heap, in the order in which they are put there. */
typedef struct ncz_hdf5_heap_objects {
    size_t n;
    void (*put)(const void *arg, size_t i, ncz_hdf5_out *o);
    const void *arg;
    unsigned    id_size;                    /* links 7, attributes 8 */
    unsigned char (*ids)[NCZ_HDF5_ID_MOST]; /* out: the id of each; NULL where bytes are only counted */
} ncz_hdf5_heap_objects;

int ncz_hdf5_heap_put(const ncz_hdf5_heap_objects *objects, ncz_hdf5_out *o, uint64_t *addr);

/* ---- links and attributes that are many (hdf5_write_dense.c) ---- */

/* What lies in a heap, with an index by name and, if it is tracked, one by order. */
typedef struct ncz_hdf5_dense {
    bool   attributes; /* else links */
    bool   tracked;
    size_t n;
    void (*put)(const void *arg, size_t i, ncz_hdf5_out *o);
    const char *(*name)(const void *arg, size_t i);
    uint64_t (*order)(const void *arg, size_t i);
    const void *arg;
    uint64_t    heap, names, orders; /* out: addresses; NCZ_HDF5_NONE: there is none */
} ncz_hdf5_dense;

int ncz_hdf5_dense_put(ncz_hdf5_dense *d, ncz_hdf5_out *o);

/* ---- objects (hdf5_write_object.c) ---- */

/* An object as an image keeps it. */
typedef struct ncz_hdf5_drawn {
    bool                      described;
    ncz_hdf5_kind             kind;
    bool                      tracked_links, tracked_attributes, dense_links, dense_attributes;
    const unsigned char      *fixed;           /* the messages of a dataset or type, with their heads */
    size_t                    nfixed, fill_at; /* in it: where the value of the fill message is */
    const unsigned char      *fill;            /* that value, as it is in the end */
    size_t                    nfill;
    const ncz_hdf5_link      *links;
    const ncz_hdf5_attribute *attributes;
    size_t                    nlinks, nattributes;
    uint64_t                  next_link, next_attribute; /* in the order of creation */
    uint64_t                  at;                        /* of the header in the image */
    uint32_t                  nrefs;                     /* hard links to it */
} ncz_hdf5_drawn;

int ncz_hdf5_object_draw(const ncz_hdf5_object *o, ncz_arena *arena, ncz_hdf5_drawn *out);
/* `all` objects of the image, for the addresses of hard links, which count only where bytes are written. */
int ncz_hdf5_object_put(const ncz_hdf5_drawn *all, size_t i, ncz_hdf5_out *o, uint64_t *header);

#endif /* NCZ_HDF5_WRITE_INT_H */
