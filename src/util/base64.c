/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base64: the standard alphabet (RFC 4648), padded, without line breaks. Decoding accepts only the
 * form that encoding produces. No state.
 */
#include "util/util.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
parse_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

void
ncz_base64_put(const void *data, size_t n, char *out)
{
    const unsigned char *from = data;

    for (size_t at = 0; at < n; at += 3, out += 4) {
        size_t   now = n - at < 3 ? n - at : 3;
        uint32_t bits = (uint32_t)from[at] << 16;

        bits |= now > 1 ? (uint32_t)from[at + 1] << 8 : 0;
        bits |= now > 2 ? from[at + 2] : 0;
        out[0] = alphabet[bits >> 18];
        out[1] = alphabet[bits >> 12 & 63];
        out[2] = now > 1 ? alphabet[bits >> 6 & 63] : '=';
        out[3] = now > 2 ? alphabet[bits & 63] : '=';
    }
}

static size_t
count_padding(const char *text, size_t len)
{
    if (len == 0 || text[len - 1] != '=')
        return 0;
    return text[len - 2] == '=' ? 2 : 1;
}

size_t
ncz_base64_bytes(const char *text, size_t len)
{
    return len / 4 * 3 - count_padding(text, len);
}

/* Four digits, the last `pad` of them padding, into 3 - pad bytes. False when encoding does not produce them. */
static bool
decode_four(const char *from, size_t pad, unsigned char *to)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = i < 4 - pad ? parse_digit(from[i]) : 0;

        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
    }
    for (size_t i = 0; i < 3 - pad; i++)
        to[i] = (unsigned char)(bits >> (16 - 8 * i));
    return (bits & ((1u << 8 * pad) - 1)) == 0;
}

bool
ncz_base64_get(const char *text, size_t len, void *out, size_t *at)
{
    unsigned char *to = out;
    size_t         pad = count_padding(text, len);

    for (*at = 0; *at < len; *at += 4, to += 3)
        if (!decode_four(text + *at, *at + 4 == len ? pad : 0, to))
            return false;
    return true;
}
