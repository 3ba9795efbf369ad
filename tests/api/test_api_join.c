/* SPDX-License-Identifier: BSD-3-Clause */
/* Several datasets as one: of a pattern, a list, and stored by nczarr_join(). */
#include "api_test.h"
#include "support/scratch.h"

#include <errno.h>
#include <nczarr_zmap.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *
in_dir(const char *name)
{
    return scratch_path(scratch_dir, name);
}

/* A file of n records from `first` on: time, level, t(time, level), a scalar, and a variable in a group. */
static void
make_part(const char *name, int cmode, size_t n, int first, float level1)
{
    int    nc, dims[2], time, level, t, one, grp, g;
    float  values[40];
    double times[20];

    OK(nc_create(in_dir(name), cmode, &nc));
    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "level", 2, &dims[1]));
    OK(nc_def_var(nc, "time", NC_DOUBLE, 1, &dims[0], &time));
    OK(nc_put_att_text(nc, time, "units", 21, "days since 2001-01-01"));
    OK(nc_def_var(nc, "level", NC_FLOAT, 1, &dims[1], &level));
    OK(nc_def_var(nc, "t", NC_FLOAT, 2, dims, &t));
    OK(nc_def_var(nc, "height", NC_SHORT, 0, NULL, &one));
    OK(nc_put_att_text(nc, NC_GLOBAL, "title", 5, "parts"));
    if ((cmode & NC_NETCDF4) != 0) {
        OK(nc_def_grp(nc, "g", &grp));
        OK(nc_def_var(grp, "v", NC_INT, 1, &dims[0], &g));
    }
    OK(nc_enddef(nc));
    for (size_t i = 0; i < n; i++) {
        times[i] = first + (int)i;
        values[2 * i] = (float)(first + (int)i);
        values[2 * i + 1] = values[2 * i] + 0.5f;
    }
    OK(nc_put_vara_double(nc, time, (size_t[]){0}, &n, times));
    OK(nc_put_vara_float(nc, t, (size_t[]){0, 0}, (size_t[]){n, 2}, values));
    OK(nc_put_var_float(nc, level, (float[]){0, level1}));
    OK(nc_put_var_int(nc, one, (int[]){2}));
    if ((cmode & NC_NETCDF4) != 0)
        OK(nc_put_vara_double(grp, g, (size_t[]){0}, &n, times));
    OK(nc_close(nc));
}

static void
check_joined(int nc, size_t want, int groups)
{
    int    dim, t, time, v, grp, nvars;
    size_t len;
    float  values[40];
    double times[20];
    short  height;
    char   title[6] = {0};

    OK(nc_inq_dimid(nc, "time", &dim));
    OK(nc_inq_dimlen(nc, dim, &len));
    assert_int_equal(len, want);
    OK(nc_inq_nvars(nc, &nvars));
    assert_int_equal(nvars, 4);
    OK(nc_inq_varid(nc, "t", &t));
    OK(nc_inq_varid(nc, "time", &time));
    OK(nc_get_var_float(nc, t, values));
    OK(nc_get_var_double(nc, time, times));
    for (size_t i = 0; i < len; i++)
        assert_true(times[i] == (double)i && values[2 * i] == (float)i && values[2 * i + 1] == (float)i + 0.5f);
    OK(nc_inq_varid(nc, "height", &v));
    OK(nc_get_var_short(nc, v, &height));
    assert_int_equal(height, 2);
    OK(nc_inq_varid(nc, "level", &v));
    OK(nc_get_var_float(nc, v, values));
    assert_true(values[1] == 10);
    OK(nc_get_att_text(nc, NC_GLOBAL, "title", title));
    assert_string_equal(title, "parts");
    if (groups) {
        OK(nc_inq_grp_ncid(nc, "g", &grp));
        OK(nc_inq_varid(grp, "v", &v));
        OK(nc_get_var_double(grp, v, times));
        assert_true(times[len - 1] == (double)(len - 1));
    }
}

