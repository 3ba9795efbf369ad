/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: decoding with every codec, alone and behind another. The first bytes choose codec, parameters and the
 * size that is wanted (less than 1 MiB); the rest is the encoded object. With the top bit of the third byte set, a JSON
 * list of codecs up to a NUL comes first. Whatever it is, decoding must end in an error or in exactly what was wanted.
 */
#include "filter/filter.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ncz_codec_ops *
pick(uint8_t byte)
{
    size_t n = 0;

    while (ncz_codec_at(n) != NULL)
        n++;
    return ncz_codec_at(byte % n);
}

/* Parameters that decoding depends on: an element size, a mask and pixels per block. */
static ncz_codec_params
params_of(const ncz_codec_ops *ops, uint8_t byte)
{
    ncz_codec_params p = { .v = { 0 } };

    if (strcmp(ops->id, "shuffle") == 0)
        p.v[NCZ_SHUFFLE_SIZE] = 1 + byte % 16;
    if (strcmp(ops->id, "szip") == 0) {
        p.v[NCZ_SZIP_MASK] = (byte & 1) != 0 ? 4 : 32;
        p.v[NCZ_SZIP_PIXELS] = 2 + (byte >> 1) % 16 * 2;
    }
    return p;
}

/* The chain that a document asks for. */
static void
decode_as_said(const char *text, size_t size, const ncz_codec_env *env, void *out, size_t wanted)
{
    const char   *end = memchr(text, '\0', size);
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 16, .nbytes = 1 << 16};
    ncz_json     *filters = NULL;
    ncz_chain    *chain = NULL;

    if (end != NULL && ncz_json_parse(text, (size_t)(end - text), &opts, &filters, NULL) == NC_NOERR &&
        ncz_chain_parse(filters, NULL, env, 8, &chain) == NC_NOERR)
        ncz_chain_decode(chain, env, end + 1, size - (size_t)(end + 1 - text), out, wanted, false);
    ncz_chain_unref(chain);
    ncz_json_free(filters);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ncz_codec_ops *outer, *inner;
    ncz_codec_params     p;
    ncz_codec_env        env;
    ncz_chain           *one = NULL, *two = NULL;
    size_t               wanted;
    void                *out;

    if (size < HEAD)
        return 0;
    outer = pick(data[0]);
    inner = pick(data[1]);
    wanted = (data[3] | (size_t)data[4] << 8 | (size_t)(data[5] & 0x0f) << 16);
    env = (ncz_codec_env){ .chunk_bytes = wanted, .row = data[1] };
    env.dtype = (ncz_dtype){ .kind = NCZ_KIND_INT, .size = (size_t)1 << data[2] % 4, .big = (data[2] & 4) != 0 };
    if ((out = malloc(wanted + 1)) == NULL)
        return 0;
    if ((data[2] & 0x80) != 0) {
        decode_as_said((const char *)data + HEAD, size - HEAD, &env, out, wanted);
        free(out);
        return 0;
    }
    p = params_of(outer, data[5]);
    if (ncz_chain_with(NULL, outer, &p, false, &one) == NC_NOERR) {
        ncz_chain_decode(one, &env, data + HEAD, size - HEAD, out, wanted, false);
        p = params_of(inner, data[5]);
        if (ncz_chain_with(one, inner, &p, true, &two) == NC_NOERR)
            ncz_chain_decode(two, &env, data + HEAD, size - HEAD, out, wanted, false);
    }
    ncz_chain_unref(one);
    ncz_chain_unref(two);
    free(out);
    return 0;
}
