/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_copy_var: copies a variable into another dataset or group: definition, attributes and data. It locks one dataset
 * at a time, so both may be the same. How the variable is stored is copied by api_copy_storage.c, data in slabs of
 * bounded size.
 */
#include "api/api_int.h"

#include <string.h>

#define SLAB_BYTES ((size_t)16 << 20)

/* The variable that is copied. */
typedef struct source {
    int             ncid, varid;
    char            name[NC_MAX_NAME + 1];
    nc_type         id; /* id of its type */
    const ncz_type *type;
    int             ndims, natts;
    int            *in, *out; /* dimension ids in the source and in the target */
    size_t         *len, *start, *count;
    bool           *unlimited;
} source;

static void
source_clear(source *s)
{
    ncz_free(s->in);
    ncz_free(s->out);
    ncz_free(s->len);
    ncz_free(s->start);
    ncz_free(s->count);
    ncz_free(s->unlimited);
}

static int
find_unlimited(source *s)
{
    ncz_call c;
    int      rc = ncz_call_enter(s->ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    for (int d = 0; d < s->ndims; d++)
        s->unlimited[d] = c.m->dims[s->in[d]]->unlimited;
    return ncz_call_leave(&c, rc);
}

/* The type stays valid as long as the source is open. */
static int
find_type(source *s)
{
    ncz_call c;
    int      rc = ncz_call_enter(s->ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((s->type = ncz_model_type(c.m, s->id)) == NULL)
        rc = ncz_fail(NC_EBADTYPE, "%s: its stored type has no netCDF meaning", s->name);
    return ncz_call_leave(&c, rc);
}

static int
inquire_source(int ncid, int varid, source *s)
{
    size_t n;
    int    rc;

    *s = (source){.ncid = ncid, .varid = varid};
    if ((rc = nc_inq_var(ncid, varid, s->name, &s->id, &s->ndims, NULL, &s->natts)) != NC_NOERR)
        return rc;
    if ((rc = find_type(s)) != NC_NOERR)
        return rc;
    n = (size_t)s->ndims;
    s->in = ncz_zalloc_n(n, sizeof *s->in);
    s->out = ncz_zalloc_n(n, sizeof *s->out);
    s->len = ncz_zalloc_n(n, sizeof *s->len);
    s->start = ncz_zalloc_n(n, sizeof *s->start);
    s->count = ncz_zalloc_n(n, sizeof *s->count);
    s->unlimited = ncz_zalloc_n(n, sizeof *s->unlimited);
    if (!s->in || !s->out || !s->len || !s->start || !s->count || !s->unlimited)
        return ncz_fail_nomem(n * sizeof(size_t));
    if ((rc = nc_inq_vardimid(ncid, varid, s->in)) != NC_NOERR || (rc = find_unlimited(s)) != NC_NOERR)
        return rc;
    for (int d = 0; rc == NC_NOERR && d < s->ndims; d++)
        rc = nc_inq_dimlen(ncid, s->in[d], &s->len[d]);
    return rc;
}

/* Finds the target's dimension of that name, or defines it. */
static int
match_dim(const source *s, int d, int ncid_out)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    int    rc;

    if ((rc = nc_inq_dimname(s->ncid, s->in[d], name)) != NC_NOERR)
        return rc;
    if (nc_inq_dimid(ncid_out, name, &s->out[d]) != NC_NOERR)
        return nc_def_dim(ncid_out, name, s->unlimited[d] ? NC_UNLIMITED : s->len[d], &s->out[d]);
    if ((rc = nc_inq_dimlen(ncid_out, s->out[d], &len)) != NC_NOERR)
        return rc;
    if (len != s->len[d] && !s->unlimited[d])
        return ncz_fail(NC_EBADDIM, "%s: dimension %s has length %zu here and %zu there", s->name, name, s->len[d],
                        len);
    return NC_NOERR;
}

static int
define_copy(const source *s, int ncid_out, int *varid_out)
{
    char    name[NC_MAX_NAME + 1];
    nc_type id;
    int     rc;

    if (nc_inq_varid(ncid_out, s->name, NULL) == NC_NOERR)
        return ncz_fail(NC_ENAMEINUSE, "%s: there is a variable of that name", s->name);
    for (int d = 0; d < s->ndims; d++)
        if ((rc = match_dim(s, d, ncid_out)) != NC_NOERR)
            return rc;
    if ((rc = ncz_api_equal_type(s->ncid, s->id, ncid_out, &id)) != NC_NOERR ||
        (rc = nc_def_var(ncid_out, s->name, id, s->ndims, s->out, varid_out)) != NC_NOERR ||
        (rc = nczarr_copy_var_storage(s->ncid, s->varid, ncid_out, *varid_out, NULL, NULL, 0)) != NC_NOERR)
        return rc;
    for (int i = 0; i < s->natts; i++)
        if ((rc = nc_inq_attname(s->ncid, s->varid, i, name)) != NC_NOERR ||
            (rc = nc_copy_att(s->ncid, s->varid, name, ncid_out, *varid_out)) != NC_NOERR)
            return rc;
    return NC_NOERR;
}

/*
 * Sets the lengths of one slab: whole inner dimensions while they fit, part of one, then 1. Returns its elements; 0 for
 * a variable without elements.
 */
static size_t
choose_slab(const source *s, size_t *count)
{
    size_t most = s->type->size < SLAB_BYTES ? SLAB_BYTES / s->type->size : 1, n = 1;

    for (int d = s->ndims - 1; d >= 0; d--) {
        size_t fits = most / n > 0 ? most / n : 1;

        if (s->len[d] == 0)
            return 0;
        count[d] = s->len[d] < fits ? s->len[d] : fits;
        n *= count[d];
    }
    return n;
}

/* Moves to the next slab's start. False after the last. */
static bool
next_slab(const source *s, const size_t *step)
{
    for (int d = s->ndims - 1; d >= 0; d--) {
        s->start[d] += step[d];
        if (s->start[d] < s->len[d])
            return true;
        s->start[d] = 0;
    }
    return false;
}

static int
copy_data(const source *s, int ncid_out, int varid_out)
{
    size_t *step = ncz_alloc_n((size_t)s->ndims, sizeof *step);
    void   *data = NULL;
    size_t  n;
    int     rc = NC_NOERR;

    if (step == NULL)
        return ncz_fail_nomem((size_t)s->ndims * sizeof *step);
    if ((n = choose_slab(s, step)) == 0)
        goto done;
    if ((data = ncz_zalloc_n(n, s->type->size)) == NULL) {
        rc = ncz_fail_nomem(n * s->type->size);
        goto done;
    }
    do {
        for (int d = 0; d < s->ndims; d++)
            s->count[d] = step[d] < s->len[d] - s->start[d] ? step[d] : s->len[d] - s->start[d];
        if ((rc = nc_get_vara(s->ncid, s->varid, s->start, s->count, data)) == NC_NOERR)
            rc = nc_put_vara(ncid_out, varid_out, s->start, s->count, data);
        ncz_type_free_elems(s->type, data, n);
    } while (rc == NC_NOERR && next_slab(s, step));
done:
    ncz_free(data);
    ncz_free(step);
    return rc;
}

int
nc_copy_var(int ncid_in, int varid, int ncid_out)
{
    source s;
    bool   was_defining;
    int    varid_out = -1, rc;

    if ((rc = inquire_source(ncid_in, varid, &s)) != NC_NOERR)
        goto done;
    if ((rc = nc_redef(ncid_out)) != NC_NOERR && rc != NC_EINDEFINE)
        goto done;
    was_defining = rc == NC_EINDEFINE;
    if ((rc = define_copy(&s, ncid_out, &varid_out)) != NC_NOERR)
        goto done;
    if ((rc = nc_enddef(ncid_out)) != NC_NOERR || (rc = copy_data(&s, ncid_out, varid_out)) != NC_NOERR)
        goto done;
    if (was_defining)
        rc = nc_redef(ncid_out); /* restore define mode */
done:
    source_clear(&s);
    return ncz_call_done(rc);
}
