/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the chunks of a netCDF-4 variable lie: at the addresses that the file's index has, which is read once, when
 * data are first asked for; one after the other, where the data are contiguous; or in the header.
 *
 * Elements with bytes in the global heap, and integers of fewer bits than their bytes, are converted when the addresses
 * are looked up, and kept in memory: no codec can read other places of a file.
 */
#include "format/netcdf4/netcdf4.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MASKS_MOST = 64,    /* different filter masks of an array */
    BATCH_CHUNKS = 256, /* that are converted, and read at once; in bytes: */
    BATCH_BYTES = 4 << 20,
};

/* A chunk that is stored. */
typedef struct stored {
    uint64_t         number;         /* in the grid, in C order */
    uint64_t         offset, length; /* in the file */
    uint32_t         mask;
    bool             usual; /* it has the codecs of the array, */
    const ncz_chain *chain; /* or these */
    char            *bytes; /* converted: `nbytes` of them; NULL: in the file */
    size_t           nbytes;
} stored;

typedef struct masked {
    uint32_t   mask;
    ncz_chain *chain;
} masked;

typedef struct netcdf4_layout {
    ncz_layout         common;
    atomic_bool        found;
    ncz_netcdf4_file  *file;
    ncz_netcdf4_place *place; /* its own copy */
    ncz_dtype          dtype; /* as the engine has the elements */
    const ncz_type    *type;
    ncz_chain         *kept;           /* converted elements: how they are kept */
    size_t             nelems, nbytes; /* of a chunk: elements, bytes as they are in the file */
    uint64_t          *count;          /* chunks of the dataset in each of its dimensions */
    stored            *v;              /* sorted by number */
    size_t             n, cap;
    masked             masks[MASKS_MOST];
    size_t             nmasks;
    ncz_buf            unwritten; /* converted: a chunk that is not stored */
} netcdf4_layout;

/* ---- finding ---- */

static int
compare_stored(const void *a, const void *b)
{
    uint64_t x = ((const stored *)a)->number, y = ((const stored *)b)->number;

    return x < y ? -1 : x > y;
}

typedef struct search {
    netcdf4_layout        *l;
    const ncz_hdf5_object *o;
} search;

/* The chain of chunks with that mask, in the type of bytes that the file has. */
static int
chain_of_mask(const search *s, uint32_t mask, const ncz_chain **out)
{
    netcdf4_layout         *l = s->l;
    const ncz_netcdf4_type *t = l->place->type;
    ncz_array_type in = {.dtype = ncz_netcdf4_is_converted(t) ? (ncz_dtype){.kind = NCZ_KIND_OTHER} : l->dtype,
                         .chunk_bytes = l->nbytes};
    int            rc;

    for (size_t i = 0; i < l->nmasks; i++)
        if (l->masks[i].mask == mask) {
            *out = l->masks[i].chain;
            return NC_NOERR;
        }
    if (l->nmasks == MASKS_MOST)
        return ncz_fail(NC_EFILTER, "%s: its chunks skip filters in more than %d ways", l->place->path, MASKS_MOST);
    in.dtype.size = t->size * t->nelems;
    if ((rc = ncz_netcdf4_make_chain(s->o, mask, &in, &l->masks[l->nmasks].chain)) != NC_NOERR)
        return rc;
    l->masks[l->nmasks].mask = mask;
    *out = l->masks[l->nmasks++].chain;
    return NC_NOERR;
}

static int
add_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    const search   *s = arg;
    netcdf4_layout *l = s->l;
    stored          chunk = {.offset = ncz_hdf5_base(l->file->f) + c->addr, .length = c->len, .mask = c->mask};
    int             rc;

    for (size_t d = 0; d < l->place->rank; d++)
        chunk.number = chunk.number * l->count[d] + c->at[d]; /* the product fits */
    if (c->len > l->file->limits.object_bytes)
        return ncz_fail(NC_EHDFERR, "%s: a chunk of %" PRIu64 " bytes", l->place->path, c->len);
    chunk.usual = c->mask == 0 && !ncz_netcdf4_is_converted(l->place->type);
    if (!chunk.usual && (rc = chain_of_mask(s, c->mask, &chunk.chain)) != NC_NOERR)
        return rc;
    if ((chunk.usual ? s->o->nfilters : ncz_chain_len(chunk.chain)) == 0) {
        if (c->len < l->nbytes)
            return ncz_fail(NC_EHDFERR, "%s: a chunk of %" PRIu64 " bytes in place of %zu", l->place->path, c->len,
                            l->nbytes);
        chunk.length = l->nbytes; /* elements, and nothing else */
    }
    if ((rc = ncz_make_room(&l->v, l->n, &l->cap, sizeof *l->v)) != NC_NOERR)
        return rc;
    l->v[l->n++] = chunk;
    return NC_NOERR;
}

