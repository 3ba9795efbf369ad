/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rwlock: a lock that any number of threads share, or that one has alone. Threads that come to share it wait while
 * another waits to have it alone; when that one gives it back, all who wait to share it have it before the next one has
 * it alone. So neither keeps the other out for long. No thread may take it twice.
 *
 * Sharing takes one atomic addition, and giving it back another, without a call: a third of what a pthread_rwlock_t
 * takes. Each call of netCDF shares one, and many of them last no longer than a few additions. To have it alone takes
 * as little.
 */
#ifndef NCZ_RWLOCK_H
#define NCZ_RWLOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    NCZ_RWLOCK_FREE,
    NCZ_RWLOCK_TAKEN,  /* one has it alone, or waits until nobody shares it */
    NCZ_RWLOCK_WANTED, /* so, and others may wait for their turn */
};

typedef struct ncz_rwlock {
    atomic_uint     sharing;  /* threads that share it, or have tried and are about to wait */
    atomic_uint     alone;    /* as above */
    atomic_uint     sleepers; /* threads that wait to share it */
    unsigned        rounds;   /* how often sleepers were let in; under `sleep`, like changes of `sleepers` */
    pthread_mutex_t sleep;
    pthread_cond_t  changed; /* nobody shares it any more; or sleepers were let in */
    pthread_cond_t  turn;    /* nobody has it alone any more */
} ncz_rwlock;

int  ncz_rwlock_init(ncz_rwlock *l); /* an errno */
void ncz_rwlock_clear(ncz_rwlock *l);

/* Of the functions below, when they cannot go on at once. */
void ncz_rwlock_wait_to_share(ncz_rwlock *l);
void ncz_rwlock_wait_for_turn(ncz_rwlock *l);
void ncz_rwlock_wait_to_take(ncz_rwlock *l);
void ncz_rwlock_wake(ncz_rwlock *l);       /* who waits to have it alone */
void ncz_rwlock_let_in(ncz_rwlock *l);     /* those who wait to share it */
void ncz_rwlock_call_next(ncz_rwlock *l);  /* who waits for a turn */
void ncz_rwlock_give_again(ncz_rwlock *l); /* for those who went to sleep as it was given back */

static inline void
ncz_rwlock_share(ncz_rwlock *l)
{
    atomic_fetch_add(&l->sharing, 1);
    if (atomic_load(&l->alone) != NCZ_RWLOCK_FREE)
        ncz_rwlock_wait_to_share(l);
}

static inline void
ncz_rwlock_unshare(ncz_rwlock *l)
{
    if (atomic_fetch_sub(&l->sharing, 1) == 1 && atomic_load(&l->alone) != NCZ_RWLOCK_FREE)
        ncz_rwlock_wake(l);
}

/* Alone. */
static inline void
ncz_rwlock_take(ncz_rwlock *l)
{
    unsigned expected = NCZ_RWLOCK_FREE;

    if (!atomic_compare_exchange_strong(&l->alone, &expected, NCZ_RWLOCK_TAKEN))
        ncz_rwlock_wait_for_turn(l);
    if (atomic_load(&l->sharing) != 0)
        ncz_rwlock_wait_to_take(l);
}

static inline void
ncz_rwlock_give(ncz_rwlock *l)
{
    if (atomic_load(&l->sleepers) != 0)
        ncz_rwlock_let_in(l); /* first, so that nobody has it alone in between */
    if (atomic_exchange(&l->alone, NCZ_RWLOCK_FREE) == NCZ_RWLOCK_WANTED)
        ncz_rwlock_call_next(l);
    if (atomic_load(&l->sleepers) != 0)
        ncz_rwlock_give_again(l);
}

#endif /* NCZ_RWLOCK_H */
