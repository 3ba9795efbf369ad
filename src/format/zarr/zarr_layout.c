/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of both versions of Zarr: each chunk is an object, or chunks share shards. Keys are numbers joined by a
 * separator, below the array's own key. Any thread.
 */
#include "format/zarr/zarr.h"

typedef struct zarr_layout {
    ncz_layout       base;
    const char      *first;     /* what precedes the numbers: "c" or "" */
    char             separator; /* of the numbers */
    size_t           numbers;   /* in a key: one for each of the first dimensions */
    bool             root;      /* a lone array at the root, whose chunks are at the top whatever its name */
    ncz_shard_layout shard;
} zarr_layout;

static int
append_number(ncz_buf *key, uint64_t n)
{
    char  digits[24];
    char *p = digits + sizeof digits;

    for (;; n /= 10) {
        *--p = (char)('0' + n % 10);
        if (n < 10)
            break;
    }
    return ncz_buf_append(key, p, (size_t)(digits + sizeof digits - p));
}

static int
locate_chunk(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const zarr_layout *z = (const zarr_layout *)l;
    const char        *begin = z->numbers == 0 && z->first[0] == '\0' ? "0" : z->first;
    int                rc;

    if ((!z->root && l->path[0] != '\0' &&
         ((rc = ncz_buf_puts(key, l->path)) != NC_NOERR || (rc = ncz_buf_putc(key, '/')) != NC_NOERR)) ||
        (rc = ncz_buf_puts(key, begin)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < z->numbers; d++)
        if (((d > 0 || begin[0] != '\0') && (rc = ncz_buf_putc(key, z->separator)) != NC_NOERR) ||
            (rc = append_number(key, index[d] / l->object[d])) != NC_NOERR)
            return rc;
    where->key = key->data;
    return NC_NOERR;
}

/* ---- shards ---- */

static int
locate_slot(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    where->slot = ncz_layout_slot(l, index);
    return locate_chunk(l, index, key, where);
}

static const ncz_shard_layout *
shard_of(const ncz_layout *l)
{
    return &((const zarr_layout *)l)->shard;
}

static bool
needs_index(const ncz_layout *l, size_t *nbytes, bool *at_end)
{
    return ncz_shard_index_range(shard_of(l), l->nslots, nbytes, at_end);
}

static int
learn_slots(const ncz_layout *l, const void *index, size_t nbytes, ncz_slot *slots)
{
    return ncz_shard_parse_index(shard_of(l), index, nbytes, slots, l->nslots);
}

static int
assemble_shard(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out)
{
    return ncz_shard_assemble(shard_of(l), parts, l->nslots, out);
}

static int
make_index(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out)
{
    return ncz_shard_make_index(shard_of(l), parts, l->nslots, out);
}

static int
place_index(const ncz_layout *l, const ncz_slot *slots, ncz_buf *out)
{
    return ncz_shard_place_index(shard_of(l), slots, l->nslots, out);
}

/* ---- both ---- */

static const ncz_layout_ops chunk_ops = {.name = "chunks", .locate = locate_chunk};

static const ncz_layout_ops shard_ops = {
    .name = "shards",
    .locate = locate_slot,
    .needs = needs_index,
    .learn = learn_slots,
    .assemble = assemble_shard,
    .make_index = make_index,
    .place_index = place_index,
};

int
ncz_zarr_layout_new(const ncz_layout_shape *shape, const char *first, char separator, bool root, size_t numbers,
                    const ncz_shard_layout *shard, ncz_layout **out)
{
    int rc = ncz_layout_new(shape->object != NULL ? &shard_ops : &chunk_ops, sizeof(zarr_layout), shape, out);

    if (rc == NC_NOERR) {
        zarr_layout *z = (zarr_layout *)*out;

        z->first = first;
        z->separator = separator;
        z->root = root;
        z->numbers = numbers;
        z->shard = *shard;
    }
    return rc;
}
