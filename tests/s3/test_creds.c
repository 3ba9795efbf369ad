/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Credentials: which source wins, what each sends and understands, when keys are fetched again, and that nothing
 * secret is said. The services are a script that stands in for the exchanges over HTTP.
 */
#include "s3/credentials/creds_int.h"
#include "s3/settings/s3_settings.h"
#include "s3_help.h"
#include "sandbox.h"

#include <pthread.h>
#include <sys/wait.h>

/* ---- the services ---- */

typedef struct exchange {
    const char *method, *url; /* as it must be */
    const char *has[3];       /* what the headers or the body must have */
    long        status;       /* 0: no answer */
    const char *reply;
} exchange;

static const exchange *script;
static size_t          nscript, asked;
static pthread_mutex_t script_lock = PTHREAD_MUTEX_INITIALIZER;

static void
set_script(const exchange *all, size_t n)
{
    script = all;
    nscript = n;
    asked = 0;
}

static bool
call_has(const ncz_http_once *call, const char *wanted)
{
    for (size_t i = 0; i < call->nheaders; i++)
        if (strstr(call->headers[i], wanted) != NULL)
            return true;
    return call->body != NULL && memmem(call->body, call->nbody, wanted, strlen(wanted)) != NULL;
}

/* Such services are asked directly. */
static bool
is_of_machine(const char *url)
{
    return strncmp(url, "http://169.254.", 15) == 0 || strncmp(url, "http://meta", 11) == 0 ||
           strstr(url, "127.0.0.1") != NULL;
}

static void
check_call(const ncz_http_once *call, const exchange *x)
{
    assert_string_equal(call->url, x->url);
    assert_string_equal(call->method, x->method);
    for (size_t i = 0; i < NCZ_LEN(x->has) && x->has[i] != NULL; i++) {
        if (!call_has(call, x->has[i]))
            print_message("%s lacks %s\n", call->url, x->has[i]);
        assert_true(call_has(call, x->has[i]));
    }
    for (size_t i = 0; i < call->nheaders; i++)
        assert_null(strpbrk(call->headers[i], "\r\n"));
    assert_true(call->no_proxy == is_of_machine(call->url));
    assert_true(call->attempts >= 1 && call->connect_ms > 0 && call->total_ms > 0);
}

int
ncz_http_once_do(ncz_http_once *call)
{
    int rc = NC_NOERR;

    pthread_mutex_lock(&script_lock);
    if (asked >= nscript)
        print_message("nobody expected %s %s\n", call->method, call->url);
    assert_true(asked < nscript);
    check_call(call, &script[asked]);
    call->status = script[asked].status;
    if (call->status == 0)
        rc = ncz_fail(NC_ECURL, "nobody there");
    else
        rc = ncz_buf_puts(&call->reply, script[asked].reply != NULL ? script[asked].reply : "");
    asked++;
    pthread_mutex_unlock(&script_lock);
    return rc;
}

/* ---- a case ---- */

#define FUTURE   "2099-01-01T00:00:00Z"
#define FUTURE_S 4070908800
#define KEYS(id)                                                                                                     \
    "{\"AccessKeyId\":\"" id "\",\"SecretAccessKey\":\"canary-secret\",\"Token\":\"canary-token\","                  \
    "\"Expiration\":\"" FUTURE "\",\"Code\":\"Success\"}"
#define STS(what, id)                                                                                                \
    "<" what "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" what "Result><AssumedRoleUser>"        \
    "<Arn>arn:x</Arn></AssumedRoleUser><Credentials><AccessKeyId>" id "</AccessKeyId>"                               \
    "<SecretAccessKey>canary-secret</SecretAccessKey><SessionToken>canary-token</SessionToken>"                      \
    "<Expiration>" FUTURE "</Expiration></Credentials></" what "Result></" what "Response>"
#define PLAIN(id) "aws_access_key_id = " id "\naws_secret_access_key = canary-secret\n"

typedef struct exchanges {
    const exchange *v;
    size_t          n;
} exchanges;

#define SCRIPT(...)                                                                                                  \
    {                                                                                                                \
        (const exchange[]){__VA_ARGS__}, sizeof((const exchange[]){__VA_ARGS__}) / sizeof(exchange)                  \
    }

typedef struct row {
    const char *what;
    const char *url, *env, *config, *credentials; /* NULL: s3://b/k, nothing */
    exchanges   script;
    const char *id;   /* that is found; NULL: none */
    const char *says; /* part of the source; without an id, of the reason; with `rc`, of the error */
    int         rc;
    bool        token;
} row;

static int
creds_of(const char *url, ncz_s3_settings **out)
{
    ncz_uri *u = NULL;
    int      rc = ncz_uri_parse(url, &u);

    if (rc == NC_NOERR)
        rc = ncz_s3_settings_from(u, out);
    ncz_uri_free(u);
    return rc;
}

static void
check_nothing_secret(const char *text)
{
    assert_null(strstr(text, "canary"));
}

static void
check_row(const row *r)
{
    ncz_s3_settings  *s = NULL;
    ncz_s3_access_key keys = {.id = NULL};
    ncz_buf           why = NCZ_BUF_INIT;
    char             *source = NULL;
    const char       *said;
    int               rc;

    clean_environment();
    set_all(r->env);
    put_file(".aws/config", r->config != NULL ? r->config : "");
    put_file(".aws/credentials", r->credentials != NULL ? r->credentials : "");
    set_script(r->script.v, r->script.n);
    assert_int_equal(creds_of(r->url != NULL ? r->url : "s3://b/k", &s), NC_NOERR);
    ncz_err_clear();
    rc = ncz_creds_get(s->creds, false, NCZ_CREDS_ANY, &keys, &why);
    said = rc != NC_NOERR ? ncz_err_text() : ncz_buf_str(&why);
    if (rc == NC_NOERR && keys.id != NULL) {
        assert_int_equal(ncz_creds_source(s->creds, &source), NC_NOERR);
        said = source;
    }
    if (rc != r->rc || strstr(said, r->says) == NULL || asked != r->script.n)
        print_message("%s: %d, %s\n", r->what, rc, said);
    assert_int_equal(rc, r->rc);
    assert_int_equal(asked, r->script.n);
    if (r->id != NULL) {
        assert_non_null(keys.id);
        assert_string_equal(keys.id, r->id);
        assert_string_equal(keys.secret, "canary-secret");
        assert_true((keys.token != NULL) == r->token);
        assert_true(keys.token == NULL || strcmp(keys.token, "canary-token") == 0);
    } else {
        assert_null(keys.id);
    }
    assert_non_null(strstr(said, r->says));
    check_nothing_secret(ncz_err_text());
    check_nothing_secret(ncz_buf_str(&why));
    check_nothing_secret(said);
    ncz_free(source);
    ncz_s3_access_key_clear(&keys);
    ncz_buf_clear(&why);
    ncz_s3_settings_free(s);
}

