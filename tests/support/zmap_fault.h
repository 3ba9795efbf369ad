/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_fault: a store for tests that wraps another one and makes its n-th operation fail.
 */
#ifndef NCZ_TESTS_ZMAP_FAULT_H
#define NCZ_TESTS_ZMAP_FAULT_H

#include "zmap/zmap.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum zmap_fault_kind {
    ZMAP_FAULT_FAIL,  /* the operation is not done and reports `code` */
    ZMAP_FAULT_LIE,   /* the operation is done and reports `code` */
    ZMAP_FAULT_SHORT, /* a get gives half its bytes and reports success */
    ZMAP_FAULT_DIE,   /* _Exit(137), as kill -9 would */
    ZMAP_FAULT_TORN,  /* a put at an offset, an append or a write of a draft writes the first `kept` of its bytes, and
                       * reports `code`; or, with NC_NOERR, dies. Another operation is not done */
} zmap_fault_kind;

/* Operations are each request of a batch, each key of a del, each list, resize, rename and sync, each begin, append
 * and commit of a put in pieces, and each begin, write and publish of a draft, counted from 1. */
typedef struct zmap_fault_plan {
    size_t           nth;     /* the one that fails; 0: none */
    bool             forever; /* and all after it */
    zmap_fault_kind  kind;
    int              code;
    size_t           kept;
    atomic_size_t    seen; /* out: operations so far, those that wait at the gate included */
    pthread_mutex_t *gate; /* each operation takes it for a moment: while a test holds it, the store hangs. Or NULL */
} zmap_fault_plan;

/* Takes the reference to `inner` on success. */
int zmap_fault_open(zmap *inner, zmap_fault_plan *plan, zmap **out);

#endif /* NCZ_TESTS_ZMAP_FAULT_H */
