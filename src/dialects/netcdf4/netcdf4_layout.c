/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the chunks of a netCDF-4 variable lie: at the addresses that the file's index has, which is read once, when
 * data are first asked for; one after the other, where the data are contiguous; or in the header.
 * Elements that no codec can make are converted then (netcdf4_convert.c).
 */
#include "dialects/netcdf4/netcdf4_layout.h"
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding ---- */

static int
compare_stored(const void *a, const void *b)
{
    uint64_t x = ((const ncz_netcdf4_stored *)a)->number, y = ((const ncz_netcdf4_stored *)b)->number;

    return x < y ? -1 : x > y;
}

typedef struct search {
    ncz_netcdf4_layout    *l;
    const ncz_hdf5_object *o;
} search;

/* The chain of chunks with that mask, in the type of bytes that the file has. */
static int
chain_of_mask(const search *s, uint32_t mask, const ncz_chain **out)
{
    ncz_netcdf4_layout     *l = s->l;
    const ncz_netcdf4_type *t = l->place->type;
    ncz_array_type in = {.dtype = ncz_netcdf4_is_converted(t) ? (ncz_dtype){.kind = NCZ_KIND_OTHER} : l->dtype,
                         .chunk_bytes = l->nbytes};
    int            rc;

    for (size_t i = 0; i < l->nmasks; i++)
        if (l->masks[i].mask == mask) {
            *out = l->masks[i].chain;
            return NC_NOERR;
        }
    if (l->nmasks == NCZ_NETCDF4_MASKS)
        return ncz_fail(NC_EFILTER, "%s: its chunks skip filters in more than %d ways", l->place->path,
                        NCZ_NETCDF4_MASKS);
    in.dtype.size = t->size * t->nelems;
    if ((rc = ncz_make_room(&l->masks, l->nmasks, &l->masks_cap, sizeof *l->masks)) != NC_NOERR ||
        (rc = ncz_netcdf4_make_chain(s->o, mask, &in, &l->masks[l->nmasks].chain)) != NC_NOERR)
        return rc;
    l->masks[l->nmasks].mask = mask;
    *out = l->masks[l->nmasks++].chain;
    return NC_NOERR;
}

static int
add_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    const search       *s = arg;
    ncz_netcdf4_layout *l = s->l;
    ncz_netcdf4_stored  chunk = {.offset = ncz_hdf5_base(l->file->f) + c->addr, .length = c->len, .mask = c->mask};
    int                 rc;

    for (size_t d = 0; d < l->place->rank; d++)
        chunk.number = chunk.number * l->count[d] + c->at[d]; /* the product fits */
    chunk.usual = c->mask == 0 && !ncz_netcdf4_is_converted(l->place->type);
    if (!chunk.usual && (rc = chain_of_mask(s, c->mask, &chunk.chain)) != NC_NOERR)
        return rc;
    chunk.plain = (chunk.usual ? s->o->nfilters : ncz_chain_len(chunk.chain)) == 0;
    if (chunk.plain && c->len > l->nbytes)
        chunk.length = l->nbytes; /* elements, and nothing else */
    if ((rc = ncz_make_room(&l->v, l->n, &l->cap, sizeof *l->v)) != NC_NOERR)
        return rc;
    l->v[l->n++] = chunk;
    return NC_NOERR;
}

/* ---- the search, once ---- */

static void
forget_chunks(ncz_netcdf4_layout *l)
{
    for (size_t i = 0; i < l->n; i++) {
        ncz_free(l->v[i].bytes);
        ncz_free(l->v[i].lost);
    }
    ncz_free(l->lost);
    l->lost = NULL;
    for (size_t i = 0; i < l->nmasks; i++)
        ncz_chain_unref(l->masks[i].chain);
    ncz_free(l->masks);
    l->masks = NULL;
    ncz_free(l->v);
    l->v = NULL;
    l->n = l->cap = l->nmasks = l->masks_cap = 0;
    ncz_buf_clear(&l->unwritten);
}

/* What is damaged of the index costs the chunks that are in that part. */
static int
search_index(search *s)
{
    ncz_netcdf4_layout *l = s->l;
    ncz_arena           arena = NCZ_ARENA_INIT;
    ncz_hdf5_losses     losses = {.arena = &arena};
    int                 rc = ncz_hdf5_chunks(l->file->f, s->o, NULL, NULL, add_chunk, s, &losses);

    if (rc == NC_NOERR && losses.n > 0 && (l->lost = ncz_strdup(losses.why)) == NULL)
        rc = ncz_fail_nomem(strlen(losses.why));
    ncz_arena_clear(&arena);
    return rc;
}

