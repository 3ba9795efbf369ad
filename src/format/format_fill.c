/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fill_value in every form that writers use: null, a number, true, "NaN", "-9999", text, base64, "NaT", a list of one
 * (netCDF-C 4.8.0).
 *
 * Byte strings: the Zarr specification requires base64; netCDF-C reads and writes plain text. We write base64 in pure
 * Zarr. Beside NCZarr keys we write plain text, unless decoding readers would fail on it, and so on the whole group:
 * then base64, recorded by "fill": "base64" among the array's keys. Reading follows the same rule; a text longer than
 * the element is always taken as base64, and a text that is not base64 always as plain.
 */
#include "format/format_int.h"

#include <string.h>

static int
bad_fill(const ncz_json *v)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    return ncz_fail(NC_EZARRMETA, "fill_value %.*s is no value of its dtype", (int)(len > 60 ? 60 : len), text);
}

static int
value_copy(const void *elem, size_t nbytes, ncz_fill_mode *mode, void **fill)
{
    if ((*fill = ncz_dup(elem, nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    *mode = NCZ_FILL_VALUE;
    return NC_NOERR;
}

bool
ncz_format_is_default(const ncz_json *v, const ncz_type *type)
{
    double d;

    return type->class == NCZ_TYPE_FLOAT && ncz_json_f64(v, &d) && d == NCZ_SIX_DIGIT_DEFAULT;
}

int
ncz_format_fill_number(const void *elem, const ncz_type *type, ncz_fill_mode *mode, void **fill)
{
    if (memcmp(elem, type->fill, type->size) == 0) {
        *mode = NCZ_FILL_DEFAULT;
        return NC_NOERR;
    }
    return value_copy(elem, type->size, mode, fill);
}

/* Some writers quote numbers. *out: that number, to be freed; NULL if the text is not a number. */
static int
unquote_number(const ncz_json *v, ncz_json **out)
{
    size_t              len = 0;
    const char         *text = ncz_json_str(v, &len);
    const ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 1, .nbytes = len};
    int                 rc;

    *out = NULL;
    if (text == NULL || len == 0 || !(text[0] == '-' || (text[0] >= '0' && text[0] <= '9')))
        return NC_NOERR;
    rc = ncz_json_parse(text, len, &opts, out, NULL);
    if (rc == NC_EZARRMETA) { /* "-Infinity", or not a number */
        ncz_err_clear();
        return NC_NOERR;
    }
    return rc;
}

static int
parse_number(const ncz_json *v, const ncz_stored_type *st, ncz_fill_mode *mode, void **fill)
{
    char elem[sizeof(uint64_t)];

    if (st->units[0] != '\0' && ncz_json_str_is(v, "NaT")) {
        int64_t nat = INT64_MIN;

        return value_copy(&nat, sizeof nat, mode, fill);
    }
    if (ncz_format_is_default(v, st->type)) {
        *mode = NCZ_FILL_DEFAULT;
        return NC_NOERR;
    }
    if (!ncz_format_number(v, st->type, elem))
        return bad_fill(v);
    return ncz_format_fill_number(elem, st->type, mode, fill);
}

/* Decodes base64 of 1 to `cap` bytes into `out`; false if the text is anything else. */
static bool
take_base64(const char *text, size_t len, void *out, size_t cap, size_t *used)
{
    size_t at;

    if (len == 0 || len % 4 != 0 || ncz_base64_bytes(text, len) > cap)
        return false;
    *used = ncz_base64_bytes(text, len);
    return ncz_base64_get(text, len, out, &at);
}

static int
parse_char(const ncz_json *v, bool plain, ncz_fill_mode *mode, void **fill)
{
    unsigned char byte;
    int8_t        number;
    size_t        len = 0, used;
    const char   *text = ncz_json_str(v, &len);

    if (text == NULL) { /* 0 means no fill character */
        if (!ncz_format_number(v, ncz_type_of(NC_BYTE), &number) || number != 0)
            return bad_fill(v);
        len = 0;
    }
    *mode = NCZ_FILL_DEFAULT;
    if (len == 0)
        return NC_NOERR;
    if (!((len > 1 || !plain) && take_base64(text, len, &byte, 1, &used) && used == 1))
        byte = (unsigned char)text[0];
    return byte == 0 ? NC_NOERR : value_copy(&byte, 1, mode, fill);
}

/* A byte string's text in newly allocated memory, decoded if it is base64. */
static char *
bytes_text(const char *text, size_t len, size_t item, bool plain)
{
    unsigned char *raw;
    size_t         used;

    if (len == 0 || (plain && len <= item))
        return ncz_strndup(text, len);
    if ((raw = ncz_zalloc(item + 1)) == NULL)
        return NULL;
    if (take_base64(text, len, raw, item, &used)) {
        raw[used] = '\0';
        return (char *)raw;
    }
    ncz_free(raw);
    return ncz_strndup(text, len);
}

static int
parse_string(const ncz_json *v, const ncz_stored_type *st, bool plain, ncz_fill_mode *mode, void **fill)
{
    int64_t     number;
    size_t      len = 0;
    const char *text = ncz_json_str(v, &len);
    bool        objects = st->dtype.kind == NCZ_KIND_OBJECT;
    char      **slot;

    if (text == NULL) {
        bool zero = ncz_json_i64(v, &number) && number == 0;

        if (!zero && !objects)
            return bad_fill(v);
        len = 0;
        if (!zero) /* any other value: its JSON text */
            text = ncz_json_slice(v, &len);
    }
    *mode = NCZ_FILL_DEFAULT;
    if (len == 0)
        return NC_NOERR;
    if ((slot = ncz_zalloc(sizeof *slot)) == NULL)
        return ncz_fail_nomem(sizeof *slot);
    *slot = objects || st->dtype.kind == NCZ_KIND_UCS4 ? ncz_strndup(text, len)
                                                       : bytes_text(text, len, st->dtype.size, plain);
    if (*slot == NULL) {
        ncz_free(slot);
        return ncz_fail_nomem(len);
    }
    *mode = NCZ_FILL_VALUE;
    *fill = slot;
    return NC_NOERR;
}

int
ncz_format_fill_parse(const ncz_json *v, const ncz_stored_type *st, bool plain, ncz_fill_mode *mode, void **fill)
{
    ncz_json *number = NULL;
    int       rc;

    *fill = NULL;
    *mode = NCZ_FILL_NONE;
    if (st->type->class != NCZ_TYPE_NONE && ncz_json_is(v, NCZ_JSON_ARRAY) && ncz_json_len(v) == 1)
        v = ncz_json_at(v, 0);
    if (st->type->class == NCZ_TYPE_NONE || ncz_json_is(v, NCZ_JSON_NULL))
        return NC_NOERR;
    if (st->type->class == NCZ_TYPE_CHAR)
        return parse_char(v, plain, mode, fill);
    if (st->type->class == NCZ_TYPE_STRING)
        return parse_string(v, st, plain, mode, fill);
    if ((rc = unquote_number(v, &number)) == NC_NOERR)
        rc = parse_number(number != NULL ? number : v, st, mode, fill);
    ncz_json_free(number);
    return rc;
}

/* ---- writing ---- */

/* The bytes of a character or string fill value; none if it is unset or empty. */
static const char *
fill_bytes(const ncz_var *v, size_t *len)
{
    const void *value = v->fill_mode == NCZ_FILL_VALUE ? v->fill : NULL;
    const char *s = v->type->class == NCZ_TYPE_CHAR ? value : value != NULL ? *(const char *const *)value : NULL;

    *len = s == NULL ? 0 : v->type->class == NCZ_TYPE_CHAR ? (*s != '\0') : strlen(s);
    return s;
}

/*
 * True if a base64 decoder accepts this text, even if it decodes to something else. The decoder is Python's, which
 * skips ASCII characters outside the alphabet, but refuses other bytes.
 */
static bool
is_decodable(const char *s, size_t len)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t            n = 0, pads = 0;

    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)s[i] >= 0x80)
            return false;
        if (s[i] == '=' && n % 4 >= 2 && n % 4 + ++pads >= 4)
            return true;
        if (s[i] == '=' || strchr(letters, s[i]) == NULL)
            continue;
        n++;
        pads = 0;
    }
    return n % 4 == 0;
}

