/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5's Fletcher checksum: the sum of all words, and the sum of all those sums, each in ones' complement.
 *
 * Ones' complement sums are residues modulo 65535, which has two uses. Swapping the bytes of every word swaps the
 * bytes of the result (it is a product with 256), so words are added in the machine's byte order. And the order of
 * additions is free, so the words are added in lanes, and the lanes' positions in the data are accounted for at the
 * end of a run.
 */
#include "codecs/kernel_int.h"

#include <string.h>

#define LANES 16
#define STEPS 256 /* of a run: STEPS * (STEPS + 1) / 2 * 65535 still fits in a lane */
#define RUN   (LANES * STEPS)

typedef struct sums {
    uint64_t a, b; /* the sum, and the sum of sums */
} sums;

/* Adds `steps` times LANES words. Word i of m counts m - i times in the sum of sums. */
static void
add_run(sums *s, const unsigned char *data, size_t steps)
{
    uint32_t a[LANES] = {0}, b[LANES] = {0};
    uint64_t sum = 0, by_step = 0, by_lane = 0;

    for (size_t k = 0; k < steps; k++, data += 2 * LANES) {
        uint16_t w[LANES];

        memcpy(w, data, sizeof w);
        for (size_t l = 0; l < LANES; l++) {
            a[l] += w[l];
            b[l] += a[l];
        }
    }
    for (size_t l = 0; l < LANES; l++) {
        sum += a[l];
        by_step += b[l];
        by_lane += l * (uint64_t)a[l];
    }
    s->b += steps * LANES * s->a + LANES * by_step - by_lane;
    s->a += sum;
}

static void
add_word(sums *s, unsigned high, unsigned low)
{
    unsigned char pair[2] = {(unsigned char)high, (unsigned char)low};
    uint16_t      w;

    memcpy(&w, pair, sizeof w);
    s->a += w;
    s->b += s->a;
}

static void
reduce(sums *s)
{
    s->a = s->a == 0 ? 0 : (s->a - 1) % 65535 + 1; /* only zeros sum to 0; any other residue 0 is written as 65535 */
    s->b = s->b == 0 ? 0 : (s->b - 1) % 65535 + 1;
}

static uint32_t
half(uint64_t sum)
{
    unsigned char pair[2];
    uint16_t      w = (uint16_t)sum;

    memcpy(pair, &w, sizeof w);
    return (uint32_t)pair[0] << 8 | pair[1];
}

uint32_t
ncz_codec_sum_fletcher32(const void *data, size_t n)
{
    const unsigned char *at = data;
    sums                 s = {0, 0};

    for (size_t left = n / 2; left >= LANES;) {
        size_t steps = (left < RUN ? left : RUN) / LANES;

        add_run(&s, at, steps);
        reduce(&s);
        at += steps * LANES * 2;
        left -= steps * LANES;
    }
    for (size_t left = n / 2 % LANES; left > 0; left--, at += 2)
        add_word(&s, at[0], at[1]);
    if (n % 2 != 0)
        add_word(&s, at[0], 0);
    reduce(&s);
    return half(s.b) << 16 | half(s.a);
}
