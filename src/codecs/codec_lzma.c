/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lzma, through liblzma: xz (1), the old .lzma (2) and raw streams (3), as in Python's module of that name. Raw
 * streams need their filters in the configuration.
 *
 * A stream says how much memory its decoder needs. More than MEMORY_MOST is refused. The encoder's dictionary is
 * never larger than the chunk, since more would only cost time and memory.
 */
#include "codecs/codec_int.h"
#include "codecs/stream_int.h"

#include <lzma.h>

#include <inttypes.h>

#define MEMORY_MOST (UINT64_C(128) << 20) /* twice the need of the highest preset */

enum { XZ = 1, ALONE = 2, RAW = 3 };

#define PREPARE_MOST 3 /* most filters before LZMA1 or LZMA2 */

typedef struct prepare {
    lzma_vli id;
    uint32_t arg; /* distance of delta; start offset of the others */
} prepare;

/* The filters are complete: values from a preset are filled in. */
typedef struct lzma_state {
    int64_t           format;  /* XZ, ALONE, RAW */
    int64_t           check;   /* -1: the format's own */
    int64_t           preset;  /* -1: none given */
    bool              filters; /* filters are given: `prepare`, then LZMA1 or LZMA2 */
    size_t            nprepare;
    prepare           prepare[PREPARE_MOST];
    lzma_vli          last;    /* LZMA1 or LZMA2 */
    lzma_options_lzma options; /* options of `last` */
} lzma_state;

static void *
get_memory(void *opaque, size_t n, size_t item)
{
    (void)opaque;
    return ncz_alloc_n(n, item);
}

static void
put_memory(void *opaque, void *p)
{
    (void)opaque;
    ncz_free(p);
}

static const lzma_allocator allocator = {.alloc = get_memory, .free = put_memory};

typedef struct lzma_library {
    lzma_stream z;
    lzma_ret    status; /* of the last call */
} lzma_library;

static int
explain_lzma(void *library)
{
    lzma_ret lrc = ((const lzma_library *)library)->status;

    switch (lrc) {
    case LZMA_MEM_ERROR: return ncz_fail(NC_ENOMEM, "codec 'lzma': out of memory");
    case LZMA_MEMLIMIT_ERROR:
        return ncz_fail(NC_EFILTER, "codec 'lzma': needs more than %" PRIu64 " bytes to decode", MEMORY_MOST);
    case LZMA_FORMAT_ERROR: return ncz_fail(NC_EFILTER, "codec 'lzma': not data of the configured format");
    case LZMA_OPTIONS_ERROR: return ncz_fail(NC_EFILTER, "codec 'lzma': options that liblzma does not have");
    case LZMA_DATA_ERROR: return ncz_fail(NC_EFILTER, "codec 'lzma': the data are corrupt");
    default: return ncz_fail(NC_EFILTER, "codec 'lzma': error %d of liblzma", (int)lrc);
    }
}

/* ---- configuration from JSON --------------------------------------------------------------------------- */

static int
read_prepare(const ncz_json *filter, lzma_vli id, prepare *out)
{
    bool    delta = id == LZMA_FILTER_DELTA;
    int64_t arg = delta ? LZMA_DELTA_DIST_MIN : 0;
    int     rc;

    if (delta)
        rc = ncz_codec_int(filter, "lzma", "dist", LZMA_DELTA_DIST_MIN, LZMA_DELTA_DIST_MAX, &arg);
    else
        rc = ncz_codec_int(filter, "lzma", "start_offset", 0, INT32_MAX, &arg);
    if (rc == NC_NOERR)
        *out = (prepare){.id = id, .arg = (uint32_t)arg};
    return rc;
}

