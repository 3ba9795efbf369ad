/* SPDX-License-Identifier: BSD-3-Clause */
/* Every generation, as netCDF-C wrote it, against the header that ncdump shows of it. */
#include "fixture.h"

#include "format/zarr/zarr.h"
#include "format/zarr2/zarr2.h"
#include "support/scratch.h"

#include <dirent.h>
#include <sys/stat.h>

#define DATA NCZ_TEST_DATA "/golden/"

/* Where the writer's ncdump is wrong about the header of its own dataset (see tests/golden/exceptions.py). cdl_header()
 * prints dimensions without their groups. */
static const struct {
    const char *name, *wrong, *right;
} exceptions[] = {
    {"foreign_dims", "q(/y)", "q(y)"},
    {"foreign_dims", "both(/y, y)", "both(y, y)"},
    {"foreign_dims", "series(/y, n)", "series(y, n)"},
    {"foreign_dims", "deep(/y)", "deep(y)"},
    {"atts", "\t\t:negz = 0. ;", "\t\t:negz = -0. ;"},
    {"zarr_strings", ":gs = \"[\\\"one\\\",\\\"two\\\"]\" ;", "string :gs = \"one\", \"two\" ;"},
};

/* The writer's ncdump crashed on these. */
static const char safe_scalar[] = "variables:\n\tint si ;\n\t\tsi:u = \"a\" ;\n\tdouble sd ;\n\t\tsd:u = \"b\" ;\n"
                                  "\tchar sc ;\n\t\tsc:u = \"c\" ;\n// global attributes:\n\t\t:t = \"x\" ;\n}\n";

static bool
starts_with(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* The header in the text of a whole dump, in place: no first line, no data, no empty lines. */
static char *
cut_header(char *cdl)
{
    bool  in_data = false;
    char *to = cdl;

    for (char *line = cdl; *line != '\0';) {
        size_t      len = strcspn(line, "\n"), all = len + (line[len] == '\n');
        const char *text = line + strspn(line, " \t");

        if (starts_with(text, "data:\n"))
            in_data = true;
        else if (starts_with(text, "}\n") || starts_with(text, "} // ") || starts_with(text, "group: "))
            in_data = false;
        if (!in_data && text < line + len && !(line == cdl && starts_with(line, "netcdf "))) {
            memmove(to, line, all);
            to += all;
        }
        line += all;
    }
    *to = '\0';
    return cdl;
}

/* Replaces what the writer's ncdump got wrong. Takes and returns malloc'ed text. */
static char *
apply_exceptions(const char *name, char *cdl)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        const char *at = strcmp(exceptions[i].name, name) == 0 ? strstr(cdl, exceptions[i].wrong) : NULL;
        char       *fixed;

        if (at == NULL)
            continue;
        fixed = malloc(strlen(cdl) + strlen(exceptions[i].right) + 1);
        assert_non_null(fixed);
        sprintf(fixed, "%.*s%s%s", (int)(at - cdl), cdl, exceptions[i].right, at + strlen(exceptions[i].wrong));
        free(cdl);
        cdl = fixed;
    }
    return cdl;
}

/* want: the dump of the dataset; freed here. */
static void
check_case(const char *writer, const char *name, char *want)
{
    char            path[1024];
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m = NULL;
    char           *got;
    int             rc;

    snprintf(path, sizeof path, DATA "%s/%s", writer, name);
    docmap_dir(&d, path);
    rc = load(&d, &m, &style);
    if (rc != NC_NOERR)
        fail_msg("%s: %d %s", path, rc, ncz_err_text());
    want = apply_exceptions(name, cut_header(want));
    got = cdl_header(m);
    if (strcmp(cut_header(got), want) != 0)
        fail_msg("%s\nwant\n%s\ngot\n%s", path, want, got);
    assert_int_equal(style.gen == NCZ_GEN_1 || style.gen == NCZ_GEN_2, style.readonly);
    if (style.gen != NCZ_GEN_PURE)
        assert_int_equal(d.nlists, 0);
    assert_true(d.nbatches <= 4); /* one for each level */
    for (size_t i = 0; i < m->ngroups; i++)
        for (size_t k = 0; k < m->groups[i]->nvars; k++) {
            const ncz_var *v = m->groups[i]->vars[k];

            if (v->unusable->code == NC_ENOFILTER) /* this build lacks its codec */
                continue;
            assert_int_equal(v->unusable->code, NC_NOERR);
            assert_non_null(v->spec);
            assert_true(v->stage == NCZ_VAR_WRITTEN && v->document == NCZ_DOCUMENT_STORED && !v->atts.dirty);
        }
    free(want);
    free(got);
    ncz_model_free(m);
    docmap_clear(&d);
}

