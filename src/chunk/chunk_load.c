/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_load: fetches a chunk and decodes it, on a worker's own thread. chunk_load_batch.c fetches many with one batch
 * of requests.
 *
 * An object must decode to exactly the chunk's size; anything else is an error that names the key. Nothing checks for
 * existence first: an absent object is a valid result. The chunk's size bounds the size of the compressed object, so
 * that a bad object cannot make the reader allocate too much.
 */
#include "cells/cells_cache.h"
#include "cells/cells_short_strings.h"
#include "cells/cells_written.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_indexes.h"
#include "chunk/chunk_load.h"
#include "chunk/chunk_read_window.h"
#include "object/object_draft.h"
#include "object/object_requests.h"
#include "object/object_spill.h"
#include "object/object_staged_chunk.h"

#include <string.h>

/* Codecs add little, but some store wider types. */
size_t
ncz_chunk_stored_most(const ncz_chunk_request *req)
{
    size_t most = req->spec->chunk_bytes, limit = req->engine->objects.limits.object_bytes;

    if (!ncz_mul(most, 16, &most) || !ncz_add(most, (size_t)1 << 20, &most) || most > limit ||
        ncz_cell_is_vlen(req->spec))
        return limit;
    return most;
}

/* The bytes that the cache must free for this chunk or, while a batch is prepared, for all of it so far. */
static size_t
room_needed(ncz_chunk_request *req, const ncz_chunk_task *task, bool preparing)
{
    size_t nbytes = req->spec->chunk_bytes;

    if (!task->keep || req->writing)
        return 0;
    return preparing ? req->coming += nbytes : nbytes;
}

int
ncz_chunk_choose_target(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    size_t nbytes = req->spec->chunk_bytes;

    if (task->direct && !req->writing) {
        task->data = ncz_chunk_request_dest(req, task);
    } else if (!task->keep && scratch != NULL) {
        task->data = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, nbytes);
    } else {
        if (task->room == NULL)
            task->room = ncz_cells_room_take(&req->engine->cells, nbytes, room_needed(req, task, scratch == NULL));
        task->data = task->room;
    }
    return task->data != NULL ? NC_NOERR : NC_ENOMEM;
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
check_plain(ncz_chunk_request *req, const ncz_chunk_task *task, const char *key, size_t n)
{
    const ncz_spec *spec = req->spec;
    size_t          size = spec->dtype.size;

    if (n == spec->chunk_bytes)
        return NC_NOERR;
    if (task->tail == NCZ_TAIL_NONE || n > spec->chunk_bytes || (task->tail == NCZ_TAIL_FILL && n % size != 0))
        return ncz_cells_spread_short(&req->engine->cells, spec, key, n, task->data);
    fill_missing(spec, task->tail, task->data + n, spec->chunk_bytes - n);
    return NC_NOERR;
}

/* A chunk whose rows lie apart, without codecs. */
static int
gather_rows(ncz_chunk_request *req, ncz_chunk_task *task, const char *key, const char *body, size_t len,
            ncz_scratch *scratch)
{
    const ncz_spec *spec = req->spec;
    size_t          at = 0, part = 0;
    int             rc;

    if ((rc = ncz_chunk_choose_target(req, task, scratch)) != NC_NOERR)
        return rc;
    for (size_t from = 0; from < len && at < spec->chunk_bytes; from += task->pitch, at += part) {
        part = len - from < task->row ? len - from : task->row;
        part = part < spec->chunk_bytes - at ? part : spec->chunk_bytes - at;
        memcpy(task->data + at, body + from, part);
    }
    return check_plain(req, task, key, at);
}

