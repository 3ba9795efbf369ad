/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A snapshot: the groups and arrays, with their documents, and which manifests have the chunks of each array. All that
 * is found points into the file.
 */
#include "icechunk/icechunk_int.h"

#include <stdlib.h>
#include <string.h>

enum { SNAPSHOT_ID, SNAPSHOT_PARENT, SNAPSHOT_NODES, SNAPSHOT_TIME, SNAPSHOT_MESSAGE };
enum { NODE_ID, NODE_PATH, NODE_DOCUMENT, NODE_KIND, NODE_ARRAY };
enum { ARRAY_SHAPE, ARRAY_NAMES, ARRAY_MANIFESTS, ARRAY_SHAPE_2 };
enum { PART_ID, PART_EXTENTS };
enum { KIND_ARRAY = 1, KIND_GROUP = 2, SHAPE_ITEM = 16, EXTENT_ITEM = 8 };

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static bool
read_part(ncz_ice_snapshot *s, const ncz_flat_vector *refs, size_t i, size_t rank)
{
    const unsigned char *id;
    ncz_flat_vector      extents;
    ncz_flat_table       ref;

    if (!ncz_flat_item(refs, i, &ref) || !ncz_flat_struct(&ref, PART_ID, NCZ_ICE_ID, &id) || id == NULL ||
        !ncz_flat_vector_of(&ref, PART_EXTENTS, EXTENT_ITEM, &extents) || extents.n != rank)
        return false;
    s->parts[s->nparts++] = (ncz_ice_part){.id = id, .extents = extents.data};
    return true;
}

static int
make_parts(ncz_ice_snapshot *s, size_t n)
{
    ncz_ice_part *parts;
    size_t        cap = s->nparts + n;

    if (cap <= s->parts_cap)
        return NC_NOERR;
    if (cap < s->parts_cap * 2)
        cap = s->parts_cap * 2;
    if ((parts = ncz_grow(s->parts, cap, sizeof *parts)) == NULL)
        return ncz_fail_nomem(cap * sizeof *parts);
    s->parts = parts;
    s->parts_cap = cap;
    return NC_NOERR;
}

static int
read_array(ncz_ice_snapshot *s, const ncz_flat_table *t, ncz_ice_node *node, const char *what)
{
    ncz_flat_vector shape, shape2, refs;
    ncz_flat_table  array;
    bool            there;
    int             rc;

    if (!ncz_flat_child(t, NODE_ARRAY, &there, &array) || !there ||
        !ncz_flat_vector_of(&array, ARRAY_SHAPE, SHAPE_ITEM, &shape) ||
        !ncz_flat_tables(&array, ARRAY_SHAPE_2, &shape2) || !ncz_flat_tables(&array, ARRAY_MANIFESTS, &refs))
        return ncz_ice_damaged(what, "an array");
    node->rank = shape2.data != NULL ? shape2.n : shape.n;
    node->first = s->nparts;
    if (node->rank > ncz_limits_default.rank)
        return ncz_ice_damaged(what, "an array has too many dimensions");
    /* Each has its own place in the file. Lists that share theirs would multiply: a small file could fill memory. */
    if (refs.n > s->file.bytes.len / 4 - s->nparts)
        return ncz_ice_damaged(what, "lists of manifests that overlap");
    if ((rc = make_parts(s, refs.n)) != NC_NOERR)
        return rc;
    for (; node->nparts < refs.n; node->nparts++)
        if (!read_part(s, &refs, node->nparts, node->rank))
            return ncz_ice_damaged(what, "the list of an array's manifests");
    return NC_NOERR;
}

static int
read_node(ncz_ice_snapshot *s, const ncz_flat_vector *nodes, size_t i, const char *what)
{
    ncz_ice_node  *node = &s->nodes[i];
    ncz_flat_table t;
    ncz_line       path;
    uint64_t       kind;

    *node = (ncz_ice_node){.path = NULL};
    if (!ncz_flat_item(nodes, i, &t) || !ncz_flat_struct(&t, NODE_ID, NCZ_ICE_NODE, &node->id) || node->id == NULL ||
        !ncz_flat_text(&t, NODE_PATH, &path) || !ncz_flat_text(&t, NODE_DOCUMENT, &node->document) ||
        !ncz_flat_number(&t, NODE_KIND, 1, 0, &kind))
        return ncz_ice_damaged(what, "a group or array");
    if (path.len == 0 || path.s[0] != '/' || memchr(path.s, 0, path.len) != NULL || node->document.s == NULL ||
        (kind != KIND_ARRAY && kind != KIND_GROUP))
        return ncz_ice_damaged(what, "a group or array has no path, kind or document");
    node->path = path.s + 1;
    node->len = path.len - 1;
    node->array = kind == KIND_ARRAY;
    return node->array ? read_array(s, &t, node, what) : NC_NOERR;
}

