/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs of an application's own, and codecs by name, from definition to data after reopening. */
#include "api_test.h"
#include "nczarr_filter.h"

#include <pthread.h>

/* ---- the codec: every byte under a key, with a checking byte behind them ---- */

typedef struct xor_state {
    unsigned char key;
} xor_state;

typedef struct seen {
    nczarr_codec_array array; /* of the last encode() */
    int                open;  /* states */
    bool               gone;
} seen;

static int
xor_open(void *user, const char *json, const nczarr_codec_array *array, void **statep)
{
    seen      *u = user;
    long long  key = 0x5a;
    double     share = 0.5;
    char       mode[8] = "plain";
    xor_state *s;
    int        rc;

    (void)array;
    if ((rc = nczarr_codec_get_int(json, "key", &key)) != NC_NOERR ||
        (rc = nczarr_codec_get_double(json, "share", &share)) != NC_NOERR ||
        (rc = nczarr_codec_get_text(json, "mode", mode, sizeof mode)) != NC_NOERR)
        return rc;
    if (key < 0 || key > 255)
        return nczarr_codec_fail(NC_EINVAL, "key %lld is not a byte", key);
    if (share != 0.5 || strcmp(mode, "plain") != 0)
        return nczarr_codec_fail(NC_ENOFILTER, "mode %s with %g is not built", mode, share);
    if ((s = malloc(sizeof *s)) == NULL)
        return NC_ENOMEM;
    s->key = (unsigned char)key;
    *statep = s;
    u->open++;
    return NC_NOERR;
}

static void
xor_close(void *user, void *s)
{
    ((seen *)user)->open--;
    free(s);
}

static int
xor_from_words(void *user, size_t n, const unsigned *words, char *json, size_t cap)
{
    (void)user;
    if (n != 1)
        return nczarr_codec_fail(NC_EFILTER, "%zu words", n);
    snprintf(json, cap, "{\"key\": %u}", words[0]);
    return NC_NOERR;
}

static int
xor_to_words(void *user, const char *json, size_t *n, unsigned *words)
{
    long long key = 0x5a;
    int       rc = nczarr_codec_get_int(json, "key", &key);

    (void)user;
    words[0] = (unsigned)key;
    *n = 1;
    return rc;
}

static int
xor_bound(void *user, void *s, size_t n, size_t *most)
{
    (void)user, (void)s;
    *most = n + 1;
    return NC_NOERR;
}

static int
xor_encode(void *user, void *s, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;

    assert_true(cap > n);
    ((seen *)user)->array = *array;
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] ^ ((xor_state *)s)->key;
    to[n] = 0xc5;
    *used = n + 1;
    return NC_NOERR;
}

static int
xor_decode(void *user, void *s, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;

    (void)user, (void)array;
    if (n == 0 || n - 1 > cap || from[n - 1] != 0xc5)
        return nczarr_codec_fail(NC_EFILTER, "the checking byte is wrong");
    for (size_t i = 0; i + 1 < n; i++)
        to[i] = from[i] ^ ((xor_state *)s)->key;
    *used = n - 1;
    return NC_NOERR;
}

static void
xor_release(void *user)
{
    ((seen *)user)->gone = true;
}

#define XOR    "org.example.xor"
#define XOR_ID 33000

static void
xor_register(seen *u)
{
    nczarr_codec c = {
        .size = sizeof c,
        .id = XOR,
        .hdf5_id = XOR_ID,
        .flags = NCZARR_CODEC_FIXED,
        .user = u,
        .open = xor_open,
        .close = xor_close,
        .from_words = xor_from_words,
        .to_words = xor_to_words,
        .bound = xor_bound,
        .encode = xor_encode,
        .decode = xor_decode,
        .release = xor_release,
    };

    *u = (seen){.open = 0};
    OK(nczarr_filter_register(&c));
}

static void
xor_end(seen *u)
{
    OK(nczarr_filter_unregister(XOR));
    assert_int_equal(u->open, 0);
    assert_true(u->gone);
}

