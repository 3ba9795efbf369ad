/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roles: temporary keys from STS, for a caller with other keys (AssumeRole) or with an identity token from elsewhere
 * (AssumeRoleWithWebIdentity). The other keys may be those of a role, too; a profile is visited once.
 */
#include "s3/credentials/creds_int.h"

#include <string.h>

enum { PROFILES_MOST = 16 }; /* in a chain of source_profile */

/* The profiles that led here. */
typedef struct visit {
    const char         *profile;
    const struct visit *from;
    size_t              depth;
} visit;

static const char *
lookup_profile(const ncz_creds_fetch *f, const char *profile, const char *key)
{
    return ncz_s3_setting_profile(f->files, profile, NULL, key).value;
}

/* ---- AssumeRole ---- */

static int find_profile_keys(ncz_creds_fetch *f, const visit *v, bool *found);

static int
find_source_keys(ncz_creds_fetch *f, const char *profile, const char *source, bool *found)
{
    int rc;

    if (strcmp(source, "Environment") == 0)
        rc = ncz_creds_from_env(f, found);
    else if (strcmp(source, "Ec2InstanceMetadata") == 0) {
        f->at_hand = false; /* the profile names the service: do not postpone it */
        rc = ncz_creds_from_ec2(f, found);
    } else if (strcmp(source, "EcsContainer") == 0)
        rc = ncz_creds_from_container(f, found);
    else
        return ncz_fail(NC_EAUTH,
                        "profile %s: credential_source %s is not one of Environment, Ec2InstanceMetadata, "
                        "EcsContainer",
                        profile, source);
    if (rc == NC_NOERR && !*found)
        rc = ncz_fail(NC_EAUTH, "profile %s: its credential_source %s has no keys: %s", profile, source,
                      ncz_buf_str(&f->why));
    return rc;
}

static int
find_next_keys(ncz_creds_fetch *f, const visit *v, const char *next, bool *found)
{
    const visit to = {.profile = next, .from = v, .depth = v->depth + 1};
    bool        own = strcmp(next, v->profile) == 0;

    if (!ncz_s3_profile_exists(f->files, next))
        return ncz_fail(NC_EAUTH, "profile %s: there is no profile %s, its source_profile", v->profile, next);
    for (const visit *at = v->from; at != NULL; at = at->from)
        if (strcmp(at->profile, next) == 0 || to.depth > PROFILES_MOST)
            return ncz_fail(NC_EAUTH, "profile %s: its source_profile leads back to %s", v->profile, next);
    if (own && lookup_profile(f, next, "aws_access_key_id") == NULL)
        return ncz_fail(NC_EAUTH, "profile %s: its source_profile is itself, and it has no keys", next);
    return find_profile_keys(f, &to, found);
}

static int
add_role(ncz_creds_fetch *f, const char *profile, ncz_creds_sts *s)
{
    int rc;

    if ((rc = ncz_creds_sts_add(s, "RoleArn", s->role)) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_sts_add_session(s, lookup_profile(f, profile, "role_session_name"))) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_sts_add(s, "ExternalId", lookup_profile(f, profile, "external_id"))) != NC_NOERR)
        return rc;
    return ncz_creds_sts_add(s, "DurationSeconds", lookup_profile(f, profile, "duration_seconds"));
}

static int
assume_role(ncz_creds_fetch *f, const visit *v, bool *found)
{
    const char   *next = lookup_profile(f, v->profile, "source_profile");
    const char   *source = lookup_profile(f, v->profile, "credential_source");
    ncz_creds_sts s = {
        .what = "AssumeRole", .profile = v->profile, .role = lookup_profile(f, v->profile, "role_arn")};
    ncz_s3_access_key keys = {.id = NULL};
    int               rc;

    if (next != NULL && source != NULL)
        return ncz_fail(NC_EAUTH, "profile %s: both source_profile and credential_source", v->profile);
    if (lookup_profile(f, v->profile, "mfa_serial") != NULL)
        return ncz_fail(NC_EAUTH,
                        "profile %s: its role needs a one-time code (mfa_serial), which cannot be entered here: "
                        "use `aws configure export-credentials`",
                        v->profile);
    *found = false;
    rc = next != NULL ? find_next_keys(f, v, next, found) : find_source_keys(f, v->profile, source, found);
    if (rc != NC_NOERR)
        return rc;
    keys = f->keys; /* they sign the request for the role's keys */
    f->keys = (ncz_s3_access_key){.id = NULL};
    f->keep = *found = false;
    if ((rc = ncz_creds_sts_init(f, &s)) == NC_NOERR && (rc = add_role(f, v->profile, &s)) == NC_NOERR)
        rc = ncz_creds_sts_send(f, &s, &keys, found);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_sts_clear(&s);
    return rc;
}

static bool
is_role(const ncz_creds_fetch *f, const char *profile)
{
    return lookup_profile(f, profile, "role_arn") != NULL &&
           (lookup_profile(f, profile, "source_profile") != NULL ||
            lookup_profile(f, profile, "credential_source") != NULL);
}

