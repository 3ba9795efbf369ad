/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get: every shape in every type, bounds, strides, maps, growing dimensions, fill, conversions. */
#include "api_test.h"

#include <limits.h>
#include <math.h>

/* ---- every shape, in every numeric type, on a variable of the same type and on one of another ---- */

/* For a type: a 3 x 4 array goes in by each of the five puts and out by each of the five gets. */
#define ALL_SHAPES(name, ctype)                                                                                      \
    static void shapes_##name(int ncid, int var)                                                                     \
    {                                                                                                                \
        const size_t    start[2] = {1, 0}, count[2] = {1, 4}, half[2] = {3, 2}, at[2] = {2, 3};                      \
        const size_t    zero[2] = {0, 0}, all[2] = {3, 4};                                                           \
        const ptrdiff_t step[2] = {1, 2}, one[2] = {1, 1}, turned[2] = {1, 3};                                       \
        ctype           in[12], out[12], row[4] = {21, 22, 23, 24}, few[6] = {31, 32, 33, 34, 35, 36}, x = 99;       \
                                                                                                                     \
        for (int i = 0; i < 12; i++)                                                                                 \
            in[i] = (ctype)i;                                                                                        \
        OK(nc_put_var_##name(ncid, var, in));                                                                        \
        OK(nc_get_var_##name(ncid, var, out));                                                                       \
        assert_memory_equal(in, out, sizeof in);                                                                     \
        OK(nc_put_vara_##name(ncid, var, start, count, row));                                                        \
        OK(nc_get_vara_##name(ncid, var, start, count, out));                                                        \
        assert_memory_equal(row, out, sizeof row);                                                                   \
        OK(nc_put_vars_##name(ncid, var, zero, half, step, few));                                                    \
        OK(nc_get_vars_##name(ncid, var, zero, half, step, out));                                                    \
        assert_memory_equal(few, out, sizeof few);                                                                   \
        OK(nc_put_var1_##name(ncid, var, at, &x));                                                                   \
        OK(nc_get_var1_##name(ncid, var, at, out));                                                                  \
        assert_true(out[0] == x);                                                                                    \
        OK(nc_get_varm_##name(ncid, var, zero, all, one, turned, out)); /* transposed */                             \
        assert_true(out[0] == 31 && out[1] == 33 && out[2] == 35 && out[3] == 1 && out[11] == 99);                   \
        OK(nc_put_varm_##name(ncid, var, zero, all, one, turned, in));                                               \
        OK(nc_get_var_##name(ncid, var, out));                                                                       \
        assert_true(out[0] == 0 && out[1] == 3 && out[4] == 1 && out[11] == 11);                                     \
    }

#define NUMBERS(X)                                                                                                   \
    X(uchar, unsigned char)                                                                                          \
    X(schar, signed char)                                                                                            \
    X(short, short)                                                                                                  \
    X(int, int)                                                                                                      \
    X(long, long)                                                                                                    \
    X(float, float)                                                                                                  \
    X(double, double)                                                                                                \
    X(ubyte, unsigned char)                                                                                          \
    X(ushort, unsigned short)                                                                                        \
    X(uint, unsigned int)                                                                                            \
    X(longlong, long long)                                                                                           \
    X(ulonglong, unsigned long long)

NUMBERS(ALL_SHAPES)
ALL_SHAPES(text, char)

TEST_IN_EACH_PLACE(all_families_of_calls_put_and_get)
{
    static const struct {
        const char *name;
        nc_type     type;
    } vars[] = {
        {"b", NC_BYTE},   {"s", NC_SHORT},   {"i", NC_INT},   {"f", NC_FLOAT}, {"d", NC_DOUBLE},
        {"ub", NC_UBYTE}, {"us", NC_USHORT}, {"ui", NC_UINT}, {"l", NC_INT64}, {"ul", NC_UINT64},
    };
    int dims[2], var, ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", 3, &dims[0]));
    OK(nc_def_dim(ncid, "x", 4, &dims[1]));
    for (size_t i = 0; i < NCZ_LEN(vars); i++) {
        OK(nc_def_var(ncid, vars[i].name, vars[i].type, 2, dims, &var));
        OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (size_t[]){2, 3}));
        if (i % 2 == 1)
            OK(nc_def_var_endian(ncid, var, NC_ENDIAN_BIG));
#define RUN(tname, ctype) shapes_##tname(ncid, var);
        NUMBERS(RUN)
#undef RUN
    }
    OK(nc_def_var(ncid, "c", NC_CHAR, 2, dims, &var));
    shapes_text(ncid, var);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < NCZ_LEN(vars); i++) {
        double out[12];

        OK(nc_inq_varid(ncid, vars[i].name, &var));
        OK(nc_get_var_double(ncid, var, out));
        assert_true(out[0] == 0 && out[1] == 3 && out[4] == 1 && out[11] == 11);
    }
    OK(nc_close(ncid));
}

/* The untyped ones: memory is of the variable's type. */
TEST_IN_EACH_PLACE(untyped_calls_move_the_variables_type)
{
    const short     in[6] = {1, 2, 3, 4, 5, 6};
    const size_t    zero[2] = {0, 0}, all[2] = {2, 3}, at[2] = {1, 1}, cols[2] = {2, 2};
    const ptrdiff_t two[2] = {1, 2}, turned[2] = {1, 2};
    short           out[6] = {0};
    int             dims[2], var, ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", 2, &dims[0]));
    OK(nc_def_dim(ncid, "x", 3, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_SHORT, 2, dims, &var));
    OK(nc_put_var(ncid, var, in));
    OK(nc_get_var(ncid, var, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_put_var1(ncid, var, at, &(short){50}));
    OK(nc_get_var1(ncid, var, at, out));
    assert_int_equal(out[0], 50);
    OK(nc_put_vara(ncid, var, zero, all, in));
    OK(nc_get_vara(ncid, var, zero, all, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_put_vars(ncid, var, zero, cols, two, (const short[]){7, 8, 9, 10}));
    OK(nc_get_vars(ncid, var, zero, cols, two, out));
    assert_int_equal(out[3], 10);
    OK(nc_put_varm(ncid, var, zero, all, NULL, turned, in));
    OK(nc_get_varm(ncid, var, zero, all, NULL, turned, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_get_var(ncid, var, out));
    assert_int_equal(out[1], 3);
    OK(nc_close(ncid));
}

/* ---- strings ---- */

TEST_IN_EACH_PLACE(strings_keep_their_bytes_and_width)
{
    const char  *in[4] = {"one", "", NULL, "z\xc3\xbcrich"}, *wide = "abcd\xc3\xa9";
    char        *out[4] = {NULL};
    const size_t zero[1] = {0}, two[1] = {2};
    int          dim, var, narrow, one = 1, ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &var));
    OK(nc_def_var(ncid, "n", NC_STRING, 1, &dim, &narrow));
    OK(nc_put_att_int(ncid, narrow, "_nczarr_maxstrlen", NC_INT, 1, &(int){5}));
    OK(nc_put_var_string(ncid, var, in));
    FAILS(NC_EBADTYPE, nc_put_var_int(ncid, var, &one));
    assert_non_null(strstr(nczarr_errmsg(), ": its type string and memory type int do not convert"));
    FAILS(NC_EBADTYPE, nc_put_var_text(ncid, var, "text"));
    FAILS(NC_EBADTYPE, nc_get_var_double(ncid, var, (double[4]){0}));
    OK(nc_put_var1_string(ncid, narrow, zero, &wide));
    OK(nc_get_var1_string(ncid, narrow, zero, out));
    assert_string_equal(out[0], "abcd"); /* cut between characters */
    OK(nc_free_string(1, out));
    FAILS(NC_ELATEDEF, nc_put_att_int(ncid, narrow, "_nczarr_maxstrlen", NC_INT, 1, &(int){9}));
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_get_var_string(ncid, var, out));
    assert_string_equal(out[0], "one");
    assert_string_equal(out[1] != NULL ? out[1] : "", "");
    assert_string_equal(out[3], "z\xc3\xbcrich");
    OK(nc_free_string(4, out));
    assert_null(out[0]);
    OK(nc_get_vara_string(ncid, var, two, two, out));
    assert_string_equal(out[1], "z\xc3\xbcrich");
    OK(nc_reclaim_data(ncid, NC_STRING, out, 2));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(default_width)
{
    char       *s = NULL;
    const char *in = "abcdefghij";
    int         before, after, ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "before", NC_STRING, 0, NULL, &before));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "_nczarr_default_maxstrlen", NC_INT, 1, &(int){4}));
    OK(nc_def_var(ncid, "after", NC_STRING, 0, NULL, &after));
    for (int v = before; v <= after; v++) {
        OK(nc_put_var_string(ncid, v, &in));
        OK(nc_get_var_string(ncid, v, &s));
        assert_string_equal(s, "abcd");
        OK(nc_free_string(1, &s));
    }
    OK(nc_close(ncid));
}

/* ---- bounds ---- */

TEST_IN_EACH_PLACE(what_lies_out_of_bounds_is_refused)
{
    const size_t    max = SIZE_MAX;
    const ptrdiff_t none = 0, back = -1, three = 3;
    int             dims[2], fixed, grows, scalar, x = 5, out[8] = {0}, ncid;
    size_t          len;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 4, &dims[1]));
    OK(nc_def_var(ncid, "fixed", NC_INT, 1, &dims[1], &fixed));
    OK(nc_def_var(ncid, "grows", NC_INT, 1, &dims[0], &grows));
    OK(nc_def_var(ncid, "scalar", NC_INT, 0, NULL, &scalar));
    OK(nc_put_vara_int(ncid, grows, (size_t[]){0}, (size_t[]){3}, (int[]){1, 2, 3}));

#define AT(n) ((const size_t[]){n})
    OK(nc_get_vara_int(ncid, fixed, AT(4), AT(0), out));
    OK(nc_put_vara_int(ncid, fixed, AT(4), AT(0), NULL));
    FAILS(NC_EINVALCOORDS, nc_get_vara_int(ncid, fixed, AT(4), AT(1), out));
    FAILS(NC_EINVALCOORDS, nc_put_vara_int(ncid, fixed, AT(4), AT(1), out));
    FAILS(NC_EINVALCOORDS, nc_get_vara_int(ncid, fixed, AT(5), AT(0), out));
    FAILS(NC_EINVALCOORDS, nc_get_var1_int(ncid, fixed, AT(4), out));
    FAILS(NC_EEDGE, nc_get_vara_int(ncid, fixed, AT(2), AT(3), out));
    FAILS(NC_EEDGE, nc_put_vara_int(ncid, fixed, AT(0), AT(5), out));
    FAILS(NC_EEDGE, nc_get_vara_int(ncid, fixed, AT(1), &max, out));
    FAILS(NC_EINVALCOORDS, nc_get_vara_int(ncid, fixed, &max, AT(1), out));
    FAILS(NC_ESTRIDE, nc_get_vars_int(ncid, fixed, AT(0), AT(1), &none, out));
    FAILS(NC_ESTRIDE, nc_put_vars_int(ncid, fixed, AT(0), AT(1), &back, out));
    OK(nc_get_vars_int(ncid, fixed, AT(0), AT(2), &three, out));
    FAILS(NC_EEDGE, nc_get_vars_int(ncid, fixed, AT(1), AT(2), &three, out));
    FAILS(NC_EINVALCOORDS, nc_get_vara_int(ncid, grows, AT(3), AT(1), out));
    FAILS(NC_EINVALCOORDS, nc_get_var1_int(ncid, grows, AT(7), out));
    FAILS(NC_EINVALCOORDS, nc_put_vara_int(ncid, grows, &max, AT(1), out)); /* no dimension is that long */
    FAILS(NC_EINVALCOORDS, nc_put_var1_int(ncid, grows, &max, out));
    FAILS(NC_EEDGE, nc_put_vara_int(ncid, grows, AT(1), &max, out));
    FAILS(NC_ENOTVAR, nc_get_var_int(ncid, NC_GLOBAL, out));
    FAILS(NC_ENOTVAR, nc_put_var_int(ncid, 77, out));
    FAILS(NC_EINVAL, nc_put_var_int(ncid, fixed, NULL));
    FAILS(NC_EINVAL, nc_get_var_int(ncid, fixed, NULL));
    FAILS(NC_ECHAR, nc_put_var_text(ncid, fixed, "abcd"));
    FAILS(NC_ECHAR, nc_get_var_text(ncid, fixed, (char[4]){0}));
    OK(nc_inq_dimlen(ncid, dims[0], &len));
    assert_int_equal(len, 3); /* failed puts do not grow it */

    /* what is left out: count is all that is left; a start is needed except by scalars */
    OK(nc_put_var_int(ncid, fixed, (int[]){1, 2, 3, 4}));
    FAILS(NC_EINVALCOORDS, nc_get_vara_int(ncid, fixed, NULL, NULL, out));
    FAILS(NC_EINVALCOORDS, nc_put_vars_int(ncid, fixed, NULL, AT(1), NULL, out));
    FAILS(NC_EINVALCOORDS, nc_get_varm_int(ncid, fixed, NULL, AT(1), NULL, NULL, out));
    FAILS(NC_EINVALCOORDS, nc_put_var1_int(ncid, fixed, NULL, out));
    OK(nc_get_vara_int(ncid, fixed, AT(2), NULL, out));
    assert_int_equal(out[0], 3);
    OK(nc_get_vars_int(ncid, fixed, AT(1), NULL, (ptrdiff_t[]){2}, out));
    assert_int_equal(out[1], 4);
    FAILS(NC_EINVALCOORDS, nc_get_var1_int(ncid, fixed, NULL, out));
    OK(nc_put_var1_int(ncid, scalar, NULL, &x));
    OK(nc_get_vara_int(ncid, scalar, AT(9), AT(9), out));
    assert_int_equal(out[0], 5);
    OK(nc_close(ncid));
#undef AT
}

/* ---- growing ---- */

TEST_IN_EACH_PLACE(unlimited_dimensions_grow_as_they_are_written)
{
    int    dims[2], a, b, ncid, out[32];
    size_t len, chunk[2];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 3, &dims[1]));
    OK(nc_def_var(ncid, "a", NC_INT, 2, dims, &a));
    OK(nc_def_var(ncid, "b", NC_INT, 2, dims, &b));
    OK(nc_def_var_fill(ncid, b, 0, &(int){-9}));
    OK(nc_def_var_chunking(ncid, b, NC_CHUNKED, (size_t[]){4, 2}));
    OK(nc_inq_var_chunking(ncid, a, NULL, chunk));
    assert_true(chunk[0] == 1 && chunk[1] == 3);
    for (size_t t = 0; t < 5; t++)
        OK(nc_put_vara_int(ncid, a, (size_t[]){t, 0}, (size_t[]){1, 3}, (int[]){(int)t, 10, 20}));
    OK(nc_put_var1_int(ncid, b, (size_t[]){1, 1}, &(int){5}));
    OK(nc_inq_dimlen(ncid, dims[0], &len));
    assert_int_equal(len, 5);
    OK(nc_get_var_int(ncid, b, out));
    assert_int_equal(out[4], 5);
    assert_int_equal(out[0], -9);
    assert_int_equal(out[14], -9);
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid)); /* and on, in a later session, leaving a gap */
    OK(nc_inq_dimlen(ncid, dims[0], &len));
    assert_int_equal(len, 5);
    OK(nc_put_vara_int(ncid, b, (size_t[]){8, 0}, (size_t[]){1, 3}, (int[]){1, 2, 3}));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_dimlen(ncid, dims[0], &len));
    assert_int_equal(len, 9);
    OK(nc_get_var_int(ncid, a, out));
    assert_int_equal(out[12], 4);
    assert_int_equal(out[15], NC_FILL_INT);
    OK(nc_get_var_int(ncid, b, out));
    assert_int_equal(out[4], 5);
    assert_int_equal(out[24], 1);
    assert_int_equal(out[21], -9);
    OK(nc_close(ncid));
}

