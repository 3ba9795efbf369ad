/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multipart uploads, for objects too large for one request: begin, put the parts (many at once, each with its own
 * retries), complete. The object appears whole with the last step. A failed upload is aborted, since unfinished parts
 * cost money.
 *
 * The upload has a write id: if the answer to the last step is lost, the retry finds no upload any more, and the write
 * id of the object shows whether it was completed.
 */
#include "s3/client/s3_client_int.h"
#include "s3/protocol/s3_xml.h"

#include <stdio.h>
#include <string.h>

#define LARGE      ((size_t)64 << 20)
#define PART       ((size_t)32 << 20)
#define PARTS_MOST 10000
#define REPLY_MOST ((uint64_t)1 << 20)

bool
ncz_s3_is_large(size_t nbytes)
{
    return nbytes > LARGE;
}

/* The text of a child of the root element. */
static int
find_text(const ncz_s3 *s, const ncz_buf *reply, const char *name, char **out)
{
    ncz_s3_xml       x;
    ncz_s3_xml_event event = NCZ_S3_XML_OPEN;
    int              rc = NC_NOERR;

    *out = NULL;
    ncz_s3_xml_init(&x, ncz_buf_str(reply), reply->len);
    while (*out == NULL && event != NCZ_S3_XML_END && (rc = ncz_s3_xml_next(&x, &event)) == NC_NOERR)
        if (event == NCZ_S3_XML_CLOSE && x.depth == 1 && ncz_s3_xml_is(&x, name) &&
            (*out = ncz_strdup(ncz_buf_str(&x.text))) == NULL) {
            rc = ncz_fail_nomem(x.text.len);
            break;
        }
    ncz_s3_xml_clear(&x);
    if (rc == NC_NOERR && *out == NULL)
        rc = ncz_fail(NC_ES3, "%s: the answer to the begin of an upload has no upload id", s->name);
    return rc;
}

static int
begin_upload(ncz_s3 *s, const ncz_s3_op *whole, ncz_s3_op *op, char **upload)
{
    const ncz_s3_pair query = {"uploads", NULL};
    ncz_buf           reply = NCZ_BUF_INIT;
    int               rc;

    *op = (ncz_s3_op){.verb = NCZ_S3_POST,
                      .key = whole->key,
                      .query = &query,
                      .nquery = 1,
                      .most = REPLY_MOST,
                      .body = &reply,
                      .tagged = true};
    if ((rc = ncz_s3_do(s, op)) == NC_NOERR)
        rc = find_text(s, &reply, "UploadId", upload);
    ncz_buf_clear(&reply);
    return rc;
}

/* ---- parts ---- */

typedef struct part {
    ncz_s3_pair query[2];
    char        number[24];
} part;

static size_t
choose_part_bytes(size_t nbytes)
{
    size_t n = nbytes / PARTS_MOST + 1;

    return n > PART ? n : PART;
}

static int
put_parts(ncz_s3 *s, const ncz_s3_op *whole, const char *upload, ncz_s3_op *ops, part *parts, size_t n)
{
    size_t each = choose_part_bytes(whole->ndata);

    for (size_t i = 0; i < n; i++) {
        snprintf(parts[i].number, sizeof parts[i].number, "%zu", i + 1);
        parts[i].query[0] = (ncz_s3_pair){"partNumber", parts[i].number};
        parts[i].query[1] = (ncz_s3_pair){"uploadId", upload};
        ops[i] = (ncz_s3_op){.verb = NCZ_S3_PUT,
                             .key = whole->key,
                             .query = parts[i].query,
                             .nquery = 2,
                             .data = (const char *)whole->data + i * each,
                             .ndata = i + 1 < n ? each : whole->ndata - i * each};
    }
    return ncz_s3_run_all(s, ops, n);
}

/* ---- completing and aborting ---- */

static int
append_parts(const ncz_s3_op *parts, size_t n, ncz_buf *out)
{
    int rc = ncz_buf_puts(out, "<CompleteMultipartUpload>");

    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        if ((rc = ncz_buf_printf(out, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1)) == NC_NOERR &&
            (rc = ncz_s3_xml_escape(out, parts[i].etag)) == NC_NOERR)
            rc = ncz_buf_puts(out, "</ETag></Part>");
    }
    return rc == NC_NOERR ? ncz_buf_puts(out, "</CompleteMultipartUpload>") : rc;
}

static int
complete_upload(ncz_s3 *s, ncz_s3_op *whole, const char *upload, const char *id, const ncz_s3_op *parts, size_t n)
{
    const ncz_s3_pair query = {"uploadId", upload};
    ncz_buf           body = NCZ_BUF_INIT, reply = NCZ_BUF_INIT;
    ncz_s3_op         op = {.verb = NCZ_S3_POST,
                            .key = whole->key,
                            .query = &query,
                            .nquery = 1,
                            .most = REPLY_MOST,
                            .body = &reply,
                            .when = whole->when,
                            .version = whole->version};
    int               rc;

    memcpy(op.id, id, sizeof op.id);
    if ((rc = append_parts(parts, n, &body)) == NC_NOERR) {
        op.data = body.data;
        op.ndata = body.len;
        rc = ncz_s3_do(s, &op);
    }
    whole->status = op.status;
    ncz_buf_clear(&body);
    ncz_buf_clear(&reply);
    return rc;
}

static void
abort_upload(ncz_s3 *s, const ncz_s3_op *whole, const char *upload)
{
    const ncz_s3_pair query = {"uploadId", upload};
    ncz_s3_op         op = {.verb = NCZ_S3_DELETE, .key = whole->key, .query = &query, .nquery = 1};

    if (ncz_s3_do(s, &op) != NC_NOERR)
        ncz_log(NCZ_LOG_WARN, "%s/%s: an unfinished upload remains: %s", s->name, whole->key, ncz_err_text());
}

int
ncz_s3_put_large(ncz_s3 *s, ncz_s3_op *op)
{
    size_t     n = (op->ndata + choose_part_bytes(op->ndata) - 1) / choose_part_bytes(op->ndata);
    ncz_s3_op *ops = ncz_alloc_n(n, sizeof *ops), first;
    part      *parts = ncz_alloc_n(n, sizeof *parts);
    char      *upload = NULL;
    ncz_err    e;
    int        rc;

    if (ops == NULL || parts == NULL) {
        rc = ncz_fail_nomem(n * sizeof *ops);
        goto done;
    }
    if ((rc = begin_upload(s, op, &first, &upload)) != NC_NOERR)
        goto done;
    if ((rc = put_parts(s, op, upload, ops, parts, n)) == NC_NOERR)
        rc = complete_upload(s, op, upload, first.id, ops, n);
    if (rc != NC_NOERR) {
        ncz_err_save(&e, rc);
        abort_upload(s, op, upload);
        (void)ncz_err_adopt(&e);
    }
done:
    ncz_free(upload);
    ncz_free(ops);
    ncz_free(parts);
    op->rc = rc;
    return rc;
}
