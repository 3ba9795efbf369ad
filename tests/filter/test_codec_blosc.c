/* SPDX-License-Identifier: BSD-3-Clause */
#include "codecs/blosc_int.h"
#include "filter_testing.h"

#include <stdio.h>

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 4000};

static const ncz_codec_ops *ops;

TEST(configurations_are_read_and_written)
{
    const void *p;

    check_json("blosc", "{\"clevel\": 4, \"blocksize\": 0, \"cname\": \"lz4\", \"shuffle\": 1}", &env,
               "{\"id\": \"blosc\", \"clevel\": 4, \"blocksize\": 0, \"cname\": \"lz4\", \"shuffle\": 1}");
    check_json("blosc", "{\"shuffle\": \"2\", \"cname\": \"zstd\", \"clevel\": \"9\", \"blocksize\": \"8192\"}", &env,
               "{\"id\": \"blosc\", \"clevel\": 9, \"blocksize\": 8192, \"cname\": \"zstd\", \"shuffle\": 2}");
    check_json("blosc", "{}", &env,
               "{\"id\": \"blosc\", \"clevel\": 5, \"blocksize\": 0, \"cname\": \"lz4\", \"shuffle\": 1}");
    check_json("blosc", "{\"shuffle\": -1, \"typesize\": 8}", &env,
               "{\"id\": \"blosc\", \"clevel\": 5, \"blocksize\": 0, \"cname\": \"lz4\", \"shuffle\": -1, "
               "\"typesize\": 8}");
    assert_int_equal(configure(ops, "{\"clevel\": 10}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"shuffle\": 3}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"blocksize\": -1}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"cname\": \"lzma\"}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"cname\": 1}", &env, &p), NC_EFILTER);
}

TEST(hdf5_parameters_are_read_and_written)
{
    static const struct {
        unsigned words[7];
        int      rc;
    } cases[] = {
        {{0, 0, 0, 0, 4, 1, 1}, NC_NOERR},   {{0, 0, 4, 4000, 4, 1, 1}, NC_NOERR},
        {{0, 0, 0, 0, 10, 1, 1}, NC_EINVAL}, {{0, 0, 0, 0, 4, 3, 1}, NC_EINVAL},
        {{0, 0, 0, 0, 4, 1, 6}, NC_EINVAL},  {{0, 0, 0, 0, 4, 1, (unsigned)-1}, NC_EINVAL},
    };
    const void *p;
    unsigned    words[NCZ_CODEC_WORDS];
    size_t      n;

    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        assert_int_equal(of_words(ops, 7, cases[i].words, &env, &p), cases[i].rc);
    assert_int_equal(of_words(ops, 6, cases[0].words, &env, &p), NC_EFILTER);

    assert_int_equal(of_words(ops, 7, cases[1].words, &env, &p), NC_NOERR);
    check_json_of(
        ops, p,
        "{\"id\": \"blosc\", \"clevel\": 4, \"blocksize\": 0, \"cname\": \"lz4\", \"shuffle\": 1}"); /* HDF5's "chunk
                                                                                                        size" */
    assert_int_equal(ops->config.to_words(p, &env, &n, words), NC_NOERR);
    assert_int_equal(n, 7);
    assert_memory_equal(words, cases[1].words, sizeof cases[1].words);
    assert_int_equal(of_words(ops, 7, (const unsigned[]){0, 0, 0, 512, 4, 1, 1}, &env, &p), NC_NOERR);
    check_json_of(ops, p,
                  "{\"id\": \"blosc\", \"clevel\": 4, \"blocksize\": 512, \"cname\": \"lz4\", \"shuffle\": 1}");
}

/* A compressor that the linked library lacks is named, and is no malformed document. */
TEST(a_missing_compressor_is_named)
{
    static const char *const cnames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

    for (unsigned i = 0; i < NCZ_LEN(cnames); i++) {
        const void *p;
        unsigned    words[7] = {0, 0, 0, 0, 4, 1, i};
        int         rc = of_words(ops, 7, words, &env, &p);

        assert_true(rc == NC_NOERR || rc == NC_ENOFILTER);
        if (rc == NC_ENOFILTER)
            assert_non_null(strstr(ncz_err_text(), cnames[i]));
    }
}

static void
header(unsigned char *object, unsigned char flags, uint32_t nbytes, uint32_t blocksize, uint32_t cbytes)
{
    uint32_t sizes[3] = {nbytes, blocksize, cbytes};

    object[0] = 2;
    object[1] = 1;
    object[2] = flags;
    object[3] = 4;
    for (int i = 0; i < 12; i++)
        object[4 + i] = (unsigned char)(sizes[i / 4] >> 8 * (i % 4));
}

static void
refused(const unsigned char *object, size_t used, size_t n, int rc, const char *says)
{
    const void    *p = configured(ops, "{\"clevel\": 5, \"cname\": \"lz4\", \"shuffle\": 1}", &env);
    unsigned char *back = malloc(n + 1);

    assert_non_null(back);
    assert_int_equal(decode_to(ops, p, &env, object, used, back, n), rc);
    assert_non_null(strstr(ncz_err_text(), says));
    free(back);
}

