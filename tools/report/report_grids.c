/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_grids.c: the grids of the page's maps, each once: coast and graticule as lines of SVG, in thousandths of the
 * map with its first row on top; and, of latitudes and longitudes of two dimensions, some of them for the script: the
 * list G, each [rows, columns, nodes down, nodes across, latitudes, longitudes, decimals].
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>

enum { THOUSAND = 1000, NODES = 25 };

struct report_grid {
    int        y_dim, x_dim;
    report_geo geo;
    bool       written;
};

/* ---- lines ---------------------------------------------------------------------------------------------------- */

static void
add_lines(text_buf *t, const char *name, report_geo *g, report_geo_lines *lines)
{
    picture p = {.n = 0};

    picture_path(&p, &(picture_style){.width = 1});
    report_draw_lines(g, lines, false, &(picture_chart){.area_width = THOUSAND, .area_height = THOUSAND}, &p);
    text_addf(t, "<path class=%s d=\"", name);
    picture_add_thin_path(t, &p);
    text_add(t, "\"/>");
    picture_clear(&p);
}

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static void
add_nodes(text_buf *t, const report_geo *g, bool latitudes, size_t down, size_t across, int decimals)
{
    text_addc(t, '[');
    for (size_t i = 0; i < down * across; i++) {
        double lat = NAN, lon = NAN, row = (double)(i / across) * (double)(g->ny - 1) / (double)(down - 1);
        double col = (double)(i % across) * (double)(g->nx - 1) / (double)(across - 1);

        text_add(t, i > 0 ? "," : "");
        if (report_geo_at(g, row, col, &lat, &lon))
            text_addf(t, "%.*f", decimals, latitudes ? lat : lon);
        else
            text_add(t, "NaN");
    }
    text_addc(t, ']');
}

static void
add_plane(text_buf *t, const report_geo *g)
{
    size_t down = g->ny < NODES ? g->ny : NODES, across = g->nx < NODES ? g->nx : NODES;
    double lat[2], lon[2], step;
    int    decimals;

    report_geo_region(g, lat, lon);
    step = (lat[1] - lat[0]) / (double)g->ny;
    decimals = step > 0.5 ? 1 : step > 0.05 ? 2 : step > 0.005 ? 3 : 4;
    text_addf(t, "[%zu,%zu,%zu,%zu,", g->ny, g->nx, down, across);
    add_nodes(t, g, true, down, across, decimals + 1);
    text_addc(t, ',');
    add_nodes(t, g, false, down, across, decimals + 1);
    text_addf(t, ",%d],\n", decimals);
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static bool
is_same(const report_grid *one, const report_geo *g, int y_dim, int x_dim)
{
    return one->y_dim == y_dim && one->x_dim == x_dim && one->geo.lat_grp == g->lat_grp &&
           one->geo.lat_id == g->lat_id && one->geo.lon_grp == g->lon_grp && one->geo.lon_id == g->lon_id;
}

report_geo *
report_page_grid(report_page *p, const dump_var *v, int y, int x, size_t *id)
{
    report_geo   g;
    report_grid *more;

    if (!report_geo_name(v, y, x, &g))
        return NULL;
    for (*id = 0; *id < p->ngrids; ++*id)
        if (is_same(&p->grids[*id], &g, v->dims[y], v->dims[x]))
            return p->grids[*id].geo.has ? &p->grids[*id].geo : NULL;
    more = realloc(p->grids, (p->ngrids + 1) * sizeof *more);
    p->grids = memory_need(more);
    more = &p->grids[p->ngrids++];
    *more = (report_grid){.y_dim = v->dims[y], .x_dim = v->dims[x], .geo = g};
    report_geo_read(p, &more->geo);
    if (!more->geo.has) { /* so that it is not read again */
        more->geo = (report_geo){.lat_grp = g.lat_grp, .lat_id = g.lat_id, .lon_grp = g.lon_grp, .lon_id = g.lon_id};
        text_add(&p->planes, "0,\n");
        return NULL;
    }
    if (more->geo.plane)
        add_plane(&p->planes, &more->geo);
    else
        text_add(&p->planes, "0,\n");
    return &more->geo;
}

void
report_write_grid(report_page *p, size_t id)
{
    report_grid *g = &p->grids[id];

    if (!g->written) {
        text_addf(&p->defs, "<g id=g%zu>", id);
        add_lines(&p->defs, "net", &g->geo, report_geo_graticule);
        add_lines(&p->defs, "coast", &g->geo, report_geo_coast);
        text_add(&p->defs, "</g>\n");
    }
    g->written = true;
}

void
report_grids_clear(report_page *p)
{
    for (size_t i = 0; i < p->ngrids; i++)
        report_geo_clear(&p->grids[i].geo);
    free(p->grids);
    p->grids = NULL;
    p->ngrids = 0;
}
