/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of sequences (nc_def_vlen): put, stored, read back, changed in part and grown, in either version of Zarr;
 * what other writers store, damaged chunks, and memory that runs out.
 */
#include "no_memory.h"

#include "nczarr_filter.h"

#include "zmap/zmap.h"

static const char *const modes[] = {NULL, "mode=nczarr,v3", "mode=zarr"};

/* Row i has i % 4 numbers: 10 i, 10 i + 1, ... */
static void
make_rows(nc_vlen_t *rows, int (*numbers)[3], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            numbers[i][k] = (int)i * 10 + k;
        rows[i] = (nc_vlen_t){.len = i % 4, .p = i % 4 == 0 ? NULL : numbers[i]};
    }
}

static void
assert_row(const nc_vlen_t *row, size_t i)
{
    assert_int_equal(row->len, i % 4);
    assert_true((row->p == NULL) == (row->len == 0));
    for (size_t k = 0; k < row->len; k++)
        assert_int_equal(((int *)row->p)[k], (int)(i * 10 + k));
}

static int
def_rows(int ncid, const char *name, int rank, const int *dims)
{
    nc_type t;
    int     v;

    if (nc_inq_typeid(ncid, "row", &t) != NC_NOERR)
        OK(nc_def_vlen(ncid, "row", NC_INT, &t));
    OK(nc_def_var(ncid, name, t, rank, dims, &v));
    return v;
}

/* ---- what is put comes back ---------------------------------------------------------------------------------- */

TEST_IN_EACH_PLACE(round_trips)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        nc_vlen_t rows[8], back[8], one;
        int       numbers[8][3], ncid, x, v;
        nc_type   t;
        char      name[NC_MAX_NAME + 1];
        size_t    size, at = 5;

        make_rows(rows, numbers, 8);
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 8, &x));
        v = def_rows(ncid, "v", 1, &x);
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){3}));
        OK(nc_def_var_deflate(ncid, v, 1, 1, 4));
        v = def_rows(ncid, "scalar", 0, NULL);
        (void)def_rows(ncid, "untouched", 1, &x);
        OK(nc_put_var(ncid, 0, rows));
        OK(nc_put_var(ncid, v, &rows[3]));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &v));
        OK(nc_inq_vartype(ncid, v, &t));
        OK(nc_inq_vlen(ncid, t, name, &size, &(nc_type){0}));
        assert_string_equal(name, m == 2 ? "v_t" : "row");
        OK(nc_get_var(ncid, v, back));
        for (size_t i = 0; i < 8; i++)
            assert_row(&back[i], i);
        OK(nc_reclaim_data(ncid, t, back, 8));
        OK(nc_get_var1(ncid, v, &at, &one));
        assert_row(&one, 5);
        OK(nc_free_vlen(&one));
        OK(nc_get_vars(ncid, v, (size_t[]){1}, (size_t[]){3}, (ptrdiff_t[]){3}, back));
        assert_row(&back[0], 1);
        assert_row(&back[1], 4);
        assert_row(&back[2], 7);
        OK(nc_free_vlens(3, back));
        OK(nc_inq_varid(ncid, "scalar", &v));
        OK(nc_get_var(ncid, v, &one));
        assert_row(&one, 3);
        OK(nc_free_vlen(&one));
        OK(nc_inq_varid(ncid, "untouched", &v));
        OK(nc_get_var(ncid, v, back));
        for (size_t i = 0; i < 8; i++)
            assert_true(back[i].len == 0 && back[i].p == NULL);
        FAILS(NC_EBADTYPE, nc_get_var_int(ncid, v, numbers[0]));
        FAILS(NC_EBADTYPE, nc_get_var_string(ncid, v, (char **)numbers));
        FAILS(NC_EBADTYPE, nc_get_var_text(ncid, v, (char *)numbers));
        OK(nc_close(ncid));
    }
}

