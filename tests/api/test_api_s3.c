/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_s3_explain(), with S3 in the library and without (TEST_S3), and names of buckets in texts.
 */
#include "api_test.h"

static void
alone(void)
{
    setenv("HOME", "/nonexistent", 1);
    setenv("NCRCENV_IGNORE", "1", 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("AWS_ACCESS_KEY_ID", "AKIACANARYCANARY", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "CanarySecret", 1);
    unsetenv("AWS_PROFILE");
    unsetenv("AWS_REGION");
    unsetenv("AWS_ENDPOINT_URL");
}

TEST(settings_are_explained)
{
    char *text = NULL;
    int   rc;

    alone();
    rc = nczarr_s3_explain("s3://bucket/key#aws.region=eu-west-1", &text);
    if (TEST_S3) {
        assert_int_equal(rc, NC_NOERR);
        assert_string_equal(nczarr_errmsg(), "");
        assert_non_null(strstr(text, "address: https://bucket.s3.eu-west-1.amazonaws.com/\n"));
        assert_non_null(strstr(text, "region: eu-west-1 (#aws.region of the URL)\n"));
        assert_non_null(strstr(text, "credentials: the environment\n"));
        assert_null(strstr(text, "Canary"));
        assert_null(strstr(text, "CANARY"));
        free(text);
    } else {
        assert_int_equal(rc, NC_ENOTBUILT);
        assert_non_null(strstr(nczarr_errmsg(), "built without S3"));
        assert_null(text);
    }
}

TEST(not_explained)
{
    char *text = NULL;

    FAILS(NC_EINVAL, nczarr_s3_explain("/a/path", &text));
    FAILS(NC_EINVAL, nczarr_s3_explain("https://example.com/x.zarr", &text));
    FAILS(NC_EINVAL, nczarr_s3_explain(NULL, &text));
    FAILS(NC_EINVAL, nczarr_s3_explain("s3://bucket/key", NULL));
    assert_int_equal(nczarr_s3_explain("s3://bucket/%zz", &text), TEST_S3 ? NC_EURL : NC_ENOTBUILT);
    assert_null(text);
}

/* Nobody listens there; what the text says of it has no word of the query and the fragment. */
TEST(texts_without_secrets)
{
    int ncid, rc;

    alone();
    setenv("AWS_MAX_ATTEMPTS", "1", 1);
    rc = nc_open("http://127.0.0.1:1/bucket/key?X-Amz-Signature=CanarySignature#mode=s3", NC_NOWRITE, &ncid);
    assert_int_equal(rc, TEST_S3 ? NC_ECURL : NC_ENOTBUILT);
    assert_null(strstr(nczarr_errmsg(), "Canary"));
    rc = nc_open("s3://bucket/key#aws.endpoint=http://127.0.0.1:1&aws.access_key_id=CanaryId&"
                 "aws.secret_access_key=CanarySecret&aws.session_token=CanaryToken",
                 NC_NOWRITE, &ncid);
    assert_int_equal(rc, TEST_S3 ? NC_ECURL : NC_ENOTBUILT);
    assert_null(strstr(nczarr_errmsg(), "Canary"));
}
