/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AWS Signature Version 4: the canonical request, the string to sign, and the headers that carry the signature.
 *
 * Invariant: the signed text and the request are made from the same strings in one call. No state but the caller's
 * ncz_s3_signing.
 */
#include "s3/protocol/s3_hash.h"
#include "uri/uri.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { STAMP = 17, DAY = 9 }; /* bytes of "YYYYMMDDTHHMMSSZ" and of "YYYYMMDD", with their NULs */

/* ---- sorted lists of query parameters and headers ---- */

typedef struct item {
    char  *name, *value;
    size_t at;   /* place in the original order, which equal names keep */
    bool   bare; /* a parameter without '=' */
} item;

typedef struct items {
    item  *v;
    size_t n;
} items;

static void
items_clear(items *all)
{
    for (size_t i = 0; i < all->n; i++) {
        ncz_free(all->v[i].name);
        ncz_free_secret(all->v[i].value); /* a session token may be among them */
    }
    ncz_free(all->v);
    *all = (items){.v = NULL};
}

/* Takes over both, also on failure. */
static int
items_add(items *all, char *name, char *value)
{
    item *v = NULL;

    if (name == NULL || value == NULL || (v = ncz_grow(all->v, all->n + 1, sizeof *v)) == NULL) {
        ncz_free(name);
        ncz_free_secret(value);
        return ncz_fail_nomem((all->n + 1) * sizeof *v);
    }
    all->v = v;
    v[all->n] = (item){.name = name, .value = value, .at = all->n};
    all->n++;
    return NC_NOERR;
}

static int
compare_name_value(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int         order = strcmp(x->name, y->name);

    return order != 0 ? order : strcmp(x->value, y->value);
}

