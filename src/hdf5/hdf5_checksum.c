/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksum of HDF5's structures: Bob Jenkins' lookup3, of bytes, beginning with 0. */
#include "hdf5/hdf5_int.h"

#include <string.h>

static uint32_t
rotate(uint32_t v, unsigned n)
{
    return v << n | v >> (32 - n);
}

static uint32_t
take_word(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Three words are the state. Each step takes another one of them, and turns by another number of bits. */
static inline void
mix_one(uint32_t *x, uint32_t *y, uint32_t *z, unsigned turn)
{
    *x -= *z;
    *x ^= rotate(*z, turn);
    *z += *y;
}

static inline void
finish_one(uint32_t *x, uint32_t *y, unsigned turn)
{
    *x ^= *y;
    *x -= rotate(*y, turn);
}

uint32_t
ncz_hdf5_checksum(const void *data, size_t n)
{
    const unsigned char *p = data;
    unsigned char        last[12] = {0};
    uint32_t             a, b, c;

    a = b = c = 0xdeadbeefu + (uint32_t)n;
    for (; n > sizeof last; n -= sizeof last, p += sizeof last) {
        a += take_word(p);
        b += take_word(p + 4);
        c += take_word(p + 8);
        mix_one(&a, &b, &c, 4);
        mix_one(&b, &c, &a, 6);
        mix_one(&c, &a, &b, 8);
        mix_one(&a, &b, &c, 16);
        mix_one(&b, &c, &a, 19);
        mix_one(&c, &a, &b, 4);
    }
    if (n == 0)
        return c;
    memcpy(last, p, n);
    a += take_word(last);
    b += take_word(last + 4);
    c += take_word(last + 8);
    finish_one(&c, &b, 14);
    finish_one(&a, &c, 11);
    finish_one(&b, &a, 25);
    finish_one(&c, &b, 16);
    finish_one(&a, &c, 4);
    finish_one(&b, &a, 14);
    finish_one(&c, &b, 24);
    return c;
}
