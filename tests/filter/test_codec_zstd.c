/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

#include <zstd.h>

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 1000};

static const ncz_codec_ops *ops;
static const void          *plain;
static unsigned char        data[1000];

TEST(configurations_are_read_and_written)
{
    const void *p;

    check_json("zstd", "{\"level\": 5}", &env, "{\"id\": \"zstd\", \"level\": 5}");
    check_json("zstd", "{\"level\": \"5\"}", &env, "{\"id\": \"zstd\", \"level\": 5}");
    check_json("zstd", "{\"level\": 0, \"checksum\": false}", &env, "{\"id\": \"zstd\", \"level\": 0}");
    check_json("zstd", "{\"level\": 1, \"checksum\": true}", &env,
               "{\"id\": \"zstd\", \"level\": 1, \"checksum\": true}");
    check_json("zstd", "{\"level\": 4294967293}", &env, "{\"id\": \"zstd\", \"level\": -3}");
    check_json("zstd", "{\"level\": \"4294967293\"}", &env, "{\"id\": \"zstd\", \"level\": -3}");
    check_json("zstd", "{\"level\": -3}", &env, "{\"id\": \"zstd\", \"level\": -3}");
    check_json("zstd", "{\"level\": 100}", &env, "{\"id\": \"zstd\", \"level\": 100}");
    check_json("zstd", "{}", &env, "{\"id\": \"zstd\", \"level\": 1}");
    assert_int_equal(configure(ops, "{\"level\": 4294967296}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"level\": -2147483649}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"checksum\": \"yes\"}", &env, &p), NC_EFILTER);
}

TEST(hdf5_parameters_are_read_and_written)
{
    const void *p;
    unsigned    words[NCZ_CODEC_WORDS];
    size_t      n;

    assert_int_equal(of_words(ops, 1, (const unsigned[]){(unsigned)-3}, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"zstd\", \"level\": -3}");
    assert_int_equal(ops->config.to_words(p, &env, &n, words), NC_NOERR);
    assert_int_equal(words[0], 4294967293u);
    assert_int_equal(of_words(ops, 1, (const unsigned[]){100}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 1, (const unsigned[]){0x80000000u}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 0, NULL, &env, &p), NC_EFILTER);
}

/* As a streaming writer does it: the frame does not say how long it will be. */
static size_t
frame_without_size(unsigned char *out, size_t cap)
{
    ZSTD_CCtx     *ctx = ZSTD_createCCtx();
    ZSTD_inBuffer  in = {data, sizeof data, 0};
    ZSTD_outBuffer to = {out, cap, 0};

    assert_non_null(ctx);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
    assert_int_equal(ZSTD_compressStream2(ctx, &to, &in, ZSTD_e_flush), 0);
    assert_int_equal(in.pos, in.size);
    assert_int_equal(ZSTD_compressStream2(ctx, &to, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(ctx);
    assert_true(ZSTD_getFrameContentSize(out, to.pos) == ZSTD_CONTENTSIZE_UNKNOWN);
    return to.pos;
}

TEST(frames_without_a_size_decode)
{
    unsigned char object[2000], back[1000];
    size_t        used = frame_without_size(object, sizeof object);

    assert_int_equal(decode_to(ops, plain, &env, object, used, back, sizeof back), NC_NOERR);
    assert_memory_equal(back, data, sizeof back);
    assert_int_equal(decode_to(ops, plain, &env, object, used, back, 999), NC_EFILTER);
    assert_int_equal(decode_to(ops, plain, &env, object, used - 1, back, 1000), NC_EFILTER);
}

TEST(frames_one_behind_the_other_decode)
{
    static const unsigned char skipped[11] = {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
    unsigned char             *first, *second, object[4000], back[1000];
    size_t                     n1, n2;

    first = encoded(ops, plain, &env, data, 400, &n1);
    second = encoded(ops, plain, &env, data + 400, 600, &n2);
    memcpy(object, first, n1);
    memcpy(object + n1, skipped, sizeof skipped);
    memcpy(object + n1 + sizeof skipped, second, n2);
    assert_int_equal(decode_to(ops, plain, &env, object, n1 + sizeof skipped + n2, back, 1000), NC_NOERR);
    assert_memory_equal(back, data, sizeof back);
    assert_int_equal(decode_to(ops, plain, &env, object, n1 + sizeof skipped, back, 1000), NC_EFILTER);
    free(first);
    free(second);
}

TEST(a_wrong_checksum_is_refused)
{
    const void   *p = configured(ops, "{\"level\": 3, \"checksum\": true}", &env);
    unsigned char back[1000], *object;
    size_t        used;

    object = encoded(ops, p, &env, data, sizeof data, &used);
    object[used - 1] ^= 0x40;
    assert_int_equal(decode_to(ops, p, &env, object, used, back, sizeof back), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "checksum does not match"));
    free(object);
}

/* A frame that claims a gigabyte and a large window gets no more memory than the chunk. */
TEST(claims_of_a_frame_get_no_memory)
{
    static const unsigned char object[] = {0x28, 0xb5, 0x2f, 0xfd, 0x80, 0xb8, 0, 0, 0, 0x40, 0x01, 0, 0};
    unsigned char              back[1000];

    assert_int_equal(decode_to(ops, plain, &env, object, sizeof object, back, sizeof back), NC_EFILTER);
}

int
main(void)
{
    ops = ncz_codec_by_id("zstd");
    plain = configured(ops, "{\"level\": 3}", &env);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i / 7);
    return run_file_tests(NULL, NULL);
}
