/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool: the worker threads of the process, and the scratch memory of working threads.
 *
 * One lock guards everything; it is never held while a task runs. Batches with tasks left are in a list. A worker takes
 * tasks of the first batch that has room for it; a caller takes only its own, so that it never waits for another's.
 * A batch lives on its caller's stack: the caller waits until no worker is on it.
 *
 * After a fork the child has no workers and starts its own when it needs them.
 */
#include "util/util.h"
#include "platform/platform.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    THREADS_MOST = 256,
    IDLE_SCRATCH = 16, /* kept for callers; each worker has its own */
    SPIN_NS = 100000,  /* longest wait without sleeping: about the cost of two sleeps and wake-ups */
};

#define SCRATCH_KEPT ((size_t)32 << 20) /* larger buffers are freed after use */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t  work; /* for workers: there are tasks, or they must end */
    ncz_pool_batch *first, *last;
    pthread_t       threads[THREADS_MOST];
    unsigned        nthreads; /* workers started and not joined */
    unsigned        nidle;
    unsigned        nspinning; /* idle workers that spin: they need no signal */
    atomic_uint     calls;     /* counts the calls for workers; a spinning worker watches it */
    bool            stopping;
    unsigned        wanted; /* threads at work, with the callers; 0: not known yet */
    unsigned        cpus;   /* 0: not known yet */
    unsigned        share;  /* processes that share them; 0: one */
    bool            chosen; /* `wanted` follows from them */
    ncz_scratch     scratch[IDLE_SCRATCH];
    size_t          nscratch;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

/* One stop at a time: joining must not happen under the pool's lock. Taken before it. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static _Thread_local bool in_task;
static _Thread_local bool leaves_one; /* a batch of this thread leaves one of the threads to others */

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

/* Other threads and their tasks do not exist in the child; the idle scratch memory does. */
static void
after_fork_in_child(void)
{
    pool.first = pool.last = NULL;
    pool.nthreads = pool.nidle = pool.nspinning = 0;
    pool.stopping = false;
    pool.work = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* it still counts the parent's waiting threads */
    after_fork();
}

static void
watch_forks(void)
{
    ncz_sys_at_fork(before_fork, after_fork, after_fork_in_child);
}

/* ---- how many ---- */

/* Under the lock, when the CPUs are known. */
static unsigned
choose_threads(void)
{
    const char *text = ncz_env("NCZARR_THREADS");
    char       *end;
    long        n;

    if (text != NULL) {
        n = strtol(text, &end, 10);
        if (*end == '\0' && n >= 1)
            return n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
        ncz_log(NCZ_LOG_WARN, "NCZARR_THREADS=%.40s is not a number of threads", text);
    }
    n = pool.share > 1 ? (pool.cpus + pool.share - 1) / pool.share : pool.cpus;
    pool.chosen = true;
    return n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
}

unsigned
ncz_pool_threads(void)
{
    unsigned n;

    (void)pthread_once(&fork_once, watch_forks);
    (void)pthread_mutex_lock(&pool.lock);
    if (pool.cpus == 0)
        pool.cpus = ncz_cpus();
    if (pool.wanted == 0) {
        pool.wanted = choose_threads();
        ncz_log(NCZ_LOG_INFO, "up to %u threads, %s", pool.wanted,
                pool.chosen ? "one for each CPU of this process" : "as NCZARR_THREADS says");
    }
    n = pool.wanted;
    (void)pthread_mutex_unlock(&pool.lock);
    return n;
}

void
ncz_pool_set_threads(unsigned n)
{
    ncz_pool_stop(); /* the next use starts as many as it needs */
    (void)pthread_mutex_lock(&pool.lock);
    pool.wanted = n < THREADS_MOST ? n : THREADS_MOST;
    pool.chosen = false;
    pool.cpus = 0; /* they may have changed */
    (void)pthread_mutex_unlock(&pool.lock);
}

