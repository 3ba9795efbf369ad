/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_request: one read or write in progress, shared by the files that run it.
 */
#ifndef NCZ_CHUNK_REQUEST_H
#define NCZ_CHUNK_REQUEST_H

#include <pthread.h>

#include "chunk/chunk.h"
#include "object/object.h"

/* ---- chunk_request.c: one read or write in progress ---- */

typedef enum ncz_chunk_task_state {
    NCZ_CHUNK_TASK_TODO,    /* its chunk is busy, or was not looked up yet */
    NCZ_CHUNK_TASK_CACHED,  /* its chunk is cached: pinned for reading, or held for changing */
    NCZ_CHUNK_TASK_LOAD,    /* to be loaded, into a claimed cell or past the cache */
    NCZ_CHUNK_TASK_RANGES,  /* only the needed parts are read, past the cache */
    NCZ_CHUNK_TASK_REPLACE, /* claimed; to be replaced without loading */
    NCZ_CHUNK_TASK_DONE,
} ncz_chunk_task_state;

typedef struct ncz_chunk_run    ncz_chunk_run;
typedef struct ncz_chunk_append ncz_chunk_append;
typedef struct ncz_chunk_task   ncz_chunk_task;

/* The work on one piece of a request. */
struct ncz_chunk_task {
    ncz_piece            piece;   /* its arrays belong to the request */
    uint64_t            *off, *n; /* piece.off and piece.n, writable */
    ncz_chunk_task_state state;
    ncz_cell            *chunk;      /* NULL: past the cache */
    bool                 keep;       /* its chunk stays in the cache */
    bool                 direct;     /* bytes go straight between store or codec and the caller's memory */
    bool                 ahead;      /* read ahead: not part of the request, moves nothing and reports nothing */
    bool                 absent;     /* after loading: there is no object */
    ncz_object          *object;     /* the object that holds the chunk and others, with its index; or NULL */
    ncz_staged_chunk    *staged;     /* the staged chunk, which is loaded instead of the stored one; or NULL */
    unsigned             tries;      /* reloads of that object's index */
    const ncz_chain     *chain;      /* once it is located: the codecs of its chunk, */
    ncz_chunk_tail       tail;       /* what it has where it ends before its shape does, */
    size_t               row, pitch; /* how its bytes lie, */
    const uint64_t      *extent;     /* and how many of them are the array's (ncz_chunk_addr) */
    const void          *beyond;
    bool                 all;      /* RANGES: its place does not allow it to be read in parts */
    bool                 alone;    /* RANGES: one worker reads it */
    ncz_chunk_task      *half_of;  /* RANGES, of a half: the task that has the other one, */
    size_t               half_dim; /* and the dimension in which they lie side by side */
    uint64_t             writes;   /* the engine's `writes` when the chunk was looked up */
    uint64_t             cost;     /* RANGES: about this many nanoseconds */
    int                  rc;       /* the status of loading */
    char                *data;     /* after loading: the decoded chunk */
    char                *room;     /* memory for one decoded chunk, owned by the task; or NULL */
    ncz_buf              key;      /* for stores that take batches */
    ncz_buf              body;     /* the bytes received */
    zmap_get_req        *get;
    ncz_chunk_run       *run;    /* the request that brings its bytes with those of others; or NULL */
    ncz_chunk_append    *append; /* the object that its chunk goes into as soon as it is encoded; or NULL */
};

typedef struct ncz_chunk_request {
    ncz_engine     *engine;
    const ncz_plan *plan;
    const ncz_spec *spec;
    ncz_transfer    move;
    char           *mem; /* the caller's; a write only reads it */
    bool            writing;
    bool            workers;          /* workers call the store */
    bool            keeping;          /* chunks used in part stay in the cache */
    bool            behind;           /* and so do those that are put */
    bool            considered_ahead; /* read-ahead was already considered */
    ncz_chunk_iter *iter;             /* over the chunks, of one object where they share objects */
    ncz_chunk_iter *object_iter;      /* over the objects; NULL: each chunk is one */
    ptrdiff_t       base;             /* the place in memory that `iter` counts from, in elements */
    ncz_chunk_task *tasks;
    size_t          ntasks, cap;   /* cap: most pieces in a batch */
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

int  ncz_chunk_request_init(ncz_chunk_request *req, ncz_engine *e, const ncz_plan *plan, char *mem, bool writing);
void ncz_chunk_request_clear(ncz_chunk_request *req);
/* Sets the next batch of tasks, all TODO. False: the request has no more. */
bool ncz_chunk_request_next(ncz_chunk_request *req);
/*
 * Keeps the thread's error record unless an earlier task has failed. `task` NULL: the failure ranks after those of all
 * tasks. NC_ERANGE only sets `range`.
 */
void ncz_chunk_request_fail(ncz_chunk_request *req, const ncz_chunk_task *task, int rc);
/* The status that the request returns. */
int ncz_chunk_request_status(const ncz_chunk_request *req);
/* The place in memory of a task's first element. */
char *ncz_chunk_request_dest(const ncz_chunk_request *req, const ncz_chunk_task *task);
/* Looks up a task's chunk, under the lock. NULL in *out: not cached. False: busy, or the task has failed. */
bool ncz_chunk_request_lookup(ncz_chunk_request *req, ncz_chunk_task *task, ncz_cell **out);

/* Whether a task's bytes go to their place as they are stored. */
static inline bool
ncz_chunk_is_plain(const ncz_chunk_task *task)
{
    return task->chain == NULL && task->pitch == 0;
}

void ncz_chunk_task_drop_staged(ncz_chunk_request *req, ncz_chunk_task *task);
void ncz_chunk_task_drop_room(ncz_chunk_request *req, ncz_chunk_task *task);

/* Makes another task for the same piece, with its own arrays. */
void ncz_chunk_request_copy(ncz_chunk_request *req, ncz_chunk_task *to, const ncz_chunk_task *from);

/*
 * Asks for the version of an object where it is needed: of a chunk that may be changed and stored on condition, and
 * of a range that an index gave; of that one at first for the index's version only. (A
 * store whose conditions cannot be trusted is asked without one then.) ncz_chunk_index_is_current() compares them.
 */
void ncz_chunk_ask_version(const ncz_chunk_request *req, const ncz_chunk_task *task, zmap_get_req *get);

/* How many threads the work of the batch is worth. */
size_t ncz_chunk_request_threads(const ncz_chunk_request *req);

#endif /* NCZ_CHUNK_REQUEST_H */
