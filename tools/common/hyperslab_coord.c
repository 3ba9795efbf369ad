/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_coord.c: finds values of a coordinate variable: the one-dimensional variable of its dimension's name, in
 * the dimension's group, or the only one along it that can be meant. Its values are taken as they are stored:
 * scale_factor and add_offset are applied only for boxes, which are in degrees. Dates are also looked for in the texts
 * `Times` of WRF and `xtime` of MPAS. Longitudes repeat after 360 degrees.
 *
 * What is taken is said where a limit lies outside of the values.
 */
#include "common/hyperslab_int.h"

#include "common/coord_role.h"
#include "common/error_text.h"
#include "common/group_tree.h"
#include "common/memory.h"
#include "common/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A coordinate, and what a limit means to it. */
typedef struct coord {
    const hyperslab_limit *l;
    char                   name[NC_MAX_NAME + 1];
    size_t                 len;
    int                    grp, varid;
    bool                   longitudes;
    double                 scale, offset; /* what makes stored values those that limits mean */
    hyperslab_dates       *dates;         /* NULL: limits are values */
} coord;

/* The places of the first and the last of equal values. */
typedef struct places {
    double value;
    size_t first, last; /* SIZE_MAX: none */
} places;

/* What one pass over the values finds. Of ascending values `from` is the first that is not below the lower limit and
 * `to` the last that is not above the upper one; of descending ones with the limits exchanged. */
typedef struct search {
    const coord *c;
    size_t       n;           /* values seen */
    size_t       from, to;    /* SIZE_MAX: none */
    size_t       nearest;     /* to the first limit */
    double       distance;    /* its */
    double       least, most; /* values; of dates, days */
    double       head[2];     /* the first two, */
    double       tail[2];     /* and the last two */
    long double  ends[2];     /* the first and the last, exactly; or as texts: */
    char         label[2][HYPERSLAB_LABEL_SIZE];
    places       west, east;   /* of longitudes in the limits: degrees east of the first limit */
    bool         rises, falls; /* some value does so */
} search;

/* ---- one value ---- */

/* Degrees east of another longitude: 0 to less than 360. */
static double
east_of(double x, double from)
{
    double d = fmod(x - from, 360);

    return d < 0 ? d + 360 : d;
}

/* How many degrees the limits span. */
static double
width_of(const hyperslab_limit *l)
{
    double width = l->last.value - l->first.value;

    return width < 0 ? east_of(l->last.value, l->first.value) : width;
}

static void
note_place(places *p, double value, size_t at, bool better)
{
    if (p->first == SIZE_MAX || better)
        *p = (places){value, at, at};
    else if (!(value < p->value) && !(value > p->value))
        p->last = at;
}

static void
note_longitude(search *s, double x)
{
    double east = east_of(x, s->c->l->first.value);

    if (!(east <= width_of(s->c->l)))
        return;
    note_place(&s->west, east, s->n, east < s->west.value);
    note_place(&s->east, east, s->n, east > s->east.value);
}

static void
note_order(search *s, double x)
{
    if (s->n > 0) {
        s->rises = s->rises || x > s->tail[1];
        s->falls = s->falls || x < s->tail[1];
    }
    if (isnan(x))
        s->rises = s->falls = true;
    s->least = s->n == 0 || x < s->least ? x : s->least;
    s->most = s->n == 0 || x > s->most ? x : s->most;
    if (s->n < 2)
        s->head[s->n] = x;
    s->tail[0] = s->n == 0 ? x : s->tail[1];
    s->tail[1] = x;
}

static void
note_nearest(search *s, double x)
{
    double distance = fabs(x - s->c->l->first.value);

    if (s->c->longitudes && (distance = fmod(distance, 360)) > 180)
        distance = 360 - distance;
    if (distance < s->distance || (s->nearest == SIZE_MAX && !isnan(distance))) {
        s->nearest = s->n;
        s->distance = distance;
    }
}

static void
examine_value(search *s, double x, bool above, bool below, bool descending)
{
    note_order(s, x);
    if ((descending ? below : above) && s->from == SIZE_MAX)
        s->from = s->n;
    if (descending ? above : below)
        s->to = s->n;
    s->n++;
}