TEST_WITH(a_pattern_joins_files_in_the_order_of_their_times, scratch_set_up, scratch_tear_down)
{
    static const int cmodes[] = {NC_NETCDF4, NC_64BIT_OFFSET};
    char             path[500];
    int              nc, one;

    for (size_t i = 0; i < NCZ_LEN(cmodes); i++) {
        scratch_empty(scratch_dir);
        make_part("run_b.nc", cmodes[i], 2, 0, 10);
        make_part("run_a.nc", cmodes[i], 3, 2, 10);
        make_part("run_10.nc", cmodes[i], 1, 5, 10);
        make_part("other.nc", cmodes[i], 4, 100, 3);
        snprintf(path, sizeof path, "%s/run_*.nc#mode=join", scratch_dir);
        OK(nc_open(path, NC_NOWRITE, &nc));
        check_joined(nc, 6, i == 0);
        OK(nc_close(nc));
        snprintf(path, sizeof path, "%s/run_[!1]?.nc#mode=join&along=time", scratch_dir);
        FAILS(NC_ENOOBJECT, nc_open(path, NC_NOWRITE, &nc));
        snprintf(path, sizeof path, "%s/run_[ab].nc#mode=join&along=time", scratch_dir);
        OK(nc_open(path, NC_NOWRITE, &nc));
        check_joined(nc, 5, i == 0);
        OK(nc_close(nc));
        FAILS(NC_EPERM, nc_open(path, NC_WRITE, &nc));
        OK(nczarr_path_overlap(path, in_dir("run_b.nc"), &one));
        assert_int_equal(one, 1);
        OK(nczarr_path_overlap(in_dir("run_10.nc"), path, &one));
        assert_int_equal(one, 0);
        snprintf(path, sizeof path, "%s/run_[ab].nc#mode=JOIN", scratch_dir);
        OK(nc_open(path, NC_NOWRITE, &nc));
        OK(nc_close(nc));
        FAILS(NC_EINVAL, nc_create(path, 0, &nc));
    }
}

TEST_WITH(a_list_joins_files_in_its_order, scratch_set_up, scratch_tear_down)
{
    static const char text[] = "# two parts\n\nb.nc\r\n  a.nc  \n";
    char              path[500];
    int               nc;

    make_part("b.nc", NC_NETCDF4, 2, 0, 10);
    make_part("a.nc", NC_NETCDF4, 3, 2, 10);
    scratch_write(in_dir("list.txt"), text, sizeof text - 1);
    snprintf(path, sizeof path, "@%s/list.txt", scratch_dir);
    OK(nc_open(path, NC_NOWRITE, &nc));
    check_joined(nc, 5, 1);
    OK(nc_close(nc));
    snprintf(path, sizeof path, "@%s/nothing.txt", scratch_dir);
    RC(ENOENT, nc_open(path, NC_NOWRITE, &nc));
    FAILS(NC_EINVAL, nc_open("@", NC_NOWRITE, &nc));
    snprintf(path, sizeof path, "@%s/list.txt#alow=%s", scratch_dir, scratch_dir);
    RC(ENOENT, nc_open(path, NC_NOWRITE, &nc));
    assert_non_null(strstr(nczarr_errmsg(), "unknown key #alow: did you mean allow=?"));
    snprintf(path, sizeof path, "@%s/list.txt#reproduction", scratch_dir);
    RC(ENOENT, nc_open(path, NC_NOWRITE, &nc));
    assert_non_null(strstr(nczarr_errmsg(), "unknown key #reproduction: nczarr_url(7)"));
}

/* Who wrote a list says what it names, and who opens it what may be read: asked before a file is opened. */
TEST_WITH(a_list_names_files_elsewhere_only_with_a_permission, scratch_set_up, scratch_tear_down)
{
    static const char text[] = "../b.nc\n../a.nc\n";
    char              path[2000];
    int               nc;

    make_part("b.nc", NC_NETCDF4, 2, 0, 10);
    make_part("a.nc", NC_NETCDF4, 3, 2, 10);
    assert_int_equal(mkdir(in_dir("lists"), 0777), 0);
    scratch_write(in_dir("lists/list.txt"), text, sizeof text - 1);
    snprintf(path, sizeof path, "@%s/lists/list.txt", scratch_dir);
    RC(NC_EAUTH, nc_open(path, NC_NOWRITE, &nc));
    assert_non_null(strstr(nczarr_errmsg(), "/b.nc"));
    assert_non_null(strstr(nczarr_errmsg(), "allow="));
    snprintf(path, sizeof path, "@%s/lists/list.txt#allow=%s", scratch_dir, scratch_dir);
    OK(nc_open(path, NC_NOWRITE, &nc));
    check_joined(nc, 5, 1);
    OK(nc_close(nc));
}

