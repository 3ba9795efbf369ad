/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_dim: dimensions. Ids are unique in the dataset. Names are looked up in the group, then in its parents.
 */
#include "api/api_int.h"

/* The longest dimension that each version of classic files takes: lengths in bytes, padded, must fit its numbers. */
static int
check_classic_length(const ncz_call *c, const char *name, uint64_t len)
{
    int      version = ncz_dataset_cdf(c->ds);
    uint64_t most = version == 1 ? INT32_MAX - 3 : version == 2 ? UINT32_MAX - 3 : (uint64_t)INT64_MAX - 3;

    if (version != 0 && len > most)
        return ncz_fail(NC_EDIMSIZE, "%s: a dimension of length %llu: at most %llu in CDF-%d", name,
                        (unsigned long long)len, (unsigned long long)most, version);
    return NC_NOERR;
}

/* Documents can only hold lengths below 2^63. */
static int
check_length(const char *name, uint64_t len)
{
    if (len > INT64_MAX)
        return ncz_fail(NC_EDIMSIZE, "%s: a dimension of length %llu: at most 2^63 - 1 can be stored", name,
                        (unsigned long long)len);
    return NC_NOERR;
}

/* The classic model has one unlimited dimension. */
static int
check_unlimited(const ncz_call *c, const char *name, size_t len)
{
    if (len != NC_UNLIMITED || !ncz_dataset_classic(c->ds))
        return NC_NOERR;
    for (size_t i = 0; i < c->m->ndims; i++)
        if (c->m->dims[i]->unlimited && !c->m->dims[i]->hidden)
            return ncz_fail(NC_EUNLIMIT, "%s: %s is unlimited already, and the classic model has one such dimension",
                            name, c->m->dims[i]->name);
    return NC_NOERR;
}

int
nc_def_dim(int ncid, const char *name, size_t len, int *idp)
{
    ncz_call c;
    ncz_dim *d = NULL;
    char    *own = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_DEFINE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR && (rc = check_length(own, len)) == NC_NOERR &&
        (rc = check_classic_length(&c, own, len)) == NC_NOERR && (rc = check_unlimited(&c, own, len)) == NC_NOERR)
        rc = ncz_model_add_dim(c.m, c.g, own, len, len == NC_UNLIMITED, &d);
    if (rc == NC_NOERR && idp != NULL)
        *idp = d->id;
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_dimid(int ncid, const char *name, int *idp)
{
    ncz_call       c;
    const ncz_dim *d = NULL;
    char          *own = NULL;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_lookup_name(name, &own)) == NC_NOERR) {
        if ((d = ncz_group_scope_dim(c.g, own)) == NULL || d->hidden)
            rc = ncz_fail(NC_EBADDIM, "there is no dimension '%s'", own);
        else if (idp != NULL)
            *idp = d->id;
    }
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

/* On 32 bits a dimension may be longer than a size_t can hold. */
static int
give_length(const ncz_dim *d, size_t *lenp)
{
    if (lenp == NULL)
        return NC_NOERR;
    if (d->len > SIZE_MAX)
        return ncz_fail(NC_EDIMSIZE, "%s: its length %llu does not fit this machine's size_t", d->name,
                        (unsigned long long)d->len);
    *lenp = (size_t)d->len;
    return NC_NOERR;
}

int
nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp)
{
    ncz_call c;
    ncz_dim *d = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_dim(&c, dimid, &d)) == NC_NOERR && (rc = ncz_api_give_name(d->name, name)) == NC_NOERR)
        rc = give_length(d, lenp);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_dimname(int ncid, int dimid, char *name)
{
    return nc_inq_dim(ncid, dimid, name, NULL);
}

int
nc_inq_dimlen(int ncid, int dimid, size_t *lenp)
{
    return nc_inq_dim(ncid, dimid, NULL, lenp);
}

int
nczarr_grow_dim(int ncid, int dimid, size_t len)
{
    ncz_call c;
    ncz_dim *d = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_PUT_ALONE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_dim(&c, dimid, &d)) == NC_NOERR && len > d->len) {
        if (d->unlimited && (rc = check_length(d->name, len)) == NC_NOERR)
            rc = ncz_dataset_grow_dim(c.ds, d, len);
        else if (!d->unlimited)
            rc = ncz_fail(NC_EINVAL, "%s: a dimension of fixed length %llu", d->name, (unsigned long long)d->len);
    }
    return ncz_call_leave(&c, rc);
}

