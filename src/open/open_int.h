/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open, internal header: an opening under way, from a path or a store to the dataset. What can be at a place is tried
 * one after the other, each by the same steps: a store, the root's documents, the rest. For this module, and for
 * src/par.
 */
#ifndef NCZ_OPEN_INT_H
#define NCZ_OPEN_INT_H

#include "aggregation/aggregation.h"
#include "dataset/dataset_int.h"
#include "open/open.h"
#include "uri/uri.h"

/* ---- when data are written (open_settings.c) ---- */

typedef enum ncz_durability {
    NCZ_DURABLE_SYNC, /* what sync and close acknowledge is on the disk */
    NCZ_DURABLE_EACH, /* each object is, once it is put */
    NCZ_DURABLE_NONE, /* the system decides */
} ncz_durability;

typedef struct ncz_settings {
    ncz_durability durability;
    bool           commit_at_close; /* the documents follow the data at the close, not at each sync */
    int64_t        commit_ms;       /* a put commits if the last commit is so long ago; 0: none does; -1: not said */
    uint64_t       front;           /* bytes that a new netCDF-4 file leaves to its metadata in front; 0: none */
    bool           front_fits;      /* ... as many as the metadata will take, as long as there are no data */
    bool           never_reuse;     /* such a file does not use room again that was given up */
    bool           behind;          /* puts do not wait for the store */
    size_t         behind_bytes;    /* of what may wait; 0: not said */
    bool           no_aggregation;  /* variables whose values lie in other files are seen as they are stored */
    ncz_missing    missing;         /* what values read as that are not there */
} ncz_settings;

/* The path's, those of the environment, and, if the dataset is `writable`, those of rc files. NC_EINVAL: a value
 * that is not allowed; the text names the place where it stands. */
int ncz_settings_find(const ncz_target *t, bool writable, ncz_settings *out);
/* The errors of that, before a dataset is replaced by a new one. */
int ncz_settings_check(const ncz_target *t);
/* Whether NCZARR_NETCDF4, in the environment or an rc file, asks for Zarr where the program creates a netCDF-4 file.
 * The target gets the modes that it names. */
int ncz_settings_netcdf4(ncz_target *t, bool *zarr);

/* ---- an opening ---- */

typedef struct ncz_opening {
    ncz_target       *target;
    const char       *path; /* for texts */
    int               mode;
    const ncz_limits *limits;
    zmap             *map;       /* its store, until the dataset has it; after a failure it may be set, too */
    zmap             *documents; /* where the documents are read instead, all at once; NULL: in `map` */
    ncz_settings      settings;
    /* Opens fragments, where the target's folder is known, so that it may be an aggregation; NULL: it is not */
    ncz_open_fragment_fn open_fragment;
    unsigned             depth; /* aggregations that it is a fragment of */
    char *const         *files; /* the fragments, where places are numbers of these; or NULL */
    size_t               nfiles;
    ncz_open_fragment   *opened; /* the fragments that are open, which it takes */
    size_t               nopened;
    ncz_dataset         *ds; /* the result */
} ncz_opening;

static inline bool
ncz_opening_writes(const ncz_opening *o)
{
    return (o->mode & NC_WRITE) != 0;
}

/* Makes the dataset of o->map, with what its metadata say. After a failure the store is still the caller's. */
int ncz_opening_load(ncz_opening *o);

/* ---- what says where data lie (open_elsewhere.c) ---- */

/* The same, and where no dataset is: what says where one is. `in_memory`: it may reach no other place. */
int ncz_opening_load_any(ncz_opening *o, bool in_memory);
/* Replaces the store of a place by one of the data that it leads to. NC_EEMPTY: it leads nowhere; of a target that asks
 * for it NC_ENOTNC. */
int  ncz_elsewhere_open(const ncz_target *t, bool in_memory, zmap **map);
bool ncz_elsewhere_first(const ncz_target *t); /* looked for before a dataset is */
/* ---- sets of references (open_references.c) ---- */

/* Is a set of references asked for, by mode or name, or is a local file one by its first bytes? */
bool ncz_reference_set_asked(const ncz_target *t);
/* Whether nothing else can be meant. */
bool ncz_reference_set_must(const ncz_target *t);
/* The store of the set at the target. NC_ENOTNC: it is none. */
int ncz_reference_set_open(const ncz_target *t, zmap **out);
/* A set in memory: whether the bytes may be one, and its store, which copies them. NC_ENOTNC: they are none. */
bool ncz_reference_set_in(const ncz_target *t, const void *bytes, size_t len);
int  ncz_reference_set_open_memory(const ncz_target *t, const void *bytes, size_t len, zmap **out);
int  ncz_reference_set_fail_writing(const ncz_target *t); /* NC_EPERM */
int  ncz_elsewhere_fail_writing(const ncz_target *t);     /* the same, for an Icechunk repository */
/* The same, and the dataset on it. *none: there is no set. */
int ncz_reference_set_load(ncz_opening *o, bool *none);
/* The same for the one object that o->map is, which is no dataset: `rc`, if it is no set either. */
int ncz_reference_set_load_object(ncz_opening *o, int rc);

/* ---- steps ---- */

/* Closes a store on which no dataset could be made. Returns `rc`, the failure, with its text. */
int ncz_opening_give_up(zmap *map, int rc);

/* Creates a dataset on a store, which it takes only on success. */
int ncz_dataset_create_on(zmap *map, const ncz_target *t, const char *path, int cmode, const ncz_limits *limits,
                          ncz_dataset **out);
/* The first of them in a style that the caller chooses. */
int ncz_dataset_create_as(zmap *map, const ncz_target *t, const char *path, int cmode, const ncz_format_opts *style,
                          const ncz_limits *limits, ncz_dataset **out);
int ncz_dataset_check_mode(int mode); /* unsupported flags of create or open, or conflicting ones */

/* What a new dataset is (open_choose_format.c): *version 1, 2 or 5 of a classic file; NCZ_FILE_NETCDF4; 0: Zarr.
 * `default_format`: as in ncz_dataset_create(). NC_EINVAL: the modes of the target and the flags contradict each
 * other. */
int ncz_choose_format(ncz_target *t, int cmode, int default_format, int *version);
/* Of a store of many objects, whatever its name. NC_EINVAL: modes or flags ask for a file. */
int ncz_choose_zarr(const ncz_target *t, int cmode);

/* Creates a dataset that is one file, a classic file (open_create_file.c). */
int ncz_file_create(const ncz_target *t, int cmode, unsigned version, const ncz_limits *limits, ncz_dataset **out);
/* Opens, on another rank, the dataset that rank 0 has just created; `unfinished`: the name of its file until it is
 * complete, from zmap_single_unfinished(). */
int ncz_file_join(const ncz_target *t, int cmode, unsigned version, const char *unfinished, const ncz_limits *limits,
                  ncz_dataset **out);

/* Copies the dataset at the target, whose store cannot list, into an empty store (open_diskless.c): its metadata
 * determine the requests, for each document that its groups and variables may have, and the chunks that exist. */
int ncz_unlisted_copy(zmap *from, ncz_target *t, const ncz_limits *limits, zmap *to);

/* NC_DISKLESS (open_diskless.c): opens a copy of the dataset at the target. */
int ncz_diskless_open(ncz_opening *o);

/* The kind of a dataset, whose dialect is known. */
const ncz_session_ops *ncz_dataset_choose_kind(const ncz_dataset *ds);

#endif /* NCZ_OPEN_INT_H */
