/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents of Zarr v3 as they are written: byte for byte, what other writers' documents keep, and consolidated. */
#include "fixture.h"
#include "format/zarr/zarr.h"

#include <math.h>

static ncz_format_opts
style_of(ncz_generation gen)
{
    return (ncz_format_opts){.dialect = ncz_dialects_find(3), .gen = gen, .xarray = true};
}

static void
plan_all(const ncz_model *m, const ncz_format_opts *style, docmap *d)
{
    int rc = ncz_dialects_plan(m, style, true, docmap_emit, d);

    if (rc != NC_NOERR)
        fail_msg("plan: %d %s", rc, ncz_err_text());
}

/* `text`: the codecs. */
static void
set_codecs(ncz_model *m, ncz_var *v, const char *text)
{
    const ncz_array_type type = {.dtype = {.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE}, .shape = v->chunk};
    const ncz_json_opts  opts = {.mode = NCZ_JSON_STRICT, .depth = 8, .nbytes = strlen(text)};
    ncz_json            *list = NULL;
    ncz_chain           *chain = NULL;

    assert_int_equal(ncz_json_parse(text, strlen(text), &opts, &list, NULL), NC_NOERR);
    assert_int_equal(ncz_chain_parse(list, NULL, &type, NCZ_CONFIG_CALLER, 8, &chain), NC_NOERR);
    assert_int_equal(ncz_var_set_chain(m, v, chain), NC_NOERR);
    ncz_chain_unref(chain);
    ncz_json_free(list);
}

static void
set_objects(ncz_model *m, ncz_var *v)
{
    set_codecs(m, v, "[{\"id\": \"vlen-utf8\"}]");
}

/* ---- whole documents ------------------------------------------------------------------------------------------- */

/* A time and a place, a scalar, a character, a string and a shard, in two groups. */
static ncz_model *
small_model(const ncz_format_opts *style)
{
    ncz_model     *m = new_model(style);
    ncz_dim       *dims[2];
    const uint64_t chunk[2] = {1, 3}, shard[2] = {2, 6};
    float          fill = -9;
    short          range[] = {1, 2};
    ncz_group     *g;
    ncz_var       *v;

    dims[0] = add_dim(m, m->root, "time", 2, true);
    dims[1] = add_dim(m, m->root, "x", 6, false);
    put_text(m, &m->root->atts, "title", "test");
    v = add_var(m, m->root, "t", NC_FLOAT, 2, dims);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, chunk), NC_NOERR);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &fill), NC_NOERR);
    put_text(m, &v->atts, "units", "K");
    put(m, &v->atts, "_FillValue", NC_FLOAT, 1, &fill);
    put(m, &v->atts, "range", NC_SHORT, 2, range);
    assert_int_equal(ncz_model_add_group(m, m->root, "g", &g), NC_NOERR);
    v = add_var(m, g, "c", NC_CHAR, 0, NULL);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, "x"), NC_NOERR);
    put_text(m, &v->atts, "_FillValue", "x");
    v = add_var(m, g, "s", NC_STRING, 1, &dims[1]);
    set_objects(m, v);
    v = add_var(m, g, "z", NC_USHORT, 2, dims);
    assert_int_equal(ncz_var_set_endian(m, v, NC_ENDIAN_BIG), NC_NOERR);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, chunk), NC_NOERR);
    assert_int_equal(ncz_var_set_shards(m, v, shard), NC_NOERR);
    return m;
}

#define KEYS          "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}, "
#define GRID(shape)   "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": " shape "}}, " KEYS
#define BYTES(endian) "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"" endian "\"}}"

