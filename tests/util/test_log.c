/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log: silent unless asked, whole lines, nothing that steers a terminal.
 */
#include "support/test.h"
#include "util/util.h"

#include <stdio.h>
#include <unistd.h>

/* What `level` and `text` leave on stderr. */
static size_t
logged(ncz_log_level set, ncz_log_level level, const char *text, char *out, size_t room)
{
    FILE  *file = tmpfile();
    int    saved = dup(STDERR_FILENO);
    size_t n;

    assert_true(file != NULL && saved >= 0);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    ncz_log_set(set);
    ncz_log(level, "%s", text);
    ncz_log_set(NCZ_LOG_OFF);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    n = fread(out, 1, room - 1, file);
    out[n] = '\0';
    fclose(file);
    return n;
}

TEST(each_level_shows_those_below_it)
{
    char out[4096];

    for (ncz_log_level set = NCZ_LOG_OFF; set <= NCZ_LOG_CHUNK; set++)
        for (ncz_log_level level = NCZ_LOG_OFF; level <= NCZ_LOG_CHUNK; level++)
            assert_int_equal(logged(set, level, "x", out, sizeof out) != 0, level > NCZ_LOG_OFF && level <= set);
    logged(NCZ_LOG_WARN, NCZ_LOG_WARN, "12 bytes behind the document", out, sizeof out);
    assert_string_equal(out, "nczarr: warning: 12 bytes behind the document\n");
    logged(NCZ_LOG_CHUNK, NCZ_LOG_ERROR, "", out, sizeof out);
    assert_string_equal(out, "nczarr: error: \n");
}

TEST(hostile_text)
{
    char out[4096], text[3000];

    logged(NCZ_LOG_REQUEST, NCZ_LOG_REQUEST, "a\nb\x1B[31m\x7F\xC3\xA9", out, sizeof out);
    assert_string_equal(out, "nczarr: request: a?b?[31m?\xC3\xA9\n");
    /* C1, as UTF-8 and as a byte alone; what only looks so stays. */
    logged(NCZ_LOG_REQUEST, NCZ_LOG_REQUEST,
           "a\xC2\x9B"
           "31m\xC2\x80\xC2\x9F\xC2\xA0\x9B\xE2\x82\x9B",
           out, sizeof out);
    assert_string_equal(out, "nczarr: request: a??31m????\xC2\xA0?\xE2\x82\x9B\n");
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA9", 3);
    assert_true(logged(NCZ_LOG_REQUEST, NCZ_LOG_REQUEST, text, out, sizeof out) < 1100);
    assert_true(ncz_utf8_valid(out, strlen(out)));
    assert_int_equal(out[strlen(out) - 1], '\n');
}

static void
check_masked(const char *text, const char *want)
{
    char out[4096], line[4096];

    logged(NCZ_LOG_ERROR, NCZ_LOG_ERROR, text, out, sizeof out);
    snprintf(line, sizeof line, "nczarr: error: %s\n", want);
    assert_string_equal(out, line);
}

TEST(secrets_of_urls)
{
    static const char *const rows[][2] = {
        {"https://h/a?sig=abcdef&x=1#mode=s3: no", "https://h/a?***#mode=s3: no"},
        {"https://h/a?s, 2", "https://h/a?** 2"},
        {"https://h/a? b", "https://h/a? b"},
        {"'https://me:pw@h:80/a?q' and http://u@i/b@c", "'https://***@h:80/a?*' and http://*@i/b@c"},
        {"https://a@b@c/d", "https://***@c/d"},
        {"s3://b/k#aws.secret_access_key=abc/+=&region=x", "s3://b/k#aws.secret_access_key=***&region=x"},
        {"AWS.SESSION_TOKEN=t", "AWS.SESSION_TOKEN=*"},
        {"what? x=1", "what? x=1"},
        {"Signature=\"\" X-Amz-Credential=a/b/c d", "Signature=\"\" X-Amz-Credential=*** d"},
        {"a://", "a://"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        check_masked(rows[i][0], rows[i][1]);
}

TEST(a_level_is_raised_and_never_lowered)
{
    ncz_log_set(NCZ_LOG_WARN);
    ncz_log_raise(NCZ_LOG_ERROR);
    assert_true(ncz_log_on(NCZ_LOG_WARN));
    ncz_log_raise(NCZ_LOG_INFO);
    assert_true(ncz_log_on(NCZ_LOG_INFO));
    assert_false(ncz_log_on(NCZ_LOG_CHUNK));
    ncz_log_set(NCZ_LOG_OFF);
    assert_false(ncz_log_on(NCZ_LOG_ERROR));
}
