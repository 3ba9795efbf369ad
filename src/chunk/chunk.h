/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk: the chunk cache of a dataset and the two executors: run a read plan, run a write plan. Knows keys and bytes,
 * never a document.
 *
 * One engine per open dataset. All calls may come from several threads at once. Whole-chunk traffic goes past the
 * cache; partly used chunks stay in it. A chunk is asked for once, never probed first; one that is absent is
 * remembered as fill and allocates nothing. A chunk that holds only the fill value is not stored (and its object, if
 * there was one, is deleted), unless the engine is told otherwise; without a fill value every chunk that was written is.
 *
 * Flush and forget a variable before its key changes or its objects are moved by other hands.
 */
#ifndef NCZ_CHUNK_H
#define NCZ_CHUNK_H

#include "model/model.h"
#include "zmap/zmap.h"

typedef struct ncz_engine ncz_engine;

/* One request, for reading or writing. Everything is borrowed for the length of the call. */
typedef struct ncz_plan {
    const ncz_spec *spec;
    const uint64_t *shape;   /* the array's current shape, rank entries; the selection lies within it */
    ncz_select      sel;     /* where, and how it lies in memory */
    const ncz_type *mem;     /* element type in memory */
    bool            classic; /* NC_BYTE <-> NC_UBYTE without range check */
} ncz_plan;

int  ncz_engine_new(zmap *map, const ncz_limits *limits, ncz_engine **out); /* takes its own reference to the map */
void ncz_engine_free(ncz_engine *e);                                        /* stores nothing: flush first */

/*
 * NC_ERANGE after everything is converted; NC_ECHAR, NC_EBADTYPE before anything is moved; spec->unusable's own
 * error; a stored object that is short, long (NC_ETRUNC without codecs) or corrupt (NC_EFILTER) is an error naming
 * its key. Chunks that could be read are delivered even so; but on error strings already made by this call are freed
 * and their places set to NULL.
 */
int ncz_engine_read(ncz_engine *e, const ncz_plan *p, void *out);

/*
 * After an error the chunks not yet touched are as before; each touched one is whole. Dirty chunks that had to make
 * room and could not be stored are an error here, too; they stay, and nothing that needs their room is touched.
 */
int ncz_engine_write(ncz_engine *e, const ncz_plan *p, const void *in);

/* Stores dirty chunks: of one variable, or with uid 0 of all. What fails stays dirty; returns the first failure. */
int ncz_engine_flush(ncz_engine *e, uint64_t uid);

/*
 * Where a chunk is: locate, and where that gives a slot, the range that the object's index has for it, which may cost a
 * request. length 0: its object does not have it. `key` owns where->key.
 */
int ncz_engine_locate(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_buf *key,
                      ncz_chunk_addr *where);

/* Drops cached chunks of one variable (uid 0: all) without storing them. */
void ncz_engine_forget(ncz_engine *e, uint64_t uid);

bool ncz_engine_dirty(ncz_engine *e);
/* Are chunks that hold only fill stored like others? Before the first is. */
void ncz_engine_write_empty(ncz_engine *e, bool yes);
/* Do reads that go on where others ended load the next chunks, too, into the cache? Not unless it is said, before the
 * first. What another process writes meanwhile is seen later then. */
void   ncz_engine_read_ahead(ncz_engine *e, bool yes);
void   ncz_engine_drop_ahead(ncz_engine *e); /* drops what was read ahead and not used yet */
void   ncz_engine_set_limit(ncz_engine *e, size_t cache_bytes);
size_t ncz_engine_limit(ncz_engine *e);

#endif /* NCZ_CHUNK_H */
