/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool_bench: the shape of the pool without data. Threads call it as W4 does, a few tasks at a time, and each task
 * only counts: `pool_bench [THREADS [CALLERS [CALLS [ROUNDS]]]]`, by default 16 threads, 1 caller, 1000 calls, and
 * 20000 rounds a task. Prints one line of JSON: times, tickets, workers woken, waits awake. On fewer CPUs than threads
 * processor time and counts matter, not the time.
 */
#include "util/pool_int.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

/* Pieces of a box of 32^3 in chunks of 64^3, in the order in which W4's boxes have about as many. */
static const unsigned char pieces[] = {1, 4, 2, 2, 8, 2, 1, 4, 2, 4, 1, 2, 4, 2, 8, 1};

typedef struct load {
    unsigned     calls, rounds;
    atomic_ulong tasks;
} load;

static void
count(void *arg, size_t i, ncz_scratch *scratch)
{
    load *l = arg;

    (void)i;
    (void)scratch;
    for (volatile unsigned n = 0; n < l->rounds; n++)
        continue;
    atomic_fetch_add_explicit(&l->tasks, 1, memory_order_relaxed);
}

static void *
call(void *arg)
{
    load *l = arg;

    for (unsigned i = 0; i < l->calls; i++)
        ncz_pool_each(pieces[i % sizeof pieces], SIZE_MAX, count, l);
    return NULL;
}

static unsigned
argument(int argc, char **argv, int at, unsigned otherwise)
{
    return at < argc ? (unsigned)strtoul(argv[at], NULL, 10) : otherwise;
}

int
main(int argc, char **argv)
{
    unsigned        threads = argument(argc, argv, 1, 16), callers = argument(argc, argv, 2, 1);
    load            l = {.calls = argument(argc, argv, 3, 1000), .rounds = argument(argc, argv, 4, 20000)};
    pthread_t       ids[256];
    ncz_pool_counts c;
    double          began, took;

    if (callers < 1 || callers > 256) {
        fprintf(stderr, "usage: pool_bench [THREADS [CALLERS [CALLS [ROUNDS]]]]\n");
        return 2;
    }
    ncz_pool_set_threads(threads);
    began = clock_seconds(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < callers; i++)
        if (pthread_create(&ids[i], NULL, call, &l) != 0)
            return 1;
    for (unsigned i = 0; i < callers; i++)
        (void)pthread_join(ids[i], NULL);
    took = clock_seconds(CLOCK_MONOTONIC) - began;
    c = ncz_pool_count();
    printf("{\"threads\": %u, \"callers\": %u, \"s\": %.6f, \"cpu_s\": %.6f, \"tasks\": %lu, \"tickets\": %" PRIu64
           ", \"wakes\": %" PRIu64 ", \"spins\": %" PRIu64 "}\n",
           ncz_pool_threads(), callers, took, clock_seconds(CLOCK_PROCESS_CPUTIME_ID), l.tasks, c.tickets, c.wakes,
           c.spins);
    ncz_pool_stop();
    return 0;
}
