/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks of elements that live in the global heap, between the engine and the file: the engine's codec has their
 * texts or bytes one after the other, the file has the element's place in the heap, through the variable's filters.
 * And chunks of another writer that skip filters.
 */
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <string.h>

struct ncz_netcdf4_convert {
    const ncz_type  *type;    /* in memory; the model's */
    ncz_dtype        dtype;   /* as the engine has the elements */
    ncz_netcdf4_type stored;  /* as the file has them */
    ncz_chain       *objects; /* the engine's codec; NULL: the elements are the file's */
    ncz_chain       *filters; /* of the file's elements */
    const ncz_filter_spec
                  *listed; /* the same as the file lists them, with a mask; NULL: all chunks have all of them */
    size_t         nlisted;
    ncz_array_type in;             /* of the filters; without a shape */
    size_t         nelems, nbytes; /* of a chunk, in the file's form */
    ncz_limits     limits;
    ncz_arena      arena;
};

void
ncz_netcdf4_convert_free(ncz_netcdf4_convert *c)
{
    if (c == NULL)
        return;
    ncz_chain_unref(c->objects);
    ncz_chain_unref(c->filters);
    ncz_arena_clear(&c->arena);
    ncz_free(c);
}

/* ---- elements ---- */

/* All elements of a chunk, as one piece, and room for them in memory. */
typedef struct chunk_elems {
    uint64_t     n;
    ncz_piece    piece;
    ncz_transfer move;
    void        *values;
} chunk_elems;

static int
begin_elems(const ncz_netcdf4_convert *c, chunk_elems *e)
{
    static const uint64_t  none = 0, one = 1;
    static const ptrdiff_t step = 1;

    e->n = c->nelems;
    e->piece = (ncz_piece){.rank = 1,
                           .index = &none,
                           .off = &none,
                           .n = &e->n,
                           .stride = &one,
                           .imap = &step,
                           .nelems = c->nelems,
                           .whole = true};
    e->move = (ncz_transfer){.dtype = &c->dtype, .mem = c->type, .chunk = &e->n};
    e->values = ncz_zalloc_n(c->nelems, c->type->size);
    return e->values != NULL ? NC_NOERR : ncz_fail_nomem(c->nelems * c->type->size);
}

static void
end_elems(const ncz_netcdf4_convert *c, chunk_elems *e)
{
    ncz_type_free_elems(c->type, e->values, c->nelems);
    ncz_free(e->values);
}

static int
write_texts(const ncz_netcdf4_convert *c, const ncz_vlen_block *block, const ncz_netcdf4_heap *heap,
            unsigned char *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < c->nelems && rc == NC_NOERR; i++) {
        ncz_vlen_item item = ncz_vlen_at(block, i);

        rc = ncz_netcdf4_write_text(heap, item.s, item.what == NCZ_VLEN_NONE ? 0 : item.len,
                                    out + i * NCZ_NETCDF4_IN_HEAP);
    }
    return rc;
}

static int
write_elements(const ncz_netcdf4_convert *c, const ncz_vlen_block *block, const ncz_netcdf4_heap *heap,
               unsigned char *out)
{
    chunk_elems e;
    int         rc;

    if (c->type->class == NCZ_TYPE_STRING)
        return write_texts(c, block, heap, out);
    if ((rc = begin_elems(c, &e)) != NC_NOERR)
        return rc;
    if ((rc = ncz_transfer_out(&e.move, &e.piece, block, e.values)) == NC_NOERR)
        rc = ncz_netcdf4_write_values(&c->stored, e.values, c->nelems, heap, out);
    end_elems(c, &e);
    return rc;
}

static int
read_texts(const ncz_netcdf4_convert *c, const unsigned char *in, const ncz_netcdf4_heap_reader *heap, ncz_buf *block)
{
    int rc = ncz_vlen_begin(block, c->nelems);

    for (size_t i = 0; i < c->nelems && rc == NC_NOERR; i++) {
        const unsigned char *data;
        size_t               len;
        uint32_t             nelems;

        rc = heap->get(heap->arg, in + i * NCZ_NETCDF4_IN_HEAP, &data, &len, &nelems);
        if (rc != NC_NOERR || data == NULL)
            continue;
        len = len < nelems ? len : nelems;
        len = strnlen((const char *)data, len); /* as HDF5 hands it out */
        rc = ncz_vlen_set(block, i, (ncz_vlen_item){(const char *)data, len, NCZ_VLEN_STRING});
    }
    return rc;
}

