/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filter: the codec table, the registry, the built-in codecs and the chain that runs them.
 *
 * Written also for someone who adds a codec: fill in one `static const ncz_codec_ops`, put it in the list of
 * filter_registry.c, add its bytes to the codec contract suite. A codec never frees what it did not allocate, never
 * keeps state between calls, and is handed exact sizes. Codecs that an application brings come through
 * nczarr_filter.h: codec_user.c gives them the same face.
 */
#ifndef NCZ_FILTER_H
#define NCZ_FILTER_H

#include "grid/grid.h"
#include "json/json.h"
#include "nczarr_filter.h"
#include "util/util.h"

/*
 * Whose rules a codec's configuration follows where writers differ. shuffle with an element size of 0 is the case:
 * numcodecs leaves the bytes as they are (so for 1), netCDF-C writes 0 over bytes that it did shuffle.
 */
typedef enum ncz_config_rules {
    NCZ_CONFIG_CALLER, /* a definition: 0 and 1 stand for the size of the array's elements, which all readers know */
    NCZ_CONFIG_NETCDF, /* a document of netCDF-C's: 0 stands for the size of the array's elements */
    NCZ_CONFIG_NUMCODECS, /* a document of anybody else's: the configuration means what it says */
} ncz_config_rules;

/*
 * What a codec may know of the array that it serves. A chain is given the array's own, and gives each of its codecs
 * what the codecs before it have made of that.
 */
typedef struct ncz_codec_env {
    ncz_dtype        dtype;       /* of the chunk's elements */
    size_t           chunk_bytes; /* decoded chunk */
    uint64_t         row;     /* length of the array's last dimension, 0 when not known (then: one row); for szip */
    bool             bytes;   /* a codec from bytes to bytes has been there: what enters has no elements any more */
    bool             order_f; /* elements of a chunk in column-major order */
    ncz_scratch     *scratch; /* the thread's, or NULL: then memory is made and freed; its stages are the chain's */
    ncz_config_rules rules;   /* for parsing configurations; running a chain does not look at it */
} ncz_codec_env;

#define NCZ_CODEC_WORDS   NCZARR_CODEC_WORDS /* most parameter words of an HDF5 filter */
#define NCZ_CODEC_MEMBERS 10                 /* most members of a configuration beside "id" */
#define NCZ_CODEC_PLACES  10                 /* enough for every built-in codec's numeric parameters */

typedef struct ncz_labels      ncz_labels;      /* texts that are a parameter; counted */
typedef struct ncz_user_codec  ncz_user_codec;  /* a codec that an application registered */
typedef struct ncz_user_config ncz_user_config; /* what it made of one configuration; counted */

/*
 * Parameters of one codec in a chain, as the codec understood them. A plain value for built-in codecs; what may be
 * of another is let go with ncz_codec_params_clear().
 */
typedef struct ncz_codec_params {
    int64_t          v[NCZ_CODEC_PLACES]; /* meaning is the codec's own: the places below */
    ncz_user_config *own;                 /* NULL: a built-in codec */
    ncz_labels      *labels;              /* categorize; else NULL */
} ncz_codec_params;

#define NCZ_CODEC_LEVEL 0 /* zlib and gzip (-1: zlib's default), bz2, zstd (0: the library's default) */

#define NCZ_ZSTD_CHECKSUM 1 /* 1: frames carry a checksum */

#define NCZ_SHUFFLE_SIZE 0 /* bytes per element; 0 and 1: the bytes stay as they are */

#define NCZ_BLOSC_CLEVEL    0
#define NCZ_BLOSC_BLOCKSIZE 1 /* 0: the library's choice */
#define NCZ_BLOSC_CNAME     2 /* 0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd */
#define NCZ_BLOSC_SHUFFLE   3 /* 0 none, 1 bytes, 2 bits, -1 bits for one-byte elements, else bytes */
#define NCZ_BLOSC_TYPESIZE  4 /* 0: the array's element size */

#define NCZ_LZ4_ACCELERATION 0 /* the library makes 1 of what is less */

#define NCZ_LZMA_FORMAT 0 /* 1 xz, 2 the old .lzma, 3 raw; the other places are codec_lzma.c's own */

#define NCZ_CHECKSUM_KIND    0 /* codec_checksum.c's own number */
#define NCZ_CHECKSUM_END     1 /* 1: behind the data, 0: before them */
#define NCZ_CHECKSUM_INITVAL 2 /* jenkins_lookup3 */

#define NCZ_CODEC_DTYPE  0 /* of codecs from array to array: the decoded type and the encoded one, */
#define NCZ_CODEC_ASTYPE 1 /* each as codec_dtype.c packs it */

#define NCZ_SCALE_SCALE  2 /* fixedscaleoffset: both numbers as the bits of a double */
#define NCZ_SCALE_OFFSET 3
#define NCZ_SCALE_WHOLE  4 /* which of them are written as integers */

#define NCZ_QUANTIZE_DIGITS   2
#define NCZ_BITROUND_KEEPBITS 0

