/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions, groups, variables and how they are defined: names, ids, return codes; renames with their data. */
#include "api_test.h"
#include "nczarr_zmap.h"

/* ---- names ---- */

TEST_IN_EACH_PLACE(names_are_checked)
{
    static const struct {
        const char *name;
        int         rc;
    } rows[] = {
        {"plain", 0},
        {"1digit", 0},
        {"with space", 0},
        {"a.b", 0},
        {"a+b@c:d", 0},
        {"a%41", 0},
        {"x~!$#*<>=?|^`", 0},
        {"na\xc3\xafve", 0},
        {"back\\slash", 0},
        {"\xe6\xb5\x8b", 0},
        {"", NC_EBADNAME},
        {"a/b", NC_EBADNAME},
        {".zgroup", NC_EBADNAME},
        {" lead", NC_EBADNAME},
        {"trail ", NC_EBADNAME},
        {"tab\there", NC_EBADNAME},
        {"bad\xff", NC_EBADNAME},
        {"del\x7f", NC_EBADNAME},
        {"plain", NC_ENAMEINUSE},
    };
    char longest[NC_MAX_NAME + 2], back[NC_MAX_NAME + 1];
    int  ncid, id;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        RC(rows[i].rc, nc_def_dim(ncid, rows[i].name, 1, &id));
        RC(rows[i].rc, nc_put_att_text(ncid, NC_GLOBAL, rows[i].name, 1, "x") * (rows[i].rc != NC_ENAMEINUSE) +
                           (rows[i].rc == NC_ENAMEINUSE ? NC_ENAMEINUSE : 0));
        RC(strchr(rows[i].name, '\\') == NULL ? rows[i].rc : NC_EBADNAME, /* a backslash can be no part of a key */
           nc_def_var(ncid, rows[i].name, NC_INT, 0, NULL, &id));
    }
    memset(longest, 'n', sizeof longest);
    longest[NC_MAX_NAME + 1] = '\0';
    FAILS(NC_EMAXNAME, nc_def_dim(ncid, longest, 1, &id));
    longest[NC_MAX_NAME] = '\0';
    OK(nc_def_dim(ncid, longest, 1, &id));
    OK(nc_inq_dimname(ncid, id, back));
    assert_string_equal(back, longest);
    RC(p->memory ? NC_NOERR : NC_EMAXNAME, nc_def_var(ncid, longest, NC_INT, 0, NULL, &id)); /* no file name */
    FAILS(NC_EINVAL, nc_def_dim(ncid, NULL, 1, &id));
    FAILS(NC_EINVAL, nc_inq_dimid(ncid, NULL, &id));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (rows[i].rc == NC_NOERR) {
            OK(nc_inq_dimid(ncid, rows[i].name, &id));
            OK(nc_inq_att(ncid, NC_GLOBAL, rows[i].name, NULL, NULL));
        }
    OK(nc_inq_varid(ncid, "a%41", &id));
    OK(nc_close(ncid));
}

/* Two spellings of one character are one name. */
TEST_IN_EACH_PLACE(normal_form)
{
    char name[NC_MAX_NAME + 1], *nfc = NULL;
    int  ncid, id, other;

    if (ncz_nfc("e\xcc\x81", &nfc) != NC_NOERR || strcmp(nfc, "\xc3\xa9") != 0) {
        ncz_free(nfc);
        skip(); /* built without Unicode tables */
    }
    ncz_free(nfc);
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "e\xcc\x81", 1, &id));
    FAILS(NC_ENAMEINUSE, nc_def_dim(ncid, "\xc3\xa9", 1, &other));
    OK(nc_inq_dimid(ncid, "\xc3\xa9", &other));
    assert_int_equal(id, other);
    OK(nc_inq_dimid(ncid, "e\xcc\x81", &other));
    OK(nc_inq_dimname(ncid, id, name));
    assert_string_equal(name, "\xc3\xa9");
    OK(nc_close(ncid));
}

/* ---- dimensions ---- */

