/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads chains in numcodecs' spelling: Zarr v2's "filters" and "compressor", and the codecs that a caller defines.
 */
#include "filter/chain_v3_int.h"

#include <string.h>

/* The first codec of an array of objects must be an object codec. No other place or array may have one. */
static int
check_place(const ncz_codec_ops *ops, bool first, const ncz_array_type *in)
{
    bool objects = first && in->dtype.kind == NCZ_KIND_OBJECT;

    if (ncz_codec_is_vlen(ops, in) == objects)
        return NC_NOERR;
    return objects ? ncz_fail(NC_EFILTER, "codec '%s' cannot store objects: one that can (vlen-utf8) must come first",
                              ops->id)
                   : ncz_fail(NC_EFILTER, "codec '%s' stores objects: it needs an array of them, and to come first",
                              ops->id);
}

/* A caller may also use v3's spelling, {"name", "configuration"}. */
static bool
is_v3_spelling(const ncz_json *v, ncz_config_rules rules)
{
    return rules == NCZ_CONFIG_CALLER && ncz_json_get(v, "id") == NULL && ncz_json_get(v, "name") != NULL;
}

int
ncz_codec_look_up(const ncz_json *v, ncz_config_rules rules, const char **out, const ncz_codec_ops **ops)
{
    bool        v3 = is_v3_spelling(v, rules);
    size_t      len;
    const char *id = ncz_json_str(ncz_json_get(v, v3 ? "name" : "id"), &len);

    if (id == NULL || len == 0 || strlen(id) != len)
        return ncz_fail(NC_EFILTER, "a codec must be an object with an \"id\"");
    *out = id;
    *ops = v3 ? ncz_v3_find(id) : ncz_codec_by_id(id);
    return NC_NOERR;
}

int
ncz_codec_read(const ncz_codec_ops *ops, const ncz_json *v, const ncz_array_type *in, ncz_config_rules rules,
               ncz_codec **out)
{
    return is_v3_spelling(v, rules) ? ncz_v3_read(ops, v, in, out) : ncz_codec_from_json(ops, v, in, rules, out);
}

static int
parse_codec(const ncz_json *v, bool first, const ncz_array_type *in, ncz_config_rules rules, ncz_codec **out)
{
    size_t               len;
    const char          *id = NULL, *text = ncz_json_slice(v, &len);
    const ncz_codec_ops *ops = NULL;
    ncz_codec           *codec = NULL;
    int                  rc;

    if ((rc = ncz_codec_look_up(v, rules, &id, &ops)) != NC_NOERR)
        return rc;
    if (ops == NULL)
        return ncz_codec_unknown(id, text, len, ncz_codec_explain_refused(id), is_v3_spelling(v, rules), out);
    if ((rc = ncz_codec_read(ops, v, in, rules, &codec)) == NC_NOERR &&
        (rc = check_place(ops, first, in)) == NC_NOERR)
        *out = ncz_codec_ref(codec);
    else if (rc == NC_ENOFILTER)
        rc = ncz_codec_unknown(id, text, len, ncz_err_text(), is_v3_spelling(v, rules), out);
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    return rc;
}

int
ncz_chain_parse(const ncz_json *filters, const ncz_json *compressor, const ncz_array_type *in, ncz_config_rules rules,
                size_t limit, ncz_chain **out)
{
    bool           last = !ncz_json_is(compressor, NCZ_JSON_NULL);
    size_t         nfilters = ncz_json_len(filters), n = nfilters + last;
    ncz_type_flow  flow = {.type = *in};
    ncz_codec_list list;
    int            rc;

    if (!ncz_json_is(filters, NCZ_JSON_NULL) && !ncz_json_is(filters, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "\"filters\" is neither null nor an array");
    if (n > limit)
        return ncz_fail(NC_EFILTER, "%zu codecs in a chain, the limit is %zu", n, limit);
    if (n == 0) {
        *out = NULL;
        return NC_NOERR;
    }
    if ((rc = ncz_codec_list_init(&list, n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        const ncz_json *v = i < nfilters ? ncz_json_at(filters, i) : compressor;
        ncz_codec      *codec = NULL;

        /* Each codec is parsed for the output type of the codecs before it. */
        if ((rc = parse_codec(v, i == 0, &flow.type, rules, &codec)) != NC_NOERR)
            goto done;
        ncz_codec_list_append(&list, codec);
        ncz_type_flow_pass(&flow, codec);
    }
    rc = ncz_chain_make(&list, in, out);
done:
    ncz_codec_list_clear(&list);
    return rc;
}
