/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of whole calls: each level says what it promises and nothing of the levels after it, of a directory, an
 * archive and a map in memory; with -1 there is no byte.
 */
#include "api_test.h"
#include "support/logged.h"

/* A variable of two chunks, of which the second is not stored, and an attribute. */
static void
write_dataset(place *p)
{
    const size_t four = 4, zero = 0;
    const float  values[4] = {1, 2, 3, 4};
    int          ncid, dim, var;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 8, &dim));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, &four));
    OK(nc_def_var_deflate(ncid, var, 0, 1, 4));
    OK(nc_put_att_text(ncid, var, "units", 1, "K"));
    OK(nc_put_vara_float(ncid, var, &zero, &four, values));
    OK(nc_close(ncid));
}

/* Reads all, and fails twice: no such variable, no such attribute. */
static void
read_dataset(place *p)
{
    float values[8];
    int   ncid, var;

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &var));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "w", &(int){0}));
    FAILS(NC_ENOTATT, nc_inq_att(ncid, var, "long_name", NULL, NULL));
    OK(nc_get_var_float(ncid, var, values));
    OK(nc_close(ncid));
}

/* What `run` writes at this level. */
static char *
log_at(int level, place *p, void (*run)(place *))
{
    logged l;

    OK(nc_set_log_level(level));
    logged_begin(&l);
    run(p);
    OK(nc_set_log_level(-1));
    return logged_end(&l);
}

typedef struct line {
    int         level; /* from which on it is there */
    const char *text;
} line;

/* At each level: the lines of that level and below, and no word of the others. */
static void
check_levels(place *p, void (*run)(place *), const line *lines, size_t n)
{
    static const char *const words[] = {"error", "warning", "request", "info", "chunk"};

    for (int level = -1; level <= 4; level++) {
        char *text = log_at(level, p, run), word[40];

        for (size_t i = 0; i < n; i++)
            if ((strstr(text, lines[i].text) != NULL) != (lines[i].level <= level))
                fail_msg("level %d: \"%s\" in\n%s", level, lines[i].text, text);
        for (int w = level + 1; w <= 4; w++) {
            snprintf(word, sizeof word, "nczarr: %s: ", words[w]);
            if (strstr(text, word) != NULL)
                fail_msg("level %d: \"%s\" in\n%s", level, word, text);
        }
        if (level < 0)
            assert_string_equal(text, "");
        free(text);
    }
}

TEST_IN_EACH_PLACE(a_read)
{
    static const line lines[] = {
        {0, "nczarr: error: NC_ENOTVAR: "},
        {2, "nczarr: request: "},
        {2, ": get v/.zarray: "},
        {2, ": get v/0: "},
        {2, ": get v/1: absent, "},
        {2, ": closing: "},
        {3, ": opened for reading ("},
        {3, "Zarr v2 with the keys of netCDF-C"},
        {3, "documents one by one"},
        {3, "nczarr: info: NC_ENOTATT: v: there is no attribute"},
        {4, "nczarr: chunk: v: chunk [0] read: "},
        {4, "nczarr: chunk: v: chunk [1] absent: it reads as fill\n"},
    };

    write_dataset(p);
    check_levels(p, read_dataset, lines, NCZ_LEN(lines));
}

TEST_IN_EACH_PLACE(a_write)
{
    static const line lines[] = {
        {2, ": put v/.zarray"},
        {2, ": put v/0"},
        {3, ": created ("},
        {3, "without consolidated metadata"},
        {4, "nczarr: chunk: v: chunk [0] encoded: "},
        {4, " 16 in memory, "},
    };

    check_levels(p, write_dataset, lines, NCZ_LEN(lines));
}

static void
write_consolidated(place *p)
{
    int ncid;

    OK(place_create(p, "mode=nczarr,v3,consolidated", NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    OK(place_open(p, "mode=nczarr,v3", NC_NOWRITE, &ncid));
    OK(nc_inq_nvars(ncid, &(int){0}));
    OK(nc_close(ncid));
}

TEST(the_log_names_the_dialect)
{
    static const line lines[] = {
        {3, ": created (file): Zarr v3 with NCZarr's keys, with consolidated metadata\n"},
        {3, ": Zarr v3 with NCZarr's keys; consolidated metadata, from zarr.json\n"},
    };
    place p;

    place_make(&p, false);
    check_levels(&p, write_consolidated, lines, NCZ_LEN(lines));
    place_drop(&p);
}

static void
read_with_a_warning(place *p)
{
    int ncid;

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_nvars(ncid, &(int){0}));
    OK(nc_close(ncid));
}

TEST(the_log_has_warnings_at_level_1)
{
    static const line lines[] = {{1, "nczarr: warning: v/.zattrs: 4 bytes after the document are ignored\n"}};
    char              dir[400];
    FILE             *f;
    place             p;

    place_make(&p, false);
    write_dataset(&p);
    snprintf(dir, sizeof dir, "%s/v/.zattrs", p.path);
    assert_non_null(f = fopen(dir, "a"));
    fputs("more\n", f);
    fclose(f);
    check_levels(&p, read_with_a_warning, lines, NCZ_LEN(lines));
    place_drop(&p);
}

/* Characters and text in the same dataset: once with nc_enddef(), and once without it. */
static void
define_characters(place *p, const char *mode, bool ends)
{
    int ncid, dim, len, var;

    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_dim(ncid, "len", 4, &len));
    OK(nc_def_var(ncid, "rows", NC_CHAR, 1, &len, &var)); /* texts to all readers */
    OK(nc_def_var(ncid, "letters", NC_CHAR, 0, NULL, &var));
    OK(nc_def_var(ncid, "words", NC_STRING, 1, &dim, &var));
    if (ends) {
        OK(nc_enddef(ncid));
        OK(nc_redef(ncid));
        OK(nc_enddef(ncid));
    }
    OK(nc_close(ncid));
}

