/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the store of references share.
 *
 *   zmap_references.c      opening, closing, the table, lists
 *   zmap_references_get.c  finding a reference, get
 */
#ifndef NCZ_ZMAP_REFERENCES_INT_H
#define NCZ_ZMAP_REFERENCES_INT_H

#include "zmap/references/zmap_references.h"
#include "zmap/zmap_int.h"

/* Where an object's bytes are. */
typedef struct reference {
    const char *data;   /* the bytes, or NULL */
    const char *object; /* the key in the other store; the same pointer in all references to it */
    uint64_t    off, len;
    size_t      store;
} reference;

/* Nothing changes once it is open, so any thread may read. */
typedef struct references_map {
    zmap        base;
    zmap      **stores;
    size_t      nstores;
    zmap_index  keys;    /* the value is a reference */
    zmap_index *objects; /* of each store: the keys that references have */
    reference  *refs;
    ncz_arena   bytes; /* that the store itself holds */
} references_map;

/* The reference of a key. NC_EEMPTY: there is none; NC_EACCESS: the key is above or below others. */
int zmap_references_find(const references_map *s, const char *key, const reference **out);
/* A failure of the other store, which may say of `object` what is true of `key`. */
int zmap_references_fail(const char *key, const reference *ref, const zmap *store, const ncz_err *err);

/* ---- the table's entry ---- */

int zmap_references_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);

#endif /* NCZ_ZMAP_REFERENCES_INT_H */
