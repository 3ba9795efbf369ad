/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunks of a dataset while it is written, as a B-tree of version 1 (III.A.1) in memory, and the free room of a
 * file.
 *
 * Both serve copy on write. What the last commit names is never overwritten: changed nodes get new room, and room
 * that is given up is used again from the second commit after on, since until then the file may be opened as it was.
 * What no commit has named is free at once. A *stamp* tells the two apart: the number of commits that were tried
 * before something was written (ncz_hdf5_room_stamp()). What has the present stamp is in no commit.
 *
 * Neither has a lock of its own.
 */
#ifndef NCZ_HDF5_TREE_H
#define NCZ_HDF5_TREE_H

#include "hdf5/hdf5.h"

/* ---- free room of a file (hdf5_room.c) -------------------------------------------------------------------------- */

typedef struct ncz_hdf5_room ncz_hdf5_room;

enum {
    NCZ_HDF5_ROOM_READY = 64, /* calls of give() after a take() that need no memory */
};

/* Free is all from `end` on. */
int  ncz_hdf5_room_new(uint64_t end, ncz_hdf5_room **out);
void ncz_hdf5_room_free(ncz_hdf5_room *r); /* NULL is fine */

/* The first free range of n bytes at a multiple of `align`, a power of two; else at the end. NC_ENOMEM: no file is that
 * long. */
int ncz_hdf5_room_take(ncz_hdf5_room *r, uint64_t n, uint64_t align, uint64_t *addr);
/* The same, at an address that leaves the remainder of `phase`. */
int ncz_hdf5_room_take_phase(ncz_hdf5_room *r, uint64_t n, uint64_t align, uint64_t phase, uint64_t *addr);
/*
 * Gives room up. `stamp`: of what was written there. It is free at once if no commit names it, else from the second
 * commit on. Never fails: without memory for its note the room is lost until the file is opened again. The first
 * NCZ_HDF5_ROOM_READY calls after a take() or a ready() need none.
 */
void ncz_hdf5_room_give(ncz_hdf5_room *r, uint64_t addr, uint64_t n, uint32_t stamp);
int  ncz_hdf5_room_ready(ncz_hdf5_room *r, size_t n); /* the next n calls of give() will need no memory */

uint32_t ncz_hdf5_room_stamp(const ncz_hdf5_room *r);
/* A commit is about to be made known: from now on what was written before may be in the file. Done or not. */
void ncz_hdf5_room_publish(ncz_hdf5_room *r);
/*
 * It is known. What the one before gave up becomes free if `now` is at least `wait` after it was, both in
 * milliseconds; else it stays, and is asked for again at the next one. A negative `wait`: it never becomes free.
 */
void ncz_hdf5_room_committed(ncz_hdf5_room *r, int64_t now, int64_t wait);

/* Notes room that an earlier commit gave up, at `now` or before. As ncz_hdf5_room_give() it does not fail. */
void ncz_hdf5_room_hold(ncz_hdf5_room *r, uint64_t addr, uint64_t n, int64_t now);

uint64_t ncz_hdf5_room_end(const ncz_hdf5_room *r); /* all from there on is free */
/* The same, if all that was given up is taken for free. */
int ncz_hdf5_room_live_end(const ncz_hdf5_room *r, uint64_t *end);
/* The file ends there now: what was given up behind it exists no more. */
void ncz_hdf5_room_cut(ncz_hdf5_room *r, uint64_t end);

/* Bytes below the end that are free now, that were given up and become free, and that were lost for want of memory. */
typedef struct ncz_hdf5_room_sums {
    uint64_t free, given_up, lost;
} ncz_hdf5_room_sums;

void ncz_hdf5_room_count(const ncz_hdf5_room *r, ncz_hdf5_room_sums *out);

/* ---- the chunks of a dataset (hdf5_tree.c, hdf5_tree_load.c, hdf5_tree_write.c)
 * --------------------------------------------------- */

