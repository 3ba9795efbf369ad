/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spec of a variable. It is made completely from the variable's fields and then swapped in. Readers that hold the
 * old spec keep a consistent view. The reason why data cannot be accessed (an unknown codec, a chunk beyond the
 * limits) is recorded in the spec, and is an error only on access.
 */
#include "model/model_int.h"

#include <string.h>

ncz_spec *
ncz_spec_ref(ncz_spec *s)
{
    if (s != NULL)
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

/* Drops what a spec has beside its block. */
static void
drop_parts(ncz_spec *s)
{
    ncz_chain_unref(s->chain);
    ncz_layout_unref(s->layout);
    ncz_err_drop(s->unusable);
}

void
ncz_spec_unref(ncz_spec *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    drop_parts(s);
    if (!s->in_arena)
        ncz_free(s);
}

static void *
copy_array(char **at, const void *from, size_t n)
{
    void *to = *at;

    if (from == NULL)
        return NULL;
    memcpy(to, from, n);
    *at += (n + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t); /* the next one is aligned */
    return to;
}

/* The bytes of an array, as much as it takes in a block. */
static bool
add_array(size_t *n, size_t nbytes)
{
    size_t rest = nbytes % sizeof(uint64_t);

    return ncz_add(*n, nbytes, n) && ncz_add(*n, rest > 0 ? sizeof(uint64_t) - rest : 0, n);
}

/* The bytes of a block that has a spec and its arrays. SIZE_MAX: too many. */
static size_t
block_bytes(const ncz_spec *like, size_t nfill)
{
    size_t nchunk, n = sizeof *like;

    if (!ncz_mul(like->rank, sizeof *like->chunk, &nchunk) || !add_array(&n, nchunk) ||
        !add_array(&n, like->order != NULL ? like->rank * sizeof *like->order : 0) || !add_array(&n, nfill) ||
        !add_array(&n, strlen(like->path) + 1))
        return SIZE_MAX;
    return n;
}

/* Makes a block that has room for it a spec like `like`, with copies of its arrays. */
static void
fill_block(ncz_spec *s, const ncz_spec *like, size_t nfill)
{
    size_t room = s->room;
    bool   in_arena = s->in_arena;
    char  *at = (char *)(s + 1);

    memcpy(s, like, sizeof *s);
    s->room = room;
    s->in_arena = in_arena;
    s->chunk = copy_array(&at, like->chunk, like->rank * sizeof *s->chunk);
    s->order = copy_array(&at, like->order, like->rank * sizeof *s->order);
    s->fill = copy_array(&at, like->fill, nfill);
    s->path = copy_array(&at, like->path, strlen(like->path) + 1);
}

/* `arena`: where the block is; NULL: it is one of its own. */
static int
new_block(ncz_arena *arena, size_t n, ncz_spec **out)
{
    ncz_spec *s = n == SIZE_MAX ? NULL : arena != NULL ? ncz_arena_get(arena, n) : ncz_alloc(n);

    if (s == NULL)
        return ncz_fail_nomem(n);
    s->room = n;
    s->in_arena = arena != NULL;
    *out = s;
    return NC_NOERR;
}

/* The byte order of the stored elements. Old writers left native (little-endian) bytes under a big-endian type. */
static bool
is_stored_big(const ncz_model *m, const ncz_var *v)
{
    return v->endian == NC_ENDIAN_BIG && !m->native_big;
}

/* Makes a vlen block of one element. */
static int
make_object_fill(const ncz_type *type, const void *value, void **out)
{
    ncz_buf       b = NCZ_BUF_INIT;
    ncz_vlen_item item;
    char         *block = NULL, *packed = NULL, *room;
    int           rc;

    if ((rc = ncz_vlen_item_of(type, value, NULL, &item)) != NC_NOERR)
        return rc;
    if ((room = packed = ncz_alloc(item.len)) == NULL)
        return ncz_fail_nomem(item.len);
    if ((rc = ncz_vlen_item_of(type, value, &room, &item)) == NC_NOERR && (rc = ncz_vlen_begin(&b, 1)) == NC_NOERR)
        rc = ncz_vlen_set(&b, 0, item);
    if (rc == NC_NOERR && (rc = ncz_vlen_take(&b, &block)) == NC_NOERR)
        *out = block;
    ncz_buf_clear(&b);
    ncz_free(packed);
    return rc;
}

/* One stored element: most are small. */
typedef struct stored_fill {
    void    *p; /* NULL: zero bytes */
    size_t   n;
    void    *own; /* where it is large */
    uint64_t few[2];
} stored_fill;

/* One stored element with the variable's fill value. */
static int
make_fill(const ncz_var *v, const ncz_dtype *dtype, stored_fill *out)
{
    const void *value = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    int         rc;

    *out = (stored_fill){.p = NULL};
    if (v->fill_mode == NCZ_FILL_NONE || value == NULL || dtype->kind == NCZ_KIND_OTHER)
        return NC_NOERR;
    if (dtype->kind == NCZ_KIND_OBJECT) {
        if ((rc = make_object_fill(v->type, value, &out->own)) == NC_NOERR)
            out->n = ncz_vlen_nbytes(out->own);
        out->p = out->own;
        return rc;
    }
    out->n = dtype->size;
    out->p = out->n <= sizeof out->few ? out->few : (out->own = ncz_zalloc(out->n));
    if (out->p == NULL)
        return ncz_fail_nomem(out->n);
    rc = ncz_convert_in(v->type, value, dtype, out->p, 1, false);
    return rc == NC_ERANGE ? NC_NOERR : rc;
}

/* Sets default chunk lengths, unless lengths were given. */
static int
set_default_chunks(const ncz_model *m, ncz_var *v)
{
    ncz_dims shape;
    bool    *unlimited = NULL;
    int      rc;

    if (m->choose_chunks != NULL)
        return m->choose_chunks(m, v);
    if (v->chunk_set || v->rank == 0 || v->chunk[0] != 0)
        return NC_NOERR;
    for (size_t r = 0; m->own_chunks && v->source == NULL && r < v->rank; r++)
        v->chunk[r] = 1;
    if (m->own_chunks && v->source == NULL)
        return NC_NOERR;
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    if ((unlimited = ncz_alloc_n(v->rank, sizeof *unlimited)) == NULL) {
        rc = ncz_fail_nomem(v->rank);
        goto done;
    }
    ncz_var_shape(v, shape.v);
    for (size_t r = 0; r < v->rank; r++)
        unlimited[r] = v->dims[r]->unlimited;
    ncz_grid_default_chunks(shape.v, unlimited, v->rank, v->type->class == NCZ_TYPE_NONE ? 8 : v->type->size,
                            NCZ_DEFAULT_CHUNK_BYTES, v->chunk);
done:
    ncz_free(unlimited);
    ncz_dims_clear(&shape);
    return rc;
}

ncz_array_type
ncz_spec_array_type(const ncz_spec *s)
{
    return (ncz_array_type){.dtype = s->dtype,
                            .chunk_bytes = s->chunk_bytes,
                            .row = s->row,
                            .rank = s->rank,
                            .shape = s->chunk,
                            .order = s->order,
                            .fill = s->dtype.kind == NCZ_KIND_OBJECT ? NULL : s->fill};
}

/* Sets the sizes of a chunk. They stay 0 if it has too many elements. */
static bool
size_chunk(const ncz_limits *limits, ncz_spec *s)
{
    size_t nbytes;

    if (!ncz_grid_nbytes(s->chunk, s->rank, s->dtype.size, &nbytes) || nbytes > limits->chunk_bytes)
        return false;
    s->chunk_bytes = nbytes;
    s->chunk_nelems = s->dtype.size == 0 ? 0 : nbytes / s->dtype.size;
    return true;
}

static int
type_chain(const ncz_model *m, const ncz_var *v, ncz_spec *s)
{
    ncz_array_type type = ncz_spec_array_type(s);

    if (m->heaps && s->dtype.kind == NCZ_KIND_OBJECT)
        return ncz_chain_part(v->chain, 0, 1, &type, &s->chain);
    return ncz_chain_retype(v->chain, &type, &s->chain);
}

/* ---- shards ---- */

enum { SLOT_BYTES = 16 }; /* of a shard's index, and in memory */

bool
ncz_model_count_shard(const ncz_limits *limits, size_t rank, const uint64_t *shard, const uint64_t *chunk,
                      uint64_t *object, size_t *nchunks)
{
    size_t n = 1;

    for (size_t r = 0; r < rank; r++) {
        uint64_t here;

        if (chunk[r] == 0 || shard[r] == 0 || shard[r] % chunk[r] != 0)
            return false;
        here = shard[r] / chunk[r];
        if (here > SIZE_MAX || !ncz_mul(n, (size_t)here, &n) || n > limits->object_bytes / SLOT_BYTES)
            return false;
        if (object != NULL)
            object[r] = here;
    }
    *nchunks = n;
    return true;
}

static int
fail_shards(const ncz_spec *s)
{
    return ncz_fail(NC_EBADCHUNK, "%s: its shards are not multiples of its chunks, or have too many of them",
                    s->path);
}

/* ---- the layout ---- */

/* Of a model without a format, which tests make. */
static const ncz_layout_ops no_place = {.name = "none"};

/* Of variables whose values come from a source: nothing of them is stored as chunks. */
static int
locate_nothing(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)l;
    (void)index;
    (void)key;
    where->key = "";
    where->length = 0;
    return NC_NOERR;
}

