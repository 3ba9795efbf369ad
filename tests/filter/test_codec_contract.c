/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every codec must do, whatever it is: give back what it was given; refuse what is cut or wanted in another
 * size, and what is extended where it cannot tell its own end; stay inside the memory it was handed. A new codec adds
 * a line to the table.
 */
#include "filter_testing.h"

typedef struct subject {
    const char *id, *json;
    unsigned    traits;
    size_t      item; /* bytes of the elements that it takes whole; 0: any bytes, or by its traits */
} subject;

enum {
    CHECKED = 1,  /* carries a checksum of its data */
    OPEN = 2,     /* takes no notice of some bytes behind its own */
    WHOLE = 4,    /* whole elements of the array only, and at least 8 of them */
    LOSSY = 8,    /* gives back something near; given that, it gives back just that */
    SHRINKS = 16, /* bound() may be less than what goes in */
    FLOATS = 32,  /* the array's elements are floats */
    ENDS = 64,    /* says where it ends: what stands behind it is not looked at */
};

#define BLOSC(clevel, blocksize, cname, shuffle)                                                                     \
    "{\"clevel\": " #clevel ", \"blocksize\": " #blocksize ", \"cname\": \"" cname "\", \"shuffle\": " #shuffle "}"

#define LZMA1 "{\"id\": 4611686018427387905, \"dict_size\": 4096, \"lc\": 1, \"lp\": 2, \"pb\": 0, \"mode\": 1}"