static void
check_rows(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_row(&rows[i]);
}

/* ---- keys that just stand somewhere ---- */

#define ENV "AWS_ACCESS_KEY_ID=IDENV AWS_SECRET_ACCESS_KEY=canary-secret"

TEST_IN_SANDBOX(standing_keys)
{
    const row rows[] = {
        {"nothing", .says = "AWS_ACCESS_KEY_ID is not set; there is no profile default in "},
        {"environment", .env = ENV, .id = "IDENV", .says = "the environment"},
        {"token", .env = ENV " AWS_SESSION_TOKEN=canary-token", .id = "IDENV", .says = "the environment",
         .token = true},
        {"old token", .env = ENV " AWS_SECURITY_TOKEN=canary-token", .id = "IDENV", .says = "the environment",
         .token = true},
        {"half", .env = "AWS_ACCESS_KEY_ID=IDENV", .credentials = "[default]\n" PLAIN("IDFILE"), .rc = NC_EAUTH,
         .says = "AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not"},
        {"the other half", .env = "AWS_SECRET_ACCESS_KEY=canary-secret", .rc = NC_EAUTH,
         .says = "AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not"},
        {"URL", .url = "s3://b/k#aws.access_key_id=IDURL&AWS.SECRET_ACCESS_KEY=canary-secret", .env = ENV,
         .id = "IDURL", .says = "the URL"},
        {"URL, half", .url = "s3://b/k#aws.access_key_id=IDURL", .env = ENV, .rc = NC_EAUTH,
         .says = "aws.secret_access_key is not"},
        {"credentials file", .config = "[default]\n" PLAIN("IDCONFIG"), .credentials = "[default]\n" PLAIN("IDFILE"),
         .id = "IDFILE", .says = "profile default in "},
        {"config file", .config = "[default]\n" PLAIN("IDCONFIG"), .id = "IDCONFIG", .says = "/.aws/config"},
        {"environment before files", .env = ENV, .credentials = "[default]\n" PLAIN("IDFILE"), .id = "IDENV",
         .says = "the environment"},
        {"AWS_PROFILE does not hide the environment", .env = ENV " AWS_PROFILE=p",
         .credentials = "[p]\n" PLAIN("IDP"), .id = "IDENV", .says = "the environment"},
        {"a profile in the URL does", .url = "s3://b/k#aws.profile=p", .env = ENV,
         .credentials = "[p]\n" PLAIN("IDP"), .id = "IDP", .says = "profile p in "},
        {"AWS_PROFILE", .env = "AWS_PROFILE=p", .credentials = "[default]\n" PLAIN("IDFILE") "[p]\n" PLAIN("IDP"),
         .id = "IDP", .says = "profile p in "},
        {"AWS_DEFAULT_PROFILE", .env = "AWS_DEFAULT_PROFILE=p", .credentials = "[p]\n" PLAIN("IDP"), .id = "IDP",
         .says = "profile p in "},
        {"token in a file", .credentials = "[default]\n" PLAIN("IDFILE") "aws_session_token = canary-token\n",
         .id = "IDFILE", .says = "profile default", .token = true},
        {"half in a file", .credentials = "[default]\naws_secret_access_key = canary-secret\n", .rc = NC_EAUTH,
         .says = "aws_access_key_id is not"},
        {"a blank in a key",
         .credentials = "[default]\naws_access_key_id = I D\naws_secret_access_key = canary-secret\n", .rc = NC_EAUTH,
         .says = "a blank"},
        {"a profile without keys", .config = "[default]\nregion = x\n", .says = "profile default has no keys"},
        {"aws login", .config = "[default]\nlogin_session = arn:x\n", .rc = NC_EAUTH, .says = "export-credentials"},
        {"not Amazon's", .url = "http://h/b/k#mode=s3", .env = "AWS_EC2_METADATA_DISABLED=false",
         .says = "the endpoint is not Amazon's"},
    };

    check_rows(rows, NCZ_LEN(rows));
}

TEST_IN_SANDBOX(who_writes_needs_keys)
{
    ncz_s3_settings  *s = NULL;
    ncz_s3_access_key keys;

    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_REQUIRED, &keys, NULL), NC_EAUTH);
    assert_non_null(strstr(ncz_err_text(), "AWS_ACCESS_KEY_ID is not set"));
    assert_null(keys.id);
    ncz_s3_settings_free(s);
    assert_int_equal(creds_of("s3://b/k#anon", &s), NC_NOERR);
    assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_REQUIRED, &keys, NULL), NC_NOERR); /* wanted so */
    assert_null(keys.id);
    ncz_s3_settings_free(s);
}

/* ---- roles ---- */

#define ROLE     "role_arn = arn:aws:iam::1:role/r\n"
#define STS_HOST "https://sts.us-east-1.amazonaws.com/"

