/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_projection.c: from metres, radians or degrees of a projection to latitude and longitude, by the attributes of
 * CF's grid mappings.
 *
 * Formulas: J. P. Snyder, Map Projections, A Working Manual (USGS Professional Paper 1395, 1987), by their numbers;
 * geostationary: GOES-R Product Definition and Users' Guide, volume 3, 5.1.2.8.1. A sphere is an ellipsoid whose
 * eccentricity is 0.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

#define RADIAN  (3.14159265358979323846 / 180)
#define HALF_PI (3.14159265358979323846 / 2)

/* ---- attributes ----------------------------------------------------------------------------------------------- */

static bool
load_number(int grp, int varid, const char *name, size_t i, double *out)
{
    att_value a;
    bool has = att_value_load(grp, varid, name, &a) == NC_NOERR && a.val != NULL && a.len > i && a.user == NULL &&
               a.type != NC_CHAR && a.type != NC_STRING;

    if (has)
        *out = dump_value_double(a.type, (const char *)a.val + i * dump_type_size(a.type));
    att_value_clear(&a);
    return has;
}

/* WGS 84, where the mapping says nothing. */
static void
load_ellipsoid(int grp, int varid, report_projection *p)
{
    double minor, flattening;

    p->a = 6378137;
    p->e = sqrt(0.00669437999014);
    if (load_number(grp, varid, "earth_radius", 0, &p->a)) {
        p->e = 0;
        return;
    }
    (void)load_number(grp, varid, "semi_major_axis", 0, &p->a);
    if (load_number(grp, varid, "semi_minor_axis", 0, &minor) && minor > 0 && minor <= p->a)
        p->e = sqrt(1 - minor * minor / (p->a * p->a));
    else if (load_number(grp, varid, "inverse_flattening", 0, &flattening))
        p->e = flattening > 1 ? sqrt(2 / flattening - 1 / (flattening * flattening)) : 0;
}

/* ---- conformal projections ------------------------------------------------------------------------------------- */

/* Snyder 15-9. */
static double
conformal_t(const report_projection *p, double lat)
{
    double s = p->e * sin(lat);

    return tan(HALF_PI / 2 - lat / 2) / pow((1 - s) / (1 + s), p->e / 2);
}

/* Snyder 14-15. */
static double
parallel_m(const report_projection *p, double lat)
{
    double s = p->e * sin(lat);

    return cos(lat) / sqrt(1 - s * s);
}

/* Snyder 7-9, repeated. */
static double
latitude_of_t(const report_projection *p, double t)
{
    double lat = HALF_PI - 2 * atan(t);

    for (int i = 0; i < 12; i++) {
        double s = p->e * sin(lat);

        lat = HALF_PI - 2 * atan(t * pow((1 - s) / (1 + s), p->e / 2));
    }
    return lat;
}

/* Snyder 15-8, 15-10, 15-7a; of one standard parallel n is its sine. */
static void
init_lambert(report_projection *p, double lat1, double lat2, double lat0)
{
    double t1 = conformal_t(p, lat1), m1 = parallel_m(p, lat1);

    p->n = fabs(lat1 - lat2) < 1e-10 ? sin(lat1)
                                     : (log(m1) - log(parallel_m(p, lat2))) / (log(t1) - log(conformal_t(p, lat2)));
    p->f = m1 / (p->n * pow(t1, p->n));
    p->rho0 = p->a * p->f * pow(conformal_t(p, lat0), p->n);
}

/* Snyder 14-10, 14-11, 14-9, 15-11. */
static bool
invert_lambert(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double sign = p->n < 0 ? -1 : 1, down = p->rho0 - y, rho = sign * hypot(x, down);

    *lat = rho == 0 ? sign * HALF_PI : latitude_of_t(p, pow(rho / (p->a * p->f), 1 / p->n));
    *lon = atan2(sign * x, sign * down) / p->n + p->lon0;
    return true;
}

/* Snyder 21-39 to 21-41 and 20-16; the south pole by its mirror. */
static bool
invert_polar(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double rho = hypot(x, y);

    *lat = p->sign * latitude_of_t(p, rho / p->f);
    *lon = rho > 0 ? p->sign * atan2(p->sign * x, -p->sign * y) + p->lon0 : p->lon0;
    return true;
}

