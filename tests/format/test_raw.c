/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw arrays: what their description says, where chunks lie, and descriptions that say something else. */
#include "fixture.h"

#include "format/raw/raw.h"

#define HEAD "{\"raw_arrays\": 1, \"file\": \"a.bin\", \"arrays\": {"

TEST(description)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;
    ncz_var        *v;
    ncz_buf         key = NCZ_BUF_INIT;
    ncz_chunk_addr  where;

    docmap_puts(&d, "raw.json",
                HEAD "\"v\": {\"shape\": [3, 1000, 1000], \"dimensions\": [\"t\", \"y\", \"x\"], \"dtype\": \">i2\", "
                     "\"offset\": 16, \"fill_value\": -5, \"attributes\": {\"units\": \"K\"}}, "
                     "\"w\": {\"shape\": [1000, 7], \"dtype\": \"<f8\", \"row_padding\": 4, \"offset\": 100}, "
                     "\"s\": {\"shape\": [], \"dtype\": \"|u1\"}}, \"attributes\": {\"title\": \"three\"}}");
    m = must_load(&d, &style);
    assert_true(style.readonly && ncz_format_zarr_version(style.dialect) == 0);
    assert_int_equal(m->root->nvars, 3);
    assert_int_equal(m->root->ndims, 5);
    assert_string_equal(att_at(&m->root->atts, "title")->name, "title");

    v = var_at(m, "v");
    assert_true(v->type->id == NC_SHORT && v->dtype.big && v->fill_mode == NCZ_FILL_VALUE);
    assert_int_equal(*(const short *)att_at(&v->atts, "_FillValue")->data, -5);
    assert_int_equal(att_at(&v->atts, "units")->len, 1);
    assert_true(v->chunk[0] == 1 && v->chunk[1] == 524 && v->chunk[2] == 1000);
    assert_int_equal(ncz_spec_locate(v->spec, (const uint64_t[]){2, 0, 0}, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "a.bin");
    assert_true(where.offset == 16 + 2 * 2000000 && where.length == 1048000 && !where.tail);
    assert_int_equal(ncz_spec_locate(v->spec, (const uint64_t[]){1, 1, 0}, &key, &where), NC_NOERR);
    assert_true(where.offset == 16 + 2000000 + 1048000 && where.length == 952000 && where.tail);
    assert_int_equal(ncz_spec_locate(v->spec, (const uint64_t[]){1, 2, 0}, &key, &where), NC_EINVALCOORDS);
    assert_int_equal(ncz_spec_locate(v->spec, (const uint64_t[]){UINT64_MAX, 0, 0}, &key, &where), NC_EINVALCOORDS);

    v = var_at(m, "w"); /* rows that do not follow each other */
    assert_true(v->chunk[0] == 1 && v->chunk[1] == 7);
    assert_int_equal(ncz_spec_locate(v->spec, (const uint64_t[]){999, 0}, &key, &where), NC_NOERR);
    assert_true(where.offset == 100 + 999 * 60 && where.length == 56 && !where.tail);
    assert_int_equal(ncz_spec_locate(var_at(m, "s")->spec, NULL, &key, &where), NC_NOERR);
    assert_true(where.offset == 0 && where.length == 1);
    ncz_buf_clear(&key);
    ncz_model_free(m);
    docmap_clear(&d);
}

