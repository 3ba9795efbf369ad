/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_read_write: get and put of one selection, growth of unlimited dimensions, the cache size, and writing behind.
 * Under the dataset's lock: shared, or exclusive if a put changes more than chunks.
 */
#include "dataset/dataset_int.h"
#include "zmap/file/zmap_file.h"

#include <string.h>

/* One past the last index that a selection touches in dimension `d`. */
static uint64_t
end_of(const ncz_select *sel, size_t d)
{
    return sel->count[d] == 0 ? 0 : sel->start[d] + (sel->count[d] - 1) * sel->stride[d] + 1;
}

bool
ncz_dataset_put_alone(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel)
{
    if (ncz_session_puts_alone(ds->kind, ds, v))
        return true;
    if (sel == NULL)
        return false;
    if (ds->defining || v->stage != NCZ_VAR_WRITTEN)
        return true;
    for (size_t d = 0; d < v->rank; d++)
        if (end_of(sel, d) > v->dims[d]->len)
            return !ncz_select_is_empty(sel);
    return false;
}

bool
ncz_dataset_appends(const ncz_dataset *ds)
{
    return atomic_load_explicit(&ds->appends, memory_order_relaxed) > 0;
}

/* A program that appends puts to one variable after the other, and only the first makes the dimension longer. One that
 * fills a new file puts each variable for the first time. */
enum { APPENDS = 16 };

void
ncz_dataset_note_put(ncz_dataset *ds, bool alone)
{
    unsigned left = atomic_load_explicit(&ds->appends, memory_order_relaxed), next = left > 0 ? left - 1 : 0;

    if (alone)
        next = APPENDS;
    if (!ds->kind->ranks && next != left)
        atomic_store_explicit(&ds->appends, next, memory_order_relaxed);
}

/* The recorded error of an unusable variable. */
static int
check_usable(const ncz_var *v)
{
    return v->unusable->code == NC_NOERR ? NC_NOERR : ncz_err_adopt(v->unusable);
}

int
ncz_dataset_locate_chunk(ncz_dataset *ds, const ncz_var *v, const uint64_t *index, bool range, ncz_buf *key,
                         ncz_chunk_addr *where)
{
    return ncz_engine_locate(ds->engine, v->spec, index, range, key, where);
}

