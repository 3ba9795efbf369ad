/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_test: random numbers that are the same everywhere.
 */
#ifndef GRID_TEST_H
#define GRID_TEST_H

#include "support/failing_alloc.h"
#include "support/test.h"

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

#endif /* GRID_TEST_H */
