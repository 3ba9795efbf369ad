/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_file: calls on whole datasets: create, define mode, sync, close, abort, delete and inquiries.
 */
#include "api/api_int.h"
#include "open/open.h"

#include <string.h>

int
ncz_api_give_up(ncz_dataset *ds, int rc)
{
    ncz_err e;

    ncz_err_save(&e, rc);
    (void)ncz_dataset_abort(ds);
    ncz_dataset_free(ds);
    return ncz_err_adopt(&e);
}

int
ncz_api_publish(ncz_dataset *ds, int *ncidp)
{
    int rc = ncz_ids_add(ds, ncidp);

    return rc == NC_NOERR ? rc : ncz_api_give_up(ds, rc);
}

int
ncz_api_open(const char *path, int omode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_api_cache_limits(&limits);
    if ((rc = ncz_dataset_open(path, omode, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return rc;
}

int
nc_create(const char *path, int cmode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          unsaid, rc;

    ncz_err_clear();
    if (path == NULL || ncidp == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_create: no %s", path == NULL ? "path" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    cmode = ncz_api_create_mode(cmode, &unsaid);
    if ((rc = ncz_dataset_create(path, cmode, unsaid, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}

int
nc__create(const char *path, int cmode, size_t initialsz, size_t *chunksizehintp, int *ncidp)
{
    (void)initialsz;
    (void)chunksizehintp;
    return nc_create(path, cmode, ncidp);
}

int
nc__create_mp(const char *path, int cmode, size_t initialsz, int basepe, size_t *chunksizehintp, int *ncidp)
{
    (void)basepe;
    return nc__create(path, cmode, initialsz, chunksizehintp, ncidp);
}

/* ---- calls on the whole dataset, which take their own locks ---- */

static int
on_dataset(int ncid, int (*what)(ncz_dataset *))
{
    ncz_dataset *ds;
    int          rc;

    ncz_err_clear();
    if ((ds = ncz_ids_enter(ncid)) == NULL)
        return ncz_call_done(ncz_fail(NC_EBADID, "ncid %d is not open", ncid));
    rc = what(ds);
    ncz_ids_leave(ncid);
    return ncz_call_done(rc);
}

int
nc_redef(int ncid)
{
    return on_dataset(ncid, ncz_dataset_redef);
}

static int
end_definitions(int ncid, const ncz_file_room *room)
{
    ncz_dataset *ds;
    int          rc;

    ncz_err_clear();
    if ((ds = ncz_ids_enter(ncid)) == NULL)
        return ncz_call_done(ncz_fail(NC_EBADID, "ncid %d is not open", ncid));
    rc = ncz_dataset_enddef(ds, room);
    ncz_ids_leave(ncid);
    return ncz_call_done(rc);
}

int
nc_enddef(int ncid)
{
    return end_definitions(ncid, &(ncz_file_room){.align = 0});
}

int
nc__enddef(int ncid, size_t h_minfree, size_t v_align, size_t v_minfree, size_t r_align)
{
    return end_definitions(
        ncid, &(ncz_file_room){
                  .header_free = h_minfree, .align = v_align, .fixed_free = v_minfree, .record_align = r_align});
}

int
nc_sync(int ncid)
{
    return on_dataset(ncid, ncz_dataset_sync);
}

/* Takes a dataset out of the table, so that no other call finds it. */
static int
take_dataset(int ncid, ncz_dataset **dsp)
{
    ncz_err_clear();
    if (ncid % NCZ_ID_GROUPS != 0 && ncz_ids_enter(ncid) != NULL) {
        ncz_ids_leave(ncid);
        return ncz_fail(NC_EBADGRPID, "ncid %d is a group: only the ncid of the dataset can be closed", ncid);
    }
    return (*dsp = ncz_ids_take(ncid)) != NULL ? NC_NOERR : ncz_fail(NC_EBADID, "ncid %d is not open", ncid);
}

static void
free_dataset(int ncid, ncz_dataset *ds)
{
    ncz_ids_free(ncid, ds);
    ncz_dataset_free(ds);
}

ncz_dataset *
ncz_api_withdraw(int ncid)
{
    ncz_dataset *ds = ncz_ids_take(ncid);

    if (ds != NULL)
        ncz_ids_free(ncid, ds);
    return ds;
}

int
nc_close(int ncid)
{
    ncz_dataset *ds;
    int          rc = take_dataset(ncid, &ds);

    if (rc == NC_NOERR) {
        rc = ncz_dataset_close(ds);
        free_dataset(ncid, ds);
    }
    return ncz_call_done(rc);
}

int
nc_abort(int ncid)
{
    ncz_dataset *ds;
    int          rc = take_dataset(ncid, &ds);

    if (rc == NC_NOERR) {
        rc = ncz_dataset_abort(ds);
        free_dataset(ncid, ds);
    }
    return ncz_call_done(rc);
}

int
nc_delete(const char *path)
{
    ncz_err_clear();
    if (path == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_delete: no path"));
    return ncz_call_done(ncz_dataset_delete(path));
}

int
nczarr_inq_delete(const char *path, size_t *nobjectsp)
{
    size_t n = 0;
    int    rc;

    ncz_err_clear();
    if (path == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_inq_delete: no path"));
    if ((rc = ncz_dataset_removable(path, &n)) == NC_NOERR && nobjectsp != NULL)
        *nobjectsp = n;
    return ncz_call_done(rc);
}

int
nc_delete_mp(const char *path, int basepe)
{
    (void)basepe;
    return nc_delete(path);
}

/* ---- inquiries ---- */

int
nc_inq_path(int ncid, size_t *pathlen, char *path)
{
    ncz_call    c;
    const char *p;
    int         rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    p = ncz_dataset_path(c.ds);
    if (pathlen != NULL)
        *pathlen = strlen(p);
    if (path != NULL)
        memcpy(path, p, strlen(p) + 1);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_format(int ncid, int *formatp)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (formatp != NULL)
        *formatp = ncz_dataset_netcdf_format(c.ds).format;
    return ncz_call_leave(&c, rc);
}

int
nc_inq_format_extended(int ncid, int *formatp, int *modep)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (formatp != NULL)
        *formatp = ncz_dataset_netcdf_format(c.ds).extended;
    if (modep != NULL)
        *modep = ncz_dataset_netcdf_format(c.ds).flag;
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_zarr_format(int ncid, int *versionp, int *nczarrp)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (versionp != NULL)
        *versionp = ncz_dataset_zarr_format(c.ds);
    if (nczarrp != NULL)
        *nczarrp = ncz_dataset_is_nczarr(c.ds);
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_consolidated(int ncid, int *consolidatedp)
{
    ncz_call c;
    bool     has = false;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_dataset_has_consolidated(c.ds, &has)) == NC_NOERR && consolidatedp != NULL)
        *consolidatedp = has;
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_warnings(int ncid, size_t *np, const char *const **textsp)
{
    ncz_call         c;
    const ncz_texts *t;
    int              rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    t = ncz_dataset_warnings(c.ds);
    if (np != NULL)
        *np = t->n;
    if (textsp != NULL)
        *textsp = (const char *const *)t->v;
    return ncz_call_leave(&c, rc);
}

int
nczarr_set_missing(int ncid, int how)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_TUNE, &c);

    if (rc != NC_NOERR)
        return rc;
    if (how < NCZARR_MISSING_ZEROS || how > NCZARR_MISSING_ERROR)
        return ncz_call_leave(&c, ncz_fail(NC_EINVAL, "%d: none of NCZARR_MISSING_ZEROS, _FILL and _ERROR", how));
    ncz_dataset_set_missing(c.ds, (ncz_missing)how);
    return ncz_call_leave(&c, NC_NOERR);
}

int
nc_set_fill(int ncid, int fillmode, int *old_modep)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_CHANGE, &c);

    if (rc != NC_NOERR)
        return rc;
    if (fillmode != NC_FILL && fillmode != NC_NOFILL)
        return ncz_call_leave(&c, ncz_fail(NC_EINVAL, "fill mode %d", fillmode));
    if (old_modep != NULL)
        *old_modep = c.m->nofill ? NC_NOFILL : NC_FILL;
    c.m->nofill = fillmode == NC_NOFILL;
    return ncz_call_leave(&c, rc);
}

int
nc_set_base_pe(int ncid, int pe)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    (void)pe;
    return rc != NC_NOERR ? rc : ncz_call_leave(&c, rc);
}

int
nc_inq_base_pe(int ncid, int *pe)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (pe != NULL)
        *pe = 0;
    return ncz_call_leave(&c, rc);
}

int
nc_show_metadata(int ncid)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    for (const ncz_group *g = ncz_model_next_group(c.m, NULL); g != NULL;
         g = ncz_model_next_group(c.m, (ncz_group *)g)) {
        ncz_log(NCZ_LOG_REQUEST, "group '%s': %zu dimensions, %zu variables, %zu attributes", g->name, g->ndims,
                g->nvars, g->atts.n);
        for (size_t i = 0; i < g->nvars; i++)
            ncz_log(NCZ_LOG_REQUEST, "  variable '%s': type %s, rank %zu, %zu attributes", g->vars[i]->name,
                    g->vars[i]->type->name, g->vars[i]->rank, g->vars[i]->atts.n);
    }
    return ncz_call_leave(&c, rc);
}
