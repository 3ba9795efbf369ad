/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of this module share: cmocka, an allocator that fails, files.
 */
#ifndef NCZ_TEST_S3_HELP_H
#define NCZ_TEST_S3_HELP_H

#include "support/failing_alloc.h"
#include "support/test.h"

#include "util/util.h"

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