/* Every number, characters and enumerations. */
TEST_IN_EACH_PLACE(all_types)
{
    static const nc_type types[] = {NC_BYTE, NC_UBYTE, NC_CHAR,   NC_SHORT, NC_USHORT, NC_INT,
                                    NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT, NC_DOUBLE};
    unsigned char        bytes[16] = {1, 2, 3, 0, 5, 6, 7, 64, 9, 10, 0, 12, 13, 14, 15, 64};

    for (size_t m = 0; m < 2; m++) {
        const short red = 2;
        nc_vlen_t   in = {.len = 2, .p = bytes}, out;
        nc_type     t, color;
        char        name[40];
        int         ncid, v;

        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        for (size_t i = 0; i < NCZ_LEN(types); i++) {
            snprintf(name, sizeof name, "type%zu", i);
            OK(nc_def_vlen(ncid, name, types[i], &t));
            OK(nc_def_var(ncid, name + 3, t, 0, NULL, &v));
            OK(nc_put_var(ncid, v, &in));
        }
        OK(nc_def_enum(ncid, NC_SHORT, "color", &color));
        OK(nc_insert_enum(ncid, color, "red", &red));
        OK(nc_def_vlen(ncid, "colors", color, &t));
        OK(nc_def_var(ncid, "c", t, 0, NULL, &v));
        OK(nc_put_var(ncid, v, &in));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        for (v = 0; v <= (int)NCZ_LEN(types); v++) {
            nc_type base;
            size_t  size;

            OK(nc_inq_vartype(ncid, v, &t));
            OK(nc_inq_vlen(ncid, t, NULL, NULL, &base));
            assert_int_equal(base, v < (int)NCZ_LEN(types) ? types[v] : color);
            OK(nc_inq_type(ncid, base, NULL, &size));
            OK(nc_get_var(ncid, v, &out));
            assert_int_equal(out.len, 2);
            assert_memory_equal(out.p, bytes, 2 * size);
            OK(nc_free_vlen(&out));
        }
        OK(nc_close(ncid));
    }
}

/* Changes in part, growth, and a fill value, which is an attribute. */
TEST_IN_EACH_PLACE(sequences_change_in_part_and_grow)
{
    for (size_t m = 0; m < 2; m++) {
        nc_vlen_t rows[8], back[40], fill = {.len = 2, .p = (int[]){-1, -2}}, got;
        int       numbers[8][3], ncid, x, v, no_fill;
        nc_type   t;
        size_t    len;

        make_rows(rows, numbers, 8);
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", NC_UNLIMITED, &x));
        v = def_rows(ncid, "v", 1, &x);
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){20}));
        OK(nc_def_var_fill(ncid, v, 0, &fill));
        OK(nc_put_vara(ncid, v, (size_t[]){0}, (size_t[]){8}, rows));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_vartype(ncid, v, &t));
        OK(nc_put_var1(ncid, v, (size_t[]){39}, &rows[2]));
        for (size_t i = 0; i < 300; i++) /* in place, until the block is made again */
            OK(nc_put_var1(ncid, v, (size_t[]){4}, &rows[i % 4]));
        OK(nc_put_vars(ncid, v, (size_t[]){0}, (size_t[]){2}, (ptrdiff_t[]){2}, (nc_vlen_t[]){rows[3], rows[1]}));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_attlen(ncid, v, "_FillValue", &len));
        assert_int_equal(len, 1);
        OK(nc_inq_var_fill(ncid, v, &no_fill, &got));
        assert_true(no_fill == 0 && got.len == 2 && ((int *)got.p)[1] == -2);
        OK(nc_free_vlen(&got));
        OK(nc_get_var(ncid, v, back));
        assert_row(&back[0], 3);
        assert_row(&back[1], 1);
        assert_row(&back[2], 1);
        assert_row(&back[4], 3);
        assert_row(&back[7], 7);
        assert_row(&back[39], 2);
        for (size_t i = 8; i < 39; i++)
            assert_true(back[i].len == 2 && ((int *)back[i].p)[0] == -1);
        OK(nc_reclaim_data(ncid, t, back, 40));
        OK(nc_close(ncid));
    }
}

