/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_box.c: a box of the Earth as ranges of dimensions, in each group: by coordinate variables of latitudes and
 * longitudes, or by pairs of such variables on the same dimensions, as grids of models and swaths have them: there the
 * smallest range of each dimension that holds all points in the box. Of points, such as stations, all that are in it.
 */
#include "common/hyperslab_int.h"

#include "common/coord_role.h"
#include "common/error_text.h"
#include "common/group_tree.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/value_meaning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_MOST = 8 };

typedef struct box {
    hyperslab             *h;
    const hyperslab_limit *l;
    bool                   found;
    char                  *why;
} box;

/* A latitude and the longitude on the same dimensions. */
typedef struct plane {
    int           grp, lat, lon, rank;
    int           dims[RANK_MOST];
    size_t        ny, nx;   /* ny: 1 of points */
    value_meaning means[2]; /* of latitudes and longitudes, once they are read; */
    double        degrees[2];
} plane;

static int
fail_call(const box *b, int rc)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, NULL, text);
    (void)snprintf(b->why, HYPERSLAB_WHY_SIZE, "%s: %.400s", b->l->text, text);
    return rc;
}

/* ---- coordinate variables ---- */

static int
take_values(box *b, int grp, int dimid, double first, double last)
{
    hyperslab_limit values = {.text = b->l->text,
                              .stride = 1,
                              .by_value = true,
                              .is_box = true,
                              .first = {.given = true, .value = first},
                              .last = {.given = true, .value = last}};
    size_t          len, from, to;
    int             rc = nc_inq_dimlen(grp, dimid, &len);

    if (rc != NC_NOERR)
        return fail_call(b, rc);
    if ((rc = hyperslab_find_values(&values, grp, dimid, &from, &to, b->why)) != NC_NOERR)
        return rc;
    b->found = true;
    return hyperslab_take_range(b->h, b->l, dimid, len, from, to, b->why);
}

static int
take_if_coordinate(box *b, int grp, int varid)
{
    int  rank, dimid, coordinate;
    bool latitude = coord_is_latitude(grp, varid);

    if ((!latitude && !coord_is_longitude(grp, varid)) || nc_inq_varndims(grp, varid, &rank) != NC_NOERR ||
        rank != 1 || nc_inq_vardimid(grp, varid, &dimid) != NC_NOERR ||
        !hyperslab_find_coordinate(grp, dimid, false, &coordinate) || coordinate != varid)
        return NC_NOERR;
    return latitude ? take_values(b, grp, dimid, b->l->south, b->l->north)
                    : take_values(b, grp, dimid, b->l->first.value, b->l->last.value);
}

/* ---- pairs ---- */

/* What an attribute of another variable names as the bounds of its cells is no coordinate. */
static bool
is_bounds(int grp, const id_list *vars, int varid)
{
    char name[NC_MAX_NAME + 1];
    bool is = false;

    if (nc_inq_varname(grp, varid, name) != NC_NOERR)
        return false;
    for (int i = 0; i < vars->n && !is; i++) {
        char *bounds = coord_text_att(grp, vars->id[i], "bounds");

        is = bounds != NULL && strcmp(bounds, name) == 0;
        free(bounds);
    }
    return is;
}

/* The longitude on the dimensions of a latitude. */
static bool
find_longitude(plane *p, const id_list *vars)
{
    int rank, dims[RANK_MOST];

    for (int i = 0; i < vars->n; i++)
        if (nc_inq_varndims(p->grp, vars->id[i], &rank) == NC_NOERR && rank == p->rank &&
            nc_inq_vardimid(p->grp, vars->id[i], dims) == NC_NOERR &&
            memcmp(dims, p->dims, (size_t)rank * sizeof *dims) == 0 && coord_is_longitude(p->grp, vars->id[i])) {
            p->lon = vars->id[i];
            return true;
        }
    return false;
}

static bool
load_plane(int grp, int varid, const id_list *vars, plane *p)
{
    *p = (plane){.grp = grp, .lat = varid, .ny = 1};
    if (nc_inq_varndims(grp, varid, &p->rank) != NC_NOERR || p->rank < 1 || p->rank > RANK_MOST ||
        !coord_is_latitude(grp, varid) || nc_inq_vardimid(grp, varid, p->dims) != NC_NOERR ||
        nc_inq_dimlen(grp, p->dims[p->rank - 1], &p->nx) != NC_NOERR ||
        (p->rank > 1 && nc_inq_dimlen(grp, p->dims[p->rank - 2], &p->ny) != NC_NOERR) || is_bounds(grp, vars, varid))
        return false;
    return find_longitude(p, vars);
}

