/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Percent-encoding of bytes, so that UTF-8 survives.
 */
#include "uri/uri.h"

static bool
is_unreserved(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

int
ncz_uri_encode(ncz_buf *out, const char *s, size_t len, bool keep_slash)
{
    static const char hex[] = "0123456789ABCDEF";
    int               rc = NC_NOERR;

    for (size_t i = 0; i < len && rc == NC_NOERR; i++) {
        unsigned char c = (unsigned char)s[i];
        char          coded[3] = {'%', hex[c >> 4], hex[c & 15]};

        if (is_unreserved(c) || (keep_slash && c == '/'))
            rc = ncz_buf_append(out, &s[i], 1);
        else
            rc = ncz_buf_append(out, coded, sizeof coded);
    }
    return rc;
}

/* The byte after a '%', or -1. */
static int
decode_byte(const char *s, size_t left)
{
    int high = left > 2 ? ncz_hex_digit(s[1]) : -1;
    int low = left > 2 ? ncz_hex_digit(s[2]) : -1;

    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

int
ncz_uri_decode(const char *s, size_t len, char **out)
{
    size_t nbytes, n = 0;
    char  *text;

    if (!ncz_add(len, 1, &nbytes) || (text = ncz_alloc(nbytes)) == NULL)
        return ncz_fail_nomem(len);
    for (size_t i = 0; i < len; i++) {
        int byte = s[i] == '%' ? decode_byte(s + i, len - i) : (unsigned char)s[i];

        if (byte <= 0) {
            ncz_free(text);
            if (byte == 0)
                return ncz_fail(NC_EURL, "a URL may not contain a zero byte (%%00)");
            return ncz_fail(NC_EURL, "'%%' without two hexadecimal digits in a URL (write %%25 for the sign itself)");
        }
        if (s[i] == '%')
            i += 2;
        text[n++] = (char)byte;
    }
    text[n] = '\0';
    *out = text;
    return NC_NOERR;
}
