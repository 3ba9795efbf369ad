/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool: the workers of the process, and the scratch of those who work.
 *
 * One lock for all; it is never held while a task runs. Batches with tasks left stand in a list; a worker takes some
 * tasks of the first one that has room for it, a caller only those of its own, so that no caller waits for another's.
 * A batch lives on its caller's stack: its caller waits until no worker is in it.
 *
 * After a fork the child has no workers, whatever the parent had: it makes its own when it needs them.
 */
#include "util/util.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    THREADS_MOST = 256,
    IDLE_SCRATCH = 16, /* kept for callers; workers have their own */
    AWAKE_NS = 100000, /* longest wait without sleep: about what it costs to be put to sleep and woken, twice */
};

#define SCRATCH_KEPT ((size_t)32 << 20) /* larger buffers are given up after use */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t  work; /* for workers: there are tasks, or it is time to end */
    ncz_pool_batch *first, *last;
    pthread_t       threads[THREADS_MOST];
    unsigned        nthreads; /* workers started and not joined */
    unsigned        nidle;
    unsigned        nawake; /* of the idle ones: they look for work by themselves */
    atomic_uint     calls;  /* what a worker that waits awake looks out for: counts the calls for workers */
    bool            stopping;
    unsigned        wanted; /* threads at work, callers among them; 0: not known yet */
    unsigned        cpus;   /* 0: not known yet */
    ncz_scratch     scratch[IDLE_SCRATCH];
    size_t          nscratch;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

/* One stop or start at a time: joining must not happen under the pool's lock. Taken before it. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static _Thread_local bool in_task;

/* ---- forks ---- */

static void
before_fork(void)
{
    (void)pthread_mutex_lock(&ending);
    (void)pthread_mutex_lock(&pool.lock);
}

static void
after_fork(void)
{
    (void)pthread_mutex_unlock(&pool.lock);
    (void)pthread_mutex_unlock(&ending);
}

/* What other threads had in hand is lost with them; the idle scratch is this thread's as well as anyone's. */
static void
after_fork_in_child(void)
{
    pool.first = pool.last = NULL;
    pool.nthreads = pool.nidle = pool.nawake = 0;
    pool.stopping = false;
    pool.work = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* it still counts those who waited */
    after_fork();
}

static void
watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* ---- how many ---- */

/* Under the lock, when the CPUs are known. */
static unsigned
threads_by_default(void)
{
    const char *text = ncz_env("NCZARR_THREADS");
    char       *end;
    long        n;

    if (text != NULL) {
        n = strtol(text, &end, 10);
        if (*end == '\0' && n >= 1)
            return n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
        ncz_log(NCZ_LOG_WARN, "NCZARR_THREADS=%.40s is no number of threads", text);
    }
    return pool.cpus < THREADS_MOST ? pool.cpus : THREADS_MOST;
}

unsigned
ncz_pool_threads(void)
{
    unsigned n;

    (void)pthread_once(&fork_once, watch_forks);
    (void)pthread_mutex_lock(&pool.lock);
    if (pool.cpus == 0)
        pool.cpus = ncz_cpus();
    if (pool.wanted == 0)
        pool.wanted = threads_by_default();
    n = pool.wanted;
    (void)pthread_mutex_unlock(&pool.lock);
    return n;
}

void
ncz_pool_set_threads(unsigned n)
{
    ncz_pool_stop(); /* those that are too many; the others are soon made again */
    (void)pthread_mutex_lock(&pool.lock);
    pool.wanted = n < THREADS_MOST ? n : THREADS_MOST;
    pool.cpus = 0; /* they may be others by now */
    (void)pthread_mutex_unlock(&pool.lock);
}

/* ---- waiting awake ----
 *
 * Calls that follow each other closely are worth less than it costs to wake a worker for each. So whoever waits for
 * a little while only does so awake: a caller for the last tasks of its batch, and a worker whose last wait was short.
 * A program that does other things between its calls finds its workers asleep.
 */

#if defined __x86_64__ || defined __i386__
#define RELAX() __builtin_ia32_pause()
#elif defined __aarch64__
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

typedef struct patience {
    int64_t  until;
    unsigned moments;
} patience;

static int64_t
now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* False when one has waited long enough. */
static bool
wait_a_moment(patience *p)
{
    RELAX();
    return ++p->moments % 16 != 0 || now_ns() < p->until;
}

/* The lock, which whoever has it lets go of at once: not worth a sleep. */
static void
lock_awake(void)
{
    patience p = {.until = now_ns() + AWAKE_NS};

    while (pthread_mutex_trylock(&pool.lock) != 0)
        if (!wait_a_moment(&p)) {
            (void)pthread_mutex_lock(&pool.lock);
            return;
        }
}

