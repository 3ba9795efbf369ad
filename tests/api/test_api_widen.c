/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings of fixed width that get longer: what is read afterwards, by this process and by others that opened the
 * dataset before or in between; what a failure or a crash at any operation leaves; and widths that were asked for.
 */
#include "api_test.h"
#include "support/failing_alloc.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_mem.h"

enum { LEN = 7, LONG = 300 };

static char long_text[LONG + 1], longer_text[2 * LONG + 1];

static const char *const short_texts[LEN] = {"zero", "one", "two", "three", "four", "five", "six"};

/* Two variables of strings, one of them compressed, and one of numbers beside them. */
static int
make(int ncid)
{
    int dims[2], v, w, n, rc;

    if ((rc = nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", LEN, &dims[1])) != NC_NOERR ||
        (rc = nc_def_var(ncid, "v", NC_STRING, 1, &dims[1], &v)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){3})) != NC_NOERR ||
        (rc = nc_def_var(ncid, "w", NC_STRING, 2, dims, &w)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, w, NC_CHUNKED, (size_t[]){2, 3})) != NC_NOERR ||
        (rc = nc_def_var_deflate(ncid, w, 1, 1, 1)) != NC_NOERR ||
        (rc = nc_def_var(ncid, "n", NC_INT, 1, &dims[1], &n)) != NC_NOERR ||
        (rc = nc_put_var_int(ncid, n, (int[LEN]){1, 2, 3, 4, 5, 6, 7})) != NC_NOERR ||
        (rc = nc_put_var_string(ncid, v, (const char **)short_texts)) != NC_NOERR)
        return rc;
    return nc_put_vara_string(ncid, w, (size_t[]){0, 0}, (size_t[]){1, LEN}, (const char **)short_texts);
}

static int
id_of(int ncid, const char *name)
{
    int varid = -1;

    OK(nc_inq_varid(ncid, name, &varid));
    return varid;
}

/* The first record of a variable: the short texts, but `at` may be the long one; it must be if `done`. */
static void
check_texts(int ncid, const char *name, size_t at, bool done)
{
    char        *got[LEN] = {NULL};
    const size_t start[2] = {0, 0}, count[2] = {1, LEN};
    bool         two = strcmp(name, "w") == 0;

    OK(nc_get_vara_string(ncid, id_of(ncid, name), start, two ? count : count + 1, got));
    for (size_t i = 0; i < LEN; i++) {
        assert_non_null(got[i]);
        if (i == at && (done || strlen(got[i]) == LONG))
            assert_string_equal(got[i], long_text);
        else
            assert_string_equal(got[i], short_texts[i]);
    }
    OK(nc_free_string(LEN, got));
}

static void
check_numbers(int ncid)
{
    int n[LEN] = {0};

    OK(nc_get_var_int(ncid, id_of(ncid, "n"), n));
    for (int i = 0; i < LEN; i++)
        assert_int_equal(n[i], i + 1);
}

static int
put_long(int ncid, const char *name, size_t at)
{
    const char  *in = long_text;
    const size_t index[2] = {0, at};
    int          varid, rc = nc_inq_varid(ncid, name, &varid);

    return rc != NC_NOERR ? rc : nc_put_var1_string(ncid, varid, strcmp(name, "w") == 0 ? index : index + 1, &in);
}

static size_t
width_of(int ncid, const char *name)
{
    size_t n = 0;

    OK(nczarr_inq_var_strlen(ncid, id_of(ncid, name), &n));
    return n;
}

TEST_IN_EACH_PLACE(longer_strings_widen_their_variable)
{
    int ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(make(ncid)); /* several chunks of each variable are dirty in the cache */
    OK(put_long(ncid, "v", 4));
    assert_int_equal(width_of(ncid, "v"), LONG);
    assert_int_equal(width_of(ncid, "w"), 128);
    check_texts(ncid, "v", 4, true);
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid));
    check_texts(ncid, "v", 4, true);
    OK(put_long(ncid, "w", 6));
    check_texts(ncid, "w", 6, true);
    check_texts(ncid, "v", 4, true);
    check_numbers(ncid);
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    check_texts(ncid, "v", 4, true);
    check_texts(ncid, "w", 6, true);
    check_numbers(ncid);
    OK(nc_close(ncid));
}

