/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the check of a whole file share. */
#ifndef NCZ_HDF5_CHECK_INT_H
#define NCZ_HDF5_CHECK_INT_H

#include "hdf5/hdf5_int.h"

/* ---- a set of addresses, each with a number (hdf5_check_addresses.c) ---- */

typedef struct ncz_hdf5_addresses {
    struct ncz_hdf5_address *slots;
    size_t                   nslots, n;
} ncz_hdf5_addresses;

bool ncz_hdf5_addresses_get(const ncz_hdf5_addresses *a, uint64_t addr, size_t *number);
int  ncz_hdf5_addresses_put(ncz_hdf5_addresses *a, uint64_t addr, size_t number); /* one that it does not have */
void ncz_hdf5_addresses_clear(ncz_hdf5_addresses *a);

/* ---- what was found so far (hdf5_check_state.c) ---- */

typedef struct ncz_hdf5_used {
    uint64_t addr, len;
    uint32_t object;
    uint8_t  part;
    bool     data; /* a collection that data name */
} ncz_hdf5_used;

typedef struct ncz_hdf5_checked {
    uint64_t    addr;
    size_t      parent;
    const char *name;        /* of the first link */
    uint64_t    named, said; /* links and types that lead to it: as found, and as it says */
    bool        read;
} ncz_hdf5_checked;

typedef struct ncz_hdf5_check_state {
    ncz_hdf5               *f;
    const ncz_hdf5_checker *checker;
    ncz_hdf5_watch          watch;
    ncz_arena               arena;   /* of names */
    ncz_hdf5_checked       *objects; /* in the order in which they were found */
    size_t                  nobjects, objects_cap;
    size_t                  now;     /* the object under way; nobjects: none */
    bool                    in_data; /* elements are those of data */
    ncz_hdf5_used          *used;
    size_t                  nused, used_cap;
    uint64_t (*targets)[2]; /* of references in attributes: an address, and the object that has it */
    size_t             ntargets, targets_cap;
    ncz_hdf5_addresses known;   /* objects */
    ncz_hdf5_addresses places;  /* what is used, but chunks */
    ncz_hdf5_addresses told;    /* faults, by a hash of them */
    bool               stopped; /* by a callback */
} ncz_hdf5_check_state;

void ncz_hdf5_check_begin(ncz_hdf5_check_state *s, ncz_hdf5 *f, const ncz_hdf5_checker *checker);
void ncz_hdf5_check_end(ncz_hdf5_check_state *s);
/* One more thing leads to this object. */
int ncz_hdf5_check_name(ncz_hdf5_check_state *s, uint64_t addr, size_t parent, const char *name);
/* A failure that is a fault and ends only what it is about. */
int ncz_hdf5_check_pass(ncz_hdf5_check_state *s, int rc);
/* All ranges: faults where they overlap or lie beyond the end; then they are handed out. */
int ncz_hdf5_check_ranges(ncz_hdf5_check_state *s);

/* ---- parts of objects ---- */

/* Many links or attributes, in a heap with two indexes (hdf5_check_dense.c). */
int ncz_hdf5_check_dense(ncz_hdf5_check_state *s, const ncz_hdf5_info *d, bool links, uint64_t addr);
/* A manager of free space (hdf5_check_space.c). */
int ncz_hdf5_check_free_space(ncz_hdf5 *f, uint64_t addr);
/* The elements of attributes and data that have bytes in the global heap, or refer to objects
 * (hdf5_check_elements.c). */
int ncz_hdf5_check_attributes(ncz_hdf5_check_state *s, const ncz_hdf5_object *o);
int ncz_hdf5_check_data(ncz_hdf5_check_state *s, const ncz_hdf5_object *o);

#endif /* NCZ_HDF5_CHECK_INT_H */