TEST(exact_documents)
{
    static const struct {
        const char *key, *text;
    } cases[] = {
        {"zarr.json",
         "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"title\": \"test\", \"_NCProperties\": "
         "\"" PROPERTIES "\", \"_nczarr_group\": {\"dimensions\": {\"time\": {\"size\": 2, \"unlimited\": 1}, \"x\": "
         "{\"size\": 6, \"unlimited\": 0}}, \"arrays\": [\"t\"], \"groups\": [\"g\"]}, \"_nczarr_superblock\": "
         "{\"version\": \"3.0.0\"}, \"_nczarr_attrs\": {\"attribute_types\": {\"title\": \"char\", "
         "\"_NCProperties\": \"char\", \"_nczarr_group\": \"json\", \"_nczarr_superblock\": \"json\", "
         "\"_nczarr_attrs\": \"json\"}}}}"},
        {"t/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [2,6], \"data_type\": "
                        "\"float32\", " GRID("[1,3]") "\"fill_value\": -9.0, \"codecs\": [" BYTES(
                            "little") "], \"attributes\": {\"units\": \"K\", \"_FillValue\": \"AAAAAAAAIsA=\", "
                                      "\"range\": [1,2], "
                                      "\"_nczarr_array\": {\"dimension_references\": [\"/time\",\"/x\"], "
                                      "\"storage\": \"chunked\"}, "
                                      "\"_nczarr_attrs\": {\"attribute_types\": {\"units\": \"char\", "
                                      "\"_FillValue\": \"float32\", "
                                      "\"range\": \"int16\", \"_nczarr_array\": \"json\", \"_nczarr_attrs\": "
                                      "\"json\"}}}, "
                                      "\"dimension_names\": [\"time\",\"x\"]}"},
        {"g/c/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [], \"data_type\": "
                          "\"uint8\", " GRID("[]") "\"fill_value\": 120, \"codecs\": [" BYTES(
                              "little") "], \"attributes\": {\"_nczarr_array\": {\"dimension_references\": [], "
                                        "\"scalar\": 1, \"storage\": "
                                        "\"chunked\", \"nczarr_type\": \"char\"}, \"_nczarr_attrs\": "
                                        "{\"attribute_types\": {\"_FillValue\": "
                                        "\"char\", \"_nczarr_array\": \"json\", \"_nczarr_attrs\": \"json\"}}}, "
                                        "\"dimension_names\": []}"},
        {"g/s/zarr.json",
         "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [6], \"data_type\": \"string\", " GRID(
             "[6]") "\"fill_value\": \"\", \"codecs\": [{\"name\": \"vlen-utf8\", \"configuration\": {}}], "
                    "\"attributes\": {\"_nczarr_array\": {\"dimension_references\": [\"/x\"], \"storage\": "
                    "\"chunked\"}, "
                    "\"_nczarr_attrs\": {\"attribute_types\": {\"_nczarr_array\": \"json\", \"_nczarr_attrs\": "
                    "\"json\"}}}, \"dimension_names\": [\"x\"]}"},
        {"g/z/zarr.json",
         "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [2,6], \"data_type\": \"uint16\", " GRID(
             "[2,6]") "\"fill_value\": 65535, \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": "
                      "{\"chunk_shape\": [1,3], \"codecs\": [" BYTES("big") "], \"index_codecs\": [" BYTES(
                          "little") ",{\"name\": \"crc32c\"}], \"index_location\": \"end\"}}], \"attributes\": "
                                    "{\"_nczarr_array\": "
                                    "{\"dimension_references\": [\"/time\",\"/x\"], \"storage\": \"chunked\"}, "
                                    "\"_nczarr_attrs\": "
                                    "{\"attribute_types\": {\"_nczarr_array\": \"json\", \"_nczarr_attrs\": "
                                    "\"json\"}}}, "
                                    "\"dimension_names\": [\"time\",\"x\"]}"},
    };
    const ncz_format_opts style = style_of(NCZ_GEN_V3);
    ncz_model            *m = small_model(&style);
    docmap                d = {.v = NULL};

    plan_all(m, &style, &d);
    assert_int_equal(d.n, 6); /* one for each node */
    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        assert_string_equal(docmap_text(&d, cases[i].key), cases[i].text);
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(pure_has_no_nczarr_key)
{
    const ncz_format_opts style = style_of(NCZ_GEN_PURE);
    ncz_model            *m = small_model(&style);
    docmap                d = {.v = NULL};

    plan_all(m, &style, &d);
    for (size_t i = 0; i < d.n; i++)
        assert_null(strstr(d.v[i].text, "_nczarr"));
    assert_string_equal(docmap_text(&d, "g/c/zarr.json"),
                        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [], \"data_type\": "
                        "\"uint8\", " GRID("[]") "\"fill_value\": 120, \"codecs\": [" BYTES(
                            "little") "], \"attributes\": {}, \"dimension_names\": []}");
    assert_string_equal(docmap_text(&d, "g/zarr.json"),
                        "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}");
    ncz_model_free(m);
    docmap_clear(&d);
}

/* ---- consolidated metadata ------------------------------------------------------------------------------------- */

/* The root's document has a copy of an array's, byte for byte. */
static void
expect_copy(const docmap *d, const char *key)
{
    char        name[64];
    const char *root = docmap_text(d, "zarr.json"), *own;

    snprintf(name, sizeof name, "%s/zarr.json", key);
    own = docmap_text(d, name);
    if (strstr(root, own) == NULL)
        fail_msg("no copy of %s", key);
}

/* The member is in the root's document alone; copies are sorted by depth and name; a group's has an empty member. */
TEST(consolidated_is_inside_the_root)
{
    static const char *const order[] = {"\"g\": {\"zarr_format\"", "\"t\": {\"zarr_format\"",
                                        "\"g/c\": {\"zarr_format\"", "\"g/s\": {\"zarr_format\"",
                                        "\"g/z\": {\"zarr_format\""};
    ncz_format_opts          style = style_of(NCZ_GEN_V3), got;
    ncz_model               *m = small_model(&style);
    docmap                   d = {.v = NULL}, changed = {.v = NULL};
    const char              *root, *at;

    style.consolidated = true;
    plan_all(m, &style, &d);
    root = docmap_text(&d, "zarr.json");
    assert_string_equal(d.v[d.n - 1].key, "zarr.json"); /* stored last */
    at =
        strstr(root, "\"consolidated_metadata\": {\"kind\": \"inline\", \"must_understand\": false, \"metadata\": {");
    assert_non_null(at);
    for (size_t i = 0; i < NCZ_LEN(order); i++) {
        at = strstr(at, order[i]);
        if (at == NULL)
            fail_msg("%s is missing or out of order", order[i]);
    }
    assert_non_null(strstr(root, "\"_nczarr_attrs\": \"json\"}}}, \"consolidated_metadata\": {\"kind\": \"inline\", "
                                 "\"must_understand\": false, \"metadata\": {}}}, \"t\": "));
    for (size_t i = 0; i < 4; i++)
        expect_copy(&d, (const char *const[]){"t", "g/c", "g/s", "g/z"}[i]);
    assert_null(strstr(docmap_text(&d, "g/zarr.json"), "consolidated"));

    /* A changed variable changes the root's document too, and nothing else. */
    ncz_dialects_mark_stored(m);
    put_text(m, &var_at(m, "t")->atts, "units", "degC");
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &changed), NC_NOERR);
    assert_int_equal(changed.n, 2);
    assert_string_equal(changed.v[0].key, "t/zarr.json");
    assert_string_equal(changed.v[1].key, "zarr.json");
    assert_non_null(strstr(changed.v[1].text, "degC"));
    ncz_model_free(m);

    m = must_load(&d, &got);
    assert_true(got.consolidated);
    ncz_model_free(m);
    docmap_clear(&d);
    docmap_clear(&changed);
}

