/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CF aggregation variables (CF-1.13, section 2.8): what a reader sees of them, and the values of their fragments, which
 * files of all formats have.
 */
#include "api_test.h"
#include "support/scratch.h"

#include <math.h>
#include <pthread.h>
#include <sys/resource.h>

/* How the files of one run are made. */
typedef struct form {
    const char *suffix; /* of the aggregation's file and the fragments' */
    int         cmode;
} form;

static const form forms[] = {{".nc", NC_NETCDF4}, {".nc", NC_64BIT_DATA}, {".zarr", NC_NETCDF4}};

static const char *
in_dir(const char *name, const char *suffix)
{
    static char text[8][400];
    static int  turn;
    char       *t = text[turn++ % 8];

    snprintf(t, sizeof text[0], "%s/%s%s", scratch_dir, name, suffix);
    return t;
}

static void
put_text(int nc, int var, const char *name, const char *text)
{
    OK(nc_put_att_text(nc, var, name, strlen(text), text));
}

/* ---- fragments ---- */

/* A file with one variable of floats (time, lat), whose values begin at `first`. */
static void
make_fragment(const char *path, int cmode, size_t ntime, size_t nlat, float first, const char *units)
{
    int    nc, dims[2], v;
    float *values = malloc(ntime * nlat * sizeof *values);

    OK(nc_create(path, cmode, &nc));
    OK(nc_def_dim(nc, "t", ntime, &dims[0]));
    OK(nc_def_dim(nc, "y", nlat, &dims[1]));
    OK(nc_def_var(nc, "tas", NC_FLOAT, 2, dims, &v));
    if (units != NULL)
        put_text(nc, v, "units", units);
    OK(nc_enddef(nc));
    for (size_t i = 0; i < ntime * nlat; i++)
        values[i] = first + (float)i;
    OK(nc_put_var_float(nc, v, values));
    OK(nc_close(nc));
    free(values);
}

/* ---- the aggregation ---- */

typedef struct aggregation {
    int nc, time, lat, v;
} aggregation;

/* Defines tas(time = 6, lat = 3) of type `type`, which fragments along time make up. */
static void
begin_aggregation(const form *f, const char *name, nc_type type, const char *data, aggregation *a)
{
    OK(nc_create(in_dir(name, f->suffix), f->cmode, &a->nc));
    put_text(a->nc, NC_GLOBAL, "Conventions", "CF-1.13");
    OK(nc_def_dim(a->nc, "time", 6, &a->time));
    OK(nc_def_dim(a->nc, "lat", 3, &a->lat));
    OK(nc_def_var(a->nc, "tas", type, 0, NULL, &a->v));
    put_text(a->nc, a->v, "aggregated_dimensions", "time lat");
    put_text(a->nc, a->v, "aggregated_data", data);
    put_text(a->nc, a->v, "long_name", "temperature");
}

/* A map of two rows: three fragments of 2, and one of 3. */
static void
put_map(const aggregation *a)
{
    static const int values[] = {2, 2, 2, 3, NC_FILL_INT, NC_FILL_INT};
    int              dims[2], v;

    OK(nc_def_dim(a->nc, "j", 2, &dims[0]));
    OK(nc_def_dim(a->nc, "i", 3, &dims[1]));
    OK(nc_def_var(a->nc, "fragment_map", NC_INT, 2, dims, &v));
    OK(nc_enddef(a->nc));
    OK(nc_put_var_int(a->nc, v, values));
}

enum { WIDTH = 24 };

/* Texts of n fragments, as characters, which each format has. Begins and ends in data mode. */
static void
put_texts(const aggregation *a, const char *name, const char *const *texts, size_t n)
{
    char              values[8][WIDTH] = {{0}};
    int               dims[3], v;
    char              dim[40];
    const char *const width = "width";

    (void)nc_redef(a->nc);
    snprintf(dim, sizeof dim, "%s_n", name);
    OK(nc_def_dim(a->nc, dim, n, &dims[0]));
    snprintf(dim, sizeof dim, "%s_1", name);
    OK(nc_def_dim(a->nc, dim, 1, &dims[1]));
    if (nc_inq_dimid(a->nc, width, &dims[2]) != NC_NOERR)
        OK(nc_def_dim(a->nc, width, WIDTH, &dims[2]));
    OK(nc_def_var(a->nc, name, NC_CHAR, 3, dims, &v));
    OK(nc_enddef(a->nc));
    for (size_t i = 0; i < n; i++)
        memcpy(values[i], texts[i], strlen(texts[i]));
    OK(nc_put_var_text(a->nc, v, values[0]));
}

