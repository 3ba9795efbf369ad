/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this module share: answering requests, collecting the children of a prefix, and an ordered index
 * of keys.
 */
#ifndef NCZ_ZMAP_INT_H
#define NCZ_ZMAP_INT_H

#include "zmap/zmap_ops.h"

#include <pthread.h>

/* ---- answering a request (zmap_common.c) ----------------------------------------------------------------------- */

/*
 * Computes which bytes of an object of `size` bytes the request gets: *n bytes from *off. Sets r->size. Every store
 * calls this before it copies, so that all of them refuse the same requests: a range past the end (NC_EINVAL), more
 * bytes than the caller's memory holds (NC_ETRUNC), more bytes than the limit of `body` (NC_ENOMEM).
 */
int zmap_answer_range(zmap_get_req *r, uint64_t size, uint64_t *off, size_t *n);

/* Answers a request from an object in memory: checks as above, copies, sets nread. */
int zmap_answer_bytes(zmap_get_req *r, const void *object, size_t size);

/* Completes a request with status `rc` and, for a failure other than NC_EEMPTY, this thread's error text; then calls
 * `done`, which may be NULL. */
void zmap_get_end(zmap_get_req *r, int rc, zmap_done_fn done, void *arg);
void zmap_put_end(zmap_put_req *r, int rc);

/* Whether the bytes of a put, which come from another store, are to be read first. NULL: they are in memory. */
static inline bool
zmap_must_load(const zmap *m, const zmap_source *from)
{
    return from != NULL && (m->caps & ZMAP_CAN_COPY) == 0;
}
void zmap_range_end(zmap_range_req *r, int rc);

/* ---- the only version of an object that is wanted (zmap_pin.c) ------------------------------------------------- */

typedef struct zmap_pinned {
    atomic_bool     on, known, grows;
    pthread_mutex_t lock; /* guards what was read first: */
    char            version[ZMAP_VERSION];
    uint64_t        size;
} zmap_pinned;

int  zmap_pin_init(zmap_pinned *p); /* 0, or an errno */
void zmap_pin_clear(zmap_pinned *p);
void zmap_pin_set(zmap_pinned *p);
/* Who writes it changes nothing that is read: what was read first may have got longer. */
void zmap_pin_grows(zmap_pinned *p);
void zmap_pin_forget(zmap_pinned *p);        /* the next version that is read is the first one again */
bool zmap_pin_is_held(const zmap_pinned *p); /* set, and it may grow */
bool zmap_pin_asks(const zmap_pinned *p);    /* requests are to ask for the version */
/* Of an answer with status `rc`: notes the version of the first one. Returns `rc`, or NC_EIO, with a text that names
 * the place, for an answer of another version. */
int zmap_pin_check(zmap_pinned *p, zmap_get_req *r, int rc, const char *place);

/* ---- the log (zmap_log.c) -------------------------------------------------------------------------------------- */

/* A batch of requests, or another operation, that is logged. */
typedef struct zmap_log_batch {
    const char  *store;
    int64_t      begun;
    zmap_done_fn done; /* the caller's */
    void        *arg;
} zmap_log_batch;

bool zmap_is_logged(const zmap *m);
void zmap_log_begin(zmap_log_batch *b, const zmap *m, zmap_done_fn done, void *arg);
/* A zmap_done_fn, whose `arg` is the batch: logs the request, and passes it on. */
void zmap_log_get(zmap_get_req *r, void *arg);
void zmap_log_puts(const zmap_log_batch *b, const zmap_put_req *reqs, size_t n);
void zmap_log_ranges(const zmap_log_batch *b, const zmap_range_req *reqs, size_t n);
/* An operation on `n` keys, of which `key` is the first. Keeps the thread's error text. */
void zmap_log_other(const zmap_log_batch *b, const char *what, const char *key, size_t n, int rc);

/* ---- zmap.c ---------------------------------------------------------------------------------------------------- */

/* The checks of zmap_list(), which zmap_walk() shares. */
int zmap_check_list(const zmap *m, const char *prefix);
/* The store is open for writing, and this is a key of it. */
int zmap_check_change(const zmap *m, const char *key);
int zmap_fail_unable(const zmap *m, const char *what);
/* The only key of a store with one object is "". */
bool zmap_is_key_of(const zmap *m, const char *key);
int  zmap_check_put(const zmap *m, zmap_put_req *r);
/* Reads the bytes of a put from another store, into memory that the caller frees. */
int zmap_load(const zmap_source *from, size_t len, void **out);

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
int  zmap_children_each(zmap_children *c, zmap_each_fn each, void *arg); /* sorted, each once */
void zmap_children_clear(zmap_children *c);

/* ---- an ordered index of keys (zmap_index.c) ------------------------------------------------------------------- */

/*
 * A skip list of keys, sorted by segments and bytewise within a segment: a key is directly followed by the keys below
 * it. Lookup, insertion and removal are O(log n) for any keys. Allocating a node and linking it are separate calls,
 * so that a caller can allocate before an irreversible step and then link without the risk of failure. The index has
 * no lock of its own.
 */
typedef struct zmap_node {
    char             *key;
    void             *value; /* the owner's; never freed here */
    unsigned          height;
    struct zmap_node *next[]; /* next[0]: the next node */
} zmap_node;

#define ZMAP_INDEX_HEIGHT 20

typedef struct zmap_index {
    zmap_node       *head[ZMAP_INDEX_HEIGHT];
    size_t           n;
    _Atomic uint64_t drawn; /* heights drawn so far; atomic, because nodes are allocated outside the owner's lock */
} zmap_index;

zmap_node *zmap_node_new(zmap_index *ix, const char *key, size_t len, void *value); /* NULL: out of memory */
void       zmap_node_free(zmap_node *node);

bool       zmap_index_link(zmap_index *ix, zmap_node *node); /* false: the key exists, and the node is not linked */
zmap_node *zmap_index_unlink(zmap_index *ix, const char *key, size_t len); /* NULL: absent */
zmap_node *zmap_index_find(const zmap_index *ix, const char *key, size_t len);
zmap_node *zmap_index_seek(const zmap_index *ix, const char *key, size_t len); /* first node at or after key */
zmap_node *zmap_index_past(const zmap_index *ix, const char *key, size_t len); /* first after key and all below it */
zmap_node *zmap_index_drain(zmap_index *ix); /* empties it; returns all nodes, last key first, chained by next[0] */
void       zmap_index_clear(zmap_index *ix); /* frees the nodes */
/* The children of a prefix. Steps from child to child: the keys below a child are skipped, not visited. */
int zmap_index_children(const zmap_index *ix, const char *prefix, zmap_children *out);

/* Whether `key` is below prefix[0..len): "a/b" is below "a" and "", but "ab" is not below "a". */
bool zmap_key_below(const char *key, const char *prefix, size_t len);

#endif /* NCZ_ZMAP_INT_H */
