/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filter: the codec table, the registry, the built-in codecs and the chain that runs them.
 *
 * Adding a codec takes one file with a `const ncz_codec_ops` and one line in filter_codecs.h; docs/filters.md
 * describes the steps. A codec never frees what it did not allocate, keeps nothing between calls but its state, and is
 * handed exact sizes. Codecs of an application come through nczarr_filter.h: codec_user.c makes them ncz_codec_ops.
 */
#ifndef NCZ_FILTER_H
#define NCZ_FILTER_H

#include "grid/grid.h"
#include "json/json.h"
#include "nczarr_filter.h"
#include "util/util.h"

/*
 * Whose rules a configuration in numcodecs' spelling follows where writers differ. shuffle with an element size of 0
 * is the case: numcodecs leaves the bytes as they are (so for 1), netCDF-C writes 0 over bytes that it did shuffle.
 */
typedef enum ncz_config_rules {
    NCZ_CONFIG_CALLER,    /* a definition: 0 and 1 mean the size of the array's elements, which all readers know */
    NCZ_CONFIG_NETCDF,    /* a document of netCDF-C's: 0 means the size of the array's elements */
    NCZ_CONFIG_NUMCODECS, /* a document of any other writer: the configuration means what it says */
} ncz_config_rules;

/*
 * What enters a codec: a chunk of an array, or bytes that earlier codecs made of one. A chain computes it once for each
 * of its steps. Of bytes, the other members still describe the last array: szip and shuffle need its element size.
 */
typedef struct ncz_array_type {
    ncz_dtype       dtype;       /* of the elements */
    size_t          chunk_bytes; /* of a decoded chunk; 0: not known */
    uint64_t        row;   /* length of the array's last dimension; 0: not known, then a chunk is one row (szip) */
    size_t          rank;  /* of `shape` and `order` */
    const uint64_t *shape; /* of a chunk; NULL: not known */
    const unsigned *order; /* dimensions in the order of storage, as ncz_spec's; NULL: C order */
    bool            bytes; /* what enters has no elements any more */
} ncz_array_type;

/* The bytes [from, to) of a decoded chunk. */
typedef struct ncz_byte_range {
    size_t from, to;
} ncz_byte_range;

#define NCZ_CODEC_WORDS   NCZARR_CODEC_WORDS /* most parameter words of an HDF5 filter */
#define NCZ_CODEC_MEMBERS 10                 /* most members of a configuration beside "id" */

/*
 * The class of a codec is the type of what enters and leaves it. A chain is a number of codecs from array to array, one
 * from array to bytes, and a number from bytes to bytes. Zarr v2 leaves the second out where it is the elements' own
 * bytes; its documents may also have array-to-array codecs among the others: these take the bytes for elements.
 */
typedef enum ncz_codec_class {
    NCZ_CODEC_ARRAY_ARRAY, /* type and size of the elements may change */
    NCZ_CODEC_ARRAY_BYTES, /* `bytes`, and the codecs for arrays of objects */
    NCZ_CODEC_BYTES_BYTES,
} ncz_codec_class;

typedef struct ncz_codec_ops ncz_codec_ops;

/*
 * A codec: a constant table. `state` is what the codec made of its configuration: state_size bytes, zeroed before
 * from_...() fills them, then never changed and shared by all threads. Members marked "may be NULL" have a default.
 */
struct ncz_codec_ops {
    const char     *id;                         /* numcodecs' and Zarr v2's name; also in error texts */
    const char     *v3_name;                    /* Zarr v3's name; NULL: no form in v3 */
    const char     *members[NCZ_CODEC_MEMBERS]; /* of its configuration, beside "id"; any other is an error */
    unsigned        hdf5_id;                    /* HDF5 filter id, 0 when there is none */
    ncz_codec_class cls;
    bool            v3_only;    /* has no name in Zarr v2 */
    bool            any_member; /* its configuration may have any members */
    bool            any_error;  /* its failures say nothing of their kind: with more room, decode() may succeed */
    bool            fixed;      /* encode() always gives exactly bound() bytes */
    size_t          state_size; /* 0: no state, and `state` is NULL */

