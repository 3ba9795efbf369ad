/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_table: what is known of objects that hold several chunks: their indexes, and which are being stored. Under the
 * lock.
 */
#ifndef NCZ_OBJECT_TABLE_H
#define NCZ_OBJECT_TABLE_H

#include "object/object.h"

/*
 * What is known of one object: its index, and whether it is being stored. Guarded by the lock, except for the index,
 * which never changes once it is loaded.
 */
struct ncz_object {
    ncz_object_entry entry;
    ncz_object      *older, *newer;
    uint64_t         uid; /* of the variable */
    size_t           rank, nbytes;
    unsigned         refs; /* tasks that use it, and its writer */
    bool             loading;
    bool             storing; /* being stored: the index is out of date from here on */
    bool             stored;  /* since it was loaded */
    bool             stale;   /* no longer in the table: a newer one replaces it */
    const void      *whole;   /* the request that gets it whole, while its index is loading; or NULL */
    int              failed;  /* the code, if loading the index failed */
    const ncz_err   *why;     /* the text of `failed`; NULL: no memory for it */
    ncz_slot        *slots;   /* NULL: not loaded, or the object is absent */
    uint64_t         size;    /* of the object, with `slots` */
    char             version[ZMAP_VERSION];
    uint64_t         at[]; /* its place in the grid of objects */
};

ncz_object *ncz_object_find(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index); /* or NULL */
int         ncz_object_add(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_object **out);
void        ncz_object_touch(ncz_objects *objects, ncz_object *o); /* makes it the most recently used */
void        ncz_object_count_bytes(ncz_objects *objects, ncz_object *o, size_t nbytes); /* it takes so many more */
/* Removes it from the table. Tasks that still hold it see that it is stale. */
void ncz_object_unlink(ncz_objects *objects, ncz_object *o);
void ncz_object_unref(ncz_object *o);

/* Marks the object of a chunk as being stored, until ncz_object_end_store(). */
int  ncz_object_begin_store(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_object **out);
void ncz_object_end_store(ncz_objects *objects, ncz_object *o);
void ncz_object_trim(ncz_objects *objects); /* drops the longest unused until the rest fit their part of the cache */
void ncz_object_forget_indexes(ncz_objects *objects, uint64_t uid); /* uid 0: of all variables */

/* ---- of any object, without the lock ---- */

/* How many chunks of that chunk's object lie inside the array. */
size_t ncz_object_inside(const ncz_spec *spec, const uint64_t *index);
/* How many of these precede the one in that slot. */
size_t ncz_object_before(const ncz_spec *spec, const uint64_t *index, size_t slot);

uint64_t ncz_object_hash_of(const ncz_spec *spec, const uint64_t *index); /* the same for all chunks of an object */

#endif /* NCZ_OBJECT_TABLE_H */
