/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: decoding with every codec, alone and behind another. The first bytes choose codec, parameters and the
 * size that is wanted (less than 1 MiB); the rest is the encoded object. With the top bit of the third byte set, a
 * JSON list of codecs up to a NUL comes first, and the second byte is the length of a row, if whole rows are wanted.
 * With the next bit too, the array is one of objects; the one after that makes them sequences of short integers, and
 * other arrays those of UCS-4. Whatever it is, decoding must end in an error or in exactly what was wanted; texts must
 * lie within their block, and what was decoded from them can be encoded again.
 *
 * With NCZ_FUZZ_REACHED set the end of the run tells of each codec how many objects it decoded: tests/fuzz/run looks
 * that the corpus leaves none out.
 */
#include "filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 6

#define JSON_BIT   0x80
#define OBJECT_BIT 0x40
#define UCS4_BIT   0x20
#define MOST       ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned long decoded[64]; /* objects, by the codec's place in the registry */

/* A chain decoded something: so did each of its codecs. */
static void
reached(const ncz_chain *c)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++)
        for (size_t k = 0; k < NCZ_LEN(decoded) && ncz_codec_at(k) != NULL; k++)
            decoded[k] += ncz_codec_at(k) == ncz_codec_ops_of(ncz_chain_codec(c, i));
}

static void
tell(void)
{
    for (size_t k = 0; k < NCZ_LEN(decoded) && ncz_codec_at(k) != NULL && !ncz_codec_at(k)->v3_only; k++)
        fprintf(stderr, "reached %s %lu\n", ncz_codec_at(k)->id, decoded[k]);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (getenv("NCZ_FUZZ_REACHED") != NULL)
        atexit(tell);
    return 0;
}

/* Of those that a Zarr v2 document can name: `bytes`, which cannot fail, is the last. */
static const ncz_codec_ops *
pick(uint8_t byte)
{
    size_t n = 0;

    while (ncz_codec_at(n) != NULL && !ncz_codec_at(n)->v3_only)
        n++;
    return ncz_codec_at(byte % n);
}

/* With a configuration that decoding depends on: an element size, a mask and pixels per block. NULL: the codec needs
 * no configuration. */
static ncz_codec *
make_codec(const ncz_codec_ops *ops, uint8_t byte, const ncz_array_type *type)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 16, .nbytes = 1 << 16};
    ncz_json     *config = NULL;
    ncz_codec    *codec = NULL;
    char          text[80] = "{}";

    if (strcmp(ops->id, "shuffle") == 0)
        snprintf(text, sizeof text, "{\"elementsize\": %d}", 1 + byte % 16);
    else if (strcmp(ops->id, "szip") == 0)
        snprintf(text, sizeof text, "{\"mask\": %d, \"pixels-per-block\": %d}", (byte & 1) != 0 ? 4 : 32,
                 2 + (byte >> 1) % 16 * 2);
    else if (strcmp(ops->id, "delta") == 0)
        snprintf(text, sizeof text, "{\"dtype\": \"|i1\"}");
    else if (strcmp(ops->id, "astype") == 0)
        snprintf(text, sizeof text, "{\"encode_dtype\": \"|i1\", \"decode_dtype\": \"|i1\"}");
    else if (strcmp(ops->id, "bitround") == 0)
        snprintf(text, sizeof text, "{\"keepbits\": 5}");
    if (ncz_json_parse(text, strlen(text), &opts, &config, NULL) == NC_NOERR)
        (void)ncz_codec_from_json(ops, config, type, NCZ_CONFIG_NUMCODECS, &codec);
    ncz_json_free(config);
    return codec;
}

static void
check(bool good)
{
    if (!good)
        abort();
}

static void
decode(const ncz_chain *c, const void *in, size_t n, void *out, size_t wanted)
{
    if (ncz_chain_decode(c, NULL, in, n, out, wanted, false) == NC_NOERR)
        reached(c);
}

