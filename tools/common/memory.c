/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/memory.h"
#include "common/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void (*last_words)(void);

void
memory_set_last_words(void (*say)(void))
{
    last_words = say;
}

void *
memory_need(void *p)
{
    if (p == NULL) {
        message_print("out of memory");
        if (last_words != NULL)
            last_words();
        exit(EXIT_FAILURE);
    }
    return p;
}

void *
memory_alloc(size_t n, size_t size)
{
    return memory_need(calloc(n != 0 ? n : 1, size));
}

char *
memory_textf(const char *fmt, ...)
{
    va_list args, again;
    char   *s;
    int     n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    s = memory_alloc((size_t)(n > 0 ? n : 0) + 1, 1);
    (void)vsnprintf(s, (size_t)(n > 0 ? n : 0) + 1, fmt, again);
    va_end(again);
    return s;
}

void *
memory_grow(void *list, size_t n, size_t size)
{
    return memory_need(n < SIZE_MAX / 2 / size ? realloc(list, (n + 1) * size) : NULL);
}

void *
memory_room(void *list, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return list;
    *cap = n < 32 ? 64 : n < SIZE_MAX / 4 ? 2 * n : SIZE_MAX / 2;
    return memory_grow(list, *cap - 1, size);
}
