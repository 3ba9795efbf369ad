/* SPDX-License-Identifier: BSD-3-Clause */
/* size_text: counts of bytes as people read and write them. */
#ifndef SIZE_TEXT_H
#define SIZE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { SIZE_TEXT = 32 }; /* room for one */

/* "12 bytes", "3.4 KiB", "5.6 GiB"; `unit` is the name of the smallest, as "bytes". Returns `out`. */
char *size_text(double bytes, const char *unit, char out[SIZE_TEXT]);

/* Reads 4096, 64K, 5M, 2G, 1T, 8MiB: at least one byte. */
bool size_parse(const char *text, size_t *out);

#endif /* SIZE_TEXT_H */
