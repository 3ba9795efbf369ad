/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codecs: the table of functions that a codec is, and those that are built in.
 *
 * A new codec needs one file with a `const ncz_codec_ops` and one line below; docs/filters.md describes the steps. A
 * codec never frees what it did not allocate, keeps no data between calls except its state, and receives exact sizes.
 */
#ifndef NCZ_CODECS_H
#define NCZ_CODECS_H

#include "grid/grid.h"
#include "json/json.h"
#include "nczarr_filter.h"
#include "util/util.h"

/*
 * Whose rules a configuration in numcodecs' spelling follows where writers differ. They differ for shuffle with an
 * element size of 0: numcodecs does not shuffle then (nor for 1), while netCDF-C writes 0 for bytes that it did
 * shuffle.
 */
typedef enum ncz_config_rules {
    NCZ_CONFIG_CALLER,    /* a definition: 0 and 1 mean the array's element size, which all readers know */
    NCZ_CONFIG_NETCDF,    /* a document by netCDF-C: 0 means the array's element size */
    NCZ_CONFIG_NUMCODECS, /* a document by any other writer: the configuration is taken literally */
} ncz_config_rules;

/*
 * The input of a codec: a chunk of an array, or bytes that earlier codecs made of one. A chain computes it once for
 * each of its steps. For bytes, the other members still describe the last array, since szip and shuffle need its
 * element size.
 */
typedef struct ncz_array_type {
    ncz_dtype       dtype;       /* type of the elements */
    size_t          chunk_bytes; /* size of a decoded chunk; 0: unknown */
    uint64_t        row;         /* length of the array's last dimension; 0: unknown, so a chunk is one row (szip) */
    size_t          rank;        /* entries of `shape` and `order` */
    const uint64_t *shape;       /* shape of a chunk; NULL: unknown */
    const unsigned *order;       /* dimensions in storage order, as in ncz_spec; NULL: C order */
    const void     *fill;        /* the fill value, one element; NULL: zero bytes, or an array of objects */
    bool            no_fill;     /* there is a fill value, but an earlier codec cannot encode it */
    bool            bytes;       /* the input is bytes, no longer elements */
    bool            shuffled;    /* the codec before shuffled the bytes */
} ncz_array_type;

/* The bytes [from, to) of a decoded chunk. */
typedef struct ncz_byte_range {
    size_t from, to;
} ncz_byte_range;

#define NCZ_CODEC_WORDS   NCZARR_CODEC_WORDS /* most parameter words of an HDF5 filter */
#define NCZ_CODEC_MEMBERS 10                 /* most members of a configuration beside "id" */

/*
 * The class of a codec is the type of its input and output. A chain has any number of array-to-array codecs, one
 * array-to-bytes codec and any number of bytes-to-bytes codecs. Zarr v2 omits the array-to-bytes codec where it only
 * copies the elements' bytes. A v2 document may also have array-to-array codecs among the later ones; they treat the
 * bytes as elements.
 */
typedef enum ncz_codec_class {
    NCZ_CODEC_ARRAY_ARRAY, /* may change type and size of the elements */
    NCZ_CODEC_ARRAY_BYTES, /* `bytes`, and the codecs for arrays of objects */
    NCZ_CODEC_BYTES_BYTES,
} ncz_codec_class;

/* How a dialect spells codecs. A chain can be read from each, and written in those of Zarr. */
typedef enum ncz_codec_spelling {
    NCZ_SPELLING_NUMCODECS, /* {"id", ...}: Zarr v2. Byte order and order of elements are no codecs. */
    NCZ_SPELLING_V3,        /* {"name", "configuration"}: Zarr v3. They are, and the list is complete. */
    NCZ_SPELLING_HDF5,      /* number and words: HDF5, which has filters of its own. Byte order is no codec. */
} ncz_codec_spelling;

typedef struct ncz_codec_ops ncz_codec_ops;

