/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of src/codecs: the functions with which codecs read their parameters
 * and report errors.
 */
#ifndef NCZ_CODEC_INT_H
#define NCZ_CODEC_INT_H

#include "codecs/codecs.h"

#include <limits.h>

/*
 * Reads the integer member `name` of a codec's JSON object: a number or a string of digits, within least..most.
 * Absent or null leaves *v unchanged. Anything else is NC_EFILTER.
 */
int ncz_codec_int(const ncz_json *config, const char *codec, const char *name, int64_t least, int64_t most,
                  int64_t *v);

/* The state of codecs whose only parameter is a level. Absent it is 1; -1 is zlib's default, 6. */
typedef struct ncz_level {
    int64_t level;
} ncz_level;

int  ncz_codec_level_read(const char *codec, const ncz_json *config, int64_t least, int64_t most, ncz_level *out);
int  ncz_codec_level_words(const char *codec, size_t n, const unsigned *words, int64_t least, int64_t most,
                           ncz_level *out);
void ncz_codec_level_describe(const void *state, ncz_jsonw *w);
int ncz_codec_level_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS]);

/* For describes_itself: true. */
bool ncz_codec_always_describes_itself(const ncz_json *config);

/* NC_EFILTER unless n is within least..most. */
int ncz_codec_nwords(const char *codec, size_t n, size_t least, size_t most);

/* NC_EINVAL unless v is within least..most. */
int ncz_codec_range(const char *codec, const char *what, int64_t v, int64_t least, int64_t most);

static inline void
ncz_codec_put_u32le(void *to, size_t v)
{
    unsigned char *out = to;

    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(v >> 8 * i);
}

static inline void
ncz_codec_put_be(void *to, uint64_t v, unsigned nbytes)
{
    unsigned char *out = to;

    for (unsigned i = 0; i < nbytes; i++)
        out[i] = (unsigned char)(v >> 8 * (nbytes - 1 - i));
}

/* Standard decode errors. Each returns NC_EFILTER and records a text. */
int  ncz_codec_too_long(const char *codec, size_t most);  /* the output exceeds what is allowed */
bool ncz_codec_was_too_long(void);                        /* whether that was the thread's last failure */
int  ncz_codec_cut_short(const char *codec, size_t n);    /* the n bytes of input end too early */
int  ncz_codec_trailing(const char *codec, size_t extra); /* bytes after the end of the object */
void ncz_codec_tail(const char *codec, size_t extra);     /* the same where they are allowed: only logs it */
int  ncz_codec_check_size(const char *codec, size_t got, size_t wanted, bool exact); /* NC_NOERR: the size fits */

/* ---- objects (codec_objects.c) ---- */

int ncz_codec_count(const char *codec, uint64_t got, size_t wanted); /* NC_EFILTER unless the counts are equal */
/* Parses a text as JSON. Malformed: NC_EFILTER with the codec's name. */
int ncz_codec_text_json(const char *codec, ncz_vlen_item text, ncz_json **out);
/* Appends bytes as UTF-8. Invalid bytes become U+FFFD. */
int ncz_codec_append_utf8(ncz_buf *out, const char *s, size_t len);

/*
 * The elements of a document that has its own shape. numcodecs writes them in C order, as nested lists or flat. Each
 * element gets its place in the chunk, in storage order.
 */
typedef struct ncz_nested {
    const char     *codec;
    ncz_dims        shape;
    size_t          rank, next;
    const unsigned *order; /* storage order; NULL: C order */
} ncz_nested;

/* Allocates a shape of `rank` dimensions. Call ncz_nested_clear() at the end, also after a failure. */
int ncz_nested_init(ncz_nested *s, const char *codec, size_t rank);
/* Call when the shape is complete. NC_EFILTER unless it has `nelems` elements. */
int    ncz_nested_check(ncz_nested *s, const ncz_array_type *type, size_t nelems);
size_t ncz_nested_next(ncz_nested *s);         /* the place of the next element */
int    ncz_nested_misfit(const ncz_nested *s); /* NC_EFILTER: the lists do not fit the shape */
void   ncz_nested_clear(ncz_nested *s);

/* ---- checksums (codec_lookup3.c) ---- */

uint32_t ncz_codec_sum_lookup3(const void *data, size_t n, uint32_t initval);

/* ---- codecs from array to array (codec_dtype.c) ---- */

