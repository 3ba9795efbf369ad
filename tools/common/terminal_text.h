/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal_text.h: text of a dataset on a terminal, which must not take any of it for a command. */
#ifndef TERMINAL_TEXT_H
#define TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The code point at `s` in UTF-8, and its bytes; -1 and 1 where the bytes are no UTF-8. */
long terminal_code_point(const char *s, size_t *nbytes);

/*
 * The code point at `s` in UTF-8, and its bytes. -1 and 1: no UTF-8, or it moves the cursor, begins a command,
 * or changes the direction of writing.
 */
long terminal_decode(const char *s, size_t *nbytes);

/* Columns of a character, or more: none below U+1100 takes two, and none at all three. */
size_t terminal_columns(long c);

/* Columns of a text, with one for each question mark that stands for what is not printed. */
size_t terminal_measure(const char *s);

/* Prints a text, on a terminal with question marks for what it could take for a command. */
void terminal_print(FILE *out, const char *s);

bool terminal_is_utf8(void); /* by LC_ALL, LC_CTYPE, LANG */

#endif /* TERMINAL_TEXT_H */
