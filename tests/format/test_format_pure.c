/* SPDX-License-Identifier: BSD-3-Clause */
/* Pure Zarr v2 as all kinds of writers leave it: types, dimensions, attributes, odd layouts. */
#include "fixture.h"

#include "format/zarr2/zarr2.h"

#include <math.h>

#define ZGROUP "{\"zarr_format\": 2}"

/* A root group and one array "v" with these members (shape, chunks and fill_value given) and attributes. */
static void
one_array(docmap *d, const char *dtype, const char *shape, const char *fill, const char *more, const char *attrs)
{
    char text[2048];

    *d = (docmap){.v = NULL};
    docmap_puts(d, ".zgroup", ZGROUP);
    snprintf(text, sizeof text,
             "{\"zarr_format\": 2, \"shape\": %s, \"chunks\": %s, \"dtype\": %s, \"fill_value\": %s, "
             "\"order\": \"C\", \"compressor\": null, \"filters\": null%s}",
             shape, shape, dtype, fill, more);
    docmap_puts(d, "v/.zarray", text);
    if (attrs != NULL)
        docmap_puts(d, "v/.zattrs", attrs);
}

static ncz_model *
load_one(const char *dtype, const char *shape, const char *fill, const char *more, const char *attrs)
{
    docmap     d;
    ncz_model *m;

    one_array(&d, dtype, shape, fill, more, attrs);
    m = must_load(&d, NULL);
    docmap_clear(&d);
    return m;
}

TEST(zarr_types_become_netcdf_types)
{
    static const struct {
        const char *dtype, *fill;
        nc_type     type;
        ncz_kind    kind;
        size_t      size;
        int         endian;
    } cases[] = {
        {"\"|b1\"", "false", NC_UBYTE, NCZ_KIND_BOOL, 1, NC_ENDIAN_NATIVE},
        {"\"<f2\"", "0", NC_FLOAT, NCZ_KIND_FLOAT, 2, NC_ENDIAN_LITTLE},
        {"\">f4\"", "0.5", NC_FLOAT, NCZ_KIND_FLOAT, 4, NC_ENDIAN_BIG},
        {"\"|i1\"", "0", NC_BYTE, NCZ_KIND_INT, 1, NC_ENDIAN_NATIVE},
        {"\"|u1\"", "0", NC_UBYTE, NCZ_KIND_UINT, 1, NC_ENDIAN_NATIVE},
        {"\"|i4\"", "0", NC_INT, NCZ_KIND_INT, 4, NC_ENDIAN_NATIVE},
        {"\"=i8\"", "0", NC_INT64, NCZ_KIND_INT, 8, NC_ENDIAN_NATIVE},
        {"\"i2\"", "0", NC_SHORT, NCZ_KIND_INT, 2, NC_ENDIAN_NATIVE},
        {"\"<u8\"", "18446744073709551615", NC_UINT64, NCZ_KIND_UINT, 8, NC_ENDIAN_LITTLE},
        {"\"|S1\"", "\"\"", NC_STRING, NCZ_KIND_BYTES, 1, NC_ENDIAN_NATIVE},
        {"\">S1\"", "\"\"", NC_STRING, NCZ_KIND_BYTES, 1, NC_ENDIAN_NATIVE},
        {"\"|S12\"", "\"\"", NC_STRING, NCZ_KIND_BYTES, 12, NC_ENDIAN_NATIVE},
        {"\"<U3\"", "\"\"", NC_STRING, NCZ_KIND_UCS4, 12, NC_ENDIAN_LITTLE},
        {"\">U1\"", "\"\"", NC_STRING, NCZ_KIND_UCS4, 4, NC_ENDIAN_BIG},
        {"\"<M8[s]\"", "0", NC_INT64, NCZ_KIND_INT, 8, NC_ENDIAN_LITTLE},
        {"\"<m8[10us]\"", "0", NC_INT64, NCZ_KIND_INT, 8, NC_ENDIAN_LITTLE},
        {"\"<m8\"", "0", NC_INT64, NCZ_KIND_INT, 8, NC_ENDIAN_LITTLE},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model *m = load_one(cases[i].dtype, "[3]", cases[i].fill, "", NULL);
        ncz_var   *v = var_at(m, "v");

        if (v->unusable->code != NC_NOERR || v->type->id != cases[i].type || v->dtype.kind != cases[i].kind ||
            v->dtype.size != cases[i].size || v->endian != cases[i].endian)
            fail_msg("%s: type %d kind %d size %zu endian %d %s", cases[i].dtype, v->type->id, (int)v->dtype.kind,
                     v->dtype.size, v->endian, v->unusable->text);
        assert_int_equal(v->spec->chunk_bytes, 3 * cases[i].size);
        ncz_model_free(m);
    }
}