/* ---- elements that are converted ---- */

/* Elements as the file has them -> as the engine takes them, encoded: the chunk's bytes. */
static int
convert_elements(netcdf4_layout *l, const unsigned char *in, ncz_buf *out)
{
    const uint64_t  none = 0, n = l->nelems, one = 1;
    const ptrdiff_t step = 1;
    ncz_piece       piece = {.rank = 1, .nelems = n, .whole = true};
    ncz_transfer    move = {.dtype = &l->dtype, .mem = l->type, .chunk = &n};
    ncz_buf         block = NCZ_BUF_INIT;
    char           *values = ncz_zalloc_n(l->nelems, l->type->size);
    int             rc;

    piece.index = piece.off = &none;
    piece.n = &n;
    piece.stride = &one;
    piece.imap = &step;
    if (values == NULL)
        return ncz_fail_nomem(l->nelems * l->type->size);
    rc = ncz_netcdf4_read_values(l->file, l->place->type, in, l->nelems / l->place->type->nelems, values);
    if (rc == NC_NOERR && !l->type->owns && (rc = ncz_buf_reserve(out, l->nelems * l->dtype.size)) == NC_NOERR) {
        out->len = l->nelems * l->dtype.size;
        rc = ncz_convert_in(l->type, values, &l->dtype, out->data, l->nelems, false);
    } else if (rc == NC_NOERR &&
               (rc = ncz_vlen_put(&move, &piece, l->nelems, NULL, NULL, values, &block)) == NC_NOERR)
        rc = ncz_chain_encode_vlen(l->kept, NULL, ncz_vlen_in(&block), out);
    ncz_type_free_elems(l->type, values, l->nelems);
    ncz_free(values);
    ncz_buf_clear(&block);
    return rc;
}

/* Stored chunks, decoded one after the other into `room`: l->nbytes of each. They are read side by side. */
static int
read_stored(netcdf4_layout *l, const stored *c, size_t n, unsigned char *room)
{
    ncz_hdf5_range *ranges = ncz_alloc_n(n, sizeof *ranges);
    unsigned char  *bytes = NULL;
    size_t          total = 0;
    int             rc;

    for (size_t i = 0; i < n; i++)
        total += (size_t)c[i].length;
    if (ranges == NULL || (bytes = ncz_alloc(total)) == NULL) {
        rc = ncz_fail_nomem(total);
        goto done;
    }
    for (size_t i = 0, at = 0; i < n; at += (size_t)c[i++].length)
        ranges[i] = (ncz_hdf5_range){
            .at = c[i].offset - ncz_hdf5_base(l->file->f), .len = (size_t)c[i].length, .out = bytes + at};
    rc = ncz_hdf5_read_ranges(l->file->f, ranges, n);
    for (size_t i = 0, at = 0; rc == NC_NOERR && i < n; at += (size_t)c[i++].length)
        rc = ncz_chain_decode(c[i].chain, NULL, bytes + at, (size_t)c[i].length, room + i * l->nbytes, l->nbytes,
                              false);
done:
    ncz_free(bytes);
    ncz_free(ranges);
    return rc;
}