static const subject subjects[] = {
    {"zlib", "{\"level\": 0}", CHECKED | ENDS, 0},
    {"zlib", "{\"level\": 1}", CHECKED | ENDS, 0},
    {"zlib", "{\"level\": 9}", CHECKED | ENDS, 0},
    {"gzip", "{\"level\": 5}", CHECKED | ENDS, 0},
    {"shuffle", "{\"elementsize\": 0}", 0, 0},
    {"shuffle", "{\"elementsize\": 3}", 0, 0},
    {"fletcher32", "{}", CHECKED, 0},
    {"blosc", BLOSC(5, 0, "lz4", 1), ENDS, 0},
    {"blosc", BLOSC(1, 256, "blosclz", 2), ENDS, 0},
    {"blosc", BLOSC(9, 0, "lz4hc", 0), ENDS, 0},
    {"blosc", BLOSC(3, 1024, "zlib", -1), ENDS, 0},
    {"blosc", BLOSC(5, 0, "zstd", 1), ENDS, 0},
    {"blosc", BLOSC(0, 0, "lz4", 1), ENDS, 0},
    {"zstd", "{\"level\": 0}", ENDS, 0},
    {"zstd", "{\"level\": -5, \"checksum\": true}", CHECKED | ENDS, 0},
    {"bz2", "{\"level\": 1}", CHECKED | ENDS, 0},
    {"szip", "{\"mask\": 32, \"pixels-per-block\": 8}", OPEN | WHOLE, 0},
    {"szip", "{\"mask\": 4, \"pixels-per-block\": 2}", OPEN | WHOLE, 0},
    {"szip", "{\"mask\": 32, \"pixels-per-block\": 6}", OPEN | WHOLE, 0},
    {"lz4", "{\"acceleration\": 1}", 0, 0},
    {"lz4", "{\"acceleration\": 50}", 0, 0},
    {"lzma", "{\"format\": 1, \"preset\": 0}", CHECKED | OPEN, 0}, /* zeros behind it are xz's own padding */
    {"lzma", "{\"format\": 1, \"check\": 0, \"preset\": 1}", OPEN, 0},
    {"lzma", "{\"format\": 2, \"preset\": 0}", 0, 0},
    {"lzma", "{\"format\": 3, \"filters\": [{\"id\": 3, \"dist\": 4}, {\"id\": 33, \"preset\": 0}]}", 0, 0},
    {"lzma", "{\"format\": 3, \"filters\": [{\"id\": 4}, " LZMA1 "]}", 0, 0},
    {"crc32", "{}", CHECKED, 0},
    {"crc32", "{\"location\": \"end\"}", CHECKED, 0},
    {"crc32c", "{}", CHECKED, 0},
    {"crc32c", "{\"location\": \"start\"}", CHECKED, 0},
    {"adler32", "{}", CHECKED, 0},
    {"jenkins_lookup3", "{\"initval\": 77}", CHECKED, 0},
    {"base64", "{}", 0, 0},
    {"delta", "{\"dtype\": \"|u1\"}", 0, 1},
    {"delta", "{\"dtype\": \">i2\"}", 0, 2},
    {"delta", "{\"dtype\": \"<u4\", \"astype\": \"<i8\"}", 0, 4},
    {"delta", "{\"dtype\": \"<i4\", \"astype\": \"<i2\"}", LOSSY | SHRINKS, 4},
    {"delta", "{\"dtype\": \"<i8\"}", 0, 8},
    {"fixedscaleoffset", "{\"scale\": 4, \"offset\": 7, \"dtype\": \"<f8\", \"astype\": \"<i4\"}", LOSSY | SHRINKS,
     8},
    {"fixedscaleoffset", "{\"scale\": 0.5, \"offset\": 0, \"dtype\": \">f4\", \"astype\": \"<f8\"}", LOSSY, 4},
    {"quantize", "{\"digits\": 2, \"dtype\": \"<f8\", \"astype\": \"<f4\"}", LOSSY | SHRINKS, 8},
    {"quantize", "{\"digits\": 3, \"dtype\": \">f4\"}", LOSSY, 4},
    {"bitround", "{\"keepbits\": 5}", LOSSY | FLOATS, 0},
    {"packbits", "{}", LOSSY | SHRINKS, 0},
    {"bytes", "{\"endian\": \"little\"}", WHOLE, 0},
    {"bytes", "{\"endian\": \"big\"}", WHOLE, 0},
    {"astype", "{\"encode_dtype\": \"<i8\", \"decode_dtype\": \"|u1\"}", 0, 1},
    {"astype", "{\"encode_dtype\": \"<u2\", \"decode_dtype\": \">i4\"}", LOSSY | SHRINKS, 4},
    {"astype", "{\"encode_dtype\": \"<f8\", \"decode_dtype\": \"<f2\"}", LOSSY, 2},
    {"scale_offset", "{\"scale\": 2}", LOSSY | FLOATS, 0},
    {"scale_offset", "{\"offset\": 0, \"scale\": 1}", WHOLE, 0},
    {"cast_value", "{\"data_type\": \"int64\"}", WHOLE, 0},
    {"astype", "{\"encode_dtype\": \"|b1\", \"decode_dtype\": \"<i2\"}", LOSSY | SHRINKS, 2},
};

static const size_t type_sizes[] = {1, 2, 4, 8};

typedef enum pattern { RANDOM, CONSTANT, RAMP, NPATTERNS } pattern;

static void
fill(unsigned char *data, size_t n, pattern how)
{
    uint32_t state = 2463534242u;

    for (size_t i = 0; i < n; i++)
        data[i] = (unsigned char)(how == RANDOM ? noise(&state) : how == CONSTANT ? 0xA5 : i / 4);
}

static ncz_array_type
subject_env(const subject *s, size_t type, size_t n)
{
    return env_of((s->traits & FLOATS) != 0 ? NCZ_KIND_FLOAT : NCZ_KIND_INT, type, n);
}

/* False where this build lacks the codec, or the codec has nothing to do with such elements. */
static bool
subject_at(const subject *s, const ncz_array_type *env, const ncz_codec_ops **ops, const void **p)
{
    if ((*ops = codec_named(s->id)) == NULL || ((s->traits & FLOATS) != 0 && env->dtype.size == 1))
        return false;
    assert_int_equal(configure(*ops, s->json, env, p), NC_NOERR);
    return true;
}

