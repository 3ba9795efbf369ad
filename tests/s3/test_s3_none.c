/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library without S3 says so.
 */
#include "s3/settings/s3_settings.h"
#include "s3_help.h"

TEST(explaining_says_that_s3_is_not_built)
{
    ncz_buf  out = NCZ_BUF_INIT;
    ncz_uri *u = NULL;

    assert_int_equal(ncz_uri_parse("s3://bucket/key", &u), NC_NOERR);
    assert_int_equal(ncz_s3_explain(u, &out), NC_ENOTBUILT);
    assert_non_null(strstr(ncz_err_text(), "built without S3"));
    ncz_uri_free(u);
}