TEST_IN_EACH_PLACE(dimensions_are_defined_and_looked_up)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    int    ncid, grp, x, t, u, y, ids[8], n, id;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &x));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    OK(nc_def_dim(ncid, "u", NC_UNLIMITED, &u));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_dim(grp, "y", 5, &y));
    OK(nc_def_dim(grp, "x", 6, &id)); /* shadows */
    FAILS(NC_ENAMEINUSE, nc_def_dim(ncid, "x", 9, &id));
    OK(nc_inq_dim(ncid, x, name, &len));
    assert_string_equal(name, "x");
    assert_int_equal(len, 4);
    OK(nc_inq_dimid(grp, "t", &id)); /* outward */
    assert_int_equal(id, t);
    OK(nc_inq_dimid(grp, "x", &id));
    assert_int_not_equal(id, x);
    FAILS(NC_EBADDIM, nc_inq_dimid(ncid, "y", &id));
    FAILS(NC_EBADDIM, nc_inq_dim(ncid, 99, name, &len));
    FAILS(NC_EBADDIM, nc_inq_dimlen(ncid, -1, &len));
    if (SIZE_MAX > INT64_MAX) { /* 2^63 and more fit no document */
        FAILS(NC_EDIMSIZE, nc_def_dim(ncid, "huge", SIZE_MAX, &id));
        FAILS(NC_EDIMSIZE, nc_def_dim(ncid, "huge", SIZE_MAX / 2 + 1, &id));
        FAILS(NC_EBADDIM, nc_inq_dimid(ncid, "huge", &id));
        FAILS(NC_EDIMSIZE, nczarr_grow_dim(ncid, t, SIZE_MAX / 2 + 1));
    }
    OK(nc_inq_dimids(ncid, &n, ids, 0));
    assert_int_equal(n, 3);
    OK(nc_inq_dimids(grp, &n, ids, 0));
    assert_int_equal(n, 2);
    OK(nc_inq_dimids(grp, &n, ids, 1));
    assert_int_equal(n, 5);
    assert_int_equal(ids[0], x);
    OK(nc_inq_unlimdims(ncid, &n, ids));
    assert_int_equal(n, 2);
    assert_int_equal(ids[1], u);
    OK(nc_inq_unlimdim(grp, &id));
    assert_int_equal(id, t);
    OK(nc_inq(grp, &n, NULL, NULL, &id));
    assert_int_equal(n, 2);
    assert_int_equal(id, -1);
    FAILS(NC_ENAMEINUSE, nc_rename_dim(ncid, x, "t"));
    FAILS(NC_EBADNAME, nc_rename_dim(ncid, x, "a/b"));
    OK(nc_rename_dim(ncid, x, "longitude"));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_dimid(ncid, "longitude", &id));
    FAILS(NC_EBADDIM, nc_inq_dimid(ncid, "x", &id));
    OK(nc_inq_unlimdims(ncid, &n, NULL));
    assert_int_equal(n, 2);
    OK(nc_close(ncid));
}