/* Every dataset of a writer that lies there as a directory. */
static void
check_writer(const char *writer)
{
    char           path[1024];
    DIR           *dir;
    struct dirent *e;
    size_t         n = 0;

    snprintf(path, sizeof path, DATA "%s", writer);
    dir = opendir(path);
    assert_non_null(dir);
    while ((e = readdir(dir)) != NULL) {
        struct stat st;
        size_t      len;
        char       *want;

        snprintf(path, sizeof path, DATA "%s/%s", writer, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
            continue;
        snprintf(path, sizeof path, DATA "%s/%s.cdl", writer, e->d_name);
        want = strcmp(e->d_name, "safe_scalar") == 0 ? strdup(safe_scalar) : scratch_read(path, &len);
        assert_non_null(want);
        check_case(writer, e->d_name, want);
        n++;
    }
    closedir(dir);
    assert_true(n > 0);
}

TEST(datasets_of_4_8_0_load)
{
    check_writer("netcdf-c-4.8.0");
}

TEST(datasets_of_4_8_1_and_4_9_0_load)
{
    check_writer("netcdf-c-4.8.1");
    check_writer("netcdf-c-4.9.0");
}

TEST(datasets_of_4_9_2_load)
{
    check_writer("netcdf-c-4.9.2");
}

TEST(datasets_of_4_9_3_and_pure_ones_load)
{
    check_writer("netcdf-c-4.9.3");
    check_writer("netcdf-c-main");
}

static ncz_model *
load_dir(const char *name, ncz_format_opts *style)
{
    char       path[1024];
    docmap     d = {.v = NULL};
    ncz_model *m;

    snprintf(path, sizeof path, DATA "%s", name);
    docmap_dir(&d, path);
    m = must_load(&d, style);
    docmap_clear(&d);
    return m;
}

TEST(generations_are_told_apart_by_keys)
{
    static const struct {
        const char    *name;
        ncz_generation gen;
    } cases[] = {
        {"netcdf-c-4.8.0/empty", NCZ_GEN_1},         {"netcdf-c-4.8.1/safe_atts", NCZ_GEN_2},
        {"netcdf-c-4.9.0/endian", NCZ_GEN_2},        {"netcdf-c-4.9.2/groups", NCZ_GEN_3},
        {"netcdf-c-4.9.3/groups", NCZ_GEN_4},        {"netcdf-c-main/empty", NCZ_GEN_4},
        {"netcdf-c-main/zarr_groups", NCZ_GEN_PURE}, {"netcdf-c-4.9.0/zarr_safe_types", NCZ_GEN_PURE},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_format_opts style;
        ncz_model      *m = load_dir(cases[i].name, &style);

        assert_int_equal(style.gen, cases[i].gen);
        assert_true(style.xarray);
        assert_false(style.consolidated);
        ncz_model_free(m);
    }
}

/* 4.8.0 ... 4.9.2 stored native bytes under big-endian types. */
TEST(old_big_endian_types_hold_native_bytes)
{
    static const struct {
        const char *name;
        bool        big;
    } cases[] = {{"netcdf-c-4.8.0/endian", false},
                 {"netcdf-c-4.9.0/endian", false},
                 {"netcdf-c-4.9.2/endian", false},
                 {"netcdf-c-main/bigendian", true}};

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_format_opts style;
        ncz_model      *m = load_dir(cases[i].name, &style);
        size_t          nbig = 0;

        for (size_t k = 0; k < m->root->nvars; k++) {
            const ncz_var *v = m->root->vars[k];

            if (v->endian != NC_ENDIAN_BIG)
                continue;
            nbig++;
            assert_int_equal(v->dtype.big, cases[i].big);
            assert_int_equal(v->spec->dtype.big, cases[i].big);
        }
        assert_true(nbig > 0);
        assert_int_equal(m->native_big, !cases[i].big);
        ncz_model_free(m);
    }
}

TEST(loaded_variables_have_their_chunk_specs)
{
    ncz_format_opts style;
    ncz_model      *m = load_dir("netcdf-c-main/fills", &style);
    ncz_buf         key = NCZ_BUF_INIT;
    ncz_chunk_addr  where;
    uint64_t        index[1] = {3};
    ncz_var        *v;

    v = var_at(m, "vstr");
    assert_int_equal(v->fill_mode, NCZ_FILL_VALUE);
    assert_string_equal(*(char **)v->fill, "fill");
    assert_int_equal(v->maxstrlen, 128);
    assert_int_equal(v->spec->chunk_bytes, 256);
    assert_memory_equal(v->spec->fill, "fill\0", 5);
    assert_int_equal(ncz_spec_locate(v->spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "vstr/3");

    v = var_at(m, "vnofill");
    assert_int_equal(v->fill_mode, NCZ_FILL_NONE);
    assert_null(v->spec->fill);
    v = var_at(m, "vc");
    assert_int_equal(*(char *)v->fill, '#');
    assert_int_equal(v->dtype.kind, NCZ_KIND_CHAR);
    v = var_at(m, "vwhole");
    assert_true(*(double *)v->fill == -999.0);
    ncz_buf_clear(&key);
    ncz_model_free(m);
}

/* Six digits of the default fill mean the default itself. */
TEST(rounded_default_fills_are_exact)
{
    static const char *const cases[] = {"netcdf-c-4.8.0/endian", "netcdf-c-4.9.2/alltypes", "netcdf-c-main/alltypes"};
    static const char *const names[] = {"bed", "vd", "vd"};

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_format_opts style;
        ncz_model      *m = load_dir(cases[i], &style);
        ncz_var        *v = var_at(m, names[i]);
        double          fill = NC_FILL_DOUBLE, stored;

        assert_int_equal(v->fill_mode, NCZ_FILL_DEFAULT);
        assert_int_equal(ncz_convert_out(&v->dtype, v->spec->fill, ncz_type_of(NC_DOUBLE), &stored, 1, false),
                         NC_NOERR);
        assert_true(stored == fill);
        ncz_model_free(m);
    }
}

