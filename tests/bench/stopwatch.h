/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stopwatch: what a benchmark program measures of itself: time, processor time, and the memory that it takes beyond
 * what it had at the start, the caller's arrays among that. BENCH_MORE_MIB in the environment: after the start no more
 * than so many MiB of addresses may be added.
 */
#ifndef BENCH_STOPWATCH_H
#define BENCH_STOPWATCH_H

#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct stopwatch {
    double wall, cpu;
    long   rss_kb;
} stopwatch;

/* "VmRSS:", "VmHWM:" or "VmSize:" of this process, in kB; 0: not known. */
static inline long
stopwatch_memory(const char *field)
{
    char  line[256];
    long  kb = 0;
    FILE *f = fopen("/proc/self/status", "r");

    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0)
            kb = strtol(line + strlen(field), NULL, 10);
    }
    if (f != NULL)
        fclose(f);
    return kb;
}

static inline void
stopwatch_limit(const char *mib)
{
    rlim_t most = ((rlim_t)stopwatch_memory("VmSize:") << 10) + ((rlim_t)strtoul(mib, NULL, 10) << 20);

    if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0)
        exit(1);
}

static inline void
stopwatch_start(stopwatch *t)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");

    if (f != NULL) {
        fputs("5", f); /* the peak so far is forgotten */
        fclose(f);
    }
    if (getenv("BENCH_MORE_MIB") != NULL)
        stopwatch_limit(getenv("BENCH_MORE_MIB"));
    t->rss_kb = stopwatch_memory("VmRSS:");
    t->cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    t->wall = clock_seconds(CLOCK_MONOTONIC);
}

static inline void
stopwatch_stop(stopwatch *t)
{
    t->wall = clock_seconds(CLOCK_MONOTONIC) - t->wall;
    t->cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - t->cpu;
    t->rss_kb = stopwatch_memory("VmHWM:") - t->rss_kb;
}

/* One line of JSON: what a driver reads. */
static inline void
stopwatch_print(const stopwatch *t, double sum)
{
    printf("{\"seconds\": %.9f, \"cpu\": %.9f, \"extra_kb\": %ld, \"sum\": %.17g}\n", t->wall, t->cpu, t->rss_kb,
           sum);
}

#endif /* BENCH_STOPWATCH_H */
