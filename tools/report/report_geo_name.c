/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_geo_name.c: which variables say where on Earth a map is: latitudes and longitudes of its two dimensions, each
 * or both; or projected coordinates with a grid mapping.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <stdlib.h>
#include <string.h>

/* ---- latitudes and longitudes of both dimensions --------------------------------------------------------------- */

/* The variable's last two dimensions are these, and those before it are the other variable's, too. */
static bool
has_plane(const dump_var *v, int y, int x, int grp, int varid)
{
    int ndims, dims[NC_MAX_VAR_DIMS], common = 0;

    if (nc_inq_varndims(grp, varid, &ndims) != NC_NOERR || ndims < 2 || ndims > v->ndims ||
        nc_inq_vardimid(grp, varid, dims) != NC_NOERR || dims[ndims - 2] != v->dims[y] ||
        dims[ndims - 1] != v->dims[x])
        return false;
    for (int i = 0; i + 2 < ndims; i++)
        for (int j = 0; j < v->ndims; j++)
            common += dims[i] == v->dims[j];
    return common == ndims - 2;
}

typedef struct pair {
    int lat_grp, lat, lon_grp, lon; /* variables; -1: not found */
} pair;

static void
take_if_plane(const dump_var *v, int y, int x, int grp, int varid, pair *found)
{
    if (!has_plane(v, y, x, grp, varid))
        return;
    if (found->lat < 0 && coord_is_latitude(grp, varid)) {
        found->lat_grp = grp;
        found->lat = varid;
    } else if (found->lon < 0 && coord_is_longitude(grp, varid)) {
        found->lon_grp = grp;
        found->lon = varid;
    }
}

static int
root_of(int grp)
{
    while (nc_inq_grp_parent(grp, &grp) == NC_NOERR)
        continue;
    return grp;
}

static void
take_from_group(const dump_var *v, int y, int x, int grp, pair *found)
{
    id_list vars;

    if (id_list_vars(grp, &vars) == NC_NOERR)
        for (int i = 0; i < vars.n && (found->lat < 0 || found->lon < 0); i++)
            take_if_plane(v, y, x, grp, vars.id[i], found);
    id_list_clear(&vars);
}

/* The first group below that has both, as satellites' files have them in navigation_data or geolocation. */
static bool
find_in_groups(const dump_var *v, int y, int x, int grp, pair *found)
{
    id_list grps;
    bool    both;

    *found = (pair){.lat = -1, .lon = -1};
    take_from_group(v, y, x, grp, found);
    both = found->lat >= 0 && found->lon >= 0;
    if (!both && id_list_groups(grp, &grps) == NC_NOERR) {
        for (int i = 0; i < grps.n && !both; i++)
            both = find_in_groups(v, y, x, grps.id[i], found);
        id_list_clear(&grps);
    }
    return both;
}

/* Those that the attribute `coordinates` names, then any with these dimensions, such as WRF's XLAT and XLONG: of the
 * group, of those outward, of all. */
static bool
find_planes(const dump_var *v, int y, int x, pair *found)
{
    dump_att a;
    int      grp, varid;

    *found = (pair){.lat = -1, .lon = -1};
    if (dump_att_load_named(v->grp, v->id, "coordinates", &a) == NC_NOERR && a.type == NC_CHAR && a.val != NULL)
        for (const char *s = a.val; *(s += strspn(s, " \t\n")) != '\0'; s += strcspn(s, " \t\n"))
            if (report_find_var(v->grp, s, strcspn(s, " \t\n"), &grp, &varid))
                take_if_plane(v, y, x, grp, varid, found);
    dump_att_clear(&a);
    grp = v->grp;
    do {
        take_from_group(v, y, x, grp, found);
    } while ((found->lat < 0 || found->lon < 0) && nc_inq_grp_parent(grp, &grp) == NC_NOERR);
    return (found->lat >= 0 && found->lon >= 0) || find_in_groups(v, y, x, root_of(v->grp), found);
}

/* ---- others ---------------------------------------------------------------------------------------------------- */

static bool
is_latitude_along(const void *dimid, int grp, int varid)
{
    return report_is_along(grp, varid, *(const int *)dimid) && coord_is_latitude(grp, varid);
}

static bool
is_longitude_along(const void *dimid, int grp, int varid)
{
    return report_is_along(grp, varid, *(const int *)dimid) && coord_is_longitude(grp, varid);
}

static bool
find_axes(const dump_var *v, int y, int x, pair *found)
{
    return report_find_outward(v, is_latitude_along, &v->dims[y], &found->lat_grp, &found->lat) &&
           report_find_outward(v, is_longitude_along, &v->dims[x], &found->lon_grp, &found->lon);
}

/* The variable that `grid_mapping` names: "crs", or "crs: x y", of which the first counts. */
static bool
find_mapping(const dump_var *v, report_geo *g)
{
    char             *text = coord_text_att(v->grp, v->id, "grid_mapping");
    report_projection of;
    bool              found = text != NULL;
    size_t            n = 0;

    if (found) {
        n = strcspn(text, ": \t\n");
        found = report_find_var(v->grp, text, n, &g->map_grp, &g->map_id) &&
                report_projection_load(g->map_grp, g->map_id, &of);
    }
    free(text);
    return found;
}

bool
report_geo_name(const dump_var *v, int y, int x, report_geo *g)
{
    pair vars;

    *g = (report_geo){.ny = v->shape[y], .nx = v->shape[x]};
    if (v->dims[y] < 0)
        return report_mesh_name(v, g);
    if (!find_axes(v, y, x, &vars)) {
        g->plane = true;
        g->projected = !find_planes(v, y, x, &vars);
        if (g->projected && (!find_mapping(v, g) || !report_find_coordinate(v, y, &vars.lat_grp, &vars.lat) ||
                             !report_find_coordinate(v, x, &vars.lon_grp, &vars.lon)))
            return false;
    }
    g->lat_grp = vars.lat_grp;
    g->lat_id = vars.lat;
    g->lon_grp = vars.lon_grp;
    g->lon_id = vars.lon;
    return true;
}
