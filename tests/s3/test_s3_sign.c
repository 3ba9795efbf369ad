/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signatures: AWS's public vectors and more, made by make_vectors.py beside this; headers that nobody may slip in;
 * memory that runs out.
 */
#include "json/json.h"
#include "s3/protocol/s3_sign.h"
#include "s3_help.h"
#include "support/scratch.h"

static ncz_json *vectors;

static int
load_vectors(void **state)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = 1 << 20};
    size_t        len;
    char         *text = test_data("s3/vectors.json", &len);

    (void)state;
    assert_int_equal(ncz_json_parse(text, len, &opts, &vectors, NULL), NC_NOERR);
    free(text);
    return ncz_json_len(vectors) >= 70 ? 0 : 1;
}

static int
free_vectors(void **state)
{
    (void)state;
    ncz_json_free(vectors);
    return 0;
}

static const char *
text_of(const ncz_json *v, const char *key)
{
    return ncz_json_str(ncz_json_get(v, key), NULL);
}

static bool
true_of(const ncz_json *v, const char *key)
{
    bool b = false;

    assert_true(ncz_json_bool(ncz_json_get(v, key), &b));
    return b;
}

static ncz_s3_pair *
pairs_of(const ncz_json *v, const char *key, size_t *n)
{
    const ncz_json *all = ncz_json_get(v, key);
    ncz_s3_pair    *pairs = calloc(ncz_json_len(all) + 1, sizeof *pairs);

    assert_non_null(pairs);
    *n = ncz_json_len(all);
    for (size_t i = 0; i < *n; i++) {
        pairs[i].name = ncz_json_str(ncz_json_at(ncz_json_at(all, i), 0), NULL);
        pairs[i].value = ncz_json_str(ncz_json_at(ncz_json_at(all, i), 1), NULL);
    }
    return pairs;
}

typedef struct request {
    ncz_s3_sign_req   req;
    ncz_s3_access_key keys;
    ncz_s3_pair      *query, *headers;
} request;

/* A path that the public suite writes raw is encoded once to be signed, as S3's are. */
static request
request_of(const ncz_json *v)
{
    request r = {.keys = {.id = (char *)text_of(v, "id"),
                          .secret = (char *)text_of(v, "secret"),
                          .token = (char *)text_of(v, "token")}};

    r.req = (ncz_s3_sign_req){.method = text_of(v, "method"),
                              .host = text_of(v, "host"),
                              .path = text_of(v, "path"),
                              .payload = text_of(v, "payload"),
                              .region = text_of(v, "region"),
                              .service = text_of(v, "service"),
                              .no_content_header = !true_of(v, "s3"),
                              .s3_path = true_of(v, "s3") || true_of(v, "once")};
    assert_true(ncz_json_i64(ncz_json_get(v, "now"), &r.req.now));
    r.query = pairs_of(v, "query", &r.req.nquery);
    r.headers = pairs_of(v, "headers", &r.req.nheaders);
    r.req.query = r.query;
    r.req.headers = r.headers;
    return r;
}

static void
request_clear(request *r)
{
    free(r->query);
    free(r->headers);
}

static void
check_vector(const ncz_json *v, ncz_s3_signing *keep)
{
    request r = request_of(v);
    ncz_buf canonical = NCZ_BUF_INIT, to_sign = NCZ_BUF_INIT, target = NCZ_BUF_INIT, headers = NCZ_BUF_INIT;
    char   *line = ncz_sprintf("Authorization: %s\n", text_of(v, "authorization"));
    char    hash[NCZ_S3_SHA256_HEX];

    assert_non_null(line);
    assert_int_equal(ncz_s3_canonical(&r.req, &r.keys, &canonical, &to_sign), NC_NOERR);
    assert_string_equal(ncz_buf_str(&canonical), text_of(v, "canonical"));
    assert_string_equal(ncz_buf_str(&to_sign), text_of(v, "to_sign"));
    r.req.keep = keep;
    assert_int_equal(ncz_s3_sign(&r.req, &r.keys, &target, &headers), NC_NOERR);
    assert_non_null(strstr(ncz_buf_str(&headers), line));
    assert_int_equal(strstr(ncz_buf_str(&headers), "x-amz-content-sha256: ") != NULL, true_of(v, "s3"));
    assert_int_equal(strstr(ncz_buf_str(&headers), "x-amz-security-token: ") != NULL, r.keys.token != NULL);
    assert_null(strstr(ncz_buf_str(&headers), "ost: "));
    if (strcmp(r.req.payload, "UNSIGNED-PAYLOAD") != 0) {
        assert_int_equal(ncz_s3_sha256_hex(text_of(v, "body"), strlen(text_of(v, "body")), hash), NC_NOERR);
        assert_string_equal(hash, r.req.payload);
    }
    request_clear(&r);
    ncz_free(line);
    ncz_buf_clear(&canonical);
    ncz_buf_clear(&to_sign);
    ncz_buf_clear(&target);
    ncz_buf_clear(&headers);
}

TEST(all_vectors)
{
    for (size_t i = 0; i < ncz_json_len(vectors); i++)
        check_vector(ncz_json_at(vectors, i), NULL);
}

