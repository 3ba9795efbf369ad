/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of shards: the bytes that other writers make, all forms of the index, and damage. */
#include "filter_testing.h"

#include <limits.h>
#include <stdio.h>

static const ncz_shard_layout usual = {.at_start = false};

static ncz_buf
assemble(const ncz_shard_layout *l, const ncz_slot_bytes *parts, size_t n)
{
    ncz_buf out = NCZ_BUF_INIT;

    assert_int_equal(ncz_shard_assemble(l, parts, n, &out), NC_NOERR);
    return out;
}

/* Shards of zarr-python: the values 1 2 3 4 of two bytes, two in each inner chunk. */
TEST(shards_of_zarr_python_are_read)
{
    static const struct {
        ncz_shard_layout layout;
        const char      *hex;
    } cases[] = {
        {{.at_start = true},
         "24000000 00000000 04000000 00000000 28000000 00000000 04000000 00000000 df3706b7 01000200 03000400"},
        {{.at_start = false},
         "01000200 03000400 00000000 00000000 04000000 00000000 04000000 00000000 04000000 00000000 f6ff6f8f"},
    };
    const ncz_slot_bytes parts[] = {{"\1\0\2", 4}, {"\3\0\4", 4}};

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const ncz_shard_layout *l = &cases[i].layout;
        unsigned char           wanted[64];
        size_t                  n = from_hex(cases[i].hex, wanted), nindex;
        ncz_buf                 out = assemble(l, parts, 2);
        ncz_slot                slots[2];
        bool                    at_end;

        assert_int_equal(out.len, n);
        assert_memory_equal(out.data, wanted, n);
        assert_true(ncz_shard_index_range(l, 2, &nindex, &at_end));
        assert_int_equal(nindex, 36);
        assert_int_equal(at_end, !l->at_start);
        assert_int_equal(ncz_shard_parse_index(l, out.data + (at_end ? 8 : 0), nindex, slots, 2), NC_NOERR);
        assert_int_equal(slots[0].offset, at_end ? 0 : 36);
        assert_int_equal(slots[0].length, 4);
        assert_int_equal(slots[1].offset, at_end ? 4 : 40);
        assert_int_equal(slots[1].length, 4);
        ncz_buf_clear(&out);
    }
}

TEST(every_layout_is_assembled_and_read)
{
    const ncz_slot_bytes parts[] = {{"abc", 3}, {NULL, 0}, {"defgh", 5}};

    for (unsigned bits = 0; bits < 8; bits++) {
        ncz_shard_layout l = {.at_start = (bits & 1) != 0, .big = (bits & 2) != 0, .no_checksum = (bits & 4) != 0};
        ncz_buf          out = assemble(&l, parts, 3);
        size_t           nindex;
        ncz_slot         slots[3];
        bool             at_end;

        assert_true(ncz_shard_index_range(&l, 3, &nindex, &at_end));
        assert_int_equal(nindex, l.no_checksum ? 48 : 52);
        assert_int_equal(out.len, 8 + nindex);
        assert_int_equal(ncz_shard_parse_index(&l, at_end ? out.data + out.len - nindex : out.data, nindex, slots, 3),
                         NC_NOERR);
        assert_int_equal(slots[1].length, 0);
        assert_int_equal(slots[0].length, 3);
        assert_memory_equal(out.data + slots[0].offset, "abc", 3);
        assert_int_equal(slots[2].length, 5);
        assert_memory_equal(out.data + slots[2].offset, "defgh", 5);
        ncz_buf_clear(&out);
    }
}

static void
put64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

TEST(damaged_indexes_are_refused)
{
    static const struct {
        uint64_t offset, length;
        bool     bad;
    } cases[] = {
        {UINT64_MAX, UINT64_MAX, NC_NOERR},
        {0, 1, NC_NOERR},
        {UINT64_MAX, 4, NC_EFILTER},
        {4, UINT64_MAX, NC_EFILTER},
        {4, 0, NC_EFILTER},
        {UINT64_MAX - 1, 2, NC_EFILTER},
        {INT64_MAX, 1, NC_EFILTER},
        {INT64_MAX - 1, 1, NC_NOERR},
        {0, (uint64_t)INT64_MAX + 1, NC_EFILTER},
    };
    const ncz_shard_layout plain = {.no_checksum = true};
    unsigned char          index[16];
    char                   text[128];
    ncz_slot               slot;

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        put64(index, cases[i].offset);
        put64(index + 8, cases[i].length);
        ncz_err_clear();
        assert_int_equal(ncz_shard_parse_index(&plain, index, 16, &slot, 1), NC_NOERR);
        assert_int_equal(ncz_slot_is_bad(slot), cases[i].bad);
        if (!cases[i].bad)
            continue;
        assert_int_equal(ncz_slot_fail(slot, 7, 99), NC_EFILTER);
        snprintf(text, sizeof text, "chunk 7: %llu bytes at offset %llu, in an object of 99 bytes",
                 cases[i].length >= NCZ_SLOT_BAD ? ULLONG_MAX : (unsigned long long)cases[i].length,
                 (unsigned long long)cases[i].offset);
        assert_non_null(strstr(ncz_err_text(), text));
    }
    assert_int_equal(ncz_shard_parse_index(&plain, index, 15, &slot, 1), NC_EFILTER);
    assert_int_equal(ncz_shard_parse_index(&usual, index, 16, &slot, 1), NC_EFILTER);
}

/* A changed bit anywhere in the index is noticed. */
TEST(a_changed_bit_of_the_index_is_noticed)
{
    const ncz_slot_bytes parts[] = {{"abc", 3}, {NULL, 0}};
    ncz_buf              out = assemble(&usual, parts, 2);
    ncz_slot             slots[2];

    for (size_t i = 0; i < 36 * 8; i++) {
        out.data[3 + i / 8] = (char)(out.data[3 + i / 8] ^ 1 << i % 8);
        assert_int_equal(ncz_shard_parse_index(&usual, out.data + 3, 36, slots, 2), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "checksum"));
        out.data[3 + i / 8] = (char)(out.data[3 + i / 8] ^ 1 << i % 8);
    }
    assert_int_equal(ncz_shard_parse_index(&usual, out.data + 3, 36, slots, 2), NC_NOERR);
    ncz_buf_clear(&out);
}

TEST(sizes_that_overflow_are_refused)
{
    const ncz_slot_bytes huge[] = {{"a", SIZE_MAX - 40}, {"b", SIZE_MAX / 2}};
    ncz_buf              out = NCZ_BUF_INIT;
    size_t               n;
    bool                 at_end;

    assert_false(ncz_shard_index_range(&usual, SIZE_MAX / 8, &n, &at_end));
    assert_int_equal(ncz_shard_assemble(&usual, huge, 2, &out), NC_ENOMEM);
    ncz_buf_clear(&out);
}
