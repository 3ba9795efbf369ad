/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_mesh.c: variables on the faces or nodes of an unstructured mesh, as a map: the face that each cell of a grid
 * of latitudes and longitudes lies in. A value at nodes gives each face the mean of its nodes. The mesh is one of
 * UGRID, or cells whose latitudes and longitudes have bounds, as ICON writes them: each has nodes of its own.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)1 << 25) /* nodes, and nodes of all faces */

enum { SIDE = 480, CORNERS = 64 };

/* ---- which it is ------------------------------------------------------------------------------------------------ */

/* What says where the nodes are. */
typedef struct source {
    int grp, id;         /* UGRID's mesh; or the latitudes of cells with bounds (CF 7.1), */
    int lon_grp, lon_id; /* and their longitudes; of a mesh lon_id is -1 */
} source;

static bool
find_named(int grp, int varid, const char *att, int *found_grp, int *found)
{
    char *name = coord_text_att(grp, varid, att);
    bool  has = name != NULL && report_find_var(grp, name, strlen(name), found_grp, found);

    free(name);
    return has;
}

/* Latitudes and longitudes along the variable's last dimension, both with bounds. `v` may be a view of it. */
static bool
find_cells(const dump_var *v, source *of)
{
    int ndims, dims[NC_MAX_VAR_DIMS], grp, bounds;

    return nc_inq_varndims(v->grp, v->id, &ndims) == NC_NOERR && ndims > 0 &&
           nc_inq_vardimid(v->grp, v->id, dims) == NC_NOERR &&
           report_find_latitude(v, dims[ndims - 1], &of->grp, &of->id) &&
           report_find_longitude(v, dims[ndims - 1], &of->lon_grp, &of->lon_id) &&
           find_named(of->grp, of->id, "bounds", &grp, &bounds) &&
           find_named(of->lon_grp, of->lon_id, "bounds", &grp, &bounds);
}

static bool
find_source(const dump_var *v, source *of)
{
    *of = (source){.lon_id = -1};
    return find_named(v->grp, v->id, "mesh", &of->grp, &of->id) || find_cells(v, of);
}

/* ---- the topology ---------------------------------------------------------------------------------------------- */

typedef struct topology {
    double *lat, *lon;
    size_t  nnodes, corners; /* of each cell with bounds; 0: of a mesh */
} topology;

/* All values of a variable of one or two dimensions, whose lengths are in len. NULL: it has others, or too many. */
static double *
read_all(int grp, int varid, int rank, size_t len[2])
{
    int     ndims, dims[2];
    double *value;

    len[1] = 1;
    if (nc_inq_varndims(grp, varid, &ndims) != NC_NOERR || ndims != rank ||
        nc_inq_vardimid(grp, varid, dims) != NC_NOERR)
        return NULL;
    for (int i = 0; i < rank; i++)
        if (nc_inq_dimlen(grp, dims[i], &len[i]) != NC_NOERR || len[i] == 0 || len[i] > MOST)
            return NULL;
    if (len[0] > MOST / len[1])
        return NULL;
    value = memory_alloc(len[0] * len[1], sizeof *value);
    if (nc_get_var_double(grp, varid, value) == NC_NOERR)
        return value;
    free(value);
    return NULL;
}

static void
clear_topology(topology *t)
{
    free(t->lat);
    free(t->lon);
    *t = (topology){.nnodes = 0};
}

static bool
is_latitude(const void *arg, int grp, int varid)
{
    (void)arg;
    return coord_is_latitude(grp, varid);
}

static bool
is_longitude(const void *arg, int grp, int varid)
{
    (void)arg;
    return coord_is_longitude(grp, varid);
}

