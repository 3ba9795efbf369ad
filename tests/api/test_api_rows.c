/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gets and puts of a few elements in a row, and of small variables whole, which go a way of their own, against an
 * array in memory and against nc_get_varm, which does not: random rows of variables of several types and ranks, in
 * classic files and in Zarr, with records that are appended in between.
 */
#include "api_test.h"

#include <limits.h>

enum { MOST = 6, ELEMS = 40 * MOST * MOST, ROUNDS = 1500 };

typedef struct array {
    int     ncid, var, beside, rank; /* `beside`: another variable of the same shape, which has fill values */
    nc_type type;
    size_t  shape[3], chunk[3];
    bool    grows;
    double  values[ELEMS]; /* in C order of the largest shape */
} array;

static uint64_t
rnd(uint64_t *state, uint64_t n)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* The place of an index in the array in memory, whose second and third dimension have MOST elements. */
static double *
at(array *a, const size_t *index)
{
    size_t i = 0;

    for (int d = 0; d < a->rank; d++)
        i = i * MOST + index[d];
    assert_true(i < ELEMS);
    return &a->values[i];
}

static void
define(array *a, place *p, const char *mode, int cmode, uint64_t *seed)
{
    static const nc_type types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE};
    int                  dims[3];

    a->rank = (int)rnd(seed, 4);
    a->type = types[rnd(seed, NCZ_LEN(types))];
    a->grows = a->rank > 0 && rnd(seed, 2) == 0;
    OK(place_create(p, mode, cmode | NC_CLOBBER, &a->ncid));
    for (int d = 0; d < a->rank; d++) {
        char name[2] = {(char)('x' + d), '\0'};

        a->shape[d] = d == 0 && a->grows ? 0 : 1 + rnd(seed, MOST);
        a->chunk[d] = 1 + rnd(seed, d == 0 && a->grows ? 4 : a->shape[d]);
        OK(nc_def_dim(a->ncid, name, d == 0 && a->grows ? NC_UNLIMITED : a->shape[d], &dims[d]));
    }
    OK(nc_def_var(a->ncid, "beside", a->type, a->rank, dims, &a->beside));
    OK(nc_def_var(a->ncid, "v", a->type, a->rank, dims, &a->var));
    if (cmode == 0 && a->rank > 0)
        OK(nc_def_var_chunking(a->ncid, a->var, NC_CHUNKED, a->chunk));
    OK(nc_enddef(a->ncid));
}

/* Where a random row or box begins, and its lengths. `more`: how many elements longer the first dimension may be. */
static void
pick(const array *a, uint64_t *seed, size_t more, size_t *start, size_t *count)
{
    for (int d = 0; d < a->rank; d++) {
        size_t len = a->shape[d] + (d == 0 && a->grows ? more : 0);

        start[d] = rnd(seed, len);
        count[d] = rnd(seed, 2) == 0 ? 1 : 1 + rnd(seed, len - start[d]);
    }
}

static size_t
nelems_of(const array *a, const size_t *count)
{
    size_t n = 1;

    for (int d = 0; d < a->rank; d++)
        n *= count[d];
    return n;
}

/* The index of element `i` of a box. */
static void
index_of(const array *a, const size_t *start, const size_t *count, size_t i, size_t *index)
{
    for (int d = a->rank; d-- > 0;) {
        index[d] = start[d] + i % count[d];
        i /= count[d];
    }
}

static void
put(array *a, uint64_t *seed)
{
    size_t start[3] = {0}, count[3] = {0}, index[3] = {0}, n;
    double in[ELEMS];
    int    whole[ELEMS];
    bool   one = rnd(seed, 2) == 0;

    pick(a, seed, a->shape[0] == 0 || rnd(seed, 3) == 0, start, count);
    for (int d = 0; d < a->rank && one; d++)
        count[d] = 1;
    n = nelems_of(a, count);
    for (size_t i = 0; i < n; i++) {
        in[i] = whole[i] = (int)rnd(seed, 200) - 100;
        index_of(a, start, count, i, index);
        *at(a, index) = in[i];
    }
    if (rnd(seed, 2) == 0)
        OK(one ? nc_put_var1_double(a->ncid, a->var, start, in)
               : nc_put_vara_double(a->ncid, a->var, start, count, in));
    else
        OK(one ? nc_put_var1_int(a->ncid, a->var, start, whole)
               : nc_put_vara_int(a->ncid, a->var, start, count, whole));
    if (a->rank > 0 && start[0] + count[0] > a->shape[0])
        a->shape[0] = start[0] + count[0];
}

