/* SPDX-License-Identifier: BSD-3-Clause */
#include "zip/zipmake.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Bytes to allocate for so many: steps that grow, so that few puts copy what is there. */
static size_t
room_for(size_t len)
{
    size_t room = 256;

    while (room < len + 1)
        room *= 2;
    return room;
}

static void
put(unsigned char **data, size_t *len, const void *bytes, size_t n)
{
    if (*data == NULL || room_for(*len + n) > room_for(*len))
        *data = realloc(*data, room_for(*len + n));
    if (*data == NULL)
        abort();
    if (n != 0)
        memcpy(*data + *len, bytes, n);
    *len += n;
}

static void
number(unsigned char **data, size_t *len, uint64_t v, size_t n)
{
    unsigned char raw[8];

    for (size_t i = 0; i < n; i++)
        raw[i] = (unsigned char)(v >> 8 * i);
    put(data, len, raw, n);
}

#define LOCAL(v, n)   number(&z->data, &z->len, (uint64_t)(v), n)
#define CENTRAL(v, n) number(&z->dir, &z->dir_len, (uint64_t)(v), n)

static size_t
deflated(const void *data, size_t len, unsigned char **out)
{
    z_stream s = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    size_t   room;

    deflateInit2(&s, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    room = deflateBound(&s, (uLong)len) + 16;
    *out = malloc(room);
    s.next_out = *out;
    s.avail_out = (uInt)room;
    deflate(&s, Z_FINISH);
    deflateEnd(&s);
    return s.total_out;
}

void
zipmake_add(zipmake *z, zipmake_entry e)
{
    unsigned char *packed = NULL;
    const void    *bytes = e.data;
    size_t         csize = e.len, start = z->len, name_len = e.name_len != 0 ? e.name_len : strlen(e.name);
    const char    *local = e.local_name != NULL ? e.local_name : e.name;
    size_t         local_len = e.local_name != NULL ? strlen(local) : name_len;
    uint16_t method = e.method != 0 ? e.method : e.deflate ? 8 : 0, flags = (uint16_t)(e.flags | (e.late ? 8 : 0));
    uint32_t crc = (uint32_t)crc32(0, e.data, (uInt)e.len);

    if (e.len == 0)
        crc = 0;
    if (e.deflate) {
        csize = deflated(e.data, e.len, &packed);
        bytes = packed;
    }
    LOCAL(0x04034b50, 4), LOCAL(e.wide ? 45 : 20, 2), LOCAL(flags, 2), LOCAL(method, 2), LOCAL(0x5ae36b2f, 4);
    LOCAL(e.late ? 0 : crc, 4), LOCAL(e.late ? 0 : e.wide ? UINT32_MAX : csize, 4);
    LOCAL(e.late ? 0 : e.wide ? UINT32_MAX : e.len, 4);
    LOCAL(local_len, 2), LOCAL((e.wide ? 20 : 0) + e.local_extra, 2);
    put(&z->data, &z->len, local, local_len);
    if (e.wide)
        LOCAL(1, 2), LOCAL(16, 2), LOCAL(e.len, 8), LOCAL(csize, 8);
    if (e.local_extra >= 4) {
        LOCAL(0x7777, 2), LOCAL(e.local_extra - 4, 2);
        for (size_t i = 4; i < e.local_extra; i++)
            LOCAL('x', 1);
    }
    put(&z->data, &z->len, bytes, csize);
    if (e.late)
        LOCAL(0x08074b50, 4), LOCAL(crc, 4), LOCAL(csize, 4), LOCAL(e.len, 4);
    free(packed);

    CENTRAL(0x02014b50, 4), CENTRAL(e.mode != 0 ? 0x0314 : 0x14, 2), CENTRAL(e.wide ? 45 : 20, 2);
    CENTRAL(flags, 2), CENTRAL(method, 2), CENTRAL(0x5ae36b2f, 4), CENTRAL(crc + e.crc_off, 4);
    CENTRAL(e.wide ? UINT32_MAX : csize + (uint64_t)e.csize_off, 4);
    CENTRAL(e.wide ? UINT32_MAX : e.len + (uint64_t)e.size_off, 4);
    CENTRAL(name_len, 2), CENTRAL(e.wide ? 28 : 0, 2), CENTRAL(0, 2), CENTRAL(0, 2), CENTRAL(0, 2);
    CENTRAL((uint64_t)e.mode << 16, 4), CENTRAL(e.wide ? UINT32_MAX : start + (uint64_t)e.place_off, 4);
    put(&z->dir, &z->dir_len, e.name, name_len);
    if (e.wide) {
        CENTRAL(1, 2), CENTRAL(24, 2), CENTRAL(e.len + (uint64_t)e.size_off, 8);
        CENTRAL(csize + (uint64_t)e.csize_off, 8), CENTRAL(start + (uint64_t)e.place_off, 8);
    }
    z->count++;
}

void
zipmake_text(zipmake *z, const char *name, const char *text)
{
    zipmake_add(z, (zipmake_entry){.name = name, .data = text, .len = strlen(text)});
}

void
zipmake_end(zipmake *z, bool wide, const char *comment)
{
    size_t start = z->len;

    put(&z->data, &z->len, z->dir, z->dir_len);
    if (wide) {
        size_t at = z->len;

        LOCAL(0x06064b50, 4), LOCAL(44, 8), LOCAL(45, 2), LOCAL(45, 2), LOCAL(0, 8), LOCAL(z->count, 8);
        LOCAL(z->count, 8), LOCAL(z->dir_len, 8), LOCAL(start, 8);
        LOCAL(0x07064b50, 4), LOCAL(0, 4), LOCAL(at, 8), LOCAL(1, 4);
    }
    LOCAL(0x06054b50, 4), LOCAL(0, 4), LOCAL(wide ? UINT16_MAX : z->count, 2), LOCAL(wide ? UINT16_MAX : z->count, 2);
    LOCAL(wide ? UINT32_MAX : z->dir_len, 4), LOCAL(wide ? UINT32_MAX : start, 4), LOCAL(strlen(comment), 2);
    put(&z->data, &z->len, comment, strlen(comment));
}

void
zipmake_raw(zipmake *z, const void *data, size_t len)
{
    put(&z->data, &z->len, data, len);
}

void
zipmake_clear(zipmake *z)
{
    free(z->data);
    free(z->dir);
    *z = (zipmake){0};
}
