/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zfp, through libzfp: arrays of numbers, of 1 to 4 dimensions, in blocks of 4 in each. Two codecs:
 *
 *   zfpy  numcodecs', with numbers as modes; each object begins with zfp's header, which has type, shape and mode
 *   zfp   Zarr v3's, with names as modes; no header
 *
 * libzfp reads and writes words of this machine, of 8 to 64 bits as it was built, so the codecs are built for
 * little-endian machines only. Streams are written in whole 64-bit words, as the usual build makes them. It trusts its
 * input: it never checks where the stream ends. What a block can take at most is known from the mode, so a stream is
 * decoded from a copy that is as long as the chunk can need, with zeros after the stream; afterwards libzfp reports how
 * much it took.
 */
#include "codecs/codec_int.h"

#include <math.h>
#include <string.h>
#include <zfp.h>

enum { WORD = 8, DIMS_MOST = 4 };

#define GROWTH_MOST 256 /* a block of 4^4 elements may hold a row of four, and take twice its bytes */
#define SLACK       ((size_t)64 << 10)

/* numcodecs has no name for the modes but their numbers, and none for `expert`. */
static const struct {
    const char *name;
    zfp_mode    mode;
} modes[] = {{"expert", zfp_mode_expert},
             {"fixed_rate", zfp_mode_fixed_rate},
             {"fixed_precision", zfp_mode_fixed_precision},
             {"fixed_accuracy", zfp_mode_fixed_accuracy},
             {"reversible", zfp_mode_reversible}};

typedef struct zfp_state {
    bool     header; /* zfpy */
    zfp_mode mode;
    double   rate, tolerance;                   /* zfpy: -1 where it is not given */
    int64_t  precision;                         /* the same */
    int64_t  minbits, maxbits, maxprec, minexp; /* of expert */
    zfp_type type;                              /* of the elements, */
    size_t   item, rank;                        /* their bytes; 0: the shape is unknown */
    size_t   shape[DIMS_MOST];                  /* in storage order */
} zfp_state;

/* ---- the library's structures -------------------------------------------------------------------------------- */

typedef struct coder {
    zfp_field   field;
    zfp_stream *zfp;
    bitstream  *bits;
} coder;

static zfp_field
field_of(const zfp_state *s, void *data)
{
    zfp_field f = {.type = s->type, .data = data};

    f.nx = s->shape[s->rank - 1];
    f.ny = s->rank > 1 ? s->shape[s->rank - 2] : 0;
    f.nz = s->rank > 2 ? s->shape[s->rank - 3] : 0;
    f.nw = s->rank > 3 ? s->shape[s->rank - 4] : 0;
    return f;
}

/* numcodecs takes a negative number for one that is not given, and then the mode without one. False: impossible. */
static bool
set_mode(const zfp_state *s, zfp_stream *zfp)
{
    switch (s->mode) {
    case zfp_mode_fixed_rate:
        if (s->rate > ZFP_MAX_BITS >> 2 * s->rank) /* of a block of 4^rank elements */
            return false;
        if (s->rate >= 0)
            return zfp_stream_set_rate(zfp, s->rate, s->type, (uint)s->rank, 0) > 0;
        break;
    case zfp_mode_fixed_precision:
        if (s->precision >= 0)
            return zfp_stream_set_precision(zfp, (uint)s->precision) > 0;
        break;
    case zfp_mode_fixed_accuracy:
        if (s->tolerance >= 0)
            return zfp_stream_set_accuracy(zfp, s->tolerance) >= 0;
        break;
    case zfp_mode_expert:
        return zfp_stream_set_params(zfp, (uint)s->minbits, (uint)s->maxbits, (uint)s->maxprec, (int)s->minexp);
    default: break;
    }
    zfp_stream_set_reversible(zfp);
    return true;
}

static void
end_coder(coder *c)
{
    if (c->zfp != NULL)
        zfp_stream_close(c->zfp);
    if (c->bits != NULL)
        stream_close(c->bits);
}

