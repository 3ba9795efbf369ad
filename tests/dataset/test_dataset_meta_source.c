/* SPDX-License-Identifier: BSD-3-Clause */
/* Where documents come from: one by one, or all from the consolidated one; what happens when that is broken. */
#include "dataset_test.h"
#include "dataset/dataset_int.h"
#include "zmap/zmap_mem.h"
#include "support/zmap_fault.h"

static zmap *
made(const char *mode)
{
    ncz_dataset *ds = NULL;
    ncz_dim     *x = NULL;
    ncz_group   *g = NULL;
    ncz_var     *v = NULL;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, mode, NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", 3, &x));
    OK(def_group(ds, "g", &g));
    OK(def_var(ds, NULL, "v", 1, &x, &v));
    OK(def_var(ds, g, "w", 1, &x, &v));
    OK(put_att(ds, "version", 1));
    OK(end(ds));
    return map;
}

/* Opens with so many operations on the map, and finds everything. */
static size_t
opens_in(zmap *inner, const char *mode, int omode)
{
    zmap_fault_plan plan = {.nth = 0};
    ncz_dataset    *ds = NULL;
    zmap           *map = NULL;
    size_t          n;

    OK(zmap_fault_open(zmap_ref(inner), &plan, &map));
    OK(ncz_dataset_open_map(map, mode, omode, NULL, &ds));
    assert_non_null(model_of(ds));
    n = plan.seen;
    assert_non_null(var(ds, "/", "v"));
    assert_non_null(var(ds, "/g", "w"));
    assert_int_equal(att(ds, "version"), 1);
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
    return n;
}

TEST(consolidated_metadata_takes_two_requests)
{
    const char *const modes[] = {"mode=nczarr,consolidated", "mode=zarr,consolidated"};

    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        zmap *map = made(modes[i]);

        assert_int_equal(opens_in(map, NULL, NC_NOWRITE), 2); /* zarr.json and .zmetadata, at once */
        assert_int_equal(opens_in(map, "consolidated=yes", NC_NOWRITE), 2);
        assert_int_equal(opens_in(map, "mode=v2", NC_NOWRITE), 1);
        assert_true(opens_in(map, "consolidated=no", NC_NOWRITE) > 4);
        assert_true(opens_in(map, NULL, NC_WRITE) > 4); /* a writer looks at what it will write over */
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

TEST(broken_consolidated_metadata_is_passed_over)
{
    static const char *const texts[] = {"{\"metadata\": {", "[]", "{\"metadata\": 5}", ""};
    ncz_dataset             *ds = NULL;
    zmap                    *map = made("mode=nczarr,consolidated");

    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        OK(zmap_put(map, ".zmetadata", texts[i], strlen(texts[i])));
        (void)opens_in(map, NULL, NC_NOWRITE); /* the documents themselves are there */
        assert_int_equal(ncz_dataset_open_map(map, "consolidated=yes", NC_NOWRITE, NULL, &ds), NC_EZARRMETA);
        assert_non_null(strstr(ncz_err_text(), ".zmetadata"));
    }
    OK(zmap_close(map, ZMAP_KEEP));
    map = made("mode=nczarr");
    assert_int_equal(ncz_dataset_open_map(map, "consolidated=yes", NC_NOWRITE, NULL, &ds), NC_EZARRMETA);
    OK(zmap_close(map, ZMAP_KEEP));
}

/* Whether a reader looks at no more of the document than its end: all else in it is no JSON, about which there would be
 * a warning. */
static bool
is_passed_over(zmap *map, const char *text)
{
    ncz_dataset *ds = NULL;
    bool         quiet;

    OK(zmap_put(map, ".zmetadata", text, strlen(text)));
    OK(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds));
    assert_non_null(model_of(ds));
    quiet = ncz_dataset_warnings(ds) == NULL || ncz_dataset_warnings(ds)->n == 0;
    assert_non_null(var(ds, "/g", "w"));
    OK(end(ds));
    assert_int_equal(ncz_dataset_open_map(map, "consolidated=yes", NC_NOWRITE, NULL, &ds), NC_EZARRMETA);
    return quiet;
}

TEST(copies_that_nobody_asked_for_are_not_read)
{
    enum { LONG = 100000 };
    char *text = malloc(LONG + 100);
    zmap *map = made("mode=nczarr");

    assert_non_null(text);
    assert_true(is_passed_over(map, "{\"metadata\": {[, \"_nczarr_unasked\": true}"));
    assert_false(is_passed_over(map, "{\"metadata\": {[, \"_nczarr_unasked\": true} "));
    assert_false(is_passed_over(map, "{\"metadata\": {[, \\\"_nczarr_unasked\": true}"));
    assert_false(is_passed_over(map, "_nczarr_unasked"));
    /* longer than what is read first */
    memset(text, '[', LONG);
    strcpy(text + LONG, ", \"_nczarr_unasked\": true}");
    assert_true(is_passed_over(map, text));
    strcpy(text + LONG, ", \"_nczarr_unasked\": 1}");
    assert_false(is_passed_over(map, text));
    OK(zmap_close(map, ZMAP_KEEP));
    free(text);
}