static bool
takes(const subject *s, size_t n, size_t type)
{
    if (s->item != 0)
        return n % s->item == 0;
    if ((s->traits & FLOATS) != 0)
        return n % type == 0;
    return (s->traits & WHOLE) == 0 || (n % type == 0 && n / type >= 8);
}

/* Makes data that a lossy codec can give back: what it gave back once. */
static void
settle(const subject *s, const ncz_codec_ops *ops, const void *p, const ncz_array_type *env, unsigned char *data,
       size_t n)
{
    size_t         used;
    unsigned char *object;

    if ((s->traits & LOSSY) == 0)
        return;
    object = encoded(ops, p, env, data, n, &used);
    assert_int_equal(decode_to(ops, p, env, object, used, data, n), NC_NOERR);
    free(object);
}

static void
round_trip(const subject *s, size_t n, size_t type, pattern how)
{
    ncz_array_type       env = subject_env(s, type, n);
    unsigned char       *data = malloc(n + 1), *back = malloc(n + 1), *object;
    const ncz_codec_ops *ops;
    const void          *p;
    size_t               used, bound;

    assert_non_null(data);
    assert_non_null(back);
    fill(data, n, how);
    if (subject_at(s, &env, &ops, &p) && takes(s, n, type)) {
        settle(s, ops, p, &env, data, n);
        object = encoded(ops, p, &env, data, n, &used);
        assert_true(bound_of(ops, p, n, &bound));
        if (ops->fixed)
            assert_int_equal(used, bound);
        assert_int_equal(decode_to(ops, p, &env, object, used, back, n), NC_NOERR);
        assert_memory_equal(back, data, n);
        free(object);
    }
    free(data);
    free(back);
}

TEST(every_codec_round_trips)
{
    static const size_t sizes[] = {1,   2,   3,   7,   8,    15,   16,    17,    64,
                                   100, 127, 128, 129, 1000, 4096, 65536, 99999, 100000};

    for (size_t i = 0; i < NCZ_LEN(subjects); i++)
        for (size_t k = 0; k < NCZ_LEN(sizes); k++)
            for (size_t t = 0; t < NCZ_LEN(type_sizes); t++)
                for (pattern how = RANDOM; how < NPATTERNS; how++)
                    if (sizes[k] < 10000 || test_drawn_sanitized(i + k + t + how, 3))
                        round_trip(&subjects[i], sizes[k], type_sizes[t], how);
}

/* A small object of each subject, decoded as it is and as `spoil` would have it. */
typedef struct sample {
    const subject       *s;
    const ncz_codec_ops *ops;
    const void          *p;
    ncz_array_type       env;
    unsigned char       *object, data[256], back[256];
    size_t               used;
} sample;

static bool
sample_init(sample *x, const subject *s, size_t type, pattern how)
{
    x->s = s;
    x->env = subject_env(s, type, sizeof x->data);
    if (!subject_at(s, &x->env, &x->ops, &x->p))
        return false;
    fill(x->data, sizeof x->data, how);
    settle(s, x->ops, x->p, &x->env, x->data, sizeof x->data);
    x->object = encoded(x->ops, x->p, &x->env, x->data, sizeof x->data, &x->used);
    return true;
}

static int
sample_decode(sample *x, const unsigned char *object, size_t used, size_t n)
{
    return decode_to(x->ops, x->p, &x->env, object, used, x->back, n);
}

static void
each_sample(void (*check)(sample *))
{
    for (size_t i = 0; i < NCZ_LEN(subjects); i++)
        for (size_t t = 0; t < NCZ_LEN(type_sizes); t++)
            for (pattern how = RANDOM; how < NPATTERNS; how++) {
                sample x;

                if (!sample_init(&x, &subjects[i], type_sizes[t], how))
                    continue;
                check(&x);
                free(x.object);
            }
}

