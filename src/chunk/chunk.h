/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk: how a call runs. The engine of an open dataset has its chunks in memory (cells.h) and what it keeps of stored
 * objects (object.h); its two executors run read plans and write plans. It knows keys and bytes, never a document.
 *
 * Each open dataset has one engine. Several threads may call it at once. Chunks that a call uses whole bypass the
 * cache; partly used chunks stay in it. A chunk is requested directly, without an existence check. An absent chunk is
 * cached as fill and takes no memory for data. A chunk that holds only the fill value is not stored, and its object
 * is deleted if there was one, unless ncz_engine_write_empty() says otherwise. Without a fill value every chunk that
 * was written is stored.
 *
 * Flush and forget a variable before its key changes or other code moves its objects.
 */
#ifndef NCZ_CHUNK_H
#define NCZ_CHUNK_H

#include "model/model.h"
#include "zmap/zmap.h"

typedef struct ncz_engine ncz_engine;

/* One request, for reading or writing. The pointers are borrowed for the length of the call. */
typedef struct ncz_plan {
    const ncz_spec *spec;
    const uint64_t *shape;   /* the array's current shape, rank entries; the selection lies within it */
    ncz_select      sel;     /* the selection and its layout in memory */
    const ncz_type *mem;     /* element type in memory */
    const bool     *grows;   /* a write: which dimensions can grow, rank entries; NULL: none */
    bool            classic; /* NC_BYTE <-> NC_UBYTE without range check */
} ncz_plan;

int  ncz_engine_new(zmap *map, const ncz_limits *limits, ncz_engine **out); /* takes its own reference to `map` */
void ncz_engine_free(ncz_engine *e);                                        /* stores nothing; flush first */

/*
 * Errors:
 *   NC_ERANGE              returned after everything is converted
 *   NC_ECHAR, NC_EBADTYPE  returned before anything is moved
 *   spec->unusable         returned as it is
 *   NC_ETRUNC, NC_EFILTER  a stored object is short, long (NC_ETRUNC without codecs) or corrupt; the text has its key
 * Chunks that could be read are delivered even so. After an error the call frees the strings that it made and sets
 * their places to NULL.
 */
int ncz_engine_read(ncz_engine *e, const ncz_plan *p, void *out);

/* Lets the layout find where its chunks lie. To be called before it is asked; reads do it themselves. */
int ncz_engine_find_chunks(ncz_engine *e, const ncz_spec *spec);

/*
 * After an error the untouched chunks are as before, and each touched chunk is written completely. A failure to store
 * dirty chunks that had to be evicted is an error of this call, too: those chunks stay in the cache, and the chunks
 * that need their room are not touched.
 */
int ncz_engine_write(ncz_engine *e, const ncz_plan *p, const void *in);

#define NCZ_ROW_NOWHERE UINT64_MAX

enum {
    NCZ_ROW_SHORT = 1 << 10, /* bytes of a row that are moved into or out of a chunk; elements have 8 at most */
    NCZ_ROW_BYTES = 1 << 16, /* of one that is gathered: more are worth several threads */
};

/* A few elements that follow each other in one chunk, in C order. They must move as rows (ncz_row_moves()). */
typedef struct ncz_chunk_row {
    const ncz_spec *spec;
    /* Of the chunk. NULL: windows alone are asked, and the elements may lie in several chunks; of a put, if the engine
     * caches nothing. */
    const uint64_t *index;
    size_t          at, n; /* the first element's place in it, and how many; they lie inside */
    uint64_t        off;   /* where their bytes lie in the only object; NCZ_ROW_NOWHERE: not so */
    ncz_row         types;
} ncz_chunk_row;

typedef enum ncz_row_put {
    NCZ_ROW_REFUSED,
    NCZ_ROW_CACHED,   /* its chunk is in the cache */
    NCZ_ROW_GATHERED, /* it waits with those before it in the object, to be stored with them */
    NCZ_ROW_ALONE,    /* refused; a put that is alone could gather it */
} ncz_row_put;

/* Reads or writes a row whose chunk is in the cache, as fast as that can be; or gathers one. False, or refused: it is
 * not there, or the row needs more than a move; then the functions above have to be called. They find what is wrong,
 * too. `alone`: no other call uses the engine meanwhile. */
bool        ncz_engine_takes_row(const ncz_chunk_row *row); /* it is not too long */
bool        ncz_engine_caches_nothing(const ncz_engine *e); /* asked by a put that is alone */
bool        ncz_engine_has_window(const ncz_engine *e);     /* some bytes of the object, which rows are read from */
bool        ncz_engine_read_row(ncz_engine *e, const ncz_chunk_row *row, void *out);
ncz_row_put ncz_engine_write_row(ncz_engine *e, const ncz_chunk_row *row, const void *in, bool alone);

/*
 * Stores the dirty chunks of one variable, or of all when uid is 0. A chunk that fails stays dirty. Returns the first
 * failure.
 */
int ncz_engine_flush(ncz_engine *e, uint64_t uid);
/*
 * Where chunks are put in place, stores those before record `nrecords` that puts have filled, if they are worth a call
 * of the store, and drops them: a program that appends does not come back to them, and the next ones get their memory,
 * which the system would have to clear.
 */
int ncz_engine_store_filled(ncz_engine *e, uint64_t nrecords);

/* ---- behind the program's back (chunk_behind.c, chunk_prefetch.c) ---- */

/*
 * Sets whether puts only copy into the cache, and a thread stores the chunks. At most about `nbytes` wait for it; then
 * a put waits for room. A failure to store is returned by the next put; its chunk stays dirty. Returns such a failure.
 */
