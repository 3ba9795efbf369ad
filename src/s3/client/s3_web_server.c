/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Web servers: a client for the objects below the path of a URL, and the redirects that it may follow. Requests carry
 * of the user is the business of src/s3/login; the URL's query is sent to its own server only.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* The URL up to its path, as the user gave it, without slashes at its end. */
static char *
build_root(const ncz_uri *u)
{
    ncz_buf     out = NCZ_BUF_INIT;
    const char *path = u->path != NULL ? u->path : "";
    bool        ipv6 = strchr(u->host, ':') != NULL;
    size_t      len = strlen(path);
    int         rc;

    while (len > 0 && path[len - 1] == '/')
        len--;
    rc = ncz_buf_printf(&out, "%s://%s%s%s", u->scheme, ipv6 ? "[" : "", u->host, ipv6 ? "]" : "");
    if (rc == NC_NOERR && u->port != 0)
        rc = ncz_buf_printf(&out, ":%u", u->port);
    if (rc == NC_NOERR && len > 0 && path[0] != '/')
        rc = ncz_buf_putc(&out, '/');
    for (size_t i = 0; rc == NC_NOERR && i < len; i++) /* users type characters that a URL must encode */
        rc = (unsigned char)path[i] <= 0x20 || (unsigned char)path[i] >= 0x7f
                 ? ncz_buf_printf(&out, "%%%02X", (unsigned char)path[i])
                 : ncz_buf_putc(&out, path[i]);
    if (rc == NC_NOERR)
        return ncz_buf_take(&out);
    ncz_buf_clear(&out);
    return NULL;
}

int
ncz_s3_open_web(const ncz_uri *uri, ncz_s3 **out)
{
    ncz_s3_settings *set = NULL;
    ncz_s3          *s = NULL;
    int              rc;

    if (uri->user != NULL)
        return ncz_fail(NC_ENOTBUILT, "a user's name in a URL: no request carries credentials to web servers");
    if ((rc = ncz_s3_settings_web(uri, &set)) != NC_NOERR || (rc = ncz_s3_open(set, &s)) != NC_NOERR)
        return rc;
    ncz_free(s->name);
    s->web = build_root(uri);
    s->name = s->web != NULL ? ncz_strdup(s->web) : NULL;
    if (s->name == NULL) {
        ncz_s3_close(s);
        return ncz_fail_nomem(0);
    }
    *out = s;
    return NC_NOERR;
}

/* ---- redirects ---- */

/* Is the host a link-local address in any spelling? http_exchange.c checks the address of a name, but not behind a
 * proxy. */
static bool
is_local_address(const char *host)
{
    struct sockaddr_in  four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    char                text[INET6_ADDRSTRLEN + 1];
    size_t              bracket = host[0] == '[', len = strcspn(host + bracket, "]%");

    if (len >= sizeof text)
        return false;
    memcpy(text, host + bracket, len);
    text[len] = '\0';
    if (bracket)
        return inet_pton(AF_INET6, text, &six.sin6_addr) == 1 && ncz_http_is_local((const struct sockaddr *)&six);
    if (len > 0 && text[len - 1] == '.')
        text[len - 1] = '\0';
    return inet_aton(text, &four.sin_addr) != 0 && ncz_http_is_local((const struct sockaddr *)&four);
}