static const ncz_layout_ops elsewhere = {
    .name = "elsewhere", .locate = locate_nothing, .complete = true, .own_chunks = true};

/* Counts the chunks of an object and those of the array, in each dimension. *ok: false if the shards are not usable. */
static void
count_objects(const ncz_model *m, const ncz_var *v, uint64_t *object, uint64_t *extent, size_t *nslots, bool *ok)
{
    *ok = ncz_model_count_shard(&m->limits, v->rank, v->shard, v->chunk, object, nslots);
    for (size_t r = 0; r < v->rank && *ok; r++)
        extent[r] = v->dims[r]->unlimited ? UINT64_MAX : ncz_count_parts(v->dims[r]->len, v->chunk[r]);
}

/* *ok: false if the shards are not usable; each chunk is an object then. */
static int
make_layout(ncz_model *m, const ncz_var *v, ncz_spec *s, bool *ok)
{
    ncz_layout_shape shape = {.rank = v->rank, .path = s->path, .grid = v->rectilinear};
    bool             first = v->spec == NULL || v->spec->layout->lasting;
    uint64_t        *object = NULL, *extent = NULL;
    int              rc = NC_NOERR;

    *ok = true;
    shape.arena = first ? &m->arena : NULL; /* most are never replaced */
    if (v->shard != NULL) {
        if ((object = ncz_alloc_n(v->rank, sizeof *object)) == NULL ||
            (extent = ncz_alloc_n(v->rank, sizeof *extent)) == NULL) {
            rc = ncz_fail_nomem(v->rank * sizeof *object);
            goto done;
        }
        count_objects(m, v, object, extent, &shape.nslots, ok);
        shape.object = *ok ? object : NULL; /* lengths of 0 must not reach a function that divides by them */
        shape.extent = *ok ? extent : NULL;
    }
    rc = v->source != NULL        ? ncz_layout_new(&elsewhere, sizeof *s->layout, &shape, &s->layout)
         : m->make_layout != NULL ? m->make_layout(v, &shape, &s->layout)
                                  : ncz_layout_new(&no_place, sizeof *s->layout, &shape, &s->layout);
done:
    ncz_free(object);
    ncz_free(extent);
    return rc;
}

