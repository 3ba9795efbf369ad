/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The groups of a file with their types, arrays and attributes, in the order in which netCDF-C meets them: what a group
 * has itself before its groups. What an array is follows from its attributes.
 */
#include "dialects/dialects.h"
#include "dialects/netcdf4/netcdf4.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    REPEATED_LEAST = 1 << 14, /* objects that may be shown again because their group is, */
    REPEATED_BYTES = 16,      /* and one more for so many bytes of the file */
};

#define NO_VARIABLE "This is a netCDF dimension but not a netCDF variable."
#define NOT_COORD   "_nc4_non_coord_" /* prefix: a variable with a dimension's name that is not its coordinates */

/* ---- attributes ---- */

size_t
ncz_netcdf4_count_ids(const ncz_hdf5_attribute *a)
{
    return a->type->class == NCZ_HDF5_INTEGER && a->type->size == 4 ? a->len / 4 : 0;
}

uint32_t
ncz_netcdf4_id_at(const ncz_hdf5_attribute *a, size_t i)
{
    ncz_cursor c = ncz_cursor_at(a->data + 4 * i, 4);

    return a->type->order == NCZ_HDF5_BIG ? ncz_cursor_u32be(&c) : ncz_cursor_u32le(&c);
}

const ncz_hdf5_attribute *
ncz_netcdf4_find_att(const ncz_hdf5_object *o, const char *name)
{
    for (size_t i = 0; i < o->nattributes; i++)
        if (o->attributes[i].lost == NULL && strcmp(o->attributes[i].name, name) == 0)
            return &o->attributes[i];
    return NULL;
}

/* Does a text of fixed length begin so? */
static bool
att_begins(const ncz_hdf5_object *o, const char *name, const char *text)
{
    const ncz_hdf5_attribute *a = ncz_netcdf4_find_att(o, name);
    size_t                    n = strlen(text);

    return a != NULL && a->type->class == NCZ_HDF5_STRING && a->len >= n && memcmp(a->data, text, n) == 0;
}

