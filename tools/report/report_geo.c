/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_geo.c: where on Earth the places of a map are: by the coordinate variables of its two dimensions, or by
 * latitudes and longitudes of two dimensions, as grids of models have them.
 *
 * Of two dimensions, a place is looked up from nodes of the grid as points on a sphere: so poles, the meridian of 180
 * degrees and rotated grids need no care.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 65536, PROJECTED = 512, COARSE = 24 };

#define RADIAN (3.14159265358979323846 / 180)

/* ---- values --------------------------------------------------------------------------------------------------- */

static void
take_indices(const report_axis *a, size_t *n, size_t **index)
{
    *n = a->n;
    *index = memory_alloc(a->n + 1, sizeof **index);
    memcpy(*index, a->index, a->n * sizeof **index);
}

static bool
same_indices(const report_axis *a, const report_axis *b)
{
    return a->n == b->n && memcmp(a->index, b->index, a->n * sizeof *a->index) == 0;
}

static void
set_point(double point[3], double lat, double lon)
{
    point[0] = cos(lat * RADIAN) * cos(lon * RADIAN);
    point[1] = cos(lat * RADIAN) * sin(lon * RADIAN);
    point[2] = sin(lat * RADIAN);
}

/* Values that cannot be degrees are missing: some models leave zeros or fill where they have no ocean. */
static bool
clean_values(report_geo *g)
{
    size_t nlat = g->plane ? g->rows * g->cols : g->rows, nlon = g->plane ? nlat : g->cols, good = 0;

    for (size_t i = 0; i < nlat; i++)
        if (!(fabs(g->lat[i]) <= 90.001))
            g->lat[i] = NAN;
    for (size_t i = 0; i < nlon; i++)
        if (!(fabs(g->lon[i]) <= 720))
            g->lon[i] = NAN;
    for (size_t i = 0; i < nlat; i++)
        good += isfinite(g->lat[i]) && (!g->plane || isfinite(g->lon[i]));
    return good * 2 > nlat;
}

/* All differences have one sign. */
static bool
is_monotonic(const double *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (!((v[i] - v[i - 1]) * (v[1] - v[0]) > 0))
            return false;
    return n > 1;
}

/* Degrees, as they are stored. */
static bool
take_degrees(report_sample *lat, report_sample *lon, report_geo *g)
{
    bool good;

    g->lat = lat->value;
    g->lon = lon->value;
    lat->value = lon->value = NULL;
    good = clean_values(g);
    for (size_t i = 1; !g->plane && i < g->cols; i++) /* 350, 0, 10 */
        g->lon[i] += 360 * round((g->lon[i - 1] - g->lon[i]) / 360);
    return good && (g->plane || (is_monotonic(g->lat, g->rows) && is_monotonic(g->lon, g->cols)));
}

/* What the variable's values are to be multiplied by for the projection. */
static double
unit_of(const report_projection *of, int grp, int varid)
{
    char  *units = coord_text_att(grp, varid, "units");
    double unit = report_projection_unit(of, units != NULL ? units : "");

    free(units);
    return unit;
}

/* By `grid_mapping`, from the coordinates of the two dimensions. */
static bool
project(const report_sample *y, const report_sample *x, report_geo *g)
{
    report_projection of;
    double            y_unit, x_unit;
    bool              any = false;

    if (!report_projection_load(g->map_grp, g->map_id, &of))
        return false;
    y_unit = unit_of(&of, g->lat_grp, g->lat_id);
    x_unit = unit_of(&of, g->lon_grp, g->lon_id);
    g->lat = memory_alloc(g->rows * g->cols, sizeof *g->lat);
    g->lon = memory_alloc(g->rows * g->cols, sizeof *g->lon);
    for (size_t i = 0; i < g->rows * g->cols; i++)
        if (report_projection_invert(&of, x->value[i % g->cols] * x_unit, y->value[i / g->cols] * y_unit, &g->lat[i],
                                     &g->lon[i]))
            any = true;
        else
            g->lat[i] = g->lon[i] = NAN;
    return any;
}

