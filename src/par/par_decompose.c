/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_decompose: chunks and shards that fit the blocks in which the ranks write a variable. All ranks know all
 * blocks, and choose the same lengths (grid_decompose.c).
 */
#include "par/par_int.h"

#include <string.h>

/* Bytes that are aimed at, if no chunks were defined before. */
#define CHUNK_BYTES       ((uint64_t)16 << 20)
#define SHARD_BYTES       ((uint64_t)512 << 20)
#define SHARD_CHUNK_BYTES ((uint64_t)1 << 20)

#define MOST_INDEX (UINT64_C(1) << 62) /* numbers that ranks exchange are less than 2^63 */

/* What a variable has, and what it gets. */
typedef struct lengths {
    uint64_t *chunk, *shard; /* NULL: default chunks, no shards */
    int       storage;
} lengths;

static void
clear_lengths(lengths *l)
{
    ncz_free(l->chunk);
    ncz_free(l->shard);
}

static int
copy_lengths(const ncz_var *v, lengths *out)
{
    size_t nbytes = v->rank * sizeof *v->chunk;

    *out = (lengths){.storage = v->storage};
    if ((v->chunk_set && (out->chunk = ncz_dup(v->chunk, nbytes)) == NULL) ||
        (v->shard != NULL && (out->shard = ncz_dup(v->shard, nbytes)) == NULL))
        return ncz_fail_nomem(nbytes);
    return NC_NOERR;
}

static int
set_lengths(ncz_dataset *ds, ncz_var *v, const lengths *l)
{
    bool own = l->chunk != NULL && l->storage == NC_CHUNKED;
    int  rc = ncz_dataset_set_shards(ds, v, NULL);

    if (rc == NC_NOERR)
        rc = ncz_dataset_set_chunks(ds, v, own ? NC_CHUNKED : l->storage, own ? l->chunk : NULL, own);
    return rc == NC_NOERR ? ncz_dataset_set_shards(ds, v, l->shard) : rc;
}

/* ---- the blocks ------------------------------------------------------------------------------------------------ */

static int
check_block(const ncz_var *v, const size_t *start, const size_t *count)
{
    if (start == NULL || count == NULL)
        return ncz_fail(NC_EINVAL, "%s: no %s of a block", v->name, start == NULL ? "start" : "count");
    if (v->rank == 0)
        return ncz_fail(NC_EINVAL, "%s: a scalar has no chunks", v->name);
    for (size_t d = 0; d < v->rank; d++) {
        uint64_t most = v->dims[d]->unlimited ? MOST_INDEX : v->dims[d]->len;

        if (count[d] == 0)
            return NC_NOERR; /* no block */
        if (start[d] > most || count[d] > most - start[d])
            return ncz_fail(start[d] > most ? NC_EINVALCOORDS : NC_EEDGE,
                            "%s: the block has %zu elements from %zu on, dimension %s has %llu", v->name, count[d],
                            start[d], v->dims[d]->name, (unsigned long long)most);
    }
    return NC_NOERR;
}

/* Puts [lo, hi) of each dimension of this rank's block at `own`; all zero: it has no block. */
static void
set_own_box(size_t rank, const size_t *start, const size_t *count, uint64_t *own)
{
    for (size_t d = 0; d < rank; d++)
        if (count[d] == 0)
            return;
    for (size_t d = 0; d < rank; d++) {
        own[2 * d] = start[d];
        own[2 * d + 1] = (uint64_t)start[d] + count[d];
    }
}

/* Collects the boxes of all ranks in their order. Each rank puts its own among zeros: the maxima are all boxes. */
static int
gather_blocks(ncz_dataset *ds, const size_t *start, const size_t *count, ncz_blocks *b, uint64_t **out)
{
    size_t    per = 2 * b->rank, total = 0;
    uint64_t *box = NULL;
    int       rc = NC_NOERR;

    b->n = ncz_comm_size(ncz_par_comm(ds));
    if (!ncz_mul(b->n, per, &total) || (box = ncz_zalloc_n(total, sizeof *box)) == NULL)
        rc = ncz_fail_nomem(total);
    else
        set_own_box(b->rank, start, count, box + (size_t)ncz_comm_rank(ncz_par_comm(ds)) * per);
    if ((rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_DECOMPOSE, 0, rc)) == NC_NOERR)
        rc = ncz_comm_max(ncz_par_comm(ds), box, total);
    b->box = box;
    *out = box;
    return rc;
}

/* ---- the choice ------------------------------------------------------------------------------------------------ */

static void
log_price(const ncz_var *v, const ncz_blocks *b, const uint64_t *object, const ncz_blocks_price *p)
{
    ncz_buf text = NCZ_BUF_INIT;

    for (size_t d = 0; d < b->rank; d++)
        (void)ncz_buf_printf(&text, "%s%llu", d > 0 ? " x " : "", (unsigned long long)object[d]);
    ncz_log(NCZ_LOG_WARN,
            "%s: no %s fit the blocks of all ranks: of about %.0f (%s elements each) %.0f are shared by up to %llu "
            "ranks; independent puts read and store these again (%.1f MiB), collective ones send their parts to one "
            "rank; blocks of equal length, the last one shorter, fit",
            v->name, v->shard != NULL ? "shards" : "chunks", p->objects, ncz_buf_str(&text), p->shared,
            (unsigned long long)p->writers, p->shared * p->nbytes / (1 << 20));
    ncz_buf_clear(&text);
}

