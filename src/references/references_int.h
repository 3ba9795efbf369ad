/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the store of references share.
 *
 *   references_table.c  a table of references, as a finder
 *   references.c        the store over a finder: opening, closing, lists
 *   references_get.c    get
 *   references_check.c  whether all that is referred to is there
 */
#ifndef NCZ_REFERENCES_INT_H
#define NCZ_REFERENCES_INT_H

#include "references/references.h"
#include "zmap/zmap_int.h"

/* Nothing changes once it is open, so any thread may read. */
typedef struct references_map {
    zmap              base;
    zmap_ops          ops; /* with the finder's name */
    const ncz_finder *finder;
    void             *arg;
} references_map;

/* A failure of the other store, which may say of `object` what is true of `key`. */
int ncz_references_fail(const char *key, const ncz_found *ref, const ncz_err *err);

/* Whether the object that answered is the one that the reference names. A store that does not know cannot tell. */
int ncz_references_check_version(const char *key, const ncz_found *ref, const zmap_get_req *answer);

/* ---- the table's entry ---- */

int ncz_references_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);

#endif /* NCZ_REFERENCES_INT_H */
