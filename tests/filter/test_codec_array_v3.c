/* SPDX-License-Identifier: BSD-3-Clause */
/* The codecs on elements that only Zarr v3 has: known bytes, all their members, what cannot be stored. */
#include "v3_testing.h"

#include <math.h>

#define CODEC(name, members) "{\"name\": \"" name "\", \"configuration\": {" members "}}"
#define CAST(members)        CODEC("cast_value", members)
#define SCALE(members)       CODEC("scale_offset", members)
#define PACK(members)        CODEC("packbits", members)

static ncz_array_type
row_of(ncz_kind kind, size_t size, const uint64_t *n)
{
    return (ncz_array_type){.dtype = {.kind = kind, .size = size},
                            .chunk_bytes = (size_t)*n * size,
                            .row = (size_t)*n,
                            .rank = 1,
                            .shape = n};
}

/* Encodes n elements of that type, in the machine's byte order, which is little; checks the bytes, and decodes. */
static void
check_row(const char *text, ncz_kind kind, size_t size, const void *in, uint64_t n, const char *hex)
{
    ncz_array_type type = row_of(kind, size, &n);
    ncz_v3_codecs  c = parsed(text, &type);

    check_written(&c, &type, text);
    check_bytes(c.chain, in, (size_t)n * size, hex);
    ncz_v3_codecs_clear(&c);
}

/* The elements cannot be encoded. */
static void
check_fails(const char *text, ncz_kind kind, size_t size, const void *in, uint64_t n, const char *why)
{
    ncz_array_type type = row_of(kind, size, &n);
    ncz_v3_codecs  c = parsed(text, &type);
    ncz_buf        out = NCZ_BUF_INIT;

    ncz_err_clear();
    assert_int_equal(ncz_chain_encode(c.chain, NULL, in, (size_t)n * size, &out), NC_EFILTER);
    if (strstr(ncz_err_text(), why) == NULL)
        fail_msg("%s: %s", text, ncz_err_text());
    ncz_buf_clear(&out);
    ncz_v3_codecs_clear(&c);
}

/* ---- packbits ---------------------------------------------------------------------------------------------- */

TEST(packbits_packs_the_bits_asked_for)
{
    static const unsigned char bools[] = {1, 0, 1, 1, 0, 0, 0, 0, 1};
    static const int8_t        small[] = {1, -1, -8, 7, 0};
    static const uint16_t      shorts[] = {0x1234, 0xABCD};
    static const int32_t       signed_ints[] = {-4, 3, 0};
    static const double        one[] = {1.0};

    check_row("[" PACK("") "]", NCZ_KIND_BOOL, 1, bools, 9, "0d01");
    check_row("[" PACK("") "]", NCZ_KIND_BOOL, 1, bools, 8, "0d");
    check_row("[" PACK("\"padding_encoding\": \"first_byte\"") "]", NCZ_KIND_BOOL, 1, bools, 9, "070d01");
    check_row("[" PACK("\"padding_encoding\": \"last_byte\"") "]", NCZ_KIND_BOOL, 1, bools, 9, "0d0107");
    check_row("[" PACK("\"first_bit\": 0, \"last_bit\": 3") "]", NCZ_KIND_INT, 1, small, 5, "f17800");
    check_row("[" PACK("") "]", NCZ_KIND_UINT, 2, shorts, 2, "3412cdab");
    check_row("[" PACK("\"first_bit\": 1, \"last_bit\": 3") "]", NCZ_KIND_INT, 4, (const int32_t[]){-4, 2, 0}, 3,
              "0e00");
    check_row("[" PACK("\"first_bit\": 0, \"last_bit\": 2") "]", NCZ_KIND_INT, 4, signed_ints, 3, "1c00");
    check_row("[" PACK("") "]", NCZ_KIND_FLOAT, 8, one, 1, "000000000000f03f");
    /* numcodecs' codec of that name is another: the first bit is the highest, and padding is always stored */
    check_row("[{\"name\": \"numcodecs.packbits\", \"configuration\": {}}," LITTLE "]", NCZ_KIND_BOOL, 1, bools, 9,
              "07b080");
}

