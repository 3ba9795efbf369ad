/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history: seeded schedules of parallel writing, and what a dataset may hold after one of them.
 *
 * A schedule is a number of epochs. In each, all ranks make the same operations, each on its own block, and end it
 * with nc_sync() or nc_close(). What each rank does follows from the seed alone, so that the checker knows it as well
 * as the ranks do. Every value names the epoch, the variable and the element that it was written for. After a crash
 * the dataset is opened, checked, and written again: that is the second run, whose epochs have numbers of their own
 * ("stamps").
 */
#ifndef NCZ_TESTS_HISTORY_H
#define NCZ_TESTS_HISTORY_H

#include "nczarr_par.h"

#include "ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HISTORY_WIDTH = 24,   /* elements of a row */
    HISTORY_ROWS = 10,    /* of variables that do not grow */
    HISTORY_LONGEST = 40, /* of the variable that grows: fewer than 1000 elements */
    HISTORY_EPOCHS = 5,   /* at most, in each of the two runs */
    HISTORY_STAMPS = 2 * HISTORY_EPOCHS,
    HISTORY_OPS = 4,
};

/* Variables; each epoch may define one more. */
enum { VAR_FIXED, VAR_MIXED, VAR_RECORDS, VAR_LATE, HISTORY_VARS = VAR_LATE + HISTORY_EPOCHS };

/* What a schedule is drawn from; a failing one is repeated with less of it. */
typedef struct schedule {
    unsigned seed;
    int      nranks, epochs;
    unsigned without; /* a bit for each variable (VAR_LATE: all later ones) that nobody writes */
    bool     v3, shards, consolidated;
    bool     jobs;   /* processes without a communicator, each at its own pace */
    int      victim; /* -1: nobody dies */
    unsigned die_at; /* the call that it dies at */
} schedule;

typedef struct operation {
    int      var;
    size_t   row, nrows; /* that all ranks write together */
    bool     collective, by_rows, strided, holes;
    unsigned salt;
} operation;

typedef struct epoch_plan {
    operation ops[HISTORY_OPS];
    int       nops;
    size_t    len;    /* of the unlimited dimension at its end */
    bool      late;   /* defines VAR_LATE + epoch */
    bool      reopen; /* ends with nc_close(), and the next epoch opens again */
} epoch_plan;

typedef struct block {
    size_t    start[2], count[2];
    ptrdiff_t stride[2];
} block;

/* The schedule of a seed. */
schedule history_draw(unsigned seed);
/* One epoch of run 0 or 1, of a dataset with `len` records before it. */
void history_plan(const schedule *s, int run, int epoch, size_t len, epoch_plan *out);
/* What `rank` writes in an operation; false: nothing. */
bool history_block(const schedule *s, const operation *op, int rank, block *out);
int  history_value(int stamp, int var, size_t row, size_t column);
void history_name(int var, char name[16]);
void history_print(const schedule *s);

static inline int
history_stamp(int run, int epoch)
{
    return run * HISTORY_EPOCHS + epoch;
}

/* ---- the checker ------------------------------------------------------------------------------------------------- */

/* What ranks report, in memory that processes share. */
typedef struct report {
    int acked; /* the last epoch of the run that nc_sync() or nc_close() confirmed; -1: the definitions; -2: nothing */
    int  started; /* the last epoch that it began */
    int  pid;
    int  finished;
    int  rc; /* of the call that failed first */
    char text[300];
} report;

/* What may be in the dataset. */
typedef struct history {
    schedule s;
    uint16_t written[HISTORY_VARS][HISTORY_LONGEST * HISTORY_WIDTH]; /* stamps as bits */
    int8_t   owner[HISTORY_VARS][HISTORY_LONGEST * HISTORY_WIDTH]; /* with `jobs`: the only process that writes it */
    bool     defined[HISTORY_VARS];
    size_t   len[HISTORY_STAMPS + 1];                              /* after each stamp, at [stamp + 1] */
    int      found[HISTORY_VARS][HISTORY_LONGEST * HISTORY_WIDTH]; /* after the first run; with rows of fill */
    size_t   found_len;
    /* The records by the single documents, where a consolidated copy was not replaced yet: a length never shrinks. */
    int    single[HISTORY_LONGEST * HISTORY_WIDTH];
    size_t single_len;
    int    found_epoch; /* the last epoch whose documents are there; -2: there is no dataset */
    char   why[600];
} history;

/* Records what the ranks may write in epochs from `first` on, of a dataset with `len` records. */
void history_expect(history *h, int run, int first, size_t len);
/* Is what is stored at `url` what the ranks reported? False: h->why. Sets found, found_len, found_epoch; what an
 * earlier call found becomes `single`. */
bool history_check(history *h, const char *url, const report *r);
/* After the second run, in which nobody dies: each value is the one of its last write, or as it was found. */
bool history_check_again(history *h, const char *url, const report *r, const report *again);

#endif /* NCZ_TESTS_HISTORY_H */
