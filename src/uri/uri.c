/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses URLs and plain paths. RFC 3986, with netCDF's exceptions: file://rel/path is a relative path, `[key=value]`
 * may precede the URL, and a plain path keeps every character that is not clearly a fragment of ours.
 */
#include "uri/uri_int.h"

#include <string.h>
#include <strings.h>

void
ncz_uri_free(ncz_uri *u)
{
    if (u == NULL)
        return;
    for (size_t i = 0; i < u->nfrag; i++) {
        ncz_free(u->frag[i].key);
        ncz_free(u->frag[i].value);
    }
    ncz_free(u->frag);
    ncz_free(u->scheme);
    ncz_free(u->user);
    ncz_free(u->host);
    ncz_free(u->path);
    ncz_free(u->query);
    ncz_free(u->body);
    ncz_free(u);
}

static int
copy_text(const char *s, size_t len, char **out)
{
    if ((*out = ncz_strndup(s, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    return NC_NOERR;
}

static int
copy_lower(const char *s, size_t len, char **out)
{
    int rc = copy_text(s, len, out);

    for (size_t i = 0; rc == NC_NOERR && i < len; i++)
        if (s[i] >= 'A' && s[i] <= 'Z')
            (*out)[i] = (char)(s[i] - 'A' + 'a');
    return rc;
}

size_t
ncz_uri_scheme_length(const char *s)
{
    size_t n = 0;

    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
           (n > 0 && ((s[n] >= '0' && s[n] <= '9') || s[n] == '+' || s[n] == '-' || s[n] == '.')))
        n++;
    return n > 0 && strncmp(s + n, "://", 3) == 0 ? n : 0;
}

/* ---- authority: user@host:port ---- */

static int
parse_port(ncz_uri *u, const char *s, size_t len)
{
    unsigned port = 0;

    for (size_t i = 0; i < len; i++) {
        if (s[i] < '0' || s[i] > '9' || (port = port * 10 + (unsigned)(s[i] - '0')) > 65535)
            return ncz_fail(NC_EURL, "bad port \"%.*s\" in a URL", (int)len, s);
    }
    if (len != 0 && port == 0)
        return ncz_fail(NC_EURL, "port 0 in a URL");
    u->port = port;
    return NC_NOERR;
}

static bool
is_host(const char *s, size_t len)
{
    static const char odd[] = " \"#%/<>?@[\\]^`{|}";

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] <= 0x20 || s[i] == 0x7F || s[i] == ':' || strchr(odd, s[i]) != NULL)
            return false;
    return true;
}