/* Is there a CPU for each thread? Else who waits awake keeps others from their work. Under the lock. */
static bool
may_wait_awake(void)
{
    return pool.wanted <= pool.cpus;
}

/* A worker's: until there is a call. Called and left with the lock held, let go of in between. */
static void
await_call(void)
{
    patience p = {.until = now_ns() + AWAKE_NS};
    unsigned seen = atomic_load(&pool.calls);

    pool.nawake++;
    (void)pthread_mutex_unlock(&pool.lock);
    while (atomic_load_explicit(&pool.calls, memory_order_relaxed) == seen && wait_a_moment(&p))
        ;
    lock_awake();
    pool.nawake--;
}

/* A caller's: until no worker is in its batch. The same. */
static void
await_workers(const ncz_pool_batch *b)
{
    patience p = {.until = now_ns() + AWAKE_NS};

    (void)pthread_mutex_unlock(&pool.lock);
    while (atomic_load_explicit(&b->busy, memory_order_relaxed) > 0 && wait_a_moment(&p))
        ;
    lock_awake();
}

/* ---- the list of batches, under the lock ---- */

static void
list_add(ncz_pool_batch *b)
{
    b->behind = NULL;
    b->before = pool.last;
    *(pool.last != NULL ? &pool.last->behind : &pool.first) = b;
    pool.last = b;
}

static void
list_del(ncz_pool_batch *b)
{
    *(b->before != NULL ? &b->before->behind : &pool.first) = b->behind;
    *(b->behind != NULL ? &b->behind->before : &pool.last) = b->before;
}

static ncz_pool_batch *
open_batch(void)
{
    ncz_pool_batch *b = pool.first;

    while (b != NULL && b->busy >= b->most)
        b = b->behind;
    return b;
}

/* Does tasks of a batch until none is left to begin. Called and left with the lock held. */
static void
work_on(ncz_pool_batch *b, ncz_scratch *scratch)
{
    bool outer = in_task;

    in_task = true;
    while (b->next < b->n) {
        size_t at = b->next, end = b->n - at <= b->grain ? b->n : at + b->grain;

        b->next = end;
        if (end == b->n)
            list_del(b);
        (void)pthread_mutex_unlock(&pool.lock);
        for (; at < end; at++)
            b->fn(b->arg, at, scratch);
        (void)pthread_mutex_lock(&pool.lock);
    }
    in_task = outer;
}

/* ---- workers ---- */

/* A batch that has room; NULL: it is time to end. Under the lock. *brief: whether the last wait was, or this one. */
static ncz_pool_batch *
next_batch(bool *brief)
{
    ncz_pool_batch *b = open_batch();
    int64_t         began;

    if (b != NULL || pool.stopping)
        return pool.stopping ? NULL : b;
    began = now_ns();
    pool.nidle++;
    if (*brief && may_wait_awake())
        await_call();
    while (!pool.stopping && (b = open_batch()) == NULL)
        (void)pthread_cond_wait(&pool.work, &pool.lock);
    pool.nidle--;
    *brief = now_ns() - began < AWAKE_NS;
    return pool.stopping ? NULL : b;
}

static void *
worker(void *arg)
{
    ncz_scratch     scratch = NCZ_SCRATCH_INIT;
    ncz_pool_batch *b;
    bool            brief = false;

    (void)arg;
    (void)pthread_mutex_lock(&pool.lock);
    while ((b = next_batch(&brief)) != NULL) {
        b->busy++;
        work_on(b, &scratch);
        if (--b->busy == 0 && b->done != NULL)
            (void)pthread_cond_signal(b->done);
    }
    (void)pthread_mutex_unlock(&pool.lock);
    ncz_scratch_clear(&scratch);
    return NULL;
}

/* One more worker, which takes no signals: those are the program's. Under the lock. False: none is to be had. */
static bool
start_worker(void)
{
    sigset_t all, before;
    int      err;

    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    err = pthread_create(&pool.threads[pool.nthreads], NULL, worker, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err == 0)
        pool.nthreads++;
    return err == 0;
}

/* Wakes or makes workers for up to `n` tasks. Those that cannot be made are done without. */
static void
call_workers(size_t n)
{
    size_t idle = pool.nidle, asleep = idle - pool.nawake, wake = n > pool.nawake ? n - pool.nawake : 0;

    atomic_fetch_add(&pool.calls, 1);
    if (wake >= asleep && asleep > 0)
        (void)pthread_cond_broadcast(&pool.work);
    else
        for (size_t i = 0; i < wake && asleep > 0; i++)
            (void)pthread_cond_signal(&pool.work);
    while (!pool.stopping && n > idle && pool.nthreads + 1 < pool.wanted && start_worker())
        idle++;
}

