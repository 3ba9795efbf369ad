/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netCDF's rc files: which line counts for which dataset, what is not believed, which files are read.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "uri/uri_rc_file.h"

static const char text[] = "# comment\n"
                           "AWS.PROFILE=all\n"
                           "aws.region = r1 \r\n"
                           "nonsense before a = sign\n"
                           "[https://h.example:9000/data]AWS.PROFILE=narrow\n"
                           "[other.example]AWS.PROFILE=other\n"
                           "[broken AWS.PROFILE=broken\n"
                           "HTTP.VERBOSE\n"
                           "HTTP.SSL.CAINFO=/a=b\n";

static const char *
asked(const ncz_rc *rc, const char *url, const char *key)
{
    const char *file = NULL, *value;
    ncz_uri    *u = NULL;

    if (url != NULL)
        assert_int_equal(ncz_uri_parse(url, &u), NC_NOERR);
    value = ncz_rc_get(rc, u, key, &file);
    assert_true((value == NULL) == (file == NULL));
    ncz_uri_free(u);
    return value;
}

TEST(the_narrowest_scope_wins)
{
    ncz_rc rc = NCZ_RC_INIT;

    assert_int_equal(ncz_rc_parse(&rc, text, sizeof text - 1, "RC", false), NC_NOERR);
    assert_string_equal(asked(&rc, "s3://bucket/x", "AWS.PROFILE"), "all");
    assert_string_equal(asked(&rc, "s3://bucket/x", "AWS.REGION"), "r1");
    assert_string_equal(asked(&rc, "https://h.example:9000/data/x", "AWS.PROFILE"), "narrow");
    assert_string_equal(asked(&rc, "https://h.example:9001/data/x", "AWS.PROFILE"), "all");
    assert_string_equal(asked(&rc, "https://h.example:9000/elsewhere", "AWS.PROFILE"), "all");
    assert_string_equal(asked(&rc, "https://other.example/x", "AWS.PROFILE"), "other");
    assert_string_equal(asked(&rc, "https://OTHER.example:17/x", "AWS.PROFILE"), "other");
    assert_string_equal(asked(&rc, "s3://bucket/x", "HTTP.VERBOSE"), "1");
    assert_string_equal(asked(&rc, "s3://bucket/x", "HTTP.SSL.CAINFO"), "/a=b");
    assert_null(asked(&rc, "s3://bucket/x", "HTTP.PROXY.SERVER"));
    assert_string_equal(asked(&rc, NULL, "AWS.PROFILE"), "all");
    ncz_rc_clear(&rc);
}

TEST(later_wins_but_not_all_is_believed)
{
    static const char here[] = "AWS.PROFILE=here\nHTTP.SSL.CAINFO=/evil\nHTTP.PROXY.SERVER=evil\n";
    ncz_rc            rc = NCZ_RC_INIT;

    assert_int_equal(ncz_rc_parse(&rc, text, sizeof text - 1, "RC", false), NC_NOERR);
    assert_int_equal(ncz_rc_parse(&rc, here, sizeof here - 1, "./RC", true), NC_NOERR);
    assert_string_equal(asked(&rc, "s3://bucket/x", "AWS.PROFILE"), "here");
    assert_string_equal(asked(&rc, "https://other.example/x", "AWS.PROFILE"), "other");
    assert_string_equal(asked(&rc, "s3://bucket/x", "HTTP.SSL.CAINFO"), "/a=b");
    assert_null(asked(&rc, "s3://bucket/x", "HTTP.PROXY.SERVER"));
    ncz_rc_clear(&rc);
}

TEST(memory_runs_out)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_rc all = NCZ_RC_INIT;

        fail_allocation(n);
        rc = ncz_rc_parse(&all, text, sizeof text - 1, "RC", false);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 200);
        ncz_rc_clear(&all);
    }
}
