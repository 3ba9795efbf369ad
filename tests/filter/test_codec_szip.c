/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static const ncz_codec_ops *ops;

TEST(configurations_are_read_and_written)
{
    ncz_array_type env = env_of(NCZ_KIND_INT, 4, 256);
    const void    *p;

    check_json("szip", "{\"mask\": 32, \"pixels-per-block\": 8}", &env,
               "{\"id\": \"szip\", \"mask\": 32, \"pixels-per-block\": 8}");
    check_json("szip", "{\"mask\": \"4\", \"pixels-per-block\": \"16\"}", &env,
               "{\"id\": \"szip\", \"mask\": 4, \"pixels-per-block\": 16}");
    check_json("szip", "{\"mask\": 169, \"pixels-per-block\": 32}", &env,
               "{\"id\": \"szip\", \"mask\": 169, \"pixels-per-block\": 32}");
    assert_int_equal(configure(ops, "{\"mask\": 32}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"pixels-per-block\": 8}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"mask\": 36, \"pixels-per-block\": 8}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"mask\": 32, \"pixels-per-block\": 34}", &env, &p), NC_EFILTER);
}

TEST(hdf5_parameters_are_read_and_written)
{
    ncz_array_type env = env_of(NCZ_KIND_INT, 4, 256);
    const void    *p;

    assert_int_equal(of_words(ops, 2, (const unsigned[]){32, 8}, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"szip\", \"mask\": 32, \"pixels-per-block\": 8}");
    assert_int_equal(of_words(ops, 4, (const unsigned[]){141, 8, 32, 64}, &env, &p), NC_NOERR);
    assert_int_equal(of_words(ops, 2, (const unsigned[]){32, 3}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 2, (const unsigned[]){32, 0}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 2, (const unsigned[]){32, 34}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 2, (const unsigned[]){8, 8}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 1, (const unsigned[]){32}, &env, &p), NC_EFILTER);
}

/* Rows of all lengths: shorter than a block, no multiple of one, longer than the longest scanline. */
TEST(rows_of_any_length_round_trip)
{
    static const size_t rows[] = {1, 7, 8, 9, 33, 127, 4096, 5000};
    static const size_t types[] = {1, 2, 4, 8};

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        for (size_t t = 0; t < NCZ_LEN(types); t++)
            for (int big = 0; big < 2; big++) {
                size_t         lines = rows[i] < 16 ? 20 : 3, n = rows[i] * lines * types[t], used;
                ncz_array_type env = env_of(NCZ_KIND_INT, types[t], n);
                const void    *p = configured(ops, "{\"mask\": 32, \"pixels-per-block\": 16}", &env);
                unsigned char *data = malloc(n), *back = malloc(n), *object;

                assert_non_null(data);
                assert_non_null(back);
                env.row = rows[i];
                env.dtype.big = big != 0;
                for (size_t k = 0; k < n; k++)
                    data[k] = (unsigned char)(k / 5 + k % 3);
                object = encoded(ops, p, &env, data, n, &used);
                assert_int_equal(decode_to(ops, p, &env, object, used, back, n), NC_NOERR);
                assert_memory_equal(back, data, n);
                free(object);
                free(back);
                free(data);
            }
}

TEST(chunks_that_do_not_fit_are_refused)
{
    ncz_array_type env = env_of(NCZ_KIND_BYTES, 3, 96);
    const void    *p = configured(ops, "{\"mask\": 32, \"pixels-per-block\": 16}", &env);
    unsigned char  data[96] = {0}, out[65536];
    size_t         used;

    assert_int_equal(ops->encode(p, &env, data, 96, out, sizeof out, &used), NC_EFILTER);
    env = env_of(NCZ_KIND_INT, 8, 96); /* fewer elements than a block has */
    assert_int_equal(ops->encode(p, &env, data, 96, out, sizeof out, &used), NC_EFILTER);
    env = env_of(NCZ_KIND_INT, 4, 96);
    assert_int_equal(ops->encode(p, &env, data, 95, out, sizeof out, &used), NC_EFILTER);
    assert_int_equal(ops->encode(p, &env, data, 96, out, 5, &used), NC_EFILTER);
}

/* The length in front is compared before anything is allocated for it. */
TEST(a_wrong_length_in_front_is_refused)
{
    static const unsigned char object[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    ncz_array_type             env = env_of(NCZ_KIND_INT, 4, 96);
    const void                *p = configured(ops, "{\"mask\": 32, \"pixels-per-block\": 8}", &env);
    unsigned char              back[96];

    assert_int_equal(decode_to(ops, p, &env, object, sizeof object, back, sizeof back), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "more than 96 bytes"));
}

int
main(void)
{
    ops = ncz_codec_by_id("szip");
    return run_file_tests(NULL, NULL);
}