    /*
     * The spellings of a configuration, each to a state; `in` is what the codec is to serve. NC_EFILTER with a text;
     * NC_EINVAL for a word out of range; NC_ENOFILTER with a text when the configuration is sound but asks for a part
     * that this build lacks (a chain then keeps it as unknown).
     */
    /* numcodecs' JSON object; numbers may be strings of digits. May be NULL: nothing in it matters. */
    int (*from_json)(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                     ncz_config_rules rules, void *state);
    /* The "configuration" of Zarr v3, NULL when absent. May be NULL: the same members as numcodecs'. */
    int (*from_v3)(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state);
    /* HDF5 parameter words. May be NULL: not an HDF5 filter. */
    int (*from_words)(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                      void *state);
    void (*free_state)(void *state); /* what the state owns, also after a from_...() that failed. May be NULL */

    /* And back. */
    void (*describe)(const void *state, ncz_jsonw *w); /* members after "id", in netCDF's order. May be NULL: none */
    /* Members of v3's "configuration". May be NULL: those of describe(). */
    void (*describe_v3)(const void *state, const ncz_array_type *in, ncz_jsonw *w);
    int (*to_words)(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS]);

    /* What comes out is what went in, byte for byte: then it is not run. May be NULL: never. */
    bool (*identity)(const void *state, const ncz_array_type *in);
    /* Most bytes that encode() can give for `n` input bytes; false when it would overflow. May be NULL: n. */
    bool (*bound)(const void *state, size_t n, size_t *out);
    /* NCZ_CODEC_ARRAY_ARRAY only: makes of the type of what enters encode() that of what comes out: `dtype`, and `row`
     * where rows do not stay. The chain does the rest. */
    void (*encoded_type)(const void *state, ncz_array_type *type);
    /* Encodes in[0..n), of type `type`, into out[0..cap), cap >= bound; *used is the size of the result. */
    int (*encode)(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  size_t *used);
    /*
     * Decodes in[0..n) into what `type` describes. `*used` on entry is the exact size wanted, or the most allowed when
     * `exact` is false (an outer step of a chain); on return the size of the result. Never writes past cap. Too little
     * or too much is NC_EFILTER with a text. So are bytes after the encoded object, but not where the object itself
     * says where it ends (zlib, gzip, bz2, zstd, blosc; szip cannot tell): writers that replace an object in place
     * leave the rest of a longer one there, and that is logged and ignored. After a failure `out` holds anything.
     */
    int (*decode)(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  bool exact, size_t *used);
    /*
     * May be NULL. Decodes in[0..n), exactly `size` bytes, but only what [part->from, part->to) takes, each byte to
     * its own place in out[0..size); `part` becomes what was decoded, which may be more. The rest of `out` is not
     * touched.
     */
    int (*decode_part)(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out,
                       size_t size, ncz_byte_range *part);
    /*
     * For arrays of objects, else NULL; codecs for objects alone have no bound, encode and decode. encode_vlen()
     * appends to `out`. decode_vlen() begins a block of `nelems` items in `out`, whose limit it keeps; NC_EFILTER when
     * there are more or less.
     */
    int (*encode_vlen)(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out);
    int (*decode_vlen)(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems,
                       ncz_buf *out);

    /* Counts references to the table itself, where it is not static. NULL, both: static. */
    void (*ref_ops)(const ncz_codec_ops *ops);
    void (*unref_ops)(const ncz_codec_ops *ops);
};

/* ---- registry ---- */

/* NULL when there is none. A reference, for ncz_codec_ops_unref(), which matters where one may be registered. */
const ncz_codec_ops *ncz_codec_by_id(const char *id);
const ncz_codec_ops *ncz_codec_by_v3_name(const char *name);
const ncz_codec_ops *ncz_codec_by_hdf5(unsigned hdf5_id);
void                 ncz_codec_ops_unref(const ncz_codec_ops *ops);

const ncz_codec_ops *ncz_codec_at(size_t i); /* the built-in ones, NULL after the last */

/* As nczarr_filter_register(), nczarr_filter_unregister(). Any thread. */
int ncz_codec_register(const nczarr_codec *codec);
int ncz_codec_unregister(const char *id);

