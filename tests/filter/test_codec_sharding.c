/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards as a codec, and transposes that are not at the front: known bytes, all ways to nest, parts, damage. */
#include "v3_testing.h"

#define STEP(name) "{\"name\": \"" name "\"}"

static void
make_array(uint16_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (uint16_t)(i * 257 + 3);
}

/* A transpose before a shard: inner chunks of [3,2] of the transposed array [6,4]. */
TEST(a_transposed_shard_has_known_bytes)
{
    ncz_array_type in = type_of(NCZ_KIND_UINT, 1);
    ncz_v3_codecs  c = parsed("[" ORDER "," SHARD("[3,4]", "\"bytes\"", LITTLE, "end") "]", &in);
    unsigned char  v[24];

    assert_null(c.inner);
    assert_non_null(c.order);
    for (int i = 0; i < 24; i++) /* what the engine passes on is in that order: transposed */
        v[i] = (unsigned char)(i + 1);
    check_bytes(c.chain, v, 24,
                "0102030405060708090a0b0c 0d0e0f101112131415161718"
                "0000000000000000 0c00000000000000 0c00000000000000 0c00000000000000");
    ncz_v3_codecs_clear(&c);

    c = parsed("[" SHARD("[4,6]", SHARD("[2,3]", ORDER ",\"bytes\"", BIG, "start"), LITTLE, "end") ",\"crc32c\"]",
               &in);
    check_bytes(c.chain, v, 24,
                "0000000000000040 0000000000000006 0000000000000046 0000000000000006"
                "000000000000004c 0000000000000006 0000000000000052 0000000000000006"
                "010702080309 040a050b060c 0d130e140f15 101611171218"
                "0000000000000000 5800000000000000 12bd77e5");
    ncz_v3_codecs_clear(&c);
}

static void
check_parts(const ncz_chain *c, const ncz_buf *object, const uint16_t *v)
{
    uint16_t back[24];

    for (size_t from = 0; from <= 48; from += 7)
        for (size_t to = from; to <= 48; to += 5) {
            ncz_byte_range part = {from, to};

            memset(back, 0xEE, sizeof back);
            assert_int_equal(ncz_chain_decode_part(c, NULL, object->data, object->len, back, 48, false, &part),
                             NC_NOERR);
            assert_true(part.from <= from && part.to >= to && part.to <= 48);
            assert_memory_equal((char *)back + part.from, (const char *)v + part.from, part.to - part.from);
        }
}

TEST(every_nesting_round_trips)
{
    static const char *const texts[] = {
        "[" ORDER "," SHARD("[3,2]", LITTLE "," CRC, USUAL, "end") "]",
        "[" ORDER "," SHARD("[1,4]", BIG, USUAL, "start") "]",
        "[" SHARD("[2,3]", ORDER "," LITTLE, USUAL, "end") "," GZIP "]",
        "[" SHARD("[2,6]", BIG "," GZIP, BIG, "start") "," CRC "]",
        "[" SHARD("[1,1]", LITTLE, BIG, "start") "," CRC "]",
        "[" SHARD("[2,6]", SHARD("[1,3]", ORDER "," BIG, USUAL, "end"), USUAL, "start") "," CRC "]",
        "[" SHARD("[2,6]", SHARD("[2,3]", SHARD("[1,3]", LITTLE "," GZIP, USUAL, "end") "," CRC, USUAL, "end"), USUAL,
                  "start") "," CRC "]",
        "[" ORDER "," SHARD("[6,2]", ORDER "," SHARD("[1,3]", LITTLE, USUAL, "end"), USUAL, "end") "]",
    };
    uint16_t v[24], back[24];

    make_array(v, 24);
    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        ncz_array_type in = type_of(NCZ_KIND_UINT, 2);
        ncz_v3_codecs  c = parsed(texts[i], &in);
        ncz_buf        object = NCZ_BUF_INIT;

        assert_null(c.inner);
        check_written(&c, &in, texts[i]);
        assert_int_equal(ncz_chain_encode(c.chain, NULL, v, 48, &object), NC_NOERR);
        assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, object.len, back, 48, false), NC_NOERR);
        assert_memory_equal(back, v, 48);
        check_parts(c.chain, &object, v);
        for (size_t n = 0; n < object.len; n++)
            assert_int_not_equal(ncz_chain_decode(c.chain, NULL, object.data, n, back, 48, false), NC_NOERR);
        ncz_buf_clear(&object);
        ncz_v3_codecs_clear(&c);
    }
}

