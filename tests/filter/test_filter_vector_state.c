/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nothing that runs over a chunk's bytes leaves the upper halves of the vector registers in use: each built-in codec
 * in many configurations, an application's codec that does, and the kernels of this module and of those below it. On
 * the caller's thread and on another one.
 */
#include "filter_testing.h"

#include <pthread.h>
#include <stdio.h>

#include "contract/cpu_state.h"
#include "codecs/codec_int.h"
#include "codecs/kernel_int.h"
#include "grid/grid_int.h"

enum { LONGEST = 1 << 18, NAME = 256 };

/* The first step that left the registers in use. Found on any thread, told on the main one. */
typedef struct report {
    char   culprit[NAME];
    size_t nchecked;
} report;

static void
look(report *r, const char *what, const char *how, size_t n)
{
    if (cpu_state_upper() != 0 && r->culprit[0] == '\0')
        snprintf(r->culprit, sizeof r->culprit, "%s %s of %zu bytes", what, how, n);
    cpu_state_clean();
    r->nchecked++;
}

/* ---- codecs ---- */

/* `%d` takes all numbers from `from` to `to`. */
typedef struct subject {
    const char *json;
    int         from, to;
} subject;

#define BLOSC(cname, clevel)                                                                                         \
    {                                                                                                                \
        "{\"id\": \"blosc\", \"cname\": \"" cname "\", \"clevel\": " #clevel ", \"shuffle\": %d}", 0, 2              \
    }

static const subject subjects[] = {
    {"{\"id\": \"zlib\", \"level\": %d}", 0, 9},
    {"{\"id\": \"gzip\", \"level\": %d}", 0, 9},
    {"{\"id\": \"zstd\", \"level\": %d}", -3, 12},
    {"{\"id\": \"zstd\", \"level\": 1, \"checksum\": true}", 0, 0},
    {"{\"id\": \"bz2\", \"level\": %d}", 1, 2},
    {"{\"id\": \"lz4\", \"acceleration\": %d}", 1, 2},
    {"{\"id\": \"lzma\", \"format\": 1, \"preset\": %d}", 0, 2},
    {"{\"id\": \"szip\", \"mask\": 32, \"pixels-per-block\": 16}", 0, 0},
    {"{\"id\": \"zfpy\", \"tolerance\": -%d}", 1, 1},
    {"{\"id\": \"zfpy\", \"mode\": 2, \"rate\": %d}", 8, 9},
    {"{\"id\": \"szip\", \"mask\": 4, \"pixels-per-block\": 16}", 0, 0},
    BLOSC("blosclz", 5),
    BLOSC("lz4", 1),
    BLOSC("lz4", 5),
    BLOSC("lz4hc", 5),
    BLOSC("zlib", 1),
    BLOSC("zlib", 5),
    BLOSC("zstd", 1),
    BLOSC("zstd", 5),
    {"{\"id\": \"shuffle\", \"elementsize\": %d}", 2, 16},
    {"{\"id\": \"fletcher32\"}", 0, 0},
    {"{\"id\": \"crc32\"}", 0, 0},
    {"{\"id\": \"crc32c\"}", 0, 0},
    {"{\"id\": \"adler32\"}", 0, 0},
    {"{\"id\": \"jenkins_lookup3\"}", 0, 0},
    {"{\"id\": \"base64\"}", 0, 0},
    {"{\"id\": \"packbits\"}", 0, 0},
    {"{\"id\": \"bitround\", \"keepbits\": 5}", 0, 0},
    {"{\"id\": \"delta\", \"dtype\": \"<i%d\"}", 1, 2},
    {"{\"id\": \"delta\", \"dtype\": \"<u4\", \"astype\": \"<i8\"}", 0, 0},
    {"{\"id\": \"fixedscaleoffset\", \"scale\": 4, \"offset\": 7, \"dtype\": \"<f4\", \"astype\": \"<i4\"}", 0, 0},
    {"{\"id\": \"quantize\", \"digits\": 2, \"dtype\": \"<f4\"}", 0, 0},
    {"{\"id\": \"astype\", \"encode_dtype\": \"<f8\", \"decode_dtype\": \"<f4\"}", 0, 0},
};

