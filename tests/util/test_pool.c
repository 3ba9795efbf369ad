/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pool: every task once, whoever calls and however many; nested, forked, stopped in between.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "util/pool_int.h"
#include "contract/host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 1000, CALLERS = 8 };

typedef struct tally {
    atomic_uint times[TASKS];
    atomic_uint here; /* done by the caller's thread */
    pthread_t   caller;
    ncz_err     err;
} tally;

static void
tally_init(tally *t)
{
    memset(t, 0, sizeof *t);
    t->caller = pthread_self();
}

static void
count(void *arg, size_t i, ncz_scratch *scratch)
{
    tally *t = arg;
    char  *room = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, 1 + i % 70000);

    memset(room, (int)i, 1 + i % 70000);
    atomic_fetch_add(&t->times[i], 1);
    if (pthread_equal(pthread_self(), t->caller))
        atomic_fetch_add(&t->here, 1);
}

static void
check_once(const tally *t, size_t n)
{
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(t->times[i], i < n ? 1 : 0);
}

TEST(every_task_once)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, TASKS};

    for (unsigned threads = 1; threads <= 5; threads++) {
        ncz_pool_set_threads(threads);
        assert_int_equal(ncz_pool_threads(), threads);
        for (size_t i = 0; i < NCZ_LEN(sizes); i++) {
            for (size_t most = 1; most < 4; most++) {
                tally t;

                tally_init(&t);
                ncz_pool_each(sizes[i], most == 3 ? SIZE_MAX : most, count, &t);
                check_once(&t, sizes[i]);
                if (threads == 1 || most == 1)
                    assert_int_equal(t.here, sizes[i]);
            }
        }
    }
}

/* Two tasks that wait for each other can only end on two threads; this is the only proof that there are two. */
static void
meet(void *arg, size_t i, ncz_scratch *scratch)
{
    pthread_barrier_t *both = arg;

    (void)i;
    (void)scratch;
    (void)pthread_barrier_wait(both);
}

TEST(really_at_once)
{
    pthread_barrier_t both;

    ncz_pool_set_threads(3);
    assert_int_equal(pthread_barrier_init(&both, NULL, 3), 0);
    ncz_pool_each(3, SIZE_MAX, meet, &both);
    ncz_pool_stop();
    ncz_pool_each(3, SIZE_MAX, meet, &both); /* made again */
    pthread_barrier_destroy(&both);
}

static void
nest(void *arg, size_t i, ncz_scratch *scratch)
{
    tally *all = arg, own;
    char  *room = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, 10);

    memset(room, 'a', 10);
    tally_init(&own);
    ncz_pool_each(20, SIZE_MAX, count, &own);
    check_once(&own, 20);
    assert_int_equal(own.here, 20);              /* on this very thread */
    ncz_pool_stop();                             /* would wait for itself: does nothing */
    assert_memory_equal(room, "aaaaaaaaaa", 10); /* its scratch is its own */
    atomic_fetch_add(&all->times[i], 1);
}

TEST(jobs_in_jobs_are_done_once)
{
    tally t;

    ncz_pool_set_threads(3);
    tally_init(&t);
    ncz_pool_each(50, SIZE_MAX, nest, &t);
    check_once(&t, 50);
}

static void *
call(void *arg)
{
    tally t;

    for (int round = 0; round < 50; round++) {
        size_t n = (size_t)round * 3 + *(size_t *)arg;

        tally_init(&t);
        ncz_pool_each(n, SIZE_MAX, count, &t);
        check_once(&t, n);
    }
    return NULL;
}

TEST(many_callers)
{
    pthread_t id[CALLERS];
    size_t    first[CALLERS];

    ncz_pool_set_threads(4);
    for (size_t i = 0; i < CALLERS; i++) {
        first[i] = i;
        assert_int_equal(pthread_create(&id[i], NULL, call, &first[i]), 0);
    }
    for (int i = 0; i < 20; i++) {
        if (i % 5 == 4)
            ncz_pool_set_threads(2 + (unsigned)i % 3);
        ncz_pool_stop();
    }
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(id[i], NULL), 0);
}

TEST(one_by_one)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        ncz_pool_set_threads(threads);
        for (size_t n = 0; n < 200; n += 1 + n / 4) {
            ncz_pool_batch b;
            tally          t;

            tally_init(&t);
            ncz_pool_begin(&b, count, &t);
            for (size_t i = 0; i < n; i++)
                ncz_pool_add(&b);
            ncz_pool_end(&b);
            check_once(&t, n);
            if (threads == 1)
                assert_int_equal(t.here, n);
        }
    }
}

