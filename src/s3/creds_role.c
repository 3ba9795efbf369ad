/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roles: keys that STS gives for a while, to somebody with other keys (AssumeRole) or with a token from elsewhere
 * that says who he is (AssumeRoleWithWebIdentity). The other keys may be of a role too; a profile is visited once.
 */
#include "s3/creds_int.h"
#include "s3/xml.h"
#include "uri/uri.h"

#include <stdio.h>
#include <string.h>

enum { PROFILES_MOST = 16 }; /* from one to the next */

/* The profiles that led here. */
typedef struct visit {
    const char         *profile;
    const struct visit *from;
    size_t              depth;
} visit;

static const char *
of_profile(const ncz_s3_fetch *f, const char *profile, const char *key)
{
    return ncz_said_profile(f->files, profile, NULL, key).value;
}

/* ---- STS: what goes out ---- */

static int
put_field(ncz_buf *body, const char *name, const char *value)
{
    int rc;

    if (value == NULL)
        return NC_NOERR;
    if ((rc = ncz_buf_printf(body, "&%s=", name)) != NC_NOERR)
        return rc;
    return ncz_uri_encode(body, value, strlen(value), false);
}

static int
put_session_name(ncz_buf *body, const char *name)
{
    char own[40];

    snprintf(own, sizeof own, "nczarr-%lld", (long long)ncz_s3_now());
    return put_field(body, "RoleSessionName", name != NULL ? name : own);
}

/* The region of the service: the client's, not the bucket's, which may be some other server's. */
static const char *
sts_region(const ncz_s3_fetch *f, const char *profile)
{
    const ncz_said all[] = {
        ncz_said_profile(f->files, profile, NULL, "region"), ncz_said_env("AWS_REGION"),
        ncz_said_env("AWS_DEFAULT_REGION"),                  ncz_said_default(f->amazon ? f->region : NULL),
        ncz_said_default("us-east-1"),
    };

    return ncz_said_first(all, NCZ_LEN(all)).value;
}

typedef struct sts {
    const char *what;     /* "AssumeRole", ... */
    const char *profile, *role;
    const char *region;
    char       *endpoint; /* without a slash at its end */
    ncz_buf     body;
    ncz_buf     headers;
} sts;

static int
sts_begin(const ncz_s3_fetch *f, sts *s)
{
    ncz_said said = ncz_s3_service_endpoint(f, s->profile, "AWS_ENDPOINT_URL_STS", "sts");
    size_t   len = said.value != NULL ? strlen(said.value) : 0;

    s->region = sts_region(f, s->profile);
    if (!ncz_s3_is_region(s->region))
        return ncz_fail(NC_EINVAL, "\"%.80s\" is no name of a region", s->region);
    if (len > 0)
        s->endpoint = ncz_strndup(said.value, len - (said.value[len - 1] == '/'));
    else
        s->endpoint = ncz_sprintf("https://sts.%s.%s", s->region, ncz_s3_amazon_domain(s->region));
    if (s->endpoint == NULL)
        return ncz_fail_nomem(len + 64);
    return ncz_buf_printf(&s->body, "Action=%s&Version=2011-06-15", s->what);
}

static void
sts_clear(sts *s)
{
    ncz_free(s->endpoint);
    ncz_s3_wipe(s->body.data, s->body.cap);
    ncz_buf_clear(&s->body);
    ncz_s3_wipe(s->headers.data, s->headers.cap);
    ncz_buf_clear(&s->headers);
}

/* As the Host header has it. */
static int
host_of(const ncz_uri *u, char **out)
{
    bool v6 = strchr(u->host, ':') != NULL;

    if (u->port != 0)
        *out = ncz_sprintf("%s%s%s:%u", v6 ? "[" : "", u->host, v6 ? "]" : "", u->port);
    else
        *out = ncz_sprintf("%s%s%s", v6 ? "[" : "", u->host, v6 ? "]" : "");
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(strlen(u->host) + 16);
}

