/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libdeflate encodes instead of zlib: two to four times as fast, but with other bytes. zlib keeps level 0.
 *
 * A level asks for the size that zlib gives at that level, and libdeflate's own levels are not zlib's. Which of its
 * levels gives that size depends on the data. Where noise fills them, as in most floats that were shuffled, longer
 * searches find nothing, and its first levels give what zlib gives at 4 to 7. Data that repeat need a level more than
 * zlib, unless they were shuffled. So a part of the data is encoded first, at level 1, and its size tells which they
 * are. Each thread keeps an encoder for each level that it has used.
 */
#include "codecs/thread_cache_int.h"
#include "codecs/stream_int.h"
#include "util/util.h"

#include <libdeflate.h>
#include <string.h>

enum {
    LEVELS = 10,           /* zlib's */
    SLICES = 8,            /* of a sample, evenly spread: as many from each byte of elements that were shuffled */
    SAMPLE_MOST = 16384,   /* bytes */
    SHARE = 32,            /* of the data, that is a sample */
    SAMPLED_LEAST = 32768, /* bytes: of fewer a sample says little */
    NOISE = 40,            /* percent: what noise fills keeps at least so much of its size */
    LARGE = 768 << 10, /* bytes: level 1 has the same code for 64 KiB, which then are of one byte of the elements */
};

/*
 * By the level asked for. tests/filter/test_deflate_levels.c compares the sizes with zlib's: they are at most 2 %
 * larger up to level 7, and at most 4 % at 8 and 9, where libdeflate's next level would take 9 MB of memory a thread.
 */
static const unsigned char level_same[LEVELS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const unsigned char level_large_noise[LEVELS] = {0, 1, 1, 1, 1, 1, 2, 2, 8, 9}; /* shuffled */
static const unsigned char level_small_noise[LEVELS] = {0, 1, 2, 2, 2, 2, 6, 7, 8, 9};
static const unsigned char level_repeats[LEVELS] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 9};

typedef struct encoder {
    struct libdeflate_compressor *of[LEVELS]; /* by libdeflate's level */
} encoder;

static void *
make(void)
{
    return ncz_zalloc(sizeof(encoder));
}

static void
drop(void *arg)
{
    encoder *e = arg;

    for (size_t i = 0; i < NCZ_LEN(e->of); i++)
        libdeflate_free_compressor(e->of[i]);
    ncz_free(e);
}

static struct libdeflate_compressor *
of_level(encoder *e, int level)
{
    if (e->of[level] == NULL)
        e->of[level] = libdeflate_alloc_compressor(level);
    return e->of[level];
}

/* Whether noise fills in[0..n). */
static bool
is_noise(encoder *e, const unsigned char *in, size_t n)
{
    struct libdeflate_compressor *c = of_level(e, 1);
    unsigned char                *sample = ncz_codec_scratch(NCZ_SLOT_DEFLATE_SAMPLE, (size_t)2 * SAMPLE_MOST);
    size_t slice = (n / SHARE < SAMPLE_MOST ? n / SHARE : SAMPLE_MOST) / SLICES, part = n / SLICES, got;

    if (c == NULL || sample == NULL)
        return false;
    for (size_t i = 0; i < SLICES; i++)
        memcpy(sample + i * slice, in + i * part + (part - slice) / 2, slice);
    got = libdeflate_deflate_compress(c, sample, SLICES * slice, sample + SAMPLE_MOST, SAMPLE_MOST);
    return got == 0 || got >= SLICES * slice / 100 * NOISE; /* 0: it does not fit, so it is no smaller */
}

/* libdeflate's level for zlib's `level`. */
static int
choose_level(encoder *e, int level, bool shuffled, const void *in, size_t n)
{
    const unsigned char *noise = !shuffled ? level_same : n < LARGE ? level_small_noise : level_large_noise;
    const unsigned char *repeats = shuffled ? level_same : level_repeats;

    if (noise[level] == repeats[level])
        return noise[level];
    if (n < SAMPLED_LEAST)
        return level;
    return is_noise(e, in, n) ? noise[level] : repeats[level];
}

bool
ncz_codec_deflate_fast(bool gzip, int level, bool shuffled, const void *in, size_t n, void *out, size_t cap,
                       size_t *used)
{
    encoder                      *e;
    struct libdeflate_compressor *c;

    if (level < 0)
        level = 6; /* zlib's default */
    if (level == 0 || level >= LEVELS || (e = ncz_codec_thread_get(NCZ_SLOT_DEFLATER, make, drop)) == NULL)
        return false;
    if ((c = of_level(e, choose_level(e, level, shuffled, in, n))) == NULL)
        return false;
    *used = gzip ? libdeflate_gzip_compress(c, in, n, out, cap) : libdeflate_zlib_compress(c, in, n, out, cap);
    return *used > 0;
}
