/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The grid of a spec's chunks and objects, whether they have one length in each dimension or listed lengths. With an
 * index only the objects may differ; their chunks have one length.
 *
 * Chunks or objects that differ are reached through a spec of the regular grid in which one of them has the same index
 * and length: the chunk with index i and length n is there at element i * n. Keys and cached chunks are therefore the
 * array's own.
 */
#include "model/model_int.h"

#include <string.h>

bool
ncz_spec_differ(const ncz_spec *s)
{
    return s->layout->grid != NULL;
}

/* The listed lengths of the chunks. NULL: they have one length; with an index only the objects may differ. */
static const ncz_rectilinear *
chunk_grid(const ncz_spec *s)
{
    return ncz_layout_has_index(s->layout) ? NULL : s->layout->grid;
}

uint64_t
ncz_spec_count_chunks(const ncz_spec *s, size_t d, uint64_t length)
{
    return chunk_grid(s) != NULL ? ncz_rectilinear_count(chunk_grid(s), d, length)
                                 : ncz_count_parts(length, s->chunk[d]);
}

uint64_t
ncz_spec_count_objects(const ncz_spec *s, size_t d, uint64_t length)
{
    uint64_t len;

    if (s->layout->grid != NULL)
        return ncz_rectilinear_count(s->layout->grid, d, length);
    if (!ncz_mul64(s->chunk[d], s->layout->object[d], &len))
        return length > 0;
    return ncz_count_parts(length, len);
}

bool
ncz_spec_find_chunk(const ncz_spec *s, size_t d, uint64_t at, ncz_rectilinear_chunk *out)
{
    uint64_t i = at / s->chunk[d];

    if (chunk_grid(s) != NULL)
        return ncz_rectilinear_find(chunk_grid(s), d, at, out);
    *out = (ncz_rectilinear_chunk){.index = i, .first = i * s->chunk[d], .len = s->chunk[d]};
    return true;
}

/* ---- objects that differ ---- */

/* The object with that index, also where objects have one length. */
static bool
place_object(const ncz_spec *s, size_t d, uint64_t index, ncz_rectilinear_chunk *out)
{
    if (s->layout->grid != NULL)
        return ncz_rectilinear_at(s->layout->grid, d, index, out);
    out->index = index;
    return ncz_mul64(s->chunk[d], s->layout->object[d], &out->len) && ncz_mul64(index, out->len, &out->first);
}

int
ncz_spec_of_object(const ncz_limits *limits, const ncz_spec *s, const uint64_t *object, uint64_t *first,
                   ncz_spec **out)
{
    ncz_rectilinear_chunk here;
    ncz_dims              len;
    int                   rc;

    if ((rc = ncz_dims_init(&len, s->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < s->rank && rc == NC_NOERR; d++) {
        if (!place_object(s, d, object[d], &here))
            rc = ncz_fail(NC_EINVALCOORDS, "%s: no object %llu in dimension %zu", s->path,
                          (unsigned long long)object[d], d);
        else if (here.first % s->chunk[d] != 0 || here.len % s->chunk[d] != 0)
            rc = ncz_fail(NC_EBADCHUNK, "%s: shard %llu of dimension %zu is not made of whole chunks", s->path,
                          (unsigned long long)here.index, d);
        else
            first[d] = here.first / s->chunk[d];
        len.v[d] = here.len;
    }
    if (rc == NC_NOERR && s->layout->grid == NULL)
        *out = ncz_spec_ref((ncz_spec *)s);
    else if (rc == NC_NOERR)
        rc = ncz_spec_reshape(limits, s, len.v, out);
    ncz_dims_clear(&len);
    return rc;
}

int
ncz_spec_of_chunk(const ncz_limits *limits, const ncz_spec *s, const uint64_t *index, uint64_t *place, ncz_spec **out)
{
    ncz_rectilinear_chunk here;
    ncz_dims              object, first;
    int                   rc;

    memcpy(place, index, s->rank * sizeof *index);
    if (s->layout->grid == NULL || !ncz_layout_has_index(s->layout)) {
        *out = ncz_spec_ref((ncz_spec *)s);
        return NC_NOERR;
    }
    if ((rc = ncz_dims_init(&object, s->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&first, s->rank)) != NC_NOERR)
        goto done;
    for (size_t d = 0; d < s->rank && rc == NC_NOERR; d++) {
        if (!ncz_mul64(index[d], s->chunk[d], &place[d]) ||
            !ncz_rectilinear_find(s->layout->grid, d, place[d], &here))
            rc = ncz_fail(NC_EINVALCOORDS, "%s: no chunk %llu in dimension %zu", s->path,
                          (unsigned long long)index[d], d);
        object.v[d] = here.index;
    }
    if (rc == NC_NOERR)
        rc = ncz_spec_of_object(limits, s, object.v, first.v, out);
    for (size_t d = 0; d < s->rank && rc == NC_NOERR; d++)
        if (!ncz_mul64(object.v[d], (*out)->layout->object[d], &place[d]) ||
            !ncz_add64(place[d], index[d] - first.v[d], &place[d]))
            rc = ncz_fail(NC_EBADCHUNK, "%s: chunk %llu of dimension %zu cannot be addressed", s->path,
                          (unsigned long long)index[d], d);
    ncz_dims_clear(&first);
done:
    ncz_dims_clear(&object);
    return rc;
}
