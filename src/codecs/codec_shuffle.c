/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shuffle: the first bytes of all elements, then the second bytes, and so on. Bytes after the last whole element stay
 * in their place.
 *
 * "elementsize": 0 has two meanings. netCDF-C writes it (or "0") for data that it shuffled with the true size; in
 * numcodecs 0 and 1 mean "do not shuffle". The rules (ncz_config_rules) choose the meaning. A number written as a
 * string comes from netCDF-C, since numcodecs refuses it. Our own definitions are written with the true size, which
 * both understand.
 */
#include "codecs/codec_int.h"
#include "codecs/kernel_int.h"

#include <string.h>

#define NUMCODECS_DEFAULT 4 /* the default element size */

typedef struct shuffle_state {
    int64_t size; /* bytes per element; 0 and 1: no shuffle */
} shuffle_state;

/* In a definition 1 means the true size, too: netCDF-C ignores the document and always uses the true size. */
static void
set_size(shuffle_state *s, int64_t size, ncz_config_rules rules, const ncz_array_type *in)
{
    int64_t least = rules == NCZ_CONFIG_NUMCODECS ? 0 : rules == NCZ_CONFIG_NETCDF ? 1 : 2;

    s->size = size;
    if (size < least)
        s->size = in->dtype.size > 0 && in->dtype.size <= INT32_MAX ? (int64_t)in->dtype.size : 1;
}

static int
shuffle_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                  void *state)
{
    bool    text = ncz_json_is(ncz_json_get(config, "elementsize"), NCZ_JSON_STRING);
    int64_t size;
    int     rc;

    if (text && rules == NCZ_CONFIG_NUMCODECS)
        rules = NCZ_CONFIG_NETCDF;
    size = rules == NCZ_CONFIG_NUMCODECS ? NUMCODECS_DEFAULT : 0;
    if ((rc = ncz_codec_int(config, ops->id, "elementsize", 0, INT32_MAX, &size)) == NC_NOERR)
        set_size(state, size, rules, in);
    return rc;
}

static void
shuffle_describe(const void *state, ncz_jsonw *w)
{
    const shuffle_state *s = state;

    ncz_jsonw_key(w, "elementsize");
    ncz_jsonw_i64(w, s->size);
}

static int
shuffle_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    int rc;

    if ((rc = ncz_codec_nwords(ops->id, n, 0, 1)) != NC_NOERR)
        return rc;
    if (n == 1 && (rc = ncz_codec_range(ops->id, "element size", words[0], 0, INT32_MAX)) != NC_NOERR)
        return rc;
    set_size(state, n == 1 ? words[0] : 0, NCZ_CONFIG_CALLER, in);
    return NC_NOERR;
}

static int
shuffle_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const shuffle_state *s = state;

    (void)in;
    words[0] = (unsigned)s->size;
    *n = 1;
    return NC_NOERR;
}

static bool
shuffle_shuffles(const void *state)
{
    const shuffle_state *s = state;

    return s->size > 1;
}

/* The bytes after the last whole element; all n for one-byte elements, which need no shuffle. */
static size_t
count_tail(size_t n, size_t size)
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
shuffle_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
               size_t *used)
{
    const shuffle_state *s = state;
    size_t               size = (size_t)s->size, tail = count_tail(n, size);

    (void)type;
    if (cap < n)
        return ncz_codec_too_long("shuffle", cap);
    if (tail < n)
        ncz_codec_spread(in, (n - tail) / size, size, out);
    copy_tail(in, n, tail, out);
    *used = n;
    return NC_NOERR;
}

static int
shuffle_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
               bool exact, size_t *used)
{
    const shuffle_state *s = state;
    size_t               size = (size_t)s->size, tail = count_tail(n, size);
    int                  rc;

    (void)type;
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
    .cls = NCZ_CODEC_BYTES_BYTES,
    .fixed = true,
    .state_size = sizeof(shuffle_state),
    .config.from_json = shuffle_from_json,
    .config.describe = shuffle_describe,
    .config.from_words = shuffle_from_words,
    .config.to_words = shuffle_to_words,
    .shuffles = shuffle_shuffles,
    .encode = shuffle_encode,
    .decode = shuffle_decode,
};
