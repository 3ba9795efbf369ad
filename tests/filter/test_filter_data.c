/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks that netcdf-c wrote, with the documents that belong to them, decode to the values that it was given. The
 * "_strings" cases are from releases that write every number of a codec as a string.
 */
#include "filter_testing.h"

#include <stdio.h>

typedef struct stored {
    const char *array, *chunk;
    size_t      nelems;
    int         first; /* the values are first, first + 1 ... up to 8, then fill */
    const char *needs; /* optional codec */
} stored;

static const stored arrays[] = {
    {"filters_std/shuf", "0", 8, 1, "zlib"},
    {"filters_std/shufdef", "0", 8, 1, "zlib"},
    {"filters_std/f32", "0", 8, 1, "zlib"},
    {"filters_std/f32def", "0", 8, 1, "zlib"},
    {"filters_std_strings/shuf", "0", 8, 1, "zlib"},
    {"filters_std_strings/shufdef", "0", 8, 1, "zlib"},
    {"filters_std_strings/f32", "0", 8, 1, "zlib"},
    {"filters_std_strings/f32def", "0", 8, 1, "zlib"},
    {"deflate5/v", "0", 4, 1, "zlib"},
    {"deflate5/v", "1", 4, 5, "zlib"},
    {"blosc_lz4/v", "0", 64, 1, "blosc"},
    {"blosc_lz4_strings/v", "0", 64, 1, "blosc"},
    {"zstd/v", "0", 64, 1, "zstd"},
    {"zstd_strings/v", "0", 64, 1, "zstd"},
    {"bzip2/v", "0", 64, 1, "bz2"},
    {"szip/v", "0", 64, 1, "szip"},
};

static char *
read_object(const char *array, const char *key, size_t *len)
{
    return test_data(scratch_path(scratch_path("filter", array), key), len);
}

static ncz_chain *
chain_of(const char *array, const ncz_array_type *env)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 16, .nbytes = 4096};
    ncz_chain    *chain = NULL;
    ncz_json     *doc;
    size_t        len;
    char         *text = read_object(array, ".zarray", &len);

    assert_int_equal(ncz_json_parse(text, len, &opts, &doc, NULL), NC_NOERR);
    assert_int_equal(ncz_chain_parse(ncz_json_get(doc, "filters"), ncz_json_get(doc, "compressor"), env,
                                     NCZ_CONFIG_CALLER, 32, &chain),
                     NC_NOERR);
    ncz_json_free(doc);
    free(text);
    return chain;
}

TEST(integers_of_netcdf_c_decode)
{
    for (size_t i = 0; i < NCZ_LEN(arrays); i++) {
        const stored  *s = &arrays[i];
        ncz_array_type env = env_of(NCZ_KIND_INT, 4, s->nelems * 4);
        unsigned char  values[256];
        ncz_chain     *chain;
        char          *object;
        size_t         len;

        if (ncz_codec_by_id(s->needs) == NULL)
            continue;
        chain = chain_of(s->array, &env);
        object = read_object(s->array, s->chunk, &len);
        assert_int_equal(ncz_chain_decode(chain, NULL, object, len, values, s->nelems * 4, false), NC_NOERR);
        for (size_t k = 0; k < s->nelems; k++) {
            uint32_t got = values[4 * k] | (uint32_t)values[4 * k + 1] << 8 | (uint32_t)values[4 * k + 2] << 16 |
                           (uint32_t)values[4 * k + 3] << 24;

            assert_int_equal((int32_t)got, k < 8 ? s->first + (int)k : NC_FILL_INT);
        }
        for (size_t n = 0; n < len; n++)
            assert_int_not_equal(ncz_chain_decode(chain, NULL, object, n, values, s->nelems * 4, false), NC_NOERR);
        free(object);
        ncz_chain_unref(chain);
    }
}

/* shuffle (elementsize 0), zlib 0, zstd 3, bz2 5 over doubles. */
TEST(chains_of_netcdf_c_decode)
{
    ncz_array_type env = env_of(NCZ_KIND_FLOAT, 8, 512);
    unsigned char  bytes[512];
    ncz_chain     *chain;
    char          *object;
    size_t         len;

    if (ncz_codec_by_id("zstd") == NULL || ncz_codec_by_id("bz2") == NULL)
        skip();
    chain = chain_of("multifilter/v", &env);
    assert_int_equal(ncz_chain_len(chain), 4);
    object = read_object("multifilter/v", "0", &len);
    assert_int_equal(ncz_chain_decode(chain, NULL, object, len, bytes, sizeof bytes, false), NC_NOERR);
    for (size_t k = 0; k < 64; k++) {
        uint64_t bits = 0;
        double   got, wanted = k < 8 ? (double)k + 1 : NC_FILL_DOUBLE;

        for (size_t b = 0; b < 8; b++)
            bits |= (uint64_t)bytes[8 * k + b] << 8 * b;
        memcpy(&got, &bits, sizeof got);
        assert_true(got == wanted);
    }
    free(object);
    ncz_chain_unref(chain);
}

/* Our bytes are netcdf-c's, but for zlib's: it has many relatives, and each has its own. */
TEST(the_bytes_are_those_of_netcdf_c)
{
    static const char *const same[] = {"filters_std/f32", "bzip2/v", "szip/v"};

    for (size_t i = 0; i < NCZ_LEN(same); i++) {
        size_t         n = i == 0 ? 32 : 256, len;
        ncz_array_type env = env_of(NCZ_KIND_INT, 4, n);
        ncz_buf        again = NCZ_BUF_INIT;
        unsigned char  values[256];
        ncz_chain     *chain = chain_of(same[i], &env);
        char          *object = read_object(same[i], "0", &len);

        if (ncz_chain_usable(chain) == NC_NOERR) {
            assert_int_equal(ncz_chain_decode(chain, NULL, object, len, values, n, false), NC_NOERR);
            assert_int_equal(ncz_chain_encode(chain, NULL, values, n, &again), NC_NOERR);
            assert_int_equal(again.len, len);
            assert_memory_equal(again.data, object, len);
        }
        ncz_buf_clear(&again);
        free(object);
        ncz_chain_unref(chain);
    }
}
