/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * szip as in HDF5 and netCDF, through libaec: the decoded length in four little-endian bytes, then a stream of
 * extended-Rice codes.
 *
 * The stream does not contain its geometry. As in HDF5, elements of 4 and 8 bytes are first split into byte planes.
 * The samples are then coded in scanlines, each padded to whole blocks. In Zarr the array's last dimension gives the
 * length of a scanline, and its type the bits of a sample; HDF5's filter has both among its parameters. The decoded
 * length is compared with the expected one before any allocation.
 */
#include "codecs/codec_hdf5_int.h"

#include <libaec.h>

#include <string.h>

#define HEADER          4
#define MASK_EC         4
#define MASK_MSB        16
#define MASK_NN         32
#define MAX_PIXELS      32
#define MAX_LINE_BLOCKS 128

/* The layout of n bytes for the coder, in bytes unless noted. */
typedef struct layout {
    unsigned block;  /* samples per block */
    unsigned rsi;    /* blocks per scanline */
    unsigned bits;   /* bits per sample */
    unsigned flags;  /* libaec's flags */
    size_t   planes; /* byte planes of the elements; 1: not split */
    size_t   sample;
    size_t   line;   /* bytes of a scanline */
    size_t   padded; /* bytes of a scanline with its padding */
    size_t   nlines;
} layout;

/* ---- parameters ---------------------------------------------------------------------------------------- */

static bool
is_good_mask(int64_t mask)
{
    return ((mask & MASK_EC) != 0) != ((mask & MASK_NN) != 0);
}

static bool
is_good_pixels(int64_t pixels)
{
    return pixels >= 2 && pixels <= MAX_PIXELS && pixels % 2 == 0;
}

typedef struct szip_state {
    int64_t mask;   /* 4 entropy coding, 32 nearest neighbour; other bits are kept but ignored */
    int64_t pixels; /* pixels per block */
} szip_state;

static int
check_state(const szip_state *s, int code)
{
    if (!is_good_mask(s->mask))
        return ncz_fail(code, "codec 'szip': mask %ld, it must ask for entropy coding (4) or nearest neighbour (32)",
                        (long)s->mask);
    if (!is_good_pixels(s->pixels))
        return ncz_fail(code, "codec 'szip': %ld pixels per block, not an even number from 2 to 32", (long)s->pixels);
    return NC_NOERR;
}

static int
szip_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
               void *state)
{
    szip_state *s = state;
    int         rc;

    (void)in;
    (void)rules;
    if ((rc = ncz_codec_int(config, ops->id, "mask", 0, INT32_MAX, &s->mask)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_int(config, ops->id, "pixels-per-block", 0, INT32_MAX, &s->pixels)) != NC_NOERR)
        return rc;
    return check_state(s, NC_EFILTER);
}

static void
szip_describe(const void *state, ncz_jsonw *w)
{
    const szip_state *s = state;

    ncz_jsonw_key(w, "mask");
    ncz_jsonw_i64(w, s->mask);
    ncz_jsonw_key(w, "pixels-per-block");
    ncz_jsonw_i64(w, s->pixels);
}

/* Two words, or four after HDF5 has added bits per pixel and pixels per scanline, which follow from the array. */
static int
szip_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    int rc;

    (void)in;
    if ((rc = ncz_codec_nwords(ops->id, n, 2, 4)) != NC_NOERR)
        return rc;
    *(szip_state *)state = (szip_state){.mask = words[0], .pixels = words[1]};
    return check_state(state, NC_EINVAL);
}

static int
szip_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const szip_state *s = state;

    (void)in;
    words[0] = (unsigned)s->mask;
    words[1] = (unsigned)s->pixels;
    *n = 2;
    return NC_NOERR;
}

/*
 * The worst case. A scanline is at least a block, so padding less than doubles the data, plus one last line of at
 * most 4096 samples. Each block of at least 16 bits has a code id of at most 4 bits (3 for blocks as short as that).
 */
static bool
szip_bound(const void *state, size_t n, size_t *out)
{
    size_t twice;

    (void)state;
    return ncz_mul(n, 2, &twice) && ncz_add(twice, n / 2 + 24 * 1024, out);
}

/* ---- layout -------------------------------------------------------------------------------------------- */

/* HDF5's rule for the number of elements in a scanline. */
static size_t
count_line_samples(size_t pixels, const ncz_array_type *type, size_t nelems)
{
    size_t   most = pixels * MAX_LINE_BLOCKS;
    uint64_t row = type->row != 0 ? type->row : nelems;

    if (row < pixels)
        row = nelems;
    return row < most ? (size_t)row : most;
}

