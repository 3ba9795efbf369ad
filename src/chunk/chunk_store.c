/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store: a list of chunks to be stored, with the status of each, and the encoding of one. Where workers call the
 * store, each stores one chunk; else workers only encode, and then all objects are stored together.
 *
 * The caller has claimed the chunks or marked them STORING, so their bytes do not change meanwhile. The caller must
 * not hold the engine's lock.
 */
#include "chunk/chunk_load.h"
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

#include <string.h>

/* ---- the list ---- */

int
ncz_chunk_store_init(ncz_chunk_store *s, ncz_engine *e, size_t cap)
{
    *s = (ncz_chunk_store){.engine = e, .cap = cap};
    if ((s->items = ncz_zalloc_n(cap, sizeof *s->items)) != NULL)
        return NC_NOERR;
    s->cap = 0;
    return ncz_fail_nomem(cap * sizeof *s->items);
}

void
ncz_chunk_store_clear(ncz_chunk_store *s)
{
    for (size_t i = 0; i < s->cap; i++) {
        ncz_buf_clear(&s->items[i].key);
        ncz_buf_clear(&s->items[i].body);
    }
    ncz_free(s->items);
    *s = (ncz_chunk_store){.engine = s->engine};
}

void
ncz_chunk_store_reset(ncz_chunk_store *s)
{
    s->n = 0;
    s->first.code = NC_NOERR;
}

int
ncz_chunk_store_reserve(ncz_chunk_store *s, size_t more)
{
    ncz_chunk_store_item *items;
    size_t                cap = s->n + more;

    if (cap <= s->cap)
        return NC_NOERR;
    if ((items = ncz_grow(s->items, cap, sizeof *items)) == NULL)
        return ncz_fail_nomem(cap * sizeof *items);
    memset(items + s->cap, 0, (cap - s->cap) * sizeof *items);
    s->items = items;
    s->cap = cap;
    return NC_NOERR;
}

void
ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data)
{
    ncz_chunk_store_item *item = &s->items[s->n++];

    item->chunk = chunk;
    item->data = data;
    item->gone = false;
    item->merged = NULL;
    item->rc = NC_NOERR;
    if (chunk->ours != NULL && ncz_chunk_all_ours(chunk->spec, chunk->ours))
        ncz_chunk_drop_ours(chunk);
}

/* ---- encoding ---- */

/*
 * Zarr libraries disagree on how `fill_value` spells text, except for the empty string. Where the document has null
 * as fill value, other readers do not know the fill value. Nor do they know that of sequences.
 */
static bool
fill_is_doubtful(const ncz_spec *spec)
{
    ncz_kind kind = spec->dtype.kind;

    if (spec->fill_null || spec->dtype.items != NULL)
        return true;
    return (kind == NCZ_KIND_CHAR || kind == NCZ_KIND_BYTES || kind == NCZ_KIND_UCS4) &&
           !ncz_all_fill(spec->fill, 1, NULL, spec->dtype.size);
}

/*
 * Whether the chunk is left out. Only a chunk with a fill value may be: without one, a missing chunk reads as
 * undefined data. A chunk whose fill value another reader may understand differently is stored, too.
 */
static bool
is_gone(const ncz_engine *e, const ncz_spec *spec, const char *data)
{
    if (spec->chunk_bytes == 0 || data == NULL)
        return true;
    return !e->write_empty && spec->fill != NULL && !fill_is_doubtful(spec) && ncz_chunk_is_fill(spec, data);
}

int
ncz_chunk_encode_data(const ncz_engine *e, const ncz_spec *spec, bool put_fill, ncz_chunk_store_item *item,
                      ncz_buf *body, ncz_scratch *scratch)
{
    int rc;

    item->gone = !put_fill && is_gone(e, spec, item->data);
    item->encoded = item->data;
    item->nbytes = spec->chunk_bytes;
    if (item->gone || spec->chain == NULL)
        return NC_NOERR;
    if (ncz_chunk_is_vlen(spec))
        rc = ncz_chunk_encode_vlen(spec, item->data, scratch, body);
    else
        rc = ncz_chain_encode(spec->chain, scratch, item->data, spec->chunk_bytes, body);
    if (rc != NC_NOERR)
        return rc;
    item->encoded = ncz_buf_str(body);
    item->nbytes = body->len;
    return NC_NOERR;
}

int
ncz_chunk_encode(const ncz_engine *e, ncz_chunk_store_item *item, ncz_buf *key, ncz_buf *body, ncz_scratch *scratch,
                 ncz_chunk_addr *where)
{
    const ncz_chunk *chunk = item->chunk;
    const ncz_spec  *spec = chunk->spec;
    bool             put_fill, logged = ncz_log_on(NCZ_LOG_CHUNK);
    int64_t          begun = logged ? ncz_now_ns() : 0;
    int              rc;

    atomic_store(&chunk->spec->stored, true);
    if ((rc = ncz_spec_locate(spec, chunk->index, key, where)) != NC_NOERR)
        return rc;
    if (where->slot == NCZ_NO_SLOT && (where->offset != 0 || where->length != ZMAP_WHOLE))
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk inside an object cannot be written", where->key);
    /*
     * Without deletions on condition, what was written in part is put: another process may have put other parts. In an
     * object of several chunks it is only left out.
     */
    put_fill =
        chunk->ours != NULL && !chunk->absent && !e->del_match && item->data != NULL && where->slot == NCZ_NO_SLOT;
    rc = ncz_chunk_encode_data(e, spec, put_fill, item, body, scratch);
    if (logged && rc == NC_NOERR)
        ncz_chunk_log(spec, chunk->index, item->gone ? "only fill: not stored" : "encoded",
                      item->gone ? 0 : item->nbytes, item->gone ? 0 : spec->chunk_bytes, begun);
    return rc;
}

/* ---- storing ---- */

static void
set_status(ncz_chunk_store *s, size_t i, int rc)
{
    s->items[i].rc = rc;
    if (rc == NC_NOERR)
        return;
    (void)pthread_mutex_lock(&s->engine->lock);
    if (s->first.code == NC_NOERR || i < s->first_at) {
        ncz_err_save(&s->first, rc);
        s->first_at = i;
    }
    (void)pthread_mutex_unlock(&s->engine->lock);
}

/* Stores a chunk, or with `objects` only begins to. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_store      *s = arg;
    ncz_chunk_store_item *item = &s->items[i];
    int                   rc = s->gather != NULL ? s->gather(s->arg, i, scratch, &item->data) : NC_NOERR;

    if (rc == NC_NOERR)
        rc = s->objects == NULL
                 ? ncz_chunk_store_one(s->engine, item, scratch)
                 : ncz_object_put_begin(&s->objects[i], s->engine, item, &item->key, &item->body, scratch);
    set_status(s, i, rc);
}

void
ncz_chunk_store_run(ncz_chunk_store *s)
{
    if (ncz_chunk_from_workers(s->engine)) {
        ncz_pool_each(s->n, SIZE_MAX, work_store, s);
        return;
    }
    if ((s->objects = ncz_zalloc_n(s->n, sizeof *s->objects)) == NULL) {
        for (size_t i = 0; i < s->n; i++)
            set_status(s, i, ncz_fail_nomem(s->n * sizeof *s->objects));
        return;
    }
    ncz_pool_each(s->n, SIZE_MAX, work_store, s);
    ncz_object_put_all(s->engine, s->objects, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (s->objects[i].err.code != NC_NOERR)
            set_status(s, i, ncz_err_adopt(&s->objects[i].err));
    ncz_free(s->objects);
    s->objects = NULL;
}
