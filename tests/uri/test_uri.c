/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taking URLs and paths apart.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "uri/uri.h"

static const struct {
    const char *text, *scheme, *user, *host;
    unsigned    port;
    const char *path, *query, *frag; /* frag: "key=value;key=value;" */
} good[] = {
    /* plain paths keep every character */
    {"a", NULL, NULL, NULL, 0, "a", NULL, ""},
    {"/a/b.zarr", NULL, NULL, NULL, 0, "/a/b.zarr", NULL, ""},
    {"./a b/c%20d.zarr", NULL, NULL, NULL, 0, "./a b/c%20d.zarr", NULL, ""},
    {"a%", NULL, NULL, NULL, 0, "a%", NULL, ""},
    {"a?b=c", NULL, NULL, NULL, 0, "a?b=c", NULL, ""},
    {"a:b", NULL, NULL, NULL, 0, "a:b", NULL, ""},
    {"C:\\data\\x", NULL, NULL, NULL, 0, "C:\\data\\x", NULL, ""},
    {"file:/a", NULL, NULL, NULL, 0, "file:/a", NULL, ""},
    {"://a", NULL, NULL, NULL, 0, "://a", NULL, ""},
    {"1a://b", NULL, NULL, NULL, 0, "1a://b", NULL, ""},
    {"x://", "x", NULL, NULL, 0, "", NULL, ""},
    {"a b://c", NULL, NULL, NULL, 0, "a b://c", NULL, ""},
    {" a ", NULL, NULL, NULL, 0, " a ", NULL, ""},
    {"\xC3\xA9\n\x01", NULL, NULL, NULL, 0, "\xC3\xA9\n\x01", NULL, ""},
    {"[a].zarr", NULL, NULL, NULL, 0, "[a].zarr", NULL, ""},
    {"[mode=zarr]x", NULL, NULL, NULL, 0, "[mode=zarr]x", NULL, ""},
    {"[", NULL, NULL, NULL, 0, "[", NULL, ""},

    /* a plain path's fragment, or not */
    {"a#mode=zarr", NULL, NULL, NULL, 0, "a", NULL, "mode=zarr;"},
    {"a#MODE=Zarr,File", NULL, NULL, NULL, 0, "a", NULL, "mode=Zarr,File;"},
    {"a#zarr", NULL, NULL, NULL, 0, "a", NULL, "zarr=;"},
    {"a#NoXarray", NULL, NULL, NULL, 0, "a", NULL, "noxarray=;"},
    {"a#mode=nczarr&log", NULL, NULL, NULL, 0, "a", NULL, "mode=nczarr;log=;"},
    {"a#mode=nczarr,file&aws.region=x&compat=4.9.2", NULL, NULL, NULL, 0, "a", NULL,
     "mode=nczarr,file;aws.region=x;compat=4.9.2;"},
    {"a#mode=bytes", NULL, NULL, NULL, 0, "a", NULL, "mode=bytes;"},
    {"a#mode=whatever", NULL, NULL, NULL, 0, "a", NULL, "mode=whatever;"},
    {"a#mode=", NULL, NULL, NULL, 0, "a", NULL, "mode=;"},
    {"a#", NULL, NULL, NULL, 0, "a#", NULL, ""},
    {"a#b", NULL, NULL, NULL, 0, "a#b", NULL, ""},
    {"a#b=c", NULL, NULL, NULL, 0, "a#b=c", NULL, ""},
    {"a#mode=zarr&b=c", NULL, NULL, NULL, 0, "a#mode=zarr&b=c", NULL, ""},
    {"a#zip=3", NULL, NULL, NULL, 0, "a#zip=3", NULL, ""},
    {"a#zip/b", NULL, NULL, NULL, 0, "a#zip/b", NULL, ""},
    {"a#mode=zarr&", NULL, NULL, NULL, 0, "a#mode=zarr&", NULL, ""},
    {"#1.zarr#mode=zarr", NULL, NULL, NULL, 0, "#1.zarr", NULL, "mode=zarr;"},
    {"a#b#zarr&mode=zip", NULL, NULL, NULL, 0, "a#b", NULL, "zarr=;mode=zip;"},
    {"a#aws.", NULL, NULL, NULL, 0, "a#aws.", NULL, ""},
    {"a%41#dimension_separator=%2F", NULL, NULL, NULL, 0, "a%41", NULL, "dimension_separator=/;"},

    /* file: */
    {"file:///a/b", "file", NULL, NULL, 0, "/a/b", NULL, ""},
    {"FILE:///a/b", "file", NULL, NULL, 0, "/a/b", NULL, ""},
    {"file://localhost/a", "file", NULL, NULL, 0, "/a", NULL, ""},
    {"file://LocalHost/a", "file", NULL, NULL, 0, "/a", NULL, ""},
    {"file://localhost", "file", NULL, NULL, 0, "localhost", NULL, ""},
    {"file://rel/path", "file", NULL, NULL, 0, "rel/path", NULL, ""},
    {"file://x.zarr", "file", NULL, NULL, 0, "x.zarr", NULL, ""},
    {"file://../x", "file", NULL, NULL, 0, "../x", NULL, ""},
    {"file:////a", "file", NULL, NULL, 0, "//a", NULL, ""},
    {"file:///a b", "file", NULL, NULL, 0, "/a b", NULL, ""},
    {"file:///a%20b%25%C3%A9", "file", NULL, NULL, 0, "/a b%\xC3\xA9", NULL, ""},
    {"file:///a%2520", "file", NULL, NULL, 0, "/a%20", NULL, ""},
    {"file:///a%23b%3fc#mode=zarr", "file", NULL, NULL, 0, "/a#b?c", NULL, "mode=zarr;"},
    {"file:///a@b:c", "file", NULL, NULL, 0, "/a@b:c", NULL, ""},
    {"file:///a#", "file", NULL, NULL, 0, "/a", NULL, ""},
    {"file:///a#b.zarr", "file", NULL, NULL, 0, "/a", NULL, "b.zarr=;"},
    {"file:///a#mode=nczarr,file&mode=zip", "file", NULL, NULL, 0, "/a", NULL, "mode=nczarr,file,zip;"},
    {"file:///a#mode=&mode=zarr", "file", NULL, NULL, 0, "/a", NULL, "mode=zarr;"},
    {"file:///a#&&k=v&", "file", NULL, NULL, 0, "/a", NULL, "k=v;"},
    {"file:///a#k=a=b", "file", NULL, NULL, 0, "/a", NULL, "k=a=b;"},
    {"file:///a#k=%26%3D%25&K%41=1", "file", NULL, NULL, 0, "/a", NULL, "k=&=%;ka=1;"},
    {"file:///a#mode=nczarr,AwsProfile=uni", "file", NULL, NULL, 0, "/a", NULL, "mode=nczarr;awsprofile=uni;"},

    /* s3, http */
    {"s3://bucket/key", "s3", NULL, "bucket", 0, "/key", NULL, ""},
    {"s3://Bucket/Key%20x y", "s3", NULL, "Bucket", 0, "/Key%20x y", NULL, ""},
    {"s3://bucket", "s3", NULL, "bucket", 0, "", NULL, ""},
    {"s3://S3.us-west-1.amazonaws.com/b", "s3", NULL, "s3.us-west-1.amazonaws.com", 0, "/b", NULL, ""},
    {"s3:///key", "s3", NULL, NULL, 0, "/key", NULL, ""},
    {"https://Host.Example/a/b?x=1&y=2#mode=zarr,s3", "https", NULL, "host.example", 0, "/a/b", "x=1&y=2",
     "mode=zarr,s3;"},
    {"http://h:8080/p", "http", NULL, "h", 8080, "/p", NULL, ""},
    {"http://h:/p", "http", NULL, "h", 0, "/p", NULL, ""},
    {"http://h:65535", "http", NULL, "h", 65535, "", NULL, ""},
    {"http://h?q", "http", NULL, "h", 0, "", "q", ""},
    {"http://h?", "http", NULL, "h", 0, "", "", ""},
    {"http://h/a?b/c?d", "http", NULL, "h", 0, "/a", "b/c?d", ""},
    {"http://u@h/", "http", "u", "h", 0, "/", NULL, ""},
    {"http://u:p@h:1/", "http", "u:p", "h", 1, "/", NULL, ""},
    {"http://u:p@q@h/", "http", "u:p@q", "h", 0, "/", NULL, ""},
    {"http://h/a@b:c", "http", NULL, "h", 0, "/a@b:c", NULL, ""},
    {"http://[::1]/x", "http", NULL, "::1", 0, "/x", NULL, ""},
    {"http://u@[FE80::1.2.3.4]:99/x", "http", "u", "fe80::1.2.3.4", 99, "/x", NULL, ""},
    {"http://h/a%2Fb//c/../d", "http", NULL, "h", 0, "/a%2Fb//c/../d", NULL, ""},
    {"http://h/\xC3\xA9", "http", NULL, "h", 0, "/\xC3\xA9", NULL, ""},
    {"gopher://h/x", "gopher", NULL, "h", 0, "/x", NULL, ""},
    {"a+b-c.d9://h", "a+b-c.d9", NULL, "h", 0, "", NULL, ""},

    /* prefixes */
    {"[mode=zarr]file:///a", "file", NULL, NULL, 0, "/a", NULL, "mode=zarr;"},
    {"[log][show=fetch]http://h/a#mode=s3", "http", NULL, "h", 0, "/a", NULL, "log=;show=fetch;mode=s3;"},
    {"[mode=zarr][]file:///a#mode=zip", "file", NULL, NULL, 0, "/a", NULL, "mode=zarr,zip;"},
};

