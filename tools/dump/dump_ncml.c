/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_ncml.c: -x: the header as NcML 2.2, groups included.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

/* A character that none of the strings holds parts them. */
static void
print_strings(dump_context *d, char *const *s, size_t n)
{
    static const char parts[] = "|;,~^\t";
    char              part[2] = {0, 0};
    text_buf          t = TEXT_BUF_INIT;

    for (const char *p = parts; *p != '\0' && part[0] == '\0'; p++) {
        bool used = false;

        for (size_t i = 0; i < n && !used; i++)
            used = s[i] != NULL && strchr(s[i], *p) != NULL;
        part[0] = used ? '\0' : *p;
    }
    if (part[0] == '\0')
        part[0] = parts[0];
    if (n > 1)
        dump_ncml_att(d, "separator", part);
    text_addn(&t, "", 0);
    for (size_t i = 0; i < n; i++) {
        text_add(&t, i > 0 ? part : "");
        text_add(&t, s[i] != NULL ? s[i] : "");
    }
    dump_ncml_att(d, "value", t.s);
    text_clear(&t);
}

/* NcML has attributes of primitive types only: values of other types are strings, in CDL. */
static void
print_user_values(dump_context *d, const att_value *a)
{
    dump_number_format s = dump_number_format_for(d, 0, NC_GLOBAL, a->type);
    text_buf          *t = memory_alloc(a->len, sizeof *t);
    char             **texts = memory_alloc(a->len, sizeof *texts);

    for (size_t i = 0; i < a->len; i++) {
        dump_user_value_cdl(&t[i], &s, a->user, (const char *)a->val + i * a->user->size);
        texts[i] = t[i].s;
    }
    print_strings(d, texts, a->len);
    for (size_t i = 0; i < a->len; i++)
        text_clear(&t[i]);
    free(texts);
    free(t);
}

static void
print_numbers(dump_context *d, const att_value *a)
{
    dump_number_format s = dump_number_format_for(d, 0, NC_GLOBAL, a->type);
    size_t             size = dump_type_size(a->type);
    text_buf           t = TEXT_BUF_INIT;

    text_addn(&t, "", 0);
    for (size_t i = 0; i < a->len; i++) {
        text_add(&t, i > 0 ? " " : "");
        dump_value_plain(&t, &s, a->type, (const char *)a->val + i * size);
    }
    dump_ncml_att(d, "value", t.s);
    text_clear(&t);
}

static void
print_att(dump_context *d, int grp, int varid, int index, int level)
{
    att_value a;
    size_t    len;
    int       rc = dump_att_load(grp, varid, index, &a);

    if (rc != NC_NOERR || a.val == NULL) {
        dump_fail(&d->report, rc != NC_NOERR ? rc : NC_EBADTYPE, a.name[0] != '\0' ? a.name : "attribute");
        att_value_clear(&a);
        return;
    }
    dump_ncml_indent(d, level);
    fputs("<attribute", d->out);
    dump_ncml_att(d, "name", a.name);
    if (a.type != NC_CHAR)
        dump_ncml_att(d, "type", a.user != NULL ? "String" : dump_ncml_type_name(a.type));
    if (a.type == NC_CHAR) {
        for (len = a.len; len > 0 && ((char *)a.val)[len - 1] == '\0'; len--)
            ;
        dump_ncml_att_text(d, "value", a.val, len);
    } else if (a.type == NC_STRING) {
        print_strings(d, a.val, a.len);
    } else if (a.user != NULL) {
        print_user_values(d, &a);
    } else {
        print_numbers(d, &a);
    }
    fputs(" />\n", d->out);
    att_value_clear(&a);
}

static void
print_var(dump_context *d, const dump_var *v, int level)
{
    text_buf t = TEXT_BUF_INIT;
    char     name[NC_MAX_NAME + 1];

    dump_ncml_indent(d, level);
    fputs("<variable", d->out);
    dump_ncml_att(d, "name", v->name);
    for (int i = 0; i < v->ndims; i++)
        if (nc_inq_dimname(v->grp, v->dims[i], name) == NC_NOERR)
            text_addf(&t, "%s%s", i > 0 ? " " : "", name);
    dump_ncml_shape_and_type(d, v->grp, &t, v->type, v->user);
    text_clear(&t);
    if (v->natts == 0 && d->o->part == DUMP_HEADER && !dump_ncml_has_fields(v->user)) {
        fputs(" />\n", d->out);
        return;
    }
    fputs(">\n", d->out);
    dump_ncml_fields(d, v->grp, v->user, level + 1);
    for (int i = 0; i < v->natts; i++)
        print_att(d, v->grp, v->id, i, level + 1);
    dump_ncml_indent(d, level);
    fputs("</variable>\n", d->out);
}

static void
print_dims(dump_context *d, int grp, int level)
{
    id_list dims;
    char    name[NC_MAX_NAME + 1];
    size_t  len;
    int     rc = id_list_dims(grp, &dims);

    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        if ((rc = dump_inq_dim(d, grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        dump_ncml_indent(d, level);
        fputs("<dimension", d->out);
        dump_ncml_att(d, "name", name);
        fprintf(d->out, " length=\"%zu\"%s />\n", len,
                dim_table_is_unlimited(&d->dims, grp, dims.id[i]) ? " isUnlimited=\"true\"" : "");
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "dimensions");
    id_list_clear(&dims);
}

static void
print_group(dump_context *d, int grp, int level)
{
    id_list  vars, grps;
    dump_var v;
    char     name[NC_MAX_NAME + 1];
    int      natts = 0, rc;

    dump_ncml_types(d, grp, level);
    print_dims(d, grp, level);
    (void)nc_inq_natts(grp, &natts);
    for (int i = 0; i < natts; i++)
        print_att(d, grp, NC_GLOBAL, i, level);
    if ((rc = id_list_vars(grp, &vars)) == NC_NOERR)
        for (int i = 0; i < vars.n && (rc = dump_var_load_part(d, grp, vars.id[i], &v)) == NC_NOERR; i++) {
            print_var(d, &v, level);
            dump_var_clear(&v);
        }
    id_list_clear(&vars);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "variables");
    if ((rc = id_list_groups(grp, &grps)) == NC_NOERR)
        for (int i = 0; i < grps.n && (rc = nc_inq_grpname(grps.id[i], name)) == NC_NOERR; i++) {
            dump_ncml_indent(d, level);
            fputs("<group", d->out);
            dump_ncml_att(d, "name", name);
            fputs(">\n", d->out);
            print_group(d, grps.id[i], level + 1);
            dump_ncml_indent(d, level);
            fputs("</group>\n", d->out);
        }
    id_list_clear(&grps);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "groups");
}

void
dump_ncml(dump_context *d)
{
    const char *where = d->o->file != NULL ? d->o->file : d->name;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<netcdf xmlns=\"https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2\"",
          d->out);
    dump_ncml_att(d, "location", where);
    fputs(">\n", d->out);
    print_group(d, d->root, 1);
    fputs("</netcdf>\n", d->out);
}