static void
define_in_v3(place *p)
{
    define_characters(p, "mode=nczarr,v3", true);
}

TEST(characters_in_v3_are_warned_of_once)
{
    static const char said[] =
        "nczarr: warning: letters: its characters are numbers (uint8) to other readers of Zarr v3; "
        "strings are text to them\n";
    static const line lines[] = {{1, said}};
    logged            l;
    char             *text;
    place             p;

    place_make(&p, false);
    check_levels(&p, define_in_v3, lines, NCZ_LEN(lines));
    for (int i = 0; i < 6; i++) {
        static const char *const modes[] = {"mode=nczarr,v3", "mode=zarr,v3", "mode=nczarr,v2"};

        OK(nc_set_log_level(1));
        logged_begin(&l);
        define_characters(&p, modes[i % 3], i < 3);
        OK(nc_set_log_level(-1));
        text = logged_end(&l);
        assert_string_equal(text, i % 3 < 2 ? said : "");
        free(text);
    }
    place_drop(&p);
}

/* ---- errors ---- */

static void
fail_to_open(place *p)
{
    (void)p;
    FAILS(NC_ENOOBJECT, nc_open("there/is/no.zarr", NC_NOWRITE, &(int){0}));
}

static void
fail_without_a_dataset(place *p)
{
    (void)p;
    FAILS(NC_EBADID, nc_enddef(77));
    FAILS(NC_EINVAL, nc_open(NULL, NC_NOWRITE, &(int){0}));
    FAILS(NC_EINVAL, nczarr_set_threads(-1));
}

/* nc_copy_var() calls other functions, whose failure it passes on. */
static void
fail_within(place *p)
{
    int from, to;

    OK(place_open(p, NULL, NC_NOWRITE, &from));
    OK(nc_create_mem("x.zip", 0, 1000, &to));
    FAILS(NC_ENOTVAR, nc_copy_var(from, 5, to));
    OK(nc_close(from));
    OK(nc_abort(to));
}

TEST(one_line_for_each_failure)
{
    char *text;
    place p;

    place_make(&p, false);
    text = log_at(0, &p, fail_to_open);
    assert_string_equal(text, "nczarr: error: NC_ENOOBJECT: there/is/no.zarr: no file or directory; expected a "
                              "directory or archive with Zarr documents, or a netCDF file\n");
    free(text);
    text = log_at(0, &p, fail_without_a_dataset);
    assert_string_equal(text, "nczarr: error: NC_EBADID: ncid 77 is not open\n"
                              "nczarr: error: NC_EINVAL: nc_open: no path\n"
                              "nczarr: error: NC_EINVAL: -1 threads\n");
    free(text);
    write_dataset(&p);
    text = log_at(0, &p, fail_within);
    assert_string_equal(text, "nczarr: error: NC_ENOTVAR: there is no variable 5 in this group\n");
    free(text);
    place_drop(&p);
}

/* ---- the fragment ---- */

static char *
open_with(place *p, const char *mode)
{
    logged l;
    int    ncid;

    logged_begin(&l);
    OK(place_open(p, mode, NC_NOWRITE, &ncid));
    OK(nc_close(ncid));
    OK(nc_set_log_level(-1));
    return logged_end(&l);
}

TEST(a_path_with_log)
{
    place p;
    char *text;

    place_make(&p, false);
    write_dataset(&p);
    for (int i = 0; i < 2; i++) {
        text = open_with(&p, i == 0 ? "log" : "log=stderr");
        assert_non_null(strstr(text, "nczarr: request: file: get .zattrs: "));
        assert_non_null(strstr(text, "nczarr: info: "));
        free(text);
    }
    text = open_with(&p, "log=2");
    assert_non_null(strstr(text, "nczarr: request: "));
    assert_null(strstr(text, "nczarr: info: "));
    free(text);
    text = open_with(&p, "log=1");
    assert_string_equal(text, "");
    free(text);
    FAILS(NC_EINVAL, place_open(&p, "log=much", NC_NOWRITE, &(int){0}));
    place_drop(&p);
}
