/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * background: the one thread of the process that works while nobody waits: it runs the jobs that were woken, one step
 * of each in turn. It starts with the first of them, and sleeps while there are none.
 *
 * fork() waits for the end of the step that is running, so that the child finds nothing half done. The child has no
 * such thread and no jobs; it starts its own when it wakes one.
 */
#include "util/util.h"
#include "platform/platform.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t  work;    /* for the thread: there is a job, or it must end */
    pthread_cond_t  stepped; /* a step has ended */
    ncz_job        *first, *last;
    ncz_job        *running; /* its step runs; or NULL */
    pthread_t       thread;
    bool            started, stopping;
} background = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .stepped = PTHREAD_COND_INITIALIZER};

static _Thread_local bool is_background; /* the calling thread is this one */

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* One stop at a time; taken before the lock. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

/* ---- the list of jobs, under the lock ---- */

static void
add_job(ncz_job *job)
{
    job->next = NULL;
    job->queued = true;
    *(background.last != NULL ? &background.last->next : &background.first) = job;
    background.last = job;
}

static ncz_job *
take_first(void)
{
    ncz_job *job = background.first;

    if (job == NULL)
        return NULL;
    job->queued = false;
    background.first = job->next;
    if (background.first == NULL)
        background.last = NULL;
    return job;
}

static void
remove_job(ncz_job *job)
{
    ncz_job *before = NULL;

    for (ncz_job *j = background.first; j != job; j = j->next)
        before = j;
    *(before != NULL ? &before->next : &background.first) = job->next;
    if (background.last == job)
        background.last = before;
    job->queued = false;
}

/* Whether the calling thread is within a step, or may be within a part of one: it must not wait for its end. */
static bool
is_working(void)
{
    return is_background || ncz_pool_in_task();
}

/* ---- forks ---- */

static void
before_fork(void)
{
    (void)pthread_mutex_lock(&ending);
    (void)pthread_mutex_lock(&background.lock);
    while (background.running != NULL && !is_working())
        (void)pthread_cond_wait(&background.stepped, &background.lock);
}

static void
after_fork(void)
{
    (void)pthread_mutex_unlock(&background.lock);
    (void)pthread_mutex_unlock(&ending);
}

static void
after_fork_in_child(void)
{
    while (take_first() != NULL)
        continue;
    background.running = NULL;
    background.started = background.stopping = false;
    background.work = background.stepped =
        (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* they count the parent's waits */
    after_fork();
}

/* Handlers before a fork run last registered first: this one waits for a step that may need the pool. */
static void
watch_forks(void)
{
    (void)ncz_pool_threads();
    ncz_sys_at_fork(before_fork, after_fork, after_fork_in_child);
}

/* ---- the thread ---- */

static void *
run_jobs(void *arg)
{
    ncz_job *job;
    bool     more;

    (void)arg;
    is_background = true;
    ncz_pool_leave_one();
    (void)pthread_mutex_lock(&background.lock);
    while (!background.stopping) {
        if ((job = take_first()) == NULL) {
            (void)pthread_cond_wait(&background.work, &background.lock);
            continue;
        }
        background.running = job;
        (void)pthread_mutex_unlock(&background.lock);
        more = job->step(job);
        ncz_err_clear();
        (void)pthread_mutex_lock(&background.lock);
        background.running = NULL;
        if (more && !job->queued && !job->ended)
            add_job(job);
        (void)pthread_cond_broadcast(&background.stepped);
    }
    (void)pthread_mutex_unlock(&background.lock);
    return NULL;
}

/* Under the lock. */
static void
start_thread(void)
{
    if (!background.started)
        background.started = ncz_sys_thread_start(&background.thread, run_jobs, NULL) == 0;
}

bool
ncz_background_wake(ncz_job *job)
{
    bool queued;

    (void)pthread_once(&fork_once, watch_forks);
    (void)pthread_mutex_lock(&background.lock);
    start_thread();
    queued = background.started; /* where it is about to stop, it is started again for the job */
    if (queued && !job->queued) {
        add_job(job);
        (void)pthread_cond_signal(&background.work);
    }
    (void)pthread_mutex_unlock(&background.lock);
    return queued;
}

void
ncz_background_end(ncz_job *job)
{
    (void)pthread_mutex_lock(&background.lock);
    job->ended = true;
    if (job->queued)
        remove_job(job);
    while (background.running == job)
        (void)pthread_cond_wait(&background.stepped, &background.lock);
    (void)pthread_mutex_unlock(&background.lock);
}

/* `again`: it starts again if there are jobs. */
static void
stop_background(bool again)
{
    (void)pthread_mutex_lock(&ending);
    (void)pthread_mutex_lock(&background.lock);
    if (background.started) {
        background.stopping = true;
        (void)pthread_cond_broadcast(&background.work);
        (void)pthread_mutex_unlock(&background.lock);
        (void)pthread_join(background.thread, NULL);
        (void)pthread_mutex_lock(&background.lock);
        background.started = background.stopping = false;
    }
    if (again && background.first != NULL)
        start_thread();
    (void)pthread_mutex_unlock(&background.lock);
    (void)pthread_mutex_unlock(&ending);
}

static void
stop_threads(bool again)
{
    if (is_working())
        return;
    stop_background(again);
    ncz_pool_stop();
}

void
ncz_threads_stop(void)
{
    stop_threads(true);
}

void
ncz_threads_end(void)
{
    stop_threads(false);
}

/* At the end of the process, or when the library is unloaded. */
__attribute__((destructor)) static void
end_at_exit(void)
{
    ncz_threads_end();
}
