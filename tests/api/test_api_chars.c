/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of characters beside NCZarr keys: `>S1` in their own documents, for netCDF-C, and `|S1` in the consolidated
 * ones, for zarr-python, which such a dataset has unless it was asked to have none. Scalars likewise: [1] and [].
 */
#include "api_test.h"
#include "support/scratch.h"

static char *
read_text(const place *p, const char *name)
{
    size_t n;
    char  *text = scratch_read(scratch_path(p->path, name), &n);

    assert_non_null(text);
    assert_true(n > 0);
    return text;
}

static void
check_text(const place *p, const char *name, const char *part, bool has)
{
    char *text = read_text(p, name);

    if ((strstr(text, part) != NULL) != has)
        print_error("%s: %s\n", name, text);
    assert_int_equal(strstr(text, part) != NULL, has);
    free(text);
}

static int
define_chars(int ncid, const char *name, const char *fill)
{
    int dim, var;

    if (nc_inq_dimid(ncid, "x", &dim) != NC_NOERR)
        OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, name, NC_CHAR, 1, &dim, &var));
    if (fill != NULL)
        OK(nc_def_var_fill(ncid, var, NC_FILL, fill));
    return var;
}

static void
check_chars(int ncid, const char *name, const char *want)
{
    char    got[5] = "", fill;
    int     var, nofill;
    nc_type type;

    OK(nc_inq_varid(ncid, name, &var));
    OK(nc_inq_vartype(ncid, var, &type));
    assert_int_equal(type, NC_CHAR);
    OK(nc_get_var_text(ncid, var, got));
    assert_string_equal(got, want);
    OK(nc_inq_var_fill(ncid, var, &nofill, &fill));
    assert_int_equal(nofill, 0);
    assert_int_equal(fill, strcmp(name, "c") == 0 ? 0 : name[0]);
}

static void
check_all(const place *p, const char *mode)
{
    const char *want = "p";
    char       *s[4];
    int         ncid, var;
    nc_type     type;

    OK(nc_open(mode != NULL ? mode : p->path, NC_NOWRITE, &ncid));
    check_chars(ncid, "c", "abcd");
    check_chars(ncid, "a", "aaaa"); /* `a` is no base64, `_` is skipped by its decoders */
    check_chars(ncid, "_v", "____");
    OK(nc_inq_varid(ncid, "s", &var)); /* strings of one byte are `|S1` in both */
    OK(nc_inq_vartype(ncid, var, &type));
    assert_int_equal(type, NC_STRING);
    OK(nc_get_var_string(ncid, var, s));
    assert_string_equal(s[0], want);
    OK(nc_free_string(4, s));
    OK(nc_close(ncid));
}

/* Through the copies and without them; also after another session has rewritten the documents. */
TEST(both_spellings)
{
    const char *strings[4] = {"p", "q", "r", "s"};
    char        url[4200];
    place       p;
    int         ncid, var, dim;

    place_make(&p, false);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    var = define_chars(ncid, "c", NULL);
    (void)define_chars(ncid, "a", "a");
    (void)define_chars(ncid, "_v", "_");
    OK(nc_put_var_text(ncid, var, "abcd"));
    OK(nc_inq_dimid(ncid, "x", &dim));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &var));
    OK(nczarr_def_var_strlen(ncid, var, 1));
    OK(nc_put_var_string(ncid, var, strings));
    OK(nc_close(ncid));
    snprintf(url, sizeof url, "file://%s#consolidated=no", p.path);
    for (int session = 0; session < 2; session++) {
        check_text(&p, "c/.zarray", "\">S1\"", true);
        check_text(&p, "c/.zarray", "_nczarr_dtype", false);
        check_text(&p, "_v/.zarray", "\"fill_value\": \"_\"", true);
        check_text(&p, ".zmetadata", "\"dtype\": \"|S1\", \"_nczarr_dtype\": \">S1\"", true);
        check_text(&p, ".zmetadata", "\"dtype\": \">S1\"", false);
        check_text(&p, ".zmetadata", "\"fill_value\": \"Xw==\"", true);
        check_text(&p, ".zmetadata", "\"fill_value\": \"YQ==\"", true);
        check_all(&p, NULL);
        check_all(&p, url);
        OK(nc_open(p.path, NC_WRITE, &ncid));
        OK(nc_put_att_text(ncid, 0, "note", 1, "n"));
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

/* Only in our own layout of v2, only with characters, and not where none are wanted. */
TEST(where_copies_are)
{
    static const struct {
        const char *mode;
        bool        copies;
    } modes[] = {{"mode=nczarr", true},
                 {"mode=zarr", false},
                 {"mode=nczarr&compat=4.9.2", false},
                 {"mode=nczarr&compat=4.9.0", false},
                 {"consolidated=no", false},
                 {"mode=nczarr,v3", false}};
    place p;
    int   ncid, dim, var, has;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i].mode, NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 4, &dim));
        OK(nc_def_var(ncid, "v", NC_SHORT, 1, &dim, &var));
        OK(nczarr_inq_consolidated(ncid, &has));
        assert_int_equal(has, 0);
        (void)define_chars(ncid, "c", NULL);
        OK(nczarr_inq_consolidated(ncid, &has));
        assert_int_equal(has, modes[i].copies);
        OK(nc_close(ncid));
        assert_int_equal(exists(p.path, ".zmetadata"), modes[i].copies);
    }
    place_drop(&p);
}