/* Files that stay open are read when they are gone. So there are more than may stay open. */
TEST_WITH(a_joined_file_that_goes_is_an_error_unless_said, scratch_set_up, scratch_tear_down)
{
    enum { PARTS = 20 };
    static const char *const said[] = {"", "&missing=fill"};
    struct rlimit            limit, few;
    char                     path[2000], names[PARTS][16];
    float                    values[2 * PARTS];
    int                      nc, v, filled = 0;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few = limit;
    few.rlim_cur = 64;
    for (size_t k = 0; k < NCZ_LEN(said); k++) {
        for (int i = 0; i < PARTS; i++) {
            snprintf(names[i], sizeof names[i], "run_%02d.nc", i);
            make_part(names[i], 0, 1, i, 0);
        }
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        snprintf(path, sizeof path, "%s/run_*.nc#mode=join%s", scratch_dir, said[k]);
        OK(nc_open(path, NC_NOWRITE, &nc));
        for (int i = 0; i < PARTS; i++)
            assert_int_equal(unlink(in_dir(names[i])), 0);
        OK(nc_inq_varid(nc, "t", &v));
        if (k == 0) {
            RC(ENOENT, nc_get_var_float(nc, v, values));
            assert_non_null(strstr(nczarr_errmsg(), "fragment run_"));
        } else {
            OK(nc_get_var_float(nc, v, values));
        }
        OK(nc_close(nc));
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    for (int i = 0; i < PARTS; i++)
        if (values[2 * i] == (float)NC_FILL_FLOAT)
            filled++;
        else
            assert_true(values[2 * i] == (float)i);
    assert_true(filled > 0);
}

TEST_WITH(a_file_without_a_record_and_a_second_unlimited_dimension, scratch_set_up, scratch_tear_down)
{
    char path[500];
    int  nc, dims[3];

    make_part("run_b.nc", NC_NETCDF4, 2, 0, 10);
    make_part("run_a.nc", NC_NETCDF4, 3, 2, 10);
    make_part("run_0.nc", NC_NETCDF4, 0, 0, 10);
    snprintf(path, sizeof path, "%s/run_?.nc#mode=join", scratch_dir);
    OK(nc_open(path, NC_NOWRITE, &nc));
    check_joined(nc, 5, 1);
    OK(nc_close(nc));

    for (int i = 0; i < 2; i++) {
        OK(nc_create(in_dir("run_a.nc"), NC_NETCDF4, &nc));
        OK(nc_def_dim(nc, "a", NC_UNLIMITED, &dims[0]));
        OK(nc_def_dim(nc, "b", NC_UNLIMITED, &dims[1]));
        OK(nc_def_dim(nc, i == 0 ? "time" : "c", NC_UNLIMITED, &dims[2]));
        OK(nc_def_var(nc, "v", NC_INT, 3, dims, &dims[0]));
        OK(nc_put_var1_int(nc, dims[0], (size_t[]){0, 0, 0}, &i));
        OK(nc_close(nc));
        snprintf(path, sizeof path, "%s/run_a.nc#mode=join", scratch_dir);
        if (i == 0) {
            OK(nc_open(path, NC_NOWRITE, &nc));
            OK(nc_close(nc));
        } else {
            FAILS(NC_EBADDIM, nc_open(path, NC_NOWRITE, &nc));
            assert_non_null(strstr(nczarr_errmsg(), "along="));
        }
    }
}

/* A packed variable of two elements. */
static void
make_packed(const char *name, int first, double scale)
{
    int nc, time, p, dim;

    OK(nc_create(in_dir(name), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dim));
    OK(nc_def_var(nc, "time", NC_DOUBLE, 1, &dim, &time));
    OK(nc_def_var(nc, "p", NC_SHORT, 1, &dim, &p));
    OK(nc_put_att_double(nc, p, "scale_factor", NC_DOUBLE, 1, &scale));
    for (size_t i = 0; i < 2; i++) {
        OK(nc_put_var1_int(nc, time, &i, (int[]){first + (int)i}));
        OK(nc_put_var1_int(nc, p, &i, (int[]){10 * (first + (int)i)}));
    }
    OK(nc_close(nc));
}

static void
check_packed(int nc, nc_type type, double factor)
{
    nc_type is;
    double  values[4];
    int     p;

    OK(nc_inq_varid(nc, "p", &p));
    OK(nc_inq_vartype(nc, p, &is));
    assert_int_equal(is, type);
    RC(type == NC_SHORT ? NC_NOERR : NC_ENOTATT, nc_inq_attid(nc, p, "scale_factor", NULL));
    OK(nc_get_var_double(nc, p, values));
    for (int i = 0; i < 4; i++)
        assert_true(values[i] == 10 * i * factor);
}

TEST_WITH(packed_values_stay_packed_or_are_unpacked, scratch_set_up, scratch_tear_down)
{
    const char *paths[2];
    char        names[2][300], path[400];
    int         nc;

    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s/p%d.nc", scratch_dir, i);
        paths[i] = names[i];
    }
    make_packed("p0.nc", 0, 0.5);
    make_packed("p1.nc", 2, 0.5);
    snprintf(path, sizeof path, "%s/p?.nc#mode=join", scratch_dir);
    OK(nc_open(path, NC_NOWRITE, &nc));
    check_packed(nc, NC_SHORT, 1);
    OK(nc_close(nc));
    OK(nczarr_join(2, paths, NULL, in_dir("all.nc"), NC_CLOBBER)); /* for any reader */
    OK(nc_open(in_dir("all.nc"), NC_NOWRITE, &nc));
    check_packed(nc, NC_DOUBLE, 0.5);
    OK(nc_close(nc));
    make_packed("p1.nc", 2, 0.25); /* packed otherwise */
    OK(nc_open(path, NC_NOWRITE, &nc));
    {
        double values[4];
        int    p;

        OK(nc_inq_varid(nc, "p", &p));
        OK(nc_get_var_double(nc, p, values));
        assert_true(values[1] == 5 && values[2] == 5 && values[3] == 7.5);
    }
    OK(nc_close(nc));
}

