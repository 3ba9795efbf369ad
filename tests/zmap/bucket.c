/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bucket of bucket.h, over a map in memory; who wrote an object stands in a second one. Its function is called by
 * one thread at a time (stub.h).
 */
#include "zmap/bucket.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_s3.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 7, METHODS = 5 };

static const char *const methods[METHODS] = {"GET", "HEAD", "PUT", "DELETE", "POST"};

struct bucket {
    stub           *server;
    zmap           *objects, *writers;
    bucket_first_fn first;
    void           *arg;
    unsigned        counts[METHODS]; /* atomic */
};

/* "/buck/key" without what is before the key; "" for the bucket itself. */
static char *
key_of(const stub_request *req)
{
    char *path = stub_path(req), *key = strchr(path + 1, '/');

    key = strdup(key != NULL ? key + 1 : "");
    free(path);
    return key;
}

/* ---- objects ---- */

static void
add_range(stub_reply *reply, unsigned long long a, unsigned long long b, size_t size)
{
    char text[80];

    snprintf(text, sizeof text, "bytes %llu-%llu/%zu", a, b, size);
    stub_add(reply, "Content-Range", text);
}

static void
cut_range(const char *range, stub_reply *reply, const ncz_buf *body)
{
    unsigned long long a = 0, b = 0, last;
    int                n = sscanf(range, "bytes=%llu-%llu", &a, &b);

    if (sscanf(range, "bytes=-%llu", &last) == 1) {
        n = 1;
        a = last < body->len ? body->len - last : 0;
    }
    if (n < 1 || a >= body->len) {
        char text[80];

        stub_fault(reply, 416, "InvalidRange");
        snprintf(text, sizeof text, "bytes */%zu", body->len);
        stub_add(reply, "Content-Range", text);
        return;
    }
    if (n == 1 || b >= body->len)
        b = body->len - 1;
    reply->status = 206;
    reply->nbody = (size_t)(b - a) + 1;
    reply->body = malloc(reply->nbody);
    memcpy(reply->body, body->data + a, reply->nbody);
    add_range(reply, a, b, body->len);
}

static void
get_object(bucket *b, const stub_request *req, const char *key, stub_reply *reply)
{
    zmap_get_req get = {.key = key, .len = ZMAP_WHOLE};
    char        *range = stub_header(req, "Range"), *match = stub_header(req, "If-Match"), etag[100];
    ncz_buf      writer = NCZ_BUF_INIT;

    if (zmap_get_batch(b->objects, &get, 1, NULL, NULL) != NC_NOERR || get.err.code == NC_EEMPTY) {
        stub_fault(reply, 404, "NoSuchKey");
    } else {
        snprintf(etag, sizeof etag, "\"v%s\"", get.version);
        stub_add(reply, "ETag", etag);
    }
    if (get.err.code == NC_NOERR && match != NULL && strcmp(match, etag) != 0) {
        stub_fault(reply, 412, "PreconditionFailed");
    } else if (get.err.code == NC_NOERR) {
        if (zmap_get(b->writers, key, &writer) == NC_NOERR && writer.len > 0)
            stub_add(reply, "x-amz-meta-nczarr-write", writer.data);
        if (range != NULL) {
            cut_range(range, reply, &get.body);
        } else if (get.body.len > 0) {
            reply->nbody = get.body.len;
            reply->body = malloc(get.body.len);
            memcpy(reply->body, get.body.data, get.body.len);
        }
    }
    reply->no_body = strcmp(req->method, "HEAD") == 0;
    ncz_buf_clear(&writer);
    ncz_buf_clear(&get.body);
    free(range);
    free(match);
}

static void
put_object(bucket *b, const stub_request *req, const char *key, stub_reply *reply)
{
    char        *none = stub_header(req, "If-None-Match"), *match = stub_header(req, "If-Match");
    char        *writer = stub_header(req, "x-amz-meta-nczarr-write"), version[ZMAP_VERSION];
    zmap_put_req put = {.key = key,
                        .data = req->body,
                        .len = req->nbody,
                        .when = none != NULL    ? ZMAP_IF_ABSENT
                                : match != NULL ? ZMAP_IF_MATCH
                                                : ZMAP_ALWAYS};
    int          rc;

    if (match != NULL) { /* "\"v17\"" */
        snprintf(version, sizeof version, "%.60s", strlen(match) > 2 ? match + 2 : "x");
        version[strcspn(version, "\"")] = '\0';
        put.version = version[0] != '\0' ? version : "x";
    }
    rc = zmap_put_batch(b->objects, &put, 1);
    if (rc == NC_ENOOBJECT)
        stub_fault(reply, 404, "NoSuchKey");
    else if (rc == NC_EOBJECT)
        stub_fault(reply, 412, "PreconditionFailed");
    else if (rc != NC_NOERR)
        stub_fault(reply, 400, "InvalidArgument");
    else
        (void)zmap_put(b->writers, key, writer, writer != NULL ? strlen(writer) : 0);
    free(none);
    free(match);
    free(writer);
}

