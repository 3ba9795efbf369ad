/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_list_chunks: finds the stored chunks of a variable by listing the keys below its own, so that a sparse
 * array costs what it holds, not what it could hold. A store that cannot list, such as a web server, is asked for
 * each chunk of the grid, many at once. Where chunks share objects, the objects are found so, and then
 * dataset_list_shards.c lists their chunks. Under the dataset's lock, shared.
 */
#include "dataset/dataset_int.h"

#include <string.h>

enum { ASKED_AT_ONCE = 1024, ASKED_MOST = 1 << 24 };

/* The indices found so far: `rank` numbers for each chunk or, where chunks share objects, for each object. */
typedef struct found {
    const ncz_dialect_ops *dialect;
    const ncz_var         *v;
    const uint64_t        *shape;
    ncz_buf                key;
    uint64_t              *index; /* n * max(rank, 1) */
    size_t                 n, cap;
} found;

static size_t
index_width(const ncz_var *v)
{
    return v->rank == 0 ? 1 : v->rank;
}

/* Sets f->key to the key of an object, and *inside to whether it begins inside the array. `first` is scratch memory. */
static int
locate_object(found *f, const uint64_t *object, uint64_t *first, bool *inside)
{
    const ncz_spec *s = f->v->spec;
    ncz_chunk_addr  where;

    *inside = s->rank > 0 || object[0] == 0; /* a scalar's */
    for (size_t d = 0; *inside && d < s->rank; d++)
        *inside = object[d] < ncz_spec_count_objects(s, d, f->shape[d]);
    if (!*inside || !ncz_layout_slot_chunk(s->layout, object, 0, first)) {
        *inside = false;
        return NC_NOERR;
    }
    return ncz_spec_locate(s, first, &f->key, &where);
}

/* True if `key` is exactly the key of an object inside the array's shape. Other keys may parse to the same index. */
static int
is_object(found *f, const char *key, const uint64_t *index, bool *out)
{
    ncz_dims first;
    int      rc;

    if ((rc = ncz_dims_init(&first, index_width(f->v))) != NC_NOERR)
        return rc;
    if ((rc = locate_object(f, index, first.v, out)) == NC_NOERR && *out)
        *out = strcmp(ncz_buf_str(&f->key), key) == 0;
    ncz_dims_clear(&first);
    return rc;
}

/* Room for one more index. */
static int
make_room(found *f)
{
    return ncz_make_room(&f->index, f->n, &f->cap, index_width(f->v) * sizeof *f->index);
}

static int
take_key(found *f, const char *key, size_t skip)
{
    size_t w = index_width(f->v);
    bool   is = false;
    int    rc;

    if ((rc = make_room(f)) != NC_NOERR)
        return rc;
    if (ncz_dialects_parse_var_key(f->dialect, f->v, key + skip, f->index + f->n * w) != NCZ_KEY_CHUNK)
        return NC_NOERR;
    if ((rc = is_object(f, key, f->index + f->n * w, &is)) == NC_NOERR && is)
        f->n++;
    return rc;
}

/* A directory in the place of an object: reading it is an error, so it is not absent. The store says what is there. */
static int
check_prefix(found *f, zmap *map, const char *prefix, size_t skip)
{
    static char  none[1];
    zmap_get_req req = {.key = prefix, .into = none};
    size_t       before = f->n;
    int          rc = take_key(f, prefix, skip);

    if (rc == NC_NOERR && f->n > before && (rc = zmap_get_batch(map, &req, 1, NULL, NULL)) == NC_NOERR)
        rc = ncz_fail(NC_EACCESS, "%s: is a directory, where a file should be", prefix);
    f->n = before;
    return rc;
}

static int
list_objects(found *f, zmap *map)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT, prefixes = NCZ_KEY_LIST_INIT;
    const char  *below = f->v->spec->layout->path; /* its objects are */
    size_t       skip = below[0] != '\0' ? strlen(below) + 1 : 0;
    int          rc = ncz_key_list_walk_prefixes(map, below, &keys, &prefixes);

    for (size_t i = 0; rc == NC_NOERR && i < keys.n; i++)
        rc = take_key(f, keys.v[i], skip);
    for (size_t i = 0; rc == NC_NOERR && i < prefixes.n; i++)
        rc = check_prefix(f, map, prefixes.v[i], skip);
    ncz_key_list_clear(&prefixes);
    ncz_key_list_clear(&keys);
    return rc;
}

