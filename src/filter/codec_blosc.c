/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blosc: its parameters; encoding, by codec_blosc_make_lz4.c or through c-blosc's context calls on the caller's thread;
 * decoding, by codec_blosc_frame.c, and by c-blosc what that does not know.
 *
 * A frame's header is checked completely before c-blosc sees the frame: it takes lengths out of it on trust, the
 * length of its input among them.
 */
#include "filter/blosc_int.h"

#include <blosc.h>

/* By compressor number. */
static const char *const cnames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

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
        {"clevel", NCZ_BLOSC_CLEVEL, 0, 9},
        {"blocksize", NCZ_BLOSC_BLOCKSIZE, 0, UINT32_MAX},
        {"shuffle", NCZ_BLOSC_SHUFFLE, -1, 2},
        {"typesize", NCZ_BLOSC_TYPESIZE, 0, INT32_MAX},
    };
    ncz_codec_params p = {.v = {[NCZ_BLOSC_CLEVEL] = 5, [NCZ_BLOSC_CNAME] = 1, [NCZ_BLOSC_SHUFFLE] = 1}};
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
    *out = (ncz_codec_params){.v = {[NCZ_BLOSC_CLEVEL] = words[4],
                                    [NCZ_BLOSC_BLOCKSIZE] = filled ? 0 : words[3],
                                    [NCZ_BLOSC_CNAME] = words[6],
                                    [NCZ_BLOSC_SHUFFLE] = words[5]}};
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
    if (block == 0 && cap >= n + NCZ_BLOSC_HEADER &&
        ncz_blosc_makes(p->v[NCZ_BLOSC_CNAME], p->v[NCZ_BLOSC_CLEVEL], shuffle_mode(p, typesize), typesize, n))
        return ncz_blosc_make(in, n, typesize, p->v[NCZ_BLOSC_CLEVEL], out, used);
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

/* c-blosc, for streams that this build cannot decode by itself. */
static int
decode_foreign(const ncz_blosc_frame *f, void *out)
{
    static const char *const formats[NCZ_BLOSC_FORMATS] = {"blosclz", "lz4", "snappy", "zlib", "zstd"};
    int                      rc;

    if ((rc = check_cname(formats[f->flags >> 5])) != NC_NOERR)
        return rc;
    if (blosc_decompress_ctx(f->data, out, f->nbytes, 1) != (int)f->nbytes)
        return ncz_fail(NC_EFILTER, "codec 'blosc': the data are corrupt");
    return NC_NOERR;
}

static int
decode_frame(const ncz_blosc_frame *f, size_t n, void *out, ncz_byte_range *part)
{
    int rc;

    if (ncz_blosc_knows(f))
        rc = ncz_blosc_decode(f, out, part);
    else {
        rc = decode_foreign(f, out);
        *part = (ncz_byte_range){0, f->nbytes};
    }
    if (rc == NC_NOERR)
        ncz_codec_tail("blosc", n - f->cbytes);
    return rc;
}

static int
blosc_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    ncz_blosc_frame f;
    ncz_byte_range  all;
    int             rc;

    (void)p;
    (void)env;
    if ((rc = ncz_blosc_open(in, n, &f)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_check_size("blosc", f.nbytes, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    all = (ncz_byte_range){0, f.nbytes};
    if ((rc = decode_frame(&f, n, out, &all)) != NC_NOERR)
        return rc;
    *used = f.nbytes;
    return NC_NOERR;
}

static int
blosc_decode_part(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out,
                  size_t size, ncz_byte_range *part)
{
    ncz_blosc_frame f;
    int             rc;

    (void)p;
    (void)env;
    if ((rc = ncz_blosc_open(in, n, &f)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_check_size("blosc", f.nbytes, size, true)) != NC_NOERR)
        return rc;
    return decode_frame(&f, n, out, part);
}

const ncz_codec_ops ncz_codec_blosc = {
    .id = "blosc",
    .members = {"cname", "clevel", "shuffle", "blocksize", "typesize"},
    .hdf5_id = 32001,
    .cls = NCZ_CODEC_BYTES,
    .configure = blosc_configure,
    .describe = blosc_describe,
    .from_words = blosc_from_words,
    .to_words = blosc_to_words,
    .bound = blosc_bound,
    .encode = blosc_encode,
    .decode = blosc_decode,
    .decode_part = blosc_decode_part,
};
