/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of CF's grid mappings against those that PROJ 9.8 (pyproj 3.7.2) computes from the same attributes. */
#include "support/test.h"

#include "report/report_int.h"

#include <math.h>
#include <nczarr.h>
#include <string.h>

#define OK(call) assert_int_equal((call), NC_NOERR)

typedef struct attribute {
    const char *name, *text;
    size_t      n;
    double      number[2];
} attribute;

typedef struct place {
    double x, y, lat, lon;
} place;

/* Coordinates are multiplied by `scale`. */
static void
check(const attribute *atts, double scale, const place *places, size_t n)
{
    report_projection p;
    int               nc, var;

    OK(nc_create("mapping", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_var(nc, "crs", NC_INT, 0, NULL, &var));
    for (; atts->name != NULL; atts++)
        if (atts->text != NULL)
            OK(nc_put_att_text(nc, var, atts->name, strlen(atts->text), atts->text));
        else
            OK(nc_put_att_double(nc, var, atts->name, NC_DOUBLE, atts->n, atts->number));
    assert_true(report_projection_load(nc, var, &p));
    for (size_t i = 0; i < n; i++) {
        double lat, lon;

        assert_true(report_projection_invert(&p, places[i].x * scale, places[i].y * scale, &lat, &lon));
        if (fabs(lat - places[i].lat) > 2e-6 || fabs(lon - places[i].lon) * cos(lat * 0.01745) > 2e-6)
            fail_msg("%.10g, %.10g: %.7f, %.7f, not %.7f, %.7f", places[i].x, places[i].y, lat, lon, places[i].lat,
                     places[i].lon);
    }
    OK(nc_close(nc));
}

#define TEXT(name, text)                                                                                             \
    {                                                                                                                \
        name, text, 0,                                                                                               \
        {                                                                                                            \
            0, 0                                                                                                     \
        }                                                                                                            \
    }
#define ONE(name, value)                                                                                             \
    {                                                                                                                \
        name, NULL, 1,                                                                                               \
        {                                                                                                            \
            value, 0                                                                                                 \
        }                                                                                                            \
    }
#define TWO(name, a, b)                                                                                              \
    {                                                                                                                \
        name, NULL, 2,                                                                                               \
        {                                                                                                            \
            a, b                                                                                                     \
        }                                                                                                            \
    }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, NULL, 0,                                                                                               \
        {                                                                                                            \
            0, 0                                                                                                     \
        }                                                                                                            \
    }
#define CHECK(atts, scale, places) check(atts, scale, places, sizeof(places) / sizeof *(places))

TEST(lambert_conformal)
{
    static const attribute sphere[] = {TEXT("grid_mapping_name", "lambert_conformal_conic"),
                                       ONE("standard_parallel", 38.5),
                                       ONE("longitude_of_central_meridian", -97.5),
                                       ONE("latitude_of_projection_origin", 38.5),
                                       ONE("earth_radius", 6371229.),
                                       END};
    static const place     hrrr[] = {{0, 0, 38.5000000, -97.5000000},
                                     {-2697520, -1587306, 21.1381246, -122.7195271},
                                     {2692480, 1532694, 47.4137309, -61.2398601},
                                     {1000000, -500000, 33.4832912, -86.7336144}};
    static const attribute two[] = {TEXT("grid_mapping_name", "lambert_conformal_conic"),
                                    TWO("standard_parallel", 49, 44),
                                    ONE("longitude_of_central_meridian", 3),
                                    ONE("latitude_of_projection_origin", 46.5),
                                    ONE("false_easting", 700000),
                                    ONE("false_northing", 6600000),
                                    ONE("semi_major_axis", 6378137),
                                    ONE("inverse_flattening", 298.257222101),
                                    END};
    static const place     france[] = {{700000, 6600000, 46.5000000, 3.0000000},
                                       {100000, 6100000, 41.7544134, -4.2069322},
                                       {1200000, 7100000, 50.7944014, 10.0874552}};
    static const attribute south[] = {TEXT("grid_mapping_name", "lambert_conformal_conic"),
                                      TWO("standard_parallel", -30, -60), ONE("longitude_of_central_meridian", 140),
                                      ONE("latitude_of_projection_origin", -40), END};
    static const place     australia[] = {{0, 0, -40.0000000, 140.0000000},
                                          {-800000, 300000, -36.7979350, 130.8041215},
                                          {900000, -1200000, -50.4758201, 153.1401287}};

    CHECK(sphere, 1, hrrr);
    CHECK(two, 1, france);
    CHECK(south, 1, australia);
}

