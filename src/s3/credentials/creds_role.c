/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roles: keys that STS gives for a while, to somebody with other keys (AssumeRole) or with a token from elsewhere
 * that says who he is (AssumeRoleWithWebIdentity). The other keys may be of a role too; a profile is visited once.
 */
#include "s3/credentials/creds_int.h"

#include <string.h>

enum { PROFILES_MOST = 16 }; /* from one to the next */

/* The profiles that led here. */
typedef struct visit {
    const char         *profile;
    const struct visit *from;
    size_t              depth;
} visit;

static const char *
of_profile(const ncz_creds_fetch *f, const char *profile, const char *key)
{
    return ncz_s3_setting_profile(f->files, profile, NULL, key).value;
}

/* ---- AssumeRole ---- */

static int keys_of_profile(ncz_creds_fetch *f, const visit *v, bool *found);

static int
keys_of_source(ncz_creds_fetch *f, const char *profile, const char *source, bool *found)
{
    int rc;

    if (strcmp(source, "Environment") == 0)
        rc = ncz_creds_from_env(f, found);
    else if (strcmp(source, "Ec2InstanceMetadata") == 0) {
        f->at_hand = false; /* the profile names the service: it is asked at once */
        rc = ncz_creds_from_ec2(f, found);
    } else if (strcmp(source, "EcsContainer") == 0)
        rc = ncz_creds_from_container(f, found);
    else
        return ncz_fail(NC_EAUTH,
                        "profile %s: credential_source %s is none of Environment, Ec2InstanceMetadata, "
                        "EcsContainer",
                        profile, source);
    if (rc == NC_NOERR && !*found)
        rc = ncz_fail(NC_EAUTH, "profile %s: its credential_source %s has no keys: %s", profile, source,
                      ncz_buf_str(&f->why));
    return rc;
}

static int
keys_of_next(ncz_creds_fetch *f, const visit *v, const char *next, bool *found)
{
    const visit to = {.profile = next, .from = v, .depth = v->depth + 1};
    bool        own = strcmp(next, v->profile) == 0;

    if (!ncz_s3_profile_exists(f->files, next))
        return ncz_fail(NC_EAUTH, "profile %s: there is no profile %s, its source_profile", v->profile, next);
    for (const visit *at = v->from; at != NULL; at = at->from)
        if (strcmp(at->profile, next) == 0 || to.depth > PROFILES_MOST)
            return ncz_fail(NC_EAUTH, "profile %s: its source_profile leads back to %s", v->profile, next);
    if (own && of_profile(f, next, "aws_access_key_id") == NULL)
        return ncz_fail(NC_EAUTH, "profile %s: its source_profile is itself, and it has no keys", next);
    return keys_of_profile(f, &to, found);
}

static int
put_role(ncz_creds_fetch *f, const char *profile, ncz_creds_sts *s)
{
    int rc;

    if ((rc = ncz_creds_sts_add(s, "RoleArn", s->role)) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_sts_add_session(s, of_profile(f, profile, "role_session_name"))) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_sts_add(s, "ExternalId", of_profile(f, profile, "external_id"))) != NC_NOERR)
        return rc;
    return ncz_creds_sts_add(s, "DurationSeconds", of_profile(f, profile, "duration_seconds"));
}

static int
assume(ncz_creds_fetch *f, const visit *v, bool *found)
{
    const char   *next = of_profile(f, v->profile, "source_profile");
    const char   *source = of_profile(f, v->profile, "credential_source");
    ncz_creds_sts s = {.what = "AssumeRole", .profile = v->profile, .role = of_profile(f, v->profile, "role_arn")};
    ncz_s3_access_key keys = {.id = NULL};
    int               rc;

    if (next != NULL && source != NULL)
        return ncz_fail(NC_EAUTH, "profile %s: both source_profile and credential_source", v->profile);
    if (of_profile(f, v->profile, "mfa_serial") != NULL)
        return ncz_fail(NC_EAUTH,
                        "profile %s: its role asks for a code (mfa_serial), which nobody can type in here: "
                        "use `aws configure export-credentials`",
                        v->profile);
    *found = false;
    rc = next != NULL ? keys_of_next(f, v, next, found) : keys_of_source(f, v->profile, source, found);
    if (rc != NC_NOERR)
        return rc;
    keys = f->keys; /* they sign, and make way for the role's */
    f->keys = (ncz_s3_access_key){.id = NULL};
    f->keep = *found = false;
    if ((rc = ncz_creds_sts_init(f, &s)) == NC_NOERR && (rc = put_role(f, v->profile, &s)) == NC_NOERR)
        rc = ncz_creds_sts_send(f, &s, &keys, found);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_sts_clear(&s);
    return rc;
}

