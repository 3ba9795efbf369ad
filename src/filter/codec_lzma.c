/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lzma, through liblzma: xz (1), the old .lzma (2) and raw streams (3), which need their filters named, as Python's
 * module of that name has them.
 *
 * A stream says how much memory its decoder needs; past MEMORY_MOST it is refused. The encoder's dictionary is never
 * larger than the chunk, where it would only cost time and memory.
 */
#include "filter/filter_int.h"

#include <lzma.h>

#include <inttypes.h>

#define MEMORY_MOST (UINT64_C(128) << 20) /* twice what the highest preset needs */

enum { XZ = 1, ALONE = 2, RAW = 3 };

/*
 * The places of the parameters behind NCZ_LZMA_FORMAT. Filters are kept complete, whatever preset they came from: up
 * to three that prepare (id and argument), then one of LZMA's two, whose options fill two places.
 */
#define CHECK   1 /* -1: the format's own */
#define PRESET  2 /* -1: none given */
#define COUNT   3 /* filters that prepare; -1: no filters */
#define PREPARE 4 /* id | argument << 32, three times */
#define OPTIONS 7 /* lc, lp, pb, mode, mf: a byte each; nice length: two; 1 for LZMA1, 2 for LZMA2: the highest */
#define SIZES   8 /* dictionary | depth << 32 */

#define PREPARE_MOST 3

static void *
lzma_get(void *opaque, size_t n, size_t item)
{
    (void)opaque;
    return ncz_alloc_n(n, item);
}

static void
lzma_put(void *opaque, void *p)
{
    (void)opaque;
    ncz_free(p);
}

static const lzma_allocator allocator = {.alloc = lzma_get, .free = lzma_put};

static int
lzma_fail(lzma_ret lrc)
{
    switch (lrc) {
    case LZMA_MEM_ERROR: return ncz_fail(NC_ENOMEM, "codec 'lzma': out of memory");
    case LZMA_MEMLIMIT_ERROR:
        return ncz_fail(NC_EFILTER, "codec 'lzma': needs more than %" PRIu64 " bytes to decode", MEMORY_MOST);
    case LZMA_FORMAT_ERROR: return ncz_fail(NC_EFILTER, "codec 'lzma': not of the format that it should be");
    case LZMA_OPTIONS_ERROR: return ncz_fail(NC_EFILTER, "codec 'lzma': options that liblzma does not have");
    case LZMA_DATA_ERROR: return ncz_fail(NC_EFILTER, "codec 'lzma': the data are corrupt");
    default: return ncz_fail(NC_EFILTER, "codec 'lzma': error %d of liblzma", (int)lrc);
    }
}

/* ---- parameters from JSON ------------------------------------------------------------------------------ */

static int
prepare_configure(const ncz_json *filter, int64_t id, int64_t *out)
{
    bool    delta = id == (int64_t)LZMA_FILTER_DELTA;
    int64_t arg = delta ? LZMA_DELTA_DIST_MIN : 0;
    int     rc;

    if (delta)
        rc = ncz_codec_int(filter, "lzma", "dist", LZMA_DELTA_DIST_MIN, LZMA_DELTA_DIST_MAX, &arg);
    else
        rc = ncz_codec_int(filter, "lzma", "start_offset", 0, INT32_MAX, &arg);
    if (rc == NC_NOERR)
        *out = id | arg << 32;
    return rc;
}

/* What the filter says itself, over what its preset says. */
static int
members_configure(const ncz_json *filter, const lzma_options_lzma *o, int64_t kind, ncz_codec_params *p)
{
    int64_t lc = o->lc, lp = o->lp, pb = o->pb, mode = o->mode, mf = o->mf, nice = o->nice_len, dict = o->dict_size;
    int64_t depth = o->depth;
    const struct {
        const char *name;
        int64_t     least, most, *v;
    } members[] = {
        {"lc", LZMA_LCLP_MIN, LZMA_LCLP_MAX, &lc},
        {"lp", LZMA_LCLP_MIN, LZMA_LCLP_MAX, &lp},
        {"pb", LZMA_PB_MIN, LZMA_PB_MAX, &pb},
        {"mode", LZMA_MODE_FAST, LZMA_MODE_NORMAL, &mode},
        {"mf", LZMA_MF_HC3, LZMA_MF_BT4, &mf},
        {"nice_len", 2, 273, &nice},
        {"dict_size", LZMA_DICT_SIZE_MIN, INT64_C(1536) << 20, &dict},
        {"depth", 0, INT32_MAX, &depth},
    };

    for (size_t i = 0; i < NCZ_LEN(members); i++) {
        int rc = ncz_codec_int(filter, "lzma", members[i].name, members[i].least, members[i].most, members[i].v);

        if (rc != NC_NOERR)
            return rc;
    }
    if (lc + lp > LZMA_LCLP_MAX || !lzma_mf_is_supported((lzma_match_finder)mf))
        return ncz_fail(NC_EFILTER, "codec 'lzma': \"lc\", \"lp\" or \"mf\" that LZMA does not have");
    p->v[OPTIONS] = lc | lp << 8 | pb << 16 | mode << 24 | mf << 32 | nice << 40 | kind << 56;
    p->v[SIZES] = dict | depth << 32;
    return NC_NOERR;
}

