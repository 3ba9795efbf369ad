/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_ncml.c: -x: the header as NcML 2.2, groups included.
 */
#include "dump_int.h"

#include <string.h>

static void
indent_line(dump_context *d, int level)
{
    for (int i = 0; i < level; i++)
        fputs("  ", d->out);
}

static void
print_xml_att(dump_context *d, const char *key, const char *value, size_t n)
{
    dump_text t = DUMP_TEXT_INIT;

    dump_text_addf(&t, " %s=\"", key);
    dump_text_add_xml(&t, value, n);
    dump_text_addc(&t, '"');
    fwrite(t.s, 1, t.len, d->out);
    dump_text_clear(&t);
}

static const char *
name_type(nc_type type)
{
    return type == NC_STRING              ? "String"
           : type == NC_INT64             ? "long"
           : type == NC_UINT64            ? "ulong"
           : dump_type_name(type) != NULL ? dump_type_name(type)
                                          : "opaque";
}

/* A character that none of the strings holds parts them. */
static void
print_strings(dump_context *d, const dump_att *a)
{
    static const char parts[] = "|;,~^\t";
    char *const      *s = a->val;
    char              part[2] = {0, 0};
    dump_text         t = DUMP_TEXT_INIT;

    for (const char *p = parts; *p != '\0' && part[0] == '\0'; p++) {
        bool used = false;

        for (size_t i = 0; i < a->len && !used; i++)
            used = s[i] != NULL && strchr(s[i], *p) != NULL;
        part[0] = used ? '\0' : *p;
    }
    if (part[0] == '\0')
        part[0] = parts[0];
    if (a->len > 1)
        print_xml_att(d, "separator", part, 1);
    dump_text_addn(&t, "", 0);
    for (size_t i = 0; i < a->len; i++) {
        dump_text_add(&t, i > 0 ? part : "");
        dump_text_add(&t, s[i] != NULL ? s[i] : "");
    }
    print_xml_att(d, "value", t.s, t.len);
    dump_text_clear(&t);
}

static void
print_numbers(dump_context *d, const dump_att *a)
{
    dump_number_format s = dump_number_format_for(d, 0, NC_GLOBAL, a->type);
    size_t             size = dump_type_size(a->type);
    dump_text          t = DUMP_TEXT_INIT;

    dump_text_addn(&t, "", 0);
    for (size_t i = 0; i < a->len; i++) {
        dump_text_add(&t, i > 0 ? " " : "");
        dump_value_plain(&t, &s, a->type, (const char *)a->val + i * size);
    }
    print_xml_att(d, "value", t.s, t.len);
    dump_text_clear(&t);
}

static void
print_att(dump_context *d, int grp, int varid, int index, int level)
{
    dump_att a;
    size_t   len;
    int      rc = dump_att_load(grp, varid, index, &a);

    if (rc != NC_NOERR || a.val == NULL) {
        dump_fail(&d->report, rc != NC_NOERR ? rc : NC_EBADTYPE, a.name[0] != '\0' ? a.name : "attribute");
        dump_att_clear(&a);
        return;
    }
    indent_line(d, level);
    fputs("<attribute", d->out);
    print_xml_att(d, "name", a.name, strlen(a.name));
    if (a.type != NC_CHAR)
        print_xml_att(d, "type", name_type(a.type), strlen(name_type(a.type)));
    if (a.type == NC_CHAR) {
        for (len = a.len; len > 0 && ((char *)a.val)[len - 1] == '\0'; len--)
            ;
        print_xml_att(d, "value", a.val, len);
    } else if (a.type == NC_STRING) {
        print_strings(d, &a);
    } else {
        print_numbers(d, &a);
    }
    fputs(" />\n", d->out);
    dump_att_clear(&a);
}

static void
print_var(dump_context *d, const dump_var *v, int level)
{
    dump_text t = DUMP_TEXT_INIT;
    char      name[NC_MAX_NAME + 1];

    indent_line(d, level);
    fputs("<variable", d->out);
    print_xml_att(d, "name", v->name, strlen(v->name));
    for (int i = 0; i < v->ndims; i++)
        if (nc_inq_dimname(v->grp, v->dims[i], name) == NC_NOERR)
            dump_text_addf(&t, "%s%s", i > 0 ? " " : "", name);
    if (v->ndims > 0)
        print_xml_att(d, "shape", t.s, t.len);
    dump_text_clear(&t);
    print_xml_att(d, "type", name_type(v->type), strlen(name_type(v->type)));
    if (v->natts == 0 && d->o->part == DUMP_HEADER) {
        fputs(" />\n", d->out);
        return;
    }
    fputs(">\n", d->out);
    for (int i = 0; i < v->natts; i++)
        print_att(d, v->grp, v->id, i, level + 1);
    indent_line(d, level);
    fputs("</variable>\n", d->out);
}

static void
print_dims(dump_context *d, int grp, int level)
{
    dump_ids dims;
    char     name[NC_MAX_NAME + 1];
    size_t   len;
    int      rc = dump_ids_dims(grp, &dims);

    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        if ((rc = nc_inq_dim(grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        indent_line(d, level);
        fputs("<dimension", d->out);
        print_xml_att(d, "name", name, strlen(name));
        fprintf(d->out, " length=\"%zu\"%s />\n", len,
                dump_dim_is_unlimited(grp, dims.id[i]) ? " isUnlimited=\"true\"" : "");
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "dimensions");
    dump_ids_clear(&dims);
}

static void
print_group(dump_context *d, int grp, int level)
{
    dump_ids vars, grps;
    dump_var v;
    char     name[NC_MAX_NAME + 1];
    int      natts = 0, rc;

    print_dims(d, grp, level);
    (void)nc_inq_natts(grp, &natts);
    for (int i = 0; i < natts; i++)
        print_att(d, grp, NC_GLOBAL, i, level);
    if ((rc = dump_ids_vars(grp, &vars)) == NC_NOERR)
        for (int i = 0; i < vars.n && (rc = dump_var_load(grp, vars.id[i], &v)) == NC_NOERR; i++) {
            print_var(d, &v, level);
            dump_var_clear(&v);
        }
    dump_ids_clear(&vars);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "variables");
    if ((rc = dump_ids_grps(grp, &grps)) == NC_NOERR)
        for (int i = 0; i < grps.n && (rc = nc_inq_grpname(grps.id[i], name)) == NC_NOERR; i++) {
            indent_line(d, level);
            fputs("<group", d->out);
            print_xml_att(d, "name", name, strlen(name));
            fputs(">\n", d->out);
            print_group(d, grps.id[i], level + 1);
            indent_line(d, level);
            fputs("</group>\n", d->out);
        }
    dump_ids_clear(&grps);
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
    print_xml_att(d, "location", where, strlen(where));
    fputs(">\n", d->out);
    print_group(d, d->root, 1);
    fputs("</netcdf>\n", d->out);
}