/* Reads the filter's own members, which override its preset. */
static int
read_options(const ncz_json *filter, lzma_options_lzma *o)
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
    *o = (lzma_options_lzma){.lc = (uint32_t)lc,
                             .lp = (uint32_t)lp,
                             .pb = (uint32_t)pb,
                             .mode = (lzma_mode)mode,
                             .mf = (lzma_match_finder)mf,
                             .nice_len = (uint32_t)nice,
                             .dict_size = (uint32_t)dict,
                             .depth = (uint32_t)depth};
    return NC_NOERR;
}

static int
read_last(const ncz_json *filter, lzma_vli id, lzma_state *s)
{
    int64_t preset = LZMA_PRESET_DEFAULT;
    int     rc;

    if ((rc = ncz_codec_int(filter, "lzma", "preset", 0, UINT32_MAX, &preset)) != NC_NOERR)
        return rc;
    if (lzma_lzma_preset(&s->options, (uint32_t)preset))
        return ncz_fail(NC_EFILTER, "codec 'lzma': there is no preset %" PRId64, preset);
    s->last = id;
    return read_options(filter, &s->options);
}

/* LZMA1 and LZMA2 may only be last, other filters never. */
static bool
is_good_place(int64_t id, bool last)
{
    if (id == (int64_t)LZMA_FILTER_LZMA1 || id == (int64_t)LZMA_FILTER_LZMA2)
        return last;
    return !last && id >= (int64_t)LZMA_FILTER_DELTA && id <= (int64_t)LZMA_FILTER_SPARC;
}

static int
read_filters(const ncz_json *filters, lzma_state *s)
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
        if (!is_good_place(id, i + 1 == n))
            return ncz_fail(NC_EFILTER, "codec 'lzma': filter %" PRId64 " cannot be number %zu of %zu", id, i + 1, n);
        if (i + 1 < n)
            rc = read_prepare(filter, (lzma_vli)id, &s->prepare[i]);
        else
            rc = read_last(filter, (lzma_vli)id, s);
        if (rc != NC_NOERR)
            return rc;
    }
    s->filters = true;
    s->nprepare = n - 1;
    return NC_NOERR;
}

/* Refuses combinations that liblzma would refuse later or with a less helpful error. */
static int
check_together(const lzma_state *s)
{
    bool second = s->filters && s->last == LZMA_FILTER_LZMA2;

    if (s->preset >= 0 && s->filters)
        return ncz_fail(NC_EFILTER, "codec 'lzma': both \"preset\" and \"filters\"");
    if (s->format != XZ && s->check > LZMA_CHECK_NONE)
        return ncz_fail(NC_EFILTER, "codec 'lzma': \"check\" is for format %d alone", XZ);
    if (s->format == RAW && !s->filters)
        return ncz_fail(NC_EFILTER, "codec 'lzma': format %d needs \"filters\"", RAW);
    if (s->filters && ((s->format == XZ && !second) || (s->format == ALONE && (second || s->nprepare > 0))))
        return ncz_fail(NC_EFILTER, "codec 'lzma': format %" PRId64 " cannot have these \"filters\"", s->format);
    return NC_NOERR;
}

/* An xz stream begins with its filters. So GDAL's member "delta", the distance of such a filter, can be passed over. */
static bool
lzma_describes_itself(const ncz_json *config)
{
    int64_t format = XZ;

    return ncz_codec_get_int(config, "format", &format) && format == XZ;
}

static int
lzma_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
               void *state)
{
    const ncz_json   *filters = ncz_json_get(config, "filters");
    lzma_state       *s = state;
    lzma_options_lzma o;
    int               rc;

    (void)in;
    (void)rules;
    *s = (lzma_state){.format = XZ, .check = -1, .preset = -1};
    if ((rc = ncz_codec_int(config, ops->id, "format", XZ, RAW, &s->format)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_int(config, ops->id, "check", -1, LZMA_CHECK_ID_MAX, &s->check)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_int(config, ops->id, "preset", 0, UINT32_MAX, &s->preset)) != NC_NOERR)
        return rc;
    if (s->preset >= 0 && lzma_lzma_preset(&o, (uint32_t)s->preset))
        return ncz_fail(NC_EFILTER, "codec '%s': there is no preset %" PRId64, ops->id, s->preset);
    if (!ncz_json_is(filters, NCZ_JSON_NULL) && (rc = read_filters(filters, s)) != NC_NOERR)
        return rc;
    return check_together(s);
}

