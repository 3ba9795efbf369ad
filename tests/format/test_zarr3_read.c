/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr v3 as all kinds of writers leave it: types, fill values, layouts, names, attributes, NCZarr's keys. */
#include "fixture.h"

#include "format/zarr/zarr.h"
#include "format/zarr3/zarr3_int.h"

#include <math.h>

#define GROUP  "{\"zarr_format\": 3, \"node_type\": \"group\"}"
#define LITTLE "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]"
#define KEYS   "{\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}"

/* The members of an array's document; NULL: the usual. An empty text leaves the member out. */
typedef struct array_doc {
    const char *type, *fill, *shape, *grid, *keys, *codecs, *more;
} array_doc;

static void
add_member(char *text, size_t cap, const char *name, const char *given, const char *usual)
{
    const char *value = given != NULL ? given : usual;

    if (value[0] != '\0')
        snprintf(text + strlen(text), cap - strlen(text), ", \"%s\": %s", name, value);
}

static void
put_array(docmap *d, const char *key, const array_doc *a)
{
    char        text[4096] = "{\"zarr_format\": 3, \"node_type\": \"array\"", grid[512];
    const char *shape = a->shape != NULL ? a->shape : "[3]";

    snprintf(grid, sizeof grid, "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": %s}}", shape);
    add_member(text, sizeof text, "shape", a->shape, shape);
    add_member(text, sizeof text, "data_type", a->type, "\"float32\"");
    add_member(text, sizeof text, "chunk_grid", a->grid, grid);
    add_member(text, sizeof text, "chunk_key_encoding", a->keys, KEYS);
    add_member(text, sizeof text, "fill_value", a->fill, "0");
    add_member(text, sizeof text, "codecs", a->codecs, LITTLE);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s}", a->more != NULL ? a->more : "");
    docmap_puts(d, key, text);
}

/* A root group and the array "v". */
static ncz_model *
load_one(const array_doc *a)
{
    docmap     d = {.v = NULL};
    ncz_model *m;

    docmap_puts(&d, "zarr.json", GROUP);
    put_array(&d, "v/zarr.json", a);
    m = must_load(&d, NULL);
    docmap_clear(&d);
    return m;
}

/* ---- types ----------------------------------------------------------------------------------------------------- */

TEST(data_types_become_netcdf_types)
{
    static const struct {
        const char *type, *fill, *codecs;
        nc_type     id;
        ncz_kind    kind;
        size_t      size;
        int         endian;
    } cases[] = {
        {"\"bool\"", "false", NULL, NC_UBYTE, NCZ_KIND_BOOL, 1, NC_ENDIAN_NATIVE},
        {"\"int8\"", "0", NULL, NC_BYTE, NCZ_KIND_INT, 1, NC_ENDIAN_NATIVE},
        {"\"int16\"", "0", NULL, NC_SHORT, NCZ_KIND_INT, 2, NC_ENDIAN_LITTLE},
        {"\"int32\"", "0", NULL, NC_INT, NCZ_KIND_INT, 4, NC_ENDIAN_LITTLE},
        {"\"int64\"", "0", NULL, NC_INT64, NCZ_KIND_INT, 8, NC_ENDIAN_LITTLE},
        {"\"uint8\"", "0", NULL, NC_UBYTE, NCZ_KIND_UINT, 1, NC_ENDIAN_NATIVE},
        {"\"uint16\"", "0", NULL, NC_USHORT, NCZ_KIND_UINT, 2, NC_ENDIAN_LITTLE},
        {"\"uint32\"", "0", NULL, NC_UINT, NCZ_KIND_UINT, 4, NC_ENDIAN_LITTLE},
        {"\"uint64\"", "0", NULL, NC_UINT64, NCZ_KIND_UINT, 8, NC_ENDIAN_LITTLE},
        {"\"float16\"", "0", NULL, NC_FLOAT, NCZ_KIND_FLOAT, 2, NC_ENDIAN_LITTLE},
        {"\"float32\"", "0", NULL, NC_FLOAT, NCZ_KIND_FLOAT, 4, NC_ENDIAN_LITTLE},
        {"\"float64\"", "0", "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}]", NC_DOUBLE,
         NCZ_KIND_FLOAT, 8, NC_ENDIAN_BIG},
        {"{\"name\": \"int16\"}", "0", NULL, NC_SHORT, NCZ_KIND_INT, 2, NC_ENDIAN_LITTLE},
        {"{\"name\": \"int16\", \"configuration\": {}}", "0", NULL, NC_SHORT, NCZ_KIND_INT, 2, NC_ENDIAN_LITTLE},
        {"\"string\"", "\"\"", "[{\"name\": \"vlen-utf8\"}]", NC_STRING, NCZ_KIND_OBJECT, 16, NC_ENDIAN_NATIVE},
        {"\"bytes\"", "[]", "[{\"name\": \"vlen-bytes\"}]", NC_STRING, NCZ_KIND_OBJECT, 16, NC_ENDIAN_NATIVE},
        {"\"variable_length_bytes\"", "\"\"", "[{\"name\": \"vlen-bytes\"}]", NC_STRING, NCZ_KIND_OBJECT, 16,
         NC_ENDIAN_NATIVE},
        {"{\"name\": \"fixed_length_utf32\", \"configuration\": {\"length_bytes\": 20}}", "\"\"", NULL, NC_STRING,
         NCZ_KIND_UCS4, 20, NC_ENDIAN_LITTLE},
        {"{\"name\": \"null_terminated_bytes\", \"configuration\": {\"length_bytes\": 5}}", "\"\"", NULL, NC_STRING,
         NCZ_KIND_BYTES, 5, NC_ENDIAN_NATIVE},
        {"{\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"s\", \"scale_factor\": 1}}", "\"NaT\"",
         NULL, NC_INT64, NCZ_KIND_INT, 8, NC_ENDIAN_LITTLE},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = cases[i].fill, .codecs = cases[i].codecs};
        ncz_model      *m = load_one(&a);
        const ncz_var  *v = var_at(m, "v");

        if (v->spec->unusable->code != NC_NOERR || v->type->id != cases[i].id || v->dtype.kind != cases[i].kind ||
            v->dtype.size != cases[i].size || v->endian != cases[i].endian)
            fail_msg("%s: type %d kind %d size %zu endian %d %s", cases[i].type, v->type->id, (int)v->dtype.kind,
                     v->dtype.size, v->endian, v->spec->unusable->text);
        ncz_model_free(m);
    }
}