static const char *const object_subjects[] = {
    "{\"id\": \"vlen-utf8\"}",
    "{\"id\": \"vlen-bytes\"}",
    "{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}",
    "{\"id\": \"json2\"}",
    "{\"id\": \"msgpack2\"}",
    "{\"id\": \"categorize\", \"dtype\": \"|O\", \"labels\": [\"[1,2]\", \"b\"]}",
};

static const size_t sizes[] = {64, 1000, 4096, 65536, LONGEST};

/* NULL: this build lacks the codec. */
static ncz_chain *
chain_of(const char *json, const ncz_array_type *env)
{
    ncz_json  *doc = NULL;
    ncz_chain *c = NULL;
    int        rc = ncz_codec_parse(json, strlen(json), &doc);

    if (rc == NC_NOERR)
        rc = ncz_chain_with_json(NULL, doc, env, &c);
    ncz_json_free(doc);
    return rc == NC_NOERR && ncz_chain_usable(c) == NC_NOERR ? c : NULL;
}

/* Noise of few values, so that something is there to compress. */
static void
fill(unsigned char *data, size_t n)
{
    uint32_t state = 2463534242u;

    for (size_t i = 0; i < n; i++)
        data[i] = (unsigned char)(i % 4 == 3 ? 0x40 : noise(&state) % 17);
}

/* False: the codec is not there, or refuses to encode or decode. */
static bool
round_trip(report *r, const char *json, size_t n, const unsigned char *data, unsigned char *back)
{
    uint64_t       shape = n / 4;
    ncz_array_type env = env_of(NCZ_KIND_FLOAT, 4, n);
    ncz_chain     *c;
    ncz_buf        object = NCZ_BUF_INIT;
    ncz_byte_range part = {n / 3, n / 2};
    bool           ok = false;

    env.rank = 1;
    env.shape = &shape;
    c = chain_of(json, &env);
    if (c == NULL)
        return false;
    cpu_state_clean();
    ok = ncz_chain_encode(c, NULL, data, n, &object) == NC_NOERR;
    look(r, json, "encoding", n);
    ok = ok && ncz_chain_decode(c, NULL, object.data, object.len, back, n, false) == NC_NOERR;
    look(r, json, "decoding", n);
    ok = ok && ncz_chain_decode_part(c, NULL, object.data, object.len, back, n, false, &part) == NC_NOERR;
    look(r, json, "decoding a part", n);
    if (ok && object.len > 8) { /* what ends in a failure, too */
        (void)ncz_chain_decode(c, NULL, object.data, object.len / 2, back, n, false);
        look(r, json, "decoding half", n);
    }
    ncz_buf_clear(&object);
    ncz_chain_unref(c);
    return ok;
}

static void
text_trip(report *r, const char *json)
{
    static const char *const words[] = {"[1,2]", "b"};

    enum { NTEXTS = 2000 };
    ncz_array_type env = env_of(NCZ_KIND_OBJECT, NCZ_OBJECT_SIZE, NTEXTS * NCZ_OBJECT_SIZE);
    ncz_chain     *c = chain_of(json, &env);
    ncz_buf        in = NCZ_BUF_INIT, object = NCZ_BUF_INIT, out = NCZ_BUF_INIT;

    if (c == NULL || ncz_vlen_begin(&in, NTEXTS) != NC_NOERR)
        goto done;
    for (size_t i = 0; i < NTEXTS; i++)
        (void)ncz_vlen_set(&in, i, (ncz_vlen_item){words[i % 2], strlen(words[i % 2]), NCZ_VLEN_STRING});
    cpu_state_clean();
    (void)ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object);
    look(r, json, "encoding texts", object.len);
    (void)ncz_chain_decode_vlen(c, NULL, object.data, object.len, NTEXTS, LONGEST, &out);
    look(r, json, "decoding texts", object.len);
