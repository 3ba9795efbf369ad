/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_staged_chunk: an encoded chunk that waits for the rest of its object: in memory, in the spill file, or where
 * it belongs in the object's draft.
 */
#ifndef NCZ_OBJECT_STAGED_CHUNK_H
#define NCZ_OBJECT_STAGED_CHUNK_H

#include "object/object.h"

/* Guarded by the lock; a reference keeps the bytes where they are. */
struct ncz_staged_chunk {
    unsigned          refs;
    bool              gone;         /* only fill: its object shall not have it */
    char             *data;         /* NULL: gone, or in a file */
    size_t            nbytes, room; /* room: of `data` */
    uint64_t          spilled;      /* its place in the spill file; or */
    ncz_object_draft *draft;        /* in this draft */

    uint64_t *written; /* as in ncz_cell; NULL: all. With it: */
    size_t    written_bytes;
    bool      absent;  /* the other elements are fill: there was no chunk */
    char     *version; /* of the object that has the other elements; NULL: unknown */
};

/*
 * Makes one, with one reference, of an encoded chunk. Where its bytes are in `body`, it may take that memory over;
 * `body` is empty then.
 */
int  ncz_object_staged_make(ncz_objects *objects, const ncz_object_item *item, ncz_buf *body, ncz_staged_chunk **out);
void ncz_object_staged_drop(ncz_objects *objects, ncz_staged_chunk *p);  /* drops a reference; NULL is fine */
void ncz_object_staged_unref(ncz_objects *objects, ncz_staged_chunk *p); /* the same, under the lock */
bool ncz_object_staged_is_spilled(const ncz_staged_chunk *p);
size_t ncz_object_staged_bytes(const ncz_staged_chunk *p);        /* its memory */
void   ncz_object_staged_spill(ncz_staged_chunk *p, uint64_t at); /* frees its bytes, which are in the spill file */
void   ncz_object_drop_spares(ncz_objects *objects);              /* memory for the next ones; under the lock */

/* Gives it what is known of the chunk's elements: which were written here, and over which version. */
int ncz_object_staged_note_written(ncz_staged_chunk *p, const ncz_cell *chunk);
/* It replaces `old`, which was not stored: what was written in `old` is written in it. */
void ncz_object_staged_inherit(const ncz_spec *spec, ncz_staged_chunk *p, const ncz_staged_chunk *old);

#endif /* NCZ_OBJECT_STAGED_CHUNK_H */