/* A coder for a chunk at `data`, with the stream at room[0..n). Call end_coder() also after a failure. */
static int
begin_coder(coder *c, const zfp_state *s, const char *codec, void *data, void *room, size_t n)
{
    *c = (coder){.field = field_of(s, data)};
    c->bits = stream_open(room, n);
    c->zfp = zfp_stream_open(c->bits);
    if (c->bits == NULL || c->zfp == NULL)
        return ncz_fail(NC_ENOMEM, "codec '%s': out of memory", codec);
    if (!set_mode(s, c->zfp))
        return ncz_fail(NC_EFILTER, "codec '%s': parameters that zfp does not have", codec);
    return NC_NOERR;
}

/* The most bytes of a stream in the coder's mode, in whole words. */
static size_t
most_bytes(const coder *c)
{
    return (zfp_stream_maximum_size(c->zfp, &c->field) + 2 * WORD) / WORD * WORD;
}

/* ---- configuration ------------------------------------------------------------------------------------------- */

static zfp_type
type_of_elements(const ncz_array_type *in)
{
    bool is_int = in->dtype.kind == NCZ_KIND_INT, is_float = in->dtype.kind == NCZ_KIND_FLOAT;

    if (in->dtype.size == 4)
        return is_int ? zfp_type_int32 : is_float ? zfp_type_float : zfp_type_none;
    if (in->dtype.size == 8)
        return is_int ? zfp_type_int64 : is_float ? zfp_type_double : zfp_type_none;
    return zfp_type_none;
}

/* Adds what the input is to a state that has its mode. */
static int
take_input(zfp_state *s, const char *codec, const ncz_array_type *in)
{
    coder trial;
    int   rc;

    if (in->bytes || (s->type = type_of_elements(in)) == zfp_type_none)
        return ncz_fail(NC_ENOFILTER, "codec '%s': only for integers with a sign and floats, of 4 or 8 bytes", codec);
    s->item = in->dtype.size;
    s->rank = 0;
    if (in->shape == NULL)
        return NC_NOERR;
    if (in->rank > DIMS_MOST)
        return ncz_fail(NC_ENOFILTER, "codec '%s': arrays of %zu dimensions; it has at most %d", codec, in->rank,
                        DIMS_MOST);
    for (size_t d = 0; d < in->rank; d++) {
        uint64_t n = in->shape[ncz_order_dim(in->order, d)];

        if (n == 0 || n > SIZE_MAX / s->item)
            return ncz_fail(NC_ENOFILTER, "codec '%s': a chunk without elements, or too large", codec);
        s->shape[d] = (size_t)n;
    }
    s->rank = in->rank > 0 ? in->rank : 1;
    if (in->rank == 0)
        s->shape[0] = 1;
    rc = begin_coder(&trial, s, codec, NULL, NULL, 0); /* does zfp have these parameters? */
    end_coder(&trial);
    return rc;
}

static int
read_number(const ncz_json *config, const char *codec, const char *name, bool required, double *out)
{
    const ncz_json *member = ncz_json_get(config, name);

    if (!required && ncz_json_is(member, NCZ_JSON_NULL))
        return NC_NOERR;
    if (!ncz_json_f64(member, out) || !isfinite(*out) || (required && *out < 0))
        return ncz_fail(NC_EFILTER, "codec '%s': \"%s\" is no number that it takes", codec, name);
    return NC_NOERR;
}

static int
zfpy_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
               void *state)
{
    zfp_state *s = state;
    int64_t    mode = zfp_mode_fixed_accuracy;
    int        rc;

    (void)rules;
    *s = (zfp_state){.header = true, .rate = -1, .tolerance = -1, .precision = -1};
    if ((rc = ncz_codec_int(config, ops->id, "mode", zfp_mode_fixed_rate, zfp_mode_reversible, &mode)) != NC_NOERR ||
        (rc = ncz_codec_int(config, ops->id, "precision", -1, ZFP_MAX_PREC, &s->precision)) != NC_NOERR ||
        (rc = read_number(config, ops->id, "rate", false, &s->rate)) != NC_NOERR ||
        (rc = read_number(config, ops->id, "tolerance", false, &s->tolerance)) != NC_NOERR)
        return rc;
    s->mode = (zfp_mode)mode;
    return take_input(s, ops->id, in);
}

