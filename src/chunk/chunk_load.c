/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_load: fetches a chunk and decodes it, on a worker's own thread. chunk_load_batch.c fetches many with one batch
 * of requests.
 *
 * An object must decode to exactly the chunk's size; anything else is an error that names the key. Nothing checks for
 * existence first: an absent object is a valid result. The chunk's size bounds the size of the compressed object, so
 * that a bad object cannot make the reader allocate too much.
 */
#include "chunk/chunk_load.h"
#include "chunk/chunk_block.h"
#include "chunk/chunk_ours.h"
#include "chunk/chunk_narrow.h"

#include <string.h>

/* Codecs add little, but some store wider types. */
size_t
ncz_chunk_stored_most(const ncz_chunk_request *c)
{
    size_t most = c->spec->chunk_bytes, limit = c->engine->limits.object_bytes;

    if (!ncz_mul(most, 16, &most) || !ncz_add(most, (size_t)1 << 20, &most) || most > limit ||
        ncz_chunk_is_vlen(c->spec))
        return limit;
    return most;
}

/* The bytes that the cache must free for this chunk or, while a batch is prepared, for all of it so far. */
static size_t
room_needed(ncz_chunk_request *c, const ncz_chunk_task *j, bool preparing)
{
    size_t nbytes = c->spec->chunk_bytes;

    if (!j->keep || c->writing)
        return 0;
    return preparing ? c->coming += nbytes : nbytes;
}

int
ncz_chunk_choose_target(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    size_t nbytes = c->spec->chunk_bytes;

    if (j->direct && !c->writing) {
        j->data = ncz_chunk_request_dest(c, j);
    } else if (!j->keep && scratch != NULL) {
        j->data = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, nbytes);
    } else {
        if (j->room == NULL)
            j->room = ncz_chunk_room_take(c->engine, nbytes, room_needed(c, j, scratch == NULL));
        j->data = j->room;
    }
    return j->data != NULL ? NC_NOERR : NC_ENOMEM;
}

/* What an element has that is missing at the end of a chunk. */
static void
fill_missing(const ncz_spec *spec, ncz_chunk_tail tail, char *from, size_t nbytes)
{
    size_t size = spec->dtype.size;

    if (tail == NCZ_TAIL_ZEROS)
        memset(from, 0, nbytes);
    else
        ncz_fill_elems(from, nbytes / size, spec->fill, size);
}

/* A chunk without codecs that has `n` bytes, in their place. */
static int
check_plain(ncz_chunk_request *c, const ncz_chunk_task *j, const char *key, size_t n)
{
    const ncz_spec *spec = c->spec;
    size_t          size = spec->dtype.size;

    if (n == spec->chunk_bytes)
        return NC_NOERR;
    if (j->tail == NCZ_TAIL_NONE || n > spec->chunk_bytes || (j->tail == NCZ_TAIL_FILL && n % size != 0))
        return ncz_chunk_spread_narrow(c->engine, spec, key, n, j->data);
    fill_missing(spec, j->tail, j->data + n, spec->chunk_bytes - n);
    return NC_NOERR;
}

/* A chunk whose rows lie apart, without codecs. */
static int
gather_rows(ncz_chunk_request *c, ncz_chunk_task *j, const char *key, const char *body, size_t len,
            ncz_scratch *scratch)
{
    const ncz_spec *spec = c->spec;
    size_t          at = 0, part = 0;
    int             rc;

    if ((rc = ncz_chunk_choose_target(c, j, scratch)) != NC_NOERR)
        return rc;
    for (size_t from = 0; from < len && at < spec->chunk_bytes; from += j->pitch, at += part) {
        part = len - from < j->row ? len - from : j->row;
        part = part < spec->chunk_bytes - at ? part : spec->chunk_bytes - at;
        memcpy(j->data + at, body + from, part);
    }
    return check_plain(c, j, key, at);
}

