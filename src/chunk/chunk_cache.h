/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_cache: the slots of the cache, under the engine's lock, and the decoded data of a chunk.
 */
#ifndef NCZ_CHUNK_CACHE_H
#define NCZ_CHUNK_CACHE_H

#include "chunk/chunk.h"

/* ---- chunk_cache.c: slots under the engine's lock ---- */

typedef enum ncz_chunk_state {
    NCZ_CHUNK_LOADING, /* claimed: one thread loads it, or replaces it past the cache; the others wait */
    NCZ_CHUNK_PARTIAL, /* no data: a record that reads of parts past the cache have cost `partial_cost` so far */
    NCZ_CHUNK_CLEAN,   /* as stored */
    NCZ_CHUNK_DIRTY,   /* newer than stored */
    NCZ_CHUNK_STORING, /* was dirty, being stored: may be read, not changed */
} ncz_chunk_state;

typedef struct ncz_chunk_link {
    struct ncz_chunk_link *prev, *next;
} ncz_chunk_link;

typedef struct ncz_chunk {
    ncz_chunk_link    link; /* in the dirty or the idle list; first member, so that a link can be cast to its chunk */
    struct ncz_chunk *beside; /* next in its bucket */
    ncz_spec         *spec;
    ncz_chunk_state   state;
    unsigned          pins;   /* threads reading its bytes */
    bool              writer; /* one thread changes its bytes */
    bool              absent; /* no object exists under its key */
    bool              ahead;  /* read ahead, and not used in part since */
    bool              ready;  /* DIRTY: all of it was put, so it may be stored at once; it stands before the others */
    bool              failed; /* DIRTY: it could not be stored behind the program's back (chunk_behind.c) */
    uint64_t          used;   /* the cache's clock at the last use; 0: used up */
    uint64_t          tried;  /* the last flush that took it */
    uint64_t          partial_cost;
    char             *data;    /* NULL: only fill; or PARTIAL, which has no data */
    char             *version; /* of its object, as loaded or stored last; NULL: unknown */
    uint64_t  rows; /* DIRTY: so many of its first rows were put since it was stored, where they are counted */
    uint64_t *ours; /* DIRTY, STORING: one bit for each element, those written here; NULL: all (chunk_ours.c) */
    size_t    ours_from, ours_end; /* in place: the elements written here lie between; both 0: all */
    uint64_t  index[];
} ncz_chunk;

#define NCZ_CHUNK_SPARES 16
#define NCZ_CHUNK_RECENT 16 /* variables; a power of 2 */

/* Memory of dropped chunks, reused for new ones. */
typedef struct ncz_chunk_spare {
    char  *data;
    size_t nbytes;
} ncz_chunk_spare;

/*
 * The chunks whose hash falls into this bucket. `gone` is the hash of the last chunk evicted from it, and ghost_order
 * says when that was.
 */
typedef struct ncz_chunk_bucket {
    ncz_chunk *first;
    uint64_t   gone, ghost_order;
} ncz_chunk_bucket;

typedef struct ncz_chunk_cache {
    ncz_chunk_bucket *buckets;
    size_t            nbuckets, n;
    ncz_chunk        *recent[NCZ_CHUNK_RECENT]; /* found last, by variable; or NULL */
    size_t            used, limit; /* bytes, slots included, so that records of absent chunks are bounded, too */
    size_t            nidle;       /* CLEAN and PARTIAL: may be dropped without being stored */
    size_t            nunstored;   /* DIRTY and STORING, */
    size_t            unstored;    /* and the bytes of their data */
    uint64_t          clock, seed;
    uint64_t          ngone;            /* chunks evicted so far */
    unsigned          random_evictions; /* the next evictions that choose at random */
    ncz_chunk_link    dirty;            /* those that are ready, and then longest unchanged first */
    ncz_chunk_link   *last_ready;       /* the last of the former; or the list itself */
    ncz_chunk_link    idle;             /* longest unused first */
    ncz_chunk_spare   spares[NCZ_CHUNK_SPARES];
    size_t            nspares, spares_most;
} ncz_chunk_cache;

int        ncz_chunk_cache_init(ncz_chunk_cache *cache, size_t limit);
void       ncz_chunk_cache_clear(ncz_chunk_cache *cache);
ncz_chunk *ncz_chunk_find(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index);
/* Adds a slot in state LOADING, which belongs to the caller. */
int  ncz_chunk_claim(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index, ncz_chunk **out);
void ncz_chunk_drop(ncz_chunk_cache *cache, ncz_chunk *chunk);
void ncz_chunk_touch_idle(ncz_chunk_cache *cache, ncz_chunk *chunk); /* the rest of ncz_chunk_touch() */
/*
 * Like ncz_chunk_touch(), for a use by a read. A chunk that was read ahead and is now used whole is used up: it no
 * longer counts as cached, and the next chunk gets its memory.
 */
