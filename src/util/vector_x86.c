/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vector_x86: leaves the vector registers as the x86 calling conventions require. While the upper halves hold values
 * of AVX code, every later SSE instruction waits for them, on many machines. And reverses the bytes of many elements
 * with one instruction, which only processors of the last ten years have, so that compilers may not use it unasked.
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

/* Which byte of 16 comes to each place; one after the other for elements of 2, 4 and 8 bytes. */
static const char orders[3][16] = {{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
                                   {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
                                   {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}};

__attribute__((target("avx2"))) static size_t
swap_blocks(const char *from, char *to, size_t nbytes, const char *order)
{
    const __m256i places = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)order));
    size_t        done = 0;

    for (; nbytes - done >= sizeof places; done += sizeof places) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + done));

        _mm256_storeu_si256((__m256i *)(void *)(to + done), _mm256_shuffle_epi8(v, places));
    }
    _mm256_zeroupper(); /* compilers add it where they optimise only */
    return done;
}

size_t
ncz_vector_swap(const char *from, char *to, size_t nbytes, size_t size)
{
    if (!__builtin_cpu_supports("avx2"))
        return 0;
    return swap_blocks(from, to, nbytes, orders[size == 2 ? 0 : size == 4 ? 1 : 2]);
}
