/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_encode: a chunk that is being stored, and its encoded bytes.
 */
#ifndef NCZ_OBJECT_ENCODE_H
#define NCZ_OBJECT_ENCODE_H

#include "object/object.h"

/* One chunk that is being stored. */
struct ncz_object_item {
    ncz_cell   *chunk;
    const char *data;      /* decoded; NULL: only fill */
    bool        gone;      /* only fill: not stored, and deleted unless known to be absent */
    bool        ready;     /* after it was stored: all of it was put by then */
    int         rc;        /* the status of storing it */
    ncz_buf     key, body; /* for stores that take batches */
    const char *encoded;   /* the bytes to store: `body`, or `data` without a codec */
    size_t      nbytes;
    char       *merged; /* a newer state of the chunk, with what another process wrote; or NULL */
};

/*
 * Encodes item->data, or finds that it holds only fill and is not to be stored: item->gone; with `put_fill` it is.
 * Sets `encoded` and `nbytes`.
 */
int ncz_object_encode_data(const ncz_objects *objects, const ncz_spec *spec, bool put_fill, ncz_object_item *item,
                           ncz_buf *body, ncz_scratch *scratch);
/* Encodes an item into `body`, and finds its place. `key` owns where->key. */
int ncz_object_encode(const ncz_objects *objects, ncz_object_item *item, ncz_buf *key, ncz_buf *body,
                      ncz_scratch *scratch, ncz_chunk_addr *where);

/* Whether a chunk is a range of an object that also has other things, and is put there in place. */
static inline bool
ncz_object_is_in_place(const ncz_chunk_addr *where)
{
    return where->slot == NCZ_NO_SLOT && where->length != ZMAP_WHOLE;
}

#endif /* NCZ_OBJECT_ENCODE_H */
