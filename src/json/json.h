/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: parses JSON (RFC 8259, or the lenient mode that real metadata needs), gives access to its values, writes it.
 *
 * A parsed document is one arena: its values are borrowed and live until ncz_json_free(). It is never changed, and any
 * number of threads may read it. The writer is at the end of this header.
 */
#ifndef NCZ_JSON_H
#define NCZ_JSON_H

#include "util/util.h"

#include <string.h>

typedef struct ncz_json ncz_json; /* a value; the root owns the document */

typedef enum ncz_json_type {
    NCZ_JSON_NULL,
    NCZ_JSON_BOOL,
    NCZ_JSON_INT,    /* written without fraction and exponent, and fits int64 */
    NCZ_JSON_UINT,   /* the same, above INT64_MAX and within uint64 */
    NCZ_JSON_DOUBLE, /* all other numbers; lenient mode: also NaN, Infinity, -Infinity */
    NCZ_JSON_STRING,
    NCZ_JSON_ARRAY,
    NCZ_JSON_OBJECT,
    NCZ_JSON_RAW, /* an array or object that was not parsed (ncz_json_opts.shallow): only its slice is known */
} ncz_json_type;

typedef enum ncz_json_mode {
    NCZ_JSON_STRICT,  /* RFC 8259, nothing else */
    NCZ_JSON_WORDS,   /* and bare NaN, Infinity, -Infinity */
    NCZ_JSON_LENIENT, /* and control bytes in strings; invalid UTF-8, unchanged; a byte-order mark before the value;
                         bytes after it (`tail` counts them) */
} ncz_json_mode;

typedef struct ncz_json_opts {
    ncz_json_mode mode;
    size_t        depth;  /* most nested containers; 1024 at most */
    size_t        nbytes; /* most bytes of text. At most nbytes / 8 values, or a million if that is more */
    const char   *name;   /* the document's name in error texts (a key); NULL: "JSON" */
    size_t shallow;       /* containers nested deeper than this are RAW: only their brackets and strings are read, and
                              other errors in them are not noticed; 0: parse all */
} ncz_json_opts;

/*
 * Parses a copy of text[0..len). Errors: NC_EZARRMETA with line, column and cause, also for exceeded limits; NC_ENOMEM.
 * *tail (may be NULL): the number of bytes after the value in lenient mode, without white space. In lenient mode half
 * of a surrogate pair becomes U+FFFD. `-0` is a DOUBLE, so that it keeps its sign. Of members with equal names the last
 * value wins, at the place of the first.
 */
int  ncz_json_parse(const char *text, size_t len, const ncz_json_opts *opts, ncz_json **out, size_t *tail);
void ncz_json_free(ncz_json *root);

/*
 * For many documents in turn: the same, but the values are in the reader's memory, which is reused, and the text is not
 * copied. It must outlive the values, and be followed by a NUL or be the slice of a RAW value. Values are valid until
 * ncz_json_reader_reset() or ncz_json_reader_free().
 */
typedef struct ncz_json_reader ncz_json_reader;

int  ncz_json_reader_new(ncz_json_reader **out);
void ncz_json_reader_free(ncz_json_reader *r);
void ncz_json_reader_reset(ncz_json_reader *r);
int  ncz_json_read(ncz_json_reader *r, const char *text, size_t len, const ncz_json_opts *opts, const ncz_json **out,
                   size_t *tail);

ncz_json_type ncz_json_kind(const ncz_json *v);                /* NULL is null everywhere below */
bool          ncz_json_is(const ncz_json *v, ncz_json_type t); /* false for NULL, unless t is NCZ_JSON_NULL */

size_t          ncz_json_len(const ncz_json *v);                 /* items or members; 0 for others */
const ncz_json *ncz_json_at(const ncz_json *v, size_t i);        /* item, or member's value; NULL outside */
const char     *ncz_json_key(const ncz_json *v, size_t i);       /* member's name, up to its first NUL */
bool            ncz_json_key_whole(const ncz_json *v, size_t i); /* the name has no NUL */
/* Member's name and its length, as it may have NULs; NULL outside. */
const char *ncz_json_name(const ncz_json *v, size_t i, size_t *len);
/* Member i, of those that there are. */
typedef struct ncz_json_member {
    const char     *name;
    size_t          len; /* of the name */
    bool            has_nul;
    const ncz_json *value;
} ncz_json_member;
ncz_json_member ncz_json_member_at(const ncz_json *v, size_t i);
/* The member of that name, of `len` bytes; NULL when absent. */
const ncz_json *ncz_json_get_n(const ncz_json *v, const char *name, size_t len);
/* The same of the name; the compiler knows the length of one that is written out. */
static inline const ncz_json *
ncz_json_get(const ncz_json *v, const char *name)
{
    return ncz_json_get_n(v, name, strlen(name));
}
/* The same, looking at member i first: where two objects have the same names in the same order. */
const ncz_json *ncz_json_get_near(const ncz_json *v, const char *name, size_t len, size_t i);

