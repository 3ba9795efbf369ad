/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of this room share: parsing with usual options, and an allocator whose n-th allocation fails.
 */
#ifndef NCZ_TEST_JSON_HELP_H
#define NCZ_TEST_JSON_HELP_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/json.h"

static inline int
parse_n(const char *text, size_t len, ncz_json_mode mode, ncz_json **out, size_t *tail)
{
    ncz_json_opts opts = {.mode = mode, .depth = 128, .nbytes = (size_t)64 << 20, .name = "doc"};

    *out = NULL;
    return ncz_json_parse(text, len, &opts, out, tail);
}

static inline ncz_json *
parsed(const char *text, ncz_json_mode mode)
{
    ncz_json *v;

    assert_int_equal(parse_n(text, strlen(text), mode, &v, NULL), NC_NOERR);
    return v;
}

/* The n-th allocation from now fails, and only that one; 0 never. */
static size_t fail_at, alloc_count;

static inline bool
fails_now(void)
{
    return ++alloc_count == fail_at;
}

static inline void *
failing_get(size_t n)
{
    return fails_now() ? NULL : malloc(n);
}

static inline void *
failing_resize(void *p, size_t n)
{
    return fails_now() ? NULL : realloc(p, n);
}

static const ncz_alloc_table failing_table = {.get = failing_get, .resize = failing_resize, .put = free};

static inline void
fail_allocation(size_t n)
{
    fail_at = n;
    alloc_count = 0;
    ncz_alloc_use(n != 0 ? &failing_table : NULL);
}

#endif /* NCZ_TEST_JSON_HELP_H */
