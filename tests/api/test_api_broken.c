/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datasets that are broken in one place: each costs one variable or group, with an error that says what is wrong, and
 * nothing is taken for fill. Directories on disk, which the tests damage.
 */
#include "api_test.h"
#include "support/scratch.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <errno.h>

enum { LEN = 4 };

static const int values[LEN] = {1, 2, 3, 4};

/* Variables v, in two chunks, and w; a group with a variable x. */
static void
make(place *p, const char *mode)
{
    int ncid, grp, dim, v, w, x;

    place_make(p, false);
    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "n", LEN, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2}));
    OK(nc_put_att_text(ncid, v, "units", 1, "m"));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &w));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(grp, "x", NC_INT, 1, &dim, &x));
    OK(nc_put_var_int(ncid, v, values));
    OK(nc_put_var_int(ncid, w, values));
    OK(nc_put_var_int(grp, x, values));
    OK(nc_close(ncid));
}

static const char *
file_of(const place *p, const char *key)
{
    return scratch_path(p->path, key);
}

/* Replaces the first `from` in a document by `to`. */
static void
edit(const place *p, const char *key, const char *from, const char *to)
{
    size_t len, before;
    char  *text = scratch_read(file_of(p, key), &len), *at, *new_text;

    assert_non_null(text);
    text = realloc(text, len + 1);
    text[len] = '\0';
    at = strstr(text, from);
    if (at == NULL)
        fail_msg("%s: no %s in %s", key, from, text);
    before = (size_t)(at - text);
    new_text = malloc(len + strlen(to) + 1);
    memcpy(new_text, text, before);
    strcpy(new_text + before, to);
    strcat(new_text, at + strlen(from));
    scratch_write(file_of(p, key), new_text, strlen(new_text));
    free(new_text);
    free(text);
}

static void
expect_sound(int ncid, const char *name)
{
    int varid, got[LEN] = {0};

    OK(nc_inq_varid(ncid, name, &varid));
    OK(nc_get_var_int(ncid, varid, got));
    assert_memory_equal(got, values, sizeof values);
}

static void
expect_says(const char *says)
{
    if (strstr(nczarr_errmsg(), says) == NULL)
        fail_msg("no \"%s\" in \"%s\"", says, nczarr_errmsg());
}

