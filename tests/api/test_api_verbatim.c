/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What documents of Zarr say and netCDF does not, from one dataset to another: attributes as they are spelled, arrays
 * by their document, names that netCDF forbids. And strings with NULs in them.
 */
#include "api_test.h"

typedef struct pair {
    nczarr_map *maps[2];
    int         in, out;
} pair;

static void
put(nczarr_map *map, const char *key, const char *text)
{
    OK(nczarr_map_write(map, key, strlen(text), text));
}

/* A source with one array of plain Zarr v2, and a new target. */
static void
open_pair(pair *p, const char *zattrs, const char *zarray, const char *to)
{
    OK(nczarr_map_memory(&p->maps[0]));
    OK(nczarr_map_memory(&p->maps[1]));
    put(p->maps[0], ".zgroup", "{\"zarr_format\": 2}");
    put(p->maps[0], ".zattrs", zattrs);
    put(p->maps[0], "v/.zarray", zarray);
    put(p->maps[0], "v/.zattrs", "{\"_ARRAY_DIMENSIONS\": [\" x\"], \"_FillValue\": 1e+20}");
    OK(nczarr_open_map(p->maps[0], NULL, NCZARR_VERBATIM, &p->in));
    OK(nczarr_create_map(p->maps[1], to, NC_CLOBBER | NCZARR_VERBATIM, &p->out));
}

static void
close_pair(pair *p)
{
    OK(nc_close(p->in));
    OK(nczarr_map_close(p->maps[0]));
    OK(nczarr_map_close(p->maps[1]));
}

static void
document_has(nczarr_map *map, const char *key, const char *want)
{
    void  *text = NULL;
    size_t len;

    OK(nczarr_map_get(map, key, &text, &len));
    if (strstr(text, want) == NULL)
        print_error("no %s in %s\n", want, (char *)text);
    assert_non_null(strstr(text, want));
    free(text);
}

#define PLAIN                                                                                                        \
    "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<f4\", \"fill_value\": 0.0, "                \
    "\"order\": \"C\", \"compressor\": null, \"filters\": null, \"dimension_separator\": \"/\"}"

TEST(attributes_with_any_name_are_seen)
{
    static const char *const names[] = {"@context", "km/h", "one", "nan", "CLASS", ""};
    static const char *const modes[] = {"mode=zarr", "mode=nczarr,v2", "mode=zarr,v3", "mode=nczarr,v3"};
    pair                     p;
    char                     none[NC_MAX_NAME + 1];
    int                      n;

    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        bool v3 = strstr(modes[m], "v3") != NULL;

        open_pair(&p,
                  "{\"@context\": [\"a\"], \"km/h\": 1, \"one\": [\"cluster\"], \"nan\": {\"a\": NaN}, "
                  "\"CLASS\": \"c\", \"\": 7}",
                  PLAIN, modes[m]);
        OK(nc_inq_natts(p.in, &n));
        assert_int_equal(n, 5); /* the one without a name is not shown */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            OK(nczarr_copy_att(p.in, NC_GLOBAL, names[i], p.out, NC_GLOBAL));
        OK(nc_inq_attname(p.out, NC_GLOBAL, 0, none));
        assert_string_equal(none, "@context");
        OK(nc_close(p.out));
        document_has(p.maps[1], v3 ? "zarr.json" : ".zattrs", "\"@context\": [\"a\"]");
        document_has(p.maps[1], v3 ? "zarr.json" : ".zattrs", "\"km/h\": 1");
        document_has(p.maps[1], v3 ? "zarr.json" : ".zattrs", "\"one\": [\"cluster\"]");
        document_has(p.maps[1], v3 ? "zarr.json" : ".zattrs", "\"nan\": {\"a\": NaN}");
        document_has(p.maps[1], v3 ? "zarr.json" : ".zattrs", "\"\": 7");
        close_pair(&p);
    }
}

