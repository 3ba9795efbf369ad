/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * container: a map that is an HDF5 file being written. Its objects are the chunks of arrays: the object "UID/i.j.k"
 * is the chunk at (i, j, k) of the array with that number, a scalar's is "UID/0". A put takes free room in the file,
 * writes the bytes there, and enters the place in the array's chunk tree. A commit writes the metadata as one block,
 * and then the superblock, which makes all of it known. Nothing that a commit has named is overwritten before the
 * second commit after, so whatever dies leaves the last commit.
 *
 * Exceptions: pieces of a contiguous array of more than 64 KiB are changed in place once it was committed, unless its
 * elements live in heaps. And pieces of any contiguous array are written where they belong: a put of one that was put
 * since the last commit may leave a part of its bytes when it fails.
 *
 * A close keeps the last commit. A new file without a commit is removed.
 *
 * Threads: get, put, del, list and walk may be called from several threads at once. The functions of this header wait
 * for them; call each from one thread at a time. What they change is known to a get or put that begins afterwards.
 */
#ifndef NCZ_CONTAINER_H
#define NCZ_CONTAINER_H

#include "hdf5/hdf5_tree.h"
#include "hdf5/hdf5_write.h"
#include "zmap/zmap.h"

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/*
 * A new file, over the map of that file (zmap_single.h), whose reference it takes on success. `k`: half the children of
 * a node of the chunk trees: 32, or another one, of which the superblock's extension tells. `front`: bytes behind the
 * superblock that are left to the metadata of the last commit.
 */
int ncz_container_create(zmap *file, unsigned k, uint64_t front, zmap **out);
/*
 * A file that is there, of `end` bytes. Nothing below `end` is free until ncz_container_use(). Its superblock is
 * replaced by one of version 2. `extension`: where the superblock's is, or NCZ_HDF5_NONE. It stays there, if it says
 * what it is to say.
 */
int ncz_container_open(zmap *file, uint64_t end, unsigned k, uint64_t extension, zmap **out);
/* Of a new file in which nothing was put yet: another number of bytes for the last commit's metadata. */
int   ncz_container_set_front(zmap *m, uint64_t front);
bool  ncz_container_is(const zmap *m);
zmap *ncz_container_file(zmap *m); /* the map of the file; it keeps its reference */

typedef struct ncz_container_range {
    uint64_t addr, len;
} ncz_container_range;

/* Of a file that is there: all that its last commit uses, in any order. What else lies below the end was given up,
 * and is used again: at once if nobody reads the file, else as what a commit gives up now. */
int ncz_container_use(zmap *m, const ncz_container_range *used, size_t n, bool nobody_reads);
/* The next commit gives these ranges up: metadata that it replaces. The superblock's extension is not given up where it
 * stays. */
int ncz_container_give_up(zmap *m, const ncz_container_range *ranges, size_t n);

/* ---- elements that live in heaps -------------------------------------------------------------------------------- */

enum { NCZ_CONTAINER_ELEMENT = 16 }; /* bytes of such an element: number of items 4, address 8, index 4 */

typedef struct ncz_container_heap ncz_container_heap; /* of one put */
typedef struct ncz_container_read ncz_container_read; /* of one get */

/* Puts bytes into the global heap (III.E). `element` names them from then on; also those that are none. With NULL it
 * is all zeros. */
int ncz_container_heap_add(ncz_container_heap *h, const void *bytes, size_t len, uint32_t nelems,
                           unsigned char element[NCZ_CONTAINER_ELEMENT]);
/* The bytes of an element, until the next call; *data NULL: there are none. */
int ncz_container_heap_get(ncz_container_read *r, const unsigned char element[NCZ_CONTAINER_ELEMENT],
                           const unsigned char **data, size_t *len, uint32_t *nelems);

/* Converts between a chunk as the map's user has it, with its codecs applied, and as the file has it, with its filters
 * applied but for those in `mask`. Both append to `out`. Called from any thread, without a lock. */
typedef struct ncz_container_convert {
    int (*out)(void *arg, const void *in, size_t n, ncz_container_heap *heap, ncz_buf *out);
    int (*in)(void *arg, const void *bytes, size_t n, uint32_t mask, ncz_container_read *read, ncz_buf *out);
} ncz_container_convert;

/* ---- arrays ----------------------------------------------------------------------------------------------------- */

