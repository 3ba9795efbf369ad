/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_int: what the files of this room share: the cache's slots, the engine, one call under way, and the batch of
 * chunks on their way to the map.
 *
 * Locks: the engine's mutex guards the cache. It is never held over I/O, codecs or moving of data; and no thread
 * waits for a chunk while it holds one, so waiting cannot go round in a circle.
 */
#ifndef NCZ_CHUNK_INT_H
#define NCZ_CHUNK_INT_H

#include <pthread.h>

#include "chunk/chunk.h"

/* ---- cache.c: slots under the engine's lock ---- */

typedef enum ncz_chunk_state {
    NCZ_CHUNK_LOADING, /* claimed: one thread loads it, or replaces it past the cache; all others wait */
    NCZ_CHUNK_CLEAN,   /* as stored */
    NCZ_CHUNK_DIRTY,   /* newer than stored */
    NCZ_CHUNK_STORING, /* was dirty, on its way to the map: may be read, not changed */
} ncz_chunk_state;

typedef struct ncz_chunk_link {
    struct ncz_chunk_link *prev, *next;
} ncz_chunk_link;

typedef struct ncz_chunk {
    ncz_chunk_link    lru;    /* first, so that a link is its chunk */
    ncz_chunk_link    dirty;  /* in the list of dirty ones, while DIRTY */
    struct ncz_chunk *beside; /* next in its bucket */
    ncz_spec         *spec;
    ncz_chunk_state   state;
    unsigned          pins;    /* threads reading its bytes */
    bool              writer;  /* one thread changes its bytes */
    bool              absent;  /* no object stands under its key */
    uint64_t          tried;   /* the last flush that met it */
    char             *data;    /* NULL: it holds only fill */
    uint64_t          index[];
} ncz_chunk;

typedef struct ncz_chunk_cache {
    ncz_chunk    **buckets;
    size_t         nbuckets, n;
    size_t         used, limit;  /* bytes, of slots too: marks of absent chunks do not pile up without end */
    size_t         nunstored;    /* DIRTY and STORING */
    ncz_chunk_link lru, dirty;   /* oldest first */
} ncz_chunk_cache;

int        ncz_chunk_cache_init(ncz_chunk_cache *cache, size_t limit);
void       ncz_chunk_cache_clear(ncz_chunk_cache *cache);
ncz_chunk *ncz_chunk_find(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index);
/* A new slot, LOADING: the caller's. */
int        ncz_chunk_claim(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index, ncz_chunk **out);
void       ncz_chunk_drop(ncz_chunk_cache *cache, ncz_chunk *chunk);
void       ncz_chunk_touch(ncz_chunk_cache *cache, ncz_chunk *chunk); /* most recently used */
void       ncz_chunk_set_state(ncz_chunk_cache *cache, ncz_chunk *chunk, ncz_chunk_state state);
/* Takes `data`; frees what was there. */
void       ncz_chunk_set_data(ncz_chunk_cache *cache, ncz_chunk *chunk, char *data);
bool       ncz_chunk_busy(const ncz_chunk *chunk); /* pinned, claimed, being changed or stored */
ncz_chunk *ncz_chunk_of_dirty(ncz_chunk_link *link);

/* ---- the engine ---- */

struct ncz_engine {
    zmap           *map;
    ncz_limits      limits;
    pthread_mutex_t lock;
    pthread_cond_t  changed; /* a chunk stopped being busy */
    ncz_chunk_cache cache;
    uint64_t        pass;    /* counts flushes */
};

/* Requests and bytes that may be on their way at once. Maps that are driven from workers get one at a time. */
#define NCZ_CHUNK_BATCH       128
#define NCZ_CHUNK_BATCH_BYTES ((size_t)64 << 20)

size_t ncz_chunk_batch_of(const ncz_engine *e, size_t chunk_bytes);

/* ---- call.c: one read or write under way ---- */

typedef enum ncz_chunk_job_how {
    NCZ_CHUNK_JOB_TODO,    /* its chunk is busy, or was not looked at yet */
    NCZ_CHUNK_JOB_CACHED,  /* its chunk is in the cache: pinned for reading, or ours for changing */
    NCZ_CHUNK_JOB_LOAD,    /* claimed, to be loaded */
    NCZ_CHUNK_JOB_REPLACE, /* claimed, to be replaced without loading */
    NCZ_CHUNK_JOB_DONE,
} ncz_chunk_job_how;

