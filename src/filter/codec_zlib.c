/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zlib and gzip. zlib does both, unless the build has something faster in its place. A gzip object may be several
 * members one behind the other; the one that we write carries neither time nor operating system, so that the same
 * data give the same bytes everywhere.
 */
#include "filter/filter_int.h"
#include "filter/stream_int.h"

#include <zlib.h>

#define WINDOW      15
#define WINDOW_GZIP (WINDOW + 16)
#define MEM_LEVEL   8
#define OS_UNKNOWN  255

static voidpf
zlib_get(voidpf opaque, uInt n, uInt item)
{
    (void)opaque;
    return ncz_alloc_n(n, item);
}

static void
zlib_put(voidpf opaque, voidpf p)
{
    (void)opaque;
    ncz_free(p);
}

/* What zlib says when it does not go on. */
static int
zlib_fail(const char *codec, int zrc, const z_stream *z)
{
    if (zrc == Z_MEM_ERROR)
        return ncz_fail(NC_ENOMEM, "codec '%s': out of memory", codec);
    return ncz_fail(NC_EFILTER, "codec '%s': %s", codec, z->msg != NULL ? z->msg : zError(zrc));
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static int
level_configure(const char *codec, const ncz_json *config, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_CODEC_LEVEL] = 1}};
    int              rc = ncz_codec_int(config, codec, "level", -1, 9, &p.v[NCZ_CODEC_LEVEL]);

    if (rc == NC_NOERR)
        *out = p;
    return rc;
}

static int
zlib_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)env;
    return level_configure("zlib", config, out);
}

static int
gzip_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)env;
    return level_configure("gzip", config, out);
}

static void
zlib_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "level");
    ncz_jsonw_i64(w, p->v[NCZ_CODEC_LEVEL]);
}

static int
zlib_from_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out)
{
    int rc;

    (void)env;
    if ((rc = ncz_codec_nwords("zlib", n, 1, 1)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range("zlib", "level", words[0], 0, 9)) != NC_NOERR)
        return rc;
    *out = (ncz_codec_params){.v = {[NCZ_CODEC_LEVEL] = words[0]}};
    return NC_NOERR;
}

static int
zlib_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    (void)env;
    words[0] = p->v[NCZ_CODEC_LEVEL] < 0 ? 6 : (unsigned)p->v[NCZ_CODEC_LEVEL]; /* -1 is zlib's name for 6 */
    *n = 1;
    return NC_NOERR;
}

static int
gzip_from_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)n;
    (void)words;
    (void)env;
    (void)out;
    return ncz_fail(NC_EFILTER, "codec 'gzip' is not an HDF5 filter");
}

static int
gzip_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    (void)p;
    (void)env;
    (void)n;
    (void)words;
    return ncz_fail(NC_EFILTER, "codec 'gzip' is not an HDF5 filter");
}

/*
 * deflate's worst case is nine bits for a byte; other implementations than zlib come near it where zlib itself
 * stores. Wide enough for either, so that what they wrote is not taken for a bomb.
 */
static bool
zlib_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    return ncz_add(n, n / 8 + n / 64 + 64, out);
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

static int
deflate_all(z_stream *z, size_t in_left, size_t out_left)
{
    int zrc;

    do {
        if (z->avail_in == 0)
            z->avail_in = ncz_codec_take(&in_left);
        if (z->avail_out == 0)
            z->avail_out = ncz_codec_take(&out_left);
        zrc = deflate(z, in_left == 0 ? Z_FINISH : Z_NO_FLUSH);
    } while (zrc == Z_OK && (z->avail_out > 0 || out_left > 0));
    return zrc;
}

static int
encode(const char *codec, int window, gz_header *head, const ncz_codec_params *p, const void *in, size_t n, void *out,
       size_t cap, size_t *used)
{
    z_stream z = {.zalloc = zlib_get, .zfree = zlib_put, .next_in = (Bytef *)(uintptr_t)in, .next_out = out};
    bool     gzip = window == WINDOW_GZIP;
    int      level = (int)p->v[NCZ_CODEC_LEVEL], rc = NC_NOERR, zrc;

    if (ncz_codec_deflate_low(gzip, level, in, n, out, cap, used) ||
        ncz_codec_deflate_fast(gzip, level, in, n, out, cap, used))
        return NC_NOERR;
    zrc = deflateInit2(&z, level, Z_DEFLATED, window, MEM_LEVEL, Z_DEFAULT_STRATEGY);
    if (zrc != Z_OK)
        return zlib_fail(codec, zrc, &z);
    if (head != NULL)
        deflateSetHeader(&z, head);
    zrc = deflate_all(&z, n, cap);
    if (zrc == Z_STREAM_END)
        *used = (size_t)(z.next_out - (Bytef *)out);
    else if (zrc == Z_OK)
        rc = ncz_fail(NC_EFILTER, "codec '%s': does not fit into %zu bytes", codec, cap);
    else
        rc = zlib_fail(codec, zrc, &z);
    deflateEnd(&z);
    return rc;
}

static int
zlib_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    (void)env;
    return encode("zlib", WINDOW, NULL, p, in, n, out, cap, used);
}

