/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of the container share: arrays and what they should have, commits of plain metadata, and a look at the
 * file by the reader. */
#ifndef NCZ_TESTS_CONTAINER_HELP_H
#define NCZ_TESTS_CONTAINER_HELP_H

#include "container/container.h"
#include "container/log_file.h"

enum { HELP_ARRAYS = 8, HELP_OBJECTS = 2000 };

typedef struct help_object {
    uint64_t uid, at[4];
    size_t   len;
    char    *bytes; /* NULL: there is none */
} help_object;

/* Arrays, and the objects that they should have. */
typedef struct help_model {
    ncz_container_array arrays[HELP_ARRAYS];
    size_t              narrays;
    help_object         objects[HELP_OBJECTS];
    size_t              nobjects;
    uint32_t            seed;
} help_model;

uint32_t help_draw(uint32_t *seed, uint32_t below);

/* 1 chunked {4, 4}; 2 chunked {1, 3, 5} of elements of 4 bytes; 3 contiguous {10, 6}, pieces of 4 rows, filled with
 * 7; 4 compact {9}, filled with 8; 5 a scalar; 6 contiguous, 100,000 bytes in pieces of 30,000. */
void help_arrays(help_model *m);
void help_set_arrays(const help_model *m, zmap *map);
void help_model_clear(help_model *m);
void help_model_copy(const help_model *from, help_model *to);

/* The key of an object. In one of four buffers, taken in turn. */
const char *help_key(const help_model *m, uint64_t uid, const uint64_t *at);
/* NULL, or what the object should have. */
help_object *help_find(help_model *m, uint64_t uid, const uint64_t *at);
/* Notes an object; `bytes` NULL: none. */
void help_note(help_model *m, uint64_t uid, const uint64_t *at, const void *bytes, size_t len);
/* A random change of an object, in the map and in the model. Returns what the map did. After a failure the model is as
 * it was, and the next change is the same one. */
int help_change(help_model *m, zmap *map);
/* All objects of the map are those of the model, and no others. */
void help_check_map(help_model *m, zmap *map);

/* Describes the arrays, in order, as datasets of the root, and commits. */
int help_commit(const help_model *m, zmap *map, const ncz_container_commit_opts *o);
/* The reader finds the model in the file: each chunk's bytes, and the bytes of the others. */
void help_check_file(help_model *m, const void *data, size_t len);
/* The end of the file that its superblock says. */
uint64_t help_said_end(const void *data, size_t len);

#endif /* NCZ_TESTS_CONTAINER_HELP_H */