static int
look_up_chunks(ncz_netcdf4_layout *l)
{
    ncz_hdf5_object o;
    search          s = {.l = l, .o = &o};
    int             rc = ncz_hdf5_object_read(l->file->f, l->place->addr, &o);

    if (rc != NC_NOERR)
        return rc;
    if (l->place->kind == NCZ_HDF5_CHUNKED && o.kind == NCZ_HDF5_DATASET && o.layout.kind == NCZ_HDF5_CHUNKED &&
        o.space.rank == l->place->rank)
        rc = search_index(&s);
    if (rc == NC_NOERR && l->n > 1)
        qsort(l->v, l->n, sizeof *l->v, compare_stored);
    if (rc == NC_NOERR && ncz_netcdf4_is_converted(l->place->type))
        rc = ncz_netcdf4_convert_chunks(l, &o.fill);
    ncz_hdf5_object_clear(&o);
    return rc;
}

static int
find_chunks(ncz_layout *layout, const ncz_layout_source *source)
{
    ncz_netcdf4_layout *l = (ncz_netcdf4_layout *)(void *)layout;
    ncz_netcdf4_file   *file = l->file;
    ncz_err             err;
    int                 rc = NC_NOERR;

    if (atomic_load_explicit(&l->found, memory_order_acquire))
        return NC_NOERR;
    (void)pthread_mutex_lock(&file->lock);
    if (!atomic_load_explicit(&l->found, memory_order_relaxed)) {
        file->now = (ncz_dialects_reader){.read = source->read, .arg = source->arg};
        file->taken = 0;
        ncz_hdf5_heap_begin(file->f);
        rc = look_up_chunks(l);
        file->now = (ncz_dialects_reader){.read = NULL};
        if (rc == NC_NOERR)
            atomic_store_explicit(&l->found, true, memory_order_release);
        else
            forget_chunks(l);
    }
    (void)pthread_mutex_unlock(&file->lock);
    if (rc != NC_EHDFERR)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(rc, "%s: %s", l->place->path, err.text);
}

/* ---- the layout ---- */

/* A damaged chunk; addr: UINT64_MAX where it is not known. */
static int
lose_chunk(const ncz_netcdf4_layout *l, const uint64_t *index, uint64_t addr, const char *why, ncz_buf *text,
           ncz_chunk_addr *where)
{
    char at[40] = "";

    if (addr != UINT64_MAX)
        (void)snprintf(at, sizeof at, " at address %" PRIu64, addr - ncz_hdf5_base(l->file->f));
    where->absent = addr == UINT64_MAX;
    return ncz_layout_lose_chunk(&l->common, l->place->path, index, at, why, text, where);
}

/* If the file does not have the chunk's bytes. */
static int
check_chunk(const ncz_netcdf4_layout *l, const uint64_t *index, const ncz_netcdf4_stored *c, ncz_buf *text,
            ncz_chunk_addr *where)
{
    ncz_err err;
    int     rc = ncz_netcdf4_check_stored(l, c);

    if (rc == NC_NOERR)
        return rc;
    ncz_err_save(&err, rc);
    ncz_err_clear();
    return lose_chunk(l, index, c->offset, err.text, text, where);
}

/* Of an array that is shorter than its unlimited dimension, what lies beyond it is the type's default fill value, if it
 * has no other, as netCDF-C has it. */
static bool
is_short(const ncz_netcdf4_layout *l, size_t d)
{
    return d < l->place->rank && l->dims[d]->unlimited && l->dims[d]->len > l->place->n[d];
}

static void
limit_chunk(const ncz_netcdf4_layout *l, const uint64_t *index, ncz_chunk_addr *where)
{
    const uint64_t *chunk = l->place->n + l->common.rank;

    for (size_t d = 0; d < l->place->rank; d++)
        if (is_short(l, d) && index[d] >= l->place->n[d] / chunk[d]) {
            where->extent = l->place->n;
            where->beyond = l->beyond;
            if (!where->absent)
                where->tail = NCZ_TAIL_ZEROS; /* that ways for chunks without any are not taken */
        }
}

/* A chunk that is not stored has the fill value. */
static int
locate_nothing(const ncz_netcdf4_layout *l, const uint64_t *index, ncz_chunk_addr *where)
{
    bool           kept = ncz_netcdf4_is_converted(l->place->type) && l->type->owns;
    ncz_chunk_tail tail = l->place->zeros ? NCZ_TAIL_ZEROS : NCZ_TAIL_FILL;

    where->absent = true;
    where->bytes = kept ? l->unwritten.data : "";
    where->length = kept ? l->unwritten.len : 0;
    where->chain = kept ? l->kept : NULL;
    where->tail = kept ? NCZ_TAIL_NONE : tail;
    if (!kept)
        limit_chunk(l, index, where);
    return NC_NOERR;
}