static void
examine_number(search *s, double x, bool descending)
{
    const hyperslab_edge *lower = &s->c->l->first, *upper = &s->c->l->last;

    note_nearest(s, x);
    if (s->c->longitudes)
        note_longitude(s, x);
    examine_value(s, x, !lower->given || x >= lower->value, !upper->given || x <= upper->value, descending);
}

static void
examine_date(search *s, const cf_moment *m, bool descending)
{
    const hyperslab_limit *l = s->c->l;
    const hyperslab_dates *d = s->c->dates;

    examine_value(s, hyperslab_days(m), !l->first.given || ncz_cf_moment_compare(m, &d->begin) >= 0,
                  (!l->last.given && !l->single) || ncz_cf_moment_compare(m, &d->end) < 0, descending);
}

/* ---- all of them ---- */

enum { PIECE = 2048 };

/* Times since 1970 in nanoseconds have more digits than a double. */
static int
read_values(const coord *c, nc_type type, size_t at, size_t n, long double *out)
{
    double             real[PIECE];
    long long          whole[PIECE];
    unsigned long long natural[PIECE];
    int                rc;

    if (type == NC_INT64)
        rc = nc_get_vara_longlong(c->grp, c->varid, &at, &n, whole);
    else if (type == NC_UINT64)
        rc = nc_get_vara_ulonglong(c->grp, c->varid, &at, &n, natural);
    else
        rc = nc_get_vara_double(c->grp, c->varid, &at, &n, real);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        out[i] = type == NC_INT64    ? (long double)whole[i]
                 : type == NC_UINT64 ? (long double)natural[i]
                                     : (long double)real[i];
    for (size_t i = 0; rc == NC_NOERR && c->l->is_box && i < n; i++)
        out[i] = out[i] * c->scale + c->offset;
    return rc;
}

static int
scan_values(search *s)
{
    const coord *c = s->c;
    long double  values[PIECE];
    bool         descending = false;
    nc_type      type;
    int          rc = nc_inq_vartype(c->grp, c->varid, &type);

    for (size_t at = 0, n; rc == NC_NOERR && at < c->len; at += n) {
        n = c->len - at < PIECE ? c->len - at : PIECE;
        if ((rc = read_values(c, type, at, n, values)) != NC_NOERR)
            return rc;
        if (at == 0 && n > 1)
            descending = values[1] < values[0];
        s->ends[0] = at == 0 ? values[0] : s->ends[0];
        s->ends[1] = values[n - 1];
        for (size_t i = 0; i < n; i++) {
            if (c->dates == NULL) {
                examine_number(s, (double)values[i], descending);
            } else {
                cf_moment m = hyperslab_date_of_value(c->dates, values[i]);

                examine_date(s, &m, descending);
            }
        }
    }
    return rc;
}

/* One text: of characters, or a string. */
static int
read_text(const coord *c, nc_type type, size_t at, size_t width, char *out)
{
    size_t start[2] = {at, 0}, count[2] = {1, width};
    char  *string = NULL;
    int    rc;

    memset(out, 0, width);
    if (type == NC_CHAR)
        return nc_get_vara_text(c->grp, c->varid, start, count, out);
    rc = nc_get_vara_string(c->grp, c->varid, start, count, &string);
    if (rc == NC_NOERR && string != NULL)
        memcpy(out, string, strlen(string) < width ? strlen(string) : width);
    if (rc == NC_NOERR)
        (void)nc_free_string(1, &string);
    return rc;
}