/* True for byte strings. UCS-4 and objects are plain text to every reader. */
static bool
is_bytes(const ncz_var *v)
{
    return v->dtype.kind == NCZ_KIND_CHAR || v->dtype.kind == NCZ_KIND_BYTES;
}

bool
ncz_format_fill_marked(const ncz_var *v)
{
    size_t      len;
    const char *s;

    if (!is_bytes(v) || v->fill_text != NULL)
        return false;
    s = fill_bytes(v, &len);
    return len > 0 && !is_decodable(s, len);
}

bool
ncz_format_fill_is_null(const ncz_var *v)
{
    return v->fill_mode == NCZ_FILL_DEFAULT && v->fill_null && v->fill_text == NULL;
}

static int
write_bytes(const ncz_var *v, bool pure, ncz_jsonw *w)
{
    ncz_buf     text = NCZ_BUF_INIT;
    size_t      len;
    const char *s = fill_bytes(v, &len);
    int         rc = NC_NOERR;

    if (len > 0 && is_bytes(v) && (pure || ncz_format_fill_marked(v))) {
        if ((rc = ncz_buf_reserve(&text, (len + 2) / 3 * 4)) == NC_NOERR) {
            ncz_base64_put(s, len, text.data);
            ncz_jsonw_str(w, text.data, (len + 2) / 3 * 4);
        }
    } else {
        ncz_jsonw_str(w, len == 0 ? "" : s, len);
    }
    ncz_buf_clear(&text);
    return rc;
}

