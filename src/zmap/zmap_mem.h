/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_mem: a store in memory. It begins empty and is freed with its last reference.
 */
#ifndef NCZ_ZMAP_MEM_H
#define NCZ_ZMAP_MEM_H

#include "zmap/zmap.h"

int zmap_mem_open(zmap **out);

bool zmap_is_mem(const zmap *m);

#endif /* NCZ_ZMAP_MEM_H */