/* By the two variables that `node_coordinates` names. */
static void
load_mesh_nodes(int grp, int varid, topology *t)
{
    static const char list[] = "node_coordinates";
    size_t            nlat[2] = {0}, nlon[2] = {0};
    int               found_grp, found;

    if (report_find_listed(grp, varid, list, is_latitude, NULL, &found_grp, &found))
        t->lat = read_all(found_grp, found, 1, nlat);
    if (report_find_listed(grp, varid, list, is_longitude, NULL, &found_grp, &found))
        t->lon = read_all(found_grp, found, 1, nlon);
    t->nnodes = nlat[0] == nlon[0] ? nlat[0] : 0;
}

/* The corners of all cells, in degrees: their unit is that of the middles, as CF says. */
static double *
load_bounds(int grp, int varid, size_t len[2])
{
    int     bounds_grp, bounds;
    double *value =
        find_named(grp, varid, "bounds", &bounds_grp, &bounds) ? read_all(bounds_grp, bounds, 2, len) : NULL;
    double degrees = coord_degrees_in_unit(grp, varid);

    for (size_t i = 0; value != NULL && i < len[0] * len[1]; i++)
        value[i] *= degrees;
    return value;
}

static void
load_corners(const source *of, topology *t)
{
    size_t lat[2] = {0, 0}, lon[2] = {0, 0};

    t->lat = load_bounds(of->grp, of->id, lat);
    t->lon = load_bounds(of->lon_grp, of->lon_id, lon);
    t->nnodes = lat[0] == lon[0] && lat[1] == lon[1] ? lat[0] * lat[1] : 0;
    t->corners = lat[1];
}

static bool
load_nodes(const source *of, topology *t)
{
    *t = (topology){.nnodes = 0};
    if (of->lon_id < 0)
        load_mesh_nodes(of->grp, of->id, t);
    else
        load_corners(of, t);
    if (t->lat != NULL && t->lon != NULL && t->nnodes > 0)
        return true;
    clear_topology(t);
    return false;
}

/* South, north, west, east. False: there is no node, or they lie in one place. */
static bool
find_region(const topology *t, double region[4])
{
    double range[2];

    region[0] = region[2] = INFINITY;
    region[1] = region[3] = -INFINITY;
    for (size_t i = 0; i < t->nnodes; i++) {
        if (!(fabs(t->lat[i]) <= 90.001) || !(fabs(t->lon[i]) <= 720))
            continue;
        region[0] = fmin(region[0], t->lat[i]);
        region[1] = fmax(region[1], t->lat[i]);
        region[2] = fmin(region[2], t->lon[i]);
        region[3] = fmax(region[3], t->lon[i]);
    }
    report_longitudes(t->lon, t->nnodes, range);
    if (region[3] - region[2] > 180 && range[1] - range[0] <= 270) { /* over the meridian where longitudes jump */
        region[2] = range[0];
        region[3] = range[1];
    }
    region[3] = fmin(region[3], region[2] + 360);
    return region[1] > region[0] && region[3] > region[2];
}

/* The nodes of each face, from 0, or SIZE_MAX. `face_dim` -1: the first dimension of the variable is that of faces. */
static bool
load_connectivity(int grp, int varid, size_t nnodes, int face_dim, report_mesh *m)
{
    double *raw = NULL, start = 0;
    size_t  len[2];
    int     found_grp, found, dims[2];
    bool    turned = false;

    if (find_named(grp, varid, "face_node_connectivity", &found_grp, &found))
        raw = read_all(found_grp, found, 2, len);
    if (raw == NULL)
        return false;
    (void)nc_get_att_double(found_grp, found, "start_index", &start);
    (void)nc_inq_vardimid(found_grp, found, dims);
    turned = face_dim >= 0 ? dims[1] == face_dim : false;
    m->nfaces = turned ? len[1] : len[0];
    m->corners = turned ? len[0] : len[1];
    m->node = memory_alloc(m->nfaces * m->corners, sizeof *m->node);
    for (size_t i = 0; i < m->nfaces * m->corners; i++) {
        size_t face = i / m->corners, k = i % m->corners;
        double node = (turned ? raw[k * m->nfaces + face] : raw[i]) - start;

        m->node[i] = node >= 0 && node < (double)nnodes ? (size_t)node : SIZE_MAX;
    }
    free(raw);
    return true;
}

