/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_int: what the files of this room share: the cache's slots, the engine, one call under way, and the batch of
 * chunks on their way to the map.
 *
 * Locks: the engine's mutex guards the cache. It is never held over I/O, codecs or moving of data (but for a few
 * elements); and no thread waits for a chunk while it holds one, so waiting cannot go round in a circle. A call's own
 * mutex, for its status, is the innermost.
 */
#ifndef NCZ_CHUNK_INT_H
#define NCZ_CHUNK_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "chunk/chunk.h"

/* ---- chunk_cache.c: slots under the engine's lock ---- */

typedef enum ncz_chunk_state {
    NCZ_CHUNK_LOADING, /* claimed: one thread loads it, or replaces it past the cache; all others wait */
    NCZ_CHUNK_PARTIAL, /* nothing but a mark: parts of it were read past the cache, at a cost of `partial_cost` */
    NCZ_CHUNK_CLEAN,   /* as stored */
    NCZ_CHUNK_DIRTY,   /* newer than stored */
    NCZ_CHUNK_STORING, /* was dirty, on its way to the map: may be read, not changed */
} ncz_chunk_state;

typedef struct ncz_chunk_link {
    struct ncz_chunk_link *prev, *next;
} ncz_chunk_link;

typedef struct ncz_chunk {
    ncz_chunk_link    link;   /* in a list of the cache, while DIRTY or idle; first, so that a link is its chunk */
    struct ncz_chunk *beside; /* next in its bucket */
    ncz_spec         *spec;
    ncz_chunk_state   state;
    unsigned          pins;   /* threads reading its bytes */
    bool              writer; /* one thread changes its bytes */
    bool              absent; /* no object stands under its key */
    bool              ahead;  /* it was read ahead, and not used in part since */
    uint64_t          used;   /* the cache's clock when it last was; 0: used up */
    uint64_t          tried;  /* the last flush that met it */
    uint64_t          partial_cost;
    char             *data; /* NULL: it holds only fill, or nothing while SEEN */
    uint64_t          index[];
} ncz_chunk;

#define NCZ_CHUNK_SPARES 16

/* Memory of chunks that went, for those that come. */
typedef struct ncz_chunk_spare {
    char  *data;
    size_t nbytes;
} ncz_chunk_spare;

/* Chunks with like hashes; and the hash of the last of them that had to make room, and which one that was. */
typedef struct ncz_chunk_bucket {
    ncz_chunk *first;
    uint64_t   gone, ghost_order;
} ncz_chunk_bucket;

typedef struct ncz_chunk_cache {
    ncz_chunk_bucket *buckets;
    size_t            nbuckets, n;
    size_t            used, limit; /* bytes, of slots too: marks of absent chunks do not pile up without end */
    size_t            nidle;       /* CLEAN and SEEN: may go without being stored */
    size_t            nunstored;   /* DIRTY and STORING */
    uint64_t          clock, seed;
    uint64_t          ngone;            /* chunks that had to make room so far */
    unsigned          random_evictions; /* how many more are to be chosen at random */
    ncz_chunk_link    dirty;            /* the one longest unchanged first */
    ncz_chunk_link    idle;             /* the one longest unused first */
    ncz_chunk_spare   spares[NCZ_CHUNK_SPARES];
    size_t            nspares, spares_most;
} ncz_chunk_cache;

int        ncz_chunk_cache_init(ncz_chunk_cache *cache, size_t limit);
void       ncz_chunk_cache_clear(ncz_chunk_cache *cache);
ncz_chunk *ncz_chunk_find(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index);
/* A new slot, LOADING: the caller's. */
int  ncz_chunk_claim(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index, ncz_chunk **out);
void ncz_chunk_drop(ncz_chunk_cache *cache, ncz_chunk *chunk);
void ncz_chunk_touch(ncz_chunk_cache *cache, ncz_chunk *chunk); /* most recently used */
/* The same when a read uses it. But what was read ahead is used up when all of it is used at once: it counts as not
 * there any more, and its memory is what the next chunk gets. */