static int
options_configure(const ncz_json *filter, int64_t kind, ncz_codec_params *p)
{
    int64_t           preset = LZMA_PRESET_DEFAULT;
    lzma_options_lzma o;
    int               rc;

    if ((rc = ncz_codec_int(filter, "lzma", "preset", 0, UINT32_MAX, &preset)) != NC_NOERR)
        return rc;
    if (lzma_lzma_preset(&o, (uint32_t)preset))
        return ncz_fail(NC_EFILTER, "codec 'lzma': there is no preset %" PRId64, preset);
    return members_configure(filter, &o, kind, p);
}

/* LZMA's two are last, and nothing else is. */
static bool
id_fits(int64_t id, bool last)
{
    if (id == (int64_t)LZMA_FILTER_LZMA1 || id == (int64_t)LZMA_FILTER_LZMA2)
        return last;
    return !last && id >= (int64_t)LZMA_FILTER_DELTA && id <= (int64_t)LZMA_FILTER_SPARC;
}

static int
filters_configure(const ncz_json *filters, ncz_codec_params *p)
{
    size_t n = ncz_json_len(filters);
    int    rc;

    if (!ncz_json_is(filters, NCZ_JSON_ARRAY) || n == 0 || n > PREPARE_MOST + 1)
        return ncz_fail(NC_EFILTER, "codec 'lzma': \"filters\" is not a list of 1 to %d", PREPARE_MOST + 1);
    for (size_t i = 0; i < n; i++) {
        const ncz_json *filter = ncz_json_at(filters, i);
        int64_t         id = 0;

        if ((rc = ncz_codec_int(filter, "lzma", "id", 0, INT64_MAX, &id)) != NC_NOERR)
            return rc;
        if (!id_fits(id, i + 1 == n))
            return ncz_fail(NC_EFILTER, "codec 'lzma': filter %" PRId64 " cannot be number %zu of %zu", id, i + 1, n);
        if (i + 1 < n)
            rc = prepare_configure(filter, id, &p->v[PREPARE + i]);
        else
            rc = options_configure(filter, id == (int64_t)LZMA_FILTER_LZMA1 ? 1 : 2, p);
        if (rc != NC_NOERR)
            return rc;
    }
    p->v[COUNT] = (int64_t)n - 1;
    return NC_NOERR;
}

static int64_t
lzma_kind(const ncz_codec_params *p)
{
    return p->v[OPTIONS] >> 56;
}

/* What goes with what, in words that liblzma would not find. */
static int
check_together(const ncz_codec_params *p)
{
    int64_t format = p->v[NCZ_LZMA_FORMAT], check = p->v[CHECK], preset = p->v[PRESET], count = p->v[COUNT];
    bool    second = count >= 0 && lzma_kind(p) == 2;

    if (preset >= 0 && count >= 0)
        return ncz_fail(NC_EFILTER, "codec 'lzma': both \"preset\" and \"filters\"");
    if (format != XZ && check > LZMA_CHECK_NONE)
        return ncz_fail(NC_EFILTER, "codec 'lzma': \"check\" is for format %d alone", XZ);
    if (format == RAW && count < 0)
        return ncz_fail(NC_EFILTER, "codec 'lzma': format %d needs \"filters\"", RAW);
    if (count >= 0 && ((format == XZ && !second) || (format == ALONE && (second || count > 0))))
        return ncz_fail(NC_EFILTER, "codec 'lzma': format %" PRId64 " cannot have these \"filters\"", format);
    return NC_NOERR;
}

static int
lzma_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params  p = {.v = {[NCZ_LZMA_FORMAT] = XZ, [CHECK] = -1, [PRESET] = -1, [COUNT] = -1}};
    const ncz_json   *filters = ncz_json_get(config, "filters");
    lzma_options_lzma o;
    int               rc;

    (void)env;
    if ((rc = ncz_codec_int(config, "lzma", "format", XZ, RAW, &p.v[NCZ_LZMA_FORMAT])) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_int(config, "lzma", "check", -1, LZMA_CHECK_ID_MAX, &p.v[CHECK])) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_int(config, "lzma", "preset", 0, UINT32_MAX, &p.v[PRESET])) != NC_NOERR)
        return rc;
    if (p.v[PRESET] >= 0 && lzma_lzma_preset(&o, (uint32_t)p.v[PRESET]))
        return ncz_fail(NC_EFILTER, "codec 'lzma': there is no preset %" PRId64, p.v[PRESET]);
    if (!ncz_json_is(filters, NCZ_JSON_NULL) && (rc = filters_configure(filters, &p)) != NC_NOERR)
        return rc;
    if ((rc = check_together(&p)) == NC_NOERR)
        *out = p;
    return rc;
}

