/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dimensions as HDF5's dimension scales (HDF5 Dimension Scale Specification), with netCDF-C's own attributes beside.
 * The scale of a dimension is its coordinate variable, or a dataset that is nothing else. netCDF-C's numbers stand on
 * every scale and every variable: without them dimensions would be numbered as their scales are met.
 */
#include "dialects/netcdf4/netcdf4_write_int.h"

#include "hdf5/hdf5_write.h"

#include <stdio.h>
#include <string.h>

enum { ADDRESS = 8, USE = 16 /* bytes of an entry of REFERENCE_LIST */ };

bool
ncz_netcdf4_is_coords(const ncz_var *v)
{
    return v->rank > 0 && v->dims[0]->group == v->group && strcmp(v->name, v->dims[0]->name) == 0;
}

/* ---- what uses a dimension ---- */

static bool
is_listed_use(const ncz_netcdf4_writer *w, const ncz_var *v, size_t d)
{
    return !ncz_netcdf4_is_coords(v) && w->scales[v->dims[d]->id] != 0;
}

static void
count_uses(ncz_netcdf4_writer *w)
{
    for (const ncz_var *v = ncz_model_next_var(w->m, NULL); v != NULL; v = ncz_model_next_var(w->m, v))
        for (size_t d = 0; d < v->rank; d++)
            if (is_listed_use(w, v, d))
                w->first[v->dims[d]->id + 1]++;
    for (size_t i = 0; i < w->m->ndims; i++)
        w->first[i + 1] += w->first[i];
}

int
ncz_netcdf4_find_uses(ncz_netcdf4_writer *w)
{
    size_t  n = w->m->ndims;
    size_t *next;

    if ((w->first = ncz_arena_get_n(&w->own, n + 1, sizeof *w->first)) == NULL ||
        (next = ncz_arena_get_n(&w->own, n + 1, sizeof *next)) == NULL)
        return ncz_fail_nomem((n + 1) * sizeof *w->first);
    memset(w->first, 0, (n + 1) * sizeof *w->first);
    count_uses(w);
    memcpy(next, w->first, (n + 1) * sizeof *next);
    if ((w->uses = ncz_arena_get_n(&w->own, w->first[n] + 1, sizeof *w->uses)) == NULL)
        return ncz_fail_nomem(w->first[n] * sizeof *w->uses);
    for (const ncz_var *v = ncz_model_next_var(w->m, NULL); v != NULL; v = ncz_model_next_var(w->m, v))
        for (size_t d = 0; d < v->rank; d++)
            if (is_listed_use(w, v, d))
                w->uses[next[v->dims[d]->id]++] =
                    (ncz_netcdf4_use){.number = w->vars[v->group->id][v->id], .at = (uint32_t)d};
    return NC_NOERR;
}

/* ---- attributes ---- */

static const ncz_hdf5_type reference = {
    .class = NCZ_HDF5_REFERENCE, .size = ADDRESS, .committed = NCZ_HDF5_NONE, .reference = 0};

static const ncz_hdf5_type references = {
    .class = NCZ_HDF5_VLEN, .size = NCZ_NETCDF4_IN_HEAP, .committed = NCZ_HDF5_NONE, .base = &reference};