/* The variable is listed, its data are an error that says this, and the others are sound. */
static void
expect_broken(place *p, const char *mode, int rc, const char *says, bool typeless)
{
    int     ncid, grp, v, got[LEN];
    nc_type type;

    OK(place_open(p, mode, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    FAILS(rc, nc_get_var_int(ncid, v, got));
    expect_says(says);
    OK(nc_inq_vartype(ncid, v, &type));
    assert_int_equal(type, typeless ? NC_NAT : NC_INT);
    expect_sound(ncid, "w");
    OK(nc_inq_ncid(ncid, "g", &grp));
    expect_sound(grp, "x");
    OK(nc_close(ncid));
}

/* ---- in the place of a chunk ----------------------------------------------------------------------------------- */

static void
put_directory(const char *path)
{
    assert_int_equal(mkdir(path, 0777), 0);
}

static void
put_full_directory(const char *path)
{
    put_directory(path);
    scratch_write(scratch_path(path, "x"), "x", 1);
}

static void
put_fifo(const char *path)
{
    assert_int_equal(mkfifo(path, 0666), 0);
}

static void
put_link_out(const char *path)
{
    assert_int_equal(symlink("/etc/passwd", path), 0);
}

static void
put_dangling_link(const char *path)
{
    assert_int_equal(symlink("nowhere", path), 0);
}

static int
count_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    (void)index, (void)key, (void)offset, (void)length;
    ++*(int *)arg;
    return 0;
}

TEST(a_broken_chunk_says_what_is_wrong)
{
    static const struct {
        void (*put)(const char *path);
        const char *says;
        bool        prefix; /* found when chunks are listed */
    } kinds[] = {
        {put_directory, "is a directory, where a file should be", true},
        {put_full_directory, "is a directory, where a file should be", true},
        {put_fifo, "not a regular file", false},
        {put_link_out, "a link leads out of the dataset", false},
        {put_dangling_link, "is a link to a file that does not exist", true},
    };
    static const char *const modes[] = {"mode=nczarr", "mode=v3", "mode=zarr"};
    static const char *const chunks[] = {"v/1", "v/c/1", "v/1"};

    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        for (size_t m = 0; m < NCZ_LEN(modes); m++) {
            place p;
            int   ncid, v, n = 0;

            make(&p, modes[m]);
            assert_int_equal(unlink(file_of(&p, chunks[m])), 0);
            kinds[i].put(file_of(&p, chunks[m]));
            expect_broken(&p, modes[m], NC_EACCESS, kinds[i].says, false);
            OK(place_open(&p, modes[m], NC_NOWRITE, &ncid));
            OK(nc_inq_varid(ncid, "v", &v));
            RC(kinds[i].prefix ? NC_EACCESS : NC_NOERR, nczarr_list_var_chunks(ncid, v, count_chunk, &n));
            if (kinds[i].prefix)
                expect_says(kinds[i].says);
            else
                assert_int_equal(n, 2); /* something is there */
            OK(nc_close(ncid));
            place_drop(&p);
        }
}

/* Only absence is fill. */
TEST(only_an_absent_chunk_is_fill)
{
    place p;
    int   ncid, v, got[LEN];

    make(&p, NULL);
    assert_int_equal(unlink(file_of(&p, "v/1")), 0);
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_get_var_int(ncid, v, got));
    assert_int_equal(got[1], 2);
    assert_int_equal(got[2], NC_FILL_INT);
    OK(nc_close(ncid));
    place_drop(&p);
}

/* A variable whose directory leads out is listed, with the reason. */
TEST(a_variable_that_leads_out_is_listed_with_the_reason)
{
    place p;

    make(&p, "mode=zarr");
    assert_int_equal(rename(file_of(&p, "v"), scratch_path(p.dir, "v")), 0);
    assert_int_equal(symlink("../v", file_of(&p, "v")), 0);
    expect_broken(&p, "mode=zarr", NC_EACCESS, "v/.zgroup: a link leads out of the dataset", true);
    assert_int_equal(unlink(file_of(&p, "v")), 0);
    assert_int_equal(symlink("gone", file_of(&p, "v")), 0);
    place_drop(&p);
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

TEST(wrong_shapes_are_refused)
{
    static const struct {
        const char *mode, *key, *from, *to, *says;
    } rows[] = {
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"shape\": [-4]",
         "v: \"shape\" is missing or no list of lengths"},
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"shape\": [4.5]", "\"shape\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"shape\": [4.0]", "\"shape\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"shape\": [9223372036854775808]", "\"shape\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"shape\": [1e300]", "\"shape\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"shape\": null", "\"shape\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"shape\": [4]", "\"form\": [4]", "\"shape\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"chunks\": [2]", "\"chunks\": [0]",
         "v: \"chunks\" is missing or does not fit"},
        {"mode=nczarr", "v/.zarray", "\"chunks\": [2]", "\"chunks\": [-2]", "\"chunks\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"chunks\": [2]", "\"chunks\": [2, 2]", "\"chunks\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"chunks\": [2]", "\"chunks\": 2", "\"chunks\" is missing"},
        {"mode=nczarr", "v/.zarray", "\"chunks\": [2]", "\"pieces\": [2]", "\"chunks\" is missing"},
        {"mode=v3", "v/zarr.json", "\"shape\": [4]", "\"shape\": [-4]", "v/zarr.json: \"shape\" is missing"},
        {"mode=v3", "v/zarr.json", "\"shape\": [4]", "\"shape\": [4.5]", "\"shape\" is missing"},
        {"mode=v3", "v/zarr.json", "\"chunk_shape\": [2]", "\"chunk_shape\": [0]",
         "\"chunk_shape\" is missing or does"},
        {"mode=v3", "v/zarr.json", "\"chunk_shape\": [2]", "\"chunk_shape\": [2, 2]", "\"chunk_shape\" is missing"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        place p;

        make(&p, rows[i].mode);
        edit(&p, rows[i].key, rows[i].from, rows[i].to);
        expect_broken(&p, rows[i].mode, NC_EZARRMETA, rows[i].says, true);
        place_drop(&p);
    }
}