static void
same_text(size_t row, const char *what, const char *got, const char *want)
{
    if ((got == NULL) != (want == NULL) || (got != NULL && strcmp(got, want) != 0))
        fail_msg("%s: %s is \"%s\", not \"%s\"", good[row].text, what, got ? got : "NULL", want ? want : "NULL");
}

TEST(urls_are_parsed)
{
    for (size_t i = 0; i < NCZ_LEN(good); i++) {
        ncz_uri *u = NULL;
        ncz_buf  frag = NCZ_BUF_INIT;

        if (ncz_uri_parse(good[i].text, &u) != NC_NOERR)
            fail_msg("%s: %s", good[i].text, ncz_err_text());
        for (size_t k = 0; k < u->nfrag; k++)
            ncz_buf_printf(&frag, "%s=%s;", u->frag[k].key, u->frag[k].value);
        same_text(i, "scheme", u->scheme, good[i].scheme);
        same_text(i, "user", u->user, good[i].user);
        same_text(i, "host", u->host, good[i].host);
        same_text(i, "path", u->path, good[i].path);
        same_text(i, "query", u->query, good[i].query);
        same_text(i, "fragment", ncz_buf_str(&frag), good[i].frag);
        assert_int_equal(u->port, good[i].port);
        ncz_buf_clear(&frag);
        ncz_uri_free(u);
    }
}