static int
read_expert(const ncz_json *config, const char *codec, zfp_state *s)
{
    const struct {
        const char *name;
        int64_t     least, most, *v;
    } members[] = {{"minbits", 0, ZFP_MAX_BITS, &s->minbits},
                   {"maxbits", 1, ZFP_MAX_BITS, &s->maxbits},
                   {"maxprec", 1, ZFP_MAX_PREC, &s->maxprec},
                   {"minexp", ZFP_MIN_EXP - 1, 1100, &s->minexp}};

    for (size_t i = 0; i < NCZ_LEN(members); i++) {
        int rc = ncz_codec_int(config, codec, members[i].name, members[i].least, members[i].most, members[i].v);

        if (rc == NC_NOERR && ncz_json_is(ncz_json_get(config, members[i].name), NCZ_JSON_NULL))
            rc = ncz_fail(NC_EFILTER, "codec '%s': expert mode needs \"%s\"", codec, members[i].name);
        if (rc != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

static int
read_parameters(const ncz_json *config, const char *codec, zfp_state *s)
{
    switch (s->mode) {
    case zfp_mode_expert: return read_expert(config, codec, s);
    case zfp_mode_fixed_rate: return read_number(config, codec, "rate", true, &s->rate);
    case zfp_mode_fixed_accuracy: return read_number(config, codec, "tolerance", true, &s->tolerance);
    case zfp_mode_fixed_precision:
        if (ncz_json_is(ncz_json_get(config, "precision"), NCZ_JSON_NULL))
            return ncz_fail(NC_EFILTER, "codec '%s': fixed precision needs \"precision\"", codec);
        return ncz_codec_int(config, codec, "precision", 1, ZFP_MAX_PREC, &s->precision);
    default: return NC_NOERR;
    }
}

static int
zfp_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    const ncz_json *mode = ncz_json_get(config, "mode");
    zfp_state      *s = state;
    int             rc;

    *s = (zfp_state){.mode = zfp_mode_null, .rate = -1, .tolerance = -1, .precision = -1};
    for (size_t i = 0; i < NCZ_LEN(modes); i++)
        if (ncz_json_str_is(mode, modes[i].name))
            s->mode = modes[i].mode;
    if (s->mode == zfp_mode_null)
        return ncz_fail(NC_EFILTER, "codec '%s': \"mode\" is missing or unknown", ops->id);
    if ((rc = read_parameters(config, ops->id, s)) != NC_NOERR)
        return rc;
    return take_input(s, ops->id, in);
}

static int
zfp_retype(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state)
{
    zfp_state *s = state;

    *s = *(const zfp_state *)old;
    return take_input(s, ops->id, in);
}

static void
write_int(ncz_jsonw *w, const char *name, int64_t v)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_i64(w, v);
}

static void
write_number(ncz_jsonw *w, const char *name, double v)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_f64(w, v);
}

static void
zfpy_describe(const void *state, ncz_jsonw *w)
{
    const zfp_state *s = state;

    write_int(w, "mode", s->mode);
    write_number(w, "tolerance", s->tolerance);
    write_number(w, "rate", s->rate);
    write_int(w, "precision", s->precision);
}

static void
zfp_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const zfp_state *s = state;

    (void)in;
    for (size_t i = 0; i < NCZ_LEN(modes); i++)
        if (modes[i].mode == s->mode) {
            ncz_jsonw_key(w, "mode");
            ncz_jsonw_cstr(w, modes[i].name);
        }
    if (s->mode == zfp_mode_fixed_rate)
        write_number(w, "rate", s->rate);
    if (s->mode == zfp_mode_fixed_accuracy)
        write_number(w, "tolerance", s->tolerance);
    if (s->mode == zfp_mode_fixed_precision)
        write_int(w, "precision", s->precision);
    if (s->mode != zfp_mode_expert)
        return;
    write_int(w, "minbits", s->minbits);
    write_int(w, "maxbits", s->maxbits);
    write_int(w, "maxprec", s->maxprec);
    write_int(w, "minexp", s->minexp);
}

