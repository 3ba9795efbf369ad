/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters of Zarr v3 are texts only along a dimension that is of text only, whatever the order of definitions. */
#include "text_rows.h"

enum { N = 2, LEN = 3 };

static const char *const modes[] = {"mode=nczarr,v3", "mode=zarr,v3"};

/* Dimensions "n", "len" and "w" of the group. */
static void
define_dims(int grp, int dims[3])
{
    OK(nc_def_dim(grp, "n", N, &dims[0]));
    OK(nc_def_dim(grp, "len", LEN, &dims[1]));
    OK(nc_def_dim(grp, "w", 4, &dims[2]));
}

static bool
named_has_rows(int grp, const char *name)
{
    int var;

    OK(nc_inq_varid(grp, name, &var));
    return has_rows(grp, var);
}

static int
define_char(int grp, const char *name, int first, int last)
{
    int var;

    OK(nc_def_var(grp, name, NC_CHAR, 2, (const int[]){first, last}, &var));
    return var;
}

/* ---- other variables of the dimension ---------------------------------------------------------------------------- */

typedef struct other {
    const char *name;
    nc_type     type;
    int         rank, dims[2]; /* places in those of define_dims() */
    bool        of_text;       /* the dimension is of text only all the same */
} other;

static const other others[] = {
    {"v", NC_INT, 2, {0, 1}, false},  {"v", NC_STRING, 1, {1}, false}, {"v", NC_CHAR, 2, {1, 2}, false},
    {"v", NC_CHAR, 2, {1, 1}, false}, {"len", NC_INT, 1, {1}, false},  {"len", NC_CHAR, 1, {1}, false},
    {"len", NC_INT, 0, {0}, false},   {"len", NC_INT, 1, {0}, false},  {"v", NC_CHAR, 1, {1}, true},
    {"v", NC_CHAR, 2, {2, 1}, true},  {"v", NC_INT, 2, {0, 2}, true},  {"w", NC_INT, 1, {2}, true},
    {"v", NC_INT, 0, {0}, true},
};

static void
define_other(int grp, const other *o, const int *dims)
{
    const int own[2] = {dims[o->dims[0]], dims[o->dims[1]]};
    int       var;

    OK(nc_def_var(grp, o->name, o->type, o->rank, own, &var));
}

/* A fill value, and one row of two. */
static void
put_values(int ncid, int var)
{
    OK(nc_put_vara_text(ncid, var, (const size_t[]){1, 0}, (const size_t[]){1, 2}, "ab"));
}

static void
check_values(place *p)
{
    char    got[N][LEN];
    int     ncid, var;
    nc_type type;

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "c", &var));
    OK(nc_inq_vartype(ncid, var, &type));
    if (type == NC_CHAR) { /* in pure Zarr bytes are numbers */
        OK(nc_get_var_text(ncid, var, &got[0][0]));
    } else {
        OK(nc_get_var_uchar(ncid, var, (unsigned char *)&got[0][0]));
    }
    assert_memory_equal(got, "---ab-", sizeof got);
    OK(nc_close(ncid));
}

TEST(both_orders_of_definition_are_the_same)
{
    int   ncid, var, dims[3];
    char  fill = '-';
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < 4 * NCZ_LEN(others); i++) {
        const other *o = &others[i / 4];
        bool         first = i % 2 == 0;

        OK(place_create(&p, modes[i / 2 % 2], NC_CLOBBER, &ncid));
        define_dims(ncid, dims);
        if (first)
            define_other(ncid, o, dims);
        var = define_char(ncid, "c", dims[0], dims[1]);
        OK(nc_put_att_text(ncid, var, "_FillValue", 1, &fill));
        OK(nc_def_var_deflate(ncid, var, 0, 1, 3));
        assert_int_equal(named_has_rows(ncid, "c"), !first || o->of_text);
        if (!first)
            define_other(ncid, o, dims);
        assert_int_equal(named_has_rows(ncid, "c"), o->of_text);
        put_values(ncid, var);
        OK(nc_close(ncid));
        check_document(&p, "c",
                       o->of_text ? "\"shape\": [2], \"data_type\": \"string\"" : "\"data_type\": \"uint8\"");
        check_document(&p, "c", o->of_text ? "\"fill_value\": \"---\"" : "\"fill_value\": 45");
        check_values(&p);
    }
    place_drop(&p);
}

