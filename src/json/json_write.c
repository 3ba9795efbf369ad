/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer: text in netCDF's one-line form, straight into a buffer.
 *
 * Invariant: while status is NC_NOERR the buffer holds a prefix of one valid document. The first failure stays, and
 * nothing is written after it.
 */
#include "json/json_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MOST (sizeof((ncz_jsonw *)NULL)->in_array * 8)

ncz_jsonw
ncz_jsonw_on(ncz_buf *out)
{
    return (ncz_jsonw){.out = out, .status = NC_NOERR, .first = true};
}

static bool
in_array(const ncz_jsonw *w)
{
    return w->depth > 0 && (w->in_array[(w->depth - 1) / 64] >> ((w->depth - 1) % 64) & 1) != 0;
}

static bool
in_object(const ncz_jsonw *w)
{
    return w->depth > 0 && !in_array(w);
}

static void
fail_misuse(ncz_jsonw *w, const char *what)
{
    w->status = ncz_fail(NC_EINTERNAL, "JSON writer: %s", what);
}

static void
write_text(ncz_jsonw *w, const char *text, size_t len)
{
    if (w->status == NC_NOERR)
        w->status = ncz_buf_append(w->out, text, len);
}

static void
write_word(ncz_jsonw *w, const char *text)
{
    write_text(w, text, strlen(text));
}

/* Writes the comma before a value. False: no value may come here. */
static bool
begin_value(ncz_jsonw *w)
{
    if (w->status != NC_NOERR)
        return false;
    if (in_object(w) ? !w->after_key : w->depth == 0 && !w->first) {
        fail_misuse(w, w->depth == 0 ? "a second value after the document" : "a value without a name");
        return false;
    }
    if (in_array(w) && !w->first)
        write_text(w, ",", 1);
    w->first = w->after_key = false;
    return w->status == NC_NOERR;
}

/* ---- containers ---- */

static void
open_container(ncz_jsonw *w, bool array)
{
    uint64_t bit;

    if (!begin_value(w))
        return;
    if (w->depth >= DEPTH_MOST) {
        w->status = ncz_fail(NC_EINVAL, "JSON writer: nested deeper than %zu", DEPTH_MOST);
        return;
    }
    bit = UINT64_C(1) << (w->depth % 64);
    if (array)
        w->in_array[w->depth / 64] |= bit;
    else
        w->in_array[w->depth / 64] &= ~bit;
    w->depth++;
    w->first = true;
    write_text(w, array ? "[" : "{", 1);
}

static void
close_container(ncz_jsonw *w, bool array)
{
    if (w->status != NC_NOERR)
        return;
    if (w->depth == 0 || in_array(w) != array || w->after_key) {
        fail_misuse(w, "the container to close is not the open one");
        return;
    }
    w->depth--;
    w->first = false;
    write_text(w, array ? "]" : "}", 1);
}

void
ncz_jsonw_open_object(ncz_jsonw *w)
{
    open_container(w, false);
}

void
ncz_jsonw_close_object(ncz_jsonw *w)
{
    close_container(w, false);
}

void
ncz_jsonw_open_array(ncz_jsonw *w)
{
    open_container(w, true);
}

void
ncz_jsonw_close_array(ncz_jsonw *w)
{
    close_container(w, true);
}

/* ---- strings ---- */

static const char *
format_escape(unsigned char c, char out[8])
{
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: snprintf(out, 8, "\\u%04x", (unsigned)c); return out;
    }
}

static void
write_escaped(ncz_jsonw *w, const char *s, size_t len)
{
    size_t done = 0; /* all before it is written */
    char   escape[8];

    write_text(w, "\"", 1);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        write_text(w, s + done, i - done);
        write_word(w, format_escape(c, escape));
        done = i + 1;
    }
    write_text(w, s + done, len - done);
    write_text(w, "\"", 1);
}

/* A document is UTF-8 whatever a text is. */
static void
write_quoted(ncz_jsonw *w, const char *s, size_t len)
{
    ncz_buf text = NCZ_BUF_INIT;

    if (ncz_utf8_valid(s, len)) {
        write_escaped(w, s, len);
        return;
    }
    if (w->status == NC_NOERR && (w->status = ncz_utf8_mend(s, len, &text)) == NC_NOERR)
        write_escaped(w, text.data, text.len);
    ncz_buf_clear(&text);
}