static int
decode_body(ncz_chunk_request *req, ncz_chunk_task *task, const zmap_get_req *get, const void *body, size_t len,
            ncz_scratch *scratch)
{
    size_t nbytes = req->spec->chunk_bytes;
    bool   in_parts = task->state == NCZ_CHUNK_TASK_RANGES && !task->all;
    bool   one_range = in_parts && !req->workers; /* workers read each range apart */
    int    rc;

    if (get->err.code == NC_EEMPTY && req->spec->layout->ops->complete)
        return ncz_fail(NC_ENOOBJECT, "%s: is missing, and has the data of %s", get->key, req->spec->path);
    if (get->err.code == NC_EEMPTY) {
        task->absent = true;
        return NC_NOERR;
    }
    if (task->chunk != NULL && ncz_cells_are_shared(&req->engine->cells, req->spec))
        ncz_cell_set_version(task->chunk, get->version);
    if (get->err.code == NC_EINVAL && one_range)
        return ncz_fail(NC_ETRUNC, "%s, but its chunk has %zu", get->err.text, nbytes);
    if (get->err.code == NC_EINVAL && req->spec->layout->ops->complete) /* a file that was cut since it was opened */
        return ncz_fail(NC_ETRUNC, "%s", get->err.text);
    if (get->err.code != NC_NOERR)
        return ncz_err_adopt(&get->err);
    if (task->pitch != 0)
        return gather_rows(req, task, get->key, body, len, scratch);
    if (task->chain == NULL) {
        if (one_range && get->nread != get->len)
            return ncz_fail(NC_ETRUNC, "%s: %zu bytes, but its chunk has %zu", get->key, get->nread, nbytes);
        return one_range ? NC_NOERR : check_plain(req, task, get->key, get->nread);
    }
    if (ncz_cell_is_vlen(req->spec)) {
        rc = ncz_chunk_decode_vlen(req, task, body, len, scratch);
        return rc == NC_NOERR ? rc : ncz_object_fail_key(get->key, rc);
    }
    if ((rc = ncz_chunk_choose_target(req, task, scratch)) != NC_NOERR)
        return rc;
    if (in_parts) {
        ncz_byte_range part;

        ncz_chunk_byte_range(req, task, &part);
        rc = ncz_chain_decode_part(task->chain, scratch, body, len, task->data, nbytes, false, &part);
    } else {
        rc = ncz_chain_decode(task->chain, scratch, body, len, task->data, nbytes, false);
        if (rc == NC_EFILTER && task->chain == req->spec->chain)
            rc = ncz_cells_decode_short(&req->engine->cells, req->spec, get->key, scratch, body, len, task->data);
    }
    return rc == NC_NOERR ? rc : ncz_object_fail_key(get->key, rc);
}

/* A chunk of an array that is in one object with others has no key: it is named by its place in the grid, and in the
 * object. */