/* What a call asks for stays: bytes, and rows that chunks cut. */
TEST(bytes_that_were_asked_for_stay)
{
    int   ncid, var, dims[3];
    place p;

    place_make(&p, false);
    OK(place_create(&p, modes[0], NC_CLOBBER, &ncid));
    define_dims(ncid, dims);
    var = define_char(ncid, "bytes", dims[0], dims[1]);
    OK(nczarr_def_var_codecs(ncid, var, "[{\"name\": \"bytes\"}]"));
    var = define_char(ncid, "cut", dims[0], dims[1]);
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (const size_t[]){1, LEN - 1}));
    (void)define_char(ncid, "c", dims[0], dims[1]);
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dims[1], &var));
    assert_false(named_has_rows(ncid, "c"));
    OK(nczarr_undef_var(ncid, var));
    assert_true(named_has_rows(ncid, "c"));
    assert_false(named_has_rows(ncid, "bytes"));
    assert_false(named_has_rows(ncid, "cut"));
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

TEST(the_dimension_of_a_parent_is_that_of_all_groups)
{
    int   ncid, g, h, var, dims[3];
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        define_dims(ncid, dims);
        OK(nc_def_grp(ncid, "g", &g));
        OK(nc_def_grp(g, "h", &h));
        (void)define_char(g, "c", dims[0], dims[1]);
        (void)define_char(h, "d", dims[0], dims[1]);
        (void)define_char(ncid, "e", dims[0], dims[2]);
        assert_true(named_has_rows(g, "c") && named_has_rows(h, "d") && named_has_rows(ncid, "e"));
        OK(nc_def_var(h, "v", NC_INT, 1, &dims[1], &var));
        assert_true(!named_has_rows(g, "c") && !named_has_rows(h, "d") && named_has_rows(ncid, "e"));
        OK(nczarr_undef_var(h, var));
        assert_true(named_has_rows(g, "c") && named_has_rows(h, "d"));
        OK(nc_def_var(h, "len", NC_INT, 0, NULL, &var)); /* of another group */
        assert_true(named_has_rows(g, "c") && named_has_rows(h, "d"));
        OK(nc_def_var(g, "len", NC_CHAR, 1, &dims[1], &var));
        assert_true(!named_has_rows(g, "c") && !named_has_rows(h, "d"));
        OK(nczarr_undef_var(g, var));
        OK(nc_def_var(ncid, "len", NC_INT, 0, NULL, &var));
        assert_true(!named_has_rows(g, "c") && !named_has_rows(h, "d"));
        OK(nczarr_undef_var(ncid, var));
        OK(nc_def_var(g, "v", NC_INT, 1, &dims[2], &var));
        assert_true(named_has_rows(g, "c") && named_has_rows(h, "d") && !named_has_rows(ncid, "e"));
        OK(nc_close(ncid));
        check_document(&p, "g/h/d", "\"data_type\": \"string\"");
        check_document(&p, "e", "\"data_type\": \"uint8\"");
    }
    place_drop(&p);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

TEST(another_name_decides_again)
{
    int   ncid, var, c, dims[3];
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        define_dims(ncid, dims);
        c = define_char(ncid, "c", dims[0], dims[1]);
        OK(nc_def_var(ncid, "x", NC_INT, 0, NULL, &var));
        assert_true(named_has_rows(ncid, "c"));
        OK(nc_rename_var(ncid, var, "len"));
        assert_false(named_has_rows(ncid, "c"));
        OK(nc_rename_dim(ncid, dims[1], "y"));
        assert_true(named_has_rows(ncid, "c"));
        OK(nc_rename_var(ncid, var, "x"));
        OK(nc_rename_dim(ncid, dims[1], "x"));
        assert_false(named_has_rows(ncid, "c"));
        OK(nc_rename_dim(ncid, dims[1], "len"));
        assert_true(named_has_rows(ncid, "c"));
        OK(nc_rename_var(ncid, c, "len"));
        assert_false(named_has_rows(ncid, "len"));
        OK(nc_rename_var(ncid, c, "c"));
        assert_true(named_has_rows(ncid, "c"));
        OK(nc_rename_dim(ncid, dims[1], "c"));
        assert_false(named_has_rows(ncid, "c"));
        OK(nc_close(ncid));
        check_document(&p, "c", "\"data_type\": \"uint8\"");
    }
    place_drop(&p);
}

