/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the pool share: how many threads are at work (pool_size.c), the workers (pool_workers.c), and
 * counts for tests.
 */
#ifndef NCZARR_SRC_UTIL_POOL_INT_H
#define NCZARR_SRC_UTIL_POOL_INT_H

#include "util/util.h"

enum { NCZ_POOL_THREADS_MOST = 256, NCZ_POOL_CACHE_LINE = 64 };

/* Threads that wait for a disk at once, of all processes of a machine. Of 256 files of 256 KiB on ext4 one thread made
 * 70 durable in the time in which 2 made 290 so, 8 or 32 made 540. */
#define NCZ_POOL_WAITING_MOST 8

/* ---- how many threads ---- */

unsigned ncz_pool_size(void);                     /* most at work at once */
unsigned ncz_pool_size_waiting(void);             /* most in a batch of tasks that wait, at least ncz_pool_size() */
unsigned ncz_pool_waiting(void);                  /* that size; may be the first call after a fork */
void     ncz_pool_size_set(unsigned n);           /* 0: chosen at the next use */
bool     ncz_pool_size_share(unsigned processes); /* is the size to be chosen again? */
void     ncz_pool_size_lock(void);                /* over a fork */
void     ncz_pool_size_unlock(void);
void     ncz_pool_size_forked(bool running); /* in the child: does its thread run a task? */

/* Threads at work: callers, and workers that have a ticket. */
void ncz_pool_enter(void);
bool ncz_pool_enter_if_room(void); /* false: as many as may be are at work */
bool ncz_pool_has_room(void);
void ncz_pool_leave(void);

/* Waits awake for a short time until over(of), if a CPU has nothing else to do. `running`: the caller is one of the
 * threads at work. */
void ncz_pool_spin(bool (*over)(const void *of), const void *of, bool running);

/* Below it a wait counts as short: about the cost of two sleeps and wake-ups. */
#define NCZ_POOL_SPIN_NS 100000

/* ---- workers: each waits for its own tickets ----
 *
 * A ticket is any pointer. A worker is idle, and then in the stack of these, or someone has taken it from there to give
 * it a ticket. Its thread starts with the first one.
 */
typedef struct ncz_worker ncz_worker;

ncz_worker *ncz_pool_worker_take(void); /* the one that was put last; NULL: none is idle */
void        ncz_pool_worker_put(ncz_worker *w);
/* False: its thread cannot be started; it is not idle. */
bool ncz_pool_worker_give(ncz_worker *w, void *ticket, void *(*run)(void *worker));
/* A worker that has such a ticket and has not begun with it: it has none any more, and is not idle. NULL: there is
 * none. */
ncz_worker *ncz_pool_worker_take_back(void *ticket);
void       *ncz_pool_worker_wait(ncz_worker *w); /* its next ticket; NULL: it must end */
void        ncz_pool_workers_stop(void);
void        ncz_pool_workers_lock(void); /* over a fork */
void        ncz_pool_workers_unlock(void);
void        ncz_pool_workers_forked(void); /* in the child, after the unlock: there are none */

/* ---- counts of the process, for tests ---- */

typedef struct ncz_pool_counts {
    uint64_t tickets; /* that workers were given */
    uint64_t wakes;   /* workers that were woken or started for them */
    uint64_t spins;   /* waits awake */
} ncz_pool_counts;

ncz_pool_counts ncz_pool_count(void);
uint64_t        ncz_pool_spins(void); /* pool_size.c's part of it */

#endif