static int
compare_paths(const char *a, size_t na, const char *b, size_t nb)
{
    int order = memcmp(a, b, na < nb ? na : nb);

    return order != 0 ? order : na < nb ? -1 : na > nb;
}

static int
compare_nodes(const void *a, const void *b)
{
    const ncz_ice_node *x = a, *y = b;

    return compare_paths(x->path, x->len, y->path, y->len);
}

static int
sort_nodes(ncz_ice_snapshot *s, const char *what)
{
    bool sorted = true;

    for (size_t i = 1; i < s->nnodes && sorted; i++)
        sorted = compare_nodes(&s->nodes[i - 1], &s->nodes[i]) < 0;
    if (sorted)
        return NC_NOERR;
    qsort(s->nodes, s->nnodes, sizeof *s->nodes, compare_nodes);
    for (size_t i = 1; i < s->nnodes; i++)
        if (compare_nodes(&s->nodes[i - 1], &s->nodes[i]) == 0)
            return ncz_ice_damaged(what, "two groups or arrays have one path");
    return NC_NOERR;
}

static int
read_nodes(ncz_ice_snapshot *s, const ncz_flat_table *t, const char *what)
{
    ncz_flat_vector nodes;
    int             rc = NC_NOERR;

    if (!ncz_flat_tables(t, SNAPSHOT_NODES, &nodes))
        return ncz_ice_damaged(what, "its list of groups and arrays");
    if (nodes.n > ncz_limits_default.objects)
        return ncz_fail(NC_EZARRMETA, "%s: %zu groups and arrays are more than the limit `objects` of %zu", what,
                        nodes.n, ncz_limits_default.objects);
    if ((s->nodes = ncz_alloc_n(nodes.n, sizeof *s->nodes)) == NULL)
        return ncz_fail_nomem(nodes.n * sizeof *s->nodes);
    for (; rc == NC_NOERR && s->nnodes < nodes.n; s->nnodes++)
        rc = read_node(s, &nodes, s->nnodes, what);
    return rc == NC_NOERR ? sort_nodes(s, what) : rc;
}

/* ---- the snapshot ---------------------------------------------------------------------------------------------- */

static int
read_head(ncz_ice_snapshot *s, const ncz_flat_table *t, const char *what)
{
    const unsigned char *id, *parent;
    uint64_t             time;

    if (!ncz_flat_struct(t, SNAPSHOT_ID, NCZ_ICE_ID, &id) || id == NULL ||
        !ncz_flat_struct(t, SNAPSHOT_PARENT, NCZ_ICE_ID, &parent) ||
        !ncz_flat_number(t, SNAPSHOT_TIME, 8, 0, &time) || !ncz_flat_text(t, SNAPSHOT_MESSAGE, &s->message))
        return ncz_ice_damaged(what, "its head");
    ncz_ice_id_text(id, s->id);
    if (parent != NULL)
        ncz_ice_id_text(parent, s->parent);
    s->time_us = time <= INT64_MAX ? (int64_t)time : 0;
    return NC_NOERR;
}

int
ncz_ice_snapshot_read(ncz_ice_file *file, const char *what, ncz_ice_snapshot *out)
{
    ncz_flat_table root;
    int            rc;

    *out = (ncz_ice_snapshot){.file = *file};
    *file = NCZ_ICE_FILE_INIT;
    if (!ncz_flat_root(&out->file.flat, &root))
        rc = ncz_ice_damaged(what, "it is no FlatBuffer");
    else if ((rc = read_head(out, &root, what)) == NC_NOERR)
        rc = read_nodes(out, &root, what);
    if (rc != NC_NOERR)
        ncz_ice_snapshot_clear(out);
    return rc;
}

void
ncz_ice_snapshot_clear(ncz_ice_snapshot *s)
{
    ncz_ice_file_clear(&s->file);
    ncz_free(s->nodes);
    ncz_free(s->parts);
    *s = (ncz_ice_snapshot){.file = NCZ_ICE_FILE_INIT};
}

size_t
ncz_ice_snapshot_seek(const ncz_ice_snapshot *s, const char *path, size_t len)
{
    size_t from = 0, to = s->nnodes;

    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (compare_paths(s->nodes[mid].path, s->nodes[mid].len, path, len) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

const ncz_ice_node *
ncz_ice_snapshot_find(const ncz_ice_snapshot *s, const char *path, size_t len)
{
    size_t i = ncz_ice_snapshot_seek(s, path, len);

    return i < s->nnodes && compare_paths(s->nodes[i].path, s->nodes[i].len, path, len) == 0 ? &s->nodes[i] : NULL;
}