TEST(polar_stereographic)
{
    static const attribute nsidc[] = {TEXT("grid_mapping_name", "polar_stereographic"),
                                      ONE("straight_vertical_longitude_from_pole", -45),
                                      ONE("latitude_of_projection_origin", 90),
                                      ONE("standard_parallel", 70),
                                      ONE("semi_major_axis", 6378273.),
                                      ONE("semi_minor_axis", 6356889.449),
                                      END};
    static const place     arctic[] = {{-3850000, 5850000, 30.9805641, 168.3497006},
                                       {3750000, -5350000, 34.3453713, -9.9720577},
                                       {100000, 0, 89.0769105, 45.0000000},
                                       {0, 2000000, 71.6889869, 135.0000000},
                                       {-1234567, -765432, 76.6492342, -103.2010718}};
    static const attribute south[] = {TEXT("grid_mapping_name", "polar_stereographic"),
                                      ONE("straight_vertical_longitude_from_pole", 0),
                                      ONE("latitude_of_projection_origin", -90), ONE("standard_parallel", -71), END};
    static const place     antarctic[] = {{-3950000, 4350000, -39.3633549, -42.2408923},
                                          {2000000, 1000000, -69.6286694, 63.4349488},
                                          {1000, -3000000, -62.8861682, 179.9809014},
                                          {-500000, -700000, -82.0947708, -144.4623222}};
    static const attribute ups[] = {TEXT("grid_mapping_name", "polar_stereographic"),
                                    ONE("straight_vertical_longitude_from_pole", 10),
                                    ONE("latitude_of_projection_origin", 90),
                                    ONE("scale_factor_at_projection_origin", 0.994),
                                    ONE("false_easting", 2000000),
                                    ONE("false_northing", 2000000),
                                    END};
    static const place     pole[] = {{2500000, 1000000, 79.9545538, 36.5650512}, {0, 0, 64.9164123, -35.0000000}};

    CHECK(nsidc, 1, arctic);
    CHECK(south, 1, antarctic);
    CHECK(ups, 1, pole);
}

TEST(geostationary)
{
#define GEOS(lon, sweep)                                                                                             \
    {                                                                                                                \
        TEXT("grid_mapping_name", "geostationary"), ONE("perspective_point_height", 35786023.),                      \
            ONE("semi_major_axis", 6378137.), ONE("semi_minor_axis", 6356752.31414),                                 \
            ONE("longitude_of_projection_origin", lon), TEXT("sweep_angle_axis", sweep), END                         \
    }
    static const attribute goes[] = GEOS(-75, "x"), meteosat[] = GEOS(0, "y");
    static const place     west[] = {{0, 0, 0.0000000, -75.0000000},
                                     {-0.024052, 0.09534, 33.8461623, -84.6909321},
                                     {-0.101, 0.1, 38.2180179, -127.5610800},
                                     {0.12, -0.05, -17.5547627, -25.7017936},
                                     {0.0376, 0.128, 51.1844137, -53.6621131}};
    static const place     middle[] = {{-0.024052, 0.09534, 33.8572616, -9.6477609},
                                       {-0.101, 0.1, 38.4491622, -52.4248004},
                                       {0.12, -0.05, -17.6860467, 49.2632067},
                                       {0.0376, 0.128, 51.2346822, 21.1790703}};

    CHECK(goes, 1, west);
    CHECK(meteosat, 1, middle);
}

