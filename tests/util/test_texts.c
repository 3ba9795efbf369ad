/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts that are collected: each once, and not without end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "util/util.h"

static void
test_each_once(void **state)
{
    ncz_texts t = NCZ_TEXTS_INIT;
    char      text[32];

    (void)state;
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

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
