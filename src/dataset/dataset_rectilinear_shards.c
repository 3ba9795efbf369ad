/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_rectilinear_shards: the chunks of shards that differ in length. The chunks themselves do not: their grid is
 * regular. As in dataset_rectilinear.c, each shard is found through a spec of the regular grid in which it has the same
 * index and length.
 */
#include "dataset/dataset_int.h"

bool
ncz_dataset_shards_differ(const ncz_var *v)
{
    return v->rectilinear != NULL && v->spec->object != NULL;
}

/* The shard with that index along a dimension. */
static bool
find_shard(const ncz_rectilinear *g, size_t d, uint64_t index, ncz_rectilinear_chunk *out)
{
    uint64_t lo = 0, hi = ncz_rectilinear_end(g, d);

    while (lo < hi) {
        if (!ncz_rectilinear_find(g, d, lo + (hi - lo) / 2, out))
            return false;
        if (out->index == index)
            return true;
        if (out->index < index)
            lo = out->first + out->len;
        else
            hi = out->first;
    }
    return false;
}

/* Makes the spec for shards of that one's shape. Sets first[d] to the index of its first chunk. */
static int
make_spec(const ncz_dataset *ds, const ncz_var *v, const ncz_rectilinear_chunk *shard, uint64_t *first,
          ncz_spec **out)
{
    ncz_dims len;
    int      rc;

    if ((rc = ncz_dims_init(&len, v->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < v->rank && rc == NC_NOERR; d++) {
        uint64_t chunk = v->spec->chunk[d];

        len.v[d] = shard[d].len;
        first[d] = shard[d].first / chunk;
        if (shard[d].first % chunk != 0 || shard[d].len % chunk != 0)
            rc = ncz_fail(NC_EBADCHUNK, "%s: shard %llu of dimension %zu is not made of whole chunks", v->name,
                          (unsigned long long)shard[d].index, d);
    }
    if (rc == NC_NOERR)
        rc = ncz_spec_reshape(ds->model, v->spec, len.v, out);
    ncz_dims_clear(&len);
    return rc;
}

int
ncz_dataset_shard_spec(const ncz_dataset *ds, const ncz_var *v, const uint64_t *object, uint64_t *first,
                       ncz_spec **out)
{
    ncz_rectilinear_chunk *shard = ncz_alloc_n(v->rank, sizeof *shard);
    int                    rc = shard != NULL ? NC_NOERR : ncz_fail_nomem(v->rank * sizeof *shard);

    for (size_t d = 0; d < v->rank && rc == NC_NOERR; d++)
        if (!find_shard(v->rectilinear, d, object[d], &shard[d]))
            rc = ncz_fail(NC_EINVALCOORDS, "%s: no shard %llu in dimension %zu", v->name,
                          (unsigned long long)object[d], d);
    if (rc == NC_NOERR)
        rc = make_spec(ds, v, shard, first, out);
    ncz_free(shard);
    return rc;
}

/* The index of the chunk in the regular grid of shards like its own. `index` and `to` may be the same. */
static int
place_chunk(const ncz_var *v, const ncz_rectilinear_chunk *shard, const uint64_t *index, const uint64_t *first,
            uint64_t *to)
{
    for (size_t d = 0; d < v->rank; d++) {
        uint64_t here = index[d] - first[d];

        if (!ncz_mul64(shard[d].index, shard[d].len / v->spec->chunk[d], &to[d]) || !ncz_add64(to[d], here, &to[d]))
            return ncz_fail(NC_EBADCHUNK, "%s: chunk %llu of dimension %zu cannot be addressed", v->name,
                            (unsigned long long)index[d], d);
    }
    return NC_NOERR;
}

int
ncz_dataset_locate_in_shard(ncz_dataset *ds, const ncz_var *v, const uint64_t *index, bool range, ncz_buf *key,
                            ncz_chunk_addr *where)
{
    ncz_rectilinear_chunk *shard = ncz_alloc_n(v->rank, sizeof *shard);
    ncz_spec              *spec = NULL;
    ncz_dims               first, place;
    int                    rc;

    if (shard == NULL)
        return ncz_fail_nomem(v->rank * sizeof *shard);
    if ((rc = ncz_dims_init(&first, v->rank)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dims_init(&place, v->rank)) == NC_NOERR) {
        for (size_t d = 0; d < v->rank && rc == NC_NOERR; d++)
            if (!ncz_mul64(index[d], v->spec->chunk[d], &place.v[d]) ||
                !ncz_rectilinear_find(v->rectilinear, d, place.v[d], &shard[d]))
                rc = ncz_fail(NC_EINVALCOORDS, "%s: no chunk %llu in dimension %zu", v->name,
                              (unsigned long long)index[d], d);
        if (rc == NC_NOERR && (rc = make_spec(ds, v, shard, first.v, &spec)) == NC_NOERR &&
            (rc = place_chunk(v, shard, index, first.v, place.v)) == NC_NOERR)
            rc = range ? ncz_engine_locate(ds->engine, spec, place.v, key, where)
                       : spec->locate(spec, place.v, key, where);
        ncz_spec_unref(spec);
        ncz_dims_clear(&place);
    }
    ncz_dims_clear(&first);
done:
    ncz_free(shard);
    return rc;
}
