/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A place as text: what it names, in one spelling. Only text: nothing here looks at a disk or asks a server.
 */
#include "places/places_int.h"

#include <string.h>
#include <strings.h>

void
ncz_place_clear(ncz_place *p)
{
    ncz_free(p->scheme);
    ncz_free(p->host);
    ncz_free(p->path);
    ncz_free_secret(p->query);
    *p = (ncz_place){.scheme = NULL};
}

static int
copy_text(const char *s, size_t len, char **out)
{
    *out = ncz_strndup(s, len);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(len + 1);
}

int
ncz_place_copy(const ncz_place *p, ncz_place *out)
{
    *out = (ncz_place){.scheme = ncz_strdup(p->scheme),
                       .host = ncz_strdup(p->host),
                       .port = p->port,
                       .path = ncz_strdup(p->path),
                       .query = p->query != NULL ? ncz_strdup(p->query) : NULL};
    if (out->scheme != NULL && out->host != NULL && out->path != NULL && (p->query == NULL || out->query != NULL))
        return NC_NOERR;
    ncz_place_clear(out);
    return ncz_fail_nomem(strlen(p->path) + 1);
}

/* ---- paths ----------------------------------------------------------------------------------------------------- */

/* Appends the segments of `s`, each with a '/' before it: "." and empty ones are nothing, ".." takes one away. */
static int
put_segments(ncz_buf *out, const char *s, size_t len)
{
    const char *end = s + len;
    int         rc = NC_NOERR;

    while (rc == NC_NOERR && s < end) {
        const char *slash = memchr(s, '/', (size_t)(end - s)), *stop = slash != NULL ? slash : end;
        size_t      n = (size_t)(stop - s);

        if (n == 2 && s[0] == '.' && s[1] == '.') {
            while (out->len > 0 && out->data[--out->len] != '/')
                continue;
        } else if (n > 0 && !(n == 1 && s[0] == '.') && (rc = ncz_buf_putc(out, '/')) == NC_NOERR) {
            rc = ncz_buf_append(out, s, n);
        }
        s = slash != NULL ? slash + 1 : end;
    }
    return rc;
}

int
ncz_place_set_path(ncz_place *p, const char *base, const char *path, size_t len)
{
    ncz_buf out = NCZ_BUF_INIT;
    int     rc = put_segments(&out, base, strlen(base));

    if (rc == NC_NOERR)
        rc = put_segments(&out, path, len);
    if (rc == NC_NOERR) {
        ncz_free(p->path);
        rc = copy_text(out.len > 0 ? out.data : "/", out.len > 0 ? out.len : 1, &p->path);
    }
    ncz_buf_clear(&out);
    return rc;
}

/* Nothing in a name that a server, a disk and we may read in two ways. */
static int
check_characters(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7F || s[i] == '\\')
            return ncz_fail(NC_EURL, "a place whose name has a %s",
                            s[i] == '\\' ? "backslash, which separates names for some and not for others"
                                         : "control character");
    return NC_NOERR;
}

/* An encoded '/' is a part of a name, and a '/' is not: no store keeps them apart. */
static int
check_encoding(const char *s, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++)
        if (s[i] == '%' && s[i + 1] == '2' && (s[i + 2] == 'f' || s[i + 2] == 'F'))
            return ncz_fail(NC_EURL, "a place whose name has an encoded '/' (%%2F): no store has such a name");
    return NC_NOERR;
}

/* The path of a URL, encoded. */
static int
set_encoded(ncz_place *p, const char *base, const char *s, size_t len)
{
    char *text = NULL;
    int   rc;

    if ((rc = check_encoding(s, len)) != NC_NOERR || (rc = ncz_uri_decode(s, len, &text)) != NC_NOERR)
        return rc;
    if ((rc = check_characters(text, strlen(text))) == NC_NOERR)
        rc = ncz_place_set_path(p, base, text, strlen(text));
    ncz_free(text);
    return rc;
}

/* ---- schemes, hosts, ports ------------------------------------------------------------------------------------- */

static const struct {
    const char *scheme, *normal; /* names that mean one scheme */
    unsigned    port;
} schemes[] = {
    {"file", "file", 0}, {"http", "http", 80}, {"https", "https", 443}, {"s3", "s3", 443},
    {"s3a", "s3", 443},  {"s3n", "s3", 443},   {"gs", "gs", 443},       {"gs3", "gs", 443},
};