TEST(bad_headers_are_refused)
{
    unsigned char object[64] = {0};

    header(object, 0, 32, 32, 64);
    refused(object, 15, 32, NC_EFILTER, "shorter than its header");
    refused(object, 63, 32, NC_EFILTER, "says 64 bytes, has 63");
    refused(object, 64, 32, NC_EFILTER, "a block lies outside"); /* offset 0 */
    header(object, 0, 32, 32, 15);
    refused(object, 64, 32, NC_EFILTER, "says 15 bytes, has 64");
    header(object, 0, 33, 33, 64);
    object[16] = 20;
    refused(object, 64, 32, NC_EFILTER, "more than 32 bytes");
    refused(object, 64, 34, NC_EFILTER, "decodes to 33 bytes");
    header(object, 0, 32, 32, 64);
    object[16] = 61;
    refused(object, 64, 32, NC_EFILTER, "a block lies outside");
    header(object, 0, 32, 0, 64);
    refused(object, 64, 32, NC_EFILTER, "block size");
    header(object, 0, 32, 33, 64);
    refused(object, 64, 32, NC_EFILTER, "block size");
    header(object, 0, 32, 1, 64);
    refused(object, 64, 32, NC_EFILTER, "too short for its blocks");
    header(object, 0, 0xffffffffu, 32, 64);
    refused(object, 64, 32, NC_EFILTER, "impossible sizes");
    header(object, 0x02, 32, 32, 64); /* stored, but 48 are there */
    refused(object, 64, 32, NC_EFILTER, "stored data");
    header(object, 0x08, 32, 32, 64);
    refused(object, 64, 32, NC_EFILTER, "version");
    header(object, 5 << 5, 32, 32, 64);
    refused(object, 64, 32, NC_EFILTER, "unknown compressor");
    header(object, 0, 32, 32, 64);
    object[0] = 3;
    refused(object, 64, 32, NC_EFILTER, "version");
    header(object, 0, 32, 32, 64);
    object[3] = 0;
    refused(object, 64, 32, NC_EFILTER, "impossible sizes");
}

/* What cannot be compressed is stored: netcdf-c fails there and loses the dataset. */
TEST(incompressible_data_are_stored)
{
    const void   *p = configured(ops, "{\"clevel\": 5, \"cname\": \"lz4\", \"shuffle\": 1}", &env);
    unsigned char data[400], back[400], *object;
    uint32_t      seed = 7;
    size_t        used;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)noise(&seed);
    object = encoded(ops, p, &env, data, sizeof data, &used);
    assert_int_equal(used, sizeof data + 16);
    assert_true((object[2] & 2) != 0);
    assert_int_equal(object[3], 4); /* the type's size */
    assert_int_equal(decode_to(ops, p, &env, object, used, back, sizeof back), NC_NOERR);
    assert_memory_equal(back, data, sizeof back);
    free(object);
}

static unsigned char
flags_of(int64_t shuffle, size_t typesize)
{
    ncz_array_type other = env_of(NCZ_KIND_BYTES, typesize, 4000);
    unsigned char  data[4000] = {0}, *object, flags;
    char           text[64];
    const void    *p;
    size_t         used;

    snprintf(text, sizeof text, "{\"cname\": \"lz4\", \"shuffle\": %d}", (int)shuffle);
    p = configured(ops, text, &other);
    object = encoded(ops, p, &other, data, sizeof data, &used);
    assert_int_equal(object[3], typesize > 255 ? 1 : typesize);
    flags = object[2];
    free(object);
    return flags;
}

TEST(shuffle_modes_follow_the_element_size)
{
    assert_int_equal(flags_of(0, 4) & 5, 0);
    assert_int_equal(flags_of(1, 4) & 5, 1);
    assert_int_equal(flags_of(2, 4) & 5, 4);
    assert_int_equal(flags_of(-1, 4) & 5, 1);
    assert_int_equal(flags_of(-1, 1) & 5, 4);
    assert_int_equal(flags_of(1, 300) & 4, 0);
}

/* Of a frame of n bytes of lz4, shuffled. */
static uint32_t
block_of(size_t n, size_t typesize, int64_t clevel, int64_t blocksize)
{
    ncz_array_type  other = env_of(NCZ_KIND_INT, typesize, n);
    char            text[96];
    const void     *p;
    unsigned char  *data = calloc(n, 1), *object;
    ncz_blosc_frame f;
    size_t          used;

    assert_non_null(data);
    snprintf(text, sizeof text, "{\"cname\": \"lz4\", \"clevel\": %d, \"blocksize\": %d}", (int)clevel,
             (int)blocksize);
    p = configured(ops, text, &other);
    object = encoded(ops, p, &other, data, n, &used);
    assert_int_equal(ncz_blosc_open(object, used, &f), NC_NOERR);
    free(object);
    free(data);
    return f.blocksize;
}

TEST(block_sizes_are_chosen_or_asked_for)
{
    if (ncz_blosc_makes(NCZ_BLOSC_LZ4, 5, 1, 4, 1 << 20)) { /* lz4 is built in */
        assert_int_equal(block_of(1 << 20, 4, 5, 0), 128 << 10);
        assert_int_equal(block_of(1 << 20, 2, 5, 0), 128 << 10);
        assert_int_equal(block_of(1 << 20, 8, 2, 0), 256 << 10);
    }
    assert_int_equal(block_of(1000, 4, 5, 0), 1000);
    assert_true(block_of(1 << 20, 4, 5, 1 << 19) > 128 << 10); /* one was asked for */
    assert_true(block_of(1 << 20, 4, 9, 0) > 128 << 10);       /* the library's choice */
}

/* More than c-blosc can count, before anything is read from it. */
TEST(chunks_too_large_for_blosc_are_refused)
{
    const void   *p = configured(ops, "{\"clevel\": 5, \"cname\": \"lz4\", \"shuffle\": 1}", &env);
    unsigned char byte = 0;
    size_t        used;

    assert_int_equal(ops->encode(p, &env, &byte, (size_t)1 << 31, &byte, 1, &used), NC_EFILTER);
}

int
main(void)
{
    ops = ncz_codec_by_id("blosc");
    return run_file_tests(NULL, NULL);
}
