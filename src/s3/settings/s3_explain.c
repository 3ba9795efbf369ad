/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explains the settings of an S3 URL to people, each with its origin. Shows no secrets: the first four characters of a
 * key's id, whether there is a token, a proxy without user and password.
 */
#include "s3/settings/s3_settings_int.h"

#include <string.h>
#include <time.h>

static int
append_line(ncz_buf *out, const char *name, const char *value, const char *from)
{
    if (value == NULL)
        return NC_NOERR;
    if (from == NULL)
        return ncz_buf_printf(out, "%s: %s\n", name, value);
    return ncz_buf_printf(out, "%s: %s (%s)\n", name, value, from);
}

/* The endpoint's URL with the bucket. */
static int
append_address(const ncz_s3_settings *s, ncz_buf *out)
{
    bool  v6 = strchr(s->host, ':') != NULL;
    char *port = s->port != 0 ? ncz_sprintf(":%u", s->port) : ncz_strdup("");
    int   rc;

    if (port == NULL)
        return ncz_fail_nomem(8);
    rc = ncz_buf_printf(out, "address: %s://%s%s%s%s%s%s%s/%s%s\n", s->https ? "https" : "http",
                        s->virtual_host ? s->bucket : "", s->virtual_host ? "." : "", v6 ? "[" : "", s->host,
                        v6 ? "]" : "", port, s->base, s->virtual_host ? "" : s->bucket, s->virtual_host ? "" : "/");
    ncz_free(port);
    if (rc == NC_NOERR)
        rc = append_line(out, "endpoint", s->custom ? "not Amazon's" : "Amazon S3", s->endpoint_from);
    if (rc == NC_NOERR)
        rc = append_line(out, "addressing", s->virtual_host ? "virtual" : "path", s->addressing_from);
    if (rc == NC_NOERR)
        rc = append_line(out, "bucket", s->bucket, NULL);
    if (rc == NC_NOERR)
        rc = append_line(out, "key", s->prefix[0] != '\0' ? s->prefix : "none, the bucket itself", NULL);
    return rc == NC_NOERR ? append_line(out, "region", s->region, s->region_from) : rc;
}

static int
append_expiry(int64_t expires, ncz_buf *out)
{
    time_t    t = (time_t)expires;
    struct tm tm;
    char      text[32];

    if (expires == 0)
        return append_line(out, "expires", "never", NULL);
    if (gmtime_r(&t, &tm) == NULL || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        return append_line(out, "expires", "far away", NULL);
    return append_line(out, "expires", text, NULL);
}

static int
append_keys(const ncz_s3_settings *s, const ncz_s3_access_key *keys, ncz_buf *out)
{
    char *source = NULL;
    int   rc = ncz_creds_source(s->creds, &source);

    if (rc == NC_NOERR)
        rc = append_line(out, "credentials", source, NULL);
    ncz_free(source);
    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_buf_printf(out, "access key id: %.4s****\n", strlen(keys->id) >= 12 ? keys->id : "")) != NC_NOERR)
        return rc;
    if ((rc = append_line(out, "session token", keys->token != NULL ? "yes" : "no", NULL)) != NC_NOERR)
        return rc;
    return append_expiry(keys->expires, out);
}

/* A failure is part of the text. *failed: credentials are configured but do not work. A failure of EC2's metadata
 * service is none, since public data can be read without it. */
static int
append_credentials(const ncz_s3_settings *s, ncz_buf *out, ncz_err *failed)
{
    ncz_s3_access_key keys = {.id = NULL};
    ncz_buf           why = NCZ_BUF_INIT;
    ncz_err           err;
    int               rc;

    if (s->anonymous)
        return append_line(
            out, "credentials",
            s->query != NULL ? "none: the URL's query is the signature" : "none: unsigned requests are wanted", NULL);
    rc = ncz_creds_get(s->creds, false, NCZ_CREDS_AT_HAND, &keys, NULL);
    if (rc != NC_NOERR)
        ncz_err_save(failed, rc);
    ncz_s3_access_key_clear(&keys);
    if (rc == NC_NOERR)
        rc = ncz_creds_get(s->creds, false, NCZ_CREDS_ANY, &keys, &why);
    if (rc == NC_ENOMEM)
        goto done;
    ncz_err_save(&err, rc);
    if (rc != NC_NOERR)
        rc = append_line(out, "credentials", "none that work", err.text);
    else if (keys.id == NULL)
        rc = append_line(out, "credentials", "none, reads are unsigned and writes refused", ncz_buf_str(&why));
    else
        rc = append_keys(s, &keys, out);
done:
    ncz_s3_access_key_clear(&keys);
    ncz_buf_clear(&why);
    return rc;
}

/* Without user and password. */
static int
append_proxy(const ncz_s3_settings *s, ncz_buf *out)
{
    const char *at = s->proxy != NULL ? strrchr(s->proxy, '@') : NULL;

    return append_line(out, "proxy", at != NULL ? at + 1 : s->proxy, NULL);
}

static int
append_manner(const ncz_s3_settings *s, ncz_buf *out)
{
    int rc;

    if ((rc = append_line(out, "requester pays", s->requester_pays ? "yes" : "no", NULL)) != NC_NOERR)
        return rc;
    if ((rc = append_line(out, "certificates", s->ca_file, NULL)) != NC_NOERR)
        return rc;
    if ((rc = append_line(out, "certificates in", s->ca_dir, NULL)) != NC_NOERR ||
        (rc = append_proxy(s, out)) != NC_NOERR)
        return rc;
    rc = ncz_buf_printf(out,
                        "attempts: %u\nrequests at once: %u\ntime-outs: %ld ms to connect, %ld s without data, "
                        "%lld ms without progress\n",
                        s->attempts, s->in_flight, s->connect_ms, s->stall_s, (long long)s->progress_timeout_ms);
    if (rc == NC_NOERR && s->deadline_s != 0)
        rc = ncz_buf_printf(out, "longest request: %lld s\n", (long long)s->deadline_s);
    if (rc == NC_NOERR)
        rc =
            append_line(out, "403", s->forbidden_is_absent ? "means that there is no such key" : "is an error", NULL);
    return rc;
}

int
ncz_s3_explain(const ncz_uri *uri, ncz_buf *out)
{
    ncz_s3_settings *s = NULL;
    ncz_err          failed = {.code = NC_NOERR};
    int              rc;

    if ((rc = ncz_s3_settings_from(uri, &s)) != NC_NOERR)
        return rc;
    if ((rc = append_address(s, out)) != NC_NOERR)
        goto done;
    if ((rc = append_line(out, "profile", s->profile != NULL ? s->profile : "none named", s->profile_from)) !=
        NC_NOERR)
        goto done;
    if ((rc = append_credentials(s, out, &failed)) == NC_NOERR)
        rc = append_manner(s, out);
    if (rc == NC_NOERR && failed.code != NC_NOERR)
        rc = ncz_err_adopt(&failed);
done:
    ncz_s3_settings_free(s);
    return rc;
}
