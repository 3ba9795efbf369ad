/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a list of scientific datasets: dimensions, variables, and what cannot be shown.
 */
#include "hdf4/hdf4_int.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 256 }; /* bytes of a name that a text has; a file may have 65,535 */

int
ncz_hdf4_sd_lose(ncz_hdf4_sd *sd, size_t *cap, int rc, const char *what, const char *name)
{
    const char *why = NULL;
    char       *text;
    size_t      n;

    if (rc == NC_NOERR || (rc = ncz_hdf4_lose(rc, &sd->arena, &why)) != NC_NOERR || why == NULL)
        return rc;
    n = strlen(what) + strlen(name) + strlen(why) + 4;
    if ((text = ncz_arena_get(&sd->arena, n)) == NULL)
        return ncz_fail_nomem(n);
    (void)snprintf(text, n, "%s%s%.*s: %s", what, name[0] != '\0' ? " " : "", NAME_SHOWN, name, why);
    if ((rc = ncz_make_room((void *)&sd->losses, sd->nlosses, cap, sizeof(const char *))) == NC_NOERR)
        sd->losses[sd->nlosses++] = text;
    return rc;
}

int
ncz_hdf4_note_lost(ncz_hdf4_reading *r, ncz_hdf4_var *v, int rc)
{
    const char *text = NULL;

    if (rc == NC_NOERR || (rc = ncz_hdf4_lose(rc, &r->sd->arena, &text)) != NC_NOERR)
        return rc;
    if (v->lost == NULL)
        v->lost = text;
    return NC_NOERR;
}

static int
check_objects(const ncz_hdf4_reading *r)
{
    if (r->sd->ndims + r->sd->nvars < r->f->limits.objects)
        return NC_NOERR;
    return ncz_fail(NC_EHDFERR, "the file has more than %zu variables and dimensions (limit `objects`)",
                    r->f->limits.objects);
}

/* One of that name is the same one: the first length counts. */
int
ncz_hdf4_add_dim(ncz_hdf4_reading *r, const char *name, uint64_t len, bool unlimited, size_t *number)
{
    int rc;

    if (ncz_names_get(&r->dim_index, name, number))
        return NC_NOERR;
    if ((rc = check_objects(r)) != NC_NOERR ||
        (rc = ncz_make_room(&r->sd->dims, r->sd->ndims, &r->dims_cap, sizeof *r->sd->dims)) != NC_NOERR ||
        (rc = ncz_names_refer(&r->dim_index, name, r->sd->ndims)) != NC_NOERR)
        return rc;
    *number = r->sd->ndims;
    r->sd->dims[r->sd->ndims++] = (ncz_hdf4_dim){.name = name, .len = unlimited ? 0 : len, .unlimited = unlimited};
    return NC_NOERR;
}

/* Bytes of a record: all lengths but the first. False: more than 64 bits count. */
static bool
count_record(const ncz_hdf4_sd *sd, const ncz_hdf4_var *v, uint64_t *out)
{
    *out = v->type.size;
    for (size_t d = 1; d < v->rank; d++)
        if (!ncz_mul64(*out, sd->dims[v->dims[d]].len, out))
            return false;
    return true;
}

/* The length of an unlimited dimension is that of the variable with most records. */
static void
count_records(ncz_hdf4_sd *sd, ncz_hdf4_var *v)
{
    ncz_hdf4_dim *first = v->rank > 0 ? &sd->dims[v->dims[0]] : NULL;
    uint64_t      record;

    if (first == NULL || !first->unlimited || !count_record(sd, v, &record) || record == 0)
        return;
    v->nrecords = v->data.kind == NCZ_HDF4_NOTHING ? 0 : v->data.len / record;
    first->len = v->nrecords > first->len ? v->nrecords : first->len;
}

int
ncz_hdf4_add_var(ncz_hdf4_reading *r, const ncz_hdf4_var *v)
{
    int rc;

    if ((rc = check_objects(r)) != NC_NOERR ||
        (rc = ncz_make_room(&r->sd->vars, r->sd->nvars, &r->vars_cap, sizeof *r->sd->vars)) != NC_NOERR)
        return rc;
    r->sd->vars[r->sd->nvars++] = *v;
    count_records(r->sd, &r->sd->vars[r->sd->nvars - 1]);
    return NC_NOERR;
}
