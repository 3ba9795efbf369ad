/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the chunks of a variable lie: pieces one after the other, where the data are in one place; else where the file
 * says, which is looked up when data are first asked for (hdf4sd_stored.c).
 */
#include "dialects/hdf4/hdf4sd.h"

#include <stdlib.h>
#include <string.h>

static ncz_hdf4sd_layout *
own(ncz_layout *layout)
{
    return (ncz_hdf4sd_layout *)(void *)layout;
}

static const ncz_hdf4sd_layout *
own_const(const ncz_layout *layout)
{
    return (const ncz_hdf4sd_layout *)(const void *)layout;
}

static int
find_chunks(ncz_layout *layout, const ncz_layout_source *source)
{
    ncz_hdf4sd_layout *l = own(layout);
    ncz_hdf4sd_file   *file = l->place->file;
    ncz_err            err;
    int                rc = NC_NOERR;

    if (atomic_load_explicit(&l->found, memory_order_acquire))
        return NC_NOERR;
    (void)pthread_mutex_lock(&file->lock);
    if (!atomic_load_explicit(&l->found, memory_order_relaxed)) {
        file->now = (ncz_dialects_reader){.read = source->read, .arg = source->arg};
        rc = ncz_hdf4sd_find_stored(l, source);
        file->now = (ncz_dialects_reader){.read = NULL};
        if (rc == NC_NOERR)
            atomic_store_explicit(&l->found, true, memory_order_release);
        else
            ncz_hdf4sd_forget_stored(l);
    }
    (void)pthread_mutex_unlock(&file->lock);
    if (rc != NC_EHDFERR)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(rc, "%s: %s", l->place->name, err.text);
}

/* ---- places ---- */

/* Whether a chunk has elements behind the variable's own records. */
static bool
is_short(const ncz_hdf4sd_layout *l, const uint64_t *index)
{
    const ncz_hdf4sd_place *p = l->place;

    return p->rank > 0 && l->dims[0]->len > p->n[0] && index[0] >= p->n[0] / p->n[p->rank];
}

/* Elements that were never written. */
static int
locate_nothing(const ncz_hdf4sd_layout *l, ncz_chunk_addr *where)
{
    const ncz_hdf4sd_place *p = l->place;

    where->absent = true;
    where->chain = NULL;
    where->bytes = l->absent != NULL ? l->absent : p->rank == 0 ? p->fill : (const void *)"";
    where->length = l->absent != NULL ? l->bytes : p->rank == 0 ? p->element : 0;
    if (l->absent != NULL || p->rank == 0)
        return NC_NOERR;
    where->tail = NCZ_TAIL_ZEROS;
    where->extent = l->count + p->rank; /* zeros */
    where->beyond = p->fill;
    return NC_NOERR;
}

static void
limit_chunk(const ncz_hdf4sd_layout *l, const uint64_t *index, ncz_chunk_addr *where)
{
    if (!is_short(l, index))
        return;
    where->extent = l->place->n;
    where->beyond = l->place->fill;
    where->tail = NCZ_TAIL_ZEROS; /* that ways for chunks without any are not taken */
}

static int
locate_piece(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_hdf4sd_layout *l = own_const(layout);
    const ncz_hdf4sd_place  *p = l->place;
    uint64_t                 offset = 0, length = p->element, step = p->element;

    where->key = "";
    if (p->data.kind == NCZ_HDF4_NOTHING)
        return locate_nothing(l, where);
    for (size_t d = layout->rank; d-- > 0;) {
        uint64_t first, chunk = p->n[layout->rank + d], n;

        if (!ncz_mul64(index[d], chunk, &first) || first >= p->n[d])
            return locate_nothing(l, where);
        n = p->n[d] - first < chunk ? p->n[d] - first : chunk;
        where->tail = n < chunk ? NCZ_TAIL_FILL : where->tail;
        offset += first * step; /* no overflow: the size was checked */
        length *= n;
        step *= p->n[d];
    }
    where->offset = p->data.at + offset;
    where->length = length;
    limit_chunk(l, index, where);
    if (where->offset > p->file->size || length > p->file->size - where->offset)
        return ncz_layout_lose_chunk(layout, p->name, index, "", "its bytes go beyond the file's end", key, where);
    return NC_NOERR;
}

static int
compare_numbers(const void *a, const void *b)
{
    uint64_t x = ((const ncz_hdf4sd_stored *)a)->number, y = ((const ncz_hdf4sd_stored *)b)->number;

    return x < y ? -1 : x > y;
}

static const ncz_hdf4sd_stored *
find_stored(const ncz_hdf4sd_layout *l, const uint64_t *index)
{
    ncz_hdf4sd_stored wanted = {.number = 0};

    for (size_t d = 0; d < l->place->rank; d++) {
        if (index[d] >= l->count[d])
            return NULL;
        wanted.number = wanted.number * l->count[d] + index[d];
    }
    if (wanted.number < l->n && l->v[wanted.number].number == wanted.number) /* all numbers are there, mostly */
        return &l->v[wanted.number];
    return l->n > 0 ? bsearch(&wanted, l->v, l->n, sizeof *l->v, compare_numbers) : NULL;
}

static bool
is_inside(const ncz_hdf4sd_layout *l, const uint64_t *index)
{
    for (size_t d = 0; d < l->place->rank; d++)
        if (index[d] >= l->count[d])
            return false;
    return true;
}

