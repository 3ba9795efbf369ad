/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object: how stored objects change. An object is what a store has under one key: one chunk, several with an index (a
 * shard), or a file in which chunks are ranges. This module encodes chunks, stages those of an object until it is
 * stored, and puts objects so that nothing of other writers is lost. It knows no request.
 *
 * What is kept of objects is guarded by the lock of the cells (cells.h); no thread holds it over I/O or codecs.
 *
 * This header has the types that an engine holds. The functions: object_encode.h encodes a chunk, object_batch.h and
 * object_store.h store chunks and objects, object_staging.h has what waits for the rest of its object, object_table.h
 * and object_index.h what is known of stored objects; the steps between them are in object_put.h.
 */
#ifndef NCZ_OBJECT_H
#define NCZ_OBJECT_H

#include "cells/cells.h"
#include "util/rwlock.h"
#include "zmap/zmap.h"

/* ---- object_hash.h: a hash table of objects ---- */

/* The first member of what is in a table, so that an entry can be cast to it. */
typedef struct ncz_object_entry {
    struct ncz_object_entry *beside; /* next in its bucket */
    uint64_t                 hash;
} ncz_object_entry;

typedef struct ncz_object_hash {
    ncz_object_entry **buckets; /* NULL: none yet */
    size_t             n, nbuckets;
} ncz_object_hash;

/* ---- object_table.h: what is known of objects that hold several chunks ---- */

typedef struct ncz_object ncz_object;

typedef struct ncz_object_table {
    ncz_object_hash hash;
    ncz_object     *oldest, *newest; /* by last use */
    size_t          nbytes;          /* of those in the table; also counted in the cache's `used` */
} ncz_object_table;

/* ---- object_spill.h: a temporary file for what does not fit in memory ---- */

typedef struct ncz_object_spill {
    int      fd;
    bool     open, failed;
    bool     busy;      /* one thread writes to it */
    uint64_t end, live; /* bytes in it, and how many of them are in use */
} ncz_object_spill;

/* ---- object_staging.h: encoded chunks that wait for the rest of their object ---- */

typedef struct ncz_staged_chunk  ncz_staged_chunk;
typedef struct ncz_staged_object ncz_staged_object;
typedef struct ncz_staged_spare  ncz_staged_spare;
typedef struct ncz_object_draft  ncz_object_draft;
typedef struct ncz_object_item   ncz_object_item; /* object_encode.h: a chunk that is being stored */

typedef struct ncz_object_staging {
    ncz_object_hash    hash;
    ncz_staged_object *oldest, *newest; /* by last change, or last attempt of a flush to store it */
    ncz_staged_object *unspilled;       /* all older ones have no chunk in memory; NULL: none has */
    size_t             ncomplete;       /* those that are complete and not being stored */
    size_t             nbytes;          /* of memory */
    ncz_object_spill   spill;
    ncz_object_draft  *ended;   /* drafts that nothing uses any more */
    size_t             ndrafts; /* all drafts */

    ncz_staged_spare *spares; /* memory of dropped chunks, for the next */
    size_t            spare_bytes;
} ncz_object_staging;

/* ---- all that is kept of the objects of a dataset ---- */

typedef struct ncz_objects {
    ncz_cells         *cells;
    zmap              *map;
    ncz_limits         limits;
    ncz_object_table   known;
    ncz_object_staging staging;
    bool               del_match;   /* the store deletes on condition; whether it puts so: cells->conditions */
    bool               write_empty; /* chunks that hold only fill are stored, too; constant once data are */
    /* With cells->windows: who has this lock alone changes the one object. Reads past the cache share it, so that they
     * see no half of a put. */
    ncz_rwlock window;
    /* Only tests change these. */
    size_t keep_whole;  /* an object up to this size is got whole and made in memory */
    size_t keep_range;  /* a larger one is got in ranges of at most so many bytes */
    size_t draft_least; /* a smaller object has no draft */
    size_t draft_chunk; /* nor has one of smaller chunks */
} ncz_objects;

int  ncz_object_init(ncz_objects *objects, ncz_cells *cells, zmap *map, const ncz_limits *limits);
void ncz_object_clear(ncz_objects *objects); /* stores nothing */

#endif /* NCZ_OBJECT_H */
