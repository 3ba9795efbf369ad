/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells: the chunks of a dataset that are in memory. A cell has one chunk: its state, its elements, and
 * which of them were written here. This module knows no store: the modules above fill cells and store them.
 *
 * The lock guards the cells, and what the modules above keep with them. No thread holds it over I/O, codecs or moves of
 * data (except for a few elements). No thread waits for a cell while it holds one, so waiting cannot deadlock.
 *
 * This header has the types. The functions: cells_cache.h finds, claims and drops cells, cells_written.h notes which
 * elements were written here, cells_short_strings.h reads chunks of strings that are shorter than their array says.
 */
#ifndef NCZ_CELLS_H
#define NCZ_CELLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "model/model.h"

typedef enum ncz_cell_state {
    NCZ_CELL_LOADING, /* claimed: one thread loads it, or replaces it past the cache; the others wait */
    NCZ_CELL_PARTIAL, /* no data: a record that reads of parts past the cache have cost `partial_cost` so far */
    NCZ_CELL_CLEAN,   /* as stored */
    NCZ_CELL_DIRTY,   /* newer than stored */
    NCZ_CELL_STORING, /* was dirty, being stored: may be read, not changed */
} ncz_cell_state;

typedef struct ncz_cell_link {
    struct ncz_cell_link *prev, *next;
} ncz_cell_link;

typedef struct ncz_cell {
    ncz_cell_link    link;   /* in the dirty or the idle list; first member, so that a link can be cast to its cell */
    struct ncz_cell *beside; /* next in its bucket */
    ncz_spec        *spec;
    ncz_cell_state   state;
    unsigned         pins;   /* threads reading its bytes */
    bool             writer; /* one thread changes its bytes */
    bool             absent; /* no object exists under its key */
    bool             ahead;  /* read ahead, and not used in part since */
    bool             ready;  /* DIRTY: all of it was put, so it may be stored at once; it stands before the others */
    bool             failed; /* DIRTY: it could not be stored behind the program's back */
    uint64_t         used;   /* the cache's clock at the last use; 0: used up */
    uint64_t         tried;  /* the last flush that took it */
    uint64_t         partial_cost;
    char            *data;    /* NULL: only fill; or PARTIAL, which has no data */
    char            *version; /* of its object, as loaded or stored last; NULL: unknown */
    uint64_t         rows; /* DIRTY: so many of its first rows were put since it was stored, where they are counted */
    uint64_t        *written; /* DIRTY, STORING: one bit for each element, those written here; NULL: all */
    size_t           written_from, written_end; /* in place: the elements written here lie between; both 0: all */
    uint64_t         index[];
} ncz_cell;

#define NCZ_CELLS_SPARES 16
#define NCZ_CELLS_RECENT 16 /* variables; a power of 2 */

/* Memory of dropped cells, reused for new ones. */
typedef struct ncz_cells_spare {
    char  *data;
    size_t nbytes;
} ncz_cells_spare;

/*
 * The cells whose hash falls into this bucket. `gone` is the hash of the last one evicted from it, and ghost_order says
 * when that was.
 */
typedef struct ncz_cells_bucket {
    ncz_cell *first;
    uint64_t  gone, ghost_order;
} ncz_cells_bucket;

typedef struct ncz_cells_cache {
    ncz_cells_bucket *buckets;
    size_t            nbuckets, n;
    ncz_cell         *recent[NCZ_CELLS_RECENT]; /* found last, by variable; or NULL */
    size_t            used, limit; /* bytes, cells included, so that records of absent chunks are bounded, too */
    size_t            nidle;       /* CLEAN and PARTIAL: may be dropped without being stored */
    size_t            nunstored;   /* DIRTY and STORING, */
    size_t            unstored;    /* and the bytes of their data */
    uint64_t          clock, seed;
    uint64_t          ngone;            /* cells evicted so far */
    unsigned          random_evictions; /* the next evictions that choose at random */
    ncz_cell_link     dirty;            /* those that are ready, and then longest unchanged first */
    ncz_cell_link    *last_ready;       /* the last of the former; or the list itself */
    ncz_cell_link     idle;             /* longest unused first */
    ncz_cells_spare   spares[NCZ_CELLS_SPARES];
    size_t            nspares, spares_most;
} ncz_cells_cache;

typedef struct ncz_cells {
    pthread_mutex_t lock;
    pthread_cond_t  changed; /* a cell stopped being busy, or what is kept with the cells has changed */
    ncz_cells_cache cache;
    atomic_bool     conditions;    /* the store has conditional puts, of both kinds */
    bool            windows;       /* chunks are ranges of one object, which nobody else changes */
    bool            shares_ranges; /* or others do: only the elements that were written here are put */
    atomic_bool     short_told;    /* the log says that there are chunks of shorter strings */
} ncz_cells;

int  ncz_cells_init(ncz_cells *cells, size_t limit);
void ncz_cells_clear(ncz_cells *cells);

/* ---- cells_payload.c ---- */

bool   ncz_cell_is_vlen(const ncz_spec *spec); /* the data of its chunks are vlen blocks */
size_t ncz_cell_data_bytes(const ncz_spec *spec, const char *data);
bool   ncz_cell_is_fill(const ncz_spec *spec, const char *data); /* holds only its fill value, and has one */

static inline const ncz_vlen_block *
ncz_cell_vlen(const char *data)
{
    return (const ncz_vlen_block *)(const void *)data;
}

/* ---- cells_log.c ---- */

/* A line of the log: what happened to a chunk, its bytes as stored and in memory, and the time since `begun`. */
void ncz_cell_log(const ncz_spec *spec, const uint64_t *index, const char *what, size_t stored, size_t nbytes,
                  int64_t begun);

#endif /* NCZ_CELLS_H */
