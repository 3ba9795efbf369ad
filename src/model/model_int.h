/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the model room share. */
#ifndef NCZ_MODEL_INT_H
#define NCZ_MODEL_INT_H

#include "model/model.h"

/*
 * Makes room for element `n` of an array that is grown one by one; arrays double at powers of two, so that no
 * capacity need be kept beside each. *array is replaced.
 */
int ncz_model_room(void *array, size_t n, size_t item);

void ncz_var_clear_fill(ncz_var *v);

#endif /* NCZ_MODEL_INT_H */
