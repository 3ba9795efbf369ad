/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_test: random numbers that are the same everywhere, and an allocator whose n-th call fails.
 */
#ifndef GRID_TEST_H
#define GRID_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grid/grid.h"

static inline uint64_t
rnd_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 <= result < n */
static inline uint64_t
rnd(uint64_t *state, uint64_t n)
{
    return rnd_next(state) % n;
}

static size_t fail_at, fail_seen; /* the fail_at-th allocation fails; 0: none */

static inline void *
fail_get(size_t nbytes)
{
    return ++fail_seen == fail_at ? NULL : malloc(nbytes);
}

static inline void *
fail_resize(void *p, size_t nbytes)
{
    return ++fail_seen == fail_at ? NULL : realloc(p, nbytes);
}

static inline void
fail_use(size_t at)
{
    static const ncz_alloc_table table = {fail_get, fail_resize, free};

    fail_at = at;
    fail_seen = 0;
    ncz_alloc_use(&table);
}

/* True when the run met its failure. */
static inline bool
fail_end(void)
{
    ncz_alloc_use(NULL);
    return fail_at != 0 && fail_seen >= fail_at;
}

#endif /* GRID_TEST_H */
