/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the generator: an arena for memory that lives as long as the tree, and checked growth for values. All
 * allocation goes through reallocate(), so that a test can make the n-th one fail. For one thread only.
 */
#include "gen_int.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

typedef struct gen_block {
    struct gen_block *next;
    size_t            used, cap;
    _Alignas(max_align_t) unsigned char bytes[];
} gen_block;

static long fail_at = -1; /* only tests set it */

void
gen_mem_fail_at(long n)
{
    fail_at = n;
}

static void *
reallocate(void *old, size_t nbytes)
{
    if (fail_at >= 0 && fail_at-- == 0)
        return NULL;
    return realloc(old, nbytes == 0 ? 1 : nbytes);
}

void *
gen_grow(void *p, size_t n, size_t item)
{
    if (item != 0 && n > SIZE_MAX / 2 / item)
        return NULL;
    return reallocate(p, n * item);
}

/* Makes room for `need` items of `item` bytes at *p; grows by half. NC_ENOMEM. */
int
gen_reserve(void **p, size_t *cap, size_t need, size_t item)
{
    size_t n = *cap + *cap / 2 + 8;
    void  *grown;

    if (need <= *cap)
        return NC_NOERR;
    if (n < need)
        n = need;
    grown = gen_grow(*p, n, item);
    if (grown == NULL)
        return NC_ENOMEM;
    *p = grown;
    *cap = n;
    return NC_NOERR;
}

void *
gen_alloc(gen_arena *a, size_t nbytes)
{
    size_t     align = sizeof(max_align_t);
    gen_block *b = a->head;
    void      *p;

    if (nbytes > SIZE_MAX / 2)
        return NULL;
    nbytes = (nbytes + align - 1) / align * align;
    if (b == NULL || b->cap - b->used < nbytes) {
        size_t cap = nbytes > BLOCK_BYTES ? nbytes : BLOCK_BYTES;

        b = reallocate(NULL, sizeof *b + cap);
        if (b == NULL)
            return NULL;
        *b = (gen_block){.next = a->head, .cap = cap};
        a->head = b;
    }
    p = b->bytes + b->used;
    b->used += nbytes;
    return memset(p, 0, nbytes);
}

char *
gen_strndup(gen_arena *a, const char *s, size_t len)
{
    char *copy = gen_alloc(a, len + 1);

    if (copy != NULL && len > 0)
        memcpy(copy, s, len);
    return copy;
}

void
gen_arena_clear(gen_arena *a)
{
    while (a->head != NULL) {
        gen_block *b = a->head;

        a->head = b->next;
        free(b);
    }
}
