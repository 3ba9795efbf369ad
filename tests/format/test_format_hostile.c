/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged documents, documents made to hurt, and no memory: an error or tolerance, never a crash or a leak. */
#include "fixture.h"
#include "format/zarr/zarr.h"

#define DATA NCZ_TEST_DATA "/golden/"

static const char *const cases[] = {
    "netcdf-c-4.8.0/safe_groups", "netcdf-c-4.9.0/safe_scalar", "netcdf-c-4.9.2/strings",
    "netcdf-c-4.9.3/unlim",       "netcdf-c-main/multifilter",  "netcdf-c-main/zarr_noxarray_coords",
};

/* Loads what is there; when that works, writes it all. */
static int
try_it(docmap *d)
{
    docmap          out = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;
    int             rc = load(d, &m, &style);

    if (rc != NC_NOERR) {
        assert_true(rc == NC_EZARRMETA || rc == NC_ENOTZARR || rc == NC_EMAXDIMS || rc == NC_EMAXVARS);
        assert_true(ncz_err_text()[0] != '\0');
        return rc;
    }
    if (style.gen == NCZ_GEN_1)
        style.gen = NCZ_GEN_BOTH;
    rc = ncz_dialects_plan(m, &style, true, docmap_emit, &out);
    assert_true(rc == NC_NOERR || rc == NC_EBADTYPE);
    ncz_model_free(m);
    docmap_clear(&out);
    return NC_NOERR;
}

TEST(documents_may_end_anywhere)
{
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap d = {.v = NULL};
        char   path[1024];
        size_t opened = 0;

        snprintf(path, sizeof path, DATA "%s", cases[i]);
        docmap_dir(&d, path);
        for (size_t k = 0; k < d.n; k++) {
            char  *text = strdup(d.v[k].text);
            size_t len = d.v[k].len;

            for (size_t cut = 0; cut < len; cut++) {
                docmap_put(&d, d.v[k].key, text, cut);
                opened += try_it(&d) == NC_NOERR;
            }
            docmap_put(&d, d.v[k].key, text, len);
            free(text);
        }
        assert_true(opened > 0); /* documents that the dataset can do without */
        assert_int_equal(try_it(&d), NC_NOERR);
        docmap_clear(&d);
    }
}

static uint32_t
next_random(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static void
mutate(char *text, size_t len, uint32_t *seed)
{
    static const char bytes[] = "{}[]\",:0123456789-eE.\\/ntrufalse<>|iuSUfMmJ_ \n\t\x00\x01\x7f\x80\xff";
    size_t            n = 1 + next_random(seed) % 4;

    for (size_t i = 0; i < n; i++) {
        size_t at = next_random(seed) % len;

        if (next_random(seed) % 4 == 0)
            memmove(text + at, text + next_random(seed) % len, 1);
        else
            text[at] = bytes[next_random(seed) % (sizeof bytes - 1)];
    }
}

TEST(any_byte_may_be_changed)
{
    uint32_t seed = 20261120;

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        docmap d = {.v = NULL};
        char   path[1024];

        snprintf(path, sizeof path, DATA "%s", cases[i]);
        docmap_dir(&d, path);
        for (size_t k = 0; k < d.n; k++) {
            char  *text = strdup(d.v[k].text), *copy = strdup(d.v[k].text);
            size_t len = d.v[k].len;

            for (size_t n = 0; n < 150; n++) {
                memcpy(copy, text, len);
                mutate(copy, len, &seed);
                docmap_put(&d, d.v[k].key, copy, len);
                (void)try_it(&d);
            }
            docmap_put(&d, d.v[k].key, text, len);
            free(text);
            free(copy);
        }
        docmap_clear(&d);
    }
}

/* ---- made to hurt ---- */

#define NCZARR_ROOT(dims, vars, groups)                                                                              \
    "{\"zarr_format\": 2, \"_nczarr_superblock\": {}, \"_nczarr_group\": {\"dims\": {" dims "}, \"vars\": [" vars    \
    "], \"groups\": [" groups "]}}"

