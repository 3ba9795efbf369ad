/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork(), for tests whose children go on to use the library. Under a sanitizer the library's threads end first: a
 * child that is forked while one of them starts or ends may wait for a lock of AddressSanitizer's allocator forever,
 * which clang 14 does not release in the child. The library itself can be forked at any time; without sanitizers the
 * tests do.
 */
#ifndef NCZ_TESTS_FORK_H
#define NCZ_TESTS_FORK_H

#include "support/peak.h"
#include "util/util.h"

#include <unistd.h>

static inline pid_t
fork_quiet(void)
{
    if (PEAK_SANITIZED)
        ncz_threads_stop();
    return fork();
}

/* Bytes that children write into a pipe until the last of them ends; one byte is one report. */
static inline int
count_reports(int report)
{
    char    some[256];
    int     n = 0;
    ssize_t got;

    while ((got = read(report, some, sizeof some)) > 0)
        n += (int)got;
    (void)close(report);
    return n;
}

#endif /* NCZ_TESTS_FORK_H */
