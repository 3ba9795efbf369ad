/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of Zarr v3 whose chunks differ in length, made here byte by byte: read, and refused where only regular grids
 * are known. */
#include "api_test.h"
#include "support/scratch.h"

#define NY 7
#define NX 5

static const size_t ys[] = {2, 4, 3}, xs[] = {1, 3, 1}; /* the last of y passes the end */

static char *dir;

static void
write_text(const char *name, const char *text)
{
    scratch_write(scratch_path(dir, name), text, strlen(text));
}

static void
write_array(const char *name, const char *grid, const char *type, const char *fill, const char *codecs)
{
    char path[64], text[1024];

    assert_int_equal(mkdir(scratch_path(dir, name), 0777), 0);
    snprintf(path, sizeof path, "%s/zarr.json", name);
    snprintf(
        text, sizeof text,
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [%d, %d], \"data_type\": \"%s\", \"chunk_grid\": "
        "{\"name\": \"rectilinear\", \"configuration\": {%s}}, \"chunk_key_encoding\": {\"name\": \"default\", "
        "\"configuration\": {\"separator\": \".\"}}, \"fill_value\": %s, \"codecs\": [%s], \"dimension_names\": "
        "[\"y\", "
        "\"x\"]}",
        NY, NX, type, grid, fill, codecs);
    write_text(path, text);
}

#define GRID  "\"kind\": \"inline\", \"chunk_shapes\": [[2, 4, 3], [1, 3, [1, 1]]]"
#define BYTES "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"

static void
write_chunk(const char *array, size_t i, size_t j, const void *data, size_t n)
{
    char path[64];

    snprintf(path, sizeof path, "%s/c.%zu.%zu", array, i, j);
    scratch_write(scratch_path(dir, path), data, n);
}

/* Element (y, x) is 10 y + x. Chunk (1, 1) is missing. */
static void
write_numbers(const char *array)
{
    for (size_t i = 0, y0 = 0; i < 3; y0 += ys[i++])
        for (size_t j = 0, x0 = 0; j < 3; x0 += xs[j++]) {
            unsigned char bytes[64];
            size_t        n = 0;

            if (i == 1 && j == 1)
                continue;
            for (size_t y = y0; y < y0 + ys[i]; y++)
                for (size_t x = x0; x < x0 + xs[j]; x++, n += 2) {
                    bytes[n] = (unsigned char)(10 * y + x);
                    bytes[n + 1] = 0;
                }
            write_chunk(array, i, j, bytes, n);
        }
}

#define SHARD_GRID "\"kind\": \"inline\", \"chunk_shapes\": [[2, 4, 2], [1, 3, [1, 1]]]"
#define SHARDS                                                                                                       \
    "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 1], \"codecs\": [" BYTES              \
    "], \"index_codecs\": [" BYTES "], \"index_location\": \"end\"}}"

static void
put64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

/* The same elements, in shards that have 1 to 6 chunks of 2 x 1. Shard (1, 1) is missing. */
static void
write_shards(const char *array)
{
    static const size_t rows[] = {2, 4, 2};

    for (size_t i = 0, y0 = 0; i < 3; y0 += rows[i++])
        for (size_t j = 0, x0 = 0; j < 3; x0 += xs[j++]) {
            unsigned char bytes[6 * 4 + 6 * 16];
            size_t        nchunks = rows[i] / 2 * xs[j];

            if (i == 1 && j == 1)
                continue;
            for (size_t k = 0; k < nchunks; k++) {
                for (size_t y = 0; y < 2; y++) {
                    bytes[4 * k + 2 * y] = (unsigned char)(10 * (y0 + k / xs[j] * 2 + y) + x0 + k % xs[j]);
                    bytes[4 * k + 2 * y + 1] = 0;
                }
                put64(bytes + 4 * nchunks + 16 * k, 4 * k);
                put64(bytes + 4 * nchunks + 16 * k + 8, 4);
            }
            write_chunk(array, i, j, bytes, 20 * nchunks);
        }
}

static int
value_at(size_t y, size_t x)
{
    return y >= 2 && y < 6 && x >= 1 && x < 4 ? -7 : (int)(10 * y + x);
}

