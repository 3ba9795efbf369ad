/* SPDX-License-Identifier: BSD-3-Clause */
/* The monotonic clock: it advances by the time that passes, in either unit. */
#include "support/test.h"
#include "util/util.h"

#include <time.h>

TEST(the_clock_advances)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000000};
    int64_t               ms = ncz_now_ms(), ns = ncz_now_ns();

    assert_int_equal(nanosleep(&pause, NULL), 0);
    ns = ncz_now_ns() - ns;
    ms = ncz_now_ms() - ms;
    assert_true(ns >= 20 * 1000000);
    assert_true(ms >= 20);
    assert_true(ns / 1000000 <= ms + 1);
}

TEST(the_units_agree)
{
    int64_t before = ncz_now_ns() / 1000000, ms = ncz_now_ms(), after = ncz_now_ns() / 1000000;

    assert_true(before <= ms && ms <= after);
}