/* ---- configuration to JSON ----------------------------------------------------------------------------- */

static void
write_int(ncz_jsonw *w, const char *name, int64_t v)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_i64(w, v);
}

static void
write_prepare(const prepare *p, ncz_jsonw *w)
{
    ncz_jsonw_open_object(w);
    write_int(w, "id", (int64_t)p->id);
    if (p->id == LZMA_FILTER_DELTA)
        write_int(w, "dist", p->arg);
    else if (p->arg != 0)
        write_int(w, "start_offset", p->arg);
    ncz_jsonw_close_object(w);
}

static void
write_filters(const lzma_state *s, ncz_jsonw *w)
{
    const lzma_options_lzma *o = &s->options;

    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < s->nprepare; i++)
        write_prepare(&s->prepare[i], w);
    ncz_jsonw_open_object(w);
    write_int(w, "id", (int64_t)s->last);
    write_int(w, "dict_size", o->dict_size);
    write_int(w, "lc", o->lc);
    write_int(w, "lp", o->lp);
    write_int(w, "pb", o->pb);
    write_int(w, "mode", o->mode);
    write_int(w, "nice_len", o->nice_len);
    write_int(w, "mf", o->mf);
    write_int(w, "depth", o->depth);
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_array(w);
}

static void
lzma_describe(const void *state, ncz_jsonw *w)
{
    const lzma_state *s = state;

    write_int(w, "format", s->format);
    write_int(w, "check", s->check);
    ncz_jsonw_key(w, "preset");
    if (s->preset >= 0)
        ncz_jsonw_i64(w, s->preset);
    else
        ncz_jsonw_null(w);
    ncz_jsonw_key(w, "filters");
    if (s->filters)
        write_filters(s, w);
    else
        ncz_jsonw_null(w);
}

/* ---- liblzma's form ------------------------------------------------------------------------------ */

/* A list of filters and what they point to. */
typedef struct filter_list {
    lzma_filter        filters[PREPARE_MOST + 2];
    lzma_options_delta delta[PREPARE_MOST];
    lzma_options_bcj   bcj[PREPARE_MOST];
    lzma_options_lzma  lzma;
} filter_list;

