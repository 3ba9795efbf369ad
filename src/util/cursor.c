/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cursor over a binary header. A read past the end returns 0 or NULL and clears `good` for good.
 */
#include "util/util.h"

ncz_cursor
ncz_cursor_at(const void *data, size_t len)
{
    return (ncz_cursor){.data = data, .len = len, .pos = 0, .good = true};
}

const unsigned char *
ncz_cursor_bytes(ncz_cursor *c, size_t n)
{
    const unsigned char *p;

    if (!c->good || n > c->len - c->pos) {
        c->good = false;
        return NULL;
    }
    p = c->data + c->pos;
    c->pos += n;
    return p;
}

static uint64_t
read_le(ncz_cursor *c, size_t n)
{
    const unsigned char *p = ncz_cursor_bytes(c, n);
    uint64_t             v = 0;

    if (p != NULL)
        for (size_t i = 0; i < n; i++)
            v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint8_t
ncz_cursor_u8(ncz_cursor *c)
{
    return (uint8_t)read_le(c, 1);
}

uint16_t
ncz_cursor_u16le(ncz_cursor *c)
{
    return (uint16_t)read_le(c, 2);
}

uint32_t
ncz_cursor_u32le(ncz_cursor *c)
{
    return (uint32_t)read_le(c, 4);
}

uint64_t
ncz_cursor_u64le(ncz_cursor *c)
{
    return read_le(c, 8);
}

uint64_t
ncz_cursor_be(ncz_cursor *c, size_t n)
{
    const unsigned char *p = ncz_cursor_bytes(c, n);
    uint64_t             v = 0;

    if (p != NULL)
        for (size_t i = 0; i < n; i++)
            v = v << 8 | p[i];
    return v;
}

uint32_t
ncz_cursor_u32be(ncz_cursor *c)
{
    return (uint32_t)ncz_cursor_be(c, 4);
}

uint64_t
ncz_cursor_u64be(ncz_cursor *c)
{
    return ncz_cursor_be(c, 8);
}