static int
scan_texts(search *s)
{
    const coord *c = s->c;
    int          dims[2];
    size_t       width = HYPERSLAB_LABEL_SIZE;
    bool         descending = false; /* models go forward in time */
    char        *text;
    nc_type      type;
    int          rc = nc_inq_vartype(c->grp, c->varid, &type);

    if (rc == NC_NOERR && type == NC_CHAR && (rc = nc_inq_vardimid(c->grp, c->varid, dims)) == NC_NOERR)
        rc = nc_inq_dimlen(c->grp, dims[1], &width);
    text = memory_alloc(width + 1, 1);
    for (size_t i = 0; rc == NC_NOERR && i < c->len; i++) {
        if ((rc = read_text(c, type, i, width, text)) == NC_NOERR) {
            cf_moment m = hyperslab_date_of_text(c->dates, text, width);

            (void)snprintf(s->label[i > 0], HYPERSLAB_LABEL_SIZE, "%.*s", (int)strcspn(text, " "), text);
            if (i == 0)
                memcpy(s->label[1], s->label[0], HYPERSLAB_LABEL_SIZE);
            examine_date(s, &m, descending);
        }
    }
    free(text);
    return rc;
}

/* ---- what is taken ---- */

static bool
wraps(const hyperslab_limit *l)
{
    return l->by_value && l->first.given && l->last.given && l->first.value > l->last.value;
}

/* The values are longitudes, of one turn at most, and what the limits mean depends on that. */
static bool
goes_round(const search *s)
{
    const hyperslab_limit *l = s->c->l;

    return s->c->longitudes && l->first.given && l->last.given && s->most - s->least <= 360 &&
           (wraps(l) || l->first.value < s->least || l->last.value > s->most);
}

static int
choose_longitudes(const search *s, size_t *first, size_t *last)
{
    if (s->west.first == SIZE_MAX)
        return NC_EINVAL;
    *first = 0;
    *last = s->n - 1;
    if (width_of(s->c->l) >= 360)
        return NC_NOERR;
    *first = s->falls ? s->east.first : s->west.first;
    *last = s->falls ? s->west.last : s->east.last;
    return NC_NOERR;
}

static int
choose_range(const search *s, size_t *first, size_t *last, const char **problem)
{
    const hyperslab_limit *l = s->c->l;

    if (l->by_value &&
        (l->single || (l->first.given && l->last.given && !wraps(l) && !(l->first.value < l->last.value)))) {
        *first = *last = s->nearest;
        *problem = "the coordinate has no number";
        return s->nearest != SIZE_MAX ? NC_NOERR : NC_EINVAL;
    }
    *problem = "the values of the coordinate neither rise nor fall throughout";
    if (s->rises && s->falls)
        return NC_EINVAL;
    *problem = "a value of the coordinate is not a time";
    if (s->c->dates != NULL && s->c->dates->misfit)
        return NC_EINVAL;
    *problem = "no value of the coordinate is within these limits";
    if (goes_round(s))
        return choose_longitudes(s, first, last);
    if (wraps(l) && s->falls)
        *problem = "the values of the coordinate fall: the lower limit comes first";
    if (wraps(l) && s->falls)
        return NC_EINVAL;
    *first = s->from;
    *last = s->to;
    if (!wraps(l))
        return s->from != SIZE_MAX && s->to != SIZE_MAX && s->from <= s->to ? NC_NOERR : NC_EINVAL;
    if (s->from == SIZE_MAX)
        *first = 0;
    if (s->to == SIZE_MAX)
        *last = s->n - 1;
    return s->from != SIZE_MAX || s->to != SIZE_MAX ? NC_NOERR : NC_EINVAL;
}

/* ---- what is said ---- */

/* How far a limit may lie outside: within the cell of a value. Dates are often in the middle of theirs. */
static double
find_slack(const search *s, bool at_end)
{
    double step = s->n < 2 ? 0 : fabs(at_end ? s->tail[1] - s->tail[0] : s->head[1] - s->head[0]);

    return s->c->dates != NULL ? step : step / 2;
}

static void
say_end(const search *s, bool upper)
{
    bool at_end = upper != s->falls; /* of the dimension */
    char label[HYPERSLAB_LABEL_SIZE];

    if (s->c->dates == NULL)
        (void)snprintf(label, sizeof label, "%.10g", upper ? s->most : s->least);
    else if (s->c->dates->texts)
        memcpy(label, s->label[at_end], sizeof label);
    else
        hyperslab_print_day(s->c->dates, s->ends[at_end], label);
    message_print("%s: the values of %s %s %s", s->c->l->text, s->c->name, upper ? "end at" : "begin at", label);
}

