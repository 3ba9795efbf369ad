/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read_ahead: sequential read-ahead. Under the lock.
 */
#ifndef NCZ_CHUNK_READ_AHEAD_H
#define NCZ_CHUNK_READ_AHEAD_H

#include "chunk/chunk_request.h"

/* Adds tasks to a read that continues where an earlier one ended. Its own tasks are claimed already. */
void ncz_chunk_add_ahead(ncz_chunk_request *req);
void ncz_chunk_forget_streams(ncz_engine *e, uint64_t uid);

#endif /* NCZ_CHUNK_READ_AHEAD_H */
