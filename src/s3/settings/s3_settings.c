/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: looked up in the order of docs/s3.md, each kept with its origin.
 */
#include "s3/protocol/s3_hash.h"
#include "s3/settings/s3_settings_int.h"

#include <string.h>
#include <strings.h>

enum {
    ATTEMPTS = 5,
    IN_FLIGHT = 48,
    WEB_IN_FLIGHT = 32,
    IN_FLIGHT_LEAST = 4,
    CONNECT_MS = 10000,
    STALL_S = 30,
    PROGRESS_TIMEOUT_MS = 120000
};

void
ncz_s3_settings_free(ncz_s3_settings *s)
{
    if (s == NULL)
        return;
    ncz_free(s->host);
    ncz_free(s->base);
    ncz_free(s->bucket);
    ncz_free(s->prefix);
    ncz_free(s->region);
    ncz_free_secret(s->query);
    ncz_free(s->ca_file);
    ncz_free(s->ca_dir);
    ncz_free_secret(s->proxy); /* may hold a password */
    ncz_free(s->no_proxy);
    ncz_free(s->user_agent);
    ncz_free(s->profile);
    ncz_free(s->region_from);
    ncz_free(s->endpoint_from);
    ncz_free(s->profile_from);
    ncz_free(s->addressing_from);
    ncz_creds_unref(s->creds);
    ncz_login_unref(s->login);
    ncz_free(s);
}

static int
copy_text(char **to, const char *value)
{
    if (value != NULL && (*to = ncz_strdup(value)) == NULL)
        return ncz_fail_nomem(strlen(value) + 1);
    return NC_NOERR;
}

/* ---- profile ---- */

static int
fail_profile(const ncz_s3_lookup *l, const ncz_s3_setting *said)
{
    const ncz_s3_files *f = l->files;
    char               *from = NULL;

    if (ncz_s3_setting_origin(said, &from) == NC_NOERR)
        ncz_fail(NC_EAUTH, "profile %s (%s) is neither in %s nor in %s", said->value, from,
                 f->config_path != NULL ? f->config_path : "~/.aws/config",
                 f->credentials_path != NULL ? f->credentials_path : "~/.aws/credentials");
    ncz_free(from);
    return NC_EAUTH;
}

/*
 * The profiles `no` and `none` mean unsigned requests, as in netCDF. Any other named profile must exist, except
 * default. `first`: the URL or an rc file names it, so that it precedes keys in the environment.
 */
static int
choose_profile(ncz_s3_lookup *l, ncz_s3_settings *s, bool *first)
{
    const ncz_s3_setting all[] = {
        ncz_s3_setting_url(l, "profile"),          ncz_s3_setting_url(l, "awsprofile"),
        ncz_s3_setting_rc(l, "AWS.PROFILE"),       ncz_s3_setting_env("AWS_PROFILE"),
        ncz_s3_setting_env("AWS_DEFAULT_PROFILE"),
    };
    ncz_s3_setting said = ncz_s3_setting_first(all, NCZ_LEN(all));
    int            rc;

    *first = said.source == NCZ_S3_FROM_URL || said.source == NCZ_S3_FROM_RC;
    l->profile_in_url = said.source == NCZ_S3_FROM_URL;
    if (said.value == NULL) {
        l->profile = ncz_s3_profile_exists(l->files, "default") ? "default" : NULL;
        return NC_NOERR;
    }
    if ((rc = ncz_s3_setting_origin(&said, &s->profile_from)) != NC_NOERR)
        return rc;
    if ((rc = copy_text(&s->profile, said.value)) != NC_NOERR)
        return rc;
    if (strcmp(said.value, "no") == 0 || strcmp(said.value, "none") == 0) {
        s->anonymous = true;
        return NC_NOERR;
    }
    if (ncz_s3_profile_exists(l->files, said.value))
        l->profile = s->profile;
    else if (strcmp(said.value, "default") != 0)
        return fail_profile(l, &said);
    return NC_NOERR;
}

