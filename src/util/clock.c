/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The monotonic clock, which no other file of the library reads.
 */
#include "util/util.h"

#include <time.h>

int64_t
ncz_now_ns(void)
{
    struct timespec t = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t
ncz_now_ms(void)
{
    return ncz_now_ns() / 1000000;
}

void
ncz_sleep_ms(int64_t ms)
{
    const struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000 * 1000000)};

    (void)nanosleep(&t, NULL);
}
