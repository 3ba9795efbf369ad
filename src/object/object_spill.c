/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_spill: a temporary file for staged chunks that do not fit in memory, in TMPDIR or /tmp. It has no name, so it
 * vanishes with the process. A large object that is being stored has files of its own (ncz_object_temp). Space is
 * reused once nothing of it is in use; while too much of it is unused, nothing more is spilled.
 *
 * Begin, end and drop need the lock. The other functions do not: a reference to a staged chunk keeps its bytes, and one
 * thread at a time spills.
 */
#include "object/object_spill.h"
#include "platform/platform.h"

#include <errno.h>

#define UNUSED_MOST (UINT64_C(256) << 20)

bool
ncz_object_spill_begin(ncz_object_spill *f, size_t nbytes, uint64_t *at)
{
    if (f->busy || f->failed || (f->end - f->live > UNUSED_MOST && f->end / 2 > f->live) ||
        f->end > (uint64_t)INT64_MAX - nbytes)
        return false;
    f->busy = true;
    *at = f->end;
    f->end += nbytes;
    return true;
}

static void
reuse_space(ncz_object_spill *f)
{
    if (f->live > 0 || f->busy)
        return;
    f->end = 0;
    if (f->open && ncz_system.file.ftruncate(f->fd, 0) != 0) /* the space is only freed later */
        ncz_log(NCZ_LOG_WARN, "the temporary file of staged chunks cannot be cut");
}

void
ncz_object_spill_end(ncz_object_spill *f, uint64_t kept)
{
    f->busy = false;
    f->live += kept;
    reuse_space(f);
}

void
ncz_object_spill_drop(ncz_object_spill *f, size_t nbytes)
{
    f->live -= nbytes;
    reuse_space(f);
}

static bool
open_file(ncz_object_spill *f)
{
    char path[4096] = "";

    f->fd = ncz_sys_temp_file(ncz_env("TMPDIR"), path, sizeof path);
    f->open = f->fd >= 0;
    if (!f->open)
        ncz_log(NCZ_LOG_WARN, "%s: no temporary file for chunks that do not fit in memory: shards are stored early",
                path);
    return f->open;
}

bool
ncz_object_spill_write(ncz_object_spill *f, const char *data, size_t nbytes, uint64_t at)
{
    if (!f->open && !open_file(f)) {
        f->failed = true; /* only one thread spills, and the others see it after they took the lock */
        return false;
    }
    while (nbytes > 0) {
        struct iovec from = {(void *)(uintptr_t)data, nbytes};
        ssize_t      n = ncz_system.file.pwritev(f->fd, &from, 1, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            ncz_log(NCZ_LOG_WARN, "the temporary file for chunks that do not fit in memory is full: shards are "
                                  "stored early, and large ones are kept in memory while they are stored");
            return false;
        }
        data += n;
        nbytes -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

int
ncz_object_spill_read(const ncz_object_spill *f, char *out, size_t nbytes, uint64_t at)
{
    while (nbytes > 0) {
        ssize_t n = ncz_system.file.pread(f->fd, out, nbytes, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ncz_fail_errno(n == 0 ? EIO : errno, "cannot read the temporary file of staged chunks");
        out += n;
        nbytes -= (size_t)n;
        at += (uint64_t)n;
    }
    return NC_NOERR;
}

int
ncz_object_spill_map(const ncz_object_spill *f, uint64_t nbytes, void **out)
{
    void *mapped = nbytes <= SIZE_MAX ? ncz_sys_map(f->fd, (size_t)nbytes) : NULL;

    if (mapped == NULL)
        return ncz_fail_errno(nbytes <= SIZE_MAX ? errno : ENOMEM, "cannot map the temporary file of staged chunks");
    *out = mapped;
    return NC_NOERR;
}

void
ncz_object_spill_unmap(void *map, uint64_t nbytes)
{
    if (map != NULL)
        ncz_sys_unmap(map, (size_t)nbytes);
}

void
ncz_object_spill_close(ncz_object_spill *f)
{
    if (f->open)
        (void)ncz_system.file.close(f->fd);
    *f = (ncz_object_spill){.open = false};
}

/* ---- a temporary file of one object ---- */

int
ncz_object_temp_map(ncz_object_temp *t, uint64_t nbytes)
{
    int rc;

    ncz_object_temp_unmap(t);
    if (nbytes == 0 || (rc = ncz_object_spill_map(&t->file, nbytes, &t->mapped)) == NC_NOERR) {
        t->nbytes = nbytes;
        return NC_NOERR;
    }
    return rc;
}

void
ncz_object_temp_unmap(ncz_object_temp *t)
{
    ncz_object_spill_unmap(t->mapped, t->nbytes);
    t->mapped = NULL;
}

void
ncz_object_temp_close(ncz_object_temp *t)
{
    ncz_object_temp_unmap(t);
    ncz_object_spill_close(&t->file);
}
