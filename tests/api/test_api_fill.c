/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fill value and its attribute _FillValue: renamed to and from with data there, deleted, copied from another type.
 * Elements keep their values, also those that nobody wrote, and the documents say the same after reopening.
 */
#include "api/api_test.h"

#include <math.h>

static const char *const modes[] = {"mode=nczarr", "mode=zarr", "mode=nczarr,v3", "mode=zarr,v3"};

/* Two chunks of two floats, of which the first is put, and two shorts in a chunk that is not. */
static void
make(place *p, const char *mode, int *v, int *s)
{
    const float  fill = -999, data[] = {1, -999};
    const short  none = -9;
    const size_t start = 0, count = 2, chunk = 2;
    int          ncid, x, y;

    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &x));
    OK(nc_def_dim(ncid, "y", 2, &y));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 1, &x, v));
    OK(nc_def_var_chunking(ncid, *v, NC_CHUNKED, &chunk));
    OK(nc_put_att_float(ncid, *v, "_FillValue", NC_FLOAT, 1, &fill));
    OK(nc_def_var(ncid, "w", NC_SHORT, 1, &y, s));
    OK(nc_put_att_short(ncid, *s, "_FillValue", NC_SHORT, 1, &none));
    OK(nc_enddef(ncid));
    OK(nc_put_vara_float(ncid, *v, &start, &count, data));
    OK(nc_close(ncid));
}

static void
check_floats(int ncid, int v, float a, float b, float c, float d)
{
    float back[4];

    OK(nc_get_var_float(ncid, v, back));
    assert_true(back[0] == a && back[1] == b && back[2] == c && back[3] == d);
}

static void
check_att(int ncid, int v, const char *name, nc_type type, double value)
{
    nc_type is;
    size_t  len;
    double  back;

    OK(nc_inq_att(ncid, v, name, &is, &len));
    assert_int_equal(is, type);
    assert_int_equal(len, 1);
    OK(nc_get_att_double(ncid, v, name, &back));
    assert_true(back == value);
}

/* As NCO changes it: away, another value, data, and back. */
TEST_IN_EACH_PLACE(fill_values_are_replaced_as_nco_does)
{
    const float data[] = {1, -1}, mark = -1, late = -5;
    size_t      start = 0, count = 2;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        int ncid, v, s;

        make(p, modes[m], &v, &s);
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        OK(nc_redef(ncid));
        OK(nc_rename_att(ncid, v, "_FillValue", "tmp"));
        OK(nc_put_att_float(ncid, v, "tmp", NC_FLOAT, 1, &mark));
        OK(nc_enddef(ncid));
        OK(nc_put_vara_float(ncid, v, &start, &count, data));
        OK(nc_rename_att(ncid, v, "tmp", "_FillValue"));
        FAILS(NC_ENOTATT, nc_inq_attid(ncid, v, "tmp", NULL));
        FAILS(NC_ELATEFILL, nc_put_att_float(ncid, v, "_FillValue", NC_FLOAT, 1, &late));
        check_floats(ncid, v, 1, -1, -999, -999);
        OK(nc_close(ncid));
        OK(place_open(p, modes[m], NC_NOWRITE, &ncid));
        check_att(ncid, v, "_FillValue", NC_FLOAT, -1);
        check_floats(ncid, v, 1, -1, -999, -999);
        OK(nc_close(ncid));
    }
}

/* A chunk that holds nothing but the new fill value is left out, and the document says what it reads as. */
TEST_IN_EACH_PLACE(left_out)
{
    const float all[] = {-1, -1, -1, -1}, mark = -1;
    int         ncid, v, s;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        make(p, modes[m], &v, &s);
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        OK(nc_put_att_float(ncid, v, "tmp", NC_FLOAT, 1, &mark));
        OK(nc_rename_att(ncid, v, "_FillValue", "old"));
        OK(nc_rename_att(ncid, v, "tmp", "_FillValue"));
        OK(nc_put_var_float(ncid, v, all));
        OK(nc_close(ncid));
        OK(place_open(p, modes[m], NC_NOWRITE, &ncid));
        check_att(ncid, v, "_FillValue", NC_FLOAT, -1);
        check_att(ncid, v, "old", strncmp(modes[m], "mode=zarr", 9) == 0 ? NC_DOUBLE : NC_FLOAT, -999);
        check_floats(ncid, v, -1, -1, -1, -1);
        OK(nc_close(ncid));
    }
}

