/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements with bytes in the global heap, and integers of fewer bits than their bytes, are converted when the addresses
 * of chunks are looked up, and kept in memory: no codec can read other places of a file.
 */
#include "dialects/netcdf4/netcdf4_layout.h"

#include <inttypes.h>
#include <string.h>

enum {
    BATCH_CHUNKS = 256, /* that are converted, and read at once; in bytes: */
    BATCH_BYTES = 4 << 20,
};

int
ncz_netcdf4_check_stored(const ncz_netcdf4_layout *l, const ncz_netcdf4_stored *c)
{
    uint64_t end = l->file->size;

    if (c->length > l->file->limits.object_bytes)
        return ncz_fail(NC_EHDFERR, "it has %" PRIu64 " bytes, more than %zu (limit `object_bytes`)", c->length,
                        l->file->limits.object_bytes);
    if (c->offset > end || c->length > end - c->offset)
        return ncz_fail(NC_EHDFERR, "its %" PRIu64 " bytes go beyond the file's end at %" PRIu64, c->length, end);
    if (c->plain && c->length < l->nbytes)
        return ncz_fail(NC_EHDFERR, "it has %" PRIu64 " bytes in place of %zu", c->length, l->nbytes);
    return NC_NOERR;
}

/* Elements as the file has them -> a block of strings or sequences, or elements of one size in `out`. */
static int
read_elements(const ncz_netcdf4_layout *l, ncz_netcdf4_file *file, const unsigned char *in, ncz_buf *block,
              ncz_buf *out)
{
    const uint64_t  none = 0, n = l->nelems, one = 1;
    const ptrdiff_t step = 1;
    ncz_piece       piece = {.rank = 1, .nelems = n, .whole = true};
    ncz_transfer    move = {.dtype = &l->dtype, .mem = l->type, .chunk = &n};
    char           *values = ncz_zalloc_n(l->nelems, l->type->size);
    int             rc;

    piece.index = piece.off = &none;
    piece.n = &n;
    piece.stride = &one;
    piece.imap = &step;
    if (values == NULL)
        return ncz_fail_nomem(l->nelems * l->type->size);
    rc = ncz_netcdf4_read_values(file, l->place->type, in, l->nelems / l->place->type->nelems, values);
    if (rc == NC_NOERR && l->type->owns)
        rc = ncz_vlen_put(&move, &piece, l->nelems, NULL, NULL, values, block);
    else if (rc == NC_NOERR && (rc = ncz_buf_reserve(out, l->nelems * l->dtype.size)) == NC_NOERR) {
        out->len = l->nelems * l->dtype.size;
        rc = ncz_convert_in(l->type, values, &l->dtype, out->data, l->nelems, false);
    }
    ncz_type_free_elems(l->type, values, l->nelems);
    ncz_free(values);
    return rc;
}

/* Elements as the file has them -> as the engine takes them, encoded: the chunk's bytes. */
static int
convert_elements(const ncz_netcdf4_layout *l, ncz_netcdf4_file *file, const unsigned char *in,
                 ncz_netcdf4_ahead *ahead, ncz_buf *out)
{
    const ncz_netcdf4_type *t = l->place->type;
    ncz_buf                 block = NCZ_BUF_INIT;
    int                     rc;

    rc = ncz_netcdf4_are_texts(t) ? ncz_netcdf4_read_texts(file, t, in, l->nelems, ahead, &block)
                                  : read_elements(l, file, in, &block, out);
    if (rc == NC_NOERR && l->type->owns)
        rc = ncz_chain_encode_vlen(l->kept, NULL, ncz_vlen_in(&block), out);
    ncz_buf_clear(&block);
    return rc;
}