void
ncz_pool_share(unsigned processes)
{
    bool again;

    (void)pthread_mutex_lock(&pool.lock);
    again = processes != pool.share && pool.chosen;
    pool.share = processes;
    (void)pthread_mutex_unlock(&pool.lock);
    if (again)
        ncz_pool_set_threads(0);
}

unsigned
ncz_pool_processes(void)
{
    unsigned n;

    (void)pthread_mutex_lock(&pool.lock);
    n = pool.share > 1 ? pool.share : 1;
    (void)pthread_mutex_unlock(&pool.lock);
    return n;
}

/* ---- spinning ----
 *
 * Waking a worker for each of many short calls costs more than the calls. So short waits spin: a caller for the last
 * tasks of its batch, and a worker whose last wait was short. If a program does other things between its calls, its
 * workers sleep.
 */

#if defined __x86_64__ || defined __i386__
#define RELAX() __builtin_ia32_pause()
#elif defined __aarch64__
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

typedef struct spin {
    int64_t  until;
    unsigned rounds;
} spin;

/* False when the time is over. */
static bool
spin_once(spin *p)
{
    RELAX();
    return ++p->rounds % 16 != 0 || ncz_now_ns() < p->until;
}

/* Takes the lock, whose holders release it at once: not worth a sleep. */
static void
lock_spinning(void)
{
    spin p = {.until = ncz_now_ns() + SPIN_NS};

    while (pthread_mutex_trylock(&pool.lock) != 0)
        if (!spin_once(&p)) {
            (void)pthread_mutex_lock(&pool.lock);
            return;
        }
}

/* Is there a CPU for each thread? Else a spinning thread would keep others from their work. Under the lock. */
static bool
may_spin(void)
{
    return pool.wanted <= pool.cpus;
}

/* A worker waits for a call. The lock is held before and after, and released in between. */
static void
spin_for_call(void)
{
    spin     p = {.until = ncz_now_ns() + SPIN_NS};
    unsigned seen = atomic_load(&pool.calls);

    pool.nspinning++;
    (void)pthread_mutex_unlock(&pool.lock);
    while (atomic_load_explicit(&pool.calls, memory_order_relaxed) == seen && spin_once(&p))
        ;
    lock_spinning();
    pool.nspinning--;
}

/* A caller waits until no worker is on its batch. The lock: as above. */
static void
spin_for_workers(const ncz_pool_batch *b)
{
    spin p = {.until = ncz_now_ns() + SPIN_NS};

    (void)pthread_mutex_unlock(&pool.lock);
    while (atomic_load_explicit(&b->busy, memory_order_relaxed) > 0 && spin_once(&p))
        ;
    lock_spinning();
}

/* ---- the list of batches, under the lock ---- */

static void
list_add(ncz_pool_batch *b)
{
    b->after = NULL;
    b->before = pool.last;
    *(pool.last != NULL ? &pool.last->after : &pool.first) = b;
    pool.last = b;
}

static void
list_del(ncz_pool_batch *b)
{
    *(b->before != NULL ? &b->before->after : &pool.first) = b->after;
    *(b->after != NULL ? &b->after->before : &pool.last) = b->before;
}

static ncz_pool_batch *
find_open_batch(void)
{
    ncz_pool_batch *b = pool.first;

    while (b != NULL && b->busy >= b->most)
        b = b->after;
    return b;
}

/* How many tasks a thread takes at once: fewer towards the end, so that all threads end at about the same time. */
static size_t
choose_share(const ncz_pool_batch *b)
{
    size_t share = (b->n - b->next) / (2 * (b->most + 1)) + 1;

    return share < b->grain ? share : b->grain;
}

