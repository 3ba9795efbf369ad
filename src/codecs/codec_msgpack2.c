/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * msgpack2 as in numcodecs: a MessagePack array of the elements, then the array's dtype, then its shape. numcodecs
 * nests the arrays where the shape has several dimensions; we write a flat array, which numcodecs also reads.
 *
 * Strings and binary are texts, and nil is no text. Numbers, truth values, arrays and maps are kept as JSON text and
 * written back from it. Extension types are not supported.
 */
#include "codecs/codec_int.h"

#include <string.h>

#define DEPTH 64 /* nesting limit of arrays and maps */

/* ---- reading: one object ------------------------------------------------------------------- */

typedef enum pack_kind {
    PACK_NIL,
    PACK_BOOL,
    PACK_INT,
    PACK_UINT,
    PACK_FLOAT,
    PACK_DOUBLE,
    PACK_TEXT,
    PACK_ARRAY,
    PACK_MAP,
    PACK_BAD
} pack_kind;

typedef struct object {
    pack_kind   kind;
    uint64_t    u; /* the value; for arrays and maps the number of objects that follow (two per map member) */
    double      d;
    const char *s;
    size_t      len;
} object;

static object
read_text(ncz_cursor *c, uint64_t len)
{
    const unsigned char *p = ncz_cursor_bytes(c, len < SIZE_MAX ? (size_t)len : SIZE_MAX);

    return (object){.kind = PACK_TEXT, .s = (const char *)p, .len = (size_t)len};
}

static object
read_real(ncz_cursor *c, size_t n)
{
    uint64_t bits = ncz_cursor_be(c, n);
    uint32_t half = (uint32_t)bits;
    object   o = {.kind = n == 4 ? PACK_FLOAT : PACK_DOUBLE};
    float    f;

    if (n == 8) {
        memcpy(&o.d, &bits, sizeof o.d);
        return o;
    }
    memcpy(&f, &half, sizeof f);
    o.d = (double)f;
    return o;
}

static object
read_int(ncz_cursor *c, size_t n)
{
    uint64_t v = ncz_cursor_be(c, n);
    unsigned up = 64 - 8 * (unsigned)n;

    v = v << up; /* sign extension: the sign to the top bit and back */
    return (object){.kind = PACK_INT, .u = (uint64_t)((int64_t)v >> up)};
}

