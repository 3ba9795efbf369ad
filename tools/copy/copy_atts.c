/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_atts.c: the attributes of the target's groups and variables, as they are in the source. What the target cannot
 * have is left out by name.
 *
 * The attribute that marks a variable as quantized is put after the data, together with the attributes that follow it.
 * Data that were rounded once must not be rounded again, which a resumed target would do.
 */
#include "copy_int.h"

#include "common/error_text.h"

#include <stdio.h>
#include <string.h>

static bool
is_quantize_att(const char *name)
{
    return strcmp(name, NC_QUANTIZE_BITGROOM_ATT_NAME) == 0 || strcmp(name, NC_QUANTIZE_GRANULARBR_ATT_NAME) == 0 ||
           strcmp(name, NC_QUANTIZE_BITROUND_ATT_NAME) == 0;
}

/* The attributes of a variable, or (`v` NULL) of a group: where they are on both sides. */
typedef struct att_place {
    const copy_var *v;
    const char     *path;
    int             in, varid_in, out, varid_out;
} att_place;

static att_place
find_place(const copy_source *s, size_t g, const copy_var *v)
{
    return (att_place){.v = v,
                       .path = v != NULL ? v->path : s->groups[g].path,
                       .in = s->groups[g].in,
                       .varid_in = v != NULL ? v->in : NC_GLOBAL,
                       .out = s->groups[g].out,
                       .varid_out = v != NULL ? v->out : NC_GLOBAL};
}

/* What makes one attribute impossible in the target, and nothing else: its name, or its type. A _FillValue may have any
 * number of elements in HDF5. */
static bool
is_att_failure(const att_place *p, const char *name, int rc)
{
    if (rc == NC_EINVAL)
        return p->v != NULL && strcmp(name, "_FillValue") == 0;
    return rc == NC_EBADNAME || rc == NC_EMAXNAME || rc == NC_EBADTYPE || rc == NC_ENOTBUILT;
}

/* Attributes that the target cannot have are left out. */
static int
copy_one_att(copy_source *s, const att_place *p, const char *name)
{
    char text[ERROR_TEXT_SIZE];
    int  rc = nczarr_copy_att(p->in, p->varid_in, name, p->out, p->varid_out);

    if (rc == NC_ENAMEINUSE) { /* a foreign dataset may have attributes that the target's format reserves */
        copy_lose(&s->losses, p->path, name, "the format reserves that name");
    } else if (is_att_failure(p, name, rc)) {
        error_text(rc, NULL, text);
        copy_lose(&s->losses, p->path, name, text);
    } else if (rc != NC_NOERR) {
        return message_fail(rc, p->path);
    } else {
        copy_note_bytes(p->in, p->varid_in, name, p->out, p->path);
    }
    return NC_NOERR;
}

/* The name of an attribute; false: it is longer than any name that netCDF gives, and is left out. */
static bool
take_att_name(copy_source *s, const att_place *p, int number, char *name, int *rc)
{
    char text[ERROR_TEXT_SIZE];

    *rc = nc_inq_attname(p->in, p->varid_in, number, name);
    if (*rc != NC_EMAXNAME)
        return *rc == NC_NOERR;
    error_text(*rc, NULL, text);
    snprintf(name, NC_MAX_NAME + 1, "number %d", number);
    copy_lose(&s->losses, p->path, name, text);
    *rc = NC_NOERR;
    return false;
}

int
copy_nameless_att(copy_source *s, const char *path, int in, int varid_in, int out, int varid_out)
{
    int rc = nczarr_copy_att(in, varid_in, "", out, varid_out);

    if (rc == NC_EBADNAME)
        copy_lose(&s->losses, path, "\"\"", "only Zarr has attributes without a name");
    return rc == NC_ENOTATT || rc == NC_EBADNAME ? NC_NOERR : rc;
}

/* A variable's fill value is never delayed: it must be set before the definition is final. */
int
copy_atts(copy_source *s, size_t g, copy_var *v)
{
    const att_place place = find_place(s, g, v), *p = &place;
    char            name[NC_MAX_NAME + 1];
    int            *late = v != NULL ? &v->late : NULL;
    int             n = 0, rc = nc_inq_varnatts(p->in, p->varid_in, &n);

    if (rc == NC_NOERR)
        rc = copy_nameless_att(s, p->path, p->in, p->varid_in, p->out, p->varid_out);
    for (int i = 0; rc == NC_NOERR && i < n; i++) {
        if (!take_att_name(s, p, i, name, &rc))
            continue;
        if (late != NULL && *late < 0 && is_quantize_att(name))
            *late = i;
        if (late != NULL && *late >= 0 && strcmp(name, "_FillValue") != 0)
            continue;
        if ((rc = copy_one_att(s, p, name)) != NC_NOERR)
            return rc;
    }
    return rc == NC_NOERR ? rc : message_fail(rc, p->path);
}

int
copy_late_atts(copy_source *s)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && s->cdf == 0 && i < s->nvars; i++) {
        const copy_var *v = &s->vars[i];
        const att_place p = find_place(s, v->group, v);

        if (v->late < 0)
            continue;
        (void)nc_redef(p.out); /* only the classic model needs it */
        rc = nc_inq_varnatts(p.in, v->in, &n);
        for (int a = v->late; rc == NC_NOERR && a < n; a++)
            if (take_att_name(s, &p, a, name, &rc) && strcmp(name, "_FillValue") != 0)
                rc = copy_one_att(s, &p, name);
    }
    return rc;
}

/* ---- a target that is resumed ---- */

int
copy_find_late_att(const copy_source *s, const copy_var *v)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0;

    if (nc_inq_varnatts(s->groups[v->group].in, v->in, &n) != NC_NOERR)
        return -1;
    for (int i = 0; i < n; i++)
        if (nc_inq_attname(s->groups[v->group].in, v->in, i, name) == NC_NOERR && is_quantize_att(name))
            return i;
    return -1;
}

/* What the interrupted copy left out is left out again: that it is missing tells. */
int
copy_find_lost_atts(copy_source *s, size_t g, const copy_var *v)
{
    const att_place place = find_place(s, g, v), *p = &place;
    char            name[NC_MAX_NAME + 1];
    int             n = 0, rc = nc_inq_varnatts(p->in, p->varid_in, &n), end = n;

    if (p->v != NULL && p->v->late >= 0)
        end = p->v->late; /* these may be still to come */
    for (int i = 0; rc == NC_NOERR && i < end; i++)
        if (take_att_name(s, p, i, name, &rc) && nc_inq_attid(p->out, p->varid_out, name, NULL) != NC_NOERR)
            rc = copy_one_att(s, p, name);
    return rc == NC_NOERR ? rc : message_fail(rc, p->path);
}
