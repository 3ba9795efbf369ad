/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys as services and programs return them: JSON with varying names, and times in ISO 8601.
 */
#include "json/json.h"
#include "s3/credentials/creds_int.h"

#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- times ---- */

/* `n` digits at *s, and moves past them; -1: not digits. */
static int
parse_digits(const char **s, size_t n)
{
    int v = 0;

    for (size_t i = 0; i < n; i++, ++*s) {
        if (**s < '0' || **s > '9')
            return -1;
        v = v * 10 + (**s - '0');
    }
    return v;
}

static bool
skip_char(const char **s, char c)
{
    if (**s != c)
        return false;
    ++*s;
    return true;
}

/* "Z", "UTC", "+01:00", "+0100" or nothing: seconds east of Greenwich. */
static bool
parse_zone(const char *s, int64_t *east)
{
    int sign = *s == '-' ? -1 : 1, h, m;

    *east = 0;
    if (*s == '\0' || strcmp(s, "Z") == 0 || strcmp(s, "UTC") == 0)
        return true;
    if (!skip_char(&s, '+') && !skip_char(&s, '-'))
        return false;
    h = parse_digits(&s, 2);
    skip_char(&s, ':');
    m = h < 0 ? -1 : parse_digits(&s, 2);
    *east = sign * (h * 3600 + m * 60);
    return m >= 0 && *s == '\0';
}

bool
ncz_creds_parse_time(const char *s, int64_t *out)
{
    struct tm tm = {.tm_year = parse_digits(&s, 4) - 1900};
    int64_t   east;

    if (tm.tm_year < 0 || !skip_char(&s, '-') || (tm.tm_mon = parse_digits(&s, 2) - 1) < 0 || tm.tm_mon > 11 ||
        !skip_char(&s, '-') || (tm.tm_mday = parse_digits(&s, 2)) < 1 || (!skip_char(&s, 'T') && !skip_char(&s, ' ')))
        return false;
    if ((tm.tm_hour = parse_digits(&s, 2)) < 0 || !skip_char(&s, ':') || (tm.tm_min = parse_digits(&s, 2)) < 0 ||
        !skip_char(&s, ':') || (tm.tm_sec = parse_digits(&s, 2)) < 0)
        return false;
    if (skip_char(&s, '.'))
        s += strspn(s, "0123456789");
    if (!parse_zone(s, &east))
        return false;
    *out = (int64_t)timegm(&tm) - east;
    return true;
}

/* ---- documents ---- */

/* The memory of a parsed document contains secrets. */
static void
wipe_value(const ncz_json *v)
{
    size_t      len = 0;
    const char *s = ncz_json_str(v, &len);

    if (s != NULL)
        ncz_wipe((void *)(uintptr_t)s, len);
    for (size_t i = 0; i < ncz_json_len(v); i++)
        wipe_value(ncz_json_at(v, i));
}

void
ncz_creds_json_free(ncz_json *doc)
{
    size_t      len = 0;
    const char *text = doc != NULL ? ncz_json_slice(doc, &len) : NULL;

    if (doc == NULL)
        return;
    wipe_value(doc);
    if (text != NULL)
        ncz_wipe((void *)(uintptr_t)text, len);
    ncz_json_free(doc);
}

int
ncz_creds_json_parse(const char *text, size_t len, const char *what, ncz_json **out)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = (size_t)1 << 20, .name = what};
    int           rc = ncz_json_parse(text, len, &opts, out, NULL);

    if (rc != NC_NOERR && rc != NC_ENOMEM)
        return ncz_fail(NC_EAUTH, "%s: the answer is not JSON (%zu bytes)", what, len); /* do not quote it */
    if (rc == NC_NOERR && !ncz_json_is(*out, NCZ_JSON_OBJECT)) {
        ncz_creds_json_free(*out);
        *out = NULL;
        return ncz_fail(NC_EAUTH, "%s: the answer is not a JSON object", what);
    }
    return rc;
}

const char *
ncz_creds_json_text(const ncz_json *doc, const char *name)
{
    for (size_t i = 0; i < ncz_json_len(doc); i++) {
        size_t      len = 0;
        const char *s = ncz_json_str(ncz_json_at(doc, i), &len);

        if (s != NULL && strcasecmp(ncz_json_key(doc, i), name) == 0)
            return strlen(s) == len && len > 0 ? s : NULL;
    }
    return NULL;
}

/* A text, or milliseconds since 1970 (what single sign-on gives). */
static int
parse_expiration(const ncz_json *doc, const char *what, int64_t *out)
{
    const char *text = ncz_creds_json_text(doc, "Expiration");
    int64_t     ms = 0;

    if (text != NULL && !ncz_creds_parse_time(text, out))
        return ncz_fail(NC_EAUTH, "%s: Expiration \"%.40s\" is not a time", what, text);
    if (text == NULL && ncz_json_i64(ncz_json_get(doc, "expiration"), &ms))
        *out = ms / 1000;
    return NC_NOERR;
}

int
ncz_creds_json_key(const ncz_json *doc, const char *what, ncz_s3_access_key *out)
{
    const char *id = ncz_creds_json_text(doc, "AccessKeyId"), *secret = ncz_creds_json_text(doc, "SecretAccessKey");
    const char *token = ncz_creds_json_text(doc, "SessionToken");
    ncz_s3_access_key from = {.expires = 0};
    int               rc;

    if (id == NULL || secret == NULL)
        return ncz_fail(NC_EAUTH, "%s: the answer lacks %s", what, id == NULL ? "AccessKeyId" : "SecretAccessKey");
    if (token == NULL)
        token = ncz_creds_json_text(doc, "Token");
    if ((rc = parse_expiration(doc, what, &from.expires)) != NC_NOERR)
        return rc;
    from.id = (char *)(uintptr_t)id;
    from.secret = (char *)(uintptr_t)secret;
    from.token = (char *)(uintptr_t)token;
    return ncz_s3_access_key_copy(out, &from);
}
