/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_merge: stores chunks that were written in part, where other processes may write other parts of them:
 *
 *  1. put the chunk on condition that its object still is the one that it was loaded from, or is still absent
 *  2. if it is not: read the object again, lay the elements that were written here (chunk_ours.c) over it, and put
 *     that over the version just read; again, up to TRIES times, with random pauses that grow
 *
 * Elements that two processes write keep one of the two values. (Chunks of an object that holds several are merged
 * when that is stored: chunk_merge_part.c.) A chunk that has become only fill is deleted on the same
 * condition, where the store can; else it is put like others.
 */
#include "chunk/chunk_int.h"

#include <string.h>

enum { TRIES = 64 };

bool
ncz_chunk_needs_merge(const ncz_engine *e, const ncz_chunk_store_item *item)
{
    const ncz_chunk *chunk = item->chunk;

    return e->conditions && !ncz_layout_has_index(chunk->spec->layout) && chunk->ours != NULL &&
           chunk->version == NULL && !chunk->absent;
}

/* After a conflict or a deletion by another the object is looked at again. */
static int
delete_version(ncz_engine *e, const char *key, const char *version, bool *conflict)
{
    int rc = zmap_del_match(e->map, key, version);

    *conflict = rc == NC_EOBJECT || rc == NC_ENOOBJECT;
    return *conflict ? NC_NOERR : rc;
}

int
ncz_chunk_delete(ncz_engine *e, ncz_chunk_store_item *item, const char *key)
{
    if (item->chunk->ours == NULL)
        return zmap_del(e->map, &key, 1);
    return delete_version(e, key, item->chunk->version, &item->conflict);
}

/* ---- merging --------------------------------------------------------------------------------------------------- */

typedef struct merging {
    ncz_engine           *engine;
    ncz_chunk_store_item *item;
    const ncz_spec       *spec;
    ncz_scratch          *scratch;
    const char           *key;
    ncz_buf               old;   /* the object as it is stored now */
    bool                  there; /* it exists */
    char                  version[ZMAP_VERSION];
    char                 *data; /* the merged chunk */
} merging;

static int
get_object(merging *m)
{
    zmap_get_req req = {.key = m->key, .len = ZMAP_WHOLE, .ask_version = true, .body = m->old};

    ncz_buf_reset(&req.body);
    (void)zmap_get_batch(m->engine->map, &req, 1, NULL, NULL);
    m->old = req.body;
    m->there = req.err.code == NC_NOERR;
    memcpy(m->version, req.version, sizeof m->version);
    return req.err.code == NC_NOERR || req.err.code == NC_EEMPTY ? NC_NOERR : ncz_err_adopt(&req.err);
}

static int
merge_chunk(merging *m)
{
    const ncz_chunk_overlay o = {.engine = m->engine,
                                 .spec = m->spec,
                                 .scratch = m->scratch,
                                 .key = m->key,
                                 .theirs = m->there ? ncz_buf_str(&m->old) : NULL,
                                 .ntheirs = m->old.len,
                                 .ours = m->item->data,
                                 .bits = m->item->chunk->ours};

    return ncz_chunk_overlay_make(&o, &m->data);
}

/* Puts the merged chunk over the version that it was made from. *done: false after a conflict. */
static int
put_merged(merging *m, bool *done)
{
    ncz_buf             *body = ncz_scratch_buf(m->scratch, NCZ_SCRATCH_STORED, 0);
    ncz_buf             *key = ncz_scratch_buf(m->scratch, NCZ_SCRATCH_KEY, 0);
    ncz_chunk_store_item merged = {.chunk = m->item->chunk, .data = m->data};
    zmap_put_req         req;
    int                  rc;

    m->item->chunk->absent = !m->there; /* the condition of the next attempt, and whether a chunk of fill is put */
    if ((rc = ncz_chunk_store_encode_into(m->engine, &merged, key, body, m->scratch)) != NC_NOERR)
        return rc;
    *done = true;
    if ((m->item->gone = merged.gone)) {
        bool conflict = false;

        rc = m->there ? delete_version(m->engine, m->key, m->version, &conflict) : NC_NOERR;
        *done = !conflict;
        return rc;
    }
    req = (zmap_put_req){.key = m->key,
                         .data = merged.encoded,
                         .len = merged.nbytes,
                         .when = m->there ? ZMAP_IF_MATCH : ZMAP_IF_ABSENT,
                         .version = m->version};
    ncz_chunk_put_batch(m->engine, &req, 1);
    if (ncz_chunk_put_conflicts(&req)) {
        *done = false;
        return NC_NOERR;
    }
    ncz_chunk_set_version(m->item->chunk, req.stored);
    return req.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&req.err);
}

int
ncz_chunk_store_merged(ncz_engine *e, ncz_chunk_store_item *item, const char *key, ncz_scratch *scratch)
{
    merging m = {.engine = e,
                 .item = item,
                 .spec = item->chunk->spec,
                 .scratch = scratch,
                 .old = NCZ_BUF_LIMIT(e->limits.object_bytes)};
    char   *own = ncz_strdup(key); /* `key` may be in the scratch */
    bool    done = false;
    int     rc = own != NULL ? NC_NOERR : ncz_fail_nomem(strlen(key) + 1);

    m.key = own;
    for (int tries = 0; rc == NC_NOERR && !done; tries++) {
        if (tries == TRIES) {
            rc = ncz_fail(NC_EOBJECT,
                          "%s: other writers replaced it %d times while this process was changing a part of it; "
                          "the change is kept, and the next flush tries again",
                          own, TRIES);
            break;
        }
        if (tries > 0)
            ncz_chunk_pause_writer(&m, tries);
        if ((rc = get_object(&m)) == NC_NOERR && (rc = merge_chunk(&m)) == NC_NOERR)
            rc = put_merged(&m, &done);
    }
    if (rc == NC_NOERR) {
        item->merged = m.data;
        m.data = NULL;
    }
    ncz_free(m.data);
    ncz_free(own);
    ncz_buf_clear(&m.old);
    return rc;
}