/* A dataset of before stays as it is, until it gets another variable of characters. */
TEST(older_datasets)
{
    place p;
    int   ncid, var;

    place_make(&p, false);
    OK(place_create(&p, "consolidated=no", NC_CLOBBER, &ncid));
    var = define_chars(ncid, "c", NULL);
    OK(nc_put_var_text(ncid, var, "abcd"));
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_WRITE, &ncid));
    OK(nc_put_att_text(ncid, var, "note", 1, "n"));
    check_chars(ncid, "c", "abcd");
    OK(nc_close(ncid));
    assert_false(exists(p.path, ".zmetadata"));
    OK(nc_open(p.path, NC_WRITE, &ncid));
    (void)define_chars(ncid, "d", "d");
    OK(nc_close(ncid));
    check_text(&p, ".zmetadata", "\"c/.zarray\": {\"zarr_format\": 2, \"shape\": [4], \"dtype\": \"|S1\"", true);
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    check_chars(ncid, "c", "abcd");
    check_chars(ncid, "d", "dddd");
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- a writer that knows no consolidated metadata ---- */

/* Puts `with` in place of `part`, which is there once and is not shorter. */
static void
edit_text(const place *p, const char *name, const char *part, const char *with)
{
    char   path[4200], *text = read_text(p, name), *at = strstr(text, part);
    size_t n = strlen(with);
    FILE  *f;

    if (at == NULL)
        print_error("%s: %s\n", name, text);
    assert_non_null(at);
    assert_true(n <= strlen(part));
    memcpy(at, with, n);
    memmove(at + n, at + strlen(part), strlen(at + strlen(part)) + 1);
    snprintf(path, sizeof path, "%s/%s", p->path, name);
    assert_non_null(f = fopen(path, "w"));
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(text);
}

static void
make_with_records(place *p, const char *mode)
{
    int ncid, dim, var, values[2] = {1, 2};

    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    (void)define_chars(ncid, "c", NULL);
    OK(nc_put_vara_int(ncid, var, (size_t[]){0}, (size_t[]){2}, values));
    OK(nc_close(ncid));
}

/* As netCDF-C does it: the array's own document and the root's, not the consolidated one. */
static void
append_records(const place *p)
{
    edit_text(p, "v/.zarray", "\"shape\": [2]", "\"shape\": [7]");
    edit_text(p, ".zgroup", "\"t\": 2", "\"t\": 7");
    edit_text(p, ".zattrs", "\"size\": 2", "\"size\": 7");
}

static size_t
length_of(const place *p, const char *keys, int mode)
{
    char   url[4300];
    size_t n;
    int    ncid, dim;

    snprintf(url, sizeof url, "file://%s%s", p->path, keys);
    OK(nc_open(url, mode, &ncid));
    OK(nc_inq_dimid(ncid, "t", &dim));
    OK(nc_inq_dimlen(ncid, dim, &n));
    OK(nc_close(ncid));
    return n;
}

