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

/* Records of the attributes, under the names of netCDF-C's branch for version 3 and under those of version 2. */
static ncz_att_docs
find_atts(const ncz_loader *l, const ncz_json *doc)
{
    const ncz_json *newer = ncz_zarr3_nczarr(doc, ZARR3_ATTRS), *older = ncz_zarr3_nczarr(doc, ZARR3_ATTR);
    ncz_att_docs    docs = {.values = ncz_json_get(doc, "attributes"), .base64_fill = true};

    if (!ncz_json_is(docs.values, NCZ_JSON_OBJECT))
        docs.values = NULL;
    if (!l->nczarr)
        return docs;
    if ((docs.types = ncz_json_get(newer, "attribute_types")) == NULL)
        docs.types = ncz_json_get(older, "types");
    if ((docs.lengths = ncz_json_get(newer, NCZ_LENGTHS)) == NULL)
        docs.lengths = ncz_json_get(older, NCZ_LENGTHS);
    docs.bytes = ncz_json_get(newer, NCZ_BYTES);
    return docs;
}

/* The attributes of user-defined types. */
static int
read_typed(const ncz_loader *l, ncz_arena *arena, const ncz_json *doc, ncz_node_meta *s)
{
    if (!l->nczarr)
        return NC_NOERR;
    return ncz_format_read_typed(arena, ncz_json_get(ncz_zarr3_nczarr(doc, ZARR3_ATTRS), NCZ_USER_TYPES),
                                 ncz_json_get(doc, "attributes"), s);
}