typedef struct listed {
    size_t      n, at[4];
    const char *first;
} listed;

static int
note_fragment(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    listed *l = arg;

    assert_true(count[0] > 0);
    assert_string_equal(variable, "/t");
    if (l->n == 0)
        assert_string_equal(path, l->first);
    l->at[l->n++] = start[0];
    return 0;
}

static int
stop(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    (void)start, (void)count, (void)path, (void)variable, (void)arg;
    return 77;
}

/* Of one packed variable along its only dimension: nothing of the aggregation is seen, and what is missing is marked. */
TEST_WITH(what_is_missing_of_packed_values_is_marked, scratch_set_up, scratch_tear_down)
{
    const short stored[2][2] = {{1, -9}, {-9, 4}};
    double      values[4], fill;
    char        path[500];
    int         nc, dim, v, ndims;

    for (int i = 0; i < 2; i++) {
        const double scale = i + 0.5;

        OK(nc_create(in_dir(i == 0 ? "p0.nc" : "p1.nc"), NC_NETCDF4, &nc));
        OK(nc_def_dim(nc, "time", 2, &dim));
        OK(nc_def_var(nc, "p", NC_SHORT, 1, &dim, &v));
        OK(nc_put_att_double(nc, v, "scale_factor", NC_DOUBLE, 1, &scale));
        OK(nc_def_var_fill(nc, v, 0, &(short){-9}));
        OK(nc_enddef(nc));
        OK(nc_put_var_short(nc, v, stored[i]));
        OK(nc_close(nc));
    }
    snprintf(path, sizeof path, "%s#mode=join", in_dir("p?.nc"));
    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_inq_ndims(nc, &ndims));
    assert_int_equal(ndims, 1);
    OK(nc_inq_varid(nc, "p", &v));
    OK(nc_get_att_double(nc, v, "_FillValue", &fill));
    assert_true(fill == (double)NC_FILL_DOUBLE);
    OK(nc_get_var_double(nc, v, values));
    assert_true(values[0] == 0.5 && values[1] == fill && values[2] == fill && values[3] == 6);
    OK(nc_close(nc));
}

