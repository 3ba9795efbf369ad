/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/document_name.h"

#include <nczarr_zmap.h>

const char *
document_name(int zarr_format, int kind)
{
    const char *name;
    int         has;

    for (size_t i = 0; (name = nczarr_document(zarr_format, i, &has)) != NULL; i++)
        if ((has & kind) == kind)
            return name;
    return NULL;
}
