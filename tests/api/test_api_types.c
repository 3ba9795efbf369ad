/* SPDX-License-Identifier: BSD-3-Clause */
/* User-defined types: definition and inquiry, each function with each of its errors. */
#include "api_test.h"

#include "compat/netcdf_aux.h"

typedef struct pair {
    int    a;
    double b;
} pair;

static int
create(place *p, int mode)
{
    int ncid;

    OK(place_create(p, NULL, mode, &ncid));
    return ncid;
}

static nc_type
def_pair(int ncid, const char *name)
{
    nc_type t;

    OK(nc_def_compound(ncid, sizeof(pair), name, &t));
    OK(nc_insert_compound(ncid, t, "a", offsetof(pair, a), NC_INT));
    OK(nc_insert_compound(ncid, t, "b", offsetof(pair, b), NC_DOUBLE));
    return t;
}

TEST_IN_EACH_PLACE(compounds_are_defined_and_inquired)
{
    const int dims[2] = {2, 3}, zero[1] = {0};
    char      name[NC_MAX_NAME + 1];
    size_t    size, n, offset;
    int       got[2], ndims, class, id, ncid = create(p, NC_NETCDF4);
    nc_type   t, outer, field, base;

    t = def_pair(ncid, "pair");
    assert_int_equal(t, NC_FIRSTUSERTYPEID);
    OK(nc_def_compound(ncid, 48, "outer", &outer));
    OK(nc_insert_compound(ncid, outer, "p", 0, t));
    OK(nc_insert_array_compound(ncid, outer, "m", 16, NC_FLOAT, 2, dims));

    OK(nc_inq_compound(ncid, outer, name, &size, &n));
    assert_true(strcmp(name, "outer") == 0 && size == 48 && n == 2);
    OK(nc_inq_compound_name(ncid, t, name));
    assert_string_equal(name, "pair");
    OK(nc_inq_compound_size(ncid, t, &size));
    assert_int_equal(size, sizeof(pair));
    OK(nc_inq_compound_nfields(ncid, t, &n));
    assert_int_equal(n, 2);
    OK(nc_inq_compound_field(ncid, outer, 1, name, &offset, &field, &ndims, got));
    assert_true(strcmp(name, "m") == 0 && offset == 16 && field == NC_FLOAT && ndims == 2);
    assert_true(got[0] == 2 && got[1] == 3);
    OK(nc_inq_compound_fieldname(ncid, outer, 0, name));
    assert_string_equal(name, "p");
    OK(nc_inq_compound_fieldindex(ncid, t, "b", &id));
    assert_int_equal(id, 1);
    OK(nc_inq_compound_fieldoffset(ncid, t, 1, &offset));
    assert_int_equal(offset, offsetof(pair, b));
    OK(nc_inq_compound_fieldtype(ncid, outer, 0, &field));
    assert_int_equal(field, t);
    OK(nc_inq_compound_fieldndims(ncid, t, 0, &ndims));
    assert_int_equal(ndims, 0);
    OK(nc_inq_compound_fielddim_sizes(ncid, outer, 1, got));
    OK(nc_inq_user_type(ncid, outer, name, &size, &base, &n, &class));
    assert_true(class == NC_COMPOUND && base == NC_NAT && n == 2 && size == 48);
    OK(nc_inq_type(ncid, outer, name, &size));
    assert_true(strcmp(name, "outer") == 0 && size == 48);

    FAILS(NC_EBADFIELD, nc_inq_compound_field(ncid, t, 2, name, NULL, NULL, NULL, NULL));
    FAILS(NC_EBADFIELD, nc_inq_compound_fieldindex(ncid, t, "c", &id));
    FAILS(NC_EBADTYPE, nc_inq_compound(ncid, NC_INT, name, NULL, NULL));
    FAILS(NC_EBADTYPE, nc_inq_compound(ncid, outer + 1, name, NULL, NULL));
    FAILS(NC_EBADTYPE, nc_inq_opaque(ncid, t, name, NULL));
    FAILS(NC_ETYPDEFINED, nc_insert_compound(ncid, t, "c", 4, NC_INT)); /* `outer` uses it */
    FAILS(NC_ENAMEINUSE, nc_insert_compound(ncid, outer, "p", 40, NC_INT));
    FAILS(NC_EINVAL, nc_insert_compound(ncid, outer, "x", sizeof(pair) - 4, NC_INT)); /* within p */
    FAILS(NC_EINVAL, nc_insert_compound(ncid, outer, "x", 45, NC_INT));               /* beyond the end */
    FAILS(NC_EINVAL, nc_insert_compound(ncid, outer, "x", SIZE_MAX - 1, NC_INT));
    FAILS(NC_EINVAL, nc_insert_array_compound(ncid, outer, "x", 40, NC_INT, 1, zero));
    FAILS(NC_EINVAL, nc_insert_array_compound(ncid, outer, "x", 40, NC_INT, 1, NULL));
    FAILS(NC_EBADTYPE, nc_insert_compound(ncid, outer, "x", 40, outer));
    FAILS(NC_EBADTYPE, nc_insert_compound(ncid, outer, "x", 40, 99));
    FAILS(NC_EBADTYPE, nc_insert_compound(ncid, NC_INT, "x", 0, NC_INT));
    FAILS(NC_EBADNAME, nc_insert_compound(ncid, outer, "a/b", 40, NC_INT));
    FAILS(NC_EINVAL, nc_def_compound(ncid, 0, "empty", &t));
    FAILS(NC_ENAMEINUSE, nc_def_compound(ncid, 8, "pair", &t));
    FAILS(NC_EBADNAME, nc_def_compound(ncid, 8, "a/b", &t));
    FAILS(NC_EBADID, nc_def_compound(77, 8, "c", &t));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(enumerations_are_defined_and_inquired)
{
    const signed char values[] = {-3, 0, 100};
    signed char       value;
    char              name[NC_MAX_NAME + 1];
    size_t            size, n;
    int class, ncid = create(p, NC_NETCDF4);
    nc_type t, u, base;

    OK(nc_def_enum(ncid, NC_BYTE, "level", &t));
    OK(nc_insert_enum(ncid, t, "low", &values[0]));
    OK(nc_insert_enum(ncid, t, "high", &values[2]));
    OK(nc_inq_enum(ncid, t, name, &base, &size, &n));
    assert_true(strcmp(name, "level") == 0 && base == NC_BYTE && size == 1 && n == 2);
    OK(nc_inq_enum_member(ncid, t, 1, name, &value));
    assert_true(strcmp(name, "high") == 0 && value == 100);
    OK(nc_inq_enum_ident(ncid, t, -3, name));
    assert_string_equal(name, "low");
    OK(nc_inq_enum_ident(ncid, t, 0, name)); /* as in netCDF-C: the fill value's name */
    assert_string_equal(name, "_UNDEFINED");
    OK(nc_inq_user_type(ncid, t, name, &size, &base, &n, &class));
    assert_true(class == NC_ENUM && base == NC_BYTE && n == 2 && size == 1);

    FAILS(NC_EINVAL, nc_inq_enum_ident(ncid, t, 5, name));
    FAILS(NC_EINVAL, nc_inq_enum_member(ncid, t, 2, name, &value));
    FAILS(NC_EBADTYPE, nc_inq_enum_member(ncid, NC_INT, 0, name, &value));
    FAILS(NC_ENAMEINUSE, nc_insert_enum(ncid, t, "low", &values[1]));
    FAILS(NC_EINVAL, nc_insert_enum(ncid, t, "again", &values[0]));
    FAILS(NC_EINVAL, nc_insert_enum(ncid, t, "nothing", NULL));
    FAILS(NC_EBADTYPE, nc_def_enum(ncid, NC_FLOAT, "real", &u));
    FAILS(NC_EBADTYPE, nc_def_enum(ncid, NC_STRING, "text", &u));
    FAILS(NC_EBADTYPE, nc_def_enum(ncid, 99, "none", &u));
    FAILS(NC_EBADTYPE, nc_inq_enum(ncid, t + 1, name, NULL, NULL, NULL));
    OK(nc_def_enum(ncid, NC_UINT64, "empty", &u));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(vlens_and_opaques)
{
    const int data[3] = {1, 2, 3};
    int       back[3] = {0}, class, ncid = create(p, NC_NETCDF4);
    nc_vlen_t v = {0, NULL};
    char      name[NC_MAX_NAME + 1];
    size_t    size, n;
    nc_type   t, o, base;

    OK(nc_def_vlen(ncid, "row", NC_INT, &t));
    OK(nc_inq_vlen(ncid, t, name, &size, &base));
    assert_true(strcmp(name, "row") == 0 && size == sizeof(nc_vlen_t) && base == NC_INT);
    OK(nc_put_vlen_element(ncid, t, &v, 3, data));
    assert_true(v.len == 3 && v.p == data);
    OK(nc_get_vlen_element(ncid, t, &v, &n, back));
    assert_int_equal(n, 3);
    assert_memory_equal(back, data, sizeof data);
    OK(nc_inq_user_type(ncid, t, name, &size, &base, &n, &class));
    assert_true(class == NC_VLEN && base == NC_INT && n == 0);
    FAILS(NC_EINVAL, nc_put_vlen_element(ncid, t, NULL, 3, data));
    FAILS(NC_EINVAL, nc_put_vlen_element(ncid, t, &v, 3, NULL));
    FAILS(NC_EINVAL, nc_get_vlen_element(ncid, t, NULL, &n, back));
    FAILS(NC_EBADTYPE, nc_get_vlen_element(ncid, NC_INT, &v, &n, back));
    FAILS(NC_EBADTYPE, nc_put_vlen_element(ncid, t + 1, &v, 3, data));
    FAILS(NC_EBADTYPE, nc_def_vlen(ncid, "x", NC_NAT, &o));
    FAILS(NC_EBADTYPE, nc_def_vlen(ncid, "x", 99, &o));
    FAILS(NC_EBADTYPE, nc_inq_vlen(ncid, NC_INT, name, NULL, NULL));

    OK(nc_def_opaque(ncid, 11, "raw", &o));
    OK(nc_inq_opaque(ncid, o, name, &size));
    assert_true(strcmp(name, "raw") == 0 && size == 11);
    OK(nc_inq_user_type(ncid, o, name, &size, &base, &n, &class));
    assert_true(class == NC_OPAQUE && base == NC_NAT && n == 0 && size == 11);
    FAILS(NC_EINVAL, nc_def_opaque(ncid, 0, "none", &o));
    FAILS(NC_EBADTYPE, nc_inq_opaque(ncid, t, name, &size));
    FAILS(NC_EBADTYPE, nc_insert_enum(ncid, t, "a", data));
    OK(nc_close(ncid));
}

/* Ids count through the dataset, names are looked up as netCDF does: the group, its ancestors, then everywhere. */
TEST_IN_EACH_PLACE(types_are_looked_up_as_netcdf_does)
{
    int     g1, g2, n, ids[4], equal, v, ncid = create(p, NC_NETCDF4);
    nc_type root, here, other, same, got;

    OK(nc_def_grp(ncid, "g1", &g1));
    OK(nc_def_grp(ncid, "g2", &g2));
    root = def_pair(ncid, "pair");
    here = def_pair(g1, "pair");
    OK(nc_def_opaque(g2, 4, "only", &other));
    OK(nc_def_opaque(g2, 4, "again", &same));
    assert_true(here == root + 1 && other == root + 2);

    OK(nc_inq_typeids(g2, &n, ids));
    assert_true(n == 2 && ids[0] == other && ids[1] == same);
    OK(nc_inq_typeids(ncid, &n, NULL));
    assert_int_equal(n, 1);
    OK(nc_inq_typeid(g1, "pair", &got));
    assert_int_equal(got, here);
    OK(nc_inq_typeid(g2, "pair", &got));
    assert_int_equal(got, root);
    OK(nc_inq_typeid(g1, "only", &got));
    assert_int_equal(got, other);
    OK(nc_inq_typeid(g2, "/g1/pair", &got));
    assert_int_equal(got, here);
    OK(nc_inq_typeid(g2, "int", &got));
    assert_int_equal(got, NC_INT);
    FAILS(NC_EBADTYPE, nc_inq_typeid(g2, "/pairs", &got));
    FAILS(NC_EBADTYPE, nc_inq_typeid(g2, "/g3/pair", &got));
    FAILS(NC_EINVAL, nc_inq_typeid(ncid, "g1/pair", &got));
    FAILS(NC_EBADTYPE, nc_inq_typeid(g2, NULL, &got));

    OK(nc_inq_type_equal(ncid, root, g1, here, &equal));
    assert_int_equal(equal, 1);
    OK(nc_inq_type_equal(ncid, other, g1, same, &equal));
    assert_int_equal(equal, 1);
    OK(nc_inq_type_equal(ncid, other, g1, here, &equal));
    assert_int_equal(equal, 0);
    OK(nc_inq_type_equal(ncid, other, g1, NC_INT, &equal));
    assert_int_equal(equal, 0);
    FAILS(NC_EBADTYPE, nc_inq_type_equal(ncid, other, g1, 99, &equal));

    /* Types share their names with variables and groups. */
    FAILS(NC_ENAMEINUSE, nc_def_opaque(ncid, 4, "g1", &got));
    FAILS(NC_ENAMEINUSE, nc_def_grp(ncid, "pair", &n));
    FAILS(NC_ENAMEINUSE, nc_def_var(ncid, "pair", NC_INT, 0, NULL, &v));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(the_classic_model_has_no_user_types)
{
    int     ncid = create(p, NC_NETCDF4 | NC_CLASSIC_MODEL);
    nc_type t;

    FAILS(NC_ESTRICTNC3, nc_def_opaque(ncid, 4, "o", &t));
    OK(nc_enddef(ncid));
    FAILS(NC_ESTRICTNC3, nc_def_opaque(ncid, 4, "o", &t)); /* in every mode, as netCDF-C */
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_ESTRICTNC3, nc_def_compound(ncid, 4, "c", &t));
    OK(nc_close(ncid));
    OK(nc_close(create(p, NC_NETCDF4)));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EPERM, nc_def_compound(ncid, 4, "c", &t));
    OK(nc_close(ncid));
}

/* Values in memory: copies are deep, and a copy frees what it owns. */
TEST_IN_EACH_PLACE(copies_own_what_they_hold)
{
    nc_vlen_t in[2] = {{2, (int[]){4, 5}}, {0, NULL}}, flat[2], *copy = NULL;
    int       ncid = create(p, NC_NETCDF4);
    nc_type   row, t;
    struct {
        char     *s;
        nc_vlen_t v;
    } elem = {(char *)"text", {1, (int[]){7}}}, back;

    OK(nc_def_vlen(ncid, "row", NC_INT, &row));
    OK(nc_copy_data_all(ncid, row, in, 2, (void **)&copy));
    assert_true(copy[0].len == 2 && ((int *)copy[0].p)[1] == 5 && copy[1].len == 0);
    OK(nc_reclaim_data_all(ncid, row, copy, 2));
    OK(nc_copy_data(ncid, row, in, 2, flat));
    OK(nc_free_vlens(2, flat));

    OK(nc_def_compound(ncid, sizeof elem, "both", &t));
    OK(nc_insert_compound(ncid, t, "s", 0, NC_STRING));
    OK(nc_insert_compound(ncid, t, "v", sizeof(char *), row));
    OK(nc_copy_data(ncid, t, &elem, 1, &back));
    assert_true(strcmp(back.s, "text") == 0 && back.s != elem.s && ((int *)back.v.p)[0] == 7);
    OK(nc_reclaim_data(ncid, t, &back, 1));
    assert_true(back.s == NULL && back.v.p == NULL);
    FAILS(NC_EBADTYPE, nc_copy_data(ncid, t + 1, &elem, 1, &back));
    FAILS(NC_EINVAL, nc_copy_data(ncid, t, &elem, 1, NULL));
    FAILS(NC_EINVAL, nc_copy_data_all(ncid, t, NULL, 1, (void **)&copy));
    OK(nc_close(ncid));
}

/* The text of nc_dump_data(), and of its older name. */
static void
check_dump(int ncid, nc_type t, const void *memory, size_t count, const char *want)
{
    char *text = NULL, *same = NULL;

    OK(nc_dump_data(ncid, t, (void *)(uintptr_t)memory, count, &text));
    OK(ncaux_dump_data(ncid, t, (void *)(uintptr_t)memory, count, &same));
    assert_string_equal(text, want);
    assert_string_equal(same, want);
    free(text);
    free(same);
}

TEST_IN_EACH_PLACE(values_are_dumped_as_text)
{
    int         ncid = create(p, NC_NETCDF4), lengths[1] = {2}, one = 1;
    const char *strings[3] = {"one", "t\"wo\\", NULL};
    nc_vlen_t   rows[2] = {{3, (int[]){1, -2, 3}}, {0, NULL}}, broken = {2, NULL};
    nc_type     t, row;
    char       *text = NULL;
    struct {
        signed char a;
        char        b[7]; /* an int that is not aligned begins at b[2] */
        float       c[2];
        nc_vlen_t   row;
    } records[1] = {{-1, "", {0.5f, 3}, {1, (int[]){7}}}};

    check_dump(ncid, NC_BYTE, "\377d", 2, "-1 100");
    check_dump(ncid, NC_UBYTE, "\377d", 2, "255 100");
    check_dump(ncid, NC_SHORT, (short[]){-1, 2}, 2, "-1 2");
    check_dump(ncid, NC_USHORT, (short[]){-1, 2}, 2, "65535 2");
    check_dump(ncid, NC_INT, (int[]){-1, 2}, 2, "-1 2");
    check_dump(ncid, NC_UINT, (int[]){-1, 2}, 2, "4294967295 2");
    check_dump(ncid, NC_INT64, (long long[]){-1, 2}, 2, "-1 2");
    check_dump(ncid, NC_UINT64, (long long[]){-1, 2}, 2, "18446744073709551615 2");
    check_dump(ncid, NC_FLOAT, (float[]){0.1f, 3}, 2, "0.1 3.0");
    check_dump(ncid, NC_DOUBLE, (double[]){0.1, 1e300, -0.0}, 3, "0.1 1e+300 -0.0");
    check_dump(ncid, NC_CHAR, "a'\n\001", 4, "'a' '\\'' '\\n' '\\001'");
    check_dump(ncid, NC_STRING, strings, 3, "\"one\" \"t\\\"wo\\\\\" \"\"");
    check_dump(ncid, NC_INT, NULL, 0, "");

    OK(nc_def_enum(ncid, NC_INT, "choice", &t));
    OK(nc_insert_enum(ncid, t, "yes", &one));
    check_dump(ncid, t, (int[]){1, 2}, 2, "yes 2");
    OK(nc_def_opaque(ncid, 3, "bytes", &t));
    check_dump(ncid, t, "\001\002\377abc", 2, "0X0102FF 0X616263");
    OK(nc_def_vlen(ncid, "row", NC_INT, &row));
    check_dump(ncid, row, rows, 2, "{1, -2, 3} {}");
    FAILS(NC_EINVAL, nc_dump_data(ncid, row, &broken, 1, &text));
    assert_null(text);

    memcpy(records[0].b + 2, &(int){70000}, sizeof(int));
    OK(nc_def_compound(ncid, sizeof *records, "record", &t));
    OK(nc_insert_compound(ncid, t, "a", 0, NC_BYTE));
    OK(nc_insert_compound(ncid, t, "b", 3, NC_INT));
    OK(nc_insert_array_compound(ncid, t, "c", 8, NC_FLOAT, 1, lengths));
    OK(nc_insert_compound(ncid, t, "row", 16, row));
    check_dump(ncid, t, records, 1, "{-1, 70000, {0.5, 3.0}, {7}}");
    OK(nc_close(ncid));
}

/* A compound has no byte order of its own, in no dialect, before and after it is opened again. */
TEST(endian_of_compounds)
{
    static const char *const modes[] = {"mode=nczarr", "mode=nczarr,v3", "mode=zarr", "mode=zarr,v3"};
    int                      ncid, v, endian;

    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        place p;

        place_make(&p, false);
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(nc_def_var(ncid, "v", def_pair(ncid, "pair"), 0, NULL, &v));
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_var_endian(ncid, v, &endian));
        assert_int_equal(endian, NC_ENDIAN_NATIVE);
        OK(nc_close(ncid));
        place_drop(&p);
    }
}