typedef struct ncz_container_array {
    uint64_t             uid;
    ncz_hdf5_layout_kind kind;                     /* chunked, contiguous or compact */
    unsigned             rank;                     /* 0: a scalar, contiguous or compact */
    uint32_t             element;                  /* bytes of an element in the file */
    uint64_t             shape[NCZ_HDF5_MAX_RANK]; /* contiguous, compact: all of it */
    /* Chunked: the chunk. Contiguous, compact: the piece, whole rows that follow each other in the file (1 along the
     * dimensions before the one that is cut, all along those behind). An object of such an array is a whole piece: what
     * lies beyond the array's end is not stored, and is `fill` in a get. */
    uint64_t                     chunk[NCZ_HDF5_MAX_RANK];
    const void                  *fill;    /* an element as the file has it, copied; NULL: zeros */
    const ncz_container_convert *convert; /* or NULL. Both stay the caller's, and are there as long as the array is */
    void                        *convert_arg;
    /* ---- of a file that is there ---- */
    /* Chunked: enters its chunks into the tree at the first use, with stamp 0; or NULL. */
    int (*load)(void *arg, ncz_hdf5_tree *tree);
    void           *load_arg;
    ncz_hdf5_layout kept; /* how it stands, if `is_there`. It is used as it is while nothing is put or deleted */
    bool            is_there;
} ncz_container_array;

/* Adds an array, or replaces one that has no object. */
int  ncz_container_set(zmap *m, const ncz_container_array *a);
bool ncz_container_has(const zmap *m, uint64_t uid);
/* Removes it, with its objects. No commit follows that describes it. An array that is not there is no error. */
int ncz_container_drop(zmap *m, uint64_t uid);

/* ---- a commit: no put or del runs from its begin to its end ----------------------------------------------------- */

typedef struct ncz_container_commit_opts {
    bool durable; /* syncs before and after the superblock is written */
    bool last;    /* also cuts what lies behind the end */
    /* Room that was given up two commits ago and at least so many milliseconds ago is used again: 0 if nobody reads the
     * file, negative for never. */
    int64_t reuse_after;
} ncz_container_commit_opts;

/* Of the last one, with room left in front: says so before the layouts are asked for. All trees are rewritten, to
 * the front, if they fit there beside metadata of `metadata` bytes (a guess is enough). Without effect on other
 * files. */
int ncz_container_to_front(zmap *m, uint64_t metadata);
/* Where the array's data are. Writes the nodes of its tree that changed; of a contiguous one that has been put to, fill
 * where nothing was put. `data` of a compact one is valid until it is put to, dropped or closed. */
int ncz_container_layout(zmap *m, uint64_t uid, ncz_hdf5_layout *out);
/* Whether the data of an array of an opened file are where they were, as nothing was put to it. An address does not say
 * it: room that was given up is used again. */
bool ncz_container_is_kept(const zmap *m, uint64_t uid);
/* Of a chunked array: how many chunks lead to the last one that is stored, along each dimension, and how many are; of
 * another one: 0. */
int  ncz_container_extent(zmap *m, uint64_t uid, uint64_t *nchunks, uint64_t *stored);
bool ncz_container_changed(const zmap *m); /* something was put, deleted or dropped since the last commit */
/*
 * 1. writes what is left of the data, and the image, to free room;
 * 2. makes the file longer if its end is behind the file's length;
 * 3. syncs it;
 * 4. writes the superblock;
 * 5. syncs it: the commit is known. Gives up the last one's metadata;
 * 6. `last`: cuts the file.
 *
 * After a failure before step 4 the last commit stays, after one in step 4 or 5 it is this one or the last one. The
 * same call, with the same image and layouts, may be made again. A file that replaces another one gets its name in
 * step 5.
 */
int ncz_container_commit(zmap *m, ncz_hdf5_image *image, const ncz_container_commit_opts *o);

/* ---- how much room it takes ------------------------------------------------------------------------------------- */

typedef struct ncz_container_sums {
    uint64_t end;                  /* of the file's data */
    uint64_t free, given_up, lost; /* bytes below it that no commit to come names; of these lost until a new open */
} ncz_container_sums;

void ncz_container_count(const zmap *m, ncz_container_sums *out);

#endif /* NCZ_CONTAINER_H */