static int
compare_name_order(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int         order = strcmp(x->name, y->name);

    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* ---- path ---- */

/* Removes empty and dot segments in place; keeps a trailing slash. */
static void
normalise_path(char *path)
{
    char *to = path;

    for (const char *s = path; *s != '\0';) {
        size_t n = strcspn(++s, "/");
        bool   last = s[n] == '\0', up = n == 2 && s[0] == '.' && s[1] == '.';

        if (up) {
            while (to > path && *--to != '/')
                ;
        } else if (n > 0 && !(n == 1 && s[0] == '.')) {
            *to++ = '/';
            memmove(to, s, n);
            to += n;
            s += n;
            continue;
        }
        s += n;
        if (last)
            *to++ = '/';
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

static int
append_canonical_path(const ncz_s3_sign_req *req, ncz_buf *out)
{
    ncz_buf once = NCZ_BUF_INIT;
    char   *path = NULL;
    int     rc;

    if (req->path[0] != '/')
        return ncz_fail(NC_EINTERNAL, "the path of a request does not begin with '/'");
    if (req->s3_path)
        return ncz_uri_encode(out, req->path, strlen(req->path), true);
    if ((path = ncz_strdup(req->path)) == NULL)
        return ncz_fail_nomem(strlen(req->path) + 1);
    normalise_path(path);
    if ((rc = ncz_uri_encode(&once, path, strlen(path), true)) == NC_NOERR)
        rc = ncz_uri_encode(out, once.data, once.len, true);
    ncz_buf_clear(&once);
    ncz_free(path);
    return rc;
}

/* ---- query ---- */

static int
encode_text(const char *s, char **out)
{
    ncz_buf b = NCZ_BUF_INIT;
    int     rc = ncz_uri_encode(&b, s, strlen(s), false);

    if (rc == NC_NOERR && (*out = ncz_buf_take(&b)) == NULL)
        rc = ncz_fail_nomem(1);
    ncz_buf_clear(&b);
    return rc;
}

static int
sort_query(const ncz_s3_sign_req *req, items *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < req->nquery && rc == NC_NOERR; i++) {
        const char *value = req->query[i].value;
        char       *a = NULL, *b = NULL;

        if ((rc = encode_text(req->query[i].name, &a)) == NC_NOERR)
            rc = encode_text(value != NULL ? value : "", &b);
        if (rc != NC_NOERR)
            ncz_free(a);
        else if ((rc = items_add(out, a, b)) == NC_NOERR)
            out->v[i].bare = value == NULL;
    }
    if (out->n > 1)
        qsort(out->v, out->n, sizeof *out->v, compare_name_value);
    return rc;
}

/* The signed form always has '='. The request has "?uploads" without it, as some servers require. */
static int
append_query(const items *query, bool may_be_bare, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < query->n && rc == NC_NOERR; i++) {
        const item *q = &query->v[i];
        const char *equals = may_be_bare && q->bare ? "" : "=";

        rc = ncz_buf_printf(out, "%s%s%s%s", i > 0 ? "&" : "", q->name, equals, q->value);
    }
    return rc;
}

/* ---- headers ---- */

/* Proxies change the others, or libcurl writes them. */
static bool
is_signed(const char *name)
{
    static const char *const not [] = {"user-agent",        "expect", "connection",          "accept-encoding",
                                       "transfer-encoding", "te",     "proxy-authorization", "authorization",
                                       "x-amzn-trace-id"};

    for (size_t i = 0; i < NCZ_LEN(not ); i++)
        if (strcasecmp(name, not [i]) == 0)
            return false;
    return true;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Removes blanks at the ends and squeezes others. NULL: out of memory. */
static char *
trim_blanks(const char *s)
{
    char *text = ncz_alloc(strlen(s) + 1), *to = text;

    if (text == NULL)
        return NULL;
    for (; *s != '\0'; s++)
        if (!is_blank(*s))
            *to++ = *s;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    if (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
    return text;
}

static char *
copy_lower(const char *s)
{
    char *text = ncz_strdup(s);

    for (char *c = text; c != NULL && *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return text;
}

/* A line break would end the header and begin another one. */
static int
check_header(const char *name, const char *value)
{
    if (name[0] == '\0' || strpbrk(name, " \t\r\n:") != NULL)
        return ncz_fail(NC_EINVAL, "bad name of an HTTP header");
    if (strpbrk(value, "\r\n") != NULL)
        return ncz_fail(NC_EINVAL, "a line break in the HTTP header %s", name);
    return NC_NOERR;
}

static int
add_header(items *all, const char *name, const char *value)
{
    int rc = check_header(name, value);

    if (rc == NC_NOERR && is_signed(name))
        rc = items_add(all, copy_lower(name), trim_blanks(value));
    return rc;
}

static int
sort_headers(const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, const char *stamp, items *out)
{
    int rc;

    if ((rc = add_header(out, "host", req->host)) != NC_NOERR)
        return rc;
    if ((rc = add_header(out, "x-amz-date", stamp)) != NC_NOERR)
        return rc;
    if (!req->no_content_header && (rc = add_header(out, "x-amz-content-sha256", req->payload)) != NC_NOERR)
        return rc;
    if (keys->token != NULL && (rc = add_header(out, "x-amz-security-token", keys->token)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < req->nheaders && rc == NC_NOERR; i++)
        rc = add_header(out, req->headers[i].name, req->headers[i].value != NULL ? req->headers[i].value : "");
    qsort(out->v, out->n, sizeof *out->v, compare_name_order);
    return rc;
}

/* "name:value\n" each; equal names become one line. */
static int
append_headers(const items *all, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < all->n && rc == NC_NOERR; i++) {
        const item *h = &all->v[i];
        bool        again = i > 0 && strcmp(h[-1].name, h->name) == 0;
        bool        more = i + 1 < all->n && strcmp(h[1].name, h->name) == 0;

        rc = ncz_buf_printf(out, "%s%s%s%s", again ? "" : h->name, again ? "," : ":", h->value, more ? "" : "\n");
    }
    return rc;
}

static int
append_names(const items *all, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < all->n && rc == NC_NOERR; i++)
        if (i == 0 || strcmp(all->v[i - 1].name, all->v[i].name) != 0)
            rc = ncz_buf_printf(out, "%s%s", i > 0 ? ";" : "", all->v[i].name);
    return rc;
}

/* ---- the canonical request and the string to sign ---- */

typedef struct signing {
    char    stamp[STAMP], day[DAY];
    items   query, headers;
    ncz_buf names, canonical, to_sign;
} signing;

static void
signing_clear(signing *s)
{
    items_clear(&s->query);
    items_clear(&s->headers);
    ncz_wipe(s->canonical.data, s->canonical.cap);
    ncz_buf_clear(&s->names);
    ncz_buf_clear(&s->canonical);
    ncz_buf_clear(&s->to_sign);
}

static int
format_times(signing *s, int64_t now)
{
    time_t    t = (time_t)now;
    struct tm tm;

    if (gmtime_r(&t, &tm) == NULL || tm.tm_year < 0 || tm.tm_year > 8099 ||
        strftime(s->stamp, sizeof s->stamp, "%Y%m%dT%H%M%SZ", &tm) != STAMP - 1)
        return ncz_fail(NC_EINVAL, "the clock shows a year that a signature cannot express");
    memcpy(s->day, s->stamp, DAY - 1);
    s->day[DAY - 1] = '\0';
    return NC_NOERR;
}

/* Reserves all of it at once: a growing buffer would leave copies of a token in freed memory. */
static int
reserve_canonical(signing *s, const ncz_s3_sign_req *req)
{
    size_t n = 9 * strlen(req->path) + 512;

    for (size_t i = 0; i < s->query.n; i++)
        n += strlen(s->query.v[i].name) + strlen(s->query.v[i].value) + 2;
    for (size_t i = 0; i < s->headers.n; i++)
        n += 2 * strlen(s->headers.v[i].name) + strlen(s->headers.v[i].value) + 3;
    return ncz_buf_reserve(&s->canonical, n);
}

static int
append_canonical(signing *s, const ncz_s3_sign_req *req)
{
    ncz_buf *out = &s->canonical;
    int      rc;

    if ((rc = append_names(&s->headers, &s->names)) != NC_NOERR || (rc = reserve_canonical(s, req)) != NC_NOERR)
        return rc;
    if ((rc = ncz_buf_printf(out, "%s\n", req->method)) != NC_NOERR)
        return rc;
    if ((rc = append_canonical_path(req, out)) != NC_NOERR || (rc = ncz_buf_putc(out, '\n')) != NC_NOERR)
        return rc;
    if ((rc = append_query(&s->query, false, out)) != NC_NOERR || (rc = ncz_buf_putc(out, '\n')) != NC_NOERR)
        return rc;
    if ((rc = append_headers(&s->headers, out)) != NC_NOERR)
        return rc;
    return ncz_buf_printf(out, "\n%s\n%s", ncz_buf_str(&s->names), req->payload);
}

static int
append_string_to_sign(signing *s, const ncz_s3_sign_req *req)
{
    char hash[NCZ_S3_SHA256_HEX];
    int  rc;

    if ((rc = ncz_s3_sha256_hex(s->canonical.data, s->canonical.len, hash)) != NC_NOERR)
        return rc;
    return ncz_buf_printf(&s->to_sign, "AWS4-HMAC-SHA256\n%s\n%s/%s/%s/aws4_request\n%s", s->stamp, s->day,
                          req->region, req->service, hash);
}

static int
prepare_signing(const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, signing *s)
{
    int rc;

    if ((rc = format_times(s, req->now)) != NC_NOERR || (rc = sort_query(req, &s->query)) != NC_NOERR)
        return rc;
    if ((rc = sort_headers(req, keys, s->stamp, &s->headers)) != NC_NOERR)
        return rc;
    if ((rc = append_canonical(s, req)) != NC_NOERR)
        return rc;
    return append_string_to_sign(s, req);
}

int
ncz_s3_canonical(const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, ncz_buf *canonical, ncz_buf *to_sign)
{
    signing s = {.names = NCZ_BUF_INIT};
    int     rc;

    if ((rc = prepare_signing(req, keys, &s)) != NC_NOERR)
        goto done;
    if ((rc = ncz_buf_append(canonical, s.canonical.data, s.canonical.len)) == NC_NOERR)
        rc = ncz_buf_append(to_sign, s.to_sign.data, s.to_sign.len);
done:
    signing_clear(&s);
    return rc;
}

/* ---- the signature ---- */

static int
append_authorization(const signing *s, const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, ncz_buf *out)
{
    unsigned char key[NCZ_S3_SHA256_BYTES], sum[NCZ_S3_SHA256_BYTES];
    char          hex[NCZ_S3_SHA256_HEX];
    int           rc;

    if ((rc = ncz_s3_signing_key(req, s->day, keys->secret, key)) == NC_NOERR)
        rc = ncz_s3_hmac(key, sizeof key, s->to_sign.data, s->to_sign.len, sum);
    ncz_wipe(key, sizeof key);
    if (rc != NC_NOERR)
        return rc;
    ncz_s3_hex(sum, sizeof sum, hex);
    return ncz_buf_printf(out,
                          "Authorization: AWS4-HMAC-SHA256 Credential=%s/%s/%s/%s/aws4_request, SignedHeaders=%s, "
                          "Signature=%s\n",
                          keys->id, s->day, req->region, req->service, ncz_buf_str(&s->names), hex);
}

static int
append_signed_headers(const signing *s, const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, ncz_buf *out)
{
    size_t token = keys->token != NULL ? strlen(keys->token) : 0;
    int    rc;

    if (strpbrk(keys->id, "\r\n/, ") != NULL)
        return ncz_fail(NC_EAUTH, "the access key id contains a character that is not allowed in one");
    if ((rc = ncz_buf_reserve(out, token + s->names.len + strlen(keys->id) + 512)) != NC_NOERR)
        return rc;
    if ((rc = ncz_buf_printf(out, "x-amz-date: %s\n", s->stamp)) != NC_NOERR)
        return rc;
    if (!req->no_content_header && (rc = ncz_buf_printf(out, "x-amz-content-sha256: %s\n", req->payload)) != NC_NOERR)
        return rc;
    if (token > 0 && (rc = ncz_buf_printf(out, "x-amz-security-token: %s\n", keys->token)) != NC_NOERR)
        return rc;
    return append_authorization(s, req, keys, out);
}

/* ---- the request ---- */

static int
append_target(const ncz_s3_sign_req *req, const items *query, ncz_buf *out)
{
    int rc = ncz_uri_encode(out, req->path, strlen(req->path), true);

    if (rc == NC_NOERR && query->n > 0)
        rc = ncz_buf_putc(out, '?');
    return rc == NC_NOERR ? append_query(query, true, out) : rc;
}

static int
append_caller_headers(const ncz_s3_sign_req *req, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < req->nheaders && rc == NC_NOERR; i++) {
        const char *value = req->headers[i].value != NULL ? req->headers[i].value : "";

        if ((rc = check_header(req->headers[i].name, value)) == NC_NOERR)
            rc = ncz_buf_printf(out, "%s: %s\n", req->headers[i].name, value);
    }
    return rc;
}

int
ncz_s3_sign(const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, ncz_buf *target, ncz_buf *headers)
{
    signing s = {.names = NCZ_BUF_INIT};
    bool    sign = keys != NULL && keys->id != NULL;
    int     rc;

    rc = sign ? prepare_signing(req, keys, &s) : sort_query(req, &s.query);
    if (rc == NC_NOERR && (rc = append_target(req, &s.query, target)) == NC_NOERR)
        rc = append_caller_headers(req, headers);
    if (rc == NC_NOERR && sign)
        rc = append_signed_headers(&s, req, keys, headers);
    signing_clear(&s);
    return rc;
}
