/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_rectilinear: arrays whose chunks or objects differ in length.
 */
#ifndef NCZ_CHUNK_RECTILINEAR_H
#define NCZ_CHUNK_RECTILINEAR_H

#include "chunk/chunk.h"

/* ncz_engine_read() for such an array: calls `read` for each part of the selection that lies in one chunk, with a spec
 * whose chunks have one length. */
typedef int (*ncz_chunk_read_fn)(ncz_engine *e, const ncz_plan *p, void *out);
int ncz_chunk_read_rectilinear(ncz_engine *e, const ncz_limits *limits, const ncz_plan *p, void *out,
                               ncz_chunk_read_fn read);

#endif /* NCZ_CHUNK_RECTILINEAR_H */