static int
gzip_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    gz_header head = {.os = OS_UNKNOWN};

    (void)env;
    return encode("gzip", WINDOW_GZIP, &head, p, in, n, out, cap, used);
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

/* Whether another gzip member follows: what does not begin like one is left over from something longer. */
static bool
member_follows(bool gzip, const unsigned char *in, size_t n)
{
    return gzip && n >= 2 && in[0] == 0x1f && in[1] == 0x8b;
}

/* Bytes of the caller's output, and of its input behind the end: what a decode comes to. */
typedef struct result {
    size_t got, tail;
} result;

static bool
inflate_fast(bool gzip, const unsigned char *in, size_t n, unsigned char *out, size_t most, bool exact, result *r)
{
    size_t at = 0, to = 0, nread, nwritten;

    do {
        if (!ncz_codec_inflate_fast(gzip, in + at, n - at, out + to, most - to, &nread, &nwritten))
            return false;
        at += nread;
        to += nwritten;
    } while (member_follows(gzip, in + at, n - at) && !(exact && to == most));
    *r = (result){.got = to, .tail = n - at};
    return true;
}

/* Runs to the end: of one stream, or of as many members as there are (`exact`: as are needed). */
static int
inflate_all(z_stream *z, const char *codec, bool gzip, size_t n, size_t most, bool exact, result *r)
{
    size_t        in_left = n, out_left = most;
    unsigned char spare; /* the byte behind the output: a stream that writes it is too long */
    bool          full = false;

    for (;;) {
        int zrc;

        if (z->avail_in == 0)
            z->avail_in = ncz_codec_take(&in_left);
        if (z->avail_out == 0 && (z->avail_out = ncz_codec_take(&out_left)) == 0) {
            full = true;
            z->next_out = &spare;
            z->avail_out = 1;
        }
        zrc = inflate(z, Z_NO_FLUSH);
        if (full && z->avail_out == 0)
            return ncz_codec_too_long(codec, most);
        if (zrc == Z_STREAM_END) {
            *r = (result){.got = full ? most : most - out_left - z->avail_out, .tail = z->avail_in + in_left};
            if ((exact && r->got == most) || !member_follows(gzip, z->next_in, r->tail))
                return NC_NOERR;
            zrc = inflateReset(z);
        } else if (z->avail_in == 0 && in_left == 0 && (zrc == Z_BUF_ERROR || (zrc == Z_OK && z->avail_out > 0)))
            return ncz_codec_cut_short(codec, n);
        if (zrc != Z_OK)
            return zlib_fail(codec, zrc, z);
    }
}

static int
inflate_slowly(const char *codec, bool gzip, const void *in, size_t n, void *out, size_t most, bool exact, result *r)
{
    z_stream z = {.zalloc = zlib_get, .zfree = zlib_put, .next_in = (Bytef *)(uintptr_t)in, .next_out = out};
    int      rc, zrc;

    if ((zrc = inflateInit2(&z, gzip ? WINDOW_GZIP : WINDOW)) != Z_OK)
        return zlib_fail(codec, zrc, &z);
    rc = inflate_all(&z, codec, gzip, n, most, exact, r);
    inflateEnd(&z);
    return rc;
}

/* What the faster library does not take, zlib is asked about: it knows what is wrong. */
static int
decode(const char *codec, bool gzip, const void *in, size_t n, void *out, size_t cap, bool exact, size_t *used)
{
    size_t most = *used < cap ? *used : cap;
    result r = {0, 0};
    int    rc;

    if (!inflate_fast(gzip, in, n, out, most, exact, &r) &&
        (rc = inflate_slowly(codec, gzip, in, n, out, most, exact, &r)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_check_size(codec, r.got, most, exact)) != NC_NOERR)
        return rc;
    ncz_codec_tail(codec, r.tail);
    *used = r.got;
    return NC_NOERR;
}

int
ncz_codec_inflate_exactly(const void *in, size_t n, void *out, size_t wanted)
{
    return decode("zlib", false, in, n, out, wanted, true, &wanted);
}

static int
zlib_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    (void)p;
    (void)env;
    return decode("zlib", false, in, n, out, cap, exact, used);
}

static int
gzip_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    (void)p;
    (void)env;
    return decode("gzip", true, in, n, out, cap, exact, used);
}

const ncz_codec_ops ncz_codec_zlib = {
    .id = "zlib",
    .members = {"level"},
    .hdf5_id = 1,
    .cls = NCZ_CODEC_BYTES,
    .configure = zlib_configure,
    .describe = zlib_describe,
    .from_words = zlib_from_words,
    .to_words = zlib_to_words,
    .bound = zlib_bound,
    .encode = zlib_encode,
    .decode = zlib_decode,
};

const ncz_codec_ops ncz_codec_gzip = {
    .id = "gzip",
    .members = {"level"},
    .cls = NCZ_CODEC_BYTES,
    .configure = gzip_configure,
    .describe = zlib_describe,
    .from_words = gzip_from_words,
    .to_words = gzip_to_words,
    .bound = zlib_bound,
    .encode = gzip_encode,
    .decode = gzip_decode,
};
