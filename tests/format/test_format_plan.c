/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing: what each style says of a model, what comes back, and in which order documents are handed out. */
#include "fixture.h"
#include "format/zarr/zarr.h"

#define DATA NCZ_TEST_DATA "/golden/"

static const struct {
    int            zarr_format;
    ncz_generation gen;
} written[] = {
    {2, NCZ_GEN_BOTH}, {2, NCZ_GEN_4},  {2, NCZ_GEN_3},    {2, NCZ_GEN_2},
    {2, NCZ_GEN_PURE}, {3, NCZ_GEN_V3}, {3, NCZ_GEN_PURE},
};

static ncz_format_opts
style_at(size_t i)
{
    return (ncz_format_opts){
        .dialect = ncz_dialects_find(written[i].zarr_format), .gen = written[i].gen, .xarray = true};
}

/* Attributes of every numeric type, with the values that are hard to carry over. */
static void
put_numbers(ncz_model *m, ncz_atts *a)
{
    const int8_t   b[] = {-128, 127};
    const int16_t  s[] = {INT16_MIN};
    const int32_t  i[] = {INT32_MIN, 0, INT32_MAX};
    const int64_t  l[] = {INT64_MIN, INT64_MAX};
    const uint64_t u[] = {UINT64_MAX};
    const uint8_t  ub[] = {255};
    const uint16_t us[] = {65535, 1};
    const uint32_t ui[] = {UINT32_MAX};
    const float    f[] = {0.1f, 3.4028235e38f, 1e-45f, -0.0f, 16777216.0f};
    const double   d[] = {0.1, 1.0 / 3, 1.7976931348623157e308, 5e-324, -0.0, 1e22, 9007199254740993.0, 2.0};

    put(m, a, "b", NC_BYTE, 2, b);
    put(m, a, "s", NC_SHORT, 1, s);
    put(m, a, "i", NC_INT, 3, i);
    put(m, a, "l", NC_INT64, 2, l);
    put(m, a, "u", NC_UINT64, 1, u);
    put(m, a, "ub", NC_UBYTE, 1, ub);
    put(m, a, "us", NC_USHORT, 2, us);
    put(m, a, "ui", NC_UINT, 1, ui);
    put(m, a, "f", NC_FLOAT, NCZ_LEN(f), f);
    put(m, a, "d", NC_DOUBLE, NCZ_LEN(d), d);
    put(m, a, "none", NC_INT, 0, i);
}

static void
put_specials(ncz_model *m, ncz_atts *a)
{
    double inf = 1e308 * 10, d[3];
    float  f[2];

    d[0] = inf;
    d[1] = -inf;
    d[2] = 1.5;
    f[0] = (float)inf;
    f[1] = -(float)inf;
    put(m, a, "specials", NC_DOUBLE, 3, d);
    put(m, a, "inf", NC_DOUBLE, 1, d);
    put(m, a, "inff", NC_FLOAT, 2, f);
}

static const char *const texts[] = {
    "plain",
    "17",
    "-5",
    "1.50",
    "1e5",
    "0x1F",
    "true",
    "NaN",
    "Infinity",
    "null",
    "\"q\"",
    " 5",
    "5 ",
    "2000-01-01",
    "{\"a\":1,\"b\":[1.0]}",
    "{ \"a\" : [ 1,2 ] }",
    "[1, 2, 3]",
    "[\"a\",\"b\"]",
    "[]",
    "{}",
    " {}",
    "{} ",
    "{\"a\":1",
    "[1,]",
    "[NaN]",
    "{'a':1}",
    "he said \"hi\"",
    "a\\b",
    "line1\nline2\ttab",
    "\x01\x02",
    "h\xc3\xa9llo \xe2\x9c\x93",
    "\xff\xfe",
    "a/b",
    "\xf0\x9f\x98\x80",
    "{\"a\": \"\xff\"}",
};

static void
put_texts(ncz_model *m, ncz_atts *a)
{
    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        char name[16];

        snprintf(name, sizeof name, "t%02zu", i);
        put_text(m, a, name, texts[i]);
    }
    put(m, a, "len0", NC_CHAR, 0, "");
    put(m, a, "nul1", NC_CHAR, 1, "");
    put(m, a, "nul3", NC_CHAR, 3, "\0\0");
    put(m, a, "tailed", NC_CHAR, 3, "m\0");
    put(m, a, "inside", NC_CHAR, 4, "a\0b");
    put(m, a, "json0", NC_CHAR, 4, "[1]");
}

static void
put_strings(ncz_model *m, ncz_atts *a)
{
    static const char long_text[] = "0123456789012345678901234567890123456789012345678901234567890123456789"
                                    "0123456789012345678901234567890123456789012345678901234567890123456789";
    const char       *one[] = {"{\"k\":2}"}, *many[] = {"a,b", "[1]", "17", "", long_text}, *empty[] = {""};

    put(m, a, "s1", NC_STRING, 1, one);
    put(m, a, "s5", NC_STRING, 5, many);
    put(m, a, "s0", NC_STRING, 0, many);
    put(m, a, "se", NC_STRING, 1, empty);
}

