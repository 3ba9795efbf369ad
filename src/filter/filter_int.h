/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the filter room share: the built-in codecs, and the few things that every codec needs to read
 * its parameters and to say what went wrong.
 */
#ifndef NCZ_FILTER_INT_H
#define NCZ_FILTER_INT_H

#include "filter/filter.h"

#include <limits.h>

extern const ncz_codec_ops ncz_codec_zlib;
extern const ncz_codec_ops ncz_codec_gzip;
extern const ncz_codec_ops ncz_codec_shuffle;
extern const ncz_codec_ops ncz_codec_fletcher32;
extern const ncz_codec_ops ncz_codec_crc32;
extern const ncz_codec_ops ncz_codec_crc32c;
extern const ncz_codec_ops ncz_codec_adler32;
extern const ncz_codec_ops ncz_codec_lookup3;
extern const ncz_codec_ops ncz_codec_base64;
extern const ncz_codec_ops ncz_codec_delta;
extern const ncz_codec_ops ncz_codec_fixedscaleoffset;
extern const ncz_codec_ops ncz_codec_quantize;
extern const ncz_codec_ops ncz_codec_bitround;
extern const ncz_codec_ops ncz_codec_packbits;
extern const ncz_codec_ops ncz_codec_astype;
extern const ncz_codec_ops ncz_codec_vlen_utf8;
extern const ncz_codec_ops ncz_codec_vlen_bytes;
extern const ncz_codec_ops ncz_codec_vlen_array;
extern const ncz_codec_ops ncz_codec_json2;
extern const ncz_codec_ops ncz_codec_msgpack2;
extern const ncz_codec_ops ncz_codec_categorize;
extern const ncz_codec_ops ncz_codec_blosc; /* these six: where the build has their library */
extern const ncz_codec_ops ncz_codec_zstd;
extern const ncz_codec_ops ncz_codec_bz2;
extern const ncz_codec_ops ncz_codec_szip;
extern const ncz_codec_ops ncz_codec_lz4;
extern const ncz_codec_ops ncz_codec_lzma;

/*
 * The integer member `name` of a codec's JSON object, a number or a string of digits, within least..most. Absent or
 * null leaves *v as it is. Else NC_EFILTER.
 */
int ncz_codec_int(const ncz_json *config, const char *codec, const char *name, int64_t least, int64_t most,
                  int64_t *v);

/* NC_EFILTER unless n is within least..most. */
int ncz_codec_nwords(const char *codec, size_t n, size_t least, size_t most);

/* NC_EINVAL unless v is within least..most. */
int ncz_codec_range(const char *codec, const char *what, int64_t v, int64_t least, int64_t most);

/* The ends of a decode: NC_EFILTER, each with its text. */
int  ncz_codec_too_long(const char *codec, size_t most);  /* it would go past what is allowed */
bool ncz_codec_was_too_long(void);                        /* was that the thread's last failure? */
int  ncz_codec_cut_short(const char *codec, size_t n);    /* its n bytes end too early */
int  ncz_codec_trailing(const char *codec, size_t extra); /* bytes behind its end */
void ncz_codec_tail(const char *codec, size_t extra); /* the same where they are let pass: it is logged, no more */
int  ncz_codec_check_size(const char *codec, size_t got, size_t wanted, bool exact); /* NC_NOERR when it fits */

/* Another reference to what a copy of the parameters holds. */
void ncz_codec_params_keep(const ncz_codec_params *p);

/* For codecs without parameters. */
int  ncz_codec_configure_none(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out);
void ncz_codec_describe_none(const ncz_codec_params *p, ncz_jsonw *w);

/* For codecs without an HDF5 id. */
int ncz_codec_from_no_words(size_t n, const unsigned *words, const ncz_codec_env *env, ncz_codec_params *out);
int ncz_codec_to_no_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n,
                          unsigned words[NCZ_CODEC_WORDS]);

/* ---- objects (codec_common.c, codec_categorize.c) ---- */

int ncz_codec_objects_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out);
int ncz_codec_count(const char *codec, uint64_t got, size_t wanted); /* NC_EFILTER unless they are the same */
/* A text that is JSON, as a value. NC_EFILTER, naming the codec. */
int ncz_codec_text_json(const char *codec, ncz_vlen_item text, ncz_json **out);
/* Appends bytes as UTF-8: what is none becomes U+FFFD. */
int ncz_codec_append_utf8(ncz_buf *out, const char *s, size_t len);
/* The elements of a C-order array of shape v[0..rank) one after another in the chunk's own order: the place of the
 * i-th of C order. */
size_t ncz_codec_f_place(size_t i, const uint64_t *v, size_t rank);

void ncz_codec_labels_keep(ncz_labels *l);
void ncz_codec_labels_drop(ncz_labels *l);

/* ---- checksums (filter_checksum.c) ---- */

uint32_t ncz_codec_sum_lookup3(const void *data, size_t n, uint32_t initval);

/* ---- codecs from array to array (codec_dtype.c) ---- */

#define NCZ_TYPE_CLASS_BOOL     1u /* truth values are taken too */
#define NCZ_TYPE_CLASS_HALF     2u /* and 2-byte floats */
#define NCZ_TYPE_CLASS_OPTIONAL 4u /* absent leaves it as it is */

/* The type string `name` of a codec's JSON object. Not one: NC_EFILTER. Of a sort that is not taken: NC_ENOFILTER. */
int ncz_codec_type_configure(const ncz_json *config, const char *codec, const char *name, unsigned sorts, int64_t *v);

/* "dtype", which is computed with and so never a 2-byte float, and "astype", the same unless it is there. */
int ncz_codec_types_configure(const ncz_json *config, const char *codec, unsigned sorts, ncz_codec_params *p);

ncz_dtype ncz_codec_type(const ncz_codec_params *p, int place);
void      ncz_codec_type_describe(const ncz_codec_params *p, int place, const char *name, ncz_jsonw *w);

/* bound() and becomes() of codecs with NCZ_CODEC_DTYPE and NCZ_CODEC_ASTYPE. */
bool ncz_codec_types_bound(const ncz_codec_params *p, size_t n, size_t *out);
void ncz_codec_types_becomes(const ncz_codec_params *p, ncz_codec_env *env);

/* Works on a block of n elements of the run's work type, in place. */
typedef void ncz_step(void *block, size_t n, void *arg);

/* A run of elements: loaded from one type, worked on in another, stored as a third. */
typedef struct ncz_run {
    ncz_dtype       from, to;
    const ncz_type *work;
    ncz_step       *step; /* NULL: none */
    void           *arg;
} ncz_run;

/*
 * in[0..n) -> out, at most `most` bytes (`exact`: just as many); *used is what it came to. NC_EFILTER when n bytes
 * are no whole elements or give another number of bytes than is wanted.
 */
int ncz_codec_run(const char *codec, const ncz_run *r, const void *in, size_t n, void *out, size_t most, bool exact,
                  size_t *used);

/* For libraries that count in unsigned int: takes as much of *left as they can hold. */
static inline unsigned
ncz_codec_take(size_t *left)
{
    unsigned n = *left > UINT_MAX ? UINT_MAX : (unsigned)*left;

    *left -= n;
    return n;
}

#endif /* NCZ_FILTER_INT_H */
