/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_overlay: lays the elements of a chunk that were written here over the chunk as another process has stored it.
 */
#ifndef NCZ_OBJECT_OVERLAY_H
#define NCZ_OBJECT_OVERLAY_H

#include "object/object.h"

/* A stored chunk, and the elements that were written here to lay over it. */
typedef struct ncz_object_overlay {
    ncz_objects    *objects;
    const ncz_spec *spec;
    ncz_scratch    *scratch;
    const char     *key;    /* for texts */
    const char     *theirs; /* the stored bytes; NULL: there is no chunk */
    size_t          ntheirs;
    const char     *ours; /* decoded; NULL: only fill */
    const uint64_t *bits; /* which elements of it were written here */
} ncz_object_overlay;

/* Makes the decoded chunk in *data, which is NULL or the result of an earlier call. The caller frees it. */
int ncz_object_overlay_make(const ncz_object_overlay *o, char **data);
/* Decodes a chunk into new memory. */
int ncz_object_decode_new(const ncz_object_overlay *o, const char *bytes, size_t nbytes, char **data);

#endif /* NCZ_OBJECT_OVERLAY_H */
