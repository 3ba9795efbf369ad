/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes chains with one codec more, less or changed, for the calls that define filters.
 */
#include "filter/chain_int.h"
#include "filter/chain_v3_int.h"
#include "codecs/codec_int.h"

#include <string.h>

/* The first place for a bytes-to-bytes codec. */
static size_t
find_front(const ncz_chain *c)
{
    size_t i = 0;

    while (i < ncz_chain_len(c) && ncz_chain_listed(c, i)->ops != NULL &&
           ncz_chain_listed(c, i)->ops->cls != NCZ_CODEC_BYTES_BYTES)
        i++;
    return i;
}

/* The place for a codec: that of the first one with the same id, else the end or (front) the first bytes place. */
static size_t
find_place(const ncz_chain *base, const char *id, bool front)
{
    int found = ncz_chain_find(base, id);

    return found >= 0 ? (size_t)found : front ? find_front(base) : ncz_chain_len(base);
}

/* Puts `codec` at place `at`: instead of the existing one (`replace`), or before it. */
static int
insert_codec(const ncz_chain *base, ncz_codec *codec, size_t at, bool replace, const ncz_array_type *in,
             ncz_chain **out)
{
    size_t         n = ncz_chain_len(base);
    ncz_codec_list list;
    int            rc;

    if ((rc = ncz_codec_list_init(&list, n + 1)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i <= n; i++) {
        if (i == at)
            ncz_codec_list_append(&list, ncz_codec_ref(codec));
        if (i < n && !(replace && i == at))
            ncz_codec_list_append(&list, ncz_codec_ref(ncz_chain_listed(base, i)));
    }
    rc = ncz_chain_make(&list, in, out);
    ncz_codec_list_clear(&list);
    return rc;
}

int
ncz_chain_with(const ncz_chain *base, ncz_codec *codec, const ncz_array_type *in, bool front, ncz_chain **out)
{
    const char *id = ncz_codec_id(codec);

    return insert_codec(base, codec, find_place(base, id, front), ncz_chain_find(base, id) >= 0, in, out);
}

/* Whether the codec is for objects. categorize is for both; its "dtype" decides. */
static bool
is_for_objects(const ncz_codec_ops *ops, const ncz_json *config)
{
    size_t      len;
    const char *dtype = ncz_json_str(ncz_json_get(config, "dtype"), &len);

    if (ops->encode_vlen == NULL)
        return false;
    return ops->encode == NULL || (dtype != NULL && dtype[0] != '\0' && strchr("|O", dtype[0]) != NULL);
}

/* Puts the codec first, instead of an earlier object codec. A string variable becomes an array of objects. */
static int
add_object_codec(const ncz_chain *base, const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                 ncz_chain **out)
{
    ncz_array_type objects = *in;
    ncz_codec     *codec;
    int            rc;

    if (in->dtype.kind != NCZ_KIND_OBJECT && ncz_dtype_type(&in->dtype)->class != NCZ_TYPE_STRING)
        return ncz_fail(NC_EFILTER, "codec '%s' stores strings (NC_STRING) and sequences only", ops->id);
    if (base != NULL && !ncz_chain_objects(base) && find_front(base) > 0)
        return ncz_fail(NC_EFILTER, "codec '%s': codec '%s' is where it would go", ops->id, ncz_chain_id(base, 0));
    objects.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE, .items = in->dtype.items};
    if ((rc = ncz_codec_read(ops, config, &objects, NCZ_CONFIG_CALLER, &codec)) != NC_NOERR)
        return rc;
    rc = insert_codec(base, codec, 0, ncz_chain_objects(base), &objects, out);
    ncz_codec_unref(codec);
    return rc;
}

/* Codecs that may follow the one that makes texts of rows. A shuffle has nothing to do there, as for strings. */
static int
append_after_rows(const ncz_chain *base, ncz_codec_list *list)
{
    for (size_t i = 0; i < ncz_chain_len(base); i++) {
        ncz_codec           *c = ncz_chain_listed(base, i);
        const ncz_codec_ops *ops = ncz_codec_ops_of(c);

        if (ops == &ncz_codec_text_rows || strcmp(ncz_codec_id(c), "shuffle") == 0)
            continue;
        if (ops == NULL || ops->cls != NCZ_CODEC_BYTES_BYTES)
            return ncz_fail(NC_EFILTER, "codec '%s' needs characters, and 'vlen-utf8' makes texts of them",
                            ncz_codec_id(c));
        ncz_codec_list_append(list, ncz_codec_ref(c));
    }
    return NC_NOERR;
}

