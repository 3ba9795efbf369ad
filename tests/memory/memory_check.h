/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that must succeed, in a program that measures its own memory: a failure ends it with a message. */
#ifndef NCZ_TESTS_MEMORY_CHECK_H
#define NCZ_TESTS_MEMORY_CHECK_H

#include "nczarr.h"

#include <stdio.h>
#include <stdlib.h>

static inline void
memory_check(int rc, const char *what)
{
    if (rc != NC_NOERR) {
        fprintf(stderr, "%s: %d %s\n", what, rc, nczarr_errmsg());
        exit(1);
    }
}

#define OK(call) memory_check((call), #call)

#endif /* NCZ_TESTS_MEMORY_CHECK_H */