/* One model with something of everything that the style can say. */
static ncz_model *
rich_model(const ncz_format_opts *style)
{
    bool       strings = style->gen != NCZ_GEN_2, pure = style->gen == NCZ_GEN_PURE;
    ncz_model *m = new_model(style);
    ncz_group *g1, *inner, *none;
    ncz_dim   *x = add_dim(m, m->root, "x", 4, false), *y = add_dim(m, m->root, "y y", 3, false), *z, *x2;
    ncz_dim   *dims[3];
    ncz_var   *v;
    int        fill = -9;
    double     dfill = 0.1;

    assert_int_equal(ncz_model_add_group(m, m->root, "g1", &g1), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, g1, "inner", &inner), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, m->root, "none", &none), NC_NOERR);
    z = add_dim(m, pure ? g1 : m->root, "z", 2, false);
    x2 = add_dim(m, inner, "x", 5, false);
    put_text(m, &m->root->atts, "title", "root");

    for (nc_type type = NC_BYTE; type <= (strings ? NC_STRING : NC_UINT64); type++) {
        char name[16];

        if (pure && type == NC_CHAR)
            continue; /* pure Zarr gives it back as strings of one byte */
        snprintf(name, sizeof name, "v%d", type);
        dims[0] = x;
        dims[1] = y;
        (void)add_var(m, m->root, name, type, (size_t)type % 3, dims);
    }
    v = add_var(m, m->root, "big", NC_DOUBLE, 1, &x);
    assert_int_equal(ncz_var_set_endian(m, v, NC_ENDIAN_BIG), NC_NOERR);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &dfill), NC_NOERR);
    v = add_var(m, m->root, "filled", NC_INT, 1, &x);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &fill), NC_NOERR);
    put(m, &v->atts, "_FillValue", NC_INT, 1, &fill);
    v = add_var(m, m->root, "nofill", NC_INT, 1, &x);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_NONE, NULL), NC_NOERR);
    if (!pure) {
        const char cfills[] = {'#', 'X', '\xff', ' '};

        for (size_t i = 0; i < NCZ_LEN(cfills); i++) {
            char name[16];

            snprintf(name, sizeof name, "cfill%zu", i);
            v = add_var(m, m->root, name, NC_CHAR, 1, &x);
            assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &cfills[i]), NC_NOERR);
        }
    }
    if (strings) {
        const char *fills[] = {"fill", "YWI=", "h\xc3\xa9", "x", "0", "a b c", "#"};

        for (size_t i = 0; i < NCZ_LEN(fills); i++) {
            char name[16];

            snprintf(name, sizeof name, "sfill%zu", i);
            v = add_var(m, m->root, name, NC_STRING, 1, &x);
            assert_int_equal(ncz_var_set_maxstrlen(m, v, 7), NC_NOERR);
            assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &fills[i]), NC_NOERR);
        }
        put_strings(m, &m->root->atts);
    }
    {
        const uint64_t       chunk[3] = {2, 1, 3};
        ncz_codec           *codec;
        const ncz_codec_ops *zlib = ncz_codec_by_id("zlib");
        const unsigned       level = 5;
        const ncz_array_type env = {.dtype = {NCZ_KIND_FLOAT, false, 4}, .chunk_bytes = 24};
        ncz_chain           *chain;

        dims[0] = x;
        dims[1] = z;
        dims[2] = x2;
        v = add_var(m, pure ? g1 : inner, "packed", NC_FLOAT, pure ? 1 : 3, pure ? &z : dims);
        assert_int_equal(ncz_codec_from_words(zlib, 1, &level, &env, &codec), NC_NOERR);
        assert_int_equal(ncz_chain_with(NULL, codec, &env, false, &chain), NC_NOERR);
        ncz_codec_unref(codec);
        assert_int_equal(ncz_var_set_chain(m, v, chain), NC_NOERR);
        ncz_chain_unref(chain);
        if (!pure)
            assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, chunk), NC_NOERR);
    }
    (void)add_var(m, inner, "own", NC_SHORT, 1, &x2);
    if (!pure) {
        put_numbers(m, &v->atts);
        put_specials(m, &none->atts);
    }
    put_texts(m, &v->atts);
    return m;
}

/* The first line in which two texts differ. */
static const char *
text_diff(const char *x, const char *y)
{
    static char out[2000];
    size_t      i = 0, line = 0;

    for (; x[i] != '\0' && x[i] == y[i]; i++)
        if (x[i] == '\n')
            line = i + 1;
    snprintf(out, sizeof out, "first  %.900s\nsecond %.900s", x + line, y + line);
    return out;
}

static void
check_same(ncz_model *a, ncz_model *b, const char *what)
{
    char *x = model_text(a), *y = model_text(b);

    if (strcmp(x, y) != 0)
        fail_msg("%s\n%s", what, text_diff(x, y));
    free(x);
    free(y);
}

/* Pure Zarr has no order, and strings for texts: dimensions, types, fill values and texts come back. */
static void
check_pure(const ncz_model *a, const ncz_model *b)
{
    for (size_t i = 0; i < a->root->nvars; i++) {
        const ncz_var *v = a->root->vars[i], *w = var_at(b, v->name);

        assert_ptr_equal(v->type, w->type);
        assert_int_equal(v->rank, w->rank);
        if (v->fill_mode == NCZ_FILL_NONE && a->dialect->zarr->version == 3)
            assert_int_equal(w->fill_mode, NCZ_FILL_VALUE); /* 0: pure v3 always has a fill value */
        else
            assert_int_equal(v->fill_mode, w->fill_mode);
        for (size_t r = 0; r < v->rank; r++)
            assert_string_equal(v->dims[r]->name, w->dims[r]->name);
        if (v->fill_mode == NCZ_FILL_VALUE && v->type->class == NCZ_TYPE_STRING)
            assert_string_equal(*(char **)v->fill, *(char **)w->fill);
    }
    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        char           name[16];
        const ncz_att *x, *y;
        ncz_buf        shown = NCZ_BUF_INIT;

        snprintf(name, sizeof name, "t%02zu", i);
        x = att_at(&ncz_group_find_var(b->root->groups[0], "packed")->atts, name);
        y = att_at(&ncz_group_find_var(ncz_group_find_group(a->root, "g1"), "packed")->atts, name);
        assert_int_equal(x->type->id, NC_CHAR);
        assert_int_equal(ncz_utf8_mend(y->data, y->len, &shown), NC_NOERR); /* of bytes that are not UTF-8 */
        assert_int_equal(x->len, shown.len);
        assert_memory_equal(x->data, ncz_buf_str(&shown), x->len);
        ncz_buf_clear(&shown);
    }
}