/* Texts are compared with their lengths, and a document ends where its value does. */
TEST(texts_are_compared_with_their_lengths)
{
    static const struct {
        const char *mode, *key, *from, *to;
        int         rc;
        const char *says;
        bool        typeless;
    } rows[] = {
        {"mode=v3", "v/zarr.json", "\"int32\"", "\"int32\\u0000\"", NC_EZARRMETA, "\"int32\\u0000\" is no type",
         true},
        {"mode=v3", "v/zarr.json", "\"default\"", "\"default\\u0000\"", NC_EZARRMETA, "is missing or unknown", false},
        {"mode=v3", "v/zarr.json", "\"regular\"", "\"regular\\u0000\"", NC_EZARRMETA, "is not a grid", true},
        {"mode=v3", "v/zarr.json", "\"shape\":", "\"codecs\\u0000\": 1, \"shape\":", NC_EZARRMETA, "is unknown",
         false},
        {"mode=nczarr", "v/.zarray", "\"<i4\"", "\"<i4\\u0000\"", NC_EBADTYPE, "netCDF has no type for dtype", true},
        {"mode=nczarr", "v/.zarray", "\"<i4\"", "\"<U1073741824\"", NC_EBADCHUNK, "(limit `element_bytes`)", false},
        {"mode=nczarr", "v/.zarray", "\"<i4\"", "\"|S2147483648\"", NC_EBADCHUNK, "(limit `element_bytes`)", false},
    };
    place p;

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        int     ncid, v, got[LEN];
        nc_type type;

        make(&p, rows[i].mode);
        edit(&p, rows[i].key, rows[i].from, rows[i].to);
        if (strstr(rows[i].says, "element_bytes") != NULL)
            edit(&p, rows[i].key, "-2147483647", "null");
        OK(place_open(&p, rows[i].mode, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &v));
        OK(nc_inq_vartype(ncid, v, &type));
        assert_true((type == NC_NAT) == rows[i].typeless);
        if (type == NC_STRING)
            FAILS(rows[i].rc, nc_get_var_string(ncid, v, (char *[LEN]){NULL}));
        else
            FAILS(rows[i].rc, nc_get_var_int(ncid, v, got));
        expect_says(rows[i].says);
        expect_sound(ncid, "w");
        OK(nc_close(ncid));
        place_drop(&p);
    }
    make(&p, "mode=v3");
    edit(&p, "v/zarr.json", "{\"name\": \"default\"", "{\"configuration\": [1], \"name\": \"default\"");
    edit(&p, "v/zarr.json", "\"configuration\": {\"separator\": \"/\"}", "\"must_understand\": true");
    expect_broken(&p, "mode=v3", NC_EZARRMETA, "its \"configuration\" is not an object", false);
    place_drop(&p);
}

