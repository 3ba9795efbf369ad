/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the request of an operation: URL and headers, signed with the current clock, region and credentials. The
 * signature includes a hash of the body, so that the stored bytes are those sent, with or without TLS.
 */
#include "s3/client/s3_client_int.h"
#include "s3/protocol/s3_hash.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define HEADERS_MOST 8

static const char *const methods[] = {"GET", "PUT", "DELETE", "POST", "PUT"};

/* The parts of a request until it is signed. */
typedef struct draft {
    ncz_s3_pair       headers[HEADERS_MOST];
    size_t            n;
    ncz_buf           range, md5, host, source;
    char              crc[NCZ_S3_CRC_BASE64];
    char              sha256[NCZ_S3_SHA256_HEX];
    ncz_s3_access_key keys;
} draft;

static void
draft_clear(draft *d)
{
    ncz_buf_clear(&d->range);
    ncz_buf_clear(&d->md5);
    ncz_buf_clear(&d->host);
    ncz_buf_clear(&d->source);
    ncz_s3_access_key_clear(&d->keys);
}

static void
add_header(draft *d, const char *name, const char *value)
{
    d->headers[d->n++] = (ncz_s3_pair){.name = name, .value = value};
}

/* There is no range of no bytes; one byte is requested, whose answer has the object's size as well. */
static int
add_range_header(draft *d, const ncz_s3_op *op)
{
    uint64_t last;
    int      rc;

    if (op->plain || (!op->from_end && op->off == 0 && op->len == NCZ_S3_WHOLE))
        return NC_NOERR;
    if (op->from_end && op->len > 0)
        rc = ncz_buf_printf(&d->range, "bytes=-%" PRIu64, op->len);
    else if (op->len == NCZ_S3_WHOLE || !ncz_add64(op->off, op->len > 0 ? op->len - 1 : 0, &last))
        rc = ncz_buf_printf(&d->range, "bytes=%" PRIu64 "-", op->off);
    else
        rc = ncz_buf_printf(&d->range, "bytes=%" PRIu64 "-%" PRIu64, op->off, last);
    if (rc == NC_NOERR)
        add_header(d, "range", ncz_buf_str(&d->range));
    return rc;
}

static int
add_put_headers(draft *d, const ncz_s3_exchange *x)
{
    const ncz_s3_op *op = x->op;
    int              rc;

    if (op->when == NCZ_S3_IF_ABSENT)
        add_header(d, "if-none-match", "*");
    else if (op->when == NCZ_S3_IF_MATCH)
        add_header(d, "if-match", op->version);
    if (op->id[0] != '\0' && (op->verb == NCZ_S3_PUT || op->tagged))
        add_header(d, NCZ_S3_WRITE_ID, op->id);
    if (op->md5) {
        if ((rc = ncz_s3_md5_base64(op->data, op->ndata, &d->md5)) != NC_NOERR)
            return rc;
        add_header(d, "content-md5", ncz_buf_str(&d->md5));
    } else if (op->checksum ||
               (op->verb == NCZ_S3_PUT && !atomic_load_explicit(&x->s->no_checksum, memory_order_relaxed))) {
        ncz_s3_crc_base64(op->data, op->ndata, d->crc);
        add_header(d, "x-amz-checksum-crc32c", d->crc);
    }
    return NC_NOERR;
}

/* Of a part that is copied: "/bucket/prefix/key", its range, and what the object must be. */
static int
add_copy_headers(draft *d, const ncz_s3_exchange *x)
{
    const ncz_s3_op *op = x->op;
    ncz_buf          key = NCZ_BUF_INIT;
    int              rc = ncz_buf_putc(&d->source, '/');

    if (rc == NC_NOERR && x->s->settings->virtual_host) /* else the bucket is in the key */
        rc = ncz_buf_printf(&d->source, "%s/", x->s->settings->bucket);
    if (rc == NC_NOERR && (rc = ncz_s3_append_full_key(x->s, op->key, &key)) == NC_NOERR)
        rc = ncz_uri_encode(&d->source, ncz_buf_str(&key), key.len, true);
    if (rc == NC_NOERR)
        rc = ncz_buf_printf(&d->range, "bytes=%" PRIu64 "-%" PRIu64, op->copy_off, op->copy_off + op->copy_len - 1);
    ncz_buf_clear(&key);
    if (rc != NC_NOERR)
        return rc;
    add_header(d, "x-amz-copy-source", ncz_buf_str(&d->source));
    add_header(d, "x-amz-copy-source-range", ncz_buf_str(&d->range));
    if (op->when == NCZ_S3_IF_MATCH)
        add_header(d, "x-amz-copy-source-if-match", op->version);
    return NC_NOERR;
}

