/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vector_x86: leaves the vector registers as the x86 calling conventions require. While the upper halves hold values
 * of AVX code, every later SSE instruction waits for them, on many machines.
 */
#include "util/util.h"

#include <immintrin.h>

__attribute__((target("avx"))) static void
clear_upper_halves(void)
{
    _mm256_zeroupper();
}

void
ncz_vector_clear(void)
{
    if (__builtin_cpu_supports("avx"))
        clear_upper_halves();
}
