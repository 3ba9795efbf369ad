/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_index: indexes of objects that hold several chunks, fetched and parsed.
 */
#ifndef NCZ_OBJECT_INDEX_H
#define NCZ_OBJECT_INDEX_H

#include "object/object.h"

/* The index of an object: its size, and whether it is at the end or the beginning. NC_ENOMEM, with the key: it does not
 * fit in memory. */
int ncz_object_index_range(const ncz_spec *spec, const char *key, size_t *nbytes, bool *at_end);
/* Sets a request for the index of an object. ncz_object_read_index() parses what came of it; NC_EEMPTY: there is no
 * such object. */
int ncz_object_index_req(const ncz_spec *spec, const char *key, zmap_get_req *req);
int ncz_object_read_index(const ncz_spec *spec, const zmap_get_req *req, ncz_slot *slots);
/* Parses the index of an object of `size` bytes, and marks slots that lie outside it as bad. NC_EFILTER, with the key:
 * the index is damaged as a whole. */
int ncz_object_parse_index(const ncz_spec *spec, const char *key, const void *index, size_t nbytes, uint64_t size,
                           ncz_slot *slots);
/* Records that slot i of that object is bad: NC_EFILTER, with the key. */
int ncz_object_fail_slot(const char *key, ncz_slot slot, size_t i, uint64_t size);

/* One index that is being fetched. */
typedef struct ncz_object_fetch {
    ncz_object     *object;
    const uint64_t *index; /* the index of a chunk in the object */
    ncz_buf         key;
    ncz_slot       *slots; /* owned here until the object takes them */
} ncz_object_fetch;

/* Fetches all of them in one batch, and publishes each index, or its failure, to the tasks that wait for it. */
void ncz_object_fetch_indexes(ncz_objects *objects, const ncz_spec *spec, ncz_object_fetch *fetches, size_t n);
/*
 * Takes the index out of a whole object, for a request that claimed to get it (`whole`), and publishes it, or its
 * failure. An object that is larger than the body's limit has no failure: its tasks begin again, with ranges.
 */
void ncz_object_publish_index(ncz_objects *objects, const ncz_spec *spec, ncz_object *o, const zmap_get_req *req);

/* ---- object_find_chunks.c ---- */

/* Lets the layout find where its chunks lie. To be called before it is asked. */
int ncz_object_find_chunks(const ncz_objects *objects, const ncz_spec *spec);

#endif /* NCZ_OBJECT_INDEX_H */
