/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_verbatim: copies of what documents of Zarr say and netCDF does not, from one dataset to another: attributes as
 * they are spelled, variables by their array document. One dataset is locked at a time.
 */
#include "api/api_int.h"

#include "dialects/dialects.h"
#include "nczarr_zmap.h"

#include <string.h>

#define FILL_ATT "_FillValue"

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* An attribute as the source has it. */
typedef struct spelled {
    const ncz_type        *type; /* an atomic one, or that of the variable with this fill value */
    size_t                 len;
    void                  *data;
    char                  *raw; /* NULL: it has no spelling of its own that could be kept */
    size_t                 rawlen;
    bool                   made_up; /* no document has it: the reader made it */
    bool                   plain;
    const ncz_dialect_ops *from;
} spelled;

static void
spelled_clear(spelled *s)
{
    ncz_type_drop_elems(s->type, s->data, s->len);
    ncz_free(s->raw);
}

/*
 * Floats of NCZarr are written again, since a document may have only the digits that tell floats apart, and so is text
 * that is not UTF-8, which no document should have.
 */
static bool
keeps_spelling(const ncz_att *a, bool plain)
{
    bool any = a->type->id <= NC_MAX_ATOMIC_TYPE || strcmp(a->name, FILL_ATT) == 0; /* or the variable's own type */

    return a->raw != NULL && any && (plain || a->type->id != NC_FLOAT) && ncz_utf8_valid(a->raw, a->rawlen);
}

static int
read_spelled(int ncid, int varid, const char *name, spelled *s)
{
    ncz_call  c;
    ncz_atts *atts = NULL;
    ncz_var  *v = NULL;
    ncz_att  *a;
    int       rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    *s = (spelled){.type = ncz_type_of(NC_NAT)};
    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_atts(&c, varid, &atts, &v)) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    s->plain = !ncz_dataset_is_nczarr(c.ds);
    if ((a = ncz_atts_find(atts, name)) != NULL && keeps_spelling(a, s->plain)) {
        s->from = c.m->dialect;
        s->made_up = a->rawlen == 0;
        s->rawlen = a->rawlen;
        if ((s->raw = ncz_strndup(a->raw, a->rawlen)) == NULL)
            rc = ncz_fail_nomem(a->rawlen);
        if (rc == NC_NOERR && (rc = ncz_type_dup_elems(a->type, a->data, a->len, &s->data)) == NC_NOERR) {
            s->type = a->type;
            s->len = a->len;
        }
    } else if (a == NULL && name[0] == '\0') {
        rc = ncz_fail(NC_ENOTATT, "there is no attribute without a name");
    }
    return ncz_call_leave(&c, rc);
}

/* Whether the target's documents can have the attribute in the source's spelling. Types of NCZarr's attributes are in
 * records beside them, which plain Zarr lacks. */
static bool
takes_spelling(const ncz_call *c, const spelled *s)
{
    return s->raw != NULL && c->m->dialect->zarr != NULL && ncz_dataset_is_verbatim(c->ds) &&
           (s->plain || ncz_dataset_is_nczarr(c->ds)) && (!ncz_dataset_classic(c->ds) || ncz_dataset_defining(c->ds));
}

/* In plain Zarr a variable that was defined by a document has its fill value from there, whatever the attribute says:
 * both are as in the source, also where no document has the attribute, which the reader made. */
static bool
is_fill_defined(const ncz_call *c, const ncz_var *v, const spelled *s)
{
    return v->by_document && s->from == c->m->dialect && s->plain && !ncz_dataset_is_nczarr(c->ds) &&
           (s->type->id <= NC_MAX_ATOMIC_TYPE ||
            (s->type->class == v->type->class && s->type->size == v->type->size));
}

/* *taken false: nc_copy_att() does it. */
static int
put_spelled(const ncz_call *c, int varid, const char *name, const spelled *s, bool *taken)
{
    ncz_atts       *atts = NULL;
    ncz_var        *v = NULL;
    ncz_att        *a;
    const ncz_type *type = s->type;
    char           *own = NULL;
    size_t          had;
    int             rc;

    *taken = false;
    if ((rc = ncz_call_atts(c, varid, &atts, &v)) != NC_NOERR || !takes_spelling(c, s))
        return rc;
    if (v != NULL && (rc = ncz_dialects_check_rewritable(v)) != NC_NOERR)
        return rc;
    if (v != NULL && strcmp(name, FILL_ATT) == 0 && !is_fill_defined(c, v, s))
        return NC_NOERR;
    if ((s->made_up && strcmp(name, FILL_ATT) != 0) || ncz_dataset_is_width_att(c->ds, v, name))
        return NC_NOERR;
    if (type->id > NC_MAX_ATOMIC_TYPE && v == NULL)
        return NC_NOERR;
    if (type->id > NC_MAX_ATOMIC_TYPE)
        type = v->type;
    if ((rc = ncz_name_take(name, &own)) != NC_NOERR || (rc = ncz_call_check_model(c, type, own)) != NC_NOERR ||
        (rc = ncz_dataset_check_type(c->ds, type, own)) != NC_NOERR)
        goto done;
    had = atts->n;
    if ((rc = ncz_atts_set(c->m, atts, own, type, s->len, s->data, &a)) != NC_NOERR)
        goto done;
    *taken = true;
    if ((a->raw = ncz_strndup(s->raw, s->rawlen)) == NULL)
        rc = ncz_fail_nomem(s->rawlen);
    a->rawlen = s->rawlen;
    if (atts->n > had)
        ncz_dataset_define(c->ds);
done:
    ncz_free(own);
    return rc;
}

