/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of zmap_single share. */
#ifndef NCZ_ZMAP_SINGLE_INT_H
#define NCZ_ZMAP_SINGLE_INT_H

#include "zmap/zmap_int.h"
#include "zmap/zmap_journal.h"
#include "zmap/zmap_single.h"

#include <pthread.h>

typedef struct single_map {
    zmap             base;
    zmap            *inner;
    char            *key;        /* of the object, in `inner` */
    char            *unfinished; /* its key there until it is renamed, or NULL */
    atomic_bool      renamed;
    bool             made;   /* by this session: removed by ZMAP_DISCARD */
    bool             joined; /* another store made it, and renames it */
    pthread_rwlock_t naming;
    zmap_pinned      version; /* of an object that is only read */
    zmap_patch       patch;   /* of one that is only read: what its writer did not finish */
    bool             shares;  /* ... that has a share of the whole file's lock */
    long             owner;   /* the process that has the file's lock; 0: none */
} single_map;

extern const zmap_ops zmap_single_ops;

/* The object's key in the inner store now. */
static inline const char *
zmap_single_key(const single_map *s)
{
    return s->unfinished == NULL || atomic_load_explicit(&s->renamed, memory_order_acquire) ? s->key : s->unfinished;
}

#endif /* NCZ_ZMAP_SINGLE_INT_H */