/* Several chunks in a shard, codecs behind the one for sequences, and copies to either version. */
TEST_IN_EACH_PLACE(sequences_lie_in_shards_and_behind_codecs)
{
    for (size_t m = 0; m < 2; m++) {
        nc_vlen_t rows[24], back[24];
        int       numbers[24][3], ncid, to, dims[2], v, w;
        nc_type   t;
        char      codecs[200];
        place     q;

        make_rows(rows, numbers, 24);
        place_make(&q, true);
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "y", 4, &dims[0]));
        OK(nc_def_dim(ncid, "x", 6, &dims[1]));
        v = def_rows(ncid, "v", 2, dims);
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 3}));
        if (m == 1)
            OK(nczarr_def_var_shards(ncid, v, (size_t[]){4, 6}));
        else
            OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"zlib\", \"level\": 1}"));
        OK(nc_put_var(ncid, v, rows));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(place_create(&q, modes[1 - m], NC_CLOBBER, &to));
        OK(nc_def_vlen(to, "other_name", NC_INT, &t));
        OK(nc_copy_var(ncid, v, to));
        OK(nc_close(to));
        OK(place_open(&q, NULL, NC_NOWRITE, &to));
        OK(nczarr_inq_var_codecs(to, 0, 2, NULL, codecs));
        assert_non_null(strstr(codecs, m == 0 ? "\"vlen-bytes\"" : "\"vlen-array\", \"dtype\": \"<i4\""));
        assert_int_equal(strstr(codecs, "zlib") != NULL, m == 0);
        for (int i = 0; i < 2; i++) {
            w = 0;
            OK(nc_get_var(i == 0 ? ncid : to, w, back));
            for (size_t k = 0; k < 24; k++)
                assert_row(&back[k], k);
            OK(nc_free_vlens(24, back));
        }
        OK(nc_close(to));
        OK(nc_close(ncid));
        place_drop(&q);
    }
}

/* ---- what cannot be ------------------------------------------------------------------------------------------ */

TEST_IN_EACH_PLACE(values_that_are_no_sequences_are_refused)
{
    nc_vlen_t bad = {.len = 3, .p = NULL}, huge = {.len = SIZE_MAX / 2, .p = &bad},
              good = {.len = 1, .p = (int[]){7}}, back;
    int     ncid, v, x;
    nc_type t;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 40, &x));
    v = def_rows(ncid, "v", 1, &x);
    OK(nc_inq_typeid(ncid, "row", &t));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"vlen-utf8\"}"));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"vlen-array\", \"dtype\": \"<i8\"}"));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, v, "[{\"id\": \"json2\"}]"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"vlen-array\", \"dtype\": \">i4\"}"));
    FAILS(NC_EINVAL, nc_def_var_endian(ncid, v, NC_ENDIAN_BIG));
    OK(nc_put_var1(ncid, v, (size_t[]){0}, &good));
    FAILS(NC_EINVAL, nc_put_var1(ncid, v, (size_t[]){0}, &bad));
    FAILS(NC_EINVAL, nc_put_vara(ncid, v, (size_t[]){0}, (size_t[]){1}, &huge));
    FAILS(NC_EBADTYPE, nc_put_var1_int(ncid, v, (size_t[]){0}, &x));
    OK(nc_get_var1(ncid, v, (size_t[]){0}, &back)); /* is unchanged */
    assert_true(back.len == 1 && ((int *)back.p)[0] == 7);
    OK(nc_free_vlen(&back));
    OK(nc_close(ncid));
    OK(place_create(p, "mode=zarr,v3", NC_CLOBBER, &ncid));
    OK(nc_def_vlen(ncid, "row", NC_INT, &t));
    FAILS(NC_ENOTBUILT, nc_def_var(ncid, "v", t, 0, NULL, &v));
    OK(nc_close(ncid));
    OK(place_create(p, "mode=nczarr,v3", NC_CLOBBER, &ncid));
    v = def_rows(ncid, "v", 0, NULL);
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, v, "[{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}]"));
    OK(nczarr_def_var_codecs(ncid, v, "[{\"id\": \"zlib\"}]"));
    OK(nc_close(ncid));
    OK(place_create(p, "mode=nczarr&compat=4.9.2", NC_CLOBBER, &ncid));
    OK(nc_def_vlen(ncid, "row", NC_INT, &t));
    FAILS(NC_EBADTYPE, nc_def_var(ncid, "v", t, 0, NULL, &v));
    OK(nc_close(ncid));
}