/* A record or raw bytes: the stored element in base64. */
static int
write_stored(const ncz_var *v, const void *value, ncz_jsonw *w)
{
    size_t size = v->dtype.size, n;
    char  *elem = ncz_zalloc(size), *text = NULL;
    int    rc;

    if (elem == NULL || !ncz_add(size, 2, &n) || !ncz_mul(n / 3, 4, &n) || (text = ncz_alloc(n)) == NULL) {
        rc = ncz_fail_nomem(size);
        goto done;
    }
    rc = ncz_convert_in(v->type, value, &v->dtype, elem, 1, false);
    if (rc == NC_NOERR || rc == NC_ERANGE) {
        rc = NC_NOERR;
        ncz_base64_put(elem, size, text);
        ncz_jsonw_str(w, text, n);
    }
done:
    ncz_free(elem);
    ncz_free(text);
    return rc;
}

int
ncz_format_fill_write(const ncz_var *v, bool pure, bool time, ncz_jsonw *w)
{
    const void *value = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;

    /* Of characters only a document with NCZarr's keys has a text of its own; `pure` is then the copy for others. */
    if (v->fill_text != NULL && !(pure && v->dtype.kind == NCZ_KIND_CHAR))
        ncz_jsonw_raw(w, v->fill_text, strlen(v->fill_text));
    else if (v->fill_mode == NCZ_FILL_NONE || ncz_format_fill_is_null(v) || value == NULL || v->dtype.items != NULL)
        ncz_jsonw_null(w); /* the fill value of sequences is an attribute alone */
    else if (v->type->class == NCZ_TYPE_CHAR || v->type->class == NCZ_TYPE_STRING)
        return write_bytes(v, pure, w);
    else if (ncz_format_is_record(&v->dtype))
        return write_stored(v, value, w);
    else if (time && v->type->id == NC_INT64 && *(const int64_t *)value == INT64_MIN)
        ncz_jsonw_cstr(w, "NaT");
    else if (v->dtype.kind == NCZ_KIND_BOOL)
        ncz_jsonw_bool(w, *(const uint8_t *)value != 0);
    else
        ncz_format_number_write(ncz_type_value(v->type), value, w);
    return NC_NOERR;
}
