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

/* Latitudes or longitudes of a map. */
typedef struct plane {
    const dump_var *v;
    int             y, x;
    bool            latitude;
} plane;

static bool
is_plane(const void *arg, int grp, int varid)
{
    const plane *p = arg;

    return has_plane(p->v, p->y, p->x, grp, varid) &&
           (p->latitude ? coord_is_latitude(grp, varid) : coord_is_longitude(grp, varid));
}

/* The first group below that has both, as satellites' files have them in navigation_data or geolocation. */
static bool
find_below(const plane *lat, const plane *lon, int grp, report_geo *g)
{
    id_list grps;
    bool    both = report_find_in_group(NULL, grp, is_plane, lat, &g->lat_id) &&
                report_find_in_group(NULL, grp, is_plane, lon, &g->lon_id);

    g->lat_grp = g->lon_grp = grp;
    if (!both && id_list_groups(grp, &grps) == NC_NOERR) {
        for (int i = 0; i < grps.n && !both; i++)
            both = find_below(lat, lon, grps.id[i], g);
        id_list_clear(&grps);
    }
    return both;
}

static bool
find_one(const plane *p, int *grp, int *varid)
{
    if (report_find_listed(p->v->grp, p->v->id, "coordinates", is_plane, p, grp, varid))
        return true;
    *grp = p->v->grp;
    do {
        if (report_find_in_group(NULL, *grp, is_plane, p, varid))
            return true;
    } while (nc_inq_grp_parent(*grp, grp) == NC_NOERR);
    return false;
}

/* Those that the attribute `coordinates` names, then any with these dimensions, such as WRF's XLAT and XLONG: of the
 * group, of those outward, of all. */
static bool
find_planes(const dump_var *v, int y, int x, report_geo *g)
{
    const plane lat = {.v = v, .y = y, .x = x, .latitude = true}, lon = {.v = v, .y = y, .x = x};
    int         root = v->grp;

    while (nc_inq_grp_parent(root, &root) == NC_NOERR)
        continue;
    return (find_one(&lat, &g->lat_grp, &g->lat_id) && find_one(&lon, &g->lon_grp, &g->lon_id)) ||
           find_below(&lat, &lon, root, g);
}

/* ---- others ---------------------------------------------------------------------------------------------------- */

static bool
find_axes(const dump_var *v, int y, int x, report_geo *g)
{
    return report_find_latitude(v, v->dims[y], &g->lat_grp, &g->lat_id) &&
           report_find_longitude(v, v->dims[x], &g->lon_grp, &g->lon_id);
}

static bool
is_known_mapping(const void *arg, int grp, int varid)
{
    report_projection of;

    (void)arg;
    return report_projection_load(grp, varid, &of);
}

bool
report_geo_name(const dump_var *v, int y, int x, report_geo *g)
{
    *g = (report_geo){.ny = v->shape[y], .nx = v->shape[x]};
    if (v->dims[y] < 0)
        return report_mesh_name(v, g);
    if (find_axes(v, y, x, g))
        return true;
    g->plane = true;
    if (find_planes(v, y, x, g))
        return true;
    g->projected = true; /* grid_mapping: "crs", or "crs: x y" */
    return report_find_listed(v->grp, v->id, "grid_mapping", is_known_mapping, NULL, &g->map_grp, &g->map_id) &&
           report_find_coordinate(v, y, &g->lat_grp, &g->lat_id) &&
           report_find_coordinate(v, x, &g->lon_grp, &g->lon_id);
}
