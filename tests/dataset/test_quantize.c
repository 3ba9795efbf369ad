/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding: how far each algorithm may move a value, what it leaves alone, and that bits really become zero. */
#include "dataset_test.h"

#include <math.h>

#include "dataset/dataset_int.h"

enum { N = 2000 };

/* Values over many magnitudes, both signs, the same in each run. */
static void
values(double *v)
{
    uint64_t seed = 12345;

    for (int i = 0; i < N; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        v[i] = ldexp((double)(seed >> 11) + 1, (int)(seed % 60) - 80) * (i % 2 == 0 ? 1 : -1);
    }
}

static void
digits_are_kept(void **state)
{
    static double v[N], q[N];
    const double  fill = 1e300;

    (void)state;
    values(v);
    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_GRANULARBR; mode++)
        for (int nsd = 1; nsd <= NC_QUANTIZE_MAX_DOUBLE_NSD; nsd++) {
            memcpy(q, v, sizeof q);
            ncz_dataset_quantize(mode, nsd, NC_DOUBLE, q, N, &fill);
            for (int i = 0; i < N; i++) { /* half a unit of the last digit that is kept; BitGroom a whole one */
                double unit = pow(10, floor(log10(fabs(v[i]))) + 1 - nsd);

                assert_true(fabs(q[i] - v[i]) <= unit * (mode == NC_QUANTIZE_BITGROOM ? 1 : 0.5000001));
            }
        }
}

static void
bits_are_kept(void **state)
{
    static double v[N];
    static float  f[N];
    const float   fill = 1e30f;

    (void)state;
    for (int keep = 1; keep <= NC_QUANTIZE_MAX_FLOAT_NSB; keep++) {
        values(v);
        for (int i = 0; i < N; i++)
            f[i] = (float)v[i];
        ncz_dataset_quantize(NC_QUANTIZE_BITROUND, keep, NC_FLOAT, f, N, &fill);
        for (int i = 0; i < N; i++) {
            uint32_t bits;

            memcpy(&bits, &f[i], sizeof bits);
            assert_int_equal(bits & ((1u << (23 - keep)) - 1), 0);
            assert_true(fabs((double)f[i] - (double)(float)v[i]) <= ldexp(fabs(v[i]), -keep - 1) * 1.0000001);
        }
    }
}

static void
some_stay_as_they_are(void **state)
{
    const float fill = 3.3333333f;
    float       v[6] = {3.3333333f, 0.0f, -0.0f, INFINITY, -INFINITY, NAN}, q[6];

    (void)state;
    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
        memcpy(q, v, sizeof q);
        ncz_dataset_quantize(mode, 1, NC_FLOAT, q, 6, &fill);
        assert_memory_equal(q, v, sizeof q);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_kept),
        cmocka_unit_test(bits_are_kept),
        cmocka_unit_test(some_stay_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
