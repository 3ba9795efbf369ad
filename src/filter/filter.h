/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filter: the registry of codecs and the chain that runs them.
 *
 * An application registers codecs through nczarr_filter.h; filter_user.c turns them into ncz_codec_ops.
 */
#ifndef NCZ_FILTER_H
#define NCZ_FILTER_H

#include "codecs/codecs.h"
#include "nczarr_filter.h"

/* ---- registry ---- */

/* Look up a codec: NULL, or a reference for ncz_codec_ops_unref(), which keeps registered codecs alive. */
const ncz_codec_ops *ncz_codec_by_id(const char *id);
/*
 * By the name in Zarr v3. Other names of a codec are "numcodecs.<id>" and, as netCDF-C's branch for v3 has it, its id.
 */
const ncz_codec_ops *ncz_codec_by_v3_name(const char *name);
const ncz_codec_ops *ncz_codec_by_hdf5(unsigned hdf5_id, ncz_codec_spelling spelling);
void                 ncz_codec_ops_unref(const ncz_codec_ops *ops);

/*
 * The HDF5 id that a codec has in datasets with that spelling; 0: none, or `ops` is NULL. gzip is deflate in v3, where
 * all readers know it and few know zlib.
 */
unsigned ncz_codec_hdf5_id(const ncz_codec_ops *ops, ncz_codec_spelling spelling);

const ncz_codec_ops *ncz_codec_at(size_t i); /* iterates over the built-in codecs; NULL after the last */
const char          *ncz_codec_name(const ncz_codec_ops *ops); /* in Zarr v2, or where it is for v3 only, there */
int ncz_codec_fail_unknown(const char *name); /* NC_ENOFILTER, with the nearest built-in codec's name */

/* What nczarr_filter_register() and nczarr_filter_unregister() do. Any thread may call. */
int ncz_codec_register(const nczarr_codec *codec);
int ncz_codec_unregister(const char *id);

/* ---- codecs with a configuration: immutable, shared by reference ---- */

typedef struct ncz_codec ncz_codec;

/* Make a codec from each spelling of a configuration, for the input `in`. */
int ncz_codec_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                        ncz_config_rules rules, ncz_codec **out);
/* `config` is the name as a string, or {"name", "configuration"}. */
int ncz_codec_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_codec **out);
int ncz_codec_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                         ncz_codec **out);

ncz_codec *ncz_codec_ref(ncz_codec *c);
void       ncz_codec_unref(ncz_codec *c);

const char          *ncz_codec_id(const ncz_codec *c);
const ncz_codec_ops *ncz_codec_ops_of(const ncz_codec *c); /* NULL: unknown */

/* Write each spelling, as one JSON object or as words. */
void ncz_codec_describe(const ncz_codec *c, ncz_jsonw *w);
int  ncz_codec_describe_v3(const ncz_codec *c, const ncz_array_type *in, ncz_jsonw *w);
int  ncz_codec_to_words(const ncz_codec *c, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS]);

/* Parses a codec's configuration: one JSON object with nothing after it, else NC_EFILTER. */
int ncz_codec_parse(const char *json, size_t len, ncz_json **out);

/* ---- chains: immutable, shared by reference ---------------------------------------------------------------------
 *
 * A chain is the list of codecs in encoding order (Zarr's `filters`, then `compressor`), for arrays of one type. The
 * input type of each codec is computed when the chain is made. An unknown codec keeps its place and its JSON text, so
 * that the document can be written back; running such a chain is NC_ENOFILTER with the codec's name.
 */
typedef struct ncz_chain ncz_chain;

/* An empty chain is always NULL. `filters` and `compressor` may be NULL or JSON null. Malformed: NC_EFILTER. */
int ncz_chain_parse(const ncz_json *filters, const ncz_json *compressor, const ncz_array_type *in,
                    ncz_config_rules rules, size_t limit, ncz_chain **out);

/* Makes a chain of the same codecs for another type, or references `base` if its type is that one already. */
int ncz_chain_retype(ncz_chain *base, const ncz_array_type *in, ncz_chain **out);

/*
 * Makes a new chain: `base` (may be NULL) with `codec` in place of the first one with the same id, else at the end.
 * With `front` a new codec goes first instead, after the array-to-array codecs.
 */
int ncz_chain_with(const ncz_chain *base, ncz_codec *codec, const ncz_array_type *in, bool front, ncz_chain **out);
/*
 * Makes the new chain from a codec's JSON object, as a caller defines it, in numcodecs' spelling or in v3's. An
 * array-to-array codec goes after the existing ones.
 * NC_EFILTER: malformed. NC_ENOFILTER: no such codec, or not with this configuration.
 */
