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

#endif /* NCZ_ZMAP_SYS_H */
