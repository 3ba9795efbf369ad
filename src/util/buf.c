/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A growing buffer with its ceiling.
 *
 * Invariant: data is NULL and len = cap = 0, or cap > len and data[len] is NUL. A failed call changes nothing.
 */
#include "util/util.h"

#include <stdio.h>
#include <string.h>

#define BUF_FIRST 64 /* bytes of the first allocation: enough for most short texts */

/* Doubles the capacity, so that n appends cost O(n). A request for more is honoured exactly. The limit and its NUL are
 * the most that is ever allocated. */
static size_t
choose_capacity(const ncz_buf *b, size_t need)
{
    size_t cap = b->cap == 0 ? BUF_FIRST : b->cap > SIZE_MAX / 2 ? SIZE_MAX : b->cap * 2;

    if (cap < need)
        cap = need;
    if (b->limit != 0 && cap > b->limit && b->limit < SIZE_MAX)
        cap = b->limit + 1;
    return cap;
}

int
ncz_buf_reserve(ncz_buf *b, size_t more)
{
    size_t len, need, cap;
    char  *data;

    if (!ncz_add(b->len, more, &len) || !ncz_add(len, 1, &need))
        return ncz_fail_nomem(SIZE_MAX);
    if (b->limit != 0 && len > b->limit)
        return ncz_fail(NC_ENOMEM, "%zu bytes exceed the limit of %zu", len, b->limit);
    if (need <= b->cap)
        return NC_NOERR;

    cap = choose_capacity(b, need);
    if ((data = ncz_grow(b->data, cap, 1)) == NULL)
        return ncz_fail_nomem(cap);
    b->data = data;
    b->cap = cap;
    b->data[b->len] = '\0';
    return NC_NOERR;
}

int
ncz_buf_append(ncz_buf *b, const void *data, size_t len)
{
    int rc;

    if ((rc = ncz_buf_reserve(b, len)) != NC_NOERR)
        return rc;
    if (len != 0)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
    return NC_NOERR;
}

int
ncz_buf_puts(ncz_buf *b, const char *s)
{
    return ncz_buf_append(b, s, strlen(s));
}

int
ncz_buf_putc(ncz_buf *b, char c)
{
    return ncz_buf_append(b, &c, 1);
}

int
ncz_buf_printf(ncz_buf *b, const char *fmt, ...)
{
    va_list args;
    int     n, rc;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        return ncz_fail(NC_EINTERNAL, "a text could not be formatted");
    if ((rc = ncz_buf_reserve(b, (size_t)n)) != NC_NOERR)
        return rc;
    va_start(args, fmt);
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, args);
    va_end(args);
    b->len += (size_t)n;
    return NC_NOERR;
}

void
ncz_buf_reset(ncz_buf *b)
{
    b->len = 0;
    if (b->data != NULL)
        b->data[0] = '\0';
}

void
ncz_buf_clear(ncz_buf *b)
{
    ncz_free(b->data);
    b->data = NULL;
    b->len = b->cap = 0;
}

char *
ncz_buf_take(ncz_buf *b)
{
    char *data = b->data != NULL ? b->data : ncz_strndup("", 0);

    b->data = NULL;
    b->len = b->cap = 0;
    return data;
}

const char *
ncz_buf_str(const ncz_buf *b)
{
    return b->data != NULL ? b->data : "";
}