static bool
is_hidden(const char *name)
{
    static const char *const names[] = {"CLASS",
                                        "NAME",
                                        "REFERENCE_LIST",
                                        "DIMENSION_LIST",
                                        "_nc3_strict",
                                        "_NCProperties",
                                        "_Netcdf4Coordinates",
                                        "_Netcdf4Dimid",
                                        "_Format",
                                        "_IsNetcdf4",
                                        "_SuperblockVersion",
                                        "_Codecs",
                                        "_ARRAY_DIMENSIONS"};

    for (size_t i = 0; i < NCZ_LEN(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* A text of fixed length is characters, as netCDF has it; an array of such texts is strings. */
static int
add_text(ncz_netcdf4_tree *t, ncz_atts *atts, const ncz_hdf5_attribute *a)
{
    return ncz_atts_set(t->l->m, atts, a->name, ncz_type_of(NC_CHAR), a->space.kind == NCZ_HDF5_NULL ? 0 : a->len,
                        a->data, NULL);
}

/* A string that was never written stays none, which a program that sets an attribute cannot have. */
static void
restore_none(ncz_att *a, char *const *values)
{
    char **strings = a->data;

    for (size_t i = 0; i < a->len; i++)
        if (values[i] == NULL) {
            ncz_free(strings[i]);
            strings[i] = NULL;
        }
}

/* An array of one-character texts is strings, too. */
static int
add_values(ncz_netcdf4_tree *t, ncz_atts *atts, const ncz_hdf5_attribute *a, ncz_netcdf4_type *type)
{
    uint64_t n64 = 0;
    size_t   n, nbytes;
    void    *values;
    ncz_att *set = NULL;
    int      rc;

    if (type->dtype.kind == NCZ_KIND_CHAR) {
        type->type = ncz_type_of(NC_STRING);
        type->dtype.kind = NCZ_KIND_BYTES;
    }
    if (a->space.kind != NCZ_HDF5_NULL && !ncz_hdf5_count_elements(&a->space, &n64))
        n64 = UINT64_MAX;
    if (n64 > SIZE_MAX || !ncz_mul((size_t)n64, type->nelems, &n) || !ncz_mul(n, type->type->size, &nbytes) ||
        (type->size > 0 && a->len / type->size < n))
        return ncz_fail(NC_EHDFERR, "attribute %s: it has fewer bytes than its values", a->name);
    if ((values = ncz_zalloc_n(n, type->type->size)) == NULL)
        return ncz_fail_nomem(nbytes);
    if ((rc = ncz_netcdf4_read_values(t->file, type, a->data, (size_t)n64, values)) == NC_NOERR &&
        (rc = ncz_atts_set(t->l->m, atts, a->name, type->type, n, values, &set)) == NC_NOERR &&
        type->type->class == NCZ_TYPE_STRING)
        restore_none(set, values);
    ncz_type_free_elems(type->type, values, n);
    ncz_free(values);
    return rc;
}

static int
add_att(ncz_netcdf4_tree *t, ncz_group *g, ncz_atts *atts, const ncz_hdf5_attribute *a)
{
    ncz_netcdf4_type type;
    int              rc;

    if (a->type->class == NCZ_HDF5_STRING && a->space.kind != NCZ_HDF5_SIMPLE)
        return add_text(t, atts, a);
    if ((rc = ncz_netcdf4_type_of(&t->types, g, a->type, &type)) != NC_NOERR)
        return rc;
    if (type.type->class == NCZ_TYPE_NONE) {
        ncz_log(NCZ_LOG_INFO, "attribute %s is not shown: its values are %s", a->name, type.why);
        return NC_NOERR;
    }
    return add_values(t, atts, a, &type);
}

static int
warn_of(ncz_netcdf4_tree *t, const char *where, const char *what, const char *why)
{
    char *text = ncz_sprintf("%s%s%s: %s", where, what[0] != '\0' ? ": " : "", what, why);
    int   rc;

    if (text == NULL)
        return ncz_fail_nomem(strlen(where));
    rc = ncz_format_warn(t->l, text);
    ncz_free(text);
    return rc;
}

/* Nothing is said where all could be read. */
static int
warn_of_lost(ncz_netcdf4_tree *t, const char *where, const char *what, const char *why)
{
    return why == NULL ? NC_NOERR : warn_of(t, where, what, why);
}

bool
ncz_netcdf4_costs_object(int rc)
{
    return rc == NC_EHDFERR || rc == NC_ENOTBUILT || rc == NC_EFILTER || rc == NC_ENOFILTER || rc == NC_EBADCHUNK ||
           rc == NC_EBADTYPE || rc == NC_EBADNAME || rc == NC_EMAXNAME || rc == NC_ENAMEINUSE || rc == NC_ERANGE;
}

int
ncz_netcdf4_pass_over(ncz_netcdf4_tree *t, int rc, const char *where, const char *what)
{
    ncz_err err;

    if (!ncz_netcdf4_costs_object(rc))
        return rc;
    ncz_err_save(&err, rc);
    return warn_of(t, where, what, err.text);
}

/* Found by its name, and not listed. */
static bool
is_provenance(const ncz_group *g, const ncz_atts *atts, const char *name)
{
    return g->parent == NULL && atts == &g->atts && strcmp(name, "_NCProperties") == 0;
}

int
ncz_netcdf4_add_atts(ncz_netcdf4_tree *t, ncz_group *g, ncz_atts *atts, const ncz_hdf5_object *o, const char *where)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < o->nattributes && rc == NC_NOERR; i++) {
        ncz_hdf5_attribute a = o->attributes[i];

        rc = ncz_dialects_show_name(a.name, false, &t->arena, &a.name);
        if (rc == NC_NOERR && a.lost != NULL)
            rc = warn_of(t, where, a.name, a.lost);
        else if (rc != NC_NOERR)
            rc = ncz_netcdf4_pass_over(t, rc, where, a.name);
        else if ((t->l->wish.hdf5 || !is_hidden(a.name) || is_provenance(g, atts, a.name)) &&
                 (rc = add_att(t, g, atts, &a)) != NC_NOERR)
            rc = ncz_netcdf4_pass_over(t, rc, where, a.name);
    }
    return rc == NC_NOERR ? warn_of_lost(t, where, "some of its attributes", o->attributes_lost) : rc;
}

/* ---- arrays ---- */

/* In the tree's arena; NULL: out of memory. */
static char *
join_path(ncz_netcdf4_tree *t, const char *group, const char *name, const char *end)
{
    size_t n = strlen(group), more = strlen(name), last = strlen(end) + 1;
    char  *path = ncz_arena_get(&t->arena, n + more + last);

    if (path == NULL)
        return NULL;
    memcpy(path, group, n);
    memcpy(path + n, name, more);
    memcpy(path + n + more, end, last);
    return path;
}

static int64_t
read_dimid(const ncz_hdf5_object *o)
{
    const ncz_hdf5_attribute *a = ncz_netcdf4_find_att(o, "_Netcdf4Dimid");

    return a != NULL && ncz_netcdf4_count_ids(a) > 0 ? (int32_t)ncz_netcdf4_id_at(a, 0) : -1;
}

/* netCDF's name of a dataset. */
static const char *
shown_name(const ncz_netcdf4_tree *t, const char *name)
{
    size_t n = strlen(NOT_COORD);

    return !t->l->wish.hdf5 && strncmp(name, NOT_COORD, n) == 0 && name[n] != '\0' ? name + n : name;
}

/* Keeps a dataset, or frees the object. */
static int
keep_array(ncz_netcdf4_tree *t, ncz_netcdf4_group *g, const char *name, ncz_hdf5_object *o)
{
    ncz_netcdf4_array *a;
    const char        *path = NULL;
    int                rc;

    if (t->narrays >= t->l->m->limits.objects) {
        ncz_hdf5_object_clear(o);
        return ncz_fail(NC_EHDFERR, "links lead to more than %zu datasets (limit `objects`)",
                        t->l->m->limits.objects);
    }
    if ((a = ncz_zalloc(sizeof *a)) == NULL || (path = join_path(t, g->path, name, "")) == NULL) {
        ncz_free(a);
        ncz_hdf5_object_clear(o);
        return ncz_fail_nomem(sizeof *a);
    }
    *a = (ncz_netcdf4_array){.name = shown_name(t, path + strlen(g->path)),
                             .path = path,
                             .group = g,
                             .addr = o->addr,
                             .o = *o,
                             .dimid = -1};
    if ((rc = ncz_make_room(&t->arrays, t->narrays, &t->cap, sizeof(ncz_netcdf4_array *))) != NC_NOERR) {
        ncz_hdf5_object_clear(&a->o);
        ncz_free(a);
        return rc;
    }
    t->arrays[t->narrays++] = a; /* from here on the tree frees it */
    if ((rc = ncz_make_room(&g->arrays, g->narrays, &g->arrays_cap, sizeof(ncz_netcdf4_array *))) != NC_NOERR)
        return rc;
    g->arrays[g->narrays++] = a;
    for (size_t i = 0; i < a->o.nattributes; i++)
        t->file->nreserved += is_hidden(a->o.attributes[i].name);
    a->scale =
        att_begins(&a->o, "CLASS", "DIMENSION_SCALE") && a->o.space.kind == NCZ_HDF5_SIMPLE && a->o.space.rank > 0;
    a->no_array = a->scale && !t->l->wish.hdf5 && att_begins(&a->o, "NAME", NO_VARIABLE);
    a->dimid = a->scale ? read_dimid(&a->o) : -1;
    return NC_NOERR;
}

static int
read_dataset(ncz_netcdf4_tree *t, ncz_netcdf4_group *g, const char *name, ncz_hdf5_object *o)
{
    int rc = ncz_hdf5_attributes(t->file->f, o);

    if (rc != NC_NOERR && (rc = ncz_netcdf4_pass_over(t, rc, name, "its attributes")) != NC_NOERR) {
        ncz_hdf5_object_clear(o);
        return rc;
    }
    ncz_hdf5_object_drop_header(o);
    return keep_array(t, g, name, o);
}

/* ---- groups ---- */

static int
new_group(ncz_netcdf4_tree *t, ncz_netcdf4_group *parent, const char *name, uint64_t addr, ncz_netcdf4_group **out)
{
    ncz_netcdf4_group *g = ncz_arena_get(&t->arena, sizeof *g);
    const char        *path = join_path(t, parent != NULL ? parent->path : "", name, "/");

    if (g == NULL || path == NULL)
        return ncz_fail_nomem(sizeof *g);
    *g = (ncz_netcdf4_group){.parent = parent, .path = path, .addr = addr};
    *out = g;
    return NC_NOERR;
}

/*
 * A few groups that are linked twice from each other have more paths than memory holds. Each is entered once in any
 * case; on further paths only as long as what that shows again is not out of proportion to the file.
 */
static int
count_repeated(ncz_netcdf4_tree *t, ncz_hdf5_object *o)
{
    uint64_t most = REPEATED_LEAST + t->file->size / REPEATED_BYTES;
    char     key[24];
    size_t   n;
    int      rc;

    (void)snprintf(key, sizeof key, "%" PRIx64, o->addr);
    if (!ncz_names_get(&t->met, key, &n)) {
        if ((rc = ncz_hdf5_links(t->file->f, o)) != NC_NOERR && !ncz_netcdf4_costs_object(rc))
            return rc;
        ncz_err_clear(); /* said when it is entered */
        return ncz_names_put(&t->met, key, o->nlinks);
    }
    most = most < t->l->m->limits.objects ? most : t->l->m->limits.objects;
    if (n >= most || t->repeated >= most - n)
        return ncz_fail(NC_EHDFERR,
                        "a link to a group that is shown elsewhere is not followed: links to groups have "
                        "shown %zu objects again (limit `objects`, and the file's size)",
                        t->repeated);
    t->repeated += n + 1;
    return NC_NOERR;
}

static int
keep_group(ncz_netcdf4_tree *t, ncz_netcdf4_group *parent, const char *name, ncz_hdf5_object *o)
{
    uint64_t           addr = o->addr;
    ncz_netcdf4_group *g = NULL;
    size_t             depth = 0;
    int                rc;

    for (const ncz_netcdf4_group *up = parent; up != NULL; up = up->parent, depth++)
        if (up->addr == addr) { /* a link that leads back */
            ncz_log(NCZ_LOG_INFO, "group %s is not entered again: it is one of those around it", name);
            return NC_NOERR;
        }
    if (depth > t->l->m->limits.group_depth)
        return ncz_fail(NC_EHDFERR,
                        "it and what is below it are not shown: groups are nested deeper than %zu "
                        "(limit `group_depth`)",
                        t->l->m->limits.group_depth);
    if ((rc = count_repeated(t, o)) != NC_NOERR || (rc = new_group(t, parent, name, addr, &g)) != NC_NOERR ||
        (rc = ncz_make_room(&parent->groups, parent->ngroups, &parent->groups_cap, sizeof(ncz_netcdf4_group *))) !=
            NC_NOERR)
        return rc;
    if ((rc = ncz_model_add_group(t->l->m, parent->g, name, &g->g)) == NC_NOERR)
        parent->groups[parent->ngroups++] = g;
    return rc;
}

static const char *
group_text(const ncz_netcdf4_group *g)
{
    return g->parent == NULL ? "the root" : g->g->name;
}

/* What a link names; NCZ_HDF5_NONE: nothing that can be shown. */
static int
follow_link(ncz_netcdf4_tree *t, const ncz_netcdf4_group *g, const ncz_hdf5_link *link, uint64_t *addr)
{
    int rc;

    *addr = NCZ_HDF5_NONE;
    switch (link->kind) {
    case NCZ_HDF5_HARD: *addr = link->addr; return NC_NOERR;
    case NCZ_HDF5_SOFT:
        rc = ncz_hdf5_find(t->file->f, g->addr, link->path, addr);
        if (rc != NC_ENOOBJECT)
            return rc;
        ncz_err_clear();
        ncz_log(NCZ_LOG_INFO, "%s: a link to %s, where nothing is", link->name, link->path);
        return NC_NOERR;
    case NCZ_HDF5_EXTERNAL:
        ncz_log(NCZ_LOG_WARN, "%s: what it links to is in another file, %s, and is not shown", link->name,
                link->file);
        return NC_NOERR;
    case NCZ_HDF5_LOST_LINK: return warn_of(t, link->name, "", link->path);
    default: return NC_NOERR;
    }
}

static int
read_object(ncz_netcdf4_tree *t, ncz_netcdf4_group *g, const char *name, uint64_t addr)
{
    ncz_hdf5_object o;
    int             rc = ncz_hdf5_object_read(t->file->f, addr, &o);

    if (rc != NC_NOERR)
        return ncz_netcdf4_pass_over(t, rc, name, "");
    if (o.kind == NCZ_HDF5_DATASET)
        return read_dataset(t, g, name, &o);
    if (o.kind == NCZ_HDF5_GROUP)
        rc = keep_group(t, g, name, &o);
    else if (o.kind == NCZ_HDF5_COMMITTED)
        rc = ncz_netcdf4_type_commit(&t->types, g->g, name, addr, o.type);
    if (rc != NC_NOERR)
        rc = ncz_netcdf4_pass_over(t, rc, name, "");
    if (o.kind == NCZ_HDF5_COMMITTED) /* its type is used as long as types are read */
        ncz_arena_join(&t->arena, &o.arena);
    ncz_hdf5_object_clear(&o);
    return rc;
}

static int
read_links(ncz_netcdf4_tree *t, ncz_netcdf4_group *g, const ncz_hdf5_object *o)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < o->nlinks && rc == NC_NOERR; i++) {
        ncz_hdf5_link link = o->links[i];
        uint64_t      addr = NCZ_HDF5_NONE;

        rc = ncz_dialects_show_name(link.name, true, &t->arena, &link.name);
        if (rc == NC_NOERR)
            rc = follow_link(t, g, &link, &addr);
        if (rc != NC_NOERR)
            rc = ncz_netcdf4_pass_over(t, rc, link.name, "");
        else if (addr != NCZ_HDF5_NONE)
            rc = read_object(t, g, link.name, addr);
    }
    return rc == NC_NOERR ? warn_of_lost(t, group_text(g), "some of its links", o->links_lost) : rc;
}

