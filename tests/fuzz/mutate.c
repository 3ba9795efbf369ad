/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutation that knows the form of an input (objects.h): in a document a token becomes another one, in a chunk or
 * shard an aligned word does, counted from the end where the index of a shard is. Every second time libFuzzer mutates
 * by itself.
 */
#include "fuzz/objects.h"

#include <string.h>

#include "util/util.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static unsigned
draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

/* Puts `len` bytes in the place of `old` bytes at `at`; returns the new size. 0: no room. */
static size_t
replace(uint8_t *data, size_t size, size_t max_size, size_t at, size_t old, const void *with, size_t len)
{
    if (size - old + len > max_size)
        return 0;
    memmove(data + at + len, data + at + old, size - at - old);
    memcpy(data + at, with, len);
    return size - old + len;
}

/* The token of a document that begins at or behind `at`: a string with its quotes, a number or a literal. */
static size_t
find_token(const uint8_t *text, size_t len, size_t *at)
{
    size_t i = *at, n = 1;

    while (i < len && strchr(" \t\r\n,:[]{}", text[i]) != NULL)
        i++;
    *at = i;
    if (i >= len)
        return 0;
    if (text[i] == '"') {
        while (i + n < len && text[i + n] != '"')
            n += text[i + n] == '\\' ? 2 : 1;
        return i + n < len ? n + 1 : len - i;
    }
    while (i + n < len && strchr(" \t\r\n,:[]{}\"", text[i + n]) == NULL)
        n++;
    return n;
}

static const char *const values[] = {"0",    "-1",      "1",     "2",      "4294967296", "9223372036854775807",
                                     "null", "true",    "1e400", "\"\"",   "[]",         "18446744073709551615",
                                     "{}",   "\"NaN\"", "[1]",   "\"<f8\""};

static size_t
mutate_document(uint8_t *data, size_t size, size_t max_size, const fuzz_object *o, unsigned *state)
{
    size_t      from = (size_t)(o->data - data), at = draw(state, (unsigned)o->len), len, other, other_len;
    uint8_t     copy[256];
    const char *value;

    len = find_token(o->data, o->len, &at);
    if (len == 0)
        return 0;
    switch (draw(state, 3)) {
    case 0:
        value = values[draw(state, sizeof values / sizeof *values)];
        return replace(data, size, max_size, from + at, len, value, strlen(value));
    case 1: /* another token of the document */
        other = draw(state, (unsigned)o->len);
        other_len = find_token(o->data, o->len, &other);
        if (other_len == 0 || other_len > sizeof copy)
            return 0;
        memcpy(copy, o->data + other, other_len);
        return replace(data, size, max_size, from + at, len, copy, other_len);
    default: /* its own bytes */
        if (len > sizeof copy / 2)
            return 0;
        memcpy(copy, o->data + at, len);
        other_len = LLVMFuzzerMutate(copy, len, sizeof copy);
        return replace(data, size, max_size, from + at, len, copy, other_len);
    }
}

/* Bytes of the index at the end of a shard, by its checksum; 0: there is none. */
static size_t
find_index(const fuzz_object *o)
{
    for (size_t n = 16; n <= 1024 && n + 4 <= o->len; n += 16) {
        uint32_t sum = ncz_crc32c(o->data + o->len - 4 - n, n);

        if (memcmp(&sum, o->data + o->len - 4, 4) == 0)
            return n;
    }
    return 0;
}

static size_t
mutate_bytes(uint8_t *data, size_t size, const fuzz_object *o, unsigned *state)
{
    size_t   from = (size_t)(o->data - data), words = o->len / 4, at, index = find_index(o);
    uint32_t word;

    if (words < 2)
        return 0;
    at = o->len - 4 * (1 + draw(state, words < 16 ? (unsigned)words : 16));
    memcpy(&word, data + from + at, 4);
    switch (draw(state, 4)) {
    case 0: word = draw(state, 2) ? 0 : UINT32_MAX; break;
    case 1: word += draw(state, 33) - 16; break;
    case 2: word ^= 1U << draw(state, 32); break;
    default: word = draw(state, 2) ? (uint32_t)o->len : 1U << draw(state, 32);
    }
    memcpy(data + from + at, &word, 4);
    if (index > 0 && draw(state, 4) != 0) { /* so that the index itself is looked at */
        word = ncz_crc32c(o->data + o->len - 4 - index, index);
        memcpy(data + from + o->len - 4, &word, 4);
    }
    return size;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    const uint8_t *at = data, *end = data + size;
    fuzz_object    o, chosen = {0};
    unsigned       n = 0, state = seed;
    size_t         done = 0;

    if (draw(&state, 2) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    while (fuzz_next_object(&at, end, &o)) {
        n++;
        if (o.len > 0 && draw(&state, n) == 0)
            chosen = o;
    }
    if (chosen.len > 0)
        done = chosen.data[0] == '{' || chosen.data[0] == '[' ? mutate_document(data, size, max_size, &chosen, &state)
                                                              : mutate_bytes(data, size, &chosen, &state);
    return done > 0 ? done : LLVMFuzzerMutate(data, size, max_size);
}