static int
locate_stored(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_netcdf4_layout *l = (const ncz_netcdf4_layout *)(const void *)layout;
    ncz_netcdf4_stored        wanted = {.number = 0};
    const ncz_netcdf4_stored *c = NULL;
    bool                      inside = true;

    where->key = "";
    if (!atomic_load_explicit(&l->found, memory_order_acquire))
        return ncz_fail(NC_EINTERNAL, "%s: where its chunks lie is not known yet", l->place->path);
    for (size_t d = 0; d < l->place->rank; d++) {
        inside = inside && index[d] < l->count[d];
        wanted.number = wanted.number * l->count[d] + index[d];
    }
    if (inside && l->n > 0) /* all numbers are there, mostly */
        c = wanted.number < l->n && l->v[wanted.number].number == wanted.number
                ? &l->v[wanted.number]
                : bsearch(&wanted, l->v, l->n, sizeof *l->v, compare_stored);
    if (c == NULL && inside && l->lost != NULL)
        return lose_chunk(l, index, UINT64_MAX, l->lost, key, where);
    if (c == NULL)
        return locate_nothing(l, index, where);
    where->offset = c->bytes != NULL ? 0 : c->offset;
    where->length = c->bytes != NULL ? c->nbytes : c->length;
    where->bytes = c->bytes;
    if (c->bytes != NULL && l->place->kind != NCZ_HDF5_COMPACT) {
        where->from = c->offset;
        where->nfrom = c->length;
    }
    where->mask = c->mask;
    if (!c->usual)
        where->chain = c->chain;
    if (c->lost != NULL)
        return lose_chunk(l, index, c->offset, c->lost, key, where);
    limit_chunk(l, index, where);
    return c->bytes == NULL ? check_chunk(l, index, c, key, where) : NC_NOERR;
}

/* Pieces of data that are in one place. */
static int
locate_piece(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_netcdf4_layout *l = (const ncz_netcdf4_layout *)(const void *)layout;
    const ncz_netcdf4_place  *p = l->place;
    uint64_t                  offset = 0, length = p->type->size, step = p->type->size;

    where->key = "";
    for (size_t d = layout->rank; d-- > 0;) {
        uint64_t first, chunk = p->n[layout->rank + d], n;

        if (!ncz_mul64(index[d], chunk, &first) || first >= p->n[d])
            return locate_nothing(l, index, where);
        n = p->n[d] - first < chunk ? p->n[d] - first : chunk;
        where->tail = n < chunk ? NCZ_TAIL_FILL : where->tail;
        offset += first * step; /* no overflow: the size was checked */
        length *= n;
        step *= p->n[d];
    }
    where->offset = p->data;
    where->length = length;
    limit_chunk(l, index, where);
    if (p->kind == NCZ_HDF5_CONTIGUOUS && p->data != UINT64_MAX) {
        where->offset += offset;
        return check_chunk(l, index, &(ncz_netcdf4_stored){.offset = where->offset, .length = length}, key, where);
    }
    if (p->kind != NCZ_HDF5_COMPACT || p->compact == NULL)
        return locate_nothing(l, index, where);
    if (offset > p->ncompact || length > p->ncompact - offset)
        return ncz_fail(NC_EHDFERR, "%s: it has only %zu bytes", p->path, p->ncompact);
    where->offset = 0;
    where->bytes = p->compact + offset;
    return NC_NOERR;
}

static void
clear_layout(ncz_layout *layout)
{
    ncz_netcdf4_layout *l = (ncz_netcdf4_layout *)(void *)layout;

    forget_chunks(l);
    ncz_chain_unref(l->kept);
    ncz_free(l->place);
    ncz_free(l->count);
    ncz_free(l->beyond);
}

/* A copy of a chunk would show what is beyond the array. */
static bool
are_as_stored(const ncz_layout *layout)
{
    const ncz_netcdf4_layout *l = (const ncz_netcdf4_layout *)(const void *)layout;
    bool                      all = true;

    for (size_t d = 0; d < l->place->rank; d++)
        all = all && !is_short(l, d);
    return all;
}

static const ncz_layout_ops chunked_ops = {.name = "netCDF-4",
                                           .locate = locate_stored,
                                           .find = find_chunks,
                                           .complete = true,
                                           .as_stored = are_as_stored,
                                           .own_chunks = true,
                                           .clear = clear_layout};
