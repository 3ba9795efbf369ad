/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#include "util/util.h"

#include <string.h>

size_t
ncz_utf8_measure(const unsigned char *s, size_t left)
{
    unsigned char low = 0x80, high = 0xBF; /* the range of the second byte */
    size_t        n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF) {
        n = 2;
    } else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        n = 3;
        low = s[0] == 0xE0 ? 0xA0 : low;
        high = s[0] == 0xED ? 0x9F : high;
    } else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        n = 4;
        low = s[0] == 0xF0 ? 0x90 : low;
        high = s[0] == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (left < n || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

/* How many bytes from the start on are ASCII: no more, and at most 7 fewer. */
static size_t
skip_ascii(const char *s, size_t len)
{
    uint64_t eight;
    size_t   i = 0;

    for (; len - i >= sizeof eight; i += sizeof eight) {
        memcpy(&eight, s + i, sizeof eight);
        if ((eight & UINT64_C(0x8080808080808080)) != 0)
            return i;
    }
    while (i < len && (unsigned char)s[i] < 0x80)
        i++;
    return i;
}

bool
ncz_is_ascii(const char *s, size_t len)
{
    return skip_ascii(s, len) == len;
}

bool
ncz_utf8_valid(const char *s, size_t len)
{
    const unsigned char *p = (const unsigned char *)s;

    for (size_t i = skip_ascii(s, len), n; i < len; i += n)
        if ((n = ncz_utf8_measure(p + i, len - i)) == 0)
            return false;
    return true;
}

size_t
ncz_utf8_cut(const char *s, size_t len, size_t most)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t               lead;

    /* Drops the last character if it is not whole. Text that is not UTF-8 is cut at `most`. */
    if (most > len)
        most = len;
    for (lead = most; lead > 0 && most - lead < 4;) {
        lead--;
        if ((p[lead] & 0xC0) == 0x80)
            continue;
        if (p[lead] < 0xC0)
            return most;
        if (ncz_utf8_measure(p + lead, most - lead) != 0)
            return most;
        return most - lead < 4 ? lead : most;
    }
    return most;
}