TEST_IN_SANDBOX(roles_are_assumed)
{
    const row rows[] = {
        {"source_profile", .config = "[default]\n" ROLE "source_profile = base\n[profile base]\n" PLAIN("IDBASE"),
         .script =
             SCRIPT({"POST",
                     STS_HOST,
                     {"Credential=IDBASE/", "Action=AssumeRole&Version=2011-06-15"
                                            "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=nczarr-"},
                     200,
                     STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole of arn:aws:iam::1:role/r, profile default", .token = true},
        {"all that a role may say",
         .config = "[default]\n" ROLE "source_profile = base\nregion = eu-west-1\nexternal_id = e x\n"
                   "role_session_name = me\nduration_seconds = 900\n[profile base]\n" PLAIN("IDBASE"),
         .script = SCRIPT({"POST",
                           "https://sts.eu-west-1.amazonaws.com/",
                           {"/eu-west-1/sts/aws4_request", "&RoleSessionName=me&ExternalId=e%20x&DurationSeconds=900",
                            "Content-Type: application/x-www-form-urlencoded"},
                           200,
                           STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole", .token = true},
        {"a chain of roles",
         .config = "[default]\n" ROLE "source_profile = a\n[profile a]\nrole_arn = arn:a\nsource_profile = b\n"
                   "[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST", STS_HOST, {"Credential=IDB/", "arn%3Aa&"}, 200, STS("AssumeRole", "IDA")},
                          {"POST",
                           STS_HOST,
                           {"Credential=IDA/", "x-amz-security-token: canary-token"},
                           200,
                           STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole", .token = true},
        {"its own keys", .config = "[default]\n" ROLE "source_profile = default\n" PLAIN("IDOWN"),
         .script = SCRIPT({"POST", STS_HOST, {"Credential=IDOWN/"}, 200, STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole", .token = true},
        {"itself without keys", .config = "[default]\n" ROLE "source_profile = default\n", .rc = NC_EAUTH,
         .says = "itself"},
        {"a circle",
         .config = "[default]\n" ROLE "source_profile = a\n[profile a]\n" ROLE "source_profile = b\n"
                   "[profile b]\n" ROLE "source_profile = a\n",
         .rc = NC_EAUTH, .says = "leads back to a"},
        {"nobody", .config = "[default]\n" ROLE "source_profile = nobody\n", .rc = NC_EAUTH,
         .says = "no profile nobody"},
        {"no keys there", .config = "[default]\n" ROLE "source_profile = a\n[profile a]\nregion = x\n",
         .rc = NC_EAUTH, .says = "profile a, the source_profile of default, has no keys"},
        {"both", .config = "[default]\n" ROLE "source_profile = a\ncredential_source = Environment\n", .rc = NC_EAUTH,
         .says = "both"},
        {"neither", .config = "[default]\n" ROLE, .rc = NC_EAUTH, .says = "without source_profile"},
        {"environment", .url = "s3://b/k#aws.profile=p", .env = ENV,
         .config = "[profile p]\n" ROLE "credential_source = Environment\n",
         .script = SCRIPT({"POST", STS_HOST, {"Credential=IDENV/"}, 200, STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole", .token = true},
        {"container", .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x",
         .config = "[default]\n" ROLE "credential_source = EcsContainer\n",
         .script = SCRIPT({"GET", "http://169.254.170.2/x", {NULL}, 200, KEYS("IDC")},
                          {"POST", STS_HOST, {"Credential=IDC/"}, 200, STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole", .token = true},
        {"an empty source", .config = "[default]\n" ROLE "credential_source = Environment\n", .rc = NC_EAUTH,
         .says = "credential_source Environment has no keys"},
        {"an odd source", .config = "[default]\n" ROLE "credential_source = Thin Air\n", .rc = NC_EAUTH,
         .says = "not one of Environment"},
        {"a code is asked for",
         .config = "[default]\n" ROLE "source_profile = b\nmfa_serial = m\n[profile b]\n" PLAIN("I"), .rc = NC_EAUTH,
         .says = "mfa_serial"},
        {"refused", .config = "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST",
                           STS_HOST,
                           {NULL},
                           403,
                           "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not you"
                           "</Message></Error><RequestId>1</RequestId></ErrorResponse>"}),
         .rc = NC_EAUTH, .says = "status 403 AccessDenied: not you"},
        {"no answer", .config = "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST", STS_HOST, {NULL}, 0, NULL}), .rc = NC_EAUTH, .says = "AssumeRole does not answer"},
        {"nonsense", .config = "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST", STS_HOST, {NULL}, 200, "<!DOCTYPE x>"}), .rc = NC_EAUTH, .says = "cannot be read"},
        {"no keys in it", .config = "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST", STS_HOST, {NULL}, 200, "<A><Credentials/></A>"}), .rc = NC_EAUTH,
         .says = "has no keys"},
        {"endpoint of STS", .env = "AWS_ENDPOINT_URL_STS=http://sts.local:1/x/ AWS_ENDPOINT_URL=http://other",
         .config = "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST",
                           "http://sts.local:1/x/",
                           {"SignedHeaders=content-type;host;x-amz-date"},
                           200,
                           STS("AssumeRole", "IDROLE")}),
         .id = "IDROLE", .says = "AssumeRole", .token = true},
        {"endpoint of all", .env = "AWS_ENDPOINT_URL=http://other",
         .config = "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"),
         .script = SCRIPT({"POST", "http://other/", {NULL}, 200, STS("AssumeRole", "IDROLE")}), .id = "IDROLE",
         .says = "AssumeRole", .token = true},
    };

    check_rows(rows, NCZ_LEN(rows));
}

TEST_IN_SANDBOX(web_identity)
{
    const row rows[] = {
        {"by variables", .env = "AWS_WEB_IDENTITY_TOKEN_FILE=token AWS_ROLE_ARN=arn:w AWS_ROLE_SESSION_NAME=pod",
         .credentials = "[default]\n" PLAIN("IDFILE"),
         .script = SCRIPT({"POST",
                           STS_HOST,
                           {"Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aw&"
                            "RoleSessionName=pod"
                            "&WebIdentityToken=canary.jwt%2B1"},
                           200,
                           STS("AssumeRoleWithWebIdentity", "IDWEB")}),
         .id = "IDWEB", .says = "AssumeRoleWithWebIdentity of arn:w", .token = true},
        {"by a profile", .config = "[default]\nrole_arn = arn:w\nweb_identity_token_file = ~/token\n",
         .script = SCRIPT(
             {"POST", STS_HOST, {"WebIdentityToken=canary.jwt%2B1"}, 200, STS("AssumeRoleWithWebIdentity", "IDWEB")}),
         .id = "IDWEB", .says = "profile default", .token = true},
        {"no such file", .env = "AWS_WEB_IDENTITY_TOKEN_FILE=nowhere AWS_ROLE_ARN=arn:w", .rc = NC_EAUTH,
         .says = "nowhere does not exist"},
        {"no role", .env = "AWS_WEB_IDENTITY_TOKEN_FILE=token", .rc = NC_EAUTH, .says = "no role"},
        {"expired", .env = "AWS_WEB_IDENTITY_TOKEN_FILE=token AWS_ROLE_ARN=arn:w",
         .script = SCRIPT({"POST",
                           STS_HOST,
                           {NULL},
                           400,
                           "<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error></ErrorResponse>"}),
         .rc = NC_EAUTH, .says = "400 ExpiredTokenException"},
    };

    put_file("token", "canary.jwt+1\n");
    check_rows(rows, NCZ_LEN(rows));
}

/* ---- single sign-on ---- */

#define PORTAL "https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?role_name=Reader&account_id=123"
#define SSO_KEYS                                                                                                     \
    "{\"roleCredentials\":{\"accessKeyId\":\"IDSSO\",\"secretAccessKey\":\"canary-secret\","                         \
    "\"sessionToken\":\"canary-token\",\"expiration\":4070908800000}}"
#define NEW_SSO "[default]\nsso_session = my-session\nsso_account_id = 123\nsso_role_name = Reader\n"
#define SESSION "[sso-session my-session]\nsso_region = eu-west-1\nsso_start_url = https://start.example\n"
#define OLD_SSO                                                                                                      \
    "[default]\nsso_start_url = https://start.example\nsso_region = eu-west-1\nsso_account_id = 123\n"               \
    "sso_role_name = Reader\n"

static void
put_token(const char *name, const char *text)
{
    char  hash[NCZ_S3_SHA1_HEX];
    char *path;

    assert_int_equal(ncz_s3_sha1_hex(name, strlen(name), hash), NC_NOERR);
    path = ncz_sprintf(".aws/sso/cache/%s.json", hash);
    put_file(path, text);
    ncz_free(path);
}

TEST_IN_SANDBOX(single_sign_on)
{
    const row rows[] = {
        {"session", .config = NEW_SSO SESSION,
         .script = SCRIPT({"GET", PORTAL, {"x-amz-sso_bearer_token: canary-bearer"}, 200, SSO_KEYS}), .id = "IDSSO",
         .says = "single sign-on of profile default", .token = true},
        {"as it was before", .config = OLD_SSO,
         .script = SCRIPT({"GET", PORTAL, {"x-amz-sso_bearer_token: canary-old"}, 200, SSO_KEYS}), .id = "IDSSO",
         .says = "single sign-on", .token = true},
        {"before keys in files", .config = OLD_SSO, .credentials = "[default]\n" PLAIN("IDFILE"),
         .script = SCRIPT({"GET", PORTAL, {NULL}, 200, SSO_KEYS}), .id = "IDSSO", .says = "single sign-on",
         .token = true},
        {"no session", .config = NEW_SSO, .rc = NC_EAUTH, .says = "no [sso-session my-session]"},
        {"half", .config = "[default]\nsso_start_url = https://s.example\nsso_account_id = 1\nsso_role_name = r\n",
         .rc = NC_EAUTH, .says = "lacks sso_region"},
        {"not accepted", .config = OLD_SSO, .script = SCRIPT({"GET", PORTAL, {NULL}, 401, "{}"}), .rc = NC_EAUTH,
         .says = "aws sso login --profile default"},
        {"forbidden", .config = OLD_SSO, .script = SCRIPT({"GET", PORTAL, {NULL}, 403, "{}"}), .rc = NC_EAUTH,
         .says = "status 403"},
        {"nothing in it", .config = OLD_SSO, .script = SCRIPT({"GET", PORTAL, {NULL}, 200, "{}"}), .rc = NC_EAUTH,
         .says = "lacks AccessKeyId"},
        {"another portal", .env = "AWS_ENDPOINT_URL_SSO=http://portal:1", .config = OLD_SSO,
         .script = SCRIPT({"GET",
                           "http://portal:1/federation/credentials?role_name=Reader&account_id=123",
                           {NULL},
                           200,
                           SSO_KEYS}),
         .id = "IDSSO", .says = "single sign-on", .token = true},
        {"a session for other services", .config = "[default]\nsso_session = my-session\n" SESSION,
         .says = "no account and role"},
    };
    const row again[] = {
        {"expired", .config = NEW_SSO SESSION, .rc = NC_EAUTH,
         .says = "has expired: run `aws sso login --profile default`"},
        {"never logged in", .config = OLD_SSO, .rc = NC_EAUTH,
         .says = "no token of single sign-on: run `aws sso login"},
    };

    put_token("my-session", "{\"accessToken\":\"canary-bearer\",\"expiresAt\":\"" FUTURE "\",\"clientId\":\"x\"}");
    put_token("https://start.example", "{\"accessToken\":\"canary-old\",\"expiresAt\":\"2099-01-01T00:00:00UTC\"}");
    check_rows(rows, NCZ_LEN(rows));
    put_token("my-session", "{\"accessToken\":\"canary-bearer\",\"expiresAt\":\"2020-01-01T00:00:00Z\"}");
    put_token("https://start.example", "");
    check_row(&again[0]);
    assert_int_equal(nftw(".aws/sso", remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    check_row(&again[1]);
}

/* ---- programs ---- */

#define PROGRAM(text) .config = "[default]\ncredential_process = " text "\n"

TEST_IN_SANDBOX(programs_give_keys)
{
    const row rows[] = {
        {"words", PROGRAM("./print  'a b' \"c \\\"d\\\" \\x\" e\\ f g'h'\"i\""), .id = "IDP",
         .says = "credential_process of profile default", .token = true},
        {"fails", PROGRAM("./fail"), .rc = NC_EAUTH,
         .says = "credential_process fail ended with status 3: no, not today"},
        {"not there", PROGRAM("./nothing"), .rc = NC_EAUTH, .says = "cannot be run (not found)"},
        {"does not end", PROGRAM("./linger"), .rc = NC_EAUTH, .says = "took too long and was killed"},
        {"killed", PROGRAM("./die"), .rc = NC_EAUTH, .says = "died of signal 15"},
        {"an open quote", PROGRAM("./print 'a"), .rc = NC_EAUTH, .says = "quote"},
        {"no program", PROGRAM("''"), .rc = NC_EAUTH, .says = "cannot be run"},
        {"no shell", PROGRAM("./print; ./fail"), .rc = NC_EAUTH, .says = "cannot be run"},
        {"no JSON", PROGRAM("echo canary-secret"), .rc = NC_EAUTH, .says = "not JSON"},
        {"another version", PROGRAM("echo {\\\"Version\\\":2}"), .rc = NC_EAUTH, .says = "Version is not 1"},
        {"no secret", PROGRAM("echo {\\\"Version\\\":1,\\\"AccessKeyId\\\":\\\"x\\\"}"), .rc = NC_EAUTH,
         .says = "lacks SecretAccessKey"},
        {"bad time", PROGRAM("./until tomorrow"), .rc = NC_EAUTH, .says = "not a time"},
        {"over", PROGRAM("./until 2020-01-01T00:00:00Z"), .rc = NC_EAUTH, .says = "have expired"},
        {"in time", PROGRAM("./until 2099-01-01T01:00:00.5+01:00"), .id = "IDU", .says = "credential_process"},
        {"a flood", PROGRAM("./flood"), .rc = NC_EAUTH, .says = "not JSON"},
        {"switched off", PROGRAM("./print"), .env = "NCZARR_CREDENTIAL_PROCESS=no", .says = "switched off"},
        {"after the credentials file", PROGRAM("./fail"), .credentials = "[default]\n" PLAIN("IDFILE"),
         .id = "IDFILE", .says = "profile default in"},
        {"before keys in the config file",
         .config = "[default]\n" PLAIN("IDCONFIG") "credential_process = ./until " FUTURE "\n", .id = "IDU",
         .says = "credential_process"},
    };

    put_file("print", "#!/bin/sh\n"
                      "[ $# = 4 ] && [ \"$1\" = 'a b' ] && [ \"$2\" = 'c \"d\" \\x' ] && [ \"$3\" = 'e f' ] &&\n"
                      "[ \"$4\" = ghi ] && ! read -r line &&\n"
                      "echo '{\"Version\":1,\"AccessKeyId\":\"IDP\",\"SecretAccessKey\":\"canary-secret\",'"
                      "'\"SessionToken\":\"canary-token\",\"Expiration\":null}'\n");
    put_file("fail", "#!/bin/sh\necho no, not today >&2\nexit 3\n");
    put_file("linger", "#!/bin/sh\nexec sleep 1000 >&- 2>&-\n");
    put_file("die", "#!/bin/sh\nkill -TERM $$\n");
    put_file("until", "#!/bin/sh\n"
                      "echo '{\"Version\":1,\"AccessKeyId\":\"IDU\",\"SecretAccessKey\":\"canary-secret\",'"
                      "'\"Expiration\":\"'$1'\"}'\n");
    put_file("flood", "#!/bin/sh\nhead -c 1000000 /dev/zero\nhead -c 1000000 /dev/zero >&2\n");
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(chmod((const char *[]){"print", "fail", "die", "until", "flood", "linger"}[i], 0755), 0);
    check_rows(rows, NCZ_LEN(rows));
}

/* ---- containers and machines ---- */

TEST_IN_SANDBOX(containers_give_keys)
{
    const row rows[] = {
        {"relative", .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/credentials/x",
         .script = SCRIPT({"GET", "http://169.254.170.2/v2/credentials/x", {NULL}, 200, KEYS("IDC")}), .id = "IDC",
         .says = "the container's credential service", .token = true},
        {"full, with a token",
         .env = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:1/x "
                "AWS_CONTAINER_AUTHORIZATION_TOKEN=canary-auth",
         .script = SCRIPT({"GET", "http://127.0.0.1:1/x", {"Authorization: canary-auth"}, 200, KEYS("IDC")}),
         .id = "IDC", .says = "container", .token = true},
        {"token of a file",
         .env = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.23/v1/credentials "
                "AWS_CONTAINER_AUTHORIZATION_TOKEN=other AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=token",
         .script = SCRIPT(
             {"GET", "http://169.254.170.23/v1/credentials", {"Authorization: canary-file"}, 200, KEYS("IDC")}),
         .id = "IDC", .says = "container", .token = true},
        {"after files", .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x",
         .credentials = "[default]\n" PLAIN("IDFILE"), .id = "IDFILE", .says = "profile default"},
        {"another host", .env = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://evil.example/x", .rc = NC_EAUTH,
         .says = "neither https nor"},
        {"a host that looks like loopback",
         .env = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1.evil.example/x", .rc = NC_EAUTH,
         .says = "neither https nor"},
        {"a user in the URL", .env = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1@evil.example/x",
         .rc = NC_EAUTH, .says = "neither https nor"},
        {"another scheme", .env = "AWS_CONTAINER_CREDENTIALS_FULL_URI=file:///etc/passwd", .rc = NC_EAUTH,
         .says = "neither https nor"},
        {"no path", .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=@evil.example/x", .rc = NC_EAUTH,
         .says = "does not begin with"},
        {"a token with a line break",
         .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x "
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=broken",
         .rc = NC_EAUTH, .says = "line break"},
        {"no token file",
         .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x "
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=nowhere",
         .rc = NC_EAUTH, .says = "nowhere does not exist"},
        {"refused", .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x",
         .script = SCRIPT({"GET", "http://169.254.170.2/x", {NULL}, 404, "{\"code\":\"x\"}"}), .rc = NC_EAUTH,
         .says = "status 404"},
        {"no answer", .env = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x",
         .script = SCRIPT({"GET", "http://169.254.170.2/x", {NULL}, 0, NULL}), .rc = NC_EAUTH,
         .says = "does not answer"},
    };

    put_file("token", "canary-file");
    put_file("broken", "canary-file\r\nX-Evil: 1");
    check_rows(rows, NCZ_LEN(rows));
}

#define META(n) "http://meta" n "/latest/"
#define AT(n)   "AWS_EC2_METADATA_DISABLED=false AWS_EC2_METADATA_SERVICE_ENDPOINT=http://meta" n
#define ROLES   "meta-data/iam/security-credentials/"

TEST_IN_SANDBOX(machines_give_keys)
{
    const row rows[] = {
        {"version 2", .env = AT("1/"),
         .script = SCRIPT({"PUT", META("1") "api/token", {"x-aws-ec2-metadata-token-ttl-seconds: 21600"}, 200, "tok"},
                          {"GET", META("1") ROLES, {"x-aws-ec2-metadata-token: tok"}, 200, "role-1\n"},
                          {"GET", META("1") ROLES "role-1", {"x-aws-ec2-metadata-token: tok"}, 200, KEYS("IDM")}),
         .id = "IDM", .says = "the metadata service of EC2", .token = true},
        {"asked for by name, whatever the endpoint", .url = "http://h/b/k#mode=s3", .env = AT("1"),
         .script =
             SCRIPT({"PUT", META("1") "api/token", {NULL}, 200, "tok"}, {"GET", META("1") ROLES, {NULL}, 200, "r"},
                    {"GET", META("1") ROLES "r", {NULL}, 200, KEYS("IDM")}),
         .id = "IDM", .says = "EC2", .token = true},
        {"version 1", .env = AT("1"),
         .script = SCRIPT({"PUT", META("1") "api/token", {NULL}, 404, ""}, {"GET", META("1") ROLES, {NULL}, 200, "r"},
                          {"GET", META("1") ROLES "r", {NULL}, 200, KEYS("IDM")}),
         .id = "IDM", .says = "EC2", .token = true},
        {"version 1 is not wanted", .env = AT("1") " AWS_EC2_METADATA_V1_DISABLED=true",
         .script = SCRIPT({"PUT", META("1") "api/token", {NULL}, 403, ""}), .says = "gives no token (status 403)"},
        {"bad request", .env = AT("1"), .script = SCRIPT({"PUT", META("1") "api/token", {NULL}, 400, ""}),
         .says = "gives no token (status 400)"},
        {"no role", .env = AT("1"),
         .script =
             SCRIPT({"PUT", META("1") "api/token", {NULL}, 200, "tok"}, {"GET", META("1") ROLES, {NULL}, 404, ""}),
         .says = "has no role"},
        {"an odd role", .env = AT("1"),
         .script = SCRIPT({"PUT", META("1") "api/token", {NULL}, 200, "tok"},
                          {"GET", META("1") ROLES, {NULL}, 200, "../../x"}),
         .rc = NC_EAUTH, .says = "is malformed"},
        {"in trouble", .env = AT("1"),
         .script =
             SCRIPT({"PUT", META("1") "api/token", {NULL}, 200, "tok"}, {"GET", META("1") ROLES, {NULL}, 200, "r"},
                    {"GET", META("1") ROLES "r", {NULL}, 200, "{\"Code\":\"AssumeRoleUnauthorizedAccess\"}"}),
         .rc = NC_EAUTH, .says = "AssumeRoleUnauthorizedAccess"},
        {"nobody there", .env = AT("2"), .script = SCRIPT({"PUT", META("2") "api/token", {NULL}, 0, NULL}),
         .says = "there is no metadata service"},
        {"and not asked again", .env = AT("2"), .says = "there is no metadata service"},
        {"but another is", .env = AT("3"), .script = SCRIPT({"PUT", META("3") "api/token", {NULL}, 0, NULL}),
         .says = "there is no metadata service"},
        {"off", .env = "AWS_EC2_METADATA_DISABLED=true", .says = "AWS_EC2_METADATA_DISABLED is set"},
        {"the usual address", .env = "AWS_EC2_METADATA_DISABLED=false",
         .script = SCRIPT({"PUT", "http://169.254.169.254/latest/api/token", {NULL}, 400, ""}), .says = "no token"},
    };

    check_rows(rows, NCZ_LEN(rows));
}

/* ---- when keys are fetched again ---- */

static char fetched[4][512];

/* As many answers of a container as are wanted, each with its own id and end. */
static exchange
answer(size_t i, const char *id, int64_t left)
{
    time_t    t = (time_t)(ncz_creds_now() + left);
    struct tm tm;
    char      until[32];

    gmtime_r(&t, &tm);
    strftime(until, sizeof until, "%Y-%m-%dT%H:%M:%SZ", &tm);
    snprintf(fetched[i], sizeof fetched[i],
             "{\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"s\",\"Token\":\"t\",\"Expiration\":"
             "\"%s\"}",
             id, until);
    return (exchange){"GET", "http://169.254.170.2/x", {NULL}, 200, fetched[i]};
}

static const char *
id_now(ncz_creds *c, bool refresh)
{
    static char       id[NCZ_ERR_TEXT];
    ncz_s3_access_key keys;
    int               rc = ncz_creds_get(c, refresh, NCZ_CREDS_REQUIRED, &keys, NULL);

    snprintf(id, sizeof id, "%s", rc == NC_NOERR ? keys.id : ncz_err_text());
    ncz_s3_access_key_clear(&keys);
    return id;
}

TEST_IN_SANDBOX(kept_and_shared)
{
    ncz_s3_settings *a = NULL, *b = NULL, *c = NULL;
    exchange         all[] = {answer(0, "ID0", 3600), answer(1, "ID1", 3600)};

    set_all("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x");
    set_script(all, 2);
    assert_int_equal(creds_of("s3://b/k", &a), NC_NOERR);
    assert_int_equal(creds_of("s3://c/other", &b), NC_NOERR);
    assert_ptr_equal(a->creds, b->creds);
    assert_string_equal(id_now(a->creds, false), "ID0");
    assert_string_equal(id_now(b->creds, false), "ID0");
    assert_string_equal(id_now(a->creds, true), "ID0"); /* they have just come */
    assert_int_equal(asked, 1);
    set_all("AWS_SESSION_TOKEN=x");
    assert_int_equal(creds_of("s3://b/k", &c), NC_NOERR);
    assert_ptr_not_equal(a->creds, c->creds);
    ncz_s3_settings_free(a);
    assert_string_equal(id_now(b->creds, false), "ID0");
    ncz_s3_settings_free(b);
    ncz_s3_settings_free(c);
    clean_environment();
    set_all("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x");
    assert_int_equal(creds_of("s3://b/k", &a), NC_NOERR); /* nobody kept them */
    assert_string_equal(id_now(a->creds, false), "ID1");
    ncz_s3_settings_free(a);
}

/* A read's first try gets the keys of every source but the metadata service. */
TEST_IN_SANDBOX(left_for_later)
{
    static const exchange all[] = {
        {"PUT", META("5") "api/token", {NULL}, 200, "tok"},
        {"GET", META("5") ROLES, {NULL}, 200, "r"},
        {"GET", META("5") ROLES "r", {NULL}, 200, KEYS("IDM")},
    };
    ncz_s3_settings  *s = NULL;
    ncz_s3_access_key keys;
    ncz_buf           why = NCZ_BUF_INIT;

    set_all(AT("5"));
    set_script(all, 3);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_AT_HAND, &keys, NULL), NC_NOERR);
        assert_null(keys.id);
    }
    assert_int_equal(asked, 0);
    assert_string_equal(id_now(s->creds, false), "IDM");
    assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_AT_HAND, &keys, NULL), NC_NOERR);
    assert_null(keys.id); /* another bucket may be public */
    assert_string_equal(id_now(s->creds, false), "IDM");
    assert_int_equal(asked, 3);
    ncz_s3_settings_free(s);

    /* Keys of another source are at hand, and so is the answer that there are none. */
    set_all(ENV);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_AT_HAND, &keys, NULL), NC_NOERR);
    assert_string_equal(keys.id, "IDENV");
    ncz_s3_access_key_clear(&keys);
    ncz_s3_settings_free(s);
    clean_environment();
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_AT_HAND, &keys, &why), NC_NOERR);
    assert_null(keys.id);
    assert_non_null(strstr(ncz_buf_str(&why), "AWS_EC2_METADATA_DISABLED is set"));
    ncz_buf_clear(&why);
    ncz_s3_settings_free(s);

    /* A role whose profile names the service waits for nobody. */
    set_all(AT("6"));
    put_file(".aws/config", "[default]\n" ROLE "credential_source = Ec2InstanceMetadata\n");
    set_script((const exchange[]){{"PUT", META("6") "api/token", {NULL}, 400, ""}}, 1);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_int_equal(ncz_creds_get(s->creds, false, NCZ_CREDS_AT_HAND, &keys, NULL), NC_EAUTH);
    assert_int_equal(asked, 1);
    ncz_s3_settings_free(s);
}