/* ---- AssumeRoleWithWebIdentity ---- */

typedef struct identity {
    const char *profile; /* NULL: from the environment */
    const char *file, *role, *session;
} identity;

static int
add_identity(const identity *id, ncz_creds_sts *s)
{
    ncz_buf token = NCZ_BUF_INIT;
    bool    absent = false;
    int     rc = ncz_read_secret_file(id->file, 65536, &absent, &token);

    if (rc == NC_NOERR && absent)
        rc = ncz_fail(NC_EAUTH, "the web identity token %s does not exist", id->file);
    if (rc == NC_NOERR)
        rc = ncz_buf_reserve(&s->body, 4 * token.len + 2048);
    if (rc == NC_NOERR)
        rc = ncz_creds_sts_add(s, "RoleArn", id->role);
    if (rc == NC_NOERR)
        rc = ncz_creds_sts_add_session(s, id->session);
    if (rc == NC_NOERR) {
        token.data[strcspn(token.data, "\r\n")] = '\0';
        rc = ncz_creds_sts_add(s, "WebIdentityToken", token.data);
    }
    ncz_wipe(token.data, token.cap);
    ncz_buf_clear(&token);
    return rc == NC_NOERR || rc == NC_ENOMEM ? rc : NC_EAUTH;
}

static int
assume_with_identity(ncz_creds_fetch *f, const identity *id, bool *found)
{
    ncz_creds_sts s = {.what = "AssumeRoleWithWebIdentity", .profile = id->profile, .role = id->role};
    int           rc;

    if (id->role == NULL)
        return ncz_fail(NC_EAUTH, "a web identity token (%s) is set, but no role", id->file);
    if ((rc = ncz_creds_sts_init(f, &s)) == NC_NOERR && (rc = add_identity(id, &s)) == NC_NOERR)
        rc = ncz_creds_sts_send(f, &s, NULL, found); /* the token is the signature */
    ncz_creds_sts_clear(&s);
    return rc;
}

static int
assume_profile_identity(ncz_creds_fetch *f, const char *profile, bool *found)
{
    const identity id = {.profile = profile,
                         .file = lookup_profile(f, profile, "web_identity_token_file"),
                         .role = lookup_profile(f, profile, "role_arn"),
                         .session = lookup_profile(f, profile, "role_session_name")};
    identity       expanded = id;
    char          *file;
    int            rc;

    if (id.file == NULL)
        return NC_NOERR;
    if ((file = ncz_s3_expand_home(id.file, f->files->home)) == NULL)
        return ncz_fail_nomem(strlen(id.file));
    expanded.file = file;
    rc = assume_with_identity(f, &expanded, found);
    ncz_free(file);
    return rc;
}

int
ncz_creds_from_web_identity(ncz_creds_fetch *f, bool *found)
{
    const identity id = {.file = ncz_env("AWS_WEB_IDENTITY_TOKEN_FILE"),
                         .role = ncz_env("AWS_ROLE_ARN"),
                         .session = ncz_env("AWS_ROLE_SESSION_NAME")};

    if (id.file != NULL && !f->profile_first)
        return assume_with_identity(f, &id, found);
    return f->profile != NULL ? assume_profile_identity(f, f->profile, found) : NC_NOERR;
}

/* ---- the keys of a source profile ---- */

/* Its keys precede its role. */
static int
find_profile_keys(ncz_creds_fetch *f, const visit *v, bool *found)
{
    static int (*const sources[])(ncz_creds_fetch *, const char *,
                                  bool *) = {assume_profile_identity, ncz_creds_from_sso, ncz_creds_from_process};
    int rc;

    if ((rc = ncz_creds_from_file(f, v->profile, &f->files->credentials, found)) != NC_NOERR || *found)
        return rc;
    if ((rc = ncz_creds_from_file(f, v->profile, &f->files->config, found)) != NC_NOERR || *found)
        return rc;
    if (is_role(f, v->profile))
        return assume_role(f, v, found);
    for (size_t i = 0; i < NCZ_LEN(sources); i++)
        if ((rc = sources[i](f, v->profile, found)) != NC_NOERR || *found)
            return rc;
    return ncz_fail(NC_EAUTH, "profile %s, the source_profile of %s, has no keys", v->profile,
                    v->from != NULL ? v->from->profile : v->profile);
}

int
ncz_creds_from_role(ncz_creds_fetch *f, const char *profile, bool *found)
{
    const visit first = {.profile = profile};

    if (is_role(f, profile))
        return assume_role(f, &first, found);
    if (lookup_profile(f, profile, "role_arn") != NULL &&
        lookup_profile(f, profile, "web_identity_token_file") == NULL &&
        ncz_env("AWS_WEB_IDENTITY_TOKEN_FILE") == NULL)
        return ncz_fail(NC_EAUTH,
                        "profile %s: a role_arn without source_profile, credential_source or "
                        "web_identity_token_file",
                        profile);
    return NC_NOERR;
}