/* The first put alone needs no more than its longest string; later ones leave room. */
TEST_IN_EACH_PLACE(the_first_put_sets_the_width)
{
    const char *in[2] = {NULL, long_text};
    char       *got[2] = {NULL};
    int         ncid, x, v;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &x));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &x, &v));
    OK(nc_put_var_string(ncid, v, in));
    assert_int_equal(width_of(ncid, "v"), LONG);
    OK(nc_put_var1_string(ncid, v, (size_t[]){0}, &(const char *){long_text + 1}));
    assert_int_equal(width_of(ncid, "v"), LONG);
    in[0] = "longer by a few bytes: ";
    {
        char longer[LONG + 2];

        snprintf(longer, sizeof longer, "%s!", long_text);
        OK(nc_put_var1_string(ncid, v, (size_t[]){0}, &(const char *){longer}));
        assert_int_equal(width_of(ncid, "v"), 2 * LONG);
        OK(nc_get_var_string(ncid, v, got));
        assert_string_equal(got[0], longer);
        assert_string_equal(got[1], long_text);
        OK(nc_free_string(2, got));
    }
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(a_long_fill_value_sets_the_width)
{
    const char *fill = long_text;
    char       *got = NULL;
    int         ncid, x, v;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &x));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &x, &v));
    OK(nc_def_var_fill(ncid, v, 0, &fill));
    assert_int_equal(width_of(ncid, "v"), LONG);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_get_var1_string(ncid, 0, (size_t[]){1}, &got));
    assert_string_equal(got, long_text);
    OK(nc_free_string(1, &got));
    OK(nc_close(ncid));
}

/* ---- a width that was asked for -------------------------------------------------------------------------------- */

TEST_IN_EACH_PLACE(a_width_that_was_asked_for_is_kept)
{
    char *got = NULL;
    int   ncid, x, own, root, v;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "_nczarr_default_maxstrlen", NC_INT, 1, &(int){6}));
    OK(nc_def_dim(ncid, "x", LEN, &x));
    OK(nc_def_var(ncid, "own", NC_STRING, 1, &x, &own));
    OK(nc_put_att_int(ncid, own, "_nczarr_maxstrlen", NC_INT, 1, &(int){5}));
    OK(nc_def_var(ncid, "root", NC_STRING, 1, &x, &root));
    OK(nc_close(ncid));
    for (int again = 0; again < 2; again++) {
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        for (v = 0; v < 2; v++) {
            OK(nc_put_var1_string(ncid, v, (size_t[]){1}, &(const char *){"caf\xc3\xa9s and tea"}));
            OK(nc_get_var1_string(ncid, v, (size_t[]){1}, &got));
            assert_string_equal(got, v == own ? "caf\xc3\xa9" : "caf\xc3\xa9s");
            OK(nc_free_string(1, &got));
        }
        OK(nc_close(ncid));
    }
}

TEST_IN_EACH_PLACE(any_length)
{
    static const char *const names[] = {"own", "default", "later"};
    char                    *got = NULL;
    size_t                   n;
    int                      ncid, x, own, v, fixed;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", LEN, &x));
    OK(nc_def_var(ncid, "own", NC_STRING, 1, &x, &own));
    OK(nc_def_var_deflate(ncid, own, 0, 1, 1));
    OK(nc_put_att_int(ncid, own, "_nczarr_maxstrlen", NC_INT, 1, &(int){0}));
    assert_int_equal(width_of(ncid, "own"), 0);
    OK(nc_def_var(ncid, "default", NC_STRING, 1, &x, &v));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "_nczarr_default_maxstrlen", NC_INT, 1, &(int){0}));
    OK(nc_def_var(ncid, "later", NC_STRING, 1, &x, &v));
    OK(nc_def_var(ncid, "fixed", NC_STRING, 1, &x, &fixed));
    OK(nc_put_att_int(ncid, fixed, "_nczarr_maxstrlen", NC_INT, 1, &(int){3}));
    assert_int_equal(width_of(ncid, "fixed"), 3);
    for (size_t i = 0; i < NCZ_LEN(names); i++)
        OK(put_long(ncid, names[i], 2));
    OK(nc_inq_var_filter_ids(ncid, own, &n, NULL));
    assert_int_equal(n, 1);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        assert_int_equal(width_of(ncid, names[i]), 0);
        OK(nc_get_var1_string(ncid, id_of(ncid, names[i]), (size_t[]){2}, &got));
        assert_string_equal(got, long_text);
        OK(nc_free_string(1, &got));
    }
    OK(nc_close(ncid));

    OK(place_create(p, "mode=nczarr&compat=4.9.2", NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "s", NC_STRING, 0, NULL, &v));
    FAILS(NC_EBADTYPE, nc_put_att_int(ncid, v, "_nczarr_maxstrlen", NC_INT, 1, &(int){0}));
    OK(nc_close(ncid));
}

