/* SPDX-License-Identifier: BSD-3-Clause */
/* zfpy and zfp: streams that numcodecs made, both ways; all modes of Zarr v3; what is refused; damaged streams. */
#include "v3_testing.h"

#include <limits.h>
#include <math.h>

enum { N = 24 };

/* Made by numcodecs 0.13 and zfpy 1.0.1 of 4 x 6 elements, i of them at i: i * i / 8 - 3, or as `first` and `step`
 * say. */
static const struct {
    const char *config, *hex;
    ncz_kind    kind;
    size_t      size;
    double      first, step; /* of integers; step 0: floats */
    bool        exact;       /* else within 8192 */
} made[] = {
    {"\"mode\": 4, \"tolerance\": 0.5, \"rate\": -1, \"precision\": -1, \"compression_kwargs\": {\"tolerance\": 0.5}",
     "7a66700557000030000020cb0b482a249422b02248028005b4454db5684035541111000000000000", NCZ_KIND_FLOAT, 8, 0, 0,
     true},
    {"\"mode\": 4", "7a667005570000300000008815504150a881283124820aa8201389d1ed8e49400200000000000000",
     NCZ_KIND_FLOAT, 8, 0, 0, true},
    {"\"mode\": 2, \"rate\": 8",
     "7a667005560000300000f0070b4985845204560449000000000000000b6d51532d1a500d554404000000000000000000",
     NCZ_KIND_FLOAT, 4, 0, 0, true},
    {"\"mode\": 3, \"precision\": \"20\"", "7a66700554000030000030810000b60800c0160100000000", NCZ_KIND_INT, 4, -5000,
     1000, false},
    {"\"mode\": 4, \"tolerance\": -1",
     "7a66700555000030000000883f000012010981991098080819888801081901090000004044c40f008044c1928ae832a422ba84099aa82b1"
     "8"
     "26c10aa089b2888092000000000000822008000000000000",
     NCZ_KIND_INT, 8, -5, 1e12, true},
};

static double
value_of(size_t made_i, size_t i)
{
    double k = (double)i;

    return made[made_i].step == 0 ? k * k / 8 - 3 : made[made_i].first + k * made[made_i].step;
}

static void
put_value(ncz_kind kind, size_t size, void *data, size_t i, double v)
{
    if (kind == NCZ_KIND_FLOAT && size == 8)
        ((double *)data)[i] = v;
    else if (kind == NCZ_KIND_FLOAT)
        ((float *)data)[i] = (float)v;
    else if (size == 8)
        ((int64_t *)data)[i] = (int64_t)v;
    else
        ((int32_t *)data)[i] = (int32_t)v;
}

static double
get_value(ncz_kind kind, size_t size, const void *data, size_t i)
{
    if (kind == NCZ_KIND_FLOAT)
        return size == 8 ? ((const double *)data)[i] : (double)((const float *)data)[i];
    return size == 8 ? (double)((const int64_t *)data)[i] : (double)((const int32_t *)data)[i];
}

/* A chain of Zarr v2 with the codec as compressor. */
static int
make_chain(const char *id, const char *config, const ncz_array_type *in, ncz_chain **out)
{
    char      text[256];
    ncz_json *doc;
    int       rc;

    snprintf(text, sizeof text, "{\"id\": \"%s\"%s%s}", id, config[0] != '\0' ? ", " : "", config);
    doc = json_of(text);
    ncz_err_clear();
    rc = ncz_chain_parse(NULL, doc, in, NCZ_CONFIG_NUMCODECS, 4, out);
    ncz_json_free(doc);
    return rc;
}

static ncz_chain *
chain_of(size_t i, const ncz_array_type *in)
{
    ncz_chain *c = NULL;

    if (make_chain("zfpy", made[i].config, in, &c) != NC_NOERR || ncz_chain_usable(c) != NC_NOERR)
        fail_msg("%s: %s", made[i].config, ncz_err_text());
    return c;
}

TEST(as_numcodecs)
{
    for (size_t m = 0; m < NCZ_LEN(made); m++) {
        ncz_array_type in = type_of(made[m].kind, made[m].size);
        ncz_chain     *c = chain_of(m, &in);
        unsigned char  object[128];
        double         back[N], data[N];
        size_t         n = from_hex(made[m].hex, object), nbytes = N * made[m].size;
        ncz_buf        ours = NCZ_BUF_INIT;

        assert_int_equal(ncz_chain_decode(c, NULL, object, n, back, nbytes, false), NC_NOERR);
        for (size_t i = 0; i < N; i++) {
            double got = get_value(made[m].kind, made[m].size, back, i);

            if (made[m].exact ? got != value_of(m, i) : fabs(got - value_of(m, i)) > 8192)
                fail_msg("%s: element %zu is %g", made[m].config, i, got);
            put_value(made[m].kind, made[m].size, data, i, value_of(m, i));
        }
        assert_int_equal(ncz_chain_encode(c, NULL, data, nbytes, &ours), NC_NOERR);
        assert_int_equal(ours.len, n);
        assert_memory_equal(ours.data, object, n);
        ncz_buf_clear(&ours);
        ncz_chain_unref(c);
    }
}

