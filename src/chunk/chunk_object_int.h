/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_object_int: objects that hold several chunks: what is known of them, and the encoded chunks that wait for the
 * rest of their object. The locks are those of chunk_int.h, which includes this.
 */
#ifndef NCZ_CHUNK_OBJECT_INT_H
#define NCZ_CHUNK_OBJECT_INT_H

#include "chunk/chunk.h"

typedef struct ncz_chunk_store_item ncz_chunk_store_item; /* chunk_store.h */

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

/* ---- chunk_object.c: objects that hold several chunks ---- */

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

/* ---- chunk_spill.c: a temporary file for what does not fit in memory ---- */

typedef struct ncz_chunk_spill {
    int      fd;
    bool     open, failed;
    bool     busy;      /* one thread writes to it */
    uint64_t end, live; /* bytes in it, and how many of them are in use */
} ncz_chunk_spill;

/* A temporary file of one object, mapped into memory. */
typedef struct ncz_chunk_temp {
    ncz_chunk_spill file;
    void           *map; /* or NULL */
    uint64_t        nbytes;
} ncz_chunk_temp;

/* ---- chunk_staging.c: encoded chunks that wait for the rest of their object ---- */

/* An encoded chunk. Guarded by the engine's lock; a reference keeps the bytes where they are. */
typedef struct ncz_chunk_part {
    unsigned refs;
    bool     gone;         /* only fill: its object shall not have it */
    char    *data;         /* NULL: gone, or in the spill file */
    size_t   nbytes, room; /* room: of `data` */
    uint64_t spilled;      /* its place in the spill file */

    uint64_t *ours; /* as in ncz_chunk; NULL: all. With it: */
    size_t    ours_bytes;
    bool      absent;  /* the other elements are fill: there was no chunk */
    char     *version; /* of the object that has the other elements; NULL: unknown */
} ncz_chunk_part;

typedef struct ncz_chunk_part_spare ncz_chunk_part_spare;

/* What is staged for one object. Guarded by the engine's lock. */
typedef struct ncz_chunk_staged {
    ncz_chunk_entry          entry;
    struct ncz_chunk_staged *older, *newer;
    ncz_spec                *spec;
    ncz_chunk_object        *storing;        /* while a thread stores it; else NULL */
    bool                     spilling;       /* a thread spills it. Both keep it in the table */
    bool                     complete;       /* as counted in `ncomplete` */
    uint64_t                 tried;          /* the last flush that stored it */
    size_t                   nparts, needed; /* staged chunks; those that make the object complete */
    size_t                   nmemory;        /* staged chunks that are in memory */
    size_t                   nbytes;         /* memory, also counted in the cache's `used` */
    ncz_chunk_part         **parts;          /* by slot */
    uint64_t                 first[];        /* index of the object's first chunk */
} ncz_chunk_staged;

typedef struct ncz_chunk_staging {
    ncz_chunk_table   table;
    ncz_chunk_staged *oldest, *newest; /* by last change, or last attempt of a flush to store it */
    ncz_chunk_staged *unspilled;       /* all older ones have no chunk in memory; NULL: none has */
    size_t            ncomplete;       /* those that are complete and not being stored */
    size_t            nbytes;
    ncz_chunk_spill   spill;

    ncz_chunk_part_spare *spares; /* memory of dropped parts, for the next */
    size_t                spare_bytes;
} ncz_chunk_staging;

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

/* ---- chunk_part.c ---- */

/*
 * Makes a part, with one reference, of an encoded chunk. Where its bytes are in `body`, it may take that memory over;
 * `body` is empty then.
 */
int    ncz_chunk_part_make(ncz_engine *e, const ncz_chunk_store_item *item, ncz_buf *body, ncz_chunk_part **out);
void   ncz_chunk_part_drop(ncz_engine *e, ncz_chunk_part *p);  /* drops a reference; NULL is fine */
void   ncz_chunk_part_unref(ncz_engine *e, ncz_chunk_part *p); /* the same, under the lock */
bool   ncz_chunk_part_spilled(const ncz_chunk_part *p);
size_t ncz_chunk_part_bytes(const ncz_chunk_part *p);        /* its memory */
void   ncz_chunk_part_spill(ncz_chunk_part *p, uint64_t at); /* frees its bytes, which are in the spill file */
void   ncz_chunk_part_drop_spares(ncz_engine *e);            /* under the lock */