static void
put_text_var(const aggregation *a, const char *name, const char *text)
{
    char values[WIDTH] = {0};
    int  dim, v;

    (void)nc_redef(a->nc);
    OK(nc_inq_dimid(a->nc, "width", &dim));
    OK(nc_def_var(a->nc, name, NC_CHAR, 1, &dim, &v));
    OK(nc_enddef(a->nc));
    memcpy(values, text, strlen(text));
    OK(nc_put_var_text(a->nc, v, values));
}

#define DATA "map: fragment_map uris: uris identifiers: names"

/* An aggregation of three files, or of other places. */
static void
make_aggregation(const form *f, const char *name, nc_type type, const char *const *uris, const char *identifier)
{
    aggregation a;

    begin_aggregation(f, name, type, DATA, &a);
    put_map(&a);
    put_texts(&a, "uris", uris, 3);
    put_text_var(&a, "names", identifier);
    OK(nc_close(a.nc));
}

static void
make_fragments(const form *f)
{
    make_fragment(in_dir("f0", f->suffix), f->cmode, 2, 3, 0, NULL);
    make_fragment(in_dir("f1", f->suffix), f->cmode, 2, 3, 6, NULL);
    make_fragment(in_dir("f2", f->suffix), f->cmode, 2, 3, 12, NULL);
}

static void
fragment_names(const form *f, char names[3][WIDTH], const char *uris[3])
{
    for (int i = 0; i < 3; i++) {
        snprintf(names[i], WIDTH, "f%d%s", i, f->suffix);
        uris[i] = names[i];
    }
}

static int
open_tas(const char *path, int *nc)
{
    int v;

    OK(nc_open(path, NC_NOWRITE, nc));
    OK(nc_inq_varid(*nc, "tas", &v));
    return v;
}

TEST_WITH(a_reader_sees_the_dimensions_and_values_of_an_aggregation, scratch_set_up, scratch_tear_down)
{
    for (size_t k = 0; k < NCZ_LEN(forms); k++) {
        const form *f = &forms[k];
        char        names[3][WIDTH];
        const char *uris[3];
        int         nc, v, ndims, nvars, natts, dims[2], storage;
        size_t      chunks[2];
        float       all[18], some[4];
        double      one;

        scratch_empty(scratch_dir);
        make_fragments(f);
        fragment_names(f, names, uris);
        make_aggregation(f, "all", NC_FLOAT, uris, k == 1 ? "tas" : "/tas");
        v = open_tas(in_dir("all", f->suffix), &nc);
        OK(nc_inq(nc, &ndims, &nvars, NULL, NULL));
        assert_int_equal(ndims, 2);
        assert_int_equal(nvars, 1);
        OK(nc_inq_var(nc, v, NULL, NULL, &ndims, dims, &natts));
        assert_int_equal(ndims, 2);
        assert_int_equal(natts, 1);
        FAILS(NC_ENOTVAR, nc_inq_varid(nc, "uris", &v));
        FAILS(NC_EBADDIM, nc_inq_dimid(nc, "width", &v));
        OK(nc_inq_varid(nc, "tas", &v));
        if (k != 1) { /* classic files have no chunks */
            OK(nc_inq_var_chunking(nc, v, &storage, chunks));
            assert_int_equal(storage, NC_CHUNKED);
            assert_true(chunks[0] == 6 && chunks[1] == 3);
        }
        OK(nc_get_var_float(nc, v, all));
        for (int i = 0; i < 18; i++)
            assert_true(all[i] == (float)i);
        /* Every third time and every second latitude: of the first and the second file. */
        OK(nc_get_vars_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 2}, (ptrdiff_t[]){3, 2}, some));
        assert_true(some[0] == 0 && some[1] == 2 && some[2] == 9 && some[3] == 11);
        /* In another order in memory. */
        OK(nc_get_varm_float(nc, v, (size_t[]){1, 0}, (size_t[]){2, 2}, NULL, (ptrdiff_t[]){1, 2}, some));
        assert_true(some[0] == 3 && some[1] == 6 && some[2] == 4 && some[3] == 7);
        OK(nc_get_var1_double(nc, v, (size_t[]){5, 2}, &one));
        assert_true(one == 17);
        FAILS(NC_EINVALCOORDS, nc_get_var1_double(nc, v, (size_t[]){6, 0}, &one));
        OK(nc_close(nc));
        if (k == 2) { /* a directory is in the same folder, however its name is spelt */
            v = open_tas(in_dir("all", ".zarr//"), &nc);
            OK(nc_get_var1_double(nc, v, (size_t[]){5, 2}, &one));
            OK(nc_close(nc));
        }
    }
}

