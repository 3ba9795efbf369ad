/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_grow: extends an unlimited dimension. The new elements must read as fill.
 *
 * A writer that dies after its chunks are stored, and before the documents record the new length, leaves elements
 * beyond that length: whole chunks, and the rest of the chunks in which the length ends. They are unreachable as long
 * as the length stays, but would reappear as data when a later writer grows past them. So before a dimension of an
 * existing dataset grows for the first time in a session, each variable that uses it is cleared beyond the length:
 *
 *   1 objects (chunks, or shards of several) entirely beyond it are deleted, found by listing the variable's keys
 *   2 in the objects in which it ends, the elements beyond it are set to fill, unless they are fill already
 *
 * Afterwards only a put that fails makes another clearing necessary. A dataset created by this session needs no
 * clearing. While other processes grow the dataset nothing is cleared: what lies there may be theirs
 * (dataset_growth.c). For a store that cannot list its keys, or does not permit it, step 1 is
 * skipped with a log line.
 *
 * Runs under the dataset's exclusive lock.
 */
#include "dataset/dataset_int.h"

#include <string.h>

#define SLAB_BYTES ((size_t)32 << 20) /* bytes of the elements checked in one request */

void
ncz_dataset_note_lengths(ncz_dataset *ds)
{
    for (size_t i = 0; i < ds->model->ndims; i++)
        if (ds->model->dims[i] != NULL)
            ds->model->dims[i]->uncleared = ds->model->dims[i]->unlimited;
}

/* The length of an object in array dimension `k`: of a chunk, or of a shard. UINT64_MAX: more than fits. */
static uint64_t
object_len(const ncz_spec *s, size_t k)
{
    uint64_t len;

    return ncz_mul64(s->chunk[k], s->layout->object[k], &len) ? len : UINT64_MAX;
}

/* ---- 1: whole objects ------------------------------------------------------------------------------------------ */

/* True if the object at `index` begins at or beyond the length of dimension `d`, in an array dimension that is `d`. */
static bool
is_beyond(const ncz_var *v, const ncz_dim *d, const uint64_t *index)
{
    for (size_t k = 0; k < v->rank; k++) {
        uint64_t start;

        if (v->dims[k] == d && (!ncz_mul64(index[k], object_len(v->spec, k), &start) || start >= d->len))
            return true;
    }
    return false;
}

static int
delete_objects_beyond(ncz_dataset *ds, const ncz_var *v, const ncz_dim *d)
{
    ncz_key_list all = NCZ_KEY_LIST_INIT, gone = NCZ_KEY_LIST_INIT;
    const char  *below = v->spec->layout->path;
    size_t       skip = below[0] != '\0' ? strlen(below) + 1 : 0;
    ncz_dims     index;
    int          rc;

    if ((rc = ncz_dims_init(&index, v->rank)) != NC_NOERR)
        return rc;
    rc = ncz_key_list_walk(ds->map, below, &all);
    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++)
        if (ncz_dialects_parse_var_key(ds->model->dialect, v, all.v[i] + skip, index.v) == NCZ_KEY_CHUNK &&
            is_beyond(v, d, index.v))
            rc = ncz_key_list_add(&gone, "", all.v[i]);
    if (rc == NC_NOERR && gone.n > 0) {
        ncz_log(NCZ_LOG_WARN,
                "%s: %zu objects beyond the length %llu of dimension %s, of a writer that did not "
                "finish, are deleted",
                v->spec->path, gone.n, (unsigned long long)d->len, d->name);
        rc = ncz_key_list_del(ds->map, &gone);
    }
    ncz_key_list_clear(&gone);
    ncz_key_list_clear(&all);
    ncz_dims_clear(&index);
    return rc;
}

/* ---- 2: the rest of objects in which the length ends ----------------------------------------------------------- */

/* A region of a variable, processed in slabs of whole chunks. */
typedef struct region {
    ncz_dims   start, count; /* the region */
    ncz_dims   at, n;        /* the slab */
    ncz_dims   stride, shape;
    ptrdiff_t *imap;
    size_t     nelems; /* elements of the largest slab */
} region;

static void
clear_region(region *r)
{
    ncz_dims_clear(&r->start);
    ncz_dims_clear(&r->count);
    ncz_dims_clear(&r->at);
    ncz_dims_clear(&r->n);
    ncz_dims_clear(&r->stride);
    ncz_dims_clear(&r->shape);
    ncz_free(r->imap);
}

static bool
count_elems(const uint64_t *n, size_t rank, size_t *out)
{
    *out = 1;
    for (size_t k = 0; k < rank; k++)
        if (n[k] > SIZE_MAX || !ncz_mul(*out, (size_t)n[k], out))
            return false;
    return true;
}

