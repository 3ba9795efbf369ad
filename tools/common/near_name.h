/* SPDX-License-Identifier: BSD-3-Clause */
/* near_name: what a misspelt name probably means, for messages. */
#ifndef NEAR_NAME_H
#define NEAR_NAME_H

#include <stddef.h>

typedef enum near_kind { NEAR_VARIABLE, NEAR_DIMENSION, NEAR_GROUP } near_kind;

enum { NEAR_NAME_SIZE = 1100 };

/* The better of two: the name that is nearer to the word; NULL: neither is near. `best` may be NULL. */
const char *near_name_better(const char *word, const char *best, const char *name);

/* "; did you mean NAME?", or "", for a name as users give it ("v", "g/v", "/g/v"), from all groups below `root`. */
const char *near_name_hint(int root, near_kind kind, const char *word, char text[NEAR_NAME_SIZE]);

#endif /* NEAR_NAME_H */