static void *
ask_too(void *creds)
{
    ncz_s3_access_key keys;

    if (ncz_creds_get(creds, false, NCZ_CREDS_REQUIRED, &keys, NULL) != NC_NOERR || strcmp(keys.id, "ID0") != 0)
        return creds;
    ncz_s3_access_key_clear(&keys);
    return NULL;
}

TEST_IN_SANDBOX(threads_fetch_once)
{
    ncz_s3_settings *s = NULL;
    exchange         all[] = {answer(0, "ID0", 3600)};
    pthread_t        threads[8];
    void            *bad = NULL;

    set_all("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x");
    set_script(all, 1);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_too, s->creds), 0);
    for (size_t i = 0; i < NCZ_LEN(threads); i++) {
        void *one;

        assert_int_equal(pthread_join(threads[i], &one), 0);
        bad = one != NULL ? one : bad;
    }
    assert_null(bad);
    assert_int_equal(asked, 1);
    ncz_s3_settings_free(s);
}

static void *
ask_slowly(void *creds)
{
    ncz_s3_access_key keys;
    int               rc = ncz_creds_get(creds, false, NCZ_CREDS_REQUIRED, &keys, NULL);

    ncz_s3_access_key_clear(&keys);
    return rc == NC_NOERR ? NULL : creds;
}

