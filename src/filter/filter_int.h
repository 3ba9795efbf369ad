/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of src/filter share: the built-in codecs, and the few things that every codec needs to read its
 * parameters and to report what went wrong.
 */
#ifndef NCZ_FILTER_INT_H
#define NCZ_FILTER_INT_H

#include "filter/filter_codecs.h"

#include <limits.h>

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
int  ncz_codec_trailing(const char *codec, size_t extra); /* bytes after its end */
void ncz_codec_tail(const char *codec, size_t extra); /* the same where they are let pass: it is logged, no more */
int  ncz_codec_check_size(const char *codec, size_t got, size_t wanted, bool exact); /* NC_NOERR when it fits */

/* ---- objects (codec_objects.c) ---- */

int ncz_codec_count(const char *codec, uint64_t got, size_t wanted); /* NC_EFILTER unless they are the same */
/* A text that is JSON, as a value. NC_EFILTER, naming the codec. */
int ncz_codec_text_json(const char *codec, ncz_vlen_item text, ncz_json **out);
/* Appends bytes as UTF-8: what is none becomes U+FFFD. */
int ncz_codec_append_utf8(ncz_buf *out, const char *s, size_t len);

/*
 * The elements of a document with a shape of its own, which numcodecs writes in C order, as nested lists or flat. Each
 * has its place in the chunk, in the order of storage.
 */
typedef struct ncz_nested {
    const char     *codec;
    ncz_dims        shape;
    size_t          rank, next;
    const unsigned *order; /* of storage; NULL: C order */
} ncz_nested;

/* Room for a shape of `rank` dimensions. ncz_nested_clear() ends it, also after a failure. */
int ncz_nested_init(ncz_nested *s, const char *codec, size_t rank);
/* The shape is complete: NC_EFILTER unless it has `nelems` elements. */
int    ncz_nested_check(ncz_nested *s, const ncz_array_type *type, size_t nelems);
size_t ncz_nested_next(ncz_nested *s);         /* the place of the next element */
int    ncz_nested_misfit(const ncz_nested *s); /* NC_EFILTER: the lists do not fit the shape */
void   ncz_nested_clear(ncz_nested *s);

/* ---- checksums (filter_checksum.c) ---- */

uint32_t ncz_codec_sum_lookup3(const void *data, size_t n, uint32_t initval);

/* ---- codecs from array to array (codec_dtype.c) ---- */

#define NCZ_TYPE_CLASS_BOOL     1u /* truth values are taken too */
#define NCZ_TYPE_CLASS_HALF     2u /* and 2-byte floats */
#define NCZ_TYPE_CLASS_OPTIONAL 4u /* absent leaves it as it is */

/* The state of such codecs begins with this. */
typedef struct ncz_type_pair {
    ncz_dtype decoded, encoded; /* numcodecs' "dtype" and "astype" */
} ncz_type_pair;

/* The type string `name` of a codec's JSON object. Not one: NC_EFILTER. Of a class that is not taken: NC_ENOFILTER. */
int ncz_codec_read_type(const ncz_json *config, const char *codec, const char *name, unsigned classes,
                        ncz_dtype *out);

/* "dtype", which is computed with and so never a 2-byte float, and "astype", the same unless it is there. */
int ncz_codec_read_types(const ncz_json *config, const char *codec, unsigned classes, ncz_type_pair *out);

void ncz_codec_write_type(const ncz_dtype *type, const char *name, ncz_jsonw *w);
void ncz_codec_write_types(const ncz_type_pair *types, ncz_jsonw *w); /* "dtype", "astype" */

/* bound() and encoded_type() of these codecs. */
bool ncz_codec_types_bound(const void *state, size_t n, size_t *out);
void ncz_codec_types_encoded(const void *state, ncz_array_type *type);

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
