/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of a bucket and of a web server: each request with its answer, where the credentials come from, and never a
 * secret: not of the environment, not of a URL's query, user or fragment, not where the server repeats it.
 */
#include "s3/served.h"
#include "s3/s3_help.h"
#include "support/logged.h"

#define ID     "AKIDSECRET0000000001"
#define SECRET "topsecret/of+the/environment"
#define TOKEN  "sessionsecret=="
#define QUERY  "querysecret"

typedef struct answer {
    int status; /* 0: what there is */
} answer;

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    const answer *a = arg;

    if (a->status == 0)
        served_answer(req, reply);
    else
        stub_say(reply, a->status,
                 "<Error><Code>AccessDenied</Code><Message>signature=" SECRET " of http://me:topsecret"
                 "@host/x?X-Amz-Signature=" SECRET "</Message></Error>");
}

static void
set_credentials(bool on)
{
    static const char *const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"};
    static const char *const values[] = {ID, SECRET, TOKEN};

    for (size_t i = 0; i < 3; i++) {
        if (on)
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    }
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("HOME", served_folder, 1);
}

/* What an open and a read write at this level. */
static char *
read_at(int level, const char *url, int want)
{
    logged l;
    int    rc;

    assert_int_equal(nc_set_log_level(level), NC_NOERR);
    logged_begin(&l);
    rc = served_read(url);
    assert_int_equal(nc_set_log_level(-1), NC_NOERR);
    if (rc != want)
        fail_msg("%d: %s\n%s", rc, served_message, logged_end(&l));
    return logged_end(&l);
}

static void
has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no \"%s\" in\n%s", part, text);
}

static void
has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" in\n%s", part, text);
}

static void
no_secrets(const char *text)
{
    has_not(text, ID);
    has_not(text, "topsecret");
    has_not(text, "sessionsecret");
    has_not(text, QUERY);
}

TEST(the_log_of_a_bucket_names_server_and_credentials)
{
    answer a = {0};
    stub  *server;
    char   url[200], *text;

    served_make("");
    set_credentials(true);
    server = stub_start(serve, &a);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/bucket/d.zarr#mode=nczarr,s3", stub_port(server));
    text = read_at(4, url, NC_NOERR);
    has(text, "nczarr: info: s3://bucket/d.zarr: server http://127.0.0.1");
    has(text, "nczarr: info: credentials from the environment\n");
    has(text, "nczarr: request: GET s3://bucket/d.zarr/g/v/0: HTTP 200, ");
    has(text, "nczarr: request: GET s3://bucket/d.zarr/g/v/1: HTTP 404, ");
    has(text, ", signed\n");
    has(text, "nczarr: chunk: g/v: chunk [1] absent: it reads as fill\n");
    has_not(text, "unsigned");
    has_not(text, "s3: get "); /* each request has one line */
    no_secrets(text);
    free(text);

    snprintf(url, sizeof url,
             "http://127.0.0.1:%u/bucket/d.zarr#mode=nczarr,s3&aws.access_key_id=" ID
             "&aws.secret_access_key=topsecret",
             stub_port(server));
    text = read_at(4, url, NC_NOERR);
    has(text, "nczarr: info: credentials from ");
    no_secrets(text);
    free(text);

    a.status = 403;
    text = read_at(4, url, NC_EACCESS);
    has(text, "nczarr: error: NC_EACCESS: ");
    has(text, ": HTTP 403, ");
    no_secrets(text);
    free(text);
    a.status = 0;

    set_credentials(false);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/bucket/d.zarr#mode=nczarr,s3", stub_port(server));
    text = read_at(3, url, NC_NOERR);
    has(text, "nczarr: info: no credentials: ");
    has(text, ", unsigned\n");
    free(text);
    text = read_at(2, url, NC_NOERR);
    has(text, "nczarr: request: ");
    has_not(text, "nczarr: info: ");
    free(text);
    stub_stop(server);
    served_end();
}

TEST(web_server)
{
    answer a = {0};
    stub  *server;
    char   url[200], *text;

    served_make("");
    server = stub_start(serve, &a);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/d.zarr?sig=" QUERY "#mode=nczarr", stub_port(server));
    text = read_at(4, url, NC_NOERR);
    has(text, "/d.zarr/g/v/0: HTTP 200, ");
    has(text, ": opened for reading (http)\n");
    no_secrets(text);
    free(text);
    a.status = 403;
    text = read_at(0, url, NC_EACCESS);
    has(text, "nczarr: error: NC_EACCESS: ");
    no_secrets(text);
    free(text);
    stub_stop(server);
    text = read_at(2, url, NC_ECURL);
    has(text, "nczarr: error: NC_ECURL: ");
    has(text, ": no answer, 0 bytes received");
    no_secrets(text);
    free(text);
    served_end();
}