/* The plan of a get, whose `shape` the caller clears in any case. */
static int
plan_get(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, ncz_dims *shape, ncz_plan *out)
{
    int rc;

    shape->v = NULL;
    if (ds->classic && ds->defining)
        return ncz_fail(NC_EINDEFINE, "%s is in define mode (classic model)", ds->path);
    if ((rc = ncz_dataset_use_var(ds, v)) != NC_NOERR || (rc = check_usable(v)) != NC_NOERR ||
        (rc = ncz_dims_init(shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape->v);
    *out =
        (ncz_plan){.spec = v->spec, .shape = shape->v, .sel = *sel, .mem = mem, .classic = ncz_dataset_lax_bytes(ds)};
    return NC_NOERR;
}

int
ncz_dataset_get(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, void *out)
{
    ncz_dims shape;
    ncz_plan plan;
    int      rc;

    if (v->source != NULL)
        return ncz_select_is_empty(sel) ? NC_NOERR : v->source->get(v->source, sel, mem, out);
    rc = plan_get(ds, v, sel, mem, &shape, &plan);
    if (rc == NC_NOERR && !ncz_select_is_empty(sel))
        rc = ncz_engine_read(ds->engine, &plan, out);
    ncz_dims_clear(&shape);
    return rc;
}

int
ncz_dataset_prefetch(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem)
{
    ncz_dims shape;
    ncz_plan plan;
    int      rc;

    if (v->source != NULL) {
        if (!ncz_select_is_empty(sel))
            v->source->prefetch(v->source, sel);
        return NC_NOERR;
    }
    rc = plan_get(ds, v, sel, mem, &shape, &plan);
    if (rc == NC_NOERR && !ncz_select_is_empty(sel))
        rc = ncz_engine_prefetch(ds->engine, &plan);
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- put ---- */

void
ncz_dataset_record_lengths(ncz_dataset *ds, const ncz_put *p, bool done)
{
    for (size_t d = 0; d < p->v->rank; d++) {
        if (p->shape[d] <= p->v->dims[d]->len)
            continue;
        if (done)
            ncz_model_grow_dim(ds->model, p->v->dims[d], p->shape[d]);
        else
            p->v->dims[d]->uncleared = true;
        if (!done)
            ds->file.filled = 0;
    }
}

static int
clear_beyond(ncz_dataset *ds, const ncz_put *p)
{
    int rc = NC_NOERR;

    for (size_t d = 0; rc == NC_NOERR && d < p->v->rank; d++)
        if (p->shape[d] > p->v->dims[d]->len)
            rc = ds->kind->grow(ds, p->v->dims[d], p->shape[d], p);
    return rc;
}

int
ncz_dataset_put_chunks(ncz_dataset *ds, const ncz_put *p)
{
    ncz_var *v = p->v;
    ncz_plan plan = {.shape = p->shape, .mem = p->mem, .classic = ncz_dataset_lax_bytes(ds)};
    bool    *grows = NULL, some[NCZ_RANK_INLINE], stored;
    int      rc;

    if ((rc = p->rc) != NC_NOERR || (rc = clear_beyond(ds, p)) != NC_NOERR)
        return rc;
    plan.sel = *p->sel;
    if ((grows = v->rank <= NCZ_RANK_INLINE ? some : ncz_alloc_n(v->rank, sizeof *grows)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *grows);
    for (size_t d = 0; d < v->rank; d++)
        grows[d] = v->dims[d]->unlimited;
    plan.grows = grows;
    plan.spec = v->spec; /* clear_beyond() may have found wider strings */
    rc = v->quantize_mode == NC_NOQUANTIZE ? ncz_engine_write(ds->engine, &plan, p->in)
                                           : ncz_dataset_put_quantized(ds, v, &plan, p->in);
    if (grows != some)
        ncz_free(grows);
    stored = rc == NC_NOERR || rc == NC_ERANGE;
    if (stored && v->stage != NCZ_VAR_WRITTEN) /* other threads may read it: written only by an exclusive put */
        v->stage = NCZ_VAR_WRITTEN;
    return rc;
}

static int
check_regular(const ncz_var *v)
{
    if (!ncz_spec_differ(v->spec))
        return NC_NOERR;
    return ncz_fail(NC_ENOTBUILT,
                    "%s: its chunks differ in length (chunk grid \"rectilinear\"), which can be read, not written",
                    v->name);
}

int
ncz_dataset_put_failed(ncz_dataset *ds, ncz_var *v, int rc)
{
    return ds->kind->put(ds, &(ncz_put){.v = v, .rc = rc});
}

int
ncz_dataset_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, const void *in)
{
    bool     empty = ncz_select_is_empty(sel), first = v->stage != NCZ_VAR_WRITTEN, stored, grows;
    ncz_dims shape;
    ncz_put  p = {.v = v, .sel = sel, .mem = mem, .in = in};
    int      rc;

    if ((rc = check_usable(v)) != NC_NOERR || (empty && !ncz_session_puts_alone(ds->kind, ds, v)) ||
        (rc = check_regular(v)) != NC_NOERR || (rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc != NC_NOERR ? ncz_dataset_put_failed(ds, v, rc) : rc;
    ncz_var_shape(v, shape.v);
    for (size_t d = 0; d < v->rank && !empty; d++)
        if (end_of(sel, d) > shape.v[d])
            shape.v[d] = end_of(sel, d);
    p.shape = shape.v;
    grows = v->rank > 0 && shape.v[0] > v->dims[0]->len;
    rc = ds->kind->put(ds, &p);
    stored = rc == NC_NOERR || rc == NC_ERANGE;
    ncz_dataset_note_put(ds, (stored && grows) || first);
    ncz_dataset_record_lengths(ds, &p, stored);
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- cache ---- */

#define ASKED_MOST (UINT64_C(1) << 48) /* for one variable, so that the sum of many fits */

void
ncz_dataset_reserve_cache(ncz_dataset *ds, ncz_var *v, size_t nbytes)
{
    uint64_t limit = ds->limits.cache_bytes, asked = nbytes; /* of 64 bits, which are compared where a size has 32 */

    ds->cache_asked -= v->cache_asked;
    v->cache_bytes = nbytes;
    v->cache_asked = asked < ASKED_MOST ? asked : ASKED_MOST;
    ds->cache_asked += v->cache_asked;
    if (limit < ds->cache_asked)
        limit = ds->cache_asked;
    ncz_engine_set_limit(ds->engine, limit < SIZE_MAX ? (size_t)limit : SIZE_MAX);
}

/* ---- puts that do not wait for the store, and the data that wait ---- */

int
ncz_dataset_set_write(ncz_dataset *ds, bool behind, size_t nbytes)
{
    size_t most = nbytes != 0 ? nbytes : ncz_engine_limit(ds->engine);

    if (behind)
        ncz_log(NCZ_LOG_INFO, "%s: writes behind, up to %zu bytes wait", ds->path, most);
    zmap_file_write_early(ds->map, behind);
    return ncz_engine_write_behind(ds->engine, behind, most);
}

void
ncz_dataset_pending(ncz_dataset *ds, size_t *nbytes, size_t *nchunks)
{
    ncz_engine_pending(ds->engine, nbytes, nchunks);
}

int
ncz_dataset_begin_flush(ncz_dataset *ds)
{
    if (!ds->writable || (!ncz_dataset_has_followed(ds) && ncz_engine_begin_flush(ds->engine)))
        return NC_NOERR;
    return ncz_dataset_flush_chunks(ds, 0);
}

int
ncz_dataset_wait(ncz_dataset *ds)
{
    return ds->writable ? ncz_dataset_flush_chunks(ds, 0) : NC_NOERR;
}
