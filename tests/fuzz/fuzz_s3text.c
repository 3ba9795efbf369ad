/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that the S3 client reads: the first character says as what, the rest is anything. c, C: config and credentials
 * files; r: an rc file; x: an answer in XML; j: keys in JSON; t: a time; h: a host; u: a URL with all that follows
 * from it.
 */
#include "s3/credentials/creds_int.h"
#include "s3/protocol/s3_xml.h"
#include "s3/settings/s3_settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth)                                                                                                 \
    do {                                                                                                             \
        if (!(truth))                                                                                                \
            abort();                                                                                                 \
    } while (0)

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("HOME", "/nonexistent", 1);
    setenv("NCRCENV_IGNORE", "1", 1);
    return 0;
}

static void
try_ini(const char *text, size_t len, bool credentials)
{
    ncz_s3_ini ini = NCZ_S3_INI_INIT;
    int        rc = ncz_s3_ini_parse(text, len, "FILE", credentials, &ini);

    CHECK(rc == NC_NOERR || rc == NC_EAUTH);
    for (size_t i = 0; i < ini.n; i++) {
        const ncz_s3_ini_item *item = &ini.v[i];
        const char            *value;

        CHECK(ncz_s3_ini_has(&ini, item->kind, item->section));
        if (item->key == NULL || i > 100) /* looking up is linear */
            continue;
        value = ncz_s3_ini_get(&ini, item->kind, item->section, item->block, item->key);
        CHECK(value != NULL || item->weak);
        CHECK(value == NULL || strlen(value) <= len);
    }
    ncz_s3_ini_clear(&ini);
}

static void
try_rc(const char *text, size_t len)
{
    ncz_rc      rc = NCZ_RC_INIT;
    ncz_uri    *u = NULL;
    const char *file = NULL;

    CHECK(ncz_uri_parse("https://h.example:9000/data/x", &u) == NC_NOERR);
    CHECK(ncz_rc_parse(&rc, text, len, "FILE", false) == NC_NOERR);
    for (size_t i = 0; i < rc.n && i < 100; i++)
        CHECK(rc.v[i].scope != NULL || ncz_rc_get(&rc, u, rc.v[i].key, &file) != NULL);
    ncz_rc_clear(&rc);
    ncz_uri_free(u);
}

static void
try_xml(const char *text, size_t len)
{
    ncz_s3_xml       x;
    ncz_s3_xml_event event = NCZ_S3_XML_OPEN;
    size_t           depth = 0;

    ncz_s3_xml_init(&x, text, len);
    while (ncz_s3_xml_next(&x, &event) == NC_NOERR && event != NCZ_S3_XML_END) {
        depth += event == NCZ_S3_XML_OPEN ? 1 : (size_t)-1;
        CHECK(depth == x.depth && depth <= NCZ_S3_XML_DEPTH && x.text.len <= len);
    }
    CHECK(event != NCZ_S3_XML_END || depth == 0);
    ncz_s3_xml_clear(&x);
}

static void
try_json(const char *text, size_t len)
{
    ncz_json         *doc = NULL;
    ncz_s3_access_key keys = {.id = NULL};

    if (ncz_creds_json_parse(text, len, "JSON", &doc) != NC_NOERR)
        return;
    if (ncz_creds_json_key(doc, "JSON", &keys) == NC_NOERR)
        CHECK(keys.id != NULL && keys.secret != NULL);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_json_free(doc);
}

static void
try_host(const char *host)
{
    size_t      len = strlen(host);
    ncz_s3_host h = ncz_s3_host_parse(host);

    CHECK(h.bucket_len == 0 || (h.bucket_len < len && host[h.bucket_len] == '.'));
    CHECK(h.region_at <= len && h.region_len <= len - h.region_at);
}

static void
try_url(const char *text)
{
    ncz_target      *t = NULL;
    ncz_s3_settings *s = NULL;

    if (ncz_target_parse(text, false, &t) != NC_NOERR)
        return;
    if (t->store == NCZ_STORE_S3 && ncz_s3_settings_from(t->uri, &s) == NC_NOERR) {
        size_t n = strlen(s->prefix);

        CHECK(s->host[0] != '\0' && strpbrk(s->host, "/?#@ ") == NULL);
        CHECK(s->bucket[0] != '\0' && strpbrk(s->bucket, "/?#@ ") == NULL);
        CHECK(strpbrk(s->region, "/?#@:") == NULL);
        CHECK(n == 0 || (s->prefix[0] != '/' && s->prefix[n - 1] != '/' && n <= 1024));
        CHECK(s->anonymous == (s->creds == NULL));
    }
    ncz_s3_settings_free(s);
    ncz_target_free(t);
}

static void
try_text(char how, const char *text, size_t len)
{
    int64_t time;

    switch (how) {
    case 'c':
    case 'C': try_ini(text, len, how == 'C'); break;
    case 'r': try_rc(text, len); break;
    case 'x': try_xml(text, len); break;
    case 'j': try_json(text, len); break;
    case 't': (void)ncz_creds_parse_time(text, &time); break;
    case 'h': try_host(text); break;
    case 'u': try_url(text); break;
    default: break;
    }
}

/* A copy of exactly its size with a NUL behind: what reads beyond is seen. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;

    if (size == 0 || (text = malloc(size)) == NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    try_text((char)data[0], text, size - 1);
    free(text);
    return 0;
}
