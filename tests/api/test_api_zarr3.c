/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets of Zarr v3 through the API: created, changed, renamed, grown, replaced, resumed and deleted. */
#include "api_test.h"
#include "nczarr_filter.h"

#define V3 "mode=nczarr,v3"

/* An unlimited variable, one of strings and one of characters in a group. */
static int
create(place *p, const char *mode)
{
    int         ncid, grp, dims[2], v, s, c;
    const int   row[3] = {1, 2, 3};
    const char *words[3] = {"one", "", "a longer one"};

    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 3, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){1, 2}));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dims[1], &s));
    OK(nc_def_var_deflate(ncid, s, 0, 1, 5));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(grp, "c", NC_CHAR, 1, &dims[1], &c));
    OK(nc_def_var_fill(grp, c, NC_NOFILL, NULL));
    OK(nc_put_vara_int(ncid, v, (size_t[]){1, 0}, (size_t[]){1, 3}, row));
    OK(nc_put_var_string(ncid, s, words));
    OK(nc_put_var_text(grp, c, "abc"));
    return ncid;
}

static void
check(const char *path, int version, int nczarr)
{
    int     ncid, grp, v, n, got_version = 0, got_nczarr = -1, no_fill = 0, row[3];
    nc_type type;
    char    text[4] = "";
    char   *words[3];
    size_t  len;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nczarr_inq_zarr_format(ncid, &got_version, &got_nczarr));
    assert_int_equal(got_version, version);
    assert_int_equal(got_nczarr, nczarr);
    OK(nczarr_inq_zarr_format(ncid, NULL, NULL));
    OK(nc_inq_format_extended(ncid, &n, NULL));
    assert_int_equal(n, NC_FORMATX_NCZARR);
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_get_vara_int(ncid, v, (size_t[]){0, 0}, (size_t[]){1, 3}, row));
    assert_int_equal(row[2], NC_FILL_INT);
    OK(nc_get_vara_int(ncid, v, (size_t[]){1, 0}, (size_t[]){1, 3}, row));
    assert_int_equal(row[2], 3);
    OK(nc_inq_varid(ncid, "s", &v));
    OK(nc_get_var_string(ncid, v, words));
    assert_string_equal(words[2], "a longer one");
    OK(nc_free_string(3, words));
    OK(nc_inq_dimlen(ncid, 0, &len));
    OK(nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_inq_varid(grp, "c", &v));
    OK(nc_inq_vartype(grp, v, &type));
    assert_int_equal(type, nczarr ? NC_CHAR : NC_UBYTE); /* bytes, since others have the dimension */
    if (nczarr) {
        OK(nc_get_var_text(grp, v, text));
        assert_string_equal(text, "abc");
        OK(nc_inq_var_fill(grp, v, &no_fill, NULL));
        assert_int_equal(no_fill, 1);
    }
    OK(nc_close(ncid));
}

TEST(every_kind_reads_back)
{
    static const struct {
        const char *mode;
        int         version, nczarr;
    } cases[] = {
        {"mode=nczarr", 2, 1},
        {"mode=nczarr,v3", 3, 1},
        {"mode=zarr,v3", 3, 0},
        {"mode=nczarr,v3&consolidated=yes", 3, 1},
        {"mode=nczarr,v3&dimension_separator=.", 3, 1},
        {"mode=nczarr,v3&commit=close", 3, 1},
        {"mode=nczarr,v3,noxarray", 3, 1},
        {"mode=nczarr,v3&chunk_keys=v2", 3, 1},
        {"mode=zarr,v3&chunk_keys=v2&dimension_separator=/", 3, 0},
        {"chunk_keys=v2", 2, 1},
    };
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OK(nc_close(create(&p, cases[i].mode)));
        check(p.path, cases[i].version, cases[i].nczarr);
        assert_true(exists(p.path, "zarr.json") == (cases[i].version == 3));
        assert_false(exists(p.path, "zarr.json.unfinished"));
        assert_false(exists(p.path, ".nczarr-writer"));
    }
    place_drop(&p);
}