/* ---- parameters to JSON -------------------------------------------------------------------------------- */

static void
put(ncz_jsonw *w, const char *name, int64_t v)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_i64(w, v);
}

static void
prepare_describe(int64_t packed, ncz_jsonw *w)
{
    int64_t id = packed & 0xff, arg = packed >> 32;

    ncz_jsonw_open_object(w);
    put(w, "id", id);
    if (id == (int64_t)LZMA_FILTER_DELTA)
        put(w, "dist", arg);
    else if (arg != 0)
        put(w, "start_offset", arg);
    ncz_jsonw_close_object(w);
}

static lzma_options_lzma
options_of(const ncz_codec_params *p)
{
    int64_t o = p->v[OPTIONS], s = p->v[SIZES];

    return (lzma_options_lzma){.lc = o & 0xff,
                               .lp = o >> 8 & 0xff,
                               .pb = o >> 16 & 0xff,
                               .mode = (lzma_mode)(o >> 24 & 0xff),
                               .mf = (lzma_match_finder)(o >> 32 & 0xff),
                               .nice_len = o >> 40 & 0xffff,
                               .dict_size = (uint32_t)s,
                               .depth = (uint32_t)(s >> 32)};
}

static void
filters_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    lzma_options_lzma o = options_of(p);

    ncz_jsonw_open_array(w);
    for (int64_t i = 0; i < p->v[COUNT]; i++)
        prepare_describe(p->v[PREPARE + i], w);
    ncz_jsonw_open_object(w);
    put(w, "id", (int64_t)(lzma_kind(p) == 1 ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2));
    put(w, "dict_size", o.dict_size);
    put(w, "lc", o.lc);
    put(w, "lp", o.lp);
    put(w, "pb", o.pb);
    put(w, "mode", o.mode);
    put(w, "nice_len", o.nice_len);
    put(w, "mf", o.mf);
    put(w, "depth", o.depth);
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_array(w);
}

static void
lzma_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    put(w, "format", p->v[NCZ_LZMA_FORMAT]);
    put(w, "check", p->v[CHECK]);
    ncz_jsonw_key(w, "preset");
    if (p->v[PRESET] >= 0)
        ncz_jsonw_i64(w, p->v[PRESET]);
    else
        ncz_jsonw_null(w);
    ncz_jsonw_key(w, "filters");
    if (p->v[COUNT] >= 0)
        filters_describe(p, w);
    else
        ncz_jsonw_null(w);
}

/* ---- liblzma's view of them ---------------------------------------------------------------------------- */

/* A filter chain and what its filters point to. */
typedef struct chain {
    lzma_filter        filters[PREPARE_MOST + 2];
    lzma_options_delta delta[PREPARE_MOST];
    lzma_options_bcj   bcj[PREPARE_MOST];
    lzma_options_lzma  lzma;
} chain;

static void
chain_init(chain *c, const ncz_codec_params *p)
{
    bool   given = p->v[COUNT] >= 0;
    size_t n = given && p->v[COUNT] <= PREPARE_MOST ? (size_t)p->v[COUNT] : 0;
    bool   first = given ? lzma_kind(p) == 1 : p->v[NCZ_LZMA_FORMAT] == ALONE;

    for (size_t i = 0; i < n; i++) {
        int64_t packed = p->v[PREPARE + i];

        c->delta[i] = (lzma_options_delta){.type = LZMA_DELTA_TYPE_BYTE, .dist = (uint32_t)(packed >> 32)};
        c->bcj[i] = (lzma_options_bcj){.start_offset = (uint32_t)(packed >> 32)};
        c->filters[i] = (lzma_filter){.id = (lzma_vli)(packed & 0xff), .options = &c->bcj[i]};
        if (c->filters[i].id == LZMA_FILTER_DELTA)
            c->filters[i].options = &c->delta[i];
    }
    c->filters[n] = (lzma_filter){.id = first ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2, .options = &c->lzma};
    c->filters[n + 1] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
    if (given)
        c->lzma = options_of(p);
    else
        (void)lzma_lzma_preset(&c->lzma, p->v[PRESET] >= 0 ? (uint32_t)p->v[PRESET] : LZMA_PRESET_DEFAULT);
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

/* xz's own promise; .lzma and raw streams have less around their data, but LZMA1 has no stored form. */
static bool
lzma_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    size_t most = lzma_stream_buffer_bound(n);

    (void)p;
    return most > n && ncz_add(most, n / 4, out);
}

