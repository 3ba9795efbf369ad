/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * no_memory: a use of the library in which each allocation fails in turn.
 */
#ifndef NCZ_TESTS_NO_MEMORY_H
#define NCZ_TESTS_NO_MEMORY_H

#include "api_test.h"

#include "support/failing_alloc.h"

/* Sets the caller's `rc`, and goes to its `done` after a failure. */
#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        if ((rc = (call)) != NC_NOERR)                                                                               \
            goto done;                                                                                               \
    } while (0)

/* Runs `use` in an empty place, for each of n modes and each allocation that fails, until none does. NC_ENOMEM is the
 * only failure; where the library can do without the memory there is none. */
static inline void
use_without_memory(int (*use)(place *p, const char *mode), const char *const *modes, size_t n)
{
    for (size_t m = 0; m < n; m++)
        for (size_t at = 1;; at++) {
            place p;
            bool  met;
            int   rc;

            place_make(&p, true);
            fail_allocation(at);
            rc = use(&p, modes[m]);
            met = end_failing();
            if (rc != NC_NOERR && rc != NC_ENOMEM)
                print_error("allocation %zu: %d (%s)\n", at, rc, nczarr_errmsg());
            assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
            place_drop(&p);
            if (rc == NC_NOERR && !met)
                break;
            assert_true(at < 20000);
        }
}

#endif /* NCZ_TESTS_NO_MEMORY_H */