static void
decode_texts(ncz_chain *c, const ncz_array_type *type, const void *in, size_t nin, size_t nelems)
{
    ncz_buf               block = NCZ_BUF_INIT, object = NCZ_BUF_INIT, again = NCZ_BUF_INIT;
    const ncz_vlen_block *t;
    const char           *end;
    int                   rc;

    if (ncz_chain_decode_vlen(c, NULL, in, nin, nelems, MOST, &block) != NC_NOERR)
        goto done;
    reached(c);
    t = ncz_vlen_in(&block);
    end = (const char *)t + ncz_vlen_nbytes(t);
    check(ncz_vlen_len(t) == nelems && ncz_vlen_nbytes(t) <= block.len);
    for (size_t i = 0; i < nelems; i++) {
        ncz_vlen_item text = ncz_vlen_at(t, i);

        check(text.s >= (const char *)t && text.s <= end && text.len <= (size_t)(end - text.s));
    }
    rc = ncz_chain_encode_vlen(c, NULL, t, &object);
    check(rc == NC_NOERR || rc == NC_EFILTER || rc == NC_ENOMEM || rc == NC_EINVAL);
    if (rc == NC_NOERR) {
        ncz_array_type flat = *type;
        ncz_chain     *in_c_order = NULL;

        flat.order = NULL; /* what we write is never nested */
        check(ncz_chain_retype(c, &flat, &in_c_order) == NC_NOERR);
        rc = ncz_chain_decode_vlen(in_c_order, NULL, object.data, object.len, nelems, 8 * MOST, &again);
        check(rc == NC_NOERR);
        ncz_chain_unref(in_c_order);
    }
done:
    ncz_buf_clear(&block);
    ncz_buf_clear(&object);
    ncz_buf_clear(&again);
}

/* The chain that a document asks for. */
static void
decode_as_said(const char *text, size_t size, const ncz_array_type *type, void *out, size_t wanted)
{
    const char   *end = memchr(text, '\0', size);
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 16, .nbytes = 1 << 16};
    ncz_json     *filters = NULL;
    ncz_chain    *chain = NULL;

    if (end != NULL && ncz_json_parse(text, (size_t)(end - text), &opts, &filters, NULL) == NC_NOERR &&
        ncz_chain_parse(filters, NULL, type, NCZ_CONFIG_CALLER, 8, &chain) == NC_NOERR) {
        size_t  n = size - (size_t)(end + 1 - text);
        ncz_buf f = NCZ_BUF_INIT, z = NCZ_BUF_INIT;

        /* Whatever it is, it can be written, as far as v2 has it. */
        check(ncz_chain_check_spelling(chain, NCZ_SPELLING_NUMCODECS) != NC_NOERR ||
              ncz_chain_write(chain, &f, &z) == NC_NOERR);
        if (ncz_chain_objects(chain))
            decode_texts(chain, type, end + 1, n, wanted / NCZ_OBJECT_SIZE);
        else
            decode(chain, end + 1, n, out, wanted);
        ncz_buf_clear(&f);
        ncz_buf_clear(&z);
    }
    ncz_chain_unref(chain);
    ncz_json_free(filters);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ncz_codec_ops  *outer, *inner;
    static const unsigned fortran[2] = {1, 0};
    ncz_codec            *first, *second;
    ncz_array_type        env;
    ncz_chain            *one = NULL, *two = NULL;
    uint64_t              shape[2];
    size_t                wanted;
    void                 *out;

    if (size < HEAD)
        return 0;
    outer = pick(data[0]);
    inner = pick(data[1]);
    wanted = (data[3] | (size_t)data[4] << 8 | (size_t)(data[5] & 0x0f) << 16);
    env = (ncz_array_type){.chunk_bytes = wanted, .row = data[1]};
    env.dtype = (ncz_dtype){.kind = NCZ_KIND_INT, .size = (size_t)1 << data[2] % 4, .big = (data[2] & 4) != 0};
    if ((out = malloc(wanted + 1)) == NULL)
        return 0;
    if ((data[2] & JSON_BIT) != 0) {
        env.rank = 2;
        env.order = (data[2] & 0x10) != 0 ? fortran : NULL;
        if ((data[2] & OBJECT_BIT) != 0)
            env.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT,
                                    .size = NCZ_OBJECT_SIZE,
                                    .items = (data[2] & UCS4_BIT) != 0 ? ncz_type_of(NC_SHORT) : NULL};
        else if ((data[2] & UCS4_BIT) != 0)
            env.dtype = (ncz_dtype){.kind = NCZ_KIND_UCS4, .size = 4 * (size_t)(1 + data[0])};
        shape[1] = data[1];
        shape[0] = data[1] == 0 ? 0 : wanted / env.dtype.size / data[1];
        if (data[1] != 0 && shape[0] * shape[1] * env.dtype.size == wanted)
            env.shape = shape;
        decode_as_said((const char *)data + HEAD, size - HEAD, &env, out, wanted);
        free(out);
        return 0;
    }
    first = make_codec(outer, data[5], &env);
    second = make_codec(inner, data[5], &env);
    if (first != NULL && ncz_chain_with(NULL, first, &env, false, &one) == NC_NOERR) {
        decode(one, data + HEAD, size - HEAD, out, wanted);
        if (second != NULL && ncz_chain_with(one, second, &env, true, &two) == NC_NOERR)
            decode(two, data + HEAD, size - HEAD, out, wanted);
    }
    ncz_codec_unref(first);
    ncz_codec_unref(second);
    ncz_chain_unref(one);
    ncz_chain_unref(two);
    free(out);
    return 0;
}