ncz_uri_s3_kind
ncz_uri_scheme_s3(const char *scheme)
{
    static const struct {
        const char     *scheme;
        ncz_uri_s3_kind kind;
    } rows[] = {
        {"s3", NCZ_URI_S3},     {"s3a", NCZ_URI_S3_BUCKET}, {"s3n", NCZ_URI_S3_BUCKET},
        {"gs", NCZ_URI_GOOGLE}, {"gs3", NCZ_URI_GOOGLE},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (strcmp(scheme, rows[i].scheme) == 0)
            return rows[i].kind;
    return NCZ_URI_NO_S3;
}

/* A host that is a bucket keeps its case: S3's oldest buckets have capitals. */
static int
parse_host(ncz_uri *u, const char *s, size_t len)
{
    bool bucket = ncz_uri_scheme_s3(u->scheme) != NCZ_URI_NO_S3 && memchr(s, '.', len) == NULL;

    if (len == 0)
        return NC_NOERR;
    if (!is_host(s, len))
        return ncz_fail(NC_EURL, "bad host \"%.*s\" in a URL", (int)len, s);
    return bucket ? copy_text(s, len, &u->host) : copy_lower(s, len, &u->host);
}

/* The host of [IPv6] has no brackets, as name resolution expects. */
static int
parse_ipv6(ncz_uri *u, const char *s, size_t len)
{
    const char *close = memchr(s, ']', len);
    size_t      rest;

    for (size_t i = 1; close != NULL && i < (size_t)(close - s); i++)
        if (strchr("0123456789abcdefABCDEF:.", s[i]) == NULL)
            close = NULL;
    if (close == NULL || close - s < 3)
        return ncz_fail(NC_EURL, "bad host \"%.*s\" in a URL", (int)len, s);
    rest = len - (size_t)(close + 1 - s);
    if (rest > 0 && close[1] != ':')
        return ncz_fail(NC_EURL, "bad host \"%.*s\" in a URL", (int)len, s);
    if (copy_lower(s + 1, (size_t)(close - s - 1), &u->host) != NC_NOERR)
        return NC_ENOMEM;
    return rest > 0 ? parse_port(u, close + 2, rest - 1) : NC_NOERR;
}

/* The last '@' of s[0..len), or NULL. */
static const char *
find_last_at(const char *s, size_t len)
{
    while (len > 0 && s[len - 1] != '@')
        len--;
    return len > 0 ? s + len - 1 : NULL;
}

static int
parse_authority(ncz_uri *u, const char *s, size_t len)
{
    const char *at = find_last_at(s, len), *colon;
    int         rc;

    if (at != NULL) {
        if ((rc = copy_text(s, (size_t)(at - s), &u->user)) != NC_NOERR)
            return rc;
        len -= (size_t)(at + 1 - s);
        s = at + 1;
    }
    if (len > 0 && s[0] == '[')
        return parse_ipv6(u, s, len);
    if (len >= 4 && strncasecmp(s, "arn:", 4) == 0 && ncz_uri_scheme_s3(u->scheme) != NCZ_URI_NO_S3)
        return ncz_fail(NC_EURL, "an ARN is not supported as a bucket (for an access point, write its alias)");
    colon = memchr(s, ':', len);
    if ((rc = parse_host(u, s, colon != NULL ? (size_t)(colon - s) : len)) != NC_NOERR)
        return rc;
    return colon != NULL ? parse_port(u, colon + 1, len - (size_t)(colon + 1 - s)) : NC_NOERR;
}

/* ---- the two kinds of URL ---- */

/* After file://: an absolute path, one after "localhost", or, as in netCDF, a relative one. */
static int
parse_file(ncz_uri *u, const char *s, size_t len)
{
    if (len >= 10 && strncasecmp(s, "localhost/", 10) == 0) {
        s += 9;
        len -= 9;
    }
    if (len == 0)
        return ncz_fail(NC_EURL, "a file URL needs a path");
    if (memchr(s, '?', len) != NULL)
        return ncz_fail(NC_EURL, "a file URL has no query (write %%3F for a '?' in the path)");
    return ncz_uri_decode(s, len, &u->path);
}

static int
parse_remote(ncz_uri *u, const char *s, size_t len)
{
    const char *query = memchr(s, '?', len);
    size_t      before = query != NULL ? (size_t)(query - s) : len;
    const char *slash = memchr(s, '/', before);
    size_t      authority = slash != NULL ? (size_t)(slash - s) : before;
    int         rc;

    if ((rc = parse_authority(u, s, authority)) != NC_NOERR)
        return rc;
    if ((rc = copy_text(s + authority, before - authority, &u->path)) != NC_NOERR)
        return rc;
    return query != NULL ? copy_text(query + 1, len - before - 1, &u->query) : NC_NOERR;
}

static int
parse_url(ncz_uri *u, const char *s)
{
    size_t scheme = ncz_uri_scheme_length(s), body;
    int    rc;

    for (const char *c = s; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return ncz_fail(NC_EURL, "control character in a URL");
    if ((rc = copy_lower(s, scheme, &u->scheme)) != NC_NOERR ||
        (rc = copy_text(s, strcspn(s, "#"), &u->body)) != NC_NOERR)
        return rc;
    s += scheme + 3;
    body = strcspn(s, "#");
    rc = strcmp(u->scheme, "file") == 0 ? parse_file(u, s, body) : parse_remote(u, s, body);
    if (rc != NC_NOERR || s[body] == '\0')
        return rc;
    return ncz_uri_frag_add(u, s + body + 1, strlen(s + body + 1));
}

/* ---- plain paths ---- */

static int
parse_plain_path(ncz_uri *u, const char *s)
{
    const char *hash = ncz_uri_frag_begin(s);
    size_t      len = strlen(s), path = hash != NULL ? (size_t)(hash - s) : len;
    int         rc;

    if (path == 0)
        return ncz_fail(NC_EINVAL, "the path is empty");
    if ((rc = copy_text(s, path, &u->path)) != NC_NOERR || (rc = copy_text(s, path, &u->body)) != NC_NOERR ||
        path == len)
        return rc;
    return ncz_uri_frag_add(u, s + path + 1, len - path - 1);
}

/* ---- all of it ---- */

/* The URL after `[key=value][key]...`, or NULL when no such prefixes precede a URL. */
static const char *
skip_prefixes(const char *s)
{
    const char *begin = s, *close;

    while (*s == '[') {
        if ((close = strchr(s, ']')) == NULL)
            return NULL;
        s = close + 1;
    }
    return s != begin && ncz_uri_scheme_length(s) > 0 ? s : NULL;
}

static int
parse_prefixes(ncz_uri *u, const char *s, const char *end)
{
    int rc = NC_NOERR;

    while (rc == NC_NOERR && s < end) {
        const char *close = strchr(s, ']');

        rc = ncz_uri_frag_add(u, s + 1, (size_t)(close - s - 1));
        s = close + 1;
    }
    return rc;
}

int
ncz_uri_parse(const char *text, ncz_uri **out)
{
    const char *url;
    ncz_uri    *u;
    int         rc = NC_NOERR;

    if (text == NULL || *text == '\0')
        return ncz_fail(NC_EINVAL, "the path is empty");
    if ((u = ncz_zalloc(sizeof *u)) == NULL)
        return ncz_fail_nomem(sizeof *u);

    if ((url = skip_prefixes(text)) != NULL)
        rc = parse_prefixes(u, text, url);
    else if (ncz_uri_scheme_length(text) > 0)
        url = text;
    if (rc == NC_NOERR)
        rc = url != NULL ? parse_url(u, url) : parse_plain_path(u, text);
    if (rc == NC_NOERR) {
        *out = u;
        u = NULL; /* now the caller's */
    }
    ncz_uri_free(u);
    return rc;
}
