/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/special_dtype.h"
#include "common/var_inquiry.h"

#include <nczarr.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH "S128"

/* Is there an attribute that gives the width of strings? Looked for in the list: by name the library answers
 * always. */
static bool
has_width_attribute(int ncid, int varid)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0;

    if (nc_inq_varnatts(ncid, varid, &n) != NC_NOERR)
        return false;
    for (int i = 0; i < n; i++)
        if (nc_inq_attname(ncid, varid, i, name) == NC_NOERR && strcmp(name, NCZARR_MAXSTRLEN_ATT) == 0)
            return true;
    return nc_inq_attid(ncid, NC_GLOBAL, NCZARR_DEFAULT_MAXSTRLEN_ATT, NULL) == NC_NOERR;
}

static bool
is_special(int ncid, int varid, const char *dtype)
{
    nc_type type = NC_NAT;

    if (nc_inq_vartype(ncid, varid, &type) != NC_NOERR || type == NC_NAT || type == NC_CHAR)
        return false;
    if (strchr("<>|=", dtype[0]) != NULL)
        dtype++;
    if (dtype[0] == 'S')
        return strcmp(dtype, DEFAULT_WIDTH) != 0 && !has_width_attribute(ncid, varid);
    return strchr("bUMm", dtype[0]) != NULL || strcmp(dtype, "f2") == 0;
}

char *
special_dtype(int ncid, int varid)
{
    char *text = var_text(nczarr_inq_var_dtype, ncid, varid);

    if (text != NULL && text[0] != '\0' && is_special(ncid, varid, text))
        return text;
    free(text);
    return NULL;
}
