/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunks: which chunks of a variable are stored, found by listing what stands below its key, so that a sparse array
 * costs what it holds and not what it might. Under the dataset's lock, shared.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* What is being gathered: `rank` numbers for each chunk. */
typedef struct found {
    const ncz_var  *v;
    const uint64_t *shape;
    ncz_buf         key;
    uint64_t       *index; /* n * max(rank, 1) */
    size_t          n, cap;
} found;

static size_t
width(const ncz_var *v)
{
    return v->rank == 0 ? 1 : v->rank;
}

/* Is that the very key of a chunk that the array's shape has room for? */
static int
is_chunk(found *f, const char *key, const uint64_t *index, bool *out)
{
    const ncz_spec *s = f->v->spec;
    ncz_where       where;
    int             rc;

    *out = false;
    for (size_t d = 0; d < s->rank; d++)
        if (index[d] > UINT64_MAX / s->chunk[d] || index[d] * s->chunk[d] >= f->shape[d])
            return NC_NOERR;
    if (s->rank == 0 && index[0] != 0)
        return NC_NOERR;
    if ((rc = s->locate(s, index, &f->key, &where)) == NC_NOERR)
        *out = strcmp(where.key, key) == 0;
    return rc;
}

static int
take(found *f, const char *key, size_t skip)
{
    size_t w = width(f->v);
    bool   is = false;
    int    rc;

    if (f->n == f->cap) {
        size_t    cap = f->cap == 0 ? 64 : f->cap * 2;
        uint64_t *more = ncz_grow(f->index, cap, w * sizeof *more);

        if (more == NULL)
            return ncz_fail_nomem(cap * w * sizeof *more);
        f->index = more;
        f->cap = cap;
    }
    if (!ncz_part_chunk_index(key + skip, f->v->rank, f->index + f->n * w))
        return NC_NOERR;
    if ((rc = is_chunk(f, key, f->index + f->n * w, &is)) == NC_NOERR && is)
        f->n++;
    return rc;
}

int
ncz_dataset_chunks(ncz_dataset *ds, const ncz_var *v, uint64_t **index, size_t *n)
{
    found    f = {.v = v, .key = NCZ_BUF_INIT};
    ncz_keys keys = NCZ_KEYS_INIT;
    ncz_dims shape;
    size_t   skip = v->spec->path[0] != '\0' ? strlen(v->spec->path) + 1 : 0;
    int      rc;

    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    f.shape = shape.v;
    if ((rc = ncz_keys_walk(ds->map, v->spec->path, &keys)) != NC_NOERR)
        goto done;
    for (size_t i = 0; rc == NC_NOERR && i < keys.n; i++)
        rc = take(&f, keys.v[i], skip);
    if (rc != NC_NOERR)
        goto done;
    *index = f.index;
    *n = f.n;
    f.index = NULL; /* now the caller's */
done:
    ncz_free(f.index);
    ncz_buf_clear(&f.key);
    ncz_keys_clear(&keys);
    ncz_dims_clear(&shape);
    return rc;
}