static void
delete_object(bucket *b, const char *key, stub_reply *reply)
{
    (void)zmap_del(b->objects, &key, 1);
    (void)zmap_del(b->writers, &key, 1);
    reply->status = 204;
}

/* <Object><Key>...</Key></Object>, with the three entities that a key can need. */
static void
delete_many(bucket *b, const stub_request *req, stub_reply *reply)
{
    char *body = strndup(req->body, req->nbody), *at = body;

    stub_say(reply, 200, "<?xml version=\"1.0\"?><DeleteResult/>");
    while ((at = strstr(at, "<Key>")) != NULL) {
        char *end = strstr(at, "</Key>"), *key = calloc(1, (size_t)(end - at)), *to = key;

        for (at += 5; at < end; at++) {
            if (strncmp(at, "&amp;", 5) == 0)
                at += 4, *to++ = '&';
            else if (strncmp(at, "&lt;", 4) == 0)
                at += 3, *to++ = '<';
            else if (strncmp(at, "&gt;", 4) == 0)
                at += 3, *to++ = '>';
            else
                *to++ = *at;
        }
        delete_object(b, key, &(stub_reply){.status = 0});
        free(key);
    }
    free(body);
}

/* ---- lists ---- */

typedef struct keys {
    zmap       *m;
    const char *prefix;
    char      **v;
    size_t      n, cap;
} keys;

static int
note_key(const char *name, bool leaf, void *arg)
{
    keys *k = arg;
    char  full[1100];
    keys  below = *k;

    snprintf(full, sizeof full, "%s%s%s", k->prefix, k->prefix[0] != '\0' ? "/" : "", name);
    if (leaf) {
        if (k->n == k->cap)
            k->v = realloc(k->v, (k->cap = k->cap * 2 + 64) * sizeof *k->v);
        k->v[k->n++] = strdup(full);
        return 0;
    }
    below.prefix = full;
    (void)zmap_list(k->m, full, note_key, &below);
    k->v = below.v;
    k->n = below.n;
    k->cap = below.cap;
    return 0;
}

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
put_encoded(ncz_buf *out, const char *element, const char *parent, const char *key, size_t len)
{
    (void)ncz_buf_printf(out, "<%s><%s>", parent, element);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)key[i];

        if (isalnum(c) || strchr("-_./", c) != NULL)
            (void)ncz_buf_putc(out, (char)c);
        else if (c == ' ')
            (void)ncz_buf_putc(out, '+');
        else
            (void)ncz_buf_printf(out, "%%%02X", c);
    }
    (void)ncz_buf_printf(out, "</%s></%s>\n", element, parent);
}

/* One page: keys and common prefixes behind the token, which is the last one of the page before. */
static void
put_page(ncz_buf *out, const keys *k, const char *prefix, bool deep, const char *token, size_t most)
{
    ncz_buf last = NCZ_BUF_INIT;
    size_t  n = 0, skip = strlen(prefix);
    bool    more = false;

    (void)ncz_buf_puts(&last, token);
    for (size_t i = 0; i < k->n && !more; i++) {
        const char *key = k->v[i], *slash;
        size_t      len = strlen(key);

        if (strncmp(key, prefix, skip) != 0)
            continue;
        if (!deep && (slash = strchr(key + skip, '/')) != NULL)
            len = (size_t)(slash - key) + 1;
        if (strncmp(key, ncz_buf_str(&last), len) < 0 ||
            (strncmp(key, ncz_buf_str(&last), len) == 0 && strlen(ncz_buf_str(&last)) >= len))
            continue;
        if (n == most) {
            more = true;
            break;
        }
        n++;
        ncz_buf_reset(&last);
        (void)ncz_buf_append(&last, key, len);
        put_encoded(out, key[len - 1] == '/' ? "Prefix" : "Key", key[len - 1] == '/' ? "CommonPrefixes" : "Contents",
                    key, len);
    }
    (void)ncz_buf_printf(out, "<IsTruncated>%s</IsTruncated>", more ? "true" : "false");
    if (more) { /* a token is nobody's business: here the last key, in hex */
        (void)ncz_buf_puts(out, "<NextContinuationToken>");
        for (size_t i = 0; i < last.len; i++)
            (void)ncz_buf_printf(out, "%02x", (unsigned char)last.data[i]);
        (void)ncz_buf_puts(out, "</NextContinuationToken>");
    }
    ncz_buf_clear(&last);
}

