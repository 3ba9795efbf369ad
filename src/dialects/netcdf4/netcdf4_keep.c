/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is there, before it is changed: a commit rewrites all its objects from the model, so what the model
 * does not have would be lost. Each object is looked at once. What cannot be kept is refused, by its path; the others
 * are kept as they are, so that what nobody changes is written again as it was.
 */
#include "dialects/dialects.h"
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_VARIABLE "This is a netCDF dimension but not a netCDF variable."
#define NOT_COORD   "_nc4_non_coord_"
#define REMEDY      "; open it to read, or copy it with nczcopy and change the copy"

/* The walk over a file. */
typedef struct keeping {
    ncz_model           *m;
    ncz_netcdf4_file    *file;
    ncz_netcdf4_keeping *k;
    ncz_names            met; /* addresses, as text */
} keeping;

static int walk_group(keeping *t, ncz_group *g, const char *path, uint64_t addr);

static int
refuse(const char *path, const char *what)
{
    return ncz_fail(NC_ENOTBUILT, "%s: it has %s, which a change of the file would lose" REMEDY,
                    path[0] != '\0' ? path : "/", what);
}

/* ---- types ---- */

static bool
has_references(const ncz_hdf5_type *t)
{
    if (t->class == NCZ_HDF5_REFERENCE)
        return true;
    for (size_t i = 0; t->class == NCZ_HDF5_COMPOUND && i < t->nmembers; i++)
        if (has_references(t->members[i].type))
            return true;
    return t->base != NULL && has_references(t->base);
}

/* Elements that are read, but for which there is no way back. */
static bool
is_one_way(const ncz_netcdf4_type *t)
{
    if (t->bits != 0 || t->odd_float || t->refers)
        return true;
    for (size_t i = 0; t->fields != NULL && i < t->type->nfields; i++)
        if (is_one_way(&t->fields[i]))
            return true;
    return t->base != NULL && is_one_way(t->base);
}

/* ---- attributes ---- */

/* What tells dimensions, and is written from the model. */
static bool
is_structure(const keeping *t, const ncz_hdf5_object *o, const ncz_hdf5_attribute *a)
{
    static const char *const names[] = {
        "CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Coordinates", "_Netcdf4Dimid"};

    if (o->addr == ncz_hdf5_root(t->file->f) && strcmp(a->name, "_nc3_strict") == 0)
        return true;
    for (size_t i = 0; o->kind == NCZ_HDF5_DATASET && i < NCZ_LEN(names); i++)
        if (strcmp(a->name, names[i]) == 0)
            return true;
    return false;
}

/* Each dimension may have several scales, of which netCDF knows one. */
static int
check_dimension_list(keeping *t, const char *path, const ncz_hdf5_attribute *a)
{
    size_t item = ncz_hdf5_heap_id_size(t->file->f);

    for (size_t at = 0; a->type->class == NCZ_HDF5_VLEN && at + item <= a->len; at += item) {
        ncz_hdf5_heap_id id;

        ncz_hdf5_heap_id_get(t->file->f, a->data + at, &id);
        if (id.nelems > 1)
            return refuse(path, "several scales for a dimension");
    }
    return NC_NOERR;
}

/* A CLASS of something else than a scale: of an image, of PyTables. */
static int
check_class(const char *path, const ncz_hdf5_object *o, const ncz_hdf5_attribute *a)
{
    static const char scale[] = "DIMENSION_SCALE";

    if (o->kind == NCZ_HDF5_DATASET && a->type->class == NCZ_HDF5_STRING && a->len >= sizeof scale - 1 &&
        memcmp(a->data, scale, sizeof scale - 1) == 0)
        return NC_NOERR;
    return refuse(path, "an attribute CLASS of another kind than a dimension scale's");
}