/* ---- codecs with a configuration: immutable, shared by reference ---- */

typedef struct ncz_codec ncz_codec;

/* Makes one from each spelling of a configuration, to serve `in`. */
int ncz_codec_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                        ncz_config_rules rules, ncz_codec **out);
/* `config` is {"name", "configuration"}. NC_ENOFILTER: it has no form in v3. */
int ncz_codec_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_codec **out);
int ncz_codec_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                         ncz_codec **out);

ncz_codec *ncz_codec_ref(ncz_codec *c);
void       ncz_codec_unref(ncz_codec *c);

const char          *ncz_codec_id(const ncz_codec *c);
const ncz_codec_ops *ncz_codec_ops_of(const ncz_codec *c); /* NULL: unknown */
const void          *ncz_codec_state(const ncz_codec *c);

/* Writes each spelling, as one JSON object or as words. */
void ncz_codec_describe(const ncz_codec *c, ncz_jsonw *w);
int  ncz_codec_describe_v3(const ncz_codec *c, const ncz_array_type *in, ncz_jsonw *w);
int  ncz_codec_to_words(const ncz_codec *c, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS]);

/* A codec's configuration from its text: one JSON object and nothing after it, else NC_EFILTER. */
int ncz_codec_parse(const char *json, size_t len, ncz_json **out);

/* The integer `name` of a configuration, a number or a string of digits; absent or null leaves *v as it is. False:
 * it is something else. */
bool ncz_codec_get_int(const ncz_json *config, const char *name, int64_t *v);

/* ---- chains: immutable, shared by reference ---------------------------------------------------------------------
 *
 * A chain is the list of codecs in encoding order (Zarr's `filters`, then `compressor`), for arrays of one type: what
 * enters each codec is computed when the chain is made. A codec that is not known keeps its place and its JSON text, so
 * that the document can be written back; running such a chain is NC_ENOFILTER naming it.
 */
typedef struct ncz_chain ncz_chain;

/* An empty chain is NULL, everywhere. `filters`, `compressor` may be NULL or JSON null. Malformed: NC_EFILTER. */
int ncz_chain_parse(const ncz_json *filters, const ncz_json *compressor, const ncz_array_type *in,
                    ncz_config_rules rules, size_t limit, ncz_chain **out);

/* The same codecs for arrays of another type; another reference to `base` when it is for that type. */
int ncz_chain_retype(ncz_chain *base, const ncz_array_type *in, ncz_chain **out);

/* A new chain: `base` (may be NULL) with a codec in place of the first of the same id, else last (`front`: first, but
 * after the codecs from array to array). */
int ncz_chain_with(const ncz_chain *base, ncz_codec *codec, const ncz_array_type *in, bool front, ncz_chain **out);
/* The same from a codec's JSON object, as a caller defines it; a codec from array to array goes after those that are
 * there. Malformed: NC_EFILTER; no such codec, or not as it is asked for: NC_ENOFILTER. */
int ncz_chain_with_json(const ncz_chain *base, const ncz_json *config, const ncz_array_type *in, ncz_chain **out);
/* A new chain without the codecs of that id; NULL when nothing is left. */
int ncz_chain_without(const ncz_chain *base, const char *id, ncz_chain **out);

ncz_chain *ncz_chain_ref(ncz_chain *c);
void       ncz_chain_unref(ncz_chain *c);

/* The codecs that a document lists. */
size_t           ncz_chain_len(const ncz_chain *c);
const ncz_codec *ncz_chain_codec(const ncz_chain *c, size_t i);      /* NULL past the last */
const char      *ncz_chain_id(const ncz_chain *c, size_t i);         /* codec name, known or not */
int              ncz_chain_find(const ncz_chain *c, const char *id); /* index or -1 */
int              ncz_chain_usable(const ncz_chain *c);               /* NC_NOERR, or NC_ENOFILTER naming it */

/*
 * One step: a codec and what enters it. Beside the codecs of the document there is always one from array to bytes:
 * `implied` where the document leaves it out, as Zarr v2 does for the elements' own bytes.
 */
