/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crc32, crc32c, adler32, jenkins_lookup3: the data with a checksum of four little-endian bytes before or after them.
 * Decoding always verifies the checksum.
 */
#include "codecs/codec_int.h"

#include <string.h>
#include <zlib.h>

#define SUM_BYTES 4

/* The checksums. */
enum { CRC32, CRC32C, ADLER32, LOOKUP3 };

static const struct {
    const char *id;
    bool        at_end; /* numcodecs' default */
} kinds[] = {
    [CRC32] = {"crc32", false},
    [CRC32C] = {"crc32c", true},
    [ADLER32] = {"adler32", false},
    [LOOKUP3] = {"jenkins_lookup3", true},
};

typedef struct checksum_state {
    int      kind;
    bool     at_end;  /* the checksum is after the data, else before them */
    uint32_t initval; /* jenkins_lookup3 only */
} checksum_state;

static const char *
id_of(const checksum_state *s)
{
    return kinds[s->kind].id;
}

static uint32_t
compute_sum(const checksum_state *s, const unsigned char *data, size_t n)
{
    switch (s->kind) {
    case CRC32: return n > 0 ? (uint32_t)crc32_z(0, data, n) : 0;
    case CRC32C: return ncz_crc32c(data, n);
    case ADLER32: return n > 0 ? (uint32_t)adler32_z(1, data, n) : 1;
    default: return ncz_codec_sum_lookup3(data, n, s->initval);
    }
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static int
kind_of(const char *id)
{
    int kind = CRC32;

    while (kind < LOOKUP3 && strcmp(kinds[kind].id, id) != 0)
        kind++;
    return kind;
}

static int
checksum_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                   void *state)
{
    checksum_state *s = state;
    const ncz_json *location = ncz_json_get(config, "location");

    (void)in;
    (void)rules;
    s->kind = kind_of(ops->id);
    s->at_end = ncz_json_str_is(location, "end");
    if (ncz_json_is(location, NCZ_JSON_NULL))
        s->at_end = kinds[s->kind].at_end;
    else if (!s->at_end && !ncz_json_str_is(location, "start"))
        return ncz_fail(NC_EFILTER, "codec '%s': \"location\" is neither \"start\" nor \"end\"", ops->id);
    return NC_NOERR;
}

/* A prefix that is summed before the data has no form in JSON: numcodecs cannot write one. */
static int
lookup3_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                  void *state)
{
    checksum_state *s = state;
    int64_t         initval = 0;
    int             rc = ncz_codec_int(config, ops->id, "initval", 0, UINT32_MAX, &initval);

    (void)in;
    (void)rules;
    if (rc != NC_NOERR)
        return rc;
    if (!ncz_json_is(ncz_json_get(config, "prefix"), NCZ_JSON_NULL))
        return ncz_fail(NC_ENOFILTER, "codec '%s': \"prefix\" is not built in", ops->id);
    *s = (checksum_state){.kind = LOOKUP3, .at_end = true, .initval = (uint32_t)initval};
    return NC_NOERR;
}

/* Older readers refuse "location", so it is written only where it differs from the default. */
static void
checksum_describe(const void *state, ncz_jsonw *w)
{
    const checksum_state *s = state;

    if (s->at_end == kinds[s->kind].at_end)
        return;
    ncz_jsonw_key(w, "location");
    ncz_jsonw_cstr(w, s->at_end ? "end" : "start");
}

/* v3's own crc32c comes last. numcodecs' can also come first. */
static bool
crc32c_is_core(const void *state)
{
    return ((const checksum_state *)state)->at_end;
}

static void
lookup3_describe(const void *state, ncz_jsonw *w)
{
    const checksum_state *s = state;

    ncz_jsonw_key(w, "initval");
    ncz_jsonw_i64(w, s->initval);
    ncz_jsonw_key(w, "prefix");
    ncz_jsonw_null(w);
}

/* ---- coding -------------------------------------------------------------------------------------------- */

static bool
checksum_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, SUM_BYTES, out);
}

static int
checksum_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const checksum_state *s = state;
    uint32_t              sum = compute_sum(s, in, n);
    unsigned char        *to = out, *data = to + (s->at_end ? 0 : SUM_BYTES), *stored = to + (s->at_end ? n : 0);

    (void)type;
    if (cap < SUM_BYTES || cap - SUM_BYTES < n)
        return ncz_codec_too_long(id_of(s), cap);
    if (n > 0)
        memcpy(data, in, n);
    for (int i = 0; i < SUM_BYTES; i++)
        stored[i] = (unsigned char)(sum >> 8 * i);
    *used = n + SUM_BYTES;
    return NC_NOERR;
}

static int
checksum_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    const checksum_state *s = state;
    ncz_cursor            at = ncz_cursor_at(in, n);
    const unsigned char  *data = in;
    uint32_t              stored, sum;
    int                   rc;

    (void)type;
    if (n < SUM_BYTES)
        return ncz_codec_cut_short(id_of(s), n);
    n -= SUM_BYTES;
    if ((rc = ncz_codec_check_size(id_of(s), n, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    at.pos = s->at_end ? n : 0;
    data += s->at_end ? 0 : SUM_BYTES;
    stored = ncz_cursor_u32le(&at);
    sum = compute_sum(s, data, n);
    if (sum != stored)
        return ncz_fail(NC_EFILTER, "codec '%s': checksum does not match (stored 0x%08lx, computed 0x%08lx)",
                        id_of(s), (unsigned long)stored, (unsigned long)sum);
    if (n > 0)
        memcpy(out, data, n);
    *used = n;
    return NC_NOERR;
}

#define CHECKSUM_OPS(name, v3, core, read, write, ...)                                                               \
    {                                                                                                                \
        .id = name, .v3_name = v3, .config.is_core = core, .members = {__VA_ARGS__}, .cls = NCZ_CODEC_BYTES_BYTES,   \
        .fixed = true, .state_size = sizeof(checksum_state), .config.from_json = read, .config.describe = write,     \
        .bound = checksum_bound, .encode = checksum_encode, .decode = checksum_decode,                               \
    }

const ncz_codec_ops ncz_codec_crc32 =
    CHECKSUM_OPS("crc32", NULL, NULL, checksum_from_json, checksum_describe, "location");
const ncz_codec_ops ncz_codec_crc32c =
    CHECKSUM_OPS("crc32c", "crc32c", crc32c_is_core, checksum_from_json, checksum_describe, "location");
const ncz_codec_ops ncz_codec_adler32 =
    CHECKSUM_OPS("adler32", NULL, NULL, checksum_from_json, checksum_describe, "location");
const ncz_codec_ops ncz_codec_lookup3 =
    CHECKSUM_OPS("jenkins_lookup3", NULL, NULL, lookup3_from_json, lookup3_describe, "initval", "prefix");
