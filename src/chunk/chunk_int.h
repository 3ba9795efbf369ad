/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_int: shared by the files of this module: the cache's slots, the engine, one request in progress, and the
 * batch of chunks being stored. chunk_object_int.h has what is about objects of several chunks.
 *
 * Locks: the engine's mutex guards the cache. No thread holds it over I/O, codecs or moves of data (except for a few
 * elements). No thread waits for a chunk while it holds one, so waiting cannot deadlock. A request's own mutex guards
 * its status and is the innermost lock.
 */
#ifndef NCZ_CHUNK_INT_H
#define NCZ_CHUNK_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "chunk/chunk.h"
#include "chunk/chunk_object_int.h"

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
    uint64_t          used;   /* the cache's clock at the last use; 0: used up */
    uint64_t          tried;  /* the last flush that took it */
    uint64_t          partial_cost;
    char             *data;    /* NULL: only fill; or PARTIAL, which has no data */
    char             *version; /* of its object, as loaded or stored last; NULL: unknown */
    uint64_t *ours; /* DIRTY, STORING: one bit for each element, those written here; NULL: all (chunk_ours.c) */
    uint64_t  index[];
} ncz_chunk;

#define NCZ_CHUNK_SPARES 16

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
    size_t            used, limit; /* bytes, slots included, so that records of absent chunks are bounded, too */
    size_t            nidle;       /* CLEAN and PARTIAL: may be dropped without being stored */
    size_t            nunstored;   /* DIRTY and STORING */
    uint64_t          clock, seed;
    uint64_t          ngone;            /* chunks evicted so far */
    unsigned          random_evictions; /* the next evictions that choose at random */
    ncz_chunk_link    dirty;            /* longest unchanged first */
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
void ncz_chunk_touch(ncz_chunk_cache *cache, ncz_chunk *chunk); /* makes it the most recently used */
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
bool       ncz_chunk_busy(const ncz_chunk *chunk);       /* pinned, claimed, being changed or being stored */
ncz_chunk *ncz_chunk_from_link(ncz_chunk_link *link);
/* Iterates over all slots, in no order: NULL begins, NULL ends. `chunk` must still be in the cache. */
ncz_chunk *ncz_chunk_next(const ncz_chunk_cache *cache, const ncz_chunk *chunk);
/* The next chunk to evict, among those that need no storing; or NULL. */
ncz_chunk *ncz_chunk_victim(ncz_chunk_cache *cache);
/* Evicts that chunk. False: no chunk can be evicted. */
bool ncz_chunk_make_room(ncz_chunk_cache *cache);

void  ncz_chunk_spare_give(ncz_chunk_cache *cache, char *data, size_t nbytes);
char *ncz_chunk_spare_take(ncz_chunk_cache *cache, size_t nbytes); /* NULL: none of that size */

/* ---- the engine ---- */

/* The chunks that a request loaded and those it read ahead, as a box of the grid. */
typedef struct ncz_chunk_stream {
    uint64_t uid; /* of the variable; 0: none */
    uint64_t lo[NCZ_RANK_INLINE], hi[NCZ_RANK_INLINE];
    uint64_t nboxes; /* boxes read ahead, each as large as the request's own */
    uint64_t used;
} ncz_chunk_stream;

#define NCZ_CHUNK_STREAMS 8

typedef struct ncz_chunk_read_ahead {
    bool             on;     /* never changes once data are read */
    atomic_uint      nreads; /* in progress */
    uint64_t         clock;
    ncz_chunk_stream walks[NCZ_CHUNK_STREAMS];
} ncz_chunk_read_ahead;

struct ncz_engine {
    zmap                *map;
    ncz_limits           limits;
    pthread_mutex_t      lock;
    pthread_cond_t       changed; /* a chunk stopped being busy */
    ncz_chunk_cache      cache;
    ncz_chunk_objects    objects;
    ncz_chunk_staging    staging;
    atomic_bool          conditions;  /* the store has conditional puts, of both kinds, */
    bool                 del_match;   /* and deletes on condition */
    bool                 write_empty; /* chunks that hold only fill are stored, too; constant once data are */
    atomic_bool          narrow_told; /* the log says that there are narrow chunks (chunk_narrow.c) */
    size_t               keep_whole;  /* objects up to this size are got whole and made in memory, */
    size_t               keep_range;  /* and others in ranges of at most so many bytes; only tests change the two */
    uint64_t             pass;        /* counts flushes */
    uint64_t             writes; /* counts chunks claimed for writing; after a change, "absent" may be out of date */
    ncz_chunk_read_ahead ahead;
};

