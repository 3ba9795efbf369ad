/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_list: the chunks of one storing pass, with the status of each, and the encoding of one chunk. A chunk
 * that holds only fill is marked as such and not encoded.
 */
#include "chunk/chunk_int.h"

#include <string.h>

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

int
ncz_chunk_store_reserve(ncz_chunk_store *s, size_t more)
{
    ncz_chunk_store_item *items;
    zmap_put_req         *puts;
    const char          **dels;
    size_t                cap = s->n + more;

    if (cap <= s->cap)
        return NC_NOERR;
    if ((items = ncz_grow(s->items, cap, sizeof *items)) != NULL)
        s->items = items;
    if ((puts = ncz_grow(s->puts, cap, sizeof *puts)) != NULL)
        s->puts = puts;
    if ((dels = ncz_grow(s->dels, cap, sizeof *dels)) != NULL)
        s->dels = dels;
    if (items == NULL || puts == NULL || dels == NULL)
        return ncz_fail_nomem(cap * (sizeof *items + sizeof *puts));
    memset(items + s->cap, 0, (cap - s->cap) * sizeof *items);
    s->cap = cap;
    return NC_NOERR;
}

void
ncz_chunk_store_fail(ncz_chunk_store *s, ncz_chunk_store_item *item, int rc)
{
    size_t at = (size_t)(item - s->items);

    item->rc = rc;
    (void)pthread_mutex_lock(&s->engine->lock);
    if (s->first.code == NC_NOERR || at < s->first_at) {
        ncz_err_save(&s->first, rc);
        s->first_at = at;
    }
    (void)pthread_mutex_unlock(&s->engine->lock);
}

void
ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data)
{
    ncz_chunk_store_item *item = &s->items[s->n++];

    item->chunk = chunk;
    item->data = data;
    item->gone = false;
    item->full = NULL;
    item->merged = NULL;
    item->conflict = false;
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
ncz_chunk_store_encode_into(const ncz_engine *e, ncz_chunk_store_item *item, ncz_buf *key, ncz_buf *body,
                            ncz_scratch *scratch)
{
    const ncz_chunk *chunk = item->chunk;
    const ncz_spec  *spec = chunk->spec;
    ncz_chunk_addr   where;
    bool             put_fill, logged = ncz_log_on(NCZ_LOG_CHUNK);
    int64_t          begun = logged ? ncz_now_ns() : 0;
    int              rc;

    /*
     * Without deletions on condition, what was written in part is put: another process may have put other parts. In an
     * object of several chunks it is only left out.
     */
    atomic_store(&chunk->spec->stored, true);
    put_fill = chunk->ours != NULL && !chunk->absent && !e->del_match && item->data != NULL &&
               !ncz_layout_has_index(spec->layout);
    if ((rc = ncz_spec_locate(spec, chunk->index, key, &where)) != NC_NOERR)
        return rc;
    if (where.slot == NCZ_NO_SLOT && (where.offset != 0 || where.length != ZMAP_WHOLE))
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk inside an object cannot be written", where.key);
    rc = ncz_chunk_encode_data(e, spec, put_fill, item, body, scratch);
    if (logged && rc == NC_NOERR)
        ncz_chunk_log(spec, chunk->index, item->gone ? "only fill: not stored" : "encoded",
                      item->gone ? 0 : item->nbytes, item->gone ? 0 : spec->chunk_bytes, begun);
    return rc;
}

int
ncz_chunk_store_encode(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch)
{
    return ncz_chunk_store_encode_into(e, item, &item->key, &item->body, scratch);
}