static int
add_all_headers(draft *d, const ncz_s3_exchange *x)
{
    const ncz_s3_op *op = x->op;
    int              rc = NC_NOERR;

    if (x->s->settings->requester_pays)
        add_header(d, "x-amz-request-payer", "requester");
    if (op->resolving)
        return rc;
    if (op->verb == NCZ_S3_GET && op->key != NULL) {
        if (op->when == NCZ_S3_IF_MATCH && x->s->web == NULL && op->version[0] == '"') /* no weak ETag ever matches */
            add_header(d, "if-match", op->version);
        if ((rc = add_range_header(d, op)) == NC_NOERR && d->range.len == 0 && x->s->web == NULL)
            add_header(d, "x-amz-checksum-mode", "ENABLED");
    } else if (op->verb == NCZ_S3_PUT || op->verb == NCZ_S3_POST) {
        rc = add_put_headers(d, x);
    } else if (op->verb == NCZ_S3_COPY) {
        rc = add_copy_headers(d, x);
    }
    return rc;
}

/* "host:port" of the URL and the signature, or that of a redirect (s3_recover.c). */
static int
append_host(const ncz_s3_exchange *x, ncz_buf *out)
{
    const ncz_s3_settings *set = x->s->settings;
    const char            *host = ncz_buf_str(&x->host);
    bool                   ipv6 = strchr(host, ':') != NULL;
    int                    rc;

    if (x->op->place != NULL)
        return ncz_buf_puts(out, x->op->place);
    rc = ncz_buf_printf(out, "%s%s%s%s%s", set->virtual_host ? set->bucket : "", set->virtual_host ? "." : "",
                        ipv6 ? "[" : "", host, ipv6 ? "]" : "");
    if (rc != NC_NOERR || set->port == 0 || set->port == (set->https ? 443U : 80U))
        return rc;
    return ncz_buf_printf(out, ":%u", set->port);
}

/* If only EC2's metadata service may have credentials, a read is first sent unsigned: the data may be public. */
static int
find_access_key(ncz_s3_exchange *x, ncz_s3_access_key *out)
{
    const ncz_s3_settings *set = x->s->settings;
    bool                   signs = atomic_load_explicit(&x->s->signs, memory_order_relaxed);
    ncz_creds_need         need = NCZ_CREDS_AT_HAND;

    if (set->anonymous || set->creds == NULL)
        return NC_NOERR;
    if (x->op->verb != NCZ_S3_GET)
        need = NCZ_CREDS_REQUIRED;
    else if (signs || x->op->signing_tried || set->writes || set->requester_pays)
        need = NCZ_CREDS_ANY;
    return ncz_creds_get(set->creds, false, need, out, NULL);
}

/* The hash of a body is made once, of all of a batch at the same time where it has a workers' help
 * (s3_request_loop.c). */
static int
hash_payload(ncz_s3_op *op, char out[NCZ_S3_SHA256_HEX])
{
    int rc = NC_NOERR;

    if (op->resolving || (op->verb != NCZ_S3_PUT && op->verb != NCZ_S3_POST))
        return ncz_s3_sha256_hex("", 0, out);
    if (op->sha256[0] == '\0')
        rc = ncz_s3_sha256_hex(op->data, op->ndata, op->sha256);
    memcpy(out, op->sha256, NCZ_S3_SHA256_HEX);
    return rc;
}

/* "/bucket/prefix/key" after the endpoint's own path. */
static int
append_path(ncz_s3_exchange *x)
{
    ncz_buf key = NCZ_BUF_INIT;
    int     rc;

    if ((rc = ncz_s3_append_full_key(x->s, x->op->key, &key)) == NC_NOERR)
        rc = ncz_buf_printf(&x->path, "%s/", x->s->settings->base != NULL ? x->s->settings->base : "");
    if (rc == NC_NOERR)
        rc = ncz_buf_puts(&x->path, ncz_buf_str(&key));
    ncz_buf_clear(&key);
    return rc;
}

