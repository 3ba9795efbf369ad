/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool: batches of tasks, and who works on them.
 *
 * A caller gives tickets of its batch to idle workers, no more than there are tasks for, and no more than leaves
 * ncz_pool_threads() threads at work. Then it works, too, on its own batch only, so that it never waits for another's.
 * A batch that wants more workers is in a list, and gets them as others end. Tasks are taken without a lock.
 *
 * A batch lives on its caller's stack: the caller takes back the tickets that no worker has begun with, and waits until
 * no worker is on it.
 *
 * After a fork the child has no workers and starts its own when it needs them.
 */
#include "util/pool_int.h"
#include "platform/platform.h"

/* A batch's state: the workers on it, whether its caller waits for them, the tasks that have not started. */
#define WORKERS(state) ((state)&0xffff)
#define WAITS          ((uint64_t)1 << 16)
#define TASK           ((uint64_t)1 << 17)

static struct {
    pthread_mutex_t lock;
    ncz_pool_batch *first, *last; /* batches that want workers */
    atomic_uint     nwanting;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* One stop at a time. Taken before the lock. */
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
    ncz_pool_workers_lock();
    ncz_pool_size_lock();
}

static void
after_fork(void)
{
    ncz_pool_size_unlock();
    ncz_pool_workers_unlock();
    (void)pthread_mutex_unlock(&pool.lock);
    (void)pthread_mutex_unlock(&ending);
}

/* Other threads and their tasks do not exist in the child. */
static void
after_fork_in_child(void)
{
    pool.first = pool.last = NULL;
    pool.nwanting = 0;
    after_fork();
    ncz_pool_workers_forked();
    ncz_pool_size_forked(in_task);
}

static void
watch_forks(void)
{
    ncz_sys_at_fork(before_fork, after_fork, after_fork_in_child);
}

unsigned
ncz_pool_threads(void)
{
    (void)pthread_once(&fork_once, watch_forks);
    return ncz_pool_size();
}

/* ---- a batch ---- */

/* How many tasks a thread takes at once: fewer towards the end, so that all threads end at about the same time. */
static size_t
choose_share(const ncz_pool_batch *b, uint64_t left)
{
    uint64_t share = left / (2 * (b->most + 1)) + 1;

    return share < b->grain ? (size_t)share : b->grain;
}

/* Runs tasks of a batch until all have started. */
static void
work_on(ncz_pool_batch *b, ncz_scratch *scratch)
{
    bool     outer = in_task;
    uint64_t state = b->state;

    in_task = true;
    while (state >= TASK) {
        size_t n = choose_share(b, state / TASK);

        if (!atomic_compare_exchange_weak(&b->state, &state, state - n * TASK))
            continue;
        for (size_t at = atomic_fetch_add(&b->next, n), end = at + n; at < end; at++)
            b->fn(b->arg, at, scratch);
        state = b->state;
    }
    in_task = outer;
}

/* One more worker, if there are tasks and it may have one. */
static bool
reserve_worker(ncz_pool_batch *b)
{
    uint64_t state = b->state;

    do {
        if (state < TASK || WORKERS(state) >= b->most)
            return false;
    } while (!atomic_compare_exchange_weak(&b->state, &state, state + 1));
    return true;
}

static void
wake_caller(ncz_pool_batch *b)
{
    (void)pthread_mutex_lock(&pool.lock);
    b->woken = true;
    (void)pthread_cond_signal(b->done);
    (void)pthread_mutex_unlock(&pool.lock);
}

/* One worker less. The batch may not be there afterwards. */
static void
release_worker(ncz_pool_batch *b)
{
    if (atomic_fetch_sub(&b->state, 1) == WAITS + 1)
        wake_caller(b);
}

/* The same, unless tasks were added. */
static bool
leave_batch(ncz_pool_batch *b)
{
    uint64_t state = b->state;

    do {
        if (state >= TASK)
            return false;
    } while (!atomic_compare_exchange_weak(&b->state, &state, state - 1));
    if (state == WAITS + 1)
        wake_caller(b);
    return true;
}

/* ---- the list of batches that want workers, under the lock ---- */

