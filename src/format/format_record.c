/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stored records: complex numbers as records of two numbers, fixed-width bytes as arrays of characters, other arrays as
 * records whose fields are named by their place ("0", "1" ...; the present zarr-python has no arrays in records), and
 * fill values of records and raw bytes: null, 0, the bytes in base64 or as a list of numbers, a record's fields as an
 * object or a list.
 */
#include "format/format_int.h"

#include <stdio.h>
#include <string.h>

/* ---- complex numbers ---- */

#define PART(name_, at, size_, big_)                                                                                 \
    {                                                                                                                \
        .name = name_, .offset = at, .dtype = {NCZ_KIND_FLOAT, big_, size_}, .nelems = 1                             \
    }
#define PARTS(size_, big_)                                                                                           \
    {                                                                                                                \
        PART("r", 0, size_, big_), PART("i", size_, size_, big_)                                                     \
    }

static const ncz_record_field parts[4][2] = {PARTS(4, false), PARTS(4, true), PARTS(8, false), PARTS(8, true)};
static const ncz_record complexes[4] = {{8, 2, parts[0]}, {8, 2, parts[1]}, {16, 2, parts[2]}, {16, 2, parts[3]}};

ncz_dtype
ncz_format_complex(size_t size, bool big)
{
    const ncz_record *r = &complexes[(size == 16 ? 2 : 0) + (big ? 1 : 0)];

    return (ncz_dtype){.kind = NCZ_KIND_RECORD, .big = big, .size = r->size, .record = r};
}

/* ---- arrays as fields ---- */

static bool
same_records(const ncz_record *a, const ncz_record *b)
{
    if (a == b || a == NULL || b == NULL)
        return a == b;
    if (a->nfields != b->nfields || a->size != b->size)
        return false;
    for (size_t i = 0; i < a->nfields; i++) {
        const ncz_record_field *f = &a->fields[i], *g = &b->fields[i];

        if (f->dtype.kind != g->dtype.kind || f->dtype.size != g->dtype.size || f->nelems != g->nelems ||
            strcmp(f->name, g->name) != 0 || !same_records(f->dtype.record, g->dtype.record))
            return false;
    }
    return true;
}

/* True if the record is an array: all fields are alike and named by their place. */
static bool
is_array(const ncz_record *r)
{
    for (size_t i = 0; i < r->nfields; i++) {
        const ncz_record_field *f = &r->fields[i], *first = &r->fields[0];
        char                    name[24];

        (void)snprintf(name, sizeof name, "%zu", i);
        if (strcmp(f->name, name) != 0 || f->rank > 0 || f->dtype.kind != first->dtype.kind ||
            f->dtype.size != first->dtype.size || !same_records(f->dtype.record, first->dtype.record))
            return false;
    }
    return r->nfields > 0;
}

int
ncz_format_unpack_array(ncz_arena *arena, ncz_record_field *f)
{
    size_t *shape;

    if (f->rank > 0 || f->dtype.kind != NCZ_KIND_RECORD || !is_array(f->dtype.record))
        return NC_NOERR;
    if ((shape = ncz_arena_get(arena, sizeof *shape)) == NULL)
        return ncz_fail_nomem(sizeof *shape);
    *shape = f->nelems = f->dtype.record->nfields;
    f->rank = 1;
    f->shape = shape;
    f->dtype = f->dtype.record->fields[0].dtype;
    return NC_NOERR;
}

int
ncz_format_bytes_to_chars(ncz_arena *arena, ncz_record_field *f)
{
    size_t n = f->dtype.size, rank = f->rank, *shape;

    if (f->dtype.kind != NCZ_KIND_BYTES)
        return NC_NOERR;
    f->dtype = (ncz_dtype){.kind = NCZ_KIND_CHAR, .size = 1};
    if (n == 1)
        return NC_NOERR;
    if ((shape = ncz_arena_get_n(arena, rank + 1, sizeof *shape)) == NULL)
        return ncz_fail_nomem((rank + 1) * sizeof *shape);
    if (rank > 0)
        memcpy(shape, f->shape, rank * sizeof *shape);
    shape[rank] = n;
    f->shape = shape;
    f->rank = rank + 1;
    f->nelems *= n; /* the caller checks the field's bytes */
    return NC_NOERR;
}

/* ---- fill values ---- */

static int
fail_fill(const ncz_json *v)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    return ncz_fail(NC_EZARRMETA, "fill_value %.*s is no value of its type", (int)(len > 60 ? 60 : len),
                    text != NULL ? text : "null");
}

static int read_elem(const ncz_json *v, const ncz_dtype *d, unsigned char *out);

/* Base64 of a field of characters, perhaps without the NULs at its end; `out` is zero. */
static int
read_chars(const ncz_json *v, size_t most, unsigned char *out)
{
    size_t      len = 0, at;
    const char *text = ncz_json_str(v, &len);

    if (len % 4 != 0 || ncz_base64_bytes(text, len) > most || !ncz_base64_get(text, len, out, &at))
        return fail_fill(v);
    return NC_NOERR;
}

