/* SPDX-License-Identifier: BSD-3-Clause */
/* error_text: the message of a failed call, for all commands. */
#ifndef ERROR_TEXT_H
#define ERROR_TEXT_H

#define ERROR_TEXT_SIZE 4096

/*
 * Writes the error text of this thread's last call: the library's text, or netCDF's phrase for the code where there is
 * none. `about` is the path or key that the message names before it, or NULL; when the text begins with it, or with the
 * path in front of its fragment, it is not repeated. The result always ends with a NUL.
 */
void error_text(int rc, const char *about, char text[ERROR_TEXT_SIZE]);

#endif /* ERROR_TEXT_H */
