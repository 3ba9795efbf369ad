/* SPDX-License-Identifier: BSD-3-Clause */
/* A variable's chunks as objects: keys, what is stored, how bytes come about; moving chunks from map to map; and the
 * definitions that this needs: dimensions that grow without data, widths of strings, whole chains of codecs. */
#include "api_test.h"
#include "support/failing_alloc.h"
#include "nczarr_filter.h"

#include <math.h>

typedef struct seen {
    int  n, stop_at;
    bool flat; /* fewer than two numbers in an index */
    bool at[4][4];
    char last[64];
} seen;

static int
see(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    seen *s = arg;

    assert_true(offset == 0 && length == NCZARR_MAP_WHOLE);
    s->n++;
    if (!s->flat && index[0] < 4 && index[1] < 4)
        s->at[index[0]][index[1]] = true;
    snprintf(s->last, sizeof s->last, "%s", key);
    return s->n == s->stop_at ? 77 : 0;
}

static void
text_of(int ncid, int varid, char *text, size_t size)
{
    size_t len = 0;

    OK(nczarr_inq_var_encoding(ncid, varid, &len, NULL));
    assert_true(len < size);
    OK(nczarr_inq_var_encoding(ncid, varid, NULL, text));
    assert_int_equal(strlen(text), len);
}

static void
key_is(int ncid, int varid, size_t i, size_t j, const char *want)
{
    unsigned long long offset = 99, length = 99;
    char               key[64];
    size_t             len = 0;

    OK(nczarr_inq_var_chunk_key(ncid, varid, (size_t[]){i, j}, &len, key, &offset, &length));
    assert_true(offset == 0 && length == NCZARR_MAP_WHOLE); /* an object of its own */
    assert_string_equal(key, want);
    assert_int_equal(len, strlen(want));
}

/* int v(7, 10) in chunks of 2 x 4, of which three have data; a scalar; a group with a variable. */
static void
make(place *p, const char *mode, int *ncid, int *v)
{
    const int row[4] = {1, 2, 3, 4}, one = 5;
    int       dims[2], s, grp, w;

    OK(place_create(p, mode, NC_CLOBBER, ncid));
    OK(nc_def_dim(*ncid, "y", 7, &dims[0]));
    OK(nc_def_dim(*ncid, "x", 10, &dims[1]));
    OK(nc_def_var(*ncid, "v", NC_INT, 2, dims, v));
    OK(nc_def_var_chunking(*ncid, *v, NC_CHUNKED, (size_t[]){2, 4}));
    OK(nc_def_var_deflate(*ncid, *v, 1, 1, 3));
    OK(nc_def_var(*ncid, "s", NC_INT, 0, NULL, &s));
    OK(nc_def_grp(*ncid, "g", &grp));
    OK(nc_def_var(grp, "w", NC_INT, 1, dims, &w));
    OK(nc_put_vara_int(*ncid, *v, (size_t[]){0, 0}, (size_t[]){1, 4}, row));
    OK(nc_put_vara_int(*ncid, *v, (size_t[]){2, 8}, (size_t[]){2, 2}, row));
    OK(nc_put_vara_int(*ncid, *v, (size_t[]){6, 4}, (size_t[]){1, 4}, row));
    OK(nc_put_var_int(*ncid, s, &one));
}

