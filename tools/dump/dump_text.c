/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_text.c: a growing string and the quoting rules of CDL, XML and JSON.
 *
 * A text may hold any bytes; s[len] is always NUL once something was added. Running out of
 * memory ends the program: a partial dump is useless.
 */
#include "dump_int.h"

#include "common/error_text.h"
#include "common/terminal_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *
dump_alloc(size_t n, size_t size)
{
    return dump_need(calloc(n != 0 ? n : 1, size));
}

/* Room for n more bytes and the NUL. */
static void
reserve_text(dump_text *t, size_t n)
{
    size_t cap = t->cap != 0 ? t->cap : 64;

    if (n > SIZE_MAX / 2 - t->len - 1)
        dump_need(NULL);
    while (cap < t->len + n + 1)
        cap *= 2;
    if (cap != t->cap) {
        t->s = dump_need(realloc(t->s, cap));
        t->cap = cap;
    }
}

void
dump_text_addn(dump_text *t, const char *s, size_t n)
{
    reserve_text(t, n);
    if (n != 0)
        memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void
dump_text_add(dump_text *t, const char *s)
{
    dump_text_addn(t, s, strlen(s));
}

void
dump_text_addc(dump_text *t, char c)
{
    dump_text_addn(t, &c, 1);
}

void
dump_text_addf(dump_text *t, const char *fmt, ...)
{
    enum { LIKELY = 40 }; /* most numbers fit at the first try */
    va_list ap;
    int     n;

    reserve_text(t, LIKELY);
    va_start(ap, fmt);
    n = vsnprintf(t->s + t->len, t->cap - t->len, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n >= t->cap - t->len) {
        reserve_text(t, (size_t)n);
        va_start(ap, fmt);
        (void)vsnprintf(t->s + t->len, t->cap - t->len, fmt, ap);
        va_end(ap);
    }
    t->len += n > 0 ? (size_t)n : 0;
    t->s[t->len] = '\0';
}

void
dump_text_reset(dump_text *t)
{
    t->len = 0;
    dump_text_addn(t, "", 0);
}

void
dump_text_clear(dump_text *t)
{
    free(t->s);
    *t = DUMP_TEXT_INIT;
}

static _Thread_local bool for_terminal;

void
dump_text_set_terminal(bool terminal)
{
    for_terminal = terminal;
}

/* Bytes at `s`, which has `n`, that a terminal must not get; 0: it may get the character. */
static size_t
measure_unsafe(const char *s, size_t n)
{
    size_t len = 0;
    long   code;

    if (!for_terminal || (unsigned char)*s < 0x80)
        return 0;
    (void)terminal_code_point(s, &len);
    if (len > n)
        return 1;
    code = terminal_decode(s, &len);
    if (code >= 0)
        return 0;
    (void)terminal_code_point(s, &len);
    return len;
}

void
dump_text_add_safe(dump_text *t, const char *s)
{
    dump_text_addn(t, "", 0);
    for (size_t n; *s != '\0'; s += n)
        if ((unsigned char)*s < ' ' || *s == 0x7F || measure_unsafe(s, strlen(s)) > 0) {
            dump_text_addc(t, '?');
            (void)terminal_code_point(s, &n);
        } else {
            n = 1;
            dump_text_addc(t, *s);
        }
}

void
dump_text_add_name(dump_text *t, const char *name)
{
    if (*name >= '0' && *name <= '9')
        dump_text_addc(t, '\\');
    for (; *name != '\0'; name++) {
        size_t unsafe = (unsigned char)*name < ' ' || *name == 0x7F ? 1 : measure_unsafe(name, strlen(name));

        if (unsafe > 0) {
            for (size_t i = 0; i < unsafe; i++)
                dump_text_addf(t, "\\x%02x", (unsigned)(unsigned char)name[i]);
            name += unsafe - 1;
            continue;
        }
        if (strchr(" !\"#$%&'()*,:;<=>?[\\]^`{|}~", *name) != NULL)
            dump_text_addc(t, '\\');
        dump_text_addc(t, *name);
    }
}

void
dump_text_add_cdl(dump_text *t, const char *s, size_t n, bool ascii_only)
{
    static const char plain[] = "\b\f\n\r\t\v\\'\"", letter[] = "bfnrtv\\'\"";

    for (size_t unsafe = 0; n > 0; n--, s++, unsafe -= unsafe > 0) {
        unsigned char c = (unsigned char)*s;
        const char   *hit = c != '\0' ? strchr(plain, c) : NULL;

        if (unsafe == 0)
            unsafe = measure_unsafe(s, n);
        if (hit != NULL) {
            dump_text_addc(t, '\\');
            dump_text_addc(t, letter[hit - plain]);
        } else if (c < 0x20 || c == 0x7f || unsafe > 0 || (ascii_only && c > 0x7f)) {
            dump_text_addf(t, "\\%.3o", c);
        } else {
            dump_text_addc(t, (char)c);
        }
    }
}

/* Length of the well-formed UTF-8 character at s, or 0. Overlong forms, surrogates and > U+10FFFF are not. */
static size_t
measure_utf8(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t               len = u[0] < 0x80                   ? 1
                               : u[0] >= 0xc2 && u[0] < 0xe0 ? 2
                               : (u[0] & 0xf0) == 0xe0       ? 3
                               : u[0] >= 0xf0 && u[0] < 0xf5 ? 4
                                                             : 0;

    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf0 && u[1] < 0x90) ||
        (u[0] == 0xf4 && u[1] > 0x8f))
        return 0;
    return len;
}