static void
list_add(ncz_pool_batch *b)
{
    b->after = NULL;
    b->before = pool.last;
    *(pool.last != NULL ? &pool.last->after : &pool.first) = b;
    pool.last = b;
    pool.nwanting++;
}

static void
list_del(ncz_pool_batch *b)
{
    *(b->before != NULL ? &b->before->after : &pool.first) = b->after;
    *(b->after != NULL ? &b->after->before : &pool.last) = b->before;
    b->lacking = 0;
    pool.nwanting--;
}

/* The first that can have a worker, reserved for it. */
static ncz_pool_batch *
take_wanting(void)
{
    ncz_pool_batch *b;

    (void)pthread_mutex_lock(&pool.lock);
    while ((b = pool.first) != NULL) {
        bool reserved = reserve_worker(b);

        if (!reserved || --b->lacking == 0)
            list_del(b);
        if (reserved)
            break;
    }
    (void)pthread_mutex_unlock(&pool.lock);
    return b;
}

/* ---- tickets ---- */

static void *run_worker(void *arg);

/* An idle worker, if one more thread may be at work, or wait. */
static ncz_worker *
take_worker(bool waits)
{
    ncz_worker *w;

    if (waits)
        ncz_pool_enter();
    else if (!ncz_pool_enter_if_room())
        return NULL;
    if ((w = ncz_pool_worker_take()) == NULL)
        ncz_pool_leave();
    return w;
}

static void
put_worker(ncz_worker *w)
{
    ncz_pool_worker_put(w);
    ncz_pool_leave();
}

/* The batch has reserved it. */
static bool
give_ticket(ncz_worker *w, ncz_pool_batch *b)
{
    bool given = ncz_pool_worker_give(w, b, run_worker);

    if (!given) {
        put_worker(w);
        release_worker(b);
    }
    return given;
}

/* Gives idle workers to batches that want them. */
static void
serve_wanting(void)
{
    while (pool.nwanting > 0) {
        ncz_worker     *w = take_worker(false);
        ncz_pool_batch *b = w != NULL ? take_wanting() : NULL;

        if (b == NULL) {
            if (w != NULL)
                put_worker(w);
            return;
        }
        if (!give_ticket(w, b))
            return;
    }
}

static void
leave_pool(void)
{
    ncz_pool_leave();
    serve_wanting();
}

static void
want_workers(ncz_pool_batch *b, size_t n)
{
    (void)pthread_mutex_lock(&pool.lock);
    if (b->lacking == 0)
        list_add(b);
    b->lacking += n;
    (void)pthread_mutex_unlock(&pool.lock);
    serve_wanting();
}

/* Workers for up to `n` tasks, now or as they come free. False: the system allows no more threads. */
static bool
call_workers(ncz_pool_batch *b, size_t n)
{
    for (; n > 0 && reserve_worker(b); n--) {
        ncz_worker *w = take_worker(b->waits);

        if (w == NULL) {
            release_worker(b);
            want_workers(b, n);
            return true;
        }
        if (!give_ticket(w, b))
            return false;
    }
    return true;
}

static void *
run_worker(void *arg)
{
    ncz_worker     *w = arg;
    ncz_scratch     scratch = NCZ_SCRATCH_INIT;
    ncz_pool_batch *b;

    while ((b = ncz_pool_worker_wait(w)) != NULL) {
        do
            work_on(b, &scratch);
        while (!leave_batch(b));
        put_worker(w);
        serve_wanting();
    }
    ncz_scratch_clear(&scratch);
    return NULL;
}

/* Does nothing within a task, which would wait for itself. */
void
ncz_pool_stop(void)
{
    if (in_task)
        return;
    (void)pthread_mutex_lock(&ending);
    ncz_pool_workers_stop();
    ncz_scratch_free_kept();
    (void)pthread_mutex_unlock(&ending);
}

void
ncz_pool_set_threads(unsigned n)
{
    ncz_pool_stop(); /* the next use starts as many as it needs */
    ncz_pool_size_set(n);
}

void
ncz_pool_share(unsigned processes)
{
    if (ncz_pool_size_share(processes))
        ncz_pool_set_threads(0);
}

/* ---- callers ---- */

static bool
has_no_workers(const void *batch)
{
    return WORKERS(((const ncz_pool_batch *)batch)->state) == 0;
}