/* Sets what follows from the length of a scanline, the bits of a sample and the samples per block. */
static void
set_lines(layout *l, size_t samples, size_t n)
{
    l->sample = l->bits > 16 ? 4 : l->bits > 8 ? 2 : 1;
    l->rsi = (unsigned)((samples + l->block - 1) / l->block);
    l->line = samples * l->sample;
    l->padded = (size_t)l->rsi * l->block * l->sample;
    l->nlines = n / l->line + (n % l->line != 0);
}

static int
make_layout(const szip_state *s, const ncz_array_type *type, size_t n, layout *out)
{
    size_t size = type->dtype.size, pixels = (size_t)s->pixels, chunk = type->chunk_bytes;
    layout l = {.block = (unsigned)pixels};

    if (size != 1 && size != 2 && size != 4 && size != 8)
        return ncz_fail(NC_EFILTER, "codec 'szip': elements of %zu bytes, it can do 1, 2, 4 and 8", size);
    if (n % size != 0)
        return ncz_fail(NC_EFILTER, "codec 'szip': %zu bytes are not a whole number of elements of %zu bytes", n,
                        size);
    if (chunk / size < pixels)
        return ncz_fail(NC_EFILTER, "codec 'szip': %zu pixels per block, but a chunk has only %zu elements", pixels,
                        chunk / size);
    l.planes = size > 2 ? size : 1;
    l.bits = size == 2 ? 16 : 8;
    l.flags = (s->mask & MASK_NN) != 0 ? AEC_DATA_PREPROCESS : 0;
    l.flags |= type->dtype.big ? AEC_DATA_MSB : 0;
    set_lines(&l, count_line_samples(pixels, type, chunk / size), n);
    *out = l;
    return NC_NOERR;
}

/* The size of the padded form of n bytes, without the padding after the last byte. */
static bool
count_padded(const layout *l, size_t n, size_t *out)
{
    size_t whole;

    if (n == 0 || l->padded == l->line) {
        *out = n;
        return true;
    }
    return ncz_mul(l->nlines - 1, l->padded, &whole) && ncz_add(whole, n - (l->nlines - 1) * l->line, out);
}

static void
split_planes(const unsigned char *in, size_t n, size_t planes, unsigned char *out)
{
    size_t count = n / planes;

    for (size_t b = 0; b < planes; b++)
        for (size_t i = 0; i < count; i++)
            out[b * count + i] = in[i * planes + b];
}

static void
join_planes(const unsigned char *in, size_t n, size_t planes, unsigned char *out)
{
    size_t count = n / planes;

    for (size_t b = 0; b < planes; b++)
        for (size_t i = 0; i < count; i++)
            out[i * planes + b] = in[b * count + i];
}

/* Pads all lines to full length: with the last sample if neighbours are coded, else with 0. */
static void
add_padding(const layout *l, const unsigned char *in, size_t n, unsigned char *out)
{
    static const unsigned char zero[2];

    for (size_t i = 0; i < l->nlines; i++) {
        size_t               len = n < l->line ? n : l->line;
        const unsigned char *last = (l->flags & AEC_DATA_PREPROCESS) != 0 ? in + len - l->sample : zero;

        memcpy(out, in, len);
        for (size_t at = len; at < l->padded; at += l->sample)
            memcpy(out + at, last, l->sample);
        in += len;
        n -= len;
        out += l->padded;
    }
}

/* Removes the padding of all lines, in place. */
static void
remove_padding(const layout *l, unsigned char *buf, size_t n)
{
    for (size_t i = 1; i < l->nlines; i++) {
        size_t at = i * l->line;

        memmove(buf + at, buf + i * l->padded, n - at < l->line ? n - at : l->line);
    }
}

/* ---- coding -------------------------------------------------------------------------------------------- */

static int
fail_aec(int arc)
{
    if (arc == AEC_MEM_ERROR)
        return ncz_fail(NC_ENOMEM, "codec 'szip': out of memory");
    if (arc == AEC_DATA_ERROR)
        return ncz_fail(NC_EFILTER, "codec 'szip': the data are corrupt");
    return ncz_fail(NC_EFILTER, "codec 'szip': error %d of libaec", arc);
}

static struct aec_stream
make_stream(const layout *l, const void *in, size_t n, void *out, size_t cap)
{
    return (struct aec_stream){
        .next_in = in,
        .avail_in = n,
        .next_out = out,
        .avail_out = cap,
        .bits_per_sample = l->bits,
        .block_size = l->block,
        .rsi = l->rsi,
        .flags = l->flags,
    };
}

