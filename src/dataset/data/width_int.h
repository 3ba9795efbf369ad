/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * width_int.h: what the widening of fixed strings (dataset_widen.c) needs to know of their width (dataset_width.c). All
 * run under the dataset's exclusive lock.
 */
#ifndef NCZ_DATASET_WIDTH_INT_H
#define NCZ_DATASET_WIDTH_INT_H

#include "dataset/dataset_int.h"

/* What a failure restores. */
typedef struct ncz_width_state {
    ncz_spec  *spec;
    ncz_chain *chain;
    ncz_dtype  dtype;
    size_t     maxstrlen;
    ncz_widths earlier;
    bool       widening;
} ncz_width_state;

ncz_width_state ncz_width_save(const ncz_var *v);
void            ncz_width_restore(ncz_var *v, const ncz_width_state *s);
void            ncz_width_drop(ncz_width_state *s);

/* Changes the width in the model and in the cache. All stays as it was if a chunk would be too large. */
int ncz_width_set(ncz_dataset *ds, ncz_var *v, const ncz_string_width *to);
/* The widths that a stored chunk may have when the array gets wider. */
ncz_widths ncz_width_earlier(const ncz_var *v);
/* True if other processes may widen the variable, too. */
bool ncz_width_is_followed(const ncz_dataset *ds, const ncz_var *v);
/* Takes the width in the store over, if it is larger. */
int ncz_width_follow(ncz_dataset *ds, ncz_var *v);
/* The stored document of the variable is not known any more. */
void ncz_width_forget(ncz_dataset *ds, const ncz_var *v);
/* Stores each chunk that is narrower than the array at its width. */
int ncz_width_spread(ncz_dataset *ds, const ncz_var *v);

#endif /* NCZ_DATASET_WIDTH_INT_H */
