/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers and their texts: exact words, round trips, correct rounding, and locales with another separator.
 */
#include "support/test.h"
#include "util/util.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

TEST(doubles_are_written_shortest)
{
    static const struct {
        double      v;
        const char *want;
    } rows[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-1.0, "-1.0"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.30000000000000004, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {100.0, "100.0"},
        {12.5, "12.5"},
        {123456789.0, "123456789.0"},
        {0.001234, "0.001234"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1e15, "1000000000000000.0"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1e300, "1e+300"},
        {1.5e-300, "1.5e-300"},
        {(double)9007199254740993.0, "9007199254740992.0"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {5e-324, "5e-324"},
        {7.120236347223045e-307, "7.120236347223045e-307"}, /* a power of two: 17 digits for the naive */
        {6.150157786156811e+259, "6.150157786156811e+259"},
        {9.9692099683868690e+36, "9.969209968386869e+36"},
        {(double)NAN, "NaN"},
        {-(double)NAN, "NaN"},
        {(double)INFINITY, "Infinity"},
        {-(double)INFINITY, "-Infinity"},
    };
    char text[NCZ_NUM_TEXT];

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        assert_int_equal(ncz_double_text(rows[i].v, text), strlen(rows[i].want));
        assert_string_equal(text, rows[i].want);
    }
}

TEST(floats_are_written_shortest)
{
    static const struct {
        float       v;
        const char *want;
    } rows[] = {
        {0.0f, "0.0"},
        {-0.0f, "-0.0"},
        {0.1f, "0.1"},
        {1.0f / 3.0f, "0.33333334"},
        {16777216.0f, "16777216.0"},
        {FLT_MAX, "3.4028235e+38"},
        {FLT_MIN, "1.1754944e-38"},
        {1e-45f, "1e-45"},
        {1e10f, "10000000000.0"},
        {9.9692099683868690e+36f, "9.96921e+36"},
        {-2.5f, "-2.5"},
        {INFINITY, "Infinity"},
        {NAN, "NaN"},
    };
    char text[NCZ_NUM_TEXT];

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        assert_int_equal(ncz_float_text(rows[i].v, text), strlen(rows[i].want));
        assert_string_equal(text, rows[i].want);
    }
}

TEST(numbers_are_read_exactly)
{
    static const struct {
        const char *text;
        double      want;
    } rows[] = {
        {"0", 0.0},
        {"-0", -0.0},
        {"+1", 1.0},
        {".5", 0.5},
        {"5.", 5.0},
        {"1e5", 1e5},
        {"1E+5", 1e5},
        {"1e-5", 1e-5},
        {"000123.4500", 123.45},
        {"0.000000000000000000000000000001", 1e-30},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.00000000000000000000000000000000001", 9007199254740994.0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"2.2250738585072012e-308", 2.2250738585072014e-308},
        {"4.9e-324", 5e-324},
        {"2.4703282292062327e-324", 0.0},
        {"2.4703282292062328e-324", 5e-324},
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623159e308", (double)INFINITY},
        {"-1e999", -(double)INFINITY},
        {"1e-999", 0.0},
        {"0e99999999999999999999", 0.0},
        {"1e99999999999999999999", (double)INFINITY},
        {"1e-99999999999999999999", 0.0},
        {"0.1", 0.1},
    };
    double v;

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        assert_true(ncz_text_double(rows[i].text, strlen(rows[i].text), &v));
        if (memcmp(&v, &rows[i].want, sizeof v) != 0)
            fail_msg("%s gives %.17g", rows[i].text, v);
    }
    assert_true(ncz_text_double("12345", 2, &v) && v == 12.0);
}

TEST(few_digits_take_one_operation)
{
    double v = 0;

    if (FLT_EVAL_METHOD != 0) { /* two operations round where a double has more precision than its type */
        assert_false(ncz_double_of_digits(125, -2, &v));
        return;
    }
    assert_true(ncz_double_of_digits(0, -3, &v) && v == 0.0);
    assert_true(ncz_double_of_digits(125, -2, &v) && v == 1.25);
    assert_true(ncz_double_of_digits(999999999999999, 22, &v) && v == 999999999999999e22);
    assert_true(ncz_double_of_digits(1, -22, &v) && v == 1e-22);
    assert_false(ncz_double_of_digits(1000000000000000, 0, &v));
    assert_false(ncz_double_of_digits(1, 23, &v));
    assert_false(ncz_double_of_digits(1, -23, &v));
}

