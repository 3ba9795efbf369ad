/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cursor over binary headers, and the default limits.
 */
#include "support/test.h"
#include "util/util.h"

TEST(fields_are_read_in_order)
{
    static const unsigned char data[] = {1, 2, 3, 4, 5, 6, 7, 0xF8, 9, 10, 11, 12, 13, 14, 0xFF, 'a', 'b'};
    ncz_cursor                 c = ncz_cursor_at(data, sizeof data);

    assert_int_equal(ncz_cursor_u8(&c), 1);
    assert_int_equal(ncz_cursor_u16le(&c), 0x0302);
    assert_true(ncz_cursor_u32le(&c) == 0x07060504u);
    assert_true(ncz_cursor_u64le(&c) == UINT64_C(0xFF0E0D0C0B0A09F8));
    assert_ptr_equal(ncz_cursor_bytes(&c, 2), data + 15);
    assert_ptr_equal(ncz_cursor_bytes(&c, 0), data + 17);
    assert_true(c.good);
    assert_int_equal(c.pos, sizeof data);
    assert_null(ncz_cursor_bytes(&c, 1));
    assert_false(c.good);
}

/* Short is short for ever, even when a later field would fit. */
TEST(a_short_cursor_stays_short)
{
    static const unsigned char data[] = {1, 2, 3};
    ncz_cursor                 c = ncz_cursor_at(data, sizeof data);

    assert_int_equal(ncz_cursor_u32le(&c), 0);
    assert_false(c.good);
    assert_int_equal(ncz_cursor_u8(&c), 0);
    assert_null(ncz_cursor_bytes(&c, 0));
    c = ncz_cursor_at(data, sizeof data);
    assert_null(ncz_cursor_bytes(&c, SIZE_MAX));
    assert_false(c.good);
    c = ncz_cursor_at(NULL, 0);
    assert_int_equal(ncz_cursor_u64le(&c), 0);
    assert_false(c.good);
}

TEST(default_limits_are_these)
{
    assert_int_equal(ncz_limits_default.document_bytes, 67108864);
    assert_int_equal(ncz_limits_default.json_depth, 128);
    assert_int_equal(ncz_limits_default.group_depth, 64);
    assert_int_equal(ncz_limits_default.objects, 1000000);
    assert_int_equal(ncz_limits_default.attributes, 65536);
    assert_int_equal(ncz_limits_default.name_bytes, 1024);
    assert_int_equal(ncz_limits_default.rank, 1024);
    assert_true(ncz_limits_default.chunk_bytes == 2147483648u);
    assert_true(ncz_limits_default.object_bytes == 2147483648u);
    assert_int_equal(ncz_limits_default.chain, 32);
    assert_int_equal(ncz_limits_default.cache_bytes, 67108864);
}
