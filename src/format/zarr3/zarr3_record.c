/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data types `struct` and `structured` <-> records: fields packed in order, all in one byte order, which a codec
 * defines. Zarr v3 has no arrays as fields, so an array is written as a struct whose fields are named by their place,
 * "0", "1" ..., and such a struct is read as an array.
 */
#include "format/zarr3/zarr3_int.h"

#include <stdio.h>
#include <string.h>

#define ITEM_MOST ((size_t)1 << 31)

/* What is not understood leaves `sound` false. */
typedef struct reading {
    ncz_arena *arena;
    bool       big, sound;
} reading;

static int parse_field_type(const ncz_json *v, reading *x, ncz_record_field *f);

static int
parse_field(const ncz_json *v, reading *x, ncz_record_field *f, size_t *at)
{
    bool            pair = ncz_json_is(v, NCZ_JSON_ARRAY);
    const ncz_json *type = pair ? ncz_json_at(v, 1) : ncz_json_get(v, "data_type");
    size_t          len = 0, nbytes;
    const char     *name = ncz_json_str(pair ? ncz_json_at(v, 0) : ncz_json_get(v, "name"), &len);
    int             rc;

    *f = (ncz_record_field){.offset = *at, .nelems = 1};
    if (name == NULL || len == 0 || strlen(name) != len || len > NC_MAX_NAME) {
        x->sound = false;
        return NC_NOERR;
    }
    if ((f->name = ncz_arena_text(x->arena, name, len)) == NULL)
        return ncz_fail_nomem(len);
    if ((rc = parse_field_type(type, x, f)) != NC_NOERR)
        return rc;
    if (x->sound && (rc = ncz_format_bytes_to_chars(x->arena, f)) != NC_NOERR)
        return rc;
    x->sound = x->sound && ncz_mul(f->nelems, f->dtype.size, &nbytes) && ncz_add(*at, nbytes, at) && *at <= ITEM_MOST;
    return NC_NOERR;
}

static int
parse_fields(const ncz_json *v, reading *x, ncz_dtype *out)
{
    const ncz_json   *list = ncz_zarr3_config(v, "fields");
    size_t            n = ncz_json_len(list), size = 0;
    ncz_record       *r = ncz_arena_get(x->arena, sizeof *r);
    ncz_record_field *fields = ncz_arena_get_n(x->arena, n, sizeof *fields);
    int               rc = NC_NOERR;

    if (r == NULL || fields == NULL)
        return ncz_fail_nomem(n * sizeof *fields);
    x->sound = x->sound && n > 0 && ncz_json_is(list, NCZ_JSON_ARRAY);
    for (size_t i = 0; rc == NC_NOERR && x->sound && i < n; i++)
        rc = parse_field(ncz_json_at(list, i), x, &fields[i], &size);
    *r = (ncz_record){.size = size, .nfields = n, .fields = fields};
    *out = (ncz_dtype){.kind = NCZ_KIND_RECORD, .big = x->big, .size = size, .record = r};
    return rc;
}

static bool
is_struct(const ncz_json *v)
{
    const char *name = ncz_zarr3_name(v);

    return name != NULL && (strcmp(name, "struct") == 0 || strcmp(name, "structured") == 0);
}

static int
parse_field_type(const ncz_json *v, reading *x, ncz_record_field *f)
{
    ncz_zarr3_dtype t;
    int             rc;

    if (!is_struct(v)) {
        ncz_zarr3_dtype_parse(v, &t);
        f->dtype = t.st.dtype;
        f->dtype.big = x->big;
        if (f->dtype.kind == NCZ_KIND_RECORD) /* no struct: a complex number, which reads as one of two floats */
            f->dtype = ncz_format_complex(f->dtype.size, x->big);
        /* One field that netCDF lacks makes the whole record unreadable; the caller then lists it without a type. */
        x->sound = x->sound && f->dtype.kind != NCZ_KIND_OTHER && f->dtype.kind != NCZ_KIND_OBJECT;
        return NC_NOERR;
    }
    if ((rc = parse_fields(v, x, &f->dtype)) == NC_NOERR && x->sound)
        rc = ncz_format_unpack_array(x->arena, f);
    return rc;
}