/* ---- coding -------------------------------------------------------------------------------------------------- */

static const char *
codec_name(const zfp_state *s)
{
    return s->header ? "zfpy" : "zfp";
}

static int
check_chunk(const zfp_state *s, size_t nbytes)
{
    size_t n = s->item;

    for (size_t d = 0; d < s->rank; d++)
        if (!ncz_mul(n, s->shape[d], &n))
            return ncz_fail_nomem(SIZE_MAX);
    if (s->rank == 0 || n != nbytes)
        return ncz_fail(NC_EFILTER, "codec '%s': %zu bytes are not a chunk of the shape that it was made for",
                        codec_name(s), nbytes);
    return NC_NOERR;
}

static bool
zfp_bound(const void *state, size_t n, size_t *out)
{
    const zfp_state *s = state;
    coder            c;
    bool             ok = s->rank > 0 && begin_coder(&c, s, codec_name(s), NULL, NULL, 0) == NC_NOERR;

    if (s->rank == 0) /* never encoded */
        *out = n;
    else
        *out = ok ? most_bytes(&c) : 0;
    if (s->rank > 0)
        end_coder(&c);
    return s->rank == 0 || ok;
}

static void
swap_elements(void *data, size_t nbytes, size_t item)
{
    char *p = data;

    for (size_t i = 0; i < nbytes; i += item)
        for (size_t k = 0; k < item / 2; k++) {
            char low = p[i + k];

            p[i + k] = p[i + item - 1 - k];
            p[i + item - 1 - k] = low;
        }
}

/* The elements in this machine's byte order: `in` itself or, at *own, a copy. */
static const void *
native_elements(const zfp_state *s, const ncz_array_type *type, const void *in, size_t n, void **own)
{
    if (!type->dtype.big)
        return in;
    if ((*own = ncz_dup(in, n)) != NULL)
        swap_elements(*own, n, s->item);
    return *own;
}

static int
zfp_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const zfp_state *s = state;
    void            *own = NULL, *room = NULL; /* room: aligned for the library's words */
    const void      *elements;
    size_t           most = 0, got = 0;
    coder            c = {.zfp = NULL};
    int              rc;

    if ((rc = check_chunk(s, n)) != NC_NOERR)
        return rc;
    if (!zfp_bound(s, n, &most) || cap < most)
        return ncz_codec_too_long(codec_name(s), cap);
    elements = native_elements(s, type, in, n, &own);
    room = ncz_zalloc(most);
    if (elements == NULL || room == NULL) {
        rc = ncz_fail_nomem(n + most);
        goto done;
    }
    if ((rc = begin_coder(&c, s, codec_name(s), (void *)(uintptr_t)elements, room, most)) != NC_NOERR)
        goto done;
    if (!s->header || zfp_write_header(c.zfp, &c.field, ZFP_HEADER_FULL) > 0)
        got = zfp_compress(c.zfp, &c.field);
    if (got == 0 || got > most) {
        rc = ncz_fail(NC_EFILTER, "codec '%s': zfp cannot encode a chunk of this shape", codec_name(s));
        goto done;
    }
    *used = (got + WORD - 1) / WORD * WORD; /* zeros follow */
    memcpy(out, room, *used);
done:
    end_coder(&c);
    ncz_free(room);
    ncz_free(own);
    return rc;
}

static bool
same_field(const zfp_field *a, const zfp_field *b)
{
    return a->type == b->type && a->nx == b->nx && a->ny == b->ny && a->nz == b->nz && a->nw == b->nw;
}

/* Reads the header of room[0..n), whose mode the coder takes over. It must have the type and shape of the chunk. */
static int
read_header(coder *c, const zfp_state *s)
{
    zfp_field found = {.type = zfp_type_none};
    size_t    bits = zfp_read_header(c->zfp, &found, ZFP_HEADER_FULL);

    if (bits == 0)
        return ncz_fail(NC_EFILTER, "codec '%s': no header of zfp", codec_name(s));
    if (!same_field(&found, &c->field))
        return ncz_fail(NC_EFILTER,
                        "codec '%s': the header has type %d and shape %zu, %zu, %zu, %zu (fastest first), the chunk "
                        "type %d and %zu, %zu, %zu, %zu",
                        codec_name(s), (int)found.type, found.nx, found.ny, found.nz, found.nw, (int)c->field.type,
                        c->field.nx, c->field.ny, c->field.nz, c->field.nw);
    return NC_NOERR;
}

