/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many threads the pool has, how many are at work, and which of them may wait awake.
 *
 * Waking a worker for each of many short calls costs more than the calls. So short waits spin: a caller for the last
 * tasks of its batch, and a worker whose last wait was short. Nothing spins where the process has fewer CPUs than
 * threads: it would keep others from their work.
 */
#include "util/pool_int.h"
#include "platform/platform.h"

#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    atomic_uint     wanted; /* threads at work, with the callers; 0: not known yet */
    atomic_uint     cpus;   /* 0: not known yet */
    unsigned        share;  /* processes that share them; 0: one */
    bool            chosen; /* `wanted` follows from them */
    _Alignas(NCZ_POOL_CACHE_LINE) atomic_uint running;
    atomic_uint spinning; /* that are not running */
    _Alignas(NCZ_POOL_CACHE_LINE) _Atomic uint64_t nspins;
} size = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
            return n < NCZ_POOL_THREADS_MOST ? (unsigned)n : NCZ_POOL_THREADS_MOST;
        ncz_log(NCZ_LOG_WARN, "NCZARR_THREADS=%.40s is not a number of threads", text);
    }
    n = size.share > 1 ? (size.cpus + size.share - 1) / size.share : size.cpus;
    size.chosen = true;
    return n < NCZ_POOL_THREADS_MOST ? (unsigned)n : NCZ_POOL_THREADS_MOST;
}

static unsigned
choose_size(void)
{
    unsigned n;

    (void)pthread_mutex_lock(&size.lock);
    if (size.cpus == 0)
        size.cpus = ncz_cpus();
    if ((n = size.wanted) == 0) {
        size.wanted = n = choose_threads();
        ncz_log(NCZ_LOG_INFO, "up to %u threads, %s", n,
                size.chosen ? "one for each CPU of this process" : "as NCZARR_THREADS says");
    }
    (void)pthread_mutex_unlock(&size.lock);
    return n;
}

unsigned
ncz_pool_size(void)
{
    unsigned n = size.wanted;

    return n != 0 && size.cpus != 0 ? n : choose_size();
}

unsigned
ncz_pool_size_waiting(void)
{
    unsigned threads = ncz_pool_size(), most;

    (void)pthread_mutex_lock(&size.lock);
    most = size.chosen ? NCZ_POOL_WAITING_MOST / (size.share > 1 ? size.share : 1) : threads;
    (void)pthread_mutex_unlock(&size.lock);
    return most > threads ? most : threads;
}

void
ncz_pool_size_set(unsigned n)
{
    (void)pthread_mutex_lock(&size.lock);
    size.wanted = n < NCZ_POOL_THREADS_MOST ? n : NCZ_POOL_THREADS_MOST;
    size.chosen = false;
    size.cpus = 0; /* they may have changed */
    (void)pthread_mutex_unlock(&size.lock);
}

bool
ncz_pool_size_share(unsigned processes)
{
    bool again;

    (void)pthread_mutex_lock(&size.lock);
    again = processes != size.share && size.chosen;
    size.share = processes;
    (void)pthread_mutex_unlock(&size.lock);
    return again;
}

unsigned
ncz_pool_processes(void)
{
    unsigned n;

    (void)pthread_mutex_lock(&size.lock);
    n = size.share > 1 ? size.share : 1;
    (void)pthread_mutex_unlock(&size.lock);
    return n;
}

void
ncz_pool_size_lock(void)
{
    (void)pthread_mutex_lock(&size.lock);
}

void
ncz_pool_size_unlock(void)
{
    (void)pthread_mutex_unlock(&size.lock);
}

void
ncz_pool_size_forked(bool running)
{
    size.running = running ? 1 : 0;
    size.spinning = 0;
}

/* ---- at work ---- */

void
ncz_pool_enter(void)
{
    (void)atomic_fetch_add(&size.running, 1);
}

bool
ncz_pool_has_room(void)
{
    return size.running < size.wanted;
}

bool
ncz_pool_enter_if_room(void)
{
    unsigned n = size.running;

    do {
        if (n >= size.wanted)
            return false;
    } while (!atomic_compare_exchange_weak(&size.running, &n, n + 1));
    return true;
}

void
ncz_pool_leave(void)
{
    (void)atomic_fetch_sub(&size.running, 1);
}

/* ---- spinning ---- */

#if defined __x86_64__ || defined __i386__
#define RELAX() __builtin_ia32_pause()
#elif defined __aarch64__
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

static bool
may_spin(bool running)
{
    return size.wanted <= size.cpus && size.running + size.spinning + (running ? 0 : 1) <= size.cpus;
}

void
ncz_pool_spin(bool (*over)(const void *of), const void *of, bool running)
{
    int64_t until;

    if (!may_spin(running) || over(of))
        return;
    (void)atomic_fetch_add_explicit(&size.nspins, 1, memory_order_relaxed);
    if (!running)
        (void)atomic_fetch_add(&size.spinning, 1);
    until = ncz_now_ns() + NCZ_POOL_SPIN_NS;
    for (unsigned rounds = 1; !over(of) && (rounds % 16 != 0 || ncz_now_ns() < until); rounds++)
        RELAX();
    if (!running)
        (void)atomic_fetch_sub(&size.spinning, 1);
}

uint64_t
ncz_pool_spins(void)
{
    return size.nspins;
}