/* Lengths that a size_t of 32 bits cannot say are errors there, never other lengths. */
TEST(long_dimensions)
{
    static const char group[] = "{\"zarr_format\": 2}";
    static const char array[] = "{\"zarr_format\": 2, \"shape\": [6000000000], \"chunks\": [10], \"dtype\": \"<i4\", "
                                "\"compressor\": null, \"filters\": null, \"fill_value\": 0, \"order\": \"C\"}";
    nczarr_map       *map;
    char              name[NC_MAX_NAME + 1];
    size_t            len = 7;
    int               ncid, v, d, out = 9;

    OK(nczarr_map_memory(&map));
    OK(nczarr_map_write(map, ".zgroup", strlen(group), group));
    OK(nczarr_map_write(map, "v/.zarray", strlen(array), array));
    OK(nczarr_map_write(map, "v/1", 40, (unsigned char[40]){[12] = 42}));
    OK(nczarr_open_map(map, "mode=zarr", NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_inq_vardimid(ncid, v, &d));
    OK(nc_inq_dimname(ncid, d, name));
    assert_string_equal(name, "_Anonymous_Dim_6000000000");
    if (SIZE_MAX > UINT32_MAX) {
        OK(nc_inq_dimlen(ncid, d, &len));
        assert_int_equal(len, 6000000000ULL);
    } else {
        FAILS(NC_EDIMSIZE, nc_inq_dimlen(ncid, d, &len));
        assert_int_equal(len, 7);
    }
    OK(nc_get_var1_int(ncid, v, (size_t[]){13}, &out));
    assert_int_equal(out, 42);
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

/* ---- groups ---- */

TEST_IN_EACH_PLACE(groups_are_defined_and_looked_up)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    int    ncid, a, b, c, id, n, ids[4];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_grp(ncid, "a", &a));
    OK(nc_def_grp(a, "b", &b));
    OK(nc_def_grp(ncid, "c", &c));
    FAILS(NC_ENAMEINUSE, nc_def_grp(ncid, "a", &id));
    FAILS(NC_ENAMEINUSE, nc_def_var(ncid, "a", NC_INT, 0, NULL, &id));
    FAILS(NC_EBADNAME, nc_def_grp(ncid, "x/y", &id));
    FAILS(NC_EBADNAME, nc_def_grp(ncid, "zarr.json", &id)); /* documents have these names, in either version */
    FAILS(NC_EBADNAME, nc_def_var(b, "zarr.json", NC_INT, 0, NULL, &id));
    FAILS(NC_EBADNAME, nc_rename_grp(c, "zarr.json"));
    OK(nc_inq_grps(ncid, &n, ids));
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], a);
    OK(nc_inq_grpname(ncid, name));
    assert_string_equal(name, "/");
    OK(nc_inq_grpname(b, name));
    assert_string_equal(name, "b");
    OK(nc_inq_grpname_full(b, &len, name));
    assert_string_equal(name, "/a/b");
    assert_int_equal(len, 4);
    OK(nc_inq_grpname_len(ncid, &len));
    assert_int_equal(len, 1);
    OK(nc_inq_grp_parent(b, &id));
    assert_int_equal(id, a);
    FAILS(NC_ENOGRP, nc_inq_grp_parent(ncid, &id));
    OK(nc_inq_ncid(ncid, "a", &id));
    assert_int_equal(id, a);
    OK(nc_inq_ncid(ncid, NULL, &id));
    assert_int_equal(id, ncid);
    FAILS(NC_ENOGRP, nc_inq_grp_ncid(ncid, "b", &id));
    OK(nc_inq_grp_full_ncid(ncid, "/a/b", &id));
    assert_int_equal(id, b);
    OK(nc_inq_grp_full_ncid(ncid, "a//b/", &id));
    assert_int_equal(id, b);
    OK(nc_inq_grp_full_ncid(ncid, "/", &id));
    assert_int_equal(id, ncid);
    FAILS(NC_ENOGRP, nc_inq_grp_full_ncid(ncid, "/a/x", &id));
    FAILS(NC_ENOGRP, nc_inq_grp_full_ncid(c, "/a/b", &id)); /* as in netCDF-C, it leads on from there */
    FAILS(NC_ENOGRP, nc_inq_grp_full_ncid(c, "/", &id));
    FAILS(NC_EBADGRPID, nc_rename_grp(ncid, "root"));
    FAILS(NC_ENAMEINUSE, nc_rename_grp(c, "a"));
    FAILS(NC_EBADID, nc_inq_grpname(ncid + 77, name));
    OK(nc_inq_typeids(ncid, &n, ids));
    assert_int_equal(n, 0);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_grp_full_ncid(ncid, "/a/b", &id));
    OK(nc_inq_grps(ncid, &n, NULL));
    assert_int_equal(n, 2);
    OK(nc_close(ncid));
}

/* ---- variables ---- */

