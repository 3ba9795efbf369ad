/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codecs: the codecs' own libraries, called directly, for `limits`. Each thread has its contexts between
 * codecs_begin() and codecs_end(). What the build does not have is not present; nothing falls back.
 */
#ifndef BENCH_CODECS_H
#define BENCH_CODECS_H

#include "workload.h"

bool codec_present(bench_codec codec);
void codecs_set_deflate_level(int level); /* before any thread begins; 1 without */
void codecs_begin(void);
void codecs_end(void);

/* The decoded chunk: in `out`, or `in` itself where there is no codec. `spare` holds what is between two codecs. */
const char *codec_decode(bench_codec codec, const char *in, size_t n, char *out, size_t nbytes, char *spare);
/* Elements [first, first + count) of it. */
const char *codec_decode_part(bench_codec codec, const char *in, size_t n, size_t first, size_t count, char *out,
                              char *spare);
/* The stored form and its length: in `out`, or `in` itself. */
const char *codec_encode(bench_codec codec, const char *in, size_t nbytes, char *out, size_t cap, char *spare,
                         size_t *n);

#endif /* BENCH_CODECS_H */
