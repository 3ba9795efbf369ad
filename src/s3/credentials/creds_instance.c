/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of the machine: from a container's agent, if variables name it, or from EC2's metadata service.
 *
 * Neither is called through a proxy. If there is no metadata service, that is remembered for a while, so that its
 * time-out of one second passes only once.
 */
#include "s3/credentials/creds_int.h"
#include "uri/uri.h"

#include <pthread.h>
#include <string.h>

/* ---- containers ---- */

/* A token may be sent only to this host, to the agents' addresses, or over https. */
static bool
is_trusted(const ncz_uri *u)
{
    static const char *const hosts[] = {"169.254.170.2", "169.254.170.23", "fd00:ec2::23", "localhost", "::1"};

    if (u->scheme == NULL || u->host == NULL || u->user != NULL)
        return false;
    if (strcmp(u->scheme, "https") == 0)
        return true;
    if (strcmp(u->scheme, "http") != 0)
        return false;
    for (size_t i = 0; i < NCZ_LEN(hosts); i++)
        if (strcmp(u->host, hosts[i]) == 0)
            return true;
    return strncmp(u->host, "127.", 4) == 0 && ncz_s3_is_ip(u->host);
}

static int
check_full_url(const char *url)
{
    ncz_uri *u = NULL;
    int      rc = ncz_uri_parse(url, &u);

    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_NOERR || !is_trusted(u))
        rc = ncz_fail(NC_EAUTH,
                      "AWS_CONTAINER_CREDENTIALS_FULL_URI: neither https nor a host that is allowed with http");
    ncz_uri_free(u);
    return rc;
}