TEST(models_round_trip_in_every_style)
{
    for (size_t i = 0; i < NCZ_LEN(written); i++) {
        ncz_format_opts style = style_at(i), got;
        ncz_model      *m = rich_model(&style), *m2, *m3;
        docmap          d = {.v = NULL}, d2 = {.v = NULL};
        char            what[32];
        int             rc;

        snprintf(what, sizeof what, "generation %d", (int)written[i].gen);
        rc = ncz_dialects_plan(m, &style, false, docmap_emit, &d);
        if (rc != NC_NOERR)
            fail_msg("%s: %d %s", what, rc, ncz_err_text());
        m2 = must_load(&d, &got);
        assert_int_equal(got.gen, written[i].gen);
        if (written[i].gen != NCZ_GEN_PURE)
            check_same(m, m2, what);
        else
            check_pure(m, m2);

        /* what was read is written as it stood: same bytes, and so the same model again */
        assert_int_equal(ncz_dialects_plan(m2, &got, true, docmap_emit, &d2), NC_NOERR);
        assert_int_equal(d.n, d2.n);
        for (size_t k = 0; k < d.n; k++)
            assert_string_equal(docmap_text(&d2, d.v[k].key), d.v[k].text);
        m3 = must_load(&d2, &got);
        check_same(m2, m3, what);
        ncz_model_free(m);
        ncz_model_free(m2);
        ncz_model_free(m3);
        docmap_clear(&d);
        docmap_clear(&d2);
    }
}

/* A model rewritten from its values alone, not from the text that it was read with. */
static void
forget_texts(ncz_model *m)
{
    for (size_t i = 0; i < m->ngroups; i++)
        for (size_t k = 0; k <= m->groups[i]->nvars; k++) {
            ncz_var  *v = k < m->groups[i]->nvars ? m->groups[i]->vars[k] : NULL;
            ncz_atts *a = v != NULL ? &v->atts : &m->groups[i]->atts;

            for (size_t n = 0; n < a->n; n++) {
                if ((a->v[n].in_arena & NCZ_IN_ARENA_TEXT) == 0)
                    ncz_free(a->v[n].raw);
                a->v[n].raw = NULL;
                a->v[n].rawlen = 0;
            }
            if (v != NULL) {
                ncz_free(v->dtype_text);
                ncz_free(v->fill_text);
                v->dtype_text = v->fill_text = NULL;
            }
        }
}

/* Reads what netCDF-C wrote, writes it in our own style from the values, reads it again. */
TEST(foreign_datasets_round_trip_in_our_style)
{
    static const char *const cases[] = {
        "netcdf-c-4.8.0/safe_atts",   "netcdf-c-4.8.0/safe_groups", "netcdf-c-4.8.0/chars",
        "netcdf-c-4.9.0/safe_scalar", "netcdf-c-4.9.2/alltypes",    "netcdf-c-4.9.2/groups",
        "netcdf-c-4.9.2/fills",       "netcdf-c-4.9.2/strings",     "netcdf-c-4.9.3/unlim",
        "netcdf-c-4.9.3/coords",      "netcdf-c-main/atts",         "netcdf-c-main/attspecial",
        "netcdf-c-main/scalars",      "netcdf-c-main/unlim0",       "netcdf-c-main/multifilter",
        "netcdf-c-main/dimsep_slash", "netcdf-c-main/bigendian",
    };
    const ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap     d = {.v = NULL}, d2 = {.v = NULL};
        char       path[1024];
        ncz_model *m, *m2;
        char      *x, *y;

        snprintf(path, sizeof path, DATA "%s", cases[i]);
        docmap_dir(&d, path);
        m = must_load(&d, NULL);
        forget_texts(m);
        assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d2), NC_NOERR);
        m2 = must_load(&d2, NULL);
        x = cdl_header(m);
        y = cdl_header(m2);
        assert_string_equal(x, y);
        check_same(m, m2, cases[i]);
        free(x);
        free(y);
        ncz_model_free(m);
        ncz_model_free(m2);
        docmap_clear(&d);
        docmap_clear(&d2);
    }
}

/* netCDF-C's own documents come out of the model byte for byte. */
TEST(documents_have_the_same_bytes_as_netcdf_cs)
{
    static const char *const cases[] = {
        "alltypes",
        "atts",
        "attspecial",
        "groups",
        "dimscale_scope",
        "scalars",
        "strings",
        "unlim",
        "unlim0",
        "fills",
        "empty",
        "dimsep_slash",
        "zarr_groups",
        "zarr_unlim",
        "zarr_noxarray_groups",
        "zarr_noxarray_coords",
        "zarr_scalars",
        "zarr_strings",
        "zarr_alltypes",
        "zarr_coords",
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap          d = {.v = NULL}, d2 = {.v = NULL};
        char            path[1024];
        ncz_format_opts style;
        ncz_model      *m;

        snprintf(path, sizeof path, DATA "netcdf-c-main/%s", cases[i]);
        docmap_dir(&d, path);
        m = must_load(&d, &style);
        assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d2), NC_NOERR);
        for (size_t k = 0; k < d.n; k++) {
            const char *got = docmap_text(&d2, d.v[k].key);

            if (got == NULL || strcmp(got, d.v[k].text) != 0)
                fail_msg("%s %s\nwant %s\ngot  %s", cases[i], d.v[k].key, d.v[k].text, got);
        }
        assert_int_equal(d.n, d2.n);
        ncz_model_free(m);
        docmap_clear(&d);
        docmap_clear(&d2);
    }
}

