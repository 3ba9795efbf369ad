/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_var_inq: inquiries about a variable.
 */
#include "api/api_int.h"

#include <string.h>

int
nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (varid == NC_GLOBAL && nattsp != NULL) { /* netCDF-C gives this number, and leaves the rest as it is */
        *nattsp = ncz_api_count_atts(&c, &c.g->atts);
        return ncz_call_leave(&c, NC_NOERR);
    }
    if ((rc = ncz_call_find_var(&c, varid, &v)) != NC_NOERR || (rc = ncz_api_give_name(v->name, name)) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if (xtypep != NULL)
        *xtypep = v->type->id;
    if (ndimsp != NULL)
        *ndimsp = (int)v->rank;
    for (size_t d = 0; dimidsp != NULL && d < v->rank; d++)
        dimidsp[d] = v->dims[d]->id;
    if (nattsp != NULL)
        *nattsp = ncz_api_count_atts(&c, &v->atts);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_varid(int ncid, const char *name, int *varidp)
{
    ncz_call       c;
    const ncz_var *v;
    char          *own = NULL;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_lookup_name(name, &own)) == NC_NOERR) {
        if ((v = ncz_group_find_var(c.g, own)) == NULL)
            rc = ncz_fail(strlen(name) > NC_MAX_NAME ? NC_EMAXNAME : NC_ENOTVAR, "there is no variable '%s'", own);
        else if (varidp != NULL)
            *varidp = v->id;
    }
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_varname(int ncid, int varid, char *name)
{
    return nc_inq_var(ncid, varid, name, NULL, NULL, NULL, NULL);
}

int
nc_inq_vartype(int ncid, int varid, nc_type *xtypep)
{
    return nc_inq_var(ncid, varid, NULL, xtypep, NULL, NULL, NULL);
}

int
nc_inq_varndims(int ncid, int varid, int *ndimsp)
{
    return nc_inq_var(ncid, varid, NULL, NULL, ndimsp, NULL, NULL);
}

int
nc_inq_vardimid(int ncid, int varid, int *dimidsp)
{
    return nc_inq_var(ncid, varid, NULL, NULL, NULL, dimidsp, NULL);
}

int
nc_inq_varnatts(int ncid, int varid, int *nattsp)
{
    if (varid == NC_GLOBAL)
        return nc_inq_natts(ncid, nattsp);
    return nc_inq_var(ncid, varid, NULL, NULL, NULL, NULL, nattsp);
}
