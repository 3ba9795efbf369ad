/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worker threads of the process. Each waits for tickets at a place of its own, so that a ticket wakes one worker
 * and no other sees it.
 *
 * Idle workers are a stack: the one that worked last is taken first, and is likely to be awake. Its head has the
 * number of a worker, and a count of changes, so that a head that was taken and put back in between differs.
 */
#include "util/pool_int.h"
#include "platform/platform.h"

enum { WORKERS = NCZ_POOL_THREADS_MOST - 1, NUMBER_BITS = 16 };

#define NUMBER(head) ((unsigned)((head)&0xffff)) /* of the first, from 1; 0: none is idle */

struct ncz_worker {
    _Alignas(NCZ_POOL_CACHE_LINE) _Atomic(void *) ticket; /* NULL: awake without one; or `asleep` or `absent` */
    atomic_uint     below;                                /* in the stack: the number of the next */
    pthread_mutex_t lock;                                 /* of falling asleep */
    pthread_cond_t  wake;
    pthread_t       thread;
    bool            started;
    bool            brief; /* its last wait was short */
    atomic_uint     ntickets, nwakes;
};

static char asleep, absent; /* only their addresses are used */

static struct {
    pthread_mutex_t lock; /* of starting and stopping */
    atomic_bool     stopping;
    atomic_uint     nused; /* the rest have had no thread yet */
    ncz_worker      all[WORKERS];
    _Alignas(NCZ_POOL_CACHE_LINE) _Atomic uint64_t idle;
} workers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t made = PTHREAD_ONCE_INIT;

/* ---- the stack ---- */

void
ncz_pool_worker_put(ncz_worker *w)
{
    uint64_t head = workers.idle, number = (uint64_t)(w - workers.all) + 1;

    do {
        w->below = NUMBER(head);
    } while (
        !atomic_compare_exchange_weak(&workers.idle, &head, ((head >> NUMBER_BITS) + 1) << NUMBER_BITS | number));
}

static void
make_workers(void)
{
    workers.idle = 0;
    workers.nused = 0;
    for (size_t i = WORKERS; i-- > 0;) {
        ncz_worker *w = &workers.all[i];

        w->ticket = &absent;
        w->started = false;
        (void)pthread_mutex_init(&w->lock, NULL);
        (void)pthread_cond_init(&w->wake, NULL);
        ncz_pool_worker_put(w);
    }
}

ncz_worker *
ncz_pool_worker_take(void)
{
    uint64_t    head;
    ncz_worker *w;

    (void)pthread_once(&made, make_workers);
    head = workers.idle;
    do {
        if (NUMBER(head) == 0)
            return NULL;
        w = &workers.all[NUMBER(head) - 1];
    } while (
        !atomic_compare_exchange_weak(&workers.idle, &head, ((head >> NUMBER_BITS) + 1) << NUMBER_BITS | w->below));
    return w;
}

/* ---- tickets ---- */

static bool
change_ticket(ncz_worker *w, void *from, void *to)
{
    return atomic_compare_exchange_strong(&w->ticket, &from, to);
}

/* Only whoever took it may: nobody else gives it tickets meanwhile. */
static bool
start_thread(ncz_worker *w, void *(*run)(void *))
{
    bool started = false;

    (void)pthread_mutex_lock(&workers.lock);
    if (!workers.stopping) {
        w->ticket = NULL;
        started = ncz_sys_thread_start(&w->thread, run, w) == 0;
        if (!started)
            w->ticket = &absent;
        w->started = started;
        if (started && w >= workers.all + workers.nused)
            workers.nused = (unsigned)(w - workers.all) + 1;
    }
    (void)pthread_mutex_unlock(&workers.lock);
    return started;
}

static void
wake(ncz_worker *w)
{
    (void)pthread_mutex_lock(&w->lock);
    (void)pthread_cond_signal(&w->wake);
    (void)pthread_mutex_unlock(&w->lock);
}

bool
ncz_pool_worker_give(ncz_worker *w, void *ticket, void *(*run)(void *))
{
    void *before;
    bool  started = false;

    do { /* meanwhile it may fall asleep, even when it was just started, or end */
        if ((before = w->ticket) == &absent) {
            if (!start_thread(w, run))
                return false;
            started = true;
            before = NULL;
        }
    } while (!change_ticket(w, before, ticket));
    w->ntickets++;
    if (started || before == &asleep)
        w->nwakes++;
    if (before == &asleep)
        wake(w);
    return true;
}

ncz_worker *
ncz_pool_worker_take_back(void *ticket)
{
    for (ncz_worker *w = workers.all; w < workers.all + workers.nused; w++)
        if (w->ticket == ticket && change_ticket(w, ticket, NULL))
            return w;
    return NULL;
}

/* ---- a worker's wait ---- */

static bool
has_ticket(const void *worker)
{
    const ncz_worker *w = worker;

    return w->ticket != NULL || workers.stopping;
}

static void
fall_asleep(ncz_worker *w)
{
    (void)pthread_mutex_lock(&w->lock);
    if (!workers.stopping && change_ticket(w, NULL, &asleep))
        while (w->ticket == &asleep)
            (void)pthread_cond_wait(&w->wake, &w->lock);
    (void)pthread_mutex_unlock(&w->lock);
}

/* Since then: is the next wait likely to be short? */
static bool
is_short(int64_t began)
{
    return ncz_now_ns() - began < NCZ_POOL_SPIN_NS;
}

void *
ncz_pool_worker_wait(ncz_worker *w)
{
    int64_t began = ncz_now_ns();

    for (;;) {
        void *ticket;

        if (w->brief)
            ncz_pool_spin(has_ticket, w, false);
        if ((ticket = w->ticket) == NULL && !workers.stopping) {
            fall_asleep(w);
            w->brief = is_short(began);
        } else if (change_ticket(w, ticket, ticket != NULL ? NULL : &absent)) { /* else it was taken back */
            w->brief = is_short(began);
            return ticket;
        }
    }
}

/* ---- the end, and forks ---- */

/* Under its lock: it is asleep already, or sees that they stop before it sleeps. */
static void
wake_to_end(ncz_worker *w)
{
    (void)pthread_mutex_lock(&w->lock);
    if (change_ticket(w, &asleep, NULL))
        (void)pthread_cond_signal(&w->wake);
    (void)pthread_mutex_unlock(&w->lock);
}

/* One at a time. Threads that have tickets work first. */
void
ncz_pool_workers_stop(void)
{
    (void)pthread_mutex_lock(&workers.lock);
    workers.stopping = true;
    (void)pthread_mutex_unlock(&workers.lock);
    for (ncz_worker *w = workers.all; w < workers.all + workers.nused; w++) {
        if (!w->started)
            continue;
        wake_to_end(w);
        (void)pthread_join(w->thread, NULL);
        w->started = false;
    }
    workers.stopping = false;
}

void
ncz_pool_workers_lock(void)
{
    (void)pthread_mutex_lock(&workers.lock);
}

void
ncz_pool_workers_unlock(void)
{
    (void)pthread_mutex_unlock(&workers.lock);
}

void
ncz_pool_workers_forked(void)
{
    workers.stopping = false;
    make_workers();
}

ncz_pool_counts
ncz_pool_count(void)
{
    ncz_pool_counts n = {.spins = ncz_pool_spins()};

    for (size_t i = 0; i < WORKERS; i++) {
        n.tickets += workers.all[i].ntickets;
        n.wakes += workers.all[i].nwakes;
    }
    return n;
}
