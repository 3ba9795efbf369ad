/* SPDX-License-Identifier: BSD-3-Clause */
/* nczdump's formatting: names, strings, numbers of every type in CDL and JSON, dump_fill values, dates. */
#include "support/test.h"

#include "dump/dump_int.h"

#include <float.h>
#include <math.h>

static const dump_number_format plain = {.float_digits = 7, .double_digits = 15};

static void
same(text_buf *t, const char *want)
{
    assert_string_equal(t->s, want);
    text_clear(t);
}

TEST(names_are_escaped)
{
    static const struct {
        const char *name, *cdl;
    } cases[] = {
        {"plain_1.x@+-", "plain_1.x@+-"},
        {"3d", "\\3d"},
        {"we ird", "we\\ ird"},
        {"a%b", "a\\%b"},
        {"a\\b", "a\\\\b"},
        {"a/b", "a/b"},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
        {"{|}~^`", "\\{\\|\\}\\~\\^\\`"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_buf t = TEXT_BUF_INIT;

        text_add_name(&t, cases[i].name);
        same(&t, cases[i].cdl);
    }
}

TEST(strings_are_escaped)
{
    static const char all[] = "a\001\b\t\n\v\f\r\"'\\\177\xc3\xa9";
    text_buf          t = TEXT_BUF_INIT;

    text_add_cdl(&t, all, sizeof all - 1, false);
    same(&t, "a\\001\\b\\t\\n\\v\\f\\r\\\"\\'\\\\\\177\xc3\xa9");
    text_add_cdl(&t, all, sizeof all - 1, true);
    same(&t, "a\\001\\b\\t\\n\\v\\f\\r\\\"\\'\\\\\\177\\303\\251");
    text_add_json(&t, all, sizeof all - 1);
    same(&t, "\"a\\u0001\\b\\t\\n\\u000B\\f\\r\\\"'\\\\\\u007F\xc3\xa9\"");
    text_add_json(&t, "a\0b", 3);
    same(&t, "\"a\\u0000b\"");
    text_add_json(&t, "Hi\xe9", 3);
    same(&t, "[72, 105, 233]");
    text_add_xml(&t, "a<b>&\"'\n\001\xff", 10);
    same(&t, "a&lt;b&gt;&amp;&quot;'&#xA;\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(utf8_is_told_from_other_bytes)
{
    static const char *const bad[] = {
        "\x80", "\xc0\x80", "\xc3", "\xed\xa0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff"};

    assert_true(text_is_utf8("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(text_is_utf8(bad[i], strlen(bad[i])));
}

#define CHECK(type, ctype, value, data, attribute, json)                                                             \
    do {                                                                                                             \
        ctype    x_ = value;                                                                                         \
        text_buf t_ = TEXT_BUF_INIT;                                                                                 \
        dump_value_cdl(&t_, &plain, type, &x_);                                                                      \
        same(&t_, data);                                                                                             \
        dump_value_att(&t_, &plain, type, &x_);                                                                      \
        same(&t_, attribute);                                                                                        \
        dump_value_json(&t_, type, &x_);                                                                             \
        same(&t_, json);                                                                                             \
    } while (0)

TEST(integers_have_their_suffixes)
{
    CHECK(NC_BYTE, signed char, -128, "-128", "-128b", "-128");
    CHECK(NC_UBYTE, unsigned char, 255, "255", "255UB", "255");
    CHECK(NC_SHORT, short, -32768, "-32768", "-32768s", "-32768");
    CHECK(NC_USHORT, unsigned short, 65535, "65535", "65535US", "65535");
    CHECK(NC_INT, int, INT32_MIN, "-2147483648", "-2147483648", "-2147483648");
    CHECK(NC_UINT, unsigned, UINT32_MAX, "4294967295", "4294967295U", "4294967295");
    CHECK(NC_INT64, long long, INT64_MIN, "-9223372036854775808", "-9223372036854775808LL", "-9223372036854775808");
    CHECK(NC_UINT64, unsigned long long, UINT64_MAX, "18446744073709551615", "18446744073709551615ULL",
          "18446744073709551615");
}

TEST(reals_have_enough_digits)
{
    CHECK(NC_FLOAT, float, 1, "1", "1.f", "1");
    CHECK(NC_FLOAT, float, 0.1f, "0.1", "0.1f", "0.1");
    CHECK(NC_FLOAT, float, 16777216, "1.677722e+07", "1.677722e+07f", "16777216");
    CHECK(NC_FLOAT, float, FLT_MAX, "3.402823e+38", "3.402823e+38f", "3.4028235e+38");
    CHECK(NC_FLOAT, float, NAN, "NaNf", "NaNf", "\"NaN\"");
    CHECK(NC_FLOAT, float, -INFINITY, "-Infinityf", "-Infinityf", "\"-Infinity\"");
    CHECK(NC_DOUBLE, double, 100, "100", "100.", "100");
    CHECK(NC_DOUBLE, double, -0., "-0", "-0.", "-0.0");
    CHECK(NC_FLOAT, float, -0.f, "-0", "-0.f", "-0.0");
    CHECK(NC_DOUBLE, double, 0., "0", "0.", "0");
    CHECK(NC_DOUBLE, double, 1e-5, "1e-05", "1.e-05", "1e-05");
    CHECK(NC_DOUBLE, double, 1. / 3, "0.333333333333333", "0.333333333333333", "0.3333333333333333");
    CHECK(NC_DOUBLE, double, 1e300, "1e+300", "1.e+300", "1e+300");
    CHECK(NC_DOUBLE, double, 123456789012., "123456789012", "123456789012.", "123456789012");
    CHECK(NC_DOUBLE, double, INFINITY, "Infinity", "Infinity", "\"Infinity\"");
}

TEST(text_values)
{
    CHECK(NC_STRING, const char *, NULL, "NIL", "NIL", "null");
    CHECK(NC_STRING, const char *, "a\"\n", "\"a\\\"\\n\"", "\"a\\\"\\n\"", "\"a\\\"\\n\"");
    CHECK(NC_STRING, const char *, "", "\"\"", "\"\"", "\"\"");
}

TEST(fill_values_are_recognised)
{
    double      fill = NC_FILL_DOUBLE;
    dump_fill   f = {.has = true, .type = NC_DOUBLE, .standard = &fill};
    double      x = fill, y = nextafter(x, 0), z = x * (1 + 8 * DBL_EPSILON);
    const char *empty = "", *null = NULL;

    assert_true(dump_fill_matches(&f, &x));
    assert_true(dump_fill_matches(&f, &y));
    assert_false(dump_fill_matches(&f, &z));
    fill = NAN;
    assert_false(dump_fill_matches(&f, &x));
    x = NAN;
    assert_true(dump_fill_matches(&f, &x));
    fill = INFINITY;
    x = 1, y = INFINITY, z = -INFINITY;
    assert_false(dump_fill_matches(&f, &x));
    assert_true(dump_fill_matches(&f, &y));
    assert_false(dump_fill_matches(&f, &z));
    fill = 1;
    assert_false(dump_fill_matches(&f, &y));
    f = (dump_fill){.has = true, .type = NC_STRING, .standard = &empty};
    assert_true(dump_fill_matches(&f, &empty));
    assert_false(dump_fill_matches(&f, &null));
    f.has = false;
    assert_false(dump_fill_matches(&f, &empty));
}

TEST(times_are_printed_in_their_calendar)
{
    static const struct {
        const char *units, *calendar;
        double      value;
        const char *want; /* NULL: no time */
    } cases[] = {
        {"days since 2000-01-01", NULL, 59, "\"2000-02-29\""},
        {"days since 2000-01-01", "noleap", 59, "\"2000-03-01\""},
        {"days since 2001-01-01", "all_leap", 59, "\"2001-02-29\""},
        {"days since 2000-01-01", "360_day", 59, "\"2000-02-30\""},
        {"days since 2000-01-01", "360_day", -1, "\"1999-12-30\""},
        {"days since 1900-02-28", "julian", 1, "\"1900-02-29\""},
        {"days since 1582-10-04", "standard", 1, "\"1582-10-15\""},
        {"days since 1582-10-15", "gregorian", -1, "\"1582-10-04\""},
        {"days since 1582-10-04", "proleptic_gregorian", 1, "\"1582-10-05\""},
        {"hours since 0001-01-01", NULL, 300000, "\"0035-03-24\""},
        {"days since 0000-01-01", NULL, -1, "\"-0001-12-31\""},
        {"seconds since 1970-01-01T00:00:00Z", NULL, 3000000000., "\"2065-01-24 05:20\""},
        {"seconds since 2000-01-01", NULL, 0.25, "\"2000-01-01 00:00:00.250000\""},
        {"minutes since 2000-1-1 12:30", NULL, -0.5, "\"2000-01-01 12:29:30\""},
        {"days since 1999-12-31 23:59:59.5", NULL, 300000, "\"2821-05-15 23:59:59.500000\""},
        {"days since 2000-01-01", NULL, 0.9999999999999, "\"2000-01-02\""},
        {"days since 1970-01-01 00:00 +2:00", NULL, 1, "\"1970-01-01 22\""},
        {"days since 1970-01-01 00:00 -0530", NULL, 0, "\"1970-01-01 05:30\""},
        {"months since 2000-01-31", NULL, 0, "\"2000-01-31\""},
        {"months since 2000-01-31 12:00", NULL, 13, "\"2001-02-28 12\""},
        {"months since 2000-01-31 12:00", NULL, 13.75, "\"2001-03-23 18\""},
        {"months since 2000-01-31", NULL, -1, "\"1999-12-31\""},
        {"months since 2000-01-15", NULL, -0.5, "\"1999-12-30 12\""},
        {"months since 2055-01-15", "360_day", 1, "\"2055-02-15\""},
        {"months since 2055-01-15", "360_day", 1.5, "\"2055-02-30\""},
        {"months since 1961-01-01", "360_day", 76.5, "\"1967-05-16\""},
        {"months since 1582-09-15", NULL, 1, "\"1582-10-15\""},
        {"years since 2000-02-29", NULL, 1.5, "\"2001-08-29\""},
        {"years since 2000-02-29 06:00", NULL, 1, "\"2001-02-28 06\""},
        {"years since 2000-02-29", NULL, -4, "\"1996-02-29\""},
        {"common_years since 2000-02-28", "noleap", 1.5, "\"2001-08-29 12\""},
        {"seasons since 2000-01-15", NULL, 1, "\"2000-04-15\""},
        {"weeks since 2000", NULL, 1, "\"2000-01-08\""},
        {"milliseconds since 2000-01-01", NULL, 1500, "\"2000-01-01 00:00:01.500000\""},
        {"milliseconds since 2000-01-01", NULL, 0.0015, "\"2000-01-01 00:00:00.000001500\""},
        {"microseconds since 2000-01-01", NULL, 1500001, "\"2000-01-01 00:00:01.500001\""},
        {"microseconds since 2000-01-01", NULL, 1.5, "\"2000-01-01 00:00:00.000001500\""},
        {"\u00b5s since 2000-01-01", NULL, -1, "\"1999-12-31 23:59:59.999999\""},
        {"nanoseconds since 1970-01-01", NULL, 1672617600000000000., "\"2023-01-02\""},
        {"nanoseconds since 2023-01-02", NULL, 1, "\"2023-01-02 00:00:00.000000001\""},
        {"ns since 2023-01-02", NULL, -1, "\"2023-01-01 23:59:59.999999999\""},
        {"picoseconds since 2023-01-02", NULL, 86400e12, "\"2023-01-03\""},
        {"10 seconds since 1970-01-01", NULL, 8641, "\"1970-01-02 00:00:10\""},
        {"2147483647 seconds since 1970-01-01", NULL, 1, "\"2038-01-19 03:14:07\""},
        {"25 months since 1970-01-01", NULL, 2, "\"1974-03-01\""},
        {"100 nanoseconds since 1601-01-01", NULL, 133170912000000016., "\"2023-01-02 00:00:00.000001600\""},
        {"seconds since 10-JUN-1996 04:03:36", NULL, 1, NULL},
        {"seconds since 10-06-1996", NULL, 1, NULL},
        {"days since 2000-01-01x", NULL, 1, NULL},
        {"0 seconds since 1970-01-01", NULL, 1, NULL},
        {"2147483648 seconds since 1970-01-01", NULL, 1, NULL},
        {"10seconds since 1970-01-01", NULL, 1, NULL},
        {"days since 2000-01-01", NULL, NAN, NULL},
        {"days since 2000-01-01", NULL, 1e30, NULL},
        {"days since 2000-13-01", NULL, 1, NULL},
        {"days since 99999999999999999999-01-01", NULL, 1, NULL},
        {"day as %Y%m%d.%f", NULL, 1, NULL},
        {"furlongs since 2000-01-01", NULL, 1, NULL},
        {"days since", NULL, 1, NULL},
        {"days since 2000-01-01", "none", 1, NULL},
        {"", NULL, 1, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cf_timebase tb;
        text_buf    t = TEXT_BUF_INIT;
        bool        ok = ncz_cf_timebase_parse(cases[i].units, cases[i].calendar, &tb) &&
                  dump_timebase_text(&tb, cases[i].value, &t);

        if (ok != (cases[i].want != NULL) || (ok && strcmp(t.s, cases[i].want) != 0))
            fail_msg("%g %s: %s", cases[i].value, cases[i].units, ok ? t.s : "no time");
        text_clear(&t);
    }
}

/* Each day is the day after the one before it, in every calendar. */
TEST(each_day_follows_the_one_before)
{
    static const char *const cal[] = {"standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"};

    for (size_t c = 0; c < sizeof cal / sizeof *cal; c++) {
        cf_timebase tb, again;
        text_buf    t = TEXT_BUF_INIT, units = TEXT_BUF_INIT, back = TEXT_BUF_INIT;

        assert_true(ncz_cf_timebase_parse("days since 0000-03-01", cal[c], &tb));
        assert_false(ncz_cf_timebase_parse("days since 0000-03-01 00:00:1e120", cal[c], &again));
        assert_false(ncz_cf_timebase_parse("days since 0000-03-01 00:00:00 +0:0:1e300", cal[c], &again));
        for (int day = -1500; day < 600000; day += day % 7 == 0 ? 1 : 29) {
            text_reset(&t);
            text_reset(&units);
            text_reset(&back);
            assert_true(dump_timebase_text(&tb, day, &t));
            text_addf(&units, "days since %.*s", (int)t.len - 2, t.s + 1);
            assert_true(ncz_cf_timebase_parse(units.s, cal[c], &again));
            assert_true(dump_timebase_text(&again, 0, &back));
            assert_string_equal(back.s, t.s);
            assert_true(again.day - tb.day == day);
        }
        text_clear(&t);
        text_clear(&units);
        text_clear(&back);
    }
}

TEST(json_documents)
{
    static const char *const good[] = {"[]", " {\"a\": [1, -2.5e3, true, null, \"\\u00e9\\n\"]} ", "0", "\"\""};
    static const char *const bad[] = {"",        "[",     "{\"a\"}", "[1,]", "01",      "nul",
                                      "\"\\x\"", "[] []", "{a: 1}",  "-",    "\"\xff\""};
    text_buf                 deep = TEXT_BUF_INIT;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(dump_json_is_valid(good[i], false));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(dump_json_is_valid(bad[i], false));
    for (int i = 0; i < 100000; i++)
        text_addc(&deep, '[');
    assert_false(dump_json_is_valid(deep.s, false));
    assert_true(dump_json_is_valid("{\"a\": [NaN, -Infinity, Infinity, -1]}", true)); /* as Python writes them */
    assert_false(dump_json_is_valid("[-NaN]", true));
    text_clear(&deep);
}

TEST(default_names)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        {"data.zarr", "data"},
        {"/a.b/data.x.zip", "data.x"},
        {"dir/data/", "data"},
        {"noext", "noext"},
        {".zarr", ".zarr"},
        {"file:///x/y.zarr#mode=nczarr,file", "y"},
        {"s3://b/k/y.z/", "y"},
        {"a.zarr#mode=zarr", "a"},
        {"https://h/p/q.zip?x=/y#mode=s3", "q"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = dump_default_name(cases[i].path);

        assert_string_equal(name, cases[i].name);
        free(name);
    }
}

TEST(name_lists)
{
    static const char *const empty[] = {"", ",", "f,", ",f", "f,,g"};
    char                     why[HYPERSLAB_WHY_SIZE];
    hyperslab_limits         limits = {.n = 0};
    name_list                list = {.n = 0};

    assert_true(name_list_add_all(&list, "a,/g/b,c\\,d"));
    assert_true(dump_names_add_with_subscripts(&list, &limits, "e", why));
    assert_int_equal(list.n, 4);
    assert_string_equal(list.name[1], "/g/b");
    assert_string_equal(list.name[2], "c,d");
    assert_string_equal(list.name[3], "e");
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_false(name_list_add_all(&list, empty[i]));
        assert_false(dump_names_add_with_subscripts(&list, &limits, empty[i], why));
        assert_non_null(strstr(why, "an empty name"));
    }
    assert_int_equal(limits.n, 0);
    name_list_clear(&list);
    assert_int_equal(list.n, 0);
}