static bool
is_role(const ncz_creds_fetch *f, const char *profile)
{
    return of_profile(f, profile, "role_arn") != NULL &&
           (of_profile(f, profile, "source_profile") != NULL || of_profile(f, profile, "credential_source") != NULL);
}

/* ---- AssumeRoleWithWebIdentity ---- */

typedef struct identity {
    const char *profile; /* NULL: of the environment */
    const char *file, *role, *session;
} identity;

static int
put_identity(const identity *id, ncz_creds_sts *s)
{
    ncz_buf token = NCZ_BUF_INIT;
    bool    absent = false;
    int     rc = ncz_s3_read_file(id->file, 65536, &absent, &token);

    if (rc == NC_NOERR && absent)
        rc = ncz_fail(NC_EAUTH, "the web identity token %s is not there", id->file);
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
identify(ncz_creds_fetch *f, const identity *id, bool *found)
{
    ncz_creds_sts s = {.what = "AssumeRoleWithWebIdentity", .profile = id->profile, .role = id->role};
    int           rc;

    if (id->role == NULL)
        return ncz_fail(NC_EAUTH, "a web identity token (%s), and no role to use it for", id->file);
    if ((rc = ncz_creds_sts_init(f, &s)) == NC_NOERR && (rc = put_identity(id, &s)) == NC_NOERR)
        rc = ncz_creds_sts_send(f, &s, NULL, found); /* the token is the signature */
    ncz_creds_sts_clear(&s);
    return rc;
}

static int
identity_of_profile(ncz_creds_fetch *f, const char *profile, bool *found)
{
    const identity id = {.profile = profile,
                         .file = of_profile(f, profile, "web_identity_token_file"),
                         .role = of_profile(f, profile, "role_arn"),
                         .session = of_profile(f, profile, "role_session_name")};
    identity       expanded = id;
    char          *file;
    int            rc;

    if (id.file == NULL)
        return NC_NOERR;
    if ((file = ncz_s3_expand_home(id.file, f->files->home)) == NULL)
        return ncz_fail_nomem(strlen(id.file));
    expanded.file = file;
    rc = identify(f, &expanded, found);
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
        return identify(f, &id, found);
    return f->profile != NULL ? identity_of_profile(f, f->profile, found) : NC_NOERR;
}

/* ---- a profile whose keys are wanted by a role ---- */

/* Keys of its own go before a role of its own. */
static int
keys_of_profile(ncz_creds_fetch *f, const visit *v, bool *found)
{
    static int (*const sources[])(ncz_creds_fetch *, const char *, bool *) = {identity_of_profile, ncz_creds_from_sso,
                                                                              ncz_creds_from_process};
    int rc;

    if ((rc = ncz_creds_from_file(f, v->profile, &f->files->credentials, found)) != NC_NOERR || *found)
        return rc;
    if ((rc = ncz_creds_from_file(f, v->profile, &f->files->config, found)) != NC_NOERR || *found)
        return rc;
    if (is_role(f, v->profile))
        return assume(f, v, found);
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
        return assume(f, &first, found);
    if (of_profile(f, profile, "role_arn") != NULL && of_profile(f, profile, "web_identity_token_file") == NULL &&
        ncz_env("AWS_WEB_IDENTITY_TOKEN_FILE") == NULL)
        return ncz_fail(NC_EAUTH,
                        "profile %s: a role_arn without source_profile, credential_source or "
                        "web_identity_token_file",
                        profile);
    return NC_NOERR;
}