static void
codecs_are(int ncid, int v, const char *want)
{
    char   text[600] = "";
    size_t len;

    OK(nc_inq_attlen(ncid, v, "_Codecs", &len));
    assert_true(len < sizeof text);
    OK(nc_get_att_text(ncid, v, "_Codecs", text));
    assert_string_equal(text, want);
}

/* ---- from definition to data ---- */

static void
put_and_close(int ncid, int v, const int *in)
{
    OK(nc_put_var_int(ncid, v, in));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(a_registered_codec_carries_data)
{
    seen     u;
    int      in[100], out[100], ncid, dim, v, w;
    unsigned words[NCZARR_CODEC_WORDS];
    size_t   n;

    for (int i = 0; i < 100; i++)
        in[i] = i * 1000;
    FAILS(NC_ENOFILTER, nczarr_filter_avail(XOR));
    xor_register(&u);
    OK(nczarr_filter_avail(XOR));
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_inq_filter_avail(ncid, XOR_ID));
    OK(nc_def_dim(ncid, "x", 100, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &w));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &(size_t){30}));
    FAILS(NC_EFILTER, nc_def_var_filter(ncid, v, XOR_ID, 2, words));
    FAILS(NC_EINVAL, nc_def_var_filter(ncid, v, XOR_ID, 1, &(unsigned){256}));
    assert_non_null(strstr(nczarr_errmsg(), "codec 'org.example.xor': key 256 is not a byte"));
    OK(nc_def_var_filter(ncid, v, XOR_ID, 1, &(unsigned){17}));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 2)); /* goes last, shuffle too: there was no deflate yet */
    codecs_are(ncid, v,
               "[{\"id\": \"org.example.xor\", \"key\": 17},{\"id\": \"shuffle\", \"elementsize\": 4},"
               "{\"id\": \"zlib\", \"level\": 2}]");
    OK(nc_inq_var_filter_ids(ncid, v, &n, words));
    assert_true(n == 3 && words[0] == XOR_ID);
    OK(nc_inq_var_filter_info(ncid, v, XOR_ID, &n, words));
    assert_true(n == 1 && words[0] == 17);
    OK(nczarr_def_var_codec(ncid, w, "{\"id\": \"" XOR "\", \"key\": \"200\", \"mode\": \"plain\"}"));
    OK(nc_put_var_int(ncid, w, in));
    OK(nc_sync(ncid));
    assert_int_equal(u.array.size, sizeof u.array);
    put_and_close(ncid, v, in);
    assert_int_equal(u.open, 0);

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &v));   /* only now are the variables looked at */
    OK(nczarr_filter_unregister(XOR)); /* what is open goes on with it */
    FAILS(NC_ENOFILTER, nczarr_filter_avail(XOR));
    FAILS(NC_ENOFILTER, nc_inq_filter_avail(ncid, XOR_ID));
    assert_false(u.gone);
    OK(nc_get_var_int(ncid, v, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_get_var_int(ncid, w, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_inq_var_filter_info(ncid, w, XOR_ID, &n, words));
    assert_true(n == 1 && words[0] == 200);
    codecs_are(ncid, w, "[{\"id\": \"org.example.xor\", \"key\": \"200\", \"mode\": \"plain\"}]");
    OK(nc_close(ncid));
    assert_true(u.gone);
    assert_int_equal(u.open, 0);

    /* Without it all but the data are there, also when they are written again. */
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    FAILS(NC_ENOFILTER, nc_get_var_int(ncid, w, out));
    assert_non_null(strstr(nczarr_errmsg(), "codec 'org.example.xor' is neither built in nor registered"));
    OK(nc_put_att_text(ncid, w, "note", 2, "hi"));
    OK(nc_close(ncid));
    xor_register(&u);
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_get_var_int(ncid, w, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_close(ncid));
    xor_end(&u);
}

TEST_IN_EACH_PLACE(array_is_told)
{
    short in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    seen  u;
    int   ncid, dim, v;

    xor_register(&u);
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 8, &dim));
    OK(nc_def_var(ncid, "v", NC_SHORT, 1, &dim, &v));
    OK(nc_def_var_endian(ncid, v, NC_ENDIAN_BIG));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\"}"));
    OK(nc_put_var_short(ncid, v, in));
    OK(nc_sync(ncid));
    assert_true(u.array.chunk_bytes == 16 && u.array.element_size == 2);
    assert_true(u.array.type == NC_SHORT && u.array.endian == NC_ENDIAN_BIG);
    OK(nc_def_var(ncid, "behind", NC_SHORT, 1, &dim, &v));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"crc32\"}"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\"}"));
    OK(nc_put_var_short(ncid, v, in));
    OK(nc_close(ncid));
    assert_true(u.array.chunk_bytes == 16 && u.array.element_size == 1);
    assert_true(u.array.type == NC_NAT && u.array.endian == NC_ENDIAN_NATIVE);
    xor_end(&u);
}

