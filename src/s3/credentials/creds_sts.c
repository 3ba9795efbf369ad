/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * STS, the service of temporary keys: the request and the answer. creds_role.c decides on the role.
 */
#include "s3/credentials/creds_int.h"
#include "s3/protocol/s3_xml.h"
#include "uri/uri.h"

#include <stdio.h>
#include <string.h>

/* ---- the request ---- */

int
ncz_creds_sts_add(ncz_creds_sts *s, const char *name, const char *value)
{
    int rc;

    if (value == NULL)
        return NC_NOERR;
    if ((rc = ncz_buf_printf(&s->body, "&%s=", name)) != NC_NOERR)
        return rc;
    return ncz_uri_encode(&s->body, value, strlen(value), false);
}

int
ncz_creds_sts_add_session(ncz_creds_sts *s, const char *name)
{
    char own[40];

    snprintf(own, sizeof own, "nczarr-%lld", (long long)ncz_creds_now());
    return ncz_creds_sts_add(s, "RoleSessionName", name != NULL ? name : own);
}

/* The region of the service: the client's, not the bucket's, which may be on another server. The environment precedes
 * the profile, as for buckets. */
static const char *
choose_region(const ncz_creds_fetch *f, const char *profile)
{
    const ncz_s3_setting of_profile = ncz_s3_setting_profile(f->files, profile, NULL, "region");
    const ncz_s3_setting all[] = {
        f->profile_first ? of_profile : ncz_s3_setting_default(NULL),
        ncz_s3_setting_env("AWS_REGION"),
        ncz_s3_setting_env("AWS_DEFAULT_REGION"),
        of_profile,
        ncz_s3_setting_default(f->amazon ? f->region : NULL),
        ncz_s3_setting_default("us-east-1"),
    };

    return ncz_s3_setting_first(all, NCZ_LEN(all)).value;
}

int
ncz_creds_sts_init(const ncz_creds_fetch *f, ncz_creds_sts *s)
{
    ncz_s3_setting said = ncz_creds_service_endpoint(f, s->profile, "AWS_ENDPOINT_URL_STS", "sts");
    size_t         len = said.value != NULL ? strlen(said.value) : 0;

    s->region = choose_region(f, s->profile);
    if (!ncz_s3_is_region(s->region))
        return ncz_fail(NC_EINVAL, "\"%.80s\" is not a region", s->region);
    if (len > 0)
        s->endpoint = ncz_strndup(said.value, len - (said.value[len - 1] == '/'));
    else
        s->endpoint = ncz_sprintf("https://sts.%s.%s", s->region, ncz_s3_amazon_domain(s->region));
    if (s->endpoint == NULL)
        return ncz_fail_nomem(len + 64);
    return ncz_buf_printf(&s->body, "Action=%s&Version=2011-06-15", s->what);
}

void
ncz_creds_sts_clear(ncz_creds_sts *s)
{
    ncz_free(s->endpoint);
    ncz_wipe(s->body.data, s->body.cap);
    ncz_buf_clear(&s->body);
    ncz_wipe(s->headers.data, s->headers.cap);
    ncz_buf_clear(&s->headers);
}

/* The Host header. */
static int
build_host(const ncz_uri *u, char **out)
{
    bool v6 = strchr(u->host, ':') != NULL;

    if (u->port != 0)
        *out = ncz_sprintf("%s%s%s:%u", v6 ? "[" : "", u->host, v6 ? "]" : "", u->port);
    else
        *out = ncz_sprintf("%s%s%s", v6 ? "[" : "", u->host, v6 ? "]" : "");
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(strlen(u->host) + 16);
}

