/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `.zarray`, both ways. Reading takes whatever the document has. A fault is recorded, and reported when the data are
 * accessed, so that one invalid array never spoils a dataset.
 */
#include "format/zarr2/zarr2_int.h"

#include <inttypes.h>
#include <string.h>

#define OWN_DTYPE "_nczarr_dtype" /* in a copy: the type in the document itself, where the two differ */

static bool
parse_length(const ncz_json *v, uint64_t *out)
{
    return ncz_json_u64(v, out) && *out <= INT64_MAX;
}

static int
parse_chunks(const ncz_json *doc, const char *key, ncz_array_meta *z)
{
    int rc = ncz_format_read_chunks(ncz_json_get(doc, "chunks"), parse_length, z);

    return rc != NC_EZARRMETA ? rc
                              : ncz_format_array_spoil_grid(
                                    z, ncz_fail(rc, "%s: \"chunks\" is missing or does not fit the shape", key));
}

static int
parse_dtype(const ncz_json *doc, const ncz_loader *l, ncz_arena *arena, const char *key, ncz_array_meta *z)
{
    const ncz_json *own = l->nczarr ? ncz_json_get(doc, OWN_DTYPE) : NULL;
    const ncz_json *dtype = own != NULL ? own : ncz_json_get(doc, "dtype");
    size_t          len = 0;
    const char     *text = ncz_json_slice(dtype, &len);
    int             rc;

    ncz_zarr2_dtype_parse(dtype, l->nczarr, l->writer.char_u1, &z->st);
    if (ncz_json_is(dtype, NCZ_JSON_ARRAY) && (rc = ncz_zarr2_record_parse(dtype, arena, &z->st.dtype)) != NC_NOERR)
        return rc;
    ncz_format_array_hide_type(z, &z->st);
    if (dtype == NULL) {
        ncz_format_array_spoil(z, ncz_fail(NC_EZARRMETA, "%s: no \"dtype\"", key));
        z->frozen = true;
    } else if (z->st.type->class == NCZ_TYPE_NONE && !ncz_format_is_record(&z->st.dtype)) {
        ncz_format_array_spoil(z, ncz_fail(NC_EBADTYPE, "%s: netCDF has no type for dtype %.*s", key,
                                           (int)(len > 100 ? 100 : len), text));
    }
    return NC_NOERR;
}

static int
parse_layout(const ncz_json *doc, const char *key, ncz_array_meta *z)
{
    const ncz_json *order = ncz_json_get(doc, "order"), *sep = ncz_json_get(doc, "dimension_separator");
    const ncz_json *format = ncz_json_get(doc, "zarr_format");
    bool            fortran = ncz_json_str_is(order, "F");
    uint64_t        version = 2;
    int             rc;

    if (fortran && (rc = ncz_order_fortran(z->rank, &z->order)) != NC_NOERR)
        return rc;
    z->key_encoding = ncz_json_str_is(sep, "/") ? ZARR2_KEYS_NESTED : ZARR2_KEYS_DOTTED;
    if (format != NULL && (!ncz_json_u64(format, &version) || version != 2))
        ncz_format_array_spoil(z, ncz_fail(NC_EZARRMETA, "%s: \"zarr_format\" is not 2", key));
    if (order != NULL && !fortran && !ncz_json_str_is(order, "C"))
        ncz_format_array_spoil(z, ncz_fail(NC_EZARRMETA, "%s: \"order\" is neither \"C\" nor \"F\"", key));
    if (!ncz_json_is(sep, NCZ_JSON_NULL) && z->key_encoding == ZARR2_KEYS_DOTTED && !ncz_json_str_is(sep, "."))
        ncz_format_array_spoil(z,
                               ncz_fail(NC_EZARRMETA, "%s: \"dimension_separator\" is neither \".\" nor \"/\"", key));
    z->frozen = z->frozen || (z->unusable->code == NC_EZARRMETA);
    return NC_NOERR;
}

