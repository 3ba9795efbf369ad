/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's type strings <-> element types. Reading is lenient: it accepts every form that netCDF-C has written (`<i1`,
 * `>S1`, `|i4`, `<U1` for characters). A type that netCDF lacks becomes opaque elements, of their true size if the
 * type string gives it.
 */
#include "format/zarr2/zarr2_int.h"

#include <stdio.h>
#include <string.h>

#define ITEM_MOST ((size_t)1 << 31)

/* Size of a structured element whose fields are plain types or plain sub-arrays; 1 if unknown. */
static size_t
struct_size(const ncz_json *v)
{
    size_t total = 0;

    for (size_t i = 0; i < ncz_json_len(v); i++) {
        const ncz_json *field = ncz_json_at(v, i), *shape = ncz_json_at(field, 2);
        const char     *text = ncz_json_cstr(ncz_json_at(field, 1));
        ncz_typestr     t;
        ncz_stored_type st;
        size_t          n;

        if (text == NULL || !ncz_format_typestr_parse(text, &t))
            return 1;
        ncz_format_typestr_type(&t, false, false, &st);
        n = st.dtype.size;
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

void
ncz_zarr2_dtype_parse(const ncz_json *v, bool nczarr, bool char_u1, ncz_stored_type *out)
{
    const char *text = ncz_json_cstr(v);
    ncz_typestr t;

    *out = (ncz_stored_type){
        .type = ncz_type_of(NC_NAT), .dtype = {NCZ_KIND_OTHER, false, 1}, .endian = NC_ENDIAN_NATIVE};
    if (text == NULL || !ncz_format_typestr_parse(text, &t)) {
        if (ncz_json_is(v, NCZ_JSON_ARRAY))
            out->dtype.size = struct_size(v);
        return;
    }
    ncz_format_typestr_type(&t, nczarr, char_u1, out);
}

const ncz_type *
ncz_zarr2_att_type(const char *entry)
{
    ncz_stored_type st;
    ncz_typestr     t;

    if (entry[0] >= '0' && entry[0] <= '9') { /* generation 1: the type's number */
        int type = entry[1] == '\0' ? entry[0] - '0' : (entry[0] - '0') * 10 + (entry[1] - '0');

        return ncz_type_of(strlen(entry) <= 2 ? type : NC_NAT);
    }
    if (!ncz_format_typestr_parse(entry, &t))
        return ncz_type_of(NC_NAT);
    if (t.kind == 'J' || (t.kind == 'U' && t.size <= 1))
        return ncz_type_of(NC_CHAR);
    ncz_format_typestr_type(&t, true, true, &st);
    return t.kind == 'b' || t.kind == 'O' ? ncz_type_of(NC_NAT) : st.type;
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
    case NCZ_KIND_RAW:
    case NCZ_KIND_RECORD: ncz_zarr2_record_write(v->type, w); return NC_NOERR;
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
    char        bare[32];
    size_t      len = strlen(text);
    ncz_typestr t;

    if (text[0] == '[' || text[0] == '{')
        return ncz_buf_puts(out, "structure");
    if (text[0] != '"' || len < 2 || len - 2 >= sizeof bare)
        return ncz_buf_printf(out, "%.80s", text);
    memcpy(bare, text + 1, len - 2);
    bare[len - 2] = '\0';
    if (!ncz_format_typestr_parse(bare, &t) || !t.sized)
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
        rc = ncz_fail(NC_EBADTYPE, "%s: its stored type %s has no type string of NumPy", v->spec->path,
                      ncz_buf_str(&text));
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

int
ncz_zarr2_dtype_check(const ncz_format_opts *style, const char *name, const char *text, const ncz_stored_type *st,
                      ncz_buf *own)
{
    bool ours = style->gen == NCZ_GEN_BOTH || style->gen == NCZ_GEN_PURE;

    if (is_foreign(st) && !ours)
        return ncz_fail(NC_EBADTYPE, "%s: netCDF-C, for which this dataset is, cannot open one with the type '%s'",
                        name, text);
    if (st->units[0] == '\0')
        return NC_NOERR;
    /* Only the text contains the unit. The document needs an explicit byte order, also for '=' and '|'. */
    return ncz_buf_printf(own, "\"%c%s\"", st->endian == NC_ENDIAN_BIG ? '>' : '<', text + 1);
}

void
ncz_zarr2_stored_type(const char *text, ncz_stored_type *out)
{
    size_t      n = strlen(text);
    char        own[64];
    ncz_typestr t;

    *out = (ncz_stored_type){.type = ncz_type_of(NC_NAT), .endian = NC_ENDIAN_NATIVE};
    if (n < 3 || n > sizeof own)
        return;
    memcpy(own, text + 1, n - 2);
    own[n - 2] = '\0';
    if (ncz_format_typestr_parse(own, &t))
        ncz_format_typestr_type(&t, false, false, out);
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