/* netCDF-C left bytes of older documents behind shorter ones, in v2 only. */
TEST(bytes_after_a_document_are_ignored_in_v2_only)
{
    place p;
    int   ncid;

    make(&p, "mode=v3");
    edit(&p, "v/zarr.json", "{\"zarr_format\"", "{} {\"zarr_format\"");
    expect_broken(&p, "mode=v3", NC_EZARRMETA, "bytes follow the document's end", true);
    place_drop(&p);

    make(&p, "mode=nczarr");
    {
        size_t len;
        char  *text = scratch_read(file_of(&p, "v/.zarray"), &len);

        text = realloc(text, len + 2);
        memcpy(text + len, "]}", 2);
        scratch_write(file_of(&p, "v/.zarray"), text, len + 2);
        free(text);
    }
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    expect_sound(ncid, "v");
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- documents that cannot be read ----------------------------------------------------------------------------- */

static const char *denied;
static int         denied_errno;

static int
deny_open(int dir, const char *path, int flags)
{
    if (strcmp(path, denied) == 0) {
        errno = denied_errno;
        return -1;
    }
    return ncz_system.name.open_beneath(dir, path, flags);
}

static int
deny_openat(int dir, const char *path, int flags, mode_t mode)
{
    return ncz_system.name.openat(dir, path, flags, mode);
}

static void
deny(const char *key, int err)
{
    static ncz_syscalls table;

    table = ncz_system;
    table.name.open_beneath = deny_open;
    table.name.openat = deny_openat;
    denied = key;
    denied_errno = err;
    zmap_file_use(&table);
}

static void
allow(void)
{
    zmap_file_use(NULL);
}

static bool
has_open_beneath(void)
{
    int fd = ncz_system.name.open_beneath(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* One document without permission, or on a bad block, costs its variable. */
TEST(an_unreadable_document_costs_its_variable_alone)
{
    static const struct {
        const char *mode, *key;
        int         err, rc;
        bool        typeless;
    } rows[] = {
        {"mode=nczarr", "v/.zarray", EACCES, NC_EACCESS, true},  {"mode=nczarr", "v/.zarray", EIO, NC_EIO, true},
        {"mode=nczarr", "v/.zattrs", EACCES, NC_EACCESS, false}, {"mode=zarr", "v/.zarray", EACCES, NC_EACCESS, true},
        {"mode=zarr", "v/.zattrs", EIO, NC_EIO, false},          {"mode=v3", "v/zarr.json", EACCES, NC_EACCESS, true},
    };

    if (!has_open_beneath())
        skip();
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        char   key[32];
        place  p;
        int    ncid;
        size_t len, after;
        char  *before, *now;

        make(&p, rows[i].mode);
        before = scratch_read(file_of(&p, rows[i].key), &len);
        deny(rows[i].key, rows[i].err);
        snprintf(key, sizeof key, "%s: cannot be", rows[i].key);
        expect_broken(&p, rows[i].mode, rows[i].rc, key, rows[i].typeless);

        /* A writer changes what is sound, and never the document that it could not read. */
        OK(place_open(&p, rows[i].mode, NC_WRITE, &ncid));
        expect_sound(ncid, "w");
        OK(nc_put_att_text(ncid, NC_GLOBAL, "history", 1, "x"));
        OK(nc_close(ncid));
        allow();
        now = scratch_read(file_of(&p, rows[i].key), &after);
        assert_int_equal(after, len);
        assert_memory_equal(now, before, len);
        OK(place_open(&p, rows[i].mode, NC_NOWRITE, &ncid));
        expect_sound(ncid, "v");
        OK(nc_close(ncid));
        free(before);
        free(now);
        place_drop(&p);
    }
}

/* Consolidated metadata without it would hide the variable from everybody. */
TEST(no_consolidated_metadata_without_an_unreadable_variable)
{
    place p;
    int   ncid;

    if (!has_open_beneath())
        skip();
    make(&p, "mode=zarr,consolidated");
    deny("v/.zarray", EACCES);
    OK(place_open(&p, "mode=zarr", NC_NOWRITE, &ncid)); /* has a copy */
    expect_sound(ncid, "v");
    OK(nc_close(ncid));
    expect_broken(&p, "mode=zarr&consolidated=no", NC_EACCESS, "v/.zarray: cannot be", true);
    FAILS(NC_EACCESS, place_open(&p, "mode=zarr", NC_WRITE, &ncid));
    expect_says("v/.zarray: cannot be");
    allow();
    place_drop(&p);
}

static void
expect_warnings(int ncid, size_t n, const char *says)
{
    const char *const *texts = NULL;
    size_t             got = 99;

    OK(nczarr_inq_warnings(ncid, &got, &texts));
    assert_int_equal(got, n);
    OK(nczarr_inq_warnings(ncid, NULL, NULL));
    if (n == 0)
        assert_null(texts);
    else if (strstr(texts[0], says) == NULL)
        fail_msg("no \"%s\" in \"%s\"", says, texts[0]);
}

/* A group's costs the group: what is below it is found, and the warning says so. The root's are errors. */
TEST(an_unreadable_group_costs_the_group_alone)
{
    static const struct {
        const char *mode, *group, *root;
    } rows[] = {{"mode=nczarr", "g/.zgroup", ".zgroup"},
                {"mode=nczarr", "g/.zattrs", ".zattrs"},
                {"mode=v3", "g/zarr.json", "zarr.json"}};

    if (!has_open_beneath())
        skip();
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        place p;
        int   ncid, grp;

        make(&p, rows[i].mode);
        deny(rows[i].group, EACCES);
        OK(place_open(&p, rows[i].mode, NC_NOWRITE, &ncid));
        expect_sound(ncid, "v");
        OK(nc_inq_ncid(ncid, "g", &grp));
        expect_sound(grp, "x");
        expect_warnings(ncid, 1, rows[i].group);
        OK(nc_close(ncid));
        FAILS(NC_EACCESS, place_open(&p, rows[i].mode, NC_WRITE, &ncid)); /* nothing is overwritten */
        deny(rows[i].root, EACCES);
        if (strcmp(rows[i].root, ".zgroup") != 0) /* which a reader does not need */
            FAILS(NC_EACCESS, place_open(&p, rows[i].mode, NC_NOWRITE, &ncid));
        FAILS(NC_EACCESS, place_open(&p, rows[i].mode, NC_WRITE, &ncid));
        allow();
        place_drop(&p);
    }
}

/* ---- what is passed over --------------------------------------------------------------------------------------- */

TEST(warnings_name_what_was_passed_over)
{
    static const struct {
        const char *mode, *key, *bytes, *says;
    } rows[] = {
        {"mode=nczarr", NULL, NULL, NULL},
        {"mode=nczarr,consolidated", NULL, NULL, NULL},
        {"mode=nczarr,consolidated", ".zmetadata", "{", ".zmetadata: line 1 column 2"},
        {"mode=nczarr,consolidated", ".zmetadata", "{}", ".zmetadata: no object \"metadata\""},
        {"mode=nczarr", ".zgroup", "{\"zarr", ".zgroup: "},
        {"mode=nczarr", ".zgroup", "7", ".zgroup: not a JSON object"},
        {"mode=nczarr", "zarr.json", "{\"zarr_format\": 3", "zarr.json: "},
        {"mode=nczarr", "v/.zattrs", "{", "v/.zattrs: "},
        {"mode=nczarr", "g/.zattrs", "{", "g/.zattrs: "},
        {"mode=v3", "g/zarr.json", "{", "g/zarr.json: "},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        place p;
        int   ncid, grp;

        make(&p, rows[i].mode);
        if (rows[i].key != NULL)
            scratch_write(file_of(&p, rows[i].key), rows[i].bytes, strlen(rows[i].bytes));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        expect_warnings(ncid, rows[i].key != NULL, rows[i].says);
        expect_sound(ncid, "v");
        OK(nc_inq_ncid(ncid, "g", &grp));
        expect_sound(grp, "x");
        OK(nc_close(ncid));
        FAILS(NC_EBADID, nczarr_inq_warnings(ncid, NULL, NULL));
        place_drop(&p);
    }
}

/* A name in a list that cannot be one is told. */
TEST(names_that_cannot_be_keys_are_warned_of)
{
    place p;
    int   ncid;

    make(&p, "mode=v3");
    edit(&p, "zarr.json", "\"groups\": [\"g\"]", "\"groups\": [\"g\", \"\xff\"]");
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    expect_warnings(ncid, 1, "cannot be part of a key");
    expect_sound(ncid, "v");
    OK(nc_close(ncid));
    place_drop(&p);
}