static int
sts_sign(sts *s, const ncz_s3_keys *keys)
{
    static const ncz_s3_pair header = { "Content-Type", "application/x-www-form-urlencoded; charset=utf-8" };
    ncz_s3_sign_req          req = { .method = "POST", .headers = &header, .nheaders = 1, .region = s->region,
                                     .service = "sts", .now = ncz_s3_now(), .no_content_header = true };
    char                     hash[NCZ_SHA256_HEX];
    ncz_buf                  target = NCZ_BUF_INIT;
    ncz_uri                 *u = NULL;
    char                    *host = NULL, *path = NULL, *whole = NULL;
    int                      rc;

    if ((rc = ncz_uri_parse(s->endpoint, &u)) != NC_NOERR)
        goto done;
    if (u->host == NULL || u->user != NULL) {
        rc = ncz_fail(NC_EAUTH, "the endpoint of STS is not one");
        goto done;
    }
    if ((rc = host_of(u, &host)) != NC_NOERR)
        goto done;
    if ((rc = ncz_uri_decode(u->path, strlen(u->path), &path)) != NC_NOERR)
        goto done;
    if ((rc = ncz_sha256_hex(s->body.data, s->body.len, hash)) != NC_NOERR)
        goto done;
    if ((whole = ncz_sprintf("%s/", path)) == NULL) {
        rc = ncz_fail_nomem(strlen(path) + 2);
        goto done;
    }
    req.host = host;
    req.path = whole;
    req.payload = hash;
    rc = ncz_s3_sign(&req, keys, &target, &s->headers);
done:
    ncz_uri_free(u);
    ncz_free(host);
    ncz_free(path);
    ncz_free(whole);
    ncz_buf_clear(&target);
    return rc;
}

/* ---- STS: what comes back ---- */

typedef struct answer {
    ncz_buf id, secret, token, until, code, message;
} answer;

static void
answer_clear(answer *a)
{
    ncz_buf *all[] = { &a->id, &a->secret, &a->token, &a->until, &a->code, &a->message };

    for (size_t i = 0; i < NCZ_LEN(all); i++) {
        ncz_s3_wipe(all[i]->data, all[i]->cap);
        ncz_buf_clear(all[i]);
    }
}

static int
take_text(const ncz_xml *x, answer *a)
{
    const struct {
        const char *name, *parent;
        ncz_buf    *to;
    } rows[] = {
        { "AccessKeyId", "Credentials", &a->id },      { "SecretAccessKey", "Credentials", &a->secret },
        { "SessionToken", "Credentials", &a->token },  { "Expiration", "Credentials", &a->until },
        { "Code", "Error", &a->code },                 { "Message", "Error", &a->message },
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (ncz_xml_is(x, rows[i].name) && ncz_xml_in(x, rows[i].parent)) {
            ncz_buf_reset(rows[i].to);
            return ncz_buf_append(rows[i].to, x->text.data, x->text.len);
        }
    return NC_NOERR;
}

static int
parse_answer(const ncz_buf *reply, answer *a)
{
    ncz_xml       x;
    ncz_xml_event event = NCZ_XML_OPEN;
    int           rc;

    ncz_xml_init(&x, ncz_buf_str(reply), reply->len);
    if ((rc = ncz_buf_reserve(&x.text, 4096)) != NC_NOERR) /* as it grows it would leave copies of secrets */
        goto done;
    while ((rc = ncz_xml_next(&x, &event)) == NC_NOERR && event != NCZ_XML_END)
        if (event == NCZ_XML_CLOSE && (rc = take_text(&x, a)) != NC_NOERR)
            break;
done:
    ncz_s3_wipe(x.text.data, x.text.cap);
    ncz_xml_clear(&x);
    return rc;
}

static int
take_keys(ncz_s3_fetch *f, const sts *s, const answer *a, bool *found)
{
    ncz_s3_keys from = { .id = a->id.data, .secret = a->secret.data, .token = a->token.data }, keys = { .id = NULL };
    int         rc;

    if (a->id.len == 0 || a->secret.len == 0 || a->token.len == 0)
        return ncz_fail(NC_EAUTH, "%s of %s: the answer has no keys", s->what, s->role);
    if (!ncz_s3_time_parse(ncz_buf_str(&a->until), &from.expires))
        return ncz_fail(NC_EAUTH, "%s of %s: the answer does not say until when", s->what, s->role);
    if ((rc = ncz_s3_keys_copy(&keys, &from)) != NC_NOERR)
        return rc;
    rc = ncz_s3_found(f, &keys, found, "%s of %s%s%s", s->what, s->role, s->profile != NULL ? ", profile " : "",
                      s->profile != NULL ? s->profile : "");
    ncz_s3_keys_clear(&keys);
    return rc;
}

static int
sts_answer(ncz_s3_fetch *f, const sts *s, const ncz_http_once *call, bool *found)
{
    answer a = { .id = NCZ_BUF_INIT };
    int    rc = parse_answer(&call->reply, &a);

    if (rc == NC_ENOMEM)
        goto done;
    if (call->status != 200)
        rc = ncz_fail(NC_EAUTH, "%s of %s: status %ld %.80s: %.200s", s->what, s->role, call->status,
                      ncz_buf_str(&a.code), ncz_buf_str(&a.message));
    else if (rc != NC_NOERR)
        rc = ncz_fail(NC_EAUTH, "%s of %s: the answer cannot be read", s->what, s->role);
    else
        rc = take_keys(f, s, &a, found);
done:
    answer_clear(&a);
    return rc;
}

/* The lines that were signed, one by one, as the exchange wants them. */
static int
split_lines(char *text, const char ***out, size_t *n)
{
    const char **v = NULL;

    *n = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char **more = ncz_grow(v, *n + 1, sizeof *more);

        if (more == NULL) {
            ncz_free(v);
            return ncz_fail_nomem((*n + 1) * sizeof *more);
        }
        v = more;
        *end = '\0';
        v[(*n)++] = line;
    }
    *out = v;
    return NC_NOERR;
}

