/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_document: the names of a version's documents, as its dialect's table has them.
 */
#include "api/api_int.h"

#include "format/dialect.h"
#include "nczarr_zmap.h"

#include <string.h>

static bool
is_mark(const ncz_dialect_docs *docs, const char *name)
{
    const char *const *mark = docs->marks;

    while (*mark != NULL && strcmp(*mark, name) != 0)
        mark++;
    return *mark != NULL;
}

/* The marks of a dataset come first, then all others. */
static const char *
find_document(const ncz_dialect_docs *docs, size_t i)
{
    for (const char *const *mark = docs->marks; *mark != NULL; mark++)
        if (i-- == 0)
            return *mark;
    for (const char *const *name = docs->all; *name != NULL; name++)
        if (!is_mark(docs, *name) && i-- == 0)
            return *name;
    return NULL;
}

const char *
nczarr_document(int zarr_format, size_t i, int *kindp)
{
    const ncz_dialect_ops *d = zarr_format != 0 ? ncz_format_dialect(zarr_format) : NULL;
    const char            *name = d != NULL ? find_document(&d->docs, i) : NULL;

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
