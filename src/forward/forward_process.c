/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_process: functions of the process as a whole, and the compound types of netcdf_aux.h, which are made through
 * a handle instead of an ncid.
 */
#include "forward/forward_int.h"

int   ncz_own_nc_finalize(void);
char *ncz_own_nc_rc_get(const char *key);
int   ncz_own_nc_set_default_format(int format, int *old_formatp);
int   ncz_own_ncaux_begin_compound(int ncid, const char *name, int alignmode, void **tag);
int   ncz_own_ncaux_end_compound(void *tag, nc_type *xtypeid);
int   ncz_own_ncaux_abort_compound(void *tag);
int   ncz_own_ncaux_add_field(void *tag, const char *name, nc_type field_type, int ndims, const int *dimsizes);

int
nc_finalize(void)
{
    int            rc = ncz_own_nc_finalize();
    ncz_forward_fn theirs = ncz_forward_loaded() ? ncz_forward_try(NCZ_FORWARD_nc_finalize) : NULL;

    return rc == NC_NOERR && theirs != NULL ? ((int (*)(void))theirs)() : rc;
}

char *
nc_rc_get(const char *key)
{
    char          *value = ncz_own_nc_rc_get(key);
    ncz_forward_fn theirs = value == NULL && key != NULL ? ncz_forward_try(NCZ_FORWARD_nc_rc_get) : NULL;

    return theirs != NULL ? ((char *(*)(const char *))theirs)(key) : value;
}

int
nc_set_default_format(int format, int *old_formatp)
{
    int            rc = ncz_own_nc_set_default_format(format, old_formatp);
    ncz_forward_fn theirs = rc == NC_NOERR ? ncz_forward_try(NCZ_FORWARD_nc_set_default_format) : NULL;

    return theirs != NULL ? ((int (*)(int, int *))theirs)(format, old_formatp) : rc;
}

/* ---- compound types --------------------------------------------------------------------------------------------- */

/* What a program holds as the tag: whose it is. */
typedef struct compound_tag {
    bool  theirs;
    void *tag;
} compound_tag;

int
ncaux_begin_compound(int ncid, const char *name, int alignmode, void **tag)
{
    ncz_forward_fn theirs = NULL;
    compound_tag  *own;
    int            rc;

    if (tag == NULL)
        return ncz_fail(NC_EINVAL, "ncaux_begin_compound: no pointer for the tag");
    if (ncz_forward_id(ncid) && (theirs = ncz_forward_find(NCZ_FORWARD_ncaux_begin_compound)) == NULL)
        return NC_ENOTBUILT;
    if ((own = ncz_alloc(sizeof *own)) == NULL)
        return ncz_fail_nomem(sizeof *own);
    *own = (compound_tag){.theirs = theirs != NULL};
    rc = theirs != NULL ? ((int (*)(int, const char *, int, void **))theirs)(ncid, name, alignmode, &own->tag)
                        : ncz_own_ncaux_begin_compound(ncid, name, alignmode, &own->tag);
    if (rc != NC_NOERR) {
        ncz_free(own);
        return rc;
    }
    *tag = own;
    return NC_NOERR;
}

int
ncaux_add_field(void *tag, const char *name, nc_type field_type, int ndims, const int *dimsizes)
{
    const compound_tag *own = tag;
    ncz_forward_fn      theirs;

    if (own == NULL)
        return ncz_fail(NC_EINVAL, "ncaux_add_field: no tag");
    if (!own->theirs)
        return ncz_own_ncaux_add_field(own->tag, name, field_type, ndims, dimsizes);
    if ((theirs = ncz_forward_find(NCZ_FORWARD_ncaux_add_field)) == NULL)
        return NC_ENOTBUILT;
    return ((int (*)(void *, const char *, nc_type, int, const int *))theirs)(own->tag, name, field_type, ndims,
                                                                              dimsizes);
}

int
ncaux_end_compound(void *tag, nc_type *xtypeid)
{
    const compound_tag *own = tag;
    ncz_forward_fn      theirs;

    if (own == NULL)
        return ncz_fail(NC_EINVAL, "ncaux_end_compound: no tag");
    if (!own->theirs)
        return ncz_own_ncaux_end_compound(own->tag, xtypeid);
    if ((theirs = ncz_forward_find(NCZ_FORWARD_ncaux_end_compound)) == NULL)
        return NC_ENOTBUILT;
    return ((int (*)(void *, nc_type *))theirs)(own->tag, xtypeid);
}

/* Programs call it after ncaux_end_compound(), too. */
int
ncaux_abort_compound(void *tag)
{
    compound_tag  *own = tag;
    ncz_forward_fn theirs;
    int            rc = NC_NOERR;

    if (own == NULL)
        return NC_NOERR;
    if (!own->theirs)
        rc = ncz_own_ncaux_abort_compound(own->tag);
    else if ((theirs = ncz_forward_find(NCZ_FORWARD_ncaux_abort_compound)) != NULL)
        rc = ((int (*)(void *))theirs)(own->tag);
    ncz_free(own);
    return rc;
}
