/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bitround and packbits: codecs that work on the bits of elements.
 *
 * bitround rounds the mantissa of floats to fewer bits and sets the rest to zero. Decoding does nothing. packbits
 * packs eight truth values into one byte, the first in its highest bit. A first byte holds the number of padding bits
 * in the last byte.
 */
#include "filter/filter_int.h"

#include <string.h>

/* ---- bitround ------------------------------------------------------------------------------------------ */

typedef struct bitround_state {
    int64_t keepbits;
} bitround_state;

static int
bitround_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                   void *state)
{
    bitround_state *s = state;
    int             rc;

    (void)in;
    (void)rules;
    s->keepbits = -1;
    if ((rc = ncz_codec_int(config, ops->id, "keepbits", 0, 52, &s->keepbits)) != NC_NOERR)
        return rc;
    return s->keepbits >= 0 ? NC_NOERR : ncz_fail(NC_EFILTER, "codec '%s': no \"keepbits\"", ops->id);
}

static void
bitround_describe(const void *state, ncz_jsonw *w)
{
    const bitround_state *s = state;

    ncz_jsonw_key(w, "keepbits");
    ncz_jsonw_i64(w, s->keepbits);
}

static void
bitround_encoded_type(const void *state, ncz_array_type *type)
{
    (void)state;
    type->dtype.kind = NCZ_KIND_INT;
}

/* Rounds to nearest, halves to even. A carry into the exponent is correct. `drop` must be at least 1. */
#define ROUND_BITS(type)                                                                                             \
    static void round_##type(void *block, size_t n, void *arg)                                                       \
    {                                                                                                                \
        int   drop = *(int *)arg;                                                                                    \
        type *v = block, half = (type)(((type)1 << (drop - 1)) - 1);                                                 \
                                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                               \
            v[i] = (type)((type)(v[i] + (v[i] >> drop & 1) + half) >> drop << drop);                                 \
    }

ROUND_BITS(uint16_t)
ROUND_BITS(uint32_t)
ROUND_BITS(uint64_t)

static int
bitround_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const bitround_state  *s = state;
    static ncz_step *const steps[] = {round_uint16_t, round_uint32_t, round_uint64_t};
    static const nc_type   works[] = {NC_USHORT, NC_UINT, NC_UINT64};
    static const int       mantissas[] = {10, 23, 52};
    ncz_dtype              bits = {.kind = NCZ_KIND_UINT, .big = type->dtype.big, .size = type->dtype.size};
    int                    drop, i = bits.size == 2 ? 0 : bits.size == 4 ? 1 : 2;
    ncz_run                r = {.from = bits, .to = bits, .work = ncz_type_of(works[i]), .arg = &drop};

    if (type->dtype.kind != NCZ_KIND_FLOAT || type->bytes)
        return ncz_fail(NC_EFILTER, "codec 'bitround': only floating numbers can be rounded");
    drop = mantissas[i] - (int)s->keepbits;
    if (drop < 0)
        return ncz_fail(NC_EFILTER, "codec 'bitround': %d bits are to be kept, the type has %d", (int)s->keepbits,
                        mantissas[i]);
    r.step = drop > 0 ? steps[i] : NULL;
    return ncz_codec_run("bitround", &r, in, n, out, cap, false, used);
}

static int
bitround_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    int rc = ncz_codec_check_size("bitround", n, *used < cap ? *used : cap, exact);

    (void)state;
    (void)type;
    if (rc != NC_NOERR)
        return rc;
    if (n > 0)
        memcpy(out, in, n);
    *used = n;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_bitround = {
    .id = "bitround",
    .members = {"keepbits"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(bitround_state),
    .from_json = bitround_from_json,
    .describe = bitround_describe,
    .encoded_type = bitround_encoded_type,
    .encode = bitround_encode,
    .decode = bitround_decode,
};

/* ---- packbits ------------------------------------------------------------------------------------------ */

static bool
packbits_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    *out = 1 + n / 8 + (n % 8 != 0);
    return true;
}

static void
packbits_encoded_type(const void *state, ncz_array_type *type)
{
    (void)state;
    type->dtype = (ncz_dtype){.kind = NCZ_KIND_UINT, .size = 1};
    type->row = 0;
}

static int
packbits_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               nout;

    (void)type;
    packbits_bound(state, n, &nout);
    if (cap < nout)
        return ncz_codec_too_long("packbits", cap);
    *to++ = (unsigned char)(-n % 8);
    for (size_t at = 0; at < n; at += 8) {
        size_t   now = n - at < 8 ? n - at : 8;
        unsigned byte = 0;

        for (size_t i = 0; i < now; i++)
            byte |= (unsigned)(from[at + i] != 0) << (7 - i);
        *to++ = (unsigned char)byte;
    }
    *used = nout;
    return NC_NOERR;
}

static int
packbits_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               nout;
    int                  rc;

    (void)state;
    (void)type;
    if (n == 0)
        return ncz_codec_cut_short("packbits", n);
    if (from[0] > 7 || (from[0] > 0 && n == 1))
        return ncz_fail(NC_EFILTER, "codec 'packbits': %u padding bits after %zu bytes", from[0], n - 1);
    if (!ncz_mul(n - 1, 8, &nout))
        return ncz_codec_too_long("packbits", cap);
    nout -= from[0];
    if ((rc = ncz_codec_check_size("packbits", nout, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < nout; i++)
        to[i] = from[1 + i / 8] >> (7 - i % 8) & 1;
    *used = nout;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_packbits = {
    .id = "packbits",
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .bound = packbits_bound,
    .encoded_type = packbits_encoded_type,
    .encode = packbits_encode,
    .decode = packbits_decode,
};
