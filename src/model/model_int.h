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

void ncz_var_clear_fill(ncz_var *v);

#endif /* NCZ_MODEL_INT_H */