/* Records, complex numbers and raw bytes get types that are named after their variables, in C's layout. */
TEST(records_become_compounds_in_cs_layout)
{
    static const char nested[] = "[[\"a\", \"|b1\"], [\"\", \"|V3\"], [\"p\", [[\"x\", \">f8\"], [\"s\", \"|S4\"]]], "
                                 "[[\"title\", \"m\"], \"<i2\", [2, 3]], [\"z\", \"<c8\"], [\"c\", \"|S1\", 5], "
                                 "[\"w\", \"|S7\", [2]], [\"k\", \"|S1\"]]";
    ncz_model        *m = load_one(nested, "[3]", "null", "", "{}");
    const ncz_var    *v = var_at(m, "v");
    const ncz_type   *t = v->type, *p;

    assert_int_equal(v->unusable->code, NC_NOERR);
    assert_int_equal(v->spec->unusable->code, NC_NOERR);
    assert_int_equal(v->dtype.size, 1 + 3 + 12 + 12 + 8 + 5 + 14 + 1);
    assert_string_equal(t->name, "v_t");
    assert_true(t->class == NCZ_TYPE_COMPOUND && t->nfields == 7 && !t->owns);
    assert_true(strcmp(t->fields[0].name, "a") == 0 && t->fields[0].type->id == NC_UBYTE);
    p = t->fields[1].type;
    assert_true(strcmp(p->name, "v_p_t") == 0 && p->nfields == 2 && p->fields[0].type->id == NC_DOUBLE);
    assert_int_equal(p->fields[1].type->id, NC_CHAR); /* bytes: a string would end at the first NUL */
    assert_true(p->fields[1].rank == 1 && p->fields[1].shape[0] == 4);
    assert_true(strcmp(t->fields[2].name, "m") == 0 && t->fields[2].rank == 2 && t->fields[2].nelems == 6);
    assert_true(strcmp(t->fields[3].type->name, "v_z_t") == 0 && t->fields[3].type->fields[1].offset == 4);
    assert_true(t->fields[4].type->id == NC_CHAR && t->fields[4].rank == 1 && t->fields[4].nelems == 5);
    assert_true(t->fields[5].type->id == NC_CHAR && t->fields[5].rank == 2);
    assert_true(t->fields[5].shape[0] == 2 && t->fields[5].shape[1] == 7 && t->fields[5].nelems == 14);
    assert_true(t->fields[6].type->id == NC_CHAR && t->fields[6].rank == 0);
    ncz_model_free(m);

    m = load_one("\">c16\"", "[3]", "null", "", "{}");
    t = var_at(m, "v")->type;
    assert_true(t->class == NCZ_TYPE_COMPOUND && t->size == 16 && strcmp(t->fields[0].name, "r") == 0);
    assert_true(strcmp(t->fields[1].name, "i") == 0 && t->fields[1].type->id == NC_DOUBLE);
    ncz_model_free(m);

    m = load_one("\"|V7\"", "[3]", "null", "", "{}");
    t = var_at(m, "v")->type;
    assert_true(t->class == NCZ_TYPE_OPAQUE && t->size == 7 && strcmp(t->name, "v_t") == 0);
    ncz_model_free(m);
}

/* Fill values of records: base64 of the element, 0, null, lists; anything else makes the data inaccessible. */
TEST(records_have_fill_values)
{
    static const struct {
        const char *dtype, *fill;
        double      first; /* of a record of doubles */
        int         code;
    } cases[] = {
        {"\"<c16\"", "[1.5, 2]", 1.5, NC_NOERR},
        {"\">c16\"", "[1.5, \"NaN\"]", 1.5, NC_NOERR},
        {"\"<c16\"", "\"AAAAAAAA+D8AAAAAAAAAAA==\"", 1.5, NC_NOERR},
        {"[[\"a\", \"<f8\"]]", "\"AAAAAAAA+D8=\"", 1.5, NC_NOERR},
        {"[[\"a\", \"<f8\"]]", "0", 0, NC_NOERR},
        {"[[\"a\", \"<f8\"]]", "null", 0, NC_NOERR},
        {"[[\"a\", \"<f8\"]]", "\"AAAA\"", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"]]", "\"!!!!!!!!+D8=\"", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"]]", "[1, 2]", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"]]", "{\"b\": 1}", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"]]", "7", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "[1.5, \"AQID\"]", 1.5, NC_NOERR},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "{\"s\": \"AQIDBA==\", \"a\": 1.5}", 1.5, NC_NOERR},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "[1.5, [1, 0, 3, 4]]", 1.5, NC_NOERR},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "\"AAAAAAAA+D8AAAAA\"", 1.5, NC_NOERR},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "[1.5, \"AQIDBAU=\"]", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "[1.5, \"!!!!\"]", 0, NC_EZARRMETA},
        {"[[\"a\", \"<f8\"], [\"s\", \"|S4\"]]", "[1.5, \"abc\"]", 0, NC_EZARRMETA},
        {"\"|V3\"", "[1, 2]", 0, NC_EZARRMETA},
        {"\"|V3\"", "[1, 2, 256]", 0, NC_EZARRMETA},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model *m = load_one(cases[i].dtype, "[3]", cases[i].fill, "", "{}");
        ncz_var   *v = var_at(m, "v");

        if (v->unusable->code != cases[i].code ||
            (cases[i].code == NC_NOERR && cases[i].first != 0 && *(const double *)v->fill != cases[i].first))
            fail_msg("%s %s: %d %s", cases[i].dtype, cases[i].fill, v->unusable->code, v->unusable->text);
        ncz_model_free(m);
    }
}

/* Listed, inquired, with its attributes; only its data are out of reach, and the text names the type. */
TEST(types_without_meaning_cost_the_data_alone)
{
    static const struct {
        const char *dtype;
        size_t      size;
    } cases[] = {
        {"\"<c32\"", 32},
        {"\"<f16\"", 16},
        {"\"|S0\"", 1},
        {"\"<i3\"", 3},
        {"[[\"a\", \"<i4\"], [\"b\", \"|O\"]]", 20},
        {"[[\"a\", \"<i4\", [0]]]", 1},
        {"[[\"a\", \"<i4\", [1099511627776, 1099511627776]]]", 1},
        {"[[\"a\", \"<i4\", \"b\"]]", 4},
        {"[[\"\", \"|V4\"]]", 4},
        {"[[1, \"<i4\"]]", 4},
        {"[\"a\"]", 1},
        {"[]", 1},
        {"\"nonsense\"", 1},
        {"17", 1},
        {"\"\"", 1},
        {"\"<i99999999999999999999999\"", 1},
        {"[[\"a\", [[\"b\", \"<i3\"]]]]", 1},
        {"\"<i4junk\"", 1},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model *m = load_one(cases[i].dtype, "[3]", "null", "", "{\"units\": \"m\"}");
        ncz_var   *v = var_at(m, "v");

        assert_int_equal(v->type->id, NC_NAT);
        assert_int_equal(v->dtype.size, cases[i].size);
        assert_int_equal(v->unusable->code, NC_EBADTYPE);
        assert_int_equal(v->spec->unusable->code, NC_EBADTYPE);
        assert_non_null(strstr(v->unusable->text, "v"));
        assert_int_equal(v->rank, 1);
        assert_int_equal(att_at(&v->atts, "units")->len, 1);
        ncz_model_free(m);
    }
}