/* ---- built-in codecs by name ---- */

TEST_IN_EACH_PLACE(by_name)
{
    static const char *const bad[][2] = {
        {"{\"id\": \"pcodec\"}", "neither built in nor registered"},
        {"{\"id\": \"zlib\", \"level\": 77}", "level"},
        {"{\"id\": \"zlib\"} x", "not one JSON object"},
        {"[]", "not one JSON object"},
        {"{", "the configuration"},
        {"{\"level\": 1}", "\"id\""},
    };
    static const int want[] = {NC_ENOFILTER, NC_EFILTER, NC_EFILTER, NC_EFILTER, NC_EFILTER, NC_EFILTER};
    int              in[100], out[100], ncid, dim, v, scalar;
    size_t           n;

    for (int i = 0; i < 100; i++)
        in[i] = i * i;
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 100, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var(ncid, "scalar", NC_INT, 0, NULL, &scalar));
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        FAILS(want[i], nczarr_def_var_codec(ncid, v, bad[i][0]));
        assert_non_null(strstr(nczarr_errmsg(), bad[i][1]));
    }
    FAILS(NC_EINVAL, nczarr_def_var_codec(ncid, v, NULL));
    FAILS(NC_EINVAL, nczarr_def_var_codec(ncid, scalar, "{\"id\": \"zlib\"}"));
    OK(nc_inq_var_filter_ids(ncid, v, &n, NULL));
    assert_int_equal(n, 0);
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"gzip\", \"level\": 3}"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"delta\", \"dtype\": \"<i4\"}"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"crc32c\"}"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"gzip\", \"level\": 1}"));
    codecs_are(ncid, v,
               "[{\"id\": \"delta\", \"dtype\": \"<i4\", \"astype\": \"<i4\"},{\"id\": \"gzip\", \"level\": 1},"
               "{\"id\": \"crc32c\"}]");
    OK(nc_put_var_int(ncid, v, in));
    FAILS(NC_ELATEDEF, nczarr_def_var_codec(ncid, v, "{\"id\": \"zlib\"}"));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EPERM, nczarr_def_var_codec(ncid, v, "{\"id\": \"zlib\"}"));
    OK(nc_get_var_int(ncid, v, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_close(ncid));
}

/* A copy keeps the codecs that netCDF has no number for. */
TEST_IN_EACH_PLACE(a_copy_keeps_codecs_without_a_number)
{
    nczarr_map *other;
    int         in[100], out[100], ncid, to, dim, v;

    for (int i = 0; i < 100; i++)
        in[i] = 7 * i;
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 100, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"delta\", \"dtype\": \"<i4\"}"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"gzip\", \"level\": 3}"));
    OK(nc_put_var_int(ncid, v, in));
    OK(nczarr_map_memory(&other));
    OK(nczarr_create_map(other, NULL, NC_CLOBBER, &to));
    OK(nc_copy_var(ncid, v, to));
    OK(nc_close(ncid));
    OK(nc_inq_varid(to, "v", &v));
    codecs_are(to, v,
               "[{\"id\": \"delta\", \"dtype\": \"<i4\", \"astype\": \"<i4\"},{\"id\": \"gzip\", \"level\": 3}]");
    OK(nc_get_var_int(to, v, out));
    assert_memory_equal(in, out, sizeof in);
    OK(nc_close(to));
    OK(nczarr_map_close(other));
}

