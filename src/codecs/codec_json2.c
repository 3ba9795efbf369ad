/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json2 as in numcodecs: a JSON list of the elements, then the array's dtype, then its shape. numcodecs nests the
 * lists where the shape has several dimensions; we write a flat list, which numcodecs also reads.
 *
 * Strings are texts, and null is no text. Any other value is kept as its own JSON text and written back unchanged.
 */
#include "codecs/codec_int.h"

#include <string.h>
#include <strings.h>

static int
json2_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                void *state)
{
    const ncz_json *member = ncz_json_get(config, "encoding");
    const char     *encoding = ncz_json_cstr(member);

    (void)in;
    (void)rules;
    (void)state;
    if (encoding == NULL && ncz_json_is(member, NCZ_JSON_STRING))
        return ncz_fail(NC_EFILTER, "codec '%s': \"encoding\" has a NUL", ops->id);
    if (encoding != NULL && strcasecmp(encoding, "utf-8") != 0 && strcasecmp(encoding, "utf8") != 0 &&
        strcasecmp(encoding, "ascii") != 0)
        return ncz_fail(NC_ENOFILTER, "codec '%s': encoding '%.40s' is not built in", ops->id, encoding);
    return NC_NOERR;
}

/* Writes the members that matter to a reader. */
static void
json2_describe(const void *state, ncz_jsonw *w)
{
    (void)state;
    ncz_jsonw_key(w, "encoding");
    ncz_jsonw_cstr(w, "utf-8");
}

static int
json2_encode(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out)
{
    size_t    n = ncz_vlen_len(in);
    ncz_buf   clean = NCZ_BUF_LIMIT(out->limit);
    ncz_jsonw w = ncz_jsonw_on(out);
    int       rc = NC_NOERR;

    (void)state;
    (void)type;
    ncz_jsonw_open_array(&w);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        ncz_vlen_item text = ncz_vlen_at(in, i);

        if (text.what == NCZ_VLEN_NONE) {
            ncz_jsonw_null(&w);
        } else if (text.what == NCZ_VLEN_VALUE) {
            ncz_jsonw_raw(&w, text.s, text.len);
        } else {
            ncz_buf_reset(&clean);
            if ((rc = ncz_codec_append_utf8(&clean, text.s, text.len)) == NC_NOERR)
                ncz_jsonw_str(&w, ncz_buf_str(&clean), clean.len);
        }
    }
    ncz_jsonw_cstr(&w, "|O");
    ncz_jsonw_open_array(&w);
    ncz_jsonw_u64(&w, n);
    ncz_jsonw_close_array(&w);
    ncz_jsonw_close_array(&w);
    ncz_buf_clear(&clean);
    return rc != NC_NOERR ? rc : ncz_jsonw_end(&w);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static int
read_shape(const ncz_json *v, ncz_nested *shape)
{
    int rc;

    if (!ncz_json_is(v, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "codec 'json2': no shape at the end of its list");
    if ((rc = ncz_nested_init(shape, "json2", ncz_json_len(v))) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < shape->rank; d++)
        if (!ncz_json_u64(ncz_json_at(v, d), &shape->shape.v[d]))
            return ncz_fail(NC_EFILTER, "codec 'json2': its shape is not a list of lengths");
    return NC_NOERR;
}

static int
read_element(const ncz_json *v, ncz_nested *shape, ncz_buf *out)
{
    size_t        place = ncz_nested_next(shape);
    ncz_vlen_item text = {.what = NCZ_VLEN_STRING};

    if (ncz_json_is(v, NCZ_JSON_NULL))
        return NC_NOERR;
    if ((text.s = ncz_json_str(v, &text.len)) == NULL) {
        text.what = NCZ_VLEN_VALUE;
        text.s = ncz_json_slice(v, &text.len);
    }
    return ncz_vlen_set(out, place, text);
}

/*
 * Reads the first n items of a list: elements, or lists of the next dimension. The parser's limit bounds the depth.
 */
static int
read_level(const ncz_json *list, size_t n, size_t d, ncz_nested *shape, ncz_buf *out)
{
    int rc = NC_NOERR;

    if (n != shape->shape.v[d])
        return ncz_nested_misfit(shape);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        const ncz_json *item = ncz_json_at(list, i);

        if (d + 1 == shape->rank)
            rc = read_element(item, shape, out);
        else if (ncz_json_is(item, NCZ_JSON_ARRAY))
            rc = read_level(item, ncz_json_len(item), d + 1, shape, out);
        else
            rc = ncz_nested_misfit(shape);
    }
    return rc;
}

static int
json2_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems, ncz_buf *out)
{
    ncz_nested shape = {.rank = 0};
    ncz_json  *list = NULL;
    size_t     len;
    int        rc;

    (void)state;
    if (nelems > n) /* each takes at least a byte; checked before the table is allocated */
        return ncz_codec_cut_short("json2", n);
    if ((rc = ncz_codec_text_json("json2", (ncz_vlen_item){in, n, NCZ_VLEN_VALUE}, &list)) != NC_NOERR)
        return rc;
    len = ncz_json_len(list);
    if (!ncz_json_is(list, NCZ_JSON_ARRAY) || len < 2) {
        rc = ncz_fail(NC_EFILTER, "codec 'json2': not a list of elements, dtype and shape");
        goto done;
    }
    if ((rc = read_shape(ncz_json_at(list, len - 1), &shape)) != NC_NOERR ||
        (rc = ncz_nested_check(&shape, type, nelems)) != NC_NOERR || (rc = ncz_vlen_begin(out, nelems)) != NC_NOERR)
        goto done;
    if (shape.rank > 0)
        rc = read_level(list, len - 2, 0, &shape, out);
    else
        rc = read_element(ncz_json_at(list, 0), &shape, out);
done:
    ncz_nested_clear(&shape);
    ncz_json_free(list);
    return rc;
}

const ncz_codec_ops ncz_codec_json2 = {
    .id = "json2",
    .members = {"encoding", "skipkeys", "ensure_ascii", "check_circular", "allow_nan", "indent", "separators",
                "sort_keys", "strict"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .config.from_json = json2_from_json,
    .config.describe = json2_describe,
    .encode_vlen = json2_encode,
    .decode_vlen = json2_decode,
};
