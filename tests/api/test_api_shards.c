/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards of Zarr v3 through the API: definitions, objects and ranges, growth, names, two writers, other dialects. */
#include "api_test.h"

static const char *const modes[] = {"mode=nczarr,v3", "mode=zarr,v3"};

static void
each_place(void (*run)(place *p, const char *mode))
{
    for (int memory = 0; memory < 2; memory++)
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            place p;

            place_make(&p, memory);
            run(&p, modes[m]);
            place_drop(&p);
        }
}

/* int v(t unlimited, x = 10), chunks of 2 x 3, shards of 8 x 6. */
static void
define(place *p, const char *mode, int *ncid, int *v)
{
    int dims[2];

    OK(place_create(p, mode, NC_CLOBBER, ncid));
    OK(nc_def_dim(*ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(*ncid, "x", 10, &dims[1]));
    OK(nc_def_var(*ncid, "v", NC_INT, 2, dims, v));
    OK(nc_def_var_chunking(*ncid, *v, NC_CHUNKED, (size_t[]){2, 3}));
    OK(nczarr_def_var_shards(*ncid, *v, (size_t[]){8, 6}));
    OK(nc_def_var_deflate(*ncid, *v, 0, 1, 3));
}

static void
put_rows(int ncid, int v, size_t from, size_t n)
{
    int row[10];

    for (size_t t = from; t < from + n; t++) {
        for (size_t x = 0; x < 10; x++)
            row[x] = (int)(t * 10 + x);
        OK(nc_put_vara_int(ncid, v, (size_t[]){t, 0}, (size_t[]){1, 10}, row));
    }
}

static void
expect_rows(int ncid, int v, size_t from, size_t n)
{
    int row[10];

    for (size_t t = from; t < from + n; t++) {
        OK(nc_get_vara_int(ncid, v, (size_t[]){t, 0}, (size_t[]){1, 10}, row));
        for (size_t x = 0; x < 10; x++)
            assert_int_equal(row[x], (int)(t * 10 + x));
    }
}

/* ---- definitions ---- */

static void
definitions_on(place *p, const char *mode)
{
    size_t shard[2] = {0}, chunk[2];
    int    ncid, v, s, w, dim, sharded = -1;

    define(p, mode, &ncid, &v);
    OK(nczarr_inq_var_shards(ncid, v, &sharded, shard));
    assert_true(sharded == 1 && shard[0] == 8 && shard[1] == 6);
    OK(nc_inq_var_chunking(ncid, v, NULL, chunk));
    assert_true(chunk[0] == 2 && chunk[1] == 3);
    /* what does not fit changes nothing */
    FAILS(NC_EBADCHUNK, nczarr_def_var_shards(ncid, v, (size_t[]){8, 7}));
    assert_non_null(strstr(nczarr_errmsg(), "dimension x"));
    FAILS(NC_EBADCHUNK, nczarr_def_var_shards(ncid, v, (size_t[]){0, 6}));
    FAILS(NC_EBADCHUNK, nczarr_def_var_shards(ncid, v,
                                              (size_t[]){(size_t)1 << (sizeof(size_t) == 8 ? 40 : 28),
                                                         (size_t)3 << (sizeof(size_t) == 8 ? 30 : 28)}));
    FAILS(NC_EBADCHUNK, nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){3, 3}));
    OK(nczarr_inq_var_shards(ncid, v, NULL, shard));
    assert_true(shard[0] == 8 && shard[1] == 6);
    OK(nc_inq_var_chunking(ncid, v, NULL, chunk));
    assert_true(chunk[0] == 2 && chunk[1] == 3);
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){4, 2})); /* another multiple */
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 3}));

    OK(nc_def_var(ncid, "s", NC_INT, 0, NULL, &s));
    FAILS(NC_EINVAL, nczarr_def_var_shards(ncid, s, (size_t[]){1}));
    OK(nczarr_inq_var_shards(ncid, s, &sharded, shard));
    assert_int_equal(sharded, 0);

    OK(nc_inq_dimid(ncid, "x", &dim));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &w));
    OK(nc_def_var_chunking(ncid, w, NC_CHUNKED, (size_t[]){4}));
    OK(nczarr_def_var_shards(ncid, w, (size_t[]){40})); /* beyond the dimension */
    OK(nczarr_def_var_shards(ncid, w, NULL));
    OK(nczarr_inq_var_shards(ncid, w, &sharded, NULL));
    assert_int_equal(sharded, 0);
    OK(nczarr_def_var_shards(ncid, w, (size_t[]){8}));
    OK(nczarr_def_var_shards(ncid, w, (size_t[]){0})); /* the same as none */
    OK(nczarr_inq_var_shards(ncid, w, &sharded, NULL));
    assert_int_equal(sharded, 0);
    OK(nc_enddef(ncid));
    FAILS(NC_ELATEDEF, nczarr_def_var_shards(ncid, v, NULL));
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nczarr_inq_var_shards(ncid, v, &sharded, shard));
    assert_true(sharded == 1 && shard[0] == 8 && shard[1] == 6);
    FAILS(NC_EPERM, nczarr_def_var_shards(ncid, v, NULL));
    OK(nc_close(ncid));
}