TEST(filters_and_separators_are_loaded)
{
    ncz_format_opts style;
    ncz_model      *m = load_dir("netcdf-c-main/multifilter", &style);
    ncz_var        *v = var_at(m, "v");

    assert_int_equal(ncz_chain_len(v->chain), 4);
    assert_string_equal(ncz_chain_id(v->chain, 0), "shuffle");
    assert_string_equal(ncz_chain_id(v->chain, 3), "bz2");
    ncz_model_free(m);

    m = load_dir("netcdf-c-main/dimsep_slash", &style);
    assert_int_equal(m->root->vars[0]->key_encoding, ncz_zarr2.zarr->encode_keys('/', false));
    ncz_model_free(m);
}

TEST(unlimited_dimensions_are_loaded)
{
    ncz_format_opts style;
    ncz_model      *m = load_dir("netcdf-c-4.9.3/unlim", &style);

    assert_true(ncz_group_find_dim(m->root, "t")->unlimited);
    assert_int_equal(ncz_group_find_dim(m->root, "t")->len, 3);
    assert_true(ncz_group_find_dim(m->root, "u")->unlimited);
    assert_false(ncz_group_find_dim(m->root, "x")->unlimited);
    ncz_model_free(m);
}

#define ARRAY(shape)                                                                                                 \
    "{\"zarr_format\": 2, \"shape\": " shape ", \"chunks\": " shape ", \"dtype\": \"<i4\", \"fill_value\": 0, "      \
    "\"order\": \"C\", \"compressor\": null, \"filters\": null"

/* Where both places speak, the newer is believed; what it does not say is looked for in the older. */
TEST(the_newer_place_wins)
{
    docmap          d = {.v = NULL};
    ncz_format_opts style;
    ncz_model      *m;

    docmap_puts(&d, ".zgroup",
                "{\"zarr_format\": 2, \"_nczarr_superblock\": {}, \"_nczarr_group\": "
                "{\"dims\": {\"t\": 2}, \"vars\": [\"old\"], \"groups\": [\"g\"]}}");
    docmap_puts(&d, ".zattrs",
                "{\"_nczarr_group\": {\"dimensions\": {\"t\": {\"size\": 3, \"unlimited\": 1}}, "
                "\"arrays\": [\"new\"]}}");
    docmap_puts(&d, "new/.zarray",
                ARRAY("[1]") ", \"_nczarr_array\": {\"dimrefs\": [\"/t\"], \"storage\": \"chunked\"}}");
    docmap_puts(&d, "new/.zattrs", "{\"_nczarr_array\": {\"dimension_references\": [], \"scalar\": 1}}");
    docmap_puts(&d, "g/.zgroup", "{\"zarr_format\": 2}"); /* without keys: what it holds is listed */
    docmap_puts(&d, "g/found/.zarray", ARRAY("[3]") ", \"_nczarr_array\": {\"dimrefs\": [\"/t\"]}}");
    docmap_puts(&d, "g/names/.zarray", ARRAY("[3, 4]") "}");
    docmap_puts(&d, "g/names/.zattrs", "{\"_ARRAY_DIMENSIONS\": [\"t\", \"x\"]}");
    docmap_puts(&d, "g/wrong/.zarray", ARRAY("[5]") ", \"_nczarr_array\": {\"dimrefs\": [\"/nowhere\"]}}");
    m = must_load(&d, &style);
    assert_int_equal(style.gen, NCZ_GEN_BOTH);
    assert_int_equal(m->root->nvars, 1);
    assert_int_equal(var_at(m, "new")->rank, 0);
    assert_true(ncz_group_find_dim(m->root, "t")->unlimited);
    assert_int_equal(m->root->groups[0]->nvars, 3);
    assert_string_equal(ncz_group_find_var(m->root->groups[0], "found")->dims[0]->name, "t");
    assert_ptr_equal(ncz_group_find_var(m->root->groups[0], "names")->dims[0], ncz_group_find_dim(m->root, "t"));
    assert_string_equal(ncz_group_find_var(m->root->groups[0], "wrong")->dims[0]->name, "_Anonymous_Dim_5");
    ncz_model_free(m);
    docmap_clear(&d);
}