/* All of the variable in memory, in C order. */
static size_t
all_values(array *a, double *out)
{
    size_t start[3] = {0}, index[3] = {0}, n = nelems_of(a, a->shape);

    for (size_t i = 0; i < n; i++) {
        index_of(a, start, a->shape, i, index);
        out[i] = *at(a, index);
    }
    return n;
}

static void
put_all(array *a, uint64_t *seed)
{
    size_t start[3] = {0}, index[3] = {0}, n = nelems_of(a, a->shape);
    double in[ELEMS];

    for (size_t i = 0; i < n; i++) {
        in[i] = (double)rnd(seed, 200) - 100;
        index_of(a, start, a->shape, i, index);
        *at(a, index) = in[i];
    }
    OK(nc_put_var_double(a->ncid, a->var, in));
}

static void
get_all(array *a)
{
    double out[ELEMS], all[ELEMS];
    size_t n = all_values(a, all);

    OK(nc_get_var_double(a->ncid, a->var, out));
    for (size_t i = 0; i < n; i++)
        assert_true(out[i] == all[i]);
}

static double
fill_of(nc_type type)
{
    switch (type) {
    case NC_BYTE: return NC_FILL_BYTE;
    case NC_SHORT: return NC_FILL_SHORT;
    case NC_INT: return NC_FILL_INT;
    case NC_FLOAT: return (double)NC_FILL_FLOAT;
    default: return NC_FILL_DOUBLE;
    }
}

/* Gets by rows, and by a map, give what was put. */
static void
get(array *a, uint64_t *seed)
{
    size_t    start[3] = {0}, count[3] = {0}, index[3] = {0}, n;
    ptrdiff_t one[3] = {1, 1, 1}, map[3] = {1, 1, 1};
    double    out[ELEMS], mapped[ELEMS];
    float     few[ELEMS];

    if (a->rank > 0 && a->shape[0] == 0)
        return;
    pick(a, seed, 0, start, count);
    n = nelems_of(a, count);
    if (rnd(seed, 2) == 0) /* those of the same records may come with them */
        OK(nc_get_vara_double(a->ncid, a->beside, start, count, out));
    for (int d = a->rank; d-- > 1;)
        map[d - 1] = map[d] * (ptrdiff_t)count[d];
    OK(nc_get_vara_double(a->ncid, a->var, start, count, out));
    OK(nc_get_vara_float(a->ncid, a->var, start, count, few));
    OK(nc_get_varm_double(a->ncid, a->var, start, count, one, map, mapped));
    for (size_t i = 0; i < n; i++) {
        double element;

        index_of(a, start, count, i, index);
        OK(nc_get_var1_double(a->ncid, a->beside, index, &element));
        assert_true(element == fill_of(a->type));
        OK(nc_get_var1_double(a->ncid, a->var, index, &element));
        assert_true(element == out[i] && few[i] == (float)out[i] && mapped[i] == out[i] && out[i] == *at(a, index));
    }
}

/* What a row must not do: leave the array, or be moved without memory, or where the variable is not. */
static void
refuse(array *a)
{
    size_t start[3] = {0}, count[3] = {1, 1, 1};
    double d = 0;

    FAILS(NC_ENOTVAR, nc_get_var1_double(a->ncid, 2, start, &d));
    FAILS(NC_ECHAR, nc_get_vara_text(a->ncid, a->var, start, count, (char *)&d));
    if (a->rank == 0)
        return;
    FAILS(NC_EINVALCOORDS, nc_get_var1_double(a->ncid, a->var, NULL, &d));
    start[a->rank - 1] = SIZE_MAX;
    FAILS(NC_EINVALCOORDS, nc_get_var1_double(a->ncid, a->var, start, &d));
    start[a->rank - 1] = 0;
    if (a->rank == 0 || a->shape[0] == 0)
        return;
    FAILS(NC_EINVAL, nc_get_vara_double(a->ncid, a->var, start, count, NULL));
    count[a->rank - 1] = SIZE_MAX;
    FAILS(NC_EEDGE, nc_get_vara_double(a->ncid, a->var, start, count, &d));
    count[a->rank - 1] = a->shape[a->rank - 1] + 1;
    FAILS(NC_EEDGE, nc_get_vara_double(a->ncid, a->var, start, count, &d));
}

