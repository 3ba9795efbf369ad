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
    ncz_dims           index; /* of the chunk at hand; where shards differ also: */
    ncz_dims           first; /* of its shard's first chunk */
    ncz_dims           zero;
    ncz_stored_chunks *out;
} expanding;

bool
ncz_dataset_is_inside(const ncz_var *v, const uint64_t *shape, const uint64_t *index)
{
    for (size_t d = 0; d < v->rank; d++)
        if (index[d] >= ncz_dataset_count_chunks(v, d, shape[d]))
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
    objects = ncz_dataset_shards_differ(x->v) ? ncz_grow(l->objects, cap, x->w * sizeof *objects) : NULL;
    if (objects != NULL)
        l->objects = objects;
    if (index == NULL || ranges == NULL || (objects == NULL && ncz_dataset_shards_differ(x->v)))
        return ncz_fail_nomem(cap * (x->w * sizeof *index + sizeof *ranges));
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
    if (l->objects != NULL)
        memcpy(l->objects + l->n * x->w, object, x->w * sizeof *l->objects);
    l->ranges[l->n++] = range;
    return NC_NOERR;
}

/* ---- objects of one shape ---- */

static int
expand_object(const expanding *x, const uint64_t *object, const ncz_slot *slots)
{
    const ncz_spec *s = x->v->spec;
    int             rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < s->object_chunks; i++)
        if (slots[i].length > 0 && ncz_spec_slot_chunk(s, object, i, x->index.v))
            rc = add_chunk(x, object, slots[i]);
    return rc;
}

/* The indexes of many objects are requested together. */
static int
expand_equal(const expanding *x, const uint64_t *objects, size_t n)
{
    size_t    per = x->v->spec->object_chunks, most = per > SLOTS_AT_ONCE ? 1 : SLOTS_AT_ONCE / per;
    ncz_slot *slots = ncz_alloc_n(most, per * sizeof *slots); /* cannot overflow: the model bounds `per` */
    int       rc = slots != NULL ? NC_NOERR : ncz_fail_nomem(most * per * sizeof *slots);

    for (size_t i = 0; rc == NC_NOERR && i < n; i += most) {
        size_t now = n - i < most ? n - i : most;

        rc = ncz_engine_read_indexes(x->ds->engine, x->v->spec, objects + i * x->w, now, slots);
        for (size_t k = 0; rc == NC_NOERR && k < now; k++)
            rc = expand_object(x, objects + (i + k) * x->w, slots + k * per);
    }
    ncz_free(slots);
    return rc;
}

/* ---- shards that differ in length ---- */

static int
expand_shard(const expanding *x, const uint64_t *object)
{
    ncz_spec *spec = NULL;
    ncz_slot *slots = NULL;
    int       rc = ncz_dataset_shard_spec(x->ds, x->v, object, x->first.v, &spec);

    if (rc == NC_NOERR && (slots = ncz_alloc_n(spec->object_chunks, sizeof *slots)) == NULL)
        rc = ncz_fail_nomem(spec->object_chunks * sizeof *slots);
    if (rc == NC_NOERR)
        rc = ncz_engine_read_indexes(x->ds->engine, spec, object, 1, slots);
    for (size_t i = 0; rc == NC_NOERR && i < spec->object_chunks; i++) {
        if (slots[i].length == 0 || !ncz_spec_slot_chunk(spec, x->zero.v, i, x->index.v))
            continue;
        for (size_t d = 0; d < x->v->rank; d++)
            x->index.v[d] += x->first.v[d];
        rc = add_chunk(x, object, slots[i]);
    }
    ncz_free(slots);
    ncz_spec_unref(spec);
    return rc;
}

/* ---- both ---- */

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
        if (!ncz_dataset_shards_differ(v))
            rc = expand_equal(&x, objects, n);
        else
            for (size_t i = 0; rc == NC_NOERR && i < n; i++)
                rc = expand_shard(&x, objects + i * x.w);
        ncz_dims_clear(&x.zero);
    }
    ncz_dims_clear(&x.first);
done:
    ncz_dims_clear(&x.index);
    if (rc != NC_NOERR)
        ncz_stored_chunks_clear(out);
    return rc;
}
