/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the library in a test and in the processes that it starts. */
#ifndef NCZ_TESTS_CHILD_H
#define NCZ_TESTS_CHILD_H

#include "nczarr.h"

#include <stdio.h>
#include <unistd.h>

#define ok(call) assert_int_equal((call), NC_NOERR)

/* In a child, where no assertion works. */
#define must(call)                                                                                                   \
    do {                                                                                                             \
        int must_rc = (call);                                                                                        \
        if (must_rc != NC_NOERR) {                                                                                   \
            fprintf(stderr, "%s: %d %s\n", #call, must_rc, nczarr_errmsg());                                         \
            _exit(2);                                                                                                \
        }                                                                                                            \
    } while (0)

#endif /* NCZ_TESTS_CHILD_H */