TEST_IN_EACH_PLACE(chunks_have_the_keys_that_are_told)
{
    seen        a = {.n = 0};
    nczarr_map *map = NULL;
    size_t      len = 0;
    int         ncid, v, s, grp, w;

    make(p, NULL, &ncid, &v);
    OK(nc_inq_varid(ncid, "s", &s));
    OK(nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_inq_varid(grp, "w", &w));
    OK(nc_sync(ncid));
    key_is(ncid, v, 0, 0, "v/0.0");
    key_is(ncid, v, 3, 2, "v/3.2"); /* there or not */
    OK(nczarr_inq_var_chunk_key(ncid, s, NULL, &len, NULL, NULL, NULL));
    assert_int_equal(len, 3); /* "s/0" */
    OK(nczarr_inq_var_chunk_key(grp, w, (size_t[]){0}, &len, NULL, NULL, NULL));
    assert_int_equal(len, strlen("g/w/0"));
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_key(ncid, v, (size_t[]){4, 0}, &len, NULL, NULL, NULL));
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_key(ncid, v, (size_t[]){0, SIZE_MAX}, &len, NULL, NULL, NULL));
    FAILS(NC_EINVAL, nczarr_inq_var_chunk_key(ncid, v, NULL, &len, NULL, NULL, NULL));
    FAILS(NC_ENOTVAR, nczarr_inq_var_chunk_key(ncid, 9, (size_t[]){0, 0}, &len, NULL, NULL, NULL));
    FAILS(NC_EBADID, nczarr_inq_var_chunk_key(1234567, 0, (size_t[]){0, 0}, &len, NULL, NULL, NULL));

    OK(nczarr_list_var_chunks(ncid, v, see, &a));
    assert_int_equal(a.n, 3);
    assert_true(a.at[0][0] && a.at[1][2] && a.at[3][1]);
    a = (seen){.stop_at = 2};
    assert_int_equal(nczarr_list_var_chunks(ncid, v, see, &a), 77);
    assert_int_equal(a.n, 2);
    a = (seen){.flat = true};
    OK(nczarr_list_var_chunks(ncid, s, see, &a));
    assert_true(a.n == 1 && strcmp(a.last, "s/0") == 0);
    OK(nczarr_list_var_chunks(grp, w, see, &a));
    assert_int_equal(a.n, 1); /* nothing was put there */
    FAILS(NC_EINVAL, nczarr_list_var_chunks(ncid, v, NULL, NULL));
    FAILS(NC_ENOTVAR, nczarr_list_var_chunks(ncid, -1, see, &a));

    /* What only looks like one of its chunks is none: another rank, beyond the shape, a number with zeros in front.
     */
    OK(nczarr_inq_map(ncid, &map));
    OK(nczarr_map_write(map, "v/0", 1, "x"));
    OK(nczarr_map_write(map, "v/9.9", 1, "x"));
    OK(nczarr_map_write(map, "v/00.1", 1, "x"));
    OK(nczarr_map_write(map, "v/0.1.1", 1, "x"));
    OK(nczarr_map_write(map, "v/99999999999999999999999.1", 1, "x"));
    a = (seen){.n = 0};
    OK(nczarr_list_var_chunks(ncid, v, see, &a));
    assert_int_equal(a.n, 3);
    FAILS(NC_EINVAL, nczarr_inq_map(ncid, NULL));
    OK(nc_close(ncid));
    OK(nczarr_map_exists(map, "v/0.0")); /* the program's own reference */
    OK(nczarr_map_close(map));
    FAILS(NC_EBADID, nczarr_inq_map(ncid, &map));
}