static int
setup(void **state)
{
    (void)state;
    dir = scratch_new();
    write_text("zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\"}");
    write_array("v", GRID, "int16", "-7", BYTES);
    write_numbers("v");
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    scratch_free(dir);
    return 0;
}

static int
open_var(const char *name, int mode, int *varid)
{
    int ncid;

    OK(nc_open(dir, mode, &ncid));
    OK(nc_inq_varid(ncid, name, varid));
    return ncid;
}

static void
check_all_selections(const char *name)
{
    int varid, ncid = open_var(name, NC_NOWRITE, &varid);

    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            for (size_t sy = 1; sy <= 3; sy++)
                for (size_t sx = 1; sx <= 2; sx++) {
                    const size_t    start[] = {y, x}, count[] = {(NY - y - 1) / sy + 1, (NX - x - 1) / sx + 1};
                    const ptrdiff_t stride[] = {(ptrdiff_t)sy, (ptrdiff_t)sx}, turned[] = {1, (ptrdiff_t)count[0]};
                    int             rows[NY * NX], columns[NY * NX];

                    OK(nc_get_vars_int(ncid, varid, start, count, stride, rows));
                    OK(nc_get_varm_int(ncid, varid, start, count, stride, turned, columns));
                    for (size_t i = 0; i < count[0]; i++)
                        for (size_t k = 0; k < count[1]; k++) {
                            assert_int_equal(rows[i * count[1] + k], value_at(y + i * sy, x + k * sx));
                            assert_int_equal(columns[k * count[0] + i], value_at(y + i * sy, x + k * sx));
                        }
                }
    OK(nc_close(ncid));
}

TEST_WITH(all_selections_read_right, setup, teardown)
{
    check_all_selections("v");
}

/* Shards that differ in length; their chunks do not. */
TEST_WITH(shards_may_differ_in_length, setup, teardown)
{
    const size_t  where[] = {2, 4}, near[] = {3, 0};
    int           ncid, varid, value;
    unsigned char bytes[2 * 4 + 2 * 16] = {20, 0};

    write_array("s", SHARD_GRID, "int16", "-7", SHARDS);
    write_shards("s");
    check_all_selections("s");
    put64(bytes + 8 + 8, 4); /* the first chunk is there, and the entry of the second is damaged */
    write_chunk("s", 1, 2, bytes, sizeof bytes);
    write_chunk("s", 1, 0, bytes, 30); /* shorter than its index */
    ncid = open_var("s", NC_NOWRITE, &varid);
    OK(nc_get_var1_int(ncid, varid, where, &value));
    assert_int_equal(value, 20);
    FAILS(NC_EFILTER, nc_get_var1_int(ncid, varid, (const size_t[]){4, 4}, &value));
    assert_non_null(strstr(nczarr_errmsg(), "s/c.1.2: the index is damaged at chunk 1"));
    FAILS(NC_EFILTER, nc_get_var1_int(ncid, varid, near, &value));
    assert_non_null(strstr(nczarr_errmsg(), "s/c.1.0: 30 bytes, but its index alone has 32"));
    OK(nc_close(ncid));
}

TEST_WITH(a_bad_chunk_spoils_its_own_elements, setup, teardown)
{
    int    varid, ncid, values[NY * NX];
    size_t at[] = {0, 1};

    write_chunk("v", 1, 0, "cut", 3);
    ncid = open_var("v", NC_NOWRITE, &varid);
    FAILS(NC_ETRUNC, nc_get_var_int(ncid, varid, values));
    assert_non_null(strstr(nczarr_errmsg(), "v/c.1.0"));
    assert_int_equal(values[NX * NY - 1], value_at(NY - 1, NX - 1)); /* what is after it was delivered */
    OK(nc_get_var1_int(ncid, varid, at, values));
    assert_int_equal(values[0], 1);
    OK(nc_close(ncid));
}

TEST_WITH(values_out_of_range_are_all_converted, setup, teardown)
{
    int         varid, ncid;
    signed char bytes[NY * NX];
    const char  big[] = {0, 1, 0, 1};

    write_chunk("v", 0, 0, big, sizeof big);
    ncid = open_var("v", NC_NOWRITE, &varid);
    RC(NC_ERANGE, nc_get_var_schar(ncid, varid, bytes));
    assert_int_equal(bytes[NX * NY - 1], value_at(NY - 1, NX - 1));
    OK(nc_close(ncid));
}

