/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The background thread: each woken job gets its steps, in turn with others; it ends when it is told to, is forked, and
 * is stopped and started again.
 */
#include "contract/host.h"
#include "support/fork.h"
#include "support/test.h"
#include "util/util.h"

#include <stdatomic.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

typedef struct work {
    ncz_job          job; /* first, so that a job can be cast to it */
    atomic_uint      left, done;
    pthread_mutex_t *gate;
} work;

static bool
do_step(ncz_job *job)
{
    work *w = (work *)job;

    if (w->gate != NULL) {
        (void)pthread_mutex_lock(w->gate);
        (void)pthread_mutex_unlock(w->gate);
    }
    atomic_fetch_add(&w->done, 1);
    return atomic_load(&w->left) > 0 && atomic_fetch_sub(&w->left, 1) > 1;
}

static void
wait_for(work *w, unsigned done)
{
    while (atomic_load(&w->done) < done)
        (void)sched_yield();
}

TEST(steps_of_many_jobs)
{
    work w[5];

    memset(w, 0, sizeof w);
    for (unsigned i = 0; i < 5; i++) {
        w[i].job.step = do_step;
        w[i].left = 10 * (i + 1);
        assert_true(ncz_background_wake(&w[i].job));
    }
    for (unsigned i = 0; i < 5; i++) {
        wait_for(&w[i], 10 * (i + 1));
        ncz_background_end(&w[i].job);
        assert_int_equal(w[i].done, 10 * (i + 1));
    }
}

/* A job that is woken during its step gets another one, and one that is queued is not run after its end. */
TEST(woken_and_ended)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    work            slow = {.job = {.step = do_step}, .gate = &gate}, late = {.job = {.step = do_step}};

    (void)pthread_mutex_lock(&gate);
    assert_true(ncz_background_wake(&slow.job));
    assert_true(ncz_background_wake(&late.job)); /* behind the first, which hangs */
    assert_true(ncz_background_wake(&slow.job));
    ncz_background_end(&late.job);
    (void)pthread_mutex_unlock(&gate);
    wait_for(&slow, 1);
    ncz_background_end(&slow.job);
    assert_int_equal(late.done, 0);
    assert_in_range(slow.done, 1, 2);
}

TEST(stopped_and_again)
{
    work w = {.job = {.step = do_step}};

    for (unsigned i = 1; i <= 20; i++) {
        assert_true(ncz_background_wake(&w.job));
        wait_for(&w, i);
        ncz_threads_stop();
    }
    ncz_background_end(&w.job);
}

enum { WAKES = 2000 };

/* Stops the thread again once it has done something. */
static void *
stop_often(void *arg)
{
    work    *w = arg;
    unsigned seen = 0;

    while (seen < WAKES) {
        while (atomic_load(&w->done) == seen)
            (void)sched_yield();
        seen = atomic_load(&w->done);
        ncz_threads_stop();
    }
    return NULL;
}

/* A job that is woken while the thread stops is run all the same. */
TEST(woken_while_it_stops)
{
    work      w = {.job = {.step = do_step}};
    pthread_t stopper;

    assert_int_equal(pthread_create(&stopper, NULL, stop_often, &w), 0);
    for (unsigned i = 1; i <= WAKES; i++) {
        assert_true(ncz_background_wake(&w.job));
        wait_for(&w, i);
    }
    assert_int_equal(pthread_join(stopper, NULL), 0);
    ncz_background_end(&w.job);
}

/* The fork waits for the end of the step; the child has a thread of its own. */
TEST(a_child_has_a_thread_of_its_own)
{
    work w = {.job = {.step = do_step}, .left = 100000};
    int  status = -1;

    if (!host_child_has_threads())
        skip();
    for (int i = 0; i < 10; i++) {
        pid_t pid;

        assert_true(ncz_background_wake(&w.job));
        if ((pid = fork_quiet()) == 0) {
            work own = {.job = {.step = do_step}};
            bool woken = ncz_background_wake(&own.job);

            while (woken && atomic_load(&own.done) == 0)
                (void)sched_yield();
            ncz_background_end(&own.job);
            ncz_background_end(&w.job);
            _exit(woken ? 0 : 1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    ncz_background_end(&w.job);
}