done:
    ncz_buf_clear(&in);
    ncz_buf_clear(&object);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

static void
run_codecs(report *r)
{
    unsigned char *data = malloc(LONGEST), *back = malloc(LONGEST);

    fill(data, LONGEST);
    for (size_t i = 0; i < NCZ_LEN(subjects); i++)
        for (int v = subjects[i].from; v <= subjects[i].to; v++) {
            char json[NAME];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(json, sizeof json, subjects[i].json, v);
#pragma GCC diagnostic pop
            for (size_t k = 0; k < NCZ_LEN(sizes); k++)
                (void)round_trip(r, json, sizes[k], data, back);
        }
    for (size_t i = 0; i < NCZ_LEN(object_subjects); i++)
        text_trip(r, object_subjects[i]);
    free(data);
    free(back);
}

/* ---- kernels ---- */

static const nc_type numeric[] = {NC_BYTE, NC_UBYTE, NC_SHORT,  NC_USHORT, NC_INT,
                                  NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT,  NC_DOUBLE};

static void
run_filter_kernels(report *r, const unsigned char *in, unsigned char *out)
{
    for (size_t size = 1; size <= 16; size++) {
        size_t               count = (LONGEST / 16) & ~(size_t)7;
        const unsigned char *planes[16];

        for (size_t k = 0; k < size; k++)
            planes[k] = in + k * count;
        ncz_codec_spread(in, count, size, out);
        look(r, "kernel", "spread", count * size);
        ncz_codec_gather(in, count, size, out);
        look(r, "kernel", "gather", count * size);
        if (ncz_codec_gathers_apart(size))
            ncz_codec_gather_apart(planes, count, size, out);
        look(r, "kernel", "gather_apart", count * size);
        ncz_codec_gather_bits(in, count, size, out);
        look(r, "kernel", "gather_bits", count * size);
    }
    for (size_t n = 1; n < LONGEST; n = n * 3 + 1) {
        (void)ncz_codec_sum_fletcher32(in, n);
        look(r, "kernel", "fletcher32", n);
        (void)ncz_codec_sum_lookup3(in, n, 0);
        look(r, "kernel", "lookup3", n);
        (void)ncz_crc32c(in, n);
        look(r, "kernel", "crc32c", n);
        (void)ncz_hash(in, n);
        look(r, "kernel", "hash", n);
        (void)ncz_utf8_valid((const char *)in, n);
        look(r, "kernel", "utf8", n);
    }
    ncz_base64_put(in, LONGEST / 2, (char *)out);
    look(r, "kernel", "base64", LONGEST / 2);
}

static void
run_grid_kernels(report *r, const unsigned char *in, unsigned char *out)
{
    size_t count = LONGEST / 16;

    for (size_t i = 0; i < NCZ_LEN(numeric); i++)
        for (size_t k = 0; k < NCZ_LEN(numeric); k++) {
            ncz_conv_fn conv = ncz_grid_conv(ncz_type_of(numeric[i]), ncz_type_of(numeric[k]));

            if (conv != NULL)
                (void)conv(in, out, count);
            look(r, "kernel", "conversion", (i << 8) | k);
        }
    ncz_grid_half_out(in, out, count);
    look(r, "kernel", "half_out", count);
    (void)ncz_grid_half_in(in, out, count);
    look(r, "kernel", "half_in", count);
    for (size_t size = 1; size <= 8; size *= 2)
        for (ptrdiff_t step = 1; step <= 2; step++) {
            ptrdiff_t nbytes = step * (ptrdiff_t)size;

            for (int swap = 0; swap <= 1; swap++) {
                ncz_grid_copy((const char *)in, nbytes, (char *)out, (ptrdiff_t)size, count / 2, size, swap != 0);
                look(r, "kernel", "copy", size);
            }
            (void)ncz_all_fill(in, count, in, size);
            look(r, "kernel", "all_fill", size);
            ncz_fill_elems(out, count, in, size);
            look(r, "kernel", "fill_elems", size);
        }
    for (size_t n = NCZ_GRID_STREAM_LEAST; n < 1000; n += 13) {
        ncz_runs runs = {
            .src = (const char *)in, .dst = (char *)out + n % 64, .src_row = 1000, .dst_row = 1064, .rows = 4};

        ncz_grid_stream(&runs, n);
        ncz_grid_stream_end();
        look(r, "kernel", "stream", n);
    }
}

