/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the document of one node as it arrives, so that it need not be kept: the node's kind, a group's lists and
 * dimensions, all of an array that does not depend on other nodes, and the attributes, which also hold NCZarr's keys.
 *
 * Any thread: only the node itself changes. Faults of the document are recorded in it.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

/* ---- NCZarr's keys --------------------------------------------------------------------------------------------- */

const ncz_json *
ncz_zarr3_nczarr(const ncz_json *doc, const char *key)
{
    const ncz_json *v = ncz_json_get(ncz_json_get(doc, "attributes"), key);

    return ncz_json_is(v, NCZ_JSON_OBJECT) ? v : NULL;
}

/* Records of the attributes, under the names of netCDF-C's branch for version 3 and under those of version 2. */
static ncz_att_docs
find_atts(const ncz_loader *l, const ncz_json *doc)
{
    const ncz_json *newer = ncz_zarr3_nczarr(doc, ZARR3_ATTRS), *older = ncz_zarr3_nczarr(doc, ZARR3_ATTR);
    ncz_att_docs    docs = {.values = ncz_json_get(doc, "attributes"), .base64_fill = true};

    if (!l->nczarr)
        return docs;
    if ((docs.types = ncz_json_get(newer, "attribute_types")) == NULL)
        docs.types = ncz_json_get(older, "types");
    if ((docs.lengths = ncz_json_get(newer, NCZ_LENGTHS)) == NULL)
        docs.lengths = ncz_json_get(older, NCZ_LENGTHS);
    return docs;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static int
read_group(const ncz_loader *l, ncz_load_arenas *mem, const ncz_json *doc, const char *key, ncz_node_meta *s)
{
    const ncz_att_docs atts = find_atts(l, doc);
    const ncz_json    *lists = l->nczarr ? ncz_zarr3_nczarr(doc, ZARR3_GROUP) : NULL;
    int                rc;

    s->lists = lists != NULL;
    if ((rc = ncz_format_read_strings(&mem->go, ncz_json_get(lists, "arrays"), &s->arrays)) != NC_NOERR ||
        (rc = ncz_format_read_strings(&mem->go, ncz_json_get(lists, "groups"), &s->groups)) != NC_NOERR ||
        (rc = ncz_format_read_dims(&mem->go, ncz_json_get(lists, "dimensions"), s)) != NC_NOERR)
        return rc;
    return ncz_format_atts_read(l, &atts, &mem->stay, &s->atts, false, ncz_type_of(NC_NAT),
                                key[0] != '\0' ? key : ZARR3_DOCUMENT);
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

/* A scalar has the shape []; netCDF-C's branch may mark a shape of [1] as one. */
static bool
is_scalar(const ncz_loader *l, const ncz_json *doc, const ncz_array_meta *z)
{
    if (z->rank == 0)
        return true;
    return l->nczarr && z->rank == 1 && z->shape[0] == 1 &&
           ncz_format_flag(ncz_json_get(ncz_zarr3_nczarr(doc, ZARR3_ARRAY), "scalar"));
}

/* Reads the names of the dimensions, as far as their number matches the rank. */
static int
read_names(const ncz_loader *l, ncz_arena *arena, const ncz_json *doc, const char *key, ncz_node_meta *s)
{
    const ncz_json *refs = NULL, *stored = ncz_json_get(doc, "dimension_names");
    size_t          len = 0;
    const char     *text = ncz_json_slice(stored, &len);
    int             rc;

    s->xlist = ncz_json_is(stored, NCZ_JSON_ARRAY);
    if (l->nczarr)
        refs = ncz_json_get(ncz_zarr3_nczarr(doc, ZARR3_ARRAY), "dimension_references");
    if (ncz_json_len(refs) == s->z.rank && (rc = ncz_format_read_strings(arena, refs, &s->refs)) != NC_NOERR)
        return rc;
    if (ncz_json_len(stored) == s->z.rank && (rc = ncz_format_read_strings(arena, stored, &s->names)) != NC_NOERR)
        return rc;
    if (!ncz_json_is(stored, NCZ_JSON_NULL) && (!s->xlist || ncz_json_len(stored) != s->z.rank))
        ncz_log(NCZ_LOG_WARN, "%s: \"dimension_names\" does not fit the shape: not used", key);
    if (text != NULL && (s->xarray = ncz_arena_text(arena, text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

/* Keeps the document's spelling of data type and fill value, which is written back until they change. A reader needs
 * the data type only where netCDF has none, as the type's name, and of a time, whose unit only this text contains. */
static int
keep_texts(const ncz_loader *l, const ncz_json *doc, ncz_node_meta *s)
{
    const ncz_array_meta *z = &s->z;
    int                   rc;

    if (l->wish.look && z->st.type->class != NCZ_TYPE_NONE && z->st.units[0] == '\0')
        return NC_NOERR;
    rc = ncz_format_read_text(ncz_json_get(doc, "data_type"), &s->dtype_text);
    if (rc != NC_NOERR || l->wish.look)
        return rc;
    return ncz_format_read_text(ncz_json_get(doc, "fill_value"), &s->fill_text);
}

static int
read_array(const ncz_loader *l, ncz_load_arenas *mem, const ncz_node *n, const ncz_json *doc, const char *key,
           ncz_node_meta *s)
{
    ncz_att_docs atts = find_atts(l, doc);
    const char  *units = s->z.st.units, *where = key[0] != '\0' ? key : ZARR3_DOCUMENT;
    int          rc;

    if (doc != NULL)
        rc = ncz_zarr3_array_parse(doc, l, where, &s->z);
    else
        rc = ncz_format_array_missing(n, key, ZARR3_DOCUMENT, &s->z);
    if (rc != NC_NOERR)
        return rc;
    if (is_scalar(l, doc, &s->z))
        s->z.rank = 0;
    if (s->z.fill_mode != NCZ_FILL_NONE)
        atts.fill = s->z.fill_mode == NCZ_FILL_VALUE ? s->z.fill : s->z.st.type->fill;
    if ((rc = read_names(l, &mem->go, doc, where, s)) != NC_NOERR || (rc = keep_texts(l, doc, s)) != NC_NOERR ||
        (rc = ncz_format_atts_read(l, &atts, &mem->stay, &s->atts, true, s->z.st.type, n->name)) != NC_NOERR)
        return rc;
    ncz_format_read_quantize(s);
    return units[0] == '\0'
               ? NC_NOERR
               : ncz_format_att_synthetic(l->m, &s->atts, "units", ncz_type_of(NC_CHAR), strlen(units), units);
}

/* ---- a node ---------------------------------------------------------------------------------------------------- */

/*
 * Decides what the node is. The document counts, whatever a list says. A directory with an unreadable document is
 * listed as a variable that is never accessed; one without a document is decided by what is below it. Returns the
 * document, or NULL if it is of no use.
 */
static const ncz_json *
settle(ncz_node *n, const ncz_json *doc, const char *key)
{
    const ncz_json *type = ncz_json_get(doc, "node_type");
    bool            array = ncz_json_str_is(type, "array"), group = ncz_json_str_is(type, "group");

    if (doc != NULL && !array && !group)
        ncz_format_node_spoil(n, ncz_fail(NC_EZARRMETA,
                                          "%s%s" ZARR3_DOCUMENT ": \"node_type\" is neither \"array\" nor \"group\"",
                                          key, key[0] != '\0' ? "/" : ""));
    if (array || group)
        n->kind = array ? NCZ_NODE_ARRAY : NCZ_NODE_GROUP;
    else if (n->kind == NCZ_NODE_DIR && n->err != NULL)
        n->kind = NCZ_NODE_ARRAY;
    return array || group ? doc : NULL;
}

int
ncz_zarr3_parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *docs, const char *key)
{
    const ncz_json  *doc = settle(n, docs->doc[0], key);
    ncz_load_arenas *mem = ncz_format_arenas_take(l);
    int              rc;

    if (mem == NULL || (n->said = ncz_arena_get(&mem->go, sizeof *n->said)) == NULL) {
        rc = ncz_fail_nomem(sizeof *n->said);
    } else {
        *n->said = (ncz_node_meta){.lists = false};
        rc = n->kind == NCZ_NODE_ARRAY ? read_array(l, mem, n, doc, key, n->said)
                                       : read_group(l, mem, doc, key, n->said);
    }
    if (mem != NULL)
        ncz_format_arenas_give(l, mem);
    return rc;
}