TEST_WITH(strings_lie_in_chunks_of_any_length, setup, teardown)
{
    static const char one[] = "\1\0\0\0\1\0\0\0a", two[] = "\2\0\0\0\2\0\0\0bc\0\0\0\0";
    char             *text[NY * NX];
    int               varid, ncid;

    write_array("s", "\"kind\": \"inline\", \"chunk_shapes\": [[1, 2, [2, 2]], 5]", "string", "\"-\"",
                "{\"name\": \"vlen-utf8\"}");
    write_array("t", "\"kind\": \"inline\", \"chunk_shapes\": [7, [1, [2, 2]]]", "string", "\"-\"",
                "{\"name\": \"vlen-utf8\"}");
    ncid = open_var("s", NC_NOWRITE, &varid);
    OK(nc_get_var_string(ncid, varid, text));
    for (size_t i = 0; i < NY * NX; i++)
        assert_string_equal(text[i], "-");
    OK(nc_free_string(NY * NX, text));
    OK(nc_close(ncid));
    write_chunk("s", 0, 0, one, sizeof one - 1); /* one string where five are wanted */
    write_chunk("s", 1, 0, two, sizeof two - 1);
    ncid = open_var("s", NC_NOWRITE, &varid);
    FAILS(NC_EFILTER, nc_get_var_string(ncid, varid, text));
    for (size_t i = 0; i < NY * NX; i++)
        assert_null(text[i]);
    OK(nc_close(ncid));
}

/* After a failed read nothing of the parts that were read is left: the leak checker sees it. */
TEST_WITH(a_failed_read_of_sequences_leaks_nothing, setup, teardown)
{
    static const char pair[] = "\2\0\0\0\4\0\0\0\1\0\0\0\4\0\0\0\2\0\0\0", bad[] = "\1\0";
    nc_vlen_t         got[NY * NX], *all = malloc(NY * NX * sizeof *all);
    int               varid, ncid;

    assert_non_null(all);
    write_array("q", "\"kind\": \"inline\", \"chunk_shapes\": [[1, 2, [2, 2]], [2, 3]]", "variable_length_bytes",
                "\"\"", "{\"name\": \"numcodecs.vlen-array\", \"configuration\": {\"dtype\": \"<i4\"}}");
    write_chunk("q", 0, 0, pair, sizeof pair - 1);
    ncid = open_var("q", NC_NOWRITE, &varid);
    OK(nc_get_var(ncid, varid, all));
    assert_true(all[1].len == 1 && *(int *)all[1].p == 2 && all[NX].len == 0);
    OK(nc_reclaim_data_all(ncid, NC_FIRSTUSERTYPEID, all, NY * NX));
    OK(nc_close(ncid));
    write_chunk("q", 1, 0, bad, sizeof bad - 1);
    ncid = open_var("q", NC_NOWRITE, &varid);
    memset(got, 0xAA, sizeof got);
    FAILS(NC_EFILTER, nc_get_var(ncid, varid, got));
    for (size_t i = 0; i < NY * NX; i++)
        assert_true(got[i].len == 0 && got[i].p == NULL);
    OK(nc_close(ncid));
}

/* Marks the chunk in arg[3][3]. */
static int
mark_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    char want[16];

    snprintf(want, sizeof want, "v/c.%zu.%zu", index[0], index[1]);
    assert_string_equal(key, want);
    assert_true(index[0] < 3 && index[1] < 3);
    assert_true(offset == 0 && length == NCZARR_MAP_WHOLE);
    ((int *)arg)[index[0] * 3 + index[1]]++;
    return 0;
}

