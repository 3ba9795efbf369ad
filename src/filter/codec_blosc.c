/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blosc, through c-blosc's context calls on the caller's thread.
 *
 * A frame's header is checked here, completely, before the library sees the frame: c-blosc takes lengths out of it on
 * trust, the length of its input among them.
 */
#include "filter/filter_int.h"

#include <blosc.h>

#include <string.h>

#define HEADER 16

/* By compressor number. */
static const char *const cnames[] = { "blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd" };

/* ---- parameters ---------------------------------------------------------------------------------------- */

static int
check_cname(const char *cname)
{
    if (blosc_compname_to_compcode(cname) >= 0)
        return NC_NOERR;
    return ncz_fail(NC_ENOFILTER, "codec 'blosc': compressor '%s' is not built in", cname);
}

static int
cname_configure(const ncz_json *config, int64_t *out)
{
    const ncz_json *member = ncz_json_get(config, "cname");

    if (ncz_json_is(member, NCZ_JSON_NULL))
        return NC_NOERR;
    for (size_t i = 0; i < NCZ_LEN(cnames); i++)
        if (ncz_json_str_is(member, cnames[i])) {
            *out = (int64_t)i;
            return NC_NOERR;
        }
    return ncz_fail(NC_EFILTER, "codec 'blosc': \"cname\" is not the name of a compressor");
}

static int
blosc_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    static const struct {
        const char *name;
        int         place;
        int64_t     least, most;
    } members[] = {
        { "clevel", NCZ_BLOSC_CLEVEL, 0, 9 },
        { "blocksize", NCZ_BLOSC_BLOCKSIZE, 0, UINT32_MAX },
        { "shuffle", NCZ_BLOSC_SHUFFLE, -1, 2 },
        { "typesize", NCZ_BLOSC_TYPESIZE, 0, INT32_MAX },
    };
    ncz_codec_params p = { .v = { [NCZ_BLOSC_CLEVEL] = 5, [NCZ_BLOSC_CNAME] = 1, [NCZ_BLOSC_SHUFFLE] = 1 } };
    int              rc;

    (void)env;
    for (size_t i = 0; i < NCZ_LEN(members); i++) {
        int64_t *v = &p.v[members[i].place];

        if ((rc = ncz_codec_int(config, "blosc", members[i].name, members[i].least, members[i].most, v)) != NC_NOERR)
            return rc;
    }
    if ((rc = cname_configure(config, &p.v[NCZ_BLOSC_CNAME])) != NC_NOERR)
        return rc;
    if ((rc = check_cname(cnames[p.v[NCZ_BLOSC_CNAME]])) != NC_NOERR)
        return rc;
    *out = p;
    return NC_NOERR;
}

static void
blosc_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "clevel");
    ncz_jsonw_i64(w, p->v[NCZ_BLOSC_CLEVEL]);
    ncz_jsonw_key(w, "blocksize");
    ncz_jsonw_i64(w, p->v[NCZ_BLOSC_BLOCKSIZE]);
    ncz_jsonw_key(w, "cname");
    ncz_jsonw_cstr(w, cnames[p->v[NCZ_BLOSC_CNAME]]);
    ncz_jsonw_key(w, "shuffle");
    ncz_jsonw_i64(w, p->v[NCZ_BLOSC_SHUFFLE]);
    if (p->v[NCZ_BLOSC_TYPESIZE] != 0) { /* newer writers have it, older readers refuse it */
        ncz_jsonw_key(w, "typesize");
        ncz_jsonw_i64(w, p->v[NCZ_BLOSC_TYPESIZE]);
    }
}

/*
 * Of what enters, which has no elements any more where another codec has made bytes of them. c-blosc cannot shuffle
 * larger elements than 255 bytes: then the data are plain bytes to it.
 */
static size_t
type_size(const ncz_codec_params *p, const ncz_codec_env *env)
{
    size_t size = env->bytes ? 1 : env->dtype.size;

    if (p->v[NCZ_BLOSC_TYPESIZE] > 0)
        size = (size_t)p->v[NCZ_BLOSC_TYPESIZE];
    return size > 0 && size <= BLOSC_MAX_TYPESIZE ? size : 1;
}

static int
shuffle_mode(const ncz_codec_params *p, size_t typesize)
{
    if (p->v[NCZ_BLOSC_SHUFFLE] >= 0)
        return (int)p->v[NCZ_BLOSC_SHUFFLE];
    return typesize == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
}

/*
 * The seven words: two of the filter's own, type size, block size, level, shuffle, compressor. HDF5 fills in the type
 * size and, as block size, the chunk's bytes: where it has, "block size" means nothing and is left to the library.
 */
static int
blosc_from_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out)
{
    bool filled;
    int  rc;

    if ((rc = ncz_codec_nwords("blosc", n, 7, 7)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range("blosc", "level", words[4], 0, 9)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range("blosc", "shuffle", words[5], 0, 2)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range("blosc", "compressor", words[6], 0, (int64_t)NCZ_LEN(cnames) - 1)) != NC_NOERR)
        return rc;
    if ((rc = check_cname(cnames[words[6]])) != NC_NOERR)
        return rc;
    filled = words[2] != 0 && words[3] == env->chunk_bytes;
    *out = (ncz_codec_params){ .v = { [NCZ_BLOSC_CLEVEL] = words[4],
                                      [NCZ_BLOSC_BLOCKSIZE] = filled ? 0 : words[3],
                                      [NCZ_BLOSC_CNAME] = words[6],
                                      [NCZ_BLOSC_SHUFFLE] = words[5] } };
    return NC_NOERR;
}

