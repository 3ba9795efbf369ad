/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialect's table (at the end); the dataset's properties from the root's documents; a node as documents. No
 * state; any thread.
 */
#include "format/zarr2/zarr2_int.h"

#include <string.h>

/* ---- who wrote it --------------------------------------------------------------------------------------------- */

/* Parses one number of a version; moves *p after it and its dot. */
static unsigned
take_part(const char **p)
{
    unsigned n = 0;

    for (; **p >= '0' && **p <= '9'; (*p)++)
        n = n < 1000 ? n * 10 + (unsigned)(**p - '0') : n;
    if (**p == '.')
        (*p)++;
    return n;
}

/* The writer's release, from text such as "version=2,netcdf=4.9.2,nczarr=2.0.0", and the bugs known of it. */
static ncz_writer
find_writer(const ncz_json *zattrs, ncz_generation gen)
{
    const char *text = ncz_json_cstr(ncz_json_get(zattrs, "_NCProperties"));
    const char *p = text == NULL ? NULL : strstr(text, "netcdf=");
    ncz_writer  w = {.char_u1 = gen == NCZ_GEN_1 || gen == NCZ_GEN_2};
    unsigned    release;

    w.ours = text != NULL && strstr(text, "libnczarr=") != NULL;
    if (p == NULL)
        return w;
    p += strlen("netcdf=");
    release = take_part(&p) * 1000000;
    release += take_part(&p) * 1000;
    release += take_part(&p);
    w.netcdf = true;
    w.native_big = release >= 4008000 && release <= 4009002;
    w.char_u1 = w.char_u1 || (release >= 4008000 && release <= 4009000);
    return w;
}

static bool
says_classic(const ncz_node_docs *root)
{
    const ncz_zarr2_docs docs = ncz_zarr2_docs_of(root);
    uint64_t             flag = 0;

    return ncz_json_u64(ncz_zarr2_nczarr_get(&docs, NCZ_INFO_SUPER, NCZ_STRICT, NCZ_STRICT), &flag) && flag != 0;
}

/* ---- the root -------------------------------------------------------------------------------------------------- */

/* Fetched first, in this order: the first may suffice for a reader. */
static const ncz_doc root_docs[] = {
    NCZ_DOC_ZATTRS, NCZ_DOC_ZGROUP, NCZ_DOC_ZARRAY, NCZ_DOC_NCZARR, NCZ_DOC_NCZGROUP, NCZ_DOC_NCZATTR,
};

static const char *const root_keys[] = {".zattrs", ".zgroup", ".zarray", ".nczarr", ".nczgroup", ".nczattr", NULL};

_Static_assert(NCZ_LEN(root_docs) == NCZ_ZARR2_ROOT_DOCS, "");
_Static_assert(NCZ_LEN(root_keys) == NCZ_ZARR2_ROOT_DOCS + 1, "");