TEST_IN_EACH_PLACE(keys_have_the_separator_of_the_url)
{
    seen a = {.n = 0};
    int  ncid, v;

    make(p, "mode=nczarr&dimension_separator=/", &ncid, &v);
    OK(nc_sync(ncid));
    key_is(ncid, v, 3, 1, "v/3/1");
    OK(nczarr_list_var_chunks(ncid, v, see, &a));
    assert_true(a.n == 3 && a.at[0][0] && a.at[1][2] && a.at[3][1]);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(encodings_are_described_and_compared)
{
    char one[1000], two[1000];
    int  ncid, dims[2], v, w, s;

    make(p, NULL, &ncid, &v);
    text_of(ncid, v, one, sizeof one);
    assert_string_equal(one, "{\"type\": 4, \"dtype\": \"<i4\", \"order\": \"C\", \"chunks\": [2,4], "
                             "\"fill\": \"01000080\", \"codecs\": [{\"id\": \"shuffle\", \"elementsize\": 4},"
                             "{\"id\": \"zlib\", \"level\": 3}]}");
    OK(nc_inq_vardimid(ncid, v, dims));
    OK(nc_redef(ncid));
    OK(nc_def_var(ncid, "same", NC_INT, 2, dims, &w));
    OK(nc_def_var_chunking(ncid, w, NC_CHUNKED, (size_t[]){2, 4}));
    text_of(ncid, w, two, sizeof two);
    assert_string_not_equal(one, two);
    OK(nczarr_def_var_codecs(ncid, w,
                             "[{\"id\": \"shuffle\", \"elementsize\": 4}, {\"level\": 3, \"id\": \"zlib\"}]"));
    text_of(ncid, w, two, sizeof two);
    assert_string_equal(one, two);
    OK(nc_def_var_endian(ncid, w, NC_ENDIAN_BIG));
    text_of(ncid, w, two, sizeof two);
    assert_non_null(strstr(two, "\">i4\""));
    assert_non_null(strstr(two, "\"80000001\"")); /* the fill value as it is stored */
    OK(nc_def_var_fill(ncid, w, NC_NOFILL, NULL));
    text_of(ncid, w, two, sizeof two);
    assert_non_null(strstr(two, "\"fill\": null"));
    OK(nc_def_var(ncid, "str", NC_STRING, 1, dims, &s));
    OK(nczarr_def_var_strlen(ncid, s, 5));
    text_of(ncid, s, two, sizeof two);
    assert_non_null(strstr(two, "\"|S5\""));
    FAILS(NC_ENOTVAR, nczarr_inq_var_encoding(ncid, 99, NULL, NULL));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(codecs_of_a_chunk_are_checked)
{
    size_t n = 9;
    int    ncid, v, s;

    make(p, NULL, &ncid, &v);
    FAILS(NC_ELATEDEF, nczarr_def_var_codecs(ncid, v, "[]")); /* the data have made it final */
    OK(nc_redef(ncid));
    OK(nc_def_var(ncid, "n", NC_INT, 1, (int[]){0}, &v));
    OK(nc_def_var_deflate(ncid, v, 0, 1, 1));
    FAILS(NC_EINVAL, nczarr_def_var_codecs(ncid, v, NULL));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, v, "{\"id\": \"zlib\"}"));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, v, "[1]"));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, v, "[{\"id\": \"zlib\"}"));
    FAILS(NC_ENOFILTER, nczarr_def_var_codecs(ncid, v, "[{\"id\": \"nosuch\"}]"));
    OK(nc_inq_var_filter_ids(ncid, v, &n, NULL));
    assert_int_equal(n, 1); /* what failed changed nothing */
    OK(nczarr_def_var_codecs(ncid, v, "[]"));
    OK(nc_inq_var_filter_ids(ncid, v, &n, NULL));
    assert_int_equal(n, 0);
    OK(nc_def_var(ncid, "scalar", NC_INT, 0, NULL, &s));
    FAILS(NC_EINVAL, nc_def_var_deflate(ncid, s, 0, 1, 1)); /* netCDF's filters are for arrays only */
    OK(nczarr_def_var_codecs(ncid, s, "[{\"id\": \"zlib\", \"level\": 1}]"));
    OK(nc_put_var_int(ncid, s, &(int){5}));
    OK(nc_sync(ncid));
    OK(nc_get_var_int(ncid, s, &v));
    assert_int_equal(v, 5);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(string_widths_are_set_before_the_data)
{
    const char *in = "a string that is a little longer than it may be";
    char       *out = NULL;
    size_t      width = 0;
    int         ncid, v, w, dim;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 1, &dim));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &dim, &v));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &w));
    OK(nczarr_inq_var_strlen(ncid, v, &width));
    assert_int_equal(width, 128);
    FAILS(NC_EINVAL, nczarr_def_var_strlen(ncid, v, 0));
    FAILS(NC_EINVAL, nczarr_def_var_strlen(ncid, v, (size_t)-1));
    FAILS(NC_EBADTYPE, nczarr_def_var_strlen(ncid, w, 4));
    FAILS(NC_EBADTYPE, nczarr_inq_var_strlen(ncid, w, &width));
    OK(nczarr_def_var_strlen(ncid, v, 8));
    OK(nc_put_var_string(ncid, v, &in));
    FAILS(NC_ELATEDEF, nczarr_def_var_strlen(ncid, v, 9));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nczarr_inq_var_strlen(ncid, v, &width));
    assert_int_equal(width, 8);
    OK(nc_get_var_string(ncid, v, &out));
    assert_string_equal(out, "a string");
    OK(nc_free_string(1, &out));
    OK(nc_close(ncid));
}