static int
encode_lines(const layout *l, const void *in, size_t n, void *out, size_t cap, size_t *used)
{
    struct aec_stream z = make_stream(l, in, n, out, cap);
    int               arc, rc = NC_NOERR;

    z.flags |= AEC_NOT_ENFORCE; /* HDF5 allows blocks that the standard does not */
    if ((arc = aec_encode_init(&z)) != AEC_OK)
        return fail_aec(arc);
    if ((arc = aec_encode(&z, AEC_FLUSH)) != AEC_OK)
        rc = fail_aec(arc);
    if ((arc = aec_encode_end(&z)) == AEC_STREAM_ERROR && rc == NC_NOERR) /* not all bits were written */
        rc = ncz_fail(NC_EFILTER, "codec 'szip': does not fit into %zu bytes", cap);
    if (rc == NC_NOERR)
        *used = z.total_out;
    return rc;
}

/* Decodes exactly n bytes into `out`. */
static int
decode_lines(const layout *l, const void *in, size_t nin, void *out, size_t n)
{
    struct aec_stream z = make_stream(l, in, nin, out, n);
    int               arc;

    if ((arc = aec_decode_init(&z)) != AEC_OK)
        return fail_aec(arc);
    arc = aec_decode(&z, AEC_FLUSH);
    aec_decode_end(&z);
    if (arc != AEC_OK)
        return fail_aec(arc);
    return z.total_out == n ? NC_NOERR : ncz_codec_cut_short("szip", nin + HEADER);
}

/* Encodes n bytes, with their length in front. */
static int
encode_object(const layout *l, const void *in, size_t n, void *out, size_t cap, size_t *used)
{
    unsigned char *planes = NULL, *lines = NULL, *head = out;
    size_t         nlines, body = 0;
    int            rc;

    if (n > UINT32_MAX || cap < HEADER || !ncz_mul(l->nlines, l->padded, &nlines))
        return ncz_fail(NC_EFILTER, "codec 'szip': %zu bytes, its length field holds no more than 2^32 - 1", n);

    if (l->planes > 1) {
        if ((planes = ncz_alloc(n)) == NULL)
            return ncz_fail_nomem(n);
        split_planes(in, n, l->planes, planes);
    }
    if ((lines = ncz_alloc(nlines)) == NULL) {
        rc = ncz_fail_nomem(nlines);
        goto done;
    }
    add_padding(l, planes != NULL ? planes : in, n, lines);
    if ((rc = encode_lines(l, lines, nlines, head + HEADER, cap - HEADER, &body)) != NC_NOERR)
        goto done;
    for (int i = 0; i < HEADER; i++)
        head[i] = (unsigned char)(n >> 8 * i);
    *used = body + HEADER;
done:
    ncz_free(lines);
    ncz_free(planes);
    return rc;
}

static int
szip_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    layout l;
    int    rc = make_layout(state, type, n, &l);

    return rc != NC_NOERR ? rc : encode_object(&l, in, n, out, cap, used);
}

/* Reads the length in front. */
static int
read_length(const void *in, size_t n, size_t most, bool exact, size_t *len)
{
    ncz_cursor at = ncz_cursor_at(in, n);

    *len = ncz_cursor_u32le(&at);
    return at.good ? ncz_codec_check_size("szip", *len, most, exact) : ncz_codec_cut_short("szip", n);
}

/* Decodes n bytes of codes to `len` bytes. */
static int
decode_codes(const layout *lines, const void *in, size_t n, void *out, size_t len)
{
    size_t         padded;
    unsigned char *scratch = NULL, *to = out;
    layout         l = *lines;
    int            rc;

    if (!count_padded(&l, len, &padded))
        return ncz_codec_too_long("szip", len);

    if (l.planes > 1 || padded > len) {
        if ((scratch = ncz_alloc(padded)) == NULL)
            return ncz_fail_nomem(padded);
        to = scratch;
    }
    if ((rc = decode_lines(&l, in, n, to, padded)) != NC_NOERR)
        goto done;
    if (padded > len)
        remove_padding(&l, to, len);
    if (l.planes > 1)
        join_planes(to, len, l.planes, out);
    else if (scratch != NULL)
        memcpy(out, scratch, len);
done:
    ncz_free(scratch);
    return rc;
}