static void
list_objects(bucket *b, const stub_request *req, stub_reply *reply)
{
    char   *prefix = stub_param(req, "prefix"), *token = stub_param(req, "continuation-token");
    char   *most = stub_param(req, "max-keys"), *plain = calloc(1, 2100);
    keys    k = {.m = b->objects, .prefix = ""};
    size_t  page = most != NULL ? strtoul(most, NULL, 10) : 1000;
    ncz_buf out = NCZ_BUF_INIT;

    for (size_t i = 0; token != NULL && token[2 * i] != '\0'; i++) {
        char hex[3] = {token[2 * i], token[2 * i + 1], '\0'};

        plain[i] = (char)strtoul(hex, NULL, 16);
    }
    (void)zmap_list(b->objects, "", note_key, &k);
    if (k.n > 1)
        qsort(k.v, k.n, sizeof *k.v, by_bytes);
    (void)ncz_buf_puts(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>buck</Name>"
                             "<EncodingType>url</EncodingType>");
    put_page(&out, &k, prefix != NULL ? prefix : "", !stub_query(req, "delimiter=%2F"), plain,
             page < PAGE || k.n > 100 ? page : PAGE);
    (void)ncz_buf_puts(&out, "</ListBucketResult>");
    stub_say(reply, 200, ncz_buf_str(&out));
    ncz_buf_clear(&out);
    for (size_t i = 0; i < k.n; i++)
        free(k.v[i]);
    free(k.v);
    free(plain);
    free(prefix);
    free(token);
    free(most);
}

/* ---- the server ---- */

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    bucket *b = arg;
    char   *key;

    for (size_t i = 0; i < METHODS; i++)
        if (strcmp(methods[i], req->method) == 0)
            __atomic_add_fetch(&b->counts[i], 1, __ATOMIC_RELAXED);
    if (b->first != NULL && b->first(req, reply, b->arg))
        return;
    key = key_of(req);
    if (strcmp(req->method, "PUT") == 0)
        put_object(b, req, key, reply);
    else if (strcmp(req->method, "DELETE") == 0)
        delete_object(b, key, reply);
    else if (strcmp(req->method, "POST") == 0)
        delete_many(b, req, reply);
    else if (key[0] == '\0')
        list_objects(b, req, reply);
    else
        get_object(b, req, key, reply);
    free(key);
}

bucket *
bucket_start(bucket_first_fn first, void *arg)
{
    bucket *b = calloc(1, sizeof *b);

    b->first = first;
    b->arg = arg;
    if (zmap_mem_open(&b->objects) != NC_NOERR || zmap_mem_open(&b->writers) != NC_NOERR)
        abort();
    b->server = stub_start(serve, b);
    return b;
}

void
bucket_stop(bucket *b)
{
    stub_stop(b->server);
    (void)zmap_close(b->objects, ZMAP_KEEP);
    (void)zmap_close(b->writers, ZMAP_KEEP);
    free(b);
}

stub *
bucket_stub(bucket *b)
{
    return b->server;
}

zmap *
bucket_map(bucket *b)
{
    return b->objects;
}

zmap *
bucket_open(bucket *b, const char *prefix, zmap_open_how how)
{
    char     url[1500];
    ncz_uri *uri = NULL;
    zmap    *m = NULL;

    snprintf(url, sizeof url, "http://127.0.0.1:%u/buck%s%s#mode=s3&anon=yes", stub_port(b->server),
             prefix[0] != '\0' ? "/" : "", prefix);
    if (ncz_uri_parse(url, &uri) != NC_NOERR)
        return NULL;
    if (zmap_s3_open(uri, how, &m) != NC_NOERR)
        m = NULL;
    ncz_uri_free(uri);
    return m;
}

unsigned
bucket_count(bucket *b, const char *method)
{
    unsigned n = 0;

    for (size_t i = 0; i < METHODS; i++)
        if (strcmp(methods[i], method) == 0)
            n = __atomic_load_n(&b->counts[i], __ATOMIC_RELAXED);
    return n;
}
