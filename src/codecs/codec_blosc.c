/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blosc: its configuration, encoding and decoding. codec_blosc_make_lz4.c encodes the usual frames, and c-blosc's
 * context calls encode the others on the caller's thread. codec_blosc_frame.c decodes, and c-blosc decodes the
 * streams that it does not support.
 *
 * A frame's header is checked completely before c-blosc gets the frame, because c-blosc trusts the lengths in it,
 * even the length of its input.
 */
#include "codecs/blosc_int.h"

#include <blosc.h>

/* Indexed by compressor number. */
static const char *const cnames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

/* ---- configuration ---------------------------------------------------------------------------------------- */

static int
check_cname(const char *cname)
{
    if (blosc_compname_to_compcode(cname) >= 0)
        return NC_NOERR;
    return ncz_fail(NC_ENOFILTER, "codec 'blosc': compressor '%s' is not built in", cname);
}

typedef struct blosc_state {
    int64_t clevel;
    int64_t blocksize; /* 0: the library's choice */
    int64_t cname;     /* index into `cnames` */
    int64_t shuffle;   /* 0 none, 1 bytes, 2 bits, -1: bits for one-byte elements, else bytes */
    int64_t typesize;  /* 0: the array's element size */
} blosc_state;

static int
read_cname(const ncz_json *config, const char *codec, int64_t *out)
{
    const ncz_json *member = ncz_json_get(config, "cname");

    if (ncz_json_is(member, NCZ_JSON_NULL))
        return NC_NOERR;
    for (size_t i = 0; i < NCZ_LEN(cnames); i++)
        if (ncz_json_str_is(member, cnames[i])) {
            *out = (int64_t)i;
            return NC_NOERR;
        }
    return ncz_fail(NC_EFILTER, "codec '%s': \"cname\" is not the name of a compressor", codec);
}

/* Reads the members that both JSON spellings have. */
static int
read_members(const ncz_codec_ops *ops, const ncz_json *config, blosc_state *s)
{
    const struct {
        const char *name;
        int64_t    *v, least, most;
    } members[] = {
        {"clevel", &s->clevel, 0, 9},
        {"blocksize", &s->blocksize, 0, UINT32_MAX},
        {"typesize", &s->typesize, 0, INT32_MAX},
    };
    int rc;

    *s = (blosc_state){.clevel = 5, .cname = 1, .shuffle = 1};
    for (size_t i = 0; i < NCZ_LEN(members); i++) {
        rc = ncz_codec_int(config, ops->id, members[i].name, members[i].least, members[i].most, members[i].v);
        if (rc != NC_NOERR)
            return rc;
    }
    return read_cname(config, ops->id, &s->cname);
}

/* Indexed by number. */
static const char *const v3_shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
static const char *const gdal_shuffles[] = {"NONE", "BYTE", "BIT"};

/* A number, or GDAL's word for it. */
static int
read_shuffle(const ncz_json *config, const char *codec, int64_t *out)
{
    for (size_t i = 0; i < NCZ_LEN(gdal_shuffles); i++)
        if (ncz_json_str_is(ncz_json_get(config, "shuffle"), gdal_shuffles[i])) {
            *out = (int64_t)i;
            return NC_NOERR;
        }
    return ncz_codec_int(config, codec, "shuffle", -1, 2, out);
}

static int
blosc_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                void *state)
{
    blosc_state *s = state;
    int          rc;

    (void)in;
    (void)rules;
    if ((rc = read_members(ops, config, s)) != NC_NOERR ||
        (rc = read_shuffle(config, ops->id, &s->shuffle)) != NC_NOERR)
        return rc;
    return check_cname(cnames[s->cname]);
}

/*
 * The element size of the input, which is 1 after a codec that makes bytes. c-blosc cannot shuffle elements larger
 * than 255 bytes and treats such data as plain bytes.
 */
static size_t
find_typesize(const blosc_state *s, const ncz_array_type *type)
{
    size_t size = type->bytes ? 1 : type->dtype.size;

    if (s->typesize > 0)
        size = (size_t)s->typesize;
    return size > 0 && size <= BLOSC_MAX_TYPESIZE ? size : 1;
}

static int
blosc_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    const ncz_json *shuffle = ncz_json_get(config, "shuffle");
    blosc_state    *s = state;
    size_t          i = 0;
    int             rc;

    if ((rc = read_members(ops, config, s)) != NC_NOERR)
        return rc;
    if ((size_t)s->typesize == find_typesize(&(blosc_state){.typesize = 0}, in)) /* what v2 leaves out */
        s->typesize = 0;
    if (ncz_json_is(shuffle, NCZ_JSON_INT)) { /* as `numcodecs.blosc` has it, and netCDF-C's branch for v3 */
        if ((rc = ncz_codec_int(config, ops->id, "shuffle", -1, 2, &s->shuffle)) != NC_NOERR)
            return rc;
    } else if (!ncz_json_is(shuffle, NCZ_JSON_NULL)) {
        while (i < NCZ_LEN(v3_shuffles) && !ncz_json_str_is(shuffle, v3_shuffles[i]))
            i++;
        if (i == NCZ_LEN(v3_shuffles))
            return ncz_fail(NC_EFILTER, "codec '%s': \"shuffle\" is neither %s, %s nor %s", ops->id, v3_shuffles[0],
                            v3_shuffles[1], v3_shuffles[2]);
        s->shuffle = (int64_t)i;
    }
    return check_cname(cnames[s->cname]);
}

static void
write_int(ncz_jsonw *w, const char *name, int64_t v)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_i64(w, v);
}