/* ---- region ---- */

/* Amazon's and Google's regions become part of a host; other servers may have any names. */
static int
check_region(const ncz_s3_settings *s)
{
    static const char lower[] = "abcdefghijklmnopqrstuvwxyz0123456789-", upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.";
    size_t            len = strlen(s->region), good = strspn(s->region, lower);

    for (size_t i = good; s->custom && i < len && (strchr(lower, s->region[i]) || strchr(upper, s->region[i])); i++)
        good = i + 1;
    if (good != len || len > 63)
        return ncz_fail(NC_EINVAL, "\"%.80s\" (%s) is not a region", s->region, s->region_from);
    return NC_NOERR;
}

static const char *
choose_default_region(const ncz_s3_settings *s)
{
    static const char *const any[] = {"googleapis.com", "r2.cloudflarestorage.com"};
    size_t                   len = s->host != NULL ? strlen(s->host) : 0;

    for (size_t i = 0; i < NCZ_LEN(any); i++) {
        size_t n = strlen(any[i]);

        if (len > n && strcmp(s->host + len - n, any[i]) == 0)
            return "auto";
    }
    return "us-east-1";
}

/* The profile's region, under AWS's name or netCDF's. */
static ncz_s3_setting
lookup_profile_region(const ncz_s3_lookup *l)
{
    const ncz_s3_setting all[] = {ncz_s3_setting_profile(l->files, l->profile, NULL, "region"),
                                  ncz_s3_setting_profile(l->files, l->profile, NULL, "aws_region")};

    return ncz_s3_setting_first(all, NCZ_LEN(all));
}

/* As in AWS's tools, the environment precedes the profile, unless the URL names the profile. */
static int
choose_region(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting of_profile = lookup_profile_region(l);
    const ncz_s3_setting all[] = {
        ncz_s3_setting_url(l, "region"),
        ncz_s3_setting_url(l, "awsregion"),
        {.source = NCZ_S3_FROM_HOST, .value = s->region},
        l->profile_in_url ? of_profile : ncz_s3_setting_default(NULL),
        ncz_s3_setting_env("AWS_REGION"),
        ncz_s3_setting_env("AWS_DEFAULT_REGION"),
        of_profile,
        ncz_s3_setting_rc(l, "AWS.REGION"),
        ncz_s3_setting_default(choose_default_region(s)),
    };
    ncz_s3_setting said = ncz_s3_setting_first(all, NCZ_LEN(all));
    int            rc;

    if (said.source != NCZ_S3_FROM_HOST) {
        ncz_free(s->region);
        ncz_free(s->region_from);
        s->region = s->region_from = NULL;
        if (strcmp(said.value, "aws-global") == 0)
            said.value = "us-east-1";
        if ((rc = copy_text(&s->region, said.value)) != NC_NOERR)
            return rc;
        if ((rc = ncz_s3_setting_origin(&said, &s->region_from)) != NC_NOERR)
            return rc;
    }
    return check_region(s);
}

/* ---- signing ---- */

/* Requests are unsigned if a setting says so, or if the URL's query is a signature already. */
static int
choose_signing(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting anon[] = {ncz_s3_setting_url_switch(l, "anon"), ncz_s3_setting_url_switch(l, "anonymous"),
                                   ncz_s3_setting_env("AWS_NO_SIGN_REQUEST")};
    const ncz_s3_setting pays = ncz_s3_setting_url_switch(l, "requester_pays");
    const char          *payer = ncz_env("AWS_REQUEST_PAYER");
    ncz_s3_setting       said = ncz_s3_setting_first(anon, NCZ_LEN(anon));
    int                  rc;

    if ((rc = ncz_s3_setting_bool(&said, &s->anonymous)) != NC_NOERR)
        return rc;
    s->requester_pays = payer != NULL && strcasecmp(payer, "requester") == 0;
    if ((rc = ncz_s3_setting_bool(&pays, &s->requester_pays)) != NC_NOERR)
        return rc;
    if (l->uri->query != NULL && l->uri->query[0] != '\0') {
        s->anonymous = true;
        return copy_text(&s->query, l->uri->query);
    }
    return NC_NOERR;
}