TEST(damaged_packbits_are_refused)
{
    uint64_t       n = 9;
    ncz_array_type type = row_of(NCZ_KIND_BOOL, 1, &n);
    ncz_v3_codecs  c = parsed("[" PACK("\"padding_encoding\": \"first_byte\"") "]", &type);
    unsigned char  back[9];

    assert_int_equal(ncz_chain_decode(c.chain, NULL, "\x07\x0d\x01", 3, back, 9, false), NC_NOERR);
    assert_int_equal(ncz_chain_decode(c.chain, NULL, "\x06\x0d\x01", 3, back, 9, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c.chain, NULL, "\x07\x0d", 2, back, 9, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c.chain, NULL, "\x07\x0d\x01\x00", 4, back, 9, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c.chain, NULL, "", 0, back, 9, false), NC_EFILTER);
    ncz_v3_codecs_clear(&c);
    check_refused("[" PACK("\"padding_encoding\": \"both\"") "]", &type, NC_EFILTER, "\"padding_encoding\"");
    check_refused("[" PACK("\"last_bit\": 1") "]", &type, NC_EFILTER, "\"last_bit\"");
    type = row_of(NCZ_KIND_INT, 2, &n);
    check_refused("[" PACK("\"first_bit\": 9, \"last_bit\": 8") "]", &type, NC_EFILTER, "\"last_bit\"");
    check_refused("[" PACK("\"first_bit\": -1") "]", &type, NC_EFILTER, "\"first_bit\"");
}

/* ---- bitround ---------------------------------------------------------------------------------------------- */

TEST(bitround_rounds_floats_and_integers)
{
    static const float   floats[] = {1.0f, 1.5f};
    static const uint8_t bytes[] = {0, 1, 0x13, 0x18, 0x1c, 0xff}, rounded[] = {0, 1, 0x10, 0x18, 0x20, 0xc0};
    uint64_t             n = 6;
    ncz_array_type       type = row_of(NCZ_KIND_UINT, 1, &n);
    ncz_v3_codecs        c = parsed("[" CODEC("numcodecs.bitround", "\"keepbits\": 2") ",\"bytes\"]", &type);
    ncz_buf              out = NCZ_BUF_INIT;

    check_row("[" CODEC("numcodecs.bitround", "\"keepbits\": 1") "," LITTLE "]", NCZ_KIND_FLOAT, 4, floats, 2,
              "0000803f 0000c03f");
    check_written(&c, &type, "[" CODEC("bitround", "\"keepbits\": 2") "," LITTLE "]");
    assert_int_equal(ncz_chain_encode(c.chain, NULL, bytes, 6, &out), NC_NOERR);
    assert_memory_equal(out.data, rounded, 6);
    ncz_buf_clear(&out);
    ncz_v3_codecs_clear(&c);
    type = row_of(NCZ_KIND_FLOAT, 4, &n);
    c = parsed("[" CODEC("bitround", "\"keepbits\": 2") "," LITTLE "]", &type);
    check_written(&c, &type,
                  "[" CODEC("numcodecs.bitround", "\"keepbits\": 2") "," LITTLE "]"); /* more readers know it */
    ncz_v3_codecs_clear(&c);
    check_refused("[" CODEC("bitround", "") ",\"bytes\"]", &type, NC_EFILTER, "no \"keepbits\"");
    check_fails("[" CODEC("bitround", "\"keepbits\": 24") "," LITTLE "]", NCZ_KIND_FLOAT, 4, floats, 2,
                "the type has 23");
}

/* ---- scale_offset ------------------------------------------------------------------------------------------ */

