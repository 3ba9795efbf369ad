/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_draft: an object that is written where its chunks belong, before it has its name.
 */
#ifndef NCZ_OBJECT_DRAFT_H
#define NCZ_OBJECT_DRAFT_H

#include "object/object.h"

/* Guarded by the lock, but for `file` and what never changes. */
struct ncz_object_draft {
    ncz_object_draft *next; /* of those that nothing uses any more */
    zmap_draft       *file;
    const char       *mapped; /* its bytes, for the thread that stores the object; or NULL */
    unsigned          refs;   /* the object, and staged chunks that are in it */
    bool              over;   /* it could not be published: it is only read */
    size_t            nbytes; /* of each chunk */
    uint64_t          base;   /* where the first one lies; the others that are in the array follow it */
    unsigned char     used[]; /* a bit for each of these: a staged chunk is there */
};

/* ---- object_draft.c ---- */

/* Begins the draft of a held object, for chunks of that encoded size, with one reference. NULL: it cannot have one. */
ncz_object_draft *ncz_object_draft_new(ncz_objects *objects, const ncz_staged_object *s, size_t nbytes);
/* Under the lock: whether a place is used, the first of the chunks in the array being 0; and where it lies. */
bool     ncz_object_draft_used(const ncz_object_draft *d, size_t place);
uint64_t ncz_object_draft_at(const ncz_object_draft *d, size_t place);
/* Under the lock: reserves the place of a slot. False: it is used. */
bool ncz_object_draft_reserve(ncz_object_draft *d, const ncz_staged_object *s, size_t slot);
void ncz_object_draft_unreserve(ncz_object_draft *d, const ncz_staged_object *s, size_t slot);
/* Under the lock: a staged chunk at a place that is reserved. NULL: no memory, recorded. */
ncz_staged_chunk *ncz_object_draft_chunk_at(ncz_object_draft *d, const ncz_staged_object *s, size_t slot);
/* The bytes of the whole object, and where its first chunk lies. 0: it is too small, or too large, to have a draft. */
uint64_t ncz_object_draft_size(const ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, size_t nbytes,
                               uint64_t *base);
/* Under the lock: the staged chunk leaves its draft. */
void ncz_object_draft_leave(ncz_objects *objects, ncz_staged_chunk *p);
void ncz_object_draft_unref(ncz_objects *objects, ncz_object_draft *d); /* under the lock; NULL is fine */
/* Ends the drafts that nothing uses any more. Without the lock. */
void ncz_object_drafts_end(ncz_objects *objects);
int  ncz_object_draft_read(const ncz_staged_chunk *p, char *out);

/* ---- object_draft_stage.c ---- */

/* Under the lock, which is released meanwhile: the draft of a held object, for chunks of that encoded size, begun if it
 * has none; NULL: it cannot be written. */
ncz_object_draft *ncz_object_draft_take(ncz_objects *objects, ncz_staged_object *s, size_t nbytes);
/*
 * Stages an encoded chunk. `body`: as in ncz_object_staged_make(). *full: its object is now complete and claimed, to be
 * stored; or NULL.
 */
int ncz_object_stage(ncz_objects *objects, const ncz_object_item *item, ncz_buf *body, ncz_staged_object **full);

#endif /* NCZ_OBJECT_DRAFT_H */
