/* SPDX-License-Identifier: BSD-3-Clause */
/* walk: reads everything that an open dataset says it has, in small boxes. */
#ifndef NCZ_FUZZ_WALK_H
#define NCZ_FUZZ_WALK_H

#include "nczarr.h"

#include <stdbool.h>
#include <stddef.h>

#define FUZZ_MOST_ELEMS 1024 /* a hostile shape is not worth the time; small boxes reach the same code */
#define FUZZ_MOST_BYTES ((size_t)1 << 20)

/* Ends the process where a failed call does not say why. Returns its code. With NCZ_FUZZ_SAY in the environment the
 * text is printed. */
int fuzz_said(int rc);

/*
 * The documents below the root are read when something is first asked: that is where they may fail it. Does the whole
 * dataset load?
 */
bool fuzz_loads(int ncid);

/* The elements of a variable; more than `most` count as some number larger than that. */
int fuzz_count_elems(int ncid, int varid, size_t most, size_t *n);

void fuzz_walk(int ncid); /* the group, and those below it */
void fuzz_read_atts(int ncid, int varid);
void fuzz_read_var(int ncid, int varid); /* a box at its beginning, and one at its end */

#endif /* NCZ_FUZZ_WALK_H */