static int
read_group_atts(ncz_netcdf4_tree *t, ncz_netcdf4_group *g, ncz_hdf5_object *o)
{
    int rc = ncz_hdf5_attributes(t->file->f, o);

    if (rc != NC_NOERR)
        return ncz_netcdf4_pass_over(t, rc, group_text(g), "its attributes");
    if (g->parent == NULL && ncz_netcdf4_find_att(o, "_nc3_strict") != NULL)
        t->l->classic = t->file->strict = true;
    return ncz_netcdf4_add_atts(t, g->g, &g->g->atts, o, group_text(g));
}

/* What cannot be read of it is missing, and said. */
static int
read_group(ncz_netcdf4_tree *t, ncz_netcdf4_group *g)
{
    ncz_hdf5_object o;
    int             rc = ncz_hdf5_object_read(t->file->f, g->addr, &o);

    if (rc != NC_NOERR)
        return g->parent == NULL ? rc : ncz_netcdf4_pass_over(t, rc, group_text(g), "");
    if ((rc = ncz_hdf5_links(t->file->f, &o)) != NC_NOERR)
        rc = ncz_netcdf4_pass_over(t, rc, group_text(g), "its links");
    else
        rc = read_links(t, g, &o);
    if (rc == NC_NOERR)
        rc = read_group_atts(t, g, &o);
    ncz_hdf5_object_clear(&o);
    for (size_t i = 0; i < g->ngroups && rc == NC_NOERR; i++)
        rc = read_group(t, g->groups[i]);
    return rc;
}

int
ncz_netcdf4_tree_read(ncz_netcdf4_tree *t)
{
    int rc = new_group(t, NULL, "", ncz_hdf5_root(t->file->f), &t->root);

    if (rc != NC_NOERR)
        return rc;
    t->root->g = t->l->m->root;
    rc = read_group(t, t->root);
    ncz_hdf5_forget_paths(t->file->f);
    return rc;
}

static void
clear_group(ncz_netcdf4_group *g)
{
    for (size_t i = 0; i < g->ngroups; i++)
        clear_group(g->groups[i]);
    ncz_free(g->groups);
    ncz_free(g->arrays);
}

void
ncz_netcdf4_tree_clear(ncz_netcdf4_tree *t)
{
    for (size_t i = 0; i < t->narrays; i++) {
        ncz_hdf5_object_clear(&t->arrays[i]->o);
        ncz_free(t->arrays[i]);
    }
    ncz_free(t->arrays);
    ncz_free(t->dims);
    ncz_free(t->scales);
    if (t->root != NULL)
        clear_group(t->root);
    ncz_names_clear(&t->met);
    ncz_netcdf4_types_clear(&t->types);
    ncz_arena_clear(&t->arena);
}