static void
cut(sample *x)
{
    for (size_t n = 0; n < x->used; n++) {
        int rc = sample_decode(x, x->object, n, sizeof x->data);

        if ((x->s->traits & OPEN) != 0 && rc == NC_NOERR) /* what was cut off was padding */
            assert_memory_equal(x->back, x->data, sizeof x->data);
        else
            assert_int_equal(rc, NC_EFILTER);
    }
}

TEST(cut_objects_are_refused)
{
    each_sample(cut);
}

static void
extend(sample *x)
{
    unsigned char *longer = malloc(x->used + 64);

    assert_non_null(longer);
    for (int byte = 0; byte < 256; byte += 85) {
        memcpy(longer, x->object, x->used);
        memset(longer + x->used, byte, 64);
        for (size_t n = 1; n <= 64; n++) {
            int rc = sample_decode(x, longer, x->used + n, sizeof x->data);

            if ((x->s->traits & ENDS) != 0)
                assert_int_equal(rc, NC_NOERR);
            if ((x->s->traits & (OPEN | ENDS)) != 0 && rc == NC_NOERR)
                assert_memory_equal(x->back, x->data, sizeof x->data);
            else
                assert_int_equal(rc, NC_EFILTER);
        }
    }
    free(longer);
}

TEST(extended_objects_are_refused)
{
    each_sample(extend);
}

static void
other_sizes(sample *x)
{
    static const size_t wrong[] = {0, 1, 128, 255};
    unsigned char       room[512];
    size_t              used;

    for (size_t i = 0; i < NCZ_LEN(wrong); i++)
        assert_int_equal(sample_decode(x, x->object, x->used, wrong[i]), NC_EFILTER);
    used = sizeof room; /* one more is wanted than there is */
    assert_int_equal(x->ops->decode(x->p, &x->env, x->object, x->used, room, sizeof room, true, &used), NC_EFILTER);
    used = sizeof room; /* it is the most that is allowed */
    assert_int_equal(x->ops->decode(x->p, &x->env, x->object, x->used, room, sizeof room, false, &used), NC_NOERR);
    assert_int_equal(used, sizeof x->data);
    assert_memory_equal(room, x->data, sizeof x->data);
    used = sizeof x->data - 1;
    assert_int_equal(x->ops->decode(x->p, &x->env, x->object, x->used, room, used, false, &used), NC_EFILTER);
}

TEST(objects_of_other_sizes_are_refused)
{
    each_sample(other_sizes);
}

/* With a checksum no flip may go unseen; without one it may give other data, but nothing worse. */
static void
flip(sample *x)
{
    if (x->env.dtype.size != 4) /* one will do: it takes a while */
        return;
    for (size_t at = 0; at < x->used; at++)
        for (int bit = 0; bit < 9; bit++) {
            unsigned char was = x->object[at];
            int           rc;

            x->object[at] = (unsigned char)(bit < 8 ? was ^ 1 << bit : ~was);
            rc = sample_decode(x, x->object, x->used, sizeof x->data);
            x->object[at] = was;
            if (rc == NC_NOERR && (x->s->traits & CHECKED) != 0)
                assert_memory_equal(x->back, x->data, sizeof x->data);
            if (rc != NC_NOERR)
                assert_true(rc == NC_EFILTER || rc == NC_ENOFILTER);
        }
}

TEST(flipped_bits_do_no_harm)
{
    each_sample(flip);
}

/* Every value of every byte that says how the rest is to be read. */
static void
header_bytes(sample *x)
{
    if (x->env.dtype.size != 4)
        return;
    for (size_t at = 0; at < 24 && at < x->used; at++)
        for (int value = 0; value < 256; value++) {
            unsigned char was = x->object[at];
            int           rc;

            if (!test_drawn_sanitized(at + (size_t)value, 3))
                continue;
            x->object[at] = (unsigned char)value;
            rc = sample_decode(x, x->object, x->used, sizeof x->data);
            x->object[at] = was;
            assert_true(rc == NC_NOERR || rc == NC_EFILTER || rc == NC_ENOFILTER);
        }
}