static int
fail_place(const ncz_chunk_request *req, const ncz_chunk_task *task, const zmap_get_req *get, int rc)
{
    ncz_buf     text = NCZ_BUF_INIT;
    const char *why;
    ncz_err     err;
    int         printed = NC_NOERR;

    ncz_err_save(&err, rc);
    why = strncmp(err.text, ": ", 2) == 0 ? err.text + 2 : err.text;
    for (size_t d = 0; d < req->spec->rank && printed == NC_NOERR; d++)
        printed = ncz_buf_printf(&text, "%s%llu", d == 0 ? " " : ",", (unsigned long long)task->piece.index[d]);
    if (printed == NC_NOERR && get->off > 0)
        printed = ncz_buf_printf(&text, " at address %llu", (unsigned long long)get->off);
    rc = printed == NC_NOERR ? ncz_fail(rc, "/%s: chunk%s: %s", req->spec->path, ncz_buf_str(&text), why) : printed;
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_chunk_decode(ncz_chunk_request *req, ncz_chunk_task *task, const zmap_get_req *get, const void *body, size_t len,
                 ncz_scratch *scratch)
{
    bool    logged = ncz_log_on(NCZ_LOG_CHUNK);
    int64_t begun = logged ? ncz_now_ns() : 0;
    int     rc = decode_body(req, task, get, body, len, scratch);

    if (rc == NC_NOERR && task->extent != NULL && !task->absent && !ncz_cell_is_vlen(req->spec))
        rc = ncz_fill_edge(&req->move, req->spec->rank, task->extent, task->piece.index, task->beyond, task->data);
    if ((rc == NC_EFILTER || rc == NC_ETRUNC) && get->key[0] == '\0')
        rc = fail_place(req, task, get, rc);
    if (logged && rc == NC_NOERR)
        ncz_cell_log(req->spec, task->piece.index, task->absent ? "absent: it reads as fill" : "read", get->nread,
                     task->absent ? 0 : req->spec->chunk_bytes, begun);
    return rc;
}

/* Where a layout has the place from a file, that may be damaged. */
static int
check_place(const ncz_chunk_request *req, const ncz_chunk_addr *where)
{
    uint64_t end;

    if (where->length == ZMAP_WHOLE)
        return NC_NOERR;
    if (!ncz_add64(where->offset, where->length, &end))
        return ncz_fail(NC_EFILTER, "%s: it has no %llu bytes at offset %llu", where->key,
                        (unsigned long long)where->length, (unsigned long long)where->offset);
    if (where->chain == NULL && where->pitch == 0 && where->length > req->spec->chunk_bytes)
        return ncz_fail(NC_ETRUNC, "%s: %llu bytes, but its chunk has %zu", where->key,
                        (unsigned long long)where->length, req->spec->chunk_bytes);
    return NC_NOERR;
}

int
ncz_chunk_locate_task(const ncz_chunk_request *req, ncz_chunk_task *task, ncz_buf *key, ncz_chunk_addr *where)
{
    int rc = ncz_spec_locate(req->spec, task->piece.index, key, where);

    task->chain = where->chain;
    task->tail = where->tail;
    task->row = where->row;
    task->pitch = where->pitch;
    task->extent = where->extent;
    task->beyond = where->beyond;
    task->all = where->bytes != NULL || where->tail != NCZ_TAIL_NONE || where->pitch != 0 ||
                where->chain != req->spec->chain || where->extent != NULL;
    if (rc == NC_NOERR && where->lost != NULL)
        return ncz_fail(where->code, "%s", where->lost);
    if (rc != NC_NOERR || where->slot == NCZ_NO_SLOT)
        return rc != NC_NOERR ? rc : check_place(req, where);
    if (task->object == NULL && (rc = ncz_chunk_index_reload(req->engine, req->spec, task)) != NC_NOERR)
        return rc;
    rc = ncz_chunk_slot_range(req->spec, task, where);
    task->absent = rc == NC_EEMPTY;
    if (rc == NC_NOERR)
        rc = check_place(req, where);
    return task->absent ? NC_NOERR : rc;
}

int
ncz_chunk_take_bytes(ncz_chunk_request *req, ncz_chunk_task *task, const char *key, const void *bytes, size_t n,
                     ncz_scratch *scratch)
{
    zmap_get_req get = {.key = key != NULL ? key : req->spec->path, .nread = n};
    int          rc;

    if (ncz_chunk_is_plain(task)) {
        if ((rc = ncz_chunk_choose_target(req, task, scratch)) != NC_NOERR)
            return rc;
        memcpy(task->data, bytes, n < req->spec->chunk_bytes ? n : req->spec->chunk_bytes);
    }
    return ncz_chunk_decode(req, task, &get, bytes, n, scratch);
}

/* ---- one chunk, on this thread ---- */

/* Loads a chunk whose rows lie apart. The rows of other arrays lie between them and are read with it, for later calls.
 * Returns false if the bytes cannot be read. */
static bool
load_from_window(ncz_chunk_request *req, ncz_chunk_task *task, const ncz_chunk_addr *where, ncz_scratch *scratch,
                 int *rc)
{
    zmap_get_req               get = {.key = where->key, .nread = (size_t)where->length};
    ncz_chunk_read_window_seen seen;
    ncz_chunk_read_window     *w = ncz_chunk_read_window_find(req->engine, where, 0, &seen);

    if (w == NULL) /* a row of each other array may end behind the last one */
        w = ncz_chunk_read_window_read(req->engine, where, where->length + where->pitch, &seen);
    if (w == NULL) {
        ncz_err_clear();
        return false;
    }
    *rc = ncz_chunk_decode(req, task, &get, ncz_chunk_read_window_bytes(w, where), (size_t)where->length, scratch);
    ncz_chunk_read_window_give(req->engine, w);
    return true;
}

static int
load_chunk(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    ncz_buf       *key = ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0);
    ncz_buf       *body = &scratch->bufs[NCZ_SCRATCH_STORED];
    zmap_get_req   get;
    ncz_chunk_addr where;
    int            rc;

    if (req->spec->chunk_bytes == 0) { /* elements have no bytes, so nothing is stored */
        task->absent = true;
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_locate_task(req, task, key, &where)) != NC_NOERR || task->absent)
        return rc;
    if (where.bytes != NULL)
        return ncz_chunk_take_bytes(req, task, where.key, where.bytes, (size_t)where.length, scratch);
    if (where.pitch != 0 && ncz_chunk_has_read_window(req->engine) &&
        load_from_window(req, task, &where, scratch, &rc))
        return rc;
    get = (zmap_get_req){.key = where.key, .off = where.offset, .len = where.length};
    ncz_chunk_ask_version(req, task, &get);
    if (ncz_chunk_is_plain(task)) {
        if ((rc = ncz_chunk_choose_target(req, task, scratch)) != NC_NOERR)
            return rc;
        get.into = task->data;
        get.into_cap = req->spec->chunk_bytes;
    } else {
        get.body = *ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, ncz_chunk_stored_most(req));
    }
    (void)zmap_get_batch(req->engine->objects.map, &get, 1, NULL, NULL);
    if (!ncz_chunk_is_plain(task))
        *body = get.body;
    if (task->object != NULL && !ncz_chunk_index_is_current(req->engine, task, &get))
        return ncz_chunk_load_again(req, task, scratch);
    return ncz_chunk_decode(req, task, &get, ncz_buf_str(body), body->len, scratch);
}

