/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multipart uploads, for objects too large for one request, or whose bytes come in pieces: begin, put the parts (many
 * at once, each with its own retries, in any order, and again if their bytes change), complete. The object appears
 * whole with the last step. A failed upload is aborted, since unfinished parts cost money.
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
#define REPLY_MOST ((uint64_t)1 << 20)

struct ncz_s3_upload {
    ncz_s3 *s;
    char   *key, *upload; /* upload: its id; NULL: there is none */
    char    id[33];       /* the write id */
};

bool
ncz_s3_is_large(size_t nbytes)
{
    return nbytes > LARGE;
}

/* The text of a child of the root element. NULL: it has none. */
static int
find_text(const ncz_buf *reply, const char *name, char **out)
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
    return rc;
}

/* The ETag of an object or part, from the answer, or from that to the question whether the object is this one. */
static void
find_etag(const ncz_buf *reply, ncz_s3_op *op)
{
    char *etag = NULL;

    if (op->etag[0] == '\0' && find_text(reply, "ETag", &etag) == NC_NOERR && etag != NULL &&
        strlen(etag) < sizeof op->etag)
        memcpy(op->etag, etag, strlen(etag) + 1);
    ncz_free(etag);
}

/* ---- beginning ---- */

static int
begin_upload(ncz_s3_upload *u)
{
    const ncz_s3_pair query = {"uploads", NULL};
    ncz_buf           reply = NCZ_BUF_INIT;
    ncz_s3_op         op = {.verb = NCZ_S3_POST,
                            .key = u->key,
                            .query = &query,
                            .nquery = 1,
                            .most = REPLY_MOST,
                            .body = &reply,
                            .tagged = true};
    int               rc = ncz_s3_do(u->s, &op);

    if (rc == NC_NOERR && (rc = find_text(&reply, "UploadId", &u->upload)) == NC_NOERR && u->upload == NULL)
        rc = ncz_fail(NC_ES3, "%s: the answer to the begin of an upload has no upload id", u->s->name);
    memcpy(u->id, op.id, sizeof u->id);
    ncz_buf_clear(&reply);
    return rc;
}

static void
free_upload(ncz_s3_upload *u)
{
    ncz_free(u->upload);
    ncz_free(u->key);
    ncz_free(u);
}

int
ncz_s3_upload_begin(ncz_s3 *s, const char *key, ncz_s3_upload **out)
{
    ncz_s3_upload *u = ncz_zalloc(sizeof *u);
    int            rc;

    if (u == NULL)
        return ncz_fail_nomem(sizeof *u);
    u->s = s;
    rc = (u->key = ncz_strdup(key)) != NULL ? begin_upload(u) : ncz_fail_nomem(strlen(key) + 1);
    if (rc != NC_NOERR) {
        free_upload(u);
        return rc;
    }
    *out = u;
    return NC_NOERR;
}

/* ---- parts ---- */

typedef struct request {
    ncz_s3_pair query[2];
    char        number[24];
    ncz_buf     reply; /* of a copy */
} request;

static size_t
choose_part_bytes(size_t nbytes)
{
    size_t n = nbytes / NCZ_S3_PARTS_MOST + 1;

    return n > PART ? n : PART;
}

static void
make_request(const ncz_s3_upload *u, const ncz_s3_part *part, request *r, ncz_s3_op *op)
{
    bool copies = part->data == NULL && part->ndata > 0;

    *r = (request){.reply = NCZ_BUF_INIT};
    snprintf(r->number, sizeof r->number, "%zu", part->number);
    r->query[0] = (ncz_s3_pair){"partNumber", r->number};
    r->query[1] = (ncz_s3_pair){"uploadId", u->upload};
    *op = (ncz_s3_op){.verb = NCZ_S3_PUT, .key = u->key, .query = r->query, .nquery = 2};
    op->data = part->data;
    op->ndata = copies ? 0 : part->ndata;
    if (!copies)
        return;
    op->verb = NCZ_S3_COPY;
    op->copy_off = part->off;
    op->copy_len = part->ndata;
    op->when = NCZ_S3_IF_MATCH;
    op->version = part->version;
    op->most = REPLY_MOST;
    op->body = &r->reply;
}

/* A copy has the part's ETag in its answer, with no ETag of its own in the head. */
static int
find_part_etag(const ncz_s3_upload *u, request *r, ncz_s3_op *op, ncz_s3_part *part)
{
    if (op->verb == NCZ_S3_COPY) {
        op->etag[0] = '\0';
        find_etag(&r->reply, op);
        if (op->etag[0] == '\0')
            return ncz_fail(NC_ES3, "%s: the answer to the copy of a part has no ETag", u->s->name);
    }
    memcpy(part->etag, op->etag, sizeof part->etag);
    return NC_NOERR;
}

