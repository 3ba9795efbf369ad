/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crc32, crc32c, adler32, jenkins_lookup3: the data with a checksum of four bytes, little end first, before or behind
 * them. Always verified.
 */
#include "filter/filter_int.h"

#include <string.h>
#include <zlib.h>

#define SUM_BYTES 4

/* Which of them, by the number in NCZ_CHECKSUM_KIND. */
enum { CRC32, CRC32C, ADLER32, LOOKUP3 };

static const struct {
    const char *id;
    bool        at_end; /* where numcodecs puts it unless told */
} kinds[] = {
    [CRC32] = {"crc32", false},
    [CRC32C] = {"crc32c", true},
    [ADLER32] = {"adler32", false},
    [LOOKUP3] = {"jenkins_lookup3", true},
};

static const char *
id_of(const ncz_codec_params *p)
{
    return kinds[p->v[NCZ_CHECKSUM_KIND]].id;
}

static uint32_t
checksum(const ncz_codec_params *p, const unsigned char *data, size_t n)
{
    switch (p->v[NCZ_CHECKSUM_KIND]) {
    case CRC32: return n > 0 ? (uint32_t)crc32_z(0, data, n) : 0;
    case CRC32C: return ncz_crc32c(data, n);
    case ADLER32: return n > 0 ? (uint32_t)adler32_z(1, data, n) : 1;
    default: return ncz_codec_sum_lookup3(data, n, (uint32_t)p->v[NCZ_CHECKSUM_INITVAL]);
    }
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static int
located(const ncz_json *config, int kind, ncz_codec_params *out)
{
    const ncz_json *where = ncz_json_get(config, "location");
    bool            end = ncz_json_str_is(where, "end");

    if (ncz_json_is(where, NCZ_JSON_NULL))
        end = kinds[kind].at_end;
    else if (!end && !ncz_json_str_is(where, "start"))
        return ncz_fail(NC_EFILTER, "codec '%s': \"location\" is neither \"start\" nor \"end\"", kinds[kind].id);
    *out = (ncz_codec_params){.v = {[NCZ_CHECKSUM_KIND] = kind, [NCZ_CHECKSUM_END] = end}};
    return NC_NOERR;
}

static int
crc32_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)env;
    return located(config, CRC32, out);
}

static int
crc32c_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)env;
    return located(config, CRC32C, out);
}

static int
adler32_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)env;
    return located(config, ADLER32, out);
}

/* A prefix to be summed before the data has no form in JSON: numcodecs cannot write one. */
static int
lookup3_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    int64_t initval = 0;
    int     rc = ncz_codec_int(config, "jenkins_lookup3", "initval", 0, UINT32_MAX, &initval);

    (void)env;
    if (rc != NC_NOERR)
        return rc;
    if (!ncz_json_is(ncz_json_get(config, "prefix"), NCZ_JSON_NULL))
        return ncz_fail(NC_ENOFILTER, "codec 'jenkins_lookup3': \"prefix\" is not built in");
    *out = (ncz_codec_params){
        .v = {[NCZ_CHECKSUM_KIND] = LOOKUP3, [NCZ_CHECKSUM_END] = 1, [NCZ_CHECKSUM_INITVAL] = initval}};
    return NC_NOERR;
}

/* Older readers refuse "location", so it stands only where it says something. */
static void
checksum_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    bool end = p->v[NCZ_CHECKSUM_END] != 0;

    if (end == kinds[p->v[NCZ_CHECKSUM_KIND]].at_end)
        return;
    ncz_jsonw_key(w, "location");
    ncz_jsonw_cstr(w, end ? "end" : "start");
}

static void
lookup3_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "initval");
    ncz_jsonw_i64(w, p->v[NCZ_CHECKSUM_INITVAL]);
    ncz_jsonw_key(w, "prefix");
    ncz_jsonw_null(w);
}

/* ---- coding -------------------------------------------------------------------------------------------- */

static bool
checksum_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    return ncz_add(n, SUM_BYTES, out);
}

static int
checksum_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    uint32_t       sum = checksum(p, in, n);
    bool           end = p->v[NCZ_CHECKSUM_END] != 0;
    unsigned char *to = out, *data = to + (end ? 0 : SUM_BYTES), *stored = to + (end ? n : 0);

    (void)env;
    if (cap < SUM_BYTES || cap - SUM_BYTES < n)
        return ncz_codec_too_long(id_of(p), cap);
    if (n > 0)
        memcpy(data, in, n);
    for (int i = 0; i < SUM_BYTES; i++)
        stored[i] = (unsigned char)(sum >> 8 * i);
    *used = n + SUM_BYTES;
    return NC_NOERR;
}

static int
checksum_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    ncz_cursor           at = ncz_cursor_at(in, n);
    bool                 end = p->v[NCZ_CHECKSUM_END] != 0;
    const unsigned char *data = in;
    uint32_t             stored, sum;
    int                  rc;

    (void)env;
    if (n < SUM_BYTES)
        return ncz_codec_cut_short(id_of(p), n);
    n -= SUM_BYTES;
    if ((rc = ncz_codec_check_size(id_of(p), n, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    at.pos = end ? n : 0;
    data += end ? 0 : SUM_BYTES;
    stored = ncz_cursor_u32le(&at);
    sum = checksum(p, data, n);
    if (sum != stored)
        return ncz_fail(NC_EFILTER, "codec '%s': checksum does not match (stored 0x%08lx, computed 0x%08lx)",
                        id_of(p), (unsigned long)stored, (unsigned long)sum);
    if (n > 0)
        memcpy(out, data, n);
    *used = n;
    return NC_NOERR;
}

#define CHECKSUM_OPS(name, read, write, ...)                                                                         \
    {                                                                                                                \
        .id = name, .members = {__VA_ARGS__}, .cls = NCZ_CODEC_BYTES, .fixed = true, .configure = read,              \
        .describe = write, .from_words = ncz_codec_from_no_words, .to_words = ncz_codec_to_no_words,                 \
        .bound = checksum_bound, .encode = checksum_encode, .decode = checksum_decode,                               \
    }

const ncz_codec_ops ncz_codec_crc32 = CHECKSUM_OPS("crc32", crc32_configure, checksum_describe, "location");
const ncz_codec_ops ncz_codec_crc32c = CHECKSUM_OPS("crc32c", crc32c_configure, checksum_describe, "location");
const ncz_codec_ops ncz_codec_adler32 = CHECKSUM_OPS("adler32", adler32_configure, checksum_describe, "location");
const ncz_codec_ops ncz_codec_lookup3 =
    CHECKSUM_OPS("jenkins_lookup3", lookup3_configure, lookup3_describe, "initval", "prefix");
