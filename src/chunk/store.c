/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: a batch of chunks, encoded and put; those that hold only fill are deleted instead, or never stored.
 *
 * Works on chunks that the caller has claimed or marked as storing: their bytes do not change meanwhile. No lock.
 */
#include "chunk/chunk_int.h"

int
ncz_chunk_store_init(ncz_chunk_store *s, ncz_engine *e, size_t cap)
{
    *s = (ncz_chunk_store){.engine = e, .cap = cap};
    if ((s->items = ncz_zalloc_n(cap, sizeof *s->items)) == NULL ||
        (s->puts = ncz_alloc_n(cap, sizeof *s->puts)) == NULL ||
        (s->dels = ncz_alloc_n(cap, sizeof *s->dels)) == NULL) {
        ncz_chunk_store_clear(s);
        return ncz_fail_nomem(cap * (sizeof *s->items + sizeof *s->puts));
    }
    return NC_NOERR;
}

void
ncz_chunk_store_clear(ncz_chunk_store *s)
{
    for (size_t i = 0; s->items != NULL && i < s->cap; i++) {
        ncz_buf_clear(&s->items[i].key);
        ncz_buf_clear(&s->items[i].body);
    }
    ncz_free(s->items);
    ncz_free(s->puts);
    ncz_free(s->dels);
    *s = (ncz_chunk_store){.engine = s->engine};
}

void
ncz_chunk_store_reset(ncz_chunk_store *s)
{
    s->n = 0;
    s->first.code = NC_NOERR;
}

static void
fail_item(ncz_chunk_store *s, ncz_chunk_store_item *item, int rc)
{
    item->rc = rc;
    if (s->first.code == NC_NOERR)
        ncz_err_save(&s->first, rc);
}

/* Zarr libraries disagree on how `fill_value` spells text; only the empty one is the same to all. */
static bool
fill_is_doubtful(const ncz_spec *spec)
{
    ncz_kind kind = spec->dtype.kind;

    return (kind == NCZ_KIND_CHAR || kind == NCZ_KIND_BYTES || kind == NCZ_KIND_UCS4) &&
           !ncz_all_fill(spec->fill, 1, NULL, spec->dtype.size);
}

/*
 * A missing chunk reads as fill only where there is a fill value: without one, what it reads as is undefined. Nor is
 * a chunk left out whose fill value another reader may understand otherwise.
 */
static bool
is_gone(const ncz_spec *spec, const char *data)
{
    if (spec->chunk_bytes == 0 || data == NULL)
        return true;
    return spec->fill != NULL && !fill_is_doubtful(spec) &&
           ncz_all_fill(data, spec->chunk_nelems, spec->fill, spec->dtype.size);
}

static int
encode(ncz_chunk_store_item *item, const ncz_spec *spec, const char *data)
{
    ncz_codec_env env = {.dtype = spec->dtype, .chunk_bytes = spec->chunk_bytes, .row = spec->row};
    ncz_where     where;
    int           rc;

    item->gone = is_gone(spec, data);
    if ((rc = ncz_chunk_locate(spec, item->chunk->index, &item->key, &where)) != NC_NOERR)
        return rc;
    if (where.off != 0 || where.len != ZMAP_WHOLE)
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk inside an object cannot be written", where.key);
    item->data = data;
    item->nbytes = spec->chunk_bytes;
    if (item->gone || spec->chain == NULL)
        return NC_NOERR;
    if ((rc = ncz_chain_encode(spec->chain, &env, data, spec->chunk_bytes, &item->body)) != NC_NOERR)
        return rc;
    item->data = ncz_buf_str(&item->body);
    item->nbytes = item->body.len;
    return NC_NOERR;
}

void
ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data)
{
    ncz_chunk_store_item *item = &s->items[s->n++];
    int                   rc;

    item->chunk = chunk;
    item->rc = NC_NOERR;
    if ((rc = encode(item, chunk->spec, data)) != NC_NOERR)
        fail_item(s, item, rc);
}

static bool
to_put(const ncz_chunk_store_item *item)
{
    return item->rc == NC_NOERR && !item->gone;
}

static bool
to_delete(const ncz_chunk_store_item *item)
{
    return item->rc == NC_NOERR && item->gone && !item->chunk->absent && item->chunk->spec->chunk_bytes > 0;
}

void
ncz_chunk_store_run(ncz_chunk_store *s)
{
    size_t nputs = 0, ndels = 0;
    int    rc;

    for (size_t i = 0; i < s->n; i++) {
        const ncz_chunk_store_item *item = &s->items[i];

        if (to_put(item))
            s->puts[nputs++] = (zmap_put_req){
                .key = ncz_buf_str(&item->key), .data = item->data, .len = item->nbytes, .when = ZMAP_ALWAYS};
        else if (to_delete(item))
            s->dels[ndels++] = ncz_buf_str(&item->key);
    }
    if (nputs > 0)
        (void)zmap_put_batch(s->engine->map, s->puts, nputs);
    nputs = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (to_put(&s->items[i]) && s->puts[nputs++].err.code != NC_NOERR)
            fail_item(s, &s->items[i], ncz_err_adopt(&s->puts[nputs - 1].err));
    }
    /* A deletion has one status for all; to try again those that were done is harmless. */
    if (ndels > 0 && (rc = zmap_del(s->engine->map, s->dels, ndels)) != NC_NOERR) {
        for (size_t i = 0; i < s->n; i++) {
            if (to_delete(&s->items[i]))
                fail_item(s, &s->items[i], rc);
        }
    }
}
