/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client: its settings, its connections, and the learned state of its server: the bucket's region, clock skew,
 * sustainable concurrency; and the last signing key. The client's lock guards these; the statistics are atomic.
 */
#include "s3/client/s3_client_int.h"

#include <stdio.h>
#include <string.h>

#define TOKENS    500 /* a full stock: see s3_retry.c */
#define NAME_MOST 200 /* bytes of a key in a message */

static int
init_client(ncz_s3 *s)
{
    const ncz_s3_settings *set = s->settings;
    const ncz_http_opts    opts = {.ca_file = set->ca_file,
                                   .ca_dir = set->ca_dir,
                                   .proxy = set->proxy,
                                   .no_proxy = set->no_proxy,
                                   .user_agent = set->user_agent,
                                   .connect_ms = set->connect_ms,
                                   .stall_s = set->stall_s,
                                   .in_flight = set->in_flight};
    int                    rc;

    if ((rc = ncz_http_new(&opts, &s->http)) != NC_NOERR)
        return rc;
    s->in_flight = set->in_flight > 0 ? set->in_flight : 1;
    s->tokens = TOKENS;
    s->region = ncz_strdup(set->region != NULL ? set->region : "");
    s->host = ncz_strdup(set->host);
    if (s->name == NULL)
        s->name = ncz_sprintf("s3://%s%s%s", set->bucket, set->prefix[0] != '\0' ? "/" : "", set->prefix);
    return s->region != NULL && s->host != NULL && s->name != NULL ? NC_NOERR : ncz_fail_nomem(0);
}

static void
log_settings(const ncz_s3 *s)
{
    const ncz_s3_settings *set = s->settings;
    char                   port[16] = "";

    if (set->port != 0)
        (void)snprintf(port, sizeof port, ":%u", set->port);
    ncz_log(NCZ_LOG_INFO, "%s: server %s://%s%s%s%s, region %s (%s), the bucket is in the %s, %s", s->name,
            set->https ? "https" : "http", set->host, port, set->custom ? " (not Amazon's)" : "",
            set->base != NULL ? set->base : "", s->region, set->region_from != NULL ? set->region_from : "default",
            set->virtual_host ? "host name" : "path",
            set->anonymous ? "requests are not signed" : "requests are signed where there are credentials");
}

int
ncz_s3_open(ncz_s3_settings *settings, ncz_s3 **out)
{
    ncz_s3 *s = ncz_zalloc(sizeof *s);
    int     rc;

    if (s == NULL) {
        ncz_s3_settings_free(settings);
        return ncz_fail_nomem(sizeof *s);
    }
    s->settings = settings;
    (void)pthread_mutex_init(&s->lock, NULL);
    if ((rc = init_client(s)) != NC_NOERR) {
        ncz_s3_close(s);
        return rc;
    }
    if (ncz_log_on(NCZ_LOG_INFO))
        log_settings(s);
    *out = s;
    return NC_NOERR;
}

void
ncz_s3_close(ncz_s3 *s)
{
    if (s == NULL)
        return;
    ncz_http_free(s->http);
    ncz_s3_settings_free(s->settings);
    ncz_s3_signing_clear(&s->signing);
    (void)pthread_mutex_destroy(&s->lock);
    ncz_free(s->name);
    ncz_free(s->web);
    ncz_free(s->region);
    ncz_free(s->host);
    ncz_free(s);
}

const char *
ncz_s3_name(const ncz_s3 *s)
{
    return s->name;
}

bool
ncz_s3_is_bucket(const ncz_s3 *s)
{
    return s->settings->bucket[0] != '\0' && s->settings->prefix[0] == '\0';
}

void
ncz_s3_stats_get(const ncz_s3 *s, ncz_s3_stats *out)
{
    out->requests = atomic_load_explicit(&s->stats.requests, memory_order_relaxed);
    out->retries = atomic_load_explicit(&s->stats.retries, memory_order_relaxed);
    out->bytes_in = atomic_load_explicit(&s->stats.bytes_in, memory_order_relaxed);
    out->bytes_out = atomic_load_explicit(&s->stats.bytes_out, memory_order_relaxed);
    out->ms = atomic_load_explicit(&s->stats.ms, memory_order_relaxed);
}

