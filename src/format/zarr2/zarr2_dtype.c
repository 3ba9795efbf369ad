/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's type strings <-> element types. Reading is lenient: it accepts every form that netCDF-C has written (`<i1`,
 * `>S1`, `|i4`, `<U1` for characters). A type that netCDF lacks becomes opaque elements, of their true size if the
 * type string gives it.
 */
#include "format/zarr2/zarr2_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ITEM_MOST ((size_t)1 << 31)

/* The parts of a typestr: `<m8[10us]` is order '<', kind 'm', size 8, unit "us", count 10. */
typedef struct typestr {
    char        order, kind;
    size_t      size;
    bool        sized;
    const char *unit;
    size_t      unit_len;
    uint64_t    count;
} typestr;

static const char *
take_number(const char *p, uint64_t *out, bool *any)
{
    uint64_t n = 0;

    *any = false;
    for (; *p >= '0' && *p <= '9'; p++) {
        *any = true;
        if (n <= ITEM_MOST)
            n = n * 10 + (uint64_t)(*p - '0');
    }
    *out = n;
    return p;
}

static bool
take_apart(const char *s, typestr *t)
{
    uint64_t size;
    bool     any;

    *t = (typestr){.order = '|', .count = 1};
    if (*s != '\0' && strchr("<>|=", *s) != NULL)
        t->order = *s++;
    if (*s == '\0')
        return false;
    t->kind = *s++;
    s = take_number(s, &size, &t->sized);
    if (size > ITEM_MOST)
        return false;
    t->size = (size_t)size;
    if (*s == '[') {
        s = take_number(s + 1, &t->count, &any);
        if (!any)
            t->count = 1;
        t->unit = s;
        t->unit_len = strcspn(s, "]");
        s += t->unit_len;
        if (*s++ != ']')
            return false;
    }
    return *s == '\0';
}

static bool
is_pow2_upto(size_t size, size_t least, size_t most)
{
    return size >= least && size <= most && (size & (size - 1)) == 0;
}

/* The stored type of a typestr; NCZ_KIND_OTHER if netCDF has no such type. */
static ncz_dtype
dtype_of(const typestr *t, bool nczarr, bool char_u1)
{
    ncz_dtype d = {NCZ_KIND_OTHER, t->order == '>', t->size == 0 ? 1 : t->size};

    switch (t->kind) {
    case 'b':
        if (t->size == 1)
            d.kind = NCZ_KIND_BOOL;
        break;
    case 'i':
    case 'u':
        if (is_pow2_upto(t->size, 1, 8))
            d.kind = t->kind == 'i' ? NCZ_KIND_INT : NCZ_KIND_UINT;
        break;
    case 'f':
        if (is_pow2_upto(t->size, 2, 8))
            d.kind = NCZ_KIND_FLOAT;
        break;
    case 'M':
    case 'm':
        d.size = 8;
        if (t->size == 8)
            d.kind = NCZ_KIND_INT;
        break;
    case 'S':
    case 'a':
        if (t->size == 1 && nczarr && t->order == '>')
            d.kind = NCZ_KIND_CHAR;
        else if (t->size != 0)
            d.kind = NCZ_KIND_BYTES;
        break;
    case 'O': d = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE}; break;
    case 'U':
        if (t->size == 1 && char_u1) {
            d.kind = NCZ_KIND_CHAR;
        } else if (t->size != 0) {
            d.kind = NCZ_KIND_UCS4;
            d.size = t->size * 4;
        }
        break;
    default: break;
    }
    if (d.kind == NCZ_KIND_CHAR || d.kind == NCZ_KIND_BYTES)
        d.big = false;
    return d;
}

/* Size of a structured element whose fields are plain types or plain sub-arrays; 1 if unknown. */
static size_t
struct_size(const ncz_json *v)
{
    size_t total = 0;

    for (size_t i = 0; i < ncz_json_len(v); i++) {
        const ncz_json *field = ncz_json_at(v, i), *shape = ncz_json_at(field, 2);
        const char     *text = ncz_json_str(ncz_json_at(field, 1), NULL);
        typestr         t;
        size_t          n;

        if (text == NULL || !take_apart(text, &t))
            return 1;
        n = dtype_of(&t, false, false).size;
        for (size_t k = 0; k < ncz_json_len(shape); k++) {
            uint64_t len;

            if (!ncz_json_u64(ncz_json_at(shape, k), &len) || len > ITEM_MOST || !ncz_mul(n, (size_t)len, &n))
                return 1;
        }
        if (!ncz_add(total, n, &total) || total > ITEM_MOST)
            return 1;
    }
    return total == 0 ? 1 : total;
}