int
ncz_zarr3_record_parse(const ncz_json *v, ncz_arena *arena, bool big, ncz_dtype *out)
{
    reading   x = {.arena = arena, .big = big, .sound = true};
    ncz_dtype d;
    int       rc;

    if (!is_struct(v)) {
        if (out->kind == NCZ_KIND_RECORD)
            *out = ncz_format_complex(out->size, big);
        return NC_NOERR;
    }
    if ((rc = parse_fields(v, &x, &d)) == NC_NOERR && x.sound)
        *out = d;
    return rc;
}

/* ---- writing ---- */

static void
open_config(const char *name, ncz_jsonw *w)
{
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, name);
    ncz_jsonw_key(w, "configuration");
    ncz_jsonw_open_object(w);
}

static void
close_config(ncz_jsonw *w)
{
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
}

static void
open_field(const char *name, ncz_jsonw *w)
{
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, name);
    ncz_jsonw_key(w, "data_type");
}

/* Zarr v3 has no array as a field: a struct of n fields of one type, named "0", "1" and so on, which the reader takes
 * for an array again. */
static void
write_array(const ncz_type *t, size_t n, ncz_jsonw *w)
{
    open_config("struct", w);
    ncz_jsonw_key(w, "fields");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < n; i++) {
        char name[24];

        (void)snprintf(name, sizeof name, "%zu", i);
        open_field(name, w);
        ncz_zarr3_record_write(t, w);
        ncz_jsonw_close_object(w);
    }
    ncz_jsonw_close_array(w);
    close_config(w);
}

void
ncz_zarr3_record_write(const ncz_type *t, ncz_jsonw *w)
{
    ncz_dtype d = ncz_dtype_of(t, false, 0);

    if (t->class == NCZ_TYPE_OPAQUE) {
        open_config("raw_bytes", w);
        ncz_jsonw_key(w, "length_bytes");
        ncz_jsonw_u64(w, t->size);
        close_config(w);
        return;
    }
    if (t->class != NCZ_TYPE_COMPOUND) {
        ncz_jsonw_cstr(w, ncz_zarr3_dtype_name(&d));
        return;
    }
    open_config("struct", w);
    ncz_jsonw_key(w, "fields");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        open_field(f->name, w);
        if (f->rank > 0)
            write_array(f->type, f->nelems, w);
        else
            ncz_zarr3_record_write(f->type, w);
        ncz_jsonw_close_object(w);
    }
    ncz_jsonw_close_array(w);
    close_config(w);
}

/* ---- fill values ---- */

static int
write_raw(const ncz_type *t, const char *at, ncz_jsonw *w)
{
    ncz_buf text = NCZ_BUF_INIT;
    size_t  n = (t->size + 2) / 3 * 4; /* of base64 */
    int     rc = ncz_buf_reserve(&text, n);

    if (rc == NC_NOERR) {
        ncz_base64_put(at, t->size, text.data);
        ncz_jsonw_str(w, text.data, n);
    }
    ncz_buf_clear(&text);
    return rc;
}

static int
write_field_fill(const ncz_type_field *f, const char *at, ncz_jsonw *w)
{
    int rc = NC_NOERR;

    if (f->rank == 0)
        return ncz_zarr3_record_fill_write(f->type, at, w);
    ncz_jsonw_open_object(w);
    for (size_t k = 0; rc == NC_NOERR && k < f->nelems; k++) {
        char name[24];

        (void)snprintf(name, sizeof name, "%zu", k);
        ncz_jsonw_key(w, name);
        rc = ncz_zarr3_record_fill_write(f->type, at + k * f->type->size, w);
    }
    ncz_jsonw_close_object(w);
    return rc;
}

int
ncz_zarr3_record_fill_write(const ncz_type *t, const void *elem, ncz_jsonw *w)
{
    const char *at = elem;
    int         rc = NC_NOERR;

    if (t->class == NCZ_TYPE_OPAQUE)
        return write_raw(t, at, w);
    if (t->class != NCZ_TYPE_COMPOUND) {
        ncz_format_elem_write(t, at, w);
        return NC_NOERR;
    }
    ncz_jsonw_open_object(w);
    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        ncz_jsonw_key(w, f->name);
        rc = write_field_fill(f, at + f->offset, w);
    }
    ncz_jsonw_close_object(w);
    return rc;
}
