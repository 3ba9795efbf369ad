/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bob Jenkins' lookup3 as HDF5 uses it. No state.
 */
#include "codecs/codec_int.h"

static uint32_t
rot(uint32_t x, unsigned k)
{
    return x << k | x >> (32 - k);
}

static void
mix(uint32_t s[3])
{
    uint32_t a = s[0], b = s[1], c = s[2];

    a = (a - c) ^ rot(c, 4), c += b;
    b = (b - a) ^ rot(a, 6), a += c;
    c = (c - b) ^ rot(b, 8), b += a;
    a = (a - c) ^ rot(c, 16), c += b;
    b = (b - a) ^ rot(a, 19), a += c;
    c = (c - b) ^ rot(b, 4), b += a;
    s[0] = a, s[1] = b, s[2] = c;
}

static uint32_t
last_mix(const uint32_t s[3])
{
    uint32_t a = s[0], b = s[1], c = s[2];

    c = (c ^ b) - rot(b, 14);
    a = (a ^ c) - rot(c, 11);
    b = (b ^ a) - rot(a, 25);
    c = (c ^ b) - rot(b, 16);
    a = (a ^ c) - rot(c, 4);
    b = (b ^ a) - rot(a, 14);
    return (c ^ b) - rot(b, 24);
}

/* Takes twelve bytes at a time. The last one to twelve bytes are mixed separately; an empty input is not mixed. */
uint32_t
ncz_codec_sum_lookup3(const void *data, size_t n, uint32_t initval)
{
    const unsigned char *p = data;
    uint32_t             first = 0xdeadbeef + (uint32_t)n + initval, s[3] = {first, first, first};

    if (n == 0)
        return first;
    for (; n > 12; n -= 12, p += 12) {
        for (size_t i = 0; i < 12; i++)
            s[i / 4] += (uint32_t)p[i] << i % 4 * 8;
        mix(s);
    }
    for (size_t i = 0; i < n; i++)
        s[i / 4] += (uint32_t)p[i] << i % 4 * 8;
    return last_mix(s);
}