TEST(names_that_are_no_keys_are_left_out)
{
    static const char *const bad[] = {
        "..", ".", "", "a/b", "a\\\\b", "/etc", "\\u0000", "a\\u0000b", "\\u0007", "\xff", "\x7f", "a\\nb",
    };
    char   text[4096];
    docmap d = {.v = NULL};

    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        ncz_model      *m;
        ncz_format_opts style;

        snprintf(text, sizeof text,
                 NCZARR_ROOT("\"%s\": 3, \"ok\": 2", "\"%s\",\"v\",5,\"v\"", "\"%s\",\"g\",\"v\",null"), bad[i],
                 bad[i], bad[i]);
        docmap_puts(&d, ".zgroup", text);
        m = must_load(&d, &style);
        if (m->root->nvars != 1)
            fail_msg("'%s': %zu variables", bad[i], m->root->nvars);
        assert_string_equal(m->root->vars[0]->name, "v");
        assert_int_equal(m->root->vars[0]->unusable->code, NC_EZARRMETA); /* there is no v/.zarray */
        assert_int_equal(m->root->ngroups, 1);
        assert_non_null(ncz_group_find_dim(m->root, "ok"));
        ncz_model_free(m);
    }
    memset(text, 'x', sizeof text);
    {
        char       root[5000];
        ncz_model *m;

        text[2000] = '\0';
        snprintf(root, sizeof root, NCZARR_ROOT("", "\"%s\",\"v\"", ""), text);
        docmap_puts(&d, ".zgroup", root);
        m = must_load(&d, NULL);
        assert_int_equal(m->root->nvars, 1);
        ncz_model_free(m);
    }
    docmap_clear(&d);
}

static int
load_limited(docmap *d, const ncz_limits *limits)
{
    ncz_model      *m;
    ncz_format_opts style;
    int             rc = load_with(d, &wish_default, limits, &m, &style);

    if (rc == NC_NOERR)
        ncz_model_free(m);
    return rc;
}

TEST(limits_of_the_model_are_kept)
{
    ncz_limits      limits = ncz_limits_default;
    docmap          d = {.v = NULL};
    ncz_model      *m;
    ncz_format_opts style;

    docmap_puts(&d, ".zgroup", NCZARR_ROOT("\"a\": 1, \"b\": 2, \"c\": 3", "\"v\",\"w\"", "\"g\""));
    docmap_puts(&d, "g/.zgroup", "{\"_nczarr_group\": {\"groups\": [\"h\"]}}");
    docmap_puts(&d, "v/.zattrs", "{\"a\": 1, \"b\": 2, \"c\": 3}");
    docmap_puts(&d, "v/.zarray", "{\"shape\": [1,2,3], \"chunks\": [1,2,3], \"dtype\": \"<i4\", \"fill_value\": 0}");
    assert_int_equal(load_limited(&d, &limits), NC_NOERR);

    limits.group_depth = 1;
    assert_int_equal(load_limited(&d, &limits), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "group_depth"));
    limits = ncz_limits_default;
    limits.objects = 3;
    assert_true(load_limited(&d, &limits) != NC_NOERR);
    assert_non_null(strstr(ncz_err_text(), "objects"));
    limits = ncz_limits_default;
    limits.attributes = 2;
    assert_int_equal(load_limited(&d, &limits), NC_EMAXATTS);
    assert_non_null(strstr(ncz_err_text(), "attributes"));
    limits = ncz_limits_default;
    limits.rank = 2; /* one variable is beyond it: it alone is out of reach */
    assert_int_equal(load_with(&d, &wish_default, &limits, &m, &style), NC_NOERR);
    assert_int_equal(var_at(m, "v")->unusable->code, NC_EZARRMETA);
    assert_non_null(strstr(var_at(m, "v")->unusable->text, "rank"));
    ncz_model_free(m);
    limits = ncz_limits_default;
    limits.name_bytes = 1;
    assert_int_equal(load_limited(&d, &limits), NC_NOERR);
    docmap_clear(&d);
}