/* A long document without the mark is read again as a whole. */
TEST(long_consolidated_metadata)
{
    enum { LONG = 100000 };
    static char blanks[LONG];
    zmap       *map = made("mode=nczarr,consolidated");
    ncz_buf     doc = NCZ_BUF_INIT, longer = NCZ_BUF_INIT;

    memset(blanks, ' ', LONG);
    OK(zmap_get(map, ".zmetadata", &doc));
    OK(ncz_buf_append(&longer, blanks, LONG));
    OK(ncz_buf_append(&longer, doc.data, doc.len));
    OK(zmap_put(map, ".zmetadata", longer.data, longer.len));
    assert_int_equal(opens_in(map, NULL, NC_NOWRITE), 3);
    assert_int_equal(opens_in(map, "consolidated=yes", NC_NOWRITE), 2);
    ncz_buf_clear(&doc);
    ncz_buf_clear(&longer);
    OK(zmap_close(map, ZMAP_KEEP));
}

/* netCDF-C left the end of a longer document behind a shorter one. */
TEST(stale_tails)
{
    zmap   *map = made("mode=nczarr");
    ncz_buf doc = NCZ_BUF_INIT;

    OK(zmap_get(map, ".zattrs", &doc));
    OK(ncz_buf_puts(&doc, "\"old\": 1}}"));
    OK(zmap_put(map, ".zattrs", doc.data, doc.len));
    (void)opens_in(map, NULL, NC_NOWRITE);
    ncz_buf_clear(&doc);
    OK(zmap_close(map, ZMAP_KEEP));
}

TEST(what_is_no_dataset)
{
    ncz_dataset *ds = NULL;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    assert_int_equal(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds), NC_ENOTNC);
    OK(zmap_put(map, "notes", "x", 1));
    assert_int_equal(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds), NC_ENOTNC);
    assert_int_equal(ncz_dataset_create_map(map, NULL, NC_CLOBBER, NULL, &ds), NC_EEXIST);
    assert_int_equal(zmap_len(map, "notes", NULL), NC_NOERR);
    OK(zmap_put(map, "zarr.json", "{\"zarr_format\": 3}", 18));
    assert_int_equal(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "zarr.json: \"node_type\""));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* ---- as bytes -------------------------------------------------------------------------------------------------- */

static void
note_bytes(void *arg, size_t i, const ncz_docs_got *got)
{
    ncz_buf *out = arg;

    OK(ncz_buf_printf(out, "%zu:", i));
    for (size_t k = 0; k < 2; k++) {
        assert_null(got[k].doc);
        if (got[k].err != NULL)
            OK(ncz_buf_puts(out, "error;"));
        else if (got[k].bytes == NULL)
            OK(ncz_buf_puts(out, "none;"));
        else
            OK(ncz_buf_printf(out, "%.*s;", (int)got[k].len, got[k].bytes));
    }
}

/* A dialect whose metadata are not JSON gets an object's bytes, or a range of them; the first fetch and later ones. */
TEST(bytes_and_ranges)
{
    static const char *const keys[] = {"a", "nothing"};
    const ncz_docs_req       whole = {.keys = keys, .n = 2, .as = NCZ_DOCS_BYTES};
    const ncz_docs_req       range = {.keys = keys, .n = 2, .as = NCZ_DOCS_BYTES, .off = 2, .len = 3};
    const ncz_docs_req       beyond = {.keys = keys, .n = 2, .as = NCZ_DOCS_BYTES, .off = 20, .len = 3};
    ncz_meta_source          source;
    ncz_docs                 docs;
    ncz_buf                  seen = NCZ_BUF_INIT;
    zmap                    *map = NULL;

    OK(zmap_mem_open(&map));
    OK(zmap_put(map, "a", "CDF5234", 7));
    OK(ncz_meta_source_init(&source, map, &ncz_limits_default, NCZ_CONSOLIDATED_IGNORE, 0, NULL, NULL));
    docs = ncz_meta_source_docs(&source);
    OK(docs.fetch(docs.arg, &range, 1, note_bytes, &seen));
    OK(docs.fetch(docs.arg, &whole, 1, note_bytes, &seen));
    OK(docs.fetch(docs.arg, &range, 1, note_bytes, &seen));
    OK(docs.fetch(docs.arg, &beyond, 1, note_bytes, &seen));
    assert_string_equal(ncz_buf_str(&seen), "0:F52;none;0:CDF5234;none;0:F52;none;0:error;none;");
    ncz_meta_source_clear(&source);
    ncz_buf_clear(&seen);
    OK(zmap_close(map, ZMAP_KEEP));
}