/* The same behind the length in front. */
static int
decode_object(const layout *l, const void *in, size_t n, void *out, size_t len)
{
    return decode_codes(l, (const unsigned char *)in + HEADER, n - HEADER, out, len);
}

static int
szip_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    size_t len;
    layout l;
    int    rc;

    if ((rc = read_length(in, n, *used < cap ? *used : cap, exact, &len)) != NC_NOERR)
        return rc;
    if ((rc = make_layout(state, type, len, &l)) != NC_NOERR)
        return rc;
    if ((rc = decode_object(&l, in, n, out, len)) == NC_NOERR)
        *used = len;
    return rc;
}

const ncz_codec_ops ncz_codec_szip = {
    .id = "szip",
    .members = {"mask", "pixels-per-block"},
    .hdf5_id = 4,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(szip_state),
    .config.from_json = szip_from_json,
    .config.describe = szip_describe,
    .config.from_words = szip_from_words,
    .config.to_words = szip_to_words,
    .bound = szip_bound,
    .encode = szip_encode,
    .decode = szip_decode,
};

/* ---- HDF5's filter --------------------------------------------------------------------------------------- */

enum { WORD_MASK, WORD_PIXELS, WORD_BITS, WORD_LINE, NWORDS, ASKED_WORDS = 2 };
enum { MASK_K13 = 1, MASK_CHIP = 2, MASK_LSB = 8, MASK_RAW = 128 };

/* As HDF5 completes the two words that a program gives. A number of 25 to 31 or 33 to 63 bits has 32 or 64. */
int
ncz_hdf5_szip_words(const ncz_array_type *in, unsigned words[NCZ_CODEC_WORDS])
{
    size_t   size = in->dtype.size, nelems = size > 0 ? in->chunk_bytes / size : 0, most = words[WORD_PIXELS];
    uint64_t line = in->shape != NULL && in->rank > 0 ? in->shape[in->rank - 1] : nelems;

    most *= MAX_LINE_BLOCKS;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return ncz_fail(NC_EFILTER, "codec 'szip': elements of %zu bytes, it can do 1, 2, 4 and 8", size);
    if (nelems < words[WORD_PIXELS])
        return ncz_fail(NC_EFILTER, "codec 'szip': %u pixels per block, but a chunk has only %zu elements",
                        words[WORD_PIXELS], nelems);
    if (line < words[WORD_PIXELS])
        line = nelems;
    words[WORD_MASK] &= ~(unsigned)(MASK_CHIP | MASK_LSB | MASK_MSB);
    words[WORD_MASK] |= MASK_K13 | MASK_RAW | (in->dtype.big ? MASK_MSB : MASK_LSB);
    words[WORD_BITS] = (unsigned)(8 * size);
    words[WORD_LINE] = (unsigned)(line < most ? line : most);
    return NC_NOERR;
}

/* 25 to 31 and 33 to 63 bits are never written: HDF5 rounds them up. */
static int
check_hdf5_words(const char *codec, const unsigned *words)
{
    unsigned bits = words[WORD_BITS], line = words[WORD_LINE];

    if ((bits < 1 || bits > 24) && bits != 32 && bits != 64)
        return ncz_fail(NC_EINVAL, "codec '%s': %u bits per pixel", codec, bits);
    if (line < words[WORD_PIXELS] || line > words[WORD_PIXELS] * MAX_LINE_BLOCKS)
        return ncz_fail(NC_EINVAL, "codec '%s': scanlines of %u pixels in blocks of %u", codec, line,
                        words[WORD_PIXELS]);
    return NC_NOERR;
}

/* The four words of a file, or the two that a program gives for a new one. */
static int
hdf5_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    int rc;

    (void)in;
    if ((rc = ncz_hdf5_words_keep(ops->id, n, words, ASKED_WORDS, NWORDS, state)) != NC_NOERR)
        return rc;
    if (n != ASKED_WORDS && n != NWORDS)
        return ncz_fail(NC_EFILTER, "codec '%s': %zu parameters", ops->id, n);
    if ((rc = check_state(&(szip_state){.mask = words[WORD_MASK], .pixels = words[WORD_PIXELS]}, NC_EINVAL)) !=
        NC_NOERR)
        return rc;
    return n == NWORDS ? check_hdf5_words(ops->id, words) : NC_NOERR;
}

