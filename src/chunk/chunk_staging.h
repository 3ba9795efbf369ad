/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_staging: encoded chunks that wait for the rest of their object, in memory, in a temporary file, or where they
 * belong in the object's draft.
 */
#ifndef NCZ_CHUNK_STAGING_H
#define NCZ_CHUNK_STAGING_H

#include "chunk/chunk_object.h"

typedef struct ncz_chunk_store_item ncz_chunk_store_item; /* chunk_store.h */

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

/* ---- chunk_draft.c: an object that is written where its chunks belong ---- */

/* Guarded by the engine's lock, but for `file` and what never changes. */
typedef struct ncz_chunk_draft {
    struct ncz_chunk_draft *next; /* of those that nothing uses any more */
    zmap_draft             *file;
    const char             *map;    /* its bytes, for the thread that stores the object; or NULL */
    unsigned                refs;   /* the object, and parts that are in it */
    bool                    over;   /* it could not be published: it is only read */
    size_t                  nbytes; /* of each chunk */
    uint64_t                base;   /* where the first one lies; the others that are in the array follow it */
    unsigned char           used[]; /* a bit for each of these: a part is there */
} ncz_chunk_draft;

/* ---- chunk_staging.c: encoded chunks that wait for the rest of their object ---- */

/* An encoded chunk. Guarded by the engine's lock; a reference keeps the bytes where they are. */
typedef struct ncz_chunk_part {
    unsigned         refs;
    bool             gone;         /* only fill: its object shall not have it */
    char            *data;         /* NULL: gone, or in a file */
    size_t           nbytes, room; /* room: of `data` */
    uint64_t         spilled;      /* its place in the spill file; or */
    ncz_chunk_draft *draft;        /* in this draft */

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
    bool                     spilling;       /* a thread spills it. Both keep it in the table, */
    unsigned                 holders;        /* and so do threads that stage a chunk of it */
    ncz_chunk_draft         *draft;          /* or NULL */
    bool                     drafting;       /* a holder begins the draft */
    bool                     no_draft;       /* it cannot have one */
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
    ncz_chunk_draft  *ended;   /* drafts that nothing uses any more */
    size_t            ndrafts; /* all drafts */

    ncz_chunk_part_spare *spares; /* memory of dropped parts, for the next */
    size_t                spare_bytes;
} ncz_chunk_staging;

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

/* ---- chunk_draft.c ---- */

/* Begins the draft of a held object, for chunks of that encoded size, with one reference. NULL: it cannot have one. */
ncz_chunk_draft *ncz_chunk_draft_new(ncz_engine *e, const ncz_chunk_staged *s, size_t nbytes);
/* Under the lock: whether a place is used, the first of the chunks in the array being 0; and where it lies. */
bool     ncz_chunk_draft_used(const ncz_chunk_draft *d, size_t place);
uint64_t ncz_chunk_draft_at(const ncz_chunk_draft *d, size_t place);
/* Under the lock: reserves the place of a slot. False: it is used. */
bool ncz_chunk_draft_reserve(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot);
void ncz_chunk_draft_unreserve(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot);
/* Under the lock: a part at a place that is reserved. NULL: no memory, recorded. */
ncz_chunk_part *ncz_chunk_draft_part_at(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot);
/* The bytes of the whole object, and where its first chunk lies. 0: it is too small, or too large, to have a draft. */
uint64_t ncz_chunk_draft_size(const ncz_engine *e, const ncz_spec *spec, const uint64_t *index, size_t nbytes,
                              uint64_t *base);
/* Under the lock: the part leaves its draft. */
void ncz_chunk_draft_leave(ncz_engine *e, ncz_chunk_part *p);
void ncz_chunk_draft_unref(ncz_engine *e, ncz_chunk_draft *d); /* under the lock; NULL is fine */
/* Ends the drafts that nothing uses any more. Without the lock. */
void ncz_chunk_drafts_end(ncz_engine *e);
int  ncz_chunk_draft_read(const ncz_chunk_part *p, char *out);

