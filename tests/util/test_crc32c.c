/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C: the vectors of RFC 3720, and the fast way equal to the plain one at every length about its border.
 */
#include "support/test.h"
#include "util/util.h"

TEST(published_sums_come_out)
{
    unsigned char b[32];

    assert_int_equal(ncz_crc32c("", 0), 0);
    assert_int_equal(ncz_crc32c("123456789", 9), 0xe3069283);
    memset(b, 0, sizeof b);
    assert_int_equal(ncz_crc32c(b, sizeof b), 0x8a9136aa);
    memset(b, 0xff, sizeof b);
    assert_int_equal(ncz_crc32c(b, sizeof b), 0x62a8ab43);
    for (unsigned char i = 0; i < 32; i++)
        b[i] = i;
    assert_int_equal(ncz_crc32c(b, sizeof b), 0x46dd794e);
}

/* One bit at a time, as the polynomial says. */
static uint32_t
slow(const unsigned char *p, size_t n)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
    }
    return ~crc;
}

TEST(any_length_and_alignment_is_right)
{
    unsigned char *b = malloc(8300);

    assert_non_null(b);
    for (size_t i = 0; i < 8300; i++)
        b[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t n = 0; n < 100; n++)
        assert_int_equal(ncz_crc32c(b + n, n), slow(b + n, n));
    for (size_t n = 4080; n < 4120; n++)
        assert_int_equal(ncz_crc32c(b + n, n), slow(b + n, n));
    free(b);
}