/* The thread that fetches is not in the child, which therefore does not wait for it. */
TEST_IN_SANDBOX(fork_while_one_fetches)
{
    ncz_s3_settings *s = NULL;
    pthread_t        threads[2];
    void            *bad = NULL;
    pid_t            child;
    int              status;

    put_file("slow", "#!/bin/sh\nmkdir first 2>/dev/null && sleep 2\n"
                     "echo '{\"Version\":1,\"AccessKeyId\":\"IDU\",\"SecretAccessKey\":\"s\"}'\n");
    assert_int_equal(chmod("slow", 0755), 0);
    put_file(".aws/config", "[default]\ncredential_process = ./slow\n");
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(threads); i++) /* one asks, the other waits */
        assert_int_equal(pthread_create(&threads[i], NULL, ask_slowly, s->creds), 0);
    while (access("first", F_OK) != 0)
        usleep(1000);
    usleep(50000);
    if ((child = fork()) == 0) {
        alarm(60);
        _exit(ask_slowly(s->creds) == NULL && ask_slowly(s->creds) == NULL ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (size_t i = 0; i < NCZ_LEN(threads); i++) {
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    ncz_s3_settings_free(s);
}

/* Keys that have ended are useless at once; a file is read again. */
TEST_IN_SANDBOX(fetched_again)
{
    ncz_s3_settings *s = NULL;
    exchange         all[] = {answer(0, "ID0", -1), answer(1, "ID1", 300)};

    set_all("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x");
    set_script(all, 2);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_string_equal(id_now(s->creds, false), "ID0");
    assert_string_equal(id_now(s->creds, false), "ID1");
    assert_string_equal(id_now(s->creds, false), "ID1");
    assert_int_equal(asked, 2);
    ncz_s3_settings_free(s);
}

/* EC2's are used on when the service has nothing better. */
TEST_IN_SANDBOX(used_beyond_their_end)
{
    ncz_s3_settings *s = NULL;
    exchange         old = answer(0, "ID0", -10);
    const exchange   all[] = {
          {"PUT", META("9") "api/token", {NULL}, 200, "tok"},
          {"GET", META("9") ROLES, {NULL}, 200, "r"},
          {"GET", META("9") ROLES "r", {NULL}, 200, old.reply},
    };

    set_all(AT("9"));
    set_script(all, 3);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_string_equal(id_now(s->creds, false), "ID0");
    assert_string_equal(id_now(s->creds, false), "ID0");
    assert_int_equal(asked, 3);
    ncz_s3_settings_free(s);
}

TEST_IN_SANDBOX(failures_are_not_kept)
{
    ncz_s3_settings *s = NULL;
    exchange         all[] = {{"GET", "http://169.254.170.2/x", {NULL}, 500, ""}, answer(1, "ID1", 3600)};

    set_all("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x");
    set_script(all, 2);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_non_null(strstr(id_now(s->creds, false), "status 500"));
    assert_string_equal(id_now(s->creds, false), "ID1");
    ncz_s3_settings_free(s);
}

/* ---- times, memory ---- */

TEST_IN_SANDBOX(times_of_expiry_are_parsed)
{
    static const struct {
        const char *text;
        int64_t     t; /* -1: none */
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2099-01-01T00:00:00Z", FUTURE_S},
        {"2099-01-01T00:00:00UTC", FUTURE_S},
        {"2099-01-01T01:00:00+01:00", FUTURE_S},
        {"2098-12-31T23:30:00-0030", FUTURE_S},
        {"2099-01-01 00:00:00", FUTURE_S},
        {"2099-01-01T00:00:00.123456Z", FUTURE_S},
        {"", -1},
        {"tomorrow", -1},
        {"2099-13-01T00:00:00Z", -1},
        {"2099-01-01", -1},
        {"2099-01-01T00:00:00Zoo", -1},
        {"2099-01-01T00:00", -1},
        {"2099-01-01T00:00:00+1", -1},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        int64_t t = -1;

        assert_true(ncz_creds_parse_time(rows[i].text, &t) == (rows[i].t >= 0));
        assert_int_equal(t, rows[i].t);
    }
}

static void
check_memory(const exchange *all, size_t nall)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_s3_settings  *s = NULL;
        ncz_s3_access_key keys = {.id = NULL};

        set_script(all, nall);
        assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
        fail_allocation(n);
        rc = ncz_creds_get(s->creds, false, NCZ_CREDS_REQUIRED, &keys, NULL);
        fail_allocation(0);
        if (rc != NC_NOERR && rc != NC_ENOMEM)
            print_message("allocation %zu: %d %s\n", n, rc, ncz_err_text());
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true((keys.id != NULL) == (rc == NC_NOERR));
        assert_true(n < 2000);
        ncz_s3_access_key_clear(&keys);
        ncz_s3_settings_free(s);
    }
}

