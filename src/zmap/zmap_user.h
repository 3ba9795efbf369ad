/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_user: a store made of an application's functions (nczarr_zmap.h).
 */
#ifndef NCZ_ZMAP_USER_H
#define NCZ_ZMAP_USER_H

#include "zmap/zmap.h"

struct nczarr_map_ops;

/* NC_EINVAL, NC_ENOTBUILT: see nczarr_map_own(). */
int zmap_user_open(const struct nczarr_map_ops *ops, void *user, zmap **out);

#endif /* NCZ_ZMAP_USER_H */