static int
sign_request(ncz_creds_sts *s, const ncz_s3_access_key *keys)
{
    static const ncz_s3_pair header = {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"};
    ncz_s3_sign_req          req = {.method = "POST",
                                    .headers = &header,
                                    .nheaders = 1,
                                    .region = s->region,
                                    .service = "sts",
                                    .now = ncz_creds_now(),
                                    .no_content_header = true};
    char                     hash[NCZ_S3_SHA256_HEX];
    ncz_buf                  target = NCZ_BUF_INIT;
    ncz_uri                 *u = NULL;
    char                    *host = NULL, *path = NULL, *whole = NULL;
    int                      rc;

    if ((rc = ncz_uri_parse(s->endpoint, &u)) != NC_NOERR)
        goto done;
    if (u->host == NULL || u->user != NULL) {
        rc = ncz_fail(NC_EAUTH, "the endpoint of STS is not a URL with a host");
        goto done;
    }
    if ((rc = build_host(u, &host)) != NC_NOERR)
        goto done;
    if ((rc = ncz_uri_decode(u->path, strlen(u->path), &path)) != NC_NOERR)
        goto done;
    if ((rc = ncz_s3_sha256_hex(s->body.data, s->body.len, hash)) != NC_NOERR)
        goto done;
    if ((whole = ncz_sprintf("%s/", path)) == NULL) {
        rc = ncz_fail_nomem(strlen(path) + 2);
        goto done;
    }
    req.host = host;
    req.path = whole;
    req.payload = hash;
    rc = ncz_s3_sign(&req, keys, &target, &s->headers);
done:
    ncz_uri_free(u);
    ncz_free(host);
    ncz_free(path);
    ncz_free(whole);
    ncz_buf_clear(&target);
    return rc;
}

/* ---- the answer ---- */

typedef struct answer {
    ncz_buf id, secret, token, until, code, message;
} answer;

static void
answer_clear(answer *a)
{
    ncz_buf *all[] = {&a->id, &a->secret, &a->token, &a->until, &a->code, &a->message};

    for (size_t i = 0; i < NCZ_LEN(all); i++) {
        ncz_wipe(all[i]->data, all[i]->cap);
        ncz_buf_clear(all[i]);
    }
}

static int
copy_element(const ncz_s3_xml *x, answer *a)
{
    const struct {
        const char *name, *parent;
        ncz_buf    *to;
    } rows[] = {
        {"AccessKeyId", "Credentials", &a->id},
        {"SecretAccessKey", "Credentials", &a->secret},
        {"SessionToken", "Credentials", &a->token},
        {"Expiration", "Credentials", &a->until},
        {"Code", "Error", &a->code},
        {"Message", "Error", &a->message},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (ncz_s3_xml_is(x, rows[i].name) && ncz_s3_xml_in(x, rows[i].parent)) {
            ncz_buf_reset(rows[i].to);
            return ncz_buf_append(rows[i].to, x->text.data, x->text.len);
        }
    return NC_NOERR;
}

static int
parse_answer(const ncz_buf *reply, answer *a)
{
    ncz_s3_xml       x;
    ncz_s3_xml_event event = NCZ_S3_XML_OPEN;
    int              rc;

    ncz_s3_xml_init(&x, ncz_buf_str(reply), reply->len);
    if ((rc = ncz_buf_reserve(&x.text, 4096)) != NC_NOERR) /* growing would leave copies of secrets */
        goto done;
    while ((rc = ncz_s3_xml_next(&x, &event)) == NC_NOERR && event != NCZ_S3_XML_END)
        if (event == NCZ_S3_XML_CLOSE && (rc = copy_element(&x, a)) != NC_NOERR)
            break;
done:
    ncz_wipe(x.text.data, x.text.cap);
    ncz_s3_xml_clear(&x);
    return rc;
}

static int
convert_keys(ncz_creds_fetch *f, const ncz_creds_sts *s, const answer *a, bool *found)
{
    ncz_s3_access_key from = {.id = a->id.data, .secret = a->secret.data, .token = a->token.data},
                      keys = {.id = NULL};
    int rc;

    if (a->id.len == 0 || a->secret.len == 0 || a->token.len == 0)
        return ncz_fail(NC_EAUTH, "%s of %s: the answer has no keys", s->what, s->role);
    if (!ncz_creds_parse_time(ncz_buf_str(&a->until), &from.expires))
        return ncz_fail(NC_EAUTH, "%s of %s: the answer has no expiration", s->what, s->role);
    if ((rc = ncz_s3_access_key_copy(&keys, &from)) != NC_NOERR)
        return rc;
    rc = ncz_creds_found(f, &keys, found, "%s of %s%s%s", s->what, s->role, s->profile != NULL ? ", profile " : "",
                         s->profile != NULL ? s->profile : "");
    ncz_s3_access_key_clear(&keys);
    return rc;
}

static int
read_answer(ncz_creds_fetch *f, const ncz_creds_sts *s, const ncz_http_once *call, bool *found)
{
    answer a = {.id = NCZ_BUF_INIT};
    int    rc = parse_answer(&call->reply, &a);

    if (rc == NC_ENOMEM)
        goto done;
    if (call->status != 200)
        rc = ncz_fail(NC_EAUTH, "%s of %s: status %ld %.80s: %.200s", s->what, s->role, call->status,
                      ncz_buf_str(&a.code), ncz_buf_str(&a.message));
    else if (rc != NC_NOERR)
        rc = ncz_fail(NC_EAUTH, "%s of %s: the answer cannot be read", s->what, s->role);
    else
        rc = convert_keys(f, s, &a, found);
done:
    answer_clear(&a);
    return rc;
}

/* Splits the signed header lines. */
static int
split_lines(char *text, const char ***out, size_t *n)
{
    const char **v = NULL;

    *n = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char **more = ncz_grow(v, *n + 1, sizeof *more);

        if (more == NULL) {
            ncz_free(v);
            return ncz_fail_nomem((*n + 1) * sizeof *more);
        }
        v = more;
        *end = '\0';
        v[(*n)++] = line;
    }
    *out = v;
    return NC_NOERR;
}

int
ncz_creds_sts_send(ncz_creds_fetch *f, ncz_creds_sts *s, const ncz_s3_access_key *keys, bool *found)
{
    ncz_http_once call = {.method = "POST"};
    const char  **headers = NULL;
    char         *url = NULL;
    int           rc;

    if ((rc = sign_request(s, keys)) != NC_NOERR)
        return rc;
    if ((rc = split_lines(s->headers.data, &headers, &call.nheaders)) != NC_NOERR)
        return rc;
    if ((url = ncz_sprintf("%s/", s->endpoint)) == NULL) {
        rc = ncz_fail_nomem(strlen(s->endpoint) + 2);
        goto done;
    }
    call.url = url;
    call.headers = headers;
    call.body = s->body.data;
    call.nbody = s->body.len;
    if ((rc = ncz_creds_call_service(f, &call, s->what)) == NC_NOERR)
        rc = read_answer(f, s, &call, found);
done:
    ncz_wipe(call.reply.data, call.reply.cap);
    ncz_buf_clear(&call.reply);
    ncz_free(headers);
    ncz_free(url);
    return rc;
}
