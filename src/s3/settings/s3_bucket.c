/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets and checks bucket, key, region and addressing, which s3_url.c and s3_endpoint.c find.
 */
#include "s3/settings/s3_settings_int.h"

#include <string.h>

enum { PREFIX_MOST = 1024, BUCKET_MOST = 255 };

int
ncz_s3_set_text(char **to, const char *value, size_t len)
{
    char *copy = ncz_strndup(value, len);

    if (copy == NULL)
        return ncz_fail_nomem(len + 1);
    ncz_free(*to);
    *to = copy;
    return NC_NOERR;
}

/* ---- bucket and prefix ---- */

int
ncz_s3_set_bucket(ncz_s3_settings *s, const char *raw, size_t len)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    char             *bucket = NULL;
    int               rc = ncz_uri_decode(raw, len, &bucket);
    size_t            n;

    if (rc != NC_NOERR)
        return rc;
    n = strlen(bucket);
    if (n == 0)
        rc = ncz_fail(NC_EURL, "the URL names no bucket");
    else if (n > BUCKET_MOST || bucket[strspn(bucket, safe)] != '\0' || strcmp(bucket, ".") == 0 ||
             strcmp(bucket, "..") == 0)
        rc = ncz_fail(NC_EURL, "\"%.80s\" is not a bucket name (letters, digits and -._)", bucket);
    else if (n > 6 && strcmp(bucket + n - 6, "--x-s3") == 0)
        rc = ncz_fail(NC_EURL, "%s: directory buckets (S3 Express) are not supported", bucket);
    if (rc != NC_NOERR) {
        ncz_free(bucket);
        return rc;
    }
    ncz_free(s->bucket);
    s->bucket = bucket;
    return NC_NOERR;
}

/* The key of a dataset, without slashes at its ends. */
int
ncz_s3_set_prefix(ncz_s3_settings *s, const char *raw)
{
    char  *key = NULL;
    size_t begin, len;
    int    rc;

    if ((rc = ncz_uri_decode(raw, strlen(raw), &key)) != NC_NOERR)
        return rc;
    begin = strspn(key, "/");
    len = strlen(key);
    while (len > begin && key[len - 1] == '/')
        len--;
    if (len - begin > PREFIX_MOST)
        rc = ncz_fail(NC_EURL, "a key of %zu bytes is longer than S3's %d", len - begin, PREFIX_MOST);
    else if (!ncz_utf8_valid(key + begin, len - begin))
        rc = ncz_fail(NC_EURL, "the key of the URL is not UTF-8");
    else
        rc = ncz_s3_set_text(&s->prefix, key + begin, len - begin);
    ncz_free(key);
    return rc;
}

/* "/bucket/key" */
int
ncz_s3_set_path(ncz_s3_settings *s, const char *path)
{
    size_t begin = strspn(path, "/"), len = strcspn(path + begin, "/");
    int    rc;

    if ((rc = ncz_s3_set_bucket(s, path + begin, len)) != NC_NOERR)
        return rc;
    return ncz_s3_set_prefix(s, path + begin + len);
}

/* ---- settings with their origin ---- */

int
ncz_s3_set_addressing(ncz_s3_settings *s, bool is_virtual, const ncz_s3_setting *from)
{
    s->virtual_host = is_virtual;
    ncz_free(s->addressing_from);
    s->addressing_from = NULL;
    return ncz_s3_setting_origin(from, &s->addressing_from);
}

int
ncz_s3_set_region(ncz_s3_settings *s, const ncz_s3_host *h, const char *host)
{
    const ncz_s3_setting from = {.source = NCZ_S3_FROM_HOST};

    if (h->region_len == 0)
        return NC_NOERR;
    if (ncz_s3_set_text(&s->region, host + h->region_at, h->region_len) != NC_NOERR)
        return NC_ENOMEM;
    return ncz_s3_setting_origin(&from, &s->region_from);
}