/* Only the version that is named is looked for. */
TEST(a_version_can_be_demanded)
{
    place p;
    int   ncid;

    place_make(&p, false);
    OK(nc_close(create(&p, V3)));
    FAILS(NC_ENOTNC, place_open(&p, "mode=v2", NC_NOWRITE, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), "v2"));
    OK(place_open(&p, "mode=v3", NC_NOWRITE, &ncid));
    OK(nc_close(ncid));
    FAILS(NC_EINVAL, place_create(&p, "mode=nczarr,v3&compat=4.9.2", NC_CLOBBER, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), "compat="));
    check(p.path, 3, 1); /* refused before anything was touched */
    place_drop(&p);
}

/* The keys of chunks in each encoding; a plain path is v3 where both versions are. */
TEST(keys_of_chunks)
{
    static const struct {
        const char *mode, *key, *scalar;
    } cases[] = {
        {V3, "v/c/1/0", "s/c"},
        {V3 "&chunk_keys=default", "v/c/1/0", "s/c"},
        {V3 "&dimension_separator=.", "v/c.1.0", "s/c"},
        {V3 "&chunk_keys=v2", "v/1.0", "s/0"},
        {V3 "&chunk_keys=v2&dimension_separator=.", "v/1.0", "s/0"},
        {V3 "&chunk_keys=v2&dimension_separator=/", "v/1/0", "s/0"},
        {"mode=nczarr&chunk_keys=v2&dimension_separator=/", "v/1/0", "s/0"},
    };
    const int  ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const char text[] = "{\"zarr_format\": 2}";
    place      p;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int ncid, dims[2], v, s, got[8], version;

        place_make(&p, true);
        OK(place_create(&p, cases[i].mode, NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 4, &dims[0]));
        OK(nc_def_dim(ncid, "y", 2, &dims[1]));
        OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 2}));
        OK(nc_def_var(ncid, "s", NC_INT, 0, NULL, &s));
        OK(nc_put_var_int(ncid, v, ones));
        OK(nc_put_var_int(ncid, s, ones));
        OK(nc_close(ncid));
        OK(nczarr_map_exists(p.map, cases[i].key));
        OK(nczarr_map_exists(p.map, cases[i].scalar));
        if (strstr(cases[i].mode, "v3") != NULL)
            OK(nczarr_map_write(p.map, ".zgroup", sizeof text - 1, text));
        OK(place_open(&p, NULL, NC_WRITE, &ncid));
        OK(nczarr_inq_zarr_format(ncid, &version, NULL));
        assert_int_equal(version, strstr(cases[i].mode, "v3") != NULL ? 3 : 2);
        OK(nc_get_var_int(ncid, v, got));
        assert_memory_equal(got, ones, sizeof ones);
        OK(nc_put_var1_int(ncid, v, (size_t[]){3, 1}, &version)); /* to the same object */
        OK(nc_close(ncid));
        place_drop(&p);
    }
    place_make(&p, true);
    FAILS(NC_EINVAL, place_create(&p, "mode=nczarr&chunk_keys=default", NC_CLOBBER, &(int){0}));
    place_drop(&p);
}

static int
try_open(place *p, const char *mode)
{
    int ncid, version = 0, rc = place_open(p, mode, NC_NOWRITE, &ncid);

    if (rc != NC_NOERR)
        return rc;
    OK(nczarr_inq_zarr_format(ncid, &version, NULL));
    OK(nc_close(ncid));
    return version;
}

/* The documents of the other version, complete or not, do not hide those of the one that is asked for. */
TEST(both_versions)
{
    static const char *const modes[] = {"nczarr", "zarr", "nczarr,consolidated", "zarr,consolidated"};
    char                     mode[60];
    place                    p;
    int                      ncid;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (int first = 2; first <= 3; first++) {
            place_make(&p, true);
            for (int k = 0; k < 2; k++) {
                place  other;
                void  *text;
                size_t len;

                place_make(&other, true);
                snprintf(mode, sizeof mode, "mode=%s,v%d", modes[i], k == 0 ? first : 5 - first);
                OK(place_create(&other, mode, NC_CLOBBER, &ncid));
                OK(nc_put_att_text(ncid, NC_GLOBAL, "version", 2, k == 0 ? "v1" : "v2"));
                OK(nc_close(ncid));
                for (size_t d = 0; d < 4; d++) {
                    static const char *const docs[] = {".zgroup", ".zattrs", ".zmetadata", "zarr.json"};

                    if (nczarr_map_get(other.map, docs[d], &text, &len) == NC_NOERR) {
                        OK(nczarr_map_write(p.map, docs[d], len, text));
                        free(text);
                    }
                }
                place_drop(&other);
            }
            assert_int_equal(try_open(&p, NULL), 3);
            assert_int_equal(try_open(&p, "mode=v3"), 3);
            assert_int_equal(try_open(&p, "mode=v2"), 2);
            assert_int_equal(try_open(&p, "mode=zarr,v2"), 2);
            OK(nczarr_map_delete(p.map, "zarr.json"));
            assert_int_equal(try_open(&p, NULL), 2);
            place_drop(&p);
        }
}