/* ---- other readers --------------------------------------------------------------------------------------------- */

/* One that opened the dataset before takes the new width over when it meets a chunk of it. */
TEST(a_reader_from_before)
{
    nczarr_map *map = NULL;
    int         reader, writer;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &writer));
    OK(make(writer));
    OK(nc_close(writer));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &reader));
    check_texts(reader, "v", LEN, false);
    OK(nc_close(reader));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &reader));
    assert_int_equal(width_of(reader, "v"), 128);
    OK(nczarr_open_map(map, NULL, NC_WRITE, &writer));
    OK(put_long(writer, "v", 0));
    OK(put_long(writer, "w", 0));
    OK(nc_close(writer));
    check_texts(reader, "v", 0, true);
    assert_int_equal(width_of(reader, "v"), LONG);
    check_texts(reader, "w", 0, true);
    assert_int_equal(width_of(reader, "w"), LONG);
    OK(nc_close(reader));
    OK(nczarr_map_close(map));
}

static nczarr_map *
prepared(const char *mode)
{
    nczarr_map *map = NULL;
    int         ncid;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, mode, NC_CLOBBER, &ncid));
    OK(make(ncid));
    OK(nc_close(ncid));
    return map;
}

static int
count_key(const char *name, bool leaf, void *arg)
{
    (void)leaf;
    /* No other names than those of the chunks. */
    *(size_t *)arg += name[0] != '.' && strchr(name, '.') != NULL;
    return NC_NOERR;
}

/* No object of an unfinished widening is left, and no document says that one goes on. */
static void
check_finished(nczarr_map *map)
{
    static const char *const documents[] = {"v/.zarray", "w/.zarray"};
    size_t                   n = 0;

    for (size_t i = 0; i < NCZ_LEN(documents); i++) {
        ncz_buf text = NCZ_BUF_INIT;

        OK(zmap_get(map, documents[i], &text));
        assert_null(strstr(ncz_buf_str(&text), "nczarr_widening"));
        ncz_buf_clear(&text);
    }
    OK(zmap_list(map, "v", count_key, &n));
    assert_int_equal(n, 0);
}

/* ---- chunks that another process stored at the width that it knew ---------------------------------------------- */

/* The length of a chunk without codecs. */
static unsigned long long
length_of(nczarr_map *map, const char *key)
{
    unsigned long long n = 0;

    OK(nczarr_map_len(map, key, &n));
    return n;
}

static void
put_text(int ncid, const char *name, size_t at, const char *text)
{
    const size_t index[2] = {0, at};

    OK(nc_put_var1_string(ncid, id_of(ncid, name), strcmp(name, "w") == 0 ? index : index + 1, &text));
}

/* Element `at` of both variables is `text`. */
static void
check_text(int ncid, size_t at, const char *text)
{
    for (const char *name = "v"; name != NULL; name = name[0] == 'v' ? "w" : NULL) {
        const size_t index[2] = {0, at};
        char        *got = NULL;

        OK(nc_get_var1_string(ncid, id_of(ncid, name), name[0] == 'w' ? index : index + 1, &got));
        assert_string_equal(got, text);
        OK(nc_free_string(1, &got));
    }
}