#define NCZ_CATEGORIZE_WIDTH 2 /* characters of a fixed-width element; 0: objects */
#define NCZ_CATEGORIZE_BIG   3 /* their byte order */

#define NCZ_SZIP_MASK   0 /* 4 entropy coding, 32 nearest neighbour; other bits are kept, and mean nothing */
#define NCZ_SZIP_PIXELS 1 /* pixels per block */

/* The bytes [from, to) of a decoded chunk. */
typedef struct ncz_byte_range {
    size_t from, to;
} ncz_byte_range;

typedef enum ncz_codec_class {
    NCZ_CODEC_ARRAY,  /* array -> array: type and size of the elements may change */
    NCZ_CODEC_BYTES,  /* bytes -> bytes */
    NCZ_CODEC_OBJECT, /* a block of texts -> bytes: the first of an array of objects */
} ncz_codec_class;

typedef struct ncz_codec_ops {
    const char     *id;                         /* numcodecs / Zarr name */
    const char     *members[NCZ_CODEC_MEMBERS]; /* of its configuration, beside "id"; any other is an error */
    unsigned        hdf5_id;                    /* HDF5 filter id, 0 when there is none */
    ncz_codec_class cls;
    bool            fixed; /* encode() always gives exactly bound() bytes */
    ncz_user_codec *own;   /* NULL: built in. Else configure and from_words are NULL: ncz_codec_of_...() below */

    /*
     * JSON object -> parameters. Numbers may be JSON numbers or strings of digits. NC_EFILTER with a text;
     * NC_ENOFILTER with a text when the object is sound but asks for a part that this build lacks (a chain then keeps
     * it as unknown).
     */
    int (*configure)(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out);
    /* parameters -> members of the codec's JSON object (after "id"): numcodecs' names, in netCDF's order */
    void (*describe)(const ncz_codec_params *p, ncz_jsonw *w);
    /*
     * HDF5 parameter words <-> parameters. from_words checks count and ranges (NC_EFILTER; NC_EINVAL for a level out
     * of range). A codec without an HDF5 id answers NC_EFILTER.
     */
    int (*from_words)(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out);
    int (*to_words)(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS]);

    /* Most bytes that encode() can give for `n` input bytes; false when it would overflow. */
    bool (*bound)(const ncz_codec_params *p, size_t n, size_t *out);
    /* NCZ_CODEC_ARRAY only: makes of the env of what enters encode() that of what comes out: `dtype`, and `row` where
     * rows do not stay. The chain sees to the rest. */
    void (*becomes)(const ncz_codec_params *p, ncz_codec_env *env);
    /* Encodes in[0..n) into out[0..cap), cap >= bound; *used is what it came to. */
    int (*encode)(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out,
                  size_t cap, size_t *used);
    /*
     * Decodes in[0..n). `*used` on entry is the exact size wanted, or the most allowed when `exact` is false (an
     * outer stage of a chain); on return what it came to. Never writes past cap. Too little or too much is NC_EFILTER
     * with a text. So are bytes behind the encoded object, but not where the object itself says where it ends (zlib,
     * gzip, bz2, zstd, blosc; szip cannot tell): writers that replace an object in place leave the rest of a longer
     * one behind it, and that is logged and ignored. After a failure `out` holds anything.
     */
    int (*decode)(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out,
                  size_t cap, bool exact, size_t *used);
    /*
     * May be NULL. Decodes in[0..n), exactly `size` bytes, but only what [part->from, part->to) takes, each byte to
     * its own place in out[0..size); `part` becomes what that was, which may be more. The rest of `out` is not
     * touched.
     */
    int (*decode_part)(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out,
                       size_t size, ncz_byte_range *part);
    /*
     * For arrays of objects, else NULL; codecs of NCZ_CODEC_OBJECT have nothing else: no bound, encode, decode. pack
     * appends to `out`. unpack begins a block of `nelems` texts in `out`, whose limit it keeps; NC_EFILTER when there
     * are more or less.
     */
    int (*pack)(const ncz_codec_params *p, const ncz_codec_env *env, const ncz_vlen_block *in, ncz_buf *out);
    int (*unpack)(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, size_t nelems,
                  ncz_buf *out);
} ncz_codec_ops;

/* ---- registry ---- */

/* NULL when there is none. A reference, for ncz_codec_unref(), which matters where one may be registered. */
const ncz_codec_ops *ncz_codec_by_id(const char *id);
const ncz_codec_ops *ncz_codec_by_hdf5(unsigned hdf5_id);
void                 ncz_codec_unref(const ncz_codec_ops *ops);

const ncz_codec_ops *ncz_codec_at(size_t i); /* the built-in ones, NULL after the last */

/* As nczarr_filter_register(), nczarr_filter_unregister(). Any thread. */
int ncz_codec_register(const nczarr_codec *codec);
int ncz_codec_unregister(const char *id);

/* configure() and from_words() of whichever codec it is. `out` is cleared with ncz_codec_params_clear(). */
int  ncz_codec_of_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_codec_env *env,
                       ncz_codec_params *out);
