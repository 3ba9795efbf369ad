/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the layout of a netCDF-4 variable is made from, and how the engine has the array: its chunks, which are pieces
 * where the data are contiguous, and their codecs.
 */
#include "dialects/netcdf4/netcdf4.h"

#include <string.h>

enum {
    PIECE_BYTES = 1 << 20, /* of contiguous data: a piece is a chunk to the engine */
    FAR_PIECE_BYTES = 1 << 16,
    CUT_PIECE_BYTES = 1 << 12, /* of data that go beyond the file's end: the last piece that is there is lost */
};

bool
ncz_netcdf4_is_converted(const ncz_netcdf4_type *t)
{
    return t->heap || t->bits != 0;
}

static uint64_t
choose_piece(const ncz_netcdf4_tree *t, const ncz_netcdf4_array *a)
{
    uint64_t size = t->file->size, at = ncz_hdf5_base(t->file->f) + a->o.layout.addr;

    if (a->o.layout.addr != NCZ_HDF5_NONE && (at > size || a->o.layout.size > size - at))
        return CUT_PIECE_BYTES;
    return t->l->docs->far ? FAR_PIECE_BYTES : PIECE_BYTES;
}

static void
set_chunk(const ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, ncz_netcdf4_place *p, const ncz_netcdf4_type *type)
{
    size_t    rank = p->rank + type->rank;
    uint64_t *chunk = p->n + rank;

    for (size_t d = 0; d < rank; d++)
        chunk[d] = p->n[d] == 0 ? 1 : p->n[d];
    if (p->kind == NCZ_HDF5_CHUNKED)
        memcpy(chunk, a->o.layout.chunk, p->rank * sizeof *chunk);
    else if (p->kind == NCZ_HDF5_CONTIGUOUS && (!ncz_netcdf4_is_converted(type) || p->data == UINT64_MAX))
        (void)ncz_grid_cut_rows(p->n, 0, rank, type->size, choose_piece(t, a), chunk);
}

enum { ID_SHUFFLE = 2, ID_FLETCHER32 = 3, ID_SZIP = 4, SZIP_WORDS = 4, SZIP_CODINGS = 4 | 32 };

/* As netCDF-C tells them: of szip what was asked for, of shuffle and checksums no words. */
static int
keep_filter(ncz_netcdf4_tree *t, const ncz_hdf5_filter *f, ncz_filter_spec *out)
{
    unsigned *words = ncz_arena_get_n(&t->l->m->arena, f->nvalues, sizeof *words);

    if (words == NULL)
        return ncz_fail_nomem(f->nvalues * sizeof *words);
    for (size_t i = 0; i < f->nvalues; i++)
        words[i] = f->values[i];
    *out = (ncz_filter_spec){.id = f->id, .nwords = f->nvalues, .words = words};
    if (f->id == ID_SHUFFLE || f->id == ID_FLETCHER32)
        out->nwords = 0;
    if (f->id == ID_SZIP && f->nvalues == SZIP_WORDS) {
        words[0] &= SZIP_CODINGS;
        out->nwords = 2;
    }
    return NC_NOERR;
}

static int
keep_filters(ncz_netcdf4_tree *t, const ncz_hdf5_object *o, ncz_netcdf4_place *p)
{
    ncz_filter_spec *filters = ncz_arena_get_n(&t->l->m->arena, o->nfilters, sizeof *filters);
    int              rc = NC_NOERR;

    if (filters == NULL)
        return ncz_fail_nomem(o->nfilters * sizeof *filters);
    for (size_t i = 0; i < o->nfilters && rc == NC_NOERR; i++)
        rc = keep_filter(t, &o->filters[i], &filters[i]);
    p->filters = filters;
    p->nfilters = rc == NC_NOERR ? o->nfilters : 0;
    return rc;
}

const ncz_filter_spec *
ncz_netcdf4_filters(const ncz_var *v, size_t *n)
{
    const ncz_netcdf4_place *p = v->place;

    *n = p != NULL ? p->nfilters : 0;
    return p != NULL ? p->filters : NULL;
}

void
ncz_netcdf4_list_filters(const ncz_hdf5_object *o, ncz_filter_spec *out)
{
    for (size_t i = 0; i < o->nfilters; i++)
        out[i] = (ncz_filter_spec){.id = o->filters[i].id,
                                   .name = o->filters[i].name,
                                   .nwords = o->filters[i].nvalues,
                                   .words = o->filters[i].values};
}

int
ncz_netcdf4_make_chain(const ncz_hdf5_object *o, uint32_t mask, const ncz_array_type *in, ncz_chain **out)
{
    ncz_filter_spec *filters = ncz_alloc_n(o->nfilters, sizeof *filters);
    ncz_err          err;
    int              rc;

    *out = NULL;
    if (filters == NULL)
        return ncz_fail_nomem(o->nfilters * sizeof *filters);
    ncz_netcdf4_list_filters(o, filters);
    rc = ncz_chain_from_filters(filters, o->nfilters, mask, in, out);
    ncz_free(filters);
    if (rc != NC_EINVAL)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(NC_EFILTER, "%s", err.text); /* a parameter of the file, not of a caller */
}

