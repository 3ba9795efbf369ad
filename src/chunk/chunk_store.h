/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store: the steps of storing chunks. An object has one slot or more, and a chunk that is an object of its own is
 * the simplest case. chunk_store.c stores the chunks of a list, and chunk_store_object.c puts objects, with their
 * steps in its head: chunk_object_put.c begins and ends each, chunk_keep.c reads what it keeps, chunk_merge.c lays
 * chunks that were written in part over those of another writer, and chunk_assemble.c makes its bytes.
 */
#ifndef NCZ_CHUNK_STORE_H
#define NCZ_CHUNK_STORE_H

#include "chunk/chunk_engine.h"

/* An object that is being stored. */
typedef struct ncz_object_put {
    ncz_engine           *engine; /* NULL: there is nothing to store */
    ncz_chunk_store_item *item;   /* the chunk that is the object; or */
    ncz_chunk_staged     *staged; /* what is staged for the object, claimed; or neither: its chunk gets wider */
    const ncz_spec       *spec;
    ncz_buf               key_room;
    const char           *key;
    size_t                nslots;
    ncz_chunk_part      **taken; /* chunks to be stored, `nslots` entries, as the next three have */
    ncz_slot             *slots; /* of the stored object; with chunk_keep.c's ranges, offsets in `kept` */
    ncz_slot_bytes       *parts;
    ncz_chunk_part      **merged; /* chunks to be stored instead of those taken; entries and array may be NULL */
    char                 *data;   /* with `item`: the merged chunk, decoded; or NULL */
    void                 *map;    /* of the spill file, or NULL */
    uint64_t              map_bytes;
    ncz_buf               old;     /* the stored object, or the ranges that are kept of it */
    ncz_chunk_temp        carried; /* what `old` would hold if it is too large for memory */
    const char           *kept;    /* one of the two */
    ncz_buf               fresh;   /* the new object or, with `pieces` or `made`, its index */
    ncz_chunk_temp        made;    /* the new object, where it is too large for memory */
    zmap_part            *pieces;  /* the new object, where the store takes it so; or NULL */
    size_t                npieces, nbytes;
    char                  version[ZMAP_VERSION];
    char                  stored[ZMAP_VERSION]; /* the version that the put has made; "": unknown */
    bool                  plain;                /* its one chunk is all of its bytes */
    bool                  there;                /* the object exists, as far as is known */
    bool                  partial;  /* it keeps chunks or elements, so it is put over the known version only */
    bool                  read;     /* it is partial, and what it keeps or the version must be read */
    bool                  empty;    /* no chunk is left in it */
    bool                  deleting; /* with others, without a condition */
    bool                  large;    /* it is not got whole, but in ranges */
    bool                  changed;  /* another writer changed it while it was read: it is read again */
    bool                  no_temp;  /* there is no room for temporary files: it is kept in memory */
    bool                  drafted;  /* the new object is its draft, of `nbytes` bytes */
    bool                  pending;  /* not stored yet */
    ncz_err               err;

    struct { /* `taken`, `slots` and `parts` of one chunk */
        ncz_chunk_part part, *taken;
        ncz_slot       slot;
        ncz_slot_bytes bytes;
    } one;
} ncz_object_put;

/* ---- chunk_store.c ---- */

/* One chunk that is being stored. */
struct ncz_chunk_store_item {
    ncz_chunk  *chunk;
    const char *data;      /* decoded; NULL: only fill */
    bool        gone;      /* only fill: not stored, and deleted unless known to be absent */
    bool        ready;     /* after ncz_chunk_store_taken(): all of it was put by then */
    int         rc;        /* the status of storing it */
    ncz_buf     key, body; /* for stores that take batches */
    const char *encoded;   /* the bytes to store: `body`, or `data` without a codec */
    size_t      nbytes;
    char       *merged; /* a newer state of the chunk, with what another process wrote; or NULL */
};

/* Sets the decoded data of item `i`, on a worker. They may be in the scratch if the chunk has codecs. */
typedef int (*ncz_chunk_gather_fn)(void *arg, size_t i, ncz_scratch *scratch, const char **data);

typedef struct ncz_chunk_store {
    ncz_engine           *engine;
    ncz_chunk_store_item *items;
    ncz_object_put       *objects; /* those of the items, while a batch is stored */
    size_t                n, cap;
    ncz_chunk_gather_fn   gather; /* NULL: the items have their data */
    void                 *arg;    /* of `gather` */
    ncz_err               first;  /* under the engine's lock while it runs */
    size_t                first_at;
} ncz_chunk_store;

