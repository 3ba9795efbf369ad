/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scientific datasets as the SD interface stores them: a Vgroup of class CDF0.0 has one Vgroup for each dimension and
 * each variable, and a Vdata for each attribute; a variable's Vgroup has its dimensions, attributes, number type and
 * data (4, Scientific Data Sets; the classes are the library's, of its netCDF interface).
 */
#include "hdf4/hdf4_int.h"

#include <string.h>

enum { NO_DIM = -1 };

/* Dimensions that were read, by reference: a number, or NO_DIM. */
typedef struct groups {
    ncz_hdf4_reading *r;
    int32_t          *dims;
} groups;

static bool
is_class(const char *class_name, const char *wanted)
{
    return strcmp(class_name, wanted) == 0;
}

/* ---- attributes ---- */

/* A Vdata: if it is an attribute, it joins the others. */
static int
add_attribute(ncz_hdf4_reading *r, unsigned ref, ncz_hdf4_attribute **atts, size_t *n, size_t *cap)
{
    ncz_hdf4_vdata header;
    int            rc;

    if (ncz_hdf4_find(r->f, NCZ_HDF4_TAG_VDATA, ref) == NULL)
        return NC_NOERR;
    if ((rc = ncz_hdf4_vdata_read(r->f, ref, &r->sd->arena, &header)) != NC_NOERR ||
        !is_class(header.class_name, "Attr0.0"))
        return rc;
    if (*n >= r->f->limits.attributes)
        return ncz_fail(NC_EHDFERR, "it has more than %zu attributes (limit `attributes`)", *n);
    if ((rc = ncz_make_room((void *)atts, *n, cap, sizeof **atts)) != NC_NOERR ||
        (rc = ncz_hdf4_attribute_read(r->f, ref, &header, &r->sd->arena, &(*atts)[*n])) != NC_NOERR)
        return rc;
    ++*n;
    return NC_NOERR;
}

/* ---- dimensions ---- */

/* Its length: a number in a Vdata of class DimVal0.1, or in old files as many records as one of class DimVal0.0 has. */
static int
read_length(ncz_hdf4_reading *r, const ncz_hdf4_vgroup *g, uint64_t *len)
{
    ncz_buf    bytes = NCZ_BUF_INIT;
    ncz_cursor c;
    bool       found = false;
    int        rc = NC_NOERR;

    for (size_t i = 0; i < g->n && rc == NC_NOERR && !found; i++) {
        ncz_hdf4_vdata v;

        if (g->members[i].tag != NCZ_HDF4_TAG_VDATA ||
            ncz_hdf4_find(r->f, NCZ_HDF4_TAG_VDATA, g->members[i].ref) == NULL ||
            (rc = ncz_hdf4_vdata_read(r->f, g->members[i].ref, &r->sd->arena, &v)) != NC_NOERR)
            continue;
        if (is_class(v.class_name, "DimVal0.0")) {
            *len = v.nrecords;
            found = true;
        } else if (is_class(v.class_name, "DimVal0.1") &&
                   (rc = ncz_hdf4_load_element(r->f, NCZ_HDF4_TAG_RECORDS, g->members[i].ref, &bytes)) == NC_NOERR) {
            c = ncz_cursor_at(bytes.data, bytes.len);
            *len = ncz_cursor_u32be(&c);
            found = c.good;
        }
    }
    if (rc == NC_NOERR && (!found || *len > INT32_MAX))
        rc = ncz_fail(NC_EHDFERR, "dimension %s has no length", g->name);
    ncz_buf_clear(&bytes);
    return rc;
}

/* A Vgroup: *number of the dimension that it is; NO_DIM: it is none. */
static int
find_dim(const groups *s, unsigned ref, int32_t *number)
{
    ncz_hdf4_vgroup g;
    uint64_t        len = 0;
    size_t          n = 0;
    bool            unlimited;
    int             rc;

    *number = s->dims[ref];
    if (*number != NO_DIM || ncz_hdf4_find(s->r->f, NCZ_HDF4_TAG_VGROUP, ref) == NULL)
        return NC_NOERR;
    if ((rc = ncz_hdf4_vgroup_read(s->r->f, ref, &s->r->sd->arena, &g)) != NC_NOERR)
        return rc;
    unlimited = is_class(g.class_name, "UDim0.0");
    if (!unlimited && !is_class(g.class_name, "Dim0.0"))
        return NC_NOERR;
    if (!unlimited && (rc = read_length(s->r, &g, &len)) != NC_NOERR)
        return rc;
    if ((rc = ncz_hdf4_add_dim(s->r, g.name, len, unlimited, &n)) == NC_NOERR)
        *number = s->dims[ref] = (int32_t)n;
    return rc;
}

/* ---- variables ---- */

static int
add_dimension(const groups *s, unsigned ref, size_t *dims, ncz_hdf4_var *v)
{
    int32_t number;
    int     rc = find_dim(s, ref, &number);

    if (rc != NC_NOERR || number == NO_DIM)
        return rc;
    if (v->rank == NCZ_HDF4_MAX_RANK || v->rank == s->r->f->limits.rank)
        return ncz_fail(NC_EHDFERR, "it has more than %zu dimensions", v->rank);
    dims[v->rank++] = (size_t)number;
    return NC_NOERR;
}

/* A variable whose type or dimensions are damaged cannot be shown; one whose data are can. */
static int
read_members(const groups *s, const ncz_hdf4_vgroup *g, size_t *dims, ncz_hdf4_var *v)
{
    size_t cap = 0;
    bool   typed = false;
    int    rc = NC_NOERR;

    for (size_t i = 0; i < g->n && rc == NC_NOERR; i++) {
        unsigned ref = g->members[i].ref;

        switch (g->members[i].tag) {
        case NCZ_HDF4_TAG_VGROUP: rc = add_dimension(s, ref, dims, v); break;
        case NCZ_HDF4_TAG_VDATA:
            rc = add_attribute(s->r, ref, &v->atts, &v->natts, &cap);
            rc = ncz_hdf4_sd_lose(s->r->sd, &s->r->losses_cap, rc, g->name, "an attribute");
            break;
        case NCZ_HDF4_TAG_TYPE:
            rc = ncz_hdf4_type_read(s->r->f, ref, &v->type);
            typed = rc == NC_NOERR;
            break;
        case NCZ_HDF4_TAG_SD:
            rc = ncz_hdf4_data_read(s->r->f, NCZ_HDF4_TAG_SD, ref, &s->r->sd->arena, &v->data);
            rc = ncz_hdf4_note_lost(s->r, v, rc);
            break;
        default: break;
        }
    }
    if (rc == NC_NOERR && !typed)
        rc = ncz_fail(NC_EHDFERR, "it has no number type");
    return rc;
}

static int
add_variable(const groups *s, const ncz_hdf4_vgroup *g)
{
    ncz_hdf4_var v = {.name = g->name, .data = {.at = NCZ_HDF4_NONE}};
    size_t       dims[NCZ_HDF4_MAX_RANK], *own;
    int          rc = read_members(s, g, dims, &v);

    if (rc == NC_NOERR && (own = ncz_arena_get_n(&s->r->sd->arena, v.rank + 1, sizeof *own)) == NULL)
        rc = ncz_fail_nomem(v.rank * sizeof *own);
    else if (rc == NC_NOERR) {
        memcpy(own, dims, v.rank * sizeof *own);
        v.dims = own;
        rc = ncz_hdf4_add_var(s->r, &v);
    }
    if (rc != NC_NOERR)
        ncz_free(v.atts);
    return ncz_hdf4_sd_lose(s->r->sd, &s->r->losses_cap, rc, "variable", g->name);
}

/* ---- the file's group ---- */

static int
add_member(const groups *s, const ncz_hdf4_member *m, size_t *atts_cap)
{
    ncz_hdf4_vgroup g;
    int             rc = NC_NOERR;

    if (m->tag == NCZ_HDF4_TAG_VDATA) {
        rc = add_attribute(s->r, m->ref, &s->r->sd->atts, &s->r->sd->natts, atts_cap);
        return ncz_hdf4_sd_lose(s->r->sd, &s->r->losses_cap, rc, "an attribute", "");
    }
    if (m->tag != NCZ_HDF4_TAG_VGROUP || ncz_hdf4_find(s->r->f, m->tag, m->ref) == NULL)
        return NC_NOERR;
    if ((rc = ncz_hdf4_vgroup_read(s->r->f, m->ref, &s->r->sd->arena, &g)) == NC_NOERR &&
        is_class(g.class_name, "Var0.0"))
        rc = add_variable(s, &g);
    return ncz_hdf4_sd_lose(s->r->sd, &s->r->losses_cap, rc, "an object", "");
}

/* The group of class CDF0.0 with the lowest reference. */
static int
find_file(ncz_hdf4_reading *r, ncz_hdf4_vgroup *out, bool *any)
{
    const unsigned tags[] = {NCZ_HDF4_TAG_VGROUP, NCZ_HDF4_TAG_VGROUP | NCZ_HDF4_SPECIAL};
    int            rc = NC_NOERR;

    for (size_t t = 0; t < NCZ_LEN(tags) && !*any; t++) {
        const ncz_hdf4_dd *end, *dd = ncz_hdf4_first(r->f, tags[t], &end);

        for (; dd != end && rc == NC_NOERR && !*any; dd++) {
            ncz_arena arena = NCZ_ARENA_INIT;

            if ((rc = ncz_hdf4_vgroup_read(r->f, dd->ref, &arena, out)) == NC_NOERR &&
                is_class(out->class_name, "CDF0.0")) {
                *any = true;
                ncz_arena_join(&r->sd->arena, &arena);
            }
            ncz_arena_clear(&arena);
            rc = ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, "a Vgroup", "");
        }
    }
    return rc;
}

int
ncz_hdf4_groups_read(ncz_hdf4_reading *r, bool *any)
{
    groups          s = {.r = r};
    ncz_hdf4_vgroup file;
    size_t          cap = 0;
    int             rc = find_file(r, &file, any);

    if (rc != NC_NOERR || !*any)
        return rc;
    if ((s.dims = ncz_alloc_n(NCZ_HDF4_REFS, sizeof *s.dims)) == NULL)
        return ncz_fail_nomem(NCZ_HDF4_REFS * sizeof *s.dims);
    memset(s.dims, 0xff, NCZ_HDF4_REFS * sizeof *s.dims); /* NO_DIM */
    for (size_t i = 0; i < file.n && rc == NC_NOERR; i++)
        rc = add_member(&s, &file.members[i], &cap);
    ncz_free(s.dims);
    return rc;
}
