/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rwlock: the parts that wait.
 *
 * A thread that shares adds itself to `sharing` and then looks at `alone`; one that wants the lock alone sets `alone`
 * and then looks at `sharing`. All of these are in one order, the same for all threads, so at least one of the two sees
 * the other, and waits. The same holds for who waits to share (`sleepers`, then `alone`) and who ends being alone
 * (`alone`, then `sleepers`), so that nobody is left asleep: if the lock is still free, it is taken and given back once
 * more; if not, the thread that has it wakes them when it gives it back.
 */
#include "util/rwlock.h"

int
ncz_rwlock_init(ncz_rwlock *l)
{
    int err;

    atomic_init(&l->sharing, 0);
    atomic_init(&l->alone, NCZ_RWLOCK_FREE);
    atomic_init(&l->sleepers, 0);
    l->rounds = 0;
    if ((err = pthread_mutex_init(&l->sleep, NULL)) != 0)
        return err;
    if ((err = pthread_cond_init(&l->changed, NULL)) != 0) {
        (void)pthread_mutex_destroy(&l->sleep);
        return err;
    }
    if ((err = pthread_cond_init(&l->turn, NULL)) != 0) {
        (void)pthread_cond_destroy(&l->changed);
        (void)pthread_mutex_destroy(&l->sleep);
    }
    return err;
}

void
ncz_rwlock_clear(ncz_rwlock *l)
{
    (void)pthread_cond_destroy(&l->turn);
    (void)pthread_cond_destroy(&l->changed);
    (void)pthread_mutex_destroy(&l->sleep);
}

void
ncz_rwlock_wake(ncz_rwlock *l)
{
    (void)pthread_mutex_lock(&l->sleep); /* whoever has looked sleeps by now */
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->sleep);
}

/* Steps back, and waits until whoever has the lock alone lets this thread in. True: it has. */
static bool
sleep_until_let_in(ncz_rwlock *l)
{
    unsigned round;
    bool     let_in;

    ncz_rwlock_unshare(l);
    (void)pthread_mutex_lock(&l->sleep);
    round = l->rounds;
    atomic_fetch_add(&l->sleepers, 1);
    if ((let_in = atomic_load(&l->alone) != NCZ_RWLOCK_FREE))
        while (round == l->rounds)
            (void)pthread_cond_wait(&l->changed, &l->sleep);
    else
        atomic_fetch_sub(&l->sleepers, 1);
    (void)pthread_mutex_unlock(&l->sleep);
    return let_in;
}

void
ncz_rwlock_wait_to_share(ncz_rwlock *l)
{
    while (!sleep_until_let_in(l)) {
        atomic_fetch_add(&l->sharing, 1);
        if (atomic_load(&l->alone) == NCZ_RWLOCK_FREE)
            return;
    }
}

void
ncz_rwlock_wait_for_turn(ncz_rwlock *l)
{
    (void)pthread_mutex_lock(&l->sleep);
    while (atomic_exchange(&l->alone, NCZ_RWLOCK_WANTED) != NCZ_RWLOCK_FREE)
        (void)pthread_cond_wait(&l->turn, &l->sleep);
    (void)pthread_mutex_unlock(&l->sleep);
}

/* One is enough: it has the lock as one that others want, and calls the next of them. */
void
ncz_rwlock_call_next(ncz_rwlock *l)
{
    (void)pthread_mutex_lock(&l->sleep); /* a thread that saw the lock taken is in its wait by now */
    (void)pthread_cond_signal(&l->turn);
    (void)pthread_mutex_unlock(&l->sleep);
}

void
ncz_rwlock_wait_to_take(ncz_rwlock *l)
{
    (void)pthread_mutex_lock(&l->sleep);
    while (atomic_load(&l->sharing) != 0)
        (void)pthread_cond_wait(&l->changed, &l->sleep);
    (void)pthread_mutex_unlock(&l->sleep);
}

/* Gives all sleepers a share, so that who takes the lock alone next waits for them. */
void
ncz_rwlock_let_in(ncz_rwlock *l)
{
    (void)pthread_mutex_lock(&l->sleep);
    atomic_fetch_add(&l->sharing, atomic_exchange(&l->sleepers, 0));
    l->rounds++;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->sleep);
}

void
ncz_rwlock_give_again(ncz_rwlock *l)
{
    unsigned expected = NCZ_RWLOCK_FREE;

    while (atomic_load(&l->sleepers) != 0 && atomic_compare_exchange_strong(&l->alone, &expected, NCZ_RWLOCK_TAKEN)) {
        ncz_rwlock_let_in(l);
        if (atomic_exchange(&l->alone, NCZ_RWLOCK_FREE) == NCZ_RWLOCK_WANTED)
            ncz_rwlock_call_next(l);
    }
}
