/* SPDX-License-Identifier: BSD-3-Clause */
/* The documents that the plan hands out, each appended to `out` as text. `.zarray` is format_zarr2_array.c's. */
#ifndef NCZ_FORMAT_NCZARR_WRITE_H
#define NCZ_FORMAT_NCZARR_WRITE_H

#include "format/format_int.h"

/* A variable's `_nczarr_array` member: `newer` with the names that stand in .zattrs, else those of .zarray. */
int ncz_format_nczarr_write(const ncz_var *v, const ncz_nczarr_layout *lay, bool newer, ncz_jsonw *w);
int ncz_format_var_attrs_write(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_format_group_attrs_write(const ncz_group *g, const ncz_format_opts *style, ncz_buf *out);
int ncz_format_group_write(const ncz_group *g, const ncz_format_opts *style, ncz_buf *out);

#endif /* NCZ_FORMAT_NCZARR_WRITE_H */
