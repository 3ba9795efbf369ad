/* SPDX-License-Identifier: BSD-3-Clause */
/* Base64 (RFC 4648, with padding), as Zarr v2 writes fill values of byte strings. */
#include "format/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool
ncz_format_base64_decode(const char *text, size_t len, unsigned char *out, size_t cap, size_t *used)
{
    size_t   pad = 0, n = 0;
    uint32_t bits = 0;

    if (len == 0 || len % 4 != 0)
        return false;
    pad = text[len - 1] != '=' ? 0 : text[len - 2] != '=' ? 1 : 2;
    if (len / 4 * 3 - pad > cap)
        return false;
    for (size_t i = 0; i < len; i++) {
        int v = i >= len - pad ? 0 : value_of(text[i]);

        if (v < 0)
            return false;
        bits = bits << 6 | (uint32_t)v;
        if (i % 4 != 3)
            continue;
        for (unsigned k = 0; k < 3; k++)
            if (n < len / 4 * 3 - pad)
                out[n++] = (unsigned char)(bits >> (16 - 8 * k));
            else if ((unsigned char)(bits >> (16 - 8 * k)) != 0)
                return false; /* not canonical: bits behind the end */
        bits = 0;
    }
    *used = n;
    return true;
}

int
ncz_format_base64_encode(const void *data, size_t len, ncz_buf *out)
{
    const unsigned char *p = data;
    int                  rc = NC_NOERR;

    for (size_t i = 0; i < len && rc == NC_NOERR; i += 3) {
        size_t   n = len - i < 3 ? len - i : 3;
        uint32_t bits = (uint32_t)p[i] << 16 | (n > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (n > 2 ? p[i + 2] : 0);
        char     four[4];

        for (unsigned k = 0; k < 4; k++)
            four[k] = k <= n ? letters[bits >> (18 - 6 * k) & 63] : '=';
        rc = ncz_buf_append(out, four, sizeof four);
    }
    return rc;
}