static int
decode_body(ncz_chunk_request *c, ncz_chunk_task *j, const zmap_get_req *req, const void *body, size_t len,
            ncz_scratch *scratch)
{
    size_t nbytes = c->spec->chunk_bytes;
    bool   in_parts = j->how == NCZ_CHUNK_TASK_RANGES && !j->all;
    bool   one_range = in_parts && !c->workers; /* workers read each range apart */
    int    rc;

    if (req->err.code == NC_EEMPTY && c->spec->layout->ops->complete)
        return ncz_fail(NC_ENOOBJECT, "%s: is missing, and has the data of %s", req->key, c->spec->path);
    if (req->err.code == NC_EEMPTY) {
        j->absent = true;
        return NC_NOERR;
    }
    if (j->chunk != NULL && ncz_chunk_is_shared(c->engine, c->spec))
        ncz_chunk_set_version(j->chunk, req->version);
    if (req->err.code == NC_EINVAL && one_range)
        return ncz_fail(NC_ETRUNC, "%s, but its chunk has %zu", req->err.text, nbytes);
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    if (j->pitch != 0)
        return gather_rows(c, j, req->key, body, len, scratch);
    if (j->chain == NULL) {
        if (one_range && req->nread != req->len)
            return ncz_fail(NC_ETRUNC, "%s: %zu bytes, but its chunk has %zu", req->key, req->nread, nbytes);
        return one_range ? NC_NOERR : check_plain(c, j, req->key, req->nread);
    }
    if (ncz_chunk_is_vlen(c->spec)) {
        rc = ncz_chunk_decode_vlen(c, j, body, len, scratch);
        return rc == NC_NOERR ? rc : ncz_chunk_fail_key(req->key, rc);
    }
    if ((rc = ncz_chunk_choose_target(c, j, scratch)) != NC_NOERR)
        return rc;
    if (in_parts) {
        ncz_byte_range part;

        ncz_chunk_byte_range(c, j, &part);
        rc = ncz_chain_decode_part(j->chain, scratch, body, len, j->data, nbytes, false, &part);
    } else {
        rc = ncz_chain_decode(j->chain, scratch, body, len, j->data, nbytes, false);
        if (rc == NC_EFILTER && j->chain == c->spec->chain)
            rc = ncz_chunk_decode_narrow(c->engine, c->spec, req->key, scratch, body, len, j->data);
    }
    return rc == NC_NOERR ? rc : ncz_chunk_fail_key(req->key, rc);
}

/* A chunk of an array that is in one object with others has no key: it is named by its place in the grid, and in the
 * object. */
