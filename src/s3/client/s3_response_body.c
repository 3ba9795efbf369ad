/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of an answer's body goes where. The size of the object is known from the head, mostly, and then the body goes
 * straight to where it is wanted; else it is gathered first, under a ceiling. A range that a server does not know is
 * cut out of the whole. Nothing counts until the body is whole and its length and checksums are right.
 */
#include "s3/client/s3_client_int.h"
#include "s3/protocol/s3_hash.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define FAULT_MOST ((size_t)64 << 10)
#define FAULT_READ ((uint64_t)16 << 20) /* that are read of an error, so that none goes on for ever */

void
ncz_s3_exchange_clear(ncz_s3_exchange *x)
{
    ncz_buf_clear(&x->call.head);
    ncz_buf_clear(&x->url);
    ncz_wipe(x->headers.data, x->headers.cap); /* a session's token */
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

/* Something is wrong with an answer that another try may mend. Who gives up says of which object. */
static int
broken(ncz_s3_exchange *x, const char *what)
{
    x->broken = true;
    return ncz_fail(NC_ES3, "%s", what);
}

/* ---- the head ---- */

/* "bytes 0-99/1234"; false when it is not that, or the total is not told. */
static bool
content_range(const char *text, uint64_t *first, uint64_t *last, uint64_t *total)
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
content_length(const ncz_http_call *c, uint64_t *out)
{
    const char *text = ncz_http_header(c, "content-length");

    return text != NULL && ncz_http_header(c, "transfer-encoding") == NULL &&
           ncz_s3_parse_number(text, strlen(text), out);
}

/* The object's size is known: how much of it is wanted, and room for it. */
static int
make_room(ncz_s3_exchange *x, uint64_t size)
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
            return ncz_fail(NC_EINTERNAL, "%s: more is wanted than there is", x->s->name);
    } else if (left > op->most) {
        return ncz_fail(NC_ENOMEM, "%s: an answer of %" PRIu64 " bytes is more than the limit of %" PRIu64,
                        x->s->name, left, op->most);
    } else {
        x->want = (size_t)left;
    }
    return op->into == NULL ? ncz_buf_reserve(op->body, x->want) : NC_NOERR;
}

static int
on_part(ncz_s3_exchange *x)
{
    uint64_t first, last, total, len, off;
    int      rc;

    if (!content_range(ncz_http_header(&x->call, "content-range"), &first, &last, &total))
        return broken(x, "a partial answer that does not say which part it is");
    if (content_length(&x->call, &len) && len != last - first + 1)
        return broken(x, "a partial answer of another length than it says");
    if ((rc = make_room(x, total)) != NC_NOERR)
        return rc;
    off = x->op->off;
    if (first > off || (x->want > 0 && (last < off || last - off + 1 < x->want)))
        return broken(x, "another part than the one that was asked for");
    x->skip = off - first;
    return NC_NOERR;
}

static int
on_whole(ncz_s3_exchange *x)
{
    uint64_t size;
    int      rc;

    if (!content_length(&x->call, &size)) {
        x->spooling = true;
        return NC_NOERR;
    }
    if ((rc = make_room(x, size)) != NC_NOERR)
        return rc;
    x->skip = x->op->off;
    return NC_NOERR;
}

/* Objects of writers that encoded for the way and said so for ever are plain; all else would have to be decoded. */
static bool
is_plain(const char *encoding)
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

    x->is_fault = c->status < 200 || c->status >= 300;
    if (x->is_fault || op->resolving)
        return NC_NOERR;
    op->etag[0] = '\0';
    if (etag != NULL && strlen(etag) < sizeof op->etag)
        memcpy(op->etag, etag, strlen(etag) + 1);
    if (op->verb == NCZ_S3_PUT || op->verb == NCZ_S3_DELETE) {
        x->is_fault = true; /* there is no body; if there is, it is an error after all */
        return NC_NOERR;
    }
    if (!is_plain(encoding))
        return ncz_s3_fail(x->s, op, NC_ES3, "is stored with the content encoding %.40s, which is not undone",
                           encoding);
    return c->status == 206 ? on_part(x) : on_whole(x);
}