TEST(scale_offset_gives_the_specified_values)
{
    static const float   floats[] = {5.0f, 15.0f};
    static const double  doubles[] = {1.5, -2.0};
    static const int16_t ints[] = {10, 12, -4};
    static const uint8_t bytes[] = {100, 101}, low[] = {99};
    static const int64_t longs[] = {INT64_MAX, 3};

    check_row("[" SCALE("\"offset\": 5.0, \"scale\": 0.5") "," LITTLE "]", NCZ_KIND_FLOAT, 4, floats, 2,
              "00000000 0000a040");
    check_row("[" SCALE("\"offset\": 0.0, \"scale\": 2.0") "," BIG "]", NCZ_KIND_FLOAT, 8, doubles, 2,
              "4008000000000000 c010000000000000");
    check_row("[" SCALE("\"offset\": 10, \"scale\": -3") "," LITTLE "]", NCZ_KIND_INT, 2, ints, 3, "0000 faff 2a00");
    check_row("[" SCALE("\"offset\": 100, \"scale\": 255") "," LITTLE "]", NCZ_KIND_UINT, 1, bytes, 2, "00ff");
    check_fails("[" SCALE("\"offset\": 100, \"scale\": 1") "," LITTLE "]", NCZ_KIND_UINT, 1, low, 1, "does not fit");
    check_fails("[" SCALE("\"offset\": 0, \"scale\": 3") "," LITTLE "]", NCZ_KIND_UINT, 1, low, 1, "does not fit");
    check_fails("[" SCALE("\"offset\": -1, \"scale\": 1") "," LITTLE "]", NCZ_KIND_INT, 8, longs, 2, "does not fit");
    check_fails("[" SCALE("\"offset\": 0, \"scale\": 5000") "," LITTLE "]", NCZ_KIND_INT, 2, ints, 3, "does not fit");
}

/* Quotients are rounded down; what a writer let wrap comes back. */
TEST(scale_offset_quotients_are_rounded_down)
{
    static const struct {
        const char *text;
        ncz_kind    kind;
        const char *stored;
        int8_t      value;
    } cases[] = {
        {"[" SCALE("\"scale\": 2") ",\"bytes\"]", NCZ_KIND_INT, "\xfb", -3}, /* -5 / 2 */
        {"[" SCALE("\"scale\": 2") ",\"bytes\"]", NCZ_KIND_INT, "\x05", 2},
        {"[" SCALE("\"scale\": -2") ",\"bytes\"]", NCZ_KIND_INT, "\x05", -3},
        {"[" SCALE("\"scale\": -1") ",\"bytes\"]", NCZ_KIND_INT, "\x80", -128},
        {"[" SCALE("\"offset\": 100") ",\"bytes\"]", NCZ_KIND_INT, "\x64", -56},
        {"[" SCALE("\"offset\": 250, \"scale\": 3") ",\"bytes\"]", NCZ_KIND_UINT, "\x17", 1},
    };
    uint64_t       n = 1;
    ncz_array_type type = row_of(NCZ_KIND_FLOAT, 4, &n);

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_array_type t = row_of(cases[i].kind, 1, &n);
        ncz_v3_codecs  c = parsed(cases[i].text, &t);
        int8_t         back;

        assert_int_equal(ncz_chain_decode(c.chain, NULL, cases[i].stored, 1, &back, 1, false), NC_NOERR);
        assert_int_equal(back, cases[i].value);
        ncz_v3_codecs_clear(&c);
    }
    check_refused("[" SCALE("\"scale\": 0") ",\"bytes\"]", &type, NC_EFILTER, "\"scale\" is 0");
    check_refused("[" SCALE("\"scale\": \"many\"") ",\"bytes\"]", &type, NC_EFILTER, "\"scale\" is not a number");
    check_refused("[" SCALE("\"offset\": \"0x3f80\"") ",\"bytes\"]", &type, NC_EFILTER, "\"offset\"");
    check_refused("[" SCALE("\"factor\": 2") ",\"bytes\"]", &type, NC_EFILTER, "unknown parameter \"factor\"");
    type = row_of(NCZ_KIND_INT, 1, &n);
    check_refused("[" SCALE("\"offset\": 128") ",\"bytes\"]", &type, NC_EFILTER, "\"offset\"");
    check_refused("[" SCALE("\"offset\": 0.5") ",\"bytes\"]", &type, NC_EFILTER, "\"offset\"");
}

