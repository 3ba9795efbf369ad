/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a process: valid while it runs, and for others only. */

#include "support/test.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/host.h"
#include "util/util.h"

TEST(a_child_runs_until_it_ends)
{
    ncz_buf own = NCZ_BUF_INIT;
    char    id[200] = "";
    int     tell[2], status;
    pid_t   child;

    if (host_emulated())
        skip(); /* it makes up /proc/self, but not that of others */
    assert_int_equal(pipe(tell), 0);
    assert_true((child = fork()) >= 0);
    if (child == 0) {
        if (ncz_process_id(&own) != 0 || write(tell[1], own.data, own.len) != (ssize_t)own.len)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_true(read(tell[0], id, sizeof id - 1) > 0);
    assert_int_equal(ncz_process_running(id), (long)child);
    assert_false(ncz_process_ended(id));

    assert_int_equal(kill(child, SIGKILL), 0);
    siginfo_t info; /* dead, and not waited for yet: it will never write again */
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(ncz_process_running(id), 0);
    assert_true(ncz_process_ended(id));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(ncz_process_running(id), 0);
    assert_true(ncz_process_ended(id));

    assert_int_equal(ncz_process_id(&own), 0);
    assert_int_equal(ncz_process_running(ncz_buf_str(&own)), 0); /* not another one */
    assert_false(ncz_process_ended(ncz_buf_str(&own)));
    ncz_buf_clear(&own);
    (void)close(tell[0]);
    (void)close(tell[1]);
}

/* The same number at another time, on another machine, in another namespace: not that process. */
TEST(another_process_with_that_number)
{
    ncz_buf            own = NCZ_BUF_INIT;
    unsigned long long space, began;
    long               pid;
    char               boot[37], id[200];

    if (host_emulated())
        skip();
    assert_int_equal(ncz_process_id(&own), 0);
    assert_int_equal(sscanf(ncz_buf_str(&own), "%36s pid:[%llu] %ld %llu", boot, &space, &pid, &began), 4);
    snprintf(id, sizeof id, "%s pid:[%llu] %ld %llu", boot, space, (long)getppid(), began + 1);
    assert_int_equal(ncz_process_running(id), 0);
    snprintf(id, sizeof id, "%s pid:[%llu] %ld %llu", boot, space + 1, (long)getppid(), began);
    assert_int_equal(ncz_process_running(id), 0);
    assert_false(ncz_process_ended(id)); /* unknown */
    boot[0] = boot[0] == '0' ? '1' : '0';
    snprintf(id, sizeof id, "%s pid:[%llu] %ld %llu", boot, space, (long)getppid(), began);
    assert_int_equal(ncz_process_running(id), 0);
    ncz_buf_clear(&own);
}

TEST(no_name_at_all)
{
    static const char *const rows[] = {"", "unknown", "x pid:[1] 1 1", "pid", "0-0 pid:[1] -1 1", "0-0 pid:[1] 1"};

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        assert_int_equal(ncz_process_running(rows[i]), 0);
}