void ncz_chunk_use(ncz_chunk_cache *cache, ncz_chunk *chunk, bool whole);
bool ncz_chunk_used_up(const ncz_chunk *chunk);
void ncz_chunk_drop_used_up(ncz_chunk_cache *cache); /* one, if there is one */
void ncz_chunk_set_state(ncz_chunk_cache *cache, ncz_chunk *chunk, ncz_chunk_state state);
/* Takes `data`; what was there is spare. */
void ncz_chunk_set_data(ncz_chunk_cache *cache, ncz_chunk *chunk, char *data);
/* The data of a chunk that only the caller uses, out of it; NULL: it has none. */
char      *ncz_chunk_take_data(ncz_chunk_cache *cache, ncz_chunk *chunk);
size_t     ncz_chunk_cached_bytes(const ncz_spec *spec); /* that a chunk has in the cache, with its slot */
bool       ncz_chunk_busy(const ncz_chunk *chunk);       /* pinned, claimed, being changed or stored */
ncz_chunk *ncz_chunk_from_link(ncz_chunk_link *link);
/* All slots, in no order: NULL begins, NULL ends. The one given must still be there. */
ncz_chunk *ncz_chunk_next(const ncz_chunk_cache *cache, const ncz_chunk *chunk);
/* The next one to make room, of those that may go at once; or NULL. */
ncz_chunk *ncz_chunk_victim(ncz_chunk_cache *cache);
/* Drops it. False: there is none. */
bool ncz_chunk_make_room(ncz_chunk_cache *cache);

void  ncz_chunk_spare_give(ncz_chunk_cache *cache, char *data, size_t nbytes);
char *ncz_chunk_spare_take(ncz_chunk_cache *cache, size_t nbytes); /* NULL: there is none */

/* ---- the engine ---- */

/* The chunks that a call had to load, and those that were read ahead of them: a box of the grid. */
typedef struct ncz_chunk_stream {
    uint64_t uid; /* of the variable; 0: none */
    uint64_t lo[NCZ_RANK_INLINE], hi[NCZ_RANK_INLINE];
    uint64_t nboxes; /* as large as the call's own, that were read ahead */
    uint64_t used;
} ncz_chunk_stream;

#define NCZ_CHUNK_STREAMS 8

typedef struct ncz_chunk_read_ahead {
    bool             on;     /* never changes once data are read */
    atomic_uint      nreads; /* under way */
    uint64_t         clock;
    ncz_chunk_stream walks[NCZ_CHUNK_STREAMS];
} ncz_chunk_read_ahead;

/* ---- chunk_object.c: objects that hold several chunks ---- */

/* What is known of one: its index, and whether it is being stored. Under the engine's lock, but for the index, which
 * never changes once it is loaded. */
typedef struct ncz_chunk_object {
    struct ncz_chunk_object *beside; /* next in its bucket */
    struct ncz_chunk_object *older, *newer;
    uint64_t                 hash, uid; /* uid: of the variable */
    size_t                   rank, nbytes;
    unsigned                 refs; /* tasks that use it, and the one that stores it */
    bool                     loading;
    bool                     storing; /* what the index says does not hold until that is done, and not after */
    bool                     stored;  /* since it was loaded */
    bool                     stale;   /* not in the table any more: another object is there now */
    int                      failed;  /* the index could not be loaded: the code, */
    const ncz_err           *why;     /* and the text; NULL: there was no memory for it */
    ncz_slot                *slots;   /* NULL: not loaded, or there is no such object */
    char                     version[ZMAP_VERSION];
    uint64_t                 at[]; /* its place in the grid of objects */
} ncz_chunk_object;

#define NCZ_CHUNK_OBJECT_BUCKETS 64

typedef struct ncz_chunk_objects {
    ncz_chunk_object *buckets[NCZ_CHUNK_OBJECT_BUCKETS];
    ncz_chunk_object *oldest, *newest; /* by last use */
    size_t            nbytes;          /* of those in the table; counted in the cache's `used`, too */
} ncz_chunk_objects;

struct ncz_engine {
    zmap                *map;
    ncz_limits           limits;
    pthread_mutex_t      lock;
    pthread_cond_t       changed; /* a chunk stopped being busy */
    ncz_chunk_cache      cache;
    ncz_chunk_objects    objects;
    bool                 write_empty; /* chunks that hold only fill are stored, too; never changes once data are */
    uint64_t             pass;        /* counts flushes */
    uint64_t             writes; /* counts chunks claimed to be written: what was known of absent ones may be old */
    ncz_chunk_read_ahead ahead;
};

/* ---- chunk_addr.c ---- */

/* Maps that are driven in batches: requests and bytes that may be on their way at once. */
#define NCZ_CHUNK_BATCH         128
#define NCZ_CHUNK_REQUEST_BATCH 1024 /* of one call: between batches the way to the map runs empty */
#define NCZ_CHUNK_BATCH_BYTES   ((size_t)64 << 20)

/* Chunks up to this size that calls write one by one are stored together: a worker's way to the map and back takes
 * longer than copying them. */
