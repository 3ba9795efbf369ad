/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksum of HDF5's structures: Bob Jenkins' lookup3, of bytes, beginning with 0. */
#include "hdf5/hdf5_int.h"

static uint32_t
rotate(uint32_t v, unsigned n)
{
    return v << n | v >> (32 - n);
}

static uint32_t
take_word(const unsigned char *p, size_t n)
{
    uint32_t v = 0;

    for (size_t i = 0; i < n && i < 4; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

/* Three words are the state. Each step takes another one of them, and turns by another number of bits. */
static void
mix(uint32_t s[3])
{
    static const unsigned turns[6] = {4, 6, 8, 16, 19, 4};

    for (unsigned i = 0; i < 6; i++) {
        uint32_t *x = &s[i % 3], *y = &s[(i + 1) % 3], *z = &s[(i + 2) % 3];

        *x -= *z;
        *x ^= rotate(*z, turns[i]);
        *z += *y;
    }
}

static uint32_t
finish(uint32_t s[3])
{
    static const unsigned turns[7] = {14, 11, 25, 16, 4, 14, 24};

    for (unsigned i = 0; i < 7; i++) {
        uint32_t *x = &s[(i + 2) % 3], *y = &s[(i + 1) % 3];

        *x ^= *y;
        *x -= rotate(*y, turns[i]);
    }
    return s[2];
}

uint32_t
ncz_hdf5_checksum(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint32_t             start = 0xdeadbeefu + (uint32_t)n, s[3] = {start, start, start};

    for (; n > 12; n -= 12, p += 12) {
        for (unsigned i = 0; i < 3; i++)
            s[i] += take_word(p + (size_t)4 * i, 4);
        mix(s);
    }
    if (n == 0)
        return s[2];
    for (unsigned i = 0; i < 3 && n > (size_t)4 * i; i++)
        s[i] += take_word(p + (size_t)4 * i, n - (size_t)4 * i);
    return finish(s);
}
