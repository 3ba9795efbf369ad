/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_ops: the table of a store, for those who add one. Fill in one `static const zmap_ops`, write one constructor
 * (zmap_example.c is a worked example), give it a header, and run tests/contract/store.c on it.
 */
#ifndef NCZ_ZMAP_OPS_H
#define NCZ_ZMAP_OPS_H

#include "zmap/zmap.h"

#include <stdatomic.h>

/* Objects whose bytes come in pieces: as zmap_writer. */
typedef struct zmap_writer_ops {
    /* No call follows a failed begin, and an append that failed is followed by abandon.
     * Commit and abandon release `state`, whatever they return. */
    int (*begin)(zmap *m, zmap_writer *w);
    int (*append)(zmap_writer *w, const void *data, size_t len);
    int (*commit)(zmap_writer *w, zmap_put_req *r); /* without bytes; sets `stored` after a condition */
    void (*abandon)(zmap_writer *w);
} zmap_writer_ops;

/* Of drafts. The state is the store's; `end` releases it. Ranges are inside the size that `begin` got. */
typedef struct zmap_draft_ops {
    int (*begin)(zmap *m, zmap_draft *d);
    int (*join)(zmap *m, zmap_draft *d, const char *name);
    const char *(*name)(const zmap_draft *d);
    int (*write)(zmap_draft *d, uint64_t off, const void *data, size_t len);
    int (*read)(zmap_draft *d, uint64_t off, void *into, size_t len);
    int (*map)(zmap_draft *d, const void **out);
    int (*publish)(zmap_draft *d, uint64_t size,
                   zmap_put_req *r); /* without bytes; sets `stored` after a condition */
    void (*end)(zmap_draft *d);
} zmap_draft_ops;

typedef struct zmap_ops {
    const char *name;
    int (*get)(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg); /* sets each err, calls done */
    int (*put)(zmap *m, zmap_put_req *reqs, size_t n);                               /* sets each err */
    int (*del)(zmap *m, const char *const *keys, size_t n);                 /* tries all, returns the first failure */
    int (*list)(zmap *m, const char *prefix, zmap_each_fn each, void *arg); /* as zmap_list_names() */
    int (*sync)(zmap *m);
    int (*close)(zmap *m, zmap_end how);                 /* frees m too */
    int (*len)(zmap *m, const char *key, uint64_t *len); /* may be NULL; NC_EEMPTY without a text */
    int (*walk)(zmap *m, const char *prefix, zmap_walk_fn each, void *arg); /* NULL: zmap.c lists prefix by prefix */
    void (*pin)(zmap *m);                                                   /* zmap_pin(); NULL: no effect */
    void (*stats)(const zmap *m, zmap_stats *out);                   /* adds the store's own counters; NULL: none */
    int (*del_match)(zmap *m, const char *key, const char *version); /* NULL without ZMAP_CAN_DEL_MATCH */
    /* NULL without ZMAP_CAN_PUT_RANGE. No range or size exceeds INT64_MAX. */
    int (*put_range)(zmap *m, zmap_range_req *reqs, size_t n); /* sets each err */
    int (*resize)(zmap *m, const char *key, uint64_t size);
    int (*rename)(zmap *m, const char *from, const char *to); /* two different keys */
    zmap_writer_ops       writer;                             /* all NULL without ZMAP_CAN_APPEND */
    const zmap_draft_ops *drafts;                             /* NULL without ZMAP_CAN_DRAFT */
} zmap_ops;

/* zmap_stats while they are counted. */
typedef struct zmap_counts {
    _Atomic uint64_t gets, puts, dels, lists, bytes_read, bytes_written;
} zmap_counts;

/* The struct of each store begins with this. */
struct zmap {
    const zmap_ops *ops;
    unsigned        caps;
    atomic_uint     refs; /* the constructor sets 1 */
    zmap_counts     done; /* zmap.c's */
};

struct zmap_writer {
    zmap    *m;
    void    *state;   /* the store's */
    uint64_t len;     /* appended so far */
    ncz_buf  body;    /* without ZMAP_CAN_APPEND: the bytes */
    ncz_err  failure; /* of an append */
    char     key[];
};

struct zmap_draft {
    zmap    *m;
    void    *state; /* the store's */
    uint64_t size;
    long     pid; /* of the process that began it */
    bool     published, joined;
    char     key[];
};

#endif /* NCZ_ZMAP_OPS_H */