/* The root's documents identify the dataset, so a broken one fails the load. */
static int
identify_root(ncz_loader *l, ncz_node *root, const ncz_docs_got *got, ncz_node_docs *docs, bool *is)
{
    ncz_generation generation;

    for (size_t k = 0; k < NCZ_LEN(root_docs); k++) {
        ncz_doc d = root_docs[k];

        if (got[k].err != NULL)
            return ncz_err_adopt(got[k].err);
        if (got[k].doc != NULL && !ncz_json_is(got[k].doc, NCZ_JSON_OBJECT))
            return ncz_fail(NC_EZARRMETA, "%s: not a JSON object", ncz_zarr2_documents[d]);
        docs->doc[d] = got[k].doc;
        *is = *is || got[k].doc != NULL;
    }
    if (!*is)
        return NC_NOERR;
    generation = ncz_zarr2_generation(docs);
    l->gen = l->wish.pure ? NCZ_GEN_PURE : generation;
    l->ignored = l->wish.pure && generation != NCZ_GEN_PURE;
    l->writer = find_writer(docs->doc[NCZ_DOC_ZATTRS], generation);
    l->nczarr = l->gen != NCZ_GEN_PURE;
    l->classic = l->nczarr && says_classic(docs);
    /* In pure Zarr the root may be a lone array; in NCZarr it is always a group. */
    if (!l->nczarr && docs->doc[NCZ_DOC_ZARRAY] != NULL)
        root->kind = NCZ_NODE_ARRAY;
    l->make_layout = root->kind == NCZ_NODE_ARRAY ? ncz_zarr2_make_root_layout : ncz_zarr2_make_layout;
    return NC_NOERR;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static unsigned
choose_docs(const ncz_loader *l, ncz_node_kind kind)
{
    static const unsigned by_kind[] = {
        [NCZ_NODE_GROUP] = NCZ_DOC_BIT(NCZ_DOC_ZGROUP) | NCZ_DOC_BIT(NCZ_DOC_ZATTRS),
        [NCZ_NODE_ARRAY] = NCZ_DOC_BIT(NCZ_DOC_ZARRAY) | NCZ_DOC_BIT(NCZ_DOC_ZATTRS),
        [NCZ_NODE_DIR] = NCZ_DOC_BIT(NCZ_DOC_ZGROUP) | NCZ_DOC_BIT(NCZ_DOC_ZARRAY) | NCZ_DOC_BIT(NCZ_DOC_ZATTRS),
        [NCZ_NODE_NONE] = 0,
    };
    static const unsigned oldest[] = {
        [NCZ_NODE_GROUP] = NCZ_DOC_BIT(NCZ_DOC_NCZGROUP) | NCZ_DOC_BIT(NCZ_DOC_NCZATTR),
        [NCZ_NODE_ARRAY] = NCZ_DOC_BIT(NCZ_DOC_NCZVAR) | NCZ_DOC_BIT(NCZ_DOC_NCZARRAY) | NCZ_DOC_BIT(NCZ_DOC_NCZATTR),
        [NCZ_NODE_DIR] = 0,
        [NCZ_NODE_NONE] = 0,
    };

    return by_kind[kind] | (l->gen == NCZ_GEN_1 ? oldest[kind] : 0);
}

/* `.zattrs` comes first: `.zarray` or `.zgroup` makes the node visible, which must be complete then. */
static int
write_node(const ncz_model *m, const ncz_group *g, const ncz_var *v, const ncz_format_opts *style, ncz_buf *text,
           ncz_node_doc_fn each, void *arg)
{
    int rc;

    (void)m;
    ncz_buf_reset(text);
    rc = v != NULL ? ncz_zarr2_var_attrs_write(v, style, text) : ncz_zarr2_group_attrs_write(g, style, text);
    if (rc != NC_NOERR || (rc = each(arg, ncz_zarr2_documents[NCZ_DOC_ZATTRS], false, text)) != NC_NOERR)
        return rc;
    ncz_buf_reset(text);
    rc = v != NULL ? ncz_zarr2_array_write(v, style, text) : ncz_zarr2_group_write(g, style, text);
    if (rc != NC_NOERR)
        return rc;
    return each(arg, ncz_zarr2_documents[v != NULL ? NCZ_DOC_ZARRAY : NCZ_DOC_ZGROUP], true, text);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static const char *const marks[] = {".zgroup", ".zarray", ZARR2_COPIES, ".nczarr", NULL};

static const char *const top[] = {".zgroup", ".zarray", ".zattrs", ZARR2_COPIES, ".nczarr", ".nczgroup", NULL};

/* In the order of publication. The first may suffice for a reader, but only the last makes the dataset visible. */
static const ncz_root_doc published[] = {
    {".zattrs", ".zattrs.unfinished"},
    {ZARR2_COPIES, ZARR2_COPIES ".unfinished"},
    {".zgroup", ".zgroup.unfinished"},
    {NULL, NULL},
};

/* Datasets in netCDF-C's generations get its default fill values, so that they are written as netCDF-C writes them. */
static ncz_unmasked_fill
choose_unmasked_fill(int gen)
{
    return gen == NCZ_GEN_BOTH ? NCZ_UNMASKED_NULL : gen == NCZ_GEN_PURE ? NCZ_UNMASKED_NONE : NCZ_UNMASKED_DEFAULT;
}

const ncz_dialect_ops ncz_zarr2 = {
    .name = "Zarr v2",
    .zarr = &(const ncz_zarr_ops){2, "2.0.0", NCZ_GEN_BOTH, ncz_zarr2_encode_keys},
    .traits.ordered_types = true,
    .traits.fill_is_missing = true,
    .traits.plain_sequences = true,
    .traits.marks_writers = true,
    .traits.sequence_codec = "vlen-array",
    .traits.spelling = NCZ_SPELLING_NUMCODECS,
    .traits.hidden_atts = ncz_zarr_hidden_atts,
    .traits.width_att = NCZARR_MAXSTRLEN_ATT,
    .traits.default_width_att = NCZARR_DEFAULT_MAXSTRLEN_ATT,
    .docs = {.all = ncz_zarr2_documents,
             .root = root_keys,
             .enough = ncz_zarr2_root_enough,
             .marks = marks,
             .top = top,
             .published = published,
             .array = ".zarray",
             .stale_tails = true},
    .copies = {.key = ZARR2_COPIES,
               .member = "metadata",
               .version = "zarr_consolidated_format",
               .elsewhere = "record_size",
               .unasked = "_nczarr_unasked"},
    .reader.identify = identify_root,
    .reader.wanted_docs = choose_docs,
    .reader.parse_node = ncz_zarr2_parse_node,
    .write_node = write_node,
    .make_layout = ncz_zarr2_make_layout,
    .string_width = ncz_zarr2_string_width,
    .keys.parse_key = ncz_zarr2_parse_key,
    .keys.split_chunk_key = ncz_zarr2_split_chunk_key,
    .keys.is_member = ncz_zarr2_is_member,
    .keys.owns_temporary = ncz_zarr2_owns_temporary,
    .types.att_type = ncz_zarr2_att_type,
    .types.check_type = ncz_zarr2_check_type,
    .types.dtype_text = ncz_zarr2_dtype_text,
    .types.dtype_check = ncz_zarr2_dtype_check,
    .types.has_objects = ncz_zarr2_has_objects,
    .types.stored_type = ncz_zarr2_stored_type,
    .types.type_name = ncz_zarr2_type_name,
    .unmasked_fill = choose_unmasked_fill,
};