typedef struct ncz_chain_step {
    ncz_codec     *codec;
    ncz_array_type in;
    bool           implied;
} ncz_chain_step;

size_t                ncz_chain_nsteps(const ncz_chain *c);
const ncz_chain_step *ncz_chain_step_at(const ncz_chain *c, size_t i);
size_t                ncz_chain_to_bytes(const ncz_chain *c); /* the step from array to bytes */

/* Values for the document of an array, appended: the last codec as "compressor", those before as "filters" (each a JSON value: null,
 * object or array). */
int ncz_chain_write(const ncz_chain *c, ncz_buf *filters, ncz_buf *compressor);
/* All codecs as one JSON list, for netCDF's virtual attribute _Codecs. */
int ncz_chain_write_list(const ncz_chain *c, ncz_buf *out);

/* Encodes one chunk. `out` is overwritten. `scratch` is the thread's, or NULL: then memory is made and freed. */
int ncz_chain_encode(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t n, ncz_buf *out);
/*
 * Decodes one stored object into exactly `n` bytes at `out`. Short, long, corrupt: NC_EFILTER with a text that does
 * not know the key (the caller adds it). With an empty chain the object's size must be n; `in` longer than n is
 * accepted only when the chain is empty and `tail_ok` (old writers left stale bytes after it).
 * Intermediate sizes are bounded by what the codecs before them can give, so that a lying object cannot ask for
 * memory. After a failure `out` holds anything.
 */
int ncz_chain_decode(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, void *out, size_t n,
                     bool tail_ok);

/* Is it for arrays of objects? Then these two run it, and none of the others here. */
bool ncz_chain_objects(const ncz_chain *c);
int  ncz_chain_encode_vlen(const ncz_chain *c, ncz_scratch *scratch, const ncz_vlen_block *in, ncz_buf *out);
/*
 * Into a block of `nelems` items in `out`, which is overwritten. How much the codecs on the way decode to is not
 * known beforehand: memory grows with what they really give, up to `limit` bytes for each, and for the items.
 */
int ncz_chain_decode_vlen(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, size_t nelems,
                          size_t limit, ncz_buf *out);

/* Whether decoding in part may save anything: blosc alone, or an empty chain. */
bool ncz_chain_in_parts(const ncz_chain *c);
/*
 * The same for a caller that needs the bytes [part->from, part->to) of the chunk only. They are decoded to their own
 * places in `out`, which has room for all n; `part` becomes what was decoded, which is that or more. Other bytes of
 * `out` stay as they are. Parts that nobody asked for may be corrupt unnoticed. A chain that cannot decodes all.
 */
int ncz_chain_decode_part(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, void *out, size_t n,
                          bool tail_ok, ncz_byte_range *part);

/* ---- objects that hold several chunks -------------------------------------------------------------------------- */

/* The bytes of one chunk in an object. length 0: the object does not have it. */
typedef struct ncz_slot {
    uint64_t offset, length;
} ncz_slot;

/* The encoded bytes of one chunk for an object that is put together. NULL: it is not stored. */
typedef struct ncz_slot_bytes {
    const void *data;
    size_t      nbytes;
} ncz_slot_bytes;

/*
 * How an object of several chunks is laid out: some slots, one for each chunk, and an index that says where in the
 * object each slot's bytes are. `layout` has the parameters of this table, as a spec holds them. Any thread may call.
 */
typedef struct ncz_object_ops {
    const char *name;
    /* How many bytes the index has, and whether they are the last ones of the object or the first. False: that does
     * not fit in memory. */
    bool (*index_range)(const void *layout, size_t nslots, size_t *nbytes, bool *at_end);
    /* The index's bytes into `slots`. Damaged: NC_EFILTER with a text that does not know the key. Whether the ranges
     * are within the object is checked by the caller. */
    int (*parse_index)(const void *layout, const void *index, size_t nbytes, ncz_slot *slots, size_t nslots);
    /* A whole object out of the chunks' bytes, into `out`, which is overwritten. */
    int (*assemble)(const void *layout, const ncz_slot_bytes *parts, size_t nslots, ncz_buf *out);
} ncz_object_ops;

#endif /* NCZ_FILTER_H */