/* REFERENCE_LIST: what uses a scale, and as which of its dimensions. */
static int
add_references(ncz_netcdf4_writer *w, const ncz_dim *d, ncz_netcdf4_att_list *list)
{
    size_t           from = w->first[d->id], n = w->first[d->id + 1] - from;
    ncz_hdf5_member *members;
    ncz_hdf5_type   *type;
    unsigned char   *data;
    int              rc = NC_NOERR;

    if (!w->d->references || n == 0)
        return NC_NOERR;
    members = ncz_arena_get_n(w->d->arena, 2, sizeof *members);
    type = ncz_arena_get(w->d->arena, sizeof *type);
    data = ncz_arena_get_n(w->d->arena, n, USE);
    if (members == NULL || type == NULL || data == NULL)
        return ncz_fail_nomem(n * USE);
    members[0] = (ncz_hdf5_member){.name = "dataset", .offset = 0, .type = &reference};
    members[1] = (ncz_hdf5_member){.name = "dimension", .offset = ADDRESS, .type = ncz_netcdf4_number(NC_INT, false)};
    *type = (ncz_hdf5_type){
        .class = NCZ_HDF5_COMPOUND, .size = USE, .committed = NCZ_HDF5_NONE, .members = members, .nmembers = 2};
    memset(data, 0, n * USE);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        const ncz_netcdf4_use *use = &w->uses[from + i];

        for (size_t b = 0; b < 4; b++)
            data[i * USE + ADDRESS + b] = (unsigned char)(use->at >> 8 * b);
        rc = ncz_hdf5_image_refer(w->d->image, data + i * USE, use->number);
    }
    return rc == NC_NOERR ? ncz_netcdf4_att_array(list, "REFERENCE_LIST", type, data, n) : rc;
}

/* DIMENSION_LIST: for each dimension a sequence of references to its scales, which is one; or of none, where the
 * dimension was made up. */
static int
add_dimension_list(ncz_netcdf4_writer *w, const ncz_var *v, ncz_netcdf4_att_list *list)
{
    static const unsigned char nowhere[ADDRESS];
    unsigned char             *data = ncz_arena_get_n(w->d->arena, v->rank, NCZ_NETCDF4_IN_HEAP);
    int                        rc = NC_NOERR;

    if (data == NULL)
        return ncz_fail_nomem(v->rank * NCZ_NETCDF4_IN_HEAP);
    memset(data, 0, v->rank * NCZ_NETCDF4_IN_HEAP);
    for (size_t d = 0; d < v->rank && rc == NC_NOERR; d++) {
        size_t         scale = w->scales[v->dims[d]->id];
        unsigned char *copy = NULL;

        if (scale != 0 && (rc = ncz_hdf5_image_heap(w->d->image, nowhere, ADDRESS, 1, data + d * NCZ_NETCDF4_IN_HEAP,
                                                    &copy)) == NC_NOERR)
            rc = ncz_hdf5_image_refer(w->d->image, copy, scale);
    }
    return rc == NC_NOERR ? ncz_netcdf4_att_array(list, "DIMENSION_LIST", &references, data, v->rank) : rc;
}

/* The numbers of a variable's dimensions. */
static int
add_coordinates(ncz_netcdf4_writer *w, const ncz_var *v, ncz_netcdf4_att_list *list)
{
    uint32_t *ids = ncz_arena_get_n(&w->own, v->rank, sizeof *ids);

    if (ids == NULL)
        return ncz_fail_nomem(v->rank * sizeof *ids);
    for (size_t d = 0; d < v->rank; d++)
        ids[d] = (uint32_t)v->dims[d]->id;
    return ncz_netcdf4_att_ids(w, list, "_Netcdf4Coordinates", ids, v->rank, true);
}

/* A variable that was in the file, and has its name still, keeps what the scale is called. */
static const ncz_hdf5_attribute *
find_label(const ncz_var *v)
{
    const ncz_netcdf4_place *p = v != NULL ? v->place : NULL;

    return p != NULL && p->kept != NULL && strcmp(p->kept->name, v->name) == 0
               ? ncz_netcdf4_find_att(&p->kept->o, "NAME")
               : NULL;
}