/* A tree of implied directories deeper than groups may be is nobody's dataset: it is not followed. */
/* Definitions of types that are of no use are left out, and the rest of the dataset is there. */
TEST(useless_types_are_left_out)
{
    static const struct {
        const char *types;
        size_t      ntypes, used; /* types that exist; of these the usable ones */
    } definitions[] = {
        {"{}", 0, 0},
        {"[]", 0, 0},
        {"7", 0, 0},
        {"{\"a\": 1}", 0, 0},
        {"{\"a\": {\"class\": \"opaque\", \"size\": 3}}", 1, 1},
        {"{\"a\": {\"class\": \"opaque\", \"size\": 0}}", 0, 0},
        {"{\"a\": {\"class\": \"opaque\", \"size\": 18446744073709551615}}", 0, 0},
        {"{\"a\": {\"class\": \"opaque\", \"size\": -1}}", 0, 0},
        {"{\"a/b\": {\"class\": \"opaque\", \"size\": 3}}", 0, 0},
        {"{\"\": {\"class\": \"opaque\", \"size\": 3}}", 0, 0},
        {"{\"v\": {\"class\": \"thing\", \"size\": 3}}", 0, 0},
        {"{\"e\": {\"class\": \"enum\", \"base\": \"int\", \"members\": {\"a\": 1, \"b\": 2}}}", 1, 1},
        {"{\"e\": {\"class\": \"enum\", \"base\": \"byte\", \"members\": {\"a\": 1, \"b\": 300}}}", 1, 0},
        {"{\"e\": {\"class\": \"enum\", \"base\": \"float\", \"members\": {\"a\": 1}}}", 0, 0},
        {"{\"e\": {\"class\": \"enum\", \"members\": {\"a\": 1}}}", 0, 0},
        {"{\"e\": {\"class\": \"enum\", \"base\": \"int\"}}", 1, 0},
        {"{\"w\": {\"class\": \"vlen\", \"base\": \"/w\"}}", 0, 0},
        {"{\"w\": {\"class\": \"vlen\", \"base\": \"/x\"}, \"x\": {\"class\": \"vlen\", \"base\": \"/w\"}}", 0, 0},
        {"{\"w\": {\"class\": \"vlen\", \"base\": \"/x\"}, \"x\": {\"class\": \"vlen\", \"base\": \"int\"}}", 2, 2},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"int\", "
         "\"offset\": 4}]}}",
         1, 1},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"int\", "
         "\"offset\": 5}]}}",
         1, 0},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"/c\", "
         "\"offset\": 0}]}}",
         0, 0},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"int\"}]}}", 1, 0},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"int\", "
         "\"offset\": 0, "
         "\"shape\": [0]}]}}",
         1, 0},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"int\", "
         "\"offset\": 0, "
         "\"shape\": [18446744073709551615, 4]}]}}",
         1, 0},
        {"{\"c\": {\"class\": \"compound\", \"size\": 8, \"fields\": []}}", 1, 0},
        {"{\"c\": {\"class\": \"compound\", \"size\": 99999999999, \"fields\": []}}", 0, 0},
        /* of a machine with other pointers: laid out afresh */
        {"{\"c\": {\"class\": \"compound\", \"size\": 6, \"pointer\": 2, \"fields\": [{\"name\": \"a\", \"type\": "
         "\"string\", "
         "\"offset\": 0}, {\"name\": \"b\", \"type\": \"int\", \"offset\": 2}]}}",
         1, 1},
    };

    for (size_t i = 0; i < NCZ_LEN(definitions); i++) {
        docmap          d = {.v = NULL};
        ncz_format_opts style;
        ncz_model      *m;
        char            text[1024];
        size_t          used = 0;

        snprintf(
            text, sizeof text,
            "{\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": {\"dimensions\": {}, \"arrays\": "
            "[\"v\"], \"groups\": [], \"types\": %s}}",
            definitions[i].types);
        docmap_puts(&d, ".zgroup", "{\"zarr_format\": 2}");
        docmap_puts(&d, ".zattrs", text);
        docmap_puts(
            &d, "v/.zarray",
            "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": [[\"a\", \"<i4\"]], \"fill_value\": 0, "
            "\"order\": \"C\", \"compressor\": null, \"filters\": null}");
        docmap_puts(
            &d, "v/.zattrs",
            "{\"at\": [1, [2]], \"_nczarr_array\": {\"dimension_references\": [\"/x\"], \"storage\": \"chunked\", "
            "\"type\": \"/c\"}, \"_nczarr_attr\": {\"types\": {}, \"user_types\": {\"at\": \"/c\", \"no\": \"/e\", "
            "\"x\": 1}}}");
        assert_int_equal(load(&d, &m, &style), NC_NOERR);
        for (size_t k = 0; k < m->root->ntypes; k++)
            used += m->root->types[k]->used;
        /* the variable's own type is one more, unless the definition suits it */
        if (m->root->nvars != 1 || m->root->vars[0]->spec->unusable->code != NC_NOERR)
            fail_msg("%s: %s", definitions[i].types, m->root->vars[0]->spec->unusable->text);
        if (strcmp(m->root->vars[0]->type->name, "v_t") == 0)
            used--;
        if (used != definitions[i].used ||
            m->root->ntypes - (strcmp(m->root->vars[0]->type->name, "v_t") == 0) != definitions[i].ntypes)
            fail_msg("%s: %zu types, %zu usable", definitions[i].types, m->root->ntypes, used);
        ncz_model_free(m);
        docmap_clear(&d);
    }
}

TEST(deep_strangers_are_no_groups)
{
    docmap     d = {.v = NULL};
    char       key[1000] = "";
    ncz_model *m;

    docmap_puts(&d, ".zgroup", "{\"zarr_format\": 2}");
    for (int i = 0; i < 100; i++)
        strcat(key, "d/");
    strcat(key, "readme");
    docmap_puts(&d, key, "x");
    m = must_load(&d, NULL);
    assert_int_equal(m->root->ngroups, 0);
    ncz_model_free(m);
    docmap_clear(&d);
}

/* Many broken documents cost little more than many sound ones. */
TEST(many_broken_documents_cost_little)
{
    docmap     d = {.v = NULL};
    char       root[20000] = "{\"zarr_format\": 2, \"_nczarr_group\": {\"dims\": {}, \"vars\": [\"x\"";
    ncz_model *m;

    for (int i = 0; i < 300; i++) {
        char key[32];

        snprintf(root + strlen(root), sizeof root - strlen(root), ",\"v%d\"", i);
        snprintf(key, sizeof key, "v%d/.zarray", i);
        docmap_puts(&d, key, "{");
    }
    strcat(root, "]}}");
    docmap_puts(&d, ".zgroup", root);
    m = must_load(&d, NULL);
    assert_int_equal(m->root->nvars, 301);
    assert_true(d.nfetched < 602 * 12);
    ncz_model_free(m);
    docmap_clear(&d);
}

/* ---- no memory ---- */

static void
check_alloc(const char *name)
{
    docmap          d = {.v = NULL}, first = {.v = NULL};
    char            path[1024];
    ncz_format_opts style;
    ncz_model      *m;
    size_t          n = 1;

    snprintf(path, sizeof path, DATA "%s", name);
    docmap_dir(&d, path);
    for (;; n++) {
        docmap out = {.v = NULL};
        bool   met;
        int    rc;

        fail_allocation(n);
        rc = load(&d, &m, &style);
        if (rc == NC_NOERR) {
            style.consolidated = true;
            style.gen = style.gen == NCZ_GEN_1 ? NCZ_GEN_BOTH : style.gen;
            rc = ncz_dialects_plan(m, &style, true, docmap_emit, &out);
            ncz_model_free(m);
        }
        met = end_failing();
        if (rc == NC_NOERR) {
            if (first.n == 0) /* with or without a failure that did not matter: the same documents */
                docmap_copy(&first, &out);
            docmap_clear(&out);
            if (!met)
                break;
            continue;
        }
        if (rc != NC_ENOMEM)
            fail_msg("%s: allocation %zu: %d %s", name, n, rc, ncz_err_text());
        docmap_clear(&out);
    }
    assert_true(n > 50);
    assert_true(first.n > 0);
    docmap_clear(&d);
    docmap_clear(&first);
}

TEST(every_allocation_fails_once)
{
    check_alloc("netcdf-c-4.8.0/safe_groups");
    check_alloc("netcdf-c-4.9.2/strings");
    check_alloc("netcdf-c-4.9.3/unlim");
    check_alloc("netcdf-c-main/attspecial");
    check_alloc("netcdf-c-main/multifilter");
    check_alloc("netcdf-c-main/zarr_noxarray_groups");
}
