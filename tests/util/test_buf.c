/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The growing buffer: contents, ceiling, failures that change nothing.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "util/util.h"

TEST(a_buffer_grows_as_it_is_written)
{
    ncz_buf b = NCZ_BUF_INIT;

    assert_string_equal(ncz_buf_str(&b), "");
    assert_int_equal(ncz_buf_append(&b, NULL, 0), NC_NOERR);
    assert_int_equal(ncz_buf_puts(&b, "one "), NC_NOERR);
    assert_int_equal(ncz_buf_putc(&b, '2'), NC_NOERR);
    assert_int_equal(ncz_buf_printf(&b, " %s %d", "three", 4), NC_NOERR);
    assert_string_equal(b.data, "one 2 three 4");
    assert_int_equal(b.len, 13);
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(ncz_buf_putc(&b, (char)i), NC_NOERR);
        assert_true(b.cap > b.len && b.data[b.len] == '\0');
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(b.data[13 + i], (char)i);
    ncz_buf_reset(&b);
    assert_int_equal(b.len, 0);
    assert_string_equal(ncz_buf_str(&b), "");
    assert_true(b.cap > 10000);
    ncz_buf_clear(&b);
    ncz_buf_clear(&b);
    assert_null(b.data);
}

TEST(taken_text_leaves_an_empty_buffer)
{
    ncz_buf b = NCZ_BUF_INIT;
    char   *s = ncz_buf_take(&b);

    assert_string_equal(s, "");
    ncz_free(s);
    ncz_buf_puts(&b, "mine");
    s = ncz_buf_take(&b);
    assert_string_equal(s, "mine");
    assert_true(b.data == NULL && b.len == 0 && b.cap == 0);
    ncz_free(s);
}

TEST(a_ceiling_is_kept)
{
    for (size_t limit = 1; limit < 200; limit++) {
        ncz_buf b = NCZ_BUF_LIMIT(limit);

        for (size_t i = 0; i < limit; i++)
            assert_int_equal(ncz_buf_putc(&b, 'x'), NC_NOERR);
        assert_true(b.cap <= limit + 1);
        assert_int_equal(ncz_buf_putc(&b, 'y'), NC_ENOMEM);
        assert_non_null(strstr(ncz_err_text(), "limit"));
        assert_int_equal(ncz_buf_printf(&b, "y"), NC_ENOMEM);
        assert_int_equal(ncz_buf_reserve(&b, 1), NC_ENOMEM);
        assert_int_equal(ncz_buf_reserve(&b, SIZE_MAX), NC_ENOMEM);
        assert_int_equal(ncz_buf_reserve(&b, 0), NC_NOERR);
        assert_int_equal(b.len, limit);
        assert_int_equal(strspn(b.data, "x"), limit);
        ncz_buf_clear(&b);
        assert_int_equal(b.limit, limit);
    }
}

TEST(reserved_room_is_there)
{
    ncz_buf b = NCZ_BUF_INIT;

    assert_int_equal(ncz_buf_reserve(&b, 1000), NC_NOERR);
    assert_true(b.cap >= 1001 && b.len == 0);
    assert_string_equal(b.data, "");
    assert_int_equal(ncz_buf_reserve(&b, SIZE_MAX), NC_ENOMEM);
    ncz_buf_puts(&b, "a");
    assert_int_equal(ncz_buf_reserve(&b, SIZE_MAX - 1), NC_ENOMEM);
    assert_string_equal(b.data, "a");
    ncz_buf_clear(&b);
}

TEST(a_failed_append_keeps_the_text)
{
    ncz_buf b = NCZ_BUF_INIT;

    fail_allocation(1);
    assert_int_equal(ncz_buf_puts(&b, "x"), NC_ENOMEM);
    fail_allocation(0);
    assert_null(b.data);
    ncz_buf_puts(&b, "kept");
    fail_allocation(1);
    assert_int_equal(ncz_buf_printf(&b, "%200d", 1), NC_ENOMEM);
    fail_allocation(0);
    assert_string_equal(b.data, "kept");
    ncz_buf_clear(&b);
    fail_allocation(1);
    assert_null(ncz_buf_take(&b));
    fail_allocation(0);
}