/* Objects are strings, by the codec that stores them; without one, or with one that is refused, they are listed. */
TEST(objects_are_strings_by_their_codec)
{
    static const struct {
        const char   *codecs, *fill;
        int           code;
        ncz_fill_mode mode;
        const char   *text;
    } cases[] = {
        {", \"filters\": [{\"id\": \"vlen-utf8\"}]", "0", NC_NOERR, NCZ_FILL_DEFAULT, NULL},
        {", \"filters\": [{\"id\": \"vlen-utf8\"}]", "\"\"", NC_NOERR, NCZ_FILL_DEFAULT, NULL},
        {", \"filters\": [{\"id\": \"json2\"}]", "null", NC_NOERR, NCZ_FILL_NONE, NULL},
        {", \"filters\": [{\"id\": \"vlen-utf8\"}]", "\"YWJj\"", NC_NOERR, NCZ_FILL_VALUE, "YWJj"},
        {", \"filters\": [{\"id\": \"json2\"}]", "{\"a\": 1}", NC_NOERR, NCZ_FILL_VALUE, "{\"a\": 1}"},
        {", \"filters\": null", "0", NC_EBADTYPE, NCZ_FILL_DEFAULT, NULL},
        {", \"filters\": [{\"id\": \"pickle\"}]", "0", NC_ENOFILTER, NCZ_FILL_DEFAULT, NULL},
        {", \"filters\": [{\"id\": \"zlib\"}]", "0", NC_EFILTER, NCZ_FILL_DEFAULT, NULL},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model *m = load_one("\"|O\"", "[3]", cases[i].fill, cases[i].codecs, "{}");
        ncz_var   *v = var_at(m, "v");

        assert_int_equal(v->type->id, NC_STRING);
        assert_int_equal(v->dtype.kind, NCZ_KIND_OBJECT);
        assert_int_equal(v->spec->unusable->code, cases[i].code);
        assert_int_equal(v->fill_mode, cases[i].mode);
        if (cases[i].text != NULL)
            assert_string_equal(*(char **)v->fill, cases[i].text);
        ncz_model_free(m);
    }
}

TEST(time_types_get_units)
{
    static const struct {
        const char *dtype, *units;
    } cases[] = {
        {"\"<M8[s]\"", "seconds since 1970-01-01"},
        {"\"<M8[D]\"", "days since 1970-01-01"},
        {"\">M8[10us]\"", "10 microseconds since 1970-01-01"},
        {"\"<m8[h]\"", "hours"},
    };
    ncz_model *m;
    ncz_var   *v;

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const ncz_att *a;

        m = load_one(cases[i].dtype, "[3]", "\"NaT\"", "", NULL);
        v = var_at(m, "v");
        a = att_at(&v->atts, "units");
        assert_int_equal(a->len, strlen(cases[i].units));
        assert_memory_equal(a->data, cases[i].units, a->len);
        assert_int_equal(v->fill_mode, NCZ_FILL_VALUE);
        assert_true(*(int64_t *)v->fill == INT64_MIN);
        ncz_model_free(m);
    }
    m = load_one("\"<M8[s]\"", "[3]", "-9223372036854775808", "", "{\"units\": \"own\"}");
    v = var_at(m, "v");
    assert_memory_equal(att_at(&v->atts, "units")->data, "own", 3);
    assert_true(*(int64_t *)v->fill == INT64_MIN);
    ncz_model_free(m);
}

/* What the reader made up is not written into somebody's dataset. */
TEST(made_up_attributes_are_not_written)
{
    ncz_format_opts style;
    docmap          d, out = {.v = NULL};
    ncz_model      *m;

    one_array(&d, "\"<M8[s]\"", "[]", "5", "", "{\"a\": 1}");
    m = must_load(&d, &style);
    assert_non_null(ncz_atts_find(&var_at(m, "v")->atts, "_FillValue"));
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &out), NC_NOERR);
    assert_string_equal(docmap_text(&out, "v/.zattrs"), "{\"a\": 1}");
    assert_string_equal(
        docmap_text(&out, "v/.zarray"),
        "{\"zarr_format\": 2, \"shape\": [], \"dtype\": \"<M8[s]\", \"chunks\": [], \"fill_value\": 5, "
        "\"order\": \"C\", \"compressor\": null, \"filters\": null}");
    ncz_model_free(m);
    docmap_clear(&d);
    docmap_clear(&out);
}

