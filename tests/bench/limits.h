/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limits: what its parts share: a task, done as many small jobs by several threads, and files in one call each.
 */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdatomic.h>

#include "workload.h"

enum { MOST_THREADS = 64, CHUNK_NELEMS = CHUNK * CHUNK * CHUNK, MOST_STORED = 2 << 20 };

typedef struct task task;

/* What a thread works in. */
typedef struct room {
    char *stored, *decoded, *spare;
} room;

struct task {
    const arguments  *a;
    const store_form *form;
    layout            l;   /* of the array */
    int               dir; /* of the array, or of all when there are many */
    char             *data;
    void (*job)(const task *t, room *r, size_t i);
    size_t        njobs;
    atomic_size_t next;
    room          rooms[MOST_THREADS];
    atomic_uint   taken;
};

_Noreturn void die(const char *text);

/* Opens a new file beneath `dir`, under the name of which `temp` takes the temporary form; makes what folders it
 * needs. */
int  create_file(int dir, const char *name, char temp[96]);
void finish_file(int dir, const char *name, const char *temp, int fd);

/* Copies a box of the array to packed memory, or from there. */
void gather_box(const task *t, const size_t corner[3], const size_t count[3], char *packed);
void place_box(const task *t, const size_t corner[3], const size_t count[3], const char *packed);

/* The needed part [lo, hi) of a chunk, of which planes from lo[0] on are in `data`, to its place in a packed box. */
void place_part(const float *data, const size_t lo[3], const size_t hi[3], float *to, size_t row, size_t plane);

/* ---- shards (limits_shards.c) --------------------------------------------------------------------------------- */

/* Chooses the job of a workload on shards, and how many there are. */
void choose_shards(task *t);

/* Elements [first, first + count) of a chunk of 64 cubed that is in a shard. */
const float *load_sharded(const task *t, room *r, const size_t chunk[3], size_t first, size_t count);

#endif /* BENCH_LIMITS_H */
