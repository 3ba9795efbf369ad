/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of icechunk share.
 *
 *   icechunk_flat.c, icechunk_flex.c  the two encodings
 *   icechunk_unzstd.c                 zstd frames, within a limit
 *   icechunk_file.c                   ids, and the frame around each file
 *   icechunk_config.c                 names of places in the configuration
 *   icechunk_repo.c                   what a repository has: branches, tags, snapshots
 *   icechunk_snapshot.c               groups and arrays of a snapshot
 *   icechunk_manifest.c               places of chunks
 *   icechunk_manifests.c              those manifests that are in memory
 *   icechunk_virtual.c                chunks that lie elsewhere
 *   icechunk_store.c                  the store
 *   icechunk_log.c                    the history
 */
#ifndef NCZ_ICECHUNK_INT_H
#define NCZ_ICECHUNK_INT_H

#include "icechunk/icechunk.h"
#include "icechunk/icechunk_flat.h"

#include <pthread.h>

#define NCZ_ICE_ID      12 /* bytes of the id of a file */
#define NCZ_ICE_NODE    8  /* ... of a group or array */
#define NCZ_ICE_ID_TEXT 21 /* an id as text, and its NUL */
#define NCZ_ICE_KEY     48 /* a key of the repository, and its NUL */

/* ---- icechunk_unzstd.c ---- */

/* Decompresses one frame, of at most `most` bytes. `what` for texts. NC_ENOTBUILT in a build without zstd. */
int ncz_ice_unzstd(const void *in, size_t n, size_t most, const char *what, ncz_buf *out);

/* The same for many short frames that were made with one dictionary. */
typedef struct ncz_ice_dictionary ncz_ice_dictionary;

int  ncz_ice_dictionary_new(const void *bytes, size_t n, ncz_ice_dictionary **out);
int  ncz_ice_dictionary_use(ncz_ice_dictionary *d, const void *in, size_t n, size_t most, ncz_buf *out);
void ncz_ice_dictionary_free(ncz_ice_dictionary *d); /* NULL is fine */

/* ---- icechunk_file.c ---- */

typedef enum ncz_ice_kind { NCZ_ICE_SNAPSHOT = 1, NCZ_ICE_MANIFEST = 2, NCZ_ICE_REPO = 6 } ncz_ice_kind;

void ncz_ice_id_text(const unsigned char id[NCZ_ICE_ID], char out[NCZ_ICE_ID_TEXT]);
bool ncz_ice_id_valid(const char *text); /* as ids are written: 20 characters */

/* A file of the repository, decompressed. */
typedef struct ncz_ice_file {
    ncz_buf  bytes;
    ncz_flat flat;
    unsigned spec; /* 1 or 2 */
} ncz_ice_file;

#define NCZ_ICE_FILE_INIT ((ncz_ice_file){.bytes = NCZ_BUF_INIT})

bool ncz_ice_file_looks_like(const void *bytes, size_t n); /* begins as all of them do */
/* From its bytes in the store. `what` names it in texts. */
int  ncz_ice_file_read(const ncz_buf *raw, ncz_ice_kind kind, const char *what, ncz_ice_file *out);
int  ncz_ice_file_get(zmap *base, const char *key, ncz_ice_kind kind, const char *name, ncz_ice_file *out);
void ncz_ice_file_clear(ncz_ice_file *f);
int  ncz_ice_damaged(const char *what, const char *cause); /* NC_EZARRMETA */

/* ---- icechunk_config.c ---- */

typedef struct ncz_ice_container {
    char *name, *prefix; /* name NULL: it has none */
} ncz_ice_container;

typedef struct ncz_ice_containers {
    ncz_ice_container *v;
    size_t             n, cap;
} ncz_ice_containers;

int  ncz_ice_config_flex(const void *bytes, size_t n, const char *what, ncz_ice_containers *out);
int  ncz_ice_config_yaml(const char *text, size_t n, ncz_ice_containers *out);
void ncz_ice_containers_clear(ncz_ice_containers *c);

/* ---- icechunk_repo.c ---- */

typedef struct ncz_ice_repo {
    zmap        *base; /* borrowed */
    const char  *name; /* of the repository, for texts; borrowed */
    unsigned     spec;
    ncz_ice_file file; /* spec 2: `repo`; spec 1: none */
} ncz_ice_repo;

/* Which snapshot a version is, and, if the repository says it, the configuration. NC_EEMPTY: no repository. */
int ncz_ice_repo_open(zmap *base, const char *name, const ncz_icechunk_version *version, ncz_ice_repo *out,
                      char id[NCZ_ICE_ID_TEXT]);
/* Of spec 2; of spec 1 they are in an object of its own. */
int  ncz_ice_repo_config(const ncz_ice_repo *r, ncz_ice_containers *out);
void ncz_ice_repo_clear(ncz_ice_repo *r);

/* ---- icechunk_snapshot.c ---- */

/* Some chunks of an array, by their indexes in its grid, and the manifest that has them. */
typedef struct ncz_ice_part {
    const unsigned char *id;      /* of the manifest */
    const unsigned char *extents; /* for each dimension the first index and the one behind the last */
} ncz_ice_part;

