/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_codec_list: the codecs of a variable as one JSON list, defined and inquired in the spelling of either version of
 * Zarr.
 */
#include "api/api_int.h"

#include "dialects/dialects.h"
#include "nczarr_filter.h"

#include <string.h>

/* ---- writing ---- */

int
ncz_api_write_codecs(const ncz_var *v, ncz_codec_spelling spelling, ncz_buf *out)
{
    ncz_array_type      type = ncz_spec_array_type(v->spec);
    const ncz_v3_codecs codecs = {.chain = v->chain, .big = v->spec->dtype.big, .order = v->order};
    ncz_jsonw           w;
    int                 rc;

    if (spelling == NCZ_SPELLING_NUMCODECS) {
        if ((rc = ncz_chain_check_spelling(v->chain, spelling)) != NC_NOERR)
            return rc;
        return v->chain == NULL ? ncz_buf_puts(out, "[]") : ncz_chain_write_list(v->chain, out);
    }
    w = ncz_jsonw_on(out);
    if ((rc = ncz_chain_write_v3(&codecs, &type, &w)) != NC_NOERR)
        return rc;
    return ncz_jsonw_end(&w);
}

int
nczarr_inq_var_codecs(int ncid, int varid, int zarr_format, size_t *lenp, char *json)
{
    const ncz_dialect_ops *dialect = ncz_dialects_of_version(zarr_format);
    ncz_call               c;
    ncz_var               *v = NULL;
    ncz_buf                out = NCZ_BUF_INIT;
    int                    rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (dialect == NULL)
        rc = ncz_fail(NC_EINVAL, "nczarr_inq_var_codecs: %d is not a version of Zarr", zarr_format);
    else if ((rc = ncz_call_var(&c, varid, &v)) == NC_NOERR)
        rc = ncz_api_write_codecs(v, dialect->traits.spelling, &out);
    return ncz_call_leave_text(&c, rc, &out, lenp, json);
}

/* ---- definition ---- */

/*
 * True if all codecs are spelled as in Zarr v3 and the list says more than a chain can: the order of elements, or the
 * byte order. Codecs of either spelling may also be mixed, where the elements' own bytes are implied.
 */
static bool
is_v3_list(const ncz_json *list)
{
    static const char *const names[] = {"bytes", "transpose", "sharding_indexed"};
    bool                     more = false;

    for (size_t i = 0; i < ncz_json_len(list); i++) {
        const ncz_json *v = ncz_json_at(list, i),
                       *name = ncz_json_is(v, NCZ_JSON_STRING) ? v : ncz_json_get(v, "name");

        if (name == NULL || ncz_json_get(v, "id") != NULL)
            return false;
        for (size_t k = 0; k < NCZ_LEN(names); k++)
            more = more || ncz_json_str_is(name, names[k]);
    }
    return more;
}

/* Parses one list for elements of a type; in v3's spelling *out has more than the chain. */
static int
parse_for(const ncz_call *c, const ncz_json *list, bool v3, const ncz_array_type *type, ncz_v3_codecs *out)
{
    *out = (ncz_v3_codecs){.chain = NULL};
    if (v3)
        return ncz_chain_parse_v3(list, type, c->m->limits.chain, out);
    return ncz_chain_parse(list, NULL, type, NCZ_CONFIG_CALLER, c->m->limits.chain, &out->chain);
}

/* Parses a list of codecs for the variable. For strings the list decides between fixed width and objects; for sequences
 * it may lack the codec that makes bytes of them. */
static int
parse_list(const ncz_call *c, const ncz_var *v, const ncz_json *list, bool v3, ncz_v3_codecs *out)
{
    ncz_array_type type = ncz_spec_array_type(v->spec);
    ncz_err        first;
    int            rc = parse_for(c, list, v3, &type, out);

    if (rc != NC_EFILTER || (v->type->class != NCZ_TYPE_STRING && type.dtype.items == NULL))
        return rc;
    ncz_err_save(&first, rc);
    if (ncz_dtype_is_packed(&type.dtype))
        type.dtype = ncz_dtype_of(ncz_type_of(NC_UBYTE), false, 0);
    else if (type.dtype.items != NULL)
        type.dtype = ncz_dtype_of(type.dtype.items, false, 0);
    else if (type.dtype.kind == NCZ_KIND_OBJECT)
        type.dtype = ncz_dtype_of(v->type, false, v->maxstrlen);
    else
        type.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
    rc = parse_for(c, list, v3, &type, out);
    return rc == NC_EFILTER ? ncz_err_adopt(&first) : rc;
}

