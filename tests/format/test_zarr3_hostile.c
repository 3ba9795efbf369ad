/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Documents of Zarr v3 that are damaged or made to hurt. Each member in turn is missing, of every wrong type, huge and
 * nested: the dataset opens, the variable is listed, and its error names the document and the member. No crash, no
 * leak, and no memory beyond the size of the documents.
 */
#include "fixture.h"

#include "format/zarr3/zarr3.h"

#define GROUP "{\"zarr_format\": 3, \"node_type\": \"group\"}"
#define MOST  ((size_t)1 << 22) /* bytes of the largest allocation while a small hostile document is loaded */

static const struct {
    const char *name, *value;
    bool        needed; /* a wrong value makes the data inaccessible */
} members[] = {
    {"zarr_format", "3", true},
    {"node_type", "\"array\"", true},
    {"shape", "[4, 4]", true},
    {"data_type", "\"int32\"", true},
    {"chunk_grid", "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2, 2]}}", true},
    {"chunk_key_encoding", "{\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}", true},
    {"fill_value", "0", true},
    {"codecs", "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]", true},
    {"attributes", "{\"a\": 1}", false},
    {"dimension_names", "[\"y\", \"x\"]", false},
    {"storage_transformers", "[]", true},
};

/* The document of an array with `value` for the member `at`; NULL: without that member. */
static void
put_array(docmap *d, size_t at, const char *value)
{
    ncz_buf     text = NCZ_BUF_INIT;
    const char *comma = "{";

    for (size_t i = 0; i < NCZ_LEN(members); i++) {
        const char *v = i == at ? value : members[i].value;

        if (v == NULL)
            continue;
        assert_int_equal(ncz_buf_printf(&text, "%s\"%s\": %s", comma, members[i].name, v), NC_NOERR);
        comma = ", ";
    }
    assert_int_equal(ncz_buf_puts(&text, "}"), NC_NOERR);
    docmap_put(d, "v/zarr.json", text.data, text.len);
    ncz_buf_clear(&text);
}

/* Loads the dataset, whose variable has `value` for a member. Returns the model, which has the variable. */
static ncz_model *
load_with_member(size_t at, const char *value)
{
    docmap     d = {.v = NULL};
    ncz_model *m;

    docmap_puts(&d, "zarr.json", GROUP);
    put_array(&d, at, value);
    m = must_load(&d, NULL);
    docmap_clear(&d);
    (void)var_at(m, "v");
    return m;
}

/* The variable's error names the document and the member. */
static void
expect_refusal(size_t at, const char *value)
{
    ncz_model     *m = load_with_member(at, value);
    const ncz_err *why = var_at(m, "v")->spec->unusable;

    if (why->code == NC_NOERR || strstr(why->text, "v/zarr.json") == NULL ||
        strstr(why->text, members[at].name) == NULL)
        fail_msg("\"%s\": %.80s: %d %s", members[at].name, value != NULL ? value : "missing", why->code, why->text);
    ncz_model_free(m);
}

TEST(the_ordinary_array_is_sound)
{
    ncz_model *m = load_with_member(SIZE_MAX, NULL);

    assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_NOERR);
    ncz_model_free(m);
}

TEST(missing_members)
{
    for (size_t at = 0; at < NCZ_LEN(members); at++) {
        bool optional = !members[at].needed || strcmp(members[at].name, "storage_transformers") == 0;

        if (!optional) {
            expect_refusal(at, NULL);
        } else {
            ncz_model *m = load_with_member(at, NULL);

            assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_NOERR);
            ncz_model_free(m);
        }
    }
}

TEST(wrong_types)
{
    static const char *const values[] = {
        "-1",     "1.5",           "true",  "\"x\"", "[]",      "[[[]]]",         "{}",
        "[null]", "{\"name\": 5}", "1e400", "\"\"",  "[-1, 4]", "[\"4\", \"4\"]", "{\"name\": \"\\u0000\"}"};

    for (size_t at = 0; at < NCZ_LEN(members); at++)
        for (size_t i = 0; i < NCZ_LEN(values); i++) {
            ncz_model *m;
            bool valid = (strcmp(members[at].name, "storage_transformers") == 0 && strcmp(values[i], "[]") == 0) ||
                         (strcmp(members[at].name, "fill_value") == 0 &&
                          (strcmp(values[i], "-1") == 0 || strcmp(values[i], "true") == 0)) ||
                         (strcmp(members[at].name, "codecs") == 0 && strcmp(values[i], "[\"4\", \"4\"]") == 0);

            if (members[at].needed && !valid && strcmp(members[at].name, "shape") != 0) {
                expect_refusal(at, values[i]);
                continue;
            }
            m = load_with_member(at, values[i]); /* listed, whatever else becomes of it */
            ncz_model_free(m);
        }
}