/* Strings that a codec stores without a width. */
TEST_IN_EACH_PLACE(object_strings_are_copied_without_a_width)
{
    const char *in[] = {"a", "", "a string that is longer than a width would be"};
    char        text[1000], *out[3] = {NULL, NULL, NULL};
    size_t      width = 9;
    int         ncid, v, copy, dim, other;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &dim, &v));
    OK(nczarr_def_var_codecs(ncid, v, "[{\"id\": \"vlen-utf8\"}]"));
    OK(nczarr_inq_var_strlen(ncid, v, &width));
    assert_int_equal(width, 0);
    text_of(ncid, v, text, sizeof text);
    assert_non_null(strstr(text, "\"dtype\": \"|O"));
    assert_non_null(strstr(text, "\"codecs\": [{\"id\": \"vlen-utf8\"}]"));
    OK(nc_put_att_string(ncid, v, "_FillValue", 1, (const char *[]){"hi"}));
    text_of(ncid, v, text, sizeof text);
    assert_non_null(strstr(text, "\"fill\": \"6869\""));
    OK(nc_put_var_string(ncid, v, in));
    OK(nc_create("copy", NC_DISKLESS, &other));
    OK(nc_copy_var(ncid, v, other));
    OK(nc_inq_varid(other, "v", &copy));
    OK(nc_get_var_string(other, copy, out));
    assert_string_equal(out[2], in[2]);
    OK(nc_free_string(3, out));
    OK(nc_close(other));
    OK(nc_close(ncid));
}

/* nc_copy_var keeps long strings whole. */
TEST_IN_EACH_PLACE(copied_strings)
{
    char        long_one[400], *out = NULL;
    const char *in = long_one;
    int         from, to, v, w;

    memset(long_one, 'x', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    OK(nc_create("strings", NC_DISKLESS, &from));
    OK(nc_def_var(from, "v", NC_STRING, 0, NULL, &v));
    OK(nczarr_def_var_strlen(from, v, 500));
    OK(nc_put_var_string(from, v, &in));
    OK(place_create(p, NULL, NC_CLOBBER, &to));
    OK(nc_copy_var(from, v, to));
    OK(nc_inq_varid(to, "v", &w));
    OK(nc_get_var_string(to, w, &out));
    assert_string_equal(out, long_one);
    OK(nc_free_string(1, &out));
    OK(nc_close(from));
    OK(nc_close(to));
}

/* Of a variable without elements nc_copy_var copies the definition, whichever dimension is empty. */
TEST_IN_EACH_PLACE(copied_empty)
{
    int from, to, dims[3], ids[3], v, ndims;

    OK(nc_create("empty", NC_DISKLESS, &from));
    OK(nc_def_dim(from, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(from, "x", 3, &dims[1]));
    OK(nc_def_dim(from, "y", 2, &dims[2]));
    OK(nc_def_var(from, "first", NC_INT, 3, dims, &ids[0]));
    OK(nc_def_var(from, "middle", NC_INT, 3, (int[]){dims[1], dims[0], dims[2]}, &ids[1]));
    OK(nc_def_var(from, "last", NC_INT, 2, (int[]){dims[1], dims[0]}, &ids[2]));
    OK(place_create(p, NULL, NC_CLOBBER, &to));
    for (size_t i = 0; i < NCZ_LEN(ids); i++)
        OK(nc_copy_var(from, ids[i], to));
    OK(nc_inq_varid(to, "last", &v));
    OK(nc_inq_varndims(to, v, &ndims));
    assert_int_equal(ndims, 2);
    OK(nc_close(from));
    OK(nc_close(to));
}

TEST_IN_EACH_PLACE(dimensions_grow_and_never_shrink)
{
    size_t len = 0;
    int    ncid, t, x, v, got[6];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    OK(nc_def_dim(ncid, "x", 3, &x));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &t, &v));
    OK(nczarr_grow_dim(ncid, t, 6));
    OK(nczarr_grow_dim(ncid, t, 2)); /* never shorter */
    OK(nczarr_grow_dim(ncid, x, 3));
    FAILS(NC_EINVAL, nczarr_grow_dim(ncid, x, 4));
    FAILS(NC_EBADDIM, nczarr_grow_dim(ncid, 7, 4));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_dimlen(ncid, t, &len));
    assert_int_equal(len, 6);
    OK(nc_get_var_int(ncid, v, got));
    assert_int_equal(got[5], NC_FILL_INT);
    FAILS(NC_EPERM, nczarr_grow_dim(ncid, t, 9));
    OK(nc_close(ncid));
}

typedef struct mover {
    int         from, to, v, w;
    nczarr_map *in, *out;
} mover;

static int
move(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    mover *m = arg;
    char   other[64];
    void  *data = NULL;
    size_t len = 0;

    assert_true(offset == 0 && length == NCZARR_MAP_WHOLE);
    OK(nczarr_inq_var_chunk_key(m->to, m->w, index, NULL, other, NULL, NULL));
    OK(nczarr_map_get(m->in, key, &data, &len));
    OK(nczarr_map_write(m->out, other, len, data));
    free(data);
    return 0;
}