/* The kept key is the right one whatever came before: other secrets, days, regions, services. */
TEST(all_vectors_with_a_kept_key)
{
    ncz_s3_signing keep = {.of = ""}, none = {.of = ""};

    for (size_t i = 0; i < ncz_json_len(vectors); i++) {
        check_vector(ncz_json_at(vectors, i), &keep);
        check_vector(ncz_json_at(vectors, i), &keep);
    }
    assert_memory_not_equal(&keep, &none, sizeof keep);
    ncz_s3_signing_clear(&keep);
    assert_memory_equal(&keep, &none, sizeof keep);
}

/* ---- what goes out ---- */

static ncz_s3_sign_req
plain(const char *path)
{
    return (ncz_s3_sign_req){.method = "GET",
                             .host = "h",
                             .path = path,
                             .payload = "UNSIGNED-PAYLOAD",
                             .region = "r",
                             .service = "s3",
                             .now = 1000000000,
                             .s3_path = true};
}

TEST(targets_are_encoded_and_sorted)
{
    static const ncz_s3_pair query[] = {{"b", "x y/+"}, {"uploads", NULL}, {"a", ""}};
    ncz_s3_sign_req          req = plain("/a b/%/\xc3\xbc//../c+d=~");
    ncz_buf                  target = NCZ_BUF_INIT, headers = NCZ_BUF_INIT;

    req.query = query;
    req.nquery = NCZ_LEN(query);
    assert_int_equal(ncz_s3_sign(&req, NULL, &target, &headers), NC_NOERR);
    assert_string_equal(ncz_buf_str(&target), "/a%20b/%25/%C3%BC//../c%2Bd%3D~?a=&b=x%20y%2F%2B&uploads");
    assert_string_equal(ncz_buf_str(&headers), "");
    ncz_buf_clear(&target);
    ncz_buf_clear(&headers);
}

TEST(unsigned_requests_have_no_secrets)
{
    static const ncz_s3_pair header = {"Range", "bytes=0-9"};
    ncz_s3_access_key        keys = {.id = NULL};
    ncz_s3_sign_req          req = plain("/");
    ncz_buf                  target = NCZ_BUF_INIT, headers = NCZ_BUF_INIT;

    req.headers = &header;
    req.nheaders = 1;
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_NOERR);
    assert_string_equal(ncz_buf_str(&headers), "Range: bytes=0-9\n");
    ncz_buf_clear(&target);
    ncz_buf_clear(&headers);
}

TEST(smuggled_headers)
{
    static const ncz_s3_pair bad[] = {{"x-amz-meta-a", "b\r\nX-Evil: 1"},
                                      {"x-amz-meta-a", "b\nc"},
                                      {"x-amz meta", "b"},
                                      {"a:b", "c"},
                                      {"", "c"},
                                      {"a\nb", "c"}};
    char                     id[] = "id", secret[] = "secret", token[] = "to\r\nxyzzy", bad_id[] = "i\nd";
    ncz_s3_access_key        keys = {.id = id, .secret = secret}, none = {.id = NULL};
    ncz_s3_sign_req          req = plain("/");
    ncz_buf                  target = NCZ_BUF_INIT, headers = NCZ_BUF_INIT;

    req.nheaders = 1;
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        req.headers = &bad[i];
        assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINVAL);
        assert_int_equal(ncz_s3_sign(&req, &none, &target, &headers), NC_EINVAL);
        assert_null(strstr(ncz_buf_str(&headers), "Evil"));
    }
    req.nheaders = 0;
    keys.token = token;
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINVAL);
    assert_null(strstr(ncz_err_text(), "xyzzy"));
    keys.token = NULL;
    keys.id = bad_id;
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EAUTH);
    req.host = "h\nX-Evil: 1";
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINVAL);
    req = plain("no-slash");
    keys.id = id;
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINTERNAL);
    ncz_buf_clear(&target);
    ncz_buf_clear(&headers);
}

TEST(clocks_beyond_reason)
{
    char              id[] = "id", secret[] = "secret";
    ncz_s3_access_key keys = {.id = id, .secret = secret};
    ncz_s3_sign_req   req = plain("/");
    ncz_buf           target = NCZ_BUF_INIT, headers = NCZ_BUF_INIT;

    req.now = INT64_MAX;
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINVAL);
    req.now = INT64_MIN;
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINVAL);
    req.now = 253402300800; /* the year 10000 */
    assert_int_equal(ncz_s3_sign(&req, &keys, &target, &headers), NC_EINVAL);
    ncz_buf_clear(&target);
    ncz_buf_clear(&headers);
}

TEST(memory_runs_out)
{
    request r = request_of(ncz_json_at(vectors, ncz_json_len(vectors) - 12));
    int     rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_buf        target = NCZ_BUF_INIT, headers = NCZ_BUF_INIT;
        ncz_s3_signing keep = {.of = ""};

        r.req.keep = &keep;
        fail_allocation(n);
        rc = ncz_s3_sign(&r.req, &r.keys, &target, &headers);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 200);
        ncz_buf_clear(&target);
        ncz_buf_clear(&headers);
    }
    request_clear(&r);
}

int
main(void)
{
    return run_file_tests(load_vectors, free_vectors);
}