void ncz_chunk_use(ncz_chunk_cache *cache, ncz_chunk *chunk, bool whole);
bool ncz_chunk_used_up(const ncz_chunk *chunk);
void ncz_chunk_drop_used_up(ncz_chunk_cache *cache); /* drops one, if there is one */
void ncz_chunk_set_state(ncz_chunk_cache *cache, ncz_chunk *chunk, ncz_chunk_state state);
/* Takes ownership of `data`; the old data become a spare. */
void ncz_chunk_set_data(ncz_chunk_cache *cache, ncz_chunk *chunk, char *data);
/* Takes the data out of a chunk that only the caller uses. NULL: it has none. */
char      *ncz_chunk_take_data(ncz_chunk_cache *cache, ncz_chunk *chunk);
size_t     ncz_chunk_cached_bytes(const ncz_spec *spec); /* of a cached chunk, slot included */
ncz_chunk *ncz_chunk_from_link(ncz_chunk_link *link);
/* Iterates over all slots, in no order: NULL begins, NULL ends. `chunk` must still be in the cache. */
ncz_chunk *ncz_chunk_next(const ncz_chunk_cache *cache, const ncz_chunk *chunk);
/* The next chunk to evict, among those that need no storing; or NULL. */
ncz_chunk *ncz_chunk_victim(ncz_chunk_cache *cache);
/* Evicts that chunk. False: no chunk can be evicted. */
bool ncz_chunk_make_room(ncz_chunk_cache *cache);

/* From the next that is given on, at most `most` spares are kept, or NCZ_CHUNK_SPARES if that is less. */
void  ncz_chunk_spares_keep(ncz_chunk_cache *cache, size_t most);
void  ncz_chunk_spare_give(ncz_chunk_cache *cache, char *data, size_t nbytes);
char *ncz_chunk_spare_take(ncz_chunk_cache *cache, size_t nbytes); /* NULL: none of that size */

/* Of every put and get of an element: here, so that they take no call. */

static inline bool
ncz_chunk_is_of(const ncz_chunk *chunk, const ncz_spec *spec, const uint64_t *index)
{
    if (chunk->spec != spec && (chunk->spec->uid != spec->uid || chunk->spec->rank != spec->rank))
        return false;
    for (size_t d = 0; d < spec->rank; d++)
        if (chunk->index[d] != index[d])
            return false;
    return true;
}

/* Programs put and get one element after the other, of a few variables in turn. */
static inline ncz_chunk **
ncz_chunk_recent(ncz_chunk_cache *cache, const ncz_spec *spec)
{
    return &cache->recent[spec->uid % NCZ_CHUNK_RECENT];
}

/* As ncz_chunk_find(), of the chunk of a variable that was found last. */
static inline ncz_chunk *
ncz_chunk_find_recent(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk *chunk = *ncz_chunk_recent(cache, spec);

    return chunk != NULL && ncz_chunk_is_of(chunk, spec, index) ? chunk : NULL;
}

/* Makes it the most recently used. */
static inline void
ncz_chunk_touch(ncz_chunk_cache *cache, ncz_chunk *chunk)
{
    chunk->used = ++cache->clock;
    if (chunk->state == NCZ_CHUNK_CLEAN || chunk->state == NCZ_CHUNK_PARTIAL)
        ncz_chunk_touch_idle(cache, chunk);
}

/* As ncz_chunk_set_state(), of a chunk that has been changed. */
static inline void
ncz_chunk_set_dirty(ncz_chunk_cache *cache, ncz_chunk *chunk)
{
    ncz_chunk_link *link = &chunk->link, *last = cache->dirty.prev;

    if (chunk->state != NCZ_CHUNK_DIRTY || chunk->ready || cache->last_ready == link) {
        ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_DIRTY);
    } else if (last != link) { /* it becomes the last */
        link->prev->next = link->next;
        link->next->prev = link->prev;
        *link = (ncz_chunk_link){.prev = last, .next = &cache->dirty};
        last->next = cache->dirty.prev = link;
    }
}

/* Pinned, claimed, being changed or being stored. */
static inline bool
ncz_chunk_busy(const ncz_chunk *chunk)
{
    return chunk->pins > 0 || chunk->writer || chunk->state == NCZ_CHUNK_LOADING || chunk->state == NCZ_CHUNK_STORING;
}

/* ---- chunk_payload.c ---- */

bool   ncz_chunk_is_vlen(const ncz_spec *spec); /* its chunks' data are vlen blocks */
size_t ncz_chunk_data_bytes(const ncz_spec *spec, const char *data);
bool   ncz_chunk_is_fill(const ncz_spec *spec, const char *data); /* holds only its fill value, and has one */

static inline const ncz_vlen_block *
ncz_chunk_vlen(const char *data)
{
    return (const ncz_vlen_block *)(const void *)data;
}

#endif /* NCZ_CHUNK_CACHE_H */
