/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: parse (RFC 8259, or the lenient mode that real metadata needs), look at, and write JSON.
 *
 * A parsed document is one arena: values are borrowed from it and live until ncz_json_free(). A parsed document is
 * never changed; the writer below is the other half. Safe to read from many threads.
 */
#ifndef NCZ_JSON_H
#define NCZ_JSON_H

#include "util/util.h"

typedef struct ncz_json ncz_json; /* a value; the one that ncz_json_parse() gives owns its document */

typedef enum ncz_json_type {
    NCZ_JSON_NULL,
    NCZ_JSON_BOOL,
    NCZ_JSON_INT,    /* written without fraction and exponent, and fits int64 */
    NCZ_JSON_UINT,   /* the same, above INT64_MAX and within uint64 */
    NCZ_JSON_DOUBLE, /* all other numbers; lenient mode: also NaN, Infinity, -Infinity */
    NCZ_JSON_STRING,
    NCZ_JSON_ARRAY,
    NCZ_JSON_OBJECT,
    NCZ_JSON_RAW, /* an array or object that was not looked into (ncz_json_opts.shallow): only its slice is known */
} ncz_json_type;

typedef enum ncz_json_mode {
    NCZ_JSON_STRICT,  /* RFC 8259, nothing else */
    NCZ_JSON_LENIENT, /* and bare NaN, Infinity, -Infinity; control bytes inside strings; invalid UTF-8 kept as it
                         stands; a byte-order mark before the value, bytes behind it (`tail` says how many) */
} ncz_json_mode;

typedef struct ncz_json_opts {
    ncz_json_mode mode;
    size_t        depth;   /* most nested containers; never more than 1024 */
    size_t        nbytes;  /* most bytes of text; and at most nbytes / 8 values, or a million where that is less */
    const char   *name;    /* what error texts call the document (a key); NULL "JSON" */
    size_t        shallow; /* containers within so many others are RAW: only strings and brackets in them are looked
                              at, and what is wrong in them is not noticed; 0: all are parsed */
} ncz_json_opts;

/*
 * Parses text[0..len), which is copied. Errors: NC_EZARRMETA with line, column and cause, for passed limits too;
 * NC_ENOMEM. With `tail` (may be NULL) the count of bytes after the value in lenient mode, white space not counted.
 * In lenient mode half of a surrogate pair becomes U+FFFD. `-0` is a DOUBLE, so that it keeps its sign.
 * Duplicate member names: the last wins and stands where the first stood.
 */
int  ncz_json_parse(const char *text, size_t len, const ncz_json_opts *opts, ncz_json **out, size_t *tail);
void ncz_json_free(ncz_json *root);

/*
 * For many documents one after the other: the same, but the values stand in the reader's memory, which is used again,
 * and the text is not copied. It must stay as long as the values are used, and be followed by a NUL or be a RAW value's
 * slice. Values stay until the next ncz_json_reader_reset(), or the end of the reader.
 */
typedef struct ncz_json_reader ncz_json_reader;

int  ncz_json_reader_new(ncz_json_reader **out);
void ncz_json_reader_free(ncz_json_reader *r);
void ncz_json_reader_reset(ncz_json_reader *r);
int  ncz_json_read(ncz_json_reader *r, const char *text, size_t len, const ncz_json_opts *opts, const ncz_json **out,
                   size_t *tail);

ncz_json_type ncz_json_kind(const ncz_json *v);                /* NULL counts as null everywhere below */
bool          ncz_json_is(const ncz_json *v, ncz_json_type t); /* false for NULL, unless t is NCZ_JSON_NULL */

size_t          ncz_json_len(const ncz_json *v);                   /* items or members; 0 for others */
const ncz_json *ncz_json_at(const ncz_json *v, size_t i);          /* item, or member's value; NULL outside */
const char     *ncz_json_key(const ncz_json *v, size_t i);         /* member's name */
const ncz_json *ncz_json_get(const ncz_json *v, const char *name); /* member by name; NULL when absent */

/* A string's bytes, NUL-terminated (it may hold NULs itself: *len tells). NULL when `v` is no string. */
const char *ncz_json_str(const ncz_json *v, size_t *len);
bool        ncz_json_str_is(const ncz_json *v, const char *s);
bool        ncz_json_bool(const ncz_json *v, bool *out);
bool        ncz_json_i64(const ncz_json *v, int64_t *out);  /* INT only */
bool        ncz_json_u64(const ncz_json *v, uint64_t *out); /* INT >= 0 or UINT */
bool        ncz_json_f64(const ncz_json *v, double *out);   /* any number, rounded if it must */
const char *ncz_json_slice(const ncz_json *v, size_t *len); /* the document's own characters of this value */

/* The same value in another spelling, or with its members in another order, is equal; 1 and 1.0 are not, nor 0.0 and
 * -0.0; NaN is equal to NaN. */
bool ncz_json_equal(const ncz_json *a, const ncz_json *b);

/* ---- writer -------------------------------------------------------------------------------------------------
 *
 * Appends to a buffer in netCDF's one-line form: `{"a": 1, "b": [1,2]}`. Commas are its own business. The first error
 * sticks and ncz_jsonw_end() returns it, so that a document is written without looking at each step. What the caller
 * does wrong (a value without its name ...) is NC_EINTERNAL; more than 256 nested containers NC_EINVAL.
 */
typedef struct ncz_jsonw {
    ncz_buf *out;
    int      status;
    size_t   depth;
    bool     first, after_key;
    uint64_t in_array[4]; /* one bit for each depth below 256 */
} ncz_jsonw;

ncz_jsonw ncz_jsonw_on(ncz_buf *out);
void      ncz_jsonw_open_object(ncz_jsonw *w);
void      ncz_jsonw_close_object(ncz_jsonw *w);
void      ncz_jsonw_open_array(ncz_jsonw *w);
void      ncz_jsonw_close_array(ncz_jsonw *w);
void      ncz_jsonw_key(ncz_jsonw *w, const char *name);
/* Raw UTF-8; escapes only what JSON forbids raw (quote, backslash, control bytes as \b \f \n \r \t or \u00XX).
 * Bytes that are not UTF-8 are written as they stand. */
void ncz_jsonw_str(ncz_jsonw *w, const char *s, size_t len);
void ncz_jsonw_cstr(ncz_jsonw *w, const char *s);
void ncz_jsonw_i64(ncz_jsonw *w, int64_t v);
void ncz_jsonw_u64(ncz_jsonw *w, uint64_t v);
void ncz_jsonw_f64(ncz_jsonw *w, double v); /* shortest round trip; NaN, Infinity as JSON strings */
void ncz_jsonw_f32(ncz_jsonw *w, float v);  /* the shortest text that reads back as the same float */
void ncz_jsonw_bool(ncz_jsonw *w, bool v);
void ncz_jsonw_null(ncz_jsonw *w);
void ncz_jsonw_raw(ncz_jsonw *w, const char *text, size_t len); /* text that is one JSON value already */
void ncz_jsonw_value(ncz_jsonw *w, const ncz_json *v);          /* a parsed value, re-written in our form:
                                                    numbers as they stand, bare NaN and infinities as strings */
int  ncz_jsonw_end(const ncz_jsonw *w);                         /* NC_EINTERNAL when the document is not complete */

#endif /* NCZ_JSON_H */
