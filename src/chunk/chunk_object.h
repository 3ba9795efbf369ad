/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_object: what is known of objects that hold several chunks: their indexes, and which are being stored.
 */
#ifndef NCZ_CHUNK_OBJECT_H
#define NCZ_CHUNK_OBJECT_H

#include "chunk/chunk.h"

/* ---- chunk_table.c: a hash table, under the engine's lock ---- */

/* The first member of what is in a table, so that an entry can be cast to it. */
typedef struct ncz_chunk_entry {
    struct ncz_chunk_entry *beside; /* next in its bucket */
    uint64_t                hash;
} ncz_chunk_entry;

typedef struct ncz_chunk_table {
    ncz_chunk_entry **buckets; /* NULL: none yet */
    size_t            n, nbuckets;
} ncz_chunk_table;

int  ncz_chunk_table_add(ncz_chunk_table *t, ncz_chunk_entry *e, uint64_t hash);
void ncz_chunk_table_del(ncz_chunk_table *t, ncz_chunk_entry *e);
/* The first entry of the bucket of that hash, or NULL; `beside` leads to the others, of any hash. */
ncz_chunk_entry *ncz_chunk_table_first(const ncz_chunk_table *t, uint64_t hash);
void             ncz_chunk_table_clear(ncz_chunk_table *t); /* frees the buckets of a table without entries */

/* ---- objects that hold several chunks ---- */

/*
 * What is known of one object: its index, and whether it is being stored. Guarded by the engine's lock, except for
 * the index, which never changes once it is loaded.
 */
typedef struct ncz_chunk_object {
    ncz_chunk_entry          entry;
    struct ncz_chunk_object *older, *newer;
    uint64_t                 uid; /* of the variable */
    size_t                   rank, nbytes;
    unsigned                 refs; /* tasks that use it, and its writer */
    bool                     loading;
    bool                     storing; /* being stored: the index is out of date from here on */
    bool                     stored;  /* since it was loaded */
    bool                     stale;   /* no longer in the table: a newer one replaces it */
    const void              *whole;   /* the request that gets it whole, while its index is loading; or NULL */
    int                      failed;  /* the code, if loading the index failed */
    const ncz_err           *why;     /* the text of `failed`; NULL: no memory for it */
    ncz_slot                *slots;   /* NULL: not loaded, or the object is absent */
    uint64_t                 size;    /* of the object, with `slots` */
    char                     version[ZMAP_VERSION];
    uint64_t                 at[]; /* its place in the grid of objects */
} ncz_chunk_object;

typedef struct ncz_chunk_objects {
    ncz_chunk_table   table;
    ncz_chunk_object *oldest, *newest; /* by last use */
    size_t            nbytes;          /* of those in the table; also counted in the cache's `used` */
} ncz_chunk_objects;

/* ---- chunk_index.c ---- */

/* The index of an object: its size, and whether it is at the end or the beginning. NC_ENOMEM, with the key: it does not
 * fit in memory. */
int ncz_chunk_index_range(const ncz_spec *spec, const char *key, size_t *nbytes, bool *at_end);
/* Sets a request for the index of an object. ncz_chunk_read_index() parses what came of it; NC_EEMPTY: there is no such
 * object. */
int ncz_chunk_index_req(const ncz_spec *spec, const char *key, zmap_get_req *req);
int ncz_chunk_read_index(const ncz_spec *spec, const zmap_get_req *req, ncz_slot *slots);
/* Parses the index of an object of `size` bytes, and marks slots that lie outside it as bad. NC_EFILTER, with the key:
 * the index is damaged as a whole. */
int ncz_chunk_parse_index(const ncz_spec *spec, const char *key, const void *index, size_t nbytes, uint64_t size,
                          ncz_slot *slots);
/* Records that slot i of that object is bad: NC_EFILTER, with the key. */
int ncz_chunk_fail_slot(const char *key, ncz_slot slot, size_t i, uint64_t size);

/* One index that is being fetched. */
typedef struct ncz_chunk_fetch {
    ncz_chunk_object *object;
    const uint64_t   *index; /* the index of a chunk in the object */
    ncz_buf           key;
    ncz_slot         *slots; /* owned here until the object takes them */
} ncz_chunk_fetch;

/* Fetches all of them in one batch, and publishes each index, or its failure, to the tasks that wait for it. */
void ncz_chunk_fetch_indexes(ncz_engine *e, const ncz_spec *spec, ncz_chunk_fetch *fetches, size_t n);
/*
 * Takes the index out of a whole object, for a request that claimed to get it (`whole`), and publishes it, or its
 * failure. An object that is larger than the body's limit has no failure: its tasks begin again, with ranges.
 */
void ncz_chunk_object_publish(ncz_engine *e, const ncz_spec *spec, ncz_chunk_object *o, const zmap_get_req *req);

/* ---- chunk_object_table.c, under the engine's lock ---- */

ncz_chunk_object *ncz_chunk_object_find(ncz_engine *e, const ncz_spec *spec, const uint64_t *index); /* or NULL */
int  ncz_chunk_object_add(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_object **out);
void ncz_chunk_object_touch(ncz_engine *e, ncz_chunk_object *o);                /* makes it the most recently used */
void ncz_chunk_object_count(ncz_engine *e, ncz_chunk_object *o, size_t nbytes); /* it takes so many more */
/* Removes it from the table. Tasks that still hold it see that it is stale. */
void ncz_chunk_object_unlink(ncz_engine *e, ncz_chunk_object *o);
void ncz_chunk_object_unref(ncz_chunk_object *o);

/* Marks the object of a chunk as being stored, until ncz_chunk_object_stored(). Call both under the lock. */
int  ncz_chunk_object_store(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_object **out);
void ncz_chunk_object_stored(ncz_engine *e, ncz_chunk_object *o);
void ncz_chunk_objects_trim(ncz_engine *e); /* drops the longest unused until the rest fit their part of the cache */
void ncz_chunk_objects_forget(ncz_engine *e, uint64_t uid); /* under the lock */

/* How many chunks of that chunk's object lie inside the array. */
size_t ncz_chunk_object_inside(const ncz_spec *spec, const uint64_t *index);
/* How many of these precede the one in that slot. */
size_t ncz_chunk_object_before(const ncz_spec *spec, const uint64_t *index, size_t slot);

uint64_t ncz_chunk_object_hash(const ncz_spec *spec,
                               const uint64_t *index); /* the same for all chunks of an object */

#endif /* NCZ_CHUNK_OBJECT_H */
