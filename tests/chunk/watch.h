/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch: an allocator that knows how many bytes are in use, and how many were at most.
 */
#ifndef WATCH_H
#define WATCH_H

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "util/util.h"

static atomic_size_t live, peak;

static void
note(void *p)
{
    size_t now = p != NULL ? atomic_fetch_add(&live, malloc_usable_size(p)) + malloc_usable_size(p) : 0;
    size_t was = atomic_load(&peak);

    while (now > was && !atomic_compare_exchange_weak(&peak, &was, now))
        ;
}

static void *
watch_get(size_t n)
{
    void *p = malloc(n);

    note(p);
    return p;
}

static void
watch_put(void *p)
{
    atomic_fetch_sub(&live, malloc_usable_size(p));
    free(p);
}

static void *
watch_resize(void *p, size_t n)
{
    void *q;

    atomic_fetch_sub(&live, p != NULL ? malloc_usable_size(p) : 0);
    q = realloc(p, n);
    note(q);
    return q;
}

static const ncz_alloc_table watch_table = {watch_get, watch_resize, watch_put};

#endif /* WATCH_H */