TEST_WITH(stored_chunks_are_listed, setup, teardown)
{
    static const int all_but_one[9] = {1, 1, 1, 1, 0, 1, 1, 1, 1};
    const size_t     last[] = {2, 2}, below[] = {3, 0}, beside[] = {0, 3};
    int              varid, ncid, seen[9] = {0};
    size_t           n = 0, lengths[3];
    char             key[16];

    write_chunk("v", 3, 0, "", 0); /* not in the grid */
    ncid = open_var("v", NC_NOWRITE, &varid);
    OK(nczarr_list_var_chunks(ncid, varid, mark_chunk, seen));
    assert_memory_equal(seen, all_but_one, sizeof seen);
    OK(nczarr_inq_var_chunk_key(ncid, varid, last, NULL, key, NULL, NULL));
    assert_string_equal(key, "v/c.2.2");
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_key(ncid, varid, below, NULL, key, NULL, NULL));
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_key(ncid, varid, beside, NULL, key, NULL, NULL));
    OK(nczarr_inq_var_chunk_lengths(ncid, varid, 0, &n, lengths));
    assert_int_equal(n, 3);
    assert_memory_equal(lengths, ys, sizeof ys);
    OK(nczarr_inq_var_chunk_lengths(ncid, varid, 1, NULL, lengths));
    assert_memory_equal(lengths, xs, sizeof xs);
    OK(nczarr_inq_var_chunk_lengths(ncid, varid, 1, NULL, NULL));
    FAILS(NC_EINVAL, nczarr_inq_var_chunk_lengths(ncid, varid, 2, &n, NULL));
    FAILS(NC_EINVAL, nczarr_inq_var_chunk_lengths(ncid, varid, -1, &n, NULL));
    FAILS(NC_ENOTVAR, nczarr_inq_var_chunk_lengths(ncid, 99, 0, &n, NULL));
    OK(nc_close(ncid));
    scratch_remove(scratch_path(dir, "v/c.3.0"));
}

/* What is seen of the chunks of shards: the row and the column of the array's elements, in 2 x 1. */
typedef struct seen_chunks {
    int    ncid, varid, n;
    bool   there[4][6];
    size_t rows, columns;
} seen_chunks;

static int
mark_inner(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    seen_chunks       *s = arg;
    unsigned long long at = 0, nbytes = 0;
    char               same[16];

    assert_true(index[0] < s->rows && index[1] < s->columns && !s->there[index[0]][index[1]]);
    assert_int_equal(length, 4);
    OK(nczarr_inq_var_chunk_key(s->ncid, s->varid, index, NULL, same, &at, &nbytes));
    assert_string_equal(same, key);
    assert_true(at == offset && nbytes == length);
    s->there[index[0]][index[1]] = true;
    s->n++;
    return 0;
}

TEST_WITH(chunks_of_shards_are_listed, setup, teardown)
{
    /* The shard that holds each row and each column of chunks, and the chunk's place in it. */
    static const size_t row[] = {0, 1, 1, 2}, in_row[] = {0, 0, 1, 0}, column[] = {0, 1, 1, 1, 2},
                        in_column[] = {0, 0, 1, 2, 0};
    seen_chunks s = {.rows = 4, .columns = 5};
    size_t      n = 0, lengths[8];

    write_array("s", SHARD_GRID, "int16", "-7", SHARDS);
    write_shards("s");
    write_chunk("s", 3, 0, "", 0); /* not in the grid */
    s.ncid = open_var("s", NC_NOWRITE, &s.varid);
    OK(nczarr_inq_var_chunk_lengths(s.ncid, s.varid, 0, &n, lengths));
    assert_true(n == 4 && lengths[0] == 2 && lengths[3] == 2);
    OK(nczarr_inq_var_chunk_lengths(s.ncid, s.varid, 1, &n, lengths));
    assert_true(n == 5 && lengths[0] == 1 && lengths[4] == 1);
    OK(nczarr_list_var_chunks(s.ncid, s.varid, mark_inner, &s));
    for (size_t y = 0; y < 4; y++)
        for (size_t x = 0; x < 5; x++) {
            unsigned long long at = 99, nbytes = 99;
            char               key[16], want[16];

            assert_true(s.there[y][x] == (row[y] != 1 || column[x] != 1));
            OK(nczarr_inq_var_chunk_key(s.ncid, s.varid, (const size_t[]){y, x}, NULL, key, &at, &nbytes));
            snprintf(want, sizeof want, "s/c.%zu.%zu", row[y], column[x]);
            assert_string_equal(key, want);
            assert_true(nbytes == (s.there[y][x] ? 4 : 0));
            assert_true(!s.there[y][x] || at == 4 * (in_row[y] * xs[column[x]] + in_column[x]));
        }
    assert_int_equal(s.n, 20 - 6);
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_key(s.ncid, s.varid, (const size_t[]){4, 0}, NULL, NULL, NULL, NULL));
    OK(nc_close(s.ncid));
    write_chunk("s", 1, 0, "short", 5);
    s = (seen_chunks){.rows = 4, .columns = 5};
    s.ncid = open_var("s", NC_NOWRITE, &s.varid);
    FAILS(NC_EFILTER, nczarr_list_var_chunks(s.ncid, s.varid, mark_inner, &s));
    assert_int_equal(s.n, 0);
    OK(nc_close(s.ncid));
}