int  ncz_codec_of_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_codec_env *env,
                        ncz_codec_params *out);
void ncz_codec_params_clear(ncz_codec_params *p);

/* A codec's configuration out of its text: one JSON object and nothing behind it, else NC_EFILTER. */
int ncz_codec_parse(const char *json, size_t len, ncz_json **out);

/* The integer `name` of a configuration, a number or a string of digits; absent or null leaves *v as it is. False:
 * it is something else. */
bool ncz_codec_get_int(const ncz_json *config, const char *name, int64_t *v);

/* ---- chains: immutable, shared by reference ---------------------------------------------------------------------
 *
 * A chain is the list of codecs in encoding order (Zarr's `filters`, then `compressor`). A codec that is not known
 * keeps its place and its JSON text, so that the document can be written back; running such a chain is NC_ENOFILTER
 * naming it.
 */
typedef struct ncz_chain ncz_chain;

/* An empty chain is NULL, everywhere. `filters`, `compressor` may be NULL or JSON null. Malformed: NC_EFILTER. */
int ncz_chain_parse(const ncz_json *filters, const ncz_json *compressor, const ncz_codec_env *env, size_t limit,
                    ncz_chain **out);

/* A new chain: `base` (may be NULL) with a codec in place of the first of the same id, else last (`front`: first, but
 * behind the codecs from array to array that stand there). */
int ncz_chain_with(const ncz_chain *base, const ncz_codec_ops *ops, const ncz_codec_params *p, bool front,
                   ncz_chain **out);
/* The same out of a codec's JSON object; a codec from array to array goes behind those that stand there. Malformed:
 * NC_EFILTER; no such codec, or not as it is asked for: NC_ENOFILTER. */
int ncz_chain_with_json(const ncz_chain *base, const ncz_json *config, const ncz_codec_env *env, ncz_chain **out);
/* A new chain without the codecs of that id; NULL when nothing is left. */
int ncz_chain_without(const ncz_chain *base, const char *id, ncz_chain **out);

ncz_chain *ncz_chain_ref(ncz_chain *c);
void       ncz_chain_unref(ncz_chain *c);

size_t                  ncz_chain_len(const ncz_chain *c);
const char             *ncz_chain_id(const ncz_chain *c, size_t i);  /* codec name, known or not */
const ncz_codec_ops    *ncz_chain_ops(const ncz_chain *c, size_t i); /* NULL when unknown */
const ncz_codec_params *ncz_chain_params(const ncz_chain *c, size_t i);
int                     ncz_chain_find(const ncz_chain *c, const char *id); /* index or -1 */
int                     ncz_chain_usable(const ncz_chain *c);               /* NC_NOERR, or NC_ENOFILTER naming it */

/* Values for the document of an array, appended: the last codec as "compressor", those before as "filters" (each a JSON value: null,
 * object or array). */
int ncz_chain_write(const ncz_chain *c, ncz_buf *filters, ncz_buf *compressor);
/* All codecs as one JSON list, for netCDF's virtual attribute _Codecs. */
int ncz_chain_write_list(const ncz_chain *c, ncz_buf *out);

/* Encodes one chunk. `out` is overwritten. */
int ncz_chain_encode(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t n, ncz_buf *out);
/*
 * Decodes one stored object into exactly `n` bytes at `out`. Short, long, corrupt: NC_EFILTER with a text that does
 * not know the key (the caller adds it). With an empty chain the object's size must be n; `in` longer than n is
 * accepted only when the chain is empty and `tail_ok` (old writers left stale bytes behind).
 * Intermediate sizes are bounded by what the codecs before them can give, so that a lying object cannot ask for
 * memory. After a failure `out` holds anything.
 */
int ncz_chain_decode(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t nin, void *out, size_t n,
                     bool tail_ok);

/* Does it begin with a codec for objects? Then these two run it, and none of the others here. */
bool ncz_chain_objects(const ncz_chain *c);
int  ncz_chain_encode_vlen(const ncz_chain *c, const ncz_codec_env *env, const ncz_vlen_block *in, ncz_buf *out);
/*
 * Into a block of `nelems` texts in `out`, which is overwritten. How much the codecs on the way decode to is not
 * known beforehand: memory grows with what they really give, up to `limit` bytes for each, and for the texts.
 */
int ncz_chain_decode_vlen(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t nin, size_t nelems,
                          size_t limit, ncz_buf *out);

/* Whether decoding in part may save anything: blosc alone, or an empty chain. */
bool ncz_chain_in_parts(const ncz_chain *c);
/*
 * The same for a caller that needs the bytes [part->from, part->to) of the chunk only. They are decoded to their own
 * places in `out`, which has room for all n; `part` becomes what was decoded, which is that or more. Other bytes of
 * `out` stay as they are. Parts that nobody asked for may be corrupt unnoticed. A chain that cannot decodes all.
 */
int ncz_chain_decode_part(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t nin, void *out,
                          size_t n, bool tail_ok, ncz_byte_range *part);

#endif /* NCZ_FILTER_H */
