/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lzf, the filter of h5py: LibLZF's format. Runs of literal bytes, and copies of what was decoded before. The end of
 * the input is the end of the data.
 */
#include "codecs/codec_hdf5_int.h"

#include <string.h>

#define LITERALS_MOST 32 /* smaller control bytes begin a run of so many and one */
#define LENGTH_MORE   7  /* this length of a copy goes on in the next byte */

/* The words are versions of the filter and of LibLZF, and the size of a chunk; none matters here. */
static int
lzf_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_hdf5_words_keep(ops->id, n, words, 0, NCZ_CODEC_WORDS, state);
}

/* One control byte for 32 literals is the worst case. */
static bool
lzf_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, n / LITERALS_MOST + 1, out);
}

/* Where a copy comes from and how long it is. */
typedef struct copy {
    size_t distance, len;
} copy;

/* Reads the rest of a copy that begins with the byte `control`. False: the input ends. */
static bool
read_copy(ncz_cursor *in, unsigned control, copy *out)
{
    out->len = control >> 5;
    if (out->len == LENGTH_MORE)
        out->len += ncz_cursor_u8(in);
    out->len += 2;
    out->distance = ((size_t)(control & 0x1f) << 8 | ncz_cursor_u8(in)) + 1;
    return in->good;
}

/* ---- encoding: the last place of each three bytes, by a hash ---- */

enum { SEEN = 1 << 13, DISTANCE_MOST = 1 << 13, COPY_LEAST = 3, COPY_MOST = LENGTH_MORE + 255 + 2 };

static size_t
hash(const unsigned char *p)
{
    uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

    return (uint32_t)(v * 2654435761u) >> 19; /* 13 bits */
}

static unsigned char *
put_literals(const unsigned char *from, size_t n, unsigned char *to)
{
    while (n > 0) {
        size_t now = n < LITERALS_MOST ? n : LITERALS_MOST;

        *to++ = (unsigned char)(now - 1);
        memcpy(to, from, now);
        to += now;
        from += now;
        n -= now;
    }
    return to;
}

static unsigned char *
put_copy(copy c, unsigned char *to)
{
    size_t len = c.len - 2, distance = c.distance - 1;

    *to++ = (unsigned char)((len < LENGTH_MORE ? len : LENGTH_MORE) << 5 | distance >> 8);
    if (len >= LENGTH_MORE)
        *to++ = (unsigned char)(len - LENGTH_MORE);
    *to++ = (unsigned char)distance;
    return to;
}

/* The bytes from `at` on that were there before, at the place that was seen last. len 0: none. */
static copy
find_copy(const unsigned char *in, size_t n, size_t at, uint32_t *seen)
{
    uint32_t *last;
    size_t    from, most = n - at < COPY_MOST ? n - at : COPY_MOST, len = 0;

    if (most < COPY_LEAST)
        return (copy){.len = 0};
    last = &seen[hash(in + at)];
    from = *last; /* one more than the place; 0: none */
    *last = (uint32_t)at + 1;
    if (from == 0 || at - (from - 1) > DISTANCE_MOST)
        return (copy){.len = 0};
    while (len < most && in[from - 1 + len] == in[at + len])
        len++;
    return (copy){.distance = at - (from - 1), .len = len < COPY_LEAST ? 0 : len};
}

static int
lzf_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    uint32_t            *seen;
    size_t               literals = 0; /* where they begin */
    size_t               need;

    (void)type;
    if (n > UINT32_MAX - 1 || !lzf_bound(state, n, &need) || cap < need)
        return ncz_fail(NC_EFILTER, "codec 'lzf': %zu bytes are too many", n);
    if ((seen = ncz_zalloc(SEEN * sizeof *seen)) == NULL)
        return ncz_fail_nomem(SEEN * sizeof *seen);
    for (size_t at = 0; at < n;) {
        copy c = find_copy(from, n, at, seen);

        if (c.len == 0) {
            at++;
            continue;
        }
        to = put_copy(c, put_literals(from + literals, at - literals, to));
        literals = at += c.len;
    }
    to = put_literals(from + literals, n - literals, to);
    ncz_free(seen);
    *used = (size_t)(to - (unsigned char *)out);
    return NC_NOERR;
}

static int
lzf_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    size_t         most = *used < cap ? *used : cap, to = 0;
    unsigned char *o = out;
    ncz_cursor     at = ncz_cursor_at(in, n);
    int            rc;

    (void)state;
    (void)type;
    while (at.pos < n) {
        unsigned control = ncz_cursor_u8(&at);
        copy     c = {.len = (size_t)control + 1};

        if (control < LITERALS_MOST) {
            const unsigned char *literals = ncz_cursor_bytes(&at, c.len);

            if (literals == NULL)
                return ncz_codec_cut_short("lzf", n);
            if (c.len > most - to)
                return ncz_codec_too_long("lzf", most);
            memcpy(o + to, literals, c.len);
        } else {
            if (!read_copy(&at, control, &c))
                return ncz_codec_cut_short("lzf", n);
            if (c.distance > to)
                return ncz_fail(NC_EFILTER, "codec 'lzf': the data are corrupt");
            if (c.len > most - to)
                return ncz_codec_too_long("lzf", most);
            for (size_t i = 0; i < c.len; i++) /* it may overlap what it makes */
                o[to + i] = o[to + i - c.distance];
        }
        to += c.len;
    }
    if ((rc = ncz_codec_check_size("lzf", to, most, exact)) == NC_NOERR)
        *used = to;
    return rc;
}

const ncz_codec_ops ncz_codec_hdf5_lzf = {
    .id = "lzf",
    .hdf5_id = 32000,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = lzf_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = lzf_bound,
    .encode = lzf_encode,
    .decode = lzf_decode,
};