int ncz_chain_with_json(const ncz_chain *base, const ncz_json *config, const ncz_array_type *in, ncz_chain **out);
/* Makes the chain for strings of another width, `in`. Shuffle takes whole strings: numcodecs accepts no other rest. */
int ncz_chain_fit_width(ncz_chain *base, const ncz_array_type *in, ncz_chain **out);
/* Makes a chain of the codecs of both for `in`, the input of `first`; shuffle, which needs elements, is left out of
 * `then`. Either may be NULL. */
int ncz_chain_join(const ncz_chain *first, const ncz_chain *then, const ncz_array_type *in, ncz_chain **out);
/* Makes a new chain without the codecs of that id; NULL when none is left. */
int ncz_chain_without(const ncz_chain *base, const char *id, ncz_chain **out);

/* Makes a chain of the codecs [from, to) of another one, for `in`; NULL for none. */
int ncz_chain_part(const ncz_chain *c, size_t from, size_t to, const ncz_array_type *in, ncz_chain **out);

/* The codec of the chain with that HDF5 id, else the one of ncz_codec_by_hdf5(). A reference, or NULL. */
const ncz_codec_ops *ncz_chain_codec_for(const ncz_chain *c, unsigned hdf5_id, ncz_codec_spelling spelling);

ncz_chain *ncz_chain_ref(ncz_chain *c);
void       ncz_chain_unref(ncz_chain *c);

/* The codecs that a document lists. */
size_t           ncz_chain_len(const ncz_chain *c);
const ncz_codec *ncz_chain_codec(const ncz_chain *c, size_t i);      /* NULL after the last */
const char      *ncz_chain_id(const ncz_chain *c, size_t i);         /* codec name, known or not */
int              ncz_chain_find(const ncz_chain *c, const char *id); /* index or -1 */
int              ncz_chain_usable(const ncz_chain *c);   /* NC_NOERR; or NC_ENOFILTER with the codec's name */
bool             ncz_chain_is_fixed(const ncz_chain *c); /* all chunks of one size are encoded to one size, too */

/*
 * One step: a codec and its input type. A chain always has an array-to-bytes step. It is `implied` where the document
 * omits it, as Zarr v2 does when it only copies the elements' bytes.
 */
typedef struct ncz_chain_step {
    ncz_codec     *codec;
    ncz_array_type in;
    bool           implied;
} ncz_chain_step;

size_t                ncz_chain_nsteps(const ncz_chain *c);
const ncz_chain_step *ncz_chain_step_at(const ncz_chain *c, size_t i);

/* Whether the chain stores each row of an array of characters as one text (codec_text_rows.c). */
bool ncz_chain_has_text_rows(const ncz_chain *c);
/* Makes the chain that does so before the codecs of `base`, without a shuffle. NC_EFILTER: one of them needs elements,
 * or the chunks do not have whole rows. */
int ncz_chain_with_text_rows(const ncz_chain *base, const ncz_array_type *in, ncz_chain **out);
/* Makes the chain without that codec: a new reference to the same one if it has none. */
int ncz_chain_without_text_rows(ncz_chain *base, ncz_chain **out);

/* NC_ENOFILTER unless the spelling has a form for all codecs. */
int ncz_chain_check_spelling(const ncz_chain *c, ncz_codec_spelling spelling);
/*
 * Appends the values for the document of an array: the last codec as "compressor", the ones before as "filters". Each
 * is a JSON value: null, object or array. NC_ENOFILTER: a codec exists only in Zarr v3.
 */
int ncz_chain_write(const ncz_chain *c, ncz_buf *filters, ncz_buf *compressor);
/* Writes all codecs as one JSON list, for netCDF's virtual attribute _Codecs. Those of v3 alone have its spelling. */
int ncz_chain_write_list(const ncz_chain *c, ncz_buf *out);

/* Encodes one chunk and overwrites `out`. `scratch` is the thread's; NULL: memory is allocated and freed. */
int ncz_chain_encode(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t n, ncz_buf *out);
/*
 * Decodes one stored object into exactly `n` bytes at `out`. Short, long or corrupt objects are NC_EFILTER with a
 * text without the key, which the caller adds. With an empty chain the object's size must be n; a larger object is
 * accepted only if `tail_ok` is set (old writers left stale bytes at the end). Intermediate sizes are bounded by the
 * worst case of the codecs before them, so that a bad object cannot make the reader allocate too much. After a
 * failure `out` is undefined.
 */