/* Reads the head of an object and its value. The items of an array or a map follow it. */
static object
read_object(ncz_cursor *c)
{
    uint8_t b = ncz_cursor_u8(c);

    if (b < 0x80)
        return (object){.kind = PACK_UINT, .u = b};
    if (b < 0x90)
        return (object){.kind = PACK_MAP, .u = 2 * (uint64_t)(b & 15)};
    if (b < 0xa0)
        return (object){.kind = PACK_ARRAY, .u = b & 15};
    if (b < 0xc0)
        return read_text(c, b & 31);
    if (b >= 0xe0)
        return (object){.kind = PACK_INT, .u = (uint64_t)(int64_t)(int8_t)b};
    switch (b) {
    case 0xc0: return (object){.kind = PACK_NIL};
    case 0xc2:
    case 0xc3: return (object){.kind = PACK_BOOL, .u = b & 1};
    case 0xc4:
    case 0xc5:
    case 0xc6: return read_text(c, ncz_cursor_be(c, (size_t)1 << (b - 0xc4)));
    case 0xca:
    case 0xcb: return read_real(c, b == 0xca ? 4 : 8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return (object){.kind = PACK_UINT, .u = ncz_cursor_be(c, (size_t)1 << (b - 0xcc))};
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return read_int(c, (size_t)1 << (b - 0xd0));
    case 0xd9:
    case 0xda:
    case 0xdb: return read_text(c, ncz_cursor_be(c, (size_t)1 << (b - 0xd9)));
    case 0xdc:
    case 0xdd: return (object){.kind = PACK_ARRAY, .u = ncz_cursor_be(c, b == 0xdc ? 2 : 4)};
    case 0xde:
    case 0xdf: return (object){.kind = PACK_MAP, .u = 2 * ncz_cursor_be(c, b == 0xde ? 2 : 4)};
    default: return (object){.kind = PACK_BAD};
    }
}

static int
fail_object(const ncz_cursor *c, size_t n)
{
    return c->good ? ncz_fail(NC_EFILTER, "codec 'msgpack2': no known object at byte %zu", c->pos)
                   : ncz_codec_cut_short("msgpack2", n);
}

static bool
has_items(const object *o)
{
    return o->kind == PACK_ARRAY || o->kind == PACK_MAP;
}

/* Skips one object with all its items. Each takes at least a byte, so a false count ends with the input. */
static bool
skip_object(ncz_cursor *c)
{
    uint64_t left = 1;

    while (left > 0 && c->good) {
        object o = read_object(c);

        if (o.kind == PACK_BAD)
            return false;
        left--;
        if (has_items(&o))
            left += o.u; /* no overflow: at most 2^33 each, and no more of them than bytes */
    }
    return c->good;
}

/* ---- an object as JSON --------------------------------------------------------------------------------- */

static bool write_json(ncz_cursor *c, const object *o, size_t depth, ncz_jsonw *w);

static bool
write_items(ncz_cursor *c, const object *o, size_t depth, ncz_jsonw *w)
{
    if (depth == DEPTH)
        return false;
    ncz_jsonw_open_array(w);
    for (uint64_t i = 0; i < o->u && w->status == NC_NOERR; i++) {
        object item = read_object(c);

        if (!c->good || !write_json(c, &item, depth + 1, w))
            return false;
    }
    ncz_jsonw_close_array(w);
    return true;
}

/* Writes a map key as JSON text. Only plain values can be keys in JSON. */
static bool
write_name(ncz_cursor *c, const object *o, ncz_jsonw *w)
{
    ncz_buf   text = NCZ_BUF_INIT;
    ncz_jsonw in = ncz_jsonw_on(&text);
    bool      good = false;

    if (o->kind == PACK_TEXT) {
        if ((w->status == NC_NOERR) && (w->status = ncz_codec_append_utf8(&text, o->s, o->len)) == NC_NOERR)
            good = strlen(ncz_buf_str(&text)) == text.len;
    } else {
        good = !has_items(o) && write_json(c, o, 0, &in) && ncz_jsonw_end(&in) == NC_NOERR;
    }
    if (good)
        ncz_jsonw_key(w, ncz_buf_str(&text));
    ncz_buf_clear(&text);
    return good;
}

static bool
write_members(ncz_cursor *c, const object *o, size_t depth, ncz_jsonw *w)
{
    if (depth == DEPTH)
        return false;
    ncz_jsonw_open_object(w);
    for (uint64_t i = 0; i < o->u && w->status == NC_NOERR; i += 2) {
        object name = read_object(c), value;

        if (!c->good || !write_name(c, &name, w))
            return false;
        value = read_object(c);
        if (!c->good || !write_json(c, &value, depth + 1, w))
            return false;
    }
    ncz_jsonw_close_object(w);
    return true;
}

static bool
write_text(const object *o, ncz_jsonw *w)
{
    ncz_buf text = NCZ_BUF_INIT;
    int     rc = ncz_codec_append_utf8(&text, o->s, o->len);

    if (rc == NC_NOERR)
        ncz_jsonw_str(w, ncz_buf_str(&text), text.len);
    else if (w->status == NC_NOERR)
        w->status = rc;
    ncz_buf_clear(&text);
    return true;
}

/* False: the object has no form in JSON. Other failures are in the writer's status. */
static bool
write_json(ncz_cursor *c, const object *o, size_t depth, ncz_jsonw *w)
{
    switch (o->kind) {
    case PACK_NIL: ncz_jsonw_null(w); return true;
    case PACK_BOOL: ncz_jsonw_bool(w, o->u != 0); return true;
    case PACK_INT: ncz_jsonw_i64(w, (int64_t)o->u); return true;
    case PACK_UINT: ncz_jsonw_u64(w, o->u); return true;
    case PACK_FLOAT: ncz_jsonw_f32(w, (float)o->d); return true;
    case PACK_DOUBLE: ncz_jsonw_f64(w, o->d); return true;
    case PACK_TEXT: return write_text(o, w);
    case PACK_ARRAY: return write_items(c, o, depth, w);
    case PACK_MAP: return write_members(c, o, depth, w);
    case PACK_BAD: break;
    }
    return false;
}

/* ---- the elements -------------------------------------------------------------------------------------- */

typedef struct reading {
    ncz_cursor at;
    ncz_nested shape;
    ncz_buf   *out;
} reading;

static int
read_element(reading *r)
{
    size_t    place = ncz_nested_next(&r->shape);
    object    o = read_object(&r->at);
    ncz_buf   text = NCZ_BUF_LIMIT(r->out->limit);
    ncz_jsonw w = ncz_jsonw_on(&text);
    int       rc;

    if (!r->at.good)
        return fail_object(&r->at, r->at.len);
    if (o.kind == PACK_NIL)
        return NC_NOERR;
    if (o.kind == PACK_TEXT)
        return ncz_vlen_set(r->out, place, (ncz_vlen_item){o.s, o.len, NCZ_VLEN_STRING});
    if (!write_json(&r->at, &o, 0, &w))
        rc = w.status != NC_NOERR ? w.status : fail_object(&r->at, r->at.len);
    else if ((rc = ncz_jsonw_end(&w)) == NC_NOERR)
        rc = ncz_vlen_set(r->out, place, (ncz_vlen_item){text.data, text.len, NCZ_VLEN_VALUE});
    ncz_buf_clear(&text);
    return rc;
}

static int
read_level(reading *r, size_t d)
{
    object o;
    int    rc = NC_NOERR;

    if (d == r->shape.rank)
        return read_element(r);
    if (d > 0) { /* the outermost array is the document itself */
        o = read_object(&r->at);
        if (!r->at.good || o.kind != PACK_ARRAY || o.u != r->shape.shape.v[d])
            return ncz_nested_misfit(&r->shape);
    }
    for (uint64_t i = 0; rc == NC_NOERR && i < r->shape.shape.v[d]; i++)
        rc = read_level(r, d + 1);
    return rc;
}

/* Reads what follows the elements: skips the dtype, reads the shape. */
static int
read_shape(ncz_cursor *c, ncz_nested *shape)
{
    object o;
    int    rc;

    (void)skip_object(c);
    o = read_object(c);
    if (!c->good || o.kind != PACK_ARRAY || o.u == 0 || o.u > DEPTH)
        return ncz_fail(NC_EFILTER, "codec 'msgpack2': no shape at the end of its array");
    if ((rc = ncz_nested_init(shape, "msgpack2", (size_t)o.u)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < shape->rank; d++) {
        o = read_object(c);
        shape->shape.v[d] = o.u;
        if (!c->good || o.kind != PACK_UINT)
            return ncz_fail(NC_EFILTER, "codec 'msgpack2': its shape is not a list of lengths");
    }
    return NC_NOERR;
}

static int
msgpack2_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems, ncz_buf *out)
{
    reading    r = {.at = ncz_cursor_at(in, n), .out = out};
    ncz_cursor c;
    object     whole = read_object(&r.at);
    int        rc;

    (void)state;
    if (!r.at.good || whole.kind != PACK_ARRAY || whole.u < 2)
        return ncz_fail(NC_EFILTER, "codec 'msgpack2': not an array of elements, dtype and shape");
    if (nelems > n)
        return ncz_codec_cut_short("msgpack2", n);
    c = r.at;
    for (uint64_t i = 0; i < whole.u - 2; i++)
        if (!skip_object(&c))
            return fail_object(&c, n);
    if ((rc = read_shape(&c, &r.shape)) != NC_NOERR || (rc = ncz_nested_check(&r.shape, type, nelems)) != NC_NOERR)
        goto done;
    if (r.shape.shape.v[0] != whole.u - 2)
        rc = ncz_nested_misfit(&r.shape);
    else if ((rc = ncz_vlen_begin(out, nelems)) == NC_NOERR)
        rc = read_level(&r, 0);
    if (rc == NC_NOERR)
        ncz_codec_tail("msgpack2", n - c.pos);
done:
    ncz_nested_clear(&r.shape);
    return rc;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Appends a head: one byte and `n` big-endian bytes. */
static int
append_head(ncz_buf *out, unsigned head, uint64_t v, size_t n)
{
    char bytes[9] = {(char)head};

    for (size_t i = 0; i < n; i++)
        bytes[1 + i] = (char)(v >> 8 * (n - 1 - i));
    return ncz_buf_append(out, bytes, 1 + n);
}

static int
append_count(ncz_buf *out, unsigned head, uint64_t n)
{
    return n <= UINT32_MAX ? append_head(out, head, n, 4)
                           : ncz_fail(NC_EFILTER, "codec 'msgpack2': more items than it can count");
}

static int
append_text(ncz_buf *out, const char *s, size_t len)
{
    bool utf8 = ncz_utf8_valid(s, len);
    int  rc;

    if (utf8 && len < 32)
        rc = append_head(out, 0xa0 | (unsigned)len, 0, 0);
    else if (len < 256)
        rc = append_head(out, utf8 ? 0xd9 : 0xc4, len, 1);
    else if (len < 65536)
        rc = append_head(out, utf8 ? 0xda : 0xc5, len, 2);
    else
        rc = append_count(out, utf8 ? 0xdb : 0xc6, len);
    return rc != NC_NOERR ? rc : ncz_buf_append(out, s, len);
}

static int
append_number(ncz_buf *out, const ncz_json *v)
{
    uint64_t u = 0;
    int64_t  i = 0;
    double   d = 0;

    if (ncz_json_u64(v, &u))
        return u < 128 ? append_head(out, (unsigned)u, 0, 0) : append_head(out, 0xcf, u, 8);
    if (ncz_json_i64(v, &i))
        return i >= -32 ? append_head(out, (unsigned)(i & 0xff), 0, 0) : append_head(out, 0xd3, (uint64_t)i, 8);
    (void)ncz_json_f64(v, &d);
    memcpy(&u, &d, sizeof u);
    return append_head(out, 0xcb, u, 8);
}

/* The parser's limit bounds the depth of the recursion. */
static int
append_json(ncz_buf *out, const ncz_json *v)
{
    bool        map = ncz_json_is(v, NCZ_JSON_OBJECT), b = false;
    size_t      n = ncz_json_len(v), len;
    const char *s = ncz_json_str(v, &len);
    int         rc;

    if (s != NULL)
        return append_text(out, s, len);
    if (ncz_json_is(v, NCZ_JSON_NULL))
        return append_head(out, 0xc0, 0, 0);
    if (ncz_json_bool(v, &b))
        return append_head(out, b ? 0xc3 : 0xc2, 0, 0);
    if (!map && !ncz_json_is(v, NCZ_JSON_ARRAY))
        return append_number(out, v);
    rc = append_count(out, map ? 0xdf : 0xdd, n);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        if (map)
            rc = append_text(out, ncz_json_key(v, i), strlen(ncz_json_key(v, i)));
        if (rc == NC_NOERR)
            rc = append_json(out, ncz_json_at(v, i));
    }
    return rc;
}

static int
append_element(ncz_buf *out, ncz_vlen_item text)
{
    ncz_json *v = NULL;
    int       rc;

    if (text.what == NCZ_VLEN_NONE)
        return append_head(out, 0xc0, 0, 0);
    if (text.what == NCZ_VLEN_STRING)
        return append_text(out, text.s, text.len);
    if ((rc = ncz_codec_text_json("msgpack2", text, &v)) == NC_NOERR)
        rc = append_json(out, v);
    ncz_json_free(v);
    return rc;
}

static int
msgpack2_encode(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out)
{
    size_t n = ncz_vlen_len(in);
    int    rc = append_count(out, 0xdd, (uint64_t)n + 2);

    (void)state;
    (void)type;
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = append_element(out, ncz_vlen_at(in, i));
    if (rc == NC_NOERR && (rc = append_text(out, "|O", 2)) == NC_NOERR &&
        (rc = append_head(out, 0x91, 0, 0)) == NC_NOERR)
        rc = n < 128 ? append_head(out, (unsigned)n, 0, 0) : append_head(out, 0xcf, n, 8);
    return rc;
}

const ncz_codec_ops ncz_codec_msgpack2 = {
    .id = "msgpack2",
    .members = {"raw", "use_single_float", "use_bin_type"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .encode_vlen = msgpack2_encode,
    .decode_vlen = msgpack2_decode,
};