static int
fail_place(const ncz_chunk_request *c, const ncz_chunk_task *j, const zmap_get_req *req, int rc)
{
    ncz_buf     text = NCZ_BUF_INIT;
    const char *why;
    ncz_err     err;
    int         printed = NC_NOERR;

    ncz_err_save(&err, rc);
    why = strncmp(err.text, ": ", 2) == 0 ? err.text + 2 : err.text;
    for (size_t d = 0; d < c->spec->rank && printed == NC_NOERR; d++)
        printed = ncz_buf_printf(&text, "%s%llu", d == 0 ? " " : ",", (unsigned long long)j->piece.index[d]);
    if (printed == NC_NOERR && req->off > 0)
        printed = ncz_buf_printf(&text, " at address %llu", (unsigned long long)req->off);
    rc = printed == NC_NOERR ? ncz_fail(rc, "/%s: chunk%s: %s", c->spec->path, ncz_buf_str(&text), why) : printed;
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_chunk_decode(ncz_chunk_request *c, ncz_chunk_task *j, const zmap_get_req *req, const void *body, size_t len,
                 ncz_scratch *scratch)
{
    bool    logged = ncz_log_on(NCZ_LOG_CHUNK);
    int64_t begun = logged ? ncz_now_ns() : 0;
    int     rc = decode_body(c, j, req, body, len, scratch);

    if (rc == NC_NOERR && j->extent != NULL && !j->absent && !ncz_chunk_is_vlen(c->spec))
        rc = ncz_fill_edge(&c->move, c->spec->rank, j->extent, j->piece.index, j->beyond, j->data);
    if ((rc == NC_EFILTER || rc == NC_ETRUNC) && req->key[0] == '\0')
        rc = fail_place(c, j, req, rc);
    if (logged && rc == NC_NOERR)
        ncz_chunk_log(c->spec, j->piece.index, j->absent ? "absent: it reads as fill" : "read", req->nread,
                      j->absent ? 0 : c->spec->chunk_bytes, begun);
    return rc;
}

/* Where a layout has the place from a file, that may be damaged. */
static int
check_place(const ncz_chunk_request *c, const ncz_chunk_addr *where)
{
    uint64_t end;

    if (where->length == ZMAP_WHOLE)
        return NC_NOERR;
    if (!ncz_add64(where->offset, where->length, &end))
        return ncz_fail(NC_EFILTER, "%s: it has no %llu bytes at offset %llu", where->key,
                        (unsigned long long)where->length, (unsigned long long)where->offset);
    if (where->chain == NULL && where->pitch == 0 && where->length > c->spec->chunk_bytes)
        return ncz_fail(NC_ETRUNC, "%s: %llu bytes, but its chunk has %zu", where->key,
                        (unsigned long long)where->length, c->spec->chunk_bytes);
    return NC_NOERR;
}

int
ncz_chunk_locate_task(const ncz_chunk_request *c, ncz_chunk_task *j, ncz_buf *key, ncz_chunk_addr *where)
{
    int rc = ncz_spec_locate(c->spec, j->piece.index, key, where);

    j->chain = where->chain;
    j->tail = where->tail;
    j->row = where->row;
    j->pitch = where->pitch;
    j->extent = where->extent;
    j->beyond = where->beyond;
    j->all = where->bytes != NULL || where->tail != NCZ_TAIL_NONE || where->pitch != 0 ||
             where->chain != c->spec->chain || where->extent != NULL;
    if (rc == NC_NOERR && where->lost != NULL)
        return ncz_fail(where->code, "%s", where->lost);
    if (rc != NC_NOERR || where->slot == NCZ_NO_SLOT)
        return rc != NC_NOERR ? rc : check_place(c, where);
    if (j->object == NULL && (rc = ncz_chunk_object_reload(c->engine, c->spec, j)) != NC_NOERR)
        return rc;
    rc = ncz_chunk_slot_range(c->spec, j, where);
    j->absent = rc == NC_EEMPTY;
    if (rc == NC_NOERR)
        rc = check_place(c, where);
    return j->absent ? NC_NOERR : rc;
}

int
ncz_chunk_take_bytes(ncz_chunk_request *c, ncz_chunk_task *j, const char *key, const void *bytes, size_t n,
                     ncz_scratch *scratch)
{
    zmap_get_req req = {.key = key != NULL ? key : c->spec->path, .nread = n};
    int          rc;

    if (ncz_chunk_is_plain(j)) {
        if ((rc = ncz_chunk_choose_target(c, j, scratch)) != NC_NOERR)
            return rc;
        memcpy(j->data, bytes, n < c->spec->chunk_bytes ? n : c->spec->chunk_bytes);
    }
    return ncz_chunk_decode(c, j, &req, bytes, n, scratch);
}

/* ---- one chunk, on this thread ---- */

/* Loads a chunk whose rows lie apart. The rows of other arrays lie between them and are read with it, for later calls.
 * Returns false if the bytes cannot be read. */
static bool
load_from_block(ncz_chunk_request *c, ncz_chunk_task *j, const ncz_chunk_addr *where, ncz_scratch *scratch, int *rc)
{
    zmap_get_req          req = {.key = where->key, .nread = (size_t)where->length};
    ncz_chunk_block_state seen;
    ncz_chunk_block      *b = ncz_chunk_block_find(c->engine, where, 0, &seen);

    if (b == NULL) /* a row of each other array may end behind the last one */
        b = ncz_chunk_block_read(c->engine, where, where->length + where->pitch, &seen);
    if (b == NULL) {
        ncz_err_clear();
        return false;
    }
    *rc = ncz_chunk_decode(c, j, &req, ncz_chunk_block_bytes(b, where), (size_t)where->length, scratch);
    ncz_chunk_block_give(c->engine, b);
    return true;
}

static int
load_chunk(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    ncz_buf       *key = ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0);
    ncz_buf       *body = &scratch->bufs[NCZ_SCRATCH_STORED];
    zmap_get_req   req;
    ncz_chunk_addr where;
    int            rc;

    if (c->spec->chunk_bytes == 0) { /* elements have no bytes, so nothing is stored */
        j->absent = true;
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_locate_task(c, j, key, &where)) != NC_NOERR || j->absent)
        return rc;
    if (where.bytes != NULL)
        return ncz_chunk_take_bytes(c, j, where.key, where.bytes, (size_t)where.length, scratch);
    if (where.pitch != 0 && ncz_chunk_has_blocks(c->engine) && load_from_block(c, j, &where, scratch, &rc))
        return rc;
    req = (zmap_get_req){.key = where.key, .off = where.offset, .len = where.length};
    ncz_chunk_ask_version(c, j, &req);
    if (ncz_chunk_is_plain(j)) {
        if ((rc = ncz_chunk_choose_target(c, j, scratch)) != NC_NOERR)
            return rc;
        req.into = j->data;
        req.into_cap = c->spec->chunk_bytes;
    } else {
        req.body = *ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, ncz_chunk_stored_most(c));
    }
    (void)zmap_get_batch(c->engine->map, &req, 1, NULL, NULL);
    if (!ncz_chunk_is_plain(j))
        *body = req.body;
    if (j->object != NULL && !ncz_chunk_object_current(c->engine, j, &req))
        return ncz_chunk_load_again(c, j, scratch);
    return ncz_chunk_decode(c, j, &req, ncz_buf_str(body), body->len, scratch);
}

