/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources of credentials, in the order in which the AWS tools ask them.
 */
#include "s3/creds_int.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t
ncz_s3_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec;
}

/* What would break a header or a signature, and what no key has. */
static bool
is_clean(const char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7F)
            return false;
    return true;
}

int
ncz_s3_found(ncz_s3_fetch *f, ncz_s3_keys *keys, bool *found, const char *source, ...)
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
        ncz_fail(NC_EAUTH, "%s: an empty key, or one with a blank or a character that keys do not have", text);
        ncz_free(text);
        return NC_EAUTH;
    }
    ncz_s3_keys_clear(&f->keys);
    ncz_free(f->source);
    f->keys = *keys;
    f->source = text;
    *keys = (ncz_s3_keys){ .id = NULL }; /* now the walk's */
    if (f->keys.token != NULL && f->keys.token[0] == '\0') {
        ncz_free(f->keys.token);
        f->keys.token = NULL;
    }
    *found = true;
    return NC_NOERR;
}

int
ncz_s3_lacks(ncz_s3_fetch *f, const char *fmt, ...)
{
    char    text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return ncz_buf_printf(&f->why, "%s%s", f->why.len > 0 ? "; " : "", text);
}

/* ---- the chain ---- */

static int
credentials_file(ncz_s3_fetch *f, bool *found)
{
    if (f->profile == NULL)
        return ncz_s3_lacks(f, "no profile default in %s nor %s",
                            f->files->config_path != NULL ? f->files->config_path : "~/.aws/config",
                            f->files->credentials_path != NULL ? f->files->credentials_path : "~/.aws/credentials");
    return ncz_s3_from_file(f, f->profile, &f->files->credentials, found);
}

static int
config_file(ncz_s3_fetch *f, bool *found)
{
    int rc;

    if (f->profile == NULL)
        return NC_NOERR;
    if ((rc = ncz_s3_from_file(f, f->profile, &f->files->config, found)) != NC_NOERR || *found)
        return rc;
    return ncz_s3_lacks(f, "profile %s has no keys", f->profile);
}

static int
environment(ncz_s3_fetch *f, bool *found)
{
    return f->profile_first ? ncz_s3_lacks(f, "the environment is not asked, as the URL names a profile")
                            : ncz_s3_from_env(f, found);
}

int
ncz_s3_walk(ncz_s3_fetch *f, bool *found)
{
    static int (*const sources[])(ncz_s3_fetch *, bool *) = {
        ncz_s3_from_given,
        environment,
        credentials_file,
        config_file,
    };
    int rc = NC_NOERR;

    *found = false;
    for (size_t i = 0; i < NCZ_LEN(sources) && rc == NC_NOERR && !*found; i++)
        rc = sources[i](f, found);
    return rc;
}
