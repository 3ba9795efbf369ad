/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * version_text.h: what --version prints: the command and its version on a line of their own, then what the library has.
 */
#ifndef NCZARR_TOOLS_VERSION_TEXT_H
#define NCZARR_TOOLS_VERSION_TEXT_H

/* `more`: a library that the command itself is linked with; or NULL. */
void print_version(const char *command, const char *more);

#endif
