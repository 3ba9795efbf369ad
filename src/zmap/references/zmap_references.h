/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_references: a store whose objects lie in other stores. Each is a range of bytes of an object there, a whole
 * object, or bytes that the store itself holds. It is read-only, and is listed.
 *
 * A get of one object costs one request of the store that has its bytes. The requests of a batch go to the stores side
 * by side, each store's in one batch. Ranges of one object that are close together are merged into one request, except
 * of stores with ZMAP_FROM_WORKERS, where a request costs less than a copy.
 *
 * Errors of gets: NC_EEMPTY is said of keys without a reference only. NC_ENOOBJECT: the other store does not have the
 * object. NC_EINVAL: the object there ends before the range does, which a get of the range shows, and a get of its
 * length does not. Versions are those of the objects there.
 */
#ifndef NCZ_ZMAP_REFERENCES_H
#define NCZ_ZMAP_REFERENCES_H

#include "zmap/zmap.h"

typedef struct zmap_reference {
    const char *key;    /* of the object in this store */
    const void *data;   /* its `len` bytes; or NULL: they are in another store */
    size_t      store;  /* which one */
    const char *object; /* the key there; "" of a store with ZMAP_SINGLE */
    uint64_t    off;    /* where its bytes begin in the object there; 0 with ZMAP_WHOLE */
    uint64_t    len;    /* or ZMAP_WHOLE: all of the object there */
} zmap_reference;

/*
 * `refs` is copied, with its texts and bytes. The references of `stores` are taken on success; the store drops them
 * when it is closed. One store may be in several places.
 *
 * NC_EINVAL, with a text that names the key: a key or an object is none; a key is given twice, or is above or below
 * another one; there is no such store; a range has no end. NC_ENOMEM: more than the limit `references`.
 */
int zmap_references_open(zmap *const *stores, size_t nstores, const zmap_reference *refs, size_t n, zmap **out);

#endif /* NCZ_ZMAP_REFERENCES_H */