TEST(rotated_pole)
{
    static const double    degree = 3.14159265358979323846 / 180;
    static const attribute cordex[] = {TEXT("grid_mapping_name", "rotated_latitude_longitude"),
                                       ONE("grid_north_pole_latitude", 39.25), ONE("grid_north_pole_longitude", -162),
                                       END};
    static const place     europe[] = {{0, 0, 50.7500000, 18.0000000},
                                       {-28.155, -23.155, 22.2698663, -9.9575389},
                                       {17.605, 21.725, 66.9103823, 63.7620892},
                                       {10, -5, 44.7957801, 32.1093797},
                                       {-179, 10, -40.7412158, -160.7001615}};
    static const attribute turned[] = {TEXT("grid_mapping_name", "rotated_latitude_longitude"),
                                       ONE("grid_north_pole_latitude", 39.25), ONE("grid_north_pole_longitude", -162),
                                       ONE("north_pole_grid_longitude", 20), END};
    static const place     other[] = {{0, 0, 46.6931745, -11.9101074},
                                      {-28.155, -23.155, 13.0736215, -26.6817460},
                                      {17.605, 21.725, 72.3558241, 10.6416054},
                                      {10, -5, 44.7957801, 3.8906203},
                                      {-179, 10, -37.6770960, 174.1027341}};

    CHECK(cordex, degree, europe);
    CHECK(turned, degree, other);
}