/* As netCDF-C: a variable may have a dimension of any group; lists and names keep to the group and those around it. */
TEST_IN_EACH_PLACE(foreign_dims)
{
    int    ncid, a, b, y, t, v, w, n, id, ids[8], data[] = {1, 2, 3, 4, 5, 6}, back[6];
    size_t len;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_grp(ncid, "a", &a));
    OK(nc_def_grp(ncid, "b", &b));
    OK(nc_def_dim(a, "y", 3, &y));
    OK(nc_def_dim(a, "t", NC_UNLIMITED, &t));
    OK(nc_def_var(b, "q", NC_INT, 2, (int[]){t, y}, &v));
    OK(nc_def_var(ncid, "r", NC_INT, 1, &t, &w));
    FAILS(NC_EBADDIM, nc_inq_dimid(b, "y", &id));
    OK(nc_inq_dimids(b, &n, NULL, 1));
    assert_int_equal(n, 0);
    OK(nc_put_vara_int(b, v, (size_t[]){0, 0}, (size_t[]){2, 3}, data));
    OK(nc_inq_dimlen(ncid, t, &len));
    assert_int_equal(len, 2);
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid));
    OK(nc_inq_grp_full_ncid(ncid, "/a", &a));
    OK(nc_inq_grp_full_ncid(ncid, "/b", &b));
    OK(nc_inq_dimids(a, &n, ids, 0));
    assert_int_equal(n, 2);
    OK(nc_inq_vardimid(b, v, ids));
    OK(nc_inq_dimid(a, "t", &t));
    OK(nc_inq_dimid(a, "y", &y));
    assert_true(ids[0] == t && ids[1] == y);
    OK(nc_get_var_int(b, v, back));
    assert_memory_equal(back, data, sizeof data);
    OK(nc_put_var1_int(ncid, w, (size_t[]){4},
                       &data[4])); /* the root's variable makes the group's dimension longer */
    OK(nc_inq_dimlen(b, t, &len));
    assert_int_equal(len, 5);
    OK(nc_rename_grp(a, "c")); /* references follow */
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_grp_full_ncid(ncid, "/b", &b));
    OK(nc_inq_grp_full_ncid(ncid, "/c", &a));
    OK(nc_inq_vardimid(b, v, ids));
    OK(nc_inq_dimid(a, "t", &t));
    assert_int_equal(ids[0], t);
    OK(nc_inq_dimlen(a, t, &len));
    assert_int_equal(len, 5);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(variables_are_defined_and_looked_up)
{
    char    name[NC_MAX_NAME + 1];
    nc_type type;
    size_t  chunk[2];
    int     ncid, grp, dims[2], v, w, id, n, natts, back[2], storage, endian, no_fill, fill, ids[4];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", 4, &dims[0]));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[1]));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_dim(grp, "inner", 3, &id));
    FAILS(NC_EBADTYPE, nc_def_var(ncid, "w", 99, 0, NULL, &v));
    FAILS(NC_EBADTYPE, nc_def_var(ncid, "w", NC_NAT, 0, NULL, &v));
    FAILS(NC_EBADDIM, nc_def_var(ncid, "w", NC_INT, 1, &(int){77}, &v));
    FAILS(NC_EINVAL, nc_def_var(ncid, "w", NC_INT, -1, dims, &v));
    FAILS(NC_EINVAL, nc_def_var(ncid, "w", NC_INT, 1, NULL, &v));
    FAILS(NC_EMAXDIMS, nc_def_var(ncid, "w", NC_INT, NC_MAX_VAR_DIMS + 1, dims, &v));
    OK(nc_inq_nvars(ncid, &n));
    assert_int_equal(n, 0);
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var(grp, "v", NC_CHAR, 1, dims, &w)); /* another group, another name space */
    FAILS(NC_ENAMEINUSE, nc_def_var(ncid, "v", NC_INT, 0, NULL, &id));
    FAILS(NC_ENAMEINUSE, nc_def_grp(ncid, "v", &id));
    OK(nc_put_att_text(ncid, v, "units", 1, "m"));
    OK(nc_inq_var(ncid, v, name, &type, &n, back, &natts));
    assert_string_equal(name, "v");
    assert_int_equal(type, NC_INT);
    assert_int_equal(n, 2);
    assert_int_equal(back[0], dims[0]);
    assert_int_equal(natts, 1);
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "none", &id));
    FAILS(NC_ENOTVAR, nc_inq_vartype(ncid, 5, &type));
    OK(nc_inq_varnatts(ncid, NC_GLOBAL, &natts));
    assert_int_equal(natts, 0);
    OK(nc_inq_varids(ncid, &n, ids));
    assert_int_equal(n, 1);

    FAILS(NC_EBADCHUNK, nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){5, 1}));
    FAILS(NC_EINVAL, nc_def_var_chunking(ncid, v, NC_CONTIGUOUS, NULL)); /* it has an unlimited dimension */
    FAILS(NC_EINVAL, nc_def_var_chunking(ncid, v, 9, NULL));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 0})); /* 0: the default */
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 7}));
    OK(nc_inq_var_chunking(ncid, v, &storage, chunk));
    assert_int_equal(storage, NC_CHUNKED);
    assert_int_equal(chunk[1], 7);
    FAILS(NC_EINVAL, nc_def_var_endian(ncid, v, 7));
    FAILS(NC_EINVAL, nc_def_var_endian(grp, w, NC_ENDIAN_BIG));
    OK(nc_def_var_endian(ncid, v, NC_ENDIAN_BIG));
    OK(nc_inq_var_endian(ncid, v, &endian));
    assert_int_equal(endian, NC_ENDIAN_BIG);
    OK(nc_def_var_fill(ncid, v, 0, &(int){-5}));
    OK(nc_inq_var_fill(ncid, v, &no_fill, &fill));
    assert_int_equal(fill, -5);
    assert_int_equal(no_fill, 0);
    OK(nc_inq_att(ncid, v, "_FillValue", &type, NULL));
    OK(nc_def_var_fill(ncid, v, 1, NULL));
    FAILS(NC_ENOTATT, nc_inq_att(ncid, v, "_FillValue", &type, NULL));
    OK(nc_def_var_fill(ncid, v, 0, &(int){-6}));
    OK(nc_enddef(ncid));
    FAILS(NC_ELATEDEF, nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){1, 1}));
    FAILS(NC_ELATEDEF, nc_def_var_endian(ncid, v, NC_ENDIAN_LITTLE));
    FAILS(NC_ELATEDEF, nc_def_var_fill(ncid, v, 0, &(int){1}));
    FAILS(NC_ELATEDEF, nc_def_var_deflate(ncid, v, 0, 1, 1));
    FAILS(NC_EGLOBAL, nc_def_var_fill(ncid, NC_GLOBAL, 0, &(int){1}));
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid));
    OK(nc_inq_var_endian(ncid, v, &endian));
    assert_int_equal(endian, NC_ENDIAN_BIG);
    OK(nc_inq_var_fill(ncid, v, &no_fill, &fill));
    assert_int_equal(fill, -6);
    OK(nc_inq_var_chunking(ncid, v, &storage, chunk));
    assert_int_equal(chunk[0], 2);
    FAILS(NC_ELATEDEF, nc_def_var_endian(ncid, v, NC_ENDIAN_LITTLE)); /* loaded ones are final too */
    OK(nc_close(ncid));
}