/* ---- chunk_addr.c ---- */

/* Stores that take batches: how many requests and bytes are sent at once. */
#define NCZ_CHUNK_BATCH         128
#define NCZ_CHUNK_REQUEST_BATCH 1024 /* for one request: between batches the connection is idle */
#define NCZ_CHUNK_BATCH_BYTES   ((size_t)64 << 20)

/* Objects of several chunks that keep some of them: see `keep_whole` and `keep_range`. */
#define NCZ_CHUNK_KEEP_WHOLE ((size_t)32 << 20)
#define NCZ_CHUNK_KEEP_RANGE ((size_t)8 << 20)

/*
 * Chunks up to this size that calls write one by one are stored together, since handing a chunk to a worker takes
 * longer than copying it.
 */
#define NCZ_CHUNK_SMALL_BYTES ((size_t)64 << 10)

bool   ncz_chunk_from_workers(const ncz_engine *e);
size_t ncz_chunk_batch_of(size_t chunk_bytes);

/* A line of the log: what happened to a chunk, its bytes as stored and in memory, and the time since `begun`
 * (chunk_log.c). */
void ncz_chunk_log(const ncz_spec *spec, const uint64_t *index, const char *what, size_t stored, size_t nbytes,
                   int64_t begun);

/* ---- chunk_memory.c ---- */

/*
 * Memory for a chunk that is to stay in the cache. First evicts clean chunks until `need` more bytes fit (0: evicts
 * none). NULL: out of memory, recorded.
 */
char *ncz_chunk_room_take(ncz_engine *e, size_t nbytes, size_t need);
void  ncz_chunk_room_give(ncz_engine *e, char *room, size_t nbytes);

/* ---- chunk_request.c: one read or write in progress ---- */

typedef enum ncz_chunk_task_state {
    NCZ_CHUNK_TASK_TODO,    /* its chunk is busy, or was not looked up yet */
    NCZ_CHUNK_TASK_CACHED,  /* its chunk is cached: pinned for reading, or held for changing */
    NCZ_CHUNK_TASK_LOAD,    /* to be loaded, into a claimed slot or past the cache */
    NCZ_CHUNK_TASK_RANGES,  /* only the needed parts are read, past the cache */
    NCZ_CHUNK_TASK_REPLACE, /* claimed; to be replaced without loading */
    NCZ_CHUNK_TASK_DONE,
} ncz_chunk_task_state;

typedef struct ncz_chunk_run ncz_chunk_run;

/* The work on one piece of a request. */
typedef struct ncz_chunk_task {
    ncz_piece            piece;   /* its arrays belong to the request */
    uint64_t            *off, *n; /* piece.off and piece.n, writable */
    ncz_chunk_task_state how;
    ncz_chunk           *chunk;  /* NULL: past the cache */
    bool                 keep;   /* its chunk stays in the cache */
    bool                 direct; /* bytes go straight between store or codec and the caller's memory */
    bool                 ahead;  /* read ahead: not part of the request, moves nothing and reports nothing */
    bool                 absent; /* after loading: there is no object */
    ncz_chunk_object    *object; /* the object that holds the chunk and others, with its index; or NULL */
    ncz_chunk_part      *part;   /* the staged chunk, which is loaded instead of the stored one; or NULL */
    unsigned             tries;  /* reloads of that object's index */
    const ncz_chain     *chain;  /* once it is located: the codecs of its chunk, */
    bool                 tail;   /* and whether that may end before its shape does */
    bool                 all;    /* RANGES: its place does not allow it to be read in parts */
    uint64_t             writes; /* the engine's `writes` when the chunk was looked up */
    uint64_t             cost;   /* RANGES: about this many nanoseconds */
    int                  rc;     /* the status of loading */
    char                *data;   /* after loading: the decoded chunk */
    char                *room;   /* memory for one decoded chunk, owned by the task; or NULL */
    ncz_buf              key;    /* for stores that take batches */
    ncz_buf              body;   /* the bytes received */
    zmap_get_req        *req;
    ncz_chunk_run       *run; /* the request that brings its bytes with those of others; or NULL */
} ncz_chunk_task;

