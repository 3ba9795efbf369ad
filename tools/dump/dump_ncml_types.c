/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_ncml_types.c: types in NcML, and the pieces of its lines.
 *
 * An enum is an enumTypedef of its group. A compound is a Structure with its fields as variables inside it, a vlen a
 * dimension without a length, `*`, and an opaque type has no name.
 */
#include "dump_int.h"

#include <string.h>

void
dump_ncml_indent(dump_context *d, int level)
{
    for (int i = 0; i < level; i++)
        fputs("  ", d->out);
}

void
dump_ncml_att_text(dump_context *d, const char *key, const char *value, size_t n)
{
    text_buf t = TEXT_BUF_INIT;

    text_addf(&t, " %s=\"", key);
    text_add_xml(&t, value, n);
    text_addc(&t, '"');
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

void
dump_ncml_att(dump_context *d, const char *key, const char *value)
{
    dump_ncml_att_text(d, key, value, strlen(value));
}

const char *
dump_ncml_type_name(nc_type type)
{
    return type == NC_STRING              ? "String"
           : type == NC_INT64             ? "long"
           : type == NC_UINT64            ? "ulong"
           : dump_type_name(type) != NULL ? dump_type_name(type)
                                          : "opaque";
}

static const char *
name_enum_type(const user_type *t)
{
    return t->size == 1 ? "enum1" : t->size == 2 ? "enum2" : t->size == 4 ? "enum4" : "enum8";
}

/* The type of the values of a vlen, or of a vlen of vlens. */
static const user_type *
find_innermost(const user_type *t)
{
    while (t != NULL && t->class == NC_VLEN)
        t = t->base;
    return t;
}

void
dump_ncml_shape_and_type(dump_context *d, int grp, text_buf *shape, nc_type type, const user_type *user)
{
    const user_type *inner = find_innermost(user);
    text_buf         name = TEXT_BUF_INIT;

    for (; user != NULL && user->class == NC_VLEN; user = user->base)
        text_add(shape, shape->len > 0 ? " *" : "*");
    if (shape->len > 0)
        dump_ncml_att(d, "shape", shape->s);
    if (inner == NULL || inner->class == NC_NAT) {
        dump_ncml_att(d, "type", dump_ncml_type_name(inner != NULL ? inner->id : type));
    } else if (inner->class == NC_ENUM) {
        dump_ncml_att(d, "type", name_enum_type(inner));
        dump_add_type_ref(&name, grp, inner, false);
        dump_ncml_att(d, "typedef", name.s);
    } else {
        dump_ncml_att(d, "type", inner->class == NC_COMPOUND ? "Structure" : "opaque");
    }
    text_clear(&name);
}

bool
dump_ncml_has_fields(const user_type *user)
{
    const user_type *t = find_innermost(user);

    return t != NULL && t->class == NC_COMPOUND;
}

void
dump_ncml_fields(dump_context *d, int grp, const user_type *user, int level)
{
    const user_type *t = find_innermost(user);

    for (size_t i = 0; dump_ncml_has_fields(t) && i < t->nmembers; i++) {
        const user_member *m = &t->members[i];
        bool               inside = dump_ncml_has_fields(m->type);
        text_buf           shape = TEXT_BUF_INIT;

        dump_ncml_indent(d, level);
        fputs("<variable", d->out);
        dump_ncml_att(d, "name", m->name);
        for (int k = 0; k < m->ndims; k++)
            text_addf(&shape, "%s%d", k > 0 ? " " : "", m->dims[k]);
        dump_ncml_shape_and_type(d, grp, &shape, m->type->id, m->type);
        text_clear(&shape);
        fputs(inside ? ">\n" : " />\n", d->out);
        if (!inside)
            continue;
        dump_ncml_fields(d, grp, m->type, level + 1);
        dump_ncml_indent(d, level);
        fputs("</variable>\n", d->out);
    }
}

static void
print_enum(dump_context *d, const user_type *t, int level)
{
    text_buf name = TEXT_BUF_INIT;

    dump_ncml_indent(d, level);
    fputs("<enumTypedef", d->out);
    dump_ncml_att(d, "name", t->name);
    dump_ncml_att(d, "type", name_enum_type(t));
    fputs(">\n", d->out);
    for (size_t i = 0; i < t->nmembers; i++) {
        text_reset(&name);
        text_add_xml(&name, t->members[i].name, strlen(t->members[i].name));
        dump_ncml_indent(d, level + 1);
        if (t->base->id == NC_UINT64)
            fprintf(d->out, "<enum key=\"%llu\">%s</enum>\n", (unsigned long long)t->members[i].value, name.s);
        else
            fprintf(d->out, "<enum key=\"%lld\">%s</enum>\n", t->members[i].value, name.s);
    }
    dump_ncml_indent(d, level);
    fputs("</enumTypedef>\n", d->out);
    text_clear(&name);
}

void
dump_ncml_types(dump_context *d, int grp, int level)
{
    id_list    types;
    user_type *t = NULL;
    int        rc = id_list_types(grp, &types);

    for (int i = 0; rc == NC_NOERR && i < types.n; i++) {
        if ((rc = dump_type_load(grp, types.id[i], &t)) != NC_NOERR)
            break;
        if (t->class == NC_ENUM)
            print_enum(d, t, level);
        user_type_free(t);
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "types");
    id_list_clear(&types);
}
