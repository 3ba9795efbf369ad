/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zstd, through libzstd. Decoding goes straight into memory of the allowed size, never through a window buffer, so a
 * frame cannot ask for memory; frames without a content size, several frames and skippable ones are all the same.
 * Each thread keeps an encoder and a decoder.
 */
#include "filter/filter_int.h"
#include "filter/thread_cache_int.h"
#include "filter/stream_int.h"

#include <zstd.h>
#include <zstd_errors.h>

static int
zstd_fail(size_t zrc)
{
    int code = ZSTD_getErrorCode(zrc) == ZSTD_error_memory_allocation ? NC_ENOMEM : NC_EFILTER;

    return ncz_fail(code, "codec 'zstd': %s", ZSTD_getErrorName(zrc));
}

/* "checksum" is a truth value; a number does too. */
static int
checksum_flag(const ncz_json *config, int64_t *v)
{
    bool on;

    if (ncz_json_bool(ncz_json_get(config, "checksum"), &on)) {
        *v = on;
        return NC_NOERR;
    }
    return ncz_codec_int(config, "zstd", "checksum", 0, 1, v);
}

/*
 * netcdf-c writes a negative level as the unsigned number of the same bits. Levels that the library does not have
 * are let through: writers that clamp them leave the unclamped number in the document, and reading does not need it.
 */
static int
zstd_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_CODEC_LEVEL] = 1}};
    int64_t         *level = &p.v[NCZ_CODEC_LEVEL];
    int              rc;

    (void)env;
    if ((rc = ncz_codec_int(config, "zstd", "level", INT32_MIN, UINT32_MAX, level)) != NC_NOERR)
        return rc;
    if ((rc = checksum_flag(config, &p.v[NCZ_ZSTD_CHECKSUM])) != NC_NOERR)
        return rc;
    if (*level > INT32_MAX)
        *level -= (int64_t)UINT32_MAX + 1;
    *out = p;
    return NC_NOERR;
}

static void
zstd_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "level");
    ncz_jsonw_i64(w, p->v[NCZ_CODEC_LEVEL]);
    if (p->v[NCZ_ZSTD_CHECKSUM] != 0) { /* older readers refuse it, so it stands only where it says something */
        ncz_jsonw_key(w, "checksum");
        ncz_jsonw_bool(w, true);
    }
}

static int
zstd_from_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out)
{
    int64_t level;
    int     rc;

    (void)env;
    if ((rc = ncz_codec_nwords("zstd", n, 1, 1)) != NC_NOERR)
        return rc;
    level = words[0] > INT32_MAX ? (int64_t)words[0] - UINT32_MAX - 1 : (int64_t)words[0];
    if ((rc = ncz_codec_range("zstd", "level", level, ZSTD_minCLevel(), ZSTD_maxCLevel())) != NC_NOERR)
        return rc;
    *out = (ncz_codec_params){.v = {[NCZ_CODEC_LEVEL] = level}};
    return NC_NOERR;
}

static int
zstd_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    (void)env;
    words[0] = (unsigned)p->v[NCZ_CODEC_LEVEL];
    *n = 1;
    return NC_NOERR;
}

static bool
zstd_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    size_t most = ZSTD_compressBound(n);

    (void)p;
    if (ZSTD_isError(most) || most < n)
        return false;
    *out = most;
    return true;
}

static void *
encoder_make(void)
{
    return ZSTD_createCCtx();
}

static void
encoder_drop(void *ctx)
{
    ZSTD_freeCCtx(ctx);
}

