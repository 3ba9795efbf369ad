/* SPDX-License-Identifier: BSD-3-Clause */
/* shown: how messages of the commands name a dataset. */
#ifndef SHOWN_H
#define SHOWN_H

/* A URL without user, query and fragment, where secrets may be; anything else as it stands. malloc()ed; NULL: no
 * memory. */
char *shown_path(const char *path);

#endif /* SHOWN_H */
