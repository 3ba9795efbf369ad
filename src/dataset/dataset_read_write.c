/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_read_write: get and put of one selection, growth of unlimited dimensions, and the cache size. Under the
 * dataset's lock: shared, or exclusive if a put changes more than chunks.
 */
#include "dataset/file/dataset_file.h"
#include "dataset/par/dataset_par.h"

#include <string.h>

/* One past the last index that a selection touches in dimension `d`. */
static uint64_t
end_of(const ncz_select *sel, size_t d)
{
    return sel->count[d] == 0 ? 0 : sel->start[d] + (sel->count[d] - 1) * sel->stride[d] + 1;
}

static bool
is_empty(const ncz_select *sel)
{
    for (size_t d = 0; d < sel->rank; d++)
        if (sel->count[d] == 0)
            return true;
    return false;
}

/* With NC_SHARE the puts of a dataset that is one file are there for others at once. */
static bool
shares_puts(const ncz_dataset *ds)
{
    return (ds->mode & NC_SHARE) != 0 && ds->par.comm == NULL && ncz_file_ops_of(ds) != NULL;
}

bool
ncz_dataset_put_alone(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel)
{
    if (ncz_dataset_collective(ds, v))
        return true;
    if (sel == NULL)
        return false;
    if (ds->defining || v->stage != NCZ_VAR_WRITTEN || shares_puts(ds))
        return true;
    for (size_t d = 0; d < v->rank; d++)
        if (end_of(sel, d) > v->dims[d]->len)
            return !is_empty(sel);
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
    if (ds->par.comm == NULL && next != left)
        atomic_store_explicit(&ds->appends, next, memory_order_relaxed);
}

bool
ncz_dataset_parallel(const ncz_dataset *ds)
{
    return ds->par.comm != NULL;
}

bool
ncz_dataset_collective(const ncz_dataset *ds, const ncz_var *v)
{
    if (ds->par.comm == NULL)
        return false;
    return v->access == NCZ_ACCESS_DEFAULT ? ds->par.collective : v->access == NCZ_ACCESS_COLLECTIVE;
}

