/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queue of a batch: which operation is tried next, which waits until when, and how one ends. s3_request_loop.c,
 * s3_response.c and s3_recover.c use it.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

void
ncz_s3_finish(ncz_s3_batch *b, ncz_s3_op *op, int rc)
{
    ncz_free(op->place);
    ncz_free(op->first);
    op->place = NULL;
    op->first = NULL;
    op->rc = rc;
    if (b->done != NULL)
        b->done(op, b->arg);
}

void
ncz_s3_schedule(ncz_s3_batch *b, ncz_s3_op *op, int64_t ms)
{
    ncz_s3_op **at = &b->later;

    op->due = ncz_now_ms() + ms;
    while (*at != NULL && (*at)->due <= op->due)
        at = &(*at)->link;
    op->link = *at;
    *at = op;
}

ncz_s3_op *
ncz_s3_next_op(ncz_s3_batch *b, long *wait_ms)
{
    ncz_s3_op *op = b->later;
    int64_t    now = op != NULL ? ncz_now_ms() : 0;

    *wait_ms = -1;
    if (op != NULL && (op->due <= now || ncz_s3_progress_time_left(b) <= 0)) {
        b->later = op->link;
        return op;
    }
    if (b->fresh < b->n)
        return &b->ops[b->fresh++];
    if (op != NULL)
        *wait_ms = (long)(op->due - now);
    return NULL;
}
