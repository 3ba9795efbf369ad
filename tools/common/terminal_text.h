/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal_text.h: text of a dataset on a terminal, which must not take any of it for a command. */
#ifndef TERMINAL_TEXT_H
#define TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The code point in UTF-8 at `s`, which has n bytes (SIZE_MAX: up to a NUL), and its bytes; -1 and 1: no UTF-8. */
long terminal_code_point(const char *s, size_t n, size_t *nbytes);

/* False: -1, or what moves the cursor, begins a command, or changes the direction of writing. */
bool terminal_is_safe(long c);

/* The code point at `s`, and its bytes; -1 and 1 where it is not safe. */
long terminal_decode(const char *s, size_t *nbytes);

/* Columns of a character, or more: none below U+1100 takes two, and none at all three. */
size_t terminal_columns(long c);

/* Columns of a text, with one for each question mark that stands for what is not printed. */
size_t terminal_measure(const char *s);

/* Prints a text with question marks for what is not safe; and the same, but as it is where `out` is no terminal. */
void terminal_print_safe(FILE *out, const char *s);
void terminal_print(FILE *out, const char *s);

bool terminal_is_utf8(void); /* by LC_ALL, LC_CTYPE, LANG */

#endif /* TERMINAL_TEXT_H */