/* Elements of the other byte order. */
TEST(big_endian)
{
    ncz_array_type in = type_of(NCZ_KIND_FLOAT, 8);
    ncz_chain     *c;
    unsigned char  object[128], back[N * 8];
    size_t         n = from_hex(made[1].hex, object);
    ncz_buf        ours = NCZ_BUF_INIT;

    in.dtype.big = true;
    c = chain_of(1, &in);
    assert_int_equal(ncz_chain_decode(c, NULL, object, n, back, sizeof back, false), NC_NOERR);
    assert_memory_equal(back, "\xc0\x08\0\0\0\0\0\0\xc0\x07", 10); /* -3.0, -2.875 */
    assert_int_equal(ncz_chain_encode(c, NULL, back, sizeof back, &ours), NC_NOERR);
    assert_int_equal(ours.len, n);
    assert_memory_equal(ours.data, object, n);
    ncz_buf_clear(&ours);
    ncz_chain_unref(c);
}

TEST(modes_of_v3)
{
    static const struct {
        const char *config;
        double      most; /* error */
    } modes[] = {
        {"\"mode\": \"reversible\"", 0},
        {"\"mode\": \"fixed_rate\", \"rate\": 20.5", 0.01},
        {"\"mode\": \"fixed_accuracy\", \"tolerance\": 0.05", 0.05},
        {"\"mode\": \"fixed_precision\", \"precision\": 40", 0.01},
        {"\"mode\": \"expert\", \"minbits\": 1, \"maxbits\": 400, \"maxprec\": 60, \"minexp\": -10", 0.01},
    };
    ncz_array_type in = type_of(NCZ_KIND_FLOAT, 8);
    double         data[N], back[N];

    for (size_t i = 0; i < N; i++)
        data[i] = sqrt((double)i) * 10;
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        char          text[256];
        ncz_v3_codecs c;
        ncz_buf       object = NCZ_BUF_INIT;

        snprintf(text, sizeof text, "[{\"name\": \"zfp\", \"configuration\": {%s}}]", modes[m].config);
        c = parsed(text, &in);
        assert_int_equal(ncz_chain_usable(c.chain), NC_NOERR);
        check_written(&c, &in, text);
        assert_int_equal(ncz_chain_encode(c.chain, NULL, data, sizeof data, &object), NC_NOERR);
        assert_true(memcmp(object.data, "zfp", 3) != 0); /* no header */
        assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, object.len, back, sizeof back, false),
                         NC_NOERR);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(back[i] - data[i]) <= modes[m].most);
        ncz_buf_clear(&object);
        ncz_v3_codecs_clear(&c);
    }
}

/* In a shard, and numcodecs' codec in Zarr v3. */
TEST(within_v3)
{
    static const char *const texts[] = {
        "[" SHARD("[2,3]", "{\"name\":\"zfp\",\"configuration\":{\"mode\":\"reversible\"}}", USUAL, "end") "," CRC
                                                                                                           "]",
        "[{\"name\":\"numcodecs.zfpy\",\"configuration\":{\"mode\":4,\"tolerance\":-1}}]",
        "[" ORDER ",{\"name\":\"zfp\",\"configuration\":{\"mode\":\"reversible\"}}," CRC "]",
    };
    ncz_array_type in = type_of(NCZ_KIND_INT, 8);
    int64_t        data[N], back[N];

    for (int i = 0; i < N; i++)
        data[i] = (int64_t)i * i * i - 4000;
    for (size_t t = 0; t < NCZ_LEN(texts); t++) {
        ncz_v3_codecs c = parsed(texts[t], &in);
        ncz_buf       object = NCZ_BUF_INIT;

        assert_int_equal(ncz_chain_encode(c.chain, NULL, data, sizeof data, &object), NC_NOERR);
        assert_int_equal(ncz_chain_decode(c.chain, NULL, object.data, object.len, back, sizeof back, false),
                         NC_NOERR);
        assert_memory_equal(back, data, sizeof data);
        ncz_buf_clear(&object);
        ncz_v3_codecs_clear(&c);
    }
}