int ncz_chain_decode(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, void *out, size_t n,
                     bool tail_ok);

/* The bytes that a stored object decodes to, at most `most`. For elements whose width is not known. */
int ncz_chain_decoded_len(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, size_t most,
                          size_t *len);

/* Whether the chain is for arrays of objects. Only the next two functions can run such a chain. */
bool ncz_chain_objects(const ncz_chain *c);
int  ncz_chain_encode_vlen(const ncz_chain *c, ncz_scratch *scratch, const ncz_vlen_block *in, ncz_buf *out);
/* Whether it is such a chain, and its codec for objects stores sequences of these numbers. */
bool ncz_chain_stores(const ncz_chain *c, const ncz_type *items);
/*
 * Decodes into a block of `nelems` items in `out`, which is overwritten. The decoded sizes of the codecs are not
 * known beforehand, so memory grows with their real output, up to `limit` bytes for each, and for the items.
 */
int ncz_chain_decode_vlen(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, size_t nelems,
                          size_t limit, ncz_buf *out);

/* Whether decoding a part can be faster than all: a blosc codec alone, or an empty chain. */
bool ncz_chain_in_parts(const ncz_chain *c);
/*
 * Like ncz_chain_decode(), for a caller that needs only the bytes [part->from, part->to) of the chunk. They are
 * decoded to their own places in `out`, which has room for all n. Sets `part` to the range that was decoded, which
 * may be larger. Other bytes of `out` are untouched, and damage in other parts may go unnoticed. A chain that cannot
 * decode parts decodes all.
 */
int ncz_chain_decode_part(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, void *out, size_t n,
                          bool tail_ok, ncz_byte_range *part);

/* ---- objects that hold several chunks -------------------------------------------------------------------------- */

/*
 * The bytes of one chunk in an object. length 0: the object does not have it. A damaged
 * entry of an index keeps its numbers, with NCZ_SLOT_BAD set in `length`: then only this chunk is lost.
 */
typedef struct ncz_slot {
    uint64_t offset, length;
} ncz_slot;

#define NCZ_SLOT_BAD ((uint64_t)1 << 63)

bool ncz_slot_is_bad(ncz_slot slot);
/* Marks a slot as bad that does not lie in an object of `size` bytes. */
void ncz_slot_check(ncz_slot *slot, uint64_t size);
/* Records that slot i of an object of `size` bytes is bad: NC_EFILTER. */
int ncz_slot_fail(ncz_slot slot, size_t i, uint64_t size);

/* The encoded bytes of one chunk, for assembling an object. NULL: the chunk is not stored. */
typedef struct ncz_slot_bytes {
    const void *data;
    size_t      nbytes;
} ncz_slot_bytes;

/* ---- Zarr v3's shards ------------------------------------------------------------------------------------------ */

/* How a shard's index is stored. All zero: the usual: at the end, little-endian, with crc32c. */
typedef struct ncz_shard_layout {
    bool at_start, big, no_checksum;
} ncz_shard_layout;

/* Gives the size of the index, and whether it is at the end of the object or at its start. False: overflow. */
bool ncz_shard_index_range(const ncz_shard_layout *l, size_t nslots, size_t *nbytes, bool *at_end);
/*
 * Parses the index into `slots`. Damaged as a whole: NC_EFILTER, with a text without the key. An entry that is damaged
 * alone makes a bad slot. The caller checks that the others lie in the object (ncz_slot_check()).
 */
int ncz_shard_parse_index(const ncz_shard_layout *l, const void *index, size_t nbytes, ncz_slot *slots,
                          size_t nslots);
/* Assembles an object from the chunks' bytes and overwrites `out` with it. */
int ncz_shard_assemble(const ncz_shard_layout *l, const ncz_slot_bytes *parts, size_t nslots, ncz_buf *out);
/* Makes only the index of that object, in which the chunks' bytes follow each other in the order of slots. */
int ncz_shard_make_index(const ncz_shard_layout *l, const ncz_slot_bytes *parts, size_t nslots, ncz_buf *out);
/* Makes the index of an object whose chunks lie there; length 0: it does not have the chunk. */
int ncz_shard_place_index(const ncz_shard_layout *l, const ncz_slot *slots, size_t nslots, ncz_buf *out);

/* ---- chains of HDF5 -------------------------------------------------------------------------------------------- */

/* A filter of a pipeline, as a file has it. */
typedef struct ncz_filter_spec {
    unsigned        id;
    const char     *name; /* for error texts; NULL: the file has none */
    size_t          nwords;
    const unsigned *words;
} ncz_filter_spec;