/* ---- connection ---- */

static int
choose_trust(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting files[] = {
        ncz_s3_setting_env("AWS_CA_BUNDLE"),     ncz_s3_setting_profile(l->files, l->profile, NULL, "ca_bundle"),
        ncz_s3_setting_rc(l, "HTTP.SSL.CAINFO"), ncz_s3_setting_env("CURL_CA_BUNDLE"),
        ncz_s3_setting_env("SSL_CERT_FILE"),
    };
    const ncz_s3_setting dirs[] = {ncz_s3_setting_rc(l, "HTTP.SSL.CAPATH"), ncz_s3_setting_env("SSL_CERT_DIR")};
    ncz_s3_setting       file = ncz_s3_setting_first(files, NCZ_LEN(files)),
                   dir = ncz_s3_setting_first(dirs, NCZ_LEN(dirs));

    if (file.value != NULL && (s->ca_file = ncz_s3_expand_home(file.value, l->files->home)) == NULL)
        return ncz_fail_nomem(strlen(file.value) + 1);
    if (dir.value != NULL && (s->ca_dir = ncz_s3_expand_home(dir.value, l->files->home)) == NULL)
        return ncz_fail_nomem(strlen(dir.value) + 1);
    return NC_NOERR;
}

/*
 * How long a call waits for a server that makes no progress. A stalled connection ends early enough to leave time for
 * other tries.
 */
static int
choose_time_outs(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting all[] = {ncz_s3_setting_env("NCZARR_TIMEOUT"), ncz_s3_setting_rc(l, "NCZARR.TIMEOUT")};
    ncz_s3_setting       said = ncz_s3_setting_first(all, NCZ_LEN(all));
    int64_t              stall_s;
    int                  rc;

    s->progress_timeout_ms = PROGRESS_TIMEOUT_MS;
    s->stall_s = STALL_S;
    if ((rc = ncz_s3_setting_seconds(&said, 1000000, &s->progress_timeout_ms)) != NC_NOERR ||
        s->progress_timeout_ms == 0)
        return rc;
    stall_s = s->progress_timeout_ms / 4000;
    if (stall_s < s->stall_s)
        s->stall_s = stall_s > 0 ? (long)stall_s : 1;
    if (s->progress_timeout_ms < s->connect_ms)
        s->connect_ms = (long)s->progress_timeout_ms;
    return NC_NOERR;
}