TEST_WITH(fragments_are_prefetched, scratch_set_up, scratch_tear_down)
{
    for (size_t k = 0; k < NCZ_LEN(forms); k++) {
        const form *f = &forms[k];
        char        names[3][WIDTH];
        const char *uris[3];
        int         nc, v;
        float       all[18];

        scratch_empty(scratch_dir);
        make_fragments(f);
        fragment_names(f, names, uris);
        make_aggregation(f, "all", NC_FLOAT, uris, "tas");
        v = open_tas(in_dir("all", f->suffix), &nc);
        OK(nczarr_prefetch_vara(nc, v, (size_t[]){1, 0}, (size_t[]){4, 3}));
        OK(nczarr_prefetch_vars(nc, v, (size_t[]){0, 0}, (size_t[]){3, 1}, (ptrdiff_t[]){2, 1}));
        OK(nczarr_prefetch_vara(nc, v, (size_t[]){0, 0}, (size_t[]){0, 3}));
        FAILS(NC_EEDGE, nczarr_prefetch_vara(nc, v, (size_t[]){1, 0}, (size_t[]){6, 3}));
        OK(nc_get_var_float(nc, v, all));
        for (int i = 0; i < 18; i++)
            assert_true(all[i] == (float)i);
        OK(nc_close(nc));
        /* What fails is left to the get. */
        uris[1] = "none.nc";
        make_aggregation(f, "lost", NC_FLOAT, uris, "nothing");
        v = open_tas(in_dir("lost", f->suffix), &nc);
        OK(nczarr_prefetch_vara(nc, v, (size_t[]){0, 0}, (size_t[]){6, 3}));
        FAILS(NC_ENOTVAR, nc_get_var_float(nc, v, all));
        OK(nc_close(nc));
    }
}

TEST_WITH(aggregation_no_shows_what_is_stored, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    char        names[3][WIDTH], path[500];
    const char *uris[3];
    int         nc, nvars, v, ndims;

    make_fragments(f);
    fragment_names(f, names, uris);
    make_aggregation(f, "all", NC_FLOAT, uris, "tas");
    snprintf(path, sizeof path, "%s#aggregation=no", in_dir("all", ".nc"));
    v = open_tas(path, &nc);
    OK(nc_inq_nvars(nc, &nvars));
    assert_int_equal(nvars, 4);
    OK(nc_inq_varndims(nc, v, &ndims));
    assert_int_equal(ndims, 0);
    OK(nc_close(nc));
    /* A writer sees the same, and keeps it. */
    OK(nc_open(in_dir("all", ".nc"), NC_WRITE, &nc));
    OK(nc_inq_nvars(nc, &nvars));
    assert_int_equal(nvars, 4);
    OK(nc_close(nc));
    snprintf(path, sizeof path, "%s#aggregation=perhaps", in_dir("all", ".nc"));
    FAILS(NC_EINVAL, nc_open(path, NC_NOWRITE, &nc));
}

/* ---- conversions ---- */