TEST_WITH(files_that_a_program_names_are_joined_and_their_places_listed, scratch_set_up, scratch_tear_down)
{
    static const char *const names[] = {"a #1,%20 {b}.nc", "b/c d;*.nc", "z.nc"};
    const char              *paths[3];
    char                     texts[3][300];
    listed                   l = {.n = 0};
    int                      nc, v;

    OK(mkdir(in_dir("b"), 0777));
    for (size_t i = 0; i < 3; i++) {
        snprintf(texts[i], sizeof texts[i], "%s/%s", scratch_dir, names[i]);
        paths[i] = texts[i];
    }
    make_part(names[0], NC_NETCDF4, 2, 3, 10);
    make_part(names[1], NC_NETCDF4, 3, 0, 10);
    make_part(names[2], NC_NETCDF4, 1, 5, 10);
    OK(nczarr_open_joined(3, paths, NULL, NC_NOWRITE, &nc));
    check_joined(nc, 6, 1);
    OK(nc_inq_varid(nc, "t", &v));
    l.first = paths[1]; /* it begins first */
    OK(nczarr_list_var_fragments(nc, v, note_fragment, &l));
    assert_int_equal(l.n, 3);
    assert_int_equal(l.at[1], 3);
    assert_int_equal(l.at[2], 5);
    assert_int_equal(nczarr_list_var_fragments(nc, v, stop, NULL), 77);
    FAILS(NC_EINVAL, nczarr_list_var_fragments(nc, v, NULL, NULL));
    OK(nc_close(nc));
    FAILS(NC_EINVAL, nczarr_open_joined(0, paths, NULL, NC_NOWRITE, &nc));
    FAILS(NC_EPERM, nczarr_open_joined(3, paths, NULL, NC_WRITE, &nc));
    FAILS(NC_EBADDIM, nczarr_open_joined(3, paths, "nothing", NC_NOWRITE, &nc));
}

typedef struct places {
    size_t n;
    char   path[3][300];
} places;

static int
keep_place(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    places *p = arg;

    (void)start, (void)count, (void)variable;
    snprintf(p->path[p->n++], sizeof p->path[0], "%s", path);
    return 0;
}

/* What was opened to look at it is what is read: files may go meanwhile, and others come in their place. */
TEST_WITH(files_that_are_joined_are_opened_once, scratch_set_up, scratch_tear_down)
{
    static const char *const names[] = {"run_b.nc", "run_a.nc", "run_c.nc"};
    char                     texts[3][300], path[300];
    const char              *paths[3];
    places                   p = {.n = 0};
    int                      nc, v, one, again;

    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++) {
            snprintf(texts[i], sizeof texts[i], "%s/%s", scratch_dir, names[i]);
            paths[i] = texts[i];
            make_part(names[i], NC_NETCDF4, 2, 2 * (int)i, 10);
        }
        snprintf(path, sizeof path, "%s/run_*.nc#mode=join", scratch_dir);
        if (k == 0)
            OK(nc_open(path, NC_NOWRITE, &nc));
        else
            OK(nczarr_open_joined(3, paths, NULL, NC_NOWRITE, &nc));
        scratch_empty(scratch_dir);
        check_joined(nc, 6, 1);
        if (k == 0)
            OK(nc_close(nc));
    }
    OK(nc_inq_varid(nc, "t", &v));
    OK(nczarr_list_var_fragments(nc, v, keep_place, &p));
    assert_int_equal(p.n, 3);
    for (size_t i = 0; i < 3; i++) { /* and is handed over, once */
        OK(nczarr_open_fragment(nc, p.path[i], &one));
        OK(nc_inq_varid(one, "t", &v));
        FAILS(ENOENT, nczarr_open_fragment(nc, p.path[i], &again));
        OK(nc_close(one));
    }
    FAILS(NC_EINVAL, nczarr_open_fragment(nc, NULL, &one));
    FAILS(NC_EINVAL, nczarr_open_fragment(nc, p.path[0], NULL));
    make_part(names[1], NC_NETCDF4, 2, 2, 10);
    OK(nczarr_open_fragment(nc, p.path[1], &one)); /* it is there again */
    OK(nczarr_open_fragment(nc, p.path[1], &again));
    OK(nc_close(again));
    OK(nc_close(one));
    OK(nc_close(nc));
}

/* A file of n coordinates from `first` on, `step` apart. */
static void
make_latitudes(const char *name, size_t n, double first, double step)
{
    int    nc, dim, v;
    double values[8];

    for (size_t i = 0; i < n; i++)
        values[i] = first + step * (double)i;
    OK(nc_create(in_dir(name), NC_NETCDF4, &nc));
    OK(nc_def_dim(nc, "lat", n, &dim));
    OK(nc_def_var(nc, "lat", NC_DOUBLE, 1, &dim, &v));
    OK(nc_put_var_double(nc, v, values));
    OK(nc_close(nc));
}