typedef struct ncz_ice_node {
    const char          *path; /* as keys have it: "a/b", "" of the root; not NUL-ended */
    size_t               len;
    const unsigned char *id;
    ncz_line             document; /* zarr.json */
    bool                 array;
    size_t               rank;
    size_t               first, nparts; /* of the snapshot's parts */
} ncz_ice_node;

typedef struct ncz_ice_snapshot {
    ncz_ice_file  file;
    ncz_ice_node *nodes; /* sorted by path, bytewise */
    size_t        nnodes;
    ncz_ice_part *parts;
    size_t        nparts, parts_cap;
    char          id[NCZ_ICE_ID_TEXT], parent[NCZ_ICE_ID_TEXT]; /* parent: of spec 1; "" of the first */
    int64_t       time_us;
    ncz_line      message;
} ncz_ice_snapshot;

int  ncz_ice_snapshot_read(ncz_ice_file *file, const char *what, ncz_ice_snapshot *out); /* takes the file */
void ncz_ice_snapshot_clear(ncz_ice_snapshot *s);
/* The first node at or after a path; nnodes: none. */
size_t              ncz_ice_snapshot_seek(const ncz_ice_snapshot *s, const char *path, size_t len);
const ncz_ice_node *ncz_ice_snapshot_find(const ncz_ice_snapshot *s, const char *path, size_t len);

/* ---- icechunk_manifest.c ---- */

typedef struct ncz_ice_manifest {
    ncz_ice_file        file;
    ncz_flat_vector     arrays;
    ncz_flat_vector     dictionary;
    pthread_mutex_t     lock; /* guards this: */
    ncz_ice_dictionary *decoder;
} ncz_ice_manifest;

/* What a manifest says of one chunk. */
typedef struct ncz_ice_chunk {
    ncz_flat_vector      bytes;            /* data NULL: it is no chunk that stands there itself */
    const unsigned char *id;               /* of an object of the repository; NULL: the place is: */
    ncz_line             location, packed; /* one of them; packed: compressed */
    ncz_line             etag;
    int64_t              modified;
    uint64_t             off, len;
    ncz_flat_vector      index;
} ncz_ice_chunk;

int  ncz_ice_manifest_read(ncz_ice_file *file, const char *what, ncz_ice_manifest *out); /* takes the file */
void ncz_ice_manifest_clear(ncz_ice_manifest *m);
/* NC_EEMPTY: the manifest does not have the chunk. */
int ncz_ice_manifest_find(const ncz_ice_manifest *m, const ncz_ice_node *node, const uint32_t *index,
                          ncz_ice_chunk *out);
/* Each chunk of an array. */
typedef int (*ncz_ice_chunk_fn)(const ncz_ice_chunk *c, void *arg);
int ncz_ice_manifest_each(const ncz_ice_manifest *m, const ncz_ice_node *node, ncz_ice_chunk_fn each, void *arg);
/* The text of a packed location. */
int ncz_ice_manifest_unpack(ncz_ice_manifest *m, ncz_line packed, ncz_buf *out);

/* ---- icechunk_manifests.c ---- */

typedef struct ncz_ice_manifests ncz_ice_manifests;

int  ncz_ice_manifests_new(zmap *base, const char *name, ncz_ice_manifests **out); /* both are borrowed */
void ncz_ice_manifests_free(ncz_ice_manifests *m);                                 /* NULL is fine */
/* The manifest with this id, which stays until it is given back. */
int  ncz_ice_manifests_take(ncz_ice_manifests *m, const unsigned char id[NCZ_ICE_ID], ncz_ice_manifest **out);
void ncz_ice_manifests_give(ncz_ice_manifests *m, ncz_ice_manifest *one);
/* Reads those that are not in memory, together, as far as there is room. Failures are left to a take. */
void ncz_ice_manifests_expect(ncz_ice_manifests *m, const unsigned char *const *ids, size_t n);

/* ---- icechunk_virtual.c ---- */

typedef struct ncz_ice_virtual ncz_ice_virtual;

/* `containers` are taken. */
int  ncz_ice_virtual_new(ncz_places *places, ncz_ice_containers *containers, ncz_ice_virtual **out);
void ncz_ice_virtual_free(ncz_ice_virtual *v); /* NULL is fine */
/* The store of a location and the key there, which is in `room`. `key`: the chunk's, for texts. */
int ncz_ice_virtual_find(ncz_ice_virtual *v, const char *key, ncz_line location, ncz_arena *room, zmap **store,
                         const char **object);
/* Appends a location as text, without asking that place. */
int  ncz_ice_virtual_show(const ncz_ice_virtual *v, const char *key, ncz_line location, ncz_buf *out);
bool ncz_ice_virtual_is_remote(const ncz_ice_virtual *v); /* a named place is on a network */
void ncz_ice_virtual_add_stats(const ncz_ice_virtual *v, zmap_stats *out);

#endif /* NCZ_ICECHUNK_INT_H */
