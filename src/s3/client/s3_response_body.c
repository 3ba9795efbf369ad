/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives the body of an answer. The head usually has the object's size, and the body is then written straight to its
 * destination; otherwise it is collected first, up to a limit. If a server ignores a range, it is cut out of the whole
 * object. A body is only used if it is complete and its length and checksums are right.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"
#include "s3/protocol/s3_hash.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define ERROR_MOST ((size_t)64 << 10)
#define ERROR_READ ((uint64_t)16 << 20) /* most that is read of an error, which might be endless */

void
ncz_s3_exchange_clear(ncz_s3_exchange *x)
{
    ncz_buf_clear(&x->call.head);
    ncz_buf_clear(&x->url);
    ncz_wipe(x->headers.data, x->headers.cap); /* with the session token */
    ncz_buf_clear(&x->headers);
    ncz_buf_clear(&x->target);
    ncz_buf_clear(&x->path);
    ncz_buf_clear(&x->host);
    ncz_buf_clear(&x->region);
    ncz_buf_clear(&x->fault);
    ncz_buf_clear(&x->spool);
}

bool
ncz_s3_parse_number(const char *text, size_t len, uint64_t *out)
{
    uint64_t n = 0;

    if (len == 0)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned d = (unsigned char)text[i] - '0';

        if (d > 9 || !ncz_mul64(n, 10, &n) || !ncz_add64(n, d, &n))
            return false;
    }
    *out = n;
    return true;
}

/* The answer is damaged; another try may succeed. The final failure names the object. */
static int
fail_broken(ncz_s3_exchange *x, const char *what)
{
    x->broken = true;
    return ncz_fail(NC_ES3, "%s", what);
}

/* ---- the head ---- */

/* "bytes 0-99/1234"; false for another form, or without the total. */
static bool
parse_content_range(const char *text, uint64_t *first, uint64_t *last, uint64_t *total)
{
    const char *dash, *slash;

    if (text == NULL || strncasecmp(text, "bytes ", 6) != 0)
        return false;
    text += 6;
    dash = strchr(text, '-');
    slash = strchr(text, '/');
    return dash != NULL && slash != NULL && dash < slash && ncz_s3_parse_number(text, (size_t)(dash - text), first) &&
           ncz_s3_parse_number(dash + 1, (size_t)(slash - dash) - 1, last) &&
           ncz_s3_parse_number(slash + 1, strlen(slash + 1), total) && *first <= *last && *last < *total;
}

static bool
parse_content_length(const ncz_http_call *c, uint64_t *out)
{
    const char *text = ncz_http_header(c, "content-length");

    return text != NULL && ncz_http_header(c, "transfer-encoding") == NULL &&
           ncz_s3_parse_number(text, strlen(text), out);
}

/* The object's size is known: decides how much of it is wanted, and reserves room. */
static int
reserve_body(ncz_s3_exchange *x, uint64_t size)
{
    ncz_s3_op *op = x->op;
    uint64_t   left;
    int        rc;

    if (op->from_end)
        op->off = size > op->len ? size - op->len : 0;
    left = size > op->off ? size - op->off : 0;
    op->size = size;
    x->want = 0;
    if (op->fit != NULL) {
        if ((rc = op->fit(op, size, &x->want)) != NC_NOERR)
            return rc;
        if (x->want > left)
            return ncz_fail(NC_EINTERNAL, "%s: more bytes are requested than the object has", x->s->name);
    } else if (left > op->most) {
        return ncz_fail(NC_ENOMEM, "%s: an answer of %" PRIu64 " bytes exceeds the limit of %" PRIu64, x->s->name,
                        left, op->most);
    } else {
        x->want = (size_t)left;
    }
    return op->into == NULL ? ncz_buf_reserve(op->body, x->want) : NC_NOERR;
}

static int
begin_whole(ncz_s3_exchange *x)
{
    uint64_t size;
    int      rc;

    if (!parse_content_length(&x->call, &size)) {
        x->spooling = true;
        return NC_NOERR;
    }
    if ((rc = reserve_body(x, size)) != NC_NOERR)
        return rc;
    x->skip = x->op->off;
    return NC_NOERR;
}

