/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_unfinished: the names of objects that are to replace older ones, and the removal of those whose writers died.
 */
#ifndef NCZ_ZMAP_UNFINISHED_H
#define NCZ_ZMAP_UNFINISHED_H

#include "zmap/zmap.h"

#define ZMAP_UNFINISHED ".nczarr-new-" /* the names begin so */

/* A new name beside `key`, for what is to replace it. It says for which key it is, and of which process. The caller
 * frees it. NULL: out of memory, recorded. */
char *zmap_unfinished_name(const char *key);
/* The name beside `key` of the journal of a change in place, always the same one. The caller frees it. NULL: out of
 * memory, recorded. */
char *zmap_unfinished_journal(const char *key);
/* Removes from a directory what processes of this machine that have ended left for `key`. It looks at some thousand
 * names at most, and fails silently: nothing depends on it. */
void zmap_unfinished_remove(zmap *m, const char *key);

#endif /* NCZ_ZMAP_UNFINISHED_H */
