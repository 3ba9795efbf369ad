/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of a netCDF-4 file from the model. First all get numbers, so that they can name each other; then groups
 * are described, with their types, scales and variables. The order of links gives netCDF's numbers of groups, types and
 * variables.
 */
#include "dialects/netcdf4/netcdf4_write_int.h"

#include "hdf5/hdf5_write.h"

#include <string.h>

#define NOT_COORD "_nc4_non_coord_" /* prefix: a variable with a dimension's name that is not its coordinates */

/* ---- numbers ---- */

static int
give_number(ncz_netcdf4_writer *w, size_t *out)
{
    return ncz_hdf5_image_number(w->d->image, out);
}

/* A type that is still being defined has no form yet. Those that a reader made up for elements are none of the
 * file's. */
static bool
is_stored(const ncz_netcdf4_writer *w, const ncz_type *t)
{
    size_t id = (size_t)(t->id - NC_FIRSTUSERTYPEID);

    if (id < w->keeping->ntypes && w->keeping->types[id] == NULL)
        return false;
    return !(t->class == NCZ_TYPE_COMPOUND && t->nfields == 0) && !(t->class == NCZ_TYPE_ENUM && t->nmembers == 0);
}

/* Of the root, which is the first, and then of the others. */
static int
number_groups(ncz_netcdf4_writer *w)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < w->m->ngroups && rc == NC_NOERR; i++)
        rc = give_number(w, &w->groups[i]);
    for (size_t i = 0; i < w->m->ntypes && rc == NC_NOERR; i++)
        if (is_stored(w, &w->m->types[i]->node))
            rc = give_number(w, &w->types[i]);
    return rc;
}

static int
number_vars(ncz_netcdf4_writer *w, const ncz_group *g)
{
    size_t *numbers = ncz_arena_get_n(&w->own, g->nvars + 1, sizeof *numbers);
    int     rc = NC_NOERR;

    if (numbers == NULL)
        return ncz_fail_nomem(g->nvars * sizeof *numbers);
    w->vars[g->id] = numbers;
    for (size_t i = 0; i < g->nvars && rc == NC_NOERR; i++) {
        const ncz_var *v = g->vars[i];

        rc = give_number(w, &numbers[i]);
        if (rc == NC_NOERR && ncz_netcdf4_is_coords(v)) {
            w->coords[v->dims[0]->id] = v;
            w->scales[v->dims[0]->id] = numbers[i];
        }
    }
    return rc;
}

static int
take_table(ncz_netcdf4_writer *w, size_t n, size_t item, void *out)
{
    void *table = ncz_arena_get_n(&w->own, n + 1, item);

    if (table == NULL)
        return ncz_fail_nomem((n + 1) * item);
    memset(table, 0, (n + 1) * item);
    memcpy(out, &table, sizeof table);
    return NC_NOERR;
}

static int
number_objects(ncz_netcdf4_writer *w)
{
    const ncz_model *m = w->m;
    int              rc;

    if ((rc = take_table(w, m->ngroups, sizeof *w->groups, &w->groups)) != NC_NOERR ||
        (rc = take_table(w, m->ntypes, sizeof *w->types, &w->types)) != NC_NOERR ||
        (rc = take_table(w, m->ndims, sizeof *w->scales, &w->scales)) != NC_NOERR ||
        (rc = take_table(w, m->ndims, sizeof *w->coords, &w->coords)) != NC_NOERR ||
        (rc = take_table(w, m->ngroups, sizeof *w->vars, &w->vars)) != NC_NOERR ||
        (rc = number_groups(w)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < m->ngroups && rc == NC_NOERR; i++)
        rc = number_vars(w, m->groups[i]);
    for (size_t i = 0; i < m->ndims && rc == NC_NOERR; i++)
        if (w->coords[i] == NULL && !m->dims[i]->made_up && !m->dims[i]->hidden)
            rc = give_number(w, &w->scales[i]);
    return rc;
}

/* ---- variables ---- */

static int
set_fill(ncz_netcdf4_writer *w, const ncz_var *v, const ncz_netcdf4_type *t, ncz_hdf5_fill *out)
{
    const void    *value = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    unsigned char *bytes;
    int            rc;

    *out = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_DEFAULT, .never = v->fill_mode == NCZ_FILL_NONE};
    if (v->fill_mode == NCZ_FILL_NONE || value == NULL)
        return NC_NOERR;
    if ((bytes = ncz_arena_get(w->d->arena, t->size)) == NULL)
        return ncz_fail_nomem(t->size);
    memset(bytes, 0, t->size);
    if ((rc = ncz_netcdf4_write_values(t, value, 1, &w->heap, bytes)) != NC_NOERR)
        return rc;
    *out = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_USER, .value = bytes, .len = t->size};
    return NC_NOERR;
}

