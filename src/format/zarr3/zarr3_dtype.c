/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zarr v3's data types <-> element types: the core types, and the extension types that writers use. A type that
 * netCDF lacks becomes opaque elements of their true size, as far as the document gives it. The byte order is not part
 * of the type: a codec defines it.
 */
#include "format/zarr2/zarr2.h"
#include "format/zarr3/zarr3_int.h"

#include <inttypes.h>
#include <string.h>

#define ITEM_MOST ((uint64_t)1 << 31)

/* ---- named types ----------------------------------------------------------------------------------------------- */

/* Types without a configuration. */
static const struct {
    const char *name;
    ncz_kind    kind;
    size_t      size;
} plain[] = {
    {"bool", NCZ_KIND_BOOL, 1},
    {"int8", NCZ_KIND_INT, 1},
    {"int16", NCZ_KIND_INT, 2},
    {"int32", NCZ_KIND_INT, 4},
    {"int64", NCZ_KIND_INT, 8},
    {"uint8", NCZ_KIND_UINT, 1},
    {"uint16", NCZ_KIND_UINT, 2},
    {"uint32", NCZ_KIND_UINT, 4},
    {"uint64", NCZ_KIND_UINT, 8},
    {"float16", NCZ_KIND_FLOAT, 2},
    {"float32", NCZ_KIND_FLOAT, 4},
    {"float64", NCZ_KIND_FLOAT, 8},
    {"string", NCZ_KIND_OBJECT, NCZ_OBJECT_SIZE},
    {"bytes", NCZ_KIND_OBJECT, NCZ_OBJECT_SIZE},
    {"variable_length_bytes", NCZ_KIND_OBJECT, NCZ_OBJECT_SIZE},
    {"complex64", NCZ_KIND_RECORD, 8},
    {"complex128", NCZ_KIND_RECORD, 16},
    {"complex_float16", NCZ_KIND_OTHER, 4},
    {"complex_bfloat16", NCZ_KIND_OTHER, 4},
    {"complex_float32", NCZ_KIND_RECORD, 8},
    {"complex_float64", NCZ_KIND_RECORD, 16},
    {"bfloat16", NCZ_KIND_OTHER, 2},
};

/* Types that are of one byte, whatever the rest of the name: float8_e4m3, int4. */
static const char *const one_byte[] = {"float8_", "float6_", "float4_", "int2", "uint2", "int4", "uint4"};

/* Most names of a list differ in their first letter. */
static bool
same_text(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static bool
find_plain(const char *name, ncz_dtype *out)
{
    for (size_t i = 0; i < NCZ_LEN(plain); i++)
        if (same_text(name, plain[i].name)) {
            *out = plain[i].kind == NCZ_KIND_RECORD ? ncz_format_complex(plain[i].size, false)
                                                    : (ncz_dtype){.kind = plain[i].kind, .size = plain[i].size};
            return true;
        }
    return false;
}

/* The size of a type that netCDF lacks; 1 if it is unknown. */
static size_t
size_by_name(const char *name)
{
    if (strncmp(name, "complex_float8_", strlen("complex_float8_")) == 0)
        return 2;
    for (size_t i = 0; i < NCZ_LEN(one_byte); i++)
        if (strncmp(name, one_byte[i], strlen(one_byte[i])) == 0)
            return 1;
    return 1;
}

/* Bytes of `r<bits>`; 0 if it is not such a name. */
static size_t
raw_size(const char *name)
{
    uint64_t bits = 0;

    if (name[0] != 'r' || name[1] < '1' || name[1] > '9')
        return 0;
    for (const char *p = name + 1; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || bits > ITEM_MOST * 8)
            return 0;
        bits = bits * 10 + (uint64_t)(*p - '0');
    }
    return bits % 8 == 0 && bits / 8 <= ITEM_MOST ? (size_t)(bits / 8) : 0;
}

/* ---- types with a configuration -------------------------------------------------------------------------------- */

/* The member "length_bytes"; 0 if it is no size. */
static size_t
configured_size(const ncz_json *v)
{
    uint64_t n = 0;

    return ncz_json_u64(ncz_zarr3_config(v, "length_bytes"), &n) && n <= ITEM_MOST ? (size_t)n : 0;
}

/* numpy.datetime64 and numpy.timedelta64: 64-bit integers with CF units, unless the unit is generic. */
static void
parse_time(const ncz_json *v, bool since, ncz_zarr3_dtype *out)
{
    size_t      len = 0;
    const char *unit = ncz_json_str(ncz_zarr3_config(v, "unit"), &len);
    uint64_t    count = 1;

    out->fill = ZARR3_FILL_TIME;
    out->st.dtype = (ncz_dtype){.kind = NCZ_KIND_INT, .size = 8};
    if (ncz_zarr3_config(v, "scale_factor") != NULL && !ncz_json_u64(ncz_zarr3_config(v, "scale_factor"), &count))
        return;
    if (unit != NULL && count > 0 && count <= INT32_MAX)
        ncz_format_time_units(unit, len, count, since, &out->st);
}

/* Text and bytes of a fixed length. */
static bool
parse_sized(const ncz_json *v, const char *name, ncz_zarr3_dtype *out)
{
    size_t n = configured_size(v);

    if (strcmp(name, "fixed_length_utf32") == 0) {
        out->fill = ZARR3_FILL_TEXT;
        if (n > 0 && n % 4 == 0)
            out->st.dtype = (ncz_dtype){.kind = NCZ_KIND_UCS4, .size = n};
    } else if (strcmp(name, "null_terminated_bytes") == 0) {
        out->fill = ZARR3_FILL_BYTES;
        if (n > 0)
            out->st.dtype = (ncz_dtype){.kind = NCZ_KIND_BYTES, .size = n};
    } else {
        if (strcmp(name, "raw_bytes") != 0)
            n = raw_size(name);
        else if (n == 0) /* of a size that cannot be */
            return true;
        if (n == 0)
            return false;
        out->fill = ZARR3_FILL_BYTES;
        out->st.dtype = (ncz_dtype){.kind = NCZ_KIND_RAW, .size = n};
    }
    return true;
}