/* Offsets and scales as Zarr v3 spells fill values. */
TEST(offsets_are_spelled_as_fill_values)
{
    static const float one[] = {3.0f};
    uint64_t           n = 1;
    ncz_array_type     floats = row_of(NCZ_KIND_FLOAT, 4, &n), ints = row_of(NCZ_KIND_UINT, 8, &n);
    ncz_v3_codecs      c = parsed("[" SCALE("\"offset\": \"0x3F800000\", \"scale\": 2.0") ",\"bytes\"]", &floats);

    check_bytes(c.chain, one, 4, "00008040");
    check_written(&c, &floats, "[" SCALE("\"offset\": 1.0, \"scale\": 2.0") "," LITTLE "]");
    ncz_v3_codecs_clear(&c);
    c = parsed("[" SCALE("\"offset\": 18446744073709551615, \"scale\": 2.0") ",\"bytes\"]", &ints);
    check_written(&c, &ints, "[" SCALE("\"offset\": 18446744073709551615, \"scale\": 2") "," LITTLE "]");
    ncz_v3_codecs_clear(&c);
}

/* ---- cast_value -------------------------------------------------------------------------------------------- */

TEST(cast_value_gives_the_specified_values)
{
    static const double  doubles[] = {1, -2, 250};
    static const int32_t ints[] = {1, -2, 70000};
    static const float   floats[] = {1.5f, -2, 65504};

    check_row("[" CAST("\"data_type\": \"int16\"") "," LITTLE "]", NCZ_KIND_FLOAT, 8, doubles, 3, "0100 feff fa00");
    check_row("[" CAST("\"data_type\": \"int16\"") "," BIG "]", NCZ_KIND_FLOAT, 8, doubles, 3, "0001 fffe 00fa");
    check_row("[" CAST("\"data_type\": \"float64\"") "," LITTLE "]", NCZ_KIND_INT, 4, ints, 3,
              "000000000000f03f 00000000000000c0 000000000017f140");
    check_row("[" CAST("\"data_type\": \"float16\"") "," LITTLE "]", NCZ_KIND_FLOAT, 4, floats, 3, "003e 00c0 ff7b");
    check_row("[" CAST("\"data_type\": \"int64\"") "," LITTLE "]", NCZ_KIND_INT, 4, ints, 1, "0100000000000000");
}