TEST(wrong_descriptions)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"{\"raw_arrays\": 2}", "is not 1"},
        {"{\"raw_arrays\": \"1\"}", "is not 1"},
        {"{\"raw_arrays\": 1}", "\"file\""},
        {"{\"raw_arrays\": 1, \"file\": 3}", "\"file\""},
        {"{\"raw_arrays\": 1, \"file\": \"a\", \"arays\": {}}", "\"arays\""},
        {HEAD "\"v\": 3}}", "\"shape\""},
        {HEAD "\"v\": {\"shape\": 3, \"dtype\": \"<i4\"}}}", "\"shape\""},
        {HEAD "\"v\": {\"shape\": [-3], \"dtype\": \"<i4\"}}}", "no length"},
        {HEAD "\"v\": {\"shape\": [3.5], \"dtype\": \"<i4\"}}}", "no length"},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i3\"}}}", "\"dtype\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"|S4\"}}}", "\"dtype\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<M8[s]\"}}}", "\"dtype\""},
        {HEAD "\"v\": {\"shape\": [3]}}}", "\"dtype\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\", \"ofset\": 3}}}", "\"ofset\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\", \"offset\": -3}}}", "\"offset\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\", \"row_padding\": \"3\"}}}", "\"row_padding\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\", \"dimensions\": [\"x\", \"y\"]}}}", "\"dimensions\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\", \"dimensions\": [3]}}}", "\"dimensions\""},
        {HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\", \"dimensions\": [\"a/b\"]}}}", "\"a/b\""},
        {HEAD "\"v\": {\"shape\": [3, 4], \"dtype\": \"<i4\", \"dimensions\": [\"x\", \"x\"]}}}", "3 before"},
        {HEAD "\"a/b\": {\"shape\": [3], \"dtype\": \"<i4\"}}}", "\"a/b\""},
        {HEAD "\"v\": {\"shape\": [9223372036854775807], \"dtype\": \"<i4\"}}}", "largest file"},
        {HEAD "\"v\": {\"shape\": [2, 2], \"dtype\": \"<i4\", \"row_padding\": 9223372036854775807}}}",
         "largest file"},
        {HEAD "\"v\": {\"shape\": [2], \"dtype\": \"<i4\", \"offset\": 18446744073709551615}}}", "largest file"},
        {HEAD "\"v\": {\"shape\": [2], \"dtype\": \"<i4\", \"fill_value\": \"much\"}}}", "fill_value"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        docmap          d = {.v = NULL};
        ncz_format_opts style;
        ncz_model      *m;

        docmap_puts(&d, "raw.json", rows[i].text);
        assert_int_equal(load(&d, &m, &style), NC_EZARRMETA);
        if (strstr(ncz_err_text(), rows[i].says) == NULL)
            fail_msg("%s: %s", rows[i].text, ncz_err_text());
        docmap_clear(&d);
    }
}

/* Documents of Zarr come first, and another program's raw.json is nobody's. */
TEST(others)
{
    docmap          d = {.v = NULL};
    ncz_load_opts   wish = wish_default;
    ncz_format_opts style;
    ncz_model      *m;

    docmap_puts(&d, "raw.json", "{\"camera\": 3}");
    assert_int_equal(load(&d, &m, &style), NC_ENOTZARR);
    assert_non_null(strstr(ncz_err_text(), ".zgroup"));
    docmap_puts(&d, "raw.json", "{\"raw_arrays\":");
    assert_int_equal(load(&d, &m, &style), NC_EZARRMETA);
    docmap_puts(&d, "raw.json", HEAD "\"v\": {\"shape\": [3], \"dtype\": \"<i4\"}}}");
    wish.zarr_format = 2;
    assert_int_equal(load_with(&d, &wish, &ncz_limits_default, &m, &style), NC_ENOTZARR);
    docmap_puts(&d, ".zgroup", "{\"zarr_format\": 2}");
    m = must_load(&d, &style);
    assert_int_equal(m->root->nvars, 0);
    assert_int_equal(ncz_format_zarr_version(style.dialect), 2);
    ncz_model_free(m);
    docmap_clear(&d);
}

static int
load_again(void *arg)
{
    ncz_format_opts style;
    ncz_model      *m = NULL;
    int             rc = load(arg, &m, &style);

    if (m != NULL)
        ncz_model_free(m);
    return rc;
}

TEST(without_memory)
{
    docmap d = {.v = NULL};

    docmap_puts(&d, "raw.json",
                HEAD "\"v\": {\"shape\": [3, 4], \"dtype\": \">i2\", \"fill_value\": 1, \"attributes\": {\"a\": "
                     "[1, 2]}}}, \"attributes\": {\"t\": \"x\"}}");
    each_allocation_fails(load_again, &d);
    docmap_clear(&d);
}