/* The layout of n bytes, of which the words say all. */
static int
make_hdf5_layout(const ncz_hdf5_words *s, const ncz_array_type *type, size_t n, layout *out)
{
    ncz_hdf5_words  own = *s;
    const unsigned *w = own.v;
    bool            split;
    int             rc;

    if (own.n == ASKED_WORDS && (rc = ncz_hdf5_szip_words(type, own.v)) != NC_NOERR)
        return rc;
    split = w[WORD_BITS] > 24;
    *out = (layout){.block = w[WORD_PIXELS], .bits = split ? 8 : w[WORD_BITS]};
    out->planes = split ? w[WORD_BITS] / 8 : 1;
    out->flags = ((w[WORD_MASK] & MASK_NN) != 0 ? AEC_DATA_PREPROCESS : 0u) |
                 ((w[WORD_MASK] & MASK_MSB) != 0 ? AEC_DATA_MSB : 0u);
    set_lines(out, w[WORD_LINE], n);
    if (n % (out->planes * out->sample) != 0)
        return ncz_fail(NC_EFILTER, "codec 'szip': %zu bytes are not a whole number of pixels of %u bits", n,
                        w[WORD_BITS]);
    return NC_NOERR;
}

static int
hdf5_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    layout l;
    int    rc = make_hdf5_layout(state, type, n, &l);

    return rc != NC_NOERR ? rc : encode_object(&l, in, n, out, cap, used);
}

static int
hdf5_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    layout l;
    size_t len;
    int    rc;

    if ((rc = read_length(in, n, *used < cap ? *used : cap, exact, &len)) != NC_NOERR ||
        (rc = make_hdf5_layout(state, type, len, &l)) != NC_NOERR)
        return rc;
    if ((rc = decode_object(&l, in, n, out, len)) == NC_NOERR)
        *used = len;
    return rc;
}

const ncz_codec_ops ncz_codec_hdf5_szip = {
    .id = "szip",
    .hdf5_id = 4,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = hdf5_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = szip_bound,
    .encode = hdf5_encode,
    .decode = hdf5_decode,
};

/* ---- HDF4's ------------------------------------------------------------------------------------------------- */

/* Its words: pixels of a chunk, of a scan line, options, bits of a pixel, pixels of a block. */
enum { H4_PIXELS, H4_LINE, H4_MASK, H4_BITS, H4_BLOCK, H4_WORDS };
enum { H4_HEADED = 0x10000 }; /* of the options: a byte that says whether the bytes are coded, and their length */

static int
hdf4_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    unsigned own[NWORDS];
    int      rc;

    (void)in;
    if ((rc = ncz_hdf5_words_keep(ops->id, n, words, H4_WORDS, H4_WORDS, state)) != NC_NOERR ||
        (rc = check_state(&(szip_state){.mask = words[H4_MASK], .pixels = words[H4_BLOCK]}, NC_EFILTER)) != NC_NOERR)
        return rc;
    own[WORD_PIXELS] = words[H4_BLOCK];
    own[WORD_BITS] = words[H4_BITS];
    own[WORD_LINE] = words[H4_LINE];
    return check_hdf5_words(ops->id, own);
}

static int
hdf4_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    const unsigned *w = ((const ncz_hdf5_words *)state)->v;
    ncz_hdf5_words  own = {.n = NWORDS};
    size_t          len = *used < cap ? *used : cap, body = n;
    ncz_cursor      at = ncz_cursor_at(in, n);
    bool            raw = false;
    layout          l;
    int             rc;

    (void)exact;
    own.v[WORD_MASK] = w[H4_MASK] & (unsigned)(MASK_EC | MASK_NN | MASK_MSB);
    own.v[WORD_PIXELS] = w[H4_BLOCK];
    own.v[WORD_BITS] = w[H4_BITS];
    own.v[WORD_LINE] = w[H4_LINE];
    if ((w[H4_MASK] & H4_HEADED) != 0) {
        raw = ncz_cursor_u8(&at) == 1;
        body = ncz_cursor_u32be(&at);
        if (!at.good || body > n - at.pos)
            return ncz_codec_cut_short("szip", n);
    }
    if (raw && body != len)
        return ncz_codec_check_size("szip", body, len, true);
    if (raw)
        memcpy(out, (const unsigned char *)in + at.pos, len);
    else if ((rc = make_hdf5_layout(&own, type, len, &l)) != NC_NOERR ||
             (rc = decode_codes(&l, (const unsigned char *)in + at.pos, body, out, len)) != NC_NOERR)
        return rc;
    *used = len;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_hdf4_szip = {
    .id = "szip",
    .hdf5_id = NCZ_HDF4_FILTER_SZIP,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = hdf4_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = szip_bound,
    .encode = ncz_hdf5_encode,
    .decode = hdf4_decode,
};