typedef struct ncz_chunk_request {
    ncz_engine     *engine;
    const ncz_plan *plan;
    const ncz_spec *spec;
    ncz_transfer    move;
    char           *mem; /* the caller's; a write only reads it */
    bool            writing;
    bool            workers; /* workers call the store */
    bool            keeping; /* chunks used in part stay in the cache */
    bool            walked;  /* read-ahead was already considered */
    ncz_chunk_iter *walk;
    ncz_chunk_iter *objects; /* where chunks share objects: over the objects, and `walk` is over the chunks of one */
    ptrdiff_t       base;    /* the place in memory that `walk` counts from, in elements */
    ncz_chunk_task *jobs;
    size_t          njobs, cap;    /* cap: most pieces in a batch */
    size_t          room, narrays; /* allocated tasks and arrays; sharing and read-ahead add tasks */
    size_t          most_kept;     /* most tasks of a batch whose chunks stay in the cache */
    uint64_t        begun;         /* tasks of earlier batches */
    uint64_t       *arrays;        /* index, off and n of each task */
    zmap_get_req   *gets;
    size_t          coming; /* bytes that the batch in progress will add to the cache */

    pthread_mutex_t lock;  /* guards the members below */
    ncz_err         first; /* the first failure, in the order of pieces */
    uint64_t        first_at;
    bool            range; /* a value was out of range */
} ncz_chunk_request;

int  ncz_chunk_request_init(ncz_chunk_request *c, ncz_engine *e, const ncz_plan *plan, char *mem, bool writing);
void ncz_chunk_request_clear(ncz_chunk_request *c);
/* Sets the next batch of tasks, all TODO. False: the request has no more. */
bool ncz_chunk_request_next(ncz_chunk_request *c);
/*
 * Keeps the thread's error record unless an earlier task has failed. j NULL: the failure ranks after those of all
 * tasks. NC_ERANGE only sets `range`.
 */
void ncz_chunk_request_fail(ncz_chunk_request *c, const ncz_chunk_task *j, int rc);
/* The status that the request returns. */
int ncz_chunk_request_status(const ncz_chunk_request *c);
/* The place in memory of a task's first element. */
char *ncz_chunk_request_dest(const ncz_chunk_request *c, const ncz_chunk_task *j);
/* Looks up a task's chunk, under the lock. NULL in *out: not cached. False: busy, or the task has failed. */
bool ncz_chunk_request_lookup(ncz_chunk_request *c, ncz_chunk_task *j, ncz_chunk **out);

void ncz_chunk_task_drop_part(ncz_chunk_request *c, ncz_chunk_task *j);

/* Makes another task for the same piece, with its own arrays. */
void ncz_chunk_request_copy(ncz_chunk_request *c, ncz_chunk_task *to, const ncz_chunk_task *from);

/* How many threads the work of the batch is worth. */
size_t ncz_chunk_request_threads(const ncz_chunk_request *c);

/* Runs a request that lies within one cached chunk. False: it does not, and nothing was done. */
bool ncz_chunk_fast_read(ncz_engine *e, const ncz_plan *p, char *out, int *rc);
bool ncz_chunk_fast_write(ncz_engine *e, const ncz_plan *p, const char *in, int *rc);

/* ---- chunk_read.c, chunk_rectilinear.c ---- */

/* Sets the places of a read of elements that own memory to NULL, for a read in several parts. `k`: scratch, rank
 * numbers. */
void ncz_chunk_begin_read(const ncz_select *s, const ncz_type *mem, void *out, uint64_t *k);
/* Frees what a read of elements that own memory delivered, and sets their places to NULL. */
void ncz_chunk_release_read(const ncz_select *s, const ncz_type *mem, void *out, uint64_t *k);
/* ncz_engine_read() for an array whose chunks and objects have one length. */
int ncz_chunk_read_regular(ncz_engine *e, const ncz_plan *p, void *out);

/* ---- chunk_read_ahead.c, under the engine's lock ---- */

/* Adds tasks to a read that continues where an earlier one ended. Its own tasks are claimed already. */
void ncz_chunk_add_ahead(ncz_chunk_request *c);
void ncz_chunk_forget_streams(ncz_engine *e, uint64_t uid);

/* ---- chunk_object.c ---- */

/* How many chunks of that chunk's object lie inside the array. */
size_t ncz_chunk_object_inside(const ncz_spec *spec, const uint64_t *index);

uint64_t ncz_chunk_object_hash(const ncz_spec *spec,
                               const uint64_t *index); /* the same for all chunks of an object */
/*
 * Gives each task the index of the object that it is about to read. One batch of gets fetches the unknown indexes.
 * Waits for objects that are being stored. Does nothing where each chunk is an object. Where the store takes batches
 * and the request wants most of an object, the index stays unknown and the object is claimed for being read whole
 * (object->whole): ncz_chunk_load_batch() then must get it.
 */