/* How many of the chunks from number i on are read at once: what fits a few MiB, but one. */
static size_t
count_batch(const netcdf4_layout *l, size_t i)
{
    size_t n = 0, decoded = 0, total = 0;

    if (l->place->kind == NCZ_HDF5_COMPACT)
        return 1;
    do {
        decoded += l->nbytes;
        total += (size_t)l->v[i + n].length; /* at most object_bytes */
        n++;
    } while (i + n < l->n && n < BATCH_CHUNKS &&
             l->nbytes <= BATCH_BYTES - (decoded < BATCH_BYTES ? decoded : BATCH_BYTES) &&
             l->v[i + n].length <= BATCH_BYTES - (total < BATCH_BYTES ? total : BATCH_BYTES));
    return n;
}

/* Says what chunk i of a batch needs of the heap, with what those after it do, unless that was said before. */
static int
expect_heap(netcdf4_layout *l, const unsigned char *room, size_t i, size_t n, size_t *said)
{
    size_t size = l->place->type->size, each = l->nbytes / size, taken = 0;
    int    rc;

    if (n < 2 || !ncz_netcdf4_is_in_heap(l->place->type) || *said >= (i + 1) * each)
        return NC_NOERR;
    if (*said < i * each)
        *said = i * each;
    rc = ncz_hdf5_heap_expect(l->file->f, room + *said * size, size, n * each - *said, &taken);
    *said += taken;
    return rc;
}

static int
convert_chunk(netcdf4_layout *l, stored *c, unsigned char *room, uint64_t *kept)
{
    ncz_buf out = NCZ_BUF_LIMIT(l->file->limits.object_bytes);
    int     rc;

    if ((rc = convert_elements(l, room, &out)) != NC_NOERR) {
        ncz_buf_clear(&out);
        return rc;
    }
    if ((*kept += out.len) > l->file->limits.object_bytes) {
        ncz_buf_clear(&out);
        return ncz_fail(NC_ENOTBUILT, "%s: more than %zu bytes of strings or sequences", l->place->path,
                        l->file->limits.object_bytes);
    }
    c->nbytes = out.len;
    c->chain = l->kept;
    c->bytes = ncz_buf_take(&out);
    return c->bytes != NULL ? NC_NOERR : ncz_fail_nomem(out.len);
}

/* Data that are not in chunks are one. */
static int
add_whole(netcdf4_layout *l)
{
    stored c = {.offset = l->place->data, .length = l->nbytes};
    int    rc;

    if (l->place->kind == NCZ_HDF5_CONTIGUOUS && l->place->data == UINT64_MAX)
        return NC_NOERR; /* never written */
    if ((rc = ncz_make_room(&l->v, l->n, &l->cap, sizeof *l->v)) == NC_NOERR)
        l->v[l->n++] = c;
    return rc;
}

/* What a chunk that is not stored has, in `room`. */
static void
fill_room(const netcdf4_layout *l, const ncz_hdf5_fill *fill, unsigned char *room)
{
    size_t size = l->place->type->size * l->place->type->nelems;

    for (size_t i = 0; fill->state == NCZ_HDF5_FILL_USER && fill->len == size && i + size <= l->nbytes; i += size)
        memcpy(room + i, fill->value, size);
}

/* The elements of chunk i and some after it, in new memory; *n of them. */
static int
read_batch(netcdf4_layout *l, size_t i, size_t *n, unsigned char **room)
{
    const ncz_netcdf4_place *p = l->place;

    *n = count_batch(l, i);
    if ((*room = ncz_alloc_n(*n, l->nbytes)) == NULL)
        return ncz_fail_nomem(l->nbytes);
    if (p->kind != NCZ_HDF5_COMPACT)
        return read_stored(l, &l->v[i], *n, *room);
    if (p->ncompact < l->nbytes)
        return ncz_fail(NC_EHDFERR, "%s: it has %zu bytes in place of %zu", l->place->path, p->ncompact, l->nbytes);
    memcpy(*room, p->compact, l->nbytes);
    return NC_NOERR;
}

static int
convert_unwritten(netcdf4_layout *l, const ncz_hdf5_fill *fill)
{
    unsigned char *room = ncz_zalloc(l->nbytes);
    int            rc;

    if (room == NULL)
        return ncz_fail_nomem(l->nbytes);
    fill_room(l, fill, room);
    rc = convert_elements(l, room, &l->unwritten);
    ncz_free(room);
    return rc;
}

