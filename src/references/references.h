/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * references: a store whose objects lie in other stores. Each is a range of bytes of an object there, a whole
 * object, or bytes that the store itself holds. It is read-only, and is listed.
 *
 * The references are a table that is copied, or are found by the functions of a finder, as they are asked for.
 *
 * A get of one object costs one request of the store that has its bytes. The requests of a batch go to the stores side
 * by side, each store's in one batch. Ranges of one object that are close together are merged into one request, except
 * of stores with ZMAP_FROM_WORKERS, where a request costs less than a copy.
 *
 * Errors of gets: NC_EEMPTY is said of keys without a reference only. NC_ENOOBJECT: the other store does not have the
 * object. NC_EINVAL: the object there ends before the range does, which a get of the range shows, and a get of its
 * length does not. NC_EIO: it is not the version that the reference names. Versions are those of the objects there.
 */
#ifndef NCZ_REFERENCES_H
#define NCZ_REFERENCES_H

#include "zmap/zmap.h"
#include "zmap/zmap_place.h"

/* ---- a table --------------------------------------------------------------------------------------------------- */

typedef struct ncz_reference {
    const char *key;    /* of the object in this store */
    const void *data;   /* its `len` bytes; or NULL: they are in another store */
    size_t      store;  /* which one */
    const char *object; /* the key there; "" of a store with ZMAP_SINGLE */
    uint64_t    off;    /* where its bytes begin in the object there; 0 with ZMAP_WHOLE */
    uint64_t    len;    /* or ZMAP_WHOLE: all of the object there */
} ncz_reference;

/*
 * `refs` is copied, with its texts and bytes. The references of `stores` are taken on success; the store drops them
 * when it is closed. One store may be in several places.
 *
 * NC_EINVAL, with a text that names the key: a key or an object is none; a key is given twice, or is above or below
 * another one; there is no such store; a range has no end. NC_ENOMEM: more than the limit `references`.
 */
int ncz_references_open(zmap *const *stores, size_t nstores, const ncz_reference *refs, size_t n, zmap **out);

/* ---- a finder -------------------------------------------------------------------------------------------------- */

/* Where the bytes of an object are. */
typedef struct ncz_found {
    const void *data;     /* its `len` bytes; or NULL: they are in another store */
    zmap       *store;    /* which one; it lives as long as the finder */
    const char *object;   /* the key there; "" of a store with ZMAP_SINGLE */
    uint64_t    off, len; /* as in a ncz_reference */
    bool        cut;      /* the range may go past the end of the object: all of it that is there is an answer */
    const char *etag;     /* the version that the object there must be, as its server or Rust's object_store says it,
                           * with or without quotation marks; NULL: any */
    int64_t     modified; /* seconds since 1970: it must not have been changed after that; 0: any */
} ncz_found;

/* Any thread may call any of these with its `arg`. */
typedef struct ncz_finder {
    const char *name; /* of the store: "icechunk" */
    /* The place of an object. What `out` points to is in `room`, or lives as long as the finder. NC_EEMPTY: there is
     * none; NC_EACCESS: the key is above or below others. */
    int (*find)(void *arg, const char *key, ncz_arena *room, ncz_found *out);
    /* These will be looked for next: what must be read for that can be read at once. Failures are left to `find`. NULL:
     * nothing to do. */
    void (*expect)(void *arg, const zmap_get_req *reqs, size_t n);
    int (*list)(void *arg, const char *prefix, zmap_each_fn each, void *each_arg); /* as zmap_list_names() */
    int (*walk)(void *arg, const char *prefix, zmap_walk_fn each, void *each_arg);
    void (*stats)(void *arg, zmap_stats *out); /* adds those of the other stores; NULL: none */
    int (*close)(void *arg);
    /* Where the bytes of an object are, as text, without asking that place: appends nothing if they are here. NULL:
     * it is not told. Errors: those of `find`. */
    int (*where)(void *arg, const char *key, ncz_buf *place, uint64_t *off, uint64_t *len);
} ncz_finder;

/*
 * A store over a finder, which lives as long as the program. `arg` is taken on success. `from_workers`: gets are cheap
 * and block, as with ZMAP_FROM_WORKERS; else they come in batches.
 */
int ncz_references_find(const ncz_finder *finder, void *arg, bool from_workers, zmap **out);

/* Appends where the bytes of an object are, `len` of them from byte `off` on, or ZMAP_WHOLE: all. Nothing: the map has
 * them itself, or does not tell. NC_EEMPTY, NC_EACCESS: there is no such object. */
int ncz_references_where(zmap *m, const char *key, ncz_buf *place, uint64_t *off, uint64_t *len);

/* ---- whether the places are there ------------------------------------------------------------------------------ */

bool ncz_references_is(const zmap *m);
/* Asks for each object elsewhere that the store refers to, without its data, many at once, and each of them once,
 * except in a store of very many. What ncz_references_where() says the map has itself is not asked for. What is not
 * there is no failure of the call. */
int ncz_references_check(zmap *m, zmap_place_fn each, void *arg);

#endif /* NCZ_REFERENCES_H */
