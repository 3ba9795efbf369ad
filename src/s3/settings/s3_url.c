/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses S3 URLs, and finds the endpoint of s3://bucket/key.
 *
 * s3://bucket/key leaves host and addressing open. A URL with a host determines both: bucket.host and host/bucket are
 * used as they are written.
 */
#include "s3/settings/s3_settings_int.h"

#include <string.h>
#include <strings.h>

/* ---- addressing ---- */

typedef enum style { STYLE_AUTO, STYLE_VIRTUAL, STYLE_PATH } style;

static int
lookup_style(const ncz_s3_lookup *l, bool url_alone, style *out, ncz_s3_setting *from)
{
    const ncz_s3_setting vhost = ncz_s3_setting_env("AWS_VIRTUAL_HOSTING");
    const ncz_s3_setting all[] = {
        ncz_s3_setting_url(l, "addressing"),
        ncz_s3_setting_url(l, "addressing_style"),
        url_alone ? ncz_s3_setting_default(NULL) : ncz_s3_setting_env("AWS_S3_ADDRESSING_STYLE"),
        url_alone ? ncz_s3_setting_default(NULL) : vhost,
        url_alone ? ncz_s3_setting_default(NULL)
                  : ncz_s3_setting_profile(l->files, l->profile, "s3", "addressing_style"),
    };
    ncz_s3_setting s = ncz_s3_setting_first(all, NCZ_LEN(all));
    bool           is_virtual = false;
    int            rc;

    *out = STYLE_AUTO;
    *from = s;
    if (s.value == NULL || strcasecmp(s.value, "auto") == 0)
        return NC_NOERR;
    if (s.name == vhost.name && s.source == NCZ_S3_FROM_ENV) {
        if ((rc = ncz_s3_setting_bool(&s, &is_virtual)) == NC_NOERR)
            *out = is_virtual ? STYLE_VIRTUAL : STYLE_PATH;
        return rc;
    }
    if (strcasecmp(s.value, "virtual") == 0)
        *out = STYLE_VIRTUAL;
    else if (strcasecmp(s.value, "path") == 0)
        *out = STYLE_PATH;
    else
        return ncz_fail(NC_EINVAL, "%s: \"%s\" is not auto, virtual or path", s.name, s.value);
    return NC_NOERR;
}

int
ncz_s3_choose_addressing(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    style          wanted;
    ncz_s3_setting from;
    int            rc;

    if (s->addressing_from != NULL)
        return NC_NOERR; /* the URL or the endpoint determined it */
    if ((rc = lookup_style(l, false, &wanted, &from)) != NC_NOERR)
        return rc;
    if (wanted == STYLE_AUTO) {
        from = ncz_s3_setting_default("auto");
        wanted = (!s->custom || ncz_s3_host_parse(s->host).no_path) && ncz_s3_is_dns_label(s->bucket) ? STYLE_VIRTUAL
                                                                                                      : STYLE_PATH;
    }
    if (wanted == STYLE_VIRTUAL && ncz_s3_is_ip(s->host))
        return ncz_fail(NC_EINVAL, "addressing virtual needs a host with a name, not %s", s->host);
    return ncz_s3_set_addressing(s, wanted == STYLE_VIRTUAL, &from);
}

/* ---- the forms of URLs ---- */

static ncz_s3_setting
lookup_endpoint(const ncz_s3_lookup *l)
{
    const ncz_s3_setting all[] = {ncz_s3_setting_url(l, "endpoint"), ncz_s3_setting_url(l, "endpoint_url")};

    return ncz_s3_setting_first(all, NCZ_LEN(all));
}

static int
parse_bucket_url(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_uri *u = l->uri;
    ncz_s3_setting said = lookup_endpoint(l);
    int            rc;

    s->https = true;
    if ((rc = ncz_s3_set_bucket(s, u->host, strlen(u->host))) != NC_NOERR ||
        (rc = ncz_s3_set_prefix(s, u->path)) != NC_NOERR)
        return rc;
    if (said.value == NULL && ncz_uri_scheme_s3(u->scheme) == NCZ_URI_GOOGLE)
        said = ncz_s3_setting_default("https://storage.googleapis.com");
    if (said.value == NULL && (rc = ncz_s3_configured_endpoint(l, &said)) != NC_NOERR)
        return rc;
    return said.value != NULL ? ncz_s3_set_endpoint(s, &said) : ncz_s3_set_text(&s->base, "", 0);
}

/* The length of the bucket in the host, 0: none. A known host decides, else the URL's addressing. */
static int
find_bucket_in_host(const ncz_s3_lookup *l, const ncz_s3_host *h, size_t *len, ncz_s3_setting *from)
{
    const char *host = l->uri->host;
    style       wanted;
    int         rc = lookup_style(l, true, &wanted, from);

    *len = h->bucket_len;
    if (rc != NC_NOERR || h->known)
        return rc;
    if (wanted == STYLE_PATH || ncz_s3_is_ip(host))
        *len = 0;
    else if (wanted == STYLE_VIRTUAL && *len == 0 && strchr(host, '.') != NULL)
        *len = strcspn(host, ".");
    if (*len > 0 && host[*len + 1] == '\0')
        return ncz_fail(NC_EURL, "the host %s has nothing after the bucket", host);
    if (wanted == STYLE_VIRTUAL && *len == 0)
        return ncz_fail(NC_EINVAL, "addressing virtual needs a host as bucket.host, not %s", host);
    return NC_NOERR;
}