/* Listed, inquired, with their attributes and a readable name; only the data are out of reach. */
TEST(types_without_meaning)
{
    static const struct {
        const char *type, *name;
        size_t      size;
        int         code;
    } cases[] = {
        {"\"complex_float16\"", "complex_float16", 4, NC_EBADTYPE},
        {"\"bfloat16\"", "bfloat16", 2, NC_EBADTYPE},
        {"\"float8_e4m3\"", "float8_e4m3", 1, NC_EBADTYPE},
        {"\"int4\"", "int4", 1, NC_EBADTYPE},
        {"\"r12\"", "r12", 1, NC_EBADTYPE},
        {"\"r0\"", "r0", 1, NC_EBADTYPE},
        {"\"r99999999999999999999999\"", "r99999999999999999999999", 1, NC_EBADTYPE},
        {"{\"name\": \"struct\", \"configuration\": {\"fields\": [{\"name\": \"a\", \"data_type\": \"string\"}]}}",
         "structure", 16, NC_EBADTYPE},
        {"{\"name\": \"structured\", \"configuration\": {\"fields\": [[\"\", \"int32\"], [\"b\", \"bool\"]]}}",
         "structure", 5, NC_EBADTYPE},
        {"{\"name\": \"struct\", \"configuration\": {\"fields\": []}}", "structure", 1, NC_EBADTYPE},
        {"\"struct\"", "structure", 1, NC_EBADTYPE},
        {"\"no.such_type\"", "no.such_type", 1, NC_EBADTYPE},
        {"\"<f4\"", "<f4", 1, NC_EBADTYPE},
        {"17", "17", 1, NC_EZARRMETA},
        {"{}", "{}", 1, NC_EZARRMETA},
        {"", "unknown", 1, NC_EZARRMETA},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = "null", .more = ", \"attributes\": {\"units\": \"m\"}"};
        ncz_model      *m = load_one(&a);
        ncz_var        *v = var_at(m, "v");
        ncz_buf         name = NCZ_BUF_INIT;

        assert_int_equal(v->type->id, NC_NAT);
        assert_int_equal(ncz_format_type_name(m, v, &name), NC_NOERR);
        if (v->unusable->code != cases[i].code || v->dtype.size != cases[i].size ||
            strcmp(name.data, cases[i].name) != 0 || strstr(v->unusable->text, "v/zarr.json: ") == NULL ||
            strstr(v->unusable->text, "data_type") == NULL)
            fail_msg("%s: %d %s, size %zu, %s", cases[i].type, v->unusable->code, v->unusable->text, v->dtype.size,
                     name.data);
        assert_int_equal(v->rank, 1);
        assert_int_equal(att_at(&v->atts, "units")->len, 1);
        ncz_buf_clear(&name);
        ncz_model_free(m);
    }
}