/* ---- the body ---- */

static int
spool(ncz_s3_exchange *x, const char *data, size_t n)
{
    uint64_t most = x->op->most;

    if (x->op->from_end || !ncz_add64(most, x->op->off, &most) || most > ncz_limits_default.object_bytes)
        most = ncz_limits_default.object_bytes;
    x->spool.limit = (size_t)most;
    return ncz_buf_append(&x->spool, data, n);
}

static int
keep_fault(ncz_s3_exchange *x, const char *data, size_t n)
{
    x->seen += n;
    if (x->seen > FAULT_READ)
        return broken(x, "an error whose text does not end");
    x->fault.limit = FAULT_MOST;
    if (n > FAULT_MOST - x->fault.len)
        n = FAULT_MOST - x->fault.len;
    return ncz_buf_append(&x->fault, data, n);
}

static int
take(ncz_s3_op *op, ncz_s3_exchange *x, const char *data, size_t n)
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
        return keep_fault(x, data, n);
    if (x->spooling)
        return spool(x, data, n);
    x->seen += n;
    if (x->seen <= x->skip || x->got == x->want)
        return NC_NOERR;
    if (from < x->skip) {
        data += x->skip - from;
        n -= (size_t)(x->skip - from);
    }
    if (n > x->want - x->got)
        n = x->want - x->got;
    return n > 0 ? take(x->op, x, data, n) : NC_NOERR;
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
received(const ncz_s3_exchange *x)
{
    return x->op->into != NULL ? x->op->into : x->op->body->data != NULL ? x->op->body->data + x->before : "";
}

/* An ETag that is the MD5 of what is stored: 32 hex digits, and no encryption that makes it something else. */
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
    ncz_err_clear(); /* a system whose policy forbids MD5 */
    return true;
}

/*
 * Only whole objects have checksums. Over TLS nothing is altered on the way, so that the ETag's MD5, which is slow,
 * is for plain connections.
 */
static int
verify(ncz_s3_exchange *x)
{
    const ncz_http_call *c = &x->call;
    const char          *crc = ncz_http_header(c, "x-amz-checksum-crc32c");
    const char          *type = ncz_http_header(c, "x-amz-checksum-type");
    char                 ours[NCZ_S3_CRC_BASE64];

    if (c->status != 200 || x->want != x->op->size || x->s->web != NULL)
        return NC_NOERR;
    if (crc != NULL && strchr(crc, '-') == NULL && (type == NULL || strcmp(type, "FULL_OBJECT") == 0)) {
        ncz_s3_crc_base64(received(x), x->got, ours);
        return strcmp(ours, crc) == 0 ? NC_NOERR
                                      : broken(x, "the bytes that came are not those that were stored (CRC-32C)");
    }
    if (!x->s->settings->https && etag_is_md5(c, x->op->etag) && !md5_matches(x->op->etag, received(x), x->got))
        return broken(x, "the bytes that came are not those that were stored (MD5)");
    return NC_NOERR;
}

/* What was gathered, now that its size is known. */
static int
unspool(ncz_s3_exchange *x)
{
    uint64_t size = x->spool.len;
    int      rc;

    if ((rc = make_room(x, size)) != NC_NOERR)
        return rc;
    rc = x->want > 0 ? take(x->op, x, x->spool.data + x->op->off, x->want) : NC_NOERR;
    ncz_buf_clear(&x->spool);
    return rc;
}

int
ncz_s3_check_body(ncz_s3_exchange *x)
{
    int rc;

    if (x->op->verb != NCZ_S3_GET && x->op->verb != NCZ_S3_POST)
        return NC_NOERR;
    if (x->spooling && (rc = unspool(x)) != NC_NOERR)
        return rc;
    if (x->got != x->want)
        return broken(x, "the answer ends too early");
    if (x->op->verb == NCZ_S3_GET && x->op->key != NULL && (rc = verify(x)) != NC_NOERR)
        return rc;
    x->op->nread = x->got;
    return NC_NOERR;
}