static void
run_kernels(report *r)
{
    unsigned char *in = malloc(LONGEST), *out = malloc(2 * (size_t)LONGEST);

    fill(in, LONGEST);
    cpu_state_clean();
    run_filter_kernels(r, in, out);
    run_grid_kernels(r, in, out);
    free(in);
    free(out);
}

/* ---- the tests ---- */

static void *
run_all(void *arg)
{
    run_codecs(arg);
    run_kernels(arg);
    return NULL;
}

TEST(the_callers_vector_state_stays_clean)
{
    report r = {.nchecked = 0};

    CPU_STATE_NEEDED();
    run_all(&r);
    assert_string_equal(r.culprit, "");
    assert_true(r.nchecked > 1000);
}

TEST(another_threads_vector_state_stays_clean)
{
    report    r = {.nchecked = 0};
    pthread_t thread;

    CPU_STATE_NEEDED();
    assert_int_equal(pthread_create(&thread, NULL, run_all, &r), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(r.culprit, "");
    assert_true(r.nchecked > 1000);
}

/* Every codec that this build has is among the subjects, and does what it is asked for. */
TEST(every_built_in_codec_is_a_subject)
{
    unsigned char *data = malloc(LONGEST), *back = malloc(LONGEST);

    fill(data, LONGEST);
    for (size_t i = 0; ncz_codec_at(i) != NULL; i++) {
        const ncz_codec_ops *ops = ncz_codec_at(i);
        char                 id[64];
        bool                 found = ops->v3_only; /* no library in it */

        snprintf(id, sizeof id, "\"id\": \"%s\"", ops->id);
        for (size_t k = 0; k < NCZ_LEN(object_subjects); k++)
            found = found || strstr(object_subjects[k], id) != NULL;
        for (size_t k = 0; k < NCZ_LEN(subjects); k++) {
            char   json[NAME];
            report r = {.nchecked = 0};

            if (strstr(subjects[k].json, id) == NULL)
                continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(json, sizeof json, subjects[k].json, subjects[k].to);
#pragma GCC diagnostic pop
            if (!round_trip(&r, json, 4096, data, back))
                print_error("%s: %s\n", json, ncz_err_text());
            else
                found = true;
        }
        if (!found)
            fail_msg("codec '%s' is not checked", ops->id);
    }
    free(data);
    free(back);
}

static int
dirty_copy(void *user, void *own, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    (void)user, (void)own, (void)array;
    if (n > cap)
        return NC_EFILTER;
    memcpy(out, in, n);
    *used = n;
    cpu_state_dirty();
    return NC_NOERR;
}

/* Whatever its library, its version and its author: a codec that forgets to clean up does no harm. */
TEST(a_codec_that_forgets_does_no_harm)
{
    static const nczarr_codec codec = {
        .size = sizeof codec, .id = "test.forgetful", .encode = dirty_copy, .decode = dirty_copy};
    unsigned char data[256], back[256];
    report        r = {.nchecked = 0};

    CPU_STATE_NEEDED();
    fill(data, sizeof data);
    assert_int_equal(ncz_codec_register(&codec), NC_NOERR);
    assert_true(round_trip(&r, "{\"id\": \"test.forgetful\"}", sizeof data, data, back));
    assert_string_equal(r.culprit, "");
    assert_memory_equal(data, back, sizeof data);
    assert_int_equal(ncz_codec_unregister("test.forgetful"), NC_NOERR);
}