/* What a number becomes under each rule. */
TEST(cast_value_follows_its_rules)
{
    static const struct {
        const char *members;
        double      from;
        int         to; /* as an int8; 999: an error */
    } cases[] = {
        {"\"data_type\": \"int8\"", 2.5, 2},
        {"\"data_type\": \"int8\"", 3.5, 4},
        {"\"data_type\": \"int8\", \"rounding\": \"nearest-even\"", -2.5, -2},
        {"\"data_type\": \"int8\", \"rounding\": \"towards-zero\"", -2.7, -2},
        {"\"data_type\": \"int8\", \"rounding\": \"towards-positive\"", -2.7, -2},
        {"\"data_type\": \"int8\", \"rounding\": \"towards-positive\"", 2.1, 3},
        {"\"data_type\": \"int8\", \"rounding\": \"towards-negative\"", -2.1, -3},
        {"\"data_type\": \"int8\", \"rounding\": \"nearest-away\"", 2.5, 3},
        {"\"data_type\": \"int8\", \"rounding\": \"nearest-away\"", -2.5, -3},
        {"\"data_type\": \"int8\"", 127.4, 127},
        {"\"data_type\": \"int8\"", 127.5, 999},
        {"\"data_type\": \"int8\"", -128.5, -128},
        {"\"data_type\": \"int8\"", -129, 999},
        {"\"data_type\": \"int8\"", INFINITY, 999},
        {"\"data_type\": \"int8\", \"out_of_range\": \"clamp\"", 200, 127},
        {"\"data_type\": \"int8\", \"out_of_range\": \"clamp\"", -INFINITY, -128},
        {"\"data_type\": \"int8\", \"out_of_range\": \"clamp\"", 1e300, 127},
        {"\"data_type\": \"int8\", \"out_of_range\": \"wrap\"", 200, -56},
        {"\"data_type\": \"int8\", \"out_of_range\": \"wrap\"", -129, 127},
        {"\"data_type\": \"int8\", \"out_of_range\": \"wrap\"", 1e19 + 2048, 0},
        {"\"data_type\": \"int8\", \"out_of_range\": \"wrap\"", INFINITY, 999},
        {"\"data_type\": \"int8\"", NAN, 999},
        {"\"data_type\": \"int8\", \"out_of_range\": \"clamp\"", NAN, 999},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"encode\": [[\"NaN\", -128], [1.5, 7]]}", NAN, -128},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"encode\": [[\"NaN\", -128], [1.5, 7]]}", 1.5, 7},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"encode\": [[\"NaN\", -128], [1.5, 7]]}", 2, 2},
        {"\"data_type\": \"uint8\", \"out_of_range\": \"clamp\"", -1, 0},
        {"\"data_type\": \"uint8\", \"out_of_range\": \"wrap\"", -1, -1},
        {"\"data_type\": \"uint8\"", 255, -1},
        {"\"data_type\": \"uint8\"", -0.5, 0},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        uint64_t       n = 1;
        ncz_array_type type = row_of(NCZ_KIND_FLOAT, 8, &n);
        char          *text = ncz_sprintf("[" CAST("%s") ",\"bytes\"]", cases[i].members);
        ncz_v3_codecs  c = parsed(text, &type);
        ncz_buf        out = NCZ_BUF_INIT;
        int            rc = ncz_chain_encode(c.chain, NULL, &cases[i].from, 8, &out);

        if (rc != (cases[i].to == 999 ? NC_EFILTER : NC_NOERR) ||
            (rc == NC_NOERR && (int8_t)out.data[0] != cases[i].to))
            fail_msg("%s of %g: %d %d", text, cases[i].from, rc, rc == NC_NOERR ? (int8_t)out.data[0] : 0);
        ncz_buf_clear(&out);
        ncz_v3_codecs_clear(&c);
        ncz_free(text);
    }
}

TEST(cast_value_keeps_integers_exact)
{
    static const int64_t  longs[] = {-1, 300, INT64_MIN};
    static const uint64_t large[] = {UINT64_MAX, (uint64_t)1 << 63};
    uint64_t              n = 3;
    ncz_array_type        type = row_of(NCZ_KIND_INT, 8, &n);
    ncz_v3_codecs         c;
    ncz_buf               out = NCZ_BUF_INIT;

    c = parsed("[" CAST("\"data_type\": \"uint8\", \"out_of_range\": \"clamp\"") ",\"bytes\"]", &type);
    assert_int_equal(ncz_chain_encode(c.chain, NULL, longs, 24, &out), NC_NOERR);
    assert_memory_equal(out.data, "\x00\xff\x00", 3);
    ncz_v3_codecs_clear(&c);
    c = parsed("[" CAST("\"data_type\": \"uint8\", \"out_of_range\": \"wrap\"") ",\"bytes\"]", &type);
    assert_int_equal(ncz_chain_encode(c.chain, NULL, longs, 24, &out), NC_NOERR);
    assert_memory_equal(out.data, "\xff\x2c\x00", 3);
    ncz_v3_codecs_clear(&c);
    check_fails("[" CAST("\"data_type\": \"int64\"") "," LITTLE "]", NCZ_KIND_UINT, 8, large, 2, "out of range");
    check_fails("[" CAST("\"data_type\": \"uint32\"") "," LITTLE "]", NCZ_KIND_INT, 8, longs, 1, "int64 to uint32");
    check_fails("[" CAST("\"data_type\": \"float32\"") "," LITTLE "]", NCZ_KIND_FLOAT, 8, (const double[]){1e39}, 1,
                "out of range");
    ncz_buf_clear(&out);
}