/* ---- fill ---- */

TEST_IN_EACH_PLACE(unwritten_elements_read_as_fill)
{
    static const struct {
        nc_type type;
        double  fill;
    } rows[] = {
        {NC_BYTE, NC_FILL_BYTE},
        {NC_SHORT, NC_FILL_SHORT},
        {NC_INT, NC_FILL_INT},
        {NC_FLOAT, NC_FILL_FLOAT},
        {NC_DOUBLE, NC_FILL_DOUBLE},
        {NC_UBYTE, NC_FILL_UBYTE},
        {NC_USHORT, NC_FILL_USHORT},
        {NC_UINT, NC_FILL_UINT},
        {NC_INT64, (double)NC_FILL_INT64},
        {NC_UINT64, (double)NC_FILL_UINT64},
    };
    char   name[8];
    double d;
    int    var, none, dim, mode, ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &dim));
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        snprintf(name, sizeof name, "v%zu", i);
        OK(nc_def_var(ncid, name, rows[i].type, 1, &dim, &var));
    }
    OK(nc_set_fill(ncid, NC_NOFILL, &mode));
    assert_int_equal(mode, NC_FILL);
    OK(nc_def_var(ncid, "none", NC_INT, 1, &dim, &none));
    OK(nc_set_fill(ncid, NC_FILL, &mode));
    assert_int_equal(mode, NC_NOFILL);
    FAILS(NC_EINVAL, nc_set_fill(ncid, 5, &mode));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        OK(nc_get_var1_double(ncid, (int)i, (size_t[]){1}, &d));
        assert_true(d == rows[i].fill); /* to the last bit, for double too */
    }
    OK(nc_inq_var_fill(ncid, none, &mode, NULL));
    assert_int_equal(mode, 1);
    OK(nc_get_var1_double(ncid, none, (size_t[]){0}, &d));
    assert_true(d == 0);
    OK(nc_close(ncid));
}

