/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: what is set, what is empty, and copies of secrets, of which nothing stays. */
#include "support/test.h"

#include "util/util.h"

TEST(empty_variables_count_as_unset)
{
    unsetenv("NCZ_TEST_ENV");
    assert_null(ncz_env("NCZ_TEST_ENV"));
    setenv("NCZ_TEST_ENV", "", 1);
    assert_null(ncz_env("NCZ_TEST_ENV"));
    setenv("NCZ_TEST_ENV", "x y", 1);
    assert_string_equal(ncz_env("NCZ_TEST_ENV"), "x y");
    ncz_env_hide("NCZ_TEST_ENV");
    assert_null(ncz_env("NCZ_TEST_ENV"));
    assert_string_equal(getenv("NCZ_TEST_ENV"), ""); /* its place stays */
}

static char freed[16]; /* of the block that went last */

static void *
take(size_t n)
{
    return malloc(n);
}

static void *
resize(void *p, size_t n)
{
    return realloc(p, n);
}

static void *
refuse(size_t n)
{
    (void)n;
    return NULL;
}

static void
give(void *p)
{
    if (p != NULL)
        memcpy(freed, p, 8);
    free(p);
}

TEST(secrets_are_wiped)
{
    static const ncz_alloc_table watching = {take, resize, give}, empty = {refuse, resize, give};
    char                        *secret = NULL;

    unsetenv("NCZ_TEST_ENV");
    assert_int_equal(ncz_env_secret("NCZ_TEST_ENV", &secret), NC_NOERR);
    assert_null(secret);
    ncz_free_secret(secret);
    setenv("NCZ_TEST_ENV", "12345678", 1);
    ncz_alloc_use(&watching);
    assert_int_equal(ncz_env_secret("NCZ_TEST_ENV", &secret), NC_NOERR);
    assert_string_equal(secret, "12345678");
    ncz_free_secret(secret);
    assert_memory_equal(freed, "\0\0\0\0\0\0\0\0", 8);
    ncz_alloc_use(&empty);
    assert_int_equal(ncz_env_secret("NCZ_TEST_ENV", &secret), NC_ENOMEM);
    ncz_alloc_use(NULL);
}
