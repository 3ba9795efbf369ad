/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte planes and bit planes. Elements of 2, 4 and 8 bytes use vectors of 16 bytes, which every 64-bit machine has,
 * so there is no choice at run time. Plain loops handle other sizes, the rest after the last vector, and compilers
 * without vector shuffles.
 *
 * Planes are joined by zipping: zipping planes 0 and 1 gives elements of two bytes. Four planes are zipped as (0, 2)
 * and (1, 3), and then the two results; eight as (0, 4), (1, 5), (2, 6), (3, 7), and then like four. Spreading is the
 * inverse.
 */
#include "codecs/kernel_int.h"

#include <string.h>

#define TILE 512 /* elements per tile: a tile stays in the L1 cache between passes over its bytes */

/* ---- vectors ------------------------------------------------------------------------------------------- */

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&                           \
    (!defined(__i386__) || defined(__SSE2__))
#define VECTORS
#endif
#endif

#ifdef VECTORS

#define V sizeof(vec)

/* Goes before loops whose vectors should stay in registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

typedef uint8_t  vec __attribute__((vector_size(16)));
typedef uint64_t vec64 __attribute__((vector_size(16)));

static inline vec
load(const unsigned char *from)
{
    vec v;

    memcpy(&v, from, V);
    return v;
}

static inline void
store(unsigned char *to, vec v)
{
    memcpy(to, &v, V);
}

static inline vec
zip_low(vec a, vec b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

static inline vec
zip_high(vec a, vec b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

static inline vec
evens(vec a, vec b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

static inline vec
odds(vec a, vec b)
{
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

static inline void
zip(vec *a, vec *b)
{
    vec low = zip_low(*a, *b);

    *b = zip_high(*a, *b);
    *a = low;
}

static inline void
unzip(vec *a, vec *b)
{
    vec even = evens(*a, *b);

    *b = odds(*a, *b);
    *a = even;
}

static inline void
zip4(vec *v)
{
    zip(&v[0], &v[2]);
    zip(&v[1], &v[3]);
    zip(&v[0], &v[1]);
    zip(&v[2], &v[3]);
}

static inline void
unzip4(vec *v)
{
    unzip(&v[0], &v[1]);
    unzip(&v[2], &v[3]);
    unzip(&v[0], &v[2]);
    unzip(&v[1], &v[3]);
}

/* Zips n planes into n vectors of elements. */
static inline __attribute__((always_inline)) void
zip_all(vec *v, size_t n)
{
    if (n == 8) {
        zip(&v[0], &v[4]);
        zip(&v[1], &v[5]);
        zip(&v[2], &v[6]);
        zip(&v[3], &v[7]);
        zip4(v + 4);
    }
    if (n >= 4)
        zip4(v);
    else
        zip(&v[0], &v[1]);
}

static inline __attribute__((always_inline)) void
unzip_all(vec *v, size_t n)
{
    if (n >= 4)
        unzip4(v);
    else
        unzip(&v[0], &v[1]);
    if (n == 8) {
        unzip4(v + 4);
        unzip(&v[0], &v[4]);
        unzip(&v[1], &v[5]);
        unzip(&v[2], &v[6]);
        unzip(&v[3], &v[7]);
    }
}

/* The next two return the number of elements done, in whole vectors. */
static inline __attribute__((always_inline)) size_t
gather_vectors(const unsigned char *const *planes, size_t count, size_t size, unsigned char *out)
{
    size_t i = 0;

    for (; count - i >= V; i += V) {
        vec v[8];

        UNROLL for (size_t b = 0; b < size; b++) v[b] = load(planes[b] + i);
        zip_all(v, size);
        UNROLL for (size_t b = 0; b < size; b++) store(out + i * size + b * V, v[b]);
    }
    return i;
}

static inline __attribute__((always_inline)) size_t
spread_vectors(const unsigned char *in, size_t count, size_t size, unsigned char *out)
{
    size_t i = 0;

    for (; count - i >= V; i += V) {
        vec v[8];

        UNROLL for (size_t b = 0; b < size; b++) v[b] = load(in + i * size + b * V);
        unzip_all(v, size);
        UNROLL for (size_t b = 0; b < size; b++) store(out + b * count + i, v[b]);
    }
    return i;
}

/* Transposes each eight bytes: bit c of byte r becomes bit r of byte c. */
static inline vec
turn_bits(vec v)
{
    vec64 x = (vec64)v, t;

    t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    x ^= t ^ t << 28;
    return (vec)x;
}

/* Turns eight bit planes of n bytes, `stride` apart, into 8 n bytes. Returns how many of the n are done. */
static size_t
turn_vectors(const unsigned char *in, size_t stride, size_t n, unsigned char *out)
{
    size_t i = 0;

    for (; n - i >= V; i += V) {
        vec v[8];

        UNROLL for (size_t k = 0; k < 8; k++) v[k] = load(in + k * stride + i);
        zip_all(v, 8);
        UNROLL for (size_t k = 0; k < 8; k++) store(out + i * 8 + k * V, turn_bits(v[k]));
    }
    return i;
}

#else

static inline size_t
gather_vectors(const unsigned char *const *planes, size_t count, size_t size, unsigned char *out)
{
    (void)planes;
    (void)count;
    (void)size;
    (void)out;
    return 0;
}