TEST(documents_have_exactly_these_bytes)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    ncz_dim        *t = add_dim(m, m->root, "t", 3, true);
    docmap          d = {.v = NULL};
    float           f = 0.1f;
    uint64_t        chunk = 512;
    ncz_var        *v = add_var(m, m->root, "v", NC_DOUBLE, 1, &t);

    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, &chunk), NC_NOERR);
    put(m, &v->atts, "f", NC_FLOAT, 1, &f);
    (void)add_var(m, m->root, "s", NC_INT, 0, NULL);
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    assert_string_equal(docmap_text(&d, ".zgroup"),
                        "{\"zarr_format\": 2, \"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": "
                        "{\"dims\": {\"t\": 3}, \"vars\": [\"v\",\"s\"], \"groups\": []}}");
    assert_string_equal(
        docmap_text(&d, ".zattrs"),
        "{\"_NCProperties\": \"" PROPERTIES "\", \"_nczarr_group\": {\"dimensions\": {\"t\": {\"size\": 3, "
        "\"unlimited\": 1}}, \"arrays\": [\"v\",\"s\"], \"groups\": []}, \"_nczarr_superblock\": {\"version\": "
        "\"2.0.0\"}, \"_nczarr_attr\": {\"types\": {\"_NCProperties\": \">S1\", \"_nczarr_group\": \"|J0\", "
        "\"_nczarr_superblock\": \"|J0\", \"_nczarr_attr\": \"|J0\"}}}");
    assert_string_equal(
        docmap_text(&d, "v/.zarray"),
        "{\"zarr_format\": 2, \"shape\": [3], \"dtype\": \"<f8\", \"chunks\": [512], \"fill_value\": "
        "9.969209968386869e+36, \"order\": \"C\", \"compressor\": null, \"filters\": null, \"_nczarr_array\": "
        "{\"dimrefs\": [\"/t\"], \"storage\": \"chunked\"}}");
    assert_string_equal(
        docmap_text(&d, "v/.zattrs"),
        "{\"f\": 0.10000000149011612, \"_ARRAY_DIMENSIONS\": [\"t\"], \"_nczarr_array\": {\"dimension_references\": "
        "[\"/t\"], "
        "\"storage\": \"chunked\"}, \"_nczarr_attr\": {\"types\": {\"f\": \"<f4\", \"_nczarr_array\": \"|J0\", "
        "\"_nczarr_attr\": \"|J0\"}}}");
    assert_string_equal(docmap_text(&d, "s/.zarray"),
                        "{\"zarr_format\": 2, \"shape\": [1], \"dtype\": \"<i4\", \"chunks\": [1], \"fill_value\": "
                        "-2147483647, \"order\": \"C\", \"compressor\": null, \"filters\": null, \"_nczarr_array\": "
                        "{\"dimrefs\": [], \"storage\": \"scalar\"}}");
    assert_string_equal(
        docmap_text(&d, "s/.zattrs"),
        "{\"_ARRAY_DIMENSIONS\": [\"_scalar_\"], \"_nczarr_array\": {\"dimension_references\": [], \"scalar\": "
        "1, \"storage\": \"chunked\"}, \"_nczarr_attr\": {\"types\": {\"_nczarr_array\": \"|J0\", "
        "\"_nczarr_attr\": \"|J0\"}}}");
    docmap_clear(&d);

    style = (ncz_format_opts){.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_PURE, .xarray = false};
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
    assert_string_equal(docmap_text(&d, ".zgroup"), "{\"zarr_format\": 2}");
    assert_string_equal(docmap_text(&d, "v/.zattrs"), "{\"f\": 0.10000000149011612}");
    docmap_clear(&d);
    ncz_model_free(m);
}

/* ---- order ---- */

typedef struct journal {
    size_t    n;
    ncz_stage stage[256];
    char      key[256][64];
    docmap    now; /* what is stored */
    bool      check;
    int       refuse_at; /* this emission fails */
} journal;

static int
note(void *arg, const ncz_doc_out *out)
{
    journal *j = arg;

    if (j->refuse_at >= 0 && (size_t)j->refuse_at == j->n)
        return NC_EIO;
    assert_int_equal(strlen(out->text), out->len);
    j->stage[j->n] = out->stage;
    snprintf(j->key[j->n++], sizeof j->key[0], "%s", out->key);
    docmap_put(&j->now, out->key, out->text, out->len);
    if (j->check) { /* a reader that comes now */
        ncz_model *m = must_load(&j->now, NULL);

        ncz_model_free(m);
    }
    return NC_NOERR;
}

static size_t
place_of(const journal *j, const char *key)
{
    for (size_t i = 0; i < j->n; i++)
        if (strcmp(j->key[i], key) == 0)
            return i;
    fail_msg("%s was not handed out", key);
    return 0;
}

TEST(documents_are_written_from_below_to_the_root)
{
    ncz_format_opts style = {
        .dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true, .consolidated = true};
    ncz_model *m = rich_model(&style);
    journal    j = {.refuse_at = -1};

    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    for (size_t i = 1; i < j.n; i++)
        assert_true(j.stage[i - 1] <= j.stage[i]);
    assert_string_equal(j.key[j.n - 1], ".zgroup");
    assert_string_equal(j.key[j.n - 2], ".zattrs");
    assert_string_equal(j.key[j.n - 3], ".zmetadata");
    assert_true(place_of(&j, "g1/inner/packed/.zattrs") < place_of(&j, "g1/inner/packed/.zarray"));
    assert_true(place_of(&j, "g1/inner/packed/.zarray") < place_of(&j, "v1/.zattrs"));
    assert_true(place_of(&j, "g1/inner/.zgroup") < place_of(&j, "g1/.zattrs"));
    assert_true(place_of(&j, "g1/.zgroup") < place_of(&j, ".zattrs"));
    ncz_model_free(m);
    docmap_clear(&j.now);
}

