/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vlen-utf8, vlen-bytes, vlen-array as in numcodecs: the number of items, then each item's length in bytes and its
 * bytes. Numbers take four little-endian bytes. An item of vlen-array is a sequence of numbers: where the array's
 * elements are strings, the text of a JSON list. In vlen-bytes a sequence is its numbers, little-endian, and a packed
 * element its bytes.
 */
#include "codecs/codec_int.h"

#include <string.h>

#define WORD 4

static int
put_word(ncz_buf *out, const char *codec, size_t v)
{
    char bytes[WORD];

    if (v > UINT32_MAX)
        return ncz_fail(NC_EFILTER, "codec '%s': %zu is more than it can count", codec, v);
    ncz_codec_put_u32le(bytes, v);
    return ncz_buf_append(out, bytes, WORD);
}

/* Writes the length of the bytes that were appended after `from`. */
static int
end_item(ncz_buf *out, const char *codec, size_t from)
{
    size_t len = out->len - from;

    if (len > UINT32_MAX)
        return ncz_fail(NC_EFILTER, "codec '%s': an item of %zu bytes is too long", codec, len);
    for (int i = 0; i < WORD; i++)
        out->data[from - WORD + (size_t)i] = (char)(len >> 8 * i);
    out->data[out->len] = '\0';
    return NC_NOERR;
}

/* Encodes and decodes one item. `state` is the functions' own. */
typedef struct item_fns {
    const char *codec;
    int (*encode)(const void *state, ncz_vlen_item text, ncz_buf *out);
    int (*decode)(const void *state, const unsigned char *bytes, size_t n, size_t i, ncz_buf *out);
} item_fns;

static int
encode_items(const item_fns *fns, const void *state, const ncz_vlen_block *in, ncz_buf *out)
{
    size_t n = ncz_vlen_len(in), table;
    int    rc = put_word(out, fns->codec, n);

    if (rc == NC_NOERR && ncz_vlen_bound(n, &table))
        rc = ncz_buf_reserve(out, ncz_vlen_nbytes(in) - table + n * WORD); /* more where elements share bytes */
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        size_t from;

        if ((rc = ncz_buf_reserve(out, WORD)) != NC_NOERR)
            return rc;
        from = out->len += WORD;
        if ((rc = fns->encode(state, ncz_vlen_at(in, i), out)) == NC_NOERR)
            rc = end_item(out, fns->codec, from);
    }
    return rc;
}

static int
decode_items(const item_fns *fns, const void *state, const void *in, size_t n, size_t nelems, ncz_buf *out)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint32_t   count = ncz_cursor_u32le(&at);
    int        rc;

    if (!at.good)
        return ncz_codec_cut_short(fns->codec, n);
    if ((rc = ncz_codec_count(fns->codec, count, nelems)) != NC_NOERR)
        return rc;
    if (nelems > (n - WORD) / WORD)
        return ncz_codec_cut_short(fns->codec, n);
    if ((rc = ncz_vlen_begin(out, nelems)) != NC_NOERR ||
        (rc = ncz_buf_reserve(out, n - WORD - nelems * WORD)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < nelems; i++) {
        uint32_t             len = ncz_cursor_u32le(&at);
        const unsigned char *bytes = ncz_cursor_bytes(&at, len);

        if (!at.good)
            return ncz_codec_cut_short(fns->codec, n);
        if ((rc = fns->decode(state, bytes, len, i, out)) != NC_NOERR)
            return rc;
    }
    ncz_codec_tail(fns->codec, n - at.pos);
    return NC_NOERR;
}

/* ---- texts and bytes ----------------------------------------------------------------------------------- */

/* An item that was never written is stored as an empty one: no codec of the field has a form for it. */
static int
encode_bytes(const void *state, ncz_vlen_item text, ncz_buf *out)
{
    (void)state;
    return text.what == NCZ_VLEN_NONE ? NC_NOERR : ncz_buf_append(out, text.s, text.len);
}