/* ---- what others store --------------------------------------------------------------------------------------- */

/* Opens a plain dataset with one array `v` of three sequences. */
static int
open_foreign(nczarr_map **map, const char *dtype, const char *fill, const void *chunk, size_t n)
{
    char array[400];
    int  ncid;

    snprintf(array, sizeof array,
             "{\"zarr_format\": 2, \"shape\": [3], \"chunks\": [3], \"dtype\": \"|O\", \"compressor\": null, "
             "\"filters\": [{\"id\": \"vlen-array\", \"dtype\": \"%s\"}], \"order\": \"C\", \"fill_value\": %s}",
             dtype, fill);
    OK(nczarr_map_memory(map));
    OK(zmap_put(*map, ".zgroup", "{\"zarr_format\": 2}", 18));
    OK(zmap_put(*map, "v/.zarray", array, strlen(array)));
    OK(zmap_put(*map, "v/0", chunk, n));
    OK(nczarr_open_map(*map, NULL, NC_NOWRITE, &ncid));
    return ncid;
}

TEST(foreign_arrays)
{
    static const char        big[] = "\3\0\0\0\0\0\0\0\4\0\0\0\1\2\0\3\2\0\0\0\xff\xfe";
    static const char        half[] = "\3\0\0\0\2\0\0\0\0\x3c\0\0\0\0\0\0\0\0";
    static const char *const fills[] = {"null", "0", "\"\"", "[1, 2]", "[7]"};
    nczarr_map              *map;
    nc_vlen_t                got[3];
    int                      ncid;
    nc_type                  t, base;
    char                     name[NC_MAX_NAME + 1];

    for (size_t i = 0; i < NCZ_LEN(fills); i++) {
        ncid = open_foreign(&map, ">i2", fills[i], big, sizeof big - 1);
        OK(nc_inq_vartype(ncid, 0, &t));
        OK(nc_inq_vlen(ncid, t, name, NULL, &base));
        assert_string_equal(name, "v_t");
        assert_int_equal(base, NC_SHORT);
        OK(nc_get_var(ncid, 0, got));
        assert_true(got[0].len == 0 && got[1].len == 2 && got[2].len == 1);
        assert_true(((short *)got[1].p)[0] == 258 && ((short *)got[1].p)[1] == 3 && ((short *)got[2].p)[0] == -2);
        OK(nc_free_vlens(3, got));
        OK(nc_close(ncid));
        OK(nczarr_map_close(map));
    }
    ncid = open_foreign(&map, "<f2", "null", half, sizeof half - 1);
    OK(nc_inq_vartype(ncid, 0, &t));
    OK(nc_inq_vlen(ncid, t, name, NULL, &base));
    assert_int_equal(base, NC_FLOAT);
    OK(nc_get_var(ncid, 0, got));
    assert_true(got[0].len == 1 && *(float *)got[0].p == 1.0f && got[1].len == 0);
    OK(nc_free_vlens(3, got));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

TEST(damaged_chunks)
{
    static const struct {
        const char *chunk;
        size_t      n;
    } cases[] = {
        {"", 0},                                                  /* nothing */
        {"\3\0\0\0", 4},                                          /* no item */
        {"\3\0\0\0\4\0\0\0\1\0\0\0\4\0\0\0", 16},                 /* an item ends beyond the chunk */
        {"\3\0\0\0\xff\xff\xff\xff\1\0\0\0\0\0\0\0\0\0\0\0", 20}, /* a length of 4 GiB */
        {"\3\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0", 19},           /* three bytes are no int */
        {"\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0", 16},         /* another number of items */
        {"\2\0\0\0\0\0\0\0\0\0\0\0", 12},                         /* too few */
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        nczarr_map *map;
        nc_vlen_t   got[3];
        int         ncid = open_foreign(&map, "<i4", "null", cases[i].chunk, cases[i].n);

        FAILS(NC_EFILTER, nc_get_var(ncid, 0, got));
        assert_non_null(strstr(nczarr_errmsg(), "v/0"));
        for (size_t k = 0; k < 3; k++)
            assert_null(got[k].p);
        OK(nc_close(ncid));
        OK(nczarr_map_close(map));
    }
}

/* A definition that does not suit what is stored is not used. */
TEST(wrong_types)
{
    static const char attrs[] = "{\"_nczarr_array\": {\"dimension_references\": [\"/x\"], \"storage\": \"chunked\", "
                                "\"type\": \"/%s\"}}",
                      array[] = "{\"zarr_format\": 2, \"shape\": [1], \"chunks\": [1], \"dtype\": \"|O\", "
                                "\"compressor\": null, \"filters\": [{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}], "
                                "\"order\": \"C\", \"fill_value\": null}",
                      group[] =
                          "{\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": {\"dimensions\": "
                          "{\"x\": 1}, \"arrays\": [\"v\"], \"groups\": [], \"types\": {\"a\": {\"class\": "
                          "\"vlen\", \"base\": \"int\"}, \"b\": {\"class\": \"vlen\", \"base\": \"double\"}, "
                          "\"c\": {\"class\": \"opaque\", \"size\": 4}, \"d\": {\"class\": \"vlen\", \"base\": "
                          "\"string\"}}}}";

    for (const char *type = "abcde"; *type != '\0'; type++) {
        nczarr_map *map;
        char        text[200], name[2] = {*type, '\0'};
        nc_vlen_t   got;
        nc_type     t;
        int         ncid;

        snprintf(text, sizeof text, attrs, name);
        OK(nczarr_map_memory(&map));
        OK(zmap_put(map, ".zgroup", "{\"zarr_format\": 2}", 18));
        OK(zmap_put(map, ".zattrs", group, sizeof group - 1));
        OK(zmap_put(map, "v/.zarray", array, sizeof array - 1));
        OK(zmap_put(map, "v/.zattrs", text, strlen(text)));
        OK(zmap_put(map, "v/0", "\1\0\0\0\4\0\0\0\7\0\0\0", 12));
        OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_vartype(ncid, 0, &t));
        if (*type == 'a') {
            OK(nc_get_var(ncid, 0, &got));
            assert_true(got.len == 1 && *(int *)got.p == 7);
            OK(nc_free_vlen(&got));
        } else {
            char *s;

            assert_int_equal(t, NC_STRING);
            OK(nc_get_var_string(ncid, 0, &s));
            assert_string_equal(s, "[7]");
            OK(nc_free_string(1, &s));
        }
        OK(nc_close(ncid));
        OK(nczarr_map_close(map));
    }
}

/* ---- memory that runs out at every allocation in turn --------------------------------------------------------- */

static int
put_some(int ncid)
{
    nc_vlen_t rows[8], fill = {.len = 1, .p = (int[]){-1}};
    int       numbers[8][3], rc, x, v;
    nc_type   t;

    make_rows(rows, numbers, 8);
    TRY(nc_def_dim(ncid, "x", 8, &x));
    TRY(nc_def_vlen(ncid, "row", NC_INT, &t));
    TRY(nc_def_var(ncid, "v", t, 1, &x, &v));
    TRY(nc_def_var_fill(ncid, v, 0, &fill));
    TRY(nc_put_vara(ncid, v, (size_t[]){0}, (size_t[]){4}, rows));
    TRY(nc_put_var1(ncid, v, (size_t[]){6}, &rows[6]));
done:
    return rc;
}

static int
put_and_get(place *p, const char *mode)
{
    nc_vlen_t back[8];
    int       ncid, rc, closed;

    if ((rc = place_create(p, mode, NC_CLOBBER, &ncid)) != NC_NOERR)
        return rc;
    rc = put_some(ncid);
    closed = nc_close(ncid);
    if (rc != NC_NOERR || (rc = closed) != NC_NOERR || (rc = place_open(p, NULL, NC_NOWRITE, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_get_var(ncid, 0, back));
    assert_row(&back[3], 3);
    assert_row(&back[6], 6);
    assert_true(back[7].len == 1 && *(int *)back[7].p == -1);
    OK(nc_free_vlens(8, back));
done:
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

TEST(no_memory)
{
    use_without_memory(put_and_get, modes, 2);
}
