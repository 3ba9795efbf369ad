/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zlib and gzip. zlib codes both unless the build has a faster library. A gzip object may have several members. The
 * member that we write has neither time nor operating system, so that the same data always give the same bytes.
 */
#include "codecs/codec_int.h"
#include "codecs/stream_int.h"

#include <zlib.h>

#define WINDOW      15
#define WINDOW_GZIP (WINDOW + 16)
#define MEM_LEVEL   8
#define OS_UNKNOWN  255

static voidpf
get_memory(voidpf opaque, uInt n, uInt item)
{
    (void)opaque;
    return ncz_alloc_n(n, item);
}

static void
put_memory(voidpf opaque, voidpf p)
{
    (void)opaque;
    ncz_free(p);
}

typedef struct zlib_library {
    z_stream    z;
    const char *codec;
    int         status; /* of the last call */
} zlib_library;

static int
explain_zlib(void *library)
{
    const zlib_library *l = library;

    if (l->status == Z_MEM_ERROR)
        return ncz_fail(NC_ENOMEM, "codec '%s': out of memory", l->codec);
    return ncz_fail(NC_EFILTER, "codec '%s': %s", l->codec, l->z.msg != NULL ? l->z.msg : zError(l->status));
}

/* ---- configuration ------------------------------------------------------------------------------------- */

/* -1 is zlib's default. */
static int
level_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                void *state)
{
    (void)in;
    (void)rules;
    return ncz_codec_level_read(ops->id, config, -1, 9, state);
}

static int
zlib_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_codec_level_words(ops->id, n, words, 0, 9, state);
}

/*
 * The worst case of deflate is nine bits for a byte, which encoders other than zlib approach where zlib stores the
 * data. The bound covers both, so that the decoder does not refuse what they wrote as too large.
 */
static bool
zlib_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, n / 8 + n / 64 + 64, out);
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

/* Gives zlib the windows for one step. */
static ncz_stream_result
run_step(zlib_library *l, ncz_stream_window *w, int (*step)(z_stream *z, int flush), int flush)
{
    l->z.next_in = (Bytef *)(uintptr_t)w->in;
    l->z.avail_in = w->nin;
    l->z.next_out = w->out;
    l->z.avail_out = w->nout;
    l->status = step(&l->z, flush);
    *w = (ncz_stream_window){.in = l->z.next_in, .nin = l->z.avail_in, .out = l->z.next_out, .nout = l->z.avail_out};
    switch (l->status) {
    case Z_OK: return NCZ_STREAM_MORE;
    case Z_STREAM_END: return NCZ_STREAM_END;
    case Z_BUF_ERROR: return NCZ_STREAM_STUCK;
    default: return NCZ_STREAM_FAILED;
    }
}

static ncz_stream_result
step_deflate(void *library, ncz_stream_window *w, bool last)
{
    return run_step(library, w, deflate, last ? Z_FINISH : Z_NO_FLUSH);
}

static int
deflate_slowly(const char *codec, bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used)
{
    gz_header    head = {.os = OS_UNKNOWN};
    zlib_library l = {.z = {.zalloc = get_memory, .zfree = put_memory}, .codec = codec};
    ncz_stream   stream = {.library = &l, .step = step_deflate, .explain = explain_zlib};
    int          rc;

    l.status = deflateInit2(&l.z, level, Z_DEFLATED, gzip ? WINDOW_GZIP : WINDOW, MEM_LEVEL, Z_DEFAULT_STRATEGY);
    if (l.status != Z_OK)
        return explain_zlib(&l);
    if (gzip)
        deflateSetHeader(&l.z, &head);
    rc = ncz_codec_stream_encode(&stream, codec, in, n, out, cap, used);
    deflateEnd(&l.z);
    return rc;
}

/* Tries the faster libraries first, then zlib. */
static int
encode_deflate(const char *codec, bool gzip, const ncz_level *s, bool shuffled, const void *in, size_t n, void *out,
               size_t cap, size_t *used)
{
    int level = (int)s->level;

    if (ncz_codec_deflate_low(gzip, level, in, n, out, cap, used) ||
        ncz_codec_deflate_fast(gzip, level, shuffled, in, n, out, cap, used))
        return NC_NOERR;
    return deflate_slowly(codec, gzip, level, in, n, out, cap, used);
}

static int
zlib_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    return encode_deflate("zlib", false, state, type->shuffled, in, n, out, cap, used);
}

