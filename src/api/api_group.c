/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_group: groups, by ncid and by name.
 */
#include "api/api_int.h"

#include <string.h>

int
nc_def_grp(int parent_ncid, const char *name, int *new_ncid)
{
    ncz_call   c;
    ncz_group *g = NULL;
    char      *own = NULL;
    int        rc = ncz_call_enter_extended(parent_ncid, "groups", &c);

    if (rc != NC_NOERR)
        return rc;
    if (c.m->ngroups >= NCZ_ID_GROUPS)
        rc = ncz_fail(NC_EBADGRPID, "a dataset with more than %d groups has no ids for them all", NCZ_ID_GROUPS);
    if (rc == NC_NOERR && (rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR)
        rc = ncz_dataset_add_group(c.ds, c.g, own, &g);
    if (rc == NC_NOERR && new_ncid != NULL)
        *new_ncid = c.base + g->id;
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_rename_grp(int grpid, const char *name)
{
    ncz_call c;
    char    *own = NULL;
    int      rc = ncz_call_enter_netcdf4(grpid, NCZ_USE_CHANGE, "groups", &c);

    if (rc != NC_NOERR)
        return rc;
    if (c.g->parent == NULL)
        rc = ncz_fail(NC_EBADGRPID, "the root group has no name to change");
    else if ((rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR)
        rc = ncz_dataset_rename_group(c.ds, c.g, own);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

static int
give_group(const ncz_call *c, const ncz_group *g, const char *name, int *out)
{
    if (g == NULL)
        return ncz_fail(NC_ENOGRP, "there is no group '%s'", name);
    return ncz_call_group_id(c, g, out);
}

int
nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid)
{
    ncz_call c;
    char    *own = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_lookup_name(grp_name, &own)) == NC_NOERR)
        rc = give_group(&c, ncz_group_find_group(c.g, own), own, grp_ncid);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

/* As netCDF-C: the names of `path` lead from g on, whether or not it begins with a slash; one without names is the
 * root. Slashes that follow each other, or are last, count for one and for none. */
static const ncz_group *
find_below(const ncz_group *g, char *path)
{
    char       *rest = NULL;
    const char *name = strtok_r(path, "/", &rest);

    if (name == NULL)
        return g->parent == NULL ? g : NULL;
    for (; g != NULL && name != NULL; name = strtok_r(NULL, "/", &rest))
        g = ncz_group_find_group(g, name);
    return g;
}

int
nc_inq_grp_full_ncid(int ncid, const char *full_name, int *grp_ncid)
{
    ncz_call c;
    char    *own = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_lookup_name(full_name, &own)) == NC_NOERR)
        rc = give_group(&c, find_below(c.g, own), full_name, grp_ncid);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_ncid(int ncid, const char *name, int *grp_ncid)
{
    ncz_call c;
    int      rc;

    if (name != NULL && strchr(name, '/') != NULL)
        return nc_inq_grp_full_ncid(ncid, name, grp_ncid);
    if (name != NULL)
        return nc_inq_grp_ncid(ncid, name, grp_ncid);
    if ((rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c)) != NC_NOERR)
        return rc;
    if (grp_ncid != NULL)
        *grp_ncid = ncid;
    return ncz_call_leave(&c, rc);
}

int
nc_inq_grps(int ncid, int *numgrps, int *ncids)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (numgrps != NULL)
        *numgrps = (int)c.g->ngroups;
    for (size_t i = 0; rc == NC_NOERR && ncids != NULL && i < c.g->ngroups; i++)
        rc = ncz_call_group_id(&c, c.g->groups[i], &ncids[i]);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_grpname(int ncid, char *name)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    return ncz_call_leave(&c, ncz_api_give_name(c.g->parent == NULL ? "/" : c.g->name, name));
}

int
nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name)
{
    ncz_call c;
    ncz_buf  fqn = NCZ_BUF_INIT;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_group_fqn(c.g, &fqn);
    return ncz_call_leave_text(&c, rc, &fqn, lenp, full_name);
}

int
nc_inq_grpname_len(int ncid, size_t *lenp)
{
    return nc_inq_grpname_full(ncid, lenp, NULL);
}

int
nc_inq_grp_parent(int ncid, int *parent_ncid)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (c.g->parent == NULL)
        rc = ncz_fail(NC_ENOGRP, "the root group has no parent");
    else
        rc = ncz_call_group_id(&c, c.g->parent, parent_ncid);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_varids(int ncid, int *nvars, int *varids)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (nvars != NULL)
        *nvars = (int)c.g->nvars;
    for (size_t i = 0; varids != NULL && i < c.g->nvars; i++)
        varids[i] = (int)i;
    return ncz_call_leave(&c, rc);
}

int
nc_inq_typeids(int ncid, int *ntypes, int *typeids)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (ntypes != NULL)
        *ntypes = (int)c.g->ntypes;
    for (size_t i = 0; typeids != NULL && i < c.g->ntypes; i++)
        typeids[i] = c.g->types[i]->node.id;
    return ncz_call_leave(&c, rc);
}
