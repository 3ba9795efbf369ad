/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_cdl_header.c: CDL declarations of a group and, through dump_cdl_data.c, its data; then its subgroups.
 *
 * The output is ncdump's to the byte: two blanks for each level of groups before the tabs, the order types, dimensions,
 * variables, attributes, data, groups.
 */
#include "dump_int.h"

#include "common/error_text.h"

#include "nczarr_zmap.h"

#include <stdlib.h>
#include <string.h>

static void
print_dims(dump_context *d, int grp)
{
    id_list dims;
    size_t  len;
    char    name[NC_MAX_NAME + 1];
    int     rc = id_list_dims(grp, &dims);

    if (rc == NC_NOERR && dims.n > 0) {
        dump_cdl_indent(d);
        fputs("dimensions:\n", d->out);
    }
    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        if ((rc = dump_inq_dim(d, grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        dump_cdl_indent(d);
        fputc('\t', d->out);
        dump_cdl_colored_name(d, DUMP_BOLD, name);
        if (dim_table_is_unlimited(&d->dims, grp, dims.id[i])) {
            fputs(" = UNLIMITED ; ", d->out);
            dump_color(d, DUMP_FAINT);
            fprintf(d->out, "// (%zu currently)", len);
            dump_color_end(d);
            fputc('\n', d->out);
        } else {
            fprintf(d->out, " = %zu ;\n", len);
        }
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "dimensions");
    id_list_clear(&dims);
}

/* A dimension by its name, or by its path where the name alone would mean another one. */
static void
print_dim_ref(dump_context *d, int grp, int dimid)
{
    char            name[NC_MAX_NAME + 1], *path;
    int             nearest, rc;
    const dim_home *home;

    if ((rc = nc_inq_dimname(grp, dimid, name)) != NC_NOERR) {
        dump_fail(&d->report, rc, "dimension");
        return;
    }
    if ((nc_inq_dimid(grp, name, &nearest) != NC_NOERR || nearest != dimid) &&
        (home = dim_table_find(&d->dims, grp, dimid)) != NULL) {
        path = group_var_path(home->grp, name);
        dump_cdl_name(d, path);
        free(path);
    } else {
        dump_cdl_name(d, name);
    }
}

/* Only the netCDF-4 model distinguishes several strings from one: elsewhere a text is split after each newline, also
 * after one at its end. */
static void
print_att_chars(dump_context *d, const att_value *a)
{
    bool     split = d->format != NC_FORMAT_NETCDF4;
    text_buf t = TEXT_BUF_INIT;
    size_t   len = a->len;
    char    *s = a->val, *line;

    while (len > 0 && s[len - 1] == '\0')
        len--;
    text_addc(&t, '"');
    while (split && (line = memchr(s, '\n', len)) != NULL) {
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

/* Only compounds and vlens are wrapped; ncdump does it so. */
static void
print_att_user_values(dump_context *d, const att_value *a)
{
    dump_number_format s = dump_number_format_for(d, 0, NC_GLOBAL, a->type);
    text_buf           t = TEXT_BUF_INIT;
    bool               wrap = a->user->class == NC_COMPOUND || a->user->class == NC_VLEN;

    for (size_t i = 0; i < a->len; i++) {
        text_reset(&t);
        dump_user_value_cdl(&t, &s, a->user, (const char *)a->val + i * a->user->size);
        text_add(&t, i + 1 < a->len ? ", " : "");
        if (wrap)
            dump_cdl_piece(d, t.s, t.len);
        else
            fwrite(t.s, 1, t.len, d->out);
    }
    text_clear(&t);
}

static void
print_att_values(dump_context *d, const att_value *a)
{
    dump_number_format s = dump_number_format_for(d, 0, NC_GLOBAL, a->type);
    text_buf           t = TEXT_BUF_INIT;
    size_t             size = dump_type_size(a->type);

    if (a->len == 0) {
        fputs("\"\"", d->out);
        return;
    }
    if (a->type == NC_CHAR) {
        print_att_chars(d, a);
        return;
    }
    if (a->user != NULL) {
        print_att_user_values(d, a);
        return;
    }
    for (size_t i = 0; i < a->len; i++) {
        text_reset(&t);
        if (i > 0)
            text_add(&t, ", ");
        dump_value_att(&t, &s, a->type, (const char *)a->val + i * size);
        fwrite(t.s, 1, t.len, d->out);
    }
    text_clear(&t);
}

/*
 * Attributes whose values do not show their type are printed with it: strings, values of user-defined types, and on
 * request the fill value.
 */
static void
print_att_head(dump_context *d, const att_value *a, const char *owner)
{
    text_buf t = TEXT_BUF_INIT;

    if (a->user != NULL)
        dump_add_type_ref(&t, a->grp, a->user, true);
    else if (a->type == NC_STRING || (d->o->fill_type && strcmp(a->name, "_FillValue") == 0))
        text_add(&t, dump_type_name(a->type));
    dump_cdl_typed_att_head(d, t.s, owner, a->name);
    text_clear(&t);
}

static void
print_att(dump_context *d, int grp, int varid, const char *owner, int index)
{
    att_value a;

    if (!dump_att_take(d, grp, varid, index, &a))
        return;
    /* The provenance is a special attribute, shown with -s, even where the library lists it. */
    if (grp == d->root && varid == NC_GLOBAL && strcmp(a.name, "_NCProperties") == 0) {
        att_value_clear(&a);
        return;
    }
    print_att_head(d, &a, owner);
    print_att_values(d, &a);
    fputs(" ;", d->out);
    if (d->o->times && varid != NC_GLOBAL) {
        dump_time_comment(d, grp, varid, &a);
        dump_record_bounds(d, grp, varid, &a);
    }
    fputc('\n', d->out);
    att_value_clear(&a);
}

static void
print_left_out(dump_context *d, const dump_var *v, const char *why)
{
    text_buf t = TEXT_BUF_INIT;

    text_add(&t, "// left out: ");
    dump_add_type(&t, v, true);
    text_add(&t, " ");
    text_add_name(&t, v->name);
    text_add(&t, ": ");
    text_add_safe(&t, why);
    dump_cdl_indent(d);
    fputc('\t', d->out);
    dump_cdl_colored(d, DUMP_FAINT, t.s);
    fputc('\n', d->out);
    text_clear(&t);
}

/* CDL has no word for its type: a comment says what is left out and why, and what is printed stays CDL. */
static void
print_unreadable_var(dump_context *d, const dump_var *v)
{
    char  why[ERROR_TEXT_SIZE];
    char *path = group_var_path(v->grp, v->name);
    int   rc = nczarr_inq_var_encoding(v->grp, v->id, NULL, NULL);

    rc = rc != NC_NOERR ? rc : NC_EBADTYPE;
    error_text(rc, v->name, why);
    print_left_out(d, v, why);
    if (dump_asks_for_var(d, v->grp, v->id))
        dump_fail_text(&d->report, rc, "%s: %s: %s", d->report.file, path, why);
    free(path);
}

static void
print_var(dump_context *d, const dump_var *v)
{
    text_buf t = TEXT_BUF_INIT;

    if (v->size == 0) {
        print_unreadable_var(d, v);
        return;
    }
    if (dump_damage_skips(d, v->grp, v->id)) {
        print_left_out(d, v, "a chunk is damaged");
        return;
    }
    dump_cdl_indent(d);
    dump_add_type(&t, v, true);
    fputc('\t', d->out);
    dump_cdl_colored(d, DUMP_GREEN, t.s);
    fputc(' ', d->out);
    text_clear(&t);
    dump_cdl_colored_name(d, DUMP_BOLD, v->name);
    for (int i = 0; i < v->ndims; i++) {
        fputs(i == 0 ? "(" : ", ", d->out);
        print_dim_ref(d, v->grp, v->dims[i]);
    }
    fputs(v->ndims > 0 ? ") ;\n" : " ;\n", d->out);
    for (int i = 0; i < v->natts; i++)
        print_att(d, v->grp, v->id, v->name, i);
    if (d->o->special)
        dump_cdl_virtual_var(d, v);
}

static void
print_vars(dump_context *d, const id_list *vars, int grp)
{
    dump_var v;
    int      rc;

    if (vars->n > 0) {
        dump_cdl_indent(d);
        fputs("variables:\n", d->out);
    }
    for (int i = 0; i < vars->n; i++) {
        if ((rc = dump_var_load_part(d, grp, vars->id[i], &v)) != NC_NOERR) {
            if (dump_asks_for_var(d, grp, vars->id[i]))
                dump_fail(&d->report, rc, v.name);
            continue;
        }
        print_var(d, &v);
        dump_var_clear(&v);
    }
}

static void
print_group_atts(dump_context *d, int grp)
{
    int  natts = 0, rc = nc_inq_natts(grp, &natts);
    bool root = grp == d->root;

    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "attributes");
    if (natts > 0 || d->o->special) {
        fputc('\n', d->out);
        dump_cdl_indent(d);
        dump_cdl_colored(d, DUMP_FAINT, root ? "// global attributes:" : "// group attributes:");
        fputc('\n', d->out);
    }
    for (int i = 0; i < natts; i++)
        print_att(d, grp, NC_GLOBAL, "", i);
    if (root && d->o->special)
        dump_cdl_virtual_global(d);
}

static void
print_vars_data(dump_context *d, const id_list *vars, int grp)
{
    dump_var v;

    if (d->o->part == DUMP_HEADER || vars->n == 0 || !dump_wants_group(d, grp))
        return;
    dump_cdl_indent(d);
    fputs("data:\n", d->out);
    for (int i = 0; i < vars->n; i++) {
        if (!dump_wants_var(d, grp, vars->id[i]) || dump_var_load_part(d, grp, vars->id[i], &v) != NC_NOERR)
            continue;
        v.damage = d->o->damaged == DAMAGE_FILL ? &d->damage : NULL;
        if (!v.empty && !dump_damage_skips(d, grp, vars->id[i]))
            dump_cdl_data(d, &v);
        dump_var_clear(&v);
    }
}

static void
print_subgroups(dump_context *d, int grp)
{
    id_list grps;
    char    name[NC_MAX_NAME + 1];
    int     rc = id_list_groups(grp, &grps);

    for (int i = 0; i < grps.n && rc == NC_NOERR; i++) {
        if ((rc = nc_inq_grpname(grps.id[i], name)) != NC_NOERR)
            break;
        fputc('\n', d->out);
        dump_cdl_indent(d);
        fputs("group: ", d->out);
        dump_cdl_colored_name(d, DUMP_BOLD_BLUE, name);
        fputs(" {\n", d->out);
        d->indent += 2;
        dump_cdl_group(d, grps.id[i]);
        dump_cdl_indent(d);
        fputs("} ", d->out);
        dump_color(d, DUMP_FAINT);
        fputs("// group ", d->out);
        dump_cdl_name(d, name);
        dump_color_end(d);
        fputc('\n', d->out);
        d->indent -= 2;
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "groups");
    id_list_clear(&grps);
}

void
dump_cdl_group(dump_context *d, int grp)
{
    id_list vars;
    int     rc;

    dump_cdl_types(d, grp);
    print_dims(d, grp);
    if ((rc = id_list_vars(grp, &vars)) != NC_NOERR) {
        dump_fail(&d->report, rc, "variables");
        vars.n = 0;
    }
    print_vars(d, &vars, grp);
    print_group_atts(d, grp);
    print_vars_data(d, &vars, grp);
    id_list_clear(&vars);
    print_subgroups(d, grp);
}
