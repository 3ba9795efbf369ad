/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arena: many small allocations in blocks of growing size, freed together. One thread at a time.
 */
#include "util/util.h"

#include <string.h>

#define BLOCK_FIRST ((size_t)4 << 10)
#define BLOCK_MOST  ((size_t)64 << 10)

struct ncz_arena_block {
    struct ncz_arena_block *next;
    size_t                  used, size; /* of mem */
    _Alignas(8) char mem[];
};

/* The next `nbytes` of a block, aligned to `align`, a power of two; NULL when it is full. */
static char *
take_from_block(struct ncz_arena_block *b, size_t nbytes, size_t align)
{
    size_t at;

    if (b == NULL)
        return NULL;
    at = (b->used + align - 1) & ~(align - 1);
    if (at > b->size || nbytes > b->size - at)
        return NULL;
    b->used = at + nbytes;
    return b->mem + at;
}

static char *
alloc_aligned(ncz_arena *p, size_t nbytes, size_t align)
{
    struct ncz_arena_block *b = p->blocks;
    size_t                  size = p->first > 0 ? p->first : BLOCK_FIRST, total;
    char                   *mem = take_from_block(b, nbytes, align);

    if (mem != NULL)
        return mem;
    if (b != NULL)
        size = b->size < BLOCK_MOST / 2 ? b->size * 2 : BLOCK_MOST;
    if (size < nbytes)
        size = nbytes;
    if (!ncz_add(size, sizeof *b, &total) || (b = ncz_alloc(total)) == NULL)
        return NULL;
    *b = (struct ncz_arena_block){.next = p->blocks, .size = size};
    p->blocks = b;
    return take_from_block(b, nbytes, align);
}

void *
ncz_arena_get(ncz_arena *p, size_t nbytes)
{
    return alloc_aligned(p, nbytes, 8);
}

void *
ncz_arena_get_n(ncz_arena *p, size_t n, size_t item)
{
    size_t nbytes;

    return ncz_mul(n, item, &nbytes) ? alloc_aligned(p, nbytes, 8) : NULL;
}

char *
ncz_arena_text(ncz_arena *p, const char *s, size_t len)
{
    size_t nbytes;
    char  *copy;

    if (!ncz_add(len, 1, &nbytes) || (copy = alloc_aligned(p, nbytes, 1)) == NULL)
        return NULL;
    if (len != 0)
        memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

void
ncz_arena_join(ncz_arena *to, ncz_arena *from)
{
    struct ncz_arena_block **last = &to->blocks;

    while (*last != NULL)
        last = &(*last)->next;
    *last = from->blocks;
    from->blocks = NULL;
}

void
ncz_arena_clear(ncz_arena *p)
{
    while (p->blocks != NULL) {
        struct ncz_arena_block *next = p->blocks->next;

        ncz_free(p->blocks);
        p->blocks = next;
    }
}
