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

uint8_t
ncz_cursor_u8(ncz_cursor *c)
{
    const unsigned char *p = ncz_cursor_bytes(c, 1);

    return p != NULL ? *p : 0;
}

uint16_t
ncz_cursor_u16le(ncz_cursor *c)
{
    const unsigned char *p = ncz_cursor_bytes(c, 2);

    return p != NULL ? (uint16_t)(p[0] | p[1] << 8) : 0;
}

uint32_t
ncz_cursor_u32le(ncz_cursor *c)
{
    const unsigned char *p = ncz_cursor_bytes(c, 4);

    return p != NULL ? ncz_get_u32le(p) : 0;
}

uint64_t
ncz_cursor_u64le(ncz_cursor *c)
{
    const unsigned char *p = ncz_cursor_bytes(c, 8);

    return p != NULL ? ncz_get_u64le(p) : 0;
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
    const unsigned char *p = ncz_cursor_bytes(c, 4);

    return p != NULL ? ncz_get_u32be(p) : 0;
}

uint64_t
ncz_cursor_u64be(ncz_cursor *c)
{
    const unsigned char *p = ncz_cursor_bytes(c, 8);

    return p != NULL ? (uint64_t)ncz_get_u32be(p) << 32 | ncz_get_u32be(p + 4) : 0;
}
