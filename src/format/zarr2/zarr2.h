/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr v2, pure or with NCZarr's keys of any generation. */
#ifndef NCZ_FORMAT_ZARR2_H
#define NCZ_FORMAT_ZARR2_H

#include "format/dialect.h"

#define NCZ_ZARR2_ROOT_DOCS 6 /* documents that its root may have */

extern const ncz_dialect_ops ncz_zarr2;

#endif /* NCZ_FORMAT_ZARR2_H */