/* Runs tasks of a batch until all have started. The lock is held before and after. */
static void
work_on(ncz_pool_batch *b, ncz_scratch *scratch)
{
    bool outer = in_task;

    in_task = true;
    while (b->next < b->n) {
        size_t at = b->next, end = at + choose_share(b);

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

/* A batch that has room; NULL: the worker must end. Under the lock. *brief: was the last wait short? Is this one? */
static ncz_pool_batch *
next_batch(bool *brief)
{
    ncz_pool_batch *b = find_open_batch();
    int64_t         began;

    if (b != NULL || pool.stopping)
        return pool.stopping ? NULL : b;
    began = ncz_now_ns();
    pool.nidle++;
    if (*brief && may_spin())
        spin_for_call();
    while (!pool.stopping && (b = find_open_batch()) == NULL)
        (void)pthread_cond_wait(&pool.work, &pool.lock);
    pool.nidle--;
    *brief = ncz_now_ns() - began < SPIN_NS;
    return pool.stopping ? NULL : b;
}

static void *
run_worker(void *arg)
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

/* Starts one more worker. Under the lock. */
static bool
start_worker(void)
{
    if (ncz_sys_thread_start(&pool.threads[pool.nthreads], run_worker, NULL) != 0)
        return false;
    pool.nthreads++;
    return true;
}

/* Wakes or starts workers for up to `n` tasks; fewer if the system allows no more. */
static void
call_workers(size_t n)
{
    size_t idle = pool.nidle, asleep = idle - pool.nspinning, wake = n > pool.nspinning ? n - pool.nspinning : 0;

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

/* Does nothing within a task, which would wait for itself. */
void
ncz_pool_stop(void)
{
    if (in_task)
        return;
    (void)pthread_mutex_lock(&ending);
    stop_workers();
    (void)pthread_mutex_unlock(&ending);
}

/* ---- callers ---- */

static ncz_scratch
take_scratch(void)
{
    return pool.nscratch > 0 ? pool.scratch[--pool.nscratch] : NCZ_SCRATCH_INIT;
}

/* The lock is held before and after, and released in between. */
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

/* Runs the tasks that are left, then waits for the workers. */
static void
finish_batch(ncz_pool_batch *b)
{
    pthread_cond_t done = PTHREAD_COND_INITIALIZER;
    ncz_scratch    s;

    b->done = &done;
    s = take_scratch();
    work_on(b, &s);
    if (b->busy > 0 && may_spin())
        spin_for_workers(b);
    while (b->busy > 0)
        (void)pthread_cond_wait(&done, &pool.lock);
    give_scratch(&s);
    (void)pthread_cond_destroy(&done);
}

bool
ncz_pool_in_task(void)
{
    return in_task;
}

void
ncz_pool_leave_one(void)
{
    leaves_one = true;
}

/* How many threads may work on a batch of this one. */
static size_t
threads_here(void)
{
    size_t threads = in_task ? 1 : ncz_pool_threads();

    return threads > 1 && leaves_one ? threads - 1 : threads;
}

void
ncz_pool_each(size_t n, size_t most, ncz_pool_fn fn, void *arg)
{
    size_t         threads = threads_here();
    ncz_pool_batch b = {.fn = fn, .arg = arg, .n = n};

    if (most < threads)
        threads = most;
    if (n < threads)
        threads = n;
    if (n == 0)
        return;
    (void)pthread_mutex_lock(&pool.lock);
    if (threads > 1) {
        b.most = threads - 1;
        b.grain = n / (threads * 16) + 1;
        list_add(&b);
        call_workers(threads - 1);
        finish_batch(&b);
    } else {
        /* All on this thread. */
        ncz_scratch s = take_scratch();
        bool        outer = in_task;

        (void)pthread_mutex_unlock(&pool.lock);
        in_task = true;
        for (size_t i = 0; i < n; i++)
            fn(arg, i, &s);
        in_task = outer;
        (void)pthread_mutex_lock(&pool.lock);
        give_scratch(&s);
    }
    (void)pthread_mutex_unlock(&pool.lock);
}

void
ncz_pool_begin(ncz_pool_batch *b, ncz_pool_fn fn, void *arg)
{
    size_t threads = threads_here();

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
    finish_batch(b);
    (void)pthread_mutex_unlock(&pool.lock);
}
