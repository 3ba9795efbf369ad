/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shuffle: the first bytes of all elements, then the second bytes, and so on. Bytes behind the last whole element
 * stay where they are.
 *
 * netcdf-c says "elementsize": 0 (or "0") over data that it shuffled with the true size, so 0 and absent are read as
 * the element size of the array; what we write is the true size.
 */
#include "filter/filter_int.h"

#include <string.h>

#define TILE 512 /* elements moved between two passes over the bytes of an element: stays in the first-level cache */

static int
shuffle_set(int64_t size, const ncz_codec_env *env, ncz_codec_params *out)
{
    if (size == 0)
        size = env->dtype.size > 0 && env->dtype.size <= INT32_MAX ? (int64_t)env->dtype.size : 1;
    *out = (ncz_codec_params){ .v = { [NCZ_SHUFFLE_SIZE] = size } };
    return NC_NOERR;
}

static int
shuffle_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    int64_t size = 0;
    int     rc = ncz_codec_int(config, "shuffle", "elementsize", 0, INT32_MAX, &size);

    return rc != NC_NOERR ? rc : shuffle_set(size, env, out);
}

static void
shuffle_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "elementsize");
    ncz_jsonw_i64(w, p->v[NCZ_SHUFFLE_SIZE]);
}

static int
shuffle_from_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out)
{
    int rc = ncz_codec_nwords("shuffle", n, 0, 1);

    if (rc != NC_NOERR)
        return rc;
    if (n == 1 && (rc = ncz_codec_range("shuffle", "element size", words[0], 0, INT32_MAX)) != NC_NOERR)
        return rc;
    return shuffle_set(n == 1 ? words[0] : 0, env, out);
}

static int
shuffle_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    (void)env;
    words[0] = (unsigned)p->v[NCZ_SHUFFLE_SIZE];
    *n = 1;
    return NC_NOERR;
}

static bool
shuffle_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    *out = n;
    return true;
}

/* Both kernels are inlined once for each usual size, so that the inner loops know their stride. */
static inline void
spread(const unsigned char *in, size_t count, size_t size, unsigned char *out)
{
    for (size_t at = 0; at < count; at += TILE) {
        size_t end = count - at < TILE ? count : at + TILE;

        for (size_t b = 0; b < size; b++)
            for (size_t i = at; i < end; i++)
                out[b * count + i] = in[i * size + b];
    }
}

static inline void
gather(const unsigned char *in, size_t count, size_t size, unsigned char *out)
{
    for (size_t at = 0; at < count; at += TILE) {
        size_t end = count - at < TILE ? count : at + TILE;

        for (size_t b = 0; b < size; b++)
            for (size_t i = at; i < end; i++)
                out[i * size + b] = in[b * count + i];
    }
}

static int
shuffle_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
               size_t *used)
{
    size_t size = (size_t)p->v[NCZ_SHUFFLE_SIZE];
    size_t count = size > 1 ? n / size : 0, whole = count * size;

    (void)env;
    if (cap < n)
        return ncz_codec_too_long("shuffle", cap);
    switch (size) {
    case 1: break; /* all of it is tail */
    case 2: spread(in, count, 2, out); break;
    case 4: spread(in, count, 4, out); break;
    case 8: spread(in, count, 8, out); break;
    default: spread(in, count, size, out); break;
    }
    if (n > whole)
        memcpy((unsigned char *)out + whole, (const unsigned char *)in + whole, n - whole);
    *used = n;
    return NC_NOERR;
}

static int
shuffle_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
               bool exact, size_t *used)
{
    size_t size = (size_t)p->v[NCZ_SHUFFLE_SIZE];
    size_t count = size > 1 ? n / size : 0, whole = count * size;
    int    rc;

    (void)env;
    if ((rc = ncz_codec_check_size("shuffle", n, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    switch (size) {
    case 1: break;
    case 2: gather(in, count, 2, out); break;
    case 4: gather(in, count, 4, out); break;
    case 8: gather(in, count, 8, out); break;
    default: gather(in, count, size, out); break;
    }
    if (n > whole)
        memcpy((unsigned char *)out + whole, (const unsigned char *)in + whole, n - whole);
    *used = n;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_shuffle = {
    .id = "shuffle",
    .hdf5_id = 2,
    .cls = NCZ_CODEC_BYTES,
    .fixed = true,
    .configure = shuffle_configure,
    .describe = shuffle_describe,
    .from_words = shuffle_from_words,
    .to_words = shuffle_to_words,
    .bound = shuffle_bound,
    .encode = shuffle_encode,
    .decode = shuffle_decode,
};
