/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this room share: answering requests, collecting the children of a prefix, an ordered index of
 * keys.
 */
#ifndef NCZ_ZMAP_INT_H
#define NCZ_ZMAP_INT_H

#include "zmap/zmap_ops.h"

/* ---- answering a request (zmap_common.c) ----------------------------------------------------------------------- */

/*
 * Which bytes of an object of `size` bytes the request gets: *n from *off on; sets r->size. Or what is wrong with the
 * request: a range past the end, the caller's memory too small (NC_ETRUNC), more than the ceiling (NC_ENOMEM). Every
 * map asks this before it copies.
 */
int zmap_answer_range(zmap_get_req *r, uint64_t size, uint64_t *off, size_t *n);

/* The whole answer for a map that has the object in memory: checks as above, copies, sets nread. */
int zmap_answer_bytes(zmap_get_req *r, const void *object, size_t size);

/* Ends a request with the code and, for a failure, this thread's text; then calls `done`, which may be NULL. */
void zmap_get_end(zmap_get_req *r, int rc, zmap_done_fn done, void *arg);
void zmap_put_end(zmap_put_req *r, int rc);

/* What the front door asks before it lists (zmap.c). */
int zmap_check_list(const zmap *m, const char *prefix);

/* ---- children of a prefix (zmap_common.c) ---------------------------------------------------------------------- */

typedef struct zmap_child {
    char *name;
    bool  leaf;
} zmap_child;

typedef struct zmap_children {
    zmap_child *items;
    size_t      n, cap;
} zmap_children;

int  zmap_children_add(zmap_children *c, const char *name, size_t len, bool leaf);
int  zmap_children_each(zmap_children *c, zmap_each_fn each, void *arg); /* sorted, each name once; a leaf wins */
void zmap_children_clear(zmap_children *c);

/* ---- an ordered index of keys (zmap_index.c) ------------------------------------------------------------------- */

/*
 * Sorted by segments, bytewise within one: a key is directly followed by all that stands below it. Lookup, insertion
 * and removal are O(log n), whatever the keys. Nodes are made apart from linking, so that a caller can hold one
 * before it does what cannot be undone and then link it without fail. No locks of its own.
 */
typedef struct zmap_node {
    char             *key;
    void             *value; /* the owner's; never freed here */
    unsigned          height;
    struct zmap_node *next[]; /* next[0]: the following node */
} zmap_node;

#define ZMAP_INDEX_HEIGHT 20

typedef struct zmap_index {
    zmap_node *head[ZMAP_INDEX_HEIGHT];
    size_t     n;
    uint64_t   drawn; /* how many heights were drawn; atomic, as nodes are made outside the owner's lock */
} zmap_index;

zmap_node *zmap_node_new(zmap_index *ix, const char *key, size_t len, void *value); /* NULL: out of memory */
void       zmap_node_free(zmap_node *node);

bool       zmap_index_link(zmap_index *ix, zmap_node *node); /* false, and not linked: that key is there */
zmap_node *zmap_index_unlink(zmap_index *ix, const char *key, size_t len); /* NULL: it is not there */
zmap_node *zmap_index_find(const zmap_index *ix, const char *key, size_t len);
zmap_node *zmap_index_seek(const zmap_index *ix, const char *key, size_t len); /* first at or behind key */
zmap_node *zmap_index_past(const zmap_index *ix, const char *key, size_t len); /* first behind key and all below it */
zmap_node *zmap_index_drain(zmap_index *ix); /* empties it: all nodes, last key first, chained by next[0] */
void       zmap_index_clear(zmap_index *ix); /* frees the nodes */

/* Whether `key` stands below prefix[0..len): "a/b" below "a" and "", not "ab". */
bool zmap_key_below(const char *key, const char *prefix, size_t len);

#endif /* NCZ_ZMAP_INT_H */
