/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialect's table (at the end), and the dataset's properties from the root's document. No state; any thread.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

static const char *const documents[] = {ZARR3_DOCUMENT, NULL};

_Static_assert(NCZ_LEN(documents) == NCZ_ZARR3_ROOT_DOCS + 1, "");

/* ---- the root -------------------------------------------------------------------------------------------------- */

static ncz_writer
find_writer(const ncz_json *doc)
{
    const char *text = ncz_json_cstr(ncz_json_get(ncz_json_get(doc, "attributes"), "_NCProperties"));

    return (ncz_writer){.ours = text != NULL && strstr(text, "libnczarr=") != NULL,
                        .netcdf = text != NULL && strstr(text, "netcdf=") != NULL};
}

/* An object with "zarr_format" or "node_type" is meant to be Zarr's. Anything else may be any program's. */
static int
check_root(const ncz_json *doc, bool *is)
{
    const ncz_json *format = ncz_json_get(doc, "zarr_format"), *type = ncz_json_get(doc, "node_type");
    size_t          len = 0;
    const char     *text = ncz_json_slice(format, &len);
    double          version = 0;

    *is = format != NULL || type != NULL;
    if (!*is)
        return NC_NOERR;
    if (!ncz_json_f64(format, &version) || version != 3)
        return ncz_fail(NC_EZARRMETA, ZARR3_DOCUMENT ": \"zarr_format\" is %.*s, not 3",
                        text == NULL ? 7 : (int)(len > 40 ? 40 : len), text == NULL ? "missing" : text);
    if (!ncz_json_str_is(type, "array") && !ncz_json_str_is(type, "group"))
        return ncz_fail(NC_EZARRMETA, ZARR3_DOCUMENT ": \"node_type\" is neither \"array\" nor \"group\"");
    return NC_NOERR;
}

/* True for a document that identifies the dataset: a reader needs no other of the root. */
static bool
is_root(const ncz_json *doc)
{
    bool is = false;

    if (check_root(doc, &is) == NC_NOERR)
        return is;
    ncz_err_clear();
    return false;
}

static int
identify_root(ncz_loader *l, ncz_node *root, const ncz_docs_got *got, ncz_node_docs *docs, bool *is)
{
    const ncz_json *doc = got[0].doc, *copies;
    ncz_generation  generation;
    int             rc;

    if (got[0].err != NULL)
        return ncz_err_adopt(got[0].err);
    if ((rc = check_root(doc, is)) != NC_NOERR || !*is)
        return rc;
    docs->doc[0] = doc;
    generation = ncz_zarr3_nczarr(doc, ZARR3_SUPERBLOCK) != NULL || ncz_zarr3_nczarr(doc, ZARR3_GROUP) != NULL
                     ? NCZ_GEN_V3
                     : NCZ_GEN_PURE;
    l->writer = find_writer(doc);
    l->copies = ncz_zarr3_find_copies(doc, &copies) != NULL;
    l->gen = l->wish.pure ? NCZ_GEN_PURE : generation;
    l->ignored = l->wish.pure && generation != NCZ_GEN_PURE;
    l->nczarr = l->gen != NCZ_GEN_PURE;
    l->classic = l->nczarr && ncz_format_flag(ncz_json_get(ncz_zarr3_nczarr(doc, ZARR3_SUPERBLOCK), NCZ_STRICT));
    if (ncz_json_str_is(ncz_json_get(doc, "node_type"), "array"))
        root->kind = NCZ_NODE_ARRAY;
    l->make_layout = root->kind == NCZ_NODE_ARRAY ? ncz_zarr3_make_root_layout : ncz_zarr3_make_layout;
    return NC_NOERR;
}

static unsigned
choose_docs(const ncz_loader *l, ncz_node_kind kind)
{
    (void)l;
    return kind == NCZ_NODE_NONE ? 0 : 1;
}

