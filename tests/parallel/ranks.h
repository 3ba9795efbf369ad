/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without MPI: processes of this machine, which talk over sockets, or threads of this process. */
#ifndef NCZ_TESTS_RANKS_H
#define NCZ_TESTS_RANKS_H

#include "nczarr_par.h"

#include <stdbool.h>

#define RANKS_MOST 64

/* What a rank does. Returns 0, or the number of a line that failed. */
typedef int (*rank_fn)(const nczarr_comm *comm, void *arg);

/* Runs fn on n ranks, and waits for them. Returns how many failed, not counting rank `killed`, which is expected to be
 * killed (-1: no rank is). A process that hangs is ended by SIGALRM and counts as failed. */
int ranks_as_processes(int n, rank_fn fn, void *arg, int killed);
int ranks_as_threads(int n, rank_fn fn, void *arg);

/* In a test: n ranks succeed as processes, then as threads. The folder is emptied after each. */
#define ranks_of_both_kinds(dir, n, fn, arg)                                                                         \
    do {                                                                                                             \
        assert_int_equal(ranks_as_processes((n), (fn), (arg), -1), 0);                                               \
        scratch_empty(dir);                                                                                          \
        assert_int_equal(ranks_as_threads((n), (fn), (arg)), 0);                                                     \
        scratch_empty(dir);                                                                                          \
    } while (0)

/* Whether the processes may start threads. ThreadSanitizer ends the child of a program with threads that does: there
 * they have one thread each. */
bool ranks_have_threads(void);

/* In a rank that is a thread: takes part in nothing from now on, as if it had died; the others' calls fail. NC_EIO.
 * In a process: the same, but it is simpler to end it. */
int ranks_break_off(const nczarr_comm *comm);

/* The tables that were released, in this process: each dataset releases its own once. */
int ranks_released(void);

/* The next number below n of a small generator, the same on all machines. */
unsigned ranks_draw(unsigned *seed, unsigned n);

/* In a rank: reports the failed line, with the rank and nczarr's error text. */
#define RANK_CHECK(cond)                                                                                             \
    do {                                                                                                             \
        if (!(cond)) {                                                                                               \
            ranks_report(comm, #cond, __FILE__, __LINE__);                                                           \
            return __LINE__;                                                                                         \
        }                                                                                                            \
    } while (0)

void ranks_report(const nczarr_comm *comm, const char *what, const char *file, int line);

#endif /* NCZ_TESTS_RANKS_H */
