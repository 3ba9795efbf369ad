/* SPDX-License-Identifier: BSD-3-Clause */
/* Clearing the upper halves of the vector registers, and first that the tests see when they are in use. */
#include "support/test.h"
#include "util/util.h"

#include "contract/cpu_state.h"

TEST(the_probe_sees_a_dirty_state)
{
    CPU_STATE_NEEDED();
    cpu_state_clean();
    assert_int_equal(cpu_state_upper(), 0);
    cpu_state_dirty();
    assert_int_not_equal(cpu_state_upper(), 0);
    cpu_state_clean();
    assert_int_equal(cpu_state_upper(), 0);
}

TEST(clearing_cleans_the_state)
{
    ncz_vector_clear(); /* on every machine: does nothing, or what it says */
    CPU_STATE_NEEDED();
    cpu_state_dirty();
    ncz_vector_clear();
    assert_int_equal(cpu_state_upper(), 0);
}

TEST(clearing_keeps_the_rounding_mode)
{
    cpu_mode usual = cpu_mode_now(), unusual;

    cpu_mode_unusual();
    unusual = cpu_mode_now();
    ncz_vector_clear();
    assert_true(cpu_mode_same(cpu_mode_now(), unusual));
    cpu_mode_usual();
    assert_true(cpu_mode_same(cpu_mode_now(), usual));
#if defined(__x86_64__) || defined(__SSE2__)
    assert_false(cpu_mode_same(usual, unusual));
#endif
}

TEST(swapped_bytes_are_right_at_any_alignment)
{
    static const size_t sizes[] = {2, 4, 8};
    char                from[300], to[300];

    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (char)(i * 37 + i / 256);
    for (size_t k = 0; k < 3; k++)
        for (size_t at = 0; at < 3; at++) /* any alignment */
            for (size_t nbytes = 0; nbytes <= 256; nbytes += sizes[k]) {
                size_t done;

                memset(to, 0x55, sizeof to);
                done = ncz_vector_swap(from + at, to + 2 * at, nbytes, sizes[k]);
                assert_true(done <= nbytes && done % sizes[k] == 0);
                for (size_t i = 0; i < done; i++)
                    assert_int_equal(to[2 * at + i],
                                     from[at + i / sizes[k] * sizes[k] + sizes[k] - 1 - i % sizes[k]]);
                for (size_t i = done; i < 256; i++)
                    assert_int_equal(to[2 * at + i], 0x55);
            }
}
