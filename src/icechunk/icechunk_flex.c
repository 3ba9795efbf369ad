/* SPDX-License-Identifier: BSD-3-Clause */
#include "icechunk/icechunk_flex.h"

#include <string.h>

enum { KIND_KEY = 4, KIND_STRING = 5, KIND_MAP = 9 };

static bool
holds(const ncz_flex *v, size_t at, size_t n)
{
    return at <= v->len && n <= v->len - at;
}

static bool
read_number(const ncz_flex *v, size_t at, size_t width, uint64_t *out)
{
    uint64_t value = 0;

    if ((width != 1 && width != 2 && width != 4 && width != 8) || !holds(v, at, width))
        return false;
    for (size_t i = width; i > 0; i--)
        value = value << 8 | v->data[at + i - 1];
    *out = value;
    return true;
}

/* Where the offset at `at` leads: backwards. */
static bool
follow(const ncz_flex *v, size_t at, size_t width, size_t *out)
{
    uint64_t back;

    if (!read_number(v, at, width, &back) || back > at)
        return false;
    *out = at - (size_t)back;
    return true;
}

static unsigned
kind_of(const ncz_flex *v)
{
    return v->type >> 2;
}

/* The width of what the value points to. */
static size_t
width_below(const ncz_flex *v)
{
    return (size_t)1 << (v->type & 3);
}

bool
ncz_flex_root(const void *data, size_t len, ncz_flex *out)
{
    const unsigned char *bytes = data;
    size_t               width;

    if (len < 3)
        return false;
    width = bytes[len - 1];
    if ((width != 1 && width != 2 && width != 4 && width != 8) || width > len - 2)
        return false;
    *out = (ncz_flex){.data = bytes, .len = len, .at = len - 2 - width, .width = width, .type = bytes[len - 2]};
    return true;
}

bool
ncz_flex_is_map(const ncz_flex *v)
{
    return kind_of(v) == KIND_MAP;
}

/* A key ends with a NUL. */
static bool
read_key(const ncz_flex *v, size_t at, ncz_line *out)
{
    const void *nul = at < v->len ? memchr(v->data + at, 0, v->len - at) : NULL;

    if (nul == NULL)
        return false;
    *out = (ncz_line){.s = (const char *)v->data + at, .len = (size_t)((const unsigned char *)nul - v->data) - at};
    return true;
}

bool
ncz_flex_text(const ncz_flex *v, ncz_line *out)
{
    size_t   at, width = width_below(v);
    uint64_t len;

    if (kind_of(v) != KIND_STRING && kind_of(v) != KIND_KEY) {
        *out = (ncz_line){.s = NULL};
        return true;
    }
    if (!follow(v, v->at, v->width, &at))
        return false;
    if (kind_of(v) == KIND_KEY)
        return read_key(v, at, out);
    if (at < width || !read_number(v, at - width, width, &len) || len > v->len || !holds(v, at, (size_t)len))
        return false;
    *out = (ncz_line){.s = (const char *)v->data + at, .len = (size_t)len};
    return true;
}

/* Where the values of a map begin, how many there are; behind them stand their types. */
static bool
open_map(const ncz_flex *map, size_t *at, size_t *n)
{
    size_t   width = width_below(map), all;
    uint64_t count;

    if (!follow(map, map->at, map->width, at) || *at < 3 * width || !read_number(map, *at - width, width, &count) ||
        count > map->len || !ncz_mul((size_t)count, width + 1, &all) || !holds(map, *at, all))
        return false;
    *n = (size_t)count;
    return true;
}

bool
ncz_flex_count(const ncz_flex *map, size_t *n)
{
    size_t at;

    *n = 0;
    return !ncz_flex_is_map(map) || open_map(map, &at, n);
}

bool
ncz_flex_at(const ncz_flex *map, size_t i, ncz_line *key, ncz_flex *out)
{
    size_t   width = width_below(map), at, n, keys, name;
    uint64_t key_width;

    if (!open_map(map, &at, &n) || i >= n || !follow(map, at - 3 * width, width, &keys) ||
        !read_number(map, at - 2 * width, width, &key_width) || key_width == 0 || key_width > 8 ||
        !follow(map, keys + i * (size_t)key_width, (size_t)key_width, &name) || !read_key(map, name, key))
        return false;
    *out = (ncz_flex){.data = map->data,
                      .len = map->len,
                      .at = at + i * width,
                      .width = width,
                      .type = map->data[at + n * width + i]};
    return true;
}

bool
ncz_flex_get(const ncz_flex *map, const char *name, bool *there, ncz_flex *out)
{
    size_t   n, len = strlen(name);
    ncz_line key;

    *there = false;
    if (!ncz_flex_count(map, &n))
        return false;
    for (size_t i = 0; i < n && !*there; i++) {
        if (!ncz_flex_at(map, i, &key, out))
            return false;
        *there = key.len == len && memcmp(key.s, name, len) == 0;
    }
    return true;
}
