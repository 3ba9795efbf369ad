/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the filter module share: JSON in one line, an env, noise that repeats.
 */
#ifndef NCZ_FILTER_TESTING_H
#define NCZ_FILTER_TESTING_H

#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/test.h"

#include "filter/chain_int.h"

static inline ncz_json *
json_of(const char *text)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = 1 << 20};
    ncz_json     *doc = NULL;

    assert_int_equal(ncz_json_parse(text, strlen(text), &opts, &doc, NULL), NC_NOERR);
    return doc;
}

static inline ncz_array_type
env_of(ncz_kind kind, size_t size, size_t chunk_bytes)
{
    return (ncz_array_type){.dtype = {.kind = kind, .size = size}, .chunk_bytes = chunk_bytes};
}

/* ---- codecs and their states, which live until the test ends ---- */

static ncz_codec **codecs_made;
static size_t      ncodecs_made;

static inline const void *
keep_codec(ncz_codec *codec)
{
    codecs_made = realloc(codecs_made, (ncodecs_made + 1) * sizeof *codecs_made);
    assert_non_null(codecs_made);
    codecs_made[ncodecs_made++] = codec;
    return codec->state;
}

__attribute__((destructor)) static inline void
free_codecs(void)
{
    for (size_t i = 0; i < ncodecs_made; i++)
        ncz_codec_unref(codecs_made[i]);
    free(codecs_made);
}

/* A built-in codec by its id, also where only Zarr v3 has it. */
static inline const ncz_codec_ops *
codec_named(const char *id)
{
    const ncz_codec_ops *ops = ncz_codec_by_id(id);

    return ops != NULL ? ops : ncz_codec_by_v3_name(id);
}

/* In the spelling of numcodecs; of v3, without the name, where the codec has no other. */
static inline int
make_codec(const ncz_codec_ops *ops, const char *text, const ncz_array_type *env, ncz_codec **out)
{
    static const char frame[] = "{\"configuration\": ";
    ncz_json         *doc;
    char             *v3;
    int               rc;

    if (!ops->v3_only) {
        doc = json_of(text);
        rc = ncz_codec_from_json(ops, doc, env, NCZ_CONFIG_CALLER, out);
    } else {
        v3 = ncz_sprintf("%s%s}", frame, text);
        assert_non_null(v3);
        doc = json_of(v3);
        rc = ncz_codec_from_v3(ops, doc, env, out);
        ncz_free(v3);
    }
    ncz_json_free(doc);
    return rc;
}

static inline int
configure(const ncz_codec_ops *ops, const char *text, const ncz_array_type *env, const void **state)
{
    ncz_codec *codec = NULL;
    int        rc = make_codec(ops, text, env, &codec);

    *state = NULL;
    if (rc == NC_NOERR)
        *state = keep_codec(codec);
    return rc;
}

static inline const void *
configured(const ncz_codec_ops *ops, const char *text, const ncz_array_type *env)
{
    const void *state = NULL;

    assert_int_equal(configure(ops, text, env, &state), NC_NOERR);
    return state;
}

static inline int
of_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *env, const void **state)
{
    ncz_codec *codec = NULL;
    int        rc = ncz_codec_from_words(ops, n, words, env, &codec);

    *state = NULL;
    if (rc == NC_NOERR)
        *state = keep_codec(codec);
    return rc;
}

static inline bool
bound_of(const ncz_codec_ops *ops, const void *state, size_t n, size_t *out)
{
    *out = n;
    return ops->bound == NULL || ops->bound(state, n, out);
}

/* ncz_chain_with() of the codec of that configuration. */
static inline int
chain_with(const ncz_chain *base, const char *id, const char *text, const ncz_array_type *env, bool front,
           ncz_chain **out)
{
    const ncz_codec_ops *ops = ncz_codec_by_id(id);
    ncz_json            *doc = json_of(text);
    ncz_codec           *codec = NULL;
    int                  rc;

    assert_non_null(ops);
    rc = ncz_codec_from_json(ops, doc, env, NCZ_CONFIG_CALLER, &codec);
    if (rc == NC_NOERR)
        rc = ncz_chain_with(base, codec, env, front, out);
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    ncz_json_free(doc);
    return rc;
}

/* What a codec of a chain writes of itself, in fresh memory. */
static inline char *
written_codec(const ncz_codec *codec)
{
    ncz_buf   buf = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&buf);

    ncz_codec_describe(codec, &w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    return ncz_buf_take(&buf);
}

static inline void
check_codec(const ncz_codec *codec, const char *wanted)
{
    char *text = written_codec(codec);

    assert_string_equal(text, wanted);
    ncz_free(text);
}

/* The codec's whole JSON object, in fresh memory. */
static inline char *
described(const ncz_codec_ops *ops, const void *p)
{
    ncz_buf   buf = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&buf);

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "id");
    ncz_jsonw_cstr(&w, ops->id);
    if (ops->config.describe != NULL)
        ops->config.describe(p, &w);
    ncz_jsonw_close_object(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    return ncz_buf_take(&buf);
}

static inline void
check_json_of(const ncz_codec_ops *ops, const void *p, const char *wanted)
{
    char *text = described(ops, p);

    assert_string_equal(text, wanted);
    ncz_free(text);
}

/* Reads `text` and compares what is written from it. */
static inline void
check_json(const char *id, const char *text, const ncz_array_type *env, const char *written)
{
    const ncz_codec_ops *ops = ncz_codec_by_id(id);

    assert_non_null(ops);
    check_json_of(ops, configured(ops, text, env), written);
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
encoded(const ncz_codec_ops *ops, const void *p, const ncz_array_type *env, const void *in, size_t n, size_t *used)
{
    unsigned char *out, *exact;
    size_t         cap;

    assert_true(bound_of(ops, p, n, &cap));
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
decode_to(const ncz_codec_ops *ops, const void *p, const ncz_array_type *env, const void *in, size_t nin, void *out,
          size_t n)
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

/* Bytes from hexadecimal digits; blanks are skipped. */
static inline size_t
from_hex(const char *hex, unsigned char *out)
{
    size_t n = 0;

    for (unsigned v; *hex != '\0'; hex += *hex == ' ' ? 1 : 2)
        if (*hex != ' ' && sscanf(hex, "%2x", &v) == 1)
            out[n++] = (unsigned char)v;
    return n;
}

#endif /* NCZ_FILTER_TESTING_H */