/* The fill value reaches the shard through the codecs before it; chunks of nothing else are not stored. */
TEST(chunks_of_fill_are_not_stored)
{
    static const uint16_t fill = 0x0102;
    ncz_array_type        in = type_of(NCZ_KIND_UINT, 2), other;
    ncz_v3_codecs         c;
    ncz_chain            *chain = NULL, *same = NULL;
    ncz_buf               object = NCZ_BUF_INIT;
    uint16_t              v[24], back[24];

    in.fill = &fill;
    c = parsed("[" SHARD("[2,3]", LITTLE, LITTLE, "end") "," CRC "]", &in);
    for (size_t i = 0; i < 24; i++)
        v[i] = fill;
    v[23] = 9;
    assert_int_equal(ncz_chain_encode(c.chain, NULL, v, 48, &object), NC_NOERR);
    assert_int_equal(object.len, 12 + 4 * 16 + 4); /* one chunk */
    assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, object.len, back, 48, false), NC_NOERR);
    assert_memory_equal(back, v, 48);

    /* For another fill value a new chain is made; for the same, the chain is shared. */
    assert_int_equal(ncz_chain_retype(c.chain, &in, &same), NC_NOERR);
    assert_ptr_equal(same, c.chain);
    other = in;
    other.fill = NULL;
    assert_int_equal(ncz_chain_retype(c.chain, &other, &chain), NC_NOERR);
    assert_ptr_not_equal(chain, c.chain);
    assert_int_equal(ncz_chain_decode(chain, NULL, object.data, object.len, back, 48, false), NC_NOERR);
    assert_int_equal(back[0], 0);
    assert_int_equal(back[23], 9);
    ncz_chain_unref(chain);
    ncz_chain_unref(same);
    ncz_v3_codecs_clear(&c);
    ncz_buf_clear(&object);
}

/* Another byte order or shape of the array: the inner chunks follow. */
TEST(inner_chunks_follow_the_array)
{
    static const uint64_t longer[2] = {8, 6}, odd[2] = {4, 5};
    ncz_array_type        in = type_of(NCZ_KIND_UINT, 2), type = in;
    ncz_v3_codecs         c = parsed("[" SHARD("[2,3]", LITTLE, LITTLE, "end") "," CRC "]", &in);
    ncz_chain            *chain = NULL;
    ncz_buf               object = NCZ_BUF_INIT;
    uint16_t              v[48] = {1}, back[48];

    type.shape = longer;
    type.chunk_bytes = 96;
    type.dtype.big = true;
    assert_int_equal(ncz_chain_retype(c.chain, &type, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_encode(chain, NULL, v, 96, &object), NC_NOERR);
    assert_int_equal(object.len, 12 + 8 * 16 + 4);
    assert_int_equal(ncz_chain_decode(chain, NULL, object.data, object.len, back, 96, false), NC_NOERR);
    assert_memory_equal(back, v, 96);
    c.big = true;
    check_written(&(ncz_v3_codecs){.chain = chain, .big = true}, &type,
                  "[" SHARD("[2,3]", BIG, LITTLE, "end") "," CRC "]");
    ncz_chain_unref(chain);
    chain = NULL;
    type.shape = odd;
    assert_int_equal(ncz_chain_retype(c.chain, &type, &chain), NC_EFILTER);
    assert_null(chain);
    ncz_v3_codecs_clear(&c);
    ncz_buf_clear(&object);
}

static void
put64(char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (char)(v >> (8 * i));
}

TEST(a_hostile_index_is_refused)
{
    static const struct {
        uint64_t    offset, length;
        const char *why; /* NULL: it is read */
    } cases[] = {
        {UINT64_MAX, UINT64_MAX, NULL},
        {0, 12, NULL},                          /* the range of another chunk */
        {3, 12, NULL},                          /* overlapping ranges */
        {48, 12, NULL},                         /* in the index itself */
        {0, 11, "inner chunk 3 of a shard"},    /* too short for a chunk */
        {0, 13, "inner chunk 3 of a shard"},    /* too long */
        {0, 200, "in an object of 112 bytes"},  /* past the end */
        {101, 12, "in an object of 112 bytes"}, /* the same, just so */
        {UINT64_MAX, 12, "chunk 3"},            /* only one is "missing" */
        {0, UINT64_MAX, "chunk 3"},             /* the other one */
        {0, 0, "chunk 3"},                      /* no bytes */
        {UINT64_MAX - 5, 12, "chunk 3"},        /* the sum overflows */
        {INT64_MAX - 5, 12, "chunk 3"},         /* the sum is no offset */
        {(uint64_t)1 << 40, 12, "in an object of"},
    };
    ncz_array_type in = type_of(NCZ_KIND_UINT, 2);
    ncz_v3_codecs  c = parsed("[" ORDER "," SHARD("[3,2]", LITTLE, LITTLE, "end") "]", &in);
    ncz_buf        object = NCZ_BUF_INIT;
    uint16_t       v[24], back[24];

    make_array(v, 24);
    assert_int_equal(ncz_chain_encode(c.chain, NULL, v, 48, &object), NC_NOERR);
    assert_int_equal(object.len, 112);
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        put64(object.data + 96, cases[i].offset);
        put64(object.data + 104, cases[i].length);
        ncz_err_clear();
        assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, object.len, back, 48, false),
                         cases[i].why == NULL ? NC_NOERR : NC_EFILTER);
        if (cases[i].why != NULL && strstr(ncz_err_text(), cases[i].why) == NULL)
            fail_msg("%zu: %s", i, ncz_err_text());
    }
    assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, 0, back, 48, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, 63, back, 48, false), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "shorter than its index"));
    ncz_buf_clear(&object);
    ncz_v3_codecs_clear(&c);
}

