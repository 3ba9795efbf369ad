/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of memory as a store. Nothing changes once it is open, so any thread may read. */
#include "zmap/zmap_block.h"

#include "zmap/zmap_int.h"

#include <stdlib.h>

typedef struct block_map {
    zmap   base;
    void  *block;
    size_t len;
    bool   own;
} block_map;

static int
get_ranges(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    const block_map *b = (const block_map *)m;

    for (size_t i = 0; i < n; i++)
        zmap_get_end(&reqs[i], zmap_answer_bytes(&reqs[i], b->block, b->len), done, arg);
    return NC_NOERR;
}

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    (void)key;
    *len = ((const block_map *)m)->len;
    return NC_NOERR;
}

static int
close_block(zmap *m, zmap_end how)
{
    block_map *b = (block_map *)m;

    (void)how;
    if (b->own)
        free(b->block); /* malloc's, as netCDF has it */
    ncz_free(b);
    return NC_NOERR;
}

static const zmap_ops block_ops = {.name = "block", .get = get_ranges, .len = find_len, .close = close_block};

int
zmap_block_open(void *block, size_t len, bool own, zmap **out)
{
    block_map *b = ncz_alloc(sizeof *b);

    if (b == NULL)
        return ncz_fail_nomem(sizeof *b);
    *b = (block_map){.base = {.ops = &block_ops,
                              .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_FROM_WORKERS | ZMAP_SINGLE,
                              .refs = 1},
                     .block = block,
                     .len = len,
                     .own = own};
    *out = &b->base;
    return NC_NOERR;
}

int
zmap_block_take(zmap *m, void **block, size_t *len)
{
    block_map *b = (block_map *)m;

    if (m->ops != &block_ops)
        return ncz_fail(NC_ENOTBUILT, "the %s store is not a block of memory", m->ops->name);
    *block = b->block;
    *len = b->len;
    b->own = false;
    return NC_NOERR;
}