/* ---- conversions: netCDF-C's edges ---- */

TEST_IN_EACH_PLACE(conversions_report_what_is_out_of_range)
{
    static const struct {
        double in;
        int    rc, out;
    } to_int[] = {
        {1.9, 0, 1},
        {-0.5, 0, 0},
        {2147483647.0, 0, INT_MAX},
        {2147483648.0, NC_ERANGE, INT_MIN},
        {-2147483648.9, NC_ERANGE, INT_MIN},
        {NAN, 0, INT_MIN},
        {INFINITY, NC_ERANGE, INT_MIN},
    };
    static const struct {
        double in;
        int    rc;
        float  out;
    } to_float[] = {
        {INFINITY, NC_ERANGE, INFINITY},
        {1e39, NC_ERANGE, INFINITY},
        {3.4028236e38, NC_ERANGE, INFINITY},
        {3.4028235e38, NC_ERANGE, NC_MAX_FLOAT},
        {1e-50, 0, 0},
    };
    const size_t  at = 0;
    int           dim, vi, vf, vb, vub, vd, i, ncid;
    float         f;
    signed char   b;
    unsigned char ub;
    double        nan;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_var(ncid, "i", NC_INT, 1, &dim, &vi));
    OK(nc_def_var(ncid, "f", NC_FLOAT, 1, &dim, &vf));
    OK(nc_def_var(ncid, "b", NC_BYTE, 1, &dim, &vb));
    OK(nc_def_var(ncid, "ub", NC_UBYTE, 1, &dim, &vub));
    OK(nc_def_var(ncid, "d", NC_DOUBLE, 1, &dim, &vd));
    for (size_t k = 0; k < NCZ_LEN(to_int); k++) {
        RC(to_int[k].rc, nc_put_var1_double(ncid, vi, &at, &to_int[k].in));
        OK(nc_get_var1_int(ncid, vi, &at, &i));
        assert_int_equal(i, to_int[k].out);
        OK(nc_put_var1_double(ncid, vd, &at, &to_int[k].in)); /* and the other way round */
        RC(to_int[k].rc, nc_get_var1_int(ncid, vd, &at, &i));
        assert_int_equal(i, to_int[k].out);
    }
    for (size_t k = 0; k < NCZ_LEN(to_float); k++) {
        RC(to_float[k].rc, nc_put_var1_double(ncid, vf, &at, &to_float[k].in));
        OK(nc_get_var1_float(ncid, vf, &at, &f));
        assert_true(f == to_float[k].out || (float)to_float[k].in == f);
    }
    nan = NAN;
    OK(nc_put_var1_double(ncid, vf, &at, &nan));
    OK(nc_get_var1_float(ncid, vf, &at, &f));
    assert_true(isnan(f));
    FAILS(NC_ERANGE, nc_put_var1_longlong(ncid, vi, &at, &(long long){5000000000LL}));
    OK(nc_get_var1_int(ncid, vi, &at, &i));
    assert_int_equal(i, (int)(unsigned)5000000000ULL);
    OK(nc_put_var1_longlong(ncid, vf, &at, &(long long){16777217}));

    /* everything is converted and stored even so */
    FAILS(NC_ERANGE, nc_put_var_int(ncid, vb, (int[]){200, 300, 5}));
    OK(nc_get_var1_schar(ncid, vb, (size_t[]){0}, &b));
    assert_int_equal(b, -56);
    OK(nc_get_var1_schar(ncid, vb, (size_t[]){1}, &b));
    assert_int_equal(b, 44);
    OK(nc_get_var1_schar(ncid, vb, (size_t[]){2}, &b));
    assert_int_equal(b, 5);
    FAILS(NC_ERANGE, nc_put_var1_int(ncid, vub, &at, &(int){-1}));
    OK(nc_get_var1_uchar(ncid, vub, &at, &ub));
    assert_int_equal(ub, 255);
    FAILS(NC_ERANGE, nc_put_var1_uchar(ncid, vb, &at, &(unsigned char){200}));
    FAILS(NC_ERANGE, nc_put_var1_schar(ncid, vub, &at, &(signed char){-1}));
    OK(nc_put_var1_schar(ncid, vb, &at, &(signed char){-1}));
    FAILS(NC_ERANGE, nc_get_var1_uchar(ncid, vb, &at, &ub));
    assert_int_equal(ub, 255);
    OK(nc_close(ncid));
}

