/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded, lets ranks that wait sleep instead of spin, so that more ranks than cores come along: Open MPI waits in
 * sched_yield(), MPICH over UCX in ucp_worker_progress().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

#define NAP_NS     50000
#define IDLE_FIRST 60 /* rounds without progress before the first nap, and between later ones 20 */
#define IDLE_LATER 40

unsigned ucp_worker_progress(void *worker);

static void
nap(void)
{
    const struct timespec t = {0, NAP_NS};

    (void)nanosleep(&t, NULL);
}

int
sched_yield(void)
{
    nap();
    return 0;
}

unsigned
ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    static _Thread_local unsigned idle;
    unsigned                      n;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if ((n = real(worker)) != 0) {
        idle = 0;
    } else if (++idle > IDLE_FIRST) {
        idle = IDLE_LATER;
        nap();
    }
    return n;
}
