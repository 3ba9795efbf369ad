/* SPDX-License-Identifier: BSD-3-Clause */
/* clock: the clocks of the benchmark programs. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

/* The seconds of one of the system's clocks: CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID ... */
static inline double
clock_seconds(clockid_t which)
{
    struct timespec t = {0, 0};

    (void)clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif /* BENCH_CLOCK_H */
