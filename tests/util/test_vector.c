/* SPDX-License-Identifier: BSD-3-Clause */
/* Clearing the upper halves of the vector registers, and first that the tests see when they are in use; and what is
 * done with wide registers. */
#include "support/test.h"
#include "util/util.h"

#include "contract/cpu_state.h"

#include <float.h>
#include <math.h>

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

/* What a double becomes as a short: truncated to 32 bits, or the least of those, and of that the low half. */
static int16_t
short_of(double v, bool *bad)
{
    int32_t whole = v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN;

    *bad = *bad || v < -32768.0 || v > 32767.0;
    return (int16_t)(uint16_t)(uint32_t)whole;
}

TEST(shorts_of_numbers_are_those_of_a_loop)
{
    static const double hard[] = {
        0,        -0.0,   0.5,   -0.5,      32767,        32767.5,      32768,         -32768,
        -32768.5, -32769, 65536, 100000.75, 2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0,
        1e300,    -1e300, NAN,   INFINITY,  -INFINITY,    1e-310};
    enum { HARD = sizeof hard / sizeof *hard, MOST = 64 };
    double  d[MOST];
    float   f[MOST];
    int16_t got[MOST];

    for (size_t k = 0; k < HARD; k++)
        for (size_t n = 0; n <= MOST; n += 5) {
            bool   bad[2] = {false}, expected[2] = {false};
            size_t done;

            for (size_t i = 0; i < n; i++) {
                d[i] = (i + k) % 7 == 0 ? hard[(i / 7 + k) % HARD] : (double)i * 3.7 - 20;
                f[i] = (float)d[i];
            }
            done = ncz_vector_to_short(d, sizeof *d, got, n, &bad[0]);
            assert_true(done <= n);
            for (size_t i = 0; i < done; i++)
                assert_int_equal(got[i], short_of(d[i], &expected[0]));
            assert_int_equal(bad[0], expected[0]);
            done = ncz_vector_to_short(f, sizeof *f, got, n, &bad[1]);
            for (size_t i = 0; i < done; i++)
                assert_int_equal(got[i], short_of((double)f[i], &expected[1]));
            assert_int_equal(bad[1], expected[1]);
        }
}

TEST(floats_of_doubles_are_those_of_a_loop)
{
    static const double hard[] = {FLT_MAX, 3.4e38, -FLT_MAX, 3.5e38, -1e300, NAN, INFINITY, -0.0, 1e-310, 1e-40};
    enum { HARD = sizeof hard / sizeof *hard, MOST = 64 };
    double d[MOST];
    float  got[MOST];

    for (size_t k = 0; k < HARD; k++)
        for (size_t at = 0; at < MOST; at += 3)
            for (size_t n = 0; n <= MOST; n += 5) {
                bool   large = fabs(hard[k]) > FLT_MAX && at < n;
                size_t done;

                for (size_t i = 0; i < n; i++)
                    d[i] = i == at ? hard[k] : (double)i / 3 - 7;
                done = ncz_vector_to_float(d, got, n);
                assert_true(done <= n && (!large || done <= at));
                for (size_t i = 0; i < done; i++) {
                    float expected = (float)d[i];

                    assert_memory_equal(&got[i], &expected, sizeof expected);
                }
            }
}
