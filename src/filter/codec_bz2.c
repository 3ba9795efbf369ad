/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bz2, through libbz2. An object may be several streams one behind the other.
 */
#include "filter/filter_int.h"

#include <bzlib.h>

#include <string.h>

static void *
bz_get(void *opaque, int n, int item)
{
    (void)opaque;
    return ncz_alloc_n((size_t)n, (size_t)item);
}

static void
bz_put(void *opaque, void *p)
{
    (void)opaque;
    ncz_free(p);
}

static int
bz_fail(int brc)
{
    switch (brc) {
    case BZ_MEM_ERROR: return ncz_fail(NC_ENOMEM, "codec 'bz2': out of memory");
    case BZ_DATA_ERROR_MAGIC: return ncz_fail(NC_EFILTER, "codec 'bz2': not a bzip2 stream");
    case BZ_DATA_ERROR: return ncz_fail(NC_EFILTER, "codec 'bz2': the data are corrupt");
    default: return ncz_fail(NC_EFILTER, "codec 'bz2': error %d of libbz2", brc);
    }
}

static int
bz2_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_CODEC_LEVEL] = 1}};
    int              rc = ncz_codec_int(config, "bz2", "level", 1, 9, &p.v[NCZ_CODEC_LEVEL]);

    (void)env;
    if (rc == NC_NOERR)
        *out = p;
    return rc;
}

static void
bz2_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "level");
    ncz_jsonw_i64(w, p->v[NCZ_CODEC_LEVEL]);
}

static int
bz2_from_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out)
{
    int rc;

    (void)env;
    if ((rc = ncz_codec_nwords("bz2", n, 1, 1)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range("bz2", "level", words[0], 1, 9)) != NC_NOERR)
        return rc;
    *out = (ncz_codec_params){.v = {[NCZ_CODEC_LEVEL] = words[0]}};
    return NC_NOERR;
}

static int
bz2_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    (void)env;
    words[0] = (unsigned)p->v[NCZ_CODEC_LEVEL];
    *n = 1;
    return NC_NOERR;
}

/* libbz2's own promise. */
static bool
bz2_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    return ncz_add(n, n / 100 + 601, out);
}

static int
compress_all(bz_stream *z, size_t in_left, size_t out_left)
{
    int brc;

    do {
        if (z->avail_in == 0)
            z->avail_in = ncz_codec_take(&in_left);
        if (z->avail_out == 0)
            z->avail_out = ncz_codec_take(&out_left);
        brc = BZ2_bzCompress(z, in_left == 0 ? BZ_FINISH : BZ_RUN);
    } while ((brc == BZ_RUN_OK || brc == BZ_FINISH_OK) && (z->avail_out > 0 || out_left > 0));
    return brc;
}

static int
bz2_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    bz_stream z = {.bzalloc = bz_get, .bzfree = bz_put, .next_in = (char *)(uintptr_t)in, .next_out = out};
    int       rc = NC_NOERR, brc;

    (void)env;
    if ((brc = BZ2_bzCompressInit(&z, (int)p->v[NCZ_CODEC_LEVEL], 0, 0)) != BZ_OK)
        return bz_fail(brc);
    brc = compress_all(&z, n, cap);
    if (brc == BZ_STREAM_END)
        *used = (size_t)(z.next_out - (char *)out);
    else if (brc == BZ_RUN_OK || brc == BZ_FINISH_OK)
        rc = ncz_fail(NC_EFILTER, "codec 'bz2': does not fit into %zu bytes", cap);
    else
        rc = bz_fail(brc);
    BZ2_bzCompressEnd(&z);
    return rc;
}

/* The next stream of the same object: libbz2 has no reset, but the windows on input and output stay. */
static int
next_stream(bz_stream *z)
{
    BZ2_bzDecompressEnd(z);
    return BZ2_bzDecompressInit(z, 0, 0);
}

/* Whether another stream follows: what does not begin like one is left over from something longer. */
static bool
stream_follows(const char *in, size_t n)
{
    return n >= 3 && memcmp(in, "BZh", 3) == 0;
}

/* Runs to the end of the last stream (`exact`: that is needed). *got bytes come out, *tail are behind it. */
static int
decompress_all(bz_stream *z, size_t n, size_t most, bool exact, size_t *got, size_t *tail)
{
    size_t in_left = n, out_left = most;
    char   spare; /* the byte behind the output: a stream that writes it is too long */
    bool   full = false;

    for (;;) {
        int brc;

        if (z->avail_in == 0)
            z->avail_in = ncz_codec_take(&in_left);
        if (z->avail_out == 0 && (z->avail_out = ncz_codec_take(&out_left)) == 0) {
            full = true;
            z->next_out = &spare;
            z->avail_out = 1;
        }
        brc = BZ2_bzDecompress(z);
        if (full && z->avail_out == 0)
            return ncz_codec_too_long("bz2", most);
        if (brc == BZ_STREAM_END) {
            *got = full ? most : most - out_left - z->avail_out;
            *tail = z->avail_in + in_left;
            if ((exact && *got == most) || !stream_follows(z->next_in, *tail))
                return NC_NOERR;
            brc = next_stream(z);
        } else if (brc == BZ_OK && z->avail_in == 0 && in_left == 0 && z->avail_out > 0)
            return ncz_codec_cut_short("bz2", n);
        if (brc != BZ_OK)
            return bz_fail(brc);
    }
}

static int
bz2_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           bool exact, size_t *used)
{
    bz_stream z = {.bzalloc = bz_get, .bzfree = bz_put, .next_in = (char *)(uintptr_t)in, .next_out = out};
    size_t    most = *used < cap ? *used : cap, got = 0, tail = 0;
    int       rc, brc;

    (void)p;
    (void)env;
    if ((brc = BZ2_bzDecompressInit(&z, 0, 0)) != BZ_OK)
        return bz_fail(brc);
    rc = decompress_all(&z, n, most, exact, &got, &tail);
    BZ2_bzDecompressEnd(&z); /* refuses, harmlessly, when next_stream() could not begin one */
    if (rc != NC_NOERR || (rc = ncz_codec_check_size("bz2", got, most, exact)) != NC_NOERR)
        return rc;
    ncz_codec_tail("bz2", tail);
    *used = got;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_bz2 = {
    .id = "bz2",
    .members = {"level"},
    .hdf5_id = 307,
    .cls = NCZ_CODEC_BYTES,
    .configure = bz2_configure,
    .describe = bz2_describe,
    .from_words = bz2_from_words,
    .to_words = bz2_to_words,
    .bound = bz2_bound,
    .encode = bz2_encode,
    .decode = bz2_decode,
};