/* ---- types and fill values ------------------------------------------------------------------------------------- */

static void
expect_member(const docmap *d, const char *text)
{
    if (strstr(docmap_text(d, "v/zarr.json"), text) == NULL)
        fail_msg("no %s in %s", text, docmap_text(d, "v/zarr.json"));
}

/* Each fill value in its spelling, its attribute in xarray's; both come back as they were. */
TEST(fill_values)
{
    const float    inf = INFINITY, third = 1.0f / 3, payload = nanf("1");
    const double   nan = NAN, minus = -INFINITY, zero = -0.0;
    const int8_t   b = -128;
    const uint64_t u = UINT64_MAX;
    const int64_t  l = INT64_MIN;
    const char    *word = "none\n";
    const struct {
        nc_type     type;
        const void *value;
        const char *fill, *att; /* att NULL: it is not written */
    } cases[] = {
        {NC_FLOAT, &inf, "\"Infinity\"", "\"AAAAAAAA8H8=\""},
        {NC_FLOAT, &third, "0.3333333432674408", "\"AAAAYFVV1T8=\""},
        {NC_FLOAT, &payload, "\"0x7fc00001\"", NULL},
        {NC_DOUBLE, &nan, "\"NaN\"", "\"AAAAAAAA+H8=\""},
        {NC_DOUBLE, &minus, "\"-Infinity\"", "\"AAAAAAAA8P8=\""},
        {NC_DOUBLE, &zero, "-0.0", "\"AAAAAAAAAIA=\""},
        {NC_BYTE, &b, "-128", "-128"},
        {NC_UINT64, &u, "18446744073709551615", "18446744073709551615"},
        {NC_INT64, &l, "-9223372036854775808", "-9223372036854775808"},
        {NC_CHAR, "~", "126", NULL},
        {NC_STRING, &word, "\"none\\n\"", NULL},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const ncz_format_opts style = style_of(NCZ_GEN_V3);
        ncz_format_opts       got;
        ncz_model            *m = new_model(&style), *back;
        ncz_var              *v = add_var(m, m->root, "v", cases[i].type, 0, NULL);
        docmap                d = {.v = NULL}, again = {.v = NULL};
        const ncz_att        *att;
        char                  text[80];

        put_text(m, &v->atts, "first", "1");
        put(m, &v->atts, "_FillValue", cases[i].type, 1, cases[i].value);
        put_text(m, &v->atts, "last", "3");
        if (cases[i].type == NC_STRING)
            set_objects(m, v);
        assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, cases[i].value), NC_NOERR);
        plan_all(m, &style, &d);
        snprintf(text, sizeof text, "\"fill_value\": %s, ", cases[i].fill);
        expect_member(&d, text);
        if (cases[i].att != NULL) {
            snprintf(text, sizeof text, "\"_FillValue\": %s, ", cases[i].att);
            expect_member(&d, text);
        }
        back = must_load(&d, &got);
        v = var_at(back, "v");
        assert_int_equal(v->fill_mode, NCZ_FILL_VALUE);
        att = att_at(&v->atts, "_FillValue");
        assert_ptr_equal(att, &v->atts.v[1]);
        assert_int_equal(att->type->id, cases[i].type);
        if (cases[i].type == NC_STRING) {
            assert_string_equal(*(char **)v->fill, word);
            assert_string_equal(*(char **)att->data, word);
        } else {
            assert_memory_equal(v->fill, cases[i].value, v->type->size);
            if (cases[i].att != NULL || cases[i].type == NC_CHAR) /* the double of a NaN may lose its payload */
                assert_memory_equal(att->data, cases[i].value, v->type->size);
        }
        plan_all(back, &got, &again);
        assert_string_equal(docmap_text(&again, "v/zarr.json"), docmap_text(&d, "v/zarr.json"));
        ncz_model_free(back);
        ncz_model_free(m);
        docmap_clear(&d);
        docmap_clear(&again);
    }
}