/* Values that do not fit are moved all the same, and the call says so. */
static void
out_of_range(array *a)
{
    size_t start[3] = {0};
    double large = 1e300, d;
    float  f;

    if (a->type == NC_DOUBLE) {
        OK(nc_put_var1_double(a->ncid, a->var, start, &large));
        FAILS(NC_ERANGE, nc_get_var1_float(a->ncid, a->var, start, &f));
        OK(nc_get_var1_double(a->ncid, a->var, start, &d));
        assert_true(d == large);
    } else {
        FAILS(NC_ERANGE, nc_put_var1_double(a->ncid, a->var, start, &large));
    }
    OK(nc_put_var1_double(a->ncid, a->var, start, at(a, start)));
}

/* The first put of all of a variable may say that values do not fit, too. */
static void
first_out_of_range(array *a)
{
    double all[ELEMS], before[ELEMS];
    size_t n = all_values(a, before);

    for (size_t i = 0; i < n; i++)
        all[i] = 1e300;
    if (a->type != NC_DOUBLE && n > 0)
        FAILS(NC_ERANGE, nc_put_var_double(a->ncid, a->var, all));
    OK(nc_put_var_double(a->ncid, a->var, before));
    get_all(a);
}

static void
run(place *p, const char *mode, int cmode, uint64_t seed)
{
    array a = {.var = 0};

    define(&a, p, mode, cmode, &seed);
    for (size_t i = 0; i < ELEMS; i++)
        a.values[i] = fill_of(a.type);
    if (rnd(&seed, 2) == 0)
        first_out_of_range(&a);
    for (int i = 0; i < ROUNDS; i++) {
        if (a.shape[0] < 30 && rnd(&seed, 2) == 0)
            put(&a, &seed);
        if (rnd(&seed, 8) == 0)
            put_all(&a, &seed);
        get(&a, &seed);
        if (rnd(&seed, 4) == 0)
            get_all(&a);
        if (rnd(&seed, 100) == 0)
            OK(nc_sync(a.ncid));
    }
    if (a.rank == 0 || a.shape[0] > 0)
        out_of_range(&a);
    FAILS(NC_ENOTVAR, nc_put_var1_double(a.ncid, -1, a.shape, a.values));
    if (a.rank > 0)
        FAILS(NC_EINVALCOORDS, nc_put_var1_double(a.ncid, a.var, (size_t[]){SIZE_MAX, 0, 0}, a.values));
    refuse(&a);
    OK(nc_close(a.ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &a.ncid));
    OK(nc_inq_varid(a.ncid, "v", &a.var));
    get_all(&a);
    for (int i = 0; i < 50; i++)
        get(&a, &seed);
    FAILS(NC_EPERM, nc_put_var1_double(a.ncid, a.var, a.shape, a.values));
    refuse(&a);
    OK(nc_close(a.ncid));
}

TEST(rows_are_the_same_by_every_call)
{
    static const struct {
        const char *name, *mode;
        int         cmode;
    } places[] = {{"data.zarr", "mode=nczarr", 0},
                  {"data.nc", NULL, NC_CLASSIC_MODEL},
                  {"data.nc", NULL, NC_64BIT_OFFSET},
                  {"data.nc", NULL, NC_64BIT_DATA}};

    for (uint64_t seed = 1; seed <= 24; seed++) {
        size_t which = seed % NCZ_LEN(places);
        place  p;

        place_make(&p, false);
        snprintf(p.path, sizeof p.path, "%.250s/%s", p.dir, places[which].name);
        run(&p, places[which].mode, places[which].cmode, seed);
        place_drop(&p);
    }
}
