/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every source of credentials needs: the time, the result of a search, and calls of services.
 */
#include "s3/credentials/creds_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t
ncz_creds_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec;
}

/* False: a character that no key has, and that would break a header or a signature. */
static bool
is_clean(const char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7F)
            return false;
    return true;
}

int
ncz_creds_found(ncz_creds_fetch *f, ncz_s3_access_key *keys, bool *found, const char *source, ...)
{
    va_list args;
    char   *text;
    int     n;

    va_start(args, source);
    n = vsnprintf(NULL, 0, source, args);
    va_end(args);
    if (n < 0 || (text = ncz_alloc((size_t)n + 1)) == NULL)
        return ncz_fail_nomem((size_t)n + 1);
    va_start(args, source);
    vsnprintf(text, (size_t)n + 1, source, args);
    va_end(args);
    if (keys->id == NULL || keys->secret == NULL || keys->id[0] == '\0' || keys->secret[0] == '\0' ||
        !is_clean(keys->id) || !is_clean(keys->secret) || (keys->token != NULL && !is_clean(keys->token))) {
        ncz_fail(NC_EAUTH, "%s: a key is empty, or contains a blank or a character that is not allowed", text);
        ncz_free(text);
        return NC_EAUTH;
    }
    ncz_s3_access_key_clear(&f->keys);
    ncz_free(f->source);
    f->keys = *keys;
    f->source = text;
    *keys = (ncz_s3_access_key){.id = NULL}; /* now the search's */
    if (f->keys.token != NULL && f->keys.token[0] == '\0') {
        ncz_free(f->keys.token);
        f->keys.token = NULL;
    }
    *found = true;
    return NC_NOERR;
}

int
ncz_creds_note_missing(ncz_creds_fetch *f, const char *fmt, ...)
{
    char    text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return ncz_buf_printf(&f->why, "%s%s", f->why.len > 0 ? "; " : "", text);
}

/* ---- calling services ---- */

int
ncz_creds_call_service(const ncz_creds_fetch *f, ncz_http_once *call, const char *what)
{
    ncz_err err;
    int     rc;

    call->ca_file = f->ca_file;
    call->ca_dir = f->ca_dir;
    if (call->connect_ms == 0)
        call->connect_ms = 10000;
    if (call->total_ms == 0)
        call->total_ms = 30000;
    if (call->attempts == 0)
        call->attempts = 3;
    if ((rc = ncz_buf_reserve(&call->reply, 16384)) != NC_NOERR) /* growing would leave copies of secrets */
        return rc;
    if ((rc = ncz_http_once_do(call)) == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(NC_EAUTH, "%s does not answer: %s", what, err.text);
}

ncz_s3_setting
ncz_creds_service_endpoint(const ncz_creds_fetch *f, const char *profile, const char *variable, const char *service)
{
    const ncz_s3_setting all[] = {
        ncz_s3_setting_env(variable),
        ncz_s3_setting_env("AWS_ENDPOINT_URL"),
        ncz_s3_setting_service(f->files, profile, service, "endpoint_url"),
        ncz_s3_setting_profile(f->files, profile, NULL, "endpoint_url"),
    };
    const ncz_s3_setting ignore[] = {
        ncz_s3_setting_env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
        ncz_s3_setting_profile(f->files, profile, NULL, "ignore_configured_endpoint_urls"),
    };
    ncz_s3_setting off = ncz_s3_setting_first(ignore, NCZ_LEN(ignore));
    bool           ignored = false;

    if (ncz_s3_setting_bool(&off, &ignored) == NC_NOERR && ignored)
        return ncz_s3_setting_default(NULL);
    return ncz_s3_setting_first(all, NCZ_LEN(all));
}