static const struct {
    const char *text;
    int         code;
} bad[] = {
    {"", NC_EINVAL},
    {NULL, NC_EINVAL},
    {"#mode=zarr", NC_EINVAL},
    {"file://", NC_EURL},
    {"file://#mode=zarr", NC_EURL},
    {"file:///a?b", NC_EURL},
    {"file:///a%", NC_EURL},
    {"file:///a%2", NC_EURL},
    {"file:///a%zz", NC_EURL},
    {"file:///a%-1", NC_EURL},
    {"file:///a%00", NC_EURL},
    {"file:///a\nb", NC_EURL},
    {"http://h/a\r\nHost: x", NC_EURL},
    {"http://h\x7F/", NC_EURL},
    {"http://h:x/", NC_EURL},
    {"http://h:-1/", NC_EURL},
    {"http://h:0/", NC_EURL},
    {"http://h:65536/", NC_EURL},
    {"http://h:99999999999999999999/", NC_EURL},
    {"http://h:1:2/", NC_EURL},
    {"http://h x/", NC_EURL},
    {"http://h\\x/", NC_EURL},
    {"http://h%41/", NC_EURL},
    {"http://[::1/", NC_EURL},
    {"http://[]/", NC_EURL},
    {"http://[::1]x/", NC_EURL},
    {"http://[::g]/", NC_EURL},
    {"http://[::1]:x/", NC_EURL},
    {"file:///a#=b", NC_EURL},
    {"file:///a#k=%", NC_EURL},
    {"file:///a#%zz=1", NC_EURL},
    {"[=x]file:///a", NC_EURL},
    {"a#mode=%zz", NC_EURL},
};

TEST(bad_urls_are_refused)
{
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        ncz_uri *u = NULL;
        int      rc;

        ncz_err_clear();
        rc = ncz_uri_parse(bad[i].text, &u);
        if (rc != bad[i].code || u != NULL || ncz_err_text()[0] == '\0')
            fail_msg("%s: %d", bad[i].text, rc);
    }
}

TEST(keys_of_fragments_are_looked_up)
{
    ncz_uri *u;

    assert_int_equal(ncz_uri_parse("[k=1]file:///a#K=2&mode=a&x&mode=b", &u), NC_NOERR);
    assert_string_equal(ncz_uri_frag(u, "k"), "2");
    assert_string_equal(ncz_uri_frag(u, "mode"), "a,b");
    assert_string_equal(ncz_uri_frag(u, "x"), "");
    assert_null(ncz_uri_frag(u, "y"));
    ncz_uri_free(u);
    ncz_uri_free(NULL);
}