TEST(what_is_no_place_is_none)
{
    static const attribute goes[] = GEOS(-75, "x");
    report_projection      p;
    int                    nc, var;
    double                 lat, lon;

    OK(nc_create("mapping", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_var(nc, "crs", NC_INT, 0, NULL, &var));
    assert_false(report_projection_load(nc, var, &p));
    OK(nc_put_att_text(nc, var, "grid_mapping_name", 16, "oblique_mercator"));
    assert_false(report_projection_load(nc, var, &p));
    OK(nc_put_att_text(nc, var, "grid_mapping_name", 13, "geostationary"));
    assert_false(report_projection_load(nc, var, &p));
    OK(nc_put_att_double(nc, var, "perspective_point_height", NC_DOUBLE, 1, goes[1].number));
    assert_true(report_projection_load(nc, var, &p));
    assert_false(report_projection_invert(&p, 0.16, 0, &lat, &lon));
    assert_false(report_projection_invert(&p, NAN, 0, &lat, &lon));
    assert_true(fabs(report_projection_unit(&p, "rad") - 1) < 1e-12);
    assert_true(fabs(report_projection_unit(&p, "m") * 35786023. - 1) < 1e-12);
    assert_true(fabs(report_projection_unit(&p, "km") * 35786.023 - 1) < 1e-12);
    OK(nc_close(nc));
}

TEST(equal_area)
{
    static const attribute ease[] = {TEXT("grid_mapping_name", "lambert_azimuthal_equal_area"),
                                     ONE("latitude_of_projection_origin", 90),
                                     ONE("longitude_of_projection_origin", 0), END};
    static const attribute europe[] = {TEXT("grid_mapping_name", "lambert_azimuthal_equal_area"),
                                       ONE("latitude_of_projection_origin", 52),
                                       ONE("longitude_of_projection_origin", 10),
                                       ONE("false_easting", 4321000),
                                       ONE("false_northing", 3210000),
                                       ONE("semi_major_axis", 6378137),
                                       ONE("inverse_flattening", 298.257222101),
                                       END};
    static const place     north[] = {{-5000000, 4000000, 29.7766992, -128.6598083},
                                      {100000, -3000000, 62.8535686, 1.9091524},
                                      {0, 0, 90.0000000, 0.0000000}};
    static const place     grid[] = {{4321000, 3210000, 52.0000000, 10.0000000},
                                     {2500000, 1500000, 34.4278254, -9.8263425},
                                     {7000000, 5000000, 58.7631226, 61.4103716}};

    CHECK(ease, 1, north);
    CHECK(europe, 1, grid);
}

TEST(cylinders)
{
    static const attribute parallel[] = {TEXT("grid_mapping_name", "mercator"), ONE("standard_parallel", 20),
                                         ONE("longitude_of_projection_origin", -60), END};
    static const attribute web[] = {TEXT("grid_mapping_name", "mercator"), ONE("semi_major_axis", 6378137),
                                    ONE("semi_minor_axis", 6378137), END};
    static const place     west[] = {{0, 0, 0.0000000, -60.0000000},
                                     {3000000, 4000000, 35.8505016, -31.3322166},
                                     {-12000000, -7000000, -55.6122841, -174.6711335}};
    static const place     tiles[] = {{1000000, 6000000, 47.3537047, 8.9831528},
                                      {-15000000, -3000000, -26.0074202, -134.7472926}};
    static const attribute zone[] = {TEXT("grid_mapping_name", "transverse_mercator"),
                                     ONE("scale_factor_at_central_meridian", 0.9996),
                                     ONE("longitude_of_central_meridian", 9), ONE("false_easting", 500000), END};
    static const attribute britain[] = {TEXT("grid_mapping_name", "transverse_mercator"),
                                        ONE("scale_factor_at_central_meridian", 0.9996012717),
                                        ONE("longitude_of_central_meridian", -2),
                                        ONE("latitude_of_projection_origin", 49),
                                        ONE("false_easting", 400000),
                                        ONE("false_northing", -100000),
                                        ONE("semi_major_axis", 6377563.396),
                                        ONE("inverse_flattening", 299.3249646),
                                        END};
    static const place     utm[] = {{500000, 5300000, 47.8533419, 9.0000000},
                                    {250000, 6500000, 58.5683604, 4.7003880},
                                    {800000, 4000000, 36.0983492, 12.3321772}};
    static const place     grid[] = {{400000, -100000, 49.0000000, -2.0000000},
                                     {650000, 300000, 52.5399935, 1.6871653},
                                     {150000, 900000, 57.9193645, -6.2220538}};

    CHECK(parallel, 1, west);
    CHECK(web, 1, tiles);
    CHECK(zone, 1, utm);
    CHECK(britain, 1, grid);
}

TEST(albers)
{
    static const attribute north[] = {TEXT("grid_mapping_name", "albers_conical_equal_area"),
                                      TWO("standard_parallel", 29.5, 45.5),
                                      ONE("longitude_of_central_meridian", -96),
                                      ONE("latitude_of_projection_origin", 23),
                                      ONE("inverse_flattening", 298.257222101),
                                      END};
    static const attribute south[] = {TEXT("grid_mapping_name", "albers_conical_equal_area"),
                                      TWO("standard_parallel", -18, -36),
                                      ONE("longitude_of_central_meridian", 132),
                                      ONE("latitude_of_projection_origin", 0),
                                      ONE("inverse_flattening", 298.257222101),
                                      END};
    static const place     america[] = {{0, 0, 23.0000000, -96.0000000},
                                        {-2000000, 1500000, 34.4561658, -118.1398367},
                                        {2000000, 3000000, 47.4470957, -69.2950357}};
    static const place     australia[] = {{-1500000, -2000000, -17.9497764, 117.8130369},
                                          {1700000, -4500000, -39.9521379, 151.6733214}};

    CHECK(north, 1, america);
    CHECK(south, 1, australia);
}

TEST(sinusoidal)
{
    static const attribute modis[] = {TEXT("grid_mapping_name", "sinusoidal"), ONE("earth_radius", 6371007.181), END};
    static const attribute other[] = {TEXT("grid_mapping_name", "sinusoidal"),
                                      ONE("longitude_of_central_meridian", 100), END};
    static const place     tiles[] = {{0, 0, 0.0000000, 0.0000000},
                                      {-1111950.5, 5559752.6, 50.0000000, -15.5572380},
                                      {10007554.7, -3335851.6, -30.0000004, 103.9230491}};
    static const place     east[] = {{500000, 3000000, 27.1116355, 105.0425241},
                                     {-2000000, -6000000, -54.1265336, 69.4080840}};
    report_projection      p = {.a = 1, .invert = NULL};
    double                 lat, lon;
    int                    nc, var;

    CHECK(modis, 1, tiles);
    CHECK(other, 1, east);
    OK(nc_create("mapping", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_var(nc, "crs", NC_INT, 0, NULL, &var));
    OK(nc_put_att_text(nc, var, "grid_mapping_name", 10, "sinusoidal"));
    assert_true(report_projection_load(nc, var, &p));
    assert_false(report_projection_invert(&p, 15e6, 6e6, &lat, &lon)); /* beyond the edge of the world */
    assert_false(report_projection_invert(&p, 0, 11e6, &lat, &lon));
    OK(nc_close(nc));
}