int
ncz_chain_with_text_rows(const ncz_chain *base, const ncz_array_type *in, ncz_chain **out)
{
    ncz_codec     *rows = NULL;
    ncz_codec_list list;
    int            rc;

    if ((rc = ncz_codec_list_init(&list, ncz_chain_len(base) + 1)) == NC_NOERR &&
        (rc = ncz_codec_new(&ncz_codec_text_rows, &rows)) == NC_NOERR) {
        ncz_codec_list_append(&list, rows);
        if ((rc = append_after_rows(base, &list)) == NC_NOERR)
            rc = ncz_chain_make(&list, in, out);
    }
    ncz_codec_list_clear(&list);
    return rc;
}

int
ncz_chain_without_text_rows(ncz_chain *base, ncz_chain **out)
{
    if (ncz_chain_has_text_rows(base))
        return ncz_chain_without(base, ncz_codec_text_rows.id, out);
    *out = ncz_chain_ref(base);
    return NC_NOERR;
}

int
ncz_chain_with_json(const ncz_chain *base, const ncz_json *config, const ncz_array_type *in, ncz_chain **out)
{
    ncz_type_flow        flow = {.type = *in};
    const ncz_codec_ops *ops = NULL;
    ncz_codec           *codec = NULL;
    const char          *id = NULL;
    bool                 front;
    int                  rc;

    if ((rc = ncz_codec_look_up(config, NCZ_CONFIG_CALLER, &id, &ops)) != NC_NOERR)
        return rc;
    if (ops == NULL)
        return ncz_codec_explain_refused(id) == NULL ? ncz_codec_fail_unknown(id)
                                                     : ncz_fail(NC_ENOFILTER, "%s", ncz_codec_explain_refused(id));

    if (is_for_objects(ops, config)) {
        rc = add_object_codec(base, ops, config, in, out);
        goto done;
    }
    front = ops->cls == NCZ_CODEC_ARRAY_ARRAY;
    for (size_t i = 0; i < find_place(base, ops->id, front); i++)
        ncz_type_flow_pass(&flow, ncz_chain_listed(base, i));
    if ((rc = ncz_codec_read(ops, config, &flow.type, NCZ_CONFIG_CALLER, &codec)) == NC_NOERR)
        rc = ncz_chain_with(base, codec, in, front, out);
done:
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    return rc;
}

int
ncz_chain_without(const ncz_chain *base, const char *id, ncz_chain **out)
{
    ncz_codec_list list;
    int            rc;

    *out = NULL;
    if (base == NULL)
        return NC_NOERR;
    if ((rc = ncz_codec_list_init(&list, base->n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < ncz_chain_len(base); i++)
        if (strcmp(ncz_chain_id(base, i), id) != 0)
            ncz_codec_list_append(&list, ncz_codec_ref(ncz_chain_listed(base, i)));
    rc = ncz_chain_make(&list, &base->in, out);
    ncz_codec_list_clear(&list);
    return rc;
}

int
ncz_chain_join(const ncz_chain *first, const ncz_chain *then, const ncz_array_type *in, ncz_chain **out)
{
    ncz_codec_list list;
    int            rc;

    *out = NULL;
    if ((rc = ncz_codec_list_init(&list, ncz_chain_len(first) + ncz_chain_len(then))) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < ncz_chain_len(first); i++)
        ncz_codec_list_append(&list, ncz_codec_ref(ncz_chain_listed(first, i)));
    for (size_t i = 0; i < ncz_chain_len(then); i++)
        if (strcmp(ncz_chain_id(then, i), "shuffle") != 0)
            ncz_codec_list_append(&list, ncz_codec_ref(ncz_chain_listed(then, i)));
    rc = ncz_chain_make(&list, in, out);
    ncz_codec_list_clear(&list);
    return rc;
}

int
ncz_chain_fit_width(ncz_chain *base, const ncz_array_type *in, ncz_chain **out)
{
    const unsigned       width[] = {(unsigned)in->dtype.size};
    const ncz_codec_ops *ops = NULL;
    ncz_codec           *codec = NULL;
    int                  rc;

    if (ncz_chain_find(base, "shuffle") < 0 || in->dtype.size > INT32_MAX) {
        *out = ncz_chain_ref(base);
        return NC_NOERR;
    }
    if ((ops = ncz_codec_by_id("shuffle")) == NULL)
        return ncz_fail(NC_ENOFILTER, "codec 'shuffle' is not built in");
    if ((rc = ncz_codec_from_words(ops, 1, width, in, &codec)) == NC_NOERR)
        rc = ncz_chain_with(base, codec, in, false, out);
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    return rc;
}
