/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed streams: the loop over a library that codes in steps, streams that other codecs contain, and the faster
 * libraries that a build may use instead of zlib.
 */
#ifndef NCZ_FILTER_STREAM_INT_H
#define NCZ_FILTER_STREAM_INT_H

#include <stdbool.h>
#include <stddef.h>

/* The part of the memory that a library sees, since the memory may exceed its counters. */
typedef struct ncz_stream_window {
    const unsigned char *in;
    unsigned             nin;
    unsigned char       *out;
    unsigned             nout;
} ncz_stream_window;

typedef enum ncz_stream_result {
    NCZ_STREAM_MORE,   /* made progress and is not at the end */
    NCZ_STREAM_END,    /* at the end of one stream */
    NCZ_STREAM_STUCK,  /* no progress is possible with these windows */
    NCZ_STREAM_FAILED, /* failed; explain() has the reason */
} ncz_stream_result;

/* A library that codes in steps, with its context. */
typedef struct ncz_stream {
    void *library;
    /* Codes as much as possible and advances the windows. `last`: this window is the last input. */
    ncz_stream_result (*step)(void *library, ncz_stream_window *w, bool last);
    int (*explain)(void *library); /* records and returns the error after STUCK or FAILED */
    /*
     * Decoding only: starts the next stream of the same object, and says whether one follows. Both NULL: an object is
     * one stream, and nothing may come after it.
     */
    ncz_stream_result (*restart)(void *library);
    bool (*follows)(const unsigned char *in, size_t n);
} ncz_stream;

/* Encodes in[0..n) into one stream of at most `cap` bytes. */
int ncz_codec_stream_encode(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t cap,
                            size_t *used);

/*
 * Decodes to the end of the last stream (with `exact`: of the last one needed), as ncz_codec_ops.decode() does. Logs
 * and ignores bytes after the end where streams can follow one another.
 */
int ncz_codec_stream_decode(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t cap,
                            bool exact, size_t *used);

/* How the decoding of one or more streams ends: *used is `got`, unless that is not the size wanted. Logs the tail. */
int ncz_codec_stream_end(const char *codec, size_t got, size_t tail, size_t most, bool exact, size_t *used);

/* Decode a zlib stream, or zstd frames, to exactly `wanted` bytes. Else NC_EFILTER or NC_ENOMEM, with a text. */
int ncz_codec_inflate_exactly(const void *in, size_t n, void *out, size_t wanted);
int ncz_codec_unzstd_exactly(const void *in, size_t n, void *out, size_t wanted);

/*
 * Decodes one complete zlib stream, or gzip member, at the start of in[0..n), into at most `most` bytes. Sets the
 * numbers of bytes read and written. False: the input is not that, or this build has only zlib. zlib then reports the
 * error.
 */
bool ncz_codec_inflate_fast(bool gzip, const void *in, size_t n, void *out, size_t most, size_t *nread,
                            size_t *nwritten);

/*
 * Encode with the library that this build uses instead of zlib. Returns false if there is no such library or if it does
 * not support that level, or the output does not fit; the caller then tries the next library, and zlib last. _low is
 * for low levels. `shuffled`: so is the input.
 */
bool ncz_codec_deflate_low(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used);
bool ncz_codec_deflate_fast(bool gzip, int level, bool shuffled, const void *in, size_t n, void *out, size_t cap,
                            size_t *used);

#endif /* NCZ_FILTER_STREAM_INT_H */