static bool
is_inside(const hyperslab_limit *l, double lat, double lon)
{
    double width = l->last.value - l->first.value, east = fmod(lon - l->first.value, 360);

    east += east < 0 ? 360 : 0;
    width += width < 0 ? 360 : 0;
    return lat >= l->south && lat <= l->north && fabs(lon) <= 720 && (width >= 360 || east <= width);
}

/* Degrees; a missing value is NaN, which is inside of nothing. */
static int
read_row(const plane *p, int which, const size_t *start, const size_t *count, double *out)
{
    const value_meaning *means = &p->means[which];
    char                *raw = memory_alloc(p->nx, sizeof(double));
    int                  rc = nc_get_vara(p->grp, which == 0 ? p->lat : p->lon, start, count, raw);

    for (size_t x = 0; rc == NC_NOERR && x < p->nx; x++)
        out[x] = value_meaning_shown(means, raw + x * value_meaning_bytes(means)) * p->degrees[which];
    free(raw);
    return rc;
}

/* Which columns of a row are inside: those are marked. *any: some are. Dimensions before the last two are at 0. */
static int
scan_row(const box *b, const plane *p, size_t y, double *row, bool *inside, bool *any)
{
    size_t start[RANK_MOST] = {0}, count[RANK_MOST];
    int    rc;

    for (int d = 0; d < p->rank; d++)
        count[d] = d == p->rank - 1 ? p->nx : 1;
    if (p->rank > 1)
        start[p->rank - 2] = y;
    if ((rc = read_row(p, 0, start, count, row)) != NC_NOERR ||
        (rc = read_row(p, 1, start, count, row + p->nx)) != NC_NOERR)
        return rc;
    *any = false;
    for (size_t x = 0; x < p->nx; x++)
        if (is_inside(b->l, row[x], row[p->nx + x]))
            *any = inside[x] = true;
    return NC_NOERR;
}

/* Does the last column lie beside the first one, or over it? `row`: latitudes, then longitudes. */
static bool
goes_round(const plane *p, const double *row)
{
    const double *lon = row + p->nx;
    double        step = p->nx > 2 ? fabs(remainder(lon[1] - lon[0], 360)) : 0;

    return step > 0 && fabs(remainder(lon[0] - lon[p->nx - 1], 360)) <= 1.5 * step;
}

/* From the first to the last column inside. Where a grid that goes round the Earth begins within the box, the columns
 * at both of its ends are inside: then from the end of the widest gap, around the end of the dimension. */
static void
find_columns(const bool *inside, size_t n, bool round, size_t x[2])
{
    size_t widest = 0, gap = 0;

    for (x[0] = 0; !inside[x[0]];)
        x[0]++;
    for (x[1] = n - 1; !inside[x[1]];)
        x[1]--;
    for (size_t i = 0; i < n && round && inside[0] && inside[n - 1]; i++) {
        gap = inside[i] ? 0 : gap + 1;
        if (gap > widest) {
            widest = gap;
            x[0] = i + 1;
            x[1] = i - gap;
        }
    }
}

/* What is taken. `rows`: SIZE_MAX first if nothing is. */
static int
take_found(box *b, const plane *p, const size_t rows[2], const bool *inside, bool round)
{
    char   lat[NC_MAX_NAME + 1] = "", lon[NC_MAX_NAME + 1] = "";
    size_t columns[2], n = 0;
    int    rc;

    (void)nc_inq_varname(p->grp, p->lat, lat);
    (void)nc_inq_varname(p->grp, p->lon, lon);
    if (rows[0] == SIZE_MAX) {
        (void)snprintf(b->why, HYPERSLAB_WHY_SIZE, "%s: no point of %.100s and %.100s is in it", b->l->text, lat,
                       lon);
        return NC_EINVAL;
    }
    if (p->rank == 1) {
        for (size_t x = 0; x < p->nx; x++)
            n += inside[x];
        message_print("%s: by %s and %s: %zu of %zu points", b->l->text, lat, lon, n, p->nx);
        return hyperslab_take_marked(b->h, b->l, p->dims[0], inside, p->nx, b->why);
    }
    find_columns(inside, p->nx, round, columns);
    message_print("%s: by %s and %s: rows %zu to %zu of %zu, columns %zu to %zu of %zu", b->l->text, lat, lon,
                  rows[0], rows[1], p->ny, columns[0], columns[1], p->nx);
    rc = hyperslab_take_range(b->h, b->l, p->dims[p->rank - 2], p->ny, rows[0], rows[1], b->why);
    if (rc == NC_NOERR)
        rc = hyperslab_take_range(b->h, b->l, p->dims[p->rank - 1], p->nx, columns[0], columns[1], b->why);
    return rc;
}