/* The documents of all variables along the dimension have its name. */
static int
check_users(const ncz_model *m, const ncz_dim *dim)
{
    int rc = NC_NOERR;

    for (const ncz_var *v = ncz_model_next_var(m, NULL); rc == NC_NOERR && v != NULL; v = ncz_model_next_var(m, v))
        for (size_t d = 0; rc == NC_NOERR && d < v->rank; d++)
            rc = v->dims[d] == dim ? ncz_dialects_check_rewritable(v) : NC_NOERR;
    return rc;
}

int
nc_rename_dim(int ncid, int dimid, const char *name)
{
    ncz_call c;
    ncz_dim *d = NULL;
    char    *own = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_CHANGE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_dim(&c, dimid, &d)) == NC_NOERR && (rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR)
        rc = ncz_api_check_rename(&c, d->name, own);
    if (rc == NC_NOERR && (rc = check_users(c.m, d)) == NC_NOERR)
        rc = ncz_dataset_rename_dim(c.ds, d, own);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

/* ---- counts and lists ---- */

static int
count_dims(const ncz_group *g)
{
    int n = 0;

    for (size_t i = 0; i < g->ndims; i++)
        n += !g->dims[i]->hidden;
    return n;
}

/* The first unlimited dimension of the group; -1: none. */
static int
first_unlimited(const ncz_group *g)
{
    for (size_t i = 0; i < g->ndims; i++)
        if (g->dims[i]->unlimited && !g->dims[i]->hidden)
            return g->dims[i]->id;
    return -1;
}

int
nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (ndimsp != NULL)
        *ndimsp = count_dims(c.g);
    if (nvarsp != NULL)
        *nvarsp = (int)c.g->nvars;
    if (nattsp != NULL)
        *nattsp = ncz_api_count_atts(&c, &c.g->atts);
    if (unlimdimidp != NULL)
        *unlimdimidp = first_unlimited(c.g);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_ndims(int ncid, int *ndimsp)
{
    return nc_inq(ncid, ndimsp, NULL, NULL, NULL);
}

int
nc_inq_nvars(int ncid, int *nvarsp)
{
    return nc_inq(ncid, NULL, nvarsp, NULL, NULL);
}

int
nc_inq_natts(int ncid, int *nattsp)
{
    return nc_inq(ncid, NULL, NULL, nattsp, NULL);
}

/* Unlike nc_inq(), this also searches the parent groups, as in netCDF. */
int
nc_inq_unlimdim(int ncid, int *unlimdimidp)
{
    ncz_call c;
    int      id = -1, rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    for (const ncz_group *g = c.g; g != NULL && id < 0; g = g->parent)
        id = first_unlimited(g);
    if (unlimdimidp != NULL)
        *unlimdimidp = id;
    return ncz_call_leave(&c, rc);
}

int
nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp)
{
    ncz_call c;
    int      n = 0, rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < c.g->ndims; i++) {
        if (!c.g->dims[i]->unlimited || c.g->dims[i]->hidden)
            continue;
        if (unlimdimidsp != NULL)
            unlimdimidsp[n] = c.g->dims[i]->id;
        n++;
    }
    if (nunlimdimsp != NULL)
        *nunlimdimsp = n;
    return ncz_call_leave(&c, rc);
}

static bool
is_within(const ncz_group *g, const ncz_group *ancestor)
{
    while (g != NULL && g != ancestor)
        g = g->parent;
    return g != NULL;
}

/* In order of id, which is that of a group's list, too. Of one group no other dimensions are looked at. */
int
nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents)
{
    ncz_call c;
    int      n = 0, rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);
    bool     all;

    if (rc != NC_NOERR)
        return rc;
    all = include_parents != 0 && c.g->parent != NULL;
    for (size_t i = 0; i < (all ? c.m->ndims : c.g->ndims); i++) {
        const ncz_dim *d = all ? c.m->dims[i] : c.g->dims[i];

        if (d->hidden || (all && !is_within(c.g, d->group)))
            continue;
        if (dimids != NULL)
            dimids[n] = d->id;
        n++;
    }
    if (ndims != NULL)
        *ndims = n;
    return ncz_call_leave(&c, rc);
}
