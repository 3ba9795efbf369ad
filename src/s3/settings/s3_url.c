/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a bucket is: from the forms that URLs of S3 have, and from the endpoint that somebody configured.
 *
 * s3://bucket/key leaves host and addressing open; a URL with a host says both, and is left as it is: what was
 * written as bucket.host goes out so, and what was written as host/bucket too.
 */
#include "s3/settings/s3_settings_int.h"

#include <string.h>
#include <strings.h>

/* ---- addressing ---- */

typedef enum style { STYLE_AUTO, STYLE_VIRTUAL, STYLE_PATH } style;

static int
wanted_style(const ncz_s3_lookup *l, bool url_alone, style *out, ncz_s3_setting *from)
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
        return ncz_fail(NC_EINVAL, "%s: \"%s\" is none of auto, virtual, path", s.name, s.value);
    return NC_NOERR;
}

int
ncz_s3_choose_addressing(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    style          wish;
    ncz_s3_setting from;
    int            rc;

    if (s->addressing_from != NULL)
        return NC_NOERR; /* the URL or the endpoint said it */
    if ((rc = wanted_style(l, false, &wish, &from)) != NC_NOERR)
        return rc;
    if (wish == STYLE_AUTO) {
        from = ncz_s3_setting_default("auto");
        wish = (!s->custom || ncz_s3_host_parse(s->host).no_path) && ncz_s3_is_dns_label(s->bucket) ? STYLE_VIRTUAL
                                                                                                    : STYLE_PATH;
    }
    if (wish == STYLE_VIRTUAL && ncz_s3_is_ip(s->host))
        return ncz_fail(NC_EINVAL, "addressing virtual needs a host with a name, not %s", s->host);
    return ncz_s3_set_addressing(s, wish == STYLE_VIRTUAL, &from);
}

/* ---- the forms of URLs ---- */

static ncz_s3_setting
url_endpoint(const ncz_s3_lookup *l)
{
    const ncz_s3_setting all[] = {ncz_s3_setting_url(l, "endpoint"), ncz_s3_setting_url(l, "endpoint_url")};

    return ncz_s3_setting_first(all, NCZ_LEN(all));
}

static int
locate_bucket(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_uri *u = l->uri;
    ncz_s3_setting said = url_endpoint(l);
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

/* Which label of the host is the bucket, if any: what is known of the host, then what the user says. */
static int
bucket_in_host(const ncz_s3_lookup *l, const ncz_s3_host *h, size_t *len, ncz_s3_setting *from)
{
    const char *host = l->uri->host;
    style       wish;
    int         rc = wanted_style(l, true, &wish, from);

    *len = h->bucket_len;
    if (rc != NC_NOERR || h->known)
        return rc;
    if (wish == STYLE_PATH || ncz_s3_is_ip(host))
        *len = 0;
    else if (wish == STYLE_VIRTUAL && *len == 0 && strchr(host, '.') != NULL)
        *len = strcspn(host, ".");
    if (*len > 0 && host[*len + 1] == '\0')
        return ncz_fail(NC_EURL, "the host %s has nothing behind the bucket", host);
    if (wish == STYLE_VIRTUAL && *len == 0)
        return ncz_fail(NC_EINVAL, "addressing virtual needs a host as bucket.host, not %s", host);
    return NC_NOERR;
}

/* A name with dots does not fit a provider's certificates as part of a host; a signed URL must stay what it is. */
static bool
better_as_path(const ncz_s3_settings *s, const ncz_s3_host *h, const ncz_uri *u)
{
    return s->https && h->known && !h->no_path && u->query == NULL && strchr(s->bucket, '.') != NULL;
}

/* bucket.host/key or host/bucket/key: `bucket` is the length of the bucket's name in the host. */
static int
take_host(ncz_s3_settings *s, const ncz_uri *u, const ncz_s3_host *h, size_t bucket, const ncz_s3_setting *from)
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
    return ncz_s3_set_addressing(s, bucket > 0 && !better_as_path(s, h, u), from);
}

static int
locate_host(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting the_host = {.source = NCZ_S3_FROM_HOST};
    const ncz_uri       *u = l->uri;
    ncz_s3_host          h = ncz_s3_host_parse(u->host);
    ncz_s3_setting       from;
    size_t               bucket;
    int                  rc;

    if (h.refused != NULL)
        return ncz_fail(NC_EURL, "%s: %s", u->host, h.refused);
    if (url_endpoint(l).value != NULL)
        return ncz_fail(NC_EINVAL, "an endpoint belongs to s3://bucket/key, this URL has a host already");
    if ((rc = bucket_in_host(l, &h, &bucket, &from)) != NC_NOERR)
        return rc;
    s->https = strcmp(u->scheme, "http") != 0;
    s->port = u->port;
    s->custom = !h.amazon;
    if (from.value == NULL || h.known)
        from = the_host;
    if ((rc = take_host(s, u, &h, bucket, &from)) != NC_NOERR || (rc = ncz_s3_set_region(s, &h, u->host)) != NC_NOERR)
        return rc;
    return ncz_s3_setting_origin(&the_host, &s->endpoint_from);
}

/* ---- s3://NAME/...: bucket or host? ---- */

/* s3://NAME/bucket/key where an endpoint's host is configured as NAME: the endpoint, with its port and path. */
static int
locate_at_endpoint(ncz_s3_settings *s, const ncz_uri *u, const ncz_s3_setting *endpoint)
{
    int rc = ncz_s3_set_path(s, u->path);

    return rc == NC_NOERR ? ncz_s3_set_endpoint(s, endpoint) : rc;
}

/* The host of an endpoint: "HOST" or "https://HOST:port/base". */
static bool
endpoint_has_host(const char *endpoint, const char *host)
{
    const char *at = strstr(endpoint, "://");
    size_t      len;

    at = at != NULL ? at + 3 : endpoint;
    len = strcspn(at, ":/");
    return len == strlen(host) && strncasecmp(at, host, len) == 0;
}

/*
 * A name with dots is a bucket to AWS's tools and a host to netCDF. To guess wrong would send a signed request to
 * whoever owns that name, or data into another's bucket: only what some setting names is a host.
 */
static int
locate_dotted(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_uri *u = l->uri;
    ncz_s3_setting endpoint = url_endpoint(l);
    int            rc;

    if (endpoint.value != NULL)
        return locate_bucket(l, s);
    if (ncz_s3_host_parse(u->host).known || ncz_s3_rc_has_host(l->rc, u->host))
        return locate_host(l, s);
    if ((rc = ncz_s3_configured_endpoint(l, &endpoint)) != NC_NOERR)
        return rc;
    if (endpoint.value != NULL && endpoint_has_host(endpoint.value, u->host)) {
        s->https = true;
        return locate_at_endpoint(s, u, &endpoint);
    }
    if (endpoint.value != NULL)
        return locate_bucket(l, s);
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
        return ncz_fail(NC_EURL, "a URL of S3 holds no user's name and no password");
    if (s3 && u->query != NULL)
        return ncz_fail(NC_EURL, "an s3 URL has no query (write %%3F for a '?' in the key)");
    if (!s3 || u->port != 0 || ncz_s3_is_address(u->host)) /* a bucket has no port, and is no IP address */
        return locate_host(l, s);
    if (strchr(u->host, '.') == NULL || kind == NCZ_URI_S3_BUCKET)
        return locate_bucket(l, s);
    if (kind == NCZ_URI_GOOGLE)
        return ncz_s3_host_parse(u->host).known ? locate_host(l, s) : locate_bucket(l, s);
    return locate_dotted(l, s);
}