/*
 * While strings are widened, the last filter is this one. It codes nothing. Readers that do not know it refuse the
 * array, some of whose chunks are narrower than it says. The member stays afterwards: a process that has not seen the
 * new width may still store a chunk. It has the earlier widths.
 */
#define WIDENING_ID "nczarr_widening"
#define WIDTHS      "nczarr_widths"

static bool
is_widening(const ncz_json *zarray)
{
    const ncz_json *filters = ncz_json_get(zarray, "filters");
    size_t          n = ncz_json_is(filters, NCZ_JSON_ARRAY) ? ncz_json_len(filters) : 0;

    return n > 0 && ncz_json_str_is(ncz_json_get(ncz_json_at(filters, n - 1), "id"), WIDENING_ID);
}

/* Earlier versions of this library did not write the member: then a chunk may have any width while the filter is there,
 * and must have the array's when it is gone. */
static ncz_widths
read_widths(const ncz_json *zarray, bool widening)
{
    const ncz_json *list = ncz_json_get(zarray, WIDTHS);
    ncz_widths      earlier = {.n = 0};
    uint64_t        width;

    for (size_t i = ncz_json_is(list, NCZ_JSON_ARRAY) ? ncz_json_len(list) : 0; i-- > 0;)
        if (ncz_json_u64(ncz_json_at(list, i), &width) && width <= INT32_MAX)
            ncz_widths_add(&earlier, (size_t)width);
    if (earlier.n == 0 && widening)
        ncz_widths_add(&earlier, 0);
    return earlier;
}

void
ncz_zarr2_string_width(const ncz_json *zarray, ncz_string_width *out)
{
    const char *dtype = ncz_json_str(ncz_json_get(zarray, "dtype"), NULL);
    bool        widening = is_widening(zarray);
    uint64_t    width = 0;

    *out = (ncz_string_width){.earlier = read_widths(zarray, widening), .widening = widening};
    if (dtype == NULL || dtype[0] == '\0' || dtype[1] != 'S')
        return;
    for (const char *c = dtype + 2; *c >= '0' && *c <= '9' && width <= INT32_MAX; c++)
        width = width * 10 + (uint64_t)(*c - '0');
    out->nbytes = width <= INT32_MAX ? (size_t)width : 0;
}

static int
drop_widening(ncz_array_meta *z)
{
    ncz_chain *rest = NULL;
    int        rc = ncz_chain_without(z->chain, WIDENING_ID, &rest);

    if (rc != NC_NOERR)
        return rc;
    ncz_chain_unref(z->chain);
    z->chain = rest;
    z->widening = true;
    return NC_NOERR;
}

/* The codecs. A malformed chain spoils the variable; an unknown codec keeps its place in the chain. */
static int
parse_chain(const ncz_json *doc, const ncz_loader *l, const char *key, ncz_array_meta *z)
{
    bool             netcdf = l->nczarr || l->ignored || l->writer.netcdf;
    ncz_config_rules rules = netcdf ? NCZ_CONFIG_NETCDF : NCZ_CONFIG_NUMCODECS;
    ncz_array_type   type = {.dtype = z->st.dtype,
                             .row = z->rank > 0 ? z->shape[z->rank - 1] : 0,
                             .rank = z->rank,
                             .shape = z->chunk,
                             .order = z->order};
    int              rc;

    if (!ncz_grid_nbytes(z->chunk, z->rank, z->st.dtype.size, &type.chunk_bytes))
        type.chunk_bytes = SIZE_MAX;
    rc = ncz_chain_parse(ncz_json_get(doc, "filters"), ncz_json_get(doc, "compressor"), &type, rules,
                         l->m->limits.chain, &z->chain);
    if (rc == NC_NOERR && is_widening(doc))
        rc = drop_widening(z);
    z->earlier = read_widths(doc, z->widening);
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    ncz_log(NCZ_LOG_WARN, "%s: %s", key, ncz_err_text());
    ncz_format_array_spoil(z, rc);
    z->frozen = true;
    return NC_NOERR;
}

