/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * header.c: CDL declarations of a group and, through data.c, its data; then its subgroups.
 *
 * The bytes are ncdump's: two blanks for each level of groups in front of the tabs, the order dimensions, variables,
 * attributes, data, groups.
 */
#include "dump_int.h"

#include "nczarr_zmap.h"

#include <stdlib.h>
#include <string.h>

static void
cdl_dims(dump *d, int grp)
{
    ids    dims;
    size_t len;
    char   name[NC_MAX_NAME + 1];
    int    rc = ids_dims(grp, &dims);

    if (rc == NC_NOERR && dims.n > 0) {
        dump_indent(d);
        fputs("dimensions:\n", d->out);
    }
    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        if ((rc = nc_inq_dim(grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        dump_indent(d);
        fputc('\t', d->out);
        dump_name(d, name);
        if (dim_is_unlimited(grp, dims.id[i]))
            fprintf(d->out, " = UNLIMITED ; // (%zu currently)\n", len);
        else
            fprintf(d->out, " = %zu ;\n", len);
    }
    if (rc != NC_NOERR)
        dump_fail(d, rc, "dimensions");
    ids_clear(&dims);
}

/* A dimension by its name, or by its path where the name alone would mean another one. */
static void
cdl_dim_ref(dump *d, int grp, int dimid)
{
    char name[NC_MAX_NAME + 1], *path;
    int  nearest, home, rc;

    if ((rc = nc_inq_dimname(grp, dimid, name)) != NC_NOERR) {
        dump_fail(d, rc, "dimension");
        return;
    }
    if ((nc_inq_dimid(grp, name, &nearest) != NC_NOERR || nearest != dimid) &&
        dim_home(grp, dimid, &home) == NC_NOERR) {
        path = var_path(home, name);
        dump_name(d, path);
        free(path);
    } else {
        dump_name(d, name);
    }
}

/* "data:x" would begin the data section: a blank keeps such a name from being taken for a keyword. */
static bool
is_section_word(const char *name)
{
    static const char *const word[] = {"types", "dimensions", "variables", "data", "group"};

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(name, word[i]) == 0)
            return true;
    return false;
}

static void
cdl_typed_att_head(dump *d, const char *type, const char *owner, const char *name)
{
    dump_indent(d);
    fputs("\t\t", d->out);
    if (type != NULL)
        fprintf(d->out, "%s ", type);
    dump_name(d, owner);
    fputs(is_section_word(owner) ? " :" : ":", d->out);
    dump_name(d, name);
    fputs(" = ", d->out);
}

void
cdl_att_head(dump *d, const char *owner, const char *name)
{
    cdl_typed_att_head(d, NULL, owner, name);
}

/* Only the netCDF-4 model can tell several strings from one: elsewhere a text is split behind its newlines. */
static void
cdl_att_chars(dump *d, const att *a)
{
    bool   split = d->format != NC_FORMAT_NETCDF4;
    text   t = TEXT_INIT;
    size_t len = a->len;
    char  *s = a->val, *line;

    while (len > 0 && s[len - 1] == '\0')
        len--;
    text_addc(&t, '"');
    while (split && (line = memchr(s, '\n', len)) != NULL && (size_t)(line - s) + 1 < len) {
        text_add_cdl(&t, s, (size_t)(line - s) + 1, false);
        text_add(&t, "\",\n\t\t\t\"");
        len -= (size_t)(line - s) + 1;
        s = line + 1;
    }
    text_add_cdl(&t, s, len, false);
    text_addc(&t, '"');
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

static void
cdl_att_values(dump *d, const att *a)
{
    style  s = style_for(d, 0, NC_GLOBAL, a->type);
    text   t = TEXT_INIT;
    size_t size = type_size(a->type);

    if (a->len == 0) {
        fputs("\"\"", d->out);
        return;
    }
    if (a->type == NC_CHAR) {
        cdl_att_chars(d, a);
        return;
    }
    for (size_t i = 0; i < a->len; i++) {
        text_reset(&t);
        if (i > 0)
            text_add(&t, ", ");
        value_att(&t, &s, a->type, (const char *)a->val + i * size);
        fwrite(t.s, 1, t.len, d->out);
    }
    text_clear(&t);
}

/* Attributes whose type their values do not show have it in front: strings, and on request the fill value. */
static bool
shows_type(const dump *d, const att *a)
{
    return a->type == NC_STRING || (d->o->fill_type && strcmp(a->name, "_FillValue") == 0);
}

static void
cdl_att(dump *d, int grp, int varid, const char *owner, int index)
{
    att a;
    int rc = att_load(grp, varid, index, &a);

    if (rc != NC_NOERR || a.val == NULL) {
        dump_fail(d, rc != NC_NOERR ? rc : NC_EBADTYPE, a.name[0] != '\0' ? a.name : "attribute");
        att_clear(&a);
        return;
    }
    /* The provenance is a special attribute, shown with -s, even where the library lists it. */
    if (grp == d->root && varid == NC_GLOBAL && strcmp(a.name, "_NCProperties") == 0) {
        att_clear(&a);
        return;
    }
    cdl_typed_att_head(d, shows_type(d, &a) ? type_name(a.type) : NULL, owner, a.name);
    cdl_att_values(d, &a);
    fputs(" ;", d->out);
    if (d->o->times && varid != NC_GLOBAL) {
        time_note(d, grp, varid, &a);
        time_note_bounds(d, grp, varid, &a);
    }
    fputc('\n', d->out);
    att_clear(&a);
}

/* CDL has no word for its type: a comment says what is left out and why, and what is printed stays CDL. */
static void
cdl_unreadable_var(dump *d, const var *v)
{
    text  t = TEXT_INIT, why = TEXT_INIT;
    char *path = var_path(v->grp, v->name);
    int   rc;

    text_add_type(&t, v);
    rc = nczarr_inq_var_encoding(v->grp, v->id, NULL, NULL);
    rc = rc != NC_NOERR ? rc : NC_EBADTYPE;
    text_add_error(&why, rc, v->name);
    dump_indent(d);
    fprintf(d->out, "\t// left out: %s %s: %s\n", t.s, v->name, why.s);
    dump_fail(d, rc, path);
    text_clear(&t);
    text_clear(&why);
    free(path);
}

static void
cdl_var(dump *d, const var *v)
{
    text t = TEXT_INIT;

    if (type_name(v->type) == NULL) {
        cdl_unreadable_var(d, v);
        return;
    }
    dump_indent(d);
    text_add_type(&t, v);
    fprintf(d->out, "\t%s ", t.s);
    text_clear(&t);
    dump_name(d, v->name);
    for (int i = 0; i < v->ndims; i++) {
        fputs(i == 0 ? "(" : ", ", d->out);
        cdl_dim_ref(d, v->grp, v->dims[i]);
    }
    fputs(v->ndims > 0 ? ") ;\n" : " ;\n", d->out);
    for (int i = 0; i < v->natts; i++)
        cdl_att(d, v->grp, v->id, v->name, i);
    if (d->o->special)
        cdl_special_var(d, v);
}

static void
cdl_vars(dump *d, const ids *vars, int grp)
{
    var v;
    int rc;

    if (vars->n > 0) {
        dump_indent(d);
        fputs("variables:\n", d->out);
    }
    for (int i = 0; i < vars->n; i++) {
        if ((rc = var_load(grp, vars->id[i], &v)) != NC_NOERR) {
            dump_fail(d, rc, v.name);
            continue;
        }
        cdl_var(d, &v);
        var_clear(&v);
    }
}

static void
cdl_group_atts(dump *d, int grp)
{
    int  natts = 0, rc = nc_inq_natts(grp, &natts);
    bool root = grp == d->root;

    if (rc != NC_NOERR)
        dump_fail(d, rc, "attributes");
    if (natts > 0 || d->o->special) {
        fputc('\n', d->out);
        dump_indent(d);
        fputs(root ? "// global attributes:\n" : "// group attributes:\n", d->out);
    }
    for (int i = 0; i < natts; i++)
        cdl_att(d, grp, NC_GLOBAL, "", i);
    if (root && d->o->special)
        cdl_special_global(d);
}

static void
cdl_vars_data(dump *d, const ids *vars, int grp)
{
    var v;

    if (d->o->part == DUMP_HEADER || vars->n == 0 || !dump_wants_group(d, grp))
        return;
    dump_indent(d);
    fputs("data:\n", d->out);
    for (int i = 0; i < vars->n; i++) {
        if (!dump_wants_var(d, grp, vars->id[i]) || var_load(grp, vars->id[i], &v) != NC_NOERR)
            continue;
        if (!v.empty)
            cdl_data(d, &v);
        var_clear(&v);
    }
}

static void
cdl_subgroups(dump *d, int grp)
{
    ids  grps;
    char name[NC_MAX_NAME + 1];
    int  rc = ids_grps(grp, &grps);

    for (int i = 0; i < grps.n && rc == NC_NOERR; i++) {
        if ((rc = nc_inq_grpname(grps.id[i], name)) != NC_NOERR)
            break;
        fputc('\n', d->out);
        dump_indent(d);
        fputs("group: ", d->out);
        dump_name(d, name);
        fputs(" {\n", d->out);
        d->indent += 2;
        cdl_group(d, grps.id[i]);
        dump_indent(d);
        fputs("} // group ", d->out);
        dump_name(d, name);
        fputc('\n', d->out);
        d->indent -= 2;
    }
    if (rc != NC_NOERR)
        dump_fail(d, rc, "groups");
    ids_clear(&grps);
}

void
cdl_group(dump *d, int grp)
{
    ids vars;
    int rc;

    cdl_dims(d, grp);
    if ((rc = ids_vars(grp, &vars)) != NC_NOERR) {
        dump_fail(d, rc, "variables");
        vars.n = 0;
    }
    cdl_vars(d, &vars, grp);
    cdl_group_atts(d, grp);
    cdl_vars_data(d, &vars, grp);
    ids_clear(&vars);
    cdl_subgroups(d, grp);
}