static int
build_container_url(const char *relative, const char *full, char **out)
{
    int rc = NC_NOERR;

    if (relative != NULL && relative[0] != '/')
        return ncz_fail(NC_EAUTH, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with '/'");
    if (relative == NULL && (rc = check_full_url(full)) != NC_NOERR)
        return rc;
    *out = relative != NULL ? ncz_sprintf("http://169.254.170.2%s", relative) : ncz_strdup(full);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(64);
}

/* "Authorization: ..." of the file, which is read each time, or of the variable; NULL where there is neither. */
static int
read_container_token(char **out)
{
    const char *file = ncz_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const char *token = ncz_env("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    ncz_buf     text = NCZ_BUF_INIT;
    bool        absent = false;
    int         rc = NC_NOERR;

    if (file == NULL && token == NULL)
        return NC_NOERR;
    if (file != NULL && (rc = ncz_read_secret_file(file, 65536, &absent, &text)) == NC_NOERR) {
        token = ncz_buf_str(&text);
        if (absent)
            rc = ncz_fail(NC_EAUTH, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: %s does not exist", file);
    }
    if (rc == NC_NOERR && strpbrk(token, "\r\n") != NULL)
        rc = ncz_fail(NC_EAUTH, "the container's authorization token has a line break");
    if (rc == NC_NOERR && (*out = ncz_sprintf("Authorization: %s", token)) == NULL)
        rc = ncz_fail_nomem(strlen(token));
    ncz_wipe(text.data, text.cap);
    ncz_buf_clear(&text);
    return rc == NC_NOERR || rc == NC_ENOMEM ? rc : NC_EAUTH;
}

static int
parse_keys(ncz_creds_fetch *f, const ncz_http_once *call, const char *what, bool *found)
{
    ncz_json         *doc = NULL;
    ncz_s3_access_key keys = {.id = NULL};
    const char       *code;
    int               rc;

    if ((rc = ncz_creds_json_parse(ncz_buf_str(&call->reply), call->reply.len, what, &doc)) != NC_NOERR)
        return rc;
    code = ncz_creds_json_text(doc, "Code");
    if (code != NULL && strcmp(code, "Success") != 0)
        rc = ncz_fail(NC_EAUTH, "%s: %.80s", what, code);
    else if ((rc = ncz_creds_json_key(doc, what, &keys)) == NC_NOERR)
        rc = ncz_creds_found(f, &keys, found, "%s", what);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_json_free(doc);
    return rc;
}

int
ncz_creds_from_container(ncz_creds_fetch *f, bool *found)
{
    static const char what[] = "the container's credential service";
    const char       *relative = ncz_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char       *full = ncz_env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    char             *url = NULL, *token = NULL;
    const char       *headers[2] = {"Accept: application/json"};
    ncz_http_once     call = {.method = "GET",
                              .headers = headers,
                              .nheaders = 1,
                              .connect_ms = 2000,
                              .total_ms = 2000,
                              .attempts = 3,
                              .no_proxy = true};
    int               rc;

    if (relative == NULL && full == NULL)
        return NC_NOERR;
    if ((rc = build_container_url(relative, full, &url)) != NC_NOERR ||
        (rc = read_container_token(&token)) != NC_NOERR)
        goto done;
    call.url = url;
    if (token != NULL)
        headers[call.nheaders++] = token;
    if ((rc = ncz_creds_call_service(f, &call, what)) != NC_NOERR)
        goto done;
    if (call.status == 200)
        rc = parse_keys(f, &call, what, found);
    else
        rc = ncz_fail(NC_EAUTH, "%s: status %ld", what, call.status);
done:
    ncz_wipe(call.reply.data, call.reply.cap);
    ncz_buf_clear(&call.reply);
    ncz_free_secret(token);
    ncz_free(url);
    return rc;
}

/* ---- the metadata service of EC2 ---- */

enum { SILENT_S = 600 }; /* how long a service that did not answer is not called again */

static pthread_mutex_t silent_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t        silent_which; /* a hash of the endpoint */
static int64_t         silent_until; /* monotonic seconds */

static bool
is_silent(const char *base)
{
    bool silent;

    (void)pthread_mutex_lock(&silent_lock);
    silent = ncz_now_ms() / 1000 < silent_until && silent_which == ncz_hash(base, strlen(base));
    (void)pthread_mutex_unlock(&silent_lock);
    return silent;
}

static void
remember_silence(const char *base)
{
    (void)pthread_mutex_lock(&silent_lock);
    silent_until = ncz_now_ms() / 1000 + SILENT_S;
    silent_which = ncz_hash(base, strlen(base));
    (void)pthread_mutex_unlock(&silent_lock);
}

typedef struct machine {
    ncz_creds_fetch *f;
    char            *base;
    bool             no_v1;
    int64_t          timeout_s, attempts;
    char            *token; /* "x-aws-ec2-metadata-token: ..."; NULL: version 1 */
} machine;

static ncz_s3_setting
lookup_setting(const ncz_creds_fetch *f, const char *variable, const char *key)
{
    ncz_s3_setting env = ncz_s3_setting_env(variable);

    return env.value != NULL ? env : ncz_s3_setting_profile(f->files, f->profile, NULL, key);
}

static int
choose_base(machine *m)
{
    ncz_s3_setting endpoint =
        lookup_setting(m->f, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint");
    ncz_s3_setting mode =
        lookup_setting(m->f, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode");
    size_t len;

    if (endpoint.value == NULL)
        endpoint.value = mode.value != NULL && (mode.value[0] == 'I' || mode.value[0] == 'i') &&
                                 mode.value[strlen(mode.value) - 1] == '6'
                             ? "http://[fd00:ec2::254]"
                             : "http://169.254.169.254";
    len = strlen(endpoint.value);
    if (strncmp(endpoint.value, "http://", 7) != 0 && strncmp(endpoint.value, "https://", 8) != 0)
        return ncz_fail(NC_EAUTH, "the endpoint of the metadata service is not an http URL");
    m->base = ncz_strndup(endpoint.value, len - (endpoint.value[len - 1] == '/'));
    return m->base != NULL ? NC_NOERR : ncz_fail_nomem(len);
}

static int
read_settings(machine *m)
{
    ncz_s3_setting no_v1 = lookup_setting(m->f, "AWS_EC2_METADATA_V1_DISABLED", "ec2_metadata_v1_disabled");
    ncz_s3_setting timeout = lookup_setting(m->f, "AWS_METADATA_SERVICE_TIMEOUT", "metadata_service_timeout");
    ncz_s3_setting attempts =
        lookup_setting(m->f, "AWS_METADATA_SERVICE_NUM_ATTEMPTS", "metadata_service_num_attempts");
    int rc;

    if ((rc = ncz_s3_setting_bool(&no_v1, &m->no_v1)) != NC_NOERR)
        return rc;
    if ((rc = ncz_s3_setting_number(&timeout, 1, 600, &m->timeout_s)) != NC_NOERR)
        return rc;
    if ((rc = ncz_s3_setting_number(&attempts, 1, 100, &m->attempts)) != NC_NOERR)
        return rc;
    return choose_base(m);
}

/* One exchange; the caller clears call->reply. NC_EAUTH: no answer. */
static int
call_metadata(const machine *m, const char *method, const char *path, const char *header, ncz_http_once *call)
{
    const char *headers[] = {header};
    char       *url = ncz_sprintf("%s/latest/%s", m->base, path);
    int         rc;

    if (url == NULL)
        return ncz_fail_nomem(strlen(path));
    *call = (ncz_http_once){.method = method,
                            .url = url,
                            .headers = headers,
                            .nheaders = header != NULL,
                            .connect_ms = (long)m->timeout_s * 1000,
                            .total_ms = (long)m->timeout_s * 1000,
                            .attempts = (unsigned)m->attempts,
                            .no_proxy = true};
    rc = ncz_creds_call_service(m->f, call, "the metadata service");
    ncz_free(url);
    return rc;
}

static void
call_clear(ncz_http_once *call)
{
    ncz_wipe(call->reply.data, call->reply.cap);
    ncz_buf_clear(&call->reply);
}

/* Version 2 begins with a token. A service without it answers 403, 404 or 405: then version 1 is used. */
static int
fetch_token(machine *m, bool *there)
{
    ncz_http_once call = {.status = 0};
    int           rc = call_metadata(m, "PUT", "api/token", "x-aws-ec2-metadata-token-ttl-seconds: 21600", &call);

    *there = rc == NC_NOERR;
    if (rc == NC_EAUTH) {
        remember_silence(m->base);
        rc = ncz_creds_note_missing(m->f, "there is no metadata service of EC2");
    } else if (rc == NC_NOERR && call.status == 200) {
        if (strpbrk(ncz_buf_str(&call.reply), "\r\n") != NULL)
            rc = ncz_fail(NC_EAUTH, "the metadata service: a token with a line break");
        else if ((m->token = ncz_sprintf("x-aws-ec2-metadata-token: %s", ncz_buf_str(&call.reply))) == NULL)
            rc = ncz_fail_nomem(call.reply.len);
    } else if (rc == NC_NOERR && (call.status == 403 || call.status == 404 || call.status == 405) && !m->no_v1) {
        rc = NC_NOERR;
    } else if (rc == NC_NOERR) {
        *there = false;
        rc = ncz_creds_note_missing(m->f, "the metadata service of EC2 gives no token (status %ld)", call.status);
    }
    call_clear(&call);
    return rc;
}

/* The name of the machine's role, NULL when it has none. */
static int
fetch_role(const machine *m, char **out)
{
    ncz_http_once call = {.status = 0};
    int           rc = call_metadata(m, "GET", "meta-data/iam/security-credentials/", m->token, &call);
    const char   *text = ncz_buf_str(&call.reply);
    size_t        len = strcspn(text, "\r\n");

    if (rc == NC_NOERR && (call.status != 200 || len == 0))
        rc = ncz_creds_note_missing(m->f, "this machine of EC2 has no role (status %ld)", call.status);
    else if (rc == NC_NOERR && (len > 128 || strcspn(text, " /?#%") < len))
        rc = ncz_fail(NC_EAUTH, "the metadata service: the name of the role is malformed");
    else if (rc == NC_NOERR && (*out = ncz_strndup(text, len)) == NULL)
        rc = ncz_fail_nomem(len);
    call_clear(&call);
    return rc;
}

static int
fetch_keys(const machine *m, const char *role, bool *found)
{
    ncz_http_once call = {.status = 0};
    char         *path = ncz_sprintf("meta-data/iam/security-credentials/%s", role);
    int           rc;

    if (path == NULL)
        return ncz_fail_nomem(strlen(role));
    if ((rc = call_metadata(m, "GET", path, m->token, &call)) == NC_NOERR && call.status != 200)
        rc = ncz_fail(NC_EAUTH, "the metadata service: status %ld for the keys of its role", call.status);
    else if (rc == NC_NOERR)
        rc = parse_keys(m->f, &call, "the metadata service of EC2", found);
    call_clear(&call);
    ncz_free(path);
    return rc;
}

/* These keys stay in use if they cannot be renewed; the service itself may return expired ones when it has trouble. */
static void
extend_expiry(ncz_creds_fetch *f)
{
    int64_t now = ncz_creds_now();

    f->keep = true;
    if (f->keys.expires != 0 && f->keys.expires <= now) {
        ncz_log(NCZ_LOG_WARN, "the metadata service returned expired keys; they are used nevertheless");
        f->keys.expires = now + 1200;
    }
}

/* 1. the token, which shows that there is a service; 2. the role; 3. its keys. */
static int
fetch_from_metadata(machine *m, bool *found)
{
    char *role = NULL;
    bool  there = false;
    int   rc;

    if ((rc = fetch_token(m, &there)) != NC_NOERR || !there)
        return rc;
    if ((rc = fetch_role(m, &role)) == NC_NOERR && role != NULL)
        rc = fetch_keys(m, role, found);
    if (*found)
        extend_expiry(m->f);
    ncz_free(role);
    return rc;
}

int
ncz_creds_from_ec2(ncz_creds_fetch *f, bool *found)
{
    ncz_s3_setting said = ncz_s3_setting_env("AWS_EC2_METADATA_DISABLED");
    machine        m = {.f = f, .timeout_s = 1, .attempts = 1};
    bool           off = false;
    int            rc;

    if (!f->amazon &&
        lookup_setting(f, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint").value == NULL)
        return ncz_creds_note_missing(f, "EC2 is not asked, as the endpoint is not Amazon's");
    if ((rc = ncz_s3_setting_bool(&said, &off)) != NC_NOERR)
        return rc;
    if (off)
        return ncz_creds_note_missing(f, "AWS_EC2_METADATA_DISABLED is set");
    if ((rc = read_settings(&m)) == NC_NOERR) {
        if (is_silent(m.base))
            rc = ncz_creds_note_missing(f, "there is no metadata service of EC2");
        else if (f->at_hand)
            f->postponed = true;
        else
            rc = fetch_from_metadata(&m, found);
    }
    ncz_free_secret(m.token);
    ncz_free(m.base);
    return rc;
}
