/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When to try again: delays that grow, drawn at random so that many who failed together do not come back together; as
 * long as the server asks, if it asks; not beyond an operation's tries or time, and out of one stock for all of a
 * client's operations, so that a dead endpoint fails fast. A server that is overloaded gets fewer requests at once,
 * and more again as it answers.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

#define DELAY_MS      100  /* most before the first further try */
#define DELAY_SLOW_MS 1000 /* the same, of a server that asks for less */
#define DELAY_MOST_MS 20000
#define AFTER_MOST_S  120 /* no server is obeyed for longer */
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
pay(ncz_s3 *s, int price)
{
    bool can;

    (void)pthread_mutex_lock(&s->lock);
    if ((can = s->tokens >= price))
        s->tokens -= price;
    (void)pthread_mutex_unlock(&s->lock);
    return can;
}

static void
slow_down(ncz_s3 *s)
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
        slow_down(s);
    if (op->tries >= s->settings->attempts || ncz_s3_progress_time_left(b) <= 0 ||
        !pay(s, timeout ? PRICE_TIMEOUT : PRICE))
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