static int
zstd_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    ZSTD_CCtx *ctx = ncz_codec_thread_get(NCZ_SLOT_ZSTD_ENCODER, encoder_make, encoder_drop);
    size_t     zrc;
    int        rc = NC_NOERR;

    (void)env;
    if (ctx == NULL)
        return ncz_fail(NC_ENOMEM, "codec 'zstd': out of memory");
    zrc = ZSTD_CCtx_reset(ctx, ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(zrc))
        zrc = ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, (int)p->v[NCZ_CODEC_LEVEL]);
    if (!ZSTD_isError(zrc))
        zrc = ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, (int)p->v[NCZ_ZSTD_CHECKSUM]);
    if (!ZSTD_isError(zrc))
        zrc = ZSTD_compress2(ctx, out, cap, in, n);
    if (ZSTD_isError(zrc))
        rc = zstd_fail(zrc);
    else
        *used = zrc;
    if (ZSTD_sizeof_CCtx(ctx) > NCZ_CODEC_SCRATCH_MAX) /* high levels take as much as a hundred chunks */
        ncz_codec_thread_free(NCZ_SLOT_ZSTD_ENCODER);
    return rc;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

static void *
decoder_make(void)
{
    return ZSTD_createDCtx();
}

static void
decoder_drop(void *ctx)
{
    ZSTD_freeDCtx(ctx);
}

static int
decode_fail(size_t zrc, size_t most)
{
    switch (ZSTD_getErrorCode(zrc)) {
    case ZSTD_error_dstSize_tooSmall: return ncz_codec_too_long("zstd", most);
    case ZSTD_error_checksum_wrong: return ncz_fail(NC_EFILTER, "codec 'zstd': checksum does not match");
    default: return zstd_fail(zrc);
    }
}

/* Whether another frame follows: what does not begin like one is left over from something longer. */
static bool
frame_follows(const unsigned char *in, size_t n)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint32_t   magic = ncz_cursor_u32le(&at);

    return at.good && (magic == ZSTD_MAGICNUMBER || (magic & 0xfffffff0) == ZSTD_MAGIC_SKIPPABLE_START);
}

/* The frames at in[0..n), as many as there are (`exact`: as are needed). `tail`: the bytes behind them. */
static int
decode_frames(ZSTD_DCtx *ctx, const unsigned char *in, size_t n, unsigned char *out, size_t most, bool exact,
              size_t *got, size_t *tail)
{
    size_t at = 0, to = 0;

    do {
        size_t len = ZSTD_findFrameCompressedSize(in + at, n - at), zrc;

        if (ZSTD_isError(len))
            return decode_fail(len, most);
        zrc = ZSTD_decompressDCtx(ctx, out + to, most - to, in + at, len);
        if (ZSTD_isError(zrc))
            return decode_fail(zrc, most);
        at += len;
        to += zrc;
    } while (frame_follows(in + at, n - at) && !(exact && to == most));
    *got = to;
    *tail = n - at;
    return NC_NOERR;
}

static int
zstd_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    size_t     most = *used < cap ? *used : cap, got = 0, tail = 0;
    ZSTD_DCtx *ctx;
    int        rc;

    (void)p;
    (void)env;
    if (n == 0) /* no frame at all is no error to libzstd */
        return ncz_codec_cut_short("zstd", n);
    if ((ctx = ncz_codec_thread_get(NCZ_SLOT_ZSTD_DECODER, decoder_make, decoder_drop)) == NULL)
        return ncz_fail(NC_ENOMEM, "codec 'zstd': out of memory");
    if ((rc = decode_frames(ctx, in, n, out, most, exact, &got, &tail)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_check_size("zstd", got, most, exact)) != NC_NOERR)
        return rc;
    ncz_codec_tail("zstd", tail);
    *used = got;
    return NC_NOERR;
}

int
ncz_codec_unzstd_exactly(const void *in, size_t n, void *out, size_t wanted)
{
    return zstd_decode(NULL, NULL, in, n, out, wanted, true, &wanted);
}

const ncz_codec_ops ncz_codec_zstd = {
    .id = "zstd",
    .members = {"level", "checksum"},
    .hdf5_id = 32015,
    .cls = NCZ_CODEC_BYTES,
    .configure = zstd_configure,
    .describe = zstd_describe,
    .from_words = zstd_from_words,
    .to_words = zstd_to_words,
    .bound = zstd_bound,
    .encode = zstd_encode,
    .decode = zstd_decode,
};
