/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks an HDF5 file as a whole: everything that the superblock leads to is read, and noted with the bytes that it
 * takes, also where they are allocated and not used (a node of a B-tree). Reading needs much less: readers look at no
 * free bytes, siblings, counts or orders, but a writer trusts them.
 *
 * A file's data are followed where elements have their bytes in the global heap, since only they name its collections.
 */
#ifndef NCZ_HDF5_CHECK_H
#define NCZ_HDF5_CHECK_H

#include "hdf5/hdf5.h"

/* What bytes of a file are for. */
typedef enum ncz_hdf5_part {
    NCZ_HDF5_PART_SUPERBLOCK,
    NCZ_HDF5_PART_HEADER,     /* of an object, and the blocks in which it goes on */
    NCZ_HDF5_PART_GROUP,      /* B-tree, tables and local heap of an old group */
    NCZ_HDF5_PART_HEAP,       /* a fractal heap: many links or attributes */
    NCZ_HDF5_PART_TREE,       /* a B-tree of their names, orders, or huge objects */
    NCZ_HDF5_PART_FREE_SPACE, /* what libhdf5 keeps of free room */
    NCZ_HDF5_PART_COLLECTION, /* of the global heap */
    NCZ_HDF5_PART_INDEX,      /* of chunks */
    NCZ_HDF5_PART_CHUNK,
    NCZ_HDF5_PART_DATA, /* of an array that is contiguous */
    NCZ_HDF5_PARTS
} ncz_hdf5_part;

const char *ncz_hdf5_part_name(ncz_hdf5_part part); /* in the plural */

typedef struct ncz_hdf5_extent {
    ncz_hdf5_part part;
    const char   *name; /* ncz_hdf5_part_name() */
    uint64_t      addr, len;
    const char   *path; /* of the object that it belongs to, or of the first one; valid during the call */
    bool metadata;      /* rewritten with all metadata: no data, index or chunk, nor a collection that they name */
} ncz_hdf5_extent;

typedef enum ncz_hdf5_fault_kind {
    NCZ_HDF5_DAMAGE,
    NCZ_HDF5_UNKNOWN,  /* no damage, but something of HDF5 that is not read here: what it leads to was not seen */
    NCZ_HDF5_COUNT,    /* a number that only libhdf5's writer needs, and some of its versions write wrong */
    NCZ_HDF5_DANGLING, /* a reference in an attribute to an object that is not there: deleting one leaves such */
} ncz_hdf5_fault_kind;

typedef struct ncz_hdf5_fault {
    uint64_t            addr; /* of the structure */
    const char         *path; /* of the object; valid during the call, as is the text */
    const char         *text;
    ncz_hdf5_fault_kind kind;
} ncz_hdf5_fault;

typedef struct ncz_hdf5_checker {
    /* Each may be NULL. What is not 0 ends the check, which returns it. */
    int (*fault)(void *arg, const ncz_hdf5_fault *fault);
    int (*extent)(void *arg, const ncz_hdf5_extent *extent); /* by address, after all faults */
    /* The elements of a chunk that was stored through filters, in place of what `out` holds: NC_ENOTBUILT if that is
     * not possible. NULL: it is for none. */
    int (*decode)(void *arg, const ncz_hdf5_object *dataset, const ncz_hdf5_chunk *chunk, const void *stored,
                  size_t n, ncz_buf *out);
    void *arg;
} ncz_hdf5_checker;

/* Fails only where the check itself does: memory, reading, or what a callback returns. */
int ncz_hdf5_check(ncz_hdf5 *f, const ncz_hdf5_checker *checker);

/* Every range of bytes in use. A fault, but one of a count or a reference, is an error (NC_EHDFERR, NC_ENOTBUILT:
 * then nobody can say what is free), before the first call. `checker`: its `fault` is not called. */
int ncz_hdf5_extents(ncz_hdf5 *f, const ncz_hdf5_checker *checker);

#endif /* NCZ_HDF5_CHECK_H */