static int
check_att(keeping *t, const char *path, const ncz_hdf5_object *o, const ncz_hdf5_attribute *a, const ncz_atts *atts)
{
    char        what[120];
    const char *shown;

    if (a->lost == NULL && strcmp(a->name, "DIMENSION_LIST") == 0 && o->kind == NCZ_HDF5_DATASET)
        return check_dimension_list(t, path, a);
    if (a->lost == NULL && strcmp(a->name, "CLASS") == 0)
        return check_class(path, o, a);
    if (a->lost == NULL && is_structure(t, o, a))
        return NC_NOERR;
    (void)snprintf(what, sizeof what, "an attribute '%.60s' %s", a->name,
                   a->lost != NULL                        ? "that cannot be read"
                   : has_references(a->type)              ? "with references"
                   : ncz_atts_find(atts, a->name) == NULL ? "that netCDF has no name or type for"
                                                          : "");
    if (a->lost != NULL || has_references(a->type) || ncz_atts_find(atts, a->name) == NULL ||
        ncz_dialects_show_name(a->name, false, &t->m->arena, &shown) != NC_NOERR || shown != a->name)
        return refuse(path, what);
    return NC_NOERR;
}

/* What the model has of an attribute, so that it is known later whether that is so still. */
static int
note_values(keeping *t, const ncz_atts *atts, const char *name, ncz_netcdf4_was *out)
{
    const ncz_att *a = ncz_atts_find(atts, name);
    void          *copy;
    size_t         n;

    if (a == NULL || a->type->owns)
        return NC_NOERR;
    n = a->len * a->type->size; /* it is in memory */
    if ((copy = ncz_arena_get(&t->m->arena, n + 1)) == NULL)
        return ncz_fail_nomem(n);
    if (n > 0)
        memcpy(copy, a->data, n);
    *out = (ncz_netcdf4_was){.type = a->type, .len = a->len, .values = copy};
    return NC_NOERR;
}

static int
check_atts(keeping *t, const char *path, ncz_netcdf4_kept *kept, const ncz_atts *atts)
{
    size_t n = kept->o.nattributes;
    int    rc = NC_NOERR;

    if (kept->o.attributes_lost != NULL)
        return refuse(path, "attributes that cannot be read");
    if ((kept->was = ncz_arena_get_n(&t->m->arena, n + 1, sizeof *kept->was)) == NULL)
        return ncz_fail_nomem(n * sizeof *kept->was);
    memset(kept->was, 0, (n + 1) * sizeof *kept->was);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        if ((rc = check_att(t, path, &kept->o, &kept->o.attributes[i], atts)) == NC_NOERR)
            rc = note_values(t, atts, kept->o.attributes[i].name, &kept->was[i]);
    return rc;
}

/* ---- datasets ---- */

static int
check_elements(const char *path, const ncz_hdf5_object *o, const ncz_netcdf4_place *p)
{
    if (has_references(o->type))
        return refuse(path, "references to objects, whose places change");
    if (o->external || o->layout.kind == NCZ_HDF5_VIRTUAL)
        return ncz_fail(NC_ENOTBUILT, "%s: its data are in other files or datasets, which is not written" REMEDY,
                        path);
    if (p == NULL || p->type->type->class == NCZ_TYPE_NONE || p->type->rank > 0 || is_one_way(p->type))
        return refuse(path, "elements that netCDF has no type for");
    return NC_NOERR;
}

/* The dimensions must be those that the scales would give again. */
static int
check_dims(const char *path, const ncz_hdf5_object *o, const ncz_var *v, bool scale)
{
    if (scale != ncz_netcdf4_is_coords(v))
        return refuse(path, "the name of a dimension that it does not have first, or is the scale of another one");
    for (size_t d = 0; d < v->rank && o->space.kind == NCZ_HDF5_SIMPLE; d++)
        if (v->dims[d]->unlimited && o->space.most[d] != NCZ_HDF5_NONE)
            return refuse(path, "a dimension that is unlimited, and is itself of a fixed length");
    return NC_NOERR;
}