static int
set_place(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, size_t rank,
          ncz_netcdf4_place **out)
{
    const ncz_hdf5_layout *l = &a->o.layout;
    ncz_netcdf4_place     *p;
    unsigned char         *copy;
    const char            *path = ncz_arena_text(&t->l->m->arena, a->path, strlen(a->path));
    size_t                 n;

    if (path == NULL || !ncz_mul(rank, 2 * sizeof *p->n, &n) || !ncz_add(n, sizeof *p, &n) ||
        (p = ncz_zalloc(n)) == NULL)
        return ncz_fail_nomem(rank * 2 * sizeof *p->n);
    *p = (ncz_netcdf4_place){.part = NCZ_NETCDF4_PLACE,
                             .file = t->file,
                             .path = path,
                             .addr = a->o.addr,
                             .data = l->kind == NCZ_HDF5_CONTIGUOUS && l->addr != NCZ_HDF5_NONE
                                         ? ncz_hdf5_base(t->file->f) + l->addr
                                         : UINT64_MAX,
                             .kind = l->kind,
                             .zeros = a->o.fill.state != NCZ_HDF5_FILL_USER,
                             .type = type,
                             .rank = rank - type->rank};
    for (size_t d = 0; d < rank; d++)
        p->n[d] = d >= p->rank                       ? type->shape[d - p->rank]
                  : a->o.space.kind == NCZ_HDF5_NULL ? 0
                                                     : a->o.space.shape[d];
    *out = p;
    if (l->kind != NCZ_HDF5_COMPACT || l->data == NULL)
        return NC_NOERR;
    if ((copy = ncz_arena_get(&t->l->m->arena, (size_t)l->size + 1)) == NULL)
        return ncz_fail_nomem((size_t)l->size);
    memcpy(copy, l->data, (size_t)l->size);
    p->compact = copy;
    p->ncompact = (size_t)l->size;
    return NC_NOERR;
}

int
ncz_netcdf4_make_object_chain(const ncz_limits *limits, const ncz_array_type *in, ncz_chain **out)
{
    const char         *text = in->dtype.items == NULL ? "[{\"id\": \"vlen-utf8\"}]" : "[{\"id\": \"vlen-bytes\"}]";
    const ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 4, .nbytes = SIZE_MAX, .name = "codecs"};
    ncz_json           *list = NULL;
    int                 rc;

    if ((rc = ncz_json_parse(text, strlen(text), &opts, &list, NULL)) == NC_NOERR)
        rc = ncz_chain_parse(list, NULL, in, NCZ_CONFIG_CALLER, limits->chain, out);
    ncz_json_free(list);
    return rc;
}

/* The filters are those of the file's elements, which are not the engine's where these are converted. */
static int
make_file_chain(const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, const ncz_var *v, ncz_chain **out)
{
    bool           converted = ncz_netcdf4_is_converted(type);
    ncz_array_type in = {.dtype = converted ? (ncz_dtype){.kind = NCZ_KIND_OTHER} : v->dtype};

    *out = NULL;
    if (a->o.nfilters == 0 || !ncz_grid_nbytes(v->chunk, v->rank, type->size, &in.chunk_bytes))
        return NC_NOERR; /* of chunks larger than memory the spec says so */
    in.dtype.size = type->size * type->nelems;
    return ncz_netcdf4_make_chain(&a->o, 0, &in, out);
}

/* What programs are told of, and copies have: of objects the codec that makes bytes of them, then the filters. */
static int
set_chain(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, ncz_var *v)
{
    ncz_array_type in = {.dtype = v->dtype};
    ncz_chain     *objects = NULL, *filters = NULL;
    int            rc;

    if (!type->type->owns || !ncz_netcdf4_is_converted(type))
        return make_file_chain(a, type, v, &v->chain);
    if ((rc = ncz_netcdf4_make_object_chain(&t->l->m->limits, &in, &objects)) == NC_NOERR &&
        (rc = make_file_chain(a, type, v, &filters)) == NC_NOERR)
        rc = ncz_chain_join(objects, filters, &in, &v->chain);
    ncz_chain_unref(objects);
    ncz_chain_unref(filters);
    return rc;
}

static int
storage_of(ncz_hdf5_layout_kind kind)
{
    switch (kind) {
    case NCZ_HDF5_CHUNKED: return NC_CHUNKED;
    case NCZ_HDF5_COMPACT: return NC_COMPACT;
    case NCZ_HDF5_VIRTUAL: return NC_UNKNOWN_STORAGE; /* as netCDF-C */
    default: return NC_CONTIGUOUS;
    }
}

int
ncz_netcdf4_place_set(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, ncz_var *v)
{
    ncz_netcdf4_place *p = NULL;
    int                rc = set_place(t, a, type, v->rank, &p);

    v->place = p; /* the model frees it, also after a failure */
    if (rc != NC_NOERR || (rc = keep_filters(t, &a->o, p)) != NC_NOERR)
        return rc;
    set_chunk(t, a, p, type);
    v->dtype = type->dtype;
    v->endian = type->endian;
    if (v->rank > 0)
        memcpy(v->chunk, p->n + v->rank, v->rank * sizeof *v->chunk);
    v->chunk_set = true;
    v->storage = storage_of(p->kind);
    return set_chain(t, a, type, v);
}