int
ncz_spec_locate(const ncz_spec *s, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    ncz_buf_reset(key);
    *where = (ncz_chunk_addr){.length = UINT64_MAX, .slot = NCZ_NO_SLOT, .chain = s->chain};
    return s->layout->ops->locate(s->layout, index, key, where);
}

/* Records in the spec why the data cannot be read or written. The thread's error record is empty afterwards. */
static int
check_usable(const ncz_model *m, const ncz_var *v, bool sized, bool shared, ncz_spec *s)
{
    int rc;

    if (v->unusable->code != NC_NOERR)
        return (s->unusable = ncz_err_dup(v->unusable)) != NULL ? NC_NOERR : ncz_fail_nomem(sizeof(ncz_err));
    if (!sized) {
        rc = ncz_fail(NC_EBADCHUNK, "%s: one chunk is larger than %zu bytes (limit `chunk_bytes`)", s->path,
                      m->limits.chunk_bytes);
    } else if (!shared) {
        rc = fail_shards(s);
    } else {
        rc = ncz_chain_usable(s->chain);
        if (rc == NC_NOERR && s->dtype.kind == NCZ_KIND_OBJECT && !ncz_chain_objects(s->chain))
            rc = ncz_fail(NC_EBADTYPE, "%s: no codec of this array stores elements of any length", s->path);
        if (rc == NC_NOERR && s->dtype.items != NULL && !ncz_chain_stores(s->chain, s->dtype.items))
            rc = ncz_fail(NC_EBADTYPE, "%s: codec '%s' does not store elements of type %s", s->path,
                          ncz_chain_id(s->chain, 0), v->type->name);
    }
    if ((s->unusable = ncz_err_keep(rc)) == NULL)
        return ncz_fail_nomem(sizeof(ncz_err));
    if (rc != NC_NOERR)
        ncz_err_clear();
    return NC_NOERR;
}

