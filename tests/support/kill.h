/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A child process that dies at its n-th system call on a store, as if it was killed there. Only calls of the file and
 * the zip store count, of all threads together. A write that it dies at has stored the first half of its bytes.
 */
#ifndef NCZ_TESTS_KILL_H
#define NCZ_TESTS_KILL_H

#include <stdbool.h>

typedef enum kill_calls {
    KILL_AT_ALL,     /* all calls count */
    KILL_AT_CHANGES, /* those that change what is stored, locks, and opening files */
    KILL_SECTORS,    /* the same; and a write of bytes of one sector stores all of them or none */
    KILL_IN_PLACE,   /* all; and a rename copies over the old object instead: a store that must be found out */
} kill_calls;

/*
 * Runs go(arg) in a child that dies at call n. True: it got through instead. A child that fails or ends otherwise ends
 * the test, with `name` in the message.
 */
bool kill_at_call(long n, kill_calls which, const char *name, bool (*go)(void *arg), void *arg);

/* Counts the calls of this process from now on: it dies at call n. 0: it never dies. */
void kill_arm(unsigned n);
/* Counts one more call, which is not one of a store. */
void kill_count(void);

/*
 * How many calls lie between two deaths of a run that goes through all of them: 1 where the calls come in the same
 * order each time, that is with NCZARR_THREADS=1. With more threads they mix: every third then. Under a sanitizer a
 * death takes five times as long, and finds what it finds without: it is every eighth of those. NCZARR_TEST_ALL:
 * each. NCZARR_TEST_SHORT: every eleventh, or with more threads every 37th, both of which meet all parities of the
 * loops.
 */
long kill_step(void);
/* The first of them: 1, but where calls are left out it follows from NCZARR_TEST_SEED, so that many runs meet each. */
long kill_first(void);

#endif /* NCZ_TESTS_KILL_H */