/* Where more than what is taken anyway comes with those that are 360 degrees away. */
static void
say_longitudes(const search *s, size_t first, size_t last)
{
    double x[2] = {0};

    if (width_of(s->c->l) < 360 && nc_get_var1_double(s->c->grp, s->c->varid, &first, &x[0]) == NC_NOERR &&
        nc_get_var1_double(s->c->grp, s->c->varid, &last, &x[1]) == NC_NOERR)
        message_print("%s: longitudes repeat after 360 degrees: %s from %.10g to %.10g is taken", s->c->l->text,
                      s->c->name, x[0], x[1]);
}

static void
say_nearest(const search *s)
{
    double x;

    if (nc_get_var1_double(s->c->grp, s->c->varid, &s->nearest, &x) == NC_NOERR)
        message_print("%s: the nearest value of %s is %.10g", s->c->l->text, s->c->name, x);
}

/* What of the limits lies outside of the values. */
static void
say_outside(const search *s, size_t first, size_t last)
{
    const hyperslab_limit *l = s->c->l;
    const hyperslab_dates *d = s->c->dates;
    double                 low = s->least - find_slack(s, s->falls), high = s->most + find_slack(s, !s->falls);
    double                 from = d != NULL ? hyperslab_days(&d->first_end) : l->first.value;
    double                 to = d != NULL ? hyperslab_days(&d->last_begin) : l->single ? from : l->last.value;
    bool                   below = l->first.given && (from < low || (wraps(l) && from > high));
    bool                   above = (l->last.given || l->single) && (to > high || (wraps(l) && to < low));

    if (l->single) { /* a date alone takes what there is of its period */
        if (d == NULL && (below || above))
            say_nearest(s);
    } else if (goes_round(s) && (s->from != first || s->to != last)) {
        if (below || above)
            say_longitudes(s, first, last);
    } else if (!wraps(l) && !(s->c->longitudes && width_of(l) >= 360)) {
        if (below)
            say_end(s, false);
        if (above)
            say_end(s, true);
    }
}

/* ---- the coordinate ---- */

static bool
may_be_coordinate(int grp, int varid, bool dates)
{
    char *units = coord_text_att(grp, varid, "units"), *axis = coord_text_att(grp, varid, "axis");
    bool  is = dates ? units != NULL && strstr(units, " since ") != NULL
                     : axis != NULL || coord_is_latitude(grp, varid) || coord_is_longitude(grp, varid);

    free(units);
    free(axis);
    return is;
}

bool
hyperslab_find_coordinate(int grp, int dimid, bool dates, int *varid)
{
    char    name[NC_MAX_NAME + 1];
    id_list vars;
    int     found = 0;

    if (nc_inq_dimname(grp, dimid, name) == NC_NOERR && nc_inq_varid(grp, name, varid) == NC_NOERR &&
        coord_is_along(grp, *varid, dimid))
        return true;
    if (id_list_vars(grp, &vars) == NC_NOERR)
        for (int i = 0; i < vars.n; i++)
            if (coord_is_along(grp, vars.id[i], dimid) && may_be_coordinate(grp, vars.id[i], dates)) {
                *varid = vars.id[i];
                found++;
            }
    id_list_clear(&vars);
    return found == 1;
}

static int
find_numbers(coord *c, int dimid)
{
    char dim[NC_MAX_NAME + 1];
    int  rc = nc_inq_dim(c->grp, dimid, dim, &c->len);

    if (rc == NC_NOERR && !hyperslab_find_coordinate(c->grp, dimid, c->l->by_date, &c->varid))
        rc = NC_ENOTVAR;
    if (rc == NC_NOERR && (rc = nc_inq_varname(c->grp, c->varid, c->name)) == NC_NOERR && strcmp(c->name, dim) != 0)
        message_print("%s: by %s", c->l->text, c->name);
    return rc;
}

/* Degrees, of what may be packed or in radians. */
static void
load_scale(coord *c)
{
    double degrees = coord_degrees_in_unit(c->grp, c->varid);

    c->scale = 1;
    c->offset = 0;
    (void)nc_get_att_double(c->grp, c->varid, "scale_factor", &c->scale);
    (void)nc_get_att_double(c->grp, c->varid, "add_offset", &c->offset);
    c->scale *= degrees;
    c->offset *= degrees;
}