int
ncz_dataset_set_collective(ncz_dataset *ds, ncz_var *v, bool yes)
{
    if (ds->par.comm == NULL)
        return ncz_fail(NC_ENOPAR, "%s was not opened by nczarr_create_par() or nczarr_open_par()", ds->path);
    if (v != NULL) {
        v->access = yes ? NCZ_ACCESS_COLLECTIVE : NCZ_ACCESS_INDEPENDENT;
        return NC_NOERR;
    }
    ds->par.collective = yes;
    for (ncz_var *each = ncz_model_next_var(ds->model, NULL); each != NULL;
         each = ncz_model_next_var(ds->model, each))
        each->access = NCZ_ACCESS_DEFAULT;
    return NC_NOERR;
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
plan_get(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, const ncz_type *mem, ncz_dims *shape,
         ncz_plan *out)
{
    int rc;

    shape->v = NULL;
    if (ds->classic && ds->defining)
        return ncz_fail(NC_EINDEFINE, "%s is in define mode (classic model)", ds->path);
    if ((rc = check_usable(v)) != NC_NOERR || (rc = ncz_dims_init(shape, v->rank)) != NC_NOERR)
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
    int      rc = plan_get(ds, v, sel, mem, &shape, &plan);

    if (rc == NC_NOERR && !is_empty(sel))
        rc = ncz_engine_read(ds->engine, &plan, out);
    ncz_dims_clear(&shape);
    return rc;
}

int
ncz_dataset_prefetch(ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, const ncz_type *mem)
{
    ncz_dims shape;
    ncz_plan plan;
    int      rc = plan_get(ds, v, sel, mem, &shape, &plan);

    if (rc == NC_NOERR && !is_empty(sel))
        rc = ncz_engine_prefetch(ds->engine, &plan);
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- put ---- */

/* Makes sure that the elements which the put makes reachable hold only fill. With several ranks, the collective put has
 * done so before (dataset_par.c). */
static int
clear_beyond(ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, const uint64_t *shape)
{
    int rc = NC_NOERR;

    if (ncz_file_ops_of(ds) != NULL && ds->par.comm == NULL) {
        if (v->rank == 0 || shape[0] <= v->dims[0]->len)
            return NC_NOERR;
        rc = ncz_engine_store_filled(ds->engine, v->dims[0]->len);
        return rc == NC_NOERR ? ncz_file_grow(ds, v, sel, shape[0]) : rc;
    }
    if (ds->par.comm != NULL)
        return NC_NOERR;
    for (size_t d = 0; rc == NC_NOERR && d < v->rank; d++)
        if (shape[d] > v->dims[d]->len)
            rc = ncz_dataset_clear_beyond(ds, v->dims[d]);
    return rc;
}

/* After a put that stored its data (`done`) records the new lengths. A failed put may have stored some data, which
 * must be cleared before the next growth. */
static void
grow_dims(ncz_dataset *ds, ncz_var *v, const uint64_t *shape, bool done)
{
    for (size_t d = 0; d < v->rank; d++) {
        if (shape[d] <= v->dims[d]->len)
            continue;
        if (done)
            ncz_model_grow_dim(ds->model, v->dims[d], shape[d]);
        else
            v->dims[d]->uncleared = true;
        if (!done)
            ds->filled = 0;
    }
}

/* Puts the selection into chunks; `shape` is the variable's afterwards. */
static int
write_chunks(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const uint64_t *shape, const ncz_type *mem,
             const void *in)
{
    ncz_plan plan = {.shape = shape, .sel = *sel, .mem = mem, .classic = ncz_dataset_lax_bytes(ds)};
    bool    *grows = NULL, some[NCZ_RANK_INLINE], stored;
    int      rc;

    if ((rc = clear_beyond(ds, v, sel, shape)) != NC_NOERR)
        return rc;
    if ((grows = v->rank <= NCZ_RANK_INLINE ? some : ncz_alloc_n(v->rank, sizeof *grows)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *grows);
    for (size_t d = 0; d < v->rank; d++)
        grows[d] = v->dims[d]->unlimited;
    plan.grows = grows;
    plan.spec = v->spec; /* clear_beyond() may have found wider strings */
    rc = v->quantize_mode == NC_NOQUANTIZE ? ncz_engine_write(ds->engine, &plan, in)
                                           : ncz_dataset_put_quantized(ds, v, &plan, in);
    if (grows != some)
        ncz_free(grows);
    stored = rc == NC_NOERR || rc == NC_ERANGE;
    if (stored && v->stage != NCZ_VAR_WRITTEN) /* other threads may read it: written only by an exclusive put */
        v->stage = NCZ_VAR_WRITTEN;
    return rc;
}

/* A put that all ranks make; the selection may be empty. */
static int
put_on_all(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, uint64_t *shape, const ncz_type *mem, const void *in)
{
    int rc = ncz_par_begin_put(ds, v, shape, NC_NOERR);

    if (rc != NC_NOERR)
        return rc;
    if (ncz_par_exchanges(ds, v))
        return ncz_par_put(ds, v, sel, shape, mem, in, write_chunks);
    if (!is_empty(sel))
        rc = write_chunks(ds, v, sel, shape, mem, in);
    return ncz_par_follow_widths(ds, v, ncz_par_end_put(ds, v, rc));
}

/* With several ranks, a put by one of them extends nothing but the records of a file. */
static int
begin_independent(ncz_dataset *ds, ncz_var *v, const uint64_t *shape)
{
    if (ds->par.comm == NULL)
        return NC_NOERR;
    atomic_store(&v->independent, true);
    if (ncz_file_ops_of(ds) != NULL)
        return ncz_par_file_grow_alone(ds, v, shape);
    for (size_t d = 0; d < v->rank; d++)
        if (shape[d] > v->dims[d]->len)
            return ncz_fail(NC_ECANTEXTEND,
                            "%s: an independent put cannot extend dimension %s beyond %llu; use collective access "
                            "(nc_var_par_access)",
                            v->name, v->dims[d]->name, (unsigned long long)v->dims[d]->len);
    return NC_NOERR;
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
    return ncz_dataset_collective(ds, v) ? ncz_par_begin_put(ds, v, NULL, rc) : rc;
}

int
ncz_dataset_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, const void *in)
{
    bool     collective = ncz_dataset_collective(ds, v), first = v->stage != NCZ_VAR_WRITTEN, stored, grew;
    ncz_dims shape;
    int      rc;

    if ((rc = check_usable(v)) != NC_NOERR || (is_empty(sel) && !collective) || (rc = check_regular(v)) != NC_NOERR ||
        (rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc != NC_NOERR ? ncz_dataset_put_failed(ds, v, rc) : rc;
    ncz_var_shape(v, shape.v);
    for (size_t d = 0; d < v->rank && !is_empty(sel); d++)
        if (end_of(sel, d) > shape.v[d])
            shape.v[d] = end_of(sel, d);

    if (collective)
        rc = put_on_all(ds, v, sel, shape.v, mem, in);
    else if ((rc = begin_independent(ds, v, shape.v)) == NC_NOERR)
        rc = write_chunks(ds, v, sel, shape.v, mem, in);
    stored = rc == NC_NOERR || rc == NC_ERANGE;
    grew = stored && v->rank > 0 && shape.v[0] > v->dims[0]->len;
    ncz_dataset_note_put(ds, grew || first);
    grow_dims(ds, v, shape.v, stored);
    if (stored && shares_puts(ds)) {
        int shown = grew ? ncz_file_publish(ds) : ncz_dataset_flush_chunks(ds, v->uid);

        rc = shown != NC_NOERR ? shown : rc;
    }
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
