/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants: every spelling of a number, its type and value; escapes; names. */
#include "support/test.h"

#include "gen_help.h"

#include <math.h>

TEST(integers_have_the_type_of_their_text)
{
    static const struct {
        const char *text;
        nc_type     type;
        int64_t     value;
    } good[] = {
        {"0", NC_INT, 0},
        {"+5", NC_INT, 5},
        {"-5", NC_INT, -5},
        {"010", NC_INT, 8},
        {"2147483647", NC_INT, INT32_MAX},
        {"-2147483648", NC_INT, INT32_MIN},
        {"3000000000", NC_UINT, 3000000000},
        {"-3000000000", NC_INT64, -3000000000},
        {"5000000000", NC_UINT64, 5000000000},
        {"1b", NC_BYTE, 1},
        {"200b", NC_BYTE, -56},
        {"-128B", NC_BYTE, -128},
        {"7s", NC_SHORT, 7},
        {"7L", NC_INT, 7},
        {"7ll", NC_INT64, 7},
        {"7LL", NC_INT64, 7},
        {"7u", NC_UINT, 7},
        {"7ub", NC_UBYTE, 7},
        {"7bu", NC_UBYTE, 7},
        {"7US", NC_USHORT, 7},
        {"7su", NC_USHORT, 7},
        {"7ul", NC_UINT, 7},
        {"7ull", NC_UINT64, 7},
        {"7llu", NC_UINT64, 7},
        {"0x1FS", NC_SHORT, 31},
        {"-0x1F", NC_INT, -31},
        {"0xffub", NC_UBYTE, 255},
    };

    for (size_t i = 0; i < GEN_LEN(good); i++) {
        gen_const   c = {.kind = GEN_NAME};
        gen_fit     fit;
        const char *why;

        assert_true(gen_parse_number(good[i].text, strlen(good[i].text), &c, &fit, &why));
        assert_int_equal(c.kind, GEN_INT);
        assert_int_equal(c.type, good[i].type);
        assert_int_equal(c.v.i, good[i].value);
    }
}

TEST(not_numbers)
{
    static const char *const bad[] = {"08",
                                      "2d",
                                      "2f",
                                      "1x",
                                      "300b",
                                      "-1u",
                                      "-129b",
                                      "70000us",
                                      "1lul",
                                      "0x",
                                      "1.5q",
                                      "1e",
                                      "1e+",
                                      "1.2.3",
                                      "12_3",
                                      "1bs",
                                      "99999999999L",
                                      "18446744073709551616",
                                      "-9223372036854775809"};

    for (size_t i = 0; i < GEN_LEN(bad); i++) {
        gen_const   c = {.kind = GEN_NAME};
        gen_fit     fit;
        const char *why = NULL;

        assert_false(gen_parse_number(bad[i], strlen(bad[i]), &c, &fit, &why));
        assert_non_null(why);
    }
}

TEST(reals_have_the_type_of_their_text)
{
    static const struct {
        const char *text;
        nc_type     type;
        double      value;
    } good[] = {
        {"1.", NC_DOUBLE, 1},           {".5", NC_DOUBLE, 0.5},      {"-.5", NC_DOUBLE, -0.5},
        {"1e3", NC_DOUBLE, 1000},       {"1.5e-2", NC_DOUBLE, .015}, {"2.d", NC_DOUBLE, 2},
        {"2.5L", NC_DOUBLE, 2.5},       {"2.5f", NC_FLOAT, 2.5},     {"1e2F", NC_FLOAT, 100},
        {"0.1f", NC_FLOAT, (float)0.1},
    };
    gen_const   c = {.kind = GEN_NAME};
    gen_fit     fit;
    const char *why;

    for (size_t i = 0; i < GEN_LEN(good); i++) {
        assert_true(gen_parse_number(good[i].text, strlen(good[i].text), &c, &fit, &why));
        assert_int_equal(c.kind, GEN_REAL);
        assert_int_equal(c.type, good[i].type);
        assert_true(c.v.d == good[i].value);
        assert_int_equal(fit, GEN_FITS);
    }
    assert_true(gen_parse_number("1e400", 5, &c, &fit, &why));
    assert_int_equal(fit, GEN_OVERFLOWS);
    assert_true(isinf(c.v.d));
}

