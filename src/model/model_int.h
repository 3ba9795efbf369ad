/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of this module. */
#ifndef NCZ_MODEL_INT_H
#define NCZ_MODEL_INT_H

#include "model/model.h"

/*
 * Makes room for element `n` of an array that grows one by one. Arrays double at powers of two, so that no capacity
 * needs to be stored. *array is replaced.
 */
int ncz_model_room(void *array, size_t n, size_t item);

/* `code`: there are too many groups, dimensions, variables and types for one more. */
int ncz_model_check_count(const ncz_model *m, int code);
/* NC_ENAMEINUSE: a variable, group or type has the name. */
int ncz_model_check_name(const ncz_group *g, const char *name);

void ncz_model_free_types(ncz_model *m); /* of a model that is freed */

void ncz_var_clear_fill(ncz_var *v);
void ncz_var_drop_name(const ncz_var *v); /* frees it, unless it is in the variable's block */
/* Counts its use of its dimensions, or takes that back. */
void ncz_var_count_uses(const ncz_var *v, bool more);
/* Adds a node's name to an index, as the model's `twins` asks for it. */
int ncz_model_index_name(ncz_model *m, ncz_names *index, const char *name, size_t place);

/*
 * Counts the chunks of a shard in each dimension (`object`: may be NULL or `shard` itself), and their product. All
 * arrays have `rank` entries. Returns false if the shard's shape is not a multiple of the chunk's, or if the shard has
 * more chunks than an index within the limits can have.
 */
bool ncz_model_count_shard(const ncz_limits *limits, size_t rank, const uint64_t *shard, const uint64_t *chunk,
                           uint64_t *object, size_t *nchunks);

#endif /* NCZ_MODEL_INT_H */