static int
keep_var(keeping *t, ncz_var *v, const char *path, ncz_netcdf4_kept *kept, bool scale)
{
    ncz_netcdf4_place *p = v->place;
    int                rc;

    if ((rc = check_elements(path, &kept->o, p)) != NC_NOERR ||
        (rc = check_dims(path, &kept->o, v, scale)) != NC_NOERR ||
        (rc = check_atts(t, path, kept, &v->atts)) != NC_NOERR)
        return rc;
    kept->no_scales = !scale && ncz_netcdf4_find_att(&kept->o, "DIMENSION_LIST") == NULL &&
                      ncz_netcdf4_find_att(&kept->o, "_Netcdf4Coordinates") == NULL;
    if ((kept->name = ncz_arena_text(&t->m->arena, v->name, strlen(v->name))) == NULL)
        return ncz_fail_nomem(strlen(v->name));
    p->kept = kept;
    return NC_NOERR;
}

/* A scale that is nothing else. */
static int
keep_scale(keeping *t, const ncz_dim *d, const char *path, ncz_netcdf4_kept *kept)
{
    const ncz_atts none = {.n = 0};

    if (kept->o.space.rank != 1 || (kept->o.layout.kind == NCZ_HDF5_COMPACT && kept->o.layout.size > 0))
        return refuse(path, "data, as the scale of a dimension without a variable");
    t->k->scales[d->id] = kept;
    return check_atts(t, path, kept, &none);
}

static bool
begins(const ncz_hdf5_object *o, const char *name, const char *text)
{
    const ncz_hdf5_attribute *a = ncz_netcdf4_find_att(o, name);

    return a != NULL && a->type->class == NCZ_HDF5_STRING && a->len >= strlen(text) &&
           memcmp(a->data, text, strlen(text)) == 0;
}

static int
keep_dataset(keeping *t, ncz_group *g, const char *name, const char *path, ncz_netcdf4_kept *kept)
{
    size_t         n = strlen(NOT_COORD);
    const char    *shown = strncmp(name, NOT_COORD, n) == 0 && name[n] != '\0' ? name + n : name;
    bool           scale = begins(&kept->o, "CLASS", "DIMENSION_SCALE") && kept->o.space.rank > 0;
    ncz_var       *v = ncz_group_find_var(g, shown);
    const ncz_dim *d = ncz_group_find_dim(g, shown);

    if (scale && begins(&kept->o, "NAME", NO_VARIABLE))
        return d != NULL ? keep_scale(t, d, path, kept) : refuse(path, "a dimension that was not read");
    if (v == NULL || v->place == NULL || ((const ncz_netcdf4_place *)v->place)->addr != kept->o.addr)
        return refuse(path, "elements that netCDF does not show");
    return keep_var(t, v, path, kept, scale);
}

/* ---- the other objects ---- */

static int
keep_type(keeping *t, ncz_group *g, const char *name, const char *path, ncz_netcdf4_kept *kept)
{
    const ncz_user_type *u = ncz_group_find_type(g, name);
    const ncz_atts       none = {.n = 0};

    if (u == NULL || has_references(kept->o.type))
        return refuse(path, "a type that netCDF does not show");
    t->k->types[u->node.id - NC_FIRSTUSERTYPEID] = kept;
    return check_atts(t, path, kept, &none);
}

/* Reads an object, which the file's list owns from then on. */
static int
read_kept(keeping *t, const char *path, uint64_t addr, ncz_netcdf4_kept **out)
{
    ncz_netcdf4_kept *kept = ncz_zalloc(sizeof *kept);
    char              key[24];
    int               rc;

    if (kept == NULL)
        return ncz_fail_nomem(sizeof *kept);
    if ((rc = ncz_hdf5_object_read(t->file->f, addr, &kept->o)) != NC_NOERR) {
        ncz_free(kept);
        return rc;
    }
    kept->next = t->k->all;
    t->k->all = kept;
    *out = kept;
    (void)snprintf(key, sizeof key, "%" PRIx64, addr);
    if (ncz_names_get(&t->met, key, &(size_t){0}))
        return refuse(path, "a second link");
    if ((rc = ncz_names_put(&t->met, key, 0)) != NC_NOERR)
        return rc;
    return kept->o.kind == NCZ_HDF5_OTHER ? refuse(path, "an object of an unknown kind")
                                          : ncz_hdf5_attributes(t->file->f, &kept->o);
}

