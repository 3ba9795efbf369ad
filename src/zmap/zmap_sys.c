/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of system calls in use.
 */
#include "zmap/zmap_sys.h"

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
