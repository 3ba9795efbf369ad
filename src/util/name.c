/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netCDF's rules for the names of dimensions, variables, groups and attributes; and names that netCDF forbids.
 *
 * They apply to the normalised form: that is what is stored, and normalising turns a few characters (U+037E, U+1FEF)
 * into ASCII punctuation, which may not begin a name.
 */
#include "util/util.h"

#include <string.h>

static bool
may_begin_name(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

/* What is wrong with the name, or NULL. */
static const char *
find_fault(const char *name, size_t len)
{
    if (len == 0)
        return "is empty";
    if (!may_begin_name((unsigned char)name[0]))
        return "does not begin with a letter, digit or underscore";
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c == '/')
            return "has a '/'";
        if (c < 0x20 || c == 0x7F)
            return "has a control character";
    }
    if (name[len - 1] == ' ')
        return "ends in a space";
    return NULL;
}

int
ncz_name_take(const char *name, char **out)
{
    char  *nfc = NULL;
    size_t len;
    int    rc;

    if (name == NULL)
        return ncz_fail(NC_EBADNAME, "name is NULL");
    if ((len = strlen(name)) > NC_MAX_NAME)
        return ncz_fail(NC_EMAXNAME, "name has %zu bytes, more than %d", len, NC_MAX_NAME);
    if ((rc = ncz_nfc(name, &nfc)) != NC_NOERR)
        return rc;

    /* Normalising can lengthen a name; callers have buffers of NC_MAX_NAME + 1. */
    len = strlen(nfc);
    if (len > NC_MAX_NAME) {
        ncz_free(nfc);
        return ncz_fail(NC_EMAXNAME, "name has %zu bytes when normalised, more than %d", len, NC_MAX_NAME);
    }
    *out = nfc;
    return NC_NOERR;
}

int
ncz_name_check(const char *name, char **out)
{
    char       *nfc = NULL;
    const char *wrong;
    int         rc = ncz_name_take(name, &nfc);

    if (rc != NC_NOERR)
        return rc;
    if ((wrong = find_fault(nfc, strlen(nfc))) != NULL) {
        rc = ncz_fail(NC_EBADNAME, "name \"%s\" %s", nfc, wrong);
        ncz_free(nfc);
        return rc;
    }
    *out = nfc;
    return NC_NOERR;
}