/* The bytes of the chunks that were defined, or `bytes`; at most what a chunk may have. */
static uint64_t
wanted_bytes(const ncz_dataset *ds, const ncz_var *v, size_t item, uint64_t bytes)
{
    size_t defined;

    if (v->chunk_set && v->storage == NC_CHUNKED && ncz_grid_nbytes(v->chunk, v->rank, item, &defined))
        bytes = defined;
    if (bytes > ds->limits.chunk_bytes / 2)
        bytes = ds->limits.chunk_bytes / 2;
    return bytes > 0 ? bytes : 1;
}

/* Chooses lengths and defines them. On the first rank logs the price. */
static int
choose_lengths(ncz_dataset *ds, ncz_var *v, const ncz_blocks *b, const lengths *old)
{
    size_t           nbytes = v->rank * sizeof *v->chunk;
    uint64_t         chunk_bytes, object_bytes;
    ncz_blocks_price price;
    lengths          l = {.chunk = ncz_alloc(nbytes), .shard = ncz_alloc(nbytes), .storage = NC_CHUNKED};
    int              rc;

    if (l.chunk == NULL || l.shard == NULL) {
        rc = ncz_fail_nomem(nbytes);
        goto done;
    }
    chunk_bytes = wanted_bytes(ds, v, b->item, old->shard != NULL ? SHARD_CHUNK_BYTES : CHUNK_BYTES);
    object_bytes = old->shard != NULL && SHARD_BYTES > chunk_bytes ? SHARD_BYTES : chunk_bytes;
    if ((rc = ncz_blocks_choose(b, object_bytes, chunk_bytes, l.shard, l.chunk)) != NC_NOERR ||
        (rc = ncz_blocks_count_shared(b, l.shard, &price)) != NC_NOERR)
        goto done;
    if (old->shard == NULL) {
        ncz_free(l.shard);
        l.shard = NULL;
    }
    rc = set_lengths(ds, v, &l);
    if (rc == NC_NOERR && price.shared > 0 && ncz_comm_first(ncz_par_comm(ds)))
        log_price(v, b, l.shard != NULL ? l.shard : l.chunk, &price);
done:
    clear_lengths(&l);
    return rc;
}

static int
check_blocks(const ncz_var *v, const ncz_blocks *b)
{
    for (size_t i = 1; i < 2 * b->rank * b->n; i += 2)
        if (b->box[i] > 0)
            return NC_NOERR;
    return ncz_fail(NC_EINVAL, "%s: no rank has a block", v->name);
}

/* Defines the lengths for the blocks of all ranks; a failure of one rank restores the old ones on all. */
static int
decompose(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count)
{
    ncz_dims   shape = {.v = NULL};
    lengths    old = {.chunk = NULL};
    uint64_t  *box = NULL;
    bool      *unlimited = ncz_alloc_n(v->rank, sizeof *unlimited);
    ncz_blocks b = {
        .rank = v->rank, .item = v->type->class == NCZ_TYPE_NONE ? 8 : v->type->size, .unlimited = unlimited};
    bool changed = false;
    int  rc = unlimited == NULL ? ncz_fail_nomem(v->rank) : ncz_dims_init(&shape, v->rank);

    if (rc == NC_NOERR)
        rc = copy_lengths(v, &old);
    rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_DECOMPOSE, ncz_par_tag(v), rc);
    if (rc != NC_NOERR || (rc = gather_blocks(ds, start, count, &b, &box)) != NC_NOERR)
        goto done;
    for (size_t d = 0; d < v->rank; d++)
        unlimited[d] = v->dims[d]->unlimited;
    ncz_var_shape(v, shape.v);
    b.shape = shape.v;
    if ((rc = check_blocks(v, &b)) == NC_NOERR) {
        rc = choose_lengths(ds, v, &b, &old);
        changed = true;
    }
    rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_DECOMPOSE, ncz_par_tag(v), rc);
    if (rc != NC_NOERR && changed) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)set_lengths(ds, v, &old); /* without memory for it, ranks may differ: nc_enddef() reports that */
        (void)ncz_err_adopt(&err);
    }
done:
    clear_lengths(&old);
    if (shape.v != NULL)
        ncz_dims_clear(&shape);
    ncz_free(unlimited);
    ncz_free(box);
    return rc;
}

int
ncz_par_decompose(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count, int rc)
{
    if (rc == NC_NOERR)
        rc = check_block(v, start, count);
    rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_DECOMPOSE, 0, rc);
    return rc == NC_NOERR ? decompose(ds, v, start, count) : rc;
}