/* A provider's certificates do not match a bucket with dots as part of a host. A signed URL must not change. */
static bool
prefers_path(const ncz_s3_settings *s, const ncz_s3_host *h, const ncz_uri *u)
{
    return s->https && h->known && !h->no_path && u->query == NULL && strchr(s->bucket, '.') != NULL;
}

/* bucket.host/key or host/bucket/key: `bucket` is the length of the bucket's name in the host. */
static int
set_host(ncz_s3_settings *s, const ncz_uri *u, const ncz_s3_host *h, size_t bucket, const ncz_s3_setting *from)
{
    const char *host = bucket > 0 ? u->host + bucket + 1 : u->host;
    int         rc;

    if ((rc = ncz_s3_set_text(&s->host, host, strlen(host))) != NC_NOERR ||
        (rc = ncz_s3_set_text(&s->base, "", 0)) != NC_NOERR)
        return rc;
    if (bucket == 0)
        rc = ncz_s3_set_path(s, u->path);
    else if ((rc = ncz_s3_set_bucket(s, u->host, bucket)) == NC_NOERR)
        rc = ncz_s3_set_prefix(s, u->path);
    if (rc != NC_NOERR)
        return rc;
    return ncz_s3_set_addressing(s, bucket > 0 && !prefers_path(s, h, u), from);
}

static int
parse_host_url(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting the_host = {.source = NCZ_S3_FROM_HOST};
    const ncz_uri       *u = l->uri;
    ncz_s3_host          h = ncz_s3_host_parse(u->host);
    ncz_s3_setting       from;
    size_t               bucket;
    int                  rc;

    if (h.refused != NULL)
        return ncz_fail(NC_EURL, "%s: %s", u->host, h.refused);
    if (lookup_endpoint(l).value != NULL)
        return ncz_fail(NC_EINVAL, "an endpoint belongs to s3://bucket/key, this URL has a host already");
    if ((rc = find_bucket_in_host(l, &h, &bucket, &from)) != NC_NOERR)
        return rc;
    s->https = strcmp(u->scheme, "http") != 0;
    s->port = u->port;
    s->custom = !h.amazon;
    if (from.value == NULL || h.known)
        from = the_host;
    if ((rc = set_host(s, u, &h, bucket, &from)) != NC_NOERR || (rc = ncz_s3_set_region(s, &h, u->host)) != NC_NOERR)
        return rc;
    return ncz_s3_setting_origin(&the_host, &s->endpoint_from);
}

/* ---- s3://NAME/...: bucket or host? ---- */

/* s3://NAME/bucket/key where an endpoint's host is configured as NAME: the endpoint, with its port and path. */
static int
parse_endpoint_url(ncz_s3_settings *s, const ncz_uri *u, const ncz_s3_setting *endpoint)
{
    int rc = ncz_s3_set_path(s, u->path);

    return rc == NC_NOERR ? ncz_s3_set_endpoint(s, endpoint) : rc;
}

/* The host of an endpoint: "HOST" or "https://HOST:port/base". */
static bool
is_endpoint_host(const char *endpoint, const char *host)
{
    const char *at = strstr(endpoint, "://");
    size_t      len;

    at = at != NULL ? at + 3 : endpoint;
    len = strcspn(at, ":/");
    return len == strlen(host) && strncasecmp(at, host, len) == 0;
}

/*
 * A name with dots is a bucket to AWS's tools and a host to netCDF. A wrong guess would send a signed request to the
 * owner of that name, or data into another's bucket: so it is a host only if a setting names it.
 */
static int
parse_dotted_url(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_uri *u = l->uri;
    ncz_s3_setting endpoint = lookup_endpoint(l);
    int            rc;

    if (endpoint.value != NULL)
        return parse_bucket_url(l, s);
    if (ncz_s3_host_parse(u->host).known || ncz_rc_has_host(l->rc, u->host))
        return parse_host_url(l, s);
    if ((rc = ncz_s3_configured_endpoint(l, &endpoint)) != NC_NOERR)
        return rc;
    if (endpoint.value != NULL && is_endpoint_host(endpoint.value, u->host)) {
        s->https = true;
        return parse_endpoint_url(s, u, &endpoint);
    }
    if (endpoint.value != NULL)
        return parse_bucket_url(l, s);
    return ncz_fail(NC_EURL,
                    "%.80s may be a bucket or a server: write https://s3.amazonaws.com/%.80s%.80s for the bucket at "
                    "Amazon, https://%.80s%.80s#mode=s3 for the server, or name the endpoint (#aws.endpoint=URL, "
                    "AWS_ENDPOINT_URL)",
                    u->host, u->host, u->path, u->host, u->path);
}

int
ncz_s3_parse_url(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_uri  *u = l->uri;
    ncz_uri_s3_kind kind = ncz_uri_scheme_s3(u->scheme);
    bool            s3 = kind != NCZ_URI_NO_S3;

    if (u->user != NULL)
        return ncz_fail(NC_EURL, "an S3 URL has no user name and no password");
    if (s3 && u->query != NULL)
        return ncz_fail(NC_EURL, "an s3 URL has no query (write %%3F for a '?' in the key)");
    if (!s3 || u->port != 0 || ncz_s3_is_address(u->host)) /* a bucket has no port and is not an IP address */
        return parse_host_url(l, s);
    if (strchr(u->host, '.') == NULL || kind == NCZ_URI_S3_BUCKET)
        return parse_bucket_url(l, s);
    if (kind == NCZ_URI_GOOGLE)
        return ncz_s3_host_parse(u->host).known ? parse_host_url(l, s) : parse_bucket_url(l, s);
    return parse_dotted_url(l, s);
}