TEST(time_types_get_units)
{
    static const struct {
        const char *type, *units; /* NULL: none */
    } cases[] = {
        {"{\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"D\", \"scale_factor\": 1}}",
         "days since 1970-01-01"},
        {"{\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"us\", \"scale_factor\": 10}}",
         "10 microseconds since 1970-01-01"},
        {"{\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"\xc2\xb5s\"}}",
         "microseconds since 1970-01-01"},
        {"{\"name\": \"numpy.timedelta64\", \"configuration\": {\"unit\": \"h\", \"scale_factor\": 1}}", "hours"},
        {"{\"name\": \"numpy.timedelta64\", \"configuration\": {\"unit\": \"generic\", \"scale_factor\": 1}}", NULL},
        {"{\"name\": \"numpy.timedelta64\", \"configuration\": {\"unit\": \"s\", \"scale_factor\": 0}}", NULL},
        {"\"numpy.datetime64\"", NULL},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = "\"NaT\""};
        ncz_model      *m = load_one(&a);
        const ncz_var  *v = var_at(m, "v");
        const ncz_att  *units = ncz_atts_find(&v->atts, "units");

        assert_int_equal(v->spec->unusable->code, NC_NOERR);
        assert_int_equal(v->fill_mode, NCZ_FILL_VALUE);
        assert_true(*(int64_t *)v->fill == INT64_MIN);
        assert_int_equal(units != NULL, cases[i].units != NULL);
        if (units != NULL) {
            assert_int_equal(units->len, strlen(cases[i].units));
            assert_memory_equal(units->data, cases[i].units, units->len);
            assert_string_equal(units->raw, ""); /* of the reader: never written */
            assert_true(*(int64_t *)att_at(&v->atts, "_FillValue")->data == INT64_MIN);
        }
        ncz_model_free(m);
    }
}

/* ---- fill values ----------------------------------------------------------------------------------------------- */

/* The variable's fill value as a double. */
static double
fill_number(const ncz_var *v)
{
    double d = 0;

    assert_int_equal(v->fill_mode, NCZ_FILL_VALUE);
    assert_int_equal(ncz_convert(v->type, v->fill, ncz_type_of(NC_DOUBLE), &d, 1, false), NC_NOERR);
    return d;
}

TEST(fill_numbers)
{
    static const struct {
        const char *type, *fill;
        double      value;
    } cases[] = {
        {"\"bool\"", "true", 1},
        {"\"bool\"", "false", 0},
        {"\"bool\"", "1", 1},
        {"\"int8\"", "-128", -128},
        {"\"int16\"", "5.0", 5},
        {"\"int32\"", "false", 0},
        {"\"uint32\"", "4294967294", 4294967294.0},
        {"\"float16\"", "0.5", 0.5},
        {"\"float16\"", "\"0x3c00\"", 1},
        {"\"float16\"", "\"-Infinity\"", -INFINITY},
        {"\"float32\"", "1.0000000200408773e+20", 1.0000000200408773e+20},
        {"\"float32\"", "\"0xbf800000\"", -1},
        {"\"float32\"", "\"0xBF800000\"", -1},
        {"\"float32\"", "\"NaN\"", NAN},
        {"\"float32\"", "NaN", NAN},
        {"\"float64\"", "\"Infinity\"", INFINITY},
        {"\"float64\"", "\"0x3ff0000000000000\"", 1},
        {"\"float64\"", "-0.0", -0.0},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = cases[i].fill};
        ncz_model      *m = load_one(&a);
        double          got = fill_number(var_at(m, "v"));

        if (!(isnan(cases[i].value) ? isnan(got) : got == cases[i].value && signbit(got) == signbit(cases[i].value)))
            fail_msg("%s %s: %g", cases[i].type, cases[i].fill, got);
        ncz_model_free(m);
    }
}

TEST(exact_fill_numbers)
{
    const array_doc least = {.type = "\"int64\"", .fill = "-9223372036854775807"};
    const array_doc most = {.type = "\"uint64\"", .fill = "18446744073709551615"};
    const array_doc payload = {.type = "\"float32\"", .fill = "\"0x7fc00123\""};
    const array_doc default_fill = {.type = "\"int32\"", .fill = "-2147483647"};
    const array_doc none = {.type = "\"int32\"", .fill = "null"};
    ncz_model      *m = load_one(&least);
    uint32_t        bits;

    assert_true(*(int64_t *)var_at(m, "v")->fill == -INT64_MAX);
    ncz_model_free(m);
    m = load_one(&most);
    assert_true(*(uint64_t *)var_at(m, "v")->fill == UINT64_MAX);
    ncz_model_free(m);
    m = load_one(&payload);
    memcpy(&bits, var_at(m, "v")->fill, sizeof bits);
    assert_int_equal(bits, 0x7fc00123);
    ncz_model_free(m);
    m = load_one(&default_fill);
    assert_int_equal(var_at(m, "v")->fill_mode, NCZ_FILL_DEFAULT);
    ncz_model_free(m);
    m = load_one(&none); /* GDAL writes it: missing chunks are zero bytes */
    assert_int_equal(var_at(m, "v")->fill_mode, NCZ_FILL_NONE);
    assert_null(var_at(m, "v")->spec->fill);
    ncz_model_free(m);
}

