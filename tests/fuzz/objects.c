/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * objects: from an input to the objects of a store. The limits are the fuzzer's own: they take the place of the
 * library's where the linker finds these first.
 */
#include "fuzz/objects.h"

#include <stdlib.h>
#include <string.h>

#include "util/util.h"

/* What a document may ask for is small, so that a run is short whatever it says; the code is the same. */
const ncz_limits ncz_limits_default = {
    .document_bytes = (size_t)1 << 20,
    .json_depth = 32,
    .group_depth = 16,
    .objects = 4096,
    .attributes = 256,
    .name_bytes = 1024,
    .rank = 64,
    .element_bytes = (size_t)1 << 12,
    .chunk_bytes = (size_t)1 << 16,
    .object_bytes = (size_t)1 << 18,
    .chain = 32,
    .cache_bytes = (size_t)1 << 18,
};

bool
fuzz_next_object(const uint8_t **at, const uint8_t *end, fuzz_object *out)
{
    const uint8_t *p = *at, *eol, *next;

    if (p >= end || *p != '@' || (eol = memchr(p, '\n', (size_t)(end - p))) == NULL)
        return false;
    next = memmem(eol, (size_t)(end - eol), "\n@", 2);
    out->key = p + 1;
    out->key_len = (size_t)(eol - out->key);
    out->data = next == eol ? eol : eol + 1;
    out->len = (size_t)((next != NULL ? next : end) - out->data);
    *at = next != NULL ? next + 1 : end;
    return true;
}

nczarr_map *
fuzz_map_of(const uint8_t *data, size_t size, const char *but, fuzz_object *out)
{
    const uint8_t *at = data, *end = data + size;
    fuzz_object    o;
    nczarr_map    *map;

    if (nczarr_map_memory(&map) != NC_NOERR)
        abort();
    while (fuzz_next_object(&at, end, &o)) {
        char *key = strndup((const char *)o.key, o.key_len);

        if (but != NULL && strcmp(key, but) == 0)
            *out = o;
        else
            (void)nczarr_map_write(map, key, o.len, o.data);
        free(key);
    }
    return map;
}
