/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fill_value in every form that writers of Zarr v3 use: true, numbers, "NaN" and the infinities, the bits of a float
 * as a hexadecimal integer, "NaT", text, bytes as base64 or as a list. Null, which GDAL writes, means no fill value:
 * missing chunks are zero bytes.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

static int
fail_fill(const ncz_json *v)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    return ncz_fail(NC_EZARRMETA, "\"fill_value\" %.*s is no value of the data type", (int)(len > 60 ? 60 : len),
                    text);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "0x7fc00000": the bits of a stored float, of full width, the highest first. */
static bool
parse_hex(const ncz_json *v, const ncz_stored_type *st, void *out)
{
    size_t          len = 0, n = st->dtype.size;
    const char     *text = ncz_json_str(v, &len);
    const ncz_dtype big = {.kind = st->dtype.kind, .big = true, .size = n};
    unsigned char   bits[8];

    if (text == NULL || st->dtype.kind != NCZ_KIND_FLOAT || len != 2 + 2 * n || text[0] != '0' || text[1] != 'x')
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(text[2 + 2 * i]), low = hex_digit(text[3 + 2 * i]);

        if (high < 0 || low < 0)
            return false;
        bits[i] = (unsigned char)(high * 16 + low);
    }
    return ncz_convert_out(&big, bits, st->type, out, 1, false) == NC_NOERR;
}

static int
parse_number(const ncz_json *v, const ncz_zarr3_dtype *t, ncz_fill_mode *mode, void **fill)
{
    const int64_t nat = INT64_MIN;
    char          elem[sizeof(uint64_t)];

    if (t->fill == ZARR3_FILL_TIME && ncz_json_str_is(v, "NaT"))
        return ncz_format_fill_number(&nat, t->st.type, mode, fill);
    if (ncz_format_is_default(v, t->st.type)) {
        *mode = NCZ_FILL_DEFAULT;
        return NC_NOERR;
    }
    if (!parse_hex(v, &t->st, elem) && !ncz_format_number(v, t->st.type, elem))
        return fail_fill(v);
    return ncz_format_fill_number(elem, t->st.type, mode, fill);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

static int
bytes_of_list(const ncz_json *v, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < ncz_json_len(v) && rc == NC_NOERR; i++) {
        uint8_t byte;

        if (!ncz_json_is(ncz_json_at(v, i), NCZ_JSON_INT) ||
            !ncz_format_number(ncz_json_at(v, i), ncz_type_of(NC_UBYTE), &byte))
            return fail_fill(v);
        rc = ncz_buf_append(out, &byte, 1);
    }
    return rc;
}

/* A text that is not base64 is the bytes themselves: netCDF-C's branch writes it so. */
static int
bytes_of_text(const char *text, size_t len, ncz_buf *out)
{
    size_t at, n = len > 0 && len % 4 == 0 ? ncz_base64_bytes(text, len) : 0;
    int    rc = ncz_buf_reserve(out, n);

    if (rc != NC_NOERR)
        return rc;
    if (n > 0 && ncz_base64_get(text, len, out->data, &at)) {
        out->len = n;
        return NC_NOERR;
    }
    return ncz_buf_append(out, text, len);
}

static int
parse_bytes(const ncz_json *v, ncz_buf *out)
{
    size_t      len = 0;
    const char *text = ncz_json_str(v, &len);

    if (ncz_json_is(v, NCZ_JSON_ARRAY))
        return bytes_of_list(v, out);
    return text != NULL ? bytes_of_text(text, len, out) : fail_fill(v);
}

/* The text of a string's fill value: of its bytes, up to the first NUL and at most an element's. */
static int
take_string(const ncz_buf *bytes, const ncz_dtype *d, ncz_fill_mode *mode, void **fill)
{
    size_t most = d->kind == NCZ_KIND_BYTES && bytes->len > d->size ? d->size : bytes->len;
    size_t len = bytes->len == 0 ? 0 : strnlen(bytes->data, most);
    char **slot;

    *mode = NCZ_FILL_DEFAULT;
    if (len == 0)
        return NC_NOERR;
    if ((slot = ncz_zalloc(sizeof *slot)) == NULL)
        return ncz_fail_nomem(sizeof *slot);
    if ((*slot = ncz_strndup(bytes->data, len)) == NULL) {
        ncz_free(slot);
        return ncz_fail_nomem(len);
    }
    *mode = NCZ_FILL_VALUE;
    *fill = slot;
    return NC_NOERR;
}

static int
parse_text(const ncz_json *v, const ncz_zarr3_dtype *t, ncz_fill_mode *mode, void **fill)
{
    ncz_buf     bytes = NCZ_BUF_INIT;
    size_t      len = 0;
    const char *text = ncz_json_str(v, &len);
    int         rc;

    if (t->fill == ZARR3_FILL_BYTES)
        rc = parse_bytes(v, &bytes);
    else
        rc = text != NULL ? ncz_buf_append(&bytes, text, len) : fail_fill(v);
    if (rc == NC_NOERR && t->st.type->class == NCZ_TYPE_STRING)
        rc = take_string(&bytes, &t->st.dtype, mode, fill);
    else if (rc == NC_NOERR)
        rc = bytes.len > 0 ? ncz_format_fill_number(bytes.data, t->st.type, mode, fill)
                           : ncz_format_fill_number("", t->st.type, mode, fill);
    ncz_buf_clear(&bytes);
    return rc;
}

/* A character: netCDF's default is the zero byte. */
static int
parse_char(const ncz_json *v, const ncz_zarr3_dtype *t, ncz_fill_mode *mode, void **fill)
{
    uint8_t byte;

    if (t->fill != ZARR3_FILL_NUMBER || ncz_json_is(v, NCZ_JSON_STRING))
        return parse_text(v, t, mode, fill);
    if (!ncz_format_number(v, ncz_type_of(NC_UBYTE), &byte))
        return fail_fill(v);
    return ncz_format_fill_number(&byte, t->st.type, mode, fill);
}

int
ncz_zarr3_fill_parse(const ncz_json *v, const ncz_zarr3_dtype *t, ncz_fill_mode *mode, void **fill)
{
    *fill = NULL;
    *mode = NCZ_FILL_NONE;
    if (v == NULL)
        return ncz_fail(NC_EZARRMETA, "there is no \"fill_value\"");
    if (t->st.type->class == NCZ_TYPE_NONE || ncz_json_is(v, NCZ_JSON_NULL))
        return NC_NOERR;
    if (t->st.type->class == NCZ_TYPE_CHAR)
        return parse_char(v, t, mode, fill);
    if (t->st.type->class == NCZ_TYPE_STRING)
        return parse_text(v, t, mode, fill);
    return parse_number(v, t, mode, fill);
}