/* What a list in v3's spelling says beside the chain. */
static int
set_layout(const ncz_call *c, ncz_var *v, const ncz_v3_codecs *codecs)
{
    int rc;

    if (codecs->inner != NULL)
        return ncz_fail(NC_EFILTER, "%s: codec 'sharding_indexed' is defined with nczarr_def_var_shards()", v->name);
    if ((rc = ncz_dataset_set_order(c->ds, v, codecs->order)) != NC_NOERR)
        return rc;
    if (!ncz_type_is_number(v->type) || v->dtype.size < 2 || codecs->big == v->spec->dtype.big)
        return NC_NOERR;
    return ncz_var_set_endian(c->m, v, codecs->big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE);
}

/* Characters as bytes is what such a list says, where rows would be texts. */
static bool
asks_for_bytes(const ncz_json *list)
{
    for (size_t i = 0; i < ncz_json_len(list); i++) {
        const ncz_json *v = ncz_json_at(list, i);

        if (ncz_json_str_is(v, "bytes") || ncz_json_str_is(ncz_json_get(v, "name"), "bytes"))
            return true;
    }
    return false;
}

bool
ncz_api_makes_texts(const ncz_var *v, const ncz_json *codec)
{
    static const char name[] = "vlen-utf8";

    return v->type->class == NCZ_TYPE_CHAR &&
           (ncz_json_str_is(codec, name) || ncz_json_str_is(ncz_json_get(codec, "name"), name) ||
            ncz_json_str_is(ncz_json_get(codec, "id"), name));
}

/* Takes the codec that makes texts of rows from the front of a list for characters: where it fits it is theirs
 * anyway. */
static int
drop_text_rows(const ncz_var *v, ncz_json **list)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 32, .nbytes = SIZE_MAX, .name = "codecs"};
    ncz_buf             text = NCZ_BUF_INIT;
    ncz_json           *rest = NULL;
    ncz_jsonw           w = ncz_jsonw_on(&text);
    int                 rc;

    if (!ncz_api_makes_texts(v, ncz_json_at(*list, 0)))
        return NC_NOERR;
    ncz_jsonw_open_array(&w);
    for (size_t i = 1; i < ncz_json_len(*list); i++)
        ncz_jsonw_value(&w, ncz_json_at(*list, i));
    ncz_jsonw_close_array(&w);
    if ((rc = ncz_jsonw_end(&w)) == NC_NOERR &&
        (rc = ncz_json_parse(ncz_buf_str(&text), text.len, &opts, &rest, NULL)) == NC_NOERR) {
        ncz_json_free(*list);
        *list = rest;
    }
    ncz_buf_clear(&text);
    return rc;
}

static int
set_codecs(const ncz_call *c, ncz_var *v, const ncz_json *list)
{
    bool          v3 = is_v3_list(list), plain = v->plain_chars;
    ncz_v3_codecs codecs;
    int           rc;

    v->plain_chars = asks_for_bytes(list);
    if ((rc = parse_list(c, v, list, v3, &codecs)) == NC_NOERR && (rc = ncz_chain_usable(codecs.chain)) == NC_NOERR &&
        (!v3 || (rc = set_layout(c, v, &codecs)) == NC_NOERR))
        rc = ncz_dataset_set_chain(c->ds, v, codecs.chain);
    if (rc != NC_NOERR)
        v->plain_chars = plain;
    ncz_v3_codecs_clear(&codecs);
    return rc;
}

static int
parse_text(const ncz_var *v, const char *json, ncz_json **list)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 32, .nbytes = (size_t)1 << 20, .name = "codecs"};
    int                 rc;

    if (json == NULL)
        return ncz_fail(NC_EINVAL, "%s: codecs are a JSON list, not a null pointer", v->name);
    if ((rc = ncz_json_parse(json, strlen(json), &opts, list, NULL)) == NC_ENOMEM)
        return rc;
    if (rc != NC_NOERR || !ncz_json_is(*list, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "%s: these codecs are no JSON list", v->name);
    return NC_NOERR;
}

int
nczarr_def_var_codecs(int ncid, int varid, const char *json)
{
    ncz_call  c;
    ncz_var  *v = NULL;
    ncz_json *list = NULL;
    int       rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "codecs", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = parse_text(v, json, &list)) == NC_NOERR && (rc = drop_text_rows(v, &list)) == NC_NOERR)
        rc = set_codecs(&c, v, list);
    ncz_json_free(list);
    return ncz_call_leave(&c, rc);
}