static inline size_t
spread_vectors(const unsigned char *in, size_t count, size_t size, unsigned char *out)
{
    (void)in;
    (void)count;
    (void)size;
    (void)out;
    return 0;
}

static size_t
turn_vectors(const unsigned char *in, size_t stride, size_t n, unsigned char *out)
{
    (void)in;
    (void)stride;
    (void)n;
    (void)out;
    return 0;
}

#endif

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* Inlined once for each usual size, so that the inner loops have a constant stride. */
static inline __attribute__((always_inline)) void
gather_apart(const unsigned char *const *planes, size_t count, size_t size, unsigned char *out)
{
    for (size_t i = gather_vectors(planes, count, size, out); i < count; i++)
        for (size_t b = 0; b < size; b++)
            out[i * size + b] = planes[b][i];
}

void
ncz_codec_gather_apart(const unsigned char *const *planes, size_t count, size_t size, void *out)
{
    switch (size) {
    case 2: gather_apart(planes, count, 2, out); break;
    case 4: gather_apart(planes, count, 4, out); break;
    default: gather_apart(planes, count, 8, out); break;
    }
}

/* Copies one plane into its place in the elements. */
static void
put_plane(const unsigned char *plane, size_t count, size_t size, unsigned char *out)
{
    for (size_t i = 0; i < count; i++)
        out[i * size] = plane[i];
}

void
ncz_codec_gather(const void *in, size_t count, size_t size, void *out)
{
    const unsigned char *from = in, *planes[8];
    unsigned char       *to = out;

    if (ncz_codec_gathers_apart(size)) {
        for (size_t b = 0; b < size; b++)
            planes[b] = from + b * count;
        ncz_codec_gather_apart(planes, count, size, to);
        return;
    }
    for (size_t at = 0; at < count; at += TILE)
        for (size_t b = 0; b < size; b++)
            put_plane(from + b * count + at, count - at < TILE ? count - at : TILE, size, to + at * size + b);
}

static inline __attribute__((always_inline)) void
spread(const unsigned char *in, size_t count, size_t size, unsigned char *out)
{
    for (size_t i = spread_vectors(in, count, size, out); i < count; i++)
        for (size_t b = 0; b < size; b++)
            out[b * count + i] = in[i * size + b];
}

static void
spread_any(const unsigned char *in, size_t count, size_t size, unsigned char *out)
{
    for (size_t at = 0; at < count; at += TILE) {
        size_t end = count - at < TILE ? count : at + TILE;

        for (size_t b = 0; b < size; b++)
            for (size_t i = at; i < end; i++)
                out[b * count + i] = in[i * size + b];
    }
}

void
ncz_codec_spread(const void *in, size_t count, size_t size, void *out)
{
    switch (size) {
    case 2: spread(in, count, 2, out); break;
    case 4: spread(in, count, 4, out); break;
    case 8: spread(in, count, 8, out); break;
    default: spread_any(in, count, size, out); break;
    }
}

/* ---- bits ---------------------------------------------------------------------------------------------- */

/* Turns eight bit planes of n bytes into one byte of each of 8 n elements. */
static void
turn(const unsigned char *in, size_t stride, size_t n, unsigned char *out)
{
    for (size_t i = turn_vectors(in, stride, n, out); i < n; i++)
        for (unsigned e = 0; e < 8; e++) {
            unsigned byte = 0;

            for (unsigned k = 0; k < 8; k++)
                byte |= (in[k * stride + i] >> e & 1u) << k;
            out[i * 8 + e] = (unsigned char)byte;
        }
}

/* Works in tiles: the byte planes of a tile are still in the CPU cache when they are gathered. */
void
ncz_codec_gather_bits(const void *in, size_t count, size_t size, void *out)
{
    const unsigned char *from = in, *planes[8];
    unsigned char        tile[8][TILE], *to = out;
    size_t               stride = count / 8;

    for (size_t at = 0; at < count; at += TILE) {
        size_t n = count - at < TILE ? count - at : TILE;

        for (size_t b = 0; b < size; b++) {
            const unsigned char *bits = from + b * 8 * stride + at / 8;

            if (size == 1) {
                turn(bits, stride, n / 8, to + at);
                continue;
            }
            turn(bits, stride, n / 8, tile[b % 8]);
            planes[b % 8] = tile[b % 8];
            if (!ncz_codec_gathers_apart(size))
                put_plane(tile[b % 8], n, size, to + at * size + b);
        }
        if (ncz_codec_gathers_apart(size))
            ncz_codec_gather_apart(planes, n, size, to + at * size);
    }
}

/* Eight bytes of eight bits: bit k of byte j becomes bit j of byte k. */
static uint64_t
transpose_bits(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00AA00AA00AA00AA);

    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000CCCC0000CCCC);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000F0F0F0F0);
    return x ^ t ^ t << 28;
}

void
ncz_codec_spread_bits(const void *in, size_t count, size_t size, void *out)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               n = count / 8;

    for (size_t b = 0; b < size; b++)
        for (size_t i = 0; i < n; i++) {
            uint64_t x = 0;

            for (size_t e = 0; e < 8; e++)
                x |= (uint64_t)from[(8 * i + e) * size + b] << 8 * e;
            x = transpose_bits(x);
            for (size_t k = 0; k < 8; k++)
                to[(8 * b + k) * n + i] = (unsigned char)(x >> 8 * k);
        }
}
