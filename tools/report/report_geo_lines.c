/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_geo_lines.c: coastlines and the graticule on a map, as lines between places of its grid.
 *
 * The coast is coarse, 1:110 million: over less than COAST_LEAST degrees its errors would be seen, and none is drawn.
 */
#include "report_int.h"

#include <math.h>

#define COAST_LEAST 6.0

typedef struct course {
    report_geo      *g;
    report_geo_line *line;
    void            *arg;
    bool             drawing;
    double           lat, lon, row, col; /* of the last point */
} course;

static void
add_point(course *c, double lat, double lon, double row, double col, bool joined)
{
    /* a line that leaves the map on one side comes in again on the other */
    bool near = fabs(row - c->row) < (double)c->g->ny / 3 && fabs(col - c->col) < (double)c->g->nx / 3;

    c->line(c->arg, joined && near, row, col);
    c->row = row;
    c->col = col;
    c->lat = lat;
    c->lon = lon;
}

/* Between a place on the map and one that is not: the point at the edge. */
static void
add_edge(course *c, double in_lat, double in_lon, double out_lat, double out_lon)
{
    double row = NAN, col = NAN, r, k;
    bool   joined = c->drawing;

    for (int i = 0; i < 8; i++) {
        double lat = (in_lat + out_lat) / 2, lon = (in_lon + out_lon) / 2;

        if (report_geo_find(c->g, lat, lon, &r, &k)) {
            row = r;
            col = k;
            in_lat = lat;
            in_lon = lon;
        } else {
            out_lat = lat;
            out_lon = lon;
        }
    }
    if (isfinite(row))
        add_point(c, in_lat, in_lon, row, col, joined);
}

static void
start_at(course *c, double lat, double lon)
{
    double row, col;

    c->drawing = report_geo_find(c->g, lat, lon, &row, &col);
    if (c->drawing)
        add_point(c, lat, lon, row, col, false);
    c->lat = lat;
    c->lon = lon;
}

static void
go_to(course *c, double lat, double lon)
{
    double row, col;
    bool   found = report_geo_find(c->g, lat, lon, &row, &col), before = c->drawing;

    if (found && !before)
        add_edge(c, lat, lon, c->lat, c->lon);
    else if (before && !found)
        add_edge(c, c->lat, c->lon, lat, lon);
    c->drawing = found;
    if (found)
        add_point(c, lat, lon, row, col, true);
    c->lat = lat;
    c->lon = lon;
}

/* Along a straight line in degrees, in steps; the first point is where the course is. */
static void
go_along(course *c, double lat0, double lon0, double lat1, double lon1, double step)
{
    int n = 1 + (int)fmin(fmax(fabs(lat1 - lat0), fabs(lon1 - lon0)) / step, 1000);

    for (int i = 1; i <= n; i++)
        go_to(c, lat0 + (lat1 - lat0) * i / n, lon0 + (lon1 - lon0) * i / n);
}

static double
size_of(const report_geo *g)
{
    double lat[2], lon[2];

    report_geo_region(g, lat, lon);
    return fmax(lat[1] - lat[0], (lon[1] - lon[0]) * cos((lat[0] + lat[1]) / 2 * 3.14159265 / 180));
}

void
report_geo_coast(report_geo *g, report_geo_line *line, void *arg)
{
    double size = size_of(g);
    const signed char(*step)[2] = report_coast_steps;

    if (size < COAST_LEAST)
        return;
    for (size_t i = 0; i < report_coast_lines; i++) {
        const report_coast_line *l = &report_coast[i];
        course                   c = {.g = g, .line = line, .arg = arg};
        int                      lon = l->lon, lat = l->lat;

        start_at(&c, lat / 10., lon / 10.);
        for (int k = 0; k < l->steps; k++, step++) {
            go_along(&c, lat / 10., lon / 10., (lat + (*step)[1]) / 10., (lon + (*step)[0]) / 10., size / 60);
            lon += (*step)[0];
            lat += (*step)[1];
        }
    }
}

void
report_geo_graticule(report_geo *g, report_geo_line *line, void *arg)
{
    double lat[2], lon[2], lat_step, lon_step;

    report_geo_region(g, lat, lon);
    report_geo_steps(g, &lat_step, &lon_step);
    for (double at = ceil(lat[0] / lat_step) * lat_step; at <= lat[1]; at += lat_step) {
        course c = {.g = g, .line = line, .arg = arg};

        start_at(&c, at, lon[0] - 1);
        go_along(&c, at, lon[0] - 1, at, lon[1] + 1, (lon[1] - lon[0]) / 120);
    }
    for (double at = ceil(lon[0] / lon_step) * lon_step; at <= fmin(lon[1], lon[0] + 359.9); at += lon_step) {
        course c = {.g = g, .line = line, .arg = arg};

        start_at(&c, fmax(lat[0] - 1, -90), at);
        go_along(&c, fmax(lat[0] - 1, -90), at, fmin(lat[1] + 1, 90), at, (lat[1] - lat[0]) / 120);
    }
}
