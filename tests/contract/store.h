/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of all maps, as one suite of tests. A new map is right when it passes this, with the caps that it says
 * it has: what its caps do not speak of is tested for being refused.
 */
#ifndef NCZ_TESTS_STORE_H
#define NCZ_TESTS_STORE_H

#include "zmap/zmap.h"

typedef struct store_maker {
    const char *name;
    void *(*place)(void);       /* where one test's store lives; may be NULL, as may what it gives */
    zmap *(*make)(void *place); /* a new, empty store for writing in that place */
    zmap *(*reopen)(void *place, zmap_open_how how); /* what was kept there; NULL: nothing outlives the store */
    void (*clear)(void *place);                      /* may be NULL */
    size_t segment_max;                              /* bytes of the longest segment; 0: as long as a key */
    size_t key_max;                                  /* bytes of the longest key; 0: ZMAP_KEY_MAX */
} store_maker;

/* Runs the suite; returns the number of tests that failed. */
int store_contract(const store_maker *maker);

/* With the word `threads`: of all suites that follow, the tests with threads alone, for ThreadSanitizer. */
void store_contract_choose(int argc, char **argv);

#endif /* NCZ_TESTS_STORE_H */
