/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_table: what is known of objects that hold several chunks, by place, within an eighth of the cache's
 * limit; and the mark of those that are being stored. All functions need the lock.
 */
#include "object/object_hash.h"
#include "object/object_table.h"

enum {
    CACHE_PART = 8,  /* indexes get one part in so many of the cache's limit, */
    NEWEST_PART = 2, /* or the one used last alone such a part: fetching it again for each call takes longer */
};

uint64_t
ncz_object_hash_of(const ncz_spec *spec, const uint64_t *index)
{
    uint64_t h = spec->uid * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t d = 0; d < spec->rank; d++)
        h = (h ^ index[d] / spec->layout->object[d]) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static bool
holds_chunk(const ncz_object *o, const ncz_spec *spec, const uint64_t *index)
{
    if (o->uid != spec->uid || o->rank != spec->rank)
        return false;
    for (size_t d = 0; d < spec->rank; d++)
        if (o->at[d] != index[d] / spec->layout->object[d])
            return false;
    return true;
}

static void
list_del(ncz_object_table *t, ncz_object *o)
{
    *(o->older != NULL ? &o->older->newer : &t->oldest) = o->newer;
    *(o->newer != NULL ? &o->newer->older : &t->newest) = o->older;
    o->older = o->newer = NULL;
}

static void
list_add(ncz_object_table *t, ncz_object *o)
{
    o->older = t->newest;
    *(t->newest != NULL ? &t->newest->newer : &t->oldest) = o;
    t->newest = o;
}

/* Along dimension d. */
static uint64_t
count_inside(const ncz_spec *spec, const uint64_t *index, size_t d)
{
    uint64_t here = spec->layout->object[d], first = index[d] - index[d] % here;

    if (spec->layout->extent != NULL && first < spec->layout->extent[d] && spec->layout->extent[d] - first < here)
        return spec->layout->extent[d] - first;
    return here;
}

size_t
ncz_object_inside(const ncz_spec *spec, const uint64_t *index)
{
    size_t n = 1;

    for (size_t d = 0; d < spec->rank; d++)
        n *= (size_t)count_inside(spec, index, d); /* at most object_chunks */
    return n;
}

size_t
ncz_object_before(const ncz_spec *spec, const uint64_t *index, size_t slot)
{
    size_t before = 0, unit = 1;

    for (size_t d = spec->rank; d-- > 0;) {
        size_t here = (size_t)spec->layout->object[d];

        before += slot % here * unit;
        slot /= here;
        unit *= (size_t)count_inside(spec, index, d);
    }
    return before;
}

ncz_object *
ncz_object_find(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index)
{
    ncz_object_entry *at = ncz_object_hash_first(&objects->known.hash, ncz_object_hash_of(spec, index));

    while (at != NULL && !holds_chunk((ncz_object *)at, spec, index))
        at = at->beside;
    return (ncz_object *)at;
}

void
ncz_object_count_bytes(ncz_objects *objects, ncz_object *o, size_t nbytes)
{
    o->nbytes += nbytes;
    objects->known.nbytes += nbytes;
    objects->cells->cache.used += nbytes;
}

int
ncz_object_add(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_object **out)
{
    size_t      nbytes = sizeof(ncz_object) + spec->rank * sizeof(uint64_t);
    ncz_object *o = ncz_zalloc(nbytes);
    int         rc;

    if (o == NULL)
        return ncz_fail_nomem(nbytes);
    if ((rc = ncz_object_hash_add(&objects->known.hash, &o->entry, ncz_object_hash_of(spec, index))) != NC_NOERR) {
        ncz_free(o);
        return rc;
    }
    o->uid = spec->uid;
    o->rank = spec->rank;
    for (size_t d = 0; d < spec->rank; d++)
        o->at[d] = index[d] / spec->layout->object[d];
    list_add(&objects->known, o);
    ncz_object_count_bytes(objects, o, nbytes);
    *out = o;
    return NC_NOERR;
}

static void
free_unused(ncz_object *o)
{
    if (o->refs > 0 || !o->stale)
        return;
    ncz_err_drop(o->why);
    ncz_free(o->slots);
    ncz_free(o);
}

void
ncz_object_unlink(ncz_objects *objects, ncz_object *o)
{
    if (o->stale)
        return;
    ncz_object_hash_del(&objects->known.hash, &o->entry);
    list_del(&objects->known, o);
    objects->known.nbytes -= o->nbytes;
    objects->cells->cache.used -= o->nbytes;
    o->stale = true;
    free_unused(o);
}

void
ncz_object_unref(ncz_object *o)
{
    o->refs--;
    free_unused(o);
}

void
ncz_object_touch(ncz_objects *objects, ncz_object *o)
{
    list_del(&objects->known, o);
    list_add(&objects->known, o);
}

void
ncz_object_trim(ncz_objects *objects)
{
    ncz_object *o = objects->known.oldest, *newer;

    for (; o != NULL && objects->known.nbytes > objects->cells->cache.limit / CACHE_PART; o = newer) {
        newer = o->newer;
        if (o == objects->known.newest && o->nbytes <= objects->cells->cache.limit / NEWEST_PART)
            break;
        if (o->refs == 0)
            ncz_object_unlink(objects, o);
    }
}

void
ncz_object_forget_indexes(ncz_objects *objects, uint64_t uid)
{
    for (ncz_object *o = objects->known.oldest, *newer; o != NULL; o = newer) {
        newer = o->newer;
        if ((uid == 0 || o->uid == uid) && !o->storing)
            ncz_object_unlink(objects, o);
    }
}

/* ---- storing ---- */

int
ncz_object_begin_store(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_object **out)
{
    ncz_object *o = ncz_object_find(objects, spec, index);
    int         rc;

    if (o == NULL && (rc = ncz_object_add(objects, spec, index, &o)) != NC_NOERR)
        return rc;
    o->storing = true;
    o->refs++;
    *out = o;
    return NC_NOERR;
}

/* Called also after a failure, since the put may still have been carried out. */
void
ncz_object_end_store(ncz_objects *objects, ncz_object *o)
{
    o->storing = false;
    o->stored = true;
    ncz_object_unlink(objects, o);
    ncz_object_unref(o);
}
