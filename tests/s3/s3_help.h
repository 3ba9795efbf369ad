/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of this room share: cmocka with its system headers, an allocator whose n-th allocation fails, files.
 */
#ifndef NCZ_TEST_S3_HELP_H
#define NCZ_TEST_S3_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/util.h"

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

/* The n-th allocation from now fails, and only that one; 0 never. */
static inline void
fail_allocation(size_t n)
{
    fail_at = n;
    alloc_count = 0;
    ncz_alloc_use(n != 0 ? &failing_table : NULL);
}

/* All of a file, with a NUL behind it; the caller's. */
static inline char *
slurp(const char *path, size_t *len)
{
    FILE  *f = fopen(path, "rb");
    char  *text = malloc(1 << 20);
    size_t n;

    assert_non_null(f);
    assert_non_null(text);
    n = fread(text, 1, (1 << 20) - 1, f);
    assert_true(feof(f));
    fclose(f);
    text[n] = '\0';
    if (len != NULL)
        *len = n;
    return text;
}

#endif /* NCZ_TEST_S3_HELP_H */
