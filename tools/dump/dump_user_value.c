/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_user_value.c: one value of a user-defined type as CDL and as JSON.
 *
 * CDL is ncdump's, but for what ncdump cannot read back: characters of a vlen are one string, and names are escaped.
 * An enum's value without a name is its number. Fields may be unaligned in memory, so values are copied out first.
 */
#include "dump_int.h"

#include <string.h>

static void
add_opaque(text_buf *t, const unsigned char *p, size_t n)
{
    text_add(t, "0X");
    for (size_t i = 0; i < n; i++)
        text_addf(t, "%02X", p[i]);
}

/* Without the NULs at its end, which are padding. */
static void
add_chars(text_buf *t, const char *s, size_t n)
{
    while (n > 0 && s[n - 1] == '\0')
        n--;
    text_addc(t, '"');
    text_add_cdl(t, s, n, true);
    text_addc(t, '"');
}

/* `n` characters in rows of `unit`. */
static void
add_char_rows(text_buf *t, const char *s, size_t n, size_t unit)
{
    for (size_t at = 0; at < n; at += unit) {
        text_add(t, at > 0 ? ", " : "");
        add_chars(t, s + at, unit < n - at ? unit : n - at);
    }
}

static void
add_array(text_buf *t, const dump_number_format *s, const user_type *type, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_add(t, i > 0 ? ", " : "");
        dump_user_value_cdl(t, s, type, p + i * type->size);
    }
}

static nc_vlen_t
copy_vlen(const void *p)
{
    nc_vlen_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static void
add_vlen(text_buf *t, const dump_number_format *s, const user_type *type, const void *p)
{
    nc_vlen_t v = copy_vlen(p);

    text_addc(t, '{');
    if (type->base->id == NC_CHAR)
        add_char_rows(t, v.p, v.len, v.len);
    else
        add_array(t, s, type->base, v.p, v.len);
    text_addc(t, '}');
}

static void
add_field(text_buf *t, const dump_number_format *s, const user_member *m, const char *p)
{
    if (m->ndims == 0) {
        dump_user_value_cdl(t, s, m->type, p);
        return;
    }
    text_addc(t, '{');
    if (m->type->id == NC_CHAR)
        add_char_rows(t, p, m->count, (size_t)m->dims[m->ndims - 1]);
    else
        add_array(t, s, m->type, p, m->count);
    text_addc(t, '}');
}

static void
add_primitive(text_buf *t, const dump_number_format *s, const user_type *type, const void *p)
{
    user_primitive v;

    memcpy(&v, p, type->size);
    if (type->id == NC_CHAR)
        add_chars(t, p, 1);
    else
        dump_value_cdl(t, s, type->id, &v);
}

static void
add_enum(text_buf *t, const dump_number_format *s, const user_type *type, const void *p)
{
    const user_member *m = user_type_find_constant(type, p);

    if (m != NULL)
        text_add_name(t, m->name);
    else
        add_primitive(t, s, type->base, p);
}

void
dump_user_value_cdl(text_buf *t, const dump_number_format *s, const user_type *type, const void *p)
{
    switch (type->class) {
    case NC_OPAQUE: add_opaque(t, p, type->size); break;
    case NC_ENUM: add_enum(t, s, type, p); break;
    case NC_VLEN: add_vlen(t, s, type, p); break;
    case NC_COMPOUND:
        text_addc(t, '{');
        for (size_t i = 0; i < type->nmembers; i++) {
            text_add(t, i > 0 ? ", " : "");
            add_field(t, s, &type->members[i], (const char *)p + type->members[i].offset);
        }
        text_addc(t, '}');
        break;
    default: add_primitive(t, s, type, p); break;
    }
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

/* `n` values in brackets. Characters are one string. */
static void
add_json_list(text_buf *t, const user_type *type, const char *p, size_t n)
{
    if (type->id == NC_CHAR) {
        while (n > 0 && p[n - 1] == '\0')
            n--;
        text_add_json(t, p, n);
        return;
    }
    text_addc(t, '[');
    for (size_t i = 0; i < n; i++) {
        text_add(t, i > 0 ? ", " : "");
        dump_user_value_json(t, type, p + i * type->size);
    }
    text_addc(t, ']');
}

/* A field's values, dimension by dimension. */
static void
add_json_field(text_buf *t, const user_member *m, int dim, const char *p)
{
    size_t inner = 1;

    if (m->ndims == 0) {
        dump_user_value_json(t, m->type, p);
        return;
    }
    if (dim == m->ndims - 1) {
        add_json_list(t, m->type, p, (size_t)m->dims[dim]);
        return;
    }
    for (int d = dim + 1; d < m->ndims; d++)
        inner *= (size_t)m->dims[d];
    text_addc(t, '[');
    for (int i = 0; i < m->dims[dim]; i++) {
        text_add(t, i > 0 ? ", " : "");
        add_json_field(t, m, dim + 1, p + (size_t)i * inner * m->type->size);
    }
    text_addc(t, ']');
}

static void
add_json_compound(text_buf *t, const user_type *type, const char *p)
{
    text_addc(t, '{');
    for (size_t i = 0; i < type->nmembers; i++) {
        const user_member *m = &type->members[i];

        text_add(t, i > 0 ? ", " : "");
        text_add_json(t, m->name, strlen(m->name));
        text_add(t, ": ");
        add_json_field(t, m, 0, p + m->offset);
    }
    text_addc(t, '}');
}

void
dump_user_value_json(text_buf *t, const user_type *type, const void *p)
{
    const user_member *m = type->class == NC_ENUM ? user_type_find_constant(type, p) : NULL;
    user_primitive     number;
    nc_vlen_t          v;

    switch (type->class) {
    case NC_OPAQUE:
        text_addc(t, '"');
        add_opaque(t, p, type->size);
        text_addc(t, '"');
        break;
    case NC_ENUM:
        if (m != NULL)
            text_add_json(t, m->name, strlen(m->name));
        else
            dump_user_value_json(t, type->base, p);
        break;
    case NC_VLEN:
        v = copy_vlen(p);
        add_json_list(t, type->base, v.p, v.len);
        break;
    case NC_COMPOUND: add_json_compound(t, type, p); break;
    default:
        memcpy(&number, p, type->size);
        dump_value_json(t, type->id, &number);
        break;
    }
}
