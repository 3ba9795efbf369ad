/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_roles.c: which variables say where and when, and which are data.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <stdlib.h>
#include <string.h>

static void
add_coordinate(report_page *p, int grp, int varid)
{
    dump_var_id *more;

    if ((p->ncoords & (p->ncoords - 1)) == 0) { /* room for twice as many, whenever their number is a power of 2 */
        more = realloc(p->coords, (p->ncoords > 0 ? 2 * p->ncoords : 1) * sizeof *more);
        p->coords = memory_need(more);
    }
    p->coords[p->ncoords++] = (dump_var_id){.ncid = grp, .varid = varid};
}

static bool
take_coordinate(const void *arg, int grp, int varid)
{
    add_coordinate(*(report_page *const *)arg, grp, varid);
    return false; /* there may be more */
}

/* All variables whose names the attribute lists. */
static void
add_named(report_page *p, int grp, int varid, const char *att)
{
    int found_grp, found;

    (void)report_find_listed(grp, varid, att, take_coordinate, &p, &found_grp, &found);
}

/* Of one dimension, whose name it has. */
static bool
has_name_of_dim(int grp, int varid)
{
    char name[NC_MAX_NAME + 1], dim[NC_MAX_NAME + 1];
    int  ndims, dimid;

    return nc_inq_varndims(grp, varid, &ndims) == NC_NOERR && ndims == 1 &&
           nc_inq_vardimid(grp, varid, &dimid) == NC_NOERR && nc_inq_varname(grp, varid, name) == NC_NOERR &&
           nc_inq_dimname(grp, dimid, dim) == NC_NOERR && strcmp(name, dim) == 0;
}

static void
look_at_group(report_page *p, int grp)
{
    static const char *const lists[] = {"coordinates", "bounds", "climatology", "grid_mapping"};
    id_list                  vars, grps;
    int                      dimid;

    add_named(p, grp, NC_GLOBAL, "coordinates"); /* as xarray writes those that no variable names */
    if (id_list_vars(grp, &vars) == NC_NOERR)
        for (int i = 0; i < vars.n; i++) {
            if (has_name_of_dim(grp, vars.id[i]) || report_is_names(grp, vars.id[i], &dimid) ||
                coord_is_latitude(grp, vars.id[i]) || coord_is_longitude(grp, vars.id[i]) ||
                nc_inq_attid(grp, vars.id[i], "axis", NULL) == NC_NOERR ||
                nc_inq_attid(grp, vars.id[i], "cf_role", NULL) == NC_NOERR)
                add_coordinate(p, grp, vars.id[i]);
            for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
                add_named(p, grp, vars.id[i], lists[k]);
        }
    id_list_clear(&vars);
    if (id_list_groups(grp, &grps) == NC_NOERR)
        for (int i = 0; i < grps.n; i++)
            look_at_group(p, grps.id[i]);
    id_list_clear(&grps);
}

static int
compare_ids(const void *a, const void *b)
{
    const dump_var_id *x = a, *y = b;

    return x->ncid != y->ncid ? (x->ncid > y->ncid) - (x->ncid < y->ncid)
                              : (x->varid > y->varid) - (x->varid < y->varid);
}

void
report_coordinates_load(report_page *p)
{
    look_at_group(p, p->d.root);
    if (p->ncoords > 1)
        qsort(p->coords, p->ncoords, sizeof *p->coords, compare_ids);
}

bool
report_is_coordinate(const report_page *p, int grp, int varid)
{
    const dump_var_id id = {.ncid = grp, .varid = varid};

    return p->ncoords > 0 && bsearch(&id, p->coords, p->ncoords, sizeof id, compare_ids) != NULL;
}

/* Two or four values for each cell; another variable's attribute names it. */
bool
report_is_bounds(int grp, int varid)
{
    char    name[NC_MAX_NAME + 1] = "";
    id_list vars;
    bool    found = false;

    (void)nc_inq_varname(grp, varid, name);
    if (id_list_vars(grp, &vars) == NC_NOERR)
        for (int i = 0; i < vars.n && !found; i++)
            found = report_att_has_word(grp, vars.id[i], "bounds", name) ||
                    report_att_has_word(grp, vars.id[i], "climatology", name);
    id_list_clear(&vars);
    return found;
}
