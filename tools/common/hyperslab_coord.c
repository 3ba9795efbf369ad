/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_coord.c: finds values of a coordinate variable: the one-dimensional variable of its dimension's name, in
 * the dimension's group. Its values are taken as they are stored: scale_factor and add_offset are not applied.
 */
#include "common/hyperslab.h"

#include "common/error_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The periods of the first and the last limit, if they are dates. */
typedef struct periods {
    cf_timebase base;
    cf_moment   begin, end; /* from `begin` to before `end` */
    bool        misfit;     /* some value is no time */
} periods;

/* What one pass over the values finds. Of ascending values `from` is the first that is not below the lower limit and
 * `to` the last that is not above the upper one; of descending ones with the limits exchanged. */
typedef struct search {
    const hyperslab_limit *l;
    periods               *dates;        /* NULL: limits are values */
    size_t                 n;            /* values seen */
    size_t                 from, to;     /* SIZE_MAX: none */
    size_t                 nearest;      /* to the first limit */
    double                 distance;     /* its */
    double                 last;         /* the value before */
    bool                   rises, falls; /* some value does so */
} search;

static void
compare_dates(periods *p, const hyperslab_limit *l, long double x, bool *above, bool *below)
{
    cf_moment m = {0};

    p->misfit = p->misfit || !ncz_cf_timebase_moment(&p->base, x, &m);
    *above = !l->first.given || ncz_cf_moment_compare(&m, &p->begin) >= 0;
    *below = (!l->last.given && !l->single) || ncz_cf_moment_compare(&m, &p->end) < 0;
}

static void
examine_value(search *s, long double exact, bool descending)
{
    double                x = (double)exact;
    const hyperslab_edge *lower = &s->l->first, *upper = &s->l->last;
    bool                  above = !lower->given || x >= lower->value, below = !upper->given || x <= upper->value;
    double                distance = fabs(x - s->l->first.value);

    if (s->dates != NULL)
        compare_dates(s->dates, s->l, exact, &above, &below);
    if (s->n > 0) {
        s->rises = s->rises || x > s->last;
        s->falls = s->falls || x < s->last;
    }
    if (isnan(x))
        s->rises = s->falls = true;
    if ((descending ? below : above) && s->from == SIZE_MAX)
        s->from = s->n;
    if (descending ? above : below)
        s->to = s->n;
    if (distance < s->distance || (s->nearest == SIZE_MAX && !isnan(distance))) {
        s->nearest = s->n;
        s->distance = distance;
    }
    s->last = x;
    s->n++;
}

static int
find_coordinate(int grp, int dimid, char *name, size_t *len, int *varid)
{
    int rank, dim, rc = nc_inq_dim(grp, dimid, name, len);

    if (rc != NC_NOERR)
        return rc;
    if (nc_inq_varid(grp, name, varid) != NC_NOERR || nc_inq_varndims(grp, *varid, &rank) != NC_NOERR || rank != 1 ||
        nc_inq_vardimid(grp, *varid, &dim) != NC_NOERR || dim != dimid)
        return NC_ENOTVAR;
    return NC_NOERR;
}

enum { PIECE = 2048 };

/* Times since 1970 in nanoseconds have more digits than a double. */
static int
read_values(int grp, int varid, nc_type type, size_t at, size_t n, long double *out)
{
    double             real[PIECE];
    long long          whole[PIECE];
    unsigned long long natural[PIECE];
    int                rc;

    if (type == NC_INT64)
        rc = nc_get_vara_longlong(grp, varid, &at, &n, whole);
    else if (type == NC_UINT64)
        rc = nc_get_vara_ulonglong(grp, varid, &at, &n, natural);
    else
        rc = nc_get_vara_double(grp, varid, &at, &n, real);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        out[i] = type == NC_INT64    ? (long double)whole[i]
                 : type == NC_UINT64 ? (long double)natural[i]
                                     : (long double)real[i];
    return rc;
}

static int
scan_values(search *s, int grp, int varid, size_t len)
{
    long double values[PIECE];
    bool        descending = false;
    nc_type     type;
    int         rc = nc_inq_vartype(grp, varid, &type);

    for (size_t at = 0, n; rc == NC_NOERR && at < len; at += n) {
        n = len - at < PIECE ? len - at : PIECE;
        if ((rc = read_values(grp, varid, type, at, n, values)) != NC_NOERR)
            return rc;
        if (at == 0 && n > 1)
            descending = values[1] < values[0];
        for (size_t i = 0; i < n; i++)
            examine_value(s, values[i], descending);
    }
    return rc;
}