static int
encode_utf8(const void *state, ncz_vlen_item text, ncz_buf *out)
{
    (void)state;
    return text.what == NCZ_VLEN_NONE ? NC_NOERR : ncz_codec_append_utf8(out, text.s, text.len);
}

static int
decode_bytes(const void *state, const unsigned char *bytes, size_t n, size_t i, ncz_buf *out)
{
    (void)state;
    return ncz_vlen_set(out, i, (ncz_vlen_item){(const char *)bytes, n, NCZ_VLEN_STRING});
}

/* ---- sequences: numbers of a stored type <-> those in memory ------------------------------------------------- */

/* `state` is the stored type of the numbers here, which depends on the array and not on the codec. */
static int
encode_sequence(const void *state, ncz_vlen_item item, ncz_buf *out)
{
    const ncz_dtype *t = state;
    const ncz_type  *mem = ncz_dtype_type(t);
    size_t           n = item.what == NCZ_VLEN_NONE ? 0 : item.len / mem->size, nbytes;
    int              rc;

    if (n == 0)
        return NC_NOERR;
    if (!ncz_mul(n, t->size, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((rc = ncz_buf_reserve(out, nbytes)) != NC_NOERR)
        return rc;
    (void)ncz_convert_in(mem, item.s, t, out->data + out->len, n, false);
    out->len += nbytes;
    return NC_NOERR;
}

static int
decode_sequence(const void *state, const unsigned char *bytes, size_t n, size_t i, ncz_buf *out)
{
    const ncz_dtype *t = state;
    const ncz_type  *mem = ncz_dtype_type(t);
    ncz_buf          numbers = NCZ_BUF_LIMIT(out->limit);
    size_t           nbytes;
    int              rc;

    if (n % t->size != 0)
        return ncz_fail(NC_EFILTER, "an item of %zu bytes is not a run of elements of %zu", n, t->size);
    if (!ncz_mul(n / t->size, mem->size, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((rc = ncz_buf_reserve(&numbers, nbytes)) == NC_NOERR) {
        (void)ncz_convert_out(t, bytes, mem, numbers.data, n / t->size, false);
        rc = ncz_vlen_set(out, i, (ncz_vlen_item){numbers.data, nbytes, NCZ_VLEN_STRING});
    }
    ncz_buf_clear(&numbers);
    return rc;
}

/* Packed elements are read without checks later, so what is in them is checked once, here. */
static int
decode_packed(const void *state, const unsigned char *bytes, size_t n, size_t i, ncz_buf *out)
{
    int rc = ncz_packed_check(((const ncz_dtype *)state)->items, bytes, n);

    return rc == NC_NOERR ? decode_bytes(state, bytes, n, i, out) : rc;
}

static const item_fns utf8_fns = {"vlen-utf8", encode_utf8, decode_bytes};
static const item_fns bytes_fns = {"vlen-bytes", encode_bytes, decode_bytes};
static const item_fns packed_fns = {"vlen-bytes", encode_bytes, decode_packed};

static int
vlen_utf8_encode(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out)
{
    (void)type;
    return encode_items(&utf8_fns, state, in, out);
}

static int
vlen_utf8_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems, ncz_buf *out)
{
    (void)type;
    return decode_items(&utf8_fns, state, in, n, nelems, out);
}

static const item_fns numbers_fns = {"vlen-bytes", encode_sequence, decode_sequence};

/* The numbers of sequences as bytes have them. */
static ncz_dtype
little_endian(const ncz_type *items)
{
    return ncz_dtype_of(items->class == NCZ_TYPE_CHAR ? ncz_type_of(NC_UBYTE) : items, false, 0);
}

static int
vlen_bytes_encode(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out)
{
    ncz_dtype t;

    if (type->dtype.items == NULL || ncz_dtype_is_packed(&type->dtype))
        return encode_items(&bytes_fns, state, in, out);
    t = little_endian(type->dtype.items);
    return encode_items(&numbers_fns, &t, in, out);
}

static int
vlen_bytes_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems,
                  ncz_buf *out)
{
    ncz_dtype t;

    if (ncz_dtype_is_packed(&type->dtype))
        return decode_items(&packed_fns, &type->dtype, in, n, nelems, out);
    if (type->dtype.items == NULL)
        return decode_items(&bytes_fns, state, in, n, nelems, out);
    t = little_endian(type->dtype.items);
    return decode_items(&numbers_fns, &t, in, n, nelems, out);
}

/* Its items are bytes, so any numbers can be in them; only the array's type tells which. */
static bool
vlen_bytes_sequences(const void *state, const ncz_type *items)
{
    (void)state;
    (void)items;
    return true;
}

/* ---- sequences of numbers ----------------------------------------------------------------------------------- */

typedef struct array_state {
    ncz_dtype dtype; /* of the numbers */
} array_state;

static int
array_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                void *state)
{
    array_state *s = state;

    (void)in;
    (void)rules;
    return ncz_codec_read_type(config, ops->id, "dtype", NCZ_TYPE_CLASS_BOOL | NCZ_TYPE_CLASS_HALF, &s->dtype);
}

static void
array_describe(const void *state, ncz_jsonw *w)
{
    const array_state *s = state;

    ncz_codec_write_type(&s->dtype, "dtype", w);
}

static void
write_number(const ncz_dtype *t, const unsigned char *elem, ncz_jsonw *w)
{
    uint64_t u = 0;
    int64_t  i = 0;
    double   d = 0;
    float    f = 0;

    if (t->kind == NCZ_KIND_BOOL) {
        ncz_jsonw_bool(w, elem[0] != 0);
    } else if (t->kind == NCZ_KIND_UINT) {
        (void)ncz_convert_out(t, elem, ncz_type_of(NC_UINT64), &u, 1, false);
        ncz_jsonw_u64(w, u);
    } else if (t->kind == NCZ_KIND_INT) {
        (void)ncz_convert_out(t, elem, ncz_type_of(NC_INT64), &i, 1, false);
        ncz_jsonw_i64(w, i);
    } else if (t->size == 8) {
        (void)ncz_convert_out(t, elem, ncz_type_of(NC_DOUBLE), &d, 1, false);
        ncz_jsonw_f64(w, d);
    } else {
        (void)ncz_convert_out(t, elem, ncz_type_of(NC_FLOAT), &f, 1, false);
        ncz_jsonw_f32(w, f);
    }
}

static int
decode_run(const void *state, const unsigned char *bytes, size_t n, size_t i, ncz_buf *out)
{
    ncz_dtype t = ((const array_state *)state)->dtype;
    ncz_buf   text = NCZ_BUF_LIMIT(out->limit);
    ncz_jsonw w = ncz_jsonw_on(&text);
    int       rc;

    if (n % t.size != 0)
        return ncz_fail(NC_EFILTER, "codec 'vlen-array': an item of %zu bytes is not a run of elements of %zu", n,
                        t.size);
    ncz_jsonw_open_array(&w);
    for (size_t at = 0; at < n; at += t.size)
        write_number(&t, bytes + at, &w);
    ncz_jsonw_close_array(&w);
    if ((rc = ncz_jsonw_end(&w)) == NC_NOERR)
        rc = ncz_vlen_set(out, i, (ncz_vlen_item){text.data, text.len, NCZ_VLEN_VALUE});
    ncz_buf_clear(&text);
    return rc;
}

/* Reads a number, or the name of one that JSON lacks: "NaN", "Infinity", "-Infinity". */
static bool
parse_double(const ncz_json *v, double *out)
{
    const char *s = ncz_json_cstr(v);
    const char *minus;

    if (ncz_json_f64(v, out))
        return true;
    if (s == NULL)
        return false;
    if (strcmp(s, "NaN") == 0) {
        *out = (double)__builtin_nanf("");
        return true;
    }
    minus = s[0] == '-' ? s + 1 : s;
    *out = s == minus ? __builtin_inf() : -__builtin_inf();
    return strcmp(minus, "Infinity") == 0;
}

static bool
parse_number(const ncz_json *v, const ncz_dtype *t, char *elem)
{
    uint64_t u = 0;
    int64_t  i = 0;
    double   d = 0;
    bool     b = false;

    if (t->kind == NCZ_KIND_BOOL) {
        if (!ncz_json_bool(v, &b))
            return false;
        elem[0] = (char)b;
        return true;
    }
    if (t->kind == NCZ_KIND_UINT)
        return ncz_json_u64(v, &u) && ncz_convert_in(ncz_type_of(NC_UINT64), &u, t, elem, 1, false) == NC_NOERR;
    if (t->kind == NCZ_KIND_INT)
        return ncz_json_i64(v, &i) && ncz_convert_in(ncz_type_of(NC_INT64), &i, t, elem, 1, false) == NC_NOERR;
    return parse_double(v, &d) && ncz_convert_in(ncz_type_of(NC_DOUBLE), &d, t, elem, 1, false) == NC_NOERR;
}

static int
encode_run(const void *state, ncz_vlen_item text, ncz_buf *out)
{
    ncz_dtype t = ((const array_state *)state)->dtype;
    ncz_json *list = NULL;
    int       rc = NC_NOERR;

    if (text.len == 0)
        return NC_NOERR;
    if ((rc = ncz_codec_text_json("vlen-array", text, &list)) != NC_NOERR)
        return rc;
    if (!ncz_json_is(list, NCZ_JSON_ARRAY))
        rc = ncz_fail(NC_EFILTER, "codec 'vlen-array': %.*s is not a list of numbers",
                      (int)(text.len > 40 ? 40 : text.len), text.s);
    for (size_t i = 0; rc == NC_NOERR && i < ncz_json_len(list); i++) {
        char elem[8];

        if (parse_number(ncz_json_at(list, i), &t, elem))
            rc = ncz_buf_append(out, elem, t.size);
        else
            rc = ncz_fail(NC_EFILTER, "codec 'vlen-array': item %zu of %.*s is not a value of its type", i,
                          (int)(text.len > 40 ? 40 : text.len), text.s);
    }
    ncz_json_free(list);
    return rc;
}

static const item_fns lists_fns = {"vlen-array", encode_run, decode_run};
static const item_fns array_fns = {"vlen-array", encode_sequence, decode_sequence};

static int
vlen_array_encode(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out)
{
    const array_state *s = state;

    return type->dtype.items == NULL ? encode_items(&lists_fns, s, in, out)
                                     : encode_items(&array_fns, &s->dtype, in, out);
}

static int
vlen_array_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems,
                  ncz_buf *out)
{
    const array_state *s = state;

    return type->dtype.items == NULL ? decode_items(&lists_fns, s, in, n, nelems, out)
                                     : decode_items(&array_fns, &s->dtype, in, n, nelems, out);
}

