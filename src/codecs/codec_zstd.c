/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zstd, through libzstd. Decoding writes straight into memory of the allowed size and uses no window buffer, so a
 * frame cannot make the reader allocate too much. Frames without a content size, several frames and skippable frames
 * are all supported. Each thread keeps an encoder and a decoder.
 */
#include "codecs/codec_int.h"
#include "codecs/thread_cache_int.h"
#include "codecs/stream_int.h"

#include <zstd.h>
#include <zstd_errors.h>

static int
zstd_fail(size_t zrc)
{
    int code = ZSTD_getErrorCode(zrc) == ZSTD_error_memory_allocation ? NC_ENOMEM : NC_EFILTER;

    return ncz_fail(code, "codec 'zstd': %s", ZSTD_getErrorName(zrc));
}

typedef struct zstd_state {
    int64_t level;    /* 0: the library's default */
    bool    checksum; /* frames have a checksum */
} zstd_state;

/* "checksum" is a truth value or a number; GDAL has "YES" and "NO". */
static int
read_checksum(const ncz_json *config, const char *codec, bool *on)
{
    const ncz_json *member = ncz_json_get(config, "checksum");
    int64_t         v = 0;
    int             rc;

    if (ncz_json_bool(member, on))
        return NC_NOERR;
    if ((*on = ncz_json_str_is(member, "YES")) || ncz_json_str_is(member, "NO"))
        return NC_NOERR;
    if ((rc = ncz_codec_int(config, codec, "checksum", 0, 1, &v)) == NC_NOERR)
        *on = v != 0;
    return rc;
}

/*
 * netcdf-c writes a negative level as the unsigned number with the same bits. Levels that the library does not have
 * are accepted: writers that clamp them leave the original number in the document, and reading does not need the
 * level.
 */
static int
read_members(const ncz_codec_ops *ops, const ncz_json *config, int64_t level, zstd_state *s)
{
    int rc;

    s->level = level;
    if ((rc = ncz_codec_int(config, ops->id, "level", INT32_MIN, UINT32_MAX, &s->level)) != NC_NOERR)
        return rc;
    if (s->level > INT32_MAX)
        s->level -= (int64_t)UINT32_MAX + 1;
    return read_checksum(config, ops->id, &s->checksum);
}

static int
zstd_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
               void *state)
{
    (void)in;
    (void)rules;
    return read_members(ops, config, 1, state);
}

/* Newer numcodecs, which writes v3, has another default level. */
static int
zstd_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    (void)in;
    return read_members(ops, config, 0, state);
}

static void
zstd_describe(const void *state, ncz_jsonw *w)
{
    const zstd_state *s = state;

    ncz_jsonw_key(w, "level");
    ncz_jsonw_i64(w, s->level);
    if (s->checksum) { /* older readers refuse the member, so write it only if it is true */
        ncz_jsonw_key(w, "checksum");
        ncz_jsonw_bool(w, true);
    }
}

/* In v3 both members are required. */
static void
zstd_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const zstd_state *s = state;

    (void)in;
    ncz_jsonw_key(w, "level");
    ncz_jsonw_i64(w, s->level);
    ncz_jsonw_key(w, "checksum");
    ncz_jsonw_bool(w, s->checksum);
}

static int
zstd_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    zstd_state *s = state;
    int         rc;

    (void)in;
    if ((rc = ncz_codec_nwords(ops->id, n, 1, 1)) != NC_NOERR)
        return rc;
    s->level = words[0] > INT32_MAX ? (int64_t)words[0] - UINT32_MAX - 1 : (int64_t)words[0];
    return ncz_codec_range(ops->id, "level", s->level, ZSTD_minCLevel(), ZSTD_maxCLevel());
}

static int
zstd_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const zstd_state *s = state;

    (void)in;
    words[0] = (unsigned)s->level;
    *n = 1;
    return NC_NOERR;
}

static bool
zstd_bound(const void *state, size_t n, size_t *out)
{
    size_t most = ZSTD_compressBound(n);

    (void)state;
    if (ZSTD_isError(most) || most < n)
        return false;
    *out = most;
    return true;
}

static void *
make_encoder(void)
{
    return ZSTD_createCCtx();
}

static void
free_encoder(void *ctx)
{
    ZSTD_freeCCtx(ctx);
}

