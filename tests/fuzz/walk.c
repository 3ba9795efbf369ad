/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/walk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/util.h"

int
fuzz_said(int rc)
{
    if (rc != NC_NOERR && nczarr_errmsg()[0] == '\0')
        abort();
    if (rc != NC_NOERR && getenv("NCZ_FUZZ_SAY") != NULL)
        fprintf(stderr, "%s: %s\n", nczarr_errname(rc), nczarr_errmsg());
    return rc;
}

bool
fuzz_loads(int ncid)
{
    int nvars;

    return fuzz_said(nc_inq_nvars(ncid, &nvars)) == NC_NOERR;
}

int
fuzz_count_elems(int ncid, int varid, size_t most, size_t *n)
{
    int ndims, dimids[NC_MAX_VAR_DIMS], rc;

    *n = 1;
    if ((rc = nc_inq_varndims(ncid, varid, &ndims)) != NC_NOERR ||
        (rc = nc_inq_vardimid(ncid, varid, dimids)) != NC_NOERR)
        return rc;
    for (int d = 0; d < ndims && *n <= most; d++) {
        size_t len = 0;

        (void)nc_inq_dimlen(ncid, dimids[d], &len);
        *n *= len <= most ? len : most + 1;
    }
    return NC_NOERR;
}

/* ---- attributes ---- */

static void
read_att(int ncid, int varid, const char *name, nc_type type, size_t len)
{
    size_t elem;
    void  *values;

    if (nc_inq_type(ncid, type, NULL, &elem) != NC_NOERR)
        abort(); /* an attribute's type is there */
    if (elem > FUZZ_MOST_BYTES / (len + 1))
        return;
    values = calloc(len + 1, elem);
    if (fuzz_said(nc_get_att(ncid, varid, name, values)) == NC_NOERR)
        (void)nc_reclaim_data(ncid, type, values, len);
    free(values);
    if (type <= NC_MAX_ATOMIC_TYPE && type != NC_STRING && type != NC_CHAR) {
        values = calloc(len + 1, sizeof(double));
        (void)fuzz_said(nc_get_att_double(ncid, varid, name, values));
        free(values);
    }
}

void
fuzz_read_atts(int ncid, int varid)
{
    int natts = 0;

    if ((varid == NC_GLOBAL ? nc_inq_natts(ncid, &natts) : nc_inq_varnatts(ncid, varid, &natts)) != NC_NOERR)
        abort();
    for (int i = 0; i < natts; i++) {
        char    name[NC_MAX_NAME + 1];
        nc_type type;
        size_t  len;
        int     rc = nc_inq_attname(ncid, varid, i, name);

        if (rc == NC_EMAXNAME) /* documents may hold names that the API's buffers do not */
            continue;
        if (rc != NC_NOERR || nc_inq_att(ncid, varid, name, &type, &len) != NC_NOERR)
            abort(); /* what is counted must be there */
        read_att(ncid, varid, name, type, len);
    }
}

/* ---- data ---- */

static void
read_box(int ncid, int varid, nc_type type, const size_t *start, const size_t *count, size_t total)
{
    size_t elem = 8; /* of one whose type is not understood */
    void  *values;

    (void)nc_inq_type(ncid, type, NULL, &elem);
    if (elem > FUZZ_MOST_BYTES / total)
        return;
    values = calloc(total, elem);
    (void)fuzz_said(nc_get_vara(ncid, varid, start, count, values));
    (void)nc_reclaim_data(ncid, type, values, total);
    free(values);
}

void
fuzz_read_var(int ncid, int varid)
{
    int     ndims = 0, *dimids;
    nc_type type;
    size_t *start, *count, total = 1;
    bool    whole = true;

    if (nc_inq_varndims(ncid, varid, &ndims) != NC_NOERR || nc_inq_vartype(ncid, varid, &type) != NC_NOERR)
        abort();
    dimids = calloc((size_t)ndims + 1, sizeof *dimids);
    start = calloc((size_t)ndims + 1, sizeof *start);
    count = calloc((size_t)ndims + 1, sizeof *count);
    if (nc_inq_vardimid(ncid, varid, dimids) != NC_NOERR)
        abort();
    for (int d = ndims - 1; d >= 0; d--) {
        size_t len = 0;

        (void)nc_inq_dimlen(ncid, dimids[d], &len);
        count[d] = len > FUZZ_MOST_ELEMS / total ? FUZZ_MOST_ELEMS / total : len;
        whole = whole && count[d] == len;
        total *= count[d] == 0 ? 1 : count[d];
    }
    read_box(ncid, varid, type, start, count, total);
    for (int d = 0; d < ndims && !whole; d++) {
        size_t len = 0;

        (void)nc_inq_dimlen(ncid, dimids[d], &len);
        start[d] = len - count[d];
    }
    if (!whole)
        read_box(ncid, varid, type, start, count, total);
    free(dimids);
    free(start);
    free(count);
}

/* ---- groups ---- */

void
fuzz_walk(int ncid)
{
    int ndims, nvars, natts, unlim, ngroups, *ids;

    if (nc_inq(ncid, &ndims, &nvars, &natts, &unlim) != NC_NOERR)
        abort();
    fuzz_read_atts(ncid, NC_GLOBAL);
    for (int v = 0; v < nvars; v++) {
        fuzz_read_atts(ncid, v);
        fuzz_read_var(ncid, v);
    }
    if (nc_inq_grps(ncid, &ngroups, NULL) != NC_NOERR || ngroups == 0)
        return;
    ids = calloc((size_t)ngroups, sizeof *ids);
    if (nc_inq_grps(ncid, &ngroups, ids) != NC_NOERR)
        abort();
    for (int g = 0; g < ngroups; g++)
        fuzz_walk(ids[g]);
    free(ids);
}