/* Reuses the last signing key if it is still valid, which saves four of the seven hashes of a request. */
static int
sign_request(ncz_s3_exchange *x, const draft *d, int64_t skew_s)
{
    ncz_s3_signing        keep;
    const ncz_s3_sign_req req = {.method = x->call.method,
                                 .host = ncz_buf_str(&d->host),
                                 .path = ncz_buf_str(&x->path),
                                 .query = x->op->resolving ? NULL : x->op->query,
                                 .nquery = x->op->resolving ? 0 : x->op->nquery,
                                 .headers = d->headers,
                                 .nheaders = d->n,
                                 .payload = d->sha256,
                                 .region = ncz_buf_str(&x->region),
                                 .service = "s3",
                                 .now = (int64_t)time(NULL) + skew_s,
                                 .s3_path = true,
                                 .keep = &keep};
    int                   rc;

    x->signed_ = d->keys.id != NULL;
    ncz_s3_signing_get(x->s, &keep);
    if ((rc = ncz_s3_sign(&req, &d->keys, &x->target, &x->headers)) == NC_NOERR)
        ncz_s3_signing_set(x->s, &keep);
    ncz_s3_signing_clear(&keep);
    return rc;
}

static int
append_url(ncz_s3_exchange *x, const draft *d)
{
    const ncz_s3_settings *set = x->s->settings;
    const char            *target = ncz_buf_str(&x->target);
    int                    rc;

    rc = ncz_buf_printf(&x->url, "%s://%s%s", set->https ? "https" : "http", ncz_buf_str(&d->host), target);
    if (rc != NC_NOERR || set->query == NULL)
        return rc;
    return ncz_buf_printf(&x->url, "%c%s", strchr(target, '?') != NULL ? '&' : '?', set->query);
}

static int
build_s3_request(ncz_s3_exchange *x, draft *d)
{
    int64_t skew_s;
    int     rc;

    if ((rc = ncz_s3_copy_server_state(x->s, &x->host, &x->region, &skew_s)) != NC_NOERR ||
        (rc = append_path(x)) != NC_NOERR)
        return rc;
    if ((rc = append_host(x, &d->host)) != NC_NOERR || (rc = find_access_key(x, &d->keys)) != NC_NOERR)
        return rc;
    if ((rc = hash_payload(x->op, d->sha256)) != NC_NOERR || (rc = sign_request(x, d, skew_s)) != NC_NOERR)
        return rc;
    return append_url(x, d);
}

/* What the user gave for the server, and its login: never for another one, to which it redirected. */
static int
add_login(ncz_s3_exchange *x)
{
    ncz_login *login = x->s->settings->login;

    if (login == NULL || (x->op->place != NULL && !ncz_login_is_own(login, x->op->place)))
        return NC_NOERR;
    return ncz_login_headers(login, &x->headers, &x->session);
}

/* A web server gets the URL, the key after its path, and then the query. */
static int
build_web_request(ncz_s3_exchange *x, const draft *d)
{
    const ncz_s3_op *op = x->op;
    const char      *query = x->s->settings->query;
    int              rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < d->n; i++)
        rc = ncz_buf_printf(&x->headers, "%s: %s\n", d->headers[i].name, d->headers[i].value);
    if (rc != NC_NOERR || (rc = add_login(x)) != NC_NOERR)
        return rc;
    if (op->place != NULL)
        return ncz_buf_puts(&x->url, op->place);
    if ((rc = ncz_buf_puts(&x->url, x->s->web)) == NC_NOERR && x->op->key[0] != '\0' && /* "" is the URL itself */
        (rc = ncz_buf_putc(&x->url, '/')) == NC_NOERR)
        rc = ncz_uri_encode(&x->url, op->key, strlen(op->key), true);
    return rc == NC_NOERR && query != NULL ? ncz_buf_printf(&x->url, "?%s", query) : rc;
}

int
ncz_s3_build_request(ncz_s3_exchange *x)
{
    ncz_s3_op *op = x->op;
    bool       sends = !op->resolving && op->verb != NCZ_S3_GET && op->verb != NCZ_S3_DELETE;
    draft      d = {.n = 0};
    int        rc;

    ncz_buf_reset(&x->url);
    ncz_buf_reset(&x->headers);
    ncz_buf_reset(&x->target);
    ncz_buf_reset(&x->path);
    x->call.method = op->resolving ? "HEAD" : methods[op->verb];
    if ((rc = add_all_headers(&d, x)) == NC_NOERR)
        rc = x->s->web != NULL ? build_web_request(x, &d) : build_s3_request(x, &d);
    draft_clear(&d);
    x->call.url = ncz_buf_str(&x->url);
    x->call.headers = ncz_buf_str(&x->headers);
    x->call.sends = sends;
    x->call.data = sends ? op->data : NULL;
    x->call.ndata = sends ? op->ndata : 0;
    return rc;
}