/* Texts along the dimension. */
static int
find_texts(coord *c, int dimid)
{
    static const char *const names[] = {"Times", "xtime"};
    int                      rank, dims[2];
    nc_type                  type;

    for (size_t i = 0; i < 2; i++)
        if (nc_inq_varid(c->grp, names[i], &c->varid) == NC_NOERR &&
            nc_inq_varndims(c->grp, c->varid, &rank) == NC_NOERR &&
            nc_inq_vartype(c->grp, c->varid, &type) == NC_NOERR && rank == (type == NC_CHAR ? 2 : 1) &&
            (type == NC_CHAR || type == NC_STRING) && nc_inq_vardimid(c->grp, c->varid, dims) == NC_NOERR &&
            dims[0] == dimid) {
            (void)snprintf(c->name, sizeof c->name, "%s", names[i]);
            return NC_NOERR;
        }
    return NC_ENOTVAR;
}

/* What the dimension lacks. Its own variable is said with the type, where that is no number. */
static void
say_no_coordinate(const coord *c, int dimid, char why[HYPERSLAB_WHY_SIZE])
{
    char    dim[NC_MAX_NAME + 1], name[NC_MAX_NAME + 1];
    int     varid;
    nc_type type;

    if (nc_inq_dimname(c->grp, dimid, dim) == NC_NOERR && nc_inq_varid(c->grp, dim, &varid) == NC_NOERR &&
        nc_inq_vartype(c->grp, varid, &type) == NC_NOERR &&
        (type == NC_CHAR || type == NC_STRING || type > NC_MAX_ATOMIC_TYPE) &&
        nc_inq_type(c->grp, type, name, NULL) == NC_NOERR)
        (void)snprintf(why, HYPERSLAB_WHY_SIZE,
                       "%.100s: %.100s has the type %.100s, and values are found among numbers: give indices",
                       c->l->text, dim, name);
    else
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the dimension has no coordinate variable to find values in",
                       c->l->text);
}

static int
find_coordinate(coord *c, int dimid, hyperslab_dates *dates, char why[HYPERSLAB_WHY_SIZE])
{
    bool texts = false;
    int  rc = find_numbers(c, dimid);

    if (rc == NC_ENOTVAR && c->l->by_date) {
        rc = find_texts(c, dimid);
        texts = rc == NC_NOERR;
    }
    if (rc != NC_NOERR) {
        say_no_coordinate(c, dimid, why);
        return rc;
    }
    c->longitudes = c->l->by_value && coord_is_longitude(c->grp, c->varid);
    if (c->l->is_box)
        load_scale(c);
    if (!c->l->by_date)
        return NC_NOERR;
    c->dates = dates;
    return hyperslab_dates_read(c->l, c->grp, c->varid, c->name, texts, dates, why) ? NC_NOERR : NC_EINVAL;
}

int
hyperslab_find_values(const hyperslab_limit *l, int grp, int dimid, size_t *first, size_t *last,
                      char why[HYPERSLAB_WHY_SIZE])
{
    hyperslab_dates dates;
    coord           c = {.l = l, .grp = grp};
    search          s = {.c = &c,
                         .from = SIZE_MAX,
                         .to = SIZE_MAX,
                         .nearest = SIZE_MAX,
                         .distance = HUGE_VAL,
                         .west.first = SIZE_MAX,
                         .east.first = SIZE_MAX};
    char            text[ERROR_TEXT_SIZE];
    const char     *problem = text;
    int             rc = find_coordinate(&c, dimid, &dates, why);

    if (rc != NC_NOERR)
        return rc;
    rc = c.dates != NULL && c.dates->texts ? scan_texts(&s) : scan_values(&s);
    if (rc != NC_NOERR)
        error_text(rc, NULL, text);
    else if ((rc = choose_range(&s, first, last, &problem)) == NC_NOERR)
        say_outside(&s, *first, *last);
    if (rc != NC_NOERR)
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %.400s", l->text, problem);
    return rc;
}
