/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shuffle: the first bytes of all elements, then the second bytes, and so on. Bytes behind the last whole element
 * stay where they are.
 *
 * "elementsize": 0 has two meanings. netCDF-C writes it (or "0") over data that it shuffled with the true size;
 * numcodecs takes 0 and 1 for "do not shuffle". The rules in the environment tell which one holds; a number written as
 * a string is netCDF-C's, since numcodecs refuses it. What we define is written with the true size, which both
 * understand.
 */
#include "filter/filter_int.h"
#include "filter/kernel_int.h"

#include <string.h>

#define NUMCODECS_DEFAULT 4 /* the element size of a configuration without one */

/* A definition with 1 means the true size, too: netCDF-C ignores what the document says and always uses that. */
static int
shuffle_set(int64_t size, ncz_config_rules rules, const ncz_codec_env *env, ncz_codec_params *out)
{
    int64_t least = rules == NCZ_CONFIG_NUMCODECS ? 0 : rules == NCZ_CONFIG_NETCDF ? 1 : 2;

    if (size < least)
        size = env->dtype.size > 0 && env->dtype.size <= INT32_MAX ? (int64_t)env->dtype.size : 1;
    *out = (ncz_codec_params){.v = {[NCZ_SHUFFLE_SIZE] = size}};
    return NC_NOERR;
}

static int
shuffle_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    bool             text = ncz_json_is(ncz_json_get(config, "elementsize"), NCZ_JSON_STRING);
    ncz_config_rules rules = text && env->rules == NCZ_CONFIG_NUMCODECS ? NCZ_CONFIG_NETCDF : env->rules;
    int64_t          size = rules == NCZ_CONFIG_NUMCODECS ? NUMCODECS_DEFAULT : 0;
    int              rc = ncz_codec_int(config, "shuffle", "elementsize", 0, INT32_MAX, &size);

    return rc != NC_NOERR ? rc : shuffle_set(size, rules, env, out);
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
    return shuffle_set(n == 1 ? words[0] : 0, NCZ_CONFIG_CALLER, env, out);
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

/* What is left of n bytes when the whole elements are taken off it; elements of one byte have nothing to shuffle. */
static size_t
tail_of(size_t n, size_t size)
{
    return size > 1 ? n % size : n;
}

static void
copy_tail(const void *in, size_t n, size_t tail, void *out)
{
    if (tail > 0)
        memcpy((unsigned char *)out + n - tail, (const unsigned char *)in + n - tail, tail);
}

static int
shuffle_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
               size_t *used)
{
    size_t size = (size_t)p->v[NCZ_SHUFFLE_SIZE], tail = tail_of(n, size);

    (void)env;
    if (cap < n)
        return ncz_codec_too_long("shuffle", cap);
    if (tail < n)
        ncz_codec_spread(in, (n - tail) / size, size, out);
    copy_tail(in, n, tail, out);
    *used = n;
    return NC_NOERR;
}

static int
shuffle_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
               bool exact, size_t *used)
{
    size_t size = (size_t)p->v[NCZ_SHUFFLE_SIZE], tail = tail_of(n, size);
    int    rc;

    (void)env;
    if ((rc = ncz_codec_check_size("shuffle", n, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (tail < n)
        ncz_codec_gather(in, (n - tail) / size, size, out);
    copy_tail(in, n, tail, out);
    *used = n;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_shuffle = {
    .id = "shuffle",
    .members = {"elementsize"},
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