static int
begin_partial(ncz_s3_exchange *x)
{
    uint64_t first, last, total, len, off;
    int      rc;

    if (!parse_content_range(ncz_http_header(&x->call, "content-range"), &first, &last, &total)) {
        /* MinIO gives the last bytes of an empty object as a part that has no first byte. */
        if (x->op->from_end && parse_content_length(&x->call, &len) && len == 0)
            return begin_whole(x);
        return fail_broken(x, "a partial answer without its range");
    }
    if (parse_content_length(&x->call, &len) && len != last - first + 1)
        return fail_broken(x, "a partial answer whose length does not match its range");
    if ((rc = reserve_body(x, total)) != NC_NOERR)
        return rc;
    off = x->op->off;
    if (first > off || (x->want > 0 && (last < off || last - off + 1 < x->want)))
        return fail_broken(x, "a partial answer with another range than requested");
    x->skip = off - first;
    return NC_NOERR;
}

/* Some writers store "aws-chunked", the encoding of the upload: such objects are plain. Others would need decoding. */
static bool
is_plain_encoding(const char *encoding)
{
    return encoding == NULL || encoding[0] == '\0' || strcasecmp(encoding, "identity") == 0 ||
           strcasecmp(encoding, "aws-chunked") == 0;
}

int
ncz_s3_on_head(ncz_http_call *c)
{
    ncz_s3_exchange *x = c->arg;
    ncz_s3_op       *op = x->op;
    const char      *etag = ncz_http_header(c, "etag"), *encoding = ncz_http_header(c, "content-encoding");
    const char      *changed = ncz_http_header(c, "last-modified");

    x->is_fault = c->status < 200 || c->status >= 300;
    if (x->is_fault || op->resolving)
        return NC_NOERR;
    op->etag[0] = '\0';
    op->changed = changed != NULL ? (int64_t)curl_getdate(changed, NULL) : 0;
    if (op->changed < 0)
        op->changed = 0;
    if (etag != NULL && strlen(etag) < sizeof op->etag)
        memcpy(op->etag, etag, strlen(etag) + 1);
    else if (etag == NULL && changed != NULL && op->verb == NCZ_S3_GET && strlen(changed) < sizeof op->etag)
        memcpy(op->etag, changed, strlen(changed) + 1);
    if (op->verb == NCZ_S3_PUT || op->verb == NCZ_S3_DELETE) {
        x->is_fault = true; /* these have no body; if there is one, it is an error document */
        return NC_NOERR;
    }
    if (!is_plain_encoding(encoding))
        return ncz_s3_fail(x->s, op, NC_ES3, "is stored with the content encoding %.40s, which is not supported",
                           encoding);
    return c->status == 206 ? begin_partial(x) : begin_whole(x);
}

/* ---- the body ---- */

static int
append_spool(ncz_s3_exchange *x, const char *data, size_t n)
{
    uint64_t most = x->op->most;

    if (x->op->from_end || !ncz_add64(most, x->op->off, &most) || most > ncz_limits_default.object_bytes)
        most = ncz_limits_default.object_bytes;
    if (n > most - x->spool.len)
        return ncz_s3_fail(x->s, x->op, x->op->into != NULL ? NC_ETRUNC : NC_ENOMEM,
                           "has %" PRIu64 " bytes or more, where %" PRIu64 " are expected at most",
                           (uint64_t)x->spool.len + n, most);
    return ncz_buf_append(&x->spool, data, n);
}

static int
append_error(ncz_s3_exchange *x, const char *data, size_t n)
{
    x->seen += n;
    if (x->seen > ERROR_READ)
        return fail_broken(x, "an error with an endless text");
    x->fault.limit = ERROR_MOST;
    if (n > ERROR_MOST - x->fault.len)
        n = ERROR_MOST - x->fault.len;
    return ncz_buf_append(&x->fault, data, n);
}

static int
append_body(ncz_s3_op *op, ncz_s3_exchange *x, const char *data, size_t n)
{
    if (op->into != NULL)
        memcpy((char *)op->into + x->got, data, n);
    else if (n > 0 && ncz_buf_append(op->body, data, n) != NC_NOERR)
        return NC_ENOMEM;
    x->got += n;
    return NC_NOERR;
}