TEST_IN_SANDBOX(memory_runs_out)
{
    static const exchange sts[] = {{"POST", STS_HOST, {NULL}, 200, STS("AssumeRole", "IDROLE")}};
    static const exchange sso[] = {{"GET", PORTAL, {NULL}, 200, SSO_KEYS}};
    static const exchange ec2[] = {
        {"PUT", META("7") "api/token", {NULL}, 200, "tok"},
        {"GET", META("7") ROLES, {NULL}, 200, "r"},
        {"GET", META("7") ROLES "r", {NULL}, 200, KEYS("IDM")},
    };

    put_file(".aws/config", "[default]\n" ROLE "source_profile = b\n[profile b]\n" PLAIN("IDB"));
    check_memory(sts, 1);
    put_file(".aws/config", NEW_SSO SESSION);
    put_token("my-session", "{\"accessToken\":\"canary-bearer\",\"expiresAt\":\"" FUTURE "\"}");
    check_memory(sso, 1);
    put_file("until", "#!/bin/sh\necho '{\"Version\":1,\"AccessKeyId\":\"IDU\",\"SecretAccessKey\":\"s\"}'\n");
    assert_int_equal(chmod("until", 0755), 0);
    put_file(".aws/config", "[default]\ncredential_process = ./until 'a b'\n");
    check_memory(NULL, 0);
    put_file(".aws/config", "");
    set_all(AT("7"));
    check_memory(ec2, 3);
}

