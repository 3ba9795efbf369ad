/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_filter.h: codecs that an application registers, and codecs by their Zarr names.
 *
 * A codec encodes the bytes of a chunk and decodes them. A dataset stores it as a JSON object,
 * {"id": "<its name>", <its configuration>}. netCDF may also address it as an HDF5 filter: a number with parameter
 * words. The JSON object is authoritative; words are converted to it and back.
 *
 * share/doc/nczarr/filters.md lists the built-in codecs; examples/custom_codec.c there is a complete example. The
 * rules of nczarr.h for results, errors and threads apply.
 */
#ifndef NCZARR_FILTER_H
#define NCZARR_FILTER_H

#include "nczarr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- codecs of an application ---------------------------------------------------------------------------- */

/* Its functions may be called from several threads at once. Without it the library calls them one at a time. */
#define NCZARR_CODEC_THREADS 0x1u
/* encode() always produces exactly bound() bytes. */
#define NCZARR_CODEC_FIXED 0x2u

/* Most parameter words of a filter. */
#define NCZARR_CODEC_WORDS 32

/* Properties of the array that a codec may use. Newer libraries add members at the end; `size` shows which exist. */
typedef struct nczarr_codec_array {
    size_t  size;         /* of this struct in the calling library */
    size_t  chunk_bytes;  /* of one decoded chunk; after other codecs the input may be larger or smaller */
    size_t  element_size; /* bytes of one element as it is stored */
    nc_type type;         /* as netCDF reads it; NC_NAT: the output of another codec, or a type that netCDF lacks */
    int     endian;       /* of the elements: NC_ENDIAN_LITTLE or NC_ENDIAN_BIG; of bytes NC_ENDIAN_NATIVE */
} nczarr_codec_array;

/*
 * A codec. Fill a zeroed struct and set `size`. Newer headers add members at the end only; members that an older
 * program does not set count as 0. `size`, `id`, encode and decode are required.
 *
 * Functions return NC_NOERR or an error: NC_EFILTER, NC_EINVAL, NC_ENOMEM, or NC_ENOFILTER for a valid configuration
 * that this codec does not support; other codes count as NC_EFILTER. nczarr_codec_fail() adds the text. They write
 * outputs on success only, keep no pointer passed to them (except `user` and their own state), and call no function
 * of this library other than nczarr_codec_fail() and nczarr_codec_get_...(): others may deadlock.
 *
 * Threads   The functions are called from any thread, including the library's; without NCZARR_CODEC_THREADS one at a
 *           time. A state is created once and shared by all threads that use it.
 */
typedef struct nczarr_codec {
    size_t      size;    /* sizeof(nczarr_codec) */
    const char *id;      /* the name in numcodecs, or your own, which should name its owner: "org.example.rle" */
    unsigned    hdf5_id; /* HDF5 filter id; 0: none */
    unsigned    flags;   /* NCZARR_CODEC_... */
    void       *user;    /* passed to every function */

    /*
     * open: checks a configuration and creates the state for coding. `json` is the codec's whole object, `array`
     * describes the array, as far as it is known now. *statep, initially NULL, is passed to the other functions. May
     * be NULL: every configuration is valid, and the state is NULL.
     * close: releases a state that open created. May be NULL.
     */
    int (*open)(void *user, const char *json, const nczarr_codec_array *array, void **statep);
    void (*close)(void *user, void *state);

    /*
     * from_words converts parameter words to a JSON object, in `cap` bytes with its NUL ("id" may be omitted);
     * to_words converts back, *nwordsp at most NCZARR_CODEC_WORDS. Set both or neither; NULL: a filter without words.
     */
    int (*from_words)(void *user, size_t nwords, const unsigned *words, char *json, size_t cap);
    int (*to_words)(void *user, const char *json, size_t *nwordsp, unsigned *words);

    /* The most bytes that encode() produces for n. May be NULL: n bytes at most. */
    int (*bound)(void *user, void *state, size_t n, size_t *mostp);

    /* in[0..n) -> out[0..cap), where cap is at least bound(); *usedp is the number of bytes produced. */
    int (*encode)(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out,
                  size_t cap, size_t *usedp);

    /*
     * The reverse. `in` comes from the store: it may hold any bytes, of any length, and must do no harm. The first
     * codec of a chain must produce exactly `cap` bytes (the library checks); for later codecs `cap` is the maximum.
     */
    int (*decode)(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out,
                  size_t cap, size_t *usedp);

    /* Called after nczarr_filter_unregister(), once the codec is no longer in use. May be NULL. */
    void (*release)(void *user);
} nczarr_codec;