/* Those of version 2, and the two of pure Zarr. */
static const ncz_word hidden_atts[] = {
    NCZ_WORD(NCZ_XARRAY),
    NCZ_WORD(ZARR3_SUPERBLOCK),
    NCZ_WORD(ZARR3_GROUP),
    NCZ_WORD(ZARR3_ARRAY),
    NCZ_WORD(ZARR3_ATTR),
    NCZ_WORD(ZARR3_ATTRS),
    NCZ_WORD("_nczarr_default_separator"),
    NCZ_WORD("_NCZARR_SUPERBLOCK"),
    NCZ_WORD("_NCZARR_GROUP"),
    NCZ_WORD("_NCZARR_ARRAY"),
    NCZ_WORD("_NCZARR_ATTR"),
    NCZ_WORD(ZARR3_CHAR_DIM_NAME),
    NCZ_WORD(ZARR3_CHAR_DIM_LENGTH),
    NCZ_WORD(ZARR3_CHAR_ENCODING),
    {NULL, 0},
};

/* ---- the table ------------------------------------------------------------------------------------------------- */

static int
check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    (void)style;
    (void)type;
    (void)what;
    return NC_NOERR;
}

static bool
has_objects(const ncz_format_opts *style)
{
    (void)style;
    return true;
}

/* fill_value hides nothing from xarray here, and null is no value of it: the type's default, for every type. */
static ncz_unmasked_fill
choose_unmasked_fill(int gen)
{
    (void)gen;
    return NCZ_UNMASKED_DEFAULT;
}

/* Names that the specification reserves: readers skip them. That of a document is another object's key. */
static bool
is_valid_name(const char *name)
{
    return strncmp(name, "__", 2) != 0 && name[strspn(name, ".")] != '\0' &&
           strncmp(name, ZARR3_DOCUMENT, strlen(ZARR3_DOCUMENT)) != 0;
}

static bool
is_member(const ncz_json *doc)
{
    return ncz_zarr3_nczarr(doc, ZARR3_SUPERBLOCK) == NULL &&
           (ncz_zarr3_nczarr(doc, ZARR3_GROUP) != NULL || ncz_zarr3_nczarr(doc, ZARR3_ARRAY) != NULL);
}

/* The one document of the root is the commit point. */
static const ncz_root_doc published[] = {
    {ZARR3_DOCUMENT, ZARR3_DOCUMENT ".unfinished"},
    {NULL, NULL},
};

const ncz_dialect_ops ncz_zarr3 = {
    .name = "Zarr v3",
    .zarr = &(const ncz_zarr_ops){3, "3.0.0", NCZ_GEN_V3, ncz_zarr3_encode_keys},
    .traits.encoding_att = ZARR3_CHAR_ENCODING,
    .traits.text_rows = true,
    .traits.only_objects = true,
    .traits.characters = "numbers (uint8)",
    .traits.has_shards = true,
    .traits.any_order = true,
    .traits.marks_writers = true,
    .traits.sequence_codec = "vlen-bytes",
    .traits.spelling = NCZ_SPELLING_V3,
    .traits.hidden_atts = hidden_atts,
    .traits.width_att = NCZARR_MAXSTRLEN_ATT,
    .traits.default_width_att = NCZARR_DEFAULT_MAXSTRLEN_ATT,
    .docs = {.all = documents,
             .root = documents,
             .enough = is_root,
             .marks = documents,
             .top = documents,
             .published = published,
             .array = ZARR3_DOCUMENT},
    .copies = {.inside = ncz_zarr3_find_copies, .inside_depth = 3},
    .reader.identify = identify_root,
    .reader.wanted_docs = choose_docs,
    .reader.parse_node = ncz_zarr3_parse_node,
    .write_node = ncz_zarr3_write_node,
    .make_layout = ncz_zarr3_make_layout,
    .keys.parse_key = ncz_zarr3_parse_key,
    .keys.split_chunk_key = ncz_zarr3_split_chunk_key,
    .keys.is_member = is_member,
    .keys.owns_temporary = ncz_zarr3_owns_temporary,
    .keys.valid_name = is_valid_name,
    .types.att_type = ncz_zarr3_att_type,
    .types.check_type = check_type,
    .types.dtype_text = ncz_zarr3_dtype_text,
    .types.dtype_check = ncz_zarr3_dtype_check,
    .types.has_objects = has_objects,
    .types.stored_type = ncz_zarr3_stored_type,
    .types.type_name = ncz_zarr3_type_name,
    .unmasked_fill = choose_unmasked_fill,
};
