/* SPDX-License-Identifier: BSD-3-Clause */
/* What pages and pictures are made of: values that are gathered, none of which is lost, and what stored values mean. */
#include "support/test.h"

#include "report/report_int.h"

#include <math.h>
#include <nczarr.h>
#include <stdlib.h>

#define OK(call)   assert_int_equal((call), NC_NOERR)
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

enum { HOURS = 24 * 100, PEAK = 1000, LOST = 77 };

/* A daily cycle that never changes, one record a chunk; one value above all, one missing. */
static double
hourly(size_t h)
{
    return h == PEAK ? 31 : h == LOST ? NAN : 10 + 6 * sin(2 * 3.14159265358979 * (double)(h % 24) / 24);
}

static int
make_series(size_t chunk)
{
    int    nc, dim, var;
    double value[HOURS], fill = -999;

    OK(nc_create("series", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "time", HOURS, &dim));
    OK(nc_def_var(nc, "ta", NC_DOUBLE, 1, &dim, &var));
    OK(nc_put_att_double(nc, var, "_FillValue", NC_DOUBLE, 1, &fill));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, &chunk));
    OK(nc_enddef(nc));
    for (size_t h = 0; h < HOURS; h++)
        value[h] = isnan(hourly(h)) ? fill : hourly(h);
    OK(nc_put_var_double(nc, var, value));
    return nc;
}

typedef struct case_of {
    report_page   p;
    dump_opts     o;
    dump_var      v;
    value_meaning m;
    report_sample s;
    report_stats  st;
} case_of;

static void
open_case(case_of *c, int nc, int varid, double bytes)
{
    *c = (case_of){.o = DUMP_OPTS_INIT};
    c->p = (report_page){.d = {.o = &c->o, .root = nc, .report = {.file = "test"}},
                         .limits = {.var_bytes = bytes, .bytes = 1 << 30}};
    OK(dump_var_load(&c->p.d, nc, varid, &c->v));
    value_meaning_load(c->v.grp, c->v.id, &c->m);
}

static void
close_case(case_of *c)
{
    report_sample_clear(&c->s);
    value_meaning_clear(&c->m);
    dump_var_clear(&c->v);
    dim_table_clear(&c->p.d.dims);
}

static int
fold(case_of *c, const size_t *places)
{
    const char *why;

    return report_fold(&c->p, &c->v, &c->m, &(report_request){.places = places}, &c->s, &c->st, &why);
}

/* Each place holds exactly the values of its span of the series. */
static void
check_spans(const report_sample *s, size_t places, bool whole)
{
    for (size_t k = 0, h = 0; k < s->axis[0].n; k++) {
        double least = INFINITY, most = -INFINITY, sum = 0, n = 0;
        size_t middle = s->axis[0].index[k], place = middle * places / HOURS;

        if (whole)
            assert_int_equal(place, k);
        for (h = 0; h < HOURS; h++)
            if (h * places / HOURS == place && !isnan(hourly(h))) {
                least = fmin(least, hourly(h));
                most = fmax(most, hourly(h));
                sum += hourly(h);
                n++;
            }
        NEAR(s->least[k], least);
        NEAR(s->most[k], most);
        NEAR(s->value[k], sum / n);
    }
}

TEST(an_envelope_is_that_of_all_values)
{
    for (size_t chunk = 1; chunk <= HOURS; chunk += HOURS / 2 - 1) {
        int     nc = make_series(chunk);
        case_of c;

        open_case(&c, nc, 0, 1 << 26);
        OK(fold(&c, (size_t[]){100}));
        assert_true(c.s.all && !c.st.sampled && c.s.axis[0].n == 100);
        check_spans(&c.s, 100, true);
        assert_int_equal(c.st.n, HOURS);
        assert_int_equal(c.st.missing, 1);
        NEAR(c.st.most, 31);
        NEAR(c.st.least, 4);
        close_case(&c);
        OK(nc_close(nc));
    }
}

/* Whole days are read of some places: none of these lies about its days. */
TEST(an_envelope_of_a_sample_says_so)
{
    int     nc = make_series(24);
    case_of c;

    open_case(&c, nc, 0, 20 * (24 * 8 + 512));
    OK(fold(&c, (size_t[]){100}));
    assert_true(!c.s.all && c.st.sampled && c.s.axis[0].n >= 10 && c.s.axis[0].n < 100);
    assert_int_equal(c.st.n, 24 * c.s.axis[0].n);
    check_spans(&c.s, 100, false);
    close_case(&c);
    OK(nc_close(nc));
}

TEST(few_values_stay_as_they_are)
{
    int     nc = make_series(7);
    case_of c;

    open_case(&c, nc, 0, 1 << 26);
    OK(fold(&c, (size_t[]){HOURS + 5}));
    assert_true(c.s.all && c.s.least == NULL && c.s.n == HOURS);
    for (size_t h = 0; h < HOURS; h++) {
        assert_int_equal(c.s.axis[0].index[h], h);
        assert_true(isnan(hourly(h)) ? isnan(c.s.value[h]) : c.s.value[h] == hourly(h));
    }
    close_case(&c);
    OK(nc_close(nc));
}

/* A line of few columns loses neither the peak nor the cycle; its mean has no swell. */
TEST(a_line_keeps_peaks)
{
    int         nc = make_series(1);
    case_of     c;
    report_line l;
    double      most = 0;

    open_case(&c, nc, 0, 1 << 26);
    OK(fold(&c, (size_t[]){400}));
    report_line_make(&c.s, 0, 50, &l);
    assert_int_equal(l.n, 50);
    for (size_t i = 0; i < l.n; i++) {
        assert_true(fabs(l.value[i] - 10) < 0.6 && fabs(l.least[i] - 4) < 1e-9 && l.most[i] > 16 - 1e-9);
        most = fmax(most, l.most[i]);
    }
    NEAR(most, 31);
    report_line_clear(&l);
    close_case(&c);
    OK(nc_close(nc));
}

