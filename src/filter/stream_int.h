/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed streams: the loop over a library that codes in steps, streams for codecs that hold others' inside, and the
 * faster libraries that a build may have in zlib's place.
 */
#ifndef NCZ_FILTER_STREAM_INT_H
#define NCZ_FILTER_STREAM_INT_H

#include <stdbool.h>
#include <stddef.h>

/* What a library sees of memory that may be larger than it can count. */
typedef struct ncz_stream_window {
    const unsigned char *in;
    unsigned             nin;
    unsigned char       *out;
    unsigned             nout;
} ncz_stream_window;

typedef enum ncz_stream_result {
    NCZ_STREAM_MORE,   /* went on, and is not at the end */
    NCZ_STREAM_END,    /* of one stream */
    NCZ_STREAM_STUCK,  /* cannot go on with these windows */
    NCZ_STREAM_FAILED, /* explain() knows why */
} ncz_stream_result;

/* A library that codes in steps, with its context. */
typedef struct ncz_stream {
    void *library;
    /* Codes what it can and moves the windows; `last`: no input comes after this window's (encoding only). */
    ncz_stream_result (*step)(void *library, ncz_stream_window *w, bool last);
    int (*explain)(void *library); /* the error, after STUCK or FAILED */
    /* Decoding only: begins the next stream of the same object, and whether one is there. */
    ncz_stream_result (*restart)(void *library);
    bool (*follows)(const unsigned char *in, size_t n);
} ncz_stream;

/* Encodes in[0..n) into one stream of at most `cap` bytes. */
int ncz_codec_stream_encode(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t cap,
                            size_t *used);

/*
 * Decodes to the end of the last stream (`exact`: of the last that is needed) into at most `most` bytes: *got come out,
 * *tail of the input are after it.
 */
int ncz_codec_stream_decode(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t most,
                            bool exact, size_t *got, size_t *tail);

/* Exactly `wanted` bytes of a zlib stream, of zstd frames. Else NC_EFILTER or NC_ENOMEM, with a text. */
int ncz_codec_inflate_exactly(const void *in, size_t n, void *out, size_t wanted);
int ncz_codec_unzstd_exactly(const void *in, size_t n, void *out, size_t wanted);

/*
 * One complete zlib stream, or gzip member, at the beginning of in[0..n), into at most `most` bytes: how much was
 * read, and written. False when it is not that, or this build has nothing faster than zlib: zlib will say which.
 */
bool ncz_codec_inflate_fast(bool gzip, const void *in, size_t n, void *out, size_t most, size_t *nread,
                            size_t *nwritten);

/*
 * Encodes with what this build has chosen in zlib's place; false when it has chosen nothing, or not for that level,
 * or it does not fit: then the next does it, and at last zlib. _low is for low levels.
 */
bool ncz_codec_deflate_low(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used);
bool ncz_codec_deflate_fast(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used);

#endif /* NCZ_FILTER_STREAM_INT_H */