#define NCZ_CHUNK_SMALL_BYTES ((size_t)64 << 10)

bool   ncz_chunk_from_workers(const ncz_engine *e);
size_t ncz_chunk_batch_of(size_t chunk_bytes);

/* The key of a chunk that is an object of its own or lies in one. */
int ncz_chunk_locate(const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where);

/* ---- chunk_memory.c ---- */

/* Memory for a chunk that is to stay in the cache, in which clean ones go until `need` more bytes fit (0: none do).
 * NULL: recorded. */
char *ncz_chunk_room_take(ncz_engine *e, size_t nbytes, size_t need);
void  ncz_chunk_room_give(ncz_engine *e, char *room, size_t nbytes);

/* ---- chunk_request.c: one read or write under way ---- */

typedef enum ncz_chunk_task_state {
    NCZ_CHUNK_TASK_TODO,    /* its chunk is busy, or was not looked at yet */
    NCZ_CHUNK_TASK_CACHED,  /* its chunk is in the cache: pinned for reading, or ours for changing */
    NCZ_CHUNK_TASK_LOAD,    /* to be loaded: into a slot that was claimed for it, or past the cache */
    NCZ_CHUNK_TASK_RANGES,  /* only the parts that are needed are to be read, past the cache */
    NCZ_CHUNK_TASK_REPLACE, /* claimed, to be replaced without loading */
    NCZ_CHUNK_TASK_DONE,
} ncz_chunk_task_state;

/* One piece of a request. */
typedef struct ncz_chunk_task {
    ncz_piece            piece;   /* its arrays are the call's: */
    uint64_t            *off, *n; /* the piece's own, which may be changed */
    ncz_chunk_task_state how;
    ncz_chunk           *chunk;  /* NULL: past the cache */
    bool                 keep;   /* its chunk is to stay in the cache */
    bool                 direct; /* bytes go straight between map or codec and the caller's memory */
    bool                 ahead;  /* no piece of the request: nothing is moved, nothing reported */
    bool                 absent; /* loaded: there is no object */
    ncz_chunk_object    *object; /* that holds the chunk and others, with its index; or NULL */
    unsigned             tries;  /* how often that had to be loaded again */
    uint64_t             writes; /* of the engine, when it was looked up */
    uint64_t             cost;   /* of RANGES: nanoseconds, roughly */
    int                  rc;     /* of loading */
    char                *data;   /* loaded: the decoded chunk */
    char                *room;   /* memory for one decoded chunk, the job's own; or NULL */
    ncz_buf              key;    /* for maps driven in batches: */
    ncz_buf              body;   /* what landed */
    zmap_get_req        *req;
} ncz_chunk_task;

typedef struct ncz_chunk_request {
    ncz_engine     *engine;
    const ncz_plan *plan;
    const ncz_spec *spec;
    ncz_transfer    move;
    char           *mem; /* the caller's; a write only reads it */
    bool            writing;
    bool            workers; /* the map is driven from workers */
    bool            keeping; /* chunks used in part are to stay in the cache */
    bool            walked;  /* what could be read ahead was looked for */
    ncz_chunk_iter *walk;
    ncz_chunk_task *jobs;
    size_t          njobs, cap;    /* cap: of pieces in a batch */
    size_t          room, narrays; /* tables of jobs and of arrays: jobs are shared, and added for chunks ahead */
    size_t          most_kept;     /* jobs of a batch whose chunks stay in the cache */
    uint64_t        begun;         /* jobs of earlier batches */
    uint64_t       *arrays;        /* index, off and n of each job */
    zmap_get_req   *gets;
    size_t          coming; /* bytes that a batch under way will add to the cache */

    pthread_mutex_t lock;  /* guards what follows */
    ncz_err         first; /* the first failure, in the order of pieces */
    uint64_t        first_at;
    bool            range; /* a value was out of range */
} ncz_chunk_request;

int  ncz_chunk_request_init(ncz_chunk_request *c, ncz_engine *e, const ncz_plan *plan, char *mem, bool writing);
void ncz_chunk_request_clear(ncz_chunk_request *c);
/* The next batch of jobs, all TODO; false at the end. */
bool ncz_chunk_request_next(ncz_chunk_request *c);
/* Keeps the thread's record if no earlier job (NULL: behind all) has failed; NC_ERANGE only sets `range`. */
void ncz_chunk_request_fail(ncz_chunk_request *c, const ncz_chunk_task *j, int rc);
/* What the call returns. */
int ncz_chunk_request_status(const ncz_chunk_request *c);
/* Where in memory a job's first element lies. */
char *ncz_chunk_request_dest(const ncz_chunk_request *c, const ncz_chunk_task *j);
/* Looks a job's chunk up under the lock. NULL in *out: it is not there. False: busy, or the job has failed. */
bool ncz_chunk_request_lookup(ncz_chunk_request *c, ncz_chunk_task *j, ncz_chunk **out);

