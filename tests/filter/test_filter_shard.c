/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of Zarr v3's shards: bytes as another writer makes them, every layout there and back, damaged indexes. */
#include "filter_testing.h"

#include "filter/filter.h"

/* Four int16 values, two in each chunk, index at the start and at the end: as zarr-python 3.1.6 stores them. */
static const unsigned char at_start[] = {0x24, 0,    0,    0,    0,    0,    0, 0, 4, 0, 0, 0, 0, 0, 0,
                                         0,    0x28, 0,    0,    0,    0,    0, 0, 0, 4, 0, 0, 0, 0, 0,
                                         0,    0,    0xdf, 0x37, 0x06, 0xb7, 1, 0, 2, 0, 3, 0, 4, 0};
static const unsigned char at_end[] = {1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0,    0,    0,    0,
                                       0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xf6, 0xff, 0x6f, 0x8f};

static void
other_writers_bytes(void **state)
{
    static const unsigned char one[] = {1, 0, 2, 0}, two[] = {3, 0, 4, 0};
    ncz_slot_bytes             parts[2] = {{one, 4}, {two, 4}};
    ncz_shard_layout           l = {.at_start = true};
    ncz_buf                    out = NCZ_BUF_INIT;

    (void)state;
    assert_int_equal(ncz_shard_ops.assemble(&l, parts, 2, &out), NC_NOERR);
    assert_int_equal(out.len, sizeof at_start);
    assert_memory_equal(out.data, at_start, sizeof at_start);
    l.at_start = false;
    assert_int_equal(ncz_shard_ops.assemble(&l, parts, 2, &out), NC_NOERR);
    assert_int_equal(out.len, sizeof at_end);
    assert_memory_equal(out.data, at_end, sizeof at_end);
    ncz_buf_clear(&out);
}

static void
every_layout(void **state)
{
    static const char data[] = "abcdefghijklmnopqrstuvwxyz";

    (void)state;
    for (int i = 0; i < 8; i++) {
        ncz_shard_layout l = {.at_start = (i & 1) != 0, .big = (i & 2) != 0, .no_checksum = (i & 4) != 0};
        ncz_slot_bytes   parts[5] = {{data, 3}, {NULL, 0}, {data + 3, 10}, {data + 13, 1}, {NULL, 0}};
        ncz_slot         slots[5];
        ncz_buf          out = NCZ_BUF_INIT;
        size_t           nbytes;
        bool             end;

        assert_true(ncz_shard_ops.index_range(&l, 5, &nbytes, &end));
        assert_int_equal(nbytes, 80 + (l.no_checksum ? 0 : 4));
        assert_true(end == !l.at_start);
        assert_int_equal(ncz_shard_ops.assemble(&l, parts, 5, &out), NC_NOERR);
        assert_int_equal(out.len, nbytes + 14);
        assert_int_equal(ncz_shard_ops.parse_index(&l, out.data + (end ? 14 : 0), nbytes, slots, 5), NC_NOERR);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(slots[k].length, parts[k].nbytes);
            if (parts[k].data != NULL)
                assert_memory_equal(out.data + slots[k].offset, parts[k].data, parts[k].nbytes);
        }
        ncz_buf_clear(&out);
    }
}

static void
damaged(void **state)
{
    ncz_shard_layout l = {.no_checksum = true};
    ncz_slot         slots[2];
    unsigned char    index[36];
    size_t           nbytes;
    bool             end;

    (void)state;
    for (size_t i = 0; i < 36; i++) { /* any changed byte of an index with a checksum */
        memcpy(index, at_end + 8, 36);
        index[i] ^= 0x10;
        assert_int_equal(ncz_shard_ops.parse_index(&(ncz_shard_layout){.big = false}, index, 36, slots, 2),
                         NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "checksum"));
    }
    for (size_t half = 0; half < 2; half++) { /* one number of the second chunk says "not stored" */
        memcpy(index, at_end + 8, 32);
        memset(index + 16 + 8 * half, 0xff, 8);
        assert_int_equal(ncz_shard_ops.parse_index(&l, index, 32, slots, 2), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "chunk 1 "));
    }
    memset(index + 16, 0xff, 16); /* both say so */
    assert_int_equal(ncz_shard_ops.parse_index(&l, index, 32, slots, 2), NC_NOERR);
    assert_int_equal(slots[1].length, 0);
    memset(index + 8, 0, 8);
    assert_int_equal(ncz_shard_ops.parse_index(&l, index, 32, slots, 2), NC_EFILTER); /* 0 bytes */
    assert_int_equal(ncz_shard_ops.parse_index(&l, index, 31, slots, 2), NC_EFILTER);
    assert_false(ncz_shard_ops.index_range(&l, SIZE_MAX / 16 + 1, &nbytes, &end));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_writers_bytes),
        cmocka_unit_test(every_layout),
        cmocka_unit_test(damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
