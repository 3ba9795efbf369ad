/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who asks: headers, tokens and passwords go to the server that they are for and to no other; a login leads to another
 * server and back, once for all requests; the keys of a bucket come from a server that wants one, and are renewed; no
 * text has a secret. The servers are three on loopback: that of the data, that of the logins, and a stranger.
 */
#include "s3/served.h"

#define WORD  "Basic bWU6Y2FuYXJ5LXdvcmQ=" /* me:canary-word */
#define NETRC "machine localhost login me password canary-word\n"

typedef enum wants { NOTHING, COOKIE, BASIC, HEADERS } wants;

static struct servers {
    stub    *data, *login, *stranger;
    wants    wants;
    bool     to_stranger;  /* chunks are there */
    bool     leads_astray; /* the login leads to the stranger */
    bool     forgets;      /* the server does not take its cookie */
    unsigned logins, keys, stranger_secrets;
    unsigned expired; /* so many times keys are given that have expired */
} all;

static bool
has(const stub_request *req, const char *name, const char *value)
{
    char *text = stub_header(req, name);
    bool  yes = text != NULL && strstr(text, value) != NULL;

    free(text);
    return yes;
}

static void
redirect(stub_reply *reply, const stub *to, const char *host, const char *path)
{
    char url[300];

    snprintf(url, sizeof url, "http://%s:%u%s", host, stub_port(to), path);
    stub_say(reply, 302, "");
    stub_add(reply, "Location", url);
}

/* The way back from a login. */
static void
take_code(const stub_request *req, stub_reply *reply)
{
    if (!stub_query(req, "code=canary-code") || !has(req, "cookie", "state=canary-state") ||
        has(req, "authorization", "Basic")) {
        stub_say(reply, 400, "");
        return;
    }
    redirect(reply, all.data, "127.0.0.1", "/d.zarr/.zgroup");
    stub_add(reply, "Set-Cookie", "session=canary-session; Path=/; HttpOnly");
    stub_add(reply, "Set-Cookie", "state=; Max-Age=0");
}

static bool
is_admitted(const stub_request *req)
{
    switch (all.wants) {
    case COOKIE: return !all.forgets && has(req, "cookie", "session=canary-session") && !has(req, "cookie", "state");
    case BASIC: return has(req, "authorization", WORD);
    case HEADERS: return has(req, "x-key", "canary-key") && has(req, "authorization", "Bearer canary-token");
    default: return true;
    }
}

static void
give_keys(stub_reply *reply)
{
    char text[300];

    snprintf(text, sizeof text,
             "{\"accessKeyId\": \"ID%u\", \"secretAccessKey\": \"canary-secret\", \"sessionToken\": \"canary-%u\", "
             "\"expiration\": \"%s-01-01 00:00:00+00:00\"}",
             all.keys, all.keys, all.keys < all.expired ? "2020" : "2099");
    all.keys++;
    stub_say(reply, 200, text);
}

static void
answer_data(const stub_request *req, stub_reply *reply, void *arg)
{
    char *path = stub_path(req);

    (void)arg;
    if (strcmp(path, "/login") == 0) {
        take_code(req, reply);
    } else if (!is_admitted(req) && all.wants == COOKIE) {
        redirect(reply, all.login, "localhost", "/oauth/authorize?client_id=x&redirect_uri=y");
        stub_add(reply, "Set-Cookie", "state=canary-state");
    } else if (!is_admitted(req)) {
        stub_say(reply, 401, "");
        stub_add(reply, "WWW-Authenticate", "Basic realm=\"data\"");
    } else if (strcmp(path, "/s3credentials") == 0) {
        give_keys(reply);
    } else if (all.to_stranger && strstr(path, "/v/") != NULL && strchr(path, '.') == strstr(path, ".zarr")) {
        redirect(reply, all.stranger, "127.0.0.1", path);
    } else {
        served_answer(req, reply);
    }
    free(path);
}