/* ---- names ---- */

static int
append_segment(ncz_buf *out, const char *segment)
{
    int rc = NC_NOERR;

    if (segment == NULL || segment[0] == '\0')
        return rc;
    if (out->len > 0)
        rc = ncz_buf_putc(out, '/');
    return rc == NC_NOERR ? ncz_buf_puts(out, segment) : rc;
}

int
ncz_s3_append_full_key(const ncz_s3 *s, const char *key, ncz_buf *out)
{
    int rc;

    if (!s->settings->virtual_host && (rc = append_segment(out, s->settings->bucket)) != NC_NOERR)
        return rc;
    if (key == NULL)
        return NC_NOERR;
    if ((rc = append_segment(out, s->settings->prefix)) != NC_NOERR)
        return rc;
    return append_segment(out, key);
}

/* Cuts a long key, to leave room for the message. */
int
ncz_s3_append_name(const ncz_s3 *s, const ncz_s3_op *op, ncz_buf *out)
{
    size_t len;
    int    rc;

    if ((rc = ncz_buf_puts(out, s->name)) != NC_NOERR || op->key == NULL || op->key[0] == '\0')
        return rc;
    if ((rc = ncz_buf_putc(out, '/')) != NC_NOERR)
        return rc;
    len = strlen(op->key);
    if (len <= NAME_MOST)
        return ncz_buf_puts(out, op->key);
    if ((rc = ncz_buf_append(out, op->key, ncz_utf8_cut(op->key, len, NAME_MOST))) != NC_NOERR)
        return rc;
    return ncz_buf_puts(out, "...");
}

/* ---- state learned from the server ---- */

int
ncz_s3_copy_server_state(ncz_s3 *s, ncz_buf *host, ncz_buf *region, int64_t *skew_s)
{
    int rc;

    ncz_buf_reset(host);
    ncz_buf_reset(region);
    (void)pthread_mutex_lock(&s->lock);
    *skew_s = s->skew_s;
    if ((rc = ncz_buf_puts(host, s->host)) == NC_NOERR)
        rc = ncz_buf_puts(region, s->region);
    (void)pthread_mutex_unlock(&s->lock);
    return rc;
}

void
ncz_s3_signing_get(ncz_s3 *s, ncz_s3_signing *out)
{
    (void)pthread_mutex_lock(&s->lock);
    *out = s->signing;
    (void)pthread_mutex_unlock(&s->lock);
}

void
ncz_s3_signing_set(ncz_s3 *s, const ncz_s3_signing *k)
{
    (void)pthread_mutex_lock(&s->lock);
    s->signing = *k;
    (void)pthread_mutex_unlock(&s->lock);
}

/* Amazon's host in another region: "s3.eu-west-1.amazonaws.com" for that of us-east-1, or for the one without
 * region. */
static char *
build_region_host(const char *host, const char *from, const char *to)
{
    const char *label = strstr(host, from);
    size_t      len = strlen(from);

    if (len > 0 && label != NULL && label > host && (label[-1] == '.' || label[-1] == '-') && label[len] == '.')
        return ncz_sprintf("%.*s%s%s", (int)(label - host), host, to, label + len);
    if (strncmp(host, "s3.amazonaws.", 13) == 0)
        return ncz_sprintf("s3.%s%s", to, host + 2);
    return ncz_strdup(host);
}

int
ncz_s3_change_region(ncz_s3 *s, const char *region)
{
    char *copy, *host;
    int   rc = NC_NOERR;

    (void)pthread_mutex_lock(&s->lock);
    if (strcmp(s->region, region) != 0) {
        copy = ncz_strdup(region);
        host = s->settings->custom ? ncz_strdup(s->host) : build_region_host(s->host, s->region, region);
        if (copy == NULL || host == NULL) {
            ncz_free(copy);
            ncz_free(host);
            rc = ncz_fail_nomem(0);
        } else {
            ncz_free(s->region);
            ncz_free(s->host);
            s->region = copy;
            s->host = host;
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    return rc;
}