static void
sleep_until_left(ncz_pool_batch *b)
{
    pthread_cond_t done = PTHREAD_COND_INITIALIZER;

    (void)pthread_mutex_lock(&pool.lock);
    b->done = &done;
    if (WORKERS(atomic_fetch_or(&b->state, WAITS)) > 0)
        while (!b->woken)
            (void)pthread_cond_wait(&done, &pool.lock);
    (void)pthread_mutex_unlock(&pool.lock);
    (void)pthread_cond_destroy(&done);
}

/* Runs the tasks that are left, then waits for the workers. */
static void
finish_batch(ncz_pool_batch *b, ncz_scratch *scratch)
{
    ncz_worker *w;

    work_on(b, scratch);
    if (pool.nwanting > 0) {
        (void)pthread_mutex_lock(&pool.lock);
        if (b->lacking > 0)
            list_del(b);
        (void)pthread_mutex_unlock(&pool.lock);
    }
    while (!has_no_workers(b) && (w = ncz_pool_worker_take_back(b)) != NULL) {
        put_worker(w);
        release_worker(b);
    }
    ncz_pool_spin(has_no_workers, b, true);
    if (!has_no_workers(b))
        sleep_until_left(b);
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

static void
run_alone(size_t n, ncz_pool_fn fn, void *arg, ncz_scratch *scratch)
{
    bool outer = in_task;

    in_task = true;
    for (size_t i = 0; i < n; i++)
        fn(arg, i, scratch);
    in_task = outer;
}

/* A batch for which others leave no thread, and that would end soon, is not worth the lock. */
static void
run_each(size_t n, size_t threads, bool waits, ncz_pool_fn fn, void *arg)
{
    size_t      all = threads_here();
    ncz_scratch own, *scratch;
    bool        outer = in_task;

    if (n < threads)
        threads = n;
    if (n == 0)
        return;
    scratch = ncz_scratch_take(&own, ncz_pool_threads());
    if (!outer)
        ncz_pool_enter();
    if (threads > 1 && (waits || n > all || ncz_pool_has_room())) {
        ncz_pool_batch b = {.fn = fn,
                            .arg = arg,
                            .grain = n / (threads * 16) + 1,
                            .most = threads - 1,
                            .waits = waits,
                            .state = n * TASK};

        (void)call_workers(&b, threads - 1);
        finish_batch(&b, scratch);
    } else
        run_alone(n, fn, arg, scratch);
    if (!outer)
        leave_pool();
    ncz_scratch_give(scratch, &own);
}

void
ncz_pool_each(size_t n, size_t most, ncz_pool_fn fn, void *arg)
{
    size_t threads = threads_here();

    run_each(n, most < threads ? most : threads, false, fn, arg);
}

unsigned
ncz_pool_waiting(void)
{
    (void)pthread_once(&fork_once, watch_forks);
    return ncz_pool_size_waiting();
}

void
ncz_pool_each_waiting(size_t n, size_t most, ncz_pool_fn fn, void *arg)
{
    size_t all = threads_here(), waiting = in_task ? 1 : ncz_pool_waiting();

    most = most < waiting ? most : waiting;
    run_each(n, most > all ? most : all, most > all, fn, arg);
}

void
ncz_pool_begin(ncz_pool_batch *b, ncz_pool_fn fn, void *arg)
{
    size_t threads = threads_here();

    *b = (ncz_pool_batch){.fn = fn, .arg = arg, .grain = 1, .most = threads - 1};
}

static void
work_here(ncz_pool_batch *b, void (*work)(ncz_pool_batch *b, ncz_scratch *scratch))
{
    ncz_scratch own, *scratch = ncz_scratch_take(&own, ncz_pool_threads());
    bool        outer = in_task;

    if (!outer)
        ncz_pool_enter();
    work(b, scratch);
    if (!outer)
        leave_pool();
    ncz_scratch_give(scratch, &own);
}

void
ncz_pool_add(ncz_pool_batch *b)
{
    (void)atomic_fetch_add(&b->state, TASK);
    if (b->most == 0 || (!call_workers(b, 1) && has_no_workers(b)))
        work_here(b, work_on);
}

void
ncz_pool_end(ncz_pool_batch *b)
{
    work_here(b, finish_batch);
}
