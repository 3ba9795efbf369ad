/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_object_put: one object of several chunks that is being stored, shared by the files that do it:
 * chunk_store_object.c has the steps, chunk_keep.c gets what the object keeps, chunk_merge_part.c merges chunks.
 */
#ifndef NCZ_CHUNK_OBJECT_PUT_H
#define NCZ_CHUNK_OBJECT_PUT_H

#include "chunk/chunk_int.h"

typedef struct ncz_object_put {
    ncz_engine       *engine;
    ncz_chunk_staged *staged;
    const ncz_spec   *spec;
    ncz_buf           key_room;
    const char       *key;
    ncz_chunk_part  **taken; /* object_chunks entries each, like the next two */
    ncz_slot         *slots; /* of the stored object; with chunk_keep.c's ranges, offsets in `kept` */
    ncz_slot_bytes   *parts;
    ncz_chunk_part  **merged; /* the same; entries instead of those taken, or NULL */
    void             *map;    /* of the spill file, or NULL */
    uint64_t          map_bytes;
    ncz_buf           old;     /* the stored object, or the ranges that are kept of it */
    ncz_chunk_temp    carried; /* the same, where they are too large for memory */
    const char       *kept;    /* one of the two */
    ncz_buf           fresh;   /* the new object or, with `pieces` or `made`, its index */
    ncz_chunk_temp    made;    /* the new object, where it is too large for memory */
    zmap_part        *pieces;  /* the new object, where the store takes it so; or NULL */
    size_t            npieces, nbytes;
    char              version[ZMAP_VERSION];
    char              stored[ZMAP_VERSION]; /* the version that the put has made; "": unknown */
    bool              read;                 /* it has unchanged chunks or elements, so step 2 is needed */
    bool              there;                /* the object exists, as far as is known */
    bool              empty;                /* no chunk is left in it */
    bool              large;                /* it is not got whole, but in ranges */
    bool              changed;              /* another writer changed it while it was read: it is read again */
    bool              no_temp;              /* there is no room for temporary files: it is kept in memory */
    bool              pending;              /* not stored yet */
    ncz_err           err;
} ncz_object_put;

/* ---- chunk_object_put.c ---- */

void ncz_object_put_fail(ncz_object_put *o, int rc);

/* The bytes of a staged chunk. NULL: only fill. */
ncz_slot_bytes ncz_object_put_part_bytes(const ncz_object_put *o, const ncz_chunk_part *p);

/* ---- chunk_merge_part.c ---- */

/* Once the index is known: whether a staged chunk is to be merged with the stored one; and whether the stored bytes of
 * a chunk are needed. */
bool ncz_object_put_merges(const ncz_object_put *o, size_t slot);
bool ncz_object_put_keeps(const ncz_object_put *o, size_t slot);
/* Merges all chunks that need it. Sets o->merged. */
int  ncz_object_put_merge(ncz_object_put *o, ncz_scratch *scratch);
void ncz_object_put_drop_merged(ncz_object_put *o);
/*
 * After the put, before the claim ends: cached chunks that were staged in it are of the version o->stored from now on.
 * Those that were merged are dropped from the cache, since they lack the other writer's elements.
 */
void ncz_object_put_settle(ncz_object_put *o);

/* ---- chunk_keep.c ---- */

/*
 * Gets what the objects keep: those that may be small, whole and in one batch; the others by their index, and then in
 * ranges. `reqs`: n entries for its own use. An object that another writer changes meanwhile gets `changed`.
 */
void ncz_object_put_read(ncz_object_put *objects, size_t n, zmap_get_req *reqs);

#endif /* NCZ_CHUNK_OBJECT_PUT_H */