/* Every stored type of a program, in v3's words and back in NumPy's. */
TEST(stored_types)
{
    static const struct {
        nc_type     type;
        const char *dtype, *stored;
    } cases[] = {
        {NC_UBYTE, "|b1", "\"data_type\": \"bool\", "},
        {NC_FLOAT, "<f2", "\"data_type\": \"float16\", "},
        {NC_FLOAT, ">f2", "\"endian\": \"big\""},
        {NC_STRING, "<U5",
         "\"data_type\": {\"name\": \"fixed_length_utf32\", \"configuration\": {\"length_bytes\": 20}}, "},
        {NC_INT64, "<M8[ns]",
         "\"data_type\": {\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"ns\", \"scale_factor\": "
         "1}}, "},
        {NC_INT64, ">m8[10s]",
         "\"data_type\": {\"name\": \"numpy.timedelta64\", \"configuration\": {\"unit\": \"s\", \"scale_factor\": "
         "10}}, "},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const ncz_format_opts style = style_of(NCZ_GEN_V3);
        ncz_format_opts       got;
        ncz_model            *m = new_model(&style), *back;
        ncz_var              *v = add_var(m, m->root, "v", cases[i].type, 0, NULL);
        docmap                d = {.v = NULL};
        ncz_buf               text = NCZ_BUF_INIT;

        assert_int_equal(ncz_format_dtype_define(m, v, &style, cases[i].dtype), NC_NOERR);
        plan_all(m, &style, &d);
        expect_member(&d, cases[i].stored);
        back = must_load(&d, &got);
        assert_int_equal(ncz_format_dtype_text(var_at(back, "v"), &got, &text), NC_NOERR);
        assert_string_equal(ncz_buf_str(&text), cases[i].dtype);
        /* A time keeps its type when its byte order changes. */
        if (cases[i].type == NC_INT64) {
            assert_int_equal(ncz_var_set_endian(back, var_at(back, "v"), NC_ENDIAN_LITTLE), NC_NOERR);
            docmap_clear(&d);
            d = (docmap){.v = NULL};
            plan_all(back, &got, &d);
            expect_member(&d, cases[i].stored);
            expect_member(&d, "\"endian\": \"little\"");
        }
        ncz_buf_clear(&text);
        ncz_model_free(back);
        ncz_model_free(m);
        docmap_clear(&d);
    }
}

