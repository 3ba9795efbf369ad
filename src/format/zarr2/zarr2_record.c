/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's structured types, lists of [name, type] or [name, type, shape], <-> records. Reading accepts whatever NumPy
 * writes: nested lists, byte orders of each field, unnamed fields as gaps, titles. Writing packs all fields, and has no
 * shapes: no version 3 of zarr-python reads those. An array of characters is fixed-width bytes.
 */
#include "format/zarr2/zarr2_int.h"

#include <stdio.h>
#include <string.h>

#define ITEM_MOST ((size_t)1 << 31)

/* What is not understood leaves `sound` false. */
typedef struct reading {
    ncz_arena *arena;
    bool       sound;
} reading;

static int parse_type(const ncz_json *v, reading *x, ncz_dtype *out);

static int
parse_shape(const ncz_json *v, reading *x, ncz_record_field *f)
{
    bool     list = ncz_json_is(v, NCZ_JSON_ARRAY);
    size_t   rank = v == NULL ? 0 : list ? ncz_json_len(v) : 1;
    size_t  *shape;
    uint64_t n;

    f->nelems = 1;
    if (rank == 0)
        return NC_NOERR;
    if ((shape = ncz_arena_get_n(x->arena, rank, sizeof *shape)) == NULL)
        return ncz_fail_nomem(rank * sizeof *shape);
    for (size_t r = 0; r < rank; r++) {
        x->sound = x->sound && ncz_json_u64(list ? ncz_json_at(v, r) : v, &n) && n > 0 && n <= ITEM_MOST &&
                   ncz_mul(f->nelems, (size_t)n, &f->nelems);
        shape[r] = x->sound ? (size_t)n : 1;
    }
    f->rank = rank;
    f->shape = shape;
    return NC_NOERR;
}

/* One field at *at. An unnamed one is a gap: *gap. */
static int
parse_field(const ncz_json *v, reading *x, ncz_record_field *f, size_t *at, bool *gap)
{
    const ncz_json *label = ncz_json_at(v, 0);
    size_t          len = 0, nbytes;
    const char     *name = ncz_json_str(ncz_json_is(label, NCZ_JSON_ARRAY) ? ncz_json_at(label, 1) : label, &len);
    int             rc;

    *f = (ncz_record_field){.offset = *at};
    if (name == NULL || strlen(name) != len || len > NC_MAX_NAME) {
        x->sound = false;
        return NC_NOERR;
    }
    *gap = len == 0;
    if ((f->name = ncz_arena_text(x->arena, name, len)) == NULL)
        return ncz_fail_nomem(len);
    if ((rc = parse_type(ncz_json_at(v, 1), x, &f->dtype)) != NC_NOERR ||
        (rc = parse_shape(ncz_json_at(v, 2), x, f)) != NC_NOERR)
        return rc;
    x->sound = x->sound && ncz_mul(f->nelems, f->dtype.size, &nbytes) && nbytes <= ITEM_MOST;
    if ((x->sound && (rc = ncz_format_bytes_to_chars(x->arena, f)) != NC_NOERR) ||
        (x->sound && (rc = ncz_format_unpack_array(x->arena, f)) != NC_NOERR))
        return rc;
    x->sound = x->sound && ncz_mul(f->nelems, f->dtype.size, &nbytes) && ncz_add(*at, nbytes, at) && *at <= ITEM_MOST;
    return NC_NOERR;
}

static int
parse_fields(const ncz_json *v, reading *x, ncz_dtype *out)
{
    size_t            n = ncz_json_len(v), size = 0, got = 0;
    ncz_record       *r = ncz_arena_get(x->arena, sizeof *r);
    ncz_record_field *fields = ncz_arena_get_n(x->arena, n, sizeof *fields);
    int               rc = NC_NOERR;

    if (r == NULL || fields == NULL)
        return ncz_fail_nomem(n * sizeof *fields);
    for (size_t i = 0; rc == NC_NOERR && x->sound && i < n; i++) {
        bool gap = false;

        rc = parse_field(ncz_json_at(v, i), x, &fields[got], &size, &gap);
        got += !gap;
    }
    x->sound = x->sound && got > 0;
    *r = (ncz_record){.size = size, .nfields = got, .fields = fields};
    *out = (ncz_dtype){.kind = NCZ_KIND_RECORD, .size = size, .record = r};
    return rc;
}

static int
parse_type(const ncz_json *v, reading *x, ncz_dtype *out)
{
    const char     *text = ncz_json_cstr(v);
    ncz_typestr     t;
    ncz_stored_type st;

    *out = (ncz_dtype){.kind = NCZ_KIND_OTHER, .size = 1};
    if (ncz_json_is(v, NCZ_JSON_ARRAY))
        return parse_fields(v, x, out);
    if (text == NULL || !ncz_format_typestr_parse(text, &t)) {
        x->sound = false;
        return NC_NOERR;
    }
    ncz_format_typestr_type(&t, false, false, &st);
    *out = st.dtype;
    x->sound = x->sound && out->kind != NCZ_KIND_OTHER && out->kind != NCZ_KIND_OBJECT;
    return NC_NOERR;
}

int
ncz_zarr2_record_parse(const ncz_json *v, ncz_arena *arena, ncz_dtype *out)
{
    reading   x = {.arena = arena, .sound = true};
    ncz_dtype d;
    int       rc = parse_type(v, &x, &d);

    if (rc == NC_NOERR && x.sound)
        *out = d;
    return rc;
}

/* ---- writing ---- */

static void
write_number(const ncz_dtype *d, ncz_jsonw *w)
{
    static const char letters[] = {[NCZ_KIND_INT] = 'i',
                                   [NCZ_KIND_UINT] = 'u',
                                   [NCZ_KIND_FLOAT] = 'f',
                                   [NCZ_KIND_CHAR] = 'S',
                                   [NCZ_KIND_RAW] = 'V'};
    bool              plain = d->size == 1 || d->kind == NCZ_KIND_CHAR || d->kind == NCZ_KIND_RAW;
    char              text[32];

    (void)snprintf(text, sizeof text, "%c%c%zu", plain ? '|' : '<', letters[d->kind], d->size);
    ncz_jsonw_cstr(w, text);
}

/* An array as a record, which all versions of zarr-python read. */
static void
write_array(const ncz_type *t, size_t n, ncz_jsonw *w)
{
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < n; i++) {
        char name[24];

        (void)snprintf(name, sizeof name, "%zu", i);
        ncz_jsonw_open_array(w);
        ncz_jsonw_cstr(w, name);
        ncz_zarr2_record_write(t, w);
        ncz_jsonw_close_array(w);
    }
    ncz_jsonw_close_array(w);
}

void
ncz_zarr2_record_write(const ncz_type *t, ncz_jsonw *w)
{
    ncz_dtype d = ncz_dtype_of(t, false, 0);

    if (t->class != NCZ_TYPE_COMPOUND) {
        write_number(&d, w);
        return;
    }
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        ncz_jsonw_open_array(w);
        ncz_jsonw_cstr(w, f->name);
        if (f->rank == 1 && f->nelems > 1 && f->type->class == NCZ_TYPE_CHAR)
            write_number(&(ncz_dtype){.kind = NCZ_KIND_CHAR, .size = f->nelems}, w); /* read as such an array, too */
        else if (f->rank > 0)
            write_array(f->type, f->nelems, w);
        else
            ncz_zarr2_record_write(f->type, w);
        ncz_jsonw_close_array(w);
    }
    ncz_jsonw_close_array(w);
}