/* By two variables: of one dimension each, or both of the two dimensions of the map. */
static bool
read_places(report_page *p, report_geo *g)
{
    int                dims = g->plane && !g->projected ? 2 : 1;
    size_t             most = g->projected ? PROJECTED : NODES;
    report_sample      lat, lon;
    const report_axis *y, *x;
    bool               good = report_read_values(p, g->lat_grp, g->lat_id, dims, most, &lat);

    good = report_read_values(p, g->lon_grp, g->lon_id, dims, most, &lon) && good;
    if (good) {
        y = &lat.axis[lat.ndims - dims];
        x = &lon.axis[lon.ndims - 1];
        take_indices(y, &g->rows, &g->row);
        take_indices(x, &g->cols, &g->col);
        good =
            g->rows > 1 && g->cols > 1 &&
            (dims == 1 || (same_indices(y, &lon.axis[lon.ndims - 2]) && same_indices(x, &lat.axis[lat.ndims - 1])));
    }
    good = good && (g->projected ? project(&lat, &lon, g) : take_degrees(&lat, &lon, g));
    report_sample_clear(&lat);
    report_sample_clear(&lon);
    return good;
}

void
report_geo_read(report_page *p, report_geo *g)
{
    g->has = g->mesh ? report_mesh_place(g) : read_places(p, g);
    if (g->has && g->plane) {
        g->point = memory_alloc(g->rows * g->cols, sizeof *g->point);
        for (size_t i = 0; i < g->rows * g->cols; i++)
            set_point(g->point[i], g->lat[i], g->lon[i]);
    }
    if (!g->has)
        report_geo_clear(g);
}

void
report_geo_clear(report_geo *g)
{
    free(g->row);
    free(g->col);
    free(g->lat);
    free(g->lon);
    free(g->point);
    *g = (report_geo){.has = false};
}

/* ---- from a place to degrees ---------------------------------------------------------------------------------- */

/* The node at or before an index, of n of them, so that there is one after it, and the part of the way to that. */
static double
find_node(const size_t *node, size_t n, double index, size_t *before)
{
    size_t lo = 0, hi = n;

    if (n < 2) {
        *before = 0;
        return 0;
    }
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        *((double)node[mid] <= index ? &lo : &hi) = mid;
    }
    *before = lo + 1 < n ? lo : n - 2;
    return (index - (double)node[*before]) / (double)(node[*before + 1] - node[*before]);
}

bool
report_geo_at(const report_geo *g, double row, double col, double *lat, double *lon)
{
    size_t r, c;
    double a = find_node(g->row, g->rows, row, &r), b = find_node(g->col, g->cols, col, &c), sum[3] = {0, 0, 0};

    if (!g->plane) {
        *lat = fmin(fmax(g->lat[r] + a * (g->lat[r + 1] - g->lat[r]), -90), 90);
        *lon = g->lon[c] + b * (g->lon[c + 1] - g->lon[c]);
        return true;
    }
    for (int i = 0; i < 4; i++) {
        const double *point = g->point[(r + (size_t)(i / 2)) * g->cols + c + (size_t)(i % 2)];
        double        weight = (i / 2 ? a : 1 - a) * (i % 2 ? b : 1 - b);

        for (int k = 0; k < 3; k++)
            sum[k] += weight * point[k];
    }
    *lat = atan2(sum[2], hypot(sum[0], sum[1])) / RADIAN;
    *lon = atan2(sum[1], sum[0]) / RADIAN;
    return isfinite(*lat) && isfinite(*lon);
}

bool
report_geo_is_upward(const report_geo *g)
{
    double first = 0, last = 0;
    size_t n = 0;

    for (size_t c = 0; g->plane && c < g->cols; c++) {
        double low = g->lat[c], high = g->lat[(g->rows - 1) * g->cols + c];

        if (!isfinite(low) || !isfinite(high))
            continue;
        first += low;
        last += high;
        n++;
    }
    /* around a pole neither row is north of the other */
    return g->plane ? n == 0 || last >= first - 1e-3 * (double)n : g->lat[g->rows - 1] > g->lat[0];
}