static int
take_plane(box *b, plane *p)
{
    double *row = memory_alloc(2 * p->nx + 1, sizeof *row);
    bool   *inside = memory_alloc(p->nx + 1, sizeof *inside), any = false, round = false;
    size_t  rows[2] = {SIZE_MAX, 0};
    int     rc;

    value_meaning_load(p->grp, p->lat, &p->means[0]);
    value_meaning_load(p->grp, p->lon, &p->means[1]);
    p->degrees[0] = coord_degrees_in_unit(p->grp, p->lat);
    p->degrees[1] = coord_degrees_in_unit(p->grp, p->lon);
    rc = value_meaning_bytes(&p->means[0]) == 0 || value_meaning_bytes(&p->means[1]) == 0 ? NC_ECHAR : NC_NOERR;
    for (size_t y = 0; rc == NC_NOERR && y < p->ny && p->nx > 0; y++) {
        rc = scan_row(b, p, y, row, inside, &any);
        round = round || goes_round(p, row);
        if (rc == NC_NOERR && any) {
            rows[0] = rows[0] == SIZE_MAX ? y : rows[0];
            rows[1] = y;
        }
    }
    rc = rc != NC_NOERR ? fail_call(b, rc) : take_found(b, p, rows, inside, round);
    value_meaning_clear(&p->means[0]);
    value_meaning_clear(&p->means[1]);
    free(row);
    free(inside);
    return rc;
}

/* Dimensions that the box has ranges of already, from their coordinate variables or another pair. */
static bool
is_taken(const box *b, const plane *p)
{
    for (int d = p->rank > 1 ? p->rank - 2 : 0; d < p->rank; d++)
        for (size_t i = 0; i < b->h->n; i++)
            if (b->h->dims[i].dimid == p->dims[d] && b->h->dims[i].first_limit == b->l)
                return true;
    return false;
}

/* ---- groups ---- */

static bool
is_mesh(int grp, const id_list *vars)
{
    bool is = false;

    for (int i = 0; i < vars->n && !is; i++) {
        char *role = coord_text_att(grp, vars->id[i], "cf_role");

        is = role != NULL && strcmp(role, "mesh_topology") == 0;
        free(role);
    }
    return is;
}

static int
take_group_vars(box *b, int grp, const id_list *vars)
{
    plane p;
    int   rc = NC_NOERR;

    if (is_mesh(grp, vars)) {
        (void)snprintf(b->why, HYPERSLAB_WHY_SIZE, "%s: a part of a mesh (UGRID) cannot be taken", b->l->text);
        return NC_EINVAL;
    }
    for (int i = 0; rc == NC_NOERR && i < vars->n; i++)
        rc = take_if_coordinate(b, grp, vars->id[i]);
    for (int i = 0; rc == NC_NOERR && i < vars->n; i++)
        if (load_plane(grp, vars->id[i], vars, &p) && !is_taken(b, &p)) {
            b->found = true;
            rc = take_plane(b, &p);
        }
    return rc;
}

static int
take_groups(box *b, int root)
{
    tree_list groups;
    id_list   vars;
    int       rc = tree_list_load(root, TREE_GROUPS, &groups);

    if (rc != NC_NOERR)
        (void)fail_call(b, rc);
    for (size_t i = 0; rc == NC_NOERR && i < groups.n; i++) {
        if ((rc = id_list_vars(groups.v[i].grp, &vars)) != NC_NOERR)
            (void)fail_call(b, rc);
        else
            rc = take_group_vars(b, groups.v[i].grp, &vars);
        id_list_clear(&vars);
    }
    tree_list_clear(&groups);
    return rc;
}

int
hyperslab_take_box(hyperslab *h, const hyperslab_limit *l, int root, char why[HYPERSLAB_WHY_SIZE])
{
    box b = {.h = h, .l = l, .why = why};
    int rc = take_groups(&b, root);

    if (rc != NC_NOERR || b.found)
        return rc;
    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: no coordinates have the units degrees_north and degrees_east",
                   l->text);
    return NC_EINVAL;
}