/* What a codec stores as bytes is not of the type `string`, and its fill value is in base64. */
TEST(bytes_of_any_length)
{
    const ncz_format_opts style = style_of(NCZ_GEN_V3);
    ncz_model            *m = new_model(&style);
    ncz_var              *v = add_var(m, m->root, "v", NC_STRING, 0, NULL);
    const char           *fill = "ab";
    docmap                d = {.v = NULL};

    set_codecs(m, v, "[{\"id\": \"vlen-bytes\"}]");
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &fill), NC_NOERR);
    plan_all(m, &style, &d);
    expect_member(&d, "\"data_type\": \"bytes\", ");
    expect_member(&d, "\"fill_value\": \"YWI=\", ");
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(fixed_width)
{
    const ncz_format_opts style = style_of(NCZ_GEN_V3);
    ncz_model            *m = new_model(&style);
    ncz_var              *v = add_var(m, m->root, "v", NC_STRING, 0, NULL);

    assert_int_equal(ncz_format_dtype_define(m, v, &style, "|S5"), NC_NOERR);
    assert_true(v->dtype.kind == NCZ_KIND_BYTES && v->dtype.size == 5 && v->chain == NULL);
    ncz_model_free(m);
}

/* ---- documents of other writers -------------------------------------------------------------------------------- */

