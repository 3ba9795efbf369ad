/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the layout of a variable is made from, and how the engine has the array: its chunks, which are pieces where the
 * data are in one place, and their codec.
 */
#include "dialects/hdf4/hdf4sd.h"

#include <inttypes.h>
#include <string.h>

enum {
    PIECE_BYTES = 1 << 20, /* of data in one place: a piece is a chunk to the engine */
    FAR_PIECE_BYTES = 1 << 16,
    GATHERED_BYTES = 16 << 20, /* data in blocks: up to this they are gathered; more are read block by block, */
    BLOCK_LEAST = 4096,        /* if blocks are not small */
    ID_DEFLATE = 1,
};

/* ---- what was never written ---- */

/* The library's own values, which differ from netCDF's for unsigned numbers. */
static uint64_t
default_bits(ncz_hdf4_code code)
{
    switch (code) {
    case NCZ_HDF4_INT8:
    case NCZ_HDF4_UINT8: return 0x81;
    case NCZ_HDF4_INT16:
    case NCZ_HDF4_UINT16: return 0x8001;
    case NCZ_HDF4_INT32:
    case NCZ_HDF4_UINT32: return 0x80000001;
    case NCZ_HDF4_FLOAT32: return 0x7cf00000;
    case NCZ_HDF4_FLOAT64: return 0x479e000000000000;
    default: return 0;
    }
}

