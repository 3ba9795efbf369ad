/* SPDX-License-Identifier: BSD-3-Clause */
/* The documents by which the tests have datasets in archives found. */
#ifndef TESTS_ZIPDOCS_H
#define TESTS_ZIPDOCS_H

#include "zip/zip.h"

#include <string.h>

static inline bool
is_test_document(const char *name, size_t len)
{
    static const char *const names[] = {".zgroup", ".zarray", ".zattrs", ".nczarr", "zarr.json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return true;
    return false;
}

static const ncz_zip_opts test_zip_opts = {.is_document = is_test_document};

#endif /* TESTS_ZIPDOCS_H */