/* Refuses redirects from TLS to plain text, and to link-local addresses, where clouds have metadata services. */
static int
check_redirect(const char *from, CURLU *to)
{
    char *scheme = NULL, *host = NULL;
    int   rc = NC_NOERR;

    if (curl_url_get(to, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(to, CURLUPART_HOST, &host, 0) != CURLUE_OK)
        rc = ncz_fail(NC_ECURL, "redirected to a URL that is not http or https: not followed");
    else if (strcasecmp(scheme, "https") != 0 &&
             (strcasecmp(scheme, "http") != 0 || strncasecmp(from, "https:", 6) == 0))
        rc = ncz_fail(NC_ECURL, "redirected from https to %.20s: not followed", scheme);
    else if (is_local_address(host))
        rc = ncz_fail(NC_ECURL, "redirected to %.60s: not followed", host);
    curl_free(scheme);
    curl_free(host);
    return rc;
}

void
ncz_s3_follow(ncz_s3 *s, ncz_s3_follow_fn may, void *arg)
{
    s->may_follow = may;
    s->follow_arg = arg;
}

int
ncz_s3_distrust(ncz_s3 *s)
{
    CURLU *u = curl_url();
    int    rc;

    if (u == NULL)
        return ncz_fail_nomem(0);
    s->wary = true;
    if (curl_url_set(u, CURLUPART_URL, s->web, CURLU_PATH_AS_IS) != CURLUE_OK)
        rc = ncz_fail(NC_ECURL, "redirected to a malformed URL: not followed");
    else
        rc = check_redirect("", u);
    curl_url_cleanup(u);
    return rc;
}

int
ncz_s3_resolve_redirect(const ncz_s3 *s, const char *from, const char *location, char **out)
{
    CURLU *u = curl_url();
    char  *url = NULL;
    int    rc;

    if (u == NULL)
        return ncz_fail_nomem(0);
    if (curl_url_set(u, CURLUPART_URL, from, CURLU_PATH_AS_IS) != CURLUE_OK ||
        curl_url_set(u, CURLUPART_URL, location, CURLU_PATH_AS_IS | CURLU_DISALLOW_USER) != CURLUE_OK)
        rc = ncz_fail(NC_ECURL, "redirected to a malformed URL: not followed");
    else if ((rc = check_redirect(from, u)) == NC_NOERR && curl_url_get(u, CURLUPART_URL, &url, 0) != CURLUE_OK)
        rc = ncz_fail_nomem(0);
    if (rc == NC_NOERR && s->may_follow != NULL)
        rc = s->may_follow(url, s->follow_arg);
    if (rc == NC_NOERR && (*out = ncz_strdup(url)) == NULL)
        rc = ncz_fail_nomem(strlen(url) + 1);
    curl_free(url);
    curl_url_cleanup(u);
    return rc;
}

/* ---- where a URL leads ---- */

enum { HOPS = 5 };

/* A GET of one URL, without its body. The server's own headers go to the server itself. */
static int
ask_url(const ncz_s3 *s, const char *url, ncz_http_once *call)
{
    const ncz_s3_settings *set = s->settings;
    ncz_buf                lines = NCZ_BUF_INIT;
    const char            *headers[64];
    unsigned               session;
    size_t                 n = 0;
    int                    rc = NC_NOERR;

    if (ncz_login_is_own(set->login, url) && (rc = ncz_buf_reserve(&lines, 32768)) == NC_NOERR)
        rc = ncz_login_headers(set->login, &lines, &session);
    for (char *at = lines.data, *end;
         at != NULL && (end = memchr(at, '\n', (size_t)(lines.data + lines.len - at))) != NULL &&
         n < NCZ_LEN(headers);
         at = end + 1) {
        *end = '\0';
        headers[n++] = at;
    }
    *call = (ncz_http_once){.method = "GET",
                            .url = url,
                            .headers = headers,
                            .nheaders = n,
                            .connect_ms = set->connect_ms,
                            .total_ms = 30000,
                            .attempts = 2,
                            .wants_head = true,
                            .wary = true,
                            .proxy = set->proxy,
                            .ca_file = set->ca_file,
                            .ca_dir = set->ca_dir};
    if (rc == NC_NOERR)
        rc = ncz_http_once_do(call);
    call->headers = NULL;
    ncz_wipe(lines.data, lines.cap);
    ncz_buf_clear(&lines);
    return rc;
}

/* The next URL; or, of another scheme, *out. Neither: it leads nowhere. */
static int
read_location(const ncz_s3 *s, const ncz_http_once *call, char **next, ncz_buf *out)
{
    const char *location = ncz_http_head(&call->head, "location", 0);
    size_t      scheme = location != NULL ? strcspn(location, ":/?#") : 0;

    if (call->status < 301 || call->status > 308 || location == NULL)
        return NC_NOERR;
    if (strncmp(location + scheme, "://", 3) == 0 && strncasecmp(location, "http:", 5) != 0 &&
        strncasecmp(location, "https:", 6) != 0)
        return ncz_buf_puts(out, location);
    return ncz_s3_resolve_redirect(s, call->url, location, next);
}

int
ncz_s3_find_redirect(ncz_s3 *s, ncz_buf *out)
{
    char *url = ncz_strdup(s->web), *next = NULL;
    int   rc = url != NULL ? NC_NOERR : ncz_fail_nomem(strlen(s->web) + 1);

    for (int i = 0; rc == NC_NOERR && url != NULL && i <= HOPS; i++) {
        ncz_http_once call;

        next = NULL;
        if ((rc = ask_url(s, url, &call)) == NC_NOERR)
            rc = read_location(s, &call, &next, out);
        ncz_buf_clear(&call.reply);
        ncz_buf_clear(&call.head);
        ncz_free_secret(url);
        url = next;
    }
    ncz_free_secret(url);
    return rc;
}