TEST(fill_texts)
{
#define SIZED(name, n) "{\"name\": \"" name "\", \"configuration\": {\"length_bytes\": " n "}}"
    static const struct {
        const char *type, *fill, *codecs, *text; /* NULL: the default */
    } cases[] = {
        {"\"string\"", "\"\"", "[{\"name\": \"vlen-utf8\"}]", NULL},
        {"\"string\"", "\"YWI=\"", "[{\"name\": \"vlen-utf8\"}]", "YWI="},
        {"\"bytes\"", "[]", "[{\"name\": \"vlen-bytes\"}]", NULL},
        {"\"bytes\"", "[97, 98]", "[{\"name\": \"vlen-bytes\"}]", "ab"},
        {"\"variable_length_bytes\"", "\"YWI=\"", "[{\"name\": \"vlen-bytes\"}]", "ab"},
        {SIZED("fixed_length_utf32", "8"), "\"\xc3\xa9\"", NULL, "\xc3\xa9"},
        {SIZED("null_terminated_bytes", "5"), "\"YWI=\"", NULL, "ab"},
        {SIZED("null_terminated_bytes", "5"), "\"AAAAAAA=\"", NULL, NULL},
        {SIZED("null_terminated_bytes", "2"), "\"YWJj\"", NULL, "ab"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = cases[i].fill, .codecs = cases[i].codecs};
        ncz_model      *m = load_one(&a);
        const ncz_var  *v = var_at(m, "v");

        assert_int_equal(v->spec->unusable->code, NC_NOERR);
        if (cases[i].text == NULL)
            assert_int_equal(v->fill_mode, NCZ_FILL_DEFAULT);
        else
            assert_string_equal(*(char **)v->fill, cases[i].text);
        ncz_model_free(m);
    }
}

TEST(broken_fill_values)
{
    static const struct {
        const char *type, *fill;
    } cases[] = {
        {"\"int8\"", "128"},
        {"\"uint8\"", "-1"},
        {"\"int32\"", "1.5"},
        {"\"int32\"", "\"NaN\""},
        {"\"int32\"", "{}"},
        {"\"float32\"", "\"0x7fc0\""},
        {"\"float32\"", "\"0xzz800000\""},
        {"\"float32\"", "\"x\""},
        {"\"float32\"", "[1, 2]"},
        {"\"int32\"", "\"0x00000001\""},
        {"\"float32\"", ""},
        {"\"uint64\"", "18446744073709551616"},
        {SIZED("null_terminated_bytes", "5"), "[256]"},
        {SIZED("null_terminated_bytes", "5"), "[1.5]"},
        {SIZED("null_terminated_bytes", "5"), "{}"},
        {SIZED("fixed_length_utf32", "4"), "1"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = cases[i].fill};
        ncz_model      *m = load_one(&a);
        const ncz_var  *v = var_at(m, "v");

        if (v->unusable->code != NC_EZARRMETA || strstr(v->unusable->text, "v/zarr.json: ") == NULL ||
            strstr(v->unusable->text, "\"fill_value\"") == NULL)
            fail_msg("%s %s: %d %s", cases[i].type, cases[i].fill, v->unusable->code, v->unusable->text);
        ncz_model_free(m);
    }
}

/* Of a plain dataset only what is missing by itself is shown: xarray does not mask by fill_value in version 3. */
TEST(shown_fill_values)
{
    static const struct {
        const char *type, *fill;
        bool        shown;
    } cases[] = {
        {"\"float32\"", "0", false},  {"\"float32\"", "-9999", false},  {"\"float32\"", "\"NaN\"", true},
        {"\"float64\"", "NaN", true}, {"\"float16\"", "\"NaN\"", true}, {"\"int64\"", "-9223372036854775808", false},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.type = cases[i].type, .fill = cases[i].fill};
        ncz_model      *m = load_one(&a);

        assert_int_equal(ncz_atts_find(&var_at(m, "v")->atts, "_FillValue") != NULL, cases[i].shown);
        ncz_model_free(m);
    }
}

/* ---- layouts --------------------------------------------------------------------------------------------------- */

