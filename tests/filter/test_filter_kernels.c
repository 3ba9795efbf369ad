/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inner loops against the simplest loops that do the same, for all counts around the widths of vectors and tiles,
 * from and to memory of any alignment and of exactly the size.
 */
#include "filter_testing.h"

#include "codecs/kernel_int.h"

static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 33};

static unsigned char *
random_bytes(size_t n, uint32_t *seed)
{
    unsigned char *p = malloc(n + 1);

    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)noise(seed);
    return p;
}

static size_t
count_at(int round, uint32_t *seed)
{
    return round < 70 ? (size_t)round : 500 + noise(seed) % 1200;
}

TEST(bytes_are_shuffled_as_one_by_one)
{
    uint32_t seed = 11;

    for (size_t s = 0; s < NCZ_LEN(sizes); s++)
        for (int round = 0; round < 90; round++) {
            size_t               size = sizes[s], count = count_at(round, &seed), n = size * count;
            unsigned char       *in = random_bytes(n, &seed), *planes = malloc(n + 1), *back = malloc(n + 1);
            const unsigned char *at[8];

            assert_true(planes != NULL && back != NULL);
            ncz_codec_spread(in, count, size, planes);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(planes[i % size * count + i / size], in[i]);
            ncz_codec_gather(planes, count, size, back);
            assert_memory_equal(back, in, n);
            if (ncz_codec_gathers_apart(size)) {
                memset(back, 0, n);
                for (size_t b = 0; b < size; b++)
                    at[b] = planes + b * count;
                ncz_codec_gather_apart(at, count, size, back);
                assert_memory_equal(back, in, n);
            }
            free(in);
            free(planes);
            free(back);
        }
}

TEST(bits_are_shuffled_as_one_by_one)
{
    uint32_t seed = 13;

    for (size_t s = 0; s < NCZ_LEN(sizes); s++)
        for (int round = 0; round < 90; round++) {
            size_t         size = sizes[s], count = count_at(round, &seed) / 8 * 8, n = size * count;
            unsigned char *in = random_bytes(n, &seed), *bits = calloc(n + 1, 1), *back = malloc(n + 1);

            assert_true(bits != NULL && back != NULL);
            for (size_t e = 0; e < count; e++)
                for (size_t k = 0; k < size * 8; k++)
                    bits[k * (count / 8) + e / 8] |= (unsigned char)((in[e * size + k / 8] >> k % 8 & 1) << e % 8);
            ncz_codec_gather_bits(bits, count, size, back);
            assert_memory_equal(back, in, n);
            free(in);
            free(bits);
            free(back);
        }
}

/* As HDF5 says it: sums of 16-bit words, folded often enough. */
static uint32_t
plain_fletcher32(const unsigned char *data, size_t n)
{
    uint32_t a = 0, b = 0;

    for (size_t i = 0; i < n; i += 2) {
        a += (uint32_t)data[i] << 8 | (i + 1 < n ? data[i + 1] : 0u);
        a = (a & 0xffff) + (a >> 16);
        b += a;
        b = (b & 0xffff) + (b >> 16);
    }
    return b << 16 | a;
}

TEST(fletcher32_sums_are_those_of_the_plain_loop)
{
    static const size_t lengths[] = {0, 1, 2, 3, 31, 32, 33, 8191, 8192, 8193, 8225, 65536, 300001};
    uint32_t            seed = 17;

    for (size_t i = 0; i < NCZ_LEN(lengths); i++) {
        unsigned char *data = random_bytes(lengths[i], &seed);

        assert_int_equal(ncz_codec_sum_fletcher32(data, lengths[i]), plain_fletcher32(data, lengths[i]));
        memset(data, 0xff, lengths[i]);
        assert_int_equal(ncz_codec_sum_fletcher32(data, lengths[i]), plain_fletcher32(data, lengths[i]));
        memset(data, 0, lengths[i]);
        assert_int_equal(ncz_codec_sum_fletcher32(data, lengths[i]), 0);
        free(data);
    }
    for (size_t n = 0; n < 400; n++) {
        unsigned char *data = random_bytes(n, &seed);

        assert_int_equal(ncz_codec_sum_fletcher32(data, n), plain_fletcher32(data, n));
        free(data);
    }
}