/* The fill value is the variable's, or else the library's for its type. */
static int
choose_fill(const ncz_hdf4_var *from, const ncz_var *v, ncz_hdf4sd_place *p)
{
    uint64_t      bits = default_bits(from->type.code);
    unsigned char usual[NCZ_HDF4SD_ELEMENT] = {0};
    const void   *array = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    int           rc;

    if ((rc = ncz_convert_in(v->type, array, &v->dtype, usual, 1, false)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < p->element; i++)
        p->fill[from->type.little ? i : p->element - 1 - i] = (unsigned char)(bits >> 8 * i);
    if (v->fill_mode == NCZ_FILL_VALUE)
        memcpy(p->fill, usual, p->element);
    p->like_array = memcmp(p->fill, usual, p->element) == 0;
    if (p->data.kind == NCZ_HDF4_CHUNKED)
        p->like_array = p->data.nfill > 0 &&
                        memcmp(p->data.fill, usual, p->data.nfill < p->element ? p->data.nfill : p->element) == 0;
    return NC_NOERR;
}

/* ---- chunks ---- */

static int
check_chunks(const ncz_hdf4sd_place *p)
{
    const ncz_hdf4_data *d = &p->data;
    size_t               bytes;

    if (d->rank != p->rank)
        return ncz_fail(NC_EHDFERR, "its chunks have %zu dimensions, and it has %zu", d->rank, p->rank);
    for (size_t i = 0; i < p->rank; i++)
        if (d->shape[i] != p->n[i])
            return ncz_fail(NC_EHDFERR, "dimension %zu has length %" PRIu64 " for chunks, and %" PRIu64 " for itself",
                            i, d->shape[i], p->n[i]);
    if (!ncz_grid_nbytes(d->chunk, d->rank, p->element, &bytes) || bytes != d->chunk_bytes)
        return ncz_fail(NC_EHDFERR, "the file says that a chunk has %" PRIu64 " bytes, which its shape does not have",
                        d->chunk_bytes);
    if (d->nfill > d->chunk_bytes || (d->nfill > 0 && d->chunk_bytes % d->nfill != 0))
        return ncz_fail(NC_EHDFERR, "a fill value of %zu bytes", d->nfill);
    return NC_NOERR;
}

/* Data that are there must be all there. */
static int
check_bytes(const ncz_hdf4sd_place *p)
{
    const ncz_hdf4_data *d = &p->data;
    uint64_t             n = p->element;

    for (size_t i = 0; i < p->rank; i++)
        if (!ncz_mul64(n, p->n[i], &n) || n > INT64_MAX)
            return ncz_fail(NC_EHDFERR, "it is larger than a file can be");
    if (d->kind == NCZ_HDF4_NOTHING || (n <= d->len && d->kind != NCZ_HDF4_COMPRESSED) || n == d->len)
        return NC_NOERR;
    return ncz_fail(NC_EHDFERR, "it has %" PRIu64 " bytes, and its shape %" PRIu64, d->len, n);
}

/* Bytes of all that one index of the first dimension has. */
static uint64_t
count_row(const ncz_hdf4sd_place *p)
{
    uint64_t row = p->element;

    for (size_t i = 1; i < p->rank; i++)
        row *= p->n[i]; /* no overflow: the size was checked */
    return row;
}

static void
choose_chunk(ncz_hdf4sd_place *p)
{
    const ncz_hdf4_data *d = &p->data;
    uint64_t            *chunk = p->n + p->rank, row = p->rank > 0 ? count_row(p) : 0;

    for (size_t i = 0; i < p->rank; i++)
        chunk[i] = p->n[i] == 0 ? 1 : p->n[i];
    if (d->kind == NCZ_HDF4_CHUNKED)
        memcpy(chunk, d->chunk, p->rank * sizeof *chunk);
    else if (d->kind == NCZ_HDF4_LINKED && d->len > GATHERED_BYTES && d->block >= BLOCK_LEAST && row > 0 &&
             d->block % row == 0)
        chunk[0] = d->block / row;
    else if (d->kind != NCZ_HDF4_COMPRESSED)
        (void)ncz_grid_cut_rows(p->n, 0, p->rank, p->element, p->file->far ? FAR_PIECE_BYTES : PIECE_BYTES, chunk);
}

/* ---- codecs ---- */

static const struct {
    unsigned    id;
    const char *name;
} coders[NCZ_HDF4_CODINGS] = {[NCZ_HDF4_RLE] = {NCZ_HDF4_FILTER_RLE, "rle"},
                              [NCZ_HDF4_NBIT] = {NCZ_HDF4_FILTER_NBIT, "nbit"},
                              [NCZ_HDF4_HUFFMAN] = {NCZ_HDF4_FILTER_HUFFMAN, "skipping huffman"},
                              [NCZ_HDF4_DEFLATE] = {ID_DEFLATE, "deflate"},
                              [NCZ_HDF4_SZIP] = {NCZ_HDF4_FILTER_SZIP, "szip"}};

static int
set_chain(ncz_hdf4sd_place *p, ncz_var *v)
{
    const ncz_hdf4_coder *c = &p->data.coder;
    ncz_array_type        in = {.dtype = v->dtype};
    ncz_filter_spec       f = {.nwords = c->n, .words = p->words};

    if ((p->data.kind != NCZ_HDF4_COMPRESSED && p->data.kind != NCZ_HDF4_CHUNKED) || c->id == NCZ_HDF4_STORED)
        return NC_NOERR;
    if (c->id >= NCZ_HDF4_CODINGS)
        return ncz_fail(NC_ENOFILTER, "it is compressed by coder %u of HDF4, which is not read", c->id);
    if (!ncz_grid_nbytes(p->n + p->rank, p->rank, p->element, &in.chunk_bytes))
        return NC_NOERR; /* of chunks larger than memory the spec says so */
    for (size_t i = 0; i < c->n; i++)
        p->words[i] = c->words[i];
    f.id = coders[c->id].id;
    f.name = coders[c->id].name;
    p->filter = f;
    p->nfilters = f.id == ID_DEFLATE; /* the others have no number that programs know */
    return ncz_chain_from_filters(&f, 1, 0, &in, &v->chain);
}

const ncz_filter_spec *
ncz_hdf4sd_filters(const ncz_var *v, size_t *n)
{
    static const ncz_filter_spec none;
    const ncz_hdf4sd_place      *p = v->place;

    *n = p != NULL ? p->nfilters : 0;
    return p != NULL ? &p->filter : &none;
}

/* ---- the place ---- */

int
ncz_hdf4sd_place_set(ncz_loader *l, ncz_hdf4sd_file *file, const ncz_hdf4_sd *sd, const ncz_hdf4_var *from,
                     ncz_var *v)
{
    ncz_hdf4sd_place *p = ncz_zalloc(sizeof *p + 2 * from->rank * sizeof *p->n);
    int               rc;

    if (p == NULL)
        return ncz_fail_nomem(sizeof *p);
    *p = (ncz_hdf4sd_place){.part = NCZ_HDF4SD_PLACE,
                            .file = file,
                            .name = v->name,
                            .data = from->data,
                            .rank = from->rank,
                            .element = from->type.size};
    for (size_t d = 0; d < p->rank; d++)
        p->n[d] = d == 0 && sd->dims[from->dims[d]].unlimited ? from->nrecords : sd->dims[from->dims[d]].len;
    v->storage = from->data.kind == NCZ_HDF4_CHUNKED ? NC_CHUNKED : NC_CONTIGUOUS;
    if ((rc = choose_fill(from, v, p)) == NC_NOERR && (rc = check_bytes(p)) == NC_NOERR &&
        from->data.kind == NCZ_HDF4_CHUNKED)
        rc = check_chunks(p);
    if (rc == NC_NOERR) {
        choose_chunk(p);
        if (v->rank > 0)
            memcpy(v->chunk, p->n + v->rank, v->rank * sizeof *v->chunk);
        v->chunk_set = true;
        rc = set_chain(p, v);
    }
    if (rc != NC_NOERR) {
        ncz_free(p);
        return rc;
    }
    v->place = p; /* the model frees it, also after a failure */
    return ncz_var_respec(l->m, v);
}