/* What one of the big readers accepts, and what is clear, is accepted. */
TEST(what_is_clear_is_accepted)
{
    static const array_doc cases[] = {
        {.codecs = "[\"bytes\"]", .type = "\"int8\""},
        {.keys = "\"default\""},
        {.keys = "{\"name\": \"default\"}"},
        {.keys = "{\"name\": \"default\", \"configuration\": {}}"},
        {.type = "{\"name\": \"float32\"}"},
        {.shape = "[3.0]"},
        {.more = ", \"attributes\": null"},
        {.more = ", \"dimension_names\": null"},
        {.more = ", \"storage_transformers\": []"},
        {.more = ", \"storage_transformers\": null"},
        {.more = ", \"extra\": {\"must_understand\": false, \"x\": 1}"},
        {.codecs = "[{\"name\": \"bytes\"}]"},
        {.codecs = "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}, \"must_understand\": true}]"},
        {.codecs = "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"gzip\"}]"},
        {.codecs = "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"zstd\"}]"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model     *m = load_one(&cases[i]);
        const ncz_var *v = var_at(m, "v");

        if (v->spec->unusable->code != NC_NOERR)
            fail_msg("case %zu: %s", i, v->spec->unusable->text);
        assert_true(v->rank == 1 && v->dims[0]->len == 3);
        ncz_model_free(m);
    }
}

TEST(key_encodings)
{
    static const struct {
        const char *keys, *key;
    } cases[] = {
        {"{\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}", "v/c/1/2"},
        {"{\"name\": \"default\", \"configuration\": {\"separator\": \"\\/\"}}", "v/c/1/2"},
        {"{\"name\": \"default\", \"configuration\": {\"separator\": \".\"}}", "v/c.1.2"},
        {"{\"name\": \"v2\"}", "v/1.2"},
        {"{\"name\": \"v2\", \"configuration\": {\"separator\": \".\"}}", "v/1.2"},
        {"{\"name\": \"v2\", \"configuration\": {\"separator\": \"/\"}}", "v/1/2"},
        {"\"v2\"", "v/1.2"},
    };
    const uint64_t index[2] = {1, 2};

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.keys = cases[i].keys, .shape = "[4, 4]"};
        ncz_model      *m = load_one(&a);
        const ncz_spec *spec = var_at(m, "v")->spec;
        ncz_buf         key = NCZ_BUF_INIT;
        ncz_chunk_addr  where;

        assert_int_equal(spec->unusable->code, NC_NOERR);
        assert_int_equal(ncz_spec_locate(spec, index, &key, &where), NC_NOERR);
        assert_string_equal(where.key, cases[i].key);
        ncz_buf_clear(&key);
        ncz_model_free(m);
    }
}

TEST(sharded_arrays_are_read)
{
    const array_doc a = {
        .shape = "[8, 12]",
        .codecs = "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [4, 3], \"codecs\": " LITTLE
                  ", \"index_codecs\": " LITTLE ", \"index_location\": \"start\"}}]"};
    ncz_model     *m = load_one(&a);
    const ncz_var *v = var_at(m, "v");

    assert_int_equal(v->spec->unusable->code, NC_NOERR);
    assert_true(v->shard != NULL && v->shard[0] == 8 && v->shard[1] == 12);
    assert_true(v->chunk[0] == 4 && v->chunk[1] == 3);
    assert_true(v->spec->layout->nslots == 8 && v->spec->layout->object[0] == 2 && v->spec->layout->object[1] == 4);
    assert_true(v->shard_layout.at_start && v->shard_layout.no_checksum && !v->shard_layout.big);
    ncz_model_free(m);
}

/* A scalar, and a dimension of length 0 with chunks of length 0. */
TEST(odd_shapes)
{
    const array_doc scalar = {.shape = "[]", .more = ", \"dimension_names\": []"};
    const array_doc empty = {.shape = "[0]", .more = ", \"dimension_names\": [\"t\"]"};
    ncz_model      *m = load_one(&scalar);

    assert_int_equal(var_at(m, "v")->rank, 0);
    assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_NOERR);
    ncz_model_free(m);
    m = load_one(&empty);
    assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_NOERR);
    assert_true(var_at(m, "v")->dims[0]->unlimited && var_at(m, "v")->chunk[0] == 1);
    ncz_model_free(m);
}

/* ---- dimensions ------------------------------------------------------------------------------------------------ */