static void
check_layout(int ncid, const char *name, int wanted)
{
    size_t chunk[2];
    int    v, storage;

    OK(nc_inq_varid(ncid, name, &v));
    OK(nc_inq_var_chunking(ncid, v, &storage, chunk));
    assert_int_equal(storage, wanted);
}

/* Contiguous and compact are what a program asked for: one chunk, which is reported as such. */
TEST_IN_EACH_PLACE(contiguous_and_compact_are_reported_as_asked)
{
    int ncid, dims[2], v;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", 4, &dims[0]));
    OK(nc_def_dim(ncid, "x", 3, &dims[1]));
    OK(nc_def_var(ncid, "contiguous", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CONTIGUOUS, NULL));
    OK(nc_def_var(ncid, "compact", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_COMPACT, NULL));
    OK(nc_def_var(ncid, "deflated", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CONTIGUOUS, NULL));
    OK(nc_def_var_deflate(ncid, v, 0, 1, 1)); /* a codec needs chunks, as in netCDF-C */
    OK(nc_def_var(ncid, "default", NC_INT, 2, dims, &v));
    for (int opened = 0; opened < 2; opened++) {
        check_layout(ncid, "contiguous", NC_CONTIGUOUS);
        check_layout(ncid, "compact", NC_COMPACT);
        check_layout(ncid, "deflated", NC_CHUNKED);
        check_layout(ncid, "default", NC_CHUNKED);
        OK(nc_close(ncid));
        OK(place_open(p, NULL, opened == 0 ? NC_NOWRITE : NC_WRITE, &ncid));
    }
    check_layout(ncid, "contiguous", NC_CONTIGUOUS);
    OK(nc_put_att_text(ncid, 0, "units", 1, "m")); /* the document is written again, and keeps it */
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    check_layout(ncid, "contiguous", NC_CONTIGUOUS);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(scalars_are_contiguous)
{
    size_t chunk;
    int    ncid, v, storage, n, x = 7;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "s", NC_INT, 0, NULL, &v));
    FAILS(NC_EINVAL, nc_def_var_chunking(ncid, v, NC_CHUNKED, &(size_t){1}));
    OK(nc_def_var_chunking(ncid, v, NC_CONTIGUOUS, NULL));
    FAILS(NC_EINVAL, nc_def_var_deflate(ncid, v, 0, 1, 1));
    OK(nc_inq_var_chunking(ncid, v, &storage, &chunk));
    assert_int_equal(storage, NC_CONTIGUOUS);
    OK(nc_put_var_int(ncid, v, &x));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    x = 0;
    OK(nc_inq_varndims(ncid, v, &n));
    assert_int_equal(n, 0);
    OK(nc_inq_ndims(ncid, &n));
    assert_int_equal(n, 0);
    OK(nc_get_var_int(ncid, v, &x));
    assert_int_equal(x, 7);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(chunk_cache)
{
    size_t size, nelems;
    float  pre;
    int    ncid, v;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "v", NC_INT, 0, NULL, &v));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EINVAL, nc_set_var_chunk_cache(ncid, v, 1, 1, 5.0f));
    OK(nc_set_var_chunk_cache(ncid, v, 12345, 17, 0.5f));
    OK(nc_get_var_chunk_cache(ncid, v, &size, &nelems, &pre));
    assert_true(size == 12345 && nelems == 17 && pre == 0.5f);
    OK(nc_close(ncid));
}