TEST_WITH(coordinates_that_descend_are_joined_descending, scratch_set_up, scratch_tear_down)
{
    static const struct {
        double start[3], step[3], want[3]; /* of the files a, b and c; what begins the parts */
        size_t n;
    } cases[] = {
        {{-10, 80, 40}, {-10, -10, -10}, {80, 40, -10}, 3}, /* descending */
        {{-10, 80, 40}, {10, 10, 10}, {-10, 40, 80}, 3},    /* ascending */
        {{-10, 80, 40}, {-10, 10, -10}, {-10, 80, 40}, 3},  /* both: as the names are */
        {{-10, 80, 40}, {1, 1, 1}, {-10, 40, 80}, 1},       /* neither */
        {{80, 40, 80}, {-10, -10, -10}, {80, 80, 40}, 3},   /* equal ones as the names are */
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char   path[300];
        double values[9];
        int    nc, v;

        scratch_empty(scratch_dir);
        for (size_t k = 0; k < 3; k++)
            make_latitudes((const char *[]){"a.nc", "b.nc", "c.nc"}[k], cases[i].n, cases[i].start[k],
                           cases[i].step[k]);
        snprintf(path, sizeof path, "%s/?.nc#mode=join&along=lat", scratch_dir);
        OK(nc_open(path, NC_NOWRITE, &nc));
        OK(nc_inq_varid(nc, "lat", &v));
        OK(nc_get_var_double(nc, v, values));
        for (size_t k = 0; k < 3; k++)
            assert_true(values[k * cases[i].n] == cases[i].want[k]);
        OK(nc_close(nc));
    }
}

TEST_WITH(what_does_not_fit_is_named, scratch_set_up, scratch_tear_down)
{
    char path[500];
    int  nc, v, dim;

    snprintf(path, sizeof path, "%s/?.nc#mode=join", scratch_dir);
    make_part("a.nc", NC_NETCDF4, 2, 0, 10);
    make_part("b.nc", NC_NETCDF4, 2, 2, 11); /* another level */
    FAILS(NC_EINVAL, nc_open(path, NC_NOWRITE, &nc));
    assert_non_null(strstr(nczarr_errmsg(), "b.nc"));
    assert_non_null(strstr(nczarr_errmsg(), "level"));
    OK(nc_create(in_dir("b.nc"), NC_NETCDF4, &nc)); /* nothing of it */
    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dim));
    OK(nc_def_var(nc, "time", NC_FLOAT, 1, &dim, &v));
    OK(nc_close(nc));
    FAILS(NC_EINVAL, nc_open(path, NC_NOWRITE, &nc));
    assert_non_null(strstr(nczarr_errmsg(), "b.nc"));
    snprintf(path, sizeof path, "%s/?.nc#mode=join&along=level2", scratch_dir);
    FAILS(NC_EBADDIM, nc_open(path, NC_NOWRITE, &nc));
    assert_non_null(strstr(nczarr_errmsg(), "level2"));
}

TEST_WITH(a_stored_join_is_an_aggregation, scratch_set_up, scratch_tear_down)
{
    static const char *const targets[] = {"all.nc", "all.zarr"};
    const char              *paths[2];
    char                     moved[300], text[400];
    int                      nc, nvars;

    make_part("a.nc", NC_NETCDF4, 2, 0, 10);
    make_part("b.nc", NC_NETCDF4, 4, 2, 10);
    paths[0] = in_dir("a.nc");
    paths[1] = in_dir("b.nc");
    for (size_t i = 0; i < NCZ_LEN(targets); i++) {
        OK(nczarr_join(2, paths, NULL, in_dir(targets[i]), NC_NOCLOBBER));
        OK(nc_open(in_dir(targets[i]), NC_NOWRITE, &nc));
        check_joined(nc, 6, 1);
        OK(nc_close(nc));
        snprintf(text, sizeof text, "%s#aggregation=no", in_dir(targets[i]));
        OK(nc_open(text, NC_NOWRITE, &nc));
        OK(nc_inq_nvars(nc, &nvars));
        assert_true(nvars > 4);
        OK(nc_close(nc));
        FAILS(NC_EEXIST, nczarr_join(2, paths, NULL, in_dir(targets[i]), NC_NOCLOBBER));
    }
    /* Its places are relative to it. */
    snprintf(moved, sizeof moved, "%s-moved", scratch_dir);
    assert_int_equal(rename(scratch_dir, moved), 0);
    snprintf(text, sizeof text, "%s/all.nc", moved);
    OK(nc_open(text, NC_NOWRITE, &nc));
    check_joined(nc, 6, 1);
    OK(nc_close(nc));
    assert_int_equal(rename(moved, scratch_dir), 0);
    paths[0] = in_dir("a.nc");
    FAILS(NC_EBADDIM, nczarr_join(1, paths, "nothing", in_dir("x.nc"), 0));
    FAILS(NC_EINVAL, nczarr_join(0, paths, NULL, in_dir("x.nc"), 0));
}
