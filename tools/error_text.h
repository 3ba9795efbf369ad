/* SPDX-License-Identifier: BSD-3-Clause */
/* error_text: what the commands print of a failed call. */
#ifndef ERROR_TEXT_H
#define ERROR_TEXT_H

#define ERROR_TEXT_SIZE 4096

/*
 * What the last failed call of this thread met, for people: the library's own text, then netCDF's phrase for the code
 * in parentheses. `about` is what the message names in front of it (a path, a key; or NULL): a text that begins with
 * it is not made to say it twice. Always ends with NUL.
 */
void error_text(int rc, const char *about, char text[ERROR_TEXT_SIZE]);

#endif /* ERROR_TEXT_H */