/* ---- classic model ---- */

TEST_IN_EACH_PLACE(the_classic_model_refuses_the_rest)
{
    int ncid, dim, var, id, format;

    OK(place_create(p, NULL, NC_CLOBBER | NC_CLASSIC_MODEL, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    FAILS(NC_ESTRICTNC3, nc_def_grp(ncid, "g", &id));
    FAILS(NC_ESTRICTNC3, nc_def_var(ncid, "u", NC_UBYTE, 1, &dim, &id));
    FAILS(NC_ESTRICTNC3, nc_put_att_longlong(ncid, var, "a", NC_INT64, 1, &(long long){1}));
    OK(nc_put_att_text(ncid, var, "units", 5, "metre"));
    FAILS(NC_EINDEFINE, nc_put_var_int(ncid, var, (int[]){1, 2}));
    FAILS(NC_EINDEFINE, nc_get_var_int(ncid, var, (int[2]){0}));
    FAILS(NC_EINDEFINE, nc_sync(ncid));
    OK(nc_enddef(ncid));
    OK(nc_put_var_int(ncid, var, (int[]){1, 2}));
    FAILS(NC_ENOTINDEFINE, nc_def_dim(ncid, "y", 2, &id));
    FAILS(NC_ENOTINDEFINE, nc_def_var(ncid, "w", NC_INT, 1, &dim, &id));
    FAILS(NC_ENOTINDEFINE, nc_put_att_text(ncid, var, "new", 1, "x"));
    FAILS(NC_ENOTINDEFINE, nc_put_att_text(ncid, var, "units", 6, "metres"));
    FAILS(NC_ENOTINDEFINE, nc_del_att(ncid, var, "units"));
    FAILS(NC_ENOTINDEFINE, nc_rename_var(ncid, var, "longer"));
    OK(nc_put_att_text(ncid, var, "units", 2, "km"));
    OK(nc_rename_var(ncid, var, "w"));
    OK(nc_redef(ncid));
    OK(nc_def_dim(ncid, "y", 2, &id));
    OK(nc_close(ncid));
}

/* The model is remembered, by us and in each dialect that has a place for it; others open the dataset all the same. */
TEST_IN_EACH_PLACE(classic_again)
{
    static const char *const modes[] = {"mode=nczarr", "compat=4.9.2", "mode=nczarr,consolidated"};
    int                      ncid, id, format, dim;

    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(p, modes[i], NC_CLOBBER | NC_CLASSIC_MODEL, &ncid));
        OK(nc_def_dim(ncid, "x", 2, &dim));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_format(ncid, &format));
        assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_format(ncid, &format));
        assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
        FAILS(NC_ENOTINDEFINE, nc_def_dim(ncid, "y", 2, &id));
        FAILS(NC_ESTRICTNC3, nc_def_grp(ncid, "g", &id)); /* and not NC_ENOTINDEFINE: nc_redef() would not help */
        FAILS(NC_ESTRICTNC3, nc_def_opaque(ncid, 4, "o", &id));
        OK(nc_redef(ncid));
        FAILS(NC_ESTRICTNC3, nc_def_grp(ncid, "g", &id));
        FAILS(NC_ESTRICTNC3, nc_def_var(ncid, "u", NC_UBYTE, 1, &dim, &id));
        OK(nc_def_dim(ncid, "y", 2, &id));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid)); /* and still when it was written again */
        OK(nc_inq_format(ncid, &format));
        assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
        OK(nc_close(ncid));
    }
    OK(place_create(p, "mode=zarr", NC_CLOBBER | NC_CLASSIC_MODEL, &ncid)); /* has no place for it */
    OK(nc_close(ncid));
    OK(place_open(p, "mode=zarr", NC_NOWRITE, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4);
    OK(nc_close(ncid));
}