static void
answer_login(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    all.logins++;
    if (has(req, "cookie", "canary") || has(req, "x-key", "canary")) {
        stub_say(reply, 500, "");
    } else if (!has(req, "authorization", WORD)) {
        stub_say(reply, 401, "");
    } else if (all.leads_astray) {
        redirect(reply, all.stranger, "127.0.0.1", "/login?code=canary-code");
    } else {
        redirect(reply, all.data, "127.0.0.1", "/login?code=canary-code");
    }
}

static void
answer_stranger(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    all.stranger_secrets += strstr(req->head, "canary") != NULL || strstr(req->target, "canary") != NULL;
    served_answer(req, reply);
}

/* A bucket that admits keys which have not expired. */
static void
answer_bucket(const stub_request *req, stub_reply *reply, void *arg)
{
    char    *token = stub_header(req, "x-amz-security-token"), *by = stub_header(req, "authorization");
    unsigned n = 0, id = 0;

    (void)arg;
    if (token != NULL && by != NULL && sscanf(token, "canary-%u", &n) == 1 && n >= all.expired &&
        sscanf(by, "AWS4-HMAC-SHA256 Credential=ID%u/", &id) == 1 && id == n)
        served_answer(req, reply);
    else
        stub_fault(reply, 403, "AccessDenied");
    free(token);
    free(by);
}

/* ---- the environment of a test ---- */

static void
put_text(const char *name, const char *variable, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", served_folder, name);
    scratch_write(path, text, strlen(text));
    setenv(variable, path, 1);
}