TEST(consolidated_metadata_is_written_as_asked)
{
    static const struct {
        const char *mode, *open;
        int         want;
    } cases[] = {
        {"mode=nczarr", NULL, 0},
        {"mode=zarr,v3", NULL, 0},
        {"mode=nczarr,consolidated", NULL, 1},
        {"mode=zarr,consolidated", "consolidated=no", 1},
        {"mode=nczarr,v3,consolidated", NULL, 1},
        {"mode=zarr,v3,consolidated", "consolidated=no", 1},
    };
    int   ncid, has, v, x;
    place p;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        place_make(&p, true);
        OK(place_create(&p, cases[i].mode, NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 1, &x));
        OK(nc_def_var(ncid, "v", NC_INT, 1, &x, &v));
        OK(nczarr_inq_consolidated(ncid, &has));
        assert_int_equal(has, cases[i].want);
        OK(nc_close(ncid));
        for (int write = 0; write < 2; write++) {
            OK(place_open(&p, cases[i].open, write ? NC_WRITE : NC_NOWRITE, &ncid));
            has = -1;
            OK(nczarr_inq_consolidated(ncid, &has));
            assert_int_equal(has, cases[i].want);
            OK(nczarr_inq_consolidated(ncid, NULL));
            OK(nc_close(ncid));
        }
        FAILS(NC_EBADID, nczarr_inq_consolidated(ncid, &has));
        place_drop(&p);
    }
}

/* As other software makes them. */
TEST(chunks_beyond_the_array)
{
    static const char *const modes[] = {"mode=nczarr", "mode=zarr,v3", "mode=nczarr,v3"};
    const int                values[3] = {1, 2, 3};
    int                      ncid, dim, v, s, got[3];
    size_t                   chunk = 0;
    place                    p;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        unsigned long long len = 0;

        place_make(&p, true);
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 3, &dim));
        OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
        OK(nc_def_var(ncid, "s", NC_INT, 0, NULL, &s));
        FAILS(NC_EBADCHUNK, nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){8}));
        FAILS(NC_EBADCHUNK, nczarr_def_var_chunks(ncid, v, (size_t[]){SIZE_MAX / 2}));
        FAILS(NC_EINVAL, nczarr_def_var_chunks(ncid, v, NULL));
        FAILS(NC_EINVAL, nczarr_def_var_chunks(ncid, s, (size_t[]){1}));
        FAILS(NC_ENOTVAR, nczarr_def_var_chunks(ncid, 7, (size_t[]){1}));
        OK(nczarr_def_var_chunks(ncid, v, (size_t[]){8}));
        OK(nc_put_var_int(ncid, v, values));
        FAILS(NC_ELATEDEF, nczarr_def_var_chunks(ncid, v, (size_t[]){4}));
        OK(nc_close(ncid));
        OK(nczarr_map_len(p.map, strstr(modes[i], "v3") != NULL ? "v/c/0" : "v/0", &len));
        assert_int_equal(len, 8 * sizeof(int));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &v));
        OK(nc_inq_var_chunking(ncid, v, NULL, &chunk));
        assert_int_equal(chunk, 8);
        OK(nc_get_var_int(ncid, v, got));
        assert_memory_equal(got, values, sizeof values);
        OK(nc_close(ncid));
        place_drop(&p);
    }
}

