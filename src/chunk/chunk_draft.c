/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_draft: objects whose chunks all have one encoded size, as those of a shard without compression do. Each place
 * is known before, so such an object is set aside at its full size (zmap_draft), and its chunks are not staged in
 * memory but written where they belong. Storing the object then writes its index, and gives it its name:
 *
 *  1. the first chunk that is staged begins the draft. It has a place for each chunk that lies in the array, in the
 *     order of slots
 *  2. a chunk whose place is free is written there, by the thread that staged it. Such parts are read from the draft
 *  3. others are staged as always: the place still has an older state, which may be read, or others may write the other
 *     elements of the chunk, or the object is just being stored
 *  4. the object is the draft, if nothing else goes into it: what is in memory is written then, and the index, and the
 *     draft is published. Nothing is copied
 *  5. else, the object is put as others are, with the draft's bytes: it keeps chunks of an older object, another writer
 *     was faster, or the draft would have more holes than chunks
 *
 * Whatever fails in 1 and 2 leaves the chunk to the memory, and what fails in 4 leaves all parts where they are.
 *
 * This file has the draft and its places; chunk_stage.c does 1 to 3, chunk_draft_put.c 4 and 5.
 */
#include "chunk/chunk_store.h"

/* ---- its places, under the lock ---- */

bool
ncz_chunk_draft_used(const ncz_chunk_draft *d, size_t place)
{
    return (d->used[place / 8] >> place % 8 & 1) != 0;
}

static void
set_used(ncz_chunk_draft *d, size_t place, bool used)
{
    unsigned char bit = (unsigned char)(1u << place % 8);

    d->used[place / 8] = (unsigned char)(used ? d->used[place / 8] | bit : d->used[place / 8] & ~bit);
}

uint64_t
ncz_chunk_draft_at(const ncz_chunk_draft *d, size_t place)
{
    return d->base + (uint64_t)place * d->nbytes; /* lies in the draft, whose size did not overflow */
}

void
ncz_chunk_draft_unref(ncz_engine *e, ncz_chunk_draft *d)
{
    if (d == NULL || --d->refs > 0)
        return;
    d->next = e->staging.ended;
    e->staging.ended = d;
    e->staging.ndrafts--;
}

void
ncz_chunk_draft_leave(ncz_engine *e, ncz_chunk_part *p)
{
    set_used(p->draft, (size_t)((p->spilled - p->draft->base) / p->draft->nbytes), false);
    ncz_chunk_draft_unref(e, p->draft);
    p->draft = NULL;
}

void
ncz_chunk_drafts_end(ncz_engine *e)
{
    ncz_chunk_draft *d, *next;

    (void)pthread_mutex_lock(&e->lock);
    d = e->staging.ended;
    e->staging.ended = NULL;
    (void)pthread_mutex_unlock(&e->lock);
    for (; d != NULL; d = next) {
        next = d->next;
        zmap_draft_end(d->file);
        ncz_free(d);
    }
}

int
ncz_chunk_draft_read(const ncz_chunk_part *p, char *out)
{
    return zmap_draft_read(p->draft->file, p->spilled, out, p->nbytes);
}

/* ---- 1. begin it ---- */

uint64_t
ncz_chunk_draft_size(const ncz_engine *e, const ncz_spec *spec, const uint64_t *index, size_t nbytes, uint64_t *base)
{
    const ncz_layout *l = spec->layout;
    uint64_t          chunks, size;
    size_t            nindex;
    bool              at_end;

    if (nbytes < e->draft_chunk || !l->ops->needs(l, &nindex, &at_end) ||
        !ncz_mul64(ncz_chunk_object_inside(spec, index), nbytes, &chunks) || chunks < e->draft_least ||
        !ncz_add64(chunks, nindex, &size) || size > INT64_MAX)
        return 0;
    *base = at_end ? 0 : nindex;
    return size;
}

ncz_chunk_draft *
ncz_chunk_draft_new(ncz_engine *e, const ncz_chunk_staged *s, size_t nbytes)
{
    ncz_buf          room = NCZ_BUF_INIT;
    ncz_chunk_addr   where;
    uint64_t         base, size = ncz_chunk_draft_size(e, s->spec, s->first, nbytes, &base);
    ncz_chunk_draft *d = size > 0 ? ncz_zalloc(sizeof *d + s->needed / 8 + 1) : NULL;
    int              rc;

    if (d == NULL)
        return NULL;
    d->refs = 1;
    d->nbytes = nbytes;
    d->base = base;
    if ((rc = ncz_spec_locate(s->spec, s->first, &room, &where)) == NC_NOERR)
        rc = zmap_draft_begin(e->map, where.key, size, &d->file);
    ncz_buf_clear(&room);
    if (rc == NC_NOERR)
        return d;
    ncz_err_clear(); /* the chunks are staged in memory; storing them tells what is wrong */
    ncz_free(d);
    return NULL;
}

/* ---- places ---- */

bool
ncz_chunk_draft_reserve(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot)
{
    size_t place = ncz_chunk_object_before(s->spec, s->first, slot);

    if (ncz_chunk_draft_used(d, place))
        return false;
    set_used(d, place, true);
    return true;
}

void
ncz_chunk_draft_unreserve(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot)
{
    set_used(d, ncz_chunk_object_before(s->spec, s->first, slot), false);
}

ncz_chunk_part *
ncz_chunk_draft_part_at(ncz_chunk_draft *d, const ncz_chunk_staged *s, size_t slot)
{
    ncz_chunk_part *p = ncz_zalloc(sizeof *p);

    if (p == NULL) {
        (void)ncz_fail_nomem(sizeof *p);
        return NULL;
    }
    *p = (ncz_chunk_part){.refs = 1,
                          .nbytes = d->nbytes,
                          .spilled = ncz_chunk_draft_at(d, ncz_chunk_object_before(s->spec, s->first, slot)),
                          .draft = d};
    d->refs++;
    return p;
}
