/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock that threads share or have alone. ThreadSanitizer sees what is not guarded. */
#include "support/test.h"

#include "util/rwlock.h"

enum { THREADS = 4, ROUNDS = 20000 };

typedef struct shared {
    ncz_rwlock  lock;
    unsigned    value, twin; /* the same, but while one thread has the lock alone */
    atomic_bool stop;
} shared;

/* Shares the lock three times of four, else has it alone. */
static void *
mix(void *arg)
{
    shared *s = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i % 4 != 3) {
            ncz_rwlock_share(&s->lock);
            if (s->value != s->twin)
                abort();
            ncz_rwlock_unshare(&s->lock);
        } else {
            ncz_rwlock_take(&s->lock);
            s->value++;
            s->twin++;
            ncz_rwlock_give(&s->lock);
        }
    }
    return NULL;
}

static void
start(shared *s)
{
    s->value = s->twin = 0;
    atomic_init(&s->stop, false);
    assert_int_equal(ncz_rwlock_init(&s->lock), 0);
}

TEST(readers_and_writers_exclude_each_other)
{
    shared    s;
    pthread_t threads[THREADS];

    start(&s);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mix, &s), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(s.value, THREADS * (ROUNDS / 4));
    assert_int_equal(s.twin, s.value);
    assert_int_equal(atomic_load(&s.lock.sharing), 0);
    assert_int_equal(atomic_load(&s.lock.sleepers), 0);
    ncz_rwlock_clear(&s.lock);
}

static void *
take_on_and_on(void *arg)
{
    shared *s = arg;

    while (!atomic_load(&s->stop)) {
        ncz_rwlock_take(&s->lock);
        s->value++;
        ncz_rwlock_give(&s->lock);
    }
    return NULL;
}

static void *
share_on_and_on(void *arg)
{
    shared *s = arg;

    while (!atomic_load(&s->stop)) {
        ncz_rwlock_share(&s->lock);
        ncz_rwlock_unshare(&s->lock);
    }
    return NULL;
}

/* Threads that take it alone all the time do not keep out one that shares it, nor the other way round: else this does
 * not end. */
TEST(nobody_is_kept_out)
{
    shared    s;
    pthread_t threads[THREADS];

    for (int alone = 0; alone < 2; alone++) {
        start(&s);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, alone ? share_on_and_on : take_on_and_on, &s), 0);
        for (int i = 0; i < 200; i++)
            if (alone) {
                ncz_rwlock_take(&s.lock);
                s.value++;
                ncz_rwlock_give(&s.lock);
            } else {
                ncz_rwlock_share(&s.lock);
                ncz_rwlock_unshare(&s.lock);
            }
        atomic_store(&s.stop, true);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        ncz_rwlock_clear(&s.lock);
    }
}