/*
 * Makes the chain of a chunk of an HDF5 dataset. `in`: of the elements as they are stored, `chunk_bytes` included.
 * `skipped`: the chunk's filter mask; filter i was not applied if bit i is set. A filter that is not built in, or not
 * with these words, keeps its place in the chain as an unknown codec, whose error has its number, name and cause.
 * Malformed words: NC_EFILTER or NC_EINVAL.
 */
int ncz_chain_from_filters(const ncz_filter_spec *filters, size_t n, uint32_t skipped, const ncz_array_type *in,
                           ncz_chain **out);
/*
 * Makes the chain for a copy in Zarr, from one of those, whose filters Zarr may lack. `in`: of the copy's elements.
 * Codecs that Zarr has stay. HDF5's lz4 becomes Zarr's; bitshuffle with a compressor becomes blosc with the same one.
 * All others are left out. Where one of them made chunks smaller, and nothing is left that does, shuffle and deflate
 * take its place.
 */
int ncz_chain_for_zarr(const ncz_chain *c, const ncz_array_type *in, ncz_chain **out);
/* A filter as a program defines it. */
typedef struct ncz_filter_words {
    unsigned id;
    size_t   n;
    unsigned words[NCZ_CODEC_WORDS];
} ncz_filter_words;

/*
 * The filters for a copy in an HDF5 file, *n of them, from any chain; ncz_free() frees them. `in`: of the copied
 * elements. Codecs that have no number there are left out, but for gzip, which is deflate, and lz4. Where one of them
 * made chunks smaller, and nothing is left that does, shuffle and deflate take its place.
 */
int ncz_chain_filters(const ncz_chain *c, const ncz_array_type *in, ncz_filter_words **out, size_t *n);
/* The reverse of ncz_chain_from_filters() for codec i of a chain: its number, and the words that HDF5 stores for such
 * an array, which are more than a program gives for some. NC_ENOFILTER: it has no number. */
int ncz_chain_filter_at(const ncz_chain *c, size_t i, ncz_filter_spec *out, unsigned words[NCZ_CODEC_WORDS]);
/* NC_ENOFILTER if one of the filters can only be read. */
int ncz_chain_check_encodes(const ncz_chain *c);
/* The words of a codec from those that a program gives for a new array, or those of a file: how many. */
size_t ncz_filter_complete_words(unsigned id, size_t n, const unsigned *words, const ncz_array_type *in,
                                 unsigned out[NCZ_CODEC_WORDS]);
/* The name of HDF5's filter with that number, also of one that is not built in. NULL: not known. */
const char *ncz_filter_name(unsigned id);

/* ---- chains of Zarr v3 ----------------------------------------------------------------------------------------- */

/*
 * What the "codecs" of a v3 array say. With `inner` the object is a shard, a sharding codec alone, whose chunks the
 * engine reads and stores one by one; the other members then describe an inner chunk. All other shards (after a
 * transpose, with codecs that follow, inside a shard) are a codec of the chain.
 */
typedef struct ncz_v3_codecs {
    ncz_chain       *chain; /* of one chunk, the inner one of a shard; NULL: the bytes as they are */
    bool             big;   /* byte order of the elements: that of `bytes`, if it gets the array's own elements */
    unsigned        *order; /* of a transpose that comes first: as in ncz_spec.order; NULL: C order */
    uint64_t        *inner; /* shape of a shard's inner chunks, rank entries; NULL: each chunk is an object */
    ncz_shard_layout shard;
} ncz_v3_codecs;

/*
 * Parses "codecs" for objects of the type `in`: its `shape` is required, its byte order and `order` are not used.
 * `most`: limit on codecs, also in nested lists. Malformed: NC_EFILTER with the codec, member and cause. A codec that
 * is unknown, or that this build cannot run, keeps its place in the chain, as in v2. Clear *out, which a failure
 * leaves empty, with ncz_v3_codecs_clear().
 */
int ncz_chain_parse_v3(const ncz_json *codecs, const ncz_array_type *in, size_t most, ncz_v3_codecs *out);
/*
 * Writes the list, always as objects. `in`: of the whole object; its byte order and `order` are not used. NC_ENOFILTER:
 * a codec has no form in v3.
 */
int  ncz_chain_write_v3(const ncz_v3_codecs *c, const ncz_array_type *in, ncz_jsonw *w);
void ncz_v3_codecs_clear(ncz_v3_codecs *c); /* may be called twice */

#endif /* NCZ_FILTER_H */