/* Characters are stored as the bytes that they are: numpy cuts its own at a zero. */
static bool
vlen_array_sequences(const void *state, const ncz_type *items)
{
    const ncz_type *numbers = ncz_dtype_type(&((const array_state *)state)->dtype);

    return numbers == (items->class == NCZ_TYPE_CHAR ? ncz_type_of(NC_UBYTE) : items);
}

const ncz_codec_ops ncz_codec_vlen_utf8 = {
    .id = "vlen-utf8",
    .v3_name = "vlen-utf8",
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .encode_vlen = vlen_utf8_encode,
    .decode_vlen = vlen_utf8_decode,
};

const ncz_codec_ops ncz_codec_vlen_bytes = {
    .id = "vlen-bytes",
    .v3_name = "vlen-bytes",
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .encode_vlen = vlen_bytes_encode,
    .decode_vlen = vlen_bytes_decode,
    .sequences = vlen_bytes_sequences,
};

const ncz_codec_ops ncz_codec_vlen_array = {
    .id = "vlen-array",
    .members = {"dtype"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .state_size = sizeof(array_state),
    .config.from_json = array_from_json,
    .config.describe = array_describe,
    .encode_vlen = vlen_array_encode,
    .decode_vlen = vlen_array_decode,
    .sequences = vlen_array_sequences,
};