/* What is not changed keeps its spelling, also what netCDF cannot express. */
TEST(other_writers_keep_their_spelling)
{
    static const char array[] =
        "{\"shape\": [2, 3], \"data_type\": \"float32\", \"chunk_grid\": {\"name\": \"regular\", \"configuration\": "
        "{\"chunk_shape\": [1, 3]}}, \"chunk_key_encoding\": {\"name\": \"v2\", \"configuration\": {\"separator\": "
        "\".\"}}, \"fill_value\": 1.50, \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": "
        "\"big\"}}], \"attributes\": {\"odd\": [1, \"a\", null], \"scale\": 1.0e0, \"deep\": {\"x\":  [1]}, "
        "\"_FillValue\": \"AAAAAAAA+H8=\", \"gone\": 1}, \"dimension_names\": [null, \"x\"], \"zarr_format\": 3, "
        "\"node_type\": \"array\"}";
    static const char group[] = "{\"attributes\": {\"k\": [1,  2]}, \"zarr_format\": 3, \"node_type\": \"group\"}";
    docmap            d = {.v = NULL}, out = {.v = NULL};
    ncz_format_opts   got;
    ncz_model        *m;
    ncz_var          *v;

    docmap_puts(&d, "zarr.json", group);
    docmap_puts(&d, "v/zarr.json", array);
    m = must_load(&d, &got);
    assert_int_equal(got.gen, NCZ_GEN_PURE);
    assert_int_equal(ncz_dialects_plan(m, &got, false, docmap_emit, &out), NC_NOERR);
    assert_int_equal(out.n, 0); /* nothing is changed */
    v = var_at(m, "v");
    put_text(m, &v->atts, "new", "n");
    ncz_atts_del(&v->atts, ncz_atts_find(&v->atts, "gone"));
    assert_int_equal(ncz_dialects_plan(m, &got, false, docmap_emit, &out), NC_NOERR);
    assert_int_equal(out.n, 1);
    assert_false(got.readonly);
    assert_string_equal(
        docmap_text(&out, "v/zarr.json"),
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [2,3], \"data_type\": \"float32\", "
        "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [1,3]}}, "
        "\"chunk_key_encoding\": {\"name\": \"v2\", \"configuration\": {\"separator\": \".\"}}, \"fill_value\": "
        "1.50, \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}], \"attributes\": "
        "{\"odd\": [1, \"a\", null], \"scale\": 1.0e0, \"deep\": {\"x\":  [1]}, \"_FillValue\": \"AAAAAAAA+H8=\", "
        "\"new\": \"n\"}, \"dimension_names\": [null, \"x\"]}");
    ncz_model_free(m);
    docmap_clear(&d);
    docmap_clear(&out);
}

/* A member that may be ignored would be lost with a new document, which growing needs: nothing can be written. */
TEST(ignored_members_make_it_read_only)
{
    docmap          d = {.v = NULL};
    ncz_format_opts got;

    docmap_puts(&d, "zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}");
    docmap_puts(&d, "v/zarr.json",
                "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int32\", " GRID(
                    "[4]") "\"fill_value\": 0, \"codecs\": [\"bytes\"], \"more\": {\"must_understand\": false}}");
    ncz_model_free(must_load(&d, &got));
    assert_true(got.readonly);
    docmap_clear(&d);
}

/* An array that is not understood is never rewritten; as its copy cannot be made, there are no copies at all. */
TEST(what_is_not_understood_is_not_written)
{
    docmap          d = {.v = NULL}, out = {.v = NULL};
    ncz_format_opts got;
    ncz_model      *m;

    docmap_puts(&d, "zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}");
    docmap_puts(&d, "v/zarr.json",
                "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int32\", "
                "\"chunk_grid\": {\"name\": \"hexagonal\"}, \"chunk_key_encoding\": \"default\", \"fill_value\": 0, "
                "\"codecs\": [\"bytes\"]}");
    m = must_load(&d, &got);
    got.consolidated = true;
    plan_all(m, &got, &out);
    assert_int_equal(out.n, 1);
    assert_string_equal(docmap_text(&out, "zarr.json"),
                        "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}");
    ncz_model_free(m);
    docmap_clear(&d);
    docmap_clear(&out);
}

/* ---- without memory -------------------------------------------------------------------------------------------- */

static int
drop_document(void *arg, const ncz_doc_out *written)
{
    (void)arg;
    (void)written;
    return NC_NOERR;
}

TEST(out_of_memory)
{
    ncz_format_opts style = style_of(NCZ_GEN_V3);
    ncz_model      *m = small_model(&style);
    int             rc = NC_ENOMEM;

    style.consolidated = true;
    for (size_t n = 1; rc != NC_NOERR; n++) {
        fail_allocation(n);
        rc = ncz_dialects_plan(m, &style, true, drop_document, NULL);
        fail_allocation(0);
        if (rc != NC_NOERR)
            assert_int_equal(rc, NC_ENOMEM);
    }
    ncz_model_free(m);
}