#define NCZ_TYPE_CLASS_BOOL     1u /* accept truth values */
#define NCZ_TYPE_CLASS_HALF     2u /* accept 2-byte floats */
#define NCZ_TYPE_CLASS_OPTIONAL 4u /* may be absent, which leaves *out unchanged */

/* The state of array-to-array codecs begins with this struct. */
typedef struct ncz_type_pair {
    ncz_dtype decoded, encoded; /* numcodecs' "dtype" and "astype" */
} ncz_type_pair;

/* Reads the type string `name` of a codec's JSON object. NC_EFILTER: malformed. NC_ENOFILTER: class not accepted. */
int ncz_codec_read_type(const ncz_json *config, const char *codec, const char *name, unsigned classes,
                        ncz_dtype *out);

/* Reads "dtype", the type of the arithmetic and so never a 2-byte float, and "astype", which defaults to it. */
int ncz_codec_read_types(const ncz_json *config, const char *codec, unsigned classes, ncz_type_pair *out);

void ncz_codec_write_type(const ncz_dtype *type, const char *name, ncz_jsonw *w);
void ncz_codec_write_types(const ncz_type_pair *types, ncz_jsonw *w); /* "dtype", "astype" */

/* bound() and encoded_type() of these codecs. */
bool ncz_codec_types_bound(const void *state, size_t n, size_t *out);
void ncz_codec_types_encoded(const void *state, ncz_array_type *type);

/* Processes a block of n elements of the run's work type in place. */
typedef void ncz_step(void *block, size_t n, void *arg);

/* A run of elements: loaded from one type, processed in another, stored as a third. */
typedef struct ncz_run {
    ncz_dtype       from, to;
    const ncz_type *work;
    const ncz_type *made; /* the type of the block after `step`, of no more bytes an element; NULL: `work` */
    ncz_step       *step; /* NULL: none */
    void           *arg;
} ncz_run;

/*
 * Converts in[0..n) to `out`, at most `most` bytes, or exactly that many with `exact`. *used: the size of the result.
 * NC_EFILTER: n bytes are no whole number of elements, or the result has the wrong size.
 */
int ncz_codec_run(const char *codec, const ncz_run *r, const void *in, size_t n, void *out, size_t most, bool exact,
                  size_t *used);

/* What the codecs that scale floats do: (x - offset) * scale, with `round` to the nearest number, halves to even. */
typedef struct ncz_scaling {
    double scale, offset;
    bool   round;
} ncz_scaling;

/* The steps of a run that scale NC_FLOAT or NC_DOUBLE, each in its own precision, and back. Their arg: the scaling. */
ncz_step *ncz_codec_scaler(const ncz_type *work);
ncz_step *ncz_codec_unscaler(const ncz_type *work);

/* For libraries that count in unsigned int: takes off *left as much as fits. */
static inline unsigned
ncz_codec_take(size_t *left)
{
    unsigned n = *left > UINT_MAX ? UINT_MAX : (unsigned)*left;

    *left -= n;
    return n;
}

/* ---- numbers in the widest type of their class (codec_scalar.c) ---- */

/* Members of codecs of Zarr v3 that are spelt as a fill value, and elements while such codecs work on them. */
typedef union ncz_scalar {
    int64_t  i; /* NCZ_KIND_INT */
    uint64_t u; /* NCZ_KIND_UINT */
    double   f; /* NCZ_KIND_FLOAT */
} ncz_scalar;

/* Whether elements of that type are numbers of 1, 2, 4 or 8 bytes. */
bool ncz_scalar_fits(const ncz_dtype *t);

/* The type in memory of such elements as scalars: NC_INT64, NC_UINT64 or NC_DOUBLE. */
const ncz_type *ncz_scalar_type(const ncz_dtype *t);

/* The least and the greatest number of an integer type. */
int64_t  ncz_scalar_least(const ncz_dtype *t);
uint64_t ncz_scalar_greatest(const ncz_dtype *t);

/* Reads a number spelt as a Zarr v3 fill value of type `t`. Returns false if it is not a number or is out of range. */
bool ncz_scalar_parse(const ncz_json *v, const ncz_dtype *t, ncz_scalar *out);
void ncz_scalar_write(ncz_scalar v, const ncz_dtype *t, ncz_jsonw *w);
bool ncz_scalar_equal(ncz_scalar a, ncz_scalar b, const ncz_dtype *t); /* NaN equals NaN */

#endif /* NCZ_CODEC_INT_H */