int
nczarr_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    ncz_call c;
    spelled  s;
    bool     taken = false;
    int      rc = NC_NOERR;

    if (name == NULL)
        return ncz_call_done(ncz_fail(NC_EBADNAME, "no name of an attribute is given"));
    if ((rc = read_spelled(ncid_in, varid_in, name, &s)) == NC_NOERR && s.raw != NULL &&
        (rc = ncz_call_enter(ncid_out, NCZ_USE_CHANGE, &c)) == NC_NOERR)
        rc = ncz_call_leave(&c, put_spelled(&c, varid_out, name, &s, &taken));
    spelled_clear(&s);
    if (rc != NC_NOERR)
        return ncz_call_done(rc);
    return taken ? NC_NOERR : nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

/* The array document of a variable, and what the target must have in common with the source. */
typedef struct array {
    const ncz_dialect_ops *from;
    size_t                 rank;
    char                  *name;
    ncz_buf                text, names;
} array;

static int
read_array(int ncid, int varid, array *a)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    a->from = c.m->dialect;
    a->rank = v->rank;
    if (a->from->zarr == NULL || !ncz_dataset_is_verbatim(c.ds) || c.m->native_big || v->rectilinear != NULL ||
        v->earlier.n > 0)
        rc = ncz_fail(NC_ENOTBUILT, "%s: the document of this variable is not copied as it is", v->name);
    else if ((a->name = ncz_strdup(v->name)) == NULL)
        rc = ncz_fail_nomem(strlen(v->name));
    else
        rc = ncz_dialects_array_write(c.m, v, &a->text, &a->names);
    return ncz_call_leave(&c, rc);
}

static int
define_array(const ncz_call *c, const array *a, nc_type xtype, const int *dimids, int *varidp)
{
    const ncz_type *type = ncz_type_of(NC_NAT);
    ncz_dim       **dims;
    ncz_var        *v = NULL;
    int             rc = NC_NOERR;

    if (c->m->dialect != a->from)
        return ncz_fail(NC_ENOTBUILT, "%s: the documents of %s are not those of %s", a->name, a->from->name,
                        c->m->dialect->name);
    if (xtype != NC_NAT && (rc = ncz_call_type(c, xtype, &type)) != NC_NOERR)
        return rc;
    if ((rc = ncz_call_check_model(c, type, a->name)) != NC_NOERR)
        return rc;
    if ((dims = ncz_zalloc_n(a->rank, sizeof *dims)) == NULL)
        return ncz_fail_nomem(a->rank * sizeof *dims);
    for (size_t d = 0; rc == NC_NOERR && d < a->rank; d++)
        rc = ncz_call_dim(c, dimids[d], &dims[d]);
    if (rc == NC_NOERR)
        rc = ncz_dataset_add_array(c->ds, c->g, a->name, ncz_buf_str(&a->text), ncz_buf_str(&a->names), type, a->rank,
                                   dims, &v);
    if (rc == NC_NOERR && varidp != NULL)
        *varidp = v->id;
    ncz_free(dims);
    return rc;
}

int
nczarr_copy_var_document(int ncid_in, int varid_in, int ncid_out, nc_type xtype, const int *dimidsp, int *varidp)
{
    array    a = {.text = NCZ_BUF_INIT, .names = NCZ_BUF_INIT};
    ncz_call c;
    int      rc;

    if ((rc = read_array(ncid_in, varid_in, &a)) == NC_NOERR &&
        (rc = ncz_call_enter(ncid_out, NCZ_USE_DEFINE, &c)) == NC_NOERR)
        rc = ncz_call_leave(&c, a.rank > 0 && dimidsp == NULL
                                    ? ncz_fail(NC_EINVAL, "%s: no ids of dimensions are given", a.name)
                                    : define_array(&c, &a, xtype, dimidsp, varidp));
    ncz_free(a.name);
    ncz_buf_clear(&a.text);
    ncz_buf_clear(&a.names);
    return ncz_call_done(rc);
}

int
nczarr_undef_var(int ncid, int varid)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->stage != NCZ_VAR_IN_DEFINITION || (size_t)v->id + 1 != c.g->nvars || ncz_dataset_cdf(c.ds) != 0)
        rc = ncz_fail(NC_ELATEDEF, "%s: only the newest variable of a group can be taken back, in a dataset of Zarr",
                      v->name);
    else
        rc = ncz_dataset_drop_var(c.ds, v);
    return ncz_call_leave(&c, rc);
}
