/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocation: no other file of the library calls malloc and free.
 *
 * Only tests replace the table, before they start threads; so it needs no lock.
 */
#include "util/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ncz_alloc_table  system_table = {.get = malloc, .resize = realloc, .put = free};
static const ncz_alloc_table *table = &system_table;

void
ncz_alloc_use(const ncz_alloc_table *t)
{
    table = t != NULL ? t : &system_table;
}

void *
ncz_alloc(size_t nbytes)
{
    return table->get(nbytes != 0 ? nbytes : 1);
}

void *
ncz_zalloc(size_t nbytes)
{
    void *p = ncz_alloc(nbytes);

    if (p != NULL)
        memset(p, 0, nbytes);
    return p;
}

void *
ncz_alloc_n(size_t n, size_t item)
{
    size_t nbytes;

    return ncz_mul(n, item, &nbytes) ? ncz_alloc(nbytes) : NULL;
}

void *
ncz_zalloc_n(size_t n, size_t item)
{
    size_t nbytes;

    return ncz_mul(n, item, &nbytes) ? ncz_zalloc(nbytes) : NULL;
}

void *
ncz_grow(void *p, size_t n, size_t item)
{
    size_t nbytes;

    if (!ncz_mul(n, item, &nbytes))
        return NULL;
    if (p == NULL)
        return ncz_alloc(nbytes);
    return table->resize(p, nbytes != 0 ? nbytes : 1);
}

void *
ncz_dup(const void *p, size_t nbytes)
{
    void *copy = ncz_alloc(nbytes);

    if (copy != NULL && nbytes != 0)
        memcpy(copy, p, nbytes);
    return copy;
}

char *
ncz_strdup(const char *s)
{
    return ncz_dup(s, strlen(s) + 1);
}

char *
ncz_strndup(const char *s, size_t len)
{
    size_t nbytes;
    char  *copy;

    if (!ncz_add(len, 1, &nbytes) || (copy = ncz_alloc(nbytes)) == NULL)
        return NULL;
    if (len != 0)
        memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *
ncz_sprintf(const char *fmt, ...)
{
    va_list args;
    char   *out;
    int     n;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0 || (out = ncz_alloc((size_t)n + 1)) == NULL)
        return NULL;
    va_start(args, fmt);
    vsnprintf(out, (size_t)n + 1, fmt, args);
    va_end(args);
    return out;
}

void
ncz_free(void *p)
{
    if (p != NULL)
        table->put(p);
}