TEST(lengths_of_a_regular_grid)
{
    nczarr_map *map = NULL;
    int         ncid, dims[2], v;
    size_t      n = 0, lengths[3];

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 7, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){4, 3}));
    OK(nczarr_inq_var_chunk_lengths(ncid, v, 0, &n, lengths));
    assert_int_equal(n, 0);
    OK(nczarr_inq_var_chunk_lengths(ncid, v, 1, &n, lengths));
    assert_int_equal(n, 3);
    assert_true(lengths[0] == 3 && lengths[1] == 3 && lengths[2] == 3);
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

TEST_WITH(what_knows_regular_grids_alone_refuses, setup, teardown)
{
    const size_t zero[] = {0, 0};
    size_t       lengths[2], n = 1;
    int          varid, ncid = open_var("v", NC_WRITE, &varid), value = 1, storage;

    FAILS(NC_ENOTBUILT, nc_put_var1_int(ncid, varid, zero, &value));
    assert_non_null(strstr(nczarr_errmsg(), "rectilinear"));
    OK(nczarr_inq_var_encoding(ncid, varid, &n, NULL));
    assert_int_equal(n, 0);
    OK(nc_inq_var_chunking(ncid, varid, &storage, lengths));
    assert_int_equal(lengths[0], 4);
    assert_int_equal(lengths[1], 3);
    OK(nc_close(ncid));
}

TEST_WITH(equal_lengths_are_a_regular_grid, setup, teardown)
{
    const size_t zero[] = {0, 0};
    int          varid, ncid, value = 5;

    write_array("r", "\"kind\": \"inline\", \"chunk_shapes\": [[[4, 2]], 5]", "int16", "3", BYTES);
    ncid = open_var("r", NC_WRITE, &varid);
    OK(nc_put_var1_int(ncid, varid, zero, &value));
    OK(nc_close(ncid));
    assert_true(scratch_exists(scratch_path(dir, "r/c.0.0")));
    ncid = open_var("r", NC_NOWRITE, &varid);
    OK(nc_get_var1_int(ncid, varid, zero, &value));
    assert_int_equal(value, 5);
    OK(nc_close(ncid));
}

TEST_WITH(malformed_grids_spoil_their_variable_alone, setup, teardown)
{
    static const char *const bad[] = {
        "\"kind\": \"inline\"",
        "\"chunk_shapes\": [[2, 4, 3], [5]]",
        "\"kind\": \"other\", \"chunk_shapes\": [[2, 4, 3], [5]]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[2, 4, 3]]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[2, 4], [5]]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[2, 4, 0, 3], [5]]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[2, 4, -3], [5]]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[], 5]",
        "\"kind\": \"inline\", \"chunk_shapes\": [0, 5]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[[3, 2, 1], 3], 5]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[[3, 0], 8], 5]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[[9223372036854775807, 9223372036854775807], 8], 5]",
        "\"kind\": \"inline\", \"chunk_shapes\": [[2, \"5\"], 5]",
        "\"kind\": \"inline\", \"chunk_shapes\": {}",
    };
    int ncid, varid, value;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char         name[16];
        const size_t zero[] = {0, 0};

        snprintf(name, sizeof name, "bad%zu", i);
        write_array(name, bad[i], "int16", "3", BYTES);
        ncid = open_var(name, NC_NOWRITE, &varid);
        FAILS(NC_EZARRMETA, nc_get_var1_int(ncid, varid, zero, &value));
        assert_non_null(strstr(nczarr_errmsg(), "chunk_grid"));
        OK(nc_inq_varid(ncid, "v", &varid));
        OK(nc_get_var1_int(ncid, varid, zero, &value));
        OK(nc_close(ncid));
    }
}
