/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packbits of Zarr v3: some bits of each element, one after another, the least significant first. numcodecs' packbits,
 * in codec_bits.c, packs truth values only, the first into the highest bit.
 */
#include "codecs/codec_int.h"

#include <string.h>

/* Where the number of padding bits is stored. */
typedef enum padding { PADDING_NONE, PADDING_FIRST, PADDING_LAST } padding;

static const char *const padding_names[] = {"none", "first_byte", "last_byte"};

typedef struct packbits_state {
    padding  padding;
    unsigned first, bits; /* the lowest bit that is kept, and how many */
    unsigned width;       /* bits of an element */
    size_t   item;        /* bytes of an element */
    bool     extend;      /* the elements are signed */
} packbits_state;

/* ---- configuration ----------------------------------------------------------------------------------------- */

static int
read_padding(const ncz_json *config, const char *codec, padding *out)
{
    const ncz_json *member = ncz_json_get(config, "padding_encoding");

    if (ncz_json_is(member, NCZ_JSON_NULL))
        return NC_NOERR;
    for (size_t i = 0; i < NCZ_LEN(padding_names); i++)
        if (ncz_json_str_is(member, padding_names[i])) {
            *out = (padding)i;
            return NC_NOERR;
        }
    return ncz_fail(NC_EFILTER, "codec '%s': \"padding_encoding\" is neither none, first_byte nor last_byte", codec);
}

static int
packbits_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    packbits_state *s = state;
    ncz_kind        kind = in->dtype.kind;
    int64_t         first = 0, last;
    int             rc;

    if (in->dtype.size > 8 || in->dtype.size == 0 ||
        (kind != NCZ_KIND_BOOL && kind != NCZ_KIND_INT && kind != NCZ_KIND_UINT && kind != NCZ_KIND_FLOAT))
        return ncz_fail(NC_ENOFILTER, "codec '%s': elements of this type are not built in", ops->id);
    *s = (packbits_state){.item = in->dtype.size,
                          .width = kind == NCZ_KIND_BOOL ? 1 : 8 * (unsigned)in->dtype.size,
                          .extend = kind == NCZ_KIND_INT};
    last = s->width - 1;
    if ((rc = read_padding(config, ops->id, &s->padding)) != NC_NOERR ||
        (rc = ncz_codec_int(config, ops->id, "first_bit", 0, last, &first)) != NC_NOERR ||
        (rc = ncz_codec_int(config, ops->id, "last_bit", first, last, &last)) != NC_NOERR)
        return rc;
    s->first = (unsigned)first;
    s->bits = (unsigned)(last - first + 1);
    return NC_NOERR;
}

static void
packbits_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const packbits_state *s = state;

    (void)in;
    if (s->padding != PADDING_NONE) {
        ncz_jsonw_key(w, "padding_encoding");
        ncz_jsonw_cstr(w, padding_names[s->padding]);
    }
    if (s->bits == s->width)
        return;
    ncz_jsonw_key(w, "first_bit");
    ncz_jsonw_u64(w, s->first);
    ncz_jsonw_key(w, "last_bit");
    ncz_jsonw_u64(w, s->first + s->bits - 1);
}

/* The bytes and the padding bits of n packed elements. Never more than the elements have, but for one byte. */
static size_t
packed_bytes(const packbits_state *s, size_t nelems, unsigned *npad)
{
    size_t   nbytes = nelems / 8 * s->bits;
    unsigned rest = (unsigned)(nelems % 8) * s->bits;

    nbytes += rest / 8 + (rest % 8 != 0);
    *npad = (8 - rest % 8) % 8;
    return nbytes;
}

static bool
packbits_bound(const void *state, size_t n, size_t *out)
{
    const packbits_state *s = state;
    unsigned              npad;

    return ncz_add(packed_bytes(s, n / s->item, &npad), s->padding != PADDING_NONE, out);
}

/* ---- coding ------------------------------------------------------------------------------------------------ */

static uint64_t
load_element(const unsigned char *p, size_t size, bool big)
{
    uint64_t v = 0;

    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)p[big ? size - 1 - i : i] << (8 * i);
    return v;
}

static void
store_element(unsigned char *p, size_t size, bool big, uint64_t v)
{
    for (size_t i = 0; i < size; i++)
        p[big ? size - 1 - i : i] = (unsigned char)(v >> (8 * i));
}