TEST(attributes_without_the_flag)
{
    pair p;
    int  ncid;

    open_pair(&p, "{\"one\": [\"cluster\"], \"@context\": 1}", PLAIN, "mode=zarr");
    OK(nc_close(p.out));
    OK(nczarr_create_map(p.maps[1], "mode=zarr", NC_CLOBBER, &ncid));
    OK(nczarr_copy_att(p.in, NC_GLOBAL, "one", ncid, NC_GLOBAL));
    FAILS(NC_EBADNAME, nczarr_copy_att(p.in, NC_GLOBAL, "@context", ncid, NC_GLOBAL));
    FAILS(NC_ENOTATT, nczarr_copy_att(p.in, NC_GLOBAL, "", ncid, NC_GLOBAL));
    FAILS(NC_ENOTATT, nczarr_copy_att(p.in, NC_GLOBAL, "none", ncid, NC_GLOBAL));
    FAILS(NC_EBADNAME, nczarr_copy_att(p.in, NC_GLOBAL, NULL, ncid, NC_GLOBAL));
    OK(nc_close(ncid));
    document_has(p.maps[1], ".zattrs", "\"one\": \"cluster\"");
    close_pair(&p);
}

/* The fill value of the document and the attribute are two things, which netCDF takes for one. */
TEST(a_document)
{
    pair p;
    int  dim, varid;

    open_pair(&p, "{}", PLAIN, "mode=zarr");
    OK(nc_def_dim(p.out, " x", 4, &dim));
    OK(nczarr_copy_var_document(p.in, 0, p.out, NC_FLOAT, &dim, &varid));
    OK(nczarr_copy_att(p.in, 0, "_FillValue", p.out, varid));
    FAILS(NC_ENAMEINUSE, nczarr_copy_var_document(p.in, 0, p.out, NC_FLOAT, &dim, &varid));
    FAILS(NC_EINVAL, nczarr_copy_var_document(p.in, 0, p.out, NC_FLOAT, NULL, &varid));
    FAILS(NC_ENOTVAR, nczarr_copy_var_document(p.in, 1, p.out, NC_FLOAT, &dim, &varid));
    OK(nc_close(p.out));
    document_has(p.maps[1], "v/.zarray", "\"fill_value\": 0.0");
    document_has(p.maps[1], "v/.zarray", "\"dimension_separator\": \"/\"");
    document_has(p.maps[1], "v/.zattrs", "\"_ARRAY_DIMENSIONS\": [\" x\"]");
    document_has(p.maps[1], "v/.zattrs", "\"_FillValue\": 1e+20");
    close_pair(&p);
}

TEST(an_unknown_document)
{
    static const char *const zarrays[] = {
        "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"|Q7\", \"fill_value\": \"zz\", "
        "\"order\": \"C\", \"compressor\": null, \"filters\": null}",
        "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<f4\", \"fill_value\": null, "
        "\"order\": \"C\", \"compressor\": {\"id\": \"mystery\", \"level\": 3}, \"filters\": null}"};
    static const char *const has[] = {"\"dtype\": \"|Q7\"", "{\"id\": \"mystery\", \"level\": 3}"};
    pair                     p;
    int                      dim, varid;
    nc_type                  type;

    for (size_t i = 0; i < 2; i++) {
        open_pair(&p, "{}", zarrays[i], "mode=nczarr,v2");
        OK(nc_inq_vartype(p.in, 0, &type));
        OK(nc_def_dim(p.out, "x", 4, &dim));
        OK(nczarr_copy_var_document(p.in, 0, p.out, type, &dim, &varid));
        OK(nc_close(p.out));
        document_has(p.maps[1], "v/.zarray", has[i]);
        close_pair(&p);
    }
    open_pair(&p, "{}", zarrays[0], "mode=nczarr,v3"); /* documents of another version */
    OK(nc_def_dim(p.out, "x", 4, &dim));
    FAILS(NC_ENOTBUILT, nczarr_copy_var_document(p.in, 0, p.out, NC_NAT, &dim, &varid));
    OK(nc_close(p.out));
    close_pair(&p);
}