/* ---- chunk_staging.c ---- */

/*
 * Stages an encoded chunk. `body`: as in ncz_chunk_part_make(). *full: its object is now complete and claimed, to be
 * stored; or NULL.
 */
int ncz_chunk_stage(ncz_engine *e, const ncz_chunk_store_item *item, ncz_buf *body, ncz_chunk_staged **full);
/* Under the lock: a reference to a staged chunk, for ncz_chunk_part_drop(). NULL: it is not staged. */
ncz_chunk_part *ncz_chunk_staged_part(ncz_engine *e, const ncz_spec *spec, const uint64_t *index);

/* Claims an object for storing, under the lock. False: another thread stores it. */
bool ncz_chunk_staged_claim(ncz_engine *e, ncz_chunk_staged *s);
/* The same for an object that is complete and was not stored yet, since it was being stored or spilled then. Or
 * NULL. */
ncz_chunk_staged *ncz_chunk_staged_claim_complete(ncz_engine *e);
/* The same for objects of one variable (uid 0: of all) that this flush has not tried yet. Returns how many. */
size_t ncz_chunk_staged_claim_some(ncz_engine *e, uint64_t uid, uint64_t pass, ncz_chunk_staged **out, size_t most);
/*
 * Takes references to the staged chunks of an object, by slot, for the thread that stores it. Returns true if they are
 * all chunks of the object, and all their elements were written here.
 */
bool ncz_chunk_staged_take(ncz_engine *e, ncz_chunk_staged *s, ncz_chunk_part **parts);
/* Gives the references back and ends the claim. `stored`: drops those parts. `parts` NULL: none were taken. */
void ncz_chunk_staged_end(ncz_engine *e, ncz_chunk_staged *s, ncz_chunk_part **parts, bool stored);

/* Under the lock. */
void ncz_chunk_staged_again(ncz_engine *e, const ncz_spec *spec, const uint64_t *index); /* clears `tried` */
bool ncz_chunk_staged_storing(const ncz_engine *e, uint64_t uid);
bool ncz_chunk_staged_forget(ncz_engine *e, uint64_t uid); /* true: some are being stored */
/*
 * Moves staged chunks of the longest unchanged object to the spill file. Releases the lock meanwhile. False: there are
 * none, or they cannot be spilled.
 */
bool ncz_chunk_staged_spill(ncz_engine *e);

/* ---- chunk_spill.c ---- */

/* Under the lock: reserves a place for the calling thread to write to. False: do not spill. */
bool ncz_chunk_spill_begin(ncz_chunk_spill *f, size_t nbytes, uint64_t *at);
bool ncz_chunk_spill_write(ncz_chunk_spill *f, const char *data, size_t nbytes, uint64_t at); /* false: logged */
void ncz_chunk_spill_end(ncz_chunk_spill *f, uint64_t kept);  /* how many of the bytes are in use now */
void ncz_chunk_spill_drop(ncz_chunk_spill *f, size_t nbytes); /* so many are no longer in use */
int  ncz_chunk_spill_read(const ncz_chunk_spill *f, char *out, size_t nbytes, uint64_t at);
int  ncz_chunk_spill_map(const ncz_chunk_spill *f, uint64_t nbytes, void **out);
void ncz_chunk_spill_unmap(void *map, uint64_t nbytes); /* NULL is fine */
void ncz_chunk_spill_close(ncz_chunk_spill *f);

int  ncz_chunk_temp_map(ncz_chunk_temp *t, uint64_t nbytes); /* the first `nbytes` of its file */
void ncz_chunk_temp_unmap(ncz_chunk_temp *t);
void ncz_chunk_temp_close(ncz_chunk_temp *t); /* may be called twice */

#endif /* NCZ_CHUNK_OBJECT_INT_H */