/* ---- later definitions ------------------------------------------------------------------------------------------- */

/* What is stored stays as it is; what is new is decided by all that there is. */
TEST(stored_characters_keep_their_form)
{
    int   ncid, var, dims[3];
    char  got[N][LEN];
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        define_dims(ncid, dims);
        (void)define_char(ncid, "c", dims[0], dims[1]);
        var = define_char(ncid, "d", dims[0], dims[2]);
        OK(nc_enddef(ncid));
        OK(nc_redef(ncid));
        OK(nc_def_var(ncid, "v", NC_INT, 1, &dims[1], &var));
        (void)define_char(ncid, "late", dims[0], dims[1]);
        (void)define_char(ncid, "text", dims[0], dims[2]);
        assert_true(named_has_rows(ncid, "c") && !named_has_rows(ncid, "late") && named_has_rows(ncid, "text"));
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_WRITE, &ncid));
        (void)define_char(ncid, "later", dims[0], dims[1]);
        (void)define_char(ncid, "more", dims[0], dims[2]);
        assert_true(named_has_rows(ncid, "c") && !named_has_rows(ncid, "later") && named_has_rows(ncid, "more"));
        OK(nc_def_var(ncid, "u", NC_INT, 1, &dims[2], &var));
        assert_true(named_has_rows(ncid, "text") && !named_has_rows(ncid, "more"));
        OK(nc_inq_varid(ncid, "c", &var));
        OK(nc_put_var_text(ncid, var, "abcdef"));
        OK(nc_rename_dim(ncid, dims[1], "v"));
        assert_true(named_has_rows(ncid, "c"));
        OK(nc_close(ncid));
        check_document(&p, "c", "\"data_type\": \"string\"");
        check_document(&p, "late", "\"data_type\": \"uint8\"");
        check_document(&p, "text", "\"data_type\": \"string\"");
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "c", &var));
        OK(nc_get_var_text(ncid, var, &got[0][0]));
        assert_memory_equal(got, "abcdef", sizeof got);
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

/* A copy by its document has the form of the source, before and after other variables. */
TEST(copies_by_document_keep_their_form)
{
    int   in, out, var, dims[3];
    place a, b;

    place_make(&a, false);
    place_make(&b, false);
    OK(place_create(&a, modes[1], NC_CLOBBER | NCZARR_VERBATIM, &in));
    define_dims(in, dims);
    (void)define_char(in, "c", dims[0], dims[1]);
    OK(nc_close(in));
    OK(place_open(&a, NULL, NC_NOWRITE | NCZARR_VERBATIM, &in));
    OK(place_create(&b, modes[1], NC_CLOBBER | NCZARR_VERBATIM, &out));
    define_dims(out, dims);
    OK(nczarr_copy_var_document(in, 0, out, NC_CHAR, dims, &var));
    OK(nc_def_var(out, "v", NC_INT, 1, &dims[1], &var));
    assert_true(named_has_rows(out, "c"));
    (void)define_char(out, "d", dims[0], dims[1]);
    assert_false(named_has_rows(out, "d"));
    OK(nc_close(out));
    OK(nc_close(in));
    check_document(&b, "c", "\"data_type\": \"string\"");
    OK(place_open(&b, NULL, NC_NOWRITE, &out));
    assert_true(named_has_rows(out, "c"));
    OK(nc_close(out));
    place_drop(&a);
    place_drop(&b);
}