TEST(only_what_changed_is_written)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    ncz_dim        *t = add_dim(m, m->root, "t", 0, true);
    ncz_var        *v = add_var(m, m->root, "v", NC_INT, 1, &t);
    ncz_group      *g;
    journal         j = {.refuse_at = -1};

    (void)add_var(m, m->root, "w", NC_INT, 0, NULL);
    assert_int_equal(ncz_model_add_group(m, m->root, "g", &g), NC_NOERR);
    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    assert_int_equal(j.n, 8);
    ncz_dialects_mark_stored(m);
    j.check = true;

    j.n = 0;
    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    assert_int_equal(j.n, 0);
    put_text(m, &v->atts, "units", "m");
    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    assert_int_equal(j.n, 2); /* the variable's own */
    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    assert_int_equal(j.n, 4); /* marks stay until what was planned is stored */
    ncz_dialects_mark_stored(m);

    j.n = 0;
    ncz_model_grow_dim(m, t, 5);
    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    assert_int_equal(j.n, 4); /* the variable, and the group that has the dimension: the root */
    assert_string_equal(j.key[3], ".zgroup");
    ncz_dialects_mark_stored(m);

    j.n = 0;
    style.consolidated = true;
    put_text(m, &g->atts, "a", "b");
    assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
    assert_int_equal(j.n, 3);
    assert_string_equal(j.key[2], ".zmetadata");
    ncz_model_free(m);
    docmap_clear(&j.now);
}

/* After each single document of a new dataset, and of a changed one, the dataset opens. */
TEST(every_prefix_of_the_documents_opens)
{
    for (size_t i = 0; i < NCZ_LEN(written); i++) {
        ncz_format_opts style = style_at(i);
        ncz_model      *m = new_model(&style);
        ncz_dim        *t = add_dim(m, m->root, "t", 2, true), *d[2];
        ncz_group      *g, *h;
        journal         j = {.refuse_at = -1};

        d[0] = t;
        (void)add_var(m, m->root, "v", NC_INT, 1, &t);
        assert_int_equal(ncz_model_add_group(m, m->root, "g", &g), NC_NOERR);
        assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
        ncz_dialects_mark_stored(m);
        j.check = true;
        ncz_model_grow_dim(m, t, 7);
        assert_int_equal(ncz_model_add_group(m, g, "h", &h), NC_NOERR);
        d[1] = add_dim(m, h, "n", 3, false);
        (void)add_var(m, h, "w", NC_FLOAT, 2, d);
        (void)add_var(m, m->root, "late", NC_DOUBLE, 2, d);
        put_text(m, &m->root->atts, "title", "x");
        assert_int_equal(ncz_dialects_plan(m, &style, false, note, &j), NC_NOERR);
        ncz_model_free(m);
        docmap_clear(&j.now);
    }
}

TEST(a_refused_document_ends_the_plan)
{
    ncz_format_opts style = {
        .dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true, .consolidated = true};
    ncz_model *m = rich_model(&style);
    journal    all = {.refuse_at = -1};

    assert_int_equal(ncz_dialects_plan(m, &style, true, note, &all), NC_NOERR);
    for (size_t i = 0; i < all.n; i++) {
        journal j = {.refuse_at = (int)i};

        assert_int_equal(ncz_dialects_plan(m, &style, true, note, &j), NC_EIO);
        assert_int_equal(j.n, i);
        docmap_clear(&j.now);
    }
    ncz_model_free(m);
    docmap_clear(&all.now);
}

/* ---- what a style cannot say ---- */

TEST(old_styles_are_written_and_read)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_2, .xarray = true}, got;
    ncz_model      *m = new_model(&style), *m2;
    ncz_dim        *t = add_dim(m, m->root, "t", 4, true);
    const char     *s = "x";
    docmap          d = {.v = NULL};

    (void)add_var(m, m->root, "c", NC_CHAR, 1, &t);
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, "c/.zarray"), "\"dtype\": \"<U1\""));
    assert_non_null(strstr(docmap_text(&d, "c/.zarray"), "\"_NCZARR_ARRAY\": {\"dimrefs\": [\"/t\"]"));
    assert_non_null(strstr(docmap_text(&d, ".zgroup"), "\"_NCZARR_SUPERBLOCK\""));
    m2 = must_load(&d, &got);
    assert_true(got.gen == NCZ_GEN_2 && got.readonly);
    assert_int_equal(var_at(m2, "c")->type->id, NC_CHAR);
    assert_false(var_at(m2, "c")->dims[0]->unlimited); /* generations 2 and 3 cannot say it */
    assert_int_equal(var_at(m2, "c")->dims[0]->len, 4);
    ncz_model_free(m2);

    put(m, &m->root->vars[0]->atts, "s", NC_STRING, 1, &s);
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_EBADTYPE);
    assert_non_null(strstr(ncz_err_text(), "c: attribute 's'"));
    ncz_atts_del(&m->root->vars[0]->atts, ncz_atts_find(&m->root->vars[0]->atts, "s"));
    (void)add_var(m, m->root, "names", NC_STRING, 1, &t);
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_EBADTYPE);
    assert_non_null(strstr(ncz_err_text(), "names"));

    style.gen = NCZ_GEN_1;
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_EPERM);
    assert_int_equal(ncz_dialects_create(m, &style, NULL), NC_EINVAL);
    ncz_model_free(m);
    docmap_clear(&d);
}

