/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_list_shards: lists the chunks of objects that hold several: their indexes say which they have. Under the
 * dataset's lock, shared.
 */
#include "dataset/dataset_int.h"

#include <string.h>

enum { SLOTS_AT_ONCE = 1 << 16 };

typedef struct expanding {
    ncz_dataset       *ds;
    const ncz_var     *v;
    const uint64_t    *shape;
    size_t             w;     /* numbers of an index */
    ncz_dims           index; /* of the chunk at hand */
    ncz_dims           first; /* of its object's first chunk */
    ncz_dims           zero;
    ncz_stored_chunks *out;
} expanding;

bool
ncz_dataset_is_inside(const ncz_var *v, const uint64_t *shape, const uint64_t *index)
{
    for (size_t d = 0; d < v->rank; d++)
        if (index[d] >= ncz_spec_count_chunks(v->spec, d, shape[d]))
            return false;
    return true;
}

void
ncz_stored_chunks_clear(ncz_stored_chunks *l)
{
    ncz_free(l->index);
    ncz_free(l->ranges);
    ncz_free(l->objects);
    *l = (ncz_stored_chunks){.n = 0};
}

static int
make_room(const expanding *x)
{
    ncz_stored_chunks *l = x->out;
    size_t             cap = l->cap == 0 ? 64 : l->cap * 2;
    uint64_t          *index, *objects;
    ncz_slot          *ranges;

    if (l->n < l->cap)
        return NC_NOERR;
    if ((index = ncz_grow(l->index, cap, x->w * sizeof *index)) != NULL)
        l->index = index;
    if ((ranges = ncz_grow(l->ranges, cap, sizeof *ranges)) != NULL)
        l->ranges = ranges;
    if ((objects = ncz_grow(l->objects, cap, x->w * sizeof *objects)) != NULL)
        l->objects = objects;
    if (index == NULL || ranges == NULL || objects == NULL)
        return ncz_fail_nomem(cap * (2 * x->w * sizeof *index + sizeof *ranges));
    l->cap = cap;
    return NC_NOERR;
}

/* Adds the chunk at hand, if it is in the array: others are only padding. */
static int
add_chunk(const expanding *x, const uint64_t *object, ncz_slot range)
{
    ncz_stored_chunks *l = x->out;
    int                rc;

    if (!ncz_dataset_is_inside(x->v, x->shape, x->index.v))
        return NC_NOERR;
    if ((rc = make_room(x)) != NC_NOERR)
        return rc;
    memcpy(l->index + l->n * x->w, x->index.v, x->w * sizeof *l->index);
    memcpy(l->objects + l->n * x->w, object, x->w * sizeof *l->objects);
    l->ranges[l->n++] = range;
    return NC_NOERR;
}

/* Adds the chunks of an object of that spec, by its slots. */
static int
expand_object(const expanding *x, const ncz_spec *s, const uint64_t *object, const ncz_slot *slots)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < s->layout->nslots; i++) {
        if (slots[i].length == 0 || !ncz_layout_slot_chunk(s->layout, x->zero.v, i, x->index.v))
            continue;
        for (size_t d = 0; d < s->rank; d++)
            x->index.v[d] += x->first.v[d];
        rc = add_chunk(x, object, slots[i]);
    }
    return rc;
}

/* The indexes of `n` objects are requested together. They have one shape, or there is only one. */
static int
expand_some(const expanding *x, const uint64_t *objects, size_t n)
{
    ncz_spec *spec = NULL;
    ncz_slot *slots = NULL;
    size_t    per;
    int       rc = ncz_spec_of_object(&x->ds->limits, x->v->spec, objects, x->first.v, &spec);

    if (rc != NC_NOERR)
        return rc;
    per = spec->layout->nslots;
    if ((slots = ncz_alloc_n(n, per * sizeof *slots)) == NULL) /* cannot overflow: the model bounds `per` */
        rc = ncz_fail_nomem(n * per * sizeof *slots);
    else
        rc = ncz_engine_read_indexes(x->ds->engine, spec, objects, n, slots);
    for (size_t k = 0; rc == NC_NOERR && k < n; k++) {
        if (k > 0 && !ncz_layout_slot_chunk(spec->layout, objects + k * x->w, 0, x->first.v))
            rc = ncz_fail(NC_EINTERNAL, "%s: an object beyond its grid was found", spec->path);
        else
            rc = expand_object(x, spec, objects + k * x->w, slots + k * per);
    }
    ncz_free(slots);
    ncz_spec_unref(spec);
    return rc;
}

static int
expand_all(const expanding *x, const uint64_t *objects, size_t n)
{
    size_t per = x->v->spec->layout->nslots, most = per > SLOTS_AT_ONCE ? 1 : SLOTS_AT_ONCE / per;
    int    rc = NC_NOERR;

    if (ncz_spec_differ(x->v->spec))
        most = 1;
    for (size_t i = 0; rc == NC_NOERR && i < n; i += most)
        rc = expand_some(x, objects + i * x->w, n - i < most ? n - i : most);
    return rc;
}

int
ncz_dataset_expand_objects(ncz_dataset *ds, const ncz_var *v, const uint64_t *shape, const uint64_t *objects,
                           size_t n, ncz_stored_chunks *out)
{
    expanding x = {.ds = ds, .v = v, .shape = shape, .w = v->rank == 0 ? 1 : v->rank, .out = out};
    int       rc;

    if ((rc = ncz_dims_init(&x.index, x.w)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&x.first, x.w)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dims_init(&x.zero, x.w)) == NC_NOERR) {
        rc = expand_all(&x, objects, n);
        ncz_dims_clear(&x.zero);
    }
    ncz_dims_clear(&x.first);
done:
    ncz_dims_clear(&x.index);
    if (rc != NC_NOERR)
        ncz_stored_chunks_clear(out);
    return rc;
}