/* A string's bytes, followed by a NUL (it may contain NULs: use *len). NULL when `v` is not a string. */
const char *ncz_json_str(const ncz_json *v, size_t *len);
/* A string's bytes for use as a C string: NULL also when it contains NULs. */
const char *ncz_json_cstr(const ncz_json *v);
bool        ncz_json_str_is_n(const ncz_json *v, const char *s, size_t len);
bool        ncz_json_bool(const ncz_json *v, bool *out);
bool        ncz_json_i64(const ncz_json *v, int64_t *out);  /* INT only */
bool        ncz_json_u64(const ncz_json *v, uint64_t *out); /* INT >= 0 or UINT */
bool        ncz_json_f64(const ncz_json *v, double *out);   /* any number, rounded if necessary */
/* Whether it is that string; the compiler knows the length of one that is written out. */
static inline bool
ncz_json_str_is(const ncz_json *v, const char *s)
{
    return ncz_json_str_is_n(v, s, strlen(s));
}
/* The document's own characters of this value; NULL and a length of 0 for NULL. `len` may be NULL. */
const char *ncz_json_slice(const ncz_json *v, size_t *len);

/* Ignores spelling and the order of members. 1 and 1.0 differ, and so do 0.0 and -0.0; NaN equals NaN. */
bool ncz_json_equal(const ncz_json *a, const ncz_json *b);

/* ---- writer -------------------------------------------------------------------------------------------------
 *
 * Appends to a buffer in netCDF's one-line form: `{"a": 1, "b": [1,2]}`, and adds the commas. The first error stays and
 * ncz_jsonw_end() returns it, so that callers need not check each step. Misuse (a value without a name ...) is
 * NC_EINTERNAL; more than 256 nested containers are NC_EINVAL.
 */
typedef struct ncz_jsonw {
    ncz_buf *out;
    int      status;
    size_t   depth;
    bool     first, after_key;
    bool     words; /* NaN and the infinities are bare words, which JSON lacks, instead of strings; false at first */
    uint64_t in_array[4]; /* one bit for each depth below 256 */
} ncz_jsonw;

ncz_jsonw ncz_jsonw_on(ncz_buf *out);
void      ncz_jsonw_open_object(ncz_jsonw *w);
void      ncz_jsonw_close_object(ncz_jsonw *w);
void      ncz_jsonw_open_array(ncz_jsonw *w);
void      ncz_jsonw_close_array(ncz_jsonw *w);
void      ncz_jsonw_key(ncz_jsonw *w, const char *name);
/* Raw UTF-8; escapes only what JSON forbids raw (quote, backslash, control bytes as \b \f \n \r \t or \u00XX).
 * Bytes that are not UTF-8 are written as the characters of Latin-1. */
void ncz_jsonw_str(ncz_jsonw *w, const char *s, size_t len);
void ncz_jsonw_cstr(ncz_jsonw *w, const char *s);
void ncz_jsonw_i64(ncz_jsonw *w, int64_t v);
void ncz_jsonw_u64(ncz_jsonw *w, uint64_t v);
void ncz_jsonw_f64(ncz_jsonw *w, double v); /* shortest round trip; NaN and infinities as `words` says */
void ncz_jsonw_f32(ncz_jsonw *w, float v);  /* the shortest text that reads back as the same float */
void ncz_jsonw_bool(ncz_jsonw *w, bool v);
void ncz_jsonw_null(ncz_jsonw *w);
void ncz_jsonw_raw(ncz_jsonw *w, const char *text, size_t len); /* text that is one JSON value already */
void ncz_jsonw_value(ncz_jsonw *w, const ncz_json *v);          /* a parsed value in this writer's form:
                                                    numbers unchanged, bare NaN and infinities as strings */
int  ncz_jsonw_end(const ncz_jsonw *w);                         /* NC_EINTERNAL when the document is incomplete */

#endif /* NCZ_JSON_H */