int  ncz_engine_write_behind(ncz_engine *e, bool on, size_t nbytes);
void ncz_engine_pending(ncz_engine *e, size_t *nbytes, size_t *nchunks); /* of what is not stored */
/* Begins to store all that waits. False: there is no thread for it. */
bool ncz_engine_begin_flush(ncz_engine *e);
/* Between the two that thread leaves the store alone. Puts may go on. */
void ncz_engine_pause(ncz_engine *e);
void ncz_engine_resume(ncz_engine *e);
/* Begins to load the chunks of a selection into the cache, as far as it has room: `mem` and `grows` are not used. A
 * read that needs a chunk reports why it cannot be loaded. Without a thread nothing is loaded here. */
int ncz_engine_prefetch(ncz_engine *e, const ncz_plan *p);

/* ---- objects that several engines write in place (chunk_lend.c) ---- */

typedef struct ncz_chunk_loan ncz_chunk_loan;

/* Of each lent chunk: it was written, or is to be left out, since it holds only fill. */
enum { NCZ_LOAN_UNUSED, NCZ_LOAN_WRITTEN, NCZ_LOAN_FILL };

/* Whether objects of that spec can be lent at all. */
bool ncz_engine_lends(ncz_engine *e, const ncz_spec *spec);
/*
 * Reserves the places of n[0] * n[1] ... chunks, from `first` on, all of one object, for the engine of another process.
 * *out NULL: that cannot be; the other engine sends their values then. When the places are returned, this engine's
 * cache drops what it has of those chunks.
 */
int         ncz_engine_lend(ncz_engine *e, const ncz_spec *spec, const uint64_t *first, const uint64_t *n,
                            ncz_chunk_loan **out);
const char *ncz_chunk_loan_name(const ncz_chunk_loan *l);  /* at most ZMAP_DRAFT_NAME bytes with its NUL */
size_t      ncz_chunk_loan_count(const ncz_chunk_loan *l); /* chunks */
/* In the other engine: writes a selection of just those chunks there. Sets `states`, a byte for each, in C order. They
 * stay NCZ_LOAN_UNUSED, and that is no failure, if it does not find the object: their values are to be sent then. */
int ncz_engine_write_lent(ncz_engine *e, const ncz_plan *p, const void *in, const char *name, unsigned char *states);
/* Ends a loan. Stages what was written (`states`; NULL: nothing), and stores the object if it is complete. */
int ncz_engine_return(ncz_engine *e, ncz_chunk_loan *l, const unsigned char *states);

/*
 * Gives the place of a chunk (ncz_spec_locate). With `range`, a slot is looked up in the object's index, which may need
 * a request; length 0: the object does not have the chunk. `key` owns where->key.
 */
int ncz_engine_locate(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, bool range, ncz_buf *key,
                      ncz_chunk_addr *where);

/*
 * Gives the slots of `n` objects of one shape, spec->layout->nslots each. Requests unknown indexes together. `objects`:
 * max(rank, 1) numbers each, their places in the grid of objects. An object that does not exist has only empty slots.
 */
int ncz_engine_read_indexes(ncz_engine *e, const ncz_spec *spec, const uint64_t *objects, size_t n, ncz_slot *slots);

/* Drops the cached chunks of one variable (uid 0: of all) without storing them. */
void ncz_engine_forget(ncz_engine *e, uint64_t uid);

bool ncz_engine_dirty(ncz_engine *e);
bool ncz_engine_dirty_of(ncz_engine *e, uint64_t uid); /* there are dirty chunks of this variable in the cache */

/*
 * Strings of fixed width get longer: `spec` is the variable's new one. Gives its dirty chunks the new width, and drops
 * the others from the cache. After a failure all are as before. No other call may use the variable meanwhile.
 */
int ncz_engine_widen(ncz_engine *e, ncz_spec *spec);
/*
 * Gives `n` stored chunks the width of `spec`, those that are narrower. `indexes`: max(rank, 1) numbers each. Where
 * the store has conditions, nothing that another process stores meanwhile is lost. A chunk that cannot be read, or is
 * absent, stays so. NC_EOBJECT: another process replaces one again and again.
 */
int ncz_engine_widen_stored(ncz_engine *e, const ncz_spec *spec, const uint64_t *indexes, size_t n);
/* All chunks are ranges of one object, which only this engine changes. Before the first write. */
void ncz_engine_in_place(ncz_engine *e);
/* Other engines change the same object, in other places: of each chunk only the elements that were written here are
 * put. Before the first write. */
void ncz_engine_share_ranges(ncz_engine *e);
/* Bytes that follow each other: a part of a chunk with such runs is then put at once, without the rest. */
#define NCZ_LONG_RUN 4096
/* The objects are in another store from now on. No other call may use the engine meanwhile. */
void ncz_engine_set_map(ncz_engine *e, zmap *map);
/* Sets whether chunks that hold only fill are stored like others, while none is stored. Returns what was set. */
bool ncz_engine_write_empty(ncz_engine *e, bool yes);
/*
 * Sets whether a read that continues an earlier one also loads the next chunks into the cache. Off by default; call
 * it before the first read. A chunk read ahead does not show what another process writes later.
 */
void   ncz_engine_read_ahead(ncz_engine *e, bool yes);
void   ncz_engine_drop_ahead(ncz_engine *e); /* drops chunks that were read ahead and not used yet */
void   ncz_engine_set_limit(ncz_engine *e, size_t cache_bytes);
size_t ncz_engine_limit(ncz_engine *e);

#endif /* NCZ_CHUNK_H */