static const ncz_layout_ops converted_ops = {.name = "netCDF-4",
                                             .locate = locate_stored,
                                             .find = find_chunks,
                                             .complete = true,
                                             .own_chunks = true,
                                             .clear = clear_layout};
static const ncz_layout_ops whole_ops = {
    .name = "netCDF-4", .locate = locate_piece, .complete = true, .own_chunks = true, .clear = clear_layout};

/* Counts the chunks, and the elements and bytes of one. */
static int
measure_chunks(ncz_netcdf4_layout *l, size_t rank)
{
    const ncz_netcdf4_place *p = l->place;
    const uint64_t          *chunk = p->n + rank;
    uint64_t                 all = 1;

    if (!ncz_grid_nbytes(chunk, rank, 1, &l->nelems) || !ncz_mul(l->nelems, p->type->size, &l->nbytes))
        return ncz_fail(NC_EBADCHUNK, "%s: its chunks are larger than memory", l->place->path);
    for (size_t d = 0; d < p->rank; d++) {
        l->count[d] = ncz_count_parts(p->n[d], chunk[d]);
        if (!ncz_mul64(all, l->count[d] == 0 ? 1 : l->count[d], &all))
            return ncz_fail(NC_EHDFERR, "%s: it has more chunks than 64 bits count", l->place->path);
    }
    return NC_NOERR;
}

/* The data that are in one place must have a size. */
static int
check_size(const ncz_netcdf4_layout *l, size_t rank)
{
    uint64_t n = l->place->type->size;

    for (size_t d = 0; d < rank; d++)
        if (!ncz_mul64(n, l->place->n[d], &n) || n > INT64_MAX)
            return ncz_fail(NC_EHDFERR, "%s: it is larger than a file can be", l->place->path);
    return NC_NOERR;
}

/* An element of what is beyond the array. */
static int
make_beyond(ncz_netcdf4_layout *l, const ncz_var *v)
{
    const void *fill = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    int         rc;

    if (fill == NULL || v->dtype.kind == NCZ_KIND_OTHER || v->dtype.kind == NCZ_KIND_OBJECT)
        return NC_NOERR;
    if ((l->beyond = ncz_zalloc(v->dtype.size)) == NULL)
        return ncz_fail_nomem(v->dtype.size);
    rc = ncz_convert_in(v->type, fill, &v->dtype, l->beyond, 1, false);
    return rc == NC_ERANGE ? NC_NOERR : rc;
}

int
ncz_netcdf4_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    const ncz_netcdf4_place *p = v->place;
    bool                     converted = p != NULL && ncz_netcdf4_is_converted(p->type);
    bool                     chunked = p != NULL && (p->kind == NCZ_HDF5_CHUNKED || converted);
    const ncz_layout_ops    *ops = converted ? &converted_ops : chunked ? &chunked_ops : &whole_ops;
    ncz_layout              *layout = NULL;
    ncz_netcdf4_layout      *l;
    int                      rc;

    if (p == NULL) /* a new one */
        return ncz_netcdf4_make_written(v, shape, out);
    if ((rc = ncz_layout_new(ops, sizeof *l, shape, &layout)) != NC_NOERR)
        return rc;
    l = (ncz_netcdf4_layout *)(void *)layout;
    l->dtype = v->dtype;
    l->type = v->type;
    l->unwritten = NCZ_BUF_INIT;
    l->file = p->file;
    l->dims = v->dims;
    layout->zeros = p->zeros;
    l->place = ncz_dup(p, sizeof *p + 2 * v->rank * sizeof *p->n);
    l->count = ncz_zalloc_n(p->rank, sizeof *l->count);
    if (l->place == NULL || l->count == NULL)
        rc = ncz_fail_nomem(sizeof *p);
    else if ((rc = measure_chunks(l, v->rank)) == NC_NOERR && !chunked)
        rc = check_size(l, v->rank);
    if (rc != NC_NOERR && v->unusable->code != NC_NOERR && ncz_netcdf4_costs_object(rc)) {
        ncz_err_clear(); /* nothing is read of it */
        rc = NC_NOERR;
    }
    if (rc == NC_NOERR && v->unusable->code == NC_NOERR)
        rc = make_beyond(l, v);
    if (rc == NC_NOERR && converted && v->type->owns)
        rc = ncz_netcdf4_make_object_chain(&p->file->limits, &(ncz_array_type){.dtype = v->dtype}, &l->kept);
    if (rc == NC_NOERR)
        *out = layout;
    else
        ncz_layout_unref(layout);
    return rc;
}
