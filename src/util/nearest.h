/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest: misspelt words, for error texts of the library and messages of the commands. */
#ifndef NCZ_NEAREST_H
#define NCZ_NEAREST_H

#include <stddef.h>

/* The word of `known` that is nearest to `word`, by at most one edit in a short word and three in a long one (of one
 * letter: none); or NULL.
 * Of equally near ones the first. Case is ignored. */
const char *ncz_nearest(const char *word, const char *const *known, size_t n);

#endif /* NCZ_NEAREST_H */
