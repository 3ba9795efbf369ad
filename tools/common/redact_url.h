/* SPDX-License-Identifier: BSD-3-Clause */
/* redact_url: a path or URL as messages may show it. */
#ifndef REDACT_URL_H
#define REDACT_URL_H

/* A URL without user, query and fragment, which may hold secrets; any other path unchanged. malloc()ed; NULL: out of
 * memory. */
char *redact_url(const char *path);

#endif /* REDACT_URL_H */
