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

static void *
need(const gen_arena *a, void *p)
{
    if (p == NULL)
        longjmp(*a->out_of_memory, 1);
    return p;
}

/* Grows by half. */
void
gen_reserve(gen_arena *a, void **p, size_t *cap, size_t wanted, size_t item)
{
    size_t n = *cap + *cap / 2 + 8;

    if (wanted <= *cap)
        return;
    n = n < wanted ? wanted : n;
    *p = need(a, gen_grow(*p, n, item));
    *cap = n;
}

void *
gen_alloc(gen_arena *a, size_t nbytes)
{
    size_t     align = sizeof(max_align_t);
    gen_block *b = a->head;
    void      *p;

    (void)need(a, nbytes > SIZE_MAX / 2 ? NULL : a);
    nbytes = (nbytes + align - 1) / align * align;
    if (b == NULL || b->cap - b->used < nbytes) {
        size_t cap = nbytes > BLOCK_BYTES ? nbytes : BLOCK_BYTES;

        b = need(a, reallocate(NULL, sizeof *b + cap));
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

    if (len > 0)
        memcpy(copy, s, len);
    return copy;
}

void *
gen_add_item(gen_parser *p, size_t n, const void *item, size_t nbytes)
{
    gen_reserve(&p->cdl->arena, &p->items, &p->items_cap, (n + 1) * nbytes, 1);
    memcpy((char *)p->items + n * nbytes, item, nbytes);
    return p->items;
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