static void
understand(const typestr *t, bool nczarr, bool char_u1, ncz_stored_type *out)
{
    out->dtype = dtype_of(t, nczarr, char_u1);
    out->type = ncz_dtype_type(&out->dtype);
    if (out->dtype.kind == NCZ_KIND_CHAR || out->dtype.kind == NCZ_KIND_BYTES || out->dtype.kind == NCZ_KIND_BOOL ||
        out->dtype.kind == NCZ_KIND_OBJECT)
        return;
    out->endian = t->order == '>' ? NC_ENDIAN_BIG : t->order == '<' ? NC_ENDIAN_LITTLE : NC_ENDIAN_NATIVE;
    if (out->type->class != NCZ_TYPE_NONE && t->unit != NULL)
        ncz_format_time_units(t->unit, t->unit_len, t->count, t->kind == 'M', out);
}

void
ncz_zarr2_dtype_parse(const ncz_json *v, bool nczarr, bool char_u1, ncz_stored_type *out)
{
    const char *text = ncz_json_str(v, NULL);
    typestr     t;

    *out = (ncz_stored_type){
        .type = ncz_type_of(NC_NAT), .dtype = {NCZ_KIND_OTHER, false, 1}, .endian = NC_ENDIAN_NATIVE};
    if (text == NULL || !take_apart(text, &t)) {
        if (ncz_json_is(v, NCZ_JSON_ARRAY))
            out->dtype.size = struct_size(v);
        return;
    }
    understand(&t, nczarr, char_u1, out);
}

const ncz_type *
ncz_zarr2_att_type(const char *entry)
{
    ncz_stored_type st;
    typestr         t;

    if (entry[0] >= '0' && entry[0] <= '9') { /* generation 1: the type's number */
        int type = entry[1] == '\0' ? entry[0] - '0' : (entry[0] - '0') * 10 + (entry[1] - '0');

        return ncz_type_of(strlen(entry) <= 2 ? type : NC_NAT);
    }
    if (!take_apart(entry, &t))
        return ncz_type_of(NC_NAT);
    if (t.kind == 'J' || (t.kind == 'U' && t.size <= 1))
        return ncz_type_of(NC_CHAR);
    st.dtype = dtype_of(&t, true, true);
    return t.kind == 'b' || t.kind == 'O' ? ncz_type_of(NC_NAT) : ncz_dtype_type(&st.dtype);
}

int
ncz_zarr2_dtype_write(const ncz_var *v, const ncz_nczarr_layout *lay, ncz_jsonw *w)
{
    static const char letters[] = {[NCZ_KIND_INT] = 'i',  [NCZ_KIND_UINT] = 'u',  [NCZ_KIND_FLOAT] = 'f',
                                   [NCZ_KIND_BOOL] = 'b', [NCZ_KIND_BYTES] = 'S', [NCZ_KIND_UCS4] = 'U'};
    char              text[32];
    char              order = v->endian == NC_ENDIAN_BIG ? '>' : '<';
    size_t            size = v->dtype.size;

    if (v->type->class == NCZ_TYPE_STRING && !lay->strings)
        return ncz_fail(NC_EBADTYPE, "%s: this NCZarr generation has no strings (NC_STRING)", v->spec->path);
    if (v->dtype_text != NULL) {
        ncz_jsonw_raw(w, v->dtype_text, strlen(v->dtype_text));
        return NC_NOERR;
    }
    switch (v->dtype.kind) {
    case NCZ_KIND_OBJECT: ncz_jsonw_cstr(w, "|O"); return NC_NOERR;
    case NCZ_KIND_OTHER: return ncz_fail(NC_EBADTYPE, "%s: no stored type is known for it", v->spec->path);
    case NCZ_KIND_CHAR: ncz_jsonw_cstr(w, lay->char_dtype); return NC_NOERR;
    case NCZ_KIND_BYTES:
    case NCZ_KIND_BOOL: order = '|'; break;
    case NCZ_KIND_UCS4: size /= 4; break;
    case NCZ_KIND_INT:
    case NCZ_KIND_UINT:
        if (size == 1 && lay->numpy_bytes)
            order = '|';
        break;
    case NCZ_KIND_FLOAT: break;
    }
    (void)snprintf(text, sizeof text, "%c%c%zu", order, letters[v->dtype.kind], size);
    ncz_jsonw_cstr(w, text);
    return NC_NOERR;
}

/* ---- names for users ---- */

int
ncz_zarr2_type_name(const char *text, ncz_buf *out)
{
    char    bare[32];
    size_t  len = strlen(text);
    typestr t;

    if (text[0] == '[' || text[0] == '{')
        return ncz_buf_puts(out, "structure");
    if (text[0] != '"' || len < 2 || len - 2 >= sizeof bare)
        return ncz_buf_printf(out, "%.80s", text);
    memcpy(bare, text + 1, len - 2);
    bare[len - 2] = '\0';
    if (!take_apart(bare, &t) || !t.sized)
        return ncz_buf_puts(out, bare);
    if (t.kind == 'c')
        return ncz_buf_printf(out, "complex%zu", t.size * 8);
    if (t.kind == 'V')
        return ncz_buf_printf(out, "opaque(%zu)", t.size);
    if (t.kind == 'f')
        return ncz_buf_printf(out, "float%zu", t.size * 8);
    return ncz_buf_puts(out, bare);
}