int
ncz_chunk_load_again(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    int rc = ncz_chunk_object_reload(c->engine, c->spec, j);

    return rc != NC_NOERR ? rc : load_chunk(c, j, scratch);
}

/* ---- a staged chunk ---- */

/* The bytes of a staged chunk, in memory or read from a file. */
static int
read_part(const ncz_chunk_request *c, const ncz_chunk_part *part, ncz_scratch *scratch, const char **out)
{
    char *room;

    *out = part->data;
    if (!ncz_chunk_part_spilled(part))
        return NC_NOERR;
    if ((room = ncz_scratch_room(scratch, NCZ_SCRATCH_STORED, part->nbytes)) == NULL)
        return NC_ENOMEM;
    *out = room;
    if (part->draft != NULL)
        return ncz_chunk_draft_read(part, room);
    return ncz_chunk_spill_read(&c->engine->staging.spill, room, part->nbytes, part->spilled);
}

static int
load_staged(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    const ncz_chunk_part *part = j->part;
    const char           *bytes;
    int                   rc;

    if ((j->absent = part->gone))
        return NC_NOERR;
    if ((rc = read_part(c, part, scratch, &bytes)) != NC_NOERR)
        return rc;
    j->chain = c->spec->chain;
    j->tail = NCZ_TAIL_NONE;
    j->row = j->pitch = 0;
    j->all = false;
    return ncz_chunk_take_bytes(c, j, NULL, bytes, part->nbytes, scratch);
}

void
ncz_chunk_load_one(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    j->absent = false;
    j->data = NULL;
    j->rc = j->part != NULL ? load_staged(c, j, scratch) : load_chunk(c, j, scratch);
    ncz_chunk_task_drop_part(c, j);
    ncz_chunk_request_fail(c, j, j->rc);
}

void
ncz_chunk_load_ranges(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    bool whole = c->spec->chain != NULL;

    j->keep = false; /* the chunk is not claimed */
    j->absent = false;
    j->data = NULL;
    j->rc = whole ? NC_NOERR : ncz_chunk_get_ranges(c, j, scratch, &whole);
    if (whole)
        ncz_chunk_load_one(c, j, scratch);
    else
        ncz_chunk_request_fail(c, j, j->rc);
}