static int
gzip_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    return encode_deflate("gzip", true, state, type->shuffled, in, n, out, cap, used);
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

/* Bytes that do not begin like a gzip member are the rest of a longer object. */
static bool
member_follows(const unsigned char *in, size_t n)
{
    return n >= 2 && in[0] == 0x1f && in[1] == 0x8b;
}

static bool
nothing_follows(const unsigned char *in, size_t n)
{
    (void)in;
    (void)n;
    return false;
}

/* Sets *got, the bytes of output, and *tail, the bytes of input after the end. */
static bool
inflate_fast(bool gzip, const unsigned char *in, size_t n, unsigned char *out, size_t most, bool exact, size_t *got,
             size_t *tail)
{
    size_t at = 0, to = 0, nread, nwritten;

    do {
        if (!ncz_codec_inflate_fast(gzip, in + at, n - at, out + to, most - to, &nread, &nwritten))
            return false;
        at += nread;
        to += nwritten;
    } while (gzip && member_follows(in + at, n - at) && !(exact && to == most));
    *got = to;
    *tail = n - at;
    return true;
}

static ncz_stream_result
step_inflate(void *library, ncz_stream_window *w, bool last)
{
    (void)last;
    return run_step(library, w, inflate, Z_NO_FLUSH);
}

static ncz_stream_result
restart_inflate(void *library)
{
    zlib_library *l = library;

    l->status = inflateReset(&l->z);
    return l->status == Z_OK ? NCZ_STREAM_MORE : NCZ_STREAM_FAILED;
}

static int
inflate_slowly(const char *codec, bool gzip, const void *in, size_t n, void *out, size_t cap, bool exact,
               size_t *used)
{
    zlib_library l = {.z = {.zalloc = get_memory, .zfree = put_memory}, .codec = codec};
    ncz_stream   stream = {.library = &l,
                           .step = step_inflate,
                           .explain = explain_zlib,
                           .restart = restart_inflate,
                           .follows = gzip ? member_follows : nothing_follows};
    int          rc;

    if ((l.status = inflateInit2(&l.z, gzip ? WINDOW_GZIP : WINDOW)) != Z_OK)
        return explain_zlib(&l);
    rc = ncz_codec_stream_decode(&stream, codec, in, n, out, cap, exact, used);
    inflateEnd(&l.z);
    return rc;
}

/* If the faster library refuses the input, zlib decodes it or reports what is wrong. */
static int
decode_deflate(const char *codec, bool gzip, const void *in, size_t n, void *out, size_t cap, bool exact,
               size_t *used)
{
    size_t most = *used < cap ? *used : cap, got, tail;

    if (inflate_fast(gzip, in, n, out, most, exact, &got, &tail))
        return ncz_codec_stream_end(codec, got, tail, most, exact, used);
    return inflate_slowly(codec, gzip, in, n, out, cap, exact, used);
}

int
ncz_codec_inflate_exactly(const void *in, size_t n, void *out, size_t wanted)
{
    return decode_deflate("zlib", false, in, n, out, wanted, true, &wanted);
}

static int
zlib_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    (void)state;
    (void)type;
    return decode_deflate("zlib", false, in, n, out, cap, exact, used);
}

static int
gzip_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    (void)state;
    (void)type;
    return decode_deflate("gzip", true, in, n, out, cap, exact, used);
}

const ncz_codec_ops ncz_codec_zlib = {
    .id = "zlib",
    .members = {"level"},
    .hdf5_id = 1,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_level),
    .config.from_json = level_from_json,
    .config.describes_itself = ncz_codec_always_describes_itself,
    .config.describe = ncz_codec_level_describe,
    .config.from_words = zlib_from_words,
    .config.to_words = ncz_codec_level_to_words,
    .bound = zlib_bound,
    .encode = zlib_encode,
    .decode = zlib_decode,
};

const ncz_codec_ops ncz_codec_gzip = {
    .id = "gzip",
    .v3_name = "gzip",
    .members = {"level"},
    .v3_hdf5_id = 1,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_level),
    .config.from_json = level_from_json,
    .config.describes_itself = ncz_codec_always_describes_itself,
    .config.describe = ncz_codec_level_describe,
    .config.from_words = zlib_from_words,
    .config.to_words = ncz_codec_level_to_words,
    .bound = zlib_bound,
    .encode = gzip_encode,
    .decode = gzip_decode,
};