/* The way of packed products: float32 as int16 with a value for NaN, scaled before. */
TEST(packed_products_are_scaled_and_cast)
{
    static const char text[] = "[" SCALE("\"offset\": 273.0, \"scale\": 100.0") "," CAST(
        "\"data_type\": \"int16\", \"scalar_map\": {\"encode\": "
        "[[\"NaN\",-32768]], \"decode\": [[-32768,\"NaN\"]]}") "," LITTLE "]";
    static const float values[] = {273.0f, 274.5f};
    uint64_t           n = 2;
    ncz_array_type     type = row_of(NCZ_KIND_FLOAT, 4, &n);
    ncz_v3_codecs      c = parsed(text, &type);
    float              back[2];

    check_written(&c, &type, text);
    check_bytes(c.chain, values, 8, "0000 9600");
    assert_int_equal(ncz_chain_decode(c.chain, NULL, "\x00\x80\x64\x00", 4, back, 8, false), NC_NOERR);
    assert_true(isnan(back[0]));
    assert_true(back[1] == 274.0f);
    ncz_v3_codecs_clear(&c);
}

/* Shards after such codecs have their fill value encoded, too. */
TEST(the_fill_value_passes_the_codecs_before_a_shard)
{
    static const char text[] =
        "[" CAST("\"data_type\": \"int16\", \"out_of_range\": \"clamp\"") "," SHARD("[2]", LITTLE, LITTLE, "end") "]";
    static const double fill = -9, values[] = {-9, -9, 1, -9};
    uint64_t            n = 4;
    ncz_array_type      type = row_of(NCZ_KIND_FLOAT, 8, &n);
    ncz_v3_codecs       c;

    type.fill = &fill;
    c = parsed(text, &type);
    check_bytes(c.chain, values, 32, "0100f7ff ffffffffffffffff ffffffffffffffff 0000000000000000 0400000000000000");
    ncz_v3_codecs_clear(&c);
}

/* A fill value that cannot be encoded is an error only where it is needed. */
TEST(a_fill_value_that_cannot_be_cast_is_a_late_error)
{
    static const char   text[] = "[" CAST("\"data_type\": \"int8\"") "," SHARD("[2]", LITTLE, LITTLE, "end") "]";
    static const double fill = 1e30, values[] = {1, 2, 0, 0};
    uint64_t            n = 4;
    ncz_array_type      type = row_of(NCZ_KIND_FLOAT, 8, &n);
    ncz_v3_codecs       c;
    unsigned char       object[40];
    double              back[4];

    type.fill = &fill;
    c = parsed(text, &type);
    check_bytes(c.chain, values, 32, "01020000 0000000000000000 0200000000000000 0200000000000000 0200000000000000");
    assert_int_equal(from_hex("0102 0000000000000000 0200000000000000 ffffffffffffffff ffffffffffffffff", object),
                     34);
    assert_int_equal(ncz_chain_decode(c.chain, NULL, object, 34, back, 32, false), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "inner chunk 1"));
    ncz_v3_codecs_clear(&c);
}

TEST(bad_casts_are_refused)
{
    static const struct {
        const char *members;
        int         rc;
        const char *why;
    } cases[] = {
        {"", NC_EFILTER, "\"data_type\""},
        {"\"data_type\": 4", NC_EFILTER, "\"data_type\""},
        {"\"data_type\": \"int8\", \"rounding\": \"up\"", NC_EFILTER, "\"rounding\""},
        {"\"data_type\": \"int8\", \"out_of_range\": 1", NC_EFILTER, "\"out_of_range\""},
        {"\"data_type\": \"float64\", \"out_of_range\": \"wrap\"", NC_EFILTER, "wrap"},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"encode\": 1}", NC_EFILTER, "not a list"},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"encode\": [[1]]}", NC_EFILTER, "entry 0"},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"encode\": [[1, 2], [1, 300]]}", NC_EFILTER, "entry 1"},
        {"\"data_type\": \"int8\", \"scalar_map\": {\"both\": []}", NC_EFILTER, "\"scalar_map\""},
        {"\"data_type\": \"int8\", \"scalar_map\": [1]", NC_EFILTER, "\"scalar_map\""},
    };
    uint64_t       n = 1;
    ncz_array_type type = row_of(NCZ_KIND_FLOAT, 8, &n), other = row_of(NCZ_KIND_BOOL, 1, &n);
    ncz_v3_codecs  c;

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char *text = ncz_sprintf("[" CAST("%s") ",\"bytes\"]", cases[i].members);

        check_refused(text, &type, cases[i].rc, cases[i].why);
        ncz_free(text);
    }
    /* What is valid but not built in keeps its place; only its data cannot be read. */
    c = parsed("[" CAST("\"data_type\": \"complex64\"") ",\"bytes\"]", &type);
    assert_int_equal(ncz_chain_usable(c.chain), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "complex64"));
    check_written(&c, &type, "[" CAST("\"data_type\": \"complex64\"") "," LITTLE "]");
    ncz_v3_codecs_clear(&c);
    c = parsed("[" CAST("\"data_type\": \"int8\"") ",\"bytes\"]", &other);
    assert_int_equal(ncz_chain_usable(c.chain), NC_ENOFILTER);
    ncz_v3_codecs_clear(&c);
}