/* Snyder 21-33, 21-34: what t is multiplied by. */
static void
init_polar(report_projection *p, double lat0, double parallel, bool has_parallel, double scale)
{
    double e = p->e;

    p->sign = lat0 < 0 ? -1 : 1;
    if (has_parallel && fabs(fabs(parallel) - HALF_PI) > 1e-9)
        p->f = p->a * parallel_m(p, p->sign * parallel) / conformal_t(p, p->sign * parallel);
    else
        p->f = 2 * p->a * scale / sqrt(pow(1 + e, 1 + e) * pow(1 - e, 1 - e));
}

/* Snyder 7-10, 7-12. */
static bool
invert_mercator(const report_projection *p, double x, double y, double *lat, double *lon)
{
    *lat = latitude_of_t(p, exp(-y / p->f));
    *lon = p->lon0 + x / p->f;
    return fabs(x) <= 1.0001 * 2 * HALF_PI * p->f;
}

/* ---- by lengths along meridians --------------------------------------------------------------------------------- */

/* Snyder 3-21: from the equator. */
static double
length_to(const report_projection *p, double lat)
{
    double e2 = p->e * p->e, e4 = e2 * e2, e6 = e4 * e2;

    return p->a * ((1 - e2 / 4 - 3 * e4 / 64 - 5 * e6 / 256) * lat -
                   (3 * e2 / 8 + 3 * e4 / 32 + 45 * e6 / 1024) * sin(2 * lat) +
                   (15 * e4 / 256 + 45 * e6 / 1024) * sin(4 * lat) - 35 * e6 / 3072 * sin(6 * lat));
}

/* Snyder 7-19, 3-24, 3-26. */
static double
latitude_at(const report_projection *p, double length)
{
    double e2 = p->e * p->e, e4 = e2 * e2, e6 = e4 * e2, root = sqrt(1 - e2), n = (1 - root) / (1 + root);
    double mu = length / (p->a * (1 - e2 / 4 - 3 * e4 / 64 - 5 * e6 / 256));

    return mu + (3 * n / 2 - 27 * pow(n, 3) / 32) * sin(2 * mu) +
           (21 * n * n / 16 - 55 * pow(n, 4) / 32) * sin(4 * mu) + 151 * pow(n, 3) / 96 * sin(6 * mu) +
           1097 * pow(n, 4) / 512 * sin(8 * mu);
}

/* Snyder 30-9 to 30-11. */
static bool
invert_sinusoidal(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double east;

    *lat = latitude_at(p, y);
    east = x / (p->a * parallel_m(p, *lat));
    *lon = p->lon0 + east;
    return fabs(*lat) <= HALF_PI && fabs(east) <= 1.0001 * 2 * HALF_PI;
}

/* Snyder 8-12, 8-17, 8-18, 8-21 to 8-25. */
static bool
invert_transverse(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double e2 = p->e * p->e, g = e2 / (1 - e2), foot = latitude_at(p, p->rho0 + y / p->f), s = sin(foot);
    double c = g * cos(foot) * cos(foot), t = tan(foot) * tan(foot), w = 1 - e2 * s * s;
    double d = x * sqrt(w) / (p->a * p->f), d2 = d * d;

    *lat = foot - w / (1 - e2) * tan(foot) * d2 *
                      (0.5 - (5 + 3 * t + 10 * c - 4 * c * c - 9 * g) * d2 / 24 +
                       (61 + 90 * t + 298 * c + 45 * t * t - 252 * g - 3 * c * c) * d2 * d2 / 720);
    *lon =
        p->lon0 +
        d * (1 - (1 + 2 * t + c) * d2 / 6 + (5 - 2 * c + 28 * t - 3 * c * c + 8 * g + 24 * t * t) * d2 * d2 / 120) /
            cos(foot);
    return fabs(d) < 0.5; /* the series is of places near the meridian */
}

/* ---- others ---------------------------------------------------------------------------------------------------- */

