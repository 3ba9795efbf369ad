/* SPDX-License-Identifier: BSD-3-Clause */
/* Consolidated metadata inside the root's zarr.json, in all variants that are in use. */
#include "dataset_test.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_mem.h"

#define ARRAY                                                                                                        \
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [3], \"data_type\": \"int32\", \"chunk_grid\": "      \
    "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [3]}}, \"chunk_key_encoding\": \"default\", "      \
    "\"fill_value\": 7, \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}], "          \
    "\"attributes\": {\"from\": \"%s\"}, \"dimension_names\": [\"x\"]}"
#define GROUP "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"from\": \"%s\"}%s}"
#define EMPTY ", \"consolidated_metadata\": {\"kind\": \"inline\", \"must_understand\": false, \"metadata\": {}}"

static void
put_text(zmap *map, const char *key, const char *fmt, const char *from, const char *more)
{
    char *text = ncz_sprintf(fmt, from, more);

    assert_non_null(text);
    OK(zmap_put(map, key, text, strlen(text)));
    ncz_free(text);
}

/* The array v, the group g with the array g/w, as documents; and `member` in the root's. */
static zmap *
make_store(const char *member)
{
    zmap *map = NULL;

    OK(zmap_mem_open(&map));
    put_text(map, "zarr.json", GROUP, "root", member);
    put_text(map, "v/zarr.json", ARRAY, "tree", "");
    put_text(map, "g/zarr.json", GROUP, "tree", "");
    put_text(map, "g/w/zarr.json", ARRAY, "tree", "");
    return map;
}

/* The member with copies of these documents, whose attribute `from` is "copy". */
static char *
make_copies(const char *kind, const char *nested)
{
    char *group = ncz_sprintf(GROUP, "copy", nested), *array = ncz_sprintf(ARRAY, "copy"), *text;

    assert_true(group != NULL && array != NULL);
    text = ncz_sprintf(", \"consolidated_metadata\": {%s\"metadata\": {\"v\": %s, \"g\": %s, \"g/w\": %s}}", kind,
                       array, group, array);
    ncz_free(group);
    ncz_free(array);
    assert_non_null(text);
    return text;
}

typedef struct opened {
    size_t requests;
    char   from[8]; /* of g/w; "" without such a variable */
    size_t nvars;
} opened;

/* Opens for reading, and finds everything. */
static opened
open_store(zmap *inner, const char *mode)
{
    zmap_fault_plan  plan = {.nth = 0};
    ncz_dataset     *ds = NULL;
    zmap            *map = NULL;
    opened           o = {.requests = 0};
    const ncz_group *g;

    OK(zmap_fault_open(zmap_ref(inner), &plan, &map));
    OK(ncz_dataset_open_map(map, mode, NC_NOWRITE, NULL, &ds));
    o.nvars = model_of(ds)->root->nvars;
    o.requests = plan.seen;
    if ((g = ncz_group_find_group(model_of(ds)->root, "g")) != NULL && ncz_group_find_var(g, "w") != NULL) {
        const ncz_att *a = ncz_atts_find(&ncz_group_find_var(g, "w")->atts, "from");

        assert_true(a != NULL && a->len < sizeof o.from);
        memcpy(o.from, a->data, a->len);
    }
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
    return o;
}

/* A member that is used: one round trip, of zarr.json and .zmetadata, or with the version one request. */
TEST(a_copy_inside_takes_one_round_trip)
{
    static const char *const kinds[] = {"\"kind\": \"inline\", \"must_understand\": false, ",
                                        "\"kind\": \"inline\", "};
    static const char *const nested[] = {EMPTY, ""};

    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        for (size_t k = 0; k < NCZ_LEN(nested); k++) {
            char  *member = make_copies(kinds[i], nested[k]);
            zmap  *map = make_store(member);
            opened o = open_store(map, NULL);

            assert_true(o.requests == 2 && o.nvars == 1);
            assert_string_equal(o.from, "copy");
            o = open_store(map, "mode=v3");
            assert_true(o.requests == 1);
            assert_string_equal(o.from, "copy");
            assert_string_equal(open_store(map, "consolidated=yes").from, "copy");
            assert_string_equal(open_store(map, "consolidated=no").from, "tree");
            OK(zmap_close(map, ZMAP_KEEP));
            ncz_free(member);
        }
}

/* An empty list is believed: it hides all children. */
TEST(an_empty_copy_hides_all_children)
{
    zmap *map = make_store(EMPTY);

    assert_int_equal(open_store(map, NULL).nvars, 0);
    assert_string_equal(open_store(map, "consolidated=no").from, "tree");
    OK(zmap_close(map, ZMAP_KEEP));
}

/* Null, other kinds, other types: the documents themselves are read. */
TEST(not_used)
{
    static const char *const members[] = {
        "",
        ", \"consolidated_metadata\": null",
        ", \"consolidated_metadata\": {\"metadata\": {}}",
        ", \"consolidated_metadata\": {\"kind\": \"other\", \"metadata\": {}}",
        ", \"consolidated_metadata\": {\"kind\": \"inline\"}",
        ", \"consolidated_metadata\": {\"kind\": \"inline\", \"metadata\": []}",
        ", \"consolidated_metadata\": [1, 2]",
        ", \"consolidated_metadata\": \"inline\"",
    };

    for (size_t i = 0; i < NCZ_LEN(members); i++) {
        zmap        *map = make_store(members[i]);
        ncz_dataset *ds = NULL;
        opened       o = open_store(map, NULL);

        if (o.nvars != 1 || strcmp(o.from, "tree") != 0)
            fail_msg("%s: %zu variables, \"%s\"", members[i], o.nvars, o.from);
        assert_int_equal(ncz_dataset_open_map(map, "consolidated=yes", NC_NOWRITE, NULL, &ds), NC_EZARRMETA);
        assert_non_null(strstr(ncz_err_text(), "zarr.json"));
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

/* A store that does not return zarr.json fails the open: it may hold the dataset. */
TEST(not_returned)
{
    zmap_fault_plan plan = {.nth = 1, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
    zmap           *map = make_store(""), *m = NULL;
    ncz_dataset    *ds = NULL;

    OK(zmap_fault_open(zmap_ref(map), &plan, &m));
    assert_int_equal(ncz_dataset_open_map(m, NULL, NC_NOWRITE, NULL, &ds), NC_EIO);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}