/* One piece of a request. */
typedef struct ncz_chunk_job {
    ncz_piece         piece; /* its arrays are the call's */
    ncz_chunk_job_how how;
    ncz_chunk        *chunk;
    bool              keep;   /* its chunk is to stay in the cache */
    bool              direct; /* bytes go straight between map or codec and the caller's memory */
    bool              absent; /* loaded: there is no object */
    int               rc;     /* of loading */
    char             *data;   /* loaded: the decoded chunk, borrowed unless `keep` */
    char             *room;   /* memory for one decoded chunk, made when needed and used again */
    ncz_buf           key;
} ncz_chunk_job;

typedef struct ncz_chunk_call {
    ncz_engine     *engine;
    const ncz_plan *plan;
    const ncz_spec *spec;
    ncz_move        move;
    ncz_codec_env   env;
    char           *mem;     /* the caller's; a write only reads it */
    ncz_walk       *walk;
    ncz_chunk_job  *jobs;
    size_t          njobs, cap;
    uint64_t       *arrays;  /* index, off and n of each job */
    zmap_get_req   *gets;
    char           *scratch; /* one decoded chunk, for the jobs of a batch by turns */
    ncz_err         first;   /* the first failure */
    bool            range;   /* a value was out of range */
} ncz_chunk_call;

int  ncz_chunk_call_init(ncz_chunk_call *c, ncz_engine *e, const ncz_plan *plan, char *mem);
void ncz_chunk_call_clear(ncz_chunk_call *c);
/* The next batch of jobs, all TODO; false at the end. */
bool ncz_chunk_call_next(ncz_chunk_call *c);
/* Keeps the thread's record if it is the first; NC_ERANGE only sets `range`. */
void ncz_chunk_call_fail(ncz_chunk_call *c, int rc);
/* What the call returns. */
int  ncz_chunk_call_status(const ncz_chunk_call *c);
/* Memory for one decoded chunk in *room, unless there is some already. */
int  ncz_chunk_call_room(ncz_chunk_call *c, char **room);
/* Where in memory a job's first element lies. */
char *ncz_chunk_call_place(const ncz_chunk_call *c, const ncz_chunk_job *j);

/* Looks a job's chunk up under the lock. NULL in *out: to be claimed. False: busy, or the job has failed. */
bool ncz_chunk_call_look(ncz_chunk_call *c, ncz_chunk_job *j, ncz_chunk **out);

/* ---- load.c ---- */

typedef void (*ncz_chunk_landed_fn)(ncz_chunk_call *c, ncz_chunk_job *j);

/* Fetches and decodes all LOAD jobs; `landed` is called for each as it is done, with rc, absent and data set. */
void ncz_chunk_load(ncz_chunk_call *c, ncz_chunk_landed_fn landed);

/* The key of a chunk that is an object of its own or lies in one. */
int ncz_chunk_locate(const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_where *where);

/* ---- store.c ---- */

/* One chunk on its way to the map. */
typedef struct ncz_chunk_store_item {
    ncz_chunk  *chunk;
    ncz_buf     key, body;
    const char *data;    /* what is put: `body`, or the chunk's own bytes when there is no codec */
    size_t      nbytes;
    bool        gone;    /* it holds only fill: not stored, and deleted unless known to be absent */
    int         rc;
} ncz_chunk_store_item;

typedef struct ncz_chunk_store {
    ncz_engine           *engine;
    ncz_chunk_store_item *items;
    zmap_put_req         *puts;
    const char          **dels;
    size_t                n, cap;
    ncz_err               first;
} ncz_chunk_store;

int  ncz_chunk_store_init(ncz_chunk_store *s, ncz_engine *e, size_t cap);
void ncz_chunk_store_clear(ncz_chunk_store *s);
void ncz_chunk_store_reset(ncz_chunk_store *s); /* empty, memory kept */
/* Encodes `data` (valid until run, if there is no codec) as the contents of a claimed or storing chunk. */
void ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data);
/* Puts and deletes. Each item carries its own status, s->first the first failure. */
void ncz_chunk_store_run(ncz_chunk_store *s);

/* ---- evict.c ---- */

/* Brings the cache down so that `need` more bytes fit its limit. `store`: dirty chunks are stored for it; the first
 * failure is returned. Without: only clean ones go. */
int ncz_chunk_evict(ncz_engine *e, size_t need, bool store);

#endif /* NCZ_CHUNK_INT_H */