/* Halves the slab, in multiples of chunks, until it is small enough or a single chunk. */
static int
size_slab(region *r, const ncz_var *v)
{
    size_t most = SLAB_BYTES / v->type->size;

    memcpy(r->n.v, r->count.v, v->rank * sizeof *r->n.v);
    for (size_t k = 0; k < v->rank; k++) {
        uint64_t chunk = v->spec->chunk[k];

        while (r->n.v[k] > chunk && (!count_elems(r->n.v, v->rank, &r->nelems) || r->nelems > most))
            r->n.v[k] = (r->n.v[k] / 2 + chunk - 1) / chunk * chunk;
    }
    if (!count_elems(r->n.v, v->rank, &r->nelems))
        return ncz_fail(NC_ENOMEM, "%s: one chunk is larger than memory", v->name);
    return NC_NOERR;
}

/* The elements beyond the length of array dimension `d`, up to the end of the object in which the length ends. In
 * other unlimited dimensions the region extends to the end of the last object, too, since one put may grow several.
 * *some: the region is not empty. */
static int
init_region(region *r, const ncz_var *v, size_t d, bool *some)
{
    int rc;

    *some = false;
    *r = (region){.imap = NULL};
    if ((rc = ncz_dims_init(&r->start, v->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&r->count, v->rank)) != NC_NOERR || (rc = ncz_dims_init(&r->at, v->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&r->n, v->rank)) != NC_NOERR || (rc = ncz_dims_init(&r->stride, v->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&r->shape, v->rank)) != NC_NOERR)
        return rc;
    if ((r->imap = ncz_alloc_n(v->rank, sizeof *r->imap)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *r->imap);
    ncz_var_shape(v, r->shape.v);
    r->start.v[d] = r->shape.v[d];
    for (size_t k = 0; k < v->rank; k++) {
        uint64_t len = object_len(v->spec, k), rest = r->shape.v[k] % len;

        if (v->dims[k]->unlimited && rest != 0 && len - rest <= UINT64_MAX - r->shape.v[k])
            r->shape.v[k] += len - rest;
        r->stride.v[k] = 1;
        r->count.v[k] = r->shape.v[k] - r->start.v[k];
        if (r->count.v[k] == 0)
            return NC_NOERR;
    }
    memcpy(r->at.v, r->start.v, v->rank * sizeof *r->at.v);
    *some = true;
    return size_slab(r, v);
}

/* True if the element is fill. An empty string of fixed width is read as NULL, so NULL equals an empty string
 * here. */
static bool
is_fill(const ncz_type *type, const void *elem, const void *fill)
{
    const char *have, *want;

    if (type->class != NCZ_TYPE_STRING)
        return ncz_type_equal_elems(type, elem, fill, 1);
    memcpy(&have, elem, sizeof have);
    memcpy(&want, fill, sizeof want);
    return strcmp(have != NULL ? have : "", want != NULL ? want : "") == 0;
}

/* Sets the elements to `fill`, of which they are shallow copies. True if any element was not fill. */
static bool
set_elems(const ncz_type *type, void *elems, size_t n, const void *fill)
{
    bool changed = false;

    for (size_t i = 0; i < n; i++) {
        char *e = (char *)elems + i * type->size;

        changed = changed || !is_fill(type, e, fill);
        ncz_type_free_elems(type, e, 1);
        memcpy(e, fill, type->size);
    }
    return changed;
}

static int
clear_slab(ncz_dataset *ds, const ncz_var *v, region *r, const void *fill, void *elems)
{
    ncz_dims   count;
    ncz_select sel;
    ncz_plan   plan;
    size_t     n = 0;
    int        rc;

    if ((rc = ncz_dims_init(&count, v->rank)) != NC_NOERR)
        return rc;
    for (size_t k = 0; k < v->rank; k++) {
        uint64_t left = r->count.v[k] - (r->at.v[k] - r->start.v[k]);

        count.v[k] = r->n.v[k] < left ? r->n.v[k] : left;
    }
    sel = (ncz_select){.rank = v->rank, .start = r->at.v, .count = count.v, .stride = r->stride.v, .imap = r->imap};
    plan = (ncz_plan){.spec = v->spec, .shape = r->shape.v, .sel = sel, .mem = v->type};
    if (!ncz_grid_packed_imap(count.v, v->rank, r->imap) || !count_elems(count.v, v->rank, &n))
        rc = ncz_fail(NC_ENOMEM, "%s: one chunk is larger than memory", v->name);
    if (rc == NC_NOERR && (rc = ncz_engine_read(ds->engine, &plan, elems)) == NC_NOERR &&
        set_elems(v->type, elems, n, fill))
        rc = ncz_engine_write(ds->engine, &plan, elems);
    ncz_dims_clear(&count);
    return rc;
}

static int
fill_objects_at_end(ncz_dataset *ds, const ncz_var *v, size_t d)
{
    const void *fill = v->fill_mode == NCZ_FILL_VALUE && v->fill != NULL ? v->fill : v->type->fill;
    void       *elems = NULL;
    region      r;
    bool        some;
    int         rc = init_region(&r, v, d, &some);

    if (rc == NC_NOERR && some && (elems = ncz_alloc_n(r.nelems, v->type->size)) == NULL)
        rc = ncz_fail_nomem(r.nelems);
    while (rc == NC_NOERR && some) {
        const ncz_box slabs = {.rank = v->rank, .lo = r.start.v, .count = r.count.v, .step = r.n.v};

        rc = clear_slab(ds, v, &r, fill, elems);
        some = ncz_box_next(&slabs, r.at.v);
    }
    ncz_free(elems);
    clear_region(&r);
    return rc;
}

/* ---- both, for each variable ----------------------------------------------------------------------------------- */

static int
clear_var_beyond(ncz_dataset *ds, const ncz_var *v, const ncz_dim *d)
{
    int rc = (zmap_caps_of(ds->map) & ZMAP_CAN_LIST) != 0 ? delete_objects_beyond(ds, v, d) : NC_EPERM;

    if (rc == NC_EPERM || rc == NC_EACCESS || rc == NC_EAUTH) {
        ncz_log(NCZ_LOG_WARN,
                "%s: its keys cannot be listed: chunks beyond the length of dimension %s that a writer "
                "left unfinished are not found",
                v->spec->path, d->name);
        rc = NC_NOERR;
    }
    for (size_t k = 0; rc == NC_NOERR && k < v->rank; k++)
        if (v->dims[k] == d && v->fill_mode != NCZ_FILL_NONE) /* without fill, unwritten elements are undefined */
            rc = fill_objects_at_end(ds, v, k);
    return rc;
}

static bool
uses_dim(const ncz_var *v, const ncz_dim *d)
{
    for (size_t k = 0; k < v->rank; k++)
        if (v->dims[k] == d)
            return true;
    return false;
}

/* Clears each variable beyond the dimension's length. */
static int
clear_vars_beyond(ncz_dataset *ds, const ncz_dim *d)
{
    int rc;

    for (const ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v)) {
        if (v->unusable->code != NC_NOERR || v->type->class == NCZ_TYPE_NONE || !uses_dim(v, d))
            continue;
        if (ncz_spec_differ(v->spec))
            return ncz_fail(NC_ENOTBUILT, "%s: its chunks differ in length, so dimension %s cannot grow",
                            v->spec->path, d->name);
        if ((rc = clear_var_beyond(ds, v, d)) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

/* The lengths in the store count, and what is set to fill must be stored before others grow. */
static int
clear_alone(ncz_dataset *ds, const ncz_dim *d)
{
    int rc;

    if ((rc = ncz_lengths_merge(ds)) == NC_NOERR && (rc = clear_vars_beyond(ds, d)) == NC_NOERR)
        rc = ncz_dataset_flush_chunks(ds, 0);
    return rc;
}

int
ncz_dataset_clear_beyond(ncz_dataset *ds, ncz_dim *d)
{
    bool alone = false;
    int  rc;

    if (!ncz_growth_is_needed(ds)) {
        rc = d->uncleared ? clear_vars_beyond(ds, d) : NC_NOERR;
    } else if (!d->uncleared) {
        rc = (ds->growth.states & NCZ_GROWTH_GROWS) != 0 ? NC_NOERR : ncz_growth_join(ds);
    } else if ((rc = ncz_growth_begin_clear(ds, &alone)) == NC_NOERR && alone) {
        if ((rc = clear_alone(ds, d)) == NC_NOERR)
            rc = ncz_growth_is_needed(ds) ? ncz_growth_join(ds) : NC_NOERR;
        else
            ncz_growth_cancel_clear(ds);
    }
    if (rc == NC_NOERR)
        d->uncleared = false;
    return rc;
}

int
ncz_dataset_grow_dim(ncz_dataset *ds, ncz_dim *d, uint64_t len)
{
    int rc;

    if (len <= d->len)
        return NC_NOERR;
    rc = ds->kind->grow(ds, d, len, NULL);
    if (rc == NC_NOERR)
        ncz_model_grow_dim(ds->model, d, len);
    return rc;
}
