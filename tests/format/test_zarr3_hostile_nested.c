/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile documents of Zarr v3, below the members that test_zarr3_hostile.c takes one by one: what describes shards and
 * grids of chunks that differ in length, members of groups, and lists without end. The dataset opens, the variable is
 * listed, its error names the document, and memory stays near the document's size.
 */
#include "fixture.h"

#include "format/zarr3/zarr3.h"

#define ARRAY                                                                                                        \
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [8, 8], \"data_type\": \"int16\", \"chunk_grid\": "   \
    "%s, "                                                                                                           \
    "\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 0, \"codecs\": %s, \"attributes\": %s}"
#define GROUP   "{\"zarr_format\": 3, \"node_type\": \"group\"}"
#define REGULAR "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4, 4]}}"
#define BYTES   "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CODECS  "[" BYTES "]"

/* Loads a dataset with that array. Returns the model, which has it. */
static ncz_model *
load_array(const char *grid, const char *codecs, const char *attributes)
{
    docmap     d = {.v = NULL};
    ncz_buf    text = NCZ_BUF_INIT;
    ncz_model *m;

    docmap_puts(&d, "zarr.json", GROUP);
    assert_int_equal(ncz_buf_printf(&text, ARRAY, grid, codecs, attributes), NC_NOERR);
    docmap_put(&d, "v/zarr.json", text.data, text.len);
    m = must_load(&d, NULL);
    (void)var_at(m, "v");
    ncz_buf_clear(&text);
    docmap_clear(&d);
    return m;
}

static void
check_refused(const char *grid, const char *codecs, const char *member)
{
    ncz_model     *m = load_array(grid, codecs, "{}");
    const ncz_err *why = var_at(m, "v")->spec->unusable;

    if (why->code == NC_NOERR || strstr(why->text, member) == NULL ||
        (why->code != NC_ENOFILTER && strstr(why->text, "v/zarr.json") == NULL))
        fail_msg("%.200s %.300s: %d %s", grid, codecs, why->code, why->text);
    ncz_model_free(m);
}

static const char *const wrong[] = {"null",
                                    "-1",
                                    "1.5",
                                    "1e400",
                                    "true",
                                    "\"x\"",
                                    "\"\"",
                                    "{}",
                                    "[]",
                                    "[[]]",
                                    "[null, 1]",
                                    "[1]",
                                    "[-1, 2]",
                                    "[0, 2]",
                                    "[2, 2, 2]",
                                    "[3, 3]",
                                    "[2, 9223372036854775808]",
                                    "[18446744073709551615, 1]",
                                    "[[2, 2], [2, 2]]",
                                    "[\"2\", \"2\"]",
                                    "{\"name\": \"bytes\"}",
                                    "[\"nobody-has-this\"]"};

TEST(members_of_shards)
{
    static const char *const names[] = {"chunk_shape", "codecs", "index_codecs", "index_location"};
    static const char *const right[] = {"[2, 2]", CODECS, CODECS, "\"end\""};

    for (size_t at = 0; at < NCZ_LEN(names); at++)
        for (size_t i = 0; i <= NCZ_LEN(wrong); i++) {
            ncz_buf text = NCZ_BUF_INIT;

            assert_int_equal(ncz_buf_puts(&text, "[{\"name\": \"sharding_indexed\", \"configuration\": {"), NC_NOERR);
            for (size_t k = 0, n = 0; k < NCZ_LEN(names); k++)
                if (k != at || i < NCZ_LEN(wrong)) /* else without it */
                    assert_int_equal(ncz_buf_printf(&text, "%s\"%s\": %s", n++ > 0 ? ", " : "", names[k],
                                                    k == at ? wrong[i] : right[k]),
                                     NC_NOERR);
            assert_int_equal(ncz_buf_puts(&text, "}}]"), NC_NOERR);
            if (at == 0 || (i < NCZ_LEN(wrong) && strcmp(wrong[i], "null") != 0)) {
                check_refused(REGULAR, text.data, "codec"); /* an unknown one keeps its name */
            } else {                                        /* the usual is meant */
                ncz_model *m = load_array(REGULAR, text.data, "{}");

                assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_NOERR);
                ncz_model_free(m);
            }
            ncz_buf_clear(&text);
        }
}

