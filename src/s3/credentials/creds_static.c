/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static keys: in the URL, in the environment, in a file.
 */
#include "s3/credentials/creds_int.h"

#include <string.h>

/* One of the two keys is missing: that is an error, not a reason to search further. */
static int
fail_half(const char *have, const char *lack, const char *where)
{
    return ncz_fail(NC_EAUTH, "%s is set and %s is not (%s)", have, lack, where);
}

static int
copy_keys(ncz_creds_fetch *f, const char *id, const char *secret, const char *token, bool *found, const char *source)
{
    ncz_s3_access_key from = {.id = (char *)id, .secret = (char *)secret, .token = (char *)token}, keys;
    int               rc = ncz_s3_access_key_copy(&keys, &from);

    if (rc == NC_NOERR) {
        rc = ncz_creds_found(f, &keys, found, "%s", source);
        ncz_s3_access_key_clear(&keys);
    }
    return rc;
}

int
ncz_creds_from_url(ncz_creds_fetch *f, bool *found)
{
    const ncz_s3_access_key *k = f->given;

    if (k->id == NULL && k->secret == NULL)
        return NC_NOERR;
    if (k->id == NULL || k->secret == NULL)
        return fail_half(k->id != NULL ? "aws.access_key_id" : "aws.secret_access_key",
                         k->id != NULL ? "aws.secret_access_key" : "aws.access_key_id", "the URL");
    return copy_keys(f, k->id, k->secret, k->token, found, "the URL");
}

int
ncz_creds_from_env(ncz_creds_fetch *f, bool *found)
{
    const char *id = ncz_env("AWS_ACCESS_KEY_ID"), *secret = ncz_env("AWS_SECRET_ACCESS_KEY");
    const char *token = ncz_env("AWS_SESSION_TOKEN");

    if (id == NULL && secret == NULL)
        return ncz_creds_note_missing(f, "AWS_ACCESS_KEY_ID is not set");
    if (id == NULL || secret == NULL)
        return fail_half(id != NULL ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                         id != NULL ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID", "the environment");
    return copy_keys(f, id, secret, token != NULL ? token : ncz_env("AWS_SECURITY_TOKEN"), found, "the environment");
}

int
ncz_creds_from_file(ncz_creds_fetch *f, const char *profile, const ncz_s3_ini *file, bool *found)
{
    const char *id = ncz_s3_ini_get(file, NCZ_S3_INI_PROFILE, profile, NULL, "aws_access_key_id");
    const char *secret = ncz_s3_ini_get(file, NCZ_S3_INI_PROFILE, profile, NULL, "aws_secret_access_key");
    const char *token = ncz_s3_ini_get(file, NCZ_S3_INI_PROFILE, profile, NULL, "aws_session_token");
    char       *source;
    int         rc;

    if (id == NULL && secret == NULL)
        return NC_NOERR;
    if ((source = ncz_sprintf("profile %s in %s", profile, file->file)) == NULL)
        return ncz_fail_nomem(strlen(profile));
    if (id == NULL || secret == NULL)
        rc = fail_half(id != NULL ? "aws_access_key_id" : "aws_secret_access_key",
                       id != NULL ? "aws_secret_access_key" : "aws_access_key_id", source);
    else {
        if (token == NULL)
            token = ncz_s3_ini_get(file, NCZ_S3_INI_PROFILE, profile, NULL, "aws_security_token");
        rc = copy_keys(f, id, secret, token, found, source);
    }
    ncz_free(source);
    return rc;
}