static int
read_elements(const ncz_netcdf4_convert *c, const unsigned char *in, const ncz_netcdf4_heap_reader *heap,
              ncz_buf *block)
{
    ncz_netcdf4_file file = {.heap = heap, .limits = c->limits};
    chunk_elems      e;
    int              rc;

    if (c->type->class == NCZ_TYPE_STRING)
        return read_texts(c, in, heap, block);
    if ((rc = begin_elems(c, &e)) != NC_NOERR)
        return rc;
    if ((rc = ncz_netcdf4_read_values(&file, &c->stored, in, c->nelems, e.values)) == NC_NOERR)
        rc = ncz_vlen_put(&e.move, &e.piece, c->nelems, NULL, NULL, e.values, block);
    end_elems(c, &e);
    return rc;
}

/* ---- chunks ---- */

/* Applies the file's filters to its elements, and appends what that gives. */
static int
append_filtered(const ncz_netcdf4_convert *c, const void *elems, ncz_buf *out)
{
    ncz_buf encoded = NCZ_BUF_LIMIT(out->limit);
    int     rc;

    if (c->filters == NULL)
        return ncz_buf_append(out, elems, c->nbytes);
    if ((rc = ncz_chain_encode(c->filters, NULL, elems, c->nbytes, &encoded)) == NC_NOERR)
        rc = ncz_buf_append(out, encoded.data, encoded.len);
    ncz_buf_clear(&encoded);
    return rc;
}

int
ncz_netcdf4_convert_out(const ncz_netcdf4_convert *c, const void *in, size_t n, const ncz_netcdf4_heap *heap,
                        ncz_buf *out)
{
    ncz_buf        block = NCZ_BUF_LIMIT(c->limits.object_bytes);
    unsigned char *elems;
    int            rc;

    if (c->objects == NULL)
        return ncz_buf_append(out, in, n);
    if ((elems = ncz_zalloc(c->nbytes)) == NULL)
        return ncz_fail_nomem(c->nbytes);
    if ((rc = ncz_chain_decode_vlen(c->objects, NULL, in, n, c->nelems, c->limits.object_bytes, &block)) ==
            NC_NOERR &&
        (rc = write_elements(c, ncz_vlen_in(&block), heap, elems)) == NC_NOERR)
        rc = append_filtered(c, elems, out);
    ncz_buf_clear(&block);
    ncz_free(elems);
    return rc;
}

/* The file's elements of a chunk that skips filters by its mask. */
static int
decode_chunk(const ncz_netcdf4_convert *c, const void *in, size_t n, uint32_t mask, void *elems)
{
    ncz_chain *some = NULL;
    int        rc;

    if (mask == 0 || c->listed == NULL)
        return ncz_chain_decode(c->filters, NULL, in, n, elems, c->nbytes, true);
    if ((rc = ncz_chain_from_filters(c->listed, c->nlisted, mask, &c->in, &some)) == NC_NOERR)
        rc = ncz_chain_decode(some, NULL, in, n, elems, c->nbytes, true);
    ncz_chain_unref(some);
    return rc;
}

int
ncz_netcdf4_convert_in(const ncz_netcdf4_convert *c, const void *in, size_t n, uint32_t mask,
                       const ncz_netcdf4_heap_reader *heap, ncz_buf *out)
{
    ncz_buf        block = NCZ_BUF_LIMIT(c->limits.object_bytes), encoded = NCZ_BUF_LIMIT(c->limits.object_bytes);
    unsigned char *elems;
    int            rc;

    if (c->objects == NULL && mask == 0)
        return ncz_buf_append(out, in, n);
    if ((elems = ncz_alloc(c->nbytes)) == NULL)
        return ncz_fail_nomem(c->nbytes);
    if ((rc = decode_chunk(c, in, n, mask, elems)) != NC_NOERR)
        goto done;
    if (c->objects == NULL)
        rc = append_filtered(c, elems, out);
    else if ((rc = read_elements(c, elems, heap, &block)) == NC_NOERR &&
             (rc = ncz_chain_encode_vlen(c->objects, NULL, ncz_vlen_in(&block), &encoded)) == NC_NOERR)
        rc = ncz_buf_append(out, encoded.data, encoded.len);
done:
    ncz_buf_clear(&block);
    ncz_buf_clear(&encoded);
    ncz_free(elems);
    return rc;
}

/* ---- of a variable ---- */

/* Chunks of a file that was there may skip filters. */
static int
list_filters(const ncz_netcdf4_kept *kept, ncz_netcdf4_convert *c)
{
    ncz_filter_spec *f = ncz_arena_get_n(&c->arena, kept->o.nfilters + 1, sizeof *f);

    if (f == NULL)
        return ncz_fail_nomem(kept->o.nfilters * sizeof *f);
    ncz_netcdf4_list_filters(&kept->o, f);
    c->listed = f;
    c->nlisted = kept->o.nfilters;
    return NC_NOERR;
}

