/* SPDX-License-Identifier: BSD-3-Clause */
/* What parsers tell the check of a whole file, if one is under way: which bytes a structure takes, and what is wrong
 * with it that reading does not mind. */
#include "hdf5/hdf5_int.h"

void
ncz_hdf5_use(ncz_hdf5 *f, ncz_hdf5_part part, uint64_t addr, uint64_t len)
{
    if (f->watch != NULL && f->watch->failed == NC_NOERR)
        f->watch->failed = f->watch->use(f->watch->arg, part, addr, len);
}

static void
tell(ncz_hdf5 *f, ncz_hdf5_fault_kind kind, uint64_t addr, const char *fmt, va_list args)
{
    if (f->watch == NULL || f->watch->failed != NC_NOERR)
        return;
    (void)ncz_fail_args(NC_EHDFERR, fmt, args);
    f->watch->failed = f->watch->fault(f->watch->arg, addr, kind, ncz_err_text());
}

void
ncz_hdf5_fault_at(ncz_hdf5 *f, uint64_t addr, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(f, NCZ_HDF5_DAMAGE, addr, fmt, args);
    va_end(args);
}

void
ncz_hdf5_note_at(ncz_hdf5 *f, ncz_hdf5_fault_kind kind, uint64_t addr, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(f, kind, addr, fmt, args);
    va_end(args);
}

int
ncz_hdf5_watch_failure(const ncz_hdf5_watch *watch, int rc)
{
    if (watch == NULL || watch->failed != NC_NOERR)
        return watch == NULL ? rc : watch->failed;
    if (rc != NC_EHDFERR && rc != NC_ENOTBUILT)
        return rc;
    return watch->fault(watch->arg, watch->at, rc == NC_EHDFERR ? NCZ_HDF5_DAMAGE : NCZ_HDF5_UNKNOWN, ncz_err_text());
}

/* Structures may be read several times, but not without end. */
int
ncz_hdf5_watch_work(ncz_hdf5 *f, uint64_t addr, uint64_t n)
{
    enum { ALL_LEAST = 1 << 20, ALL_TIMES = 64 };
    ncz_hdf5_watch *w = f->watch;

    if (w == NULL)
        return NC_NOERR;
    if (w->failed != NC_NOERR)
        return w->failed;
    w->at = addr;
    w->work += n;
    if (w->work <= f->size * ALL_TIMES + ALL_LEAST)
        return NC_NOERR;
    w->exhausted = true;
    return ncz_fail(NC_EHDFERR,
                    "the structures of the file lead to more than %d times its bytes; they refer to each other in "
                    "circles, or overlap",
                    ALL_TIMES);
}
