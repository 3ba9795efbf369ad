/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load: fetches the chunks of a batch and decodes each as it lands.
 *
 * A chunk's object must decode to exactly the chunk's size; anything else is an error that names the key. Nothing is
 * asked first: an absent object is an answer. What a compressed object may have is bounded by what its chunk has, so
 * that an object cannot ask for memory.
 */
#include "chunk/chunk_int.h"

#include <string.h>

typedef struct loading {
    ncz_chunk_call *call;
    ncz_chunk_landed_fn   landed;
} loading;

int
ncz_chunk_locate(const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_where *where)
{
    ncz_buf_reset(key);
    *where = (ncz_where){ .key = NULL, .off = 0, .len = ZMAP_WHOLE };
    return spec->locate(spec, index, key, where);
}

/* The text of what went wrong with an object's contents, behind its key. */
static int
fail_key(const char *key, int rc)
{
    ncz_err e;

    ncz_err_save(&e, rc);
    return ncz_fail(rc, "%s: %s", key, e.text);
}

/* Most bytes that the stored form of a chunk may have: codecs add little, but types may be widened on the way. */
static size_t
stored_most(const ncz_chunk_call *c)
{
    size_t most = c->spec->chunk_bytes, limit = c->engine->limits.object_bytes;

    if (!ncz_mul(most, 16, &most) || !ncz_add(most, (size_t)1 << 20, &most) || most > limit)
        return limit;
    return most;
}

/* Where the decoded bytes of a job go. With a codec, chunks that are not kept take turns in the scratch. */
static int
target(ncz_chunk_call *c, ncz_chunk_job *j)
{
    char **room = c->spec->chain != NULL && !j->keep ? &c->scratch : &j->room;
    int    rc;

    if (j->direct) {
        j->data = ncz_chunk_call_place(c, j);
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_call_room(c, room)) == NC_NOERR)
        j->data = *room;
    return rc;
}

static int
prepare(ncz_chunk_call *c, ncz_chunk_job *j, zmap_get_req *req)
{
    ncz_where where;
    int       rc;

    j->absent = false;
    j->data = NULL;
    if ((rc = ncz_chunk_locate(c->spec, j->piece.index, &j->key, &where)) != NC_NOERR)
        return rc;
    *req = (zmap_get_req){ .key = where.key, .off = where.off, .len = where.len, .tag = j };
    if (c->spec->chain != NULL) {
        req->body = NCZ_BUF_LIMIT(stored_most(c));
        return NC_NOERR;
    }
    if ((rc = target(c, j)) != NC_NOERR)
        return rc;
    req->into = j->data;
    req->into_cap = c->spec->chunk_bytes;
    return NC_NOERR;
}

static int
decode(ncz_chunk_call *c, ncz_chunk_job *j, const zmap_get_req *req)
{
    size_t nbytes = c->spec->chunk_bytes;
    int    rc;

    if (req->err.code == NC_EEMPTY) {
        j->absent = true;
        return NC_NOERR;
    }
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    if (c->spec->chain == NULL) {
        if (req->nread != nbytes)
            return ncz_fail(NC_ETRUNC, "%s: %zu bytes, but its chunk has %zu", req->key, req->nread, nbytes);
        return NC_NOERR;
    }
    if ((rc = target(c, j)) != NC_NOERR)
        return rc;
    rc = ncz_chain_decode(c->spec->chain, &c->env, ncz_buf_str(&req->body), req->body.len, j->data, nbytes, false);
    return rc == NC_NOERR ? rc : fail_key(req->key, rc);
}

static void
finish(const loading *l, ncz_chunk_job *j, int rc)
{
    j->rc = rc;
    if (rc != NC_NOERR)
        ncz_chunk_call_fail(l->call, rc);
    if (rc == NC_NOERR && !j->absent && j->keep)
        j->room = NULL; /* the bytes in it now belong to whom `landed` gives them */
    l->landed(l->call, j);
}

static void
on_get(zmap_get_req *req, void *arg)
{
    const loading *l = arg;
    ncz_chunk_job *j = req->tag;
    int            rc = decode(l->call, j, req);

    ncz_buf_clear(&req->body); /* before the next one lands */
    finish(l, j, rc);
}

void
ncz_chunk_load(ncz_chunk_call *c, ncz_chunk_landed_fn landed)
{
    loading l = { c, landed };
    size_t  n = 0;
    bool    memory = c->gets != NULL || (c->gets = ncz_alloc_n(c->cap, sizeof *c->gets)) != NULL;

    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_job *j = &c->jobs[i];
        int            rc;

        if (j->how != NCZ_CHUNK_JOB_LOAD)
            continue;
        rc = memory ? prepare(c, j, &c->gets[n]) : ncz_fail_nomem(c->cap * sizeof *c->gets);
        if (rc == NC_NOERR && c->spec->chunk_bytes > 0) {
            n++;
            continue;
        }
        j->absent = rc == NC_NOERR; /* elements of no bytes: nothing is stored */
        finish(&l, j, rc);
    }
    /* Each request's status has come to its job. */
    if (n > 0)
        (void)zmap_get_batch(c->engine->map, c->gets, n, on_get, &l);
}
