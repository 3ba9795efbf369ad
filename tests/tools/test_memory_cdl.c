/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every CDL file of tests/data/cdl through nczgen and nczdump in memory: what is printed equals what the same file
 * gives in a directory, in each dialect, and makes the same dataset again.
 */
#include <glob.h>
#include <unistd.h>
#include "support/test.h"

#include "dump/dump.h"
#include "gen/gen.h"
#include "nczarr.h"
#include "nczarr_zmap.h"
#include "support/scratch.h"

static void
say(void *ctx, bool is_error, const char *text)
{
    (void)ctx;
    if (is_error)
        print_error("%s\n", text);
}

static char *
dump(int ncid)
{
    dump_opts opts = DUMP_OPTS_INIT;
    char     *text = NULL;
    size_t    len;
    FILE     *out = open_memstream(&text, &len);

    opts.float_digits = 9; /* as many as tell all values apart */
    opts.double_digits = 17;
    assert_int_equal(dump_run(ncid, "same", &opts, out), 0);
    fclose(out);
    return text;
}

static char *
in_memory(const gen_cdl *cdl, const char *mode, const gen_opts *opts)
{
    nczarr_map *map;
    int         ncid;
    char       *text;

    assert_int_equal(nczarr_map_memory(&map), NC_NOERR);
    assert_int_equal(nczarr_create_map(map, mode, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(gen_write(cdl, ncid, opts), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid), NC_NOERR);
    text = dump(ncid);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(nczarr_map_close(map), NC_NOERR);
    return text;
}

static void
makes_itself(const char *printed, const char *mode, const gen_opts *opts)
{
    gen_cdl *cdl;
    char    *again;

    assert_int_equal(gen_parse("printed", printed, strlen(printed), opts->report, &cdl), NC_NOERR);
    again = in_memory(cdl, mode, opts);
    assert_string_equal(again, printed);
    free(again);
    gen_free(cdl);
}

static char *
in_directory(const gen_cdl *cdl, const char *mode, const gen_opts *opts)
{
    char  dir[] = "/tmp/nczarr-cdl-XXXXXX", url[128];
    int   ncid;
    char *text;

    assert_non_null(mkdtemp(dir));
    snprintf(url, sizeof url, "%s/d.zarr#%s", dir, mode);
    assert_int_equal(nc_create(url, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(gen_write(cdl, ncid, opts), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    snprintf(url, sizeof url, "%s/d.zarr", dir);
    assert_int_equal(nc_open(url, NC_NOWRITE, &ncid), NC_NOERR);
    text = dump(ncid);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(nc_delete(url), NC_NOERR);
    assert_int_equal(rmdir(dir), 0);
    return text;
}

static void
memory_equals_directory(const char *mode)
{
    gen_opts opts = {.report = {.say = say}};
    glob_t   files;

    assert_int_equal(glob(NCZ_TEST_DATA "/cdl/*.cdl", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 30);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t   len;
        char    *text = scratch_read(files.gl_pathv[i], &len), *a, *b;
        gen_cdl *cdl;

        assert_int_equal(gen_parse(files.gl_pathv[i], text, len, opts.report, &cdl), NC_NOERR);
        a = in_memory(cdl, mode, &opts);
        b = in_directory(cdl, mode, &opts);
        if (strcmp(a, b) != 0)
            print_error("%s\n", files.gl_pathv[i]);
        assert_string_equal(a, b);
        makes_itself(a, mode, &opts);
        free(a);
        free(b);
        gen_free(cdl);
        free(text);
    }
    globfree(&files);
}

/* A newline begins a string only where strings are no rows; NULs at a row's end are printed where a row is padded with
 * something else. */
static void
rows_of_characters(const char *mode)
{
    static const char text[] = "netcdf same {\n"
                               "dimensions:\n\tm = 2 ;\n\tn = 4 ;\n\to = 1 ;\n\tr = UNLIMITED ; // (2 currently)\n"
                               "variables:\n"
                               "\tchar rows(m, n) ;\n"
                               "\tchar one(n) ;\n"
                               "\tchar braces(m, r) ;\n"
                               "\tchar single(n, o) ;\n"
                               "\tchar padded(m, n) ;\n"
                               "\t\tpadded:_FillValue = \"x\" ;\n"
                               "data:\n\n"
                               " rows =\n  \"a\\nb\\n\",\n  \"\\n\\n\\nc\" ;\n\n"
                               " one = \"a\\n\",\n    \"bc\" ;\n\n"
                               " braces =\n  {\"\\n\",\n    \"d\"},\n  {\"e\"} ;\n\n"
                               " single =\n  \"\",\n  \"h\",\n  \"\",\n  \"\" ;\n\n"
                               " padded =\n  \"f\\000\\000\\000\",\n  \"gxxx\" ;\n"
                               "}\n";
    gen_opts          opts = {.report = {.say = say}};

    makes_itself(text, mode, &opts);
}

TEST(nczarr_in_memory)
{
    memory_equals_directory("mode=nczarr");
}

TEST(zarr_in_memory)
{
    memory_equals_directory("mode=zarr");
}

TEST(compat_in_memory)
{
    memory_equals_directory("compat=4.9.2");
}

TEST(characters_in_nczarr)
{
    rows_of_characters("mode=nczarr");
}

TEST(characters_in_nczarr_v3)
{
    rows_of_characters("mode=nczarr,v3");
}
