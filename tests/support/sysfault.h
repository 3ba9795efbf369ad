/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of system calls that counts, and fails or dies at the n-th. A failing call is not made, but for close,
 * which closes whatever it says. With `tear`, a rename is done as a broken library would: by writing over the old
 * object.
 */
#ifndef NCZ_TESTS_SYSFAULT_H
#define NCZ_TESTS_SYSFAULT_H

#include "zmap/zmap_sys.h"

typedef struct sysfault {
    size_t      nth;     /* 1-based; 0: never */
    bool        forever; /* and all calls after it */
    int         err;     /* the errno that it says; 0: _exit(137) before the call */
    bool        tear;
    size_t      piece;                   /* most bytes that one write takes; 0: all */
    size_t      seen;                    /* out: calls so far */
    const char *hit;                     /* out: name of the first call that failed, or NULL */
    size_t      fsyncs, syncfss, starts; /* out: made */
} sysfault;

extern sysfault sysfault_plan;

void sysfault_start(sysfault plan); /* puts the table in use */
void sysfault_stop(void);           /* the system's own again; sysfault_plan stays to be looked at */

/*
 * Runs a session with a failure at its first, second ... call, until it gets through without meeting it; for each
 * usual errno, for one failure and for all calls from then on. `session` returns whether it met its plan. A session
 * makes more than `least` calls, and more than `least_forever` until it gives up. `piece`: as in the plan.
 */
void sysfault_each(bool (*session)(const void *arg, sysfault plan), const void *arg, size_t piece, size_t least,
                   size_t least_forever);
/* Whether this run tries the i-th of n scenarios with writes of kind k, 0 or 1: with NCZARR_TEST_ALL all of them, else one
 * kind of each, with NCZARR_TEST_SHORT or NCZ_TEST_FEW of one scenario alone, by the seed. */
bool sysfault_drawn(size_t i, size_t n, size_t k);
int  sysfault_code(int err);                                         /* the library's code for this errno */
bool sysfault_is_one_of(const char *call, const char *const *calls); /* NULL at the end */

#endif /* NCZ_TESTS_SYSFAULT_H */