TEST(bad_configurations_are_refused)
{
    ncz_array_type in = type_of(NCZ_KIND_UINT, 2), text = type_of(NCZ_KIND_OBJECT, NCZ_OBJECT_SIZE);
    ncz_v3_codecs  c;

    check_refused("[" ORDER "," SHARD("[2,3]", LITTLE, USUAL, "end") "]", &in, NC_EFILTER, "dimension 1 of it has 4");
    check_refused("[" SHARD("[2,3]", SHARD("[2,2]", LITTLE, USUAL, "end"), USUAL, "end") "]", &in, NC_EFILTER,
                  "dimension 1 of it has 3");
    /* Strings in a shard are the engine's; with a codec that follows they are not built in. */
    c = parsed("[" SHARD("[2,3]", STEP("vlen-utf8"), USUAL, "end") "]", &text);
    assert_non_null(c.inner);
    ncz_v3_codecs_clear(&c);
    c = parsed("[" SHARD("[2,3]", STEP("vlen-utf8"), USUAL, "end") "," CRC "]", &text);
    assert_int_equal(ncz_chain_usable(c.chain), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "strings of any length"));
    ncz_v3_codecs_clear(&c);
}

TEST(nested_bombs_are_refused)
{
    ncz_array_type in = type_of(NCZ_KIND_UINT, 2);
    ncz_buf        text = NCZ_BUF_INIT;

    for (int i = 0; i < 9; i++)
        assert_int_equal(ncz_buf_puts(&text, "[{\"name\": \"sharding_indexed\", \"configuration\": "
                                             "{\"chunk_shape\": [4,6], \"codecs\": "),
                         NC_NOERR);
    assert_int_equal(ncz_buf_puts(&text, "[\"bytes\"]"), NC_NOERR);
    for (int i = 0; i < 9; i++)
        assert_int_equal(ncz_buf_puts(&text, "}}]"), NC_NOERR);
    {
        ncz_json_opts opts = {.depth = 64, .nbytes = 1 << 20};
        ncz_json     *doc = NULL;
        ncz_v3_codecs c;

        assert_int_equal(ncz_json_parse(text.data, text.len, &opts, &doc, NULL), NC_NOERR);
        assert_int_equal(ncz_chain_parse_v3(doc, &in, 100, &c), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "inside each other"));
        ncz_json_free(doc);
    }
    ncz_buf_clear(&text);
    check_refused("[" LITTLE "," CRC "," CRC "," CRC "," CRC "," CRC "," CRC "," CRC "," CRC "," CRC "," CRC "," CRC
                  "," CRC "]",
                  &in, NC_EFILTER, "more than 12 codecs");
}

typedef struct round_trip {
    const ncz_json *doc;
    ncz_array_type  in;
    uint16_t        v[24], back[24];
} round_trip;

static int
make_round_trip(void *arg)
{
    round_trip   *r = arg;
    ncz_v3_codecs c;
    ncz_buf       object = NCZ_BUF_INIT;
    int           rc;

    if ((rc = ncz_chain_parse_v3(r->doc, &r->in, 12, &c)) == NC_NOERR &&
        (rc = ncz_chain_encode(c.chain, NULL, r->v, 48, &object)) == NC_NOERR)
        rc = ncz_chain_decode(c.chain, NULL, object.data, object.len, r->back, 48, false);
    ncz_buf_clear(&object);
    ncz_v3_codecs_clear(&c);
    return rc;
}

TEST(every_allocation_fails_once)
{
    static const uint16_t fill = 7;
    ncz_json  *doc = json_of("[" ORDER "," SHARD("[6,2]", ORDER "," SHARD("[1,3]", LITTLE "," CRC, USUAL, "end"),
                                                 USUAL, "end") "," CRC "]");
    round_trip r = {.doc = doc, .in = type_of(NCZ_KIND_UINT, 2)};

    r.in.fill = &fill;
    make_array(r.v, 24);
    each_allocation_fails(make_round_trip, &r);
    assert_memory_equal(r.back, r.v, 48);
    ncz_json_free(doc);
}
