/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_ncml.c: -x: the header as NcML 2.2, groups included.
 */
#include "dump_int.h"

#include <string.h>

static void
ncml_indent(dump_context *d, int level)
{
    for (int i = 0; i < level; i++)
        fputs("  ", d->out);
}

static void
ncml_pair(dump_context *d, const char *key, const char *value, size_t n)
{
    dump_text t = DUMP_TEXT_INIT;

    dump_text_addf(&t, " %s=\"", key);
    dump_text_add_xml(&t, value, n);
    dump_text_addc(&t, '"');
    fwrite(t.s, 1, t.len, d->out);
    dump_text_clear(&t);
}

static const char *
ncml_type(nc_type type)
{
    return type == NC_STRING              ? "String"
           : type == NC_INT64             ? "long"
           : type == NC_UINT64            ? "ulong"
           : dump_type_name(type) != NULL ? dump_type_name(type)
                                          : "opaque";
}

/* A character that none of the strings holds parts them. */
static void
ncml_strings(dump_context *d, const dump_att *a)
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
        ncml_pair(d, "separator", part, 1);
    dump_text_addn(&t, "", 0);
    for (size_t i = 0; i < a->len; i++) {
        dump_text_add(&t, i > 0 ? part : "");
        dump_text_add(&t, s[i] != NULL ? s[i] : "");
    }
    ncml_pair(d, "value", t.s, t.len);
    dump_text_clear(&t);
}

static void
ncml_numbers(dump_context *d, const dump_att *a)
{
    dump_number_format s = dump_number_format_for(d, 0, NC_GLOBAL, a->type);
    size_t             size = dump_type_size(a->type);
    dump_text          t = DUMP_TEXT_INIT;

    dump_text_addn(&t, "", 0);
    for (size_t i = 0; i < a->len; i++) {
        dump_text_add(&t, i > 0 ? " " : "");
        dump_value_plain(&t, &s, a->type, (const char *)a->val + i * size);
    }
    ncml_pair(d, "value", t.s, t.len);
    dump_text_clear(&t);
}

static void
ncml_att(dump_context *d, int grp, int varid, int index, int level)
{
    dump_att a;
    size_t   len;
    int      rc = dump_att_load(grp, varid, index, &a);

    if (rc != NC_NOERR || a.val == NULL) {
        dump_fail(&d->report, rc != NC_NOERR ? rc : NC_EBADTYPE, a.name[0] != '\0' ? a.name : "attribute");
        dump_att_clear(&a);
        return;
    }
    ncml_indent(d, level);
    fputs("<attribute", d->out);
    ncml_pair(d, "name", a.name, strlen(a.name));
    if (a.type != NC_CHAR)
        ncml_pair(d, "type", ncml_type(a.type), strlen(ncml_type(a.type)));
    if (a.type == NC_CHAR) {
        for (len = a.len; len > 0 && ((char *)a.val)[len - 1] == '\0'; len--)
            ;
        ncml_pair(d, "value", a.val, len);
    } else if (a.type == NC_STRING) {
        ncml_strings(d, &a);
    } else {
        ncml_numbers(d, &a);
    }
    fputs(" />\n", d->out);
    dump_att_clear(&a);
}

static void
ncml_var(dump_context *d, const dump_var *v, int level)
{
    dump_text t = DUMP_TEXT_INIT;
    char      name[NC_MAX_NAME + 1];

    ncml_indent(d, level);
    fputs("<variable", d->out);
    ncml_pair(d, "name", v->name, strlen(v->name));
    for (int i = 0; i < v->ndims; i++)
        if (nc_inq_dimname(v->grp, v->dims[i], name) == NC_NOERR)
            dump_text_addf(&t, "%s%s", i > 0 ? " " : "", name);
    if (v->ndims > 0)
        ncml_pair(d, "shape", t.s, t.len);
    dump_text_clear(&t);
    ncml_pair(d, "type", ncml_type(v->type), strlen(ncml_type(v->type)));
    if (v->natts == 0 && d->o->part == DUMP_HEADER) {
        fputs(" />\n", d->out);
        return;
    }
    fputs(">\n", d->out);
    for (int i = 0; i < v->natts; i++)
        ncml_att(d, v->grp, v->id, i, level + 1);
    ncml_indent(d, level);
    fputs("</variable>\n", d->out);
}

static void
ncml_dims(dump_context *d, int grp, int level)
{
    dump_ids dims;
    char     name[NC_MAX_NAME + 1];
    size_t   len;
    int      rc = dump_ids_dims(grp, &dims);

    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        if ((rc = nc_inq_dim(grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        ncml_indent(d, level);
        fputs("<dimension", d->out);
        ncml_pair(d, "name", name, strlen(name));
        fprintf(d->out, " length=\"%zu\"%s />\n", len,
                dump_dim_is_unlimited(grp, dims.id[i]) ? " isUnlimited=\"true\"" : "");
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "dimensions");
    dump_ids_clear(&dims);
}

static void
ncml_group(dump_context *d, int grp, int level)
{
    dump_ids vars, grps;
    dump_var v;
    char     name[NC_MAX_NAME + 1];
    int      natts = 0, rc;

    ncml_dims(d, grp, level);
    (void)nc_inq_natts(grp, &natts);
    for (int i = 0; i < natts; i++)
        ncml_att(d, grp, NC_GLOBAL, i, level);
    if ((rc = dump_ids_vars(grp, &vars)) == NC_NOERR)
        for (int i = 0; i < vars.n && (rc = dump_var_load(grp, vars.id[i], &v)) == NC_NOERR; i++) {
            ncml_var(d, &v, level);
            dump_var_clear(&v);
        }
    dump_ids_clear(&vars);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "variables");
    if ((rc = dump_ids_grps(grp, &grps)) == NC_NOERR)
        for (int i = 0; i < grps.n && (rc = nc_inq_grpname(grps.id[i], name)) == NC_NOERR; i++) {
            ncml_indent(d, level);
            fputs("<group", d->out);
            ncml_pair(d, "name", name, strlen(name));
            fputs(">\n", d->out);
            ncml_group(d, grps.id[i], level + 1);
            ncml_indent(d, level);
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
    ncml_pair(d, "location", where, strlen(where));
    fputs(">\n", d->out);
    ncml_group(d, d->root, 1);
    fputs("</netcdf>\n", d->out);
}