TEST(shards_are_defined_and_inquired)
{
    each_place(definitions_on);
}

TEST(not_in_zarr_v2)
{
    place p;
    int   ncid, dim, v;

    place_make(&p, true);
    OK(place_create(&p, "mode=nczarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 10, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    FAILS(NC_EINVAL, nczarr_def_var_shards(ncid, v, (size_t[]){10}));
    assert_non_null(strstr(nczarr_errmsg(), "only Zarr v3 has shards"));
    OK(nczarr_def_var_shards(ncid, v, NULL));
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- objects and ranges ---- */

typedef struct seen {
    nczarr_map *map;
    int         n;
    bool        at[16][4];
} seen;

/* Each chunk is a range of its shard, and decodes alone. */
static int
see(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    seen         *s = arg;
    char          want[64];
    unsigned char bytes[200];

    snprintf(want, sizeof want, "v/c/%zu/%zu", index[0] / 4, index[1] / 2);
    assert_string_equal(key, want);
    assert_true(length > 2 && length < sizeof bytes);
    OK(nczarr_map_read(s->map, key, offset, (size_t)length, bytes));
    assert_int_equal(bytes[0], 0x1f); /* gzip */
    assert_int_equal(bytes[1], 0x8b);
    assert_false(s->at[index[0]][index[1]]);
    s->at[index[0]][index[1]] = true;
    s->n++;
    return 0;
}

static void
objects_on(place *p, const char *mode)
{
    unsigned long long offset, length;
    seen               s = {.n = 0};
    size_t             len = 0;
    char               key[64], text[1000];
    int                ncid, v;

    define(p, mode, &ncid, &v);
    put_rows(ncid, v, 0, 13);
    OK(nc_sync(ncid));
    OK(nczarr_inq_map(ncid, &s.map));
    OK(nczarr_list_var_chunks(ncid, v, see, &s));
    assert_int_equal(s.n, 7 * 4);
    OK(nczarr_inq_var_chunk_key(ncid, v, (size_t[]){5, 3}, &len, key, &offset, &length));
    assert_string_equal(key, "v/c/1/1");
    assert_true(length > 2 && length < 200);
    assert_int_equal(len, strlen(key));
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_key(ncid, v, (size_t[]){7, 0}, NULL, key, NULL, NULL));
    OK(nczarr_inq_var_encoding(ncid, v, &len, NULL));
    assert_true(len < sizeof text);
    OK(nczarr_inq_var_encoding(ncid, v, NULL, text));
    assert_non_null(strstr(text, "\"shards\""));
    OK(nczarr_map_close(s.map));
    OK(nc_close(ncid));
}

TEST(a_shard_is_one_object)
{
    each_place(objects_on);
}

/* ---- growth, names, copies ---- */

static void
growth_on(place *p, const char *mode)
{
    int ncid, v, w, copy, row[10];

    if (strcmp(mode, "mode=zarr,v3") == 0) /* it records no unlimited dimension */
        return;
    define(p, mode, &ncid, &v);
    put_rows(ncid, v, 0, 3);
    OK(nc_close(ncid));
    for (size_t t = 3; t < 21; t += 3) { /* a session for each step: the last shard is read and stored again */
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &v));
        put_rows(ncid, v, t, 3);
        OK(nc_close(ncid));
    }
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    expect_rows(ncid, v, 0, 21);
    OK(nc_put_vara_int(ncid, v, (size_t[]){23, 0}, (size_t[]){1, 10}, (int[10]){0}));
    OK(nc_get_vara_int(ncid, v, (size_t[]){22, 0}, (size_t[]){1, 10}, row));
    assert_int_equal(row[9], NC_FILL_INT);
    OK(nc_rename_var(ncid, v, "w"));
    expect_rows(ncid, v, 0, 21);
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "w", &w));
    expect_rows(ncid, w, 0, 21);
    for (int v3 = 0; v3 < 2; v3++) {
        place  other;
        size_t shard[2];
        int    sharded = -1;

        place_make(&other, true);
        OK(place_create(&other, v3 ? mode : "mode=nczarr", NC_CLOBBER, &copy));
        OK(nc_copy_var(ncid, w, copy));
        OK(nc_inq_varid(copy, "w", &v));
        expect_rows(copy, v, 0, 21);
        OK(nczarr_inq_var_shards(copy, v, &sharded, shard));
        assert_int_equal(sharded, v3);
        OK(nc_close(copy));
        place_drop(&other);
    }
    OK(nc_close(ncid));
}

