/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/test.h"

#include "util/util.h"

static ncz_line
span_of(const char *s)
{
    return (ncz_line){s, strlen(s)};
}

static void
check_span(ncz_line t, const char *want)
{
    assert_int_equal(t.len, strlen(want));
    assert_memory_equal(t.s, want, t.len);
}

TEST(blanks_are_trimmed_at_both_ends)
{
    check_span(ncz_line_trim(span_of(" \ta b\t ")), "a b");
    check_span(ncz_line_trim(span_of("ab")), "ab");
    check_span(ncz_line_trim(span_of(" \t ")), "");
    check_span(ncz_line_trim(span_of("")), "");
    check_span(ncz_line_trim(span_of("\ra\r")), "\ra\r");
}

TEST(lines_end_with_either_kind_of_newline)
{
    ncz_line rest = span_of("one\ntwo\r\n\n\r\n  last"), line;

    for (size_t i = 0; i < 5; i++) {
        static const char *const want[] = {"one", "two", "", "", "  last"};

        assert_true(ncz_line_next(&rest, &line));
        check_span(line, want[i]);
    }
    assert_false(ncz_line_next(&rest, &line));
    rest = span_of("");
    assert_false(ncz_line_next(&rest, &line));
}

TEST(a_newline_at_the_end_begins_no_line)
{
    ncz_line rest = span_of("a\n"), line;

    assert_true(ncz_line_next(&rest, &line));
    check_span(line, "a");
    assert_false(ncz_line_next(&rest, &line));
}