static void
blosc_describe(const void *state, ncz_jsonw *w)
{
    const blosc_state *s = state;

    write_int(w, "clevel", s->clevel);
    write_int(w, "blocksize", s->blocksize);
    ncz_jsonw_key(w, "cname");
    ncz_jsonw_cstr(w, cnames[s->cname]);
    write_int(w, "shuffle", s->shuffle);
    if (s->typesize != 0) /* only newer writers have it, and older readers refuse it */
        write_int(w, "typesize", s->typesize);
}

static int
find_shuffle(const blosc_state *s, size_t typesize)
{
    if (s->shuffle >= 0)
        return (int)s->shuffle;
    return typesize == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
}

/* v3 has no "-1" and requires the type size. */
static void
blosc_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const blosc_state *s = state;
    size_t             typesize = find_typesize(s, in);

    ncz_jsonw_key(w, "cname");
    ncz_jsonw_cstr(w, cnames[s->cname]);
    write_int(w, "clevel", s->clevel);
    ncz_jsonw_key(w, "shuffle");
    ncz_jsonw_cstr(w, v3_shuffles[find_shuffle(s, typesize)]);
    write_int(w, "typesize", (int64_t)typesize);
    write_int(w, "blocksize", s->blocksize);
}

/*
 * The seven words: two of the filter's own, type size, block size, level, shuffle, compressor. HDF5 fills in the type
 * size and, as block size, the bytes of the chunk. Such a block size means nothing, so the library chooses one.
 */
static int
blosc_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    blosc_state *s = state;
    bool         filled;
    int          rc;

    if ((rc = ncz_codec_nwords(ops->id, n, 7, 7)) != NC_NOERR)
        return rc;
    filled = words[2] != 0 && words[3] == in->chunk_bytes;
    *s =
        (blosc_state){.clevel = words[4], .blocksize = filled ? 0 : words[3], .cname = words[6], .shuffle = words[5]};
    if ((rc = ncz_codec_range(ops->id, "level", s->clevel, 0, 9)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range(ops->id, "shuffle", s->shuffle, 0, 2)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_range(ops->id, "compressor", s->cname, 0, (int64_t)NCZ_LEN(cnames) - 1)) != NC_NOERR)
        return rc;
    return check_cname(cnames[s->cname]);
}

static int
blosc_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const blosc_state *s = state;
    size_t             typesize = find_typesize(s, in);
    unsigned           chunk = in->chunk_bytes <= UINT_MAX ? (unsigned)in->chunk_bytes : 0;

    words[0] = words[1] = 0;
    words[2] = (unsigned)typesize;
    words[3] = s->blocksize != 0 ? (unsigned)s->blocksize : chunk;
    words[4] = (unsigned)s->clevel;
    words[5] = (unsigned)find_shuffle(s, typesize);
    words[6] = (unsigned)s->cname;
    *n = 7;
    return NC_NOERR;
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

/* With this much room blosc can store data that it cannot compress. */
static bool
blosc_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, BLOSC_MAX_OVERHEAD, out);
}

static int
blosc_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    const blosc_state *s = state;
    size_t             typesize = find_typesize(s, type), block = (size_t)s->blocksize;
    int                shuffle = find_shuffle(s, typesize), got;

    if (n > BLOSC_MAX_BUFFERSIZE)
        return ncz_fail(NC_EFILTER, "codec 'blosc': %zu bytes, a frame holds at most %d", n, BLOSC_MAX_BUFFERSIZE);
    if (block == 0 && cap >= n + NCZ_BLOSC_HEADER && ncz_blosc_makes(s->cname, s->clevel, shuffle, typesize, n))
        return ncz_blosc_make(in, n, typesize, s->clevel, out, used);
    if (block > n) /* the library does the same, but counts in int */
        block = n;
    got = blosc_compress_ctx((int)s->clevel, shuffle, typesize, n, in, out, cap < INT_MAX ? cap : INT_MAX,
                             cnames[s->cname], block, 1);
    if (got <= 0)
        return ncz_fail(NC_EFILTER, "codec 'blosc': %zu bytes could not be compressed (%d)", n, got);
    *used = (size_t)got;
    return NC_NOERR;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

/* Uses c-blosc for streams that this build cannot decode itself. */
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
blosc_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    ncz_blosc_frame f;
    ncz_byte_range  all;
    int             rc;

    (void)state;
    (void)type;
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
blosc_decode_part(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t size,
                  ncz_byte_range *part)
{
    ncz_blosc_frame f;
    int             rc;

    (void)state;
    (void)type;
    if ((rc = ncz_blosc_open(in, n, &f)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_check_size("blosc", f.nbytes, size, true)) != NC_NOERR)
        return rc;
    return decode_frame(&f, n, out, part);
}

const ncz_codec_ops ncz_codec_blosc = {
    .id = "blosc",
    .v3_name = "blosc",
    .members = {"cname", "clevel", "shuffle", "blocksize", "typesize"},
    .hdf5_id = 32001,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(blosc_state),
    .config.from_json = blosc_from_json,
    .config.describes_itself = ncz_codec_always_describes_itself,
    .config.from_v3 = blosc_from_v3,
    .config.describe = blosc_describe,
    .config.describe_v3 = blosc_describe_v3,
    .config.from_words = blosc_from_words,
    .config.to_words = blosc_to_words,
    .bound = blosc_bound,
    .encode = blosc_encode,
    .decode = blosc_decode,
    .decode_part = blosc_decode_part,
};
