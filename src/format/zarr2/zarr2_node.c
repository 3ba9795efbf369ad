/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the documents of one node as they arrive, so that they need not be kept: the node's kind, a group's lists
 * and dimensions, all of an array that does not depend on other nodes, and the attributes.
 *
 * Any thread: only the node itself changes. Faults of the documents are recorded in it.
 */
#include "format/zarr2/zarr2_int.h"

#include <string.h>

/* The attributes of the node, and NCZarr's records of them. */
static ncz_att_docs
find_atts(const ncz_loader *l, const ncz_zarr2_docs *p)
{
    ncz_att_docs docs = {.values = p->doc[NCZ_DOC_ZATTRS]};

    if (l->nczarr) {
        docs.types = ncz_zarr2_nczarr_get(p, NCZ_INFO_ATTR, "types", "types");
        docs.lengths = ncz_zarr2_nczarr_get(p, NCZ_INFO_ATTR, NCZ_LENGTHS, NCZ_LENGTHS);
        docs.bytes = ncz_zarr2_nczarr_get(p, NCZ_INFO_ATTR, NCZ_BYTES, NCZ_BYTES);
    }
    return docs;
}

/* The attributes of user-defined types. */
static int
read_typed(const ncz_loader *l, ncz_arena *arena, const ncz_zarr2_docs *p, ncz_node_meta *s)
{
    if (!l->nczarr)
        return NC_NOERR;
    return ncz_format_read_typed(arena, ncz_zarr2_nczarr_get(p, NCZ_INFO_ATTR, NCZ_USER_TYPES, NCZ_USER_TYPES),
                                 p->doc[NCZ_DOC_ZATTRS], s);
}