TEST(changes_are_kept)
{
    const int row[3] = {7, 8, 9};
    int       ncid, grp, v, got[3];
    size_t    len;
    place     p;

    place_make(&p, false);
    OK(nc_close(create(&p, "mode=nczarr,v3&consolidated=yes")));
    OK(nc_open(p.path, NC_WRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_put_vara_int(ncid, v, (size_t[]){4, 0}, (size_t[]){1, 3}, row));
    OK(nc_redef(ncid));
    OK(nc_rename_var(ncid, v, "w"));
    OK(nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_rename_grp(grp, "h"));
    OK(nc_put_att_text(ncid, v, "units", 1, "m"));
    OK(nc_close(ncid));
    assert_false(exists(p.path, "v"));
    assert_false(exists(p.path, "g"));

    OK(nc_open(p.path, NC_NOWRITE, &ncid)); /* from the copies in the root's document */
    OK(nc_inq_dimlen(ncid, 0, &len));
    assert_int_equal(len, 5);
    OK(nc_inq_varid(ncid, "w", &v));
    OK(nc_get_vara_int(ncid, v, (size_t[]){4, 0}, (size_t[]){1, 3}, got));
    assert_memory_equal(got, row, sizeof got);
    OK(nc_inq_attlen(ncid, v, "units", &len));
    OK(nc_inq_grp_ncid(ncid, "h", &grp));
    OK(nc_inq_varid(grp, "c", &v));
    OK(nc_close(ncid));
    OK(nc_delete(p.path));
    assert_false(exists(p.path, ""));
    place_drop(&p);
}

/* Until it is closed nobody else sees it; a session that was given up can be continued. */
TEST(a_deferred_dataset_is_resumed)
{
    const int row[3] = {4, 5, 6};
    int       ncid, other, v;
    place     p;

    place_make(&p, false);
    ncid = create(&p, V3 "&commit=close");
    OK(nc_sync(ncid));
    assert_true(exists(p.path, "zarr.json.unfinished"));
    assert_false(exists(p.path, "zarr.json"));
    FAILS(NC_ENOTNC, nc_open(p.path, NC_NOWRITE, &other));
    OK(nc_abort(ncid));
    if (exists(p.path, "zarr.json.unfinished")) {
        OK(place_open(&p, V3 "&commit=close", NC_WRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &v));
        OK(nc_put_vara_int(ncid, v, (size_t[]){2, 0}, (size_t[]){1, 3}, row));
        OK(nc_close(ncid));
        check(p.path, 3, 1);
    }
    assert_false(exists(p.path, "zarr.json.unfinished"));
    place_drop(&p);
}

TEST(a_dataset_that_is_read_has_no_definitions_to_end)
{
    int   ncid;
    place p;

    place_make(&p, false);
    OK(nc_close(create(&p, V3)));
    OK(place_open(&p, V3, NC_NOWRITE, &ncid));
    FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
    OK(nc_close(ncid));
    place_drop(&p);
}

/* The key says nothing to the reader of a dataset that was closed, and a writer hears that there is nothing to continue. */
TEST(commit_at_close_opens_what_was_closed)
{
    static const char *const modes[] = {"commit=close", V3 "&commit=close"};
    int                      ncid;
    place                    p;

    for (size_t i = 0; i < 2; i++) {
        place_make(&p, false);
        OK(nc_close(create(&p, modes[i])));
        OK(place_open(&p, modes[i], NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &(int){0}));
        OK(nc_close(ncid));
        RC(NC_ENOOBJECT, place_open(&p, modes[i], NC_WRITE, &ncid));
        assert_non_null(
            strstr(nczarr_errmsg(), "this dataset was closed, and commit=close continues one that was not"));
        place_drop(&p);
    }
}

/* Strings have any length, whatever list of codecs is defined. */
TEST(strings_have_any_length)
{
    char        text[200] = "";
    const char *word = "0123456789";
    char       *got = NULL;
    size_t      width = 1, len = 0;
    int         ncid, dim, v, u, w;
    place       p;

    place_make(&p, false);
    OK(place_create(&p, V3, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &dim, &v));
    OK(nczarr_def_var_codecs(ncid, v, "[{\"id\": \"zstd\", \"level\": 1}]"));
    OK(nczarr_def_var_strlen(ncid, v, 4)); /* no effect */
    OK(nczarr_inq_var_strlen(ncid, v, &width));
    assert_int_equal(width, 0);
    OK(nczarr_inq_var_dtype(ncid, v, &len, text));
    assert_string_equal(text, "|O");
    OK(nc_def_var(ncid, "u", NC_STRING, 1, &dim, &u));
    OK(nczarr_def_var_codecs(ncid, u, "[]"));
    OK(nczarr_def_var_dtype(ncid, u, "|S4"));
    OK(nczarr_inq_var_strlen(ncid, u, &width));
    assert_int_equal(width, 4);
    OK(nczarr_inq_var_dtype(ncid, u, &len, text));
    assert_string_equal(text, "|S4");
    FAILS(NC_EINVAL, nczarr_def_var_dtype(ncid, v, "<U4")); /* it has a codec */
    OK(nc_def_var(ncid, "ucs", NC_STRING, 1, &dim, &w));
    OK(nczarr_def_var_dtype(ncid, w, "<U12"));
    OK(nczarr_inq_var_dtype(ncid, w, &len, text));
    assert_string_equal(text, "<U12");
    OK(nc_put_var1_string(ncid, w, (size_t[]){1}, &word));
    OK(nc_put_var1_string(ncid, v, (size_t[]){1}, &word));
    OK(nc_put_var1_string(ncid, u, (size_t[]){1}, &word));
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    for (int i = 0; i < 3; i++) {
        OK(nc_get_var1_string(ncid, i, (size_t[]){1}, &got));
        if (i == u)
            assert_string_equal(got, "0123"); /* its width */
        else
            assert_string_equal(got, word);
        OK(nc_free_string(1, &got));
    }
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(reserved_names_are_refused)
{
    static const char *const names[] = {"__v", "...", "zarr.json"};
    int                      ncid, v, grp;
    place                    p;

    place_make(&p, false);
    ncid = create(&p, V3);
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_redef(ncid));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        FAILS(NC_EBADNAME, nc_def_var(ncid, names[i], NC_INT, 0, NULL, &v));
        FAILS(NC_EBADNAME, nc_def_grp(ncid, names[i], &grp));
        FAILS(NC_EBADNAME, nc_rename_var(ncid, 0, names[i]));
    }
    OK(nc_def_var(ncid, "_v", NC_INT, 0, NULL, &v));
    OK(nc_def_var(ncid, "c", NC_INT, 0, NULL, &v)); /* chunks are below arrays only */
    OK(nc_close(ncid));
    check(p.path, 3, 1);
    place_drop(&p);
}

