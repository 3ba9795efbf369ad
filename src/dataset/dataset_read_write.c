/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_read_write: get and put of one selection, growth of unlimited dimensions, and the cache size. Under the
 * dataset's lock: shared, or exclusive if a put changes more than chunks.
 */
#include "dataset/dataset_int.h"

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

bool
ncz_dataset_put_alone(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel)
{
    if (ds->defining || !v->written)
        return true;
    for (size_t d = 0; d < v->rank; d++)
        if (end_of(sel, d) > v->dims[d]->len)
            return !is_empty(sel);
    return false;
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
    int rc = ncz_dataset_check_regular(v, "so they have no places in a regular grid");

    if (rc != NC_NOERR)
        return rc;
    return range ? ncz_engine_locate(ds->engine, v->spec, index, key, where)
                 : v->spec->locate(v->spec, index, key, where);
}

int
ncz_dataset_get(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, void *out)
{
    ncz_dims shape;
    int      rc;

    if (ds->classic && ds->defining)
        return ncz_fail(NC_EINDEFINE, "%s is in define mode (classic model)", ds->path);
    if ((rc = check_usable(v)) != NC_NOERR || is_empty(sel))
        return rc;
    if (v->rectilinear != NULL)
        return ncz_dataset_get_rectilinear(ds, v, sel, mem, out);
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    rc = ncz_engine_read(
        ds->engine, &(ncz_plan){.spec = v->spec, .shape = shape.v, .sel = *sel, .mem = mem, .classic = ds->classic},
        out);
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- put ---- */

/* Makes sure that the elements which the put makes reachable hold only fill. */
static int
clear_beyond(ncz_dataset *ds, const ncz_var *v, const uint64_t *shape)
{
    int rc = NC_NOERR;

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
    }
}

int
ncz_dataset_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, const void *in)
{
    ncz_dims shape;
    ncz_plan plan;
    bool     stored;
    int      rc;

    if ((rc = check_usable(v)) != NC_NOERR || is_empty(sel) ||
        (rc = ncz_dataset_check_regular(v, "which can be read, not written")) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    for (size_t d = 0; d < v->rank; d++)
        if (end_of(sel, d) > shape.v[d])
            shape.v[d] = end_of(sel, d);

    plan = (ncz_plan){.spec = v->spec, .shape = shape.v, .sel = *sel, .mem = mem, .classic = ds->classic};
    if ((rc = clear_beyond(ds, v, shape.v)) != NC_NOERR)
        goto done;
    rc = v->quantize_mode == NC_NOQUANTIZE ? ncz_engine_write(ds->engine, &plan, in)
                                           : ncz_dataset_put_quantized(ds, v, &plan, in);
    stored = rc == NC_NOERR || rc == NC_ERANGE;
    grow_dims(ds, v, shape.v, stored);
    if (stored && !v->written) /* other threads may read it: written only by an exclusive put */
        v->written = true;
done:
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- cache ---- */

#define ASKED_MOST (UINT64_C(1) << 48) /* for one variable, so that the sum of many fits */

static uint64_t
asked_for(const ncz_var *v)
{
    uint64_t nbytes = v->cache_bytes;

    if (!v->cache_asked)
        return 0;
    return nbytes < ASKED_MOST ? nbytes : ASKED_MOST;
}

void
ncz_dataset_reserve_cache(ncz_dataset *ds, ncz_var *v, size_t nbytes)
{
    uint64_t limit = ds->limits.cache_bytes;

    ds->cache_asked -= asked_for(v);
    v->cache_bytes = nbytes;
    v->cache_asked = true;
    ds->cache_asked += asked_for(v);
    if (limit < ds->cache_asked)
        limit = ds->cache_asked;
    ncz_engine_set_limit(ds->engine, limit < SIZE_MAX ? (size_t)limit : SIZE_MAX);
}