/* The full name of the variable's type. */
static int
read_type_name(const ncz_loader *l, ncz_arena *arena, const ncz_zarr2_docs *p, ncz_array_meta *z)
{
    const char *name = l->nczarr ? ncz_json_cstr(ncz_zarr2_nczarr_get(p, NCZ_INFO_ARRAY, "type", "type")) : NULL;

    if (name != NULL && (z->type_name = ncz_arena_text(arena, name, strlen(name))) == NULL)
        return ncz_fail_nomem(strlen(name));
    return NC_NOERR;
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

static int
read_group(const ncz_loader *l, ncz_load_arenas *mem, const ncz_zarr2_docs *p, const char *key, ncz_node_meta *s)
{
    const ncz_att_docs atts = find_atts(l, p);
    const ncz_json    *arrays, *groups, *dims;
    int                rc;

    if (l->nczarr) {
        s->lists = ncz_zarr2_nczarr_has(p, NCZ_INFO_GROUP);
        arrays = ncz_zarr2_nczarr_get(p, NCZ_INFO_GROUP, "arrays", "vars");
        groups = ncz_zarr2_nczarr_get(p, NCZ_INFO_GROUP, "groups", "groups");
        dims = ncz_zarr2_nczarr_get(p, NCZ_INFO_GROUP, "dimensions", "dims");
        if ((rc = ncz_format_read_strings(&mem->go, arrays, &s->arrays)) != NC_NOERR ||
            (rc = ncz_format_read_strings(&mem->go, groups, &s->groups)) != NC_NOERR ||
            (rc = ncz_format_read_dims(&mem->go, dims, s)) != NC_NOERR ||
            (rc = ncz_format_read_types(&mem->go, ncz_zarr2_nczarr_get(p, NCZ_INFO_GROUP, "types", "types"), s)) !=
                NC_NOERR ||
            (rc = read_typed(l, &mem->go, p, s)) != NC_NOERR)
            return rc;
    }
    return ncz_format_atts_read(l, &atts, &mem->stay, &s->atts, false, ncz_type_of(NC_NAT),
                                key[0] != '\0' ? key : ".zattrs");
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

/* True for a scalar. Writers mark it in several ways: shape [], or shape [1] with one of several marks. */
static bool
is_scalar(const ncz_loader *l, const ncz_zarr2_docs *p, const ncz_array_meta *z)
{
    const ncz_json *names, *flag, *refs;

    if (z->rank == 0)
        return true;
    if (z->rank != 1 || z->shape[0] != 1)
        return false;
    if (l->nczarr) {
        flag = ncz_zarr2_nczarr_get(p, NCZ_INFO_ARRAY, "scalar", "scalar");
        refs = ncz_zarr2_nczarr_get(p, NCZ_INFO_ARRAY, "dimension_references", "dimrefs");
        if (ncz_format_flag(flag) ||
            ncz_json_str_is(ncz_zarr2_nczarr_get(p, NCZ_INFO_ARRAY, "storage", "storage"), "scalar"))
            return true;
        if (ncz_json_is(refs, NCZ_JSON_ARRAY))
            return ncz_json_len(refs) == 0;
    }
    names = ncz_json_get(p->doc[NCZ_DOC_ZATTRS], NCZ_XARRAY);
    if (!ncz_json_is(names, NCZ_JSON_ARRAY))
        return false;
    return ncz_json_len(names) == 0 ||
           (ncz_json_len(names) == 1 && ncz_json_str_is(ncz_json_at(names, 0), NCZ_XSCALAR));
}

/* Reads the names of the dimensions, as far as their number matches the rank. */
static int
read_names(const ncz_loader *l, ncz_arena *arena, const ncz_zarr2_docs *p, ncz_node_meta *s)
{
    const ncz_json *refs = NULL, *stored = ncz_json_get(p->doc[NCZ_DOC_ZATTRS], NCZ_XARRAY);
    size_t          len = 0;
    const char     *text = ncz_json_slice(stored, &len);
    int             rc;

    s->xlist = ncz_json_is(stored, NCZ_JSON_ARRAY);
    if (l->nczarr)
        refs = ncz_zarr2_nczarr_get(p, NCZ_INFO_ARRAY, "dimension_references", "dimrefs");
    if (ncz_json_len(refs) == s->z.rank && (rc = ncz_format_read_strings(arena, refs, &s->refs)) != NC_NOERR)
        return rc;
    if (l->wish.xarray && ncz_json_len(stored) == s->z.rank &&
        (rc = ncz_format_read_strings(arena, stored, &s->names)) != NC_NOERR)
        return rc;
    if (text != NULL && (s->xarray = ncz_arena_text(arena, text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

/* Keeps the document's spelling of dtype and fill_value, which is written back until they change. A reader needs the
 * dtype only of a type that netCDF lacks, as the type's name, and of a time, whose unit only this text contains. */
static int
keep_texts(const ncz_loader *l, const ncz_zarr2_docs *p, ncz_node_meta *s)
{
    const ncz_json       *fill = ncz_json_get(p->doc[NCZ_DOC_ZARRAY], "fill_value");
    const ncz_array_meta *z = &s->z;
    int                   rc;

    if (!ncz_format_keeps_spelling(l) && z->st.type->class != NCZ_TYPE_NONE && z->st.units[0] == '\0')
        return NC_NOERR;
    rc = ncz_format_read_text(ncz_json_get(p->doc[NCZ_DOC_ZARRAY], "dtype"), &s->dtype_text);
    if (rc != NC_NOERR || z->marked || !ncz_format_keeps_spelling(l))
        return rc;
    if (z->fill_mode != NCZ_FILL_VALUE && ncz_json_is(fill, NCZ_JSON_NULL) && z->st.type->class != NCZ_TYPE_NONE)
        return NC_NOERR;
    return ncz_format_read_text(fill, &s->fill_text);
}

static int
read_array(const ncz_loader *l, ncz_load_arenas *mem, const ncz_node *n, const ncz_zarr2_docs *p, const char *key,
           ncz_node_meta *s)
{
    const ncz_att_docs atts = find_atts(l, p);
    int                rc;

    if (p->doc[NCZ_DOC_ZARRAY] != NULL)
        rc = ncz_zarr2_array_parse(p, l, &mem->stay, key[0] != '\0' ? key : ".zarray", &s->z);
    else
        rc = ncz_format_array_missing(n, key, ".zarray", &s->z);
    if (rc != NC_NOERR)
        return rc;
    if (is_scalar(l, p, &s->z))
        s->z.rank = 0;
    if ((rc = read_names(l, &mem->go, p, s)) != NC_NOERR ||
        (rc = read_type_name(l, &mem->go, p, &s->z)) != NC_NOERR ||
        (rc = read_typed(l, &mem->go, p, s)) != NC_NOERR || (rc = keep_texts(l, p, s)) != NC_NOERR ||
        (rc = ncz_format_read_array_atts(l, mem, &atts, n->name, s)) != NC_NOERR)
        return rc;
    if (l->nczarr)
        s->storage = ncz_format_storage(ncz_zarr2_nczarr_get(p, NCZ_INFO_ARRAY, "storage", "storage"));
    return NC_NOERR;
}

/* ---- a node --------------------------------------------------------------------------------------------------- */

/* Decides what a listed directory is. A node that is both is an array. */
static void
settle(ncz_node *n, const ncz_node_docs *p)
{
    bool array = p->doc[NCZ_DOC_ZARRAY] != NULL;

    if (n->kind != NCZ_NODE_DIR)
        return;
    if (array && p->doc[NCZ_DOC_ZGROUP] != NULL)
        ncz_log(NCZ_LOG_WARN, "'%s' is an array and a group: taken as an array", n->name);
    n->kind = array ? NCZ_NODE_ARRAY : p->doc[NCZ_DOC_ZGROUP] != NULL ? NCZ_NODE_GROUP : NCZ_NODE_DIR;
    if (n->kind == NCZ_NODE_DIR && n->err != NULL)
        n->kind = NCZ_NODE_ARRAY; /* it has an unreadable document: listed, never accessed */
}

int
ncz_zarr2_parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *docs, const char *key)
{
    const ncz_zarr2_docs p = ncz_zarr2_docs_of(docs);
    ncz_load_arenas     *mem;
    int                  rc;

    settle(n, docs);
    if ((rc = ncz_format_node_begin(l, n, &mem)) != NC_NOERR)
        return rc;
    rc = n->kind == NCZ_NODE_ARRAY ? read_array(l, mem, n, &p, key, n->said) : read_group(l, mem, &p, key, n->said);
    ncz_format_arenas_give(l, mem);
    return rc;
}