static int
sts_ask(ncz_s3_fetch *f, sts *s, const ncz_s3_keys *keys, bool *found)
{
    ncz_http_once call = { .method = "POST" };
    const char  **headers = NULL;
    char         *url = NULL;
    int           rc;

    if ((rc = sts_sign(s, keys)) != NC_NOERR)
        return rc;
    if ((rc = split_lines(s->headers.data, &headers, &call.nheaders)) != NC_NOERR)
        return rc;
    if ((url = ncz_sprintf("%s/", s->endpoint)) == NULL) {
        rc = ncz_fail_nomem(strlen(s->endpoint) + 2);
        goto done;
    }
    call.url = url;
    call.headers = headers;
    call.body = s->body.data;
    call.nbody = s->body.len;
    if ((rc = ncz_s3_ask(f, &call, s->what)) == NC_NOERR)
        rc = sts_answer(f, s, &call, found);
done:
    ncz_s3_wipe(call.reply.data, call.reply.cap);
    ncz_buf_clear(&call.reply);
    ncz_free(headers);
    ncz_free(url);
    return rc;
}

/* ---- AssumeRole ---- */

static int keys_of_profile(ncz_s3_fetch *f, const visit *v, bool *found);

static int
keys_of_source(ncz_s3_fetch *f, const char *profile, const char *source, bool *found)
{
    int rc;

    if (strcmp(source, "Environment") == 0)
        rc = ncz_s3_from_env(f, found);
    else if (strcmp(source, "Ec2InstanceMetadata") == 0)
        rc = ncz_s3_from_machine(f, found);
    else if (strcmp(source, "EcsContainer") == 0)
        rc = ncz_s3_from_container(f, found);
    else
        return ncz_fail(NC_EAUTH, "profile %s: credential_source %s is none of Environment, Ec2InstanceMetadata, "
                        "EcsContainer", profile, source);
    if (rc == NC_NOERR && !*found)
        rc = ncz_fail(NC_EAUTH, "profile %s: its credential_source %s has no keys: %s", profile, source,
                      ncz_buf_str(&f->why));
    return rc;
}

