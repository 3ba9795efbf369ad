/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single sign-on: `aws sso login` stores a token in ~/.aws/sso/cache, for which the portal returns keys of a role.
 */
#include "json/json.h"
#include "s3/credentials/creds_int.h"
#include "s3/http/http.h"
#include "uri/uri.h"

#include <string.h>

/* The settings of a profile; borrowed. */
typedef struct sso {
    const char *profile, *session, *start_url, *region, *account, *role;
} sso;

static const char *
lookup_profile(const ncz_creds_fetch *f, const char *profile, const char *key)
{
    return ncz_s3_setting_profile(f->files, profile, NULL, key).value;
}

/* In a section [sso-session], or, in the older form, all in the profile. */
static int
read_settings(const ncz_creds_fetch *f, const char *profile, sso *out)
{
    const ncz_s3_ini *config = &f->files->config;
    sso               s = {.profile = profile, .session = lookup_profile(f, profile, "sso_session")};

    s.account = lookup_profile(f, profile, "sso_account_id");
    s.role = lookup_profile(f, profile, "sso_role_name");
    if (s.session != NULL) {
        if (!ncz_s3_ini_has(config, NCZ_S3_INI_SSO_SESSION, s.session))
            return ncz_fail(NC_EAUTH, "profile %s: there is no [sso-session %s] in %s", profile, s.session,
                            config->file != NULL ? config->file : "~/.aws/config");
        s.start_url = ncz_s3_ini_get(config, NCZ_S3_INI_SSO_SESSION, s.session, NULL, "sso_start_url");
        s.region = ncz_s3_ini_get(config, NCZ_S3_INI_SSO_SESSION, s.session, NULL, "sso_region");
    } else {
        s.start_url = lookup_profile(f, profile, "sso_start_url");
        s.region = lookup_profile(f, profile, "sso_region");
    }
    if (s.start_url == NULL || s.region == NULL || s.account == NULL || s.role == NULL)
        return ncz_fail(NC_EAUTH, "profile %s: single sign-on lacks %s", profile,
                        s.start_url == NULL ? "sso_start_url"
                        : s.region == NULL  ? "sso_region"
                        : s.account == NULL ? "sso_account_id"
                                            : "sso_role_name");
    *out = s;
    return NC_NOERR;
}

static int
fail_login(const sso *s, const char *why)
{
    return ncz_fail(NC_EAUTH, "profile %s: %s: run `aws sso login --profile %s`", s->profile, why, s->profile);
}

/* ---- the token ---- */

static int
build_token_path(const ncz_creds_fetch *f, const sso *s, char **out)
{
    const char *name = s->session != NULL ? s->session : s->start_url, *home = ncz_env("NC_TEST_AWS_DIR");
    char        hash[NCZ_S3_SHA1_HEX];
    int         rc;

    if (home == NULL)
        home = f->files->home;
    if (home == NULL)
        return fail_login(s, "without HOME its token cannot be found");
    if ((rc = ncz_s3_sha1_hex(name, strlen(name), hash)) != NC_NOERR)
        return rc;
    if ((*out = ncz_sprintf("%s/.aws/sso/cache/%s.json", home, hash)) == NULL)
        return ncz_fail_nomem(strlen(home) + 64);
    return NC_NOERR;
}

static int
parse_token(const sso *s, const ncz_json *doc, char **out)
{
    const char *token = ncz_creds_json_text(doc, "accessToken"), *until = ncz_creds_json_text(doc, "expiresAt");
    int64_t     expires = 0;

    if (token == NULL || until == NULL || !ncz_creds_parse_time(until, &expires))
        return fail_login(s, "the token of single sign-on cannot be read");
    if (expires <= ncz_creds_now())
        return fail_login(s, "the token of single sign-on has expired");
    if (strpbrk(token, "\r\n") != NULL)
        return fail_login(s, "the token of single sign-on has a line break");
    if ((*out = ncz_strdup(token)) == NULL)
        return ncz_fail_nomem(strlen(token) + 1);
    return NC_NOERR;
}