static int
convert_chunks(netcdf4_layout *l, const ncz_hdf5_fill *fill)
{
    uint64_t kept = 0;
    int      rc;

    if (l->nbytes > ncz_netcdf4_most_bytes(l->file))
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk of strings or sequences has %zu bytes, which is more than is read",
                        l->place->path, l->nbytes);
    if ((rc = convert_unwritten(l, fill)) == NC_NOERR && l->place->kind != NCZ_HDF5_CHUNKED)
        rc = add_whole(l);
    for (size_t i = 0, n = 0; i < l->n && rc == NC_NOERR; i += n) {
        unsigned char *room = NULL;
        size_t         said = 0;

        rc = read_batch(l, i, &n, &room);
        for (size_t k = 0; k < n && rc == NC_NOERR; k++)
            if ((rc = expect_heap(l, room, k, n, &said)) == NC_NOERR)
                rc = convert_chunk(l, &l->v[i + k], room + k * l->nbytes, &kept);
        ncz_free(room);
    }
    return rc;
}

/* ---- the search, once ---- */

static void
forget_chunks(netcdf4_layout *l)
{
    for (size_t i = 0; i < l->n; i++)
        ncz_free(l->v[i].bytes);
    for (size_t i = 0; i < l->nmasks; i++)
        ncz_chain_unref(l->masks[i].chain);
    ncz_free(l->v);
    l->v = NULL;
    l->n = l->cap = l->nmasks = 0;
    ncz_buf_clear(&l->unwritten);
}

static int
look_up_chunks(netcdf4_layout *l)
{
    ncz_hdf5_object o;
    search          s = {.l = l, .o = &o};
    int             rc = ncz_hdf5_object_read(l->file->f, l->place->addr, &o);

    if (rc != NC_NOERR)
        return rc;
    if (l->place->kind == NCZ_HDF5_CHUNKED && o.kind == NCZ_HDF5_DATASET && o.layout.kind == NCZ_HDF5_CHUNKED &&
        o.space.rank == l->place->rank)
        rc = ncz_hdf5_chunks(l->file->f, &o, NULL, NULL, add_chunk, &s);
    if (rc == NC_NOERR && l->n > 1)
        qsort(l->v, l->n, sizeof *l->v, compare_stored);
    if (rc == NC_NOERR && ncz_netcdf4_is_converted(l->place->type))
        rc = convert_chunks(l, &o.fill);
    ncz_hdf5_object_clear(&o);
    return rc;
}