TEST(fill_values_are_read)
{
    double     nan_bits;
    ncz_model *m;

    m = load_one("\"<f8\"", "[3]", "\"NaN\"", "", NULL);
    nan_bits = *(double *)var_at(m, "v")->fill;
    assert_true(nan_bits != nan_bits);
    ncz_model_free(m);
    m = load_one("\"<f8\"", "[3]", "-Infinity", "", NULL);
    assert_true(*(double *)var_at(m, "v")->fill < -1e308);
    ncz_model_free(m);
    m = load_one("\"<f4\"", "[3]", "1.100000023841858", "", NULL);
    assert_true(*(float *)var_at(m, "v")->fill == (float)1.1);
    ncz_model_free(m);
    m = load_one("\"<i4\"", "[3]", "[7]", "", NULL);
    assert_int_equal(*(int *)var_at(m, "v")->fill, 7);
    ncz_model_free(m);
    m = load_one("\"<i4\"", "[3]", "7.0", "", NULL);
    assert_int_equal(*(int *)var_at(m, "v")->fill, 7);
    ncz_model_free(m);
    m = load_one("\"<i4\"", "[3]", "\"-9999\"", "", NULL); /* between quotes */
    assert_int_equal(*(int *)var_at(m, "v")->fill, -9999);
    assert_int_equal(var_at(m, "v")->unusable->code, NC_NOERR);
    ncz_model_free(m);
    m = load_one("\"<u8\"", "[3]", "\"18446744073709551615\"", "", NULL);
    assert_true(*(uint64_t *)var_at(m, "v")->fill == UINT64_MAX);
    ncz_model_free(m);
    m = load_one("\"<f8\"", "[3]", "\"1e20\"", "", NULL);
    assert_true(*(double *)var_at(m, "v")->fill == 1e20);
    ncz_model_free(m);
    m = load_one("\"<f4\"", "[3]", "\"-Infinity\"", "", NULL);
    assert_true(*(float *)var_at(m, "v")->fill < -1e38f);
    ncz_model_free(m);
    for (size_t i = 0; i < 3; i++) {
        static const char *const none[] = {"\"12ab\"", "\"\"", "\"3000000000\""};

        m = load_one("\"<i4\"", "[3]", none[i], "", NULL);
        assert_int_equal(var_at(m, "v")->unusable->code, NC_EZARRMETA);
        ncz_model_free(m);
    }
    m = load_one("\"|b1\"", "[3]", "true", "", NULL);
    assert_int_equal(*(uint8_t *)var_at(m, "v")->fill, 1);
    ncz_model_free(m);
    m = load_one("\"<i4\"", "[3]", "-2147483647", "", NULL);
    assert_int_equal(var_at(m, "v")->fill_mode, NCZ_FILL_DEFAULT);
    ncz_model_free(m);
    m = load_one("\"<i4\"", "[3]", "null", "", NULL);
    assert_int_equal(var_at(m, "v")->fill_mode, NCZ_FILL_NONE);
    ncz_model_free(m);
}

/* Base64 by the specification; plain text where it is no base64, or where netCDF-C wrote. */
TEST(string_fill_values_may_be_base64)
{
    static const struct {
        const char *dtype, *fill, *root, *want;
    } cases[] = {
        {"\"|S4\"", "\"YWI=\"", NULL, "ab"},
        {"\"|S4\"", "\"YWJjZA==\"", NULL, "abcd"},
        {"\"|S4\"", "\"x\"", NULL, "x"},
        {"\"|S4\"", "\"fill\"", "{\"_NCProperties\": \"version=2,netcdf=4.10.2,nczarr=2.0.0\"}", "fill"},
        {"\"|S4\"", "\"YWJjZA==\"", "{\"_NCProperties\": \"version=2,netcdf=4.10.2,nczarr=2.0.0\"}", "abcd"},
        {"\"<U4\"", "\"h\\u00e9\"", NULL, "h\xc3\xa9"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap     d;
        ncz_model *m;

        one_array(&d, cases[i].dtype, "[3]", cases[i].fill, "", NULL);
        if (cases[i].root != NULL)
            docmap_puts(&d, ".zattrs", cases[i].root);
        m = must_load(&d, NULL);
        assert_int_equal(var_at(m, "v")->fill_mode, NCZ_FILL_VALUE);
        assert_string_equal(*(char **)var_at(m, "v")->fill, cases[i].want);
        ncz_model_free(m);
        docmap_clear(&d);
    }
    for (int i = 0; i < 2; i++) { /* 0 is what zarr-python writes for object strings */
        ncz_model *m = load_one("\"|S4\"", "[3]", i == 0 ? "\"\"" : "0", "", NULL);

        assert_int_equal(var_at(m, "v")->fill_mode, NCZ_FILL_DEFAULT);
        ncz_model_free(m);
    }
}

/* The fill_value of an array is its missing value, as for xarray and GDAL; of the variable's type, and never written.
 */
TEST(the_fill_value_is_the_missing_value)
{
#define NETCDF "{\"_NCProperties\": \"version=2,netcdf=4.9.3,nczarr=2.0.0\"}"
#define OURS   "{\"_NCProperties\": \"version=2,nczarr=2.0.0,libnczarr=0.1.0\"}"
    static const struct {
        const char *dtype, *fill, *root;
        double      want; /* HIDDEN: there is no attribute; NAN: it is one */
    } cases[] = {
#define HIDDEN 1e300
        {"\"<i4\"", "-9999", NULL, -9999},
        {"\"<i4\"", "0", NULL, 0},
        {"\"<i4\"", "null", NULL, HIDDEN},
        {"\"<i4\"", "-2147483647", NULL, NC_FILL_INT},
        {"\"<i4\"", "-2147483647", NETCDF, HIDDEN},
        {"\"<i4\"", "-2147483647", OURS, HIDDEN},
        {"\"<i4\"", "-9999", NETCDF, -9999},
        {"\">i2\"", "7", OURS, 7},
        {"\"|u1\"", "255", NULL, 255},
        {"\"|i1\"", "0", NULL, 0},
        {"\"<u8\"", "4096", NULL, 4096},
        {"\"<f4\"", "1.5", NULL, 1.5},
        {"\"<f2\"", "-1.5", NULL, -1.5},
        {"\"<f8\"", "\"NaN\"", NULL, NAN},
        {"\"<f8\"", "\"-Infinity\"", NULL, -INFINITY},
        {"\"<f8\"", "9.969209968386869e+36", NULL, NC_FILL_DOUBLE},
        {"\"|b1\"", "false", NULL, HIDDEN},
        {"\"|b1\"", "0", NULL, HIDDEN},
        {"\"|b1\"", "true", NULL, 1},
        {"\"|b1\"", "null", NULL, HIDDEN},
        {"\"<M8[s]\"", "0", NULL, 0},
        {"\"|S3\"", "\"\"", NULL, HIDDEN},
        {"\"<U3\"", "\"\"", NULL, HIDDEN},
        {"\"|S3\"", "null", NULL, HIDDEN},
        {"\"<c8\"", "[0.0, 0.0]", NULL, HIDDEN},
        {"\"<i4\"", "\"abc\"", NULL, HIDDEN},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap          d, out = {.v = NULL};
        ncz_format_opts style;
        ncz_model      *m;
        ncz_var        *v;
        const ncz_att  *a;
        double          got = HIDDEN;

        one_array(&d, cases[i].dtype, "[3]", cases[i].fill, "", "{\"a\": 1}");
        if (cases[i].root != NULL)
            docmap_puts(&d, ".zattrs", cases[i].root);
        m = must_load(&d, &style);
        v = var_at(m, "v");
        if ((a = ncz_atts_find(&v->atts, "_FillValue")) != NULL) {
            assert_ptr_equal(a->type, v->type);
            assert_int_equal(a->len, 1);
            assert_int_equal(ncz_convert(a->type, a->data, ncz_type_of(NC_DOUBLE), &got, 1, false), NC_NOERR);
        }
        if (!(got == cases[i].want || (isnan(got) && isnan(cases[i].want))))
            fail_msg("%s %s: %g", cases[i].dtype, cases[i].fill, got);
        assert_false(v->atts.dirty);
        assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &out), NC_NOERR);
        assert_string_equal(docmap_text(&out, "v/.zattrs"), "{\"a\": 1}");
        ncz_model_free(m);
        docmap_clear(&d);
        docmap_clear(&out);
    }
    /* The attribute that a document has goes before. */
    {
        ncz_model *m = load_one("\"<i4\"", "[3]", "0", "", "{\"_FillValue\": -1}");

        assert_int_equal(*(int *)att_at(&var_at(m, "v")->atts, "_FillValue")->data, -1);
        ncz_model_free(m);
    }
    /* Text: as bytes and as UCS-4. */
    for (int i = 0; i < 2; i++) {
        ncz_model *m = load_one(i == 0 ? "\"|S4\"" : "\"<U4\"", "[3]", i == 0 ? "\"YWI=\"" : "\"ab\"", "", NULL);

        assert_string_equal(*(char **)att_at(&var_at(m, "v")->atts, "_FillValue")->data, "ab");
        ncz_model_free(m);
    }
}