TEST(bad_configurations_are_refused)
{
    static const char *const bad[] = {"\"mode\": 1",
                                      "\"mode\": 6",
                                      "\"mode\": \"x\"",
                                      "\"precision\": 65",
                                      "\"rate\": \"x\"",
                                      "\"tolerance\": []",
                                      "\"mode\": 2, \"rate\": 1e300"};
    static const char *const bad3[] = {"",
                                       "\"mode\":4",
                                       "\"mode\":\"x\"",
                                       "\"mode\":\"fixed_rate\"",
                                       "\"mode\":\"fixed_rate\",\"rate\":-1",
                                       "\"mode\":\"fixed_accuracy\",\"tolerance\":null",
                                       "\"mode\":\"fixed_precision\"",
                                       "\"mode\":\"fixed_precision\",\"precision\":0",
                                       "\"mode\":\"expert\",\"minbits\":1,\"maxbits\":400,\"maxprec\":60",
                                       "\"mode\":\"expert\",\"minbits\":9,\"maxbits\":4,\"maxprec\":60,\"minexp\":0"};
    const struct {
        ncz_kind kind;
        size_t   size;
    } types[] = {{NCZ_KIND_UINT, 4}, {NCZ_KIND_INT, 2}, {NCZ_KIND_FLOAT, 2}, {NCZ_KIND_BOOL, 1}};
    const uint64_t deep[5] = {2, 2, 2, 3, 1};
    ncz_array_type in = type_of(NCZ_KIND_FLOAT, 8);
    ncz_chain     *c = NULL;
    ncz_v3_codecs  v3;

    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        if (make_chain("zfpy", bad[i], &in, &c) != NC_EFILTER)
            fail_msg("%s is taken", bad[i]);
        assert_non_null(strstr(ncz_err_text(), "'zfpy'"));
    }
    for (size_t i = 0; i < NCZ_LEN(bad3); i++) {
        char text[256];

        snprintf(text, sizeof text, "[{\"name\":\"zfp\",\"configuration\":{%s}}]", bad3[i]);
        if (parse(text, &in, &v3) != NC_EFILTER)
            fail_msg("%s is taken", text);
        assert_non_null(strstr(ncz_err_text(), "'zfp'"));
    }
    for (size_t i = 0; i <= NCZ_LEN(types); i++) { /* listed, and not usable */
        ncz_array_type other = i < NCZ_LEN(types) ? type_of(types[i].kind, types[i].size) : in;

        if (i == NCZ_LEN(types)) {
            other.rank = 5;
            other.shape = deep;
        }
        assert_int_equal(make_chain("zfpy", "", &other, &c), NC_NOERR);
        assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
        assert_non_null(strstr(ncz_err_text(), "zfpy"));
        ncz_chain_unref(c);
    }
}

/* Cut, continued, of another type, of another shape, of a mode that takes too much, and any bytes. */
TEST(damaged_objects_do_no_harm)
{
    ncz_array_type in = type_of(NCZ_KIND_FLOAT, 8), other = type_of(NCZ_KIND_INT, 8);
    ncz_chain     *c = chain_of(1, &in), *wrong = chain_of(1, &other);
    const uint64_t turned[2] = {6, 4};
    ncz_chain     *reshaped;
    unsigned char  object[256];
    double         back[N];
    size_t         n = from_hex(made[1].hex, object);
    uint32_t       seed = 1;

    for (size_t cut = 0; cut + 8 <= n; cut++) {
        assert_int_equal(ncz_chain_decode(c, NULL, object, cut, back, sizeof back, false), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "'zfpy'"));
    }
    memset(object + n, 0, 16);
    assert_int_equal(ncz_chain_decode(c, NULL, object, n + 16, back, sizeof back, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(wrong, NULL, object, n, back, sizeof back, false), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "the header has type"));
    in.shape = turned;
    reshaped = chain_of(1, &in);
    assert_int_equal(ncz_chain_decode(reshaped, NULL, object, n, back, sizeof back, false), NC_EFILTER);
    for (int i = 0; i < 20000; i++) { /* the header's type and shape stay right, its mode and the blocks do not */
        (void)from_hex(made[1].hex, object);
        for (size_t k = 10; k < sizeof object; k++)
            object[k] = (unsigned char)noise(&seed);
        (void)ncz_chain_decode(c, NULL, object, i % sizeof object, back, sizeof back, false);
    }
    ncz_chain_unref(c);
    ncz_chain_unref(wrong);
    ncz_chain_unref(reshaped);
}

static int
round_trip(void *arg)
{
    ncz_array_type in = type_of(NCZ_KIND_FLOAT, 8);
    ncz_chain     *c = NULL;
    ncz_buf        object = NCZ_BUF_INIT;
    double         data[N] = {1, -2, 3.5}, back[N];
    int            rc;

    in.dtype.big = true; /* which needs a copy of the elements */
    if ((rc = ncz_chain_parse(NULL, arg, &in, NCZ_CONFIG_NUMCODECS, 4, &c)) == NC_NOERR &&
        (rc = ncz_chain_encode(c, NULL, data, sizeof back, &object)) == NC_NOERR &&
        (rc = ncz_chain_decode(c, NULL, object.data, object.len, back, sizeof back, false)) == NC_NOERR)
        assert_memory_equal(back, data, sizeof back);
    ncz_buf_clear(&object);
    ncz_chain_unref(c);
    return rc;
}

TEST(every_allocation_fails_once)
{
    ncz_json *doc = json_of("{\"id\": \"zfpy\"}");

    each_allocation_fails(round_trip, doc);
    ncz_json_free(doc);
}
