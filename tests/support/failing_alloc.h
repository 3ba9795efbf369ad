/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An allocator for tests: it fails when it is asked to, counts, and keeps the size of the largest request. It takes the
 * place of malloc in the library (ncz_alloc_use()), for all threads; change it only while no other thread is at work.
 */
#ifndef NCZ_TESTS_FAILING_ALLOC_H
#define NCZ_TESTS_FAILING_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

void   fail_allocation(size_t nth);       /* the n-th from now fails, and only that one; 0: malloc again */
void   fail_allocations_from(size_t nth); /* the n-th from now and all after it */
bool   end_failing(void);                 /* malloc again; true when an allocation has failed */
size_t allocations_seen(void);            /* since the failure was set */
size_t largest_allocation(void);          /* bytes of the largest request since then */
void   watch_allocations(void);           /* counts, and lets none fail */

/*
 * For a loop over all allocations that takes long: the one that fails after the `at`-th, at 0 the first. In the short
 * run under a sanitizer it is every seventh, from one on that the seed chooses; else each.
 */
size_t next_allocation(size_t at);

/*
 * Runs `step` with its first, then its second ... allocation failing, until it gets through without one. Every
 * failure must be NC_ENOMEM, and a step must be able to start again after one.
 */
void each_allocation_fails(int (*step)(void *arg), void *arg);

#endif /* NCZ_TESTS_FAILING_ALLOC_H */