/* *port: the one that need not be written. */
static int
set_scheme(ncz_place *p, const char *s, size_t len, unsigned *port)
{
    for (size_t i = 0; i < NCZ_LEN(schemes); i++)
        if (strlen(schemes[i].scheme) == len && strncasecmp(s, schemes[i].scheme, len) == 0) {
            *port = schemes[i].port;
            return copy_text(schemes[i].normal, strlen(schemes[i].normal), &p->scheme);
        }
    return ncz_fail(NC_EINVAL, "a place of the scheme %.*s: known are file, http, https, s3, s3a, s3n, gs and gs3",
                    (int)(len < 40 ? len : 40), s);
}

static int
set_port(ncz_place *p, const char *s, size_t len, unsigned own)
{
    unsigned port = 0;

    for (size_t i = 0; i < len; i++)
        if (s[i] < '0' || s[i] > '9' || (port = port * 10 + (unsigned)(s[i] - '0')) > 65535)
            return ncz_fail(NC_EURL, "a place with a malformed port");
    if (len != 0 && port == 0)
        return ncz_fail(NC_EURL, "a place with the port 0");
    p->port = port == own ? 0 : port;
    return NC_NOERR;
}

static void
lower(char *s)
{
    for (; *s != '\0'; s++)
        if (*s >= 'A' && *s <= 'Z')
            *s = (char)(*s - 'A' + 'a');
}

/* Another spelling of one address is another host: nothing is reached by it that is not allowed. Without a ':' it would
 * be a name when it is written again. */
static int
set_ipv6(ncz_place *p, const char *s, size_t len)
{
    int rc;

    for (size_t i = 0; i < len; i++)
        if (strchr("0123456789abcdefABCDEF:.", s[i]) == NULL)
            len = 0;
    if (len < 2 || len > 45 || memchr(s, ':', len) == NULL)
        return ncz_fail(NC_EURL, "a place with a malformed host");
    if ((rc = copy_text(s, len, &p->host)) == NC_NOERR)
        lower(p->host);
    return rc;
}

/* A bucket keeps its case, as in uri.c. */
static int
set_host(ncz_place *p, const char *s, size_t len)
{
    static const char odd[] = " \"#%/<>?@[\\]^`{|}:";
    bool              bucket = (p->scheme[0] == 's' || p->scheme[0] == 'g') && memchr(s, '.', len) == NULL;
    int               rc;

    if (len > 0 && s[len - 1] == '.' && !bucket)
        len--;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] <= 0x20 || (unsigned char)s[i] >= 0x7F || strchr(odd, s[i]) != NULL)
            return ncz_fail(NC_EURL, "a place with a malformed host");
    if (len == 0 || s[len - 1] == '.')
        return ncz_fail(NC_EURL, "a place without a host");
    if ((rc = copy_text(s, len, &p->host)) != NC_NOERR)
        return rc;
    if (!bucket)
        lower(p->host);
    return NC_NOERR;
}

static int
set_authority(ncz_place *p, const char *s, size_t len, unsigned own_port)
{
    const char *close = len > 0 && s[0] == '[' ? memchr(s, ']', len) : NULL;
    const char *colon = close == NULL ? memchr(s, ':', len) : close + 1 < s + len ? close + 1 : NULL;
    size_t      host = colon != NULL ? (size_t)(colon - s) : len;
    int         rc;

    if (memchr(s, '@', len) != NULL)
        return ncz_fail(NC_EURL, "a place with a user's name in its URL: nothing is sent with one");
    if ((close != NULL && host != (size_t)(close + 1 - s)) || (colon != NULL && *colon != ':'))
        return ncz_fail(NC_EURL, "a place with a malformed host");
    if ((rc = close != NULL ? set_ipv6(p, s + 1, host - 2) : set_host(p, s, host)) != NC_NOERR)
        return rc;
    return colon != NULL ? set_port(p, colon + 1, len - host - 1, own_port) : NC_NOERR;
}

/* ---- texts ----------------------------------------------------------------------------------------------------- */

/* What follows the path: a query is a web server's. */
static int
set_query(ncz_place *p, const char *s)
{
    if (*s == '\0')
        return NC_NOERR;
    if (*s == '#' || p->scheme[0] != 'h')
        return ncz_fail(NC_EURL, "a place with a '%c' in its URL: in a name, write %s", *s,
                        *s == '#' ? "%23" : "%3F");
    if (strchr(s, '#') != NULL)
        return ncz_fail(NC_EURL, "a place with a '#' in its URL: in a name, write %%23");
    return copy_text(s + 1, strlen(s + 1), &p->query);
}