/* ---- what can go wrong ---- */

TEST(corrupt_chunks_are_errors_of_the_codec)
{
    place p;
    seen  u;
    char  path[400];
    FILE *f;
    int   out[10] = {0}, ncid, dim, v;

    place_make(&p, false);
    xor_register(&u);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 10, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\"}"));
    put_and_close(ncid, v, out);
    snprintf(path, sizeof path, "%s/v/0", p.path);
    assert_non_null(f = fopen(path, "ab"));
    assert_int_equal(fputc(0, f), 0);
    assert_int_equal(fclose(f), 0);
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EFILTER, nc_get_var_int(ncid, v, out));
    assert_non_null(strstr(nczarr_errmsg(), "v/0"));
    assert_non_null(strstr(nczarr_errmsg(), "codec 'org.example.xor': the checking byte is wrong"));
    OK(nc_close(ncid));
    xor_end(&u);
    place_drop(&p);
}

/* A configuration that the codec does not take: the variable is there, its data are not. */
TEST(an_unsupported_configuration_costs_the_data_alone)
{
    seen u;
    int  ncid, dim, v;

    xor_register(&u);
    OK(nc_create("unused", NC_DISKLESS, &ncid));
    OK(nc_def_dim(ncid, "x", 10, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\", \"key\": 1.5}"));
    assert_non_null(strstr(nczarr_errmsg(), "\"key\" is not an integer"));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\", \"share\": \"a\"}"));
    assert_non_null(strstr(nczarr_errmsg(), "\"share\" is not a number"));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\", \"mode\": 1}"));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\", \"mode\": \"far too long\"}"));
    assert_non_null(strstr(nczarr_errmsg(), "\"mode\" has 12 bytes, 7 are taken"));
    FAILS(NC_ENOFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\", \"mode\": \"other\"}"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\", \"mode\": null, \"share\": 0.5}"));
    OK(nc_abort(ncid));
    xor_end(&u);
}

TEST(bad_registrations_are_refused)
{
    nczarr_codec c = {.size = sizeof c, .id = "blosc", .encode = xor_encode, .decode = xor_decode};
    int          ncid;

    FAILS(NC_EINVAL, nczarr_filter_register(NULL));
    if (nczarr_filter_avail("blosc") == NC_NOERR)
        FAILS(NC_ENAMEINUSE, nczarr_filter_register(&c));
    c.id = XOR;
    c.decode = NULL;
    FAILS(NC_EINVAL, nczarr_filter_register(&c));
    FAILS(NC_ENOFILTER, nczarr_filter_unregister("zlib"));
    FAILS(NC_EINVAL, nczarr_filter_unregister(NULL));
    FAILS(NC_ENOFILTER, nczarr_filter_avail(NULL));
    OK(nczarr_filter_avail("zlib"));
    OK(nc_create("unused", NC_DISKLESS, &ncid));
    FAILS(NC_ENOFILTER, nc_inq_filter_avail(ncid, 0));
    OK(nc_abort(ncid));
}

TEST(plugin_path)
{
    NCPluginList list = {7, NULL};
    size_t       n = 7;

    OK(nc_plugin_path_ndirs(&n));
    assert_int_equal(n, 0);
    OK(nc_plugin_path_get(&list));
    assert_int_equal(list.ndirs, 0);
    OK(nc_plugin_path_set(&list));
    FAILS(NC_EINVAL, nc_plugin_path_get(NULL));
    FAILS(NC_EINVAL, nc_plugin_path_set(NULL));
}

/* ---- threads ---- */

enum { READERS = 4, NVALUES = 4000 };

typedef struct reader {
    int ncid, v, bad;
} reader;

static void *
reads(void *arg)
{
    reader *r = arg;
    int     out[NVALUES];

    for (int i = 0; i < 20; i++) {
        r->bad += nc_get_var_int(r->ncid, r->v, out) != NC_NOERR;
        for (int j = 0; j < NVALUES; j++)
            r->bad += out[j] != j;
    }
    return NULL;
}