static int
blosc_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    size_t   typesize = type_size(p, env);
    unsigned chunk = env->chunk_bytes <= UINT_MAX ? (unsigned)env->chunk_bytes : 0;

    words[0] = words[1] = 0;
    words[2] = (unsigned)typesize;
    words[3] = p->v[NCZ_BLOSC_BLOCKSIZE] != 0 ? (unsigned)p->v[NCZ_BLOSC_BLOCKSIZE] : chunk;
    words[4] = (unsigned)p->v[NCZ_BLOSC_CLEVEL];
    words[5] = (unsigned)shuffle_mode(p, typesize);
    words[6] = (unsigned)p->v[NCZ_BLOSC_CNAME];
    *n = 7;
    return NC_NOERR;
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

/* With this much room blosc stores what it cannot compress. */
static bool
blosc_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    return ncz_add(n, BLOSC_MAX_OVERHEAD, out);
}

static int
blosc_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    size_t typesize = type_size(p, env), block = (size_t)p->v[NCZ_BLOSC_BLOCKSIZE];
    int    got;

    if (n > BLOSC_MAX_BUFFERSIZE)
        return ncz_fail(NC_EFILTER, "codec 'blosc': %zu bytes, a frame holds at most %d", n, BLOSC_MAX_BUFFERSIZE);
    if (block > n) /* what the library makes of it too, but it counts in int */
        block = n;
    got = blosc_compress_ctx((int)p->v[NCZ_BLOSC_CLEVEL], shuffle_mode(p, typesize), typesize, n, in, out,
                             cap < INT_MAX ? cap : INT_MAX, cnames[p->v[NCZ_BLOSC_CNAME]], block, 1);
    if (got <= 0)
        return ncz_fail(NC_EFILTER, "codec 'blosc': %zu bytes could not be compressed (%d)", n, got);
    *used = (size_t)got;
    return NC_NOERR;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

typedef struct frame {
    uint8_t  version, flags, typesize;
    uint32_t nbytes, blocksize, cbytes;
} frame;

static int
frame_fail(const char *what)
{
    return ncz_fail(NC_EFILTER, "codec 'blosc': bad frame: %s", what);
}

/* The offsets of the blocks stand behind the header and point behind themselves; a block begins with a length. */
static int
check_offsets(ncz_cursor at, const frame *f)
{
    uint64_t nblocks = ((uint64_t)f->nbytes + f->blocksize - 1) / f->blocksize;
    uint64_t data = HEADER + 4 * nblocks;

    if (data > f->cbytes)
        return frame_fail("too short for its blocks");
    for (uint64_t i = 0; i < nblocks; i++) {
        uint32_t off = ncz_cursor_u32le(&at);

        if (off < data || (uint64_t)off + 4 > f->cbytes)
            return frame_fail("a block lies outside of it");
    }
    return NC_NOERR;
}

static int
check_compressor(const frame *f)
{
    static const char *const formats[] = { "blosclz", "lz4", "snappy", "zlib", "zstd" };
    unsigned                 format = f->flags >> 5;

    if (format >= NCZ_LEN(formats))
        return frame_fail("unknown compressor");
    return check_cname(formats[format]);
}

/* Everything that can be known without decompressing. `at` stands behind the header. */
static int
check_frame(ncz_cursor at, const frame *f, size_t n)
{
    int rc;

    if (!at.good)
        return frame_fail("shorter than its header");
    if (f->version != BLOSC_VERSION_FORMAT || (f->flags & 0x08) != 0)
        return frame_fail("unknown version");
    if (f->cbytes != n)
        return ncz_fail(NC_EFILTER, "codec 'blosc': bad frame: says %lu bytes, has %zu", (unsigned long)f->cbytes, n);
    if (f->nbytes > BLOSC_MAX_BUFFERSIZE || f->typesize == 0)
        return frame_fail("impossible sizes");
    if ((f->flags & BLOSC_MEMCPYED) != 0)
        return n == (size_t)f->nbytes + HEADER ? NC_NOERR : frame_fail("stored data of another length");
    if (f->blocksize == 0 || f->blocksize > f->nbytes || f->blocksize > BLOSC_MAX_BLOCKSIZE)
        return frame_fail("impossible block size");
    if ((rc = check_compressor(f)) != NC_NOERR)
        return rc;
    return check_offsets(at, f);
}

static int
blosc_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    frame      f = { .version = ncz_cursor_u8(&at) };
    int        rc;

    (void)p;
    (void)env;
    ncz_cursor_u8(&at); /* the compressor's own version */
    f.flags = ncz_cursor_u8(&at);
    f.typesize = ncz_cursor_u8(&at);
    f.nbytes = ncz_cursor_u32le(&at);
    f.blocksize = ncz_cursor_u32le(&at);
    f.cbytes = ncz_cursor_u32le(&at);
    if ((rc = check_frame(at, &f, n)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_check_size("blosc", f.nbytes, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if ((f.flags & BLOSC_MEMCPYED) != 0)
        memcpy(out, (const unsigned char *)in + HEADER, f.nbytes);
    else if (blosc_decompress_ctx(in, out, f.nbytes, 1) != (int)f.nbytes)
        return ncz_fail(NC_EFILTER, "codec 'blosc': the data are corrupt");
    *used = f.nbytes;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_blosc = {
    .id = "blosc",
    .hdf5_id = 32001,
    .cls = NCZ_CODEC_BYTES,
    .configure = blosc_configure,
    .describe = blosc_describe,
    .from_words = blosc_from_words,
    .to_words = blosc_to_words,
    .bound = blosc_bound,
    .encode = blosc_encode,
    .decode = blosc_decode,
};
