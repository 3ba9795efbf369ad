/* SPDX-License-Identifier: BSD-3-Clause */
/* shown: how messages of the commands name a dataset, and what marks one that is not complete. */
#ifndef SHOWN_H
#define SHOWN_H

/* A URL without user, query and fragment, where secrets may be; anything else as it stands. malloc()ed; NULL: no
 * memory. */
char *shown_path(const char *path);

/* The root's attribute that an nczcopy sets on what it makes until all of it is there. */
#define SHOWN_UNFINISHED "_nczcopy_unfinished"

#endif /* SHOWN_H */