/* What the functions are for: chunks from one dataset into another, whose keys are spelled otherwise. */
TEST_IN_EACH_PLACE(chunks_move_to_other_keys_as_they_are)
{
    mover m = {.from = 0};
    place other;
    char  one[1000], two[1000];
    int   dims[2], in[70], out[70];

    place_make(&other, true);
    make(&other, NULL, &m.from, &m.v);
    OK(nc_close(m.from));
    OK(place_open(&other, NULL, NC_NOWRITE, &m.from));
    OK(nc_get_var_int(m.from, m.v, in));

    OK(place_create(p, "mode=nczarr&dimension_separator=/", NC_CLOBBER, &m.to));
    OK(nc_def_dim(m.to, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(m.to, "x", 10, &dims[1]));
    OK(nc_def_var(m.to, "w", NC_INT, 2, dims, &m.w));
    OK(nc_def_var_chunking(m.to, m.w, NC_CHUNKED, (size_t[]){2, 4}));
    OK(nc_def_var_deflate(m.to, m.w, 1, 1, 3));
    text_of(m.from, m.v, one, sizeof one);
    text_of(m.to, m.w, two, sizeof two);
    assert_string_equal(one, two);
    OK(nc_enddef(m.to));
    OK(nczarr_grow_dim(m.to, dims[0], 7));
    OK(nczarr_inq_map(m.from, &m.in));
    OK(nczarr_inq_map(m.to, &m.out));
    OK(nczarr_list_var_chunks(m.from, m.v, move, &m));
    OK(nczarr_map_close(m.in));
    OK(nczarr_map_close(m.out));
    OK(nc_close(m.from));
    OK(nc_close(m.to));
    OK(place_open(p, NULL, NC_NOWRITE, &m.to));
    OK(nc_get_var_int(m.to, m.w, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_close(m.to));
    place_drop(&other);
}

/* ---- memory that runs out ---- */

/* Each allocation fails once: an error, nothing leaked, and the same answer afterwards. */
TEST_IN_EACH_PLACE(out_of_memory)
{
    char   text[1000];
    size_t len;
    int    ncid, v;

    make(p, NULL, &ncid, &v);
    OK(nc_sync(ncid));
    for (int what = 0; what < 3; what++) {
        int rc = NC_ENOMEM;

        for (size_t n = 1; rc != NC_NOERR; n++) {
            seen a = {.n = 0};

            fail_allocation(n);
            if (what == 0)
                rc = nczarr_list_var_chunks(ncid, v, see, &a);
            else if (what == 1)
                rc = nczarr_inq_var_encoding(ncid, v, &len, text);
            else
                rc = nczarr_inq_var_chunk_key(ncid, v, (size_t[]){1, 2}, &len, text, NULL, NULL);
            fail_allocation(0);
            assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
            assert_true(n < 200);
            if (rc == NC_NOERR && what == 0)
                assert_int_equal(a.n, 3);
        }
    }
    assert_string_equal(text, "v/1.2");
    OK(nc_close(ncid));
}

/* ---- stored types that netCDF does not have ---- */

static const struct {
    const char *name, *dtype;
    nc_type     type;
    double      fill; /* of numbers, where nobody gave one */
} stored_types[] = {
    {"b", "|b1", NC_UBYTE, 0},
    {"h", "<f2", NC_FLOAT, NAN},
    {"hb", ">f2", NC_FLOAT, NAN},
    {"t", "<M8[ns]", NC_INT64, INT64_MIN},
    {"d", ">m8[10s]", NC_INT64, INT64_MIN},
    {"u", "<U3", NC_STRING, 0},
    {"ub", ">U3", NC_STRING, 0},
    {"s", "|S3", NC_STRING, 0},
    {"i", ">i4", NC_INT, NC_FILL_INT},
};

#define NTYPES (sizeof stored_types / sizeof *stored_types)

static void
put_types(int ncid, int dim)
{
    const char *texts[3] = {"abc", "", "x"};
    double      numbers[3] = {1, 0, 1};

    for (size_t i = 0; i < NTYPES; i++) {
        char text[16];
        int  v;

        OK(nc_def_var(ncid, stored_types[i].name, stored_types[i].type, 1, &dim, &v));
        OK(nczarr_def_var_dtype(ncid, v, stored_types[i].dtype));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){3}));
        OK(nczarr_inq_var_dtype(ncid, v, NULL, text));
        assert_string_equal(text, stored_types[i].dtype);
        if (stored_types[i].type == NC_STRING)
            OK(nc_put_vara_string(ncid, v, (size_t[]){0}, (size_t[]){3}, texts));
        else
            OK(nc_put_vara_double(ncid, v, (size_t[]){0}, (size_t[]){3}, numbers));
    }
}

