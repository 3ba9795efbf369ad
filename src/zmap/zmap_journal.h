/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_journal: changes a range of an object in place in such a way that whatever dies leaves the old bytes, the new
 * ones, or a mixture and beside the object a journal that has both.
 *
 * A mixture is known by its bytes, each of which is the old one or the new one; whoever opens the object finishes it.
 * An object that is anything else was changed by another program since, and the journal says nothing about it.
 */
#ifndef NCZ_ZMAP_JOURNAL_H
#define NCZ_ZMAP_JOURNAL_H

#include "zmap/zmap.h"

/* A range of an object, and what it is to hold. */
typedef struct zmap_patch {
    uint64_t at;
    ncz_buf  bytes; /* none: nothing is to be changed */
} zmap_patch;

/*
 * Changes `len` bytes from `at` on, of which `nold` were there before (the object may end in them). `durable`: what was
 * put before is on stable storage before the change begins, and the change before the call returns. Where no file can
 * be made beside the object the change is made without a journal, with a warning in the log.
 */
int zmap_journal_change(zmap *m, const char *key, uint64_t at, const void *old, size_t nold, const void *bytes,
                        size_t len, bool durable);

/* What a change that was begun has left to do: to be cleared with ncz_buf_clear(). An object without a journal, or
 * whose journal is of no use, has nothing left to do. */
int zmap_journal_look(zmap *m, const char *key, zmap_patch *out);

/* For a writer that has the object alone: finishes a change that was begun, and removes the journal. */
int zmap_journal_finish(zmap *m, const char *key);

#endif /* NCZ_ZMAP_JOURNAL_H */