static lzma_ret
encoder_begin(lzma_stream *z, const ncz_codec_params *p, size_t n, chain *c)
{
    lzma_check check = p->v[CHECK] >= 0 ? (lzma_check)p->v[CHECK] : LZMA_CHECK_CRC64;

    chain_init(c, p);
    if (n < c->lzma.dict_size)
        c->lzma.dict_size = n > LZMA_DICT_SIZE_MIN ? (uint32_t)n : LZMA_DICT_SIZE_MIN;
    switch (p->v[NCZ_LZMA_FORMAT]) {
    case XZ: return lzma_stream_encoder(z, c->filters, check);
    case ALONE: return lzma_alone_encoder(z, &c->lzma);
    case RAW: return lzma_raw_encoder(z, c->filters);
    default: return LZMA_OPTIONS_ERROR;
    }
}

static int
lzma_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret    lrc;
    chain       c;
    int         rc = NC_NOERR;

    (void)env;
    z.allocator = &allocator;
    z.next_in = in;
    z.avail_in = n;
    z.next_out = out;
    z.avail_out = cap;
    if ((lrc = encoder_begin(&z, p, n, &c)) == LZMA_OK)
        while ((lrc = lzma_code(&z, LZMA_FINISH)) == LZMA_OK && z.avail_out > 0)
            ;
    if (lrc == LZMA_STREAM_END)
        *used = cap - z.avail_out;
    else if (lrc == LZMA_OK || lrc == LZMA_BUF_ERROR)
        rc = ncz_fail(NC_EFILTER, "codec 'lzma': does not fit into %zu bytes", cap);
    else
        rc = lzma_fail(lrc);
    lzma_end(&z);
    return rc;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

static lzma_ret
decoder_begin(lzma_stream *z, const ncz_codec_params *p, chain *c)
{
    switch (p->v[NCZ_LZMA_FORMAT]) {
    case XZ: return lzma_stream_decoder(z, MEMORY_MOST, LZMA_CONCATENATED);
    case ALONE: return lzma_alone_decoder(z, MEMORY_MOST);
    case RAW: break;
    default: return LZMA_OPTIONS_ERROR;
    }
    chain_init(c, p);
    if (lzma_raw_decoder_memusage(c->filters) > MEMORY_MOST) /* unknown options too: they use the most there is */
        return LZMA_MEMLIMIT_ERROR;
    return lzma_raw_decoder(z, c->filters);
}

/* Runs to the end of the last stream. *got: the bytes that came out, never more than `most`. */
static int
decode_all(lzma_stream *z, size_t n, size_t most, size_t *got)
{
    unsigned char spare; /* the byte behind the output: a stream that writes it is too long */
    bool          full = false;
    lzma_ret      lrc;

    for (;;) {
        if (z->avail_out == 0 && full)
            return ncz_codec_too_long("lzma", most);
        if (z->avail_out == 0) {
            full = true;
            z->next_out = &spare;
            z->avail_out = 1;
        }
        if ((lrc = lzma_code(z, LZMA_FINISH)) != LZMA_OK)
            break;
    }
    *got = (size_t)z->total_out;
    if (lrc == LZMA_BUF_ERROR)
        return ncz_codec_cut_short("lzma", n);
    if (lrc != LZMA_STREAM_END)
        return lzma_fail(lrc);
    if (*got > most)
        return ncz_codec_too_long("lzma", most);
    return z->avail_in > 0 ? ncz_codec_trailing("lzma", z->avail_in) : NC_NOERR;
}

static int
lzma_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    size_t      most = *used < cap ? *used : cap, got = 0;
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret    lrc;
    chain       c;
    int         rc;

    (void)env;
    z.allocator = &allocator;
    z.next_in = in;
    z.avail_in = n;
    z.next_out = out;
    z.avail_out = most;
    if ((lrc = decoder_begin(&z, p, &c)) != LZMA_OK)
        rc = lzma_fail(lrc);
    else if ((rc = decode_all(&z, n, most, &got)) == NC_NOERR)
        rc = ncz_codec_check_size("lzma", got, most, exact);
    if (rc == NC_NOERR)
        *used = got;
    lzma_end(&z);
    return rc;
}

const ncz_codec_ops ncz_codec_lzma = {
    .id = "lzma",
    .members = {"format", "check", "preset", "filters"},
    .cls = NCZ_CODEC_BYTES,
    .configure = lzma_configure,
    .describe = lzma_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = lzma_bound,
    .encode = lzma_encode,
    .decode = lzma_decode,
};