static int
zstd_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    const zstd_state *s = state;
    ZSTD_CCtx        *ctx = ncz_codec_thread_get(NCZ_SLOT_ZSTD_ENCODER, make_encoder, free_encoder);
    size_t            zrc;
    int               rc = NC_NOERR;

    (void)type;
    if (ctx == NULL)
        return ncz_fail(NC_ENOMEM, "codec 'zstd': out of memory");
    zrc = ZSTD_CCtx_reset(ctx, ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(zrc))
        zrc = ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, (int)s->level);
    if (!ZSTD_isError(zrc))
        zrc = ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, s->checksum);
    if (!ZSTD_isError(zrc))
        zrc = ZSTD_compress2(ctx, out, cap, in, n);
    if (ZSTD_isError(zrc))
        rc = zstd_fail(zrc);
    else
        *used = zrc;
    if (ZSTD_sizeof_CCtx(ctx) > NCZ_CODEC_SCRATCH_MAX) /* at high levels it is as large as a hundred chunks */
        ncz_codec_thread_free(NCZ_SLOT_ZSTD_ENCODER);
    return rc;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

static void *
make_decoder(void)
{
    return ZSTD_createDCtx();
}

static void
free_decoder(void *ctx)
{
    ZSTD_freeDCtx(ctx);
}

static int
fail_decode(size_t zrc, size_t most)
{
    switch (ZSTD_getErrorCode(zrc)) {
    case ZSTD_error_dstSize_tooSmall: return ncz_codec_too_long("zstd", most);
    case ZSTD_error_checksum_wrong: return ncz_fail(NC_EFILTER, "codec 'zstd': checksum does not match");
    default: return zstd_fail(zrc);
    }
}

/* Whether another frame follows. Bytes that do not begin like one are the rest of a longer object. */
static bool
frame_follows(const unsigned char *in, size_t n)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint32_t   magic = ncz_cursor_u32le(&at);

    return at.good && (magic == ZSTD_MAGICNUMBER || (magic & 0xfffffff0) == ZSTD_MAGIC_SKIPPABLE_START);
}

/* Decodes all frames at in[0..n) (with `exact`: as many as needed). *tail: the bytes after them. */
static int
decode_frames(ZSTD_DCtx *ctx, const unsigned char *in, size_t n, unsigned char *out, size_t most, bool exact,
              size_t *got, size_t *tail)
{
    size_t at = 0, to = 0;

    do {
        size_t len = ZSTD_findFrameCompressedSize(in + at, n - at), zrc;

        if (ZSTD_isError(len))
            return fail_decode(len, most);
        zrc = ZSTD_decompressDCtx(ctx, out + to, most - to, in + at, len);
        if (ZSTD_isError(zrc))
            return fail_decode(zrc, most);
        at += len;
        to += zrc;
    } while (frame_follows(in + at, n - at) && !(exact && to == most));
    *got = to;
    *tail = n - at;
    return NC_NOERR;
}

static int
zstd_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    size_t     most = *used < cap ? *used : cap, got = 0, tail = 0;
    ZSTD_DCtx *ctx;
    int        rc;

    (void)state;
    (void)type;
    if (n == 0) /* libzstd accepts an input without frames */
        return ncz_codec_cut_short("zstd", n);
    if ((ctx = ncz_codec_thread_get(NCZ_SLOT_ZSTD_DECODER, make_decoder, free_decoder)) == NULL)
        return ncz_fail(NC_ENOMEM, "codec 'zstd': out of memory");
    if ((rc = decode_frames(ctx, in, n, out, most, exact, &got, &tail)) != NC_NOERR)
        return rc;
    return ncz_codec_stream_end("zstd", got, tail, most, exact, used);
}

int
ncz_codec_unzstd_exactly(const void *in, size_t n, void *out, size_t wanted)
{
    return zstd_decode(NULL, NULL, in, n, out, wanted, true, &wanted);
}

const ncz_codec_ops ncz_codec_zstd = {
    .id = "zstd",
    .v3_name = "zstd",
    .members = {"level", "checksum"},
    .hdf5_id = 32015,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(zstd_state),
    .config.from_json = zstd_from_json,
    .config.describes_itself = ncz_codec_always_describes_itself,
    .config.from_v3 = zstd_from_v3,
    .config.describe = zstd_describe,
    .config.describe_v3 = zstd_describe_v3,
    .config.from_words = zstd_from_words,
    .config.to_words = zstd_to_words,
    .bound = zstd_bound,
    .encode = zstd_encode,
    .decode = zstd_decode,
};