TEST(opaque_is_a_number_too)
{
    gen_const   c = {.kind = GEN_NAME};
    gen_fit     fit;
    const char *why;
    int         v = 0;

    assert_true(gen_parse_number("0x1F", 4, &c, &fit, &why));
    assert_int_equal(c.kind, GEN_HEX);
    assert_int_equal(c.type, NC_INT);
    assert_int_equal(gen_convert(&c, NC_INT, &v), GEN_FITS);
    assert_int_equal(v, 31);
    assert_true(gen_parse_number("0x00112233445566778899", 22, &c, &fit, &why));
    assert_int_equal(c.type, NC_NAT);
    assert_int_equal(c.len, 20);
}

TEST(constants_are_converted_where_they_fit)
{
    static const struct {
        const char *text;
        nc_type     to;
        gen_fit     fit;
    } cases[] = {
        {"1", NC_BYTE, GEN_FITS},           {"200", NC_BYTE, GEN_WRAPS},
        {"256", NC_BYTE, GEN_NO_FIT},       {"-1", NC_UBYTE, GEN_WRAPS},
        {"-129", NC_UBYTE, GEN_NO_FIT},     {"255", NC_UBYTE, GEN_FITS},
        {"1.9", NC_INT, GEN_FITS},          {"1e10", NC_INT, GEN_NO_FIT},
        {"-1.5", NC_UINT, GEN_NO_FIT},      {"-0.5", NC_UINT, GEN_FITS},
        {"1e300", NC_FLOAT, GEN_OVERFLOWS}, {"1e19", NC_INT64, GEN_NO_FIT},
        {"1e19", NC_UINT64, GEN_FITS},      {"5000000000", NC_INT64, GEN_FITS},
        {"3000000000", NC_INT, GEN_WRAPS},  {"18446744073709551615", NC_DOUBLE, GEN_FITS},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        gen_const   c = {.kind = GEN_NAME};
        gen_fit     fit;
        const char *why;
        uint64_t    out = 0;

        assert_true(gen_parse_number(cases[i].text, strlen(cases[i].text), &c, &fit, &why));
        assert_int_equal(gen_convert(&c, cases[i].to, &out), cases[i].fit);
    }
}

/* ncdump prints -0.0 as "-0". */
TEST(minus_zero)
{
    static const char *const texts[] = {"-0", "-0.", "-0.0", "-0e0"};

    for (size_t i = 0; i < GEN_LEN(texts); i++) {
        gen_const   c = {.kind = GEN_NAME};
        gen_fit     fit;
        const char *why;
        double      d = 1;
        float       f = 1;
        int         n = 1;

        assert_true(gen_parse_number(texts[i], strlen(texts[i]), &c, &fit, &why));
        assert_int_equal(gen_convert(&c, NC_DOUBLE, &d), GEN_FITS);
        assert_int_equal(gen_convert(&c, NC_FLOAT, &f), GEN_FITS);
        assert_int_equal(gen_convert(&c, NC_INT, &n), GEN_FITS);
        assert_true(d == 0 && signbit(d) && f == 0 && signbit(f) && n == 0);
    }
}

TEST(escapes_give_their_characters)
{
    static const struct {
        const char *text;
        char        value;
        size_t      used;
    } cases[] = {
        {"n", '\n', 1}, {"t", '\t', 1},   {"r", '\r', 1},  {"b", '\b', 1},     {"f", '\f', 1},
        {"v", '\v', 1}, {"a", '\a', 1},   {"\\", '\\', 1}, {"\"", '"', 1},     {"'", '\'', 1},
        {"?", 127, 1},  {"x41", 'A', 3},  {"x4g", 4, 2},   {"xg", 'x', 1},     {"101", 'A', 3},
        {"0", '\0', 1}, {"1019", 'A', 3}, {"q", 'q', 1},   {"377", '\377', 3},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        const char *after;

        assert_int_equal(gen_unescape(cases[i].text, cases[i].text + strlen(cases[i].text), &after), cases[i].value);
        assert_int_equal(after - cases[i].text, cases[i].used);
    }
}

TEST(names_lose_their_backslashes)
{
    heard    h;
    gen_cdl *cdl = read_cdl("netcdf we\\ ird one { variables: int \\3d, a\\#b, \xC3\xA9.@+-, \\nan ; }", &h);
    gen_var *v;

    assert_non_null(cdl);
    assert_string_equal(gen_name(cdl), "we ird one");
    v = cdl->root->vars;
    assert_string_equal(v->name, "3d");
    assert_string_equal(v->next->name, "a#b");
    assert_string_equal(v->next->next->name, "\xC3\xA9.@+-");
    assert_string_equal(v->next->next->next->name, "nan");
    gen_free(cdl);
}