/* ---- without a list ---- */

static uint64_t
grid_len(const found *f, size_t d)
{
    return ncz_spec_count_objects(f->v->spec, d, f->shape[d]);
}

/* The number of objects in the array's shape. */
static int
count_grid(const found *f, uint64_t *out)
{
    uint64_t n = 1;

    for (size_t d = 0; d < f->v->rank; d++)
        if (grid_len(f, d) == 0) {
            *out = 0;
            return NC_NOERR;
        }
    for (size_t d = 0; d < f->v->rank; d++)
        if (!ncz_mul64(n, grid_len(f, d), &n) || n > ASKED_MOST)
            return ncz_fail(NC_ENOTBUILT,
                            "%s: has room for more than %d objects, and the store cannot list those that are there",
                            f->v->spec->path, ASKED_MOST);
    *out = n;
    return NC_NOERR;
}

/* The index of the object at position `place` of the grid, in C order. */
static void
index_at(const found *f, uint64_t place, uint64_t *index)
{
    index[0] = 0; /* a scalar's */
    for (size_t d = f->v->rank; d-- > 0;) {
        index[d] = place % grid_len(f, d);
        place /= grid_len(f, d);
    }
}

/* Requests `n` objects from position `place` of the grid on, and records those that exist. */
static int
ask_some(found *f, zmap *map, uint64_t place, size_t n, zmap_get_req *reqs, ncz_key_list *keys)
{
    static char none[1]; /* an empty range: only the object's existence matters */
    size_t      w = index_width(f->v);
    ncz_dims    first;
    bool        inside;
    int         rc;

    if ((rc = ncz_dims_init(&first, w)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        if ((rc = make_room(f)) != NC_NOERR)
            break;
        index_at(f, place + i, f->index + f->n * w); /* only for its key; not counted yet */
        if ((rc = locate_object(f, f->index + f->n * w, first.v, &inside)) == NC_NOERR)
            rc = ncz_key_list_add(keys, "", ncz_buf_str(&f->key));
    }
    ncz_dims_clear(&first);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        reqs[i] = (zmap_get_req){.key = keys->v[i], .into = none};
    if (rc == NC_NOERR)
        rc = zmap_get_batch(map, reqs, n, NULL, NULL);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        if (reqs[i].err.code == NC_NOERR && (rc = make_room(f)) == NC_NOERR)
            index_at(f, place + i, f->index + f->n++ * w);
    return rc;
}

static int
ask_objects(found *f, zmap *map)
{
    uint64_t      all = 0;
    size_t        most;
    zmap_get_req *reqs;
    int           rc = count_grid(f, &all);

    if (rc != NC_NOERR || all == 0)
        return rc;
    most = all < ASKED_AT_ONCE ? (size_t)all : ASKED_AT_ONCE;
    if ((reqs = ncz_alloc_n(most, sizeof *reqs)) == NULL)
        return ncz_fail_nomem(most * sizeof *reqs);
    for (uint64_t place = 0; rc == NC_NOERR && place < all; place += most) {
        ncz_key_list keys = NCZ_KEY_LIST_INIT;

        rc = ask_some(f, map, place, all - place < most ? (size_t)(all - place) : most, reqs, &keys);
        ncz_key_list_clear(&keys);
    }
    ncz_free(reqs);
    return rc;
}

/* ---- where every chunk is stored ---- */

/* The next index of a grid, in C order. */
static void
advance_index(const uint64_t *lens, size_t rank, uint64_t *index)
{
    for (size_t d = rank; d-- > 0; index[d] = 0)
        if (++index[d] < lens[d])
            return;
}

/* Takes the chunks that are stored, of `all` in the grid of these lengths, once the engine has found where they lie.
 * `at`: zeros. */
static int
take_stored(found *f, uint64_t all, const uint64_t *lens, uint64_t *at, ncz_stored_chunks *out)
{
    size_t         w = index_width(f->v);
    ncz_chunk_addr where;
    int            rc = NC_NOERR;

    for (uint64_t i = 0; rc == NC_NOERR && i < all; i++, advance_index(lens, f->v->rank, at)) {
        rc = ncz_spec_locate(f->v->spec, at, &f->key, &where);
        if (rc != NC_NOERR || (where.absent && where.lost == NULL))
            continue;
        out->in_file = out->in_file && where.pitch == 0 && where.key[0] == '\0';
        memcpy(out->index + out->n * w, at, w * sizeof *at);
        out->ranges[out->n++] =
            where.nfrom > 0 ? (ncz_slot){where.from, where.nfrom} : (ncz_slot){where.offset, where.length};
    }
    return rc;
}

/* Lists the grid, with the place of each chunk. */
static int
list_grid(ncz_dataset *ds, found *f, ncz_stored_chunks *out)
{
    size_t   w = index_width(f->v);
    uint64_t all = 0;
    ncz_dims lens, at;
    int      rc;

    if ((rc = ncz_engine_find_chunks(ds->engine, f->v->spec)) != NC_NOERR || (rc = count_grid(f, &all)) != NC_NOERR ||
        all == 0)
        return rc;
    lens.v = at.v = NULL;
    out->index = ncz_alloc_n((size_t)all, w * sizeof *out->index);
    out->ranges = ncz_alloc_n((size_t)all, sizeof *out->ranges);
    out->cap = (size_t)all;
    out->in_file = true;
    if (out->index == NULL || out->ranges == NULL)
        rc = ncz_fail_nomem((size_t)all * (w * sizeof *out->index + sizeof *out->ranges));
    else if ((rc = ncz_dims_init(&lens, w)) == NC_NOERR && (rc = ncz_dims_init(&at, w)) == NC_NOERR) {
        for (size_t d = 0; d < f->v->rank; d++)
            lens.v[d] = grid_len(f, d);
        rc = take_stored(f, all, lens.v, at.v, out);
    }
    ncz_dims_clear(&at);
    ncz_dims_clear(&lens);
    ncz_buf_clear(&f->key);
    if (rc != NC_NOERR)
        ncz_stored_chunks_clear(out);
    return rc;
}

/* ---- the two lists ---- */

/* Finds the objects, by their places in the grid of objects. The caller frees f->index, also after a failure. */
static int
find_objects(ncz_dataset *ds, found *f)
{
    int rc = (zmap_caps_of(ds->map) & ZMAP_CAN_LIST) != 0 ? list_objects(f, ds->map) : ask_objects(f, ds->map);

    ncz_buf_clear(&f->key);
    return rc;
}

/* Replaces the place of each object by its first chunk. */
static int
take_first_chunks(found *f)
{
    const ncz_spec *s = f->v->spec;

    for (size_t i = 0; i < f->n; i++) {
        uint64_t *at = f->index + i * index_width(f->v);

        if (!ncz_layout_slot_chunk(s->layout, at, 0, at))
            return ncz_fail(NC_EINTERNAL, "%s: an object beyond its grid was found", s->path);
    }
    return NC_NOERR;
}

int
ncz_dataset_list_objects(ncz_dataset *ds, const ncz_var *v, uint64_t **index, size_t *n)
{
    found    f = {.dialect = ds->model->dialect, .v = v, .key = NCZ_BUF_INIT};
    ncz_dims shape;
    int      rc;

    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    f.shape = shape.v;
    if ((rc = find_objects(ds, &f)) != NC_NOERR || (rc = take_first_chunks(&f)) != NC_NOERR)
        goto done;
    *index = f.index;
    *n = f.n;
    f.index = NULL; /* now the caller's */
done:
    ncz_free(f.index);
    ncz_dims_clear(&shape);
    return rc;
}

int
ncz_dataset_list_chunks(ncz_dataset *ds, const ncz_var *v, ncz_stored_chunks *out)
{
    found    f = {.dialect = ds->model->dialect, .v = v, .key = NCZ_BUF_INIT};
    ncz_dims shape;
    int      rc;

    *out = (ncz_stored_chunks){.n = 0};
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    f.shape = shape.v;
    if (v->spec->layout->ops->complete) {
        rc = list_grid(ds, &f, out);
        ncz_dims_clear(&shape);
        return rc;
    }
    rc = find_objects(ds, &f);
    if (rc == NC_NOERR && ncz_layout_has_index(v->spec->layout)) {
        rc = ncz_dataset_expand_objects(ds, v, shape.v, f.index, f.n, out);
    } else if (rc == NC_NOERR) {
        *out = (ncz_stored_chunks){.index = f.index, .n = f.n};
        f.index = NULL; /* now the caller's */
    }
    ncz_free(f.index);
    ncz_dims_clear(&shape);
    return rc;
}