/* Stored chunks, decoded one after the other into `room`: l->nbytes of each. They are read side by side. */
static int
read_stored(ncz_netcdf4_layout *l, const ncz_netcdf4_stored *c, size_t n, unsigned char *room)
{
    ncz_read_range *ranges = ncz_alloc_n(n, sizeof *ranges);
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
        ranges[i] = (ncz_read_range){
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
count_batch(const ncz_netcdf4_layout *l, size_t i)
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
expect_heap(ncz_netcdf4_layout *l, const unsigned char *room, size_t i, size_t n, size_t *said)
{
    const ncz_netcdf4_type *t = l->place->type;
    size_t                  each = l->nbytes / t->size, taken = 0, offset;
    const unsigned char    *from;
    int                     rc;

    if (n < 2 || !ncz_netcdf4_is_in_heap(t, &offset) || ncz_netcdf4_are_texts(t) || *said >= (i + 1) * each)
        return NC_NOERR;
    if (*said < i * each)
        *said = i * each;
    from = room + *said * t->size + offset;
    rc = ncz_hdf5_heap_expect(l->file->f, from, t->size, n * each - *said, &taken);
    *said += taken;
    return rc;
}

/* `file`: the layout's, or one of this thread alone. */
static int
convert_chunk(const ncz_netcdf4_layout *l, ncz_netcdf4_file *file, ncz_netcdf4_stored *c, const unsigned char *room,
              ncz_netcdf4_ahead *ahead)
{
    ncz_buf out = NCZ_BUF_LIMIT(file->limits.object_bytes);
    int     rc;

    if ((rc = convert_elements(l, file, room, ahead, &out)) != NC_NOERR) {
        ncz_buf_clear(&out);
        return rc;
    }
    c->nbytes = out.len;
    c->chain = l->kept;
    c->bytes = ncz_buf_take(&out);
    return c->bytes != NULL ? NC_NOERR : ncz_fail_nomem(c->nbytes);
}

/* A chunk that was converted is kept, unless all are too large. */
static int
count_kept(const ncz_netcdf4_layout *l, ncz_netcdf4_stored *c, uint64_t *kept)
{
    if ((*kept += c->nbytes) <= l->file->limits.object_bytes)
        return NC_NOERR;
    ncz_free(c->bytes);
    c->bytes = NULL;
    return ncz_fail(NC_ENOTBUILT, "%s: more than %zu bytes of strings or sequences", l->place->path,
                    l->file->limits.object_bytes);
}

/* Data that are not in chunks are one. */
static int
add_whole(ncz_netcdf4_layout *l)
{
    ncz_netcdf4_stored c = {.offset = l->place->data, .length = l->nbytes};
    int                rc;

    if (l->place->kind == NCZ_HDF5_CONTIGUOUS && l->place->data == UINT64_MAX)
        return NC_NOERR; /* never written */
    if ((rc = ncz_make_room(&l->v, l->n, &l->cap, sizeof *l->v)) == NC_NOERR)
        l->v[l->n++] = c;
    return rc;
}

/* What a chunk that is not stored has, in `room`. */
static void
fill_room(const ncz_netcdf4_layout *l, const ncz_hdf5_fill *fill, unsigned char *room)
{
    size_t size = l->place->type->size * l->place->type->nelems;

    for (size_t i = 0; fill->state == NCZ_HDF5_FILL_USER && fill->len == size && i + size <= l->nbytes; i += size)
        memcpy(room + i, fill->value, size);
}

/* The elements of chunk i and some after it, `n` of them, in new memory. */
static int
read_batch(ncz_netcdf4_layout *l, size_t i, size_t n, unsigned char **room)
{
    const ncz_netcdf4_place *p = l->place;
    int                      rc;

    for (size_t k = 0; k < n && p->kind != NCZ_HDF5_COMPACT; k++)
        if ((rc = ncz_netcdf4_check_stored(l, &l->v[i + k])) != NC_NOERR)
            return rc;
    if ((*room = ncz_alloc_n(n, l->nbytes)) == NULL)
        return ncz_fail_nomem(l->nbytes);
    if (p->kind != NCZ_HDF5_COMPACT)
        return read_stored(l, &l->v[i], n, *room);
    if (p->ncompact < l->nbytes)
        return ncz_fail(NC_EHDFERR, "%s: it has %zu bytes in place of %zu", l->place->path, p->ncompact, l->nbytes);
    memcpy(*room, p->compact, l->nbytes);
    return NC_NOERR;
}

/* What a chunk has beyond the array is none of its elements: nothing is in the heap for them. */
static int
clear_beyond(const ncz_netcdf4_layout *l, const ncz_netcdf4_stored *c, unsigned char *room)
{
    size_t       rank = l->common.rank;
    ncz_dtype    item = {.kind = NCZ_KIND_RAW, .size = l->place->type->size};
    ncz_transfer move = {.dtype = &item, .chunk = l->place->n + rank};
    uint64_t     number = c->number;
    ncz_dims     index;
    int          rc = ncz_dims_init(&index, rank);

    if (rc != NC_NOERR)
        return rc;
    for (size_t d = rank; d-- > 0;) {
        uint64_t n = d < l->place->rank ? l->count[d] : 1;

        index.v[d] = number % n;
        number /= n;
    }
    rc = ncz_fill_edge(&move, rank, l->place->n, index.v, NULL, room);
    ncz_dims_clear(&index);
    return rc;
}

typedef struct conversion {
    const ncz_netcdf4_layout *l;
    ncz_netcdf4_stored       *chunks;
    const unsigned char      *room;  /* their elements */
    _Atomic uint64_t          taken; /* bytes of strings */
    ncz_err                  *errs;
} conversion;

static void
convert_task(void *arg, size_t i, ncz_scratch *scratch)
{
    conversion             *v = arg;
    const ncz_netcdf4_file *file = v->l->file;
    ncz_netcdf4_file        own = {.size = file->size, .limits = file->limits};
    ncz_netcdf4_ahead       ahead = {.done = 0};
    int                     rc = ncz_hdf5_view(file->f, &own.f);

    (void)scratch;
    if (rc == NC_NOERR)
        rc = convert_chunk(v->l, &own, &v->chunks[i], v->room + i * v->l->nbytes, &ahead);
    own.taken += atomic_fetch_add(&v->taken, own.taken);
    if (rc == NC_NOERR && (rc = ncz_netcdf4_count_bytes(&own, 0)) != NC_NOERR) {
        ncz_free(v->chunks[i].bytes);
        v->chunks[i].bytes = NULL;
    }
    ncz_hdf5_close(own.f);
    ncz_err_save(&v->errs[i], rc);
}

/* Chunks of strings are converted side by side, each with a view of the file. */
static int
convert_texts(ncz_netcdf4_layout *l, size_t i, size_t n, const unsigned char *room, uint64_t *kept)
{
    conversion v = {.l = l, .chunks = &l->v[i], .room = room, .taken = l->file->taken};
    int        rc = NC_NOERR;

    if ((v.errs = ncz_zalloc_n(n, sizeof *v.errs)) == NULL)
        return ncz_fail_nomem(n * sizeof *v.errs);
    ncz_pool_each(n, SIZE_MAX, convert_task, &v);
    l->file->taken = v.taken;
    for (size_t k = 0; k < n; k++) {
        int each = v.errs[k].code != NC_NOERR ? ncz_err_adopt(&v.errs[k]) : count_kept(l, &l->v[i + k], kept);

        rc = rc != NC_NOERR ? rc : each;
    }
    ncz_free(v.errs);
    return rc;
}

static int
convert_in_order(ncz_netcdf4_layout *l, size_t i, size_t n, const unsigned char *room, uint64_t *kept)
{
    ncz_netcdf4_ahead ahead = {.done = 0};
    size_t            said = 0;
    int               rc = NC_NOERR;

    for (size_t k = 0; k < n && rc == NC_NOERR; k++) {
        ahead.after = (n - 1 - k) * l->nelems;
        if ((rc = expect_heap(l, room, k, n, &said)) == NC_NOERR &&
            (rc = convert_chunk(l, l->file, &l->v[i + k], room + k * l->nbytes, &ahead)) == NC_NOERR)
            rc = count_kept(l, &l->v[i + k], kept);
    }
    return rc;
}

/* Chunks that are converted stay so after a failure. */
static int
convert_batch(ncz_netcdf4_layout *l, size_t i, size_t n, uint64_t *kept)
{
    unsigned char *room = NULL;
    int            rc = read_batch(l, i, n, &room);

    for (size_t k = 0; k < n && rc == NC_NOERR; k++)
        rc = clear_beyond(l, &l->v[i + k], room + k * l->nbytes);
    if (rc == NC_NOERR)
        rc = n > 1 && ncz_netcdf4_are_texts(l->place->type) && !ncz_hdf5_is_far(l->file->f)
                 ? convert_texts(l, i, n, room, kept)
                 : convert_in_order(l, i, n, room, kept);
    ncz_free(room);
    return rc;
}

static bool
is_damage(int rc)
{
    return rc == NC_EHDFERR || rc == NC_EFILTER || rc == NC_ETRUNC;
}

/* One by one, after some of them failed: those that fail are damaged, and say why when they are read. */
static int
convert_each(ncz_netcdf4_layout *l, size_t i, size_t n, uint64_t *kept)
{
    int rc = NC_NOERR;

    for (size_t k = 0; k < n && rc == NC_NOERR; k++) {
        ncz_netcdf4_stored *c = &l->v[i + k];
        ncz_err             err;

        if (c->bytes != NULL || !is_damage(rc = convert_batch(l, i + k, 1, kept)))
            continue;
        ncz_err_save(&err, rc);
        ncz_err_clear();
        rc = NC_NOERR;
        if ((c->lost = ncz_strdup(err.text)) == NULL)
            rc = ncz_fail_nomem(strlen(err.text));
    }
    return rc;
}

static int
convert_unwritten(ncz_netcdf4_layout *l, const ncz_hdf5_fill *fill)
{
    ncz_netcdf4_ahead ahead = {.done = 0};
    unsigned char    *room = ncz_zalloc(l->nbytes);
    int               rc;

    if (room == NULL)
        return ncz_fail_nomem(l->nbytes);
    fill_room(l, fill, room);
    rc = convert_elements(l, l->file, room, &ahead, &l->unwritten);
    ncz_free(room);
    return rc;
}

int
ncz_netcdf4_convert_chunks(ncz_netcdf4_layout *l, const ncz_hdf5_fill *fill)
{
    uint64_t kept = 0;
    int      rc;

    if (l->nbytes > ncz_netcdf4_most_bytes(l->file))
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk of strings or sequences has %zu bytes, which is more than is read",
                        l->place->path, l->nbytes);
    if ((rc = convert_unwritten(l, fill)) == NC_NOERR && l->place->kind != NCZ_HDF5_CHUNKED)
        rc = add_whole(l);
    for (size_t i = 0, n = 0; i < l->n && rc == NC_NOERR; i += n) {
        n = count_batch(l, i);
        if (is_damage(rc = convert_batch(l, i, n, &kept)))
            rc = convert_each(l, i, n, &kept);
    }
    return rc;
}
