/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings that were never written: of no reader NULL, but "" or the variable's fill value; in each kind of storage, by
 * each function that reads them, before and after closing.
 */
#include "api_test.h"

#include "nczarr_filter.h"

enum { N = 5 };

typedef struct storage {
    const char *mode;
    const char *dtype; /* NULL: the dialect's own */
    int         fill;  /* 0: none defined; 1: "gap"; -1: NC_NOFILL */
} storage;

static const storage kinds[] = {
    {"mode=nczarr", NULL, 0},      {"mode=nczarr", NULL, 1},      {"mode=nczarr", NULL, -1},
    {"mode=nczarr", "|S4", 0},     {"mode=zarr", "<U4", 0},       {"mode=zarr", "<U4", 1},
    {"mode=nczarr", "|O", 0},      {"mode=nczarr", "|O", 1},      {"mode=nczarr", "|O", -1},
    {"mode=nczarr,v3", NULL, 0},   {"mode=nczarr,v3", NULL, 1},   {"mode=nczarr,v3", NULL, -1},
    {"mode=nczarr,v3", "|S4", 0},  {"mode=nczarr,v3", "|S4", -1}, {"mode=nczarr,zip", NULL, 0},
    {"mode=nczarr,zip", "|O", -1},
};

static void
are(char **got, const char *const *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_non_null(got[i]);
        assert_string_equal(got[i], want[i]);
    }
    OK(nc_free_string(n, got));
}

/* Records 0 to 4 of two strings each; written is [1][0]; chunks are of two records. */
static void
check(int ncid, int v, const char *unwritten)
{
    const char *u = unwritten, *all[2 * N] = {u, u, "b", u, u, u, u, u, u, u}, *every_second[] = {u, u, u};
    char       *got[2 * N];

    OK(nc_get_var_string(ncid, v, got));
    are(got, all, 2 * N);
    OK(nc_get_vara_string(ncid, v, (size_t[]){1, 0}, (size_t[]){2, 2}, got));
    are(got, &all[2], 4);
    OK(nc_get_vars_string(ncid, v, (size_t[]){0, 0}, (size_t[]){3, 1}, (ptrdiff_t[]){2, 1}, got));
    are(got, every_second, 3);
    OK(nc_get_varm_string(ncid, v, (size_t[]){1, 0}, (size_t[]){1, 2}, NULL, (ptrdiff_t[]){2, 1}, got));
    are(got, &all[2], 2);
    OK(nc_get_var1_string(ncid, v, (size_t[]){1, 1}, got));
    are(got, &u, 1);
    OK(nc_get_var1_string(ncid, v, (size_t[]){N - 1, 0}, got));
    are(got, &u, 1);
    OK(nc_get_var(ncid, v, got));
    are(got, all, 2 * N);
}

static void
never_null_in(place *p, const storage *kind)
{
    const char *gap = "gap", *b = "b", *unwritten = kind->fill > 0 ? gap : "";
    int         ncid, dims[2], v;

    OK(place_create(p, kind->mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 2, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_STRING, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 2}));
    if (kind->dtype != NULL && kind->dtype[1] == 'O')
        OK(nc_put_att_int(ncid, v, "_nczarr_maxstrlen", NC_INT, 1, &(int){0}));
    else if (kind->dtype != NULL)
        OK(nczarr_def_var_dtype(ncid, v, kind->dtype));
    if (kind->fill != 0)
        OK(nc_def_var_fill(ncid, v, kind->fill < 0 ? NC_NOFILL : NC_FILL,
                           kind->fill < 0 ? NULL : (const void *)&gap));
    OK(nc_put_var1_string(ncid, v, (size_t[]){1, 0}, &b));
    OK(nc_def_dim(ncid, "y", 1, &(int){0}));
    OK(nc_def_var(ncid, "longer", NC_INT, 1, dims, &(int){0}));
    OK(nc_put_var1_int(ncid, 1, (size_t[]){N - 1}, &(int){7})); /* now there are records without a string */
    check(ncid, v, unwritten);
    OK(nc_sync(ncid));
    check(ncid, v, unwritten);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v)); /* pure Zarr does not keep the order */
    check(ncid, v, unwritten);
    OK(nc_close(ncid));
}

TEST(never_null)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        place p;

        place_make(&p, false);
        print_message("%s %s %d\n", kinds[i].mode, kinds[i].dtype != NULL ? kinds[i].dtype : "", kinds[i].fill);
        never_null_in(&p, &kinds[i]);
        place_drop(&p);
    }
}

/* A string that was put as NULL: in memory, after nc_sync() and after reopening the empty string. */
TEST(put_as_null)
{
    static const struct {
        const char *mode, *codec; /* codec NULL: the dialect's own storage */
    } in[] = {{"mode=nczarr", NULL},
              {"mode=nczarr,v3", NULL},
              {"mode=nczarr", "{\"id\": \"vlen-utf8\"}"},
              {"mode=nczarr", "{\"id\": \"json2\"}"},
              {"mode=nczarr", "{\"id\": \"msgpack2\"}"}};
    const char *put[] = {"a", NULL, "", NULL}, *want[] = {"a", "", "", ""};

    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        place p;
        int   ncid, dim, v;
        char *got[4];

        place_make(&p, false);
        print_message("%s %s\n", in[i].mode, in[i].codec != NULL ? in[i].codec : "");
        OK(place_create(&p, in[i].mode, NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 4, &dim));
        OK(nc_def_var(ncid, "v", NC_STRING, 1, &dim, &v));
        if (in[i].codec != NULL)
            OK(nczarr_def_var_codec(ncid, v, in[i].codec));
        OK(nc_put_var_string(ncid, v, put));
        OK(nc_get_var_string(ncid, v, got));
        are(got, want, 4);
        OK(nc_sync(ncid));
        OK(nc_get_var_string(ncid, v, got));
        are(got, want, 4);
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_get_var_string(ncid, v, got));
        are(got, want, 4);
        OK(nc_close(ncid));
        place_drop(&p);
    }
}

/* Attributes, too: "" at once, not only when the dataset has been opened again. */
TEST_IN_EACH_PLACE(attributes)
{
    const char *texts[3] = {"a", NULL, "c"};
    char       *got[3];
    int         ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_put_att_string(ncid, NC_GLOBAL, "texts", 3, texts));
    for (int again = 0; again < 2; again++) {
        OK(nc_get_att_string(ncid, NC_GLOBAL, "texts", got));
        assert_string_equal(got[0], "a");
        assert_string_equal(got[1], "");
        assert_string_equal(got[2], "c");
        OK(nc_free_string(3, got));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    }
    OK(nc_close(ncid));
}