/* What makes a dataset a scale. `name`: NAME, with the NUL at its end. `v`: its variable, or NULL. */
static int
add_class(ncz_netcdf4_writer *w, const ncz_dim *d, const char *name, const ncz_var *v, ncz_netcdf4_att_list *list)
{
    static const char class[] = "DIMENSION_SCALE";
    const ncz_hdf5_attribute *label = find_label(v);
    uint32_t                  id = (uint32_t)d->id;
    int                       rc;

    if ((rc = ncz_netcdf4_att_text(w, list, "CLASS", class, sizeof class)) != NC_NOERR)
        return rc;
    if (label != NULL)
        ncz_netcdf4_att_again(list, label->name, label);
    else if ((rc = ncz_netcdf4_att_text(w, list, "NAME", name, strlen(name) + 1)) != NC_NOERR)
        return rc;
    return ncz_netcdf4_att_ids(w, list, "_Netcdf4Dimid", &id, 1, false);
}

static bool
all_have_scales(const ncz_netcdf4_writer *w, const ncz_var *v, bool *any)
{
    bool all = true;

    *any = false;
    for (size_t d = 0; d < v->rank; d++) {
        bool has = w->scales[v->dims[d]->id] != 0;

        all = all && has;
        *any = *any || has;
    }
    return all;
}

int
ncz_netcdf4_scale_atts(ncz_netcdf4_writer *w, const ncz_var *v, ncz_netcdf4_att_list *list)
{
    bool any, all = all_have_scales(w, v, &any), coords = ncz_netcdf4_is_coords(v);
    int  rc;

    if (!any)
        return NC_NOERR;
    if (coords && (rc = add_class(w, v->dims[0], v->name, v, list)) != NC_NOERR)
        return rc;
    if (all && (rc = add_coordinates(w, v, list)) != NC_NOERR)
        return rc;
    return coords ? add_references(w, v->dims[0], list) : add_dimension_list(w, v, list);
}

/* ---- datasets that are scales and nothing else ---- */

int
ncz_netcdf4_write_scale(ncz_netcdf4_writer *w, const ncz_dim *d)
{
    const ncz_netcdf4_kept *kept = ncz_netcdf4_kept_at(w->keeping->scales, w->keeping->nscales, (size_t)d->id);
    uint64_t                len = !d->unlimited ? d->len : kept != NULL ? kept->o.space.shape[0] : 0;
    uint64_t                most = d->unlimited ? NCZ_HDF5_NONE : len;
    ncz_netcdf4_att_list    list;
    ncz_hdf5_object         o = {.kind = NCZ_HDF5_DATASET,
                                 .type = ncz_netcdf4_number(NC_FLOAT, true),
                                 .space = {.kind = NCZ_HDF5_SIMPLE, .rank = 1, .shape = {len}, .most = {most}},
                                 .layout = {.kind = d->unlimited ? NCZ_HDF5_CHUNKED : NCZ_HDF5_CONTIGUOUS,
                                            .version = 3,
                                            .addr = NCZ_HDF5_NONE,
                                            .size = len * 4,
                                            .index = NCZ_HDF5_INDEX_BTREE1,
                                            .rank = 1,
                                            .chunk = {1},
                                            .element = 4,
                                            .chunk_bytes = 4},
                                 .fill = {.state = NCZ_HDF5_FILL_DEFAULT}};
    char                   *name = ncz_arena_get(w->d->arena, 80);
    int                     rc;

    if (name == NULL)
        return ncz_fail_nomem(80);
    if (len > UINT64_MAX / 4)
        return ncz_fail(NC_EDIMSIZE, "%s: an HDF5 file has no dimension of %llu elements", d->name,
                        (unsigned long long)len);
    (void)snprintf(name, 80, "This is a netCDF dimension but not a netCDF variable.%10llu",
                   (unsigned long long)d->len);
    if ((rc = ncz_netcdf4_atts_begin(w, NCZ_NETCDF4_SCALE_ATTS, &list)) != NC_NOERR ||
        (rc = add_class(w, d, name, NULL, &list)) != NC_NOERR || (rc = add_references(w, d, &list)) != NC_NOERR)
        return rc;
    o.attributes = list.v;
    o.nattributes = list.n;
    return ncz_hdf5_image_describe(w->d->image, w->scales[d->id], &o);
}