/* One that opened before stores whole chunks and parts, when its cache has room and when it has none. */
TEST(a_writer_from_before)
{
    for (int small = 0; small < 2; small++) {
        nczarr_map *map = NULL;
        int         before, writer, reader;

        OK(nczarr_map_memory(&map));
        OK(nczarr_create_map(map, "mode=nczarr", NC_CLOBBER, &writer));
        OK(make(writer));
        OK(nc_close(writer));
        OK(nczarr_open_map(map, NULL, NC_WRITE, &before));
        put_text(before, "v", 1, "first"); /* dirty, and in part */
        put_text(before, "w", 1, "first");
        if (small != 0)
            OK(nc_set_var_chunk_cache(before, id_of(before, "v"), 1, 1, 0));
        OK(nczarr_open_map(map, NULL, NC_WRITE, &writer));
        OK(put_long(writer, "v", 0));
        OK(put_long(writer, "w", 0));
        OK(nc_put_vara_string(before, id_of(before, "v"), (size_t[]){3}, (size_t[]){3},
                              (const char *[]){"a", "b", "c"})); /* a whole chunk */
        put_text(before, "w", 5, "c");
        OK(nc_sync(before));
        OK(nc_close(writer));
        put_text(before, "v", 6, "sixth");
        put_text(before, "w", 6, "sixth");
        assert_int_equal(width_of(before, "v"), LONG);
        OK(nc_close(before));
        for (int k = 0; k < 3; k++)
            assert_int_equal(length_of(map, k == 0 ? "v/0" : k == 1 ? "v/1" : "v/2"), 3 * LONG);
        OK(nczarr_open_map(map, NULL, NC_NOWRITE, &reader));
        check_text(reader, 0, long_text);
        check_text(reader, 1, "first");
        check_text(reader, 2, "two");
        check_text(reader, 5, "c");
        check_text(reader, 6, "sixth");
        OK(nc_close(reader));
        OK(nczarr_map_close(map));
    }
}

/* A map over another one. Just before it puts `key`, a second process widens both variables. */
typedef struct hooked {
    nczarr_map *map;
    const char *key;
} hooked;

static int
hooked_get(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    void  *data = NULL;
    size_t len = 0;
    int    rc = nczarr_map_get(((hooked *)user)->map, key, &data, &len);

    (void)start, (void)count; /* always the whole object */
    if (rc == NC_NOERR)
        rc = nczarr_map_answer(reply, data, len);
    free(data);
    return rc;
}

static int
hooked_put(void *user, const char *key, const void *data, size_t count)
{
    hooked *h = user;

    if (h->key != NULL && strcmp(h->key, key) == 0) {
        int writer;

        h->key = NULL;
        OK(nczarr_open_map(h->map, NULL, NC_WRITE, &writer));
        OK(put_long(writer, "v", 0));
        OK(put_long(writer, "w", 0));
        OK(nc_close(writer));
    }
    return nczarr_map_write(h->map, key, count, data);
}

static int
hooked_del(void *user, const char *key)
{
    return nczarr_map_delete(((hooked *)user)->map, key);
}

static int
hooked_list(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    return nczarr_map_search(((hooked *)user)->map, prefix, each, arg);
}

/* The chunk is stored at the old width after all others have become wide: its writer sees the new width then. */
TEST(a_chunk_stored_too_late)
{
    static const char *const keys[] = {"v/1", "w/0.1"};
    const nczarr_map_ops     ops = {.size = sizeof ops,
                                    .name = "hooked",
                                    .get = hooked_get,
                                    .put = hooked_put,
                                    .del = hooked_del,
                                    .list = hooked_list};

    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        hooked      h = {.map = prepared("mode=nczarr"), .key = NULL};
        nczarr_map *map = NULL;
        int         before, reader;

        OK(nczarr_map_own(&ops, &h, &map));
        OK(nczarr_open_map(map, NULL, NC_WRITE, &before));
        h.key = keys[i];
        OK(nc_put_vara_string(before, id_of(before, "v"), (size_t[]){3}, (size_t[]){3},
                              (const char *[]){"a", "b", "c"}));
        OK(nc_put_vara_string(before, id_of(before, "w"), (size_t[]){0, 3}, (size_t[]){1, 3},
                              (const char *[]){"a", "b", "c"}));
        OK(nc_sync(before));
        assert_null(h.key);
        assert_int_equal(length_of(h.map, "v/1"), 3 * LONG);
        OK(nc_close(before));
        OK(nczarr_map_close(map));
        check_finished(h.map);
        OK(nczarr_open_map(h.map, NULL, NC_NOWRITE, &reader));
        check_text(reader, 0, long_text);
        check_text(reader, 3, "a");
        check_text(reader, 5, "c");
        check_text(reader, 6, "six");
        assert_int_equal(width_of(reader, "w"), LONG);
        OK(nc_close(reader));
        OK(nczarr_map_close(h.map));
    }
}