int  ncz_chunk_store_init(ncz_chunk_store *s, ncz_engine *e, size_t cap);
void ncz_chunk_store_clear(ncz_chunk_store *s);
void ncz_chunk_store_reset(ncz_chunk_store *s);                /* empties it, keeps the memory */
int  ncz_chunk_store_reserve(ncz_chunk_store *s, size_t more); /* room for more items */
/* Adds `data` as the contents of a claimed or STORING chunk. `data` must stay valid until the run. */
void ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data);
/* Stores them. Each item has its own status; s->first has the first failure. */
void ncz_chunk_store_run(ncz_chunk_store *s);

/* ---- chunk_encode.c ---- */

/*
 * Encodes item->data, or finds that it holds only fill and is not to be stored: item->gone; with `put_fill` it is.
 * Sets `encoded` and `nbytes`.
 */
int ncz_chunk_encode_data(const ncz_engine *e, const ncz_spec *spec, bool put_fill, ncz_chunk_store_item *item,
                          ncz_buf *body, ncz_scratch *scratch);
/* Whether a chunk is a range of an object that also has other things, and is put there in place. */
static inline bool
ncz_chunk_in_place(const ncz_chunk_addr *where)
{
    return where->slot == NCZ_NO_SLOT && where->length != ZMAP_WHOLE;
}

/* Encodes an item into `body`, and finds its place. `key` owns where->key. */
int ncz_chunk_encode(const ncz_engine *e, ncz_chunk_store_item *item, ncz_buf *key, ncz_buf *body,
                     ncz_scratch *scratch, ncz_chunk_addr *where);

/* ---- chunk_object_put.c ---- */

/*
 * Begins to store a chunk: encodes it, and stages it where its object holds others. o->engine is NULL then, unless it
 * completes its object, and nothing is left to be stored.
 */
int ncz_object_put_begin(ncz_object_put *o, ncz_engine *e, ncz_chunk_store_item *item, ncz_buf *key, ncz_buf *body,
                         ncz_scratch *scratch);
/* Begins to store what is staged for an object. */
void ncz_object_put_begin_staged(ncz_object_put *o, ncz_engine *e, ncz_chunk_staged *s);
/* Begins to store a chunk again if it is narrower than its array. */
void ncz_object_put_begin_wider(ncz_object_put *o, ncz_engine *e, const ncz_spec *spec, const uint64_t *index);
void ncz_object_put_end(ncz_object_put *o);

/* ---- chunk_assemble.c ---- */

/* Whether the object is put from where its chunks are. */
bool ncz_object_put_takes_parts(const ncz_object_put *o);
/* Merges and assembles object `i` of an array of ncz_object_put. */
void ncz_object_put_assemble(void *objects, size_t i, ncz_scratch *scratch);

/* ---- chunk_draft_put.c ---- */

/* Whether its draft can become the object: it has all chunks that the object is to have, or has room for them. */
bool ncz_object_put_is_draft(const ncz_object_put *o);
int  ncz_object_put_end_draft(ncz_object_put *o);  /* writes what is missing, and the index */
int  ncz_object_put_map_drafts(ncz_object_put *o); /* else: so that its parts' bytes can be put */
/* On the conditions of that put. Sets o->stored. True: another writer was first. */
bool ncz_object_put_publish_draft(ncz_object_put *o, const zmap_put_req *put, int *rc);

/* ---- chunk_store_object.c ---- */

/* Stores one chunk: item->chunk with item->data. A chunk of a shared object is only staged, unless it completes it. */
int  ncz_chunk_store_one(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch);
void ncz_object_put_all(ncz_engine *e, ncz_object_put *objects, size_t n); /* those that have begun; ends them */
/*
 * Stores objects from what is staged for them. The caller has claimed them, and does not use them any more. Returns the
 * first failure; what was not stored stays staged.
 */
int ncz_chunk_store_objects(ncz_engine *e, ncz_chunk_staged *const *staged, size_t n);

/* ---- chunk_merge.c ---- */

/* Once the object is read: whether a chunk to be stored is to be merged with the stored one; and whether the stored
 * bytes of a chunk are needed. */
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
void ncz_object_put_read(ncz_engine *e, ncz_object_put *objects, size_t n, zmap_get_req *reqs);

/* ---- chunk_in_place.c ---- */

/* Puts the bytes of a chunk, or the rows that the array has of it, as ranges of the object at `where`. */
int ncz_chunk_put_in_place(ncz_engine *e, const ncz_chunk_store_item *item, const ncz_chunk_addr *where,
                           ncz_scratch *scratch);
/* Leaves out what was not written here, at both ends: a few elements of a large chunk cost little, and other processes
 * may write next to them. `part`: the item's bytes that are put, at `where`. NC_EINTERNAL: elements were put that are
 * not in the object yet. */
