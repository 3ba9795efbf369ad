/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * consolidated.h: whether consolidated metadata say what the documents themselves say. They are a copy of these, and
 * are believed when a dataset is opened, by other libraries also where this one does not (formats.md): a program that
 * changes a document alone makes them stale.
 */
#ifndef CONSOLIDATED_H
#define CONSOLIDATED_H

#include "common/error_text.h"

enum { CONSOLIDATED_TEXT = 2048 };

/* Called for each difference: a line without an end, such as "/v: only in the consolidated metadata". */
typedef void (*consolidated_difference)(const char *text, void *arg);

/*
 * Opens the dataset twice, with its consolidated metadata and without, and compares groups, dimensions, variables and
 * attributes. *comparedp: 0 if it has none, its URL says whether they are used, or its documents cannot be found
 * without them: `why` says so, and is empty otherwise. NC_NOERR, or the code and text of why one of the two cannot be
 * opened.
 */
int consolidated_compare(const char *path, consolidated_difference each, void *arg, int *comparedp,
                         char why[ERROR_TEXT_SIZE]);

#endif /* CONSOLIDATED_H */