/* ---- the type of one variable, as a typestr ---- */

int
ncz_zarr2_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    ncz_buf   text = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&text);
    int       rc;

    if ((rc = ncz_zarr2_dtype_write(v, &ncz_zarr2_layouts[style->gen], &w)) == NC_NOERR)
        rc = ncz_jsonw_end(&w);
    if (rc == NC_NOERR && (text.len < 2 || text.data[0] != '"'))
        rc = ncz_fail(NC_EBADTYPE, "%s: its stored type is no plain one", v->spec->path);
    if (rc == NC_NOERR)
        rc = ncz_buf_append(out, text.data + 1, text.len - 2); /* a typestr contains nothing to escape */
    ncz_buf_clear(&text);
    return rc;
}

/* True for types that netCDF-C cannot open. One such array makes it refuse the whole dataset. */
static bool
is_foreign(const ncz_stored_type *st)
{
    return st->dtype.kind == NCZ_KIND_BOOL || st->dtype.kind == NCZ_KIND_UCS4 || st->units[0] != '\0' ||
           (st->dtype.kind == NCZ_KIND_FLOAT && st->dtype.size == 2);
}

/* The default fill value where netCDF's does not suit the type: false, NaT and NaN. NULL: netCDF's. */
static const void *
natural_fill(const ncz_stored_type *st)
{
    static const uint8_t no = 0;
    static const int64_t nat = INT64_MIN;
    static const float   nan = NAN;

    if (st->dtype.kind == NCZ_KIND_BOOL)
        return &no;
    if (st->units[0] != '\0')
        return &nat;
    return st->dtype.kind == NCZ_KIND_FLOAT && st->dtype.size == 2 ? &nan : NULL;
}

int
ncz_zarr2_dtype_define(ncz_model *m, ncz_var *v, const ncz_format_opts *style, const char *text)
{
    bool            ours = style->gen == NCZ_GEN_BOTH || style->gen == NCZ_GEN_PURE;
    ncz_stored_type st = {.type = ncz_type_of(NC_NAT), .endian = NC_ENDIAN_NATIVE};
    const char     *json = NULL;
    char            quoted[64];
    typestr         t;

    if (!take_apart(text, &t) || strlen(text) > sizeof quoted - 3)
        return ncz_fail(NC_EINVAL, "%s: '%.60s' is no type of an array, such as <i4 or |b1", v->name, text);
    if (v->type->class == NCZ_TYPE_CHAR && t.kind == 'S' && t.size == 1)
        return NC_NOERR; /* each dialect has its own spelling */
    understand(&t, false, false, &st);
    if (st.dtype.kind == NCZ_KIND_OBJECT && st.dtype.kind == v->dtype.kind)
        return NC_NOERR;
    if (st.type != v->type || st.dtype.kind == NCZ_KIND_OBJECT)
        return ncz_fail(NC_EBADTYPE, "%s: a variable of this netCDF type is not stored as '%s'", v->name, text);
    if (is_foreign(&st) && !ours)
        return ncz_fail(NC_EBADTYPE, "%s: netCDF-C, for which this dataset is, cannot open one with the type '%s'",
                        v->name, text);
    if (ncz_chain_len(v->chain) > 0)
        return ncz_fail(NC_EINVAL, "%s: the stored type must be defined before the codecs", v->name);
    if (st.units[0] != '\0') { /* only the text contains the unit */
        (void)snprintf(quoted, sizeof quoted, "\"%s\"", text);
        /* The document needs an explicit byte order, also for '=' and '|'. */
        quoted[1] = st.endian == NC_ENDIAN_BIG ? '>' : '<';
        json = text[0] == 'M' || text[0] == 'm' ? NULL : quoted;
        if (json == NULL)
            return ncz_fail(NC_EINVAL, "%s: '%s' has no byte order, as in <M8[ns]", v->name, text);
    }
    return ncz_var_set_dtype(m, v, &st.dtype, st.dtype.size > 1 ? st.endian : NC_ENDIAN_NATIVE, json,
                             natural_fill(&st));
}

void
ncz_zarr2_stored_type(const char *text, ncz_stored_type *out)
{
    size_t  n = strlen(text);
    char    own[64];
    typestr t;

    *out = (ncz_stored_type){.type = ncz_type_of(NC_NAT), .endian = NC_ENDIAN_NATIVE};
    if (n < 3 || n > sizeof own)
        return;
    memcpy(own, text + 1, n - 2);
    own[n - 2] = '\0';
    if (take_apart(own, &t))
        understand(&t, false, false, out);
}

/* Only the document's own text distinguishes a time from a number. */
bool
ncz_zarr2_is_time(const ncz_var *v)
{
    ncz_stored_type st = {.type = NULL};

    if (v->dtype_text != NULL)
        ncz_zarr2_stored_type(v->dtype_text, &st);
    return st.units[0] != '\0';
}
