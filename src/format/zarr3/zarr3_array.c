/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The document of an array -> its metadata. Reading takes whatever the document has, and what one of the other readers
 * accepts where the meaning is clear. A fault is recorded, and reported when the data are accessed, so that one
 * invalid array never spoils a dataset.
 */
#include "format/zarr3/zarr3_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The document's own characters of a value, for error texts; at most 60. */
#define TEXT_MOST 60
static int
text_len(const ncz_json *v, const char **text)
{
    size_t len = 0;

    *text = ncz_json_slice(v, &len);
    if (*text == NULL)
        *text = "";
    return (int)(len > TEXT_MOST ? TEXT_MOST : len);
}

/* ---- shape and grid -------------------------------------------------------------------------------------------- */

/* A length. 4.0 is one, too. */
static bool
parse_length(const ncz_json *v, uint64_t *out)
{
    double d;

    if (ncz_json_u64(v, out))
        return *out <= INT64_MAX;
    if (!ncz_json_is(v, NCZ_JSON_DOUBLE) || !ncz_json_f64(v, &d) || !(d >= 0 && d < 9007199254740992.0) ||
        d != floor(d))
        return false;
    *out = (uint64_t)d;
    return true;
}

static int
parse_grid(const ncz_json *doc, const char *key, ncz_array_meta *z)
{
    const ncz_json *grid = ncz_json_get(doc, "chunk_grid");
    const char     *name = ncz_zarr3_name(grid), *text;
    int             len, rc;

    if (name != NULL && strcmp(name, "regular") == 0) {
        rc = ncz_format_read_chunks(ncz_zarr3_config(grid, "chunk_shape"), parse_length, z);
        return rc != NC_EZARRMETA ? rc
                                  : ncz_format_array_spoil_grid(
                                        z, ncz_fail(rc,
                                                    "%s: \"chunk_grid\": \"chunk_shape\" is missing or does not "
                                                    "fit the shape",
                                                    key));
    }
    if (name != NULL && strcmp(name, "rectilinear") == 0) {
        rc = ncz_zarr3_rectilinear_parse(grid, key, z);
        return rc == NC_NOERR || rc == NC_ENOMEM ? rc : ncz_format_array_spoil_grid(z, rc);
    }
    len = text_len(grid, &text);
    if (grid == NULL)
        return ncz_format_array_spoil_grid(z, ncz_fail(NC_EZARRMETA, "%s: no \"chunk_grid\"", key));
    if (name == NULL)
        return ncz_format_array_spoil_grid(
            z, ncz_fail(NC_EZARRMETA, "%s: \"chunk_grid\" %.*s is not a grid", key, len, text));
    return ncz_format_array_spoil_grid(
        z, ncz_fail(NC_ENOTBUILT, "%s: the \"chunk_grid\" `%.60s` is not supported", key, name));
}