static int
keys_of_next(ncz_s3_fetch *f, const visit *v, const char *next, bool *found)
{
    const visit to = { .profile = next, .from = v, .depth = v->depth + 1 };
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
put_role(ncz_s3_fetch *f, const char *profile, sts *s)
{
    int rc;

    if ((rc = put_field(&s->body, "RoleArn", s->role)) != NC_NOERR)
        return rc;
    if ((rc = put_session_name(&s->body, of_profile(f, profile, "role_session_name"))) != NC_NOERR)
        return rc;
    if ((rc = put_field(&s->body, "ExternalId", of_profile(f, profile, "external_id"))) != NC_NOERR)
        return rc;
    return put_field(&s->body, "DurationSeconds", of_profile(f, profile, "duration_seconds"));
}

static int
assume(ncz_s3_fetch *f, const visit *v, bool *found)
{
    const char *next = of_profile(f, v->profile, "source_profile");
    const char *source = of_profile(f, v->profile, "credential_source");
    sts         s = { .what = "AssumeRole", .profile = v->profile, .role = of_profile(f, v->profile, "role_arn") };
    ncz_s3_keys keys = { .id = NULL };
    int         rc;

    if (next != NULL && source != NULL)
        return ncz_fail(NC_EAUTH, "profile %s: both source_profile and credential_source", v->profile);
    if (of_profile(f, v->profile, "mfa_serial") != NULL)
        return ncz_fail(NC_EAUTH, "profile %s: its role asks for a code (mfa_serial), which nobody can type in here: "
                        "use `aws configure export-credentials`", v->profile);
    *found = false;
    rc = next != NULL ? keys_of_next(f, v, next, found) : keys_of_source(f, v->profile, source, found);
    if (rc != NC_NOERR)
        return rc;
    keys = f->keys; /* they sign, and make way for the role's */
    f->keys = (ncz_s3_keys){ .id = NULL };
    f->keep = *found = false;
    if ((rc = sts_begin(f, &s)) == NC_NOERR && (rc = put_role(f, v->profile, &s)) == NC_NOERR)
        rc = sts_ask(f, &s, &keys, found);
    ncz_s3_keys_clear(&keys);
    sts_clear(&s);
    return rc;
}

static bool
is_role(const ncz_s3_fetch *f, const char *profile)
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
put_identity(const identity *id, sts *s)
{
    ncz_buf token = NCZ_BUF_INIT;
    bool    absent = false;
    int     rc = ncz_s3_read_file(id->file, 65536, &absent, &token);

    if (rc == NC_NOERR && absent)
        rc = ncz_fail(NC_EAUTH, "the web identity token %s is not there", id->file);
    if (rc == NC_NOERR)
        rc = ncz_buf_reserve(&s->body, 4 * token.len + 2048);
    if (rc == NC_NOERR)
        rc = put_field(&s->body, "RoleArn", id->role);
    if (rc == NC_NOERR)
        rc = put_session_name(&s->body, id->session);
    if (rc == NC_NOERR) {
        token.data[strcspn(token.data, "\r\n")] = '\0';
        rc = put_field(&s->body, "WebIdentityToken", token.data);
    }
    ncz_s3_wipe(token.data, token.cap);
    ncz_buf_clear(&token);
    return rc == NC_NOERR || rc == NC_ENOMEM ? rc : NC_EAUTH;
}

static int
identify(ncz_s3_fetch *f, const identity *id, bool *found)
{
    sts s = { .what = "AssumeRoleWithWebIdentity", .profile = id->profile, .role = id->role };
    int rc;

    if (id->role == NULL)
        return ncz_fail(NC_EAUTH, "a web identity token (%s), and no role to use it for", id->file);
    if ((rc = sts_begin(f, &s)) == NC_NOERR && (rc = put_identity(id, &s)) == NC_NOERR)
        rc = sts_ask(f, &s, NULL, found); /* the token is the signature */
    sts_clear(&s);
    return rc;
}

static int
identity_of_profile(ncz_s3_fetch *f, const char *profile, bool *found)
{
    const identity id = { .profile = profile, .file = of_profile(f, profile, "web_identity_token_file"),
                          .role = of_profile(f, profile, "role_arn"),
                          .session = of_profile(f, profile, "role_session_name") };
    identity       expanded = id;
    char          *file;
    int            rc;

    if (id.file == NULL)
        return NC_NOERR;
    if ((file = ncz_s3_expand(id.file, f->files->home)) == NULL)
        return ncz_fail_nomem(strlen(id.file));
    expanded.file = file;
    rc = identify(f, &expanded, found);
    ncz_free(file);
    return rc;
}

int
ncz_s3_from_web_identity(ncz_s3_fetch *f, bool *found)
{
    const identity id = { .file = ncz_env("AWS_WEB_IDENTITY_TOKEN_FILE"), .role = ncz_env("AWS_ROLE_ARN"),
                          .session = ncz_env("AWS_ROLE_SESSION_NAME") };

    if (id.file != NULL && !f->profile_first)
        return identify(f, &id, found);
    return f->profile != NULL ? identity_of_profile(f, f->profile, found) : NC_NOERR;
}

/* ---- a profile whose keys are wanted by a role ---- */

/* Keys of its own go before a role of its own. */
static int
keys_of_profile(ncz_s3_fetch *f, const visit *v, bool *found)
{
    static int (*const sources[])(ncz_s3_fetch *, const char *, bool *) = { identity_of_profile, ncz_s3_from_sso,
                                                                            ncz_s3_from_process };
    int rc;

    if ((rc = ncz_s3_from_file(f, v->profile, &f->files->credentials, found)) != NC_NOERR || *found)
        return rc;
    if ((rc = ncz_s3_from_file(f, v->profile, &f->files->config, found)) != NC_NOERR || *found)
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
ncz_s3_from_role(ncz_s3_fetch *f, const char *profile, bool *found)
{
    const visit first = { .profile = profile };

    if (is_role(f, profile))
        return assume(f, &first, found);
    if (of_profile(f, profile, "role_arn") != NULL && of_profile(f, profile, "web_identity_token_file") == NULL &&
        ncz_env("AWS_WEB_IDENTITY_TOKEN_FILE") == NULL)
        return ncz_fail(NC_EAUTH, "profile %s: a role_arn without source_profile, credential_source or "
                        "web_identity_token_file", profile);
    return NC_NOERR;
}
