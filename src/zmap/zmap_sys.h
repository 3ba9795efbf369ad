/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of system calls that the file store and the zip store make all their calls through: the system's, or that
 * of a test (zmap_file_use()).
 */
#ifndef NCZ_ZMAP_SYS_H
#define NCZ_ZMAP_SYS_H

#include "platform/platform.h"
#include "zmap/file/zmap_file.h"

const ncz_syscalls *zmap_sys(void); /* the table in use */

#define ZMAP_SYS_PRIVATE 0600 /* what a file is made with that is to get the rights of another one */

/* Gives a file the owner, the group and the mode of another one. Who may not give it that owner leaves it ours; who may
 * not give it that group leaves the group without rights, since it is another one. Returns 0 or an errno. */
int zmap_sys_take_rights(int fd, const ncz_stat *as);

#endif /* NCZ_ZMAP_SYS_H */