/* The square of the distance of two points. */
static double
square_of(const double p[3], const double q[3])
{
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
}

static double
distance_of(const report_geo *g, size_t a, size_t b)
{
    return sqrt(square_of(g->point[a], g->point[b]));
}

/* How long a step of one index is on average, down and across. */
static double
measure_aspect(const report_geo *g)
{
    double down = 0, across = 0, ndown = 0, nacross = 0;

    for (size_t r = 0; r < g->rows; r++)
        for (size_t c = 0; c < g->cols; c++) {
            size_t i = r * g->cols + c;
            double d = r + 1 < g->rows ? distance_of(g, i, i + g->cols) : NAN;

            if (isfinite(d)) {
                down += d;
                ndown += (double)(g->row[r + 1] - g->row[r]);
            }
            d = c + 1 < g->cols ? distance_of(g, i, i + 1) : NAN;
            if (isfinite(d)) {
                across += d;
                nacross += (double)(g->col[c + 1] - g->col[c]);
            }
        }
    return down / ndown * (double)g->ny / (across / nacross * (double)g->nx);
}

double
report_geo_aspect(const report_geo *g)
{
    double down, across, middle;

    if (g->plane)
        return measure_aspect(g);
    down = fabs(g->lat[g->rows - 1] - g->lat[0]);
    across = fabs(g->lon[g->cols - 1] - g->lon[0]);
    middle = (g->lat[g->rows - 1] + g->lat[0]) / 2;
    down *= (double)g->ny / (double)(g->row[g->rows - 1] - g->row[0]);
    across *= (double)g->nx / (double)(g->col[g->cols - 1] - g->col[0]);
    return across > 0 ? down / (across * (across < 90 ? cos(middle * RADIAN) : 1)) : 1;
}

/* ---- from degrees to a place ---------------------------------------------------------------------------------- */

/* Where `value` is among nodes that rise or fall, as an index. */
static double
find_value(const double *v, const size_t *node, size_t n, double value)
{
    double sign = v[n - 1] > v[0] ? 1 : -1;
    size_t lo = 0, hi = n - 1;

    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        *(sign * v[mid] <= sign * value ? &lo : &hi) = mid;
    }
    return (double)node[lo] + (value - v[lo]) / (v[hi] - v[lo]) * (double)(node[hi] - node[lo]);
}

static bool
is_inside(double index, size_t len)
{
    return index >= -0.5 && index <= (double)len - 0.5;
}

static bool
find_on_axes(const report_geo *g, double lat, double lon, double *row, double *col)
{
    *row = find_value(g->lat, g->row, g->rows, lat);
    if (!is_inside(*row, g->ny))
        return false;
    for (int turn = -3; turn <= 3; turn++) {
        *col = find_value(g->lon, g->col, g->cols, lon + turn * 360);
        if (is_inside(*col, g->nx))
            return true;
    }
    return false;
}

static double
square_to(const report_geo *g, size_t node, const double p[3])
{
    double d = square_of(p, g->point[node]);

    return isfinite(d) ? d : INFINITY;
}

/* From node to nearer node, until no neighbour is nearer. */
static size_t
climb(const report_geo *g, size_t node, const double p[3])
{
    double best = square_to(g, node, p);

    for (;;) {
        size_t r = node / g->cols, c = node % g->cols, next = node;

        for (size_t i = r > 0 ? r - 1 : 0; i <= r + 1 && i < g->rows; i++)
            for (size_t j = c > 0 ? c - 1 : 0; j <= c + 1 && j < g->cols; j++) {
                double d = square_to(g, i * g->cols + j, p);

                if (d < best) {
                    best = d;
                    next = i * g->cols + j;
                }
            }
        if (next == node)
            return node;
        node = next;
    }
}