/* In the classic model bytes have no sign. */
TEST_IN_EACH_PLACE(classic_bytes)
{
    int           dim, var, ncid;
    unsigned char ub = 0;

    OK(place_create(p, NULL, NC_CLOBBER | NC_CLASSIC_MODEL, &ncid));
    OK(nc_def_dim(ncid, "x", 1, &dim));
    OK(nc_def_var(ncid, "b", NC_BYTE, 1, &dim, &var));
    OK(nc_enddef(ncid));
    OK(nc_put_var_uchar(ncid, var, &(unsigned char){200}));
    OK(nc_get_var_uchar(ncid, var, &ub));
    assert_int_equal(ub, 200);
    OK(nc_close(ncid));
}

/* ---- quantize ---- */

TEST_IN_EACH_PLACE(quantized_values_keep_their_digits)
{
    const float in[4] = {3.14159265f, -2.71828f, 0.0f, 1234.5678f};
    int         dim, var[4], mode, nsd, ncid, i, a;
    float       out[4];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    for (i = 0; i < 4; i++)
        OK(nc_def_var(ncid, (char[]){'a' + (char)i, 0}, i == 3 ? NC_INT : NC_FLOAT, 1, &dim, &var[i]));
    OK(nc_def_var_quantize(ncid, var[0], NC_QUANTIZE_BITGROOM, 3));
    OK(nc_def_var_quantize(ncid, var[1], NC_QUANTIZE_GRANULARBR, 3));
    OK(nc_def_var_quantize(ncid, var[2], NC_QUANTIZE_BITROUND, 9));
    FAILS(NC_EINVAL, nc_def_var_quantize(ncid, var[3], NC_QUANTIZE_BITGROOM, 3));
    FAILS(NC_EINVAL, nc_def_var_quantize(ncid, var[0], NC_QUANTIZE_BITGROOM, 0));
    FAILS(NC_EINVAL, nc_def_var_quantize(ncid, var[0], NC_QUANTIZE_BITGROOM, 8));
    FAILS(NC_EINVAL, nc_def_var_quantize(ncid, var[0], NC_QUANTIZE_BITROUND, 24));
    FAILS(NC_EINVAL, nc_def_var_quantize(ncid, var[0], 9, 3));
    FAILS(NC_EGLOBAL, nc_def_var_quantize(ncid, NC_GLOBAL, NC_QUANTIZE_BITGROOM, 3));
    FAILS(NC_EGLOBAL, nc_inq_var_quantize(ncid, NC_GLOBAL, &mode, &nsd));
    for (i = 0; i < 3; i++) {
        OK(nc_put_var_float(ncid, var[i], in));
        OK(nc_get_var_float(ncid, var[i], out));
        for (int k = 0; k < 4; k++)
            assert_true(fabsf(out[k] - in[k]) <= fabsf(in[k]) * 0.005f);
        assert_true(out[2] == 0 && out[0] != in[0]);
    }
    FAILS(NC_ELATEDEF, nc_def_var_quantize(ncid, var[0], NC_NOQUANTIZE, 0));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_var_quantize(ncid, var[2], &mode, &nsd));
    assert_int_equal(mode, NC_QUANTIZE_BITROUND);
    assert_int_equal(nsd, 9);
    OK(nc_get_att_int(ncid, var[0], NC_QUANTIZE_BITGROOM_ATT_NAME, &a));
    assert_int_equal(a, 3);
    OK(nc_close(ncid));
}