/* What netCDF-C up to 4.9.0 wrote is not changed, and who asks for it is told at once. */
TEST_IN_EACH_PLACE(oldest_is_not_written)
{
    int ncid, dim;

    OK(place_create(p, "compat=4.9.0", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_close(ncid));
    FAILS(NC_EPERM, place_open(p, NULL, NC_WRITE, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), "nczcopy"));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_dimid(ncid, "x", &dim));
    OK(nc_close(ncid));
}

/* ---- renames, with what is stored ---- */

TEST_IN_EACH_PLACE(renames_keep_data_and_ids)
{
    const char *const modes[] = {"mode=nczarr", "mode=zarr", "mode=nczarr,consolidated&dimension_separator=/"};

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        int ncid, grp, dim, t, v, w, id, out[8];

        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 4, &dim));
        OK(nc_def_grp(ncid, "g", &grp));
        OK(nc_def_dim(grp, "t", 2, &t));
        OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &(size_t){2}));
        OK(nc_def_var(grp, "w", NC_INT, 2, (int[]){t, dim}, &w));
        OK(nc_put_var_int(ncid, v, (int[]){1, 2, 3, 4}));
        OK(nc_put_var_int(grp, w, (int[]){1, 2, 3, 4, 5, 6, 7, 8}));
        OK(nc_rename_var(ncid, v, "early")); /* nothing of it has a document yet */
        OK(nc_close(ncid));

        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_varid(ncid, "early", &v));
        OK(nc_put_var1_int(ncid, v, (size_t[]){3}, &(int){44})); /* in the cache only */
        FAILS(NC_ENAMEINUSE, nc_rename_var(ncid, v, "g"));
        FAILS(NC_EBADNAME, nc_rename_var(ncid, v, "a/b"));
        FAILS(NC_EBADNAME, nc_rename_var(ncid, v, "zarr.json"));
        FAILS(NC_ENOTVAR, nc_rename_var(ncid, 9, "z"));
        OK(nc_rename_var(ncid, v, "late"));
        FAILS(NC_ENAMEINUSE, nc_rename_var(ncid, v, "late"));
        OK(nc_inq_ncid(ncid, "g", &grp));
        OK(nc_rename_grp(grp, "group"));
        OK(nc_put_var1_int(ncid, v, (size_t[]){0}, &(int){11}));
        OK(nc_close(ncid));

        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "early", &id));
        FAILS(NC_ENOGRP, nc_inq_ncid(ncid, "g", &id));
        OK(nc_inq_varid(ncid, "late", &v));
        OK(nc_get_var_int(ncid, v, out));
        assert_true(out[0] == 11 && out[1] == 2 && out[2] == 3 && out[3] == 44);
        OK(nc_inq_ncid(ncid, "group", &grp));
        OK(nc_inq_varid(grp, "w", &w));
        OK(nc_get_var_int(grp, w, out));
        assert_true(out[0] == 1 && out[7] == 8);
        OK(nc_close(ncid));
        if (!p->memory) {
            assert_false(exists(p->path, "early"));
            assert_false(exists(p->path, "g"));
            assert_false(exists(p->path, "v"));
        }
    }
}

