/* SPDX-License-Identifier: BSD-3-Clause */
/* near_name: misspelt words. */
#ifndef NEAR_NAME_H
#define NEAR_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the names differ by up to `most` inserted, missing or changed letters. Case is ignored. */
bool near_name(const char *a, const char *b, size_t most);

#endif /* NEAR_NAME_H */
