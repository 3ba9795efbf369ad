/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bytes: the elements one after another, in a byte order. It is Zarr v3's usual array-to-bytes codec. Zarr v2 has no
 * name for it and omits it: v2 chains have it without a configuration, in the byte order of the elements.
 *
 * If that is the byte order of the array, nothing changes and the codec is not run.
 */
#include "codecs/codec_int.h"

#include <string.h>

typedef struct bytes_state {
    bool given; /* the byte order differs from that of the elements */
    bool big;
} bytes_state;

/* The bytes of one number. Characters and raw bytes have no byte order; UCS-4 has four bytes each. */
static size_t
number_bytes(const ncz_dtype *t)
{
    switch (t->kind) {
    case NCZ_KIND_INT:
    case NCZ_KIND_UINT:
    case NCZ_KIND_FLOAT: return t->size;
    case NCZ_KIND_UCS4: return 4;
    default: return 1;
    }
}

/* Without "endian" the order of numbers is little-endian, which all writers mean that leave it out. */
static int
bytes_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    bytes_state    *s = state;
    const ncz_json *endian = ncz_json_get(config, "endian");
    bool            absent = ncz_json_is(endian, NCZ_JSON_NULL);

    s->big = ncz_json_str_is(endian, "big");
    if (!absent && !s->big && !ncz_json_str_is(endian, "little"))
        return ncz_fail(NC_EFILTER, "codec '%s': \"endian\" is neither \"little\" nor \"big\"", ops->id);
    s->given = s->big != in->dtype.big && number_bytes(&in->dtype) > 1;
    return NC_NOERR;
}

/* Written for elements of one byte, too: not all readers do without. */
static void
bytes_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const bytes_state *s = state;
    bool               given = s != NULL && s->given;

    ncz_jsonw_key(w, "endian");
    ncz_jsonw_cstr(w, in->dtype.size > 1 && (given ? s->big : in->dtype.big) ? "big" : "little");
}

static bool
bytes_identity(const void *state, const ncz_array_type *in)
{
    const bytes_state *s = state;

    return s == NULL || !s->given || s->big == in->dtype.big || number_bytes(&in->dtype) == 1;
}

static void
bytes_encoded_type(const void *state, ncz_array_type *type)
{
    const bytes_state *s = state;

    type->dtype.big = s->big;
}

#define SWAP(type, turn)                                                                                             \
    for (size_t i = 0; i < n; i += sizeof(type)) {                                                                   \
        type v;                                                                                                      \
                                                                                                                     \
        memcpy(&v, in + i, sizeof v);                                                                                \
        v = turn(v);                                                                                                 \
        memcpy(out + i, &v, sizeof v);                                                                               \
    }

static int
swap_numbers(const ncz_array_type *type, const unsigned char *in, size_t n, unsigned char *out)
{
    size_t size = number_bytes(&type->dtype);

    if (n % size != 0)
        return ncz_fail(NC_EFILTER, "codec 'bytes': %zu bytes are not a whole number of elements of %zu bytes", n,
                        size);
    switch (size) {
    case 1:
        if (n > 0)
            memcpy(out, in, n);
        break;
    case 2: SWAP(uint16_t, __builtin_bswap16) break;
    case 4: SWAP(uint32_t, __builtin_bswap32) break;
    default: SWAP(uint64_t, __builtin_bswap64) break;
    }
    return NC_NOERR;
}

static int
bytes_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    int rc;

    (void)state;
    if (cap < n)
        return ncz_codec_too_long("bytes", cap);
    if ((rc = swap_numbers(type, in, n, out)) == NC_NOERR)
        *used = n;
    return rc;
}

static int
bytes_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    int rc;

    (void)state;
    if ((rc = ncz_codec_check_size("bytes", n, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if ((rc = swap_numbers(type, in, n, out)) == NC_NOERR)
        *used = n;
    return rc;
}

const ncz_codec_ops ncz_codec_bytes = {
    .id = "bytes",
    .v3_name = "bytes",
    .members = {"endian"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .v3_only = true,
    .fixed = true,
    .state_size = sizeof(bytes_state),
    .config.from_v3 = bytes_from_v3,
    .config.describe_v3 = bytes_describe_v3,
    .identity = bytes_identity,
    .encoded_type = bytes_encoded_type,
    .encode = bytes_encode,
    .decode = bytes_decode,
};
