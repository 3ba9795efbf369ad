/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_skip_plain: for machines without the vector instructions of json_skip_x86_64.c.
 */
#include "json/json_int.h"

const char *
ncz_json_skip_blocks(json_skip *k, const char *s, const char *end)
{
    (void)k;
    (void)end;
    return s;
}

/* Eight bytes, the first one lowest in the word. */
static uint64_t
load_eight(const char *s)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)(unsigned char)s[i] << 8 * i;
    return word;
}

/* Sets the high bit of the lowest byte equal to `c`, and no bit below it. */
static uint64_t
find_byte(uint64_t word, char c)
{
    const uint64_t ones = UINT64_MAX / 255, differs = word ^ ones * (unsigned char)c;

    return (differs - ones) & ~differs & ones << 7;
}

const char *
ncz_json_find_mark(const char *s, const char *end)
{
    for (; end - s >= 8; s += 8) {
        uint64_t word = load_eight(s), marks = find_byte(word, '"') | find_byte(word, '\\');

        if (marks != 0)
            return s + (unsigned)__builtin_ctzll(marks) / 8;
    }
    while (s < end && *s != '"' && *s != '\\')
        s++;
    return s;
}