TEST(members_of_rectilinear_grids)
{
    static const char *const configurations[] = {
        "{}",
        "[]",
        "5",
        "null",
        "{\"kind\": \"inline\"}",
        "{\"chunk_shapes\": [4, 4]}",
        "{\"kind\": 5, \"chunk_shapes\": [4, 4]}",
        "{\"kind\": \"outline\", \"chunk_shapes\": [4, 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": 4}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [4, 4, 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [0, 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [-4, 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [1.5, 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [\"4\", 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[4, 3], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[4, 0, 4], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[4, null, 4], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[[4, 2, 1]], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[[4]], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[[4, -1]], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[[9223372036854775807, 9223372036854775807]], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[[18446744073709551615, 2]], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[18446744073709551615, 18446744073709551615], 4]}",
        "{\"kind\": \"inline\", \"chunk_shapes\": [[9223372036854775807, 1], [9223372036854775807, 1]]}",
    };
    char grid[256];

    for (size_t i = 0; i < NCZ_LEN(configurations); i++) {
        snprintf(grid, sizeof grid, "{\"name\": \"rectilinear\", \"configuration\": %s}", configurations[i]);
        check_refused(grid, CODECS, "chunk_grid");
    }
}

/* A list of `n` times the same item. */
static char *
repeat(const char *item, size_t n)
{
    ncz_buf text = NCZ_BUF_INIT;

    assert_int_equal(ncz_buf_puts(&text, "["), NC_NOERR);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ncz_buf_printf(&text, "%s%s", i > 0 ? "," : "", item), NC_NOERR);
    assert_int_equal(ncz_buf_puts(&text, "]"), NC_NOERR);
    return ncz_buf_take(&text);
}

/* Lists with tens of thousands of items, where a few are expected. */
TEST(long_lists)
{
    enum { MANY = 50000, A_DOCUMENT = 32 << 20 };
    char *codecs = repeat(BYTES, MANY), *numbers = repeat("1", MANY), *crcs = repeat("\"crc32c\"", MANY);
    char *grid = ncz_sprintf("{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": %s}}", numbers);
    char *uneven = ncz_sprintf(
        "{\"name\": \"rectilinear\", \"configuration\": {\"kind\": \"inline\", \"chunk_shapes\": %s}}", numbers);
    char *shard =
        ncz_sprintf("[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": %s, \"codecs\": "
                    "[\"bytes\"], \"index_codecs\": [\"bytes\"]}}]",
                    numbers);
    char *index = ncz_sprintf("[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 2], "
                              "\"codecs\": [\"bytes\"], \"index_codecs\": %s}}]",
                              crcs);

    assert_true(codecs != NULL && grid != NULL && uneven != NULL && shard != NULL && index != NULL);
    watch_allocations();
    check_refused(REGULAR, codecs, "codecs");
    check_refused(grid, CODECS, "chunk_grid");
    check_refused(uneven, CODECS, "chunk_grid");
    check_refused(REGULAR, shard, "codecs");
    check_refused(REGULAR, index, "codecs");
    assert_true(largest_allocation() < A_DOCUMENT);
    (void)end_failing();
    ncz_free(codecs);
    ncz_free(numbers);
    ncz_free(crcs);
    ncz_free(grid);
    ncz_free(uneven);
    ncz_free(shard);
    ncz_free(index);
}

/* Members of the root group: it opens with its variable, or its document is refused by name. */
TEST(members_of_groups)
{
    static const char *const names[] = {"zarr_format", "node_type", "attributes", "consolidated_metadata"};
    static const char *const right[] = {"3", "\"group\"", "{}", "null"};

    for (size_t at = 0; at < NCZ_LEN(names); at++)
        for (size_t i = 0; i <= NCZ_LEN(wrong); i++) {
            docmap          d = {.v = NULL};
            ncz_buf         text = NCZ_BUF_INIT;
            ncz_format_opts style;
            ncz_model      *m = NULL;
            int             rc;

            for (size_t k = 0; k < NCZ_LEN(names); k++)
                if (k != at || i < NCZ_LEN(wrong))
                    assert_int_equal(ncz_buf_printf(&text, "%s\"%s\": %s", text.len > 0 ? ", " : "{", names[k],
                                                    k == at ? wrong[i] : right[k]),
                                     NC_NOERR);
            assert_int_equal(ncz_buf_puts(&text, "}"), NC_NOERR);
            docmap_put(&d, "zarr.json", text.data, text.len);
            docmap_puts(&d, "v/zarr.json", "{}");
            rc = load(&d, &m, &style);
            if (rc == NC_NOERR)
                assert_int_equal(m->root->nvars, 1);
            else if (strstr(ncz_err_text(), "zarr.json") == NULL)
                fail_msg("%s: %d %s", text.data, rc, ncz_err_text());
            ncz_model_free(m);
            ncz_buf_clear(&text);
            docmap_clear(&d);
        }
}