TEST_WITH(missing_values_packing_and_units_are_those_of_each_fragment, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    char        names[3][WIDTH];
    const char *uris[3];
    int         nc, dims[2], v;
    float       all[18], fill = -9;
    short       packed[6] = {0, 10, 20, -99, 40, 50}, none = -99;
    double      scale = 0.5, offset = 100, celsius[6] = {0, 1, 2, 3, NAN, 5}, nan_value = NAN;
    aggregation a;

    make_fragment(in_dir("f0", ".nc"), NC_NETCDF4, 2, 3, 300, "K");
    OK(nc_create(in_dir("f1", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "t", 2, &dims[0]));
    OK(nc_def_dim(nc, "y", 3, &dims[1]));
    OK(nc_def_var(nc, "tas", NC_SHORT, 2, dims, &v));
    OK(nc_put_att_short(nc, v, "missing_value", NC_SHORT, 1, &none));
    OK(nc_put_att_double(nc, v, "scale_factor", NC_DOUBLE, 1, &scale));
    OK(nc_put_att_double(nc, v, "add_offset", NC_DOUBLE, 1, &offset));
    OK(nc_put_var_short(nc, v, packed));
    OK(nc_close(nc));
    OK(nc_create(in_dir("f2", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "t", 2, &dims[0]));
    OK(nc_def_dim(nc, "y", 3, &dims[1]));
    OK(nc_def_var(nc, "tas", NC_DOUBLE, 2, dims, &v));
    OK(nc_def_var_fill(nc, v, NC_FILL, &nan_value));
    put_text(nc, v, "units", "degC");
    OK(nc_put_var_double(nc, v, celsius));
    OK(nc_close(nc));

    fragment_names(f, names, uris);
    begin_aggregation(f, "all", NC_FLOAT, DATA, &a);
    put_text(a.nc, a.v, "units", "K");
    OK(nc_def_var_fill(a.nc, a.v, NC_FILL, &fill));
    put_map(&a);
    put_texts(&a, "uris", uris, 3);
    put_text_var(&a, "names", "tas");
    OK(nc_close(a.nc));

    v = open_tas(in_dir("all", ".nc"), &nc);
    OK(nc_get_var_float(nc, v, all));
    assert_true(all[0] == 300 && all[5] == 305);
    assert_true(all[6] == 100 && all[7] == 105 && all[9] == -9 && all[11] == 125);
    assert_true(fabsf(all[12] - 273.15f) < 1e-4f && fabsf(all[15] - 276.15f) < 1e-4f && all[16] == -9);
    OK(nc_close(nc));
}

/* One variable of one dimension in a file of its own. */
static void
make_row(const char *path, nc_type type, size_t n, const double *values, const char *units, const char *calendar)
{
    int nc, dim, v;

    OK(nc_create(path, NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", n, &dim));
    OK(nc_def_var(nc, "v", type, 1, &dim, &v));
    if (units != NULL)
        put_text(nc, v, "units", units);
    if (calendar != NULL)
        put_text(nc, v, "calendar", calendar);
    OK(nc_put_var_double(nc, v, values));
    OK(nc_close(nc));
}

/* An aggregation v(n = 4) of two rows of two. */
static void
make_rows(nc_type type, const char *units, const char *calendar)
{
    static const int   lengths[] = {2, 2};
    static const char *texts[] = {"a.nc", "b.nc"};
    int                nc, n, one, v, map, uris, names, dims[2];
    const char        *name = "v";

    OK(nc_create(in_dir("rows", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", 4, &n));
    OK(nc_def_dim(nc, "two", 2, &dims[1]));
    OK(nc_def_dim(nc, "one", 1, &one));
    dims[0] = one;
    OK(nc_def_var(nc, "v", type, 0, NULL, &v));
    OK(nc_put_att_string(nc, v, "aggregated_dimensions", 1, (const char *[]){"n"}));
    OK(nc_put_att_string(nc, v, "aggregated_data", 1,
                         (const char *[]){"identifiers: names\n uris: uris  map: map other: names"}));
    if (units != NULL)
        put_text(nc, v, "units", units);
    if (calendar != NULL)
        put_text(nc, v, "calendar", calendar);
    OK(nc_def_var(nc, "map", NC_INT64, 2, dims, &map));
    OK(nc_def_var(nc, "uris", NC_STRING, 1, &dims[1], &uris));
    OK(nc_def_var(nc, "names", NC_STRING, 0, NULL, &names));
    OK(nc_put_var_int(nc, map, lengths));
    OK(nc_put_var_string(nc, uris, texts));
    OK(nc_put_var_string(nc, names, &name));
    OK(nc_close(nc));
}

static void
open_rows(int *nc, int *v)
{
    OK(nc_open(in_dir("rows", ".nc"), NC_NOWRITE, nc));
    OK(nc_inq_varid(*nc, "v", v));
}

TEST_WITH(times_of_other_origins_are_the_same_moments, scratch_set_up, scratch_tear_down)
{
    int nc, v, got[4];

    make_row(in_dir("a", ".nc"), NC_INT, 2, (double[]){0, 1}, "days since 2001-03-01", "360_day");
    make_row(in_dir("b", ".nc"), NC_DOUBLE, 2, (double[]){24, 36}, "hours since 2001-03-02 12:00", "360_day");
    make_rows(NC_INT, "hours since 2001-02-30", "360_day");
    open_rows(&nc, &v);
    OK(nc_get_var_int(nc, v, got));
    assert_int_equal(got[0], 24);
    assert_int_equal(got[1], 48);
    assert_int_equal(got[2], 24 + 36 + 24);
    assert_int_equal(got[3], 24 + 36 + 36);
    OK(nc_close(nc));
}

TEST_WITH(units_that_do_not_fit_are_an_error_of_their_fragment, scratch_set_up, scratch_tear_down)
{
    static const struct {
        const char *units, *calendar;
    } wrong[] = {
        {"m", NULL}, {"days since 2001-01-01", "noleap"}, {"months since 2001-01-01", NULL}, {"furlong", NULL}};
    double got[4];
    int    nc, v;

    for (size_t i = 0; i < NCZ_LEN(wrong); i++) {
        scratch_empty(scratch_dir);
        make_row(in_dir("a", ".nc"), NC_INT, 2, (double[]){1, 2}, "days since 2001-01-01", NULL);
        make_row(in_dir("b", ".nc"), NC_INT, 2, (double[]){1, 2}, wrong[i].units, wrong[i].calendar);
        make_rows(NC_INT, "days since 2000-12-31", NULL);
        open_rows(&nc, &v);
        OK(nc_get_vara_double(nc, v, (size_t[]){0}, (size_t[]){2}, got));
        assert_true(got[0] == 2 && got[1] == 3);
        FAILS(NC_EINVAL, nc_get_var_double(nc, v, got));
        assert_non_null(strstr(nczarr_errmsg(), "b.nc"));
        assert_non_null(strstr(nczarr_errmsg(), wrong[i].units));
        OK(nc_close(nc));
    }
}

/* Numbers that are equal as doubles are not. */
TEST_WITH(only_the_missing_value_itself_is_missing, scratch_set_up, scratch_tear_down)
{
    long long got[4], missing = 1LL << 53;
    double    fraction = 7.5;
    int       nc, dim, v;

    OK(nc_create(in_dir("a", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", 2, &dim));
    OK(nc_def_var(nc, "v", NC_INT64, 1, &dim, &v));
    OK(nc_put_att_longlong(nc, v, "missing_value", NC_INT64, 1, &missing));
    OK(nc_put_var_longlong(nc, v, (long long[]){missing + 1, missing}));
    OK(nc_close(nc));
    OK(nc_create(in_dir("b", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", 2, &dim));
    OK(nc_def_var(nc, "v", NC_SHORT, 1, &dim, &v));
    OK(nc_put_att_double(nc, v, "missing_value", NC_DOUBLE, 1, &fraction));
    OK(nc_put_var_longlong(nc, v, (long long[]){7, 8}));
    OK(nc_close(nc));
    make_rows(NC_INT64, NULL, NULL);
    open_rows(&nc, &v);
    OK(nc_get_var_longlong(nc, v, got));
    assert_true(got[0] == missing + 1 && got[1] == NC_FILL_INT64 && got[2] == 7 && got[3] == 8);
    OK(nc_close(nc));
}

TEST_WITH(wide_integers_stay_exact_and_bytes_can_be_unsigned, scratch_set_up, scratch_tear_down)
{
    long long   got[4], want = (1LL << 53) + 1;
    int         nc, dim, v;
    signed char byte[2] = {-1, 7};

    OK(nc_create(in_dir("a", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", 2, &dim));
    OK(nc_def_var(nc, "v", NC_INT64, 1, &dim, &v));
    OK(nc_put_var_longlong(nc, v, (long long[]){want, -want}));
    OK(nc_close(nc));
    OK(nc_create(in_dir("b", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", 2, &dim));
    OK(nc_def_var(nc, "v", NC_BYTE, 1, &dim, &v));
    put_text(nc, v, "_Unsigned", "true");
    OK(nc_put_var_schar(nc, v, byte));
    OK(nc_close(nc));
    make_rows(NC_INT64, NULL, NULL);
    open_rows(&nc, &v);
    OK(nc_get_var_longlong(nc, v, got));
    assert_true(got[0] == want && got[1] == -want && got[2] == 255 && got[3] == 7);
    OK(nc_close(nc));
}

/* ---- values instead of files ---- */

TEST_WITH(unique_values_fill_their_parts, scratch_set_up, scratch_tear_down)
{
    static const char *const texts[] = {"first", "", "\xc3\xa4"};
    int                      nc, dims[2], v, map, w, s, values;
    short                    numbers[] = {3, -1, 5}, none = -1;
    float                    got[6];
    char                    *strings[6];

    OK(nc_create(in_dir("all", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "time", 6, NULL));
    OK(nc_def_dim(nc, "one", 1, &dims[0]));
    OK(nc_def_dim(nc, "three", 3, &dims[1]));
    OK(nc_def_var(nc, "v", NC_FLOAT, 0, NULL, &v));
    put_text(nc, v, "aggregated_dimensions", "time");
    put_text(nc, v, "aggregated_data", "map: map unique_values: numbers");
    OK(nc_def_var(nc, "s", NC_STRING, 0, NULL, &s));
    put_text(nc, s, "aggregated_dimensions", "time");
    put_text(nc, s, "aggregated_data", "unique_values: texts map: map");
    OK(nc_def_var(nc, "map", NC_INT, 2, dims, &map));
    OK(nc_def_var(nc, "numbers", NC_SHORT, 1, &dims[1], &values));
    OK(nc_put_att_short(nc, values, "missing_value", NC_SHORT, 1, &none));
    OK(nc_def_var(nc, "texts", NC_STRING, 1, &dims[1], &w));
    OK(nc_put_var_int(nc, map, (int[]){1, 2, 3}));
    OK(nc_put_var_short(nc, values, numbers));
    OK(nc_put_var_string(nc, w, (const char **)(uintptr_t)texts));
    OK(nc_close(nc));

    OK(nc_open(in_dir("all", ".nc"), NC_NOWRITE, &nc));
    OK(nc_inq_varid(nc, "v", &v));
    OK(nc_inq_varid(nc, "s", &s));
    OK(nc_get_var_float(nc, v, got));
    assert_true(got[0] == 3 && got[1] == (float)NC_FILL_FLOAT && got[2] == (float)NC_FILL_FLOAT && got[3] == 5 &&
                got[5] == 5);
    OK(nc_get_var_string(nc, s, strings));
    assert_string_equal(strings[0], "first");
    assert_string_equal(strings[2], "");
    assert_string_equal(strings[5], "\xc3\xa4");
    OK(nc_free_string(6, strings));
    FAILS(NC_EBADTYPE, nc_get_var_float(nc, s, got));
    OK(nc_close(nc));
}

/* ---- dimensions of length 1, scalars, aggregations of aggregations ---- */

TEST_WITH(fragments_may_lack_dimensions_of_length_1, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    const char *uris[3] = {"f0.nc", "f1.nc", "f2.nc"};
    int         nc, dim, v, map;
    float       got[9], values[3] = {1, 2, 3};
    aggregation a;

    for (int i = 0; i < 3; i++) {
        OK(nc_create(in_dir(uris[i], ""), NC_NETCDF4, &nc));
        OK(nc_def_dim(nc, "y", 3, &dim));
        OK(nc_def_var(nc, "tas", NC_FLOAT, 1, &dim, &v));
        OK(nc_put_var_float(nc, v, values));
        OK(nc_close(nc));
    }
    OK(nc_create(in_dir("all", ".nc"), f->cmode, &a.nc));
    OK(nc_def_dim(a.nc, "time", 3, &a.time));
    OK(nc_def_dim(a.nc, "lat", 3, &a.lat));
    OK(nc_def_var(a.nc, "tas", NC_FLOAT, 0, NULL, &a.v));
    put_text(a.nc, a.v, "aggregated_dimensions", "time lat");
    put_text(a.nc, a.v, "aggregated_data", "map: m uris: uris identifiers: names");
    OK(nc_def_dim(a.nc, "two", 2, &dim));
    OK(nc_def_var(a.nc, "m", NC_INT, 2, (int[]){dim, a.time}, &map));
    OK(nc_put_var_int(a.nc, map, (int[]){1, 1, 1, 3, NC_FILL_INT, NC_FILL_INT}));
    put_texts(&a, "uris", uris, 3);
    put_text_var(&a, "names", "tas");
    OK(nc_close(a.nc));
    v = open_tas(in_dir("all", ".nc"), &nc);
    OK(nc_get_var_float(nc, v, got));
    assert_true(got[0] == 1 && got[3] == 1 && got[8] == 3);
    OK(nc_close(nc));
}

TEST_WITH(a_fragment_may_be_an_aggregation_and_a_circle_ends, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    char        names[3][WIDTH];
    const char *uris[3], *circle[3] = {"circle.nc", "", ""};
    int         nc, v;
    float       got[18];

    make_fragments(f);
    fragment_names(f, names, uris);
    make_aggregation(f, "inner", NC_FLOAT, uris, "tas");
    OK(nc_create(in_dir("all", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "time", 6, NULL));
    OK(nc_def_dim(nc, "lat", 3, NULL));
    OK(nc_def_var(nc, "tas", NC_FLOAT, 0, NULL, &v));
    put_text(nc, v, "aggregated_dimensions", "time lat");
    put_text(nc, v, "aggregated_data", "map: m uris: u identifiers: i");
    {
        int         dims[2], m, u, i;
        const char *uri = "inner.nc", *name = "/tas";

        OK(nc_def_dim(nc, "two", 2, &dims[0]));
        OK(nc_def_dim(nc, "one", 1, &dims[1]));
        OK(nc_def_var(nc, "m", NC_INT, 2, dims, &m));
        OK(nc_def_var(nc, "u", NC_STRING, 2, (int[]){dims[1], dims[1]}, &u));
        OK(nc_def_var(nc, "i", NC_STRING, 0, NULL, &i));
        OK(nc_put_var_int(nc, m, (int[]){6, 3}));
        OK(nc_put_var_string(nc, u, &uri));
        OK(nc_put_var_string(nc, i, &name));
    }
    OK(nc_close(nc));
    v = open_tas(in_dir("all", ".nc"), &nc);
    OK(nc_get_var_float(nc, v, got));
    assert_true(got[0] == 0 && got[17] == 17);
    OK(nc_close(nc));

    make_aggregation(f, "circle", NC_FLOAT, circle, "tas");
    v = open_tas(in_dir("circle", ".nc"), &nc);
    OK(nc_get_vara_float(nc, v, (size_t[]){2, 0}, (size_t[]){1, 1}, got));
    assert_true(got[0] == (float)NC_FILL_FLOAT);
    assert_int_not_equal(nc_get_var_float(nc, v, got), NC_NOERR);
    OK(nc_close(nc));
}

/* ---- what is wrong costs what it touches ---- */

TEST_WITH(a_fragment_that_is_not_there_is_missing_data_or_an_error, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    const char *uris[3] = {"f0.nc", "f1.nc", ""};
    char        path[500];
    int         nc, v;
    float       got[18];

    make_fragment(in_dir("f0", ".nc"), NC_NETCDF4, 2, 3, 0, NULL);
    make_aggregation(f, "all", NC_FLOAT, uris, "tas");
    v = open_tas(in_dir("all", ".nc"), &nc);
    OK(nc_get_var_float(nc, v, got));
    assert_true(got[5] == 5 && got[6] == (float)NC_FILL_FLOAT && got[17] == (float)NC_FILL_FLOAT);
    OK(nczarr_set_missing(nc, NCZARR_MISSING_ERROR));
    assert_int_not_equal(nc_get_var_float(nc, v, got), NC_NOERR);
    assert_non_null(strstr(nczarr_errmsg(), "f1.nc"));
    OK(nc_get_vara_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 3}, got));
    OK(nc_close(nc));
    snprintf(path, sizeof path, "%s#missing=error", in_dir("all", ".nc"));
    v = open_tas(path, &nc);
    assert_int_not_equal(nc_get_var_float(nc, v, got), NC_NOERR);
    OK(nc_get_vara_float(nc, v, (size_t[]){4, 0}, (size_t[]){2, 3}, got)); /* there is none: always missing data */
    /* It is there now. */
    make_fragment(in_dir("f1", ".nc"), NC_NETCDF4, 2, 3, 6, NULL);
    OK(nc_get_var_float(nc, v, got));
    assert_true(got[11] == 11);
    OK(nc_close(nc));
}

TEST_WITH(a_damaged_or_wrong_fragment_costs_the_gets_that_touch_it, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    const char *uris[3] = {"f0.nc", "f1.nc", "f2.nc"};
    int         nc, v;
    float       got[18];

    make_fragment(in_dir("f0", ".nc"), NC_NETCDF4, 2, 3, 0, NULL);
    make_fragment(in_dir("f1", ".nc"), NC_NETCDF4, 3, 3, 0, NULL); /* too long */
    scratch_write(in_dir("f2", ".nc"), "\x89HDF\r\n\x1a\n and no more", 21);
    make_aggregation(f, "all", NC_FLOAT, uris, "tas");
    v = open_tas(in_dir("all", ".nc"), &nc);
    FAILS(NC_EBADDIM, nc_get_vara_float(nc, v, (size_t[]){2, 0}, (size_t[]){1, 3}, got));
    assert_non_null(strstr(nczarr_errmsg(), "f1.nc"));
    assert_int_not_equal(nc_get_vara_float(nc, v, (size_t[]){4, 0}, (size_t[]){1, 3}, got), NC_NOERR);
    assert_non_null(strstr(nczarr_errmsg(), "f2.nc"));
    OK(nc_get_vara_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 3}, got));
    assert_true(got[5] == 5);
    OK(nc_close(nc));
}

TEST_WITH(a_place_outside_of_the_folder_is_refused_by_name, scratch_set_up, scratch_tear_down)
{
    static const char *const outside[] = {"../x.nc", "/etc/passwd", "file:///etc/x.nc", "%2e%2e/x.nc",
                                          "a/../../x.nc"};
    const form              *f = &forms[0];
    int                      nc, v;
    float                    got[18];

    for (size_t i = 0; i < NCZ_LEN(outside); i++) {
        const char *uris[3] = {outside[i], "", ""};

        scratch_empty(scratch_dir);
        make_aggregation(f, "all", NC_FLOAT, uris, "tas");
        v = open_tas(in_dir("all", ".nc"), &nc);
        /* `%2e` is a name of a local path, not an encoded dot: there is no such folder. */
        if (i == 3) {
            (void)nc_get_var_float(nc, v, got);
        } else {
            FAILS(NC_EAUTH, nc_get_var_float(nc, v, got));
            assert_non_null(strstr(nczarr_errmsg(), "allow="));
        }
        OK(nc_close(nc));
    }
}

TEST_WITH(a_place_that_is_allowed_is_read, scratch_set_up, scratch_tear_down)
{
    const form *f = &forms[0];
    const char *uris[3] = {"../f0.nc", "", ""};
    char        path[900];
    int         nc, v;
    float       got[6];

    assert_int_equal(mkdir(in_dir("own", ""), 0777), 0);
    make_fragment(in_dir("f0", ".nc"), NC_NETCDF4, 2, 3, 0, NULL);
    make_aggregation(f, "own/all", NC_FLOAT, uris, "tas");
    v = open_tas(in_dir("own/all", ".nc"), &nc);
    FAILS(NC_EAUTH, nc_get_vara_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 3}, got));
    OK(nc_close(nc));
    snprintf(path, sizeof path, "%s#allow=%s", in_dir("own/all", ".nc"), scratch_dir);
    v = open_tas(path, &nc);
    OK(nc_get_vara_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 3}, got));
    assert_true(got[5] == 5);
    OK(nc_close(nc));
    FAILS(NC_EINVAL, nczarr_allow("gopher://h/"));
    OK(nczarr_allow(scratch_dir));
    v = open_tas(in_dir("own/all", ".nc"), &nc);
    OK(nc_get_vara_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 3}, got));
    OK(nc_close(nc));
    OK(nczarr_allow(NULL));
    v = open_tas(in_dir("own/all", ".nc"), &nc);
    FAILS(NC_EAUTH, nc_get_vara_float(nc, v, (size_t[]){0, 0}, (size_t[]){2, 3}, got));
    OK(nc_close(nc));
}

TEST_WITH(a_wrong_description_costs_its_variable, scratch_set_up, scratch_tear_down)
{
    static const char *const data[] = {"map: fragment_map uris: uris", "map fragment_map",
                                       "map: nothing uris: u identifiers: i", "uris: a identifiers: b"};
    int                      nc, v, rank;
    size_t                   n;
    aggregation              a;

    for (size_t i = 0; i < NCZ_LEN(data); i++) {
        scratch_empty(scratch_dir);
        begin_aggregation(&forms[0], "all", NC_FLOAT, data[i], &a);
        put_map(&a);
        OK(nc_close(a.nc));
        v = open_tas(in_dir("all", ".nc"), &nc);
        OK(nc_inq_varndims(nc, v, &rank));
        assert_int_equal(rank, 0);
        OK(nczarr_inq_warnings(nc, &n, NULL));
        assert_int_equal(n, 1);
        OK(nc_inq_varid(nc, "fragment_map", &v)); /* is seen */
        OK(nc_close(nc));
    }
    /* A map that does not add up: the dimensions are right, and its values cannot be read. */
    scratch_empty(scratch_dir);
    begin_aggregation(&forms[0], "all", NC_FLOAT, "map: m unique_values: m", &a);
    OK(nc_def_var(a.nc, "m", NC_INT, 2, (int[]){a.lat, a.lat}, &v));
    OK(nc_close(a.nc));
    v = open_tas(in_dir("all", ".nc"), &nc);
    for (int i = 0; i < 2; i++) {
        float got[18];

        FAILS(NC_EINVAL, nc_get_var_float(nc, v, got));
        assert_non_null(strstr(nczarr_errmsg(), "map"));
    }
    OK(nc_close(nc));
}

/* ---- many fragments, many threads ---- */

enum { FILES = 100, THREADS = 4 };

static void *
read_many(void *arg)
{
    const int *nc_and_var = arg;
    double     got[2 * FILES];

    for (int turn = 0; turn < 3; turn++) {
        OK(nc_get_var_double(nc_and_var[0], nc_and_var[1], got));
        for (int i = 0; i < 2 * FILES; i++)
            assert_true(got[i] == i);
    }
    return NULL;
}

TEST_WITH(more_fragments_than_stay_open_are_read_by_several_threads, scratch_set_up, scratch_tear_down)
{
    int           nc, dims[2], n, v, map, uris, names, lengths[FILES], at[2];
    char          texts[FILES][WIDTH];
    const char   *all[FILES], *name = "v";
    pthread_t     threads[THREADS];
    size_t        before;
    struct rlimit had, few;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &had), 0);
    few = had;
    few.rlim_cur = 512; /* of these a quarter is for fragments */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < FILES; i++) {
        snprintf(texts[i], WIDTH, "r%d.nc", i);
        make_row(in_dir(texts[i], ""), NC_INT, 2, (double[]){2 * i, 2 * i + 1}, NULL, NULL);
        all[i] = texts[i];
        lengths[i] = 2;
    }
    before = scratch_open_files();
    OK(nc_create(in_dir("all", ".nc"), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "n", 2 * FILES, &n));
    OK(nc_def_dim(nc, "one", 1, &dims[0]));
    OK(nc_def_dim(nc, "files", FILES, &dims[1]));
    OK(nc_def_var(nc, "v", NC_DOUBLE, 0, NULL, &v));
    put_text(nc, v, "aggregated_dimensions", "n");
    put_text(nc, v, "aggregated_data", "map: m uris: u identifiers: i");
    OK(nc_def_var(nc, "m", NC_INT, 2, dims, &map));
    OK(nc_def_var(nc, "u", NC_STRING, 1, &dims[1], &uris));
    OK(nc_def_var(nc, "i", NC_STRING, 0, NULL, &names));
    OK(nc_put_var_int(nc, map, lengths));
    OK(nc_put_var_string(nc, uris, all));
    OK(nc_put_var_string(nc, names, &name));
    OK(nc_close(nc));
    OK(nc_open(in_dir("all", ".nc"), NC_NOWRITE, &nc));
    OK(nc_inq_varid(nc, "v", &v));
    at[0] = nc;
    at[1] = v;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_many, at), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(scratch_open_files() - before < 3 * FILES / 2); /* two descriptors each */
    OK(nc_close(nc));
    assert_int_equal(scratch_open_files(), before);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &had), 0);
}