int ncz_chunk_take_ours(const ncz_chunk_store_item *item, ncz_chunk_addr *where, ncz_chunk_store_item *part);

/* ---- chunk_in_place_window.c, chunk_in_place_batch.c ---- */

/* Receives the status of an item. */
typedef void (*ncz_chunk_stored_fn)(void *arg, ncz_chunk_store_item *item, int rc);

#define NCZ_WINDOW_MOST (1 << 17) /* bytes; only puts up to this size lie within others' windows */

/* A chunk's rows in an object, `pitch` bytes from one to the next. */
typedef struct ncz_chunk_slab {
    ncz_chunk_store_item *item;  /* whose status it is */
    const char           *bytes; /* of the rows, one behind the other */
    uint64_t              off, end;
    size_t                row, pitch;
    size_t                nrows;
} ncz_chunk_slab;

/* The rows of an encoded item. `item` is not set. */
ncz_chunk_slab ncz_chunk_slab_of(const ncz_chunk_store_item *item, const ncz_chunk_addr *where);
/* Puts slabs, which are in the order of their offsets, with the bytes between them. `room`: for all of these. Under the
 * `window` lock. */
int ncz_chunk_put_window(ncz_engine *e, const char *key, const ncz_chunk_slab *slabs, size_t n, char *room);
/* Puts the rows of several chunks, those that lie between each other with one call. Tries all. */
void ncz_chunk_put_slabs(ncz_engine *e, const char *key, ncz_chunk_slab *slabs, size_t n, ncz_chunk_stored_fn each,
                         void *arg, ncz_scratch *scratch);

/* Stores small chunks that have their data, of an engine with `windows`: neighbours with one call. Tries all. */
void ncz_chunk_put_together(ncz_engine *e, ncz_chunk_store_item *items, size_t n, ncz_chunk_stored_fn each, void *arg,
                            ncz_scratch *scratch);

/* ---- chunk_take.c, under the engine's lock ---- */

/* `total` and the bytes of the chunk's data; SIZE_MAX: more. */
size_t ncz_chunk_batch_add(size_t total, const ncz_chunk *chunk);
/*
 * Takes a dirty chunk that no thread uses into the batch, with the other dirty chunks of its object, and adds their
 * bytes to *going. `pass` is the flush, or 0.
 */
int  ncz_chunk_take(ncz_engine *e, ncz_chunk_store *s, ncz_chunk *chunk, uint64_t pass, size_t *going);
void ncz_chunk_take_one(ncz_engine *e, ncz_chunk_store *s, ncz_chunk *chunk, uint64_t pass); /* without the others */
/*
 * Where a walk along the dirty chunks continues after one is taken, and with it perhaps others of its object. `before`
 * is the link that stood before it.
 */
ncz_chunk_link *ncz_chunk_dirty_after(ncz_chunk_cache *cache, ncz_chunk_link *before);
/* Stores the chunks that were taken. The lock is released meanwhile. */
void ncz_chunk_store_taken(ncz_engine *e, ncz_chunk_store *s);
/* Drops the chunks of the batch just stored, or of those that were ready, except those that came into use meanwhile. */
void ncz_chunk_drop_stored(ncz_engine *e, const ncz_chunk_store *s, bool all);

/* ---- chunk_evict.c, under the engine's lock ---- */

/* Drops clean chunks until the cache has at most `target` bytes, or none is left. */
void ncz_chunk_drop_clean(ncz_chunk_cache *cache, size_t target);
/*
 * Gives up memory of staged chunks: spills some, or else stores some objects early. False: there is nothing left to
 * give up, or storing failed. The lock is released meanwhile.
 */
bool ncz_chunk_relieve_staging(ncz_engine *e, int *rc);

/* ---- chunk_put.c ---- */

void ncz_object_put_fail(ncz_object_put *o, int rc);
/* The bytes of a chunk that was taken; in a draft that becomes the object only their number. NULL: only fill. */
ncz_slot_bytes ncz_object_put_part_bytes(const ncz_object_put *o, const ncz_chunk_part *p);

/* After puts: a server that turns out to have no conditions gets them again, without. The log says what that means. */
void ncz_chunk_put_again(ncz_engine *e, zmap_put_req *reqs, size_t n);
bool ncz_chunk_put_conflicts(const zmap_put_req *req); /* another writer was first */
/* A random pause after a conflict, longer after many tries, so that writers that met once do not meet again. */
void ncz_chunk_pause_writer(const void *writer, int tries);

#endif /* NCZ_CHUNK_STORE_H */
