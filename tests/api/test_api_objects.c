/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings of any length: variables whose codec stores objects. Written, read, changed in part, with every such codec,
 * in little memory, and after somebody has spoilt what is stored. And chunks that hold only fill.
 */
#include "api_test.h"

#include "nczarr_filter.h"
#include "support/scratch.h"
#include "zmap/zmap.h"

#include <pthread.h>

#define LABELS "\"labels\": [\"\", \"w0\", \"w1\", \"w2\", \"w3\", \"w4\", \"w5\", \"w6\", \"w7\"]"

static const char *const codecs[] = {
    "{\"id\": \"vlen-utf8\"}",
    "{\"id\": \"vlen-bytes\"}",
    "{\"id\": \"json2\"}",
    "{\"id\": \"msgpack2\"}",
    "{\"id\": \"categorize\", \"dtype\": \"|O\", " LABELS "}",
};

static int
def_strings(int ncid, const char *name, int rank, const int *dims, const size_t *chunks, const char *codec)
{
    int v;

    OK(nc_def_var(ncid, name, NC_STRING, rank, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunks));
    OK(nczarr_def_var_codec(ncid, v, codec));
    return v;
}

static void
check_one(int ncid, int v, size_t at, const char *want)
{
    char *s = NULL;

    OK(nc_get_var1_string(ncid, v, &at, &s));
    assert_non_null(s);
    assert_string_equal(s, want);
    OK(nc_free_string(1, &s));
}

/* ---- what is stored ------------------------------------------------------------------------------------- */

TEST_IN_EACH_PLACE(round_trip)
{
    static const char *const words[] = {"one", "", NULL, "\xc3\xa9\xe2\x9c\x93", "five", "a text that is longer"};
    int                      ncid, x, v, z, j;
    char                    *got[6];

    OK(place_create(p, "mode=zarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 6, &x));
    v = def_strings(ncid, "v", 1, &x, (size_t[]){4}, codecs[0]);
    z = def_strings(ncid, "z", 1, &x, (size_t[]){4}, codecs[0]);
    OK(nc_def_var_deflate(ncid, z, 0, 1, 5));
    j = def_strings(ncid, "j", 1, &x, (size_t[]){4}, codecs[2]);
    OK(nc_put_var_string(ncid, v, (const char **)words));
    OK(nc_put_var_string(ncid, z, (const char **)words));
    OK(nc_put_var_string(ncid, j, (const char **)words));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "j", &j));
    for (v = 0; v < 3; v++) {
        nc_type type;

        OK(nc_inq_vartype(ncid, v, &type));
        assert_int_equal(type, NC_STRING);
        OK(nc_get_var_string(ncid, v, got));
        for (int i = 0; i < 6; i++)
            assert_string_equal(got[i], words[i] != NULL ? words[i] : "");
        OK(nc_free_string(6, got));
    }
    OK(nc_close(ncid));
}

static void
read_file(const char *dir, const char *name, char *text, size_t size)
{
    size_t n;
    char  *data = scratch_read(scratch_path(dir, name), &n);

    assert_non_null(data);
    assert_true(n < size);
    memcpy(text, data, n + 1);
    free(data);
}

