/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of characters in the document of an array: it is one of strings with a dimension less, and a mark gives the
 * length of the row and the name of its dimension. Beside NCZarr's keys the mark is one of them; pure Zarr has two
 * attributes. A reader that does not know the mark has strings.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

/* ---- the mark -------------------------------------------------------------------------------------------------- */

/* Whether the codecs of chunks, or of those in shards, begin with the one that stores texts. */
static bool
makes_texts(const ncz_json *codecs)
{
    const ncz_json *first = ncz_json_at(codecs, 0);
    const char     *name = ncz_zarr3_name(first);

    if (name != NULL && strcmp(name, "sharding_indexed") == 0) {
        first = ncz_json_at(ncz_zarr3_config(first, "codecs"), 0);
        name = ncz_zarr3_name(first);
    }
    return name != NULL && strcmp(name, "vlen-utf8") == 0;
}

static const ncz_json *
find_mark(const ncz_json *doc, bool nczarr)
{
    const ncz_json *own = ncz_zarr3_nczarr(doc, ZARR3_ARRAY);

    if (!nczarr)
        return ncz_json_get(ncz_json_get(doc, "attributes"), ZARR3_CHAR_DIM_LENGTH);
    return ncz_json_str_is(ncz_json_get(own, "nczarr_type"), "char") ? ncz_json_get(own, ZARR3_ROW_LENGTH) : NULL;
}

static int
append_length(uint64_t **list, size_t n, uint64_t len)
{
    uint64_t *longer = ncz_grow(*list, n + 1, sizeof *longer);

    if (longer == NULL)
        return ncz_fail_nomem((n + 1) * sizeof *longer);
    longer[n] = len;
    *list = longer;
    return NC_NOERR;
}

int
ncz_zarr3_rows_parse(const ncz_json *doc, const ncz_loader *l, ncz_array_meta *z)
{
    const char *type = ncz_zarr3_name(ncz_json_get(doc, "data_type"));
    uint64_t    len = 0;
    int         rc;

    if (!ncz_json_u64(find_mark(doc, l->nczarr), &len) || len == 0 || len > UINT32_MAX / 4 || type == NULL ||
        strcmp(type, "string") != 0 || !makes_texts(ncz_json_get(doc, "codecs")) || z->shapeless ||
        z->rectilinear != NULL || z->rank >= l->m->limits.rank)
        return NC_NOERR;
    if ((rc = append_length(&z->shape, z->rank, len)) != NC_NOERR ||
        (rc = append_length(&z->chunk, z->rank, len)) != NC_NOERR)
        return rc;
    z->rank++;
    z->text_rows = true;
    return NC_NOERR;
}

int
ncz_zarr3_rows_names(const ncz_json *doc, const ncz_json *names, const ncz_node_meta *s, ncz_arena *arena,
                     ncz_string_list *out)
{
    const char     *last = ncz_json_cstr(ncz_json_get(ncz_json_get(doc, "attributes"), ZARR3_CHAR_DIM_NAME));
    ncz_string_list some = {.n = 0};
    int             rc = ncz_format_read_strings(arena, names, &some);

    if (rc != NC_NOERR || !s->z.text_rows) {
        *out = some;
        return rc;
    }
    if ((out->v = ncz_arena_get_n(arena, s->z.rank, sizeof *out->v)) == NULL)
        return ncz_fail_nomem(s->z.rank * sizeof *out->v);
    out->n = s->z.rank;
    for (size_t i = 0; i + 1 < out->n; i++)
        out->v[i] = some.v[i];
    out->v[out->n - 1] = last != NULL ? ncz_arena_text(arena, last, strlen(last)) : NULL;
    return last != NULL && out->v[out->n - 1] == NULL ? ncz_fail_nomem(strlen(last)) : NC_NOERR;
}

void
ncz_zarr3_rows_write(const ncz_var *v, ncz_jsonw *w)
{
    const ncz_dim *d = v->dims[v->rank - 1];

    if (!ncz_format_is_anonymous(d)) {
        ncz_jsonw_key(w, ZARR3_CHAR_DIM_NAME);
        ncz_jsonw_cstr(w, d->name);
    }
    ncz_jsonw_key(w, ZARR3_CHAR_DIM_LENGTH);
    ncz_jsonw_u64(w, v->chunk[v->rank - 1]);
}

/* ---- the fill value -------------------------------------------------------------------------------------------- */

int
ncz_zarr3_rows_fill_parse(const ncz_json *v, const ncz_array_meta *z, ncz_fill_mode *mode, void **fill)
{
    size_t        len = 0;
    const char   *text = ncz_json_str(v, &len);
    unsigned char c;

    *fill = NULL;
    *mode = NCZ_FILL_NONE;
    if (ncz_json_is(v, NCZ_JSON_NULL) && v != NULL)
        return NC_NOERR;
    if (text == NULL || !ncz_codec_row_char(text, len, z->shape[z->rank - 1], &c))
        return ncz_fail(NC_EZARRMETA,
                        "\"fill_value\" is not the text of a row whose characters are all the same, as netCDF's "
                        "fill value is");
    return ncz_format_fill_number(&c, ncz_type_of(NC_CHAR), mode, fill);
}

int
ncz_zarr3_rows_fill_write(const ncz_var *v, ncz_jsonw *w)
{
    const void *value = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    ncz_buf     text = NCZ_BUF_INIT;
    int         rc = NC_NOERR;

    if (v->fill_mode != NCZ_FILL_NONE && value != NULL)
        rc = ncz_codec_row_text(*(const unsigned char *)value, v->chunk[v->rank - 1], &text);
    if (rc == NC_NOERR)
        ncz_jsonw_str(w, text.len > 0 ? text.data : "", text.len);
    ncz_buf_clear(&text);
    return rc;
}