static int
parse_fill(const ncz_zarr2_docs *n, const ncz_loader *l, ncz_array_meta *z)
{
    const ncz_json *fill = ncz_json_get(n->doc[NCZ_DOC_ZARRAY], "fill_value");
    bool            plain = l->nczarr || l->writer.netcdf;
    int             rc;

    /* Null alone means no fill value; with this mark it means the type's default. */
    if (l->nczarr && ncz_json_is(fill, NCZ_JSON_NULL) && !ncz_format_is_record(&z->st.dtype) &&
        ncz_json_str_is(ncz_zarr2_nczarr_get(n, NCZ_INFO_ARRAY, "fill", "fill"), "default")) {
        z->fill_mode = NCZ_FILL_DEFAULT;
        z->fill_null = true;
        return NC_NOERR;
    }
    z->marked = l->nczarr && ncz_json_str_is(ncz_zarr2_nczarr_get(n, NCZ_INFO_ARRAY, "fill", "fill"), "base64");
    if (ncz_format_is_record(&z->st.dtype)) {
        rc = ncz_format_stored_fill(fill, &z->st.dtype, &z->stored_fill);
        z->fill_mode = z->stored_fill != NULL ? NCZ_FILL_VALUE : NCZ_FILL_NONE;
    } else {
        rc = ncz_format_fill_parse(fill, &z->st, plain && !z->marked, &z->fill_mode, &z->fill);
    }
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    ncz_format_array_spoil(z, rc);
    return NC_NOERR;
}

int
ncz_zarr2_array_parse(const ncz_zarr2_docs *n, const ncz_loader *l, ncz_arena *arena, const char *key,
                      ncz_array_meta *out)
{
    const ncz_json *doc = n->doc[NCZ_DOC_ZARRAY];
    ncz_array_meta  z = {.key_encoding = ZARR2_KEYS_DOTTED, .fill_mode = NCZ_FILL_NONE, .unusable = &ncz_err_none};
    int             rc;

    if ((rc = ncz_format_read_shape(doc, parse_length, l->m->limits.rank, key, &z)) != NC_NOERR ||
        (rc = parse_chunks(doc, key, &z)) != NC_NOERR || (rc = parse_layout(doc, key, &z)) != NC_NOERR)
        goto done;
    if ((rc = parse_dtype(doc, l, arena, key, &z)) != NC_NOERR || (rc = parse_chain(doc, l, key, &z)) != NC_NOERR ||
        (rc = parse_fill(n, l, &z)) != NC_NOERR)
        goto done;
    if (z.nomem) {
        rc = ncz_fail_nomem(sizeof *z.unusable);
        goto done;
    }
    *out = z;
    z = (ncz_array_meta){.rank = 0};
done:
    ncz_format_array_meta_clear(&z);
    return rc;
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

static void
write_lengths(ncz_jsonw *w, const char *name, const uint64_t *v, size_t n, bool scalar_as_1)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < n; i++)
        ncz_jsonw_u64(w, v[i]);
    if (n == 0 && scalar_as_1)
        ncz_jsonw_u64(w, 1);
    ncz_jsonw_close_array(w);
}

/* `filters` is null or a list. */
static int
add_widening(ncz_buf *filters)
{
    bool some = filters->len > 0 && filters->data[0] == '[';
    int  rc;

    if (!some) {
        ncz_buf_reset(filters);
        return ncz_buf_puts(filters, "[{\"id\": \"" WIDENING_ID "\"}]");
    }
    filters->len--; /* the bracket */
    rc = ncz_buf_puts(filters, ", {\"id\": \"" WIDENING_ID "\"}]");
    return rc;
}