static void
write_key(ncz_jsonw *w, const char *name, size_t len)
{
    if (w->status != NC_NOERR)
        return;
    if (!in_object(w) || w->after_key) {
        fail_misuse(w, "a name outside an object, or after another name");
        return;
    }
    if (!w->first)
        write_text(w, ", ", 2);
    write_quoted(w, name, len);
    write_text(w, ": ", 2);
    w->after_key = true;
}

void
ncz_jsonw_key(ncz_jsonw *w, const char *name)
{
    write_key(w, name, strlen(name));
}

void
ncz_jsonw_str(ncz_jsonw *w, const char *s, size_t len)
{
    if (begin_value(w))
        write_quoted(w, s, len);
}

void
ncz_jsonw_cstr(ncz_jsonw *w, const char *s)
{
    ncz_jsonw_str(w, s, strlen(s));
}

/* ---- other scalars ---- */

void
ncz_jsonw_raw(ncz_jsonw *w, const char *text, size_t len)
{
    if (begin_value(w))
        write_text(w, text, len);
}

void
ncz_jsonw_i64(ncz_jsonw *w, int64_t v)
{
    char text[24];

    ncz_jsonw_raw(w, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)v));
}

void
ncz_jsonw_u64(ncz_jsonw *w, uint64_t v)
{
    char text[24];

    ncz_jsonw_raw(w, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)v));
}

static void
write_float(ncz_jsonw *w, const char *text, size_t len, bool finite)
{
    if (finite || w->words)
        ncz_jsonw_raw(w, text, len);
    else
        ncz_jsonw_str(w, text, len);
}

void
ncz_jsonw_f64(ncz_jsonw *w, double v)
{
    char text[NCZ_NUM_TEXT];

    write_float(w, text, ncz_double_text(v, text), isfinite(v));
}

void
ncz_jsonw_f32(ncz_jsonw *w, float v)
{
    char text[NCZ_NUM_TEXT];

    write_float(w, text, ncz_float_text(v, text), isfinite(v));
}

void
ncz_jsonw_bool(ncz_jsonw *w, bool v)
{
    ncz_jsonw_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void
ncz_jsonw_null(ncz_jsonw *w)
{
    ncz_jsonw_raw(w, "null", 4);
}

/* ---- parsed values ---- */

static void
write_children(ncz_jsonw *w, const ncz_json *v)
{
    bool array = v->type == NCZ_JSON_ARRAY;

    open_container(w, array);
    for (size_t i = 0; i < v->len && w->status == NC_NOERR; i++) {
        if (!array)
            write_key(w, v->u.items[2 * i].u.str, v->u.items[2 * i].len);
        ncz_jsonw_value(w, ncz_json_at(v, i));
    }
    close_container(w, array);
}

/* Numbers keep their own characters, but bare NaN and infinities are not JSON and become strings. */
static bool
is_bare_word(const ncz_json *v)
{
    return v->type == NCZ_JSON_DOUBLE && (v->text[v->text_len - 1] < '0' || v->text[v->text_len - 1] > '9');
}

void
ncz_jsonw_value(ncz_jsonw *w, const ncz_json *v)
{
    switch (ncz_json_kind(v)) {
    case NCZ_JSON_NULL: ncz_jsonw_null(w); break;
    case NCZ_JSON_STRING: ncz_jsonw_str(w, v->u.str, v->len); break;
    case NCZ_JSON_ARRAY:
    case NCZ_JSON_OBJECT: write_children(w, v); break;
    default:
        if (is_bare_word(v))
            ncz_jsonw_str(w, v->text, v->text_len);
        else
            ncz_jsonw_raw(w, v->text, v->text_len);
    }
}

int
ncz_jsonw_end(const ncz_jsonw *w)
{
    if (w->status == NC_NOERR && (w->depth != 0 || w->first))
        return ncz_fail(NC_EINTERNAL, "JSON writer: the document is incomplete");
    return w->status;
}