/* Two that widen: the second takes over what is wide enough, and else goes on from there. */
TEST(both_widen)
{
    nczarr_map *map = NULL;
    int         one, other;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, "mode=nczarr", NC_CLOBBER, &one));
    OK(make(one));
    OK(nc_close(one));
    OK(nczarr_open_map(map, NULL, NC_WRITE, &one));
    OK(nczarr_open_map(map, NULL, NC_WRITE, &other));
    put_text(one, "v", 0, long_text);
    put_text(other, "v", 6, long_text + 1);
    assert_int_equal(width_of(other, "v"), LONG);
    put_text(other, "v", 5, longer_text);
    put_text(one, "v", 1, longer_text);
    assert_int_equal(width_of(one, "v"), 2 * LONG);
    OK(nc_put_vara_string(one, id_of(one, "w"), (size_t[]){1, 0}, (size_t[]){1, 1},
                          (const char *[]){longer_text})); /* and the documents get a new length */
    OK(nc_put_vara_string(other, id_of(other, "w"), (size_t[]){2, 0}, (size_t[]){1, 1}, (const char *[]){"two"}));
    OK(nc_close(other));
    OK(nc_close(one));
    check_finished(map);
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &one));
    {
        const char *want[LEN] = {long_text, longer_text, "two", "three", "four", longer_text, long_text + 1};
        char       *got[LEN] = {NULL};

        OK(nc_get_var_string(one, id_of(one, "v"), got));
        for (size_t i = 0; i < LEN; i++)
            assert_string_equal(got[i], want[i]);
        OK(nc_free_string(LEN, got));
        OK(nc_get_vara_string(one, id_of(one, "w"), (size_t[]){1, 0}, (size_t[]){2, 1}, got));
        assert_string_equal(got[0], longer_text);
        assert_string_equal(got[1], "two");
        OK(nc_free_string(2, got));
    }
    assert_int_equal(width_of(one, "w"), 2 * LONG);
    OK(nc_close(one));
    OK(nczarr_map_close(map));
}

/* The chunks of a dataset that has them already: read, put in part, and wide after the next widening. */
TEST(narrow_chunks)
{
    nczarr_map *map = prepared("mode=nczarr"), *old = prepared("mode=nczarr");
    void       *body = NULL;
    size_t      n = 0;
    int         ncid;

    OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
    put_text(ncid, "v", 1, long_text);
    put_text(ncid, "w", 1, long_text);
    OK(nc_close(ncid));
    for (int k = 0; k < 2; k++) { /* as a writer of an earlier version left them */
        const char *key = k == 0 ? "v/1" : "w/0.1";

        OK(nczarr_map_get(old, key, &body, &n));
        OK(nczarr_map_write(map, key, n, body));
        free(body);
    }
    assert_int_equal(length_of(map, "v/1"), 3 * 128);
    OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
    check_text(ncid, 4, "four");
    put_text(ncid, "v", 3, "3");
    put_text(ncid, "w", 3, "3");
    OK(nc_close(ncid));
    assert_int_equal(length_of(map, "v/1"), 3 * LONG);
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
    check_text(ncid, 3, "3");
    check_text(ncid, 4, "four");
    check_text(ncid, 1, long_text);
    OK(nc_close(ncid));

    /* What was cut off is no narrower chunk, where its length or its strings show it. */
    OK(nczarr_map_get(map, "v/0", &body, &n));
    assert_int_equal(n, 3 * LONG); /* the second is the long one */
    for (int k = 0; k < 2; k++) {
        char *got = NULL;

        OK(nczarr_map_write(map, "v/0", k == 0 ? 3 * 200 : 3 * 200 + 1, body));
        OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
        FAILS(NC_ETRUNC, nc_get_var1_string(ncid, id_of(ncid, "v"), (size_t[]){0}, &got));
        assert_null(got);
        OK(nc_close(ncid));
    }
    free(body);
    OK(nczarr_map_close(map));
    OK(nczarr_map_close(old));
}