bool
dump_text_is_utf8(const char *s, size_t n)
{
    for (size_t len; n > 0; s += len, n -= len)
        if ((len = measure_utf8(s, n)) == 0)
            return false;
    return true;
}

void
dump_text_add_xml(dump_text *t, const char *s, size_t n)
{
    for (size_t len; n > 0; s += len, n -= len) {
        unsigned char c = (unsigned char)*s;

        len = measure_utf8(s, n);
        if (len == 0 || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) {
            len = 1;
            dump_text_add(t, "\xef\xbf\xbd");
        } else if (c < 0x20 || c == 0x7f) {
            dump_text_addf(t, "&#x%X;", c);
        } else if (measure_unsafe(s, n) > 0) {
            dump_text_addf(t, "&#x%lX;", terminal_code_point(s, &len));
        } else if (c == '<' || c == '>' || c == '&' || c == '"') {
            dump_text_add(t, c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "&quot;");
        } else {
            dump_text_addn(t, s, len);
        }
    }
}

void
dump_text_add_json(dump_text *t, const char *s, size_t n)
{
    static const char plain[] = "\b\f\n\r\t\\\"", letter[] = "bfnrt\\\"";

    if (!dump_text_is_utf8(s, n)) {
        for (size_t i = 0; i < n; i++)
            dump_text_addf(t, "%s%u", i == 0 ? "[" : ", ", (unsigned)(unsigned char)s[i]);
        dump_text_addc(t, ']');
        return;
    }
    dump_text_addc(t, '"');
    for (size_t len; n > 0; n -= len, s += len) {
        unsigned char c = (unsigned char)*s;
        const char   *hit = c != '\0' ? strchr(plain, c) : NULL;

        len = 1;
        if (hit != NULL) {
            dump_text_addc(t, '\\');
            dump_text_addc(t, letter[hit - plain]);
        } else if (c < 0x20 || c == 0x7f) {
            dump_text_addf(t, "\\u%04X", c);
        } else if (measure_unsafe(s, n) > 0) {
            dump_text_addf(t, "\\u%04lX", (unsigned long)terminal_code_point(s, &len));
        } else {
            dump_text_addc(t, (char)c);
        }
    }
    dump_text_addc(t, '"');
}

void
dump_text_add_error(dump_text *t, int rc, const char *about)
{
    char what[ERROR_TEXT_SIZE];

    error_text(rc, about, what);
    dump_text_add(t, what);
}

void
dump_text_add_bytes(dump_text *t, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t                   i = 0;

    while (bytes >= 1024 && i + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        i++;
    }
    dump_text_addf(t, i == 0 ? "%.0f %s" : "%.1f %s", bytes, units[i]);
}
