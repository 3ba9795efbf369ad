/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shards that no writer made: a damaged entry of an index costs only its chunk, for reading and for writing, and a
 * damaged index costs the shard.
 */
#include "shard_row.h"

typedef struct bad_index {
    uint64_t    offset, length; /* of the second of two chunks of 8 bytes */
    const char *text;           /* NULL: it is read */
} bad_index;

TEST(bad_indexes)
{
    static const bad_index rows[] = {
        {8, 8, NULL},
        {0, 8, NULL},  /* the same bytes as the first */
        {30, 8, NULL}, /* bytes of the index */
        {UINT64_MAX, UINT64_MAX, NULL},
        {UINT64_MAX, 8, "chunk 1"},
        {8, UINT64_MAX, "chunk 1"},
        {8, 0, "chunk 1"},
        {49, 8, "chunk 1"},             /* past the end */
        {UINT64_MAX - 7, 8, "chunk 1"}, /* the sum overflows */
        {UINT64_MAX - 7, UINT64_MAX - 7, "chunk 1"},
        {(uint64_t)1 << 63, 8, "chunk 1"},
        {8, 7, "chunk 1 "}, /* too short for a chunk without codecs */
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        for (int far = 0; far < 2; far++)
            for (int all = 0; all < 2; all++) {
                unsigned char object[48] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
                row           r;
                char          key[32];
                int           v[4], rc;

                row_init(&r, far, 1000, 2, 2, 4, NULL);
                shard_of(r.s)->no_checksum = true;
                r.s->dtype.big = false;
                toy_put(object + 16, 0);
                toy_put(object + 24, 8);
                toy_put(object + 32, rows[i].offset);
                toy_put(object + 40, rows[i].length);
                snprintf(key, sizeof key, "%s/0", r.s->path);
                assert_int_equal(zmap_put(r.m, key, object, sizeof object), NC_NOERR);
                rc = read_row(&r, all ? 0 : 2, all ? 4 : 2, v);
                if (rows[i].text == NULL) {
                    assert_int_equal(rc, NC_NOERR);
                } else {
                    assert_true(rc == NC_EFILTER || rc == NC_ETRUNC);
                    assert_non_null(strstr(ncz_err_text(), key));
                    assert_non_null(strstr(ncz_err_text(), rows[i].text));
                }
                row_clear(&r);
            }
}

/* An object without any bytes is damaged, not absent. */
TEST(empty_object)
{
    for (int far = 0; far < 2; far++)
        for (int all = 0; all < 2; all++) {
            row  r;
            char key[32];
            int  v[4];

            row_init(&r, far, 1000, 2, 2, 4, NULL);
            snprintf(key, sizeof key, "%s/0", r.s->path);
            assert_int_equal(zmap_put(r.m, key, "", 0), NC_NOERR);
            assert_int_equal(read_row(&r, 0, all ? 4 : 2, v), NC_EFILTER);
            assert_non_null(strstr(ncz_err_text(), key));
            row_clear(&r);
        }
}

/* ---- one bad entry ---- */

enum { CHUNKS = 4, BAD = 2 };

/* Stores a shard of 4 chunks of 2 elements, i at element i, with other numbers in the index at chunk BAD. */
static void
put_bad_shard(row *r, bool at_start, bool sum, uint64_t offset, uint64_t length)
{
    enum { INDEX = CHUNKS * 16, DATA = CHUNKS * 8 };
    unsigned char  object[INDEX + 4 + DATA] = {0};
    size_t         nindex = sum ? INDEX + 4 : INDEX;
    unsigned char *index = object + (at_start ? 0 : DATA), *data = object + (at_start ? nindex : 0);
    char           key[32];

    *shard_of(r->s) = (ncz_shard_layout){.at_start = at_start, .no_checksum = !sum};
    r->s->dtype.big = false;
    for (size_t i = 0; i < CHUNKS; i++) {
        data[8 * i] = (unsigned char)(2 * i);
        data[8 * i + 4] = (unsigned char)(2 * i + 1);
        toy_put(index + 16 * i, i == BAD ? offset : (at_start ? nindex : 0) + 8 * i);
        toy_put(index + 16 * i + 8, i == BAD ? length : 8);
    }
    ncz_shard_end_index(shard_of(r->s), index, CHUNKS);
    snprintf(key, sizeof key, "%s/0", r->s->path);
    assert_int_equal(zmap_put(r->m, key, object, nindex + DATA), NC_NOERR);
}

static void
expect_bad_chunk(row *r, int rc)
{
    char key[96];

    snprintf(key, sizeof key, "%s/0: the index is damaged at chunk %d", r->s->path, BAD);
    assert_int_equal(rc, NC_EFILTER);
    if (strstr(ncz_err_text(), key) == NULL)
        fail_msg("%s", ncz_err_text());
}

TEST(other_chunks_are_read)
{
    static const uint64_t numbers[][2] = {{UINT64_MAX, 8}, {16, UINT64_MAX},    {16, 0},           {0, 0}, {101, 8},
                                          {16, 200},       {UINT64_MAX - 7, 8}, {16, NCZ_SLOT_BAD}};

    for (size_t i = 0; i < NCZ_LEN(numbers); i++)
        for (unsigned bits = 0; bits < 8; bits++) {
            row r;
            int v[2 * CHUNKS];

            row_init(&r, (bits & 1) != 0, bits & 2 ? 1000 : 0, 2, CHUNKS, 2 * CHUNKS, NULL);
            put_bad_shard(&r, (bits & 4) != 0, true, numbers[i][0], numbers[i][1]);
            expect_bad_chunk(&r, read_row(&r, 0, 2 * CHUNKS, v)); /* the whole shard, got whole from afar */
            expect_bad_chunk(&r, read_row(&r, 2 * BAD, 1, v));
            expect_bad_chunk(&r, read_row(&r, 2 * BAD - 1, 2, v));
            expect_row(&r, 0, 2 * BAD, 0);
            expect_row(&r, 2 * BAD + 2, 2, 0);
            row_clear(&r);
        }
}

/* A wrong checksum, or an object that is shorter than its index, leaves no entry to trust. */
TEST(damaged_as_a_whole)
{
    for (int far = 0; far < 2; far++)
        for (int at_start = 0; at_start < 2; at_start++) {
            row     r;
            ncz_buf body = NCZ_BUF_INIT;
            char    key[32];
            int     v[2];

            row_init(&r, far, 1000, 2, CHUNKS, 2 * CHUNKS, NULL);
            put_bad_shard(&r, at_start, true, 0, 8);
            snprintf(key, sizeof key, "%s/0", r.s->path);
            assert_int_equal(zmap_get(r.m, key, &body), NC_NOERR);
            body.data[at_start ? 0 : body.len - 4] ^= 1;
            assert_int_equal(zmap_put(r.m, key, body.data, body.len), NC_NOERR);
            assert_int_equal(read_row(&r, 0, 2, v), NC_EFILTER);
            assert_non_null(strstr(ncz_err_text(), "checksum"));
            assert_int_equal(zmap_put(r.m, key, body.data, 67), NC_NOERR);
            assert_int_equal(read_row(&r, 0, 2, v), NC_EFILTER);
            assert_non_null(strstr(ncz_err_text(), at_start ? "shorter than its index of 68 bytes"
                                                            : "67 bytes, but its index alone has 68"));
            assert_non_null(strstr(ncz_err_text(), key));
            ncz_buf_clear(&body);
            row_clear(&r);
        }
}

/* The shard keeps the bad entry until that chunk is written, and nothing that waits for it is lost. */
TEST(writing_beside_a_bad_entry)
{
    for (int far = 0; far < 2; far++) {
        uint64_t at = 2 * BAD, one = 1;
        row      r;
        request  q = test_request(1, &at, &one);
        ncz_plan p;
        int      v = 9;
        ncz_buf  old = NCZ_BUF_INIT, now = NCZ_BUF_INIT;
        char     key[32];

        row_init(&r, far, 1000, 2, CHUNKS, 2 * CHUNKS, NULL);
        put_bad_shard(&r, true, true, UINT64_MAX, 8);
        snprintf(key, sizeof key, "%s/0", r.s->path);
        assert_int_equal(zmap_get(r.m, key, &old), NC_NOERR);
        p = test_plan(r.s, &r.size, &q, NC_INT);
        expect_bad_chunk(&r, ncz_engine_write(r.e, &p, &v)); /* half of the chunk: the rest is not known */
        put_row(&r, 0, 2, 50);
        expect_bad_chunk(&r, ncz_engine_flush(r.e, 0));
        assert_non_null(strstr(ncz_err_text(), "until all of that chunk is written"));
        assert_int_equal(zmap_get(r.m, key, &now), NC_NOERR);
        assert_int_equal(now.len, old.len);
        assert_memory_equal(now.data, old.data, old.len);
        expect_row(&r, 0, 2, 50); /* it waits */
        put_row(&r, 2 * BAD, 2, 50);
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 0, 2, 50);
        expect_row(&r, 2, 2 * BAD - 2, 0);
        expect_row(&r, 2 * BAD, 2, 50);
        expect_row(&r, 2 * BAD + 2, 2, 0);
        ncz_buf_clear(&old);
        ncz_buf_clear(&now);
        row_clear(&r);
    }
}

/* A list of the stored chunks does not leave the bad one out. */
TEST(bad_entry_in_a_list)
{
    uint64_t object = 0;
    ncz_slot slots[CHUNKS];
    row      r;

    row_init(&r, false, 1000, 2, CHUNKS, 2 * CHUNKS, NULL);
    put_bad_shard(&r, false, false, 16, 0);
    expect_bad_chunk(&r, ncz_engine_read_indexes(r.e, r.s, &object, 1, slots));
    row_clear(&r);
}