/* A fill value that no reader takes for missing data. */
TEST(fill_without_attribute)
{
    static const char *const modes[] = {V3, "mode=zarr,v3", "mode=nczarr"};
    const float              fill = 2.5f, stored = 1;
    float                    got;
    int                      ncid, x, v, w, no_fill = 1;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        place p;

        place_make(&p, false);
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 4, &x));
        OK(nc_def_var(ncid, "v", NC_FLOAT, 1, &x, &v));
        OK(nc_def_var(ncid, "w", NC_FLOAT, 1, &x, &w));
        OK(nc_put_att_float(ncid, w, "_FillValue", NC_FLOAT, 1, &fill));
        FAILS(NC_EINVAL, nczarr_def_var_fill(ncid, v, NULL));
        FAILS(NC_EGLOBAL, nczarr_def_var_fill(ncid, NC_GLOBAL, &fill));
        FAILS(NC_ENOTVAR, nczarr_def_var_fill(ncid, 9, &fill));
        if (i == 2) {
            FAILS(NC_EINVAL, nczarr_def_var_fill(ncid, v, &fill));
            assert_non_null(strstr(nczarr_errmsg(), "_FillValue"));
            OK(nc_close(ncid));
            place_drop(&p);
            continue;
        }
        FAILS(NC_EATTEXISTS, nczarr_def_var_fill(ncid, w, &fill));
        OK(nczarr_def_var_fill(ncid, v, &fill));
        OK(nc_put_var1_float(ncid, w, (size_t[]){0}, &stored));
        OK(nc_close(ncid));

        OK(nc_open(p.path, NC_NOWRITE, &ncid));
        OK(nc_inq_var_fill(ncid, v, &no_fill, &got));
        assert_true(no_fill == 0 && got == fill);
        RC(NC_ENOTATT, nc_inq_attid(ncid, v, "_FillValue", NULL));
        OK(nc_get_var1_float(ncid, v, (size_t[]){3}, &got));
        assert_true(got == fill);
        OK(nc_close(ncid));
        place_drop(&p);
    }
}