/* Size of a packed element with these fields, each {"name", "data_type"} or [name, type]; 1 if unknown. */
static size_t
struct_size(const ncz_json *v)
{
    const ncz_json *fields = ncz_zarr3_config(v, "fields");
    size_t          total = 0;

    for (size_t i = 0; i < ncz_json_len(fields); i++) {
        const ncz_json *f = ncz_json_at(fields, i);
        const ncz_json *type = ncz_json_is(f, NCZ_JSON_ARRAY) ? ncz_json_at(f, 1) : ncz_json_get(f, "data_type");
        ncz_zarr3_dtype t;

        ncz_zarr3_dtype_parse(type, &t);
        if (!ncz_add(total, t.st.dtype.size, &total) || total > ITEM_MOST)
            return 1;
    }
    return total == 0 ? 1 : total;
}

/* ---- a type ---------------------------------------------------------------------------------------------------- */

void
ncz_zarr3_dtype_parse(const ncz_json *v, ncz_zarr3_dtype *out)
{
    const char *name = ncz_zarr3_name(v);

    *out = (ncz_zarr3_dtype){
        .st = {.type = ncz_type_of(NC_NAT), .dtype = {NCZ_KIND_OTHER, false, 1}, .endian = NC_ENDIAN_NATIVE},
        .fill = ZARR3_FILL_OTHER};
    if (name == NULL)
        return;
    if (find_plain(name, &out->st.dtype)) {
        out->fill = out->st.dtype.kind == NCZ_KIND_OTHER || out->st.dtype.kind == NCZ_KIND_RECORD ? ZARR3_FILL_OTHER
                    : out->st.dtype.kind != NCZ_KIND_OBJECT                                       ? ZARR3_FILL_NUMBER
                    : strcmp(name, "string") == 0                                                 ? ZARR3_FILL_TEXT
                                                                                                  : ZARR3_FILL_BYTES;
    } else if (strcmp(name, "numpy.datetime64") == 0 || strcmp(name, "numpy.timedelta64") == 0) {
        parse_time(v, name[6] == 'd', out);
    } else if (strcmp(name, "struct") == 0 || strcmp(name, "structured") == 0) {
        out->st.dtype.size = struct_size(v);
    } else if (!parse_sized(v, name, out)) {
        out->st.dtype.size = size_by_name(name);
    }
    out->st.type = ncz_dtype_type(&out->st.dtype);
}

const char *
ncz_zarr3_dtype_name(const ncz_dtype *d)
{
    if (d->kind == NCZ_KIND_CHAR)
        return "uint8";
    for (size_t i = 0; i < NCZ_LEN(plain) && d->kind != NCZ_KIND_OTHER && d->kind != NCZ_KIND_RECORD; i++)
        if (plain[i].kind == d->kind && plain[i].size == d->size)
            return plain[i].name;
    return NULL;
}

/* ---- types of attributes --------------------------------------------------------------------------------------- */

const ncz_type *
ncz_zarr3_att_type(const char *entry)
{
    ncz_dtype d;

    if (same_text(entry, "char") || same_text(entry, "json"))
        return ncz_type_of(NC_CHAR);
    if (!find_plain(entry, &d))
        return ncz_zarr2.types.att_type(entry);
    return d.kind == NCZ_KIND_BOOL || (d.kind == NCZ_KIND_OBJECT && strcmp(entry, "string") != 0)
               ? ncz_type_of(NC_NAT)
               : ncz_dtype_type(&d);
}

/* ---- from the document's own text ------------------------------------------------------------------------------ */

/* Parses a variable's own text. NULL: no JSON, or no memory. */
static ncz_json *
parse_text(const char *text)
{
    size_t              len = strlen(text);
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 128, .nbytes = len};
    ncz_json           *v = NULL;

    if (ncz_json_parse(text, len, &opts, &v, NULL) != NC_NOERR)
        ncz_err_clear();
    return v;
}

void
ncz_zarr3_stored_type(const char *text, ncz_stored_type *out)
{
    ncz_json       *v = parse_text(text);
    ncz_zarr3_dtype t;

    ncz_zarr3_dtype_parse(v, &t);
    *out = t.st;
    ncz_json_free(v);
}

int
ncz_zarr3_type_name(const char *text, ncz_buf *out)
{
    ncz_json       *v = parse_text(text);
    const char     *name = ncz_zarr3_name(v);
    ncz_zarr3_dtype t;
    int             rc;

    ncz_zarr3_dtype_parse(v, &t);
    if (name == NULL)
        rc = ncz_buf_printf(out, "%.80s", text);
    else if (strcmp(name, "struct") == 0 || strcmp(name, "structured") == 0)
        rc = ncz_buf_puts(out, "structure");
    else if (t.fill == ZARR3_FILL_BYTES && t.st.dtype.kind == NCZ_KIND_OTHER)
        rc = ncz_buf_printf(out, "opaque(%zu)", t.st.dtype.size);
    else
        rc = ncz_buf_printf(out, "%.80s", name);
    ncz_json_free(v);
    return rc;
}
