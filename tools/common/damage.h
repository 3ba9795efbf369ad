/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage.h: damaged chunks, for nczdump and nczcopy: what they are, reading around them, and the list of them.
 *
 * A chunk is damaged when its bytes do not decode, or, on a local disk, cannot be read. A failed request to a server is
 * no damage, nor is a variable whose type or codec is not supported: there every chunk would be. With a log, a damaged
 * chunk reads as a missing one does, as the fill value.
 */
#ifndef DAMAGE_H
#define DAMAGE_H

#include <nczarr_zmap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    DAMAGE_EXIT = 3,    /* exit status: all is done, but chunks are damaged */
    DAMAGE_LINES = 20,  /* the log's list has at most so many */
    DAMAGE_TEXT = 1024, /* room for a message */
};

typedef enum damage_policy { DAMAGE_STOP, DAMAGE_FILL, DAMAGE_SKIP } damage_policy;

/* ---- damage_log.c: which chunks are damaged ------------------------------------------------------------------ */

/* Chunks with the same object and the same cause: those of a shard whose index is damaged. */
typedef struct damage_line {
    char  *key, *why;
    char  *chunk; /* of one in a shard: its index in the grid; else NULL */
    size_t n;
} damage_line;

typedef struct damage_log {
    uint64_t   *seen; /* a hash table: each chunk counts once, however often it is read */
    size_t      cap, n;
    damage_line line[DAMAGE_LINES];
    size_t      nlines, listed; /* chunks in the lines */
} damage_log;

/*
 * Whether a failure to read the variable's data is damage. Does not keep the library's text of the failure: take it
 * before.
 */
bool damage_is_cause(int ncid, int varid, int rc);
/* Whether it is one of them: an object that a set of references or an aggregation names is not there. */
bool damage_is_lost(int rc);

/* Adds the chunk at `index` of the grid, its `place` counted in C order. */
void damage_log_add(damage_log *l, int ncid, int varid, size_t place, const size_t *index, const char *why);
bool damage_log_has(const damage_log *l, int ncid, int varid, size_t place);
/* Prints the lines, each after `before`; then how many chunks are not listed. */
void damage_log_print(const damage_log *l, const char *before, FILE *out);
void damage_log_clear(damage_log *l);

/* ---- damage_read.c: reading around them ---------------------------------------------------------------------- */

struct hyperslab_var;

/*
 * Reads a strided box, whose reading at once failed with `rc`, chunk by chunk: damaged ones are added to the variable's
 * log, and their values are the fill value. Any other failure is returned, with its text.
 */
int damage_read(const struct hyperslab_var *v, int rc, const size_t *from, const size_t *len, const ptrdiff_t *step,
                void *to);

/* ---- damage_scan.c: looking for them ------------------------------------------------------------------------- */

/* Called as chunks were read; a result other than 0 ends the scan. */
typedef int (*damage_progress)(size_t nchunks, void *arg);

/*
 * Reads every stored chunk of the variable that the part touches, and adds the damaged ones to its log. Returns what
 * `progress` does, or the code of a failure that is no damage.
 */
int damage_scan(const struct hyperslab_var *v, damage_progress progress, void *arg);
/* The same without the chunks in objects that `skips` is true of; *others is how many these are. */
typedef bool (*damage_skips)(const char *key, void *arg);
int damage_scan_some(const struct hyperslab_var *v, damage_skips skips, damage_progress progress, void *arg,
                     size_t *others);

#endif /* DAMAGE_H */