/* Another job for the same piece, with arrays of its own. */
void ncz_chunk_request_copy(ncz_chunk_request *c, ncz_chunk_task *to, const ncz_chunk_task *from);

/* fn(c, i, scratch) for all jobs of the batch, on as many threads as they are worth. */
void ncz_chunk_request_each(ncz_chunk_request *c, ncz_pool_fn fn);

/* A request that lies within one chunk which is in the cache, without much ado. False: not so. */
bool ncz_chunk_fast_read(ncz_engine *e, const ncz_plan *p, char *out, int *rc);
bool ncz_chunk_fast_write(ncz_engine *e, const ncz_plan *p, const char *in, int *rc);

/* ---- chunk_read_ahead.c, under the engine's lock ---- */

/* More jobs for a read, whose own are claimed, if it goes on where an earlier one ended. */
void ncz_chunk_add_ahead(ncz_chunk_request *c);
void ncz_chunk_forget_streams(ncz_engine *e, uint64_t uid);

/* ---- chunk_object.c ---- */

/*
 * The indexes of the objects that the request's tasks are about to read, each in its task: those that are not known by
 * one batch of gets. Objects that are being stored are waited for. Does nothing for chunks that are objects.
 */
void ncz_chunk_request_objects(ncz_chunk_request *c);
void ncz_chunk_request_drop_objects(ncz_chunk_request *c);
/* Sets the range of a task's chunk in `where`, which has a slot. NC_EEMPTY: it is not stored. */
int ncz_chunk_slot_range(const ncz_spec *spec, const ncz_chunk_task *j, ncz_chunk_addr *where);
/* Whether what was read belongs to the index by which it was read. False: neither is of use; try again with: */
bool ncz_chunk_object_current(ncz_engine *e, const ncz_chunk_task *j, const zmap_get_req *req);
int  ncz_chunk_object_reload(ncz_engine *e, const ncz_spec *spec, ncz_chunk_task *j);

/* Marks the object of a chunk as being stored, until ncz_chunk_object_stored(). Both under the lock. */
int  ncz_chunk_object_store(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_object **out);
void ncz_chunk_object_stored(ncz_engine *e, ncz_chunk_object *o);
bool ncz_chunk_object_storing(ncz_engine *e, const ncz_spec *spec, const uint64_t *index); /* under the lock */
void ncz_chunk_objects_trim(ncz_engine *e); /* those longest unused go, until all have their part of the cache */
void ncz_chunk_objects_forget(ncz_engine *e, uint64_t uid); /* under the lock */

/* The slots of an object of `size` bytes, all within it; or NC_EFILTER with the key. */
int ncz_chunk_parse_index(const ncz_spec *spec, const char *key, const void *index, size_t nbytes, uint64_t size,
                          ncz_slot *slots);

/* ---- chunk_ranges.c ---- */

/* Whether it is better to read parts of the chunk than all of it: what that costs, beside what all of it does. */
bool ncz_chunk_ranges_pay(const ncz_chunk_request *c, const ncz_chunk_task *j, uint64_t *parts, uint64_t *whole);
/* Parts RANGES jobs, when there are less of them than workers and each is worth it. Only where workers read. */
void ncz_chunk_share_ranges(ncz_chunk_request *c);
/* The bytes of its chunk from the first to the last that a job needs. */
void ncz_chunk_byte_range(const ncz_chunk_request *c, const ncz_chunk_task *j, ncz_byte_range *part);
/*
 * Reads the bytes that the piece needs of a chunk without codecs, each to where it belongs. NC_NOERR also when some
 * were missing or could not be read: `whole` then, as the usual way reports that.
 */
int ncz_chunk_get_ranges(const ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch, bool *whole);

/* ---- chunk_load.c ---- */

/* Fetches and decodes the chunk of a job; rc, absent and data are set. */
void ncz_chunk_load_one(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch);
/* The same; only the bytes that the piece needs are set, each where it belongs. */
void ncz_chunk_load_ranges(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch);

typedef void (*ncz_chunk_landed_fn)(ncz_chunk_request *c, ncz_chunk_task *j);

/* The same for all LOAD and RANGES jobs with one batched get; `landed` is called for each as it is done, on any thread. */
void ncz_chunk_load_batch(ncz_chunk_request *c, ncz_chunk_landed_fn landed);