static int
locate_stored(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_hdf4sd_layout *l = own_const(layout);
    const ncz_hdf4sd_stored *c;

    where->key = "";
    if (!atomic_load_explicit(&l->found, memory_order_acquire))
        return ncz_fail(NC_EINTERNAL, "%s: where its chunks lie is not known yet", l->place->name);
    if ((c = find_stored(l, index)) == NULL && l->lost != NULL && is_inside(l, index)) {
        where->absent = true;
        return ncz_layout_lose_chunk(layout, l->place->name, index, "", l->lost, key, where);
    }
    if (c == NULL)
        return locate_nothing(l, where);
    if (c->lost != NULL)
        return ncz_layout_lose_chunk(layout, l->place->name, index, "", c->lost, key, where);
    where->offset = c->bytes != NULL ? 0 : c->offset;
    where->length = c->length;
    where->bytes = c->bytes;
    if (where->bytes == NULL && c->offset == NCZ_HDF4_NONE) { /* zeros, of data in blocks */
        where->bytes = "";
        where->length = 0;
        where->offset = 0;
        where->tail = NCZ_TAIL_ZEROS;
    } else if (where->chain == NULL && c->length < l->bytes) {
        where->tail = NCZ_TAIL_FILL;
    }
    limit_chunk(l, index, where);
    return NC_NOERR;
}

static int
fail_unplaced(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)index, (void)key, (void)where;
    return ncz_fail(NC_EHDFERR, "%s: where its data lie is not known", layout->path);
}

static void
clear_layout(ncz_layout *layout)
{
    ncz_hdf4sd_layout *l = own(layout);

    ncz_hdf4sd_forget_stored(l);
    ncz_free(l->absent);
    ncz_free(l->place);
    ncz_free(l->count);
}

/* Chunks that are not there must read as the array's fill value in a copy, too. */
static bool
are_as_stored(const ncz_layout *layout)
{
    const ncz_hdf4sd_layout *l = own_const(layout);

    return l->place->data.kind == NCZ_HDF4_CHUNKED && l->place->like_array && l->absent == NULL;
}

static const ncz_layout_ops stored_ops = {.name = "HDF4",
                                          .locate = locate_stored,
                                          .find = find_chunks,
                                          .complete = true,
                                          .as_stored = are_as_stored,
                                          .own_chunks = true,
                                          .clear = clear_layout};
static const ncz_layout_ops pieces_ops = {
    .name = "HDF4", .locate = locate_piece, .complete = true, .own_chunks = true, .clear = clear_layout};
static const ncz_layout_ops unplaced_ops = {
    .name = "HDF4", .locate = fail_unplaced, .complete = true, .own_chunks = true};

/* ---- making one ---- */

static int
measure_chunks(ncz_hdf4sd_layout *l)
{
    const ncz_hdf4sd_place *p = l->place;
    uint64_t                all = 1;

    if (!ncz_grid_nbytes(p->n + p->rank, p->rank, 1, &l->nelems) || !ncz_mul(l->nelems, p->element, &l->bytes))
        return ncz_fail(NC_EBADCHUNK, "%s: its chunks are larger than memory", p->name);
    for (size_t d = 0; d < p->rank; d++) {
        l->count[d] = ncz_count_parts(p->n[d], p->n[p->rank + d]);
        if (!ncz_mul64(all, l->count[d] == 0 ? 1 : l->count[d], &all))
            return ncz_fail(NC_EHDFERR, "%s: it has more chunks than 64 bits count", p->name);
    }
    return NC_NOERR;
}

/* A chunk that is absent has the fill value that the file has for it, which may be another one than the variable's, and
 * longer than an element. */
static int
make_absent(ncz_hdf4sd_layout *l, size_t most)
{
    ncz_hdf4sd_place    *p = l->place;
    const ncz_hdf4_data *d = &p->data;

    if (d->kind != NCZ_HDF4_CHUNKED || d->nfill == 0)
        return NC_NOERR;
    if (d->nfill == p->element) {
        memcpy(p->fill, d->fill, p->element);
        return NC_NOERR;
    }
    if (l->bytes > most)
        return ncz_fail(NC_EBADCHUNK, "%s: a chunk has %zu bytes (limit `chunk_bytes`)", p->name, l->bytes);
    if ((l->absent = ncz_alloc(l->bytes)) == NULL)
        return ncz_fail_nomem(l->bytes);
    ncz_fill_elems(l->absent, l->bytes / d->nfill, d->fill, d->nfill);
    return NC_NOERR;
}

int
ncz_hdf4sd_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    const ncz_hdf4sd_place *p = v->place;
    bool               pieces = p != NULL && (p->data.kind == NCZ_HDF4_PLAIN || p->data.kind == NCZ_HDF4_NOTHING);
    ncz_layout        *layout = NULL;
    ncz_hdf4sd_layout *l;
    int                rc;

    if (p == NULL) /* its data cannot be read */
        return ncz_layout_new(&unplaced_ops, sizeof *l, shape, out);
    if ((rc = ncz_layout_new(pieces ? &pieces_ops : &stored_ops, sizeof *l, shape, &layout)) != NC_NOERR)
        return rc;
    l = own(layout);
    l->dims = v->dims;
    l->place = ncz_dup(p, sizeof *p + 2 * v->rank * sizeof *p->n);
    l->count = ncz_zalloc_n(2 * p->rank, sizeof *l->count);
    if (l->place == NULL || l->count == NULL)
        rc = ncz_fail_nomem(sizeof *p);
    else if ((rc = measure_chunks(l)) == NC_NOERR)
        rc = make_absent(l, p->file->limits.chunk_bytes);
    if (rc == NC_NOERR)
        *out = layout;
    else
        ncz_layout_unref(layout);
    return rc;
}