static int
find_chunks(ncz_layout *layout, const ncz_layout_source *source)
{
    netcdf4_layout   *l = (netcdf4_layout *)(void *)layout;
    ncz_netcdf4_file *file = l->file;
    ncz_err           err;
    int               rc = NC_NOERR;

    if (atomic_load_explicit(&l->found, memory_order_acquire))
        return NC_NOERR;
    (void)pthread_mutex_lock(&file->lock);
    if (!atomic_load_explicit(&l->found, memory_order_relaxed)) {
        file->now = (ncz_netcdf4_reader){source->read, source->arg};
        file->taken = 0;
        rc = look_up_chunks(l);
        file->now = (ncz_netcdf4_reader){.read = NULL};
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

/* A chunk that is not stored has the fill value. */
static void
locate_nothing(const netcdf4_layout *l, ncz_chunk_addr *where)
{
    bool           kept = ncz_netcdf4_is_converted(l->place->type) && l->type->owns;
    ncz_chunk_tail tail = l->place->zeros ? NCZ_TAIL_ZEROS : NCZ_TAIL_FILL;

    where->absent = true;
    where->bytes = kept ? l->unwritten.data : "";
    where->length = kept ? l->unwritten.len : 0;
    where->chain = kept ? l->kept : NULL;
    where->tail = kept ? NCZ_TAIL_NONE : tail;
}

static int
locate_stored(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const netcdf4_layout *l = (const netcdf4_layout *)(const void *)layout;
    stored                wanted = {.number = 0};
    const stored         *c = NULL;
    bool                  inside = true;

    (void)key;
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
    if (c == NULL) {
        locate_nothing(l, where);
        return NC_NOERR;
    }
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
    return NC_NOERR;
}

/* Pieces of data that are in one place. */
static int
locate_piece(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const netcdf4_layout    *l = (const netcdf4_layout *)(const void *)layout;
    const ncz_netcdf4_place *p = l->place;
    uint64_t                 offset = 0, length = p->type->size, step = p->type->size;

    (void)key;
    where->key = "";
    for (size_t d = layout->rank; d-- > 0;) {
        uint64_t first, chunk = p->n[layout->rank + d], n;

        if (!ncz_mul64(index[d], chunk, &first) || first >= p->n[d]) {
            locate_nothing(l, where);
            return NC_NOERR;
        }
        n = p->n[d] - first < chunk ? p->n[d] - first : chunk;
        where->tail = n < chunk ? NCZ_TAIL_FILL : where->tail;
        offset += first * step; /* no overflow: the size was checked */
        length *= n;
        step *= p->n[d];
    }
    where->offset = p->data;
    where->length = length;
    if (p->kind == NCZ_HDF5_CONTIGUOUS && p->data != UINT64_MAX) {
        where->offset += offset;
        return NC_NOERR;
    }
    if (p->kind != NCZ_HDF5_COMPACT || p->compact == NULL) {
        locate_nothing(l, where);
        return NC_NOERR;
    }
    if (offset > p->ncompact || length > p->ncompact - offset)
        return ncz_fail(NC_EHDFERR, "%s: it has only %zu bytes", p->path, p->ncompact);
    where->offset = 0;
    where->bytes = p->compact + offset;
    return NC_NOERR;
}

static void
clear_layout(ncz_layout *layout)
{
    netcdf4_layout *l = (netcdf4_layout *)(void *)layout;

    forget_chunks(l);
    ncz_chain_unref(l->kept);
    ncz_free(l->place);
    ncz_free(l->count);
}

static const ncz_layout_ops chunked_ops = {.name = "netCDF-4",
                                           .locate = locate_stored,
                                           .find = find_chunks,
                                           .complete = true,
                                           .as_stored = true,
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
measure_chunks(netcdf4_layout *l, size_t rank)
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
check_size(const netcdf4_layout *l, size_t rank)
{
    uint64_t n = l->place->type->size;

    for (size_t d = 0; d < rank; d++)
        if (!ncz_mul64(n, l->place->n[d], &n) || n > INT64_MAX)
            return ncz_fail(NC_EHDFERR, "%s: it is larger than a file can be", l->place->path);
    return NC_NOERR;
}

int
ncz_netcdf4_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    const ncz_netcdf4_place *p = v->place;
    bool                     converted = p != NULL && ncz_netcdf4_is_converted(p->type);
    bool                     chunked = p != NULL && (p->kind == NCZ_HDF5_CHUNKED || converted);
    const ncz_layout_ops    *ops = converted ? &converted_ops : chunked ? &chunked_ops : &whole_ops;
    ncz_layout              *layout = NULL;
    netcdf4_layout          *l;
    int                      rc = ncz_layout_new(ops, sizeof *l, shape, &layout);

    if (rc != NC_NOERR)
        return rc;
    l = (netcdf4_layout *)(void *)layout;
    l->dtype = v->dtype;
    l->type = v->type;
    l->unwritten = NCZ_BUF_INIT;
    l->file = p->file;
    layout->zeros = p->zeros;
    l->place = ncz_dup(p, sizeof *p + 2 * v->rank * sizeof *p->n);
    l->count = ncz_zalloc_n(p->rank, sizeof *l->count);
    if (l->place == NULL || l->count == NULL)
        rc = ncz_fail_nomem(sizeof *p);
    else if ((rc = measure_chunks(l, v->rank)) == NC_NOERR && !chunked)
        rc = check_size(l, v->rank);
    if (rc == NC_NOERR && converted && v->type->owns)
        rc = ncz_netcdf4_make_object_chain(&p->file->limits, &(ncz_array_type){.dtype = v->dtype}, &l->kept);
    if (rc == NC_NOERR)
        *out = layout;
    else
        ncz_layout_unref(layout);
    return rc;
}
