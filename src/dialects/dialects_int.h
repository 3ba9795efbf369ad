/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that load a dataset. */
#ifndef NCZ_DIALECTS_INT_H
#define NCZ_DIALECTS_INT_H

#include "dialects/dialects.h"
#include "format/format_int.h"

/* Adds the root as node 0. `each` gets the root's documents, those of each dialect in turn. */
int  ncz_dialects_fetch_root(ncz_loader *l, ncz_docs_fn each);
bool ncz_dialects_is_wanted(const ncz_load_opts *wish, const ncz_dialect_ops *dialect); /* of the version asked for */
int  ncz_dialects_fetch_tree(ncz_loader *l); /* everything below the root, level by level */
void ncz_dialects_fetch_clear(ncz_loader *l);
int  ncz_dialects_node_path(const ncz_loader *l, size_t i, ncz_buf *out); /* "" for the root */

/* ---- building ------------------------------------------------------------------------------------------------- */

int ncz_dialects_build(ncz_loader *l);
/* Adds one variable from its parsed metadata, of that type, with those dimensions, without attributes, in
 * definition. */
int ncz_dialects_build_var(ncz_loader *l, ncz_node *n, ncz_group *g, const ncz_type *type, ncz_dim *const *dims,
                           ncz_var **out);
int ncz_dialects_var_dims(ncz_loader *l, const ncz_node *n, ncz_group *g, ncz_dim **dims, ncz_format_var **kept);

#endif /* NCZ_DIALECTS_INT_H */