/* Adds the lowest `bits` of v at bit *at; all bits from there on are still 0. */
static void
put_bits(unsigned char *out, size_t *at, uint64_t v, unsigned bits)
{
    while (bits > 0) {
        unsigned off = (unsigned)(*at % 8), now = 8 - off < bits ? 8 - off : bits;

        out[*at / 8] = (unsigned char)(out[*at / 8] | (unsigned)(v & ((1u << now) - 1)) << off);
        v >>= now;
        bits -= now;
        *at += now;
    }
}

static uint64_t
get_bits(const unsigned char *in, size_t *at, unsigned bits)
{
    uint64_t v = 0;

    for (unsigned done = 0; done < bits;) {
        unsigned off = (unsigned)(*at % 8), now = 8 - off < bits - done ? 8 - off : bits - done;

        v |= (uint64_t)(in[*at / 8] >> off & ((1u << now) - 1)) << done;
        done += now;
        *at += now;
    }
    return v;
}

static int
packbits_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const packbits_state *s = state;
    const unsigned char  *from = in;
    unsigned char        *to = out;
    size_t                nelems = n / s->item, nbytes, at = 0, most;
    unsigned              npad;

    if (n % s->item != 0)
        return ncz_fail(NC_EFILTER, "codec 'packbits': %zu bytes are not a whole number of elements", n);
    nbytes = packed_bytes(s, nelems, &npad);
    if (!packbits_bound(s, n, &most) || cap < most || nbytes > SIZE_MAX / 8)
        return ncz_codec_too_long("packbits", cap);
    if (s->padding == PADDING_FIRST)
        *to++ = (unsigned char)npad;
    memset(to, 0, nbytes);
    for (size_t i = 0; i < nelems; i++, from += s->item) {
        uint64_t v = load_element(from, s->item, type->dtype.big);

        if (s->width == 1)
            v = v != 0;
        put_bits(to, &at, v >> s->first, s->bits);
    }
    if (s->padding == PADDING_LAST)
        to[nbytes] = (unsigned char)npad;
    *used = most;
    return NC_NOERR;
}

/* Extends the bit of highest value of a signed element. */
static uint64_t
expand_bits(const packbits_state *s, uint64_t v)
{
    unsigned top = s->first + s->bits;

    v <<= s->first;
    if (s->extend && top < 64 && (v >> (top - 1) & 1) != 0)
        v |= UINT64_MAX << top;
    return v;
}

/* The number of elements is that of the chunk, which is always known. */
static int
packbits_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    const packbits_state *s = state;
    const unsigned char  *from = in;
    unsigned char        *to = out;
    size_t                wanted = *used < cap ? *used : cap, nelems = wanted / s->item, nbytes, at = 0, most = 0;
    unsigned              npad, said;

    if (!exact || wanted % s->item != 0)
        return ncz_fail(NC_EFILTER, "codec 'packbits': the number of elements is unknown");
    nbytes = packed_bytes(s, nelems, &npad);
    if (!packbits_bound(s, wanted, &most) || n != most || nbytes > SIZE_MAX / 8)
        return ncz_fail(NC_EFILTER, "codec 'packbits': %zu bytes instead of %zu for %zu elements", n, most, nelems);
    said = s->padding == PADDING_FIRST ? from[0] : s->padding == PADDING_LAST ? from[n - 1] : npad;
    if (said != npad)
        return ncz_fail(NC_EFILTER, "codec 'packbits': %u padding bits instead of %u", said, npad);
    from += s->padding == PADDING_FIRST;
    for (size_t i = 0; i < nelems; i++, to += s->item)
        store_element(to, s->item, type->dtype.big, expand_bits(s, get_bits(from, &at, s->bits)));
    *used = wanted;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_packbits_v3 = {
    .id = "packbits",
    .v3_name = "packbits",
    .members = {"padding_encoding", "first_bit", "last_bit"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .v3_only = true,
    .fixed = true,
    .state_size = sizeof(packbits_state),
    .config.from_v3 = packbits_from_v3,
    .config.describe_v3 = packbits_describe_v3,
    .bound = packbits_bound,
    .encode = packbits_encode,
    .decode = packbits_decode,
};
