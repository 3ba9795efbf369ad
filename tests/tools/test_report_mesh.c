/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes as pages and pictures draw them: each cell of the map has the value of the face that it lies in. */
#include "support/test.h"

#include "report/report_int.h"

#include <math.h>
#include <nczarr.h>
#include <string.h>

#define OK(call)                  assert_int_equal((call), NC_NOERR)
#define TEXT(nc, var, name, text) OK(nc_put_att_text(nc, var, name, strlen(text), text))

/* A square of 0 to 2 by 0 to 2 degrees: its south is one quadrilateral, its north two triangles. Nodes:
 *   4 5 6
 *   2   3
 *   0   1   with 5 in the middle of the northern edge */
static const double node_lon[] = {0, 2, 0, 2, 0, 1, 2}, node_lat[] = {0, 0, 1, 1, 2, 2, 2};
static const int    faces[3][4] = {{0, 1, 3, 2}, {2, 3, 5, -1}, {2, 5, 4, -1}};

/* `turned`: corners before faces. `shift`: of all longitudes. */
static int
make_mesh(int start, bool turned, double shift, int *on_faces, int *on_nodes)
{
    int    nc, nodes, nfaces, corners, mesh, x, y, conn, dims[2], fill = -999;
    double lon[7];

    OK(nc_create("mesh", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "nodes", 7, &nodes));
    OK(nc_def_dim(nc, "faces", 3, &nfaces));
    OK(nc_def_dim(nc, "corners", 4, &corners));
    OK(nc_def_var(nc, "mesh", NC_INT, 0, NULL, &mesh));
    TEXT(nc, mesh, "cf_role", "mesh_topology");
    TEXT(nc, mesh, "node_coordinates", "x y");
    TEXT(nc, mesh, "face_node_connectivity", "conn");
    OK(nc_def_var(nc, "x", NC_DOUBLE, 1, &nodes, &x));
    TEXT(nc, x, "units", "degrees_east");
    OK(nc_def_var(nc, "y", NC_DOUBLE, 1, &nodes, &y));
    TEXT(nc, y, "units", "degrees_north");
    dims[turned] = nfaces;
    dims[!turned] = corners;
    OK(nc_def_var(nc, "conn", NC_INT, 2, dims, &conn));
    OK(nc_put_att_int(nc, conn, "_FillValue", NC_INT, 1, &fill));
    OK(nc_put_att_int(nc, conn, "start_index", NC_INT, 1, &start));
    OK(nc_def_var(nc, "on_faces", NC_DOUBLE, 1, &nfaces, on_faces));
    TEXT(nc, *on_faces, "mesh", "mesh");
    TEXT(nc, *on_faces, "location", "face");
    OK(nc_def_var(nc, "on_nodes", NC_DOUBLE, 1, &nodes, on_nodes));
    TEXT(nc, *on_nodes, "mesh", "mesh");
    TEXT(nc, *on_nodes, "location", "node");
    OK(nc_enddef(nc));
    for (int i = 0; i < 7; i++)
        lon[i] = node_lon[i] + shift - (node_lon[i] + shift >= 180 ? 360 : 0);
    OK(nc_put_var_double(nc, x, lon));
    OK(nc_put_var_double(nc, y, node_lat));
    for (size_t f = 0; f < 3; f++)
        for (size_t k = 0; k < 4; k++) {
            int value = faces[f][k] < 0 ? fill : faces[f][k] + start;

            OK(nc_put_var1_int(nc, conn, turned ? (size_t[]){k, f} : (size_t[]){f, k}, &value));
        }
    OK(nc_put_var_double(nc, *on_faces, (double[]){10, 20, 30}));
    OK(nc_put_var_double(nc, *on_nodes, (double[]){0, 0, 4, 8, 6, 6, 2}));
    return nc;
}

typedef struct case_of {
    report_page   p;
    dump_opts     o;
    dump_var      v;
    value_meaning m;
    report_mesh   mesh;
    report_sample s;
    report_stats  st;
} case_of;

static void
open_case(case_of *c, int nc, int varid)
{
    const char *why;

    *c = (case_of){.o = DUMP_OPTS_INIT};
    c->p = (report_page){.d = {.o = &c->o, .root = nc, .report = {.file = "test"}},
                         .limits = {.var_bytes = 1 << 26, .bytes = 1 << 30}};
    OK(dump_var_load(&c->p.d, nc, varid, &c->v));
    value_meaning_load(c->v.grp, c->v.id, &c->m);
    assert_true(report_mesh_load(&c->v, &c->mesh));
    OK(report_mesh_read(&c->p, &c->mesh, &c->v, &c->m, (size_t[]){0}, &c->s, &c->st, &why));
}