static int
load_token(const ncz_creds_fetch *f, const sso *s, char **out)
{
    ncz_buf   text = NCZ_BUF_INIT;
    ncz_json *doc = NULL;
    char     *path = NULL;
    bool      absent = false;
    int       rc;

    if ((rc = build_token_path(f, s, &path)) != NC_NOERR)
        return rc;
    rc = ncz_read_secret_file(path, NCZ_S3_INI_MOST, &absent, &text);
    if (rc == NC_NOERR && absent)
        rc = fail_login(s, "there is no token of single sign-on");
    if (rc == NC_NOERR && (rc = ncz_creds_json_parse(ncz_buf_str(&text), text.len, path, &doc)) == NC_NOERR)
        rc = parse_token(s, doc, out);
    ncz_creds_json_free(doc);
    ncz_wipe(text.data, text.cap);
    ncz_buf_clear(&text);
    ncz_free(path);
    return rc;
}

/* ---- the portal ---- */

static int
append_url(const ncz_creds_fetch *f, const sso *s, ncz_buf *out)
{
    ncz_s3_setting said = ncz_creds_service_endpoint(f, s->profile, "AWS_ENDPOINT_URL_SSO", "sso");
    int            rc;

    if (!ncz_s3_is_region(s->region))
        return ncz_fail(NC_EAUTH, "profile %s: sso_region is not a region", s->profile);
    if (said.value != NULL)
        rc = ncz_buf_append(out, said.value, strlen(said.value) - (said.value[strlen(said.value) - 1] == '/'));
    else
        rc = ncz_buf_printf(out, "https://portal.sso.%s.%s", s->region, ncz_s3_amazon_domain(s->region));
    if (rc == NC_NOERR)
        rc = ncz_buf_puts(out, "/federation/credentials?role_name=");
    if (rc == NC_NOERR)
        rc = ncz_uri_encode(out, s->role, strlen(s->role), false);
    if (rc == NC_NOERR)
        rc = ncz_buf_puts(out, "&account_id=");
    return rc == NC_NOERR ? ncz_uri_encode(out, s->account, strlen(s->account), false) : rc;
}

static int
parse_answer(ncz_creds_fetch *f, const sso *s, const ncz_http_once *call, bool *found)
{
    static const char what[] = "single sign-on";
    ncz_json         *doc = NULL;
    ncz_s3_access_key keys = {.id = NULL};
    int               rc;

    if (call->status == 401)
        return fail_login(s, "the token of single sign-on is not accepted");
    if (call->status != 200)
        return ncz_fail(NC_EAUTH, "profile %s: single sign-on for role %s of account %s: status %ld", s->profile,
                        s->role, s->account, call->status);
    if ((rc = ncz_creds_json_parse(ncz_buf_str(&call->reply), call->reply.len, what, &doc)) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_json_key(ncz_json_get(doc, "roleCredentials"), what, &keys)) == NC_NOERR)
        rc = ncz_creds_found(f, &keys, found, "single sign-on of profile %s", s->profile);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_json_free(doc);
    return rc;
}

static int
call_portal(ncz_creds_fetch *f, const sso *s, const char *token, bool *found)
{
    ncz_buf       url = NCZ_BUF_INIT;
    char         *header = ncz_sprintf("x-amz-sso_bearer_token: %s", token);
    const char   *headers[] = {header, "Accept: application/json"};
    ncz_http_once call = {.method = "GET", .headers = headers, .nheaders = NCZ_LEN(headers)};
    int           rc;

    if (header == NULL)
        return ncz_fail_nomem(strlen(token) + 32);
    if ((rc = append_url(f, s, &url)) == NC_NOERR) {
        call.url = ncz_buf_str(&url);
        if ((rc = ncz_creds_call_service(f, &call, "single sign-on")) == NC_NOERR)
            rc = parse_answer(f, s, &call, found);
    }
    ncz_wipe(call.reply.data, call.reply.cap);
    ncz_buf_clear(&call.reply);
    ncz_buf_clear(&url);
    ncz_free_secret(header);
    return rc;
}

int
ncz_creds_from_sso(ncz_creds_fetch *f, const char *profile, bool *found)
{
    sso   s = {.profile = profile};
    char *token = NULL;
    int   rc;

    if (lookup_profile(f, profile, "sso_session") == NULL && lookup_profile(f, profile, "sso_start_url") == NULL)
        return NC_NOERR;
    /* A session alone may be meant for other services. */
    if (lookup_profile(f, profile, "sso_account_id") == NULL && lookup_profile(f, profile, "sso_role_name") == NULL)
        return ncz_creds_note_missing(f, "profile %s names no account and role for single sign-on", profile);
    if ((rc = read_settings(f, profile, &s)) == NC_NOERR && (rc = load_token(f, &s, &token)) == NC_NOERR)
        rc = call_portal(f, &s, token, found);
    ncz_free_secret(token);
    return rc;
}