typedef struct ncz_hdf5_tree ncz_hdf5_tree;

/* A chunk in the file. */
typedef struct ncz_hdf5_place {
    uint64_t addr;  /* NCZ_HDF5_NONE: there is none */
    uint32_t len;   /* stored bytes */
    uint32_t mask;  /* bit i: filter i was not applied */
    uint32_t stamp; /* when it was written; 0: in an earlier session */
    uint32_t tag;   /* the caller's */
} ncz_hdf5_place;

/* `chunk`: the shape of a chunk; `element`: bytes of an element; `k`: half the children of a node (II.A, IV.A.2.t). */
int  ncz_hdf5_tree_new(unsigned rank, const uint64_t *chunk, uint32_t element, unsigned k, ncz_hdf5_tree **out);
void ncz_hdf5_tree_free(ncz_hdf5_tree *t); /* NULL is fine */

uint64_t ncz_hdf5_tree_count(const ncz_hdf5_tree *t); /* chunks */
/* `at`: a place in the grid of chunks. False: there is no chunk. */
bool ncz_hdf5_tree_get(const ncz_hdf5_tree *t, const uint64_t *at, ncz_hdf5_place *out);
/* Enters a chunk. *old: the one that it replaces. After a failure the tree is as it was. NC_EINVAL: the chunk begins
 * where no element can be. */
int ncz_hdf5_tree_set(ncz_hdf5_tree *t, const uint64_t *at, const ncz_hdf5_place *place, ncz_hdf5_place *old);
/* False: there was none. */
bool ncz_hdf5_tree_del(ncz_hdf5_tree *t, const uint64_t *at, ncz_hdf5_place *old);

/* Of each chunk, in the order of rows. It ends early with what is returned, if that is an error. */
typedef int (*ncz_hdf5_tree_fn)(void *arg, const uint64_t *at, const ncz_hdf5_place *place);
int ncz_hdf5_tree_each(const ncz_hdf5_tree *t, ncz_hdf5_tree_fn fn, void *arg);

/*
 * Enters the chunks of a dataset of a file into a tree that has none, with stamp 0. Nodes of its index that are as
 * they would be written here stay where they are until something in them changes. The room of all others is given up
 * with the next write, if the index is a tree of this kind; the address of its root is not to be used from then on.
 */
int ncz_hdf5_tree_load(ncz_hdf5_tree *t, ncz_hdf5 *f, const ncz_hdf5_object *dataset);

/* ---- writing it ---- */

typedef int (*ncz_hdf5_write_fn)(void *arg, uint64_t addr, const void *bytes, size_t len);

bool ncz_hdf5_tree_changed(const ncz_hdf5_tree *t); /* since it was written */
/* Replaces all nodes by full ones, whatever the order was in which chunks were entered. They will be written to new
 * room.
 * After a failure the tree is as it was. */
int      ncz_hdf5_tree_pack(ncz_hdf5_tree *t);
uint64_t ncz_hdf5_tree_bytes(const ncz_hdf5_tree *t); /* of all its nodes */
/* The same at most, of n chunks that are entered in the order of rows. */
bool ncz_hdf5_tree_bound(unsigned rank, unsigned k, uint64_t n, uint64_t *nbytes);
/*
 * Writes the nodes that changed to new room, at multiples of 8, and gives the old room up. *root: the address of the
 * tree's root; NCZ_HDF5_NONE without chunks. After a failure tree and room are as they were.
 */
int ncz_hdf5_tree_write(ncz_hdf5_tree *t, ncz_hdf5_room *room, ncz_hdf5_write_fn write, void *arg, uint64_t *root);
/* Gives the room of all nodes up, but not that of the chunks. They must be written again then. */
void ncz_hdf5_tree_give(ncz_hdf5_tree *t, ncz_hdf5_room *room);

#endif /* NCZ_HDF5_TREE_H */