/* Of a part, around the end and with a step, in two dimensions with chunks that do not fit them. */
TEST(a_part_is_gathered)
{
    static hyperslab_run rows[] = {{8, 2, 1}, {0, 3, 1}}, cols[] = {{1, 5, 3}};
    static hyperslab_dim y = {.len = 5, .runs = rows, .nruns = 2}, x = {.len = 5, .runs = cols, .nruns = 1};
    int                  nc, dims[2], var, value[10][16];
    case_of              c;

    OK(nc_create("plane", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "y", 10, &dims[0]));
    OK(nc_def_dim(nc, "x", 16, &dims[1]));
    OK(nc_def_var(nc, "v", NC_INT, 2, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[]){3, 7}));
    for (int i = 0; i < 160; i++)
        value[i / 16][i % 16] = i;
    OK(nc_put_var_int(nc, var, &value[0][0]));
    open_case(&c, nc, var, 1 << 26);
    c.v.part[0] = &y;
    c.v.part[1] = &x;
    c.v.shape[0] = c.v.shape[1] = 5;
    OK(fold(&c, (size_t[]){5, 1}));
    assert_int_equal(c.s.n, 5);
    for (int r = 0; r < 5; r++) {
        int row = (int[]){8, 9, 0, 1, 2}[r];

        NEAR(c.s.value[r], row * 16 + 7);
        NEAR(c.s.least[r], row * 16 + 1);
        NEAR(c.s.most[r], row * 16 + 13);
    }
    close_case(&c);
    OK(nc_close(nc));
}

/* ---- meaning -------------------------------------------------------------------------------------------------- */

static double
shown(int nc, int varid, const void *raw)
{
    case_of c;
    double  value;

    open_case(&c, nc, varid, 1);
    value = value_meaning_shown(&c.m, raw);
    close_case(&c);
    return value;
}

TEST(stored_values_mean_what_attributes_say)
{
    int    nc, v[6];
    double scale = 0.01, offset = 100, range[] = {0, 1};

    OK(nc_create("meaning", NC_NETCDF4 | NC_DISKLESS, &nc));
    for (int i = 0; i < 6; i++)
        OK(nc_def_var(nc, (const char *[]){"a", "b", "c", "d", "e", "f"}[i],
                      i == 3   ? NC_FLOAT
                      : i == 5 ? NC_INT
                               : NC_SHORT,
                      0, NULL, &v[i]));
    /* several missing values and a fill value */
    OK(nc_put_att_short(nc, v[0], "missing_value", NC_SHORT, 2, (short[]){-1, -2}));
    OK(nc_put_att_short(nc, v[0], "_FillValue", NC_SHORT, 1, (short[]){-3}));
    assert_true(isnan(shown(nc, v[0], &(short){-1})) && isnan(shown(nc, v[0], &(short){-2})) &&
                isnan(shown(nc, v[0], &(short){-3})) && shown(nc, v[0], &(short){-4}) == -4);
    /* packed, with limits of what is stored */
    OK(nc_put_att_double(nc, v[1], "scale_factor", NC_DOUBLE, 1, &scale));
    OK(nc_put_att_double(nc, v[1], "add_offset", NC_DOUBLE, 1, &offset));
    OK(nc_put_att_short(nc, v[1], "valid_range", NC_SHORT, 2, (short[]){0, 100}));
    NEAR(shown(nc, v[1], &(short){50}), 100.5);
    assert_true(isnan(shown(nc, v[1], &(short){101})) && isnan(shown(nc, v[1], &(short){-1})));
    /* packed, with limits of what it stands for */
    OK(nc_put_att_double(nc, v[2], "scale_factor", NC_DOUBLE, 1, &scale));
    OK(nc_put_att_double(nc, v[2], "valid_range", NC_DOUBLE, 2, range));
    NEAR(shown(nc, v[2], &(short){100}), 1);
    assert_true(isnan(shown(nc, v[2], &(short){101})) && shown(nc, v[2], &(short){0}) == 0);
    /* a float's digits, of another type; and one limit alone */
    OK(nc_put_att_double(nc, v[3], "missing_value", NC_DOUBLE, 1, (double[]){-999.9}));
    OK(nc_put_att_float(nc, v[3], "valid_max", NC_FLOAT, 1, (float[]){5}));
    assert_true(isnan(shown(nc, v[3], &(float){-999.9f})) && isnan(shown(nc, v[3], &(float){6})) &&
                shown(nc, v[3], &(float){-7}) == -7);
    /* the sign that is meant, in limits and missing values too */
    OK(nc_put_att_text(nc, v[4], "_Unsigned", 4, "true"));
    OK(nc_put_att_short(nc, v[4], "valid_range", NC_SHORT, 2, (short[]){0, -6}));
    OK(nc_put_att_short(nc, v[4], "_FillValue", NC_SHORT, 1, (short[]){-1}));
    assert_true(shown(nc, v[4], &(short){-6}) == 65530 && isnan(shown(nc, v[4], &(short){-5})) &&
                isnan(shown(nc, v[4], &(short){-1})));
    assert_true(isnan(shown(nc, v[5], &(int){NC_FILL_INT})) && shown(nc, v[5], &(int){3}) == 3);
    OK(nc_close(nc));
}