/* As zarr-python has it: dtype |O, the codec among the filters, a fill value that is plain text. */
TEST(documents_are_as_zarr_python_writes_them)
{
    const char *words[] = {"a", "bc"}, *fill = "none";
    char        text[2000];
    place       p;
    int         ncid, x, v;

    place_make(&p, false);
    OK(place_create(&p, "mode=zarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &x));
    v = def_strings(ncid, "v", 1, &x, (size_t[]){2}, codecs[0]);
    OK(nc_def_var_fill(ncid, v, 0, &fill));
    OK(nc_put_vara_string(ncid, v, (size_t[]){0}, (size_t[]){2}, words));
    OK(nc_close(ncid));
    read_file(p.path, "v/.zarray", text, sizeof text);
    assert_non_null(strstr(text, "\"dtype\": \"|O\""));
    assert_non_null(strstr(text, "\"filters\": [{\"id\": \"vlen-utf8\"}]"));
    assert_non_null(strstr(text, "\"compressor\": null"));
    assert_non_null(strstr(text, "\"fill_value\": \"none\""));
    assert_false(exists(p.path, "v/1"));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    check_one(ncid, 0, 1, "bc");
    check_one(ncid, 0, 3, "none");
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- changed in part ------------------------------------------------------------------------------------ */

enum { ROWS = 7, COLS = 5 };

typedef struct shadow {
    int v[ROWS][COLS]; /* the word's number; -1: none yet */
} shadow;

static const char *const vocabulary[] = {"", "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"};

static unsigned
draw(unsigned *seed)
{
    return (*seed = *seed * 1103515245u + 12345u) >> 16;
}

static void
put_box(int ncid, int v, shadow *s, unsigned *seed)
{
    size_t      start[2] = {draw(seed) % ROWS, draw(seed) % COLS};
    size_t      count[2] = {1 + draw(seed) % (ROWS - start[0]), 1 + draw(seed) % (COLS - start[1])};
    const char *words[ROWS * COLS];
    size_t      n = 0;

    for (size_t i = 0; i < count[0]; i++)
        for (size_t k = 0; k < count[1]; k++) {
            unsigned w = draw(seed) % 9;

            s->v[start[0] + i][start[1] + k] = (int)w;
            words[n++] = vocabulary[w];
        }
    OK(nc_put_vara_string(ncid, v, start, count, words));
}

static void
check_all(int ncid, int v, const shadow *s)
{
    char *got[ROWS * COLS];

    OK(nc_get_var_string(ncid, v, got));
    for (int i = 0; i < ROWS * COLS; i++) {
        int w = s->v[i / COLS][i % COLS];

        assert_string_equal(got[i], w < 0 ? "" : vocabulary[w]);
    }
    OK(nc_free_string(ROWS * COLS, got));
}

static void
in_part(place *p, const char *codec, const char *mode)
{
    unsigned seed = 42;
    shadow   s;
    int      ncid, dims[2], v;

    memset(&s, 0xff, sizeof s);
    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", ROWS, &dims[0]));
    OK(nc_def_dim(ncid, "x", COLS, &dims[1]));
    v = def_strings(ncid, "v", 2, dims, (size_t[]){3, 2}, codec);
    OK(nc_def_var_deflate(ncid, v, 0, 1, 1));
    for (int round = 0; round < 60; round++) {
        put_box(ncid, v, &s, &seed);
        if (round % 3 == 0)
            check_all(ncid, v, &s);
        if (round % 7 == 0) {
            OK(nc_close(ncid));
            OK(place_open(p, NULL, NC_WRITE, &ncid));
        }
    }
    check_all(ncid, v, &s);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(changed_in_part)
{
    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        in_part(p, codecs[i], "mode=zarr");
        in_part(p, codecs[i], NULL);
    }
}

/* Values that are no strings keep what they are when their neighbours change. */
TEST(values_stay)
{
    static const char array[] = "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [4], \"dtype\": \"|O\", "
                                "\"compressor\": null, \"filters\": [{\"id\": \"json2\"}], \"order\": \"C\", "
                                "\"fill_value\": null}";
    const char       *word = "new";
    char              text[200], cmd[700];
    place             p;
    int               ncid;

    place_make(&p, false);
    snprintf(cmd, sizeof cmd, "mkdir -p '%s/v'", p.path);
    assert_int_equal(system(cmd), 0);
    write_file(p.path, ".zgroup", "{\"zarr_format\": 2}");
    write_file(p.path, "v/.zarray", array);
    write_file(p.path, "v/0", "[17, {\"a\": [null]}, null, \"x\", \"|O\", [4]]");
    OK(place_open(&p, NULL, NC_WRITE, &ncid));
    check_one(ncid, 0, 0, "17");
    check_one(ncid, 0, 1, "{\"a\": [null]}");
    check_one(ncid, 0, 2, ""); /* a null */
    OK(nc_put_var1_string(ncid, 0, (size_t[]){3}, &word));
    OK(nc_close(ncid));
    read_file(p.path, "v/0", text, sizeof text);
    assert_string_equal(text, "[17,{\"a\": [null]},null,\"new\",\"|O\",[4]]");
    place_drop(&p);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Far more text than the cache has room for: what goes is stored, and comes back. */
TEST_IN_EACH_PLACE(small_cache)
{
    enum { N = 64, LEN = 5000 };
    char *word = malloc(LEN + 1), *got;
    int   ncid, x, v;

    assert_non_null(word);
    memset(word, 'x', LEN);
    word[LEN] = '\0';
    OK(place_create(p, "mode=zarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", N, &x));
    v = def_strings(ncid, "v", 1, &x, (size_t[]){4}, codecs[0]);
    OK(nc_set_var_chunk_cache(ncid, v, 20000, 10, 0.5f));
    for (size_t i = 0; i < N; i++) {
        word[0] = (char)('A' + i % 26);
        OK(nc_put_var1_string(ncid, v, &i, (const char **)&word));
    }
    for (size_t i = 0; i < N; i++) {
        OK(nc_get_var1_string(ncid, v, &i, &got));
        assert_int_equal(strlen(got), LEN);
        assert_int_equal(got[0], 'A' + i % 26);
        OK(nc_free_string(1, &got));
    }
    OK(nc_close(ncid));
    free(word);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

enum { THREADS = 4, EACH = 12, ROUNDS = 150 };

typedef struct worker {
    pthread_t thread;
    int       ncid, v, number;
} worker;

/* Its own elements in chunks that all have elements in, and everybody's are looked at: a word is whole or not there. */
static void *
work(void *arg)
{
    worker  *w = arg;
    unsigned seed = (unsigned)w->number + 1;
    char     last[EACH][32] = {""}, *got = NULL;

    for (int round = 0; round < ROUNDS; round++) {
        size_t      mine = draw(&seed) % EACH, at = mine * THREADS + (size_t)w->number;
        size_t      any = draw(&seed) % (EACH * THREADS);
        const char *s = last[mine];

        snprintf(last[mine], sizeof last[mine], "%d:%0*d", w->number, 1 + (int)(draw(&seed) % 20), round);
        OK(nc_put_var1_string(w->ncid, w->v, &at, &s));
        OK(nc_get_var1_string(w->ncid, w->v, &at, &got));
        assert_string_equal(got, s);
        OK(nc_free_string(1, &got));
        OK(nc_get_var1_string(w->ncid, w->v, &any, &got));
        if (got[0] != '\0')
            assert_int_equal(got[0], '0' + any % THREADS);
        OK(nc_free_string(1, &got));
    }
    return NULL;
}

TEST_IN_EACH_PLACE(threads_share_chunks_of_strings)
{
    worker w[THREADS];
    int    ncid, x, v;

    OK(place_create(p, "mode=zarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", EACH * THREADS, &x));
    v = def_strings(ncid, "v", 1, &x, (size_t[]){10}, codecs[0]);
    OK(nc_enddef(ncid));
    OK(nc_set_var_chunk_cache(ncid, v, 1000, 10, 0.5f));
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.ncid = ncid, .v = v, .number = i};
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
    OK(nc_close(ncid));
}

/* ---- definitions ---------------------------------------------------------------------------------------- */

TEST_IN_EACH_PLACE(object_codecs_fit_their_types)
{
    size_t n;
    char   text[300];
    int    ncid, x, v, i;

    OK(place_create(p, "mode=zarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &x));
    OK(nc_def_var(ncid, "i", NC_INT, 1, &x, &i));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, i, codecs[0]));
    v = def_strings(ncid, "v", 1, &x, (size_t[]){2}, codecs[0]);
    FAILS(NC_ENOFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"pickle\"}"));
    assert_non_null(strstr(nczarr_errmsg(), "pickle"));
    OK(nczarr_def_var_codec(ncid, v, codecs[3])); /* in place of the first */
    OK(nc_put_att_int(ncid, v, "_nczarr_maxstrlen", NC_INT, 1, &(int){3}));
    OK(nc_inq_var_filter_ids(ncid, v, &n, NULL));
    assert_int_equal(n, 0);
    OK(nc_inq_attlen(ncid, v, "_Codecs", &n));
    OK(nc_get_att_text(ncid, v, "_Codecs", text));
    text[n] = '\0';
    assert_string_equal(text, "[{\"id\": \"msgpack2\"}]");
    OK(nc_put_var1_string(ncid, v, (size_t[]){3}, &(const char *){"longer than three"}));
    check_one(ncid, v, 3, "longer than three");
    check_one(ncid, v, 0, "");
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(copies_keep_object_codecs)
{
    const char *word = "a text of any length";
    place       q;
    int         from, to, x, v;

    place_make(&q, true);
    OK(place_create(p, "mode=zarr", NC_CLOBBER, &from));
    OK(nc_def_dim(from, "x", 2, &x));
    v = def_strings(from, "v", 1, &x, (size_t[]){2}, codecs[0]);
    OK(nc_put_var1_string(from, v, (size_t[]){1}, &word));
    OK(place_create(&q, "mode=zarr", NC_CLOBBER, &to));
    OK(nc_def_dim(to, "x", 2, &x));
    OK(nc_put_att_int(to, NC_GLOBAL, "_nczarr_default_maxstrlen", NC_INT, 1, &(int){4}));
    OK(nc_copy_var(from, v, to));
    check_one(to, 0, 1, word);
    OK(nc_close(from));
    OK(nc_close(to));
    place_drop(&q);
}

/* ---- what others leave behind ---------------------------------------------------------------------------- */

typedef struct spoilt {
    const char *filters, *chunk;
    size_t      n;
    int         rc;
} spoilt;

static void
try_spoilt(const spoilt *s)
{
    nczarr_map *map;
    char        array[400], *got[3];
    int         ncid;

    snprintf(array, sizeof array,
             "{\"zarr_format\": 2, \"shape\": [3], \"chunks\": [3], \"dtype\": \"|O\", \"compressor\": null, "
             "\"filters\": %s, \"order\": \"C\", \"fill_value\": \"\"}",
             s->filters);
    OK(nczarr_map_memory(&map));
    OK(zmap_put(map, ".zgroup", "{\"zarr_format\": 2}", 18));
    OK(zmap_put(map, "v/.zarray", array, strlen(array)));
    OK(zmap_put(map, "v/0", s->chunk, s->n));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
    FAILS(s->rc, nc_get_var_string(ncid, 0, got));
    assert_non_null(strstr(nczarr_errmsg(), s->rc == NC_EFILTER ? "v/0" : s->rc == NC_ENOFILTER ? "pickle" : "v"));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}

TEST(spoilt_chunks)
{
    static const spoilt cases[] = {
        {"[{\"id\": \"vlen-utf8\"}]", "\3\0\0\0\1\0\0\0a\2\0\0\0b", 14, NC_EFILTER},
        {"[{\"id\": \"vlen-utf8\"}]", "\2\0\0\0\0\0\0\0\0\0\0\0", 12, NC_EFILTER},
        {"[{\"id\": \"vlen-utf8\"}]", "", 0, NC_EFILTER},
        {"[{\"id\": \"vlen-utf8\"}, {\"id\": \"zlib\"}]", "not zlib", 8, NC_EFILTER},
        {"[{\"id\": \"json2\"}]", "{}", 2, NC_EFILTER},
        {"[{\"id\": \"msgpack2\"}]", "\xc1", 1, NC_EFILTER},
        {"[{\"id\": \"pickle\"}]", "c", 1, NC_ENOFILTER},
        {"null", "abc", 3, NC_EBADTYPE},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        try_spoilt(&cases[i]);
}

/* ---- chunks of fill -------------------------------------------------------------------------------------- */

static void
write_fill(place *p, const char *mode)
{
    const char *empty[2] = {"", ""};
    int         ncid, x, v, s, data[2] = {NC_FILL_INT, NC_FILL_INT};

    OK(place_create(p, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 6, &x));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &x, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2}));
    s = def_strings(ncid, "s", 1, &x, (size_t[]){2}, codecs[0]);
    OK(nc_put_vara_int(ncid, v, (size_t[]){0}, (size_t[]){2}, data)); /* a whole chunk */
    OK(nc_put_vara_int(ncid, v, (size_t[]){2}, (size_t[]){1}, data)); /* a part of one */
    OK(nc_put_vara_string(ncid, s, (size_t[]){0}, (size_t[]){2}, empty));
    OK(nc_put_vara_string(ncid, s, (size_t[]){2}, (size_t[]){1}, empty));
    OK(nc_close(ncid));
}

TEST(empty_chunks)
{
    static const char *const chunks[] = {"v/0", "v/1", "s/0", "s/1"};
    place                    p;

    place_make(&p, false);
    for (int yes = 0; yes < 2; yes++) {
        write_fill(&p, yes != 0 ? "mode=zarr&write_empty_chunks=yes" : "mode=zarr");
        for (size_t i = 0; i < NCZ_LEN(chunks); i++) /* text has no fill value there */
            assert_int_equal(exists(p.path, chunks[i]), yes != 0 || chunks[i][0] == 's');
        assert_false(exists(p.path, "v/2")); /* nobody wrote it */
    }
    FAILS(NC_EINVAL, place_open(&p, "write_empty_chunks=perhaps", NC_NOWRITE, &(int){0}));
    place_drop(&p);
}

/* The default fill value of small and wide integers is a secret of ours: chunks that hold nothing else are stored, so
 * that others read them, and what nobody wrote still reads as it. Pure Zarr has no place for that: there they have no
 * fill value. */
TEST(small_types)
{
    static const char *const modes[] = {"mode=nczarr", "mode=zarr"};
    const short              fill[2] = {NC_FILL_SHORT, NC_FILL_SHORT}, one = 1;
    place                    p;

    place_make(&p, false);
    for (int pure = 0; pure < 2; pure++) {
        int   ncid, x, v, no_fill;
        short got[6], value;

        OK(place_create(&p, modes[pure], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 6, &x));
        OK(nc_def_var(ncid, "v", NC_SHORT, 1, &x, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2}));
        OK(nc_inq_var_fill(ncid, v, &no_fill, &value));
        assert_int_equal(no_fill, pure);
        OK(nc_put_vara_short(ncid, v, (size_t[]){0}, (size_t[]){2}, fill));
        OK(nc_put_vara_short(ncid, v, (size_t[]){2}, (size_t[]){1}, &one));
        OK(nc_close(ncid));
        assert_true(exists(p.path, "v/0"));
        assert_true(exists(p.path, "v/1"));
        assert_false(exists(p.path, "v/2"));
        OK(place_open(&p, "", NC_NOWRITE, &ncid));
        OK(nc_inq_var_fill(ncid, v, &no_fill, &value));
        assert_int_equal(no_fill, pure);
        if (!pure)
            assert_int_equal(value, NC_FILL_SHORT);
        OK(nc_get_var_short(ncid, v, got));
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(got[i], i < 2 ? NC_FILL_SHORT : i == 2 ? 1 : pure ? 0 : NC_FILL_SHORT);
        FAILS(NC_ENOTATT, nc_inq_att(ncid, v, "_FillValue", NULL, NULL));
        OK(nc_close(ncid));
        /* A fill value that was asked for is written, also the default. */
        OK(place_create(&p, modes[pure], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 6, &x));
        OK(nc_def_var(ncid, "v", NC_SHORT, 1, &x, &v));
        OK(nc_def_var_fill(ncid, v, NC_FILL, fill));
        OK(nc_put_var1_short(ncid, v, (size_t[]){0}, fill));
        OK(nc_close(ncid));
        OK(place_open(&p, "", NC_NOWRITE, &ncid));
        OK(nc_get_att_short(ncid, v, "_FillValue", &value));
        assert_int_equal(value, NC_FILL_SHORT);
        OK(nc_inq_var_fill(ncid, v, &no_fill, &value));
        assert_int_equal(no_fill, 0);
        OK(nc_close(ncid));
        assert_false(exists(p.path, "v/0"));
    }
    place_drop(&p);
}
