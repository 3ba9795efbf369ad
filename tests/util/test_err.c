/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The error record: text, codes, threads.
 */
#include "support/test.h"
#include "util/util.h"

#include <errno.h>
#include <pthread.h>

TEST(an_error_keeps_its_text)
{
    ncz_err_clear();
    assert_string_equal(ncz_err_text(), "");
    assert_int_equal(ncz_fail(NC_EZARRMETA, "%s: %d bytes", "x/.zarray", 7), NC_EZARRMETA);
    assert_string_equal(ncz_err_text(), "x/.zarray: 7 bytes");
    assert_int_equal(ncz_fail(NC_EIO, "again: %s", ncz_err_text()), NC_EIO);
    assert_string_equal(ncz_err_text(), "again: x/.zarray: 7 bytes");
    assert_int_equal(ncz_fail_nomem(123), NC_ENOMEM);
    assert_string_equal(ncz_err_text(), "out of memory (123 bytes)");
    ncz_err_clear();
    assert_string_equal(ncz_err_text(), "");
}

/* Cut between characters, whatever the length in front. */
TEST(long_texts)
{
    char text[2000];

    for (size_t front = 0; front < 4; front++) {
        memset(text, 'x', front);
        for (size_t i = front; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xE2\x82\xAC", 4);
        ncz_fail(NC_EIO, "%s", text);
        assert_true(strlen(ncz_err_text()) > NCZ_ERR_TEXT - 5);
        assert_true(ncz_utf8_valid(ncz_err_text(), strlen(ncz_err_text())));
    }
}

TEST(system_errors)
{
    static const int rows[][2] = {
        {ENOMEM, NC_ENOMEM},          {EACCES, NC_EACCESS}, {EPERM, NC_EACCESS}, {EIO, NC_EIO},  {EMFILE, NC_ENFILE},
        {ENFILE, NC_ENFILE},          {ENOSPC, ENOSPC},     {EDQUOT, EDQUOT},    {EROFS, EROFS}, {ENOENT, ENOENT},
        {ENAMETOOLONG, ENAMETOOLONG}, {0, NC_EIO},          {-5, NC_EIO},
    };
    char text[2000];

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        assert_int_equal(ncz_fail_errno(rows[i][0], "write %s", "k"), rows[i][1]);
        assert_int_equal(strncmp(ncz_err_text(), "write k: ", 9), 0);
        assert_true(strlen(ncz_err_text()) > 9);
    }
    ncz_fail_errno(ENOSPC, "x");
    assert_string_equal(ncz_err_text(), "x: No space left on device");

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ncz_fail_errno(ENOSPC, "%s", text);
    assert_non_null(strstr(ncz_err_text(), "aaa: No space left on device"));
    assert_int_equal(strlen(ncz_err_text()), NCZ_ERR_TEXT - 1);
}

static void *
other_thread(void *arg)
{
    ncz_err *e = arg;

    if (ncz_err_text()[0] == '\0')
        ncz_err_save(e, ncz_fail(NC_EFILTER, "of the other"));
    return NULL;
}

TEST(each_thread_has_its_own_error)
{
    ncz_err   e = {0, ""};
    pthread_t t;

    ncz_fail(NC_EIO, "mine");
    assert_int_equal(pthread_create(&t, NULL, other_thread, &e), 0);
    pthread_join(t, NULL);
    assert_string_equal(ncz_err_text(), "mine");
    assert_int_equal(ncz_err_adopt(&e), NC_EFILTER);
    assert_string_equal(ncz_err_text(), "of the other");
}

/* A document's line breaks and escapes do not reach a terminal. */
TEST(one_line)
{
    ncz_fail(NC_EIO, "a\n    b\tc\x1b[31m \x7f d");
    assert_string_equal(ncz_err_text(), "a b c [31m d");
}
