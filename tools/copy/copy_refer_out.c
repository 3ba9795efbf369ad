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

void
copy_refer_number(text_buf *t, unsigned long long n)
{
    char  digits[24];
    char *p = digits + sizeof digits;

    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    text_addn(t, p, (size_t)(digits + sizeof digits - p));
}

static void
begin_member(text_buf *t, const char *key)
{
    text_addn(t, ",\n", 2);
    add_string(t, key, strlen(key));
    text_addc(t, ':');
}

void
copy_refer_text(text_buf *t, const char *key, const char *text, size_t len)
{
    begin_member(t, key);
    text_add_json(t, text, len);
}

void
copy_refer_bytes(text_buf *t, const char *key, const void *data, size_t len)
{
    static const char    digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = data;

    begin_member(t, key);
    text_add(t, "\"base64:");
    for (size_t i = 0; i < len; i += 3) {
        size_t   n = len - i;
        unsigned bits = (unsigned)p[i] << 16 | (n > 1 ? (unsigned)p[i + 1] << 8 : 0) | (n > 2 ? p[i + 2] : 0);
        char     four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], n > 1 ? digits[bits >> 6 & 63] : '=',
                        n > 2 ? digits[bits & 63] : '='};

        text_addn(t, four, sizeof four);
    }
    text_addc(t, '"');
}

/* What fsspec takes for a template would be another place. */
int
copy_refer_range(text_buf *t, const char *key, const char *url, unsigned long long off, unsigned long long len)
{
    if (!text_is_utf8(url, strlen(url)) || (strchr(url, '{') != NULL && strstr(url, "{{") != NULL)) {
        message_print("%s: %s in a name cannot be in a set of references: rename it, or copy the values", url,
                      strstr(url, "{{") != NULL ? "'{{'" : "what is no UTF-8");
        return NC_EINVAL;
    }
    begin_member(t, key);
    text_addc(t, '[');
    add_string(t, url, strlen(url));
    if (len != NCZARR_MAP_WHOLE) {
        text_addc(t, ',');
        copy_refer_number(t, off);
        text_addc(t, ',');
        copy_refer_number(t, len);
    }
    text_addc(t, ']');
    return NC_NOERR;
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

        message_print("the set of references cannot be written: %s", strerror(rc));
        return rc;
    }
    text_reset(t);
    return NC_NOERR;
}