/* False: the ray misses the Earth. */
static bool
invert_geostationary(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double q = 1 / (1 - p->e * p->e); /* a^2 / b^2 */
    double ux = cos(x) * cos(y), uy = sin(x) * (p->sweep_x ? 1 : cos(y)), uz = sin(y) * (p->sweep_x ? cos(x) : 1);
    double a, b, c, root, r;

    a = ux * ux + uy * uy + q * uz * uz;
    b = -2 * p->height * ux;
    c = p->height * p->height - p->a * p->a;
    root = b * b - 4 * a * c;
    if (!(root >= 0))
        return false;
    r = (-b - sqrt(root)) / (2 * a);
    *lon = p->lon0 + atan2(r * uy, p->height - r * ux);
    *lat = atan(q * r * uz / hypot(p->height - r * ux, r * uy));
    return true;
}

/* A sphere that is turned: x and y are longitude and latitude about the pole that the mapping names. */
static bool
invert_rotated(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double s = sin(p->lat0), c = cos(p->lat0), turned = x + p->turn;

    *lat = asin(fmin(fmax(sin(y) * s + cos(y) * cos(turned) * c, -1), 1));
    *lon = p->lon0 + atan2(cos(y) * sin(turned), cos(y) * cos(turned) * s - sin(y) * c);
    return true;
}

/* Snyder 3-18. */
static double
latitude_of_equal_area(const report_projection *p, double beta)
{
    double e2 = p->e * p->e, e4 = e2 * e2, e6 = e4 * e2;

    return beta + (e2 / 3 + 31 * e4 / 180 + 517 * e6 / 5040) * sin(2 * beta) +
           (23 * e4 / 360 + 251 * e6 / 3780) * sin(4 * beta) + 761 * e6 / 45360 * sin(6 * beta);
}