static bool
document_has(nczarr_map *map, const char *text)
{
    void  *body;
    size_t n;
    bool   has;

    OK(nczarr_map_get(map, "v/.zarray", &body, &n)); /* with a NUL behind it */
    has = strstr(body, text) != NULL;
    free(body);
    return has;
}

/* The first `n` bytes of a chunk of v, as the whole chunk: its status, and the first string. */
static int
read_cut(nczarr_map *map, const void *body, size_t n, const char *want)
{
    char *got = NULL;
    int   ncid, rc;

    OK(nczarr_map_write(map, "v/0", n, body));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
    if ((rc = nc_get_var1_string(ncid, id_of(ncid, "v"), (size_t[]){0}, &got)) == NC_NOERR) {
        assert_string_equal(got, want);
        OK(nc_free_string(1, &got));
    }
    OK(nc_close(ncid));
    return rc;
}

/* Strings at half the distance look like narrower ones: only in an array that was widened may they be such. */
TEST(a_shorter_chunk_is_an_error)
{
    for (int pure = 0; pure < 2; pure++) {
        nczarr_map *map = prepared(pure ? "mode=zarr" : "mode=nczarr");
        void       *body;
        size_t      n;
        int         ncid;

        OK(nczarr_map_get(map, "v/0", &body, &n));
        assert_int_equal(n, 3 * 128);
        for (size_t width = 128; width-- > 1;)
            assert_int_equal(read_cut(map, body, 3 * width, ""), NC_ETRUNC);
        OK(read_cut(map, body, n, "zero"));

        OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
        OK(put_long(ncid, "v", 4));
        OK(nc_close(ncid));
        assert_true(document_has(map, "\"nczarr_widths\": [128]"));
        assert_false(document_has(map, "nczarr_widening"));
        OK(read_cut(map, body, n, "zero")); /* as a process stores it that opened it before */
        assert_int_equal(read_cut(map, body, 3 * 64, ""), NC_ETRUNC);
        OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
        put_text(ncid, "v", 4, longer_text); /* all its widths count */
        OK(nc_close(ncid));
        assert_true(document_has(map, "\"nczarr_widths\": [300,128]"));
        OK(read_cut(map, body, n, "zero"));
        free(body);
        OK(nczarr_map_close(map));
    }
}

/* No other process has seen the array: all its chunks have the new width. */
TEST(what_nobody_saw_has_no_mark)
{
    nczarr_map *map = NULL;
    void       *body;
    size_t      n;
    int         ncid;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, "mode=nczarr,commit=close", NC_CLOBBER, &ncid));
    OK(make(ncid));
    OK(put_long(ncid, "v", 4));
    OK(nc_close(ncid));
    assert_false(document_has(map, "nczarr_widths"));
    OK(nczarr_map_get(map, "v/0", &body, &n));
    assert_int_equal(n, 3 * LONG);
    assert_int_equal(read_cut(map, body, 3 * 128, ""), NC_ETRUNC);
    free(body);
    OK(nczarr_map_close(map));
}

/* ---- failures and crashes at any operation --------------------------------------------------------------------- */

static const char *const modes[] = {"mode=nczarr", "mode=zarr", "mode=nczarr,consolidated"};

