/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits the time that a batch waits without progress, so that no server blocks a caller for ever, whether it hangs,
 * sends a byte now and then, or asks to come back later.
 *
 * A batch counts the time that it waits. Each PROGRESS_BYTES transferred subtract a second, so that a slow but working
 * connection is never cut; an answer resets the count. Time spent on answers and between calls does not count. The
 * batch's thread does the counting; the client's lock guards the value that the next batch continues.
 */
#include "s3/client/s3_client_int.h"

#include <inttypes.h>
#include <stdio.h>

#define PROGRESS_BYTES 4096 /* per second */
#define PAUSE_MS       1000 /* after a longer pause a batch belongs to another call */

static int64_t
time_out_ms(const ncz_s3_batch *b)
{
    return b->s->settings->progress_timeout_ms;
}

void
ncz_s3_progress_begin(ncz_s3_batch *b)
{
    int64_t pause = time_out_ms(b) < PAUSE_MS ? time_out_ms(b) : PAUSE_MS;

    (void)pthread_mutex_lock(&b->s->lock);
    if (b->s->quiet_ms > 0 && ncz_now_ms() - b->s->quiet_at < pause)
        b->quiet_ms = b->s->quiet_ms;
    (void)pthread_mutex_unlock(&b->s->lock);
}

void
ncz_s3_progress_end(const ncz_s3_batch *b)
{
    (void)pthread_mutex_lock(&b->s->lock);
    b->s->quiet_ms = b->quiet_ms;
    b->s->quiet_at = b->quiet_ms > 0 ? ncz_now_ms() : 0;
    (void)pthread_mutex_unlock(&b->s->lock);
}

int64_t
ncz_s3_progress_time_left(const ncz_s3_batch *b)
{
    return time_out_ms(b) > 0 ? time_out_ms(b) - b->quiet_ms : INT64_MAX;
}

int64_t
ncz_s3_progress_add_wait(ncz_s3_batch *b, int64_t ms, uint64_t moved)
{
    int64_t earned = moved < INT64_MAX / 1000 ? (int64_t)(moved * 1000 / PROGRESS_BYTES) : INT64_MAX;

    b->quiet_ms += ms;
    b->quiet_ms = earned < b->quiet_ms ? b->quiet_ms - earned : 0;
    return ncz_s3_progress_time_left(b);
}

void
ncz_s3_progress_reset(ncz_s3_batch *b)
{
    b->quiet_ms = 0;
}

int
ncz_s3_progress_fail(const ncz_s3_batch *b, const ncz_s3_op *op)
{
    int64_t ms = time_out_ms(b);
    char    limit[40];

    if (ms % 1000 == 0)
        (void)snprintf(limit, sizeof limit, "%" PRId64 " s", ms / 1000);
    else
        (void)snprintf(limit, sizeof limit, "%" PRId64 " ms", ms);
    return ncz_s3_fail(b->s, op, NC_ECURL,
                       "no progress for %s: given up (NCZARR_TIMEOUT and NCZARR.TIMEOUT in .ncrc set the limit)",
                       limit);
}
