/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksum: what lookup3's author gives, and one for each length of its last part. */
#include "support/test.h"
#include "hdf5/hdf5_int.h"

TEST(published_checksums_come_out)
{
    static const uint32_t lengths[] = {0xdeadbeef, 0x58d68708, 0xfbb3a8df, 0x0e397631};

    assert_int_equal(ncz_hdf5_checksum("", 0), 0xdeadbeef);
    assert_int_equal(ncz_hdf5_checksum("Four score and seven years ago", 30), 0x17770551);
    for (size_t n = 0; n < NCZ_LEN(lengths); n++)
        assert_int_equal(ncz_hdf5_checksum("abc", n), lengths[n]);
}

/* Every byte counts, whatever the length. */
TEST(every_byte_counts_at_any_length)
{
    unsigned char b[40] = {0};

    for (size_t n = 1; n <= sizeof b; n++)
        for (size_t i = 0; i < n; i++) {
            uint32_t before = ncz_hdf5_checksum(b, n);

            b[i] ^= 1;
            assert_int_not_equal(ncz_hdf5_checksum(b, n), before);
            b[i] ^= 1;
        }
}