static void
stop_workers(void)
{
    unsigned n;

    (void)pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    n = pool.nthreads;
    (void)pthread_cond_broadcast(&pool.work);
    (void)pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < n; i++)
        (void)pthread_join(pool.threads[i], NULL);
    (void)pthread_mutex_lock(&pool.lock);
    pool.nthreads = 0;
    pool.stopping = false;
    while (pool.nscratch > 0)
        ncz_scratch_clear(&pool.scratch[--pool.nscratch]);
    (void)pthread_mutex_unlock(&pool.lock);
}

/* A task that got here would wait for itself: it changes nothing. */
void
ncz_pool_stop(void)
{
    if (in_task)
        return;
    (void)pthread_mutex_lock(&ending);
    stop_workers();
    (void)pthread_mutex_unlock(&ending);
}

/* The end of the process, or of the library in it. */
__attribute__((destructor)) static void
end(void)
{
    ncz_pool_stop();
}

/* ---- callers ---- */

static ncz_scratch
take_scratch(void)
{
    return pool.nscratch > 0 ? pool.scratch[--pool.nscratch] : NCZ_SCRATCH_INIT;
}

/* Called and left with the lock held, let go of in between. */
static void
give_scratch(ncz_scratch *s)
{
    (void)pthread_mutex_unlock(&pool.lock);
    ncz_scratch_trim(s, SCRATCH_KEPT);
    (void)pthread_mutex_lock(&pool.lock);
    if (pool.nscratch < IDLE_SCRATCH && pool.nscratch < pool.wanted) {
        pool.scratch[pool.nscratch++] = *s;
        return;
    }
    (void)pthread_mutex_unlock(&pool.lock);
    ncz_scratch_clear(s);
    (void)pthread_mutex_lock(&pool.lock);
}

/* All tasks on this thread. */
static void
each_here(size_t n, ncz_pool_fn fn, void *arg)
{
    ncz_scratch s;
    bool        outer = in_task;

    (void)pthread_mutex_lock(&pool.lock);
    s = take_scratch();
    (void)pthread_mutex_unlock(&pool.lock);
    in_task = true;
    for (size_t i = 0; i < n; i++)
        fn(arg, i, &s);
    in_task = outer;
    (void)pthread_mutex_lock(&pool.lock);
    give_scratch(&s);
    (void)pthread_mutex_unlock(&pool.lock);
}

/* Does what is left, then waits for those who still work. */
static void
finish(ncz_pool_batch *b)
{
    pthread_cond_t done = PTHREAD_COND_INITIALIZER;
    ncz_scratch    s;

    b->done = &done;
    s = take_scratch();
    work_on(b, &s);
    if (b->busy > 0 && may_wait_awake())
        await_workers(b);
    while (b->busy > 0)
        (void)pthread_cond_wait(&done, &pool.lock);
    give_scratch(&s);
    (void)pthread_cond_destroy(&done);
}

void
ncz_pool_each(size_t n, size_t most, ncz_pool_fn fn, void *arg)
{
    size_t threads = in_task ? 1 : ncz_pool_threads();

    if (most < threads)
        threads = most;
    if (n < threads)
        threads = n;
    if (n == 0)
        return;
    if (threads <= 1) {
        each_here(n, fn, arg);
        return;
    }
    ncz_pool_batch b = {.fn = fn, .arg = arg, .n = n, .most = threads - 1, .grain = n / (threads * 16) + 1};

    (void)pthread_mutex_lock(&pool.lock);
    list_add(&b);
    call_workers(threads - 1);
    finish(&b);
    (void)pthread_mutex_unlock(&pool.lock);
}

void
ncz_pool_begin(ncz_pool_batch *b, ncz_pool_fn fn, void *arg)
{
    size_t threads = in_task ? 1 : ncz_pool_threads();

    *b = (ncz_pool_batch){.fn = fn, .arg = arg, .grain = 1, .most = threads - 1};
}

void
ncz_pool_add(ncz_pool_batch *b)
{
    bool here;

    (void)pthread_mutex_lock(&pool.lock);
    if (b->next == b->n)
        list_add(b);
    b->n++;
    if (b->busy < b->most)
        call_workers(b->n - b->next < b->most - b->busy ? b->n - b->next : b->most - b->busy);
    here = b->most == 0 || pool.nthreads == 0;
    if (here) {
        ncz_scratch s = take_scratch();

        work_on(b, &s);
        give_scratch(&s);
    }
    (void)pthread_mutex_unlock(&pool.lock);
}

void
ncz_pool_end(ncz_pool_batch *b)
{
    (void)pthread_mutex_lock(&pool.lock);
    finish(b);
    (void)pthread_mutex_unlock(&pool.lock);
}
