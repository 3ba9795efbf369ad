/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the store of references share.
 *
 *   zmap_references_table.c  a table of references, as a finder
 *   zmap_references.c        the store over a finder: opening, closing, lists
 *   zmap_references_get.c    get
 */
#ifndef NCZ_ZMAP_REFERENCES_INT_H
#define NCZ_ZMAP_REFERENCES_INT_H

#include "zmap/references/zmap_references.h"
#include "zmap/zmap_int.h"

/* Nothing changes once it is open, so any thread may read. */
typedef struct references_map {
    zmap               base;
    zmap_ops           ops; /* with the finder's name */
    const zmap_finder *finder;
    void              *arg;
} references_map;

/* A failure of the other store, which may say of `object` what is true of `key`. */
int zmap_references_fail(const char *key, const zmap_found *ref, const ncz_err *err);

/* ---- the table's entry ---- */

int zmap_references_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);

#endif /* NCZ_ZMAP_REFERENCES_INT_H */
