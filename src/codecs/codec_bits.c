/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bitround and packbits: codecs that work on the bits of elements.
 *
 * bitround rounds the mantissa of floats to fewer bits and sets the rest to zero. Decoding does nothing. packbits
 * packs eight truth values into one byte, the first in its highest bit. A first byte holds the number of padding bits
 * in the last byte.
 */
#include "codecs/codec_int.h"

#include <string.h>

/* ---- bitround ------------------------------------------------------------------------------------------ */

typedef struct bitround_state {
    int64_t keepbits;
    bool    integers; /* its elements are integers, which only v3's codec rounds */
} bitround_state;

static int
read_keepbits(const ncz_codec_ops *ops, const ncz_json *config, int most, bitround_state *s)
{
    int rc;

    if ((rc = ncz_codec_int(config, ops->id, "keepbits", 0, most, &s->keepbits)) != NC_NOERR)
        return rc;
    return s->keepbits >= 0 ? NC_NOERR : ncz_fail(NC_EFILTER, "codec '%s': no \"keepbits\"", ops->id);
}

static int
bitround_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                   void *state)
{
    bitround_state *s = state;

    (void)in;
    (void)rules;
    s->keepbits = -1;
    return read_keepbits(ops, config, 52, s);
}

static int
bitround_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    bitround_state *s = state;

    s->keepbits = -1;
    s->integers = in->dtype.kind == NCZ_KIND_INT || in->dtype.kind == NCZ_KIND_UINT;
    return read_keepbits(ops, config, 64, s);
}

static void
bitround_describe(const void *state, ncz_jsonw *w)
{
    const bitround_state *s = state;

    ncz_jsonw_key(w, "keepbits");
    ncz_jsonw_i64(w, s->keepbits);
}

/* The elements keep their type. numcodecs calls the result integers, which concerns no codec. */
static void
bitround_encoded_type(const void *state, ncz_array_type *type)
{
    (void)state;
    (void)type;
}

/* Rounds to nearest, halves to even. A carry into the exponent is correct. `drop` must be at least 1. */
#define ROUND_FLOATS(type)                                                                                           \
    static void round_float_##type(void *block, size_t n, void *arg)                                                 \
    {                                                                                                                \
        int   drop = *(int *)arg;                                                                                    \
        type *v = block, half = (type)(((type)1 << (drop - 1)) - 1);                                                 \
                                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                               \
            v[i] = (type)((type)(v[i] + (v[i] >> drop & 1) + half) >> drop << drop);                                 \
    }

/*
 * Rounds integers, whose highest bit that is set counts as the first. They stop at their greatest value before a
 * carry out of them, as zarrs has it. Signed ones are rounded as if they were not.
 */
#define ROUND_INTS(type, top_bit)                                                                                    \
    static void round_int_##type(void *block, size_t n, void *arg)                                                   \
    {                                                                                                                \
        int   keep = *(int *)arg;                                                                                    \
        type *v = block, all = (type)-1;                                                                             \
                                                                                                                     \
        for (size_t i = 0; i < n; i++) {                                                                             \
            int  drop = v[i] != 0 ? top_bit(v[i]) - keep : 0;                                                        \
            type add;                                                                                                \
                                                                                                                     \
            if (drop <= 0)                                                                                           \
                continue;                                                                                            \
            add = (type)((v[i] >> (drop - 1) >> 1 & 1) + (type)(((type)1 << (drop - 1)) - 1));                       \
            v[i] = v[i] > (type)(all - add) ? all : (type)(v[i] + add);                                              \
            v[i] = (type)((type)(v[i] >> (drop - 1) >> 1 << 1) << (drop - 1));                                       \
        }                                                                                                            \
    }

#define TOP_BIT(v)   (32 - __builtin_clz(v))
#define TOP_BIT64(v) (64 - __builtin_clzll(v))

ROUND_FLOATS(uint16_t)
ROUND_FLOATS(uint32_t)
ROUND_FLOATS(uint64_t)
ROUND_INTS(uint8_t, TOP_BIT)
ROUND_INTS(uint16_t, TOP_BIT)
ROUND_INTS(uint32_t, TOP_BIT)
ROUND_INTS(uint64_t, TOP_BIT64)

/* By the number of bytes. */
static const struct {
    nc_type   work;
    int       mantissa; /* bits of a float's */
    ncz_step *floats, *ints;
} rounders[9] = {
    [1] = {NC_UBYTE, 0, NULL, round_int_uint8_t},
    [2] = {NC_USHORT, 10, round_float_uint16_t, round_int_uint16_t},
    [4] = {NC_UINT, 23, round_float_uint32_t, round_int_uint32_t},
    [8] = {NC_UINT64, 52, round_float_uint64_t, round_int_uint64_t},
};

static int
bitround_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const bitround_state *s = state;
    ncz_dtype             bits = {.kind = NCZ_KIND_UINT, .big = type->dtype.big, .size = type->dtype.size};
    bool                  floats = type->dtype.kind == NCZ_KIND_FLOAT;
    bool                  ints = type->dtype.kind == NCZ_KIND_INT || type->dtype.kind == NCZ_KIND_UINT;
    int                   keep = (int)s->keepbits, drop;
    ncz_run               r = {.from = bits, .to = bits};

    if (!(floats || (ints && s->integers)) || type->bytes || bits.size >= NCZ_LEN(rounders) ||
        rounders[bits.size].ints == NULL)
        return ncz_fail(NC_EFILTER, "codec 'bitround': only %s can be rounded",
                        s->integers ? "numbers" : "floating numbers");
    drop = rounders[bits.size].mantissa - keep;
    if (floats && drop < 0)
        return ncz_fail(NC_EFILTER, "codec 'bitround': %d bits are to be kept, the type has %d", keep,
                        rounders[bits.size].mantissa);
    r.work = ncz_type_of(rounders[bits.size].work);
    r.step = ints ? rounders[bits.size].ints : drop > 0 ? rounders[bits.size].floats : NULL;
    r.arg = floats ? &drop : &keep;
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

/* Both are the same for floats, of which zarr-python knows only numcodecs' codec. */
static bool
bitround_is_core(const void *state)
{
    const bitround_state *s = state;

    return s->integers;
}

const ncz_codec_ops ncz_codec_bitround = {
    .id = "bitround",
    .v3_name = "bitround",
    .config.is_core = bitround_is_core,
    .members = {"keepbits"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(bitround_state),
    .config.from_json = bitround_from_json,
    .config.from_v3 = bitround_from_v3,
    .config.describe = bitround_describe,
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
