/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types as a dataset's dialect stores them: what it can hold, how it spells a stored type, and what such a spelling
 * means. Any thread.
 */
#include "format/format_int.h"

#include <string.h>

int
ncz_format_check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    return style->dialect->check_type(style, type, what);
}

bool
ncz_format_has_objects(const ncz_format_opts *style)
{
    return style->dialect->has_objects(style);
}

int
ncz_format_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    return style->dialect->dtype_text(v, style, out);
}

int
ncz_format_dtype_define(ncz_model *m, ncz_var *v, const ncz_format_opts *style, const char *text)
{
    return style->dialect->dtype_define(m, v, style, text);
}

int
ncz_format_type_name(const ncz_model *m, const ncz_var *v, ncz_buf *out)
{
    if (v->type->class != NCZ_TYPE_NONE)
        return ncz_buf_puts(out, v->type->name);
    if (v->dtype_text == NULL)
        return ncz_buf_puts(out, "unknown");
    return m->dialect->type_name(v->dtype_text, out);
}

bool
ncz_format_synthetic_units(const ncz_model *m, const ncz_var *v, const char *text, size_t len)
{
    ncz_stored_type st = {.type = NULL};

    if (v->dtype_text != NULL)
        m->dialect->stored_type(v->dtype_text, &st);
    return st.units[0] != '\0' && strlen(st.units) == len && memcmp(st.units, text, len) == 0;
}