/* How much memory decoding in[0..n) may read, by its mode: that of the configuration or of the header. */
static int
decoder_room(const zfp_state *s, const void *in, size_t n, size_t nbytes, size_t *out)
{
    uint64_t head[32] = {0}; /* more than a header */
    size_t   most;
    coder    c;
    int      rc;

    memcpy(head, in, n < sizeof head ? n : sizeof head);
    rc = begin_coder(&c, s, codec_name(s), NULL, head, sizeof head);
    if (rc == NC_NOERR && s->header)
        rc = read_header(&c, s);
    if (rc == NC_NOERR) {
        size_t limit = nbytes > (SIZE_MAX - SLACK) / GROWTH_MOST ? SIZE_MAX - SLACK : nbytes * GROWTH_MOST + SLACK;

        most = most_bytes(&c);
        *out = most;
        if (most > limit)
            rc = ncz_fail(NC_EFILTER, "codec '%s': a mode that takes %zu bytes for a chunk of %zu", codec_name(s),
                          most, nbytes);
    }
    end_coder(&c);
    return rc;
}

static int
zfp_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    const zfp_state *s = state;
    size_t           wanted = *used < cap ? *used : cap, room_bytes = 0, got;
    void            *room = NULL;
    coder            c = {.zfp = NULL};
    int              rc;

    (void)exact;
    if ((rc = check_chunk(s, wanted)) != NC_NOERR || (rc = decoder_room(s, in, n, wanted, &room_bytes)) != NC_NOERR)
        return rc;
    if ((room = ncz_zalloc(room_bytes)) == NULL) {
        rc = ncz_fail_nomem(room_bytes);
        goto done;
    }
    memcpy(room, in, n < room_bytes ? n : room_bytes);
    if ((rc = begin_coder(&c, s, codec_name(s), out, room, room_bytes)) != NC_NOERR ||
        (s->header && (rc = read_header(&c, s)) != NC_NOERR))
        goto done;
    got = zfp_decompress(c.zfp, &c.field);
    if (got == 0)
        rc = ncz_fail(NC_EFILTER, "codec '%s': the data are corrupt", codec_name(s));
    else if (got > (n + stream_word_bits / 8 - 1) / (stream_word_bits / 8) * (stream_word_bits / 8))
        rc = ncz_codec_cut_short(codec_name(s), n);
    else if (n > got && n - got >= WORD)
        rc = ncz_codec_trailing(codec_name(s), n - got);
    if (rc != NC_NOERR)
        goto done;
    if (type->dtype.big)
        swap_elements(out, wanted, s->item);
    *used = wanted;
done:
    end_coder(&c);
    ncz_free(room);
    return rc;
}

const ncz_codec_ops ncz_codec_zfpy = {
    .id = "zfpy",
    .members = {"mode", "tolerance", "rate", "precision", "compression_kwargs"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .state_size = sizeof(zfp_state),
    .config.from_json = zfpy_from_json,
    .config.retype = zfp_retype,
    .config.describe = zfpy_describe,
    .bound = zfp_bound,
    .encode = zfp_encode,
    .decode = zfp_decode,
};

const ncz_codec_ops ncz_codec_zfp = {
    .id = "zfp",
    .v3_name = "zfp",
    .members = {"mode", "rate", "precision", "tolerance", "minbits", "maxbits", "maxprec", "minexp"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .v3_only = true,
    .state_size = sizeof(zfp_state),
    .config.from_v3 = zfp_from_v3,
    .config.retype = zfp_retype,
    .config.describe_v3 = zfp_describe_v3,
    .bound = zfp_bound,
    .encode = zfp_encode,
    .decode = zfp_decode,
};
