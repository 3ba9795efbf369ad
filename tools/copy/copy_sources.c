/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_sources.c: the dataset that is copied, or several that are copied as one.
 */
#include "copy_int.h"

#include <stdlib.h>

enum { FILES_WANTED = 1 << 14 }; /* so that joined files can stay open */

int
copy_open_source(const copy_opts *o, int *ncid)
{
    int rc;

    if (o->nins > 1 || o->along != NULL) {
        (void)ncz_sys_files_raise(FILES_WANTED);
        rc = nczarr_open_joined(o->nins, (const char *const *)o->ins, o->along, NC_NOWRITE, ncid);
    } else {
        rc = nc_open(o->in, (o->memory_in ? NC_DISKLESS : NC_NOWRITE) | NCZARR_VERBATIM, ncid);
    }
    return rc == NC_NOERR ? rc : message_fail(rc, o->in);
}

int
copy_overlaps(const copy_opts *o, const char *target, bool probe, int *one)
{
    size_t n = o->nins > 1 ? o->nins : 1;
    int    rc = NC_NOERR;

    *one = 0;
    for (size_t i = 0; i < n && rc == NC_NOERR && *one == 0; i++) {
        const char *in = o->nins > 1 ? o->ins[i] : o->in;

        rc = probe ? nczarr_path_probe(in, target, one) : nczarr_path_overlap(in, target, one);
    }
    return rc;
}

void
copy_say_warnings(const copy_opts *o, int ncid)
{
    const char *const *texts = NULL;
    size_t             n = 0;

    (void)nczarr_inq_warnings(ncid, &n, &texts);
    for (size_t i = 0; i < n; i++)
        message_print("%s: warning: %s", o->in, texts[i]);
}