/* `rc`: with the port of the data's server at its first %u, and at the second. */
static void
begin(wants what, const char *netrc, const char *rc)
{
    char text[500], full[800];

    served_make("");
    all = (struct servers){.wants = what};
    all.data = stub_start(answer_data, NULL);
    all.login = stub_start(answer_login, NULL);
    all.stranger = stub_start(answer_stranger, NULL);
    assert_true(all.data != NULL && all.login != NULL && all.stranger != NULL);
    setenv("HOME", served_folder, 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    put_text("netrc", "NETRC", netrc);
    snprintf(text, sizeof text, rc, stub_port(all.data), stub_port(all.data)); /* NOLINT: the tests' own texts */
    snprintf(full, sizeof full, "[http://127.0.0.1:%u]NCZARR.HTTP.LOGIN=http://localhost:%u\n%s", stub_port(all.data),
             stub_port(all.login), text);
    put_text("rc", "NCRCENV_RC", full);
}

static void
end(void)
{
    assert_int_equal(all.stranger_secrets, 0);
    stub_stop(all.data);
    stub_stop(all.login);
    stub_stop(all.stranger);
    served_end();
}

static int
read_data(const char *more)
{
    char url[200];
    int  rc;

    served_url(url, all.data, false, more);
    rc = served_read(url);
    if (strstr(served_message, "canary") != NULL)
        fail_msg("a secret: %s", served_message);
    return rc;
}

#define assert_said(text)                                                                                            \
    do {                                                                                                             \
        if (strstr(served_message, text) == NULL)                                                                    \
            fail_msg("not said: %s: %s", text, served_message);                                                      \
    } while (0)

/* ---- logins ---- */

TEST(a_login_leads_there_and_back_once)
{
    begin(COOKIE, "# mine\n" NETRC, "");
    assert_int_equal(read_data(""), NC_NOERR);
    assert_int_equal(all.logins, 1);
    end();
}

TEST(a_login_without_an_entry_says_what_to_write)
{
    begin(COOKIE, "default login me password canary-word\nmachine other login me password canary-word\n", "");
    assert_int_equal(read_data(""), NC_EAUTH);
    assert_said("machine localhost login NAME password WORD");
    assert_int_equal(all.logins, 0);
    end();
}

TEST(a_wrong_password_is_sent_once)
{
    begin(COOKIE, "machine localhost login me password canary-wrong\n", "");
    assert_int_equal(read_data(""), NC_EAUTH);
    assert_said("does not accept the name and password in");
    assert_int_equal(all.logins, 1);
    end();
}

TEST(a_login_that_leads_elsewhere_is_not_followed)
{
    begin(COOKIE, NETRC, "");
    all.leads_astray = true;
    assert_int_equal(read_data(""), NC_EAUTH);
    assert_said("not followed");
    assert_int_equal(stub_requests(all.stranger), 0);
    end();
}

TEST(a_server_that_forgets_its_login_is_not_asked_for_ever)
{
    begin(COOKIE, NETRC, "");
    all.forgets = true;
    assert_int_equal(read_data(""), NC_EAUTH);
    assert_said("asks for a login again");
    assert_true(all.logins <= 4);
    end();
}

/* ---- passwords, headers, tokens ---- */

TEST(a_password_answers_a_challenge)
{
    begin(BASIC, "machine 127.0.0.1\n\tlogin me\n\tpassword \"canary-word\"\n", "");
    assert_int_equal(read_data(""), NC_NOERR);
    end();
    begin(BASIC, "machine 127.0.0.1 login me password canary-wrong\n", "");
    assert_int_equal(read_data(""), NC_EAUTH);
    assert_said("does not accept the name and password");
    end();
    begin(BASIC, "", "");
    assert_int_equal(read_data(""), NC_EAUTH);
    assert_said("give a token");
    end();
}

TEST(headers_and_a_token_are_sent_to_their_server_only)
{
    begin(HEADERS, "", "");
    all.to_stranger = true;
    assert_int_equal(read_data("&header=X-Key:%20canary-key&token=canary-token"), NC_NOERR);
    assert_true(stub_requests(all.stranger) > 0);
    assert_int_equal(read_data("&header=X-Key:%20canary-key&token=canary-other"), NC_EAUTH);
    assert_said("does not accept the token");
    end();
    begin(HEADERS, "",
          "[http://127.0.0.1:%u]NCZARR.HTTP.HEADER=X-Key: canary-key\n"
          "[http://127.0.0.1:%u/d.zarr]NCZARR.HTTP.TOKEN=canary-token\n");
    all.to_stranger = true;
    assert_int_equal(read_data(""), NC_NOERR);
    end();
}

TEST(headers_that_are_none_or_have_no_server_are_refused)
{
    begin(HEADERS, "", "NCZARR.HTTP.HEADER=X-Key: canary-key\n");
    assert_int_equal(read_data(""), NC_EINVAL);
    assert_said("every server");
    end();
    begin(HEADERS, "", "[https://127.0.0.1:%u]NCZARR.HTTP.TOKEN=canary-token\n");
    assert_int_equal(read_data("&header=X-Key:canary-key"), NC_EAUTH); /* that line is of https */
    assert_int_equal(read_data("&header=canary-key"), NC_EINVAL);
    assert_int_equal(read_data("&header=X-Key:%20canary%0D%0AHost:%20x"), NC_EINVAL);
    assert_int_equal(read_data("&header=Range:%20canary"), NC_EINVAL);
    assert_int_equal(read_data("&token=canary%20token"), NC_EAUTH);
    end();
}

/* A set reaches a server that wants a login; that of another server gets nothing. */
TEST(a_set_of_references_logs_in_where_it_may_read)
{
    static const char head[] =
        "{\".zgroup\": {\"zarr_format\": 2}, \"v/.zarray\": {\"zarr_format\": 2, \"shape\": [4], "
        "\"chunks\": [2], \"dtype\": \"|u1\", \"compressor\": null, \"filters\": null, "
        "\"fill_value\": null, \"order\": \"C\"}, \"v/.zattrs\": {\"_ARRAY_DIMENSIONS\": [\"x\"]}, ";
    unsigned char v[4];
    char          text[800], path[300];
    int           nc;

    begin(COOKIE, NETRC, "");
    scratch_write(strcat(strcpy(path, served_folder), "/d.bin"), "\1\2\3\4", 4);
    snprintf(text, sizeof text,
             "%s\"v/0\": [\"http://127.0.0.1:%u/d.bin\", 0, 2], \"v/1\": [\"http://127.0.0.1:%u/d.bin\", 2, 2]}",
             head, stub_port(all.data), stub_port(all.stranger));
    scratch_write(strcat(strcpy(path, served_folder), "/set.json"), text, strlen(text));
    snprintf(path, sizeof path, "%s/set.json#allow=http://127.0.0.1:%u&header=X-Key:%%20canary-key", served_folder,
             stub_port(all.data));
    assert_int_equal(nczarr_allow(NULL), NC_NOERR);
    snprintf(text, sizeof text, "http://127.0.0.1:%u", stub_port(all.stranger));
    assert_int_equal(nczarr_allow(text), NC_NOERR);
    assert_int_equal(nc_open(path, NC_NOWRITE, &nc), NC_NOERR);
    if (nc_get_var_uchar(nc, 0, v) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    assert_true(v[0] == 1 && v[3] == 4);
    assert_int_equal(nc_close(nc), NC_NOERR);
    assert_int_equal(all.logins, 1);
    assert_true(stub_requests(all.stranger) > 0);
    assert_int_equal(nczarr_allow(NULL), NC_NOERR);
    end();
}

/* Nor does a path that is a file's say what it has behind it. */
TEST(a_local_path_keeps_its_header_to_itself)
{
    int nc;

    assert_int_equal(nc_open("no-such.json#mode=kerchunk&header=X-Key: canary-key", NC_NOWRITE, &nc), NC_ENOOBJECT);
    assert_null(strstr(nczarr_errmsg(), "canary"));
}

/* ---- keys of a bucket ---- */

static int
read_bucket(const stub *bucket, const char *more)
{
    char url[400];
    int  rc;

    snprintf(url, sizeof url, "http://127.0.0.1:%u/bucket/d.zarr#mode=nczarr,s3%s", stub_port(bucket), more);
    rc = served_read(url);
    if (strstr(served_message, "canary") != NULL)
        fail_msg("a secret: %s", served_message);
    return rc;
}

TEST(keys_come_from_a_server_that_wants_a_login_and_are_renewed)
{
    char  more[100], rc[200];
    stub *bucket = stub_start(answer_bucket, NULL);

    assert_non_null(bucket);
    begin(COOKIE, NETRC, "");
    all.expired = 2;
    snprintf(more, sizeof more, "&s3credentials=http://127.0.0.1:%u/s3credentials", stub_port(all.data));
    assert_int_equal(read_bucket(bucket, more), NC_EACCESS); /* the first keys have expired */
    assert_int_equal(all.logins, 1);
    for (int i = 0; i < 3 && read_bucket(bucket, more) != NC_NOERR; i++)
        ;
    assert_int_equal(read_bucket(bucket, more), NC_NOERR);
    end();
    begin(COOKIE, NETRC, "");
    snprintf(rc, sizeof rc,
             "[http://127.0.0.1:%u]NCZARR.HTTP.LOGIN=http://localhost:%u\n"
             "[http://127.0.0.1:%u/bucket]NCZARR.S3CREDENTIALS=http://127.0.0.1:%u/s3credentials\n",
             stub_port(all.data), stub_port(all.login), stub_port(bucket), stub_port(all.data));
    put_text("rc", "NCRCENV_RC", rc);
    assert_int_equal(read_bucket(bucket, ""), NC_NOERR);
    assert_int_equal(all.keys, 1);
    put_text("netrc", "NETRC", "machine localhost login me password canary-wrong\n");
    assert_int_equal(read_bucket(bucket, ""), NC_EAUTH);
    assert_said("does not accept the name and password");
    assert_int_equal(read_bucket(bucket, "&s3credentials=http://data.example/s3credentials"), NC_EINVAL);
    assert_said("not an https URL");
    end();
    stub_stop(bucket);
}