static int
walk_link(keeping *t, ncz_group *g, const char *path, const ncz_hdf5_link *link)
{
    static const char *const kinds[] = {[NCZ_HDF5_HARD] = "",
                                        [NCZ_HDF5_SOFT] = "a soft link",
                                        [NCZ_HDF5_EXTERNAL] = "a link into another file",
                                        [NCZ_HDF5_USER_LINK] = "a link of an application",
                                        [NCZ_HDF5_LOST_LINK] = "a link that cannot be read"};
    ncz_netcdf4_kept        *kept = NULL;
    char                    *own;
    const char              *shown;
    int                      rc;

    if ((own = ncz_sprintf("%s/%s", path, link->name)) == NULL)
        return ncz_fail_nomem(strlen(path) + strlen(link->name));
    if (link->kind != NCZ_HDF5_HARD)
        rc = refuse(own, kinds[link->kind]);
    else if ((rc = ncz_dialects_show_name(link->name, true, &t->m->arena, &shown)) == NC_NOERR && shown != link->name)
        rc = refuse(own, "a name that netCDF shows in another form");
    if (rc != NC_NOERR || (rc = read_kept(t, own, link->addr, &kept)) != NC_NOERR)
        goto done;
    if (kept->o.kind == NCZ_HDF5_DATASET)
        rc = keep_dataset(t, g, link->name, own, kept);
    else if (kept->o.kind == NCZ_HDF5_COMMITTED)
        rc = keep_type(t, g, link->name, own, kept);
    else
        rc = walk_group(t, ncz_group_find_group(g, link->name), own, link->addr);
    ncz_hdf5_object_drop_header(&kept->o);
done:
    ncz_free(own);
    return rc;
}

/* A group that has been read; `addr` is its own. */
static int
walk_group(keeping *t, ncz_group *g, const char *path, uint64_t addr)
{
    ncz_netcdf4_kept *kept = t->k->all; /* the last one */
    int               rc;

    if (g == NULL || kept->o.addr != addr)
        return refuse(path, "a group that was not read");
    t->k->groups[g->id] = kept;
    if ((rc = check_atts(t, path, kept, &g->atts)) != NC_NOERR ||
        (rc = ncz_hdf5_links(t->file->f, &kept->o)) != NC_NOERR)
        return rc;
    if (kept->o.links_lost != NULL)
        return refuse(path, "links that cannot be read");
    for (size_t i = 0; i < kept->o.nlinks && rc == NC_NOERR; i++)
        rc = walk_link(t, g, path, &kept->o.links[i]);
    return rc;
}

/* ---- the file ---- */

static int
check_file(const ncz_netcdf4_file *file)
{
    uint64_t said = ncz_hdf5_said_size(file->f);

    if (ncz_hdf5_base(file->f) != 0)
        return ncz_fail(NC_ENOTBUILT,
                        "the file begins with a block of a user of %" PRIu64 " bytes, and is not changed" REMEDY,
                        ncz_hdf5_base(file->f));
    if (!ncz_hdf5_is_wide(file->f))
        return ncz_fail(NC_ENOTBUILT, "the file has addresses of less than 8 bytes, and is not changed" REMEDY);
    if (ncz_hdf5_is_open(file->f))
        return ncz_fail(NC_EPERM, "the file says that another program has it open to write; if that one has died, "
                                  "'h5clear -s' clears the mark");
    if (said == NCZ_HDF5_NONE || said > file->size)
        return ncz_fail(NC_EPERM, "the file is cut: it has %" PRIu64 " bytes, its superblock says %" PRIu64,
                        file->size, said);
    return NC_NOERR;
}

