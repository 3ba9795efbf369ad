/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data of many kinds, shuffled and not, encoded at levels 4 to 9: no larger than what zlib makes of them at that level,
 * but for a few percent. src/codecs/deflate_libdeflate.c has the rules.
 */
#include "filter_testing.h"

#include <math.h>
#include <stdio.h>
#include <zlib.h>

enum { SMALL = 128 << 10, LARGE = 768 << 10, WIDTH = 360 };

static size_t nbytes; /* of the data */

static uint32_t
hash(uint32_t i)
{
    i *= 2654435761u;
    i ^= i >> 15;
    i *= 2246822519u;
    i ^= i >> 13;
    return i;
}

/* Of a normal distribution, nearly. */
static double
gaussian(size_t i)
{
    double sum = 0;

    for (uint32_t k = 0; k < 12; k++)
        sum += hash((uint32_t)i * 12 + k) / 4294967296.0;
    return sum - 6;
}

static double
smooth(size_t i)
{
    double x = (double)(i % WIDTH), y = (double)(i / WIDTH);

    return 280 + 20 * sin(x * 0.0123 + y * 0.004) + 8 * cos(y * 0.031 - x * 0.007) +
           3 * sin(x * 0.09) * cos(y * 0.11) + 0.7 * sin(x * 0.31) * sin(y * 0.27);
}

/* Keeps some bits of the mantissa, as bit rounding does. */
static float
rounded(double v, int keep)
{
    float    f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    bits = (bits + (1u << (22 - keep))) & ~((1u << (23 - keep)) - 1);
    memcpy(&f, &bits, sizeof f);
    return f;
}

static bool
land(size_t i)
{
    return sin((double)(i % WIDTH) * 0.02) * cos((double)(i / WIDTH) * 0.017) > 0.1;
}

static float
rain(size_t i)
{
    double v = smooth(i) - 285 + 4 * gaussian(i / 3);

    return v > 0 ? (float)(v * 1e-5) : 0;
}

#define MAKE(name, type, value)                                                                                      \
    static void name(void *data)                                                                                     \
    {                                                                                                                \
        for (size_t i = 0; i < nbytes / sizeof(type); i++)                                                           \
            ((type *)data)[i] = (type)(value);                                                                       \
    }

MAKE(make_smooth, float, smooth(i))
MAKE(make_steps, float, (double)(i % 4096 * 16 + (hash((uint32_t)i) >> 18) + 262144) / 1024)
MAKE(make_noise, float, gaussian(i))
MAKE(make_both, float, smooth(i) + 0.3 * gaussian(i))
MAKE(make_rounded, float, rounded(smooth(i), 8))
MAKE(make_rounded_noise, float, rounded(smooth(i) + 0.3 * gaussian(i), 8))
MAKE(make_fill, float, land(i) ? 1e20 : smooth(i) + 0.01 * gaussian(i))
MAKE(make_rain, float, rain(i))
MAKE(make_rounded_rain, float, rounded((double)rain(i), 7))
MAKE(make_double, double, smooth(i) + 0.01 * gaussian(i))
MAKE(make_packed, int16_t, (smooth(i) - 280) * 500)
MAKE(make_packed_noise, int16_t, (smooth(i) - 280 + 0.3 * gaussian(i)) * 500)
MAKE(make_count, int32_t, i + 1000)
MAKE(make_class, int32_t, (smooth(i) - 230) / 5 + 0.2 * gaussian(i))
MAKE(make_bytes, int8_t, (smooth(i) - 230) / 3 + 0.1 * gaussian(i))
MAKE(make_random, uint32_t, hash((uint32_t)i))

static void
make_names(void *data)
{
    for (size_t i = 0; i < nbytes / 16; i++) {
        char name[32] = {0};

        snprintf(name, sizeof name, "station %zu%s", i, &"abcd"[i % 4]);
        memcpy((char *)data + i * 16, name, 16);
    }
}

static void
make_prose(void *data)
{
    static const char *const words[] = {"the ",  "of ",   "wind ", "temperature ", "ocean ", "model ", "is ",
                                        "at ",   "years", "run ",  "pressure ",    "level ", "and ",   "surface ",
                                        "flux ", "in ",   "mean ", "was ",         "north ", "grid ",  "under.\n"};
    size_t                   n = 0;

    for (uint32_t i = 0; n + 16 < nbytes; i++) {
        const char *word = words[(uint64_t)(hash(i) >> 16) * (hash(i + 77777) >> 16) * NCZ_LEN(words) >> 32];

        memcpy((char *)data + n, word, strlen(word));
        n += strlen(word);
    }
}

