/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_call: how every public function enters and leaves a dataset and resolves its ids.
 */
#include "api/api_int.h"

#include <string.h>

/* Most calls look at a dataset that is ready: that takes one lock. */
static bool
enter_ready(ncz_call *c)
{
    if (c->use != NCZ_USE_LOOK || (c->ds = ncz_ids_share(c->base)) == NULL)
        return false;
    if (ncz_dataset_is_ready(c->ds))
        return true;
    ncz_ids_unshare(c->base);
    return false;
}

static int
enter_any(int ncid, ncz_call *c)
{
    int rc;

    if ((c->ds = ncz_ids_enter(c->base)) == NULL)
        return ncz_fail(NC_EBADID, "ncid %d is not open", ncid);
    if (c->use == NCZ_USE_PUT && ncz_dataset_appends(c->ds))
        c->use = NCZ_USE_PUT_ALONE;
    if ((rc = ncz_dataset_begin(c->ds, c->use)) != NC_NOERR)
        ncz_ids_leave(c->base);
    c->announced = true;
    return rc;
}

int
ncz_call_enter(int ncid, ncz_use use, ncz_call *c)
{
    size_t group = (size_t)(ncid & (NCZ_ID_GROUPS - 1));
    int    rc;

    ncz_err_clear();
    *c = (ncz_call){.use = use, .base = ncid - (int)group};
    if (!enter_ready(c) && (rc = enter_any(ncid, c)) != NC_NOERR)
        return ncz_call_done(rc);
    c->m = ncz_dataset_model(c->ds);
    if (group >= c->m->ngroups)
        return ncz_call_leave(c, ncz_fail(NC_EBADID, "ncid %d: there is no such group", ncid));
    c->g = c->m->groups[group];
    return NC_NOERR;
}

int
ncz_call_check_netcdf4(const ncz_call *c, const char *what)
{
    return ncz_dataset_cdf(c->ds) != 0 ? ncz_fail(NC_ENOTNC4, "a classic netCDF file has no %s", what) : NC_NOERR;
}

int
ncz_call_enter_netcdf4(int ncid, ncz_use use, const char *what, ncz_call *c)
{
    int rc = ncz_call_enter(ncid, NCZ_USE_LOOK, c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_check_netcdf4(c, what)) != NC_NOERR)
        return ncz_call_leave(c, rc);
    if (use == NCZ_USE_LOOK)
        return rc;
    return (rc = ncz_call_leave(c, rc)) == NC_NOERR ? ncz_call_enter(ncid, use, c) : rc;
}

int
ncz_call_enter_extended(int ncid, const char *what, ncz_call *c)
{
    int rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, what, c);

    if (rc != NC_NOERR)
        return rc;
    if (ncz_dataset_classic(c->ds))
        rc = ncz_fail(NC_ESTRICTNC3, "the classic model has no %s", what);
    return (rc = ncz_call_leave(c, rc)) == NC_NOERR ? ncz_call_enter(ncid, NCZ_USE_DEFINE, c) : rc;
}

int
ncz_call_done(int rc)
{
    if (rc == NC_NOERR) {
        ncz_err_clear(); /* drop the text of a failure that was recovered from */
        return rc;
    }
    if (ncz_err_text()[0] == '\0')
        (void)ncz_fail(rc, "%s", nc_strerror(rc));
    /* That there is no such attribute is an answer: programs ask for what a variable may have. */
    if (ncz_log_on(NCZ_LOG_ERROR))
        ncz_log_failure(rc == NC_ENOTATT ? NCZ_LOG_INFO : NCZ_LOG_ERROR, nczarr_errname(rc));
    return rc;
}

int
ncz_call_leave(ncz_call *c, int rc)
{
    rc = ncz_dataset_end(c->ds, c->use, rc);
    if (c->announced)
        ncz_ids_leave(c->base);
    return ncz_call_done(rc);
}

int
ncz_call_leave_text(ncz_call *c, int rc, ncz_buf *own, size_t *lenp, char *text)
{
    if (rc == NC_NOERR && lenp != NULL)
        *lenp = own->len;
    if (rc == NC_NOERR && text != NULL)
        memcpy(text, ncz_buf_str(own), own->len + 1);
    ncz_buf_clear(own);
    return ncz_call_leave(c, rc);
}

int
ncz_call_find_var(const ncz_call *c, int varid, ncz_var **out)
{
    if (varid < 0 || (size_t)varid >= c->g->nvars)
        return ncz_fail(NC_ENOTVAR, "there is no variable %d in this group", varid);
    *out = c->g->vars[varid];
    return NC_NOERR;
}

int
ncz_call_var(const ncz_call *c, int varid, ncz_var **out)
{
    int rc = ncz_call_find_var(c, varid, out);

    return rc == NC_NOERR ? ncz_dataset_use_var(c->ds, *out) : rc;
}

