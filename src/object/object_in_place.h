/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_in_place: chunks that are ranges of one object, put where they lie.
 */
#ifndef NCZ_OBJECT_IN_PLACE_H
#define NCZ_OBJECT_IN_PLACE_H

#include "object/object_encode.h"

/* ---- object_in_place.c ---- */

/* Puts the bytes of a chunk, or the rows that the array has of it, as ranges of the object at `where`. */
int ncz_object_put_in_place(ncz_objects *objects, const ncz_object_item *item, const ncz_chunk_addr *where,
                            ncz_scratch *scratch);
/* Leaves out what was not written here, at both ends: a few elements of a large chunk cost little, and other processes
 * may write next to them. `part`: the item's bytes that are put, at `where`. NC_EINTERNAL: elements were put that are
 * not in the object yet. */
int ncz_object_take_written(const ncz_object_item *item, ncz_chunk_addr *where, ncz_object_item *part);

/* ---- object_in_place_window.c, object_in_place_batch.c ---- */

/* Receives the status of an item. */
typedef void (*ncz_object_stored_fn)(void *arg, ncz_object_item *item, int rc);

#define NCZ_WINDOW_MOST (1 << 17) /* bytes; only puts up to this size lie within others' windows */

/* A chunk's rows in an object, `pitch` bytes from one to the next. */
typedef struct ncz_object_slab {
    ncz_object_item *item;  /* whose status it is */
    const char      *bytes; /* of the rows, one behind the other */
    uint64_t         off, end;
    size_t           row, pitch;
    size_t           nrows;
} ncz_object_slab;

/* The rows of an encoded item. `item` is not set. */
ncz_object_slab ncz_object_slab_of(const ncz_object_item *item, const ncz_chunk_addr *where);
/* Puts slabs, which are in the order of their offsets, with the bytes between them. `room`: for all of these. Under the
 * `window` lock. */
int ncz_object_put_window(ncz_objects *objects, const char *key, const ncz_object_slab *slabs, size_t n, char *room);
/* Puts the rows of several chunks, those that lie between each other with one call. Tries all. */
void ncz_object_put_slabs(ncz_objects *objects, const char *key, ncz_object_slab *slabs, size_t n,
                          ncz_object_stored_fn each, void *arg, ncz_scratch *scratch);

/* Stores small chunks that have their data, of objects with `windows`: neighbours with one call. Tries all. */
void ncz_object_put_together(ncz_objects *objects, ncz_object_item *items, size_t n, ncz_object_stored_fn each,
                             void *arg, ncz_scratch *scratch);

#endif /* NCZ_OBJECT_IN_PLACE_H */
