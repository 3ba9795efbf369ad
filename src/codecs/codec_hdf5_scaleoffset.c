/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5's scale-offset: integers less the chunk's least value, in as few bits as they need; floats likewise, after a
 * multiplication with a power of ten. The highest number of those bits stands for the fill value, if there is one.
 *
 * An object is the number of bits, the least value, and the numbers, bit after bit. HDF5 leaves up to one byte after
 * them. Zarr's scale_offset, in codec_scale_offset.c, is another codec.
 */
#include "codecs/codec_hdf5_int.h"
#include "util/rounding.h"

#include <math.h>
#include <string.h>

#define NWORDS 20
#define HEADER 21 /* bits 4, size of the least value 1, least value 16 of which 8 are used */

enum { DECIMAL = 0, INTEGERS = 2 };          /* kinds of scaling */
enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1 }; /* of the elements */
enum { WORD_FILL = 8 };

typedef struct scale_state {
    ncz_hdf5_words words;
    size_t         nelems, size; /* elements of a chunk, bytes of an element */
    double         power;        /* what floats were multiplied with, in their own precision */
    bool           floats, big;
    bool           raw; /* all bits were asked for: the data have no header and are unchanged */
    bool           has_fill;
    uint64_t       fill; /* its bytes, as a little-endian number */
} scale_state;

/* What an object says before its numbers. */
typedef struct head {
    unsigned bits;
    uint64_t least; /* an integer, or the bytes of a float */
} head;

/* ---- parameters ------------------------------------------------------------------------------------------ */

static int
check_words(const char *codec, const unsigned *w)
{
    bool floats = w[3] == CLASS_FLOAT;

    if (w[0] != (floats ? DECIMAL : INTEGERS) || w[3] > CLASS_FLOAT)
        return ncz_fail(NC_ENOFILTER, "codec '%s': scaling %u of elements of class %u is not built in", codec, w[0],
                        w[3]);
    if (w[4] != 4 && w[4] != 8 && (floats || (w[4] != 1 && w[4] != 2)))
        return ncz_fail(NC_ENOFILTER, "codec '%s': elements of %u bytes are not built in", codec, w[4]);
    return NC_NOERR;
}

static int
scale_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    scale_state *s = state;
    int          rc;

    (void)in;
    if ((rc = ncz_hdf5_words_keep(ops->id, n, words, NWORDS, NWORDS, &s->words)) != NC_NOERR ||
        (rc = check_words(ops->id, words)) != NC_NOERR)
        return rc;
    s->nelems = words[2];
    s->floats = words[3] == CLASS_FLOAT;
    s->size = words[4];
    s->power = s->size == 4 ? powf(10.0f, (float)(int)words[1]) : pow(10.0, (int)words[1]);
    s->big = words[6] != 0;
    s->raw = !s->floats && words[1] == 8 * words[4];
    s->has_fill = words[7] != 0;
    s->fill = words[WORD_FILL] | (uint64_t)words[WORD_FILL + 1] << 32;
    return NC_NOERR;
}

static bool
scale_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, HEADER + 1, out);
}

/* ---- elements -------------------------------------------------------------------------------------------- */

static void
store_bytes(const scale_state *s, unsigned char *to, uint64_t v)
{
    for (size_t i = 0; i < s->size; i++)
        to[s->big ? s->size - 1 - i : i] = (unsigned char)(v >> 8 * i);
}

/* HDF5 calculates in the type of the elements. */
static uint64_t
scale_float(const scale_state *s, uint64_t number, const head *h)
{
    float    least, v;
    uint32_t bytes = (uint32_t)h->least;

    memcpy(&least, &bytes, sizeof least);
    v = ncz_as_float((float)(int32_t)number / (float)s->power) + least;
    memcpy(&bytes, &v, sizeof bytes);
    return bytes;
}