int
ncz_call_open_var(const ncz_call *c, int varid, ncz_var **out)
{
    int rc = ncz_call_var(c, varid, out);

    if (rc == NC_NOERR && (*out)->stage != NCZ_VAR_IN_DEFINITION && ncz_dataset_cdf(c->ds) == 0)
        return ncz_fail(NC_ELATEDEF, "%s: its definition is final", (*out)->name);
    return rc;
}

int
ncz_call_enter_var(int ncid, int varid, ncz_use use, const char *what, ncz_call *c, ncz_var **v)
{
    int rc = what != NULL ? ncz_call_enter_netcdf4(ncid, use, what, c) : ncz_call_enter(ncid, use, c);

    if (rc != NC_NOERR)
        return rc;
    rc = use == NCZ_USE_DEFINE ? ncz_call_open_var(c, varid, v) : ncz_call_var(c, varid, v);
    return rc == NC_NOERR ? rc : ncz_call_leave(c, rc);
}

int
ncz_call_dim(const ncz_call *c, int dimid, ncz_dim **out)
{
    if (dimid < 0 || (size_t)dimid >= c->m->ndims)
        return ncz_fail(NC_EBADDIM, "there is no dimension %d", dimid);
    *out = c->m->dims[dimid];
    return NC_NOERR;
}

int
ncz_call_type(const ncz_call *c, nc_type id, const ncz_type **out)
{
    if ((*out = ncz_model_type(c->m, id)) == NULL)
        return ncz_fail(NC_EBADTYPE, "there is no type %d", id);
    return NC_NOERR;
}

int
ncz_call_user_type(const ncz_call *c, nc_type id, ncz_type_class class, ncz_user_type **out)
{
    if ((*out = ncz_model_user_type(c->m, id)) == NULL)
        return ncz_fail(NC_EBADTYPE, "there is no user-defined type %d", id);
    if (class != NCZ_TYPE_NONE && (*out)->node.class != class)
        return ncz_fail(NC_EBADTYPE, "%s: a user-defined type of another class", (*out)->node.name);
    return NC_NOERR;
}

int
ncz_call_atts(const ncz_call *c, int varid, ncz_atts **atts, ncz_var **v)
{
    int rc;

    if (varid == NC_GLOBAL) {
        *v = NULL;
        *atts = &c->g->atts;
        return NC_NOERR;
    }
    if ((rc = ncz_call_find_var(c, varid, v)) == NC_NOERR)
        *atts = &(*v)->atts;
    return rc;
}

int
ncz_call_group_id(const ncz_call *c, const ncz_group *g, int *ncid)
{
    if (g->id >= NCZ_ID_GROUPS)
        return ncz_fail(NC_EBADGRPID, "%s: a dataset with more than %d groups has no ids for them all", g->name,
                        NCZ_ID_GROUPS);
    if (ncid != NULL)
        *ncid = c->base + g->id;
    return NC_NOERR;
}

int
ncz_api_lookup_name(const char *name, char **out)
{
    if (name == NULL)
        return ncz_fail(NC_EINVAL, "no name is given");
    if (ncz_utf8_valid(name, strlen(name)))
        return ncz_nfc(name, out);
    /* The name is invalid for new objects, but a foreign document may contain it: look it up unchanged. */
    *out = ncz_strdup(name);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(strlen(name) + 1);
}

int
ncz_api_new_name(const ncz_call *c, const char *name, char **out)
{
    if (name == NULL)
        return ncz_fail(NC_EINVAL, "no name is given");
    if (!ncz_dataset_is_verbatim(c->ds))
        return ncz_name_check(name, out);
    if (name[0] == '\0' || strchr(name, '/') != NULL)
        return ncz_fail(NC_EBADNAME, "name \"%s\" %s", name, name[0] == '\0' ? "is empty" : "has a '/'");
    return ncz_name_take(name, out);
}

int
ncz_api_give_name(const char *name, char *out)
{
    size_t len = strlen(name);

    if (out == NULL)
        return NC_NOERR;
    if (len > NC_MAX_NAME)
        return ncz_fail(NC_EMAXNAME, "%.40s...: a name of %zu bytes does not fit NC_MAX_NAME", name, len);
    memcpy(out, name, len + 1);
    return NC_NOERR;
}

int
ncz_api_give_lengths(const ncz_var *v, const char *what, const uint64_t *lengths, size_t n, size_t *out)
{
    for (size_t d = 0; out != NULL && d < n; d++) {
        if (lengths[d] > SIZE_MAX)
            return ncz_fail(NC_EDIMSIZE, "%s: its %s' length %llu does not fit this machine's size_t", v->name, what,
                            (unsigned long long)lengths[d]);
        out[d] = (size_t)lengths[d];
    }
    return NC_NOERR;
}

int
ncz_api_check_rename(const ncz_call *c, const char *old, const char *name)
{
    if (ncz_dataset_classic(c->ds) && !ncz_dataset_defining(c->ds) && strlen(name) > strlen(old))
        return ncz_fail(NC_ENOTINDEFINE, "%s: a longer name needs define mode (classic model)", old);
    return NC_NOERR;
}