TEST(any_header_byte_does_no_harm)
{
    each_sample(header_bytes);
}

static void
noise_in(sample *x)
{
    unsigned char junk[128];
    uint32_t      seed = 99;

    for (int round = 0; round < 50; round++) {
        size_t n = noise(&seed) % sizeof junk;

        for (size_t i = 0; i < n; i++)
            junk[i] = (unsigned char)noise(&seed);
        if (sample_decode(x, junk, n, sizeof x->data) != NC_NOERR)
            assert_true(strstr(ncz_err_text(), x->s->id) != NULL);
    }
}

TEST(noise_does_no_harm)
{
    each_sample(noise_in);
}

static int
code_both_ways(void *arg)
{
    sample        *x = arg;
    unsigned char *object;
    size_t         cap, used, n = sizeof x->data;
    int            rc;

    assert_true(bound_of(x->ops, x->p, n, &cap));
    object = malloc(cap);
    assert_non_null(object);
    if ((rc = x->ops->encode(x->p, &x->env, x->data, n, object, cap, &used)) == NC_NOERR)
        rc = x->ops->decode(x->p, &x->env, object, used, x->back, n, true, &n);
    free(object);
    return rc;
}

static void
allocations(sample *x)
{
    each_allocation_fails(code_both_ways, x);
    assert_memory_equal(x->back, x->data, sizeof x->data);
}

TEST(every_allocation_fails_once)
{
    each_sample(allocations);
}

/* bound() must notice that it would overflow. */
TEST(bounds_that_overflow_are_refused)
{
    const size_t   large = (size_t)1 << (sizeof(size_t) > 4 ? 30 : 27);
    ncz_array_type env = env_of(NCZ_KIND_INT, 4, 64);

    for (size_t i = 0; i < NCZ_LEN(subjects); i++) {
        const ncz_codec_ops *ops;
        const void          *p;
        size_t               bound = 0;

        if (!subject_at(&subjects[i], &env, &ops, &p))
            continue;
        assert_true(bound_of(ops, p, 0, &bound));
        assert_true(bound_of(ops, p, large, &bound));
        if ((subjects[i].traits & SHRINKS) != 0)
            continue;
        assert_true(bound >= large);
        assert_true(!bound_of(ops, p, SIZE_MAX, &bound) || bound == SIZE_MAX);
    }
}

/* Codecs from array to array, and no others, say what becomes of the elements; parts of elements are refused. */
TEST(array_codecs_say_what_becomes_of_elements)
{
    unsigned char data[64] = {0}, out[1024];

    for (size_t i = 0; i < NCZ_LEN(subjects); i++) {
        ncz_array_type       env = subject_env(&subjects[i], 8, sizeof data);
        const ncz_codec_ops *ops;
        const void          *p;
        size_t               used = sizeof out;

        if (!subject_at(&subjects[i], &env, &ops, &p))
            continue;
        assert_int_equal(ops->encoded_type != NULL, ops->cls != NCZ_CODEC_BYTES_BYTES);
        if (subjects[i].item < 2)
            continue;
        assert_int_equal(ops->encode(p, &env, data, subjects[i].item * 3 - 1, out, sizeof out, &used), NC_EFILTER);
        ops->encoded_type(p, &env);
        if (env.dtype.size > 1)
            assert_int_equal(ops->decode(p, &env, data, 17, out, sizeof out, false, &used), NC_EFILTER);
    }
}

/* Describing and reading again changes nothing; so does the way over HDF5's words and over Zarr v3, where there is
 * one. */