static void
check_types(int ncid)
{
    for (size_t i = 0; i < NTYPES; i++) {
        char    text[16];
        char   *strings[4];
        double  numbers[4];
        size_t  len = 0;
        nc_type type;
        int     v, endian;

        OK(nc_inq_varid(ncid, stored_types[i].name, &v));
        OK(nc_inq_vartype(ncid, v, &type));
        assert_int_equal(type, stored_types[i].type);
        OK(nczarr_inq_var_dtype(ncid, v, &len, text));
        assert_string_equal(text, stored_types[i].dtype);
        assert_int_equal(len, strlen(text));
        OK(nc_inq_var_endian(ncid, v, &endian));
        assert_int_equal(endian == NC_ENDIAN_BIG, text[0] == '>');
        if (type == NC_STRING) {
            OK(nc_get_vara_string(ncid, v, (size_t[]){0}, (size_t[]){4}, strings));
            assert_string_equal(strings[0], "abc");
            assert_string_equal(strings[2], "x");
            OK(nc_free_string(4, strings));
            continue;
        }
        OK(nc_get_vara_double(ncid, v, (size_t[]){0}, (size_t[]){4}, numbers));
        for (size_t k = 0; k < 3; k++)
            assert_true(numbers[k] == (k == 1 ? 0 : 1));
        assert_true(numbers[3] == stored_types[i].fill || (isnan(numbers[3]) && isnan(stored_types[i].fill)));
    }
}

TEST_IN_EACH_PLACE(user_types_stay_when_documents_are_rewritten)
{
    static const char *const modes[] = {"mode=nczarr", "mode=zarr"};

    for (size_t m = 0; m < 2; m++) {
        char units[32] = "";
        int  ncid, dim, v;

        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 6, &dim));
        put_types(ncid, dim);
        OK(nc_close(ncid));
        for (int again = 0; again < 2; again++) { /* the second time after its documents were written once more */
            OK(place_open(p, "", again ? NC_NOWRITE : NC_WRITE, &ncid));
            check_types(ncid);
            OK(nc_inq_varid(ncid, "t", &v));
            OK(nc_get_att_text(ncid, v, "units", units));
            assert_string_equal(units, "nanoseconds since 1970-01-01");
            if (!again)
                OK(nc_put_att_text(ncid, v, "note", 1, "x"));
            OK(nc_close(ncid));
        }
    }
}