static void
set_row_type(ncz_spec *s)
{
    bool rows =
        s->order == NULL && s->layout->grid == NULL && s->layout->ops != &elsewhere && s->unusable->code == NC_NOERR;

    s->row_type = rows ? ncz_row_type(&s->dtype) : NULL;
}

/* ---- the same for another shape ---- */

static int
reshape_chunks(const ncz_limits *limits, ncz_spec *s, ncz_chain *chain, const uint64_t *shape)
{
    ncz_array_type type;

    memcpy(s->chunk, shape, s->rank * sizeof *shape);
    if (!size_chunk(limits, s))
        return ncz_fail(NC_EBADCHUNK, "%s: one chunk is larger than %zu bytes (limit `chunk_bytes`)", s->path,
                        limits->chunk_bytes);
    type = ncz_spec_array_type(s);
    return ncz_chain_retype(chain, &type, &s->chain);
}

/* The layout for objects of that shape; for chunks it is the same, but knows no other lengths. */
static int
reshape_layout(const ncz_limits *limits, const ncz_spec *s, const uint64_t *shape, ncz_layout **out)
{
    ncz_dims object;
    size_t   nslots;
    int      rc;

    if (!ncz_layout_has_index(s->layout))
        return ncz_layout_reshape(s->layout, NULL, 1, out);
    if ((rc = ncz_dims_init(&object, s->rank)) != NC_NOERR)
        return rc;
    rc = ncz_model_count_shard(limits, s->rank, shape, s->chunk, object.v, &nslots)
             ? ncz_layout_reshape(s->layout, object.v, nslots, out)
             : fail_shards(s);
    ncz_dims_clear(&object);
    return rc;
}

int
ncz_spec_reshape(const ncz_limits *limits, const ncz_spec *s, const uint64_t *shape, ncz_spec **out)
{
    const ncz_spec like = {.refs = 1,
                           .uid = s->uid,
                           .rank = s->rank,
                           .type = s->type,
                           .dtype = s->dtype,
                           .chunk = s->chunk,
                           .chunk_nelems = s->chunk_nelems,
                           .chunk_bytes = s->chunk_bytes,
                           .row = s->row,
                           .order = s->order,
                           .fill = s->fill,
                           .fill_null = s->fill_null,
                           .path = s->path,
                           .unusable = &ncz_err_none};
    size_t         fill_bytes = s->fill == NULL                    ? 0
                                : s->dtype.kind == NCZ_KIND_OBJECT ? ncz_vlen_nbytes(s->fill)
                                                                   : s->dtype.size;
    ncz_spec      *to = NULL;
    int            rc;

    if ((rc = new_block(NULL, block_bytes(&like, fill_bytes), &to)) != NC_NOERR)
        return rc;
    fill_block(to, &like, fill_bytes);
    if ((rc = reshape_layout(limits, s, shape, &to->layout)) != NC_NOERR)
        goto done;
    if (ncz_layout_has_index(s->layout))
        to->chain = ncz_chain_ref(s->chain);
    else
        rc = reshape_chunks(limits, to, s->chain, shape);
    if (rc != NC_NOERR)
        goto done;
    *out = to;
    to = NULL;
done:
    ncz_spec_unref(to);
    return rc;
}

