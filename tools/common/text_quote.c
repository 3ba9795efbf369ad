/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text_quote: each function has the escapes of one language. What a terminal could take for a command is escaped
 * besides, but only there: a file gets the bytes as they are, so that nczgen reads them back.
 */
#include "common/text_quote.h"
#include "common/terminal_text.h"

#include <stdint.h>
#include <string.h>

static _Thread_local bool for_terminal;

void
text_set_terminal(bool terminal)
{
    for_terminal = terminal;
}

/* Bytes at `s`, which has `n`, that a terminal must not get; 0: it may get the character. */
static size_t
measure_unsafe(const char *s, size_t n)
{
    size_t len;

    return for_terminal && (unsigned char)*s >= 0x80 && !terminal_is_safe(terminal_code_point(s, n, &len)) ? len : 0;
}

void
text_add_safe(text_buf *t, const char *s)
{
    text_addn(t, "", 0);
    for (size_t n; *s != '\0'; s += n)
        if ((unsigned char)*s < ' ' || *s == 0x7F || measure_unsafe(s, strlen(s)) > 0) {
            text_addc(t, '?');
            (void)terminal_code_point(s, SIZE_MAX, &n);
        } else {
            n = 1;
            text_addc(t, *s);
        }
}

void
text_add_name(text_buf *t, const char *name)
{
    if (*name >= '0' && *name <= '9')
        text_addc(t, '\\');
    for (; *name != '\0'; name++) {
        size_t unsafe = (unsigned char)*name < ' ' || *name == 0x7F ? 1 : measure_unsafe(name, strlen(name));

        if (unsafe > 0) {
            for (size_t i = 0; i < unsafe; i++)
                text_addf(t, "\\x%02x", (unsigned)(unsigned char)name[i]);
            name += unsafe - 1;
            continue;
        }
        if (strchr(" !\"#$%&'()*,:;<=>?[\\]^`{|}~", *name) != NULL)
            text_addc(t, '\\');
        text_addc(t, *name);
    }
}

void
text_add_cdl(text_buf *t, const char *s, size_t n, bool ascii_only)
{
    static const char plain[] = "\b\f\n\r\t\v\\'\"", letter[] = "bfnrtv\\'\"";

    /* `unsafe` counts down the bytes of a character that is escaped, which CDL can only have byte by byte. */
    for (size_t unsafe = 0; n > 0; n--, s++, unsafe -= unsafe > 0) {
        unsigned char c = (unsigned char)*s;
        const char   *hit = c != '\0' ? strchr(plain, c) : NULL;

        if (unsafe == 0)
            unsafe = measure_unsafe(s, n);
        if (hit != NULL) {
            text_addc(t, '\\');
            text_addc(t, letter[hit - plain]);
        } else if (c < 0x20 || c == 0x7f || unsafe > 0 || (ascii_only && c > 0x7f)) {
            text_addf(t, "\\%.3o", c);
        } else {
            text_addc(t, (char)c);
        }
    }
}

bool
text_is_utf8(const char *s, size_t n)
{
    for (size_t len; n > 0; s += len, n -= len)
        if (terminal_code_point(s, n, &len) < 0)
            return false;
    return true;
}

void
text_add_xml(text_buf *t, const char *s, size_t n)
{
    for (size_t len; n > 0; s += len, n -= len) {
        long c = terminal_code_point(s, n, &len);

        /* XML 1.0 has no control characters, not even as references: U+FFFD stands for one. */
        if (c < 0 || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) {
            text_add(t, "\xef\xbf\xbd");
        } else if (c < 0x20 || c == 0x7f || measure_unsafe(s, n) > 0) {
            text_addf(t, "&#x%lX;", (unsigned long)c);
        } else if (c == '<' || c == '>' || c == '&' || c == '"') {
            text_add(t, c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "&quot;");
        } else {
            text_addn(t, s, len);
        }
    }
}

void
text_add_json(text_buf *t, const char *s, size_t n)
{
    static const char plain[] = "\b\f\n\r\t\\\"", letter[] = "bfnrt\\\"";

    if (!text_is_utf8(s, n)) { /* JSON has no other text: the numbers of the bytes lose nothing */
        for (size_t i = 0; i < n; i++)
            text_addf(t, "%s%u", i == 0 ? "[" : ", ", (unsigned)(unsigned char)s[i]);
        text_addc(t, ']');
        return;
    }
    text_addc(t, '"');
    for (size_t len; n > 0; n -= len, s += len) {
        unsigned char c = (unsigned char)*s;
        const char   *hit = c != '\0' ? strchr(plain, c) : NULL;

        len = 1;
        if (hit != NULL) {
            text_addc(t, '\\');
            text_addc(t, letter[hit - plain]);
        } else if (c < 0x20 || c == 0x7f) {
            text_addf(t, "\\u%04X", c);
        } else if (measure_unsafe(s, n) > 0) {
            text_addf(t, "\\u%04lX", (unsigned long)terminal_code_point(s, n, &len));
        } else {
            text_addc(t, (char)c);
        }
    }
    text_addc(t, '"');
}
