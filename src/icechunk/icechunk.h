/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * icechunk: an Icechunk repository as a store that is read: the objects of one of its snapshots, under the keys of Zarr
 * v3. Spec versions 1 and 2. Documents come with the snapshot; the lists of chunks (manifests) are read when a chunk of
 * theirs is asked for, and a bounded number of bytes of them is kept. A chunk is in its manifest, in an object of the
 * repository, or a range of an object elsewhere, which src/places judges.
 *
 * Errors: NC_EZARRMETA a file of the repository is damaged; NC_ENOOBJECT it is absent, or there is no such branch, tag
 * or snapshot; NC_ENOTBUILT a version of the format, or a compression, that is not known, and any compressed file in a
 * build without zstd; NC_EIO an object elsewhere was changed since the chunk was entered; NC_EAUTH it may not be
 * reached.
 *
 * Threads: any.
 */
#ifndef NCZ_ICECHUNK_H
#define NCZ_ICECHUNK_H

#include "places/places.h"
#include "zmap/zmap.h"

/* Which state of the repository: one of them, or none: the branch "main". */
typedef struct ncz_icechunk_version {
    const char *branch, *tag, *snapshot;
} ncz_icechunk_version;

/*
 * A store over the repository in `base`, whose reference it takes on success. `places`: for chunks that lie elsewhere,
 * which the caller keeps too; NULL: they are refused. `name`: of the repository, for texts.
 *
 * NC_EEMPTY, without a text: there is no repository.
 */
int ncz_icechunk_open(zmap *base, const char *name, const ncz_icechunk_version *version, ncz_places *places,
                      zmap **out);

bool ncz_icechunk_is(const zmap *m);

/* ---- its history ---- */

typedef enum ncz_icechunk_ref { NCZ_ICECHUNK_SNAPSHOT, NCZ_ICECHUNK_BRANCH, NCZ_ICECHUNK_TAG } ncz_icechunk_ref;

typedef struct ncz_icechunk_entry {
    ncz_icechunk_ref kind;
    const char      *name;    /* of a branch or tag; else "" */
    const char      *id;      /* of the snapshot */
    const char      *parent;  /* of a snapshot: the one before it; "" of the first */
    int64_t          time_us; /* of a snapshot: when it was made, since 1970 */
    const char      *message; /* of a snapshot */
} ncz_icechunk_entry;

typedef int (*ncz_icechunk_each_fn)(const ncz_icechunk_entry *e, void *arg);

/* Branches, tags, then the snapshots from that version to the first. A non-zero return stops it, and is returned.
 * NC_EEMPTY as above. */
int ncz_icechunk_log(zmap *base, const char *name, const ncz_icechunk_version *version, ncz_icechunk_each_fn each,
                     void *arg);

#endif /* NCZ_ICECHUNK_H */