/* Whatever is cut off: a reader gets each string, old or new, and the next writer leaves nothing unfinished. */
TEST(a_crash_loses_no_string)
{
    size_t between = 0;

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        bool done = false;

        for (size_t n = 1; !done; n++) {
            zmap_fault_plan plan = {.nth = n, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
            nczarr_map     *map = prepared(modes[m]), *faulty = NULL;
            int             ncid, rc;

            OK(zmap_fault_open(zmap_ref(map), &plan, &faulty));
            if ((rc = nczarr_open_map(faulty, NULL, NC_WRITE, &ncid)) == NC_NOERR) {
                rc = put_long(ncid, "v", 4);
                rc = nc_close(ncid) != NC_NOERR ? NC_EIO : rc;
            }
            done = rc == NC_NOERR;
            (void)nczarr_map_close(faulty);

            for (int copies = 0; copies < 2; copies++) {
                OK(nczarr_open_map(map, copies == 0 ? "consolidated=no" : NULL, NC_NOWRITE, &ncid));
                check_texts(ncid, "v", 4, done);
                check_texts(ncid, "w", LEN, true);
                check_numbers(ncid);
                OK(nc_close(ncid));
            }
            {
                ncz_buf text = NCZ_BUF_INIT;

                OK(zmap_get(map, "v/.zarray", &text));
                between += strstr(ncz_buf_str(&text), "nczarr_widening") != NULL;
                ncz_buf_clear(&text);
            }
            OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
            check_texts(ncid, "v", 4, done);
            OK(put_long(ncid, "v", 4));
            OK(put_long(ncid, "w", 1));
            /* Objects that a crash left at the very end go with the next widening. */
            OK(nc_put_var1_string(ncid, id_of(ncid, "v"), (size_t[]){5}, &(const char *){longer_text}));
            OK(nc_put_var1_string(ncid, id_of(ncid, "v"), (size_t[]){5}, (const char **)&short_texts[5]));
            OK(nc_close(ncid));
            check_finished(map);
            OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
            check_texts(ncid, "v", 4, true);
            check_texts(ncid, "w", 1, true);
            OK(nc_close(ncid));
            OK(nczarr_map_close(map));
            assert_true(n < 1000);
        }
    }
    assert_true(between > 0);
}

/* One operation fails and no other: the same dataset goes on. */
TEST(a_failure_is_survived)
{
    bool done = false;

    for (size_t n = 1; !done; n++) {
        zmap_fault_plan plan = {.nth = 0, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
        nczarr_map     *map = prepared("mode=nczarr"), *faulty = NULL;
        int             ncid;

        OK(zmap_fault_open(zmap_ref(map), &plan, &faulty));
        OK(nczarr_open_map(faulty, "durability=none", NC_WRITE, &ncid));
        plan.nth = plan.seen + n;
        done = put_long(ncid, "v", 4) == NC_NOERR && plan.seen < plan.nth;
        plan.nth = 0;
        check_texts(ncid, "v", 4, done);
        OK(put_long(ncid, "v", 4));
        check_texts(ncid, "v", 4, true);
        OK(nc_close(ncid));
        check_numbers((nczarr_open_map(map, NULL, NC_NOWRITE, &ncid), ncid));
        check_texts(ncid, "v", 4, true);
        OK(nc_close(ncid));
        OK(nczarr_map_close(faulty));
        OK(nczarr_map_close(map));
        assert_true(n < 1000);
    }
}

/* Leaves the document that says where the widened chunks are, and all its objects. */
static nczarr_map *
interrupted(void)
{
    for (size_t n = 1;; n++) {
        zmap_fault_plan plan = {.nth = 0, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
        nczarr_map     *map = prepared("mode=nczarr"), *faulty = NULL;
        ncz_buf         text = NCZ_BUF_INIT;
        bool            is;
        int             ncid;

        OK(zmap_fault_open(zmap_ref(map), &plan, &faulty));
        OK(nczarr_open_map(faulty, NULL, NC_WRITE, &ncid));
        plan.nth = plan.seen + n;
        (void)put_long(ncid, "v", 4);
        (void)nc_close(ncid);
        (void)nczarr_map_close(faulty);
        OK(zmap_get(map, "v/.zarray", &text));
        is = strstr(ncz_buf_str(&text), "nczarr_widening") != NULL;
        ncz_buf_clear(&text);
        if (is)
            return map;
        OK(nczarr_map_close(map));
        assert_true(n < 1000);
    }
}

/* One that opened the dataset in between reads on when it is finished, and after the next. */
TEST(a_reader_in_between)
{
    nczarr_map *map = interrupted();
    char       *got = NULL;
    int         reader, writer;

    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &reader));
    check_texts(reader, "v", LEN, false);
    OK(nczarr_open_map(map, NULL, NC_WRITE, &writer));
    OK(nc_close(writer));
    check_finished(map);
    check_texts(reader, "v", LEN, false);
    OK(nczarr_open_map(map, NULL, NC_WRITE, &writer));
    OK(nc_put_var1_string(writer, id_of(writer, "v"), (size_t[]){0}, &(const char *){longer_text}));
    OK(nc_close(writer));
    OK(nc_get_var1_string(reader, id_of(reader, "v"), (size_t[]){0}, &got));
    assert_string_equal(got, longer_text);
    OK(nc_free_string(1, &got));
    OK(nc_close(reader));
    OK(nczarr_map_close(map));
}