void ncz_chunk_request_objects(ncz_chunk_request *c);
void ncz_chunk_request_drop_objects(ncz_chunk_request *c);
/* Sets the range of a task's chunk in `where`, which has a slot. NC_EEMPTY: it is not stored. */
int ncz_chunk_slot_range(const ncz_spec *spec, const ncz_chunk_task *j, ncz_chunk_addr *where);
/* Whether the bytes read belong to the index that gave their range. False: reload the index and read again. */
bool ncz_chunk_object_current(ncz_engine *e, const ncz_chunk_task *j, const zmap_get_req *req);
int  ncz_chunk_object_reload(ncz_engine *e, const ncz_spec *spec, ncz_chunk_task *j);

/* ---- chunk_ranges.c ---- */

/* Whether reading parts of the chunk is cheaper than reading all of it. Sets both costs. */
bool ncz_chunk_ranges_pay(const ncz_chunk_request *c, const ncz_chunk_task *j, uint64_t *parts, uint64_t *whole);
/* Splits RANGES tasks when there are fewer than workers and the split pays. Only where workers read. */
void ncz_chunk_share_ranges(ncz_chunk_request *c);
/* The bytes of its chunk that a task needs, from the first to the last. */
void ncz_chunk_byte_range(const ncz_chunk_request *c, const ncz_chunk_task *j, ncz_byte_range *part);
/*
 * Reads the bytes that the piece needs of a chunk without codecs, each to its place. Returns NC_NOERR with *whole set
 * when bytes were missing or could not be read: loading the whole chunk then reports the error.
 */
int ncz_chunk_get_ranges(const ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch, bool *whole);

/* ---- chunk_load.c ---- */

/* Fetches and decodes the chunk of a task. Sets rc, absent and data. */
void ncz_chunk_load_one(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch);
/* The same, but sets only the bytes that the piece needs, each in its place. */
void ncz_chunk_load_ranges(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch);

/* Puts the key before the text of an error in an object's contents, and returns its code. */
int ncz_chunk_fail_key(const char *key, int rc);

/* The steps of loading a chunk. */
size_t ncz_chunk_stored_most(const ncz_chunk_request *c); /* the most bytes of a chunk's stored form */
/*
 * Asks for the version of an object where it is needed: of a chunk that may be changed and stored on condition, and
 * of a range that an index gave; of that one at first for the index's version only. (A
 * store whose conditions cannot be trusted is asked without one then.) ncz_chunk_object_current() compares them.
 */
void ncz_chunk_ask_version(const ncz_chunk_request *c, const ncz_chunk_task *j, zmap_get_req *req);
/* Finds the place of a task's chunk, or sets absent when the index says that the chunk is not stored. */
int ncz_chunk_locate_task(const ncz_chunk_request *c, ncz_chunk_task *j, ncz_buf *key, ncz_chunk_addr *where);
/* Chooses where the decoded bytes of a task go. Without a scratch that is the task's own memory. */
int ncz_chunk_choose_target(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch);
/* Takes the outcome of a request. Without a chain the bytes are in their place already. */
int ncz_chunk_decode(ncz_chunk_request *c, ncz_chunk_task *j, const zmap_get_req *req, const void *body, size_t len,
                     ncz_scratch *scratch);
/* Decodes a chunk whose stored bytes are at hand. */
int ncz_chunk_take_bytes(ncz_chunk_request *c, ncz_chunk_task *j, const char *key, const void *bytes, size_t n,
                         ncz_scratch *scratch);
/* The object was replaced after its index was read: reads both again. */
int ncz_chunk_load_again(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch);

/* ---- chunk_narrow.c ---- */

/* Whether it is an array of strings of fixed width, whose chunks may be narrower. */
bool ncz_chunk_has_width(const ncz_spec *spec);
/* Makes a chunk without codecs, `nbytes` at `data`, as wide as the array says. NC_ETRUNC: it is no narrower chunk. */
int ncz_chunk_spread_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, size_t nbytes, char *data);
/* The same with codecs, after they have failed with NC_EFILTER for the array's width. That error stays the thread's
 * if it is no narrower chunk. `to`: room for the chunk. */
int ncz_chunk_decode_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, ncz_scratch *scratch,
                            const void *bytes, size_t n, char *to);

/* ---- chunk_load_batch.c ---- */

typedef void (*ncz_chunk_landed_fn)(ncz_chunk_request *c, ncz_chunk_task *j);

/*
 * Loads all LOAD and RANGES tasks with one batched get. Calls `landed` for each task when it is done, on any thread.
 */