/* Limits a length to size_t. That is exact enough: a codec only compares it with chunk lengths. */
static size_t
row_length(const ncz_dim *d)
{
    return d->len > SIZE_MAX ? SIZE_MAX : (size_t)d->len;
}

/* Checked before anything of an element's size is allocated. */
static int
check_element(const ncz_model *m, const ncz_var *v, const char *path)
{
    if (v->unusable->code != NC_NOERR || v->dtype.size <= m->limits.element_bytes)
        return NC_NOERR;
    return ncz_fail(NC_EBADCHUNK, "%s: one element of %zu bytes is larger than %zu (limit `element_bytes`)", path,
                    v->dtype.size, m->limits.element_bytes);
}

/* A spec of the variable's fields, with all but its block. Its arrays are those of others. */
static int
make_spec(ncz_model *m, ncz_var *v, char *path, stored_fill *fill, ncz_spec *out)
{
    bool sized, shared;
    int  rc;

    *out = (ncz_spec){.refs = 1,
                      .uid = v->uid,
                      .rank = v->rank,
                      .type = v->type,
                      .dtype = v->dtype,
                      .chunk = v->chunk,
                      .order = v->order,
                      .row = v->rank == 0 ? 0 : row_length(v->dims[v->rank - 1]),
                      .fill_null = v->fill_mode == NCZ_FILL_DEFAULT && v->fill_null,
                      .earlier = v->earlier,
                      .path = path,
                      .unusable = &ncz_err_none};
    out->dtype.big = is_stored_big(m, v);
    if ((rc = set_default_chunks(m, v)) != NC_NOERR || (rc = check_element(m, v, path)) != NC_NOERR ||
        (v->unusable->code == NC_NOERR && (rc = make_fill(v, &out->dtype, fill)) != NC_NOERR))
        return rc;
    out->fill = fill->p;
    sized = v->unusable->code == NC_NOERR && size_chunk(&m->limits, out);
    if ((rc = make_layout(m, v, out, &shared)) != NC_NOERR || (rc = type_chain(m, v, out)) != NC_NOERR ||
        (rc = check_usable(m, v, sized, shared, out)) != NC_NOERR)
        return rc;
    set_row_type(out);
    return NC_NOERR;
}

/* Makes it the variable's, in the block of the old one if nobody else has that and it is large enough. */
static int
give_spec(ncz_model *m, ncz_var *v, const ncz_spec *like, size_t nfill)
{
    ncz_spec *old = v->spec, *s = old;
    size_t    n = block_bytes(like, nfill);
    int       rc;

    if (old != NULL && atomic_load_explicit(&old->refs, memory_order_acquire) == 1 && n <= old->room) {
        drop_parts(old);
        old = NULL;
    } else if ((rc = new_block(old == NULL ? &m->arena : NULL, n, &s)) != NC_NOERR) {
        return rc;
    }
    fill_block(s, like, nfill);
    v->dtype.big = s->dtype.big;
    v->spec = s; /* last: others may have waited for it */
    ncz_spec_unref(old);
    return NC_NOERR;
}

int
ncz_var_respec(ncz_model *m, ncz_var *v)
{
    ncz_spec    s = {.unusable = &ncz_err_none};
    stored_fill fill = {.p = NULL};
    ncz_buf     path = NCZ_BUF_INIT;
    bool        root = v->group->parent == NULL;
    int         rc;

    if ((root || (rc = ncz_var_key(v, &path)) == NC_NOERR) &&
        (rc = make_spec(m, v, root ? v->name : path.data, &fill, &s)) == NC_NOERR)
        rc = give_spec(m, v, &s, fill.n);
    if (rc != NC_NOERR)
        drop_parts(&s);
    ncz_free(fill.own);
    ncz_buf_clear(&path);
    return rc;
}