int
ncz_s3_upload_put(ncz_s3_upload *u, ncz_s3_part *const *parts, size_t n)
{
    ncz_s3_op *ops = ncz_alloc_n(n, sizeof *ops);
    request   *requests = ncz_alloc_n(n, sizeof *requests);
    int        rc = NC_NOERR;

    if (ops == NULL || requests == NULL)
        rc = ncz_fail_nomem(n * sizeof *ops);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        make_request(u, parts[i], &requests[i], &ops[i]);
    if (rc == NC_NOERR) {
        rc = ncz_s3_run_all(u->s, ops, n);
        for (size_t i = 0; rc == NC_NOERR && i < n; i++)
            rc = find_part_etag(u, &requests[i], &ops[i], parts[i]);
        for (size_t i = 0; i < n; i++)
            ncz_buf_clear(&requests[i].reply);
    }
    ncz_free(ops);
    ncz_free(requests);
    return rc;
}

/* ---- completing and aborting ---- */

static int
append_parts(const ncz_s3_part *parts, size_t n, ncz_buf *out)
{
    int rc = ncz_buf_puts(out, "<CompleteMultipartUpload>");

    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        if ((rc = ncz_buf_printf(out, "<Part><PartNumber>%zu</PartNumber><ETag>", parts[i].number)) == NC_NOERR &&
            (rc = ncz_s3_xml_escape(out, parts[i].etag)) == NC_NOERR)
            rc = ncz_buf_puts(out, "</ETag></Part>");
    }
    return rc == NC_NOERR ? ncz_buf_puts(out, "</CompleteMultipartUpload>") : rc;
}

int
ncz_s3_upload_complete(ncz_s3_upload *u, const ncz_s3_part *parts, size_t n, ncz_s3_op *whole)
{
    const ncz_s3_pair query = {"uploadId", u->upload};
    ncz_buf           body = NCZ_BUF_INIT, reply = NCZ_BUF_INIT;
    ncz_s3_op         op = {.verb = NCZ_S3_POST,
                            .key = u->key,
                            .query = &query,
                            .nquery = 1,
                            .most = REPLY_MOST,
                            .body = &reply,
                            .when = whole->when,
                            .version = whole->version};
    int               rc;

    memcpy(op.id, u->id, sizeof op.id);
    if ((rc = append_parts(parts, n, &body)) == NC_NOERR) {
        op.data = body.data;
        op.ndata = body.len;
        rc = ncz_s3_do(u->s, &op);
    }
    if (rc == NC_NOERR) {
        find_etag(&reply, &op);
        ncz_free(u->upload);
        u->upload = NULL;
    }
    whole->status = op.status;
    memcpy(whole->etag, op.etag, sizeof whole->etag);
    ncz_buf_clear(&body);
    ncz_buf_clear(&reply);
    return rc;
}

static void
abort_upload(ncz_s3_upload *u)
{
    const ncz_s3_pair query = {"uploadId", u->upload};
    ncz_s3_op         op = {.verb = NCZ_S3_DELETE, .key = u->key, .query = &query, .nquery = 1};

    if (ncz_s3_do(u->s, &op) != NC_NOERR)
        ncz_log(NCZ_LOG_WARN, "%s%s%s: an unfinished upload remains: %s", u->s->name, u->key[0] != '\0' ? "/" : "",
                u->key, ncz_err_text());
}

void
ncz_s3_upload_end(ncz_s3_upload *u)
{
    ncz_err text;

    if (u == NULL)
        return;
    ncz_err_save(&text, NC_EINVAL); /* any code: only the text counts */
    if (u->upload != NULL)
        abort_upload(u);
    (void)ncz_err_adopt(&text);
    free_upload(u);
}

/* ---- one object, whose bytes are in memory ---- */

static int
put_whole(ncz_s3_upload *u, ncz_s3_op *op, ncz_s3_part *parts, ncz_s3_part **all, size_t n)
{
    size_t each = choose_part_bytes(op->ndata);
    int    rc;

    for (size_t i = 0; i < n; i++) {
        parts[i] = (ncz_s3_part){.number = i + 1,
                                 .data = (const char *)op->data + i * each,
                                 .ndata = i + 1 < n ? each : op->ndata - i * each};
        all[i] = &parts[i];
    }
    rc = ncz_s3_upload_put(u, all, n);
    return rc == NC_NOERR ? ncz_s3_upload_complete(u, parts, n, op) : rc;
}

int
ncz_s3_put_large(ncz_s3 *s, ncz_s3_op *op)
{
    size_t         n = (op->ndata + choose_part_bytes(op->ndata) - 1) / choose_part_bytes(op->ndata);
    ncz_s3_part   *parts = ncz_alloc_n(n, sizeof *parts), **all = ncz_alloc_n(n, sizeof *all);
    ncz_s3_upload *u = NULL;
    int            rc;

    if (parts == NULL || all == NULL)
        rc = ncz_fail_nomem(n * sizeof *parts);
    else if ((rc = ncz_s3_upload_begin(s, op->key, &u)) == NC_NOERR)
        rc = put_whole(u, op, parts, all, n);
    ncz_s3_upload_end(u);
    ncz_free(all);
    ncz_free(parts);
    op->rc = rc;
    return rc;
}
