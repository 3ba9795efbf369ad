/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vlen-utf8 for characters: each row of the last dimension, which a chunk has whole, is one text of Zarr's data type
 * `string`. NULs at the end of a row are left out, and decoding puts them back.
 *
 * A row may be any bytes, and a text may not. A row that is UTF-8 is its own text. Any other begins with U+FDD0, which
 * is no character and which Unicode leaves to programs, and has the character of Latin-1 for each byte. So has a row
 * that begins with that code point itself: each text is that of one row only. Bytes of another writer that are not
 * UTF-8 are taken as they are.
 */
#include "codecs/codec_int.h"

#include <string.h>

#define ID   "vlen-utf8"
#define WORD 4
#define MARK "\xEF\xB7\x90" /* U+FDD0 in UTF-8 */

enum { MARK_BYTES = sizeof MARK - 1 };

typedef struct rows_state {
    size_t len; /* of a row; never 0 */
} rows_state;

/* ---- configuration --------------------------------------------------------------------------------------------- */

static int
read_rows(const ncz_array_type *in, rows_state *s)
{
    if (in->dtype.kind != NCZ_KIND_CHAR || in->rank == 0 || in->shape == NULL || in->order != NULL)
        return ncz_fail(NC_EFILTER, "codec 'vlen-utf8' stores strings, or rows of characters in C order");
    s->len = in->shape[in->rank - 1] > UINT32_MAX / 4 ? 0 : (size_t)in->shape[in->rank - 1];
    if (s->len == 0 || s->len != in->row)
        return ncz_fail(NC_EFILTER, "codec 'vlen-utf8': a chunk of characters must have whole rows");
    return NC_NOERR;
}

static int
rows_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
               void *state)
{
    (void)ops;
    (void)config;
    (void)rules;
    return read_rows(in, state);
}

static int
rows_retype(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state)
{
    (void)ops;
    (void)old;
    return read_rows(in, state);
}

/* Each byte may take two, and each row a length and a mark. */
static bool
rows_bound(const void *state, size_t n, size_t *out)
{
    size_t rows = n / ((const rows_state *)state)->len, heads;

    return ncz_mul(rows, WORD + MARK_BYTES, &heads) && ncz_mul(n, 2, out) && ncz_add(*out, heads, out) &&
           ncz_add(*out, WORD, out);
}

/* ---- encoding -------------------------------------------------------------------------------------------------- */

static bool
is_own_text(const unsigned char *row, size_t n)
{
    return ncz_utf8_valid((const char *)row, n) && (n < MARK_BYTES || memcmp(row, MARK, MARK_BYTES) != 0);
}

/* Returns the bytes of the text. */
static size_t
encode_row(const unsigned char *row, size_t n, unsigned char *out)
{
    size_t at = MARK_BYTES;

    if (is_own_text(row, n)) {
        if (n > 0)
            memcpy(out, row, n);
        return n;
    }
    memcpy(out, MARK, MARK_BYTES);
    for (size_t i = 0; i < n; i++)
        at += ncz_utf8_put(row[i], (char *)out + at);
    return at;
}

static int
rows_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    size_t               len = ((const rows_state *)state)->len, rows = n / len, most;
    const unsigned char *row = in;
    unsigned char       *to = out;

    (void)type;
    if (n % len != 0 || rows > UINT32_MAX)
        return ncz_fail(NC_EFILTER, "codec 'vlen-utf8': %zu characters are not a number of rows of %zu", n, len);
    if (!rows_bound(state, n, &most) || cap < most)
        return ncz_codec_too_long("vlen-utf8", cap);
    ncz_codec_put_u32le(to, rows);
    to += WORD;
    for (; rows > 0; rows--, row += len) {
        size_t end = len, nbytes;

        while (end > 0 && row[end - 1] == '\0')
            end--;
        nbytes = encode_row(row, end, to + WORD);
        ncz_codec_put_u32le(to, nbytes);
        to += WORD + nbytes;
    }
    *used = (size_t)(to - (unsigned char *)out);
    return NC_NOERR;
}

/* ---- decoding -------------------------------------------------------------------------------------------------- */