/* An unfinished one is renamed and deleted with its variable. */
TEST(an_unfinished_one_is_renamed)
{
    nczarr_map *map = interrupted();
    int         reader, writer;

    OK(nczarr_open_map(map, NULL, NC_WRITE, &writer));
    OK(nc_rename_var(writer, id_of(writer, "v"), "u"));
    OK(nc_close(writer));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &reader));
    check_texts(reader, "u", LEN, true);
    OK(nc_close(reader));
    OK(nczarr_map_close(map));

    map = interrupted();
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &writer));
    OK(nc_close(writer));
    {
        size_t n = 0;

        OK(zmap_list(map, "v", count_key, &n));
        assert_int_equal(n, 0);
    }
    OK(nczarr_map_close(map));
}

/* Each allocation fails once. Those for what need not be kept may, and the put succeeds. */
TEST(memory_fails)
{
    bool met = true;

    for (size_t at = 1; met; at++) {
        nczarr_map *map = prepared("mode=nczarr");
        int         ncid, rc;

        OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
        fail_allocation(at);
        rc = put_long(ncid, "w", 3);
        met = end_failing();
        assert_true(rc == NC_NOERR || (met && rc == NC_ENOMEM));
        check_texts(ncid, "w", 3, rc == NC_NOERR);
        OK(put_long(ncid, "w", 3));
        check_texts(ncid, "w", 3, true);
        OK(nc_close(ncid));
        OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
        OK(nc_close(ncid));
        check_finished(map);
        OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
        check_texts(ncid, "w", 3, true);
        check_texts(ncid, "v", LEN, true);
        check_numbers(ncid);
        OK(nc_close(ncid));
        OK(nczarr_map_close(map));
        assert_true(at < 10000);
    }
}

/* A chunk that would be too large is refused, and nothing changes. */
TEST(a_chunk_has_a_limit)
{
    size_t      n = 4u << 20;
    char       *huge = malloc(n + 1);
    nczarr_map *map = NULL;
    char       *got = NULL;
    int         ncid, x, v;

    assert_non_null(huge);
    memset(huge, 'h', n);
    huge[n] = '\0';
    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 1000, &x));
    OK(nc_def_var(ncid, "v", NC_STRING, 1, &x, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){1000}));
    OK(nc_put_var1_string(ncid, v, (size_t[]){5}, &(const char *){"five"}));
    FAILS(NC_EBADCHUNK, nc_put_var1_string(ncid, v, (size_t[]){6}, &(const char *){huge}));
    assert_int_equal(width_of(ncid, "v"), 128);
    OK(nc_get_var1_string(ncid, v, (size_t[]){5}, &got));
    assert_string_equal(got, "five");
    OK(nc_free_string(1, &got));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
    free(huge);
}

/* Near the limit of an element the width is what the string needs, not twice the old one. */
TEST(an_element_has_a_limit)
{
    size_t      n = 17u << 20;
    char       *text = malloc(n + 1);
    nczarr_map *map = NULL;
    int         ncid, v;

    assert_non_null(text);
    memset(text, 'e', n);
    text[n] = '\0';
    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "v", NC_STRING, 0, NULL, &v));
    for (size_t mib = 9; mib < 11; mib++) {
        OK(nc_put_var_string(ncid, v, &(const char *){text + n - (mib << 20)}));
        assert_int_equal(width_of(ncid, "v"), mib << 20);
    }
    FAILS(NC_EBADCHUNK, nc_put_var_string(ncid, v, &(const char *){text}));
    assert_int_equal(width_of(ncid, "v"), 10 << 20);
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
    free(text);
}

int
main(void)
{
    for (int i = 0; i < LONG; i++)
        long_text[i] = (char)('a' + i % 26);
    snprintf(longer_text, sizeof longer_text, "%s%s", long_text, long_text);
    return run_file_tests(NULL, NULL);
}