static const struct kind {
    const char *name;
    void (*make)(void *data);
    int size; /* of an element */
} kinds[] = {
    {"smooth floats", make_smooth, 4},
    {"floats in steps", make_steps, 4},
    {"noise", make_noise, 4},
    {"smooth floats with noise", make_both, 4},
    {"rounded floats", make_rounded, 4},
    {"rounded floats with noise", make_rounded_noise, 4},
    {"floats, and fill over land", make_fill, 4},
    {"rain", make_rain, 4},
    {"rounded rain", make_rounded_rain, 4},
    {"doubles", make_double, 8},
    {"packed shorts", make_packed, 2},
    {"packed shorts with noise", make_packed_noise, 2},
    {"numbers that count", make_count, 4},
    {"classes", make_class, 4},
    {"bytes", make_bytes, 1},
    {"random bits", make_random, 4},
    {"names", make_names, 1},
    {"prose", make_prose, 1},
};

/* As a chain has it, so that the next codec knows of it. `out` is scratch memory of as many bytes. */
static ncz_array_type
shuffle(const struct kind *k, void *data, void *out)
{
    ncz_codec     shuffler = {.ops = ncz_codec_by_id("shuffle")};
    ncz_type_flow flow = {.type = env_of(NCZ_KIND_INT, (size_t)k->size, nbytes)};
    char          text[40];
    size_t        used;

    snprintf(text, sizeof text, "{\"elementsize\": %d}", k->size);
    shuffler.state = (void *)(uintptr_t)configured(shuffler.ops, text, &flow.type);
    assert_int_equal(shuffler.ops->encode(shuffler.state, &flow.type, data, nbytes, out, nbytes, &used), NC_NOERR);
    memcpy(data, out, nbytes);
    ncz_type_flow_pass(&flow, &shuffler);
    assert_true(flow.type.shuffled);
    return flow.type;
}

static size_t
encode(const ncz_array_type *type, int level, const void *data, void *out, size_t cap)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("zlib");
    char                 text[40];
    size_t               used;

    snprintf(text, sizeof text, "{\"level\": %d}", level);
    assert_int_equal(ops->encode(configured(ops, text, type), type, data, nbytes, out, cap, &used), NC_NOERR);
    return used;
}

/* Percent that it may be larger. */
static double
allowed(int level)
{
    return level < 8 ? 2 : 4;
}

static void
compare(const struct kind *k, bool shuffled, int most)
{
    size_t         cap = 2 * nbytes;
    unsigned char *data = calloc(1, nbytes), *out = malloc(cap), *back = malloc(nbytes);
    ncz_array_type type = env_of(NCZ_KIND_INT, (size_t)k->size, nbytes);

    assert_true(data != NULL && out != NULL && back != NULL);
    k->make(data);
    if (shuffled)
        type = shuffle(k, data, out);
    for (int level = 4; level <= most; level++) {
        size_t ours = encode(&type, level, data, out, cap);
        uLongf theirs = cap, n = nbytes;

        assert_int_equal(uncompress(back, &n, out, ours), Z_OK);
        assert_int_equal(n, nbytes);
        assert_memory_equal(back, data, nbytes);
        assert_int_equal(compress2(out, &theirs, data, nbytes, level), Z_OK);
        if (ours > theirs + 128 && (double)ours > (double)theirs * (1 + allowed(level) / 100))
            fail_msg("%s%s at level %d: %zu bytes, zlib %zu", k->name, shuffled ? ", shuffled" : "", level, ours,
                     (size_t)theirs);
    }
    free(back);
    free(out);
    free(data);
}

TEST(a_level_gives_a_small_chunk_the_size_that_zlib_gives)
{
    nbytes = SMALL;
    for (size_t i = 0; i < NCZ_LEN(kinds); i++) {
        compare(&kinds[i], false, 9);
        if (kinds[i].size > 1)
            compare(&kinds[i], true, 9);
    }
}

TEST(a_level_gives_a_large_chunk_the_size_that_zlib_gives)
{
    nbytes = LARGE;
    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        if (kinds[i].size > 1)
            compare(&kinds[i], true, 6);
}