static void
parse_keys(const ncz_json *doc, const char *key, ncz_array_meta *z)
{
    const ncz_json *v = ncz_json_get(doc, "chunk_key_encoding"), *sep = ncz_zarr3_config(v, "separator");
    const ncz_json *config = ncz_json_get(v, "configuration");
    const char     *name = ncz_zarr3_name(v), *text;
    bool            v2 = name != NULL && strcmp(name, "v2") == 0;
    int             len = text_len(v, &text);

    if (name == NULL || (!v2 && strcmp(name, "default") != 0)) {
        ncz_format_array_spoil(
            z, ncz_fail(NC_EZARRMETA, "%s: \"chunk_key_encoding\" %.*s is missing or unknown", key, len, text));
        z->frozen = true;
        return;
    }
    if (!ncz_json_is(config, NCZ_JSON_NULL) && !ncz_json_is(config, NCZ_JSON_OBJECT)) {
        ncz_format_array_spoil(
            z, ncz_fail(NC_EZARRMETA, "%s: \"chunk_key_encoding\": its \"configuration\" is not an object", key));
        z->frozen = true;
        return;
    }
    for (ncz_key_encoding e = 0; e < ZARR3_KEYS_COUNT; e++) {
        const char s[2] = {ncz_zarr3_encodings[e].separator, '\0'};

        if (strcmp(ncz_zarr3_encodings[e].name, name) == 0 && (sep == NULL || ncz_json_str_is(sep, s))) {
            z->key_encoding = e;
            return;
        }
    }
    ncz_format_array_spoil(
        z, ncz_fail(NC_EZARRMETA, "%s: \"chunk_key_encoding\": \"separator\" is neither \".\" nor \"/\"", key));
    z->frozen = true;
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* NCZarr's texts in types of other uses: a character in one byte, a string in bytes of a fixed number. */
static void
apply_nczarr_type(const ncz_json *doc, ncz_stored_type *st)
{
    const ncz_json *type = ncz_json_get(ncz_zarr3_nczarr(doc, ZARR3_ARRAY), "nczarr_type");

    if (type == NULL) /* netCDF-C's branch for version 3 */
        type = ncz_json_get(ncz_json_get(doc, "attributes"), "nczarr_type");
    if (ncz_json_str_is(type, "char") && st->dtype.size == 1)
        st->dtype = (ncz_dtype){.kind = NCZ_KIND_CHAR, .size = 1};
    else if (ncz_json_str_is(type, "string") && st->dtype.kind == NCZ_KIND_RAW)
        st->dtype.kind = NCZ_KIND_BYTES;
    st->type = ncz_dtype_type(&st->dtype);
}

static int
parse_dtype(const ncz_json *doc, const ncz_loader *l, ncz_arena *arena, const char *key, ncz_array_meta *z,
            ncz_zarr3_dtype *t)
{
    const ncz_json *v = ncz_json_get(doc, "data_type");
    const char     *name = ncz_zarr3_name(v), *text;
    int             len = text_len(v, &text), rc;

    ncz_zarr3_dtype_parse(v, t);
    if ((rc = ncz_zarr3_record_parse(v, arena, false, &t->st.dtype)) != NC_NOERR)
        return rc;
    if (z->text_rows)
        t->st = (ncz_stored_type){.dtype = {.kind = NCZ_KIND_CHAR, .size = 1}, .type = ncz_type_of(NC_CHAR)};
    else if (l->nczarr)
        apply_nczarr_type(doc, &t->st);
    ncz_format_array_hide_type(z, &t->st);
    z->st = t->st;
    if (v == NULL) {
        ncz_format_array_spoil(z, ncz_fail(NC_EZARRMETA, "%s: no \"data_type\"", key));
        z->frozen = true;
    } else if (z->st.type->class == NCZ_TYPE_NONE && !ncz_format_is_record(&z->st.dtype)) {
        ncz_format_array_spoil(
            z, name != NULL ? ncz_fail(NC_EBADTYPE, "%s: netCDF has no type for \"data_type\" `%.60s`", key, name)
                            : ncz_fail(NC_EZARRMETA, "%s: \"data_type\" %.*s is no type", key, len, text));
    }
    return NC_NOERR;
}

static int
parse_fill(const ncz_json *doc, const ncz_loader *l, const char *key, const ncz_zarr3_dtype *t, ncz_array_meta *z)
{
    const ncz_json *fill = ncz_json_get(doc, "fill_value");
    ncz_err         err;
    int             rc;

    /* With this mark missing chunks are zero bytes, and so is the document's value, which other readers require. */
    if (l->nczarr && ncz_json_str_is(ncz_json_get(ncz_zarr3_nczarr(doc, ZARR3_ARRAY), "fill"), ZARR3_NO_FILL))
        return NC_NOERR;
    if (ncz_format_is_record(&z->st.dtype)) {
        rc = ncz_format_stored_fill(fill, &z->st.dtype, &z->stored_fill);
        z->fill_mode = z->stored_fill != NULL ? NCZ_FILL_VALUE : NCZ_FILL_NONE;
    } else if (z->text_rows) {
        rc = ncz_zarr3_rows_fill_parse(fill, z, &z->fill_mode, &z->fill);
    } else {
        rc = ncz_zarr3_fill_parse(fill, t, &z->fill_mode, &z->fill);
    }
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    ncz_err_save(&err, rc);
    ncz_format_array_spoil(z, ncz_fail(rc, "%s: %s", key, err.text));
    return NC_NOERR;
}

/* ---- codecs ---------------------------------------------------------------------------------------------------- */

static void
take_codecs(ncz_array_meta *z, ncz_v3_codecs *c)
{
    ncz_stored_type *st = &z->st;
    bool ordered = st->dtype.size > 1 && st->dtype.kind != NCZ_KIND_BYTES && st->dtype.kind != NCZ_KIND_OBJECT &&
                   st->dtype.kind != NCZ_KIND_RAW;

    z->chain = c->chain;
    z->order = c->order;
    if (c->inner != NULL) {
        z->shard = z->chunk;
        z->chunk = c->inner;
        z->shard_layout = c->shard;
    }
    if (ordered) {
        st->dtype.big = c->big;
        /* As in netCDF-C and Zarr v2 a compound has no byte order of its own. */
        st->endian = c->big ? NC_ENDIAN_BIG : st->dtype.kind == NCZ_KIND_RECORD ? NC_ENDIAN_NATIVE : NC_ENDIAN_LITTLE;
    }
    *c = (ncz_v3_codecs){.chain = NULL};
}

/* The fill value as one stored element in `out`, or NULL for zero bytes: codecs that change values change it, too. */
static const void *
store_fill(const ncz_array_meta *z, unsigned char *out)
{
    const void *value = z->fill_mode == NCZ_FILL_VALUE ? z->fill : z->st.type->fill;

    if (z->fill_mode == NCZ_FILL_NONE || value == NULL || !ncz_type_is_number(z->st.type))
        return NULL;
    return ncz_convert_in(z->st.type, value, &z->st.dtype, out, 1, false) == NC_NOERR ? out : NULL;
}

/* A malformed list spoils the variable; an unknown codec keeps its place in the chain. */
static int
parse_codecs(const ncz_json *doc, const ncz_loader *l, const char *key, ncz_array_meta *z)
{
    const ncz_json *codecs = ncz_json_get(doc, "codecs");
    ncz_v3_codecs   c = {.chain = NULL};
    unsigned char   fill[8];
    ncz_array_type  type = {
         .dtype = z->st.dtype, .row = z->rank > 0 ? z->shape[z->rank - 1] : 0, .rank = z->rank, .shape = z->chunk};
    ncz_err err;
    int     rc;

    if (!ncz_grid_nbytes(z->chunk, z->rank, z->st.dtype.size, &type.chunk_bytes))
        type.chunk_bytes = SIZE_MAX;
    type.fill = store_fill(z, fill);
    rc = ncz_chain_parse_v3(codecs, &type, l->m->limits.chain, &c);
    if (rc == NC_NOERR)
        take_codecs(z, &c);
    ncz_v3_codecs_clear(&c);
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    ncz_err_save(&err, rc);
    rc = ncz_fail(rc, "%s: %s%s", key, strncmp(err.text, "\"codecs\"", 8) == 0 ? "" : "\"codecs\": ", err.text);
    ncz_log(NCZ_LOG_WARN, "%s", ncz_err_text());
    ncz_format_array_spoil(z, rc);
    z->frozen = true;
    return NC_NOERR;
}

/* ---- other members --------------------------------------------------------------------------------------------- */

static void
check_members(const ncz_json *doc, const char *key, ncz_array_meta *z)
{
    static const char *const known[] = {
        "zarr_format",        "node_type",  "shape",  "data_type",  "chunk_grid",
        "chunk_key_encoding", "fill_value", "codecs", "attributes", "storage_transformers",
        "dimension_names",    NULL,
    };
    const ncz_json *transformers = ncz_json_get(doc, "storage_transformers");
    double          version = 0;
    bool            ignored;
    const char     *name = ncz_zarr3_unknown(doc, known, &ignored);

    z->frozen = z->frozen || name != NULL;
    if (!ncz_json_f64(ncz_json_get(doc, "zarr_format"), &version) || version != 3)
        ncz_format_array_spoil(z, ncz_fail(NC_EZARRMETA, "%s: \"zarr_format\" is not 3", key));
    if (!ncz_json_is(transformers, NCZ_JSON_NULL) &&
        (!ncz_json_is(transformers, NCZ_JSON_ARRAY) || ncz_json_len(transformers) > 0))
        ncz_format_array_spoil(z, ncz_fail(NC_ENOTBUILT, "%s: \"storage_transformers\" are not supported", key));
    if (!ignored)
        ncz_format_array_spoil(
            z, ncz_fail(NC_EZARRMETA, "%s: the member \"%.60s\" is unknown, and must be understood", key, name));
}

/* Records have the byte order that their codec defines, and so do their fill values. */
static int
parse_record(const ncz_json *doc, const ncz_loader *l, ncz_arena *arena, const char *key, const ncz_zarr3_dtype *t,
             ncz_array_meta *z)
{
    int rc;

    if (!ncz_format_is_record(&z->st.dtype))
        return NC_NOERR;
    if (z->st.dtype.kind == NCZ_KIND_RECORD && z->st.dtype.big &&
        (rc = ncz_zarr3_record_parse(ncz_json_get(doc, "data_type"), arena, true, &z->st.dtype)) != NC_NOERR)
        return rc;
    return parse_fill(doc, l, key, t, z);
}

int
ncz_zarr3_array_parse(const ncz_json *doc, const ncz_loader *l, ncz_arena *arena, const char *key,
                      ncz_array_meta *out)
{
    ncz_array_meta  z = {.key_encoding = ZARR3_KEYS_DEFAULT, .fill_mode = NCZ_FILL_NONE, .unusable = &ncz_err_none};
    ncz_zarr3_dtype t;
    int             rc;

    if ((rc = ncz_format_read_shape(doc, parse_length, l->m->limits.rank, key, &z)) != NC_NOERR ||
        (rc = parse_grid(doc, key, &z)) != NC_NOERR || (rc = ncz_zarr3_rows_parse(doc, l, &z)) != NC_NOERR)
        goto done;
    parse_keys(doc, key, &z);
    check_members(doc, key, &z);
    if ((rc = parse_dtype(doc, l, arena, key, &z, &t)) != NC_NOERR ||
        (!ncz_format_is_record(&z.st.dtype) && (rc = parse_fill(doc, l, key, &t, &z)) != NC_NOERR) ||
        (rc = parse_codecs(doc, l, key, &z)) != NC_NOERR ||
        (rc = parse_record(doc, l, arena, key, &t, &z)) != NC_NOERR)
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
