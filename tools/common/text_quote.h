/* SPDX-License-Identifier: BSD-3-Clause */
/* text_quote: names and strings as CDL, XML and JSON have them, added to a text. */
#ifndef TEXT_QUOTE_H
#define TEXT_QUOTE_H

#include "common/text_buf.h"

#include <stdbool.h>

/*
 * True: the calling thread's texts go to a terminal. There these functions also escape what a terminal could take for a
 * command; without that names and values that netCDF allows are printed as ncdump prints them.
 */
void text_set_terminal(bool terminal);

/* The text as it is, but for what a terminal could take for a command, and what would end a line. */
void text_add_safe(text_buf *t, const char *s);

/*
 * A name as CDL wants it: a backslash before special characters and a leading digit, \xHH for control bytes, which
 * netCDF forbids and Zarr does not. A path's slashes stay.
 */
void text_add_name(text_buf *t, const char *name);

/* Bytes inside a CDL string literal. ascii_only: octal escapes for bytes above 127 (char data). */
void text_add_cdl(text_buf *t, const char *s, size_t n, bool ascii_only);

/* Inside an XML attribute value. What XML 1.0 cannot hold becomes U+FFFD. */
void text_add_xml(text_buf *t, const char *s, size_t n);

/* A JSON string with its quotes; bytes that are not UTF-8 make it an array of byte numbers instead. */
void text_add_json(text_buf *t, const char *s, size_t n);

bool text_is_utf8(const char *s, size_t n);

#endif /* TEXT_QUOTE_H */
