/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements of user-defined types as JSON, in attributes: an enumeration's value is a number, a character the number of
 * its byte, opaque bytes a list of numbers, a sequence the list of its values, a compound the list of its fields. A
 * field of several elements is one list of them all. A string that is not UTF-8 is the list of its bytes.
 */
#include "format/format_int.h"

#include <string.h>

/* ---- writing ---- */

static void write_run(const ncz_type *t, const char *at, size_t n, ncz_jsonw *w);

static void
write_bytes(const char *at, size_t n, ncz_jsonw *w)
{
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < n; i++)
        ncz_jsonw_u64(w, (unsigned char)at[i]);
    ncz_jsonw_close_array(w);
}

static void
write_fields(const ncz_type *t, const char *at, ncz_jsonw *w)
{
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        if (f->rank == 0)
            ncz_format_elem_write(f->type, at + f->offset, w);
        else
            write_run(f->type, at + f->offset, f->nelems, w);
    }
    ncz_jsonw_close_array(w);
}

static void
write_string(const char *s, ncz_jsonw *w)
{
    if (s == NULL)
        ncz_jsonw_null(w);
    else if (ncz_utf8_valid(s, strlen(s)))
        ncz_jsonw_cstr(w, s);
    else
        write_bytes(s, strlen(s), w);
}

void
ncz_format_elem_write(const ncz_type *t, const void *elem, ncz_jsonw *w)
{
    const char *at = elem;
    uint64_t    number;
    const char *s;
    nc_vlen_t   v;

    switch (t->class) {
    case NCZ_TYPE_CHAR: ncz_jsonw_u64(w, (unsigned char)*at); break;
    case NCZ_TYPE_STRING:
        memcpy(&s, at, sizeof s);
        write_string(s, w);
        break;
    case NCZ_TYPE_ENUM: ncz_format_elem_write(t->base, at, w); break;
    case NCZ_TYPE_OPAQUE: write_bytes(at, t->size, w); break;
    case NCZ_TYPE_VLEN:
        memcpy(&v, at, sizeof v);
        write_run(t->base, v.p, v.len, w);
        break;
    case NCZ_TYPE_COMPOUND: write_fields(t, at, w); break;
    default: /* a number, perhaps not aligned */ memcpy(&number, at, t->size); ncz_format_number_write(t, &number, w);
    }
}

static void
write_run(const ncz_type *t, const char *at, size_t n, ncz_jsonw *w)
{
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < n; i++)
        ncz_format_elem_write(t, at + i * t->size, w);
    ncz_jsonw_close_array(w);
}

/* ---- reading. What is read so far can be freed after a failure: the memory is zero before ---- */

static int
fail_elem(const ncz_json *v, const ncz_type *t)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    return ncz_fail(NC_EZARRMETA, "%.*s is no value of type %s", (int)(len > 60 ? 60 : len),
                    text != NULL ? text : "nothing", t->name);
}

static int
read_run(const ncz_json *v, const ncz_type *t, size_t n, char *at)
{
    int rc = NC_NOERR;

    if (!ncz_json_is(v, NCZ_JSON_ARRAY) || ncz_json_len(v) != n)
        return fail_elem(v, t);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = ncz_format_elem_read(ncz_json_at(v, i), t, at + i * t->size);
    return rc;
}

static int
read_fields(const ncz_json *v, const ncz_type *t, char *at)
{
    int rc = NC_NOERR;

    if (!ncz_json_is(v, NCZ_JSON_ARRAY) || ncz_json_len(v) != t->nfields)
        return fail_elem(v, t);
    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        rc = f->rank == 0 ? ncz_format_elem_read(ncz_json_at(v, i), f->type, at + f->offset)
                          : read_run(ncz_json_at(v, i), f->type, f->nelems, at + f->offset);
    }
    return rc;
}

/* The list of a string's bytes. */
static int
read_byte_list(const ncz_json *v, const ncz_type *t, char **out)
{
    size_t n = ncz_json_len(v);

    if ((*out = ncz_zalloc(n + 1)) == NULL)
        return ncz_fail_nomem(n);
    for (size_t i = 0; i < n; i++)
        if (!ncz_format_number(ncz_json_at(v, i), ncz_type_of(NC_UBYTE), *out + i))
            return fail_elem(v, t);
    return NC_NOERR;
}

static int
read_string(const ncz_json *v, const ncz_type *t, char *at)
{
    size_t      len = 0;
    const char *text = ncz_json_str(v, &len);
    char       *s = NULL;
    int         rc = NC_NOERR;

    if (ncz_json_is(v, NCZ_JSON_ARRAY))
        rc = read_byte_list(v, t, &s);
    else if (text == NULL && !ncz_json_is(v, NCZ_JSON_NULL))
        return fail_elem(v, t);
    if (text != NULL && (s = ncz_strndup(text, len)) == NULL)
        return ncz_fail_nomem(len);
    memcpy(at, &s, sizeof s);
    return rc;
}

static int
read_vlen(const ncz_json *v, const ncz_type *t, char *at)
{
    nc_vlen_t s = {.len = ncz_json_is(v, NCZ_JSON_ARRAY) ? ncz_json_len(v) : 0};

    if (!ncz_json_is(v, NCZ_JSON_ARRAY))
        return fail_elem(v, t);
    if (s.len == 0)
        return NC_NOERR;
    if ((s.p = ncz_zalloc_n(s.len, t->base->size)) == NULL)
        return ncz_fail_nomem(s.len * t->base->size);
    memcpy(at, &s, sizeof s);
    return read_run(v, t->base, s.len, s.p);
}

static int
read_bytes(const ncz_json *v, const ncz_type *t, char *at)
{
    if (!ncz_json_is(v, NCZ_JSON_ARRAY) || ncz_json_len(v) != t->size)
        return fail_elem(v, t);
    for (size_t i = 0; i < t->size; i++)
        if (!ncz_format_number(ncz_json_at(v, i), ncz_type_of(NC_UBYTE), at + i))
            return fail_elem(v, t);
    return NC_NOERR;
}

int
ncz_format_elem_read(const ncz_json *v, const ncz_type *t, void *elem)
{
    char    *at = elem;
    uint64_t number;

    switch (t->class) {
    case NCZ_TYPE_NONE: return fail_elem(v, t);
    case NCZ_TYPE_STRING: return read_string(v, t, at);
    case NCZ_TYPE_ENUM: return ncz_format_elem_read(v, t->base, at);
    case NCZ_TYPE_OPAQUE: return read_bytes(v, t, at);
    case NCZ_TYPE_VLEN: return read_vlen(v, t, at);
    case NCZ_TYPE_COMPOUND: return read_fields(v, t, at);
    case NCZ_TYPE_CHAR: t = ncz_type_of(NC_UBYTE); break;
    default: break;
    }
    if (!ncz_format_number(v, t, &number))
        return fail_elem(v, t);
    memcpy(at, &number, t->size);
    return NC_NOERR;
}
