/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UTF-8, NFC and netCDF's rules for names.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "util/util.h"

#define T(text) text, sizeof(text) - 1

TEST(utf8_is_told_from_other_bytes)
{
    static const struct {
        bool        valid;
        const char *s;
        size_t      len;
    } rows[] = {
        {true, T("")},
        {true, T("abc\0\x7F")},
        {true, T("\xC2\x80\xDF\xBF")},
        {true, T("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF")},
        {true, T("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF")},
        {false, T("\x80")},
        {false, T("\xBF")},
        {false, T("\xC0\x80")},
        {false, T("\xC1\xBF")},
        {false, T("\xC2")},
        {false, T("\xC2\xC2")},
        {false, T("\xE0\x9F\xBF")},
        {false, T("\xED\xA0\x80")},
        {false, T("\xE2\x82")},
        {false, T("\xE2\x82\x41")},
        {false, T("\xF0\x8F\xBF\xBF")},
        {false, T("\xF4\x90\x80\x80")},
        {false, T("\xF5\x80\x80\x80")},
        {false, T("\xF0\x9F\x98")},
        {false, T("\xFE")},
        {false, T("\xFF")},
        {false, T("ok\xE9")},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (ncz_utf8_valid(rows[i].s, rows[i].len) != rows[i].valid)
            fail_msg("row %zu", i);
}

TEST(code_points_become_utf8)
{
    static const struct {
        uint32_t    c;
        const char *text;
    } cases[] = {
        {0, ""},
        {'a', "a"},
        {0x7F, "\x7F"},
        {0x80, "\xC2\x80"},
        {0xFF, "\xC3\xBF"},
        {0x7FF, "\xDF\xBF"},
        {0x800, "\xE0\xA0\x80"},
        {0xFDD0, "\xEF\xB7\x90"},
        {0xFFFF, "\xEF\xBF\xBF"},
        {0x10000, "\xF0\x90\x80\x80"},
        {0x10FFFF, "\xF4\x8F\xBF\xBF"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char   out[4] = "";
        size_t want = cases[i].c == 0 ? 1 : strlen(cases[i].text);

        assert_int_equal(ncz_utf8_put(cases[i].c, out), want);
        assert_memory_equal(out, cases[i].text, want);
    }
}

TEST(texts_are_cut_between_characters)
{
    static const char   text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"; /* begins at 0 1 3 6 10, ends at 11 */
    static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

    for (size_t most = 0; most < NCZ_LEN(want); most++)
        assert_int_equal(ncz_utf8_cut(text, sizeof text - 1, most), want[most]);
    assert_int_equal(ncz_utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
    assert_int_equal(ncz_utf8_cut("", 0, 5), 0);
}

static const struct {
    int         code;
    const char *name, *want; /* want NULL: the same */
} names[] = {
    {NC_NOERR, "temperature", NULL},
    {NC_NOERR, "_x", NULL},
    {NC_NOERR, "1digit", NULL},
    {NC_NOERR, "with space", NULL},
    {NC_NOERR, "a.b+c@d:e%41\"'\\()[]{}~!$#*<>=?|^`", NULL},
    {NC_NOERR, "_scalar_", NULL},
    {NC_NOERR, "\xC3\xA9t\xC3\xA9", NULL},
    {NC_NOERR, "\xE6\xB8\xA9\xE5\xBA\xA6", NULL},
    {NC_EBADNAME, "", NULL},
    {NC_EBADNAME, NULL, NULL},
    {NC_EBADNAME, ".", NULL},
    {NC_EBADNAME, "..", NULL},
    {NC_EBADNAME, ".zgroup", NULL},
    {NC_EBADNAME, " lead", NULL},
    {NC_EBADNAME, "trail ", NULL},
    {NC_EBADNAME, "a/b", NULL},
    {NC_EBADNAME, "/", NULL},
    {NC_EBADNAME, "-a", NULL},
    {NC_EBADNAME, "a\nb", NULL},
    {NC_EBADNAME, "a\x7F", NULL},
    {NC_EBADNAME, "a\x1F", NULL},
    {NC_EBADNAME, "\xE9t\xE9", NULL},
    {NC_EBADNAME, "a\xC0\xAF", NULL},
};

TEST(names_follow_netcdfs_rules)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        char *out = NULL;
        int   rc = ncz_name_check(names[i].name, &out);

        if (rc != names[i].code)
            fail_msg("\"%s\": %d", names[i].name, rc);
        assert_int_equal(out != NULL, rc == NC_NOERR);
        if (out != NULL)
            assert_string_equal(out, names[i].name);
        ncz_free(out);
    }
}

TEST(long_names_are_refused)
{
    char name[1100], *out = NULL;

    memset(name, 'n', sizeof name);
    name[NC_MAX_NAME] = '\0';
    assert_int_equal(ncz_name_check(name, &out), NC_NOERR);
    ncz_free(out);
    name[NC_MAX_NAME] = 'n';
    name[NC_MAX_NAME + 1] = '\0';
    assert_int_equal(ncz_name_check(name, &out), NC_EMAXNAME);
    name[NC_MAX_NAME + 1] = 'n';
    name[sizeof name - 1] = '\0';
    assert_int_equal(ncz_name_check(name, &out), NC_EMAXNAME);
}

/* With utf8proc; without it the name stays as it is. */
static bool
normalises(void)
{
    char *out = NULL;
    bool  does;

    assert_int_equal(ncz_nfc("e\xCC\x81", &out), NC_NOERR);
    does = strcmp(out, "\xC3\xA9") == 0;
    if (!does)
        assert_string_equal(out, "e\xCC\x81");
    ncz_free(out);
    return does;
}

TEST(names_are_normalized)
{
    static const char *const rows[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"e\xCC\x81", "\xC3\xA9"},
        {"\xC3\xA9", "\xC3\xA9"},
        {"\xE2\x84\xAB", "\xC3\x85"},                             /* Angstrom sign */
        {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "\xED\x95\x9C"}, /* Hangul */
        {"\xEF\xAC\x81", "\xEF\xAC\x81"},                         /* the fi ligature is compatibility only */
        {"a\xCC\xA3\xCC\x81", "\xE1\xBA\xA1\xCC\x81"},
    };
    char *out;

    assert_int_equal(ncz_nfc("\xFF", &out), NC_EBADNAME);
    if (!normalises())
        skip();
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        assert_int_equal(ncz_nfc(rows[i][0], &out), NC_NOERR);
        assert_string_equal(out, rows[i][1]);
        ncz_free(out);
    }
}