static int
make_convert(const ncz_model *m, const ncz_var *v, ncz_netcdf4_convert *c)
{
    const ncz_netcdf4_place *p = v->place;
    int                      rc = NC_NOERR;

    if (p != NULL && p->kept != NULL) {
        c->stored = *p->type;
        rc = list_filters(p->kept, c);
    } else {
        rc = ncz_netcdf4_type_for(&c->arena, v->type, v->endian == NC_ENDIAN_BIG, &c->stored);
    }
    if (rc != NC_NOERR)
        return rc;
    c->limits = m->limits;
    c->type = v->type;
    c->dtype = v->spec->dtype;
    c->in = (ncz_array_type){.dtype = c->dtype};
    if (v->dtype.kind == NCZ_KIND_OBJECT) {
        c->objects = ncz_chain_ref(v->spec->chain);
        c->in.dtype = (ncz_dtype){.kind = NCZ_KIND_OTHER, .size = c->stored.size};
    }
    if (!ncz_grid_nbytes(v->chunk, v->rank, 1, &c->nelems) || !ncz_mul(c->nelems, c->stored.size, &c->nbytes))
        return ncz_fail(NC_EBADCHUNK, "%s: its chunks are larger than memory", v->name);
    c->in.chunk_bytes = c->nbytes;
    return ncz_netcdf4_file_chain(v, c->stored.size, &c->filters);
}

int
ncz_netcdf4_convert_new(const ncz_model *m, const ncz_var *v, ncz_netcdf4_convert **out)
{
    ncz_netcdf4_convert *c = ncz_zalloc(sizeof *c);
    int                  rc;

    if (c == NULL)
        return ncz_fail_nomem(sizeof *c);
    c->arena = NCZ_ARENA_INIT;
    if ((rc = make_convert(m, v, c)) == NC_NOERR)
        *out = c;
    else
        ncz_netcdf4_convert_free(c);
    return rc;
}

static void *
copy_to(ncz_arena *arena, const void *bytes, size_t n)
{
    void *copy = ncz_arena_get(arena, n);

    return copy != NULL ? memcpy(copy, bytes, n) : NULL;
}

static ncz_hdf5_layout_kind
kind_of(const ncz_var *v)
{
    return v->storage == NC_COMPACT   ? NCZ_HDF5_COMPACT
           : v->storage == NC_CHUNKED ? NCZ_HDF5_CHUNKED
                                      : NCZ_HDF5_CONTIGUOUS;
}

/* Of a variable that was in the file. */
static int
tell_kept(const ncz_model *m, const ncz_var *v, const ncz_netcdf4_place *p, ncz_netcdf4_facts *out)
{
    out->kind = p->kind;
    out->element = (uint32_t)p->type->size;
    out->is_there = true;
    out->kept = p->kept->o.layout;
    return out->convert == NULL && p->kept->o.nfilters > 0 && v->spec->unusable->code == NC_NOERR
               ? ncz_netcdf4_convert_new(m, v, &out->convert)
               : NC_NOERR;
}

int
ncz_netcdf4_array_of(const ncz_model *m, const ncz_var *v, ncz_arena *arena, ncz_netcdf4_facts *out)
{
    const ncz_netcdf4_place *p = v->place;
    bool                     there = p != NULL && p->kept != NULL, heap = v->dtype.kind == NCZ_KIND_OBJECT;
    ncz_netcdf4_type         t;
    uint64_t                 nbytes;
    int                      rc;

    if ((rc = ncz_netcdf4_type_for(arena, v->type, v->endian == NC_ENDIAN_BIG, &t)) != NC_NOERR)
        return rc;
    *out = (ncz_netcdf4_facts){
        .uid = v->uid, .kind = kind_of(v), .rank = (unsigned)v->rank, .element = (uint32_t)t.size};
    if (out->kind != NCZ_HDF5_CHUNKED && !ncz_netcdf4_measure(v, t.size, &nbytes))
        return ncz_fail(NC_EVARSIZE, "%s: it is larger than a file can be: define chunks", v->name);
    ncz_var_shape(v, out->shape);
    if (v->rank > 0)
        memcpy(out->chunk, v->chunk, v->rank * sizeof *v->chunk);
    if (!heap && v->spec->fill != NULL && (out->fill = copy_to(arena, v->spec->fill, v->spec->dtype.size)) == NULL)
        return ncz_fail_nomem(t.size);
    if (heap && (rc = ncz_netcdf4_convert_new(m, v, &out->convert)) != NC_NOERR)
        return rc;
    return there ? tell_kept(m, v, p, out) : NC_NOERR;
}