/* NCZarr keys are not pure Zarr's to rewrite. */
TEST(nczarr_read_as_pure_is_read_only)
{
    const ncz_load_opts wish = {.pure = true, .xarray = true};
    docmap              d = {.v = NULL};
    ncz_format_opts     style;
    ncz_model          *m;

    docmap_dir(&d, DATA "netcdf-c-main/strings");
    assert_int_equal(load_with(&d, &wish, &ncz_limits_default, &m, &style), NC_NOERR);
    assert_true(style.gen == NCZ_GEN_PURE && style.readonly);
    assert_int_equal(m->root->nvars, 3);
    assert_int_equal(att_at(&m->root->atts, "gs")->type->id, NC_STRING);
    assert_null(ncz_atts_find(&m->root->atts, "_nczarr_group"));
    ncz_model_free(m);
    docmap_clear(&d);
}

/* Same name, another length: the name alone would mislead, and without any name xarray opens nothing of the group. */
TEST(ambiguous_names_become_paths)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    ncz_dim        *x = add_dim(m, m->root, "x", 2, false), *x2;
    ncz_group      *g;
    docmap          d = {.v = NULL};

    assert_int_equal(ncz_model_add_group(m, m->root, "g", &g), NC_NOERR);
    x2 = add_dim(m, g, "x", 4, false);
    (void)add_var(m, g, "outer", NC_INT, 1, &x);
    (void)add_var(m, g, "inner", NC_INT, 1, &x2);
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, "g/outer/.zattrs"), "\"_ARRAY_DIMENSIONS\": [\"_x\"]"));
    assert_non_null(strstr(docmap_text(&d, "g/inner/.zattrs"), "\"_ARRAY_DIMENSIONS\": [\"x\"]"));
    ncz_model_free(m);
    m = must_load(&d, NULL);
    g = m->root->groups[0];
    assert_ptr_equal(ncz_group_find_var(g, "outer")->dims[0], ncz_group_find_dim(m->root, "x"));
    assert_ptr_equal(ncz_group_find_var(g, "inner")->dims[0], ncz_group_find_dim(g, "x"));
    ncz_model_free(m);
    docmap_clear(&d);
}

/* Dimensions of groups beside and below the variable's: by full name for NCZarr, by names that differ for the rest. */
TEST(dimensions_of_other_groups_are_found_by_path)
{
    static const ncz_generation gens[] = {NCZ_GEN_2, NCZ_GEN_3, NCZ_GEN_4, NCZ_GEN_BOTH};

    for (size_t i = 0; i < NCZ_LEN(gens); i++) {
        ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = gens[i], .xarray = true};
        ncz_model      *m = new_model(&style);
        ncz_group      *a, *b;
        ncz_dim        *dims[4];
        ncz_var        *v;
        docmap          d = {.v = NULL};

        assert_int_equal(ncz_model_add_group(m, m->root, "a", &a), NC_NOERR);
        assert_int_equal(ncz_model_add_group(m, m->root, "b", &b), NC_NOERR);
        dims[0] = add_dim(m, a, "y", 3, false);
        dims[1] = add_dim(m, b, "y", 4, false);
        dims[2] = add_dim(m, a, "t", 3, true);
        dims[3] = add_dim(m, a, "only", 5, false);
        (void)add_var(m, m->root, "of_a", NC_INT, 1, &dims[3]);
        (void)add_var(m, m->root, "of_both", NC_INT, 2, dims);
        (void)add_var(m, b, "q", NC_INT, 3, dims);
        assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
        assert_non_null(strstr(docmap_text(&d, "of_a/.zattrs"), "\"_ARRAY_DIMENSIONS\": [\"only\"]"));
        assert_non_null(strstr(docmap_text(&d, "of_both/.zattrs"), "\"_ARRAY_DIMENSIONS\": [\"_a_y\",\"_b_y\"]"));
        assert_non_null(strstr(docmap_text(&d, "b/q/.zattrs"), "\"_ARRAY_DIMENSIONS\": [\"_a_y\",\"y\",\"t\"]"));
        ncz_model_free(m);
        m = must_load(&d, NULL);
        a = m->root->groups[0];
        b = m->root->groups[1];
        v = ncz_group_find_var(b, "q");
        assert_ptr_equal(v->dims[0], ncz_group_find_dim(a, "y"));
        assert_ptr_equal(v->dims[1], ncz_group_find_dim(b, "y"));
        assert_ptr_equal(v->dims[2], ncz_group_find_dim(a, "t"));
        assert_ptr_equal(ncz_group_find_var(m->root, "of_a")->dims[0], ncz_group_find_dim(a, "only"));
        assert_int_equal(m->ndims, 4);
        ncz_model_free(m);
        docmap_clear(&d);
    }
}

