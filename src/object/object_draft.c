/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_draft: objects whose chunks all have one encoded size, as those of a shard without compression do. Each place
 * is known before, so such an object is set aside at its full size (zmap_draft), and its chunks are not staged in
 * memory but written where they belong. Storing the object then writes its index, and gives it its name:
 *
 *  1. the first chunk that is staged begins the draft. It has a place for each chunk that lies in the array, in the
 *     order of slots
 *  2. a chunk whose place is free is written there, by the thread that staged it. Such chunks are read from the draft
 *  3. others are staged as always: the place still has an older state, which may be read, or others may write the other
 *     elements of the chunk, or the object is just being stored
 *  4. the object is the draft, if nothing else goes into it: what is in memory is written then, and the index, and the
 *     draft is published. Nothing is copied
 *  5. else, the object is put as others are, with the draft's bytes: it keeps chunks of an older object, another writer
 *     was faster, or the draft would have more holes than chunks
 *
 * Whatever fails in 1 and 2 leaves the chunk to the memory, and what fails in 4 leaves all staged chunks where they
 * are.
 *
 * This file has the draft and its places; object_draft_stage.c does 1 to 3, object_draft_put.c 4 and 5.
 */
#include "object/object_draft.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_table.h"

/* ---- its places, under the lock ---- */

bool
ncz_object_draft_used(const ncz_object_draft *d, size_t place)
{
    return (d->used[place / 8] >> place % 8 & 1) != 0;
}

static void
set_used(ncz_object_draft *d, size_t place, bool used)
{
    unsigned char bit = (unsigned char)(1u << place % 8);

    d->used[place / 8] = (unsigned char)(used ? d->used[place / 8] | bit : d->used[place / 8] & ~bit);
}

uint64_t
ncz_object_draft_at(const ncz_object_draft *d, size_t place)
{
    return d->base + (uint64_t)place * d->nbytes; /* lies in the draft, whose size did not overflow */
}

void
ncz_object_draft_unref(ncz_objects *objects, ncz_object_draft *d)
{
    if (d == NULL || --d->refs > 0)
        return;
    d->next = objects->staging.ended;
    objects->staging.ended = d;
    objects->staging.ndrafts--;
}

void
ncz_object_draft_leave(ncz_objects *objects, ncz_staged_chunk *p)
{
    set_used(p->draft, (size_t)((p->spilled - p->draft->base) / p->draft->nbytes), false);
    ncz_object_draft_unref(objects, p->draft);
    p->draft = NULL;
}

void
ncz_object_drafts_end(ncz_objects *objects)
{
    ncz_object_draft *d, *next;

    (void)pthread_mutex_lock(&objects->cells->lock);
    d = objects->staging.ended;
    objects->staging.ended = NULL;
    (void)pthread_mutex_unlock(&objects->cells->lock);
    for (; d != NULL; d = next) {
        next = d->next;
        zmap_draft_end(d->file);
        ncz_free(d);
    }
}

int
ncz_object_draft_read(const ncz_staged_chunk *p, char *out)
{
    return zmap_draft_read(p->draft->file, p->spilled, out, p->nbytes);
}

/* ---- 1. begin it ---- */

uint64_t
ncz_object_draft_size(const ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, size_t nbytes,
                      uint64_t *base)
{
    const ncz_layout *l = spec->layout;
    uint64_t          chunks, size;
    size_t            nindex;
    bool              at_end;

    if (nbytes < objects->draft_chunk || !l->ops->needs(l, &nindex, &at_end) ||
        !ncz_mul64(ncz_object_inside(spec, index), nbytes, &chunks) || chunks < objects->draft_least ||
        !ncz_add64(chunks, nindex, &size) || size > INT64_MAX)
        return 0;
    *base = at_end ? 0 : nindex;
    return size;
}

ncz_object_draft *
ncz_object_draft_new(ncz_objects *objects, const ncz_staged_object *s, size_t nbytes)
{
    ncz_buf           room = NCZ_BUF_INIT;
    ncz_chunk_addr    where;
    uint64_t          base, size = ncz_object_draft_size(objects, s->spec, s->first, nbytes, &base);
    ncz_object_draft *d = size > 0 ? ncz_zalloc(sizeof *d + s->needed / 8 + 1) : NULL;
    int               rc;

    if (d == NULL)
        return NULL;
    d->refs = 1;
    d->nbytes = nbytes;
    d->base = base;
    if ((rc = ncz_spec_locate(s->spec, s->first, &room, &where)) == NC_NOERR)
        rc = zmap_draft_begin(objects->map, where.key, size, &d->file);
    ncz_buf_clear(&room);
    if (rc == NC_NOERR)
        return d;
    ncz_err_clear(); /* the chunks are staged in memory; storing them tells what is wrong */
    ncz_free(d);
    return NULL;
}

/* ---- places ---- */

bool
ncz_object_draft_reserve(ncz_object_draft *d, const ncz_staged_object *s, size_t slot)
{
    size_t place = ncz_object_before(s->spec, s->first, slot);

    if (ncz_object_draft_used(d, place))
        return false;
    set_used(d, place, true);
    return true;
}

void
ncz_object_draft_unreserve(ncz_object_draft *d, const ncz_staged_object *s, size_t slot)
{
    set_used(d, ncz_object_before(s->spec, s->first, slot), false);
}

ncz_staged_chunk *
ncz_object_draft_chunk_at(ncz_object_draft *d, const ncz_staged_object *s, size_t slot)
{
    ncz_staged_chunk *p = ncz_zalloc(sizeof *p);

    if (p == NULL) {
        (void)ncz_fail_nomem(sizeof *p);
        return NULL;
    }
    *p = (ncz_staged_chunk){.refs = 1,
                            .nbytes = d->nbytes,
                            .spilled = ncz_object_draft_at(d, ncz_object_before(s->spec, s->first, slot)),
                            .draft = d};
    d->refs++;
    return p;
}
