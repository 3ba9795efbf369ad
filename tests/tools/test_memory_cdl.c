/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every CDL file of tests/data/cdl through nczgen and nczdump in memory: what is printed equals what the same file
 * gives in a directory, in each dialect.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glob.h>
#include <unistd.h>
#include <cmocka.h>

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
memory_equals_directory(void **state)
{
    const char *mode = *state;
    gen_opts    opts = {.report = {.say = say}};
    glob_t      files;

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
        free(a);
        free(b);
        gen_free(cdl);
        free(text);
    }
    globfree(&files);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        {"nczarr in memory", memory_equals_directory, NULL, NULL, (void *)"mode=nczarr"},
        {"zarr in memory", memory_equals_directory, NULL, NULL, (void *)"mode=zarr"},
        {"compat=4.9.2 in memory", memory_equals_directory, NULL, NULL, (void *)"compat=4.9.2"},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