/* A path with '_' for '/' may be somebody's name, too. */
TEST(names_that_cannot_be_told_apart_are_left_out)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    ncz_dim        *x = add_dim(m, m->root, "x", 2, false);
    ncz_group      *g;
    docmap          d = {.v = NULL};

    assert_int_equal(ncz_model_add_group(m, m->root, "g", &g), NC_NOERR);
    (void)add_dim(m, g, "x", 4, false);
    (void)add_dim(m, g, "_x", 5, false);
    (void)add_var(m, g, "outer", NC_INT, 1, &x);
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    assert_null(strstr(docmap_text(&d, "g/outer/.zattrs"), "_ARRAY_DIMENSIONS"));
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(texts_keep_their_zeros)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    docmap          d = {.v = NULL};
    char            many[400] = "x";

    put(m, &m->root->atts, "units", NC_CHAR, 2, "m");
    put(m, &m->root->atts, "many", NC_CHAR, sizeof many, many);
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"units\": \"m\""));
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"lengths\": {\"units\": 2}"));
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"many\": \"x\\u0000"));
    ncz_model_free(m);
    m = must_load(&d, NULL);
    assert_int_equal(att_at(&m->root->atts, "units")->len, 2);
    assert_memory_equal(att_at(&m->root->atts, "units")->data, "m", 2);
    assert_int_equal(att_at(&m->root->atts, "many")->len, sizeof many);
    ncz_model_free(m);
    docmap_clear(&d);
    style.gen = NCZ_GEN_PURE; /* has no place for the lengths, and other readers would show the NULs */
    m = new_model(&style);
    put(m, &m->root->atts, "units", NC_CHAR, 2, "m");
    put(m, &m->root->atts, "many", NC_CHAR, sizeof many, many);
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"units\": \"m\""));
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"many\": \"x\""));
    assert_null(strstr(docmap_text(&d, ".zattrs"), "lengths"));
    ncz_model_free(m);
    docmap_clear(&d);
}

/* A fill value that would upset decoders of base64 is base64, and says so. */
TEST(upsetting_fill_values_are_base64_and_marked)
{
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    const char     *plain = "fill", *upsetting = "x";
    ncz_var *a = add_var(m, m->root, "a", NC_STRING, 0, NULL), *b = add_var(m, m->root, "b", NC_STRING, 0, NULL);
    docmap   d = {.v = NULL};

    assert_int_equal(ncz_var_set_fill(m, a, NCZ_FILL_VALUE, &plain), NC_NOERR);
    assert_int_equal(ncz_var_set_fill(m, b, NCZ_FILL_VALUE, &upsetting), NC_NOERR);
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, "a/.zarray"), "\"fill_value\": \"fill\""));
    assert_null(strstr(docmap_text(&d, "a/.zarray"), "base64"));
    assert_non_null(strstr(docmap_text(&d, "b/.zarray"), "\"fill_value\": \"eA==\""));
    assert_non_null(strstr(docmap_text(&d, "b/.zarray"), "\"fill\": \"base64\""));
    assert_non_null(strstr(docmap_text(&d, "b/.zattrs"), "\"fill\": \"base64\""));
    docmap_clear(&d);
    style.gen = NCZ_GEN_PURE;
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, "a/.zarray"), "\"fill_value\": \"ZmlsbA==\""));
    docmap_clear(&d);
    ncz_model_free(m);
}

/* Types that readers had better not mask have null for their default, and a mark. Others' own are kept. */
TEST(default_fills_that_would_mask_are_null)
{
    static const struct {
        nc_type     type;
        const char *text; /* the default, as it was written before */
        bool        unmasked;
    } cases[] = {
        {NC_BYTE, "-127", true},
        {NC_UBYTE, "255", true},
        {NC_SHORT, "-32767", true},
        {NC_USHORT, "65535", true},
        {NC_INT, "-2147483647", false},
        {NC_UINT, "4294967295", false},
        {NC_INT64, "-9223372036854775806", true},
        {NC_UINT64, "18446744073709551614", true},
        {NC_FLOAT, "9.969209968386869e+36", false},
        {NC_CHAR, "\"\"", true},
        {NC_STRING, "\"\"", true},
    };

    for (size_t s = 0; s < NCZ_LEN(written); s++)
        for (size_t i = 0; i < NCZ_LEN(cases); i++) {
            ncz_format_opts style = style_at(s);
            bool            both = style.gen == NCZ_GEN_BOTH, none = cases[i].unmasked && style.gen == NCZ_GEN_PURE;
            ncz_model      *m, *m2;
            docmap          d = {.v = NULL}, again = {.v = NULL};
            ncz_var        *v;
            char            want[64];

            if (written[s].zarr_format != 2 || (cases[i].type == NC_STRING && style.gen == NCZ_GEN_2))
                continue;
            m = new_model(&style);
            v = add_var(m, m->root, "v", cases[i].type, 0, NULL);
            assert_int_equal(v->fill_mode, none ? NCZ_FILL_NONE : NCZ_FILL_DEFAULT);
            assert_int_equal(v->spec->fill_null, both && cases[i].unmasked);
            assert_int_equal(v->spec->fill == NULL, none);
            assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
            snprintf(want, sizeof want, "\"fill_value\": %s",
                     both && cases[i].unmasked ? "null"
                     : none                    ? "null"
                                               : cases[i].text);
            if (strstr(docmap_text(&d, "v/.zarray"), want) == NULL)
                fail_msg("style %d type %d: %s", (int)style.gen, cases[i].type, docmap_text(&d, "v/.zarray"));
            assert_int_equal(strstr(docmap_text(&d, "v/.zarray"), "\"fill\": \"default\"") != NULL,
                             both && cases[i].unmasked);
            assert_int_equal(strstr(docmap_text(&d, "v/.zattrs"), "\"fill\": \"default\"") != NULL,
                             both && cases[i].unmasked);
            /* It comes back, and is written as it was. */
            m2 = must_load(&d, &style);
            v = var_at(m2, "v");
            assert_int_equal(v->fill_mode, none ? NCZ_FILL_NONE : NCZ_FILL_DEFAULT);
            assert_int_equal(v->spec->fill_null, both && cases[i].unmasked);
            assert_int_equal(v->spec->fill == NULL, none);
            assert_int_equal(ncz_dialects_plan(m2, &style, true, docmap_emit, &again), NC_NOERR);
            assert_string_equal(docmap_text(&again, "v/.zarray"), docmap_text(&d, "v/.zarray"));
            ncz_model_free(m2);
            ncz_model_free(m);
            docmap_clear(&d);
            docmap_clear(&again);
        }
    for (size_t i = 0; i < NCZ_LEN(cases); i++) { /* as an earlier release wrote it */
        ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
        ncz_model      *m = new_model(&style), *m2;
        docmap          d = {.v = NULL}, again = {.v = NULL};
        ncz_var        *v = add_var(m, m->root, "v", cases[i].type, 0, NULL);
        char            want[64];

        v->fill_null = false;
        assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
        m2 = must_load(&d, &style);
        assert_int_equal(var_at(m2, "v")->fill_mode, NCZ_FILL_DEFAULT);
        assert_false(var_at(m2, "v")->spec->fill_null);
        assert_int_equal(ncz_dialects_plan(m2, &style, true, docmap_emit, &again), NC_NOERR);
        snprintf(want, sizeof want, "\"fill_value\": %s", cases[i].text);
        assert_non_null(strstr(docmap_text(&again, "v/.zarray"), want));
        assert_string_equal(docmap_text(&again, "v/.zarray"), docmap_text(&d, "v/.zarray"));
        ncz_model_free(m2);
        ncz_model_free(m);
        docmap_clear(&d);
        docmap_clear(&again);
    }
    { /* no fill stays no fill */
        ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
        ncz_model      *m = new_model(&style), *m2;
        docmap          d = {.v = NULL};
        ncz_var        *v = add_var(m, m->root, "v", NC_BYTE, 0, NULL);

        assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_NONE, NULL), NC_NOERR);
        assert_false(v->spec->fill_null);
        assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
        assert_null(strstr(docmap_text(&d, "v/.zarray"), "\"fill\""));
        m2 = must_load(&d, &style);
        assert_int_equal(var_at(m2, "v")->fill_mode, NCZ_FILL_NONE);
        ncz_model_free(m2);
        ncz_model_free(m);
        docmap_clear(&d);
    }
}