/*
 * Registers a codec in this process; copies the struct and `id`. The codec applies to datasets opened and filters
 * defined afterwards, so register it first. NC_ENAMEINUSE: a codec of that name or HDF5 id is built in or registered;
 * NC_EINVAL: a required member is missing, or a flag is unknown; NC_ENOTBUILT: the struct uses members of a newer
 * library.
 */
NCZARR_API int nczarr_filter_register(const nczarr_codec *codec);

/*
 * Removes the codec from the registry. Open datasets whose metadata were read keep using it; `release` is called with
 * the last of them. Do not unload its code before that. NC_ENOFILTER: not registered.
 */
NCZARR_API int nczarr_filter_unregister(const char *id);

/* ---- for use inside a codec's functions ---- */

/* Records an error text for nczarr_errmsg(), which puts the codec's name before it, and returns `code`. */
NCZARR_PRINTF(2, 3)
NCZARR_API int nczarr_codec_fail(int code, const char *format, ...);

/*
 * Reads the member `name` of a configuration: an integer (a number, or the string of digits that some writers use), a
 * number, or a text with its NUL in `cap` bytes. If it is absent or null the result is NC_NOERR and the output
 * unchanged: set it to the default first. Another type, or a text that does not fit, is NC_EFILTER.
 */
NCZARR_API int nczarr_codec_get_int(const char *json, const char *name, long long *valuep);
NCZARR_API int nczarr_codec_get_double(const char *json, const char *name, double *valuep);
NCZARR_API int nczarr_codec_get_text(const char *json, const char *name, char *text, size_t cap);

/* ---- codecs by name, built in or registered ---------------------------------------------------------------- */

/* NC_NOERR when a codec of that name exists, in Zarr v2 or v3, else NC_ENOFILTER. */
NCZARR_API int nczarr_filter_avail(const char *id);

/*
 * As nc_def_var_filter(), by the codec's JSON object, so that it also takes codecs that are not HDF5 filters. Codecs
 * that work on elements (delta, fixedscaleoffset, quantize, bitround, packbits, astype) go before those that work on
 * bytes; the others are appended. A codec of the same name is replaced in its place. Zarr v3's form of the object,
 * {"name", "configuration"}, is accepted, too, and needed for codecs that only v3 has. NC_EFILTER: malformed;
 * NC_ENOFILTER: no such codec, or the dataset's version of Zarr lacks it. The attribute _Codecs shows the whole chain.
 */
NCZARR_API int nczarr_def_var_codec(int ncid, int varid, const char *json);

/*
 * Replaces the variable's whole chain by a JSON list in the order of encoding, the form of the attribute _Codecs. "[]":
 * no codecs. Each object is numcodecs' ({"id", ...}) or Zarr v3's ({"name", "configuration"}), whatever the version of
 * the dataset. A list that has v3's `bytes` is complete, as in a v3 document: `bytes` sets the byte order, a
 * `transpose` at its front the storage order of elements (Zarr v2 has only that of all dimensions, its order F). Shards
 * are defined with nczarr_def_var_shards(). Scalars may have codecs, too. Same errors, and NC_ENOFILTER: the dataset's
 * version of Zarr has no form for a codec; NC_EFILTER: it has no such order. After a failure some of it may be defined.
 */
NCZARR_API int nczarr_def_var_codecs(int ncid, int varid, const char *json);

/*
 * Returns the list of codecs of a chunk as a JSON text, in the spelling of a version of Zarr: `zarr_format` 2
 * (numcodecs' objects) or 3 (complete, as above). *lenp does not count the NUL; `json` takes one byte more; either may
 * be NULL. NC_EINVAL: another number; NC_ENOFILTER: a codec has no form in that version.
 */
NCZARR_API int nczarr_inq_var_codecs(int ncid, int varid, int zarr_format, size_t *lenp, char *json);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_FILTER_H */
