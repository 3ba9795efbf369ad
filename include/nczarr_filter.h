/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_filter.h: codecs that an application brings with it, and codecs by their Zarr names.
 *
 * A codec turns the bytes of a chunk into others and back. In a dataset it stands as a JSON object,
 * {"id": "<its name>", <its configuration>}; for netCDF it may also be an HDF5 filter, a number with parameter words.
 * The JSON object is what counts: words are turned into it and back.
 *
 * share/doc/nczarr/filters.md lists the built-in codecs; examples/custom_codec.c there is a whole one. Results, errors and
 * threads are those of nczarr.h.
 */
#ifndef NCZARR_FILTER_H
#define NCZARR_FILTER_H

#include "nczarr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- an application's own codec ---------------------------------------------------------------------------- */

/* Its functions may be called from several threads at once. Without it the library calls them one at a time. */
#define NCZARR_CODEC_THREADS 0x1u
/* encode() always gives exactly bound() bytes. */
#define NCZARR_CODEC_FIXED 0x2u

/* Most parameter words of a filter. */
#define NCZARR_CODEC_WORDS 32

/* What a codec may know of the array. Newer libraries add members at the end, and `size` tells which are there. */
typedef struct nczarr_codec_array {
    size_t  size;         /* of this struct in the library that calls */
    size_t  chunk_bytes;  /* of one decoded chunk; behind other codecs more or less may come in */
    size_t  element_size; /* bytes of one element as it is stored */
    nc_type type;         /* as netCDF reads it; NC_NAT: bytes that another codec has made, or what it cannot read */
    int     endian;       /* of the elements: NC_ENDIAN_LITTLE or NC_ENDIAN_BIG; of bytes NC_ENDIAN_NATIVE */
} nczarr_codec_array;

/*
 * A codec. Fill a zeroed one and set `size`; newer headers add members at the end only, and what a program built
 * against an older one does not set counts as 0. `size`, `id`, encode and decode are needed.
 *
 * Functions return NC_NOERR or what went wrong: NC_EFILTER, NC_EINVAL, NC_ENOMEM, or NC_ENOFILTER for a sound
 * configuration that asks for something this codec cannot do; other codes count as NC_EFILTER. nczarr_codec_fail()
 * adds the text. They write outputs on success only, keep no pointer that they are handed (but `user` and their own
 * state), and call nothing of this library but nczarr_codec_fail() and nczarr_codec_get_...(): anything else may wait
 * for ever.
 *
 * Threads   They are called from any thread, also from the library's own; without NCZARR_CODEC_THREADS never two at a
 *           time. A state is made once and then shared by all that code with it.
 */
typedef struct nczarr_codec {
    size_t      size;    /* sizeof(nczarr_codec) */
    const char *id;      /* numcodecs' name, or one of your own, which should say whose: "org.example.rle" */
    unsigned    hdf5_id; /* HDF5 filter id; 0: none */
    unsigned    flags;   /* NCZARR_CODEC_... */
    void       *user;    /* handed back to every function */

    /*
     * open: checks a configuration and makes of it what coding needs. `json` is the codec's whole object, `array`
     * what it is to serve, as far as that is known now. *statep, NULL before, is given to the other functions. May be
     * NULL: every configuration will do, and the state is NULL.
     * close: ends a state that open made. May be NULL.
     */
    int (*open)(void *user, const char *json, const nczarr_codec_array *array, void **statep);
    void (*close)(void *user, void *state);

    /*
     * Parameter words to a JSON object, in `cap` bytes with its NUL ("id" need not stand in it), and back: *nwordsp
     * at most NCZARR_CODEC_WORDS. May be NULL, both or neither: a filter without words.
     */
    int (*from_words)(void *user, size_t nwords, const unsigned *words, char *json, size_t cap);
    int (*to_words)(void *user, const char *json, size_t *nwordsp, unsigned *words);

    /* Most bytes that encode() gives for n. May be NULL: n, never more. */
    int (*bound)(void *user, void *state, size_t n, size_t *mostp);

    /* in[0..n) -> out[0..cap), where cap is at least bound(); *usedp is what it came to. */
    int (*encode)(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out,
                  size_t cap, size_t *usedp);

    /*
     * And back. `in` is what was stored: it may be anything, of any length, and must do no harm. The first codec of a
     * chain has to give exactly `cap` bytes (the library checks); behind others `cap` is the most that it can be.
     */
    int (*decode)(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out,
                  size_t cap, size_t *usedp);

    /* After nczarr_filter_unregister(), when nothing uses the codec any more. May be NULL. */
    void (*release)(void *user);
} nczarr_codec;

/*
 * Makes a codec known to the process; the struct and `id` are copied. It serves datasets opened, and filters defined,
 * from now on: register first. NC_ENAMEINUSE a codec of that name or HDF5 id is built in or registered; NC_EINVAL a
 * member that is needed lacks, or a flag is not known; NC_ENOTBUILT it asks for what only a newer library has.
 */
NCZARR_API int nczarr_filter_register(const nczarr_codec *codec);

/*
 * Takes it back: it serves nothing new. Open datasets that something was asked of keep using it, and it ends
 * (`release`) with the last of them: only then may its code go. NC_ENOFILTER: not registered.
 */
NCZARR_API int nczarr_filter_unregister(const char *id);

/* ---- for use inside a codec's functions ---- */

/* Records what went wrong for nczarr_errmsg() (the codec's name is put before it) and returns `code`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
NCZARR_API int
nczarr_codec_fail(int code, const char *format, ...);

/*
 * The member `name` of a configuration: an integer (a number, or a string of digits, as some writers have it), a
 * number, or a text with its NUL in `cap` bytes. Absent or null: NC_NOERR, and the output stays as it is, so put the
 * default there. Anything else, or a text that does not fit, is NC_EFILTER.
 */
NCZARR_API int nczarr_codec_get_int(const char *json, const char *name, long long *valuep);
NCZARR_API int nczarr_codec_get_double(const char *json, const char *name, double *valuep);
NCZARR_API int nczarr_codec_get_text(const char *json, const char *name, char *text, size_t cap);

/* ---- codecs by name, built in or registered ---------------------------------------------------------------- */

/* NC_NOERR when there is a codec of that name, else NC_ENOFILTER. */
NCZARR_API int nczarr_filter_avail(const char *id);

/*
 * As nc_def_var_filter(), by the codec's JSON object: for codecs that are no HDF5 filters too. Codecs that change the
 * type of the elements (delta, fixedscaleoffset, quantize, bitround, packbits, astype) go before those that work on
 * bytes; the others go last, and one of the same name is replaced where it stands. NC_EFILTER malformed; NC_ENOFILTER
 * no such codec. The attribute _Codecs shows the whole chain.
 */
NCZARR_API int nczarr_def_var_codec(int ncid, int varid, const char *json);

/* The whole chain, in place of what the variable had: a JSON list of such objects in the order of encoding, as the
 * attribute _Codecs gives it. "[]": none. Errors are the same. */
NCZARR_API int nczarr_def_var_codecs(int ncid, int varid, const char *json);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_FILTER_H */