/* ---- many threads ---- */

enum { OPENERS = 4, OPENINGS = 200 };

/* Opens and closes, in turn, what all use and what is its own. */
static void *
open_and_close(void *arg)
{
    char own[80];

    snprintf(own, sizeof own, "s3://b/k#aws.access_key_id=ID%c&aws.secret_access_key=s", *(const char *)arg);
    for (int i = 0; i < OPENINGS; i++) {
        ncz_s3_settings  *s = NULL;
        ncz_s3_access_key keys = {.id = NULL};
        const char       *wanted = i % 2 == 0 ? "ID0" : strstr(own, "ID");
        bool              good;

        good = creds_of(i % 2 == 0 ? "s3://b/k" : own, &s) == NC_NOERR &&
               ncz_creds_get(s->creds, false, NCZ_CREDS_REQUIRED, &keys, NULL) == NC_NOERR &&
               strncmp(keys.id, wanted, 3) == 0;
        ncz_s3_access_key_clear(&keys);
        ncz_s3_settings_free(s);
        if (!good)
            return arg;
    }
    return NULL;
}

/* What one keeps open stays, whatever others close, and goes with the last. */
TEST_IN_SANDBOX(threads_open_and_close)
{
    ncz_s3_settings *s = NULL;
    exchange         all[] = {answer(0, "ID0", 3600), answer(1, "ID1", 3600)};
    pthread_t        threads[OPENERS];
    static char      names[OPENERS] = {'a', 'b', 'c', 'd'};
    void            *bad = NULL;

    set_all("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x");
    set_script(all, 2);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_string_equal(id_now(s->creds, false), "ID0");
    for (size_t i = 0; i < OPENERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &names[i]), 0);
    for (size_t i = 0; i < OPENERS; i++) {
        void *one;

        assert_int_equal(pthread_join(threads[i], &one), 0);
        bad = one != NULL ? one : bad;
    }
    assert_null(bad);
    assert_int_equal(asked, 1);
    ncz_s3_settings_free(s);
    assert_int_equal(creds_of("s3://b/k", &s), NC_NOERR);
    assert_string_equal(id_now(s->creds, false), "ID1");
    ncz_s3_settings_free(s);
}

/* `threads`: the tests of threads alone, for ThreadSanitizer. */
int
main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0)
        cmocka_set_test_filter("threads_*");
    return run_file_tests(NULL, NULL);
}
