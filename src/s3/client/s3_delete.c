/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deletes many keys with one request where the server supports that (DeleteObjects), else one by one. An absent key is
 * no error.
 *
 * DeleteObjects needs a checksum of its body: a CRC-32C, which FIPS allows. Servers older than that header (2022)
 * require Content-MD5 instead; the client sends it if MD5 is available, and remembers such a server. Without MD5 it
 * deletes keys one by one.
 */
#include "s3/client/s3_client_int.h"
#include "s3/protocol/s3_hash.h"
#include "s3/protocol/s3_xml.h"

#include <string.h>

#define KEYS_MOST  1000 /* per request */
#define REPLY_MOST ((uint64_t)16 << 20)
#define AT_ONCE    256 /* single deletions per batch */

/* ---- one by one ---- */

static int
delete_singly(ncz_s3 *s, const char *const *keys, size_t n)
{
    size_t     cap = n < AT_ONCE ? n : AT_ONCE;
    ncz_s3_op *ops = ncz_alloc_n(cap, sizeof *ops);
    ncz_err    first = {.code = NC_NOERR};
    int        failed;

    if (ops == NULL)
        return ncz_fail_nomem(cap * sizeof *ops);
    for (size_t i = 0; i < n; i += cap) {
        size_t m = n - i < cap ? n - i : cap;

        for (size_t k = 0; k < m; k++)
            ops[k] = (ncz_s3_op){.verb = NCZ_S3_DELETE, .key = keys[i + k]};
        if ((failed = ncz_s3_run_all(s, ops, m)) != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, failed);
    }
    ncz_free(ops);
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}

/* ---- many by one request ---- */

static int
build_body(const ncz_s3 *s, const char *const *keys, size_t n, ncz_buf *out)
{
    int rc = ncz_buf_puts(out, "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>");

    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        if ((rc = ncz_buf_puts(out, "<Object><Key>")) != NC_NOERR)
            break;
        if (s->settings->prefix[0] != '\0' && (rc = ncz_s3_xml_escape(out, s->settings->prefix)) == NC_NOERR)
            rc = ncz_buf_putc(out, '/');
        if (rc == NC_NOERR && (rc = ncz_s3_xml_escape(out, keys[i])) == NC_NOERR)
            rc = ncz_buf_puts(out, "</Key></Object>");
    }
    return rc == NC_NOERR ? ncz_buf_puts(out, "</Delete>") : rc;
}

/* A key that was not deleted, from the answer. */
typedef struct failure {
    ncz_buf key, code, message;
} failure;

static int
copy_part(const ncz_s3_xml *x, failure *f)
{
    ncz_buf *to = ncz_s3_xml_is(x, "Key")       ? &f->key
                  : ncz_s3_xml_is(x, "Code")    ? &f->code
                  : ncz_s3_xml_is(x, "Message") ? &f->message
                                                : NULL;

    if (to == NULL)
        return NC_NOERR;
    ncz_buf_reset(to);
    return ncz_buf_append(to, ncz_buf_str(&x->text), ncz_utf8_cut(ncz_buf_str(&x->text), x->text.len, 1024));
}

/* The keys of the request. */
typedef struct key_set {
    const char *const *keys;
    size_t             n;
} key_set;

static bool
is_requested(const key_set *a, const char *key)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->keys[i], key) == 0)
            return true;
    return false;
}

/* Retries a key by itself, if the failure is temporary. Never deletes a key that was not in the request. */
static int
retry_key(ncz_s3 *s, const key_set *a, const failure *f)
{
    const char           *key = ncz_buf_str(&f->key), *prefix = s->settings->prefix;
    ncz_s3_response_class v = ncz_s3_classify(0, ncz_buf_str(&f->code), false);
    size_t                len = strlen(prefix);

    if (v == NCZ_S3_CLASS_ABSENT)
        return NC_NOERR;
    if (len > 0 && strncmp(key, prefix, len) == 0 && key[len] == '/')
        key += len + 1;
    if ((v == NCZ_S3_CLASS_RETRY || v == NCZ_S3_CLASS_SLOW_DOWN) && is_requested(a, key))
        return delete_singly(s, &key, 1);
    return ncz_fail(ncz_s3_class_rc(v, 0, ncz_buf_str(&f->code)), "deleting %s/%s: %.80s: %.200s", s->name, key,
                    ncz_buf_str(&f->code), ncz_buf_str(&f->message));
}

