/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vector_x86: leaves the vector registers as the x86 calling conventions require. While the upper halves hold values
 * of AVX code, every later SSE instruction waits for them, on many machines. And reverses the bytes of many elements
 * with one instruction, or makes shorts or floats of several numbers, which only processors of the last ten years can,
 * so that compilers may not use that unasked.
 */
#include "util/util.h"

#include <float.h>
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

/* ---- shorts of doubles and floats ---- */

/* The low halves of 8 integers of 32 bits. */
__attribute__((target("avx2"))) static inline void
store_low_halves(__m256i v, char *to)
{
    const __m256i low = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 4, 5, 8, 9,
                                         12, 13, -1, -1, -1, -1, -1, -1, -1, -1);

    v = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(v, low), 0x08);
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(v));
}

/* Truncates 4 doubles. Who does not fit 32 bits, or is no number, becomes the smallest integer, as the instruction has
 * it; but the instruction would raise an exception for it. *bad: a mask of those that do not fit 16 bits. */
__attribute__((target("avx2"))) static inline __m128i
truncate_doubles(const char *from, __m256d *bad)
{
    const __m256d least = _mm256_set1_pd(-2147483648.0);
    __m256d       v = _mm256_loadu_pd((const double *)(const void *)from);
    __m256d       fits = _mm256_and_pd(_mm256_cmp_pd(v, _mm256_set1_pd(-2147483649.0), _CMP_GT_OQ),
                                       _mm256_cmp_pd(v, _mm256_set1_pd(2147483648.0), _CMP_LT_OQ));

    *bad = _mm256_or_pd(*bad, _mm256_or_pd(_mm256_cmp_pd(v, _mm256_set1_pd(-32768.0), _CMP_LT_OQ),
                                           _mm256_cmp_pd(v, _mm256_set1_pd(32767.0), _CMP_GT_OQ)));
    return _mm256_cvttpd_epi32(_mm256_blendv_pd(least, v, fits));
}

__attribute__((target("avx2"))) static size_t
doubles_to_shorts(const char *from, char *to, size_t n, bool *bad)
{
    __m256d outside = _mm256_setzero_pd();
    size_t  i = 0;

    for (; n - i >= 8; i += 8) {
        __m128i a = truncate_doubles(from + i * 8, &outside), b = truncate_doubles(from + i * 8 + 32, &outside);

        store_low_halves(_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1), to + i * 2);
    }
    *bad = *bad || _mm256_movemask_pd(outside) != 0;
    _mm256_zeroupper();
    return i;
}

__attribute__((target("avx2"))) static size_t
floats_to_shorts(const char *from, char *to, size_t n, bool *bad)
{
    const __m256 least = _mm256_set1_ps(-2147483648.0f);
    __m256       outside = _mm256_setzero_ps();
    size_t       i = 0;

    for (; n - i >= 8; i += 8) {
        __m256 v = _mm256_loadu_ps((const float *)(const void *)(from + i * 4));
        __m256 fits = _mm256_and_ps(_mm256_cmp_ps(v, least, _CMP_GE_OQ),
                                    _mm256_cmp_ps(v, _mm256_set1_ps(2147483648.0f), _CMP_LT_OQ));

        outside = _mm256_or_ps(outside, _mm256_or_ps(_mm256_cmp_ps(v, _mm256_set1_ps(-32768.0f), _CMP_LT_OQ),
                                                     _mm256_cmp_ps(v, _mm256_set1_ps(32767.0f), _CMP_GT_OQ)));
        store_low_halves(_mm256_cvttps_epi32(_mm256_blendv_ps(least, v, fits)), to + i * 2);
    }
    *bad = *bad || _mm256_movemask_ps(outside) != 0;
    _mm256_zeroupper();
    return i;
}

size_t
ncz_vector_to_short(const void *from, size_t size, void *to, size_t n, bool *bad)
{
    if (!__builtin_cpu_supports("avx2"))
        return 0;
    return size == sizeof(double) ? doubles_to_shorts(from, to, n, bad) : floats_to_shorts(from, to, n, bad);
}

/* ---- floats of doubles ---- */

__attribute__((target("avx2"))) static size_t
doubles_to_floats(const double *from, float *to, size_t n)
{
    const __m256d sign = _mm256_set1_pd(-0.0), most = _mm256_set1_pd(FLT_MAX);
    size_t        i = 0;

    for (; n - i >= 8; i += 8) {
        __m256d a = _mm256_loadu_pd(from + i), b = _mm256_loadu_pd(from + i + 4);
        __m256d large = _mm256_or_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, a), most, _CMP_GT_OQ),
                                     _mm256_cmp_pd(_mm256_andnot_pd(sign, b), most, _CMP_GT_OQ));

        if (_mm256_movemask_pd(large) != 0)
            break;
        _mm_storeu_ps(to + i, _mm256_cvtpd_ps(a));
        _mm_storeu_ps(to + i + 4, _mm256_cvtpd_ps(b));
    }
    _mm256_zeroupper();
    return i;
}

size_t
ncz_vector_to_float(const double *from, float *to, size_t n)
{
    return __builtin_cpu_supports("avx2") ? doubles_to_floats(from, to, n) : 0;
}