TEST(dimension_names)
{
    static const struct {
        const char *names, *first, *second;
    } cases[] = {
        {", \"dimension_names\": [\"y\", \"x\"]", "y", "x"},
        {", \"dimension_names\": [\"y\", null]", "y", "_Anonymous_Dim_3"},
        {", \"dimension_names\": [\"x\", \"x\"]", "x", "_Anonymous_Dim_3"},
        {", \"dimension_names\": [\"y\"]", "_Anonymous_Dim_2", "_Anonymous_Dim_3"},
        {", \"dimension_names\": [\"\", \"a/b\"]", "_Anonymous_Dim_2", "_Anonymous_Dim_3"},
        {", \"dimension_names\": {\"a\": 1, \"b\": 2}", "_Anonymous_Dim_2", "_Anonymous_Dim_3"},
        {"", "_Anonymous_Dim_2", "_Anonymous_Dim_3"},
        {", \"attributes\": {\"_ARRAY_DIMENSIONS\": [\"a\", \"b\"]}", "_Anonymous_Dim_2", "_Anonymous_Dim_3"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const array_doc a = {.shape = "[2, 3]", .more = cases[i].names};
        ncz_model      *m = load_one(&a);
        const ncz_var  *v = var_at(m, "v");

        if (strcmp(v->dims[0]->name, cases[i].first) != 0 || strcmp(v->dims[1]->name, cases[i].second) != 0)
            fail_msg("%s: %s, %s", cases[i].names, v->dims[0]->name, v->dims[1]->name);
        ncz_model_free(m);
    }
}

TEST(repeated_names)
{
    const array_doc a = {.shape = "[3, 3]", .more = ", \"dimension_names\": [\"x\", \"x\"]"};
    ncz_model      *m = load_one(&a);
    const ncz_var  *v = var_at(m, "v");

    assert_string_equal(v->dims[0]->name, "x");
    assert_ptr_equal(v->dims[0], v->dims[1]);
    assert_int_equal(m->root->ndims, 1);
    ncz_model_free(m);
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

/* All forms of _FillValue that xarray and others write. */
TEST(fill_attributes)
{
    static const struct {
        const char *type, *atts;
        nc_type     id;
        double      value;
    } cases[] = {
        {"\"float32\"", "\"_FillValue\": \"AAAAAAA4j8A=\"", NC_FLOAT, -999},
        {"\"float64\"", "\"_FillValue\": \"AAAAAAAAIsA=\"", NC_DOUBLE, -9},
        {"\"float64\"", "\"_FillValue\": \"AAAAAAAA+H8=\"", NC_DOUBLE, NAN},
        {"\"float16\"", "\"_FillValue\": \"AAAAAAAAIsA=\"", NC_FLOAT, -9},
        {"\"float32\"", "\"_FillValue\": -9", NC_FLOAT, -9},
        {"\"float32\"", "\"_FillValue\": [-9.5]", NC_FLOAT, -9.5},
        {"\"float32\"", "\"_FillValue\": \"NaN\"", NC_FLOAT, NAN},
        {"\"float32\"", "\"_FillValue\": NaN", NC_FLOAT, NAN},
        {"\"float32\"", "\"_FillValue\": \"-Infinity\"", NC_FLOAT, -INFINITY},
        {"\"int16\"", "\"_FillValue\": -1", NC_SHORT, -1},
        {"\"bool\"", "\"_FillValue\": true", NC_UBYTE, 1},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char           more[128];
        array_doc      a = {.type = cases[i].type, .more = more};
        ncz_model     *m;
        const ncz_att *att;
        double         got = 0;

        snprintf(more, sizeof more, ", \"attributes\": {%s}", cases[i].atts);
        m = load_one(&a);
        att = att_at(&var_at(m, "v")->atts, "_FillValue");
        if (att->type->id == cases[i].id && att->len == 1)
            assert_int_equal(ncz_convert(att->type, att->data, ncz_type_of(NC_DOUBLE), &got, 1, false), NC_NOERR);
        if (att->type->id != cases[i].id || !(isnan(cases[i].value) ? isnan(got) : got == cases[i].value))
            fail_msg("%s %s: type %d, %g", cases[i].type, cases[i].atts, att->type->id, got);
        ncz_model_free(m);
    }
}

TEST(other_attributes)
{
    const array_doc a = {.more = ", \"attributes\": {\"_FillValue\": \"AAAAAAAAIsA=\", \"b64\": \"AAAAAAAAIsA=\", "
                                 "\"list\": [1.5, NaN, Infinity], \"nested\": {\"a\": [1, null]}, \"none\": null, "
                                 "\"_nczarr_array\": {}, \"_nczarr_attrs\": {}, \"_nczarr_attr\": {}}"};
    ncz_model      *m = load_one(&a);
    const ncz_atts *atts = &var_at(m, "v")->atts;
    const ncz_att  *att = att_at(atts, "b64");

    assert_true(att->type->id == NC_CHAR && att->len == 12);
    att = att_at(atts, "list");
    assert_true(att->type->id == NC_DOUBLE && att->len == 3);
    assert_true(isnan(((double *)att->data)[1]) && isinf(((double *)att->data)[2]));
    att = att_at(atts, "nested");
    assert_true(att->type->id == NC_CHAR && att->len == strlen("{\"a\": [1, null]}"));
    assert_int_equal(att_at(atts, "none")->len, 4);
    assert_int_equal(atts->n, 5);
    ncz_model_free(m);
}

/* ---- trees ----------------------------------------------------------------------------------------------------- */

TEST(listed_tree)
{
    const array_doc a = {.type = NULL};
    docmap          d = {.v = NULL};
    ncz_model      *m;

    docmap_puts(&d, "zarr.json",
                "{\"zarr_format\": 3.0, \"node_type\": \"group\", \"attributes\": {\"title\": \"x\"}, "
                "\"consolidated_metadata\": null}");
    put_array(&d, "b/zarr.json", &a);
    put_array(&d, "g/a/zarr.json", &a);
    docmap_puts(&d, "g/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": null}");
    put_array(&d, "implied/c/zarr.json", &a);
    docmap_puts(&d, "junk/readme.txt", "hello");
    docmap_puts(&d, "old/.zarray", "{}"); /* of version 2 */
    docmap_puts(&d, "unreadable/zarr.json", "{\"zarr_format\"");
    docmap_puts(&d, "neither/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"tree\"}");
    m = must_load(&d, NULL);
    assert_int_equal(m->root->nvars, 3);
    assert_int_equal(m->root->ngroups, 2);
    assert_int_equal(var_at(m, "b")->unusable->code, NC_NOERR);
    assert_non_null(strstr(var_at(m, "unreadable")->unusable->text, "unreadable/zarr.json"));
    assert_non_null(strstr(var_at(m, "neither")->unusable->text, "neither/zarr.json: \"node_type\""));
    assert_string_equal(m->root->groups[0]->vars[0]->name, "a");
    assert_string_equal(m->root->groups[1]->name, "implied");
    assert_int_equal(att_at(&m->root->atts, "title")->len, 1);
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(lone_array)
{
    const array_doc a = {.more = ", \"attributes\": {\"units\": \"m\"}"};
    const uint64_t  index[1] = {7};
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;
    ncz_buf         key = NCZ_BUF_INIT;
    ncz_chunk_addr  where;

    put_array(&d, "zarr.json", &a);
    m = must_load(&d, &style);
    assert_true(style.readonly && style.gen == NCZ_GEN_PURE);
    assert_int_equal(m->root->nvars, 1);
    assert_int_equal(ncz_spec_locate(var_at(m, "data")->spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "c/7");
    ncz_buf_clear(&key);
    ncz_model_free(m);
    docmap_clear(&d);
}

/* A root of both versions is read as version 3, unless that is broken. */
TEST(both_versions)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_load_opts   wish = wish_default;
    ncz_model      *m;

    docmap_puts(&d, ".zgroup", "{\"zarr_format\": 2}");
    docmap_puts(&d, ".zattrs", "{\"two\": 2}");
    docmap_puts(&d, "zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"three\": 3}}");
    m = must_load(&d, &style);
    assert_ptr_equal(style.dialect, &ncz_zarr3);
    att_at(&m->root->atts, "three");
    ncz_model_free(m);
    wish.zarr_format = 2;
    assert_int_equal(load_with(&d, &wish, &ncz_limits_default, &m, &style), NC_NOERR);
    att_at(&m->root->atts, "two");
    ncz_model_free(m);
    docmap_puts(&d, "zarr.json", "{\"zarr_format\": 3, \"node_type\": 5}");
    m = must_load(&d, &style);
    att_at(&m->root->atts, "two");
    ncz_model_free(m);
    wish.zarr_format = 3;
    assert_int_equal(load_with(&d, &wish, &ncz_limits_default, &m, &style), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "zarr.json: \"node_type\""));
    docmap_clear(&d);
}

TEST(broken_roots)
{
    static const struct {
        const char *text, *says;
        int         code;
    } cases[] = {
        {"{\"zarr_format\": 4, \"node_type\": \"group\"}", "\"zarr_format\" is 4", NC_EZARRMETA},
        {"{\"node_type\": \"group\"}", "\"zarr_format\" is missing", NC_EZARRMETA},
        {"{\"zarr_format\": \"3\", \"node_type\": \"group\"}", "\"zarr_format\" is \"3\"", NC_EZARRMETA},
        {"{\"zarr_format\": 3}", "\"node_type\"", NC_EZARRMETA},
        {"{\"zarr_format\": 3, \"node_type\": \"Group\"}", "\"node_type\"", NC_EZARRMETA},
        {"{\"zarr_format\": 3, ", "zarr.json", NC_EZARRMETA},
        {"{}", ".zgroup", NC_ENOTZARR},
        {"[]", ".zgroup", NC_ENOTZARR},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap          d = {.v = NULL};
        ncz_format_opts style;
        ncz_model      *m;
        int             rc;

        docmap_puts(&d, "zarr.json", cases[i].text);
        rc = load(&d, &m, &style);
        if (rc != cases[i].code || strstr(ncz_err_text(), cases[i].says) == NULL)
            fail_msg("%s: %d %s", cases[i].text, rc, ncz_err_text());
        docmap_clear(&d);
    }
}

/* ---- NCZarr ---------------------------------------------------------------------------------------------------- */

#define DIMS "\"dimensions\": {\"time\": {\"size\": 2, \"unlimited\": 1}, \"x\": {\"size\": 6, \"unlimited\": 0}}"

TEST(nczarr_keys)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_load_opts   pure = {.pure = true, .xarray = true};
    ncz_model      *m;
    const ncz_var  *v;
    array_doc       a = {.shape = "[2, 6]"};

    docmap_puts(&d, "zarr.json",
                "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"title\": \"test\", \"n\": 5, "
                "\"_nczarr_default_separator\": \".\", \"_nczarr_superblock\": {\"version\": \"3.0.0\"}, "
                "\"_nczarr_group\": {" DIMS
                ", \"arrays\": [\"t\", \"chr\", \"str\", \"gone\"], \"groups\": [\"g\"]}, "
                "\"_nczarr_attrs\": {\"attribute_types\": {\"title\": \"char\", \"n\": \"uint8\"}}}}");
    docmap_puts(
        &d, "g/zarr.json",
        "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"s\": 1, \"_nczarr_group\": "
        "{\"dimensions\": {}, \"arrays\": [], \"groups\": []}, \"_nczarr_attr\": {\"types\": {\"s\": \"<i2\"}}}}");
    a.more = ", \"dimension_names\": [\"time\", \"x\"], \"attributes\": {\"units\": \"K\", \"_nczarr_array\": "
             "{\"dimension_references\": [\"/time\", \"/x\"], \"storage\": \"chunked\"}, \"_nczarr_attrs\": "
             "{\"attribute_types\": {\"units\": \"char\", \"_FillValue\": \"float32\"}}}";
    a.fill = "-9";
    put_array(&d, "t/zarr.json", &a);
    a = (array_doc){.type = "\"uint8\"",
                    .shape = "[6]",
                    .fill = "0",
                    .more = ", \"attributes\": {\"_nczarr_array\": {\"dimension_references\": [\"/x\"], "
                            "\"nczarr_type\": \"char\"}}"};
    put_array(&d, "chr/zarr.json", &a);
    a = (array_doc){.type = "\"r64\"",
                    .shape = "[2]",
                    .fill = "\"\"",
                    .more = ", \"attributes\": {\"_nczarr_array\": {\"dimension_references\": [\"/time\"], "
                            "\"nczarr_type\": \"string\"}}"};
    put_array(&d, "str/zarr.json", &a);
    a = (array_doc){.type = NULL};
    put_array(&d, "unlisted/zarr.json", &a);
    m = must_load(&d, &style);
    assert_true(style.gen == NCZ_GEN_V3 && !style.classic);
    assert_int_equal(m->root->nvars, 4);
    assert_int_equal(m->root->ndims, 2);
    assert_true(m->root->dims[0]->unlimited && !m->root->dims[1]->unlimited);
    assert_int_equal(att_at(&m->root->atts, "n")->type->id, NC_UBYTE);
    assert_int_equal(m->root->atts.n, 2);
    assert_int_equal(att_at(&m->root->groups[0]->atts, "s")->type->id, NC_SHORT);
    v = var_at(m, "t");
    assert_ptr_equal(v->dims[0], m->root->dims[0]);
    assert_true(*(float *)att_at(&v->atts, "_FillValue")->data == -9); /* only the types name it */
    assert_int_equal(v->atts.n, 2);
    assert_int_equal(var_at(m, "chr")->type->id, NC_CHAR);
    assert_true(var_at(m, "str")->type->id == NC_STRING && var_at(m, "str")->dtype.size == 8);
    assert_int_equal(var_at(m, "gone")->unusable->code, NC_EZARRMETA);
    assert_non_null(strstr(var_at(m, "gone")->unusable->text, "gone/zarr.json"));
    ncz_model_free(m);

    assert_int_equal(load_with(&d, &pure, &ncz_limits_default, &m, &style), NC_NOERR);
    assert_true(style.gen == NCZ_GEN_PURE && style.readonly);
    assert_int_equal(var_at(m, "unlisted")->unusable->code, NC_NOERR);
    assert_int_equal(var_at(m, "chr")->type->id, NC_UBYTE);
    assert_false(var_at(m, "t")->dims[0]->unlimited);
    assert_null(ncz_atts_find(&m->root->atts, "_nczarr_group"));
    ncz_model_free(m);
    docmap_clear(&d);
}

/* A document that was not understood completely is not written again. */
TEST(unknown_members)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;

    docmap_puts(&d, "zarr.json",
                "{\"zarr_format\": 3, \"node_type\": \"group\", \"other\": {\"must_understand\": false}}");
    m = must_load(&d, &style);
    assert_true(style.readonly);
    ncz_model_free(m);
    docmap_puts(&d, "zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": [1]}");
    m = must_load(&d, &style);
    assert_true(style.readonly && m->root->atts.n == 0);
    ncz_model_free(m);
    docmap_puts(&d, "zarr.json", GROUP);
    m = must_load(&d, &style);
    assert_false(style.readonly);
    ncz_model_free(m);
    docmap_clear(&d);
}

static int
load_once(void *arg)
{
    ncz_format_opts style;
    ncz_model      *m = NULL;
    int             rc = load(arg, &m, &style);

    ncz_model_free(m);
    return rc;
}

/* Wherever memory runs out, loading fails cleanly. */
TEST(without_memory)
{
    const array_doc a = {.shape = "[8, 12]",
                         .fill = "\"0x7fc00123\"",
                         .more = ", \"dimension_names\": [\"y\", null], \"attributes\": {\"_FillValue\": "
                                 "\"AAAAAAAAIsA=\", \"l\": [\"a\", \"b\"]}"};
    const array_doc s = {.type = SIZED("null_terminated_bytes", "5"), .fill = "\"YWI=\""};
    const array_doc broken = {.fill = "\"x\""};
    docmap          d = {.v = NULL};

    docmap_puts(&d, "zarr.json", GROUP);
    put_array(&d, "v/zarr.json", &a);
    put_array(&d, "s/zarr.json", &s);
    put_array(&d, "w/zarr.json", &broken);
    each_allocation_fails(load_once, &d);
    docmap_clear(&d);
}
