/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints for s3://bucket/key: the configured one, else Amazon's.
 */
#include "s3/settings/s3_settings_int.h"

#include <string.h>
#include <strings.h>

/* ---- configured endpoints ---- */

int
ncz_s3_configured_endpoint(const ncz_s3_lookup *l, ncz_s3_setting *out)
{
    const ncz_s3_setting all[] = {
        ncz_s3_setting_env("AWS_ENDPOINT_URL_S3"),
        ncz_s3_setting_env("AWS_ENDPOINT_URL"),
        ncz_s3_setting_service(l->files, l->profile, "s3", "endpoint_url"),
        ncz_s3_setting_profile(l->files, l->profile, "s3", "endpoint_url"),
        ncz_s3_setting_profile(l->files, l->profile, NULL, "endpoint_url"),
        ncz_s3_setting_env("AWS_S3_ENDPOINT"), /* GDAL's: a host */
    };
    const ncz_s3_setting ignore[] = {
        ncz_s3_setting_env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
        ncz_s3_setting_profile(l->files, l->profile, NULL, "ignore_configured_endpoint_urls"),
    };
    ncz_s3_setting off = ncz_s3_setting_first(ignore, NCZ_LEN(ignore));
    bool           ignored = false;
    int            rc = ncz_s3_setting_bool(&off, &ignored);

    *out = ignored ? ncz_s3_setting_default(NULL) : ncz_s3_setting_first(all, NCZ_LEN(all));
    return rc;
}

/* GDAL's endpoints are hosts; AWS_HTTPS chooses the scheme. */
static int
build_url(const ncz_s3_setting *said, char **out)
{
    ncz_s3_setting https_said = ncz_s3_setting_env("AWS_HTTPS");
    bool           https = true;
    int            rc = NC_NOERR;

    if (strstr(said->value, "://") != NULL) {
        *out = ncz_strdup(said->value);
    } else if ((rc = ncz_s3_setting_bool(&https_said, &https)) == NC_NOERR) {
        *out = ncz_sprintf("%s://%s", https ? "https" : "http", said->value);
    }
    if (rc == NC_NOERR && *out == NULL)
        rc = ncz_fail_nomem(strlen(said->value) + 9);
    return rc;
}

static int
fail_endpoint(const ncz_s3_setting *said, const char *why)
{
    char *from = NULL;

    if (ncz_s3_setting_origin(said, &from) == NC_NOERR)
        ncz_fail(NC_EURL, "the endpoint in %s: %s", from, why);
    ncz_free(from);
    return NC_EURL;
}

static int
check_endpoint(const ncz_s3_setting *said, const ncz_uri *u)
{
    if (u->scheme == NULL || (strcmp(u->scheme, "https") != 0 && strcmp(u->scheme, "http") != 0))
        return fail_endpoint(said, "neither an https nor an http URL");
    if (u->host == NULL)
        return fail_endpoint(said, "it has no host");
    if (u->user != NULL)
        return fail_endpoint(said, "it has a user name");
    if (u->query != NULL || u->nfrag != 0)
        return fail_endpoint(said, "it has a query or a fragment");
    return NC_NOERR;
}

/* An endpoint may contain the bucket: https://bucket.host for s3://bucket. */
static int
set_endpoint_host(ncz_s3_settings *s, const ncz_uri *u, const ncz_s3_setting *said)
{
    ncz_s3_host h = ncz_s3_host_parse(u->host);
    size_t      n = strlen(s->bucket);
    bool        holds = strncasecmp(u->host, s->bucket, n) == 0 && u->host[n] == '.' && u->host[n + 1] != '\0' &&
                 !ncz_s3_is_ip(u->host);
    int rc;

    if (h.refused != NULL)
        return fail_endpoint(said, h.refused);
    s->custom = !h.amazon;
    if (holds && !h.kept) {
        if ((rc = ncz_s3_set_addressing(s, true, said)) != NC_NOERR)
            return rc;
        if ((rc = ncz_s3_set_text(&s->host, u->host + n + 1, strlen(u->host) - n - 1)) != NC_NOERR)
            return rc;
    } else if ((rc = ncz_s3_set_text(&s->host, u->host, strlen(u->host))) != NC_NOERR) {
        return rc;
    }
    if (h.kept && (rc = ncz_s3_set_addressing(s, false, said)) != NC_NOERR)
        return rc;
    return ncz_s3_set_region(s, &h, u->host);
}

