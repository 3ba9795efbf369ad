/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts that are collected: each once, and not without end.
 */
#include "support/test.h"

#include "util/util.h"

TEST(each_text_is_kept_once)
{
    ncz_texts t = NCZ_TEXTS_INIT;
    char      text[32];

    assert_int_equal(ncz_texts_add(&t, "one"), NC_NOERR);
    assert_int_equal(ncz_texts_add(&t, "two"), NC_NOERR);
    assert_int_equal(ncz_texts_add(&t, "one"), NC_NOERR);
    assert_int_equal(t.n, 2);
    assert_string_equal(t.v[0], "one");
    assert_string_equal(t.v[1], "two");
    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "text %d", i);
        assert_int_equal(ncz_texts_add(&t, text), NC_NOERR);
    }
    assert_int_equal(t.n, 101);
    assert_string_equal(t.v[100], "there are more of this kind");
    ncz_texts_clear(&t);
    ncz_texts_clear(&t);
    assert_int_equal(t.n, 0);
}