/* Base64 of exactly the element's bytes. */
static int
read_base64(const ncz_json *v, size_t size, unsigned char *out)
{
    size_t      len = 0, at;
    const char *text = ncz_json_str(v, &len);

    if (text == NULL || len % 4 != 0 || ncz_base64_bytes(text, len) != size || !ncz_base64_get(text, len, out, &at))
        return fail_fill(v);
    return NC_NOERR;
}

static int
read_bytes(const ncz_json *v, size_t size, unsigned char *out)
{
    if (ncz_json_len(v) != size)
        return fail_fill(v);
    for (size_t i = 0; i < size; i++)
        if (!ncz_format_number(ncz_json_at(v, i), ncz_type_of(NC_UBYTE), out + i))
            return fail_fill(v);
    return NC_NOERR;
}

static int
read_number(const ncz_json *v, const ncz_dtype *d, unsigned char *out)
{
    const ncz_type *type = d->kind == NCZ_KIND_CHAR ? ncz_type_of(NC_UBYTE) : ncz_dtype_type(d);
    uint64_t        elem;
    int64_t         nat = INT64_MIN;

    if (d->size == 8 && d->kind == NCZ_KIND_INT && ncz_json_str_is(v, "NaT"))
        return ncz_convert_in(type, &nat, d, out, 1, false);
    if (!ncz_type_is_number(type) || !ncz_format_number(v, type, &elem))
        return fail_fill(v);
    if (d->kind == NCZ_KIND_CHAR) {
        memcpy(out, &elem, 1);
        return NC_NOERR;
    }
    return ncz_convert_in(type, &elem, d, out, 1, false);
}

/* zarr-python writes the text of a `<U` field as it is. */
static int
read_text(const ncz_json *v, const ncz_dtype *d, unsigned char *out)
{
    size_t      len = 0;
    const char *text = ncz_json_str(v, &len);

    if (text == NULL || strlen(text) != len || !ncz_utf8_valid(text, len))
        return fail_fill(v);
    return ncz_convert_in(ncz_type_of(NC_STRING), &text, d, out, 1, false);
}

/* Element k of a field of several: an array in a document is a record whose fields are named by their place. */
static const ncz_json *
item_of(const ncz_json *v, const ncz_record_field *f, size_t k)
{
    if (f->rank == 0)
        return v;
    return ncz_json_at(v, k); /* of an object, too: its fields are written in their order */
}

static int
read_fields(const ncz_json *v, const ncz_record *r, unsigned char *out)
{
    bool object = ncz_json_is(v, NCZ_JSON_OBJECT);
    int  rc = NC_NOERR;

    if (!object && (!ncz_json_is(v, NCZ_JSON_ARRAY) || ncz_json_len(v) != r->nfields))
        return fail_fill(v);
    for (size_t i = 0; i < r->nfields; i++) {
        const ncz_record_field *f = &r->fields[i];
        const ncz_json         *item = object ? ncz_json_get(v, f->name) : ncz_json_at(v, i);

        if (f->rank > 0 && f->dtype.kind == NCZ_KIND_CHAR && ncz_json_is(item, NCZ_JSON_STRING)) {
            if ((rc = read_chars(item, f->nelems, out + f->offset)) != NC_NOERR)
                return rc;
            continue;
        }
        if (f->rank > 0 && ncz_json_len(item) != f->nelems)
            return fail_fill(v);
        for (size_t k = 0; rc == NC_NOERR && k < f->nelems; k++)
            rc = read_elem(item_of(item, f, k), &f->dtype, out + f->offset + k * f->dtype.size);
    }
    return rc;
}

static int
read_elem(const ncz_json *v, const ncz_dtype *d, unsigned char *out)
{
    bool text = ncz_json_is(v, NCZ_JSON_STRING);

    if (d->kind == NCZ_KIND_RAW)
        return text ? read_base64(v, d->size, out) : read_bytes(v, d->size, out);
    if (d->kind == NCZ_KIND_RECORD)
        return text ? read_base64(v, d->size, out) : read_fields(v, d->record, out);
    if (d->kind == NCZ_KIND_UCS4)
        return read_text(v, d, out);
    return read_number(v, d, out);
}

int
ncz_format_stored_fill(const ncz_json *v, const ncz_dtype *d, void **out)
{
    uint64_t number;
    bool     zero = ncz_json_u64(v, &number) && number == 0;
    void    *elem;
    int      rc = NC_NOERR;

    *out = NULL;
    if (ncz_json_is(v, NCZ_JSON_NULL))
        return NC_NOERR;
    if ((elem = ncz_zalloc(d->size)) == NULL)
        return ncz_fail_nomem(d->size);
    if (!zero && (rc = read_elem(v, d, elem)) != NC_NOERR) {
        ncz_free(elem);
        return rc;
    }
    *out = elem;
    return NC_NOERR;
}