/* How a codec's configuration is read and written. Members marked "may be NULL" have a default. */
typedef struct ncz_codec_config_ops {
    /*
     * Parse each spelling of a configuration into a state. `in` is the input that the codec will get. NC_EFILTER,
     * with a text: malformed. NC_EINVAL: a word is out of range. NC_ENOFILTER, with a text: the configuration is
     * valid but needs a part that this build lacks; a chain then keeps the codec as unknown.
     */
    /* numcodecs' JSON object; numbers may be strings of digits. May be NULL: no member matters. */
    int (*from_json)(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                     ncz_config_rules rules, void *state);
    /* The "configuration" of Zarr v3, NULL when absent. May be NULL: it has numcodecs' members. */
    int (*from_v3)(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state);
    /* HDF5 parameter words. May be NULL: not an HDF5 filter. */
    int (*from_words)(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                      void *state);
    /* Makes the state for another input from `old`. May be NULL: the state is the same for all inputs. */
    int (*retype)(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state);
    /*
     * Whether decoding needs nothing of this configuration, since the encoded bytes say all. Then unknown members and
     * values of a stored document, which matter for encoding alone, are passed over. May be NULL: never.
     */
    bool (*describes_itself)(const ncz_json *config);
    void (*free_state)(void *state); /* frees what the state owns, also after a failed from_...(). May be NULL */

    /* Write the configuration in each spelling. */
    void (*describe)(const void *state, ncz_jsonw *w); /* members after "id", in netCDF's order. May be NULL: none */
    /* The members of v3's "configuration". May be NULL: those of describe(). */
    void (*describe_v3)(const void *state, const ncz_array_type *in, ncz_jsonw *w);
    /* Whether v3_name is the codec with this state. False: it is "numcodecs.<id>". May be NULL: always. */
    bool (*is_core)(const void *state);
    int (*to_words)(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS]);
} ncz_codec_config_ops;

/*
 * A codec: a constant table. `state` is the parsed configuration: state_size bytes, zeroed before from_...() fills
 * them. After that it never changes, and all threads share it. Members marked "may be NULL" have a default.
 */
struct ncz_codec_ops {
    const char     *id;                         /* the name in numcodecs and Zarr v2; also in error texts */
    const char     *v3_name;                    /* the name in Zarr v3; NULL: "numcodecs.<id>" */
    const char     *members[NCZ_CODEC_MEMBERS]; /* of its configuration, except "id"; any other is an error */
    unsigned        hdf5_id;                    /* HDF5 filter id; 0: none */
    unsigned        v3_hdf5_id;                 /* the id in datasets of Zarr v3; 0: the same */
    ncz_codec_class cls;
    bool            v3_only;    /* has no name in Zarr v2 */
    bool            hdf5_only;  /* has no name in Zarr: for chunks of HDF5 files */
    bool            moves;      /* array to array: moves or groups elements, but does not change them */
    bool            any_member; /* its configuration may have any members */
    bool            any_error;  /* its errors have no kind: with more room, decode() may succeed */
    bool            fixed;      /* encode() always gives exactly bound() bytes */
    size_t          state_size; /* 0: no state, and `state` is NULL */

    ncz_codec_config_ops config;

    /* True: the output equals the input byte for byte, so the codec is not run. May be NULL: never. */
    bool (*identity)(const void *state, const ncz_array_type *in);
    /* Whether it puts like bytes of all elements together. May be NULL: never. */
    bool (*shuffles)(const void *state);
    /* The most bytes that encode() can give for `n` input bytes. False: overflow. May be NULL: n. */
    bool (*bound)(const void *state, size_t n, size_t *out);
    /*
     * NCZ_CODEC_ARRAY_ARRAY only: changes the type of the input of encode() to that of its output: `dtype`, `row` if
     * rows change, and `rank`, `shape` and `order` if the shape changes, which then lies in the state. The chain sets
     * the other members.
     */
    void (*encoded_type)(const void *state, ncz_array_type *type);
    /* Encodes in[0..n), which has type `type`, into out[0..cap), cap >= bound. *used: the size of the result. */
    int (*encode)(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  size_t *used);
    /*
     * Decodes in[0..n) into data of type `type`. *used is at entry the exact size wanted or, if `exact` is false (an
     * outer step of a chain), the most allowed; at return it is the size of the result. Never writes past cap. Too
     * little or too much output is NC_EFILTER with a text. So are bytes after the encoded object, except where the
     * object itself marks its end (zlib, gzip, bz2, zstd, blosc; szip does not): a writer that replaces an object in
     * place leaves the rest of a longer one there, which is logged and ignored. After a failure `out` is undefined.
     */
    int (*decode)(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  bool exact, size_t *used);
    /*
     * May be NULL. Decodes only the part [part->from, part->to) of the `size` bytes that in[0..n) decodes to, each
     * byte into its own place in out[0..size). Sets `part` to the range that was decoded, which may be larger. The
     * rest of `out` is untouched.
     */
    int (*decode_part)(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out,
                       size_t size, ncz_byte_range *part);
    /*
     * For arrays of objects, else NULL. Codecs for objects alone have no bound, encode and decode. encode_vlen()
     * appends to `out`. decode_vlen() begins a block of `nelems` items in `out` and respects its limit. NC_EFILTER:
     * the input has another number of items.
     */
    int (*encode_vlen)(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out);
    int (*decode_vlen)(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems,
                       ncz_buf *out);

