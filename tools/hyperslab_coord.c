/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_coord.c: finds values of a coordinate variable: the one-dimensional variable of its dimension's name, in
 * the dimension's group. Its values are taken as they are stored: scale_factor and add_offset are not applied.
 */
#include "hyperslab.h"

#include <math.h>
#include <stdio.h>

/* What one pass over the values finds. Of ascending values `from` is the first that is not below the lower limit and
 * `to` the last that is not above the upper one; of descending ones with the limits exchanged. */
typedef struct search {
    const hyperslab_limit *l;
    size_t                 n;            /* values seen */
    size_t                 from, to;     /* SIZE_MAX: none */
    size_t                 nearest;      /* to the first limit */
    double                 distance;     /* its */
    double                 last;         /* the value before */
    bool                   rises, falls; /* some value does so */
} search;

static void
examine_value(search *s, double x, bool descending)
{
    const hyperslab_edge *lower = &s->l->first, *upper = &s->l->last;
    bool                  above = !lower->given || x >= lower->value, below = !upper->given || x <= upper->value;
    double                distance = fabs(x - s->l->first.value);

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

static int
scan_values(search *s, int grp, int varid, size_t len)
{
    enum { PIECE = 4096 };
    double values[PIECE];
    bool   descending = false;
    int    rc;

    for (size_t at = 0, n; at < len; at += n) {
        n = len - at < PIECE ? len - at : PIECE;
        if ((rc = nc_get_vara_double(grp, varid, &at, &n, values)) != NC_NOERR)
            return rc;
        if (at == 0 && n > 1)
            descending = values[1] < values[0];
        for (size_t i = 0; i < n; i++)
            examine_value(s, values[i], descending);
    }
    return NC_NOERR;
}

static int
choose_range(const search *s, size_t *first, size_t *last, const char **problem)
{
    const hyperslab_limit *l = s->l;
    bool                   wraps = l->first.given && l->last.given && l->first.value > l->last.value;

    if (l->single || (l->first.given && l->last.given && !wraps && !(l->first.value < l->last.value))) {
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

int
hyperslab_find_values(const hyperslab_limit *l, int grp, int dimid, size_t *first, size_t *last,
                      char why[HYPERSLAB_WHY_SIZE])
{
    search      s = {.l = l, .from = SIZE_MAX, .to = SIZE_MAX, .nearest = SIZE_MAX, .distance = HUGE_VAL};
    char        name[NC_MAX_NAME + 1];
    const char *problem = "the dimension has no coordinate variable to find values in";
    size_t      len = 0;
    int         varid, rc = find_coordinate(grp, dimid, name, &len, &varid);

    if (rc == NC_NOERR && (rc = scan_values(&s, grp, varid, len)) != NC_NOERR)
        problem = nc_strerror(rc);
    if (rc == NC_NOERR)
        rc = choose_range(&s, first, last, &problem);
    if (rc != NC_NOERR)
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %s", l->text, problem);
    return rc;
}