/* A shape that contradicts the grid is an error of either; a valid one of another rank spoils the grid. */
TEST(contradicting_shapes_are_errors)
{
    static const struct {
        const char *shape, *says;
    } cases[] = {
        {"[-1, 4]", "\"shape\""},    {"[\"4\", 4]", "\"shape\""},
        {"[1.5, 4]", "\"shape\""},   {"[9223372036854775808, 4]", "\"shape\""},
        {"[1e300, 4]", "\"shape\""}, {"null", "\"shape\""},
        {"[4]", "\"chunk_grid\""},   {"[4, 4, 4]", "\"chunk_grid\""},
        {"{\"a\": 1}", "\"shape\""},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model     *m = load_with_member(2, cases[i].shape);
        const ncz_err *why = var_at(m, "v")->spec->unusable;

        if (why->code == NC_NOERR || strstr(why->text, cases[i].says) == NULL)
            fail_msg("%s: %d %s", cases[i].shape, why->code, why->text);
        ncz_model_free(m);
    }
}

/* Sizes that overflow, and chunks beyond the limit. */
TEST(huge_sizes)
{
    static const struct {
        size_t      at;
        const char *value;
    } cases[] = {
        {4,
         "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [9223372036854775807, 9223372036854775807]}}"},
        {4, "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4294967296, 4294967296]}}"},
        {4, "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [18446744073709551615, 1]}}"},
        {4, "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [0, 1]}}"},
        {4, "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [1000000, 1000000]}}"},
        {3, "{\"name\": \"raw_bytes\", \"configuration\": {\"length_bytes\": 18446744073709551615}}"},
        {3, "{\"name\": \"null_terminated_bytes\", \"configuration\": {\"length_bytes\": 2147483648}}"},
        {3, "{\"name\": \"fixed_length_utf32\", \"configuration\": {\"length_bytes\": 3}}"},
        {3, "{\"name\": \"fixed_length_utf32\", \"configuration\": {\"length_bytes\": -4}}"},
        {3, "\"r18446744073709551616\""},
        {7, "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [0, 1], \"codecs\": [\"bytes\"], "
            "\"index_codecs\": [\"bytes\"]}}]"},
        {7, "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [3, 3], \"codecs\": [\"bytes\"], "
            "\"index_codecs\": [\"bytes\"]}}]"},
        {7, "[{\"name\": \"sharding_indexed\"}]"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model *m;

        watch_allocations();
        m = load_with_member(cases[i].at, cases[i].value);
        if (var_at(m, "v")->spec->unusable->code == NC_NOERR || largest_allocation() > MOST)
            fail_msg("%.200s: %s, %zu bytes", cases[i].value, var_at(m, "v")->spec->unusable->text,
                     largest_allocation());
        ncz_model_free(m);
        (void)end_failing();
    }
}

/* Names of codecs that nobody has keep their place; only the data are refused. */
TEST(unknown_codecs)
{
    ncz_model     *m = load_with_member(7, "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, "
                                               "{\"name\": \"zip-zap\", \"configuration\": {}, \"must_understand\": false}]");
    const ncz_err *why = var_at(m, "v")->spec->unusable;

    assert_int_equal(why->code, NC_ENOFILTER);
    assert_non_null(strstr(why->text, "zip-zap"));
    assert_true(var_at(m, "v")->type->id == NC_INT && var_at(m, "v")->rank == 2);
    ncz_model_free(m);
}

/* `open`, then `middle`, then as many `close` as `open`. */
static char *
nest(const char *open, const char *middle, const char *close, size_t depth)
{
    ncz_buf text = NCZ_BUF_INIT;

    for (size_t i = 0; i < depth; i++)
        assert_int_equal(ncz_buf_puts(&text, open), NC_NOERR);
    assert_int_equal(ncz_buf_puts(&text, middle), NC_NOERR);
    for (size_t i = 0; i < depth; i++)
        assert_int_equal(ncz_buf_puts(&text, close), NC_NOERR);
    return ncz_buf_take(&text);
}

/* Structures in structures, shards in shards, lists in lists: as deep as a document may be, and deeper. */
TEST(deeply_nested)
{
    static const struct {
        size_t      at;
        const char *open, *middle, *close;
    } cases[] = {
        {3, "{\"name\": \"struct\", \"configuration\": {\"fields\": [{\"name\": \"a\", \"data_type\": ", "\"int8\"",
         "}]}}"},
        {3, "{\"name\": \"structured\", \"configuration\": {\"fields\": [[\"a\", ", "\"int8\"", "]]}}"},
        {7,
         "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1, 1], \"index_codecs\": "
         "[\"bytes\"], "
         "\"codecs\": ",
         "[\"bytes\"]", "}}]"},
        {2, "[", "4", "]"},
        {6, "[", "4", "]"},
        {8, "{\"a\": ", "4", "}"},
        {9, "[", "4", "]"},
        {4, "{\"name\": \"regular\", \"configuration\": ", "4", "}"},
    };
    static const size_t depths[] = {2, 10, 24, 1000, 20000};

    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        for (size_t k = 0; k < NCZ_LEN(depths); k++) {
            char      *value = nest(cases[i].open, cases[i].middle, cases[i].close, depths[k]);
            ncz_model *m = load_with_member(cases[i].at, value);

            if (depths[k] >= 1000)
                assert_int_equal(var_at(m, "v")->unusable->code, NC_EZARRMETA);
            ncz_model_free(m);
            ncz_free(value);
        }
}

/* ---- NCZarr's keys --------------------------------------------------------------------------------------------- */

TEST(wrong_nczarr_keys)
{
    static const char *const keys[] = {"_nczarr_superblock", "_nczarr_group", "_nczarr_array", "_nczarr_attrs",
                                       "_nczarr_attr"};
    static const char *const values[] = {
        "null",
        "5",
        "[]",
        "\"x\"",
        "{}",
        "{\"dimensions\": 5, \"arrays\": {}, \"groups\": \"v\"}",
        "{\"dimensions\": {\"\": 1, \"x\": -1, \"y\": {\"size\": \"4\"}, \"z\": {}}, \"arrays\": [5, null, \"\", "
        "\"../v\", "
        "\"v\", \"v\"], \"groups\": [\"v\", \"/\"]}",
        "{\"attribute_types\": 5, \"types\": []}",
        "{\"attribute_types\": {\"a\": 5}, \"types\": {\"a\": \"nonsense\"}}",
        "{\"dimension_references\": [5, \"/nowhere\"], \"nczarr_type\": 5, \"fill\": 5, \"scalar\": \"x\"}",
        "{\"dimension_references\": {}, \"nczarr_type\": \"string\"}",
    };

    for (size_t i = 0; i < NCZ_LEN(keys); i++)
        for (size_t k = 0; k < NCZ_LEN(values); k++) {
            docmap     d = {.v = NULL};
            char       text[1024], atts[600];
            ncz_model *m;

            snprintf(atts, sizeof atts, "{\"%s\": %s}", keys[i], values[k]);
            snprintf(text, sizeof text, "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": %s}", atts);
            docmap_puts(&d, "zarr.json", text);
            put_array(&d, 8, atts);
            m = must_load(&d, NULL);
            assert_int_equal(m->root->atts.n, 0);
            ncz_model_free(m);
            docmap_clear(&d);
        }
}

/* ---- damage ---------------------------------------------------------------------------------------------------- */

/* A document that ends anywhere: its variable is listed, and the others are not affected. */
TEST(a_truncated_document_costs_its_variable_alone)
{
    docmap d = {.v = NULL};
    char  *text;
    size_t len;

    docmap_puts(&d, "zarr.json", GROUP);
    put_array(&d, SIZE_MAX, NULL);
    text = strdup(docmap_text(&d, "v/zarr.json"));
    len = strlen(text);
    docmap_puts(&d, "w/zarr.json", text);
    for (size_t cut = 0; cut < len; cut++) {
        ncz_model *m;

        docmap_put(&d, "v/zarr.json", text, cut);
        m = must_load(&d, NULL);
        assert_int_equal(var_at(m, "v")->unusable->code, NC_EZARRMETA);
        assert_non_null(strstr(var_at(m, "v")->unusable->text, "v/zarr.json"));
        assert_int_equal(var_at(m, "w")->unusable->code, NC_NOERR);
        ncz_model_free(m);
    }
    free(text);
    docmap_clear(&d);
}

static uint32_t
next_random(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

/* Any bytes changed: the dataset opens, and the variable, if it is still one, is written as it was read or refused. */
TEST(any_bytes_may_be_changed)
{
    static const char bytes[] = "{}[]\",:0123456789-eE.\\/ntrufalse<>|_ \x01\x7f\x80\xff";
    uint32_t          seed = 20261122;
    docmap            d = {.v = NULL};
    char             *text;
    size_t            len, usable = 0;

    docmap_puts(&d, "zarr.json", GROUP);
    put_array(&d, SIZE_MAX, NULL);
    text = strdup(docmap_text(&d, "v/zarr.json"));
    len = strlen(text);
    for (int round = 0; round < 3000; round++) {
        char           *own = strdup(text);
        ncz_format_opts style;
        ncz_model      *m;
        size_t          n = 1 + next_random(&seed) % 4;

        for (size_t i = 0; i < n; i++)
            own[next_random(&seed) % len] = bytes[next_random(&seed) % (sizeof bytes - 1)];
        docmap_put(&d, "v/zarr.json", own, len);
        m = must_load(&d, &style);
        usable += m->root->nvars == 1 && var_at(m, "v")->spec->unusable->code == NC_NOERR;
        ncz_model_free(m);
        free(own);
    }
    if (usable < 20 || usable > 2900)
        fail_msg("%zu of 3000 are usable", usable);
    free(text);
    docmap_clear(&d);
}

/* A group with itself below itself, by names alone, ends at the limit. */
TEST(deep_groups)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m = NULL;
    ncz_buf         key = NCZ_BUF_INIT;

    docmap_puts(&d, "zarr.json", GROUP);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(ncz_buf_puts(&key, "g/"), NC_NOERR);
        assert_int_equal(ncz_buf_puts(&key, "zarr.json"), NC_NOERR);
        docmap_puts(&d, ncz_buf_str(&key), GROUP);
        key.len -= strlen("zarr.json");
        key.data[key.len] = '\0';
    }
    assert_int_equal(load(&d, &m, &style), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "group_depth"));
    ncz_buf_clear(&key);
    docmap_clear(&d);
}