int
ncz_chunk_load_again(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    int rc = ncz_chunk_index_reload(req->engine, req->spec, task);

    return rc != NC_NOERR ? rc : load_chunk(req, task, scratch);
}

/* ---- a staged chunk ---- */

/* The bytes of a staged chunk, in memory or read from a file. */
static int
read_staged(const ncz_chunk_request *req, const ncz_staged_chunk *staged, ncz_scratch *scratch, const char **out)
{
    char *room;

    *out = staged->data;
    if (!ncz_object_staged_is_spilled(staged))
        return NC_NOERR;
    if ((room = ncz_scratch_room(scratch, NCZ_SCRATCH_STORED, staged->nbytes)) == NULL)
        return NC_ENOMEM;
    *out = room;
    if (staged->draft != NULL)
        return ncz_object_draft_read(staged, room);
    return ncz_object_spill_read(&req->engine->objects.staging.spill, room, staged->nbytes, staged->spilled);
}

static int
load_staged(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    const ncz_staged_chunk *staged = task->staged;
    const char             *bytes;
    int                     rc;

    if ((task->absent = staged->gone))
        return NC_NOERR;
    if ((rc = read_staged(req, staged, scratch, &bytes)) != NC_NOERR)
        return rc;
    task->chain = req->spec->chain;
    task->tail = NCZ_TAIL_NONE;
    task->row = task->pitch = 0;
    task->all = false;
    return ncz_chunk_take_bytes(req, task, NULL, bytes, staged->nbytes, scratch);
}

void
ncz_chunk_load_one(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    task->absent = false;
    task->data = NULL;
    task->rc = task->staged != NULL ? load_staged(req, task, scratch) : load_chunk(req, task, scratch);
    ncz_chunk_task_drop_staged(req, task);
    ncz_chunk_request_fail(req, task, task->rc);
}

void
ncz_chunk_load_ranges(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    bool whole = req->spec->chain != NULL;

    task->keep = false; /* the chunk is not claimed */
    task->absent = false;
    task->data = NULL;
    task->rc = whole ? NC_NOERR : ncz_chunk_get_ranges(req, task, scratch, &whole);
    if (whole)
        ncz_chunk_load_one(req, task, scratch);
    else
        ncz_chunk_request_fail(req, task, task->rc);
}