/* ---- what a writer that died left beyond the recorded lengths ---- */

enum { OLD = 3, DEAD = 11, CHUNK = 4 };

static void
fill_square(int ncid, const char *names[], int n)
{
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        const size_t at[2] = {i / (size_t)n, i % (size_t)n};
        const char  *text = "text";
        int          v;

        OK(nc_inq_varid(ncid, names[0], &v));
        OK(nc_put_var1_int(ncid, v, at, &(int){(int)(at[0] * 100 + at[1])}));
        OK(nc_inq_varid(ncid, names[1], &v));
        OK(nc_put_var1_string(ncid, v, at, &text));
    }
}

static void
make_square(const char *path, const char *names[], int n)
{
    const size_t chunks[2] = {CHUNK, CHUNK};
    int          ncid, dims[2], v;

    OK(nc_create(path, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", NC_UNLIMITED, &dims[1]));
    OK(nc_def_var(ncid, names[0], NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    OK(nc_def_var(ncid, names[1], NC_STRING, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    fill_square(ncid, names, n);
    OK(nc_close(ncid));
}

/* All but the old square and the one put is fill. */
static void
check_square(const char *path, const char *names[], const size_t put[2])
{
    size_t y, x;
    int    ncid, v[2], got;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, names[0], &v[0]));
    OK(nc_inq_varid(ncid, names[1], &v[1]));
    for (y = 0; y <= put[0]; y++)
        for (x = 0; x <= put[1]; x++) {
            const size_t at[2] = {y, x};
            bool         old = y < OLD && x < OLD, mine = y == put[0] && x == put[1];
            char        *text = NULL;

            OK(nc_get_var1_int(ncid, v[0], at, &got));
            assert_int_equal(got, old ? (int)(y * 100 + x) : mine ? 77 : NC_FILL_INT);
            OK(nc_get_var1_string(ncid, v[1], at, &text));
            assert_string_equal(text != NULL ? text : "", old ? "text" : "");
            free(text);
        }
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(unrecorded)
{
    const char  *names[2] = {"i", "s"};
    const size_t at[2] = {DEAD - 1, DEAD - 2};
    char         dead[400], cmd[1600];
    int          ncid, v;

    if (p->memory || strstr(p->path, ".zip") != NULL)
        return; /* the dead writer's chunks are copied as files */
    snprintf(dead, sizeof dead, "%s/dead.zarr", p->dir);
    make_square(p->path, names, OLD);
    make_square(dead, names, DEAD);
    snprintf(cmd, sizeof cmd, "cp '%s'/i/* '%s/i' && cp '%s'/s/* '%s/s'", dead, p->path, dead, p->path);
    assert_int_equal(system(cmd), 0);
    OK(nc_open(p->path, NC_WRITE, &ncid));
    OK(nc_inq_varid(ncid, names[0], &v));
    OK(nc_put_var1_int(ncid, v, at, &(int){77}));
    OK(nc_close(ncid));
    check_square(p->path, names, at);
}