static bool
load_faces(const source *of, const topology *t, int face_dim, report_mesh *m)
{
    if (of->lon_id >= 0) {
        m->corners = t->corners;
        m->nfaces = t->nnodes / t->corners;
        m->node = memory_alloc(t->nnodes, sizeof *m->node);
        for (size_t i = 0; i < t->nnodes; i++)
            m->node[i] = i;
    } else if (!load_connectivity(of->grp, of->id, t->nnodes, face_dim, m)) {
        return false;
    }
    return m->corners >= 3 && m->corners <= CORNERS;
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */

typedef struct polygon {
    size_t n;
    double x[CORNERS], y[CORNERS]; /* in cells */
} polygon;

/* Longitudes are without a jump, from that of the first node. */
static void
load_polygon(const report_mesh *m, const topology *t, const double region[4], size_t face, polygon *p)
{
    double first = NAN;

    p->n = 0;
    for (size_t k = 0; k < m->corners; k++) {
        size_t node = m->node[face * m->corners + k];
        double lon;

        if (node == SIZE_MAX || !isfinite(t->lat[node]) || !isfinite(t->lon[node]))
            continue;
        lon = p->n > 0 ? t->lon[node] + 360 * round((first - t->lon[node]) / 360) : t->lon[node];
        first = p->n > 0 ? first : lon;
        p->x[p->n] = (lon - region[2]) / (region[3] - region[2]) * (double)m->cols;
        p->y[p->n++] = (t->lat[node] - region[0]) / (region[1] - region[0]) * (double)m->rows;
    }
}

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The cells of a row whose middles lie inside. */
static void
fill_row(report_mesh *m, const polygon *p, size_t row, size_t face)
{
    double at[CORNERS], y = (double)row + 0.5;
    size_t n = 0;

    for (size_t i = 0, j = p->n - 1; i < p->n; j = i++)
        if ((p->y[i] > y) != (p->y[j] > y))
            at[n++] = p->x[j] + (y - p->y[j]) / (p->y[i] - p->y[j]) * (p->x[i] - p->x[j]);
    qsort(at, n, sizeof *at, compare_numbers);
    for (size_t i = 0; i + 1 < n; i += 2) {
        double from = fmax(ceil(at[i] - 0.5), 0), end = fmin(ceil(at[i + 1] - 0.5), (double)m->cols);

        for (double x = from; x < end; x++)
            m->face[row * m->cols + (size_t)x] = face;
    }
}

/* Also one that is smaller than a cell has the cell that its middle lies in, if that is free. */
static void
fill_polygon(report_mesh *m, const polygon *p, size_t face)
{
    double low = INFINITY, high = -INFINITY, x = 0, y = 0;

    for (size_t i = 0; i < p->n; i++) {
        low = fmin(low, p->y[i]);
        high = fmax(high, p->y[i]);
        x += p->x[i] / (double)p->n;
        y += p->y[i] / (double)p->n;
    }
    if (p->n < 3)
        return;
    for (double row = fmax(floor(low), 0); row < fmin(ceil(high), (double)m->rows); row++)
        fill_row(m, p, (size_t)row, face);
    if (x >= 0 && y >= 0 && x < (double)m->cols && y < (double)m->rows) {
        size_t *cell = &m->face[(size_t)y * m->cols + (size_t)x];

        *cell = *cell == SIZE_MAX ? face : *cell;
    }
}

static void
fill_cells(report_mesh *m, const topology *t, const double region[4])
{
    double round = 360 / (region[3] - region[2]);
    double aspect = (region[1] - region[0]) /
                    ((region[3] - region[2]) * cos((region[0] + region[1]) / 2 * 3.14159265358979 / 180));
    polygon p;

    m->rows = aspect > 1 ? SIDE : (size_t)fmax(SIDE * aspect, 16);
    m->cols = aspect > 1 ? (size_t)fmax(SIDE / aspect, 16) : SIDE;
    m->face = memory_alloc(m->rows * m->cols, sizeof *m->face);
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->face[i] = SIZE_MAX;
    for (size_t face = 0; face < m->nfaces; face++) {
        load_polygon(m, t, region, face, &p);
        for (size_t k = 0; k < p.n; k++)
            p.x[k] -= round * (double)m->cols;
        for (int turn = -1; turn <= 1; turn++) { /* at both ends, where it lies across them */
            fill_polygon(m, &p, face);
            for (size_t k = 0; k < p.n; k++)
                p.x[k] += round * (double)m->cols;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

/* The variable with two dimensions, rows and columns of cells, in place of its last one. */
static void
make_view(const dump_var *v, int topology_id, report_mesh *m)
{
    size_t n = (size_t)v->ndims + 1;
    int   *dims = memory_alloc(n, sizeof *dims);

    m->view = *v;
    m->view.ndims = v->ndims + 1;
    m->view.dims = dims;
    m->view.shape = memory_alloc(n, sizeof *m->view.shape);
    m->view.part = memory_alloc(n, sizeof *m->view.part);
    for (int i = 0; i + 1 < v->ndims; i++) {
        dims[i] = v->dims[i];
        m->view.shape[i] = v->shape[i];
        m->view.part[i] = v->part[i];
    }
    dims[n - 2] = -2 - 2 * topology_id; /* no dimension of the dataset */
    dims[n - 1] = -3 - 2 * topology_id;
    m->view.shape[n - 2] = m->rows;
    m->view.shape[n - 1] = m->cols;
}

static bool
load_mesh(const dump_var *v, const source *of, report_mesh *m)
{
    topology t;
    double   region[4];
    size_t   len = v->shape[v->ndims - 1];
    bool     good = load_nodes(of, &t);

    good = good && find_region(&t, region) && load_faces(of, &t, m->at_nodes ? -1 : v->dims[v->ndims - 1], m) &&
           len == (m->at_nodes ? t.nnodes : m->nfaces);
    if (good) {
        fill_cells(m, &t, region);
        make_view(v, of->id, m);
    }
    clear_topology(&t);
    return good;
}

/* `location` says where on a mesh the values are; cells have them on faces. */
static bool
find_location(const dump_var *v, const source *of, bool *at_nodes)
{
    char *location = coord_text_att(v->grp, v->id, "location");
    bool  known;

    *at_nodes = location != NULL && strcmp(location, "node") == 0 && of->lon_id < 0;
    known = of->lon_id >= 0 || *at_nodes || (location != NULL && strcmp(location, "face") == 0);
    free(location);
    return known;
}

bool
report_mesh_load(const dump_var *v, report_mesh *m)
{
    source of;
    bool   good;

    *m = (report_mesh){.nfaces = 0};
    good = v->ndims > 0 && !v->empty && v->part[v->ndims - 1] == NULL && find_source(v, &of) &&
           find_location(v, &of, &m->at_nodes) && load_mesh(v, &of, m);
    if (!good)
        report_mesh_clear(m);
    return good;
}

void
report_mesh_clear(report_mesh *m)
{
    free(m->node);
    free(m->face);
    free(m->view.dims);
    free(m->view.shape);
    free(m->view.part);
    *m = (report_mesh){.nfaces = 0};
}

/* A face's value: its own, or the mean of its nodes. */
static double
value_of_face(const report_mesh *m, const double *value, size_t face)
{
    double sum = 0;
    size_t n = 0;

    if (!m->at_nodes)
        return value[face];
    for (size_t k = 0; k < m->corners; k++) {
        size_t node = m->node[face * m->corners + k];

        if (node != SIZE_MAX) {
            sum += value[node];
            n++;
        }
    }
    return n > 0 ? sum / (double)n : NAN;
}

static void
paint_cells(const report_mesh *m, const report_sample *s, size_t len, report_sample *out)
{
    int     last = s->ndims - 1;
    double *value = memory_alloc(len, sizeof *value);

    for (size_t i = 0; i < len; i++)
        value[i] = NAN;
    for (size_t i = 0; i < s->n; i++)
        value[s->axis[last].index[i]] = s->value[i];
    *out = (report_sample){.ndims = m->view.ndims, .n = m->rows * m->cols, .all = s->all};
    out->axis = memory_alloc((size_t)out->ndims, sizeof *out->axis);
    out->value = memory_alloc(out->n, sizeof *out->value);
    for (int d = 0; d < out->ndims; d++) {
        report_axis *a = &out->axis[d];

        a->len = m->view.shape[d];
        a->n = d < out->ndims - 2 ? 1 : a->len;
        a->index = memory_alloc(a->n, sizeof *a->index);
        for (size_t i = 0; i < a->n; i++)
            a->index[i] = i;
    }
    for (size_t i = 0; i < out->n; i++)
        out->value[i] = m->face[i] == SIZE_MAX ? NAN : value_of_face(m, value, m->face[i]);
    free(value);
}

int
report_mesh_read(report_page *p, const report_mesh *m, const dump_var *v, const value_meaning *meaning,
                 const size_t *at, report_sample *s, report_stats *st, const char **why)
{
    size_t       *places = memory_alloc((size_t)v->ndims, sizeof *places), len = v->shape[v->ndims - 1];
    report_sample own;
    int           rc;

    for (int i = 0; i < v->ndims; i++)
        places[i] = i + 1 < v->ndims ? 1 : len;
    *s = (report_sample){.n = 0};
    if ((rc = report_fold(p, v, meaning, &(report_request){.at = at, .free_dims = 1, .places = places}, &own, st,
                          why)) == NC_NOERR)
        paint_cells(m, &own, len, s);
    report_sample_clear(&own);
    free(places);
    return rc;
}

/* ---- on Earth -------------------------------------------------------------------------------------------------- */

bool
report_mesh_name(const dump_var *view, report_geo *g)
{
    source of;

    if (!find_source(view, &of))
        return false;
    g->mesh = g->plane = true;
    g->lat_grp = of.grp;
    g->lat_id = of.id;
    g->lon_grp = of.lon_grp;
    g->lon_id = of.lon_id;
    return true;
}

/* Nodes of the grid of cells, whose edges are the region. */
bool
report_mesh_place(report_geo *g)
{
    enum { NODES = 96 };
    const source of = {.grp = g->lat_grp, .id = g->lat_id, .lon_grp = g->lon_grp, .lon_id = g->lon_id};
    topology     t;
    double       region[4];
    bool         good = load_nodes(&of, &t) && find_region(&t, region);

    clear_topology(&t);
    if (!good)
        return false;
    g->rows = g->ny < NODES ? g->ny : NODES;
    g->cols = g->nx < NODES ? g->nx : NODES;
    g->row = memory_alloc(g->rows, sizeof *g->row);
    g->col = memory_alloc(g->cols, sizeof *g->col);
    g->lat = memory_alloc(g->rows * g->cols, sizeof *g->lat);
    g->lon = memory_alloc(g->rows * g->cols, sizeof *g->lon);
    for (size_t r = 0; r < g->rows; r++)
        g->row[r] = r * (g->ny - 1) / (g->rows - 1);
    for (size_t c = 0; c < g->cols; c++)
        g->col[c] = c * (g->nx - 1) / (g->cols - 1);
    for (size_t i = 0; i < g->rows * g->cols; i++) {
        double down = ((double)g->row[i / g->cols] + 0.5) / (double)g->ny;
        double across = ((double)g->col[i % g->cols] + 0.5) / (double)g->nx;

        g->lat[i] = region[0] + down * (region[1] - region[0]);
        g->lon[i] = region[2] + across * (region[3] - region[2]);
    }
    return true;
}
