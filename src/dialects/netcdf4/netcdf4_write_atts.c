/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes as a netCDF-4 file has them: characters as one text, other values as an array, none as a null dataspace.
 */
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <string.h>

static const ncz_hdf5_shape scalar = {.kind = NCZ_HDF5_SCALAR}, nothing = {.kind = NCZ_HDF5_NULL};

int
ncz_netcdf4_atts_begin(ncz_netcdf4_writer *w, size_t most, ncz_netcdf4_att_list *out)
{
    *out = (ncz_netcdf4_att_list){.arena = w->d->arena, .v = ncz_arena_get_n(w->d->arena, most, sizeof *out->v)};
    return out->v != NULL ? NC_NOERR : ncz_fail_nomem(most * sizeof *out->v);
}

/* A new attribute, the next one of its list. */
static ncz_hdf5_attribute *
next_att(ncz_netcdf4_att_list *list, const char *name, const ncz_hdf5_type *type, const void *data, size_t len)
{
    ncz_hdf5_attribute *a = &list->v[list->n];

    *a = (ncz_hdf5_attribute){.name = name, .order = (int64_t)list->n, .type = type, .data = data, .len = len};
    list->n++;
    return a;
}

/* An array of n elements. */
static int
make_array(ncz_netcdf4_att_list *list, uint64_t n, ncz_hdf5_shape *out)
{
    uint64_t *len = ncz_arena_get(list->arena, sizeof *len);

    if (len == NULL)
        return ncz_fail_nomem(sizeof *len);
    *len = n;
    *out = (ncz_hdf5_shape){.kind = NCZ_HDF5_SIMPLE, .rank = 1, .shape = len, .most = len};
    return NC_NOERR;
}

/* ---- texts ---- */

static int
make_text_type(ncz_netcdf4_writer *w, size_t n, const ncz_hdf5_type **out)
{
    ncz_hdf5_type *type = ncz_arena_get(w->d->arena, sizeof *type);

    if (type == NULL)
        return ncz_fail_nomem(sizeof *type);
    *type = ncz_netcdf4_char;
    type->size = n;
    *out = type;
    return NC_NOERR;
}

int
ncz_netcdf4_att_text(ncz_netcdf4_writer *w, ncz_netcdf4_att_list *list, const char *name, const char *text, size_t n)
{
    const ncz_hdf5_type *type = &ncz_netcdf4_char;
    int                  rc;

    if (n == 0) {
        next_att(list, name, type, "", 0)->space = nothing;
        return NC_NOERR;
    }
    if (n > 1 && (rc = make_text_type(w, n, &type)) != NC_NOERR)
        return rc;
    next_att(list, name, type, text, n)->space = scalar;
    return NC_NOERR;
}

/* ---- numbers of dimensions ---- */

int
ncz_netcdf4_att_ids(ncz_netcdf4_writer *w, ncz_netcdf4_att_list *list, const char *name, const uint32_t *ids,
                    size_t n, bool array)
{
    unsigned char *bytes = ncz_arena_get_n(w->d->arena, n, 4);
    ncz_hdf5_shape space = scalar;
    int            rc = array ? make_array(list, n, &space) : NC_NOERR;

    if (bytes == NULL)
        return ncz_fail_nomem(4 * n);
    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < 4 * n; i++)
        bytes[i] = (unsigned char)(ids[i / 4] >> 8 * (i % 4));
    next_att(list, name, ncz_netcdf4_number(NC_INT, false), bytes, 4 * n)->space = space;
    return NC_NOERR;
}

/* ---- values of any type ---- */

int
ncz_netcdf4_att_array(ncz_netcdf4_att_list *list, const char *name, const ncz_hdf5_type *type, const void *data,
                      size_t n)
{
    ncz_hdf5_shape space = nothing;
    int            rc = n > 0 ? make_array(list, n, &space) : NC_NOERR;

    if (rc == NC_NOERR)
        next_att(list, name, type, data, n * type->size)->space = space;
    return rc;
}

/* ---- attributes that were in the file ---- */

static size_t
find_kept(const ncz_netcdf4_kept *kept, const char *name)
{
    for (size_t i = 0; kept != NULL && i < kept->o.nattributes; i++)
        if (strcmp(kept->o.attributes[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

void
ncz_netcdf4_att_again(ncz_netcdf4_att_list *list, const char *name, const ncz_hdf5_attribute *from)
{
    next_att(list, name, from->type, from->data, from->len)->space = from->space;
}

/* With the bytes that it had, which name nothing in the heap. */
static bool
write_kept(const ncz_att *a, const ncz_netcdf4_kept *kept, size_t i, ncz_netcdf4_att_list *list)
{
    const ncz_hdf5_attribute *from = &kept->o.attributes[i];
    const ncz_netcdf4_was    *was = &kept->was[i];

    if (was->type != a->type || was->len != a->len ||
        (a->len > 0 && memcmp(was->values, a->data, a->len * a->type->size) != 0))
        return false;
    ncz_netcdf4_att_again(list, a->name, from);
    return true;
}

/* Strings keep their encoding, and whether they are an array. */
static void
take_form(const ncz_att *a, const ncz_netcdf4_kept *kept, size_t i, ncz_hdf5_attribute *to)
{
    const ncz_hdf5_attribute *from = &kept->o.attributes[i];
    uint64_t                  n = 0;

    if (a->type->class == NCZ_TYPE_STRING && from->type->class == NCZ_HDF5_VLEN && from->type->is_string)
        to->type = from->type;
    if (from->space.kind != NCZ_HDF5_NULL && ncz_hdf5_count_elements(&from->space, &n) && n == a->len)
        to->space = from->space;
}

static int
write_att(ncz_netcdf4_writer *w, const ncz_att *a, const ncz_netcdf4_kept *kept, ncz_netcdf4_att_list *list)
{
    size_t               i = find_kept(kept, a->name);
    const ncz_hdf5_type *type;
    ncz_netcdf4_type     t;
    unsigned char       *bytes;
    size_t               n;
    int                  rc;

    if (i != SIZE_MAX && write_kept(a, kept, i, list))
        return NC_NOERR;
    if (a->type->class == NCZ_TYPE_CHAR)
        return ncz_netcdf4_att_text(w, list, a->name, a->data, a->len);
    if ((rc = ncz_netcdf4_type_for(w->d->arena, a->type, false, &t)) != NC_NOERR ||
        (rc = ncz_netcdf4_stored_type(w->d->arena, &t, &type)) != NC_NOERR)
        return rc;
    if (!ncz_mul(a->len, t.size, &n) || (bytes = ncz_arena_get(w->d->arena, n + 1)) == NULL)
        return ncz_fail_nomem(a->len * t.size);
    memset(bytes, 0, n);
    if ((rc = ncz_netcdf4_write_values(&t, a->data, a->len, &w->heap, bytes)) != NC_NOERR)
        return rc;
    rc = ncz_netcdf4_att_array(list, a->name, type, bytes, a->len);
    if (rc == NC_NOERR && i != SIZE_MAX)
        take_form(a, kept, i, &list->v[list->n - 1]);
    return rc;
}

int
ncz_netcdf4_write_atts(ncz_netcdf4_writer *w, const ncz_atts *atts, const ncz_netcdf4_kept *kept,
                       ncz_netcdf4_att_list *list)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < atts->n && rc == NC_NOERR; i++)
        rc = write_att(w, &atts->v[i], kept, list);
    return rc;
}