TEST(impossible_values_are_refused)
{
    static const struct {
        const char *dtype, *shape, *fill, *more;
        int         code;
    } cases[] = {
        {"\"<i4\"", "[3]", "\"abc\"", "", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "3000000000", "", NC_EZARRMETA},
        {"\"<u1\"", "[3]", "-1", "", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "1.5", "", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"order\": \"X\"", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"dimension_separator\": \"-\"", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"zarr_format\": 3", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"chunks\": [3, 3]", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"chunks\": [0]", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"chunks\": [-1]", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"chunks\": \"x\"", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"shape\": [1.5]", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"shape\": [9223372036854775808]", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"shape\": null", NC_EZARRMETA},
        {"\"<i4\"", "[3]", "0", ", \"compressor\": 5", NC_EFILTER},
        {"\"<i4\"", "[3]", "0", ", \"filters\": {\"id\": \"zlib\"}", NC_EFILTER},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_model *m = load_one(cases[i].dtype, cases[i].shape, cases[i].fill, cases[i].more, "{\"a\": 1}");
        ncz_var   *v = var_at(m, "v");

        if (v->unusable->code != cases[i].code || v->unusable->text[0] == '\0')
            fail_msg("%s %s %s: %d %s", cases[i].dtype, cases[i].fill, cases[i].more, v->unusable->code,
                     v->unusable->text);
        assert_int_equal(v->spec->unusable->code, cases[i].code);
        assert_int_equal(v->atts.n, 1);
        ncz_model_free(m);
    }
}

TEST(huge_chunks_and_unknown_codecs_cost_the_data_alone)
{
    ncz_model *m = load_one("\"<i8\"", "[4611686018427387904, 4611686018427387904]", "0", "", NULL);

    assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_EBADCHUNK);
    ncz_model_free(m);
    m = load_one("\"<i8\"", "[4]", "0", ", \"compressor\": {\"id\": \"mystery\", \"level\": 3}", NULL);
    assert_int_equal(var_at(m, "v")->spec->unusable->code, NC_ENOFILTER);
    assert_non_null(strstr(var_at(m, "v")->spec->unusable->text, "mystery"));
    ncz_model_free(m);
}

static void
check_shuffle(const ncz_chain *c, long long size)
{
    ncz_buf   text = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&text);
    char      wanted[64];

    snprintf(wanted, sizeof wanted, "{\"id\": \"shuffle\", \"elementsize\": %lld}", size);
    ncz_codec_describe(ncz_chain_codec(c, 0), &w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(ncz_buf_str(&text), wanted);
    ncz_buf_clear(&text);
}

