/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bz2, through libbz2. An object may consist of several streams.
 */
#include "codecs/codec_int.h"
#include "codecs/stream_int.h"

#include <bzlib.h>

#include <string.h>

static void *
get_memory(void *opaque, int n, int item)
{
    (void)opaque;
    return ncz_alloc_n((size_t)n, (size_t)item);
}

static void
put_memory(void *opaque, void *p)
{
    (void)opaque;
    ncz_free(p);
}

typedef struct bz2_library {
    bz_stream z;
    int       status; /* of the last call */
} bz2_library;

static int
explain_bz2(void *library)
{
    int brc = ((const bz2_library *)library)->status;

    switch (brc) {
    case BZ_MEM_ERROR: return ncz_fail(NC_ENOMEM, "codec 'bz2': out of memory");
    case BZ_DATA_ERROR_MAGIC: return ncz_fail(NC_EFILTER, "codec 'bz2': not a bzip2 stream");
    case BZ_DATA_ERROR: return ncz_fail(NC_EFILTER, "codec 'bz2': the data are corrupt");
    default: return ncz_fail(NC_EFILTER, "codec 'bz2': error %d of libbz2", brc);
    }
}

/* ---- configuration ------------------------------------------------------------------------------------- */

static int
bz2_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
              void *state)
{
    (void)in;
    (void)rules;
    return ncz_codec_level_read(ops->id, config, 1, 9, state);
}

static int
bz2_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_codec_level_words(ops->id, n, words, 1, 9, state);
}

/* The bound that libbz2 documents. */
static bool
bz2_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, n / 100 + 601, out);
}

/* ---- coding -------------------------------------------------------------------------------------------- */

/* Gives libbz2 the windows for one step. */
static ncz_stream_result
run_step(bz2_library *l, ncz_stream_window *w, int (*step)(bz_stream *z, bool last), bool last)
{
    l->z.next_in = (char *)(uintptr_t)w->in;
    l->z.avail_in = w->nin;
    l->z.next_out = (char *)w->out;
    l->z.avail_out = w->nout;
    l->status = step(&l->z, last);
    *w = (ncz_stream_window){.in = (unsigned char *)l->z.next_in,
                             .nin = l->z.avail_in,
                             .out = (unsigned char *)l->z.next_out,
                             .nout = l->z.avail_out};
    switch (l->status) {
    case BZ_OK:
    case BZ_RUN_OK:
    case BZ_FINISH_OK: return NCZ_STREAM_MORE;
    case BZ_STREAM_END: return NCZ_STREAM_END;
    default: return NCZ_STREAM_FAILED;
    }
}

static int
compress_some(bz_stream *z, bool last)
{
    return BZ2_bzCompress(z, last ? BZ_FINISH : BZ_RUN);
}

static int
decompress_some(bz_stream *z, bool last)
{
    (void)last;
    return BZ2_bzDecompress(z);
}

static ncz_stream_result
step_encoder(void *library, ncz_stream_window *w, bool last)
{
    return run_step(library, w, compress_some, last);
}

static ncz_stream_result
step_decoder(void *library, ncz_stream_window *w, bool last)
{
    return run_step(library, w, decompress_some, last);
}

/* Ends and begins again, because libbz2 has no reset. */
static ncz_stream_result
restart_decoder(void *library)
{
    bz2_library *l = library;

    BZ2_bzDecompressEnd(&l->z);
    l->status = BZ2_bzDecompressInit(&l->z, 0, 0);
    return l->status == BZ_OK ? NCZ_STREAM_MORE : NCZ_STREAM_FAILED;
}

/* Bytes that do not begin like a stream are the rest of a longer object. */
static bool
stream_follows(const unsigned char *in, size_t n)
{
    return n >= 3 && memcmp(in, "BZh", 3) == 0;
}

static int
bz2_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const ncz_level *s = state;
    bz2_library      l = {.z = {.bzalloc = get_memory, .bzfree = put_memory}};
    ncz_stream       stream = {.library = &l, .step = step_encoder, .explain = explain_bz2};
    int              rc;

    (void)type;
    if ((l.status = BZ2_bzCompressInit(&l.z, (int)s->level, 0, 0)) != BZ_OK)
        return explain_bz2(&l);
    rc = ncz_codec_stream_encode(&stream, "bz2", in, n, out, cap, used);
    BZ2_bzCompressEnd(&l.z);
    return rc;
}

static int
bz2_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    bz2_library l = {.z = {.bzalloc = get_memory, .bzfree = put_memory}};
    ncz_stream  stream = {.library = &l,
                          .step = step_decoder,
                          .explain = explain_bz2,
                          .restart = restart_decoder,
                          .follows = stream_follows};
    int         rc;

    (void)state;
    (void)type;
    if ((l.status = BZ2_bzDecompressInit(&l.z, 0, 0)) != BZ_OK)
        return explain_bz2(&l);
    rc = ncz_codec_stream_decode(&stream, "bz2", in, n, out, cap, exact, used);
    BZ2_bzDecompressEnd(&l.z); /* fails harmlessly if restart_decoder() could not begin one */
    return rc;
}

const ncz_codec_ops ncz_codec_bz2 = {
    .id = "bz2",
    .members = {"level"},
    .hdf5_id = 307,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_level),
    .config.from_json = bz2_from_json,
    .config.describes_itself = ncz_codec_always_describes_itself,
    .config.describe = ncz_codec_level_describe,
    .config.from_words = bz2_from_words,
    .config.to_words = ncz_codec_level_to_words,
    .bound = bz2_bound,
    .encode = bz2_encode,
    .decode = bz2_decode,
};