/* ---- variables that cannot be used are listed, and spoil nothing ---- */

TEST(odd_variables)
{
    place   p;
    char    name[NC_MAX_NAME + 1], codecs[200] = "";
    nc_type type;
    int     ncid, v, n, out[2];

    place_make(&p, false);
    assert_int_equal(mkdir(p.path, 0755), 0);
    write_file(p.path, ".zgroup", "{\"zarr_format\": 2}");
    for (int i = 0; i < 3; i++) {
        char dir[400];

        snprintf(dir, sizeof dir, "%s/%s", p.path, (const char *[]){"c16", "vendor", "ok"}[i]);
        assert_int_equal(mkdir(dir, 0755), 0);
        write_file(
            dir, ".zarray",
            (const char *[]){
                "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": \"<c32\", \"fill_value\": null, "
                "\"order\": \"C\", \"compressor\": null, \"filters\": null}",
                "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": \"<i4\", \"fill_value\": 5, "
                "\"order\": \"C\", \"compressor\": {\"id\": \"vendor_x\"}, \"filters\": null}",
                "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": \"<i4\", \"fill_value\": 5, "
                "\"order\": \"C\", \"compressor\": null, \"filters\": null}"}[i]);
    }
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    OK(nc_inq_nvars(ncid, &n));
    assert_int_equal(n, 3);
    OK(nc_inq_varid(ncid, "c16", &v));
    OK(nc_inq_var(ncid, v, name, &type, &n, NULL, NULL));
    assert_int_equal(type, NC_NAT);
    assert_int_equal(n, 1);
    RC(NC_EBADTYPE, nc_get_var_int(ncid, v, out));
    assert_non_null(strstr(nczarr_errmsg(), "c16"));
    RC(NC_EBADTYPE, nc_get_var(ncid, v, out));
    OK(nc_inq_varid(ncid, "vendor", &v));
    OK(nc_inq_var_chunking(ncid, v, NULL, NULL));
    OK(nc_get_att_text(ncid, v, "_Codecs", codecs));
    assert_non_null(strstr(codecs, "vendor_x"));
    write_file(p.path, "vendor/0", "rubbish");
    RC(NC_ENOFILTER, nc_get_var_int(ncid, v, out));
    assert_non_null(strstr(nczarr_errmsg(), "vendor_x"));
    OK(nc_inq_varid(ncid, "ok", &v));
    OK(nc_get_var_int(ncid, v, out));
    assert_int_equal(out[1], 5);
    OK(nc_close(ncid));
    place_drop(&p);
}

/* What a dialect cannot store is refused where it is defined, and the dataset can be completed without it. */
TEST(what_a_dialect_cannot_store)
{
    place       p;
    int         ncid, v, copy;
    char        url[500];
    const char *text = "s";

    place_make(&p, false);
    snprintf(url, sizeof url, "file://%s#mode=nczarr,file&compat=4.9.0", p.path);
    OK(nc_create(url, NC_CLOBBER, &ncid));
    FAILS(NC_EBADTYPE, nc_def_var(ncid, "s", NC_STRING, 0, NULL, &v));
    assert_non_null(strstr(nczarr_errmsg(), "NC_CHAR"));
    FAILS(NC_EBADTYPE, nc_put_att_string(ncid, NC_GLOBAL, "strings", 1, &text));
    OK(nc_def_var(ncid, "c", NC_CHAR, 0, NULL, &v));
    FAILS(NC_EBADTYPE, nc_put_att_string(ncid, v, "strings", 1, &text));
    OK(nc_create("other", NC_CLOBBER | NC_DISKLESS, &copy));
    OK(nc_put_att_string(copy, NC_GLOBAL, "strings", 1, &text));
    FAILS(NC_EBADTYPE, nc_copy_att(copy, NC_GLOBAL, "strings", ncid, NC_GLOBAL));
    OK(nc_close(copy));
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "c", &v));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "s", &v));
    OK(nc_close(ncid));
    place_drop(&p);
}
