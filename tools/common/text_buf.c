/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/text_buf.h"
#include "common/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and the NUL. */
static void
reserve_text(text_buf *t, size_t n)
{
    size_t cap = t->cap != 0 ? t->cap : 64;

    if (n > SIZE_MAX / 2 - t->len - 1)
        memory_need(NULL);
    while (cap < t->len + n + 1)
        cap *= 2;
    if (cap != t->cap) {
        t->s = memory_need(realloc(t->s, cap));
        t->cap = cap;
    }
}

void
text_addn(text_buf *t, const char *s, size_t n)
{
    reserve_text(t, n);
    if (n != 0)
        memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void
text_add(text_buf *t, const char *s)
{
    text_addn(t, s, strlen(s));
}

void
text_addc(text_buf *t, char c)
{
    text_addn(t, &c, 1);
}

void
text_addf(text_buf *t, const char *fmt, ...)
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

char *
text_room(text_buf *t, size_t n)
{
    reserve_text(t, n);
    return t->s + t->len;
}

void
text_end(text_buf *t, const char *end)
{
    t->len = (size_t)(end - t->s);
    t->s[t->len] = '\0';
}

void
text_reset(text_buf *t)
{
    t->len = 0;
    text_addn(t, "", 0);
}

void
text_clear(text_buf *t)
{
    free(t->s);
    *t = TEXT_BUF_INIT;
}