TEST(the_consolidated_copy_equals_the_documents)
{
    ncz_format_opts style = {
        .dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true, .consolidated = true};
    ncz_model          *m = rich_model(&style), *m2, *m3;
    docmap              d = {.v = NULL}, copy = {.v = NULL};
    ncz_json           *all;
    const char         *text;
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 128, .nbytes = (size_t)1 << 26};

    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    text = docmap_text(&d, ".zmetadata");
    assert_int_equal(ncz_json_parse(text, strlen(text), &opts, &all, NULL), NC_NOERR);
    assert_string_equal(ncz_json_key(all, 0), "metadata");
    assert_string_equal(ncz_json_key(all, 1), "zarr_consolidated_format");
    for (size_t i = 0; i < ncz_json_len(ncz_json_at(all, 0)); i++) {
        size_t      len;
        const char *slice = ncz_json_slice(ncz_json_at(ncz_json_at(all, 0), i), &len);

        docmap_put(&copy, ncz_json_key(ncz_json_at(all, 0), i), slice, len);
    }
    assert_int_equal(copy.n, d.n - 1);
    m2 = must_load(&d, NULL);
    m3 = must_load(&copy, NULL);
    check_same(m2, m3, "consolidated");
    ncz_json_free(all);
    ncz_model_free(m);
    ncz_model_free(m2);
    ncz_model_free(m3);
    docmap_clear(&d);
    docmap_clear(&copy);
}

/* A changed attribute is written from its value, its neighbours as they stood. */
TEST(neighbours_of_a_change_stay_as_they_stood)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;
    double          third = 1.0 / 3;

    docmap_dir(&d, DATA "netcdf-c-main/attspecial");
    m = must_load(&d, &style);
    put(m, &m->root->atts, "json_num", NC_DOUBLE, 1, &third);
    put_text(m, &m->root->atts, "new", "{\"x\":  1}");
    assert_int_equal(ncz_dialects_plan(m, &style, false, docmap_emit, &d), NC_NOERR);
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"json_num\": 0.3333333333333333, "));
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"json_num\": \"<f8\", "));
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"nantext\": NaN, "));
    assert_non_null(strstr(docmap_text(&d, ".zattrs"), "\"new\": {\"x\":  1}, \"_NCProperties\""));
    ncz_model_free(m);
    m = must_load(&d, NULL);
    assert_memory_equal(att_at(&m->root->atts, "new")->data, "{\"x\":  1}", 9);
    ncz_model_free(m);
    docmap_clear(&d);
}

/* A writer that died between an array's document and its group's: what is stored is reachable. */
TEST(an_array_longer_than_its_dimension_is_reachable)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style = {.dialect = ncz_dialects_find(2), .gen = NCZ_GEN_BOTH, .xarray = true};
    ncz_model      *m = new_model(&style);
    ncz_dim        *dims[2];
    docmap          later = {.v = NULL};

    dims[0] = add_dim(m, m->root, "t", 2, true);
    dims[1] = add_dim(m, m->root, "x", 3, false);
    (void)add_var(m, m->root, "v", NC_INT, 2, dims);
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &d), NC_NOERR);
    ncz_model_grow_dim(m, dims[0], 9);
    assert_int_equal(ncz_dialects_plan(m, &style, true, docmap_emit, &later), NC_NOERR);
    ncz_model_free(m);
    docmap_puts(&d, "v/.zarray", docmap_text(&later, "v/.zarray"));
    m = must_load(&d, NULL);
    assert_int_equal(ncz_group_find_dim(m->root, "t")->len, 9);
    assert_int_equal(var_at(m, "v")->document, NCZ_DOCUMENT_STORED);
    ncz_model_free(m);
    docmap_clear(&d);
    docmap_clear(&later);
}
