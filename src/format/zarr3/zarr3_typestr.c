/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stored types as NumPy's type strings: what programs define and inquire, in this version of Zarr as in version 2.
 */
#include "format/zarr3/zarr3_int.h"

#include <inttypes.h>
#include <string.h>

/* ---- from a type string ---------------------------------------------------------------------------------------- */

/* One of NumPy's times: only its own text has the unit. */
static int
write_time(const ncz_typestr *t, ncz_buf *own)
{
    ncz_jsonw w = ncz_jsonw_on(own);

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "name");
    ncz_jsonw_cstr(&w, t->kind == 'M' ? "numpy.datetime64" : "numpy.timedelta64");
    ncz_jsonw_key(&w, "configuration");
    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "unit");
    ncz_jsonw_str(&w, t->unit, t->unit_len);
    ncz_jsonw_key(&w, "scale_factor");
    ncz_jsonw_u64(&w, t->count);
    ncz_jsonw_close_object(&w);
    ncz_jsonw_close_object(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_zarr3_dtype_check(const ncz_format_opts *style, const char *name, const char *text, const ncz_stored_type *st,
                      ncz_buf *own)
{
    ncz_typestr t;

    (void)style;
    (void)name;
    if (st->units[0] == '\0' || !ncz_format_typestr_parse(text, &t))
        return NC_NOERR;
    return write_time(&t, own);
}

/* ---- as a type string ------------------------------------------------------------------------------------------ */

static char
order_of(const ncz_var *v)
{
    return v->endian == NC_ENDIAN_BIG ? '>' : '<';
}

/* The unit of one of NumPy's times, as in `<M8[10us]`. */
static int
text_of_time(const ncz_var *v, const ncz_json *type, ncz_buf *out)
{
    const char *unit = ncz_json_cstr(ncz_zarr3_config(type, "unit"));
    char        kind = strcmp(ncz_zarr3_name(type), "numpy.datetime64") == 0 ? 'M' : 'm';
    uint64_t    count = 1;

    (void)ncz_json_u64(ncz_zarr3_config(type, "scale_factor"), &count);
    if (strcmp(unit, "\u00b5s") == 0 || strcmp(unit, "\u03bcs") == 0)
        unit = "us";
    if (count == 1)
        return ncz_buf_printf(out, "%c%c8[%s]", order_of(v), kind, unit);
    return ncz_buf_printf(out, "%c%c8[%" PRIu64 "%s]", order_of(v), kind, count, unit);
}

/* A type that an ncz_dtype describes completely. */
static int
text_of_dtype(const ncz_var *v, ncz_buf *out)
{
    size_t size = v->dtype.size;
    char   order = size > 1 ? order_of(v) : '|';

    switch (v->dtype.kind) {
    case NCZ_KIND_INT: return ncz_buf_printf(out, "%ci%zu", order, size);
    case NCZ_KIND_UINT: return ncz_buf_printf(out, "%cu%zu", order, size);
    case NCZ_KIND_FLOAT: return ncz_buf_printf(out, "%cf%zu", order, size);
    case NCZ_KIND_BOOL: return ncz_buf_puts(out, "|b1");
    case NCZ_KIND_CHAR: return ncz_buf_puts(out, "|S1");
    case NCZ_KIND_BYTES: return ncz_buf_printf(out, "|S%zu", size);
    case NCZ_KIND_UCS4: return ncz_buf_printf(out, "%cU%zu", order, size / 4);
    case NCZ_KIND_OBJECT: return ncz_buf_puts(out, "|O");
    case NCZ_KIND_RAW: return ncz_buf_printf(out, "|V%zu", size);
    case NCZ_KIND_RECORD:
    case NCZ_KIND_OTHER: break;
    }
    return ncz_fail(NC_EBADTYPE, "%s: its stored type has no type string of NumPy", v->spec->path);
}

int
ncz_zarr3_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    ncz_json       *type = NULL;
    ncz_stored_type st = {.units = ""};
    int             rc;

    (void)style;
    if (v->dtype_text != NULL)
        ncz_zarr3_stored_type(v->dtype_text, &st);
    if (st.units[0] == '\0')
        return text_of_dtype(v, out);
    if ((rc = ncz_codec_parse(v->dtype_text, strlen(v->dtype_text), &type)) == NC_NOERR)
        rc = text_of_time(v, type, out);
    ncz_json_free(type);
    return rc;
}