/* Reads a character of Latin-1. *used: its length in bytes. False if there is another character. */
static bool
read_latin1(const unsigned char *text, size_t n, unsigned char *byte, size_t *used)
{
    unsigned c = text[0];

    *used = c < 0x80 ? 1 : 2;
    if (c >= 0x80 && ((c & 0xFE) != 0xC2 || n < 2 || (text[1] & 0xC0) != 0x80))
        return false;
    *byte = (unsigned char)(c < 0x80 ? c : (c & 3) << 6 | (text[1] & 0x3F));
    return true;
}

/* The bytes behind a mark. Returns how many there are; SIZE_MAX: a character is no byte, or they are more than
 * `len`. */
static size_t
decode_latin1(const unsigned char *text, size_t n, unsigned char *row, size_t len)
{
    size_t at = 0, used;

    for (size_t i = 0; i < n; i += used, at++)
        if (at == len || !read_latin1(text + i, n - i, &row[at], &used))
            return SIZE_MAX;
    return at;
}

static int
decode_row(const unsigned char *text, size_t n, unsigned char *row, size_t len)
{
    size_t got = n;

    if (n >= MARK_BYTES && memcmp(text, MARK, MARK_BYTES) == 0)
        got = decode_latin1(text + MARK_BYTES, n - MARK_BYTES, row, len);
    else if (n > 0 && n <= len)
        memcpy(row, text, n);
    if (got > len)
        return ncz_fail(NC_EFILTER, "codec 'vlen-utf8': a text of %zu bytes does not fit a row of %zu characters", n,
                        len);
    memset(row + got, 0, len - got);
    return NC_NOERR;
}

static int
rows_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    size_t         len = ((const rows_state *)state)->len, rows;
    ncz_cursor     at = ncz_cursor_at(in, n);
    unsigned char *row = out;
    int            rc;

    (void)type;
    rows = ncz_cursor_u32le(&at);
    if (!at.good)
        return ncz_codec_cut_short("vlen-utf8", n);
    if (rows > cap / len || (exact && rows != *used / len))
        return ncz_codec_count("vlen-utf8", rows, (exact ? *used : cap) / len);
    for (size_t i = 0; i < rows; i++, row += len) {
        uint32_t             nbytes = ncz_cursor_u32le(&at);
        const unsigned char *text = ncz_cursor_bytes(&at, nbytes);

        if (!at.good)
            return ncz_codec_cut_short("vlen-utf8", n);
        if ((rc = decode_row(text, nbytes, row, len)) != NC_NOERR)
            return rc;
    }
    ncz_codec_tail("vlen-utf8", n - at.pos);
    *used = rows * len;
    return NC_NOERR;
}

/* ---- rows of one character ------------------------------------------------------------------------------------- */

int
ncz_codec_row_text(unsigned char c, uint64_t len, ncz_buf *out)
{
    char   text[4];
    size_t n = ncz_utf8_put(c, text);
    int    rc = c >= 0x80 ? ncz_buf_append(out, MARK, MARK_BYTES) : NC_NOERR; /* such a row is never UTF-8 */

    for (uint64_t i = 0; c != 0 && i < len && rc == NC_NOERR; i++)
        rc = ncz_buf_append(out, text, n);
    return rc;
}

bool
ncz_codec_row_char(const char *text, size_t n, uint64_t len, unsigned char *c)
{
    bool          marked = n >= MARK_BYTES && memcmp(text, MARK, MARK_BYTES) == 0;
    size_t        at = marked ? MARK_BYTES : 0, count = 0;
    unsigned char byte;

    *c = 0;
    for (; at < n; count++) {
        size_t used = 1;

        byte = (unsigned char)text[at];
        if (marked && !read_latin1((const unsigned char *)text + at, n - at, &byte, &used))
            return false;
        if (count > 0 && byte != *c)
            return false;
        *c = byte;
        at += used;
    }
    return count == 0 || count == len;
}

const ncz_codec_ops ncz_codec_text_rows = {
    .id = ID,
    .v3_name = "vlen-utf8",
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .v3_only = true,
    .state_size = sizeof(rows_state),
    .config.from_json = rows_from_json,
    .config.retype = rows_retype,
    .bound = rows_bound,
    .encode = rows_encode,
    .decode = rows_decode,
};
