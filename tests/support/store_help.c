/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/store_help.h"

void
put_text(zmap *m, const char *key, const char *text)
{
    int rc = zmap_put(m, key, text, strlen(text));

    if (rc != NC_NOERR)
        fail_msg("put %s: %d (%s)", key, rc, ncz_err_text());
}

void
expect_bytes(zmap *m, const char *key, const void *data, size_t len)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, key, &body);

    if (rc != NC_NOERR)
        fail_msg("get %s: %d (%s)", key, rc, ncz_err_text());
    assert_int_equal(body.len, len);
    assert_memory_equal(ncz_buf_str(&body), data, len);
    ncz_buf_clear(&body);
}

void
expect_text(zmap *m, const char *key, const char *text)
{
    expect_bytes(m, key, text, strlen(text));
}

void
expect_get(zmap *m, const char *key, int want_rc, const char *want)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, key, &body);

    if (rc != want_rc || strcmp(ncz_buf_str(&body), want) != 0)
        fail_msg("get %s: %d (%s), \"%s\"; wanted %d, \"%s\"", key, rc, ncz_err_text(), ncz_buf_str(&body), want_rc,
                 want);
    ncz_buf_clear(&body);
}

void
expect_absent(zmap *m, const char *key)
{
    expect_get(m, key, NC_EEMPTY, "");
}

int
note_child(const char *name, bool leaf, void *arg)
{
    return arg != NULL ? ncz_buf_printf(arg, "%s%s ", name, leaf ? "" : "/") : 0;
}

void
expect_list(zmap *m, const char *prefix, const char *want)
{
    ncz_buf seen = NCZ_BUF_INIT;

    assert_rc(zmap_list(m, prefix, note_child, &seen), NC_NOERR);
    assert_string_equal(ncz_buf_str(&seen), want);
    ncz_buf_clear(&seen);
}