static size_t
find_nearest_of_some(const report_geo *g, const double p[3])
{
    size_t best = 0, down = g->rows / COARSE + 1, across = g->cols / COARSE + 1;
    double least = INFINITY;

    for (size_t r = 0; r < g->rows; r += down)
        for (size_t c = 0; c < g->cols; c += across) {
            double d = square_to(g, r * g->cols + c, p);

            if (d < least) {
                least = d;
                best = r * g->cols + c;
            }
        }
    return best;
}

/* How far p is from a node, in steps to its neighbours `down` and `across`. */
static bool
solve(const report_geo *g, size_t node, ptrdiff_t down, ptrdiff_t across, const double p[3], double *a, double *b)
{
    const double *o = g->point[node], *u = g->point[(size_t)((ptrdiff_t)node + down)],
                 *v = g->point[(size_t)((ptrdiff_t)node + across)];
    double uu = 0, uv = 0, vv = 0, pu = 0, pv = 0, det;

    for (int k = 0; k < 3; k++) {
        double du = u[k] - o[k], dv = v[k] - o[k], dp = p[k] - o[k];

        uu += du * du;
        uv += du * dv;
        vv += dv * dv;
        pu += dp * du;
        pv += dp * dv;
    }
    det = uu * vv - uv * uv;
    *a = (pu * vv - pv * uv) / det;
    *b = (pv * uu - pu * uv) / det;
    return isfinite(*a) && isfinite(*b);
}

static bool
find_from_node(const report_geo *g, size_t node, const double p[3], double *row, double *col)
{
    size_t    r = node / g->cols, c = node % g->cols;
    ptrdiff_t sr = r + 1 < g->rows ? 1 : -1, sc = c + 1 < g->cols ? 1 : -1;
    double    a, b;

    if (!solve(g, node, sr * (ptrdiff_t)g->cols, sc, p, &a, &b))
        return false;
    if ((a < 0 && sr > 0 && r > 0) || (b < 0 && sc > 0 && c > 0)) {
        sr = a < 0 && r > 0 ? -1 : sr;
        sc = b < 0 && c > 0 ? -1 : sc;
        if (!solve(g, node, sr * (ptrdiff_t)g->cols, sc, p, &a, &b))
            return false;
    }
    *row = (double)g->row[r] + a * ((double)g->row[(size_t)((ptrdiff_t)r + sr)] - (double)g->row[r]);
    *col = (double)g->col[c] + b * ((double)g->col[(size_t)((ptrdiff_t)c + sc)] - (double)g->col[c]);
    return fabs(a) <= 1.1 && fabs(b) <= 1.1 && is_inside(*row, g->ny) && is_inside(*col, g->nx);
}

bool
report_geo_find(report_geo *g, double lat, double lon, double *row, double *col)
{
    double p[3];
    size_t node;

    if (!g->plane)
        return find_on_axes(g, lat, lon, row, col);
    set_point(p, lat, lon);
    node = climb(g, g->last, p);
    if (!find_from_node(g, node, p, row, col)) {
        node = climb(g, find_nearest_of_some(g, p), p);
        if (!find_from_node(g, node, p, row, col))
            return false;
    }
    g->last = node;
    return true;
}

/* ---- the region ----------------------------------------------------------------------------------------------- */

void
report_geo_region(const report_geo *g, double lat[2], double lon[2])
{
    size_t n = g->plane ? g->rows * g->cols : g->rows;

    lat[0] = INFINITY;
    lat[1] = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(g->lat[i])) {
            lat[0] = fmin(lat[0], g->lat[i]);
            lat[1] = fmax(lat[1], g->lat[i]);
        }
    if (g->plane) {
        report_longitudes(g->lon, n, lon);
    } else {
        lon[0] = fmin(g->lon[0], g->lon[g->cols - 1]);
        lon[1] = fmax(g->lon[0], g->lon[g->cols - 1]);
    }
}
