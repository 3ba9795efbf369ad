/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr v2, pure or with NCZarr's keys of any generation. */
#ifndef NCZ_FORMAT_ZARR2_H
#define NCZ_FORMAT_ZARR2_H

#include "format/dialect.h"

extern const ncz_dialect_ops ncz_zarr2;

#endif /* NCZ_FORMAT_ZARR2_H */
