/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_classic_define.c: the definitions of a classic netCDF file: all in one group, strings as characters, enums as
 * their integers (copy_classic.c has decided).
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */

char *
copy_att_text(int grp, int varid, const char *name)
{
    text_buf text = TEXT_BUF_INIT;
    size_t   len = 0;
    char   **strings;

    if (nc_inq_attlen(grp, varid, name, &len) != NC_NOERR)
        return NULL;
    strings = memory_alloc(len, sizeof *strings);
    if (len == 0 || nc_get_att_string(grp, varid, name, strings) == NC_NOERR) {
        text_reset(&text); /* also of none */
        for (size_t i = 0; i < len; i++)
            text_addf(&text, "%s%s", i > 0 ? "\n" : "", strings[i] != NULL ? strings[i] : "");
        (void)nc_free_string(len, strings);
    }
    free(strings);
    return text.s;
}

static int
put_att(int grp, int varid, const char *name, int out, int varid_out, const char *name_out)
{
    nc_type type, base;
    size_t  len, size;
    void   *values;
    char   *text;
    int     rc = nc_inq_att(grp, varid, name, &type, &len);

    if (rc != NC_NOERR)
        return rc;
    if (type == NC_STRING) {
        if ((text = copy_att_text(grp, varid, name)) == NULL)
            return nc_inq_att(grp, varid, name, &type, &len) != NC_NOERR ? NC_ENOTATT : NC_EIO;
        rc = nc_put_att_text(out, varid_out, name_out, strlen(text), text);
        free(text);
        return rc;
    }
    if ((rc = copy_classic_type(grp, type, &base)) != NC_NOERR || (rc = copy_type_size(grp, type, &size)) != NC_NOERR)
        return rc;
    values = memory_alloc(len + 1, size);
    if ((rc = nc_get_att(grp, varid, name, values)) == NC_NOERR)
        rc = nc_put_att(out, varid_out, name_out, base, len, values);
    free(values);
    return rc;
}

/* `v` NULL: of the group. */
static int
put_atts(copy_source *s, size_t g, const copy_var *v, int out)
{
    const copy_group *grp = &s->groups[g];
    const char       *path = v != NULL ? v->path : grp->path;
    int               varid = v != NULL ? v->in : NC_GLOBAL, n = 0, rc = nc_inq_varnatts(grp->in, varid, &n);
    char              name[NC_MAX_NAME + 1], *name_out;

    for (int i = 0; rc == NC_NOERR && i < n; i++) {
        if ((rc = nc_inq_attname(grp->in, varid, i, name)) != NC_NOERR)
            break;
        if (copy_is_lost(&s->losses, path, name))
            continue;
        if (v != NULL && v->text && strcmp(name, "_FillValue") == 0) {
            copy_lose(&s->losses, path, name, "characters have one of a single byte");
            continue;
        }
        name_out = v != NULL ? memory_need(strdup(name)) : memory_textf("%s%s", grp->prefix, name);
        rc = put_att(grp->in, varid, name, out, v != NULL ? v->out : NC_GLOBAL, name_out);
        free(name_out);
    }
    if (rc == NC_NOERR)
        rc = copy_nameless_att(s, path, grp->in, varid, out, v != NULL ? v->out : NC_GLOBAL);
    return rc == NC_NOERR ? rc : message_fail(rc, path);
}

/* That readers make strings of the characters again, as xarray has it. */
static int
put_encoding(const copy_var *v, int out)
{
    static const char name[] = "_Encoding", utf8[] = "utf-8";
    int               rc;

    if (!v->text || nc_inq_attid(out, v->out, name, NULL) == NC_NOERR)
        return NC_NOERR;
    rc = nc_put_att_text(out, v->out, name, strlen(utf8), utf8);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}

/* The names and values of an enum's constants, as the CF conventions have them. */
static int
put_flags(const copy_source *s, const copy_var *v, int out)
{
    int        grp = s->groups[v->group].in, rc;
    user_type *t = NULL;
    text_buf   meanings = TEXT_BUF_INIT;
    char      *values;

    if (v->type <= NC_MAX_ATOMIC_TYPE || nc_inq_attid(out, v->out, "flag_values", NULL) == NC_NOERR ||
        nc_inq_attid(out, v->out, "flag_meanings", NULL) == NC_NOERR)
        return NC_NOERR;
    if ((rc = user_type_load(grp, v->type, &t)) != NC_NOERR)
        return message_fail(rc, v->path);
    values = memory_alloc(t->nmembers + 1, t->size);
    for (size_t i = 0; rc == NC_NOERR && i < t->nmembers; i++) {
        text_addf(&meanings, "%s%s", i > 0 ? " " : "", t->members[i].name);
        rc = nc_inq_enum_member(grp, v->type, (int)i, NULL, values + i * t->size);
    }
    if (rc == NC_NOERR && t->nmembers > 0 &&
        (rc = nc_put_att(out, v->out, "flag_values", v->type_out, t->nmembers, values)) == NC_NOERR)
        rc = nc_put_att_text(out, v->out, "flag_meanings", meanings.len, meanings.s);
    free(values);
    text_clear(&meanings);
    user_type_free(t);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}

/* ---- dimensions and variables ---- */

static int
define_dims(copy_source *s, int out)
{
    int rc;

    for (size_t d = 0; d < s->ndims; d++)
        if ((rc = nc_def_dim(out, s->dims[d].name_out, s->dims[d].unlimited ? NC_UNLIMITED : s->dims[d].len,
                             &s->dims[d].out)) != NC_NOERR)
            return message_fail(rc, s->dims[d].name);
    for (size_t i = 0; i < s->ntexts; i++)
        if ((rc = nc_def_dim(out, s->texts[i].name, s->texts[i].len, &s->texts[i].out)) != NC_NOERR)
            return message_fail(rc, s->texts[i].name);
    return NC_NOERR;
}

static int
define_var(const copy_source *s, copy_var *v, int out)
{
    int *ids = memory_alloc((size_t)v->rank + 1, sizeof *ids), rc;

    for (int d = 0; d < v->rank; d++)
        ids[d] = s->dims[v->dims[d]].out;
    if (v->text)
        ids[v->rank] = s->texts[v->text_dim].out;
    rc = nc_def_var(out, v->name_out, v->type_out, v->rank + (v->text ? 1 : 0), ids, &v->out);
    free(ids);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}

int
copy_define_classic(copy_source *s, int out)
{
    int old, rc = nc_set_fill(out, NC_NOFILL, &old); /* all values are put */

    if (rc != NC_NOERR)
        return message_fail(rc, "the target");
    if ((rc = define_dims(s, out)) != NC_NOERR)
        return rc;
    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++) {
        s->groups[g].out = out;
        rc = put_atts(s, g, NULL, out);
    }
    for (size_t i = 0; rc == NC_NOERR && i < s->nvars; i++) {
        copy_var *v = &s->vars[i];

        if ((rc = define_var(s, v, out)) == NC_NOERR && (rc = put_atts(s, v->group, v, out)) == NC_NOERR &&
            (rc = put_encoding(v, out)) == NC_NOERR)
            rc = put_flags(s, v, out);
    }
    return rc;
}
