/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small chunks that are ranges of one object and are put together: each has its own status, one that fails stays
 * dirty, and those with rows that lie apart are put alone.
 */
#include "in_place.h"

enum { CHUNK = 8, NCHUNKS = 150, SIZE = CHUNK * NCHUNKS, HEAD = 12, GAP = 40 };

static const int32_t fill = -7;

/* Chunks one after the other, with a gap before each 10th; every 50th has rows of one element, 8 bytes apart. */
static bool
has_rows(uint64_t i)
{
    return i % 50 == 49;
}

static uint64_t
place_of(uint64_t i)
{
    return HEAD + i * CHUNK * 4 + i / 10 * GAP + i / 50 * CHUNK * 4;
}

static int
locate(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)l, (void)key;
    where->key = "file";
    where->offset = place_of(index[0]);
    where->length = CHUNK * 4;
    if (has_rows(index[0])) {
        where->row = 4;
        where->pitch = 8;
        where->length = (CHUNK - 1) * 8 + 4;
    }
    return NC_NOERR;
}

static const ncz_layout_ops ranges = {.name = "ranges", .locate = locate, .complete = true};

static void
init(in_place *w)
{
    in_place_init(w, in_place_spec(&ranges, CHUNK, &fill), 0, (size_t)place_of(NCHUNKS) + 64);
}

/* Puts chunk by chunk, so that all wait in the cache. */
static void
put_all(in_place *w)
{
    for (uint64_t i = 0; i < NCHUNKS; i++) {
        int32_t values[CHUNK];

        for (int k = 0; k < CHUNK; k++)
            values[k] = (int32_t)(i * CHUNK) + k;
        in_place_put(w, SIZE, i * CHUNK, CHUNK, values);
    }
}

/* The bytes of the object. Chunks of `missing` are not there. */
static void
check_object(in_place *w, const bool *missing)
{
    ncz_buf b = NCZ_BUF_INIT;

    assert_int_equal(zmap_get(w->m, "file", &b), NC_NOERR);
    for (uint64_t i = 0; i < NCHUNKS; i++)
        for (uint64_t k = 0; k < CHUNK; k++) {
            int32_t v;

            memcpy(&v, b.data + place_of(i) + k * (has_rows(i) ? 8 : 4), 4);
            assert_int_equal(v, missing != NULL && missing[i] ? 0 : (int32_t)(i * CHUNK + k));
        }
    for (uint64_t i = 10; i < NCHUNKS; i += 10) /* nothing between them was changed */
        for (uint64_t k = 1; k <= 4; k++)
            assert_int_equal(b.data[place_of(i) - k], 0);
    ncz_buf_clear(&b);
}

TEST(all_are_put)
{
    in_place w;

    init(&w);
    put_all(&w);
    assert_int_equal(w.plan.seen, 0);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    check_object(&w, NULL);
    assert_false(ncz_engine_dirty(w.e));
    in_place_clear(&w);
}

/* Whichever put fails, the flush says so, all others are done, and the next flush puts the one that is missing. */
TEST(one_fails)
{
    for (size_t nth = 1; nth <= NCHUNKS; nth += 13) {
        bool     missing[NCHUNKS] = {false};
        ncz_buf  b = NCZ_BUF_INIT;
        in_place w;
        size_t   n = 0;

        init(&w);
        put_all(&w);
        in_place_fail_flush(&w, nth);
        assert_int_equal(zmap_get(w.m, "file", &b), NC_NOERR);
        for (uint64_t i = 0; i < NCHUNKS; i++) {
            int32_t v;

            memcpy(&v, b.data + place_of(i) + (has_rows(i) ? 8 : 4), 4);
            missing[i] = v == 0;
            n += missing[i];
        }
        ncz_buf_clear(&b);
        assert_int_equal(n, 1);
        check_object(&w, missing);
        assert_true(ncz_engine_dirty(w.e));
        assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
        check_object(&w, NULL);
        in_place_clear(&w);
    }
}