static void
fail_some(void *arg, size_t i, ncz_scratch *scratch)
{
    tally *t = arg;

    (void)scratch;
    if (i == 77)
        ncz_err_save(&t->err, ncz_fail(NC_EIO, "task %zu", i));
}

/* A text that was recorded on a worker comes to the caller. */
TEST(texts_travel)
{
    tally t;

    ncz_pool_set_threads(4);
    tally_init(&t);
    ncz_err_clear();
    ncz_pool_each(TASKS, SIZE_MAX, fail_some, &t);
    assert_int_equal(ncz_err_adopt(&t.err), NC_EIO);
    assert_string_equal(ncz_err_text(), "task 77");
}

/* A child has no workers, and can have its own. */
TEST(a_child_can_have_workers_of_its_own)
{
    if (!host_child_has_threads())
        skip();
    ncz_pool_set_threads(3);
    for (int i = 0; i < 20; i++) {
        tally t;
        pid_t child;
        int   status;

        tally_init(&t);
        ncz_pool_each(100, SIZE_MAX, count, &t);
        if ((child = fork()) == 0) {
            pthread_barrier_t both;

            pthread_barrier_init(&both, NULL, 3);
            ncz_pool_each(3, SIZE_MAX, meet, &both);
            ncz_pool_stop();
            _exit(7);
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        ncz_pool_each(100, SIZE_MAX, count, &t);
    }
}

TEST(how_many)
{
    assert_true(ncz_cpus() >= 1);
    assert_int_equal(setenv("NCZARR_THREADS", "7", 1), 0);
    ncz_pool_set_threads(0);
    assert_int_equal(ncz_pool_threads(), 7);
    assert_int_equal(setenv("NCZARR_THREADS", "1000000", 1), 0);
    ncz_pool_set_threads(0);
    assert_int_equal(ncz_pool_threads(), 256);
    assert_int_equal(setenv("NCZARR_THREADS", "many", 1), 0);
    ncz_pool_set_threads(0);
    assert_int_equal(ncz_pool_threads(), ncz_cpus());
    assert_int_equal(setenv("NCZARR_THREADS", "", 1), 0);
    ncz_pool_set_threads(0);
    assert_int_equal(ncz_pool_threads(), ncz_cpus());
    assert_null(ncz_env("NCZARR_THREADS"));
    ncz_pool_set_threads(5);
    assert_int_equal(ncz_pool_threads(), 5);
}

/* ---- scratch ---- */

TEST(scratch_memory_is_used_again)
{
    ncz_scratch s = NCZ_SCRATCH_INIT;
    char       *a, *b;
    ncz_buf    *buf;

    assert_non_null(a = ncz_scratch_room(&s, NCZ_SCRATCH_CHUNK, 1000));
    assert_non_null(b = ncz_scratch_room(&s, NCZ_SCRATCH_STORED, 1000));
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(ncz_scratch_room(&s, NCZ_SCRATCH_CHUNK, 500), a);
    assert_non_null(ncz_scratch_room(&s, NCZ_SCRATCH_CHUNK, 0));
    memset(ncz_scratch_room(&s, NCZ_SCRATCH_CHUNK, 5000), 1, 5000);
    buf = ncz_scratch_buf(&s, NCZ_SCRATCH_STORED, 1500);
    assert_int_equal(buf->len, 0);
    assert_string_equal(ncz_buf_str(buf), "");
    assert_int_equal(ncz_buf_append(buf, "abc", 3), NC_NOERR);
    assert_ptr_equal(buf->data, b);
    assert_int_equal(ncz_buf_reserve(buf, 2000), NC_ENOMEM);
    ncz_scratch_trim(&s, 2000);
    assert_null(s.bufs[NCZ_SCRATCH_CHUNK].data);
    assert_non_null(s.bufs[NCZ_SCRATCH_STORED].data);
    fail_allocation(1);
    assert_null(ncz_scratch_room(&s, NCZ_SCRATCH_CHUNK, 10));
    fail_allocation(0);

    ncz_scratch_clear(&s);
    assert_null(s.bufs[NCZ_SCRATCH_STORED].data);
    ncz_scratch_clear(&s);
}

/* One call after the other, and after a rest: workers are found awake and asleep. */
TEST(close_calls)
{
    ncz_pool_set_threads(2);
    for (int i = 0; i < 3000; i++) {
        size_t n = 2 + (size_t)(i % 6);
        tally  t;

        tally_init(&t);
        ncz_pool_each(n, SIZE_MAX, count, &t);
        check_once(&t, n);
        if (i % 100 == 99)
            (void)usleep(500);
    }
    ncz_pool_stop(); /* while they look out for more */
}

/* ---- tickets ---- */

static void
rest(void *arg, size_t i, ncz_scratch *scratch)
{
    int64_t until = ncz_now_ns() + 2000;

    (void)i;
    (void)scratch;
    while (ncz_now_ns() < until)
        (void)arg;
}

static ncz_pool_counts
counts_of_calls(size_t calls, size_t n)
{
    ncz_pool_counts before = ncz_pool_count(), after;

    for (size_t i = 0; i < calls; i++)
        ncz_pool_each(n, SIZE_MAX, rest, NULL);
    after = ncz_pool_count();
    return (ncz_pool_counts){after.tickets - before.tickets, after.wakes - before.wakes, after.spins - before.spins};
}

/* One thread works anyway: a batch of n tasks gets n - 1 workers, however many there are. */
TEST(no_more_workers_wake_than_there_are_tasks_for)
{
    for (size_t n = 1; n <= 20; n++) {
        ncz_pool_counts c;

        ncz_pool_set_threads(16);
        c = counts_of_calls(50, n);
        assert_true(c.tickets <=
                    50 * (n < 16 ? n - 1 : 15)); /* less where workers of the last call are about to end */
        assert_true(c.wakes <= c.tickets);
        assert_true(n == 1 || c.tickets > 0);
    }
}

TEST(nothing_spins_where_there_are_fewer_cpus_than_threads)
{
    ncz_pool_set_threads(ncz_cpus() + 1);
    assert_int_equal(counts_of_calls(300, 4).spins, 0);
}

typedef struct meeting {
    atomic_uint begun;
    atomic_bool over;
} meeting;

static void
attend(void *arg, size_t i, ncz_scratch *scratch)
{
    meeting *m = arg;

    (void)i;
    (void)scratch;
    atomic_fetch_add(&m->begun, 1);
    while (!m->over)
        (void)usleep(100);
}

static void *
call_attend(void *arg)
{
    ncz_pool_each(1, SIZE_MAX, attend, arg);
    return NULL;
}

/* Callers that are as many as the threads that may be at work leave no place for workers; who leaves, makes one. */
TEST(callers_take_the_place_of_workers)
{
    meeting   m = {0};
    pthread_t id[CALLERS];

    ncz_pool_set_threads(CALLERS);
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&id[i], NULL, call_attend, &m), 0);
    while (m.begun < CALLERS)
        (void)usleep(100);
    assert_int_equal(counts_of_calls(10, 4).tickets, 0);
    m.over = true;
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(id[i], NULL), 0);
    assert_true(counts_of_calls(10, 4).tickets > 0);
}