TEST(taken_back)
{
    nczarr_map *map;
    int         ncid, dim, v, w;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &w));
    FAILS(NC_ELATEDEF, nczarr_undef_var(ncid, v));
    OK(nczarr_undef_var(ncid, w));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "w", &w));
    OK(nc_def_var(ncid, "w", NC_FLOAT, 1, &dim, &w));
    OK(nc_enddef(ncid));
    FAILS(NC_ELATEDEF, nczarr_undef_var(ncid, w));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

TEST(names_with_any_characters_are_seen)
{
    static const char *const odd[] = {"#refs#", " x", "-x", "(a)", ".config", "ends "};
    nczarr_map              *map;
    int                      ncid, grp, dim, varid, id;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, "mode=nczarr", NC_CLOBBER | NCZARR_VERBATIM, &ncid));
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        OK(nc_def_grp(ncid, odd[i], &grp));
        OK(nc_def_dim(grp, odd[i], 2, &dim));
        OK(nc_def_var(grp, odd[i], NC_INT, 1, &dim, &varid));
        OK(nc_put_att_int(grp, varid, odd[i], NC_INT, 1, &(int){3}));
    }
    FAILS(NC_EBADNAME, nc_def_grp(ncid, "a/b", &grp));
    FAILS(NC_EBADNAME, nc_def_dim(ncid, "", 2, &dim));
    FAILS(NC_EBADNAME, nc_def_grp(ncid, "..", &grp));
    OK(nc_close(ncid));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        OK(nc_inq_grp_ncid(ncid, odd[i], &grp));
        OK(nc_inq_varid(grp, odd[i], &varid));
        OK(nc_inq_dimid(grp, odd[i], &dim));
        OK(nc_get_att_int(grp, varid, odd[i], &id));
        assert_int_equal(id, 3);
    }
    OK(nc_close(ncid));
    OK(nczarr_create_map(map, "mode=nczarr", NC_CLOBBER, &ncid));
    FAILS(NC_EBADNAME, nc_def_grp(ncid, "#refs#", &grp)); /* the rule of all other programs */
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

/* ---- strings with their lengths ---- */

static char one[] = "a\0bc", two[] = "\0x", three[] = "\xc3\xa9\0\xe2\x82", four[] = "\xc3\xa9\0z";

static const nc_vlen_t counted[] = {{4, one}, {2, two}, {0, NULL}, {5, three}, {200, NULL}};

enum { COUNTED = sizeof counted / sizeof *counted };

static void
strings_in(const char *mode, const char *codecs, bool utf8)
{
    nczarr_map *map;
    char        many[201];
    nc_vlen_t   all[COUNTED], got[COUNTED];
    char       *plain[COUNTED];
    int         ncid, dim, varid;
    size_t      start = 0, count = COUNTED;

    memset(many, 'm', 200);
    many[100] = '\0';
    memcpy(all, counted, sizeof all);
    all[COUNTED - 1].p = many;
    if (utf8)
        all[3] = (nc_vlen_t){4, four};
    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", COUNTED, &dim));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &dim, &varid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, (size_t[]){2}));
    if (codecs != NULL)
        OK(nczarr_def_var_dtype(ncid, varid, codecs));
    OK(nczarr_put_vars_counted(ncid, varid, &start, &count, NULL, all));
    OK(nc_close(ncid));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
    OK(nczarr_get_vars_counted(ncid, varid, &start, &count, NULL, got));
    for (size_t i = 0; i < COUNTED; i++) {
        assert_int_equal(got[i].len, all[i].len);
        if (all[i].len > 0)
            assert_memory_equal(got[i].p, all[i].p, all[i].len);
        assert_int_equal(((char *)got[i].p)[got[i].len], '\0');
    }
    OK(nc_free_vlens(COUNTED, got));
    OK(nc_get_var_string(ncid, varid, plain));
    assert_string_equal(plain[0], "a");
    assert_string_equal(plain[1], "");
    OK(nc_free_string(COUNTED, plain));
    start = 1;
    count = 2;
    OK(nczarr_get_vars_counted(ncid, varid, &start, &count, (ptrdiff_t[]){2}, got));
    assert_int_equal(got[0].len, 2);
    assert_int_equal(got[1].len, all[3].len);
    OK(nc_free_vlens(2, got));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

TEST(strings_with_nuls)
{
    strings_in("mode=nczarr,v2", NULL, false); /* widened */
    strings_in("mode=zarr,v2", NULL, false);
    strings_in("mode=nczarr,v2", "<U200", true);
    strings_in("mode=nczarr,v3", NULL, true); /* of any length, UTF-8 */
    strings_in("mode=zarr,v3", NULL, true);
}

TEST(strings_only)
{
    nczarr_map *map;
    int         ncid, varid;
    nc_vlen_t   v;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "n", NC_INT, 0, NULL, &varid));
    OK(nc_enddef(ncid));
    FAILS(NC_EBADTYPE, nczarr_get_vars_counted(ncid, varid, NULL, NULL, NULL, &v));
    FAILS(NC_EBADTYPE, nczarr_put_vars_counted(ncid, varid, NULL, NULL, NULL, &v));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