int
ncz_s3_on_data(ncz_http_call *c, const char *data, size_t n)
{
    ncz_s3_exchange *x = c->arg;
    uint64_t         from = x->seen;

    if (x->is_fault || x->op->resolving)
        return append_error(x, data, n);
    if (x->spooling)
        return append_spool(x, data, n);
    x->seen += n;
    if (x->seen <= x->skip || x->got == x->want)
        return NC_NOERR;
    if (from < x->skip) {
        data += x->skip - from;
        n -= (size_t)(x->skip - from);
    }
    if (n > x->want - x->got)
        n = x->want - x->got;
    return n > 0 ? append_body(x->op, x, data, n) : NC_NOERR;
}

void
ncz_s3_discard_body(ncz_s3_exchange *x)
{
    ncz_buf *body = x->op->body;

    if (body != NULL && body->len > x->before) {
        body->len = x->before;
        body->data[body->len] = '\0';
    }
    x->op->nread = 0;
}

/* ---- the end ---- */

static const char *
received_bytes(const ncz_s3_exchange *x)
{
    return x->op->into != NULL ? x->op->into : x->op->body->data != NULL ? x->op->body->data + x->before : "";
}

/* Is the ETag the MD5 of the object? 32 hex digits, and no encryption that changes it. */
static bool
etag_is_md5(const ncz_http_call *c, const char *etag)
{
    const char *sse = ncz_http_header(c, "x-amz-server-side-encryption");

    return strlen(etag) == 34 && strspn(etag + 1, "0123456789abcdef") == 32 && etag[0] == '"' &&
           (sse == NULL || strcmp(sse, "AES256") == 0) &&
           ncz_http_header(c, "x-amz-server-side-encryption-customer-algorithm") == NULL;
}

static bool
md5_matches(const char *etag, const char *data, size_t n)
{
    char hex[NCZ_S3_MD5_HEX];

    if (ncz_s3_md5_hex(data, n, hex) == NC_NOERR)
        return memcmp(hex, etag + 1, 32) == 0;
    ncz_err_clear(); /* the system's policy forbids MD5 */
    return true;
}

/*
 * Only whole objects have checksums. TLS protects the transfer, so that the ETag's MD5, which is slow, is checked on
 * plain connections only.
 */
static int
verify_checksum(ncz_s3_exchange *x)
{
    const ncz_http_call *c = &x->call;
    const char          *crc = ncz_http_header(c, "x-amz-checksum-crc32c");
    const char          *type = ncz_http_header(c, "x-amz-checksum-type");
    char                 ours[NCZ_S3_CRC_BASE64];

    if (c->status != 200 || x->want != x->op->size || x->s->web != NULL)
        return NC_NOERR;
    if (crc != NULL && strchr(crc, '-') == NULL && (type == NULL || strcmp(type, "FULL_OBJECT") == 0)) {
        ncz_s3_crc_base64(received_bytes(x), x->got, ours);
        return strcmp(ours, crc) == 0 ? NC_NOERR
                                      : fail_broken(x, "the received bytes differ from the stored ones (CRC-32C)");
    }
    if (!x->s->settings->https && etag_is_md5(c, x->op->etag) && !md5_matches(x->op->etag, received_bytes(x), x->got))
        return fail_broken(x, "the received bytes differ from the stored ones (MD5)");
    return NC_NOERR;
}

/* Copies the wanted part of the collected body, whose size is now known. */
static int
copy_spool(ncz_s3_exchange *x)
{
    uint64_t size = x->spool.len;
    int      rc;

    if ((rc = reserve_body(x, size)) != NC_NOERR)
        return rc;
    rc = x->want > 0 ? append_body(x->op, x, x->spool.data + x->op->off, x->want) : NC_NOERR;
    ncz_buf_clear(&x->spool);
    return rc;
}

int
ncz_s3_check_body(ncz_s3_exchange *x)
{
    int rc;

    if (x->op->verb == NCZ_S3_PUT || x->op->verb == NCZ_S3_DELETE)
        return NC_NOERR;
    if (x->spooling && (rc = copy_spool(x)) != NC_NOERR)
        return rc;
    if (x->got != x->want)
        return fail_broken(x, "the answer is cut off");
    if (x->op->verb == NCZ_S3_GET && x->op->key != NULL && (rc = verify_checksum(x)) != NC_NOERR)
        return rc;
    x->op->nread = x->got;
    return NC_NOERR;
}
