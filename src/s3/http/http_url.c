/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * URLs over libcurl's own parser, so that it and we see the same host in them.
 */
#include "s3/http/http_url.h"

#include <curl/curl.h>
#include <string.h>
#include <strings.h>

static int
fail_url(CURLUcode code)
{
    return code == CURLUE_OUT_OF_MEMORY ? ncz_fail_nomem(0) : ncz_fail(NC_EURL, "not an http or https URL");
}

int
ncz_http_origin(const char *url, char **out)
{
    CURLU    *u = curl_url();
    char     *scheme = NULL, *host = NULL, *port = NULL, *text;
    CURLUcode code;
    int       rc = NC_NOERR;

    if (u == NULL)
        return ncz_fail_nomem(0);
    if ((code = curl_url_set(u, CURLUPART_URL, url, CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)) != CURLUE_OK ||
        (code = curl_url_get(u, CURLUPART_SCHEME, &scheme, 0)) != CURLUE_OK ||
        (code = curl_url_get(u, CURLUPART_HOST, &host, 0)) != CURLUE_OK ||
        (code = curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT)) != CURLUE_OK)
        rc = fail_url(code);
    else if (strcasecmp(scheme, "http") != 0 && strcasecmp(scheme, "https") != 0)
        rc = fail_url(CURLUE_UNSUPPORTED_SCHEME);
    else if ((text = ncz_sprintf("%s://%s:%s", scheme, host, port)) == NULL)
        rc = ncz_fail_nomem(strlen(host) + 16);
    else
        *out = text;
    for (char *c = rc == NC_NOERR ? *out : NULL; c != NULL && *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(u);
    return rc;
}

static int
check_scheme(const char *from, CURLU *to)
{
    char *scheme = NULL;
    int   rc = NC_NOERR;

    if (curl_url_get(to, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        (strcasecmp(scheme, "https") != 0 && strcasecmp(scheme, "http") != 0))
        rc = ncz_fail(NC_ECURL, "redirected to a URL that is not http or https: not followed");
    else if (strcasecmp(scheme, "http") == 0 && strncasecmp(from, "https:", 6) == 0)
        rc = ncz_fail(NC_ECURL, "redirected from https to http: not followed");
    curl_free(scheme);
    return rc;
}

int
ncz_http_resolve(const char *from, const char *location, char **out)
{
    CURLU *u = curl_url();
    char  *url = NULL;
    int    rc;

    if (u == NULL)
        return ncz_fail_nomem(0);
    if (curl_url_set(u, CURLUPART_URL, from, CURLU_PATH_AS_IS) != CURLUE_OK ||
        curl_url_set(u, CURLUPART_URL, location, CURLU_PATH_AS_IS | CURLU_DISALLOW_USER) != CURLUE_OK)
        rc = ncz_fail(NC_ECURL, "redirected to a malformed URL: not followed");
    else if ((rc = check_scheme(from, u)) == NC_NOERR &&
             (curl_url_get(u, CURLUPART_URL, &url, 0) != CURLUE_OK || (*out = ncz_strdup(url)) == NULL))
        rc = ncz_fail_nomem(strlen(location) + 1);
    curl_free(url);
    curl_url_cleanup(u);
    return rc;
}

/* 127.0.0.1 and the like, "localhost", [::1]. */
static bool
is_loopback(const char *host)
{
    size_t dotted = strspn(host, "0123456789."), len = strcspn(host, "]:");

    if (strncmp(host, "[::1]", 5) == 0)
        return true;
    if (len == 9 && strncmp(host, "localhost", 9) == 0)
        return true;
    return dotted == len && len > 4 && strncmp(host, "127.", 4) == 0;
}

bool
ncz_http_is_private(const char *origin)
{
    const char *host = strstr(origin, "://");

    return strncmp(origin, "https:", 6) == 0 || (host != NULL && is_loopback(host + 3));
}