static void
make_filters(filter_list *l, const lzma_state *s)
{
    lzma_vli last = s->format == ALONE ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2;
    size_t   n = s->nprepare;

    for (size_t i = 0; i < n; i++) {
        l->delta[i] = (lzma_options_delta){.type = LZMA_DELTA_TYPE_BYTE, .dist = s->prepare[i].arg};
        l->bcj[i] = (lzma_options_bcj){.start_offset = s->prepare[i].arg};
        l->filters[i] = (lzma_filter){.id = s->prepare[i].id, .options = &l->bcj[i]};
        if (l->filters[i].id == LZMA_FILTER_DELTA)
            l->filters[i].options = &l->delta[i];
    }
    l->filters[n] = (lzma_filter){.id = s->filters ? s->last : last, .options = &l->lzma};
    l->filters[n + 1] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
    if (s->filters)
        l->lzma = s->options;
    else
        (void)lzma_lzma_preset(&l->lzma, s->preset >= 0 ? (uint32_t)s->preset : LZMA_PRESET_DEFAULT);
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

/* The bound that xz documents. .lzma and raw streams have less overhead, but LZMA1 has no stored form. */
static bool
lzma_bound(const void *state, size_t n, size_t *out)
{
    size_t most = lzma_stream_buffer_bound(n);

    (void)state;
    return most > n && ncz_add(most, n / 4, out);
}

static lzma_ret
begin_encoder(lzma_stream *z, const lzma_state *s, size_t n, filter_list *l)
{
    lzma_check check = s->check >= 0 ? (lzma_check)s->check : LZMA_CHECK_CRC64;

    make_filters(l, s);
    if (n < l->lzma.dict_size)
        l->lzma.dict_size = n > LZMA_DICT_SIZE_MIN ? (uint32_t)n : LZMA_DICT_SIZE_MIN;
    switch (s->format) {
    case XZ: return lzma_stream_encoder(z, l->filters, check);
    case ALONE: return lzma_alone_encoder(z, &l->lzma);
    case RAW: return lzma_raw_encoder(z, l->filters);
    default: return LZMA_OPTIONS_ERROR;
    }
}

/* Gives liblzma the windows for one step, of encoding or decoding. */
static ncz_stream_result
step_lzma(void *library, ncz_stream_window *w, bool last)
{
    lzma_library *l = library;

    l->z.next_in = w->in;
    l->z.avail_in = w->nin;
    l->z.next_out = w->out;
    l->z.avail_out = w->nout;
    l->status = lzma_code(&l->z, last ? LZMA_FINISH : LZMA_RUN);
    *w = (ncz_stream_window){
        .in = l->z.next_in, .nin = (unsigned)l->z.avail_in, .out = l->z.next_out, .nout = (unsigned)l->z.avail_out};
    switch (l->status) {
    case LZMA_OK: return NCZ_STREAM_MORE;
    case LZMA_STREAM_END: return NCZ_STREAM_END;
    case LZMA_BUF_ERROR: return NCZ_STREAM_STUCK;
    default: return NCZ_STREAM_FAILED;
    }
}

static int
lzma_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    lzma_library l = {.z = LZMA_STREAM_INIT};
    ncz_stream   stream = {.library = &l, .step = step_lzma, .explain = explain_lzma};
    filter_list  filters;
    int          rc;

    (void)type;
    l.z.allocator = &allocator;
    if ((l.status = begin_encoder(&l.z, state, n, &filters)) == LZMA_OK)
        rc = ncz_codec_stream_encode(&stream, "lzma", in, n, out, cap, used);
    else
        rc = explain_lzma(&l);
    lzma_end(&l.z);
    return rc;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

static lzma_ret
begin_decoder(lzma_stream *z, const lzma_state *s, filter_list *l)
{
    switch (s->format) {
    case XZ: return lzma_stream_decoder(z, MEMORY_MOST, LZMA_CONCATENATED);
    case ALONE: return lzma_alone_decoder(z, MEMORY_MOST);
    case RAW: break;
    default: return LZMA_OPTIONS_ERROR;
    }
    make_filters(l, s);
    if (lzma_raw_decoder_memusage(l->filters) > MEMORY_MOST) /* also for unknown options, which give the maximum */
        return LZMA_MEMLIMIT_ERROR;
    return lzma_raw_decoder(z, l->filters);
}

/* liblzma itself goes on to the next stream of an object, where the format has several. */
static int
lzma_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    lzma_library l = {.z = LZMA_STREAM_INIT};
    ncz_stream   stream = {.library = &l, .step = step_lzma, .explain = explain_lzma};
    filter_list  filters;
    int          rc;

    (void)type;
    l.z.allocator = &allocator;
    if ((l.status = begin_decoder(&l.z, state, &filters)) == LZMA_OK)
        rc = ncz_codec_stream_decode(&stream, "lzma", in, n, out, cap, exact, used);
    else
        rc = explain_lzma(&l);
    lzma_end(&l.z);
    return rc;
}

const ncz_codec_ops ncz_codec_lzma = {
    .id = "lzma",
    .members = {"format", "check", "preset", "filters"},
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(lzma_state),
    .config.from_json = lzma_from_json,
    .config.describes_itself = lzma_describes_itself,
    .config.describe = lzma_describe,
    .bound = lzma_bound,
    .encode = lzma_encode,
    .decode = lzma_decode,
};
