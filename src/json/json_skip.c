/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_skip: finds the end of a container without parsing it, from its brackets and quotes alone. Consolidated metadata
 * are split so: megabytes, on the caller's thread, before the workers can parse the parts. Most of it goes 64 bytes at
 * a time (json_skip_x86_64.c); bytes with a backslash, the last ones and other machines take the loop below.
 */
#include "json/json_int.h"

/* Moves over `n` bytes, or past the bracket that ends the container. An escape at the end may reach beyond them. */
static const char *
skip_bytes(json_skip *k, const char *s, size_t n, const char *end)
{
    const char *stop = s + n;

    while (s < stop && k->depth > 0) {
        char c = *s++;

        if (c == '"')
            k->quoted = !k->quoted;
        else if (k->quoted)
            s += c == '\\' && s < end;
        else if (c == '{' || c == '[')
            k->depth++;
        else if (c == '}' || c == ']')
            k->depth--;
    }
    return s;
}

const char *
ncz_json_skip(const char *s, const char *end, bool *quoted)
{
    json_skip k = {.depth = 1};

    for (s++; s < end && k.depth > 0;) {
        s = ncz_json_skip_blocks(&k, s, end);
        s = skip_bytes(&k, s, (size_t)(end - s) < JSON_BLOCK ? (size_t)(end - s) : JSON_BLOCK, end);
    }
    *quoted = k.quoted;
    return k.depth == 0 ? s : NULL;
}
