/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_string: converts one NC_STRING element between its stored form (fixed bytes, or UCS-4) and its bytes.
 *
 * Stored bytes are returned unchanged. Invalid code points become U+FFFD, and so do bytes that are not UTF-8 when
 * they are written as UCS-4. An element of zero bytes is the empty string: fixed-width storage cannot distinguish it
 * from one that was never written or was written as NULL, and a program may look into what it reads.
 */
#include "grid/grid_int.h"

#include <string.h>

#define REPLACEMENT 0xFFFD

static uint32_t
load_point(const unsigned char *p, bool big)
{
    uint32_t v = big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                     : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];

    return v > 0x10FFFF || (v >= 0xD800 && v <= 0xDFFF) ? REPLACEMENT : v;
}

static void
store_point(unsigned char *p, bool big, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[big ? 3 - i : i] = (unsigned char)(v >> 8 * i);
}

/* The next code point of s, which has `len` >= 1 bytes left. *used: the bytes that it took. */
static uint32_t
utf8_to_point(const char *s, size_t len, size_t *used)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t               n = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;

    *used = 1;
    if (n > len || !ncz_utf8_valid(s, n))
        return REPLACEMENT;
    *used = n;
    switch (n) {
    case 1: return p[0];
    case 2: return (uint32_t)(p[0] & 31) << 6 | (p[1] & 63);
    case 3: return (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
    default:
        return (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
    }
}

static int
ucs4_out(const ncz_dtype *t, const char *src, char **out, size_t *len)
{
    const unsigned char *p = (const unsigned char *)src;
    size_t               n = t->size / 4, nbytes = 0;
    char                 scratch[4], *s, *to;

    while (n > 0 && load_point(p + 4 * (n - 1), t->big) == 0)
        n--;
    for (size_t i = 0; i < n; i++)
        nbytes += ncz_utf8_put(load_point(p + 4 * i, t->big), scratch);
    *out = NULL;
    if ((s = ncz_alloc(nbytes + 1)) == NULL)
        return ncz_fail_nomem(nbytes + 1);
    to = s;
    for (size_t i = 0; i < n; i++)
        to += ncz_utf8_put(load_point(p + 4 * i, t->big), to);
    *to = '\0';
    *out = s;
    *len = nbytes;
    return NC_NOERR;
}

static void
ucs4_in(const ncz_dtype *t, const char *s, size_t len, char *dst)
{
    unsigned char *to = (unsigned char *)dst;
    size_t         n = t->size / 4, used;

    memset(dst, 0, t->size);
    for (size_t i = 0; i < n && len > 0; i++, s += used, len -= used)
        store_point(to + 4 * i, t->big, utf8_to_point(s, len, &used));
}

int
ncz_grid_string_out(const ncz_dtype *t, const char *src, char **out, size_t *len)
{
    size_t own;
    char  *s;

    if (len == NULL)
        len = &own;
    if (t->kind == NCZ_KIND_UCS4)
        return ucs4_out(t, src, out, len);
    *len = t->size;
    while (*len > 0 && src[*len - 1] == '\0')
        --*len;
    *out = NULL;
    if ((s = ncz_strndup(src, *len)) == NULL)
        return ncz_fail_nomem(*len + 1);
    *out = s;
    return NC_NOERR;
}

void
ncz_grid_string_in(const ncz_dtype *t, const char *s, size_t len, char *dst)
{
    if (t->kind == NCZ_KIND_UCS4) {
        ucs4_in(t, s, len, dst);
        return;
    }
    if (len > t->size)
        len = ncz_utf8_cut(s, len, t->size);
    if (len > 0)
        memcpy(dst, s, len);
    memset(dst + len, 0, t->size - len);
}
