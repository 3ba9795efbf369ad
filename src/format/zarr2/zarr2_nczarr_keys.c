/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where each generation keeps its NCZarr information. The keys that are present identify the generation; version
 * strings are not used. The table `places` has all differences in reading, the table of layouts all in writing.
 */
#include "format/zarr2/zarr2_int.h"

/* Newest first: a reader that finds several uses the newest. A NULL key: the whole document is the information. */
typedef struct place {
    ncz_nczarr_info what;
    ncz_doc         doc;
    ncz_word        key;
    ncz_generation  gen;
} place;

static const place places[] = {
    {NCZ_INFO_SUPER, NCZ_DOC_ZATTRS, NCZ_WORD("_nczarr_superblock"), NCZ_GEN_4},
    {NCZ_INFO_SUPER, NCZ_DOC_ZGROUP, NCZ_WORD("_nczarr_superblock"), NCZ_GEN_3},
    {NCZ_INFO_SUPER, NCZ_DOC_ZGROUP, NCZ_WORD("_NCZARR_SUPERBLOCK"), NCZ_GEN_2},
    {NCZ_INFO_SUPER, NCZ_DOC_NCZARR, {NULL, 0}, NCZ_GEN_1},
    {NCZ_INFO_GROUP, NCZ_DOC_ZATTRS, NCZ_WORD("_nczarr_group"), NCZ_GEN_4},
    {NCZ_INFO_GROUP, NCZ_DOC_ZGROUP, NCZ_WORD("_nczarr_group"), NCZ_GEN_3},
    {NCZ_INFO_GROUP, NCZ_DOC_ZGROUP, NCZ_WORD("_NCZARR_GROUP"), NCZ_GEN_2},
    {NCZ_INFO_GROUP, NCZ_DOC_NCZGROUP, {NULL, 0}, NCZ_GEN_1},
    {NCZ_INFO_ARRAY, NCZ_DOC_ZATTRS, NCZ_WORD("_nczarr_array"), NCZ_GEN_4},
    {NCZ_INFO_ARRAY, NCZ_DOC_ZARRAY, NCZ_WORD("_nczarr_array"), NCZ_GEN_3},
    {NCZ_INFO_ARRAY, NCZ_DOC_ZARRAY, NCZ_WORD("_NCZARR_ARRAY"), NCZ_GEN_2},
    {NCZ_INFO_ARRAY, NCZ_DOC_NCZVAR, {NULL, 0}, NCZ_GEN_1},
    {NCZ_INFO_ARRAY, NCZ_DOC_NCZARRAY, {NULL, 0}, NCZ_GEN_1},
    {NCZ_INFO_ATTR, NCZ_DOC_ZATTRS, NCZ_WORD("_nczarr_attr"), NCZ_GEN_4},
    {NCZ_INFO_ATTR, NCZ_DOC_ZATTRS, NCZ_WORD("_NCZARR_ATTR"), NCZ_GEN_2},
    {NCZ_INFO_ATTR, NCZ_DOC_NCZATTR, {NULL, 0}, NCZ_GEN_1},
};

const ncz_nczarr_layout ncz_zarr2_layouts[NCZ_GEN_BOTH + 1] = {
    [NCZ_GEN_PURE] = {.char_dtype = "|S1", .strings = true, .objects = true, .numpy_bytes = true},
    [NCZ_GEN_1] = {.char_dtype = "<U1"}, /* read only */
    [NCZ_GEN_2] = {"_NCZARR_SUPERBLOCK", "_NCZARR_GROUP", "_NCZARR_ARRAY", "_NCZARR_ATTR", .in_objects = true,
                   .char_dtype = "<U1"},
    [NCZ_GEN_3] = {"_nczarr_superblock", "_nczarr_group", "_nczarr_array", "_nczarr_attr", .in_objects = true,
                   .char_dtype = ">S1", .strings = true},
    [NCZ_GEN_4] = {"_nczarr_superblock", "_nczarr_group", "_nczarr_array", "_nczarr_attr", .in_attrs = true,
                   .char_dtype = ">S1", .strings = true, .objects = true},
    [NCZ_GEN_BOTH] = {"_nczarr_superblock", "_nczarr_group", "_nczarr_array", "_nczarr_attr", .in_objects = true,
                      .in_attrs = true, .char_dtype = ">S1", .strings = true, .objects = true, .numpy_bytes = true},
};