TEST_IN_EACH_PLACE(threads_use_a_registered_codec)
{
    reader    r[READERS];
    pthread_t thread[READERS];
    int       in[NVALUES], ncid, dim, v;
    seen      u;

    for (int i = 0; i < NVALUES; i++)
        in[i] = i;
    xor_register(&u);
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", NVALUES, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, &(size_t){100}));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"" XOR "\"}"));
    put_and_close(ncid, v, in);
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (int i = 0; i < READERS; i++) {
        r[i] = (reader){.ncid = ncid, .v = v};
        assert_int_equal(pthread_create(&thread[i], NULL, reads, &r[i]), 0);
    }
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(r[i].bad, 0);
    }
    OK(nc_close(ncid));
    xor_end(&u);
}

/* netCDF-C of those releases cannot open a dataset that has strings of any length, so none is made for it. */
TEST_IN_EACH_PLACE(old_dialects)
{
    int ncid, dim, v;

    OK(place_create(p, "compat=4.9.2", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &v));
    FAILS(NC_EBADTYPE, nczarr_def_var_codec(ncid, v, "{\"id\": \"vlen-utf8\"}"));
    FAILS(NC_EBADTYPE, nczarr_def_var_codecs(ncid, v, "[{\"id\": \"json2\"}, {\"id\": \"zlib\", \"level\": 1}]"));
    OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"zlib\", \"level\": 1}"));
    OK(nc_put_var_string(ncid, v, (const char *[]){"a", "b"}));
    OK(nc_close(ncid));
}

static void
expect_codecs(int ncid, int v, int zarr_format, const char *text)
{
    size_t len = 0;
    char   own[1000];

    OK(nczarr_inq_var_codecs(ncid, v, zarr_format, &len, own));
    assert_string_equal(own, text);
    assert_int_equal(len, strlen(text));
}

/* A list in Zarr v3's spelling sets the order of elements, their byte order and the chain, whatever the dataset. */
TEST_IN_EACH_PLACE(spelled_as_v3)
{
    static const char v3[] = "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1,0]}},"
                             "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}},"
                             "{\"name\": \"gzip\", \"configuration\": {\"level\": 5}}]";
    static const int  data[6] = {1, 2, 3, 4, 5, 6};
    int               ncid, dims[2], v, w, got[6];
    char              text[500];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", 2, &dims[0]));
    OK(nc_def_dim(ncid, "x", 3, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    expect_codecs(ncid, v, 2, "[]");
    expect_codecs(ncid, v, 3, "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]");
    OK(nczarr_def_var_codecs(ncid, v, v3));
    expect_codecs(ncid, v, 3, v3);
    expect_codecs(ncid, v, 2, "[{\"id\": \"gzip\", \"level\": 5}]");
    FAILS(NC_EINVAL, nczarr_inq_var_codecs(ncid, v, 4, NULL, NULL));
    OK(nczarr_inq_var_encoding(ncid, v, NULL, text));
    assert_non_null(strstr(text, "\"dtype\": \">i4\", \"order\": \"F\""));
    OK(nczarr_def_var_codecs(ncid, v, "[{\"name\": \"gzip\", \"configuration\": {\"level\": 5}}]"));
    expect_codecs(ncid, v, 3, v3); /* the order and the byte order stay */
    FAILS(NC_EFILTER,
          nczarr_def_var_codecs(ncid, v,
                                "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1,1],"
                                "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}]}}]"));
    OK(nc_def_dim(ncid, "z", 1, &w));
    OK(nc_def_var(ncid, "w", NC_INT, 3, (int[]){w, dims[0], dims[1]}, &w));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, w,
                                            "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1,0,2]}},"
                                            "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]"));
    OK(nczarr_def_var_codecs(ncid, v, v3));
    OK(nc_put_var_int(ncid, v, data));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    expect_codecs(ncid, v, 3, v3);
    OK(nc_get_var_int(ncid, v, got));
    assert_memory_equal(got, data, sizeof data);
    OK(nc_close(ncid));
}