TEST(modes_name_formats)
{
    static const struct {
        const char    *text;
        ncz_uri_format format;
    } rows[] = {
        {"a.nc", NCZ_URI_FORMAT_NONE},
        {"file:///a", NCZ_URI_FORMAT_NONE},
        {"file:///a#mode=file", NCZ_URI_FORMAT_NONE},
        {"s3://a/b#mode=s3&profile=x", NCZ_URI_FORMAT_NONE},
        {"file:///a#mode=", NCZ_URI_FORMAT_NONE},
        {"file:///a#mode=nczarr", NCZ_URI_FORMAT_ZARR},
        {"file:///a#mode=file, ZARR", NCZ_URI_FORMAT_ZARR},
        {"file:///a#mode=v3", NCZ_URI_FORMAT_ZARR},
        {"file:///a#zip", NCZ_URI_FORMAT_ZARR},
        {"file:///a#consolidated&log", NCZ_URI_FORMAT_ZARR},
        {"file:///a#consolidated=no", NCZ_URI_FORMAT_NONE},
        {"[mode=zarr]file:///a", NCZ_URI_FORMAT_ZARR},
        {"file:///a#mode=bytes", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=classic", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=hdf5", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=cdf2", NCZ_URI_FORMAT_FILE},
        {"file:///a#mode=netcdf4", NCZ_URI_FORMAT_FILE},
        {"file:///a#nc4", NCZ_URI_FORMAT_FILE},
        {"file:///a#netcdf4", NCZ_URI_FORMAT_FILE},
        {"file:///a#mode=netcdf-4", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=enhanced", NCZ_URI_FORMAT_OTHER},
        {"http://dap.org/a#netcdf4", NCZ_URI_FORMAT_NONE},
        {"file:///a#dap4", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=s3,bytes", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=nczarx", NCZ_URI_FORMAT_OTHER},
        {"file:///a#mode=bytes,zarr", NCZ_URI_FORMAT_ZARR},
        {"file:///a#bytes&zarr", NCZ_URI_FORMAT_ZARR},
        {"file:///a#zarr&bytes", NCZ_URI_FORMAT_ZARR},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_uri *u;

        assert_int_equal(ncz_uri_parse(rows[i].text, &u), NC_NOERR);
        if (ncz_uri_mode_format(u) != rows[i].format)
            fail_msg("%s: %d", rows[i].text, (int)ncz_uri_mode_format(u));
        ncz_uri_free(u);
    }
}

TEST(percent_codes_round_trip)
{
    ncz_buf b = NCZ_BUF_INIT;
    char    all[255], *back;

    ncz_uri_encode(&b, "a/b c~-._%\xC3\xA9", 12, true);
    assert_string_equal(b.data, "a/b%20c~-._%25%C3%A9");
    ncz_buf_reset(&b);
    ncz_uri_encode(&b, "a/b", 3, false);
    assert_string_equal(b.data, "a%2Fb");
    ncz_buf_reset(&b);
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)(i + 1);
    assert_int_equal(ncz_uri_encode(&b, all, sizeof all, false), NC_NOERR);
    assert_int_equal(b.len, 66 + 3 * (sizeof all - 66));
    assert_int_equal(ncz_uri_decode(b.data, b.len, &back), NC_NOERR);
    assert_memory_equal(back, all, sizeof all);
    assert_int_equal(back[sizeof all], 0);
    ncz_free(back);
    ncz_buf_clear(&b);

    b = NCZ_BUF_LIMIT(4);
    assert_int_equal(ncz_uri_encode(&b, "a b c", 5, false), NC_ENOMEM);
    ncz_buf_clear(&b);
    assert_int_equal(ncz_uri_decode("", 0, &back), NC_NOERR);
    assert_string_equal(back, "");
    ncz_free(back);
    assert_int_equal(ncz_uri_decode("%41%62", 5, &back), NC_EURL); /* cut inside the second */
}

TEST(out_of_memory)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_uri *u = NULL;

        fail_allocation(n);
        rc = ncz_uri_parse("[log]https://u@[::1]:80/p?q#mode=zarr&mode=s3,k=v&x=y", &u);
        fail_allocation(0);
        if (rc != NC_NOERR) {
            assert_int_equal(rc, NC_ENOMEM);
            assert_null(u);
        }
        ncz_uri_free(u);
        assert_true(n < 100);
    }
}