int
ncz_zarr2_check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    if (type->class != NCZ_TYPE_STRING || ncz_zarr2_layouts[style->gen].strings)
        return NC_NOERR;
    return ncz_fail(
        NC_EBADTYPE,
        "%s: netCDF-C 4.8.1 and 4.9.0 (compat=4.9.0) have no strings (NC_STRING); use characters (NC_CHAR)", what);
}

bool
ncz_zarr2_has_objects(const ncz_format_opts *style)
{
    return ncz_zarr2_layouts[style->gen].objects;
}

static const ncz_json *
at_place(const ncz_node_docs *n, const place *p)
{
    const ncz_json *v = n->doc[p->doc];

    if (p->key.text != NULL)
        v = ncz_json_get_n(v, p->key.text, p->key.len);
    return ncz_json_is(v, NCZ_JSON_OBJECT) ? v : NULL;
}

ncz_zarr2_docs
ncz_zarr2_docs_of(const ncz_node_docs *n)
{
    ncz_zarr2_docs out = {.doc = n->doc};

    for (size_t i = 0; i < NCZ_LEN(places); i++) {
        ncz_nczarr_info what = places[i].what;
        const ncz_json *v = at_place(n, &places[i]);

        if (v != NULL)
            out.info[what][out.ninfo[what]++] = v;
    }
    return out;
}

const ncz_json *
ncz_zarr2_nczarr_find(const ncz_zarr2_docs *n, ncz_nczarr_info what, const char *newer, size_t newer_len,
                      const char *older, size_t older_len)
{
    const ncz_json *v = NULL;

    for (size_t i = 0; v == NULL && i < n->ninfo[what]; i++)
        if ((v = ncz_json_get_n(n->info[what][i], newer, newer_len)) == NULL && older != newer)
            v = ncz_json_get_n(n->info[what][i], older, older_len);
    return v;
}

bool
ncz_zarr2_nczarr_has(const ncz_zarr2_docs *n, ncz_nczarr_info what)
{
    return n->ninfo[what] > 0;
}

bool
ncz_zarr2_is_member(const ncz_json *doc)
{
    bool member = false;

    for (size_t i = 0; i < NCZ_LEN(places); i++) {
        if (places[i].key.text == NULL || ncz_json_get_n(doc, places[i].key.text, places[i].key.len) == NULL)
            continue;
        if (places[i].what == NCZ_INFO_SUPER)
            return false;
        member = member || places[i].what == NCZ_INFO_GROUP || places[i].what == NCZ_INFO_ARRAY;
    }
    return member;
}

bool
ncz_zarr2_root_enough(const ncz_json *zattrs)
{
    const ncz_node_docs  docs = {.doc = {[NCZ_DOC_ZATTRS] = zattrs}};
    const ncz_zarr2_docs p = ncz_zarr2_docs_of(&docs);

    return ncz_zarr2_nczarr_has(&p, NCZ_INFO_SUPER) &&
           ncz_zarr2_nczarr_get(&p, NCZ_INFO_GROUP, "arrays", "vars") != NULL &&
           ncz_zarr2_nczarr_get(&p, NCZ_INFO_GROUP, "groups", "groups") != NULL &&
           ncz_zarr2_nczarr_get(&p, NCZ_INFO_GROUP, "dimensions", "dims") != NULL;
}

ncz_generation
ncz_zarr2_generation(const ncz_node_docs *root)
{
    bool seen[NCZ_GEN_BOTH + 1] = {false};

    for (size_t i = 0; i < NCZ_LEN(places); i++)
        if ((places[i].what == NCZ_INFO_SUPER || places[i].what == NCZ_INFO_GROUP) &&
            at_place(root, &places[i]) != NULL)
            seen[places[i].gen] = true;
    if (seen[NCZ_GEN_4])
        return seen[NCZ_GEN_3] ? NCZ_GEN_BOTH : NCZ_GEN_4;
    for (int gen = NCZ_GEN_3; gen >= NCZ_GEN_1; gen--)
        if (seen[gen])
            return (ncz_generation)gen;
    return NCZ_GEN_PURE;
}