static int
make_tables(keeping *t)
{
    const ncz_model     *m = t->m;
    ncz_netcdf4_keeping *k = ncz_zalloc(sizeof *k);

    if (k == NULL)
        return ncz_fail_nomem(sizeof *k);
    t->file->keeping = t->k = k;
    k->groups = ncz_zalloc_n(m->ngroups, sizeof *k->groups);
    k->types = ncz_zalloc_n(m->ntypes, sizeof *k->types);
    k->scales = ncz_zalloc_n(m->ndims, sizeof *k->scales);
    if (k->groups == NULL || k->types == NULL || k->scales == NULL)
        return ncz_fail_nomem((m->ngroups + m->ntypes + m->ndims) * sizeof *k->groups);
    k->ngroups = m->ngroups;
    k->ntypes = m->ntypes;
    k->nscales = m->ndims;
    return NC_NOERR;
}

static int
walk_file(keeping *t)
{
    uint64_t          root = ncz_hdf5_root(t->file->f);
    ncz_netcdf4_kept *kept = NULL;
    int               rc;

    if ((rc = check_file(t->file)) != NC_NOERR || (rc = make_tables(t)) != NC_NOERR ||
        (rc = read_kept(t, "the root", root, &kept)) != NC_NOERR)
        return rc;
    return walk_group(t, t->m->root, "", root);
}

/* The variables' layouts are those of a file that is written from now on. */
static int
change_layouts(ncz_model *m)
{
    int rc = ncz_model_keep_gaps(m);

    m->dialect->file->rewrite(m);
    m->make_layout = ncz_netcdf4_make_written;
    for (ncz_var *v = ncz_model_next_var(m, NULL); v != NULL && rc == NC_NOERR; v = ncz_model_next_var(m, v))
        rc = ncz_var_respec(m, v);
    return rc;
}

int
ncz_netcdf4_begin_writing(ncz_model *m, const ncz_layout_source *source)
{
    keeping t = {.m = m, .file = m->format, .met = NCZ_NAMES_INIT};
    int     rc;

    (void)pthread_mutex_lock(&t.file->lock);
    t.file->now = (ncz_dialects_reader){.read = source->read, .arg = source->arg};
    ncz_hdf5_heap_begin(t.file->f);
    rc = walk_file(&t);
    t.file->now = (ncz_dialects_reader){.read = NULL};
    (void)pthread_mutex_unlock(&t.file->lock);
    ncz_names_clear(&t.met);
    return rc == NC_NOERR ? change_layouts(m) : rc;
}

int
ncz_netcdf4_load_chunks(const ncz_model *m, const ncz_var *v, const ncz_layout_source *source, ncz_hdf5_tree *tree)
{
    ncz_netcdf4_file        *file = m->format;
    const ncz_netcdf4_place *p = v->place;
    int                      rc;

    (void)pthread_mutex_lock(&file->lock);
    file->now = (ncz_dialects_reader){.read = source->read, .arg = source->arg};
    rc = ncz_hdf5_tree_load(tree, file->f, &p->kept->o);
    file->now = (ncz_dialects_reader){.read = NULL};
    (void)pthread_mutex_unlock(&file->lock);
    return rc;
}

void
ncz_netcdf4_superblock_of(const ncz_model *m, ncz_netcdf4_superblock *out)
{
    const ncz_netcdf4_file *file = m->format;

    *out = (ncz_netcdf4_superblock){.end = ncz_hdf5_said_size(file->f),
                                    .extension = ncz_hdf5_extension(file->f),
                                    .chunk_k = ncz_hdf5_chunk_k(file->f)};
}