/* ---- variables that were in the file ---- */

static const ncz_netcdf4_kept *
kept_of(const ncz_var *v)
{
    const ncz_netcdf4_place *p = v->place;

    return p != NULL ? p->kept : NULL;
}

/* Whether its data are as they were. */
static bool
is_unmoved(const ncz_netcdf4_writer *w, const ncz_var *v, const ncz_hdf5_layout *a, const ncz_hdf5_layout *b)
{
    if (w->d->is_kept != NULL)
        return w->d->is_kept(w->d->arg, v);
    return a->kind == b->kind && a->kind != NCZ_HDF5_COMPACT && a->addr == b->addr;
}

/*
 * Elements in the heap end, along unlimited dimensions, with what was put: libhdf5 cannot read those of a chunk that is
 * not stored, since their fill value would need a place in the heap.
 */
static int
cut_space(ncz_netcdf4_writer *w, const ncz_var *v, ncz_hdf5_space *space)
{
    uint64_t nchunks[NCZ_HDF5_MAX_RANK], most;
    int      rc;

    if (w->d->extent == NULL || v->storage != NC_CHUNKED)
        return NC_NOERR;
    if ((rc = w->d->extent(w->d->arg, v, nchunks)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < v->rank && d < space->rank; d++)
        if (space->most[d] == NCZ_HDF5_NONE && ncz_mul64(nchunks[d], v->chunk[d], &most) && most < space->shape[d])
            space->shape[d] = most;
    return NC_NOERR;
}

/* What of a dataset is written again as it was: all but its attributes and, once it is put to, lengths that grow. */
static int
take_kept(ncz_netcdf4_writer *w, const ncz_var *v, const ncz_netcdf4_type *t, ncz_hdf5_object *o)
{
    const ncz_netcdf4_kept *kept = kept_of(v);
    ncz_hdf5_layout         now;
    int                     rc = w->d->layout(w->d->arg, v, &now);

    if (rc != NC_NOERR)
        return rc;
    *o = kept->o;
    if (!is_unmoved(w, v, &now, &kept->o.layout)) {
        o->layout = now;
        for (size_t d = 0; d < v->rank && d < o->space.rank; d++)
            if (o->space.most[d] == NCZ_HDF5_NONE)
                o->space.shape[d] = v->dims[d]->len;
        if (t->heap && (rc = cut_space(w, v, &o->space)) != NC_NOERR)
            return rc;
    }
    if (t->heap && o->fill.state == NCZ_HDF5_FILL_USER && v->fill_mode == NCZ_FILL_VALUE)
        rc = set_fill(w, v, t, &o->fill); /* its place in the heap goes */
    return rc;
}

/* ---- variables ---- */

static void
set_space(const ncz_var *v, ncz_hdf5_space *out)
{
    *out = (ncz_hdf5_space){.kind = v->rank > 0 ? NCZ_HDF5_SIMPLE : NCZ_HDF5_SCALAR, .rank = (unsigned)v->rank};
    for (size_t d = 0; d < v->rank; d++) {
        out->shape[d] = v->dims[d]->len;
        out->most[d] = v->dims[d]->unlimited ? NCZ_HDF5_NONE : v->dims[d]->len;
    }
}

static int
take_new(ncz_netcdf4_writer *w, const ncz_var *v, ncz_hdf5_object *o)
{
    ncz_netcdf4_type t;
    int              rc;

    *o = (ncz_hdf5_object){.kind = NCZ_HDF5_DATASET};
    if ((rc = ncz_netcdf4_type_for(w->d->arena, v->type, v->endian == NC_ENDIAN_BIG, &t)) != NC_NOERR ||
        (rc = ncz_netcdf4_stored_type(w->d->arena, &t, &o->type)) != NC_NOERR ||
        (rc = set_fill(w, v, &t, &o->fill)) != NC_NOERR ||
        (rc = ncz_netcdf4_write_filters(w->d->arena, v, t.size, &o->filters, &o->nfilters)) != NC_NOERR ||
        (rc = w->d->layout(w->d->arg, v, &o->layout)) != NC_NOERR)
        return rc;
    set_space(v, &o->space);
    return t.heap ? cut_space(w, v, &o->space) : NC_NOERR;
}

static int
write_var(ncz_netcdf4_writer *w, const ncz_var *v)
{
    const ncz_netcdf4_kept *kept = kept_of(v);
    ncz_netcdf4_att_list    list;
    ncz_hdf5_object         o;
    int                     rc;

    rc = kept != NULL ? take_kept(w, v, ((const ncz_netcdf4_place *)v->place)->type, &o) : take_new(w, v, &o);
    if (rc != NC_NOERR || (rc = ncz_netcdf4_atts_begin(w, NCZ_NETCDF4_SCALE_ATTS + v->atts.n, &list)) != NC_NOERR ||
        ((kept == NULL || !kept->no_scales) && (rc = ncz_netcdf4_scale_atts(w, v, &list)) != NC_NOERR) ||
        (rc = ncz_netcdf4_write_atts(w, &v->atts, kept, &list)) != NC_NOERR)
        return rc;
    o.attributes = list.v;
    o.nattributes = list.n;
    return ncz_hdf5_image_describe(w->d->image, w->vars[v->group->id][v->id], &o);
}

/* ---- types ---- */

static int
write_type(ncz_netcdf4_writer *w, const ncz_user_type *u)
{
    size_t                  id = (size_t)(u->node.id - NC_FIRSTUSERTYPEID);
    const ncz_netcdf4_kept *kept = ncz_netcdf4_kept_at(w->keeping->types, w->keeping->ntypes, id);
    ncz_hdf5_object         o = {.kind = NCZ_HDF5_COMMITTED};
    ncz_netcdf4_type        t;
    int                     rc;

    if (kept != NULL)
        o.type = kept->o.type;
    else if ((rc = ncz_netcdf4_type_for(w->d->arena, &u->node, false, &t)) != NC_NOERR ||
             (rc = ncz_netcdf4_stored_type(w->d->arena, &t, &o.type)) != NC_NOERR)
        return rc;
    return ncz_hdf5_image_describe(w->d->image, w->types[id], &o);
}

/* ---- groups ---- */

/* The links of a group, as they are made. */
typedef struct linking {
    ncz_netcdf4_writer *w;
    ncz_hdf5_link      *v;
    size_t              n;
} linking;

static void
add_link(linking *l, const char *name, size_t number)
{
    l->v[l->n] = (ncz_hdf5_link){.name = name, .kind = NCZ_HDF5_HARD, .order = (int64_t)l->n, .addr = number};
    l->n++;
}

/* A variable must not have the name of a scale that it is not. */
static int
link_var(linking *l, const ncz_var *v)
{
    const ncz_dim *d = ncz_netcdf4_is_coords(v) ? NULL : ncz_group_find_dim(v->group, v->name);
    size_t         n = strlen(v->name) + sizeof NOT_COORD;
    char          *name = v->name;

    if (d != NULL && l->w->scales[d->id] != 0) {
        if ((name = ncz_arena_get(l->w->d->arena, n)) == NULL)
            return ncz_fail_nomem(n);
        memcpy(name, NOT_COORD, sizeof NOT_COORD - 1);
        memcpy(name + sizeof NOT_COORD - 1, v->name, strlen(v->name) + 1);
    }
    add_link(l, name, l->w->vars[v->group->id][v->id]);
    return NC_NOERR;
}

/* Variables and scales in an order in which the scales come in that of the dimensions, as far as that of the variables
 * allows it. So netCDF-C writes them. */
static int
link_arrays(linking *l, const ncz_group *g)
{
    size_t d = 0, i = 0;
    int    rc = NC_NOERR;

    while (rc == NC_NOERR && (d < g->ndims || i < g->nvars)) {
        const ncz_var *wanted = NULL;

        for (; d < g->ndims && wanted == NULL; d++) {
            if ((wanted = l->w->coords[g->dims[d]->id]) != NULL)
                continue;
            if (l->w->scales[g->dims[d]->id] != 0)
                add_link(l, g->dims[d]->name, l->w->scales[g->dims[d]->id]);
        }
        if (wanted != NULL && (size_t)wanted->id < i)
            continue; /* it is there already */
        for (bool met = false; rc == NC_NOERR && i < g->nvars && !met; i++) {
            met = g->vars[i] == wanted;
            rc = link_var(l, g->vars[i]);
        }
    }
    return rc;
}

static int
link_children(ncz_netcdf4_writer *w, const ncz_group *g, linking *l)
{
    size_t n = g->ntypes + g->ndims + g->nvars + g->ngroups + 1;
    int    rc;

    *l = (linking){.w = w, .v = ncz_arena_get_n(w->d->arena, n, sizeof *l->v)};
    if (l->v == NULL)
        return ncz_fail_nomem(n * sizeof *l->v);
    for (size_t i = 0; i < g->ntypes; i++)
        if (is_stored(w, &g->types[i]->node))
            add_link(l, g->types[i]->node.name, w->types[g->types[i]->node.id - NC_FIRSTUSERTYPEID]);
    if ((rc = link_arrays(l, g)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < g->ngroups; i++)
        add_link(l, g->groups[i]->name, w->groups[g->groups[i]->id]);
    return NC_NOERR;
}

static int
write_group(ncz_netcdf4_writer *w, const ncz_group *g)
{
    static const uint32_t one = 1;
    ncz_netcdf4_att_list  list;
    ncz_hdf5_object       o = {.kind = NCZ_HDF5_GROUP};
    linking               l;
    int                   rc;

    if ((rc = link_children(w, g, &l)) != NC_NOERR ||
        (rc = ncz_netcdf4_atts_begin(w, 1 + g->atts.n, &list)) != NC_NOERR ||
        (rc = ncz_netcdf4_write_atts(w, &g->atts,
                                     ncz_netcdf4_kept_at(w->keeping->groups, w->keeping->ngroups, (size_t)g->id),
                                     &list)) != NC_NOERR)
        return rc;
    if (w->classic && g->parent == NULL &&
        (rc = ncz_netcdf4_att_ids(w, &list, "_nc3_strict", &one, 1, false)) != NC_NOERR)
        return rc;
    o.links = l.v;
    o.nlinks = l.n;
    o.attributes = list.v;
    o.nattributes = list.n;
    return ncz_hdf5_image_describe(w->d->image, w->groups[g->id], &o);
}

static int
write_all(ncz_netcdf4_writer *w)
{
    const ncz_model *m = w->m;
    int              rc = NC_NOERR;

    for (size_t i = 0; i < m->ngroups && rc == NC_NOERR; i++)
        rc = write_group(w, m->groups[i]);
    for (size_t i = 0; i < m->ntypes && rc == NC_NOERR; i++)
        if (is_stored(w, &m->types[i]->node))
            rc = write_type(w, m->types[i]);
    for (size_t i = 0; i < m->ndims && rc == NC_NOERR; i++)
        if (w->scales[i] != 0 && w->coords[i] == NULL)
            rc = ncz_netcdf4_write_scale(w, m->dims[i]);
    for (const ncz_var *v = ncz_model_next_var(m, NULL); v != NULL && rc == NC_NOERR; v = ncz_model_next_var(m, v))
        rc = write_var(w, v);
    return rc;
}

/* ---- the image's heap ---- */

static int
add_to_heap(void *arg, const void *bytes, size_t len, uint32_t nelems, unsigned char *element)
{
    return ncz_hdf5_image_heap(arg, bytes, len, nelems, element, NULL);
}

static int
reserve_in_heap(void *arg, size_t len, uint32_t nelems, unsigned char *element, unsigned char **copy)
{
    void *zeros = ncz_zalloc(len);
    int   rc;

    if (zeros == NULL)
        return ncz_fail_nomem(len);
    rc = ncz_hdf5_image_heap(arg, zeros, len, nelems, element, copy);
    ncz_free(zeros);
    return rc;
}

int
ncz_netcdf4_describe(const ncz_model *m, int form, const ncz_netcdf4_describing *d)
{
    static const ncz_netcdf4_keeping nothing = {.all = NULL};
    const ncz_netcdf4_file          *file = m->format;
    ncz_netcdf4_writer               w = {.m = m,
                                          .d = d,
                                          .keeping = file != NULL && file->keeping != NULL ? file->keeping : &nothing,
                                          .classic = form == NCZ_NETCDF4_CLASSIC_FORM,
                                          .heap = {.add = add_to_heap, .reserve = reserve_in_heap, .arg = d->image},
                                          .own = NCZ_ARENA_INIT};
    int                              rc;

    if ((rc = number_objects(&w)) == NC_NOERR && (rc = ncz_netcdf4_find_uses(&w)) == NC_NOERR)
        rc = write_all(&w);
    ncz_arena_clear(&w.own);
    return rc;
}