static int
parse_url(const char *s, size_t scheme, ncz_place *p)
{
    const char *rest = s + scheme + 3;
    size_t      authority = strcspn(rest, "/?#"), path = strcspn(rest + authority, "?#");
    unsigned    port = 0;
    int         rc;

    if ((rc = set_scheme(p, s, scheme, &port)) != NC_NOERR)
        return rc;
    if (ncz_place_is_local(p) && authority != 0 &&
        !(authority == strlen("localhost") && strncasecmp(rest, "localhost", authority) == 0))
        return ncz_fail(NC_EURL, "a file URL with a host: write file:///path");
    if ((rc = ncz_place_is_local(p) ? copy_text("", 0, &p->host) : set_authority(p, rest, authority, port)) !=
            NC_NOERR ||
        (rc = set_encoded(p, "", rest + authority, path)) != NC_NOERR)
        return rc;
    return set_query(p, rest + authority + path);
}

/* Without a scheme: below the folder, or from its server's root. */
static int
parse_relative(const char *s, const ncz_place *folder, ncz_place *p)
{
    const char *base = s[0] == '/' ? "" : folder->path;
    size_t      path;
    int         rc;

    if ((rc = copy_text(folder->scheme, strlen(folder->scheme), &p->scheme)) != NC_NOERR ||
        (rc = copy_text(folder->host, strlen(folder->host), &p->host)) != NC_NOERR)
        return rc;
    p->port = folder->port;
    if (ncz_place_is_local(folder))
        return ncz_place_set_path(p, base, s, strlen(s));
    if (s[0] == '/' && s[1] == '/')
        return ncz_fail(NC_EURL, "a place that begins with // and has no scheme: write https://");
    path = strcspn(s, "?#");
    return (rc = set_encoded(p, base, s, path)) == NC_NOERR ? set_query(p, s + path) : rc;
}

int
ncz_place_parse(const char *text, const ncz_place *folder, ncz_place *out)
{
    size_t scheme = ncz_uri_scheme_length(text);
    int    rc;

    *out = (ncz_place){.scheme = NULL};
    if (text[0] == '\0')
        return ncz_fail(NC_EURL, "a place without a name");
    if ((rc = check_characters(text, strlen(text))) == NC_NOERR && scheme == 0 && folder == NULL)
        rc = ncz_fail(NC_EURL, "a place without a scheme: write https://, s3:// or a path that begins with /");
    if (rc == NC_NOERR)
        rc = scheme > 0 ? parse_url(text, scheme, out) : parse_relative(text, folder, out);
    if (rc != NC_NOERR)
        ncz_place_clear(out);
    return rc;
}

/* ---- the rule -------------------------------------------------------------------------------------------------- */

bool
ncz_place_is_local(const ncz_place *p)
{
    return p->scheme[0] == 'f';
}

bool
ncz_place_is_on(const ncz_place *p, const ncz_place *server)
{
    return strcmp(p->scheme, server->scheme) == 0 && strcmp(p->host, server->host) == 0 && p->port == server->port;
}

bool
ncz_place_is_within(const ncz_place *p, const ncz_place *prefix)
{
    size_t len = strlen(prefix->path);

    if (!ncz_place_is_on(p, prefix))
        return false;
    return len == 1 || (strncmp(p->path, prefix->path, len) == 0 && (p->path[len] == '\0' || p->path[len] == '/'));
}

size_t
ncz_place_first(const ncz_place *p)
{
    return p->path[1] != '\0' ? 1 + strcspn(p->path + 1, "/") : 0;
}

/* ---- as text again --------------------------------------------------------------------------------------------- */

static int
put_server(const ncz_place *p, ncz_buf *out)
{
    bool v6 = strchr(p->host, ':') != NULL;
    int  rc = ncz_buf_printf(out, "%s://%s%s%s", p->scheme, v6 ? "[" : "", p->host, v6 ? "]" : "");

    return rc == NC_NOERR && p->port != 0 ? ncz_buf_printf(out, ":%u", p->port) : rc;
}

int
ncz_place_show(const ncz_place *p, size_t len, ncz_buf *out)
{
    int rc = ncz_place_is_local(p) ? NC_NOERR : put_server(p, out);

    return rc == NC_NOERR ? ncz_buf_append(out, p->path, len) : rc;
}

int
ncz_place_url(const ncz_place *p, size_t len, ncz_buf *out)
{
    int rc = put_server(p, out);

    return rc == NC_NOERR ? ncz_uri_encode(out, p->path, len, true) : rc;
}
