/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form of an input that is a whole store, kind to a text mutator: "@key\n" begins an object, its bytes follow up to
 * the next "\n@". tests/fuzz/pack makes such a file from a directory.
 */
#ifndef NCZ_FUZZ_OBJECTS_H
#define NCZ_FUZZ_OBJECTS_H

#include "nczarr_zmap.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct fuzz_object {
    const uint8_t *key, *data; /* in the input; neither ends with a NUL */
    size_t         key_len, len;
} fuzz_object;

/* The object at *at, which moves behind it. False: there is none. */
bool fuzz_next_object(const uint8_t **at, const uint8_t *end, fuzz_object *out);

/* A memory map with all objects of the input but the one called `but`, which is given to `out` (either may be NULL). */
nczarr_map *fuzz_map_of(const uint8_t *data, size_t size, const char *but, fuzz_object *out);

#endif /* NCZ_FUZZ_OBJECTS_H */