static int
choose_range(const search *s, size_t *first, size_t *last, const char **problem)
{
    const hyperslab_limit *l = s->l;
    bool wraps = s->dates == NULL && l->first.given && l->last.given && l->first.value > l->last.value;

    if (s->dates == NULL &&
        (l->single || (l->first.given && l->last.given && !wraps && !(l->first.value < l->last.value)))) {
        *first = *last = s->nearest;
        *problem = "the coordinate has no number";
        return s->nearest != SIZE_MAX ? NC_NOERR : NC_EINVAL;
    }
    *problem = "the values of the coordinate neither rise nor fall throughout";
    if (s->rises && s->falls)
        return NC_EINVAL;
    *problem = "the values of the coordinate fall: the lower limit comes first";
    if (wraps && s->falls)
        return NC_EINVAL;
    *problem = "a value of the coordinate is not a time";
    if (s->dates != NULL && s->dates->misfit)
        return NC_EINVAL;
    *problem = "no value of the coordinate is within these limits";
    *first = s->from;
    *last = s->to;
    if (!wraps)
        return s->from != SIZE_MAX && s->to != SIZE_MAX && s->from <= s->to ? NC_NOERR : NC_EINVAL;
    if (s->from == SIZE_MAX)
        *first = 0;
    if (s->to == SIZE_MAX)
        *last = s->n - 1;
    return s->from != SIZE_MAX || s->to != SIZE_MAX ? NC_NOERR : NC_EINVAL;
}

/* ---- dates ---- */

/* The text of an attribute; NULL: there is none. */
static char *
load_text_att(int grp, int varid, const char *name)
{
    nc_type type;
    size_t  len;
    char   *text = NULL, *string = NULL;

    if (nc_inq_att(grp, varid, name, &type, &len) != NC_NOERR)
        return NULL;
    if (type == NC_CHAR && (text = calloc(len + 1, 1)) != NULL && nc_get_att_text(grp, varid, name, text) != NC_NOERR)
        text[0] = '\0';
    if (type == NC_STRING && len == 1 && nc_get_att_string(grp, varid, name, &string) == NC_NOERR) {
        text = strdup(string != NULL ? string : "");
        (void)nc_free_string(1, &string);
    }
    return text;
}

static bool
set_periods(const hyperslab_limit *l, periods *p, char why[HYPERSLAB_WHY_SIZE])
{
    cf_moment             begin = {0}, end = {0};
    const hyperslab_edge *edges[] = {&l->first, &l->last};

    for (size_t i = 0; i < 2; i++) {
        const cf_date *d = &edges[i]->date;

        if (edges[i]->given && !ncz_cf_date_period(p->base.cal, d, &begin, &end)) {
            (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the calendar has no day %04lld-%02d-%02d", l->text, d->year,
                           d->month, d->mday);
            return false;
        }
        if (i == 0)
            p->begin = begin;
        if (i == 1 || l->single)
            p->end = end;
        if (l->single)
            return true;
    }
    if (!l->first.given || !l->last.given || ncz_cf_moment_compare(&p->begin, &p->end) < 0)
        return true;
    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the first date is later than the last", l->text);
    return false;
}

/* What the dates mean by the coordinate's units and calendar. */
static bool
read_periods(const hyperslab_limit *l, int grp, int varid, const char *name, periods *p, char why[HYPERSLAB_WHY_SIZE])
{
    char       *units = load_text_att(grp, varid, "units"), *cal = load_text_att(grp, varid, "calendar");
    cf_calendar known;
    bool        good = false;

    if (units == NULL)
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %s has no attribute units, so dates mean nothing to it", l->text,
                       name);
    else if (cal != NULL && !ncz_cf_calendar_find(cal, &known))
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: the calendar of %s, \"%.100s\", is not known", l->text, name,
                       cal);
    else if (!ncz_cf_timebase_parse(units, cal, &p->base))
        (void)snprintf(why, HYPERSLAB_WHY_SIZE,
                       "%s: the units of %s, \"%.100s\", are not those of a time: UNIT since DATE", l->text, name,
                       units);
    else
        good = set_periods(l, p, why);
    free(units);
    free(cal);
    return good;
}

int
hyperslab_find_values(const hyperslab_limit *l, int grp, int dimid, size_t *first, size_t *last,
                      char why[HYPERSLAB_WHY_SIZE])
{
    periods     dates = {.misfit = false};
    search      s = {.l = l, .from = SIZE_MAX, .to = SIZE_MAX, .nearest = SIZE_MAX, .distance = HUGE_VAL};
    char        name[NC_MAX_NAME + 1], text[ERROR_TEXT_SIZE];
    const char *problem = "the dimension has no coordinate variable to find values in";
    size_t      len = 0;
    int         varid, rc = find_coordinate(grp, dimid, name, &len, &varid);

    if (rc == NC_NOERR && l->by_date) {
        s.dates = &dates;
        if (!read_periods(l, grp, varid, name, &dates, why))
            return NC_EINVAL;
    }
    if (rc == NC_NOERR && (rc = scan_values(&s, grp, varid, len)) != NC_NOERR) {
        error_text(rc, NULL, text);
        problem = text;
    }
    if (rc == NC_NOERR)
        rc = choose_range(&s, first, last, &problem);
    if (rc != NC_NOERR)
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %.400s", l->text, problem);
    return rc;
}