/* numcodecs leaves the bytes alone where netCDF-C, which the root tells, did shuffle them. */
TEST(shuffle_of_size_0_is_told_apart_by_its_writer)
{
    static const struct {
        const char *root, *more;
        bool        pure;
        int64_t     size;
    } cases[] = {
        {NULL, "0", false, 0},
        {"{\"title\": \"x\"}", "0", false, 0},
        {"{\"_NCProperties\": \"version=2,nczarr=2.0.0,libnczarr=0.1.0\"}", "0", false, 0},
        {NULL, "1", false, 1},
        {NULL, "2", false, 2},
        {NULL, "\"0\"", false, 4},
        {"{\"_NCProperties\": \"version=2,netcdf=4.9.3,nczarr=2.0.0\"}", "0", false, 4},
        {"{\"_NCProperties\": \"version=2,netcdf=4.9.3,nczarr=2.0.0\"}", "\"0\"", false, 4},
        {"{\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": {\"dimensions\": {}, \"arrays\": "
         "[\"v\"], \"groups\": []}}",
         "0", false, 4},
        {"{\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": {\"dimensions\": {}, \"arrays\": "
         "[\"v\"], \"groups\": []}}",
         "0", true, 4},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const ncz_load_opts wish = {.pure = cases[i].pure, .xarray = true};
        docmap              d;
        ncz_model          *m = NULL;
        ncz_format_opts     style;
        char                text[400];

        one_array(&d, "\"<i4\"", "[3]", "0", "", NULL);
        snprintf(
            text, sizeof text,
            "{\"zarr_format\": 2, \"shape\": [3], \"chunks\": [3], \"dtype\": \"<i4\", \"fill_value\": 0, \"order\": "
            "\"C\", \"compressor\": {\"id\": \"zlib\", \"level\": 1}, \"filters\": [{\"id\": \"shuffle\", "
            "\"elementsize\": %s}]}",
            cases[i].more);
        docmap_puts(&d, "v/.zarray", text);
        if (cases[i].root != NULL)
            docmap_puts(&d, ".zattrs", cases[i].root);
        assert_int_equal(load_with(&d, &wish, &ncz_limits_default, &m, &style), NC_NOERR);
        check_shuffle(var_at(m, "v")->chain, cases[i].size);
        ncz_model_free(m);
        docmap_clear(&d);
    }
}

TEST(order_and_separator_are_read)
{
    ncz_model     *m = load_one("\"<i4\"", "[2, 3]", "0", ", \"order\": \"F\", \"dimension_separator\": \"/\"", NULL);
    ncz_var       *v = var_at(m, "v");
    uint64_t       index[2] = {12, 0};
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;

    assert_true(ncz_order_is_fortran(v->order, 2) && ncz_order_is_fortran(v->spec->order, 2));
    assert_int_equal(ncz_spec_locate(v->spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "v/12/0");
    assert_true(where.offset == 0 && where.length == UINT64_MAX);
    ncz_model_free(m);

    m = load_one("\"<i4\"", "[]", "0", "", "{\"_ARRAY_DIMENSIONS\": []}");
    assert_int_equal(ncz_spec_locate(var_at(m, "v")->spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "v/0");
    ncz_model_free(m);
    ncz_buf_clear(&key);
}

/* ---- dimensions ---- */

static void
check_dims(const char *shape, const char *attrs, const char *want)
{
    ncz_model *m = load_one("\"<i4\"", shape, "0", "", attrs);
    ncz_var   *v = var_at(m, "v");
    char       got[256] = "";

    for (size_t r = 0; r < v->rank; r++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s=%llu%s", r > 0 ? " " : "", v->dims[r]->name,
                 (unsigned long long)v->dims[r]->len, v->dims[r]->unlimited ? "*" : "");
    assert_string_equal(got, want);
    ncz_model_free(m);
}

TEST(dimension_names_are_read_or_made_up)
{
    check_dims("[2, 3]", "{\"_ARRAY_DIMENSIONS\": [\"y\", \"x\"]}", "y=2 x=3");
    check_dims("[2, 2]", "{\"_ARRAY_DIMENSIONS\": [\"x\", \"x\"]}", "x=2 x=2");
    check_dims("[2, 3]", "{\"_ARRAY_DIMENSIONS\": [\"x\", \"x\"]}", "x=2 _Anonymous_Dim_3=3");
    check_dims("[2, 0]", "{\"_ARRAY_DIMENSIONS\": [\"x\", \"t\"]}", "x=2 t=0*");
    check_dims("[2, 3]", NULL, "_Anonymous_Dim_2=2 _Anonymous_Dim_3=3");
    check_dims("[0]", NULL, "_Anonymous_Dim_0=0*");
    check_dims("[2, 3]", "{\"_ARRAY_DIMENSIONS\": [\"x\"]}", "_Anonymous_Dim_2=2 _Anonymous_Dim_3=3");
    check_dims("[2, 3]", "{\"_ARRAY_DIMENSIONS\": \"x\"}", "_Anonymous_Dim_2=2 _Anonymous_Dim_3=3");
    check_dims("[2, 3]", "{\"_ARRAY_DIMENSIONS\": [5, \"a/b\"]}", "_Anonymous_Dim_2=2 _Anonymous_Dim_3=3");
    check_dims("[2, 3]", "{\"_ARRAY_DIMENSIONS\": [\"_Anonymous_Dim_3\", \"\"]}",
               "_Anonymous_Dim_3=2 _Anonymous_Dim_3_1=3");
    check_dims("[1]", "{\"_ARRAY_DIMENSIONS\": [\"_scalar_\"]}", "");
    check_dims("[1]", "{\"_ARRAY_DIMENSIONS\": []}", "");
    check_dims("[1]", "{\"_ARRAY_DIMENSIONS\": [\"x\"]}", "x=1");
    check_dims("[1]", NULL, "_Anonymous_Dim_1=1");
}

TEST(noxarray_keeps_the_attribute_of_dimensions)
{
    const ncz_load_opts wish = {.pure = false, .xarray = false};
    docmap              d;
    ncz_format_opts     style;
    ncz_model          *m;
    docmap              out = {.v = NULL};

    one_array(&d, "\"<i4\"", "[2]", "0", "", "{\"_ARRAY_DIMENSIONS\": [\"x\"], \"a\": 1}");
    assert_int_equal(load_with(&d, &wish, &ncz_limits_default, &m, &style), NC_NOERR);
    assert_string_equal(var_at(m, "v")->dims[0]->name, "_Anonymous_Dim_2");
    assert_false(style.xarray);
    assert_int_equal(var_at(m, "v")->atts.n, 2); /* the other one is its fill_value */
    /* what was not looked at is not lost */
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &out), NC_NOERR);
    assert_string_equal(docmap_text(&out, "v/.zattrs"), "{\"a\": 1, \"_ARRAY_DIMENSIONS\": [\"x\"]}");
    ncz_model_free(m);
    docmap_clear(&d);
    docmap_clear(&out);
}

/* ---- attributes ---- */

TEST(attribute_types_follow_from_json)
{
    static const struct {
        const char *json;
        nc_type     type;
        size_t      len;
        const char *text;
    } cases[] = {
        {"1", NC_INT, 1, NULL},
        {"-2147483648", NC_INT, 1, NULL},
        {"4294967295", NC_UINT, 1, NULL},
        {"4294967296", NC_INT64, 1, NULL},
        {"-2147483649", NC_INT64, 1, NULL},
        {"9223372036854775808", NC_UINT64, 1, NULL},
        {"[1, -1, 3000000000]", NC_INT64, 3, NULL},
        {"[-1, 18446744073709551615]", NC_DOUBLE, 2, NULL},
        {"1.5", NC_DOUBLE, 1, NULL},
        {"1e400", NC_DOUBLE, 1, NULL},
        {"NaN", NC_DOUBLE, 1, NULL},
        {"[1, 2.5]", NC_DOUBLE, 2, NULL},
        {"[1.5, \"NaN\"]", NC_DOUBLE, 2, NULL},
        {"true", NC_UBYTE, 1, NULL},
        {"[true, false]", NC_UBYTE, 2, NULL},
        {"[true, 2]", NC_INT, 2, NULL},
        {"null", NC_CHAR, 4, "null"},
        {"[]", NC_CHAR, 2, "[]"},
        {"[1, \"a\"]", NC_CHAR, 8, "[1, \"a\"]"},
        {"[\"NaN\"]", NC_STRING, 1, NULL},
        {"[\"a\",\"b\"]", NC_STRING, 2, NULL},
        {"[\"a\", null]", NC_CHAR, 11, "[\"a\", null]"},
        {"[\"a\", [\"b\"]]", NC_CHAR, 12, "[\"a\", [\"b\"]]"},
        {"[\"a\", {}]", NC_CHAR, 9, "[\"a\", {}]"},
        {"[[1]]", NC_CHAR, 5, "[[1]]"},
        {"{\"a\":  1}", NC_CHAR, 9, "{\"a\":  1}"},
        {"\"text\"", NC_CHAR, 4, "text"},
        {"\"\"", NC_CHAR, 0, ""},
        {"\"h\\u00e9\"", NC_CHAR, 3, "h\xc3\xa9"},
        {"\"a\\u0000b\"", NC_CHAR, 3, "a\0b"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char           attrs[256];
        ncz_model     *m;
        const ncz_att *a;

        snprintf(attrs, sizeof attrs, "{\"_ARRAY_DIMENSIONS\": [\"x\"], \"a\": %s}", cases[i].json);
        m = load_one("\"<i4\"", "[2]", "0", "", attrs);
        a = att_at(&var_at(m, "v")->atts, "a");
        if (a->type->id != cases[i].type || a->len != cases[i].len)
            fail_msg("%s: type %d, %zu elements", cases[i].json, a->type->id, a->len);
        if (cases[i].text != NULL)
            assert_memory_equal(a->data, cases[i].text, a->len);
        assert_int_equal(a->rawlen, strlen(cases[i].json));
        assert_string_equal(a->raw, cases[i].json);
        ncz_model_free(m);
    }
}

/* _FillValue has the variable's type, whatever its JSON looks like. */
TEST(the_fill_value_attribute_has_the_variables_type)
{
    static const struct {
        const char *dtype, *json;
        nc_type     type;
    } cases[] = {
        {"\"<f4\"", "-999", NC_FLOAT}, {"\"<f8\"", "\"NaN\"", NC_DOUBLE},  {"\"<u1\"", "255", NC_UBYTE},
        {"\"<i2\"", "-1", NC_SHORT},   {"\"|S4\"", "\"none\"", NC_STRING}, {"\"<i2\"", "\"odd\"", NC_CHAR},
        {"\"<i2\"", "99999", NC_INT},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char       attrs[256];
        ncz_model *m;

        snprintf(attrs, sizeof attrs, "{\"_FillValue\": %s}", cases[i].json);
        m = load_one(cases[i].dtype, "[2]", "null", "", attrs);
        assert_int_equal(att_at(&var_at(m, "v")->atts, "_FillValue")->type->id, cases[i].type);
        ncz_model_free(m);
    }
    {
        ncz_model *m = load_one("\"<f8\"", "[2]", "null", "", "{\"_FillValue\": 9.96921e+36}");

        assert_true(*(double *)att_at(&var_at(m, "v")->atts, "_FillValue")->data == (double)NC_FILL_DOUBLE);
        ncz_model_free(m);
    }
}

TEST(quantize_attributes_are_known)
{
    ncz_model *m = load_one("\"<f4\"", "[2]", "null", "", "{\"_QuantizeBitRoundNumberOfSignificantBits\": 9}");

    assert_int_equal(var_at(m, "v")->quantize_mode, NC_QUANTIZE_BITROUND);
    assert_int_equal(var_at(m, "v")->quantize_nsd, 9);
    assert_int_equal(var_at(m, "v")->atts.n, 1);
    ncz_model_free(m);
}

/* ---- what stands around ---- */

static const char *
plain_array(void)
{
    return "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": \"<i4\", \"fill_value\": 0, \"order\": "
           "\"C\", "
           "\"compressor\": null, \"filters\": null}";
}

TEST(groups_are_found_among_strangers)
{
    docmap     d = {.v = NULL};
    ncz_model *m;

    docmap_puts(&d, ".zgroup", ZGROUP);
    docmap_puts(&d, "b/.zarray", plain_array());
    docmap_puts(&d, "a/.zarray", plain_array());
    docmap_puts(&d, "both/.zarray", plain_array());
    docmap_puts(&d, "both/.zgroup", ZGROUP);
    docmap_puts(&d, "empty/.zgroup", ZGROUP);
    docmap_puts(&d, "implied/deeper/c/.zarray", plain_array());
    docmap_puts(&d, "junk/more/readme.txt", "hello");
    docmap_puts(&d, "__MACOSX/x/.zarray", plain_array());
    docmap_puts(&d, ".hidden/.zarray", plain_array());
    docmap_puts(&d, ".zarray/x/.zarray", plain_array()); /* a document's name */
    docmap_puts(&d, ".nczarr-growing/.zarray", plain_array());
    docmap_puts(&d, ".git/x/.zarray", plain_array()); /* no document of its own */
    docmap_puts(&d, "a/0", "chunk");
    docmap_puts(&d, "a/0/.zarray", plain_array()); /* below an array: nobody looks */
    docmap_puts(&d, "back\\slash/.zarray", plain_array());
    docmap_puts(&d, "zarr.json", "{\"zarr_format\": 3"); /* of a migration, and broken */
    m = must_load(&d, NULL);
    assert_int_equal(m->root->nvars, 4);
    assert_string_equal(m->root->vars[0]->name, ".hidden");
    assert_string_equal(m->root->vars[1]->name, "a");
    assert_string_equal(m->root->vars[2]->name, "b");
    assert_string_equal(m->root->vars[3]->name, "both");
    assert_int_equal(m->root->ngroups, 2);
    assert_string_equal(m->root->groups[0]->name, "empty");
    assert_string_equal(m->root->groups[1]->name, "implied");
    assert_string_equal(m->root->groups[1]->groups[0]->vars[0]->name, "c");
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(a_lone_array_is_a_dataset)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;
    uint64_t        index[1] = {7};
    ncz_buf         key = NCZ_BUF_INIT;
    ncz_chunk_addr  where;

    docmap_puts(&d, ".zarray", plain_array());
    docmap_puts(&d, ".zattrs", "{\"units\": \"m\"}");
    m = must_load(&d, &style);
    assert_true(style.readonly);
    assert_int_equal(m->root->nvars, 1);
    assert_string_equal(m->root->vars[0]->name, "data");
    assert_int_equal(m->root->atts.n, 0);
    assert_int_equal(m->root->vars[0]->atts.n, 2); /* the other one is its fill_value */
    assert_int_equal(ncz_spec_locate(m->root->vars[0]->spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "7");
    ncz_buf_clear(&key);
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(what_is_no_dataset_is_refused)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;

    assert_int_equal(load(&d, &m, &style), NC_ENOTZARR);
    assert_non_null(strstr(ncz_err_text(), ".zgroup"));
    docmap_puts(&d, ".zgroup", "{\"zarr_format\": 2");
    assert_int_equal(load(&d, &m, &style), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), ".zgroup"));
    docmap_puts(&d, ".zgroup", "[]");
    assert_int_equal(load(&d, &m, &style), NC_EZARRMETA);
    docmap_puts(&d, ".zgroup", ZGROUP);
    d.no_list = true;
    assert_int_equal(load(&d, &m, &style), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "list"));
    docmap_clear(&d);
}

TEST(broken_documents_spoil_only_their_node)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;

    docmap_puts(&d, ".zgroup", ZGROUP);
    for (int i = 0; i < 20; i++) {
        char key[32];

        snprintf(key, sizeof key, "v%02d/.zarray", i);
        docmap_puts(&d, key, i % 7 == 3 ? "{\"zarr_format\": 2, \"sha" : plain_array());
    }
    docmap_puts(&d, "v00/.zattrs", "[1, 2]");
    m = must_load(&d, &style);
    assert_int_equal(m->root->nvars, 20);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(m->root->vars[i]->unusable->code, i % 7 == 3 ? NC_EZARRMETA : NC_NOERR);
        assert_int_equal(m->root->vars[i]->type->id, i % 7 == 3 ? NC_NAT : NC_INT);
    }
    assert_non_null(strstr(m->root->vars[3]->unusable->text, "v03/.zarray"));
    assert_false(style.readonly);
    {
        docmap out = {.v = NULL};

        assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &out), NC_NOERR);
        assert_null(docmap_text(&out, "v03/.zarray"));
        assert_null(docmap_text(&out, "v00/.zattrs"));
        assert_non_null(docmap_text(&out, "v01/.zarray"));
        docmap_clear(&out);
    }
    ncz_model_free(m);
    docmap_puts(&d, "g/.zgroup", "{");
    docmap_puts(&d, "g/.zattrs", "{}");
    m = must_load(&d, &style);
    ncz_model_free(m);
    docmap_clear(&d);
}