static void
failure_reset(failure *f)
{
    ncz_buf_reset(&f->key);
    ncz_buf_reset(&f->code);
    ncz_buf_reset(&f->message);
}

static int
parse_reply(ncz_s3 *s, const key_set *a, const ncz_buf *reply)
{
    ncz_s3_xml       x;
    ncz_s3_xml_event event = NCZ_S3_XML_OPEN;
    failure          f = {.key = NCZ_BUF_INIT};
    ncz_err          first = {.code = NC_NOERR};
    int              rc = NC_NOERR;

    ncz_s3_xml_init(&x, ncz_buf_str(reply), reply->len);
    while (rc == NC_NOERR && event != NCZ_S3_XML_END && (rc = ncz_s3_xml_next(&x, &event)) == NC_NOERR) {
        if (event == NCZ_S3_XML_OPEN && x.depth == 1 && !ncz_s3_xml_is(&x, "DeleteResult")) {
            rc = ncz_fail(NC_ES3, "%s: the answer to a deletion is not a DeleteResult", s->name);
        } else if (event == NCZ_S3_XML_CLOSE && x.depth == 2 && ncz_s3_xml_in(&x, "Error")) {
            rc = copy_part(&x, &f);
        } else if (event == NCZ_S3_XML_CLOSE && x.depth == 1 && ncz_s3_xml_is(&x, "Error")) {
            int failed = retry_key(s, a, &f);

            failure_reset(&f);
            if (failed != NC_NOERR && first.code == NC_NOERR)
                ncz_err_save(&first, failed);
        }
    }
    ncz_s3_xml_clear(&x);
    ncz_buf_clear(&f.key);
    ncz_buf_clear(&f.code);
    ncz_buf_clear(&f.message);
    return rc == NC_NOERR && first.code != NC_NOERR ? ncz_err_adopt(&first) : rc;
}

/* Servers without DeleteObjects answer in various ways. */
static bool
is_unsupported(const ncz_s3_op *op)
{
    return op->rc != NC_NOERR &&
           (op->status == 400 || op->status == 404 || op->status == 405 || op->status == 411 || op->status == 501) &&
           op->rc != NC_ENOOBJECT && op->rc != NC_EAUTH && op->rc != NC_EACCESS;
}

/* One request, with one of the two checksums. */
static int
post_deletion(ncz_s3 *s, const ncz_buf *body, bool md5, ncz_s3_op *op, ncz_buf *reply)
{
    static const ncz_s3_pair query = {"delete", NULL};

    *op = (ncz_s3_op){.verb = NCZ_S3_POST,
                      .query = &query,
                      .nquery = 1,
                      .data = body->data,
                      .ndata = body->len,
                      .checksum = !md5,
                      .md5 = md5,
                      .most = REPLY_MOST,
                      .body = reply};
    return ncz_s3_do(s, op);
}

/* MissingContentMD5, InvalidRequest, NotImplemented: the server may not support the checksum's header. */
static bool
may_want_md5(const ncz_s3_op *op)
{
    return is_unsupported(op) && (op->status == 400 || op->status == 501) && op->checksum && ncz_s3_md5_works();
}

static int
delete_many(ncz_s3 *s, const char *const *keys, size_t n)
{
    bool      md5 = atomic_load_explicit(&s->deletes_by_md5, memory_order_relaxed);
    ncz_buf   body = NCZ_BUF_INIT, reply = NCZ_BUF_INIT;
    ncz_s3_op op;
    int       rc;

    if ((rc = build_body(s, keys, n, &body)) != NC_NOERR)
        goto done;
    rc = post_deletion(s, &body, md5, &op, &reply);
    if (may_want_md5(&op) && (rc = post_deletion(s, &body, true, &op, &reply)) == NC_NOERR)
        atomic_store_explicit(&s->deletes_by_md5, true, memory_order_relaxed);
    if (rc == NC_NOERR)
        rc = parse_reply(s, &(key_set){keys, n}, &reply);
    else if (is_unsupported(&op))
        rc = delete_singly(s, keys, n);
done:
    ncz_buf_clear(&body);
    ncz_buf_clear(&reply);
    return rc;
}

int
ncz_s3_delete(ncz_s3 *s, const char *const *keys, size_t n)
{
    ncz_err first = {.code = NC_NOERR};

    if (n == 1)
        return delete_singly(s, keys, 1);
    for (size_t i = 0; i < n; i += KEYS_MOST) {
        int rc = delete_many(s, keys + i, n - i < KEYS_MOST ? n - i : KEYS_MOST);

        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
    }
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
