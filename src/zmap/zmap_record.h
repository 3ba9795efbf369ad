/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_record: reading the same objects on several machines with the requests of one. A recording store passes every
 * read on to another store and keeps the answers; a replaying store, on another machine, answers from them.
 *
 * For documents: small objects, read whole or in ranges, and lists. Both stores are read-only.
 */
#ifndef NCZ_ZMAP_RECORD_H
#define NCZ_ZMAP_RECORD_H

#include "zmap/zmap.h"

/* Keeps the answers of `inner`, which is referenced. */
int zmap_record_open(zmap *inner, zmap **out);
/* Appends all answers so far to `out`, in a form that only zmap_replay_open() reads. */
int zmap_record_take(zmap *m, ncz_buf *out);

/* Answers as the recorded store did. What was not read then is read from `inner`, which is referenced. `record` is
 * copied. NC_EINVAL: it is damaged. */
int zmap_replay_open(zmap *inner, const void *record, size_t len, zmap **out);

#endif /* NCZ_ZMAP_RECORD_H */