TEST_IN_EACH_PLACE(types_refused)
{
    int ncid, dim, b, i, f, c;

    OK(place_create(p, "mode=nczarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 6, &dim));
    OK(nc_def_var(ncid, "b", NC_UBYTE, 1, &dim, &b));
    OK(nc_def_var(ncid, "i", NC_INT, 1, &dim, &i));
    OK(nc_def_var(ncid, "f", NC_FLOAT, 1, &dim, &f));
    OK(nc_def_var(ncid, "c", NC_CHAR, 1, &dim, &c));
    FAILS(NC_EINVAL, nczarr_def_var_dtype(ncid, b, NULL));
    FAILS(NC_EINVAL, nczarr_def_var_dtype(ncid, b, ""));
    FAILS(NC_EINVAL, nczarr_def_var_dtype(ncid, b, "nonsense"));
    FAILS(NC_EBADTYPE, nczarr_def_var_dtype(ncid, b, "<i4"));
    FAILS(NC_EBADTYPE, nczarr_def_var_dtype(ncid, i, "|b1"));
    FAILS(NC_EBADTYPE, nczarr_def_var_dtype(ncid, i, "|O"));
    FAILS(NC_EBADTYPE, nczarr_def_var_dtype(ncid, f, "<c8"));
    FAILS(NC_EBADTYPE, nczarr_def_var_dtype(ncid, c, "<U1"));
    OK(nczarr_def_var_dtype(ncid, c, "|S1"));
    OK(nc_def_var_deflate(ncid, f, 1, 1, 1));
    FAILS(NC_EINVAL, nczarr_def_var_dtype(ncid, f, "<f2"));
    OK(nc_enddef(ncid));
    FAILS(NC_ELATEDEF, nczarr_def_var_dtype(ncid, b, "|b1"));
    FAILS(NC_ENOTVAR, nczarr_inq_var_dtype(ncid, 99, NULL, NULL));
    OK(nc_close(ncid));
    /* netCDF-C could not open such a dataset. */
    OK(place_create(p, "mode=nczarr&compat=4.9.2", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 6, &dim));
    OK(nc_def_var(ncid, "b", NC_UBYTE, 1, &dim, &b));
    FAILS(NC_EBADTYPE, nczarr_def_var_dtype(ncid, b, "|b1"));
    OK(nc_close(ncid));
}

/* A failed call changes nothing, and nothing leaks. */
TEST_IN_EACH_PLACE(types_without_memory)
{
    int ncid, dim;

    OK(place_create(p, "mode=nczarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 6, &dim));
    for (size_t i = 0; i < NTYPES; i++) {
        char before[16], after[16], more[8];
        int  v, rc = NC_ENOMEM;

        snprintf(more, sizeof more, "v%zu", i);
        OK(nc_def_var(ncid, more, stored_types[i].type, 1, &dim, &v));
        OK(nczarr_inq_var_dtype(ncid, v, NULL, before));
        for (size_t n = 1; rc != NC_NOERR; n++) {
            fail_allocation(n);
            rc = nczarr_def_var_dtype(ncid, v, stored_types[i].dtype);
            fail_allocation(0);
            assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
            OK(nczarr_inq_var_dtype(ncid, v, NULL, after));
            assert_string_equal(after, rc == NC_NOERR ? stored_types[i].dtype : before);
        }
    }
    OK(nc_close(ncid));
}

/* In Zarr v3 strings begin with a codec for any length, which a type of fixed width replaces. */
TEST(types_of_v3)
{
    char text[16];
    int  ncid, dim, v, w;

    OK(nc_create("v3types#mode=zarr,v3", NC_DISKLESS, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &dim, &v));
    OK(nczarr_inq_var_dtype(ncid, v, NULL, text));
    assert_string_equal(text, "|O");
    OK(nczarr_def_var_dtype(ncid, v, "|S3"));
    OK(nczarr_inq_var_dtype(ncid, v, NULL, text));
    assert_string_equal(text, "|S3");
    OK(nczarr_def_var_dtype(ncid, v, "<U3"));
    OK(nc_def_var_deflate(ncid, v, 0, 1, 1));
    OK(nczarr_inq_var_dtype(ncid, v, NULL, text));
    assert_string_equal(text, "<U3");
    OK(nc_def_var(ncid, "w", NC_STRING, 1, &dim, &w));
    OK(nc_def_var_deflate(ncid, w, 0, 1, 1));
    FAILS(NC_EINVAL, nczarr_def_var_dtype(ncid, w, "<U3"));
    OK(nc_close(ncid));
}

/* Of a classic file, whose records have the bytes of two variables. */
TEST(bytes_of_a_record)
{
    size_t             first[2] = {0, 0};
    unsigned long long row = 9, pitch = 9;
    int                ncid, dims[2], a, b, f;

    OK(nc_create("rows.nc", NC_DISKLESS | NC_64BIT_OFFSET, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 3, &dims[1]));
    OK(nc_def_var(ncid, "a", NC_SHORT, 2, dims, &a));
    OK(nc_def_var(ncid, "b", NC_DOUBLE, 1, dims, &b));
    OK(nc_def_var(ncid, "f", NC_INT, 1, &dims[1], &f));
    OK(nc_enddef(ncid));
    OK(nc_put_vara_int(ncid, a, first, (size_t[]){2, 3}, (int[]){1, 2, 3, 4, 5, 6}));
    OK(nczarr_inq_var_chunk_rows(ncid, a, first, &row, &pitch));
    assert_true(row == 6 && pitch == 16);
    OK(nczarr_inq_var_chunk_rows(ncid, b, first, &row, NULL));
    assert_true(row == 8);
    OK(nczarr_inq_var_chunk_rows(ncid, f, first, &row, &pitch));
    assert_true(row == 0 && pitch == 0);
    FAILS(NC_EINVAL, nczarr_inq_var_chunk_rows(ncid, a, NULL, NULL, NULL));
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_rows(ncid, f, (size_t[]){5}, NULL, NULL));
    OK(nc_close(ncid));
}