/* ---- reshape ----------------------------------------------------------------------------------------------- */

TEST(reshape_takes_shapes_that_fit)
{
    static const char *const good[] = {
        "[24]", "[-1]", "[[0,1]]", "[[0],[1]]", "[4,2,3]", "[[0],2,-1]", "[2,-1,[1]]", "[1,[0],1,[1]]", "[[],24]",
    };
    static const struct {
        const char *shape, *why;
    } bad[] = {
        {"7", "is not a list"},
        {"[25]", "another number"},
        {"[-1,-1]", "-1 twice"},
        {"[0]", "no length"},
        {"[5,-1]", "another number"},
        {"[[1],[0]]", "increasing"},
        {"[[2]]", "lacks"},
        {"[[1,0]]", "increasing"},
        {"[\"a\"]", "no length"},
        {"[6,[0]]", "elsewhere"},
        {"[1.5]", "no length"},
        {"[18446744073709551615,3]", "no length"},
        {"[9223372036854775807,9223372036854775807]", "overflows"},
    };
    ncz_array_type in = type_of(NCZ_KIND_UINT, 1);
    unsigned char  v[24];

    for (size_t i = 0; i < 24; i++)
        v[i] = (unsigned char)i;
    for (size_t i = 0; i < NCZ_LEN(good); i++) {
        char         *text = ncz_sprintf("[" CODEC("reshape", "\"shape\": %s") "," LITTLE "]", good[i]);
        ncz_v3_codecs c = parsed(text, &in);

        check_written(&c, &in, text);
        check_bytes(c.chain, v, 24, "000102030405060708090a0b0c0d0e0f1011121314151617");
        ncz_v3_codecs_clear(&c);
        ncz_free(text);
    }
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        char *text = ncz_sprintf("[" CODEC("reshape", "\"shape\": %s") "," LITTLE "]", bad[i].shape);

        check_refused(text, &in, NC_EFILTER, bad[i].why);
        ncz_free(text);
    }
}

/* What follows a reshape sees its shape: a transpose, a shard. */
TEST(what_follows_a_reshape_sees_its_shape)
{
    ncz_array_type in = type_of(NCZ_KIND_UINT, 1);
    ncz_v3_codecs  c = parsed(
         "[" CODEC("reshape", "\"shape\": [[0],2,3]") "," CODEC("transpose", "\"order\": [2,1,0]") "," LITTLE "]",
         &in);
    unsigned char v[24];

    for (size_t i = 0; i < 24; i++)
        v[i] = (unsigned char)i;
    check_bytes(c.chain, v, 24, "00060c12 03090f15 01070d13 040a1016 02080e14 050b1117");
    ncz_v3_codecs_clear(&c);
    c = parsed("[" CODEC("reshape", "\"shape\": [24]") "," SHARD("[12]", LITTLE, BIG, "start") "]", &in);
    assert_null(c.inner);
    check_bytes(c.chain, v, 24,
                "0000000000000020 000000000000000c 000000000000002c 000000000000000c"
                "000102030405060708090a0b0c0d0e0f1011121314151617");
    ncz_v3_codecs_clear(&c);
}