/* Snyder 24-26, 24-28 to 24-30; at the poles n is 1. */
static bool
invert_equal_area(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double across = x / p->n, up = y * p->n, rho = hypot(across, up), c;

    *lat = latitude_of_equal_area(p, p->lat0);
    *lon = p->lon0;
    if (rho == 0)
        return true;
    if (rho > 2 * p->rho0)
        return false;
    c = 2 * asin(rho / (2 * p->rho0));
    *lat =
        latitude_of_equal_area(p, asin(fmin(fmax(cos(c) * sin(p->lat0) + up * sin(c) * cos(p->lat0) / rho, -1), 1)));
    *lon += atan2(across * sin(c), rho * cos(p->lat0) * cos(c) - up * sin(p->lat0) * sin(c));
    return true;
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

/* Of cones: two standard parallels, or twice the only one; and the origin. False: it is no cone. */
static bool
load_parallels(int grp, int varid, report_projection *p, double lat[3])
{
    if (!load_number(grp, varid, "standard_parallel", 0, &lat[0]))
        return false;
    lat[1] = lat[2] = lat[0];
    (void)load_number(grp, varid, "standard_parallel", 1, &lat[1]);
    (void)load_number(grp, varid, "latitude_of_projection_origin", 0, &lat[2]);
    (void)load_number(grp, varid, "longitude_of_central_meridian", 0, &p->lon0);
    for (int i = 0; i < 3; i++)
        lat[i] *= RADIAN;
    return lat[0] + lat[1] != 0;
}

static bool
load_lambert(int grp, int varid, report_projection *p)
{
    double lat[3];

    if (!load_parallels(grp, varid, p, lat))
        return false;
    init_lambert(p, lat[0], lat[1], lat[2]);
    p->invert = invert_lambert;
    return true;
}

static bool
load_polar(int grp, int varid, report_projection *p)
{
    double lat0 = 90, parallel = 0, scale = 1;
    bool   has;

    (void)load_number(grp, varid, "latitude_of_projection_origin", 0, &lat0);
    has = load_number(grp, varid, "standard_parallel", 0, &parallel);
    (void)load_number(grp, varid, "scale_factor_at_projection_origin", 0, &scale);
    if (!load_number(grp, varid, "straight_vertical_longitude_from_pole", 0, &p->lon0))
        (void)load_number(grp, varid, "longitude_of_projection_origin", 0, &p->lon0);
    init_polar(p, lat0 * RADIAN, parallel * RADIAN, has, scale);
    p->invert = invert_polar;
    return true;
}

static bool
load_geostationary(int grp, int varid, report_projection *p)
{
    text_buf axis = TEXT_BUF_INIT;

    if (!load_number(grp, varid, "perspective_point_height", 0, &p->height) || p->height <= 0)
        return false;
    (void)load_number(grp, varid, "longitude_of_projection_origin", 0, &p->lon0);
    p->per_metre = 1 / p->height;
    p->height += p->a;
    p->angles = true;
    p->sweep_x = report_add_att(&axis, grp, varid, "sweep_angle_axis", 4) && strcmp(axis.s, "x") == 0;
    text_reset(&axis);
    if (report_add_att(&axis, grp, varid, "fixed_angle_axis", 4))
        p->sweep_x = strcmp(axis.s, "y") == 0;
    text_clear(&axis);
    p->invert = invert_geostationary;
    return true;
}

static bool
load_rotated(int grp, int varid, report_projection *p)
{
    double lat, lon = 0, turn = 0;

    if (!load_number(grp, varid, "grid_north_pole_latitude", 0, &lat))
        return false;
    (void)load_number(grp, varid, "grid_north_pole_longitude", 0, &lon);
    (void)load_number(grp, varid, "north_pole_grid_longitude", 0, &turn);
    p->lat0 = lat * RADIAN;
    p->lon0 = lon + 180;
    p->turn = -turn * RADIAN;
    p->degrees = true;
    p->invert = invert_rotated;
    return true;
}

/* Snyder 3-12 of an angle. */
static double
equal_area_q(const report_projection *p, double lat)
{
    double s = sin(lat), e = p->e, es = e * s;

    return e > 0 ? (1 - e * e) * (s / (1 - es * es) - log((1 - es) / (1 + es)) / (2 * e)) : 2 * s;
}

/* Snyder 3-11, 3-13, 24-20. */
static bool
load_equal_area(int grp, int varid, report_projection *p)
{
    double lat0 = 0, q = equal_area_q(p, HALF_PI);

    (void)load_number(grp, varid, "latitude_of_projection_origin", 0, &lat0);
    (void)load_number(grp, varid, "longitude_of_projection_origin", 0, &p->lon0);
    p->rho0 = p->a * sqrt(q / 2);
    p->lat0 = asin(fmin(fmax(equal_area_q(p, lat0 * RADIAN) / q, -1), 1));
    p->n = fabs(lat0) < 89.999 ? p->a * parallel_m(p, lat0 * RADIAN) / (p->rho0 * cos(p->lat0)) : 1;
    p->invert = invert_equal_area;
    return true;
}

/* Snyder 14-8, 14-9, 14-19, 3-16. */
static bool
invert_albers(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double sign = p->n < 0 ? -1 : 1, down = p->rho0 - y, rho = hypot(x, down) * p->n / p->a;
    double part = (p->f - rho * rho) / p->n / equal_area_q(p, HALF_PI);

    *lat = latitude_of_equal_area(p, asin(fmin(fmax(part, -1), 1)));
    *lon = p->lon0 + atan2(sign * x, sign * down) / p->n;
    return fabs(part) <= 1;
}

/* Snyder 14-3, 14-6, 14-12 to 14-14. */
static bool
load_albers(int grp, int varid, report_projection *p)
{
    double lat[3], m1, m2, q1;

    if (!load_parallels(grp, varid, p, lat))
        return false;
    m1 = parallel_m(p, lat[0]);
    m2 = parallel_m(p, lat[1]);
    q1 = equal_area_q(p, lat[0]);
    p->n = fabs(lat[0] - lat[1]) < 1e-10 ? sin(lat[0]) : (m1 * m1 - m2 * m2) / (equal_area_q(p, lat[1]) - q1);
    p->f = m1 * m1 + p->n * q1;
    p->rho0 = p->a * sqrt(fmax(p->f - p->n * equal_area_q(p, lat[2]), 0)) / p->n;
    p->invert = invert_albers;
    return true;
}

static bool
load_mercator(int grp, int varid, report_projection *p)
{
    double scale = 1, parallel;

    (void)load_number(grp, varid, "scale_factor_at_projection_origin", 0, &scale);
    if (load_number(grp, varid, "standard_parallel", 0, &parallel))
        scale = parallel_m(p, parallel * RADIAN);
    (void)load_number(grp, varid, "longitude_of_projection_origin", 0, &p->lon0);
    p->f = p->a * scale;
    p->invert = invert_mercator;
    return scale > 0;
}

/* CF has one of the names, some writers the other. */
static bool
load_sinusoidal(int grp, int varid, report_projection *p)
{
    if (!load_number(grp, varid, "longitude_of_projection_origin", 0, &p->lon0))
        (void)load_number(grp, varid, "longitude_of_central_meridian", 0, &p->lon0);
    p->invert = invert_sinusoidal;
    return true;
}

static bool
load_transverse(int grp, int varid, report_projection *p)
{
    double lat0 = 0;

    p->f = 1;
    (void)load_number(grp, varid, "scale_factor_at_central_meridian", 0, &p->f);
    (void)load_number(grp, varid, "latitude_of_projection_origin", 0, &lat0);
    (void)load_number(grp, varid, "longitude_of_central_meridian", 0, &p->lon0);
    p->rho0 = length_to(p, lat0 * RADIAN);
    p->invert = invert_transverse;
    return p->f > 0;
}

bool
report_projection_load(int grp, int varid, report_projection *p)
{
    static const struct {
        const char *name;
        bool (*load)(int, int, report_projection *);
    } known[] = {{"lambert_conformal_conic", load_lambert},
                 {"polar_stereographic", load_polar},
                 {"geostationary", load_geostationary},
                 {"rotated_latitude_longitude", load_rotated},
                 {"lambert_azimuthal_equal_area", load_equal_area},
                 {"albers_conical_equal_area", load_albers},
                 {"mercator", load_mercator},
                 {"transverse_mercator", load_transverse},
                 {"sinusoidal", load_sinusoidal}};
    text_buf name = TEXT_BUF_INIT;
    bool     found = false;

    *p = (report_projection){.per_metre = 1};
    load_ellipsoid(grp, varid, p);
    if (report_add_att(&name, grp, varid, "grid_mapping_name", 60))
        for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
            found = strcmp(name.s, known[i].name) == 0 && known[i].load(grp, varid, p);
    text_clear(&name);
    if (found) {
        (void)load_number(grp, varid, "false_easting", 0, &p->east);
        (void)load_number(grp, varid, "false_northing", 0, &p->north);
        p->lon0 *= RADIAN;
    }
    return found;
}

double
report_projection_unit(const report_projection *p, const char *units)
{
    static const struct {
        const char *name;
        double      metres;
    } lengths[] = {{"m", 1},
                   {"meter", 1},
                   {"meters", 1},
                   {"metre", 1},
                   {"metres", 1},
                   {"km", 1000},
                   {"1000 m", 1000},
                   {"kilometer", 1000},
                   {"kilometers", 1000},
                   {"kilometre", 1000},
                   {"kilometres", 1000}};

    if (p->degrees)
        return strncmp(units, "rad", 3) == 0 ? 1 : RADIAN;
    if (p->angles && strncmp(units, "rad", 3) == 0)
        return 1;
    if (p->angles && strcmp(units, "microradian") == 0)
        return 1e-6;
    if (p->angles && strncmp(units, "degree", 6) == 0)
        return RADIAN;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (strcmp(units, lengths[i].name) == 0)
            return lengths[i].metres * p->per_metre;
    return p->angles ? 1 : p->per_metre;
}

bool
report_projection_invert(const report_projection *p, double x, double y, double *lat, double *lon)
{
    double la, lo;

    if (!isfinite(x) || !isfinite(y) || !p->invert(p, x - p->east, y - p->north, &la, &lo) || !isfinite(la) ||
        !isfinite(lo))
        return false;
    *lat = la / RADIAN;
    *lon = lo / RADIAN - 360 * floor((lo / RADIAN + 180) / 360);
    return true;
}