/* The checks are those of nc_get_vars() and nc_put_vars(). */
TEST(strings_within_the_variable)
{
    nczarr_map     *map;
    int             ncid, dim, varid;
    nc_vlen_t       v[4] = {{0, NULL}};
    const size_t    some = 2, far = 9, many = 5, none = 0;
    const ptrdiff_t zero = 0;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &varid));
    OK(nc_enddef(ncid));
    FAILS(NC_EINVALCOORDS, nczarr_get_vars_counted(ncid, varid, &far, &some, NULL, v));
    FAILS(NC_EINVALCOORDS, nczarr_put_vars_counted(ncid, varid, &far, &some, NULL, v));
    FAILS(NC_EEDGE, nczarr_get_vars_counted(ncid, varid, &none, &many, NULL, v));
    FAILS(NC_EEDGE, nczarr_put_vars_counted(ncid, varid, &none, &many, NULL, v));
    FAILS(NC_ESTRIDE, nczarr_get_vars_counted(ncid, varid, &none, &some, &zero, v));
    FAILS(NC_ESTRIDE, nczarr_put_vars_counted(ncid, varid, &none, &some, &zero, v));
    FAILS(NC_EINVAL, nczarr_get_vars_counted(ncid, varid, &none, &some, NULL, NULL));
    FAILS(NC_EINVAL, nczarr_put_vars_counted(ncid, varid, &none, &some, NULL, NULL));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

TEST(documents_that_are_not_taken)
{
    pair p;
    int  dim, varid, bad = 77;

    open_pair(&p, "{}", PLAIN, "mode=zarr,v2");
    OK(nc_def_dim(p.out, "x", 4, &dim));
    FAILS(NC_EBADDIM, nczarr_copy_var_document(p.in, 0, p.out, NC_FLOAT, &bad, &varid));
    FAILS(NC_EBADTYPE, nczarr_copy_var_document(p.in, 0, p.out, 9999, &dim, &varid));
    FAILS(NC_EPERM, nczarr_copy_var_document(p.in, 0, p.in, NC_FLOAT, &dim, &varid));
    OK(nc_close(p.out));
    OK(nczarr_create_map(p.maps[1], "mode=zarr,v2", NC_CLOBBER | NC_CLASSIC_MODEL | NCZARR_VERBATIM, &p.out));
    OK(nc_def_dim(p.out, "x", 4, &dim));
    OK(nc_enddef(p.out));
    FAILS(NC_ENOTINDEFINE, nczarr_copy_var_document(p.in, 0, p.out, NC_FLOAT, &dim, &varid));
    OK(nc_close(p.out));
    close_pair(&p);
}