static void
write_widths(const ncz_widths *earlier, ncz_jsonw *w)
{
    bool some = false;

    for (uint32_t i = 0; i < earlier->n; i++) {
        if (earlier->v[i] == 0 && earlier->n == 1) /* the filter says it */
            continue;
        if (!some) {
            ncz_jsonw_key(w, WIDTHS);
            ncz_jsonw_open_array(w);
            some = true;
        }
        ncz_jsonw_u64(w, earlier->v[i]);
    }
    if (some)
        ncz_jsonw_close_array(w);
}

static int
write_codecs(const ncz_var *v, ncz_jsonw *w)
{
    ncz_buf filters = NCZ_BUF_INIT, compressor = NCZ_BUF_INIT;
    int     rc = ncz_chain_write(v->chain, &filters, &compressor);

    if (rc == NC_NOERR) {
        ncz_jsonw_key(w, "compressor");
        ncz_jsonw_raw(w, compressor.data, compressor.len);
        ncz_jsonw_key(w, "filters");
        if (v->widening)
            rc = add_widening(&filters);
        ncz_jsonw_raw(w, filters.data, filters.len);
    }
    ncz_buf_clear(&filters);
    ncz_buf_clear(&compressor);
    return rc;
}

/*
 * Characters have two spellings: netCDF-C, which never looks into consolidated metadata, knows them by `>S1`, and
 * zarr-python 3, which looks there first, refuses a group that has a `>S1`. So a copy of the document has `|S1`, and
 * names the document's own type beside it, by which this library tells characters from strings of one byte.
 */
static bool
is_copy_of_chars(const ncz_var *v, const ncz_format_opts *style)
{
    return style->copying && style->gen != NCZ_GEN_PURE && v->dtype.kind == NCZ_KIND_CHAR;
}

static int
write_dtype(const ncz_var *v, const ncz_format_opts *style, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "dtype");
    if (is_copy_of_chars(v, style)) {
        ncz_jsonw_cstr(w, "|S1");
        ncz_jsonw_key(w, OWN_DTYPE);
    }
    return ncz_zarr2_dtype_write(v, &ncz_zarr2_layouts[style->gen], w);
}

int
ncz_zarr2_array_write(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    const ncz_nczarr_layout *lay = &ncz_zarr2_layouts[style->gen];
    bool                     pure = style->gen == NCZ_GEN_PURE, scalar_as_1 = !pure && !style->copying;
    ncz_jsonw                w = ncz_jsonw_on(out);
    ncz_dims                 shape;
    int                      rc;

    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "zarr_format");
    ncz_jsonw_u64(&w, 2);
    /* Pure Zarr has a scalar as shape [], NCZarr as [1] with a mark elsewhere. The copy in the consolidated metadata is
     * for readers of pure Zarr: netCDF-C, which takes no [], never looks there. */
    write_lengths(&w, "shape", shape.v, v->rank, scalar_as_1);
    if ((rc = write_dtype(v, style, &w)) != NC_NOERR)
        goto done;
    write_lengths(&w, "chunks", v->chunk, v->rank, scalar_as_1);
    ncz_jsonw_key(&w, "fill_value");
    if ((rc = ncz_format_fill_write(v, pure || is_copy_of_chars(v, style), ncz_zarr2_is_time(v), &w)) != NC_NOERR)
        goto done;
    ncz_jsonw_key(&w, "order");
    ncz_jsonw_cstr(&w, ncz_order_is_fortran(v->order, v->rank) ? "F" : "C");
    if ((rc = write_codecs(v, &w)) != NC_NOERR)
        goto done;
    if (v->key_encoding == ZARR2_KEYS_NESTED) {
        ncz_jsonw_key(&w, "dimension_separator");
        ncz_jsonw_cstr(&w, "/");
    }
    write_widths(&v->earlier, &w);
    if (lay->in_objects && (rc = ncz_zarr2_nczarr_write(v, lay, false, &w)) != NC_NOERR)
        goto done;
    ncz_jsonw_close_object(&w);
    rc = ncz_jsonw_end(&w);
done:
    ncz_dims_clear(&shape);
    return rc;
}
