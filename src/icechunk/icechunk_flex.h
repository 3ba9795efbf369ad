/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * icechunk_flex: reads FlexBuffers: values that describe themselves. As icechunk_flat.h: nothing is copied, each offset
 * is checked where it is used, and false means damaged bytes. A value leads to another one only by a call here, so
 * nothing recurses.
 *
 * Format: https://flatbuffers.dev/internals, of FlexBuffers.
 */
#ifndef NCZ_ICECHUNK_FLEX_H
#define NCZ_ICECHUNK_FLEX_H

#include "util/util.h"

typedef struct ncz_flex {
    const unsigned char *data; /* all of the buffer */
    size_t               len;
    size_t               at, width; /* where the value stands, and how wide that place is */
    unsigned             type;      /* the byte that says what it is */
} ncz_flex;

bool ncz_flex_root(const void *data, size_t len, ncz_flex *out);

bool ncz_flex_is_map(const ncz_flex *v);
/* A string; s NULL: it is something else. */
bool ncz_flex_text(const ncz_flex *v, ncz_line *out);
/* How many members a map has; 0 of other values. */
bool ncz_flex_count(const ncz_flex *map, size_t *n);
bool ncz_flex_at(const ncz_flex *map, size_t i, ncz_line *key, ncz_flex *out);
/* The member of this name. *there: false if it is absent, or this is no map. */
bool ncz_flex_get(const ncz_flex *map, const char *name, bool *there, ncz_flex *out);

#endif /* NCZ_ICECHUNK_FLEX_H */
