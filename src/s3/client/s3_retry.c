/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When to retry: after growing random delays, so that clients that failed together do not return together, and no
 * sooner than the server asks; within the tries and the time of the operation, and from one stock of tokens per client,
 * so that a dead endpoint fails fast. An overloaded server gets fewer requests at once, and more again as it answers.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

#define DELAY_MS      100  /* longest delay before the first retry */
#define DELAY_SLOW_MS 1000 /* the same, for a server that asks for fewer requests */
#define DELAY_MOST_MS 20000
#define AFTER_MOST_S  120 /* longest delay that a server may ask for */
#define TOKENS        500
#define PRICE         5
#define PRICE_TIMEOUT 10

uint64_t
ncz_s3_random(void)
{
    uint64_t seed[2];

    seed[0] = (uint64_t)ncz_now_ns();
    seed[1] = (uint64_t)(uintptr_t)seed; /* differs between the stacks of threads */
    return ncz_hash(seed, sizeof seed);  /* keyed with a random number of the process */
}

static bool
take_tokens(ncz_s3 *s, int price)
{
    bool can;

    (void)pthread_mutex_lock(&s->lock);
    if ((can = s->tokens >= price))
        s->tokens -= price;
    (void)pthread_mutex_unlock(&s->lock);
    return can;
}

static void
reduce_in_flight(ncz_s3 *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->in_flight = s->in_flight > 1 ? s->in_flight / 2 : 1;
    s->good = 0;
    (void)pthread_mutex_unlock(&s->lock);
}

int64_t
ncz_s3_retry_delay(ncz_s3_batch *b, const ncz_s3_op *op, bool timeout, bool slow, int64_t after_s)
{
    ncz_s3 *s = b->s;
    int64_t most = slow ? DELAY_SLOW_MS : DELAY_MS, wait;

    if (slow)
        reduce_in_flight(s);
    if (op->tries >= s->settings->attempts || ncz_s3_progress_time_left(b) <= 0 ||
        !take_tokens(s, timeout ? PRICE_TIMEOUT : PRICE))
        return -1;
    for (unsigned i = 1; i < op->tries && most < DELAY_MOST_MS; i++)
        most *= 2;
    if (most > DELAY_MOST_MS)
        most = DELAY_MOST_MS;
    wait = (int64_t)(ncz_s3_random() % (uint64_t)(most + 1));
    if (after_s > AFTER_MOST_S)
        after_s = AFTER_MOST_S;
    if (wait < after_s * 1000)
        wait = after_s * 1000 + wait / 10;
    if (wait >= ncz_s3_progress_time_left(b))
        return -1;
    if (op->deadline != 0 && ncz_now_ms() + wait >= op->deadline)
        return -1;
    return wait;
}

void
ncz_s3_retry_note_success(ncz_s3 *s, const ncz_s3_op *op)
{
    (void)pthread_mutex_lock(&s->lock);
    s->tokens += op->tries > 1 ? PRICE : 1;
    if (s->tokens > TOKENS)
        s->tokens = TOKENS;
    if (s->in_flight < s->settings->in_flight && ++s->good >= s->in_flight) {
        s->in_flight++;
        s->good = 0;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

unsigned
ncz_s3_max_in_flight(ncz_s3 *s)
{
    unsigned n;

    (void)pthread_mutex_lock(&s->lock);
    n = s->in_flight;
    (void)pthread_mutex_unlock(&s->lock);
    return n;
}