TEST(every_spelling_reads_back)
{
    ncz_array_type env = env_of(NCZ_KIND_INT, 4, 64);

    for (size_t i = 0; i < NCZ_LEN(subjects); i++) {
        const ncz_codec_ops *ops = codec_named(subjects[i].id);
        ncz_json            *doc, *v3 = NULL;
        ncz_codec           *codec, *again;
        unsigned             words[NCZ_CODEC_WORDS];
        ncz_buf              buf = NCZ_BUF_INIT;
        ncz_jsonw            w = ncz_jsonw_on(&buf);
        const char          *name;
        char                *text;
        size_t               n;

        if (ops == NULL)
            continue;
        assert_int_equal(make_codec(ops, subjects[i].json, &env, &codec), NC_NOERR);
        text = written_codec(codec);
        if (!ops->v3_only) {
            doc = json_of(text);
            assert_int_equal(ncz_codec_from_json(ops, doc, &env, NCZ_CONFIG_CALLER, &again), NC_NOERR);
            ncz_json_free(doc);
            check_codec(again, text);
            ncz_codec_unref(again);
        }

        assert_int_equal(ncz_codec_describe_v3(codec, &env, &w), NC_NOERR);
        assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
        v3 = json_of(ncz_buf_str(&buf));
        name = ncz_json_str(ncz_json_get(v3, "name"), &n);
        assert_non_null(name);
        if (strcmp(text, "{\"id\": \"crc32c\", \"location\": \"start\"}") == 0) /* the core form has no location */
            assert_string_equal(name, "numcodecs.crc32c");
        else if (strcmp(ops->id, "bitround") == 0) /* of floats */
            assert_string_equal(name, "numcodecs.bitround");
        else if (ops->v3_name != NULL)
            assert_string_equal(name, ops->v3_name);
        else
            assert_true(strncmp(name, "numcodecs.", 10) == 0 && strcmp(name + 10, ops->id) == 0);
        assert_ptr_equal(ncz_codec_by_v3_name(name), ops);
        assert_int_equal(ncz_codec_from_v3(ops, v3, &env, &again), NC_NOERR);
        if (strcmp(ops->id, "blosc") != 0) /* v3 has the type size in it, and no "as you think best" */
            check_codec(again, text);
        ncz_codec_unref(again);
        ncz_json_free(v3);
        ncz_buf_clear(&buf);

        if (ops->config.from_words == NULL) {
            assert_int_equal(ncz_codec_to_words(codec, &env, &n, words), NC_EFILTER);
            assert_int_equal(ncz_codec_from_words(ops, 1, (const unsigned[]){1}, &env, &again), NC_EFILTER);
        } else {
            assert_int_equal(ncz_codec_to_words(codec, &env, &n, words), NC_NOERR);
            assert_true(n <= NCZ_CODEC_WORDS);
            assert_int_equal(ncz_codec_from_words(ops, n, words, &env, &again), NC_NOERR);
            if (strstr(text, "\"shuffle\": -1") == NULL &&
                strstr(text, "checksum") == NULL) /* words cannot say these */
                check_codec(again, text);
            ncz_codec_unref(again);
            assert_int_equal(ncz_codec_from_words(ops, n + 3, words, &env, &again), NC_EFILTER);
        }
        ncz_free(text);
        ncz_codec_unref(codec);
    }
}

/* Every codec that is built in is in the table; those for objects have a file of their own. */
TEST(every_built_in_codec_is_in_the_table)
{
    for (size_t k = 0; ncz_codec_at(k) != NULL; k++) {
        /* Codecs that depend on a shape have tests of their own. */
        bool found = ncz_codec_at(k)->decode_vlen != NULL || ncz_codec_at(k)->config.retype != NULL;

        for (size_t i = 0; i < NCZ_LEN(subjects); i++)
            found = found || strcmp(subjects[i].id, ncz_codec_at(k)->id) == 0;
        if (!found)
            fail_msg("%s", ncz_codec_at(k)->id);
    }
}