/* In plain Zarr v2 the fill value itself is the mark, and no number keeps its type as an attribute. */
TEST_IN_EACH_PLACE(renamed_away)
{
    short back[2];
    int   ncid, v, s;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        nc_type type;
        bool    plain = strncmp(modes[m], "mode=zarr", 9) == 0;

        make(p, modes[m], &v, &s);
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        OK(nc_rename_att(ncid, v, "_FillValue", "missing_value"));
        FAILS(NC_ENAMEINUSE, nc_rename_att(ncid, v, "missing_value", "missing_value"));
        OK(nc_close(ncid));
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        FAILS(NC_ENOTATT, nc_inq_attid(ncid, v, "_FillValue", NULL));
        OK(nc_inq_atttype(ncid, v, "missing_value", &type)); /* -999.0 */
        assert_int_equal(type, plain ? NC_DOUBLE : NC_FLOAT);
        check_att(ncid, v, "missing_value", type, -999);
        check_floats(ncid, v, 1, -999, -999, -999);
        OK(nc_del_att(ncid, s, "_FillValue"));
        OK(nc_close(ncid));
        OK(place_open(p, modes[m], NC_NOWRITE, &ncid));
        FAILS(NC_ENOTATT, nc_inq_attid(ncid, s, "_FillValue", NULL));
        OK(nc_get_var_short(ncid, s, back));
        assert_true(back[0] == -9 && back[1] == -9);
        OK(nc_close(ncid));
    }
}

/* Others may hold the name, the type, or more than one element. Nothing changes then. */
TEST_IN_EACH_PLACE(a_refused_fill_value_changes_nothing)
{
    const double d = 1e300;
    const float  two[] = {-1, -2};
    int          ncid, v, s;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        make(p, modes[m], &v, &s);
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        OK(nc_put_att_double(ncid, v, "d", NC_DOUBLE, 1, &d));
        OK(nc_put_att_float(ncid, v, "two", NC_FLOAT, 2, two));
        FAILS(NC_ENAMEINUSE, nc_rename_att(ncid, v, "two", "_FillValue"));
        FAILS(NC_ENAMEINUSE, nc_rename_att(ncid, v, "_FillValue", "two"));
        check_att(ncid, v, "_FillValue", NC_FLOAT, -999);
        OK(nc_del_att(ncid, v, "_FillValue"));
        FAILS(NC_EBADTYPE, nc_rename_att(ncid, v, "d", "_FillValue"));
        FAILS(NC_EINVAL, nc_rename_att(ncid, v, "two", "_FillValue"));
        check_floats(ncid, v, 1, -999, -999, -999);
        OK(nc_close(ncid));
    }
}

/* A number of another type that fits gets the variable's, as when plain Zarr has lost the attribute's. */
TEST_IN_EACH_PLACE(renamed_back)
{
    const long long fits = -32768, none = 70000;
    int             ncid, v, s;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        make(p, modes[m], &v, &s);
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        OK(nc_rename_att(ncid, v, "_FillValue", "missing_value"));
        OK(nc_del_att(ncid, s, "_FillValue"));
        OK(nc_put_att_longlong(ncid, s, "fits", NC_INT64, 1, &fits));
        OK(nc_put_att_longlong(ncid, s, "none", NC_INT64, 1, &none));
        OK(nc_close(ncid));
        OK(place_open(p, modes[m], NC_WRITE, &ncid));
        OK(nc_rename_att(ncid, v, "missing_value", "_FillValue"));
        FAILS(NC_EBADTYPE, nc_rename_att(ncid, s, "none", "_FillValue"));
        OK(nc_rename_att(ncid, s, "fits", "_FillValue"));
        OK(nc_close(ncid));
        OK(place_open(p, modes[m], NC_NOWRITE, &ncid));
        check_att(ncid, v, "_FillValue", NC_FLOAT, -999);
        check_att(ncid, s, "_FillValue", NC_SHORT, -32768);
        check_floats(ncid, v, 1, -999, -999, -999);
        OK(nc_close(ncid));
    }
}

/* What lies beyond the end of an unlimited dimension gets the new fill value, not what the last chunk holds there. */
TEST_IN_EACH_PLACE(growth_reads_as_the_new_fill_value)
{
    const int    fill = -9, mark = -1, one[] = {5, 6, 7};
    const size_t chunk = 4;
    size_t       start = 0, count = 3;
    int          ncid, t, v, back[8];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &t, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &chunk));
    OK(nc_put_att_int(ncid, v, "_FillValue", NC_INT, 1, &fill));
    OK(nc_put_vara_int(ncid, v, &start, &count, one));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    OK(nc_put_att_int(ncid, v, "tmp", NC_INT, 1, &mark));
    OK(nc_rename_att(ncid, v, "_FillValue", "old"));
    OK(nc_rename_att(ncid, v, "tmp", "_FillValue"));
    start = 6;
    count = 1;
    OK(nc_put_vara_int(ncid, v, &start, &count, one));
    OK(nc_get_var_int(ncid, v, back));
    assert_memory_equal(back, ((int[]){5, 6, 7, -1, -1, -1, 5}), 7 * sizeof *back);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_get_var_int(ncid, v, back));
    assert_memory_equal(back, ((int[]){5, 6, 7, -1, -1, -1, 5}), 7 * sizeof *back);
    OK(nc_close(ncid));
}