/* ---- chunk_staging.c ---- */

/* Under the lock: makes a part what is staged in a slot of a held object. Takes the reference. */
void ncz_chunk_staged_set(ncz_engine *e, ncz_chunk_staged *s, size_t slot, ncz_chunk_part *part);
/* Under the lock: what is staged for the object of that chunk, also if that is nothing yet. It stays in the table, and
 * is not stored, until it is released. */
int  ncz_chunk_staged_hold(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_staged **out);
void ncz_chunk_staged_release(ncz_engine *e, ncz_chunk_staged *s);

/* Under the lock: stages the part of a chunk. Takes the reference on success. */
int ncz_chunk_staged_add(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_part *part,
                         ncz_chunk_staged **out);

/* ---- chunk_stage.c ---- */

/* Under the lock, which is released meanwhile: the draft of a held object, for chunks of that encoded size, begun if it
 * has none; NULL: it cannot be written. */
ncz_chunk_draft *ncz_chunk_draft_take(ncz_engine *e, ncz_chunk_staged *s, size_t nbytes);
/*
 * Stages an encoded chunk. `body`: as in ncz_chunk_part_make(). *full: its object is now complete and claimed, to be
 * stored; or NULL.
 */
int ncz_chunk_stage(ncz_engine *e, const ncz_chunk_store_item *item, ncz_buf *body, ncz_chunk_staged **full);

/* ---- chunk_staging.c ---- */

/* Whether anything is staged for the object of that chunk. Under the lock. */
bool ncz_chunk_staged_any(ncz_engine *e, const ncz_spec *spec, const uint64_t *index);
/* Under the lock: a reference to a staged chunk, for ncz_chunk_part_drop(). NULL: it is not staged. */
ncz_chunk_part *ncz_chunk_staged_part(ncz_engine *e, const ncz_spec *spec, const uint64_t *index);

/* Claims an object for storing, under the lock. False: another thread stores it. */
bool ncz_chunk_staged_claim(ncz_engine *e, ncz_chunk_staged *s);
/* Claims an object that is complete and was not stored yet, since it was being stored or spilled then; or NULL. */
ncz_chunk_staged *ncz_chunk_staged_claim_complete(ncz_engine *e);
/* Claims objects of one variable (uid 0: of all) that this flush has not tried yet. Returns how many. */
size_t ncz_chunk_staged_claim_some(ncz_engine *e, uint64_t uid, uint64_t pass, ncz_chunk_staged **out, size_t most);
/* Whether this flush could not try one, for want of memory. */
bool ncz_chunk_staged_untried(const ncz_engine *e, uint64_t uid, uint64_t pass);
/*
 * Takes references to the staged chunks of an object, by slot, for the thread that stores it. Returns true if they are
 * all chunks of the object, and all their elements were written here.
 */
bool ncz_chunk_staged_take(ncz_engine *e, ncz_chunk_staged *s, ncz_chunk_part **parts);
/* Gives the references back and ends the claim. `stored`: drops those parts. `parts` NULL: none were taken. */
void ncz_chunk_staged_end(ncz_engine *e, ncz_chunk_staged *s, ncz_chunk_part **parts, bool stored);

/* Under the lock. */
void   ncz_chunk_staged_again(ncz_engine *e, const ncz_spec *spec, const uint64_t *index); /* clears `tried` */
bool   ncz_chunk_staged_storing(const ncz_engine *e, uint64_t uid);
size_t ncz_chunk_staged_count(const ncz_engine *e);          /* of all chunks that are staged */
bool   ncz_chunk_staged_forget(ncz_engine *e, uint64_t uid); /* true: some are being stored */
/*
 * Moves staged chunks of the longest unchanged object to the spill file. Releases the lock meanwhile. False: there are
 * none, or they cannot be spilled.
 */
bool ncz_chunk_staged_spill(ncz_engine *e);

#endif /* NCZ_CHUNK_STAGING_H */
