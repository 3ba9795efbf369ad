/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of Zarr v3's codecs share: documents, and chains for an array of 4 x 6 elements.
 */
#ifndef NCZ_V3_TESTING_H
#define NCZ_V3_TESTING_H

#include "filter_testing.h"

#include <stdio.h>

#define LITTLE "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define BIG    "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}"
#define CRC    "{\"name\": \"crc32c\", \"configuration\": {}}"
#define GZIP   "{\"name\": \"gzip\", \"configuration\": {\"level\": 5}}"
#define ORDER  "{\"name\": \"transpose\", \"configuration\": {\"order\": [1,0]}}"
#define USUAL  LITTLE ",{\"name\": \"crc32c\"}"
#define SHARD(shape, codecs, index, where)                                                                           \
    "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": " shape ", \"codecs\": [" codecs          \
    "], \"index_codecs\": [" index "], \"index_location\": \"" where "\"}}"

static const uint64_t v3_shape[2] = {4, 6};

static inline ncz_array_type
type_of(ncz_kind kind, size_t size)
{
    return (ncz_array_type){
        .dtype = {.kind = kind, .size = size}, .chunk_bytes = 24 * size, .row = 6, .rank = 2, .shape = v3_shape};
}

static inline int
parse(const char *text, const ncz_array_type *in, ncz_v3_codecs *out)
{
    ncz_json *doc = json_of(text);
    int       rc;

    ncz_err_clear();
    rc = ncz_chain_parse_v3(doc, in, 12, out);
    ncz_json_free(doc);
    return rc;
}

static inline ncz_v3_codecs
parsed(const char *text, const ncz_array_type *in)
{
    ncz_v3_codecs c;

    if (parse(text, in, &c) != NC_NOERR)
        fail_msg("%s: %s", text, ncz_err_text());
    return c;
}

static inline void
check_written(const ncz_v3_codecs *c, const ncz_array_type *in, const char *wanted)
{
    ncz_buf   out = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&out);

    assert_int_equal(ncz_chain_write_v3(c, in, &w), NC_NOERR);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), wanted);
    ncz_buf_clear(&out);
}

/* The text must mention `why`. */
static inline void
check_refused(const char *text, const ncz_array_type *in, int rc, const char *why)
{
    ncz_v3_codecs c;

    assert_int_equal(parse(text, in, &c), rc);
    if (strstr(ncz_err_text(), why) == NULL)
        fail_msg("%s: %s", text, ncz_err_text());
    assert_null(c.chain);
    assert_null(c.order);
    assert_null(c.inner);
}

/* Encodes and compares with the digits, decodes and compares with the input. */
static inline void
check_bytes(const ncz_chain *c, const void *in, size_t n, const char *hex)
{
    unsigned char wanted[512], *back = malloc(n);
    size_t        nwanted = from_hex(hex, wanted);
    ncz_buf       out = NCZ_BUF_INIT;

    assert_non_null(back);
    assert_int_equal(ncz_chain_encode(c, NULL, in, n, &out), NC_NOERR);
    assert_int_equal(out.len, nwanted);
    assert_memory_equal(out.data, wanted, nwanted);
    assert_int_equal(ncz_chain_decode(c, NULL, wanted, nwanted, back, n, false), NC_NOERR);
    assert_memory_equal(back, in, n);
    ncz_buf_clear(&out);
    free(back);
}

#endif /* NCZ_V3_TESTING_H */
