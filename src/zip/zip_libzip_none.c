/* SPDX-License-Identifier: BSD-3-Clause */
/* Stub for builds without libzip: only stored and deflated entries can be read. */
#include "zip/zip_libzip.h"

#include "util/util.h"
#include "zip/zip.h"
#include "zmap/zmap.h"

int
ncz_zip_libzip_decode(const zip_foreign *e, void *out)
{
    (void)out;
    return ncz_fail(
        NC_ENOTBUILT,
        "%s: the entry is %s, which this library reads through libzip, but it was built without it: build "
        "it with libzip, or unpack the archive and pack it again with stored entries (zip -0 -r)",
        e->what, e->how);
}

bool
ncz_zip_has_libzip(void)
{
    return false;
}