/* libcurl reads the proxies in the environment itself. */
static int
choose_connection(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting proxy = ncz_s3_setting_rc(l, "HTTP.PROXY.SERVER"),
                         agent = ncz_s3_setting_rc(l, "HTTP.USERAGENT");
    const ncz_s3_setting connect = ncz_s3_setting_rc(l, "HTTP.CONNECTTIMEOUT"),
                         total = ncz_s3_setting_rc(l, "HTTP.TIMEOUT");
    int64_t connect_s = CONNECT_MS / 1000;
    int     rc;

    for (const char *c = agent.value; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            return ncz_fail(NC_EINVAL, "%s in %s: a character that is not allowed in a header", agent.name,
                            agent.file);
    if ((rc = copy_text(&s->proxy, proxy.value)) != NC_NOERR)
        return rc;
    if ((rc = copy_text(&s->user_agent, agent.value)) != NC_NOERR)
        return rc;
    if ((rc = ncz_s3_setting_number(&connect, 1, 3600, &connect_s)) != NC_NOERR)
        return rc;
    s->connect_ms = (long)connect_s * 1000;
    if ((rc = ncz_s3_setting_number(&total, 0, 1000000, &s->deadline_s)) != NC_NOERR ||
        (rc = choose_time_outs(l, s)) != NC_NOERR)
        return rc;
    return choose_trust(l, s);
}

/* ---- retries ---- */

/* The part of this process in the requests of all ranks on its machine; a few, so that a rank still works on some while
 * it waits for others. */
static int64_t
own_part(int64_t requests)
{
    int64_t part = requests / (int64_t)ncz_pool_processes();

    return part > IN_FLIGHT_LEAST ? part : IN_FLIGHT_LEAST;
}

static int
choose_retries(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    const ncz_s3_setting attempts[] = {ncz_s3_setting_env("AWS_MAX_ATTEMPTS"),
                                       ncz_s3_setting_profile(l->files, l->profile, NULL, "max_attempts")};
    const ncz_s3_setting at_once = ncz_s3_setting_profile(l->files, l->profile, "s3", "max_concurrent_requests");
    ncz_s3_setting       said = ncz_s3_setting_first(attempts, NCZ_LEN(attempts)),
                   gdal = ncz_s3_setting_env("GDAL_HTTP_MAX_RETRY");
    int64_t n = ATTEMPTS, more = -1, many = own_part(IN_FLIGHT);
    int     rc;

    if (said.value != NULL)
        rc = ncz_s3_setting_number(&said, 1, 100, &n);
    else if ((rc = ncz_s3_setting_number(&gdal, 0, 99, &more)) == NC_NOERR && more >= 0)
        n = more + 1; /* GDAL does not count the first try */
    if (rc == NC_NOERR)
        rc = ncz_s3_setting_number(&at_once, 1, 1024, &many);
    s->attempts = (unsigned)n;
    s->in_flight = (unsigned)many;
    return rc;
}

/* Servers answer 403 for a missing key to those who may not list. */
static int
choose_forbidden(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    ncz_s3_setting said = ncz_s3_setting_url(l, "forbidden");

    if (said.value == NULL)
        return NC_NOERR;
    s->forbidden_is_absent = strcasecmp(said.value, "absent") == 0;
    if (!s->forbidden_is_absent && strcasecmp(said.value, "error") != 0)
        return ncz_fail(NC_EINVAL, "%s=%s: neither absent nor error", said.name, said.value);
    return NC_NOERR;
}

/* The server that gives keys to those who log in there. */
static const char *
lookup_service(const ncz_s3_lookup *l)
{
    const ncz_s3_setting all[] = {ncz_s3_setting_url(l, "s3credentials"),
                                  ncz_s3_setting_rc(l, "NCZARR.S3CREDENTIALS")};

    return ncz_s3_setting_first(all, NCZ_LEN(all)).value;
}

/* ---- all settings ---- */

/*
 * 1. the profile, which contains many settings; 2. bucket and endpoint from the URL; 3. the region, which may be part
 * of the host; 4. Amazon's host, which contains the region; 5. the rest.
 */
static int
choose_all(ncz_s3_lookup *l, ncz_s3_settings *s)
{
    bool profile_first = false;
    int  rc;

    if ((rc = choose_profile(l, s, &profile_first)) != NC_NOERR || (rc = ncz_s3_parse_url(l, s)) != NC_NOERR)
        return rc;
    if ((rc = choose_region(l, s)) != NC_NOERR)
        return rc;
    if (s->host == NULL && (rc = ncz_s3_amazon_host(l, s)) != NC_NOERR)
        return rc;
    if ((rc = ncz_s3_choose_addressing(l, s)) != NC_NOERR || (rc = choose_signing(l, s)) != NC_NOERR)
        return rc;
    if ((rc = choose_connection(l, s)) != NC_NOERR || (rc = choose_retries(l, s)) != NC_NOERR)
        return rc;
    if ((rc = choose_forbidden(l, s)) != NC_NOERR)
        return rc;
    if (s->anonymous)
        return NC_NOERR;
    return ncz_creds_open(&(ncz_creds_opts){.lookup = l,
                                            .service = lookup_service(l),
                                            .proxy = s->proxy,
                                            .profile_first = profile_first,
                                            .amazon = !s->custom,
                                            .region = s->region,
                                            .ca_file = s->ca_file,
                                            .ca_dir = s->ca_dir},
                          &s->creds);
}

int
ncz_s3_settings_from(const ncz_uri *uri, ncz_s3_settings **out)
{
    ncz_s3_files     files = {.home = NULL};
    ncz_rc           rc_files = NCZ_RC_INIT;
    ncz_s3_lookup    look = {.uri = uri, .files = &files, .rc = &rc_files};
    ncz_s3_settings *s = NULL;
    int              rc;

    if (uri->scheme == NULL || uri->host == NULL)
        return ncz_fail(NC_EURL, "not an S3 URL");
    if ((rc = ncz_s3_files_load(&files)) != NC_NOERR || (rc = ncz_rc_load(files.home, &rc_files)) != NC_NOERR)
        goto done;
    if ((s = ncz_zalloc(sizeof *s)) == NULL) {
        rc = ncz_fail_nomem(sizeof *s);
        goto done;
    }
    if ((rc = choose_all(&look, s)) != NC_NOERR)
        goto done;
    *out = s;
    s = NULL; /* now the caller's */
done:
    ncz_s3_settings_free(s);
    ncz_s3_files_clear(&files);
    ncz_rc_clear(&rc_files);
    return rc;
}

/* ---- web servers ---- */

/* Only the server: the client puts the URL's path before each key. */
static int
set_web_server(const ncz_uri *uri, ncz_s3_settings *s)
{
    *s = (ncz_s3_settings){
        .https = strcmp(uri->scheme, "https") == 0, .port = uri->port, .anonymous = true, .custom = true};
    s->host = ncz_strdup(uri->host);
    s->base = ncz_strdup("");
    s->bucket = ncz_strdup("");
    s->prefix = ncz_strdup("");
    s->region = ncz_strdup("");
    if (s->host == NULL || s->base == NULL || s->bucket == NULL || s->prefix == NULL || s->region == NULL)
        return ncz_fail_nomem(0);
    return copy_text(&s->query, uri->query);
}

static int
choose_web(const ncz_s3_lookup *l, ncz_s3_settings *s)
{
    int rc;

    if ((rc = set_web_server(l->uri, s)) != NC_NOERR || (rc = choose_connection(l, s)) != NC_NOERR)
        return rc;
    if ((rc = choose_retries(l, s)) != NC_NOERR || (rc = choose_forbidden(l, s)) != NC_NOERR)
        return rc;
    s->in_flight = (unsigned)own_part(WEB_IN_FLIGHT);
    return ncz_login_open(&(ncz_login_opts){.uri = l->uri,
                                            .rc = l->rc,
                                            .home = l->files->home,
                                            .ca_file = s->ca_file,
                                            .ca_dir = s->ca_dir,
                                            .proxy = s->proxy},
                          &s->login);
}

int
ncz_s3_settings_web(const ncz_uri *uri, ncz_s3_settings **out)
{
    ncz_s3_files     none = {.home = NULL}; /* AWS profiles do not apply to a web server */
    ncz_rc           rc_files = NCZ_RC_INIT;
    ncz_s3_lookup    look = {.uri = uri, .files = &none, .rc = &rc_files};
    ncz_s3_settings *s = ncz_zalloc(sizeof *s);
    const char      *home = ncz_env("HOME");
    int              rc = NC_NOERR;

    if (s == NULL || (home != NULL && (none.home = ncz_strdup(home)) == NULL))
        rc = ncz_fail_nomem(sizeof *s);
    if (rc == NC_NOERR && (rc = ncz_rc_load(none.home, &rc_files)) == NC_NOERR)
        rc = choose_web(&look, s);
    if (rc == NC_NOERR) {
        *out = s;
        s = NULL; /* now the caller's */
    }
    ncz_s3_settings_free(s);
    ncz_s3_files_clear(&none);
    ncz_rc_clear(&rc_files);
    return rc;
}
