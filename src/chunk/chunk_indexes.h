/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_indexes: the indexes of objects that the tasks of a request need.
 */
#ifndef NCZ_CHUNK_INDEXES_H
#define NCZ_CHUNK_INDEXES_H

#include "chunk/chunk_request.h"

/*
 * Gives each task the index of the object that it is about to read. One batch of gets fetches the unknown indexes.
 * Waits for objects that are being stored. Does nothing where each chunk is an object. Where the store takes batches
 * and the request wants most of an object, the index stays unknown and the object is claimed for being read whole
 * (object->whole): ncz_chunk_load_batch() then must get it.
 */
void ncz_chunk_request_indexes(ncz_chunk_request *req);
void ncz_chunk_request_drop_indexes(ncz_chunk_request *req);
/* Sets the range of a task's chunk in `where`, which has a slot. NC_EEMPTY: it is not stored. */
int ncz_chunk_slot_range(const ncz_spec *spec, const ncz_chunk_task *task, ncz_chunk_addr *where);
/* Whether the bytes read belong to the index that gave their range. False: reload the index and read again. */
bool ncz_chunk_index_is_current(ncz_engine *e, const ncz_chunk_task *task, const zmap_get_req *get);
int  ncz_chunk_index_reload(ncz_engine *e, const ncz_spec *spec, ncz_chunk_task *task);

#endif /* NCZ_CHUNK_INDEXES_H */
