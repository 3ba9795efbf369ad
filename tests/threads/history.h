/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened in a run of many threads, and whether it could have happened one call at a time.
 *
 * A register is anything that is put and got whole: a block of elements, an attribute. Each call is an op with the
 * moments when it began and ended; each register that it put or got is an event with the stamp that stood for the
 * value. A stamp other than HIST_FILL is put by one op only; HIST_FILL, the value from the beginning, may be put
 * again.
 * Registers of one chunk are put and got together: no get may see one half of a put.
 *
 * Each thread writes its own history; hist_check() looks at all of them when the threads are gone.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_FILL 0

typedef struct hist_op {
    uint64_t start, end;
} hist_op;

typedef struct hist_event {
    uint32_t op, reg, stamp;
    bool     put;
} hist_event;

typedef struct hist {
    hist_op    *ops;
    hist_event *events; /* in the order of their ops */
    size_t      nops, opcap, nevents, eventcap;
} hist;

/* The next moment. Unique, rising, and seen by ThreadSanitizer as no order between threads at all. */
uint64_t hist_tick(void);

uint32_t hist_begin(hist *h); /* an op that begins now; NULL histories do not record */
void     hist_end(hist *h, uint32_t op);
void     hist_add(hist *h, uint32_t op, uint32_t reg, uint32_t stamp, bool put);
void     hist_drop(hist *h, uint32_t op); /* the last op did nothing: it never was */
void     hist_clear(hist *h);

/* `chunk_of[r]` is the chunk of register r, of `nregs`. False: `why` says what cannot have been. */
bool hist_check(const hist *all, size_t n, const uint32_t *chunk_of, size_t nregs, char *why, size_t size);

#endif