/* The full name of the variable's type. `own`: what NCZarr says of the array, or NULL; also below. */
static int
read_type_name(const ncz_json *own, ncz_arena *arena, ncz_array_meta *z)
{
    const char *name = ncz_json_cstr(ncz_json_get(own, "type"));

    if (name != NULL && (z->type_name = ncz_arena_text(arena, name, strlen(name))) == NULL)
        return ncz_fail_nomem(strlen(name));
    return NC_NOERR;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static bool
is_attributes(const ncz_json *v)
{
    return ncz_json_is(v, NCZ_JSON_OBJECT) || ncz_json_is(v, NCZ_JSON_NULL);
}

/* What rewriting the document would lose makes the dataset read-only. */
static void
check_group(ncz_node *n, const ncz_json *doc, const char *where)
{
    static const char *const known[] = {"zarr_format", "node_type", "attributes", ZARR3_COPIES, NULL};
    bool                     ignored;
    const char              *name = ncz_zarr3_unknown(doc, known, &ignored);

    if (name != NULL)
        ncz_format_node_spoil(n,
                              ncz_fail(NC_EZARRMETA, "%s: the member \"%.60s\" is unknown: not used", where, name));
    if (!is_attributes(ncz_json_get(doc, "attributes")))
        ncz_format_node_spoil(n, ncz_fail(NC_EZARRMETA, "%s: \"attributes\" is not an object: ignored", where));
}

static int
read_group(const ncz_loader *l, ncz_load_arenas *mem, const ncz_json *doc, const char *where, ncz_node_meta *s)
{
    const ncz_att_docs atts = find_atts(l, doc);
    const ncz_json    *lists = l->nczarr ? ncz_zarr3_nczarr(doc, ZARR3_GROUP) : NULL;
    int                rc;

    s->lists = lists != NULL;
    if ((rc = ncz_format_read_strings(&mem->go, ncz_json_get(lists, "arrays"), &s->arrays)) != NC_NOERR ||
        (rc = ncz_format_read_strings(&mem->go, ncz_json_get(lists, "groups"), &s->groups)) != NC_NOERR ||
        (rc = ncz_format_read_dims(&mem->go, ncz_json_get(lists, "dimensions"), s)) != NC_NOERR ||
        (rc = ncz_format_read_types(&mem->go, ncz_json_get(lists, "types"), s)) != NC_NOERR ||
        (rc = read_typed(l, &mem->go, doc, s)) != NC_NOERR)
        return rc;
    return ncz_format_atts_read(l, &atts, &mem->stay, &s->atts, false, ncz_type_of(NC_NAT), where);
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

/* Reads the names of the dimensions, as far as their number matches the rank. */
static int
read_names(const ncz_json *own, ncz_arena *arena, const ncz_json *doc, const char *where, ncz_node_meta *s)
{
    const ncz_json *refs = ncz_json_get(own, "dimension_references"), *stored = ncz_json_get(doc, "dimension_names");
    size_t          len = 0, rank = s->z.rank - s->z.text_rows; /* of the document */
    const char     *text = ncz_json_slice(stored, &len);
    int             rc;

    s->xlist = ncz_json_is(stored, NCZ_JSON_ARRAY);
    if (ncz_json_len(refs) == s->z.rank && (rc = ncz_format_read_strings(arena, refs, &s->refs)) != NC_NOERR)
        return rc;
    if (ncz_json_len(stored) == rank && (rc = ncz_zarr3_rows_names(doc, stored, s, arena, &s->names)) != NC_NOERR)
        return rc;
    if (!ncz_json_is(stored, NCZ_JSON_NULL) && (!s->xlist || ncz_json_len(stored) != rank))
        ncz_log(NCZ_LOG_WARN, "%s: \"dimension_names\" does not fit the shape: not used", where);
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

    if (!ncz_format_keeps_spelling(l) && z->st.type->class != NCZ_TYPE_NONE && z->st.units[0] == '\0')
        return NC_NOERR;
    rc = ncz_format_read_text(ncz_json_get(doc, "data_type"), &s->dtype_text);
    if (rc != NC_NOERR || !ncz_format_keeps_spelling(l))
        return rc;
    return ncz_format_read_text(ncz_json_get(doc, "fill_value"), &s->fill_text);
}

/* The attributes, which may take their _FillValue from the array's. */
static int
read_atts(const ncz_loader *l, ncz_load_arenas *mem, const ncz_json *doc, const char *where, ncz_node_meta *s)
{
    ncz_att_docs          atts = find_atts(l, doc);
    const ncz_array_meta *z = &s->z;

    atts.fill = z->fill_mode == NCZ_FILL_VALUE ? z->fill : z->fill_mode == NCZ_FILL_DEFAULT ? z->st.type->fill : NULL;
    return ncz_format_read_array_atts(l, mem, &atts, where, s);
}

static int
read_array(const ncz_loader *l, ncz_load_arenas *mem, const ncz_node *n, const ncz_json *doc, const char *key,
           const char *where, ncz_node_meta *s)
{
    const ncz_json *atts = ncz_json_get(doc, "attributes");
    const ncz_json *own = l->nczarr ? ncz_zarr3_nczarr(doc, ZARR3_ARRAY) : NULL;
    int             rc;

    if (doc != NULL)
        rc = ncz_zarr3_array_parse(doc, l, &mem->stay, where, &s->z);
    else
        rc = ncz_format_array_missing(n, key, ZARR3_DOCUMENT, &s->z);
    if (rc != NC_NOERR)
        return rc;
    if (!is_attributes(atts)) {
        ncz_log(NCZ_LOG_WARN, "%s: \"attributes\" is not an object: ignored", where);
        s->z.frozen = true;
    }
    if ((rc = read_names(own, &mem->go, doc, where, s)) != NC_NOERR || (rc = keep_texts(l, doc, s)) != NC_NOERR)
        return rc;
    if ((rc = read_typed(l, &mem->go, doc, s)) != NC_NOERR || (rc = read_type_name(own, &mem->go, &s->z)) != NC_NOERR)
        return rc;
    if (l->nczarr)
        s->storage = ncz_format_storage(ncz_json_get(own, "storage"));
    return read_atts(l, mem, doc, where, s);
}

/* ---- a node ---------------------------------------------------------------------------------------------------- */

/*
 * Decides what the node is. The document counts, whatever a list says. A directory with an unreadable document is
 * listed as a variable that is never accessed; one without a document is decided by what is below it. Returns the
 * document, or NULL if it is of no use.
 */
static const ncz_json *
settle(ncz_node *n, const ncz_json *doc, const char *where)
{
    const ncz_json *type = ncz_json_get(doc, "node_type");
    bool            array = ncz_json_str_is(type, "array"), group = ncz_json_str_is(type, "group");

    if (doc != NULL && !array && !group)
        ncz_format_node_spoil(n,
                              ncz_fail(NC_EZARRMETA, "%s: \"node_type\" is neither \"array\" nor \"group\"", where));
    if (array || group)
        n->kind = array ? NCZ_NODE_ARRAY : NCZ_NODE_GROUP;
    else if (n->kind == NCZ_NODE_DIR && n->err != NULL)
        n->kind = NCZ_NODE_ARRAY;
    if (group)
        check_group(n, doc, where);
    return array || group ? doc : NULL;
}

int
ncz_zarr3_parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *docs, const char *key)
{
    ncz_buf          where = NCZ_BUF_INIT;
    ncz_load_arenas *mem;
    const ncz_json  *doc;
    int              rc;

    if ((rc = ncz_buf_puts(&where, key)) != NC_NOERR ||
        (rc = ncz_buf_puts(&where, key[0] != '\0' ? "/" ZARR3_DOCUMENT : ZARR3_DOCUMENT)) != NC_NOERR) {
        ncz_buf_clear(&where);
        return rc;
    }
    doc = settle(n, docs->doc[0], where.data);
    if ((rc = ncz_format_node_begin(l, n, &mem)) == NC_NOERR) {
        rc = n->kind == NCZ_NODE_ARRAY ? read_array(l, mem, n, doc, key, where.data, n->said)
                                       : read_group(l, mem, doc, where.data, n->said);
        ncz_format_arenas_give(l, mem);
    }
    ncz_buf_clear(&where);
    return rc;
}