/* Begins, and waits until as many as may wait at once have begun. */
static void
attend_all(void *arg, size_t i, ncz_scratch *scratch)
{
    meeting *m = arg;

    (void)i;
    (void)scratch;
    if (atomic_fetch_add(&m->begun, 1) + 1 == ncz_pool_waiting())
        m->over = true;
    while (!m->over)
        (void)usleep(100);
}

static void
check_all_wait(void)
{
    meeting m = {0};
    tally   t;

    ncz_pool_each_waiting(ncz_pool_waiting(), SIZE_MAX, attend_all, &m);
    assert_int_equal(m.begun, ncz_pool_waiting());
    tally_init(&t);
    ncz_pool_each_waiting(TASKS, SIZE_MAX, count, &t);
    check_once(&t, TASKS);
    tally_init(&t);
    ncz_pool_each(TASKS, SIZE_MAX, count, &t); /* those that waited are not at work any more */
    check_once(&t, TASKS);
    assert_true(ncz_pool_has_room());
}

TEST(tasks_that_wait_have_more_threads)
{
    ncz_pool_set_threads(3);
    assert_int_equal(ncz_pool_waiting(), 3);
    check_all_wait();
    ncz_pool_set_threads(1);
    assert_int_equal(ncz_pool_waiting(), 1);
    ncz_pool_set_threads(0);
    if (getenv("NCZARR_THREADS") == NULL) {
        assert_true(ncz_pool_waiting() >= NCZ_POOL_WAITING_MOST);
        check_all_wait();
        ncz_pool_share(2);
        assert_true(ncz_pool_waiting() >= NCZ_POOL_WAITING_MOST / 2);
        check_all_wait();
        ncz_pool_share(1000);
        assert_int_equal(ncz_pool_waiting(), ncz_pool_threads());
        ncz_pool_share(1);
    }
}