static uint64_t
scale_double(const scale_state *s, uint64_t number, const head *h)
{
    double   least, v;
    uint64_t bytes;

    memcpy(&least, &h->least, sizeof least);
    v = ncz_as_double((double)(int64_t)number / s->power) + least;
    memcpy(&bytes, &v, sizeof bytes);
    return bytes;
}

static uint64_t
restore_element(const scale_state *s, uint64_t number, const head *h)
{
    if (s->has_fill && number == (UINT64_C(1) << h->bits) - 1)
        return s->fill;
    if (!s->floats)
        return number + h->least;
    return s->size == 4 ? scale_float(s, number, h) : scale_double(s, number, h);
}

static void
restore_elements(const scale_state *s, const head *h, const unsigned char *in, unsigned char *out)
{
    ncz_hdf5_bits bits = {.data = in};
    unsigned      before = ncz_rounding_begin();

    for (size_t i = 0; i < s->nelems; i++)
        store_bytes(s, out + i * s->size, restore_element(s, ncz_hdf5_bits_take(&bits, h->bits), h));
    ncz_rounding_end(before);
}

/* With all bits in use the elements are stored as they are, little-endian. */
static void
copy_elements(const scale_state *s, const unsigned char *in, unsigned char *out)
{
    for (size_t i = 0; i < s->nelems; i++)
        for (size_t b = 0; b < s->size; b++)
            out[i * s->size + (s->big ? s->size - 1 - b : b)] = in[i * s->size + b];
}

/* ---- decoding -------------------------------------------------------------------------------------------- */

static int
read_head(const scale_state *s, ncz_cursor *at, head *out)
{
    unsigned             size;
    const unsigned char *least;

    out->bits = ncz_cursor_u32le(at);
    size = ncz_cursor_u8(at);
    least = ncz_cursor_bytes(at, HEADER - 5);
    if (least == NULL)
        return ncz_codec_cut_short("scaleoffset", at->len);
    if (out->bits > 8 * s->size)
        return ncz_fail(NC_EFILTER, "codec 'scaleoffset': %u bits for elements of %zu bytes", out->bits, s->size);
    out->least = 0;
    for (unsigned i = 0; i < size && i < sizeof out->least; i++)
        out->least |= (uint64_t)least[i] << 8 * i;
    return NC_NOERR;
}

static int
decode_numbers(const scale_state *s, const unsigned char *in, size_t n, unsigned char *out)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint64_t   bits, nbytes;
    head       h = {0, 0};
    int        rc;

    if ((rc = read_head(s, &at, &h)) != NC_NOERR)
        return rc;
    if (!ncz_mul64(s->nelems, h.bits, &bits))
        return ncz_codec_cut_short("scaleoffset", n);
    nbytes = bits / 8 + (bits % 8 != 0);
    if (nbytes > n - HEADER)
        return ncz_codec_cut_short("scaleoffset", n);
    if (n - HEADER > nbytes + 1)
        return ncz_codec_trailing("scaleoffset", (size_t)(n - HEADER - nbytes));
    if (h.bits == 8 * s->size)
        copy_elements(s, in + HEADER, out);
    else
        restore_elements(s, &h, in + HEADER, out);
    return NC_NOERR;
}

static int
scale_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    const scale_state *s = state;
    size_t             len = n;
    int                rc;

    (void)type;
    if (!s->raw && !ncz_mul(s->nelems, s->size, &len))
        return ncz_codec_too_long("scaleoffset", *used);
    if ((rc = ncz_codec_check_size("scaleoffset", len, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (s->raw && n > 0)
        memcpy(out, in, n);
    if (!s->raw && (rc = decode_numbers(s, in, n, out)) != NC_NOERR)
        return rc;
    *used = len;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_hdf5_scaleoffset = {
    .id = "scaleoffset",
    .hdf5_id = 6,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(scale_state),
    .config.from_words = scale_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = scale_bound,
    .encode = ncz_hdf5_encode,
    .decode = scale_decode,
};