void ncz_chunk_load_batch(ncz_chunk_request *c, ncz_chunk_landed_fn landed);

/* ---- chunk_ours.c ---- */

/* Whether parts of this variable's chunks may be written by several processes: the store has conditions. */
bool ncz_chunk_is_shared(const ncz_engine *e, const ncz_spec *spec);
/* Whether a piece that is whole ends inside its chunk, along a dimension that can grow. */
bool ncz_chunk_may_continue(const ncz_engine *e, const ncz_plan *plan, const ncz_piece *piece);
/* Call it before a piece of the chunk is changed, by the thread that may change it. */
int  ncz_chunk_note_write(const ncz_engine *e, ncz_chunk *chunk, const ncz_piece *piece);
void ncz_chunk_drop_ours(ncz_chunk *chunk);
bool ncz_chunk_all_ours(const ncz_spec *spec, const uint64_t *ours);
void ncz_chunk_set_version(ncz_chunk *chunk, const char *version); /* NULL or "": unknown */

#define NCZ_OURS_BITS 64

static inline bool
ncz_chunk_is_ours(const uint64_t *ours, size_t elem)
{
    return (ours[elem / NCZ_OURS_BITS] >> (elem % NCZ_OURS_BITS) & 1) != 0;
}

/* Gives the part what is known of the chunk's elements: which were written here, and over which version. */
int ncz_chunk_part_note(ncz_chunk_part *p, const ncz_chunk *chunk);
/* The part replaces `old`, which was not stored: what was written in `old` is written in it. */
void ncz_chunk_part_inherit(const ncz_spec *spec, ncz_chunk_part *p, const ncz_chunk_part *old);
void ncz_chunk_part_drop_ours(ncz_chunk_part *p);

/* ---- chunk_overlay.c ---- */

/* A stored chunk, and the elements that were written here to lay over it. */
typedef struct ncz_chunk_overlay {
    ncz_engine     *engine;
    const ncz_spec *spec;
    ncz_scratch    *scratch;
    const char     *key;    /* for texts */
    const char     *theirs; /* the stored bytes; NULL: there is no chunk */
    size_t          ntheirs;
    const char     *ours; /* decoded; NULL: only fill */
    const uint64_t *bits; /* which elements of it were written here */
} ncz_chunk_overlay;

/* Makes the decoded chunk in *data, which is NULL or the result of an earlier call. The caller frees it. */
int ncz_chunk_overlay_make(const ncz_chunk_overlay *o, char **data);
/* Decodes a chunk into new memory. */
int ncz_chunk_decode_new(const ncz_chunk_overlay *o, const char *bytes, size_t nbytes, char **data);

/* ---- chunk_payload.c ---- */

bool   ncz_chunk_is_vlen(const ncz_spec *spec); /* its chunks' data are vlen blocks */
size_t ncz_chunk_data_bytes(const ncz_spec *spec, const char *data);
bool   ncz_chunk_is_fill(const ncz_spec *spec, const char *data); /* holds only its fill value, and has one */

static inline const ncz_vlen_block *
ncz_chunk_vlen(const char *data)
{
    return (const ncz_vlen_block *)(const void *)data;
}

/* ---- chunk_vlen.c ---- */

void ncz_chunk_task_drop_room(ncz_chunk_request *c, ncz_chunk_task *j);
/* Sets j->data: in the task's own memory (j->room) if the chunk stays in the cache, else in the scratch. */
int ncz_chunk_decode_vlen(ncz_chunk_request *c, ncz_chunk_task *j, const void *body, size_t len,
                          ncz_scratch *scratch);
/* Puts the piece into the caller's block (NULL: all fill), which may be reallocated. */
int ncz_chunk_change_vlen(ncz_chunk_request *c, const ncz_chunk_task *j, char **block);
/* Writes the block `old` (NULL: all fill), with the piece put into it, to `out`. */
int ncz_chunk_put_vlen(ncz_chunk_request *c, const ncz_chunk_task *j, const char *old, ncz_buf *out);
int ncz_chunk_encode_vlen(const ncz_spec *spec, const char *data, ncz_scratch *scratch, ncz_buf *out);

/* ---- chunk_evict.c ---- */

/*
 * Shrinks the cache until `need` more bytes fit its limit. With `store` it stores dirty chunks where that is needed
 * and returns the first failure; without, it drops only clean ones.
 */
int ncz_chunk_evict(ncz_engine *e, size_t need, bool store);

#endif /* NCZ_CHUNK_INT_H */
