/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr v3: its table for the rest of the format. */
#ifndef NCZ_FORMAT_ZARR3_H
#define NCZ_FORMAT_ZARR3_H

#include "format/dialect.h"

#define NCZ_ZARR3_ROOT_DOCS 1 /* documents that its root may have */

extern const ncz_dialect_ops ncz_zarr3;

#endif /* NCZ_FORMAT_ZARR3_H */
