/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ncz_zip: a store in a zip archive: each object is an entry.
 *
 * Reads any archive: entries stored or deflated, zip64, data descriptors, bytes before the archive. Of entries with
 * one name the last one counts; entries whose names are not keys are ignored. New objects are stored, not deflated.
 *
 * A writer puts into a file of its own, `path` followed by ".nczarr.partial", which replaces the archive at sync or
 * close (ZMAP_COMMITS). Until then the old archive is untouched, even if the writer is killed. Changing an archive
 * begins with a copy of it (shared blocks, where the file system can). One writer at a time: a second one is refused
 * (NC_EACCESS); so is a file of that name that no writer left (NC_EEXIST).
 *
 * Errors of the archive: NC_ENOTNC it is not an archive, or its directory is wrong; NC_EFILTER an entry's bytes are
 * damaged (checksum, sizes); NC_ENOTBUILT an entry is encrypted or compressed in another way.
 */
#ifndef NCZ_ZIP_H
#define NCZ_ZIP_H

#include "zmap/zmap.h"

typedef struct ncz_zip_opts {
    const char *prefix; /* the directory in the archive that holds the keys, a key itself; "": its top. NULL: the
                          * directory of a dataset's documents, if it holds all entries; when creating, the top */
    /* Whether this is the name of a document, judged by the last segment of a key. Documents locate the dataset in an
     * archive and come first in a sorted one. NULL: there are none. */
    bool (*is_document)(const char *name, size_t len);
    bool replace; /* with ZMAP_CREATE_NEW: an existing archive is no error and stays until the first commit */
    bool sorted;  /* the archive's bytes do not depend on the order of puts: costs one more copy at close */
} ncz_zip_opts;

int ncz_zip_open(const char *path, zmap_open_how how, const ncz_zip_opts *opts, zmap **out); /* opts may be NULL */

/* Commits without waiting for the disk. No effect on other stores. */
void ncz_zip_sync_never(zmap *m);

/* The prefix in use, "" for none, valid until the store is closed. NULL on other stores. */
const char *ncz_zip_prefix(const zmap *m);

/* How many entries are not objects of the store, directories not counted: they lie outside the prefix, or their names
 * are not keys. Bytes before the first entry that belong to none count as one. */
uint64_t ncz_zip_others(const zmap *m);

/* Whether names of entries have '\\' where '/' belongs; such entries are no objects of the store. */
bool ncz_zip_backslashes(const zmap *m);

/* Whether ranges of an object are read by their offset: its bytes are in the archive as they are. */
bool ncz_zip_in_ranges(zmap *m, const char *key);

/* Removes an archive that has no writer. NC_EOBJECT: a link or not a plain file; NC_ENOOBJECT: no such file. */
int ncz_zip_remove(const char *path);

/* The path of the i-th file in which an archive at `path` is made, for ncz_free(). NULL after the last, or out of
 * memory. */
char *ncz_zip_temporary(const char *path, size_t i);

/* Whether the file begins like a zip archive (an empty one, too), or ends like one after other bytes. */
bool ncz_zip_looks_like(const char *path);

/*
 * Opens or creates an archive in memory. ZMAP_OPEN_READ: `block` is used in place and must remain until the store is
 * closed. ZMAP_OPEN_WRITE: on success the store owns `block`, which is malloc's. ZMAP_CREATE_NEW: no block; `len` is
 * the initial size. Closing the store frees everything except a block taken by ncz_zip_mem_take().
 */
int ncz_zip_mem_open(void *block, size_t len, zmap_open_how how, const ncz_zip_opts *opts, zmap **out);

/* The current archive, in a block for free(). The store then only accepts being closed. Opened for reading: the block
 * it was opened with. NC_ENOTBUILT on other stores. */
int  ncz_zip_mem_take(zmap *m, void **block, size_t *len);
bool ncz_zip_has_libzip(void); /* this build reads entries of archives in all methods */

#endif /* NCZ_ZIP_H */