/* A hole of too many chunks is not filled. NCZarr's keys need none for an attribute that goes. */
TEST(large_holes)
{
    const double fill = -9, other = -1, one = 1;
    const size_t chunk = 64, at = 0;
    int          ncid, x, v;
    double       back;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        place p;
        bool  plain = strncmp(modes[m], "mode=zarr", 9) == 0;

        place_make(&p, false);
        OK(place_create(&p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", (size_t)1 << 30, &x));
        OK(nc_def_var(ncid, "v", NC_DOUBLE, 1, &x, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &chunk));
        OK(nc_put_att_double(ncid, v, "_FillValue", NC_DOUBLE, 1, &fill));
        OK(nc_put_var1_double(ncid, v, &at, &one));
        OK(nc_put_att_double(ncid, v, "other", NC_DOUBLE, 1, &other));
        RC(plain ? NC_ELATEFILL : NC_NOERR, nc_rename_att(ncid, v, "_FillValue", "old"));
        if (!plain)
            FAILS(NC_ELATEFILL, nc_rename_att(ncid, v, "other", "_FillValue"));
        OK(nc_get_var1_double(ncid, v, &(size_t){1000}, &back));
        assert_true(back == fill);
        OK(nc_close(ncid));
        OK(place_open(&p, modes[m], NC_NOWRITE, &ncid));
        check_att(ncid, v, plain ? "_FillValue" : "old", NC_DOUBLE, -9);
        OK(nc_get_var1_double(ncid, v, &(size_t){1000}, &back));
        assert_true(back == fill);
        OK(nc_close(ncid));
        place_drop(&p);
    }
}

/* nc_copy_att gives a number the variable's type where it fits. */
TEST(a_copied_fill_value_gets_the_variables_type)
{
    static const struct {
        nc_type from;
        double  value;
        nc_type to;
        int     rc;
    } cases[] = {
        {NC_DOUBLE, 1e20, NC_FLOAT, NC_NOERR},  {NC_DOUBLE, NAN, NC_FLOAT, NC_NOERR},
        {NC_INT64, -32768, NC_SHORT, NC_NOERR}, {NC_DOUBLE, -9999, NC_SHORT, NC_NOERR},
        {NC_FLOAT, -9, NC_DOUBLE, NC_NOERR},    {NC_INT, 255, NC_UBYTE, NC_NOERR},
        {NC_INT, 300, NC_UBYTE, NC_EBADTYPE},   {NC_DOUBLE, 0.5, NC_SHORT, NC_EBADTYPE},
        {NC_DOUBLE, NAN, NC_INT, NC_EBADTYPE},  {NC_DOUBLE, 1e300, NC_FLOAT, NC_EBADTYPE},
        {NC_BYTE, -1, NC_UBYTE, NC_EBADTYPE},   {NC_DOUBLE, 1e-300, NC_FLOAT, NC_EBADTYPE},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        place from, to;
        char  path[600];
        int   in, out, v;

        place_make(&from, false);
        place_make(&to, false);
        snprintf(path, sizeof path, "%s/a.nc", from.dir);
        OK(nc_create(path, NC_64BIT_DATA, &in));
        OK(nc_def_var(in, "v", cases[i].to, 0, NULL, &v));
        OK(nc_put_att_double(in, v, "_FillValue", cases[i].from, 1, &cases[i].value));
        OK(place_create(&to, NULL, NC_CLOBBER, &out));
        OK(nc_def_var(out, "v", cases[i].to, 0, NULL, &v));
        RC(cases[i].rc, nc_copy_att(in, v, "_FillValue", out, v));
        if (cases[i].rc == NC_NOERR && !isnan(cases[i].value))
            check_att(out, v, "_FillValue", cases[i].to,
                      cases[i].to == NC_FLOAT ? (double)(float)cases[i].value : cases[i].value);
        OK(nc_close(out));
        OK(nc_close(in));
        place_drop(&to);
        place_drop(&from);
    }
}
