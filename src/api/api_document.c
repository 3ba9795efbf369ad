/* SPDX-License-Identifier: BSD-3-Clause */
/* api_document: the names of a version's documents, as its dialect's table has them. */
#include "api/api_int.h"

#include "dialects/dialects.h"
#include "nczarr_zmap.h"

#include <string.h>

const char *
nczarr_document(int zarr_format, size_t i, int *kindp)
{
    const ncz_dialect_ops *d = ncz_dialects_of_version(zarr_format);
    const char            *name = d != NULL ? ncz_dialects_document(d, i) : NULL;

    if (kindp != NULL)
        *kindp = 0;
    if (name == NULL || kindp == NULL)
        return name;
    if (strcmp(name, d->docs.array) == 0)
        *kindp |= NCZARR_DOCUMENT_ARRAY;
    if (d->copies.key != NULL && strcmp(name, d->copies.key) == 0)
        *kindp |= NCZARR_DOCUMENT_COPIES;
    return name;
}
