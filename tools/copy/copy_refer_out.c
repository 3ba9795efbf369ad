/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_refer_out.c: the text of a set of references: version 1 of kerchunk's JSON, a member in each line.
 */
#include "copy_int.h"

#include "common/text_quote.h"

#include <errno.h>
#include <string.h>

/* As text_add_json(), at once where nothing is to be escaped: most of the time of a large set goes here. */
static void
add_string(text_buf *t, const char *s, size_t n)
{
    bool plain = true;

    for (size_t i = 0; i < n && plain; i++)
        plain = s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\';
    if (!plain) {
        text_add_json(t, s, n);
        return;
    }
    text_addc(t, '"');
    text_addn(t, s, n);
    text_addc(t, '"');
}

enum { NUMBER_MOST = 20 }; /* digits */

/* Returns where the number ends. */
static char *
put_number(char *to, unsigned long long n)
{
    char   digits[NUMBER_MOST];
    char  *p = digits + sizeof digits;
    size_t len;

    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    len = (size_t)(digits + sizeof digits - p);
    memcpy(to, p, len);
    return to + len;
}

void
copy_refer_key(text_buf *t, const char *key)
{
    text_addn(t, ",\n", 2);
    add_string(t, key, strlen(key));
    text_addc(t, ':');
}

void
copy_refer_prefix(text_buf *t, const char *array)
{
    text_reset(t);
    text_addn(t, ",\n", 2);
    add_string(t, array, strlen(array));
    t->s[t->len - 1] = '/'; /* in place of the quote */
}

void
copy_refer_chunk_key(text_buf *t, const text_buf *prefix, const size_t *index, int rank)
{
    char *to = text_room(t, prefix->len + (size_t)(rank + 1) * (NUMBER_MOST + 1) + 2);

    memcpy(to, prefix->s, prefix->len);
    to += prefix->len;
    if (rank == 0)
        *to++ = '0';
    for (int d = 0; d < rank; d++) {
        if (d > 0)
            *to++ = '.';
        to = put_number(to, index[d]);
    }
    *to++ = '"';
    *to++ = ':';
    text_end(t, to);
}

void
copy_refer_text(text_buf *t, const char *key, const char *text, size_t len)
{
    copy_refer_key(t, key);
    text_add_json(t, text, len);
}

void
copy_refer_bytes(text_buf *t, const void *data, size_t len)
{
    static const char    digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char    begin[] = "\"base64:";
    const unsigned char *p = data;
    char                *to = text_room(t, sizeof begin + len / 3 * 4 + 8);

    memcpy(to, begin, sizeof begin - 1);
    to += sizeof begin - 1;
    for (size_t i = 0; i < len; i += 3) {
        size_t   n = len - i;
        unsigned bits = (unsigned)p[i] << 16 | (n > 1 ? (unsigned)p[i + 1] << 8 : 0) | (n > 2 ? p[i + 2] : 0);

        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = n > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = n > 2 ? digits[bits & 63] : '=';
    }
    *to++ = '"';
    text_end(t, to);
}

/* What fsspec takes for a template would be another place. */
int
copy_refer_quote(text_buf *t, const char *url)
{
    if (!text_is_utf8(url, strlen(url)) || strstr(url, "{{") != NULL)
        return message_error(NC_EINVAL,
                             "%s: %s in a name cannot be in a set of references: rename it, or copy the values", url,
                             strstr(url, "{{") != NULL ? "'{{'" : "what is no UTF-8");
    text_reset(t);
    add_string(t, url, strlen(url));
    return NC_NOERR;
}

void
copy_refer_range(text_buf *t, const text_buf *quoted, unsigned long long off, unsigned long long len)
{
    char *to = text_room(t, quoted->len + 2 * (NUMBER_MOST + 1) + 2);

    *to++ = '[';
    memcpy(to, quoted->s, quoted->len);
    to += quoted->len;
    if (len != NCZARR_MAP_WHOLE) {
        *to++ = ',';
        to = put_number(to, off);
        *to++ = ',';
        to = put_number(to, len);
    }
    *to++ = ']';
    text_end(t, to);
}

int
copy_refer_write(copy_refer_out *out, text_buf *t)
{
    size_t from = out->any ? 0 : 2; /* the first has no comma and no new line before it */

    if (t->len == 0)
        return NC_NOERR;
    out->any = true;
    if (out->to != NULL && fwrite(t->s + from, 1, t->len - from, out->to) != t->len - from) {
        int rc = errno != 0 ? errno : EIO;

        return message_error(rc, "the set of references cannot be written: %s", strerror(rc));
    }
    text_reset(t);
    return NC_NOERR;
}
