/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

static void
out_is(const ncz_dtype *t, const void *stored, const char *want)
{
    char *s = (char *)"untouched";

    assert_int_equal(ncz_convert_out(t, stored, ncz_type_of(NC_STRING), &s, 1, false), NC_NOERR);
    assert_non_null(s);
    assert_string_equal(s, want);
    ncz_free(s);
}

static void
in_is(const ncz_dtype *t, const char *s, const void *want)
{
    char got[64];

    memset(got, 0x55, sizeof got);
    assert_int_equal(ncz_convert_in(ncz_type_of(NC_STRING), &s, t, got, 1, false), NC_NOERR);
    assert_memory_equal(got, want, t->size);
    assert_int_equal(got[t->size], 0x55);
}

TEST(byte_strings_are_padded_and_cut)
{
    const ncz_dtype s4 = {NCZ_KIND_BYTES, false, 4}, s0 = {NCZ_KIND_BYTES, false, 0};

    out_is(&s4, "ab\0\0", "ab");
    out_is(&s4, "abcd", "abcd");
    out_is(&s4, "\0\0\0\0", ""); /* never NULL: programs look into what they read */
    out_is(&s4, "\xff\xfe\0\0", "\xff\xfe");
    out_is(&s0, "", "");
    in_is(&s4, "ab", "ab\0\0");
    in_is(&s4, "abcdef", "abcd");
    in_is(&s4, NULL, "\0\0\0\0");
    in_is(&s4, "abc\xc3\xa9", "abc\0"); /* never half a character */
    in_is(&s4, "ab\xc3\xa9", "ab\xc3\xa9");
    in_is(&s0, "abc", "");
}

TEST(embedded_nul_is_kept)
{
    const ncz_dtype s4 = {NCZ_KIND_BYTES, false, 4};
    char           *s = NULL;

    assert_int_equal(ncz_convert_out(&s4, "a\0b\0", ncz_type_of(NC_STRING), &s, 1, false), NC_NOERR);
    assert_memory_equal(s, "a\0b", 4);
    ncz_free(s);
}

TEST(ucs4_strings_become_utf8_and_back)
{
    const ncz_dtype le = {NCZ_KIND_UCS4, false, 16}, be = {NCZ_KIND_UCS4, true, 16};
    const char      text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"; /* 1, 2, 3 and 4 bytes */
    const char      in_le[] = "a\0\0\0\xe9\0\0\0\xac\x20\0\0\0\xf6\x01\0";
    const char      in_be[] = "\0\0\0a\0\0\0\xe9\0\0\x20\xac\0\x01\xf6\0";

    out_is(&le, in_le, text);
    out_is(&be, in_be, text);
    in_is(&le, text, in_le);
    in_is(&be, text, in_be);
    in_is(&le, "ab", "a\0\0\0b\0\0\0\0\0\0\0\0\0\0\0");
    in_is(&le, "abcdef", "a\0\0\0b\0\0\0c\0\0\0d\0\0\0");
    in_is(&le, NULL, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    out_is(&le, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "");
}

TEST(ucs4_that_is_none)
{
    const ncz_dtype le = {NCZ_KIND_UCS4, false, 8};

    out_is(&le, "\0\0\x11\0b\0\0\0",
           "\xef\xbf\xbd"
           "b");                                                           /* above 10FFFF */
    out_is(&le, "\0\xd8\0\0\xff\xff\xff\xff", "\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    in_is(&le,
          "\xff"
          "a",
          "\xfd\xff\0\0a\0\0\0");
    in_is(&le, "\xe2\x82", "\xfd\xff\0\0\xfd\xff\0\0"); /* cut off */
    in_is(&le, "\xed\xa0\x80", "\xfd\xff\0\0\xfd\xff\0\0");
}

TEST(sizes_that_are_no_multiple)
{
    const ncz_dtype odd = {NCZ_KIND_UCS4, false, 7};

    out_is(&odd, "a\0\0\0bcd", "a");
    in_is(&odd, "xy", "x\0\0\0\0\0\0");
}

TEST(strings_are_converted_one_by_one)
{
    const ncz_dtype s2 = {NCZ_KIND_BYTES, false, 2};
    char           *s[3] = {NULL};
    char            back[6];

    assert_int_equal(ncz_convert_out(&s2, "aabbcc", ncz_type_of(NC_STRING), s, 3, false), NC_NOERR);
    assert_string_equal(s[0], "aa");
    assert_string_equal(s[2], "cc");
    assert_int_equal(ncz_convert_in(ncz_type_of(NC_STRING), s, &s2, back, 3, false), NC_NOERR);
    assert_memory_equal(back, "aabbcc", 6);
    for (int i = 0; i < 3; i++)
        ncz_free(s[i]);
}

TEST(out_of_memory)
{
    const ncz_dtype s2 = {NCZ_KIND_BYTES, false, 2}, u2 = {NCZ_KIND_UCS4, false, 8};
    const char      ucs[] = "a\0\0\0b\0\0\0c\0\0\0d\0\0\0";

    for (size_t at = 1; at <= 4; at++) {
        char *s[3] = {NULL};

        fail_allocation(at);
        if (ncz_convert_out(&s2, "aabbcc", ncz_type_of(NC_STRING), s, 3, false) == NC_NOERR) {
            assert_false(end_failing());
            assert_int_equal(at, 4);
        } else {
            assert_true(end_failing());
            assert_null(s[0]);
            assert_null(s[1]);
        }
        for (int i = 0; i < 3; i++)
            ncz_free(s[i]);
    }
    {
        char *s[2] = {NULL};

        fail_allocation(2);
        assert_int_equal(ncz_convert_out(&u2, ucs, ncz_type_of(NC_STRING), s, 2, false), NC_ENOMEM);
        assert_true(end_failing());
        assert_null(s[0]);
    }
}