static void
close_case(case_of *c)
{
    report_sample_clear(&c->s);
    report_mesh_clear(&c->mesh);
    value_meaning_clear(&c->m);
    dump_var_clear(&c->v);
    dim_table_clear(&c->p.d.dims);
}

/* At parts of the map from the south and the west. */
static double
at(const case_of *c, double up, double across)
{
    return c->s.value[(size_t)(up * (double)c->mesh.rows) * c->mesh.cols + (size_t)(across * (double)c->mesh.cols)];
}

TEST(cells_have_the_values_of_their_faces)
{
    for (int start = 0; start < 2; start++)
        for (int turned = 0; turned < 2; turned++) {
            int     on_faces, on_nodes, nc = make_mesh(start, turned, 0, &on_faces, &on_nodes);
            case_of c;

            open_case(&c, nc, on_faces);
            assert_true(c.mesh.nfaces == 3 && c.mesh.view.ndims == 2 && c.s.all && c.st.n == 3);
            assert_true(at(&c, 0.01, 0.01) == 10 && at(&c, 0.49, 0.99) == 10 && at(&c, 0.25, 0.5) == 10);
            assert_true(at(&c, 0.51, 0.5) == 20 && at(&c, 0.75, 0.74) == 20 && at(&c, 0.98, 0.5) == 20);
            assert_true(at(&c, 0.98, 0.1) == 30 && at(&c, 0.75, 0.2) == 30);
            assert_true(isnan(at(&c, 0.98, 0.9)) && isnan(at(&c, 0.8, 0.95)));
            close_case(&c);
            if (!turned) {
                open_case(&c, nc, on_nodes);
                assert_true(at(&c, 0.25, 0.5) == 3 && at(&c, 0.75, 0.74) == 6 && at(&c, 0.75, 0.2) > 5.3);
                close_case(&c);
            }
            OK(nc_close(nc));
        }
}

/* Faces over the meridian of 180 degrees do not make the map one of the whole Earth. */
TEST(faces_lie_over_the_meridian)
{
    int     on_faces, on_nodes, nc = make_mesh(0, false, 179, &on_faces, &on_nodes);
    case_of c;

    open_case(&c, nc, on_faces);
    assert_true(at(&c, 0.01, 0.01) == 10 && at(&c, 0.49, 0.99) == 10 && at(&c, 0.75, 0.74) == 20);
    close_case(&c);
    OK(nc_close(nc));
}

TEST(a_mesh_lies_on_earth)
{
    int        on_faces, on_nodes, nc = make_mesh(0, false, 10, &on_faces, &on_nodes);
    case_of    c;
    report_geo g;
    double     lat, lon;

    open_case(&c, nc, on_faces);
    assert_true(report_geo_name(&c.mesh.view, 0, 1, &g));
    report_geo_read(&c.p, &g);
    assert_true(g.has && report_geo_is_upward(&g));
    assert_true(report_geo_at(&g, (double)c.mesh.rows / 2 - 0.5, (double)c.mesh.cols / 4 - 0.5, &lat, &lon));
    assert_true(fabs(lat - 1) < 0.001 && fabs(lon - 10.5) < 0.001);
    report_geo_clear(&g);
    close_case(&c);
    OK(nc_close(nc));
}

TEST(what_is_no_mesh_is_none)
{
    int         on_faces, on_nodes, nc = make_mesh(0, false, 0, &on_faces, &on_nodes), x;
    dump_opts   o = DUMP_OPTS_INIT;
    report_page p = {.d = {.root = nc, .o = &o}};
    report_mesh m;
    dump_var    v;

    OK(nc_inq_varid(nc, "x", &x));
    OK(dump_var_load(&p.d, nc, x, &v));
    assert_false(report_mesh_load(&v, &m));
    TEXT(nc, x, "location", "face");
    TEXT(nc, x, "mesh", "mesh");
    assert_false(report_mesh_load(&v, &m)); /* 7 values, 3 faces */
    TEXT(nc, x, "mesh", "none");
    assert_false(report_mesh_load(&v, &m));
    dump_var_clear(&v);
    dim_table_clear(&p.d.dims);
    OK(nc_close(nc));
}
