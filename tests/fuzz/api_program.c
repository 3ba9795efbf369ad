/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/api_program.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/walk.h"

/* ---- arguments ---- */

unsigned
take(program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

size_t
take_number(program *p)
{
    unsigned n = take(p);

    if (n < 250)
        return n;
    return ((size_t)take(p) << (take(p) % 56)) + n - 253;
}

static const char *const names[] = {"a",
                                    "b",
                                    "x",
                                    "y",
                                    "time",
                                    "",
                                    "/",
                                    "a/b",
                                    ".",
                                    "_FillValue",
                                    "units",
                                    "scale_factor",
                                    "_ARRAY_DIMENSIONS",
                                    "_nczarr_maxstrlen",
                                    "_nczarr_attrs",
                                    "_Unsigned",
                                    "missing_value",
                                    "_nczarr_default_maxstrlen",
                                    "zarr.json",
                                    "c",
                                    "0",
                                    "0.0",
                                    ".zarray",
                                    "\xc3\xa9",
                                    "\xff",
                                    "a b",
                                    "__x",
                                    "_NCProperties",
                                    "long name with a trailing blank "};

const char *
take_name(program *p)
{
    static char own[16];
    unsigned    n = take(p), len;

    if (n < sizeof names / sizeof *names)
        return names[n];
    len = n % sizeof own;
    for (unsigned i = 0; i < len; i++)
        own[i] = (char)take(p);
    own[len] = '\0';
    return own;
}

/* One of `n` ids, or now and then `none`. */
static int
take_id(program *p, const int *ids, int n, int none)
{
    unsigned byte = take(p);

    return n == 0 || byte == 255 ? none : ids[byte % (unsigned)n];
}

int
take_group(program *p)
{
    int ncid = take_id(p, p->ncid, p->nopen, -1), n = 0, ids[64];

    for (unsigned depth = take(p) % 3; depth > 0; depth--) {
        if (nc_inq_grps(ncid, &n, NULL) != NC_NOERR || n == 0 || n > 64)
            break;
        (void)nc_inq_grps(ncid, NULL, ids);
        ncid = take_id(p, ids, n, ncid);
    }
    return ncid;
}

int
take_var(program *p, int ncid)
{
    int      n = 0;
    unsigned byte = take(p);

    if (byte == 254)
        return NC_GLOBAL;
    if (nc_inq_nvars(ncid, &n) != NC_NOERR || n == 0 || byte == 255)
        return n;
    return (int)(byte % (unsigned)n);
}

int
take_dim(program *p, int ncid)
{
    int n = 0, ids[NC_MAX_DIMS];

    if (nc_inq_dimids(ncid, &n, NULL, 1) != NC_NOERR || n > NC_MAX_DIMS)
        return -1;
    (void)nc_inq_dimids(ncid, &n, ids, 1);
    return take_id(p, ids, n, 77);
}

nc_type
take_type(program *p, int ncid)
{
    unsigned byte = take(p);
    int      n = 0, ids[64];

    if (byte < 240)
        return (nc_type)(byte % (NC_MAX_ATOMIC_TYPE + 1));
    if (nc_inq_typeids(ncid, &n, NULL) != NC_NOERR || n > 64)
        return NC_NAT;
    (void)nc_inq_typeids(ncid, &n, ids);
    return take_id(p, ids, n, 99);
}

/* ---- values ---- */

bool
is_flat(int ncid, nc_type type)
{
    int class = 0;
    size_t nfields = 0;

    if (type <= NC_MAX_ATOMIC_TYPE)
        return type != NC_STRING;
    if (nc_inq_user_type(ncid, type, NULL, NULL, NULL, &nfields, &class) != NC_NOERR || class == NC_VLEN)
        return false;
    for (size_t i = 0; class == NC_COMPOUND && i < nfields; i++) {
        nc_type field = NC_NAT;

        if (nc_inq_compound_fieldtype(ncid, type, (int)i, &field) != NC_NOERR || !is_flat(ncid, field))
            return false;
    }
    return true;
}

void *
take_values(program *p, int ncid, nc_type type, size_t count)
{
    size_t         elem = 8, n;
    unsigned char *values;

    (void)nc_inq_type(ncid, type, NULL, &elem);
    if (count > FUZZ_MOST_ELEMS || elem > FUZZ_MOST_BYTES / (count + 1))
        return NULL;
    values = calloc(count + 1, elem + 1);
    if (is_flat(ncid, type)) {
        n = (take(p) % 4 + 1) * 8; /* a pattern of so many bytes */
        for (size_t i = 0; i < count * elem; i++)
            values[i] = (unsigned char)(i < n ? take(p) : values[i - n]);
    } else if (type == NC_STRING)
        for (size_t i = 0; i < count; i++)
            ((const char **)(void *)values)[i] = names[(i + take(p)) % (sizeof names / sizeof *names)];
    return values;
}