#define MARK "\"_nczarr_unasked\": true"

/* What nobody asked for is not believed; what somebody asked for is, as other libraries believe it. */
TEST(stale_copies)
{
    place p;

    place_make(&p, false);
    make_with_records(&p, NULL);
    append_records(&p);
    assert_int_equal(length_of(&p, "", NC_NOWRITE), 7);
    check_text(&p, ".zmetadata", MARK, true);
    assert_int_equal(length_of(&p, "#consolidated=yes", NC_NOWRITE), 2);
    assert_int_equal(length_of(&p, "#consolidated=no", NC_NOWRITE), 7);
    place_drop(&p);

    place_make(&p, false);
    make_with_records(&p, "mode=nczarr&consolidated=yes");
    check_text(&p, ".zmetadata", MARK, false);
    append_records(&p);
    assert_int_equal(length_of(&p, "", NC_NOWRITE), 2);
    place_drop(&p);
}

/* Our writers keep such copies true and marked; consolidated=yes takes the mark away, also where nothing changes. */
TEST(marked_copies)
{
    static const char *const keys[] = {"", "#consolidated=no"};
    char                     url[4300];
    place                    p;
    int                      ncid;

    place_make(&p, false);
    make_with_records(&p, NULL);
    append_records(&p);
    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        snprintf(url, sizeof url, "file://%s%s", p.path, keys[i]);
        OK(nc_open(url, NC_WRITE, &ncid));
        OK(nc_put_att_text(ncid, NC_GLOBAL, "note", 2, i == 0 ? "n0" : "n1"));
        (void)define_chars(ncid, i == 0 ? "c0" : "c1", NULL);
        OK(nc_close(ncid));
        check_text(&p, ".zmetadata", i == 0 ? "n0" : "n1", true);
        check_text(&p, ".zmetadata", MARK, true);
        assert_int_equal(length_of(&p, "#consolidated=yes", NC_NOWRITE), 7);
    }
    assert_int_equal(length_of(&p, "#consolidated=yes", NC_WRITE), 7);
    check_text(&p, ".zmetadata", "_nczarr_unasked", false);
    check_text(&p, ".zmetadata", "\"zarr_consolidated_format\": 1}", true);
    OK(nc_open(p.path, NC_WRITE, &ncid));
    (void)define_chars(ncid, "d", NULL);
    OK(nc_close(ncid));
    check_text(&p, ".zmetadata", "_nczarr_unasked", false);
    place_drop(&p);
}

TEST(scalars_need_no_characters_dimension)
{
    static const char *const modes[] = {NULL, "consolidated=no", "mode=zarr", "compat=4.9.2"};

    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        const double height = 2.5;
        double       got = 0;
        int          ncid, v, rank;
        place        p;

        place_make(&p, false);
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(nc_def_var(ncid, "height", NC_DOUBLE, 0, NULL, &v));
        OK(nc_put_var_double(ncid, v, &height));
        OK(nc_close(ncid));
        check_text(&p, "height/.zarray", i == 2 ? "\"shape\": []" : "\"shape\": [1]", true);
        assert_int_equal(exists(p.path, ".zmetadata"), i == 0);
        if (i == 0) {
            check_text(&p, ".zmetadata", "\"shape\": [],", true);
            check_text(&p, ".zmetadata", "\"chunks\": [],", true);
            check_text(&p, ".zmetadata", "\"_ARRAY_DIMENSIONS\": [],", true);
            check_text(&p, "height/.zattrs", "\"_ARRAY_DIMENSIONS\": [\"_scalar_\"]", true);
        }
        for (int copies = 0; copies < (i == 0 ? 2 : 1); copies++) {
            OK(place_open(&p, copies ? "consolidated=yes" : NULL, NC_NOWRITE, &ncid));
            OK(nc_inq_varndims(ncid, v, &rank));
            assert_int_equal(rank, 0);
            OK(nc_get_var_double(ncid, v, &got));
            assert_true(got == height);
            OK(nc_close(ncid));
        }
        place_drop(&p);
    }
}
