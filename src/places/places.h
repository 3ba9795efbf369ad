/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places: which places a set of references may reach, and the stores there. A set names where its bytes lie; who wrote
 * it decides what it names, and who reads it what may be read.
 *
 * Without a permission: below the set's own folder if it is local; else its own server or bucket, by the same scheme.
 * More by prefixes: `allow=` in the fragment of the set's path, NCZARR.ALLOW in an rc file of the user's (not of the
 * working directory, which may have come with the set), ncz_places_allow(). A set of a server or bucket never reaches
 * local files. Places are compared after they are normalised, by whole segments; links are resolved on both sides.
 *
 * Threads: any.
 */
#ifndef NCZ_PLACES_H
#define NCZ_PLACES_H

#include "uri/uri.h"
#include "zmap/zmap.h"

typedef struct ncz_places ncz_places;

/* `base`: the set's own file or folder. Makes no request. NC_EINVAL, NC_EURL: a prefix that is allowed is none. */
int ncz_places_open(const ncz_target *base, ncz_places **out);
/* The same for a dataset that names others: its folder is the one that it is in, also where it is a folder itself. */
int ncz_places_open_beside(const ncz_target *base, ncz_places **out);
/* Of a set that is not at its place but in memory: what is relative is relative to its path, and nothing may be reached
 * without a permission. */
int ncz_places_open_memory(const ncz_target *base, ncz_places **out);
/* Before the first place is asked for: a server chose where the set is, so that none of its web servers may be at a
 * link-local address. */
void        ncz_places_distrust(ncz_places *p);
ncz_places *ncz_places_ref(ncz_places *p);
bool        ncz_places_is_local(const ncz_places *p); /* the set is on a disk */
void        ncz_places_unref(ncz_places *p);          /* NULL is fine */

/*
 * The store of `url`, and the key there. A text without a scheme is relative to the set's folder. *store is borrowed:
 * it lives as long as the places. Nothing is requested, and what is not there is found out by a get.
 *
 * NC_EAUTH: the set may not reach it; the text names the place and what would allow it. NC_EURL: no URL, or one with a
 * user's name; NC_EINVAL: a scheme, or a name, that no store has.
 */
int ncz_places_find(ncz_places *p, const char *url, zmap **store, ncz_buf *key);

/* The same for a whole dataset: the text that ncz_dataset_open() takes. */
int ncz_places_resolve(ncz_places *p, const char *url, ncz_buf *out);

/* The text of a place as messages show it: absolute, without a query. The same errors, but NC_EAUTH. */
int ncz_places_show(ncz_places *p, const char *url, ncz_buf *out);

/* Adds what the stores have sent and received. */
void ncz_places_add_stats(ncz_places *p, zmap_stats *out);

/* Prefixes for all sets that are opened from now on, with ',' between them. NULL or "": none. NC_EINVAL, NC_EURL: one
 * of them is none; nothing changes. */
int ncz_places_allow(const char *prefixes);

#endif /* NCZ_PLACES_H */
