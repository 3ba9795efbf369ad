/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of system calls in use.
 */
#include "zmap/zmap_sys.h"

#include <errno.h>

#define OF_GROUP 02070 /* its rights, and running as it */

static const ncz_syscalls *in_use = &ncz_system;

const ncz_syscalls *
zmap_sys(void)
{
    return in_use;
}

void
zmap_file_use(const ncz_syscalls *table)
{
    in_use = table != NULL ? table : &ncz_system;
}

int
zmap_sys_take_rights(int fd, const ncz_stat *as)
{
    mode_t   mode = as->st_mode & 07777;
    ncz_stat ours;

    if (in_use->file.chown_as(fd, as) != 0) {
        if (errno != EPERM && errno != ENOSYS && errno != ENOTSUP && errno != EINVAL)
            return errno;
        mode &= (mode_t)~OF_GROUP;
    }
    if (in_use->file.fstat(fd, &ours) != 0 || ((ours.st_mode & 07777) != mode && in_use->file.fchmod(fd, mode) != 0))
        return errno;
    return 0;
}