    /* Whether the codec stores sequences of these numbers, as NCZ_KIND_OBJECT has them. May be NULL: of none. */
    bool (*sequences)(const void *state, const ncz_type *items);

    /* Count references to the table itself. Both NULL: the table is static. */
    void (*ref_ops)(const ncz_codec_ops *ops);
    void (*unref_ops)(const ncz_codec_ops *ops);
};

/*
 * Reads the integer `name` of a configuration: a number or a string of digits. Absent or null leaves *v unchanged.
 * False: the member is something else.
 */
bool ncz_codec_get_int(const ncz_json *config, const char *name, int64_t *v);

/* The text of a row of `len` characters that are all `c`; and of a text whether it is one of such a row
 * (codec_text_rows.c). */
int  ncz_codec_row_text(unsigned char c, uint64_t len, ncz_buf *out);
bool ncz_codec_row_char(const char *text, size_t n, uint64_t len, unsigned char *c);

/* The coders of HDF4 files, in numbers beyond those that filters of HDF5 files can have. */
enum {
    NCZ_HDF4_FILTER_RLE = 0x10001,
    NCZ_HDF4_FILTER_NBIT = 0x10002,
    NCZ_HDF4_FILTER_HUFFMAN = 0x10003,
    NCZ_HDF4_FILTER_SZIP = 0x10005,
    NCZ_HDF5_FILTER_MOST = 0xffff,
};

/* What else this build has: to decode zlib and gzip faster; to encode their low levels faster. */
bool ncz_codec_has_libdeflate(void);
bool ncz_codec_has_isal(void);

/*
 * The built-in codecs, one line each. NAME stands for `const ncz_codec_ops ncz_codec_NAME` in a file of its own.
 * Codecs of an optional library are listed only if the build has it.
 */
#ifdef NCZ_WITH_BLOSC
#define NCZ_IF_BLOSC(x) x
#else
#define NCZ_IF_BLOSC(x)
#endif
#ifdef NCZ_WITH_ZSTD
#define NCZ_IF_ZSTD(x) x
#else
#define NCZ_IF_ZSTD(x)
#endif
#ifdef NCZ_WITH_LZ4
#define NCZ_IF_LZ4(x) x
#else
#define NCZ_IF_LZ4(x)
#endif
#ifdef NCZ_WITH_LZMA
#define NCZ_IF_LZMA(x) x
#else
#define NCZ_IF_LZMA(x)
#endif
#ifdef NCZ_WITH_BZIP2
#define NCZ_IF_BZIP2(x) x
#else
#define NCZ_IF_BZIP2(x)
#endif
#ifdef NCZ_WITH_SZIP
#define NCZ_IF_SZIP(x) x
#else
#define NCZ_IF_SZIP(x)
#endif

#ifdef NCZ_WITH_ZFP
#define NCZ_IF_ZFP(x) x
#else
#define NCZ_IF_ZFP(x)
#endif

/* clang-format off */
#define NCZ_CODECS(CODEC)    \
    CODEC(zlib)              \
    CODEC(shuffle)           \
    CODEC(fletcher32)        \
    CODEC(gzip)              \
    CODEC(delta)             \
    CODEC(fixedscaleoffset)  \
    CODEC(quantize)          \
    CODEC(bitround)          \
    CODEC(packbits)          \
    CODEC(astype)            \
    CODEC(crc32)             \
    CODEC(crc32c)            \
    CODEC(adler32)           \
    CODEC(lookup3)           \
    CODEC(base64)            \
    NCZ_IF_BLOSC(CODEC(blosc)) \
    NCZ_IF_ZSTD(CODEC(zstd)) \
    NCZ_IF_LZ4(CODEC(lz4))   \
    NCZ_IF_LZMA(CODEC(lzma)) \
    NCZ_IF_BZIP2(CODEC(bz2)) \
    NCZ_IF_SZIP(CODEC(szip)) \
    NCZ_IF_ZFP(CODEC(zfpy)) \
    NCZ_IF_ZFP(CODEC(zfp)) \
    CODEC(vlen_utf8)         \
    CODEC(vlen_bytes)        \
    CODEC(vlen_array)        \
    CODEC(json2)             \
    CODEC(msgpack2)          \
    CODEC(categorize)        \
    CODEC(bytes)             \
    CODEC(transpose)         \
    CODEC(reshape)           \
    CODEC(packbits_v3)       \
    CODEC(scale_offset)      \
    CODEC(cast_value)
/* clang-format on */

#define NCZ_DECLARE_CODEC(name) extern const ncz_codec_ops ncz_codec_##name;
NCZ_CODECS(NCZ_DECLARE_CODEC)
#undef NCZ_DECLARE_CODEC

#endif /* NCZ_CODECS_H */
