/* SPDX-License-Identifier: BSD-3-Clause */
/* A temporary file of one object. No state but its descriptor. */
#include "zmap/zmap_temp.h"

#include "zmap/zmap_sys.h"

#include <errno.h>

int
zmap_temp_open(zmap_temp *t)
{
    char where[4096] = "";

    if ((t->fd = ncz_sys_temp_file(ncz_env("TMPDIR"), where, sizeof where)) < 0)
        return ncz_fail_errno(errno, "%s: no temporary file for the bytes of a file until they are put: set TMPDIR",
                              where);
    return NC_NOERR;
}

int
zmap_temp_write(const zmap_temp *t, uint64_t off, const void *data, size_t len)
{
    const char *from = data;

    while (len > 0) {
        struct iovec some = {(void *)(uintptr_t)from, len};
        ssize_t      n = zmap_sys()->file.pwritev(t->fd, &some, 1, (off_t)off);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* POSIX gives no other reason for writing nothing */
            return ncz_fail_errno(n == 0 ? ENOSPC : errno,
                                  "the temporary file (TMPDIR) for the bytes of a file until they are put");
        from += n;
        off += (uint64_t)n;
        len -= (size_t)n;
    }
    return NC_NOERR;
}

int
zmap_temp_read(const zmap_temp *t, uint64_t off, void *into, size_t len)
{
    char *to = into;

    while (len > 0) {
        ssize_t n = zmap_sys()->file.pread(t->fd, to, len, (off_t)off);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ncz_fail_errno(n == 0 ? EIO : errno, "the temporary file of what is to be put cannot be read");
        to += n;
        off += (uint64_t)n;
        len -= (size_t)n;
    }
    return NC_NOERR;
}

int
zmap_temp_resize(const zmap_temp *t, uint64_t size)
{
    int n;

    do
        n = zmap_sys()->file.ftruncate(t->fd, (off_t)size);
    while (n != 0 && errno == EINTR);
    return n == 0 ? NC_NOERR
                  : ncz_fail_errno(errno, "the temporary file (TMPDIR) for the bytes of a file until they are put");
}

void
zmap_temp_close(zmap_temp *t)
{
    if (t->fd >= 0)
        (void)zmap_sys()->file.close(t->fd);
    t->fd = -1;
}