int
ncz_s3_set_endpoint(ncz_s3_settings *s, const ncz_s3_setting *said)
{
    ncz_uri *u = NULL;
    char    *text = NULL, *base = NULL;
    size_t   len;
    int      rc;

    if ((rc = build_url(said, &text)) != NC_NOERR || (rc = ncz_uri_parse(text, &u)) != NC_NOERR)
        goto done;
    if ((rc = check_endpoint(said, u)) != NC_NOERR)
        goto done;
    if ((rc = ncz_uri_decode(u->path, strlen(u->path), &base)) != NC_NOERR)
        goto done;
    for (len = strlen(base); len > 0 && base[len - 1] == '/';)
        len--;
    if ((rc = ncz_s3_set_text(&s->base, base, len)) != NC_NOERR)
        goto done;
    s->https = strcmp(u->scheme, "https") == 0;
    s->port = u->port;
    if ((rc = set_endpoint_host(s, u, said)) == NC_NOERR)
        rc = ncz_s3_setting_origin(said, &s->endpoint_from);
done:
    ncz_uri_free(u);
    ncz_free(text);
    ncz_free(base);
    return rc;
}

/* ---- Amazon's own endpoint ---- */

typedef struct variant {
    bool dualstack, fips, accelerate;
} variant;

static int
choose_variant(const ncz_s3_lookup *l, variant *out)
{
    const ncz_s3_setting dualstack[] = {
        ncz_s3_setting_env("AWS_USE_DUALSTACK_ENDPOINT"),
        ncz_s3_setting_profile(l->files, l->profile, NULL, "use_dualstack_endpoint"),
        ncz_s3_setting_profile(l->files, l->profile, "s3", "use_dualstack_endpoint"),
    };
    const ncz_s3_setting fips[] = {
        ncz_s3_setting_env("AWS_USE_FIPS_ENDPOINT"),
        ncz_s3_setting_profile(l->files, l->profile, NULL, "use_fips_endpoint"),
    };
    ncz_s3_setting two = ncz_s3_setting_first(dualstack, NCZ_LEN(dualstack)),
                   sure = ncz_s3_setting_first(fips, NCZ_LEN(fips));
    ncz_s3_setting fast = ncz_s3_setting_profile(l->files, l->profile, "s3", "use_accelerate_endpoint");
    int            rc;

    *out = (variant){.fips = false};
    if ((rc = ncz_s3_setting_bool(&two, &out->dualstack)) != NC_NOERR)
        return rc;
    if ((rc = ncz_s3_setting_bool(&sure, &out->fips)) != NC_NOERR)
        return rc;
    if ((rc = ncz_s3_setting_bool(&fast, &out->accelerate)) != NC_NOERR)
        return rc;
    if (out->fips && out->accelerate)
        return ncz_fail(NC_EINVAL, "use_fips_endpoint and use_accelerate_endpoint: there is no such endpoint");
    return NC_NOERR;
}

/* Acceleration always uses bucket.host, and needs a bucket without dots. */
static int
set_accelerate_host(const ncz_s3_lookup *l, ncz_s3_settings *s, bool dualstack)
{
    ncz_s3_setting from = ncz_s3_setting_profile(l->files, l->profile, "s3", "use_accelerate_endpoint");

    if (!ncz_s3_is_dns_label(s->bucket))
        return ncz_fail(NC_EINVAL, "use_accelerate_endpoint: the bucket %s cannot be part of a host", s->bucket);
    s->host = ncz_sprintf("s3-accelerate%s.amazonaws.com", dualstack ? ".dualstack" : "");
    if (s->host == NULL)
        return ncz_fail_nomem(64);
    return ncz_s3_set_addressing(s, true, &from);
}

int
ncz_s3_amazon_host(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting from = {.source = NCZ_S3_FROM_DEFAULT};
    variant              v;
    int                  rc;

    if ((rc = choose_variant(l, &v)) != NC_NOERR)
        return rc;
    if (v.accelerate) {
        if ((rc = set_accelerate_host(l, s, v.dualstack)) != NC_NOERR)
            return rc;
    } else {
        s->host = ncz_sprintf("s3%s%s.%s.%s", v.fips ? "-fips" : "", v.dualstack ? ".dualstack" : "", s->region,
                              ncz_s3_amazon_domain(s->region));
        if (s->host == NULL)
            return ncz_fail_nomem(64);
    }
    return ncz_s3_setting_origin(&from, &s->endpoint_from);
}