TEST(no_numbers)
{
    static const char *const rows[] = {"",      "+",        "-",   ".",   "e5",   "1e", "1e+", "1e-",
                                       "1.5.2", "1,5",      "1 ",  " 1",  "0x10", "1f", "NaN", "nan",
                                       "inf",   "Infinity", "--1", "+-1", "1_0",  "e",  "-.",  "1e5.0"};
    double                   v = 42.0;

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (ncz_text_double(rows[i], strlen(rows[i]), &v))
            fail_msg("\"%s\" gives %g", rows[i], v);
    assert_false(ncz_text_double("1\0", 2, &v));
    assert_true(v == 42.0);
}

/* Digits far behind the ones that are kept still decide a tie. */
TEST(long_digits)
{
    enum { N = 5000 };
    char   text[N + 16];
    double v;

    /* 1 + 2^-53 lies half way between 1 and the next double. */
    memset(text, '0', sizeof text);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
    assert_true(ncz_text_double(text, N, &v) && v == 1.0);
    text[N - 1] = '1';
    assert_true(ncz_text_double(text, N, &v) && v == 1.0 + DBL_EPSILON);

    memset(text, '0', sizeof text);
    text[0] = '1';
    memcpy(text + N, "e-4999", 6);
    assert_true(ncz_text_double(text, N + 6, &v) && v == 1.0);
    memset(text, '0', sizeof text);
    text[1] = '.';
    text[N - 1] = '5';
    memcpy(text + N, "e4998", 5);
    assert_true(ncz_text_double(text, N + 5, &v) && v == 5.0);
    memset(text, '9', sizeof text);
    assert_true(ncz_text_double(text, N, &v) && isinf(v));
}

static uint64_t seed;

static uint64_t
rnd(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 32;
}

/* strtod() and strtof() are right in the C locale; so they judge. */
TEST(random_round_trips)
{
    char text[128];

    seed = 7;
    for (int i = 0; i < 60000; i++) {
        uint64_t bits = rnd() << 32 ^ rnd();
        uint32_t low = (uint32_t)rnd();
        double   d, back;
        float    f;
        size_t   len;

        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &low, sizeof f);
        if (isfinite(d)) {
            len = ncz_double_text(d, text);
            if (!ncz_text_double(text, len, &back) || back != d || strtod(text, NULL) != d)
                fail_msg("%a", d);
            snprintf(text, sizeof text, "%.*e", (int)(rnd() % 30), d);
            if (!ncz_text_double(text, strlen(text), &back) || back != strtod(text, NULL))
                fail_msg("%s", text);
        }
        if (isfinite(f)) {
            len = ncz_float_text(f, text);
            if (strtof(text, NULL) != f || (float)strtod(text, NULL) != f)
                fail_msg("%a", (double)f);
        }
        snprintf(text, sizeof text, "%d.%de%d", (int)(rnd() % 1000), (int)(rnd() % 100000000),
                 (int)(rnd() % 60) - 30);
        if (!ncz_text_double(text, strlen(text), &back) || back != strtod(text, NULL))
            fail_msg("%s", text);
    }
}

TEST(powers_of_two)
{
    char   text[NCZ_NUM_TEXT];
    double back;

    for (int e = -1074; e < 1024; e++) {
        double v = ldexp(1.0, e);
        size_t len = ncz_double_text(v, text);

        if (!ncz_text_double(text, len, &back) || back != v)
            fail_msg("2^%d: %s", e, text);
    }
    for (int e = -149; e < 128; e++) {
        float  v = ldexpf(1.0f, e);
        size_t len = ncz_float_text(v, text);

        if (!ncz_text_double(text, len, &back) || (float)back != v)
            fail_msg("2^%d: %s", e, text);
    }
}

/* Runs everything above once more where 1,5 is one and a half, if there is such a locale here. */
TEST(other_locales)
{
    static const char *const rows[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR", "ps_AF"};
    char                     text[16];
    bool                     found = false;

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        if (setlocale(LC_ALL, rows[i]) == NULL)
            continue;
        snprintf(text, sizeof text, "%.1f", 1.5);
        found = found || strcmp(text, "1.5") != 0;
        doubles_are_written_shortest(state);
        floats_are_written_shortest(state);
        numbers_are_read_exactly(state);
        no_numbers(state);
        long_digits(state);
        powers_of_two(state);
        setlocale(LC_ALL, "C");
    }
    if (!found)
        skip();
}