TEST(shards_grow_with_their_dimension)
{
    each_place(growth_on);
}

static nczarr_map *
map_of(place *p)
{
    nczarr_map *map = p->map;

    if (!p->memory)
        OK(nczarr_map_file(p->path, 0, &map));
    return map;
}

static void
documents(place *p, void *text[2], size_t len[2], bool put)
{
    static const char *const keys[] = {"zarr.json", "v/zarr.json"};
    nczarr_map              *map = map_of(p);

    for (int i = 0; i < 2; i++)
        if (put) {
            OK(nczarr_map_write(map, keys[i], len[i], text[i]));
            free(text[i]);
        } else {
            OK(nczarr_map_get(map, keys[i], &text[i], &len[i]));
        }
    if (!p->memory)
        OK(nczarr_map_close(map));
}

/* A writer dies after its shards are stored and before the new length is: what it left does not come back. */
static void
beyond_the_length_on(place *p, const char *mode)
{
    void  *text[2];
    size_t len[2];
    int    ncid, v, row[10];

    if (strcmp(mode, "mode=zarr,v3") == 0) /* it records no unlimited dimension */
        return;
    define(p, mode, &ncid, &v);
    put_rows(ncid, v, 0, 3);
    OK(nc_close(ncid));
    documents(p, text, len, false);
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    put_rows(ncid, v, 3, 20);
    OK(nc_close(ncid));
    documents(p, text, len, true);

    OK(place_open(p, NULL, NC_WRITE, &ncid));
    put_rows(ncid, v, 30, 1);
    for (int round = 0; round < 2; round++) {
        expect_rows(ncid, v, 0, 3);
        expect_rows(ncid, v, 30, 1);
        for (size_t t = 3; t < 30; t++) {
            OK(nc_get_vara_int(ncid, v, (size_t[]){t, 0}, (size_t[]){1, 10}, row));
            for (int x = 0; x < 10; x++)
                assert_int_equal(row[x], NC_FILL_INT);
        }
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    }
    OK(nc_close(ncid));
}

TEST(beyond_the_length)
{
    each_place(beyond_the_length_on);
}

/* ---- two writers ---- */

/* Two handles write different chunks of one shard of a map that checks versions: nothing is lost. */
TEST(two_writers)
{
    place p;
    int   one, two, v, w, row[10];

    place_make(&p, true);
    define(&p, "mode=nczarr,v3", &one, &v);
    put_rows(one, v, 0, 8);
    OK(nc_close(one));
    for (int round = 0; round < 8; round++) {
        OK(place_open(&p, NULL, NC_WRITE, &one));
        OK(place_open(&p, NULL, NC_WRITE, &two));
        OK(nc_inq_varid(one, "v", &v));
        OK(nc_inq_varid(two, "v", &w));
        expect_rows(one, v, 4, 1);
        expect_rows(two, w, 4, 1);
        for (int x = 0; x < 10; x++)
            row[x] = 1000 * (round + 1);
        OK(nc_put_vara_int(one, v, (size_t[]){0, 0}, (size_t[]){1, 10}, row));
        OK(nc_put_vara_int(two, w, (size_t[]){2, 0}, (size_t[]){1, 10}, row));
        OK(nc_close(one));
        OK(nc_close(two));
        OK(place_open(&p, NULL, NC_NOWRITE, &one));
        OK(nc_inq_varid(one, "v", &v));
        for (size_t t = 0; t < 4; t += 2) {
            OK(nc_get_vara_int(one, v, (size_t[]){t, 0}, (size_t[]){1, 10}, row));
            assert_true(row[0] == 1000 * (round + 1) && row[9] == row[0]);
        }
        expect_rows(one, v, 4, 4);
        OK(nc_close(one));
    }
    place_drop(&p);
}