/* What normalising makes of a name is judged, not what it was. */
TEST(rules_of_the_normal_form)
{
    char grows[NC_MAX_NAME + 1] = "", *out = NULL;

    if (!normalises())
        skip();
    assert_int_equal(ncz_name_check("\xCD\xBE", &out), NC_EBADNAME);      /* U+037E becomes ';' */
    assert_int_equal(ncz_name_check("\xE1\xBF\xAFx", &out), NC_EBADNAME); /* U+1FEF becomes '`' */
    assert_int_equal(ncz_name_check("x\xCD\xBE", &out), NC_NOERR);
    assert_string_equal(out, "x;");
    ncz_free(out);
    for (size_t i = 0; i + 4 <= NC_MAX_NAME; i += 4)
        memcpy(grows + i, "\xF0\x9D\x85\xA0", 4); /* U+1D160, three characters when normalised */
    assert_int_equal(ncz_name_check(grows, &out), NC_EMAXNAME);
}

TEST(out_of_memory)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        char *out = NULL;

        fail_allocation(n);
        rc = ncz_name_check("e\xCC\x81t", &out);
        fail_allocation(0);
        assert_int_equal(out == NULL, rc == NC_ENOMEM);
        ncz_free(out);
        assert_true(n < 10);
    }
    fail_allocation(1);
    assert_int_equal(ncz_nfc("ascii", &(char *){NULL}), NC_ENOMEM);
    fail_allocation(0);
}
