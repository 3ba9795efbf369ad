/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the filter module share: JSON in one line, an env, noise that repeats.
 */
#ifndef NCZ_FILTER_TESTING_H
#define NCZ_FILTER_TESTING_H

#include "support/failing_alloc.h"
#include "support/test.h"

#include "filter/filter.h"

static inline ncz_json *
json_of(const char *text)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = 1 << 20};
    ncz_json     *doc = NULL;

    assert_int_equal(ncz_json_parse(text, strlen(text), &opts, &doc, NULL), NC_NOERR);
    return doc;
}

static inline ncz_codec_env
env_of(ncz_kind kind, size_t size, size_t chunk_bytes)
{
    return (ncz_codec_env){.dtype = {.kind = kind, .size = size}, .chunk_bytes = chunk_bytes};
}

static inline int
configure(const ncz_codec_ops *ops, const char *text, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_json *doc = json_of(text);
    int       rc = ops->configure(doc, env, out);

    ncz_json_free(doc);
    return rc;
}

/* The codec's whole JSON object, in fresh memory. */
static inline char *
described(const ncz_codec_ops *ops, const ncz_codec_params *p)
{
    ncz_buf   buf = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&buf);

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "id");
    ncz_jsonw_cstr(&w, ops->id);
    ops->describe(p, &w);
    ncz_jsonw_close_object(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    return ncz_buf_take(&buf);
}

/* Reads `text` and compares what is written from it. */
static inline void
check_json(const char *id, const char *text, const ncz_codec_env *env, const char *written)
{
    const ncz_codec_ops *ops = ncz_codec_by_id(id);
    ncz_codec_params     p;
    char                *got;

    assert_non_null(ops);
    assert_int_equal(configure(ops, text, env, &p), NC_NOERR);
    got = described(ops, &p);
    assert_string_equal(got, written);
    ncz_free(got);
}

static inline uint32_t
noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline unsigned char *
encoded(const ncz_codec_ops *ops, const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n,
        size_t *used)
{
    unsigned char *out, *exact;
    size_t         cap;

    assert_true(ops->bound(p, n, &cap));
    out = malloc(cap);
    assert_non_null(out);
    assert_int_equal(ops->encode(p, env, in, n, out, cap, used), NC_NOERR);
    assert_true(*used <= cap);
    exact = malloc(*used != 0 ? *used : 1); /* to the byte, so that a read behind it is seen */
    assert_non_null(exact);
    memcpy(exact, out, *used);
    free(out);
    return exact;
}

/* Decodes `in` from memory of exactly its size into memory of exactly n bytes. */
static inline int
decode_to(const ncz_codec_ops *ops, const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t nin,
          void *out, size_t n)
{
    unsigned char *copy = malloc(nin != 0 ? nin : 1), *room = malloc(n != 0 ? n : 1);
    size_t         used = n;
    int            rc;

    assert_non_null(copy);
    assert_non_null(room);
    if (nin != 0)
        memcpy(copy, in, nin);
    rc = ops->decode(p, env, copy, nin, room, n, true, &used);
    if (rc == NC_NOERR) {
        assert_int_equal(used, n);
        if (n != 0)
            memcpy(out, room, n);
    }
    free(copy);
    free(room);
    return rc;
}

#endif /* NCZ_FILTER_TESTING_H */