/* ---- chunk_store.c ---- */

/* One chunk on its way to the map. */
typedef struct ncz_chunk_store_item {
    ncz_chunk        *chunk;
    const char       *data; /* decoded; NULL: only fill */
    bool              gone; /* it holds only fill: not stored, and deleted unless known to be absent */
    int               rc;
    ncz_buf           key, body; /* for maps driven in batches, and objects of several chunks: */
    const char       *encoded;   /* what is stored: `body`, or `data` when there is no codec */
    size_t            nbytes;
    ncz_chunk_object *object; /* of several chunks: those items that follow each other and have the same are one */
    uint64_t          slot;   /* in it */
} ncz_chunk_store_item;

typedef struct ncz_chunk_store {
    ncz_engine           *engine;
    ncz_chunk_store_item *items;
    zmap_put_req         *puts;
    const char          **dels;
    size_t                n, cap;
    ncz_err               first; /* under the engine's lock while it runs */
    size_t                first_at;
} ncz_chunk_store;

int  ncz_chunk_store_init(ncz_chunk_store *s, ncz_engine *e, size_t cap);
void ncz_chunk_store_clear(ncz_chunk_store *s);
void ncz_chunk_store_reset(ncz_chunk_store *s);                /* empty, memory kept */
int  ncz_chunk_store_reserve(ncz_chunk_store *s, size_t more); /* room for more items */
/* Adds `data` (valid until run) as the contents of a claimed or storing chunk. */
void ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data);
/* Encodes, puts and deletes. Each item carries its own status, s->first the first failure. */
void ncz_chunk_store_run(ncz_chunk_store *s);

/* One chunk at once: item->chunk, item->data. */
int ncz_chunk_store_one(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch);
/* The first half of it, into the item's own memory; then ncz_chunk_store_put() for all that were prepared. */
int  ncz_chunk_store_encode(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch);
int  ncz_chunk_store_encode_into(const ncz_engine *e, ncz_chunk_store_item *item, ncz_buf *key, ncz_buf *body,
                                 ncz_scratch *scratch); /* the same, into memory of the caller's */
void ncz_chunk_store_put(ncz_chunk_store *s);
void ncz_chunk_store_fail(ncz_chunk_store *s, ncz_chunk_store_item *item, int rc);

/* ---- chunk_store_object.c ---- */

/* Stores the object that begins with item `first`, from end to end. Its items are not encoded yet. */
void ncz_chunk_store_object(ncz_chunk_store *s, size_t first, ncz_scratch *scratch);
/* Stores all objects of several chunks with batches of gets and puts. Their items are encoded. */
void ncz_chunk_store_objects(ncz_chunk_store *s);

/* ---- chunk_payload.c ---- */

bool   ncz_chunk_is_vlen(const ncz_spec *spec); /* its chunks' data are blocks of texts */
size_t ncz_chunk_data_bytes(const ncz_spec *spec, const char *data);
bool   ncz_chunk_is_fill(const ncz_spec *spec, const char *data); /* there is a fill value, and nothing else in it */

static inline const ncz_vlen_block *
ncz_chunk_vlen(const char *data)
{
    return (const ncz_vlen_block *)(const void *)data;
}

/* ---- chunk_vlen.c ---- */

void ncz_chunk_task_drop_room(ncz_chunk_request *c, ncz_chunk_task *j);
/* Sets j->data: of the job's own (j->room) if it is to stay, else of the scratch. */
int ncz_chunk_decode_vlen(ncz_chunk_request *c, ncz_chunk_task *j, const ncz_buf *body, ncz_scratch *scratch);
/* Puts the piece into the block (NULL: all fill), which is the caller's and may become another. */
int ncz_chunk_change_vlen(ncz_chunk_request *c, const ncz_chunk_task *j, char **block);
/* The block `old` (NULL: all fill) with the piece put, into `out`. */
int ncz_chunk_put_vlen(ncz_chunk_request *c, const ncz_chunk_task *j, const char *old, ncz_buf *out);
int ncz_chunk_encode_vlen(const ncz_spec *spec, const char *data, ncz_scratch *scratch, ncz_buf *out);

/* ---- chunk_evict.c ---- */

/* Brings the cache down so that `need` more bytes fit its limit. `store`: dirty chunks are stored for it; the first
 * failure is returned. Without: only clean ones go. */
int ncz_chunk_evict(ncz_engine *e, size_t need, bool store);

#endif /* NCZ_CHUNK_INT_H */
